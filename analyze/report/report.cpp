#include "analyze/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "analyze/report/plots.hpp"
#include "analyze/report/with_commas.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

double ratio(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

json share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? json(nullptr) : json(ratio(part, whole));
}

// What only values tell.
json of_values(const matrix_features& f, json value) {
  return f.has_values ? std::move(value) : json(nullptr);
}

json bins_as_json(const std::vector<length_bin>& bins) {
  json list = json::array();
  for (const length_bin& bin : bins)
    list.push_back({{"first", bin.first},
                    {"last", bin.last},
                    {"lines", bin.lines},
                    {"entries", bin.entries},
                    {"cumulative_entries", number(bin.cumulative_entries)}});
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
          {"mean", number(f.mean)},
          {"deviation", number(f.deviation)},
          {"variation", number(f.variation)},
          {"gini", number(f.gini)},
          {"distribution", std::move(distribution)},
          {"linear_bins", bins_as_json(linear_bins(f, bins))},
          {"log2_bins", bins_as_json(log2_bins(f))}};
}

// Header and lines come from the same list, so that they cannot differ.
struct csv_column {
  std::string name;
  std::function<std::string(const matrix_features&)> field;
};

std::string csv_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

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
  add("length_mean", [](const length_features& f) { return number(f.mean); });
  add("length_deviation", [](const length_features& f) { return number(f.deviation); });
  add("length_variation", [](const length_features& f) { return number(f.variation); });
  add("length_gini", [](const length_features& f) { return number(f.gini); });
}

std::vector<csv_column> csv_columns(const block_sizes& blocks) {
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
  add("off_diagonal_entries", [](const matrix_features& f) { return f.symmetry.off_diagonal; });
  add("symmetric_pattern_share",
      [](const matrix_features& f) { return mirrored_share(f, f.symmetry.pattern); });
  add("symmetric_values_share",
      [](const matrix_features& f) { return of_values(f, mirrored_share(f, f.symmetry.values)); });
  add("symmetric_negated_share",
      [](const matrix_features& f) { return of_values(f, mirrored_share(f, f.symmetry.negated)); });
  add_length_columns(columns, "row", &matrix_features::row_lengths);
  add_length_columns(columns, "col", &matrix_features::col_lengths);
  add("lower_bandwidth", [](const matrix_features& f) { return f.lower_bandwidth; });
  add("upper_bandwidth", [](const matrix_features& f) { return f.upper_bandwidth; });
  add("profile", [](const matrix_features& f) { return f.profile; });
  add("diagonal_entries", [](const matrix_features& f) { return f.diagonal_entries; });
  add("diagonals", [](const matrix_features& f) { return f.diagonals; });
  add("next_column", [](const matrix_features& f) { return f.next_column; });
  add("row_below", [](const matrix_features& f) { return f.row_below; });
  add("x_lines", [](const matrix_features& f) { return f.x_lines; });
  for (const block_size& size : blocks) {
    const auto add_of_block = [&](const char* name, auto field) {
      add(fmt::format("{}_{}x{}", name, size.rows, size.cols), [=](const matrix_features& f) {
        const auto found = std::find_if(f.blocks.begin(), f.blocks.end(),
                                        [&](const block_features& b) { return b.size == size; });
        return found == f.blocks.end() ? json(nullptr) : field(*found);
      });
    };
    add_of_block("blocks", [](const block_features& b) { return json(b.blocks); });
    add_of_block("fill", [](const block_features& b) { return number(b.fill); });
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
        return cost == nullptr ? json(nullptr) : number(cost->fill);
      });
  };
  for (const char* const format : {"coo", "csr", "csc", "ell", "sell", "hyb"})
    add_format(format, std::string_view("ell sell hyb").find(format) != std::string_view::npos,
               [=](const matrix_features& f) { return fewest_bytes(f, format); });
  for (const block_size& size : blocks) {
    if (size.rows > 64 || size.cols > 64) continue;                    // no such BSR
    add_format(fmt::format("bsr_{}x{}", size.rows, size.cols), false,  // its fill is that of the blocks
               [=](const matrix_features& f) { return bsr_of(f, size); });
  }
  for (const std::int32_t beta : feature_request{}.plan.betas)
    for (const char* const format : {"csb", "ecsb", "gcsb"})
      add_format(fmt::format("{}_{}", format, beta), std::string_view(format) != "csb",
                 [=](const matrix_features& f) { return blocked_of(f, format, beta); });
  add_format("gcsb_tile", true, [](const matrix_features& f) { return fewest_bytes(f, "gcsb_tile"); });
  return columns;
}

// Below: the page. Functions return HTML; `escaped` is what makes text of others into it.

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  return result;
}

