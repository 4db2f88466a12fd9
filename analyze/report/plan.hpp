// What the formats would cost a matrix, as a table and as JSON: what `spconv --plan` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyze/structure/format_cost.hpp"

namespace sparsmith {

std::string plan_as_text(const std::vector<format_cost>& prices, std::int64_t csr_bytes, int width);
// A list with an object a price, in the same order.
nlohmann::ordered_json plan_as_json(const std::vector<format_cost>& prices);

}  // namespace sparsmith
