// Of complex values everything is computed from their absolute values but the symmetry, which is looked at on
// the host, whatever the backend is.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analyze/structure/features.hpp"
#include "analyze/structure/prices.hpp"

namespace sparsmith {
namespace {

template <class Part>
double size_of(complex_number<Part> value) {
  // Of a NaN beside an infinity hypot would make an infinity.
  if (value.real != value.real || value.imaginary != value.imaginary)
    return std::numeric_limits<double>::quiet_NaN();
  return std::hypot(static_cast<double>(value.real), static_cast<double>(value.imaginary));
}

// How many entries off the diagonal have a mirror image of the same value, of the negated and of the
// conjugate one, in rows of which `numbers` are listed; null where all are.
template <class Offset, class Value>
void look_at_mirror_images(const csr<Offset, Value, view_of<host>>& m,
                           const array<std::int32_t, host>* numbers, symmetry_features& found) {
  const auto number_of = [&](std::int64_t r) { return numbers == nullptr ? r : std::int64_t{(*numbers)[r]}; };
  const auto place_of = [&](std::int32_t row) -> std::int64_t {
    if (numbers == nullptr) return row;
    const std::int32_t* const at = std::lower_bound(numbers->begin(), numbers->end(), row);
    return at == numbers->end() || *at != row ? -1 : at - numbers->begin();
  };
  std::int64_t equal = 0, negated = 0, conjugate = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : equal, negated, conjugate)
  for (std::int64_t r = 0; r < m.rows; ++r) {
    const std::int64_t row = number_of(r);
    for (std::int64_t e = m.row_offsets[r]; e < m.row_offsets[r + 1]; ++e) {
      if (m.col_indices[e] == row) continue;
      const std::int64_t other = place_of(m.col_indices[e]);
      if (other < 0) continue;
      const std::int32_t* const end = m.col_indices.data() + m.row_offsets[other + 1];
      const std::int32_t* const image =
          std::lower_bound(m.col_indices.data() + m.row_offsets[other], end, static_cast<std::int32_t>(row));
      if (image == end || *image != row) continue;
      const Value a = m.values[e], b = m.values[image - m.col_indices.data()];
      equal += a.real == b.real && a.imaginary == b.imaginary ? 1 : 0;
      negated += a.real == -b.real && a.imaginary == -b.imaginary ? 1 : 0;
      conjugate += a.real == b.real && a.imaginary == -b.imaginary ? 1 : 0;
    }
  }
  found.values = equal;
  found.negated = negated;
  found.conjugate = conjugate;
}

template <class Value>
array<double, host> sizes_of(const array_view<const Value>& values) {
  array<double, host> sizes(values.size());
#pragma omp parallel for
  for (std::int64_t e = 0; e < values.size(); ++e) sizes[e] = size_of(values[e]);
  return sizes;
}

feature_request of_sizes(const feature_request& request) {
  feature_request result = request;
  result.plan.half = false;  // absolute values that are symmetric say nothing of the values
  return result;
}

template <class Offset, class Value>
void add_complex(const csr<Offset, Value, view_of<host>>& matrix, const array<std::int32_t, host>* numbers,
                 matrix_features& f) {
  f.complex_values = true;
  if (f.rows == f.cols) look_at_mirror_images(matrix, numbers, f.symmetry);
  price_complex(f.formats, f.entries, sizeof(Value));
}

}  // namespace

template <class Backend, class Offset, class Part>
matrix_features features_of_complex(Backend on,
                                    const csr<Offset, complex_number<Part>, view_on<Backend>>& matrix,
                                    const feature_request& request) {
  using space = space_on<Backend>;
  const auto looked_at = [&](const csr<Offset, complex_number<Part>, view_of<host>>& there) {
    auto sizes = sizes_of(there.values);
    const auto of = [&](const auto& values) {
      const csr<Offset, double, view_on<Backend>> m = {matrix.rows, matrix.cols, matrix.row_offsets,
                                                       matrix.col_indices, values};
      return is_hypersparse(m.rows, m.cols, m.values.size())
                 ? features_of(on, hypersparse_of(on, m), of_sizes(request), nullptr)
                 : features_of(on, m, of_sizes(request), nullptr);
    };
    matrix_features f;
    if constexpr (std::is_same_v<space, host>)
      f = of(sizes);
    else
      f = of(copy_to<space>(std::exchange(sizes, {}), place::host));
    add_complex(there, nullptr, f);
    return f;
  };
  if constexpr (std::is_same_v<space, host>) {
    return looked_at(matrix);
  } else {
    const auto there = copy_to<host>(matrix);
    return looked_at(view(there));
  }
}

template <class Backend, class Offset>
matrix_features features_of_complex(Backend on, const hypersparse<Offset, complex128>& matrix,
                                    const feature_request& request) {
  hypersparse<Offset, double> sizes;
  sizes.rows = matrix.rows;
  sizes.cols = matrix.cols;
  sizes.row_numbers = copy_to<host>(matrix.row_numbers, place::host);
  const auto& filled = matrix.filled;
  sizes.filled = {filled.rows, filled.cols, copy_to<host>(filled.row_offsets, place::host),
                  copy_to<host>(filled.col_indices, place::host),
                  sizes_of(array_view<const complex128>(filled.values))};
  matrix_features f = features_of(on, sizes, of_sizes(request), nullptr);
  add_complex(view(filled), &matrix.row_numbers, f);
  return f;
}

#define SPARSMITH_INSTANTIATE(B, O)                                                      \
  template matrix_features features_of_complex(B, const csr<O, complex64, view_on<B>>&,  \
                                               const feature_request&);                  \
  template matrix_features features_of_complex(B, const csr<O, complex128, view_on<B>>&, \
                                               const feature_request&);                  \
  template matrix_features features_of_complex(B, const hypersparse<O, complex128>&, const feature_request&);
SPARSMITH_INSTANTIATE(openmp, std::int32_t)
SPARSMITH_INSTANTIATE(openmp, std::int64_t)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE(cuda, std::int32_t)
SPARSMITH_INSTANTIATE(cuda, std::int64_t)
#endif

}  // namespace sparsmith
