// The list of formats. A new format adds its header, its line in `any_format`, its pipelines and its
// `validate`.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "convert/formats/bsr.hpp"
#include "convert/formats/coo.hpp"
#include "convert/formats/csb.hpp"
#include "convert/formats/csc.hpp"
#include "convert/formats/csr.hpp"
#include "convert/formats/ecsb.hpp"
#include "convert/formats/ell.hpp"
#include "convert/formats/gcsb.hpp"
#include "convert/formats/gcsb_tile.hpp"
#include "convert/formats/hyb.hpp"
#include "convert/formats/sell.hpp"

namespace sparsmith {

// A matrix in any of the formats; the index of an alternative is its position in `format_names`.
template <class Offset, class Value, class Space>
using any_format =
    std::variant<coo<Value, Space>, csr<Offset, Value, Space>, csc<Offset, Value, Space>, ell<Value, Space>,
                 sell<Offset, Value, Space>, hyb<Value, Space>, bsr<Offset, Value, Space>,
                 csb<Offset, Value, Space>, ecsb<Offset, Value, Space>, gcsb<Offset, Value, Space>,
                 gcsb_tile<Offset, Value, Space>>;

template <class Any, std::size_t... i>
std::vector<std::string> names_of(std::index_sequence<i...>) {
  return {std::variant_alternative_t<i, Any>::name...};
}

// The names the command line, containers and reports use, in the order of the list.
inline const std::vector<std::string>& format_names() {
  using any = any_format<std::int32_t, double, host>;
  static const std::vector<std::string> names =
      names_of<any>(std::make_index_sequence<std::variant_size_v<any>>{});
  return names;
}

}  // namespace sparsmith
