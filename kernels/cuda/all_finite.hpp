#pragma once

#include "convert/backend/memory.hpp"

namespace sparsmith {

// Whether all values, which are on the device, are finite: some kernels would carry others into other rows.
template <class Value>
bool all_finite(const array_view<const Value>& values);

}  // namespace sparsmith
