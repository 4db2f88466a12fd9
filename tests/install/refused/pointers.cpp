// says: x and y must be contiguous
#include <sparsmith/sparsmith.hpp>

void product(const sparsmith::matrix& a, const double* x, double* y) {
  a.multiply(1.0, x, 0.0, y);
}
