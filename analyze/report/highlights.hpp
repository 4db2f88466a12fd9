// What every report picks out of the features of a matrix. A pointer is null, and an optional empty, where
// there is nothing of the kind, or nothing that was possible.
#pragma once

#include <optional>
#include <vector>

#include "analyze/structure/features.hpp"

namespace sparsmith {

// Among the prices.
const format_cost* fewest_bytes(const matrix_features& features, format_kind format);
const format_cost* bsr_of(const matrix_features& features, block_size block);
const format_cost* blocked_of(const matrix_features& features, format_kind format, std::int32_t beta);
const format_cost* smallest_format(const matrix_features& features);  // of those allowed and exact
std::vector<std::int32_t> betas_of(const matrix_features& features);  // that were priced, rising
// Bytes against those of CSR.
std::optional<double> over_csr(const matrix_features& features, const format_cost* cost);

// How many of the entries off the diagonal are `mirrored`, as a share; nothing contradicts a symmetry where
// there are none. Empty where the matrix is not square.
std::optional<double> mirrored_share(const matrix_features& features, std::int64_t mirrored);

}  // namespace sparsmith
