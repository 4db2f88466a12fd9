// Why one way is faster than another, in words that a user of CSR understands: from what the model says each
// part of a product takes, where the model agrees with what was measured.
#pragma once

#include <string>
#include <vector>

#include "analyze/recommend/verdict.hpp"

namespace sparsmith {

// Of the verdict's winner beside staying in CSR, or where that is what won, beside the next format: at most
// two causes, the larger first, or one phrase that says why there is none.
std::vector<std::string> causes_of(const matrix_result& found, const verdict& v);

}  // namespace sparsmith
