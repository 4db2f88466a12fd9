// A header of 128 bytes, then elements: a type, a size and data that are filled up to 8 bytes. An array is an
// element with elements in it: flags, sizes, a name and numbers, or the fields of a struct; alone in the file
// it may be packed by zlib. Which matrix is meant is only known at the end: the best one so far is kept.
#include "convert/io/matlab.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "convert/io/bounds.hpp"
#include "convert/io/growing_array.hpp"

namespace sparsmith {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are swapped where they are big-endian");

constexpr std::size_t header_bytes = 128;
constexpr std::size_t buffer_bytes = 256u << 10;

bool is_level_5(std::string_view start) {
  using namespace std::string_view_literals;
  if (start.size() < header_bytes) return false;
  const std::string_view version_and_order = start.substr(header_bytes - 4, 4);
  return version_and_order == "\0\1IM"sv || version_and_order == "\1\0MI"sv;
}

// Level 4 begins with five numbers of four bytes (what numbers follow and how, rows, columns, whether they
// are complex, the length of the name) and a name that ends in a zero.
bool is_level_4(std::string_view start) {
  std::array<std::uint32_t, 5> head{};
  if (start.size() < sizeof head) return false;
  std::memcpy(head.data(), start.data(), sizeof head);
  // The thousands tell the byte order; the first digits of other files are out of any range then.
  if (head[0] > 4999)
    for (std::uint32_t& number : head) number = __builtin_bswap32(number);
  const std::uint32_t kind = head[0];
  const std::size_t length = head[4];
  if (kind > 4999 || kind / 100 % 10 != 0 || kind / 10 % 10 > 5 || kind % 10 > 2 || head[3] > 1 ||
      length < 2 || length > start.size() - sizeof head)
    return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const std::string_view name = start.substr(sizeof head, length - 1);
  return start[sizeof head + length - 1] == '\0' && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

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
std::uint64_t size_of(std::uint32_t type) {
  switch (type) {
    case of_int8:
    case of_uint8:
      return 1;
    case of_int16:
    case of_uint16:
      return 2;
    case of_int32:
    case of_uint32:
    case of_single:
      return 4;
    case of_double:
    case of_int64:
    case of_uint64:
      return 8;
    default:
      return 0;
  }
}

// What an array is to MATLAB; whole numbers are stored in fewer bytes than their class has.
enum array_class : std::uint32_t {
  struct_class = 2,
  sparse_class = 5,
  double_class = 6,
  single_class = 7,
  int8_class = 8,
  uint64_class = 15,
  opaque_class = 17
};
constexpr std::array<const char*, 18> class_names = {
    "nothing", "cell",  "struct", "object", "char",   "sparse", "double", "single",   "int8",
    "uint8",   "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function", "object"};

// Names of MATLAB are of letters, digits and underscores, and what is in a file may be anything.
std::string printable(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

std::string as_text(const std::vector<std::int64_t>& sizes) {
  return fmt::format("{}", fmt::join(sizes, " x "));
}

// The first few of several, for people.
class listing {
 public:
  void add(const std::string& one) {
    if (++count_ <= most) first_.push_back(one);
  }
  void add(const listing& others) {
    for (const std::string& one : others.first_) add(one);
    count_ += others.count_ - static_cast<std::int64_t>(others.first_.size());
  }
  std::string text() const {
    const auto more = count_ - static_cast<std::int64_t>(first_.size());
    return fmt::format("{}{}", fmt::join(first_, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
  std::int64_t count() const { return count_; }

 private:
  static constexpr std::int64_t most = 10;
  std::vector<std::string> first_;
  std::int64_t count_ = 0;
};

// The file from front to back, a buffer at a time.
class file_bytes {
 public:
  file_bytes(const text_source& source, const progress_callback& progress)
      : source_(source), progress_(progress), buffer_(buffer_bytes) {}

  // The next bytes, at most so many, until more are asked for; none at the end.
  std::string_view next(std::uint64_t most) {
    if (at_ == size_) {
      at_ = 0;
      size_ = source_.read(buffer_.data(), buffer_.size());
      done_ += static_cast<std::int64_t>(size_);
      if (progress_) progress_(done_, source_.total_bytes);
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, size_ - at_));
    at_ += count;
    return {buffer_.data() + at_ - count, count};
  }

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
  inflater(file_bytes& file, const std::string& name, std::uint64_t packed_bytes)
      : file_(file), name_(name), left_(packed_bytes) {
    if (::inflateInit(&stream_) != Z_OK) throw error(failure::resources, name_ + ": out of memory");
  }
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;
  ~inflater() { ::inflateEnd(&stream_); }

  // Fewer bytes than asked for at the end only.
  std::size_t read(char* to, std::size_t size) {
    if (!problem_.empty()) damaged(problem_);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0) refill();
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END)
        ended_ = true;
      else if (status == Z_MEM_ERROR)
        throw error(failure::resources, name_ + ": out of memory");
      else if (status != Z_OK && status != Z_BUF_ERROR)
        damaged(stream_.msg != nullptr ? stream_.msg : "it cannot be unpacked");
    }
    delivered_ += size - stream_.avail_out;
    return size - stream_.avail_out;
  }

  // Unpacks the rest, which ends with the checksum, and compares how much there was in all.
  void finish(std::uint64_t announced) {
    std::vector<char> rest(buffer_bytes);
    while (read(rest.data(), rest.size()) > 0) continue;
    if (delivered_ != announced)
      damaged(fmt::format("{} bytes are in it instead of {}", delivered_, announced));
    if (stream_.avail_in > 0 || left_ > 0) damaged("bytes follow behind its end");
  }

  // How many packed bytes were not fetched from the file.
  std::uint64_t left() const { return left_; }

 private:
  void refill() {
    if (left_ == 0) damaged("its end is missing");
    const std::string_view some = file_.next(left_);
    if (some.empty()) refuse_input(name_, "ends in a compressed variable");
    left_ -= some.size();
    // zlib reads only, its type does not say so
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(some.data()));
    stream_.avail_in = static_cast<uInt>(some.size());
  }
  [[noreturn]] void damaged(const std::string& what) {
    problem_ = what;
    refuse_input(name_, "a compressed variable is damaged: " + what);
  }

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

// What an array says before its content.
struct array_head {
  std::uint32_t kind = 0;
  bool logical = false, complex = false;
  std::vector<std::int64_t> sizes;
  std::string name;

  bool is_sparse() const { return kind == sparse_class; }
  bool is_full() const { return kind >= double_class && kind <= uint64_class; }
  bool is_matrix() const { return (is_sparse() || is_full()) && sizes.size() == 2; }
  bool has_single_element() const {
    return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n == 1; });
  }
  bool is_empty() const { return std::find(sizes.begin(), sizes.end(), 0) != sizes.end(); }
  std::string description() const {
    const std::string words = logical && is_full()        ? "logical"
                              : kind < class_names.size() ? class_names[kind]
                                                          : fmt::format("class {}", kind);
    return sizes.empty() ? words : words + " " + as_text(sizes);
  }
};

