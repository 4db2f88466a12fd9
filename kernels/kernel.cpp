#include "kernels/kernel.hpp"

#include <algorithm>

namespace sparsmith {

namespace {
thread_local const char* last_kernel = "";
}

const char* last_kernel_run() {
  return last_kernel;
}
void note_kernel_run(const char* name) {
  last_kernel = name;
}

template <class Value>
void scale(host, std::int64_t count, Value beta, Value* y) {
  if (beta == Value{1}) return;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) y[i] = beta == Value{0} ? Value{0} : beta * y[i];
}

template void scale(host, std::int64_t, float, float*);
template void scale(host, std::int64_t, double, double*);

}  // namespace sparsmith
