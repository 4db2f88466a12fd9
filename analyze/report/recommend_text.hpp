// A recommendation as text for a terminal: the verdict first, then why, what else there is and what to do,
// then everybody who took part.
#pragma once

#include <string>
#include <vector>

#include "analyze/recommend/recommendation.hpp"

namespace sparsmith {

// No line of prose is wider than that, down to 40 columns; lines of code stay whole. The verdict must be of
// this recommendation. By default the verdict, why, when it is repaid, the five best of each product and what
// to do; with `everything` also what else there is, and everybody who took part or did not.
std::string recommendation_as_text(const recommendation& r, const verdict& v, int width = 80,
                                   bool everything = false);

// A table with a line a matrix. The verdicts are those of the recommendations, in the same order.
std::string recommendations_compared(const std::vector<recommendation>& all,
                                     const std::vector<verdict>& verdicts, int width = 80);

}  // namespace sparsmith
