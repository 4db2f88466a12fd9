// SciPy's .npz: what is written comes back bit for bit; every type and layout SciPy can write is read;
// whatever is wrong with a file, down to any single byte, ends in one clear line and never in a crash.
#include "convert/io/npz.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "convert/io/read.hpp"
#include "convert/io/zip.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"
#include "tests/convert/io/npy_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::test;

namespace {

struct member {
  std::string key, content;
};

// An archive to be spoilt: starts as a good 2 by 3 csr matrix [[1 . 2] [. 3 .]].
struct archive {
  std::vector<member> members = {{"indices", npy("<i4", "(3,)", raw<std::int32_t>({0, 2, 1}))},
                                 {"indptr", npy("<i4", "(3,)", raw<std::int32_t>({0, 2, 3}))},
                                 {"format", npy("|S3", "()", "csr")},
                                 {"shape", npy("<i8", "(2,)", raw<std::int64_t>({2, 3}))},
                                 {"data", npy("<f8", "(3,)", raw<double>({1, 2, 3}))}};

  archive& set(const std::string& key, const std::string& content) {
    for (member& m : members)
      if (m.key == key) {
        m.content = content;
        return *this;
      }
    members.push_back({key, content});
    return *this;
  }
  archive& drop(const std::string& key) {
    std::erase_if(members, [&](const member& m) { return m.key == key; });
    return *this;
  }
  void write(const std::string& path, bool compress = true, std::uint64_t zip64_from = 0xffffffff) const {
    zip_writer out(path, zip64_from);
    for (const member& m : members) {
      out.begin(m.key + ".npy", m.content.size(), compress);
      out.write(m.content.data(), m.content.size());
      out.end();
    }
    out.close();
  }
  matrix_entries read(bool compress = true, std::uint64_t zip64_from = 0xffffffff,
                      complex_values if_complex = complex_values::refuse) const {
    const scratch_file file(".npz");
    write(file.path, compress, zip64_from);
    return read_npz(file.path, if_complex);
  }
  matrix_entries read_pattern() const { return read(true, 0xffffffff, complex_values::pattern_only); }
  std::string refusal(failure expected = failure::input) const {
    return failure_of([&] { read(); }, expected);
  }
};

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

// The awkward entries of small_coo, as a reader delivers them from values of type V.
template <class V>
bool is_small_matrix(const matrix_entries& m, bool transposed) {
  const coo<V, host> stored = small_coo<V>();
  coo<double, host> expected;
  expected.rows = transposed ? stored.cols : stored.rows;
  expected.cols = transposed ? stored.rows : stored.cols;
  expected.row_indices = copy_to<host>(transposed ? stored.col_indices : stored.row_indices, place::host);
  expected.col_indices = copy_to<host>(transposed ? stored.row_indices : stored.col_indices, place::host);
  expected.values = array<double, host>(stored.values.size());
  std::copy(stored.values.begin(), stored.values.end(), expected.values.begin());
  return identical(m.entries, expected) && m.field == "real" && m.single_precision == (sizeof(V) == 4) &&
         m.symmetry == symmetry_kind::general && m.rounded_values == 0;
}

template <class O, class Format>
matrix_entries there_and_back(Format f, bool compress = true) {
  const scratch_file file(".npz");
  write_npz(file.path, any_format<O, typename Format::value_type, host>(std::move(f)), compress);
  return read_npz(file.path);
}

template <class O, class V>
void check_round_trips() {
  for (const bool compress : {true, false}) {
    CHECK(is_small_matrix<V>(there_and_back<O>(small_csr<O, V>(), compress), false));
    CHECK(is_small_matrix<V>(there_and_back<O>(small_csc<O, V>(), compress), true));
    CHECK(is_small_matrix<V>(there_and_back<O>(small_coo<V>(), compress), false));
  }
}

// Reading must refuse a spoilt file or deliver the same matrix.
void check_every_byte(const scratch_file& file) {
  const matrix_entries expected = read_npz(file.path);
  spoil_every_byte(file, [&](const std::string& how) {
    bool accepted = true;
    try {
      accepted =
          identical(read_npz(file.path).entries, expected.entries) && how.find("cut") == std::string::npos;
    } catch (const error&) {
    }
    if (!accepted) FAIL("a changed file was accepted: " << how);
  });
  SUCCEED("no changed file was accepted");
}

}  // namespace

TEST_CASE("npz round trips keep every bit") {
  check_round_trips<std::int32_t, float>();
  check_round_trips<std::int32_t, double>();
  check_round_trips<std::int64_t, float>();
  check_round_trips<std::int64_t, double>();
}

TEST_CASE("npz round trips of matrices without entries") {
  for (const std::int32_t n : {0, 3}) {
    csr<std::int32_t, double, host> f;
    f.rows = n;
    f.row_offsets = array<std::int32_t, host>(n + 1);
    std::fill(f.row_offsets.begin(), f.row_offsets.end(), 0);
    const matrix_entries m = there_and_back<std::int32_t>(std::move(f));
    CHECK(m.entries.rows == n);
    CHECK(m.entries.cols == 0);
    CHECK(m.entries.values.size() == 0);
  }
  CHECK(there_and_back<std::int32_t>(coo<float, host>{}).origin == "SciPy npz coo");
}

TEST_CASE("npz round trip of arrays longer than any buffer") {
  const std::int32_t n = 300001;
  csr<std::int64_t, double, host> f;
  f.rows = f.cols = n;
  f.row_offsets = array<std::int64_t, host>(n + 1);
  f.col_indices = array<std::int32_t, host>(n);
  f.values = array<double, host>(n);
  for (std::int32_t i = 0; i < n; ++i) {
    f.row_offsets[i + 1] = i + 1;
    f.col_indices[i] = static_cast<std::int32_t>(std::int64_t{i} * 7919 % n);
    f.values[i] = 1.0 / (1 + i);
  }
  f.row_offsets[0] = 0;
  for (const bool compress : {true, false}) {
    const matrix_entries m = there_and_back<std::int64_t>(copy_to<host>(f), compress);
    REQUIRE(m.entries.values.size() == n);
    std::int64_t wrong = 0;
    for (std::int32_t i = 0; i < n; ++i)
      wrong += m.entries.row_indices[i] != i || m.entries.col_indices[i] != f.col_indices[i] ||
               m.entries.values[i] != f.values[i];
    CHECK(wrong == 0);
  }
}

