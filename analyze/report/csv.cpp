#include "analyze/report/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/report/columns.hpp"
#include "analyze/report/highlights.hpp"
#include "analyze/report/json_values.hpp"
#include "analyze/report/text.hpp"
#include "analyze/report/value_figures.hpp"
#include "convert/formats/properties.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;
using csv_column = column<matrix_features>;

// Numbers are written as JSON writes them.
std::string csv_field(const json& value) {
  return value.is_null() ? "" : value.dump();
}

void add_length_columns(std::vector<csv_column>& columns, const std::string& kind,
                        length_features matrix_features::*lengths) {
  const auto add = [&](const char* name, auto field) {
    columns.push_back(
        {kind + "_" + name, [=](const matrix_features& f) { return csv_field(field(f.*lengths)); }});
  };
  add("empty", [](const length_features& f) { return json(f.empty); });
  add("length_min", [](const length_features& f) { return json(f.lengths.least); });
  add("length_q1", [](const length_features& f) { return json(f.lengths.lower_quartile); });
  add("length_median", [](const length_features& f) { return json(f.lengths.median); });
  add("length_q3", [](const length_features& f) { return json(f.lengths.upper_quartile); });
  add("length_max", [](const length_features& f) { return json(f.lengths.most); });
  add("length_mean", [](const length_features& f) { return number_or_null(f.mean); });
  add("length_deviation", [](const length_features& f) { return number_or_null(f.deviation); });
  add("length_variation", [](const length_features& f) { return number_or_null(f.variation); });
  add("length_gini", [](const length_features& f) { return number_or_null(f.gini); });
}

std::vector<csv_column> csv_columns(const std::vector<block_size>& blocks) {
  std::vector<csv_column> columns;
  const auto add = [&](std::string name, auto field) {
    columns.push_back({std::move(name), [=](const matrix_features& f) { return csv_field(json(field(f))); }});
  };
  // Not through JSON, which would refuse a name that is not UTF-8.
  columns.push_back({"name", [](const matrix_features& f) { return csv_quoted(f.name); }});
  columns.push_back({"field", [](const matrix_features& f) { return csv_quoted(f.field); }});
  add("rows", [](const matrix_features& f) { return f.rows; });
  add("cols", [](const matrix_features& f) { return f.cols; });
  add("entries", [](const matrix_features& f) { return f.entries; });
  add("density", [](const matrix_features& f) { return f.density(); });
  add("explicit_zeros", [](const matrix_features& f) { return of_values(f, f.explicit_zeros); });
  add("nans", [](const matrix_features& f) { return of_values(f, f.nans); });
  add("infinities", [](const matrix_features& f) { return of_values(f, f.infinities); });
  for (const value_figure& figure : value_figures)
    add(figure.name, [&figure](const matrix_features& f) { return of_values(f, figure.json_of(f)); });
  add("off_diagonal_entries", [](const matrix_features& f) { return f.symmetry.off_diagonal; });
  add("symmetric_pattern_share",
      [](const matrix_features& f) { return number_or_null(mirrored_share(f, f.symmetry.pattern)); });
  add("symmetric_values_share", [](const matrix_features& f) {
    return of_values(f, number_or_null(mirrored_share(f, f.symmetry.values)));
  });
  add("symmetric_negated_share", [](const matrix_features& f) {
    return of_values(f, number_or_null(mirrored_share(f, f.symmetry.negated)));
  });
  add_length_columns(columns, "row", &matrix_features::row_lengths);
  add_length_columns(columns, "col", &matrix_features::col_lengths);
  add("lower_bandwidth", [](const matrix_features& f) { return f.lower_bandwidth; });
  add("upper_bandwidth", [](const matrix_features& f) { return f.upper_bandwidth; });
  add("profile", [](const matrix_features& f) { return f.profile; });
  add("diagonal_entries", [](const matrix_features& f) { return f.diagonal_entries; });
  add("diagonal_missing", [](const matrix_features& f) { return count_or_null(f.diagonal_missing()); });
  add("diagonals", [](const matrix_features& f) { return f.diagonals; });
  add("full_diagonals", [](const matrix_features& f) { return f.full_diagonals; });
  add("on_full_diagonals", [](const matrix_features& f) { return f.on_full_diagonals; });
  add("next_column", [](const matrix_features& f) { return f.next_column; });
  add("row_below", [](const matrix_features& f) { return f.row_below; });
  add("x_lines", [](const matrix_features& f) { return f.x_lines; });
  add("structural_rank", [](const matrix_features& f) { return count_or_null(f.structural_rank); });
  add("rcm_bandwidth", [](const matrix_features& f) { return count_or_null(f.rcm_bandwidth); });
  for (const block_size& size : blocks) {
    const auto add_of_block = [&](const char* name, auto field) {
      add(fmt::format("{}_{}x{}", name, size.rows, size.cols), [=](const matrix_features& f) {
        const auto found = std::find_if(f.blocks.begin(), f.blocks.end(),
                                        [&](const block_features& b) { return b.size == size; });
        return found == f.blocks.end() ? json(nullptr) : field(*found);
      });
    };
    add_of_block("blocks", [](const block_features& b) { return json(b.blocks); });
    add_of_block("fill", [](const block_features& b) { return number_or_null(b.fill); });
  }
  // Bytes and fill of a format, which find(features) looks up.
  const auto add_format = [&](const std::string& name, bool padded, auto find) {
    add("bytes_" + name, [=](const matrix_features& f) {
      const format_cost* const cost = find(f);
      return cost == nullptr ? json(nullptr) : json(cost->bytes);
    });
    if (padded)
      add("fill_" + name, [=](const matrix_features& f) {
        const format_cost* const cost = find(f);
        return cost == nullptr ? json(nullptr) : number_or_null(cost->fill);
      });
  };
  const auto add_blocks = [&] {
    for (const block_size& size : blocks) {
      if (size.rows > 64 || size.cols > 64) continue;                    // no such BSR
      add_format(fmt::format("bsr_{}x{}", size.rows, size.cols), false,  // its fill is that of the blocks
                 [=](const matrix_features& f) { return bsr_of(f, size); });
    }
  };
  const auto add_betas = [&] {
    for (const std::int32_t beta : feature_request{}.plan.betas)
      for (const format_kind format : all_formats())
        if (has_beta(format))
          add_format(fmt::format("{}_{}", name_of(format), beta), properties_of(format).padded,
                     [=](const matrix_features& f) { return blocked_of(f, format, beta); });
  };
  for (const format_kind format : all_formats())
    if (format == format_kind::bsr)
      add_blocks();
    else if (format == format_kind::csb)
      add_betas();
    else if (!has_beta(format))
      add_format(name_of(format), properties_of(format).padded,
                 [=](const matrix_features& f) { return fewest_bytes(f, format); });
  return columns;
}

}  // namespace

std::string csv_header(const std::vector<block_size>& blocks) {
  return csv_line_of(headings_of(csv_columns(blocks)));
}

std::string csv_line(const matrix_features& features, const std::vector<block_size>& blocks) {
  return csv_line_of(cells_of(csv_columns(blocks), features));
}

}  // namespace sparsmith