// JSON has `<` inside strings only, where an escape means the same; so nothing in it ends a script or opens
// a comment. Other characters than ASCII are escaped as well.
std::string inside_script(const json& data) {
  const std::string text = data.dump(-1, ' ', true, json::error_handler_t::replace);
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

std::string percent(double part) {
  if (part > 0 && part < 1e-4) return fmt::format("{:.2e} %", 100 * part);
  if (part > 0.9995 && part < 1) return "> 99.9 %";  // nearly all is not all
  return fmt::format("{:.{}f} %", 100 * part, part > 0 && part < 0.01 ? 3 : 1);
}

std::string percent(const json& part) {
  return part.is_null() ? "–" : percent(part.get<double>());
}

std::string with_share(std::int64_t part, std::int64_t whole) {
  if (part == 0 || whole == 0) return with_commas(part);
  return fmt::format("{} <small>({})</small>", with_commas(part), percent(ratio(part, whole)));
}

std::string size_of(std::int64_t bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

std::string range_of(const length_bin& bin) {
  return bin.first == bin.last ? with_commas(bin.first)
                               : with_commas(bin.first) + "–" + with_commas(bin.last);
}

std::string name_of(const block_features& block) {
  return fmt::format("{} × {}", block.size.rows, block.size.cols);
}

using cells = std::vector<std::string>;

// The first cell of a row names it. A table wider than the page scrolls inside itself, with keys too.
std::string table(const std::string& caption, const cells& header, const std::vector<cells>& rows) {
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"{0}\" tabindex=\"0\"><table><caption>{0}</caption>",
      caption);
  if (!header.empty()) {
    html += "<thead><tr>";
    for (const std::string& cell : header) html += "<th scope=\"col\">" + cell + "</th>";
    html += "</tr></thead>";
  }
  html += "<tbody>\n";
  for (const cells& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      html += i == 0 ? "<th scope=\"row\">" + row[i] + "</th>" : "<td>" + row[i] + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string canvas(std::size_t matrix, const char* kind, const std::string& label, std::size_t height = 18) {
  return fmt::format(
      "<div class=\"plot\" style=\"height:{}rem\"><canvas data-matrix=\"{}\" data-chart=\"{}\" role=\"img\" "
      "aria-label=\"{}; the numbers are in the table below\"></canvas></div>\n",
      height, matrix, kind, label);
}

enum class numbers_are { folded, open };

std::string figure(const std::string& title, const std::string& text, const std::string& plots,
                   const std::string& numbers, numbers_are shown = numbers_are::folded) {
  return fmt::format(
      "<figure class=\"card\"><figcaption><h4>{}</h4><p>{}</p></figcaption>\n{}"
      "<details{}><summary>The numbers</summary>{}</details></figure>\n",
      title, text, plots, shown == numbers_are::open ? " open" : "", numbers);
}

std::string shape_table(const matrix_features& f) {
  std::vector<cells> rows = {{"rows", with_commas(f.rows)},
                             {"columns", with_commas(f.cols)},
                             {"entries", with_commas(f.entries)},
                             {"density", percent(f.density())},
                             {"field", escaped(f.field)}};
  if (f.has_values)
    rows.insert(rows.end(), {{"explicit zeros", with_share(f.explicit_zeros, f.entries)},
                             {"NaN", with_commas(f.nans)},
                             {"infinite", with_commas(f.infinities)}});
  else
    rows.push_back({"values", "not looked at"});
  return table("Shape and values", {}, rows);
}

std::string symmetry_table(const matrix_features& f) {
  if (f.rows != f.cols) return table("Symmetry", {}, {{"square", "no"}});
  const symmetry_features& s = f.symmetry;
  return table("Symmetry", {},
               {{"entries off the diagonal", with_commas(s.off_diagonal)},
                {"with a mirror image", with_share(s.pattern, s.off_diagonal)},
                {"of the same value", f.has_values ? with_share(s.values, s.off_diagonal) : "–"},
                {"of the negated value", f.has_values ? with_share(s.negated, s.off_diagonal) : "–"}});
}

std::string length_table(const matrix_features& f) {
  const length_features &r = f.row_lengths, &c = f.col_lengths;
  const auto count = [](const char* name, std::int64_t row, std::int64_t col) {
    return cells{name, with_commas(row), with_commas(col)};
  };
  const auto real = [](const char* name, double row, double col) {
    return cells{name, fmt::format("{:.4g}", row), fmt::format("{:.4g}", col)};
  };
  return table("Entries per row and column", {"", "rows", "columns"},
               {count("lines", r.lines, c.lines), count("empty", r.empty, c.empty),
                count("shortest", r.lengths.least, c.lengths.least),
                count("lower quartile", r.lengths.lower_quartile, c.lengths.lower_quartile),
                count("median", r.lengths.median, c.lengths.median),
                count("upper quartile", r.lengths.upper_quartile, c.lengths.upper_quartile),
                count("longest", r.lengths.most, c.lengths.most), real("mean", r.mean, c.mean),
                real("standard deviation", r.deviation, c.deviation),
                real("coefficient of variation", r.variation, c.variation), real("Gini", r.gini, c.gini)});
}

std::string structure_table(const matrix_features& f) {
  const std::int64_t all_diagonals = f.rows == 0 || f.cols == 0 ? 0 : f.rows + f.cols - 1;
  return table(
      "Structure", {},
      {{"bandwidth below the diagonal", with_commas(f.lower_bandwidth)},
       {"bandwidth above", with_commas(f.upper_bandwidth)},
       {"profile", with_commas(f.profile)},
       {"entries on the diagonal", with_share(f.diagonal_entries, std::min(f.rows, f.cols))},
       {"diagonals with entries", with_share(f.diagonals, all_diagonals)},
       {"right neighbour stored", with_share(f.next_column, f.entries)},
       {"lower neighbour stored", with_share(f.row_below, f.entries)},
       {"128-byte lines of x, row by row", with_commas(f.x_lines)},
       {"entries per such line", f.x_lines == 0 ? "–" : fmt::format("{:.3f}", ratio(f.entries, f.x_lines))}});
}

std::string longest_rows(const matrix_features& f) {
  if (f.longest_rows.empty()) return "";
  std::vector<cells> rows;
  for (const long_line& line : f.longest_rows)
    rows.push_back({with_commas(line.line), with_share(line.length, f.entries)});
  return "<details><summary>Longest rows</summary>" +
         table("Longest rows, counted from 0", {"row", "entries"}, rows) + "</details>\n";
}

std::string bin_table(const std::string& caption, const std::vector<length_bin>& bins) {
  std::vector<cells> rows;
  for (const length_bin& bin : bins)
    rows.push_back(
        {range_of(bin), with_commas(bin.lines), with_commas(bin.entries), percent(bin.cumulative_entries)});
  return table(caption, {"length", "rows", "entries", "entries up to here"}, rows);
}

std::string histogram_figure(const matrix_features& f, std::size_t matrix, int bins) {
  const auto choice = [&](const char* kind, const char* label, bool checked) {
    return fmt::format(
        "<label><input type=\"radio\" name=\"bins-{0}\" value=\"{1}\" data-matrix=\"{0}\"{2}> {3}</label>",
        matrix, kind, checked ? " checked" : "", label);
  };
  return figure("Row lengths", "How many rows have how many entries.",
                "<fieldset class=\"switch\"><legend>Bins</legend>" + choice("linear", "linear", false) +
                    choice("log2", "log2", true) + "</fieldset>\n" +
                    canvas(matrix, "histogram", "Histogram of row lengths"),
                bin_table("Row lengths, linear bins", linear_bins(f.row_lengths, bins)) +
                    bin_table("Row lengths, log2 bins", log2_bins(f.row_lengths)));
}

struct curve_point {
  std::int64_t least_length, rows, entries;
};

// Rows by falling length, and the entries they have together. A step too small to be seen is left out.
std::vector<curve_point> entry_curve(const matrix_features& f) {
  std::vector<curve_point> curve = {{f.row_lengths.lengths.most, 0, 0}};
  curve_point at = curve.front();
  const auto& lengths = f.row_lengths.distribution;
  for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
    at = {length->size, at.rows + length->count, at.entries + length->size * length->count};
    const curve_point& last = curve.back();
    if (std::next(length) == lengths.rend() || ratio(at.rows - last.rows, f.rows) >= 0.02 ||
        ratio(at.entries - last.entries, f.entries) >= 0.02)
      curve.push_back(at);
  }
  return curve;
}

std::string curve_figure(const matrix_features& f, std::size_t matrix) {
  if (f.entries == 0) return "";
  std::vector<cells> rows;
  for (const curve_point& point : entry_curve(f))
    rows.push_back({percent(ratio(point.rows, f.rows)), percent(ratio(point.entries, f.entries)),
                    with_commas(point.rows), with_commas(point.entries), with_commas(point.least_length)});
  return figure("Entries in the longest rows", "Rows by falling length: what share of the entries they hold.",
                canvas(matrix, "curve", "Cumulative share of entries over rows by falling length", 20),
                table("Share of entries in the longest rows",
                      {"share of rows", "share of entries", "rows", "entries", "shortest of them"}, rows));
}

std::string spy_figure(const matrix_features& f, const spy_pictures& pictures) {
  const std::string& light = pictures.light.empty() ? pictures.dark : pictures.light;
  const std::string& dark = pictures.dark.empty() ? pictures.light : pictures.dark;
  if (light.empty()) return "";
  return fmt::format(
      "<figure class=\"card\"><figcaption><h4>Where the entries are</h4><p>{} rows from top to bottom, {} "
      "columns from left to right; stronger colour: more entries, on a log scale.</p></figcaption>\n"
      "<picture><source class=\"dark-picture\" media=\"(prefers-color-scheme: dark)\" srcset=\"{}\">"
      "<img class=\"spy\" src=\"{}\" alt=\"Spy plot of {}: bandwidth {} below and {} above the diagonal, "
      "{} diagonals with entries\"></picture></figure>\n",
      with_commas(f.rows), with_commas(f.cols), escaped(dark), escaped(light), escaped(f.name),
      with_commas(f.lower_bandwidth), with_commas(f.upper_bandwidth), with_commas(f.diagonals));
}

// Bytes against those of CSR, where there are both.
std::string over_csr_text(const matrix_features& f, const format_cost* cost) {
  const json value = over_csr(f, cost);
  return value.is_null() ? "–" : fmt::format("{:.3f}", value.get<double>());
}

std::string bytes_text(const format_cost* cost) {
  return cost == nullptr ? "–" : with_commas(cost->bytes);
}

// A curve over sizes needs them in order; they come as they were asked for.
std::vector<block_features> by_area(std::vector<block_features> blocks) {
  std::stable_sort(blocks.begin(), blocks.end(), [](const block_features& a, const block_features& b) {
    return a.size.area() < b.size.area();
  });
  return blocks;
}

std::string block_section(const matrix_features& f, std::size_t matrix) {
  if (f.blocks.empty()) return "";
  std::vector<cells> rows, densities;
  for (const block_features& block : by_area(f.blocks)) {
    const format_cost* const bsr = bsr_of(f, block.size);
    rows.push_back({name_of(block), with_commas(block.blocks), fmt::format("{:.4g}", block.fill),
                    block.blocks == 0 ? "–" : percent(1 / block.fill), bytes_text(bsr),
                    over_csr_text(f, bsr)});
    cells& line = densities.emplace_back(cells{name_of(block)});
    for (const std::int64_t blocks : block.density) line.push_back(with_commas(blocks));
  }
  cells header = {"block"};
  for (int i = 1; i <= 10; ++i) header.push_back(fmt::format("≤ {} %", i * 10));
  return "<h3>Blocks</h3><div class=\"cards wide\">" +
         figure("Fill and number of blocks",
                "Blocks with entries when the matrix is cut into blocks of one size, and the places in them "
                "per entry: 1 means no padding. BSR stores these blocks; below 1 it takes less than CSR.",
                canvas(matrix, "fill", "Fill for every block size", 15) +
                    canvas(matrix, "blocks", "Blocks with entries for every block size", 15),
                table("Blocks of every size",
                      {"block", "blocks", "fill", "mean density", "bytes of BSR", "× CSR"}, rows),
                numbers_are::open) +
         figure("Density of the blocks", "Share of the blocks by how full they are.",
                canvas(matrix, "density", "Blocks by density for every block size", 28),
                table("Blocks by density", header, densities)) +
         "</div>\n";
}

// One of every format: of those priced several times, the one with the fewest bytes.
std::vector<const format_cost*> one_of_each(const matrix_features& f) {
  std::vector<const format_cost*> chosen;
  for (const std::string& format : format_names())
    if (const format_cost* const cost = fewest_bytes(f, format)) chosen.push_back(cost);
  return chosen;
}

// Without "at least", which the page says in its own way.
std::string parameters_of(const format_cost& cost) {
  const std::string_view tail = ", at least";
  return cost.parameters.ends_with(tail) ? cost.parameters.substr(0, cost.parameters.size() - tail.size())
                                         : cost.parameters;
}

std::string bytes_figure(const matrix_features& f, std::size_t matrix) {
  const format_cost* const csr = fewest_bytes(f, "csr");
  const auto chosen = one_of_each(f);
  std::vector<cells> rows;
  for (const format_cost* const cost : chosen) {
    std::string name = escaped(cost->format);
    if (!cost->parameters.empty()) name += " <small>" + escaped(parameters_of(*cost)) + "</small>";
    rows.push_back({std::move(name), with_commas(cost->bytes), over_csr_text(f, cost),
                    fmt::format("{:.3f}", cost->fill), with_commas(cost->slots), size_of(cost->peak_bytes),
                    !cost->allowed ? "too much fill"
                    : cost->exact  ? "exact"
                                   : "at least"});
  }
  return figure(
      "Bytes against CSR",
      csr == nullptr ? ""
                     : fmt::format("CSR takes {} bytes, 1 in this chart. Blocked formats: the block size "
                                   "with the fewest bytes.",
                                   with_commas(csr->bytes)),
      csr == nullptr ? ""
                     : canvas(matrix, "formats", "Bytes per format against CSR", 6 + chosen.size() * 5 / 2),
      table("Bytes per format",
            {"format", "bytes", "× CSR", "fill", "slots", "peak while converting", "note"}, rows),
      numbers_are::open);
}

std::string beta_figure(const matrix_features& f, std::size_t matrix) {
  std::vector<cells> rows;
  for (const std::int32_t beta : betas_of(f)) {
    cells& line = rows.emplace_back(cells{std::to_string(beta)});
    for (const char* const format : {"csb", "ecsb", "gcsb"}) {
      const format_cost* const cost = blocked_of(f, format, beta);
      line.insert(line.end(), {bytes_text(cost), over_csr_text(f, cost)});
      // CSB stores its entries and nothing else.
      if (std::string_view(format) != "csb")
        line.push_back(cost == nullptr ? "–" : fmt::format("{:.3f}", cost->fill));
    }
  }
  if (rows.empty() || fewest_bytes(f, "csr") == nullptr) return "";
  return figure("CSB, eCSB and GCSB over β",
                "Bytes against CSR for every side β of a block, and the slots stored per entry: what is "
                "above 1 is padding.",
                canvas(matrix, "betas", "Bytes of the blocked formats over beta", 15) +
                    canvas(matrix, "beta_fill", "Fill of eCSB and GCSB over beta", 15),
                table("Blocked formats over β",
                      {"β", "bytes of CSB", "× CSR", "bytes of eCSB", "× CSR", "fill", "bytes of GCSB",
                       "× CSR", "fill"},
                      rows),
                numbers_are::open);
}

std::string format_section(const matrix_features& f, std::size_t matrix) {
  if (f.formats.empty()) return "";
  return "<h3>Bytes per format</h3>\n<div class=\"stack\">" + bytes_figure(f, matrix) +
         beta_figure(f, matrix) + "</div>\n";
}

std::string smallest_text(const matrix_features& f) {
  const format_cost* const best = smallest_format(f);
  if (best == nullptr) return "–";
  const json value = over_csr(f, best);
  return escaped(best->format) +
         (value.is_null() ? ""
                          : fmt::format(" <small>({:.3f}&nbsp;×&nbsp;CSR)</small>", value.get<double>()));
}

std::string fullest_text(const matrix_features& f) {
  const block_features* const best = fullest_blocks(f);
  return best == nullptr ? "–"
                         : fmt::format("{} <small>(fill&nbsp;{:.3f})</small>", name_of(*best), best->fill);
}

// The share of the entries that so many of the longest rows hold.
double held_by_longest(const matrix_features& f, std::int64_t rows) {
  std::int64_t entries = 0;
  const auto& lengths = f.row_lengths.distribution;
  for (auto length = lengths.rbegin(); length != lengths.rend() && rows > 0; ++length) {
    entries += length->size * std::min(length->count, rows);
    rows -= length->count;
  }
  return f.entries == 0 ? 0 : ratio(entries, f.entries);
}

std::string comparison_figures(const std::vector<matrix_features>& matrices) {
  std::vector<cells> held, fills;
  cells sizes = {"matrix"};
  for (const block_features& block : by_area(matrices.front().blocks)) sizes.push_back(name_of(block));
  for (const matrix_features& f : matrices) {
    cells& line = held.emplace_back(cells{escaped(f.name)});
    for (const std::int64_t parts : {100, 10, 2})
      line.push_back(percent(held_by_longest(f, (f.rows + parts - 1) / parts)));
    cells& fill = fills.emplace_back(cells{escaped(f.name)});
    for (const block_features& block : by_area(f.blocks)) fill.push_back(fmt::format("{:.4g}", block.fill));
  }
  const std::string limited =
      matrices.size() > 10 ? " The chart shows the first ten matrices." : std::string();
  return "<div class=\"cards wide\">" +
         figure("Entries in the longest rows",
                "Rows by falling length: what share of the entries they hold." + limited,
                canvas(0, "compare_curves", "Cumulative share of entries, all matrices", 20),
                table("Share of the entries in the longest rows",
                      {"matrix", "1 % of the rows", "10 %", "50 %"}, held)) +
         figure("Fill over block sizes", "Places per entry in blocks with entries." + limited,
                canvas(0, "compare_fill", "Fill for every block size, all matrices", 20),
                table("Fill of blocks", sizes, fills)) +
         "</div>\n";
}

std::string comparison(const std::vector<matrix_features>& matrices) {
  std::vector<cells> rows;
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    const matrix_features& f = matrices[m];
    rows.push_back({fmt::format("<a href=\"#matrix-{}\">{}</a>", m + 1, escaped(f.name)), with_commas(f.rows),
                    with_commas(f.cols), with_commas(f.entries), fmt::format("{:.4g}", f.row_lengths.mean),
                    with_commas(f.row_lengths.lengths.most), fmt::format("{:.3f}", f.row_lengths.variation),
                    fmt::format("{:.3f}", f.row_lengths.gini), percent(mirrored_share(f, f.symmetry.pattern)),
                    with_commas(std::max(f.lower_bandwidth, f.upper_bandwidth)), fullest_text(f),
                    smallest_text(f)});
  }
  return "<section id=\"comparison\"><h2>Comparison</h2><div class=\"card\">" +
         table("All matrices",
               {"matrix", "rows", "columns", "entries", "mean row", "longest row", "variation", "Gini",
                "symmetric pattern", "bandwidth", "fullest blocks", "fewest bytes"},
               rows) +
         "</div>\n" + comparison_figures(matrices) + "</section>\n";
}

std::string section(const matrix_features& f, const spy_pictures& pictures, std::size_t matrix, int bins) {
  std::string lead = fmt::format(
      "{} × {}, {}, {} entries. Rows hold {} to {} entries, the median {}.", with_commas(f.rows),
      with_commas(f.cols), escaped(f.field), with_commas(f.entries), with_commas(f.row_lengths.lengths.least),
      with_commas(f.row_lengths.lengths.most), with_commas(f.row_lengths.lengths.median));
  if (smallest_format(f) != nullptr) lead += fmt::format(" Fewest bytes: {}.", smallest_text(f));
  if (!f.has_values)
    lead += fmt::format(
        " Its values are {}: only the pattern was looked at, and bytes are those of 64-bit "
        "real values.",
        escaped(f.field));
  return fmt::format("<section id=\"matrix-{}\"><h2>{}</h2>\n<p class=\"lead\">{}</p>\n", matrix + 1,
                     escaped(f.name), lead) +
         "<div class=\"cards\"><div class=\"card\">" + shape_table(f) + symmetry_table(f) +
         "</div><div class=\"card\">" + structure_table(f) + "</div><div class=\"card\">" + length_table(f) +
         longest_rows(f) +
         "</div></div>\n<h3>Rows and pattern</h3><div class=\"cards wide\"><div class=\"stack\">" +
         histogram_figure(f, matrix, bins) + curve_figure(f, matrix) + "</div>" + spy_figure(f, pictures) +
         "</div>\n" + block_section(f, matrix) + format_section(f, matrix) + "</section>\n";
}

json bins_for_chart(const std::vector<length_bin>& bins) {
  json labels = json::array(), lines = json::array(), entries = json::array();
  for (const length_bin& bin : bins) {
    labels.push_back(range_of(bin));
    lines.push_back(bin.lines);
    entries.push_back(bin.entries);
  }
  return {{"labels", labels}, {"lines", lines}, {"entries", entries}};
}

// What the charts show: only numbers that stand in the tables too.
json chart_data(const matrix_features& f, int bins) {
  json curve = json::array(), sizes = json::array(), fill = json::array(), blocks = json::array(),
       density = json::array(), formats = json::array(), bsr = json::array();
  if (f.entries > 0)
    for (const curve_point& point : entry_curve(f))
      curve.push_back({{"x", 100 * ratio(point.rows, f.rows)}, {"y", 100 * ratio(point.entries, f.entries)}});
  for (const block_features& block : by_area(f.blocks)) {
    sizes.push_back(name_of(block));
    fill.push_back(number(block.fill));
    bsr.push_back(over_csr(f, bsr_of(f, block.size)));
    blocks.push_back(block.blocks);
    density.push_back(block.density);
  }
  if (fewest_bytes(f, "csr") != nullptr)
    for (const format_cost* const cost : one_of_each(f))
      formats.push_back({{"format", cost->format},
                         {"parameters", parameters_of(*cost)},
                         {"ratio", over_csr(f, cost)},
                         {"allowed", cost->allowed},
                         {"exact", cost->exact}});
  json betas = {{"sides", betas_of(f)}};
  for (const std::string format : {"csb", "ecsb", "gcsb"})
    for (const std::int32_t beta : betas_of(f)) {
      const format_cost* const cost = blocked_of(f, format, beta);
      betas[format].push_back(over_csr(f, cost));
      betas[format + "_fill"].push_back(cost == nullptr ? json(nullptr) : number(cost->fill));
    }
  return {{"name", f.name},
          {"linear", bins_for_chart(linear_bins(f.row_lengths, bins))},
          {"log2", bins_for_chart(log2_bins(f.row_lengths))},
          {"curve", std::move(curve)},
          {"sizes", std::move(sizes)},
          {"fill", std::move(fill)},
          {"bsr", std::move(bsr)},
          {"blocks", std::move(blocks)},
          {"density", std::move(density)},
          {"formats", std::move(formats)},
          {"betas", std::move(betas)}};
}

constexpr const char* light_colours =
    "--back:#f4f5f7;--card:#ffffff;--text:#1a1d21;--muted:#545d68;--line:#d3d8de;--first:#1f5fbf;"
    "--second:#a8480c;--ramp-low:#c08a1e;--ramp-middle:#2a8c8c;--ramp-high:#1c2f7a;color-scheme:light;";
constexpr const char* dark_colours =
    "--back:#111417;--card:#1b1f24;--text:#e6e9ec;--muted:#a9b3bd;--line:#3a424b;--first:#74abff;"
    "--second:#f2a65e;--ramp-low:#9a6c18;--ramp-middle:#35a79d;--ramp-high:#d3e2ff;color-scheme:dark;";

constexpr const char* style = R"css(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;max-width:76rem;padding:1rem;background:var(--back);color:var(--text);
  font:1rem/1.5 system-ui,sans-serif}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
