#include "kernels/kernel.hpp"

namespace sparsmith {

template <class Value>
void scale(openmp, std::int64_t count, Value beta, Value* y) {
  if (beta == Value{1}) return;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) y[i] = beta == Value{0} ? Value{0} : beta * y[i];
}

template void scale(openmp, std::int64_t, float, float*);
template void scale(openmp, std::int64_t, double, double*);
template void scale(openmp, std::int64_t, complex64, complex64*);
template void scale(openmp, std::int64_t, complex128, complex128*);

}  // namespace sparsmith
