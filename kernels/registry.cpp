#include "kernels/registry.hpp"

#include <algorithm>

namespace sparsmith {
namespace {

template <class Backend>
void list_tables(std::vector<listed_kernel>& all) {
  using any = any_format<std::int32_t, double, typename Backend::space::view>;
  const auto list = [&]<class Format>(const Format& none) {
    for (const auto& line : kernels_of(none)) all.push_back({kind_of<Format>(), Backend::name, line.info});
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (list(std::variant_alternative_t<i, any>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<any>>{});
}

}  // namespace

std::vector<listed_kernel> all_kernels() {
  std::vector<listed_kernel> all;
  list_tables<openmp>(all);
  if constexpr (has_cuda) list_tables<cuda>(all);
  std::stable_sort(all.begin(), all.end(),
                   [](const listed_kernel& a, const listed_kernel& b) { return a.format < b.format; });
  return all;
}

}  // namespace sparsmith
