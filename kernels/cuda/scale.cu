#include "kernels/adjoint.hpp"
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

template <class Part>
__global__ void conjugate_each(std::int64_t count, const complex_number<Part>* from,
                               complex_number<Part>* to) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x)
    to[i] = conjugate(from[i]);
}

}  // namespace

template <class Part>
void conjugate_all(cuda on, std::int64_t count, const complex_number<Part>* from, complex_number<Part>* to) {
  if (count == 0) return;
  conjugate_each<<<resident_blocks(count, scale_tuning::threads), scale_tuning::threads, 0, on.stream>>>(
      count, from, to);
  check_cuda(cudaGetLastError());
}

template void conjugate_all(cuda, std::int64_t, const complex64*, complex64*);
template void conjugate_all(cuda, std::int64_t, const complex128*, complex128*);

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
template bool scale(cuda, std::int64_t, complex64, complex64*);
template bool scale(cuda, std::int64_t, complex128, complex128*);

}  // namespace sparsmith
