// Complex numbers as formats store them: two parts side by side, as in C, Fortran and NumPy. A type of its
// own, because std::complex has no arithmetic on a GPU, and products of it look for infinities that no sum
// here does.
#pragma once

#include "convert/backend/memory.hpp"

namespace sparsmith {

template <class Part>
struct complex_number {
  using part_type = Part;
  Part real = 0, imaginary = 0;

  // Both zeros are zero, as with real numbers.
  SPARSMITH_HOST_DEVICE bool is_zero() const { return real == 0 && imaginary == 0; }
};

// Named by their bytes in bits, as NumPy does.
using complex64 = complex_number<float>;
using complex128 = complex_number<double>;

template <class Value>
inline constexpr bool is_complex = false;
template <class Part>
inline constexpr bool is_complex<complex_number<Part>> = true;

// Of a value or of its parts: float or double.
template <class Value>
struct part_of_value {
  using type = Value;
};
template <class Part>
struct part_of_value<complex_number<Part>> {
  using type = Part;
};

}  // namespace sparsmith