h1{font-size:1.5rem;margin:.25rem 0}
h2{font-size:1.3rem;margin:2rem 0 .25rem;overflow-wrap:anywhere}
h3{font-size:1.1rem;margin:1.5rem 0 .5rem}
h4{font-size:1rem;margin:0}
p{margin:.25rem 0 .5rem}
a{color:var(--first)}
small,figcaption p,.lead,footer{color:var(--muted)}
.lead{overflow-wrap:anywhere}
.cards{display:grid;gap:1rem;align-items:start;
  grid-template-columns:repeat(auto-fit,minmax(min(100%,var(--column,19rem)),1fr))}
.wide{--column:30rem}
.stack{display:grid;gap:1rem;min-width:0}
.card{margin:0;padding:.9rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;
  min-width:0}
.plot{position:relative;width:100%;margin-bottom:.5rem}
.spy{display:block;width:100%;height:auto;border:1px solid var(--line)}
.scroll{overflow-x:auto;max-width:100%}
.scroll+.scroll{margin-top:1rem}
#comparison>.card{margin-bottom:1rem}
#comparison>.card tbody th{min-width:8rem;overflow-wrap:anywhere}
#comparison>.card td small{display:block}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.25rem 0;color:var(--text)}
th,td{padding:.25rem .5rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:baseline}
th:first-child{text-align:left;padding-left:0}
td:last-child,thead th:last-child{padding-right:0}
tbody th{font-weight:400}
thead th{font-weight:600;color:var(--muted)}
td{white-space:nowrap}
details tbody th{white-space:nowrap}
details tbody th small{display:block;min-width:9rem;white-space:normal}
tr:last-child>*{border-bottom:0}
details{margin-top:.5rem}
summary{cursor:pointer;color:var(--first)}
.switch{display:flex;gap:.25rem 1rem;flex-wrap:wrap;border:0;padding:0;margin:0 0 .5rem}
.switch legend{float:left;padding:0 1rem 0 0;color:var(--muted)}
button{font:inherit;padding:.4rem .9rem;border:1px solid var(--muted);border-radius:.4rem;cursor:pointer;
  background:var(--card);color:var(--text)}
