#include "kernels/reference.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

// The row that an entry is in.
template <class Offset, class Value>
std::int64_t row_of(const csr<Offset, Value, view_of<host>>& m, std::int64_t entry) {
  const Offset* const begin = m.row_offsets.data();
  return std::upper_bound(begin, begin + m.rows + 1, static_cast<Offset>(entry)) - begin - 1;
}

// visit(row, entry) for a range of entries, in their order.
template <class Offset, class Value, class Visit>
void walk(const csr<Offset, Value, view_of<host>>& m, std::int64_t first, std::int64_t last, Visit visit) {
  if (first >= last) return;
  for (std::int64_t row = row_of(m, first), e = first; e < last; ++row)
    for (const std::int64_t end = std::min<std::int64_t>(m.row_offsets[row + 1], last); e < end; ++e)
      visit(row, e);
}

// add(column, of(row, entry)) for every entry: those of a column in the order of the entries, so that sums
// have the same bits with any number of threads, and never by two threads at once. Entries are brought to
// ranges of columns, and every range is one thread's: a share of them at a time, so that this takes little
// memory.
template <class Offset, class Value, class Of, class Add>
void add_by_column(const csr<Offset, Value, view_of<host>>& m, Of of, Add add) {
  struct item {
    std::int32_t col;
    double value;
  };
  constexpr std::int64_t least = std::int64_t{1} << 22, most = std::int64_t{1} << 25;
  const std::int64_t entries = m.values.size(), share = std::clamp(entries / 16, least, most);
  const std::int64_t parts = omp_get_max_threads(), most_ranges = 8 * parts;
  const std::int32_t* const cols = m.col_indices.data();
  array<item, host> items(std::min(entries, share));
  item* const to = items.data();
  for (std::int64_t first = 0; first < entries; first += share) {
    const std::int64_t last = std::min(entries, first + share);
    const auto part_begin = [&](std::int64_t part) { return first + (last - first) * part / parts; };
    // Near the diagonal a share of the entries has few of the columns: those are divided, and not all.
    std::int32_t lowest = cols[first], highest = lowest;
#pragma omp parallel for schedule(static) reduction(min : lowest) reduction(max : highest)
    for (std::int64_t e = first; e < last; ++e) {
      lowest = std::min(lowest, cols[e]);
      highest = std::max(highest, cols[e]);
    }
    int shift = 0;
    while (((std::int64_t{highest} - lowest) >> shift) >= most_ranges) ++shift;
    const std::int64_t ranges = ((std::int64_t{highest} - lowest) >> shift) + 1;
    const auto range_of = [=](std::int32_t col) { return (std::int64_t{col} - lowest) >> shift; };
    // Where the next entry of a part and range goes: ranges one after the other, and in them parts, which
    // keeps the order of the entries.
    std::vector<std::int64_t> next(static_cast<std::size_t>(parts * ranges)),
        starts(static_cast<std::size_t>(ranges + 1));
    const auto next_of = [&](std::int64_t part) { return next.data() + part * ranges; };
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t part = 0; part < parts; ++part)
      for (std::int64_t e = part_begin(part); e < part_begin(part + 1); ++e)
        ++next_of(part)[range_of(cols[e])];
    std::int64_t before = 0;
    for (std::int64_t range = 0; range < ranges; ++range) {
      starts[static_cast<std::size_t>(range)] = before;
      for (std::int64_t part = 0; part < parts; ++part) before += std::exchange(next_of(part)[range], before);
    }
    starts.back() = before;
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t part = 0; part < parts; ++part)
      walk(m, part_begin(part), part_begin(part + 1), [&](std::int64_t row, std::int64_t e) {
        to[next_of(part)[range_of(cols[e])]++] = {cols[e], of(row, e)};
      });
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t range = 0; range < ranges; ++range)
      for (std::int64_t i = starts[static_cast<std::size_t>(range)];
           i < starts[static_cast<std::size_t>(range + 1)]; ++i)
        add(to[i].col, to[i].value);
  }
}

