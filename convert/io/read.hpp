// Reads a matrix from whatever a user names: a file of any supported kind, `-`, or a generator. The kind is
// told by the file's first bytes, not by its name.
#pragma once

#include "convert/io/edges.hpp"

namespace sparsmith {

// With complex_values::pattern_only a file may hold complex values. Options that are about some kinds of
// files are refused with the others.
struct input_options {
  complex_values if_complex = complex_values::refuse;
  edge_options edges = {};    // lists of edges
  std::string variable = {};  // MATLAB, AnnData: which of the matrices in the file
};
matrix_entries read_matrix(const std::string& input, const progress_callback& progress = {},
                           const input_options& options = {});

}  // namespace sparsmith
