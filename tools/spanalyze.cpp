// spanalyze: what a matrix is like, for a person who looks before choosing how to store it, and as data.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include "analyze/report/plots.hpp"
#include "analyze/report/report.hpp"
#include "analyze/structure/features.hpp"
#include "convert/convert.hpp"
#include "convert/error.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "convert/io/write.hpp"
#include "tools/tool.hpp"

namespace sparsmith {
namespace {

struct options {
  common_options common;
  std::vector<std::string> inputs;
  std::vector<std::string> blocks;
  std::string html, png, svg;
  std::string size = "840x700";
  int bins = default_bins, top = 5;
  bool rows = false, cols = false, full = false, tile = false, csv = false;
};

struct terminal {
  int width = 80, height = 24;
  terminal_ink ink = terminal_ink::shades;
  bool unicode() const { return ink != terminal_ink::ascii; }
};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whether the locale asks for other characters than Unicode's. One that is not set asks for nothing.
bool wants_ascii() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = environment(name);
    if (locale.empty()) continue;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") == std::string::npos && locale.find("utf8") == std::string::npos;
  }
  return false;
}

// What standard output is shown on; 80 x 24 without colours where it is not a terminal.
terminal look_at_terminal() {
  terminal t;
  if (wants_ascii()) t.ink = terminal_ink::ascii;
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1) return t;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    t.width = std::clamp<int>(size.ws_col, 40, 160);
    t.height = std::clamp<int>(size.ws_row, 12, 60);
  }
  const std::string kind = environment("TERM"), depth = environment("COLORTERM");
  if (t.unicode() && !kind.empty() && kind != "dumb" && environment("NO_COLOR").empty())
    t.ink =
        depth == "truecolor" || depth == "24bit" ? terminal_ink::colours_24_bit : terminal_ink::colours_256;
  return t;
}

double share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// In columns of a terminal: nothing that is printed here is wider than one.
int display_width(const std::string& text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

// A label and what there is to say, broken between words where the line would be too long.
void print_line(const char* label, const std::string& text, int width) {
  constexpr int indent = 9;
  std::string line = fmt::format("{:<{}}", label, indent);
  int used = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const bool first = used == indent;
    if (!first && used + 1 + display_width(word) > width) {
      fmt::print("{}\n", line);
      line = std::string(indent, ' ') + word;
      used = indent + display_width(word);
    } else {
      line += (first ? "" : " ") + word;
      used += (first ? 0 : 1) + display_width(word);
    }
    at = end + 1;
  }
  fmt::print("{}\n", line);
}

using cells = std::vector<std::string>;

constexpr int column_gap = 2;

std::vector<int> column_widths(const std::vector<cells>& lines) {
  std::vector<int> widths(lines.front().size());
  for (const cells& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], display_width(line[c]));
  return widths;
}

// Columns side by side under the headings of the first line, and a note behind each line. Columns that do
// not fit follow below, beside the first one again.
void print_table(const std::vector<cells>& lines, int width, const std::vector<std::string>& notes = {}) {
  const std::vector<int> widths = column_widths(lines);
  const std::string gap(column_gap, ' ');
  for (std::size_t first = 1; first < widths.size();) {
    std::size_t last = first;
    for (int used = widths[0]; last < widths.size(); ++last) {
      used += column_gap + widths[last];
      if (used > width && last > first) break;
    }
    if (first > 1) fmt::print("\n");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const cells& line = lines[i];
      const auto blanks = [&](std::size_t c) {
        return std::string(static_cast<std::size_t>(widths[c] - display_width(line[c])), ' ');
      };
      std::string text = line[0] + blanks(0);
      for (std::size_t c = first; c < last; ++c) text += gap + blanks(c) + line[c];
      if (last == widths.size() && i < notes.size() && !notes[i].empty()) text += gap + notes[i];
      fmt::print("{}\n", text);
    }
    first = last;
  }
}

std::string ratio_text(const matrix_features& f, const format_cost* cost) {
  const json value = over_csr(f, cost);
  return value.is_null() ? "-" : fmt::format("{:.3f}", value.get<double>());
}

std::string fill_text(const format_cost* cost) {
  return cost == nullptr ? "-" : fmt::format("{:.3f}", cost->fill);
}

// A share in percent; nearly all is not all.
std::string percent(double share) {
  const std::string text = fmt::format("{:.4g} %", 100 * share);
  return share < 1 && text == "100 %" ? "> 99.99 %" : text;
}

