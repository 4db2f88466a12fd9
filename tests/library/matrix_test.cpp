// The library's face, on the host: what a matrix knows, its products in every format, borrowed arrays, and
// what is said where something is wrong.
#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "tests/catch.hpp"
#include "tests/library/refusal.hpp"
#include "tools/library/sparsmith.hpp"
#include "tools/library/visit.hpp"

using namespace sparsmith;

namespace {

const char* const example = "gen:uniform?rows=70&cols=45&density=0.1&seed=4";

// Small whole numbers: sums are exact in any order.
template <class Value>
std::vector<Value> numbers(std::int64_t count) {
  std::vector<Value> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Value>(static_cast<int>(i * 7 % 11) - 5);
  return all;
}

// The matrix without any of its kernels.
std::vector<double> dense_of(const matrix& a) {
  std::vector<double> dense(static_cast<std::size_t>(a.rows() * a.cols()));
  visit(convert(a, "csr"), [&](const auto& m) {
    if constexpr (std::remove_cvref_t<decltype(m)>::name == std::string_view("csr") &&
                  std::remove_cvref_t<decltype(m)>::space::where == place::host)
      for (std::int64_t row = 0; row < m.rows; ++row)
        for (auto i = m.row_offsets[row]; i < m.row_offsets[row + 1]; ++i)
          dense[static_cast<std::size_t>(row * m.cols + m.col_indices[i])] = m.values[i];
  });
  return dense;
}

template <class Value>
bool right_products(const matrix& m, const std::vector<double>& dense) {
  const auto rows = static_cast<std::size_t>(m.rows()), cols = static_cast<std::size_t>(m.cols());
  const auto x = numbers<Value>(m.cols()), u = numbers<Value>(m.rows());
  std::vector<Value> y(rows, 1), v(cols, 1);
  m.multiply(2.0, x, -3.0, y);
  m.multiply_transposed(0.5, u, 1.0, v);
  const double enough = sizeof(Value) == 4 ? 1e-4 : 1e-12;
  bool right = true;
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += dense[r * cols + c] * static_cast<double>(x[c]);
    right = right && std::abs(static_cast<double>(y[r]) - (2 * sum - 3)) < enough;
  }
  for (std::size_t c = 0; c < cols; ++c) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += dense[r * cols + c] * static_cast<double>(u[r]);
    right = right && std::abs(static_cast<double>(v[c]) - (0.5 * sum + 1)) < enough;
  }
  return right;
}

// Both at once, and A^T (A x): as what the plain products of the matrix give.
template <class Value>
bool right_in_one_pass(const matrix& m) {
  const auto rows = static_cast<std::size_t>(m.rows()), cols = static_cast<std::size_t>(m.cols());
  const auto x = numbers<Value>(m.cols()), w = numbers<Value>(m.rows());
  std::vector<Value> y(rows, 1), z(cols, 2), normal(cols, 3), plain_y = y, plain_z = z, plain_normal = normal,
                                                              between(rows);
  m.multiply_both(2.0, x, w, -3.0, y, z);
  m.multiply_normal(0.5, x, -1.0, normal);
  m.multiply(2.0, x, -3.0, plain_y);
  m.multiply_transposed(2.0, w, -3.0, plain_z);
  m.multiply(1.0, x, 0.0, between);
  m.multiply_transposed(0.5, between, -1.0, plain_normal);
  const auto near = [](const std::vector<Value>& a, const std::vector<Value>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Value one, Value other) {
      return std::abs(one - other) <= (sizeof(Value) == 4 ? 1e-4 : 1e-12) * (1 + std::abs(other));
    });
  };
  return near(y, plain_y) && near(z, plain_z) && near(normal, plain_normal);
}

template <class Part>
std::vector<std::complex<Part>> complex_numbers(std::int64_t count) {
  const auto parts = numbers<Part>(2 * count);
  std::vector<std::complex<Part>> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    all.emplace_back(parts[2 * i], parts[2 * i + 1]);
  return all;
}