TEST_CASE("npz values of every supported type") {
  const auto read_as = [](const std::string& descr, const std::string& data) {
    return archive().set("data", npy(descr, "(3,)", data)).read();
  };
  const auto is_expected = [](const matrix_entries& m, const char* field, bool single) {
    return has_entries(m, {0, 0, 1}, {0, 2, 1}, {1, 2, 3}) && m.field == field &&
           m.single_precision == single;
  };
  CHECK(is_expected(read_as("|i1", raw<std::int8_t>({1, 2, 3})), "integer", false));
  CHECK(is_expected(read_as("|u1", raw<std::uint8_t>({1, 2, 3})), "integer", false));
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    CHECK(is_expected(read_as(order + "i2", raw<std::int16_t>({1, 2, 3}, big)), "integer", false));
    CHECK(is_expected(read_as(order + "i4", raw<std::int32_t>({1, 2, 3}, big)), "integer", false));
    CHECK(is_expected(read_as(order + "i8", raw<std::int64_t>({1, 2, 3}, big)), "integer", false));
    CHECK(is_expected(read_as(order + "u2", raw<std::uint16_t>({1, 2, 3}, big)), "integer", false));
    CHECK(is_expected(read_as(order + "u4", raw<std::uint32_t>({1, 2, 3}, big)), "integer", false));
    CHECK(is_expected(read_as(order + "u8", raw<std::uint64_t>({1, 2, 3}, big)), "integer", false));
    CHECK(is_expected(read_as(order + "f4", raw<float>({1, 2, 3}, big)), "real", true));
    CHECK(is_expected(read_as(order + "f8", raw<double>({1, 2, 3}, big)), "real", false));
  }
  const matrix_entries logical = read_as("|b1", raw<std::uint8_t>({1, 0, 1}));
  CHECK(has_entries(logical, {0, 0, 1}, {0, 2, 1}, {1, 0, 1}));
  CHECK(logical.field == "integer");

  SECTION("integers that a double cannot hold are counted") {
    constexpr std::int64_t edge = std::int64_t{1} << 53;
    CHECK(read_as("<i8", raw<std::int64_t>({edge, -edge, 3})).rounded_values == 0);
    CHECK(read_as("<i8", raw<std::int64_t>({edge + 1, -edge - 1, INT64_MIN})).rounded_values == 3);
    CHECK(read_as("<u8", raw<std::uint64_t>({UINT64_MAX, 0, std::uint64_t{edge} + 1})).rounded_values == 2);
  }
  SECTION("other types are refused by name") {
    const auto refusal = [](const std::string& descr, std::size_t bytes) {
      return archive()
          .set("data", npy(descr, "(3,)", std::string(bytes, '\0')))
          .refusal(failure::unsupported);
    };
    CHECK(holds(refusal("<c16", 48), "values of type complex128 are not supported yet"));
    CHECK(holds(refusal("<c8", 24), "complex64"));
    CHECK(holds(refusal("<f16", 48), "longdouble"));
    CHECK(holds(refusal("<f2", 6), "float16"));
    CHECK(holds(refusal("|O", 11), "object"));
    CHECK(holds(archive().set("data", npy("<f8", "(3,)", "")).refusal(), "shape does not fit"));
  }
}

TEST_CASE("of complex npz matrices the pattern can be had") {
  const auto is_pattern = [](const matrix_entries& m) {
    return has_entries(m, {0, 0, 1}, {0, 2, 1}, {1, 1, 1}) && m.field == "complex" && !m.single_precision;
  };
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    archive a;
    a.set("data", npy(order + "c16", "(3,)", raw<double>({1, 2, 0, 0, 0, -3}, big)));
    CHECK(is_pattern(a.read_pattern()));
    a.set("data", npy(order + "c8", "(3,)", raw<float>({1, 2, 0, 0, 0, -3}, big)));
    CHECK(is_pattern(a.read_pattern()));
    // Two blocks of one row and two columns each; zeros in them are fill.
    a.set("format", npy("|S3", "()", "bsr")).set("shape", npy("<i8", "(2,)", raw<std::int64_t>({2, 4})));
    a.set("indices", npy("<i4", "(2,)", raw<std::int32_t>({0, 1})));
    a.set("indptr", npy("<i4", "(3,)", raw<std::int32_t>({0, 1, 2})));
    a.set("data", npy(order + "c16", "(2, 1, 2)", raw<double>({0, 1, 0, 0, -0.0, 0, 2, 0}, big)));
    const matrix_entries blocks = a.read_pattern();
    CHECK(has_entries(blocks, {0, 1}, {0, 3}, {1, 1}));
    CHECK(blocks.array_zeros == 2);
    const matrix_entries parts = a.read(true, 0xffffffff, complex_values::keep);
    CHECK(has_entries(parts, {0, 1}, {0, 3}, {0, 2}));
    CHECK(std::ranges::equal(parts.imaginary, std::vector<double>{1, 0}));
    CHECK(parts.array_zeros == 2);
  }
  CHECK(has_entries(archive().read_pattern(), {0, 0, 1}, {0, 2, 1}, {1, 2, 3}));
  archive wide;
  wide.set("data", npy("<c32", "(3,)", std::string(96, '\0')));
  CHECK(holds(failure_of([&] { wide.read_pattern(); }, failure::unsupported), "complex256"));
}

