// The product every kernel is checked against: sequential, in 64-bit floats, with a bound on what rounding
// may do.
//
// A sum of k products in any order, rounded at every step to unit u = epsilon / 2, is off by at most about (k
// + 1) u times the sum of the magnitudes; alpha, beta and the last addition round three more times. So the
// bound of output i is (k_i + 4) epsilon (|alpha| sum |a_ij x_j| + |beta y_i|), and a little for results
// below the smallest normal number; the reference itself, in 64 bits, needs no more room than what is left
// from u to epsilon. A kernel that takes prefix sums over n entries (kernel_info::rounding_neighbours) adds
// and takes off sums that hold the n entries before and after: each is off by log2(n) roundings of their
// magnitudes, and so is y while they are in it.
#pragma once

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

// Whether a result is within the bound; NaN and infinities must be the same.
bool within(double result, double expected, double bound);

}  // namespace sparsmith
