// How a product runs on OpenMP where threads share outputs: the matrix is cut into one chunk a thread, every
// chunk sums up into memory of its own that spans only the outputs it touches, and then all are added to y in
// the order of the chunks. No atomics, and the same bits for the same number of threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "convert/backend/backend.hpp"
#include "convert/backend/chunks.hpp"
#include "kernels/registry.hpp"

namespace sparsmith {

// A CPU's threads sum up for themselves: there are no atomics, and rows are not shared.
inline constexpr kernel_facts cpu_facts{.walk = kernel_facts::rows::balanced,
                                        .launches = {.multiply = 1, .transposed = 1}};

// Cuts what knows its own units: one chunk a thread.
template <class Units>
std::vector<std::int64_t> chunks_of(const Units& of) {
  return balanced_chunks(of.units(), thread_count(),
                         [&](std::int64_t unit) { return of.slots_before(unit); });
}

// Walk: walk(first, last, each) calls each(row, col, value) for every entry of the units [first, last).
template <class Value, class Walk>
class scatter_sum {
 public:
  scatter_sum(std::int64_t outputs, operation op, std::vector<std::int64_t> bounds, Walk walk)
      : outputs_(outputs),
        op_(op),
        bounds_(std::move(bounds)),
        walk_(std::move(walk)),
        chunks_(bounds_.size() - 1) {
    std::vector<chunk>& chunks = chunks_;
    const auto count = static_cast<std::int64_t>(chunks.size());
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t c = 0; c < count; ++c) {
      std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
      walk_(bounds_[static_cast<std::size_t>(c)], bounds_[static_cast<std::size_t>(c) + 1],
            [&](std::int64_t row, std::int64_t col, Value) {
              const std::int64_t out = op_ == operation::multiply ? row : col;
              first = std::min(first, out);
              last = std::max(last, out + 1);
            });
      chunks[static_cast<std::size_t>(c)] = {std::min(first, last), last, 0};
    }
    std::int64_t total = 0;
    for (chunk& c : chunks) {
      c.start = total;
      total += c.last - c.first;
    }
    sums_ = array<Value, host>(total);
  }

  std::int64_t bytes() const {
    return sums_.size() * std::int64_t{sizeof(Value)};
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) {
    const auto count = static_cast<std::int64_t>(chunks_.size());
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
      for (std::int64_t c = 0; c < count; ++c) {
        const chunk own = chunks_[static_cast<std::size_t>(c)];
        std::fill_n(sums_.data() + own.start, own.last - own.first, Value{0});
        Value* const sums = sums_.data() + own.start;
        const std::int64_t before = own.first;
        const std::int64_t from = bounds_[static_cast<std::size_t>(c)],
                           to = bounds_[static_cast<std::size_t>(c) + 1];
        if (op_ == operation::multiply)
          walk_(from, to, [=](std::int64_t row, std::int64_t col, Value value) {
            sums[row - before] += value * x[col];
          });
        else
          walk_(from, to, [=](std::int64_t row, std::int64_t col, Value value) {
            sums[col - before] += value * x[row];
          });
      }
      const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
      const std::int64_t first = outputs_ * thread / threads, last = outputs_ * (thread + 1) / threads;
      for (std::int64_t i = first; i < last; ++i) y[i] = beta == Value{0} ? Value{0} : beta * y[i];
      for (const chunk& c : chunks_) {
        const std::int64_t end = std::min(last, c.last);
        const Value* const sums = sums_.data() + c.start;
        for (std::int64_t i = std::max(first, c.first); i < end; ++i) y[i] += alpha * sums[i - c.first];
      }
    }
  }

 private:
  struct chunk {
    std::int64_t first, last;  // the outputs it touches
    std::int64_t start;        // of its sums
  };
  std::int64_t outputs_;
  operation op_;
  std::vector<std::int64_t> bounds_;
  Walk walk_;
  std::vector<chunk> chunks_;
  array<Value, host> sums_;
};

}  // namespace sparsmith
