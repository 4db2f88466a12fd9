#include "tools/batch/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/batch/collection_index.hpp"

namespace sparsmith {
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
    s.not_raced += row.ok() && !row.not_raced.empty();
    if (row.ok()) add_once(s.why_not_raced, row.not_raced);
    s.predicted += row.has_winner() && row.predicted;
    s.without_verdict += row.ok() && row.recommended && !row.has_winner();
    s.not_final += row.has_winner() && (row.interrupted || row.out_of_time);
    s.noisy += row.has_winner() && !row.noisy.empty();
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
  std::vector<std::string> doubts;
  for (const batch_row& row : s.rows) add_once(doubts, row.code_doubt);
  for (const std::string& doubt : doubts) {
    const auto count = std::count_if(s.rows.begin(), s.rows.end(),
                                     [&](const batch_row& row) { return row.code_doubt == doubt; });
    s.notes.push_back(
        fmt::format("The kernels of {} of {} verdicts were {}.", count, s.predicted + s.raced, doubt));
  }
  if (s.raced > 0 && s.predicted > 0)
    s.notes.push_back(fmt::format(
        "{} of {} verdicts are predicted, nothing was run for them; figures of times are of the others.",
        s.predicted, s.predicted + s.raced));
  if (s.not_final > 0)
    s.notes.push_back(
        fmt::format("{} of {} verdicts are not final: the race was interrupted or ran out of time.",
                    s.not_final, s.predicted + s.raced));
  if (s.noisy > 0)
    s.notes.push_back(
        fmt::format("{} measured on a busy machine, so that what is said of {} is unsettled: --retry-noisy "
                    "runs {} again.",
                    s.noisy == 1 ? std::string("1 matrix was") : fmt::format("{} matrices were", s.noisy),
                    s.noisy == 1 ? "it" : "them", s.noisy == 1 ? "it" : "them"));
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

// Most first, of equal ones by name, and at last what the index does not have.
std::vector<group_figures> groups_of(const std::vector<batch_row>& rows, std::string batch_row::*name) {
  std::map<std::string, group_figures> groups;
  std::map<std::string, std::map<std::string, std::int64_t>> wins;
  for (const batch_row& row : rows) {
    if ((row.*name).empty()) continue;
    group_figures& own = groups[row.*name];
    ++own.matrices;
    own.failed += row.ok() ? 0 : 1;
    if (row.has_winner())
      ++wins[row.*name][winner_count{.format = row.winner.format, .vendor = row.winner.vendor}.name()];
  }
  std::vector<group_figures> all;
  for (auto& [called, own] : groups) {
    own.name = called;
    for (const auto& [format, count] : wins[called]) own.winners.push_back({format, count});
    std::stable_sort(own.winners.begin(), own.winners.end(),
                     [](const auto& a, const auto& b) { return a.matrices > b.matrices; });
    const std::string& group = own.name;
    const auto mean = [&](double (*speedup)(const batch_row&)) {
      return geometric_mean(
          known_of(rows, [&](const batch_row& row) { return row.*name == group ? speedup(row) : unknown; }));
    };
    own.over_csr = mean(speedup_over_csr);
    own.over_vendor = mean(speedup_over_vendor);
    all.push_back(own);
  }
  std::stable_sort(all.begin(), all.end(), [](const group_figures& a, const group_figures& b) {
    const bool a_known = a.name != not_in_index, b_known = b.name != not_in_index;
    return a_known != b_known ? a_known : a.matrices > b.matrices;
  });
  return all;
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
  s.kinds = groups_of(s.rows, &batch_row::kind);
  s.groups = groups_of(s.rows, &batch_row::group);
  return s;
}

}  // namespace sparsmith
