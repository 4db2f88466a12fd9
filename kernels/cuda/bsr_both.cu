// bsr/both: both products, and A^T (A x), from BSR in one pass. A warp takes a block row; a lane takes a
// column of a block at a time and a few of its rows, whose sums stay in registers until the block row ends,
// and adds the column's sum to z with one atomic a column and block. In A^T (A x) a thread block takes a long
// block row, and keeps it in shared memory for the second product. bsr/half is the same as both with one
// vector for both: what a block adds to columns is its mirror image's product.
#include "kernels/cuda/bsr_blocks.hpp"
#include "kernels/cuda/overlap.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/line_here.hpp"

namespace sparsmith {
namespace {

struct both_tuning {
  static constexpr int threads = 128;  // of a thread block
  static constexpr int rows = 8;       // of a block that a lane walks at a time
  // Of A^T (A x), where a thread block takes a block row: from so many bytes on, since those that all warps
  // are at would not stay in the cache until they are needed again.
  static constexpr std::int64_t long_row_bytes = 8192;
  static constexpr int long_row_threads = 512;
  // What is kept of a block row: two thread blocks have room on a multiprocessor. Longer ones are read twice.
  static constexpr std::int64_t most_kept_bytes = 104 << 10;
};

template <class Offset, class Value>
struct block_row_arrays {
  std::int32_t rows, cols, block_rows, height, width;
  const Offset* __restrict__ offsets;
  const std::int32_t* __restrict__ columns;
  const Value* __restrict__ values;
};

// Some rows of a block row, from `first` on, by a warp: use(column, values of these rows) for every column of
// every block that lies in the matrix. Rows behind the block's last are 0.
template <class Offset, class Value, class Use>
__device__ void walk_columns(const block_row_arrays<Offset, Value>& m, Offset begin, Offset end, int first,
                             Use use) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int lanes = min(m.width, 32), together = 32 / lanes;  // lanes of a block; blocks at a time
  const int own = lane / lanes;
  if (own >= together) return;
  // In 64 bits, which hold what is past the end of all blocks too.
  for (std::int64_t block = std::int64_t{begin} + own; block < end; block += together) {
    const Value* const values = m.values + block * m.height * m.width;
    const std::int64_t corner = std::int64_t{m.columns[block]} * m.width;
    for (int c = lane % lanes; c < m.width && corner + c < m.cols; c += lanes) {
      Value of[both_tuning::rows];
#pragma unroll
      for (int r = 0; r < both_tuning::rows; ++r)
        of[r] = first + r < m.height ? values[(first + r) * m.width + c] : Value{0};
      use(corner + c, of);
    }
  }
}

// y and z; z = A^T (A x); or y = z, of which the triangle is half, with w = x: `mirror` is what a mirror
// image is multiplied by.
enum class one_pass { both, normal, half };

template <one_pass Pass, class Offset, class Value>
__global__ void __launch_bounds__(both_tuning::threads)
    multiply_block_rows(const block_row_arrays<Offset, Value> m, const read_ahead ahead, Value alpha,
                        const Value* __restrict__ x, const Value* __restrict__ w, Value beta, Value* y,
                        Value* z, Value mirror) {
  constexpr bool Normal = Pass == one_pass::normal, Half = Pass == one_pass::half;
  constexpr int warps = both_tuning::threads / 32, together = both_tuning::rows;
  __shared__ Value factors[warps][longest_side];  // of the rows in the product with A^T
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t block_row = std::int64_t{blockIdx.x} * warps + warp;
  ahead.bring();
  if (block_row >= m.block_rows) return;  // a whole warp
  const Offset begin = m.offsets[block_row], end = m.offsets[block_row + 1];
  const std::int64_t corner = block_row * m.height;
  Value* const own_factors = factors[warp];
  if constexpr (!Normal)
    for (int r = lane; r < m.height; r += 32) own_factors[r] = corner + r < m.rows ? w[corner + r] : Value{0};
  __syncwarp();
  wait_for_kernel_before();  // which may be the one that scales z
  for (int first = 0; first < m.height; first += together) {
    Value sums[together] = {};
    walk_columns(m, begin, end, first, [&](std::int64_t col, const Value(&of)[together]) {
      const Value own_x = x[col];
      Value sum = 0;
#pragma unroll
      for (int r = 0; r < together; ++r) {
        // Below the diagonal there is fill, whose mirror images are entries: it meets no x.
        if (Half && corner + first + r > col) continue;
        sums[r] += of[r] * own_x;
        // An entry on the diagonal is its own mirror image.
        if (Half && corner + first + r == col) continue;
        if constexpr (!Normal) sum += of[r] * (first + r < m.height ? own_factors[first + r] : Value{0});
      }
      if constexpr (!Normal) atomicAdd(z + col, Half ? alpha * mirror * sum : alpha * sum);
    });
    __syncwarp();
#pragma unroll
    for (int r = 0; r < together; ++r) {
      const Value sum = lane_sum(sums[r]);
      if (lane != 0 || first + r >= m.height) continue;
      const std::int64_t row = corner + first + r;
      if constexpr (Normal)
        own_factors[first + r] = sum;
      else if (row < m.rows && Half)
        atomicAdd(y + row, alpha * sum);
      else if (row < m.rows)
        y[row] = updated(beta, y + row, alpha * sum);
    }
    __syncwarp();
  }
  if constexpr (Normal)
    for (int first = 0; first < m.height; first += together)
      walk_columns(m, begin, end, first, [&](std::int64_t col, const Value(&of)[together]) {
        Value sum = 0;
#pragma unroll
        for (int r = 0; r < together; ++r)
          sum += of[r] * (first + r < m.height ? own_factors[first + r] : Value{0});
        atomicAdd(z + col, alpha * sum);
      });
}

// z += alpha A^T (A x), a thread block for a block row. `kept` has room for so many columns of a block row,
// of one that has no more than that.
template <class Offset, class Value>
__global__ void __launch_bounds__(both_tuning::long_row_threads)
    multiply_long_block_rows(const block_row_arrays<Offset, Value> m, const read_ahead ahead, Value alpha,
                             const Value* __restrict__ x, Value* z, std::int64_t kept_columns) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int threads = both_tuning::long_row_threads, warps = threads / 32, together = both_tuning::rows;
  __shared__ Value sums_of_warps[warps][together];
  __shared__ Value products[longest_side];  // of the rows with x
  Value* const kept = reinterpret_cast<Value*>(shared);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  ahead.bring();
  const std::int64_t begin = m.offsets[blockIdx.x];
  const std::int64_t columns = (m.offsets[blockIdx.x + 1] - begin) * m.width;
  const bool keeps = columns <= kept_columns;
  // use(column in the block row, column of x, where its values begin) for those that lie in the matrix.
  const auto for_columns = [&](auto use) {
    for (std::int64_t c = thread; c < columns; c += threads) {
      const std::int64_t block = begin + c / m.width;
      const auto in_block = static_cast<std::int32_t>(c % m.width);
      const std::int64_t col = std::int64_t{m.columns[block]} * m.width + in_block;
      if (col < m.cols) use(c, col, m.values + block * m.height * m.width + in_block);
    }
  };
  for (int first = 0; first < m.height; first += together) {
    Value sums[together] = {};
    for_columns([&](std::int64_t c, std::int64_t col, const Value* values) {
      Value of[together];
#pragma unroll
      for (int r = 0; r < together; ++r)
        of[r] = first + r < m.height ? values[(first + r) * m.width] : Value{0};
      const Value own_x = x[col];
#pragma unroll
      for (int r = 0; r < together; ++r) {
        sums[r] += of[r] * own_x;
        if (keeps && first + r < m.height) kept[(first + r) * columns + c] = of[r];
      }
    });
#pragma unroll
    for (int r = 0; r < together; ++r) {
      const Value sum = lane_sum(sums[r]);
      if (lane == 0) sums_of_warps[warp][r] = sum;
    }
    __syncthreads();
    if (thread < together && first + thread < m.height) {
      Value sum = 0;
      for (int v = 0; v < warps; ++v) sum += sums_of_warps[v][thread];
      products[first + thread] = alpha * sum;
    }
    __syncthreads();
  }
  wait_for_kernel_before();  // which scales z
  for_columns([&](std::int64_t c, std::int64_t col, const Value* values) {
    Value sum = 0;
    for (int r = 0; r < m.height; ++r)
      sum += (keeps ? kept[r * columns + c] : values[r * m.width]) * products[r];
    atomicAdd(z + col, sum);
  });
}

