// csr/bins and csr/hybrid: rows are sorted out beforehand, into runs of about the same work for a warp each,
// or into classes by their length for a thread, a warp or a thread block each.
#include "convert/backend/sort_entries.hpp"
#include "kernels/cuda/csr_rows.hpp"
#include "kernels/line_here.hpp"

namespace sparsmith {
namespace {

constexpr int threads = csr_tuning::threads;

struct bins_tuning {
  static constexpr int items_per_bin = 512;  // rows plus entries that a warp walks
};
struct hybrid_tuning {
  // Rows from these lengths on are worth a thread block, and a warp.
  static constexpr int shortest_long_row = 2048, shortest_medium_row = 16;
};

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

// The first row of every piece of `size` rows plus entries, and the end: where the merge path of the rows'
// ends and the entries crosses every multiple of `size`.
template <class Offset, class Value>
array<std::int32_t, device> path_cuts(cuda on, const csr_view<Offset, Value, device>& m, std::int64_t size) {
  const std::int64_t items = std::int64_t{m.rows} + m.values.size(), pieces = (items + size - 1) / size;
  array<std::int32_t, device> cuts(pieces + 1);
  cut_path<<<blocks_for(pieces + 1, threads), threads, 0, on.stream>>>(
      m.rows, m.values.size(), m.row_offsets.data(), size, pieces, cuts.data());
  check_cuda(cudaGetLastError());
  return cuts;
}

template <operation Op, class Offset, class Value>
__global__ void __launch_bounds__(threads) walk_bins(const csr_arrays<Offset, Value> m, std::int64_t bins,
                                                     const std::int32_t* __restrict__ first_rows, Value alpha,
                                                     const Value* __restrict__ x, Value beta, Value* y) {
  const std::int64_t bin = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / 32;
  if (bin >= bins) return;
  for (std::int64_t row = first_rows[bin]; row < first_rows[bin + 1]; ++row)
    multiply_row<32, Op>(m, row, alpha, x, x, beta, y, y);
}

constexpr kernel_facts bins_facts() {
  kernel_facts facts = csr_facts_of_lanes(32);
  facts.items_in_turn = bins_tuning::items_per_bin;
  return facts;
}

}  // namespace

template <class Offset, class Value>
struct csr_bins {
  static constexpr kernel_info info{
      .name = "csr/bins",
      .description = "bins of rows with similar work, a warp walks a bin's rows",
      .source = "CSR report",
      .repeatable = {.multiply = true},
      .facts = bins_facts()};
  using matrix = csr_view<Offset, Value, device>;
  csr_bins(cuda on, const matrix& m, operation op)
      : on_(on), m_(m), op_(op), first_rows_(path_cuts(on, m, bins_tuning::items_per_bin)) {}
  std::int64_t bytes() const { return first_rows_.size() * 4; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (op_ == operation::transposed) scale(on_, m_.cols, beta, y);
    const std::int64_t bins = first_rows_.size() - 1;
    with_product(op_, [&](auto op) {
      walk_bins<op.value><<<blocks_for(bins, threads / 32), threads, 0, on_.stream>>>(
          csr_arrays<Offset, Value>(m_), bins, first_rows_.data(), alpha, x, beta, y);
    });
    check_cuda(cudaGetLastError());
  }

 private:
  cuda on_;
  matrix m_;
  operation op_;
  array<std::int32_t, device> first_rows_;
};

namespace {

// The sum of `value` over a thread block; every thread gets it.
template <class Value>
__device__ Value block_sum(Value value) {
  __shared__ Value sums[threads / 32];
  __syncwarp();
  value = lane_sum(value);
  __syncthreads();  // what was here before has been read
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = sums[0];
  for (int w = 1; w < threads / 32; ++w) value += sums[w];
  return value;
}

// Three classes of rows, longest first, so that the blocks that take longest start first.
constexpr int long_rows = 0, medium_rows = 1, short_rows = 2;

template <class Offset>
__global__ void classify_rows(std::int32_t rows, const Offset* offsets, std::int32_t* classes,
                              std::int32_t* numbers, std::int32_t* counts) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  int own = -1;
  if (row < rows) {
    const Offset length = offsets[row + 1] - offsets[row];
    own = length >= hybrid_tuning::shortest_long_row     ? long_rows
          : length >= hybrid_tuning::shortest_medium_row ? medium_rows
                                                         : short_rows;
    classes[row] = own;
    numbers[row] = static_cast<std::int32_t>(row);
  }
  __syncwarp();
  for (int c = 0; c < 3; ++c) {
    const int count = __popc(__ballot_sync(~0u, own == c));
    if (threadIdx.x % 32 == 0 && count > 0) atomicAdd(counts + c, count);
  }
}

}  // namespace