// A x, A^T x and A^H x of a complex matrix of these entries, with complex factors.
template <class Part>
bool right_complex_products(const matrix& m, const std::vector<std::int32_t>& rows,
                            const std::vector<std::int32_t>& cols,
                            const std::vector<std::complex<double>>& values) {
  using complex = std::complex<double>;
  const complex alpha(2, -1), beta(0, 3);
  const auto x = complex_numbers<Part>(m.cols()), w = complex_numbers<Part>(m.rows());
  std::vector<std::complex<Part>> y = w, z = x, v = x;
  m.multiply(alpha, x, beta, y);
  m.multiply_transposed(alpha, w, beta, z);
  m.multiply_adjoint(alpha, w, beta, v);
  std::vector<complex> right_y, right_z, right_v;
  for (const auto one : w) right_y.push_back(beta * complex(one));
  for (const auto one : x) right_z.push_back(beta * complex(one));
  right_v = right_z;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]), col = static_cast<std::size_t>(cols[i]);
    right_y[row] += alpha * values[i] * complex(x[col]);
    right_z[col] += alpha * values[i] * complex(w[row]);
    right_v[col] += alpha * std::conj(values[i]) * complex(w[row]);
  }
  const auto near = [](const std::vector<std::complex<Part>>& a, const std::vector<complex>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](std::complex<Part> one, complex other) {
      return std::abs(complex(one) - other) <= (sizeof(Part) == 4 ? 1e-3 : 1e-11);
    });
  };
  return near(y, right_y) && near(z, right_z) && near(v, right_v) && !near(v, right_z);
}

}  // namespace

TEST_CASE("complex matrices are multiplied in every format, A^T x and A^H x told apart") {
  std::vector<std::int32_t> rows, cols;
  std::vector<std::complex<double>> values;
  for (std::int32_t i = 0; i < 60; ++i) {
    rows.push_back(i * i % 23);
    cols.push_back(i * 7 % 17);
    values.emplace_back(i % 5 - 2, i % 3 + 1);
  }
  for (const value_width width : {value_width::automatic, value_width::c64}) {
    const matrix a = from_entries(23, 17, rows, cols, values, {.where = run_on::cpu, .values = width});
    CHECK(a.complex_values());
    CHECK(a.value_bits() == (width == value_width::c64 ? 64 : 128));
    for (const std::string& format : format_names()) {
      INFO(format);
      if (whole_of(*format_named(format))) {
        CHECK(refusal([&] { convert(a, format); }).find("complex values cannot be stored as half") == 0);
        continue;
      }
      const matrix m = convert(a, format, {.max_fill = 1000});
      CHECK((width == value_width::c64 ? right_complex_products<float>(m, rows, cols, values)
                                       : right_complex_products<double>(m, rows, cols, values)));
    }
    CHECK(!plan(a).empty());
    const matrix_features found = features(a);
    CHECK(found.complex_values);
    CHECK(found.entries == a.entries());
    const advice said = recommend(a, {.formats = {"csr", "sell", "bsr"}, .budget = 0.5});
    REQUIRE(said);
    CHECK(said.convert(a).kernel_transposed() == said.kernel_transposed);
    CHECK(said.text().find("complex values") != std::string::npos);
    CHECK(said.text().find("A^H x") != std::string::npos);
    CHECK(reorder(a, "length").made.entries() == a.entries());
  }
}

TEST_CASE("two products of a complex matrix, and what does not go with one") {
  using complex = std::complex<double>;
  const std::vector<std::int32_t> offsets = {0, 2, 3}, columns = {0, 1, 1};
  const std::vector<complex> values = {{1, 1}, {0, 2}, {3, -1}};
  const matrix a = borrow_csr(2, 2, offsets, columns, values);
  CHECK(a.borrowed());
  CHECK(a.complex_values());
  CHECK(features(a).field == "complex");
  const std::vector<complex> x = {{1, 0}, {0, 1}}, w = {{2, 0}, {1, 1}};
  std::vector<complex> y(2), z(2), normal(2);
  a.multiply_both(1.0, x, w, 0.0, y, z);
  CHECK(y == std::vector<complex>{{-1, 1}, {1, 3}});
  CHECK(z == std::vector<complex>{{2, 2}, {4, 6}});
  a.multiply_normal(1.0, x, 0.0, normal);
  CHECK(normal == std::vector<complex>{{-2, 0}, {4, 6}});
  a.prepare_adjoint();
  CHECK(visit_complex(a, [](const auto& m) { return bytes(m); }) == a.bytes());
  using borrowed = csr<std::int32_t, complex128, view_of<host>>;
  REQUIRE(view_as<borrowed>(a) != nullptr);
  CHECK(static_cast<const void*>(view_as<borrowed>(a)->values.data()) == values.data());
  CHECK(view_as<csr<std::int32_t, double, view_of<host>>>(a) == nullptr);

  std::vector<double> real(2);
  std::vector<std::complex<float>> narrow(2);
  CHECK(refusal([&] { a.multiply(1.0, real, 0.0, std::vector<double>(2)); }) ==
        "the matrix holds std::complex<double>, but x and y hold double: vectors of std::complex<double> go "
        "with it");
  CHECK(refusal([&] { a.multiply(1.0, narrow, 0.0, std::vector<std::complex<float>>(2)); }) ==
        "the matrix holds std::complex<double>, but x and y hold std::complex<float>: read it with .values = "
        "value_width::c64");
  CHECK(refusal([&] { visit(a, [](const auto&) {}); }) ==
        "the matrix holds complex values: visit_complex shows its arrays");
  const matrix of_reals = read(example, {.where = run_on::cpu});
  CHECK(refusal([&] {
          of_reals.multiply(complex(1, 2), std::vector<double>(45), 0.0, std::vector<double>(70));
        }).find("the matrix holds real values, but alpha has an imaginary part") == 0);
  CHECK(refusal([&] {
          visit_complex(of_reals, [](const auto&) {});
        }).find("the matrix holds real values: visit") == 0);
  // Of real values A^H is A^T.
  std::vector<double> transposed(45), adjoint(45);
  of_reals.multiply_transposed(1.0, std::vector<double>(70, 1.0), 0.0, transposed);
  of_reals.multiply_adjoint(1.0, std::vector<double>(70, 1.0), 0.0, adjoint);
  CHECK(transposed == adjoint);
  // As complex values real ones have no imaginary parts.
  const matrix widened = read("gen:laplace2d?n=4", {.where = run_on::cpu, .values = value_width::c128});
  std::vector<complex> sums(16);
  widened.multiply(1.0, std::vector<complex>(16, {0, 1}), 0.0, sums);
  CHECK(sums[0] == complex(0, 2));
}

