#include "analyze/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyze/report/axis.hpp"
#include "analyze/report/describe.hpp"
#include "analyze/report/embedded.hpp"
#include "analyze/report/feature_text.hpp"
#include "analyze/report/grid.hpp"
#include "analyze/report/highlights.hpp"
#include "analyze/report/html.hpp"
#include "analyze/report/json_values.hpp"
#include "analyze/report/spy.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith {

using namespace html;

namespace {

using json = nlohmann::ordered_json;

// What is written for a terminal, with the signs that a page can show.
std::string typeset(const std::string& words) {
  if (words == "-") return "–";
  std::string html = escaped(words);
  for (auto at = html.find("x "); at != std::string::npos; at = html.find("x ", at + 1))
    if (at == 0 || html[at - 1] == ' ') html.replace(at, 1, "×");
  return html;
}

std::string with_share(std::int64_t part, std::int64_t whole) {
  if (part == 0 || whole == 0) return with_commas(part);
  return fmt::format("{} <small>({})</small>", with_commas(part), percent(share_of(part, whole)));
}

std::string range_of(const length_bin& bin) {
  return bin.first == bin.last ? with_commas(bin.first)
                               : with_commas(bin.first) + "–" + with_commas(bin.last);
}

std::string name_of(const block_features& block) {
  return fmt::format("{} × {}", block.size.rows, block.size.cols);
}

// A matrix and what it is called on this page.
struct named_matrix {
  const matrix_features& features;
  std::string name;
};

std::string shape_table(const named_matrix& matrix) {
  const matrix_features& f = matrix.features;
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
  if (f.has_values && f.of_values) {
    const value_features& v = *f.of_values;
    rows.insert(rows.end(), {{"smallest value, without its sign", size_text(v.smallest)},
                             {"largest", size_text(v.largest)},
                             {"1-norm", size_text(v.norm_1)},
                             {"infinity norm", size_text(v.norm_infinity)},
                             {"Frobenius norm", size_text(v.norm_frobenius)},
                             {"max norm", size_text(v.norm_max)}});
  }
  if (matrix.name != f.name) rows.push_back({"file", "<span class=\"path\">" + escaped(f.name) + "</span>"});
  return table("Shape and values", {}, rows);
}

std::string symmetry_table(const matrix_features& f) {
  if (f.rows != f.cols) return table("Symmetry", {}, {{"square", "no"}});
  const symmetry_features& s = f.symmetry;
  std::vector<cells> rows = {
      {"entries off the diagonal", with_commas(s.off_diagonal)},
      {"with a mirror image", with_share(s.pattern, s.off_diagonal)},
      {"of the same value", f.has_values ? with_share(s.values, s.off_diagonal) : "–"},
      {"of the negated value", f.has_values ? with_share(s.negated, s.off_diagonal) : "–"}};
  if (f.complex_values) rows.push_back({"of the conjugate", with_share(s.conjugate, s.off_diagonal)});
  return table("Symmetry", {}, rows);
}

std::string length_table(const matrix_features& f) {
  const length_features &r = f.row_lengths, &c = f.col_lengths;
  const auto count = [](const char* name, std::int64_t row, std::int64_t col) {
    return cells{name, with_commas(row), with_commas(col)};
  };
  const auto real = [](const char* name, double row, double col) {
    return cells{name, four_digits(row), four_digits(col)};
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
  std::vector<cells> rows = {
      {"bandwidth below the diagonal", with_commas(f.lower_bandwidth)},
      {"bandwidth above", with_commas(f.upper_bandwidth)},
      {"profile", with_commas(f.profile)},
      {"entries on the diagonal", with_share(f.diagonal_entries, std::min(f.rows, f.cols))},
      {"diagonals with entries", with_share(f.diagonals, all_diagonals)},
      {"full in half of the rows or more", with_share(f.full_diagonals, f.diagonals)},
      {"entries on those", with_share(f.on_full_diagonals, f.entries)},
      {"right neighbour stored", with_share(f.next_column, f.entries)},
      {"lower neighbour stored", with_share(f.row_below, f.entries)},
      {"128-byte lines of x, row by row", with_commas(f.x_lines)},
      {"entries per such line", f.x_lines == 0 ? "–" : three_decimals(share_of(f.entries, f.x_lines))}};
  if (const auto missing = f.diagonal_missing())
    rows.push_back({"missing on the diagonal", with_share(*missing, f.rows)});
  if (f.has_values && f.of_values && f.rows == f.cols)
    rows.insert(rows.end(), {{"zeros stored on it", with_commas(f.of_values->diagonal_zeros)},
                             {"diagonally dominant rows", with_share(f.of_values->dominant_rows, f.rows)},
                             {"strictly", with_share(f.of_values->strictly_dominant_rows, f.rows)}});
  if (f.rcm_bandwidth)
    rows.push_back({"bandwidth after reverse Cuthill\u2013McKee", with_commas(*f.rcm_bandwidth)});
  if (f.structural_rank)
    rows.push_back({"structural rank", with_share(*f.structural_rank, std::min(f.rows, f.cols))});
  return table("Structure", {}, rows);
}

std::string fullest_diagonals(const matrix_features& f) {
  if (f.fullest_diagonals.empty()) return "";
  std::vector<cells> rows;
  for (const diagonal_count& d : f.fullest_diagonals)
    rows.push_back(
        {with_commas(d.offset), with_commas(d.entries), three_decimals(share_of(d.entries, f.rows))});
  return "<details><summary>Fullest diagonals</summary>" +
         table("Fullest diagonals, by column - row", {"offset", "entries", "fill of the rows"}, rows) +
         "</details>\n";
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
                    canvas(matrix, "histogram", "Histogram of row lengths", 12),
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
    if (std::next(length) == lengths.rend() || share_of(at.rows - last.rows, f.rows) >= 0.02 ||
        share_of(at.entries - last.entries, f.entries) >= 0.02)
      curve.push_back(at);
  }
  return curve;
}

std::string curve_figure(const matrix_features& f, std::size_t matrix) {
  if (f.entries == 0) return "";
  std::vector<cells> rows;
  for (const curve_point& point : entry_curve(f))
    rows.push_back({percent(share_of(point.rows, f.rows)), percent(share_of(point.entries, f.entries)),
                    with_commas(point.rows), with_commas(point.entries), with_commas(point.least_length)});
  return figure("Entries in the longest rows", "Rows by falling length: what share of the entries they hold.",
                canvas(matrix, "curve", "Cumulative share of entries over rows by falling length", 12),
                table("Share of entries in the longest rows",
                      {"share of rows", "share of entries", "rows", "entries", "shortest of them"}, rows));
}

// What a picture of the matrix looks like beside the charts.
enum class spy_shape { even, wide, tall };
spy_shape shape_of(std::int64_t rows, std::int64_t cols) {
  return cols >= 2 * rows ? spy_shape::wide : rows >= 2 * cols ? spy_shape::tall : spy_shape::even;
}

// For either background; the page's script chooses where the button did.
std::string picture(const std::string& light, const std::string& dark, const std::string& attributes) {
  return fmt::format(
      "<picture><source class=\"dark-picture\" media=\"(prefers-color-scheme: dark)\" srcset=\"{}\">"
      "<img src=\"{}\"{}></picture>",
      escaped(dark), escaped(light), attributes);
}

std::string base64(const auto& data) {
  const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(data[i])}; };
  std::string text;
  for (std::size_t i = 0; i < data.size(); i += 3) {
    const std::size_t left = data.size() - i;
    const std::uint32_t bits =
        byte(i) << 16 | (left > 1 ? byte(i + 1) << 8 : 0) | (left > 2 ? byte(i + 2) : 0);
    for (int k = 0; k < 4; ++k)
      text += static_cast<std::size_t>(k) <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// The colours from one entry, below, to the most in a cell.
std::string scale_picture(theme colours) {
  std::string stops;
  for (int step = 0; step < colour_steps; ++step) {
    const rgb c = step_colour(step, colours);
    stops += fmt::format("<stop offset='{:.3g}' stop-color='#{:02x}{:02x}{:02x}'/>",
                         static_cast<double>(step) / (colour_steps - 1), c.red, c.green, c.blue);
  }
  return "data:image/svg+xml;base64," +
         base64(
             "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1' preserveAspectRatio='none'>"
             "<linearGradient id='g' x1='0' y1='1' x2='0' y2='0'>" +
             stops + "</linearGradient><path fill='url(#g)' d='M0 0h1v1H0z'/></svg>");
}

constexpr int letter_width = 7, line_height = 18;  // about what the page's small digits take, in its pixels

// The numbers beside `length` pixels, those that fit, each at its share of the way.
std::string numbers_along(const std::vector<std::pair<std::int64_t, double>>& numbers, const char* kind,
                          const char* side, int length, bool across) {
  std::vector<label_span> spans;
  for (const auto& [number, at] : numbers) {
    const int middle = static_cast<int>(std::lround(at * length));
    const int size = across ? (static_cast<int>(with_commas(number).size()) + 1) * letter_width : line_height;
    spans.emplace_back(middle - size / 2, middle + size / 2);
  }
  const std::vector<bool> shown = without_overlap(spans);
  std::string html;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (shown[i])
      html += fmt::format("<span class=\"{}\" style=\"{}:{:.4g}%\">{}</span>", kind, side,
                          100 * numbers[i].second, with_commas(numbers[i].first));
  return html;
}

std::vector<std::pair<std::int64_t, double>> ticks_of(std::int64_t lines, std::int64_t most) {
  std::vector<std::pair<std::int64_t, double>> ticks;
  for (const std::int64_t number : axis_ticks(lines, most))
    ticks.emplace_back(number, share_of(number, lines));
  return ticks;
}

std::vector<std::pair<std::int64_t, double>> counts_of(std::int64_t most) {
  std::vector<std::pair<std::int64_t, double>> counts;
  for (const std::int64_t count : powers_up_to(most))
    counts.emplace_back(count, 1 - log_position(count, most));
  return counts;
}

// The cells are a picture, what stands around it is text. The numbers are those that fit on a phone.
std::string spy_figure(const named_matrix& matrix, const spy_pictures& pictures, const char* place) {
  const matrix_features& f = matrix.features;
  const std::string& light = pictures.light.empty() ? pictures.dark : pictures.light;
  const std::string& dark = pictures.dark.empty() ? pictures.light : pictures.dark;
  if (light.empty()) return "";
  const spy_options size = page_spy(f.rows, f.cols);
  const density_grid cells = merged_to_fit(f.grid, size.height, size.width);
  const std::int64_t most = fullest_cell(cells);
  const int before = (static_cast<int>(with_commas(f.rows).size()) + 1) * letter_width;
  const int beside = (static_cast<int>(with_commas(most).size()) + 1) * letter_width;
  constexpr int phone = 300;
  const int width = std::min(size.width, std::max(60, phone - before - beside));
  const int height = std::min(size.height, size.height * width / size.width);
  const bool few = cells.rows < 150 && cells.cols < 150;
  return fmt::format(
      "<figure class=\"card{}\"><figcaption><h4>Where the entries are</h4><p>{} rows from top to bottom, {} "
      "columns from left to right; stronger colour: more entries, on a log scale.</p></figcaption>\n"
      "<div class=\"spy\" style=\"padding-left:{}px;padding-right:{}px\"><div class=\"spy-cells\" "
      "style=\"width:{}px;aspect-ratio:{}/{}\">{}{}{}</div>{}</div></figure>\n",
      place, with_commas(f.rows), with_commas(f.cols), before, beside, size.width, size.width, size.height,
      picture(
          light, dark,
          fmt::format("{} alt=\"Spy plot of {}: bandwidth {} below and {} above the diagonal, {} diagonals "
                      "with entries\"",
                      few ? " class=\"few\"" : "", escaped(matrix.name), with_commas(f.lower_bandwidth),
                      with_commas(f.upper_bandwidth), with_commas(f.diagonals))),
      numbers_along(ticks_of(f.cols, ticks_beside(f.cols, width, letter_width)), "across", "left", width,
                    true),
      numbers_along(ticks_of(f.rows, 8), "down", "top", height, false),
      most <= 1 ? ""
                : "<div class=\"spy-scale\">" +
                      picture(scale_picture(theme::light), scale_picture(theme::dark),
                              " alt=\"Colours from one entry to the most in a cell\"") +
                      numbers_along(counts_of(most), "count", "top", height, false) + "</div>");
}

// Bytes against those of CSR, where there are both.
std::string over_csr_text(const matrix_features& f, const format_cost* cost) {
  const std::optional<double> value = over_csr(f, cost);
  return value ? three_decimals(*value) : "–";
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
    rows.push_back({name_of(block), with_commas(block.blocks), three_decimals(block.fill),
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
                      {"block", "blocks", "fill", "mean density", "bytes of BSR", "× CSR"}, rows)) +
         figure("Density of the blocks", "Share of the blocks by how full they are.",
                canvas(matrix, "density", "Blocks by density for every block size", 28),
                table("Blocks by density", header, densities)) +
         "</div>\n";
}

// One of every format: of those priced several times, the one with the fewest bytes.
std::vector<const format_cost*> one_of_each(const matrix_features& f) {
  std::vector<const format_cost*> chosen;
  for (const format_kind format : all_formats())
    if (const format_cost* const cost = fewest_bytes(f, format)) chosen.push_back(cost);
  return chosen;
}

std::string bytes_figure(const matrix_features& f, std::size_t matrix) {
  const format_cost* const csr = fewest_bytes(f, format_kind::csr);
  const auto chosen = one_of_each(f);
  std::vector<cells> rows;
  for (const format_cost* const cost : chosen) {
    // Without "at least": that is a column of its own.
    const std::string shape = fmt::format("{}", fmt::join(describe(*cost), ", "));
    std::string name = escaped(name_of(cost->format));
    if (!shape.empty()) name += " <small>" + escaped(shape) + "</small>";
    rows.push_back({std::move(name), with_commas(cost->bytes), over_csr_text(f, cost),
                    three_decimals(cost->fill), with_commas(cost->slots), format_bytes(cost->peak_bytes),
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
    for (const format_kind format : {format_kind::csb, format_kind::ecsb, format_kind::gcsb}) {
      const format_cost* const cost = blocked_of(f, format, beta);
      line.insert(line.end(), {bytes_text(cost), over_csr_text(f, cost)});
      // CSB stores its entries and nothing else.
      if (format != format_kind::csb) line.push_back(cost == nullptr ? "–" : three_decimals(cost->fill));
    }
  }
  if (rows.empty() || fewest_bytes(f, format_kind::csr) == nullptr) return "";
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
  const std::optional<double> value = over_csr(f, best);
  return escaped(name_with_shape(*best)) +
         (value ? fmt::format(" <small>({}&nbsp;×&nbsp;CSR)</small>", three_decimals(*value)) : "");
}

// The share of the entries that so many of the longest rows hold.
double share_in_longest(const matrix_features& f, std::int64_t rows) {
  std::int64_t entries = 0;
  const auto& lengths = f.row_lengths.distribution;
  for (auto length = lengths.rbegin(); length != lengths.rend() && rows > 0; ++length) {
    entries += length->size * std::min(length->count, rows);
    rows -= length->count;
  }
  return share_of(entries, f.entries);
}

std::string comparison_figures(const std::vector<named_matrix>& matrices) {
  std::vector<cells> shares, fills;
  cells sizes = {"matrix"};
  for (const block_features& block : by_area(matrices.front().features.blocks))
    sizes.push_back(name_of(block));
  for (const auto& [f, name] : matrices) {
    cells& line = shares.emplace_back(cells{escaped(name)});
    for (const std::int64_t parts : {100, 10, 2})
      line.push_back(percent(share_in_longest(f, (f.rows + parts - 1) / parts)));
    cells& fill = fills.emplace_back(cells{escaped(name)});
    for (const block_features& block : by_area(f.blocks)) fill.push_back(three_decimals(block.fill));
  }
  const std::string limited =
      matrices.size() > 10 ? " The chart shows the first ten matrices." : std::string();
  return "<div class=\"cards wide\">" +
         figure("Entries in the longest rows",
                "Rows by falling length: what share of the entries they hold." + limited,
                canvas(0, "compare_curves", "Cumulative share of entries, all matrices", 20),
                table("Share of the entries in the longest rows",
                      {"matrix", "1 % of the rows", "10 %", "50 %"}, shares)) +
         figure("Fill over block sizes", "Places per entry in blocks with entries." + limited,
                canvas(0, "compare_fill", "Fill for every block size, all matrices", 20),
                table("Fill of blocks", sizes, fills)) +
         "</div>\n";
}

std::string comparison(const std::vector<named_matrix>& matrices) {
  const std::vector<column<matrix_features>> columns = compared_features();
  cells headings = {"matrix"};
  for (const std::string& heading : headings_of(columns)) headings.push_back(typeset(heading));
  std::vector<cells> rows;
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    const auto& [f, name] = matrices[m];
    cells& line = rows.emplace_back(
        cells{fmt::format("<a href=\"#matrix-{}\"{}>{}</a>", m + 1, title_of(name, f.name), escaped(name))});
    for (const std::string& cell : cells_of(columns, f)) line.push_back(typeset(cell));
  }
  return "<section id=\"comparison\"><h2>Comparison</h2><div class=\"card\">" +
         table("All matrices", headings, rows) + "</div>\n" + comparison_figures(matrices) + "</section>\n";
}

// A wide picture stands above the charts, the others beside them, a tall one in a narrow column.
std::string pattern_section(const named_matrix& matrix, const spy_pictures& pictures, std::size_t number,
                            int bins) {
  const matrix_features& f = matrix.features;
  const std::string histogram = histogram_figure(f, number, bins), curve = curve_figure(f, number);
  const spy_shape shape = shape_of(f.rows, f.cols);
  const std::string spy = spy_figure(matrix, pictures, shape == spy_shape::wide ? " above" : "");
  const bool beside = !spy.empty() && shape != spy_shape::wide;
  return fmt::format("<div class=\"cards wide{}\">", !beside                    ? ""
                                                     : shape == spy_shape::tall ? " beside-tall"
                                                                                : " beside-even") +
         spy + (beside ? "<div class=\"stack\">" + histogram + curve + "</div>" : histogram + curve) +
         "</div>\n";
}

std::string section(const named_matrix& matrix, const spy_pictures& pictures, std::size_t number, int bins) {
  const matrix_features& f = matrix.features;
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
  return fmt::format("<section id=\"matrix-{}\"><h2{}>{}</h2>\n<p class=\"lead\">{}</p>\n", number + 1,
                     title_of(matrix.name, f.name), escaped(matrix.name), lead) +
         pattern_section(matrix, pictures, number, bins) +
         "<h3>In numbers</h3><div class=\"cards\"><div class=\"card\">" + shape_table(matrix) +
         symmetry_table(f) + "</div><div class=\"card\">" + structure_table(f) +
         "</div><div class=\"card\">" + length_table(f) + longest_rows(f) + fullest_diagonals(f) +
         "</div></div>\n" + block_section(f, number) + format_section(f, number) + "</section>\n";
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
json chart_data(const named_matrix& matrix, int bins) {
  const matrix_features& f = matrix.features;
  json curve = json::array(), sizes = json::array(), fill = json::array(), blocks = json::array(),
       density = json::array(), formats = json::array(), bsr = json::array();
  if (f.entries > 0)
    for (const curve_point& point : entry_curve(f))
      curve.push_back(
          {{"x", 100 * share_of(point.rows, f.rows)}, {"y", 100 * share_of(point.entries, f.entries)}});
  for (const block_features& block : by_area(f.blocks)) {
    sizes.push_back(name_of(block));
    fill.push_back(number_or_null(block.fill));
    bsr.push_back(number_or_null(over_csr(f, bsr_of(f, block.size))));
    blocks.push_back(block.blocks);
    density.push_back(block.density);
  }
  if (fewest_bytes(f, format_kind::csr) != nullptr)
    for (const format_cost* const cost : one_of_each(f))
      formats.push_back({{"format", name_of(cost->format)},
                         {"parameters", describe(*cost)},
                         {"ratio", number_or_null(over_csr(f, cost))},
                         {"allowed", cost->allowed},
                         {"exact", cost->exact}});
  json betas = {{"sides", betas_of(f)}};
  for (const format_kind format : {format_kind::csb, format_kind::ecsb, format_kind::gcsb})
    for (const std::int32_t beta : betas_of(f)) {
      const format_cost* const cost = blocked_of(f, format, beta);
      betas[name_of(format)].push_back(number_or_null(over_csr(f, cost)));
      betas[name_of(format) + "_fill"].push_back(cost == nullptr ? json(nullptr)
                                                                 : number_or_null(cost->fill));
    }
  return {{"name", matrix.name},
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

}  // namespace

spy_options page_spy(std::int64_t rows, std::int64_t cols) {
  const double proportion = proportion_of(rows, cols);
  spy_options options{rows, cols};
  options.axes = false;
  // As wide as the page, or as high as two charts.
  options.width = shape_of(rows, cols) == spy_shape::wide ? 1000 : 520;
  options.height = 520;
  if (proportion >= 1)
    options.height = static_cast<int>(std::lround(options.width / proportion));
  else
    options.width = static_cast<int>(std::lround(options.height * proportion));
  return options;
}

// A pixel for each cell: the browser makes them as large as there is room.
spy_pictures draw_spy_pictures(const matrix_features& f) {
  spy_options options = page_spy(f.rows, f.cols);
  const density_grid cells = merged_to_fit(f.grid, options.height, options.width);
  options.width = std::max(1, cells.cols);
  options.height = std::max(1, cells.rows);
  const auto as_uri = [&](theme colours) {
    options.colours = colours;
    return "data:image/png;base64," + base64(spy_png(cells, options));
  };
  return {as_uri(theme::light), as_uri(theme::dark)};
}

std::string html_report(const std::vector<matrix_features>& matrices,
                        const std::vector<spy_pictures>& pictures, const page_origin& origin, int bins) {
  std::vector<std::string> inputs;
  for (const matrix_features& f : matrices) inputs.push_back(f.name);
  const std::vector<std::string> names = names_of_inputs(inputs);
  std::vector<named_matrix> named;
  for (std::size_t m = 0; m < matrices.size(); ++m) named.push_back({matrices[m], names[m]});
  json data = json::array();
  for (const named_matrix& matrix : named) data.push_back(chart_data(matrix, bins));

  std::string body;
  if (named.size() > 1) body += comparison(named);
  for (std::size_t m = 0; m < named.size(); ++m)
    body += section(named[m], m < pictures.size() ? pictures[m] : spy_pictures{}, m, bins);
  return whole_page(
      {.tool = "spanalyze",
       .title = named.size() == 1 ? escaped(names.front()) : fmt::format("{} matrices", named.size()),
       .heading = matrices.size() == 1 ? "What this matrix is like" : "What these matrices are like",
       .body = body,
       .origin = origin,
       .styles = {},
       .scripts = {embedded_file("page.js")},
       .data = std::move(data)});
}

}  // namespace sparsmith
