// How many threads a walk may have in which each needs memory of its own. Many threads on a matrix with many
// rows or columns would have more of it than the matrix; one there always is.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace sparsmith {

inline int threads_with_own(std::int64_t bytes_each, std::int64_t matrix_bytes) {
  return static_cast<int>(std::clamp<std::int64_t>(matrix_bytes / std::max<std::int64_t>(bytes_each, 1), 1,
                                                   omp_get_max_threads()));
}

// How many of them walk a matrix in blocks with a number of their own for each block column: all numbers
// together take no more than its column indices do. 0 for a matrix too wide for any.
inline int threads_with_block_columns(std::int64_t block_cols, std::int64_t entries) {
  return block_cols == 0 || block_cols > entries ? 0 : threads_with_own(block_cols, entries);
}

// Block rows that such a thread takes at a time: few, since one may hold as much as all others together.
inline std::int64_t block_rows_at_once(std::int64_t count, int threads) {
  return std::clamp<std::int64_t>(count / (std::int64_t{threads} * 16), 1, 512);
}

}  // namespace sparsmith