TEST_CASE("a matrix knows what it is") {
  const matrix a = read("gen:laplace2d?n=10", {.where = run_on::cpu});
  CHECK(a.rows() == 100);
  CHECK(a.cols() == 100);
  CHECK(a.entries() == 460);
  CHECK(a.format() == "csr");
  CHECK(a.value_bits() == 64);
  CHECK(a.offset_bits() == 32);
  CHECK(a.bytes() == 101 * 4 + 460 * 12);
  CHECK_FALSE(a.on_gpu());
  CHECK_FALSE(a.borrowed());
  CHECK(a.name() == "gen:laplace2d?n=10");
  const matrix narrow =
      read("gen:laplace2d?n=10", {.where = run_on::cpu, .values = value_width::f32, .wide_offsets = true});
  CHECK(narrow.bytes() == 101 * 8 + 460 * 8);
  const matrix g = convert(a, "gcsb", {.max_fill = 100, .blocks = {.beta = 16}});
  CHECK(g.kind() == format_kind::gcsb);
  CHECK(g.parameters().front() == std::pair<std::string, std::int64_t>("beta", 16));
  CHECK(g.entries() == 460);
}

TEST_CASE("products in every format and both precisions are right, and so is the way back") {
  for (const value_width values : {value_width::f32, value_width::f64}) {
    const read_options how{.where = run_on::cpu, .values = values};
    for (const std::string& format : format_names()) {
      const matrix a = read(whole_of(*format_named(format)) ? "gen:laplace2d?n=8" : example, how);
      const std::vector<double> dense = dense_of(a);
      INFO(format << " " << a.value_bits());
      const matrix m = convert(a, format, {.max_fill = 100});
      CHECK(m.format() == format);
      CHECK(m.entries() == a.entries());
      CHECK((m.value_bits() == 32 ? right_products<float>(m, dense) : right_products<double>(m, dense)));
      CHECK((m.value_bits() == 32 ? right_in_one_pass<float>(m) : right_in_one_pass<double>(m)));
      CHECK(dense_of(m) == dense);
    }
  }
}

TEST_CASE("a kernel is chosen by name, for this copy alone, and prepared once for all") {
  const matrix a = read(example, {.where = run_on::cpu});
  const std::vector<double> dense = dense_of(a);
  const matrix b = convert(a, "bsr", {.max_fill = 100});
  for (const kernel_choice& one : kernels(b)) {
    INFO(one.name);
    matrix chosen = b;
    chosen.use_kernel(one.name);
    if (one.why_not.empty()) CHECK(chosen.kernel() == one.name);
    if (one.why_not_transposed.empty()) CHECK(chosen.kernel_transposed() == one.name);
    CHECK(right_products<double>(chosen, dense));
  }
  CHECK(b.kernel() == "bsr/preprocessed");
  matrix two = b;
  two.use_kernels("bsr/max-task", "bsr/preprocessed");
  CHECK(two.kernel() == "bsr/max-task");
  CHECK(two.kernel_transposed() == "bsr/preprocessed");
  two.use_kernel("");
  CHECK(two.kernel() == b.kernel());
  const std::int64_t before = b.prepared_bytes();
  matrix again = b;
  again.use_kernel("bsr/preprocessed");
  again.prepare_transposed();
  CHECK(b.prepared_bytes() == before);
  CHECK(refusal([&] { two.use_kernel("csr/hybrid"); }).find("no such kernel of bsr on the CPU") !=
        std::string::npos);
}

