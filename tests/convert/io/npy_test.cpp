// A dense array of NumPy as a matrix: every type, order and shape that numpy.save writes, and one array of
// bytes for every rule that it refuses.
#include "convert/io/npy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "convert/io/gzip.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"
#include "tests/convert/io/npy_bytes.hpp"
#include "tests/convert/io/text_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::test;
using sparsmith::testing::same_triplets;
using sparsmith::testing::source_of;
using sparsmith::testing::triplet;
using sparsmith::testing::triplets_of;

namespace {

// As slow pipes deliver it: seven bytes at a time.
matrix_entries read(const std::string& bytes, complex_values if_complex = complex_values::refuse) {
  return read_npy(source_of("a.npy", bytes, 1 << 20, 7), {}, if_complex);
}

std::string refusal(const std::string& bytes, failure expected = failure::input) {
  return failure_of([&] { read(bytes); }, expected);
}

std::string refused_type(const std::string& descr, std::size_t bytes) {
  return refusal(npy(descr, "(2, 1)", std::string(2 * bytes, '\0')), failure::unsupported);
}

}  // namespace

TEST_CASE("an array of two dimensions is a matrix without its zeros", "[npy]") {
  const std::string bytes = npy("<f8", "(2, 3)", raw<double>({1, 0, -0.0, 0, 2.5, 3}));
  REQUIRE(is_npy(bytes));
  REQUIRE(!is_npy("\x93NUMPX"));
  const matrix_entries m = read(bytes);
  CHECK(m.entries.rows == 2);
  CHECK(m.entries.cols == 3);
  CHECK(same_triplets(triplets_of(m), {{0, 0, 1}, {1, 1, 2.5}, {1, 2, 3}}));
  CHECK(m.array_zeros == 3);
  CHECK(m.origin == "NumPy array");
  CHECK(m.field == "real");
  CHECK(m.symmetry == symmetry_kind::general);
  CHECK_FALSE(m.single_precision);

  SECTION("also column by column") {
    const matrix_entries turned = read(npy("<f8", "(2, 3)", raw<double>({1, 0, 0, 2.5, -0.0, 3}), "True"));
    CHECK(turned.entries.rows == 2);
    CHECK(same_triplets(triplets_of(turned), {{0, 0, 1}, {1, 1, 2.5}, {1, 2, 3}}));
    CHECK(turned.array_zeros == 3);
  }
  SECTION("NaN and infinities are entries") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const matrix_entries odd =
        read(npy("<f8", "(1, 4)", raw<double>({std::nan(""), 0, infinity, -infinity})));
    REQUIRE(odd.entries.values.size() == 3);
    CHECK(std::isnan(odd.entries.values[0]));
    CHECK(odd.entries.values[1] == infinity);
    CHECK(odd.entries.col_indices[2] == 3);
    CHECK(odd.array_zeros == 1);
  }
  SECTION("more of it than is converted at a time") {
    constexpr std::int64_t rows = 301, cols = 409;
    std::string data(rows * cols * 2, '\0');
    for (std::int64_t i = 0; i < rows * cols; i += 7) data[static_cast<std::size_t>(2 * i)] = 5;
    std::vector<std::int64_t> done;
    const matrix_entries large =
        read_npy(source_of("a.npy", npy("<i2", "(301, 409)", data)),
                 [&](std::int64_t at, std::int64_t total) { done.push_back(total == 0 ? at : -1); });
    REQUIRE(large.entries.values.size() == (rows * cols + 6) / 7);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < large.entries.values.size(); ++i)
      wrong += large.entries.row_indices[i] * cols + large.entries.col_indices[i] != 7 * i ||
               large.entries.values[i] != 5;
    CHECK(wrong == 0);
    CHECK(large.array_zeros == rows * cols - large.entries.values.size());
    CHECK(std::is_sorted(done.begin(), done.end()));
    CHECK(done.back() > rows * cols * 2);
  }
}

