#include "analyze/recommend/standing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sparsmith {
namespace {

listed_contestant standing_of(const matrix_result& found, const variant_result& f,
                              const contestant_result& k) {
  if (!k.wrong.empty()) return {&f, &k, standing::wrong, k.wrong};
  if (!k.not_run.empty()) return {&f, &k, standing::not_run, k.not_run};
  if (found.predicted && k.expected.warm <= 0 && k.expected.cold <= 0)
    return {&f, &k, standing::not_run, not_modelled};
  if (found.predicted) return {&f, &k, standing::predicted, {}};
  if (!k.left.empty()) return {&f, &k, standing::left, k.left};
  if (!k.timed()) return {&f, &k, standing::not_run, never_timed};
  return {&f, &k, standing::ok, {}};
}

}  // namespace

std::vector<std::string> wrong_results(const matrix_result& found) {
  std::vector<std::string> lines;
  for (const variant_result& f : found.variants)
    for (const contestant_result& k : f.contestants)
      if (!k.wrong.empty())
        lines.push_back(
            fmt::format("WRONG RESULT of {} ({}) {}: {}", k.info.name, f.label(), name_of(k.op), k.wrong));
  return lines;
}

const char* name_of(standing how) {
  switch (how) {
    case standing::ok:
      return "ok";
    case standing::left:
      return "left";
    case standing::not_run:
      return "not run";
    case standing::wrong:
      return "wrong";
    case standing::refused:
      return "refused";
    case standing::not_tried:
      return "not tried";
    default:
      return "predicted";
  }
}

std::vector<listed_contestant> contestants_of(const matrix_result& found) {
  std::vector<listed_contestant> all;
  for (const variant_result& f : found.variants) {
    if (!f.refused.empty()) {
      all.push_back({&f, nullptr, f.not_tried ? standing::not_tried : standing::refused, f.refused});
      continue;
    }
    for (const contestant_result& k : f.contestants) all.push_back(standing_of(found, f, k));
    if (f.contestants.empty())
      all.push_back({&f, nullptr, standing::not_run, "the race ended before it was its turn"});
  }
  return all;
}

double deciding_seconds(const matrix_result& found, const contestant_result& kernel, bool warm) {
  if (found.predicted) return warm ? kernel.expected.warm : kernel.expected.cold;
  const timing& time = kernel.time.deciding(warm);
  return time.samples > 0 ? time.median : kernel.single_seconds;
}

const contestant_result* staying_for(const recommendation& r, const verdict& v, operation op) {
  if (!v.stay) return nullptr;
  const contestant_result* fastest = v.stay.run_for(op);
  if (fastest != nullptr) return fastest;
  const auto seconds = [&](const contestant_result& k) {
    return deciding_seconds(r.found, k, v.wanted.warm);
  };
  for (const contestant_result& k : v.stay.variant().contestants)
    if (k.op == op && (r.found.predicted ? k.not_run.empty() && seconds(k) > 0 : k.timed()) &&
        (fastest == nullptr || seconds(k) < seconds(*fastest)))
      fastest = &k;
  return fastest;
}

double conversion_seconds(const matrix_result& found, const variant_result& format) {
  return found.predicted ? format.expected_convert_seconds : format.convert_seconds;
}

double times_csr(const matrix_result& found, std::int64_t bytes) {
  const std::int64_t whole = found.csr_bytes();
  return whole == 0 ? 1 : static_cast<double>(bytes) / static_cast<double>(whole);
}

bool runs(const way& taken, const listed_contestant& one) {
  return one.contestant != nullptr && taken.runs(*one.contestant);
}

bool is_tied(const verdict& v, const listed_contestant& one) {
  return one.contestant != nullptr && std::find(v.tied_contestants.begin(), v.tied_contestants.end(),
                                                one.contestant) != v.tied_contestants.end();
}

role role_of(const verdict& v, const listed_contestant& one) {
  if (runs(v.winner, one)) return role::winner;
  if (is_tied(v, one)) return role::tied;
  return one.contestant->info.vendor ? role::vendor : role::other;
}

deciding_time time_of(const recommendation& r, const contestant_result& k) {
  if (!k.not_run.empty() || !k.wrong.empty()) return {};
  const double seconds = deciding_seconds(r.found, k, r.wanted.warm);
  if (r.found.predicted) return {seconds, seconds, seconds, 0};
  const timing& t = k.time.deciding(r.wanted.warm);
  if (t.samples > 0) return {t.median, t.p10, t.p90, t.samples};
  return {seconds, seconds, seconds, seconds > 0 ? 1 : 0};
}

std::vector<ranked_contestant> ranking_of(const recommendation& r, operation op) {
  std::vector<ranked_contestant> all;
  for (const listed_contestant& one : contestants_of(r.found))
    if (one.contestant != nullptr && one.contestant->op == op)
      all.push_back({one, time_of(r, *one.contestant)});
  std::stable_sort(all.begin(), all.end(), [](const ranked_contestant& a, const ranked_contestant& b) {
    if ((a.time.seconds > 0) != (b.time.seconds > 0)) return a.time.seconds > 0;
    return a.time.seconds < b.time.seconds;
  });
  return all;
}

std::vector<departure> departures_of(const matrix_result& found) {
  const auto name = [](const listed_contestant& one) {
    return one.contestant == nullptr ? "" : one.contestant->info.name;
  };
  std::vector<departure> all;
  for (const standing how :
       {standing::wrong, standing::left, standing::refused, standing::not_tried, standing::not_run})
    for (const listed_contestant& one : contestants_of(found)) {
      if (one.how != how) continue;
      const auto same = std::find_if(all.begin(), all.end(), [&](const departure& d) {
        return d.who.variant == one.variant && std::string_view(name(d.who)) == name(one) &&
               d.who.how == how && d.who.reason == one.reason;
      });
      const bool is_new = same == all.end();
      departure& here = is_new ? all.emplace_back(departure{one, {}}) : *same;
      if (one.contestant != nullptr) here.operations.push_back(one.contestant->op);
    }
  return all;
}

bool same_for(const way& a, const way& b, operation op) {
  return a.contestant(op) == b.contestant(op);
}

std::optional<double> repaid_after_alone(const recommendation& r, const verdict& v,
                                         const listed_contestant& one) {
  const contestant_result& k = *one.contestant;
  const auto place = static_cast<std::size_t>(k.op);
  const auto alone = [&](const variant_result& f, const contestant_result& kernel) {
    way w;
    w.stored = {&f};
    w.contestants[place] = &kernel;
    w.seconds = deciding_seconds(r.found, kernel, r.wanted.warm);
    w.price = conversion_seconds(r.found, f) + kernel.prepare_seconds;
    return w;
  };
  const way taken = alone(*one.variant, k);
  const contestant_result* const stay = staying_for(r, v, k.op);
  if (stay == nullptr || taken.stays_in_csr() || taken.seconds == 0) return {};
  return repaid_after(taken, alone(v.stay.variant(), *stay));
}

}  // namespace sparsmith
