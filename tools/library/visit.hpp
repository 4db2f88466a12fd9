// Lends the plain structs of a matrix: for code of one's own on its arrays.
#pragma once

#include "convert/formats/formats.hpp"
#include "tools/library/matrix.hpp"

namespace sparsmith {

namespace library {
// An any_format<Offset, Value, view_of<Space>> of the matrix's own types.
const void* views_of(const matrix& a);

template <class Offset, class Value, class Space, class Use>
decltype(auto) visit_as(const matrix& a, Use&& use) {
  return std::visit(std::forward<Use>(use),
                    *static_cast<const any_format<Offset, Value, view_of<Space>>*>(views_of(a)));
}
template <class Space, class Use>
decltype(auto) visit_in(const matrix& a, Use&& use) {
  const bool wide = a.offset_bits() == 64, single = a.value_bits() == 32;
  if (wide && single) return visit_as<std::int64_t, float, Space>(a, std::forward<Use>(use));
  if (wide) return visit_as<std::int64_t, double, Space>(a, std::forward<Use>(use));
  if (single) return visit_as<std::int32_t, float, Space>(a, std::forward<Use>(use));
  return visit_as<std::int32_t, double, Space>(a, std::forward<Use>(use));
}
}  // namespace library

// use(view) with the one of `csr<std::int32_t, double, view_of<host>>`, ... that the matrix is: it must take
// all of them and return the same type. Views of `view_of<device>` show memory of the GPU. They hold as long
// as the matrix or a copy of it lives.
template <class Use>
decltype(auto) visit(const matrix& a, Use&& use) {
  return a.on_gpu() ? library::visit_in<device>(a, std::forward<Use>(use))
                    : library::visit_in<host>(a, std::forward<Use>(use));
}

// For one that is known to be, say, a csr<std::int32_t, double, view_of<host>>; null where it is anything
// else.
template <class Format>
const Format* view_as(const matrix& a) {
  return visit(a, [](const auto& m) -> const Format* {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(m)>, Format>)
      return &m;
    else
      return nullptr;
  });
}

}  // namespace sparsmith
