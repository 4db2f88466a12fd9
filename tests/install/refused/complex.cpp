// says: values must be float or double
#include <complex>
#include <sparsmith/sparsmith.hpp>

void take(std::vector<int>& offsets, std::vector<int>& columns, std::vector<std::complex<double>>& values) {
  sparsmith::borrow_csr(1, 1, offsets, columns, values);
}
