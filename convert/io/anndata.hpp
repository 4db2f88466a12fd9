// AnnData's .h5ad: the matrix X of cells by genes, or another that the file holds.
#pragma once

#include <string>

#include "convert/io/entries.hpp"

namespace sparsmith {

// Whether the file can be opened and says it is AnnData, or has what all of its versions have.
bool is_anndata(const std::string& path);

// `variable` is the place of the matrix in the file: "layers/counts", "obsp/distances"; X where it is empty.
matrix_entries read_anndata(const std::string& path, const std::string& variable = {},
                            complex_values if_complex = complex_values::refuse);

}  // namespace sparsmith
