// The grammar of Matrix Market text: its header, and lines of entries. Behind this header lies all that is
// read with fast_matrix_market, whose parser is made strict: the rest of a line must be blank, and a number
// must fit its type.
#pragma once

#include <cstring>
#include <string_view>

#include "convert/error.hpp"
#include "convert/io/matrix_market.hpp"

namespace sparsmith::matrix_market {

enum class layout_kind { coordinate, array };
enum class field_kind { real, integer, pattern, complex };

// No line may be longer. The format allows 1024 characters; a thousand times that leaves room for any
// comment, while a line without end, which a few bytes of gzip can hold, is refused before it fills the
// memory.
constexpr std::size_t longest_line = std::size_t{1} << 20;
constexpr const char* line_too_long = "the line is longer than 1 MiB, more than any entry or comment needs";

// Of a line, whose end does not count, or of the start of one.
inline bool is_too_long(std::string_view line) {
  return line.size() - (line.ends_with('\n') ? 1 : 0) > longest_line;
}

// So much text, and 1 KiB for every entry, may a file have; what goes on for longer with comments and blanks
// is no matrix, and a few bytes of a compressed file can hold terabytes of it.
constexpr std::int64_t most_other_text = std::int64_t{64} << 20;
constexpr const char* too_much_other_text =
    "more than 64 MiB of the text up to here are comments and blanks, which no matrix needs";
inline bool is_too_much_text(std::int64_t bytes, std::int64_t entries) {
  return bytes > most_other_text && (bytes - most_other_text) / 1024 > entries;
}

// Lines that end as on old Macintoshes would all be one here.
constexpr const char* bare_carriage_returns =
    "lines end in a bare carriage return (CR), which is not supported; convert them to LF";

struct header {
  layout_kind layout = layout_kind::coordinate;
  field_kind field = field_kind::real;
  symmetry_kind symmetry = symmetry_kind::general;
  bool places_only = false;  // of complex values
  std::int64_t rows = 0, cols = 0;
  std::int64_t entries = 0;  // announced, or all that an array must list
  std::int64_t lines = 0;    // up to and including the size line
};

// What entries on the diagonal contradict: a number that is its own negative is zero, and one that is its own
// conjugate is real.
inline bool has_zero_diagonal(const header& head) {
  return head.symmetry == symmetry_kind::skew_symmetric && !head.places_only;
}
inline bool has_real_diagonal(const header& head) {
  return head.symmetry == symmetry_kind::hermitian && !head.places_only;
}
inline constexpr const char* nonzero_diagonal = "a skew-symmetric matrix has only zeros on its diagonal";
inline constexpr const char* complex_diagonal = "a hermitian matrix has only real numbers on its diagonal";

struct header_and_rest {
  header head;
  std::string rest;             // text after the header that was read along
  std::int64_t bytes_read = 0;  // in all
};

// Reads up to and including the size line, and refuses what is wrong with it or not supported.
header_and_rest read_header(const text_source& source, complex_values if_complex);

// Lines and entries before some place.
struct position {
  std::int64_t line = 0;
  std::int64_t entry = 0;
};

// Where entries go, from the first of the lines parsed on.
struct entry_target {
  std::int32_t* rows;
  std::int32_t* cols;
  double* values;
  double* imaginary;  // parts of complex values; null where they are not kept
};

struct parsed_lines {
  std::int64_t stored = 0;
  std::int64_t rounded = 0;  // integers a double does not hold exactly
  std::int64_t zeros = 0;    // of an array, where they are no entries
};

// Parse whole lines without comments. Throw whatever the
// library throws where a line is wrong; what exactly is for `explain` (matrix_market_diagnosis.hpp) to find.
parsed_lines parse_coordinates(const std::string& text, const header& head, position start, entry_target to);
// The values of an array follow each other column by column; `row` and `col` are those of the next.
parsed_lines parse_array(const std::string& text, const header& head, position start, std::int64_t& row,
                         std::int64_t& col, entry_target to);

// Whether a word is a number by the rules for values; a complex value has two of them.
bool is_number(const std::string& word, bool whole);

[[noreturn]] void refuse_line(const std::string& name, std::int64_t line, const std::string& what,
                              failure category = failure::input);

// Of UTF-8, which plain text is; some editors and spreadsheets put it in front.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Calls visit(first, last) for every line, without its line end.
template <class Visit>
void for_each_line(std::string& text, Visit visit) {
  char* line = text.data();
  char* const end = line + text.size();
  while (line < end) {
    char* line_end = static_cast<char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
    if (line_end == nullptr) line_end = end;
    visit(line, line_end);
    line = line_end + 1;
  }
}

}  // namespace sparsmith::matrix_market
