// Comparing where the outputs are: of a product on a GPU nothing but what was found goes to the host.
#include <algorithm>
#include <cstring>

#include "kernels/cuda/launch.hpp"
#include "kernels/reference.hpp"

namespace sparsmith {
namespace {

constexpr unsigned threads = 256;

struct findings {
  unsigned long long wrong, first,
      error;  // the error's bits, which of positive numbers are ordered as they are
};

template <class Value>
__global__ void compare(const Value* y, const double* expected, const double* bound, std::int64_t count,
                        findings* found) {
  unsigned long long wrong = 0, first = ~0ull;
  double error = 0;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const double value = static_cast<double>(y[i]), right = expected[i], allowed = bound[i];
    if (!within(value, right, allowed)) {
      ++wrong;
      first = min(first, static_cast<unsigned long long>(i));
    }
    const double off = fabs(value - right);
    if (off > 0 && allowed > 0) error = fmax(error, off / allowed);
  }
  if (wrong > 0) {
    atomicAdd(&found->wrong, wrong);
    atomicMin(&found->first, first);
  }
  // Nearly every thread has one: a warp's largest is told once.
  for (int distance = 16; distance > 0; distance /= 2)
    error = fmax(error, __shfl_xor_sync(0xffffffffu, error, distance));
  if (threadIdx.x % 32 == 0 && error > 0)
    atomicMax(&found->error, static_cast<unsigned long long>(__double_as_longlong(error)));
}

}  // namespace

template <class Value>
reference_comparison compare_outputs(cuda on, const Value* y, const double* expected, const double* bound,
                                     std::int64_t count) {
  findings told{0, ~0ull, 0};
  array<findings, device> found(1);
  check_cuda(cudaMemcpyAsync(found.data(), &told, sizeof told, cudaMemcpyHostToDevice, on.stream));
  if (count > 0) {
    const auto blocks = static_cast<unsigned>(
        std::min<std::int64_t>((count + threads - 1) / threads, std::int64_t{multiprocessors()} * 8));
    compare<<<blocks, threads, 0, on.stream>>>(y, expected, bound, count, found.data());
    check_cuda(cudaGetLastError());
  }
  check_cuda(cudaMemcpyAsync(&told, found.data(), sizeof told, cudaMemcpyDeviceToHost, on.stream));
  check_cuda(cudaStreamSynchronize(on.stream));
  double error = 0;
  static_assert(sizeof error == sizeof told.error);
  std::memcpy(&error, &told.error, sizeof error);
  return {static_cast<std::int64_t>(told.wrong), told.wrong > 0 ? static_cast<std::int64_t>(told.first) : 0,
          error};
}

// All bits set are a NaN, of either width.
template <class Value>
void poison_outputs(cuda on, Value* y, std::int64_t count) {
  check_cuda(cudaMemsetAsync(y, 0xff, static_cast<std::size_t>(count) * sizeof(Value), on.stream));
}

#define SPARSMITH_INSTANTIATE_COMPARISON(V)                                                                  \
  template reference_comparison compare_outputs(cuda, const V*, const double*, const double*, std::int64_t); \
  template void poison_outputs(cuda, V*, std::int64_t);

SPARSMITH_INSTANTIATE_COMPARISON(float)
SPARSMITH_INSTANTIATE_COMPARISON(double)

}  // namespace sparsmith
