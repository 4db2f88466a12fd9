#include "convert/io/rutherford_boeing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "convert/backend/parallel_guard.hpp"
#include "convert/io/bounds.hpp"
#include "convert/io/growing_array.hpp"
#include "convert/io/lines.hpp"
#include "convert/io/matrix_market_grammar.hpp"

namespace sparsmith {
namespace {

using matrix_market::is_digit;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Numbers separated by blanks; nothing where something else is among them.
std::optional<std::vector<std::int64_t>> whole_numbers(std::string_view text) {
  std::vector<std::int64_t> found;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    std::int64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (status != std::errc() || (!text.empty() && text[0] != ' ' && text[0] != '\t')) return std::nullopt;
    found.push_back(number);
  }
  return found;
}

// How the numbers of a section stand in its lines: Fortran's "(1P,5E20.12)".
struct field_format {
  int per_line = 0;
  int width = 0;
  int decimals = 0;
  int scale = 0;
  bool whole = false;

  std::int64_t lines_for(std::int64_t numbers) const { return (numbers + per_line - 1) / per_line; }
};

// Reads a format without its parentheses; nothing where it is another than these files have.
std::optional<field_format> format_from(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (c != ' ') plain += lower(c);
  std::size_t at = 0;
  const auto number = [&](int otherwise) {
    int value = otherwise;
    const auto [end, status] = std::from_chars(plain.data() + at, plain.data() + plain.size(), value);
    if (status != std::errc()) return otherwise;
    at = static_cast<std::size_t>(end - plain.data());
    return value;
  };
  const auto take = [&](char c) {
    const bool there = at < plain.size() && plain[at] == c;
    at += there ? 1 : 0;
    return there;
  };
  constexpr int none = std::numeric_limits<int>::min();
  field_format found;
  found.per_line = number(none);
  if (found.per_line != none && take('p')) {
    found.scale = found.per_line;
    take(',');
    found.per_line = number(none);
  }
  if (found.per_line == none) found.per_line = 1;
  constexpr std::string_view letters = "iedfg";
  if (at == plain.size() || letters.find(plain[at]) == std::string_view::npos) return std::nullopt;
  found.whole = plain[at++] == 'i';
  found.width = number(none);
  if (take('.')) {
    const int digits = number(none);
    if (digits < 0) return std::nullopt;
    if (!found.whole) found.decimals = digits;
  }
  if (!found.whole && take('e') && number(none) < 1) return std::nullopt;
  constexpr int most = 1000;  // a line has 80 characters by the standard
  const bool right = at == plain.size() && found.per_line >= 1 && found.per_line <= most &&
                     found.width >= 1 && found.width <= most && std::abs(found.scale) <= most;
  return right ? std::optional(found) : std::nullopt;
}

// What is wrong with a field.
enum class fault { none, blank, malformed, too_large, outside, no_point, scaled, not_zero, not_real };

fault parse_whole(std::string_view field, std::int64_t& number) {
  field = trimmed(field);
  if (field.empty()) return fault::blank;
  if (field[0] == '+' && field.size() > 1 && is_digit(field[1])) field.remove_prefix(1);
  const auto [end, status] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (status == std::errc::result_out_of_range) return fault::too_large;
  return status == std::errc() && end == field.data() + field.size() ? fault::none : fault::malformed;
}

// Where the exponent begins; the end where there is none. Fortran may leave the letter out: 1.5-103.
std::size_t exponent_of(std::string_view number) {
  return std::min(number.find_first_of("eEdD+-", 1), number.size());
}

fault parse_real(std::string_view field, const field_format& format, double& number) {
  field = trimmed(field);
  if (field.empty()) return fault::blank;
  if (field[0] == '+' && field.size() > 1 && (is_digit(field[1]) || field[1] == '.')) field.remove_prefix(1);
  const char* last = field.data() + field.size();
  auto [end, status] = std::from_chars(field.data(), last, number);
  if (status != std::errc() || end != last) {
    // As C writes it: 1.5D+3, 1.5D 03 and 1.5+3 become 1.5e+3.
    const std::size_t exponent = exponent_of(field);
    std::string written(field.substr(0, exponent));
    const bool named = exponent < field.size() && field[exponent] != '+' && field[exponent] != '-';
    if (exponent < field.size()) {
      std::string_view power = field.substr(exponent + (named ? 1 : 0));
      if (named && power.size() > 1 && power[0] == ' ' && is_digit(power[1])) power.remove_prefix(1);
      written.append("e").append(power);
    }
    last = written.data() + written.size();
    const auto again = std::from_chars(written.data(), last, number);
    if (again.ec == std::errc::invalid_argument || again.ptr != last) return fault::malformed;
    // Too small a number is 0, or the nearest there is; of too large ones there is none.
    if (again.ec == std::errc::result_out_of_range) number = std::strtod(written.c_str(), nullptr);
    if (std::isinf(number) && is_digit(written.back())) return fault::too_large;
  }
  if (number == 0 || !std::isfinite(number)) return fault::none;
  // Fortran would put a decimal point where the format says, and divide by the scale: nobody else does.
  if (format.decimals > 0 && field.find('.') == std::string_view::npos) return fault::no_point;
  if (format.scale != 0 && exponent_of(field) == field.size()) return fault::scaled;
  return fault::none;
}

std::string described(fault what, std::string_view field, const char* of, std::int64_t most) {
  constexpr std::size_t most_shown = 40;
  const std::string shown(trimmed(field).substr(0, most_shown));
  switch (what) {
    case fault::blank:
      return fmt::format("the {} is blank, or the line is too short for it", of);
    case fault::malformed:
      return fmt::format("\"{}\" is not a {}", shown, of);
    case fault::too_large:
      return fmt::format("{} {} is too large", of, shown);
    case fault::outside:
      return fmt::format("{} {} is outside 1..{}", of, shown, most);
    case fault::no_point:
      return fmt::format("{} {} has no decimal point, and what Fortran makes of that no other program does",
                         of, shown);
    case fault::scaled:
      return fmt::format(
          "{} {} has no exponent under a scale factor, by which Fortran divides it and no other program", of,
          shown);
    case fault::not_zero:
      return matrix_market::nonzero_diagonal;
    case fault::not_real:
      return matrix_market::complex_diagonal;
    case fault::none:
      break;
  }
  return {};
}

class reader {
 public:
  reader(const text_source& source, const progress_callback& progress, complex_values if_complex)
      : source_(source), progress_(progress), if_complex_(if_complex), lines_(source) {}

