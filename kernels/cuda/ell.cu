// ELL, SELL and HYB on a GPU: a thread for every row, which walks the row's slots; neighbouring threads read
// neighbouring slots. The rest of HYB goes through COO's segmented sums.
#include "kernels/cuda/entries.hpp"
#include "kernels/table.hpp"
#include "kernels/vendor/cusparse.hpp"

namespace sparsmith {
namespace {

struct ell_tuning {
  static constexpr int threads = 256;  // of a thread block
  // Slots of a row whose loads are on their way at once.
  static constexpr int unrolled = 4;
};
constexpr int threads = ell_tuning::threads;

// Where the rows of a format are: thread p has row row(p), whose slots start at first(p) and lie stride()
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
  const std::int32_t* order;
  const Offset* slice_offsets;
  std::int32_t slice;

  __device__ std::int32_t row(std::int32_t p) const { return order[p]; }
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
  static kernel_table<ell_view<Value, device>> lines() { return {kernel_of<ell_thread<Value>>()}; }
};

template <class Offset, class Value>
struct table_of<sell_view<Offset, Value, device>> {
  static kernel_table<sell_view<Offset, Value, device>> lines() {
    kernel_table<sell_view<Offset, Value, device>> table{kernel_of<sell_thread<Offset, Value>>()};
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
