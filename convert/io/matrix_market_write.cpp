// Writes Matrix Market files. The lines are fast_matrix_market's; which lines there are is ours.
#include <omp.h>

#include <bit>
#include <cmath>
#include <complex>
#include <fast_matrix_market/fast_matrix_market.hpp>
#include <vector>

#include "convert/backend/parallel_guard.hpp"
#include "convert/io/matrix_market.hpp"

namespace sparsmith {
namespace {

namespace fmm = fast_matrix_market;

template <class Part>
bool same_bits(complex_number<Part> a, complex_number<Part> b);
template <class Value>
bool same_bits(Value a, Value b) {
  using bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

template <class Part>
bool same_bits(complex_number<Part> a, complex_number<Part> b) {
  return same_bits(a.real, b.real) && same_bits(a.imaginary, b.imaginary);
}

template <class Value>
Value mirror_image(Value value, symmetry_kind symmetry) {
  const mirror_signs signs = mirror_signs_of(symmetry);
  if constexpr (is_complex<Value>)
    return {signs.real_negated ? -value.real : value.real,
            signs.imaginary_negated ? -value.imaginary : value.imaginary};
  else
    return signs.real_negated ? -value : value;
}

// Whether an entry on the diagonal is none of such a matrix, bit for bit; a file of a skew-symmetric one has
// no diagonal at all.
template <class Value>
bool breaks_diagonal(Value value, symmetry_kind symmetry) {
  if (symmetry == symmetry_kind::skew_symmetric) return true;
  if constexpr (is_complex<Value>) return symmetry == symmetry_kind::hermitian && value.imaginary != 0;
  return false;
}

// Whether one triangle tells the whole matrix: the entries are sorted, every one below the diagonal has its
// mirror image, and there are no more above. Sorted entries can be searched, so nothing is allocated.
template <class Value>
bool is_mirrored(const coo<Value, host>& m, symmetry_kind symmetry) {
  if (m.rows != m.cols) return false;
  const std::int64_t count = m.values.size();
  const std::int32_t* const rows = m.row_indices.data();
  const std::int32_t* const cols = m.col_indices.data();
  const auto is_before = [=](std::int64_t i, std::int32_t row, std::int32_t col) {
    return rows[i] < row || (rows[i] == row && cols[i] < col);
  };
  bool possible = true;
  std::int64_t above = 0, below = 0;
#pragma omp parallel for reduction(&& : possible) reduction(+ : above, below)
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0 && !is_before(i - 1, rows[i], cols[i])) possible = false;
    if (rows[i] == cols[i] && breaks_diagonal(m.values[i], symmetry)) possible = false;
    above += rows[i] < cols[i] ? 1 : 0;
    below += rows[i] > cols[i] ? 1 : 0;
  }
  if (!possible || above != below) return false;

#pragma omp parallel for reduction(&& : possible)
  for (std::int64_t i = 0; i < count; ++i) {
    if (!possible || cols[i] >= rows[i]) continue;
    std::int64_t mirror = 0;
    for (std::int64_t end = i; mirror < end;) {  // the image lies in a row before
      const std::int64_t middle = mirror + (end - mirror) / 2;
      if (is_before(middle, cols[i], rows[i]))
        mirror = middle + 1;
      else
        end = middle;
    }
    possible = rows[mirror] == cols[i] && cols[mirror] == rows[i] &&
               same_bits(m.values[mirror], mirror_image(m.values[i], symmetry));
  }
  return possible;
}

// A negative zero is no integer: its sign would be lost.
bool is_integer(double value) {
  return std::trunc(value) == value && std::abs(value) < 0x1p63 && !(value == 0 && std::signbit(value));
}

template <class Value>
using written_value =
    std::conditional_t<is_complex<Value>, std::complex<typename part_of_value<Value>::type>, Value>;

// The lines of the entries that the file lists.
template <class Value>
class listed_lines {
 public:
  listed_lines(const fmm::matrix_market_header& header, const fmm::write_options& options)
      : header_(header), values_(header, options), integers_(header, options) {}

