// Just enough of the zip format for .npz files, and to tell them from others: members stored or deflated, one
// disk, zip64, no encryption. The reader believes no size before it has compared it with the file, and hands
// out a member only together with its checksum; the writer streams, so that an array is never held twice.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sparsmith {

struct zip_member {
  std::string name;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header_position = 0;
};

class zip_reader {
 public:
  explicit zip_reader(std::string path);
  ~zip_reader();
  zip_reader(const zip_reader&) = delete;
  zip_reader& operator=(const zip_reader&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<zip_member>& members() const { return members_; }
  // Null where there is none; one of several is not chosen, but refused.
  const zip_member* find(std::string_view name) const;

 private:
  friend class zip_stream;
  void read_at(std::uint64_t position, void* to, std::size_t bytes) const;
  void read_directory(std::uint64_t position, std::uint64_t bytes, std::uint64_t count);
  void require_apart() const;

  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t directory_position_ = 0;
  std::vector<zip_member> members_;
};

// The name of the member that an archive starts with; empty where it starts with none.
std::string_view first_zip_name(std::string_view start);

// One member, read once from front to back.
class zip_stream {
 public:
  zip_stream(const zip_reader& archive, const zip_member& member);
  ~zip_stream();
  zip_stream(const zip_stream&) = delete;
  zip_stream& operator=(const zip_stream&) = delete;

  std::uint64_t remaining() const { return member_.bytes - delivered_; }
  // Fills all of `to`, or throws where the member is damaged or shorter.
  void read(void* to, std::size_t bytes);
  // Reads what is left and throws unless size and checksum are what the archive says.
  void finish();

 private:
  std::size_t refill();
  [[noreturn]] void damaged(const std::string& what) const;

  const zip_reader& archive_;
  zip_member member_;
  std::uint64_t position_ = 0;     // in the file, of the next packed byte
  std::uint64_t packed_left_ = 0;  // not yet fetched from the file
  std::uint64_t delivered_ = 0;
  std::uint32_t crc_ = 0;
  std::vector<unsigned char> packed_;
  z_stream inflater_{};
};

class zip_writer {
 public:
  // Members, offsets and directories from `zip64_from` on take the 64-bit fields; only tests lower it.
  explicit zip_writer(std::string path, std::uint64_t zip64_from = 0xffffffffu);
  ~zip_writer();
  zip_writer(const zip_writer&) = delete;
  zip_writer& operator=(const zip_writer&) = delete;

  // A member of exactly `bytes` bytes, which any number of write() calls then deliver.
  void begin(const std::string& name, std::uint64_t bytes, bool compress);
  void write(const void* data, std::size_t bytes);
  void end();
  // Writes the directory. Only after it is the file an archive.
  void close();

 private:
  struct entry : zip_member {
    bool wide = false;  // the local header has 64-bit sizes
  };
  void put(const void* data, std::size_t bytes);
  void put(const std::vector<unsigned char>& bytes) { put(bytes.data(), bytes.size()); }
  void deflate_input(int flush);
  std::vector<unsigned char> local_header(const entry& e) const;
  [[noreturn]] void failed() const;

  std::string path_;
  std::uint64_t zip64_from_;
  std::FILE* file_ = nullptr;
  std::uint64_t position_ = 0;
  std::uint64_t delivered_ = 0;
  bool deflating_ = false;
  z_stream deflater_{};
  std::vector<unsigned char> packed_;
  std::vector<entry> entries_;
};

}  // namespace sparsmith
