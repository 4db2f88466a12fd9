// The reader of Rutherford-Boeing and Harwell-Boeing files: what is read, and one file for every rule that it
// refuses. Pieces of a few bytes make every line a run of its own.
#include "convert/io/rutherford_boeing.hpp"

#include <fmt/format.h>

#include <cmath>

#include "convert/io/archive.hpp"
#include "convert/io/matrix_names.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/text_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

// A file of 3 x 4 with five entries in two lines of each section, and what may be another in it.
struct file {
  std::string title = "a title                                                                 |key";
  std::string counts = "             6             1             2             3";
  std::string type = "rua                        3             4             5             0";
  std::string formats = "(8I3)           (3I2)           (2E12.4)";
  std::string right_hand = {};
  std::string pointers = "  1  3  4  4  6\n";
  std::string rows = " 1 3 2\n 1 2\n";
  std::string values = "  1.0000E+00 -2.5000E+00\n  3.0000D-01  4.0000E+00\n  5.0000E+00\n";
  std::string rest = {};

  std::string text() const {
    return title + "\n" + counts + "\n" + type + "\n" + formats + "\n" + right_hand + pointers + rows +
           values + rest;
  }
};

matrix_entries read(const std::string& text, std::size_t piece_bytes = 1 << 20,
                    complex_values if_complex = complex_values::refuse) {
  return read_rutherford_boeing(source_of("test.rb", text, piece_bytes), {}, if_complex);
}

std::string message_for(const file& f, complex_values if_complex = complex_values::refuse) {
  return refusal_of([&](std::size_t piece) { read(f.text(), piece, if_complex); });
}

// Of the lower half of 4 x 4.
const std::string lower_pointers = "  1  3  5  6  6\n", lower_rows = " 1 3 2\n 4 3\n";

const std::vector<triplet> five = {{0, 0, 1}, {2, 0, -2.5}, {1, 1, .3}, {0, 3, 4}, {1, 3, 5}};

// A value in each of the ways that Fortran and others write them.
double value_read(const std::string& format, const std::string& written) {
  file f;
  f.counts = "             3             1             1             1";
  f.type = "RUA                        1             1             1             0";
  f.formats = "(2I3)           (3I2)           " + format;
  f.pointers = "  1  2\n";
  f.rows = " 1\n";
  f.values = written + "\n";
  return read(f.text()).entries.values[0];
}

}  // namespace

TEST_CASE("a file is read, in lines of any length and ending", "[rutherford_boeing]") {
  const file plain;
  file windows = plain, unended = plain, blanks = plain;
  std::string with_returns;
  for (const char c : plain.text()) with_returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  unended.values.pop_back();
  blanks.rest = "\n   \n\n";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1} << 20})
    for (const std::string& text : {plain.text(), with_returns, unended.text(), blanks.text()}) {
      CAPTURE(piece, text);
      REQUIRE(is_rutherford_boeing(text.substr(0, archive_start_bytes)));
      const matrix_entries m = read(text, piece);
      REQUIRE(m.entries.rows == 3);
      REQUIRE(m.entries.cols == 4);
      REQUIRE(same_triplets(triplets_of(m), five));
      REQUIRE(m.origin == "Rutherford-Boeing");
      REQUIRE(m.field == "real");
      REQUIRE(m.symmetry == symmetry_kind::general);
      REQUIRE(m.note.empty());
    }
}