TEST_CASE("arrays of every supported type are read in both byte orders", "[npy]") {
  const auto is_expected = [](const std::string& descr, const std::string& data, const char* field,
                              bool single) {
    INFO(descr);
    const matrix_entries m = read(npy(descr, "(3, 1)", data));
    CHECK(same_triplets(triplets_of(m), {{0, 0, 1}, {2, 0, 3}}));
    CHECK(m.field == field);
    CHECK(m.single_precision == single);
  };
  is_expected("|i1", raw<std::int8_t>({1, 0, 3}), "integer", false);
  is_expected("|u1", raw<std::uint8_t>({1, 0, 3}), "integer", false);
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    is_expected(order + "i2", raw<std::int16_t>({1, 0, 3}, big), "integer", false);
    is_expected(order + "i4", raw<std::int32_t>({1, 0, 3}, big), "integer", false);
    is_expected(order + "i8", raw<std::int64_t>({1, 0, 3}, big), "integer", false);
    is_expected(order + "u2", raw<std::uint16_t>({1, 0, 3}, big), "integer", false);
    is_expected(order + "u4", raw<std::uint32_t>({1, 0, 3}, big), "integer", false);
    is_expected(order + "u8", raw<std::uint64_t>({1, 0, 3}, big), "integer", false);
    is_expected(order + "f4", raw<float>({1, 0, 3}, big), "real", true);
    is_expected(order + "f8", raw<double>({1, 0, 3}, big), "real", false);
  }
  const matrix_entries logical = read(npy("|b1", "(1, 3)", raw<std::uint8_t>({0, 1, 255})));
  CHECK(same_triplets(triplets_of(logical), {{0, 1, 1}, {0, 2, 1}}));
  CHECK(logical.field == "integer");
  constexpr std::int64_t edge = std::int64_t{1} << 53;
  CHECK(read(npy("<i8", "(1, 3)", raw<std::int64_t>({edge, edge + 1, INT64_MIN}))).rounded_values == 2);
}

TEST_CASE("arrays without elements have a shape", "[npy]") {
  for (const auto& [shape, rows, cols] :
       std::vector<std::tuple<std::string, int, int>>{{"(0, 0)", 0, 0}, {"(5, 0)", 5, 0}, {"(0, 7)", 0, 7}})
    for (const char* const fortran : {"False", "True"}) {
      const matrix_entries m = read(npy("<f8", shape, "", fortran));
      CHECK(m.entries.rows == rows);
      CHECK(m.entries.cols == cols);
      CHECK(m.entries.values.size() == 0);
      CHECK(m.array_zeros == 0);
    }
}

TEST_CASE("of complex arrays the pattern can be had", "[npy]") {
  const std::string bytes = npy("<c16", "(2, 2)", raw<double>({0, 0, 0, 1, 2, 0, -0.0, 0}));
  CHECK(refusal(bytes, failure::unsupported) == "a.npy: values of type complex128 are not supported yet");
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    for (const std::string& array :
         {npy(order + "c16", "(2, 2)", raw<double>({0, 0, 0, 1, 2, 0, -0.0, 0}, big)),
          npy(order + "c8", "(2, 2)", raw<float>({0, 0, 0, 1, 2, 0, -0.0, 0}, big))}) {
      const matrix_entries m = read(array, complex_values::pattern_only);
      CHECK(same_triplets(triplets_of(m), {{0, 1, 1}, {1, 0, 1}}));
      CHECK(m.field == "complex");
      CHECK(m.array_zeros == 2);
      const matrix_entries parts = read(array, complex_values::keep);
      CHECK(same_triplets(triplets_of(parts), {{0, 1, 0}, {1, 0, 2}}));
      CHECK(std::ranges::equal(parts.imaginary, std::vector<double>{1, 0}));
      CHECK(parts.array_zeros == 2);
      CHECK(parts.single_precision == array.starts_with(npy(order + "c8", "(2, 2)", "").substr(0, 40)));
    }
  }
}

TEST_CASE("what is no matrix of numbers is refused by its name", "[npy]") {
  const auto of_shape = [](const std::string& shape, std::size_t elements) {
    return refusal(npy("<f8", shape, std::string(8 * elements, '\0')), failure::unsupported);
  };
  CHECK(of_shape("()", 1) == "a.npy: holds a single number, which is no matrix");
  CHECK(of_shape("(5,)", 5) == "a.npy: holds a vector of 5 elements, which is no matrix");
  CHECK(of_shape("(2, 3, 4)", 24) ==
        "a.npy: holds an array of 3 dimensions, 2 x 3 x 4; only matrices are supported");
  CHECK(refused_type("<f2", 2) == "a.npy: values of type float16 are not supported yet");
  CHECK(refused_type("<f16", 16) == "a.npy: values of type longdouble are not supported yet");
  CHECK(refused_type("<c32", 32) == "a.npy: values of type complex256 are not supported yet");
  CHECK(refused_type("<U3", 12) == "a.npy: values of type str are not supported yet");
  CHECK(refused_type("<M8[s]", 8) == "a.npy: values of type '<M8[s]' are not supported yet");
  CHECK(refused_type("!f8", 8) == "a.npy: the array holds values of type '!f8'");
  // What numpy.save makes of a matrix of SciPy.
  CHECK(holds(refusal(npy("|O", "()", "pickle"), failure::unsupported), "a.npy: holds Python objects, as"));
  const std::string fields = "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 2), }\n";
  CHECK(refusal(npy_with(fields, std::string(32, '\0')), failure::unsupported) ==
        "a.npy: the array holds structured values, which are not supported");
}