:focus-visible{outline:2px solid var(--first);outline-offset:2px}
footer{margin-top:2rem;font-size:.9rem}
@media print{button,.switch{display:none}.card{break-inside:avoid}}
)css";

constexpr const char* script = R"js("use strict";
const matrices = JSON.parse(document.getElementById("chart-data").textContent);
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const is_dark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
const compact = new Intl.NumberFormat("en", {notation: "compact", maximumSignificantDigits: 3});
let colour = {};

function read_colours() {
  const style = getComputedStyle(root);
  for (const name of ["card", "text", "muted", "line", "first", "second",
                      "ramp-low", "ramp-middle", "ramp-high"])
    colour[name] = style.getPropertyValue("--" + name).trim();
}

// Ten colours for rising density: the densest stands out most, whatever the background.
function ramp(i) {
  const channels = name => [1, 3, 5].map(at => parseInt(colour[name].slice(at, at + 2), 16));
  const t = i / 9 * 2;
  const [from, to] = t < 1 ? ["ramp-low", "ramp-middle"] : ["ramp-middle", "ramp-high"];
  const a = channels(from), b = channels(to), part = t < 1 ? t : t - 1;
  return "rgb(" + a.map((x, k) => Math.round(x + (b[k] - x) * part)).join(",") + ")";
}

