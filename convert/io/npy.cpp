// The head of an .npy is a Python dictionary in text form, of which only the three keys that NumPy writes are
// understood; behind it lie the elements, row by row or column by column.
#include "convert/io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <type_traits>
#include <utility>

#include "convert/io/bounds.hpp"
#include "convert/io/growing_array.hpp"

namespace sparsmith {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are swapped where they are big-endian");

constexpr std::string_view signature = "\x93NUMPY";

// What a NumPy type string such as "<f8" means, in NumPy's own words.
std::string type_name(const std::string& descr) {
  if (descr.size() < 2) return "'" + descr + "'";
  const std::string bits = [&] {
    const std::string digits = descr.substr(2);
    const bool number =
        !digits.empty() && digits.size() < 4 &&
        std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return number ? std::to_string(8 * std::stoi(digits)) : digits;
  }();
  switch (descr[1]) {
    case 'b':
      return "bool";
    case 'i':
      return "int" + bits;
    case 'u':
      return "uint" + bits;
    case 'f':
      return bits == "128" || bits == "96" ? "longdouble" : "float" + bits;
    case 'c':
      return "complex" + bits;
    case 'O':
      return "object";
    case 'S':
      return "bytes";
    case 'U':
      return "str";
    default:
      return "'" + descr + "'";
  }
}

// The dictionary at the head of an .npy file: {'descr': '<i4', 'fortran_order': False, 'shape': (3,), }
class header_parser {
 public:
  // `subject` is what messages call the array.
  header_parser(const std::string& path, const std::string& subject, const std::string& text)
      : path_(path), subject_(subject), text_(text) {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          refuse_unsupported(path_, subject_ + " holds structured values, which are not supported");
        descr = quoted();
      } else if (key == "fortran_order") {
        const std::string value = word();
        if (value != "True" && value != "False") broken();
        has_order_ = true;
        fortran_order = value == "True";
      } else if (key == "shape") {
        shape_of();
      } else {
        broken();
      }
      if (!accept(',') && peek() != '}') broken();
    }
    if (descr.empty() || !has_order_ || !has_shape_ || peek() != '\0') broken();
  }

  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;

 private:
  [[noreturn]] void broken() const { refuse_input(path_, subject_ + " has a broken .npy header"); }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) broken();
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') broken();
    const std::size_t end = text_.find(quote, ++at_);
    if (end == std::string::npos) broken();
    const std::string inside = text_.substr(at_, end - at_);
    at_ = end + 1;
    return inside;
  }
  std::string word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void shape_of() {
    if (std::exchange(has_shape_, true)) broken();
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t value = 0;
      const std::size_t begin = at_;
      for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
        if (at_ - begin >= 18) broken();
        value = 10 * value + (text_[at_] - '0');
      }
      if (at_ == begin) broken();
      accept('L');  // Python 2 wrote long integers so
      shape.push_back(value);
      if (!accept(',') && peek() != ')') broken();
    }
  }

  const std::string& path_;
  const std::string subject_;
  const std::string& text_;
  std::size_t at_ = 0;
  bool has_order_ = false, has_shape_ = false;
};

// Element i of a buffer as it lies in the file, of either byte order.
template <class Stored>
Stored element_at(const unsigned char* buffer, std::int64_t i, bool swapped) {
  unsigned char bytes[sizeof(Stored)];
  std::memcpy(bytes, buffer + i * std::int64_t{sizeof(Stored)}, sizeof(Stored));
  if (swapped) std::reverse(bytes, bytes + sizeof(Stored));
  if constexpr (std::is_same_v<Stored, bool>) {
    return bytes[0] != 0;
  } else {
    Stored value;
    std::memcpy(&value, bytes, sizeof(Stored));
    return value;
  }
}

// What is too large for 64 bits with a sign becomes the largest there is, which no check of indices lets
// pass.
template <class Stored>
void to_integers(const unsigned char* buffer, std::int64_t count, bool swapped, std::int64_t* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Stored value = element_at<Stored>(buffer, i, swapped);
    if constexpr (std::is_same_v<Stored, std::uint64_t>)
      to[i] = static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
    else
      to[i] = static_cast<std::int64_t>(value);
  }
}

// Counts those that a double does not hold exactly.
template <class Stored>
std::int64_t to_values(const unsigned char* buffer, std::int64_t count, bool swapped, double* to) {
  std::int64_t rounded = 0;
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = value_from(element_at<Stored>(buffer, i, swapped), rounded);
  return rounded;
}

