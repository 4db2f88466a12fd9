#include "convert/io/matrix_market_grammar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fast_matrix_market/fast_matrix_market.hpp>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

// Value types for fast_matrix_market's parser. It finds `read_value` for them by their namespace, which is
// where this reader adds what the library leaves open: the rest of the line must be blank, and a number must
// fit its type.
namespace sparsmith::strict {

namespace fmm = fast_matrix_market;
using matrix_market::is_blank;

// As the library's, which asks the C library for it: for one blank that costs more than reading a number. The
// text ends in a 0.
inline const char* skip_blanks(const char* pos) {
  while (is_blank(*pos)) ++pos;
  return pos;
}

// Gives where the line ends: from a blank behind the last entry of a file the library would look for a line
// end that is not there, and not stop at the end of the text.
inline const char* line_end_after(const char* pos, const char* end) {
  pos = skip_blanks(pos);
  if (pos != end && *pos != '\n') throw fmm::invalid_mm("unexpected text after the entry");
  return pos;
}

// In a coordinate file a value follows its column, and something blank must stand between them: "1 2.5" is a
// line without a value, not column 2 with .5. The parser itself does not look.
inline void require_blank_before(const char* pos) {
  if (!is_blank(pos[-1])) throw fmm::invalid_mm("the line ends before the value");
}

// The negation is named by the library's symmetry code, which this reader never runs: expansion is a
// pipeline.
template <bool AfterColumn>
struct real {
  double value;
  real operator-() const { return {-value}; }
};
template <bool AfterColumn>
struct integer {
  double value = 0;  // g++ 12 believes that it could be used before it is read
  bool rounded = false;
  integer operator-() const { return {-value, rounded}; }
};
struct pattern {
  pattern operator-() const { return {}; }
};
template <bool AfterColumn>
struct complex {
  double value, imaginary;
  complex operator-() const { return {-value, -imaginary}; }
};

inline const char* skip_plus(const char* pos, const char* end) {
  return pos != end && *pos == '+' && pos + 1 != end && pos[1] != '-' && pos[1] != '+' ? pos + 1 : pos;
}

inline const char* read_plain_number(const char* pos, const char* end, double& out) {
  pos = fmm::read_float(skip_plus(pos, end), end, out, fmm::BestMatch);
  // "inf" is a value, 1e999 is a mistake: only the latter ends in a digit.
  if (std::isinf(out) && (pos[-1] >= '0' && pos[-1] <= '9')) throw fmm::invalid_mm("number overflows");
  return pos;
}

// Fortran writes the exponent of a double as in 1.5D+03; `mark` is where the D stands.
[[gnu::cold]] inline const char* read_fortran_number(const char* pos, const char* mark, const char* end,
                                                     double& out) {
  std::string word(pos, std::find_if(mark, end, [](char c) { return is_blank(c) || c == '\n'; }));
  word[static_cast<std::size_t>(mark - pos)] = 'e';
  const char* const stop = read_plain_number(word.data(), word.data() + word.size(), out);
  if (stop - word.data() <= mark - pos) throw fmm::invalid_mm("no exponent after D");
  return pos + (stop - word.data());
}

inline const char* read_number(const char* pos, const char* end, double& out) {
  const char* const stop = read_plain_number(pos, end, out);
  if (*stop == 'D' || *stop == 'd') [[unlikely]]
    return read_fortran_number(pos, stop, end, out);
  return stop;
}

template <bool AfterColumn>
const char* read_value(const char* pos, const char* end, real<AfterColumn>& out, const fmm::read_options&) {
  if constexpr (AfterColumn) require_blank_before(pos);
  pos = read_number(pos, end, out.value);
  return line_end_after(pos, end);
}

template <bool AfterColumn>
const char* read_value(const char* pos, const char* end, complex<AfterColumn>& out,
                       const fmm::read_options&) {
  if constexpr (AfterColumn) require_blank_before(pos);
  pos = read_number(pos, end, out.value);
  const char* const second = fmm::skip_spaces(pos);
  if (second == pos) throw fmm::invalid_mm("the line ends before the imaginary part");
  pos = read_number(second, end, out.imaginary);
  return line_end_after(pos, end);
}

template <bool AfterColumn>
const char* read_value(const char* pos, const char* end, integer<AfterColumn>& out,
                       const fmm::read_options&) {
  if constexpr (AfterColumn) require_blank_before(pos);
  pos = skip_plus(pos, end);
  std::int64_t exact = 0;
  auto result = std::from_chars(pos, end, exact);
  if (result.ec == std::errc::result_out_of_range) {
    // Unsigned 64-bit integers are written by some tools; beyond that a number has no integer type.
    std::uint64_t large = 0;
    result = std::from_chars(pos, end, large);
    if (result.ec != std::errc()) throw fmm::invalid_mm("integer overflows 64 bits");
    out.value = static_cast<double>(large);
    out.rounded = out.value >= 0x1p64 || static_cast<std::uint64_t>(out.value) != large;
  } else if (result.ec != std::errc()) {
    throw fmm::invalid_mm("not an integer");
  } else {
    out.value = static_cast<double>(exact);
    out.rounded = out.value >= 0x1p63 || static_cast<std::int64_t>(out.value) != exact;
  }
  return line_end_after(result.ptr, end);
}

inline const char* read_value(const char* pos, const char* end, pattern&, const fmm::read_options&) {
  return line_end_after(pos, end);
}

}  // namespace sparsmith::strict

