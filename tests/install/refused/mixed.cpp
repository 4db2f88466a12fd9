// says: x and y must hold values of the same type
#include <sparsmith/sparsmith.hpp>

void product(const sparsmith::matrix& a, const std::vector<float>& x, std::vector<double>& y) {
  a.multiply(1.0, x, 0.0, y);
}