TEST_CASE("fields and symmetries are what the type says", "[rutherford_boeing]") {
  file pattern;
  pattern.type = "PSA                        4             4             5";
  pattern.counts = "3 1 2 0";
  pattern.formats = "(8I3)           (3I2)";
  pattern.values = "";
  pattern.pointers = lower_pointers;
  pattern.rows = lower_rows;
  matrix_entries m = read(pattern.text());
  REQUIRE(m.field == "pattern");
  REQUIRE(m.symmetry == symmetry_kind::symmetric);
  REQUIRE(triplets_of(m)[1].value == 1);

  file integer;
  integer.type = "ira                        3             4             5             0";
  integer.counts = "6 1 2 1";
  integer.formats = "(8I3)           (3I2)           (5I20)";
  integer.values = fmt::format("{:20}{:20}{:20}{:20}{:20}\n", 1, -2, 9007199254740993, "+7", 0);
  m = read(integer.text());
  REQUIRE(m.field == "integer");
  REQUIRE(m.rounded_values == 1);
  REQUIRE(same_triplets(triplets_of(m),
                        {{0, 0, 1}, {2, 0, -2}, {1, 1, 9007199254740992.0}, {0, 3, 7}, {1, 3, 0}}));

  file skew;
  skew.type = "rza                        4             4             5             0";
  skew.pointers = lower_pointers;
  skew.rows = " 2 3 3\n 4 4\n";
  REQUIRE(read(skew.text()).symmetry == symmetry_kind::skew_symmetric);
  skew.rows = " 1 3 3\n 4 4\n";
  REQUIRE(message_for(skew) == "test.rb:8: a skew-symmetric matrix has only zeros on its diagonal");
  skew.values = "  0.0000E+00 -2.5000E+00\n  3.0000D-01  4.0000E+00\n  5.0000E+00\n";
  REQUIRE(read(skew.text()).symmetry == symmetry_kind::skew_symmetric);
  skew.type[0] = 'p';
  skew.counts = "3 1 2 0";
  skew.formats = "(8I3)           (3I2)";
  skew.values = "";
  REQUIRE(message_for(skew).ends_with("a skew-symmetric matrix has only zeros on its diagonal"));

  file complex;
  complex.type = "CHA                        4             4             5             0";
  complex.counts = "8 1 2 5";
  complex.values = "";
  complex.pointers = lower_pointers;
  complex.rows = lower_rows;
  for (int i = 0; i < 5; ++i) complex.values += "  1.0000E+00  0.0000E+00\n";
  REQUIRE(message_for(complex) == "test.rb:3: type CHA is complex, which is not supported yet");
  m = read(complex.text(), 9, complex_values::pattern_only);
  REQUIRE(m.field == "complex");
  REQUIRE(m.symmetry == symmetry_kind::symmetric);
  REQUIRE(triplets_of(m)[4].value == 1);
  complex.values.replace(complex.values.size() - 6, 1, "x");
  REQUIRE(message_for(complex, complex_values::pattern_only).find("is not a value") != std::string::npos);
}

TEST_CASE("Harwell-Boeing has right-hand sides behind, which are told", "[rutherford_boeing]") {
  file f;
  f.counts += "             2";
  f.formats += "            (4E15.8)";
  f.right_hand = "F                          1             0\n";
  f.rest = "  1.00000000E+00  2.00000000E+00\n  3.00000000E+00\n\n";
  const matrix_entries m = read(f.text());
  REQUIRE(m.origin == "Harwell-Boeing");
  REQUIRE(same_triplets(triplets_of(m), five));
  REQUIRE(m.note == "the right-hand sides behind it were not read");
  f.rest = "  1.00000000E+00  2.00000000E+00\n";
  REQUIRE(message_for(f) == "test.rb:12: the file ends after 1 of 2 lines of right-hand sides");
}

TEST_CASE("nothing is a matrix too", "[rutherford_boeing]") {
  file f;
  f.counts = "1 1 0 0";
  f.type = "rua 3 2 0 0";
  f.pointers = "  1  1  1\n";
  f.rows = f.values = "";
  const matrix_entries m = read(f.text());
  REQUIRE(m.entries.rows == 3);
  REQUIRE(m.entries.cols == 2);
  REQUIRE(m.entries.values.size() == 0);
  f.type = "pua 0 0 0 0";
  f.pointers = "  1\n";
  REQUIRE(read(f.text()).entries.cols == 0);
}

