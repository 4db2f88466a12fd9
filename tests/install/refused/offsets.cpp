// says: row offsets must be std::int32_t or std::int64_t
#include <sparsmith/sparsmith.hpp>

void take(std::vector<std::int16_t>& offsets, std::vector<std::int32_t>& columns,
          std::vector<double>& values) {
  sparsmith::borrow_csr(1, 1, offsets, columns, values);
}
