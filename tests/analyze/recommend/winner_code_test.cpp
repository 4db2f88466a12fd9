// What the lines that a recommendation ends with (winner_code_run.cpp) compute.
#include <span>

#include "convert/convert.hpp"
#include "convert/io/read.hpp"
#include "kernels/reference.hpp"
#include "tests/catch.hpp"

void run_winner(std::span<double> x, std::span<double> y);

TEST_CASE("the lines that run the winner compute y = A x, and x = A^T y") {
  using namespace sparsmith;
  assembly_report report;
  const auto matrix = assemble<openmp, std::int32_t, double>(
      {}, read_matrix("gen:uniform?rows=30&cols=20&density=0.2&seed=1"), false, report, nullptr);
  REQUIRE(matrix.rows == 30);
  REQUIRE(matrix.cols == 20);
  std::vector<double> x(20), y(30);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + static_cast<double>(i);
  const auto product =
      multiply_reference<std::int32_t, double>(matrix, operation::multiply, 1.0, x.data(), 0.0, nullptr, 0);
  run_winner(x, y);
  const auto turned =
      multiply_reference<std::int32_t, double>(matrix, operation::transposed, 1.0, y.data(), 0.0, nullptr, 0);
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    CHECK(within(y[static_cast<std::size_t>(i)], product.y[i], product.bound[i]));
  for (std::int64_t i = 0; i < matrix.cols; ++i)
    CHECK(within(x[static_cast<std::size_t>(i)], turned.y[i], turned.bound[i]));
}
