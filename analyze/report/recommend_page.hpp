// Recommendations as one HTML page that needs nothing beside itself.
#pragma once

#include <string>
#include <vector>

#include "analyze/recommend/recommendation.hpp"
#include "analyze/report/html.hpp"

namespace sparsmith {

// A verdict for each recommendation, in the same order and made from its `found`.
std::string recommendation_page(const std::vector<recommendation>& all, const std::vector<verdict>& verdicts,
                                const html::page_origin& origin = {});

}  // namespace sparsmith
