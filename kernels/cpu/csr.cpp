// CSR on OpenMP: threads take runs of rows with about the same number of entries. In A^T x, and where two
// products are made in one pass, each of them sums up columns for itself.
#include "kernels/cpu/panels.hpp"
#include "kernels/csc.hpp"
#include "kernels/vendor/mkl.hpp"

namespace sparsmith {
namespace {

struct csr_tuning {
  // A x: chunks of a thread, taken one after the other, so that a thread that is held up holds up little.
  static constexpr int chunks_per_thread = 8;
  // Both products in one pass: with so many entries of a chunk for every column that it touches, x is copied
  // beside the sums of columns, so that an entry meets one line of cache instead of two. With fewer the
  // copies cost more; stencils, whose entries find their columns in the nearest cache, have 7.
  static constexpr std::int64_t entries_worth_a_copy = 8;
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

// Several vectors: the sums of a row of all of them stay in registers; in A^T x a row of them does.
template <class Offset, class Value>
class csr_many {
 public:
  using matrix = csr_view<Offset, Value, host>;

  csr_many(openmp, const matrix& m, operation op, std::int64_t vectors)
      : m_(m),
        vectors_(vectors),
        bounds_(balanced_chunks(
            m.rows, thread_count() * (op == operation::multiply ? csr_tuning::chunks_per_thread : 1),
            [&](std::int64_t r) { return std::int64_t{m.row_offsets[r]} + r; })) {
    if (op == operation::transposed)
      columns_ = std::make_unique<panel_sums<Value>>(m.cols, vectors, chunks(), [&](std::int64_t c) {
        return touched_by<Value>(csr_walk<Offset, Value>{m}, op, bounds_[static_cast<std::size_t>(c)],
                                 bounds_[static_cast<std::size_t>(c) + 1]);
      });
  }
  std::int64_t bytes() const { return columns_ ? columns_->bytes() : 0; }

  void run(Value alpha, const Value* x, std::int64_t x_stride, Value beta, Value* y, std::int64_t y_stride) {
    const auto each_row = [&](std::int64_t c, auto use) {
      for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
           row < bounds_[static_cast<std::size_t>(c) + 1]; ++row) {
        const std::int64_t first = m_.row_offsets[row];
        use(row, m_.col_indices.data() + first, m_.values.data() + first, m_.row_offsets[row + 1] - first);
      }
    };
    if (columns_)
      return columns_->run(
          alpha, beta, y, y_stride, [&](std::int64_t c, std::int64_t first, std::int64_t width, Value* sums) {
            each_row(
                c, [&](std::int64_t row, const std::int32_t* cols, const Value* values, std::int64_t count) {
                  code_.scatter(cols, values, count, 1, x + row * x_stride + first, width, sums,
                                columns_->stride());
                });
          });
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t c = 0; c < chunks(); ++c)
      each_row(c, [&](std::int64_t row, const std::int32_t* cols, const Value* values, std::int64_t count) {
        each_panel(vectors_, panel_tuning::widest, [&](std::int64_t first, std::int64_t width) {
          Value sums[panel_tuning::widest] = {};
          code_.gather(cols, values, count, 1, x + first, x_stride, width, sums);
          put_panel(alpha, sums, beta, y + row * y_stride + first, width);
        });
      });
  }

 private:
  std::int64_t chunks() const {
    return static_cast<std::int64_t>(bounds_.size()) - 1;
  }

  matrix m_;
  std::int64_t vectors_;
  std::vector<std::int64_t> bounds_;
  panel_code<Value> code_ = panel_code_here<Value>();
  std::unique_ptr<panel_sums<Value>> columns_;  // of A^T x
};

template <class Offset, class Value>
struct csr_omp {
  static constexpr kernel_info info{.name = "csr/omp",
                                    .description = "runs of rows with equal work, taken in turns",
                                    .source = "CSR strategies",
                                    .repeatable = {true, true, true, true},
                                    .computes = {true, true, true, true},
                                    .facts = cpu_facts};
  using matrix = csr_view<Offset, Value, host>;
  using many = csr_many<Offset, Value>;

