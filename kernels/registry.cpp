#include "kernels/registry.hpp"

#include <algorithm>

namespace sparsmith {
namespace {

template <class Backend, class Value>
void list_tables(std::vector<listed_kernel>& all) {
  using any = any_format<std::int32_t, Value, typename Backend::space::view>;
  const auto list = [&]<class Format>(const Format& none) {
    if constexpr (has_kernel_table<Format>)
      for (const auto& line : kernels_of(none)) all.push_back({kind_of<Format>(), Backend::name, line.info});
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (list(std::variant_alternative_t<i, any>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<any>>{});
}

}  // namespace

std::vector<listed_kernel> all_kernels(bool of_complex_values) {
  std::vector<listed_kernel> all;
  const auto list = [&]<class Value>(Value) {
    list_tables<openmp, Value>(all);
    if constexpr (has_cuda) list_tables<cuda, Value>(all);
  };
  of_complex_values ? list(complex128{}) : list(double{});
  std::stable_sort(all.begin(), all.end(),
                   [](const listed_kernel& a, const listed_kernel& b) { return a.format < b.format; });
  return all;
}

}  // namespace sparsmith
