// How numbers are written for people, here and in the tools: "12,345,678".
#pragma once

#include <cstdint>
#include <string>

namespace sparsmith {

inline std::string with_commas(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::int64_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

}  // namespace sparsmith