// Rows that a thread takes at once: few enough that all threads have some of a matrix of few and long rows.
std::int64_t chunk_of(std::int64_t rows) {
  return std::clamp<std::int64_t>(rows / (16 * omp_get_max_threads()), 1, 1024);
}

array<double, host> zeros(std::int64_t count) {
  array<double, host> all(count);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) all[i] = 0;
  return all;
}

// One after the other.
reference_product joined(const reference_product& a, const reference_product& b) {
  const std::int64_t count = a.y.size();
  reference_product all{array<double, host>(count + b.y.size()), array<double, host>(count + b.y.size())};
  std::copy(a.y.begin(), a.y.end(), all.y.begin());
  std::copy(b.y.begin(), b.y.end(), all.y.begin() + count);
  std::copy(a.bound.begin(), a.bound.end(), all.bound.begin());
  std::copy(b.bound.begin(), b.bound.end(), all.bound.begin() + count);
  return all;
}

// A^T (A x): what rounding may have done to A x goes through A^T as well, and with it what rounding may do to
// the sums of that.
template <class Offset, class Value>
reference_product normal_reference(const csr<Offset, Value, view_of<host>>& m, Value alpha, const Value* x,
                                   Value beta, const Value* y) {
  const reference_product inner = multiply_reference<Offset, Value>(
      m, operation::multiply, Value{1}, x, Value{0}, static_cast<const Value*>(nullptr));
  array<double, host> products = zeros(m.cols), magnitude = zeros(m.cols), off = zeros(m.cols),
                      terms = zeros(m.cols);
  const auto value = [&](std::int64_t e) { return static_cast<double>(m.values[e]); };
  add_by_column(
      m, [&](std::int64_t row, std::int64_t e) { return value(e) * inner.y[row]; },
      [&](std::int32_t col, double one) {
        products[col] += one;
        magnitude[col] += std::fabs(one);
        terms[col] += 1;
      });
  add_by_column(
      m, [&](std::int64_t row, std::int64_t e) { return std::fabs(value(e)) * inner.bound[row]; },
      [&](std::int32_t col, double one) { off[col] += one; });
  reference_product result{array<double, host>(m.cols), array<double, host>(m.cols)};
  constexpr double epsilon = std::numeric_limits<Value>::epsilon(),
                   smallest = std::numeric_limits<Value>::min();
  const double a = static_cast<double>(alpha), b = static_cast<double>(beta);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < m.cols; ++i) {
    const double sum = a == 0 ? 0 : a * products[i], old = b == 0 ? 0 : b * static_cast<double>(y[i]);
    result.y[i] = sum + old;
    const double through = a == 0 ? 0 : std::fabs(a) * off[i],
                 size = (a == 0 ? 0 : std::fabs(a) * magnitude[i]) + through + std::fabs(old);
    result.bound[i] = through + (terms[i] + 5) * (epsilon * size + smallest);
  }
  return result;
}

}  // namespace

