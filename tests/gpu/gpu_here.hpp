// Whether the tests that need a GPU can run: skips visibly without one, fails where SPARSMITH_REQUIRE_GPU is
// set.
#pragma once

#include <cstdlib>
#include <iostream>

#include "convert/backend/backend.hpp"
#include "tests/catch.hpp"

namespace sparsmith::testing {

inline bool gpu_here() {
  if (has_cuda && find_gpu().usable) return true;
  const char* const required = std::getenv("SPARSMITH_REQUIRE_GPU");
  if (required != nullptr && std::string(required) != "0") {
    FAIL("SPARSMITH_REQUIRE_GPU is set, but: " << find_gpu().description);
  }
  std::cout << "SKIPPED: " << find_gpu().description << "\n";
  return false;
}

}  // namespace sparsmith::testing
