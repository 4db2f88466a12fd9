// says: x and y must both be in the host's memory or both in the GPU's
#include <sparsmith/sparsmith.hpp>

void product(const sparsmith::matrix& a, const std::vector<double>& x, sparsmith::device_span<double> y) {
  a.multiply(1.0, x, 0.0, y);
}
