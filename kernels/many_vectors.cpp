// Several vectors on a CPU: where a kernel takes one, or takes them by rows alone, they are copied.
#include <algorithm>
#include <utility>

#include "kernels/kernel.hpp"

namespace sparsmith {
namespace {

// to[row * to_stride + v] = from[v * from_stride + row] and the other way round: squares of so many values
// stay in the nearest cache while both sides are walked along.
constexpr std::int64_t square = 32;
template <class Value>
void turn(std::int64_t lines, std::int64_t length, const Value* from, std::int64_t from_stride, Value* to,
          std::int64_t to_stride) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t i0 = 0; i0 < length; i0 += square)
    for (std::int64_t line0 = 0; line0 < lines; line0 += square)
      for (std::int64_t i = i0; i < std::min(length, i0 + square); ++i)
        for (std::int64_t line = line0; line < std::min(lines, line0 + square); ++line)
          to[i * to_stride + line] = from[line * from_stride + i];
}

}  // namespace

template <class Value>
void scale_many(openmp on, std::int64_t count, vector_layout as, Value beta, Value* y, std::int64_t stride) {
  const std::int64_t lines = as.by_rows ? count : as.count, length = as.by_rows ? as.count : count;
  if (stride == length) return scale(on, lines * length, beta, y);
  if (beta == Value{1}) return;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t i = 0; i < length; ++i) {
      Value& own = y[line * stride + i];
      own = beta == Value{0} ? Value{0} : beta * own;
    }
}

template <class Value>
prepared_many<Value> one_by_one(openmp on, prepared_kernel<Value> single, std::int64_t inputs,
                                std::int64_t outputs, vector_layout as) {
  const auto own_x = std::make_shared<array<Value, host>>(as.by_rows ? inputs * as.count : 0);
  const auto own_y = std::make_shared<array<Value, host>>(as.by_rows ? outputs * as.count : 0);
  const std::int64_t bytes = single.bytes + (own_x->size() + own_y->size()) * std::int64_t{sizeof(Value)};
  return {bytes, [=, run = std::move(single.run)](Value alpha, const Value* x, std::int64_t x_stride,
                                                  Value beta, Value* y, std::int64_t y_stride) {
            if (alpha == Value{0}) return scale_many(on, outputs, as, beta, y, y_stride);
            const auto each = [&](const Value* from, std::int64_t from_stride, Value* to,
                                  std::int64_t to_stride) {
              for (std::int64_t v = 0; v < as.count; ++v)
                run(alpha, from + v * from_stride, beta, to + v * to_stride);
            };
            if (!as.by_rows) return each(x, x_stride, y, y_stride);
            turn(inputs, as.count, x, x_stride, own_x->data(), inputs);
            if (beta != Value{0}) turn(outputs, as.count, y, y_stride, own_y->data(), outputs);
            each(own_x->data(), inputs, own_y->data(), outputs);
            turn(as.count, outputs, own_y->data(), outputs, y, y_stride);
          }};
}

template <class Value>
prepared_many<Value> from_rows(openmp, prepared_many<Value> by_rows, std::int64_t inputs,
                               std::int64_t outputs, vector_layout as) {
  if (as.by_rows) return by_rows;
  if (as.count == 1)  // both ways the values follow one another
    return {by_rows.bytes,
            [run = std::move(by_rows.run)](Value alpha, const Value* x, std::int64_t, Value beta, Value* y,
                                           std::int64_t) { run(alpha, x, 1, beta, y, 1); }};
  const auto own_x = std::make_shared<array<Value, host>>(inputs * as.count);
  const auto own_y = std::make_shared<array<Value, host>>(outputs * as.count);
  const std::int64_t bytes = by_rows.bytes + (own_x->size() + own_y->size()) * std::int64_t{sizeof(Value)};
  return {bytes, [=, run = std::move(by_rows.run)](Value alpha, const Value* x, std::int64_t x_stride,
                                                   Value beta, Value* y, std::int64_t y_stride) {
            if (alpha != Value{0}) turn(as.count, inputs, x, x_stride, own_x->data(), as.count);
            if (beta != Value{0}) turn(as.count, outputs, y, y_stride, own_y->data(), as.count);
            run(alpha, own_x->data(), as.count, beta, own_y->data(), as.count);
            turn(outputs, as.count, own_y->data(), as.count, y, y_stride);
          }};
}

#define SPARSMITH_INSTANTIATE(V)                                                               \
  template void scale_many(openmp, std::int64_t, vector_layout, V, V*, std::int64_t);          \
  template prepared_many<V> one_by_one(openmp, prepared_kernel<V>, std::int64_t, std::int64_t, \
                                       vector_layout);                                         \
  template prepared_many<V> from_rows(openmp, prepared_many<V>, std::int64_t, std::int64_t, vector_layout);
SPARSMITH_INSTANTIATE(float)
SPARSMITH_INSTANTIATE(double)
SPARSMITH_INSTANTIATE(complex64)
SPARSMITH_INSTANTIATE(complex128)

}  // namespace sparsmith
