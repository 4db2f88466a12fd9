// Matrices in HDF5 files: our own container (.h5), which keeps any format bit for bit under checksums and is
// described in docs/container.md, and Binsparse 0.1 (.bsp.h5), which other programs read and write.
#pragma once

#include <string>

#include "convert/io/entries.hpp"

namespace sparsmith {

// Our container. `offset_bits` (32 or 64) is kept for formats without offsets of their own, so that reading
// gives back the type that was in use.
template <class Format>
void write_container(const std::string& path, const Format& f, int offset_bits);

// Checks version, checksums, types and lengths. What the arrays mean (offsets that rise, indices in range) is
// for `validate` to judge.
stored_matrix read_container(const std::string& path);

// Binsparse: coo (sorted by row and column, as COOR), csr or csc in host memory.
template <class Format>
void write_binsparse(const std::string& path, const Format& f);

// Reads CSR, CSC, DCSR, DCSC, COO, COOR and COOC, from the root of the file or else from the first group
// below it that says it is Binsparse.
matrix_entries read_binsparse(const std::string& path);

// Whether the file can be opened and says it is Binsparse.
bool is_binsparse(const std::string& path);

}  // namespace sparsmith
