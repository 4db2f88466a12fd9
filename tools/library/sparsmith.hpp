// The library's face: read or borrow a matrix, ask which format it should be in, convert it, multiply. For
// the arrays themselves there is visit.hpp.
#pragma once

#include "tools/library/advice.hpp"
#include "tools/library/matrix.hpp"
#include "tools/library/reorder.hpp"
#include "tools/library/structure.hpp"
