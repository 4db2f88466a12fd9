// y = alpha A^H x + beta y of complex values, from a kernel of A^T x: the conjugate of A^T times the
// conjugate of x. That reads x and y once more, which next to the entries of a matrix is little, and takes no
// kernel.
#pragma once

#include <memory>
#include <utility>

#include "kernels/kernel.hpp"

namespace sparsmith {

template <class Part>
void conjugate_all(cuda on, std::int64_t count, const complex_number<Part>* from, complex_number<Part>* to);
template <class Part>
void conjugate_all(openmp on, std::int64_t count, const complex_number<Part>* from, complex_number<Part>* to);

// Of a matrix of so many rows and columns; `transposed` computes A^T x.
template <class Backend, class Part>
prepared_kernel<complex_number<Part>> adjoint_of(Backend on, prepared_kernel<complex_number<Part>> transposed,
                                                 std::int64_t rows, std::int64_t cols) {
  using value = complex_number<Part>;
  const auto input = std::make_shared<array<value, typename Backend::space>>(rows);
  prepared_kernel<value> ready;
  ready.bytes = transposed.bytes + rows * std::int64_t{sizeof(value)};
  ready.run = [on, run = std::move(transposed.run), input, rows, cols](value alpha, const value* x,
                                                                       value beta, value* y) {
    if (!alpha.is_zero()) conjugate_all(on, rows, x, input->data());
    if (!beta.is_zero()) conjugate_all(on, cols, y, y);
    run(conjugate(alpha), input->data(), conjugate(beta), y);
    conjugate_all(on, cols, y, y);
  };
  return ready;
}

}  // namespace sparsmith
