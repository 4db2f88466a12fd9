// Archives and the compressions that gzip.hpp does not cover, through libarchive: .bz2, .xz, .zst as one
// stream, .tar and .zip (SuiteSparse's way of shipping a matrix) by picking the matrix among the members.
// Where libarchive was not found they are still recognised, and refused.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

// How many bytes of a file tell whether it is an archive: a tar says so at byte 257.
constexpr std::size_t archive_start_bytes = 512;

// What libarchive is needed for, by its usual extension (".xz"); empty where it is not.
std::string_view archive_kind(std::string_view start);

struct archived_text {
  text_source text;
  // To be asked once the text was read: what to tell about members that were not. Throws failure::input where
  // one of them could have been meant as well.
  std::function<std::string()> note = [] { return std::string(); };
};

// The text inside. In an archive that is the member named like its folder or like the archive itself; else
// the only matrix. What SuiteSparse ships beside a matrix (`name_b.mtx`) does not count. `open` starts the
// input from its beginning; it is called twice where the members have to be looked at first.
archived_text open_archive(const std::string& path, const std::function<byte_reader()>& open);

}  // namespace sparsmith
