// The columns of a table in one list, from which both its head and its lines come: they cannot differ.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace sparsmith {

template <class Row>
struct column {
  std::string heading;
  std::function<std::string(const Row&)> cell;
};

template <class Row>
std::vector<std::string> headings_of(const std::vector<column<Row>>& columns) {
  std::vector<std::string> line;
  for (const column<Row>& one : columns) line.push_back(one.heading);
  return line;
}

template <class Row>
std::vector<std::string> cells_of(const std::vector<column<Row>>& columns, const Row& row) {
  std::vector<std::string> line;
  for (const column<Row>& one : columns) line.push_back(one.cell(row));
  return line;
}

// What CSV files say: figures to six digits, nothing where there is none.
inline std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}
inline std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}
// A line of a CSV file, without its end; what may hold commas is quoted already.
inline std::string csv_line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + fields[i];
  return line;
}

}  // namespace sparsmith