TEST_CASE("two products are made in one pass where a kernel does that, else one after the other") {
  const matrix a = read(example, {.where = run_on::cpu});
  CHECK(a.kernel_both() == "csr/omp");
  CHECK(a.kernel_normal() == "csr/omp");
  const std::int64_t nothing = a.prepared_bytes();
  a.prepare_both();
  a.prepare_normal();
  CHECK(a.prepared_bytes() > nothing);
  // The rows of A are not whole in CSC: A x is kept between two products.
  const matrix c = convert(a, "csc");
  CHECK(c.kernel_both() == "csc/omp");
  CHECK(c.kernel_normal().empty());
  c.prepare();
  c.prepare_transposed();
  const std::int64_t of_products = c.prepared_bytes();
  c.prepare_normal();
  CHECK(c.prepared_bytes() == of_products + a.rows() * 8);
  CHECK(right_in_one_pass<double>(c));
  for (const kernel_choice& one : kernels(c)) {
    if (one.name != "csc/omp") continue;
    CHECK(one.why_not_both.empty());
    CHECK(one.repeatable_both);
    CHECK(one.why_not_normal == "it does not compute A^T (A x) in one pass");
  }
  // A kernel chosen by name is taken for all that it computes, and for the two products of what it does not.
  matrix b = convert(a, "bsr", {.max_fill = 100});
  CHECK(b.kernel_both() == "bsr/preprocessed");
  b.use_kernel("bsr/max-task");
  CHECK(b.kernel_both().empty());
  CHECK(b.kernel_normal().empty());
  CHECK(right_in_one_pass<double>(b));
  b.use_kernel("");
  CHECK(b.kernel_normal() == "bsr/preprocessed");
  // Nothing but beta z is left, whatever x holds.
  for (const matrix& m : {a, c}) {
    const std::vector<double> x(45, std::nan("")), w(70, std::nan(""));
    std::vector<double> y(70, 1), z(45, 1);
    m.multiply_both(0.0, x, w, 2.0, y, z);
    m.multiply_normal(0.0, x, 2.0, z);
    CHECK(y == std::vector<double>(70, 2));
    CHECK(z == std::vector<double>(45, 4));
  }
}

TEST_CASE("threads share a matrix") {
  const matrix a = convert(read(example, {.where = run_on::cpu}), "csb");
  const std::vector<double> dense = dense_of(a);
  std::array<bool, 4> right{};
  {
    std::vector<std::jthread> threads;
    for (bool& one : right)
      threads.emplace_back([&, m = a] {
        one = true;
        for (int i = 0; i < 20; ++i) one = one && right_products<double>(m, dense);
      });
  }
  CHECK(std::all_of(right.begin(), right.end(), [](bool one) { return one; }));
}

TEST_CASE("arrays of others are used where they are, and checked") {
  const std::vector<std::int64_t> offsets = {0, 2, 2, 3};
  const std::vector<std::int32_t> columns = {0, 2, 1};
  std::vector<double> values = {1, 2, 3};
  const matrix a = borrow_csr(3, 3, offsets, columns, values);
  CHECK(a.borrowed());
  CHECK(a.offset_bits() == 64);
  std::vector<double> y(3);
  const std::vector<double> x = {1, 10, 100};
  a.multiply(1.0, x, 0.0, y);
  CHECK(y == std::vector<double>{201, 0, 30});
  values[0] = 5;  // what is borrowed is seen as it is now
  a.multiply(1.0, x, 0.0, y);
  CHECK(y == std::vector<double>{205, 0, 30});
  const auto* const lent = view_as<csr<std::int64_t, double, view_of<host>>>(a);
  REQUIRE(lent != nullptr);
  CHECK(lent->values.data() == values.data());
  CHECK(view_as<csr<std::int32_t, double, view_of<host>>>(a) == nullptr);
  const matrix own = convert(a, "csr");
  CHECK_FALSE(own.borrowed());
  CHECK(dense_of(own) == dense_of(a));
  CHECK(right_products<double>(convert(a, "sell", {.max_fill = 100}), dense_of(a)));

  const auto told = [&](std::vector<std::int64_t> o, std::vector<std::int32_t> c, std::int64_t cols = 3) {
    return refusal([&] { borrow_csr(3, cols, o, c, values); });
  };
  CHECK(told({0, 2, 2}, {0, 2, 1}) == "CSR: 3 rows have 4 offsets, but 3 were given");
  CHECK(told({0, 2, 2, 3}, {0, 2}) == "CSR: there are 2 column indices, but 3 values");
  CHECK(told({1, 2, 2, 3}, {0, 2, 1}) == "CSR: the first of the row offsets is 1, not 0");
  CHECK(told({0, 2, 2, 4}, {0, 2, 1}) == "CSR: the last of the row offsets is 4, but there are 3 entries");
  CHECK(told({0, 4, 2, 3}, {0, 2, 1}) == "CSR: row 0: offsets 0 and 4 are not a range of the 3 entries");
  CHECK(told({0, 2, 1, 3}, {0, 2, 1}) == "CSR: row 1: offsets 2 and 1 are not a range of the 3 entries");
  CHECK(told({0, 2, 2, 3}, {2, 0, 1}) == "CSR: row 0: columns are not sorted, 0 comes after 2");
  CHECK(told({0, 2, 2, 3}, {2, 2, 1}) == "CSR: row 0: column 2 occurs twice");
  CHECK(told({0, 2, 2, 3}, {0, 2, 3}) == "CSR: row 2: column 3 is outside 0..2");
  CHECK(told({0, 2, 2, 3}, {0, -2, 1}) == "CSR: row 0: column -2 is outside 0..2");
  CHECK(told({0, 2, 2, 3}, {0, 2, 1}, 3000000000).find("3000000000 columns: not in 0..") == 0);
  const std::vector<std::int32_t> unsorted = {2, 0, 1};
  CHECK(borrow_csr(3, 3, offsets, unsorted, values, {.trusted = true}).entries() == 3);
}

