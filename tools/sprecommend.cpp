// sprecommend: which format wins on a matrix, by how much, why, and from how many products on. Runs the
// kernels of the machine at hand against each other, or predicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "analyze/recommend/machine_cache.hpp"
#include "analyze/recommend/orders.hpp"
#include "analyze/recommend/recommend.hpp"
#include "analyze/recommend/standing.hpp"
#include "analyze/report/recommend_csv.hpp"
#include "analyze/report/recommend_json.hpp"
#include "analyze/report/recommend_orders.hpp"
#include "analyze/report/recommend_overall.hpp"
#include "analyze/report/recommend_page.hpp"
#include "analyze/report/recommend_text.hpp"
#include "convert/error.hpp"
#include "convert/formats/properties.hpp"
#include "tools/command_line.hpp"
#include "tools/kernel_names.hpp"
#include "tools/library/matrix_state.hpp"
#include "tools/library/recommend_as.hpp"

namespace sparsmith {
namespace {

// What was typed.
struct typed_options {
  common_options common;
  std::vector<std::string> inputs, formats, kernels;
  std::string mix = "1:1", memory, html, machine, variable;
  double products = 0, budget = 0;
  vector_layout vectors;
  value_width values = value_width::automatic;
  int top = 0;
  std::vector<std::string> orders;
  bool warm = false, repeatable = false, predict = false, exhaustive = false, refresh = false, csv = false;
  bool list = false, warm_only = false, prefer_bytes = false, as_general = false, all = false;
  int samples = 30;
  // Of formats that take part as they are asked for, and not as the field would have them.
  std::string block = "4x4", tile = "auto", diagonals = "auto";
  conversion_options conversion;
  std::optional<double> max_fill;
  std::vector<std::string> of_formats;  // which options of formats were typed
};

// What is to be done; nothing below request_of knows what was typed for it.
struct tool_request {
  std::vector<std::string> inputs;
  recommend_request each;      // but for what belongs to one matrix
  double began = 0;            // when the work began
  double machine_seconds = 0;  // that measuring the machine took, once and not for any matrix
  value_width values = value_width::automatic;
  std::string variable;  // which matrix of a file of several
  std::string html;
  output_form form = output_form::text;
  bool all = false;                 // of the text
  std::vector<std::string> orders;  // that a matrix is raced in beside the one it has
  device_choice device;
  bool show_progress = true;

