#include "convert/io/matlab_elements.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "convert/io/bounds.hpp"
#include "convert/io/matlab_variables.hpp"

namespace sparsmith::matlab {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are swapped where they are big-endian");

constexpr std::size_t header_bytes = 128;

}  // namespace

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

std::string_view file_bytes::next(std::uint64_t most) {
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

inflater::inflater(file_bytes& file, const std::string& name, std::uint64_t packed_bytes)
    : file_(file), name_(name), left_(packed_bytes) {
  if (::inflateInit(&stream_) != Z_OK) throw error(failure::resources, name_ + ": out of memory");
}

inflater::~inflater() {
  ::inflateEnd(&stream_);
}

std::size_t inflater::read(char* to, std::size_t size) {
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
      problem_ = stream_.msg != nullptr ? stream_.msg : "it cannot be unpacked";
    // How far zlib looks ahead of what it was asked for depends on how the bytes came.
    if (!problem_.empty() && stream_.avail_out > 0) damaged(problem_);
  }
  delivered_ += size - stream_.avail_out;
  return size - stream_.avail_out;
}

void inflater::finish(std::uint64_t announced) {
  std::vector<char> rest(buffer_bytes);
  while (read(rest.data(), rest.size()) > 0) continue;
  if (delivered_ != announced)
    damaged(fmt::format("{} bytes are in it instead of {}", delivered_, announced));
  if (stream_.avail_in > 0 || left_ > 0) damaged("bytes follow behind its end");
}

void inflater::refill() {
  if (left_ == 0) damaged("its end is missing");
  const std::string_view some = file_.next(left_);
  if (some.empty()) refuse_input(name_, "ends in a compressed variable");
  left_ -= some.size();
  // zlib reads only, its type does not say so
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(some.data()));
  stream_.avail_in = static_cast<uInt>(some.size());
}
void inflater::damaged(const std::string& what) {
  problem_ = what;
  refuse_input(name_, "a compressed variable is damaged: " + what);
}

element_reader::element_reader(const text_source& source, const progress_callback& progress)
    : source_(source), file_(source, progress) {
  std::string start;
  while (start.size() < header_bytes) {
    const std::string_view got = file_.next(header_bytes - start.size());
    if (got.empty()) break;
    start += got;
  }
  if (start.starts_with("MATLAB 7.3"))
    refuse_input(source_.name, "is a MATLAB 7.3 file without the HDF5 file that it should be");
  if (is_level_4(start))
    refuse_unsupported(source_.name, "is a MATLAB 4 file, which is not supported; save it with -v7");
  if (!is_level_5(start)) refuse_input(source_.name, "does not begin as a MAT-file");
  swapped_ = start[126] == 'M';
}

std::optional<element> element_reader::next_variable() {
  path_.clear();
  const std::string_view first = file_.next(1);
  if (first.empty()) return std::nullopt;
  std::array<char, 8> bytes{first[0]};
  extent rest{7};
  take(rest, bytes.data() + 1, 7);
  std::array<std::uint32_t, 2> tag{};
  std::memcpy(tag.data(), bytes.data(), bytes.size());
  swap_if_needed(tag.data(), tag.size());
  return element{tag[0], tag[1], 0};
}

void element_reader::pass_packed() {
  extent rest{packed_->left()};
  packed_.reset();
  skip(rest, rest.left);
}

void element_reader::drain() {
  while (!file_.next(buffer_bytes).empty()) continue;
}

std::size_t element_reader::some(char* to, std::size_t size) {
  if (packed_) return packed_->read(to, size);
  const std::string_view got = file_.next(size);
  std::memcpy(to, got.data(), got.size());
  return got.size();
}

void element_reader::take(extent& in, void* to, std::size_t size) {
  if (size > in.left) refuse("is too short for what is in it");
  in.left -= size;
  char* const begin = static_cast<char*>(to);
  for (std::size_t done = 0; done < size;) {
    const std::size_t got = some(begin + done, size - done);
    if (got == 0) refuse_end();
    done += got;
  }
}

void element_reader::skip(extent& in, std::uint64_t size) {
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

void element_reader::refuse(const std::string& what) const {
  refuse_input(source_.name, (path_.empty() ? "a variable" : printable_name(path_)) + " " + what);
}
void element_reader::refuse_end() const {
  refuse_input(source_.name, "ends in " + (path_.empty() ? "the head of a variable" : printable_name(path_)));
}

// Of at most four bytes it is in the tag itself, whose upper half then has their number.
element element_reader::next_element(extent& in) {
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

std::string element_reader::take_text(extent& in, const char* what, std::uint64_t longest) {
  const element e = next_element(in);
  if (e.type != of_int8 && e.type != of_uint8 && e.type != of_utf8)
    refuse(fmt::format("has {} of type {}, which is no text", what, e.type));
  if (e.bytes > longest) refuse(fmt::format("has {} of {} bytes, which are far too many", what, e.bytes));
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

}  // namespace sparsmith::matlab
