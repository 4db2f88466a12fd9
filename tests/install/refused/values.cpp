// says: Sparsmith computes in float and in double
#include <sparsmith/sparsmith.hpp>

void product(const sparsmith::matrix& a, const std::vector<int>& x, std::vector<int>& y) {
  a.multiply(1.0, x, 0.0, y);
}
