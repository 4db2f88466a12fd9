// CSC: the entries column by column, rows strictly increasing inside a column; the CSR of the transpose.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Offset, class Value, class Space>
struct csc {
  static constexpr const char* name = "csc";
  using offset_type = Offset;
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = csc<Offset, Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  array_in<Offset, Space> col_offsets;  // cols + 1
  array_in<std::int32_t, Space> row_indices;
  array_in<Value, Space> values;

  static constexpr std::array member_names = {"rows", "cols", "col_offsets", "row_indices", "values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.col_offsets, s.row_indices, s.values);
  }
};

}  // namespace sparsmith
