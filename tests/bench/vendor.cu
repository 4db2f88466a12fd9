// What the vendor's library takes, for comparison.
#include <cusparse.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "convert/backend/cuda_check.hpp"
#include "tests/bench/vendor.hpp"

// cusparse?csr2bsr is deprecated without a successor; it is the peer all the same.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress 1444

namespace sparsmith {
namespace {

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw error(failure::device, std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}

double median_seconds(int samples, const std::function<void()>& work) {
  cudaEvent_t start, stop;
  check_cuda(cudaEventCreate(&start));
  check_cuda(cudaEventCreate(&stop));
  std::vector<double> seconds;
  for (int i = 0; i < samples + 5; ++i) {
    check_cuda(cudaEventRecord(start));
    work();
    check_cuda(cudaEventRecord(stop));
    check_cuda(cudaEventSynchronize(stop));
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start, stop));
    if (i >= 5) seconds.push_back(milliseconds / 1e3);
  }
  check_cuda(cudaEventDestroy(start));
  check_cuda(cudaEventDestroy(stop));
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace

double cusparse_spmv_seconds(const csr<std::int32_t, float, device>& m, int samples) {
  cusparseHandle_t handle;
  check(cusparseCreate(&handle));
  array<float, device> x(m.cols), y(m.rows);
  check_cuda(cudaMemset(x.data(), 0x3f, static_cast<std::size_t>(x.size()) * 4));
  double best = 1e30;
  for (const auto algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vx, vy;
    check(cusparseCreateCsr(
        &a, m.rows, m.cols, m.values.size(), const_cast<std::int32_t*>(m.row_offsets.data()),
        const_cast<std::int32_t*>(m.col_indices.data()), const_cast<float*>(m.values.data()),
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    check(cusparseCreateDnVec(&vx, m.cols, x.data(), CUDA_R_32F));
    check(cusparseCreateDnVec(&vy, m.rows, y.data(), CUDA_R_32F));
    const float one = 1, zero = 0;
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy,
                                  CUDA_R_32F, algorithm, &bytes));
    array<char, device> buffer(static_cast<std::int64_t>(bytes));
    check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy,
                                  CUDA_R_32F, algorithm, buffer.data()));
    best = std::min(best, median_seconds(samples, [&] {
                      check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vx, &zero, vy,
                                         CUDA_R_32F, algorithm, buffer.data()));
                    }));
    check(cusparseDestroySpMat(a));
    check(cusparseDestroyDnVec(vx));
    check(cusparseDestroyDnVec(vy));
  }
  check(cusparseDestroy(handle));
  return best;
}

double cusparse_csr_to_bsr_seconds(const csr<std::int32_t, float, device>& m, int block, int samples) {
  cusparseHandle_t handle;
  check(cusparseCreate(&handle));
  cusparseMatDescr_t description;
  check(cusparseCreateMatDescr(&description));
  const int block_rows = (m.rows + block - 1) / block;
  array<std::int32_t, device> offsets(block_rows + 1);
  int blocks = 0;
  const auto count = [&] {
    check(cusparseXcsr2bsrNnz(handle, CUSPARSE_DIRECTION_ROW, m.rows, m.cols, description,
                              m.row_offsets.data(), m.col_indices.data(), block, description, offsets.data(),
                              &blocks));
  };
  count();
  array<std::int32_t, device> cols(blocks);
  array<float, device> values(std::int64_t{blocks} * block * block);
  const double seconds = median_seconds(samples, [&] {
    count();
    check(cusparseScsr2bsr(handle, CUSPARSE_DIRECTION_ROW, m.rows, m.cols, description, m.values.data(),
                           m.row_offsets.data(), m.col_indices.data(), block, description, values.data(),
                           offsets.data(), cols.data()));
  });
  check(cusparseDestroyMatDescr(description));
  check(cusparseDestroy(handle));
  return seconds;
}

}  // namespace sparsmith
