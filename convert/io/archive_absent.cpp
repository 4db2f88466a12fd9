// Stands in for archive.cpp where libarchive was not found: plain and gzipped text can still be read.
#include "convert/error.hpp"
#include "convert/io/archive.hpp"

namespace sparsmith {

bool is_archive(const std::string&) {
  return false;
}

text_source open_archive(const std::string& path, const std::function<byte_reader()>&) {
  throw error(failure::unsupported, path + ": archives are not supported in this build (no libarchive)");
}

}  // namespace sparsmith
