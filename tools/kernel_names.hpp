// The kernels that were asked for by name, in the tools that run them.
#pragma once

#include <string>
#include <vector>

#include "kernels/registry.hpp"

namespace sparsmith {

// The formats of these kernels. One that does not exist, or not on this backend, is refused; `option` is what
// names were typed for, `all` is what there is.
std::vector<format_kind> formats_of_kernels(const std::string& option, const std::vector<std::string>& names,
                                            const std::vector<listed_kernel>& all,
                                            const std::string& backend);

}  // namespace sparsmith
