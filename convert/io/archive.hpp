// Archives and the compressions that gzip.hpp does not cover, through libarchive: .bz2, .xz, .zst as one
// stream, .tar and .zip (SuiteSparse's way of shipping a matrix) by picking the matrix among the members.
#pragma once

#include <functional>
#include <string>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

// Whether these are the first bytes (512 of them) of something libarchive is needed for.
bool is_archive(const std::string& start);

// The text inside. In an archive that is the member named like its folder or like the archive itself; else
// the only .mtx that is no companion such as `name_b.mtx`. `open` starts the input from its beginning; it is
// called twice where the members have to be looked at first.
text_source open_archive(const std::string& path, const std::function<byte_reader()>& open);

}  // namespace sparsmith
