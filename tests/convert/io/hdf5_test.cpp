// Our container gives back every format bit for bit and notices any changed byte; Binsparse files are read in
// every layout and type the specification names, whoever wrote them, and refused in one line where they are
// wrong.
#include <fcntl.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <functional>

#include "convert/io/binsparse.hpp"
#include "convert/io/container.hpp"
#include "convert/io/read.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"
#include "tests/convert/io/handmade_hdf5.hpp"

using namespace sparsmith;
using namespace sparsmith::test;

namespace {

using any_float = any_format<std::int32_t, float, host>;
using any_double = any_format<std::int32_t, double, host>;

template <class V>
ell<V, host> small_ell() {
  ell<V, host> f;
  f.rows = 3;
  f.cols = 4;
  f.width = 2;
  f.row_lengths = array_of<std::int32_t>({2, 0, 1});
  f.col_indices = array_of<std::int32_t>({1, 0, 3, 2, 0, 3});
  f.values = awkward_values<V>();
  return f;
}

template <class O, class V>
sell<O, V, host> small_sell() {
  sell<O, V, host> f;
  f.rows = 3;
  f.cols = 4;
  f.slice = 2;
  f.sigma = 3;
  f.row_order = array_of<std::int32_t>({0, 2, 1});
  f.row_lengths = array_of<std::int32_t>({2, 1, 0});
  f.slice_offsets = array_of<O>({0, 4, 4});
  f.col_indices = array_of<std::int32_t>({1, 3, 2, 3});
  f.values = array_of<V>({V(0.1), V(-0.0), V(2), V(0)});
  return f;
}

template <class V>
hyb<V, host> small_hyb() {
  hyb<V, host> f;
  f.rows = 3;
  f.cols = 4;
  f.width = 1;
  f.row_lengths = array_of<std::int32_t>({1, 0, 1});
  f.ell_col_indices = array_of<std::int32_t>({1, 0, 3});
  f.ell_values = array_of<V>({V(0.1), V(0), V(-0.0)});
  f.rest_row_indices = array_of<std::int32_t>({0});
  f.rest_col_indices = array_of<std::int32_t>({2});
  f.rest_values = array_of<V>({std::numeric_limits<V>::quiet_NaN()});
  return f;
}

template <class O, class Format>
void check_container(Format made) {
  using any = any_format<O, typename Format::value_type, host>;
  const any stored = std::move(made);
  const Format& f = std::get<Format>(stored);
  const scratch_file file(".h5");
  write_container(file.path, stored);
  const stored_matrix back = read_container(file.path);
  REQUIRE(std::holds_alternative<any>(back));
  REQUIRE(std::holds_alternative<Format>(std::get<any>(back)));
  CHECK(identical(std::get<Format>(std::get<any>(back)), f));
  CHECK_FALSE(is_binsparse(file.path));
  const std::string bytes = file.bytes();
  write_container(file.path, stored);
  CHECK(file.bytes() == bytes);
}

template <class O, class V>
void check_containers() {
  check_container<O>(small_coo<V>());
  check_container<O>(small_csr<O, V>());
  check_container<O>(small_csc<O, V>());
  check_container<O>(small_ell<V>());
  check_container<O>(small_sell<O, V>());
  check_container<O>(small_hyb<V>());
  // 0 by 0, with arrays that have no elements at all.
  check_container<O>(coo<V, host>{});
  check_container<O>(csr<O, V, host>{});
  check_container<O>(csc<O, V, host>{});
  check_container<O>(ell<V, host>{});
  check_container<O>(sell<O, V, host>{});
  check_container<O>(hyb<V, host>{});
}

// Reading must refuse a spoilt container or deliver the same matrix.
template <class O, class Format>
void check_every_byte(Format made) {
  using any = any_format<O, typename Format::value_type, host>;
  const any stored = std::move(made);
  const Format& f = std::get<Format>(stored);
  const scratch_file file(".h5");
  write_container(file.path, stored);
  spoil_every_byte(file, [&](const std::string& how) {
    bool accepted = true;
    try {
      const stored_matrix back = read_container(file.path);
      accepted = identical(std::get<Format>(std::get<any>(back)), f) && how.find("cut") == std::string::npos;
    } catch (const error&) {
    }
    if (!accepted) FAIL("a changed file was accepted: " << how);
  });
  SUCCEED("no changed file was accepted");
}

// A Binsparse file put together by hand, in the root or in a group.
class handmade : public handmade_hdf5 {
 public:
  explicit handmade(const char* group = nullptr) : handmade_hdf5(".bsp.h5") {
    if (group != nullptr) enter(group);
  }
  template <class T>
  handmade& set(const char* name, hid_t stored, hid_t memory, std::initializer_list<T> list,
                bool chunked = false) {
    array(name, stored, memory, list, {list.size()}, chunked);
    return *this;
  }
  handmade& ints(const char* name, std::initializer_list<std::int64_t> list, hid_t stored = H5T_STD_U64LE) {
    return set(name, stored, H5T_NATIVE_INT64, list);
  }
  handmade& doubles(const char* name, std::initializer_list<double> list, hid_t stored = H5T_IEEE_F64LE) {
    return set(name, stored, H5T_NATIVE_DOUBLE, list);
  }
  // The description as h5py (variable length) or as the C reference (fixed length) writes it.
  handmade& describe(const std::string& text, bool variable = true) {
    put_text(place(), "binsparse", text, variable);
    return *this;
  }
  matrix_entries read(complex_values if_complex = complex_values::refuse) {
    return read_binsparse(path(), if_complex);
  }
  std::string refusal(failure expected = failure::input) {
    return failure_of([&] { read(); }, expected);
  }
};

std::string inner(const std::string& format, const std::string& values = "float64",
                  const std::string& more = "", const std::string& shape = "[3, 4]", int stored = 3) {
  return R"({"version": "0.1", "format": ")" + format + R"(", "shape": )" + shape +
         R"(, "number_of_stored_values": )" + std::to_string(stored) + R"(, "data_types": {"values": ")" +
         values + R"("})" + more + "}";
}

