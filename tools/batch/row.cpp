#include "tools/batch/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/recommend/standing.hpp"
#include "analyze/report/json_members.hpp"
#include "analyze/report/recommend_read.hpp"

namespace sparsmith {
namespace {

using members::for_each_in;
using members::member;
using members::number;
using members::text;
using members::yes;

// For people, and so that different ones have different texts.
std::string options_text(const json* options) {
  if (options == nullptr) return "";
  std::string result;
  const auto add = [&](const std::string& part) { result += (result.empty() ? "" : ", ") + part; };
  for (const char* const step : {"analyze", "recommend", "predict"})
    if (yes(options, step)) add(step);
  if (const std::string together = text(options, "one_pass"); !together.empty())
    add("mix " + together);
  else if (const json* const mix = member(options, "mix"))
    add(fmt::format("mix {:.4g}:{:.4g}", number(mix, "ax"), number(mix, "atx")));
  if (const std::string caches = text(options, "caches"); !caches.empty()) add(caches + " caches");
  if (const std::string value = text(options, "value"); !value.empty()) add("values " + value);
  if (const double budget = number(options, "budget_s"); !std::isnan(budget))
    add(fmt::format("budget {:g} s", budget));
  if (const std::string backend = text(options, "backend"); !backend.empty()) add(backend);
  return result;
}

std::string machine_text(const json* machine) {
  if (machine == nullptr) return "";
  std::string result = text(machine, "device");
  if (text(machine, "backend") == "openmp")
    result += fmt::format(", {:.0f} threads", number(machine, "threads"));
  for (const auto& [part, words] : {std::pair("driver", ", driver "), std::pair("toolkit", ", "),
                                    std::pair("code", ", code for "), std::pair("vendor", ", ")})
    if (const std::string found = text(machine, part); !found.empty()) result += words + found;
  return result;
}

batch_features features_of(const json* f) {
  const json* const rows = member(f, "row_lengths");
  const json* const symmetry = member(f, "symmetry");
  const json* const structure = member(f, "structure");
  batch_features found;
  found.density = number(f, "density");
  found.row_mean = number(rows, "mean");
  found.row_longest = number(rows, "max");
  found.row_variation = number(rows, "variation");
  found.row_gini = number(rows, "gini");
  found.empty_rows = number(rows, "empty");
  found.symmetric_pattern = number(symmetry, "pattern_share");
  found.symmetric_values = number(symmetry, "values_share");
  found.lower_bandwidth = number(structure, "lower_bandwidth");
  found.upper_bandwidth = number(structure, "upper_bandwidth");
  found.diagonals = number(structure, "diagonals");
  found.next_column_share = number(structure, "next_column_share");
  found.row_below_share = number(structure, "row_below_share");
  return found;
}

batch_spy spy_of(const json* grid) {
  const double rows = number(grid, "rows"), cols = number(grid, "cols");
  std::vector<double> counts;
  for_each_in(grid, "counts",
              [&](const json* count) { counts.push_back(count->is_number() ? count->get<double>() : 0); });
  if (!(rows > 0 && cols > 0) || rows * cols != static_cast<double>(counts.size())) return {};
  const double most = *std::max_element(counts.begin(), counts.end());
  if (most < 1) return {};
  const auto level = [&](std::size_t i) -> unsigned {
    if (i >= counts.size() || counts[i] < 1) return 0;
    const double position = most > 1 ? std::log(counts[i]) / std::log(most) : 1;
    return 1 + static_cast<unsigned>(std::lround(position * (batch_spy::levels - 2)));
  };
  batch_spy spy{static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols),
                static_cast<std::int64_t>(most), ""};
  const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < counts.size(); i += 2) spy.cells += digits[8 * level(i) + level(i + 1)];
  std::string packed;
  for (std::size_t i = 0, next; i < spy.cells.size(); i = next) {
    next = std::min(spy.cells.find_first_not_of(spy.cells[i], i), spy.cells.size());
    packed += next - i > 4 ? fmt::format("{}*{:x}.", spy.cells[i], next - i) : spy.cells.substr(i, next - i);
  }
  spy.cells = std::move(packed);
  return spy;
}

// An analysis prices the formats without making them.
std::vector<batch_variant> priced_formats(const json* analysis) {
  double csr = unknown;
  std::vector<batch_variant> all;
  for_each_in(analysis, "formats", [&](const json* cost) {
    batch_variant one;
    one.format = text(cost, "format");
    one.note = text(cost, "parameters");
    one.bytes = number(cost, "bytes");
    if (one.format == "csr") csr = one.bytes;
    all.push_back(std::move(one));
  });
  for (batch_variant& one : all) one.times_csr = csr > 0 ? one.bytes / csr : unknown;
  return all;
}

