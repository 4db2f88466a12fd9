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
  for (const operation op : both_operations) {
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
