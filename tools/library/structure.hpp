// What a matrix is like and what the formats would cost, from the structure alone: nothing is converted or
// run.
#pragma once

#include "analyze/structure/matrix_features.hpp"
#include "tools/library/matrix.hpp"

namespace sparsmith {

matrix_features features(const matrix& a, const feature_request& request = {});
std::vector<format_cost> plan(const matrix& a, const plan_request& request = {});

}  // namespace sparsmith
