// What the tests of kernels of complex values share: matrices with imaginary parts, and a check of every
// kernel of a backend against the reference, with A^T x and A^H x told apart.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "convert/convert.hpp"
#include "kernels/adjoint.hpp"
#include "kernels/reference.hpp"
#include "kernels/registry.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

namespace sparsmith::testing {

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
inline std::vector<conversion_options> shapes() {
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

// Every kernel of complex values on every format: the matrix is converted where the backend works.
template <class Backend, class Offset, class Part>
void check_complex(Backend on, const conversion_options& options, std::map<std::string, int>& runs) {
  using value = complex_number<Part>;
  using space = space_on<Backend>;
  for (const auto& named : matrices<Offset, Part>()) {
    const auto& name = named.first;
    const auto& m = named.second;
    const auto adjoint = conjugated(m);
    for (const format_kind format : all_formats()) {
      if (whole_of(format) || (m.rows > 10000 && format != format_kind::csr)) continue;
      const auto there = copy_to<space>(m);
      const auto converted = from_csr<Backend, Offset, value>(on, view(there), format, options, nullptr);
      const auto check = [&](const auto& shown, const auto& line, operation op, bool conjugates) {
        INFO(name << ", " << line.info.name << ", " << name_of(op) << (conjugates ? ", conjugated" : "")
                  << ", " << sizeof(value) << " bytes");
        auto ready = line.prepare(on, shown, op);
        if (conjugates) ready = adjoint_of(on, std::move(ready), m.rows, m.cols);
        const auto x = vector_of<Part>(inputs(m, op), 11);
        const auto x_there = copy_to<space>(x, place::host);
        for_each_factor<Part>([&](value alpha, value beta) {
          const std::int64_t count = outputs(m, op);
          const auto old = before<Part>(count, beta);
          auto y_there = copy_to<space>(old, place::host);
          ready.run(alpha, alpha.is_zero() ? nullptr : x_there.data(), beta, y_there.data());
          synchronize(on);
          const auto y = copy_to<host>(y_there, space::where);
          const auto expected = multiply_complex_reference(view(conjugates ? adjoint : m), op, alpha,
                                                           x.data(), beta, old.data());
          CHECK(first_wrong(expected, y) == -1);
          CHECK(std::memcmp(y.end() - guard, old.end() - guard, guard * sizeof(value)) == 0);
          ++runs[line.info.name + std::string(conjugates ? " adjoint" : "")];
        });
      };
      const auto check_table = [&](const auto& f) {
        const auto shown = view(f);
        if constexpr (has_kernel_table<std::remove_cvref_t<decltype(shown)>>)
          for (const auto& line : kernels_of(shown))
            for (const operation op : all_operations) {
              if (!line.why_not(shown, op).empty()) continue;
              check(shown, line, op, false);
              if (op == operation::transposed) check(shown, line, op, true);
            }
      };
      std::visit(check_table, converted);
    }
  }
}

}  // namespace sparsmith::testing
