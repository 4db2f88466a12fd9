// What MAT-files of Level 5 are made of: after a header of 128 bytes elements, each a type, a size and data
// that are filled up to 8 bytes. Variables are elements with elements in them, and may be packed by zlib as a
// whole.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "convert/io/matrix_market.hpp"

namespace sparsmith::matlab {

bool is_level_5(std::string_view start);
bool is_level_4(std::string_view start);

// How elements are stored.
enum stored_type : std::uint32_t {
  of_int8 = 1,
  of_uint8 = 2,
  of_int16 = 3,
  of_uint16 = 4,
  of_int32 = 5,
  of_uint32 = 6,
  of_single = 7,
  of_double = 9,
  of_int64 = 12,
  of_uint64 = 13,
  of_array = 14,
  packed = 15,
  of_utf8 = 16
};

// Bytes of a number; 0 where it is none.
std::uint64_t size_of(std::uint32_t type);

constexpr std::size_t buffer_bytes = 256u << 10;

// The file from front to back, a buffer at a time.
class file_bytes {
 public:
  file_bytes(const text_source& source, const progress_callback& progress)
      : source_(source), progress_(progress), buffer_(buffer_bytes) {}

  // The next bytes, at most so many, until more are asked for; none at the end.
  std::string_view next(std::uint64_t most);

 private:
  const text_source& source_;
  const progress_callback& progress_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, size_ = 0;
  std::int64_t done_ = 0;
};

// What is packed in so many bytes of the file.
class inflater {
 public:
  inflater(file_bytes& file, const std::string& name, std::uint64_t packed_bytes);
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;
  ~inflater();

  // Fewer bytes than asked for at the end only.
  std::size_t read(char* to, std::size_t size);
  // Unpacks the rest, which ends with the checksum, and compares how much there was in all.
  void finish(std::uint64_t announced);
  // How many packed bytes were not fetched from the file.
  std::uint64_t left() const { return left_; }

 private:
  void refill();
  [[noreturn]] void damaged(const std::string& what);

  file_bytes& file_;
  const std::string& name_;
  std::uint64_t left_;
  z_stream stream_{};
  bool ended_ = false;
  std::string problem_;  // said again to everybody who asks for more
  std::uint64_t delivered_ = 0;
};

// How much is left of an element that has others in it.
struct extent {
  std::uint64_t left = 0;
};

// What an element says of itself.
struct element {
  std::uint32_t type = 0;
  std::uint64_t bytes = 0, padding = 0;

  std::int64_t count() const { return static_cast<std::int64_t>(bytes / size_of(type)); }
};

// What is too large for 64 bits with a sign becomes the largest there is, which no check lets pass.
template <class Number>
std::int64_t index_from(Number number) {
  if constexpr (std::is_same_v<Number, std::uint64_t>)
    return static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX));
  else
    return static_cast<std::int64_t>(number);
}

// Elements from front to back, and what is wrong with them.
class element_reader {
 public:
  // Reads the header.
  element_reader(const text_source& source, const progress_callback& progress);

  // What is read now, for messages: a variable, or a field of one.
  void set_path(std::string path) { path_ = std::move(path); }
  const std::string& path() const { return path_; }
  [[noreturn]] void refuse(const std::string& what) const;

  // The tag of the next variable; nothing at the end of the file.
  std::optional<element> next_variable();
  // Until pass_packed(), which leaves alone what was not asked for, all bytes come from what is packed in
  // so many bytes.
  void unpack(std::uint64_t packed_bytes) { packed_.emplace(file_, source_.name, packed_bytes); }
  void check_packed(std::uint64_t announced) { packed_->finish(announced); }
  void pass_packed();
  // Reads to the end, where what is around the file may have a checksum.
  void drain();

  void take(extent& in, void* to, std::size_t size);
  void skip(extent& in, std::uint64_t size);
  template <class Number>
  Number take_number(extent& in) {
    Number number;
    take(in, &number, sizeof number);
    swap_if_needed(&number, 1);
    return number;
  }
  element next_element(extent& in);
  std::string take_text(extent& in, const char* what, std::uint64_t longest);

  // use(position, numbers, count) for the first so many numbers of an element, a buffer of them at a time.
  template <class Use>
  void each_block(extent& in, const element& e, std::int64_t count, const Use& use) {
    switch (e.type) {
      case of_int8:
        return each_block_of<std::int8_t>(in, e, count, use);
      case of_uint8:
        return each_block_of<std::uint8_t>(in, e, count, use);
      case of_int16:
        return each_block_of<std::int16_t>(in, e, count, use);
      case of_uint16:
        return each_block_of<std::uint16_t>(in, e, count, use);
      case of_int32:
        return each_block_of<std::int32_t>(in, e, count, use);
      case of_uint32:
        return each_block_of<std::uint32_t>(in, e, count, use);
      case of_single:
        return each_block_of<float>(in, e, count, use);
      case of_double:
        return each_block_of<double>(in, e, count, use);
      case of_int64:
        return each_block_of<std::int64_t>(in, e, count, use);
      default:
        return each_block_of<std::uint64_t>(in, e, count, use);
    }
  }

  // How many of them the size of the file bears out at once, where it is known; what is packed is often
  // several times as long.
  std::int64_t likely(const element& e, std::int64_t count) const {
    const std::int64_t elements = source_.total_bytes / static_cast<std::int64_t>(size_of(e.type));
    constexpr std::int64_t expansion = 4;  // of what is packed
    return packed_ && elements < count / expansion ? elements * expansion : std::min(count, elements);
  }

 private:
  template <class Number>
  void swap_if_needed(Number* numbers, std::size_t count) const {
    if (!swapped_ || sizeof(Number) == 1) return;
    for (std::size_t i = 0; i < count; ++i) {
      char* const bytes = reinterpret_cast<char*>(numbers + i);
      std::reverse(bytes, bytes + sizeof(Number));
    }
  }

  template <class Number, class Use>
  void each_block_of(extent& in, const element& e, std::int64_t count, const Use& use) {
    constexpr std::int64_t most = std::int64_t{buffer_bytes} / std::int64_t{sizeof(Number)};
    std::vector<Number> block(static_cast<std::size_t>(std::min(count, most)));
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t now = std::min(count - done, most);
      take(in, block.data(), static_cast<std::size_t>(now) * sizeof(Number));
      swap_if_needed(block.data(), static_cast<std::size_t>(now));
      use(done, block.data(), now);
      done += now;
    }
    skip(in, e.bytes - static_cast<std::uint64_t>(count) * sizeof(Number) + e.padding);
  }

  std::size_t some(char* to, std::size_t size);
  [[noreturn]] void refuse_end() const;

  const text_source& source_;
  file_bytes file_;
  std::optional<inflater> packed_;
  std::vector<char> scratch_;
  bool swapped_ = false;
  std::string path_;
};

}  // namespace sparsmith::matlab
