// The CUDA runtime behind device.hpp. Memory comes from a stream-ordered pool that keeps what it was given: a
// pipeline that runs again finds its arrays at once. The pool is our own, since the device's default one is
// shared with every other library of the process, which may want its memory back.
#include <cuda_runtime.h>

#include <limits>
#include <string>

#include "convert/backend/cuda_check.hpp"
#include "convert/backend/device.hpp"
#include "convert/words.hpp"

namespace sparsmith {
namespace {

__global__ void probe() {}

cudaMemPool_t own_pool = nullptr;  // made by look_for_gpu, never given back: arrays may live to the very end

cudaError_t make_own_pool() {
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location = {cudaMemLocationTypeDevice, 0};
  if (const auto status = cudaMemPoolCreate(&own_pool, &wanted); status != cudaSuccess) return status;
  std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
  return cudaMemPoolSetAttribute(own_pool, cudaMemPoolAttrReleaseThreshold, &keep);
}

// One that does not wait for the default stream.
cudaStream_t make_stream_beside() {
  cudaStream_t made = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  return made;
}

// Any error here means that there is no GPU to use: no driver, an old one, none visible, or one this build
// has no code for. `auto` then runs on the CPU and says why.
gpu_state look_for_gpu() {
  const auto unusable = [](const char* what, cudaError_t status) {
    (void)cudaGetLastError();
    return gpu_state{false, std::string(what) + ": " + cudaGetErrorString(status)};
  };
  int count = 0;
  const auto counted = cudaGetDeviceCount(&count);
  if (counted != cudaSuccess || count == 0) {
    int driver = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaGetLastError();
    const bool none_there = counted == cudaSuccess || counted == cudaErrorNoDevice;
    return {false, missing_gpu(driver, none_there, cudaGetErrorString(counted))};
  }
  cudaDeviceProp properties{};
  if (const auto status = cudaGetDeviceProperties(&properties, 0); status != cudaSuccess)
    return unusable("GPU not usable", status);
  const auto no_code = [&] {
    (void)cudaGetLastError();
    return gpu_state{false,
                     missing_architecture(SPARSMITH_CUDA_ARCHITECTURES, properties.major, properties.minor)};
  };
  if (properties.major < oldest_compute_capability) return no_code();
  cudaFuncAttributes attributes{};
  switch (const auto status = cudaFuncGetAttributes(&attributes, probe)) {
    case cudaSuccess:
      break;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:  // of a toolkit that is newer than the driver
    case cudaErrorInvalidDeviceFunction:
      return no_code();
    default:
      return unusable(properties.name, status);
  }
  char identity[32] = "";
  if (const auto status = cudaDeviceGetPCIBusId(identity, sizeof(identity), 0); status != cudaSuccess)
    return unusable(properties.name, status);
  if (const auto status = make_own_pool(); status != cudaSuccess) return unusable(properties.name, status);
  return {true,
          std::string(properties.name) + ", " +
              format_bytes(static_cast<std::int64_t>(properties.totalGlobalMem)),
          identity};
}

}  // namespace

const gpu_state& find_gpu() {
  static const gpu_state state = look_for_gpu();
  return state;
}

void synchronize(cuda) {
  check_cuda(cudaDeviceSynchronize());
}

queued_work::queued_work(CUstream_st* stream) {
  check_cuda(cudaEventCreateWithFlags(&end_, cudaEventDisableTiming));
  check_cuda(cudaEventRecord(end_, stream));
}
// Errors of what is destroyed have nobody to report to; they stay, and the next checked call raises them.
queued_work::~queued_work() {
  if (end_ != nullptr) (void)cudaEventDestroy(end_);
}
void queued_work::wait() const {
  if (end_ != nullptr) check_cuda(cudaEventSynchronize(end_));
}
void queued_work::hold_back(CUstream_st* stream) const {
  if (end_ != nullptr) check_cuda(cudaStreamWaitEvent(stream, end_));
}

work_beside::work_beside() {
  static const cudaStream_t beside = make_stream_beside();  // never given back, like the pool
  stream_ = beside;
  queued_work(cuda{}).hold_back(beside);
}
work_beside::~work_beside() {
  (void)cudaStreamSynchronize(stream_);
}

int multiprocessors() {
  static const int count = [] {
    int value = 0;
    check_cuda(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    return value;
  }();
  return count;
}

namespace device_memory {

// The pool's memory is the first GPU's: kernels on another, which a caller has made current, could not reach
// it.
static void require_first_gpu() {
  if (!find_gpu().usable) throw error(failure::device, find_gpu().description);
  int current = 0;
  check_cuda(cudaGetDevice(&current));
  if (current != 0)
    throw error(failure::device, "works on the first GPU of those visible; another one is current");
}

void* allocate(std::int64_t bytes) {
  require_first_gpu();
  void* memory = nullptr;
  check_cuda(cudaMallocFromPoolAsync(&memory, static_cast<std::size_t>(bytes), own_pool, nullptr));
  return memory;
}

void release(void* memory) noexcept {
  // A failing free has nobody to report to; the error stays and the next checked call raises it.
  (void)cudaFreeAsync(memory, nullptr);
}

void copy(void* target, const void* source, std::int64_t bytes) {
  check_cuda(cudaMemcpy(target, source, static_cast<std::size_t>(bytes), cudaMemcpyDefault));
}

void copy_beside(void* target, const void* source, std::int64_t bytes) {
  static const cudaStream_t beside = make_stream_beside();
  check_cuda(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyDefault, beside));
  check_cuda(cudaStreamSynchronize(beside));
}

std::int64_t available_bytes() {
  require_first_gpu();
  std::size_t unused = 0, total = 0;
  check_cuda(cudaMemGetInfo(&unused, &total));
  // What the pool holds but does not use is available too.
  std::uint64_t reserved = 0, used = 0;
  // In this order, because other threads may make the pool grow in between.
  check_cuda(cudaMemPoolGetAttribute(own_pool, cudaMemPoolAttrUsedMemCurrent, &used));
  check_cuda(cudaMemPoolGetAttribute(own_pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  return static_cast<std::int64_t>(unused + (reserved - used));
}

}  // namespace device_memory
}  // namespace sparsmith