  matrix_entries read() {
    read_header();
    matrix_entries result;
    result.origin = harwell_ ? "Harwell-Boeing" : "Rutherford-Boeing";
    result.field = field_ == 'r' ? "real" : field_ == 'i' ? "integer" : field_ == 'p' ? "pattern" : "complex";
    result.symmetry = symmetry_;
    result.entries.rows = static_cast<std::int32_t>(rows_);
    result.entries.cols = static_cast<std::int32_t>(cols_);
    read_pointers();
    read_rows();
    check_rows();
    expand_columns();
    read_values(result);
    result.entries.row_indices = row_indices_.take(entries_);
    result.entries.col_indices = std::move(col_indices_);
    read_rest();
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what, failure category = failure::input) const {
    matrix_market::refuse_line(source_.name, lines_.line(), what, category);
  }

  // A line of the header.
  std::string header_line() {
    const auto& found = lines_.next(1);
    if (found.empty()) fail("the file ends in its header");
    return std::string(found[0]);
  }

  void read_header() {
    header_line();  // a title and a key
    const auto cards = whole_numbers(header_line());
    if (!cards || cards->size() < 4 || cards->size() > 5)
      fail("expected how many lines there are in all, of pointers, of row indices and of values");
    for (const std::int64_t one : *cards)
      if (one < 0) fail(fmt::format("{} lines are fewer than none", one));
    harwell_ = cards->size() == 5;
    right_hand_lines_ = harwell_ ? (*cards)[4] : 0;
    read_type(header_line());
    read_formats(header_line(), *cards);
    if (right_hand_lines_ > 0) header_line();  // of what the right-hand sides are
  }

