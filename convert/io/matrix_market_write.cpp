// Writes Matrix Market files. The lines are fast_matrix_market's; which lines there are is ours.
#include <omp.h>

#include <bit>
#include <cmath>
#include <fast_matrix_market/fast_matrix_market.hpp>
#include <vector>

#include "convert/backend/parallel_guard.hpp"
#include "convert/io/matrix_market.hpp"

namespace sparsmith {
namespace {

namespace fmm = fast_matrix_market;

template <class Value>
bool same_bits(Value a, Value b) {
  using bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

// Whether one triangle tells the whole matrix: the entries are sorted, every one below the diagonal has its
// mirror image, and there are no more above. Sorted entries can be searched, so nothing is allocated.
template <class Value>
bool is_mirrored(const coo<Value, host>& m, bool skew) {
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
    if (rows[i] == cols[i] && skew) possible = false;  // such a file has no diagonal
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
               same_bits(m.values[mirror], skew ? -m.values[i] : m.values[i]);
  }
  return possible;
}

// A negative zero is no integer: its sign would be lost.
bool is_integer(double value) {
  return std::trunc(value) == value && std::abs(value) < 0x1p63 && !(value == 0 && std::signbit(value));
}

// The lines of the entries that the file lists.
template <class Value>
class listed_lines {
 public:
  listed_lines(const fmm::matrix_market_header& header, const fmm::write_options& options)
      : header_(header), reals_(header, options), integers_(header, options) {}

  bool lists(std::int32_t row, std::int32_t col) const {
    return header_.symmetry == fmm::general || col <= row;
  }
  std::string coord_matrix(std::int32_t row, std::int32_t col, Value value) {
    if (!lists(row, col)) return {};
    if (header_.field == fmm::integer)
      return integers_.coord_matrix(row, col, static_cast<std::int64_t>(value));
    return reals_.coord_matrix(row, col, value);
  }
  std::string coord_matrix_pattern(std::int32_t row, std::int32_t col) {
    return lists(row, col) ? reals_.coord_matrix_pattern(row, col) : std::string();
  }

 private:
  const fmm::matrix_market_header& header_;
  fmm::line_formatter<std::int32_t, Value> reals_;
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

  const bool skew = source.symmetry == symmetry_kind::skew_symmetric;
  if (source.symmetry != symmetry_kind::general && is_mirrored(entries, skew))
    header.symmetry = skew ? fmm::skew_symmetric : fmm::symmetric;
  header.nnz = 0;
  bool all_one = true, all_integer = true;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!lines.lists(rows[i], cols[i])) continue;
    ++header.nnz;
    all_one = all_one && values[i] == 1;
    all_integer = all_integer && is_integer(values[i]);
  }
  header.field = fmm::real;
  // The format knows no skew-symmetric pattern.
  if (source.field == "pattern" && !skew && all_one) header.field = fmm::pattern;
  if (source.field == "integer" && all_integer) header.field = fmm::integer;

  fmm::write_header(out, header, options);
  const std::int64_t values_written = header.field == fmm::pattern ? 0 : count;
  fmm::triplet_formatter formatter(lines, rows, rows + count, cols, cols + count, values,
                                   values + values_written);
  write_chunks(out, formatter, options);
}

template void write_matrix_market(std::ostream&, const coo<float, host>&, const matrix_kind&);
template void write_matrix_market(std::ostream&, const coo<double, host>&, const matrix_kind&);

}  // namespace sparsmith