template <class Offset, class Value>
reference_product multiply_reference(const csr<Offset, Value, view_of<host>>& m, operation op, Value alpha,
                                     const Value* x, Value beta, const Value* y, std::int32_t neighbours) {
  const std::int64_t count = outputs(m, op);
  if (op == operation::both) {
    const auto alone = [&](operation one, const Value* from, const Value* old) {
      return multiply_reference<Offset, Value>(m, one, alpha, from, beta, old, neighbours);
    };
    return joined(
        alone(operation::multiply, x, y),
        alone(operation::transposed, alpha == Value{0} ? x : x + m.cols, beta == Value{0} ? y : y + m.rows));
  }
  if (op == operation::normal) return normal_reference<Offset, Value>(m, alpha, x, beta, y);
  const bool by_rows = op == operation::multiply;
  reference_product result{array<double, host>(count), array<double, host>(count)};
  constexpr double epsilon = std::numeric_limits<Value>::epsilon(),
                   smallest = std::numeric_limits<Value>::min();
  const double a = static_cast<double>(alpha), b = static_cast<double>(beta);
  const auto finish = [&](std::int64_t i, double products, double magnitude, double terms) {
    const double sum = a == 0 ? 0 : a * products, old = b == 0 ? 0 : b * static_cast<double>(y[i]);
    result.y[i] = sum + old;
    const double size = a == 0 ? 0 : std::fabs(a) * magnitude;
    result.bound[i] = (terms + 4) * (epsilon * (size + std::fabs(old)) + smallest);
  };
  const auto product = [&](std::int64_t row, std::int64_t e) {
    return static_cast<double>(m.values[e]) * static_cast<double>(x[by_rows ? m.col_indices[e] : row]);
  };
  if (by_rows) {
    const std::int64_t chunk = chunk_of(m.rows);
#pragma omp parallel for schedule(dynamic, chunk)
    for (std::int64_t row = 0; row < m.rows; ++row) {
      double products = 0, magnitude = 0;
      for (std::int64_t e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e) {
        const double one = product(row, e);
        products += one;
        magnitude += std::fabs(one);
      }
      finish(row, products, magnitude, static_cast<double>(m.row_offsets[row + 1] - m.row_offsets[row]));
    }
  } else {
    array<double, host> products = zeros(count), magnitude = zeros(count), terms = zeros(count);
    add_by_column(m, product, [&](std::int32_t col, double one) {
      products[col] += one;
      magnitude[col] += std::fabs(one);
      terms[col] += 1;
    });
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) finish(i, products[i], magnitude[i], terms[i]);
  }
  if (neighbours > 0) allow_for_neighbours(m, op, alpha, x, neighbours, result);
  return result;
}

namespace {

// Of one product; `bound` has a place for each of its outputs.
template <class Offset, class Value>
void widen_bounds(const csr<Offset, Value, view_of<host>>& m, operation op, Value alpha, const Value* x,
                  std::int32_t neighbours, double* bound) {
  const std::int64_t count = outputs(m, op), entries = m.values.size();
  const double a = static_cast<double>(alpha);
  if (a == 0 || entries == 0) return;
  // The magnitudes of every so many entries, added up group by group. Differences of sums over all entries
  // would lose the small ones behind large ones.
  const std::int64_t group_count = groups_of(entries, neighbours);
  array<double, host> groups(group_count);
#pragma omp parallel for schedule(static)
  for (std::int64_t group = 0; group < group_count; ++group) {
    double sum = 0;
    walk(m, group * neighbours, std::min(entries, (group + 1) * neighbours),
         [&](std::int64_t row, std::int64_t e) {
           sum += std::fabs(static_cast<double>(m.values[e]) *
                            static_cast<double>(x[op == operation::multiply ? m.col_indices[e] : row]));
         });
    groups[group] = sum;
  }
  // Of all groups that reach into the neighbourhood.
  const auto magnitudes_near = [&](std::int64_t first, std::int64_t last) {
    const std::int64_t begin = std::max<std::int64_t>(first - neighbours, 0) / neighbours,
                       end = groups_of(std::min(last + neighbours, entries), neighbours);
    return std::accumulate(groups.data() + begin, groups.data() + end, 0.0);
  };
  constexpr double epsilon = std::numeric_limits<Value>::epsilon();
  const auto widen = [&](std::int64_t i, double runs,
                         double nearby) {  // a sum for each run, added and taken off
    bound[i] += (2 * std::log2(neighbours) + 4 + 2 * runs) * epsilon * std::fabs(a) * nearby;
  };
  if (op == operation::multiply) {  // a row is one run of entries
    const std::int64_t chunk = chunk_of(m.rows);
#pragma omp parallel for schedule(dynamic, chunk)
    for (std::int64_t row = 0; row < m.rows; ++row) {
      const std::int64_t first = m.row_offsets[row], last = m.row_offsets[row + 1];
      if (first < last)
        widen(row, static_cast<double>(last - first) / neighbours + 2, magnitudes_near(first, last));
    }
    return;
  }
  // Every entry of a column is a run of its own, or nearly so.
  array<double, host> nearby = zeros(count), terms = zeros(count);
  add_by_column(
      m, [&](std::int64_t, std::int64_t e) { return magnitudes_near(e, e + 1); },
      [&](std::int32_t col, double near) {
        nearby[col] += near;
        terms[col] += 1;
      });
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) widen(i, terms[i], nearby[i]);
}

}  // namespace

