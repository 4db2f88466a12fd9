// says: those of a temporary would be gone
#include <sparsmith/sparsmith.hpp>

void take(std::vector<int>& offsets, std::vector<int>& columns) {
  sparsmith::borrow_csr(1, 1, offsets, columns, std::vector<double>{1});
}