// A log scale where the numbers differ so much that the small ones could not be seen.
function scale(title, values, floor) {
  const positive = values.filter(v => v > 0);
  const most = Math.max(...positive), least = Math.min(...positive), log = most / least > 50;
  const axis = {title: {display: true, text: title + (log ? " (log scale)" : ""), color: colour.muted},
                grid: {color: colour.line, borderColor: colour.line},
                ticks: {color: colour.muted, maxRotation: 0, callback: v => compact.format(v)}};
  if (!log) return {...axis, beginAtZero: true};
  const shown = v => {
    const digit = v / 10 ** Math.floor(Math.log10(v) + 1e-9);
    return Math.abs(digit - 1) < 1e-6 ? compact.format(v) : "";
  };
  return {...axis, type: "logarithmic", min: floor(least),
          ticks: {...axis.ticks, autoSkip: false, callback: shown},
          grid: {...axis.grid, color: context => shown(context.tick.value) ? colour.line : "transparent"}};
}
const below = least => 10 ** Math.floor(Math.log10(least)) / 2;

function legend(box) {
  return {position: "bottom", labels: {color: colour.text, ...box}};
}

function category(title) {
  return {title: {display: true, text: title, color: colour.muted}, grid: {display: false},
          ticks: {color: colour.muted, maxRotation: 60}};
}