std::string nested(const std::string& text) {
  return R"({"binsparse": )" + text + R"(, "author": "me"})";
}

bool has_entries(const matrix_entries& m, std::initializer_list<std::int32_t> rows,
                 std::initializer_list<std::int32_t> cols, std::initializer_list<double> values) {
  coo<double, host> expected;
  expected.rows = m.entries.rows;
  expected.cols = m.entries.cols;
  expected.row_indices = array_of(rows);
  expected.col_indices = array_of(cols);
  expected.values = array_of(values);
  return identical(m.entries, expected);
}

template <class O, class Format>
void check_binsparse(Format made, const char* format, bool transposed) {
  using value = typename Format::value_type;
  const scratch_file file(".bsp.h5");
  write_binsparse(file.path, any_format<O, value, host>(std::move(made)));
  CHECK(is_binsparse(file.path));
  const matrix_entries m = read_binsparse(file.path);
  const coo<value, host> stored = small_coo<value>();
  coo<double, host> expected;
  expected.rows = transposed ? stored.cols : stored.rows;
  expected.cols = transposed ? stored.rows : stored.cols;
  expected.row_indices = copy_to<host>(transposed ? stored.col_indices : stored.row_indices, place::host);
  expected.col_indices = copy_to<host>(transposed ? stored.row_indices : stored.col_indices, place::host);
  expected.values = array<double, host>(stored.values.size());
  std::copy(stored.values.begin(), stored.values.end(), expected.values.begin());
  CHECK(identical(m.entries, expected));
  CHECK(m.origin == std::string("Binsparse ") + format);
  CHECK(m.field == "real");
  CHECK(m.single_precision == (sizeof(value) == 4));
}

template <class O, class V>
void check_binsparse_round_trips() {
  check_binsparse<O>(small_coo<V>(), "COOR", false);
  check_binsparse<O>(small_csr<O, V>(), "CSR", false);
  check_binsparse<O>(small_csc<O, V>(), "CSC", true);
}

// The triangle of a 3 x 3 matrix with four entries.
csr_half<std::int32_t, double, host> small_half(std::int32_t skew) {
  csr_half<std::int32_t, double, host> m;
  m.skew = skew;
  m.upper.rows = m.upper.cols = 3;
  m.upper.row_offsets = array_of<std::int32_t>({0, 2, 3, 4});
  m.upper.col_indices = array_of<std::int32_t>({0, 2, 2, 2});
  m.upper.values = array_of<double>({skew != 0 ? 0.0 : 4.0, 1.5, -2.0, 0.0});
  return m;
}

}  // namespace

TEST_CASE("half of a symmetric matrix is a triangle of Binsparse") {
  for (const std::int32_t skew : {0, 1}) {
    const scratch_file file(".bsp.h5");
    write_binsparse(file.path, any_double(small_half(skew)));
    const matrix_entries m = read_binsparse(file.path);
    CHECK(m.symmetry == (skew != 0 ? symmetry_kind::skew_symmetric : symmetry_kind::symmetric));
    CHECK(m.origin == "Binsparse CSR");
    coo<double, host> expected;
    expected.rows = expected.cols = 3;
    expected.row_indices = array_of<std::int32_t>({0, 0, 1, 2});
    expected.col_indices = array_of<std::int32_t>({0, 2, 2, 2});
    expected.values = array_of<double>({skew != 0 ? 0.0 : 4.0, 1.5, -2.0, 0.0});
    CHECK(identical(m.entries, expected));
  }
}

TEST_CASE("containers give back every format bit for bit") {
  check_containers<std::int32_t, float>();
  check_containers<std::int32_t, double>();
  check_containers<std::int64_t, float>();
  check_containers<std::int64_t, double>();
}

TEST_CASE("containers with any byte changed or missing") {
  SECTION("csr") {
    check_every_byte<std::int32_t>(small_csr<std::int32_t, double>());
  }
  SECTION("sell") {
    check_every_byte<std::int64_t>(small_sell<std::int64_t, float>());
  }
  SECTION("hyb") {
    check_every_byte<std::int32_t>(small_hyb<double>());
  }
}

TEST_CASE("a damaged array of a container is named with both checksums") {
  const scratch_file file(".h5");
  any_double stored = small_csr<std::int32_t, double>();
  const auto& f = std::get<csr<std::int32_t, double, host>>(stored);
  std::get<csr<std::int32_t, double, host>>(stored).values[0] = 12345.678;
  write_container(file.path, stored);
  std::string bytes = file.bytes();
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(f.values.data()), 8));
  REQUIRE(at != std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  file.replace(bytes);
  const std::string text = failure_of([&] { read_container(file.path); });
  CHECK(holds(text, file.path + ": array values is damaged (checksum "));
  CHECK(text.size() ==
        (file.path + ": array values is damaged (checksum 0123abcd, expected 89ef0123)").size());
}

// Every checksum is right; only the product of the sizes wraps around, to the lengths of arrays that are
// empty.
TEST_CASE("a container whose sizes do not fit 64 bits is refused") {
  ecsb<std::int32_t, double, host> f;
  f.rows = f.cols = 8;
  f.beta = 2;
  f.holding = static_cast<std::int32_t>(ecsb_holding::ell);
  f.width = std::int64_t{1} << 62;
  f.block_row_offsets = array_of<std::int32_t>({0, 1, 1, 1, 1});
  const scratch_file file(".h5");
  write_container(file.path, any_double(std::move(f)));
  CHECK(failure_of([&] { read_matrix(file.path); }) ==
        file.path + ": not a valid ecsb: the sizes do not fit 64 bits");
}

