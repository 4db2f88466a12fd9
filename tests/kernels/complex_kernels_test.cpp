// Kernels of complex values on the battery, against a reference in 128 bits, in every operation that they
// compute and in A^H x; and the reference against sums that are made here, with std::complex.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "convert/convert.hpp"
#include "kernels/adjoint.hpp"
#include "kernels/reference.hpp"
#include "kernels/registry.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

constexpr std::int64_t guard = 8;

template <class Part>
array<complex_number<Part>, host> vector_of(std::int64_t count, std::uint64_t seed) {
  random_source random(seed);
  array<complex_number<Part>, host> x(count);
  const auto next = [&] { return static_cast<Part>((static_cast<int>(random.below(2000)) - 999.5) / 1000); };
  for (auto& one : x) one = {next(), next()};
  return x;
}

// Of the battery, with imaginary parts; not the one of values that are no numbers.
template <class Offset, class Part>
std::vector<std::pair<std::string, csr<Offset, complex_number<Part>, host>>> matrices() {
  std::vector<std::pair<std::string, csr<Offset, complex_number<Part>, host>>> all;
  for (const named_matrix& m : battery()) {
    if (m.name.ends_with("strange values")) continue;
    matrix_entries source;
    source.entries = as_coo(m);
    source.field = "complex";
    source.imaginary = array<double, host>(source.entries.values.size());
    std::reverse_copy(source.entries.values.begin(), source.entries.values.end(), source.imaginary.begin());
    assembly_report report;
    all.emplace_back(m.name, assemble<openmp, Offset, complex_number<Part>>({}, std::move(source), false,
                                                                            report, nullptr));
  }
  return all;
}

template <class Offset, class Part>
csr<Offset, complex_number<Part>, host> conjugated(const csr<Offset, complex_number<Part>, host>& m) {
  auto result = copy_to<host>(m);
  for (auto& value : result.values) value = conjugate(value);
  return result;
}

template <class Part>
std::int64_t first_wrong(const complex_reference& expected, const array<complex_number<Part>, host>& y) {
  for (std::int64_t i = 0; i < expected.y.size(); ++i)
    if (!within(y[i].real, expected.y[i].real, expected.bound[i]) ||
        !within(y[i].imaginary, expected.y[i].imaginary, expected.bound[i]))
      return i;
  return -1;
}

// What y is before: NaN where it is not to be read, and a guard behind it.
template <class Part>
array<complex_number<Part>, host> before(std::int64_t count, complex_number<Part> beta) {
  auto y = vector_of<Part>(count + guard, 12);
  constexpr Part nan = std::numeric_limits<Part>::quiet_NaN();
  if (beta.is_zero()) std::fill_n(y.begin(), count, complex_number<Part>{nan, nan});
  return y;
}

template <class Part, class Check>
void for_each_factor(Check check) {
  const complex_number<Part> factors[] = {{0, 0}, {1, 0}, {Part(-0.5), Part(0.25)}};
  for (const auto alpha : factors)
    for (const auto beta : factors) check(alpha, beta);
}

// Shapes that kernels care about: slices in groups of rows and not, blocks and tiles of other sides, rests.
std::vector<conversion_options> shapes() {
  std::vector<conversion_options> all(2);
  for (conversion_options& o : all) o.max_fill = no_limit;
  all[0].tile = {256, 256, 32, 0, renumbering::none, 0};
  all[1].sell = {8, 1};
  all[1].hyb_width = 2;
  all[1].bsr_block = {3, 7};
  all[1].blocks.beta = 4;
  all[1].blocks.group_size = 7;
  all[1].blocks.holding = ecsb_holding::hybrid;
  all[1].dia_share = 0.3;
  all[1].tile = {512, 256, 8, 0, renumbering::length, 20};
  return all;
}

template <class Offset, class Part>
void check_all(const conversion_options& options, std::map<std::string, int>& runs) {
  using value = complex_number<Part>;
  for (const auto& named : matrices<Offset, Part>()) {
    const auto& name = named.first;
    const auto& m = named.second;
    const auto adjoint = conjugated(m);
    for (const format_kind format : all_formats()) {
      if (whole_of(format) || (m.rows > 10000 && format != format_kind::csr)) continue;
      const auto converted = from_csr<openmp, Offset, value>({}, view(m), format, options, nullptr);
      const auto check = [&](const auto& shown, const auto& line, operation op, bool conjugates) {
        INFO(name << ", " << line.info.name << ", " << name_of(op) << (conjugates ? ", conjugated" : "")
                  << ", " << sizeof(value) << " bytes");
        auto ready = line.prepare(openmp{}, shown, op);
        if (conjugates) ready = adjoint_of(openmp{}, std::move(ready), m.rows, m.cols);
        const auto x = vector_of<Part>(inputs(m, op), 11);
        for_each_factor<Part>([&](value alpha, value beta) {
          const std::int64_t count = outputs(m, op);
          const auto old = before<Part>(count, beta);
          auto y = copy_to<host>(old, place::host);
          ready.run(alpha, alpha.is_zero() ? nullptr : x.data(), beta, y.data());
          const auto expected = multiply_complex_reference(view(conjugates ? adjoint : m), op, alpha,
                                                           x.data(), beta, old.data());
          CHECK(first_wrong(expected, y) == -1);
          CHECK(std::memcmp(y.end() - guard, old.end() - guard, guard * sizeof(value)) == 0);
          ++runs[line.info.name + std::string(conjugates ? " adjoint" : "")];
        });
      };
      const auto check_table = [&](const auto& f) {
        const auto shown = view(f);
        for (const auto& line : kernels_of(shown))
          for (const operation op : all_operations) {
            if (!line.why_not(shown, op).empty()) continue;
            check(shown, line, op, false);
            if (op == operation::transposed) check(shown, line, op, true);
          }
      };
      std::visit(
          [&](const auto& f) {
            if constexpr (!requires { f.upper; }) check_table(f);
          },
          converted);
    }
  }
}

}  // namespace

TEST_CASE("every kernel of complex values is right on the battery, A^T x and A^H x told apart") {
  std::map<std::string, int> runs;
  for (const conversion_options& options : shapes())
    for (const int threads : {1, 3}) {
      set_thread_count(threads);
      check_all<std::int32_t, float>(options, runs);
      check_all<std::int32_t, double>(options, runs);
    }
  check_all<std::int64_t, float>(shapes()[1], runs);
  check_all<std::int64_t, double>(shapes()[0], runs);
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
