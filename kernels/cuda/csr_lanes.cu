// csr/thread, csr/warp and csr/vector: neighbouring lanes share a row, one, 32, or as many as most rows ask
// for with more for the long ones. csr/half walks the rows of a triangle as csr/vector does, and adds the
// mirror image of every entry.
#include "kernels/cuda/csr_rows.hpp"
#include "kernels/cuda/long_lines.hpp"
#include "kernels/line_here.hpp"

namespace sparsmith {
namespace {

constexpr int threads = csr_tuning::threads;

// Of csr/vector, found on an H200 (docs/log).
struct vector_tuning {
  // A row takes its lanes one round of loads, a longer one a warp for itself, and one that is longer still a
  // thread block: from 256 entries on, as a warp then waits for two rounds, or from 512 where there is work
  // for all warps of the GPU. Of the longest rows a thread block takes a piece, two rounds.
  static constexpr std::int64_t shortest_for_block = 256, shortest_for_block_of_many = 512, piece = 2048;
  // A row that is not for its lanes costs as much as this many lanes in a round, beside its own.
  static constexpr int lanes_of_longer_row = 8;
  // Where rows are long for a warp each and fill the GPU, those of so many times the mean are cut.
  static constexpr int times_mean = 4;
};

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
template <operation Op, class Offset, class Value>
__device__ void multiply_longer(const csr_arrays<Offset, Value>& m, const longer_rows<Value>& longer,
                                const read_ahead& ahead, Value alpha, const Value* __restrict__ x,
                                const Value* __restrict__ w, Value beta, Value* y, Value* z) {
  constexpr bool factor_is_known = Op == operation::transposed || Op == operation::both;
  constexpr operation first_walk = Op == operation::normal ? operation::multiply : Op;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const bool by_block = blockIdx.x < longer.for_blocks.count;
  const unsigned index =
      by_block ? blockIdx.x
               : (blockIdx.x - longer.for_blocks.count) * (threads / 32) + static_cast<unsigned>(warp);
  if (!by_block && index >= longer.for_warps.count) return;
  const line_piece piece = (by_block ? longer.for_blocks : longer.for_warps).pieces[index];
  ahead.bring();
  const auto first = static_cast<Offset>(piece.first), last = static_cast<Offset>(piece.last);
  const int walker = by_block ? thread : lane, walkers = by_block ? threads : 32;
  Value sum = walk_row<first_walk>(m, first, last, walker, walkers, x,
                                   factor_is_known ? alpha * w[piece.line] : Value{0}, z);
  if constexpr (Op == operation::normal) {
    __syncwarp();
    sum = lane_sum(sum);
    if (by_block) {
      __shared__ Value sums[threads / 32];
      if (lane == 0) sums[warp] = sum;
      __syncthreads();
      sum = lane_sum(lane < threads / 32 ? sums[lane] : Value{0});
    }
    walk_row<operation::transposed>(m, first, last, walker, walkers, x, alpha * sum, z);
  } else if constexpr (Op != operation::transposed) {
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

template <int Lanes, operation Op, class Longer, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    rows_by_lanes(const csr_arrays<Offset, Value> m, const Longer longer, const read_ahead ahead, Value alpha,
                  const Value* __restrict__ x, const Value* __restrict__ w, Value beta, Value* y, Value* z) {
  unsigned block = blockIdx.x;
  if constexpr (Longer::any) {
    if (block < longer.blocks()) {
      multiply_longer<Op>(m, longer, ahead, alpha, x, w, beta, y, z);
      return;
    }
    block -= longer.blocks();
  }
  const std::uint32_t row = block * (threads / Lanes) + threadIdx.x / Lanes;
  multiply_row<Lanes, Op>(m, row, alpha, x, w, beta, y, z, longer.limit, &ahead);
}

template <class Offset>
struct entries_of_row {
  const Offset* offsets;
  __device__ line_range operator()(std::int64_t row) const { return {offsets[row], offsets[row + 1]}; }
};

}  // namespace

// The lines differ in their number of lanes, and in whether longer rows are for others.
template <class Offset, class Value>
class csr_by_lanes {
 public:
  using matrix = csr_view<Offset, Value, device>;
  csr_by_lanes(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {}

 protected:
  // One product: x and y go by both names.
  template <int Lanes, class Longer>
  void multiply(const Longer& longer, Value alpha, const Value* x, Value beta, Value* y) const {
    with_product(op_, [&](auto op) { launch_rows<Lanes, op.value>(longer, alpha, x, x, beta, y, y); });
  }
  template <int Lanes, operation Op, class Longer>
  void launch_rows(const Longer& longer, Value alpha, const Value* x, const Value* w, Value beta, Value* y,
                   Value* z) const {
    // It starts before the kernel that scales z has ended.
    const bool early = Op != operation::multiply && scale(on_, m_.cols, beta, z);
    read_ahead ahead;
    ahead.add(m_.col_indices.data(), m_.col_indices.size());
    ahead.add(m_.values.data(), m_.values.size());
    if (Op == operation::transposed)
      ahead.add(w, m_.rows);
    else
      ahead.add(x, m_.cols);
    const unsigned blocks = longer.blocks() + blocks_for(m_.rows, threads / Lanes);
    launch(on_, launch_size{blocks, threads, 0, early}, rows_by_lanes<Lanes, Op, Longer, Offset, Value>,
           csr_arrays<Offset, Value>(m_), longer, ahead, alpha, x, w, beta, y, z);
  }

  cuda on_;
  matrix m_;
  operation op_;
};

template <class Offset, class Value>
struct csr_thread : csr_by_lanes<Offset, Value> {
  static constexpr kernel_info info{.name = "csr/thread",
                                    .description = "a thread per row",
                                    .source = "CSR report, CSR strategies, GCSB thesis",
                                    .repeatable = {.multiply = true},
                                    .facts = csr_facts_of_lanes(1)};
  using csr_by_lanes<Offset, Value>::csr_by_lanes;

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    this->template multiply<1>(no_longer_rows{}, alpha, x, beta, y);
  }
};

template <class Offset, class Value>
struct csr_warp : csr_by_lanes<Offset, Value> {
  static constexpr kernel_info info{.name = "csr/warp",
                                    .description = "a warp per row",
                                    .source = "CSR report, CSR strategies",
                                    .repeatable = {.multiply = true},
                                    .facts = csr_facts_of_lanes(32)};
  using csr_by_lanes<Offset, Value>::csr_by_lanes;

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    this->template multiply<32>(no_longer_rows{}, alpha, x, beta, y);
  }
};

namespace {

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

// What takes the fewest lanes times rounds. One lane, whose neighbours read elsewhere, is no candidate.
template <class Offset, class Value>
int lanes_for(cuda on, const csr_view<Offset, Value, device>& m) {
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
    const auto longer = static_cast<double>(counts.longer[i]), rounds = static_cast<double>(counts.rounds[i]);
    const double cost = lanes < 32 ? lanes * rows + vector_tuning::lanes_of_longer_row * longer + 32 * rounds
                                   : 32 * (rows - longer + rounds);
    if (cost < least) {
      least = cost;
      best = lanes;
    }
  }
  return best;
}

// Which rows are not for `lanes`, and from which length on they are a thread block's.
struct longer_limits {
  std::int64_t for_lanes, for_warp;
};
template <class Matrix>
longer_limits limits_for(const Matrix& m, int lanes) {
  const std::int64_t rows = m.rows, entries = m.values.size();
  const std::int64_t resident = std::int64_t{multiprocessors()} * 2048;
  const std::int64_t for_warp = entries / (resident / 32) < vector_tuning::shortest_for_block
                                    ? vector_tuning::shortest_for_block
                                    : vector_tuning::shortest_for_block_of_many;
  if (lanes < 32) return {std::int64_t{lanes} * csr_tuning::loads_at_once, for_warp};
  // Up to one length rows have a warp, and beyond it thread blocks.
  const std::int64_t limit =
      rows * 32 < resident ? for_warp : std::max(for_warp, vector_tuning::times_mean * entries / rows);
  return {limit, limit};
}

constexpr kernel_facts vector_facts() {
  kernel_facts facts = csr_facts(kernel_facts::rows::fitting_lanes);
  facts.loads_at_once = csr_tuning::loads_at_once;
  facts.lanes_of_longer_row = vector_tuning::lanes_of_longer_row;
  facts.at_once = threads;
  facts.longest_piece = vector_tuning::piece;
  return facts;
}

}  // namespace

template <class Offset, class Value>
struct csr_vector : csr_by_lanes<Offset, Value> {
  static constexpr kernel_info info{
      .name = "csr/vector",
      .description = "2 to 32 lanes per row, as most rows ask for; a warp or thread blocks for longer ones",
      .source = "ours",
      .repeatable = {.multiply = true},
      .computes = {true, true, true, true},
      .facts = vector_facts()};
  csr_vector(cuda on, const csr_view<Offset, Value, device>& m, operation op)
      : csr_by_lanes<Offset, Value>(on, m, op), lanes_(lanes_for(on, m)) {
    const longer_limits limits = limits_for(m, lanes_);
    leave_longer_rows(limits.for_lanes, limits.for_warp);
  }
  std::int64_t bytes() const { return for_blocks_.bytes() + for_warps_.bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) const { run_any(alpha, x, x, beta, y, y); }
  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    run_any(alpha, x, w, beta, y, z);
  }

