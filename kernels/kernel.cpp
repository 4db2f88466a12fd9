#include "kernels/kernel.hpp"

#include "kernels/adjoint.hpp"

namespace sparsmith {

template <class Value>
void scale(openmp, std::int64_t count, Value beta, Value* y) {
  if (beta == Value{1}) return;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) y[i] = beta == Value{0} ? Value{0} : beta * y[i];
}

template <class Part>
void conjugate_all(openmp, std::int64_t count, const complex_number<Part>* from, complex_number<Part>* to) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) to[i] = conjugate(from[i]);
}

template void conjugate_all(openmp, std::int64_t, const complex64*, complex64*);
template void conjugate_all(openmp, std::int64_t, const complex128*, complex128*);

template void scale(openmp, std::int64_t, float, float*);
template void scale(openmp, std::int64_t, double, double*);
template void scale(openmp, std::int64_t, complex64, complex64*);
template void scale(openmp, std::int64_t, complex128, complex128*);

}  // namespace sparsmith
