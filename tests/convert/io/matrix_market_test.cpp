// The Matrix Market reader and writer. Pieces of a few bytes make every line a boundary between two threads'
// work.
#include "convert/io/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <sstream>
#include <tuple>
#include <utility>

#include "convert/error.hpp"
#include "convert/io/matrix_market_grammar.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"
#include "tests/convert/io/text_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

matrix_entries read(const std::string& text, std::size_t piece_bytes = 1 << 20) {
  return read_matrix_market(source_of("test.mtx", text, piece_bytes, 1 << 20));
}

bool same(const std::vector<triplet>& a, const std::vector<triplet>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const triplet& x, const triplet& y) {
    return x.row == y.row && x.col == y.col &&
           (x.value == y.value || (x.value != x.value && y.value != y.value));
  });
}

std::string message_for(const std::string& text, std::size_t piece_bytes = 1 << 20) {
  try {
    read(text, piece_bytes);
  } catch (const error& e) {
    return e.what();
  }
  return "accepted";
}

const std::string real = "%%MatrixMarket matrix coordinate real general\n";

std::string as_utf16(const std::string& mark, const std::string& text, bool big_endian) {
  std::string wide = mark;
  for (const char c : text) wide += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return wide;
}

std::string written(const coo<double, host>& entries, const matrix_kind& source) {
  std::ostringstream out;
  write_matrix_market(out, entries, source);
  return out.str();
}

}  // namespace

TEST_CASE("a plain file, in pieces of any size") {
  const std::string text = real + "% a comment\n%\n\n3 4 5\n1 1 1.5\n3 4 -2e-3\n2 2 7\n\n1 3 .25\n3 1 +4\n";
  const std::vector<triplet> expected = {{0, 0, 1.5}, {2, 3, -2e-3}, {1, 1, 7}, {0, 2, 0.25}, {2, 0, 4}};
  for (const std::size_t piece : {1, 2, 5, 7, 16, 1000})
    for (const std::size_t step : {1, 3, 1000}) {
      INFO("pieces of " << piece << " bytes, delivered by " << step);
      const auto m = read_matrix_market(source_of("test.mtx", text, piece, step));
      CHECK(m.entries.rows == 3);
      CHECK(m.entries.cols == 4);
      CHECK(same(triplets_of(m), expected));
      CHECK(m.field == "real");
      CHECK(m.symmetry == symmetry_kind::general);
    }
}

TEST_CASE("line ends, blanks and comments") {
  const std::vector<triplet> expected = {{0, 0, 1}, {1, 1, 2}};
  const std::string dos =
      "%%MatrixMarket matrix coordinate real general\r\n%\r\n2 2 2\r\n1 1 1\r\n\r\n2 2 2\r\n";
  const std::string no_end = real + "2 2 2\n1 1 1\n2 2 2";
  const std::string indented = real + "  2 2\t2  \n \t1 1   1 \n2\t2 2\t\n \n\n";
  const std::string commented = real + "2 2 2\n% between\n1 1 1\n  %% indented\n2 2 2\n%at the end\n";
  const std::string upper = "%%MatrixMarket MATRIX Coordinate Real GENERAL\n2 2 2\n1 1 1\n2 2 2\n";
  // One in the middle of a line is a blank everywhere, or nowhere: what a piece of text is refused for
  // depends on it.
  const std::string returns = real + "2 2 2\n1\r1 1\n2 2\r2\r\n";
  for (const auto& text : {dos, no_end, indented, commented, upper, returns})
    for (const std::size_t piece : {1, 4, 1000}) CHECK(same(triplets_of(read(text, piece)), expected));
}

TEST_CASE("indices that are written unusually, among plain ones") {
  const std::vector<triplet> expected{{0, 0, 1}, {1, 1, 2}, {2, 11, 3}, {0, 11, 4}, {1, 0, 5}};
  CHECK(same(triplets_of(read(real + "3 12 5\n1 1 1\n 2\t2  2 \n3 00000000012 3\n\n01 12 4\n2 1 5")),
             expected));
  CHECK(same(triplets_of(read(real + "3 12 5\n0000000001 1 1\n2 2 2\n00000000003 12 3\n1 12 4\n2 1 5\n")),
             expected));
  CHECK(message_for(real + "3 12 2\n1 1 1\n3 000000000000013 3\n").find("test.mtx:4: ") == 0);
  CHECK(message_for(real + "3 12 2\n1 1 1\n3 12345678901 3\n").find("test.mtx:4: ") == 0);
}

TEST_CASE("fields") {
  const auto integer =
      read("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -7\n1 2 9007199254740993\n");
  CHECK(integer.field == "integer");
  CHECK(integer.rounded_values == 1);
  CHECK(same(triplets_of(integer), {{0, 0, -7}, {0, 1, 9007199254740992.0}}));
  const auto pattern = read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 1\n");
  CHECK(pattern.field == "pattern");
  CHECK(same(triplets_of(pattern), {{0, 0, 1}, {1, 0, 1}}));
  const auto special = read(real + "1 3 3\n1 1 nan\n1 2 inf\n1 3 -Infinity\n");
  CHECK(same(triplets_of(special), {{0, 0, std::nan("")}, {0, 1, INFINITY}, {0, 2, -INFINITY}}));
  const auto tiny = read(real + "1 2 2\n1 1 1e-400\n1 2 5e-324\n");
  CHECK(same(triplets_of(tiny), {{0, 0, 0}, {0, 1, 5e-324}}));
}

