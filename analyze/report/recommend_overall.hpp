// What exhaustive runs come to, of one matrix or over several: the best of ours beside the vendor's in all
// its formats, and the best of ours in each format beside the baseline.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyze/recommend/recommendation.hpp"

namespace sparsmith {

// Over so many matrices as were asked for: one that could not be measured is one that ours is not ahead on.
// Empty where there is neither a vendor nor a second matrix.
std::string overall_as_text(const std::vector<recommendation>& all, std::size_t asked, int width = 80);

// Null where nothing was measured.
nlohmann::ordered_json overall_as_json(const std::vector<recommendation>& all, std::size_t asked);

}  // namespace sparsmith
