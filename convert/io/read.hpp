// Reads a matrix from whatever a user names: a file of any supported kind, `-`, or a generator. The kind is
// told by the file's first bytes, not by its name.
#pragma once

#include "convert/io/entries.hpp"

namespace sparsmith {

// With complex_values::pattern_only Matrix Market, Rutherford-Boeing and npz files may hold complex values.
matrix_entries read_matrix(const std::string& input, const progress_callback& progress = {},
                           complex_values if_complex = complex_values::refuse);

}  // namespace sparsmith