  void read_type(const std::string& line) {
    const std::string_view type = std::string_view(line).substr(0, 3);
    if (!is_matrix_type(type)) fail(fmt::format("\"{}\" is not a type of matrices, such as RUA", type));
    field_ = lower(type[0]);
    if (lower(type[2]) == 'e')
      fail(fmt::format("type {} is one of elemental matrices, which are not assembled and not supported",
                       type),
           failure::unsupported);
    if (field_ == 'q')
      fail(fmt::format("type {} has its values in another file, which is not supported", type),
           failure::unsupported);
    if (field_ == 'c' && if_complex_ == complex_values::refuse)
      fail(fmt::format("type {} is complex, which is not supported yet", type), failure::unsupported);
    const char symmetry = lower(type[1]);
    const auto sizes = whole_numbers(std::string_view(line).substr(3));
    if (!sizes || sizes->size() < 3 || sizes->size() > 4)
      fail("expected rows, columns, entries and a number that is for elemental matrices");
    rows_ = (*sizes)[0];
    cols_ = (*sizes)[1];
    entries_ = (*sizes)[2];
    if (rows_ < 0 || cols_ < 0 || entries_ < 0) fail("a size is below zero");
    for (const std::int64_t size : {rows_, cols_})
      if (size > std::numeric_limits<std::int32_t>::max())
        fail(fmt::format("dimension {} is above 2147483647, the most this program handles", size),
             failure::unsupported);
    if (entries_ > std::numeric_limits<std::int64_t>::max() / 4)
      fail(fmt::format("{} entries are far too many", entries_));
    if (entries_ > 0 && (rows_ == 0 || cols_ == 0))
      fail(fmt::format("{} entries announced, but a {} x {} matrix has no place for any", entries_, rows_,
                       cols_));
    if (symmetry != 'u' && symmetry != 'r' && rows_ != cols_)
      fail(fmt::format("a matrix of type {} must be square, not {} x {}", type, rows_, cols_));
    if (symmetry == 'h' && field_ != 'c')
      fail(fmt::format("type {}: only complex matrices are hermitian", type), failure::unsupported);
    skew_ = symmetry == 'z';
    places_only_ = field_ == 'c' && if_complex_ != complex_values::keep;
    // Every symmetry mirrors the pattern in the same way; ones that are negated could cancel others.
    symmetry_ = symmetry == 'u' || symmetry == 'r' ? symmetry_kind::general
                : places_only_                     ? symmetry_kind::symmetric
                : skew_                            ? symmetry_kind::skew_symmetric
                : symmetry == 'h'                  ? symmetry_kind::hermitian
                                                   : symmetry_kind::symmetric;
  }

  void read_formats(std::string_view line, const std::vector<std::int64_t>& cards) {
    std::array<field_format*, 3> wanted = {&pointers_, &rows_format_, &values_};
    std::array<const char*, 3> names = {"pointers", "row indices", "values"};
    std::array<std::int64_t, 3> numbers = {cols_ + 1, entries_, entries_ * (field_ == 'c' ? 2 : 1)};
    const bool with_values = field_ != 'p';
    for (std::size_t i = 0; i < (with_values ? 3u : 2u); ++i) {
      const std::size_t open = line.find('('), close = line.find(')');
      if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        fail(fmt::format("there is no format for the {}, such as (10I8)", names[i]));
      const std::string_view text = line.substr(open, close + 1 - open);
      const auto found = format_from(text.substr(1, text.size() - 2));
      if (!found || (i < 2 && !found->whole) || (field_ == 'i' && !found->whole))
        fail(fmt::format("{} is not a format for {} that is supported; such as {} is", text.substr(0, 40),
                         names[i], i < 2 || field_ == 'i' ? "(10I8)" : "(4E20.12) or (1P,4D20.12)"),
             failure::unsupported);
      *wanted[i] = *found;
      line.remove_prefix(close + 1);
      if (const std::int64_t lines = found->lines_for(numbers[i]); cards[i + 1] != lines)
        fail(fmt::format("{} lines of {} are announced, but {} numbers in {} take {}", cards[i + 1], names[i],
                         numbers[i], text, lines));
    }
    if (!with_values && cards[3] != 0)
      fail(fmt::format("{} lines of values are announced for a pattern", cards[3]));
  }

