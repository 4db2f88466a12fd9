#include "tools/batch/batch_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/recommend/standing.hpp"
#include "analyze/report/columns.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith {
namespace {

std::string whole(double value) {
  return std::isfinite(value) ? fmt::format("{:.0f}", value) : "";
}

// Nothing where there is none.
std::string quoted(const std::string& text) {
  return text.empty() ? "" : csv_quoted(text);
}

template <class Row>
void add_line(std::string& lines, const std::vector<column<Row>>& columns, const Row& row) {
  lines += csv_line_of(cells_of(columns, row)) + "\n";
}

// ---- a line a matrix ----

using result_columns = std::vector<column<batch_row>>;

void add_way(result_columns& columns, const std::string& name, batch_way batch_row::*way) {
  columns.push_back({name, [=](const batch_row& row) { return quoted((row.*way).label); }});
  columns.push_back({name + "_kernels", [=](const batch_row& row) { return quoted((row.*way).kernels); }});
  columns.push_back({name + "_us", [=](const batch_row& row) { return csv_number((row.*way).us); }});
}

void add_feature(result_columns& columns, const char* name, double batch_features::*feature) {
  columns.push_back({name, [=](const batch_row& row) { return csv_number(row.features.*feature); }});
}

// What a verdict without a winner does not have.
template <class Figure>
auto of_winner(Figure figure) {
  return [=](const batch_row& row) { return row.winner.format.empty() ? std::string() : figure(row); };
}

result_columns columns_of_results(bool grouped) {
  result_columns columns = {
      {"matrix", [](const batch_row& row) { return quoted(row.name); }},
      {"key", [](const batch_row& row) { return quoted(row.key); }},
      {"source", [](const batch_row& row) { return quoted(row.source); }},
      {"result", [](const batch_row& row) { return quoted(row.result); }},
      {"cause", [](const batch_row& row) { return quoted(row.cause); }},
      {"stage", [](const batch_row& row) { return quoted(row.stage); }},
      {"signal", [](const batch_row& row) { return quoted(row.signal); }},
      {"message", [](const batch_row& row) { return quoted(row.ok() ? row.not_raced : row.message); }},
      {"rows", [](const batch_row& row) { return whole(row.rows); }},
      {"cols", [](const batch_row& row) { return whole(row.cols); }},
      {"entries", [](const batch_row& row) { return whole(row.entries); }},
      {"field", [](const batch_row& row) { return quoted(row.field); }},
      {"value_bits", [](const batch_row& row) { return whole(row.value_bits); }},
  };
  add_feature(columns, "density", &batch_features::density);
  add_feature(columns, "row_mean", &batch_features::row_mean);
  add_feature(columns, "row_max", &batch_features::row_longest);
  add_feature(columns, "row_variation", &batch_features::row_variation);
  add_feature(columns, "row_gini", &batch_features::row_gini);
  add_feature(columns, "empty_rows", &batch_features::empty_rows);
  add_feature(columns, "pattern_symmetry", &batch_features::symmetric_pattern);
  add_feature(columns, "value_symmetry", &batch_features::symmetric_values);
  add_feature(columns, "lower_bandwidth", &batch_features::lower_bandwidth);
  add_feature(columns, "upper_bandwidth", &batch_features::upper_bandwidth);
  add_feature(columns, "diagonals", &batch_features::diagonals);
  add_feature(columns, "next_column_share", &batch_features::next_column_share);
  add_feature(columns, "row_below_share", &batch_features::row_below_share);
  columns.push_back({"verdict", of_winner([](const batch_row& row) {
                       return std::string(row.predicted                        ? "predicted"
                                          : row.interrupted || row.out_of_time ? "so far"
                                          : !row.noisy.empty()                 ? "unsettled"
                                                                               : "final");
                     })});
  columns.push_back(
      {"noisy", [](const batch_row& row) { return quoted(fmt::format("{}", fmt::join(row.noisy, "; "))); }});
  columns.push_back({"winner_format", [](const batch_row& row) { return quoted(row.winner.format); }});
  columns.push_back(
      {"winner_vendor", of_winner([](const batch_row& row) { return yes_or_no(row.winner.vendor); })});
  add_way(columns, "winner", &batch_row::winner);
  columns.push_back({"winner_bytes", [](const batch_row& row) { return whole(row.winner.bytes); }});
  columns.push_back(
      {"winner_times_csr", [](const batch_row& row) { return csv_number(row.winner.times_csr); }});
  columns.push_back({"margin", [](const batch_row& row) { return csv_number(row.margin); }});
  add_way(columns, "stay", &batch_row::stay);
  add_way(columns, "vendor", &batch_row::vendor);
  add_way(columns, "vendor_csr", &batch_row::vendor_csr);
  add_way(columns, "vendor_two_copies", &batch_row::vendor_two_copies);
  columns.push_back(
      {"speedup_over_csr", [](const batch_row& row) { return csv_number(speedup_over_csr(row)); }});
  columns.push_back(
      {"speedup_over_vendor", [](const batch_row& row) { return csv_number(speedup_over_vendor(row)); }});
  columns.push_back({"speedup_over_vendor_csr",
                     [](const batch_row& row) { return csv_number(speedup_over_vendor_csr(row)); }});
  columns.push_back({"speedup_over_vendor_two_copies",
                     [](const batch_row& row) { return csv_number(speedup_over_vendor_two_copies(row)); }});
  columns.push_back({"price_ms", [](const batch_row& row) { return csv_number(row.price_ms); }});
  columns.push_back({"repaid_after", of_winner([](const batch_row& row) {
                       return std::isfinite(row.repaid_after) ? csv_number(row.repaid_after)
                              : row.stay.format.empty()       ? std::string()
                                                              : std::string("never");
                     })});
  columns.push_back({"best_us", [](const batch_row& row) { return csv_number(row.best_us); }});
  columns.push_back(
      {"predicted_choice", [](const batch_row& row) { return row.choice ? quoted(row.choice->label) : ""; }});
  columns.push_back({"predicted_kernels",
                     [](const batch_row& row) { return row.choice ? quoted(row.choice->kernels) : ""; }});
  columns.push_back({"predicted_over_best",
                     [](const batch_row& row) { return row.choice ? csv_number(row.choice->ratio) : ""; }});
  columns.push_back({"reason", [](const batch_row& row) { return quoted(row.reason); }});
  columns.push_back({"machine", [](const batch_row& row) { return quoted(row.machine); }});
  columns.push_back({"options", [](const batch_row& row) { return quoted(row.options); }});
  columns.push_back({"version", [](const batch_row& row) { return quoted(row.version); }});
  columns.push_back({"node", [](const batch_row& row) { return quoted(row.node); }});
  columns.push_back({"started", [](const batch_row& row) { return quoted(row.started); }});
  columns.push_back({"seconds", [](const batch_row& row) { return csv_number(row.seconds); }});
  columns.push_back({"waited_s", [](const batch_row& row) { return csv_number(row.waited_s); }});
  columns.push_back({"memory_peak", [](const batch_row& row) { return whole(row.memory_peak); }});
  if (grouped) {
    columns.push_back({"group", [](const batch_row& row) { return quoted(row.group); }});
    columns.push_back({"kind", [](const batch_row& row) { return quoted(row.kind); }});
  }
  return columns;
}

// ---- a line a contestant ----

// Without a contestant: a format that was not made.
struct contestant_row {
  const batch_row& matrix;
  const batch_variant& variant;
  const batch_contestant* one = nullptr;
};

template <class Field>
auto of_kernel(Field field) {
  return [=](const contestant_row& row) {
    return row.one == nullptr ? std::string() : std::string(field(*row.one));
  };
}

void add_times(std::vector<column<contestant_row>>& columns, const std::string& regime,
               batch_timing batch_contestant::*which) {
  const auto add = [&](const char* name, double batch_timing::*figure) {
    columns.push_back({regime + name,
                       of_kernel([=](const batch_contestant& k) { return csv_number((k.*which).*figure); })});
  };
  add("_median_us", &batch_timing::median_us);
  add("_p10_us", &batch_timing::p10_us);
  add("_p90_us", &batch_timing::p90_us);
  columns.push_back({regime + "_samples", of_kernel([=](const batch_contestant& k) {
                       return (k.*which).samples == 0 ? "" : fmt::to_string((k.*which).samples);
                     })});
}

// As sprecommend --csv has them, behind the key.
std::vector<column<contestant_row>> columns_of_contestants() {
  std::vector<column<contestant_row>> columns = {
      {"key", [](const contestant_row& row) { return quoted(row.matrix.key); }},
      {"matrix", [](const contestant_row& row) { return quoted(row.matrix.name); }},
      {"rows", [](const contestant_row& row) { return whole(row.matrix.rows); }},
      {"cols", [](const contestant_row& row) { return whole(row.matrix.cols); }},
      {"entries", [](const contestant_row& row) { return whole(row.matrix.entries); }},
      {"value_bits", [](const contestant_row& row) { return whole(row.matrix.value_bits); }},
      {"format", [](const contestant_row& row) { return quoted(row.variant.format); }},
      {"parameters",
       [](const contestant_row& row) {
         const batch_variant& c = row.variant;
         const char* const gap = c.of_transpose && !c.note.empty() ? " " : "";
         return quoted(c.note + gap + (c.of_transpose ? "of A^T" : ""));
       }},
      {"kernel", of_kernel([](const batch_contestant& k) { return quoted(k.kernel); })},
      {"vendor", of_kernel([](const batch_contestant& k) { return yes_or_no(k.vendor); })},
      {"operation", of_kernel([](const batch_contestant& k) { return quoted(k.operation); })},
      {"result",
       [](const contestant_row& row) {
         if (row.one != nullptr) return quoted(row.one->result);
         return std::string(name_of(row.variant.not_tried ? standing::not_tried : standing::refused));
       }},
      {"reason",
       [](const contestant_row& row) {
         return quoted(row.one == nullptr ? row.variant.refused : row.one->reason);
       }},
      {"convert_ms", [](const contestant_row& row) { return csv_number(row.variant.convert_ms); }},
      {"prepare_ms", of_kernel([](const batch_contestant& k) { return csv_number(k.prepare_ms); })},
      {"bytes", [](const contestant_row& row) { return whole(row.variant.bytes); }},
      {"times_csr", [](const contestant_row& row) { return csv_number(row.variant.times_csr); }},
  };
  add_times(columns, "warm", &batch_contestant::warm);
  add_times(columns, "cold", &batch_contestant::cold);
  const auto add = [&](const char* name, auto field) { columns.push_back({name, of_kernel(field)}); };
  add("predicted_warm_us", [](const batch_contestant& k) { return csv_number(k.predicted_warm_us); });
  add("predicted_cold_us", [](const batch_contestant& k) { return csv_number(k.predicted_cold_us); });
  add("gb_per_s", [](const batch_contestant& k) { return csv_number(k.gb_per_s); });
  add("share_of_copy", [](const batch_contestant& k) { return csv_number(k.share_of_copy); });
  add("error_of_bound", [](const batch_contestant& k) { return csv_number(k.error_of_bound); });
  add("repeatable", [](const batch_contestant& k) { return yes_or_no(k.repeatable); });
  add("winner", [](const batch_contestant& k) { return yes_or_no(k.winner); });
  add("tie", [](const batch_contestant& k) { return yes_or_no(k.tie); });
  return columns;
}

}  // namespace

std::string results_csv(const batch_summary& summary) {
  const result_columns columns = columns_of_results(!summary.groups.empty());
  std::string lines = csv_line_of(headings_of(columns)) + "\n";
  for (const batch_row& row : summary.rows) add_line(lines, columns, row);
  return lines;
}

std::string contestants_csv(const batch_summary& summary) {
  const auto columns = columns_of_contestants();
  std::string lines = csv_line_of(headings_of(columns)) + "\n";
  for (const batch_row& row : summary.rows) {
    if (!row.recommended) continue;
    for (const batch_contestant& one : row.contestants)
      if (one.variant < row.variants.size())
        add_line(lines, columns, contestant_row{row, row.variants[one.variant], &one});
    for (const batch_variant& c : row.variants)
      if (!c.refused.empty()) add_line(lines, columns, contestant_row{row, c, nullptr});
  }
  return lines;
}

}  // namespace sparsmith
