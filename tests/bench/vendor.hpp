#pragma once

#include "convert/formats/csr.hpp"

namespace sparsmith {

// Medians of cuSPARSE on device-resident arrays: y = A x with the better of its two CSR algorithms,
// preprocessing not timed; and CSR to BSR, counting and filling, allocation not timed.
double cusparse_spmv_seconds(const csr<std::int32_t, float, device>& matrix, int samples);
double cusparse_csr_to_bsr_seconds(const csr<std::int32_t, float, device>& matrix, int block, int samples);

}  // namespace sparsmith
