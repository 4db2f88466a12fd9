// ELL, SELL and HYB on a GPU: a thread for every row, which walks the row's slots, or several warps for 32
// rows, which share them; neighbouring threads read neighbouring slots. The rest of HYB goes through COO's
// segmented sums.
#include <optional>

#include "convert/options.hpp"
#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/long_lines.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/table.hpp"
#include "kernels/vendor/cusparse.hpp"

namespace sparsmith {
namespace {

struct ell_tuning {
  static constexpr int threads = 256;  // of a thread block
  // Slots of a row whose loads are on their way at once.
  static constexpr int unrolled = 4;

  // ell/split and sell/split, found on an H200 (docs/log): slots of a row whose loads are on their way at
  // once.
  static constexpr int slots_at_once = 8;
  // 4 warps share 32 rows whose mean has more slots than the one, a thread block those above the other; and
  // only while there are fewer threads than this a multiprocessor.
  static constexpr std::int64_t slots_for_four = 8, slots_for_block = 16, threads_to_fill = 1365;
  // Rows of more slots than their warps take in so many rounds are shared by thread blocks, of which each
  // takes as many; where there are threads enough, only rows of so many times the mean.
  static constexpr std::int64_t rounds = 4, times_mean = 4;
  // From this share on of groups of 32 rows with one length, that length is kept: reading 32 of them would be
  // a twentieth of a Laplacian's bytes.
  static constexpr double even_share = 0.8;
};
constexpr int threads = ell_tuning::threads, warps = threads / 32;

constexpr kernel_facts thread_facts{
    .walk = kernel_facts::rows::lanes,
    .lanes = 1,
    .additions = {.transposed = kernel_facts::adds::every, .normal = kernel_facts::adds::every},
    .launches = {.multiply = 1, .transposed = 2, .normal = 2}};
// A thread block takes a piece of 32 long rows, its warps a chunk of slots each at once.
constexpr kernel_facts split_facts{.walk = kernel_facts::rows::lanes,
                                   .lanes = 1,
                                   .at_once = warps * ell_tuning::slots_at_once,
                                   .longest_piece = warps * ell_tuning::slots_at_once * ell_tuning::rounds,
                                   .additions = {.transposed = kernel_facts::adds::every},
                                   .launches = {.multiply = 1, .transposed = 2}};

// Where the rows of a format are: position p has row row(p), whose slots start at first(p) and lie stride()
// apart.
struct ell_rows {
  std::int32_t count;
  const std::int32_t* lengths;

  __device__ std::int32_t row(std::int32_t p) const { return p; }
  __device__ std::int64_t first(std::int32_t p) const { return p; }
  __device__ std::int64_t stride() const { return count; }
};

// Slices of `Slice` rows, or of any number (0): what is known when compiled takes no division and few
// instructions a slot, which is what a product of short rows waits for.
template <class Offset, int Slice = 0>
struct sell_rows {
  std::int32_t count;
  const std::int32_t* lengths;
  const std::int32_t* order;  // null where rows are in theirs
  const Offset* slice_offsets;
  std::int32_t slice;

  __device__ std::int32_t row(std::int32_t p) const { return order != nullptr ? order[p] : p; }
  __device__ std::int64_t first(std::int32_t p) const {
    return std::int64_t{slice_offsets[p / height()]} + p % height();
  }
  __device__ std::int64_t stride() const { return height(); }

