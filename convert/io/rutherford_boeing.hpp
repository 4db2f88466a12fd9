// Rutherford-Boeing files and the older Harwell-Boeing files: columns of fixed width, as Fortran writes them.
#pragma once

#include <string_view>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

// The three letters of a type, which are the ending of older files too: what values are (real, complex,
// integer, pattern, or in another file), what symmetry, and whether it is assembled.
bool is_matrix_type(std::string_view letters);

// Told by the first lines (archive_start_bytes of them): a type of three letters, and Fortran's formats
// below.
bool is_rutherford_boeing(std::string_view start);

matrix_entries read_rutherford_boeing(const text_source& source, const progress_callback& progress = {},
                                      complex_values if_complex = complex_values::refuse);

}  // namespace sparsmith
