// Kernels that are compiled in files of their own, a family a file, apart from their format's table. The
// table names the templates of their types, and need not know more of them; line_here.hpp is for the kernel's
// file.
#pragma once

#include "kernels/registry.hpp"

namespace sparsmith {

// The line of kernel K for every combination of types: line_of<csr_hybrid, csr_view, device>::on(matrix).
template <template <class Offset, class Value> class K, template <class, class, class> class View,
          class Space>
struct line_of {
  static kernel<View<std::int32_t, float, Space>> on(const View<std::int32_t, float, Space>&);
  static kernel<View<std::int32_t, double, Space>> on(const View<std::int32_t, double, Space>&);
  static kernel<View<std::int64_t, float, Space>> on(const View<std::int64_t, float, Space>&);
  static kernel<View<std::int64_t, double, Space>> on(const View<std::int64_t, double, Space>&);
};

}  // namespace sparsmith
