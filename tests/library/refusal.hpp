// What the library says where it refuses.
#pragma once

#include <string>

#include "convert/error.hpp"

namespace sparsmith {

template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const error& problem) {
    return problem.what();
  }
  return "not refused";
}

}  // namespace sparsmith
