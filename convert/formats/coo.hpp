// COO: one (row, column, value) per entry. Canonical when sorted by (row, column) without duplicates; a list
// just read from a file may be in any order, and `coo_to_csr` is what brings it into shape.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Value, class Space>
struct coo {
  static constexpr const char* name = "coo";
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = coo<Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  array_in<std::int32_t, Space> row_indices;
  array_in<std::int32_t, Space> col_indices;
  array_in<Value, Space> values;

  static constexpr std::array member_names = {"rows", "cols", "row_indices", "col_indices", "values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.row_indices, s.col_indices, s.values);
  }
};

}  // namespace sparsmith