// Whether the block rows are long on average, and what is kept of each: a quarter more than that, where there
// is room.
struct long_rows {
  bool are_long = false;
  std::size_t kept_bytes = 0;
};
template <class Offset, class Value>
long_rows long_rows_of(const bsr_view<Offset, Value, device>& m) {
  const std::int64_t bytes = m.values.size() * std::int64_t{sizeof(Value)} / std::max(count_block_rows(m), 1);
  if (bytes < both_tuning::long_row_bytes) return {};
  cudaFuncAttributes its = {};
  check_cuda(cudaFuncGetAttributes(&its, multiply_long_block_rows<Offset, Value>));
  const std::int64_t most = std::min(both_tuning::most_kept_bytes,
                                     most_shared_bytes() - static_cast<std::int64_t>(its.sharedSizeBytes));
  // The limit belongs to the function, which other matrices use too: it is always the same.
  check_cuda(cudaFuncSetAttribute(multiply_long_block_rows<Offset, Value>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)));
  return {true, static_cast<std::size_t>(std::min(bytes + bytes / 4, most))};
}

// Scales z and adds to it, and y where that is another vector.
template <one_pass Pass, class Offset, class Value>
void launch_block_rows(cuda on, const bsr_view<Offset, Value, device>& m, Value alpha, Value mirror,
                       const Value* x, const Value* w, Value beta, Value* y, Value* z,
                       const long_rows& rows = {}) {
  const bool early = scale(on, m.cols, beta, z);
  const std::int32_t block_rows = count_block_rows(m);
  read_ahead ahead;
  ahead.add(m.values.data(), m.values.size());
  ahead.add(x, m.cols);
  const block_row_arrays<Offset, Value> arrays{m.rows,
                                               m.cols,
                                               block_rows,
                                               m.block_rows,
                                               m.block_cols,
                                               m.row_offsets.data(),
                                               m.col_indices.data(),
                                               m.values.data()};
  if constexpr (Pass == one_pass::normal) {
    if (rows.are_long) {
      launch(on,
             launch_size{static_cast<unsigned>(block_rows), both_tuning::long_row_threads, rows.kept_bytes,
                         early},
             multiply_long_block_rows<Offset, Value>, arrays, ahead, alpha, x, z,
             static_cast<std::int64_t>(rows.kept_bytes / sizeof(Value)) / m.block_rows);
      return;
    }
  }
  launch(on, launch_size{blocks_for(block_rows, both_tuning::threads / 32), both_tuning::threads, 0, early},
         multiply_block_rows<Pass, Offset, Value>, arrays, ahead, alpha, x, w, beta, y, z, mirror);
}

}  // namespace

