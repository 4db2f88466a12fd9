// MATLAB's MAT-files of Level 5, which its versions 5, 6 and 7 write; those of 7.3 are HDF5 files.
#pragma once

#include <string>
#include <string_view>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

// Also files of Level 4, so that reading them says why not.
bool is_matlab(std::string_view start);

// Reads one variable, `A`, or a field of a struct, `Problem.A`. Without a name: Problem.A, as SuiteSparse has
// it; else the only sparse matrix; else, where none is sparse, the only full one that is not a scalar.
matrix_entries read_matlab(const text_source& source, const std::string& variable = {},
                           const progress_callback& progress = {},
                           complex_values if_complex = complex_values::refuse);

}  // namespace sparsmith