void print_summary(const matrix_features& f, const std::string& device, int width) {
  const auto line = [&](const char* label, const std::string& text) { print_line(label, text, width); };
  line("matrix", fmt::format("{}: {} x {}, {}", f.name, with_commas(f.rows), with_commas(f.cols), f.field));
  line("entries",
       fmt::format("{} ({})", with_commas(f.entries), percent(f.density())) +
           (f.has_values
                ? fmt::format(": {} explicit zeros, {} NaN, {} infinite", with_commas(f.explicit_zeros),
                              with_commas(f.nans), with_commas(f.infinities))
                : fmt::format("; {}: pattern only, bytes are those of 64-bit real values", f.field)));
  if (f.rows == f.cols && f.symmetry.off_diagonal > 0) {
    const std::int64_t all = f.symmetry.off_diagonal;
    line("symmetry", fmt::format("{} of those off the diagonal have a mirror image",
                                 percent(share(f.symmetry.pattern, all))) +
                         (f.has_values ? fmt::format(", {} of the same value, {} of the negated one",
                                                     percent(share(f.symmetry.values, all)),
                                                     percent(share(f.symmetry.negated, all)))
                                       : std::string()));
  }
  line("band", fmt::format("{} below the diagonal, {} above; profile {}", with_commas(f.lower_bandwidth),
                           with_commas(f.upper_bandwidth), with_commas(f.profile)));
  line("diagonal", fmt::format("{} entries on the main one; {} diagonals hold entries",
                               with_commas(f.diagonal_entries), with_commas(f.diagonals)));
  line("near", fmt::format("{:.1f} % have their right neighbour stored, {:.1f} % the one below",
                           100 * share(f.next_column, f.entries), 100 * share(f.row_below, f.entries)));
  line("reuse", fmt::format("{:.3f} lines of x (128 bytes) touched per entry, each row for itself",
                            share(f.x_lines, f.entries)));
  line("device", device);

  std::vector<cells> lengths = {
      {"length", "least", "25 %", "median", "75 %", "most", "mean", "variation", "Gini", "empty"}};
  for (const auto& [name, l] : {std::pair("rows", &f.row_lengths), std::pair("columns", &f.col_lengths)})
    lengths.push_back({name, with_commas(l->lengths.least), with_commas(l->lengths.lower_quartile),
                       with_commas(l->lengths.median), with_commas(l->lengths.upper_quartile),
                       with_commas(l->lengths.most), fmt::format("{:.2f}", l->mean),
                       fmt::format("{:.3f}", l->variation), fmt::format("{:.3f}", l->gini),
                       with_commas(l->empty)});
  fmt::print("\n");
  print_table(lengths, width);
  if (!f.longest_rows.empty()) {
    std::vector<cells> longest = {{"longest rows"}, {"entries"}};
    for (const long_line& row : f.longest_rows) {
      longest[0].push_back(with_commas(row.line));
      longest[1].push_back(with_commas(row.length));
    }
    fmt::print("\n");
    print_table(longest, width);
  }
}

// Ten characters, each as high as the share of blocks that are up to 10 %, 20 %, ... full.
std::string density_bars(const block_features& block) {
  const std::array<const char*, 8> heights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (const std::int64_t count : block.density)
    text += count == 0
                ? "·"
                : heights[static_cast<std::size_t>(std::min<double>(7, share(count, block.blocks) * 8))];
  return text;
}

void print_blocks(const matrix_features& f, int width) {
  if (f.blocks.empty()) return;
  std::vector<cells> lines = {{"block", "with entries", "fill", "BSR x CSR", "0 - 100 % full"}};
  for (const block_features& b : f.blocks)
    lines.push_back({fmt::format("{} x {}", b.size.rows, b.size.cols), with_commas(b.blocks),
                     fmt::format("{:.3f}", b.fill), ratio_text(f, bsr_of(f, b.size)), density_bars(b)});
  fmt::print("\n");
  print_table(lines, width);
}

// What matters first, then as many of the parameters as there is room for.
std::string note_of(const format_cost& cost, int room) {
  std::string note = !cost.allowed ? "too much fill" : !cost.exact ? "at least" : "";
  std::string parameters = cost.parameters + ", ";
  for (std::size_t at = 0, end = 0; (end = parameters.find(", ", at)) != std::string::npos; at = end + 2) {
    const std::string piece = parameters.substr(at, end - at);
    if (piece.empty() || piece == "at least") continue;
    if (display_width(note) + 2 + display_width(piece) > room) break;
    note += (note.empty() ? "" : ", ") + piece;
  }
  return note;
}