  // Reads so many numbers: parse(position, field) says what is wrong with one.
  template <class Reserve, class Parse>
  void read_section(std::int64_t count, const field_format& format, const char* of, std::int64_t most,
                    const Reserve& reserve, const Parse& parse) {
    for (std::int64_t done = 0; done < count;) {
      const auto& found = lines_.next(format.lines_for(count - done));
      const auto lines = static_cast<std::int64_t>(found.size());
      if (lines == 0) fail(fmt::format("the file ends after {} of {} numbers ({})", done, count, of));
      if (progress_) progress_(lines_.bytes(), source_.total_bytes);
      const std::int64_t whole = whole_lines(found, format, count - done);
      reserve(std::min(count, done + whole * format.per_line));
      std::int64_t first_wrong = count;
      parallel_guard guard;
#pragma omp parallel reduction(min : first_wrong)
      {
        std::vector<std::string_view> fields;
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < whole; ++i)
          guard.run([&] {
            const std::int64_t begin = done + i * format.per_line;
            split(found[static_cast<std::size_t>(i)], format,
                  std::min(count - begin, std::int64_t{format.per_line}), fields);
            for (std::size_t k = 0; k < fields.size(); ++k) {
              const std::int64_t at = begin + static_cast<std::int64_t>(k);
              if (at < first_wrong && parse(at, fields[k]) != fault::none) first_wrong = at;
            }
          });
      }
      guard.rethrow();
      if (first_wrong < count) {
        const std::int64_t i = (first_wrong - done) / format.per_line;
        std::vector<std::string_view> fields;
        split(found[static_cast<std::size_t>(i)], format,
              std::min(count - done - i * format.per_line, std::int64_t{format.per_line}), fields);
        const std::string_view field =
            fields[static_cast<std::size_t>((first_wrong - done) % format.per_line)];
        matrix_market::refuse_line(source_.name, lines_.line() - lines + i + 1,
                                   described(parse(first_wrong, field), field, of, most));
      }
      if (whole < lines)
        matrix_market::refuse_line(source_.name, lines_.line() - lines + whole + 1,
                                   described(fault::blank, {}, of, most));
      done += lines * format.per_line;
    }
  }

  // How many lines, from the first on, have a character for each of their numbers at least: for others no
  // memory is taken.
  static std::int64_t whole_lines(const std::vector<std::string_view>& lines, const field_format& format,
                                  std::int64_t numbers) {
    std::int64_t whole = 0;
    for (const std::string_view line : lines) {
      if (static_cast<std::int64_t>(line.size()) < std::min(numbers, std::int64_t{format.per_line})) break;
      numbers -= format.per_line;
      ++whole;
    }
    return whole;
  }

  // The fields of a line. Some writers, SciPy among them, keep to other columns than their format says: where
  // a line has as many words as fields, the words are the fields. Columns decide where numbers touch each
  // other.
  static void split(std::string_view line, const field_format& format, std::int64_t count,
                    std::vector<std::string_view>& fields) {
    fields.clear();
    const auto wanted = static_cast<std::size_t>(count);
    for (std::size_t first = 0, end = 0; fields.size() <= wanted; first = end) {
      while (first < line.size() && is_blank(line[first])) ++first;
      if (first == line.size()) break;
      for (end = first; end < line.size() && !is_blank(line[end]);) ++end;
      fields.push_back(line.substr(first, end - first));
    }
    if (fields.size() == wanted) return;
    fields.clear();
    const auto width = static_cast<std::size_t>(format.width);
    for (std::size_t k = 0; k < wanted; ++k)
      fields.push_back(line.substr(std::min(k * width, line.size()), width));
  }

  void read_pointers() {
    const std::int64_t first_line = lines_.line() + 1;
    read_section(
        cols_ + 1, pointers_, "pointer", entries_ + 1, [&](std::int64_t wanted) { starts_.reserve(wanted); },
        [&](std::int64_t at, std::string_view field) {
          std::int64_t number = 0;
          if (const fault wrong = parse_whole(field, number); wrong != fault::none) return wrong;
          if (number < 1 || number > entries_ + 1) return fault::outside;
          starts_.data()[at] = number - 1;
          return fault::none;
        });
    const std::int64_t* const starts = starts_.data();
    const auto fail_at = [&](std::int64_t col, const std::string& what) {
      matrix_market::refuse_line(source_.name, first_line + col / pointers_.per_line, what);
    };
    if (starts[0] != 0)
      fail_at(0, fmt::format("the first column begins at entry {}, not at 1", starts[0] + 1));
    for (std::int64_t col = 0; col < cols_; ++col)
      if (starts[col + 1] < starts[col])
        fail_at(col + 1, fmt::format("column {} ends before it begins: its pointers are {} and {}", col + 1,
                                     starts[col] + 1, starts[col + 1] + 1));
    if (starts[cols_] != entries_)
      fail_at(cols_, fmt::format("the last pointer is {}, but {} entries end at {}", starts[cols_] + 1,
                                 entries_, entries_ + 1));
  }

