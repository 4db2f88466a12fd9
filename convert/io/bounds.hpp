// Checks that the npz and the HDF5 readers share: what a file says about sizes, offsets and indices is
// compared with what it holds before it is used, and each refusal is one line that names the file, the array
// and the place.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include "convert/backend/memory.hpp"
#include "convert/error.hpp"

namespace sparsmith {

[[noreturn]] inline void refuse_input(const std::string& path, const std::string& what) {
  throw error(failure::input, path + ": " + what);
}

[[noreturn]] inline void refuse_unsupported(const std::string& path, const std::string& what) {
  throw error(failure::unsupported, path + ": " + what);
}

// A dimension as the formats hold it; `what` is "rows" or "columns".
inline std::int32_t checked_dimension(const std::string& path, const char* what, std::int64_t size) {
  if (size < 0) refuse_input(path, fmt::format("the number of {} is {}, below zero", what, size));
  if (size > std::numeric_limits<std::int32_t>::max())
    refuse_input(path, fmt::format("{} {} are more than the 2147483647 that are supported", size, what));
  return static_cast<std::int32_t>(size);
}

inline std::int32_t checked_index(const std::string& path, const char* array, std::int64_t position,
                                  std::int64_t index, std::int32_t size) {
  if (index < 0 || index >= size)
    refuse_input(path, size == 0
                           ? fmt::format("{}[{}] is {}, but the matrix is empty in that direction", array,
                                         position, index)
                           : fmt::format("{}[{}] is {}, outside 0..{}", array, position, index, size - 1));
  return static_cast<std::int32_t>(index);
}

inline void check_length(const std::string& path, const char* array, std::int64_t length,
                         std::int64_t expected, const char* expected_from) {
  if (length != expected)
    refuse_input(path,
                 fmt::format("{} has {} elements, expected {} ({})", array, length, expected, expected_from));
}

// Offsets start at 0, never fall and end at the number of stored values.
inline void check_offsets(const std::string& path, const char* array, array_view<const std::int64_t> offsets,
                          std::int64_t stored) {
  if (offsets[0] != 0) refuse_input(path, fmt::format("{}[0] is {}, not 0", array, offsets[0]));
  for (std::int64_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      refuse_input(path,
                   fmt::format("{}[{}] is {}, below the {} before it", array, i, offsets[i], offsets[i - 1]));
  const std::int64_t last = offsets[offsets.size() - 1];
  if (last != stored)
    refuse_input(path, fmt::format("{} ends at {}, but there are {} stored values", array, last, stored));
}

// A stored number as a double; integers beyond 2^53 are counted, as a double no longer holds all of them.
template <class Number>
double value_from(Number number, std::int64_t& rounded) {
  if constexpr (std::integral<Number> && sizeof(Number) == 8) {
    constexpr Number exact = Number{1} << 53;
    bool beyond = number > exact;
    if constexpr (std::signed_integral<Number>) beyond = beyond || number < -exact;
    if (beyond) ++rounded;
  }
  return static_cast<double>(number);
}

}  // namespace sparsmith
