// CSR's own kernels on CUDA, by the files that have them.
#pragma once

#include "kernels/line.hpp"

namespace sparsmith {

// csr_lanes.cu
template <class Offset, class Value>
struct csr_thread;
template <class Offset, class Value>
struct csr_warp;
template <class Offset, class Value>
struct csr_vector;
template <class Offset, class Value>
class csr_half_vector;
// csr_bins.cu
template <class Offset, class Value>
struct csr_bins;
template <class Offset, class Value>
struct csr_hybrid;

}  // namespace sparsmith
