// SELL-C-sigma: rows sorted by falling length inside windows of `sigma` rows (stable), then cut into slices
// of `slice` rows, each an ELL of its own longest row. Position p of the sorted order holds row row_order[p];
// slot k of it is at slice_offsets[p / slice] + k * slice + p % slice. The last slice is filled up with empty
// rows. Padding is as in ELL.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Offset, class Value, class Space>
struct sell {
  static constexpr const char* name = "sell";
  using offset_type = Offset;
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = sell<Offset, Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t slice = 0;
  std::int32_t sigma = 0;
  array_in<std::int32_t, Space> row_order;    // rows
  array_in<std::int32_t, Space> row_lengths;  // rows, of row_order[p]
  array_in<Offset, Space> slice_offsets;      // ceil(rows / slice) + 1, in slots
  array_in<std::int32_t, Space> col_indices;
  array_in<Value, Space> values;

  static constexpr std::array member_names = {
      "rows", "cols", "slice", "sigma", "row_order", "row_lengths", "slice_offsets", "col_indices", "values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.slice, s.sigma, s.row_order, s.row_lengths, s.slice_offsets,
                    s.col_indices, s.values);
  }
};

}  // namespace sparsmith
