#include "analyze/report/json.hpp"

#include "analyze/report/describe.hpp"
#include "analyze/report/grid.hpp"
#include "analyze/report/highlights.hpp"
#include "analyze/report/json_values.hpp"
#include "analyze/report/text.hpp"
#include "analyze/report/value_figures.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;

json share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? json(nullptr) : json(share_of(part, whole));
}

json bins_as_json(const std::vector<length_bin>& bins) {
  json list = json::array();
  for (const length_bin& bin : bins)
    list.push_back({{"first", bin.first},
                    {"last", bin.last},
                    {"lines", bin.lines},
                    {"entries", bin.entries},
                    {"cumulative_entries", number_or_null(bin.cumulative_entries)}});
  return list;
}

json lengths_as_json(const length_features& f, int bins) {
  json distribution = json::array();
  for (const size_count& length : f.distribution)
    distribution.push_back(json::array({length.size, length.count}));
  return {{"lines", f.lines},
          {"empty", f.empty},
          {"min", f.lengths.least},
          {"q1", f.lengths.lower_quartile},
          {"median", f.lengths.median},
          {"q3", f.lengths.upper_quartile},
          {"max", f.lengths.most},
          {"mean", number_or_null(f.mean)},
          {"deviation", number_or_null(f.deviation)},
          {"variation", number_or_null(f.variation)},
          {"gini", number_or_null(f.gini)},
          {"distribution", std::move(distribution)},
          {"linear_bins", bins_as_json(linear_bins(f, bins))},
          {"log2_bins", bins_as_json(log2_bins(f))}};
}

json block_as_json(const block_features& block) {
  return {{"rows", block.size.rows},
          {"cols", block.size.cols},
          {"blocks", block.blocks},
          {"fill", number_or_null(block.fill)},
          {"density", block.density}};
}

// The first row or column of every cell: of the finer cells that were merged (see merged_to_fit) the first.
json first_lines(std::int64_t cells, std::int64_t fine, std::int64_t lines) {
  json all = json::array();
  for (std::int64_t cell = 0; cell < cells; ++cell)
    all.push_back(groups_of(cell * fine / cells * lines, fine));
  return all;
}

json values_as_json(const matrix_features& f) {
  json j = {{"explicit_zeros", f.explicit_zeros}, {"nans", f.nans}, {"infinities", f.infinities}};
  for (const value_figure& figure : value_figures) j[figure.name] = figure.json_of(f);
  return j;
}

}  // namespace

nlohmann::ordered_json to_json(const matrix_features& f, int bins) {
  json j = {{"schema", "sparsmith.features/1"},
            {"name", f.name},
            {"field", f.field},
            {"rows", f.rows},
            {"cols", f.cols},
            {"entries", f.entries},
            {"density", number_or_null(f.density())}};
  j["values"] = of_values(f, values_as_json(f));
  j["symmetry"] = {
      {"square", f.rows == f.cols},
      {"off_diagonal_entries", f.symmetry.off_diagonal},
      {"pattern", f.symmetry.pattern},
      {"values", of_values(f, f.symmetry.values)},
      {"negated", of_values(f, f.symmetry.negated)},
      {"conjugate", of_complex(f, f.symmetry.conjugate)},
      {"pattern_share", number_or_null(mirrored_share(f, f.symmetry.pattern))},
      {"values_share", of_values(f, number_or_null(mirrored_share(f, f.symmetry.values)))},
      {"negated_share", of_values(f, number_or_null(mirrored_share(f, f.symmetry.negated)))},
      {"conjugate_share", of_complex(f, number_or_null(mirrored_share(f, f.symmetry.conjugate)))}};
  j["row_lengths"] = lengths_as_json(f.row_lengths, bins);
  j["col_lengths"] = lengths_as_json(f.col_lengths, bins);
  j["longest_rows"] = json::array();
  for (const long_line& line : f.longest_rows)
    j["longest_rows"].push_back({{"row", line.line}, {"length", line.length}});
  j["fullest_diagonals"] = json::array();
  for (const diagonal_count& d : f.fullest_diagonals)
    j["fullest_diagonals"].push_back(
        {{"offset", d.offset}, {"entries", d.entries}, {"fill", share(d.entries, f.rows)}});
  j["structure"] = {{"lower_bandwidth", f.lower_bandwidth},
                    {"upper_bandwidth", f.upper_bandwidth},
                    {"profile", f.profile},
                    {"diagonal_entries", f.diagonal_entries},
                    {"diagonal_missing", count_or_null(f.diagonal_missing())},
                    {"diagonals", f.diagonals},
                    {"full_diagonals", f.full_diagonals},
                    {"on_full_diagonals", f.on_full_diagonals},
                    {"next_column", f.next_column},
                    {"row_below", f.row_below},
                    {"x_lines", f.x_lines},
                    {"structural_rank", count_or_null(f.structural_rank)},
                    {"rcm_bandwidth", count_or_null(f.rcm_bandwidth)},
                    {"next_column_share", share(f.next_column, f.entries)},
                    {"row_below_share", share(f.row_below, f.entries)},
                    {"on_full_diagonals_share", share(f.on_full_diagonals, f.entries)}};
  j["blocks"] = json::array();
  for (const block_features& block : f.blocks) j["blocks"].push_back(block_as_json(block));
  j["best_block"] = f.best_block ? block_as_json(*f.best_block) : json(nullptr);
  j["formats"] = json::array();
  for (const format_cost& cost : f.formats)
    j["formats"].push_back({{"format", name_of(cost.format)},
                            {"parameters", describe_in_one_line(cost, digits::plain)},
                            {"beta", cost.beta() == 0 ? json(nullptr) : json(cost.beta())},
                            {"bytes", cost.bytes},
                            {"slots", cost.slots},
                            {"fill", number_or_null(cost.fill)},
                            {"allowed", cost.allowed},
                            {"exact", cost.exact}});
  const density_grid grid = merged_to_fit(f.grid, json_grid_side, json_grid_side);
  j["grid"] = {{"rows", grid.rows},
               {"cols", grid.cols},
               {"first_rows", first_lines(grid.rows, f.grid.rows, f.rows)},
               {"first_cols", first_lines(grid.cols, f.grid.cols, f.cols)},
               {"counts", grid.counts}};
  return j;
}

}  // namespace sparsmith
