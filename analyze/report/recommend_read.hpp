// A recommendation read back from the JSON that recommend_json.hpp writes, so that whoever reports on many of
// them, later and on another machine, draws his conclusions with verdict.hpp and nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/recommend/recommendation.hpp"

namespace sparsmith {

// All that verdict_of takes, and what makes the formats; a document of sparsmith.recommend/1 is understood
// too. What a document does not have is not read: the baseline's times, the work of kernels and their
// descriptions; of the features only sizes and the lengths of rows that verdict_context has. Kernels need not
// be known to this build. Throws failure::input where it is no such document, or names a format, a product or
// a variant that does not exist.
recommendation read_recommendation(const nlohmann::ordered_json& document);

}  // namespace sparsmith
