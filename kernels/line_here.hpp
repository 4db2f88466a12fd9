// What a kernel's own file includes to compile its line, for all combinations of types at once:
//   template struct line_of<csr_hybrid, csr_view, device>;
#pragma once

#include "kernels/line.hpp"

namespace sparsmith {

template <template <class, class> class K, template <class, class, class> class View, class Space>
kernel<View<std::int32_t, float, Space>> line_of<K, View, Space>::on(
    const View<std::int32_t, float, Space>&) {
  return kernel_of<K<std::int32_t, float>>();
}
template <template <class, class> class K, template <class, class, class> class View, class Space>
kernel<View<std::int32_t, double, Space>> line_of<K, View, Space>::on(
    const View<std::int32_t, double, Space>&) {
  return kernel_of<K<std::int32_t, double>>();
}
template <template <class, class> class K, template <class, class, class> class View, class Space>
kernel<View<std::int64_t, float, Space>> line_of<K, View, Space>::on(
    const View<std::int64_t, float, Space>&) {
  return kernel_of<K<std::int64_t, float>>();
}
template <template <class, class> class K, template <class, class, class> class View, class Space>
kernel<View<std::int64_t, double, Space>> line_of<K, View, Space>::on(
    const View<std::int64_t, double, Space>&) {
  return kernel_of<K<std::int64_t, double>>();
}

}  // namespace sparsmith