template <class Offset, class Value>
class bsr_both {
 public:
  static constexpr kernel_info info{
      .name = "bsr/both",
      .description = "a warp per block row, an atomic for every column of a block",
      .source = "ours",
      .computes = {false, false, true, true},
      .facts = {.walk = kernel_facts::rows::balanced,
                .additions = {.both = kernel_facts::adds::every, .normal = kernel_facts::adds::every},
                .launches = {.both = 2, .normal = 2}}};
  using matrix = bsr_view<Offset, Value, device>;

  static std::string why_not_expected(const matrix_outline& known, operation) { return too_large(known); }
  static matrix_outline outline_of(const matrix& m) { return {.block = {m.block_rows, m.block_cols}}; }

  bsr_both(cuda on, const matrix& m, operation op) : on_(on), m_(m) {
    if (op == operation::normal) long_ = long_rows_of(m);
  }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    launch_block_rows<one_pass::both>(on_, m_, alpha, Value{1}, x, w, beta, y, z);
  }
  void run(Value alpha, const Value* x, Value beta, Value* z) const {
    launch_block_rows<one_pass::normal>(on_, m_, alpha, Value{1}, x, x, beta, z, z, long_);
  }

 private:
  cuda on_;
  matrix m_;
  long_rows long_;
};

template <class Offset, class Value>
class bsr_half_rows {
 public:
  static constexpr kernel_info info{
      .name = "bsr/half",
      .description = "a warp per block row, an atomic for every column of a block and for every row",
      .source = "ours",
      .facts = {.walk = kernel_facts::rows::balanced,
                .additions = {kernel_facts::adds::every, kernel_facts::adds::every},
                .launches = {2, 2}}};
  using matrix = bsr_half_view<Offset, Value, device>;

  static std::string why_not_expected(const matrix_outline& known, operation) { return too_large(known); }
  static matrix_outline outline_of(const matrix& m) {
    return {.block = {m.upper.block_rows, m.upper.block_cols}};
  }

  bsr_half_rows(cuda on, const matrix& m, operation op)
      : on_(on), m_(m.upper), mirror_(m.mirror()), sign_(sign_of_product(m, op)) {}

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    launch_block_rows<one_pass::half>(on_, m_, sign_ * alpha, mirror_, x, x, beta, y, y);
  }

 private:
  cuda on_;
  bsr_view<Offset, Value, device> m_;
  Value mirror_, sign_;
};

template struct line_of<bsr_both, bsr_view, device>;
template struct line_of<bsr_half_rows, bsr_half_view, device>;

}  // namespace sparsmith
