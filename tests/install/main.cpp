#include <cstdio>
#include <sparsmith/analyze/recommend/race.hpp>
#include <sparsmith/convert/convert.hpp>
#include <sparsmith/convert/io/read.hpp>
#include <sparsmith/kernels/registry.hpp>
#include <vector>

int main() {
  using namespace sparsmith;
  assembly_report report;
  const auto matrix =
      assemble<openmp, int, double>({}, read_matrix("gen:laplace2d?n=10"), false, report, nullptr);
  const auto sliced = from_csr<openmp, int, double>({}, view(matrix), format_kind::sell, {}, nullptr);
  std::printf("%d rows, %lld entries\n", matrix.rows, static_cast<long long>(matrix.values.size()));
  // Inside, rows of the Laplacian sum up to 0.
  const std::vector<double> x(100, 1.0);
  std::vector<double> y(100);
  const auto kernel = kernels_of(view(matrix)).front();
  const auto ready = kernel.prepare({}, view(matrix), operation::multiply);
  ready.run(1.0, x.data(), 0.0, y.data());
  std::printf("%s: y[0] = %g, y[55] = %g\n", kernel.info.name, y[0], y[55]);
  race_request request;
  for (const format_variant& variant : variants_of(format_kind::ell, {})) request.field.push_back({variant});
  request.sampling = {1, true};
  const matrix_result raced = race<openmp, int, double>({}, view(matrix), request, {});
  std::printf("%s beside %s\n", raced.formats[0].kernels[0].info.name, raced.base_names[0].c_str());
  return raced.formats[0].kernels[0].timed() && matrix.rows == 100 && matrix.values.size() == 460 &&
                 sliced.index() == 4 && y[55] == 0.0 && y[0] == 2.0
             ? 0
             : 1;
}
