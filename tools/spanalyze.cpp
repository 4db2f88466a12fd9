// spanalyze: what a matrix is like, for a person who looks before choosing how to store it, and as data.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "analyze/report/csv.hpp"
#include "analyze/report/feature_text.hpp"
#include "analyze/report/json.hpp"
#include "analyze/report/page.hpp"
#include "analyze/report/spy.hpp"
#include "analyze/structure/features.hpp"
#include "convert/convert.hpp"
#include "convert/error.hpp"
#include "convert/io/read.hpp"
#include "tools/command_line.hpp"

namespace sparsmith {
namespace {

// What was typed.
struct typed_options {
  common_options common;
  std::vector<std::string> inputs;
  std::vector<std::string> blocks;
  std::string html, png, svg, variable;
  std::string size = "840x700";
  int bins = default_bins, longest = 5;
  bool rows = false, cols = false, full = false, tile = false, rank = false, csv = false;
};

// What is to be done; nothing below request_of knows what was typed for it.
struct analysis_request {
  std::vector<std::string> inputs;
  std::string variable;      // which matrix of a file of several
  feature_request features;  // but for the grid, which follows from the matrix and the pictures
  int picture_width = 0, picture_height = 0;  // of the PNG and the SVG
  std::string html, png, svg;                 // where to; empty where not wanted
  output_form form = output_form::text;
  device_choice device;
  bool show_progress = true;
  bool each_in_full = true;  // else, of several, the comparison alone
  bool row_histogram = false, col_histograms = false;
  int bins = default_bins;

