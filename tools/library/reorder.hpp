// Rows and columns in another order: what may make another format fast, or the same one faster.
#pragma once

#include "tools/library/matrix.hpp"

namespace sparsmith {

// The matrix in CSR with its rows, and where `columns_alike` its columns too, in this order: at each place
// what comes there, as it was numbered before. Row i of it is row rows[i] of what it was made of; vectors
// have to be in the same order: x and y where columns are alike, else what has as many values as there are
// rows.
struct reordered {
  matrix made;
  std::vector<std::int32_t> rows;
  bool columns_alike = false;
};

// "rcm" (reverse Cuthill-McKee: entries near the diagonal) and "amd" (approximate minimum degree: little fill
// in factors), both for square matrices, and "length" (rows alone, the longest first). The work is done on
// the CPU; the matrix is where it was.
reordered reorder(const matrix& a, const std::string& how);

}  // namespace sparsmith
