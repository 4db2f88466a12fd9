// The file is big-endian: a mark, rows, columns and entries, then the length of every row, all columns and
// all values. Other objects may follow. That values are real doubles is not written anywhere: where they are
// complex, or single, the length does not fit.
#include "convert/io/petsc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "convert/io/bounds.hpp"
#include "convert/io/growing_array.hpp"

namespace sparsmith {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view narrow_mark = "\0\x12\x7b\x50"sv;  // 1211216, in 32 bits
constexpr std::string_view wide_mark = "\0\0\0\0\0\x12\x7b\x50"sv;

template <class T>
T big_endian(const char* bytes) {
  std::array<char, sizeof(T)> turned;
  std::reverse_copy(bytes, bytes + sizeof(T), turned.begin());
  T value;
  std::memcpy(&value, turned.data(), sizeof(T));
  return value;
}

class reader {
 public:
  reader(const text_source& source, const progress_callback& progress)
      : source_(source), progress_(progress) {}

  matrix_entries read() {
    std::array<char, 8> mark{};
    take(mark.data(), narrow_mark.size(), "its mark");
    if (std::string_view(mark.data(), narrow_mark.size()) != narrow_mark) {
      take(mark.data() + narrow_mark.size(), wide_mark.size() - narrow_mark.size(), "its mark");
      if (std::string_view(mark.data(), mark.size()) != wide_mark)
        refuse_input(source_.name, "does not begin as a matrix of PETSc");
      return read_as<std::int64_t>();
    }
    return read_as<std::int32_t>();
  }

 private:
  void take(char* to, std::size_t size, const char* what) {
    for (std::size_t done = 0; done < size;) {
      const std::size_t got = source_.read(to + done, size - done);
      if (got == 0) refuse_input(source_.name, fmt::format("ends in {}", what));
      done += got;
      bytes_ += static_cast<std::int64_t>(got);
    }
  }

  // use(position, number) for so many numbers.
  template <class T, class Use>
  void take_all(std::int64_t count, const char* what, const Use& use) {
    constexpr std::int64_t at_once = 32768;
    std::vector<char> buffer(static_cast<std::size_t>(std::min(count, at_once)) * sizeof(T));
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t now = std::min(count - done, at_once);
      take(buffer.data(), static_cast<std::size_t>(now) * sizeof(T), what);
      if (progress_) progress_(bytes_, source_.total_bytes);
      for (std::int64_t i = 0; i < now; ++i)
        use(done + i, big_endian<T>(buffer.data() + static_cast<std::size_t>(i) * sizeof(T)));
      done += now;
    }
  }

  template <class Index>
  matrix_entries read_as() {
    std::array<std::int64_t, 3> sizes{};
    take_all<Index>(3, "its sizes",
                    [&](std::int64_t i, Index size) { sizes[static_cast<std::size_t>(i)] = size; });
    const std::int64_t rows = sizes[0], cols = sizes[1], entries = sizes[2];
    if (entries == -1)
      refuse_unsupported(source_.name, "holds a dense matrix of PETSc, which is not supported");
    if (entries < 0)
      refuse_input(source_.name, fmt::format("the number of entries is {}, below zero", entries));
    matrix_entries result;
    result.origin = "PETSc";
    result.entries.rows = checked_dimension(source_.name, "rows", rows);
    result.entries.cols = checked_dimension(source_.name, "columns", cols);

    growing_array<std::int32_t> row_indices, col_indices;
    growing_array<double> values;
    growing_array<std::int64_t> ends;  // of the rows
    std::int64_t listed = 0;
    take_all<Index>(rows, "the lengths of its rows", [&](std::int64_t row, Index length) {
      if (length < 0 || length > entries - listed)
        refuse_input(source_.name, fmt::format("row {} has {} entries, and {} of {} are left", row, length,
                                               entries - listed, entries));
      listed += length;
      ends.reserve(row + 1);
      ends.data()[row] = listed;
    });
    if (listed != entries)
      refuse_input(source_.name,
                   fmt::format("its rows have {} entries, and {} were announced", listed, entries));
    std::int64_t row = 0;
    take_all<Index>(entries, "its columns", [&](std::int64_t i, Index col) {
      while (i == ends.data()[row]) ++row;
      row_indices.reserve(i + 1);
      col_indices.reserve(i + 1);
      row_indices.data()[i] = static_cast<std::int32_t>(row);
      col_indices.data()[i] = checked_index(source_.name, "columns", i, col, result.entries.cols);
    });
    take_all<double>(entries, "its values", [&](std::int64_t i, double value) {
      values.reserve(i + 1);
      values.data()[i] = value;
    });
    require_end(result);
    result.entries.row_indices = row_indices.take(entries);
    result.entries.col_indices = col_indices.take(entries);
    result.entries.values = values.take(entries);
    return result;
  }

  // The end, or another object: their marks are numbers beside each other.
  void require_end(matrix_entries& result) {
    std::array<char, 4> next{};
    std::size_t size = 0;
    while (size < next.size()) {
      const std::size_t got = source_.read(next.data() + size, next.size() - size);
      if (got == 0) break;
      size += got;
    }
    if (size == 0) return;
    // What unpacks the bytes checks them at their end.
    std::array<char, 4096> passed;
    if (source_.total_bytes == 0)
      while (source_.read(passed.data(), passed.size()) > 0) continue;
    const std::string_view start(next.data(), size);
    const bool object = size == next.size() && (start.starts_with("\0\x12\x7b"sv) || start == "\0\0\0\0"sv);
    if (!object)
      refuse_unsupported(
          source_.name,
          "is longer than a matrix of real doubles: complex or single values are not supported");
    result.note = "other objects behind the matrix were not read";
  }

  const text_source& source_;
  const progress_callback& progress_;
  std::int64_t bytes_ = 0;
};

}  // namespace

bool is_petsc(std::string_view start) {
  return start.starts_with(narrow_mark) || start.starts_with(wide_mark);
}

matrix_entries read_petsc(const text_source& source, const progress_callback& progress) {
  return reader(source, progress).read();
}

}  // namespace sparsmith
