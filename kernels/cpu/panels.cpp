#include "kernels/cpu/panels.hpp"

#include <cstring>

namespace sparsmith {
namespace {

// `Bytes`: of a register.
template <int Bytes, class Value>
struct register_of {
  static constexpr int lanes = Bytes / int{sizeof(Value)};
  typedef Value values __attribute__((vector_size(Bytes)));
};

template <int Bytes, int Registers, class Value>
[[gnu::always_inline]] inline void gather_in(const std::int32_t* cols, const Value* values,
                                             std::int64_t count, std::int64_t step, const Value* x,
                                             std::int64_t stride, Value* sums) {
  using vector = register_of<Bytes, Value>;
  typename vector::values sum[Registers];
#pragma GCC unroll 4
  for (int r = 0; r < Registers; ++r) std::memcpy(&sum[r], sums + r * vector::lanes, Bytes);
  for (std::int64_t e = 0; e < count * step; e += step) {
    const Value* const row = x + cols[e] * stride;
    const Value value = values[e];
#pragma GCC unroll 4
    for (int r = 0; r < Registers; ++r) {
      typename vector::values own;
      std::memcpy(&own, row + r * vector::lanes, Bytes);
      sum[r] += value * own;
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < Registers; ++r) std::memcpy(sums + r * vector::lanes, &sum[r], Bytes);
}

template <int Bytes, int Registers, class Value>
[[gnu::always_inline]] inline void scatter_in(const std::int32_t* cols, const Value* values,
                                              std::int64_t count, std::int64_t step, const Value* x,
                                              Value* sums, std::int64_t stride) {
  using vector = register_of<Bytes, Value>;
  typename vector::values own[Registers];
#pragma GCC unroll 4
  for (int r = 0; r < Registers; ++r) std::memcpy(&own[r], x + r * vector::lanes, Bytes);
  for (std::int64_t e = 0; e < count * step; e += step) {
    Value* const row = sums + cols[e] * stride;
    const Value value = values[e];
#pragma GCC unroll 4
    for (int r = 0; r < Registers; ++r) {
      typename vector::values sum;
      std::memcpy(&sum, row + r * vector::lanes, Bytes);
      sum += value * own[r];
      std::memcpy(row + r * vector::lanes, &sum, Bytes);
    }
  }
}

// Four registers at a time, then two, then one; what is left goes into narrower ones, and at last one by one.
template <int Bytes, class Value>
[[gnu::always_inline]] inline void gather_with(const std::int32_t* cols, const Value* values,
                                               std::int64_t count, std::int64_t step, const Value* x,
                                               std::int64_t stride, std::int64_t width, Value* sums) {
  constexpr int lanes = register_of<Bytes, Value>::lanes;
  std::int64_t v = 0;
  for (; v + 4 * lanes <= width; v += 4 * lanes)
    gather_in<Bytes, 4>(cols, values, count, step, x + v, stride, sums + v);
  if (v + 2 * lanes <= width) {
    gather_in<Bytes, 2>(cols, values, count, step, x + v, stride, sums + v);
    v += 2 * lanes;
  }
  if (v + lanes <= width) {
    gather_in<Bytes, 1>(cols, values, count, step, x + v, stride, sums + v);
    v += lanes;
  }
  if constexpr (Bytes > 16) {
    if (v < width) gather_with<Bytes / 2>(cols, values, count, step, x + v, stride, width - v, sums + v);
  } else {
    for (; v < width; ++v)
      for (std::int64_t e = 0; e < count * step; e += step) sums[v] += values[e] * x[cols[e] * stride + v];
  }
}

template <int Bytes, class Value>
[[gnu::always_inline]] inline void scatter_with(const std::int32_t* cols, const Value* values,
                                                std::int64_t count, std::int64_t step, const Value* x,
                                                std::int64_t width, Value* sums, std::int64_t stride) {
  constexpr int lanes = register_of<Bytes, Value>::lanes;
  std::int64_t v = 0;
  for (; v + 4 * lanes <= width; v += 4 * lanes)
    scatter_in<Bytes, 4>(cols, values, count, step, x + v, sums + v, stride);
  if (v + 2 * lanes <= width) {
    scatter_in<Bytes, 2>(cols, values, count, step, x + v, sums + v, stride);
    v += 2 * lanes;
  }
  if (v + lanes <= width) {
    scatter_in<Bytes, 1>(cols, values, count, step, x + v, sums + v, stride);
    v += lanes;
  }
  if constexpr (Bytes > 16) {
    if (v < width) scatter_with<Bytes / 2>(cols, values, count, step, x + v, width - v, sums + v, stride);
  } else {
    for (; v < width; ++v)
      for (std::int64_t e = 0; e < count * step; e += step) sums[cols[e] * stride + v] += values[e] * x[v];
  }
}

// The target is a word for the compiler, so that each has functions of its own.
#define SPARSMITH_PANEL_CODE(name, bytes, ...)                                                          \
  template <class Value>                                                                                \
  struct name {                                                                                         \
    __VA_ARGS__ static void gather(const std::int32_t* cols, const Value* values, std::int64_t count,   \
                                   std::int64_t step, const Value* x, std::int64_t stride,              \
                                   std::int64_t width, Value* sums) {                                   \
      gather_with<bytes>(cols, values, count, step, x, stride, width, sums);                            \
    }                                                                                                   \
    __VA_ARGS__ static void scatter(const std::int32_t* cols, const Value* values, std::int64_t count,  \
                                    std::int64_t step, const Value* x, std::int64_t width, Value* sums, \
                                    std::int64_t stride) {                                              \
      scatter_with<bytes>(cols, values, count, step, x, width, sums, stride);                           \
    }                                                                                                   \
    static constexpr panel_code<Value> code{gather, scatter};                                           \
  };
SPARSMITH_PANEL_CODE(with_128_bits, 16)
#ifdef __x86_64__
SPARSMITH_PANEL_CODE(with_256_bits, 32, [[gnu::target("avx2")]])
SPARSMITH_PANEL_CODE(with_512_bits, 64, [[gnu::target("avx512f")]])
#endif
#undef SPARSMITH_PANEL_CODE

}  // namespace

template <class Value>
panel_code<Value> panel_code_with([[maybe_unused]] int register_bits) {
#ifdef __x86_64__
  if (register_bits >= 512 && __builtin_cpu_supports("avx512f")) return with_512_bits<Value>::code;
  if (register_bits >= 256 && __builtin_cpu_supports("avx2")) return with_256_bits<Value>::code;
#endif
  return with_128_bits<Value>::code;
}

template panel_code<float> panel_code_with(int);
template panel_code<double> panel_code_with(int);

}  // namespace sparsmith
