// The race on a machine: the rules are the tournament's (tournament.hpp); here a matrix is really converted
// to the variants of a field, and their kernels are checked and timed beside one baseline (contest.hpp).
// Takes a plain request, gives plain results (results.hpp), and says on the way what it is doing.
#pragma once

#include "analyze/recommend/tournament.hpp"
#include "convert/convert.hpp"

namespace sparsmith {

// Variants that do not fit are refused in their lines; where 32-bit offsets are what keeps one from fitting,
// it is made with wider ones. Instantiated for both backends and all combinations of types.
template <class Backend, class Offset, class Value>
matrix_result race(Backend on, csr<Offset, Value, view_on<Backend>> matrix, const race_request& request,
                   const progress_text& progress);

// What a conversion takes, from the seconds of several one after the other: the median, as for the products
// that have to pay it back, without the first, which also pays for memory and for loading code.
double settled_seconds(std::vector<double> seconds);

}  // namespace sparsmith