 private:
  void run_any(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    const longer_rows<Value> longer{for_blocks_.view(), for_warps_.view(), limit_};
    with_any_operation(this->op_, [&](auto op) {
      constexpr operation any = decltype(op)::value;
      switch (lanes_) {
        case 2:
          return this->template launch_rows<2, any>(longer, alpha, x, w, beta, y, z);
        case 4:
          return this->template launch_rows<4, any>(longer, alpha, x, w, beta, y, z);
        case 8:
          return this->template launch_rows<8, any>(longer, alpha, x, w, beta, y, z);
        case 16:
          return this->template launch_rows<16, any>(longer, alpha, x, w, beta, y, z);
        default:
          return this->template launch_rows<32, any>(longer, alpha, x, w, beta, y, z);
      }
    });
  }
  // Rows of more than `limit` entries are no longer for `lanes_`: up to `for_warp` they are a warp's. In A^T
  // (A x) a row's sum is known where all of it is one piece.
  void leave_longer_rows(std::int64_t limit, std::int64_t for_warp) {
    const entries_of_row<Offset> range{this->m_.row_offsets.data()};
    constexpr auto any = std::numeric_limits<std::int64_t>::max();
    limit_ = limit;
    for_warps_ = long_lines<Value>(this->on_, this->m_.rows, range, {limit, for_warp, any / 2}, 1);
    for_blocks_ = long_lines<Value>(
        this->on_, this->m_.rows, range,
        {for_warp, any, this->op_ == operation::normal ? any / 2 : vector_tuning::piece}, 1);
  }

