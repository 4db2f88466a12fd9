// What BSR's kernels on CUDA share.
#pragma once

#include "kernels/cuda/bsr.hpp"
#include "kernels/cuda/launch.hpp"

namespace sparsmith {

constexpr int longest_side = 64;  // of a block: sums of that many outputs are in shared memory

inline std::string too_large(const matrix_outline& known) {
  return known.block.rows > longest_side || known.block.cols > longest_side
             ? "a block has more than 64 rows or columns"
             : std::string();
}

template <class Matrix>
std::int32_t count_block_rows(const Matrix& m) {
  return static_cast<std::int32_t>(m.row_offsets.size() - 1);
}

#ifdef __CUDACC__

// The block row that `block` is in, known to be one of [low, high].
template <class Offset>
__device__ std::int32_t block_row_of(const Offset* row_offsets, std::int64_t block, std::int32_t low,
                                     std::int32_t high) {
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    if (row_offsets[middle + 1] <= block)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif

}  // namespace sparsmith
