// The vendor's products, as lines for the tables of their formats, so that they are run, checked and timed as
// ours are; `info.vendor` keeps them apart.
#pragma once

#include "kernels/registry.hpp"

namespace sparsmith {

// What kind of failure a cusparseStatus_t other than success is. Too little memory, and what cuSPARSE does
// not take, is one kernel's refusal, not a broken device. The numbers are cuSPARSE's, and are compared with
// its header where that is included.
constexpr failure cusparse_failure(int status) {
  constexpr int allocation_failed = 2, invalid_value = 3, not_supported = 10, insufficient_resources = 11;
  if (status == allocation_failed || status == insufficient_resources) return failure::resources;
  return status == invalid_value || status == not_supported ? failure::unsupported : failure::device;
}

template <class Value>
kernel_table<coo_view<Value, device>> cusparse_coo_kernels();
template <class Offset, class Value>
kernel_table<csr_view<Offset, Value, device>> cusparse_csr_kernels();
template <class Offset, class Value>
kernel_table<sell_view<Offset, Value, device>> cusparse_sell_kernels();
template <class Offset, class Value>
kernel_table<bsr_view<Offset, Value, device>> cusparse_bsr_kernels();

}  // namespace sparsmith
