// A batch's summary in short: for a terminal, and as JSON.
#pragma once

#include <string>

#include "tools/batch/summary.hpp"

namespace sparsmith {

// No line is wider than `width`, which is at least 40.
std::string summary_as_text(const batch_summary& summary, int width);
json summary_as_json(const batch_summary& summary);

// Where profiles are told: factors of the best.
inline constexpr double profile_factors[] = {1, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10};

}  // namespace sparsmith