struct row_classes {
  std::int32_t counts[3];
  __host__ __device__ unsigned long_blocks() const { return static_cast<unsigned>(counts[long_rows]); }
  __host__ __device__ unsigned medium_blocks() const { return blocks_of(counts[medium_rows], threads / 32); }
  unsigned short_blocks() const { return blocks_of(counts[short_rows], threads); }

 private:
  static __host__ __device__ unsigned blocks_of(std::int64_t rows, std::int64_t per_block) {
    return static_cast<unsigned>((rows + per_block - 1) / per_block);
  }
};

namespace {

template <operation Op, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    walk_classes(const csr_arrays<Offset, Value> m, row_classes classes,
                 const std::int32_t* __restrict__ order, Value alpha, const Value* __restrict__ x, Value beta,
                 Value* y) {
  unsigned block = blockIdx.x;
  if (block < classes.long_blocks()) {
    const std::int64_t row = order[block];
    Value sum = walk_row<Op>(m, m.offsets[row], m.offsets[row + 1], static_cast<int>(threadIdx.x), threads, x,
                             Op == operation::transposed ? alpha * x[row] : Value{0}, y);
    if constexpr (Op == operation::multiply) {
      sum = block_sum(sum);
      if (threadIdx.x == 0) y[row] = updated(beta, y + row, alpha * sum);
    }
    return;
  }
  block -= classes.long_blocks();
  order += classes.counts[long_rows];
  if (block < classes.medium_blocks()) {
    const std::int64_t i = std::int64_t{block} * (threads / 32) + threadIdx.x / 32;
    if (i < classes.counts[medium_rows]) multiply_row<32, Op>(m, order[i], alpha, x, x, beta, y, y);
    return;
  }
  block -= classes.medium_blocks();
  order += classes.counts[medium_rows];
  const std::int64_t i = std::int64_t{block} * threads + threadIdx.x;
  multiply_row<1, Op>(m, i < classes.counts[short_rows] ? order[i] : m.rows, alpha, x, x, beta, y, y);
}

constexpr kernel_facts hybrid_facts() {
  kernel_facts facts = csr_facts(kernel_facts::rows::classes);
  facts.shortest_medium_row = hybrid_tuning::shortest_medium_row;
  facts.shortest_long_row = hybrid_tuning::shortest_long_row;
  facts.block_threads = threads;
  return facts;
}

}  // namespace

template <class Offset, class Value>
struct csr_hybrid {
  static constexpr kernel_info info{.name = "csr/hybrid",
                                    .description = "short rows by threads, medium by warps, long by blocks",
                                    .source = "CSR report",
                                    .repeatable = {.multiply = true},
                                    .facts = hybrid_facts()};
  using matrix = csr_view<Offset, Value, device>;

  csr_hybrid(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {
    array<std::int32_t, device> classes(m.rows), numbers(m.rows), counts(3);
    check_cuda(cudaMemsetAsync(counts.data(), 0, 12, on.stream));
    classify_rows<<<blocks_for(m.rows, threads), threads, 0, on.stream>>>(
        m.rows, m.row_offsets.data(), classes.data(), numbers.data(), counts.data());
    check_cuda(cudaGetLastError());
    copy_bytes(place::host, classes_.counts, place::device, counts.data(), 12);
    order_ = sort_entries<std::int32_t>(on, classes, numbers, numbers, 3, m.rows, true).values;
  }
  std::int64_t bytes() const { return order_.size() * 4; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (op_ == operation::transposed) scale(on_, m_.cols, beta, y);
    const unsigned blocks = classes_.long_blocks() + classes_.medium_blocks() + classes_.short_blocks();
    with_product(op_, [&](auto op) {
      walk_classes<op.value><<<blocks, threads, 0, on_.stream>>>(csr_arrays<Offset, Value>(m_), classes_,
                                                                 order_.data(), alpha, x, beta, y);
    });
    check_cuda(cudaGetLastError());
  }

 private:
  cuda on_;
  matrix m_;
  operation op_;
  row_classes classes_;
  array<std::int32_t, device> order_;  // rows by class
};

template struct line_of<csr_bins, csr_view, device>;
template struct line_of<csr_hybrid, csr_view, device>;

}  // namespace sparsmith
