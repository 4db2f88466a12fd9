// BSR: dense blocks of block_rows x block_cols, compressed by block row as CSR is by row; values lie row by
// row inside a block, zeros fill it up, also past the edge of the matrix. A stored zero looks like fill, so
// the slots of those there are get listed: an array that is empty for most matrices.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Offset, class Value, class Space>
struct bsr {
  static constexpr const char* name = "bsr";
  using offset_type = Offset;
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = bsr<Offset, Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t block_rows = 0;                // R
  std::int32_t block_cols = 0;                // C
  array_in<Offset, Space> row_offsets;        // ceil(rows / R) + 1, in blocks
  array_in<std::int32_t, Space> col_indices;  // the block column of every block
  array_in<Value, Space> values;              // blocks * R * C
  array_in<std::int64_t, Space> zero_slots;   // slots that hold a stored zero, rising

  static constexpr std::array member_names = {"rows",        "cols",        "block_rows", "block_cols",
                                              "row_offsets", "col_indices", "values",     "zero_slots"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.block_rows, s.block_cols, s.row_offsets, s.col_indices, s.values,
                    s.zero_slots);
  }
};

}  // namespace sparsmith