namespace sparsmith::matrix_market {
namespace {

namespace fmm = fast_matrix_market;

class header_reader {
 public:
  explicit header_reader(const text_source& source) : source_(source) {}

  header_and_rest read(complex_values if_complex) {
    header_and_rest result;
    result.rest = read_lines();
    check(if_complex);
    result.bytes_read = bytes_read_;
    header& head = result.head;
    head.layout = library_.format == fmm::array ? layout_kind::array : layout_kind::coordinate;
    head.field = library_.field == fmm::pattern   ? field_kind::pattern
                 : library_.field == fmm::complex ? field_kind::complex
                 : library_.field == fmm::integer || library_.field == fmm::unsigned_integer
                     ? field_kind::integer
                     : field_kind::real;
    head.symmetry = library_.symmetry == fmm::general          ? symmetry_kind::general
                    : library_.symmetry == fmm::skew_symmetric ? symmetry_kind::skew_symmetric
                    : library_.symmetry == fmm::hermitian      ? symmetry_kind::hermitian
                                                               : symmetry_kind::symmetric;
    head.places_only = head.field == field_kind::complex && if_complex != complex_values::keep;
    head.rows = library_.nrows;
    head.cols = library_.ncols;
    head.entries = library_.nnz;
    head.lines = size_line_;
    return result;
  }

 private:
  [[noreturn]] void fail(std::int64_t line, const std::string& what,
                         failure category = failure::input) const {
    refuse_line(source_.name, line, what, category);
  }

  // Returns the text after the size line that was read along.
  std::string read_lines() {
    std::string text;
    std::size_t line_start = 0;
    bool at_end = false;
    for (std::int64_t line = 1;; ++line) {
      std::size_t line_end, searched = line_start;
      while ((line_end = text.find('\n', searched)) == std::string::npos && !at_end) {
        if (line == 1 && text.size() > (1 << 16)) {
          require_known_text(text);
          fail(1, "not a Matrix Market file: the first line has no end");
        }
        text.erase(0, std::exchange(line_start, 0));
        if (is_too_long(text)) fail(line, line_too_long);
        const std::size_t had = searched = text.size();
        constexpr std::size_t block = 1 << 16;
        text.resize(had + block);
        const std::size_t got = source_.read(text.data() + had, block);
        text.resize(had + got);
        bytes_read_ += static_cast<std::int64_t>(got);
        if (is_too_much_text(bytes_read_, 0)) fail(line, too_much_other_text);
        at_end = got == 0;
      }
      if (line_end == std::string::npos) line_end = text.size();
      std::string content = text.substr(line_start, line_end - line_start);
      if (is_too_long(content)) fail(line, line_too_long);
      const bool more = line_end < text.size();
      line_start = std::min(line_end + 1, text.size());
      if (!content.empty() && content.back() == '\r') content.pop_back();
      if (line == 1) {
        if (text.empty()) fail(1, "the file is empty");
        require_known_text(content);
        if (content.starts_with(byte_order_mark)) content.erase(0, byte_order_mark.size());
        read_banner(content);
      } else {
        const auto first = std::find_if_not(content.begin(), content.end(), is_blank);
        if (first != content.end() && *first != '%') {
          require_line_ends(line, content);
          read_sizes(line, content);
          return text.substr(line_start);
        }
      }
      if (!more) {
        require_line_ends(line, content);
        fail(content.empty() && line > 1 ? line - 1 : line, "the file ends before the size line");
      }
    }
  }

