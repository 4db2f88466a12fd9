// What overlaps from sm_90 on and waits on older GPUs; nothing else differs between them.
#pragma once

#include <cuda_pipeline.h>

#include "kernels/cuda/launch.hpp"

namespace sparsmith {

#ifdef __CUDACC__

// A kernel that is launched early starts while the one before it is still running, once that one lets it. It
// may touch what that one works on only after wait_for_kernel_before.
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Whether the kernels wait for each other themselves. A newer GPU also runs code that was compiled for an
// older one, which does not; all kernels of a build are compiled for the same.
inline bool kernels_overlap(const void* any_kernel) {
  static const bool answer = [&] {
    cudaFuncAttributes its = {};
    check_cuda(cudaFuncGetAttributes(&its, any_kernel));
    return its.ptxVersion >= 90;
  }();
  return answer;
}

struct launch_size {
  unsigned blocks, threads;
  std::size_t shared_bytes;
  bool early;  // while the kernel before it is still running, where that is possible
};

template <class... Parameters, class... Arguments>
void launch(cuda on, const launch_size& size, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(size.blocks);
  config.blockDim = dim3(size.threads);
  config.dynamicSmemBytes = size.shared_bytes;
  config.stream = on.stream;
  config.attrs = &early;
  config.numAttrs = size.early && kernels_overlap(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

// Windows of a vector, one after another, in shared memory: while a thread block works on one, the next is
// brought by the bulk copy engine, so that warps need not wait for each other; or, on older GPUs, by plain
// loads between barriers. All threads make the same calls: begin of window 0, or begin_by_loads and what
// comes with it; then for every window n, begin of n + 1, wait for n, its use, done with n.
template <class Value>
class window_queue {
 public:
  // A window keeps its source's place within 16 bytes.
  static constexpr int room_to_align = 16 / sizeof(Value);
  static constexpr int barriers = 4;

  // Two buffers of `each` elements, a multiple of 16 bytes.
  __device__ window_queue(std::uint64_t* barriers, Value* buffers, int each)
      : barriers_(barriers), buffers_(buffers), each_(each) {}

  // By all threads, which meet afterwards; window 0 may be begun before that, by who makes its barrier.
  __device__ void open() const {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x < 4) {
      const unsigned arrivals = threadIdx.x < 2 ? 1 : blockDim.x;
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barriers_ + threadIdx.x)),
                   "r"(arrivals)
                   : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
#endif
  }

  __device__ Value* window(int number, const Value* source) const {
    return buffers_ + number % 2 * each_ + skew(source);
  }

  // Brings what lies between the first and the end of the window, to where it would be in all of it; and,
  // where there is one, a record along with it, in units of 16 bytes: it is there when the window is, at a
  // place that nobody looks at any more who is done with window number - 2.
  template <class Record>
  __device__ void begin(int number, const Value* source, int first, int end, const Record* record,
                        Record* record_to) const {
    static_assert(sizeof(Record) % 16 == 0 && alignof(Record) >= 16);
    Value* const to = window(number, source) + first;
    source += first;
    const int thread = static_cast<int>(threadIdx.x), count = end - first;
#if __CUDA_ARCH__ >= 900
    if (thread >= 32) return;
    if (number >= 2) wait_for(emptied(number), number / 2 - 1);
    // The engine moves 16 bytes at a time; what sticks out at the ends is copied by hand.
    constexpr int unit = room_to_align;
    const int before = min(count, (unit - skew(source)) % unit), whole = (count - before) / unit * unit;
    if (thread < before) to[thread] = source[thread];
    if (before + whole + thread < count) to[before + whole + thread] = source[before + whole + thread];
    __syncwarp();
    if (thread > 0) return;
    const std::uint32_t full = address(filled(number)),
                        bytes = static_cast<std::uint32_t>(whole * sizeof(Value)),
                        record_bytes = record == nullptr ? 0 : sizeof(Record);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full),
                 "r"(bytes + record_bytes)
                 : "memory");
    if (bytes > 0) copy_by_engine(to + before, source + before, bytes, full);
    if (record_bytes > 0) copy_by_engine(record_to, record, record_bytes, full);
#else
    __syncthreads();
    for (int i = thread; i < count; i += static_cast<int>(blockDim.x)) to[i] = source[i];
    if (record != nullptr && thread == 0) *record_to = *record;
#endif
  }

  // Window 0 by loads of all threads, without a record: it is there before the engine's copy would be, which
  // counts where there is little to do with the windows. They wait for their own loads, meet, and tell it;
  // told before they meet, racecheck takes it for a race with the making of the barrier.
  __device__ void begin_by_loads(const Value* source, int first, int end) const {
    Value* const to = window(0, source);
    for (int i = first + static_cast<int>(threadIdx.x); i < end; i += static_cast<int>(blockDim.x))
      __pipeline_memcpy_async(to + i, source + i, sizeof(Value));
    __pipeline_commit();
  }
  __device__ static void wait_for_own_loads() {
    __pipeline_wait_prior(0);
  }
  __device__ void tell_loaded() const {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(filled(0))) : "memory");
#endif
  }

  __device__ void wait(int number) const {
#if __CUDA_ARCH__ >= 900
    wait_for(filled(number), number / 2);
#else
    __syncthreads();
#endif
  }

  __device__ void done(int number) const {
#if __CUDA_ARCH__ >= 900
    // Every thread for itself: racecheck does not see that a warp's others were done before one that arrives
    // for all of them, and it takes no longer.
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(emptied(number))) : "memory");
#endif
  }

 private:
  __device__ std::uint64_t* filled(int number) const {
    return barriers_ + number % 2;
  }
  __device__ std::uint64_t* emptied(int number) const {
    return barriers_ + 2 + number % 2;
  }
  __device__ static int skew(const Value* source) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(source) % 16 / sizeof(Value));
  }
  __device__ static std::uint32_t address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
  }
#if __CUDA_ARCH__ >= 900
  __device__ static void copy_by_engine(void* to, const void* from, std::uint32_t bytes,
                                        std::uint32_t barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            address(to)),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
  }
  // Until the barrier has completed its phase of that number.
  __device__ static void wait_for(const std::uint64_t* barrier, int phase) {
    std::uint32_t complete = 0;
    while (complete == 0)
      asm volatile(
          "{\n"
          ".reg .pred complete;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
          "selp.u32 %0, 1, 0, complete;\n"
          "}"
          : "=r"(complete)
          : "r"(address(barrier)), "r"(phase & 1)
          : "memory");
  }
#endif

  std::uint64_t* barriers_;  // two that tell when a buffer is full, two when nobody needs it any more
  Value* buffers_;
  int each_;
};

#endif

}  // namespace sparsmith
