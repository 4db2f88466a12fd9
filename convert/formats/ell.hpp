// ELL: every row padded to the longest one (`width`), stored slot by slot so that neighbouring threads read
// neighbouring addresses: entry k of row r is at k * rows + r. Padding carries value 0 and repeats the row's
// last column (0 in an empty row), so a kernel never reads out of range; `row_lengths` tells it from a stored
// zero.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Value, class Space>
struct ell {
  static constexpr const char* name = "ell";
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = ell<Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t width = 0;
  array_in<std::int32_t, Space> row_lengths;  // rows
  array_in<std::int32_t, Space> col_indices;  // width * rows
  array_in<Value, Space> values;              // width * rows

  static constexpr std::array member_names = {"rows",        "cols",        "width",
                                              "row_lengths", "col_indices", "values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.width, s.row_lengths, s.col_indices, s.values);
  }
};

}  // namespace sparsmith
