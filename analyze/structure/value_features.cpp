#include "analyze/structure/value_features.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analyze/structure/maximum_matching.hpp"
#include "convert/reordering.hpp"

namespace sparsmith {
namespace {

// The entries, with columns as they are and numbered so that few have none.
template <class Offset, class Value>
struct listed_rows {
  std::int64_t rows, cols;      // of the matrix
  const std::int32_t* numbers;  // of the listed rows; null where all are listed
  std::int64_t listed;
  const Offset* offsets;
  const std::int32_t* cols_of;
  const std::int32_t* places;  // of the entries' columns, all of them below place_count
  std::int64_t place_count;
  const Value* values;

  std::int64_t entries() const { return listed == 0 ? 0 : std::int64_t{offsets[listed]}; }
  std::int64_t number(std::int64_t r) const { return numbers == nullptr ? r : numbers[r]; }
  double size_of(std::int64_t e) const { return std::fabs(static_cast<double>(values[e])); }
};

struct extremes {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  std::int64_t nans = 0;
};

template <class Offset, class Value>
extremes extremes_of(const listed_rows<Offset, Value>& m) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  std::int64_t nans = 0;
  const std::int64_t entries = m.entries();
#pragma omp parallel for reduction(min : smallest) reduction(max : largest) reduction(+ : nans)
  for (std::int64_t e = 0; e < entries; ++e) {
    const double size = m.size_of(e);
    if (size > 0 && size < smallest) smallest = size;
    if (size > largest) largest = size;
    nans += size != size ? 1 : 0;
  }
  return {smallest, largest, nans};
}

// Of values scaled by a power of two, so that no square is too large; the sums of pieces are added in order.
template <class Offset, class Value>
double frobenius_norm(const listed_rows<Offset, Value>& m, double largest) {
  constexpr std::int64_t piece_entries = 1 << 14;
  if (largest == 0 || !std::isfinite(largest)) return largest;
  const double scale = std::scalbn(1.0, std::clamp(-std::ilogb(largest), -1022, 1023));
  const std::int64_t entries = m.entries(), pieces = groups_of(entries, piece_entries);
  std::vector<double> sums(static_cast<std::size_t>(pieces));
#pragma omp parallel for
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    double sum = 0;
    for (std::int64_t e = piece * piece_entries; e < std::min(entries, (piece + 1) * piece_entries); ++e) {
      const double scaled = m.size_of(e) * scale;
      sum += scaled * scaled;
    }
    sums[static_cast<std::size_t>(piece)] = sum;
  }
  double sum = 0;
  for (const double one : sums) sum += one;
  return std::sqrt(sum) / scale;
}

// Every thread adds up some of the columns, each from the first row to the last.
template <class Offset, class Value>
double largest_column_sum(const listed_rows<Offset, Value>& m) {
  array<double, host> sums(m.place_count);
  double largest = 0;
  const std::int64_t entries = m.entries();
#pragma omp parallel reduction(max : largest)
  {
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::int64_t first = m.place_count * thread / threads,
                       last = m.place_count * (thread + 1) / threads;
    std::fill(sums.data() + first, sums.data() + last, 0.0);
    for (std::int64_t e = 0; e < entries; ++e)
      if (const std::int64_t place = m.places[e]; place >= first && place < last) sums[place] += m.size_of(e);
    for (std::int64_t place = first; place < last; ++place) largest = std::max(largest, sums[place]);
  }
  return largest;
}

template <class Offset, class Value>
void look_at_rows(const listed_rows<Offset, Value>& m, value_features& found) {
  const bool square = m.rows == m.cols;
  double largest = 0;
  std::int64_t dominant = 0, strictly = 0, zeros = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(max : largest) \
    reduction(+ : dominant, strictly, zeros)
  for (std::int64_t r = 0; r < m.listed; ++r) {
    const std::int64_t row = m.number(r);
    double sum = 0, others = 0, diagonal = 0;
    for (std::int64_t e = m.offsets[r]; e < m.offsets[r + 1]; ++e) {
      const double size = m.size_of(e);
      sum += size;
      if (m.cols_of[e] == row) {
        diagonal = size;
        zeros += size == 0 ? 1 : 0;
      } else {
        others += size;
      }
    }
    largest = std::max(largest, sum);
    dominant += diagonal >= others ? 1 : 0;
    strictly += diagonal > others ? 1 : 0;
  }
  found.norm_infinity = largest;
  if (!square) return;
  found.dominant_rows = dominant + (m.rows - m.listed);  // 0 is no less than nothing
  found.strictly_dominant_rows = strictly;
  found.diagonal_zeros = zeros;
}

template <class Offset, class Value>
value_features look_at(const listed_rows<Offset, Value>& m) {
  const extremes sizes = extremes_of(m);
  value_features found;
  found.smallest = std::isfinite(sizes.smallest) || sizes.largest > 0 ? sizes.smallest : 0;
  found.largest = sizes.largest;
  look_at_rows(m, found);
  if (sizes.nans > 0) {
    found.norm_1 = found.norm_infinity = found.norm_frobenius = found.norm_max =
        std::numeric_limits<double>::quiet_NaN();
    return found;
  }
  found.norm_1 = largest_column_sum(m);
  found.norm_frobenius = frobenius_norm(m, sizes.largest);
  found.norm_max = sizes.largest;
  return found;
}