TEST_CASE("containers that are none") {
  CHECK(holds(failure_of([] { read_container("/nonexistent/m.h5"); }),
              "/nonexistent/m.h5: could not open as HDF5: No such"));
  const scratch_file file(".h5");
  file.replace("no HDF5 at all");
  CHECK(holds(failure_of([&] { read_container(file.path); }), "could not open as HDF5: "));
  CHECK_FALSE(is_binsparse(file.path));
  CHECK_FALSE(is_binsparse("/nonexistent/m.h5"));
  write_binsparse(file.path, any_float(small_coo<float>()));
  CHECK(holds(failure_of([&] { read_container(file.path); }), "nor a Sparsmith container"));
  write_container(file.path, any_float(small_coo<float>()));
  CHECK(holds(failure_of([&] { read_binsparse(file.path); }), "not Binsparse"));
}

TEST_CASE("HDF5 files that cannot be written") {
  const any_double f = small_csr<std::int32_t, double>(), rows_and_rest = small_hyb<double>();
  CHECK(holds(failure_of([&] { write_container("/nonexistent/m.h5", f); }, failure::output),
              "/nonexistent/m.h5: could not write: No such file"));
  const scratch_file file(".h5");
  write_container(file.path, rows_and_rest);
  const std::size_t size = file.bytes().size();
  for (std::size_t limit = 0; limit < size; limit += 61) {
    std::string text;
    {
      const small_disk full(limit);
      text = failure_of([&] { write_container(file.path, rows_and_rest); }, failure::output);
    }
    if (!holds(text, file.path + ": could not write: File too large"))
      FAIL("limit " << limit << ": " << text);
  }
  // Nothing of the failures is left behind in the library.
  write_container(file.path, f);
  CHECK_NOTHROW(read_container(file.path));
}

TEST_CASE("Binsparse round trips keep every bit") {
  check_binsparse_round_trips<std::int32_t, float>();
  check_binsparse_round_trips<std::int32_t, double>();
  check_binsparse_round_trips<std::int64_t, float>();
  check_binsparse_round_trips<std::int64_t, double>();
  const scratch_file file(".bsp.h5");
  write_binsparse(file.path, any_double(coo<double, host>{}));
  CHECK(read_binsparse(file.path).entries.values.size() == 0);
}

TEST_CASE("Binsparse files hold no other formats") {
  const scratch_file file(".bsp.h5");
  CHECK(failure_of([&] { write_binsparse(file.path, any_double(small_ell<double>())); }, failure::usage) ==
        "a binsparse file cannot hold ell");
  CHECK(file.bytes().empty());
}

