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
// csr_bins.cu
template <class Offset, class Value>
struct csr_bins;
template <class Offset, class Value>
struct csr_hybrid;
// csr_merge.cu
template <class Offset, class Value>
struct csr_merge;

// The first row of every piece of `size` rows plus entries, and the end: where the merge path of the rows'
// ends and the entries crosses every multiple of `size`. In csr_merge.cu.
template <class Offset, class Value>
array<std::int32_t, device> path_cuts(cuda on, const csr_view<Offset, Value, device>& m, std::int64_t size);

}  // namespace sparsmith
