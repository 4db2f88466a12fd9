// says: y is written to
#include <sparsmith/sparsmith.hpp>

void product(const sparsmith::matrix& a, const std::vector<double>& x, const std::vector<double>& y) {
  a.multiply(1.0, x, 0.0, y);
}