  bool several() const { return inputs.size() > 1; }
  bool draws() const { return !(html.empty() && png.empty() && svg.empty()); }
};

analysis_request request_of(const typed_options& typed) {
  analysis_request request;
  request.inputs = typed.inputs;
  request.features.longest = typed.longest;
  request.features.plan.tile = typed.tile;
  if (typed.rank) request.features.most_entries_for_graphs = std::numeric_limits<std::int64_t>::max();
  std::vector<block_size>& blocks = request.features.blocks;
  if (!typed.blocks.empty()) blocks.clear();
  for (const std::string& text : typed.blocks) {
    const block_size sides = parse_sides("--blocks", text, "4 or 8x4", 1, 1024);
    if (std::find(blocks.begin(), blocks.end(), sides) == blocks.end()) blocks.push_back(sides);
  }
  const block_size size = parse_sides("--size", typed.size, "1200 or 1200x900", 16, 8192);
  request.picture_width = size.rows;
  request.picture_height = size.cols;
  check_output_files(typed.inputs, {{"--html", typed.html}, {"--png", typed.png}, {"--svg", typed.svg}});
  if (typed.inputs.size() > 1 && !(typed.png.empty() && typed.svg.empty()))
    throw error(failure::usage, "--png and --svg draw one matrix; --html shows several");
  request.variable = typed.variable;
  request.html = typed.html;
  request.png = typed.png;
  request.svg = typed.svg;
  request.form = form_of(typed.common, typed.csv);
  request.device = choose_device(typed.common);
  request.show_progress = !typed.common.quiet;
  request.each_in_full = typed.inputs.size() == 1 || typed.full || typed.rows || typed.cols;
  request.row_histogram = typed.rows;
  request.col_histograms = typed.cols;
  request.bins = typed.bins;
  return request;
}

spy_options picture_of(const matrix_features& f, const analysis_request& request) {
  return {f.rows, f.cols, request.picture_width, request.picture_height};
}

matrix_features analyze(const std::string& input, const analysis_request& request, bool use_gpu,
                        std::string& doubt) {
  progress_bar bar(input, request.show_progress);
  matrix_entries source = read_matrix(input, bar.callback(), {complex_values::keep, {}, request.variable});
  // As fine as the largest picture shows: all others are merged from it.
  feature_request wanted = request.features;
  wanted.grid_rows = wanted.grid_cols = 1;
  const std::int32_t rows = source.entries.rows, cols = source.entries.cols;
  const std::int64_t entries = 2 * source.entries.values.size();
  std::vector<spy_options> pictures = {{rows, cols, request.picture_width, request.picture_height}};
  if (!request.html.empty()) pictures.push_back(page_spy(rows, cols));
  for (const spy_options& picture : pictures) {
    const auto [grid_rows, grid_cols] = spy_grid(picture, entries);
    wanted.grid_rows = std::max(wanted.grid_rows, grid_rows);
    wanted.grid_cols = std::max(wanted.grid_cols, grid_cols);
  }
  const std::string field = source.field;
  matrix_features f;
  // Values as 64 bits, whatever they were: nothing is lost, and only the width of offsets is left to choose.
  on_backend(use_gpu, [&](auto on) {
    const std::int64_t most = most_entries(source);
    with_types({needs_wide_offsets(most), false}, [&]<class Offset, class Value>() {
      using backend = decltype(on);
      assembly_report report;
      if (source.field == "complex") {
        if (is_hypersparse(rows, cols, most)) {
          f = features_of_complex(
              on, assemble_hypersparse<Offset, complex128>(std::move(source), false, report, nullptr),
              wanted);
        } else {
          const auto matrix =
              assemble<backend, Offset, complex128>(on, std::move(source), false, report, nullptr);
          f = features_of_complex(on, view(matrix), wanted);
        }
      } else if (is_hypersparse(rows, cols, most)) {
        const auto matrix = assemble_hypersparse<Offset, Value>(std::move(source), false, report, nullptr);
        f = features_of(on, matrix, wanted, nullptr);
      } else {
        const auto matrix = assemble<backend, Offset, Value>(on, std::move(source), false, report, nullptr);
        f = features_of(on, view(matrix), wanted, nullptr);
      }
      doubt = doubt_about(report);
    });
  });
  f.name = input;
  f.field = field;
  return f;
}

// Those that could be analysed, in their order. Of several, one that cannot does not keep the others from it.
std::vector<matrix_features> run(analysis_request& request,
                                 const std::function<void(const matrix_features&)>& analysed,
                                 const std::function<void(const std::string&)>& failed) {
  // A table of CSV may have any number of lines, whose grids nobody looks at again.
  const bool keeps_grids = request.form != output_form::csv || request.draws();
  std::vector<matrix_features> all;
  const auto tell = [&](const std::string& note) {
    if (request.show_progress) tell_note("spanalyze: " + note);
  };
  for (const std::string& input : request.inputs) {
    try {
      std::string doubt;
      device_choice device = request.device;  // one that does not fit the GPU leaves it to the others
      device.may_fall_back = device.may_fall_back && can_be_read_again(input);
      all.push_back(
          on_chosen_device(device, tell, [&] { return analyze(input, request, device.use_gpu, doubt); }));
      if (!request.several()) request.device = device;
      if (!doubt.empty() && request.show_progress)
        tell_note(fmt::format("spanalyze: {}: {}", on_one_line(input), doubt));
    } catch (const std::exception& problem) {
      if (!request.several()) throw;
      failed(problem_with(input, problem));
      continue;
    }
    analysed(all.back());
    if (!keeps_grids) all.back().grid = {};
  }
  return all;
}

void write_pictures(const analysis_request& request, const std::vector<matrix_features>& all) {
  if (!request.png.empty()) {
    const auto picture = spy_png(all[0].grid, picture_of(all[0], request));
    write_whole_file(request.png, {reinterpret_cast<const char*>(picture.data()), picture.size()});
  }
  if (!request.svg.empty()) {
    const std::string picture = spy_svg(all[0].grid, picture_of(all[0], request));
    write_whole_file(request.svg, picture);
  }
  if (request.html.empty()) return;
  std::vector<spy_pictures> pictures;
  for (const matrix_features& f : all) pictures.push_back(draw_spy_pictures(f));
  const std::string page =
      html_report(all, pictures, {SPARSMITH_VERSION, request.device.note, utc_now()}, request.bins);
  write_whole_file(request.html, page);
}

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
  t.width = output_width();
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
    t.height = std::clamp<int>(size.ws_row, 12, 60);
  const std::string kind = environment("TERM"), depth = environment("COLORTERM");
  if (t.unicode() && !kind.empty() && kind != "dumb" && environment("NO_COLOR").empty())
    t.ink =
        depth == "truecolor" || depth == "24bit" ? terminal_ink::colours_24_bit : terminal_ink::colours_256;
  return t;
}

void print_text(const analysis_request& request, const std::vector<matrix_features>& all) {
  text_options options{look_at_terminal(), request.device.note, request.bins, request.row_histogram,
                       request.col_histograms};
  if (request.several()) fmt::print("{}", comparison_as_text(all, options.shown.width));
  if (!request.each_in_full) return;
  for (const matrix_features& f : all) {
    fmt::print("{}{}", request.several() ? "\n\n" : "", features_as_text(f, options));
    options.device.clear();  // the same for all
  }
}

void print_json(const analysis_request& request, const std::vector<matrix_features>& all) {
  json list = json::array();
  for (const matrix_features& f : all) list.push_back(to_json(f, request.bins));
  fmt::print("{}\n",
             (request.several() ? list : list[0]).dump(2, ' ', false, json::error_handler_t::replace));
}

void print_csv_line(const analysis_request& request, const matrix_features& f) {
  fmt::print("{}\n", csv_line(f, request.features.blocks));
  // Whoever waits for many matrices sees the first ones.
  if (std::fflush(stdout) != 0) throw error(failure::output, "standard output: could not write");
}

// Whether all matrices could be analysed.
bool analyze_matrices(analysis_request request) {
  const bool as_csv = request.form == output_form::csv;
  if (as_csv) fmt::print("{}\n", csv_header(request.features.blocks));
  const std::vector<matrix_features> all = run(
      request,
      [&](const matrix_features& f) {
        if (as_csv) print_csv_line(request, f);
      },
      [](const std::string& problem) { fmt::print(stderr, "spanalyze: {}\n", problem); });
  if (all.empty()) return false;
  write_pictures(request, all);
  if (request.form == output_form::text) print_text(request, all);
  if (request.form == output_form::json) print_json(request, all);
  return all.size() == request.inputs.size();
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  typed_options typed;
  CLI::App app(
      "What sparse matrices are like: lengths, blocks, band, symmetry, bytes per format; text, JSON, HTML.",
      "spanalyze");
  app.add_option("input", typed.inputs,
                 "Matrices: files of any kind spconv reads, or generators (--help-generators)")
      ->required()
      ->type_name("FILE");
  app.add_flag("--rows", typed.rows,
               "Show the row lengths with linear bins as well (of several matrices: implies --full)");
  app.add_flag("--cols", typed.cols, "Show the column lengths as well (likewise)");
  app.add_flag("--full", typed.full, "Of several matrices show each in full, not only the comparison");
  app.add_option("--blocks", typed.blocks, "Block sizes to look at, such as 4,8x4; sides up to 1024")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--bins", typed.bins, "Bins of linear histograms")
      ->check(between(1, 1000))
      ->capture_default_str();
  app.add_option("--top", typed.longest, "Longest rows to list, counted from 0")
      ->check(between(0, 100000))
      ->capture_default_str();
  app.add_flag("--tile", typed.tile,
               "Price GCSB's layout tile as well: a lower bound, takes several more passes");
  app.add_flag(
      "--rank", typed.rank,
      "Find the structural rank, and the bandwidth that the order rcm would give, however many entries "
      "there are; by default up to a million");
  app.add_option("--html", typed.html,
                 "Write a report with charts, one page that needs nothing beside itself")
      ->type_name("FILE");
  app.add_option("--png", typed.png, "Write a spy plot as PNG")->type_name("FILE");
  app.add_option("--svg", typed.svg, "Write a spy plot as SVG")->type_name("FILE");
  app.add_option("--size", typed.size, "Width and height of the PNG and SVG, up to 8192x8192")
      ->capture_default_str();
  auto* const csv = app.add_flag("--csv", typed.csv, "Print one line a matrix, with commas");
  add_variable_option(app, typed.variable);
  add_common_options(app, typed.common);
  csv->excludes(app.get_option("--json"));
  set_help(
      app,
      {.examples = {"spanalyze bcsstk17.mtx.gz", "spanalyze bcsstk17.mtx.gz --png spy.png --size 2000",
                    "spanalyze a.mtx b.mtx --html report.html --quiet", "spanalyze gen:rmat?scale=16 --json"},
       .remarks = {"Of complex matrices (Matrix Market, Rutherford-Boeing, .npz, .npy, MATLAB, AnnData) the "
                   "pattern is looked at."},
       .exit_statuses = {{"0", "fine"}, {"1", "data or run-time failure (of any matrix)"}, {"2", "usage"}}});
  bool all_analysed = true;
  const int status = run_tool(app, argc, argv, [&] { all_analysed = analyze_matrices(request_of(typed)); });
  return status == 0 && !all_analysed ? 1 : status;
}
