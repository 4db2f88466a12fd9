// csr/merge: merge-path, which gives every thread the same number of rows plus entries.
#include "kernels/cuda/csr_rows.hpp"
#include "kernels/line_here.hpp"

namespace sparsmith {
namespace {

constexpr int threads = csr_tuning::threads;

struct merge_tuning {
  // Rows plus entries. Products and ends of a thread block's rows are in shared memory.
  static constexpr int items_per_thread = 8, items_per_block = threads * items_per_thread;
};
constexpr int items_per_thread = merge_tuning::items_per_thread,
              items_per_block = merge_tuning::items_per_block;

template <class Offset>
__global__ void cut_path(std::int32_t rows, std::int64_t entries, const Offset* offsets, std::int64_t size,
                         std::int64_t pieces, std::int32_t* first_rows) {
  const std::int64_t piece = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (piece > pieces) return;
  const std::int64_t along = piece * size < rows + entries ? piece * size : rows + entries;
  // How many rows end within the first `along` items; row r's end is item offsets[r + 1] + r.
  std::int64_t low = 0, high = rows;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (offsets[middle + 1] + middle < along)
      low = middle + 1;
    else
      high = middle;
  }
  first_rows[piece] = static_cast<std::int32_t>(low);
}

}  // namespace

template <class Offset, class Value>
array<std::int32_t, device> path_cuts(cuda on, const csr_view<Offset, Value, device>& m, std::int64_t size) {
  const std::int64_t items = std::int64_t{m.rows} + m.values.size(), pieces = (items + size - 1) / size;
  array<std::int32_t, device> cuts(pieces + 1);
  cut_path<<<blocks_for(pieces + 1, threads), threads, 0, on.stream>>>(
      m.rows, m.values.size(), m.row_offsets.data(), size, pieces, cuts.data());
  check_cuda(cudaGetLastError());
  return cuts;
}

template array<std::int32_t, device> path_cuts(cuda, const csr_view<std::int32_t, float, device>&,
                                               std::int64_t);
template array<std::int32_t, device> path_cuts(cuda, const csr_view<std::int32_t, double, device>&,
                                               std::int64_t);
template array<std::int32_t, device> path_cuts(cuda, const csr_view<std::int64_t, float, device>&,
                                               std::int64_t);
template array<std::int32_t, device> path_cuts(cuda, const csr_view<std::int64_t, double, device>&,
                                               std::int64_t);

namespace {

// A block's share of the merge path: its rows are those that end in it, its entries [first_entry, + entries).
template <class Offset>
struct path_share {
  std::int32_t first_row, rows;
  std::int64_t first_entry;
  std::int32_t entries;

  __device__ path_share(std::int32_t all_rows, std::int64_t all_entries, const std::int32_t* first_rows) {
    const std::int64_t all = std::int64_t{all_rows} + all_entries,
                       along = std::int64_t{blockIdx.x} * items_per_block;
    const auto items =
        static_cast<std::int32_t>(all - along < items_per_block ? all - along : items_per_block);
    first_row = first_rows[blockIdx.x];
    rows = first_rows[blockIdx.x + 1] - first_row;
    first_entry = along - first_row;
    entries = items - rows;
  }
};

// How many of the rows' ends come before item `along` of a block's path.
__device__ inline int ends_before(const std::int32_t* ends, int rows, int entries, int along) {
  int low = along > entries ? along - entries : 0, high = along < rows ? along : rows;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] + middle < along)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Every thread walks its items: a row's end closes a sum, an entry adds to it. What a thread has begun and
// not closed goes to the row it belongs to by a sum over threads with the same row; what the block has not
// closed is its carry.
template <class Offset, class Value>
__global__ void __launch_bounds__(threads)
    multiply_path(const csr_arrays<Offset, Value> m, std::int64_t all_entries,
                  const std::int32_t* __restrict__ first_rows, Value alpha, const Value* __restrict__ x,
                  Value beta, Value* y, Value* carries) {
  __shared__ Value products[items_per_block + 1];
  __shared__ std::int32_t ends[items_per_block];
  __shared__ std::int32_t warp_rows[threads / 32];
  __shared__ Value warp_sums[threads / 32];
  const path_share<Offset> share(m.rows, all_entries, first_rows);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  {
    std::int32_t cols[items_per_thread];
    Value values[items_per_thread];
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k)
      if (const int i = thread + k * threads; i < share.entries) {
        cols[k] = m.cols[share.first_entry + i];
        values[k] = m.values[share.first_entry + i];
      }
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k)
      if (const int i = thread + k * threads; i < share.entries) products[i] = values[k] * x[cols[k]];
  }
  for (int i = thread; i < share.rows; i += threads)
    ends[i] = static_cast<std::int32_t>(m.offsets[share.first_row + i + 1] - share.first_entry);
  __syncthreads();

  const int items = share.rows + share.entries;
  const int along = min(thread * items_per_thread, items);
  const int first = ends_before(ends, share.rows, share.entries, along);
  int row = first, entry = along - first;
  Value sum = 0, closed[items_per_thread];
  unsigned closes = 0;
