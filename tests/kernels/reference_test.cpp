// The reference beside one that is written here, entry after entry: the same bits with any number of threads.
#include "kernels/reference.hpp"

#include <omp.h>

#include <limits>
#include <vector>

#include "kernels/rates.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

using matrix = csr<std::int64_t, float, host>;

// Rows of uneven length: most have a few entries, some none, one has a large share of all.
matrix uneven(std::int32_t rows, std::int32_t cols, std::int64_t longest) {
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t row = 0; row < rows; ++row)
    offsets.push_back(offsets.back() + (row == rows / 3 ? longest : random_place(row, 7)));
  matrix m{rows, cols, array<std::int64_t, host>(rows + 1), array<std::int32_t, host>(offsets.back()),
           array<float, host>(offsets.back())};
  std::copy(offsets.begin(), offsets.end(), m.row_offsets.begin());
  for (std::int64_t e = 0; e < offsets.back(); ++e) {
    m.col_indices[e] = random_place(e, cols);
    m.values[e] = static_cast<float>(random_place(3 * e, 2000) - 1000) / 7;
  }
  return m;
}

// Of A^T x, where several entries at once go to one output.
std::vector<double> sum_of_columns(const matrix& m, const std::vector<float>& x) {
  std::vector<double> y(static_cast<std::size_t>(m.cols));
  for (std::int64_t row = 0; row < m.rows; ++row)
    for (std::int64_t e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
      y[static_cast<std::size_t>(m.col_indices[e])] +=
          static_cast<double>(m.values[e]) * static_cast<double>(x[static_cast<std::size_t>(row)]);
  return y;
}

std::vector<float> ramp(std::int64_t count) {
  std::vector<float> x;
  for (std::int64_t i = 0; i < count; ++i) x.push_back(static_cast<float>(i % 1000) / 3 - 100);
  return x;
}

class threads_for_now {
 public:
  explicit threads_for_now(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  threads_for_now(const threads_for_now&) = delete;
  ~threads_for_now() { omp_set_num_threads(before_); }

 private:
  int before_;
};

}  // namespace

TEST_CASE(
    "the reference of A^T x is the sum of every column in the order of its entries, in any number of "
    "threads") {
  // More entries than are brought to their columns at a time, in few columns and in many.
  const matrix wide = uneven(1'500'000, 40'000, 300'000), narrow = uneven(1000, 3, 50),
               empty = uneven(1, 5, 0);
  REQUIRE(wide.values.size() > std::int64_t{1} << 22);
  for (const matrix* m : {&wide, &narrow, &empty}) {
    const std::vector<float> x = ramp(m->rows);
    const std::vector<double> expected = sum_of_columns(*m, x);
    for (const int threads : {1, 2, 3, 16}) {
      const threads_for_now held(threads);
      const auto made = multiply_reference(*m, operation::transposed, 1.0f, x.data(), 0.0f, x.data());
      REQUIRE(made.y.size() == m->cols);
      CHECK(std::equal(made.y.begin(), made.y.end(), expected.begin()));
    }
  }
}

TEST_CASE("bounds with neighbours are the same whether they are widened later or made at once") {
  const matrix m = uneven(20'000, 900, 5000);
  for (const operation op : plain_operations) {
    const std::vector<float> x = ramp(std::max(m.rows, m.cols));
    const threads_for_now held(3);
    auto later = multiply_reference(m, op, 2.0f, x.data(), 0.5f, x.data());
    const auto without = later.bound[7];
    allow_for_neighbours<std::int64_t, float>(view(m), op, 2.0f, x.data(), 32, later);
    const auto at_once = multiply_reference(m, op, 2.0f, x.data(), 0.5f, x.data(), 32);
    CHECK(std::equal(later.bound.begin(), later.bound.end(), at_once.bound.begin()));
    CHECK(std::equal(later.y.begin(), later.y.end(), at_once.y.begin()));
    CHECK(later.bound[7] > without);
    const threads_for_now other(1);
    const auto alone = multiply_reference(m, op, 2.0f, x.data(), 0.5f, x.data(), 32);
    CHECK(std::equal(alone.bound.begin(), alone.bound.end(), at_once.bound.begin()));
  }
}

TEST_CASE("the reference of two products in one pass is that of one after the other, with their bounds") {
  const matrix m = uneven(3000, 700, 2000);
  const std::vector<float> x = ramp(m.cols + m.rows), old = ramp(m.rows + m.cols + 5);
  const double alpha = 2, beta = 0.5;
  const auto row_sums = [&](auto of) {
    std::vector<double> y(static_cast<std::size_t>(m.rows));
    for (std::int64_t row = 0; row < m.rows; ++row)
      for (std::int64_t e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
        y[static_cast<std::size_t>(row)] += of(row, e);
    return y;
  };
  const auto column_sums = [&](auto of) {
    std::vector<double> y(static_cast<std::size_t>(m.cols));
    for (std::int64_t row = 0; row < m.rows; ++row)
      for (std::int64_t e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
        y[static_cast<std::size_t>(m.col_indices[e])] += of(row, e);
    return y;
  };
  const auto value = [&](std::int64_t e) { return static_cast<double>(m.values[e]); };
  const auto x_at = [&](std::int64_t i) { return static_cast<double>(x[static_cast<std::size_t>(i)]); };
  const auto old_at = [&](std::size_t i) { return static_cast<double>(old[i]); };
  const auto product = [&](std::int64_t, std::int64_t e) { return value(e) * x_at(m.col_indices[e]); };
  const std::vector<double> ax = row_sums(product);

  SECTION("A x and A^T w") {
    // w follows x, and z follows y.
    const std::vector<double> atw =
        column_sums([&](std::int64_t row, std::int64_t e) { return value(e) * x_at(m.cols + row); });
    const auto made = multiply_reference(m, operation::both, 2.0f, x.data(), 0.5f, old.data());
    REQUIRE(made.y.size() == m.rows + m.cols);
    REQUIRE(made.bound.size() == m.rows + m.cols);
    for (std::size_t i = 0; i < ax.size() + atw.size(); ++i) {
      const double expected = alpha * (i < ax.size() ? ax[i] : atw[i - ax.size()]) + beta * old_at(i);
      INFO("output " << i << " is " << made.y[static_cast<std::int64_t>(i)] << ", not " << expected);
      CHECK(made.y[static_cast<std::int64_t>(i)] == expected);
    }
    const auto z =
        multiply_reference(m, operation::transposed, 2.0f, x.data() + m.cols, 0.5f, old.data() + m.rows);
    CHECK(std::equal(z.bound.begin(), z.bound.end(), made.bound.begin() + m.rows));
  }

  SECTION("A^T (A x)") {
    const auto at = [](const std::vector<double>& all, std::int64_t i) {
      return all[static_cast<std::size_t>(i)];
    };
    const std::vector<double> expected =
        column_sums([&](std::int64_t row, std::int64_t e) { return value(e) * at(ax, row); });
    // The bound by hand: roundings of A x, magnified by A^T, and those of the columns' sums.
    const std::vector<double> ax_size =
        row_sums([&](std::int64_t row, std::int64_t e) { return std::fabs(product(row, e)); });
    const std::vector<double> size =
        column_sums([&](std::int64_t row, std::int64_t e) { return std::fabs(value(e)) * at(ax_size, row); });
    const std::vector<double> terms = column_sums([](std::int64_t, std::int64_t) { return 1.0; });
    const auto made = multiply_reference(m, operation::normal, 2.0f, x.data(), 0.5f, old.data());
    REQUIRE(made.y.size() == m.cols);
    constexpr double epsilon = std::numeric_limits<float>::epsilon();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto j = static_cast<std::int64_t>(i);
      INFO("output " << i << " is " << made.y[j] << " within " << made.bound[j]);
      CHECK(made.y[j] == alpha * expected[i] + beta * old_at(i));
      // No row of this matrix is longer than 2000, and one rounding is more than nothing.
      CHECK(made.bound[j] > epsilon * std::fabs(made.y[j]));
      CHECK(made.bound[j] <
            (2000 + terms[i] + 10) * epsilon * 2 * (alpha * size[i] + std::fabs(old_at(i))) + 1e-25);
    }
  }
}

TEST_CASE("comparing finds the first of all wrong outputs, and the largest error") {
  const std::vector<double> expected(1000, 2.0), bound(1000, 0.5);
  std::vector<double> y(1000, 2.25);
  const auto compared = [&] {
    return compare_outputs(openmp{}, y.data(), expected.data(), bound.data(), 1000);
  };
  CHECK(compared().wrong == 0);
  CHECK(compared().error == 0.5);
  y[700] = 3;
  y[998] = std::numeric_limits<double>::quiet_NaN();
  y[999] = -2;
  CHECK(compared().wrong == 3);
  CHECK(compared().first == 700);
  CHECK(compared().error == 8);
  poison_outputs(openmp{}, y.data(), 1000);
  CHECK(compared().wrong == 1000);
  CHECK(compared().first == 0);
}
