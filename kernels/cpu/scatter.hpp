// How a product runs on OpenMP where threads share outputs: the matrix is cut into one chunk a thread, every
// chunk sums up into memory of its own that spans only the outputs it touches, and then all are added to y in
// the order of the chunks. No atomics, and the same bits for the same number of threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "convert/backend/backend.hpp"
#include "convert/backend/chunks.hpp"
#include "kernels/registry.hpp"

namespace sparsmith {

// A CPU's threads sum up for themselves: there are no atomics, and rows are not shared.
inline constexpr kernel_facts cpu_facts{.walk = kernel_facts::rows::balanced, .launches = {1, 1, 1, 1}};

// Cuts what knows its own units: one chunk a thread.
template <class Units>
std::vector<std::int64_t> chunks_of(const Units& of) {
  return balanced_chunks(of.units(), thread_count(),
                         [&](std::int64_t unit) { return of.slots_before(unit); });
}

inline constexpr per_operation<bool> products_of_half{.multiply = true, .transposed = true};

// A walk over half of a matrix that gives the entries of all of it.
template <class Walk, class Value>
struct with_mirror_images {
  Walk half;
  Value mirror;

  std::int64_t units() const { return half.units(); }
  std::int64_t slots_before(std::int64_t unit) const { return half.slots_before(unit); }
  template <class Each>
  void operator()(std::int64_t first, std::int64_t last, Each each) const {
    half(first, last, [&](std::int64_t row, std::int64_t col, Value value) {
      each(row, col, value);
      if (row != col) each(col, row, mirror * value);
    });
  }
};

struct scatter_tuning {
  // Outputs that all chunks are added to before the next ones: they stay in the nearest cache meanwhile.
  static constexpr std::int64_t outputs_at_once = 2048;
};

// The sum of an output that is an input as well: one line of cache has both.
template <class Value>
struct sum_beside_input {
  Value sum, input;
};

// The outputs that a chunk touches, whose sums of its own begin at `start` where those of all chunks follow
// one another.
struct touched_range {
  std::int64_t first, last, start;
};
// Chunk c adds to outputs touched(c) = {first, last} alone.
template <class Touched>
std::vector<touched_range> touched_ranges(std::int64_t chunks, Touched touched) {
  std::vector<touched_range> all(static_cast<std::size_t>(chunks));
#pragma omp parallel for schedule(static, 1)
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::pair<std::int64_t, std::int64_t> range = touched(c);
    all[static_cast<std::size_t>(c)] = {std::min(range.first, range.second), range.second, 0};
  }
  std::int64_t total = 0;
  for (touched_range& c : all) {
    c.start = total;
    total += c.last - c.first;
  }
  return all;
}
// How many sums all chunks have.
inline std::int64_t places_of(const std::vector<touched_range>& chunks) {
  return chunks.empty() ? 0 : chunks.back().start + chunks.back().last - chunks.back().first;
}

// The memory of such a sum: every chunk's own sums, and how they come into y. Sum: Value, or
// sum_beside_input<Value>.
template <class Value, class Sum = Value>
class private_sums {
 public:
  // Chunk c adds to outputs touched(c) = {first, last} alone.
  template <class Touched>
  private_sums(std::int64_t outputs, std::int64_t chunks, Touched touched)
      : outputs_(outputs), chunks_(touched_ranges(chunks, touched)), sums_(places_of(chunks_)) {}

  std::int64_t bytes() const { return sums_.size() * std::int64_t{sizeof(Sum)}; }

  // Chunk c's sums, all 0: output i is at [i], as far as the chunk touches it.
  Sum* cleared(std::int64_t c) {
    const touched_range own = chunks_[static_cast<std::size_t>(c)];
    std::fill_n(sums_.data() + own.start, own.last - own.first, Sum{0});
    return sums_.data() + own.start - own.first;
  }
  // With x beside them.
  Sum* cleared(std::int64_t c, const Value* x) {
    const touched_range own = chunks_[static_cast<std::size_t>(c)];
    Sum* const sums = sums_.data() + own.start - own.first;
    for (std::int64_t i = own.first; i < own.last; ++i) sums[i] = {Value{0}, x[i]};
    return sums;
  }

