// Reads SciPy's .npz. Arrays are converted on the way from file to matrix, a buffer at a time, so that
// neither side ever holds a second copy. The .npy header is a Python dictionary in text form, of which only
// the three keys that NumPy writes are understood.
#include "convert/io/npz.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "convert/io/bounds.hpp"
#include "convert/io/zip.hpp"

namespace sparsmith {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are swapped where they are big-endian");

constexpr std::size_t buffer_bytes = 256u << 10;

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
  header_parser(const std::string& path, const std::string& member, const std::string& text)
      : path_(path), member_(member), text_(text) {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          refuse_unsupported(path_, member_ + " holds structured values, which are not supported");
        descr = quoted();
      } else if (key == "fortran_order") {
        const std::string value = word();
        if (value != "True" && value != "False") broken();
        fortran_order = value == "True";
      } else if (key == "shape") {
        shape_of();
      } else {
        broken();
      }
      if (!accept(',') && peek() != '}') broken();
    }
    if (descr.empty() || !has_shape_) broken();
  }

  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;

 private:
  [[noreturn]] void broken() const { refuse_input(path_, member_ + " has a broken .npy header"); }
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
    has_shape_ = true;
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
  const std::string& member_;
  const std::string& text_;
  std::size_t at_ = 0;
  bool has_shape_ = false;
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

