// The arithmetic of BSR's blocks on a CPU, compiled for the usual sizes of blocks.
#pragma once

#include <algorithm>

#include "kernels/registry.hpp"

namespace sparsmith {
namespace {

// sums += block x, or block^T x. R x C is the size of a block where that is known at compile time, or 0 x 0;
// `stride` is the length of the block's rows, of which a block at the edge has only some columns inside the
// matrix.
template <int R, int C, bool Transposed, class Value>
void block_product(const Value* block, std::int64_t rows, std::int64_t cols, std::int64_t stride,
                   const Value* x, Value* __restrict sums) {
  if constexpr (R > 0) {
    rows = R;
    cols = stride = C;
  }
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c) {
      if constexpr (Transposed)
        sums[c] += block[r * stride + c] * x[r];
      else
        sums[r] += block[r * stride + c] * x[c];
    }
}

// The product of the blocks [first, last), all of block row `row`. A x: x are all inputs, and sums this row's
// outputs; A^T x: x are this row's inputs, and sums all outputs. Sums are filled up to whole blocks.
template <int R, int C, bool Transposed, class Offset, class Value>
void add_blocks(const bsr_view<Offset, Value, host>& m, std::int64_t row, std::int64_t first,
                std::int64_t last, const Value* x, Value* sums) {
  const std::int64_t height = m.block_rows, width = m.block_cols;
  const std::int64_t rows_inside = std::min(height, m.rows - row * height);
  Value in_registers[R > 0 ? R : 1] = {};
  for (std::int64_t b = first; b < last; ++b) {
    const Value* const block = m.values.data() + b * height * width;
    const std::int64_t col = m.col_indices[b] * width, cols_inside = std::min(width, m.cols - col);
    const Value* const in = x + (Transposed ? 0 : col);
    Value* const out = sums + (Transposed ? col : 0);
    if (rows_inside < height || cols_inside < width)
      block_product<0, 0, Transposed>(block, rows_inside, cols_inside, width, in, out);
    else
      block_product<R, C, Transposed>(block, height, width, width, in,
                                      R > 0 && !Transposed ? in_registers : out);
  }
  if constexpr (R > 0 && !Transposed)
    for (int r = 0; r < R; ++r) sums[r] += in_registers[r];
}

template <class Offset, class Value>
using add_blocks_function = void (*)(const bsr_view<Offset, Value, host>&, std::int64_t, std::int64_t,
                                     std::int64_t, const Value*, Value*);

template <bool Transposed, class Offset, class Value>
add_blocks_function<Offset, Value> choose_add_blocks(const bsr_view<Offset, Value, host>& m) {
  switch (m.block_rows == m.block_cols ? m.block_rows : 0) {
    case 2:
      return add_blocks<2, 2, Transposed, Offset, Value>;
    case 3:
      return add_blocks<3, 3, Transposed, Offset, Value>;
    case 4:
      return add_blocks<4, 4, Transposed, Offset, Value>;
    case 5:
      return add_blocks<5, 5, Transposed, Offset, Value>;
    case 8:
      return add_blocks<8, 8, Transposed, Offset, Value>;
    default:
      return add_blocks<0, 0, Transposed, Offset, Value>;
  }
}

}  // namespace
}  // namespace sparsmith