void print_formats(const matrix_features& f, int width) {
  std::vector<cells> lines = {{"format", "bytes", "x CSR", "fill"}};
  std::vector<const format_cost*> shown;
  for (const format_cost& c : f.formats)
    if (c.beta == 0 && c.format != "bsr" && c.possible()) {
      shown.push_back(&c);
      lines.push_back({c.format, with_commas(c.bytes), ratio_text(f, &c), fill_text(&c)});
    }
  if (shown.empty()) return;
  int room = width;
  for (const int column : column_widths(lines)) room -= column + column_gap;
  std::vector<std::string> notes = {""};
  for (const format_cost* const c : shown) notes.push_back(note_of(*c, room));
  fmt::print("\n");
  print_table(lines, width, notes);

  std::vector<cells> betas = {{"beta", "CSB x CSR", "eCSB x CSR", "fill", "GCSB x CSR", "fill"}};
  for (const std::int32_t beta : betas_of(f)) {
    const format_cost *const csb = blocked_of(f, "csb", beta), *const ecsb = blocked_of(f, "ecsb", beta),
                             *const gcsb = blocked_of(f, "gcsb", beta);
    betas.push_back({std::to_string(beta), ratio_text(f, csb), ratio_text(f, ecsb), fill_text(ecsb),
                     ratio_text(f, gcsb), fill_text(gcsb)});
  }
  if (betas.size() == 1) return;
  fmt::print("\n");
  print_table(betas, width);
}

void print_text(const matrix_features& f, const options& wanted, const std::string& device,
                const terminal& shown) {
  print_summary(f, device, shown.width);
  const auto histogram = [&](const char* what, const std::vector<length_bin>& bins) {
    if (!bins.empty()) fmt::print("\n{}\n{}", what, print_histogram(bins, shown.width, shown.unicode()));
  };
  histogram("row lengths", log2_bins(f.row_lengths));
  if (wanted.rows) histogram("row lengths, linear bins", linear_bins(f.row_lengths, wanted.bins));
  if (wanted.cols) {
    histogram("column lengths", log2_bins(f.col_lengths));
    histogram("column lengths, linear bins", linear_bins(f.col_lengths, wanted.bins));
  }
  if (f.entries > 0)
    fmt::print("\n{}", print_heat_map(f.grid, {f.rows, f.cols, shown.width, shown.height, shown.ink}));
  print_blocks(f, shown.width);
  print_formats(f, shown.width);
}

// Without its folders, and no longer than a column of a table may be.
std::string short_name(const std::string& input) {
  constexpr std::size_t most = 28;
  std::string name = is_generator(input) ? input : std::filesystem::path(input).filename().string();
  if (name.size() <= most) return name;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // inside a character
  return name.substr(0, end) + "...";
}

std::string short_name(const format_cost& cost) {
  const std::string size = cost.parameters.substr(0, cost.parameters.find(','));
  return size.empty() ? cost.format : cost.format + " " + size;
}

void print_comparison(const std::vector<matrix_features>& all, int width) {
  std::vector<cells> lines = {{"matrix", "rows", "columns", "entries", "mean row", "longest", "variation",
                               "Gini", "symmetric", "bandwidth", "fullest blocks", "fewest bytes"}};
  for (const matrix_features& f : all) {
    const json mirrored = mirrored_share(f, f.symmetry.pattern);
    const block_features* const block = fullest_blocks(f);
    const format_cost* const best = smallest_format(f);
    lines.push_back(
        {short_name(f.name), with_commas(f.rows), with_commas(f.cols), with_commas(f.entries),
         fmt::format("{:.2f}", f.row_lengths.mean), with_commas(f.row_lengths.lengths.most),
         fmt::format("{:.3f}", f.row_lengths.variation), fmt::format("{:.3f}", f.row_lengths.gini),
         mirrored.is_null() ? "-" : percent(mirrored.get<double>()),
         with_commas(std::max(f.lower_bandwidth, f.upper_bandwidth)),
         block == nullptr
             ? "-"
             : fmt::format("{} x {}, fill {:.3f}", block->size.rows, block->size.cols, block->fill),
         best == nullptr ? "-" : fmt::format("{}, {} x CSR", short_name(*best), ratio_text(f, best))});
  }
  print_table(lines, width);
}

