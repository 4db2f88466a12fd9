// Which code a table's line runs, told by the C++ type that its prepared kernel is bound to: a line's name is
// a string that could stand beside any code.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "kernels/kernel.hpp"

namespace sparsmith::testing {

// A part of the type's name by which every kernel is known. A new kernel gets a line here.
inline const std::map<std::string, std::string>& code_of_kernels() {
  static const std::map<std::string, std::string> code = {
      // OpenMP
      {"coo/omp", "::coo_omp<"},
      {"csr/omp", "::csr_omp<"},
      {"ell/omp", "::ell_omp<"},
      {"sell/omp", "::sell_omp<"},
      {"hyb/omp", "::hyb_omp<"},
      {"dia/omp", "::dia_omp<"},
      {"csr/half-omp", "::csr_half_omp<"},
      {"dia/half-omp", "::dia_half_omp<"},
      {"bsr/half-omp", "::bsr_half_omp<"},
      {"gcsb/tile-half-omp", "::gcsb_tile_half_omp<"},
      {"csb/omp", "::csb_walk<"},
      {"ecsb/omp", "::ecsb_walk<"},
      {"gcsb/omp", "::gcsb_walk<"},
      {"gcsb/tile-omp", "::gcsb_tile_walk<"},
      {"bsr/granular-row", "::granular_row,"},
      {"bsr/intra-row-naive", "::intra_row_naive,"},
      {"bsr/intra-row", "::intra_row_improved,"},
      {"bsr/max-task", "::max_task,"},
      {"bsr/fixed-task", "::fixed_task,"},
      {"bsr/preprocessed", "::bsr_preprocessed<"},
      {"csr/mkl", "::csr_mkl<"},
      {"coo/mkl", "::coo_mkl<"},
      {"bsr/mkl", "::bsr_mkl<"},
      // CUDA; the schedules of COO and the holdings of eCSB are numbers
      {"coo/atomic", "::coo_kernel<0,"},
      {"coo/stride-1", "::coo_kernel<1,"},
      {"coo/stride-warp", "::coo_kernel<2,"},
      {"coo/stride-block", "::coo_kernel<3,"},
      {"coo/stride-grid", "::coo_kernel<4,"},
      {"coo/scan-32", "::coo_kernel<5,"},
      {"coo/scan-1024", "::coo_kernel<6,"},
      {"coo/segscan-32", "::coo_kernel<7,"},
      {"coo/segscan-1024", "::coo_kernel<8,"},
      {"coo/segscan-32-block", "::coo_kernel<9,"},
      {"csr/thread", "::csr_thread<"},
      {"csr/warp", "::csr_warp<"},
      {"csr/bins", "::csr_bins<"},
      {"csr/hybrid", "::csr_hybrid<"},
      {"csr/vector", "::csr_vector<"},
      {"ell/thread", "::ell_thread<"},
      {"ell/split", "::ell_split<"},
      {"sell/thread", "::sell_thread<"},
      {"sell/split", "::sell_split<"},
      {"hyb/thread", "::hyb_thread<"},
      {"dia/rows", "::dia_rows<"},
      {"csr/half", "::csr_half_vector<"},
      {"dia/half", "::dia_half_rows<"},
      {"bsr/half", "::bsr_half_rows<"},
      {"gcsb/tile-half", "::gcsb_tile_half_both<"},
      {"ecsb/coo", "::ecsb_kernel<(sparsmith::ecsb_holding)0,"},
      {"ecsb/ell", "::ecsb_kernel<(sparsmith::ecsb_holding)1,"},
      {"ecsb/hyb", "::ecsb_kernel<(sparsmith::ecsb_holding)2,"},
      {"csb/block", "::csb_block<"},
      {"gcsb/lane", "::gcsb_lane<"},
      {"gcsb/tile", "::gcsb_tile_kernel<"},
      {"gcsb/tile-both", "::gcsb_tile_both<"},
      {"coo/both", "::coo_both<"},
      {"bsr/row-major", "::bsr_row_major<"},
      {"bsr/private", "::bsr_private<"},
      {"bsr/team", "::bsr_team<"},
      {"bsr/unrolled", "::bsr_unrolled<"},
      {"bsr/stream", "::bsr_stream<"},
      {"bsr/both", "::bsr_both<"},
      {"csr/cusparse-alg1", "::csr_way_1<"},
      {"csr/cusparse-alg2", "::csr_way_2<"},
      {"csr/cusparse-op1", "::spmvop_1<"},
      {"csr/cusparse-op2", "::spmvop_2<"},
      {"coo/cusparse-alg1", "::coo_way_1<"},
      {"coo/cusparse-alg2", "::coo_way_2<"},
      {"sell/cusparse", "::sell_way<"},
      {"bsr/cusparse", "::bsr_way<"},
      {"bsr/cusparse-bsrmv", "::bsrmv<"}};
  return code;
}

// The type behind a prepared kernel, as a person would write it.
template <class Value>
std::string code_behind(const prepared_kernel<Value>& ready) {
  int status = 0;
  const char* const name = ready.run.target_type().name();
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? readable.get() : name;
}

// Whether that is what the name stands for; no for a name that is not listed above. CSC runs what CSR runs.
template <class Value>
bool runs_code_of(std::string name, const prepared_kernel<Value>& ready) {
  if (name.starts_with("csc/")) name.replace(0, 3, "csr");
  const auto known = code_of_kernels().find(name);
  return known != code_of_kernels().end() && code_behind(ready).find(known->second) != std::string::npos;
}

}  // namespace sparsmith::testing
