#include "kernels/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "convert/formats/sizes.hpp"

namespace sparsmith {

template <class Offset, class Value>
reference_product multiply_reference(const csr<Offset, Value, view_of<host>>& m, operation op, Value alpha,
                                     const Value* x, Value beta, const Value* y, std::int32_t neighbours) {
  const std::int64_t count = outputs(m, op), entries = m.values.size();
  reference_product result{array<double, host>(count), array<double, host>(count)};
  std::vector<double> magnitude(static_cast<std::size_t>(count)), terms(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) result.y[i] = 0;

  // Where neighbours count: the magnitudes of every so many entries, added up group by group. Differences of
  // sums over all entries would lose the small ones behind large ones.
  std::vector<double> groups(static_cast<std::size_t>(
      neighbours > 0 ? groups_of(std::max<std::int64_t>(entries, 1), neighbours) : 0)),
      nearby(static_cast<std::size_t>(neighbours > 0 ? count : 0));
  for (std::int64_t row = 0; row < m.rows; ++row)
    for (Offset e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e) {
      const std::int64_t col = m.col_indices[e];
      const auto out = static_cast<std::size_t>(op == operation::multiply ? row : col);
      const double product =
          static_cast<double>(m.values[e]) * static_cast<double>(x[op == operation::multiply ? col : row]);
      result.y[static_cast<std::int64_t>(out)] += product;
      magnitude[out] += std::fabs(product);
      terms[out] += 1;
      if (neighbours > 0) groups[static_cast<std::size_t>(e / neighbours)] += std::fabs(product);
    }
  if (neighbours > 0) {
    // Of all groups that reach into the neighbourhood.
    const auto magnitudes_near = [&](std::int64_t first, std::int64_t last) {
      const std::int64_t begin = std::max<std::int64_t>(first - neighbours, 0) / neighbours,
                         end = groups_of(std::min(last + neighbours, entries), neighbours);
      return std::accumulate(groups.begin() + begin, groups.begin() + end, 0.0);
    };
    for (std::int64_t row = 0; row < m.rows; ++row) {
      const std::int64_t first = m.row_offsets[row], last = m.row_offsets[row + 1];
      if (op == operation::multiply)  // one run of entries
        nearby[static_cast<std::size_t>(row)] = first < last ? magnitudes_near(first, last) : 0;
      else  // every entry is a run of its own, or nearly so
        for (std::int64_t e = first; e < last; ++e)
          nearby[static_cast<std::size_t>(m.col_indices[e])] += magnitudes_near(e, e + 1);
    }
  }

  constexpr double epsilon = std::numeric_limits<Value>::epsilon(),
                   smallest = std::numeric_limits<Value>::min();
  const double a = static_cast<double>(alpha), b = static_cast<double>(beta);
  for (std::int64_t i = 0; i < count; ++i) {
    const double sum = a == 0 ? 0 : a * result.y[i], old = b == 0 ? 0 : b * static_cast<double>(y[i]);
    const double k = terms[static_cast<std::size_t>(i)];
    result.y[i] = sum + old;
    const double size = a == 0 ? 0 : std::fabs(a) * magnitude[static_cast<std::size_t>(i)];
    result.bound[i] = (k + 4) * (epsilon * (size + std::fabs(old)) + smallest);
    if (neighbours > 0 && a != 0) {
      const double runs =
          op == operation::multiply ? k / neighbours + 2 : k;  // a sum for each, added and taken off
      result.bound[i] += (2 * std::log2(neighbours) + 4 + 2 * runs) * epsilon * std::fabs(a) *
                         nearby[static_cast<std::size_t>(i)];
    }
  }
  return result;
}

bool within(double result, double expected, double bound) {
  if (std::isnan(expected)) return std::isnan(result);
  if (std::isinf(expected)) return result == expected;
  return std::fabs(result - expected) <= bound;
}

template reference_product multiply_reference(const csr<std::int32_t, float, view_of<host>>&, operation,
                                              float, const float*, float, const float*, std::int32_t);
template reference_product multiply_reference(const csr<std::int32_t, double, view_of<host>>&, operation,
                                              double, const double*, double, const double*, std::int32_t);
template reference_product multiply_reference(const csr<std::int64_t, float, view_of<host>>&, operation,
                                              float, const float*, float, const float*, std::int32_t);
template reference_product multiply_reference(const csr<std::int64_t, double, view_of<host>>&, operation,
                                              double, const double*, double, const double*, std::int32_t);

}  // namespace sparsmith
