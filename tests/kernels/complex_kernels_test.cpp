// Kernels of complex values on the CPU, on the battery, and the reference they are compared with against
// std::complex.
#include <complex>

#include "tests/kernels/check_complex_kernels.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

TEST_CASE("every kernel of complex values is right on the battery, A^T x and A^H x told apart") {
  std::map<std::string, int> runs;
  for (const conversion_options& options : shapes())
    for (const int threads : {1, 3}) {
      set_thread_count(threads);
      check_complex<openmp, std::int32_t, float>({}, options, runs);
      check_complex<openmp, std::int32_t, double>({}, options, runs);
    }
  check_complex<openmp, std::int64_t, float>({}, shapes()[1], runs);
  check_complex<openmp, std::int64_t, double>({}, shapes()[0], runs);
  set_thread_count(0);
  for (const char* const name : {"coo/omp", "csr/omp", "csc/omp", "ell/omp", "sell/omp", "hyb/omp", "dia/omp",
                                 "bsr/preprocessed", "csb/omp", "ecsb/omp", "gcsb/omp", "gcsb/tile-omp",
                                 "csr/omp adjoint", "csc/omp adjoint", "gcsb/tile-omp adjoint"})
    CHECK(runs[name] > 0);
}

TEST_CASE("the reference of complex values is what std::complex sums up") {
  using complex = std::complex<double>;
  for (const auto& named : matrices<std::int32_t, double>()) {
    const auto& m = named.second;
    if (m.rows > 1000) continue;
    INFO(named.first);
    const auto x = vector_of<double>(std::max(m.rows, m.cols), 5),
               y = vector_of<double>(std::max(m.rows, m.cols), 6);
    const complex128 alpha{0.5, -2}, beta{1, 3};
    const auto wide = [](complex128 v) { return complex(v.real, v.imaginary); };
    for (const operation op : {operation::multiply, operation::transposed, operation::normal}) {
      std::vector<complex> inner(static_cast<std::size_t>(m.rows)),
          sums(static_cast<std::size_t>(outputs(m, op)));
      const auto each = [&](const auto& use) {
        for (std::int32_t row = 0; row < m.rows; ++row)
          for (std::int32_t e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
            use(row, m.col_indices[e], wide(m.values[e]));
      };
      each([&](std::int32_t row, std::int32_t col, complex v) {
        inner[static_cast<std::size_t>(row)] += v * wide(x[col]);
      });
      if (op == operation::multiply) sums = inner;
      if (op != operation::multiply)
        each([&](std::int32_t row, std::int32_t col, complex v) {
          sums[static_cast<std::size_t>(col)] +=
              v * (op == operation::transposed ? wide(x[row]) : inner[static_cast<std::size_t>(row)]);
        });
      const auto known = multiply_complex_reference(view(m), op, alpha, x.data(), beta, y.data());
      bool right = true, tight = true;
      for (std::int64_t i = 0; i < known.y.size(); ++i) {
        const complex expected = wide(alpha) * sums[static_cast<std::size_t>(i)] + wide(beta) * wide(y[i]);
        right = right && std::abs(wide(known.y[i]) - expected) <= 2 * known.bound[i];
        tight = tight && (op == operation::normal || known.bound[i] < 1e-5);
      }
      CHECK(right);
      CHECK(tight);
    }
  }
}