TEST_CASE("Binsparse layouts written by others") {
  const auto is_csr = [](const matrix_entries& m) { return has_entries(m, {0, 0, 2}, {1, 3, 0}, {1, 2, 3}); };
  SECTION("CSR, nested or not, fixed or variable text, in the root or in a group") {
    for (const char* group : {static_cast<const char*>(nullptr), "matrix"})
      for (const bool variable : {true, false})
        for (const std::string& text : {inner("CSR"), nested(inner("CSR"))}) {
          handmade h(group);
          h.ints("pointers_to_1", {0, 2, 2, 3}).ints("indices_1", {1, 3, 0}).doubles("values", {1, 2, 3});
          h.describe(text, variable);
          CHECK(is_csr(h.read()));
          CHECK(is_binsparse(h.path()));
        }
  }
  SECTION("DCSR and DCSC") {
    handmade h;
    h.ints("indices_0", {0, 2}, H5T_STD_I8LE).ints("pointers_to_1", {0, 2, 3}, H5T_STD_U16BE);
    h.ints("indices_1", {1, 3, 0}, H5T_STD_U32LE).doubles("values", {1, 2, 3}).describe(inner("DCSR"));
    CHECK(is_csr(h.read()));
    handmade t;
    t.ints("indices_0", {0, 2}).ints("pointers_to_1", {0, 2, 3}).ints("indices_1", {1, 3, 0});
    t.doubles("values", {1, 2, 3}).describe(inner("DCSC", "float64", "", "[4, 3]"));
    CHECK(has_entries(t.read(), {1, 3, 0}, {0, 0, 2}, {1, 2, 3}));
  }
  SECTION("CSC") {
    handmade h;
    h.ints("pointers_to_1", {0, 2, 2, 3}).ints("indices_1", {1, 3, 0}).doubles("values", {1, 2, 3});
    h.describe(inner("CSC", "float64", "", "[4, 3]"));
    CHECK(has_entries(h.read(), {1, 3, 0}, {0, 0, 2}, {1, 2, 3}));
  }
  SECTION("COO, COOR and COOC, whose first index is the column") {
    for (const char* format : {"COO", "COOR"}) {
      handmade h;
      h.ints("indices_0", {0, 0, 2})
          .ints("indices_1", {1, 3, 0})
          .doubles("values", {1, 2, 3})
          .describe(inner(format));
      CHECK(is_csr(h.read()));
    }
    handmade h;
    h.ints("indices_0", {0, 1, 3})
        .ints("indices_1", {2, 0, 0})
        .doubles("values", {3, 1, 2})
        .describe(inner("COOC"));
    CHECK(has_entries(h.read(), {2, 0, 0}, {0, 1, 3}, {3, 1, 2}));
  }
  SECTION("compressed chunks") {
    handmade h;
    h.set<std::int64_t>("indices_0", H5T_STD_I64LE, H5T_NATIVE_INT64, {0, 0, 2}, true);
    h.set<std::int64_t>("indices_1", H5T_STD_I64LE, H5T_NATIVE_INT64, {1, 3, 0}, true);
    h.set<double>("values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {1, 2, 3}, true).describe(inner("COO"));
    CHECK(is_csr(h.read()));
  }
  SECTION("values of every type") {
    const auto coordinates = [](handmade& h) -> handmade& {
      return h.ints("indices_0", {0, 0, 2}).ints("indices_1", {1, 3, 0});
    };
    const std::pair<const char*, hid_t> integers[] = {{"int8", H5T_STD_I8LE},    {"int16", H5T_STD_I16LE},
                                                      {"int32", H5T_STD_I32LE},  {"int64", H5T_STD_I64BE},
                                                      {"uint8", H5T_STD_U8LE},   {"uint16", H5T_STD_U16LE},
                                                      {"uint32", H5T_STD_U32LE}, {"uint64", H5T_STD_U64LE}};
    for (const auto& [name, type] : integers) {
      handmade h;
      coordinates(h).ints("values", {1, 2, 3}, type).describe(inner("COO", name));
      const matrix_entries m = h.read();
      CHECK(is_csr(m));
      CHECK(m.field == "integer");
    }
    handmade single;
    coordinates(single).doubles("values", {1, 2, 3}, H5T_IEEE_F32LE).describe(inner("COO", "float32"));
    CHECK(single.read().single_precision);
    handmade logical;
    coordinates(logical).ints("values", {1, 0, 1}, H5T_STD_U8LE).describe(inner("COO", "bint8"));
    CHECK(has_entries(logical.read(), {0, 0, 2}, {1, 3, 0}, {1, 0, 1}));
    handmade iso;
    coordinates(iso).doubles("values", {7}).describe(inner("COO", "iso[float64]"));
    CHECK(has_entries(iso.read(), {0, 0, 2}, {1, 3, 0}, {7, 7, 7}));
    handmade large;
    coordinates(large)
        .ints("values", {(std::int64_t{1} << 53) + 1}, H5T_STD_I64LE)
        .describe(inner("COO", "iso[int64]"));
    CHECK(large.read().rounded_values == 3);
  }
  SECTION("an h5py Boolean") {
    const hid_t type = ::H5Tenum_create(H5T_STD_I8LE);
    signed char value = 0;
    ::H5Tenum_insert(type, "FALSE", &value);
    value = 1;
    ::H5Tenum_insert(type, "TRUE", &value);
    handmade h;
    h.ints("indices_0", {0, 0, 2}).ints("indices_1", {1, 3, 0});
    h.set<signed char>("values", type, type, {1, 0, 1}).describe(inner("COO", "bint8"));
    CHECK(has_entries(h.read(), {0, 0, 2}, {1, 3, 0}, {1, 0, 1}));
    ::H5Tclose(type);
  }
  SECTION("structures") {
    const auto read_as = [](const std::string& structure, double last = 3) {
      handmade h;
      h.ints("indices_0", {1, 2, 2}).ints("indices_1", {0, 1, 2}).doubles("values", {1, 2, last});
      h.describe(inner("COO", "float64", R"(, "structure": ")" + structure + "\"", "[3, 3]"));
      return h.read().symmetry;
    };
    CHECK(read_as("symmetric_lower") == symmetry_kind::symmetric);
    CHECK(read_as("skew_symmetric_lower", 0) == symmetry_kind::skew_symmetric);
    CHECK(holds(failure_of([&] { read_as("skew_symmetric_lower"); }),
                "entry 2 is on the diagonal, but structure skew_symmetric_lower has only zeros there"));
    CHECK(read_as("general") == symmetry_kind::general);
    CHECK(holds(failure_of([&] { read_as("symmetric_upper"); }),
                "entry 0 at row 1, column 0 is not in the upper"));
    CHECK(holds(failure_of([&] { read_as("hermitian_lower"); }, failure::unsupported),
                "hermitian_lower is one of complex matrices"));
    CHECK(holds(failure_of([&] { read_as("strange"); }, failure::unsupported), "strange is not known"));
    // Real and imaginary parts, one after the other.
    const auto pairs = [](const std::string& structure, double last,
                          complex_values if_complex = complex_values::keep,
                          const char* type = "complex[float64]") {
      handmade h;
      h.ints("indices_0", {1, 2, 2}).ints("indices_1", {0, 1, 2}).doubles("values", {1, 2, 3, 4, 5, last});
      h.describe(inner("COO", type, R"(, "structure": ")" + structure + "\"", "[3, 3]"));
      return h.read(if_complex);
    };
    const matrix_entries hermitian = pairs("hermitian_lower", 0);
    CHECK(hermitian.symmetry == symmetry_kind::hermitian);
    CHECK(hermitian.field == "complex");
    CHECK(has_entries(hermitian, {1, 2, 2}, {0, 1, 2}, {1, 3, 5}));
    CHECK(std::ranges::equal(hermitian.imaginary, std::vector<double>{2, 4, 0}));
    CHECK(pairs("symmetric_lower", 6).symmetry == symmetry_kind::symmetric);
    CHECK(holds(failure_of([&] { pairs("hermitian_lower", 6); }),
                "entry 2 is on the diagonal, but structure hermitian_lower has only real numbers there"));
    CHECK(holds(failure_of([&] { pairs("skew_symmetric_lower", 0); }), "has only zeros there"));
    CHECK(has_entries(pairs("general", 6, complex_values::pattern_only), {1, 2, 2}, {0, 1, 2}, {1, 1, 1}));
    CHECK(holds(failure_of([&] { pairs("general", 6, complex_values::keep, "complex[int32]"); },
                           failure::unsupported),
                "values of type complex[int32] are not supported yet"));
    CHECK(holds(failure_of([&] { pairs("general", 6, complex_values::keep, "iso[complex[float64]]"); }),
                "values has 6 elements instead of 2"));
    handmade same;
    same.ints("indices_0", {1, 2, 2})
        .ints("indices_1", {0, 1, 2})
        .doubles("values", {1.5, -2}, H5T_IEEE_F32LE);
    same.describe(inner("COO", "iso[complex[float32]]", "", "[3, 3]"));
    const matrix_entries alike = same.read(complex_values::keep);
    CHECK(alike.single_precision);
    CHECK(std::ranges::equal(alike.entries.values, std::vector<double>{1.5, 1.5, 1.5}));
    CHECK(std::ranges::equal(alike.imaginary, std::vector<double>{-2, -2, -2}));
  }
  SECTION("no stored values, and no arrays for them") {
    handmade h;
    h.describe(inner("COO", "float64", "", "[3, 4]", 0));
    CHECK(h.read().entries.values.size() == 0);
    handmade c;
    c.ints("pointers_to_1", {0, 0, 0, 0}).describe(inner("CSR", "float64", "", "[3, 4]", 0));
    CHECK(c.read().entries.values.size() == 0);
  }
}

