// Compressed text and archives through libarchive: .gz, .bz2, .xz, .zst as one stream, .tar.* and .zip
// (SuiteSparse's way of shipping a matrix) by picking the matrix among the members.
#pragma once

#include <memory>
#include <string>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

bool archives_supported();

// The text inside a compressed file or archive. In an archive that is the member whose name is its folder's
// or the archive's own, so that companions such as `name_b.mtx` are passed over; else the only .mtx there is.
text_source open_archive(const std::string& path);

// Standard input, compressed or not.
text_source open_standard_input();

}  // namespace sparsmith
