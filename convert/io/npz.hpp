// SciPy's .npz: a zip archive of .npy arrays, as scipy.sparse.save_npz writes it and load_npz opens it.
#pragma once

#include <string>
#include <string_view>

#include "convert/io/entries.hpp"

namespace sparsmith {

// Whether a zip archive is an .npz: one with SciPy's array `format`, or with arrays and no Matrix Market
// file. One that cannot be read is refused where its name or that of its first member, which `start` (of its
// bytes) holds, says that it was meant to be an .npz, and else is none.
bool is_npz(const std::string& path, std::string_view start);

// Reads csr, csc, coo and bsr in any order of entries, duplicates included, and dia. Zeros inside the blocks
// of a bsr and on the diagonals of a dia are fill and no entries. Everything else that does not fit (offsets,
// indices, lengths, checksums) is refused.
matrix_entries read_npz(const std::string& path, complex_values if_complex = complex_values::refuse);

// Writes coo, csr, csc, bsr or dia; other formats are refused (failure::usage). Index arrays share one type,
// as SciPy wants it: that of the offsets. SciPy's bsr takes only shapes that the blocks divide, others are
// refused (failure::unsupported), and its dia has no rest; neither can tell a stored zero from fill.
template <class Offset, class Value>
void write_npz(const std::string& path, const any_format<Offset, Value, host>& matrix, bool compress = true);

}  // namespace sparsmith
