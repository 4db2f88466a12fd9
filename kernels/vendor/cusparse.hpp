// The vendor's products, as lines for the tables of their formats, so that they are run, checked and timed as
// ours are; `info.vendor` keeps them apart.
#pragma once

#include "kernels/registry.hpp"
#include "kernels/vendor/refusals.hpp"

namespace sparsmith {

// What kind of failure a cusparseStatus_t other than success is. Too little memory, and what cuSPARSE does
// not take, is one kernel's refusal, not a broken device. The numbers are cuSPARSE's, and are compared with
// its header where that is included.
constexpr failure cusparse_failure(int status) {
  constexpr int allocation_failed = 2, invalid_value = 3, not_supported = 10, insufficient_resources = 11;
  if (status == allocation_failed || status == insufficient_resources) return failure::resources;
  return status == invalid_value || status == not_supported ? failure::unsupported : failure::device;
}

std::string cusparse_version();  // "cuSPARSE 12.6.3": of the library that is loaded

// What it refuses by what is known of a matrix before it is made.
inline std::string cusparse_refuses_coo(const matrix_outline& known) {
  return refuses_many_entries("cuSPARSE", known);
}
inline std::string cusparse_refuses_sell(const matrix_outline& known) {
  return known.rows_in_order ? ""
                             : "cuSPARSE's SELL keeps rows in their order, and these are sorted by length";
}
inline std::string cusparse_refuses_bsr(const matrix_outline& known, std::int32_t least_side) {
  if (known.block.rows == known.block.cols && known.block.rows < least_side)
    return "bsrmv takes blocks of side 2 or more";
  return refuses_blocks("cuSPARSE", known);
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
