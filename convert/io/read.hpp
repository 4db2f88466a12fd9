// Reads a matrix from whatever a user names: a file of any supported kind, `-`, or a generator. The kind is
// told by the file's first bytes, not by its name.
#pragma once

#include "convert/io/edges.hpp"

namespace sparsmith {

// With complex_values::pattern_only Matrix Market, Rutherford-Boeing, npz and npy files may hold complex
// values.
struct input_options {
  complex_values if_complex = complex_values::refuse;
  edge_options edges = {};  // nothing to inputs of other kinds, which are refused where they are set
};
matrix_entries read_matrix(const std::string& input, const progress_callback& progress = {},
                           const input_options& options = {});

}  // namespace sparsmith