  bool several() const { return inputs.size() > 1; }
};

// The signal that came; 0 before.
volatile std::sig_atomic_t interrupted = 0;

const double started = seconds_now();

// The first time, by the user or by a time limit, asks for what there is so far; the second time ends.
void note_interrupt(int signal) {
  interrupted = signal;
  std::signal(signal, SIG_DFL);
}

// What --slice and the like ask for, by the formats they are about.
std::map<format_kind, conversion_options> forced_formats(const typed_options& typed) {
  conversion_options options = typed.conversion;
  options.bsr_block = parse_block(typed.block);
  options.dia_share = parse_diagonals(typed.diagonals);
  if (typed.tile != "auto") {
    const block_size sides = parse_tile(typed.tile);
    options.tile.height = sides.rows;
    options.tile.width = sides.cols;
  }
  // Layout tile takes powers of two up to a warp; unless it is asked for, other groups are for the other
  // layout alone.
  const std::int32_t group = options.blocks.group_size;
  const bool for_tile = is_lane_count(group) ||
                        std::any_of(typed.formats.begin(), typed.formats.end(),
                                    [](const std::string& name) { return is_in_tiles(*format_named(name)); });
  if (for_tile) options.tile.group_size = group;
  std::map<format_kind, conversion_options> forced;
  for (const std::string& option : typed.of_formats)
    for (const format_kind format : formats_with(option))
      if (!is_in_tiles(format) || option != "--group" || for_tile) forced[format] = options;
  // All that was typed must be right, whatever of it this run needs.
  for (const auto& [format, asked] : forced) require_options(asked, format);
  return forced;
}

// The formats that can take part where only some formats, or some kernels, were asked for.
std::vector<format_kind> formats_asked_for(const field_request& field,
                                           const std::vector<format_kind>& of_kernels) {
  std::vector<format_kind> formats;
  for (const format_kind format : all_formats()) {
    const auto among = [&](const std::vector<format_kind>& some) {
      return some.empty() || std::find(some.begin(), some.end(), format) != some.end();
    };
    if (among(field.formats) && among(of_kernels)) formats.push_back(format);
  }
  if (formats.empty()) throw error(failure::usage, "no kernel of --kernels belongs to a format of --formats");
  return formats;
}

tool_request request_of(const typed_options& typed, const device_choice& device,
                        const progress_line& progress) {
  tool_request request;
  request.inputs = typed.inputs;
  objective& wanted = request.each.wanted;
  const mix_of_products mix = parse_mix(typed.mix);
  wanted.weights = mix.weights;
  wanted.one_pass = mix.one_pass;
  for (const auto& [option, value] :
       {std::pair("--products", typed.products), std::pair("--budget", typed.budget)})
    if (!std::isfinite(value)) throw error(failure::usage, fmt::format("{} {}: not a number", option, value));
  if (typed.vectors.count > 1 && typed.predict)
    throw error(failure::usage, "--vectors: of several vectors at once nothing is predicted, they are raced");
  if (typed.vectors.count > 1 && wanted.one_pass)
    throw error(failure::usage,
                fmt::format("--vectors: {} is computed with one vector at a time", typed.mix));
  if (typed.vectors.count > 1 && typed.vectors.by_rows && device.use_gpu)
    throw error(failure::usage,
                "--vectors: on a GPU they lie by columns (--vectors-by columns), or --device cpu");
  wanted.vectors = typed.vectors;
  wanted.products = typed.products;
  wanted.warm = typed.warm || typed.warm_only;
  wanted.repeatable = typed.repeatable;
  wanted.memory = typed.memory.empty() ? 0 : parse_memory(typed.memory);
  wanted.prefer_bytes = typed.prefer_bytes;
  request.each.as_general = typed.as_general;
  request.all = typed.all;
  request.orders = typed.orders;
  field_request& field = request.each.field;
  for (const std::string& name : typed.formats) field.formats.push_back(*format_named(name));
  field.memory = wanted.memory;
  field.forced = forced_formats(typed);
  if (typed.max_fill) require_max_fill(*typed.max_fill);
  field.max_fill = typed.max_fill;
  request.each.predict = typed.predict && typed.top == 0;
  request.each.top = typed.top;
  request.each.exhaustive = typed.exhaustive;
  request.each.samples = typed.samples;
  request.each.warm_only = typed.warm_only;
  request.each.budget = typed.budget;
  request.each.interrupted = [] { return interrupted != 0; };
  request.values = typed.values;
  check_output_files(typed.inputs, {{"--html", typed.html}});
  request.variable = typed.variable;
  request.html = typed.html;
  request.form = form_of(typed.common, typed.csv);
  request.show_progress = !typed.common.quiet;
  request.device = device;
  if (!typed.machine.empty() && !typed.predict)
    throw error(failure::usage, "--machine: another machine is only predicted (--predict)");
  if (!typed.machine.empty() && typed.top > 0)
    throw error(failure::usage, "--top: nothing can be raced on the machine of --machine");
  std::optional<known_machine> machine;
  if (!typed.machine.empty()) machine = read_machine(typed.machine);
  const std::string backend = machine                  ? machine->description.backend
                              : request.device.use_gpu ? cuda::name
                                                       : openmp::name;
  const std::vector<listed_kernel> kernels = all_kernels();
  if (std::none_of(kernels.begin(), kernels.end(),
                   [&](const listed_kernel& k) { return k.backend == backend; }))
    throw error(failure::unsupported,
                fmt::format("--machine {}: this build has no kernels for {}", typed.machine, backend));
  field.kernels = with_vendors_named("--kernels", typed.kernels, kernels, backend);
  const std::vector<format_kind> formats =
      formats_asked_for(field, formats_of_kernels("--kernels", field.kernels, kernels, backend));
  require_meaning(typed.of_formats, formats, listed(formats));
  if (!machine) {
    progress.say("what this machine can do");
    machine = on_backend(request.device.use_gpu, [&](auto on) { return know_machine(on, typed.refresh); });
    progress.clear();
    if (const std::string& doubt = machine->description.code_doubt; !doubt.empty() && request.show_progress)
      tell_note("sprecommend: the kernels are " + doubt);
  }
  request.each.machine = std::move(machine->description);
  request.each.rates = machine->rates;
  request.each.noisy_rates = machine->noisy;
  request.machine_seconds = machine->seconds;
  return request;
}

using library::told_matrix;

// Of several that are asked for, one that cannot be made does not keep the others from it.
using problem_sink = std::function<void(const std::string& what, const std::exception& problem)>;

told_matrix recommend_for(const std::string& input, const tool_request& request, double began,
                          const progress_line& progress, const problem_sink& failed) {
  recommend_request each = request.each;
  each.began = began;
  const auto say = [&](const std::string& text) { progress.say(input + ": " + text); };
  const matrix a = [&] {
    progress_bar bar(input, request.show_progress);
    read_options how;
    how.where = request.device.use_gpu ? run_on::gpu : run_on::cpu;
    how.values = request.values;
    how.variable = request.variable;
    how.progress = bar.callback();
    return read(input, how);
  }();
  const std::vector<reordering> orders = library::orders_for(request.orders, a.rows(), a.cols());
  told_matrix told;
  told.add(library::recommend_as(a, each, say));
  const std::string doubt = doubt_about(a.assembly());
  progress.clear();
  if (!doubt.empty() && request.show_progress)
    tell_note(fmt::format("sprecommend: {}: {}", on_one_line(input), doubt));
  for (const reordering how : orders) {
    if (interrupted != 0) break;
    try {
      told.add(library::recommend_in_order(a, how, each, [&](const std::string& text) {
        progress.say(fmt::format("{} in order {}: {}", input, name_of(how), text));
      }));
    } catch (const error& problem) {
      if (problem.category() == failure::device) throw;
      progress.clear();
      failed(fmt::format("{} in order {}", input, name_of(how)), problem);
    }
  }
  return told;
}

// The results of all that could be read, in their order. Of several, one that cannot does not keep the others
// from it.
std::vector<told_matrix> run(const tool_request& request, const progress_line& progress,
                             const std::function<void(const told_matrix&)>& done,
                             const std::function<void(const std::string&)>& failed) {
  std::vector<told_matrix> all;
  for (const std::string& input : request.inputs) {
    if (interrupted != 0) {
      failed(input + ": not reached, interrupted");
      continue;
    }
    try {
      // What it takes to find the device and to start it is part of the first one's time.
      all.push_back(recommend_for(
          input, request,
          &input == &request.inputs.front() ? request.began + request.machine_seconds : seconds_now(),
          progress, [&](const std::string& what, const std::exception& problem) {
            failed(problem_with(what, problem));
          }));
    } catch (const std::exception& problem) {
      if (!request.several()) throw;
      progress.clear();
      failed(problem_with(input, problem));
      // A broken device is one for the others as well; what there is of those before is told.
      const auto* const known = dynamic_cast<const error*>(&problem);
      if (known != nullptr && known->category() == failure::device) break;
      continue;
    }
    progress.clear();
    done(all.back());
  }
  return all;
}

// The recommendations and verdicts of all matrices, and of each in all its orders.
struct told_in_line {
  std::vector<recommendation> told;
  std::vector<verdict> verdicts;
};
told_in_line in_line(const std::vector<told_matrix>& all) {
  told_in_line line;
  for (const told_matrix& one : all) {
    line.told.insert(line.told.end(), one.orders.begin(), one.orders.end());
    line.verdicts.insert(line.verdicts.end(), one.verdicts.begin(), one.verdicts.end());
  }
  return line;
}

// Of several orders the one to take, unless all is asked for, and then how they compare.
void print_text(const tool_request& request, const std::vector<told_matrix>& all) {
  const int width = output_width();
  bool first = true;
  const auto print = [&](const std::string& text) {
    fmt::print("{}{}", first ? "" : "\n\n", text);
    first = false;
  };
  for (const told_matrix& one : all) {
    const bool ordered = !request.orders.empty();
    const order_verdict orders = order_verdict_of(one.orders, one.verdicts);
    for (std::size_t i = 0; i < one.orders.size(); ++i)
      if (!ordered || request.all || static_cast<int>(i) == std::max(orders.taken, 0))
        print(recommendation_as_text(one.orders[i], one.verdicts[i], width,
                                     request.all || request.each.exhaustive));
    if (ordered) print(orders_as_text(orders, request.each.wanted, width));
  }
  const auto [told, verdicts] = in_line(all);
  if (request.several()) print(recommendations_compared(told, verdicts, width));
  if (!request.each.exhaustive) return;
  if (const std::string overall = overall_as_text(told, request.inputs.size(), width); !overall.empty())
    print(overall);
}

// One document, or a list of them; of exhaustive runs with what they come to together.
void print_json(const tool_request& request, const std::vector<told_matrix>& all) {
  json list = json::array();
  for (const told_matrix& one : all)
    list.push_back(request.orders.empty() ? to_json(one.orders.front(), one.verdicts.front())
                                          : orders_as_json(order_verdict_of(one.orders, one.verdicts),
                                                           one.orders, one.verdicts));
  if (!request.several() && list.empty()) return;
  json document;
  if (!request.several())
    document = std::move(list[0]);
  else if (request.each.exhaustive)
    document = {{"schema", "sparsmith.exhaustive/1"},
                {"asked", request.inputs.size()},
                {"overall", overall_as_json(in_line(all).told, request.inputs.size())},
                {"matrices", std::move(list)}};
  else
    document = std::move(list);
  // Names need not be UTF-8.
  fmt::print("{}\n", document.dump(2, ' ', false, json::error_handler_t::replace));
}

// How it ended: whether there is a verdict on all matrices, whether a kernel was wrong.
struct outcome {
  bool complete = true;
  std::vector<std::string> wrong;
};

void print_list(const typed_options& typed) {
  const std::vector<listed_kernel> all = all_kernels();
  fmt::print("{}", typed.common.as_json ? kernels_as_json(all).dump(2) + "\n"
                                        : kernels_as_text(all, output_width()));
}

// Once more where the first try fell back.
outcome recommend_on(const typed_options& typed, const device_choice& device, bool once_more,
                     const progress_line& progress) {
  tool_request request = request_of(typed, device, progress);
  request.began = once_more ? seconds_now() - request.machine_seconds : started;
  // What was ignored on purpose stays so.
  for (const int signal : {SIGINT, SIGTERM})
    if (std::signal(signal, note_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  if (request.form == output_form::csv && !once_more) fmt::print("{}", recommendation_csv_header());
  outcome ended;
  const std::vector<told_matrix> all = run(
      request, progress,
      [&](const told_matrix& one) {
        for (std::size_t i = 0; i < one.orders.size(); ++i) {
          const recommendation& told = one.orders[i];
          ended.complete = ended.complete && one.verdicts[i].winner;
          const std::string in_order = told.order.empty() ? "" : " in order " + told.order;
          for (const std::string& wrong : wrong_results(told.found))
            ended.wrong.push_back(told.name + in_order + ": " + wrong);
          if (request.form == output_form::csv)
            fmt::print("{}", recommendation_csv_lines(told, one.verdicts[i]));
        }
        // Whoever waits for many matrices sees the first ones.
        if (request.form == output_form::csv && std::fflush(stdout) != 0)
          throw error(failure::output, "standard output: could not write");
      },
      [&](const std::string& problem) {
        ended.complete = false;
        fmt::print(stderr, "sprecommend: {}\n", problem);
      });
  if (!request.html.empty() && !all.empty()) {
    const auto [told, verdicts] = in_line(all);
    write_whole_file(request.html, recommendation_page(told, verdicts,
                                                       {SPARSMITH_VERSION, request.device.note, utc_now()}));
  }
  if (request.form == output_form::text) print_text(request, all);
  if (request.form == output_form::json) print_json(request, all);
  for (const std::string& line : ended.wrong) fmt::print(stderr, "sprecommend: {}\n", line);
  return ended;
}

outcome recommend_matrices(const typed_options& typed) {
  if (typed.inputs.empty())
    throw error(failure::usage, "name a matrix, a generator (gen:...) or --list (see --help)");
  const progress_line progress(!typed.common.quiet);
  device_choice device = choose_device(typed.common);
  // One of several that does not fit is told of, and a GPU's kernels are not a CPU's.
  if (typed.inputs.size() > 1 || !typed.kernels.empty() || !can_be_read_again(typed.inputs[0]))
    device.may_fall_back = false;
  bool once_more = false;
  const auto tell = [&](const std::string& note) {
    once_more = true;
    progress.clear();
    if (!typed.common.quiet) tell_note("sprecommend: " + note);
  };
  if (!device.doubt.empty() && !typed.common.quiet) tell_note("sprecommend: on the CPU: " + device.doubt);
  return on_chosen_device(device, tell, [&] { return recommend_on(typed, device, once_more, progress); });
}

std::vector<std::string> kernel_words() {
  std::vector<std::string> words = {"vendor"};
  for (const listed_kernel& kernel : all_kernels()) words.emplace_back(kernel.info.name);
  return words;
}

// A format that one of these is about takes part as it says, instead of with the parameters worth trying.
void add_format_options(CLI::App& app, typed_options& typed) {
  conversion_options& conversion = typed.conversion;
  app.add_option("--slice", conversion.sell.slice, "SELL, as asked for: rows per slice (C)")
      ->capture_default_str();
  app.add_option("--sigma", conversion.sell.sigma,
                 "SELL, as asked for: rows per sorting window; the vendor's takes 1")
      ->capture_default_str();
  app.add_option("--width", conversion.hyb_width, "HYB, as asked for: width of the ELL part")
      ->check(between(0, std::numeric_limits<std::int32_t>::max()));
  app.add_option("--diagonals", typed.diagonals,
                 "DIA, as asked for: all diagonals, those with entries in at least such a share of the rows, "
                 "or auto")
      ->transform(in_any_case({"auto", "all"}))
      ->capture_default_str();
  app.add_option("--block", typed.block, "BSR, as asked for: block size, RxC up to 64x64")
      ->transform(in_any_case({}))
      ->capture_default_str();
  app.add_option("--beta", conversion.blocks.beta,
                 "CSB, eCSB, GCSB, as asked for: block side, a power of two from 2 to 4096")
      ->capture_default_str();
  app.add_option("--group", conversion.blocks.group_size,
                 "GCSB, as asked for: blocks per group; layout tile: lanes, a power of two up to 32")
      ->capture_default_str();
  add_choice(
      app, "--holding", conversion.blocks.holding,
      {{"all", {}}, {"coo", ecsb_holding::coo}, {"ell", ecsb_holding::ell}, {"hybrid", ecsb_holding::hybrid}},
      "eCSB, as asked for: coo, ell, hybrid or all of them");
  app.add_option("--tile", typed.tile,
                 "GCSB, layout tile, as asked for: sides, such as 512x1024; auto takes them from the matrix")
      ->transform(in_any_case({"auto"}))
      ->capture_default_str();
  add_choice(app, "--renumber", conversion.tile.renumber,
             {{"auto", renumbering::automatic}, {"length", renumbering::length}, {"none", renumbering::none}},
             "GCSB, layout tile, as asked for: rows and columns numbered by falling length");
  app.add_option("--rest", conversion.tile.rest_below,
                 "GCSB, layout tile, as asked for: tiles with fewer entries go to a COO rest")
      ->capture_default_str();
  app.add_option("--max-fill", typed.max_fill,
                 "Leave padded formats out above this many slots per entry, at least 1")
      ->default_str("3");
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  typed_options typed;
  CLI::App app(
      "Runs the kernels of all formats on a matrix and says which format wins, by how much and why, and "
      "after how many products converting to it is repaid.",
      "sprecommend");
  app.add_option("input", typed.inputs,
                 "Matrices: files of any kind spconv reads, or generators (--help-generators)")
      ->type_name("FILE");
  app.add_flag("--list", typed.list, "Print every kernel of every format, and run nothing");
  app.add_option(
         "--mix", typed.mix,
         "How many products with A and with A^T are wanted: 10:1, or 1:0 for A x alone; both: A x and "
         "A^T w together (BiCG, HITS), normal: A^T (A x) (CGNR, least squares), in one pass over A or "
         "as two products, whichever is faster")
      ->transform(in_any_case({"both", "normal"}))
      ->capture_default_str();
  app.add_option("--products", typed.products,
                 "How many products there will be, with --mix both or normal how many times both: converting "
                 "is then part of what they cost")
      ->check(between(1.0, 1e15));
  app.add_option("--vectors", typed.vectors.count,
                 "Products with so many vectors at once (A times a matrix of so many columns)")
      ->check(between(1, 4096));
  add_choice(
      app, "--vectors-by", typed.vectors.by_rows, {{"rows", true}, {"columns", false}},
      "How they lie in memory: by rows, the values of a row of all of them side by side, or one vector "
      "after the other, which is all that a GPU takes");
  add_choice(app, "--caches", typed.warm, {{"cold", false}, {"warm", true}},
             "Which runs decide: with cold caches, or with warm ones");
  add_choice(
      app, "--value", typed.values,
      {{"auto", value_width::automatic},
       {"f32", value_width::f32},
       {"f64", value_width::f64},
       {"c64", value_width::c64},
       {"c128", value_width::c128}},
      "Value type: f32, f64, complex of 64 or 128 bits (c64, c128; those of real inputs and generators "
      "have no imaginary parts), or auto (as in the input)");
  app.add_option("--formats", typed.formats, "Only these formats, with commas between")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(one_of(format_names()));
  app.add_option(
         "--kernels", typed.kernels,
         "Only these kernels, with commas between, also those of history (--list); vendor: all of the "
         "vendor's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(such_as(kernel_words()));
  auto* const orders =
      app.add_option("--reorder", typed.orders,
                     "Race it in these orders of its rows and columns too, with commas between: rcm, amd, "
                     "length (as spconv has them), or all that its shape allows")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->transform(one_of({"rcm", "amd", "length", "all"}));
  app.add_option("--memory", typed.memory, "What the matrix may take at most, such as 512M or 8G");
  add_choice(app, "--prefer", typed.prefer_bytes, {{"stay", false}, {"bytes", true}},
             "Of what cannot be told apart: what needs no conversion, or the fewest bytes");
  app.add_flag("--as-general", typed.as_general,
               "Run A^T x even where A equals A^T, and A x would do for both");
  app.add_flag("--repeatable", typed.repeatable, "Only kernels that give the same bits every time");
  auto* const budget =
      app.add_option("--budget", typed.budget,
                     "Seconds for each matrix, reading included; by default enough for its size")
          ->check(between(1e-3, 1e9));
  auto* const predict =
      app.add_flag("--predict", typed.predict, "Run nothing: rank by a model of the machine's bandwidths");
  app.add_option("--top", typed.top,
                 "With --predict: race so many that it puts first, and CSR, and nobody else")
      ->check(between(1, 100))
      ->needs(predict);
  app.add_option("--machine", typed.machine, "Predict for another machine, from its file in the cache folder")
      ->type_name("FILE");
  app.add_flag("--refresh", typed.refresh, "Measure anew what this machine can do");
  auto* const exhaustive = app.add_flag(
      "--exhaustive", typed.exhaustive,
      "All samples of all kernels, those of history too; who is 100 times behind in one run leaves");
  app.add_option("--samples", typed.samples, "Samples of every median with --exhaustive")
      ->check(between(1, 100000))
      ->capture_default_str()
      ->needs(exhaustive);
  app.add_flag("--warm-only", typed.warm_only, "No runs with cold caches with --exhaustive")
      ->needs(exhaustive);
  predict->excludes(exhaustive);
  orders->excludes(exhaustive);
  budget->excludes(exhaustive);
  add_format_options(app, typed);
  app.add_flag("--all", typed.all,
               "Print everybody who took part, what else there is, and why others did not run");
  app.add_option("--html", typed.html,
                 "Write a report with charts, one page that needs nothing beside itself")
      ->type_name("FILE");
  auto* const csv = app.add_flag("--csv", typed.csv, "Print one line a kernel and product, with commas");
  add_variable_option(app, typed.variable);
  add_common_options(app, typed.common);
  csv->excludes(app.get_option("--json"));
  set_help(app,
           {.examples = {"sprecommend bcsstk17.mtx.gz",
                         "sprecommend bcsstk17.mtx.gz --mix 10:1 --products 500 --html report.html",
                         "sprecommend a.mtx --mix normal", "sprecommend a.mtx --reorder rcm,length",
                         "sprecommend a.mtx b.mtx --value f32 --budget 10 --json",
                         "sprecommend gen:rmat?scale=18 --predict",
                         "sprecommend a.mtx --exhaustive --kernels bsr/stream,vendor --block 5x5 --mix 1:0"},
            .remarks = {"Ctrl-C, or the signal of a time limit, gives the verdict so far."},
            .exit_statuses = {{"0", "fine"},
                              {"1", "a wrong result, data or run-time failure"},
                              {"2", "usage"},
                              {"128 and the signal's number", "where it was interrupted"}}});
  outcome ended;
  const int status = run_tool(app, argc, argv, [&] {
    typed.of_formats = format_options_given(app);
    if (typed.list)
      print_list(typed);
    else
      ended = recommend_matrices(typed);
  });
  if (status != 0) return status;
  if (!ended.wrong.empty()) return 1;
  if (interrupted != 0) return 128 + interrupted;
  return ended.complete ? 0 : 1;
}
