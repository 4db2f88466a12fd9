// Features of matrices as JSON, as CSV and as one HTML page that needs nothing beside itself.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/structure/features.hpp"

namespace sparsmith {

inline constexpr int default_bins = 20;  // of a linear histogram

// What the tools and the page look up among the prices; null where there is none, or none was possible.
const format_cost* fewest_bytes(const matrix_features& features, std::string_view format);
// Bytes against those of CSR; null where there is no price.
nlohmann::ordered_json over_csr(const matrix_features& features, const format_cost* cost);
const format_cost* bsr_of(const matrix_features& features, block_size block);
const format_cost* blocked_of(const matrix_features& features, std::string_view format, std::int32_t beta);
std::vector<std::int32_t> betas_of(const matrix_features& features);    // that were priced, rising
const format_cost* smallest_format(const matrix_features& features);    // of those allowed and exact
const block_features* fullest_blocks(const matrix_features& features);  // the least fill
// How many of the entries off the diagonal are `mirrored`, as a share; nothing contradicts a symmetry where
// there are none. Null where the matrix is not square.
nlohmann::ordered_json mirrored_share(const matrix_features& features, std::int64_t mirrored);

// Schema sparsmith.features/1, described in docs/features.md; members keep their order. A share of nothing
// is null, and so are what complex matrices do not have and a number that is not finite. Names need not be
// UTF-8: dump with error_handler_t::replace.
inline constexpr std::int32_t json_grid_side = 64;  // at most; a larger grid is merged
nlohmann::ordered_json to_json(const matrix_features& features, int bins = default_bins);

// One line a matrix, without line ends; both must be given the same blocks, and then the columns are the
// same for every matrix. What was not computed is left empty.
using block_sizes = std::vector<block_size>;
std::string csv_header(const block_sizes& blocks = feature_request{}.blocks);
std::string csv_line(const matrix_features& features, const block_sizes& blocks = feature_request{}.blocks);

// A spy plot for either background, as URIs (data:image/png;base64,...); one that is empty is replaced by the
// other, and without both there is no plot.
struct spy_pictures {
  std::string light, dark;
};

// `pictures` belong to the matrices in their order; the last ones may be missing.
std::string html_report(const std::vector<matrix_features>& matrices,
                        const std::vector<spy_pictures>& pictures, int bins = default_bins);

// Chart.js as embed_chart.cmake found it.
const std::string& chart_library();

}  // namespace sparsmith
