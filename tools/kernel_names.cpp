#include "tools/kernel_names.hpp"

#include <fmt/format.h>

#include "convert/error.hpp"
#include "convert/nearest_names.hpp"
#include "tools/tool.hpp"

namespace sparsmith {

std::vector<format_kind> formats_of_kernels(const std::string& option, const std::vector<std::string>& names,
                                            const std::vector<listed_kernel>& all,
                                            const std::string& backend) {
  std::vector<format_kind> formats;
  for (const std::string& name : names) {
    std::vector<std::string> known;
    std::string elsewhere;
    bool found = false;
    for (const listed_kernel& k : all) {
      known.emplace_back(k.info.name);
      if (k.info.name != name) continue;
      if (k.backend == backend) {
        found = true;
        formats.push_back(k.format);
      } else {
        elsewhere = k.backend;
      }
    }
    if (found) continue;
    if (!elsewhere.empty())
      throw error(failure::usage,
                  fmt::format("{} {}: runs on {}, not on {}", option, name, elsewhere, backend));
    throw error(failure::usage, fmt::format("{} {}: no such kernel{}; near it: {}", option, name,
                                            has_cuda ? "" : " in this build, which has none for CUDA",
                                            fmt::join(nearest_names(name, known), ", ")));
  }
  return formats;
}

}  // namespace sparsmith