#pragma unroll
  for (int k = 0; k < items_per_thread; ++k) {
    if (along + k >= items) continue;
    if (row < share.rows && ends[row] <= entry) {
      closed[k] = sum;
      closes |= 1u << k;
      sum = 0;
      ++row;
    } else {
      sum += products[entry++];
    }
  }
  __syncthreads();
  // From here on `products` holds the rows' sums; the last one is the block's carry.
  if (thread == 0) products[share.rows] = 0;
  {
    int at = first;
#pragma unroll
    for (int k = 0; k < items_per_thread; ++k)
      if (closes >> k & 1) products[at++] = closed[k];
  }
  __syncthreads();
  // Sums of neighbouring threads with the same open row, by warps and then over warps.
  for (int step = 1; step < 32; step *= 2) {
    const Value left = __shfl_up_sync(~0u, sum, step);
    const int left_row = __shfl_up_sync(~0u, row, step);
    if (lane >= step && left_row == row) sum += left;
  }
  const int right_row = __shfl_down_sync(~0u, row, 1);
  if (lane == 31) {
    warp_rows[warp] = row;
    warp_sums[warp] = sum;
  } else if (right_row != row) {
    products[row] += sum;  // the last of its run in this warp; no other thread of the warp has this row
  }
  __syncthreads();
  // The open rows at the warps' ends: one thread, in order.
  if (thread == 0)
    for (int w = 0; w < threads / 32; ++w) products[warp_rows[w]] += warp_sums[w];
  __syncthreads();
  for (int i = thread; i < share.rows; i += threads)
    y[share.first_row + i] = updated(beta, y + share.first_row + i, alpha * products[i]);
  if (thread == 0) carries[blockIdx.x] = products[share.rows];
}

// Adds what blocks have left open to the row that they ended in, a warp for every run of such blocks.
template <class Value>
__global__ void add_carries(std::int64_t blocks, std::int32_t rows,
                            const std::int32_t* __restrict__ first_rows, const Value* __restrict__ carries,
                            Value alpha, Value* y) {
  const std::int64_t block = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (block >= blocks) return;
  const std::int32_t row = first_rows[block + 1];
  if (row >= rows || (block > 0 && first_rows[block] == row)) return;  // nothing open, or not the run's first
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Value sum = 0;
  for (std::int64_t b = block + lane; b < blocks && first_rows[b + 1] == row; b += 32) sum += carries[b];
  __syncwarp();
  sum = lane_sum(sum);
  if (lane == 0) y[row] += alpha * sum;
}

// A^T x along the path: threads find the rows of the block's entries, then the entries are walked in their
// order.
template <class Offset, class Value>
__global__ void __launch_bounds__(threads)
    scatter_path(const csr_arrays<Offset, Value> m, std::int64_t all_entries,
                 const std::int32_t* __restrict__ first_rows, Value alpha, const Value* __restrict__ x,
                 Value* y) {
  __shared__ std::int32_t ends[items_per_block], rows[items_per_block];
  const path_share<Offset> share(m.rows, all_entries, first_rows);
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < share.rows; i += threads)
    ends[i] = static_cast<std::int32_t>(m.offsets[share.first_row + i + 1] - share.first_entry);
  __syncthreads();
  const int items = share.rows + share.entries;
  const int along = min(thread * items_per_thread, items);
  int row = ends_before(ends, share.rows, share.entries, along), entry = along - row;
#pragma unroll
  for (int k = 0; k < items_per_thread; ++k) {
    if (along + k >= items) continue;
    if (row < share.rows && ends[row] <= entry)
      ++row;
    else
      rows[entry++] = row;
  }
  __syncthreads();
  for (int i = thread; i < share.entries; i += threads)
    atomicAdd(y + m.cols[share.first_entry + i],
              alpha * m.values[share.first_entry + i] * x[share.first_row + rows[i]]);
}

constexpr kernel_facts merge_facts() {
  kernel_facts facts = csr_facts(kernel_facts::rows::balanced);
  facts.launches.multiply = 2;  // the second one adds what thread blocks left open
  return facts;
}

}  // namespace

template <class Offset, class Value>
struct csr_merge {
  static constexpr kernel_info info{
      .name = "csr/merge",
      .description = "merge-path: every thread gets the same number of rows plus entries",
      .source = "ours",
      .repeatable = {.multiply = true},
      .facts = merge_facts()};
  using matrix = csr_view<Offset, Value, device>;
  csr_merge(cuda on, const matrix& m, operation op)
      : on_(on),
        m_(m),
        op_(op),
        first_rows_(path_cuts(on, m, items_per_block)),
        carries_(op == operation::multiply ? first_rows_.size() - 1 : 0) {}
  std::int64_t bytes() const {
    return first_rows_.size() * 4 + carries_.size() * std::int64_t{sizeof(Value)};
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    const csr_arrays<Offset, Value> arrays(m_);
    const std::int64_t blocks = first_rows_.size() - 1, entries = m_.values.size();
    const auto grid = static_cast<unsigned>(blocks);
    if (op_ == operation::transposed) {
      scale(on_, m_.cols, beta, y);
      scatter_path<<<grid, threads, 0, on_.stream>>>(arrays, entries, first_rows_.data(), alpha, x, y);
    } else {
      multiply_path<<<grid, threads, 0, on_.stream>>>(arrays, entries, first_rows_.data(), alpha, x, beta, y,
                                                      carries_.data());
      add_carries<<<blocks_for(blocks, threads / 32), threads, 0, on_.stream>>>(
          blocks, m_.rows, first_rows_.data(), carries_.data(), alpha, y);
    }
    check_cuda(cudaGetLastError());
  }

 private:
  cuda on_;
  matrix m_;
  operation op_;
  array<std::int32_t, device> first_rows_;
  mutable array<Value, device> carries_;  // what every block leaves to the row it ends in
};

template struct line_of<csr_merge, csr_view, device>;

}  // namespace sparsmith
