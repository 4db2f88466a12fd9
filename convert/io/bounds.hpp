// What the readers refuse: what a file says about sizes, offsets and indices is compared with what it holds
// before it is used, and each refusal is one line that names the file, the array and the place.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include "convert/error.hpp"
#include "convert/formats/checks.hpp"

namespace sparsmith {

[[noreturn]] inline void refuse_input(const std::string& path, const std::string& what) {
  throw error(failure::input, path + ": " + what);
}

[[noreturn]] inline void refuse_unsupported(const std::string& path, const std::string& what) {
  throw error(failure::unsupported, path + ": " + what);
}

// Takes what a check found; nothing is wrong where that is empty.
inline void refuse_if(const std::string& path, const std::string& problem) {
  if (!problem.empty()) refuse_input(path, problem);
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
  if (index < 0 || index >= size) refuse_input(path, check_index(array, position, index, size));
  return static_cast<std::int32_t>(index);
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
