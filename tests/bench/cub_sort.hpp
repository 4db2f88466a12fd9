#pragma once

#include "convert/backend/memory.hpp"

namespace sparsmith {

// Median time of one sort of device-resident pairs by their low `bits` bits; restoring the input is not
// timed.
template <class Value>
double cub_sort_seconds(array_view<const std::uint64_t> keys, array_view<const Value> values, int bits,
                        int samples);

}  // namespace sparsmith
