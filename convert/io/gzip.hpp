// Decompresses gzip with zlib, which checks the checksum and the length of every member; libarchive's own
// filter reads past a wrong one.
#pragma once

#include <string>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

// The text inside a stream of gzip members. `name` is for messages.
byte_reader gunzip(byte_reader compressed, const std::string& name);

// A reader that has been looked into: what was seen is delivered again.
struct peeked_source {
  std::string start;  // at most the bytes asked for, fewer where the source is shorter
  byte_reader read;   // from the very beginning
};
peeked_source peek(byte_reader source, std::size_t bytes);

}  // namespace sparsmith