 private:
  __device__ std::int32_t height() const { return Slice > 0 ? Slice : slice; }
};

// y = alpha A x + beta y, y += alpha A^T x, or y += alpha A^T (A x), which walks a row a second time.
template <operation Op, class Rows, class Value>
__global__ void __launch_bounds__(threads)
    walk_rows(Rows rows, const std::int32_t* __restrict__ cols, const Value* __restrict__ values, Value alpha,
              const Value* __restrict__ x, Value beta, Value* y) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (thread >= rows.count) return;
  const auto p = static_cast<std::int32_t>(thread);
  const std::int32_t row = rows.row(p), length = rows.lengths[p];
  const std::int64_t stride = rows.stride(), first = rows.first(p);
  Value factor = Op == operation::transposed ? x[row] : Value{0};
  if constexpr (Op != operation::transposed) {
    std::int64_t slot = first;
#pragma unroll ell_tuning::unrolled
    for (std::int32_t k = 0; k < length; ++k, slot += stride) factor += values[slot] * x[cols[slot]];
  }
  factor *= alpha;
  if constexpr (Op == operation::multiply) {
    y[row] = updated(beta, y + row, factor);
  } else {
    std::int64_t slot = first;
#pragma unroll ell_tuning::unrolled
    for (std::int32_t k = 0; k < length; ++k, slot += stride)
      atomicAdd(y + cols[slot], values[slot] * factor);
  }
}

template <class Rows, class Value>
void multiply_rows(cuda on, operation op, const Rows& rows, const std::int32_t* cols, const Value* values,
                   std::int64_t output_count, Value alpha, const Value* x, Value beta, Value* y) {
  if (op != operation::multiply) scale(on, output_count, beta, y);
  const auto walk = [&](auto own) {
    walk_rows<own.value>
        <<<blocks_for(rows.count, threads), threads, 0, on.stream>>>(rows, cols, values, alpha, x, beta, y);
  };
  if (op == operation::normal)
    walk(operation_constant<operation::normal>{});
  else
    with_product(op, walk);
  check_cuda(cudaGetLastError());
}

// Slots [from, to) of a row, whose slots start at `first`; warp `part` of `Parts` takes every `Parts`-th
// chunk. All lanes of the warp come here, each with a row of its own or with no slots. For A^T x there is no
// sum: `factor` is alpha times x of the row, and `group` what the warp's rows are.
template <int Parts, bool Transposed, class Rows, class Value>
__device__ Value walk_part(const Rows& rows, const std::int32_t* __restrict__ cols,
                           const Value* __restrict__ values, std::int64_t first, std::int32_t from,
                           std::int32_t to, int part, const Value* __restrict__ x, Value factor,
                           std::int64_t group, Value* y) {
  constexpr int slots = ell_tuning::slots_at_once;
  const std::int32_t* const own_cols = cols + first;
  const Value* const own_values = values + first;
  // Past the end a row's last slot is read again, and forgotten: a branch would wait for every load.
  const auto take_chunk = [&](std::int32_t k, auto use) {
    std::int32_t read_cols[slots];
    Value read_values[slots];
#pragma unroll
    for (int j = 0; j < slots; ++j) {
      const std::int64_t slot = min(k + j, to - 1) * rows.stride();
      read_cols[j] = __ldcs(own_cols + slot);
      read_values[j] = __ldcs(own_values + slot);
    }
#pragma unroll
    for (int j = 0; j < slots; ++j) use(read_cols[j], read_values[j], k + j < to);
  };
  Value sum = 0;
  if constexpr (Transposed) {
    __syncwarp();
    const auto end = static_cast<std::int32_t>(__reduce_max_sync(~0u, static_cast<unsigned>(to)));
    const std::int32_t chunks = end > from ? (end - from + slots - 1) / slots : 0;
    if (part >= chunks) return sum;
    // Rows are sorted by column: threads that all began with the first chunk would meet in the same elements
    // of y. Multiples of a large prime spread them.
    auto chunk = static_cast<std::int32_t>((group * 2654435761 + part) % chunks);
    for (std::int32_t n = part; n < chunks; n += Parts) {
      if (const std::int32_t k = from + chunk * slots; k < to)
        take_chunk(k, [&](std::int32_t col, Value value, bool inside) {
          if (inside) atomicAdd(y + col, value * factor);
        });
      chunk = (chunk + Parts) % chunks;
    }
  } else {
    for (std::int32_t k = from + part * slots; k < to; k += Parts * slots)
      take_chunk(k, [&](std::int32_t col, Value value, bool inside) {
        const Value product = value * __ldg(x + col);
        sum += inside ? product : Value{0};
      });
  }
  return sum;
}

// The sum over the warps of a part of the thread block, lane by lane; every warp gets it. `sums` is not in
// use any more when all threads have met once again.
template <int Parts, class Value>
__device__ Value sum_of_parts(Value (&sums)[warps][32], Value own) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  sums[warp][lane] = own;
  __syncthreads();
  Value sum = 0;
#pragma unroll
  for (int w = 0; w < Parts; ++w) sum += sums[warp / Parts * Parts + w][lane];
  return sum;
}

