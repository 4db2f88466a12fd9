// The kernels there are: as a list, and those that were asked for by name.
#pragma once

#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "tools/tool.hpp"

namespace sparsmith {

// The formats of these kernels. One that does not exist, or not on this backend, is refused; `option` is what
// names were typed for, `all` is what there is.
std::vector<format_kind> formats_of_kernels(const std::string& option, const std::vector<std::string>& names,
                                            const std::vector<listed_kernel>& all,
                                            const std::string& backend);

// The word `vendor` among the names stands for all of the vendor's kernels; refused where there are none.
std::vector<std::string> with_vendors_named(const std::string& option, std::vector<std::string> names,
                                            const std::vector<listed_kernel>& all,
                                            const std::string& backend);

// All kernels of all formats, with their backends, products and sources; schema sparsmith.kernels/1.
json kernels_as_json(const std::vector<listed_kernel>& all);
std::string kernels_as_text(const std::vector<listed_kernel>& all, int width);

}  // namespace sparsmith
