// CSR on CUDA: the documents' four (a thread or a warp per row, bins of rows, three classes of rows), and
// ours: as many lanes per row as most rows ask for with more for the long ones, and merge-path, which gives
// every thread the same number of rows plus entries. A^T x adds to y with one atomic per entry, whoever walks
// the entries.
#include <limits>

#include "convert/backend/sort_entries.hpp"
#include "kernels/csc.hpp"
#include "kernels/cuda/long_lines.hpp"
#include "kernels/cuda/overlap.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/vendor/cusparse.hpp"

namespace sparsmith {
namespace {

struct csr_tuning {
  static constexpr int threads = 256;  // of a thread block
  // Of a lane, before the first is used: as many requests are on their way at once.
  static constexpr int loads_at_once = 4;
  // csr/vector. A row takes its lanes one round of loads, a longer one a warp for itself, and one that is
  // longer still a thread block: from 256 entries on, as a warp then waits for two rounds, or from 512 where
  // there is work for all warps of the GPU. Of the longest rows a thread block takes a piece, two rounds.
  static constexpr std::int64_t shortest_for_block = 256, shortest_for_block_of_many = 512, piece = 2048;
  // A row that is not for its lanes costs as much as this many lanes in a round, beside its own.
  static constexpr int lanes_of_longer_row = 8;
  // Where rows are long for a warp each and fill the GPU, those of so many times the mean are cut.
  static constexpr int times_mean = 4;
  // csr/bins: rows plus entries that a warp walks.
  static constexpr int items_per_bin = 512;
  // csr/hybrid: rows from these lengths on are worth a thread block, and a warp.
  static constexpr int shortest_long_row = 2048, shortest_medium_row = 16;
  // csr/merge: rows plus entries. Products and ends of a block's rows are in shared memory.
  static constexpr int items_per_thread = 8, items_per_block = threads * items_per_thread;
};
constexpr int threads = csr_tuning::threads;
constexpr int items_per_thread = csr_tuning::items_per_thread, items_per_block = csr_tuning::items_per_block;

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

// Rows that are not for the lanes of the others.
template <class Value>
struct longer_rows {
  static constexpr bool any = true;
  line_pieces<Value> for_blocks, for_warps;  // of the latter each is a whole row
  std::int64_t limit;                        // longer ones are among these

  __host__ __device__ unsigned blocks() const {
    return for_blocks.count + (for_warps.count + threads / 32 - 1) / (threads / 32);
  }
};

// For kernels whose lanes take every row.
struct no_longer_rows {
  static constexpr bool any = false;
  static constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max();