// The lengths of 32 neighbouring rows where they are the same, so that nobody need read them; otherwise -1.
__global__ void find_even_groups(std::int32_t rows, const std::int32_t* lengths, std::int32_t* even,
                                 unsigned* count) {
  const std::int64_t p = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int32_t own = p < rows ? lengths[p] : -1, first = __shfl_sync(~0u, own, 0);
  const bool same = __all_sync(~0u, own == first || own < 0) != 0;
  if (threadIdx.x % 32 != 0 || p >= rows) return;
  even[p / 32] = same ? own : -1;
  if (same) atomicAdd(count, 1u);
}

// A thread block with a piece of a long group, which its warps share. The last thread block of a group to
// have left its sums adds up those of all pieces.
template <bool Transposed, class Rows, class Value>
__device__ void multiply_piece(const Rows& rows, const line_pieces<Value>& long_groups,
                               Value (&sums)[warps][32], const std::int32_t* __restrict__ cols,
                               const Value* __restrict__ values, Value alpha, const Value* __restrict__ x,
                               Value beta, Value* y) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const line_piece piece = long_groups.pieces[blockIdx.x];
  const std::int64_t position = std::int64_t{piece.line} * 32 + lane;
  const bool own = position < rows.count;
  const std::int32_t p = own ? static_cast<std::int32_t>(position) : 0;
  const std::int32_t row = rows.row(p), length = own ? rows.lengths[p] : 0;
  const auto from = static_cast<std::int32_t>(piece.first);
  const std::int32_t to = min(length, static_cast<std::int32_t>(piece.last));
  const Value factor = Transposed && from < to ? alpha * x[row] : Value{0};
  Value sum = walk_part<warps, Transposed>(rows, cols, values, rows.first(p), from, to, warp, x, factor,
                                           piece.line, y);
  if constexpr (!Transposed) {
    sum = sum_of_parts<warps>(sums, sum);
    if (piece.count > 1) {
      __shared__ bool last;
      if (warp == 0) {
        long_groups.sums[std::int64_t{blockIdx.x} * 32 + lane] = sum;
        const bool is_last = last_at_line(long_groups, piece, blockIdx.x);
        if (lane == 0) last = is_last;
      }
      __syncthreads();
      if (!last) return;
      const Value* const left = long_groups.sums + (std::int64_t{blockIdx.x} - piece.number) * 32 + lane;
      sum = 0;
#pragma unroll 4
      for (std::int32_t i = warp; i < piece.count; i += warps) sum += __ldcg(left + std::int64_t{i} * 32);
      sum = sum_of_parts<warps>(sums, sum);
    }
    if (own && warp == 0) y[row] = updated(beta, y + row, alpha * sum);
  }
}

