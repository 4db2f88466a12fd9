// spconv: converts a sparse matrix from any input into any format, and says what that did and what it cost.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "analyze/report/describe.hpp"
#include "analyze/structure/block_choice.hpp"
#include "analyze/structure/block_statistics.hpp"
#include "analyze/structure/prices.hpp"
#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "convert/io/write.hpp"
#include "tools/tool.hpp"

namespace sparsmith {
namespace {

struct options {
  common_options common;
  std::string input;
  std::string to;
  std::string output;
  std::string container_name;
  std::string value = "auto";
  std::string offsets = "auto";
  conversion_options conversion;
  std::vector<std::string> blocks;  // of BSR, as typed: "4x4", "4", "auto"
  std::vector<std::int32_t> betas;
  std::string layout = "blocks", order = "morton", index = "auto", holding = "auto";
  std::string tile = "auto", renumber = "auto";
  bool drop_zeros = false;
  bool verify = false;
  bool plan = false;
};

// What the run found out, filled in on the way and printed at the end.
struct outcome {
  std::string input;
  std::string origin, field, symmetry, device;
  std::int64_t rows = 0, cols = 0, entries = 0;
  int offset_bits = 0, value_bits = 0;
  assembly_report assembly;
  std::vector<format_cost> plan;
  bool converted = false;
  std::string format;
  json parameters = json::object();
  std::int64_t bytes = 0, csr_bytes = 0, slots = 0;
  std::optional<block_choice> chosen_block;
  std::optional<block_statistics> blocks;
  std::optional<bool> verified;
  std::string output, container_name;
  stage_log stages;
  std::int64_t peak_host = 0, peak_device = 0;
};

const char* name_of(symmetry_kind kind) {
  switch (kind) {
    case symmetry_kind::symmetric:
      return "symmetric";
    case symmetry_kind::skew_symmetric:
      return "skew-symmetric";
    default:
      return "general";
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::int64_t file_bytes(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

// Values a format stores, padding included.
template <class Format>
std::int64_t slots_of(const Format& matrix) {
  std::int64_t slots = 0;
  for_each_member(matrix, [&](const char* name, const auto& member) {
    if constexpr (is_array<std::remove_cvref_t<decltype(member)>>)
      if (std::string(name).ends_with("values")) slots += member.size();
  });
  return slots;
}

// The format of the conversion: a layout with other arrays is a format of its own.
std::string format_of(const options& wanted) {
  if (wanted.to == "mtx") return "coo";
  return wanted.to == "gcsb" && wanted.layout == "tile" ? "gcsb_tile" : wanted.to;
}

tile_options tile_options_of(const options& wanted) {
  tile_options tile = wanted.conversion.tile;
  if (wanted.tile != "auto") {
    const block_size sides = parse_tile(wanted.tile);
    tile.height = sides.rows;
    tile.width = sides.cols;
  }
  // Other layouts take groups of any size; only where this one is wanted is that an error.
  const std::int32_t group = wanted.conversion.blocks.group_size;
  const bool fits = group <= 32 && (group & (group - 1)) == 0;
  if (!fits && format_of(wanted) == "gcsb_tile")
    throw error(failure::usage, fmt::format("--group {}: layout tile takes powers of two up to 32", group));
  if (fits) tile.group_size = group;
  tile.renumber = wanted.renumber == "length" ? renumbering::length
                  : wanted.renumber == "none" ? renumbering::none
                                              : renumbering::automatic;
  const bool only_16 = wanted.index == "16" && format_of(wanted) == "gcsb_tile";
  tile.index_bits = only_16 ? 16 : wanted.index == "32" ? 32 : 0;
  if (only_16 && tile.height / tile.group_size * tile.width > 32768)
    throw error(failure::usage, fmt::format("--index 16 leaves no room for tiles of {}", wanted.tile));
  return tile;
}

// The options as the conversion wants them; what makes no sense is refused here, before any work.
plan_request request_of(const options& wanted) {
  plan_request request;
  request.options = wanted.conversion;
  block_options& blocks = request.options.blocks;
  blocks.thesis = wanted.layout == "thesis";
  blocks.order = wanted.order == "row"        ? block_order::row
                 : wanted.order == "diagonal" ? block_order::diagonal
                                              : block_order::morton;
  blocks.index_bits = wanted.index == "16" ? 16 : wanted.index == "32" ? 32 : 0;
  if (wanted.holding != "auto")
    blocks.holding = wanted.holding == "coo"   ? ecsb_holding::coo
                     : wanted.holding == "ell" ? ecsb_holding::ell
                                               : ecsb_holding::hybrid;
  if (!wanted.betas.empty()) request.betas = wanted.betas;
  if (!wanted.blocks.empty()) request.blocks.clear();
  for (const std::string& text : wanted.blocks)
    if (text != "auto") request.blocks.push_back(parse_block(text));
  for (const std::int32_t beta : request.betas) {
    if (beta < 2 || beta > 4096 || (beta & (beta - 1)) != 0)
      throw error(failure::usage, fmt::format("--beta {}: not a power of two from 2 to 4096", beta));
    if (blocks.index_bits == 16 && beta > 256 && format_of(wanted) != "gcsb_tile")
      throw error(failure::usage, fmt::format("--index 16 needs --beta of at most 256, not {}", beta));
  }
  if (!wanted.to.empty() && (request.betas.size() > 1 || wanted.blocks.size() > 1))
    throw error(failure::usage, "several --beta or --block are for --plan alone; a conversion takes one");
  if (blocks.thesis && blocks.window > 0)
    throw error(failure::usage, "--layout thesis sorts the whole matrix; leave --window out");
  if (wanted.layout == "tile" && !wanted.to.empty() && format_of(wanted) != "gcsb_tile")
    throw error(failure::usage, "--layout tile is one of GCSB, not of " + wanted.to);
  if (wanted.to == "gcsb_tile" && blocks.thesis)
    throw error(failure::usage, "--to gcsb_tile and --layout thesis are two layouts; name one");
  if (format_of(wanted) == "gcsb_tile" && blocks.window > 0)
    throw error(failure::usage, "layout tile does not sort blocks; leave --window out");
  request.options.tile = tile_options_of(wanted);
  blocks.beta = request.betas.front();
  if (!request.blocks.empty()) request.options.bsr_block = request.blocks.front();
  return request;
}

// Whether the block of BSR is to be chosen, and for something.
bool chooses_block(const options& wanted) {
  return (wanted.plan || wanted.to == "bsr") &&
         std::find(wanted.blocks.begin(), wanted.blocks.end(), "auto") != wanted.blocks.end();
}

// --quiet leaves only what was asked for as data.
bool prints_nothing(const options& wanted) {
  return wanted.common.quiet && !wanted.common.as_json && !wanted.plan;
}

// Whether a format divides the matrix into blocks of --beta, and into how many.
bool has_beta(const std::string& format) {
  return format == "csb" || format == "ecsb" || format == "gcsb";
}
std::int64_t block_positions(std::int64_t rows, std::int64_t cols, std::int64_t beta) {
  return groups_of(rows, beta) * groups_of(cols, beta);
}

container container_of(const options& wanted) {
  const container kind =
      !wanted.container_name.empty() ? container_named(wanted.container_name) : container_for(wanted.output);
  if (wanted.to == "mtx" && kind != container::matrix_market)
    throw error(failure::usage, fmt::format("--to mtx writes Matrix Market, but {} names a {} file",
                                            wanted.output, sparsmith::name_of(kind)));
  return kind;
}

template <class Backend, class Offset, class Value>
void run(Backend on, const options& wanted, plan_request request, matrix_entries&& source, output_file* file,
         outcome& result) {
  using space = space_on<Backend>;
  auto matrix = assemble<Backend, Offset, Value>(on, std::move(source), wanted.drop_zeros, result.assembly,
                                                 &result.stages);
  result.entries = matrix.values.size();
  result.csr_bytes = bytes(matrix);
  result.offset_bits = int{sizeof(Offset)} * 8;
  result.value_bits = int{sizeof(Value)} * 8;
  if (chooses_block(wanted)) {
    result.chosen_block = choose_block(on, view(matrix), request.options.max_fill, &result.stages);
    request.chosen_block = result.chosen_block->best().shape.size;
    request.options.bsr_block = *request.chosen_block;
  }
  if (wanted.plan) result.plan = plan_formats<Backend, Offset, Value>(on, view(matrix), request);
  if (wanted.to.empty()) return;

  const std::string format = format_of(wanted);
  any_format<Offset, Value, space> converted;
  if (format == "csr" && !wanted.verify)
    converted = std::move(matrix);  // it is what was asked for; no copy needed
  else
    converted = from_csr<Backend, Offset, Value>(on, view(matrix), *format_named(format), request.options,
                                                 &result.stages);
  result.converted = true;
  result.format = format;
  std::visit(
      [&](const auto& m) {
        result.bytes = bytes(m);
        result.slots = slots_of(m);
        result.parameters = parameters_of(m);
      },
      converted);

  if (has_beta(format) && !prints_nothing(wanted)) {
    const block_options& blocks = request.options.blocks;
    result.blocks = summarize_blocks(block_entry_counts(on, pattern_of(matrix), blocks.beta),
                                     block_positions(matrix.rows, matrix.cols, blocks.beta),
                                     format == "gcsb" ? blocks.group_size : 0, blocks.window);
  }
  if (format == "gcsb_tile" && !prints_nothing(wanted)) {
    const auto& m = std::get<gcsb_tile<Offset, Value, space>>(converted);
    gcsb_tile<Offset, Value, host> outline;  // without the entries of the tiles, which may be many
    for_each_member_pair(outline, m, [](auto& to, const auto& from) {
      if constexpr (!is_array<std::remove_cvref_t<decltype(from)>>) to = from;
    });
    outline.tile_offsets = copy_to<host>(m.tile_offsets, space::where);
    outline.row_order = copy_to<host>(m.row_order, space::where);
    outline.col_order = copy_to<host>(m.col_order, space::where);
    outline.rest_row_indices = copy_to<host>(m.rest_row_indices, space::where);
    outline.rest_col_indices = copy_to<host>(m.rest_col_indices, space::where);
    result.blocks = summarize_tiles(lane_entry_counts(on, view(m)), outline);
  }

  if (wanted.verify) {
    auto back = to_csr<Backend, Offset, Value>(on, converted, &result.stages);
    // CSR itself would be compared with its own copy: take it through COO.
    if (format == "csr")
      back =
          coo_to_csr<Backend, Offset, Value>(on, csr_to_coo(on, view(back), &result.stages), &result.stages);
    const bool same = identical(copy_to<host>(back), copy_to<host>(matrix));
    const std::string problem =
        std::visit([](const auto& m) { return find_invalid(copy_to<host>(m)); }, converted);
    result.verified = same && problem.empty();
    if (!problem.empty())
      throw error(failure::input, fmt::format("--verify: the {} is not valid: {}", format, problem));
    if (!same)
      throw error(failure::input, fmt::format("--verify: converting {} back gives another matrix", format));
  }
  if (file == nullptr) return;

  const container kind = container_of(wanted);
  any_format<Offset, Value, host> written;
  if (kind == container::matrix_market && format != "coo") {
    // Matrix Market knows entries only: whatever the format, its entries are written.
    const auto compressed = to_csr<Backend, Offset, Value>(on, converted, nullptr);
    written = copy_to<host>(csr_to_coo(on, view(compressed), nullptr));
  } else if constexpr (std::is_same_v<space, host>) {
    written = std::move(converted);
  } else {
    timed_stage timing(on, &result.stages, "copy to host", result.entries, result.bytes);
    written = std::visit([](const auto& m) -> any_format<Offset, Value, host> { return copy_to<host>(m); },
                         converted);
  }
  const auto start = std::chrono::steady_clock::now();
  {
    progress_bar bar("writing", !wanted.common.quiet);
    // Without values only where every value is 1.
    const bool pattern = result.field == "pattern" && result.assembly.duplicates_summed == 0 &&
                         result.symmetry != name_of(symmetry_kind::skew_symmetric);
    write_matrix(*file, kind, written, pattern, bar.callback());
  }
  file->commit();
  result.output = wanted.output;
  result.container_name = sparsmith::name_of(kind);
  result.stages.push_back({"write", seconds_since(start), result.entries, file_bytes(wanted.output)});
}

double ratio(std::int64_t a, std::int64_t b) {
  return b == 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b);
}

// What a price is of; where more than its matrix is needed, the flag that gives it.
std::string parameters_text(const format_cost& cost) {
  const bool flag_helps = !cost.possible() && cost.wide_offsets;
  return describe_in_one_line(cost) + (flag_helps ? " (--offsets 64)" : "");
}

void print_text(const outcome& r, std::FILE* out) {
  const double cells = static_cast<double>(r.rows) * static_cast<double>(r.cols);
  fmt::print(out, "matrix   {} x {}, {} entries", with_commas(r.rows), with_commas(r.cols),
             with_commas(r.entries));
  if (cells > 0) fmt::print(out, " ({:.4g} %)", 100 * static_cast<double>(r.entries) / cells);
  fmt::print(out, ", {}-bit values, {}-bit offsets\n", r.value_bits, r.offset_bits);
  const assembly_report& a = r.assembly;
  fmt::print(out, "read     {}: {}, {}, {}\n", r.input, r.origin, r.field, r.symmetry);
  fmt::print(out, "         {} stored, {} expanded by symmetry, {} duplicates summed, {} explicit zeros {}\n",
             with_commas(a.stored), with_commas(a.expanded), with_commas(a.duplicates_summed),
             with_commas(a.explicit_zeros), a.zeros_dropped ? "dropped" : "kept");
  if (a.narrowed > 0) fmt::print(out, "         {} values rounded to 32 bits\n", with_commas(a.narrowed));
  if (a.rounded > 0)
    fmt::print(out, "         {} integers rounded to 64-bit floats\n", with_commas(a.rounded));
  if (a.array_zeros > 0)
    fmt::print(out, "         {} zeros of dense storage left out\n", with_commas(a.array_zeros));
  fmt::print(out, "device   {}\n", r.device);
  if (r.chosen_block) {
    const block_size best = r.chosen_block->best().shape.size;
    fmt::print(out, "block    auto: {} x {}, {}\n", best.rows, best.cols, r.chosen_block->reason);
  }
  if (r.converted) {
    std::string parameters;
    for (const auto& [name, value] : r.parameters.items())
      parameters += fmt::format(", {} {}", name, value.dump());
    fmt::print(out, "format   {}{}: {}, {:.3f} x CSR\n", r.format, parameters, format_bytes(r.bytes),
               ratio(r.bytes, r.csr_bytes));
    if (r.slots != r.entries)
      fmt::print(out, "padding  {} slots for {} entries: {} padded, fill {:.3f}\n", with_commas(r.slots),
                 with_commas(r.entries), with_commas(r.slots - r.entries), ratio(r.slots, r.entries));
  }
  if (r.blocks) {
    const block_statistics& b = *r.blocks;
    const auto five = [](const five_numbers<std::int64_t>& n) {
      return fmt::format("{} / {} / {} / {} / {}", with_commas(n.least), with_commas(n.lower_quartile),
                         with_commas(n.median), with_commas(n.upper_quartile), with_commas(n.most));
    };
    const five_numbers<double>& mean = b.group_mean;
    const bool tiles = r.format == "gcsb_tile";
    const double empty = 100 * ratio(b.empty_blocks, b.blocks + b.rest_blocks + b.empty_blocks);
    if (tiles)
      fmt::print(out, "tiles    {} stored, {} in the rest with {} entries, {} empty ({:.4g} %)\n",
                 with_commas(b.blocks), with_commas(b.rest_blocks), with_commas(b.rest_entries),
                 with_commas(b.empty_blocks), empty);
    else
      fmt::print(out, "blocks   {} with entries, {} empty ({:.4g} %)\n", with_commas(b.blocks),
                 with_commas(b.empty_blocks), empty);
    fmt::print(out, "         entries per {}: {} (least, quartiles, most)\n", tiles ? "stored tile" : "block",
               five(b.entries));
    for (const auto& [least, blocks] : b.histogram) {
      if (least * 2 <= b.entries.least) continue;  // nothing down there
      fmt::print(out, "         {:>20} {:>14}\n",
                 least == 1 ? std::string("1")
                            : fmt::format("{}..{}", with_commas(least), with_commas(least * 2 - 1)),
                 with_commas(blocks));
    }
    if (b.groups > 0) {
      const char* const part = tiles ? "lane" : "block";
      fmt::print(out, "groups   {}, half of the padding in {:.3g} % of them\n", with_commas(b.groups),
                 100 * b.groups_with_half_the_padding);
      if (tiles) fmt::print(out, "         steps:          {}\n", five(b.group_steps));
      fmt::print(out,
                 "         {:<15} {}\n"
                 "         {:<15} {}\n"
                 "         {:<15} {:.1f} / {:.1f} / {:.1f} / {:.1f} / {:.1f}\n",
                 fmt::format("longest {}:", part), five(b.group_longest), fmt::format("shortest {}:", part),
                 five(b.group_shortest), fmt::format("mean {}:", part), mean.least, mean.lower_quartile,
                 mean.median, mean.upper_quartile, mean.most);
    }
  }
  if (r.verified) fmt::print(out, "verify   valid, and converting back gives the same matrix bit for bit\n");
  if (!r.output.empty())
    fmt::print(out, "wrote    {} ({}{})\n", r.output, r.container_name,
               r.output == "-" ? "" : ", " + format_bytes(file_bytes(r.output)));
  if (!r.plan.empty()) {
    fmt::print(out, "\n{:<9} {:>12} {:>8} {:>8} {:>12}  {}\n", "plan", "bytes", "x CSR", "fill", "peak", "");
    for (const format_cost& cost : r.plan) {
      const std::string& name = sparsmith::name_of(cost.format);
      std::string parameters = parameters_text(cost);
      if (!cost.possible()) {
        fmt::print(out, "{:<9} {:>12} {:>8} {:>8} {:>12}  {}\n", name, "-", "-", "-", "-", parameters);
        continue;
      }
      if (!cost.allowed) parameters += parameters.empty() ? "above --max-fill" : ", above --max-fill";
      fmt::print(out, "{:<9} {:>12} {:>8.3f} {:>8.3f} {:>12}  {}\n", name, format_bytes(cost.bytes),
                 ratio(cost.bytes, r.csr_bytes), cost.fill, format_bytes(cost.peak_bytes), parameters);
    }
  }
  fmt::print(out, "\n{:<16} {:>10} {:>12} {:>8}\n", "stage", "ms", "M entries/s", "GB/s");
  double total = 0;
  for (const stage& s : r.stages) {
    total += s.seconds;
    fmt::print(out, "{:<16} {:>10.2f} {:>12.1f}", s.name, s.seconds * 1e3,
               s.seconds > 0 ? static_cast<double>(s.entries) / s.seconds / 1e6 : 0.0);
    if (s.bytes > 0 && s.seconds > 0)
      fmt::print(out, " {:>8.2f}", static_cast<double>(s.bytes) / s.seconds / 1e9);
    fmt::print(out, "\n");
  }
  fmt::print(out, "{:<16} {:>10.2f}\n", "total", total * 1e3);
  fmt::print(out, "peak memory {}", format_bytes(r.peak_host));
  if (r.peak_device > 0) fmt::print(out, " on the host, {} on the GPU", format_bytes(r.peak_device));
  fmt::print(out, "\n");
}

json describe_choice(const block_choice& choice) {
  const auto candidate = [](const block_candidate& c) {
    return json{{"rows", c.shape.size.rows},
                {"cols", c.shape.size.cols},
                {"blocks", c.shape.blocks},
                {"fill", c.fill},
                {"bytes", c.bytes}};
  };
  json j = candidate(choice.best());
  j["bytes_over_csr"] = ratio(choice.best().bytes, choice.csr_bytes);
  j["pays"] = choice.pays;
  j["reason"] = choice.reason;
  j["runner_up"] = candidate(choice.candidates[1]);
  j["runner_up"]["bytes_over_chosen"] = ratio(choice.candidates[1].bytes, choice.best().bytes);
  j["candidates"] = json::array();
  for (const block_candidate& c : choice.candidates) j["candidates"].push_back(candidate(c));
  return j;
}

void print_json(const outcome& r, std::FILE* out) {
  const assembly_report& a = r.assembly;
  json j;
  j["schema"] = "sparsmith.spconv/1";
  j["input"] = r.input;
  j["matrix"] = {{"rows", r.rows},
                 {"cols", r.cols},
                 {"entries", r.entries},
                 {"value_bits", r.value_bits},
                 {"offset_bits", r.offset_bits},
                 {"csr_bytes", r.csr_bytes}};
  j["read"] = {{"origin", r.origin},
               {"field", r.field},
               {"symmetry", r.symmetry},
               {"stored", a.stored},
               {"expanded", a.expanded},
               {"duplicates_summed", a.duplicates_summed},
               {"explicit_zeros", a.explicit_zeros},
               {"zeros_dropped", a.zeros_dropped},
               {"narrowed", a.narrowed},
               {"rounded", a.rounded},
               {"array_zeros", a.array_zeros}};
  j["device"] = r.device;
  if (r.chosen_block) j["block_choice"] = describe_choice(*r.chosen_block);
  if (r.converted)
    j["format"] = {{"name", r.format},
                   {"parameters", r.parameters},
                   {"bytes", r.bytes},
                   {"bytes_over_csr", ratio(r.bytes, r.csr_bytes)},
                   {"slots", r.slots},
                   {"padded_slots", r.slots - r.entries},
                   {"fill", ratio(r.slots, r.entries)}};
  if (r.blocks) {
    const block_statistics& b = *r.blocks;
    const auto five = [](const auto& n) {
      return json{{"min", n.least},
                  {"q1", n.lower_quartile},
                  {"median", n.median},
                  {"q3", n.upper_quartile},
                  {"max", n.most}};
    };
    j["blocks"] = {
        {"blocks", b.blocks}, {"empty_blocks", b.empty_blocks}, {"entries_per_block", five(b.entries)}};
    if (r.format == "gcsb_tile")
      j["blocks"]["rest"] = {{"blocks", b.rest_blocks}, {"entries", b.rest_entries}};
    j["blocks"]["histogram"] = json::array();
    for (const auto& [least, blocks] : b.histogram)
      j["blocks"]["histogram"].push_back({{"min", least}, {"max", least * 2 - 1}, {"blocks", blocks}});
    if (b.groups > 0)
      j["blocks"]["groups"] = {{"groups", b.groups},
                               {"slots", b.slots},
                               {"padded_slots", b.padded_slots},
                               {"steps", five(b.group_steps)},
                               {"longest_block", five(b.group_longest)},
                               {"shortest_block", five(b.group_shortest)},
                               {"mean_block", five(b.group_mean)},
                               {"share_with_half_the_padding", b.groups_with_half_the_padding}};
  }
  if (r.verified) j["verified"] = *r.verified;
  if (!r.output.empty()) j["output"] = {{"path", r.output}, {"container", r.container_name}};
  if (!r.plan.empty()) {
    j["plan"] = json::array();
    for (const format_cost& cost : r.plan)
      j["plan"].push_back({{"format", sparsmith::name_of(cost.format)},
                           {"parameters", parameters_text(cost)},
                           {"bytes", cost.bytes},
                           {"slots", cost.slots},
                           {"fill", cost.fill},
                           {"peak_bytes", cost.peak_bytes},
                           {"allowed", cost.allowed},
                           {"exact", cost.exact}});
  }
  j["stages"] = json::array();
  for (const stage& s : r.stages)
    j["stages"].push_back(
        {{"name", s.name}, {"seconds", s.seconds}, {"entries", s.entries}, {"bytes", s.bytes}});
  j["peak_bytes"] = {{"host", r.peak_host}, {"device", r.peak_device}};
  // Paths need not be UTF-8.
  fmt::print(out, "{}\n", j.dump(2, ' ', false, json::error_handler_t::replace));
}

void convert_matrix(const options& wanted) {
  if (wanted.to.empty() && !wanted.plan)
    throw error(failure::usage, "nothing to do: name a format with --to, or --plan");
  if (!wanted.output.empty() && wanted.to.empty())
    throw error(failure::usage, "-o needs a format: name one with --to");
  const plan_request request = request_of(wanted);
  std::optional<output_file> file;
  if (!wanted.output.empty()) {
    const container kind = container_of(wanted);
    if (!can_hold(kind, wanted.to == "mtx" ? wanted.to : format_of(wanted)))
      throw error(failure::usage, fmt::format("a {} file cannot hold {}; write it to a .h5 file",
                                              sparsmith::name_of(kind), wanted.to));
    if (wanted.output == "-" && kind != container::matrix_market)
      throw error(failure::usage, "standard output takes Matrix Market only");
    file.emplace(wanted.output);
  } else if (wanted.to == "mtx") {
    throw error(failure::usage, "--to mtx needs a file: name one with -o");
  }

  const device_choice choice = choose_device(wanted.common);
  outcome result;
  result.input = wanted.input;
  result.device = choice.note;
  const auto start = std::chrono::steady_clock::now();
  matrix_entries source;
  {
    progress_bar bar("reading", !wanted.common.quiet);
    source = read_matrix(wanted.input, bar.callback());
  }
  result.stages.push_back({is_generator(wanted.input) ? "generate" : "read", seconds_since(start),
                           source.entries.values.size(), file_bytes(wanted.input)});
  result.origin = source.origin;
  result.field = source.field;
  result.symmetry = name_of(source.symmetry);
  result.rows = source.entries.rows;
  result.cols = source.entries.cols;

  const bool single = wanted.value == "f32" || (wanted.value == "auto" && source.single_precision);
  // Positions of blocks are counted in offsets too.
  const std::int64_t positions = has_beta(format_of(wanted))
                                     ? block_positions(result.rows, result.cols, request.options.blocks.beta)
                                     : 0;
  const bool wide = wanted.offsets == "64" || (wanted.offsets == "auto" &&
                                               needs_wide_offsets(std::max(most_entries(source), positions)));
  output_file* const target = file ? &*file : nullptr;
  on_backend(choice.use_gpu, [&](auto on) {
    using backend = decltype(on);
    with_types({wide, single}, [&]<class Offset, class Value>() {
      try {
        run<backend, Offset, Value>(on, wanted, request, std::move(source), target, result);
      } catch (const error& problem) {
        // Every message names a file; what is wrong with the output names that one already.
        const std::string what = problem.what();
        if (problem.category() == failure::output || problem.category() == failure::usage ||
            what.rfind(wanted.input, 0) == 0 || (!wanted.output.empty() && what.rfind(wanted.output, 0) == 0))
          throw;
        throw error(problem.category(), wanted.input + ": " + what, problem.quantity());
      }
    });
  });
  result.peak_host = peak_bytes(place::host);
  result.peak_device = peak_bytes(place::device);
  if (prints_nothing(wanted)) return;
  std::FILE* const out = wanted.output == "-" ? stderr : stdout;
  wanted.common.as_json ? print_json(result, out) : print_text(result, out);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  options wanted;
  CLI::App app("Converts a sparse matrix between storage formats and reports what that did and what it cost.",
               "spconv");
  std::vector<std::string> targets = format_names();
  targets.push_back("mtx");
  app.add_option("input", wanted.input,
                 "A matrix: .mtx (also .gz, .bz2, .xz, .zst), SuiteSparse .tar.gz, .npz, .bsp.h5, .h5, - for "
                 "standard "
                 "input, or a generator (below)")
      ->required();
  app.add_option("--to", wanted.to,
                 fmt::format("Format: {}; mtx writes a Matrix Market file", joined(format_names())))
      ->check(CLI::IsMember(targets));
  app.add_option(
      "-o,--output", wanted.output,
      "Where to write; .mtx, .npz, .bsp.h5 or .h5 chooses the container. Without it, only the summary is "
      "printed");
  app.add_option("--container", wanted.container_name,
                 "mtx, npz, binsparse or sparsmith, whatever the extension")
      ->check(CLI::IsMember({"mtx", "npz", "binsparse", "sparsmith"}));
  app.add_flag("--plan", wanted.plan, "Price every format for this matrix without building any");
  app.add_flag("--verify", wanted.verify, "Check the result and convert it back, bit for bit");
  app.add_option("--value", wanted.value, "Value type: f32, f64, or auto (as in the input)")
      ->check(CLI::IsMember({"auto", "f32", "f64"}))
      ->capture_default_str();
  app.add_option("--offsets", wanted.offsets, "Offset width: 32, 64, or auto (from the entry count)")
      ->check(CLI::IsMember({"auto", "32", "64"}))
      ->capture_default_str();
  app.add_flag("--drop-zeros", wanted.drop_zeros, "Remove entries whose value is zero");
  app.add_option("--max-fill", wanted.conversion.max_fill,
                 "Refuse a padded format above this many slots per entry")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str();
  app.add_option("--slice", wanted.conversion.sell.slice, "SELL: rows per slice (C)")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--sigma", wanted.conversion.sell.sigma, "SELL: rows per sorting window")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--width", wanted.conversion.hyb_width,
                 "HYB: width of the ELL part; by default the largest that a third of the rows fill")
      ->check(CLI::Range(0, 1 << 30));
  app.add_option("--block", wanted.blocks,
                 "BSR: block size, RxC up to 64x64, or auto (the one of 66 shapes that takes the fewest "
                 "bytes); several for --plan")
      ->delimiter(',')
      ->default_str("4x4");
  app.add_option("--beta", wanted.betas,
                 "CSB, eCSB, GCSB: block side, a power of two from 2 to 4096; several for --plan")
      ->delimiter(',')
      ->default_str("32");
  app.add_option("--group", wanted.conversion.blocks.group_size,
                 "GCSB: blocks per group; layout tile: lanes, a power of two up to 32")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--window", wanted.conversion.blocks.window,
                 "GCSB: sort blocks by count only inside windows of this many; 0 is the whole matrix")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_option(
         "--layout", wanted.layout,
         "GCSB: blocks; tile (lanes own rows, no column twice in a step); thesis, for CSB too (32-bit "
         "indices, empty blocks stored)")
      ->check(CLI::IsMember({"blocks", "tile", "thesis"}))
      ->capture_default_str();
  app.add_option("--order", wanted.order,
                 "CSB, eCSB, GCSB: entries of a block in Morton, row or diagonal order")
      ->check(CLI::IsMember({"morton", "row", "diagonal"}))
      ->capture_default_str();
  app.add_option("--index", wanted.index,
                 "CSB, eCSB, GCSB: bits of the combined index; auto is 16 where that is enough")
      ->check(CLI::IsMember({"auto", "16", "32"}))
      ->capture_default_str();
  app.add_option("--holding", wanted.holding,
                 "eCSB: coo, ell, hybrid, or auto (by the lengths of the block rows)")
      ->check(CLI::IsMember({"auto", "coo", "ell", "hybrid"}))
      ->capture_default_str();
  app.add_option(
         "--tile", wanted.tile,
         "GCSB, layout tile: sides, powers of two from 256 to 2048, such as 512x1024; auto takes them "
         "from the matrix")
      ->capture_default_str();
  app.add_option("--renumber", wanted.renumber,
                 "GCSB, layout tile: number rows and columns by falling length inside the format; auto does "
                 "where lengths vary much")
      ->check(CLI::IsMember({"auto", "length", "none"}))
      ->capture_default_str();
  app.add_option("--rest", wanted.conversion.tile.rest_below,
                 "GCSB, layout tile: tiles with fewer entries go to a COO rest")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  add_common_options(app, wanted.common);
  app.footer("Generators:\n" + describe_generators() +
             "\nExamples:\n"
             "  spconv bcsstk17.mtx.gz --to csr -o bcsstk17.npz\n"
             "  spconv bcsstk17.mtx.gz --plan\n"
             "  spconv bcsstk17.mtx.gz --to bsr --block auto\n"
             "  spconv gen:rmat?scale=20 --to sell --verify\n"
             "  spconv 'gen:uniform?n=8192&density=0.05' --to mtx -o uniform.mtx\n"
             "\nExit status: 0 fine, 1 data or run-time failure, 2 usage.");
  return run_tool(app, argc, argv, [&] { convert_matrix(wanted); });
}