TEST_CASE("from entries in any order") {
  const std::vector<std::int32_t> rows = {1, 0, 1}, cols = {2, 1, 2};
  const std::vector<double> values = {1, 2, 3};
  const matrix a = from_entries(2, 3, rows, cols, values, {.where = run_on::cpu});
  CHECK(a.entries() == 2);
  CHECK(a.assembly().duplicates_summed == 1);
  CHECK(dense_of(a) == std::vector<double>{0, 2, 0, 0, 0, 4});
  CHECK(refusal([&] { from_entries(1, 3, rows, cols, values); }) ==
        "entry 0: (1, 2) is outside a matrix of 1 x 3");
}

TEST_CASE("what does not fit is refused in a sentence") {
  const matrix a = read(example, {.where = run_on::cpu});
  const std::vector<double> x(45);
  std::vector<double> y(70), all(115);
  std::vector<float> narrow_x(45), narrow_y(70);
  const std::vector<double> longer(46);
  CHECK(refusal([&] { a.multiply(1.0, longer, 0.0, y); }) ==
        "x has 46 values, but A x of a matrix of 70 x 45 needs 45");
  CHECK(refusal([&] { a.multiply_transposed(1.0, x, 0.0, y); }) ==
        "x has 45 values, but A^T x of a matrix of 70 x 45 needs 70");
  CHECK(refusal([&] { a.multiply(1.0, x, 0.0, all); }) ==
        "y has 115 values, but A x of a matrix of 70 x 45 needs 70");
  CHECK(refusal([&] { a.multiply(1.0, narrow_x, 0.0, narrow_y); }).find("the matrix holds double") == 0);
  CHECK(refusal([&] {
          a.multiply(1.0, std::span(all).subspan(0, 45), 0.0, std::span(all).subspan(44, 70));
        }).find("x and y share memory") == 0);
  CHECK(refusal([&] {
          a.multiply(1.0, device_span<const double>(x.data(), 45), 0.0, device_span<double>(y.data(), 70));
        }).find("x and y are in the GPU's memory, but the matrix is in the host's") == 0);
  std::vector<double> z(45);
  CHECK(refusal([&] { a.multiply_both(1.0, x, x, 0.0, y, z); }) ==
        "w has 45 values, but A x and A^T w of a matrix of 70 x 45 needs 70");
  CHECK(refusal([&] { a.multiply_both(1.0, x, std::vector<double>(70), 0.0, y, y); }) ==
        "z has 70 values, but A x and A^T w of a matrix of 70 x 45 needs 45");
  CHECK(refusal([&] { a.multiply_normal(1.0, x, 0.0, y); }) ==
        "z has 70 values, but A^T (A x) of a matrix of 70 x 45 needs 45");
  CHECK(refusal([&] { a.multiply_normal(1.0, z, 0.0, z); }) ==
        "x and z share memory: a product reads x while it writes z");
  CHECK(refusal([&] { a.multiply_both(1.0, x, y, 0.0, y, z); }) ==
        "w and y share memory: a product reads w while it writes y");
  CHECK(refusal([&] {
          a.multiply_both(1.0, x, std::vector<double>(70), 0.0, std::span(all).subspan(0, 70),
                          std::span(all).subspan(69, 45));
        }) == "y and z share memory: both are written");
  CHECK(refusal([&] {
          a.multiply_both(1.0, narrow_x, narrow_y, 0.0, std::vector<float>(70), std::vector<float>(45));
        }).find("the matrix holds double, but x, w, y and z hold float") == 0);
  CHECK(refusal([&] { a.on(&y); }).find("a stream is for a matrix on the GPU") == 0);
  CHECK(refusal([&] { convert(a, "crs"); }).find("there is no format \"crs\"") == 0);
  CHECK(refusal([&] { convert(a, "csb", {.blocks = {.beta = 3}}); }).find("beta") != std::string::npos);
  CHECK(refusal([&] { read("no-such-file.mtx"); }).find("no-such-file.mtx") == 0);
  CHECK(refusal([&] { recommend(a, {.mix = {0, 0}}); }) == "a mix of no products at all");
  CHECK(refusal([&] { recommend(a, {.kernels = {"csr/no"}}); }).find("csr/no: no such kernel") == 0);
}

