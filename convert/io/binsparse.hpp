// Binsparse 0.1 (.bsp.h5): matrices in HDF5 files that other programs read and write.
#pragma once

#include <string>

#include "convert/io/entries.hpp"

namespace sparsmith {

// Writes coo (sorted by row and column, as COOR), csr or csc; other formats are refused (failure::usage).
template <class Offset, class Value>
void write_binsparse(const std::string& path, const any_format<Offset, Value, host>& matrix);

// Reads CSR, CSC, DCSR, DCSC, COO, COOR and COOC, from the root of the file or else from the first group
// below it that says it is Binsparse.
matrix_entries read_binsparse(const std::string& path, complex_values if_complex = complex_values::refuse);

// Whether the file can be opened and says it is Binsparse.
bool is_binsparse(const std::string& path);

}  // namespace sparsmith