// The columns of entries by their rank among those that have some.
struct numbered_columns {
  array<std::int32_t, host> places;
  std::int32_t count = 0;
};
numbered_columns number_columns(array_view<const std::int32_t> cols) {
  array<std::int32_t, host> known = copy_to<host>(cols, place::host);
  std::sort(known.begin(), known.end());
  const std::int32_t* const end = std::unique(known.begin(), known.end());
  numbered_columns found{array<std::int32_t, host>(cols.size()),
                         static_cast<std::int32_t>(end - known.begin())};
  const std::int32_t* const first = known.data();
#pragma omp parallel for
  for (std::int64_t e = 0; e < cols.size(); ++e)
    found.places[e] = static_cast<std::int32_t>(std::lower_bound(first, end, cols[e]) - first);
  return found;
}

}  // namespace

template <class Offset, class Value>
value_features value_features_of(const csr<Offset, Value, view_of<host>>& matrix) {
  return look_at(listed_rows<Offset, Value>{matrix.rows, matrix.cols, nullptr, matrix.rows,
                                            matrix.row_offsets.data(), matrix.col_indices.data(),
                                            matrix.col_indices.data(), matrix.cols, matrix.values.data()});
}

template <class Offset, class Value>
value_features value_features_of(const hypersparse<Offset, Value>& matrix) {
  const csr<Offset, Value, host>& filled = matrix.filled;
  const numbered_columns numbered = number_columns(filled.col_indices);
  return look_at(listed_rows<Offset, Value>{matrix.rows, matrix.cols, matrix.row_numbers.data(),
                                            matrix.row_numbers.size(), filled.row_offsets.data(),
                                            filled.col_indices.data(), numbered.places.data(), numbered.count,
                                            filled.values.data()});
}

template <class Offset>
std::int64_t structural_rank_of(const csr_pattern<Offset, host>& matrix) {
  return maximum_matching(matrix);
}

template <class Offset>
std::int64_t structural_rank_of(const hypersparse_pattern<Offset>& matrix) {
  const numbered_columns numbered = number_columns(matrix.col_indices);
  return maximum_matching(csr_pattern<Offset, host>{static_cast<std::int32_t>(matrix.row_numbers.size()),
                                                    numbered.count, matrix.row_offsets, numbered.places});
}

namespace {

template <class Offset>
std::int64_t rcm_bandwidth_of(const csr_pattern<Offset, host>& matrix) {
  return bandwidth_in_order(matrix, reverse_cuthill_mckee(adjacency_of(matrix)));
}
// Of the rows and columns that have entries, in their order: the others come in none of its parts.
template <class Offset>
std::int64_t rcm_bandwidth_of(const hypersparse_pattern<Offset>& matrix) {
  std::vector<std::int32_t> used(matrix.row_numbers.begin(), matrix.row_numbers.end());
  used.insert(used.end(), matrix.col_indices.begin(), matrix.col_indices.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto place_of = [&](std::int32_t number) {
    return static_cast<std::int32_t>(std::lower_bound(used.begin(), used.end(), number) - used.begin());
  };
  csr<Offset, float, host> filled;
  filled.rows = filled.cols = static_cast<std::int32_t>(used.size());
  filled.row_offsets = array<Offset, host>(std::int64_t{filled.rows} + 1);
  filled.col_indices = array<std::int32_t, host>(matrix.entries());
  std::transform(matrix.col_indices.begin(), matrix.col_indices.end(), filled.col_indices.begin(), place_of);
  const std::int64_t listed = matrix.row_numbers.size();
  for (std::int64_t place = 0, row = 0; place <= filled.rows; ++place) {
    while (row < listed && place < filled.rows &&
           matrix.row_numbers[row] < used[static_cast<std::size_t>(place)])
      ++row;
    filled.row_offsets[place] =
        listed == 0 || place == filled.rows ? static_cast<Offset>(matrix.entries()) : matrix.row_offsets[row];
  }
  return rcm_bandwidth_of(pattern_of(filled));
}

template <class Matrix>
void add_wanted(const Matrix& matrix, const feature_request& request, matrix_features& features) {
  if (request.values) features.of_values = value_features_of(matrix);
  if (features.entries > request.most_entries_for_graphs) return;
  const auto pattern = pattern_of(matrix);
  features.structural_rank = structural_rank_of(pattern);
  if (features.rows == features.cols) features.rcm_bandwidth = rcm_bandwidth_of(pattern);
}

}  // namespace

template <class Backend, class Offset, class Value>
void add_value_features(Backend, const csr<Offset, Value, view_on<Backend>>& matrix,
                        const feature_request& request, matrix_features& features) {
  if constexpr (std::is_same_v<Backend, openmp>) {
    add_wanted(matrix, request, features);
  } else {
    const auto copy = copy_to<host>(matrix);
    add_wanted(view(copy), request, features);
  }
}

template <class Backend, class Offset, class Value>
void add_value_features(Backend, const hypersparse<Offset, Value>& matrix, const feature_request& request,
                        matrix_features& features) {
  add_wanted(matrix, request, features);
}

#define SPARSMITH_INSTANTIATE_TYPES(B, O, V)                                                \
  template void add_value_features(B, const csr<O, V, view_on<B>>&, const feature_request&, \
                                   matrix_features&);                                       \
  template void add_value_features(B, const hypersparse<O, V>&, const feature_request&, matrix_features&);
#define SPARSMITH_INSTANTIATE(B)                       \
  SPARSMITH_INSTANTIATE_TYPES(B, std::int32_t, float)  \
  SPARSMITH_INSTANTIATE_TYPES(B, std::int32_t, double) \
  SPARSMITH_INSTANTIATE_TYPES(B, std::int64_t, float)  \
  SPARSMITH_INSTANTIATE_TYPES(B, std::int64_t, double)

SPARSMITH_INSTANTIATE(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE(cuda)
#endif

}  // namespace sparsmith
