// Gzip with zlib, which checks the checksum and the length of every member; libarchive's own filter reads
// past a wrong one.
#pragma once

#include <zlib.h>

#include <string>
#include <vector>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

// The text inside a stream of gzip members. `name` is for messages.
byte_reader gunzip(byte_reader compressed, const std::string& name);

// Takes the bytes of a stream, one run after the other.
using byte_writer = std::function<void(const char* bytes, std::size_t size)>;

// Packs a stream into one gzip member, which is complete only after finish(). The same text gives the same
// bytes.
class gzip_writer {
 public:
  explicit gzip_writer(byte_writer packed);
  ~gzip_writer();
  gzip_writer(const gzip_writer&) = delete;
  gzip_writer& operator=(const gzip_writer&) = delete;

  void write(const char* bytes, std::size_t size);
  void finish();

 private:
  void pack(int flush);

  byte_writer packed_;
  z_stream stream_{};
  std::vector<char> buffer_;
};

// A reader that has been looked into: what was seen is delivered again.
struct peeked_source {
  std::string start;  // at most the bytes asked for, fewer where the source is shorter
  byte_reader read;   // from the very beginning
};
peeked_source peek(byte_reader source, std::size_t bytes);

}  // namespace sparsmith