function histogram(data, canvas) {
  const kind = document.querySelector(`input[data-matrix="${canvas.dataset.matrix}"]:checked`).value;
  const bins = data[kind];
  return {type: "bar",
    data: {labels: bins.labels, datasets: [{label: "rows", data: bins.lines.map(v => v || null),
           backgroundColor: colour.first, categoryPercentage: 1, barPercentage: .92, minBarLength: 2}]},
    options: {plugins: {legend: {display: false}, tooltip: {callbacks: {
                title: items => items[0].label + " entries per row",
                footer: items => bins.entries[items[0].dataIndex].toLocaleString("en") + " entries"}}},
              scales: {x: category("entries per row"), y: scale("rows", bins.lines, below)}}};
}

function curve(data) {
  const axis = title => ({type: "linear", min: 0, max: 100,
    title: {display: true, text: title, color: colour.muted},
    grid: {color: colour.line, borderColor: colour.line},
    ticks: {color: colour.muted, callback: v => v + " %"}});
  return {type: "scatter",
    data: {datasets: [
      {label: "this matrix", data: data.curve, showLine: true, borderColor: colour.first,
       backgroundColor: colour.first, borderWidth: 2, pointRadius: 2},
      {label: "all rows alike", data: [{x: 0, y: 0}, {x: 100, y: 100}], showLine: true,
       borderColor: colour.muted, backgroundColor: colour.muted, borderWidth: 1.5,
       borderDash: [6, 4], pointRadius: 0}]},
    options: {plugins: {legend: legend({boxWidth: 28, boxHeight: 1}), tooltip: {callbacks: {label: item =>
                item.parsed.x.toFixed(1) + " % of the rows, " +
                item.parsed.y.toFixed(1) + " % of the entries"}}},
              scales: {x: axis("rows, longest first"), y: axis("entries")}}};
}

// Lines over block sizes; sets are [label, values, colour].
function lines(axis, labels, title, sets) {
  const drawn = sets.filter(([, values]) => values.some(v => v !== null));
  return {type: "line",
    data: {labels, datasets: drawn.map(([label, data, name]) => ({label, data, borderColor: name,
           backgroundColor: name, borderWidth: 2, pointRadius: 3}))},
    options: {plugins: drawn.length > 1 ? {} : {legend: {display: false}},
              scales: {x: category(axis), y: scale(title, drawn.flatMap(([, values]) => values), below)}}};
}
const fill = data => lines("block", data.sizes, "ratio", [["places per entry", data.fill, colour.first],
                                                          ["bytes of BSR / CSR", data.bsr, colour.second]]);
const blocks = data => lines("block", data.sizes, "blocks", [["blocks", data.blocks, colour.second]]);
const betas = data => lines("β", data.betas.sides, "bytes / bytes of CSR",
  [["CSB", data.betas.csb, colour.muted], ["eCSB", data.betas.ecsb, colour.second],
   ["GCSB", data.betas.gcsb, colour.first]]);
const beta_fill = data => lines("β", data.betas.sides, "slots per entry",
  [["eCSB", data.betas.ecsb_fill, colour.second], ["GCSB", data.betas.gcsb_fill, colour.first]]);

// Ten hues that can be told apart on either background.
const hue = i => `hsl(${[215, 25, 160, 330, 265, 95, 190, 0, 45, 295][i]} 65% ${is_dark() ? 65 : 42}%)`;
const compared = () => matrices.slice(0, 10);
const compare_fill = () => lines("block", matrices[0].sizes, "places per entry",
                                 compared().map((data, i) => [data.name, data.fill, hue(i)]));
function compare_curves() {
  const config = curve(matrices[0]);
  config.data.datasets.splice(0, 1, ...compared().map((data, i) => ({label: data.name, data: data.curve,
    showLine: true, borderColor: hue(i), backgroundColor: hue(i), borderWidth: 2, pointRadius: 2})));
  return config;
}

