// The yardstick for COO -> CSR on a GPU: one CUB radix sort of the same (row, column) keys with the same
// values.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "convert/backend/cuda_check.hpp"
#include "tests/bench/cub_sort.hpp"

namespace sparsmith {

template <class Value>
double cub_sort_seconds(array_view<const std::uint64_t> keys, array_view<const Value> values, int bits,
                        int samples) {
  const std::int64_t count = keys.size();
  array<std::uint64_t, device> keys_a(count), keys_b(count);
  array<Value, device> values_a(count), values_b(count);
  cub::DoubleBuffer<std::uint64_t> key_buffers(keys_a.data(), keys_b.data());
  cub::DoubleBuffer<Value> value_buffers(values_a.data(), values_b.data());
  std::size_t bytes = 0;
  check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, bytes, key_buffers, value_buffers, count, 0, bits));
  array<char, device> temporary(static_cast<std::int64_t>(bytes));
  cudaEvent_t start, stop;
  check_cuda(cudaEventCreate(&start));
  check_cuda(cudaEventCreate(&stop));
  std::vector<double> seconds;
  for (int i = 0; i < samples + 3; ++i) {
    key_buffers = cub::DoubleBuffer<std::uint64_t>(keys_a.data(), keys_b.data());
    value_buffers = cub::DoubleBuffer<Value>(values_a.data(), values_b.data());
    copy_bytes(place::device, keys_a.data(), place::device, keys.data(), count * 8);
    copy_bytes(place::device, values_a.data(), place::device, values.data(),
               count * std::int64_t{sizeof(Value)});
    check_cuda(cudaEventRecord(start));
    check_cuda(
        cub::DeviceRadixSort::SortPairs(temporary.data(), bytes, key_buffers, value_buffers, count, 0, bits));
    check_cuda(cudaEventRecord(stop));
    check_cuda(cudaEventSynchronize(stop));
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start, stop));
    if (i >= 3) seconds.push_back(milliseconds / 1e3);
  }
  check_cuda(cudaEventDestroy(start));
  check_cuda(cudaEventDestroy(stop));
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

template double cub_sort_seconds(array_view<const std::uint64_t>, array_view<const float>, int, int);
template double cub_sort_seconds(array_view<const std::uint64_t>, array_view<const double>, int, int);

}  // namespace sparsmith
