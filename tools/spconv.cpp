// spconv: converts a sparse matrix from any input into any format, and says what that did and what it cost.
// In four parts: what was typed, the request it is settled into, the run, and printing (spconv_print.cpp).
#include "tools/spconv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "convert/formats/validate.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "tools/command_line.hpp"

namespace sparsmith::spconv {
namespace {

// ---- what was typed ----

enum class layout { blocks, tile, thesis };
enum class stored_part { whole, half };

struct typed_options {
  common_options common;
  std::string input, to, output, container_name;
  std::optional<bool> wide_offsets;
  std::optional<value_choice> values;
  conversion_options conversion;
  std::vector<std::string> blocks;  // of BSR: "4x4", "4", "auto"
  std::vector<std::int32_t> betas;
  std::string tile = "auto", diagonals = "auto";
  std::optional<layout> blocked_layout;
  std::optional<stored_part> symmetric;
  int index_bits = 0;
  bool drop_zeros = false, verify = false, plan = false;
  edge_options edges;
  std::optional<reordering> reorder;
  std::string ids_path, variable, order_path, undo_path;
  std::vector<std::string> of_formats;  // which of the options that are about some formats only
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void add_options(CLI::App& app, typed_options& typed) {
  std::vector<std::string> targets = format_names();
  targets.push_back("mtx");
  conversion_options& conversion = typed.conversion;
  app.add_option(
         "input", typed.input,
         fmt::format(
             "A matrix, known by its content: {}; texts, .npy, .mat and PETSc's also packed (.gz, .bz2, "
             ".xz, .zst), texts in SuiteSparse's .tar.gz; - for standard input, or a generator "
             "(--help-generators)",
             kinds_that_are_read))
      ->required()
      ->type_name("FILE");
  app.add_option("--to", typed.to,
                 fmt::format("Format: {}; mtx writes a Matrix Market file. Without it -o writes csr, or mtx "
                             "where it names a Matrix Market file",
                             joined(format_names())))
      ->transform(one_of(targets));
  app.add_option("-o,--output", typed.output,
                 "Where to write; .mtx, .mtx.gz, .npz, .bsp.h5 or .h5 chooses the container. Without it, "
                 "only the summary is printed")
      ->type_name("FILE");
  app.add_option("--container", typed.container_name,
                 "What -o writes, whatever the extension: mtx, npz, binsparse or sparsmith")
      ->transform(one_of({"mtx", "npz", "binsparse", "sparsmith"}));
  app.add_flag(
      "--plan", typed.plan,
      "Price every format for this matrix without building any; peak is the most memory (of the GPU, "
      "on one) that a run with --to holds at once, reading included, -o and --verify left out");
  app.add_flag("--verify", typed.verify, "Check the result and convert it back, bit for bit");
  add_choice(app, "--value", typed.values,
             {{"auto", {}},
              {"f32", value_choice::f32},
              {"f64", value_choice::f64},
              {"c64", value_choice::c64},
              {"c128", value_choice::c128}},
             "Value type: f32, f64, complex of 64 or 128 bits (c64, c128), or auto (as in the input)");
  add_choice(app, "--offsets", typed.wide_offsets, {{"auto", {}}, {"32", false}, {"64", true}},
             "Offset width: 32, 64, or auto (from the entry count)");
  add_choice(app, "--reorder", typed.reorder,
             {{"rcm", reordering::rcm}, {"amd", reordering::amd}, {"length", reordering::length}},
             "Rows and columns in another order: rcm (near the diagonal), amd (little fill in factors), or "
             "length (rows alone, the longest first)");
  app.add_option("--permutation", typed.order_path, "Write the order of --reorder to this file, a row a line")
      ->type_name("FILE");
  app.add_option("--undo-permutation", typed.undo_path,
                 "Take back the order in this file, which --permutation wrote")
      ->type_name("FILE");
  app.add_flag("--drop-zeros", typed.drop_zeros, "Remove entries whose value is zero");
  add_choice(app, "--base", typed.edges.base, {{"auto", {}}, {"0", 0}, {"1", 1}},
             "Edge lists: what ids are counted from: 0, 1, or auto (0 where an id is 0)");
  add_choice(app, "--sizes", typed.edges.sized, {{"auto", {}}, {"yes", true}, {"no", false}},
             "Edge lists: whether the first line has sizes (rows, columns and entries; or vertices and "
             "edges) and is no edge; "
             "auto refuses what could be both");
  app.add_flag("--undirected", typed.edges.undirected, "Edge lists: every edge stands for both directions");
  app.add_option("--compact", typed.ids_path,
                 "Edge lists: number the ids that occur anew, in their order, and write them to this file, "
                 "one a line")
      ->type_name("FILE");
  add_variable_option(app, typed.variable);
  app.add_option("--max-fill", conversion.max_fill,
                 "Refuse a padded format above this many slots per entry, at least 1")
      ->capture_default_str();
  app.add_option("--slice", conversion.sell.slice, "SELL: rows per slice (C)")->capture_default_str();
  app.add_option("--sigma", conversion.sell.sigma, "SELL: rows per sorting window")->capture_default_str();
  app.add_option("--width", conversion.hyb_width,
                 "HYB: width of the ELL part; by default the largest that a third of the rows fill")
      ->check(between(0, std::numeric_limits<std::int32_t>::max()));
  add_choice(app, "--symmetric", typed.symmetric, {{"full", stored_part::whole}, {"half", stored_part::half}},
             "CSR, DIA, BSR, layout tile: of a matrix that equals its transpose, or the negated one, store "
             "all entries or "
             "half of them: those on and above the diagonal");
  app.add_option("--diagonals", typed.diagonals,
                 "DIA: which diagonals are stored, the others' entries go to a COO rest: all, those with "
                 "entries in at least such a share of the rows (0.5), or auto (those that take no more bytes "
                 "than in the rest)")
      ->transform(in_any_case({"auto", "all"}))
      ->capture_default_str();
  app.add_option("--block", typed.blocks,
                 "BSR: block size, RxC up to 64x64, or auto (the one of 66 shapes that takes the fewest "
                 "bytes); several for --plan")
      ->delimiter(',')
      ->transform(in_any_case({"auto"}))
      ->default_str("4x4");
  app.add_option("--beta", typed.betas,
                 "CSB, eCSB, GCSB: block side, a power of two from 2 to 4096; several for --plan")
      ->delimiter(',')
      ->default_str("32");
  app.add_option("--group", conversion.blocks.group_size,
                 "GCSB: blocks per group; layout tile: lanes, a power of two up to 32")
      ->capture_default_str();
  app.add_option("--window", conversion.blocks.window,
                 "GCSB: sort blocks by count only inside windows of this many; 0 is the whole matrix")
      ->capture_default_str();
  add_choice(app, "--layout", typed.blocked_layout,
             {{"blocks", layout::blocks}, {"tile", layout::tile}, {"thesis", layout::thesis}},
             "GCSB: blocks, the default; tile (lanes own rows, no column twice in a step); thesis (32-bit "
             "indices, empty blocks stored), for CSB too, and for eCSB its indices");
  add_choice(
      app, "--order", conversion.blocks.order,
      {{"morton", block_order::morton}, {"row", block_order::row}, {"diagonal", block_order::diagonal}},
      "CSB, eCSB, GCSB: entries of a block in Morton, row or diagonal order");
  add_choice(app, "--index", typed.index_bits, {{"auto", 0}, {"16", 16}, {"32", 32}},
             "CSB, eCSB, GCSB: bits of the combined index; auto is 16 where that is enough");
  add_choice(app, "--holding", conversion.blocks.holding,
             {{"auto", {}},
              {"coo", ecsb_holding::coo},
              {"ell", ecsb_holding::ell},
              {"hybrid", ecsb_holding::hybrid}},
             "eCSB: coo, ell, hybrid, or auto (by the lengths of the block rows)");
  app.add_option(
         "--tile", typed.tile,
         "GCSB, layout tile: sides, powers of two from 256 to 2048, such as 512x1024; auto takes them "
         "from the matrix")
      ->transform(in_any_case({"auto"}))
      ->capture_default_str();
  add_choice(app, "--renumber", conversion.tile.renumber,
             {{"auto", renumbering::automatic}, {"length", renumbering::length}, {"none", renumbering::none}},
             "GCSB, layout tile: number rows and columns by falling length inside the format; auto does "
             "where lengths vary much");
  app.add_option("--rest", conversion.tile.rest_below,
                 "GCSB, layout tile: tiles with fewer entries go to a COO rest")
      ->capture_default_str();
  add_common_options(app, typed.common);
  set_help(app, {.examples = {"spconv bcsstk17.mtx.gz -o bcsstk17.npz", "spconv bcsstk17.mtx.gz --plan",
                              "spconv bcsstk17.mtx.gz --to bsr --block auto",
                              "spconv gen:rmat?scale=20 --to sell --verify",
                              "spconv gen:uniform?n=8192&density=0.05 --to mtx -o uniform.mtx"}});
}

// ---- the request ----

[[noreturn]] void refuse(const std::string& message) {
  throw error(failure::usage, message);
}

container settle_container(const typed_options& typed) {
  return typed.container_name.empty() ? container_for(typed.output) : container_named(typed.container_name);
}

// What --to says, or a file alone: a Matrix Market file holds entries, and who names any other wants what
// most programs take.
std::string settle_name(const typed_options& typed) {
  if (!typed.to.empty() || typed.plan || typed.output.empty()) return typed.to;
  return settle_container(typed) == container::matrix_market ? "mtx" : name_of(format_kind::csr);
}

// A layout with other arrays is a format of its own; a Matrix Market file holds the entries, which is COO.
std::optional<format_kind> settle_target(const typed_options& typed) {
  if (typed.to.empty()) {
    if (!typed.plan) refuse("nothing to do: name a format with --to, a file with -o, or --plan");
    return {};
  }
  const format_kind named = typed.to == "mtx" ? format_kind::coo : *format_named(typed.to);
  if (is_in_tiles(named) && typed.blocked_layout.value_or(layout::tile) != layout::tile)
    refuse("--to " + typed.to + " is layout tile; leave --layout out");
  if (typed.symmetric == stored_part::whole && whole_of(named))
    refuse("--to " + typed.to + " stores half of the matrix; leave --symmetric full out");
  format_kind target = named;
  if (typed.blocked_layout == layout::tile && !is_in_tiles(named)) {
    if (named != format_kind::gcsb) refuse("--layout tile is one of GCSB, not of " + typed.to);
    target = format_kind::gcsb_tile;
  }
  if (typed.symmetric != stored_part::half || whole_of(target)) return target;
  const std::optional<format_kind> half = half_of(target);
  if (!half || typed.to == "mtx")
    refuse(fmt::format("--symmetric half is for {}, not for {}", fmt::join(formats_with_half(), ", "),
                       typed.to));
  return half;
}

// A plan is about all formats.
void require_effect(const typed_options& typed, std::optional<format_kind> target) {
  if (typed.verify && !target) refuse("--verify needs a format: name one with --to");
  if (!typed.container_name.empty() && typed.output.empty())
    refuse("--container says what -o writes: name a file with -o");
  if (typed.plan || !target) return;
  const bool own_name = typed.to == "mtx" || typed.to == name_of(*target);
  const std::string variety = (typed.blocked_layout == layout::tile ? ", layout tile" : "") +
                              std::string(whole_of(*target) ? ", half of it" : "");
  require_meaning(typed.of_formats, {*target}, own_name ? typed.to : typed.to + variety);
}

// What the conversion takes, and the other sizes a plan prices.
plan_request settle_shapes(const typed_options& typed, std::optional<format_kind> target) {
  conversion_options options = typed.conversion;
  const bool to_tile = target && is_in_tiles(*target);
  if (target && (typed.betas.size() > 1 || typed.blocks.size() > 1))
    refuse("several --beta or --block are for --plan alone; a conversion takes one");
  if ((to_tile || typed.blocked_layout == layout::tile) && options.blocks.window > 0)
    refuse("layout tile does not sort blocks; leave --window out");

  std::vector<std::int32_t> betas = typed.betas;
  if (betas.empty()) betas.push_back(options.blocks.beta);
  options.blocks.beta = betas.front();
  std::vector<block_size> blocks;
  for (const std::string& text : typed.blocks)
    if (text != "auto") blocks.push_back(parse_block(text));
  if (typed.blocks.empty()) blocks.push_back(options.bsr_block);
  if (!blocks.empty()) options.bsr_block = blocks.front();

  options.dia_share = parse_diagonals(typed.diagonals);
  options.blocks.thesis = typed.blocked_layout == layout::thesis;
  if (typed.tile != "auto") {
    const block_size sides = parse_tile(typed.tile);
    options.tile.height = sides.rows;
    options.tile.width = sides.cols;
  }
  // --index 16 is about the format that is made, or about blocks where none is; 32 bits suit everything.
  if (typed.index_bits != 16 || !to_tile) options.blocks.index_bits = typed.index_bits;
  if (typed.index_bits != 16 || to_tile) options.tile.index_bits = typed.index_bits;
  // Groups of blocks may have any size; a plan then prices tiles with the lanes they have by default.
  const std::int32_t group = options.blocks.group_size;
  if (to_tile || is_lane_count(group)) options.tile.group_size = group;

  // All that was typed must be right, whatever of it this run needs.
  for (const std::int32_t beta : betas) {
    conversion_options with_beta = options;
    with_beta.blocks.beta = beta;
    for (const format_kind format : all_formats()) require_options(with_beta, format);
  }
  return {.options = options, .blocks = blocks, .chosen_block = {}, .betas = betas};
}

std::optional<output_request> settle_output(const typed_options& typed, std::optional<format_kind> target) {
  const bool as_text = typed.to == "mtx";
  if (typed.output.empty()) {
    if (as_text) refuse("--to mtx needs a file: name one with -o");
    return {};
  }
  if (!target) refuse("-o needs a format: name one with --to");
  const container kind = settle_container(typed);
  if (as_text && kind != container::matrix_market)
    refuse(fmt::format("--to mtx writes Matrix Market, but {} names a {} file", typed.output, name_of(kind)));
  if (!can_hold(kind, *target))
    refuse(fmt::format("a {} file cannot hold {}; write it to a .h5 file", name_of(kind), name_of(*target)));
  if (typed.output == "-" && kind != container::matrix_market)
    refuse("standard output takes Matrix Market only");
  return output_request{typed.output, kind};
}

request settle(typed_options typed) {
  typed.to = settle_name(typed);
  typed.edges.compact = !typed.ids_path.empty();
  if (typed.ids_path == "-") refuse("--compact: the ids go to a file, not to standard output");
  if (typed.edges.compact && (typed.ids_path == typed.output || typed.ids_path.ends_with(".gz")))
    refuse("--compact: the ids go to a file of their own, as plain text");
  if (typed.edges.compact && typed.edges.sized.value_or(false))
    refuse("--sizes yes gives the sizes, so that --compact has nothing to number anew");
  if (typed.edges.compact && typed.edges.base)
    refuse("--base means nothing where --compact numbers ids anew");
  if (!typed.order_path.empty() && !typed.reorder)
    refuse("--permutation writes the order that --reorder makes");
  if (typed.reorder && !typed.undo_path.empty())
    refuse("--reorder and --undo-permutation: one order at a time");
  if (typed.order_path == "-" || typed.order_path.ends_with(".gz") ||
      (!typed.order_path.empty() && typed.order_path == typed.output))
    refuse("--permutation: the order goes to a file of its own, as plain text");
  if (typed.edges.compact && (typed.reorder || !typed.undo_path.empty()))
    refuse("--compact writes ids in the order of the rows, which --reorder would change: convert twice");
  const std::vector<std::pair<std::string, std::string>> beside = {{"--permutation", typed.order_path},
                                                                   {"--compact", typed.ids_path}};
  check_output_files({typed.input}, beside);
  if (!typed.output.empty() && typed.output != "-")
    check_output_files({typed.output}, beside, "what -o writes");
  const std::optional<format_kind> target = settle_target(typed);
  require_effect(typed, target);
  const bool block_open = std::find(typed.blocks.begin(), typed.blocks.end(), "auto") != typed.blocks.end();
  // --quiet leaves only what was asked for as data.
  const report_form report = typed.common.as_json                ? report_form::json
                             : typed.common.quiet && !typed.plan ? report_form::none
                                                                 : report_form::text;
  return {.input = typed.input,
          .target = target,
          .shapes = settle_shapes(typed, target),
          .plan = typed.plan,
          .choose_block = block_open,
          .drop_zeros = typed.drop_zeros,
          .edges = typed.edges,
          .variable = typed.variable,
          .reorder = typed.reorder,
          .order_path = typed.order_path,
          .undo_path = typed.undo_path,
          .ids_path = typed.ids_path,
          .verify = typed.verify,
          .wide_offsets = typed.wide_offsets,
          .values = typed.values,
          .output = settle_output(typed, target),
          .report = report,
          .device = choose_device(typed.common)};
}

// ---- the run ----

// Does a part of the run that takes long, given its name, and hands it a callback for how far it is.
using with_progress = std::function<void(const char*, const std::function<void(const progress_callback&)>&)>;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::int64_t file_bytes(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

// How many blocks of beta there are, with entries or without.
std::int64_t block_positions(std::int64_t rows, std::int64_t cols, std::int64_t beta) {
  return groups_of(rows, beta) * groups_of(cols, beta);
}

// How the entries spread over the tiles of layout tile; nothing of other formats.
template <class Backend, class Offset, class Value>
std::optional<block_statistics> tile_statistics(
    Backend on, const any_format<Offset, Value, space_on<Backend>>& converted) {
  using space = space_on<Backend>;
  const auto* m = std::get_if<gcsb_tile<Offset, Value, space>>(&converted);
  if (const auto* const half = std::get_if<gcsb_tile_half<Offset, Value, space>>(&converted))
    m = &half->upper;
  if (m == nullptr) return {};
  using held = std::conditional_t<is_complex<Value>, double, Value>;
  gcsb_tile<Offset, held, host> outline;  // without the entries of the tiles, which may be many
  for_each_member_pair(outline, *m, [](auto& to, const auto& from) {
    if constexpr (!is_array<std::remove_cvref_t<decltype(from)>>) to = from;
  });
  outline.tile_offsets = copy_to<host>(m->tile_offsets, space::where);
  outline.row_order = copy_to<host>(m->row_order, space::where);
  outline.col_order = copy_to<host>(m->col_order, space::where);
  outline.rest_row_indices = copy_to<host>(m->rest_row_indices, space::where);
  outline.rest_col_indices = copy_to<host>(m->rest_col_indices, space::where);
  return summarize_tiles(lane_entry_counts(on, view(*m)), outline);
}

// A price is of the conversion alone. A run also reads and assembles, which a plan does as well; its CSR is
// moved where CSR is asked for, and has wider offsets where the format needs them.
std::int64_t peak_of_run(const format_cost& cost, std::int64_t before_converting, std::int64_t rows) {
  const std::int64_t wider_csr = cost.wide_offsets ? (rows + 1) * 4 : 0;
  return std::max(before_converting + wider_csr, cost.format == format_kind::csr ? 0 : cost.peak_bytes);
}

// Of complex values from their numbers, as a conversion moves them.
template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_of(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix,
                                 const plan_request& shapes) {
  if constexpr (!is_complex<Value>) {
    return plan_formats<Backend, Offset, Value>(on, matrix, shapes);
  } else {
    const std::int64_t entries = matrix.values.size();
    array<double, space_on<Backend>> numbers(entries);
    number_values(on, matrix.values, 0, numbers.data());
    plan_request of_numbers = shapes;
    of_numbers.half = false;
    auto costs = plan_formats<Backend, Offset, double>(
        on,
        csr<Offset, double, view_on<Backend>>{matrix.rows, matrix.cols, matrix.row_offsets,
                                              matrix.col_indices, numbers},
        of_numbers);
    price_complex(costs, entries, sizeof(Value));
    return costs;
  }
}

// Checks the result and takes it back to CSR, which must be what it was made from.
template <class Backend, class Offset, class Value>
void require_same(Backend on, const csr<Offset, Value, space_on<Backend>>& matrix,
                  const any_format<Offset, Value, space_on<Backend>>& converted, format_kind format,
                  stage_log& stages) {
  auto back = to_csr<Backend, Offset, Value>(on, converted, &stages);
  // CSR itself would be compared with its own copy: take it through COO.
  if (format == format_kind::csr)
    back = to_csr<Backend, Offset, Value>(
        on, from_csr<Backend, Offset, Value>(on, view(back), format_kind::coo, {}, &stages), &stages);
  const auto converted_back = std::chrono::steady_clock::now();
  const std::string problem = find_invalid(copy_to_host(converted));
  if (!problem.empty())
    throw error(failure::input, fmt::format("--verify: the {} is not valid: {}", name_of(format), problem));
  if (!identical(copy_to<host>(back), copy_to<host>(matrix)))
    throw error(failure::input,
                fmt::format("--verify: converting {} back gives another matrix", name_of(format)));
  stages.push_back({"check, compare", seconds_since(converted_back), matrix.values.size(), 0});
}

// The converted matrix as its container takes it.
template <class Backend, class Offset, class Value>
any_format<Offset, Value, host> to_be_written(Backend on,
                                              any_format<Offset, Value, space_on<Backend>>&& converted,
                                              container kind, outcome& result) {
  if (kind == container::matrix_market && result.format->kind != format_kind::coo) {
    // Matrix Market knows entries only: whatever the format, its entries are written.
    const auto compressed = to_csr<Backend, Offset, Value>(on, converted, nullptr);
    return copy_to_host(
        from_csr<Backend, Offset, Value>(on, view(compressed), format_kind::coo, {}, nullptr));
  }
  if constexpr (std::is_same_v<space_on<Backend>, host>) {
    return std::move(converted);
  } else {
    timed_stage timing(on, &result.stages, "copy to host", result.entries, result.format->size.bytes);
    return copy_to_host(converted);
  }
}

// Prices alone need no CSR, whose offsets would be far more than the entries.
template <class Backend, class Offset, class Value>
void plan_hypersparse(Backend on, const request& wanted, matrix_entries&& source, outcome& result) {
  const auto matrix = assemble_hypersparse<Offset, Value>(std::move(source), wanted.drop_zeros,
                                                          result.assembly, &result.stages);
  result.entries = matrix.filled.values.size();
  result.csr_bytes = bytes(matrix.filled) + (result.rows - matrix.filled.rows) * std::int64_t{sizeof(Offset)};
  // A run that converts has the offsets of all rows.
  const std::int64_t peak_assembled =
      peak_bytes(place::host) + (result.rows - matrix.filled.rows) * std::int64_t{sizeof(Offset)};
  result.plan = plan_formats(on, matrix, wanted.shapes);
  for (format_cost& cost : result.plan)
    if (cost.possible()) cost.peak_bytes = peak_of_run(cost, peak_assembled, result.rows);
}

template <class Backend, class Offset, class Value>
void convert(Backend on, const request& wanted, matrix_entries&& source, output_file* file,
             const with_progress& with, outcome& result) {
  result.offset_bits = int{sizeof(Offset)} * 8;
  result.value_bits = int{sizeof(Value)} * 8;
  result.complex = is_complex<Value>;
  if constexpr (!is_complex<Value>)
    if (wanted.plan && !wanted.target && !wanted.choose_block &&
        is_hypersparse(result.rows, result.cols, most_entries(source)))
      return plan_hypersparse<Backend, Offset, Value>(on, wanted, std::move(source), result);
  auto matrix = assemble<Backend, Offset, Value>(on, std::move(source), wanted.drop_zeros, result.assembly,
                                                 &result.stages);
  result.entries = matrix.values.size();
  result.csr_bytes = bytes(matrix);
  const std::int64_t peak_assembled = peak_bytes(space_on<Backend>::where);
  plan_request shapes = wanted.shapes;
  if (wanted.choose_block) {
    result.chosen_block = choose_block(on, view(matrix), shapes.options.max_fill, &result.stages);
    shapes.chosen_block = result.chosen_block->best().shape.size;
    shapes.options.bsr_block = *shapes.chosen_block;
  }
  if (wanted.plan) {
    const std::int64_t peak_chosen = peak_bytes(space_on<Backend>::where);
    result.plan = plan_of<Backend, Offset, Value>(on, view(matrix), shapes);
    for (format_cost& cost : result.plan)
      if (cost.possible())
        cost.peak_bytes = peak_of_run(cost, cost.chosen_block ? peak_chosen : peak_assembled, result.rows);
  }
  if (!wanted.target) return;

  const format_kind format = *wanted.target;
  const bool with_statistics = wanted.report != report_form::none;
  std::optional<block_statistics> blocks;
  // Counted before there is a result, beside which a list of the blocks could take more than converting does.
  if (with_statistics && has_beta(format)) {
    const block_options& options = shapes.options.blocks;
    blocks = summarize_blocks(block_entry_counts(on, pattern_of(matrix), options.beta),
                              block_positions(result.rows, result.cols, options.beta),
                              format == format_kind::gcsb ? options.group_size : 0, options.window);
  }
  const std::int64_t stored = whole_of(format) ? count_upper(on, pattern_of(matrix)) : result.entries;
  any_format<Offset, Value, space_on<Backend>> converted;
  if (format == format_kind::csr && !wanted.verify) {
    converted = std::move(matrix);  // it is what was asked for; no copy needed
  } else {
    converted = from_csr<Backend, Offset, Value>(on, view(matrix), format, shapes.options, &result.stages);
    if (wanted.verify)
      require_same<Backend, Offset, Value>(on, matrix, converted, format, result.verify_stages);
  }
  result.verified = wanted.verify;
  if (with_statistics && !blocks) blocks = tile_statistics<Backend, Offset, Value>(on, converted);
  result.format = {format, summary_of(converted), stored, std::move(blocks)};
  if (file == nullptr) return;

  const container kind = wanted.output->kind;
  const auto written = to_be_written<Backend, Offset, Value>(on, std::move(converted), kind, result);
  const auto start = std::chrono::steady_clock::now();
  with("writing", [&](const progress_callback& progress) {
    write_matrix(*file, kind, written, {result.field, result.symmetry}, progress);
  });
  file->commit();
  result.output = {*wanted.output, file_bytes(wanted.output->path)};
  result.stages.push_back({"write", seconds_since(start), result.entries, result.output->bytes});
}

// Every message names a file; what is wrong with the output names that one already.
[[noreturn]] void rethrow_with_file(const error& problem, const request& wanted) {
  const std::string what = problem.what();
  const bool named =
      what.starts_with(wanted.input) || (wanted.output && what.starts_with(wanted.output->path));
  if (named || problem.category() == failure::output || problem.category() == failure::usage) throw;
  throw error(problem.category(), wanted.input + ": " + what, problem.quantity());
}

// The order of --reorder, or what --undo-permutation takes back, applied to the entries as they were read.
std::optional<reordering_outcome> reorder(const request& wanted, const std::optional<row_order>& undone,
                                          matrix_entries& source, std::optional<output_file>& file,
                                          stage_log& stages) {
  if (!wanted.reorder && !undone) return {};
  const auto bandwidth = [&] {
    const auto& entries = source.entries;
    std::int64_t farthest = 0;
    for (std::int64_t i = 0; i < entries.values.size(); ++i)
      farthest = std::max<std::int64_t>(
          farthest, std::abs(std::int64_t{entries.row_indices[i]} - entries.col_indices[i]));
    return farthest;
  };
  reordering_outcome result{wanted.reorder ? name_of(*wanted.reorder) : wanted.undo_path, bandwidth()};
  const auto start = std::chrono::steady_clock::now();
  const row_order order = undone ? inverse_of(*undone) : order_of(*wanted.reorder, source);
  apply(order, source);
  stages.push_back({"reorder", seconds_since(start), source.entries.values.size(), 0});
  if (file) file->write(text_of(order));
  result.bandwidth = bandwidth();
  return result;
}

element_types types_of_values(const request& wanted, const matrix_entries& source) {
  const bool is_complex = source.field == "complex";
  if (!wanted.values) return {false, source.single_precision, is_complex};
  const value_choice values = *wanted.values;
  const bool to_complex = values == value_choice::c64 || values == value_choice::c128;
  if (is_complex && !to_complex)
    throw error(failure::unsupported,
                wanted.input +
                    ": the values are complex, and real ones would lose their imaginary parts; "
                    "--value c64 and c128 keep them");
  return {false, values == value_choice::f32 || values == value_choice::c64, to_complex};
}

// In the order of the rows they have become.
void write_ids(output_file& file, const array<std::int64_t, host>& ids) {
  std::string text;
  for (const std::int64_t id : ids) text += fmt::format("{}\n", id);
  file.write(text);
}

outcome run(const request& wanted, const with_progress& with) {
  for (const place where : {place::host, place::device}) reset_peak_bytes(where);
  std::optional<output_file> file, ids, order;  // opened before the work, so that a bad path costs nothing
  if (wanted.output) file.emplace(wanted.output->path);
  if (!wanted.ids_path.empty()) ids.emplace(wanted.ids_path);
  if (!wanted.order_path.empty()) order.emplace(wanted.order_path);
  std::optional<row_order> undone;
  if (!wanted.undo_path.empty()) undone = read_row_order(wanted.undo_path);
  outcome result;
  result.input = wanted.input;
  result.device = wanted.device.note;
  matrix_entries source;
  const auto start = std::chrono::steady_clock::now();
  const bool generated = is_generator(wanted.input);
  with(generated ? "generating" : "reading", [&](const progress_callback& progress) {
    source = read_matrix(wanted.input, progress, {complex_values::keep, wanted.edges, wanted.variable});
  });
  result.stages.push_back({generated ? "generate" : "read", seconds_since(start),
                           source.entries.values.size(), file_bytes(wanted.input)});
  if (ids) {
    write_ids(*ids, source.ids);
    source.ids = {};
  }
  result.origin = source.origin;
  result.symmetry = source.symmetry;
  try {
    result.reordered = reorder(wanted, undone, source, order, result.stages);
  } catch (const error& problem) {
    rethrow_with_file(problem, wanted);
  }
  result.field = source.field;
  result.rows = source.entries.rows;
  result.cols = source.entries.cols;

  // Positions of blocks are counted in offsets too.
  std::int64_t counted = most_entries(source);
  if (wanted.target && has_beta(*wanted.target))
    counted = std::max(counted, block_positions(result.rows, result.cols, wanted.shapes.options.blocks.beta));
  element_types types = types_of_values(wanted, source);
  types.wide_offsets = wanted.wide_offsets.value_or(needs_wide_offsets(counted));
  on_backend(wanted.device.use_gpu, [&](auto on) {
    with_any_types(types, [&]<class Offset, class Value>() {
      try {
        convert<decltype(on), Offset, Value>(on, wanted, std::move(source), file ? &*file : nullptr, with,
                                             result);
      } catch (const error& problem) {
        rethrow_with_file(problem, wanted);
      }
    });
  });
  if (ids) ids->commit();
  if (order) order->commit();
  result.peak_host = peak_bytes(place::host);
  result.peak_device = peak_bytes(place::device);
  return result;
}

}  // namespace
}  // namespace sparsmith::spconv

int main(int argc, char** argv) {
  using namespace sparsmith;
  spconv::typed_options typed;
  CLI::App app("Converts a sparse matrix between storage formats and reports what that did and what it cost.",
               "spconv");
  spconv::add_options(app, typed);
  return run_tool(app, argc, argv, [&] {
    typed.of_formats = format_options_given(app);
    spconv::request wanted = spconv::settle(typed);
    if (!can_be_read_again(wanted.input)) wanted.device.may_fall_back = false;
    const auto tell = [&](const std::string& note) {
      if (!typed.common.quiet) tell_note("spconv: " + note);
    };
    const spconv::outcome result = on_chosen_device(wanted.device, tell, [&] {
      return spconv::run(wanted, [&](const char* part, const auto& work) {
        progress_bar bar(part, !typed.common.quiet);
        work(bar.callback());
      });
    });
    std::FILE* const out = wanted.output && wanted.output->path == "-" ? stderr : stdout;
    if (wanted.report == spconv::report_form::text) spconv::print_text(result, out);
    if (wanted.report == spconv::report_form::json) spconv::print_json(result, out);
  });
}
