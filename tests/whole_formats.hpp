// The names of the formats that hold any matrix: all but those of halves.
#pragma once

#include <string>
#include <vector>

#include "convert/formats/formats.hpp"

namespace sparsmith::testing {

inline std::vector<std::string> whole_format_names() {
  std::vector<std::string> names = format_names();
  std::erase_if(names, [](const std::string& name) { return whole_of(*format_named(name)).has_value(); });
  return names;
}

}  // namespace sparsmith::testing