  void read_rows() {
    rows_line_ = lines_.line() + 1;
    read_section(
        entries_, rows_format_, "row", rows_, [&](std::int64_t wanted) { row_indices_.reserve(wanted); },
        [&](std::int64_t at, std::string_view field) {
          std::int64_t number = 0;
          if (const fault wrong = parse_whole(field, number); wrong != fault::none) return wrong;
          if (number < 1 || number > rows_) return fault::outside;
          row_indices_.data()[at] = static_cast<std::int32_t>(number - 1);
          return fault::none;
        });
  }

  // They rise inside a column, and of what is symmetric only the lower half is stored: else most programs
  // would make another matrix of the file.
  void check_rows() const {
    const std::int64_t* const starts = starts_.data();
    const std::int32_t* const rows = row_indices_.data();
    const bool half = symmetry_ != symmetry_kind::general;
    std::int64_t first_wrong = cols_;
#pragma omp parallel for reduction(min : first_wrong) schedule(dynamic, 4096)
    for (std::int64_t col = 0; col < cols_; ++col) {
      if (col > first_wrong) continue;
      if (half && starts[col] < starts[col + 1] && rows[starts[col]] < col) first_wrong = col;
      for (std::int64_t at = starts[col] + 1; at < starts[col + 1]; ++at)
        if (rows[at] <= rows[at - 1]) first_wrong = std::min(first_wrong, col);
    }
    if (first_wrong == cols_) return;
    const std::int64_t col = first_wrong;
    const auto fail_at = [&](std::int64_t at, const std::string& what) {
      matrix_market::refuse_line(source_.name, rows_line_ + at / rows_format_.per_line, what);
    };
    for (std::int64_t at = starts[col] + 1; at < starts[col + 1]; ++at)
      if (rows[at] <= rows[at - 1])
        fail_at(at, fmt::format("column {}: row {} stands behind row {}; they must rise", col + 1,
                                rows[at] + 1, rows[at - 1] + 1));
    fail_at(starts[col],
            fmt::format("entry ({}, {}) is above the diagonal, which a symmetric matrix does not store",
                        rows[starts[col]] + 1, col + 1));
  }

  void expand_columns() {
    col_indices_ = array<std::int32_t, host>(entries_);
    const std::int64_t* const starts = starts_.data();
#pragma omp parallel for schedule(dynamic, 4096)
    for (std::int64_t col = 0; col < cols_; ++col)
      std::fill(col_indices_.data() + starts[col], col_indices_.data() + starts[col + 1],
                static_cast<std::int32_t>(col));
  }

  void read_values(matrix_entries& result) {
    growing_array<double> values, imaginary;
    const auto must_be_zero = [&](std::int64_t at) {
      return skew_ && !places_only_ && row_indices_.data()[at] == col_indices_[at];
    };
    if (field_ == 'p' || places_only_) values.reserve(entries_);
    if (field_ == 'c') {
      const bool hermitian = symmetry_ == symmetry_kind::hermitian;
      read_section(
          2 * entries_, values_, "value", 0,
          [&](std::int64_t wanted) {
            if (places_only_) return;
            values.reserve((wanted + 1) / 2);
            imaginary.reserve((wanted + 1) / 2);
          },
          [&](std::int64_t at, std::string_view field) {
            double number = 0;
            if (const fault wrong = parse_real(field, values_, number); wrong != fault::none) return wrong;
            if (places_only_) return fault::none;  // that they are numbers is all that is asked for
            (at % 2 == 0 ? values : imaginary).data()[at / 2] = number;
            if (number == 0) return fault::none;
            if (must_be_zero(at / 2)) return fault::not_zero;
            return hermitian && at % 2 == 1 && row_indices_.data()[at / 2] == col_indices_[at / 2]
                       ? fault::not_real
                       : fault::none;
          });
    } else if (field_ == 'i') {
      std::int64_t rounded = 0;
      read_section(
          entries_, values_, "value", 0, [&](std::int64_t wanted) { values.reserve(wanted); },
          [&](std::int64_t at, std::string_view field) {
            std::int64_t number = 0, beyond = 0;
            if (const fault wrong = parse_whole(field, number); wrong != fault::none) return wrong;
            values.data()[at] = value_from(number, beyond);
            if (beyond > 0)
#pragma omp atomic
              ++rounded;
            return must_be_zero(at) && number != 0 ? fault::not_zero : fault::none;
          });
      result.rounded_values = rounded;
    } else if (field_ == 'r') {
      read_section(
          entries_, values_, "value", 0, [&](std::int64_t wanted) { values.reserve(wanted); },
          [&](std::int64_t at, std::string_view field) {
            double number = 0;
            if (const fault wrong = parse_real(field, values_, number); wrong != fault::none) return wrong;
            values.data()[at] = number;
            return must_be_zero(at) && number != 0 ? fault::not_zero : fault::none;
          });
    }
    if (field_ == 'p' || places_only_) std::fill(values.data(), values.data() + entries_, 1.0);
    if (right_hand_lines_ > 0) result.note = "the right-hand sides behind it were not read";
    if (field_ == 'p' && skew_)
      for (std::int64_t at = 0; at < entries_; ++at)
        if (must_be_zero(at)) fail(matrix_market::nonzero_diagonal);
    result.entries.values = values.take(entries_);
    if (field_ == 'c' && !places_only_) result.imaginary = imaginary.take(entries_);
  }

