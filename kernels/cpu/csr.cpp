// CSR on OpenMP. A x: threads take runs of rows with about the same number of entries.
#include "kernels/cpu/scatter.hpp"
#include "kernels/csc.hpp"
#include "kernels/vendor/mkl.hpp"

namespace sparsmith {
namespace {

struct csr_tuning {
  // A x: chunks of a thread, taken one after the other, so that a thread that is held up holds up little.
  static constexpr int chunks_per_thread = 8;
};

template <class Offset, class Value>
struct csr_walk {
  csr_view<Offset, Value, host> m;
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    for (std::int64_t row = first; row < last; ++row)
      for (Offset e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
        each(row, m.col_indices[e], m.values[e]);
  }
};

template <class Offset, class Value>
struct csr_omp {
  static constexpr kernel_info info{.name = "csr/omp",
                                    .description = "runs of rows with equal work, taken in turns",
                                    .source = "CSR strategies",
                                    .repeatable = {.multiply = true, .transposed = true},
                                    .facts = cpu_facts};
  using matrix = csr_view<Offset, Value, host>;

  csr_omp(openmp, const matrix& m, operation op)
      : m_(m),
        bounds_(balanced_chunks(
            m.rows, thread_count() * (op == operation::multiply ? csr_tuning::chunks_per_thread : 1),
            [&](std::int64_t r) {
              return std::int64_t{m.row_offsets[r]} + r;  // a row costs something by itself
            })) {
    if (op == operation::transposed)
      transposed_ = std::make_unique<scatter>(m.cols, op, bounds_, csr_walk<Offset, Value>{m});
  }
  std::int64_t bytes() const { return transposed_ ? transposed_->bytes() : 0; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (transposed_) return transposed_->run(alpha, x, beta, y);
    const auto chunks = static_cast<std::int64_t>(bounds_.size()) - 1;
    const Offset* const offsets = m_.row_offsets.data();
    const std::int32_t* const cols = m_.col_indices.data();
    const Value* const values = m_.values.data();
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t c = 0; c < chunks; ++c) {
      for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
           row < bounds_[static_cast<std::size_t>(c) + 1]; ++row) {
        // Four sums at a time: additions need not wait for one another.
        Value sums[4] = {0, 0, 0, 0};
        std::int64_t e = offsets[row];
        const std::int64_t end = offsets[row + 1];
        for (; e + 3 < end; e += 4)
          for (int k = 0; k < 4; ++k) sums[k] += values[e + k] * x[cols[e + k]];
        for (; e < end; ++e) sums[0] += values[e] * x[cols[e]];
        const Value sum = alpha * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
        y[row] = beta == Value{0} ? sum : beta * y[row] + sum;
      }
    }
  }

 private:
  using scatter = scatter_sum<Value, csr_walk<Offset, Value>>;
  matrix m_;
  std::vector<std::int64_t> bounds_;
  std::unique_ptr<scatter> transposed_;
};

}  // namespace

template <class Offset, class Value>
struct table_of<csr_view<Offset, Value, host>> {
  static kernel_table<csr_view<Offset, Value, host>> lines() {
    return with_vendor<csr_view<Offset, Value, host>>({kernel_of<csr_omp<Offset, Value>>()},
                                                      mkl_csr_kernels<Offset, Value>());
  }
};

template kernel_table<csr_view<std::int32_t, float, host>> kernels_of(
    const csr_view<std::int32_t, float, host>&);
template kernel_table<csr_view<std::int32_t, double, host>> kernels_of(
    const csr_view<std::int32_t, double, host>&);
template kernel_table<csr_view<std::int64_t, float, host>> kernels_of(
    const csr_view<std::int64_t, float, host>&);
template kernel_table<csr_view<std::int64_t, double, host>> kernels_of(
    const csr_view<std::int64_t, double, host>&);
template kernel_table<csc_view<std::int32_t, float, host>> kernels_of(
    const csc_view<std::int32_t, float, host>&);
template kernel_table<csc_view<std::int32_t, double, host>> kernels_of(
    const csc_view<std::int32_t, double, host>&);
template kernel_table<csc_view<std::int64_t, float, host>> kernels_of(
    const csc_view<std::int64_t, float, host>&);
template kernel_table<csc_view<std::int64_t, double, host>> kernels_of(
    const csc_view<std::int64_t, double, host>&);

}  // namespace sparsmith
