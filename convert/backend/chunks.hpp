// How work is cut for threads of a CPU where some units of it are much longer than others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparsmith {

// Cuts units 0 .. units-1 into `chunks` pieces of about the same number of slots; offset(u) is the number of
// slots before unit u and must not fall. Returns chunks + 1 bounds.
template <class Offset>
std::vector<std::int64_t> balanced_chunks(std::int64_t units, int chunks, Offset offset) {
  std::vector<std::int64_t> bounds(static_cast<std::size_t>(chunks) + 1, units);
  bounds[0] = 0;
  const auto total = static_cast<std::int64_t>(offset(units));
  for (int c = 1; c < chunks; ++c) {
    const std::int64_t wanted = total / chunks * c + total % chunks * c / chunks;
    std::int64_t low = bounds[static_cast<std::size_t>(c) - 1], high = units;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (static_cast<std::int64_t>(offset(middle)) < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    bounds[static_cast<std::size_t>(c)] = low;
  }
  return bounds;
}

}  // namespace sparsmith