  // Says what a first line is in that would else only be called wrong.
  void require_known_text(std::string_view first_line) const {
    using namespace std::string_view_literals;
    for (const std::string_view start : {"\xff\xfe"sv, "\xfe\xff"sv, "%\0"sv, "\0%"sv})
      if (first_line.starts_with(start))
        fail(1, "the text is UTF-16, which is not supported; convert it to UTF-8", failure::unsupported);
    if (first_line.starts_with('%') || first_line.starts_with(byte_order_mark))
      require_line_ends(1, first_line);
  }

  void require_line_ends(std::int64_t line, std::string_view content) const {
    if (content.find('\r') != std::string_view::npos) fail(line, bare_carriage_returns, failure::unsupported);
  }

  void read_banner(const std::string& line) {
    std::istringstream words(line);
    std::string banner, object, format, field, symmetry, extra;
    words >> banner >> object >> format >> field >> symmetry >> extra;
    if (banner != fmm::kMatrixMarketBanner && banner != fmm::kMatrixMarketBanner2)
      fail(1, "not a Matrix Market file: the first line must start with %%MatrixMarket");
    const auto parse = [&](const std::string& what, const std::string& word, const auto& names) {
      std::string lower = word, known;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      for (const auto& [value, name] : names) {
        if (name == lower) return value;
        known += (known.empty() ? "" : ", ") + name;
      }
      if (word.empty()) fail(1, fmt::format("the banner ends before the {} (one of {})", what, known));
      fail(1, fmt::format("unknown {} \"{}\" (one of {})", what, word.substr(0, 40), known));
    };
    library_.object = parse("object", object, fmm::object_map);
    library_.format = parse("format", format, fmm::format_map);
    library_.field = parse("field", field, fmm::field_map);
    library_.symmetry = parse("symmetry", symmetry, fmm::symmetry_map);
    if (!extra.empty()) fail(1, fmt::format("unexpected \"{}\" after the banner", extra.substr(0, 40)));
  }

  void read_sizes(std::int64_t line, const std::string& text) {
    if (library_.object != fmm::matrix) fail(1, "object \"vector\" is not a matrix");
    std::istringstream words(text);
    std::vector<std::int64_t> sizes;
    for (std::string word; words >> word;) {
      std::int64_t value = 0;
      const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (status == std::errc::result_out_of_range)
        fail(line, fmt::format("size {} is far too large", word.substr(0, 40)));
      if (status != std::errc() || end != word.data() + word.size())
        fail(line, fmt::format("\"{}\" is not a size", word.substr(0, 40)));
      if (value < 0) fail(line, fmt::format("size {} is negative", value));
      sizes.push_back(value);
    }
    const std::size_t wanted = library_.format == fmm::coordinate ? 3 : 2;
    if (sizes.size() != wanted)
      fail(line, fmt::format("the size line has {} numbers instead of {} ({})", sizes.size(), wanted,
                             wanted == 3 ? "rows, columns, entries" : "rows, columns"));
    library_.nrows = sizes[0];
    library_.ncols = sizes[1];
    for (const std::int64_t size : {library_.nrows, library_.ncols})
      if (size > std::numeric_limits<std::int32_t>::max())
        fail(line, fmt::format("dimension {} is above 2147483647, the most this program handles", size),
             failure::unsupported);
    library_.nnz = library_.format == fmm::coordinate ? sizes[2] : array_entries();
    size_line_ = line;
  }

