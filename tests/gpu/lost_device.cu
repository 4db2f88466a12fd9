#include <cuda_runtime.h>

#include "tests/gpu/lost_device.hpp"

namespace sparsmith::testing {
namespace {

__global__ void stop() {
  asm("trap;");
}

}  // namespace

bool lose_device() {
  stop<<<1, 1>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}

}  // namespace sparsmith::testing
