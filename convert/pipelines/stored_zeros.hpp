// Formats that fill slots up with zeros list the slots of zeros that are entries: rising, and mostly none.
#pragma once

#include "convert/backend/backend.hpp"

namespace sparsmith {

// Whether a slot holds an entry: any value but zero, or a zero that is listed.
template <class Value>
SPARSMITH_HOST_DEVICE bool holds_entry(Value value, std::int64_t slot, const std::int64_t* zeros,
                                       std::int64_t count) {
  if (value != 0) return true;
  std::int64_t low = 0, high = count;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (zeros[middle] < slot)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && zeros[low] == slot;
}

}  // namespace sparsmith