// One array of the archive, read once from front to back.
class npy_stream {
 public:
  npy_stream(const zip_reader& archive, const zip_member& m)
      : path_(archive.path()), name_(m.name.substr(0, m.name.size() - 4)), stream_(archive, m) {
    unsigned char start[8];
    read_head(start, sizeof(start));
    if (std::memcmp(start, "\x93NUMPY", 6) != 0) damaged("it is not an .npy array");
    if (start[6] < 1 || start[6] > 3) damaged("its .npy version is unknown");
    unsigned char length[4] = {};
    read_head(length, start[6] == 1 ? 2 : 4);
    const std::size_t header_bytes =
        length[0] | std::size_t{length[1]} << 8 | std::size_t{length[2]} << 16 | std::size_t{length[3]} << 24;
    if (header_bytes > 65536) damaged("its .npy header is too long");
    std::string text(header_bytes, '\0');
    read_head(text.data(), header_bytes);
    const header_parser header(path_, name_, text);
    descr_ = header.descr;
    fortran_order_ = header.fortran_order;
    shape_ = header.shape;
    count_ = 1;
    for (const std::int64_t n : shape_)
      if (__builtin_mul_overflow(count_, n, &count_)) damaged("its shape is too large");
    if (descr_.size() < 2)
      refuse_unsupported(path_, fmt::format("{} holds values of type '{}'", name_, descr_));
    kind_ = descr_[1];
    swapped_ = descr_[0] == '>';
    if (kind_ == 'O') return;  // a pickle of any size; who wants the elements refuses it by its type
    const std::string width = descr_.substr(2);
    const bool plain =
        !width.empty() && width.size() < 9 &&
        std::all_of(width.begin(), width.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!plain) return;
    size_ = std::stoll(width) * (kind_ == 'U' ? 4 : 1);
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count_, size_, &bytes) ||
        static_cast<std::uint64_t>(bytes) != stream_.remaining())
      damaged("its shape does not fit the size of its data");
  }

  const std::string& name() const { return name_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t count() const { return count_; }
  bool fortran_order() const { return fortran_order_ && shape_.size() > 1; }
  bool is_float() const { return kind_ == 'f'; }
  bool is_single() const { return kind_ == 'f' && size_ == 4; }
  bool is_complex() const { return kind_ == 'c' && (size_ == 8 || size_ == 16); }

  void expect_rank(std::size_t rank) const {
    if (shape_.size() != rank)
      refuse_input(path_, fmt::format("{} has {} dimensions, expected {}", name_, shape_.size(), rank));
  }

  // Calls visit(position, integer) for every element in the order of the file. Ends with the check of the
  // checksum, and lets that have the last word where a visit finds something wrong.
  template <class Visit>
  void for_each_integer(Visit visit) {
    if (kind_ != 'i' && kind_ != 'u')
      refuse_input(path_, fmt::format("{} holds {}, expected integers", name_, type_name(descr_)));
    for_each<std::int64_t>([&](const unsigned char* buffer, std::int64_t count,
                               std::int64_t* to) { type().to_integers(buffer, count, swapped_, to); },
                           visit);
  }

  // The same for values; integers that a double does not hold exactly are counted.
  template <class Visit>
  void for_each_value(std::int64_t& rounded, Visit visit) {
    for_each<double>([&](const unsigned char* buffer, std::int64_t count,
                         double* to) { rounded += type().to_values(buffer, count, swapped_, to); },
                     visit);
  }

  // Reads complex numbers as twice as many real ones; positions then count those.
  void split_complex(complex_values if_complex) {
    if (if_complex == complex_values::refuse) refuse_type();
    kind_ = 'f';
    size_ /= 2;
    count_ *= 2;
  }

  // The one string in the array, from bytes or from characters of four bytes.
  std::string text() {
    if ((kind_ != 'S' && kind_ != 'U') || count_ != 1 || size_ < 1 || size_ > 64)
      refuse_input(path_, name_ + " is not a short text");
    unsigned char raw[64];
    stream_.read(raw, static_cast<std::size_t>(size_));
    stream_.finish();
    std::string result;
    const std::int64_t step = kind_ == 'U' ? 4 : 1;
    for (std::int64_t i = kind_ == 'U' && swapped_ ? 3 : 0; i < size_ && raw[i] != 0; i += step)
      result.push_back(std::isprint(raw[i]) != 0 ? static_cast<char>(raw[i]) : '?');
    return result;
  }

 private:
  const element_type& type() const {
    for (const element_type& known : element_types_read)
      if (known.kind == kind_ && known.bytes == size_) return known;
    refuse_type();
  }

  template <class Element, class Convert, class Visit>
  void for_each(Convert convert, Visit visit) {
    const std::int64_t most = std::int64_t{buffer_bytes} / type().bytes;
    std::vector<unsigned char> stored(buffer_bytes);
    std::vector<Element> elements(static_cast<std::size_t>(most));
    try {
      for (std::int64_t first = 0; first < count_; first += most) {
        const std::int64_t count = std::min(count_ - first, most);
        stream_.read(stored.data(), static_cast<std::size_t>(count * size_));
        convert(stored.data(), count, elements.data());
        for (std::int64_t i = 0; i < count; ++i) visit(first + i, elements[static_cast<std::size_t>(i)]);
      }
    } catch (const error&) {
      stream_.finish();
      throw;
    }
    stream_.finish();
  }

  [[noreturn]] void refuse_type() const {
    refuse_unsupported(path_,
                       fmt::format("{} of type {} are not supported yet",
                                   name_ == "data" ? "values" : name_ + " elements", type_name(descr_)));
  }
  void read_head(void* to, std::size_t bytes) {
    if (bytes > stream_.remaining()) damaged("it is shorter than its .npy header");
    stream_.read(to, bytes);
  }
  [[noreturn]] void damaged(const std::string& what) const {
    refuse_input(path_, fmt::format("array {} is damaged: {}", name_, what));
  }

  std::string path_;
  std::string name_;
  zip_stream stream_;
  std::string descr_;
  char kind_ = '\0';
  std::int64_t size_ = 0;
  bool swapped_ = false;
  bool fortran_order_ = false;
  std::vector<std::int64_t> shape_;
  std::int64_t count_ = 0;
};

const zip_member& member_of(const zip_reader& archive, const std::string& key) {
  const zip_member* m = archive.find(key + ".npy");
  if (m == nullptr)
    refuse_input(archive.path(),
                 key == "format"
                     ? "holds no array 'format': it is not a matrix that scipy.sparse.save_npz wrote"
                     : "holds no array '" + key + "'");
  return *m;
}

class npz_reader {
 public:
  npz_reader(const std::string& path, complex_values if_complex) : archive_(path), if_complex_(if_complex) {}