TEST_CASE("symmetries are reported, not expanded") {
  CHECK(read("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 3\n").symmetry ==
        symmetry_kind::symmetric);
  CHECK(read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n").symmetry ==
        symmetry_kind::skew_symmetric);
  // Zeros on its diagonal say what is so.
  for (const char* const zero : {"0", "-0.0", "0e5", "0.0D+00"})
    CHECK(read(std::string("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 ") + zero + "\n")
              .entries.values.size() == 1);
}

TEST_CASE("arrays") {
  for (const std::size_t piece : {1, 3, 1000}) {
    const auto general = read("%%MatrixMarket matrix array real general\n3 2\n1\n0\n3\n\n4\n5\n0\n", piece);
    CHECK(same(triplets_of(general), {{0, 0, 1}, {2, 0, 3}, {0, 1, 4}, {1, 1, 5}}));
    CHECK(general.array_zeros == 2);
    const auto symmetric =
        read("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", piece);
    CHECK(same(triplets_of(symmetric), {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}, {1, 1, 4}, {2, 1, 5}, {2, 2, 6}}));
    const auto skew = read("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", piece);
    CHECK(same(triplets_of(skew), {{1, 0, 1}, {2, 0, 2}, {2, 1, 3}}));
  }
  CHECK(read("%%MatrixMarket matrix array real general\n3 0\n").entries.values.size() == 0);
}

TEST_CASE("of complex matrices the pattern can be had") {
  const auto pattern_of = [](const std::string& text, std::size_t piece) {
    return read_matrix_market(source_of("test.mtx", text, piece, 1 << 20), {}, complex_values::pattern_only);
  };
  const std::string banner = "%%MatrixMarket matrix coordinate complex ";
  for (const std::size_t piece : {1, 7, 1000}) {
    const auto general =
        pattern_of(banner + "general\n3 3 4\n1 1 1.5 -2\n3 2 0 0\n1 1 -1.5 +2e3\n2 3 nan\t-inf \n", piece);
    CHECK(general.field == "complex");
    CHECK(general.symmetry == symmetry_kind::general);
    CHECK(same(triplets_of(general), {{0, 0, 1}, {2, 1, 1}, {0, 0, 1}, {1, 2, 1}}));
    for (const char* const symmetry : {"symmetric", "hermitian", "skew-symmetric"}) {
      const auto mirrored = pattern_of(banner + symmetry + "\n2 2 1\n2 1 3 4\n", piece);
      CHECK(mirrored.symmetry == symmetry_kind::symmetric);
      CHECK(same(triplets_of(mirrored), {{1, 0, 1}}));
    }
    const auto dense =
        pattern_of("%%MatrixMarket matrix array complex general\n2 2\n0 0\n0 1\n-0 0\n2 0\n", piece);
    CHECK(same(triplets_of(dense), {{1, 0, 1}, {1, 1, 1}}));
    CHECK(dense.array_zeros == 2);
    const auto triangle =
        pattern_of("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n0 1\n2 0\n", piece);
    CHECK(same(triplets_of(triangle), {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}}));
    const auto refusal = [&](const std::string& entry) {
      try {
        pattern_of(banner + "general\n3 3 2\n2 2 1 1\n" + entry + "\n", piece);
      } catch (const error& e) {
        return std::string(e.what());
      }
      return std::string("accepted");
    };
    CHECK(refusal("1 1") == "test.mtx:4: the line ends before the value");
    CHECK(refusal("1 1 2") == "test.mtx:4: the line ends before the imaginary part");
    CHECK(refusal("1 1 2 x") == "test.mtx:4: \"x\" is not a number");
    CHECK(refusal("1 1 x 2") == "test.mtx:4: \"x\" is not a number");
    CHECK(refusal("1 1 2 1e999") == "test.mtx:4: number 1e999 does not fit a double");
    CHECK(refusal("1 1 2 3 4") == "test.mtx:4: unexpected \"4\" after the entry");
    CHECK(refusal("4 1 2 3") == "test.mtx:4: row 4 is outside 1..3");
    CHECK(refusal("1 1 2-3") == "test.mtx:4: \"2-3\" is not a number");
  }
  // Matrices of other fields are read as ever, or refused as ever.
  CHECK(pattern_of(real + "1 1 1\n1 1 5\n", 1000).entries.values[0] == 5);
  CHECK_THROWS_AS(pattern_of("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", 1000), error);
}

TEST_CASE("empty matrices") {
  CHECK(read(real + "0 0 0\n").entries.rows == 0);
  CHECK(read(real + "3 4 0").entries.cols == 4);
  CHECK(read(real + "1 0 0\n\n\n").entries.rows == 1);
}