// Groups of 32 rows, `Warps` warps each; long ones in pieces. y = alpha A x + beta y, or y += alpha A^T x.
template <int Warps, bool Transposed, class Rows, class Value>
__global__ void __launch_bounds__(threads)
    split_rows(Rows rows, const std::int32_t* __restrict__ even, line_pieces<Value> long_groups,
               std::int32_t limit, read_ahead ahead, const std::int32_t* __restrict__ cols,
               const Value* __restrict__ values, Value alpha, const Value* __restrict__ x, Value beta,
               Value* y) {
  __shared__ Value sums[warps][32];
  if (blockIdx.x < long_groups.count) {
    multiply_piece<Transposed>(rows, long_groups, sums, cols, values, alpha, x, beta, y);
    return;
  }
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int part = warp % Warps;
  const std::int64_t group = std::int64_t{blockIdx.x - long_groups.count} * (warps / Warps) + warp / Warps;
  const std::int64_t position = group * 32 + lane;
  bool own = position < rows.count;
  const std::int32_t p = own ? static_cast<std::int32_t>(position) : 0;
  // These loads wait for nothing, and not for each other.
  const std::int64_t first_slot = rows.first(p);
  const std::int32_t row = Transposed || part == 0 ? rows.row(p) : 0;
  std::int32_t length = !own ? 0 : even != nullptr ? even[group] : rows.lengths[p];
  ahead.bring();
  if (length < 0) length = rows.lengths[p];
  __syncwarp();
  // What is walked in pieces is not walked here.
  if (long_groups.count > 0 &&
      __reduce_max_sync(~0u, static_cast<unsigned>(length)) > static_cast<unsigned>(limit)) {
    own = false;
    length = 0;
  }
  const Value factor = Transposed && length > 0 ? alpha * x[row] : Value{0};
  Value sum =
      walk_part<Warps, Transposed>(rows, cols, values, first_slot, 0, length, part, x, factor, group, y);
  if constexpr (!Transposed) {
    if constexpr (Warps > 1) sum = sum_of_parts<Warps>(sums, sum);
    if (own && part == 0) y[row] = updated(beta, y + row, alpha * sum);
  }
}

// The slots of the longest of 32 rows.
struct slots_of_group {
  std::int32_t count;
  const std::int32_t* lengths;
  __device__ line_range operator()(std::int64_t group) const {
    std::int32_t longest = 0;
    for (std::int64_t p = group * 32; p < group * 32 + 32 && p < count; ++p)
      longest = max(longest, lengths[p]);
    return {0, longest};
  }
};

// How rows are shared, chosen from their number and their mean length.
template <class Rows, class Value>
class rows_in_groups {
 public:
  rows_in_groups(cuda on, operation op, const Rows& rows, array_view<const std::int32_t> cols,
                 array_view<const Value> values, std::int64_t input_count, std::int64_t output_count)
      : on_(on),
        op_(op),
        rows_(rows),
        cols_(cols),
        values_(values),
        inputs_(input_count),
        outputs_(output_count) {
    const std::int64_t groups = (std::int64_t{rows.count} + 31) / 32, mean = values.size() / rows.count;
    const std::int64_t enough = ell_tuning::threads_to_fill * multiprocessors();
    if (mean > ell_tuning::slots_for_four && groups * 32 < enough) warps_ = 4;
    if (mean > ell_tuning::slots_for_block && groups * 32 * 4 < enough) warps_ = warps;
    constexpr std::int64_t round = ell_tuning::slots_at_once * ell_tuning::rounds;
    limit_ = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(groups * 32 * warps_ < enough ? 0 : ell_tuning::times_mean * mean,
                                 round * warps_, std::numeric_limits<std::int32_t>::max()));
    long_groups_ = long_lines<Value>(on, groups, slots_of_group{rows.count, rows.lengths},
                                     {limit_, std::numeric_limits<std::int64_t>::max(), round * warps}, 32);