  matrix_entries read() {
    const std::string format = open("format").text();
    if (format != "csr" && format != "csc" && format != "coo" && format != "bsr" && format != "dia")
      refuse_unsupported(
          archive_.path(),
          fmt::format("SciPy format '{}' is not supported; csr, csc, coo, bsr and dia are", format));
    read_shape();
    result_.origin = "SciPy npz " + format;
    if (format == "coo")
      read_coo();
    else if (format == "bsr")
      read_bsr();
    else if (format == "dia")
      read_dia();
    else
      read_compressed(format == "csr");
    return std::move(result_);
  }

 private:
  npy_stream open(const std::string& key) { return {archive_, member_of(archive_, key)}; }

  void read_shape() {
    npy_stream shape = open("shape");
    shape.expect_rank(1);
    if (shape.count() != 2)
      refuse_unsupported(
          archive_.path(),
          fmt::format("is an array of {} dimensions; only matrices are supported", shape.count()));
    std::int64_t sizes[2] = {};
    shape.for_each_integer([&](std::int64_t i, std::int64_t n) { sizes[i] = n; });
    result_.entries.rows = checked_dimension(archive_.path(), "rows", sizes[0]);
    result_.entries.cols = checked_dimension(archive_.path(), "columns", sizes[1]);
  }

  void note_type(const npy_stream& data) {
    result_.field = data.is_complex() ? "complex" : data.is_float() ? "real" : "integer";
    result_.single_precision = data.is_single();
  }

  // The values that go with `stored` indices, one to one.
  void read_values(npy_stream& data) {
    note_type(data);
    auto& values = result_.entries.values;
    values = array<double, host>(data.count());
    if (data.is_complex()) {
      data.split_complex(if_complex_);
      std::fill(values.begin(), values.end(), 1.0);
      std::int64_t ignored = 0;
      data.for_each_value(ignored, [](std::int64_t, double) {});  // for the checksum
      return;
    }
    data.for_each_value(result_.rounded_values, [&](std::int64_t i, double value) { values[i] = value; });
  }

  // Calls visit(position, value) for every slot of blocks; a complex one is 1 where it is not 0.
  template <class Visit>
  void for_each_slot(npy_stream& data, std::int64_t& rounded, Visit visit) {
    if (!data.is_complex()) return data.for_each_value(rounded, visit);
    data.split_complex(if_complex_);
    bool any = false;
    data.for_each_value(rounded, [&](std::int64_t i, double part) {
      any = (i % 2 == 1 && any) || part != 0;
      if (i % 2 == 1) visit(i / 2, any ? 1.0 : 0.0);
    });
  }

  array<std::int32_t, host> read_indices(const char* key, std::int64_t stored, std::int32_t limit) {
    npy_stream stream = open(key);
    stream.expect_rank(1);
    refuse_if(archive_.path(), check_length(key, stream.count(), stored, "as many as values"));
    array<std::int32_t, host> indices(stored);
    stream.for_each_integer([&](std::int64_t i, std::int64_t index) {
      indices[i] = checked_index(archive_.path(), key, i, index, limit);
    });
    return indices;
  }

  array<std::int64_t, host> read_offsets(std::int64_t lines, std::int64_t stored) {
    npy_stream stream = open("indptr");
    stream.expect_rank(1);
    refuse_if(archive_.path(),
              check_length("indptr", stream.count(), lines + 1, "one more than lines in the shape"));
    array<std::int64_t, host> offsets(lines + 1);
    stream.for_each_integer([&](std::int64_t i, std::int64_t offset) { offsets[i] = offset; });
    refuse_if(archive_.path(), check_offsets("indptr", offsets, lines, stored));
    return offsets;
  }

  void read_coo() {
    npy_stream data = open("data");
    data.expect_rank(1);
    auto& entries = result_.entries;
    if (archive_.find("row.npy") == nullptr && archive_.find("coords.npy") != nullptr) {
      read_coords(data.count());
    } else {
      entries.row_indices = read_indices("row", data.count(), entries.rows);
      entries.col_indices = read_indices("col", data.count(), entries.cols);
    }
    read_values(data);
  }