std::string base64(const std::vector<unsigned char>& data) {
  const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < data.size(); i += 3) {
    const std::size_t left = data.size() - i;
    const std::uint32_t bits = std::uint32_t{data[i]} << 16 |
                               (left > 1 ? std::uint32_t{data[i + 1]} << 8 : 0) |
                               (left > 2 ? std::uint32_t{data[i + 2]} : 0);
    for (int k = 0; k < 4; ++k)
      text += static_cast<std::size_t>(k) <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

void write_file(const std::string& path, const void* data, std::size_t bytes) {
  output_file file(path);
  std::ofstream out(file.temporary_path(), std::ios::binary);
  out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  out.close();
  if (!out) throw error(failure::output, path + ": could not write");
  file.commit();
}

// Refuses what cannot be written before the work, and not after it.
void check_outputs(const options& wanted) {
  namespace fs = std::filesystem;
  const auto place = [](const std::string& path) {
    std::error_code problem;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, problem), problem);
    return problem ? path : whole.string();
  };
  std::map<std::string, std::string> used;
  for (const std::string& input : wanted.inputs)
    if (!is_generator(input)) used.emplace(place(input), "the input");
  for (const auto& [option, path] :
       {std::pair("--html", wanted.html), std::pair("--png", wanted.png), std::pair("--svg", wanted.svg)}) {
    if (path.empty()) continue;
    if (path == "-") throw error(failure::usage, fmt::format("{} -: name a file", option));
    if (const auto [other, is_new] = used.emplace(place(path), option); !is_new)
      throw error(failure::usage, fmt::format("{} {}: is {} as well", option, path, other->second));
    const output_file probe(path);
  }
  if (wanted.inputs.size() > 1 && !(wanted.png.empty() && wanted.svg.empty()))
    throw error(failure::usage, "--png and --svg draw one matrix; --html shows several");
}

spy_options picture_of(const matrix_features& f, int width, int height, theme colours = theme::light) {
  return {f.rows, f.cols, width, height, colours};
}

matrix_features analyze(const std::string& input, feature_request request, const device_choice& choice,
                        block_size size, bool show_progress) {
  progress_bar bar(input, show_progress);
  matrix_entries source = read_matrix(input, bar.callback(), complex_values::pattern_only);
  // As fine as the largest picture shows: all others are merged from it.
  const std::int64_t entries = 2 * source.entries.values.size();
  for (const auto& [width, height] : {size, block_size{spy_options{}.width, spy_options{}.height}}) {
    const auto [rows, cols] = spy_grid({source.entries.rows, source.entries.cols, width, height}, entries);
    request.grid_rows = std::max(request.grid_rows, rows);
    request.grid_cols = std::max(request.grid_cols, cols);
  }
  const std::string field = source.field;
  matrix_features f;
  // Values as 64 bits, whatever they were: nothing is lost, and only the width of offsets is left to choose.
  on_backend(choice.use_gpu, [&](auto on) {
    with_types({needs_wide_offsets(most_entries(source)), false}, [&]<class Offset, class Value>() {
      using backend = decltype(on);
      assembly_report report;
      const auto matrix = assemble<backend, Offset, Value>(on, std::move(source), false, report, nullptr);
      f = features_of(on, view(matrix), request, nullptr);
    });
  });
  f.name = input;
  f.field = field;
  f.has_values = field != "complex";
  return f;
}

void write_pictures(const options& wanted, block_size size, const std::vector<matrix_features>& all) {
  const auto [width, height] = size;
  if (!wanted.png.empty()) {
    const auto picture = spy_png(all[0].grid, picture_of(all[0], width, height));
    write_file(wanted.png, picture.data(), picture.size());
  }
  if (!wanted.svg.empty()) {
    const std::string picture = spy_svg(all[0].grid, picture_of(all[0], width, height));
    write_file(wanted.svg, picture.data(), picture.size());
  }
  if (wanted.html.empty()) return;
  std::vector<spy_pictures> pictures;
  for (const matrix_features& f : all) {
    const auto as_uri = [&](theme colours) {
      const spy_options options = picture_of(f, spy_options{}.width, spy_options{}.height, colours);
      return "data:image/png;base64," + base64(spy_png(f.grid, options));
    };
    pictures.push_back({as_uri(theme::light), as_uri(theme::dark)});
  }
  const std::string page = html_report(all, pictures, wanted.bins);
  write_file(wanted.html, page.data(), page.size());
}