    array<unsigned, device> count(1);
    array<std::int32_t, device> even(groups);
    check_cuda(cudaMemsetAsync(count.data(), 0, sizeof(unsigned), on.stream));
    find_even_groups<<<blocks_for(rows.count, threads), threads, 0, on.stream>>>(rows.count, rows.lengths,
                                                                                 even.data(), count.data());
    check_cuda(cudaGetLastError());
    if (static_cast<double>(copy_to<host>(count, place::device)[0]) >=
        ell_tuning::even_share * static_cast<double>(groups))
      even_ = std::move(even);
  }
  std::int64_t bytes() const { return long_groups_.bytes() + even_.size() * 4; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (op_ == operation::transposed) scale(on_, outputs_, beta, y);
    with_operation(op_, [&](auto transposed) {
      constexpr bool t = transposed.value;
      switch (warps_) {
        case 1:
          return launch<1, t>(alpha, x, beta, y);
        case 4:
          return launch<4, t>(alpha, x, beta, y);
        default:
          return launch<warps, t>(alpha, x, beta, y);
      }
    });
  }

 private:
  template <int Warps, bool Transposed>
  void launch(Value alpha, const Value* x, Value beta, Value* y) const {
    read_ahead ahead;
    ahead.add(cols_.data(), cols_.size());
    ahead.add(values_.data(), values_.size());
    ahead.add(x, inputs_);
    split_rows<Warps, Transposed>
        <<<long_groups_.count() + blocks_for(rows_.count, 32 * (warps / Warps)), threads, 0, on_.stream>>>(
            rows_, even_.size() > 0 ? even_.data() : nullptr, long_groups_.view(), limit_, ahead,
            cols_.data(), values_.data(), alpha, x, beta, y);
    check_cuda(cudaGetLastError());
  }

  cuda on_;
  operation op_;
  Rows rows_;
  array_view<const std::int32_t> cols_;
  array_view<const Value> values_;
  std::int64_t inputs_, outputs_;
  int warps_ = 1;
  std::int32_t limit_ = 0;
  long_lines<Value> long_groups_;
  array<std::int32_t, device> even_;
};

template <class Value>
struct ell_thread {
  static constexpr kernel_info info{.name = "ell/thread",
                                    .description = "a thread for every row",
                                    .source = "GCSB thesis",
                                    .repeatable = {.multiply = true},
                                    .computes = {true, true, false, true},
                                    .facts = thread_facts};
  using matrix = ell_view<Value, device>;

  ell_thread(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    multiply_rows(on_, op_, ell_rows{m_.rows, m_.row_lengths.data()}, m_.col_indices.data(), m_.values.data(),
                  outputs(m_, op_), alpha, x, beta, y);
  }

 private:
  cuda on_;
  matrix m_;
  operation op_;
};

template <class Offset, class Value>
struct sell_thread {
  static constexpr kernel_info info{.name = "sell/thread",
                                    .description = "a thread for every row",
                                    .source = "ours",
                                    .repeatable = {.multiply = true},
                                    .computes = {true, true, false, true},
                                    .facts = thread_facts};
  using matrix = sell_view<Offset, Value, device>;

  sell_thread(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    multiply_rows(on_, op_,
                  sell_rows<Offset>{m_.rows, m_.row_lengths.data(), m_.row_order.data(),
                                    m_.slice_offsets.data(), m_.slice},
                  m_.col_indices.data(), m_.values.data(), outputs(m_, op_), alpha, x, beta, y);
  }

 private:
  cuda on_;
  matrix m_;
  operation op_;
};

template <class Value>
struct ell_split : rows_in_groups<ell_rows, Value> {
  static constexpr kernel_info info{.name = "ell/split",
                                    .description = "1, 4 or 8 warps for 32 rows, thread blocks for long ones",
                                    .source = "ours",
                                    .repeatable = {.multiply = true},
                                    .facts = split_facts};
  using matrix = ell_view<Value, device>;

  ell_split(cuda on, const matrix& m, operation op)
      : rows_in_groups<ell_rows, Value>(on, op, {m.rows, m.row_lengths.data()}, m.col_indices, m.values,
                                        inputs(m, op), outputs(m, op)) {}
};

template <class Offset, class Value>
struct sell_split {
  static constexpr kernel_info info{.name = "sell/split",
                                    .description = "1, 4 or 8 warps for 32 rows, thread blocks for long ones",
                                    .source = "ours",
                                    .repeatable = {.multiply = true},
                                    .facts = split_facts};
  using matrix = sell_view<Offset, Value, device>;
  static constexpr int usual = sell_shape{}.slice;

