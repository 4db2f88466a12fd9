#include "kernels/cpu/wide_groups.hpp"

#include <algorithm>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace sparsmith {

#ifdef __x86_64__
namespace {

#define SPARSMITH_AVX512 [[gnu::target("avx512f"), gnu::always_inline]] static inline

// What is not chosen is not read: padding has columns that must not meet x. Products are rounded before they
// are added, as in all other loops, so that a matrix gives the same bits on every CPU.
template <class Value>
struct vector_512;

template <>
struct vector_512<float> {
  using values = __m512;
  using choice = __mmask16;
  static constexpr int lanes = 16;
  static constexpr choice all = 0xffff;
  SPARSMITH_AVX512 values zero() { return _mm512_setzero_ps(); }
  SPARSMITH_AVX512 choice longer_than(const std::int32_t* lengths, std::int32_t k) {
    return _mm512_cmpgt_epi32_mask(_mm512_loadu_si512(lengths), _mm512_set1_epi32(k));
  }
  SPARSMITH_AVX512 values add(choice of, values sum, const std::int32_t* cols, const float* slots,
                              const float* x) {
    const __m512 gathered = _mm512_mask_i32gather_ps(zero(), of, _mm512_loadu_si512(cols), x, 4);
    return _mm512_mask_add_ps(sum, of, sum, _mm512_mul_ps(_mm512_loadu_ps(slots), gathered));
  }
  SPARSMITH_AVX512 void store(float* to, values sum) { _mm512_storeu_ps(to, sum); }
};

template <>
struct vector_512<double> {
  using values = __m512d;
  using choice = __mmask8;
  static constexpr int lanes = 8;
  static constexpr choice all = 0xff;
  SPARSMITH_AVX512 __m256i load_words(const std::int32_t* words) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  }
  SPARSMITH_AVX512 values zero() { return _mm512_setzero_pd(); }
  SPARSMITH_AVX512 choice longer_than(const std::int32_t* lengths, std::int32_t k) {
    const __m512i wide = _mm512_maskz_cvtepi32_epi64(all, load_words(lengths));
    return _mm512_cmpgt_epi64_mask(wide, _mm512_set1_epi64(k));
  }
  SPARSMITH_AVX512 values add(choice of, values sum, const std::int32_t* cols, const double* slots,
                              const double* x) {
    const __m512d gathered = _mm512_mask_i32gather_pd(zero(), of, load_words(cols), x, 8);
    return _mm512_mask_add_pd(sum, of, sum, _mm512_mul_pd(_mm512_loadu_pd(slots), gathered));
  }
  SPARSMITH_AVX512 void store(double* to, values sum) { _mm512_storeu_pd(to, sum); }
};

template <int Vectors, class Value>
[[gnu::target("avx512f")]] void sum_wide(const std::int32_t* lengths, const std::int32_t* cols,
                                         const Value* values, std::int64_t stride, const Value* x,
                                         Value* sums) {
  using vector = vector_512<Value>;
  constexpr int lanes = vector::lanes;
  std::int32_t shortest = lengths[0], longest = lengths[0];
  for (int i = 1; i < Vectors * lanes; ++i) {
    shortest = std::min(shortest, lengths[i]);
    longest = std::max(longest, lengths[i]);
  }
  typename vector::values sum[Vectors];
#pragma GCC unroll 2
  for (int v = 0; v < Vectors; ++v) sum[v] = vector::zero();
  std::int32_t k = 0;
  for (; k < shortest; ++k, cols += stride, values += stride)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      sum[v] = vector::add(vector::all, sum[v], cols + v * lanes, values + v * lanes, x);
  for (; k < longest; ++k, cols += stride, values += stride)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      sum[v] = vector::add(vector::longer_than(lengths + v * lanes, k), sum[v], cols + v * lanes,
                           values + v * lanes, x);
#pragma GCC unroll 2
  for (int v = 0; v < Vectors; ++v) vector::store(sums + v * lanes, sum[v]);
}

bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
}

}  // namespace

// Two vectors, so that one's gathers wait beside the other's.
template <class Value>
wide_group<Value> wide_group_for(std::int64_t slice) {
  constexpr int lanes = vector_512<Value>::lanes;
  static_assert(2 * lanes <= most_wide_rows);
  if (!has_avx512() || slice <= 0) return {};
  if (slice % (2 * lanes) == 0) return {2 * lanes, sum_wide<2, Value>};
  if (slice % lanes == 0) return {lanes, sum_wide<1, Value>};
  return {};
}
#else
template <class Value>
wide_group<Value> wide_group_for(std::int64_t) {
  return {};
}
#endif

template wide_group<float> wide_group_for<float>(std::int64_t);
template wide_group<double> wide_group_for<double>(std::int64_t);

}  // namespace sparsmith