  // y = alpha times the sums of all chunks, and beta y. Every thread of a parallel region calls it, once all
  // chunks are through.
  void add_up(Value alpha, Value beta, Value* y) const {
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const std::int64_t end = outputs_ * (thread + 1) / threads;
    for (std::int64_t first = outputs_ * thread / threads; first < end;
         first += scatter_tuning::outputs_at_once) {
      const std::int64_t last = std::min(end, first + scatter_tuning::outputs_at_once);
      for (std::int64_t i = first; i < last; ++i) y[i] = beta == Value{0} ? Value{0} : beta * y[i];
      for (const touched_range& c : chunks_) {
        const std::int64_t to = std::min(last, c.last);
        const Sum* const sums = sums_.data() + c.start;
        for (std::int64_t i = std::max(first, c.first); i < to; ++i)
          y[i] += alpha * value_of(sums[i - c.first]);
      }
    }
  }

  // The whole of it: fill(c, sums) adds what chunk c has to its sums, which have these inputs beside them.
  template <class Fill, class... Inputs>
  void run(Value alpha, Value beta, Value* y, Fill fill, Inputs... inputs) {
    const auto count = static_cast<std::int64_t>(chunks_.size());
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
      for (std::int64_t c = 0; c < count; ++c) fill(c, cleared(c, inputs...));
      add_up(alpha, beta, y);
    }
  }

 private:
  static Value value_of(Value sum) {
    return sum;
  }
  static Value value_of(const sum_beside_input<Value>& sum) {
    return sum.sum;
  }

  std::int64_t outputs_;
  std::vector<touched_range> chunks_;
  array<Sum, host> sums_;
};

// The outputs of a product, A x or A^T x, that a walk over units [first, last) touches, as [first, last).
template <class Value, class Walk>
std::pair<std::int64_t, std::int64_t> touched_by(const Walk& walk, operation op, std::int64_t first_unit,
                                                 std::int64_t last_unit) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  walk(first_unit, last_unit, [&](std::int64_t row, std::int64_t col, Value) {
    const std::int64_t out = op == operation::multiply ? row : col;
    first = std::min(first, out);
    last = std::max(last, out + 1);
  });
  return {first, last};
}

// Walk: walk(first, last, each) calls each(row, col, value) for every entry of the units [first, last). Of
// both products at once every chunk has sums of rows and of columns.
template <class Value, class Walk>
class scatter_sum {
 public:
  scatter_sum(std::int64_t rows, std::int64_t cols, operation op, std::vector<std::int64_t> bounds, Walk walk)
      : bounds_(std::move(bounds)), walk_(std::move(walk)) {
    const auto sums_of = [&](operation one, std::int64_t outputs) {
      return private_sums<Value>(outputs, chunks(), [&](std::int64_t c) {
        return touched_by<Value>(walk_, one, bounds_[static_cast<std::size_t>(c)],
                                 bounds_[static_cast<std::size_t>(c) + 1]);
      });
    };
    if (op != operation::transposed) rows_ = sums_of(operation::multiply, rows);
    if (op != operation::multiply) columns_ = sums_of(operation::transposed, cols);
  }

  std::int64_t bytes() const { return (rows_ ? rows_->bytes() : 0) + (columns_ ? columns_->bytes() : 0); }

  void run(Value alpha, const Value* x, Value beta, Value* y) {
    if (rows_)
      rows_->run(alpha, beta, y, [&](std::int64_t c, Value* sums) {
        walk_chunk(c, [=](std::int64_t row, std::int64_t col, Value value) { sums[row] += value * x[col]; });
      });
    else
      columns_->run(alpha, beta, y, [&](std::int64_t c, Value* sums) {
        walk_chunk(c, [=](std::int64_t row, std::int64_t col, Value value) { sums[col] += value * x[row]; });
      });
  }

  void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) {
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
      for (std::int64_t c = 0; c < chunks(); ++c) {
        Value *const of_rows = rows_->cleared(c), *const of_columns = columns_->cleared(c);
        walk_chunk(c, [=](std::int64_t row, std::int64_t col, Value value) {
          of_rows[row] += value * x[col];
          of_columns[col] += value * w[row];
        });
      }
      rows_->add_up(alpha, beta, y);
      columns_->add_up(alpha, beta, z);
    }
  }

 private:
  std::int64_t chunks() const {
    return static_cast<std::int64_t>(bounds_.size()) - 1;
  }
  template <class Each>
  void walk_chunk(std::int64_t c, Each each) const {
    walk_(bounds_[static_cast<std::size_t>(c)], bounds_[static_cast<std::size_t>(c) + 1], each);
  }

  std::vector<std::int64_t> bounds_;
  Walk walk_;
  std::optional<private_sums<Value>> rows_, columns_;  // as far as the operation has such outputs
};

}  // namespace sparsmith
