// Our own container (.h5): any format bit for bit in an HDF5 file, under checksums; docs/container.md
// describes it.
#pragma once

#include <string>

#include "convert/io/entries.hpp"

namespace sparsmith {

// The width of offsets is kept also for formats without offsets of their own, so that reading gives back the
// types that were in use.
template <class Offset, class Value>
void write_container(const std::string& path, const any_format<Offset, Value, host>& matrix);

// Checks version, checksums, types and lengths. What the arrays mean (offsets that rise, indices in range) is
// for `find_invalid` to judge.
stored_matrix read_container(const std::string& path);

}  // namespace sparsmith