  // How newer versions of SciPy write arrays of any dimension: all rows, then all columns.
  void read_coords(std::int64_t stored) {
    npy_stream coords = open("coords");
    coords.expect_rank(2);
    const auto both = checked_product(2, stored);
    if (!both) refuse_input(archive_.path(), sizes_too_large);
    refuse_if(archive_.path(), check_length("coords", coords.count(), *both, "two for each value"));
    if (coords.shape()[0] != 2) refuse_input(archive_.path(), "coords has not two rows");
    if (coords.fortran_order())
      refuse_unsupported(archive_.path(), "coords is in Fortran order, which is not supported");
    auto& entries = result_.entries;
    entries.row_indices = array<std::int32_t, host>(stored);
    entries.col_indices = array<std::int32_t, host>(stored);
    coords.for_each_integer([&](std::int64_t i, std::int64_t index) {
      if (i < stored)
        entries.row_indices[i] = checked_index(archive_.path(), "coords", i, index, entries.rows);
      else
        entries.col_indices[i - stored] = checked_index(archive_.path(), "coords", i, index, entries.cols);
    });
  }

  void read_compressed(bool by_rows) {
    npy_stream data = open("data");
    data.expect_rank(1);
    auto& entries = result_.entries;
    const std::int32_t lines = by_rows ? entries.rows : entries.cols;
    const array<std::int64_t, host> offsets = read_offsets(lines, data.count());
    (by_rows ? entries.col_indices : entries.row_indices) =
        read_indices("indices", data.count(), by_rows ? entries.cols : entries.rows);
    array<std::int32_t, host> expanded(data.count());
    for (std::int32_t line = 0; line < lines; ++line)
      std::fill(expanded.begin() + offsets[line], expanded.begin() + offsets[line + 1], line);
    (by_rows ? entries.row_indices : entries.col_indices) = std::move(expanded);
    read_values(data);
  }

  // Where the elements of an array of blocks belong, in the order of the file.
  struct block_walk {
    std::int64_t sizes[3];  // blocks, rows of a block, columns of a block
    bool fortran_order;
    std::int64_t at[3] = {0, 0, 0};

    void next() {
      for (int i = 0; i < 3; ++i) {
        const int d = fortran_order ? i : 2 - i;
        if (++at[d] < sizes[d]) return;
        at[d] = 0;
      }
    }
  };

  void read_bsr() {
    auto& entries = result_.entries;
    // The number of entries is known only when every slot was seen, so the blocks are read twice.
    npy_stream counted = open("data");
    counted.expect_rank(3);
    const std::int64_t blocks = counted.shape()[0], height = counted.shape()[1], width = counted.shape()[2];
    if (height < 1 || width < 1) refuse_input(archive_.path(), "data has blocks without rows or columns");
    const std::int64_t block_rows = (entries.rows + height - 1) / height;
    const std::int64_t block_cols = (entries.cols + width - 1) / width;
    const array<std::int64_t, host> offsets = read_offsets(block_rows, blocks);
    const array<std::int32_t, host> block_col =
        read_indices("indices", blocks, static_cast<std::int32_t>(block_cols));
    array<std::int32_t, host> block_row(blocks);
    for (std::int64_t line = 0; line < block_rows; ++line)
      std::fill(block_row.begin() + offsets[line], block_row.begin() + offsets[line + 1],
                static_cast<std::int32_t>(line));

    std::int64_t stored = 0;
    note_type(counted);
    std::int64_t ignored = 0;
    for_each_slot(counted, ignored, [&](std::int64_t, double value) { stored += value != 0 ? 1 : 0; });
    result_.array_zeros = blocks * height * width - stored;
    entries.row_indices = array<std::int32_t, host>(stored);
    entries.col_indices = array<std::int32_t, host>(stored);
    entries.values = array<double, host>(stored);
    npy_stream data = open("data");
    block_walk walk{{blocks, height, width}, data.fortran_order()};
    std::int64_t found = 0;
    for_each_slot(data, result_.rounded_values, [&](std::int64_t i, double value) {
      if (value != 0) {
        const std::int64_t row = block_row[walk.at[0]] * height + walk.at[1];
        const std::int64_t col = block_col[walk.at[0]] * width + walk.at[2];
        if (row >= entries.rows || col >= entries.cols || found == stored)
          refuse_input(archive_.path(), fmt::format("data holds a value outside the matrix (element {})", i));
        entries.row_indices[found] = static_cast<std::int32_t>(row);
        entries.col_indices[found] = static_cast<std::int32_t>(col);
        entries.values[found] = value;
        ++found;
      }
      walk.next();
    });
    if (found != stored) refuse_input(archive_.path(), "changed while it was read");
  }

