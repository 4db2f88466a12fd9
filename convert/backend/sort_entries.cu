// CUB's radix sort, instantiated for 4-byte and 8-byte values only: it moves them without looking at them.
#include <cub/device/device_radix_sort.cuh>

#include "convert/backend/cuda_check.hpp"
#include "convert/backend/sort_entries.hpp"

namespace sparsmith {
namespace {

struct pack_tuning {
  // One load of either kind a thread does not keep the memory busy.
  static constexpr int threads = 256, keys_per_thread = 4, keys_per_block = threads * keys_per_thread;
};

__global__ void __launch_bounds__(pack_tuning::threads)
    pack_keys(const std::int32_t* __restrict__ major, const std::int32_t* __restrict__ minor,
              std::int64_t count, int minor_bits, std::uint64_t* __restrict__ keys) {
  const std::int64_t first = std::int64_t{blockIdx.x} * pack_tuning::keys_per_block + threadIdx.x;
  std::uint64_t high[pack_tuning::keys_per_thread], low[pack_tuning::keys_per_thread];
#pragma unroll
  for (int k = 0; k < pack_tuning::keys_per_thread; ++k) {
    const std::int64_t i = first + k * pack_tuning::threads;
    high[k] = i < count ? static_cast<std::uint64_t>(major[i]) : 0;
    low[k] = i < count ? static_cast<std::uint64_t>(minor[i]) : 0;
  }
#pragma unroll
  for (int k = 0; k < pack_tuning::keys_per_thread; ++k) {
    const std::int64_t i = first + k * pack_tuning::threads;
    if (i < count) keys[i] = high[k] << minor_bits | low[k];
  }
}

// Sorts keys[0] with words[0] and says in which of the two buffers the result is.
template <class Word>
int sort_words(cuda on, std::uint64_t* keys[2], Word* words[2], std::int64_t count, int low_bit,
               int high_bit) {
  cub::DoubleBuffer<std::uint64_t> key_buffers(keys[0], keys[1]);
  cub::DoubleBuffer<Word> word_buffers(words[0], words[1]);
  std::size_t temporary_bytes = 0;
  check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, temporary_bytes, key_buffers, word_buffers, count,
                                             low_bit, high_bit, on.stream));
  array<char, device> temporary(static_cast<std::int64_t>(temporary_bytes));
  check_cuda(cub::DeviceRadixSort::SortPairs(temporary.data(), temporary_bytes, key_buffers, word_buffers,
                                             count, low_bit, high_bit, on.stream));
  return key_buffers.selector;
}

}  // namespace

template <class Value>
sorted_entries<Value, device> sort_entries(cuda on, array_view<const std::int32_t> major,
                                           array_view<const std::int32_t> minor,
                                           array<Value, device>&& values, std::int64_t major_count,
                                           std::int64_t minor_count, bool minor_ordered) {
  using word = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  const std::int64_t count = major.size();
  sorted_entries<Value, device> result;
  result.minor_bits = index_bits(minor_count);
  const int low_bit = minor_ordered ? result.minor_bits : 0;
  const int high_bit = result.minor_bits + index_bits(major_count);

  array<std::uint64_t, device> keys(count), other_keys(count);
  array<Value, device> own_values = std::move(values), other_values(count);
  if (count > 0) {
    const auto blocks =
        static_cast<unsigned>((count + pack_tuning::keys_per_block - 1) / pack_tuning::keys_per_block);
    pack_keys<<<blocks, pack_tuning::threads, 0, on.stream>>>(major.data(), minor.data(), count,
                                                              result.minor_bits, keys.data());
    check_cuda(cudaGetLastError());
    if (high_bit > low_bit) {
      std::uint64_t* key_buffers[2] = {keys.data(), other_keys.data()};
      word* word_buffers[2] = {reinterpret_cast<word*>(own_values.data()),
                               reinterpret_cast<word*>(other_values.data())};
      if (sort_words(on, key_buffers, word_buffers, count, low_bit, high_bit) == 1) {
        std::swap(keys, other_keys);
        std::swap(own_values, other_values);
      }
    }
  }
  result.keys = std::move(keys);
  result.values = std::move(own_values);
  return result;
}

template <class Value>
sorted_entries<Value, device> sort_entries(cuda on, array_view<const std::int32_t> major,
                                           array_view<const std::int32_t> minor,
                                           array_view<const Value> values, std::int64_t major_count,
                                           std::int64_t minor_count, bool minor_ordered) {
  array<Value, device> own_values(values.size());
  if (values.size() > 0)
    check_cuda(cudaMemcpyAsync(own_values.data(), values.data(),
                               static_cast<std::size_t>(values.size()) * sizeof(Value),
                               cudaMemcpyDeviceToDevice, on.stream));
  return sort_entries<Value>(on, major, minor, std::move(own_values), major_count, minor_count,
                             minor_ordered);
}

template sorted_entries<float, device> sort_entries(cuda, array_view<const std::int32_t>,
                                                    array_view<const std::int32_t>, array_view<const float>,
                                                    std::int64_t, std::int64_t, bool);
template sorted_entries<double, device> sort_entries(cuda, array_view<const std::int32_t>,
                                                     array_view<const std::int32_t>, array_view<const double>,
                                                     std::int64_t, std::int64_t, bool);
template sorted_entries<std::int32_t, device> sort_entries(cuda, array_view<const std::int32_t>,
                                                           array_view<const std::int32_t>,
                                                           array_view<const std::int32_t>, std::int64_t,
                                                           std::int64_t, bool);

template sorted_entries<float, device> sort_entries(cuda, array_view<const std::int32_t>,
                                                    array_view<const std::int32_t>, array<float, device>&&,
                                                    std::int64_t, std::int64_t, bool);
template sorted_entries<double, device> sort_entries(cuda, array_view<const std::int32_t>,
                                                     array_view<const std::int32_t>, array<double, device>&&,
                                                     std::int64_t, std::int64_t, bool);

}  // namespace sparsmith