function density(data) {
  const total = data.density.map(counts => counts.reduce((a, b) => a + b, 0));
  return {type: "bar",
    data: {labels: data.sizes, datasets: [...Array(10).keys()].map(i => ({
      label: `≤ ${(i + 1) * 10} %`, backgroundColor: ramp(i), borderColor: colour.card,
      borderWidth: {left: 1}, borderSkipped: false,
      data: data.density.map((counts, k) => total[k] ? 100 * counts[i] / total[k] : 0)}))},
    options: {indexAxis: "y",
      plugins: {tooltip: {callbacks: {label: item => item.dataset.label + " full: " +
        data.density[item.dataIndex][item.datasetIndex].toLocaleString("en") + " blocks, " +
        item.parsed.x.toFixed(1) + " %"}}},
      scales: {y: {...category("block"), stacked: true},
               x: {stacked: true, max: 100,
                   title: {display: true, text: "share of blocks", color: colour.muted},
                   grid: {color: colour.line, borderColor: colour.line},
                   ticks: {color: colour.muted, callback: v => v + " %"}}}}};
}

// The ratio behind each bar, and a line where CSR is.
const bar_notes = {id: "bar_notes", afterDatasetsDraw(chart) {
  const {ctx, scales: {x}, chartArea: area} = chart;
  ctx.save();
  const one = x.getPixelForValue(1);
  ctx.strokeStyle = colour.text;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.moveTo(one, area.top);
  ctx.lineTo(one, area.bottom);
  ctx.stroke();
  ctx.font = "12px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.setLineDash([]);
  ctx.lineWidth = 4;
  ctx.lineJoin = "round";
  ctx.strokeStyle = colour.card;
  ctx.fillStyle = colour.text;
  chart.data.datasets.forEach((set, s) => chart.getDatasetMeta(s).data.forEach((bar, i) => {
    if (set.data[i] === null) return;
    const ratio = set.data[i] < 10 ? set.data[i].toFixed(2) : compact.format(set.data[i]);
    const text = (set.exact[i] ? "" : "≥ ") + ratio;
    const left = bar.x < bar.base ? bar.x - 5 - ctx.measureText(text).width : bar.x + 5;
    ctx.strokeText(text, left, bar.y);
    ctx.fillText(text, left, bar.y);
  }));
  ctx.restore();
}};

function formats(data, canvas) {
  const list = data.formats, narrow = canvas.parentElement.clientWidth < 480;
  const name = f => f.parameters === "" ? f.format :
    narrow ? f.format + " " + f.parameters.split(",")[0] : [f.format, f.parameters];
  const x = scale("bytes / bytes of CSR", list.map(f => f.ratio), least => Math.min(.25, least / 3));
  // A log scale has no zero to start from: there bars start at CSR.
  const base = x.type === "logarithmic" ? {base: 1} : {};
  const set = (label, chosen, name) => ({label, backgroundColor: colour[name], ...base,
    exact: list.map(f => f.exact), data: list.map(f => chosen(f) ? f.ratio : null)});
  return {type: "bar", plugins: [bar_notes],
    data: {labels: list.map(name), datasets: [set("within the limits", f => f.allowed, "first"),
                                              set("beyond them", f => !f.allowed, "second")]},
    options: {indexAxis: "y", layout: {padding: {right: 36}},
              scales: {x: {...x, stacked: false}, y: {...category(""), title: {display: false}, stacked: true,
                                                      ticks: {color: colour.muted, autoSkip: false,
                                                              font: {size: narrow ? 10 : 11}}}}}};
}

const kinds = {histogram, curve, density, formats, fill, blocks, betas, beta_fill, compare_curves,
               compare_fill};

function draw(canvas) {
  Chart.getChart(canvas)?.destroy();
  const config = kinds[canvas.dataset.chart](matrices[canvas.dataset.matrix], canvas);
  Object.assign(config.options,
                {responsive: true, maintainAspectRatio: false, animation: false, locale: "en"});
  config.options.plugins ??= {};
  config.options.plugins.legend ??= legend({boxWidth: 14});
  new Chart(canvas, config);
}

function draw_all() {
  const dark = is_dark();
  read_colours();
  document.getElementById("theme").textContent = dark ? "Light colours" : "Dark colours";
  for (const source of document.querySelectorAll(".dark-picture")) source.media = dark ? "all" : "not all";
  document.querySelectorAll("canvas").forEach(draw);
}

document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = is_dark() ? "light" : "dark";
  draw_all();
});
system.addEventListener("change", draw_all);
for (const input of document.querySelectorAll(".switch input"))
  input.addEventListener("change", () =>
    draw(document.querySelector(`canvas[data-chart="histogram"][data-matrix="${input.dataset.matrix}"]`)));
draw_all();
)js";

}  // namespace

const format_cost* fewest_bytes(const matrix_features& f, std::string_view format) {
  const format_cost* best = nullptr;
  for (const format_cost& cost : f.formats)
    if (cost.format == format && cost.possible() && (best == nullptr || cost.bytes < best->bytes))
      best = &cost;
  return best;
}

json over_csr(const matrix_features& f, const format_cost* cost) {
  const format_cost* const csr = fewest_bytes(f, "csr");
  return cost == nullptr || csr == nullptr ? json(nullptr) : json(ratio(cost->bytes, csr->bytes));
}

const format_cost* bsr_of(const matrix_features& f, block_size block) {
  const std::string size = fmt::format("{} x {},", block.rows, block.cols);
  for (const format_cost& cost : f.formats)
    if (cost.format == "bsr" && cost.possible() && cost.parameters.starts_with(size)) return &cost;
  return nullptr;
}

const format_cost* blocked_of(const matrix_features& f, std::string_view format, std::int32_t beta) {
  for (const format_cost& cost : f.formats)
    if (cost.format == format && cost.possible() && cost.beta == beta) return &cost;
  return nullptr;
}

std::vector<std::int32_t> betas_of(const matrix_features& f) {
  std::vector<std::int32_t> betas;
  for (const format_cost& cost : f.formats)
    if (cost.beta > 0) betas.push_back(cost.beta);
  std::sort(betas.begin(), betas.end());
  betas.erase(std::unique(betas.begin(), betas.end()), betas.end());
  return betas;
}

