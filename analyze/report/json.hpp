// Features of a matrix as JSON: schema sparsmith.features/1, described in docs/features.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/structure/features.hpp"

namespace sparsmith {

// Members keep their order. A share of nothing is null, and so are what complex matrices do not have and a
// number that is not finite. Names need not be UTF-8: dump with error_handler_t::replace.
inline constexpr std::int32_t json_grid_side = 64;  // at most; a larger grid is merged
nlohmann::ordered_json to_json(const matrix_features& features, int bins = default_bins);

}  // namespace sparsmith
