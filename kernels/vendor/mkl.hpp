// MKL's products on the CPU, as lines for the tables of their formats; none where the build did not find MKL.
#pragma once

#include "kernels/registry.hpp"
#include "kernels/vendor/refusals.hpp"

namespace sparsmith {

// What it refuses by what is known of a matrix before it is made.
inline std::string mkl_refuses_coo(const matrix_outline& known) {
  return refuses_many_entries("MKL", known);
}
inline std::string mkl_refuses_bsr(const matrix_outline& known) {
  return refuses_blocks("MKL", known);
}

#if SPARSMITH_HAS_MKL
std::string mkl_version();  // "MKL 2026.2"
template <class Value>
kernel_table<coo_view<Value, host>> mkl_coo_kernels();
template <class Offset, class Value>
kernel_table<csr_view<Offset, Value, host>> mkl_csr_kernels();
template <class Offset, class Value>
kernel_table<bsr_view<Offset, Value, host>> mkl_bsr_kernels();
#else
inline std::string mkl_version() {
  return {};
}
template <class Value>
kernel_table<coo_view<Value, host>> mkl_coo_kernels() {
  return {};
}
template <class Offset, class Value>
kernel_table<csr_view<Offset, Value, host>> mkl_csr_kernels() {
  return {};
}
template <class Offset, class Value>
kernel_table<bsr_view<Offset, Value, host>> mkl_bsr_kernels() {
  return {};
}
#endif

// Our lines, and the vendor's behind them.
template <class Matrix>
kernel_table<Matrix> with_vendor(kernel_table<Matrix> ours, const kernel_table<Matrix>& vendors) {
  ours.insert(ours.end(), vendors.begin(), vendors.end());
  return ours;
}

}  // namespace sparsmith