TEST_CASE("numbers are read as Fortran writes them", "[rutherford_boeing]") {
  struct written {
    const char* format;
    const char* text;
    double value;
  };
  for (const written& one :
       std::vector<written>{{"(4E20.12)", "  0.150000000000E+01", 1.5},
                            {"(4D20.12)", " -0.150000000000D+01", -1.5},
                            {"(1P,4D20.12)", "  1.500000000000d-01", .15},
                            {"(1P5D16.8)", "  1.50000000D+02", 150},
                            {"( 1P , 5 E 16.8 )", "  1.50000000E+02", 150},
                            {"(4E20.12E3)", "  0.15000000000+103", 1.5e102},
                            {"(4E20.12E3)", "  0.15000000000-103", 1.5e-104},
                            {"(1P,5D16.9)", " 1.250000000D 02", 125},
                            {"(8F10.3)", "      +.25", .25},
                            {"(8F10.3)", "-1.", -1},
                            {"(8F10.0)", "        12", 12},
                            {"(8F10.3)", "         0", 0},
                            {"(1P4E20.12)", "0.0", 0},
                            {"(G25.17)", "  1e2.5", NAN},
                            {"(20I4)", "  17", 17},
                            {"(E30.20)", "  4.9E-324", 4.9e-324},
                            {"(E30.20)", "  1.0E-999", 0},
                            {"(E30.20)", "  1.0D-999", 0},
                            {"(E30.20)", "  0.1234567890123456789D+0", .12345678901234568},
                            {"(E30.20)", "  Infinity", INFINITY},
                            {"(E30.20)", "  -inf", -INFINITY}}) {
    CAPTURE(one.format, one.text);
    if (std::isnan(one.value))
      REQUIRE_THROWS_AS(value_read(one.format, one.text), error);
    else
      REQUIRE(value_read(one.format, one.text) == one.value);
  }
  REQUIRE(std::isnan(value_read("(E30.20)", "  NaN")));
}

TEST_CASE("fields may touch each other", "[rutherford_boeing]") {
  file f;
  f.type = "pua                     9999             2             4             0";
  f.counts = "3 1 1 0";
  f.formats = "(3I1)           (4I4)";
  f.pointers = "135\n";
  f.rows = "1000999900019998\n";
  f.values = "";
  REQUIRE(same_triplets(triplets_of(read(f.text())), {{999, 0, 1}, {9998, 0, 1}, {0, 1, 1}, {9997, 1, 1}}));
}

TEST_CASE("words are fields where there are as many, whatever the columns", "[rutherford_boeing]") {
  file f;
  f.type = "rua                        3             4             5             1";  // which means nothing
  f.values = " 1. -2.5\n\t.3  4\n5.0E+00\n";
  REQUIRE(message_for(f).find(":9: value 4 has no decimal point") != std::string::npos);
  f.values = " 1. -2.5\n\t.3  4.\n5.0E+00\n";
  f.rows = "1 3 2\n 1    2\n";
  REQUIRE(same_triplets(triplets_of(read(f.text())), five));
}

