// Prices in words: what a format_cost says as data, for people.
#pragma once

#include <string>
#include <vector>

#include "analyze/structure/prices.hpp"

namespace sparsmith {

// What tells this price from others of its format, the most telling first: {"4 x 4", "812 blocks"},
// {"beta 32", "hybrid"}; none where a format has one shape only. Without a price: why there is none.
// Digits are grouped for people; what programs may split at commas has plain ones.
enum class digits { grouped, plain };
std::vector<std::string> describe(const format_cost& cost, digits shown = digits::grouped);

// The same of a matrix that was made, from the sizes it carries, in the words they are typed with.
std::vector<std::string> describe(format_kind format, const format_parameters& parameters);

// The format and the most telling of that: "csb beta 256", "bsr 5 x 5", "csr".
std::string name_with_shape(const format_cost& cost);

// All of a price in one line; numbers that are lower bounds are called so.
std::string describe_in_one_line(const format_cost& cost, digits shown = digits::grouped);

}  // namespace sparsmith
