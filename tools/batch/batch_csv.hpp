// A batch's results as CSV: results.csv has a line a matrix, contestants.csv one for every kernel and product
// that took part and for every format that was not made. docs/collection.md explains the columns.
#pragma once

#include <string>

#include "tools/batch/summary.hpp"

namespace sparsmith {

// With their headers. What is not known is left empty.
std::string results_csv(const batch_summary& summary);
std::string contestants_csv(const batch_summary& summary);

}  // namespace sparsmith