  bool lists(std::int32_t row, std::int32_t col) const {
    return header_.symmetry == fmm::general || col <= row;
  }
  std::string coord_matrix(std::int32_t row, std::int32_t col, Value value) {
    if (!lists(row, col)) return {};
    if constexpr (is_complex<Value>) {
      return values_.coord_matrix(row, col, {value.real, value.imaginary});
    } else {
      if (header_.field == fmm::integer)
        return integers_.coord_matrix(row, col, static_cast<std::int64_t>(value));
      return values_.coord_matrix(row, col, value);
    }
  }
  std::string coord_matrix_pattern(std::int32_t row, std::int32_t col) {
    return lists(row, col) ? values_.coord_matrix_pattern(row, col) : std::string();
  }

 private:
  const fmm::matrix_market_header& header_;
  fmm::line_formatter<std::int32_t, written_value<Value>> values_;
  fmm::line_formatter<std::int32_t, std::int64_t> integers_;
};

// All threads make the text of some chunks while one of them writes that of the chunks before. (The package's
// own pool of threads ends the process where there is no memory for one of them.)
template <class Formatter>
void write_chunks(std::ostream& out, Formatter& formatter, const fmm::write_options& options) {
  const auto at_once = static_cast<std::size_t>(4 * omp_get_max_threads());
  std::vector<decltype(formatter.next_chunk(options))> chunks;
  std::vector<std::string> ready, next;
  do {
    chunks.clear();
    while (chunks.size() < at_once && formatter.has_next()) chunks.push_back(formatter.next_chunk(options));
    next.assign(chunks.size(), {});
    parallel_guard guard;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i <= chunks.size(); ++i)
      guard.run([&] {
        if (i > 0)
          next[i - 1] = chunks[i - 1]();
        else
          for (const std::string& text : ready)
            out.write(text.data(), static_cast<std::streamsize>(text.size()));
      });
    guard.rethrow();
    ready.swap(next);
  } while (!ready.empty());
}

}  // namespace

template <class Value>
void write_matrix_market(std::ostream& out, const coo<Value, host>& entries, const matrix_kind& source) {
  const std::int64_t count = entries.values.size();
  const std::int32_t* const rows = entries.row_indices.data();
  const std::int32_t* const cols = entries.col_indices.data();
  const Value* const values = entries.values.data();
  fmm::matrix_market_header header(entries.rows, entries.cols);
  fmm::write_options options;
  const listed_lines<Value> lines(header, options);

  const bool skew = source.symmetry == symmetry_kind::skew_symmetric,
             hermitian = source.symmetry == symmetry_kind::hermitian;
  if (source.symmetry != symmetry_kind::general && is_mirrored(entries, source.symmetry))
    header.symmetry = skew ? fmm::skew_symmetric : hermitian ? fmm::hermitian : fmm::symmetric;
  header.nnz = 0;
  bool all_one = true, all_integer = true;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!lines.lists(rows[i], cols[i])) continue;
    ++header.nnz;
    if constexpr (!is_complex<Value>) {
      all_one = all_one && values[i] == 1;
      all_integer = all_integer && is_integer(values[i]);
    }
  }
  header.field = is_complex<Value> ? fmm::complex : fmm::real;
  // The format knows no skew-symmetric pattern.
  if (!is_complex<Value> && source.field == "pattern" && !skew && all_one) header.field = fmm::pattern;
  if (!is_complex<Value> && source.field == "integer" && all_integer) header.field = fmm::integer;

  fmm::write_header(out, header, options);
  const std::int64_t values_written = header.field == fmm::pattern ? 0 : count;
  fmm::triplet_formatter formatter(lines, rows, rows + count, cols, cols + count, values,
                                   values + values_written);
  write_chunks(out, formatter, options);
}

template void write_matrix_market(std::ostream&, const coo<float, host>&, const matrix_kind&);
template void write_matrix_market(std::ostream&, const coo<double, host>&, const matrix_kind&);
template void write_matrix_market(std::ostream&, const coo<complex64, host>&, const matrix_kind&);
template void write_matrix_market(std::ostream&, const coo<complex128, host>&, const matrix_kind&);

}  // namespace sparsmith
