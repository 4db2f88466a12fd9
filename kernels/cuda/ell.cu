// ELL, SELL and HYB on a GPU: a thread for every row, which walks the row's slots, or several warps for 32
// rows, which share them; neighbouring threads read neighbouring slots. The rest of HYB goes through COO's
// segmented sums.
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

  // ell/split and sell/split: slots of a row whose loads are on their way at once.
  static constexpr int slots_at_once = 8;
  // Warps that share 32 rows are doubled, up to a thread block, while each has more slots of a row than this
  // and there are fewer threads than this a multiprocessor.
  static constexpr std::int64_t slots_of_warp = 4, threads_to_fill = 1365;
  // Rows of more slots than their warps take in so many rounds are shared by thread blocks, of which each
  // takes as many; where there are threads enough, only rows of so many times the mean.
  static constexpr std::int64_t rounds = 4, times_mean = 4;
  // From this share on of groups of 32 rows with one length, that length is kept: reading 32 of them would be
  // a twentieth of a Laplacian's bytes.
  static constexpr double even_share = 0.8;
};
constexpr int threads = ell_tuning::threads, warps = threads / 32;

// Where the rows of a format are: position p has row row(p), whose slots start at first(p) and lie stride()
// apart.
struct ell_rows {
  std::int32_t count;
  const std::int32_t* lengths;

  __device__ std::int32_t row(std::int32_t p) const { return p; }
  __device__ std::int64_t first(std::int32_t p) const { return p; }
  __device__ std::int64_t stride() const { return count; }
};

template <class Offset>
struct sell_rows {
  std::int32_t count;
  const std::int32_t* lengths;
  const std::int32_t* order;  // null where rows are in theirs
  const Offset* slice_offsets;
  std::int32_t slice;

  __device__ std::int32_t row(std::int32_t p) const { return order != nullptr ? order[p] : p; }
  __device__ std::int64_t first(std::int32_t p) const {
    return std::int64_t{slice_offsets[p / slice]} + p % slice;
  }
  __device__ std::int64_t stride() const { return slice; }
};

// y = alpha A x + beta y, or y += alpha A^T x.
template <bool Transposed, class Rows, class Value>
__global__ void __launch_bounds__(threads)
    walk_rows(Rows rows, const std::int32_t* __restrict__ cols, const Value* __restrict__ values, Value alpha,
              const Value* __restrict__ x, Value beta, Value* y) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (thread >= rows.count) return;
  const auto p = static_cast<std::int32_t>(thread);
  const std::int32_t row = rows.row(p), length = rows.lengths[p];
  const std::int64_t stride = rows.stride();
  std::int64_t slot = rows.first(p);
  if constexpr (Transposed) {
    const Value factor = alpha * x[row];
#pragma unroll ell_tuning::unrolled
    for (std::int32_t k = 0; k < length; ++k, slot += stride)
      atomicAdd(y + cols[slot], values[slot] * factor);
  } else {
    Value sum = 0;
#pragma unroll ell_tuning::unrolled
    for (std::int32_t k = 0; k < length; ++k, slot += stride) sum += values[slot] * x[cols[slot]];
    y[row] = updated(beta, y + row, alpha * sum);
  }
}

template <class Rows, class Value>
void multiply_rows(cuda on, operation op, const Rows& rows, const std::int32_t* cols, const Value* values,
                   std::int64_t output_count, Value alpha, const Value* x, Value beta, Value* y) {
  if (op == operation::transposed) scale(on, output_count, beta, y);
  with_operation(op, [&](auto transposed) {
    walk_rows<transposed.value>
        <<<blocks_for(rows.count, threads), threads, 0, on.stream>>>(rows, cols, values, alpha, x, beta, y);
  });
  check_cuda(cudaGetLastError());
}

