// A project of one's own on a bare machine: the best format, a product with it, and a file of HDF5.
#include <sparsmith/sparsmith.hpp>

#include <numeric>
#include <vector>

int main() {
  auto a = sparsmith::read("gen:laplace2d?n=50");
  sparsmith::write(a, "a.h5");
  auto m = sparsmith::recommend(a, {.mix = {1, 1}, .budget = 0.5}).convert(sparsmith::read("a.h5"));
  std::vector<double> x(m.cols(), 1.0), y(m.rows());
  m.multiply(1.0, x, 0.0, y);
  // Of -1 a neighbour and 4 in the middle, each side of the square misses 50.
  return std::accumulate(y.begin(), y.end(), 0.0) == 200 ? 0 : 1;
}
