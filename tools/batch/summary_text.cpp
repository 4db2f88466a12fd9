#include "tools/batch/summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/report/json_values.hpp"
#include "analyze/report/text.hpp"
#include "convert/words.hpp"

namespace sparsmith {
namespace {

constexpr std::size_t failures_named = 5;  // of each cause
constexpr std::size_t groups_named = 12, winners_named = 3;

std::string times(double ratio) {
  return std::isfinite(ratio) ? ratio_text(ratio) + " x" : "-";
}
std::string share(std::int64_t part, std::int64_t whole) {
  return rounded_percent(share_of(part, whole));
}

std::string counts_text(const batch_summary& s) {
  const auto total = static_cast<std::int64_t>(s.rows.size());
  std::string text =
      fmt::format("{} {}: {} done, {} failed", with_commas(total), total == 1 ? "matrix" : "matrices",
                  with_commas(s.ok), with_commas(s.failed));
  if (s.raced > 0) text += fmt::format("; {} measured", with_commas(s.raced));
  if (s.predicted > 0) text += fmt::format("; {} predicted", with_commas(s.predicted));
  if (s.not_raced > 0)
    text +=
        fmt::format("; {} only analysed ({})", with_commas(s.not_raced), fmt::join(s.why_not_raced, "; "));
  if (s.without_verdict > 0) text += fmt::format("; {} without a verdict", with_commas(s.without_verdict));
  return text;
}

std::string winners_text(const batch_summary& s, int width) {
  const std::int64_t all = s.raced + s.predicted;
  const bool vendor = s.over_vendor.all.count > 0;
  std::vector<table_line> lines = {{"winner", "matrices", "share", "over CSR"}};
  if (vendor) lines[0].push_back("over vendor");
  lines[0].push_back("bytes/CSR");
  const auto add = [&](const std::string& name, std::int64_t wins, double csr, double over_vendor,
                       double bytes) {
    lines.push_back({name, with_commas(wins), share(wins, all), times(csr)});
    if (vendor) lines.back().push_back(times(over_vendor));
    lines.back().push_back(ratio_text(bytes));
  };
  for (const winner_count& one : s.winners)
    add(one.name(), one.measured + one.predicted, one.over_csr, one.over_vendor, one.times_csr);
  add("all", all, s.over_csr.all.geometric_mean, s.over_vendor.all.geometric_mean,
      s.winner_bytes.geometric_mean);
  return text_table(lines, width);
}

// "sell 8, csr 3 and 2 others".
std::string wins_text(const group_figures& group) {
  std::string text;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < group.winners.size(); ++i) {
    const auto& [name, wins] = group.winners[i];
    if (i < winners_named)
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", name, with_commas(wins));
    else
      others += wins;
  }
  return others == 0 ? text : text + fmt::format(" and {} others", with_commas(others));
}

std::string groups_text(const char* title, const std::vector<group_figures>& groups, bool raced, bool vendor,
                        int width) {
  std::vector<table_line> lines = {{title, "matrices", "failed"}};
  if (raced) lines[0].push_back("over CSR");
  if (vendor) lines[0].push_back("over vendor");
  lines[0].push_back("winners");
  for (std::size_t i = 0; i < std::min(groups.size(), groups_named); ++i) {
    const group_figures& one = groups[i];
    lines.push_back({one.name, with_commas(one.matrices), with_commas(one.failed)});
    if (raced) lines.back().push_back(times(one.over_csr));
    if (vendor) lines.back().push_back(times(one.over_vendor));
    lines.back().push_back(one.winners.empty() ? "-" : wins_text(one));
  }
  std::string text = text_table(lines, width);
  if (groups.size() > groups_named)
    text += fmt::format("  and {} more, in the report\n", groups.size() - groups_named);
  return text;
}

json groups_as_json(const std::vector<group_figures>& groups) {
  json all = json::array();
  for (const group_figures& one : groups) {
    json winners = json::array();
    for (const auto& [name, wins] : one.winners) winners.push_back({{"winner", name}, {"matrices", wins}});
    all.push_back({{"name", one.name},
                   {"matrices", one.matrices},
                   {"failed", one.failed},
                   {"winners", std::move(winners)},
                   {"speedup_over_csr", number_or_null(one.over_csr)},
                   {"speedup_over_vendor", number_or_null(one.over_vendor)}});
  }
  return all;
}

// The means of how many times as fast the winner is as each of the vendor's; empty without one.
std::string vendor_text(const batch_summary& s) {
  std::string text;
  const auto add = [&](const char* what, const spread& of) {
    if (of.count > 0)
      text += fmt::format("{} {} {} (at least {})", text.empty() ? "The winner over the vendor's" : ",", what,
                          times(of.geometric_mean), times(of.least));
  };
  add("best format from one copy", s.over_vendor.all);
  add("CSR from one copy", s.over_vendor_csr);
  add("best formats from two copies", s.over_vendor_two_copies);
  return text.empty() ? text : text + ".";
}

std::string profile_text(const batch_summary& s, int width) {
  std::vector<table_line> lines = {{"", "5 %", "20 %", "2 x"}};
  for (const performance_profile& one : s.profiles)
    lines.push_back({one.name, rounded_percent(one.within(1.05)), rounded_percent(one.within(1.2)),
                     rounded_percent(one.within(2))});
  return wrapped("", "Share of matrices on which a format is within so much of the best:", 2, width) +
         text_table(lines, width);
}

std::string prediction_text(const prediction_figures& p) {
  std::string text;
  if (p.measured > 0)
    text = fmt::format(
        "--predict would have taken {} the time of the best (geometric mean of {}); "
        "within 5 % for {}, within 20 % for {}; at worst {} for {}.",
        times(p.geometric_mean), with_commas(p.measured), rounded_percent(p.within_5),
        rounded_percent(p.within_20), times(p.worst), p.worst_name);
  if (p.not_measured > 0)
    text += fmt::format("{}For {} {} the choice was not measured.", text.empty() ? "" : " ",
                        with_commas(p.not_measured), p.not_measured == 1 ? "matrix" : "matrices");
  return text;
}

std::string break_even_text(const break_even_figures& b) {
  std::string text = "Converting:";
  const auto add = [&](std::int64_t count, const std::string& what) {
    if (count > 0) text += fmt::format("{} {} {}", text.back() == ':' ? "" : ",", with_commas(count), what);
  };
  add(b.stays, "stay in CSR");
  add(b.at_once, "repaid at once");
  add(static_cast<std::int64_t>(b.after.size()),
      b.after.empty()
          ? ""
          : fmt::format("after some products (median {})", whole_number(spread_of(b.after).median)));
  add(b.never, "never repaid");
  add(b.not_known, "not known");
  return text + ".";
}

std::string failures_text(const batch_summary& s, int width) {
  std::string text;
  for (const failure_count& one : s.failures) {
    text += wrapped(
        "", fmt::format("failed, {}: {}", one.cause, with_commas(static_cast<std::int64_t>(one.rows.size()))),
        2, width);
    for (std::size_t i = 0; i < std::min(one.rows.size(), failures_named); ++i) {
      const batch_row& row = s.rows[one.rows[i]];
      std::string line = row.name;
      if (!row.stage.empty()) line += fmt::format(" ({})", row.stage);
      text += wrapped("  ", line + ": " + row.message, 4, width);
    }
    if (one.rows.size() > failures_named)
      text += fmt::format("  and {} more\n", one.rows.size() - failures_named);
  }
  return text;
}

json spread_as_json(const spread& s) {
  return {{"count", s.count},
          {"least", number_or_null(s.least)},
          {"lower_quartile", number_or_null(s.lower)},
          {"median", number_or_null(s.median)},
          {"upper_quartile", number_or_null(s.upper)},
          {"most", number_or_null(s.most)},
          {"geometric_mean", number_or_null(s.geometric_mean)}};
}

json speedups_as_json(const speedup_figures& f) {
  json groups = json::array();
  for (const speedup_group& group : f.by_entries) {
    json one = {{"entries_from", group.from}, {"entries_to", group.to}};
    one.update(spread_as_json(group.speedups));
    groups.push_back(std::move(one));
  }
  return {{"all", spread_as_json(f.all)}, {"by_entries", std::move(groups)}};
}

}  // namespace

