// Groups of rows side by side whose sums are vectors of 512 bits, where the CPU has such: chosen at run time,
// since the rest is compiled for every CPU of its kind.
#pragma once

#include <cstdint>

namespace sparsmith {

template <class Value>
struct wide_group {
  int rows = 0;  // 0: there is none
  // Slot k of row i is at k * stride + i, and the row has lengths[i] of them.
  void (*sum)(const std::int32_t* lengths, const std::int32_t* cols, const Value* values, std::int64_t stride,
              const Value* x, Value* sums) = nullptr;
};
constexpr int most_wide_rows = 32;

// For slices of so many rows, which it divides.
template <class Value>
wide_group<Value> wide_group_for(std::int64_t slice);

}  // namespace sparsmith
