// What lengths and numbers of entries are counted by.
#pragma once

#include <cstdint>

namespace sparsmith {

// How often a size occurs. A list of them rises, and names no size that does not occur.
struct size_count {
  std::int64_t size = 0, count = 0;
  bool operator==(const size_count&) const = default;
};

// Entries of a diagonal, which is told by column - row.
struct diagonal_count {
  std::int64_t offset = 0, entries = 0;
  bool operator==(const diagonal_count&) const = default;
};

}  // namespace sparsmith
