// Times every kernel of every format on a matrix, beside the vendor's CSR product (csr/omp on a CPU) in the
// same minutes, with warm and with cold caches; in the end ours is compared with the vendor's best format
// (verdict.hpp). Every result is checked first, and again after the timed runs. The race itself is in
// analyze/recommend; here it is asked for, and each format printed when it is through, so that whoever waits
// sees where it is and a time limit loses only what was not measured.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analyze/recommend/race.hpp"
#include "analyze/recommend/verdict.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "tests/bench/scipy.hpp"
#include "tools/command_line.hpp"
#include "tools/kernel_names.hpp"

namespace sparsmith {
namespace {

const char* short_name(operation op) {
  return op == operation::multiply ? "ax" : "atx";
}

struct options {
  common_options common;
  std::vector<std::string> matrices, kernels, formats;
  std::string block, tile = "auto";
  std::vector<operation> operations = {operation::multiply, operation::transposed};
  bool single_values = false;
  int samples = 30, warm_up_ms = 100;
  bool warm_only = false, csv = false, list = false, scipy = false;
  conversion_options conversion;
  std::vector<std::string> of_formats;  // which of the options that are about some formats only

  bool names_format(format_kind format) const {
    return std::find(formats.begin(), formats.end(), name_of(format)) != formats.end();
  }
  bool names_kernel(const kernel_info& kernel) const {
    return kernels.empty() || std::find(kernels.begin(), kernels.end(), kernel.name) != kernels.end();
  }
};

// What was measured on one matrix.
struct bench_result {
  std::string name, problem;
  bool device_failed = false;
  double scipy_seconds = -1;  // of SciPy's csr @ x; negative where it was not measured
  matrix_result found;
};

struct machine {
  std::string device, backend;
  double copy = 0;  // bytes per second
};

// What ends the measuring with what there is, so that also a document of JSON is whole; a second time it ends
// everything.
volatile std::sig_atomic_t interrupting_signal = 0;

void note_interrupt(int signal) {
  interrupting_signal = signal;
  std::signal(signal, SIG_DFL);
}

// ---- the list of kernels ----

// CSC is A^T as CSR: it stands for the copies of A^T, and has no lines of its own.
std::vector<listed_kernel> measured_kernels() {
  std::vector<listed_kernel> all = all_kernels();
  std::erase_if(all, [](const listed_kernel& k) { return k.format == format_kind::csc; });
  return all;
}

json describe_list(const std::vector<listed_kernel>& all) {
  json document{{"schema", "sparsmith.kernels/1"}, {"kernels", json::array()}};
  for (const listed_kernel& k : all) {
    json operations = json::array(), repeatable = json::array();
    for (const operation op : both_operations) {
      if (k.info.computes(op)) operations.push_back(short_name(op));
      if (k.info.computes(op) && k.info.repeatable(op)) repeatable.push_back(short_name(op));
    }
    document["kernels"].push_back({{"name", k.info.name},
                                   {"format", name_of(k.format)},
                                   {"backend", k.backend},
                                   {"operations", operations},
                                   {"repeatable", repeatable},
                                   {"vendor", k.info.vendor},
                                   {"source", k.info.source},
                                   {"description", k.info.description}});
  }
  return document;
}

// Short, so that a terminal of 40 columns takes no more than two tables a format.
std::string in_a_word(const std::vector<operation>& operations) {
  return operations.empty() ? "no" : operations.size() > 1 ? "both" : name_of(operations[0]);
}

std::string list_as_text(const std::vector<listed_kernel>& all, int width) {
  std::string text;
  for (const format_kind format : all_formats()) {
    std::vector<table_line> lines = {
        {fmt::format("{:<20}", name_of(format)), "backend", "products", "same bits"}};
    std::vector<std::string> notes = {""};
    for (const listed_kernel& k : all) {
      if (k.format != format) continue;
      std::vector<operation> operations, repeatable;
      for (const operation op : both_operations) {
        if (!k.info.computes(op)) continue;
        operations.push_back(op);
        if (k.info.repeatable(op)) repeatable.push_back(op);
      }
      lines.push_back({k.info.name, k.backend, in_a_word(operations), in_a_word(repeatable)});
      notes.push_back(
          fmt::format("{}{} ({})", k.info.vendor ? "[vendor] " : "", k.info.description, k.info.source));
    }
    if (lines.size() > 1) text += (text.empty() ? "" : "\n") + text_table(lines, width, notes);
  }
  return text;
}

// ---- the request ----

// What the vendor advises where both products are needed: A^T stored beside A, in each of its formats, and
// A^T x from there. Ours are tried on the same copies, but for those whose rounding is known from the order
// of A's entries alone.
std::vector<format_variant> copies_of_transpose(const options& wanted, const std::string& backend) {
  std::vector<format_variant> copies;
  if (std::find(wanted.operations.begin(), wanted.operations.end(), operation::transposed) ==
      wanted.operations.end())
    return copies;
  for (const format_kind format : {format_kind::csr, format_kind::coo, format_kind::sell, format_kind::bsr}) {
    bool has_vendor = false;
    std::vector<std::string> kernels;
    for (const listed_kernel& k : all_kernels())
      if (k.format == format && k.backend == backend && wanted.names_kernel(k.info) &&
          k.info.rounding_neighbours == 0) {
        kernels.emplace_back(k.info.name);
        has_vendor |= k.info.vendor;
      }
    if (!has_vendor) continue;
    for (format_variant& copy : variants_of(format, wanted.conversion)) {
      copy.of_transpose = true;
      copy.operations = {operation::transposed};
      copy.kernels = kernels;
      copies.push_back(std::move(copy));
    }
  }
  return copies;
}

// The formats whose kernels are wanted; names that do not exist, or not on this backend, are refused. CSC
// among them is the copies of A^T.
std::vector<format_kind> formats_wanted(const options& wanted, const std::string& backend) {
  const std::vector<format_kind> of_kernels =
      formats_of_kernels("--kernel", wanted.kernels, measured_kernels(), backend);
  std::vector<format_kind> formats;
  for (const format_kind format : all_formats()) {
    if (!wanted.formats.empty() && !wanted.names_format(format)) continue;
    if (format == format_kind::csc) {
      if (copies_of_transpose(wanted, backend).empty()) {
        if (wanted.names_format(format))
          throw error(failure::usage,
                      "--format csc: copies of A^T for A^T x beside the vendor's, which need a GPU");
        continue;
      }
    } else if (!wanted.kernels.empty() &&
               std::find(of_kernels.begin(), of_kernels.end(), format) == of_kernels.end()) {
      continue;
    }
    formats.push_back(format);
  }
  if (formats.empty()) throw error(failure::usage, "no kernel of --kernel belongs to a format of --format");
  return formats;
}

// `vendor` among the kernels is all of the vendor's.
void name_vendors_kernels(options& wanted, const std::string& backend) {
  const auto word = std::find(wanted.kernels.begin(), wanted.kernels.end(), "vendor");
  if (word == wanted.kernels.end()) return;
  wanted.kernels.erase(word);
  bool found = false;
  for (const listed_kernel& k : measured_kernels())
    if (k.backend == backend && k.info.vendor) {
      wanted.kernels.emplace_back(k.info.name);
      found = true;
    }
  if (!found) throw error(failure::usage, "--kernel vendor: the vendor's kernels need a GPU");
}

race_request request_of(options wanted, const std::string& backend) {
  race_request request;
  request.operations = wanted.operations;
  request.sampling = {wanted.samples, wanted.warm_only, wanted.warm_up_ms / 1e3};
  request.sampling.interrupted = [] { return interrupting_signal != 0; };

  name_vendors_kernels(wanted, backend);
  const std::vector<format_kind> formats = formats_wanted(wanted, backend);
  require_meaning(wanted.of_formats, formats, listed(formats));
  conversion_options& conversion = wanted.conversion;
  if (!wanted.block.empty()) conversion.bsr_block = parse_block(wanted.block);
  if (wanted.tile != "auto") {
    const block_size sides = parse_tile(wanted.tile);
    conversion.tile.height = sides.rows;
    conversion.tile.width = sides.cols;
  }
  // Layout tile takes powers of two up to a warp; unless it is asked for, other groups are for the other
  // layout alone.
  const std::int32_t group = conversion.blocks.group_size;
  if (is_lane_count(group) || wanted.names_format(format_kind::gcsb_tile)) conversion.tile.group_size = group;

  // All that was typed must be right, whatever of it this run needs.
  for (const format_kind format : all_formats()) require_options(conversion, format);
  for (const format_kind format : formats) {
    if (format == format_kind::csc) continue;
    for (format_variant& variant : variants_of(format, conversion)) {
      variant.kernels = wanted.kernels;
      request.field.push_back({std::move(variant)});
    }
  }
  if (std::find(formats.begin(), formats.end(), format_kind::csc) != formats.end())
    for (format_variant& copy : copies_of_transpose(wanted, backend))
      request.field.push_back({std::move(copy)});
  return request;
}

// ---- printing ----

std::string fixed(double value) {
  return fmt::format("{:.2f}", value);
}
// Four figures, for columns that must stay narrow.
std::string micro(double seconds) {
  const double value = seconds * 1e6;
  return fmt::format("{:.{}f}", value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
}

double giga_per_second(std::int64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0;
}

double times(std::int64_t a, std::int64_t b) {
  return b == 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b);
}

// What stands above all formats.
std::string head_as_text(const machine& on, const options& wanted, const std::string& name,
                         const matrix_result& m, int width) {
  std::vector<std::string> bases;
  for (const operation op : wanted.operations)
    bases.push_back(fmt::format("{} for {}", m.base_name(op), name_of(op)));
  std::string text = "\n" + wrapped("", name, 0, width);
  text += wrapped("",
                  fmt::format("{} x {}, {} entries, {}-bit values, {}-bit offsets; CSR {}",
                              with_commas(m.rows), with_commas(m.cols), with_commas(m.entries), m.value_bits,
                              m.offset_bits, format_bytes(m.csr_bytes())),
                  2, width);
  text += wrapped("", fmt::format("{}; a copy moves {:.1f} GB/s", on.device, on.copy / 1e9), 2, width);
  text +=
      wrapped("",
              fmt::format("base: {}; x base, p10, p90, GB/s (of the least that CSR must move, and of what "
                          "is moved) and % of a copy are of {} runs; held: beside the matrix; same: bits "
                          "in every run",
                          fmt::join(bases, ", "), wanted.warm_only ? "warm" : "cold"),
              2, width);
  return text;
}

// The kernels of a format that were timed. Headings are as wide as what mostly stands below them, so that the
// tables of all formats look alike.
std::string kernels_as_text(const machine& on, const matrix_result& m, const variant_result& f, int width) {
  std::vector<table_line> lines = {{fmt::format("{:<{}}", "kernel", std::min(23, width / 3)), " warm us",
                                    " cold us", "x base", "     p10", "     p90", "CSR GB/s", "   GB/s",
                                    "% copy", "prep ms", "     held", "same"}};
  for (const contestant_result& k : f.contestants) {
    if (!k.timed()) continue;
    const double seconds = k.time.headline();
    const double minimum = giga_per_second(m.csr_minimum_bytes(), seconds);
    lines.push_back({fmt::format("{} {}", k.info.name, name_of(k.op)), fixed(k.time.warm.median * 1e6),
                     k.time.cold.samples > 0 ? fixed(k.time.cold.median * 1e6) : "-",
                     fmt::format("{:.3f}", f.ratio(k)), micro(k.time.shown().p10), micro(k.time.shown().p90),
                     fmt::format("{:.1f}", minimum),
                     fmt::format("{:.1f}", giga_per_second(m.actual_bytes(f, k), seconds)),
                     fmt::format("{:.1f}", 100e9 * minimum / on.copy), fixed(k.prepare_seconds * 1e3),
                     k.prepared_bytes == 0 ? "-" : format_bytes(k.prepared_bytes),
                     k.info.repeatable(k.op) ? "yes" : "no"});
  }
  return lines.size() > 1 ? text_table(lines, width) : "";
}

std::string format_as_text(const machine& on, const matrix_result& m, const variant_result& f, int width) {
  if (f.not_reached) return "\n" + wrapped("", f.label() + ": " + f.refused, 2, width);
  if (!f.refused.empty()) return "\n" + labelled_text("refused", f.label() + ": " + f.refused, width);
  std::string text =
      fmt::format("{}: {}, {:.3f} x CSR", f.label(), format_bytes(f.bytes), times(f.bytes, m.csr_bytes()));
  if (f.format != format_kind::csr || f.of_transpose)
    text += fmt::format(", converted in {} ms", fixed(f.convert_seconds * 1e3));
  if (f.offset_bits > m.offset_bits) text += ", 64-bit offsets";
  text = "\n" + wrapped("", text, 2, width);
  text += kernels_as_text(on, m, f, width);
  for (const contestant_result& k : f.contestants) {
    const std::string label = fmt::format("{} {}: ", k.info.name, name_of(k.op));
    if (!k.not_run.empty()) text += labelled_text("not run", label + k.not_run, width);
    if (!k.wrong.empty()) text += labelled_text("WRONG", label + k.wrong, width);
  }
  return text;
}

std::string scipy_as_text(const bench_result& result, int width) {
  if (result.scipy_seconds < 0)
    return wrapped("", "SciPy's csr @ x was not measured: python3 has no SciPy", 2, width);
  std::string text;
  for (const variant_result& f : result.found.variants)
    for (const contestant_result& k : f.contestants)
      if (k.timed() && k.op == operation::multiply && f.format == format_kind::csr)
        text += wrapped("",
                        fmt::format("SciPy's csr @ x, one thread: {} us; {} is {:.2f} x as fast",
                                    fixed(result.scipy_seconds * 1e6), k.info.name,
                                    result.scipy_seconds / k.time.warm.median),
                        2, width);
  return text;
}

// ---- beside the vendor ----

const std::vector<operation> pair_of_operations(both_operations.begin(), both_operations.end());

bool has_vendor(const vendor_ways& vendor) {
  return vendor.product[0] || vendor.product[1];
}

// "csr/cusparse-alg2 + sell/cusparse unsorted of A^T".
std::string names_with_copies(const way& w) {
  std::string text;
  for (const operation op : both_operations) {
    if (w.contestant(op) == nullptr) continue;
    const variant_result& f = w.variant_of(op);
    const std::string name = w.contestant(op)->info.name + (f.note.empty() ? "" : " " + f.note) +
                             (f.of_transpose ? " of A^T" : "");
    if (name != text) text += (text.empty() ? "" : " + ") + name;
  }
  return text;
}

// What the base took beside its kernels.
double base_of(const way& w) {
  double seconds = 0;
  for (const operation op : both_operations)
    if (w.contestant(op) != nullptr) seconds += w.variant_of(op).base_of(op).headline();
  return seconds;
}

std::int64_t bytes_of_copies(const way& w) {
  std::int64_t sum = 0;
  for (const variant_result* f : w.stored) sum += f->bytes;
  return sum;
}

// The vendor's best in what it is compared with.
struct vendor_line {
  const char* name;     // in documents
  const char* words;    // in tables
  const char* product;  // in lines with commas
  way best;
};
std::vector<vendor_line> vendor_lines(const vendor_ways& vendor) {
  std::vector<vendor_line> all = {{"ax", "A x", "ax", vendor.product[0]},
                                  {"atx", "A^T x", "atx", vendor.product[1]},
                                  {"atx_from_a", "A^T x, from A", "atx", vendor.transposed_from_a},
                                  {"csr", "both, CSR", "both", vendor.csr},
                                  {"one_copy", "both, one copy", "both", vendor.one_copy},
                                  {"two_copies", "both, two copies", "both", vendor.two_copies}};
  std::erase_if(all, [](const vendor_line& line) { return !line.best; });
  return all;
}

std::string vendor_as_text(const matrix_result& m, const vendor_ways& vendor, int width) {
  std::vector<table_line> lines = {{"the vendor", "us", "x base"}};
  std::vector<std::string> notes = {""};
  way above;
  for (const auto& [name, words, product, best] : vendor_lines(vendor)) {
    if (best == above) continue;  // CSR is the best format, or a copy of A as good as one of A^T
    above = best;
    const double seconds = headline_of(best);
    lines.push_back({words, fixed(seconds * 1e6), fmt::format("{:.3f}", base_of(best) / seconds)});
    notes.push_back(fmt::format("{}, {:.3f} x CSR", names_with_copies(best),
                                times(bytes_of_copies(best), m.csr_bytes())));
  }
  return text_table(lines, width, notes);
}

std::string ratio_or_dash(double ratio) {
  return ratio > 0 ? fmt::format("{:.3f}", ratio) : "-";
}

// What follows from all formats together, ours first.
std::string best_as_text(const matrix_result& m, int width) {
  const vendor_ways vendor = vendor_of(m, {});
  const vendor_ratios ratios = over_vendor(m);
  std::vector<table_line> lines = {{"best of ours", "us", "x base"}};
  if (has_vendor(vendor)) lines[0].push_back("x vendor");
  std::vector<std::string> notes = {""};
  const auto add = [&](const std::string& what, const choice& c, double over, std::string note) {
    const double after = c.repaid_after();
    note += is_base(m, c) ? ", the base itself"
            : after < 0   ? ", never repaid"
            : after == 0
                ? ", at no price"
                : fmt::format(", repaid after {}", with_commas(static_cast<std::int64_t>(after) + 1));
    lines.push_back({what, fixed(c.seconds * 1e6), fmt::format("{:.3f}", c.ratio())});
    if (has_vendor(vendor)) lines.back().push_back(ratio_or_dash(over));
    notes.push_back(std::move(note));
  };
  for (const operation op : both_operations)
    if (const choice c = best_of(m, {op}); c.format != nullptr)
      add(name_of(op), c, op == operation::multiply ? ratios.ax : ratios.atx, c.names());
  const choice pair = best_of(m, pair_of_operations);
  if (pair.format != nullptr)
    add("both, one copy", pair, ratios.pair_two_copies,
        fmt::format("{}, {:.3f} x CSR", pair.names(), times(pair.format->bytes, m.csr_bytes())));
  if (pair.format != nullptr && !vendor.csr) {
    lines.push_back({"base, one copy", fixed(pair.base_seconds * 1e6), "1.000"});
    notes.push_back(m.base_names[0] == m.base_names[1] ? m.base_names[0]
                                                       : m.base_names[0] + " + " + m.base_names[1]);
  }
  std::string text = "\n" + text_table(lines, width, notes);
  if (!has_vendor(vendor)) return text;
  text += "\n" + vendor_as_text(m, vendor, width);
  if (ratios.pair_csr > 0)
    text +=
        wrapped("",
                fmt::format("both from one copy of ours over the vendor: its CSR, one copy, {:.3f} x; its "
                            "best format, one copy, {:.3f} x; its best formats, two copies, {} x",
                            ratios.pair_csr, ratios.pair_one_copy, ratio_or_dash(ratios.pair_two_copies)),
                2, width);
  std::vector<std::string> same;
  for (const auto& [format, ratio] : over_vendor_in_format(m))
    same.push_back(fmt::format("{} {:.3f} x", name_of(format), ratio));
  if (!same.empty())
    text += wrapped(
        "", fmt::format("A x of ours over the vendor's in the same format: {}", fmt::join(same, ", ")), 2,
        width);
  return text;
}

// Every format beside the vendor's best, which is known when all are through.
std::string formats_over_vendor_as_text(const matrix_result& m, int width) {
  std::vector<table_line> lines = {{"x vendor", "A x", "A^T x", "both/CSR", "both/two"}};
  for (const variant_result& f : m.variants) {
    const vendor_ratios r = over_vendor(m, f);
    if (r.ax <= 0 && r.atx <= 0) continue;
    lines.push_back({f.label(), ratio_or_dash(r.ax), ratio_or_dash(r.atx), ratio_or_dash(r.pair_csr),
                     ratio_or_dash(r.pair_two_copies)});
  }
  return lines.size() > 1 ? "\n" + text_table(lines, width) : "";
}

// The rest of a matrix, below its formats.
std::string end_as_text(const options& wanted, const bench_result& result, int width) {
  if (!result.problem.empty())
    return "\n" + wrapped("", result.name, 0, width) +
           wrapped("  ", "NOT MEASURED: " + result.problem, 4, width);
  std::string text;
  if (wanted.scipy) text += "\n" + scipy_as_text(result, width);
  if (result.found.entries > 0)  // else nothing is fast or slow
    text += best_as_text(result.found, width) + formats_over_vendor_as_text(result.found, width);
  return text;
}

json describe_regime(const machine& on, const matrix_result& m, const variant_result& f,
                     const contestant_result& k, const timing& t, const timing& base) {
  if (t.samples == 0) return nullptr;
  const double minimum = giga_per_second(m.csr_minimum_bytes(), t.median);
  return {{"median_us", t.median * 1e6},
          {"p10_us", t.p10 * 1e6},
          {"p90_us", t.p90 * 1e6},
          {"samples", t.samples},
          {"gb_per_s_csr_minimum", minimum},
          {"gb_per_s_actual", giga_per_second(m.actual_bytes(f, k), t.median)},
          {"share_of_copy", minimum * 1e9 / on.copy},
          {"share_of_copy_actual", giga_per_second(m.actual_bytes(f, k), t.median) * 1e9 / on.copy},
          {"base_us", base.median * 1e6},
          {"times_base", base.median / t.median}};
}

json describe_choice(const choice& c) {
  if (c.format == nullptr) return nullptr;
  json kernels = json::array();
  for (const contestant_result* k : c.kernels) kernels.push_back(k->info.name);
  const double after = c.repaid_after();
  return {{"format", name_of(c.format->format)},
          {"variant", c.format->note},
          {"kernels", kernels},
          {"us", c.seconds * 1e6},
          {"base_us", c.base_seconds * 1e6},
          {"times_base", c.ratio()},
          {"repaid_after", after < 0 ? json(nullptr) : json(after)}};
}

json ratio_or_null(double ratio) {
  return ratio > 0 ? json(ratio) : json(nullptr);
}

json describe_ratios(const vendor_ratios& ratios) {
  json described;
  for (const vendor_comparison& c : vendor_comparisons) described[c.name] = ratio_or_null(ratios.*c.ratio);
  return described;
}

json describe_vendor(const matrix_result& m, const vendor_ways& vendor) {
  json described;
  for (const auto& [name, words, product, best] : vendor_lines(vendor)) {
    json kernels = json::object(), copies = json::array();
    for (const operation op : both_operations)
      if (best.contestant(op) != nullptr) kernels[short_name(op)] = best.contestant(op)->info.name;
    for (const variant_result* f : best.stored) copies.push_back(f->label());
    const double seconds = headline_of(best), base = base_of(best);
    described[name] = {
        {"kernels", kernels},           {"copies", copies},
        {"us", seconds * 1e6},          {"base_us", base * 1e6},
        {"times_base", base / seconds}, {"times_csr", times(bytes_of_copies(best), m.csr_bytes())}};
  }
  return described;  // null without a vendor
}

json describe_matrix(const machine& on, const options& wanted, const bench_result& result) {
  json document{{"name", result.name}};
  if (result.scipy_seconds >= 0) document["scipy_us"] = result.scipy_seconds * 1e6;
  if (!result.problem.empty()) {
    document["problem"] = result.problem;
    return document;
  }
  const matrix_result& m = result.found;
  document.update({{"rows", m.rows},
                   {"cols", m.cols},
                   {"entries", m.entries},
                   {"value_bits", m.value_bits},
                   {"offset_bits", m.offset_bits},
                   {"csr_bytes", m.csr_bytes()},
                   {"csr_minimum_bytes", m.csr_minimum_bytes()},
                   {"headline", wanted.warm_only ? "warm" : "cold"},
                   {"base", {{"ax", m.base_names[0]}, {"atx", m.base_names[1]}}},
                   {"formats", json::array()},
                   {"kernels", json::array()}});
  const vendor_ways vendor = vendor_of(m, {});
  for (const variant_result& f : m.variants) {
    json format{{"format", name_of(f.format)}, {"variant", f.note}, {"of_transpose", f.of_transpose}};
    if (f.refused.empty())
      format.update({{"bytes", f.bytes},
                     {"times_csr", times(f.bytes, m.csr_bytes())},
                     {"convert_ms", f.convert_seconds * 1e3},
                     {"offset_bits", f.offset_bits},
                     {"parameters", as_json(f.parameters)}});
    else
      format["refused"] = f.refused;
    if (has_vendor(vendor)) format["over_vendor"] = describe_ratios(over_vendor(m, f));
    document["formats"].push_back(std::move(format));
    for (const contestant_result& k : f.contestants) {
      json line{
          {"kernel", k.info.name},          {"format", name_of(f.format)},          {"variant", f.note},
          {"of_transpose", f.of_transpose}, {"operation", short_name(k.op)},        {"vendor", k.info.vendor},
          {"source", k.info.source},        {"repeatable", k.info.repeatable(k.op)}};
      if (!k.not_run.empty()) {
        line["not_run"] = k.not_run;
      } else if (!k.wrong.empty()) {
        line["wrong"] = k.wrong;
      } else {
        const regimes& base = f.base_of(k.op);
        line.update({{"prepare_ms", k.prepare_seconds * 1e3},
                     {"prepared_bytes", k.prepared_bytes},
                     {"warm", describe_regime(on, m, f, k, k.time.warm, base.warm)},
                     {"cold", describe_regime(on, m, f, k, k.time.cold, base.cold)}});
        if (const way& best = vendor.product[static_cast<std::size_t>(k.op)])
          line["times_vendor"] = headline_of(best) / k.time.headline();
      }
      document["kernels"].push_back(std::move(line));
    }
  }
  document["best"] = {{"ax", describe_choice(best_of(m, {operation::multiply}))},
                      {"atx", describe_choice(best_of(m, {operation::transposed}))},
                      {"pair", describe_choice(best_of(m, pair_of_operations))}};
  document["vendor"] = describe_vendor(m, vendor);
  document["over_vendor"] = nullptr;
  if (has_vendor(vendor)) {
    document["over_vendor"] = describe_ratios(over_vendor(m));
    json& same = document["over_vendor"]["ax_in_format"] = json::object();
    for (const auto& [format, ratio] : over_vendor_in_format(m)) same[name_of(format)] = ratio;
  }
  return document;
}

// ---- several matrices ----

// Nothing where there is no vendor.
std::string overall_vendor_as_text(const std::vector<bench_result>& matrices, int width) {
  overall_vendor all;
  for (const bench_result& m : matrices) add_ratios(m.found, all);
  std::vector<table_line> lines = {{"ours: the vendor's", "mean", "worst", "ahead on"}};
  const auto add = [&](const std::string& what, const overall& o) {
    if (o.measured > 0)
      lines.push_back({what, fmt::format("{:.3f}", o.mean()), fmt::format("{:.3f}", o.worst),
                       fmt::format("{}/{} {:.0f} %", o.ahead, matrices.size(),
                                   100.0 * o.ahead / static_cast<double>(matrices.size()))});
  };
  for (std::size_t i = 0; i < vendor_comparisons.size(); ++i) add(vendor_comparisons[i].words, all.best[i]);
  for (const auto& [format, o] : all.in_format) add(fmt::format("{0} A x: {0}", name_of(format)), o);
  if (lines.size() == 1) return "";
  return "\n" +
         wrapped("",
                 fmt::format("best of ours over the vendor's, both products from one copy of ours, over {} "
                             "matrices: geometric mean, worst, ahead on",
                             matrices.size()),
                 2, width) +
         text_table(lines, width);
}

std::string overall_as_text(const std::vector<bench_result>& matrices, int width) {
  format_ratios all;
  for (const bench_result& m : matrices) add_ratios(m.found, all);
  std::vector<table_line> lines = {{"format", "A x", "A^T x", "both"}};
  for (const auto& [format, ratios] : all) {
    lines.push_back({format});
    for (const overall& o : ratios)
      lines.back().push_back(
          o.measured == 0 ? "-"
                          : fmt::format("{:.3f} {:.3f} {}/{}", o.mean(), o.worst, o.ahead, matrices.size()));
  }
  return "\n" +
         wrapped("",
                 fmt::format("best of ours in each format, x base over {} matrices: geometric mean, worst, "
                             "ahead on",
                             matrices.size()),
                 2, width) +
         text_table(lines, width) + overall_vendor_as_text(matrices, width);
}

json describe_overall(const overall& o, std::size_t matrices) {
  if (o.measured == 0) return nullptr;
  return {{"geometric_mean", o.mean()},
          {"worst", o.worst},
          {"ahead", o.ahead},
          {"measured", o.measured},
          {"matrices", matrices}};
}

json describe_overall(const std::vector<bench_result>& matrices) {
  format_ratios all;
  overall_vendor beside;
  for (const bench_result& m : matrices) {
    add_ratios(m.found, all);
    add_ratios(m.found, beside);
  }
  json document{{"formats", json::object()}, {"over_vendor", json::object()}};
  for (const auto& [format, ratios] : all)
    document["formats"][format] = {{"ax", describe_overall(ratios[0], matrices.size())},
                                   {"atx", describe_overall(ratios[1], matrices.size())},
                                   {"pair", describe_overall(ratios[2], matrices.size())}};
  json& over = document["over_vendor"];
  for (std::size_t i = 0; i < vendor_comparisons.size(); ++i)
    over[vendor_comparisons[i].name] = describe_overall(beside.best[i], matrices.size());
  over["ax_in_format"] = json::object();
  for (const auto& [format, o] : beside.in_format)
    over["ax_in_format"][name_of(format)] = describe_overall(o, matrices.size());
  return document;
}

// What was not measured has a line as well: it counts as a loss.
std::string begin_csv(const std::string& name, const matrix_result& m, const std::string& format,
                      const std::string& variant) {
  return fmt::format("{},{},{},{},{},{},{}", csv_quoted(name), m.rows, m.cols, m.entries, m.value_bits,
                     format, variant);
}

std::string problem_as_csv(const bench_result& result) {
  return begin_csv(result.name, result.found, "", "") + ",,,unreadable,,,,,,,,,,,,,,,\n";
}

std::string format_as_csv(const machine& on, const std::string& name, const matrix_result& m,
                          const variant_result& f) {
  const std::string begin = begin_csv(name, m, name_of(f.format), whole_note(f.note, f.of_transpose));
  if (!f.refused.empty())
    return begin + (f.not_reached ? ",,,not reached" : ",,,refused") + ",,,,,,,,,,,,,,,\n";
  std::string text;
  for (const contestant_result& k : f.contestants) {
    const double seconds = k.time.headline();
    const auto cold = [&](double value) {
      return k.time.cold.samples > 0 ? fmt::format("{:.6g}", value * 1e6) : std::string();
    };
    text += fmt::format("{},{},{}", begin, k.info.name, short_name(k.op));
    if (k.timed())
      text += fmt::format(
          ",ok,{:.6g},{:.6g},{:.6g},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{},\n",
          k.time.warm.median * 1e6, k.time.warm.p10 * 1e6, k.time.warm.p90 * 1e6, cold(k.time.cold.median),
          cold(k.time.cold.p10), cold(k.time.cold.p90), giga_per_second(m.csr_minimum_bytes(), seconds),
          giga_per_second(m.actual_bytes(f, k), seconds),
          giga_per_second(m.csr_minimum_bytes(), seconds) * 1e9 / on.copy, f.ratio(k),
          k.prepare_seconds * 1e3, k.prepared_bytes, f.bytes, k.info.repeatable(k.op) ? "yes" : "no");
    else
      text += fmt::format(",{},,,,,,,,,,,,,,,\n", k.wrong.empty() ? "not run" : "wrong");
  }
  return text;
}

// What is only known when all formats are through: the best of ours and the vendor's, a line each.
std::string best_as_csv(const std::string& name, const matrix_result& m) {
  const vendor_ways vendor = vendor_of(m, {});
  if (m.entries == 0 || !has_vendor(vendor)) return "";
  std::string text;
  const auto add = [&](const std::string& copies, const std::string& kernels, const char* product,
                       const std::string& result, const std::vector<const contestant_result*>& timed,
                       double base, std::int64_t bytes, const std::string& over) {
    double warm = 0, cold = 0, seconds = 0;
    for (const contestant_result* k : timed) {
      warm += k->time.warm.median;
      cold += k->time.cold.median;
      seconds += k->time.headline();
    }
    text += fmt::format("{},{},{},{},{:.6g},,,{},,,,,,{:.6g},,,{},,{}\n", begin_csv(name, m, copies, ""),
                        kernels, product, result, warm * 1e6,
                        cold > 0 ? fmt::format("{:.6g}", cold * 1e6) : "", base / seconds, bytes, over);
  };
  const vendor_ratios ratios = over_vendor(m);
  const auto add_ours = [&](const char* product, const choice& c, double over) {
    if (c.format != nullptr)
      add(c.format->label(), c.names(), product, "best of ours", c.kernels, c.base_seconds, c.format->bytes,
          over > 0 ? fmt::format("{:.6g}", over) : "");
  };
  add_ours("ax", best_of(m, {operation::multiply}), ratios.ax);
  add_ours("atx", best_of(m, {operation::transposed}), ratios.atx);
  add_ours("both", best_of(m, pair_of_operations), ratios.pair_two_copies);
  for (const auto& [line, words, product, best] : vendor_lines(vendor)) {
    std::vector<std::string> copies;
    for (const variant_result* f : best.stored) copies.push_back(f->label());
    std::vector<const contestant_result*> kernels;
    for (const contestant_result* k : best.contestants)
      if (k != nullptr) kernels.push_back(k);
    add(fmt::format("{}", fmt::join(copies, " + ")), names_with_copies(best), product,
        fmt::format("vendor {}", line), kernels, base_of(best), bytes_of_copies(best), "");
  }
  return text;
}
constexpr const char* csv_header =
    "matrix,rows,cols,entries,value_bits,format,variant,kernel,operation,result,warm_us,warm_p10_us,warm_p90_"
    "us,cold_us,cold_p10_us,cold_p90_us,"
    "gb_per_s_csr_minimum,gb_per_s_actual,share_of_copy,times_base,prepare_ms,prepared_bytes,format_bytes,"
    "repeatable,times_vendor\n";

// ---- the run ----

// SciPy's csr @ x on the same arrays, one thread; negative without SciPy.
template <class Offset, class Value>
double scipy_product_seconds(const csr<Offset, Value, host>& m, int samples) {
  const scratch_folder folder;
  dump(folder, "offsets", m.row_offsets);
  dump(folder, "cols", m.col_indices);
  dump(folder, "values", m.values);
  std::int64_t rows = 0;
  return python_seconds(folder,
                        fmt::format(R"(
offsets = numpy.fromfile(folder + "offsets", numpy.int{0})
cols = numpy.fromfile(folder + "cols", numpy.int32)
values = numpy.fromfile(folder + "values", numpy.float{1})
csr = scipy.sparse.csr_matrix((values, cols, offsets), shape=({2}, {3}))
x = numpy.linspace(-1, 1, {3}, dtype=values.dtype)
times = []
for i in range({4} + 2):
    start = time.perf_counter()
    y = csr @ x
    times.append(time.perf_counter() - start)
print(sorted(times[2:])[{4} // 2], len(y))
)",
                                    sizeof(Offset) * 8, sizeof(Value) * 8, m.rows, m.cols, samples),
                        rows);
}

template <class Backend, class Offset, class Value>
void bench_matrix(Backend on, const options& wanted, const race_request& request,
                  const progress_line& progress, matrix_entries&& source, bench_result& result) {
  const auto say = [&](const std::string& text) { progress.say(result.name + ": " + text); };
  assembly_report report;
  const auto matrix = assemble<Backend, Offset, Value>(on, std::move(source), false, report, nullptr);
  result.found = race<Backend, Offset, Value>(on, view(matrix), request, say);
  if (!wanted.scipy || interrupting_signal != 0) return;
  say("SciPy");
  result.scipy_seconds = scipy_product_seconds(copy_to<host>(matrix), wanted.samples);
}

template <class Backend>
bench_result bench_one(Backend on, const options& wanted, const race_request& request,
                       const progress_line& progress, const std::string& name) {
  bench_result result;
  result.name = name;
  try {
    progress.step(name + ": reading");
    matrix_entries source = read_matrix(name);
    result.found.rows = source.entries.rows;
    result.found.cols = source.entries.cols;
    with_types(
        {needs_wide_offsets(most_entries(source)), wanted.single_values}, [&]<class Offset, class Value>() {
          progress.step(fmt::format("{}: the base, and {}, 1 of {}", name, request.field[0].variant.label(),
                                    request.field.size()));
          bench_matrix<Backend, Offset, Value>(on, wanted, request, progress, std::move(source), result);
        });
  } catch (const std::exception& problem) {
    const auto* const known = dynamic_cast<const error*>(&problem);
    if (known != nullptr && known->category() == failure::usage && wanted.matrices.size() == 1) throw;
    result.problem = problem_with(name, problem);
    result.device_failed = known != nullptr && known->category() == failure::device;
  }
  progress.clear();
  return result;
}

void run(const options& wanted) {
  const int width = output_width();
  if (wanted.list) {
    fmt::print("{}", wanted.common.as_json ? describe_list(measured_kernels()).dump(2) + "\n"
                                           : list_as_text(measured_kernels(), width));
    return;
  }
  if (wanted.matrices.empty())
    throw error(failure::usage, "name a matrix, a generator (gen:...) or --list (see --help)");
  const device_choice choice = choose_device(wanted.common);
  // What was ignored on purpose stays so.
  for (const int signal : {SIGINT, SIGTERM})
    if (std::signal(signal, note_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  const progress_line progress(!wanted.common.quiet);
  const bool as_text = !wanted.csv && !wanted.common.as_json;
  const auto print = [&](const std::string& text) {
    progress.clear();
    std::fputs(text.c_str(), stdout);
    if (std::fflush(stdout) != 0) throw error(failure::output, "standard output: could not write");
  };
  std::vector<std::string> failed;
  on_backend(choice.use_gpu, [&](auto on) {
    race_request request = request_of(wanted, on.name);
    progress.step("measuring a copy");
    const machine here{choice.note, on.name, copy_bandwidth(on)};
    json document{{"schema", "sparsmith.bench_spmv/2"},
                  {"version", SPARSMITH_VERSION},
                  {"device", here.device},
                  {"backend", here.backend},
                  {"threads", thread_count()},
                  {"copy_gb_per_s", here.copy / 1e9},
                  {"samples", wanted.samples},
                  {"interrupted", false},
                  {"matrices", json::array()}};
    if (wanted.csv) print(csv_header);
    std::vector<bench_result> done;
    for (const std::string& name : wanted.matrices) {
      if (interrupting_signal != 0) break;
      request.variant_done = [&](const matrix_result& so_far) {
        const std::size_t count = so_far.variants.size();
        if (as_text && count == 1) print(head_as_text(here, wanted, name, so_far, width));
        if (as_text) print(format_as_text(here, so_far, so_far.variants.back(), width));
        if (wanted.csv) print(format_as_csv(here, name, so_far, so_far.variants.back()));
        if (count < request.field.size() && interrupting_signal == 0)
          progress.step(fmt::format("{}: {}, {} of {}", name, request.field[count].variant.label(), count + 1,
                                    request.field.size()));
      };
      const bench_result& m = done.emplace_back(bench_one(on, wanted, request, progress, name));
      if (as_text) print(end_as_text(wanted, m, width));
      if (wanted.csv) print(m.problem.empty() ? best_as_csv(name, m.found) : problem_as_csv(m));
      if (wanted.common.as_json) document["matrices"].push_back(describe_matrix(here, wanted, m));
      if (!m.problem.empty()) failed.push_back(m.problem);
      for (const variant_result& f : m.found.variants)
        for (const contestant_result& k : f.contestants)
          if (!k.wrong.empty())
            failed.push_back(fmt::format("{}: WRONG RESULT of {} ({}) {}: {}", name, k.info.name, f.label(),
                                         name_of(k.op), k.wrong));
      // A broken device is one for the others as well; what there is of those before is told.
      if (m.device_failed) break;
    }
    document["interrupted"] = interrupting_signal != 0;
    document["overall"] = describe_overall(done);
    if (done.size() > 1 && as_text) print(overall_as_text(done, width));
    // Names need not be UTF-8.
    if (wanted.common.as_json) print(document.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
  });
  if (interrupting_signal != 0)
    fmt::print(stderr, "bench_spmv: interrupted; this is what there was by then\n");
  if (failed.empty()) return;
  if (failed.size() == 1) throw std::runtime_error(failed[0]);
  for (const std::string& line : failed) fmt::print(stderr, "bench_spmv: {}\n", line);
  throw std::runtime_error(fmt::format("{} failed", failed.size()));
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  options wanted;
  conversion_options& conversion = wanted.conversion;
  // Enough for every format that could pay; ELL of a skewed matrix is refused rather than built.
  conversion.max_fill = 20;
  CLI::App app(
      "Checks and times every kernel of every format on matrices, beside the vendor's in all its formats.",
      "bench_spmv");
  app.add_option("matrix", wanted.matrices,
                 "Matrices: files of any kind spconv reads, or generators (below)");
  app.add_flag("--list", wanted.list, "Print every kernel of every format, and measure nothing");
  app.add_option("--kernel", wanted.kernels,
                 "Only this kernel; several with commas, or repeated; vendor: all of the vendor's")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option(
         "--format", wanted.formats,
         "Only this format; several with commas, or repeated (csc: copies of A^T in the vendor's formats)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(one_of(format_names()));
  add_choice(app, "--op", wanted.operations,
             {{"ax", {operation::multiply}},
              {"atx", {operation::transposed}},
              {"both", {operation::multiply, operation::transposed}}},
             "Products: ax, atx or both");
  add_choice(app, "--value", wanted.single_values, {{"f32", true}, {"f64", false}}, "Value type: f32 or f64");
  app.add_option("--samples", wanted.samples, "Samples of every median, over three rounds")
      ->check(between(1, 100000))
      ->capture_default_str();
  app.add_option("--warm-up", wanted.warm_up_ms,
                 "Milliseconds that each kernel runs before its samples; less for fewer than 30 samples")
      ->check(between(0, 10000))
      ->capture_default_str();
  app.add_flag("--scipy", wanted.scipy, "Time SciPy's csr @ x on the same matrix as well");
  app.add_flag("--warm-only", wanted.warm_only, "Leave the runs with cold caches out");
  app.add_option("--block", wanted.block, "BSR: block size, RxC up to 64x64")
      ->transform(in_any_case())
      ->default_str("4x4");
  app.add_option("--beta", conversion.blocks.beta,
                 "CSB, eCSB, GCSB: block side, a power of two from 2 to 4096")
      ->capture_default_str();
  app.add_option("--group", conversion.blocks.group_size, "GCSB: blocks per group; layout tile: lanes")
      ->capture_default_str();
  app.add_option("--tile", wanted.tile,
                 "GCSB, layout tile: sides, such as 512x1024; auto takes them from the matrix")
      ->transform(in_any_case())
      ->capture_default_str();
  add_choice(app, "--renumber", conversion.tile.renumber,
             {{"auto", renumbering::automatic}, {"length", renumbering::length}, {"none", renumbering::none}},
             "GCSB, layout tile: number rows and columns by falling length; auto does where lengths vary "
             "much");
  app.add_option("--rest", conversion.tile.rest_below,
                 "GCSB, layout tile: tiles with fewer entries go to a COO rest")
      ->capture_default_str();
  app.add_option("--max-fill", conversion.max_fill, "Refuse a padded format above this many slots per entry")
      ->capture_default_str();
  auto* const csv = app.add_flag("--csv", wanted.csv, "Print one line a kernel and product, with commas");
  add_common_options(app, wanted.common);
  csv->excludes(app.get_option("--json"));
  add_help_ending(
      app,
      {"bench_spmv --list", "bench_spmv gen:uniform?n=8192&density=0.01",
       "bench_spmv bcsstk17.mtx.gz --format csr,gcsb_tile --op both --json",
       "bench_spmv gen:rmat?scale=20 --kernel csr/hybrid --value f32 --device cuda"},
      {"Ctrl-C, or the signal of a time limit, ends it with what was measured by then.",
       "Exit status: 0 fine, 1 a wrong result or a run-time failure, 2 usage, 128 and the signal's "
       "number where it was interrupted."});
  const int status = run_tool(app, argc, argv, [&] {
    wanted.of_formats = format_options_given(app);
    run(wanted);
  });
  return status == 0 && interrupting_signal != 0 ? 128 + interrupting_signal : status;
}