template <class Offset, class Value>
void allow_for_neighbours(const csr<Offset, Value, view_of<host>>& m, operation op, Value alpha,
                          const Value* x, std::int32_t neighbours, reference_product& known) {
  double* const bound = known.bound.data();
  if (op != operation::both) return widen_bounds(m, op, alpha, x, neighbours, bound);
  widen_bounds(m, operation::multiply, alpha, x, neighbours, bound);
  widen_bounds(m, operation::transposed, alpha, alpha == Value{0} ? x : x + m.cols, neighbours,
               bound + m.rows);
}

namespace {

template <class Part>
complex128 widened(complex_number<Part> value) {
  return {value.real, value.imaginary};
}
template <class Part>
double size_of(complex_number<Part> value) {
  return std::hypot(static_cast<double>(value.real), static_cast<double>(value.imaginary));
}

// A product that was only summed up: what is not read may be anything.
template <class Part>
complex_reference finished(const array<complex128, host>& sums, const array<double, host>& sizes,
                           const array<double, host>& off, const array<double, host>& terms,
                           complex_number<Part> alpha, complex_number<Part> beta,
                           const complex_number<Part>* y) {
  constexpr double epsilon = std::numeric_limits<Part>::epsilon(),
                   smallest = std::numeric_limits<Part>::min();
  const std::int64_t count = sums.size();
  complex_reference result{array<complex128, host>(count), array<double, host>(count)};
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    const bool scaled = !alpha.is_zero(), kept = !beta.is_zero();
    const complex128 old = kept ? widened(beta) * widened(y[i]) : complex128{};
    result.y[i] = (scaled ? widened(alpha) * sums[i] : complex128{}) + old;
    const double through = scaled ? size_of(alpha) * off[i] : 0;
    const double size =
        (scaled ? size_of(alpha) * sizes[i] : 0) + through + (kept ? size_of(beta) * size_of(y[i]) : 0);
    result.bound[i] = through + (terms[i] + 8) * (epsilon * size + smallest);
  }
  return result;
}

}  // namespace

template <class Offset, class Part>
complex_reference multiply_complex_reference(const csr<Offset, complex_number<Part>, view_of<host>>& m,
                                             operation op, complex_number<Part> alpha,
                                             const complex_number<Part>* x, complex_number<Part> beta,
                                             const complex_number<Part>* y) {
  using value = complex_number<Part>;
  const std::int64_t count = outputs(m, op);
  if (op == operation::both) {
    const bool reads = !alpha.is_zero(), keeps = !beta.is_zero();
    const complex_reference of_rows = multiply_complex_reference(m, operation::multiply, alpha, x, beta, y);
    const complex_reference of_columns = multiply_complex_reference(
        m, operation::transposed, alpha, reads ? x + m.cols : x, beta, keeps ? y + m.rows : y);
    complex_reference all{array<complex128, host>(count), array<double, host>(count)};
    std::copy(of_columns.y.begin(), of_columns.y.end(),
              std::copy(of_rows.y.begin(), of_rows.y.end(), all.y.begin()));
    std::copy(of_columns.bound.begin(), of_columns.bound.end(),
              std::copy(of_rows.bound.begin(), of_rows.bound.end(), all.bound.begin()));
    return all;
  }
  array<complex128, host> sums(count);
  std::fill(sums.begin(), sums.end(), complex128{});
  array<double, host> sizes = zeros(count), off = zeros(count), terms = zeros(count);
  // What A^T (A x) takes as its x, and what rounding may have done to that.
  complex_reference inner;
  if (op == operation::normal && !alpha.is_zero())
    inner = multiply_complex_reference(m, operation::multiply, value{1}, x, value{},
                                       static_cast<const value*>(nullptr));
  const auto add = [&](std::int64_t row, std::int64_t e) {
    const std::int64_t col = m.col_indices[e], out = op == operation::multiply ? row : col;
    const complex128 input = op == operation::multiply     ? widened(x[col])
                             : op == operation::transposed ? widened(x[row])
                                                           : inner.y[row];
    sums[out] += widened(m.values[e]) * input;
    sizes[out] += size_of(m.values[e]) * size_of(input);
    // A bound holds for each part, so that both together are off by less than twice as much.
    if (op == operation::normal) off[out] += 2 * size_of(m.values[e]) * inner.bound[row];
    terms[out] += 1;
  };
  if (!alpha.is_zero() && op == operation::multiply) {
    const std::int64_t chunk = chunk_of(m.rows);
#pragma omp parallel for schedule(dynamic, chunk)
    for (std::int64_t row = 0; row < m.rows; ++row)
      for (std::int64_t e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e) add(row, e);
  } else if (!alpha.is_zero()) {
    walk(m, 0, m.values.size(), add);
  }
  return finished(sums, sizes, off, terms, alpha, beta, y);
}