// ---- what was raced ----

double if_known(bool is_known, double value) {
  return is_known ? value : unknown;
}
double if_known(double value) {  // 0 stands for what is not known
  return value > 0 ? value : unknown;
}

batch_timing timing_of(const timing& t) {
  if (t.samples == 0) return {};
  return {t.median * 1e6, t.p10 * 1e6, t.p90 * 1e6, t.samples};
}

batch_variant variant_of(const matrix_result& found, const variant_result& f) {
  const bool made = f.refused.empty() && !found.predicted;
  return {name_of(f.format),
          f.note,
          f.refused,
          f.not_tried,
          f.of_transpose,
          if_known(static_cast<double>(f.bytes)),
          if_known(f.bytes > 0, times_csr(found, f.bytes)),
          if_known(made, f.convert_seconds * 1e3)};
}

batch_contestant contestant_of(const recommendation& r, const verdict& v, const listed_contestant& listed) {
  const contestant_result& k = *listed.contestant;
  const bool ran = k.timed() || k.single_seconds > 0;
  const double seconds = k.timed() ? k.time.deciding(r.wanted.warm).median : 0;
  const double moved = per_second(r.found.actual_bytes(*listed.variant, k), seconds);
  batch_contestant one;
  one.variant = static_cast<std::size_t>(listed.variant - r.found.variants.data());
  one.kernel = k.info.name;
  one.operation = short_name(k.op);
  one.result = name_of(listed.how);
  one.reason = listed.reason;
  one.vendor = k.info.vendor;
  one.repeatable = k.info.repeatable(k.op);
  one.winner = runs(v.winner, listed);
  one.tie = is_tied(v, listed);
  one.warm = timing_of(k.time.warm);
  one.cold = timing_of(k.time.cold);
  one.predicted_warm_us = if_known(k.expected.warm * 1e6);
  one.predicted_cold_us = if_known(k.expected.cold * 1e6);
  one.prepare_ms = if_known(ran, k.prepare_seconds * 1e3);
  one.gb_per_s = if_known(moved / 1e9);
  one.share_of_copy = r.rates.copy_bytes > 0 ? if_known(moved / r.rates.copy_bytes) : unknown;
  one.error_of_bound = if_known(ran, k.error);
  return one;
}

std::string kernels_of(const way& w) {
  std::string kernels;
  for (const contestant_result* k : w.contestants)
    if (k != nullptr && kernels != k->info.name)
      kernels += (kernels.empty() ? "" : " + ") + std::string(k->info.name);
  return kernels + (w.in_one_pass() ? " in one pass" : "");
}

batch_way way_of(const matrix_result& found, const way& w) {
  batch_way told;
  if (!w) return told;
  told.format = name_of(w.variant().format);
  for (const variant_result* f : w.stored) told.label += (told.label.empty() ? "" : " + ") + f->label();
  told.kernels = kernels_of(w);
  told.vendor = w.vendor();
  told.us = w.seconds * 1e6;
  told.bytes = static_cast<double>(w.bytes);
  told.times_csr = times_csr(found, w.bytes);
  return told;
}

// Whether the verdict that was told names this winner.
bool names(const json* told, const way& winner) {
  std::size_t copies = 0;
  bool same = true;
  for_each_in(told, "copies", [&](const json* label) {
    same = same && copies < winner.stored.size() && *label == winner.stored[copies]->label();
    ++copies;
  });
  for (const operation op : all_operations) {
    const contestant_result* const k = winner.contestant(op);
    same = same && text(member(told, "kernels"), short_name(op)) == (k == nullptr ? "" : k->info.name);
  }
  return same && copies == winner.stored.size();
}