  int lanes_;
  std::int64_t limit_ = 0;
  long_lines<Value> for_blocks_, for_warps_;
};

namespace {

// y += alpha times the triangle and its mirror images, with y scaled before: a row's sum is added as what its
// entries add to other rows is, so that pieces of a row need not wait for each other. `mirror` is 1 or -1.
template <int Lanes, class Offset, class Value>
__global__ void __launch_bounds__(threads)
    half_rows_by_lanes(const csr_arrays<Offset, Value> m, const longer_rows<Value> longer,
                       const read_ahead ahead, Value alpha, Value mirror, const Value* __restrict__ x,
                       Value* y) {
  const auto walk = [&](std::int32_t row, Offset first, Offset last, int walker, int walkers) {
    const Value factor = alpha * mirror * x[row];
    Value sum = 0;
    walk_entries(
        m, first, last, walker, walkers, [] { wait_for_kernel_before(); },
        [&](std::int32_t col, Value value) {
          sum += value * x[col];
          if (col != row) atomicAdd(y + col, factor * value);
        });
    return sum;
  };
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  if (blockIdx.x < longer.blocks()) {
    const bool by_block = blockIdx.x < longer.for_blocks.count;
    const unsigned index = by_block ? blockIdx.x
                                    : (blockIdx.x - longer.for_blocks.count) * (threads / 32) +
                                          static_cast<unsigned>(thread / 32);
    if (!by_block && index >= longer.for_warps.count) return;
    const line_piece piece = (by_block ? longer.for_blocks : longer.for_warps).pieces[index];
    ahead.bring();
    Value sum = walk(piece.line, static_cast<Offset>(piece.first), static_cast<Offset>(piece.last),
                     by_block ? thread : lane, by_block ? threads : 32);
    __syncwarp();
    sum = lane_sum(sum);
    wait_for_kernel_before();
    if (lane == 0) atomicAdd(y + piece.line, alpha * sum);
    return;
  }
  const std::uint32_t row = (blockIdx.x - longer.blocks()) * (threads / Lanes) + threadIdx.x / Lanes;
  Value sum = 0;
  bool own = row < static_cast<std::uint32_t>(m.rows);
  if (own) {
    const Offset first = m.offsets[row], last = m.offsets[row + std::size_t{1}];
    ahead.bring();
    own = last > first && last - first <= longer.limit;
    if (own) sum = walk(static_cast<std::int32_t>(row), first, last, thread % Lanes, Lanes);
  }
  __syncwarp();
  sum = lane_sum<Lanes>(sum);
  wait_for_kernel_before();
  if (own && thread % Lanes == 0) atomicAdd(y + row, alpha * sum);
}

}  // namespace

