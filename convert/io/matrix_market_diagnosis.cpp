#include "convert/io/matrix_market_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <vector>

namespace sparsmith::matrix_market {
namespace {

using words = std::vector<std::string>;

constexpr std::size_t most_shown = 40;  // of a word that may be a megabyte long

words words_of(const char* first, const char* last) {
  words list;
  for (const char* word = first; (word = std::find_if_not(word, last, is_blank)) != last;) {
    const char* const end = std::find_if(word, last, is_blank);
    list.emplace_back(word, end);
    word = end;
  }
  return list;
}

// Each returns what is wrong, or nothing.
std::string find_problem_of_index(const words& line, std::size_t next, const char* what, std::int64_t size) {
  if (next >= line.size()) return fmt::format("the line ends before the {}", what);
  const std::string& word = line[next];
  std::int64_t index = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (status == std::errc::result_out_of_range || (status == std::errc() && (index < 1 || index > size)))
    return fmt::format("{} {} is outside 1..{}", what, word.substr(0, most_shown), size);
  if (status != std::errc() || end != word.data() + word.size())
    return fmt::format("\"{}\" is not a {} number", word.substr(0, most_shown), what);
  return {};
}

std::string find_problem_of_value(const words& line, std::size_t next, const char* what, bool whole) {
  if (next >= line.size()) return fmt::format("the line ends before the {}", what);
  const std::string& word = line[next];
  if (is_number(word, whole)) return {};
  const std::string shown = word.substr(0, most_shown);
  std::string number_text = word;
  std::replace_if(
      number_text.begin(), number_text.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  double value = 0;
  const char* const end = number_text.data() + number_text.size();
  const auto [stop, status] = std::from_chars(number_text.data(), end, value);
  const bool number = stop == end && (status == std::errc() || status == std::errc::result_out_of_range);
  if (number && whole)
    return std::all_of(shown.begin(), shown.end(), [](char c) { return (c >= '0' && c <= '9') || c == '-'; })
               ? fmt::format("integer {} does not fit 64 bits", shown)
               : fmt::format("\"{}\" is not an integer", shown);
  if (number) return fmt::format("number {} does not fit a double", shown);
  return fmt::format("\"{}\" is not a number", shown);
}

// Of words that are indices and numbers, as was found out before.
bool same_index(const std::string& row, const std::string& col) {
  const auto number = [](const std::string& word) {
    std::int64_t index = 0;
    std::from_chars(word.data(), word.data() + word.size(), index);
    return index;
  };
  return number(row) == number(col);
}
bool is_zero(const std::string& word) {
  return word.substr(0, word.find_first_of("eEdD")).find_first_of("123456789nNiI") == std::string::npos;
}

std::string find_problem(const words& line, const header& head) {
  std::size_t next = 0;
  if (head.layout == layout_kind::coordinate) {
    if (auto problem = find_problem_of_index(line, next++, "row", head.rows); !problem.empty())
      return problem;
    if (auto problem = find_problem_of_index(line, next++, "column", head.cols); !problem.empty())
      return problem;
  }
  if (head.field != field_kind::pattern) {
    const bool whole = head.field == field_kind::integer;
    if (auto problem = find_problem_of_value(line, next++, "value", whole); !problem.empty()) return problem;
  }
  if (head.field == field_kind::complex)
    if (auto problem = find_problem_of_value(line, next++, "imaginary part", false); !problem.empty())
      return problem;
  if (next < line.size())
    return fmt::format("unexpected \"{}\" after the entry", line[next].substr(0, most_shown));
  if (head.layout == layout_kind::coordinate && same_index(line[0], line[1])) {
    const bool is_complex = head.field == field_kind::complex;
    if (has_zero_diagonal(head) &&
        (head.field == field_kind::pattern || !is_zero(line[2]) || (is_complex && !is_zero(line[3]))))
      return nonzero_diagonal;
    if (has_real_diagonal(head) && !is_zero(line[3])) return complex_diagonal;
  }
  return {};
}

}  // namespace

void explain(const std::string& name, const header& head, std::string& text, position at,
             const std::exception_ptr& cause) {
  position here = at;
  for_each_line(text, [&](const char* first, const char* last) {
    ++here.line;
    const words line = words_of(first, last);
    if (line.empty()) return;
    if (++here.entry > head.entries)
      refuse_line(name, here.line,
                  fmt::format("more {} than the {} announced",
                              head.layout == layout_kind::array ? "values" : "entries", head.entries));
    if (const auto problem = find_problem(line, head); !problem.empty()) {
      // Blank to the parser, but what follows it is more than one entry.
      if (std::find(first, last, '\r') < last - 1)
        refuse_line(name, here.line, bare_carriage_returns, failure::unsupported);
      refuse_line(name, here.line, problem);
    }
  });
  try {
    std::rethrow_exception(cause);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    refuse_line(name, at.line + 1, fmt::format("cannot be parsed from here on: {}", e.what()));
  }
}

}  // namespace sparsmith::matrix_market
