#include "tools/library/gpu.hpp"

#include "convert/backend/cuda_check.hpp"

namespace sparsmith::library {

given_stream look_at(void* stream) {
  const auto given = static_cast<cudaStream_t>(stream);
  if (given == nullptr || given == cudaStreamLegacy) return {};
  if (given == cudaStreamPerThread)
    throw error(failure::usage,
                "cudaStreamPerThread is another stream on every thread, and what kernels prepare is for one: "
                "create a stream");
  unsigned flags = 0;
  check_cuda(cudaStreamGetFlags(given, &flags));
  return {given, (flags & cudaStreamNonBlocking) != 0};
}

void wait_for(void* stream) {
  check_cuda(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
}

bool is_gpu_memory(const void* memory) {
  int current = 0;
  check_cuda(cudaGetDevice(&current));
  // A thread that has done nothing with CUDA yet knows of no memory.
  check_cuda(cudaSetDevice(current));
  cudaPointerAttributes found{};
  check_cuda(cudaPointerGetAttributes(&found, memory));
  // Our memory is the first GPU's, and kernels run on the current one.
  if (current != 0)
    throw error(failure::device, "works on the first GPU of those visible; another one is current");
  const bool elsewhere = found.type == cudaMemoryTypeDevice && found.device != 0;
  return found.type != cudaMemoryTypeUnregistered && found.devicePointer == memory && !elsewhere;
}

waiting_stream::waiting_stream() {
  check_cuda(cudaStreamCreate(&stream_));
}
// Nobody is left to report an error to; it stays, and the next checked call raises it.
waiting_stream::~waiting_stream() {
  (void)cudaStreamDestroy(stream_);
}

}  // namespace sparsmith::library