  // The entries an array file must hold: all of them, or the triangle its symmetry leaves.
  std::int64_t array_entries() const {
    const std::int64_t n = library_.nrows;
    switch (library_.symmetry) {
      case fmm::general:
        return library_.nrows * library_.ncols;
      case fmm::skew_symmetric:
        return n * (n - 1) / 2;
      default:
        return n * (n + 1) / 2;
    }
  }

  void check(complex_values if_complex) const {
    const bool is_complex = library_.field == fmm::complex;
    if (is_complex && if_complex == complex_values::refuse)
      fail(1, "field \"complex\" is not supported yet", failure::unsupported);
    if (library_.symmetry == fmm::hermitian && !is_complex)
      fail(1, "symmetry \"hermitian\" is one of complex matrices", failure::unsupported);
    if (library_.symmetry != fmm::general && library_.nrows != library_.ncols)
      fail(size_line_, fmt::format("a {} matrix must be square, not {} x {}",
                                   fmm::symmetry_map.at(library_.symmetry), library_.nrows, library_.ncols));
    if (library_.format == fmm::array && library_.field == fmm::pattern)
      fail(1, "an array cannot have field \"pattern\": it lists values only");
    const bool no_cells = library_.nrows == 0 || library_.ncols == 0;
    if (no_cells && library_.nnz > 0)
      fail(size_line_, fmt::format("{} entries announced, but a {} x {} matrix has no place for any",
                                   library_.nnz, library_.nrows, library_.ncols));
  }

  const text_source& source_;
  fmm::matrix_market_header library_;
  std::int64_t bytes_read_ = 0;
  std::int64_t size_line_ = 0;
};

// What fast_matrix_market calls for every entry.
template <class Parsed>
struct entry_handler {
  using coordinate_type = std::int64_t;
  using value_type = Parsed;
  static constexpr int flags = fmm::kParallelOk;

  entry_target to;
  bool skip_zeros;  // a dense array's zeros are no entries
  // Of a skew-symmetric and of a hermitian matrix; explain() says where it is not.
  bool zero_diagonal, real_diagonal;
  parsed_lines counts = {};

