// bsr/both: both products, and A^T (A x), from BSR in one pass. A warp takes a block row; a lane takes a
// column of a block at a time and a few of its rows, whose sums stay in registers until the block row ends,
// and adds the column's sum to z with one atomic a column and block. bsr/half is the same with one vector for
// both: what a block adds to columns is its mirror image's product.
#include "kernels/cuda/bsr_blocks.hpp"
#include "kernels/cuda/overlap.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/line_here.hpp"

namespace sparsmith {
namespace {

struct both_tuning {
  static constexpr int threads = 128;  // of a thread block
  static constexpr int rows = 8;       // of a block that a lane walks at a time
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

// Scales z and adds to it, and y where that is another vector.
template <one_pass Pass, class Offset, class Value>
void launch_block_rows(cuda on, const bsr_view<Offset, Value, device>& m, Value alpha, Value mirror,
                       const Value* x, const Value* w, Value beta, Value* y, Value* z) {
  const bool early = scale(on, m.cols, beta, z);
  const std::int32_t block_rows = count_block_rows(m);
  read_ahead ahead;
  ahead.add(m.values.data(), m.values.size());
  ahead.add(x, m.cols);
  launch(on, launch_size{blocks_for(block_rows, both_tuning::threads / 32), both_tuning::threads, 0, early},
         multiply_block_rows<Pass, Offset, Value>,
         block_row_arrays<Offset, Value>{m.rows, m.cols, block_rows, m.block_rows, m.block_cols,
                                         m.row_offsets.data(), m.col_indices.data(), m.values.data()},
         ahead, alpha, x, w, beta, y, z, mirror);
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

  bsr_both(cuda on, const matrix& m, operation) : on_(on), m_(m) {}

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    launch_block_rows<one_pass::both>(on_, m_, alpha, Value{1}, x, w, beta, y, z);
  }
  void run(Value alpha, const Value* x, Value beta, Value* z) const {
    launch_block_rows<one_pass::normal>(on_, m_, alpha, Value{1}, x, x, beta, z, z);
  }

 private:
  cuda on_;
  matrix m_;
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
      : on_(on),
        m_(m.upper),
        mirror_(m.skew != 0 ? Value{-1} : Value{1}),
        sign_(op == operation::transposed ? mirror_ : Value{1}) {}

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
