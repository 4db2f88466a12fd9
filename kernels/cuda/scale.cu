#include "kernels/cuda/launch.hpp"

namespace sparsmith {
namespace {

template <class Value>
__global__ void scale_all(std::int64_t count, Value beta, Value* y) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    y[i] = beta * y[i];
}

}  // namespace

template <class Value>
void scale(cuda on, std::int64_t count, Value beta, Value* y) {
  if (count == 0 || beta == Value{1}) return;
  if (beta == Value{0}) {
    check_cuda(cudaMemsetAsync(y, 0, static_cast<std::size_t>(count) * sizeof(Value), on.stream));
    return;
  }
  scale_all<<<resident_blocks(count, 256), 256, 0, on.stream>>>(count, beta, y);
  check_cuda(cudaGetLastError());
}

template void scale(cuda, std::int64_t, float, float*);
template void scale(cuda, std::int64_t, double, double*);

}  // namespace sparsmith