TEST_CASE("shapes and data that do not belong together are refused", "[npy]") {
  const std::string data = raw<double>({1, 2, 3, 4});
  CHECK(refusal(npy("<f8", "(2, 2)", data)).empty());
  CHECK(refusal(npy("<f8", "(2, 2)", data + '\0')) ==
        "a.npy: the array is damaged: more data follow than its shape needs");
  CHECK(refusal(npy("<f8", "(0, 2)", "x")) ==
        "a.npy: the array is damaged: more data follow than its shape needs");
  for (const std::size_t size : {0, 8, 31})
    CHECK(refusal(npy("<f8", "(2, 2)", data.substr(0, size))) ==
          "a.npy: the array is damaged: its shape needs more data than there are");
  CHECK(refusal(npy("<f8", "(2147483648, 0)", "")) ==
        "a.npy: 2147483648 rows are more than the 2147483647 that are supported");
  CHECK(refusal(npy("<f8", "(0, 2147483648)", "")) ==
        "a.npy: 2147483648 columns are more than the 2147483647 that are supported");
  CHECK(holds(refusal(npy("<f8", "(99999999999, 99999999999)", data)), "its shape is too large"));
  CHECK(holds(refusal(npy("<f8", "(2147483647, 2147483647)", data)), "its shape does not fit the size"));
  // Two petabytes that are only announced take no memory.
  CHECK(holds(refusal(npy("|i1", "(2147483647, 1000000)", data)), "needs more data than there are"));
}

TEST_CASE("heads that NumPy would not write are refused", "[npy]") {
  const std::string data = raw<double>({1, 2, 3, 4});
  const auto of_header = [&](const std::string& header) { return refusal(npy_with(header, data)); };
  const std::string broken = "a.npy: the array has a broken .npy header";
  CHECK(of_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n").empty());
  CHECK(of_header("{'shape': (2L, 2L), \"descr\": '<f8', 'fortran_order': False}").empty());
  for (const char* const header :
       {"", "{", "{}", "{'descr': '<f8', 'fortran_order': False, }", "{'descr': '<f8', 'shape': (2, 2), }",
        "{'fortran_order': False, 'shape': (2, 2), }",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, -2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': [2, 2], }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'x': 1, }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'shape': (2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), } x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), "}) {
    INFO(header);
    CHECK(of_header(header) == broken);
  }
  CHECK(refusal("no array at all") == "a.npy: the array is damaged: it is not an .npy array");
  CHECK(refusal("\x93NUM") == "a.npy: the array is damaged: it is shorter than its .npy header");
  const std::string good = npy("<f8", "(2, 2)", data);
  CHECK(refusal(good.substr(0, 40)) == "a.npy: the array is damaged: it is shorter than its .npy header");
  std::string version = good;
  version[6] = 4;
  CHECK(refusal(version) == "a.npy: the array is damaged: its .npy version is unknown");
  // Versions 2 and 3 have four bytes for the length of the head.
  for (const char number : {'\2', '\3'}) {
    std::string wide = good;
    wide[6] = number;
    wide.insert(10, 2, '\0');
    CHECK(refusal(wide).empty());
    wide[11] = 1;
    CHECK(refusal(wide) == "a.npy: the array is damaged: its .npy header is too long");
  }
}

TEST_CASE("any byte of an array may be wrong or missing", "[npy]") {
  const std::string good = npy("<i4", "(2, 3)", raw<std::int32_t>({1, 0, 2, 0, 3, 4}));
  const auto attempt = [](const std::string& bytes) {
    try {
      const matrix_entries m = read(bytes, complex_values::pattern_only);
      const auto elements = std::int64_t{m.entries.rows} * m.entries.cols;
      return m.entries.values.size() + m.array_zeros == elements;
    } catch (const error& e) {
      return holds(e.what(), "a.npy: ");
    }
  };
  std::string spoilt = good;
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {0xff, 0x01, 0x80, 0x10}) {
      spoilt[i] = static_cast<char>(good[i] ^ flip);
      INFO("byte " << i << " changed by " << flip);
      CHECK(attempt(spoilt));
    }
    spoilt[i] = good[i];
    CHECK(!refusal(good.substr(0, i)).empty());
  }
}

TEST_CASE("an array is not taken for whole before what unpacks it agrees", "[npy]") {
  std::string packed;
  gzip_writer out([&](const char* bytes, std::size_t size) { packed.append(bytes, size); });
  const std::string array = npy("<f8", "(2, 2)", raw<double>({1, 2, 3, 4}));
  out.write(array.data(), array.size());
  out.finish();
  const auto read_packed = [&] {
    text_source text = source_of("a.npy.gz", packed);
    text.read = gunzip(text.read, "a.npy.gz");
    return read_npy(text);
  };
  CHECK(read_packed().entries.values.size() == 4);
  packed[packed.size() - 7] ^= 1;  // in the checksum
  CHECK(holds(failure_of(read_packed), "damaged gzip input"));
}
