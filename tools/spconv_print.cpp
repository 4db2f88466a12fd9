// How spconv tells what it did: as text or as JSON, from the outcome alone.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analyze/report/describe.hpp"
#include "tools/spconv.hpp"

namespace sparsmith::spconv {
namespace {

const char* text_of(symmetry_kind kind) {
  switch (kind) {
    case symmetry_kind::symmetric:
      return "symmetric";
    case symmetry_kind::skew_symmetric:
      return "skew-symmetric";
    default:
      return "general";
  }
}

double ratio(std::int64_t a, std::int64_t b) {
  return b == 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b);
}

// What a price is of; where more than its matrix is needed, the flag that gives it.
std::string parameters_text(const format_cost& cost) {
  const bool flag_helps = !cost.possible() && cost.wide_offsets;
  return describe_in_one_line(cost) + (flag_helps ? " (--offsets 64)" : "");
}

void print_matrix(const outcome& r, std::FILE* out) {
  const double cells = static_cast<double>(r.rows) * static_cast<double>(r.cols);
  fmt::print(out, "matrix   {} x {}, {} entries", with_commas(r.rows), with_commas(r.cols),
             with_commas(r.entries));
  if (cells > 0) fmt::print(out, " ({})", percent(static_cast<double>(r.entries) / cells));
  fmt::print(out, ", {}-bit values, {}-bit offsets\n", r.value_bits, r.offset_bits);
  const assembly_report& a = r.assembly;
  fmt::print(out, "read     {}: {}, {}, {}\n", r.input, r.origin, r.field, text_of(r.symmetry));
  fmt::print(out, "         {} stored, {} expanded by symmetry, {} duplicates summed, {} explicit zeros {}\n",
             with_commas(a.stored), with_commas(a.expanded), with_commas(a.duplicates_summed),
             with_commas(a.explicit_zeros), a.zeros_dropped ? "dropped" : "kept");
  if (const std::string doubt = doubt_about(a); !doubt.empty()) fmt::print(out, "         {}\n", doubt);
  if (a.narrowed > 0) fmt::print(out, "         {} values rounded to 32 bits\n", with_commas(a.narrowed));
  if (a.rounded > 0)
    fmt::print(out, "         {} integers rounded to 64-bit floats\n", with_commas(a.rounded));
  if (a.array_zeros > 0)
    fmt::print(out, "         {} zeros of dense storage left out\n", with_commas(a.array_zeros));
}

void print_format(const format_outcome& f, const outcome& r, std::FILE* out) {
  std::string parameters;
  for (const auto& [name, value] : f.size.parameters) parameters += fmt::format(", {} {}", name, value);
  fmt::print(out, "format   {}{}: {}, {:.3f} x CSR\n", name_of(f.kind), parameters,
             format_bytes(f.size.bytes), ratio(f.size.bytes, r.csr_bytes));
  if (f.size.slots != r.entries)
    fmt::print(out, "padding  {} slots for {} entries: {} padded, fill {:.3f}\n", with_commas(f.size.slots),
               with_commas(r.entries), with_commas(f.size.slots - r.entries), ratio(f.size.slots, r.entries));
}

void print_blocks(const block_statistics& b, bool tiles, std::FILE* out) {
  const auto five = [](const five_numbers<std::int64_t>& n) {
    return fmt::format("{} / {} / {} / {} / {}", with_commas(n.least), with_commas(n.lower_quartile),
                       with_commas(n.median), with_commas(n.upper_quartile), with_commas(n.most));
  };
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
    fmt::print(
        out, "         {:>20} {:>14}\n",
        least == 1 ? std::string("1") : fmt::format("{}..{}", with_commas(least), with_commas(least * 2 - 1)),
        with_commas(blocks));
  }
  if (b.groups == 0) return;
  const char* const part = tiles ? "lane" : "block";
  const five_numbers<double>& mean = b.group_mean;
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

void print_plan(const outcome& r, std::FILE* out) {
  fmt::print(out, "\n{:<9} {:>12} {:>8} {:>8} {:>12}  {}\n", "plan", "bytes", "x CSR", "fill", "peak", "");
  for (const format_cost& cost : r.plan) {
    const std::string& name = name_of(cost.format);
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

void print_stages(const stage_log& stages, std::FILE* out) {
  fmt::print(out, "\n{:<16} {:>10} {:>12} {:>8}\n", "stage", "ms", "M entries/s", "GB/s");
  double total = 0;
  for (const stage& s : stages) {
    total += s.seconds;
    fmt::print(out, "{:<16} {:>10.2f} {:>12.1f}", s.name, s.seconds * 1e3,
               s.seconds > 0 ? static_cast<double>(s.entries) / s.seconds / 1e6 : 0.0);
    if (s.bytes > 0 && s.seconds > 0)
      fmt::print(out, " {:>8.2f}", static_cast<double>(s.bytes) / s.seconds / 1e9);
    fmt::print(out, "\n");
  }
  fmt::print(out, "{:<16} {:>10.2f}\n", "total", total * 1e3);
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

json describe_blocks(const block_statistics& b, bool tiles) {
  const auto five = [](const auto& n) {
    return json{{"min", n.least},
                {"q1", n.lower_quartile},
                {"median", n.median},
                {"q3", n.upper_quartile},
                {"max", n.most}};
  };
  json j = {{"blocks", b.blocks}, {"empty_blocks", b.empty_blocks}, {"entries_per_block", five(b.entries)}};
  if (tiles) j["rest"] = {{"blocks", b.rest_blocks}, {"entries", b.rest_entries}};
  j["histogram"] = json::array();
  for (const auto& [least, blocks] : b.histogram)
    j["histogram"].push_back({{"min", least}, {"max", least * 2 - 1}, {"blocks", blocks}});
  if (b.groups > 0)
    j["groups"] = {{"groups", b.groups},
                   {"slots", b.slots},
                   {"padded_slots", b.padded_slots},
                   {"steps", five(b.group_steps)},
                   {"longest_block", five(b.group_longest)},
                   {"shortest_block", five(b.group_shortest)},
                   {"mean_block", five(b.group_mean)},
                   {"share_with_half_the_padding", b.groups_with_half_the_padding}};
  return j;
}

bool in_tiles(const format_outcome& f) {
  return f.kind == format_kind::gcsb_tile;
}

}  // namespace

void print_text(const outcome& r, std::FILE* out) {
  print_matrix(r, out);
  fmt::print(out, "device   {}\n", r.device);
  if (r.chosen_block) {
    const block_size best = r.chosen_block->best().shape.size;
    fmt::print(out, "block    auto: {} x {}, {}\n", best.rows, best.cols, r.chosen_block->reason);
  }
  if (r.format) print_format(*r.format, r, out);
  if (r.format && r.format->blocks) print_blocks(*r.format->blocks, in_tiles(*r.format), out);
  if (r.verified) fmt::print(out, "verify   valid, and converting back gives the same matrix bit for bit\n");
  if (r.output)
    fmt::print(out, "wrote    {} ({}{})\n", r.output->where.path, name_of(r.output->where.kind),
               r.output->where.path == "-" ? "" : ", " + format_bytes(r.output->bytes));
  if (!r.plan.empty()) print_plan(r, out);
  print_stages(r.stages, out);
  fmt::print(out, "peak memory {}", format_bytes(r.peak_host));
  if (r.peak_device > 0) fmt::print(out, " on the host, {} on the GPU", format_bytes(r.peak_device));
  fmt::print(out, "\n");
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
               {"symmetry", text_of(r.symmetry)},
               {"stored", a.stored},
               {"expanded", a.expanded},
               {"duplicates_summed", a.duplicates_summed},
               {"stored_twice", a.stored_twice},
               {"explicit_zeros", a.explicit_zeros},
               {"zeros_dropped", a.zeros_dropped},
               {"narrowed", a.narrowed},
               {"rounded", a.rounded},
               {"array_zeros", a.array_zeros}};
  j["device"] = r.device;
  if (r.chosen_block) j["block_choice"] = describe_choice(*r.chosen_block);
  if (r.format) {
    const format_outcome& f = *r.format;
    j["format"] = {{"name", name_of(f.kind)},
                   {"parameters", as_json(f.size.parameters)},
                   {"bytes", f.size.bytes},
                   {"bytes_over_csr", ratio(f.size.bytes, r.csr_bytes)},
                   {"slots", f.size.slots},
                   {"padded_slots", f.size.slots - r.entries},
                   {"fill", ratio(f.size.slots, r.entries)}};
    if (f.blocks) j["blocks"] = describe_blocks(*f.blocks, in_tiles(f));
  }
  if (r.verified) j["verified"] = true;
  if (r.output) j["output"] = {{"path", r.output->where.path}, {"container", name_of(r.output->where.kind)}};
  if (!r.plan.empty()) {
    j["plan"] = json::array();
    for (const format_cost& cost : r.plan)
      j["plan"].push_back({{"format", name_of(cost.format)},
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

}  // namespace sparsmith::spconv
