// The vendor's products, as lines for the tables of their formats, so that they are run, checked and timed as
// ours are; `info.vendor` keeps them apart.
#pragma once

#include "kernels/registry.hpp"

namespace sparsmith {

template <class Value>
kernel_table<coo_view<Value, device>> cusparse_coo_kernels();
template <class Offset, class Value>
kernel_table<csr_view<Offset, Value, device>> cusparse_csr_kernels();
template <class Offset, class Value>
kernel_table<sell_view<Offset, Value, device>> cusparse_sell_kernels();
template <class Offset, class Value>
kernel_table<bsr_view<Offset, Value, device>> cusparse_bsr_kernels();

}  // namespace sparsmith