// Slots [from, to) of a row, whose slots start at `first`; warp `part` of `parts` takes every `parts`-th
// chunk. All lanes of the warp come here, each with a row of its own or with no slots. For A^T x there is no
// sum: `factor` is alpha times x of the row, and `group` what the warp's rows are.
template <bool Transposed, class Value>
__device__ Value walk_part(const std::int32_t* __restrict__ cols, const Value* __restrict__ values,
                           std::int64_t first, std::int64_t stride, std::int32_t from, std::int32_t to,
                           int part, int parts, const Value* __restrict__ x, Value factor, std::int64_t group,
                           Value* y) {
  constexpr int slots = ell_tuning::slots_at_once;
  // Past the end a row's last slot is read again, and forgotten: a branch would wait for every load.
  const auto take_chunk = [&](std::int32_t k, auto use) {
    std::int32_t own_cols[slots];
    Value own_values[slots];
#pragma unroll
    for (int j = 0; j < slots; ++j) {
      const std::int64_t slot = first + min(k + j, to - 1) * stride;
      own_cols[j] = __ldcs(cols + slot);
      own_values[j] = __ldcs(values + slot);
    }
#pragma unroll
    for (int j = 0; j < slots; ++j) use(own_cols[j], own_values[j], k + j < to);
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
    for (std::int32_t n = part; n < chunks; n += parts) {
      if (const std::int32_t k = from + chunk * slots; k < to)
        take_chunk(k, [&](std::int32_t col, Value value, bool inside) {
          if (inside) atomicAdd(y + col, value * factor);
        });
      chunk = (chunk + parts) % chunks;
    }
  } else {
    for (std::int32_t k = from + part * slots; k < to; k += parts * slots)
      take_chunk(k, [&](std::int32_t col, Value value, bool inside) {
        const Value product = value * x[col];
        sum += inside ? product : Value{0};
      });
  }
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

// Groups of 32 rows, `Warps` warps each; long ones in pieces, which all warps of a thread block share.
// y = alpha A x + beta y, or y += alpha A^T x.
template <int Warps, bool Transposed, class Rows, class Value>
__global__ void __launch_bounds__(threads)
    split_rows(Rows rows, const std::int32_t* __restrict__ even, line_pieces<Value> long_groups,
               std::int32_t limit, read_ahead ahead, const std::int32_t* __restrict__ cols,
               const Value* __restrict__ values, Value alpha, const Value* __restrict__ x, Value beta,
               Value* y) {
  __shared__ Value sums[warps][32];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const bool is_piece = blockIdx.x < long_groups.count;
  const int parts = is_piece ? warps : Warps, part = warp % parts;
  line_piece piece{};
  if (is_piece) piece = long_groups.pieces[blockIdx.x];
  const std::int64_t group =
      is_piece ? std::int64_t{piece.line}
               : std::int64_t{blockIdx.x - long_groups.count} * (warps / Warps) + warp / Warps;
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
  if (long_groups.count > 0 && !is_piece &&
      __reduce_max_sync(~0u, static_cast<unsigned>(length)) > static_cast<unsigned>(limit)) {
    own = false;
    length = 0;
  }
  const std::int32_t from = is_piece ? static_cast<std::int32_t>(piece.first) : 0;
  const std::int32_t to = is_piece ? min(length, static_cast<std::int32_t>(piece.last)) : length;
  const Value factor = Transposed && from < to ? alpha * x[row] : Value{0};
  Value sum = walk_part<Transposed>(cols, values, first_slot, rows.stride(), from, to, part, parts, x, factor,
                                    group, y);
  if constexpr (!Transposed) {
    if (parts > 1) {
      sums[warp][lane] = sum;
      __syncthreads();
      if (part != 0 && !is_piece) return;
      sum = 0;
      for (int w = 0; w < parts; ++w) sum += sums[warp - part + w][lane];
    }
    if (is_piece && piece.count > 1) {
      // All warps have the piece's sums. The last thread block to have left them adds up those of all pieces.
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
      sums[warp][lane] = sum;
      __syncthreads();
      sum = 0;
      for (int w = 0; w < warps; ++w) sum += sums[w][lane];
    }
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
    while (warps_ < warps && warps_ * ell_tuning::slots_of_warp < mean && groups * 32 * warps_ < enough)
      warps_ *= 2;
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
        case 2:
          return launch<2, t>(alpha, x, beta, y);
        case 4:
          return launch<4, t>(alpha, x, beta, y);
        default:
          return launch<8, t>(alpha, x, beta, y);
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
  static constexpr kernel_info info{"ell/thread", "a thread for every row", "GCSB thesis", true, false};
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
  static constexpr kernel_info info{"sell/thread", "a thread for every row", "ours", true, false};
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
  static constexpr kernel_info info{"ell/split", "1 to 8 warps for 32 rows, thread blocks for long ones",
                                    "ours", true, false};
  using matrix = ell_view<Value, device>;

  ell_split(cuda on, const matrix& m, operation op)
      : rows_in_groups<ell_rows, Value>(on, op, {m.rows, m.row_lengths.data()}, m.col_indices, m.values,
                                        inputs(m, op), outputs(m, op)) {}
};

template <class Offset, class Value>
struct sell_split : rows_in_groups<sell_rows<Offset>, Value> {
  static constexpr kernel_info info{"sell/split", "1 to 8 warps for 32 rows, thread blocks for long ones",
                                    "ours", true, false};
  using matrix = sell_view<Offset, Value, device>;

  sell_split(cuda on, const matrix& m, operation op)
      : rows_in_groups<sell_rows<Offset>, Value>(
            on, op,
            {m.rows, m.row_lengths.data(), m.sigma > 1 ? m.row_order.data() : nullptr, m.slice_offsets.data(),
             m.slice},
            m.col_indices, m.values, inputs(m, op), outputs(m, op)) {}
};

template <class Value>
struct hyb_thread {
  static constexpr kernel_info info{
      "hyb/thread", "a thread for every row of the ELL part, the rest as coo/segscan-32-block", "ours"};
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
