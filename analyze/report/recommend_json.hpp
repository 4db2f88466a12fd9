// A recommendation as JSON: schema sparsmith.recommend/2, described in docs/sprecommend.md and, for programs,
// in docs/recommend.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/recommend/recommendation.hpp"

namespace sparsmith {

// Members keep their order. A number that is not finite is null, and so is what was not measured; `verdict`
// is null where nothing ran. Names need not be UTF-8: dump with error_handler_t::replace.
nlohmann::ordered_json to_json(const recommendation& r, const verdict& v);

}  // namespace sparsmith
