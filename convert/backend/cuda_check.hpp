// Turns a failed CUDA call into the project's exception.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "convert/error.hpp"

namespace sparsmith {

inline void check_cuda(cudaError_t status) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // clear it, so that the next call does not report it again
  // Another device may have the memory.
  if (status == cudaErrorMemoryAllocation)
    throw error(failure::resources, std::string("CUDA: ") + cudaGetErrorString(status), "device");
  throw error(failure::device, std::string("CUDA: ") + cudaGetErrorString(status));
}

}  // namespace sparsmith
