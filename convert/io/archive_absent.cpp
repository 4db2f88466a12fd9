// Stands in for archive.cpp where libarchive was not found. Plain and gzipped text needs no libarchive.
#include <fmt/format.h>

#include "convert/error.hpp"
#include "convert/io/archive.hpp"
#include "convert/io/gzip.hpp"

namespace sparsmith {

archived_text open_archive(const std::string& path, const std::function<byte_reader()>& open) {
  const std::string start = peek(open(), archive_start_bytes).start;
  throw error(failure::unsupported, fmt::format("{}: this build reads no {}: it was built without libarchive",
                                                path, archive_kind(start)));
}

}  // namespace sparsmith