TEST_CASE("Binsparse files that contradict themselves are refused") {
  const auto csr_with = [](std::initializer_list<std::int64_t> pointers,
                           std::initializer_list<std::int64_t> indices, std::initializer_list<double> values,
                           const std::string& text) {
    handmade h;
    h.ints("pointers_to_1", pointers, H5T_STD_I64LE)
        .ints("indices_1", indices, H5T_STD_I64LE)
        .doubles("values", values);
    return h.describe(text).refusal();
  };
  CHECK(
      holds(csr_with({0, 2, 2, 3}, {1, 4, 0}, {1, 2, 3}, inner("CSR")), "indices_1[1] = 4 is outside 0..3"));
  CHECK(holds(csr_with({0, 2, 2, 3}, {1, -1, 0}, {1, 2, 3}, inner("CSR")),
              "indices_1[1] = -1 is outside 0..3"));
  CHECK(
      holds(csr_with({1, 2, 2, 3}, {1, 3, 0}, {1, 2, 3}, inner("CSR")), "pointers_to_1[0] = 1 instead of 0"));
  CHECK(holds(csr_with({0, 4, 2, 3}, {1, 3, 0}, {1, 2, 3}, inner("CSR")),
              "pointers_to_1 falls at 2, from 4 to 2"));
  CHECK(holds(csr_with({0, 2, 2, 4}, {1, 3, 0}, {1, 2, 3}, inner("CSR")),
              "pointers_to_1 ends at 4 instead of 3"));
  CHECK(holds(csr_with({0, 2, 3}, {1, 3, 0}, {1, 2, 3}, inner("CSR")),
              "pointers_to_1 has 3 elements instead of 4 (one more than lines in the shape)"));
  CHECK(holds(csr_with({0, 2, 2, 3}, {1, 3, 0}, {1, 2}, inner("CSR")), "values has 2 elements instead of 3"));
  CHECK(holds(csr_with({0, 2, 2, 3}, {1, 3, 0}, {1, 2, 3}, inner("CSR", "float64", "", "[3, 4]", 9)),
              "instead of 9 (number_of_stored_values)"));
  CHECK(holds(csr_with({0, 2, 2, 3}, {1, 3, 0}, {1, 2, 3}, inner("COO")), "array indices_0 is missing"));
  CHECK(holds(csr_with({0, 2, 2, 3}, {1, 3, 0}, {1, 2, 3}, inner("CSR", "int32")), "not of type int32"));
  CHECK(holds(csr_with({0, 2, 2, 3}, {1, 3, 0}, {1, 2, 3}, inner("CSR", "float64", "", "[3, 3000000000]")),
              "3000000000 columns"));
  CHECK(holds(csr_with({0, 2, 2, 3}, {1, 3, 0}, {1, 2, 3}, inner("CSR", "float64", "", "[3, 1e300]")),
              "does not hold integers"));
  CHECK(holds(csr_with({}, {}, {}, "{"), "not understood"));
  CHECK(holds(csr_with({}, {}, {}, "[1, 2]"), "not understood"));
  CHECK(holds(csr_with({}, {}, {}, R"({"format": "CSR"})"), "not understood"));

  const auto unsupported = [](const std::string& text) {
    handmade h;
    h.ints("indices_0", {0, 0, 2})
        .ints("indices_1", {1, 3, 0})
        .doubles("values", {1, 2, 3})
        .doubles("fill_value", {1});
    return h.describe(text).refusal(failure::unsupported);
  };
  CHECK(holds(unsupported(inner("COO", "complex[float64]")),
              "values of type complex[float64] are not supported yet"));
  CHECK(holds(unsupported(inner("COO", "iso[complex[float32]]")), "complex[float32]"));
  CHECK(holds(unsupported(inner("DMAT")), "Binsparse format DMAT is not supported yet"));
  const auto of_version = [](const std::string& version) {
    std::string text = inner("COO");
    return text.replace(text.find("0.1"), 3, version);
  };
  for (const std::string version : {"0.2", "0.10", "1.0", "0"})
    CHECK(unsupported(of_version(version))
              .ends_with(": is Binsparse of version " + version + ", this program reads 0.1"));
  CHECK(holds(unsupported(inner("COO", "float64", "", "[3]")), "two dimensions"));
  CHECK(holds(unsupported(inner("COO", "float64", R"(, "fill": true)")), "fill value"));
}

