// The list of formats. A new format adds its header, and its place in `any_format` and in `format_kind`;
// docs/walk.md lists what else.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "convert/formats/bsr.hpp"
#include "convert/formats/coo.hpp"
#include "convert/formats/csb.hpp"
#include "convert/formats/csc.hpp"
#include "convert/formats/csr.hpp"
#include "convert/formats/dia.hpp"
#include "convert/formats/ecsb.hpp"
#include "convert/formats/ell.hpp"
#include "convert/formats/gcsb.hpp"
#include "convert/formats/gcsb_tile.hpp"
#include "convert/formats/half.hpp"
#include "convert/formats/hyb.hpp"
#include "convert/formats/sell.hpp"

namespace sparsmith {

// A matrix in any of the formats; the index of an alternative is its position in `format_names`.
template <class Offset, class Value, class Space>
using any_format =
    std::variant<coo<Value, Space>, csr<Offset, Value, Space>, csc<Offset, Value, Space>, ell<Value, Space>,
                 sell<Offset, Value, Space>, hyb<Value, Space>, dia<Value, Space>, bsr<Offset, Value, Space>,
                 csb<Offset, Value, Space>, ecsb<Offset, Value, Space>, gcsb<Offset, Value, Space>,
                 gcsb_tile<Offset, Value, Space>, csr_half<Offset, Value, Space>, dia_half<Value, Space>,
                 bsr_half<Offset, Value, Space>, gcsb_tile_half<Offset, Value, Space>>;

// Which of them, without a matrix: the index of its alternative. What is typed or read is turned into this
// once.
enum class format_kind : std::size_t {
  coo,
  csr,
  csc,
  ell,
  sell,
  hyb,
  dia,
  bsr,
  csb,
  ecsb,
  gcsb,
  gcsb_tile,
  csr_half,
  dia_half,
  bsr_half,
  gcsb_tile_half
};
static_assert(std::variant_size_v<any_format<std::int32_t, double, host>> ==
              static_cast<std::size_t>(format_kind::gcsb_tile_half) + 1);

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

inline const std::string& name_of(format_kind format) {
  return format_names()[static_cast<std::size_t>(format)];
}
inline std::optional<format_kind> format_named(const std::string& name) {
  for (std::size_t i = 0; i < format_names().size(); ++i)
    if (format_names()[i] == name) return static_cast<format_kind>(i);
  return {};
}
inline std::vector<format_kind> all_formats() {
  std::vector<format_kind> all;
  for (std::size_t i = 0; i < format_names().size(); ++i) all.push_back(static_cast<format_kind>(i));
  return all;
}
// Which of them stores half of a symmetric matrix, and the entries of that half as which format; none where
// there is no half of it, or where it is none.
inline std::optional<format_kind> half_of(format_kind format) {
  return format_named(name_of(format) + "_half");
}
inline std::optional<format_kind> whole_of(format_kind half) {
  for (const format_kind format : all_formats())
    if (half_of(format) == half) return format;
  return {};
}
// The names of those of which half can be stored.
inline std::vector<std::string> formats_with_half() {
  std::vector<std::string> names;
  for (const format_kind format : all_formats())
    if (half_of(format)) names.push_back(name_of(format));
  return names;
}
// Layout `tile`, of the whole matrix or of half of it.
inline bool is_in_tiles(format_kind format) {
  return format == format_kind::gcsb_tile || format == format_kind::gcsb_tile_half;
}
// Of a format's type, in any space and with any types of its elements.
template <class Format>
format_kind kind_of() {
  return *format_named(Format::name);
}

}  // namespace sparsmith