  static unsigned blocks() { return 0; }
};

// A thread block with such rows.
template <bool Transposed, class Offset, class Value>
__device__ void multiply_longer(const csr_arrays<Offset, Value>& m, const longer_rows<Value>& longer,
                                const read_ahead& ahead, Value alpha, const Value* __restrict__ x, Value beta,
                                Value* y) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const bool by_block = blockIdx.x < longer.for_blocks.count;
  const unsigned index =
      by_block ? blockIdx.x
               : (blockIdx.x - longer.for_blocks.count) * (threads / 32) + static_cast<unsigned>(warp);
  if (!by_block && index >= longer.for_warps.count) return;
  const line_piece piece = (by_block ? longer.for_blocks : longer.for_warps).pieces[index];
  ahead.bring();
  Value sum = walk_row<Transposed>(m, static_cast<Offset>(piece.first), static_cast<Offset>(piece.last),
                                   by_block ? thread : lane, by_block ? threads : 32, x,
                                   Transposed ? alpha * x[piece.line] : Value{0}, y);
  if constexpr (!Transposed) {
    __syncwarp();
    sum = lane_sum(sum);
    if (by_block) {
      __shared__ Value sums[threads / 32];
      if (lane == 0) sums[warp] = sum;
      __syncthreads();
      if (warp > 0) return;
      sum = lane_sum(lane < threads / 32 ? sums[lane] : Value{0});
      if (piece.count > 1) {
        if (lane == 0) longer.for_blocks.sums[index] = sum;
        if (!last_at_line(longer.for_blocks, piece, index)) return;
        const Value* const left = longer.for_blocks.sums + (index - static_cast<unsigned>(piece.number));
        sum = 0;
#pragma unroll 4
        for (std::int32_t i = lane; i < piece.count; i += 32) sum += __ldcg(left + i);
        __syncwarp();
        sum = lane_sum(sum);
      }
    }
    if (lane == 0) y[piece.line] = updated(beta, y + piece.line, alpha * sum);
  }
}

template <int Lanes, bool Transposed, class Longer, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    rows_by_lanes(const csr_arrays<Offset, Value> m, const Longer longer, const read_ahead ahead, Value alpha,
                  const Value* __restrict__ x, Value beta, Value* y) {
  unsigned block = blockIdx.x;
  if constexpr (Longer::any) {
    if (block < longer.blocks()) {
      multiply_longer<Transposed>(m, longer, ahead, alpha, x, beta, y);
      return;
    }
    block -= longer.blocks();
  }
  const std::uint32_t row = block * (threads / Lanes) + threadIdx.x / Lanes;
  multiply_row<Lanes, Transposed>(m, row, alpha, x, beta, y, longer.limit, &ahead);
}

template <class Offset>
struct entries_of_row {
  const Offset* offsets;
  __device__ line_range operator()(std::int64_t row) const { return {offsets[row], offsets[row + 1]}; }
};

// The lines differ in their number of lanes, and in whether longer rows are for others.
template <class Offset, class Value>
class csr_by_lanes {
 public:
  using matrix = csr_view<Offset, Value, device>;
  csr_by_lanes(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {}

 protected:
  template <int Lanes, class Longer>
  void multiply(const Longer& longer, Value alpha, const Value* x, Value beta, Value* y) const {
    // It starts before the kernel that scales y has ended.
    const bool early = op_ == operation::transposed && scale(on_, m_.cols, beta, y);
    read_ahead ahead;
    ahead.add(m_.col_indices.data(), m_.col_indices.size());
    ahead.add(m_.values.data(), m_.values.size());
    ahead.add(x, inputs(m_, op_));
    const unsigned blocks = longer.blocks() + blocks_for(m_.rows, threads / Lanes);
    with_operation(op_, [&](auto transposed) {
      launch(on_, launch_size{blocks, threads, 0, early},
             rows_by_lanes<Lanes, transposed.value, Longer, Offset, Value>, csr_arrays<Offset, Value>(m_),
             longer, ahead, alpha, x, beta, y);
    });
  }

  cuda on_;
  matrix m_;
  operation op_;
};

template <class Offset, class Value>
struct csr_thread : csr_by_lanes<Offset, Value> {
  static constexpr kernel_info info{"csr/thread", "a thread per row",
                                    "CSR report, CSR strategies, GCSB thesis", true};
  using csr_by_lanes<Offset, Value>::csr_by_lanes;

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    this->template multiply<1>(no_longer_rows{}, alpha, x, beta, y);
  }
};

template <class Offset, class Value>
struct csr_warp : csr_by_lanes<Offset, Value> {
  static constexpr kernel_info info{"csr/warp", "a warp per row", "CSR report, CSR strategies", true};
  using csr_by_lanes<Offset, Value>::csr_by_lanes;

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    this->template multiply<32>(no_longer_rows{}, alpha, x, beta, y);
  }
};

// For every number of lanes, 1 to 32: how many rows need more than a round of it, and how many rounds of a
// warp those take.
struct round_counts {
  static constexpr int sizes = 6;
  unsigned long long longer[sizes], rounds[sizes];
};

template <class Offset>
__global__ void count_rounds(std::int32_t rows, const Offset* offsets, round_counts* counts) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  round_counts own = {};
  for (std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; row < rows; row += stride) {
    const std::int64_t length = offsets[row + 1] - offsets[row];
    constexpr int round = 32 * csr_tuning::loads_at_once;
    for (int i = 0; i < round_counts::sizes; ++i)
      if (length > csr_tuning::loads_at_once << i) {
        ++own.longer[i];
        own.rounds[i] += static_cast<unsigned long long>((length + round - 1) / round);
      }
  }
  __syncwarp();
  for (int i = 0; i < round_counts::sizes; ++i) {
    const auto longer = lane_sum(own.longer[i]), rounds = lane_sum(own.rounds[i]);
    if (threadIdx.x % 32 == 0 && longer > 0) {
      atomicAdd(counts->longer + i, longer);
      atomicAdd(counts->rounds + i, rounds);
    }
  }
}

