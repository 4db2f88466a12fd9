// Prices in words: what a format_cost says as data, for people.
#pragma once

#include <string>
#include <vector>

#include "analyze/structure/prices.hpp"

namespace sparsmith {

// What tells this price from others of its format, the most telling first: {"4 x 4", "812 blocks"},
// {"beta 32", "hybrid"}; none where a format has one shape only. Without a price: why there is none.
std::vector<std::string> describe(const format_cost& cost);

// All of that in one line; numbers that are lower bounds are called so.
std::string describe_in_one_line(const format_cost& cost);

}  // namespace sparsmith
