// Complex values: the battery in every format and back, symmetries, and what files keep of them. What is
// right is computed here, part by part, and real matrices of the same places say where slots must be.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/container.hpp"
#include "convert/io/read.hpp"
#include "convert/io/write.hpp"
#include "convert/reordering.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;
using sparsmith::test::failure_of;
using sparsmith::test::scratch_file;

namespace {

template <class Use>
void for_each_complex_type(Use use) {
  use.template operator()<std::int32_t, complex64>();
  use.template operator()<std::int32_t, complex128>();
  use.template operator()<std::int64_t, complex64>();
  use.template operator()<std::int64_t, complex128>();
}

// A matrix of the battery with imaginary parts: those of the entries from the last to the first.
matrix_entries with_parts(const named_matrix& m) {
  matrix_entries made;
  made.entries = as_coo(m);
  made.field = "complex";
  made.imaginary = array<double, host>(made.entries.values.size());
  std::reverse_copy(made.entries.values.begin(), made.entries.values.end(), made.imaginary.begin());
  return made;
}

matrix_entries entries_of(std::int32_t side, symmetry_kind symmetry,
                          const std::vector<std::pair<triplet, double>>& listed) {
  named_matrix m{"", side, side, {}};
  for (const auto& [real, imaginary] : listed) m.entries.push_back(real);
  matrix_entries made;
  made.entries = as_coo(m);
  made.field = "complex";
  made.symmetry = symmetry;
  made.imaginary = array<double, host>(made.entries.values.size());
  for (std::size_t i = 0; i < listed.size(); ++i)
    made.imaginary[static_cast<std::int64_t>(i)] = listed[i].second;
  return made;
}

template <class Offset, class Value>
csr<Offset, Value, host> assembled(matrix_entries&& source, bool drop = false,
                                   assembly_report* told = nullptr) {
  assembly_report report;
  auto made = assemble<openmp, Offset, Value>({}, std::move(source), drop, report, nullptr);
  if (told != nullptr) *told = report;
  return made;
}

using cells = std::map<std::pair<std::int32_t, std::int32_t>, std::complex<double>>;
template <class Offset, class Value>
cells cells_of(const csr<Offset, Value, host>& m) {
  cells found;
  for (std::int32_t row = 0; row < m.rows; ++row)
    for (Offset e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
      found[{row, m.col_indices[e]}] = {m.values[e].real, m.values[e].imaginary};
  return found;
}

template <class Offset, class Value>
bool same_matrix(const any_format<Offset, Value, host>& a, const any_format<Offset, Value, host>& b) {
  return a.index() == b.index() &&
         std::visit(
             [&](const auto& left) {
               return identical(left, std::get<std::remove_cvref_t<decltype(left)>>(b));
             },
             a);
}

// Of a complex matrix with imaginary parts of -2 times the real ones, and that of its real parts.
template <class Complex, class Real>
std::int64_t differences(const Complex& f, const Real& g) {
  std::int64_t wrong = 0;
  if constexpr (std::tuple_size_v<decltype(Complex::members(f))> ==
                std::tuple_size_v<decltype(Real::members(g))>)
    for_each_member_pair(f, g, [&](const auto& a, const auto& b) {
      using left = std::remove_cvref_t<decltype(a)>;
      using right = std::remove_cvref_t<decltype(b)>;
      if constexpr (std::is_same_v<left, array<complex128, host>> &&
                    std::is_same_v<right, array<double, host>>) {
        wrong += a.size() != b.size() ? 1 : 0;
        for (std::int64_t i = 0; i < std::min(a.size(), b.size()); ++i)
          wrong += a[i].real != b[i] || a[i].imaginary != -2 * b[i] ? 1 : 0;
      } else if constexpr (!std::is_same_v<left, right>) {
        ++wrong;
      } else if constexpr (is_array<left>) {
        wrong += std::ranges::equal(a, b) ? 0 : 1;
      } else {
        wrong += a == b ? 0 : 1;
      }
    });
  else
    ++wrong;
  return wrong;
}

csr<std::int32_t, double, host> assembled_as_real(matrix_entries&& source) {
  assembly_report report;
  return assemble<openmp, std::int32_t, double>({}, std::move(source), false, report, nullptr);
}

std::vector<format_kind> whole_formats() {
  std::vector<format_kind> formats = all_formats();
  std::erase_if(formats, [](format_kind f) { return whole_of(f).has_value(); });
  return formats;
}

conversion_options without_limit() {
  conversion_options options;
  options.max_fill = no_limit;
  return options;
}

matrix_entries kept(const std::string& path) {
  return read_matrix(path, {}, {complex_values::keep});
}

std::string text_of(std::initializer_list<const char*> lines) {
  std::string text;
  for (const char* const line : lines) text += std::string(line) + "\n";
  return text;
}

template <class Value>
std::string in_matrix_market(const matrix_entries& source, Value) {
  matrix_entries copy;
  copy.entries = copy_to<host>(source.entries);
  copy.imaginary = copy_to<host>(source.imaginary, place::host);
  copy.symmetry = source.symmetry;
  const auto compressed = assembled<std::int32_t, Value>(std::move(copy));
  const auto list =
      from_csr<openmp, std::int32_t, Value>({}, view(compressed), format_kind::coo, {}, nullptr);
  std::ostringstream out;
  write_matrix_market(out, std::get<coo<Value, host>>(list), {"complex", source.symmetry});
  return out.str();
}

}  // namespace

TEST_CASE("complex entries are summed part by part, in the order they come") {
  for (const named_matrix& m : battery()) {
    INFO(m.name);
    const matrix_entries source = with_parts(m);
    named_matrix imaginary = m;
    for (std::size_t i = 0; i < m.entries.size(); ++i)
      imaginary.entries[i].value = source.imaginary[static_cast<std::int64_t>(i)];
    const auto real_cells = oracle<double>(m), imaginary_cells = oracle<double>(imaginary);
    assembly_report report;
    const auto made = assembled<std::int64_t, complex128>(with_parts(m), false, &report);
    REQUIRE(made.values.size() == static_cast<std::int64_t>(real_cells.size()));
    CHECK(report.duplicates_summed == static_cast<std::int64_t>(m.entries.size() - real_cells.size()));
    std::int64_t e = 0, zeros = 0, wrong = 0;
    const auto differ = [](double a, double b) {
      return std::memcmp(&a, &b, sizeof a) != 0 && !(a != a && b != b);
    };
    for (const auto& [at, value] : real_cells) {
      const double other = imaginary_cells.at(at);
      wrong += made.col_indices[e] != at.second || e < made.row_offsets[at.first] ||
                       e >= made.row_offsets[at.first + 1] || differ(made.values[e].real, value) ||
                       differ(made.values[e].imaginary, other)
                   ? 1
                   : 0;
      zeros += value == 0 && other == 0 ? 1 : 0;
      ++e;
    }
    CHECK(wrong == 0);
    CHECK(report.explicit_zeros == zeros);
  }
}

TEST_CASE("complex values go into every format and come back bit for bit") {
  for (const named_matrix& m : battery())
    for_each_complex_type([&]<class Offset, class Value>() {
      const auto made = assembled<Offset, Value>(with_parts(m));
      for (const format_kind format : whole_formats()) {
        if (m.rows > 10000 && format != format_kind::csc && format != format_kind::sell) continue;
        INFO(m.name << " as " << name_of(format) << ", " << sizeof(Value) << " bytes");
        const auto converted =
            from_csr<openmp, Offset, Value>({}, view(made), format, without_limit(), nullptr);
        CHECK(find_invalid(converted) == "");
        CHECK(identical(to_csr<openmp, Offset, Value>({}, converted, nullptr), made));
      }
    });
}

// Without zeros, and with other values in both parts: slots must be those of the real parts alone, and hold
// both parts of one value.
TEST_CASE("complex values lie where real ones of the same places do") {
  for (named_matrix m : battery()) {
    if (m.rows > 10000) continue;
    double next = 1;
    for (triplet& t : m.entries) t.value = next++;
    matrix_entries source = with_parts(m);
    for (std::int64_t i = 0; i < source.imaginary.size(); ++i)
      source.imaginary[i] = -2 * source.entries.values[i];
    matrix_entries real_source;
    real_source.entries = copy_to<host>(source.entries);
    const auto made = assembled<std::int32_t, complex128>(std::move(source));
    const auto real = assembled<std::int32_t, double>(std::move(real_source));
    for (const format_kind format : whole_formats()) {
      INFO(m.name << " as " << name_of(format));
      const auto options = without_limit();
      const auto converted =
          from_csr<openmp, std::int32_t, complex128>({}, view(made), format, options, nullptr);
      const auto expected = from_csr<openmp, std::int32_t, double>({}, view(real), format, options, nullptr);
      REQUIRE(converted.index() == expected.index());
      std::int64_t wrong = 0;
      std::visit([&](const auto& f, const auto& g) { wrong = differences(f, g); }, converted, expected);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("signed zeros and stored zeros of complex matrices survive every format") {
  const auto source = [] {
    return entries_of(5, symmetry_kind::general,
                      {{{0, 0, 0.0}, 0.0},
                       {{0, 3, -0.0}, 0.0},
                       {{1, 1, 0.0}, -0.0},
                       {{2, 0, 1.0}, -0.0},
                       {{3, 3, -0.0}, -0.0},
                       {{4, 4, 0.0}, 2.0}});
  };
  for_each_complex_type([&]<class Offset, class Value>() {
    assembly_report report;
    const auto made = assembled<Offset, Value>(source(), false, &report);
    CHECK(report.explicit_zeros == 4);
    for (const format_kind format : whole_formats()) {
      INFO(name_of(format));
      const auto converted =
          from_csr<openmp, Offset, Value>({}, view(made), format, without_limit(), nullptr);
      CHECK(find_invalid(converted) == "");
      CHECK(identical(to_csr<openmp, Offset, Value>({}, converted, nullptr), made));
    }
    const auto dropped = assembled<Offset, Value>(source(), true, &report);
    CHECK(report.zeros_dropped);
    CHECK(cells_of(dropped) == cells{{{2, 0}, {1, 0}}, {{4, 4}, {0, 2}}});
  });
}

TEST_CASE("symmetric, skew-symmetric and hermitian complex matrices are expanded rightly") {
  const std::vector<std::pair<triplet, double>> lower = {{{1, 0, 3}, 4}, {{2, 1, -5}, 6}};
  const auto expanded = [&](symmetry_kind symmetry) {
    return cells_of(assembled<std::int32_t, complex128>(entries_of(3, symmetry, lower)));
  };
  const std::complex<double> a{3, 4}, b{-5, 6};
  CHECK(expanded(symmetry_kind::general) == cells{{{1, 0}, a}, {{2, 1}, b}});
  CHECK(expanded(symmetry_kind::symmetric) == cells{{{1, 0}, a}, {{0, 1}, a}, {{2, 1}, b}, {{1, 2}, b}});
  CHECK(expanded(symmetry_kind::skew_symmetric) ==
        cells{{{1, 0}, a}, {{0, 1}, -a}, {{2, 1}, b}, {{1, 2}, -b}});
  CHECK(expanded(symmetry_kind::hermitian) ==
        cells{{{1, 0}, a}, {{0, 1}, std::conj(a)}, {{2, 1}, b}, {{1, 2}, std::conj(b)}});
  assembly_report report;
  assembled<std::int32_t, complex128>(entries_of(3, symmetry_kind::hermitian, lower), false, &report);
  CHECK(report.stored == 2);
  CHECK(report.expanded == 2);
  CHECK(report.duplicates_summed == 0);
  // Rows alone in another order are of no symmetry: the entries are expanded before.
  matrix_entries moved = entries_of(3, symmetry_kind::hermitian, lower);
  row_order order{array<std::int32_t, host>(3), false};
  for (std::int32_t i = 0; i < 3; ++i) order.rows[i] = (i + 1) % 3;  // row 1 comes first
  apply(order, moved);
  CHECK(cells_of(assembled<std::int32_t, complex128>(std::move(moved))) ==
        cells{{{0, 0}, a}, {{2, 1}, std::conj(a)}, {{1, 1}, b}, {{0, 2}, std::conj(b)}});
}

TEST_CASE("what narrowing does to complex values is counted by value") {
  const auto narrowed = [](double real, double imaginary) {
    assembly_report report;
    assembled<std::int32_t, complex64>(
        entries_of(2, symmetry_kind::general, {{{0, 0, real}, imaginary}, {{1, 1, 0.5}, 2}}), false, &report);
    return report.narrowed;
  };
  CHECK(narrowed(1, 2) == 0);
  CHECK(narrowed(.1, 2) == 1);
  CHECK(narrowed(1, .1) == 1);
  CHECK(narrowed(.1, .1) == 1);
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  CHECK(narrowed(nan, infinity) == 0);
  for (const std::pair<double, double>& parts : {std::pair(1e300, 0.0), std::pair(0.0, -1e300)}) {
    const std::string said = failure_of([&] { narrowed(parts.first, parts.second); });
    CHECK(said.starts_with("1 values are too large for 32-bit floats"));
  }
}

TEST_CASE("no imaginary part is lost unnoticed") {
  const auto source = [] { return entries_of(2, symmetry_kind::symmetric, {{{1, 0, 1}, 2}}); };
  CHECK(failure_of([&] { assembled_as_real(source()); }, failure::unsupported) ==
        "the values are complex, and real ones were asked for");
  const auto made = assembled<std::int32_t, complex128>(source());
  for (const format_kind format : all_formats()) {
    if (!whole_of(format)) continue;
    CHECK(failure_of(
              [&] {
                from_csr<openmp, std::int32_t, complex128>({}, view(made), format, without_limit(), nullptr);
              },
              failure::unsupported)
              .starts_with("complex values cannot be stored as half of a matrix yet"));
  }
  any_format<std::int32_t, complex128, host> half;
  half.emplace<static_cast<std::size_t>(format_kind::csr_half)>();
  CHECK(find_invalid(half) == "complex values are not stored as half of a matrix");
  CHECK_THROWS_AS((to_csr<openmp, std::int32_t, complex128>({}, half, nullptr)), error);
  // Readers whose callers do not ask for complex values deliver none.
  const scratch_file file(".mtx");
  file.replace("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n");
  CHECK_THROWS_AS(read_matrix(file.path), error);
  CHECK(read_matrix(file.path, {}, {complex_values::pattern_only}).imaginary.size() == 0);
}

TEST_CASE("real values become complex ones with imaginary parts of zero") {
  matrix_entries source;
  source.entries = as_coo({"", 2, 2, {{1, 0, 3}}});
  source.symmetry = symmetry_kind::skew_symmetric;
  CHECK(cells_of(assembled<std::int32_t, complex64>(std::move(source))) ==
        cells{{{1, 0}, {3, 0}}, {{0, 1}, {-3, 0}}});
}

TEST_CASE("files keep complex values of either width bit for bit") {
  // Every file is flushed to the disk, which takes time.
  const std::set<std::string> some = {"0x0",           "5x0", "SPEC 6x6", "unsorted", "explicit zeros",
                                      "strange values"};
  for (const named_matrix& m : battery()) {
    if (!some.contains(m.name)) continue;
    for_each_complex_type([&]<class Offset, class Value>() {
      const auto made = assembled<Offset, Value>(with_parts(m));
      const auto check = [&](container kind, const char* ending, format_kind format) {
        INFO(m.name << " as " << name_of(format) << " in " << ending << ", " << sizeof(Value) << " bytes");
        const scratch_file file(ending);
        {
          output_file out(file.path);
          write_matrix(out, kind,
                       from_csr<openmp, Offset, Value>({}, view(made), format, without_limit(), nullptr), {});
          out.commit();
        }
        matrix_entries back = kept(file.path);
        CHECK(back.field == "complex");
        if (kind != container::matrix_market)
          CHECK(back.single_precision == std::is_same_v<Value, complex64>);
        const auto again = assembled<Offset, Value>(std::move(back));
        // A NaN has no sign or payload in a text.
        CHECK((identical(again, made) ||
               (kind == container::matrix_market && m.name.ends_with("strange values"))));
      };
      for (const format_kind format : whole_formats()) check(container::sparsmith, ".h5", format);
      for (const format_kind format : {format_kind::coo, format_kind::csr, format_kind::csc}) {
        check(container::npz, ".npz", format);
        check(container::binsparse, ".bsp.h5", format);
      }
      check(container::matrix_market, ".mtx", format_kind::coo);
    });
  }
}

TEST_CASE("a damaged or strange container of complex values is refused") {
  const auto made = assembled<std::int32_t, complex128>(
      entries_of(2, symmetry_kind::general, {{{0, 0, 1}, 2}, {{1, 1, 0.5}, 2}}));
  any_format<std::int32_t, complex128, host> matrix = copy_to<host>(made);
  const scratch_file file(".h5");
  write_container(file.path, matrix);
  CHECK(same_matrix(std::get<any_format<std::int32_t, complex128, host>>(read_container(file.path)), matrix));
  const std::string bytes = file.bytes();
  const std::size_t at = bytes.find("complex_values");
  REQUIRE(at != std::string::npos);
  // Nobody who does not ask gets it.
  CHECK(failure_of([&] { read_matrix(file.path); }, failure::unsupported) ==
        file.path + ": the values are complex, which is not supported yet");
  CHECK(read_matrix(file.path, {}, {complex_values::pattern_only}).entries.values[1] == 1);
}

TEST_CASE("Matrix Market keeps the symmetry of complex values where it still holds") {
  const std::vector<std::pair<triplet, double>> lower = {{{0, 0, 2}, 0}, {{1, 0, 3}, 4}};
  const auto banner = [](const char* symmetry) {
    return "%%MatrixMarket matrix coordinate complex " + std::string(symmetry) + "\n";
  };
  CHECK(in_matrix_market(entries_of(2, symmetry_kind::symmetric, lower), complex128{}) ==
        banner("symmetric") + "2 2 2\n1 1 2 0\n2 1 3 4\n");
  CHECK(in_matrix_market(entries_of(2, symmetry_kind::hermitian, lower), complex64{}) ==
        banner("hermitian") + "2 2 2\n1 1 2 0\n2 1 3 4\n");
  CHECK(in_matrix_market(entries_of(2, symmetry_kind::skew_symmetric, {lower[1]}), complex128{}) ==
        banner("skew-symmetric") + "2 2 1\n2 1 3 4\n");
  CHECK(in_matrix_market(entries_of(2, symmetry_kind::general, lower), complex128{}) ==
        banner("general") + "2 2 2\n1 1 2 0\n2 1 3 4\n");
  // What is said to be hermitian and is not.
  CHECK(in_matrix_market(entries_of(2, symmetry_kind::hermitian, {{{0, 0, 2}, 1}, {{1, 0, 3}, 4}}),
                         complex128{})
            .starts_with(banner("general")));
}

TEST_CASE("readers deliver both parts of complex values") {
  const auto cells_from = [](const std::string& ending, const std::string& text) {
    const scratch_file file(ending);
    file.replace(text);
    return cells_of(assembled<std::int32_t, complex128>(kept(file.path)));
  };
  const std::complex<double> a{3, 4};
  const std::string banner = "%%MatrixMarket matrix coordinate complex ";
  CHECK(cells_from(".mtx", banner + "general\n2 2 2\n2 1 3 4\n2 1 -1 0.5\n") == cells{{{1, 0}, {2, 4.5}}});
  CHECK(cells_from(".mtx", banner + "symmetric\n2 2 1\n2 1 3 4\n") == cells{{{1, 0}, a}, {{0, 1}, a}});
  CHECK(cells_from(".mtx", banner + "skew-symmetric\n2 2 1\n2 1 3 4\n") == cells{{{1, 0}, a}, {{0, 1}, -a}});
  CHECK(cells_from(".mtx", banner + "hermitian\n2 2 2\n2 1 3 4\n1 1 5 0\n") ==
        cells{{{0, 0}, 5}, {{1, 0}, a}, {{0, 1}, std::conj(a)}});
  CHECK(cells_from(".mtx", "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n3 4\n0 0\n") ==
        cells{{{0, 0}, 1}, {{1, 0}, a}, {{0, 1}, std::conj(a)}});
  const auto refusal = [&](const std::string& text) {
    return failure_of([&] { cells_from(".mtx", banner + text); });
  };
  CHECK(refusal("hermitian\n2 2 1\n1 1 3 4\n")
            .ends_with(":3: a hermitian matrix has only real numbers on its diagonal"));
  CHECK(refusal("skew-symmetric\n2 2 1\n1 1 0 4\n")
            .ends_with(":3: a skew-symmetric matrix has only zeros on its diagonal"));
  CHECK(refusal("skew-symmetric\n2 2 1\n1 1 4 0\n")
            .ends_with(":3: a skew-symmetric matrix has only zeros on its diagonal"));

  const auto rutherford = [](const std::string& type, const std::string& values) {
    return text_of({"a title                                                                 |key",
                    "             4             1             1             2",
                    (type + "                        2             2             2             0").c_str(),
                    "(3I3)           (2I2)           (2E12.4)", "  1  3  3", " 1 2"}) +
           values;
  };
  const std::string values = "  5.0000E+00  0.0000E+00\n  3.0000E+00  4.0000E+00\n";
  CHECK(cells_from(".rb", rutherford("cua", values)) == cells{{{0, 0}, 5}, {{1, 0}, a}});
  CHECK(cells_from(".rb", rutherford("csa", values)) == cells{{{0, 0}, 5}, {{1, 0}, a}, {{0, 1}, a}});
  CHECK(cells_from(".rb", rutherford("cha", values)) ==
        cells{{{0, 0}, 5}, {{1, 0}, a}, {{0, 1}, std::conj(a)}});
  CHECK(failure_of([&] {
          cells_from(".rb", rutherford("cha", "  5.0000E+00  1.0000E+00\n  3.0000E+00  4.0000E+00\n"));
        }).ends_with(":7: a hermitian matrix has only real numbers on its diagonal"));
  CHECK(failure_of([&] {
          cells_from(".rb", rutherford("cza", values));
        }).ends_with(":7: a skew-symmetric matrix has only zeros on its diagonal"));
}
