// What the CUDA kernels share: sizes of launches, sums over lanes of a warp, what becomes of y.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "convert/backend/cuda_check.hpp"
#include "convert/backend/device.hpp"
#include "kernels/registry.hpp"

namespace sparsmith {

inline unsigned blocks_for(std::int64_t items, std::int64_t per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

// About as many thread blocks as the GPU holds at once, where the work is not less; kernels walk on in
// strides of the grid.
inline unsigned resident_blocks(std::int64_t items, int threads) {
  const std::int64_t most = std::int64_t{multiprocessors()} * (2048 / threads);
  return static_cast<unsigned>(std::clamp<std::int64_t>((items + threads - 1) / threads, 1, most));
}

// Shared memory that a thread block may ask for.
inline int most_shared_bytes() {
  int current = 0, most = 0;
  check_cuda(cudaGetDevice(&current));
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, current));
  return most;
}

// Calls use(std::bool_constant<transposed>) so that kernels know the operation when they are compiled.
template <class Use>
void with_operation(operation op, Use use) {
  if (op == operation::transposed)
    use(std::true_type{});
  else
    use(std::false_type{});
}

// The same with the operation itself; and with all four.
template <operation Op>
using operation_constant = std::integral_constant<operation, Op>;
template <class Use>
void with_product(operation op, Use use) {
  if (op == operation::transposed)
    use(operation_constant<operation::transposed>{});
  else
    use(operation_constant<operation::multiply>{});
}
template <class Use>
void with_any_operation(operation op, Use use) {
  if (op == operation::both)
    use(operation_constant<operation::both>{});
  else if (op == operation::normal)
    use(operation_constant<operation::normal>{});
  else
    with_product(op, use);
}

#ifdef __CUDACC__

// The sum of `value` over groups of Width neighbouring lanes; every lane of the warp takes part and gets it.
template <int Width = 32, class Value>
__device__ Value lane_sum(Value value) {
  for (int step = Width / 2; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

// y = beta y + sum, without reading y where beta is 0.
template <class Value>
__device__ Value updated(Value beta, const Value* y, Value sum) {
  return beta == Value{0} ? sum : beta * *y + sum;
}

// y = beta y for every stride-th of the outputs, with so many loads on their way together.
template <int Together, class Value>
__device__ void scale_outputs(std::int64_t first, std::int64_t stride, std::int64_t count, Value beta,
                              Value* y) {
  if (beta == Value{1}) return;
  for (std::int64_t begin = first; begin < count; begin += Together * stride) {
    Value scaled[Together];
#pragma unroll
    for (int k = 0; k < Together; ++k) {
      const std::int64_t i = begin + k * stride;
      scaled[k] = beta != Value{0} && i < count ? beta * y[i] : Value{0};
    }
#pragma unroll
    for (int k = 0; k < Together; ++k)
      if (const std::int64_t i = begin + k * stride; i < count) y[i] = scaled[k];
  }
}

#endif

}  // namespace sparsmith
