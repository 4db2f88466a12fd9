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

}  // namespace sparsmith
