// DIA on OpenMP. Every thread owns a run of outputs, of A x and of A^T x alike, and takes a piece of them at
// a time whose sums stay in the nearest cache: diagonal after diagonal adds a stretch of values times a
// stretch of x, in order and without an index. The rest is added as HYB's is. Both at once take a piece of
// either in turns: the values that they share are in a cache for the second, unless diagonals lie very far
// from the middle. A^T (A x): a piece of A x is complete before its rows, with those of the rest, are added
// to columns.
#include <algorithm>

#include "kernels/cpu/diagonal_stretch.hpp"
#include "kernels/cpu/scatter.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

// The entries of the rest, a unit each.
template <class Value>
struct rest_walk {
  dia_view<Value, host> m;

  std::int64_t units() const { return m.rest_values.size(); }
  std::int64_t slots_before(std::int64_t unit) const { return unit; }
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    for (std::int64_t e = first; e < last; ++e)
      each(m.rest_row_indices[e], m.rest_col_indices[e], m.rest_values[e]);
  }
};

template <class Value>
class dia_omp {
 public:
  static constexpr kernel_info info{
      .name = "dia/omp",
      .description = "a run of outputs for every thread, diagonal after diagonal, then the rest",
      .source = "ours",
      .repeatable = {true, true, true, true},
      .computes = {true, true, true, true},
      .facts = cpu_facts};
  using matrix = dia_view<Value, host>;

  dia_omp(openmp, const matrix& m, operation op) : m_(m), op_(op) {
    if (op == operation::normal) {
      bounds_ = balanced_chunks(m.rows, thread_count(), [](std::int64_t row) { return row; });
      columns_ = std::make_unique<private_sums<Value>>(
          m.cols, static_cast<std::int64_t>(bounds_.size()) - 1, [&](std::int64_t c) {
            return touched(bounds_[static_cast<std::size_t>(c)], bounds_[static_cast<std::size_t>(c) + 1]);
          });
    } else if (m.rest_values.size() > 0) {
      const rest_walk<Value> walk{m};
      rest_ = std::make_unique<rest>(m.rows, m.cols, op, chunks_of(walk), walk);
    }
  }
  std::int64_t bytes() const { return rest_ ? rest_->bytes() : columns_ ? columns_->bytes() : 0; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    if (columns_) return run_normal(alpha, x, beta, y);
    const std::int64_t pieces = pieces_of(outputs(m_, op_));
#pragma omp parallel for schedule(static)
    for (std::int64_t p = 0; p < pieces; ++p) multiply(op_, p, alpha, x, beta, y);
    if (rest_) rest_->run(alpha, x, Value{1}, y);
  }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const {
    const std::int64_t pieces = pieces_of(std::max(m_.rows, m_.cols));
#pragma omp parallel for schedule(static)
    for (std::int64_t p = 0; p < pieces; ++p) {
      multiply(operation::multiply, p, alpha, x, beta, y);
      multiply(operation::transposed, p, alpha, w, beta, z);
    }
    if (rest_) rest_->run_both(alpha, x, w, Value{1}, y, z);
  }

 private:
  using rest = scatter_sum<Value, rest_walk<Value>>;
  static constexpr std::int64_t piece_outputs = stretch_tuning::piece_outputs;

  static std::int64_t pieces_of(std::int64_t count) {
    return (count + piece_outputs - 1) / piece_outputs;
  }

  // The p-th piece of a product's outputs, if it has so many, without the rest.
  void multiply(operation op, std::int64_t p, Value alpha, const Value* x, Value beta, Value* y) const {
    const std::int64_t first = p * piece_outputs, last = std::min(outputs(m_, op), first + piece_outputs);
    if (first >= last) return;
    Value sums[piece_outputs];
    sum_up(op, first, last, x, sums);
    for (std::int64_t i = first; i < last; ++i)
      y[i] = beta == Value{0} ? alpha * sums[i - first] : beta * y[i] + alpha * sums[i - first];
  }
  void sum_up(operation op, std::int64_t first, std::int64_t last, const Value* x, Value* sums) const {
    std::fill_n(sums, last - first, Value{0});
    const auto [begin, end] = diagonals_that_meet(m_, op, first, last);
    add_stretches(end - begin, last - first, sums, [&, begin = begin](std::int64_t k) {
      return stretch_of(m_, op, begin + k, first, last, x);
    });
  }