std::string summary_as_text(const batch_summary& s, int width) {
  width = std::max(width, 40);
  std::string text;
  for (const std::string& note : s.notes) text += wrapped("", note, 2, width);
  text += wrapped("", counts_text(s), 2, width);
  if (!s.winners.empty()) text += "\n" + winners_text(s, width);
  if (const std::string line = vendor_text(s); !line.empty()) text += wrapped("", line, 2, width);
  const bool vendor = s.over_vendor.all.count > 0;
  if (!s.kinds.empty()) text += "\n" + groups_text("kind", s.kinds, s.raced > 0, vendor, width);
  if (!s.groups.empty()) text += "\n" + groups_text("group", s.groups, s.raced > 0, vendor, width);
  if (!s.profiles.empty()) text += "\n" + profile_text(s, width);
  if (s.raced > 0) text += "\n" + wrapped("", break_even_text(s.break_evens), 2, width);
  if (const std::string line = prediction_text(s.prediction); !line.empty())
    text += wrapped("", line, 2, width);
  if (!s.failures.empty()) text += "\n" + failures_text(s, width);
  return text;
}

json summary_as_json(const batch_summary& s) {
  json j = {{"matrices", s.rows.size()}, {"ok", s.ok},
            {"failed", s.failed},        {"analysed", s.analysed},
            {"measured", s.raced},       {"predicted", s.predicted},
            {"not_raced", s.not_raced},  {"without_verdict", s.without_verdict},
            {"not_final", s.not_final},  {"noisy", s.noisy},
            {"seconds", s.seconds},      {"machines", s.machines},
            {"versions", s.versions},    {"options", s.options},
            {"notes", s.notes}};
  j["winners"] = json::array();
  for (const winner_count& one : s.winners)
    j["winners"].push_back({{"format", one.format},
                            {"vendor", one.vendor},
                            {"measured", one.measured},
                            {"predicted", one.predicted},
                            {"speedup_over_csr", number_or_null(one.over_csr)},
                            {"speedup_over_vendor", number_or_null(one.over_vendor)},
                            {"times_csr", number_or_null(one.times_csr)}});
  j["profile"] = json::array();
  for (const performance_profile& one : s.profiles) {
    json shares = json::array();
    for (const double factor : profile_factors) shares.push_back(json::array({factor, one.within(factor)}));
    j["profile"].push_back(
        {{"series", one.name}, {"ran_on", one.ratios.size()}, {"within", std::move(shares)}});
  }
  j["speedup_over_csr"] = speedups_as_json(s.over_csr);
  j["speedup_over_vendor"] = speedups_as_json(s.over_vendor);
  j["speedup_over_vendor_csr"] = spread_as_json(s.over_vendor_csr);
  j["speedup_over_vendor_two_copies"] = spread_as_json(s.over_vendor_two_copies);
  j["bytes"] = json::array();
  for (const bytes_of_format& one : s.bytes) {
    json line = {{"format", one.format}};
    line.update(spread_as_json(one.times_csr));
    j["bytes"].push_back(std::move(line));
  }
  j["winner_bytes"] = spread_as_json(s.winner_bytes);
  const break_even_figures& b = s.break_evens;
  j["break_evens"] = {{"stays_in_csr", b.stays},
                      {"at_once", b.at_once},
                      {"after", spread_as_json(spread_of(b.after))},
                      {"never", b.never},
                      {"not_known", b.not_known}};
  const prediction_figures& p = s.prediction;
  j["prediction"] = {{"choices", p.choices},
                     {"measured", p.measured},
                     {"not_measured", p.not_measured},
                     {"geometric_mean", number_or_null(p.geometric_mean)},
                     {"within_5_percent", number_or_null(p.within_5)},
                     {"within_20_percent", number_or_null(p.within_20)},
                     {"worst", number_or_null(p.worst)},
                     {"worst_matrix", p.worst_name.empty() ? json(nullptr) : json(p.worst_name)}};
  j["failures"] = json::array();
  for (const failure_count& one : s.failures) {
    json names = json::array();
    for (const std::size_t i : one.rows) names.push_back(s.rows[i].name);
    j["failures"].push_back({{"cause", one.cause}, {"count", one.rows.size()}, {"matrices", names}});
  }
  // Only of a collection with an index.
  if (!s.groups.empty()) {
    j["kinds"] = groups_as_json(s.kinds);
    j["groups"] = groups_as_json(s.groups);
  }
  return j;
}

}  // namespace sparsmith