  // Distinct, in any order; SciPy lets them be of diagonals outside the matrix.
  std::vector<std::int64_t> read_diagonals(std::int64_t count) {
    npy_stream stream = open("offsets");
    stream.expect_rank(1);
    refuse_if(archive_.path(), check_length("offsets", stream.count(), count, "as many as rows of data"));
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(count));
    stream.for_each_integer(
        [&](std::int64_t i, std::int64_t offset) { offsets[static_cast<std::size_t>(i)] = offset; });
    std::vector<std::int64_t> sorted = offsets;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      refuse_input(archive_.path(), fmt::format("offsets holds {} twice", *twice));
    return offsets;
  }

  // Calls visit(row, column, value) for the places of the matrix that a dia's diagonals have. Element j of a
  // diagonal is in column j, however long the diagonals are; SciPy does not look at what lies outside.
  template <class Visit>
  void for_each_place(npy_stream& data, const std::vector<std::int64_t>& offsets, std::int64_t& rounded,
                      Visit visit) {
    const std::int64_t rows = result_.entries.rows, cols = result_.entries.cols;
    const std::int64_t diagonals = data.shape()[0], length = data.shape()[1];
    const bool by_columns = data.fortran_order();
    for_each_slot(data, rounded, [&](std::int64_t i, double value) {
      const std::int64_t d = by_columns ? i % diagonals : i / length;
      const std::int64_t col = by_columns ? i / diagonals : i % length;
      const std::int64_t offset = offsets[static_cast<std::size_t>(d)];
      if (offset <= -rows || offset >= cols || col >= cols) return;
      const std::int64_t row = col - offset;
      if (row >= 0 && row < rows) visit(row, col, value);
    });
  }

  void read_dia() {
    auto& entries = result_.entries;
    // As with blocks, the number of entries is known only when every slot was seen.
    npy_stream counted = open("data");
    counted.expect_rank(2);
    const std::vector<std::int64_t> offsets = read_diagonals(counted.shape()[0]);
    note_type(counted);
    std::int64_t stored = 0, ignored = 0;
    for_each_place(counted, offsets, ignored, [&](std::int64_t, std::int64_t, double value) {
      ++(value != 0 ? stored : result_.array_zeros);
    });
    entries.row_indices = array<std::int32_t, host>(stored);
    entries.col_indices = array<std::int32_t, host>(stored);
    entries.values = array<double, host>(stored);
    npy_stream data = open("data");
    std::int64_t found = 0;
    for_each_place(data, offsets, result_.rounded_values,
                   [&](std::int64_t row, std::int64_t col, double value) {
                     if (value == 0) return;
                     if (found == stored) refuse_input(archive_.path(), "changed while it was read");
                     entries.row_indices[found] = static_cast<std::int32_t>(row);
                     entries.col_indices[found] = static_cast<std::int32_t>(col);
                     entries.values[found] = value;
                     ++found;
                   });
    if (found != stored) refuse_input(archive_.path(), "changed while it was read");
  }

  zip_reader archive_;
  complex_values if_complex_;
  matrix_entries result_;
};

}  // namespace

bool is_npz(const std::string& path, std::string_view start) {
  std::optional<zip_reader> archive;
  try {
    archive.emplace(path);
  } catch (const error&) {
    // Other readers of archives forgive more than this one.
    if (path.ends_with(".npz") || first_zip_name(start).ends_with(".npy")) throw;
    return false;
  }
  const auto holds = [&](std::string_view extension) {
    const auto& members = archive->members();
    return std::any_of(members.begin(), members.end(),
                       [&](const zip_member& m) { return m.name.ends_with(extension); });
  };
  return archive->find("format.npy") != nullptr || (holds(".npy") && !holds(".mtx"));
}

matrix_entries read_npz(const std::string& path, complex_values if_complex) {
  return npz_reader(path, if_complex).read();
}

}  // namespace sparsmith
