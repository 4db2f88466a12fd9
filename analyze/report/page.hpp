// Features of matrices as one HTML page that needs nothing beside itself.
#pragma once

#include <string>
#include <vector>

#include "analyze/report/html.hpp"
#include "analyze/report/spy.hpp"
#include "analyze/structure/features.hpp"

namespace sparsmith {

// The cells of a spy plot for either background, as URIs (data:image/png;base64,...); one that is empty is
// replaced by the other, and without both there is no plot. The numbers around them are text of the page.
struct spy_pictures {
  std::string light, dark;
};
// How large that is for such a matrix at the most: a grid as fine as that is drawn cell by cell.
spy_options page_spy(std::int64_t rows, std::int64_t cols);
spy_pictures draw_spy_pictures(const matrix_features& features);

// `pictures` belong to the matrices in their order; the last ones may be missing.
std::string html_report(const std::vector<matrix_features>& matrices,
                        const std::vector<spy_pictures>& pictures, const html::page_origin& origin = {},
                        int bins = default_bins);

}  // namespace sparsmith
