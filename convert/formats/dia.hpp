// DIA: whole diagonals, one after the other, without an index for any entry; what lies on diagonals that are
// not worth storing is a COO rest sorted by (row, column). Zeros fill a diagonal up, also past the edge of
// the matrix. A stored zero looks like fill, so the slots of those there are get listed, as in BSR.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Value, class Space>
struct dia {
  static constexpr const char* name = "dia";
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = dia<Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  array_in<std::int32_t, Space> offsets;     // column - row of every stored diagonal, rising
  array_in<Value, Space> values;             // diagonals * rows; row i of diagonal d is at d * rows + i
  array_in<std::int64_t, Space> zero_slots;  // slots that hold a stored zero, rising
  array_in<std::int32_t, Space> rest_row_indices;
  array_in<std::int32_t, Space> rest_col_indices;
  array_in<Value, Space> rest_values;

  static constexpr std::array member_names = {
      "rows",       "cols", "offsets", "values", "zero_slots", "rest_row_indices", "rest_col_indices",
      "rest_values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.offsets, s.values, s.zero_slots, s.rest_row_indices, s.rest_col_indices,
                    s.rest_values);
  }
};

}  // namespace sparsmith