TEST_CASE("advice is followed, and told") {
  const matrix a = read(example, {.where = run_on::cpu});
  const advice said = recommend(a, {.mix = {10, 1}, .formats = {"csr", "ell"}, .budget = 0.5});
  REQUIRE(said);
  CHECK((said.format == "csr" || said.format == "ell"));
  CHECK(said.seconds > 0);
  CHECK(said.csr_seconds > 0);
  const matrix m = said.convert(a);
  CHECK(m.format() == said.format);
  CHECK(m.kernel() == said.kernel);
  CHECK(m.kernel_transposed() == said.kernel_transposed);
  CHECK(right_products<double>(m, dense_of(a)));
  CHECK(said.text().find(said.kernel) != std::string::npos);
  CHECK(said.json().find("sparsmith.recommend/") != std::string::npos);
  const advice only_ax = recommend(a, {.mix = {1, 0}, .predict = true});
  REQUIRE(only_ax);
  CHECK(only_ax.kernel_transposed.empty());
  CHECK(right_products<double>(only_ax.convert(a), dense_of(a)));
}

TEST_CASE("advice may be about another order of rows and columns, and is followed in it") {
  const matrix a = read("gen:uniform?n=90&density=0.05&seed=3", {.where = run_on::cpu});
  std::vector<std::string> asked;
  const advice said = recommend(a, {.predict = true,
                                    .orders = {"length", "rcm", "length"},
                                    .progress = [&](const std::string& text) { asked.push_back(text); }});
  REQUIRE(said);
  CHECK(std::count(asked.begin(), asked.end(), "finding the order") == 2);
  const auto told = nlohmann::json::parse(said.json());
  CHECK(told["schema"] == "sparsmith.orders/1");
  REQUIRE(told["orders"].size() == 3);
  CHECK(told["orders"][2]["matrix"]["order"] == "rcm");
  CHECK(said.text().find("\n\norders   ") != std::string::npos);
  CHECK((told["taken"].is_null() ? said.order.empty() : told["taken"] == said.order));
  const matrix ordered = said.order.empty() ? a : reorder(a, said.order).made;
  CHECK(right_products<double>(said.convert(ordered), dense_of(ordered)));
  // As often as it is asked, and with nothing about orders where none was named.
  int left = 1;
  const advice ended =
      recommend(a, {.predict = true, .orders = {"all"}, .interrupted = [&] { return left-- <= 0; }});
  CHECK(nlohmann::json::parse(ended.json())["orders"].size() < 4);
  CHECK(recommend(a, {.predict = true}).text().find("orders   ") == std::string::npos);
  const matrix wide = read(example, {.where = run_on::cpu});
  CHECK(
      nlohmann::json::parse(recommend(wide, {.predict = true, .orders = {"all"}}).json())["orders"].size() ==
      2);
  CHECK(refusal([&] { recommend(wide, {.orders = {"rcm"}}); }).find("order rcm is for square matrices") == 0);
  CHECK(refusal([&] {
          recommend(wide, {.orders = {"all", "best"}});
        }) == "there is no order \"best\", only rcm, amd, length, all");
  CHECK(refusal([&] { recommend(a, {.exhaustive = true, .orders = {"rcm"}}); }).find("an exhaustive run") ==
        0);
}

