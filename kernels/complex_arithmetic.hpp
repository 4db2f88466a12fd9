// What kernels do with complex values, by the rule of school: a product of infinities may be NaN, as BLAS and
// the vendors' libraries have it, where std::complex would look again.
#pragma once

#include "convert/formats/complex.hpp"

namespace sparsmith {

template <class Part>
SPARSMITH_HOST_DEVICE constexpr complex_number<Part> operator+(complex_number<Part> a,
                                                               complex_number<Part> b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
template <class Part>
SPARSMITH_HOST_DEVICE constexpr complex_number<Part> operator*(complex_number<Part> a,
                                                               complex_number<Part> b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
template <class Part>
SPARSMITH_HOST_DEVICE constexpr complex_number<Part>& operator+=(complex_number<Part>& a,
                                                                 complex_number<Part> b) {
  return a = a + b;
}
template <class Part>
SPARSMITH_HOST_DEVICE constexpr bool operator==(complex_number<Part> a, complex_number<Part> b) {
  return a.real == b.real && a.imaginary == b.imaginary;
}
template <class Part>
SPARSMITH_HOST_DEVICE constexpr complex_number<Part> conjugate(complex_number<Part> a) {
  return {a.real, -a.imaginary};
}

}  // namespace sparsmith
