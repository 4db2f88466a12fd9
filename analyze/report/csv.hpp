// Features of matrices as CSV, one line a matrix.
#pragma once

#include <string>
#include <vector>

#include "analyze/structure/features.hpp"

namespace sparsmith {

// Without line ends. Both must be given the same blocks, and then the columns are the same for every matrix.
// What was not computed is left empty.
std::string csv_header(const std::vector<block_size>& blocks = feature_request{}.blocks);
std::string csv_line(const matrix_features& features,
                     const std::vector<block_size>& blocks = feature_request{}.blocks);

}  // namespace sparsmith