TEST_CASE("npz variants that SciPy and NumPy write") {
  SECTION("64-bit and unsigned indices, the key of sparse arrays, text in Unicode of either order") {
    archive a;
    a.set("indices", npy("<i8", "(3,)", raw<std::int64_t>({0, 2, 1})));
    a.set("indptr", npy(">u4", "(3,)", raw<std::uint32_t>({0, 2, 3}, true)));
    a.set("_is_array", npy("|b1", "()", "\x01"));
    CHECK(has_entries(a.read(), {0, 0, 1}, {0, 2, 1}, {1, 2, 3}));
    a.set("format", npy("<U3", "()", raw<std::uint32_t>({'c', 's', 'r'})));
    CHECK(has_entries(a.read(), {0, 0, 1}, {0, 2, 1}, {1, 2, 3}));
    a.set("format", npy(">U3", "()", raw<std::uint32_t>({'c', 's', 'r'}, true)));
    CHECK(has_entries(a.read(), {0, 0, 1}, {0, 2, 1}, {1, 2, 3}));
  }
  SECTION("unsorted indices and duplicates are entries like any other") {
    archive a;
    a.set("indices", npy("<i4", "(3,)", raw<std::int32_t>({2, 2, 0})));
    CHECK(has_entries(a.read(), {0, 0, 1}, {2, 2, 0}, {1, 2, 3}));
  }
  SECTION("csc") {
    archive a;
    a.set("format", npy("|S3", "()", "csc")).set("shape", npy("<i4", "(2,)", raw<std::int32_t>({3, 2})));
    const matrix_entries m = a.read();
    CHECK(has_entries(m, {0, 2, 1}, {0, 0, 1}, {1, 2, 3}));
    CHECK(m.origin == "SciPy npz csc");
  }
  SECTION("coo, with rows and columns or with coords") {
    archive a;
    a.drop("indices").drop("indptr").set("format", npy("|S3", "()", "coo"));
    CHECK(holds(a.refusal(), "holds no array 'row'"));
    archive coords = a;
    a.set("row", npy("<i4", "(3,)", raw<std::int32_t>({1, 0, 1})));
    a.set("col", npy("<i4", "(3,)", raw<std::int32_t>({2, 0, 2})));
    CHECK(has_entries(a.read(), {1, 0, 1}, {2, 0, 2}, {1, 2, 3}));
    coords.set("coords", npy("<i4", "(2, 3)", raw<std::int32_t>({1, 0, 1, 2, 0, 2})));
    CHECK(has_entries(coords.read(), {1, 0, 1}, {2, 0, 2}, {1, 2, 3}));
    coords.set("coords", npy("<i4", "(2, 3)", raw<std::int32_t>({1, 0, 2, 2, 0, 2})));
    CHECK(holds(coords.refusal(), "coords[2] = 2 is outside 0..1"));
  }
  SECTION("bsr in C and in Fortran order, zeros inside blocks left out") {
    archive a;
    a.set("format", npy("|S3", "()", "bsr")).set("shape", npy("<i8", "(2,)", raw<std::int64_t>({4, 6})));
    a.set("indices", npy("<i4", "(2,)", raw<std::int32_t>({1, 0})));
    a.set("indptr", npy("<i4", "(3,)", raw<std::int32_t>({0, 1, 2})));
    a.set("data", npy("<i8", "(2, 2, 3)", raw<std::int64_t>({1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0, 6})));
    const matrix_entries m = a.read();
    CHECK(has_entries(m, {0, 0, 1, 2, 2, 3}, {3, 5, 5, 0, 1, 2}, {1, 2, 3, 4, 5, 6}));
    CHECK(m.array_zeros == 6);
    a.set("data", npy("<i8", "(2, 2, 3)", raw<std::int64_t>({1, 4, 0, 0, 0, 5, 0, 0, 2, 0, 3, 6}), "True"));
    CHECK(has_entries(a.read(), {0, 2, 2, 0, 1, 3}, {3, 0, 1, 5, 5, 2}, {1, 4, 5, 2, 3, 6}));

    a.set("shape", npy("<i8", "(2,)", raw<std::int64_t>({4, 5})));
    CHECK(holds(a.refusal(), "outside the matrix"));
    a.set("indices", npy("<i4", "(2,)", raw<std::int32_t>({2, 0})));
    CHECK(holds(a.refusal(), "indices[0] = 2 is outside 0..1"));
    a.set("data", npy("<i8", "(2, 0, 3)", ""));
    CHECK(holds(a.refusal(), "blocks without rows"));
  }
  SECTION("dia: offsets in any order, diagonals shorter and longer than the matrix is wide") {
    archive a;
    a.set("format", npy("|S3", "()", "dia")).set("shape", npy("<i8", "(2,)", raw<std::int64_t>({3, 4})));
    a.set("offsets", npy("<i4", "(3,)", raw<std::int32_t>({2, -1, 0})));
    // Column j of a diagonal at j; what lies outside the matrix (9) is nobody's, and zeros are fill.
    a.set("data", npy("<f8", "(3, 4)", raw<double>({9, 9, 5, 6, 2, 4, 9, 9, 1, 0, 7, 9})));
    const matrix_entries m = a.read();
    CHECK(has_entries(m, {0, 1, 1, 2, 0, 2}, {2, 3, 0, 1, 0, 2}, {5, 6, 2, 4, 1, 7}));
    CHECK(m.array_zeros == 1);
    CHECK(m.origin == "SciPy npz dia");
    a.set("data", npy("<f8", "(3, 4)", raw<double>({9, 2, 1, 9, 4, 0, 5, 9, 7, 6, 9, 9}), "True"));
    CHECK(has_entries(a.read(), {1, 0, 2, 0, 2, 1}, {0, 0, 1, 2, 2, 3}, {2, 1, 4, 5, 7, 6}));
    a.set("data", npy("<f8", "(3, 3)", raw<double>({9, 9, 5, 2, 4, 9, 1, 0, 7})));
    CHECK(has_entries(a.read(), {0, 1, 2, 0, 2}, {2, 0, 1, 0, 2}, {5, 2, 4, 1, 7}));
    a.set("data", npy("<f8", "(3, 5)", raw<double>({9, 9, 5, 6, 9, 2, 4, 9, 9, 9, 1, 0, 7, 9, 9})));
    CHECK(has_entries(a.read(), {0, 1, 1, 2, 0, 2}, {2, 3, 0, 1, 0, 2}, {5, 6, 2, 4, 1, 7}));
    // Diagonals outside the matrix hold nothing, however far outside.
    archive far = a;
    far.set("offsets", npy("<i8", "(3,)", raw<std::int64_t>({INT64_MAX, INT64_MIN, 0})));
    CHECK(has_entries(far.read(), {0, 2}, {0, 2}, {1, 7}));

    archive twice = a;
    twice.set("offsets", npy("<i4", "(3,)", raw<std::int32_t>({2, 0, 2})));
    CHECK(holds(twice.refusal(), "offsets holds 2 twice"));
    archive short_by_one = a;
    short_by_one.set("offsets", npy("<i4", "(2,)", raw<std::int32_t>({2, 0})));
    CHECK(holds(short_by_one.refusal(), "offsets has 2 elements instead of 3 (as many as rows of data)"));
    archive flat = a;
    flat.set("data", npy("<f8", "(3,)", raw<double>({1, 2, 3})));
    CHECK(holds(flat.refusal(), "data has 1 dimensions, expected 2"));
    archive none = a;
    none.set("offsets", npy("<i4", "(0,)", "")).set("data", npy("<f8", "(0, 0)", ""));
    CHECK(has_entries(none.read(), {}, {}, {}));
  }
  SECTION("other formats and dimensions") {
    CHECK(holds(archive().set("format", npy("|S3", "()", "lil")).refusal(failure::unsupported),
                "format 'lil'"));
    CHECK(holds(
        archive().set("shape", npy("<i8", "(1,)", raw<std::int64_t>({3}))).refusal(failure::unsupported),
        "1 dimensions"));
  }
  SECTION("zip64 fields") {
    CHECK(has_entries(archive().read(true, 1), {0, 0, 1}, {0, 2, 1}, {1, 2, 3}));
  }
}