TEST_CASE("what is wrong with a file is said with its line", "[rutherford_boeing]") {
  struct rule {
    const char* what;
    std::function<void(file&)> change;
    std::string said;
  };
  const auto set = [](std::string file::*part, std::string text) { return [=](file& f) { f.*part = text; }; };
  const std::vector<rule> rules = {
      {"counts", set(&file::counts, " 6 1 x 3"), ":2: expected how many lines there are in all"},
      {"few counts", set(&file::counts, " 6 1 2"), ":2: expected how many lines"},
      {"a count below 0", set(&file::counts, " 6 1 -2 3"), ":2: -2 lines are fewer than none"},
      {"no type", set(&file::type, "rub 3 4 5 0"), ":3: \"rub\" is not a type of matrices, such as RUA"},
      {"elemental", set(&file::type, "RSE 3 4 5 9"),
       ":3: type RSE is one of elemental matrices, which are not assembled and not supported"},
      {"values elsewhere", set(&file::type, "QUA 3 4 5 0"), ":3: type QUA has its values in another file"},
      {"hermitian", set(&file::type, "RHA 4 4 5 0"), ":3: type RHA: only complex matrices are hermitian"},
      {"sizes", set(&file::type, "RUA 3 4"), ":3: expected rows, columns, entries"},
      {"a size below 0", set(&file::type, "RUA 3 -4 5 0"), ":3: a size is below zero"},
      {"too many rows", set(&file::type, "RUA 2147483648 4 5 0"),
       ":3: dimension 2147483648 is above 2147483647"},
      {"too many entries", set(&file::type, "RUA 3 4 9223372036854775807 0"), "are far too many"},
      {"beyond 64 bits", set(&file::type, "RUA 3 4 99999999999999999999 0"), ":3: expected rows"},
      {"no place", set(&file::type, "RUA 0 4 5 0"),
       ":3: 5 entries announced, but a 0 x 4 matrix has no place"},
      {"not square", set(&file::type, "RSA 3 4 5 0"), ":3: a matrix of type RSA must be square, not 3 x 4"},
      {"no format", set(&file::formats, "(8I3) (3I2)"), ":4: there is no format for the values"},
      {"an open format", set(&file::formats, "(8I3) (3I2"), ":4: there is no format for the row indices"},
      {"an odd format", set(&file::formats, "(8I3) (3I2) (2(1X,E11.4))"),
       ":4: (2(1X,E11.4) is not a format for values"},
      {"a format of letters", set(&file::formats, "(8A3) (3I2) (2E12.4)"),
       ":4: (8A3) is not a format for pointers"},
      {"pointers with points", set(&file::formats, "(8F3.0) (3I2) (2E12.4)"), ":4: (8F3.0) is not a format"},
      {"a width of none", set(&file::formats, "(8I) (3I2) (2E12.4)"), ":4: (8I) is not a format"},
      {"none a line", set(&file::formats, "(0I3) (3I2) (2E12.4)"), ":4: (0I3) is not a format"},
      {"too wide", set(&file::formats, "(8I3) (3I2) (2E1200.4)"), ":4: (2E1200.4) is not a format"},
      {"pointer lines", set(&file::counts, " 6 2 2 3"),
       ":4: 2 lines of pointers are announced, but 5 numbers in (8I3) take 1"},
      {"index lines", set(&file::counts, " 6 1 3 3"), ":4: 3 lines of row indices are announced"},
      {"value lines", set(&file::counts, " 6 1 2 4"),
       ":4: 4 lines of values are announced, but 5 numbers in (2E12.4) take 3"},
      {"values of a pattern", [](file& f) { f.type[0] = 'p'; },
       ":4: 3 lines of values are announced for a pattern"},
      {"a pointer", set(&file::pointers, "  1  3  x  4  6\n"), ":5: \"x\" is not a pointer"},
      {"a pointer outside", set(&file::pointers, "  1  3  7  4  6\n"), ":5: pointer 7 is outside 1..6"},
      {"a pointer of 0", set(&file::pointers, "  0  3  4  4  6\n"), ":5: pointer 0 is outside 1..6"},
      {"a first pointer", set(&file::pointers, "  2  3  4  4  6\n"),
       ":5: the first column begins at entry 2, not at 1"},
      {"a last pointer", set(&file::pointers, "  1  3  4  4  5\n"),
       ":5: the last pointer is 5, but 5 entries end at 6"},
      {"pointers back", set(&file::pointers, "  1  4  3  4  6\n"),
       ":5: column 2 ends before it begins: its pointers are 4 and 3"},
      {"a short line", set(&file::pointers, "  1  3  4  4\n"),
       ":5: the pointer is blank, or the line is too short"},
      {"a blank row", set(&file::rows, " 1   2\n 1 2\n"), ":6: the row is blank"},
      {"a row outside", set(&file::rows, " 1 4 2\n 1 2\n"), ":6: row 4 is outside 1..3"},
      {"row 0", set(&file::rows, " 1 3 2\n 0 2\n"), ":7: row 0 is outside 1..3"},
      {"rows that fall", set(&file::rows, " 3 1 2\n 1 2\n"),
       ":6: column 1: row 1 stands behind row 3; they must rise"},
      {"a row twice", set(&file::rows, " 1 3 2\n 2 2\n"),
       ":7: column 4: row 2 stands behind row 2; they must rise"},
      {"the upper half",
       [](file& f) {
         f.type = "isa 4 4 5 0";
         f.formats = "(8I3) (3I2) (2I12)";
       },
       ":7: entry (1, 4) is above the diagonal"},
      {"two signs", set(&file::rows, " 1+3 2\n++ 2\n"), ":7: \"++\" is not a row"},
      {"a value", set(&file::values, "  1.0000E+00 -2.5000E+00\n  3.0000D-01  4.0000x+00\n  5.0000E+00\n"),
       ":9: \"4.0000x+00\" is not a value"},
      {"signs of a value", set(&file::values, "        +-5.  2.5000E+00\n"), ":8: \"+-5.\" is not a value"},
      {"no exponent", set(&file::values, "     1.0000E -2.5000E+00\n"), ":8: \"1.0000E\" is not a value"},
      {"stars", set(&file::values, "************ -2.5000E+00\n"), ":8: \"************\" is not a value"},
      {"too large", set(&file::values, "  1.0000E999 -2.5000E+00\n"), ":8: value 1.0000E999 is too large"},
      {"no point", set(&file::values, "         125 -2.5000E+00\n"), ":8: value 125 has no decimal point"},
      {"a scale",
       [](file& f) {
         f.formats = "(8I3)           (3I2)           (1P2F12.4)";
         f.values = "      1.5000     -2.5000\n";
       },
       ":8: value 1.5000 has no exponent under a scale factor"},
      {"an end in the header",
       [](file& f) {
         f = {};
         f.counts = f.type = f.formats = f.pointers = f.rows = f.values = "";
         f.title = "x";
       },
       ":2: expected how many"},
      {"an end in the pointers", [](file& f) { f.pointers = f.rows = f.values = ""; },
       ":4: the file ends after 0 of 5 numbers (pointer)"},
      {"an end in the rows",
       [](file& f) {
         f.rows = " 1 3 2\n";
         f.values = "";
       },
       ":6: the file ends after 3 of 5 numbers (row)"},
      {"an end in the values", set(&file::values, "  1.0000E+00 -2.5000E+00\n"),
       ":8: the file ends after 2 of 5 numbers (value)"},
      {"more behind", set(&file::rest, "\n 7\n"),
       ":12: there is more behind the matrix than the header announces"}};
  for (const rule& one : rules) {
    file f;
    one.change(f);
    const std::string said = message_for(f);
    CAPTURE(one.what, said);
    REQUIRE(said.find(one.said) != std::string::npos);
  }
}

