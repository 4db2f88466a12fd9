// The sort behind every conversion: entries by (major, minor), stable, so that duplicates keep the order they
// came in. Keys are packed into 64 bits, major above minor. OpenMP: one partition into cache-sized buckets by
// the key's top bits, then a least-significant-digit radix sort inside each. CUDA: CUB's radix sort.
#pragma once

#include <bit>

#include "convert/backend/backend.hpp"

namespace sparsmith {

template <class Value, class Space>
struct sorted_entries {
  array<std::uint64_t, Space> keys;  // major << minor_bits | minor
  array<Value, Space> values;
  int minor_bits = 0;
};

// Bits needed for the indices 0 .. count-1.
inline int index_bits(std::int64_t count) {
  return count <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
}

// The most memory a sort holds at once beside its input, result included.
inline std::int64_t sort_peak_bytes(openmp, std::int64_t count, std::int64_t value_bytes) {
  return count * (8 + value_bytes) + count * 16;
}
inline std::int64_t sort_peak_bytes(cuda, std::int64_t count, std::int64_t value_bytes) {
  return count * (8 + value_bytes) * 2;
}

// `minor_ordered` says that the minor indices never fall from one entry to the next, so that a stable sort by
// major alone is enough: the case of a file stored column by column, and of every transposition. Instantiated
// for float, double and int32 values.
template <class Value>
sorted_entries<Value, host> sort_entries(openmp on, array_view<const std::int32_t> major,
                                         array_view<const std::int32_t> minor, array_view<const Value> values,
                                         std::int64_t major_count, std::int64_t minor_count,
                                         bool minor_ordered);
template <class Value>
sorted_entries<Value, device> sort_entries(cuda on, array_view<const std::int32_t> major,
                                           array_view<const std::int32_t> minor,
                                           array_view<const Value> values, std::int64_t major_count,
                                           std::int64_t minor_count, bool minor_ordered);

// The same where the values may be used up: on CUDA they are sorted where they are.
template <class Value>
sorted_entries<Value, host> sort_entries(openmp on, array_view<const std::int32_t> major,
                                         array_view<const std::int32_t> minor, array<Value, host>&& values,
                                         std::int64_t major_count, std::int64_t minor_count,
                                         bool minor_ordered) {
  return sort_entries<Value>(on, major, minor, array_view<const Value>(values), major_count, minor_count,
                             minor_ordered);
}
template <class Value>
sorted_entries<Value, device> sort_entries(cuda on, array_view<const std::int32_t> major,
                                           array_view<const std::int32_t> minor,
                                           array<Value, device>&& values, std::int64_t major_count,
                                           std::int64_t minor_count, bool minor_ordered);

}  // namespace sparsmith
