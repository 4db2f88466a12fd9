// MATLAB's MAT-files of version 7.3, which are HDF5 behind 512 bytes of MATLAB's own.
#pragma once

#include <string>
#include <string_view>

#include "convert/io/entries.hpp"

namespace sparsmith {

bool is_matlab_hdf5(std::string_view start);

// `variable` names one of several: "A", or "Problem.A" where Problem is a struct (matlab_variables.hpp).
matrix_entries read_matlab_hdf5(const std::string& path, const std::string& variable = {},
                                complex_values if_complex = complex_values::refuse);

}  // namespace sparsmith
