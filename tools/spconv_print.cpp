// How spconv tells what it did: as text or as JSON, from the outcome alone.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analyze/report/describe.hpp"
#include "analyze/report/json_values.hpp"
#include "analyze/report/plan.hpp"
#include "tools/spconv.hpp"

namespace sparsmith::spconv {
namespace {

const char* text_of(symmetry_kind kind) {
  switch (kind) {
    case symmetry_kind::symmetric:
      return "symmetric";
    case symmetry_kind::skew_symmetric:
      return "skew-symmetric";
    case symmetry_kind::hermitian:
      return "hermitian";
    default:
      return "general";
  }
}

double ratio(std::int64_t a, std::int64_t b) {
  return b == 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string matrix_text(const outcome& r, int width) {
  std::string text;
  const auto line = [&](const char* label, const std::string& what) {
    text += labelled_text(label, what, width);
  };
  const double cells = static_cast<double>(r.rows) * static_cast<double>(r.cols);
  line("matrix", fmt::format("{} x {}, {} entries{}, {}-bit {}values, {}-bit offsets", with_commas(r.rows),
                             with_commas(r.cols), with_commas(r.entries),
                             cells > 0 ? " (" + percent(static_cast<double>(r.entries) / cells) + ")" : "",
                             r.value_bits, r.complex ? "complex " : "", r.offset_bits));
  const assembly_report& a = r.assembly;
  line("read", fmt::format("{}: {}, {}, {}", r.input, r.origin, r.field, text_of(r.symmetry)));
  line("", fmt::format("{} stored, {} expanded by symmetry, {} duplicates summed, {} explicit zeros {}",
                       with_commas(a.stored), with_commas(a.expanded), with_commas(a.duplicates_summed),
                       with_commas(a.explicit_zeros), a.zeros_dropped ? "dropped" : "kept"));
  if (const std::string doubt = doubt_about(a); !doubt.empty()) line("", doubt);
  if (a.narrowed > 0)
    line("", with_commas(a.narrowed) +
                 (r.complex ? " values rounded to twice 32 bits" : " values rounded to 32 bits"));
  if (a.rounded > 0) line("", with_commas(a.rounded) + " integers rounded to 64-bit floats");
  if (a.array_zeros > 0) line("", with_commas(a.array_zeros) + " zeros of dense storage left out");
  if (r.reordered)
    line("order",
         fmt::format("{}: the farthest entry is {} from the diagonal, and was {}", r.reordered->what,
                     with_commas(r.reordered->bandwidth), with_commas(r.reordered->bandwidth_before)));
  line("device", r.device);
  return text;
}

std::string format_text(const format_outcome& f, const outcome& r, int width) {
  std::string name = name_of(f.kind);
  for (const std::string& piece : describe(f.kind, f.size.parameters)) name += ", " + piece;
  std::string text = labelled_text("format",
                                   fmt::format("{}: {}, {} x CSR", name, format_bytes(f.size.bytes),
                                               three_decimals(ratio(f.size.bytes, r.csr_bytes))),
                                   width);
  if (f.entries != r.entries)
    text += labelled_text("half",
                          fmt::format("{} of {} entries: those on and above the diagonal",
                                      with_commas(f.entries), with_commas(r.entries)),
                          width);
  if (f.size.slots != f.entries)
    text +=
        labelled_text("padding",
                      fmt::format("{} slots for {} entries: {} padded, fill {}", with_commas(f.size.slots),
                                  with_commas(f.entries), with_commas(f.size.slots - f.entries),
                                  three_decimals(ratio(f.size.slots, f.entries))),
                      width);
  return text;
}

std::string blocks_text(const block_statistics& b, bool tiles, int width) {
  const std::string empty = percent(ratio(b.empty_blocks, b.blocks + b.rest_blocks + b.empty_blocks));
  std::string text =
      tiles ? labelled_text("tiles",
                            fmt::format("{} stored, {} in the rest with {} entries, {} empty ({})",
                                        with_commas(b.blocks), with_commas(b.rest_blocks),
                                        with_commas(b.rest_entries), with_commas(b.empty_blocks), empty),
                            width)
            : labelled_text("blocks",
                            fmt::format("{} with entries, {} empty ({})", with_commas(b.blocks),
                                        with_commas(b.empty_blocks), empty),
                            width);
  if (b.groups > 0)
    text += labelled_text("groups",
                          fmt::format("{}, half of the padding in {} of them", with_commas(b.groups),
                                      percent(b.groups_with_half_the_padding)),
                          width);
  const std::string part = tiles ? "lane" : "block";
  const std::string whole = tiles ? "stored tile" : "block";
  std::vector<table_line> spread = {{"entries", "least", "25 %", "median", "75 %", "most"}};
  const auto add = [&](const std::string& name, const auto& n, const auto& shown) {
    spread.push_back({name, shown(n.least), shown(n.lower_quartile), shown(n.median), shown(n.upper_quartile),
                      shown(n.most)});
  };
  const auto count = [](std::int64_t number) { return with_commas(number); };
  add(whole, b.entries, count);
  if (b.groups > 0) {
    add("longest " + part, b.group_longest, count);
    add("shortest " + part, b.group_shortest, count);
    add("mean " + part, b.group_mean, four_digits);
    if (tiles) add("steps", b.group_steps, count);
  }
  text += "\n" + text_table(spread, width);
  std::vector<table_line> histogram = {{"entries", whole + "s"}};
  for (const auto& [least, blocks] : b.histogram) {
    if (least * 2 <= b.entries.least) continue;  // nothing down there
    histogram.push_back(
        {least == 1 ? "1" : with_commas(least) + ".." + with_commas(least * 2 - 1), with_commas(blocks)});
  }
  return text + "\n" + text_table(histogram, width);
}

std::string stages_text(const outcome& r, int width) {
  std::vector<table_line> lines = {{"stage", "ms", "M entries/s", "GB/s"}};
  const auto add = [&](const std::string& prefix, const stage_log& stages) {
    double total = 0;
    for (const stage& s : stages) {
      total += s.seconds;
      const double rate = s.seconds > 0 ? static_cast<double>(s.entries) / s.seconds / 1e6 : 0;
      lines.push_back({prefix + s.name, milliseconds(s.seconds), three_figures(rate),
                       s.bytes > 0 && s.seconds > 0 ? giga(static_cast<double>(s.bytes) / s.seconds) : ""});
    }
    lines.push_back({prefix + "total", milliseconds(total), "", ""});
  };
  add("", r.stages);
  if (r.verified) add("verify: ", r.verify_stages);
  return "\n" + text_table(lines, width);
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
  return is_in_tiles(f.kind);
}

}  // namespace

void print_text(const outcome& r, std::FILE* out) {
  const int width = output_width(out);
  std::string text = matrix_text(r, width);
  const auto line = [&](const char* label, const std::string& what) {
    text += labelled_text(label, what, width);
  };
  if (r.chosen_block)
    line("block",
         fmt::format("auto: {}, {}", sides_of(r.chosen_block->best().shape.size), r.chosen_block->reason));
  if (r.format) text += format_text(*r.format, r, width);
  if (r.verified) line("verify", "valid, and converting back gives the same matrix bit for bit");
  if (r.output)
    line("wrote", fmt::format("{} ({}{})", r.output->where.path, name_of(r.output->where.kind),
                              r.output->where.path == "-" ? "" : ", " + format_bytes(r.output->bytes)));
  if (r.format && r.format->blocks) text += blocks_text(*r.format->blocks, in_tiles(*r.format), width);
  if (!r.plan.empty()) text += "\n" + plan_as_text(r.plan, r.csr_bytes, width);
  text += stages_text(r, width);
  text += wrapped(
      "",
      fmt::format("peak memory {}", format_bytes(r.peak_host)) +
          (r.peak_device > 0 ? fmt::format(" on the host, {} on the GPU", format_bytes(r.peak_device)) : ""),
      2, width);
  fmt::print(out, "{}", text);
}

void print_json(const outcome& r, std::FILE* out) {
  const assembly_report& a = r.assembly;
  // Not null: what makes an object of null loses its type where there is no memory, and crashes at the end.
  json j = json::object();
  j["schema"] = "sparsmith.spconv/1";
  j["input"] = r.input;
  j["matrix"] = {{"rows", r.rows},
                 {"cols", r.cols},
                 {"entries", r.entries},
                 {"value_bits", r.value_bits},
                 {"complex_values", r.complex},
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
               {"array_zeros", a.array_zeros},
               {"note", a.note.empty() ? json(nullptr) : json(a.note)}};
  if (r.reordered)
    j["reordered"] = {{"by", r.reordered->what},
                      {"bandwidth_before", r.reordered->bandwidth_before},
                      {"bandwidth", r.reordered->bandwidth}};
  j["device"] = r.device;
  if (r.chosen_block) j["block_choice"] = describe_choice(*r.chosen_block);
  if (r.format) {
    const format_outcome& f = *r.format;
    j["format"] = {{"name", name_of(f.kind)},
                   {"parameters", as_json(f.size.parameters)},
                   {"bytes", f.size.bytes},
                   {"bytes_over_csr", ratio(f.size.bytes, r.csr_bytes)},
                   {"slots", f.size.slots},
                   {"padded_slots", f.size.slots - f.entries},
                   {"fill", ratio(f.size.slots, f.entries)}};
    if (f.entries != r.entries) j["format"]["entries"] = f.entries;
    if (f.blocks) j["blocks"] = describe_blocks(*f.blocks, in_tiles(f));
  }
  if (r.verified) j["verified"] = true;
  if (r.output) j["output"] = {{"path", r.output->where.path}, {"container", name_of(r.output->where.kind)}};
  if (!r.plan.empty()) j["plan"] = plan_as_json(r.plan);
  const auto listed = [](const stage_log& stages) {
    json list = json::array();
    for (const stage& s : stages)
      list.push_back({{"name", s.name}, {"seconds", s.seconds}, {"entries", s.entries}, {"bytes", s.bytes}});
    return list;
  };
  j["stages"] = listed(r.stages);
  if (r.verified) j["verify_stages"] = listed(r.verify_stages);
  j["peak_bytes"] = {{"host", r.peak_host}, {"device", r.peak_device}};
  // Paths need not be UTF-8.
  fmt::print(out, "{}\n", j.dump(2, ' ', false, json::error_handler_t::replace));
}

}  // namespace sparsmith::spconv