TEST_CASE("lines without end are refused before they fill the memory", "[rutherford_boeing]") {
  file f;
  f.rows = std::string((1 << 20) + 1, ' ') + "\n";
  REQUIRE(message_for(f).find(":6: the line is longer than 1 MiB") != std::string::npos);
  file blanks;
  blanks.rest = std::string(std::size_t{80} << 20, '\n');
  try {
    read(blanks.text());
    FAIL("so many blanks were accepted");
  } catch (const error& refused) {
    REQUIRE(std::string(refused.what()).find("more than 64 MiB of the text are no matrix") !=
            std::string::npos);
  }
}

TEST_CASE("lines that are too short ask for no memory", "[rutherford_boeing]") {
  file f;
  f.type = "rua 3 2147483647 0 0";
  f.counts = "1 2147484 0 0";
  f.formats = "(1000I1) (3I2) (2E12.4)";
  f.pointers = std::string(1 << 20, '\n');
  f.rows = f.values = "";
  REQUIRE(message_for(f) == "test.rb:5: the pointer is blank, or the line is too short for it");
}

TEST_CASE("faults are said with their lines, not with the last ones", "[rutherford_boeing]") {
  file f;
  f.counts = "6 1 5 3";
  f.formats = "(8I3)           (1I2)           (2E12.4)";
  f.rows = " 3\n 1\n 2\n 1\n 2\n";
  REQUIRE(message_for(f) == "test.rb:7: column 1: row 1 stands behind row 3; they must rise");
  f.rows = " 1\n 3\n 2\n 2\n 2\n";
  REQUIRE(message_for(f) == "test.rb:10: column 4: row 2 stands behind row 2; they must rise");
  file g;
  g.counts = "6 5 2 3";
  g.formats = "(1I3)           (3I2)           (2E12.4)";
  g.pointers = "  1\n  4\n  3\n  4\n  6\n";
  REQUIRE(message_for(g).find("test.rb:7: column 2 ends before it begins") == 0);
}

TEST_CASE("files are known by their first lines, and members of archives by their names",
          "[rutherford_boeing]") {
  const std::string text = file{}.text();
  REQUIRE(is_rutherford_boeing(text));
  for (const char* const other :
       {"", "\n\n\n\n", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
        "a\n1 2 3 4\nru1 1 1 1\n(1I2)\n", "a\n1 2 3 4\nrua 1 1 1\n1I2\n", "a\n1 2\nrua 1 1 1\n(1I2)\n",
        "1 2 3\n4 5 6\n"})
    REQUIRE(!is_rutherford_boeing(other));
  for (const char* const name : {"a.mtx", "d/a.rb", "a.rua", "a.RSA", "a.b.cha", "a.pra", "a.rse"})
    REQUIRE(!matrix_text_ending(name).empty());
  for (const char* const name :
       {"", "a", ".mtx", "d/.rb", "a.txt", "a.rub", "a.ruaa", "a.mtx/b", "a.mtx.gz", "rua"})
    REQUIRE(matrix_text_ending(name).empty());
}
