// Writes SciPy's .npz. Arrays are converted on the way from matrix to file, a buffer at a time, so that
// neither side ever holds a second copy.
#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "convert/io/bounds.hpp"
#include "convert/io/npz.hpp"
#include "convert/io/zip.hpp"

namespace sparsmith {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

constexpr std::size_t buffer_bytes = 256u << 10;

template <class T>
constexpr const char* npy_type() {
  if constexpr (std::is_same_v<T, std::int32_t>) return "<i4";
  if constexpr (std::is_same_v<T, std::int64_t>) return "<i8";
  if constexpr (std::is_same_v<T, float>) return "<f4";
  if constexpr (std::is_same_v<T, double>) return "<f8";
  if constexpr (std::is_same_v<T, complex64>) return "<c8";
  if constexpr (std::is_same_v<T, complex128>) return "<c16";
}

class npz_writer {
 public:
  npz_writer(const std::string& path, bool compress) : archive_(path), compress_(compress) {}

  // The elements of an array as type T, converted a buffer at a time where they have another.
  template <class T, class Array>
  void put(const char* key, const Array& from, std::string shape = {}) {
    if (shape.empty()) shape = fmt::format("({},)", from.size());
    begin(key, npy_type<T>(), shape, static_cast<std::uint64_t>(from.size()) * sizeof(T));
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(from[0])>, T>) {
      archive_.write(from.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
    } else {
      std::vector<T> buffer;
      const std::int64_t step = static_cast<std::int64_t>(buffer_bytes / sizeof(T));
      for (std::int64_t at = 0; at < from.size(); at += step) {
        const std::int64_t end = std::min(from.size(), at + step);
        buffer.assign(from.begin() + at, from.begin() + end);
        archive_.write(buffer.data(), buffer.size() * sizeof(T));
      }
    }
    archive_.end();
  }

  // An array of so many rows, which next(row) gives one after the other, `length` elements each.
  template <class T, class Next>
  void put_rows(const char* key, std::int64_t rows, std::int64_t length, Next next) {
    begin(key, npy_type<T>(), fmt::format("({}, {})", rows, length),
          static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(length) * sizeof(T));
    for (std::int64_t row = 0; row < rows; ++row)
      archive_.write(next(row), static_cast<std::size_t>(length) * sizeof(T));
    archive_.end();
  }

  void put_description(const char* format, std::int32_t rows, std::int32_t cols) {
    begin("format", "|S3", "()", 3);
    archive_.write(format, 3);
    archive_.end();
    const std::int64_t shape[2] = {rows, cols};
    begin("shape", "<i8", "(2,)", sizeof(shape));
    archive_.write(shape, sizeof(shape));
    archive_.end();
  }

  void close() { archive_.close(); }

 private:
  void begin(const std::string& key, const char* type, const std::string& shape, std::uint64_t bytes) {
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
    // NumPy aligns the data that follow to 64 bytes, counting the ten before the header and its newline.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header.push_back('\n');
    std::string start("\x93NUMPY\x01\x00", 8);
    start.push_back(static_cast<char>(header.size() & 0xff));
    start.push_back(static_cast<char>(header.size() >> 8));
    start += header;
    archive_.begin(key + ".npy", start.size() + bytes, compress_);
    archive_.write(start.data(), start.size());
  }

