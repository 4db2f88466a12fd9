// Thrust's scan on CUDA, for the four combinations of type and operation that pipelines use.
#include <thrust/scan.h>
#include <thrust/system/cuda/execution_policy.h>

#include "convert/backend/primitives.hpp"

namespace sparsmith {
namespace {

// Gives Thrust its temporary memory from our own allocator, so that it is counted and pooled like any other.
struct thrust_device_memory {
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    return static_cast<char*>(sparsmith::allocate(place::device, bytes));
  }
  void deallocate(char* memory, std::size_t bytes) {
    release(place::device, memory, static_cast<std::int64_t>(bytes));
  }
};

}  // namespace

template <class T, class Operation>
void scan_in_place(cuda on, std::int64_t count, T* data, Operation op) {
  thrust_device_memory memory;
  thrust::inclusive_scan(thrust::cuda::par_nosync(memory).on(on.stream), data, data + count, data, op);
}

template void scan_in_place(cuda, std::int64_t, std::int32_t*, sum_of<std::int32_t>);
template void scan_in_place(cuda, std::int64_t, std::int64_t*, sum_of<std::int64_t>);
template void scan_in_place(cuda, std::int64_t, std::int32_t*, larger<std::int32_t>);
template void scan_in_place(cuda, std::int64_t, std::int64_t*, larger<std::int64_t>);

}  // namespace sparsmith
