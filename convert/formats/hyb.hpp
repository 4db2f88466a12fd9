// HYB: the first `width` entries of every row as ELL, what is longer as a COO rest sorted by (row, column).
// The width follows Bell and Garland: the largest that at least a third of the rows still fill.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Value, class Space>
struct hyb {
  static constexpr const char* name = "hyb";
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = hyb<Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t width = 0;
  array_in<std::int32_t, Space> row_lengths;      // rows, of the ELL part: at most width
  array_in<std::int32_t, Space> ell_col_indices;  // width * rows
  array_in<Value, Space> ell_values;              // width * rows
  array_in<std::int32_t, Space> rest_row_indices;
  array_in<std::int32_t, Space> rest_col_indices;
  array_in<Value, Space> rest_values;

  static constexpr std::array member_names = {"rows",
                                              "cols",
                                              "width",
                                              "row_lengths",
                                              "ell_col_indices",
                                              "ell_values",
                                              "rest_row_indices",
                                              "rest_col_indices",
                                              "rest_values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.width, s.row_lengths, s.ell_col_indices, s.ell_values,
                    s.rest_row_indices, s.rest_col_indices, s.rest_values);
  }
};

}  // namespace sparsmith
