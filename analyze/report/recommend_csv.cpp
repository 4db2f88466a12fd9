#include "analyze/report/recommend_csv.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analyze/recommend/standing.hpp"
#include "analyze/report/columns.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith {
namespace {

struct csv_row {
  const recommendation& r;
  const verdict& v;
  const listed_contestant& one;

  const matrix_result& found() const { return r.found; }
  const variant_result& variant() const { return *one.variant; }
  bool made() const { return variant().refused.empty() && variant().bytes > 0; }
};

using csv_column = column<csv_row>;

// What only kernels have, or only those that were timed.
template <class Field>
auto of_kernel(Field field) {
  return [=](const csv_row& row) {
    return row.one.contestant == nullptr ? "" : field(row, *row.one.contestant);
  };
}
template <class Field>
auto of_timed(Field field) {
  return of_kernel([=](const csv_row& row, const contestant_result& k) {
    return k.timed() ? std::string(field(row, k)) : std::string();
  });
}

void add_times(std::vector<csv_column>& columns, const char* regime, timing regimes::*which) {
  const auto add = [&](const char* name, auto field) {
    columns.push_back(
        {fmt::format("{}_{}", regime, name), of_timed([=](const csv_row&, const contestant_result& k) {
           const timing& time = k.time.*which;
           return time.samples == 0 ? std::string() : field(time);
         })});
  };
  add("median_us", [](const timing& t) { return csv_number(t.median * 1e6); });
  add("p10_us", [](const timing& t) { return csv_number(t.p10 * 1e6); });
  add("p90_us", [](const timing& t) { return csv_number(t.p90 * 1e6); });
  add("samples", [](const timing& t) { return fmt::to_string(t.samples); });
}

double actual_rate(const csv_row& row, const contestant_result& k) {
  return per_second(row.found().actual_bytes(row.variant(), k), k.time.deciding(row.v.wanted.warm).median);
}

std::vector<csv_column> csv_columns() {
  std::vector<csv_column> columns = {
      {"matrix", [](const csv_row& row) { return csv_quoted(row.r.name); }},
      {"rows", [](const csv_row& row) { return fmt::to_string(row.found().rows); }},
      {"cols", [](const csv_row& row) { return fmt::to_string(row.found().cols); }},
      {"entries", [](const csv_row& row) { return fmt::to_string(row.found().entries); }},
      {"value_bits", [](const csv_row& row) { return fmt::to_string(row.found().value_bits); }},
      {"vectors", [](const csv_row& row) { return fmt::to_string(row.found().vectors.count); }},
      {"vectors_by", [](const csv_row& row) { return row.found().vectors.by_rows ? "rows" : "columns"; }},
      {"format", [](const csv_row& row) { return name_of(row.variant().format); }},
      {"parameters",
       [](const csv_row& row) {
         return csv_quoted(whole_note(row.variant().note, row.variant().of_transpose));
       }},
      {"kernel",
       of_kernel([](const csv_row&, const contestant_result& k) { return std::string(k.info.name); })},
      {"vendor",
       of_kernel([](const csv_row&, const contestant_result& k) { return yes_or_no(k.info.vendor); })},
      {"operation",
       of_kernel([](const csv_row&, const contestant_result& k) { return std::string(short_name(k.op)); })},
      {"result", [](const csv_row& row) { return std::string(name_of(row.one.how)); }},
      {"reason", [](const csv_row& row) { return csv_quoted(row.one.reason); }},
      {"convert_ms",
       [](const csv_row& row) {
         return row.made() && !row.found().predicted ? csv_number(row.variant().convert_seconds * 1e3) : "";
       }},
      {"prepare_ms", of_timed([](const csv_row&, const contestant_result& k) {
         return csv_number(k.prepare_seconds * 1e3);
       })},
      {"bytes", [](const csv_row& row) { return row.made() ? fmt::to_string(row.variant().bytes) : ""; }},
      {"times_csr",
       [](const csv_row& row) {
         return row.made() ? csv_number(times_csr(row.found(), row.variant().bytes)) : "";
       }},
  };
  add_times(columns, "warm", &regimes::warm);
  add_times(columns, "cold", &regimes::cold);
  const auto expected = [](double seconds) {
    return seconds > 0 ? csv_number(seconds * 1e6) : std::string();
  };
  columns.push_back({"predicted_warm_us", of_kernel([=](const csv_row&, const contestant_result& k) {
                       return expected(k.expected.warm);
                     })});
  columns.push_back({"predicted_cold_us", of_kernel([=](const csv_row&, const contestant_result& k) {
                       return expected(k.expected.cold);
                     })});
  columns.push_back({"gb_per_s", of_timed([](const csv_row& row, const contestant_result& k) {
                       return csv_number(actual_rate(row, k) / 1e9);
                     })});
  columns.push_back({"share_of_copy", of_timed([](const csv_row& row, const contestant_result& k) {
                       return row.r.rates.copy_bytes > 0
                                  ? csv_number(actual_rate(row, k) / row.r.rates.copy_bytes)
                                  : "";
                     })});
  columns.push_back({"error_of_bound", of_timed([](const csv_row&, const contestant_result& k) {
                       return csv_number(k.error);
                     })});
  columns.push_back({"repeatable", of_kernel([](const csv_row&, const contestant_result& k) {
                       return yes_or_no(k.info.repeatable(k.op));
                     })});
  columns.push_back({"winner", [](const csv_row& row) { return yes_or_no(runs(row.v.winner, row.one)); }});
  columns.push_back({"tie", [](const csv_row& row) { return yes_or_no(is_tied(row.v, row.one)); }});
  columns.push_back({"order", [](const csv_row& row) { return row.r.order; }});
  columns.push_back({"order_ms", [](const csv_row& row) {
                       return row.r.order.empty() ? "" : csv_number(row.r.order_seconds * 1e3);
                     }});
  return columns;
}

}  // namespace

std::string recommendation_csv_header() {
  return csv_line_of(headings_of(csv_columns())) + "\n";
}

std::string recommendation_csv_lines(const recommendation& r, const verdict& v) {
  const std::vector<csv_column> columns = csv_columns();
  std::string lines;
  for (const listed_contestant& one : contestants_of(r.found))
    lines += csv_line_of(cells_of(columns, {r, v, one})) + "\n";
  return lines;
}

}  // namespace sparsmith