// The types of elements that are read, by NumPy's letter and their bytes.
struct element_type {
  char kind;
  std::int64_t bytes;
  void (*to_integers)(const unsigned char*, std::int64_t, bool, std::int64_t*);
  std::int64_t (*to_values)(const unsigned char*, std::int64_t, bool, double*);
};
template <class Stored>
constexpr element_type type_of(char kind) {
  return {kind, sizeof(Stored), to_integers<Stored>, to_values<Stored>};
}
constexpr element_type element_types_read[] = {
    type_of<bool>('b'),          type_of<std::int8_t>('i'),   type_of<std::int16_t>('i'),
    type_of<std::int32_t>('i'),  type_of<std::int64_t>('i'),  type_of<std::uint8_t>('u'),
    type_of<std::uint16_t>('u'), type_of<std::uint32_t>('u'), type_of<std::uint64_t>('u'),
    type_of<float>('f'),         type_of<double>('f')};

const element_type* find_type(char kind, std::int64_t bytes) {
  for (const element_type& known : element_types_read)
    if (known.kind == kind && known.bytes == bytes) return &known;
  return nullptr;
}

}  // namespace

npy_array::npy_array(std::string path, std::string name, std::unique_ptr<npy_bytes> bytes)
    : path_(std::move(path)), name_(std::move(name)), bytes_(std::move(bytes)) {
  read_header();
  count_ = 1;
  for (const std::int64_t n : shape_)
    if (__builtin_mul_overflow(count_, n, &count_)) damaged("its shape is too large");
  if (descr_.size() < 2 || std::string_view("<>|=").find(descr_[0]) == std::string_view::npos)
    refuse_unsupported(path_, fmt::format("{} holds values of type '{}'", subject(), descr_));
  kind_ = descr_[1];
  swapped_ = descr_[0] == '>';
  if (is_object()) return;  // a pickle of any size; who wants the elements refuses it by its type
  const std::string width = descr_.substr(2);
  const bool plain =
      !width.empty() && width.size() < 9 &&
      std::all_of(width.begin(), width.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!plain) return;
  size_ = std::stoll(width) * (kind_ == 'U' ? 4 : 1);
  std::int64_t size = 0;
  if (__builtin_mul_overflow(count_, size_, &size)) damaged("its shape does not fit the size of its data");
  const std::optional<std::uint64_t> left = bytes_->remaining();
  if (left && static_cast<std::uint64_t>(size) != *left)
    damaged("its shape does not fit the size of its data");
}

void npy_array::read_header() {
  unsigned char start[8];
  read_head(start, sizeof(start));
  if (std::memcmp(start, signature.data(), signature.size()) != 0) damaged("it is not an .npy array");
  if (start[6] < 1 || start[6] > 3) damaged("its .npy version is unknown");
  unsigned char length[4] = {};
  read_head(length, start[6] == 1 ? 2 : 4);
  const std::size_t header_bytes =
      length[0] | std::size_t{length[1]} << 8 | std::size_t{length[2]} << 16 | std::size_t{length[3]} << 24;
  if (header_bytes > 65536) damaged("its .npy header is too long");
  std::string text(header_bytes, '\0');
  read_head(text.data(), header_bytes);
  header_parser header(path_, subject(), text);
  descr_ = header.descr;
  fortran_order_ = header.fortran_order;
  shape_ = std::move(header.shape);
}

void npy_array::read_head(void* to, std::size_t size) {
  if (bytes_->read(to, size) < size) damaged("it is shorter than its .npy header");
}

void npy_array::expect_rank(std::size_t rank) const {
  if (shape_.size() != rank)
    refuse_input(path_, fmt::format("{} has {} dimensions, expected {}", subject(), shape_.size(), rank));
}

void npy_array::split_complex(complex_values if_complex) {
  if (if_complex == complex_values::refuse) refuse_type();
  kind_ = 'f';
  size_ /= 2;
  count_ *= 2;
}

std::string npy_array::text() {
  if ((kind_ != 'S' && kind_ != 'U') || count_ != 1 || size_ < 1 || size_ > 64)
    refuse_input(path_, subject() + " is not a short text");
  stored_.resize(64);
  fill(1);
  finish();
  std::string result;
  const std::int64_t step = kind_ == 'U' ? 4 : 1;
  for (std::int64_t i = kind_ == 'U' && swapped_ ? 3 : 0; i < size_; i += step) {
    const unsigned char c = stored_[static_cast<std::size_t>(i)];
    if (c == 0) break;
    result.push_back(std::isprint(c) != 0 ? static_cast<char>(c) : '?');
  }
  return result;
}

void npy_array::fill(std::int64_t count) {
  const auto wanted = static_cast<std::size_t>(count * size_);
  const std::size_t got = bytes_->read(stored_.data(), wanted);
  if (got < wanted) damaged("its shape needs more data than there are");
}

void npy_array::finish() {
  if (bytes_->finish()) damaged("more data follow than its shape needs");
}