template <class Offset, class Value>
struct csr_vector : csr_by_lanes<Offset, Value> {
  static constexpr kernel_info info{
      "csr/vector", "2 to 32 lanes per row, as most rows ask for; a warp or thread blocks for longer ones",
      "ours", true};
  csr_vector(cuda on, const csr_view<Offset, Value, device>& m, operation op)
      : csr_by_lanes<Offset, Value>(on, m, op), lanes_(lanes_for(on, m)) {
    const std::int64_t rows = m.rows, entries = m.values.size(), lanes = lanes_;
    const std::int64_t resident = std::int64_t{multiprocessors()} * 2048;
    const std::int64_t for_warp = entries / (resident / 32) < csr_tuning::shortest_for_block
                                      ? csr_tuning::shortest_for_block
                                      : csr_tuning::shortest_for_block_of_many;
    if (lanes < 32)
      leave_longer_rows(lanes * csr_tuning::loads_at_once, for_warp);
    else
      leave_longer_rows(
          rows * 32 < resident ? for_warp : std::max(for_warp, csr_tuning::times_mean * entries / rows), 0);
  }
  std::int64_t bytes() const { return for_blocks_.bytes() + for_warps_.bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    const longer_rows<Value> longer{for_blocks_.view(), for_warps_.view(), limit_};
    switch (lanes_) {
      case 2:
        return this->template multiply<2>(longer, alpha, x, beta, y);
      case 4:
        return this->template multiply<4>(longer, alpha, x, beta, y);
      case 8:
        return this->template multiply<8>(longer, alpha, x, beta, y);
      case 16:
        return this->template multiply<16>(longer, alpha, x, beta, y);
      default:
        return this->template multiply<32>(longer, alpha, x, beta, y);
    }
  }

 private:
  // Rows of more than `limit` entries are no longer for `lanes_`: up to `for_warp` they are a warp's.
  void leave_longer_rows(std::int64_t limit, std::int64_t for_warp) {
    const entries_of_row<Offset> range{this->m_.row_offsets.data()};
    constexpr auto any = std::numeric_limits<std::int64_t>::max();
    limit_ = limit;
    for_warp = std::max(limit, for_warp);
    for_warps_ = long_lines<Value>(this->on_, this->m_.rows, range, {limit, for_warp, any / 2}, 1);
    for_blocks_ = long_lines<Value>(this->on_, this->m_.rows, range, {for_warp, any, csr_tuning::piece}, 1);
  }

  // What takes the fewest lanes times rounds. One lane, whose neighbours read elsewhere, is no candidate.
  static int lanes_for(cuda on, const csr_view<Offset, Value, device>& m) {
    array<round_counts, device> counted(1);
    check_cuda(cudaMemsetAsync(counted.data(), 0, sizeof(round_counts), on.stream));
    count_rounds<<<resident_blocks(m.rows, threads), threads, 0, on.stream>>>(m.rows, m.row_offsets.data(),
                                                                              counted.data());
    check_cuda(cudaGetLastError());
    const round_counts counts = copy_to<host>(counted, place::device)[0];
    const double rows = m.rows;
    int best = 32;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 1; i < round_counts::sizes; ++i) {
      const int lanes = 1 << i;
      const auto longer = static_cast<double>(counts.longer[i]),
                 rounds = static_cast<double>(counts.rounds[i]);
      const double cost = lanes < 32 ? lanes * rows + csr_tuning::lanes_of_longer_row * longer + 32 * rounds
                                     : 32 * (rows - longer + rounds);
      if (cost < least) {
        least = cost;
        best = lanes;
      }
    }
    return best;
  }

  int lanes_;
  std::int64_t limit_ = 0;
  long_lines<Value> for_blocks_, for_warps_;
};

// The first row of every piece of `size` rows plus entries, and the end: where the merge path of the rows'
// ends and the entries crosses every multiple of `size`.
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

template <class Offset, class Value>
array<std::int32_t, device> path_cuts(cuda on, const csr_view<Offset, Value, device>& m, std::int64_t size) {
  const std::int64_t items = std::int64_t{m.rows} + m.values.size(), pieces = (items + size - 1) / size;
  array<std::int32_t, device> cuts(pieces + 1);
  cut_path<<<blocks_for(pieces + 1, threads), threads, 0, on.stream>>>(
      m.rows, m.values.size(), m.row_offsets.data(), size, pieces, cuts.data());
  check_cuda(cudaGetLastError());
  return cuts;
}

template <bool Transposed, class Offset, class Value>
__global__ void __launch_bounds__(threads) walk_bins(const csr_arrays<Offset, Value> m, std::int64_t bins,
                                                     const std::int32_t* __restrict__ first_rows, Value alpha,
                                                     const Value* __restrict__ x, Value beta, Value* y) {
  const std::int64_t bin = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / 32;
  if (bin >= bins) return;
  for (std::int64_t row = first_rows[bin]; row < first_rows[bin + 1]; ++row)
    multiply_row<32, Transposed>(m, row, alpha, x, beta, y);
}

