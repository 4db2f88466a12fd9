// Reads a matrix from whatever a user names: a file of any supported kind, `-`, or a generator. The kind is
// told by the file's first bytes, not by its name.
#pragma once

#include "convert/io/entries.hpp"

namespace sparsmith {

matrix_entries read_matrix(const std::string& input, const progress_callback& progress = {});

}  // namespace sparsmith
