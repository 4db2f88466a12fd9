// What CSR's kernels on CUDA share: a row, or a part of one, walked by some of a warp's lanes or by a thread
// block. Products with A sum up x in y; those with A^T add w to z with one atomic per entry, whoever walks
// the entries. A kernel of one product has one x and one y, under both names.
#pragma once

#include <limits>

#include "kernels/cuda/csr.hpp"
#include "kernels/cuda/overlap.hpp"
#include "kernels/cuda/read_ahead.hpp"

namespace sparsmith {

struct csr_tuning {
  static constexpr int threads = 256;  // of a thread block
  // Of a lane, before the first is used: as many requests are on their way at once.
  static constexpr int loads_at_once = 4;
};

// The facts that all share.
constexpr kernel_facts csr_facts(kernel_facts::rows walk) {
  return {.walk = walk,
          .additions = {.transposed = kernel_facts::adds::every,
                        .both = kernel_facts::adds::every,
                        .normal = kernel_facts::adds::every},
          .launches = {.multiply = 1, .transposed = 2, .both = 2, .normal = 2}};
}
constexpr kernel_facts csr_facts_of_lanes(int lanes) {
  kernel_facts facts = csr_facts(kernel_facts::rows::lanes);
  facts.lanes = facts.at_once = lanes;
  return facts;
}

#ifdef __CUDACC__

template <class Offset, class Value>
struct csr_arrays {
  std::int32_t rows;
  const Offset* __restrict__ offsets;
  const std::int32_t* __restrict__ cols;
  const Value* __restrict__ values;

  explicit csr_arrays(const csr_view<Offset, Value, device>& m)
      : rows(m.rows), offsets(m.row_offsets.data()), cols(m.col_indices.data()), values(m.values.data()) {}
};

// What one of `lanes` walkers of a row meets, use(column, value) for each entry: several loads at a time,
// also where they are the row's last: a load that waits for the one before costs more than all others
// together.
template <class Offset, class Value, class WhenLoaded, class Use>
__device__ __forceinline__ void walk_entries(const csr_arrays<Offset, Value>& m, Offset first, Offset last,
                                             int lane, int lanes, WhenLoaded when_loaded, Use use) {
  constexpr int loads = csr_tuning::loads_at_once;
  // Without sign, so that it holds what is past the end too and need not be widened.
  const auto own_first = static_cast<std::make_unsigned_t<Offset>>(first) + static_cast<unsigned>(lane);
  const std::int32_t* __restrict__ own_cols = m.cols + own_first;
  const Value* __restrict__ own_values = m.values + own_first;
  Offset entries = last - first;
  std::int32_t cols[loads];
  Value values[loads];
  // A whole warp agrees, and need not ask for the other loads.
  const auto walk_one_load = [&] {
    if (lane >= entries) return;
    const std::int32_t col = *own_cols;
    const Value value = *own_values;
    when_loaded();
    use(col, value);
  };
  if (lanes >= 32 && entries <= lanes) return walk_one_load();  // asked first: most rows are no longer
  // All lanes of a row do the same, so that none waits for what only another one reads.
  for (; entries >= loads * lanes; entries -= loads * lanes) {
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      cols[k] = own_cols[k * lanes];
      values[k] = own_values[k * lanes];
    }
    own_cols += loads * lanes;
    own_values += loads * lanes;
    when_loaded();
#pragma unroll
    for (int k = 0; k < loads; ++k) use(cols[k], values[k]);
  }
  const auto left = static_cast<int>(entries);
  if (lanes >= 32 && left <= lanes) {
    walk_one_load();
  } else if (lane < left) {
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const bool inside = k * lanes + lane < left;
      cols[k] = inside ? own_cols[k * lanes] : -1;
      values[k] = inside ? own_values[k * lanes] : Value{0};
    }
    when_loaded();
#pragma unroll
    for (int k = 0; k < loads; ++k)
      if (cols[k] >= 0) use(cols[k], values[k]);
  }
}

// The part of a row's product that a walker finds. Of A^T x there is no sum; `factor` is alpha times w of the
// row.
template <operation Op, class Offset, class Value>
__device__ Value walk_row(const csr_arrays<Offset, Value>& m, Offset first, Offset last, int lane, int lanes,
                          const Value* __restrict__ x, Value factor, Value* z) {
  static_assert(Op != operation::normal, "which walks a row twice");
  constexpr bool adds = Op != operation::multiply, sums = Op != operation::transposed;
  Value sum = 0;
  walk_entries(
      m, first, last, lane, lanes,
      [] {
        if constexpr (adds) wait_for_kernel_before();  // which may be the one that scales z
      },
      [&](std::int32_t col, Value value) {
        if constexpr (adds) atomicAdd(z + col, factor * value);
        if constexpr (sums) sum += value * x[col];
      });
  return sum;
}

// One row by `Lanes` neighbouring lanes; all lanes of the warp must come here, with a row past the end where
// there is none. A row above `limit` is not for them.
template <int Lanes, operation Op, class Offset, class Value>
__device__ void multiply_row(const csr_arrays<Offset, Value>& m, std::uint32_t row, Value alpha,
                             const Value* __restrict__ x, const Value* __restrict__ w, Value beta, Value* y,
                             Value* z, std::int64_t limit = std::numeric_limits<std::int64_t>::max(),
                             const read_ahead* ahead = nullptr) {
  constexpr bool factor_is_known = Op == operation::transposed || Op == operation::both;
  constexpr operation first_walk = Op == operation::normal ? operation::multiply : Op;
  const int lane = static_cast<int>(threadIdx.x % Lanes);
  Value sum = 0;
  Offset first = 0, last = 0;
  bool own = row < static_cast<std::uint32_t>(m.rows);
  if (own) {
    const Offset* const ends = m.offsets + row;
    first = ends[0], last = ends[1];
    const Value w_of_row = factor_is_known ? w[row] : Value{0};  // not after a wait for the offsets
    if (ahead != nullptr) ahead->bring();
    own = last - first <= limit;
    if (own) sum = walk_row<first_walk>(m, first, last, lane, Lanes, x, alpha * w_of_row, z);
  }
  if constexpr (Op != operation::transposed) {
    __syncwarp();
    sum = lane_sum<Lanes>(sum);
  }
  if constexpr (Op == operation::multiply || Op == operation::both)
    if (lane == 0 && own) y[row] = updated(beta, y + row, alpha * sum);
  if constexpr (Op == operation::normal)  // its entries are in the nearest cache
    if (own) walk_row<operation::transposed>(m, first, last, lane, Lanes, x, alpha * sum, z);
}

#endif

}  // namespace sparsmith
