// What the tests that need a GPU share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "convert/backend/backend.hpp"
#include "convert/error.hpp"
#include "convert/io/read.hpp"
#include "tests/catch.hpp"

namespace sparsmith::testing {

// Whether they can run: skips visibly without a GPU, fails where SPARSMITH_REQUIRE_GPU is set.
inline bool gpu_here() {
  if (has_cuda && find_gpu().usable) return true;
  const char* const required = std::getenv("SPARSMITH_REQUIRE_GPU");
  if (required != nullptr && std::string(required) != "0") {
    FAIL("SPARSMITH_REQUIRE_GPU is set, but: " << find_gpu().description);
  }
  std::cout << "SKIPPED: " << find_gpu().description << "\n";
  return false;
}

// use(name, matrix) for every .mtx file of the collection that SPARSMITH_MATRICES names, if it names one.
template <class Use>
void for_each_collected(Use use) {
  const char* const folder = std::getenv("SPARSMITH_MATRICES");
  if (folder == nullptr) {
    std::cout << "no collection: SPARSMITH_MATRICES is not set\n";
    return;
  }
  int count = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() != ".mtx") continue;
    matrix_entries source;
    try {
      source = read_matrix(file.path().string());
    } catch (const error&) {
      continue;  // a file this program refuses; the collection test says whether that is right
    }
    use(file.path().filename().string(), source);
    ++count;
  }
  std::cout << count << " matrices of the collection are equal on both backends\n";
}

}  // namespace sparsmith::testing
