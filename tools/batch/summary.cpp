#include "tools/batch/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace sparsmith {
namespace {

// ---- what a line has ----

// Null where it is not there, or says so itself.
const json* member(const json* of, const char* name) {
  if (of == nullptr || !of->is_object()) return nullptr;
  const auto found = of->find(name);
  return found == of->end() || found->is_null() ? nullptr : &*found;
}

double number(const json* of, const char* name) {
  const json* const found = member(of, name);
  return found != nullptr && found->is_number() ? found->get<double>() : unknown;
}
std::string text(const json* of, const char* name) {
  const json* const found = member(of, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}
bool yes(const json* of, const char* name) {
  const json* const found = member(of, name);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

template <class Use>
void for_each_in(const json* of, const char* name, Use use) {
  const json* const list = member(of, name);
  if (list == nullptr || !list->is_array()) return;
  for (const json& one : *list) use(&one);
}

batch_timing timing_of(const json* time) {
  const double samples = number(time, "samples");
  return {number(time, "median_us"), number(time, "p10_us"), number(time, "p90_us"),
          std::isnan(samples) ? 0 : static_cast<std::int64_t>(samples)};
}

// For people, and so that different ones have different texts.
std::string options_text(const json* options) {
  if (options == nullptr) return "";
  std::string result;
  const auto add = [&](const std::string& part) { result += (result.empty() ? "" : ", ") + part; };
  for (const char* const step : {"analyze", "recommend", "predict"})
    if (yes(options, step)) add(step);
  if (const json* const mix = member(options, "mix"))
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
  for (const char* const part : {"driver", "toolkit"})
    if (const std::string found = text(machine, part); !found.empty())
      result += std::string(", ") + (part == std::string_view("driver") ? "driver " : "") + found;
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

batch_variant variant_of(const json* c) {
  return {text(c, "format"),  text(c, "note"),        text(c, "refused"),     yes(c, "of_transpose"),
          number(c, "bytes"), number(c, "times_csr"), number(c, "convert_ms")};
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

batch_contestant contestant_of(const json* c) {
  batch_contestant one;
  const double variant = number(c, "variant");
  one.variant =
      variant >= 0 && variant < 1e9 ? static_cast<std::size_t>(variant) : static_cast<std::size_t>(-1);
  one.kernel = text(c, "kernel");
  one.operation = text(c, "operation");
  one.result = text(c, "result");
  for (const char* const why : {"wrong", "not_run", "left"})
    if (one.reason.empty()) one.reason = text(c, why);
  one.vendor = yes(c, "vendor");
  one.repeatable = yes(c, "repeatable");
  one.winner = yes(c, "winner");
  one.tie = yes(c, "tie");
  one.warm = timing_of(member(c, "warm"));
  one.cold = timing_of(member(c, "cold"));
  const json* const predicted = member(c, "predicted");
  one.predicted_warm_us = number(predicted, "warm_us");
  one.predicted_cold_us = number(predicted, "cold_us");
  one.prepare_ms = number(c, "prepare_ms");
  one.gb_per_s = number(c, "gb_per_s_actual");
  one.share_of_copy = number(c, "share_of_copy");
  one.error_of_bound = number(c, "error_of_bound");
  return one;
}

batch_way way_of(const batch_row& row, const json* w) {
  batch_way found;
  if (w == nullptr) return found;
  found.format = text(w, "format");
  for_each_in(w, "copies", [&](const json* label) {
    if (label->is_string()) found.label += (found.label.empty() ? "" : " + ") + label->get<std::string>();
  });
  found.us = number(w, "us");
  found.bytes = number(w, "bytes");
  found.times_csr = number(w, "times_csr");
  const json* const kernels = member(w, "kernels");
  found.vendor = true;
  for (const char* const operation : {"ax", "atx"}) {
    const std::string kernel = text(kernels, operation);
    if (kernel.empty()) continue;
    if (kernel != found.kernels) found.kernels += (found.kernels.empty() ? "" : " + ") + kernel;
    found.vendor = found.vendor && std::any_of(row.contestants.begin(), row.contestants.end(),
                                               [&](const batch_contestant& one) {
                                                 return one.kernel == kernel && one.vendor;
                                               });
  }
  found.vendor = found.vendor && !found.kernels.empty();
  return found;
}

// ---- ways, from the contestants ----

double measured_us(const batch_row& row, const batch_contestant& one) {
  if (one.result != "ok" && one.result != "left") return unknown;
  return row.regime == "warm" ? one.warm.median_us : one.cold.median_us;
}
double predicted_us(const batch_row& row, const batch_contestant& one) {
  return row.regime == "warm" ? one.predicted_warm_us : one.predicted_cold_us;
}

bool less(double a, double b) {  // what is not known is more than everything
  return !std::isnan(a) && (std::isnan(b) || a < b);
}

struct wanted_operation {
  const char* name;
  double weight;
};
std::vector<wanted_operation> wanted_of(const batch_row& row) {
  std::vector<wanted_operation> all;
  if (row.ax > 0) all.push_back({"ax", row.ax});
  if (row.atx > 0) all.push_back({"atx", row.atx});
  return all;
}

// The contestants of each variant that stores A.
std::vector<std::vector<const batch_contestant*>> by_variant(const batch_row& row) {
  std::vector<std::vector<const batch_contestant*>> all(row.variants.size());
  for (const batch_contestant& one : row.contestants)
    if (one.variant < all.size() && !row.variants[one.variant].of_transpose) all[one.variant].push_back(&one);
  return all;
}

struct variant_times {
  double any = unknown;   // the fastest kernels, whoever wrote them
  double ours = unknown;  // at least one of them ours
};

variant_times times_of(const batch_row& row, const std::vector<const batch_contestant*>& contestants) {
  variant_times found;
  double sum = 0, dearer = unknown;  // what it takes to have one of ours among them
  for (const wanted_operation& op : wanted_of(row)) {
    double ours = unknown, theirs = unknown;
    for (const batch_contestant* one : contestants) {
      if (one->operation != op.name) continue;
      double& best = one->vendor ? theirs : ours;
      if (const double us = measured_us(row, *one); less(us, best)) best = us;
    }
    if (std::isnan(ours) && std::isnan(theirs)) return {};
    const double best = less(ours, theirs) ? ours : theirs;
    sum += op.weight * best;
    if (const double more = op.weight * (ours - best); less(more, dearer)) dearer = more;
  }
  found.any = sum;
  found.ours = sum + dearer;
  return found;
}

void find_series(batch_row& row) {
  if (wanted_of(row).empty()) return;
  const auto contestants = by_variant(row);
  std::map<std::string, double> fastest;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const std::string& format = row.variants[i].format;
    if (fastest.emplace(format, unknown).second) order.push_back(format);
    const variant_times times = times_of(row, contestants[i]);
    if (less(times.any, row.best_us)) row.best_us = times.any;
    if (less(times.ours, fastest[format])) fastest[format] = times.ours;
  }
  for (const std::string& format : order)
    if (!std::isnan(fastest[format])) row.series.push_back({format, fastest[format]});
  if (!std::isnan(row.vendor.us)) {
    row.series.push_back({"vendor", row.vendor.us});
    if (less(row.vendor.us, row.best_us)) row.best_us = row.vendor.us;
  }
}

// The least predicted way, as --predict takes it, and what its kernels measured.
void find_choice(batch_row& row) {
  const auto contestants = by_variant(row);
  const std::vector<wanted_operation> wanted = wanted_of(row);
  if (wanted.empty()) return;
  double least = unknown;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    double expected = 0, measured = 0;
    std::string kernels;
    for (const wanted_operation& op : wanted) {
      const batch_contestant* chosen = nullptr;
      for (const batch_contestant* one : contestants[i])
        if (one->operation == op.name && !std::isnan(predicted_us(row, *one)) &&
            (chosen == nullptr || predicted_us(row, *one) < predicted_us(row, *chosen)))
          chosen = one;
      expected += chosen == nullptr ? unknown : op.weight * predicted_us(row, *chosen);
      measured += chosen == nullptr ? unknown : op.weight * measured_us(row, *chosen);
      if (chosen != nullptr && chosen->kernel != kernels)
        kernels += (kernels.empty() ? "" : " + ") + chosen->kernel;
    }
    if (!less(expected, least)) continue;
    least = expected;
    const batch_variant& c = row.variants[i];
    row.choice = {c.note.empty() ? c.format : c.format + " " + c.note, kernels, measured / row.best_us};
  }
}

void read_recommendation(batch_row& row, const json* r) {
  row.recommended = true;
  row.machine = machine_text(member(r, "machine"));
  row.predicted = yes(r, "predicted");
  row.interrupted = yes(r, "interrupted");
  row.out_of_time = yes(r, "out_of_time");
  row.value_bits = number(member(r, "matrix"), "value_bits");
  const json* const request = member(r, "request");
  row.regime = text(request, "regime");
  const json* const mix = member(request, "mix");
  row.ax = std::max(0.0, number(mix, "ax"));
  row.atx = std::max(0.0, number(mix, "atx"));
  row.variants.clear();
  for_each_in(r, "variants", [&](const json* c) { row.variants.push_back(variant_of(c)); });
  for_each_in(r, "contestants", [&](const json* c) { row.contestants.push_back(contestant_of(c)); });
  const json* const verdict = member(r, "verdict");
  row.winner = way_of(row, verdict);
  row.fastest = way_of(row, member(verdict, "fastest"));
  row.runner_up = way_of(row, member(verdict, "runner_up"));
  row.stay = way_of(row, member(verdict, "stay"));
  const json* const vendor = member(verdict, "vendor");
  row.vendor = way_of(row, member(vendor, "one_copy"));
  row.vendor_csr = way_of(row, member(vendor, "csr"));
  row.vendor_two_copies = way_of(row, member(vendor, "two_copies"));
  row.margin = number(verdict, "margin");
  row.price_ms = number(verdict, "price_ms");
  row.repaid_after = number(member(verdict, "repaid_after"), "mix");
  row.stays_in_csr = yes(verdict, "stays_in_csr");
  row.reason = text(verdict, "reason");
  row.spconv = text(verdict, "spconv");
  if (row.predicted || verdict == nullptr) return;
  find_series(row);
  find_choice(row);
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
  if (recommendation != nullptr) read_recommendation(row, recommendation);
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

// ---- all rows together ----

namespace {

// Between the two values that are nearest.
double quantile(const std::vector<double>& rising, double share) {
  const double at = share * static_cast<double>(rising.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, rising.size() - 1);
  return rising[below] + (at - static_cast<double>(below)) * (rising[above] - rising[below]);
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? unknown : std::exp(sum / static_cast<double>(values.size()));
}

// The known ones of the rows that were measured.
template <class Figure>
std::vector<double> known_of(const std::vector<batch_row>& rows, Figure figure) {
  std::vector<double> all;
  for (const batch_row& row : rows)
    if (row.raced())
      if (const double value = figure(row); std::isfinite(value) && value > 0) all.push_back(value);
  return all;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

void count_rows(batch_summary& s) {
  for (const batch_row& row : s.rows) {
    ++(row.ok() ? s.ok : s.failed);
    s.analysed += row.analysed;
    s.raced += row.raced();
    s.predicted += row.has_winner() && row.predicted;
    s.without_verdict += row.ok() && row.recommended && !row.has_winner();
    s.not_final += row.has_winner() && (row.interrupted || row.out_of_time);
    if (!std::isnan(row.seconds)) s.seconds += row.seconds;
    add_once(s.machines, row.machine);
    add_once(s.versions, row.version);
    add_once(s.options, row.options);
  }
}

void note_mixtures(batch_summary& s) {
  const auto mixed = [&](const std::vector<std::string>& list, const char* what) {
    if (list.size() < 2) return;
    s.notes.push_back(
        fmt::format("Results of {} {} are mixed: {}.", list.size(), what, fmt::join(list, "; ")));
  };
  mixed(s.machines, "machines");
  mixed(s.versions, "versions");
  mixed(s.options, "sets of options");
  if (s.raced > 0 && s.predicted > 0)
    s.notes.push_back(fmt::format(
        "{} of {} verdicts are predicted, nothing was run for them; figures of times are of the others.",
        s.predicted, s.predicted + s.raced));
  if (s.not_final > 0)
    s.notes.push_back(
        fmt::format("{} of {} verdicts are not final: the race was interrupted or ran out of time.",
                    s.not_final, s.predicted + s.raced));
}

// Most first.
std::vector<winner_count> count_winners(const std::vector<batch_row>& rows) {
  std::vector<winner_count> all;
  for (const batch_row& row : rows) {
    if (!row.has_winner()) continue;
    const auto same = [&](const winner_count& one) {
      return one.format == row.winner.format && one.vendor == row.winner.vendor;
    };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) {
      all.emplace_back();
      found = all.end() - 1;
      found->format = row.winner.format;
      found->vendor = row.winner.vendor;
    }
    ++(row.predicted ? found->predicted : found->measured);
  }
  for (winner_count& one : all) {
    const auto mean = [&](auto figure) {
      return geometric_mean(known_of(rows, [&](const batch_row& row) {
        return row.winner.format == one.format && row.winner.vendor == one.vendor ? figure(row) : unknown;
      }));
    };
    one.over_csr = mean(speedup_over_csr);
    one.over_vendor = mean(speedup_over_vendor);
    one.times_csr = mean([](const batch_row& row) { return row.winner.times_csr; });
  }
  std::stable_sort(all.begin(), all.end(), [](const winner_count& a, const winner_count& b) {
    return a.measured + a.predicted > b.measured + b.predicted;
  });
  return all;
}

std::vector<performance_profile> profiles_of(const std::vector<batch_row>& rows, std::int64_t raced) {
  std::vector<performance_profile> all;
  for (const batch_row& row : rows) {
    if (!row.raced()) continue;
    for (const batch_series& one : row.series) {
      auto found = std::find_if(all.begin(), all.end(),
                                [&](const performance_profile& p) { return p.name == one.name; });
      if (found == all.end()) {
        all.push_back({one.name, raced, {}});
        found = all.end() - 1;
      }
      found->ratios.push_back(one.us / row.best_us);
    }
  }
  for (performance_profile& one : all) std::sort(one.ratios.begin(), one.ratios.end());
  std::stable_sort(all.begin(), all.end(), [](const performance_profile& a, const performance_profile& b) {
    for (const double factor : {1.05, 1.2, 2.0, 10.0})
      if (a.within(factor) != b.within(factor)) return a.within(factor) > b.within(factor);
    return false;
  });
  return all;
}

speedup_figures speedups_of(const std::vector<batch_row>& rows, double (*speedup)(const batch_row&)) {
  std::map<int, std::vector<double>> groups;
  for (const batch_row& row : rows)
    if (row.raced() && row.entries >= 1 && std::isfinite(speedup(row)))
      groups[static_cast<int>(std::floor(std::log10(row.entries)))].push_back(speedup(row));
  speedup_figures found{spread_of(known_of(rows, speedup)), {}};
  for (const auto& [power, speedups] : groups)
    found.by_entries.push_back({std::pow(10, power), std::pow(10, power + 1), spread_of(speedups)});
  return found;
}

// Of every matrix the smallest the format can be, whether it was tried or not.
std::vector<bytes_of_format> bytes_of(const std::vector<batch_row>& rows) {
  std::map<std::string, std::vector<double>> all;
  std::vector<std::string> order;
  for (const batch_row& row : rows) {
    std::map<std::string, double> least;
    for (const batch_variant& one : row.variants) {
      if (one.of_transpose || !std::isfinite(one.times_csr)) continue;
      const auto [found, first] = least.emplace(one.format, one.times_csr);
      if (!first) found->second = std::min(found->second, one.times_csr);
    }
    for (const auto& [format, times] : least) {
      add_once(order, format);
      all[format].push_back(times);
    }
  }
  std::vector<bytes_of_format> found;
  for (const std::string& format : order) found.push_back({format, spread_of(all[format])});
  std::stable_sort(found.begin(), found.end(), [](const bytes_of_format& a, const bytes_of_format& b) {
    return a.times_csr.median < b.times_csr.median;
  });
  return found;
}

break_even_figures break_evens_of(const std::vector<batch_row>& rows) {
  break_even_figures found;
  for (const batch_row& row : rows) {
    if (!row.raced()) continue;
    if (row.stays_in_csr)
      ++found.stays;
    else if (row.repaid_after > 0)
      found.after.push_back(row.repaid_after);
    else if (row.repaid_after == 0)
      ++found.at_once;
    else
      ++(row.stay.format.empty() ? found.not_known : found.never);
  }
  std::sort(found.after.begin(), found.after.end());
  return found;
}

prediction_figures predictions_of(const std::vector<batch_row>& rows) {
  prediction_figures found;
  for (const batch_row& row : rows) {
    if (!row.raced() || !row.choice) continue;
    ++found.choices;
    const double ratio = row.choice->ratio;
    if (std::isnan(ratio)) {
      ++found.not_measured;
      continue;
    }
    ++found.measured;
    found.ratios.push_back(ratio);
    if (!(ratio <= found.worst)) {
      found.worst = ratio;
      found.worst_name = row.name;
    }
  }
  std::sort(found.ratios.begin(), found.ratios.end());
  if (found.ratios.empty()) return found;
  found.geometric_mean = geometric_mean(found.ratios);
  const performance_profile profile{"", found.measured, found.ratios};
  found.within_5 = profile.within(1.05);
  found.within_20 = profile.within(1.2);
  return found;
}

// Most first.
std::vector<failure_count> failures_of(const std::vector<batch_row>& rows) {
  std::vector<failure_count> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].ok()) continue;
    const std::string cause = rows[i].cause.empty() ? "not known" : rows[i].cause;
    auto found =
        std::find_if(all.begin(), all.end(), [&](const failure_count& one) { return one.cause == cause; });
    if (found == all.end()) {
      all.push_back({cause, {}});
      found = all.end() - 1;
    }
    found->rows.push_back(i);
  }
  std::stable_sort(all.begin(), all.end(), [](const failure_count& a, const failure_count& b) {
    return a.rows.size() > b.rows.size();
  });
  return all;
}

}  // namespace

spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {static_cast<std::int64_t>(values.size()),
          values.front(),
          quantile(values, 0.25),
          quantile(values, 0.5),
          quantile(values, 0.75),
          values.back(),
          geometric_mean(values)};
}

