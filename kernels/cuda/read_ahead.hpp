// What a product of a small matrix is going to read, brought into the L2 cache while its first loads are on
// their way. Such a product takes as long as its loads wait for each other (offsets, then columns, then x):
// only the first then waits for memory. Beyond a few megabytes the loads themselves keep the memory busy.
#pragma once

#include "kernels/cuda/launch.hpp"

namespace sparsmith {

class read_ahead {
 public:
  // Nothing is brought where there would be more than `most_bytes`: up to 8 MiB products by rows were the
  // faster for it on an H200 (docs/log).
  explicit read_ahead(std::int64_t most_bytes = 8 << 20) : bytes_left_(most_bytes) {}

  template <class T>
  void add(const T* first, std::int64_t count) {
    ranges_[used_++] = {reinterpret_cast<const char*>(first), count * std::int64_t{sizeof(T)}};
    bytes_left_ -= ranges_[used_ - 1].bytes;
    worth_it_ = bytes_left_ >= 0;
  }

#ifdef __CUDACC__
  // Every thread of the grid, or of so many of its thread blocks, brings its share.
  __device__ void bring() const {
    bring(blockIdx.x, gridDim.x);
  }
  __device__ void bring(unsigned block, unsigned blocks) const {
    if (!worth_it_) return;
    const std::int64_t thread = std::int64_t{block} * blockDim.x + threadIdx.x;
    const std::int64_t stride = std::int64_t{blocks} * blockDim.x * line;
#pragma unroll
    for (int i = 0; i < most_ranges; ++i)  // those not used are empty
      for (std::int64_t at = thread * line; at < ranges_[i].bytes; at += stride)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(ranges_[i].first + at));
  }
#endif

 private:
  static constexpr std::int64_t line = 128;
  static constexpr int most_ranges = 3;
  struct range {
    const char* first;
    std::int64_t bytes;
  };
  range ranges_[most_ranges] = {};
  int used_ = 0;
  std::int64_t bytes_left_;
  bool worth_it_ = true;
};

}  // namespace sparsmith
