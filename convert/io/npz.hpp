// SciPy's .npz: a zip archive of .npy arrays, as scipy.sparse.save_npz writes it and load_npz opens it.
#pragma once

#include <string>

#include "convert/io/entries.hpp"

namespace sparsmith {

// Reads csr, csc, coo and bsr in any order of entries, duplicates included. Zeros inside the blocks of a bsr
// are fill and no entries. Everything else that does not fit (offsets, indices, lengths, checksums) is
// refused.
matrix_entries read_npz(const std::string& path, complex_values if_complex = complex_values::refuse);

// Writes coo, csr, csc or bsr in host memory. Index arrays share one type, as SciPy wants it: that of the
// offsets. SciPy's bsr takes only shapes that the blocks divide, and cannot tell a stored zero from fill.
template <class Format>
void write_npz(const std::string& path, const Format& f, bool compress = true);

}  // namespace sparsmith