// Whether all matrices could be analysed. Of several, one that cannot does not keep the others from it.
bool run(const options& wanted) {
  feature_request request;
  request.grid_rows = request.grid_cols = 1;
  request.longest = wanted.top;
  request.plan.tile = wanted.tile;
  if (!wanted.blocks.empty()) request.blocks.clear();
  for (const std::string& text : wanted.blocks) {
    const auto sides = parse_sides("--blocks", text, "4 or 8x4", 1, 1024);
    if (std::find(request.blocks.begin(), request.blocks.end(), sides) == request.blocks.end())
      request.blocks.push_back(sides);
  }
  const auto size = parse_sides("--size", wanted.size, "1200 or 1200x900", 16, 8192);
  check_outputs(wanted);
  const device_choice choice = choose_device(wanted.common);
  const terminal shown = look_at_terminal();
  const bool several = wanted.inputs.size() > 1;

  if (wanted.csv) fmt::print("{}\n", csv_header(request.blocks));
  std::vector<matrix_features> all;
  for (const std::string& input : wanted.inputs) {
    try {
      all.push_back(analyze(input, request, choice, size, !wanted.common.quiet));
    } catch (const error& problem) {
      if (!several || problem.category() == failure::usage) throw;
      fmt::print(stderr, "spanalyze: {}\n", problem.what());
      continue;
    } catch (const std::bad_alloc&) {
      if (!several) throw;
      fmt::print(stderr, "spanalyze: {}: out of memory\n", input);
      continue;
    }
    if (!wanted.csv) continue;
    fmt::print("{}\n", csv_line(all.back(), request.blocks));
    // Whoever waits for many matrices sees the first ones.
    if (std::fflush(stdout) != 0) throw error(failure::output, "standard output: could not write");
    if (wanted.html.empty() && wanted.png.empty() && wanted.svg.empty()) all.back().grid = {};
  }
  if (all.empty()) return false;
  write_pictures(wanted, size, all);
  if (wanted.common.as_json) {
    json list = json::array();
    for (const matrix_features& f : all) list.push_back(to_json(f, wanted.bins));
    fmt::print("{}\n", (several ? list : list[0]).dump(2, ' ', false, json::error_handler_t::replace));
  } else if (!wanted.csv && !wanted.common.quiet) {
    if (several) print_comparison(all, shown.width);
    if (!several || wanted.full || wanted.rows || wanted.cols)
      for (const matrix_features& f : all) {
        if (several) fmt::print("\n\n");
        print_text(f, wanted, choice.note, shown);
      }
  }
  return all.size() == wanted.inputs.size();
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  options wanted;
  CLI::App app(
      "What sparse matrices are like: lengths, blocks, band, symmetry, bytes per format; text, JSON, HTML.",
      "spanalyze");
  app.add_option("input", wanted.inputs, "Matrices: files of any kind spconv reads, or generators (below)")
      ->required();
  app.add_flag("--rows", wanted.rows,
               "Show the row lengths with linear bins as well (of several matrices: implies --full)");
  app.add_flag("--cols", wanted.cols, "Show the column lengths as well (likewise)");
  app.add_flag("--full", wanted.full, "Of several matrices show each in full, not only the comparison");
  app.add_option("--blocks", wanted.blocks, "Block sizes to look at, such as 4,8x4; sides up to 1024")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--bins", wanted.bins, "Bins of linear histograms")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--top", wanted.top, "Longest rows to list, counted from 0")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  app.add_flag("--tile", wanted.tile,
               "Price GCSB's layout tile as well: a lower bound, takes several more passes");
  app.add_option("--html", wanted.html,
                 "Write a report with charts, one page that needs nothing beside itself");
  app.add_option("--png", wanted.png, "Write a spy plot as PNG");
  app.add_option("--svg", wanted.svg, "Write a spy plot as SVG");
  app.add_option("--size", wanted.size, "Width and height of the PNG and SVG, up to 8192x8192")
      ->capture_default_str();
  auto* const csv = app.add_flag("--csv", wanted.csv, "Print one line a matrix, with commas");
  add_common_options(app, wanted.common);
  csv->excludes(app.get_option("--json"));
  app.footer("Generators:\n" + describe_generators() +
             "\nExamples:\n"
             "  spanalyze bcsstk17.mtx.gz\n"
             "  spanalyze bcsstk17.mtx.gz --png spy.png --size 2000\n"
             "  spanalyze a.mtx b.mtx --html report.html --quiet\n"
             "  spanalyze 'gen:rmat?scale=16' --json\n"
             "\nOf complex matrices (Matrix Market and .npz) the pattern is looked at.\n"
             "Exit status: 0 fine, 1 data or run-time failure (of any matrix), 2 usage.");
  bool all_analysed = true;
  const int status = run_tool(app, argc, argv, [&] { all_analysed = run(wanted); });
  return status == 0 && !all_analysed ? 1 : status;
}
