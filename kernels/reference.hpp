// The product every kernel is checked against: in 64-bit floats, each sum in the order of the entries
// whatever the number of threads, with a bound on what rounding may do. It shares no code with what it
// checks.
//
// A sum of k products in any order, rounded at every step to unit u = epsilon / 2, is off by at most about (k
// + 1) u times the sum of the magnitudes; alpha, beta and the last addition round three more times. So the
// bound of output i is (k_i + 4) epsilon (|alpha| sum |a_ij x_j| + |beta y_i|), and a little for results
// below the smallest normal number; the reference itself, in 64 bits, needs no more room than what is left
// from u to epsilon. A kernel that takes prefix sums over n entries (kernel_info::rounding_neighbours) adds
// and takes off sums that hold the n entries before and after: each is off by log2(n) roundings of their
// magnitudes, and so is y while they are in it. What A^T (A x) may be off by is that of A x, brought through
// A^T, and that of the second product.
#pragma once

#include <cmath>

#include "kernels/kernel.hpp"

namespace sparsmith {

struct reference_product {
  array<double, host> y, bound;
};

template <class Offset, class Value>
reference_product multiply_reference(const csr<Offset, Value, view_of<host>>& matrix, operation op,
                                     Value alpha, const Value* x, Value beta, const Value* y,
                                     std::int32_t neighbours = 0);
template <class Offset, class Value>
reference_product multiply_reference(const csr<Offset, Value, host>& matrix, operation op, Value alpha,
                                     const Value* x, Value beta, const Value* y,
                                     std::int32_t neighbours = 0) {
  return multiply_reference<Offset, Value>(view(matrix), op, alpha, x, beta, y, neighbours);
}

// Widens the bounds of such a product, made without neighbours, to those of a kernel that has them.
template <class Offset, class Value>
void allow_for_neighbours(const csr<Offset, Value, view_of<host>>& matrix, operation op, Value alpha,
                          const Value* x, std::int32_t neighbours, reference_product& known);

// The same of complex values, in 128 bits, by entries of each output one after the other. A part of a product
// is off by no more than three roundings of |a| |x|, and sums and factors round both parts: so the bound of
// either part of output i is (k_i + 8) epsilon (|alpha| sum |a_ij| |x_j| + |beta| |y_i|).
struct complex_reference {
  array<complex128, host> y;
  array<double, host> bound;
};
template <class Offset, class Part>
complex_reference multiply_complex_reference(const csr<Offset, complex_number<Part>, view_of<host>>& matrix,
                                             operation op, complex_number<Part> alpha,
                                             const complex_number<Part>* x, complex_number<Part> beta,
                                             const complex_number<Part>* y);

// Whether a result is within the bound; NaN and infinities must be the same.
SPARSMITH_HOST_DEVICE inline bool within(double result, double expected, double bound) {
  if (std::isnan(expected)) return std::isnan(result);
  if (std::isinf(expected)) return result == expected;
  return std::fabs(result - expected) <= bound;
}

// What came of comparing outputs with a reference.
struct reference_comparison {
  std::int64_t wrong = 0, first = 0;  // outputs that are not within their bounds, and the first of them
  double error = 0;                   // the largest, as a share of the bound
};
// Everything is where the backend works, and what was queued there before is waited for.
template <class Value>
reference_comparison compare_outputs(openmp on, const Value* y, const double* expected, const double* bound,
                                     std::int64_t count);
template <class Value>
reference_comparison compare_outputs(cuda on, const Value* y, const double* expected, const double* bound,
                                     std::int64_t count);

// Fills outputs with NaN, so that whatever a product leaves out is found.
template <class Value>
void poison_outputs(openmp on, Value* y, std::int64_t count);
template <class Value>
void poison_outputs(cuda on, Value* y, std::int64_t count);

}  // namespace sparsmith
