// Products with several vectors at once on a CPU, by rows: the values of a row of all vectors stand side by
// side, so that an entry of the matrix is multiplied by whole registers of them, as wide as the CPU at hand
// has them. Where threads share outputs each sums up for itself, as for one vector (scatter.hpp).
#pragma once

#include "kernels/cpu/scatter.hpp"

namespace sparsmith {

// What an entry does to a panel: so many vectors, whose values stand side by side in every row.
template <class Value>
struct panel_code {
  // sums[v] += values[e] x[cols[e] * stride + v] for every v below `width` and e = 0, step, ... of `count`.
  void (*gather)(const std::int32_t* cols, const Value* values, std::int64_t count, std::int64_t step,
                 const Value* x, std::int64_t stride, std::int64_t width, Value* sums);
  // sums[cols[e] * stride + v] += values[e] x[v] for the same.
  void (*scatter)(const std::int32_t* cols, const Value* values, std::int64_t count, std::int64_t step,
                  const Value* x, std::int64_t width, Value* sums, std::int64_t stride);
};
// With registers of so many bits, 128, 256 or 512, or with the widest that this CPU has where it does not
// have those; the bits of a result are the same with all of them.
template <class Value>
panel_code<Value> panel_code_with(int register_bits);
template <class Value>
panel_code<Value> panel_code_here() {
  return panel_code_with<Value>(512);
}

struct panel_tuning {
  // Vectors whose sums of a row stay in the nearest cache.
  static constexpr std::int64_t widest = 64;
  // Vectors of a panel whose sums are each thread's own: fewer where they took more memory than that.
  static constexpr std::int64_t widest_shared = 32, most_shared_bytes = std::int64_t{1} << 30;
};

// The vectors of panels, one after the other: use(first, how many).
template <class Use>
void each_panel(std::int64_t vectors, std::int64_t widest, Use use) {
  for (std::int64_t first = 0; first < vectors; first += widest)
    use(first, std::min(widest, vectors - first));
}

// y = beta y + alpha sums, of one row.
template <class Value>
void put_panel(Value alpha, const Value* sums, Value beta, Value* y, std::int64_t width) {
  for (std::int64_t v = 0; v < width; ++v)
    y[v] = beta == Value{0} ? alpha * sums[v] : beta * y[v] + alpha * sums[v];
}

// The sums of chunks that share outputs, a panel of vectors at a time, and how they come into y.
template <class Value>
class panel_sums {
 public:
  // Chunk c adds to outputs touched(c) = {first, last} alone.
  template <class Touched>
  panel_sums(std::int64_t outputs, std::int64_t vectors, std::int64_t chunks, Touched touched)
      : outputs_(outputs), vectors_(vectors), chunks_(touched_ranges(chunks, touched)) {
    const std::int64_t total = places_of(chunks_);
    width_ = std::clamp<std::int64_t>(vectors, 1, panel_tuning::widest_shared);
    while (width_ > 1 && total > panel_tuning::most_shared_bytes / (width_ * std::int64_t{sizeof(Value)}))
      width_ /= 2;
    sums_ = array<Value, host>(total * width_);
  }

  std::int64_t bytes() const { return sums_.size() * std::int64_t{sizeof(Value)}; }
  // From one output's sums to the next one's.
  std::int64_t stride() const { return width_; }

  // fill(c, first vector, how many, sums) adds what chunk c has to its sums: those of output i begin at
  // i * stride().
  template <class Fill>
  void run(Value alpha, Value beta, Value* y, std::int64_t y_stride, Fill fill) {
    const auto count = static_cast<std::int64_t>(chunks_.size());
    each_panel(vectors_, width_, [&](std::int64_t first, std::int64_t width) {
#pragma omp parallel
      {
#pragma omp for schedule(static, 1)
        for (std::int64_t c = 0; c < count; ++c) {
          const touched_range own = chunks_[static_cast<std::size_t>(c)];
          Value* const sums = sums_.data() + own.start * width_;
          std::fill_n(sums, (own.last - own.first) * width_, Value{0});
          fill(c, first, width, sums - own.first * width_);
        }
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < outputs_; ++i) add_up(i, alpha, beta, y + i * y_stride + first, width);
      }
    });
  }

 private:
  void add_up(std::int64_t i, Value alpha, Value beta, Value* y, std::int64_t width) const {
    for (std::int64_t v = 0; v < width; ++v) y[v] = beta == Value{0} ? Value{0} : beta * y[v];
    for (const touched_range& c : chunks_) {
      if (i < c.first || i >= c.last) continue;
      const Value* const sums = sums_.data() + (c.start + i - c.first) * width_;
      for (std::int64_t v = 0; v < width; ++v) y[v] += alpha * sums[v];
    }
  }

  std::int64_t outputs_, vectors_, width_ = 1;
  std::vector<touched_range> chunks_;
  array<Value, host> sums_;
};

// Either product with several vectors, from a walk over entries in any order (scatter_sum's).
template <class Value, class Walk>
class panel_scatter {
 public:
  panel_scatter(std::int64_t rows, std::int64_t cols, operation op, std::int64_t vectors,
                std::vector<std::int64_t> bounds, Walk walk)
      : op_(op),
        bounds_(std::move(bounds)),
        walk_(std::move(walk)),
        sums_(outputs_of(rows, cols, op), vectors, static_cast<std::int64_t>(bounds_.size()) - 1,
              [&](std::int64_t c) {
                return touched_by<Value>(walk_, op, bounds_[static_cast<std::size_t>(c)],
                                         bounds_[static_cast<std::size_t>(c) + 1]);
              }) {}
  std::int64_t bytes() const { return sums_.bytes(); }

  void run(Value alpha, const Value* x, std::int64_t x_stride, Value beta, Value* y, std::int64_t y_stride) {
    sums_.run(
        alpha, beta, y, y_stride, [&](std::int64_t c, std::int64_t first, std::int64_t width, Value* sums) {
          const std::int64_t stride = sums_.stride();
          const auto add = [=](std::int64_t out, std::int64_t in, Value value) {
            add_scaled(value, x + in * x_stride + first, width, sums + out * stride);
          };
          const std::int64_t from = bounds_[static_cast<std::size_t>(c)],
                             to = bounds_[static_cast<std::size_t>(c) + 1];
          if (op_ == operation::multiply)
            walk_(from, to, [=](std::int64_t row, std::int64_t col, Value value) { add(row, col, value); });
          else
            walk_(from, to, [=](std::int64_t row, std::int64_t col, Value value) { add(col, row, value); });
        });
  }

 private:
  // Eight at a time, which compilers make vectors of.
  static void add_scaled(Value value, const Value* x, std::int64_t width, Value* sums) {
    constexpr int at_once = 8;
    std::int64_t v = 0;
    for (; v + at_once <= width; v += at_once) {
      Value products[at_once];
      for (int i = 0; i < at_once; ++i) products[i] = value * x[v + i];
      for (int i = 0; i < at_once; ++i) sums[v + i] += products[i];
    }
    for (; v < width; ++v) sums[v] += value * x[v];
  }

  operation op_;
  std::vector<std::int64_t> bounds_;
  Walk walk_;
  panel_sums<Value> sums_;
};

}  // namespace sparsmith
