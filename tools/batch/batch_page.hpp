// A batch's results as one page: the main figures, charts with their numbers, and a table of all matrices
// that opens each one's own. Made for thousands of rows: what is not seen is not drawn, and the figures of a
// matrix stay text until they are asked for.
#pragma once

#include <string>

#include "analyze/report/html.hpp"
#include "tools/batch/summary.hpp"

namespace sparsmith {

std::string batch_page(const batch_summary& summary, const html::page_origin& origin = {});

}  // namespace sparsmith