  // Right-hand sides, which are none of the matrix, and then nothing.
  void read_rest() {
    const std::int64_t bytes_before = lines_.bytes(), lines_before = lines_.line();
    while (true) {
      const auto& found = lines_.next(4096);
      const std::int64_t ahead = right_hand_lines_ - (lines_.line() - lines_before);
      if (found.empty() && ahead > 0)
        fail(fmt::format("the file ends after {} of {} lines of right-hand sides", right_hand_lines_ - ahead,
                         right_hand_lines_));
      if (found.empty()) return;
      const auto count = static_cast<std::int64_t>(found.size());
      for (std::int64_t i = std::clamp(count + ahead, std::int64_t{0}, count); i < count; ++i)
        if (!trimmed(found[static_cast<std::size_t>(i)]).empty())
          matrix_market::refuse_line(source_.name, lines_.line() - count + i + 1,
                                     "there is more behind the matrix than the header announces");
      if (matrix_market::is_too_much_text(lines_.bytes() - bytes_before, entries_))
        fail("more than 64 MiB of the text are no matrix");
    }
  }

  const text_source& source_;
  const progress_callback& progress_;
  const complex_values if_complex_;
  line_reader lines_;
  bool harwell_ = false, skew_ = false;
  bool places_only_ = false;  // of complex values
  std::int64_t right_hand_lines_ = 0;
  char field_ = 'r';
  symmetry_kind symmetry_ = symmetry_kind::general;
  std::int64_t rows_ = 0, cols_ = 0, entries_ = 0;
  field_format pointers_, rows_format_, values_;
  growing_array<std::int64_t> starts_;
  growing_array<std::int32_t> row_indices_;
  array<std::int32_t, host> col_indices_;
  std::int64_t rows_line_ = 0;  // the first line of row indices
};

}  // namespace

bool is_matrix_type(std::string_view letters) {
  constexpr std::array<std::string_view, 3> known = {"rcpiq", "suhzr", "ae"};
  if (letters.size() != known.size()) return false;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].find(lower(letters[i])) == std::string_view::npos) return false;
  return true;
}

bool is_rutherford_boeing(std::string_view start) {
  std::array<std::string_view, 4> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = start.find('\n');
    line = start.substr(0, end);
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
  }
  const auto cards = whole_numbers(lines[1].substr(0, lines[1].find('\r')));
  // Which letters they may be is for the reader to say.
  const std::string_view type = lines[2].substr(0, lines[2].find(' '));
  const bool of_letters = type.size() == 3 && std::all_of(type.begin(), type.end(), [](char c) {
                            return lower(c) >= 'a' && lower(c) <= 'z';
                          });
  return cards && cards->size() >= 4 && of_letters && trimmed(lines[3]).starts_with('(');
}

matrix_entries read_rutherford_boeing(const text_source& source, const progress_callback& progress,
                                      complex_values if_complex) {
  return reader(source, progress, if_complex).read();
}

}  // namespace sparsmith