  sell_split(cuda on, const matrix& m, operation op) {
    if (m.slice == usual)
      usual_.emplace(on, op, rows_of<usual>(m), m.col_indices, m.values, inputs(m, op), outputs(m, op));
    else
      any_.emplace(on, op, rows_of<0>(m), m.col_indices, m.values, inputs(m, op), outputs(m, op));
  }
  std::int64_t bytes() const { return usual_ ? usual_->bytes() : any_->bytes(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (usual_)
      usual_->run(alpha, x, beta, y);
    else
      any_->run(alpha, x, beta, y);
  }

 private:
  template <int Slice>
  static sell_rows<Offset, Slice> rows_of(const matrix& m) {
    // Windows of one row leave all in their order.
    return {m.rows, m.row_lengths.data(), m.sigma > 1 ? m.row_order.data() : nullptr, m.slice_offsets.data(),
            m.slice};
  }

  std::optional<rows_in_groups<sell_rows<Offset, usual>, Value>> usual_;
  std::optional<rows_in_groups<sell_rows<Offset>, Value>> any_;
};

template <class Value>
struct hyb_thread {
  static constexpr kernel_info info{
      .name = "hyb/thread",
      .description = "a thread for every row of the ELL part, the rest as coo/segscan-32-block",
      .source = "ours",
      .facts = {.walk = kernel_facts::rows::lanes,
                .lanes = 1,
                .additions = {.transposed = kernel_facts::adds::every},
                .launches = {.multiply = 2, .transposed = 3}}};
  using matrix = hyb_view<Value, device>;

  hyb_thread(cuda on, const matrix& m, operation op) : on_(on), m_(m), op_(op) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    multiply_rows(on_, op_, ell_rows{m_.rows, m_.row_lengths.data()}, m_.ell_col_indices.data(),
                  m_.ell_values.data(), outputs(m_, op_), alpha, x, beta, y);
    add_entries(on_, entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_), alpha, x, y);
  }

 private:
  cuda on_;
  matrix m_;
  operation op_;
};

}  // namespace

template <class Value>
struct table_of<ell_view<Value, device>> {
  static kernel_table<ell_view<Value, device>> lines() {
    return {kernel_of<ell_thread<Value>>(), kernel_of<ell_split<Value>>()};
  }
};

template <class Offset, class Value>
struct table_of<sell_view<Offset, Value, device>> {
  static kernel_table<sell_view<Offset, Value, device>> lines() {
    kernel_table<sell_view<Offset, Value, device>> table{kernel_of<sell_thread<Offset, Value>>(),
                                                         kernel_of<sell_split<Offset, Value>>()};
    for (const auto& line : cusparse_sell_kernels<Offset, Value>()) table.push_back(line);
    return table;
  }
};

template <class Value>
struct table_of<hyb_view<Value, device>> {
  static kernel_table<hyb_view<Value, device>> lines() { return {kernel_of<hyb_thread<Value>>()}; }
};

template kernel_table<ell_view<float, device>> kernels_of(const ell_view<float, device>&);
template kernel_table<ell_view<double, device>> kernels_of(const ell_view<double, device>&);
template kernel_table<sell_view<std::int32_t, float, device>> kernels_of(
    const sell_view<std::int32_t, float, device>&);
template kernel_table<sell_view<std::int32_t, double, device>> kernels_of(
    const sell_view<std::int32_t, double, device>&);
template kernel_table<sell_view<std::int64_t, float, device>> kernels_of(
    const sell_view<std::int64_t, float, device>&);
template kernel_table<sell_view<std::int64_t, double, device>> kernels_of(
    const sell_view<std::int64_t, double, device>&);
template kernel_table<hyb_view<float, device>> kernels_of(const hyb_view<float, device>&);
template kernel_table<hyb_view<double, device>> kernels_of(const hyb_view<double, device>&);

}  // namespace sparsmith