const format_cost* smallest_format(const matrix_features& f) {
  const format_cost* best = nullptr;
  for (const format_cost& cost : f.formats)
    if (cost.allowed && cost.exact && (best == nullptr || cost.bytes < best->bytes)) best = &cost;
  return best;
}

const block_features* fullest_blocks(const matrix_features& f) {
  const block_features* best = nullptr;
  for (const block_features& block : f.blocks)
    if (block.blocks > 0 && (best == nullptr || block.fill < best->fill)) best = &block;
  return best;
}

nlohmann::ordered_json mirrored_share(const matrix_features& f, std::int64_t mirrored) {
  if (f.rows != f.cols) return nullptr;
  return f.symmetry.off_diagonal == 0 ? json(1.0) : share(mirrored, f.symmetry.off_diagonal);
}

nlohmann::ordered_json to_json(const matrix_features& f, int bins) {
  json j = {{"schema", "sparsmith.features/1"},
            {"name", f.name},
            {"field", f.field},
            {"rows", f.rows},
            {"cols", f.cols},
            {"entries", f.entries},
            {"density", number(f.density())}};
  j["values"] =
      of_values(f, {{"explicit_zeros", f.explicit_zeros}, {"nans", f.nans}, {"infinities", f.infinities}});
  j["symmetry"] = {{"square", f.rows == f.cols},
                   {"off_diagonal_entries", f.symmetry.off_diagonal},
                   {"pattern", f.symmetry.pattern},
                   {"values", of_values(f, f.symmetry.values)},
                   {"negated", of_values(f, f.symmetry.negated)},
                   {"pattern_share", mirrored_share(f, f.symmetry.pattern)},
                   {"values_share", of_values(f, mirrored_share(f, f.symmetry.values))},
                   {"negated_share", of_values(f, mirrored_share(f, f.symmetry.negated))}};
  j["row_lengths"] = lengths_as_json(f.row_lengths, bins);
  j["col_lengths"] = lengths_as_json(f.col_lengths, bins);
  j["longest_rows"] = json::array();
  for (const long_line& line : f.longest_rows)
    j["longest_rows"].push_back({{"row", line.line}, {"length", line.length}});
  j["structure"] = {{"lower_bandwidth", f.lower_bandwidth},
                    {"upper_bandwidth", f.upper_bandwidth},
                    {"profile", f.profile},
                    {"diagonal_entries", f.diagonal_entries},
                    {"diagonals", f.diagonals},
                    {"next_column", f.next_column},
                    {"row_below", f.row_below},
                    {"x_lines", f.x_lines},
                    {"next_column_share", share(f.next_column, f.entries)},
                    {"row_below_share", share(f.row_below, f.entries)}};
  j["blocks"] = json::array();
  for (const block_features& block : f.blocks)
    j["blocks"].push_back({{"rows", block.size.rows},
                           {"cols", block.size.cols},
                           {"blocks", block.blocks},
                           {"fill", number(block.fill)},
                           {"density", block.density}});
  j["formats"] = json::array();
  for (const format_cost& cost : f.formats)
    j["formats"].push_back({{"format", cost.format},
                            {"parameters", cost.parameters},
                            {"beta", cost.beta == 0 ? json(nullptr) : json(cost.beta)},
                            {"bytes", cost.bytes},
                            {"slots", cost.slots},
                            {"fill", number(cost.fill)},
                            {"allowed", cost.allowed},
                            {"exact", cost.exact}});
  const density_grid grid = merged_to_fit(f.grid, json_grid_side, json_grid_side);
  // The first row or column of every cell: of the finer cells that were merged (see merged_to_fit) the first.
  const auto starts = [](std::int64_t cells, std::int64_t fine, std::int64_t lines) {
    json all = json::array();
    for (std::int64_t cell = 0; cell < cells; ++cell)
      all.push_back(groups_of(cell * fine / cells * lines, fine));
    return all;
  };
  j["grid"] = {{"rows", grid.rows},
               {"cols", grid.cols},
               {"first_rows", starts(grid.rows, f.grid.rows, f.rows)},
               {"first_cols", starts(grid.cols, f.grid.cols, f.cols)},
               {"counts", grid.counts}};
  return j;
}

std::string csv_header(const block_sizes& blocks) {
  std::string line;
  for (const csv_column& column : csv_columns(blocks)) line += (line.empty() ? "" : ",") + column.name;
  return line;
}

std::string csv_line(const matrix_features& features, const block_sizes& blocks) {
  std::string line;
  for (const csv_column& column : csv_columns(blocks))
    line += (line.empty() ? "" : ",") + column.field(features);
  return line;
}

std::string html_report(const std::vector<matrix_features>& matrices,
                        const std::vector<spy_pictures>& pictures, int bins) {
  const std::string title =
      matrices.size() == 1 ? escaped(matrices.front().name) : fmt::format("{} matrices", matrices.size());
  json data = json::array();
  for (const matrix_features& f : matrices) data.push_back(chart_data(f, bins));

  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  // The page promises to load nothing; with this the browser holds it to that.
  html +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += fmt::format("<title>{} – spanalyze</title>\n", title);
  html += fmt::format(
      "<style>:root{{{0}}}\n@media(prefers-color-scheme:dark){{:root{{{1}}}}}\n"
      ":root[data-theme=light]{{{0}}}\n:root[data-theme=dark]{{{1}}}{2}</style>\n",
      light_colours, dark_colours, style);
  html += "<noscript><style>.plot,.switch,#theme{display:none}</style></noscript>\n</head>\n<body>\n";
  html +=
      fmt::format("<header><h1>{}</h1><button type=\"button\" id=\"theme\">Dark colours</button></header>\n",
                  matrices.size() == 1 ? "What this matrix is like" : "What these matrices are like");
  html += "<main>\n";
  if (matrices.size() > 1) html += comparison(matrices);
  for (std::size_t m = 0; m < matrices.size(); ++m)
    html += section(matrices[m], m < pictures.size() ? pictures[m] : spy_pictures{}, m, bins);
  html += "</main>\n<footer><p>Written by spanalyze of Sparsmith. Charts by Chart.js (MIT).</p></footer>\n";
  html += "<script type=\"application/json\" id=\"chart-data\">" + inside_script(data) + "</script>\n";
  html += "<script>" + chart_library() + "</script>\n<script>" + script + "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace sparsmith
