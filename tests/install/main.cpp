#include <cstdio>
#include <sparsmith/analyze/recommend/race.hpp>
#include <sparsmith/analyze/structure/block_choice.hpp>
#include <sparsmith/analyze/structure/features.hpp>
#include <sparsmith/analyze/structure/prices.hpp>
#include <sparsmith/convert/convert.hpp>
#include <sparsmith/convert/io/read.hpp>
#include <sparsmith/kernels/registry.hpp>
#include <vector>

namespace {

bool all_right = true;

void check(bool right, const char* what) {
  if (!right) std::fprintf(stderr, "wrong: %s\n", what);
  all_right = all_right && right;
}

}  // namespace

// The Laplacian of a grid of 10 x 10 points: a diagonal and four neighbours, fewer at the edges.
int main() {
  using namespace sparsmith;
  assembly_report report;
  const auto matrix =
      assemble<openmp, int, double>({}, read_matrix("gen:laplace2d?n=10"), false, report, nullptr);
  check(matrix.rows == 100 && matrix.values.size() == 460, "the matrix");
  const auto sliced = from_csr<openmp, int, double>({}, view(matrix), format_kind::sell, {}, nullptr);
  check(sliced.index() == 4, "SELL");

  // Inside, rows of the Laplacian sum up to 0.
  const std::vector<double> x(100, 1.0);
  std::vector<double> y(100);
  const auto kernel = kernels_of(view(matrix)).front();
  const auto ready = kernel.prepare({}, view(matrix), operation::multiply);
  ready.run(1.0, x.data(), 0.0, y.data());
  check(y[0] == 2.0 && y[55] == 0.0, kernel.info.name);

  const matrix_features features =
      features_of<openmp, int, double>({}, view(matrix), feature_request{}, nullptr);
  check(features.entries == 460 && features.symmetry.pattern == 360, "features");
  check(features.row_lengths.lengths.least == 3 && features.row_lengths.lengths.most == 5, "row lengths");
  for (const format_cost& cost : plan_formats<openmp, int, double>({}, view(matrix), plan_request{}))
    if (cost.format == format_kind::csr) check(cost.bytes == bytes(matrix), "the price of CSR");
  check(choose_block(openmp{}, view(matrix), 3.0, nullptr).csr_bytes == bytes(matrix),
        "the choice of a block");

  race_request request;
  for (const format_variant& variant : variants_of(format_kind::ell, {})) request.field.push_back({variant});
  request.sampling = {1, true};
  const matrix_result raced = race<openmp, int, double>({}, view(matrix), request, {});
  check(raced.variants[0].contestants[0].timed(), "the race");
  std::printf("%s beside %s\n", raced.variants[0].contestants[0].info.name, raced.base_names[0].c_str());
  return all_right ? 0 : 1;
}
