// What CSR's kernels on CUDA share: a row, or a part of one, walked by some of a warp's lanes or by a thread
// block. A^T x adds to y with one atomic per entry, whoever walks the entries.
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
          .additions = {.transposed = kernel_facts::adds::every},
          .launches = {.multiply = 1, .transposed = 2}};
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

// The part of a row's product that one of `lanes` walkers finds, several loads at a time, also where they are
// the row's last: a load that waits for the one before costs more than all others together. For A^T x there
// is no sum: `factor` is alpha times x of the row.
template <bool Transposed, class Offset, class Value>
__device__ Value walk_row(const csr_arrays<Offset, Value>& m, Offset first, Offset last, int lane, int lanes,
                          const Value* __restrict__ x, Value factor, Value* y) {
  constexpr int loads = csr_tuning::loads_at_once;
  // Without sign, so that it holds what is past the end too and need not be widened.
  const auto own_first = static_cast<std::make_unsigned_t<Offset>>(first) + static_cast<unsigned>(lane);
  const std::int32_t* __restrict__ own_cols = m.cols + own_first;
  const Value* __restrict__ own_values = m.values + own_first;
  Offset entries = last - first;
  Value sum = 0;
  std::int32_t cols[loads];
  Value values[loads];
  const auto when_loaded = [] {
    if constexpr (Transposed) wait_for_kernel_before();  // which may be the one that scales y
  };
  const auto use = [&](std::int32_t col, Value value) {
    if constexpr (Transposed)
      atomicAdd(y + col, factor * value);
    else
      sum += value * x[col];
  };
  // A whole warp agrees, and need not ask for the other loads.
  const auto walk_one_load = [&] {
    if (lane >= entries) return;
    const std::int32_t col = *own_cols;
    const Value value = *own_values;
    when_loaded();
    use(col, value);
  };
  if (lanes >= 32 && entries <= lanes) {  // asked first: most rows are no longer
    walk_one_load();
    return sum;
  }
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
  return sum;
}

// One row by `Lanes` neighbouring lanes; all lanes of the warp must come here, with a row past the end where
// there is none. A row above `limit` is not for them.
template <int Lanes, bool Transposed, class Offset, class Value>
__device__ void multiply_row(const csr_arrays<Offset, Value>& m, std::uint32_t row, Value alpha,
                             const Value* __restrict__ x, Value beta, Value* y,
                             std::int64_t limit = std::numeric_limits<std::int64_t>::max(),
                             const read_ahead* ahead = nullptr) {
  const int lane = static_cast<int>(threadIdx.x % Lanes);
  Value sum = 0;
  bool own = row < static_cast<std::uint32_t>(m.rows);
  if (own) {
    const Offset* const ends = m.offsets + row;
    const Offset first = ends[0], last = ends[1];
    const Value x_of_row = Transposed ? x[row] : Value{0};  // not after a wait for the offsets
    if (ahead != nullptr) ahead->bring();
    own = last - first <= limit;
    if (own) sum = walk_row<Transposed>(m, first, last, lane, Lanes, x, alpha * x_of_row, y);
  }
  if constexpr (!Transposed) {
    __syncwarp();
    sum = lane_sum<Lanes>(sum);
    if (lane == 0 && own) y[row] = updated(beta, y + row, alpha * sum);
  }
}

#endif

}  // namespace sparsmith
