#include "tests/bench/read_pass.hpp"

#include "kernels/cuda/launch.hpp"

namespace sparsmith {
namespace {

template <class Value>
__global__ void read_all(std::int64_t entries, const std::int32_t* cols, const Value* values, double* sums) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t col_sum = 0;
  Value sum = 0;
  std::int64_t e = first;
  for (; e + 3 * stride < entries; e += 4 * stride)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      col_sum += cols[e + i * stride];
      sum += values[e + i * stride];
    }
  for (; e < entries; e += stride) {
    col_sum += cols[e];
    sum += values[e];
  }
  sums[first % read_pass_sums] = static_cast<double>(col_sum) + static_cast<double>(sum);
}

}  // namespace

template <class Value>
void read_pass(cuda on, array_view<const std::int32_t> cols, array_view<const Value> values, double* sums) {
  read_all<<<resident_blocks(values.size(), 256), 256, 0, on.stream>>>(values.size(), cols.data(),
                                                                       values.data(), sums);
  check_cuda(cudaGetLastError());
}

template void read_pass(cuda, array_view<const std::int32_t>, array_view<const float>, double*);
template void read_pass(cuda, array_view<const std::int32_t>, array_view<const double>, double*);

}  // namespace sparsmith
