// Symmetric matrices of which a file lists both triangles, although one is enough.
#pragma once

#include "convert/io/entries.hpp"

namespace sparsmith {

// Positions of the lower triangle that are stored together with their mirror image in the upper one. What a
// symmetric matrix has there is the sum of both, which its writer probably did not mean.
std::int64_t count_stored_twice(const coo<double, host>& entries);

}  // namespace sparsmith
