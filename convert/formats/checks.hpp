// Checks that `find_invalid` and the readers make of sizes, offsets and indices. Each returns what is wrong,
// for people; empty where all is well.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "convert/backend/memory.hpp"

namespace sparsmith {

// The product of two sizes; nothing where 64 bits do not hold it. Sizes come from files, which may say
// anything.
inline std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}
constexpr const char* sizes_too_large = "the sizes do not fit 64 bits";

inline std::string check_shape(std::int32_t rows, std::int32_t cols) {
  if (rows < 0 || cols < 0) return fmt::format("the shape {} x {} is negative", rows, cols);
  return {};
}

// A size that says yes or no.
inline std::string check_flag(const char* name, std::int32_t flag) {
  if (flag == 0 || flag == 1) return {};
  return fmt::format("{} is {} instead of 0 or 1", name, flag);
}

// `reason` says where the expectation comes from, where that is not plain.
inline std::string check_length(const char* name, std::int64_t length, std::int64_t expected,
                                const char* reason = nullptr) {
  if (length == expected) return {};
  const std::string problem = fmt::format("{} has {} elements instead of {}", name, length, expected);
  return reason == nullptr ? problem : fmt::format("{} ({})", problem, reason);
}

inline std::string check_index(const char* name, std::int64_t position, std::int64_t index,
                               std::int64_t size) {
  if (index >= 0 && index < size) return {};
  if (size == 0)
    return fmt::format("{}[{}] = {}, but the matrix is empty in that direction", name, position, index);
  return fmt::format("{}[{}] = {} is outside 0..{}", name, position, index, size - 1);
}

// Offsets of so many lines start at 0, never fall and end at `end`.
template <class Offset>
std::string check_offsets(const char* name, const array<Offset, host>& offsets, std::int64_t lines,
                          std::int64_t end) {
  if (auto problem = check_length(name, offsets.size(), lines + 1); !problem.empty()) return problem;
  if (offsets[0] != 0) return fmt::format("{}[0] = {} instead of 0", name, offsets[0]);
  for (std::int64_t i = 0; i < lines; ++i)
    if (offsets[i + 1] < offsets[i])
      return fmt::format("{} falls at {}, from {} to {}", name, i + 1, offsets[i], offsets[i + 1]);
  if (offsets[lines] != end) return fmt::format("{} ends at {} instead of {}", name, offsets[lines], end);
  return {};
}

}  // namespace sparsmith
