// says: values must be float, double, or std::complex of one of the two
#include <complex>
#include <sparsmith/sparsmith.hpp>

void take(std::vector<int>& offsets, std::vector<int>& columns,
          std::vector<std::complex<long double>>& values) {
  sparsmith::borrow_csr(1, 1, offsets, columns, values);
}