template <class Number>
std::int64_t index_from(Number number) {
  if constexpr (std::is_same_v<Number, std::uint64_t>)
    return static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX));
  else
    return static_cast<std::int64_t>(number);
}

// How much a matrix is worth where none is named; the least is the best.
enum class rank { chosen, sparse, full, by_name_only };

class reader {
 public:
  reader(const text_source& source, const std::string& variable, const progress_callback& progress,
         complex_values if_complex)
      : source_(source), variable_(variable), if_complex_(if_complex), file_(source, progress) {}

  matrix_entries read() {
    read_header();
    while (!done_ && next_variable()) continue;
    // What is around the file may have a checksum at its end.
    if (source_.total_bytes == 0)
      while (!file_.next(buffer_bytes).empty()) continue;
    if (kept_count_ != 1) refuse_choice();
    if (refusal_) throw *refusal_;
    if (variable_.empty() && (done_ || arrays_ > 1)) kept_.note = printable(kept_path_) + " was read";
    return std::move(kept_);
  }

 private:
  // ---- bytes ----

  std::size_t some(char* to, std::size_t size) {
    if (packed_) return packed_->read(to, size);
    const std::string_view got = file_.next(size);
    std::memcpy(to, got.data(), got.size());
    return got.size();
  }

  void take(extent& in, void* to, std::size_t size) {
    if (size > in.left) refuse("is too short for what is in it");
    in.left -= size;
    char* const begin = static_cast<char*>(to);
    for (std::size_t done = 0; done < size;) {
      const std::size_t got = some(begin + done, size - done);
      if (got == 0) refuse_end();
      done += got;
    }
  }

