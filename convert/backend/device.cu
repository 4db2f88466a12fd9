// The CUDA runtime behind device.hpp. Memory comes from the device's stream-ordered pool, which keeps what it
// was given: a pipeline that runs again finds its arrays at once.
#include <cuda_runtime.h>

#include <limits>
#include <string>

#include "convert/backend/cuda_check.hpp"
#include "convert/backend/device.hpp"

namespace sparsmith {
namespace {

gpu_state look_for_gpu() {
  int count = 0;
  // Any error here means that there is no GPU to use: no driver, an old one, or none visible.
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    return {false, std::string("no GPU found: ") + cudaGetErrorString(status)};
  }
  if (count == 0) return {false, "no GPU found"};
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0));
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  return {true, std::string(properties.name) + ", " +
                    format_bytes(static_cast<std::int64_t>(properties.totalGlobalMem))};
}

}  // namespace

const gpu_state& find_gpu() {
  static const gpu_state state = look_for_gpu();
  return state;
}

void synchronize(cuda) {
  check_cuda(cudaDeviceSynchronize());
}

namespace device_memory {

void* allocate(std::int64_t bytes) {
  if (!find_gpu().usable) throw error(failure::device, find_gpu().description);
  void* memory = nullptr;
  check_cuda(cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), nullptr));
  return memory;
}

void release(void* memory) noexcept {
  // A failing free has nobody to report to; the error stays and the next checked call raises it.
  (void)cudaFreeAsync(memory, nullptr);
}

void copy(void* target, const void* source, std::int64_t bytes) {
  check_cuda(cudaMemcpy(target, source, static_cast<std::size_t>(bytes), cudaMemcpyDefault));
}

std::int64_t available_bytes() {
  std::size_t unused = 0, total = 0;
  check_cuda(cudaMemGetInfo(&unused, &total));
  // What the pool holds but does not use is available too.
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t reserved = 0, used = 0;
  check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return static_cast<std::int64_t>(unused + (reserved - used));
}

}  // namespace device_memory
}  // namespace sparsmith
