// Lends the plain structs of a matrix: for code of one's own on its arrays.
#pragma once

#include "convert/error.hpp"
#include "convert/formats/complex.hpp"
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
template <class Single, class Double, class Space, class Use>
decltype(auto) visit_in(const matrix& a, Use&& use) {
  const bool wide = a.offset_bits() == 64, single = a.value_bits() == int{sizeof(Single)} * 8;
  if (wide && single) return visit_as<std::int64_t, Single, Space>(a, std::forward<Use>(use));
  if (wide) return visit_as<std::int64_t, Double, Space>(a, std::forward<Use>(use));
  if (single) return visit_as<std::int32_t, Single, Space>(a, std::forward<Use>(use));
  return visit_as<std::int32_t, Double, Space>(a, std::forward<Use>(use));
}
}  // namespace library

// use(view) with the one of `csr<std::int32_t, double, view_of<host>>`, ... that the matrix is: it must take
// all of them and return the same type. Views of `view_of<device>` show memory of the GPU. They hold as long
// as the matrix or a copy of it lives. Those of complex values have a door of their own, so that code for
// real ones need not take them.
template <class Use>
decltype(auto) visit(const matrix& a, Use&& use) {
  if (a.complex_values())
    throw error(failure::usage, "the matrix holds complex values: visit_complex shows its arrays");
  return a.on_gpu() ? library::visit_in<float, double, device>(a, std::forward<Use>(use))
                    : library::visit_in<float, double, host>(a, std::forward<Use>(use));
}
template <class Use>
decltype(auto) visit_complex(const matrix& a, Use&& use) {
  if (!a.complex_values())
    throw error(failure::usage, "the matrix holds real values: visit shows its arrays");
  return a.on_gpu() ? library::visit_in<complex64, complex128, device>(a, std::forward<Use>(use))
                    : library::visit_in<complex64, complex128, host>(a, std::forward<Use>(use));
}

// For one that is known to be, say, a csr<std::int32_t, double, view_of<host>>; null where it is anything
// else.
template <class Format>
const Format* view_as(const matrix& a) {
  const auto of_its_type = [](const auto& m) -> const Format* {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(m)>, Format>)
      return &m;
    else
      return nullptr;
  };
  constexpr bool complex = is_complex<typename Format::value_type>;
  if (a.complex_values() != complex) return nullptr;
  if constexpr (complex)
    return visit_complex(a, of_its_type);
  else
    return visit(a, of_its_type);
}

}  // namespace sparsmith