template <class Value>
reference_comparison compare_outputs(openmp, const Value* y, const double* expected, const double* bound,
                                     std::int64_t count) {
  std::int64_t wrong = 0, first = count;
  double error = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong) reduction(min : first) reduction(max : error)
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(y[i]);
    if (!within(value, expected[i], bound[i])) {
      ++wrong;
      first = std::min(first, i);
    }
    const double off = std::fabs(value - expected[i]);
    if (off > 0 && bound[i] > 0) error = std::max(error, off / bound[i]);
  }
  return {wrong, wrong > 0 ? first : 0, error};
}

template <class Value>
void poison_outputs(openmp, Value* y, std::int64_t count) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) y[i] = std::numeric_limits<Value>::quiet_NaN();
}

#define SPARSMITH_INSTANTIATE_COMPARISON(V)                                                     \
  template reference_comparison compare_outputs(openmp, const V*, const double*, const double*, \
                                                std::int64_t);                                  \
  template void poison_outputs(openmp, V*, std::int64_t);

SPARSMITH_INSTANTIATE_COMPARISON(float)
SPARSMITH_INSTANTIATE_COMPARISON(double)

#define SPARSMITH_INSTANTIATE_REFERENCE(O, V)                                                               \
  template reference_product multiply_reference(const csr<O, V, view_of<host>>&, operation, V, const V*, V, \
                                                const V*, std::int32_t);                                    \
  template void allow_for_neighbours(const csr<O, V, view_of<host>>&, operation, V, const V*, std::int32_t, \
                                     reference_product&);

#define SPARSMITH_INSTANTIATE_COMPLEX_REFERENCE(O, P)                                \
  template complex_reference multiply_complex_reference(                             \
      const csr<O, complex_number<P>, view_of<host>>&, operation, complex_number<P>, \
      const complex_number<P>*, complex_number<P>, const complex_number<P>*);

SPARSMITH_INSTANTIATE_COMPLEX_REFERENCE(std::int32_t, float)
SPARSMITH_INSTANTIATE_COMPLEX_REFERENCE(std::int32_t, double)
SPARSMITH_INSTANTIATE_COMPLEX_REFERENCE(std::int64_t, float)
SPARSMITH_INSTANTIATE_COMPLEX_REFERENCE(std::int64_t, double)

SPARSMITH_INSTANTIATE_REFERENCE(std::int32_t, float)
SPARSMITH_INSTANTIATE_REFERENCE(std::int32_t, double)
SPARSMITH_INSTANTIATE_REFERENCE(std::int64_t, float)
SPARSMITH_INSTANTIATE_REFERENCE(std::int64_t, double)

}  // namespace sparsmith