TEST_CASE("npz files that contradict themselves are refused") {
  const auto with = [](const std::string& key, const std::string& content) {
    return archive().set(key, content).refusal();
  };
  const auto i4 = [](std::initializer_list<std::int32_t> list) {
    return npy("<i4", joined({"(", std::to_string(list.size()), ",)"}), raw(list));
  };
  CHECK(holds(with("indices", i4({0, 3, 1})), "indices[1] = 3 is outside 0..2"));
  CHECK(holds(with("indices", i4({0, -1, 1})), "indices[1] = -1 is outside 0..2"));
  CHECK(holds(with("indices", i4({0, 1})), "indices has 2 elements instead of 3 (as many as values)"));
  CHECK(
      holds(with("indices", npy("<f8", "(3,)", raw<double>({0, 2, 1}))), "holds float64, expected integers"));
  CHECK(holds(with("indices", npy("<i4", "(3, 1)", raw<std::int32_t>({0, 2, 1}))), "2 dimensions"));
  CHECK(holds(with("indptr", i4({1, 2, 3})), "indptr[0] = 1 instead of 0"));
  CHECK(holds(with("indptr", i4({0, 4, 3})), "indptr falls at 2, from 4 to 3"));
  CHECK(holds(with("indptr", i4({0, 2, 2})), "indptr ends at 2 instead of 3"));
  CHECK(holds(with("indptr", i4({0, 3})),
              "indptr has 2 elements instead of 3 (one more than lines in the shape)"));
  CHECK(holds(with("shape", npy("<i8", "(2,)", raw<std::int64_t>({2, 2147483648}))),
              "2147483648 columns are more"));
  CHECK(holds(with("shape", npy("<i8", "(2,)", raw<std::int64_t>({-2, 3}))), "below zero"));
  CHECK(holds(with("format", npy("<i8", "()", raw<std::int64_t>({7}))), "format is not a short text"));
  CHECK(holds(with("data", "no array"), "not an .npy array"));
  CHECK(holds(with("data", "\x93NUMPY"), "shorter than its .npy header"));
  CHECK(holds(with("data", npy("<f8", "(4,)", raw<double>({1, 2, 3}))), "shape does not fit"));
  CHECK(holds(with("data", npy("<f8", "(9999999999, 9999999999)", "")), "shape is too large"));
  CHECK(holds(with("data", npy("<f8", "(99999999999999999999,)", "")), "broken .npy header"));
  CHECK(holds(with("data", npy("<f8", "(3", raw<double>({1, 2, 3}))), "broken .npy header"));
  CHECK(holds(archive().drop("data").refusal(), "holds no array 'data'"));
  CHECK(holds(archive().drop("format").refusal(), "not a matrix that scipy.sparse.save_npz wrote"));
  archive twice;
  twice.members.push_back(twice.members.back());
  CHECK(holds(twice.refusal(), "holds data.npy twice"));
}

TEST_CASE("npz files with any byte changed or missing") {
  const scratch_file file(".npz");
  SECTION("stored") {
    archive().write(file.path, false);
  }
  SECTION("deflated") {
    archive().write(file.path, true);
  }
  SECTION("zip64") {
    archive().write(file.path, true, 1);
  }
  SECTION("written by us") {
    write_npz(file.path, any_format<std::int64_t, float, host>(small_csr<std::int64_t, float>()));
  }
  check_every_byte(file);
}

TEST_CASE("a damaged npz member is named with both checksums") {
  const scratch_file file(".npz");
  archive().write(file.path, false);
  std::string bytes = file.bytes();
  const std::size_t at = bytes.find(raw<double>({2, 3}));
  REQUIRE(at != std::string::npos);
  bytes[at] = 1;
  file.replace(bytes);
  const std::string text = failure_of([&] { read_npz(file.path); });
  CHECK(holds(text, file.path + ": member data.npy is damaged: checksum "));
  CHECK(holds(text, ", expected "));
}

namespace {

// A zip archive put together byte by byte, so that every field of it can be a lie.
struct zip_parts {
  struct part {
    std::string name, data;
    std::uint16_t method = 0, flags = 0;
    std::uint32_t bytes = 0, crc = 0;
    std::string local_name;          // where it is another
    std::int64_t at = -1;            // where the directory says that it is
    std::uint32_t packed_bytes = 0;  // as the directory says
  };
  std::vector<part> parts;
  std::uint16_t disk = 0;
  std::string comment;

