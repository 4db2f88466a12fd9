// Checks that `find_invalid` makes of several formats. Each returns what is wrong, for people; empty where
// all is well.
#pragma once

#include <fmt/format.h>

#include <string>

#include "convert/backend/memory.hpp"

namespace sparsmith {

inline std::string check_shape(std::int32_t rows, std::int32_t cols) {
  if (rows < 0 || cols < 0) return fmt::format("the shape {} x {} is negative", rows, cols);
  return {};
}

inline std::string check_length(const char* name, std::int64_t length, std::int64_t expected) {
  if (length != expected) return fmt::format("{} has {} elements instead of {}", name, length, expected);
  return {};
}

inline std::string check_index(const char* name, std::int64_t position, std::int64_t index,
                               std::int64_t size) {
  if (index < 0 || index >= size)
    return fmt::format("{}[{}] = {} is outside 0..{}", name, position, index, size - 1);
  return {};
}

template <class Offset>
std::string check_offsets(const char* name, const array<Offset, host>& offsets, std::int64_t lines,
                          std::int64_t end) {
  if (auto problem = check_length(name, offsets.size(), lines + 1); !problem.empty()) return problem;
  if (offsets[0] != 0) return fmt::format("{}[0] = {} instead of 0", name, offsets[0]);
  for (std::int64_t i = 0; i < lines; ++i)
    if (offsets[i + 1] < offsets[i]) return fmt::format("{} falls at {}", name, i + 1);
  if (offsets[lines] != end) return fmt::format("{} ends at {} instead of {}", name, offsets[lines], end);
  return {};
}

}  // namespace sparsmith
