#include <cstdio>
#include <sparsmith/convert/convert.hpp>
#include <sparsmith/convert/io/read.hpp>

int main() {
  using namespace sparsmith;
  assembly_report report;
  const auto matrix =
      assemble<openmp, int, double>({}, read_matrix("gen:laplace2d?n=10"), false, report, nullptr);
  const auto sliced = from_csr<openmp, int, double>({}, matrix, "sell", {}, nullptr);
  std::printf("%d rows, %lld entries\n", matrix.rows, static_cast<long long>(matrix.values.size()));
  return matrix.rows == 100 && matrix.values.size() == 460 && sliced.index() == 4 ? 0 : 1;
}
