#include "kernels/cuda/overlap.hpp"

namespace sparsmith {
namespace {

struct scale_tuning {
  static constexpr int threads = 256;  // of a thread block
};

// Whoever adds to y may start with its loads meanwhile.
template <class Value>
__global__ void scale_all(std::int64_t count, Value beta, Value* y) {
  let_next_kernel_start();
  scale_outputs<1>(std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x, std::int64_t{gridDim.x} * blockDim.x,
                   count, beta, y);
}

}  // namespace

template <class Value>
bool scale(cuda on, std::int64_t count, Value beta, Value* y) {
  if (count == 0 || beta == Value{1}) return false;
  scale_all<<<resident_blocks(count, scale_tuning::threads), scale_tuning::threads, 0, on.stream>>>(count,
                                                                                                    beta, y);
  check_cuda(cudaGetLastError());
  return true;
}

template bool scale(cuda, std::int64_t, float, float*);
template bool scale(cuda, std::int64_t, double, double*);

}  // namespace sparsmith