TEST_CASE("every mistake is told with its line") {
  const std::pair<std::string, std::string> cases[] = {
      {"", "test.mtx:1: the file is empty"},
      {"1 1 1\n", "test.mtx:1: not a Matrix Market file"},
      {"\n" + real + "1 1 0\n", "test.mtx:1: not a Matrix Market file"},
      {"%%Matrix Market matrix coordinate real general\n1 1 0\n", "test.mtx:1: not a Matrix Market file"},
      {"%%MatrixMarket matrix\n1 1 0\n", "test.mtx:1: the banner ends before the format"},
      {"%%MatrixMarket tensor coordinate real general\n1 1 0\n", "test.mtx:1: unknown object \"tensor\""},
      {"%%MatrixMarket vector coordinate real general\n1 0\n",
       "test.mtx:1: object \"vector\" is not a matrix"},
      {"%%MatrixMarket matrix coo real general\n1 1 0\n", "test.mtx:1: unknown format \"coo\""},
      {"%%MatrixMarket matrix coordinate decimal general\n1 1 0\n", "test.mtx:1: unknown field \"decimal\""},
      {"%%MatrixMarket matrix coordinate real triangular\n1 1 0\n",
       "test.mtx:1: unknown symmetry \"triangular\""},
      {"%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "field \"complex\" is not supported yet"},
      {"%%MatrixMarket matrix coordinate complex hermitian\n1 1 0\n",
       "field \"complex\" is not supported yet"},
      {"%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", "symmetry \"hermitian\""},
      {"%%MatrixMarket matrix array pattern general\n1 1\n", "an array cannot have field \"pattern\""},
      {real, "test.mtx:1: the file ends before the size line"},
      {real + "% only comments\n", "test.mtx:2: the file ends before the size line"},
      {real + "3 3\n", "test.mtx:2: the size line has 2 numbers instead of 3"},
      {real + "3 3 3 3\n", "test.mtx:2: the size line has 4 numbers instead of 3"},
      {real + "3 x 3\n", "test.mtx:2: \"x\" is not a size"},
      {real + "-3 3 0\n", "test.mtx:2: size -3 is negative"},
      {real + "3 3 -1\n", "test.mtx:2: size -1 is negative"},
      {real + "3000000000 3 0\n", "test.mtx:2: dimension 3000000000 is above 2147483647"},
      {real + "99999999999999999999 3 0\n", "far too large"},
      {"%%MatrixMarket matrix coordinate real symmetric\n3 4 0\n",
       "test.mtx:2: a symmetric matrix must be square"},
      {real + "0 1 1\n1 1 1\n", "has no place for any"},
      {real + "3 3 2\n1 1 1\n", "test.mtx:3: the file ends after 1 of 2 entries"},
      {real + "3 3 1\n1 1 1\n2 2 2\n", "test.mtx:4: more entries than the 1 announced"},
      {real + "3 3 1\n0 1 1\n", "test.mtx:3: row 0 is outside 1..3"},
      {real + "3 8 1\n1 9 1\n", "test.mtx:3: column 9 is outside 1..8"},
      {real + "3 3 1\n-1 1 1\n", "test.mtx:3: row -1 is outside 1..3"},
      {real + "3 3 1\n99999999999999999999 1 1\n", "row 99999999999999999999 is outside 1..3"},
      {real + "3 3 1\none 1 1\n", "test.mtx:3: \"one\" is not a row number"},
      {real + "3 3 1\n1 1.5 1\n", "test.mtx:3: \"1.5\" is not a column number"},
      {real + "3 3 1\n1\n", "test.mtx:3: the line ends before the column"},
      {real + "3 3 1\n1 1\n", "test.mtx:3: the line ends before the value"},
      {real + "3 3 1\n1 1 abc\n", "test.mtx:3: \"abc\" is not a number"},
      {real + "3 3 1\n1 1 1.0D\n", "test.mtx:3: \"1.0D\" is not a number"},
      {real + "3 3 1\n1 1 1.0D+\n", "test.mtx:3: \"1.0D+\" is not a number"},
      {real + "3 3 1\n1 1 1.0DD1\n", "test.mtx:3: \"1.0DD1\" is not a number"},
      {real + "3 3 1\n1 1 1.0E1D1\n", "test.mtx:3: \"1.0E1D1\" is not a number"},
      {real + "3 3 1\n1 1 1D999\n", "test.mtx:3: number 1D999 does not fit a double"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 1D3\n", "\"1D3\" is not an integer"},
      {real + "3 3 1\n1 1 +-5\n", "test.mtx:3: \"+-5\" is not a number"},
      {real + "3 3 1\n1 1 ++5\n", "test.mtx:3: \"++5\" is not a number"},
      {real + "3 3 1\n1 1 -+5\n", "test.mtx:3: \"-+5\" is not a number"},
      {real + "3 3 1\n1 1 +\n", "test.mtx:3: \"+\" is not a number"},
      {real + "3 3 1\n1 1 + 5\n", "test.mtx:3: \"+\" is not a number"},
      {real + "3 3 1\n1 1 +-1D3\n", "test.mtx:3: \"+-1D3\" is not a number"},
      {"%%MatrixMarket matrix array real general\n1 1\n+-5\n", "test.mtx:3: \"+-5\" is not a number"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 +-5\n", "\"+-5\" is not a number"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 ++5\n", "\"++5\" is not a number"},
      {real + "3 3 1\n+1 1 1\n", "test.mtx:3: \"+1\" is not a row number"},
      {real + "3 3 1\n1.5 1 1\n", "test.mtx:3: \"1.5\" is not a row number"},
      {real + "3 3 1\n4 1 1\n", "test.mtx:3: row 4 is outside 1..3"},
      {real + "3 3 1\n1 0 1\n", "test.mtx:3: column 0 is outside 1..3"},
      {real + "3 3 1\n1 0000000000000 1\n", "column 0000000000000 is outside 1..3"},
      {real + "3 3 1\n1 1 -1e309\n", "test.mtx:3: number -1e309 does not fit a double"},
      {real + "3 3 1\n1 1 1.7976931348623159e308\n", "does not fit a double"},
      {real + "3 3 1\n1 1 " + std::string(60, 'x') + "\n",
       "test.mtx:3: \"" + std::string(40, 'x') + "\" is not a number"},
      {real + "3 3 1\n1 1 1 " + std::string(60, 'x') + "\n",
       "test.mtx:3: unexpected \"" + std::string(40, 'x') + "\" after the entry"},
      {real + "3 3 1\n" + std::string(60, '7') + " 1 1\n", "row " + std::string(40, '7') + " is outside"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 18446744073709551616\n",
       "integer 18446744073709551616 does not fit 64 bits"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 -9223372036854775809\n",
       "integer -9223372036854775809 does not fit 64 bits"},
      {"%%MatrixMarket matrix coordinate real general extra\n1 1 0\n",
       "test.mtx:1: unexpected \"extra\" after the banner"},
      {real + "2147483648 3 0\n", "test.mtx:2: dimension 2147483648 is above 2147483647"},
      {real + "3 2147483648 0\n", "test.mtx:2: dimension 2147483648 is above 2147483647"},
      {real + "1 0 1\n1 1 1\n", "has no place for any"},
      {"%%MatrixMarket matrix array real general\n2\n",
       "test.mtx:2: the size line has 1 numbers instead of 2"},
      {real + "3 3 1.5\n", "test.mtx:2: \"1.5\" is not a size"},
      {real + "3 3 1\n1 1 1 1\n", "test.mtx:3: unexpected \"1\" after the entry"},
      {real + "3 3 1\n1 1 1e999\n", "test.mtx:3: number 1e999 does not fit a double"},
      {"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 1\n",
       "unexpected \"1\" after the entry"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 2.5\n", "\"2.5\" is not an integer"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 99999999999999999999\n",
       "does not fit 64 bits"},
      {"%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n",
       "test.mtx:5: more values than the 2 announced"},
      {"%%MatrixMarket matrix array real skew-symmetric\n2 2\n1\n2\n",
       "test.mtx:4: more values than the 1 announced"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n2 1 1\n2 2 0\n3 3 -1D-3\n",
       "test.mtx:5: a skew-symmetric matrix has only zeros on its diagonal"},
      {"%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 1\n03 3 7\n",
       "test.mtx:4: a skew-symmetric matrix has only zeros on its diagonal"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n3 3 1\n2 2\n",
       "test.mtx:3: a skew-symmetric matrix has only zeros on its diagonal"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 nan\n",
       "test.mtx:3: a skew-symmetric matrix has only zeros on its diagonal"},
      {"%%MatrixMarket matrix array real general\n2 1\n1\n", "test.mtx:3: the file ends after 1 of 2 values"},
      {"%%MatrixMarket matrix array real general\n2 1\n1 2\n3\n",
       "test.mtx:3: unexpected \"2\" after the entry"},
      {real + "3 3 2\n1 1 1\n\n2 2 2\n\n3 3 3\n", "test.mtx:7: more entries than the 2 announced"},
      {real + "3 3 3\n1 1 1\n% note\n\n2 2 x\n3 3 y\n", "test.mtx:6: \"x\" is not a number"},
      {real + "2 2 1\n1 1 1" + std::string(1, '\0') + "\n", "test.mtx:3:"},
      {"%%MatrixMarket matrix coordinate real general\r2 2 1\r1 1 1\r",
       "test.mtx:1: lines end in a bare carriage return (CR)"},
      {std::string("%%MatrixMarket matrix coordinate real general\r%") + std::string(100'000, 'c') + "\r",
       "test.mtx:1: lines end in a bare carriage return (CR)"},
      {real + "2 2 1\r1 1 1\r", "test.mtx:2: lines end in a bare carriage return (CR)"},
      {real + "% note\r2 2 1\r1 1 1\r", "test.mtx:2: lines end in a bare carriage return (CR)"},
      {real + "2 2 2\n1 1 1\r2 2 2\n", "test.mtx:3: lines end in a bare carriage return (CR)"},
      {as_utf16("\xff\xfe", real + "1 1 0\n", false), "test.mtx:1: the text is UTF-16"},
      {as_utf16("\xfe\xff", real + "1 1 0\n", true), "test.mtx:1: the text is UTF-16"},
      {as_utf16("", real + "1 1 0\n", false), "test.mtx:1: the text is UTF-16"},
      {as_utf16("", real + "1 1 0\n", true), "test.mtx:1: the text is UTF-16"},
  };
  for (const auto& [text, expected] : cases)
    for (const std::size_t piece : {1, 6, 1000}) {
      const std::string message = message_for(text, piece);
      INFO("pieces of " << piece << " bytes: " << message << ", expected: " << expected);
      CHECK(message.find(expected) != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
    }
}

TEST_CASE("numbers at the edges of their types") {
  CHECK(same(triplets_of(read(real + "1 5 5\n1 1 1.7976931348623157e308\n1 2 -1.7976931348623157D+308\n1 3 "
                                     "+inf\n1 4 +nan\n1 5 +.5e+1\n")),
             {{0, 0, 1.7976931348623157e308},
              {0, 1, -1.7976931348623157e308},
              {0, 2, INFINITY},
              {0, 3, std::nan("")},
              {0, 4, 5}}));
  const auto integer = [](const std::string& number) {
    return read("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 " + number + "\n");
  };
  const std::tuple<const char*, double, int> numbers[] = {
      {"+5", 5, 0},
      {"9007199254740992", 0x1p53, 0},
      {"-9007199254740993", -0x1p53, 1},
      {"9007199254740994", 9007199254740994.0, 0},
      {"9223372036854775807", 0x1p63, 1},
      {"9223372036854775808", 0x1p63, 0},
      {"-9223372036854775808", -0x1p63, 0},
      {"18446744073709551615", 0x1p64, 1},
      {"18446744073709549568", 18446744073709549568.0, 0}};
  for (const auto& [text, value, rounded] : numbers) {
    INFO(text);
    CHECK(same(triplets_of(integer(text)), {{0, 0, value}}));
    CHECK(integer(text).rounded_values == rounded);
  }
  CHECK(read("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 7\n").field == "integer");
  const auto last = read(
      "%MatrixMarket matrix coordinate pattern general\n2147483647 2147483647 1\n2147483647 "
      "2147483647\n");
  CHECK(same(triplets_of(last), {{2147483646, 2147483646, 1}}));
}

TEST_CASE("a comment or a blank line is seen wherever in the body it begins") {
  // Lines are counted in blocks of bytes, so every place in the first two of them is tried.
  for (std::size_t at = 6; at <= 520; ++at)
    for (const std::string& line :
         {std::string("%\n"), std::string("% 2 2 9\n"), std::string("\n"), std::string(" \n")}) {
      std::string body = "1 1 1" + std::string(at % 6, ' ') + "\n";
      std::int64_t entries = 1;
      for (; body.size() < at; ++entries) body += "1 1 1\n";
      REQUIRE(body.size() == at);
      body += line + "2 2 1\n";
      const std::string text = real + "2 2 " + std::to_string(entries + 1) + "\n" + body;
      if (message_for(text) != "accepted") FAIL("not seen at byte " << at << ": " << message_for(text));
      if (triplets_of(read(text)).back().row != 1) FAIL("wrong at byte " << at);
      const std::string one_less = real + "2 2 " + std::to_string(entries) + "\n" + body;
      if (message_for(one_less).find("more entries than the") == std::string::npos)
        FAIL("counted as an entry at byte " << at);
    }
  SUCCEED("all were seen");
}

TEST_CASE("the banner's line has a limit of its own") {
  const std::string banner = real.substr(0, real.size() - 1);
  CHECK(message_for(banner + std::string(65'000 - banner.size(), ' ') + "\n1 1 0\n") == "accepted");
  CHECK(message_for(banner + std::string(200'000, ' ') + "\n1 1 0\n") ==
        "test.mtx:1: not a Matrix Market file: the first line has no end");
}

TEST_CASE("so much of a text may be comments and blanks, and 1 KiB an entry") {
  using matrix_market::is_too_much_text;
  constexpr std::int64_t most = std::int64_t{64} << 20;
  CHECK_FALSE(is_too_much_text(0, 0));
  CHECK_FALSE(is_too_much_text(most + 1023, 0));
  CHECK(is_too_much_text(most + 1024, 0));
  CHECK_FALSE(is_too_much_text(most + 1024, 1));
  CHECK_FALSE(is_too_much_text(most + 1024 * 1000 + 1023, 1000));
  CHECK(is_too_much_text(most + 1024 * 1001, 1000));
  CHECK(is_too_much_text(std::int64_t{1} << 62, 1000));
  // Lines of one entry and many blanks, in a text that is held by nobody.
  const std::string start = real + "9 9 5000\n", line = "1 1 1" + std::string(100'000, ' ') + "\n";
  for (const int lines : {600, 1000}) {
    std::size_t at = 0;
    const std::size_t all = start.size() + line.size() * static_cast<std::size_t>(lines);
    text_source source = source_of("test.mtx", "", 1 << 20, 1);
    source.read = [&](char* buffer, std::size_t size) {
      std::size_t made = 0;
      for (; made < size && at < all; ++made, ++at)
        buffer[made] = at < start.size() ? start[at] : line[(at - start.size()) % line.size()];
      return made;
    };
    const std::string message = test::failure_of([&] { read_matrix_market(source); });
    INFO(message);
    CHECK(message.find(lines == 600 ? "the file ends after 600 of 5000 entries" : "comments and blanks") !=
          std::string::npos);
  }
}

TEST_CASE("a size that is known decides what is reserved, and progress ends with it") {
  std::string text = real + "9 9 4000\n";
  for (int i = 0; i < 4000; ++i) text += "1 1 1\n";
  text_source source = source_of("test.mtx", text, 4096, 1000);
  source.total_bytes = static_cast<std::int64_t>(text.size());
  std::int64_t last = 0, total = 0;
  bool falls = false;
  reset_peak_bytes(place::host);
  const auto before = peak_bytes(place::host);
  const auto m = read_matrix_market(source, [&](std::int64_t done, std::int64_t of) {
    falls = falls || done < last;
    last = done;
    total = of;
  });
  CHECK(m.entries.values.size() == 4000);
  CHECK(peak_bytes(place::host) - before == 4000 * 16);
  CHECK_FALSE(falls);
  CHECK(last == source.total_bytes);
  CHECK(total == source.total_bytes);
  // More than the text could hold is not reserved, whatever the header says.
  for (const auto& [banner, least] :
       {std::pair(std::string("%%MatrixMarket matrix coordinate pattern general\n9 9 1000000000000\n"), 4),
        std::pair(std::string("%%MatrixMarket matrix array real general\n1000000 1000000\n"), 2)}) {
    const std::string lying = banner + "1 1\n";
    source = source_of("test.mtx", lying, 4096, 1000);
    source.total_bytes = static_cast<std::int64_t>(lying.size()) + 40'000;
    reset_peak_bytes(place::host);
    const auto held = peak_bytes(place::host);
    test::failure_of([&] { read_matrix_market(source); });
    CHECK(peak_bytes(place::host) - held <= (40'004 / least + 1) * 16);
  }
}

TEST_CASE("a bare carriage return is not supported, wherever it stands") {
  for (const std::string& text :
       {std::string("%%MatrixMarket matrix coordinate real general\r2 2 1\r1 1 1\r"), real + "2 2 1\r1 1 1\r",
        real + "% note\r2 2 1\r1 1 1\r", real + "2 2 2\n1 1 1\r2 2 2\n", real + "2 2 2\r\n1 1 1\r2 2 2\r"}) {
    INFO(text);
    CHECK(test::holds(test::failure_of([&] { read(text); }, failure::unsupported), "bare carriage return"));
  }
}

TEST_CASE("the header's word does not decide what is allocated") {
  reset_peak_bytes(place::host);
  const auto before = peak_bytes(place::host);
  CHECK(message_for(real + "2000000000 2000000000 1000000000000000\n1 1 1\n")
            .find("after 1 of 1000000000000000") != std::string::npos);
  CHECK(message_for("%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n")
            .find("after 1 of") != std::string::npos);
  CHECK(peak_bytes(place::host) - before < 1 << 20);
}

TEST_CASE("a byte-order mark is skipped") {
  const std::string text = "\xef\xbb\xbf" + real + "2 2 1\n2 1 5\n";
  for (const std::size_t step : {1, 2, 1000})
    CHECK(same(triplets_of(read_matrix_market(source_of("test.mtx", text, 7, step))), {{1, 0, 5}}));
}

TEST_CASE("exponents as Fortran writes them") {
  for (const std::size_t piece : {1, 9, 1000}) {
    const auto list = read(real +
                               "1 5 5\n1 1 1.5D+03\n1 2 -1.d0\n1 3 +.25d-1 \n1 4 1D2\r\n1 5 "
                               "1.234567890123456789D+0005",
                           piece);
    CHECK(same(triplets_of(list),
               {{0, 0, 1500}, {0, 1, -1}, {0, 2, 0.025}, {0, 3, 100}, {0, 4, 1.234567890123456789e5}}));
    const auto dense = read("%%MatrixMarket matrix array real general\n2 1\n 0.0D+00\n-2.5D-01\n", piece);
    CHECK(same(triplets_of(dense), {{1, 0, -0.25}}));
    const auto complex = read_matrix_market(
        source_of("test.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1D0 2d+1\n",
                  piece, 1000),
        {}, complex_values::pattern_only);
    CHECK(same(triplets_of(complex), {{0, 0, 1}}));
  }
}

TEST_CASE("a line without end is refused before it fills the memory") {
  const std::string array = "%%MatrixMarket matrix array real general\n";
  constexpr std::size_t all = std::size_t{64} << 20;
  for (const auto& [start, filling, message] :
       {std::tuple{real + "%", 'c', "test.mtx:2: the line is longer than 1 MiB"},
        std::tuple{real + "% note\n2", ' ', "test.mtx:3: the line is longer than 1 MiB"},
        std::tuple{real + "3 3 2\n1 1 1\n2 2 1", '0', "test.mtx:4: the line is longer than 1 MiB"},
        std::tuple{real + "3 3 2\n1 1 1\n% note\n%", 'c', "test.mtx:5: the line is longer than 1 MiB"},
        std::tuple{array + "2 1\n1", '0', "test.mtx:3: the line is longer than 1 MiB"},
        std::tuple{std::string("%"), 'c', "test.mtx:1: not a Matrix Market file"}})
    for (const std::size_t piece : {std::size_t{3}, std::size_t{1} << 20}) {
      std::size_t pulled = 0;
      text_source source = source_of("test.mtx", start, piece, 1 << 20);
      source.read = [&, filling = filling, short_text = source.read](char* buffer, std::size_t size) {
        std::size_t count = short_text(buffer, size);
        if (count == 0) {
          count = std::min(size, all - pulled);
          std::memset(buffer, filling, count);
        }
        pulled += count;
        return count;
      };
      std::string found = "accepted";
      try {
        read_matrix_market(source);
      } catch (const error& e) {
        found = e.what();
      }
      INFO("pieces of " << piece << " bytes: " << found);
      CHECK(found.find(message) == 0);
      CHECK(pulled < std::size_t{4} << 20);
    }
  // Long comments are fine, whatever they add up to.
  const std::string note = "%" + std::string(1'000'000, 'c') + "\n";
  CHECK(same(triplets_of(read(real + note + note + "1 1 1\n" + note + "1 1 5\n" + note, 1000)), {{0, 0, 5}}));
}

TEST_CASE("blanks behind the last entry need no line end") {
  const std::string sizes = " general\n1 1 1\n1 1";
  for (const std::string blank : {" ", "\t", " \r", "   "}) {
    CHECK(
        same(triplets_of(read("%%MatrixMarket matrix coordinate real" + sizes + " 5" + blank)), {{0, 0, 5}}));
    CHECK(same(triplets_of(read("%%MatrixMarket matrix coordinate integer" + sizes + " 5" + blank)),
               {{0, 0, 5}}));
    CHECK(same(triplets_of(read("%%MatrixMarket matrix coordinate pattern" + sizes + blank)), {{0, 0, 1}}));
    CHECK(same(triplets_of(read("%%MatrixMarket matrix array real general\n1 1\n5" + blank)), {{0, 0, 5}}));
  }
}

TEST_CASE("the longest line is the same everywhere, in pieces of any size") {
  constexpr std::size_t longest = std::size_t{1} << 20;
  const std::vector<std::pair<std::string, std::string>> around = {
      {real + "%", "\n3 3 2\n1 1 1\n2 2 1\n"},  // a comment above the sizes
      {real + "3 3 2", "\n1 1 1\n2 2 1\n"},     // the sizes
      {real + "3 3 2\n1 1 1\n%", "\n2 2 1\n"},  // a comment among the entries
      {real + "3 3 2\n1 1 1", "\n2 2 1\n"},     // an entry
      {real + "3 3 2\n1 1 1\n2 2 1", ""}};      // an entry at the end of the file
  for (const auto& [before, after] : around)
    for (const std::size_t piece : {std::size_t{3}, std::size_t{1000}, longest, 4 * longest}) {
      const std::size_t there = before.size() - before.rfind('\n') - 1;
      const std::string whole = before + std::string(longest - there, ' ');
      INFO("after " << before << " in pieces of " << piece << " bytes");
      CHECK(message_for(whole + after, piece) == "accepted");
      const auto line = std::to_string(std::count(before.begin(), before.end(), '\n') + 1);
      CHECK(message_for(whole + " " + after, piece).find("test.mtx:" + line + ": the line is longer than") ==
            0);
    }
}

TEST_CASE("what fails while threads read comes out as it is") {
  std::string text = real + "10 10 4000\n";
  for (int i = 0; i < 4000; ++i) text += std::to_string(i % 10 + 1) + " 1 1\n";
  struct stop_reading {
    std::int64_t done;
  };
  for (const std::int64_t after : {0, 1000, 9000}) {
    // A callback of the caller's, at the start and in the middle.
    std::int64_t stopped_at = 0;
    try {
      read_matrix_market(source_of("test.mtx", text, 16, 64), [&](std::int64_t done, std::int64_t) {
        if (done >= after) throw stop_reading{done};
      });
    } catch (const stop_reading& stop) {
      stopped_at = stop.done;
    }
    CHECK(stopped_at >= after);
    CHECK(stopped_at > 0);
    // Memory that runs out while the source is read.
    text_source source = source_of("test.mtx", text, 16, 64);
    std::int64_t delivered = 0;
    source.read = [&, whole = source.read](char* buffer, std::size_t size) {
      if (delivered > after) throw std::bad_alloc();
      const std::size_t got = whole(buffer, size);
      delivered += static_cast<std::int64_t>(got);
      return got;
    };
    CHECK_THROWS_AS(read_matrix_market(source), std::bad_alloc);
  }
}

TEST_CASE("what is written is read back bit for bit") {
  for (const auto& m : battery()) {
    INFO(m.name);
    CHECK(same(triplets_of(read(written(as_coo(m), {}), 64)), m.entries));
  }
}

TEST_CASE("a file is what its source was, where the matrix still is") {
  const auto banner = [](const char* kind) {
    return std::string("%%MatrixMarket matrix coordinate ") + kind;
  };
  using enum symmetry_kind;
  const auto ones = as_coo({"ones", 2, 2, {{0, 1, 1}, {1, 1, 1}}});
  CHECK(written(ones, {"pattern", general}) == banner("pattern general\n2 2 2\n1 2\n2 2\n"));
  CHECK(written(ones, {"integer", general}) == banner("integer general\n2 2 2\n1 2 1\n2 2 1\n"));
  CHECK(written(ones, {}).find("real general") != std::string::npos);
  CHECK(written(as_coo({"two", 1, 1, {{0, 0, 2}}}), {"pattern", general}).find(banner("real general")) == 0);

  // Integers as far as an integer holds them, and all their digits.
  const auto large = as_coo({"large", 1, 3, {{0, 0, 1e15}, {0, 1, -9007199254740992.0}, {0, 2, 0}}});
  CHECK(written(large, {"integer", general}) ==
        banner("integer general\n1 3 3\n1 1 1000000000000000\n1 2 -9007199254740992\n1 3 0\n"));
  CHECK(written(as_coo({"largest", 1, 2, {{0, 0, 9223372036854774784.0}, {0, 1, -9223372036854774784.0}}}),
                {"integer", general}) ==
        banner("integer general\n1 2 2\n1 1 9223372036854774784\n1 2 -9223372036854774784\n"));
  for (const double other : {0.5, 0x1p63, -0x1p63, -0x1p64, -0.0, double{INFINITY}, std::nan("")}) {
    const std::string text =
        written(as_coo({"other", 1, 2, {{0, 0, 3}, {0, 1, other}}}), {"integer", general});
    INFO(text);
    CHECK(text.find(banner("real general")) == 0);
    CHECK(same(triplets_of(read(text)), {{0, 0, 3}, {0, 1, other}}));
  }

  const auto mirrored =
      as_coo({"mirrored", 3, 3, {{0, 0, 7}, {0, 1, 2}, {0, 2, 3}, {1, 0, 2}, {2, 0, 3}, {2, 2, -0.0}}});
  CHECK(written(mirrored, {"real", symmetric}).find(banner("real symmetric\n3 3 4\n1 1 7")) == 0);
  const auto lower = read(written(mirrored, {"real", symmetric}));
  CHECK(same(triplets_of(lower), {{0, 0, 7}, {1, 0, 2}, {2, 0, 3}, {2, 2, -0.0}}));
  CHECK(lower.symmetry == symmetric);
  CHECK(written(mirrored, {"real", general}).find(banner("real general\n3 3 6\n")) == 0);
  CHECK(written(mirrored, {"real", skew_symmetric}).find(banner("real general")) == 0);
  const auto skewed = as_coo({"skewed", 2, 2, {{0, 1, -4}, {1, 0, 4}}});
  CHECK(written(skewed, {"integer", skew_symmetric}) == banner("integer skew-symmetric\n2 2 1\n2 1 4\n"));
  CHECK(written(skewed, {"pattern", skew_symmetric}).find(banner("real skew-symmetric")) == 0);
  CHECK(written(ones, {"pattern", symmetric}).find(banner("pattern general")) == 0);
  const auto pair = as_coo({"pair", 2, 2, {{0, 1, 1}, {1, 0, 1}}});
  CHECK(written(pair, {"pattern", symmetric}) == banner("pattern symmetric\n2 2 1\n2 1\n"));

  // Anything that is not the mirror image to the last bit, or cannot be told, is written whole.
  const std::vector<std::vector<triplet>> not_mirrored = {
      {{0, 1, 1}, {1, 0, std::nextafter(1.0, 2.0)}},  // another value
      {{0, 1, 0.0}, {1, 0, -0.0}},                    // another sign
      {{0, 1, 1}},                                    // only above
      {{1, 0, 1}},                                    // only below
      {{0, 1, 1}, {0, 2, 1}, {1, 0, 1}, {2, 1, 1}},   // elsewhere
      {{0, 2, 1}, {1, 2, 1}, {2, 0, 1}},              // one more above
      {{1, 0, 1}, {2, 0, 1}, {0, 1, 1}, {0, 2, 1}},   // not sorted
      {{0, 1, 1}, {0, 1, 1}, {1, 0, 1}, {1, 0, 1}}};  // twice
  for (const auto& entries : not_mirrored) {
    const std::string text = written(as_coo({"not mirrored", 3, 3, entries}), {"real", symmetric});
    INFO(text);
    CHECK(text.find(banner("real general")) == 0);
    CHECK(same(triplets_of(read(text)), entries));
  }
  const auto with_diagonal = as_coo({"diagonal", 2, 2, {{0, 0, 0}, {0, 1, -1}, {1, 0, 1}}});
  CHECK(written(with_diagonal, {"real", skew_symmetric}).find(banner("real general")) == 0);
  CHECK(written(as_coo({"wide", 2, 3, {}}), {"real", symmetric}).find(banner("real general")) == 0);
  CHECK(written(as_coo({"empty", 3, 3, {}}), {"real", symmetric}) == banner("real symmetric\n3 3 0\n"));
}

TEST_CASE("whether a matrix is mirrored is found out without memory") {
  for (const symmetry_kind symmetry : {symmetry_kind::symmetric, symmetry_kind::skew_symmetric}) {
    const double mirror = symmetry == symmetry_kind::symmetric ? 2 : -2;
    const auto m =
        as_coo({"few in many rows", 5'000'000, 5'000'000, {{0, 4'999'999, mirror}, {4'999'999, 0, 2}}});
    reset_peak_bytes(place::host);
    const auto before = peak_bytes(place::host);
    const std::string text = written(m, {"real", symmetry});
    CHECK(peak_bytes(place::host) == before);
    CHECK(read(text).symmetry == symmetry);
  }
}

TEST_CASE("one entry in a large matrix that is not mirrored is found") {
  std::vector<triplet> entries;
  for (std::int32_t row = 0; row < 400; ++row)
    for (std::int32_t col = row % 5; col < row; col += 5) {
      entries.push_back({row, col, row + 0.001 * col});
      entries.push_back({col, row, row + 0.001 * col});
    }
  const auto by_place = [](const triplet& a, const triplet& b) {
    return std::tie(a.row, a.col) < std::tie(b.row, b.col);
  };
  std::sort(entries.begin(), entries.end(), by_place);
  REQUIRE(entries.size() > 10'000);
  const auto kind = [](const std::vector<triplet>& list) {
    return read(written(as_coo({"mirrored", 400, 400, list}), {"real", symmetry_kind::symmetric})).symmetry;
  };
  CHECK(kind(entries) == symmetry_kind::symmetric);
  for (const std::size_t changed : {std::size_t{0}, entries.size() / 3, entries.size() - 1}) {
    auto others = entries;
    others[changed].value += 1;
    CHECK(kind(others) == symmetry_kind::general);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(changed));
    CHECK(kind(others) == symmetry_kind::general);
  }
}