TEST_CASE("advice about arrays names no file to read") {
  const std::vector<std::int32_t> rows = {0, 1, 2}, cols = {0, 1, 2};
  const matrix built = from_entries(3, 3, rows, cols, std::vector<double>{1, 2, 3}, {.where = run_on::cpu});
  const std::vector<std::int32_t> offsets = {0, 1, 2, 3};
  const std::vector<double> values = {1, 2, 3};
  const matrix given = borrow_csr(3, 3, offsets, cols, values);
  for (const matrix& a : {built, given, convert(given, "coo")}) {
    const advice said = recommend(a, {.predict = true});
    REQUIRE(said);
    const auto told = nlohmann::json::parse(said.json());
    CHECK(told["verdict"]["spconv"].is_null());
    CHECK(told["verdict"]["code"].get<std::string>().find("read(") == std::string::npos);
    CHECK(told["verdict"]["code"].get<std::string>().find("use_kernel") != std::string::npos);
    CHECK(said.text().find("spconv matrix") == std::string::npos);
    CHECK(said.text().find("read(") == std::string::npos);
  }
  const matrix a = read(example, {.where = run_on::cpu});
  for (const matrix& from_file : {a, convert(a, "coo")})
    CHECK(recommend(from_file, {.predict = true}).json().find("read(") != std::string::npos);
}

TEST_CASE("a matrix in another order computes the same with vectors in that order") {
  for (const char* const how : {"rcm", "amd", "length"}) {
    const bool rows_alone = how == std::string("length");
    const matrix a = convert(
        read(rows_alone ? example : "gen:uniform?n=60&density=0.08&seed=9", {.where = run_on::cpu}), "coo");
    const reordered other = reorder(a, how);
    INFO(how);
    CHECK(other.columns_alike == !rows_alone);
    CHECK(other.made.format() == "csr");
    CHECK(other.made.name() == a.name());
    REQUIRE(std::ssize(other.rows) == a.rows());
    const auto x = numbers<double>(a.cols()), u = numbers<double>(a.rows());
    std::vector<double> y(u.size()), v(x.size()), ordered_y(u.size()), ordered_v(x.size());
    const auto in_order = [&](const std::vector<double>& all) {
      std::vector<double> ordered;
      for (const std::int32_t row : other.rows) ordered.push_back(all[static_cast<std::size_t>(row)]);
      return ordered;
    };
    a.multiply(1, x, 0, y);
    other.made.multiply(1, rows_alone ? x : in_order(x), 0, ordered_y);
    CHECK(ordered_y == in_order(y));
    a.multiply_transposed(1, u, 0, v);
    other.made.multiply_transposed(1, in_order(u), 0, ordered_v);
    for (std::size_t i = 0; i < v.size(); ++i)
      CHECK(std::abs(ordered_v[i] - (rows_alone ? v : in_order(v))[i]) < 1e-12);
    // Nobody is told to read the matrix by its name: that is in another order.
    CHECK(recommend(other.made, {.predict = true}).text().find("the matrix that this was asked about") !=
          std::string::npos);
  }
  const matrix wide = read(example, {.where = run_on::cpu});
  CHECK(refusal([&] { reorder(wide, "rcm"); }) ==
        "order rcm is for square matrices, this one is 70 x 45; length orders rows alone");
  CHECK(refusal([&] { reorder(wide, "best"); }) == "there is no order \"best\", only rcm, amd, length");
}

TEST_CASE("features and prices are those of the matrix, whatever its format") {
  const matrix a = read(example, {.where = run_on::cpu});
  const matrix g = convert(a, "gcsb", {.max_fill = 100});
  CHECK(features(g).entries == a.entries());
  CHECK(features(g).row_lengths.lengths.most == features(a).row_lengths.lengths.most);
  for (const format_cost& cost : plan(a))
    if (cost.possible() && cost.allowed && cost.exact) {
      INFO(name_of(cost.format));
      CHECK(convert(a, name_of(cost.format), cost.options).bytes() == cost.bytes);
    }
}

