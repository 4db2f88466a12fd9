#include "convert/io/edge_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "convert/io/matrix_market_grammar.hpp"

namespace sparsmith::edge_lines {
namespace {

using matrix_market::is_digit;

bool is_id(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
}

// Goes past what separates two columns; false where nothing does.
bool skip_separator(const char*& at, const char* end) {
  const char* const before = at;
  while (at != end && is_blank(*at)) ++at;
  if (at != end && (*at == ',' || *at == ';')) {
    ++at;
    while (at != end && is_blank(*at)) ++at;
  }
  return at != before;
}

fault parse_weight(const char*& at, const char* end, double& weight) {
  if (at + 1 < end && *at == '+' && at[1] != '-' && at[1] != '+') ++at;
  const auto [stop, status] = std::from_chars(at, end, weight);
  if (status == std::errc::invalid_argument) return fault::not_a_weight;
  // Too small a number is 0 or the nearest there is; of too large ones there is none.
  if (status == std::errc::result_out_of_range) weight = std::strtod(std::string(at, stop).c_str(), nullptr);
  if (std::isinf(weight) && is_digit(stop[-1])) return fault::large_weight;
  at = stop;
  return fault::none;
}

}  // namespace

bool is_name(std::string_view content) {
  const char c = content[0];
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '"';
}

std::string_view without_blanks_before(std::string_view text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
  return text.substr(static_cast<std::size_t>(first - text.begin()));
}

bool is_comment(std::string_view content) {
  return content.starts_with('#') || content.starts_with('%') || content.starts_with("//");
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> found;
  for (line = without_blanks_before(line); !line.empty();) {
    const std::size_t end = std::min(line.find_first_of(" \t,;"), line.size());
    found.push_back(line.substr(0, end));
    line = without_blanks_before(line.substr(end));
    if (!line.empty() && (line[0] == ',' || line[0] == ';')) {
      line = without_blanks_before(line.substr(1));
      if (line.empty()) found.emplace_back();
    }
  }
  return found;
}

fault parse_id(const char*& at, const char* end, std::int64_t& id) {
  constexpr int most_digits = 18;
  std::int64_t number = 0;
  const char* const first = at;
  while (at != end && is_digit(*at)) {
    if (at - first == most_digits) return fault::large_id;
    number = number * 10 + (*at++ - '0');
  }
  id = number;
  return at == first ? fault::not_an_id : fault::none;
}

fault parse_edge(std::string_view line, bool weighted, edge& found) {
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end && is_blank(*at)) ++at;
  if (const fault wrong = parse_id(at, end, found.from); wrong != fault::none) return wrong;
  if (!skip_separator(at, end)) return at == end ? fault::few : fault::not_an_id;
  if (at == end) return fault::few;
  if (const fault wrong = parse_id(at, end, found.to); wrong != fault::none) return wrong;
  if (weighted) {
    if (!skip_separator(at, end)) return at == end ? fault::few : fault::not_an_id;
    if (at == end) return fault::few;
    if (const fault wrong = parse_weight(at, end, found.weight); wrong != fault::none) return wrong;
  }
  const char* const last = at;
  while (at != end && is_blank(*at)) ++at;
  if (at == end) return fault::none;
  return at != last || *at == ',' || *at == ';' ? fault::many
         : weighted                             ? fault::not_a_weight
                                                : fault::not_an_id;
}

std::string described(fault what, std::string_view line, bool weighted) {
  constexpr std::size_t most_shown = 40;
  const std::size_t expected = weighted ? 3 : 2;
  const auto columns = columns_of(line);
  const auto shown = [&](std::size_t i) {
    return i < columns.size() ? columns[i].substr(0, most_shown) : std::string_view();
  };
  const auto first_wrong_id = [&] { return shown(is_id(shown(0)) ? 1 : 0); };
  if (std::any_of(columns.begin(), columns.end(), [](std::string_view one) { return one.empty(); }))
    return "a column of the line is empty";
  switch (what) {
    case fault::few:
    case fault::many:
      return fmt::format("the line has {} columns instead of {}", columns.size(), expected);
    case fault::not_an_id:
      return fmt::format("\"{}\" is not an id: a whole number from 0 on", first_wrong_id());
    case fault::large_id:
      return fmt::format("id {} is far too large", shown(shown(0).size() > shown(1).size() ? 0 : 1));
    case fault::not_a_weight:
      return fmt::format("\"{}\" is not a weight", shown(2));
    case fault::large_weight:
      return fmt::format("weight {} does not fit a double", shown(2));
    case fault::none:
      break;
  }
  return {};
}

bool is_dimacs(std::string_view content, std::string_view letters) {
  return letters.find(content[0]) != std::string_view::npos && (content.size() == 1 || is_blank(content[1]));
}

bool is_sms(const std::vector<std::string_view>& columns) {
  return columns.size() == 3 && is_id(columns[0]) && is_id(columns[1]) && columns[2].size() == 1 &&
         is_name(columns[2]) && columns[2] != "_" && columns[2] != "\"";
}

}  // namespace sparsmith::edge_lines