  void skip(extent& in, std::uint64_t size) {
    if (size > in.left) refuse("is too short for what is in it");
    in.left -= size;
    while (size > 0) {
      scratch_.resize(buffer_bytes);
      const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size, scratch_.size()));
      const std::size_t got = packed_ ? packed_->read(scratch_.data(), most) : file_.next(most).size();
      if (got == 0) refuse_end();
      size -= got;
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    refuse_input(source_.name, (path_.empty() ? "a variable" : printable(path_)) + " " + what);
  }
  [[noreturn]] void refuse_end() const {
    refuse_input(source_.name, "ends in " + (path_.empty() ? "the head of a variable" : printable(path_)));
  }

  template <class Number>
  void swap_if_needed(Number* numbers, std::size_t count) const {
    if (!swapped_ || sizeof(Number) == 1) return;
    for (std::size_t i = 0; i < count; ++i) {
      char* const bytes = reinterpret_cast<char*>(numbers + i);
      std::reverse(bytes, bytes + sizeof(Number));
    }
  }

  template <class Number>
  Number take_number(extent& in) {
    Number number;
    take(in, &number, sizeof number);
    swap_if_needed(&number, 1);
    return number;
  }

  // Of at most four bytes it is in the tag itself, whose upper half then has their number.
  element next_element(extent& in) {
    const auto first = take_number<std::uint32_t>(in);
    const std::uint32_t small_bytes = first >> 16;
    element found;
    if (small_bytes > 0) {
      if (small_bytes > 4) refuse(fmt::format("has an element of {} bytes in four", small_bytes));
      found = {first & 0xffff, small_bytes, 4 - small_bytes};
    } else {
      found = {first, take_number<std::uint32_t>(in), 0};
      found.padding = (8 - found.bytes % 8) % 8;
    }
    if (found.bytes > in.left) refuse("is too short for what is in it");
    found.padding = std::min(found.padding, in.left - found.bytes);  // there need be none at the very end
    return found;
  }

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

  std::string take_text(extent& in, const char* what) {
    const element e = next_element(in);
    if (e.type != of_int8 && e.type != of_uint8 && e.type != of_utf8)
      refuse(fmt::format("has {} of type {}, which is no text", what, e.type));
    std::string text;
    for (std::uint64_t left = e.bytes; left > 0;) {
      const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer_bytes));
      text.resize(text.size() + now);
      take(in, text.data() + text.size() - now, now);
      left -= now;
    }
    skip(in, e.padding);
    return text;
  }

  // ---- the file and its variables ----

  void read_header() {
    std::string start;
    while (start.size() < header_bytes) {
      const std::string_view got = file_.next(header_bytes - start.size());
      if (got.empty()) break;
      start += got;
    }
    if (start.starts_with("MATLAB 7.3"))
      refuse_input(source_.name, "is a MATLAB 7.3 file without the HDF5 file that it should be");
    if (!is_matlab(start)) refuse_input(source_.name, "does not begin as a MAT-file");
    if (!is_level_5(start))
      refuse_unsupported(source_.name, "is a MATLAB 4 file, which is not supported; save it with -v7");
    swapped_ = start[126] == 'M';
  }

  // Reads one; false at the end of the file.
  bool next_variable() {
    path_.clear();
    const std::string_view first = file_.next(1);
    if (first.empty()) return false;
    std::array<char, 8> bytes{first[0]};
    extent rest{7};
    take(rest, bytes.data() + 1, 7);
    std::array<std::uint32_t, 2> tag{};
    std::memcpy(tag.data(), bytes.data(), bytes.size());
    swap_if_needed(tag.data(), tag.size());
    if (tag[0] == packed) {
      read_packed(tag[1]);
    } else if (tag[0] == of_array) {
      extent content{tag[1]};
      read_array(content, 0);
      if (!done_) skip(content, content.left);
    } else {
      refuse_input(source_.name,
                   fmt::format("an element of type {} is where a variable should begin", tag[0]));
    }
    return true;
  }

  // Nothing of what is used is believed without its checksum, which has the last word where something is
  // wrong.
  void read_packed(std::uint64_t packed_bytes) {
    packed_.emplace(file_, source_.name, packed_bytes);
    used_ = false;
    extent tag{8};
    const auto type = take_number<std::uint32_t>(tag), bytes = take_number<std::uint32_t>(tag);
    if (type != of_array) refuse(fmt::format("is of type {}, which is no array", type));
    const std::uint64_t whole = std::uint64_t{bytes} + 8;
    try {
      extent content{bytes};
      read_array(content, 0);
    } catch (const error&) {
      packed_->finish(whole);
      throw;
    }
    if (used_) packed_->finish(whole);
    extent rest{packed_->left()};
    packed_.reset();
    skip(rest, rest.left);
  }

  array_head read_head(extent& in) {
    const element flags = next_element(in);
    if (flags.type != of_uint32 || flags.bytes != 8) refuse("does not begin with the flags of an array");
    const auto word = take_number<std::uint32_t>(in);
    skip(in, 4);  // how many entries a sparse matrix has room for
    array_head head;
    head.kind = word & 0xff;
    head.logical = (word >> 9 & 1) != 0;
    head.complex = (word >> 11 & 1) != 0;
    if (head.kind != opaque_class) {  // which have no sizes
      const element sizes = next_element(in);
      constexpr std::int64_t most_dimensions = 64;
      if ((sizes.type != of_int32 && sizes.type != of_uint32) || sizes.bytes % 4 != 0 || sizes.count() < 2 ||
          sizes.count() > most_dimensions)
        refuse("has no sizes that make sense");
      each_block(in, sizes, sizes.count(), [&](std::int64_t, const auto* numbers, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) head.sizes.push_back(index_from(numbers[i]));
      });
      for (const std::int64_t size : head.sizes)
        if (size < 0) refuse(fmt::format("has sizes below zero ({})", as_text(head.sizes)));
    }
    head.name = take_text(in, "a name");
    constexpr std::size_t longest_name = 4096;
    if (head.name.size() > longest_name) refuse("has a name that is far too long");
    return head;
  }

  // The rest of what is in it may stay unread. Fields are named by the struct that they are in.
  void read_array(extent& in, int depth) {
    const array_head head = read_head(in);
    // Without a name at the top are data of MATLAB's own, for what is no array.
    if (depth == 0 && head.name.empty()) return;
    if (depth == 0) path_ = head.name;
    constexpr int deepest = 16;
    if (head.kind == struct_class && head.has_single_element() && depth < deepest)
      return read_fields(in, depth);
    ++arrays_;
    const std::string told = fmt::format("{} ({})", printable(path_), head.description());
    if (!head.is_matrix()) return others_.add(told);
    (head.is_sparse() ? sparse_ : full_).add(told);
    if (is_better(head)) keep(head, in);
  }

  void read_fields(extent& in, int depth) {
    const std::string path = path_;
    const element size = next_element(in);
    if ((size.type != of_int32 && size.type != of_uint32) || size.bytes != 4)
      refuse("does not say how long the names of its fields are");
    const auto length = take_number<std::uint32_t>(in);
    skip(in, size.padding);
    const std::string names = take_text(in, "names of fields");
    if (names.empty()) return;
    if (length == 0 || names.size() % length != 0)
      refuse(fmt::format("has {} bytes of names that are {} bytes long", names.size(), length));
    for (std::size_t at = 0; at < names.size() && !done_; at += length) {
      const std::string_view name(names.data() + at, length);
      path_ = path + ".";
      path_ += name.substr(0, name.find('\0'));
      const auto type = take_number<std::uint32_t>(in);
      extent content{take_number<std::uint32_t>(in)};
      if (type != of_array) refuse(fmt::format("is of type {}, which is no array", type));
      if (content.left > in.left) refuse("is longer than the struct that it is in");
      in.left -= content.left;
      if (content.left == 0) continue;  // a field that was never set
      read_array(content, depth + 1);
      if (!done_) skip(content, content.left);
    }
    path_ = path;
  }

  // ---- the choice ----

  rank rank_of(const array_head& head) const {
    if (!variable_.empty()) return path_ == variable_ ? rank::chosen : rank::by_name_only;
    if (path_ == "Problem.A") return rank::chosen;
    if (head.is_sparse()) return rank::sparse;
    return head.has_single_element() || head.is_empty() ? rank::by_name_only : rank::full;
  }

  bool is_better(const array_head& head) {
    const rank found = rank_of(head);
    if (found == rank::by_name_only || found > best_) return false;
    kept_count_ = found < best_ ? 1 : kept_count_ + 1;
    kept_ = {};  // of several nobody wants the first
    refusal_.reset();
    best_ = found;
    return kept_count_ == 1;
  }

  // What is wrong with it is only said where nothing better follows.
  void keep(const array_head& head, extent& in) {
    used_ = true;
    kept_path_ = path_;
    try {
      if (head.complex && if_complex_ == complex_values::refuse)
        refuse_unsupported(source_.name, printable(path_) + " is complex, which is not supported yet");
      if (head.is_sparse())
        read_sparse(head, in);
      else
        read_full(head, in);
      if (in.left > 0) refuse(fmt::format("has {} bytes behind its values", in.left));
    } catch (const error& problem) {
      refusal_ = problem;
      kept_ = {};
    }
    done_ = best_ == rank::chosen;
  }

  [[noreturn]] void refuse_choice() const {
    if (kept_count_ > 1)
      refuse_input(source_.name, fmt::format("holds several matrices, name one with --variable: {}",
                                             (best_ == rank::sparse ? sparse_ : full_).text()));
    listing all = sparse_;
    all.add(full_);
    all.add(others_);
    const std::string held = all.count() == 0 ? "no variables" : all.text();
    refuse_input(source_.name, variable_.empty()
                                   ? fmt::format("holds no matrix, but {}", held)
                                   : fmt::format("holds no matrix {}, but {}", printable(variable_), held));
  }

  // ---- matrices ----

  element next_numbers(extent& in, const char* what, bool whole) {
    const element e = next_element(in);
    if (size_of(e.type) == 0 || (whole && (e.type == of_single || e.type == of_double)))
      refuse(fmt::format("has {} of type {}, which are no {}numbers", what, e.type, whole ? "whole " : ""));
    return e;
  }
  void require_whole(const element& e, const char* what) const {
    if (e.bytes % size_of(e.type) != 0)
      refuse(fmt::format("has {} in {} bytes, of which each has {}", what, e.bytes, size_of(e.type)));
  }

  // How many of them the size of the file bears out at once, where it is known; what is packed is often
  // several times as long.
  std::int64_t likely(const element& e, std::int64_t count) const {
    const std::int64_t bytes = source_.total_bytes * (packed_ ? 4 : 1);
    return std::min(count, bytes / static_cast<std::int64_t>(size_of(e.type)));
  }

  void note_type(const array_head& head, const element& values) {
    const bool whole = head.logical || (head.kind >= int8_class && head.kind <= uint64_class);
    kept_.field = head.complex ? "complex" : whole ? "integer" : "real";
    kept_.single_precision =
        kept_.field == "real" && (head.is_sparse() ? values.type == of_single : head.kind == single_class);
  }

  void read_shape(const array_head& head) {
    const std::string name = source_.name + ": " + printable(path_);
    kept_.entries.rows = checked_dimension(name, "rows", head.sizes[0]);
    kept_.entries.cols = checked_dimension(name, "columns", head.sizes[1]);
    kept_.origin = head.is_sparse() ? "MATLAB 5 sparse" : "MATLAB 5 full";
  }

  template <class Number>
  double value_of(Number number, bool logical) {
    return logical ? (number != 0 ? 1.0 : 0.0) : value_from(number, kept_.rounded_values);
  }

  void read_sparse(const array_head& head, extent& in) {
    read_shape(head);
    const std::string where = source_.name + ": " + printable(path_);
    const std::int32_t rows = kept_.entries.rows, cols = kept_.entries.cols;

    // There may be more rows than entries, and what the rest holds means nothing.
    const element ir = next_numbers(in, "rows", true);
    require_whole(ir, "rows");
    const std::int64_t room = ir.count();
    growing_array<std::int32_t> row_indices, col_indices;
    std::int64_t first_outside = room, outside = 0;
    row_indices.reserve(likely(ir, room));
    each_block(in, ir, room, [&](std::int64_t first, const auto* numbers, std::int64_t count) {
      row_indices.reserve(first + count);
      std::int32_t* const to = row_indices.data() + first;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = index_from(numbers[i]);
        if ((row < 0 || row >= rows) && first_outside == room) {
          first_outside = first + i;
          outside = row;
        }
        to[i] = static_cast<std::int32_t>(row);
      }
    });

    const element jc = next_numbers(in, "starts of columns", true);
    require_whole(jc, "starts of columns");
    refuse_if(where, check_length("jc", jc.count(), std::int64_t{cols} + 1, "one more than columns"));
    std::int64_t entries = 0;
    col_indices.reserve(row_indices.capacity());
    each_block(in, jc, jc.count(), [&](std::int64_t first, const auto* numbers, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t col = first + i - 1, end = index_from(numbers[i]);
        if (col < 0 && end != 0) refuse_input(where, fmt::format("jc[0] = {} instead of 0", end));
        if (end < entries)
          refuse_input(where, fmt::format("jc falls at {}, from {} to {}", col + 1, entries, end));
        if (end > room)
          refuse_input(where, fmt::format("jc[{}] = {}, and ir has {} elements", col + 1, end, room));
        if (end > first_outside) refuse_input(where, check_index("ir", first_outside, outside, rows));
        // SciPy writes entries of one place as they are, one behind the other.
        const std::int32_t *const from = row_indices.data() + entries, *const to = row_indices.data() + end;
        if (const auto falls = std::is_sorted_until(from, to); falls != to)
          refuse_input(where,
                       fmt::format("ir falls at {}, within column {}", falls - row_indices.data(), col));
        std::fill(col_indices.data() + entries, col_indices.data() + end, static_cast<std::int32_t>(col));
        entries = end;
      }
    });

    element values = next_numbers(in, "values", false);
    // MATLAB writes logical ones as bytes and calls them doubles.
    if (head.logical && values.bytes == static_cast<std::uint64_t>(entries)) values.type = of_uint8;
    require_values(values, entries);
    note_type(head, values);
    growing_array<double> to;
    to.reserve(likely(values, entries));
    each_block(in, values, entries, [&](std::int64_t first, const auto* numbers, std::int64_t count) {
      to.reserve(first + count);
      double* const next = to.data() + first;
      for (std::int64_t i = 0; i < count; ++i)
        next[i] = head.complex ? 1.0 : value_of(numbers[i], head.logical);
    });
    if (head.complex) {
      const element imaginary = next_numbers(in, "imaginary values", false);
      require_values(imaginary, entries);
      skip(in, imaginary.bytes + imaginary.padding);
    }
    kept_.entries.row_indices = row_indices.take(entries);
    kept_.entries.col_indices = col_indices.take(entries);
    kept_.entries.values = to.take(entries);
  }

  void require_values(const element& values, std::int64_t entries) const {
    require_whole(values, "values");
    if (values.count() < entries)
      refuse(fmt::format("has {} values for {} entries", values.count(), entries));
  }

  void read_full(const array_head& head, extent& in) {
    read_shape(head);
    const auto elements = checked_product(head.sizes[0], head.sizes[1]);
    if (!elements) refuse(fmt::format("is {}: {}", as_text(head.sizes), sizes_too_large));
    const auto next_values = [&](const char* what) {
      const element e = next_numbers(in, what, false);
      require_whole(e, what);
      if (e.count() != *elements)
        refuse(fmt::format("has {} {} instead of {} ({})", e.count(), what, *elements, as_text(head.sizes)));
      return e;
    };
    const element values = next_values("values");
    note_type(head, values);
    growing_array<std::int32_t> row_indices, col_indices;
    growing_array<double> to;
    std::int64_t stored = 0;
    std::int32_t row = 0, col = 0;
    const auto make_room = [&](std::int64_t most) {
      row_indices.reserve(stored + most);
      col_indices.reserve(stored + most);
      to.reserve(stored + most);
    };
    const auto put = [&](double value) {
      if (value != 0) {
        row_indices.data()[stored] = row;
        col_indices.data()[stored] = col;
        to.data()[stored++] = value;
      } else {
        ++kept_.array_zeros;
      }
      if (++row == kept_.entries.rows) {
        row = 0;
        ++col;
      }
    };
    if (head.complex) {
      growing_array<char> is_entry;  // by its real part; all of those come first
      each_block(in, values, *elements, [&](std::int64_t first, const auto* numbers, std::int64_t count) {
        is_entry.reserve(first + count);
        for (std::int64_t i = 0; i < count; ++i) is_entry.data()[first + i] = numbers[i] != 0;
      });
      each_block(in, next_values("imaginary values"), *elements,
                 [&](std::int64_t first, const auto* numbers, std::int64_t count) {
                   make_room(count);
                   for (std::int64_t i = 0; i < count; ++i)
                     put(is_entry.data()[first + i] != 0 || numbers[i] != 0 ? 1.0 : 0.0);
                 });
    } else {
      each_block(in, values, *elements, [&](std::int64_t, const auto* numbers, std::int64_t count) {
        make_room(count);
        for (std::int64_t i = 0; i < count; ++i) put(value_of(numbers[i], head.logical));
      });
    }
    kept_.entries.row_indices = row_indices.take(stored);
    kept_.entries.col_indices = col_indices.take(stored);
    kept_.entries.values = to.take(stored);
  }

  const text_source& source_;
  const std::string variable_;
  complex_values if_complex_;
  file_bytes file_;
  std::optional<inflater> packed_;  // where the bytes come from while a compressed variable is read
  std::vector<char> scratch_;
  bool swapped_ = false;

  std::string path_;   // of the array that is being read
  bool used_ = false;  // whether what is kept comes from this variable, or could have
  bool done_ = false;  // nothing that follows can change what is read
  std::int64_t arrays_ = 0;
  listing sparse_, full_, others_;

  rank best_ = rank::by_name_only;
  std::int64_t kept_count_ = 0;  // of that rank
  std::string kept_path_;
  matrix_entries kept_;
  std::optional<error> refusal_;  // of what is kept
};

}  // namespace

bool is_matlab(std::string_view start) {
  return is_level_5(start) || is_level_4(start);
}

matrix_entries read_matlab(const text_source& source, const std::string& variable,
                           const progress_callback& progress, complex_values if_complex) {
  return reader(source, variable, progress, if_complex).read();
}

}  // namespace sparsmith
