// A recommendation with everything that can be asked for: what the tool takes of the face that its users do
// not.
#pragma once

#include "analyze/recommend/recommend.hpp"
#include "tools/library/matrix.hpp"

namespace sparsmith::library {

// For the machine of the request, or where it names none for the one that the matrix is on.
recommendation recommend_as(const matrix& a, const recommend_request& request, const progress_text& progress);

}  // namespace sparsmith::library
