// Which of the variables of a MAT-file is the matrix that is meant: one rule for all versions of the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparsmith {

enum class matlab_kind { sparse, full, other };
struct matlab_variable {
  std::string name;  // of a field of a struct with the struct's: "Problem.A"
  matlab_kind kind = matlab_kind::other;
  std::int64_t rows = 0, cols = 0;
  std::string what;  // of an other: "struct", "char"
};

// The position of the one that `wanted` names; where that is empty SuiteSparse's Problem.A, else the only
// sparse one, else the only full one that is no single number. Refuses with what there is.
std::size_t meant_variable(const std::string& path, const std::vector<matlab_variable>& variables,
                           const std::string& wanted);

}  // namespace sparsmith
