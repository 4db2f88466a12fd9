#include "convert/io/gzip.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "convert/error.hpp"

namespace sparsmith {
namespace {

constexpr int gzip_only = 16;                               // added to zlib's window bits
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits

class inflater {
 public:
  inflater(byte_reader compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)) {
    if (::inflateInit2(&stream_, MAX_WBITS + gzip_only) != Z_OK)
      throw error(failure::resources, name_ + ": out of memory");
  }
  inflater(const inflater&) = delete;
  ~inflater() { ::inflateEnd(&stream_); }

  std::size_t read(char* buffer, std::size_t size) {
    size = std::min(size, most_at_once);
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0 && !finished_) {
      if (stream_.avail_in == 0 && !refill()) {
        if (inside_member_) throw error(failure::input, name_ + ": truncated gzip input");
        finished_ = true;
        break;
      }
      if (!inside_member_) {
        // Another member may follow; zeros that pad the file are none.
        while (stream_.avail_in > 0 && members_ > 0 && *stream_.next_in == 0) {
          ++stream_.next_in;
          --stream_.avail_in;
        }
        if (stream_.avail_in == 0) continue;
        inside_member_ = true;
      }
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        ++members_;
        inside_member_ = false;
        ::inflateReset(&stream_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        const char* const why = stream_.msg != nullptr ? stream_.msg : "cannot be decompressed";
        throw error(failure::input, name_ + ": damaged gzip input: " + why);
      }
    }
    return size - stream_.avail_out;
  }

 private:
  bool refill() {
    const std::size_t got = compressed_(input_, sizeof input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_);
    stream_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  byte_reader compressed_;
  std::string name_;
  z_stream stream_{};
  char input_[1 << 16];
  bool inside_member_ = false, finished_ = false;
  int members_ = 0;
};

}  // namespace

byte_reader gunzip(byte_reader compressed, const std::string& name) {
  auto state = std::make_shared<inflater>(std::move(compressed), name);
  return [state](char* buffer, std::size_t size) { return state->read(buffer, size); };
}

gzip_writer::gzip_writer(byte_writer packed) : packed_(std::move(packed)), buffer_(1 << 18) {
  if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_only, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

gzip_writer::~gzip_writer() {
  ::deflateEnd(&stream_);
}

void gzip_writer::pack(int flush) {
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    ::deflate(&stream_, flush);
    packed_(buffer_.data(), buffer_.size() - stream_.avail_out);
  } while (stream_.avail_out == 0);
}

void gzip_writer::write(const char* bytes, std::size_t size) {
  while (size > 0) {
    const std::size_t part = std::min(size, most_at_once);
    // zlib reads only, its type does not say so
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
    stream_.avail_in = static_cast<uInt>(part);
    pack(Z_NO_FLUSH);
    bytes += part;
    size -= part;
  }
}

void gzip_writer::finish() {
  stream_.avail_in = 0;
  pack(Z_FINISH);
}

peeked_source peek(byte_reader source, std::size_t bytes) {
  std::string start(bytes, '\0');
  std::size_t size = 0;
  while (size < bytes) {
    const std::size_t got = source(start.data() + size, bytes - size);
    if (got == 0) break;
    size += got;
  }
  start.resize(size);
  return {start,
          [start, source = std::move(source), at = std::size_t{0}](char* buffer, std::size_t wanted) mutable {
            if (at == start.size()) return source(buffer, wanted);
            const std::size_t count = std::min(wanted, start.size() - at);
            std::memcpy(buffer, start.data() + at, count);
            at += count;
            return count;
          }};
}

}  // namespace sparsmith