  static part stored(const std::string& name, const std::string& content) {
    part p;
    p.name = name + ".npy";
    p.data = content;
    p.bytes = p.packed_bytes = static_cast<std::uint32_t>(content.size());
    p.crc = static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    return p;
  }
  static part deflated(const std::string& name, const std::string& content, int level = 9) {
    part p = stored(name, content);
    z_stream stream{};
    REQUIRE(::deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    p.data.assign(::deflateBound(&stream, content.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(p.data.data());
    stream.avail_out = static_cast<uInt>(p.data.size());
    REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
    p.data.resize(p.data.size() - stream.avail_out);
    ::deflateEnd(&stream);
    p.method = 8;
    p.packed_bytes = static_cast<std::uint32_t>(p.data.size());
    return p;
  }
  // The good matrix of `archive`.
  zip_parts() {
    for (const member& m : archive().members) parts.push_back(stored(m.key, m.content));
  }
  part& operator[](const std::string& key) {
    for (part& p : parts)
      if (p.name == key + ".npy") return p;
    throw std::out_of_range(key);
  }

  std::string bytes() const {
    const auto u16 = [](std::uint16_t n) { return raw<std::uint16_t>({n}); };
    const auto u32 = [](std::uint32_t n) { return raw<std::uint32_t>({n}); };
    std::string out, directory;
    for (const part& p : parts) {
      const std::string& name = p.local_name.empty() ? p.name : p.local_name;
      const std::size_t at = out.size();
      out += joined({"PK\3\4", u16(20), u16(p.flags), u16(p.method), u32(0x210000), u32(p.crc),
                     u32(static_cast<std::uint32_t>(p.data.size())), u32(p.bytes),
                     u16(static_cast<std::uint16_t>(name.size())), u16(0), name, p.data});
      directory +=
          joined({"PK\1\2", u16(20), u16(20), u16(p.flags), u16(p.method), u32(0x210000), u32(p.crc),
                  u32(p.packed_bytes), u32(p.bytes), u16(static_cast<std::uint16_t>(p.name.size())),
                  std::string(12, '\0'), u32(static_cast<std::uint32_t>(p.at < 0 ? at : p.at)), p.name});
    }
    const auto size = static_cast<std::uint32_t>(directory.size()),
               place = static_cast<std::uint32_t>(out.size());
    const auto count = static_cast<std::uint16_t>(parts.size());
    return joined({out, directory, "PK\5\6", u16(disk), u16(disk), u16(count), u16(count), u32(size),
                   u32(place), u16(static_cast<std::uint16_t>(comment.size())), comment});
  }
  std::string said(failure expected = failure::input) const {
    const scratch_file file(".npz");
    file.replace(bytes());
    const std::string text = failure_of([&] { read_npz(file.path); }, expected);
    return text.starts_with(file.path + ": ") ? text.substr(file.path.size() + 2) : text;
  }
};

}  // namespace

TEST_CASE("a zip archive that lies about itself") {
  CHECK(zip_parts().said() == "");
  zip_parts z;
  // A comment behind the end record may be as long as its length can tell.
  z.comment = std::string(65535, 'c');
  CHECK(z.said() == "");
  const scratch_file wide(".npz");
  archive().write(wide.path, false, 1);
  const std::string zip64 = wide.bytes();
  wide.replace(zip64.substr(0, zip64.size() - 2) + "\xff\xff" + z.comment);
  CHECK(has_entries(read_npz(wide.path), {0, 0, 1}, {0, 2, 1}, {1, 2, 3}));
  // The end record's count, size and place of the directory, one off.
  const std::string good = zip_parts().bytes();
  for (const std::size_t field : {10, 12, 16})
    for (const int off : {-1, 1}) {
      std::string bytes = good;
      char& least = bytes[bytes.size() - 22 + field];
      least = static_cast<char>(least + off);
      wide.replace(bytes);
      INFO("field " << field << " by " << off);
      CHECK(holds(failure_of([&] { read_npz(wide.path); }), "damaged zip archive: its directory is "));
    }
  z = {};
  z.disk = 1;
  CHECK(z.said(failure::unsupported) == "is a zip archive in several parts");
  z = {};
  z["data"].flags = 1;
  CHECK(z.said(failure::unsupported) == "is an encrypted archive");
  z = {};
  z["data"].method = 12;
  CHECK(z.said(failure::unsupported) ==
        "data.npy is packed with zip method 12, only stored and deflated are read");
  z = {};
  z["data"].bytes -= 1;
  CHECK(z.said() == "member data.npy is damaged: its sizes disagree");
  z = {};
  z["data"].crc ^= 1;
  CHECK(holds(z.said(), "member data.npy is damaged: checksum "));
  z = {};
  z["data"].local_name = "dato.npy";
  CHECK(z.said() == "member data.npy is damaged: its header has another name");
  z["data"].local_name = "data.npyx";
  CHECK(holds(z.said(), "member data.npy is damaged: "));
  // Deflated data that go on behind their end, end too early, or give more or less than announced.
  for (const int more : {-1, 1}) {
    z = {};
    z["data"] = zip_parts::deflated("data", archive().members.back().content);
    CHECK(z.said() == "");
    z["data"].bytes += static_cast<std::uint32_t>(more);
    CHECK(holds(z.said(), "array data is damaged: its shape does not fit"));
    z["data"].bytes -= static_cast<std::uint32_t>(more);
    if (more > 0)
      z["data"].data += 'x';
    else
      z["data"].data.pop_back();
    z["data"].packed_bytes = static_cast<std::uint32_t>(z["data"].data.size());
    CHECK(z.said() == "member data.npy is damaged: its compressed data are broken");
  }
}

TEST_CASE("members of a zip archive that overlap are refused") {
  const auto place_of = [](const zip_parts& z, const std::string& key) {
    return static_cast<std::int64_t>(z.bytes().find(key + ".npy")) - 30;
  };
  // Two names for the same bytes, and a member that lies within another: small archives of any size are made
  // so.
  zip_parts same;
  same.parts.push_back(same["data"]);
  same.parts.back().name = "more.npy";
  same.parts.back().at = place_of(same, "data");
  CHECK(same.said() == "damaged zip archive: its members overlap");
  zip_parts within;
  zip_parts::part outer = zip_parts::stored("outer", zip_parts().bytes());
  within.parts.insert(within.parts.begin(), outer);
  CHECK(within.said() == "");
  for (zip_parts::part& p : within.parts)
    if (p.name != "outer.npy") p.at = 30 + 9 + place_of(zip_parts(), p.name.substr(0, p.name.size() - 4));
  CHECK(within.said() == "damaged zip archive: its members overlap");
  // One byte is too much already.
  zip_parts close;
  CHECK(close.parts.front().name == "indices.npy");
  close.parts.front().packed_bytes += 1;
  CHECK(close.said() == "damaged zip archive: its members overlap");
}

TEST_CASE("nothing that deflate can give is called impossible") {
  // Its longest run of matches: a thousand times and more.
  const std::string zeros(8 << 20, '\0');
  zip_parts z;
  z["indices"] = zip_parts::deflated("indices", npy("<i4", "(2097152,)", zeros));
  z["data"] = zip_parts::deflated("data", npy("<i4", "(2097152,)", zeros));
  z["indptr"] = zip_parts::stored("indptr", npy("<i4", "(3,)", raw<std::int32_t>({0, 2097152, 2097152})));
  CHECK(z["data"].bytes / z["data"].packed_bytes >= 1015);
  CHECK(z.said() == "");
}

TEST_CASE("a directory has a limit") {
  const scratch_file file(".npz");
  for (const std::uint32_t bytes : {16u << 20, (16u << 20) + 1}) {
    file.replace("");
    file.cut(bytes);  // a file of zeros that takes no room
    std::ofstream(file.path, std::ios::binary | std::ios::app)
        << "PK\5\6" << std::string(6, '\0') << raw<std::uint16_t>({1}) << raw<std::uint32_t>({bytes, 0})
        << std::string(2, '\0');
    CHECK(holds(failure_of([&] { read_npz(file.path); }),
                bytes == 16u << 20 ? "its directory is broken" : "its directory is far too large"));
  }
}

TEST_CASE("zip64 fields from any size on") {
  const scratch_file file(".npz");
  archive().write(file.path, false);
  const auto all = file.bytes().size();
  for (std::uint64_t from = 1; from < all + 100; from += 7)
    for (const bool compress : {false, true}) {
      archive().write(file.path, compress, from);
      if (!has_entries(read_npz(file.path), {0, 0, 1}, {0, 2, 1}, {1, 2, 3})) FAIL("from " << from);
    }
  SUCCEED("all were read");
  zip_writer out(file.path);
  out.begin("a", 3, false);
  out.write("ab", 2);
  CHECK_THROWS_AS(out.end(), std::logic_error);
}

TEST_CASE("a zip archive that is cut off while it is read") {
  const scratch_file file(".npz");
  archive().write(file.path, false);
  const zip_reader reader(file.path);
  const std::size_t whole = file.bytes().size();
  file.cut(40);
  for (const zip_member& m : reader.members())
    CHECK(failure_of([&] {
            zip_stream stream(reader, m);
            stream.finish();
          }) == file.path + ": ends too early");
  CHECK(whole > 40);
}

TEST_CASE(".npy headers of every version, and their limits") {
  const auto of_version = [](char version, const std::string& header, const std::string& data,
                             std::size_t length_bytes) {
    std::string out("\x93NUMPY", 6);
    out += version;
    out += '\0';
    for (std::size_t i = 0; i < length_bytes; ++i) out += static_cast<char>(header.size() >> (8 * i));
    return out + header + data;
  };
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
  const std::string data = raw<double>({1, 2, 3});
  const auto said = [&](const std::string& content) { return archive().set("data", content).refusal(); };
  CHECK(said(of_version(1, header, data, 2)) == "");
  CHECK(said(of_version(2, header, data, 4)) == "");
  CHECK(said(of_version(3, header, data, 4)) == "");
  CHECK(holds(said(of_version(0, header, data, 2)), "its .npy version is unknown"));
  CHECK(holds(said(of_version(4, header, data, 4)), "its .npy version is unknown"));
  const auto padded = [&](std::size_t bytes) { return header + std::string(bytes - header.size(), ' '); };
  CHECK(said(of_version(1, padded(65535), data, 2)) == "");
  CHECK(said(of_version(2, padded(65536), data, 4)) == "");
  CHECK(holds(said(of_version(2, padded(65537), data, 4)), "its .npy header is too long"));
  CHECK(holds(said(of_version(2, header, data, 4).substr(0, 40)), "shorter than its .npy header"));
  // What the dictionary may and may not say.
  const auto with_header = [&](const std::string& text) { return said(of_version(1, text, data, 2)); };
  CHECK(with_header("{\"descr\": \"<f8\", 'shape': (3L,), 'fortran_order': True}") == "");
  CHECK(with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (000000000000000003,), }") == "");
  for (const char* const broken :
       {"", "{", "'descr'", "{'descr': '<f8'}", "{'shape': (3,)}", "{'descr': '<f8', 'shape': 3}",
        "{'descr': '<f8', 'shape': (3,), 'fortran_order': Maybe}", "{'descr': '<f8' 'shape': (3,)}",
        "{'descr': '<f8', 'shape': (3,), 'more': 1}", "{'descr': '<f8', 'shape': (-3,)}",
        "{'descr': '<f8', 'shape': (3 3)}", "{'descr': <f8, 'shape': (3,)}",
        "{'descr': '<f8', 'shape': (0000000000000000003,)}", "{'descr': '<f8, 'shape': (3,)"})
    CHECK(holds(with_header(broken), "data has a broken .npy header"));
  CHECK(holds(archive().set("data", npy("<f8", "(3,)", data + "x")).refusal(), "shape does not fit"));
  CHECK(holds(archive()
                  .set("data", of_version(1, "{'descr': [('a', '<f8')], 'shape': (3,)}", data, 2))
                  .refusal(failure::unsupported),
              "data holds structured values"));
  // The format's name, in at most 64 bytes.
  CHECK(archive().set("format", npy("|S64", "()", "csr" + std::string(61, '\0'))).refusal() == "");
  for (const char* type : {"|S65", "|S0"})
    CHECK(holds(archive().set("format", npy(type, "()", std::string(type[2] == '6' ? 65 : 0, 'c'))).refusal(),
                "format is not a short text"));
  CHECK(holds(archive().set("format", npy("|S3", "(2,)", "csrcsr")).refusal(), "format is not a short text"));
}

TEST_CASE("npz shapes and indices at their edges") {
  const auto shape = [](const std::string& of, std::initializer_list<std::int64_t> list) {
    return npy("<i8", of, raw(list));
  };
  CHECK(
      holds(archive().set("shape", shape("(2, 1)", {2, 3})).refusal(), "shape has 2 dimensions, expected 1"));
  CHECK(
      holds(archive().set("shape", shape("(3,)", {2, 3, 4})).refusal(failure::unsupported), "3 dimensions"));
  archive a;
  a.drop("indices").drop("indptr").set("format", npy("|S3", "()", "coo"));
  archive coords = a;
  a.set("shape", shape("(2,)", {2147483647, 2147483647}));
  a.set("row", npy("<u8", "(3,)", raw<std::uint64_t>({0, 0, 2147483646})));
  a.set("col", npy("<i4", "(3,)", raw<std::int32_t>({0, 2147483646, 0})));
  CHECK(has_entries(a.read(), {0, 0, 2147483646}, {0, 2147483646, 0}, {1, 2, 3}));
  a.set("row", npy("<u8", "(3,)", raw<std::uint64_t>({0, 0, 2147483647})));
  CHECK(holds(a.refusal(), "row[2] = 2147483647 is outside 0..2147483646"));
  a.set("row", npy("<u8", "(3,)", raw<std::uint64_t>({0, UINT64_MAX, 1})));
  CHECK(holds(a.refusal(), "row[1] = 9223372036854775807 is outside 0..2147483646"));
  // Coordinates stand row by row: two rows, and not two columns, whatever the number of values.
  const auto said = [&](const char* of, const char* order = "False") {
    return archive(coords).set("coords", npy("<i4", of, raw<std::int32_t>({1, 0, 1, 2, 0, 2}), order));
  };
  CHECK(has_entries(said("(2, 3)").read(), {1, 0, 1}, {2, 0, 2}, {1, 2, 3}));
  CHECK(holds(said("(3, 2)").refusal(), "coords has not two rows"));
  CHECK(holds(said("(6, 1)").refusal(), "coords has not two rows"));
  CHECK(holds(said("(1, 6)").refusal(), "coords has not two rows"));
  CHECK(holds(said("(6,)").refusal(), "coords has 1 dimensions, expected 2"));
  CHECK(holds(said("(2, 3)", "True").refusal(failure::unsupported), "coords is in Fortran order"));
  coords.set("coords", npy("<i4", "(2, 2)", raw<std::int32_t>({1, 0, 2, 0})));
  CHECK(holds(coords.refusal(), "coords has 4 elements instead of 6 (two for each value)"));
  coords.set("coords", npy("<i4", "(2, 3)", raw<std::int32_t>({1, 0, 1, 2, 0, 3})));
  CHECK(holds(coords.refusal(), "coords[5] = 3 is outside 0..2"));
  // Blocks over the edge, of rows as of columns; zeros there are none.
  archive b;
  b.set("format", npy("|S3", "()", "bsr")).set("shape", shape("(2,)", {3, 3}));
  b.set("indices", npy("<i4", "(1,)", raw<std::int32_t>({1})))
      .set("indptr", npy("<i4", "(3,)", raw<std::int32_t>({0, 0, 1})));
  const auto block = [&](std::initializer_list<double> values) {
    return archive(b).set("data", npy("<f8", "(1, 2, 2)", raw(values)));
  };
  CHECK(has_entries(block({7, 0, 0, 0}).read(), {2}, {2}, {7}));
  CHECK(holds(block({7, 1, 0, 0}).refusal(), "outside the matrix (element 1)"));
  CHECK(holds(block({7, 0, 1, 0}).refusal(), "outside the matrix (element 2)"));
  CHECK(holds(archive(b).set("data", npy("<f8", "(1, 4)", raw<double>({1, 2, 3, 4}))).refusal(),
              "data has 2 dimensions, expected 3"));
}

TEST_CASE("what is written is laid out as NumPy does") {
  const scratch_file file(".npz");
  write_npz(file.path, any_format<std::int64_t, float, host>(small_csr<std::int64_t, float>()), false);
  const zip_reader archive(file.path);
  std::string types;
  for (const zip_member& m : archive.members()) {
    zip_stream stream(archive, m);
    std::string start(static_cast<std::size_t>(m.bytes), '\0');
    stream.read(start.data(), start.size());
    const std::size_t header =
        static_cast<unsigned char>(start[8]) + 256u * static_cast<unsigned char>(start[9]);
    INFO(m.name);
    CHECK((10 + header) % 64 == 0);
    CHECK(start[10 + header - 1] == '\n');
    CHECK(start[10 + header - 2] != '\n');
    types += m.name + start.substr(start.find("'descr': '") + 10, 3) + ' ';
  }
  // SciPy wants both index arrays of one type.
  CHECK(types == "indices.npy<i8 indptr.npy<i8 format.npy|S3 shape.npy<i8 data.npy<f4 ");
  bsr<std::int32_t, double, host> blocks;
  blocks.rows = 4;
  blocks.cols = 6;
  blocks.block_rows = 2;
  blocks.block_cols = 3;
  blocks.row_offsets = array_of<std::int32_t>({0, 1, 1});
  blocks.col_indices = array_of<std::int32_t>({1});
  blocks.values = array_of<double>({1, 2, 0, 4, 5, 6});
  CHECK(has_entries(there_and_back<std::int32_t>(copy_to<host>(blocks)), {0, 0, 1, 1, 1}, {3, 4, 3, 4, 5},
                    {1, 2, 4, 5, 6}));
  for (const auto& [rows, cols] : {std::pair(3, 6), std::pair(4, 5)}) {
    auto cut = copy_to<host>(blocks);
    cut.rows = rows;
    cut.cols = cols;
    CHECK(holds(failure_of([&] { there_and_back<std::int32_t>(std::move(cut)); }, failure::unsupported),
                "needs a shape that the blocks divide"));
  }
}

TEST_CASE("dia is written as SciPy has it, by columns, and refused with a rest") {
  dia<double, host> m;
  m.rows = 3;
  m.cols = 4;
  m.offsets = array_of<std::int32_t>({-1, 0, 2});
  m.values = array_of<double>({0, 2, 4, 1, 3, 7, 5, 6, 0});
  CHECK(has_entries(there_and_back<std::int32_t>(copy_to<host>(m)), {1, 2, 0, 1, 2, 0, 1},
                    {0, 1, 0, 1, 2, 2, 3}, {2, 4, 1, 3, 7, 5, 6}));
  auto tall = copy_to<host>(m);  // without the last diagonal, so that it ends before the last column
  tall.offsets = array_of<std::int32_t>({-1, 0});
  tall.values = array_of<double>({0, 2, 4, 1, 3, 7});
  CHECK(has_entries(there_and_back<std::int32_t>(std::move(tall)), {1, 2, 0, 1, 2}, {0, 1, 0, 1, 2},
                    {2, 4, 1, 3, 7}));
  dia<double, host> empty;
  empty.rows = 2;
  empty.cols = 5;
  CHECK(has_entries(there_and_back<std::int32_t>(std::move(empty)), {}, {}, {}));
  auto with_rest = copy_to<host>(m);
  with_rest.rest_row_indices = array_of<std::int32_t>({0});
  with_rest.rest_col_indices = array_of<std::int32_t>({1});
  with_rest.rest_values = array_of<double>({8});
  CHECK(holds(failure_of([&] { there_and_back<std::int32_t>(std::move(with_rest)); }, failure::unsupported),
              "SciPy's dia has no rest, and 1 entries are in it"));
}

TEST_CASE("npz sizes are not believed") {
  // The directory announces more than the packed bytes could ever give.
  const scratch_file file(".npz");
  archive().write(file.path, true);
  std::string bytes = file.bytes();
  const std::size_t name = bytes.rfind("data.npy");
  for (std::size_t i = 0; i < 4; ++i) bytes[name - 22 + i] = i == 3 ? '\x70' : '\xff';  // the unpacked size
  file.replace(bytes);
  CHECK(holds(failure_of([&] { read_npz(file.path); }), "cannot come out of"));
}

TEST_CASE("npz files that are none") {
  CHECK(holds(failure_of([] { read_npz("/nonexistent/m.npz"); }), "could not open: No such file"));
  CHECK(holds(failure_of([] { read_npz("/tmp"); }), "is not a regular file"));
  const scratch_file file(".npz");
  for (const char* content : {"", "x", "%%MatrixMarket matrix coordinate real general\n1 1 0\n"}) {
    file.replace(content);
    CHECK(holds(failure_of([&] { read_npz(file.path); }), "is not a complete zip archive"));
  }
}

TEST_CASE("npz files that cannot be written") {
  const any_format<std::int32_t, double, host> f = small_csr<std::int32_t, double>();
  CHECK(holds(failure_of([&] { write_npz("/nonexistent/m.npz", f); }, failure::output),
              "/nonexistent/m.npz: could not write: No such file"));
  const scratch_file file(".npz");
  write_npz(file.path, f);
  const std::size_t size = file.bytes().size();
  for (std::size_t limit = 0; limit < size; limit += limit + 40 < size ? 37 : 1) {
    std::string text;
    {
      const small_disk full(limit);
      text = failure_of([&] { write_npz(file.path, f); }, failure::output);
    }
    if (!holds(text, file.path + ": could not write: File too large"))
      FAIL("limit " << limit << ": " << text);
  }
}

TEST_CASE("an .npz is one by what is in it, whatever its name") {
  for (const char* suffix : {".npz", ".NPZ", ".zip", ".mtx", ""}) {
    const scratch_file file(suffix);
    archive().write(file.path);
    CHECK(has_entries(read_matrix(file.path), {0, 0, 1}, {0, 2, 1}, {1, 2, 3}));
    // Arrays that are no matrix, and one that is cut off, are refused as such.
    archive().drop("format").write(file.path);
    CHECK(holds(failure_of([&] { read_matrix(file.path); }), file.path + ": holds no array 'format'"));
    archive().write(file.path);
    file.cut(file.bytes().size() - 5);
    CHECK(failure_of([&] { read_matrix(file.path); }) ==
          file.path + ": is not a complete zip archive: it has no end record");
  }
  // And what is called .npz is read as what it is.
  const scratch_file file(".npz");
  file.replace("%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 7\n");
  CHECK(has_entries(read_matrix(file.path), {1}, {2}, {7}));
}

TEST_CASE("a zip archive of other files is no .npz") {
  const scratch_file file(".npz");
  const auto holding = [&](std::initializer_list<const char*> names) {
    zip_writer out(file.path);
    for (const char* name : names) {
      out.begin(name, 1, false);
      out.write("x", 1);
      out.end();
    }
    out.close();
    return is_npz(file.path, file.bytes());
  };
  CHECK_FALSE(holding({"m.mtx"}));
  CHECK_FALSE(holding({"labels.npy", "m.mtx"}));
  CHECK_FALSE(holding({"readme.txt"}));
  CHECK_FALSE(holding({}));
  CHECK(holding({"data.npy"}));
  CHECK(holding({"m.mtx", "format.npy"}));
  CHECK_FALSE(holding({"readme.txt", "readme.txt", "m.mtx"}));
}

TEST_CASE("a zip archive that cannot be read is an .npz where a name says so") {
  for (const char* suffix : {".zip", ".npz"}) {
    const scratch_file file(suffix);
    for (const char* member : {"m.mtx", "data.npy"}) {
      zip_writer out(file.path);
      out.begin(member, 1, false);
      out.write("x", 1);
      out.end();
      out.close();
      const std::string bytes = file.bytes() + "\n";
      file.replace(bytes);
      INFO(member << " in " << file.path);
      if (std::string(member) == "m.mtx" && std::string(suffix) == ".zip")
        CHECK_FALSE(is_npz(file.path, bytes));
      else
        CHECK(holds(failure_of([&] { is_npz(file.path, bytes); }), "is not a complete zip archive"));
    }
  }
}

TEST_CASE("only arrays that are used must be there once") {
  archive others;
  others.members.push_back({"note", others.members.back().content});
  others.members.push_back(others.members.back());
  const scratch_file file(".npz");
  others.write(file.path);
  CHECK(has_entries(read_npz(file.path), {0, 0, 1}, {0, 2, 1}, {1, 2, 3}));
}