  void run_normal(Value alpha, const Value* x, Value beta, Value* z) const {
    columns_->run(alpha, beta, z, [&](std::int64_t c, Value* of_columns) {
      const std::int64_t end = bounds_[static_cast<std::size_t>(c) + 1];
      for (std::int64_t first = bounds_[static_cast<std::size_t>(c)]; first < end; first += piece_outputs)
        add_normal(first, std::min(end, first + piece_outputs), x, of_columns);
    });
  }
  void add_normal(std::int64_t first, std::int64_t last, const Value* x, Value* of_columns) const {
    Value sums[piece_outputs];
    sum_up(operation::multiply, first, last, x, sums);
    const std::int64_t rest_begin = rest_before(first), rest_end = rest_before(last);
    const rest_walk<Value> walk{m_};
    walk(rest_begin, rest_end,
         [&](std::int64_t row, std::int64_t col, Value value) { sums[row - first] += value * x[col]; });
    const auto [begin, end] = diagonals_that_meet(m_, operation::multiply, first, last);
    for (std::int64_t d = begin; d < end; ++d) {
      const auto [from, to] = rows_inside(d, first, last);
      const Value* const values = m_.values.data() + d * m_.rows;
      Value* const out = of_columns + m_.offsets[d];
      for (std::int64_t row = from; row < to; ++row) out[row] += values[row] * sums[row - first];
    }
    walk(rest_begin, rest_end, [&](std::int64_t row, std::int64_t col, Value value) {
      of_columns[col] += value * sums[row - first];
    });
  }

  // The rows of [first, last) where a diagonal is inside the matrix.
  std::pair<std::int64_t, std::int64_t> rows_inside(std::int64_t d, std::int64_t first,
                                                    std::int64_t last) const {
    const std::int64_t offset = m_.offsets[d], from = std::max(first, -offset);
    return {from, std::max(from, std::min(last, m_.cols - offset))};
  }
  // The entries of the rest, which is sorted, in rows before this one.
  std::int64_t rest_before(std::int64_t row) const {
    return std::lower_bound(m_.rest_row_indices.begin(), m_.rest_row_indices.end(), row) -
           m_.rest_row_indices.begin();
  }
  // The columns that rows [first, last) have entries or fill in.
  std::pair<std::int64_t, std::int64_t> touched(std::int64_t first, std::int64_t last) const {
    auto [begin, end] =
        touched_by<Value>(rest_walk<Value>{m_}, operation::transposed, rest_before(first), rest_before(last));
    for (std::int64_t d = 0; d < m_.offsets.size(); ++d) {
      const auto [from, to] = rows_inside(d, first, last);
      if (from == to) continue;
      begin = std::min(begin, from + m_.offsets[d]);
      end = std::max(end, to + m_.offsets[d]);
    }
    return {begin, end};
  }

  matrix m_;
  operation op_;
  std::unique_ptr<rest> rest_;  // of all but A^T (A x), where it belongs to the rows
  std::vector<std::int64_t> bounds_;
  std::unique_ptr<private_sums<Value>> columns_;  // of A^T (A x) alone
};

}  // namespace

template <class Value>
struct table_of<dia_view<Value, host>> {
  static kernel_table<dia_view<Value, host>> lines() { return {kernel_of<dia_omp<Value>>()}; }
};

template kernel_table<dia_view<float, host>> kernels_of(const dia_view<float, host>&);
template kernel_table<dia_view<double, host>> kernels_of(const dia_view<double, host>&);
template kernel_table<dia_view<complex64, host>> kernels_of(const dia_view<complex64, host>&);
template kernel_table<dia_view<complex128, host>> kernels_of(const dia_view<complex128, host>&);

}  // namespace sparsmith