double performance_profile::within(double factor) const {
  // Rounding must not put what is on the line beyond it.
  const auto end = std::upper_bound(ratios.begin(), ratios.end(), factor * (1 + 1e-9));
  return matrices == 0 ? 0 : static_cast<double>(end - ratios.begin()) / static_cast<double>(matrices);
}

batch_summary summarize(std::vector<batch_row> rows) {
  batch_summary s;
  s.rows = std::move(rows);
  count_rows(s);
  note_mixtures(s);
  s.winners = count_winners(s.rows);
  s.profiles = profiles_of(s.rows, s.raced);
  s.over_csr = speedups_of(s.rows, speedup_over_csr);
  s.over_vendor = speedups_of(s.rows, speedup_over_vendor);
  s.over_vendor_csr = spread_of(known_of(s.rows, speedup_over_vendor_csr));
  s.over_vendor_two_copies = spread_of(known_of(s.rows, speedup_over_vendor_two_copies));
  s.bytes = bytes_of(s.rows);
  s.winner_bytes = spread_of(known_of(s.rows, [](const batch_row& row) { return row.winner.times_csr; }));
  s.break_evens = break_evens_of(s.rows);
  s.prediction = predictions_of(s.rows);
  s.failures = failures_of(s.rows);
  return s;
}

}  // namespace sparsmith