TEST_CASE("what is written is read again") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "sparsmith_library_test";
  std::filesystem::create_directories(folder);
  const matrix a = read(example, {.where = run_on::cpu});
  const std::vector<double> dense = dense_of(a);
  for (const auto& [format, file] : {std::pair("csr", "a.npz"), std::pair("gcsb", "a.mtx"),
                                     std::pair("gcsb", "a.h5"), std::pair("coo", "a.mtx.gz")}) {
    INFO(format << " " << file);
    const std::string path = (folder / file).string();
    write(convert(a, format, {.max_fill = 100}), path);
    CHECK(dense_of(read(path, {.where = run_on::cpu})) == dense);
  }
  const std::vector<std::int32_t> offsets = {0, 1}, columns = {0};
  const std::vector<double> values = {7};
  write(borrow_csr(1, 1, offsets, columns, values), (folder / "b.npz").string());
  CHECK(dense_of(read((folder / "b.npz").string(), {.where = run_on::cpu})) == std::vector<double>{7});
  CHECK(refusal([&] {
          write(convert(a, "gcsb", {.max_fill = 100}), (folder / "c.npz").string());
        }).find("cannot hold gcsb") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "c.npz"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("matrices without rows, columns or entries") {
  const std::vector<std::int32_t> offsets = {0, 0, 0}, none;
  const std::vector<double> values;
  const matrix a = borrow_csr(2, 0, offsets, none, values);
  std::vector<double> y = {1, 2}, x;
  a.multiply(1.0, x, 2.0, y);
  CHECK(y == std::vector<double>{2, 4});
  a.multiply_transposed(1.0, y, 0.0, x);
  CHECK(x.empty());
}

TEST_CASE("several vectors at once are what each of them is alone, by rows and by columns") {
  const matrix csr = read("gen:uniform?n=40&cols=60&density=0.1&seed=5", {.where = run_on::cpu});
  REQUIRE(csr.rows() == 40);
  for (const char* const format : {"csr", "sell", "bsr", "gcsb", "dia"}) {
    const matrix m = convert(csr, format, {.max_fill = 1e9});
    for (const bool transposed : {false, true})
      for (const int count : {1, 5, 40})
        for (const bool rows : {false, true}) {
          INFO(format << ", " << count << " vectors, " << (rows ? "by rows" : "by columns"));
          const std::int64_t in = transposed ? m.rows() : m.cols(), out = transposed ? m.cols() : m.rows(),
                             lines = rows ? in : count, stride = (rows ? count : in) + 2,
                             out_lines = rows ? out : count, out_stride = (rows ? count : out) + 1;
          const auto at = [&](std::int64_t v, std::int64_t i, std::int64_t step) {
            return static_cast<std::size_t>(rows ? i * step + v : v * step + i);
          };
          const auto x = numbers<double>(lines * stride);
          std::vector<double> y(static_cast<std::size_t>(out_lines * out_stride), 7.0);
          const auto multiply = [&](const auto& from, auto&& to) {
            if (transposed)
              m.multiply_transposed(2.0, from, -1.0, to);
            else
              m.multiply(2.0, from, -1.0, to);
          };
          if (rows)
            multiply(by_rows(x, count, stride), by_rows(y, count, out_stride));
          else
            multiply(by_columns(x, count, stride), by_columns(std::span<double>(y), count, out_stride));
          bool right = true;
          for (std::int64_t v = 0; v < count; ++v) {
            std::vector<double> one(static_cast<std::size_t>(in)), alone(static_cast<std::size_t>(out), 7.0);
            for (std::int64_t i = 0; i < in; ++i) one[static_cast<std::size_t>(i)] = x[at(v, i, stride)];
            multiply(one, alone);
            for (std::int64_t i = 0; i < out; ++i) {
              right = right && std::abs(y[at(v, i, out_stride)] - alone[static_cast<std::size_t>(i)]) < 1e-12;
              y[at(v, i, out_stride)] = 7.0;
            }
          }
          CHECK(right);
          // What lies between rows, or between vectors, was left alone.
          CHECK(std::count(y.begin(), y.end(), 7.0) == static_cast<std::ptrdiff_t>(y.size()));
        }
  }
  std::vector<double> x(120), y(80);
  csr.multiply(1.0, by_rows(x, 0), 0.0, by_rows(y, 0));
  CHECK(refusal([&] { csr.multiply(1.0, by_rows(x, 3), 0.0, by_rows(y, 2)); }) ==
        "x has 3 vectors by rows, but y has 2 by rows: both must be alike");
  CHECK(refusal([&] { csr.multiply(1.0, by_rows(x, 3), 0.0, by_rows(y, 3)); }) ==
        "x has 120 values, but 3 vectors by rows for a matrix of 40 x 60 need 60 of 3, 3 apart");
  CHECK(refusal([&] {
          csr.multiply(1.0, by_rows(x, 2, std::int64_t{1} << 62), 0.0, by_rows(y, 2));
        }).find("need 60 of 2, 4611686018427387904 apart") != std::string::npos);
  CHECK(refusal([&] { csr.multiply(1.0, by_columns(x, 2, 59), 0.0, by_columns(y, 2)); }) ==
        "x has a stride of 59, but 2 vectors of 60 values each");
  CHECK(refusal([&] { csr.multiply(1.0, by_columns(x, 2), 0.0, by_columns(x, 2)); }) ==
        "x and y share memory: a product reads x while it writes y");
  std::vector<float> narrow(120), narrow_y(80);
  CHECK(refusal([&] {
          csr.multiply(1.0, by_columns(narrow, 2), 0.0, by_columns(narrow_y, 2));
        }).find("the matrix holds double, but x and y hold float") == 0);
}