template <class Offset, class Value>
class csr_half_vector {
 public:
  static constexpr kernel_info info = [] {
    kernel_info half{.name = "csr/half",
                     .description = "as csr/vector, with an atomic for every mirror image",
                     .source = "ours",
                     .facts = vector_facts()};
    half.facts.additions = {kernel_facts::adds::every, kernel_facts::adds::every};
    half.facts.launches = {2, 2};
    return half;
  }();
  using matrix = csr_half_view<Offset, Value, device>;

  csr_half_vector(cuda on, const matrix& m, operation op)
      : on_(on), m_(m.upper), mirror_(m.mirror()), sign_(sign_of_product(m, op)), lanes_(lanes_for(on, m_)) {
    const entries_of_row<Offset> range{m_.row_offsets.data()};
    const longer_limits limits = limits_for(m_, lanes_);
    constexpr auto any = std::numeric_limits<std::int64_t>::max();
    limit_ = limits.for_lanes;
    for_warps_ = long_lines<Value>(on, m_.rows, range, {limits.for_lanes, limits.for_warp, any / 2}, 1);
    for_blocks_ = long_lines<Value>(on, m_.rows, range, {limits.for_warp, any, vector_tuning::piece}, 1);
  }
  std::int64_t bytes() const { return for_blocks_.bytes() + for_warps_.bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    switch (lanes_) {
      case 2:
        return launch_rows<2>(alpha, x, beta, y);
      case 4:
        return launch_rows<4>(alpha, x, beta, y);
      case 8:
        return launch_rows<8>(alpha, x, beta, y);
      case 16:
        return launch_rows<16>(alpha, x, beta, y);
      default:
        return launch_rows<32>(alpha, x, beta, y);
    }
  }

 private:
  template <int Lanes>
  void launch_rows(Value alpha, const Value* x, Value beta, Value* y) const {
    const bool early = scale(on_, m_.rows, beta, y);
    const longer_rows<Value> longer{for_blocks_.view(), for_warps_.view(), limit_};
    read_ahead ahead;
    ahead.add(m_.col_indices.data(), m_.col_indices.size());
    ahead.add(m_.values.data(), m_.values.size());
    ahead.add(x, m_.cols);
    const unsigned blocks = longer.blocks() + blocks_for(m_.rows, threads / Lanes);
    launch(on_, launch_size{blocks, threads, 0, early}, half_rows_by_lanes<Lanes, Offset, Value>,
           csr_arrays<Offset, Value>(m_), longer, ahead, sign_ * alpha, mirror_, x, y);
  }

  cuda on_;
  csr_view<Offset, Value, device> m_;
  Value mirror_, sign_;
  int lanes_;
  std::int64_t limit_ = 0;
  long_lines<Value> for_blocks_, for_warps_;
};

template struct line_of<csr_thread, csr_view, device>;
template struct line_of<csr_warp, csr_view, device>;
template struct line_of<csr_vector, csr_view, device>;
template struct line_of<csr_half_vector, csr_half_view, device>;

}  // namespace sparsmith