  zip_writer archive_;
  bool compress_;
};

template <class Value>
void write_list(npz_writer out, const coo<Value, host>& matrix) {
  out.put<std::int32_t>("row", matrix.row_indices);
  out.put<std::int32_t>("col", matrix.col_indices);
  out.put_description("coo", matrix.rows, matrix.cols);
  out.put<Value>("data", matrix.values);
  out.close();
}

template <class Offset>
void write_lines(npz_writer& out, const array<Offset, host>& offsets,
                 const array<std::int32_t, host>& indices) {
  out.put<Offset>("indices", indices);
  out.put<Offset>("indptr", offsets);
}

template <class Format, class Offset>
void write_compressed(npz_writer out, const Format& matrix, const array<Offset, host>& offsets,
                      const array<std::int32_t, host>& indices) {
  write_lines(out, offsets, indices);
  out.put_description(Format::name, matrix.rows, matrix.cols);
  out.put<typename Format::value_type>("data", matrix.values);
  out.close();
}

template <class Offset, class Value>
void check_divisible(const std::string& path, const bsr<Offset, Value, host>& matrix) {
  if (matrix.rows % matrix.block_rows != 0 || matrix.cols % matrix.block_cols != 0)
    refuse_unsupported(path, fmt::format("SciPy's bsr needs a shape that the blocks divide, and {} x {} "
                                         "blocks do not divide {} x {}; write a .h5 file",
                                         matrix.block_rows, matrix.block_cols, matrix.rows, matrix.cols));
}

template <class Offset, class Value>
void write_blocks(npz_writer out, const bsr<Offset, Value, host>& matrix) {
  write_lines(out, matrix.row_offsets, matrix.col_indices);
  out.put_description("bsr", matrix.rows, matrix.cols);
  out.put<Value>(
      "data", matrix.values,
      fmt::format("({}, {}, {})", matrix.col_indices.size(), matrix.block_rows, matrix.block_cols));
  out.close();
}

template <class Value>
void check_without_rest(const std::string& path, const dia<Value, host>& matrix) {
  if (matrix.rest_values.size() > 0)
    throw error(failure::unsupported,
                fmt::format("{}: SciPy's dia has no rest, and {} entries are in it; store all diagonals, or "
                            "write a .h5 file",
                            path, matrix.rest_values.size()),
                "diagonals");
}

// SciPy has the element of column j at j, and as many as the last column with a place needs.
template <class Value>
void write_diagonals(npz_writer out, const dia<Value, host>& matrix) {
  const std::int64_t diagonals = matrix.offsets.size(), rows = matrix.rows;
  const std::int64_t length =
      diagonals == 0 ? 0 : std::min<std::int64_t>(matrix.cols, rows + matrix.offsets[diagonals - 1]);
  std::vector<Value> by_column(static_cast<std::size_t>(length));
  out.put<std::int32_t>("offsets", matrix.offsets);
  out.put_description("dia", matrix.rows, matrix.cols);
  out.put_rows<Value>("data", diagonals, length, [&](std::int64_t d) {
    const std::int64_t offset = matrix.offsets[d];
    const Value* const values = matrix.values.data() + d * rows;
    const std::int64_t first = std::max<std::int64_t>(0, offset), last = std::min(length, rows + offset);
    std::fill(by_column.begin(), by_column.end(), Value{});
    std::copy(values + (first - offset), values + (last - offset), by_column.begin() + first);
    return by_column.data();
  });
  out.close();
}

}  // namespace

template <class Offset, class Value>
void write_npz(const std::string& path, const any_format<Offset, Value, host>& matrix, bool compress) {
  // The file is opened only once it is sure to be written.
  const auto out = [&] { return npz_writer(path, compress); };
  if (const auto* const list = std::get_if<coo<Value, host>>(&matrix)) {
    write_list(out(), *list);
  } else if (const auto* const by_rows = std::get_if<csr<Offset, Value, host>>(&matrix)) {
    write_compressed(out(), *by_rows, by_rows->row_offsets, by_rows->col_indices);
  } else if (const auto* const by_columns = std::get_if<csc<Offset, Value, host>>(&matrix)) {
    write_compressed(out(), *by_columns, by_columns->col_offsets, by_columns->row_indices);
  } else if (const auto* const blocks = std::get_if<bsr<Offset, Value, host>>(&matrix)) {
    check_divisible(path, *blocks);
    write_blocks(out(), *blocks);
  } else if (const auto* const diagonals = std::get_if<dia<Value, host>>(&matrix)) {
    check_without_rest(path, *diagonals);
    write_diagonals(out(), *diagonals);
  } else {
    throw error(failure::usage, fmt::format("a npz file cannot hold {}", format_names()[matrix.index()]));
  }
}

template void write_npz(const std::string&, const any_format<std::int32_t, float, host>&, bool);
template void write_npz(const std::string&, const any_format<std::int32_t, double, host>&, bool);
template void write_npz(const std::string&, const any_format<std::int64_t, float, host>&, bool);
template void write_npz(const std::string&, const any_format<std::int64_t, double, host>&, bool);
template void write_npz(const std::string&, const any_format<std::int32_t, complex64, host>&, bool);
template void write_npz(const std::string&, const any_format<std::int32_t, complex128, host>&, bool);
template void write_npz(const std::string&, const any_format<std::int64_t, complex64, host>&, bool);
template void write_npz(const std::string&, const any_format<std::int64_t, complex128, host>&, bool);

}  // namespace sparsmith
