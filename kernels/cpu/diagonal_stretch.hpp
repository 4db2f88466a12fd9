// What DIA's kernels on a CPU share: diagonals that are added to a piece of the outputs, a few in one walk.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/kernel.hpp"
#include "kernels/registry.hpp"

namespace sparsmith {

struct stretch_tuning {
  // Sums of so many outputs stay in the nearest cache.
  static constexpr std::int64_t piece_outputs = 1024;
  // Diagonals that are added in one walk over the sums.
  static constexpr int together = 4;
};

// A diagonal where it meets a piece's outputs [first, last): output i takes values[i] * x[i].
template <class Value>
struct diagonal_stretch {
  std::int64_t first, last;
  const Value* values;
  const Value* x;
};

// Diagonal d where it meets outputs [first, last) of A x or A^T x.
template <class Value>
diagonal_stretch<Value> stretch_of(const dia_view<Value, host>& m, operation op, std::int64_t d,
                                   std::int64_t first, std::int64_t last, const Value* x) {
  // Output i takes input i + shift, and the value in the row that is one of the two.
  const bool by_rows = op == operation::multiply;
  const std::int64_t shift = by_rows ? m.offsets[d] : -std::int64_t{m.offsets[d]};
  const std::int64_t from = std::max(first, -shift),
                     to = std::max(from, std::min(last, inputs(m, op) - shift));
  const Value* const values = m.values.data() + d * m.rows + (by_rows ? 0 : shift);
  return {from - first, to - first, values + first, x + shift + first};
}

// The diagonals, as begin and end, that meet outputs [first, last) at all: of wide and tall matrices few do.
template <class Value>
std::pair<std::int64_t, std::int64_t> diagonals_that_meet(const dia_view<Value, host>& m, operation op,
                                                          std::int64_t first, std::int64_t last) {
  const std::int64_t least = op == operation::multiply ? 1 - last : first - m.rows + 1,
                     most = op == operation::multiply ? m.cols - 1 - first : last - 1;
  const auto begin = std::lower_bound(m.offsets.begin(), m.offsets.end(), least),
             end = std::upper_bound(begin, m.offsets.end(), most);
  return {begin - m.offsets.begin(), end - m.offsets.begin()};
}

template <class Value>
void add_stretch(const diagonal_stretch<Value>& d, Value* sums) {
  const Value* const values = d.values;
  const Value* const x = d.x;
  for (std::int64_t i = d.first; i < d.last; ++i) sums[i] += values[i] * x[i];
}

// stretch(0), stretch(1), ... to sums of so many outputs, in their order: a sum has the same bits whether
// they are added together or not.
template <class Value, class Stretch>
void add_stretches(std::int64_t count, std::int64_t outputs, Value* sums, Stretch stretch) {
  constexpr int together = stretch_tuning::together;
  for (std::int64_t start = 0; start < count; start += together) {
    const auto there = static_cast<int>(std::min<std::int64_t>(together, count - start));
    diagonal_stretch<Value> some[together];
    for (int k = 0; k < there; ++k) some[k] = stretch(start + k);
    const auto whole = [&](const diagonal_stretch<Value>& d) { return d.first == 0 && d.last == outputs; };
    if (there < together || !std::all_of(some, some + together, whole)) {
      for (int k = 0; k < there; ++k) add_stretch(some[k], sums);
      continue;
    }
    const Value *const a = some[0].values, *const b = some[1].values, *const c = some[2].values,
                       *const d = some[3].values;
    const Value *const xa = some[0].x, *const xb = some[1].x, *const xc = some[2].x, *const xd = some[3].x;
    for (std::int64_t i = 0; i < outputs; ++i)
      sums[i] = sums[i] + a[i] * xa[i] + b[i] * xb[i] + c[i] * xc[i] + d[i] * xd[i];
  }
}

}  // namespace sparsmith