  void handle(std::int64_t row, std::int64_t col, const Parsed& parsed) {
    double value = 1;
    if constexpr (!std::is_same_v<Parsed, strict::pattern>) value = parsed.value;
    if constexpr (requires { parsed.rounded; }) counts.rounded += parsed.rounded;
    bool is_zero = value == 0;
    if constexpr (requires { parsed.imaginary; }) {
      is_zero = is_zero && parsed.imaginary == 0;
      if (real_diagonal && row == col && parsed.imaginary != 0) throw fmm::invalid_mm(complex_diagonal);
    }
    if (zero_diagonal && row == col && !is_zero) throw fmm::invalid_mm(nonzero_diagonal);
    if (skip_zeros && is_zero) {
      ++counts.zeros;
      return;
    }
    if constexpr (requires { parsed.imaginary; }) {
      if (to.imaginary != nullptr)
        to.imaginary[counts.stored] = parsed.imaginary;
      else
        value = 1;
    }
    to.rows[counts.stored] = static_cast<std::int32_t>(row);
    to.cols[counts.stored] = static_cast<std::int32_t>(col);
    to.values[counts.stored] = value;
    ++counts.stored;
  }
  // Named by the library's code for pattern files, which this reader never runs.
  void handle(std::int64_t, std::int64_t, const fmm::pattern_placeholder_type&) {}
};

// The field is always real, so that the parser asks our types for a value, which checks the line's end also
// where there is none.
fmm::matrix_market_header library_header(const header& head) {
  fmm::matrix_market_header result(head.rows, head.cols);
  result.format = head.layout == layout_kind::array ? fmm::array : fmm::coordinate;
  result.field = fmm::real;
  result.symmetry = head.symmetry == symmetry_kind::general          ? fmm::general
                    : head.symmetry == symmetry_kind::skew_symmetric ? fmm::skew_symmetric
                                                                     : fmm::symmetric;
  result.nnz = head.entries;
  return result;
}

fmm::read_options parser_options() {
  fmm::read_options options;
  options.generalize_symmetry = false;  // a pipeline's work, on the device where there is one
  return options;
}

// Reads an index of plain digits from 1 to `most` and goes on to what follows; null where there is none.
const char* read_plain_index(const char* pos, std::int64_t most, std::int64_t& index) {
  constexpr int most_digits = 10;  // of a dimension
  const char* const first = pos;
  std::int64_t number = 0;
  for (; is_digit(*pos) && pos - first < most_digits; ++pos) number = number * 10 + (*pos - '0');
  index = number;
  return number >= 1 && number <= most && !is_digit(*pos) ? strict::skip_blanks(pos) : nullptr;
}

// Nearly all lines are two plain indices and what belongs to them, which is read here in half the library's
// time. The first line that is anything else, and all behind it, are left to the library.
template <class Parsed>
parsed_lines parse_coordinates_as(const std::string& text, const header& head, position start,
                                  entry_target to) {
  entry_handler<Parsed> handler{to, false, has_zero_diagonal(head), has_real_diagonal(head)};
  const fmm::read_options options = parser_options();
  const char* pos = text.c_str();
  const char* const end = pos + text.size();
  std::int64_t lines = 0;
  while (pos != end) {
    std::int64_t row = 0, col = 0;
    const char* next = read_plain_index(strict::skip_blanks(pos), head.rows, row);
    if (next == nullptr || !is_blank(next[-1])) break;
    next = read_plain_index(next, head.cols, col);
    if (next == nullptr) break;
    Parsed value;
    next = read_value(next, end, value, options);
    handler.handle(row - 1, col - 1, value);
    ++lines;
    pos = next == end ? end : next + 1;
  }
  if (pos != end)
    fmm::read_chunk_matrix_coordinate(std::string(pos, end), library_header(head),
                                      {start.line + lines, start.entry + lines}, handler, options);
  return handler.counts;
}

template <class Parsed>
parsed_lines parse_array_as(const std::string& text, const header& head, position start, std::int64_t& row,
                            std::int64_t& col, entry_target to) {
  entry_handler<Parsed> handler{to, true, false, has_real_diagonal(head)};
  fmm::read_chunk_array(text, library_header(head), {start.line, start.entry}, handler, parser_options(), row,
                        col);
  return handler.counts;
}

}  // namespace

void refuse_line(const std::string& name, std::int64_t line, const std::string& what, failure category) {
  throw error(category, fmt::format("{}:{}: {}", name, line, what));
}

header_and_rest read_header(const text_source& source, complex_values if_complex) {
  return header_reader(source).read(if_complex);
}

parsed_lines parse_coordinates(const std::string& text, const header& head, position start, entry_target to) {
  switch (head.field) {
    case field_kind::pattern:
      return parse_coordinates_as<strict::pattern>(text, head, start, to);
    case field_kind::integer:
      return parse_coordinates_as<strict::integer<true>>(text, head, start, to);
    case field_kind::complex:
      return parse_coordinates_as<strict::complex<true>>(text, head, start, to);
    default:
      return parse_coordinates_as<strict::real<true>>(text, head, start, to);
  }
}

parsed_lines parse_array(const std::string& text, const header& head, position start, std::int64_t& row,
                         std::int64_t& col, entry_target to) {
  switch (head.field) {
    case field_kind::integer:
      return parse_array_as<strict::integer<false>>(text, head, start, row, col, to);
    case field_kind::complex:
      return parse_array_as<strict::complex<false>>(text, head, start, row, col, to);
    default:
      return parse_array_as<strict::real<false>>(text, head, start, row, col, to);
  }
}

bool is_number(const std::string& word, bool whole) {
  const std::string line = word + "\n";
  const char* const end = line.data() + line.size();
  try {
    if (whole) {
      strict::integer<false> value{};
      strict::read_value(line.data(), end, value, {});
    } else {
      strict::real<false> value{};
      strict::read_value(line.data(), end, value, {});
    }
  } catch (const fmm::invalid_mm&) {
    return false;
  }
  return true;
}

}  // namespace sparsmith::matrix_market