void npy_array::take(std::int64_t count, std::int64_t* to) {
  fill(count);
  find_type(kind_, size_)->to_integers(stored_.data(), count, swapped_, to);
}

std::int64_t npy_array::take(std::int64_t count, double* to) {
  fill(count);
  return find_type(kind_, size_)->to_values(stored_.data(), count, swapped_, to);
}

void npy_array::require_integers() const {
  if (kind_ != 'i' && kind_ != 'u')
    refuse_input(path_, fmt::format("{} holds {}, expected integers", subject(), type_name(descr_)));
}

void npy_array::require_readable() const {
  if (find_type(kind_, size_) == nullptr) refuse_type();
}

void npy_array::refuse_type() const {
  refuse_unsupported(path_, fmt::format("{} of type {} are not supported yet",
                                        name_.empty() || name_ == "data" ? "values" : name_ + " elements",
                                        type_name(descr_)));
}

void npy_array::damaged(const std::string& what) const {
  refuse_input(path_, fmt::format("{} is damaged: {}", name_.empty() ? subject() : "array " + name_, what));
}

namespace {

class text_bytes : public npy_bytes {
 public:
  text_bytes(const text_source& source, const progress_callback& progress)
      : source_(source), progress_(progress) {}

  // A hint of the source about its size is no more than that.
  std::optional<std::uint64_t> remaining() const override { return {}; }

  std::size_t read(void* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const std::size_t got = source_.read(static_cast<char*>(to) + done, size - done);
      if (got == 0) break;
      done += got;
    }
    bytes_ += static_cast<std::int64_t>(done);
    if (progress_) progress_(bytes_, source_.total_bytes);
    return done;
  }

  // What unpacks the bytes compares their checksum at their end, which comes to light so as well.
  bool finish() override {
    char more = 0;
    return source_.read(&more, 1) > 0;
  }

 private:
  const text_source& source_;
  const progress_callback& progress_;
  std::int64_t bytes_ = 0;
};

void require_matrix(const std::string& path, const npy_array& array) {
  if (array.is_object())
    refuse_unsupported(path,
                       "holds Python objects, as numpy.save makes of a SciPy matrix; scipy.sparse.save_npz "
                       "saves one that can be read");
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.empty()) refuse_unsupported(path, "holds a single number, which is no matrix");
  if (shape.size() == 1)
    refuse_unsupported(path, fmt::format("holds a vector of {} elements, which is no matrix", shape[0]));
  if (shape.size() != 2)
    refuse_unsupported(path, fmt::format("holds an array of {} dimensions, {}; only matrices are supported",
                                         shape.size(), fmt::join(shape, " x ")));
}

}  // namespace

bool is_npy(std::string_view start) {
  return start.starts_with(signature);
}

matrix_entries read_npy(const text_source& source, const progress_callback& progress,
                        complex_values if_complex) {
  npy_array array(source.name, "", std::make_unique<text_bytes>(source, progress));
  require_matrix(source.name, array);
  matrix_entries result;
  result.origin = "NumPy array";
  result.field = array.field();
  const std::int32_t rows = checked_dimension(source.name, "rows", array.shape()[0]);
  const std::int32_t cols = checked_dimension(source.name, "columns", array.shape()[1]);

  growing_array<std::int32_t> row_indices, col_indices;
  growing_array<double> values, imaginary;
  const bool keeps_parts = array.is_complex() && if_complex == complex_values::keep;
  result.single_precision = array.is_single() && (!array.is_complex() || keeps_parts);
  std::int64_t found = 0;
  const bool by_rows = !array.fortran_order();
  const std::int32_t length = by_rows ? cols : rows;
  std::int32_t line = 0, place = 0;
  array.for_each_pair(if_complex, result.rounded_values, [&](std::int64_t, double value, double other) {
    if (value != 0 || other != 0) {
      row_indices.reserve(found + 1);
      col_indices.reserve(found + 1);
      values.reserve(found + 1);
      row_indices.data()[found] = by_rows ? line : place;
      col_indices.data()[found] = by_rows ? place : line;
      values.data()[found] = value;
      if (keeps_parts) {
        imaginary.reserve(found + 1);
        imaginary.data()[found] = other;
      }
      ++found;
    } else {
      ++result.array_zeros;
    }
    if (++place == length) {
      place = 0;
      ++line;
    }
  });
  result.entries.rows = rows;
  result.entries.cols = cols;
  result.entries.row_indices = row_indices.take(found);
  result.entries.col_indices = col_indices.take(found);
  result.entries.values = values.take(found);
  if (keeps_parts) result.imaginary = imaginary.take(found);
  return result;
}

}  // namespace sparsmith
