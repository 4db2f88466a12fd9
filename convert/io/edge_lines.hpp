// A line of a list of edges: its columns, the edge in it or what is wrong, and how other kinds of lines are
// told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsmith::edge_lines {

// Line ends are off by here.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
std::string_view without_blanks_before(std::string_view text);
// Of a column, and no number.
bool is_name(std::string_view content);
bool is_comment(std::string_view content);

// The columns of a line, which end where a comma, a semicolon or blanks do.
std::vector<std::string_view> columns_of(std::string_view line);

enum class fault { none, few, many, not_an_id, large_id, not_a_weight, large_weight };
struct edge {
  std::int64_t from = 0, to = 0;
  double weight = 1;
};
fault parse_id(const char*& at, const char* end, std::int64_t& id);
fault parse_edge(std::string_view line, bool weighted, edge& found);
std::string described(fault what, std::string_view line, bool weighted);

// A line of a DIMACS file that is no edge: a comment, or what the problem is.
bool is_dimacs(std::string_view content, std::string_view letters);

// "66 792 M": the first line of an SMS file, rows, columns and what the numbers are.
bool is_sms(const std::vector<std::string_view>& columns);

}  // namespace sparsmith::edge_lines
