// The tables of kernels, one for every format and backend: kernels_of(view(matrix)). A new kernel is a type
// in its format's file and a line in that file's table.
#pragma once

#include "kernels/kernel.hpp"

namespace sparsmith {

template <class Value, class Space>
using coo_view = coo<Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using csr_view = csr<Offset, Value, view_of<Space>>;
template <class Value, class Space>
using ell_view = ell<Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using sell_view = sell<Offset, Value, view_of<Space>>;
template <class Value, class Space>
using hyb_view = hyb<Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using bsr_view = bsr<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using csb_view = csb<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using ecsb_view = ecsb<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using gcsb_view = gcsb<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using gcsb_tile_view = gcsb_tile<Offset, Value, view_of<Space>>;

// Defined in cpu/ for the host and in cuda/ for the device, each in the file of its format.
template <class Value, class Space>
kernel_table<coo_view<Value, Space>> kernels_of(const coo<Value, view_of<Space>>&);
template <class Offset, class Value, class Space>
kernel_table<csr_view<Offset, Value, Space>> kernels_of(const csr<Offset, Value, view_of<Space>>&);
template <class Value, class Space>
kernel_table<ell_view<Value, Space>> kernels_of(const ell<Value, view_of<Space>>&);
template <class Offset, class Value, class Space>
kernel_table<sell_view<Offset, Value, Space>> kernels_of(const sell<Offset, Value, view_of<Space>>&);
template <class Value, class Space>
kernel_table<hyb_view<Value, Space>> kernels_of(const hyb<Value, view_of<Space>>&);
template <class Offset, class Value, class Space>
kernel_table<bsr_view<Offset, Value, Space>> kernels_of(const bsr<Offset, Value, view_of<Space>>&);
template <class Offset, class Value, class Space>
kernel_table<csb_view<Offset, Value, Space>> kernels_of(const csb<Offset, Value, view_of<Space>>&);
template <class Offset, class Value, class Space>
kernel_table<ecsb_view<Offset, Value, Space>> kernels_of(const ecsb<Offset, Value, view_of<Space>>&);
template <class Offset, class Value, class Space>
kernel_table<gcsb_view<Offset, Value, Space>> kernels_of(const gcsb<Offset, Value, view_of<Space>>&);
template <class Offset, class Value, class Space>
kernel_table<gcsb_tile_view<Offset, Value, Space>> kernels_of(
    const gcsb_tile<Offset, Value, view_of<Space>>&);

// CSC is how CSR's transpose is stored; it has no kernels of its own.
template <class Offset, class Value, class Space>
kernel_table<csc<Offset, Value, view_of<Space>>> kernels_of(const csc<Offset, Value, view_of<Space>>&) {
  return {};
}

}  // namespace sparsmith
