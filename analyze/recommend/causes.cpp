#include "analyze/recommend/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "convert/words.hpp"

namespace sparsmith {
namespace {

// Parts of a product that mean one thing to a user.
enum class cause { bytes, gathers, loop, idle, atomics, chain, launches };
constexpr std::size_t causes = 7;

cause cause_of(std::string_view term) {
  if (term == "arrays" || term == "vectors") return cause::bytes;
  if (term == "lines" || term == "misses" || term == "fresh") return cause::gathers;
  if (term == "idle") return cause::idle;
  if (term == "atomics" || term == "contended" || term == "scattered" || term == "crowded")
    return cause::atomics;
  if (term == "chain") return cause::chain;
  if (term == "launches" || term == "ramp" || term == "meeting") return cause::launches;
  return cause::loop;  // outputs, gathers, blocks
}

// What a product of a way does and takes, in the proportions that are asked for, or an application.
struct account {
  std::array<double, causes> seconds = {};  // by the model
  double expected = 0;                      // their sum
  double taken = 0;                         // as measured; where nothing was run, as expected
  kernel_work work;
  bool known = true;  // whether the model has figures for all of it

  double of(cause what) const { return seconds[static_cast<std::size_t>(what)]; }
};

account account_of(const matrix_result& found, const way& w, const objective& wanted) {
  account a;
  for (const operation op : all_operations) {
    const contestant_result* const k = w.contestant(op);
    if (k == nullptr) continue;
    const double weight = wanted.weight(op);
    const bool by_warm = wanted.warm || (!found.predicted && k->time.cold.samples == 0);
    const model_terms& parts = by_warm ? k->expected.warm_parts : k->expected.cold_parts;
    for (std::size_t i = 0; i < parts.size(); ++i)
      a.seconds[static_cast<std::size_t>(cause_of(term_names[i]))] += weight * parts[i];
    const double whole = by_warm ? k->expected.warm : k->expected.cold;
    a.known = a.known && whole > 0;
    a.expected += weight * whole;
    a.taken += weight * (found.predicted ? whole : k->time.deciding(wanted.warm).median);
    a.work.bytes += weight * k->work.bytes;
    a.work.atomics += weight * k->work.atomics;
    a.work.launches += weight * k->work.launches;
    a.work.longest += weight * k->work.longest;
  }
  return a;
}

std::string count_text(double number) {
  return number < 10 && number != std::floor(number) ? four_digits(number)
                                                     : with_commas(std::llround(number));
}

// What is different, in numbers. Where the counts do not say it, because the same work goes faster, the
// model's times do.
std::string phrase_of(cause what, const account& won, const account& lost, const std::string& loser,
                      std::int64_t entries, bool of_product) {
  const char* const each = of_product ? "a product" : "an application";
  const bool told = won.of(what) >= 0.005 * lost.of(what);  // else it would read as 0
  const std::string instead =
      fmt::format("{} instead of {}'s {}", told ? time_text(won.of(what)) : "next to nothing", loser,
                  time_text(lost.of(what)));
  const auto fewer = [](double mine, double theirs) { return mine < 0.97 * theirs; };
  switch (what) {
    case cause::bytes:
      if (fewer(won.work.bytes, lost.work.bytes))
        return fmt::format("{} reads and writes {} where {} moves {}", each,
                           format_bytes(std::llround(won.work.bytes)), loser,
                           format_bytes(std::llround(lost.work.bytes)));
      return "it reads its arrays faster: " + instead;
    case cause::gathers:
      return "it waits less for x, which misses the cache: " + instead;
    case cause::loop:
      if (entries > 0)
        return fmt::format("its loop takes {} ns an entry where {}'s takes {}",
                           four_digits(won.of(what) * 1e9 / static_cast<double>(entries)), loser,
                           four_digits(lost.of(what) * 1e9 / static_cast<double>(entries)));
      return "its loop is shorter: " + instead;
    case cause::idle:
      return "fewer lanes idle beside long rows and padding: " + instead;
    case cause::atomics:
      if (fewer(won.work.atomics, lost.work.atomics))
        return won.work.atomics < 0.5
                   ? fmt::format("it adds without atomics where {} makes {} atomic additions {}", loser,
                                 count_text(lost.work.atomics), each)
                   : fmt::format("{} atomic additions {} where {} makes {}", count_text(won.work.atomics),
                                 each, loser, count_text(lost.work.atomics));
      return "its additions wait less for each other: " + instead;
    case cause::chain:
      if (fewer(won.work.longest, lost.work.longest) && lost.work.longest >= 2)
        return fmt::format("no long row holds it up: {} walks {} entries one after another, it at most {}",
                           loser, count_text(lost.work.longest), count_text(std::max(1.0, won.work.longest)));
      return "its longest row holds it up less: " + instead;
    default:
      if (fewer(won.work.launches, lost.work.launches))
        return fmt::format("it starts {} kernels {} where {} starts {}", count_text(won.work.launches), each,
                           loser, count_text(lost.work.launches));
      return "its kernels start sooner: " + instead;
  }
}

}  // namespace

std::vector<std::string> causes_of(const matrix_result& found, const verdict& v) {
  if (!v.winner) return {};
  // Without another format, one pass beside two products is what there is to explain.
  const bool kinds_alone =
      !v.runner_up && std::find(v.ties.begin(), v.ties.end(), v.other_kind) == v.ties.end();
  const way& lost = v.stay && !v.winner.stays_in_csr() ? v.stay : kinds_alone ? v.other_kind : v.runner_up;
  if (!lost)
    return {v.ties.empty() ? "there is nothing to compare it with"
                           : "nothing that was run is told apart from it"};
  const std::string loser = lost.names();
  const account mine = account_of(found, v.winner, v.wanted), theirs = account_of(found, lost, v.wanted);
  const double gap = theirs.taken - mine.taken, explained = theirs.expected - mine.expected;
  // What one pass saves is known, whatever the model says of the rest.
  const std::int64_t once = v.winner.all_bytes(), twice = 2 * lost.all_bytes();
  if (gap > 0 && v.winner.in_one_pass() && !lost.in_one_pass() && once < twice)
    return {fmt::format("one pass reads the matrix once, {}; two products of {} read theirs twice, {}",
                        format_bytes(once), loser, format_bytes(twice))};
  if (!mine.known || !theirs.known)
    return {fmt::format("not explained: the model does not know {}", mine.known ? loser : v.winner.names())};
  if (mine.expected > 0 &&
      std::all_of(mine.seconds.begin(), mine.seconds.end(), [](double s) { return s == 0; }))
    return {};  // results of a version that kept no parts
  if (gap <= 0 && v.wanted.prefer_bytes)
    return {fmt::format("its fewer bytes, {} instead of {}", format_bytes(v.winner.all_bytes()),
                        format_bytes(lost.all_bytes()))};
  if (gap <= 0 && v.wanted.products > 0)
    return {
        fmt::format("not its {}s, which take {} where {}'s take {}, but what comes before them: {} "
                    "instead of {}",
                    v.wanted.unit(), time_text(mine.taken), loser, time_text(theirs.taken),
                    time_text(v.winner.price), time_text(lost.price))};
  if (gap <= 0) return {};
  // Half of the difference, or twice as much, is as near as sums of terms come.
  if (explained < 0.5 * gap || explained > 2 * gap)
    return {fmt::format("not explained: by the model it should take {} and {} {}", time_text(mine.expected),
                        loser, time_text(theirs.expected))};
  std::array<cause, causes> order = {cause::bytes,   cause::gathers, cause::loop,    cause::idle,
                                     cause::atomics, cause::chain,   cause::launches};
  const auto saved = [&](cause what) { return theirs.of(what) - mine.of(what); };
  std::stable_sort(order.begin(), order.end(), [&](cause a, cause b) { return saved(a) > saved(b); });
  std::vector<std::string> phrases;
  constexpr double worth_saying = 0.2;  // of the difference
  for (const cause what : {order[0], order[1]})
    if (saved(what) >= worth_saying * explained)
      phrases.push_back(phrase_of(what, mine, theirs, loser, found.entries, !v.wanted.one_pass));
  if (phrases.empty()) phrases.emplace_back("not explained: many small differences add up");
  return phrases;
}

}  // namespace sparsmith
