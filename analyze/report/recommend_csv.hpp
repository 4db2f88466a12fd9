// A recommendation as CSV, one line a kernel and operation; docs/sprecommend.md says what the columns are.
#pragma once

#include <string>

#include "analyze/recommend/recommendation.hpp"

namespace sparsmith {

// Both end with a line end. What there is not is left empty.
std::string recommendation_csv_header();
std::string recommendation_csv_lines(const recommendation& r, const verdict& v);

}  // namespace sparsmith