  csr_omp(openmp, const matrix& m, operation op)
      : m_(m),
        bounds_(balanced_chunks(
            m.rows, thread_count() * (op == operation::multiply ? csr_tuning::chunks_per_thread : 1),
            [&](std::int64_t r) {
              return std::int64_t{m.row_offsets[r]} + r;  // a row costs something by itself
            })) {
    if (op == operation::transposed)
      transposed_ = std::make_unique<scatter>(m.rows, m.cols, op, bounds_, csr_walk<Offset, Value>{m});
    if (op != operation::both && op != operation::normal) return;
    const auto chunks = static_cast<std::int64_t>(bounds_.size()) - 1;
    std::vector<std::pair<std::int64_t, std::int64_t>> touched(static_cast<std::size_t>(chunks));
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t c = 0; c < chunks; ++c)
      touched[static_cast<std::size_t>(c)] =
          touched_by<Value>(csr_walk<Offset, Value>{m}, operation::transposed,
                            bounds_[static_cast<std::size_t>(c)], bounds_[static_cast<std::size_t>(c) + 1]);
    const auto of_chunk = [&](std::int64_t c) { return touched[static_cast<std::size_t>(c)]; };
    std::int64_t columns = 0;
    for (const auto& [first, last] : touched) columns += std::max<std::int64_t>(0, last - first);
    if (op == operation::both && m.values.size() >= csr_tuning::entries_worth_a_copy * columns)
      columns_with_x_ = std::make_unique<sums_with_x>(m.cols, chunks, of_chunk);
    else
      columns_ = std::make_unique<private_sums<Value>>(m.cols, chunks, of_chunk);
  }
  std::int64_t bytes() const {
    return transposed_       ? transposed_->bytes()
           : columns_        ? columns_->bytes()
           : columns_with_x_ ? columns_with_x_->bytes()
                             : 0;
  }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    const auto each_row = [&](std::int64_t c, auto input, auto sum) {
      for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
           row < bounds_[static_cast<std::size_t>(c) + 1]; ++row)
        put_row(row, alpha * add_row_summing(row, w[row], input, sum), beta, y);
    };
    if (columns_with_x_)
      columns_with_x_->run(
          alpha, beta, z,
          [&](std::int64_t c, sum_beside_input<Value>* columns) {
            each_row(
                c, [=](std::int32_t col) { return columns[col].input; },
                [=](std::int32_t col) -> Value& { return columns[col].sum; });
          },
          x);
    else
      columns_->run(alpha, beta, z, [&](std::int64_t c, Value* columns) {
        each_row(
            c, [=](std::int32_t col) { return x[col]; },
            [=](std::int32_t col) -> Value& { return columns[col]; });
      });
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (transposed_) return transposed_->run(alpha, x, beta, y);
    // A row's sum is complete before its entries, which are then in the nearest cache, are added to columns.
    if (columns_)
      return columns_->run(alpha, beta, y, [&](std::int64_t c, Value* sums) {
        for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
             row < bounds_[static_cast<std::size_t>(c) + 1]; ++row)
          add_row(row, row_sum(row, x), sums);
      });
    const auto chunks = static_cast<std::int64_t>(bounds_.size()) - 1;
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t c = 0; c < chunks; ++c) {
      for (std::int64_t row = bounds_[static_cast<std::size_t>(c)];
           row < bounds_[static_cast<std::size_t>(c) + 1]; ++row) {
        put_row(row, alpha * row_sum(row, x), beta, y);
      }
    }
  }

 private:
  Value row_sum(std::int64_t row, const Value* x) const {
    const std::int32_t* const cols = m_.col_indices.data();
    const Value* const values = m_.values.data();
    // Four sums at a time: additions need not wait for one another.
    Value sums[4] = {0, 0, 0, 0};
    std::int64_t e = m_.row_offsets[row];
    const std::int64_t end = m_.row_offsets[row + 1];
    for (; e + 3 < end; e += 4)
      for (int k = 0; k < 4; ++k) sums[k] += values[e + k] * x[cols[e + k]];
    for (; e < end; ++e) sums[0] += values[e] * x[cols[e]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  static void put_row(std::int64_t row, Value sum, Value beta, Value* y) {
    y[row] = beta == Value{0} ? sum : beta * y[row] + sum;
  }
  // sums[column] += factor times the entry there.
  void add_row(std::int64_t row, Value factor, Value* sums) const {
    const std::int32_t* const cols = m_.col_indices.data();
    const Value* const values = m_.values.data();
    for (std::int64_t e = m_.row_offsets[row]; e < m_.row_offsets[row + 1]; ++e)
      sums[cols[e]] += values[e] * factor;
  }

  // The same, and the sum of every entry times input(column).
  template <class Input, class Sum>
  Value add_row_summing(std::int64_t row, Value factor, Input input, Sum sum) const {
    const std::int32_t* const cols = m_.col_indices.data();
    const Value* const values = m_.values.data();
    Value sums[4] = {0, 0, 0, 0};
    const auto take = [&](std::int64_t e, Value& own) {
      own += values[e] * input(cols[e]);
      sum(cols[e]) += values[e] * factor;
    };
    std::int64_t e = m_.row_offsets[row];
    const std::int64_t end = m_.row_offsets[row + 1];
    for (; e + 3 < end; e += 4)
      for (int k = 0; k < 4; ++k) take(e + k, sums[k]);
    for (; e < end; ++e) take(e, sums[0]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  using scatter = scatter_sum<Value, csr_walk<Offset, Value>>;
  matrix m_;
  std::vector<std::int64_t> bounds_;
  std::unique_ptr<scatter> transposed_;
  using sums_with_x = private_sums<Value, sum_beside_input<Value>>;
  // Where two products are made in one pass, one of them.
  std::unique_ptr<private_sums<Value>> columns_;
  std::unique_ptr<sums_with_x> columns_with_x_;
};

}  // namespace

template <class Offset, class Value>
struct table_of<csr_view<Offset, Value, host>> {
  static kernel_table<csr_view<Offset, Value, host>> lines() {
    if constexpr (is_complex<Value>)
      return {kernel_of<csr_omp<Offset, Value>>()};
    else
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
template kernel_table<csr_view<std::int32_t, complex64, host>> kernels_of(
    const csr_view<std::int32_t, complex64, host>&);
template kernel_table<csr_view<std::int32_t, complex128, host>> kernels_of(
    const csr_view<std::int32_t, complex128, host>&);
template kernel_table<csr_view<std::int64_t, complex64, host>> kernels_of(
    const csr_view<std::int64_t, complex64, host>&);
template kernel_table<csr_view<std::int64_t, complex128, host>> kernels_of(
    const csr_view<std::int64_t, complex128, host>&);
template kernel_table<csc_view<std::int32_t, complex64, host>> kernels_of(
    const csc_view<std::int32_t, complex64, host>&);
template kernel_table<csc_view<std::int32_t, complex128, host>> kernels_of(
    const csc_view<std::int32_t, complex128, host>&);
template kernel_table<csc_view<std::int64_t, complex64, host>> kernels_of(
    const csc_view<std::int64_t, complex64, host>&);
template kernel_table<csc_view<std::int64_t, complex128, host>> kernels_of(
    const csc_view<std::int64_t, complex128, host>&);

}  // namespace sparsmith
