// Kernels on GCSB's layout `tile` that are compiled apart from its table.
#pragma once

#include "kernels/line.hpp"

namespace sparsmith {

// gcsb_tile_both.cu
template <class Offset, class Value>
class gcsb_tile_both;
template <class Offset, class Value>
class gcsb_tile_half_both;

}  // namespace sparsmith