template <class Offset, class Value>
struct csr_bins {
  static constexpr kernel_info info{"csr/bins", "bins of rows with similar work, a warp walks a bin's rows",
                                    "CSR report", true};
  using matrix = csr_view<Offset, Value, device>;
  csr_bins(cuda on, const matrix& m, operation op)
      : on_(on), m_(m), op_(op), first_rows_(path_cuts(on, m, csr_tuning::items_per_bin)) {}
  std::int64_t bytes() const { return first_rows_.size() * 4; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (op_ == operation::transposed) scale(on_, m_.cols, beta, y);
    const std::int64_t bins = first_rows_.size() - 1;
    with_operation(op_, [&](auto transposed) {
      walk_bins<transposed.value><<<blocks_for(bins, threads / 32), threads, 0, on_.stream>>>(
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

// Three classes of rows, longest first, so that the blocks that take longest start first.
constexpr int long_rows = 0, medium_rows = 1, short_rows = 2;

template <class Offset>
__global__ void classify_rows(std::int32_t rows, const Offset* offsets, std::int32_t* classes,
                              std::int32_t* numbers, std::int32_t* counts) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  int own = -1;
  if (row < rows) {
    const Offset length = offsets[row + 1] - offsets[row];
    own = length >= csr_tuning::shortest_long_row     ? long_rows
          : length >= csr_tuning::shortest_medium_row ? medium_rows
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

template <bool Transposed, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    walk_classes(const csr_arrays<Offset, Value> m, row_classes classes,
                 const std::int32_t* __restrict__ order, Value alpha, const Value* __restrict__ x, Value beta,
                 Value* y) {
  unsigned block = blockIdx.x;
  if (block < classes.long_blocks()) {
    const std::int64_t row = order[block];
    Value sum = walk_row<Transposed>(m, m.offsets[row], m.offsets[row + 1], static_cast<int>(threadIdx.x),
                                     threads, x, Transposed ? alpha * x[row] : Value{0}, y);
    if constexpr (!Transposed) {
      sum = block_sum(sum);
      if (threadIdx.x == 0) y[row] = updated(beta, y + row, alpha * sum);
    }
    return;
  }
  block -= classes.long_blocks();
  order += classes.counts[long_rows];
  if (block < classes.medium_blocks()) {
    const std::int64_t i = std::int64_t{block} * (threads / 32) + threadIdx.x / 32;
    if (i < classes.counts[medium_rows]) multiply_row<32, Transposed>(m, order[i], alpha, x, beta, y);
    return;
  }
  block -= classes.medium_blocks();
  order += classes.counts[medium_rows];
  const std::int64_t i = std::int64_t{block} * threads + threadIdx.x;
  multiply_row<1, Transposed>(m, i < classes.counts[short_rows] ? order[i] : m.rows, alpha, x, beta, y);
}

template <class Offset, class Value>
struct csr_hybrid {
  static constexpr kernel_info info{"csr/hybrid", "short rows by threads, medium by warps, long by blocks",
                                    "CSR report", true};
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
    with_operation(op_, [&](auto transposed) {
      walk_classes<transposed.value><<<blocks, threads, 0, on_.stream>>>(
          csr_arrays<Offset, Value>(m_), classes_, order_.data(), alpha, x, beta, y);
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

template <class Offset, class Value>
struct csr_merge {
  static constexpr kernel_info info{
      "csr/merge", "merge-path: every thread gets the same number of rows plus entries", "ours", true};
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

}  // namespace

template <class Offset, class Value>
struct table_of<csr_view<Offset, Value, device>> {
  static kernel_table<csr_view<Offset, Value, device>> lines() {
    kernel_table<csr_view<Offset, Value, device>> table = {
        kernel_of<csr_thread<Offset, Value>>(), kernel_of<csr_warp<Offset, Value>>(),
        kernel_of<csr_bins<Offset, Value>>(),   kernel_of<csr_hybrid<Offset, Value>>(),
        kernel_of<csr_vector<Offset, Value>>(), kernel_of<csr_merge<Offset, Value>>()};
    for (auto& line : cusparse_csr_kernels<Offset, Value>()) table.push_back(line);
    return table;
  }
};

template kernel_table<csr_view<std::int32_t, float, device>> kernels_of(
    const csr_view<std::int32_t, float, device>&);
template kernel_table<csr_view<std::int32_t, double, device>> kernels_of(
    const csr_view<std::int32_t, double, device>&);
template kernel_table<csr_view<std::int64_t, float, device>> kernels_of(
    const csr_view<std::int64_t, float, device>&);
template kernel_table<csr_view<std::int64_t, double, device>> kernels_of(
    const csr_view<std::int64_t, double, device>&);
template kernel_table<csc_view<std::int32_t, float, device>> kernels_of(
    const csc_view<std::int32_t, float, device>&);
template kernel_table<csc_view<std::int32_t, double, device>> kernels_of(
    const csc_view<std::int32_t, double, device>&);
template kernel_table<csc_view<std::int64_t, float, device>> kernels_of(
    const csc_view<std::int64_t, float, device>&);
template kernel_table<csc_view<std::int64_t, double, device>> kernels_of(
    const csc_view<std::int64_t, double, device>&);

}  // namespace sparsmith