void add_verdict(batch_row& row, const recommendation& r, const verdict& v) {
  row.winner = way_of(r.found, v.winner);
  row.fastest = way_of(r.found, v.fastest);
  row.runner_up = way_of(r.found, v.runner_up);
  row.stay = way_of(r.found, v.stay);
  row.vendor = way_of(r.found, v.vendor.one_copy);
  row.vendor_csr = way_of(r.found, v.vendor.csr);
  row.vendor_two_copies = way_of(r.found, v.vendor.two_copies);
  row.margin = if_known(static_cast<bool>(v.runner_up), v.margin.ratio);
  row.price_ms = v.winner.price * 1e3;
  row.repaid_after = if_known(v.repaid_after >= 0, v.repaid_after);
  row.stays_in_csr = v.winner.stays_in_csr();
  if (r.found.predicted) return;
  // Where only A^T x is wanted, the vendor's copy may be one of A^T, and faster than all from one of A.
  row.best_us = v.vendor.one_copy ? std::min(row.fastest.us, row.vendor.us) : row.fastest.us;
  for (const way& ours : ours_by_format(r.found, r.wanted))
    row.series.push_back({name_of(ours.variant().format), ours.seconds * 1e6});
  if (v.vendor.one_copy) row.series.push_back({"vendor", row.vendor.us});
  if (const predicted_choice choice = predicted_choice_of(r.found, r.wanted); choice.taken)
    row.choice = {choice.taken.variant().label(), kernels_of(choice.taken),
                  if_known(choice.measured, choice.taken.seconds * 1e6 / row.best_us)};
}

void add_recommendation(batch_row& row, const json& document) {
  const recommendation r = read_recommendation(document);
  row.recommended = true;
  row.machine = machine_text(member(&document, "machine"));
  row.code_doubt = r.machine.code_doubt;
  row.predicted = r.found.predicted;
  row.interrupted = r.found.interrupted;
  row.out_of_time = r.found.out_of_time;
  row.noisy = r.found.noisy;
  row.value_bits = if_known(r.found.value_bits);
  row.regime = regime_name(r.wanted.warm);
  row.ax = r.wanted.weights[0];
  row.atx = r.wanted.weights[1];
  row.unit = r.wanted.unit();
  row.variants.clear();
  for (const variant_result& f : r.found.variants) row.variants.push_back(variant_of(r.found, f));
  const bool asks = r.wanted.asks_for(operation::multiply) || r.wanted.asks_for(operation::transposed);
  const verdict v = asks ? verdict_of(r.found, r.wanted) : verdict{};
  for (const listed_contestant& one : contestants_of(r.found))
    if (one.contestant != nullptr) row.contestants.push_back(contestant_of(r, v, one));
  if (!v.winner) return;
  add_verdict(row, r, v);
  // Reasons are made of more than a line has. An older version may have given them for another winner.
  if (const json* const told = member(&document, "verdict"); names(told, v.winner)) {
    row.reason = text(told, "reason");
    row.spconv = text(told, "spconv");
  }
}

}  // namespace

batch_row row_of(const json& line) {
  batch_row row;
  row.key = text(&line, "key");
  row.name = text(&line, "name");
  row.version = text(&line, "version");
  row.source = text(member(&line, "source"), "path");
  row.options = options_text(member(&line, "options"));
  row.result = text(&line, "result");
  row.not_raced = text(&line, "not_raced");
  if (const json* const failure = member(&line, "failure")) {
    row.stage = text(failure, "stage");
    row.cause = text(failure, "cause");
    row.signal = text(failure, "signal");
    row.message = text(failure, "message");
    row.output = text(failure, "output");
  }
  row.node = text(&line, "node");
  row.started = text(&line, "started");
  row.seconds = number(&line, "seconds");
  row.waited_s = number(&line, "waited_s");
  row.memory_peak = number(&line, "memory_peak");
  const json* const analysis = member(&line, "analysis");
  const json* const recommendation = member(&line, "recommendation");
  row.analysed = analysis != nullptr;
  const json* const features = row.analysed ? analysis : member(recommendation, "features");
  row.features = features_of(features);
  const json* const matrix = member(&line, "matrix");
  row.field = text(matrix, "field");
  row.origin = text(matrix, "origin");
  const auto size = [&](const char* name) {
    const double told = number(matrix, name);
    return std::isnan(told) ? number(features, name) : told;
  };
  row.rows = size("rows");
  row.cols = size("cols");
  row.entries = size("entries");
  row.variants = priced_formats(analysis);
  row.spy = spy_of(member(analysis, "grid"));
  if (recommendation != nullptr) {
    try {
      add_recommendation(row, *recommendation);
    } catch (const error& problem) {
      // What else the line says is as good as it was.
      row.unreadable = problem.what();
    }
  }
  return row;
}

double speedup_over_csr(const batch_row& row) {
  return row.stay.us / row.winner.us;
}
double speedup_over_vendor(const batch_row& row) {
  return row.vendor.us / row.winner.us;
}
double speedup_over_vendor_csr(const batch_row& row) {
  return row.vendor_csr.us / row.winner.us;
}
double speedup_over_vendor_two_copies(const batch_row& row) {
  return row.vendor_two_copies.us / row.winner.us;
}

}  // namespace sparsmith
