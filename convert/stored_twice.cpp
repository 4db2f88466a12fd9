#include "convert/stored_twice.hpp"

#include <algorithm>

#include "convert/backend/sort_entries.hpp"

namespace sparsmith {

std::int64_t count_stored_twice(const coo<double, host>& entries) {
  const std::int64_t count = entries.values.size();
  const std::int32_t* const rows = entries.row_indices.data();
  const std::int32_t* const cols = entries.col_indices.data();
  std::int64_t below = 0, above = 0;
#pragma omp parallel for reduction(+ : below, above)
  for (std::int64_t i = 0; i < count; ++i) {
    below += rows[i] > cols[i];
    above += rows[i] < cols[i];
  }
  if (below == 0 || above == 0) return 0;  // as it should be

  // Entries and their mirror images have one key, so that sorting brings them together.
  enum : std::int32_t { lower = 1, upper = 2, both = 3 };
  array<std::int32_t, host> larger(below + above), smaller(below + above), triangle(below + above);
  std::int64_t listed = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (rows[i] == cols[i]) continue;
    larger[listed] = std::max(rows[i], cols[i]);
    smaller[listed] = std::min(rows[i], cols[i]);
    triangle[listed++] = rows[i] > cols[i] ? lower : upper;
  }
  const auto sorted =
      sort_entries<std::int32_t>(openmp{}, larger, smaller, triangle, entries.rows, entries.cols, false);
  std::int64_t twice = 0;
  for (std::int64_t i = 0; i < listed;) {
    const std::uint64_t key = sorted.keys[i];
    std::int32_t found = 0;
    for (; i < listed && sorted.keys[i] == key; ++i) found |= sorted.values[i];
    twice += found == both;
  }
  return twice;
}

}  // namespace sparsmith