namespace {

// A file with all that could be linked to, and a pipe that nobody writes to: who opens it waits for ever.
struct elsewhere {
  scratch_file other{".h5"}, raw{".raw"}, pipe{".h5"};
  elsewhere() {
    write_binsparse(other.path, any_double(small_coo<double>()));
    raw.replace(std::string(6 * 8, '\0'));
    REQUIRE(::mkfifo(pipe.path.c_str(), 0600) == 0);
    ::alarm(60);
  }
  ~elsewhere() { ::alarm(0); }
  elsewhere(const elsewhere&) = delete;
  elsewhere& operator=(const elsewhere&) = delete;
};

// An array of six doubles in another place, virtual or in a raw file.
void put_foreign(hid_t at, const char* name, const std::string& file, bool virtual_one, bool endless) {
  const hsize_t six = 6, without_end = H5S_UNLIMITED;
  const hid_t space = ::H5Screate_simple(1, &six, endless ? &without_end : nullptr);
  const hid_t creation = ::H5Pcreate(H5P_DATASET_CREATE);
  if (virtual_one) {
    if (endless) {
      const hsize_t first = 0, step = 1;
      ::H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, &step, &without_end, nullptr);
    }
    REQUIRE(::H5Pset_virtual(creation, space, file.c_str(), "values", space) >= 0);
  } else {
    REQUIRE(::H5Pset_external(creation, file.c_str(), 0, 48) >= 0);
  }
  const hid_t set = ::H5Dcreate2(at, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  REQUIRE(set >= 0);
  ::H5Dclose(set);
  ::H5Pclose(creation);
  ::H5Sclose(space);
}

using put_array = std::function<void(hid_t at, const char* name)>;

// Every way in which an array can be somewhere else, and what is said to that.
std::vector<std::pair<put_array, std::string>> ways_out(const elsewhere& there) {
  const std::string linked = " is a link to another place, which is not followed",
                    foreign = " lies in another file, which is not supported";
  const auto external = [](const std::string& file) {
    return [&file](hid_t at, const char* name) {
      REQUIRE(::H5Lcreate_external(file.c_str(), "values", at, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    };
  };
  const auto foreign_array = [](const std::string& file, bool virtual_one, bool endless) {
    return [&file, virtual_one, endless](hid_t at, const char* name) {
      put_foreign(at, name, file, virtual_one, endless);
    };
  };
  return {{external(there.other.path), linked},
          {external(there.pipe.path), linked},
          {[](hid_t at, const char* name) {
             REQUIRE(::H5Lcreate_soft("/elsewhere", at, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
           },
           linked},
          {foreign_array(there.raw.path, false, false), foreign},
          {foreign_array(there.pipe.path, false, false), foreign},
          {foreign_array(there.other.path, true, false), foreign},
          {foreign_array(there.pipe.path, true, false), foreign},
          {foreign_array(there.other.path, true, true), foreign},
          {foreign_array(there.pipe.path, true, true), foreign}};
}

}  // namespace

TEST_CASE("of a Binsparse file only what lies in it is read") {
  const elsewhere there;
  for (const char* const group : {static_cast<const char*>(nullptr), "matrix"})
    for (const std::string name : {"indices_0", "indices_1", "values"})
      for (const auto& [put, expected] : ways_out(there)) {
        handmade h(group);
        for (const char* const index : {"indices_0", "indices_1"})
          if (name != index) h.ints(index, {0, 0, 2, 2, 2, 3});
        if (name != "values") h.doubles("values", {1, 2, 3, 4, 5, 6});
        h.describe(inner("COO", "float64", "", "[5, 4]", 6));
        put(h.place(), name.c_str());
        CHECK(h.refusal(failure::unsupported) == h.path() + ": array " + name + expected);
      }
  // What a description stands at is looked for in the file, too.
  for (const auto& file : {there.other.path, there.pipe.path}) {
    handmade h;
    REQUIRE(::H5Lcreate_external(file.c_str(), "/", h.place(), "matrix", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CHECK_FALSE(is_binsparse(h.path()));
    CHECK(holds(h.refusal(), "not Binsparse"));
  }
}

TEST_CASE("of a container only what lies in it is read") {
  const elsewhere there;
  for (const auto& [put, expected] : ways_out(there)) {
    const scratch_file file(".h5");
    write_container(file.path, any_double(small_coo<double>()));
    const hid_t id = ::H5Fopen(file.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(::H5Ldelete(id, "values", H5P_DEFAULT) >= 0);
    put(id, "values");
    REQUIRE(::H5Fclose(id) >= 0);
    CHECK(failure_of([&] { read_container(file.path); }, failure::unsupported) ==
          file.path + ": array values" + expected);
  }
}

TEST_CASE("a chunk that is larger than any file of this size can hold is not unpacked") {
  const auto with_chunk = [](hsize_t chunk) {
    handmade h;
    h.ints("indices_0", {0, 0, 2}).ints("indices_1", {1, 3, 0}).describe(inner("COO"));
    const hsize_t three = 3, without_end = H5S_UNLIMITED, first = 0;
    const hid_t space = ::H5Screate_simple(1, &three, &without_end);
    const hid_t creation = ::H5Pcreate(H5P_DATASET_CREATE);
    ::H5Pset_chunk(creation, 1, &chunk);
    ::H5Pset_deflate(creation, 1);
    const hid_t set =
        ::H5Dcreate2(h.place(), "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const std::string packed(32, 'x');
    REQUIRE(::H5Dwrite_chunk(set, H5P_DEFAULT, 0, &first, packed.size(), packed.data()) >= 0);
    ::H5Dclose(set);
    ::H5Pclose(creation);
    ::H5Sclose(space);
    return h.refusal();
  };
  CHECK(holds(with_chunk((8 << 20) + 1),
              "array values has chunks of 8388609 elements, more than the file holds"));
  CHECK(holds(with_chunk(8 << 20), "could not read values, the file is damaged"));
}

TEST_CASE("chunks of an empty array may be of any size") {
  handmade h;
  h.ints("indices_0", {}).ints("indices_1", {}).describe(inner("COO", "float64", "", "[3, 4]", 0));
  const hsize_t none = 0, without_end = H5S_UNLIMITED, chunk = (8 << 20) + 1;
  const hid_t space = ::H5Screate_simple(1, &none, &without_end);
  const hid_t creation = ::H5Pcreate(H5P_DATASET_CREATE);
  ::H5Pset_chunk(creation, 1, &chunk);
  ::H5Dclose(::H5Dcreate2(h.place(), "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  ::H5Pclose(creation);
  ::H5Sclose(space);
  CHECK(has_entries(h.read(), {}, {}, {}));
}

TEST_CASE("a file that another program has open for writing is refused") {
  handmade h;
  h.ints("indices_0", {0}).ints("indices_1", {1}).doubles("values", {2});
  h.describe(inner("COO", "float64", "", "[3, 4]", 1));
  const int other = ::open(h.path().c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(other, LOCK_EX) == 0);
  CHECK(h.refusal() == h.path() + ": could not open as HDF5: another program has it open for writing");
  // Others may read it at the same time.
  REQUIRE(::flock(other, LOCK_SH) == 0);
  CHECK(has_entries(h.read(), {0}, {1}, {2}));
  ::close(other);
}

TEST_CASE("texts longer than what HDF5 reads of a heap at first") {
  handmade h;
  h.ints("indices_0", {0}).ints("indices_1", {1}).doubles("values", {2});
  h.describe(inner("COO", "float64", R"(, "note": ")" + std::string(100'000, 'x') + '"', "[3, 4]", 1));
  CHECK(has_entries(h.read(), {0}, {1}, {2}));
}

TEST_CASE("a global heap whose objects reach beyond it is refused") {
  handmade h;
  h.ints("indices_0", {0}).ints("indices_1", {1}).doubles("values", {2});
  h.describe(inner("COO", "float64", "", "[3, 4]", 1));
  const std::string path = h.path();
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  const std::size_t size = bytes.find("GCOL") + 16 + 8;  // of the first object
  for (const auto& [place, value] : {std::pair(1, '\x10'), std::pair(7, '\x7f'), std::pair(7, '\xff')}) {
    std::string spoilt = bytes;
    spoilt[size + static_cast<std::size_t>(place)] = value;
    std::ofstream(path, std::ios::binary) << spoilt;
    CHECK(holds(h.refusal(), "its global heap contradicts itself"));
  }
}

TEST_CASE("Binsparse descriptions at their edges") {
  const auto said = [](const std::string& text, failure expected = failure::input,
                       std::initializer_list<double> fill = {}) {
    handmade h;
    h.ints("indices_0", {0, 0, 2}).ints("indices_1", {1, 3, 0}).doubles("values", {1, 2, 3});
    if (fill.size() > 0) h.doubles("fill_value", fill);
    return h.describe(text).refusal(expected);
  };
  const auto with = [](const std::string& part, const std::string& other) {
    std::string text = inner("COO");
    return text.replace(text.find(part), part.size(), other);
  };
  CHECK(said(with("0.1", "0.1.3")) == "");
  CHECK(said(with(R"("version": "0.1", )", "")) == "");
  CHECK(holds(said(with("0.1", "0.11"), failure::unsupported), "version 0.11"));
  CHECK(holds(said(with("\"COO\"", "{}"), failure::unsupported), "custom Binsparse formats"));
  CHECK(holds(said(with("[3, 4]", "[3, 4, 1]"), failure::unsupported), "with two dimensions"));
  CHECK(holds(said(with("[3, 4]", "[-3, 4]")), "the number of rows is -3, below zero"));
  CHECK(holds(said(with("[3, 4]", "[2147483648, 4]")), "2147483648 rows are more than"));
  CHECK(said(with("[3, 4]", "[2147483647, 2147483647]")) == "");
  CHECK(said(with("[3, 4]", "[3, 4]")) == "");
  CHECK(holds(said(with("[3, 4]", "[2, 4]")), "indices_0[2] = 2 is outside 0..1"));
  CHECK(holds(said(with("[3, 4]", "[3, 3]")), "indices_1[1] = 3 is outside 0..2"));
  CHECK(holds(said(with("values\": 3", "values\": 2")), "instead of 2 (number_of_stored_values)"));
  CHECK(holds(said(with("values\": 3", "values\": 3.0")), "is not an integer"));
  CHECK(holds(said(with("float64", "int128"), failure::unsupported), "values of type int128"));
  CHECK(holds(said(with("float64", "bint8")), "array values is not of type bint8"));
  // A value for all that is not stored must be zero, and be there.
  const std::string filled = inner("COO", "float64", R"(, "fill": true)");
  CHECK(said(inner("COO", "float64", R"(, "fill": false)"), failure::input, {7}) == "");
  CHECK(said(filled, failure::input, {0}) == "");
  CHECK(said(filled, failure::input, {-0.0}) == "");
  CHECK(holds(said(filled, failure::unsupported, {1e-300}), "a fill value other than zero"));
  CHECK(holds(said(filled, failure::unsupported, {0, 0}), "a fill value other than zero"));
  CHECK(holds(said(filled, failure::unsupported), "a fill value other than zero"));
  // The triangles, with their diagonal.
  const auto structured = [](const std::string& structure, std::initializer_list<std::int64_t> rows,
                             std::initializer_list<std::int64_t> cols, std::initializer_list<double> values,
                             const std::string& shape = "[3, 3]") {
    handmade h;
    h.ints("indices_0", rows).ints("indices_1", cols).doubles("values", values);
    return h
        .describe(inner("COO", "float64", R"(, "structure": ")" + structure + "\"", shape,
                        static_cast<int>(rows.size())))
        .refusal();
  };
  for (const std::string skew : {"", "skew_"}) {
    CHECK(structured(skew + "symmetric_lower", {1, 1, 2}, {0, 1, 0}, {1, 0, 3}) == "");
    CHECK(structured(skew + "symmetric_upper", {0, 1, 0}, {1, 1, 2}, {1, 0, 3}) == "");
    CHECK(holds(structured(skew + "symmetric_lower", {0}, {1}, {1}), "is not in the lower triangle"));
    CHECK(holds(structured(skew + "symmetric_upper", {1}, {0}, {1}), "is not in the upper triangle"));
    CHECK(holds(structured(skew + "symmetric_lower", {1}, {0}, {1}, "[3, 4]"), "needs a square matrix"));
  }
  CHECK(holds(structured("skew_symmetric_upper", {1}, {1}, {1}), "on the diagonal"));
  CHECK(holds(structured("skew_symmetric_upper", {1}, {1}, {std::nan("")}), "on the diagonal"));
  CHECK(structured("symmetric_upper", {1}, {1}, {1}) == "");
}

TEST_CASE("Binsparse arrays that are none, or too long") {
  const auto said = [](auto put, const std::string& name = "values", const std::string& text = inner("COO")) {
    handmade h;
    for (const std::string index : {"indices_0", "indices_1"})
      if (index != name) h.ints(index.c_str(), {0, 0, 2});
    if (name != "values") h.doubles("values", {1, 2, 3});
    put(h);
    return h.describe(text).refusal();
  };
  // Sizes that nothing was ever written for.
  const auto announced = [](const char* name, int rank, hsize_t length, bool chunked) {
    return [=](handmade& h) {
      const hsize_t extent[2] = {length, 1}, chunk[2] = {2, 1};
      const hid_t space = ::H5Screate_simple(rank, extent, nullptr),
                  creation = ::H5Pcreate(H5P_DATASET_CREATE);
      if (chunked) ::H5Pset_chunk(creation, rank, chunk);
      ::H5Dclose(::H5Dcreate2(h.place(), name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
      ::H5Pclose(creation);
      ::H5Sclose(space);
    };
  };
  CHECK(holds(said(announced("values", 1, hsize_t{1} << 40, false)),
              "array values has 1099511627776 elements, more than the file holds"));
  CHECK(
      holds(said(announced("values", 1, 3, true)), "array values has 3 elements, more than the file holds"));
  CHECK(holds(said(announced("values", 2, 3, false)), "array values is not one-dimensional"));
  CHECK(holds(said([](handmade&) {}), "array values is missing"));
  CHECK(holds(said([](handmade&) {}, "indices_1"), "array indices_1 is missing"));
  CHECK(holds(said(
                  [](handmade& h) {
                    h.doubles("indices_0", {0, 0, 2});
                  },
                  "indices_0"),
              "array indices_0 does not hold integers"));
  CHECK(holds(said(
                  [](handmade& h) {
                    h.ints("indices_0", {0, 0});
                  },
                  "indices_0"),
              "indices_0 has 2 elements instead of 3 (as many as indices_1)"));
  CHECK(holds(said(
                  [](handmade& h) {
                    h.doubles("values", {1, 2, 3});
                  },
                  "values", inner("COO", "iso[float64]")),
              "values has 3 elements instead of 1 (all values are the same)"));
  // Listed rows, of which the offsets have one more.
  const auto doubly = [](std::initializer_list<std::int64_t> rows,
                         std::initializer_list<std::int64_t> pointers) {
    handmade h;
    h.ints("indices_0", rows).ints("pointers_to_1", pointers).ints("indices_1", {1, 3, 0});
    return h.doubles("values", {1, 2, 3}).describe(inner("DCSR")).refusal();
  };
  CHECK(doubly({0, 2}, {0, 2, 3}) == "");
  CHECK(holds(doubly({0, 2}, {0, 2, 2, 3}),
              "pointers_to_1 has 4 elements instead of 3 (one more than indices_0)"));
  CHECK(holds(doubly({0, 3}, {0, 2, 3}), "indices_0[1] = 3 is outside 0..2"));
  // Integers under the name of reals are reals.
  handmade whole;
  whole.ints("indices_0", {0, 0, 2})
      .ints("indices_1", {1, 3, 0})
      .ints("values", {1, 2, 3})
      .describe(inner("COO"));
  CHECK(whole.read().field == "real");
}

TEST_CASE("Binsparse arrays longer than what is read at a time") {
  const std::int64_t n = (1 << 20) + 3;
  coo<float, host> list;
  list.rows = list.cols = static_cast<std::int32_t>(n);
  list.row_indices = array<std::int32_t, host>(n);
  list.col_indices = array<std::int32_t, host>(n);
  list.values = array<float, host>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    list.row_indices[i] = static_cast<std::int32_t>(i);
    list.col_indices[i] = static_cast<std::int32_t>(n - 1 - i);
    list.values[i] = static_cast<float>(i % 1000);
  }
  const scratch_file file(".bsp.h5");
  write_binsparse(file.path, any_float(std::move(list)));
  const matrix_entries m = read_binsparse(file.path);
  REQUIRE(m.entries.values.size() == n);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i)
    wrong += m.entries.row_indices[i] != i || m.entries.col_indices[i] != n - 1 - i ||
             m.entries.values[i] != static_cast<double>(i % 1000);
  CHECK(wrong == 0);
}

TEST_CASE("Binsparse files with any byte changed or missing never bring us down") {
  const scratch_file file(".bsp.h5");
  write_binsparse(file.path, any_double(small_csr<std::int32_t, double>()));
  spoil_every_byte(file, [&](const std::string& how) {
    try {
      const matrix_entries m = read_binsparse(file.path);
      for (std::int64_t i = 0; i < m.entries.values.size(); ++i)
        if (m.entries.row_indices[i] >= m.entries.rows || m.entries.col_indices[i] >= m.entries.cols)
          FAIL("an entry outside the matrix: " << how);
    } catch (const error&) {
    }
  });
  SUCCEED("survived");
}
