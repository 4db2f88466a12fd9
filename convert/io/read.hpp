// Reads a matrix from whatever a user names: a file of any supported kind, `-`, or a generator. The kind is
// told by the file's first bytes, not by its name.
#pragma once

#include <string_view>

#include "convert/io/edges.hpp"

namespace sparsmith {

// What can be read, for messages and for --help; docs/spconv.md says the same at greater length.
inline constexpr std::string_view kinds_that_are_read =
    "Matrix Market, Rutherford-Boeing and Harwell-Boeing, lists of edges, graphs of DIMACS and METIS, "
    "PETSc's binary, SciPy's .npz, NumPy's .npy, MATLAB's .mat, Binsparse, AnnData's .h5ad and Sparsmith's "
    "own container";

// With complex_values::keep and pattern_only a file may hold complex values.
// Options that are about some kinds of files are refused with the others.
struct input_options {
  complex_values if_complex = complex_values::refuse;
  edge_options edges = {};    // lists of edges
  std::string variable = {};  // MATLAB, AnnData: which of the matrices in the file
};
matrix_entries read_matrix(const std::string& input, const progress_callback& progress = {},
                           const input_options& options = {});

}  // namespace sparsmith
