#include "analyze/recommend/tournament.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <new>

#include "convert/error.hpp"
#include "convert/words.hpp"

namespace sparsmith {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T, class Item>
bool contains(const std::vector<T>& all, const Item& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Adds what its scope takes.
class timed_part {
 public:
  timed_part(const std::function<double()>& clock, double& seconds)
      : clock_(clock), seconds_(seconds), since_(clock()) {}
  timed_part(const timed_part&) = delete;
  ~timed_part() { seconds_ += clock_() - since_; }

 private:
  const std::function<double()>& clock_;
  double& seconds_;
  double since_;
};

// What something has taken so far, in the mean; 0 where it was never seen.
class seen_mean {
 public:
  void add(double seconds) { sum_ += seconds, ++count_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / count_; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

class tournament {
 public:
  tournament(matrix_result&& result, const race_request& request, track& on, const progress_text& progress)
      : request_(request),
        track_(on),
        progress_(progress),
        begin_(request.clock()),
        result_(std::move(result)) {}

  matrix_result run() {
    for (const operation op : request_.operations) {
      if (!is_plain(op)) continue;
      if (request_.for_verdict && is_over(1)) break;  // a verdict needs none
      const timed_part part(request_.clock, heats_);
      result_.base_names[static_cast<std::size_t>(op)] = track_.choose_baseline(op);
    }
    result_.variants.reserve(request_.field.size());  // what waits points into it
    for (std::size_t i = 0; i < request_.field.size(); ++i) {
      run_variant(i);
      if (request_.for_verdict) continue;
      compare_base_with_itself(result_.variants.back());
      if (request_.variant_done) request_.variant_done(result_);
    }
    if (request_.for_verdict) {
      run_final();
      for (variant_result& line : result_.variants) compare_base_with_itself(line);
    }
    for (const auto& [name, seconds] : {std::pair("conversion", converting_), std::pair("checks", checking_),
                                        std::pair("heats", heats_), std::pair("final", final_)})
      result_.steps.push_back({name, seconds});
    return std::move(result_);
  }

 private:
  struct runner {
    contestant_key key;
    std::size_t line;  // among its variant's
    bool in = true;
  };
  // A variant that waits for the final, or is in it.
  struct waiting {
    std::size_t place;
    std::vector<runner> runners;
  };

  double now() const { return request_.clock(); }
  double spent() const { return now() - begin_; }
  bool is_interrupted() const { return request_.sampling.interrupted && request_.sampling.interrupted(); }
  // Whether the time is up, or would be with what takes so many seconds more. The heats leave a fifth of it
  // to the final.
  bool is_over(double share_of_time, double more = 0) {
    if (is_interrupted()) result_.interrupted = true;
    const bool too_late = spent() + more > share_of_time * request_.seconds;
    if (too_late && !result_.interrupted) result_.out_of_time = true;
    return result_.interrupted || too_late;
  }
  std::string why_over() const {
    return result_.interrupted ? "not reached: interrupted" : "not reached within the time given";
  }
  void say(const std::string& text) const {
    if (progress_) progress_(text);
  }
  void say(const contestant_key& key, const kernel_info& info, const std::string& more = {}) const {
    say(fmt::format("{} {}{}", info.name, name_of(key.op), more));
  }

  // Where the baseline is one of a variant's own contestants, that one's samples are what the variant is
  // measured against: beside other samples of itself it would be ahead or behind by noise.
  void compare_base_with_itself(variant_result& line) const {
    if (line.of_transpose) return;
    for (const contestant_result& k : line.contestants)
      if (k.timed() && result_.base_name(k.op) == k.info.name)
        line.base[static_cast<std::size_t>(k.op)] = k.time;
  }

  // Whether the race is over before a variant starts. What is there already starts all the same where there
  // is to be a verdict.
  bool comes_too_late(const format_variant& variant) {
    return request_.for_verdict ? !is_given(variant) && is_over(tuning.heats_share) : is_over(1);
  }

  void run_variant(std::size_t i) {
    const racing_variant& one = request_.field[i];
    const format_variant& variant = one.variant;
    variant_result& line = result_.variants.emplace_back(line_for(variant));
    line.expected_convert_seconds = one.convert_seconds;
    line.bytes = one.bytes;
    line.refused = one.left_out;
    if (line.refused.empty() && comes_too_late(variant)) {
      line.refused = why_over();
      line.not_tried = line.not_reached = true;
    }
    if (line.refused.empty() && request_.for_verdict) {
      line.refused = why_untried(i);
      line.not_tried = !line.refused.empty();
    }
    if (!line.refused.empty()) return;
    say(fmt::format("converting to {}", line.label()));
    try {
      const std::vector<kernel_info> kernels = store(i, line);
      if (request_.for_verdict)
        run_heat(i, kernels, line);
      else
        run_all(i, kernels, line);
    } catch (const error& problem) {
      // What one variant cannot do is its line; what makes no sense, and a broken device, end the race.
      if (problem.category() == failure::usage || problem.category() == failure::device) throw;
      refuse(i, problem.what(), line);
    } catch (const std::bad_alloc&) {
      refuse(i, "out of memory", line);
    }
    for (contestant_result& k : line.contestants) {
      if (one.expected) k.expected = one.expected(k.info, k.op);
      if (one.work) k.work = one.work(k.info, k.op);
    }
  }

  void refuse(std::size_t i, const std::string& why, variant_result& line) {
    line.refused = why;
    line.contestants.clear();
    std::erase_if(finalists_, [&](const waiting& w) { return w.place == i; });
    track_.release(i);
  }

  std::vector<kernel_info> store(std::size_t i, variant_result& line) {
    const timed_part part(request_.clock, converting_);
    std::vector<kernel_info> kernels =
        track_.store(i, request_.for_verdict ? conversion_effort{3, 0.05} : conversion_effort{4, 1}, line);
    // Short ones are mostly what starting them takes, and say nothing of long ones.
    if (const double expected = request_.field[i].convert_seconds;
        expected > 0 && line.convert_seconds > tuning.sure_seconds) {
      expected_conversions_ += expected;
      seen_conversions_ += line.convert_seconds;
    }
    return kernels;
  }
  // What a conversion will take: as expected, or as much longer as those before it took.
  double conversion_of(const racing_variant& one) const {
    return one.convert_seconds *
           (expected_conversions_ > 0 ? std::max(1.0, seen_conversions_ / expected_conversions_) : 1);
  }

  // What so many samples more will take: runs with warm and with cold caches, a few before them, and for each
  // of them as much beside as it took with others.
  static double runs_of(int samples) { return 2 * samples + 3; }
  double sampling_of(double seconds, int samples) const {
    return runs_of(samples) * seconds + samples * beside_a_sample_.mean();
  }
  double sampling_of(const contestant_result& k, int samples) const {
    return sampling_of(k.time.warm.samples > 0 ? seconds_of(k) : k.single_seconds, samples);
  }

  std::vector<operation> operations_of(const format_variant& variant) const {
    std::vector<operation> operations;
    for (const operation op : request_.operations)
      if (variant.asks_for(op)) operations.push_back(op);
    return operations;
  }

  static contestant_result& add_line(const kernel_info& info, operation op, variant_result& line) {
    contestant_result& added = line.contestants.emplace_back();
    added.info = info;
    added.op = op;
    return added;
  }

  void leave(runner& one, variant_result& line, std::string why) {
    line.contestants[one.line].left = std::move(why);
    track_.release(one.key);
    one.in = false;
  }
  void leave_after_one_run(runner& one, variant_result& line, double leader_seconds) {
    const double seconds = line.contestants[one.line].single_seconds;
    leave(one, line,
          fmt::format("after one run of {}, {:.0f} x the leader", time_text(seconds),
                      seconds / leader_seconds));
  }

  // Whoever may lead a race for a verdict.
  bool may_lead(const contestant_result& k) const {
    return !request_.wanted.repeatable || k.info.repeatable(k.op);
  }
  // The least of all single runs for an operation so far.
  double least_single(operation op) const {
    double least = infinity;
    for (const variant_result& f : result_.variants)
      for (const contestant_result& k : f.contestants)
        if (k.op == op && k.not_run.empty() && k.wrong.empty() && may_lead(k))
          least = std::min(least, k.single_seconds);
    return least;
  }
  // Of a variant's contestants that have just run once: those whose samples would take for ever leave.
  void drop_hopeless(std::vector<runner>& entered, variant_result& line) {
    for (runner& one : entered) {
      const double least = least_single(one.key.op);
      if (line.contestants[one.line].single_seconds > tuning.hopeless_ratio * least + tuning.hopeless_seconds)
        leave_after_one_run(one, line, least);
    }
    std::erase_if(entered, [](const runner& one) { return !one.in; });
  }

  // ---- all samples of everybody ----

  void run_all(std::size_t i, const std::vector<kernel_info>& kernels, variant_result& line) {
    const timed_part part(request_.clock, heats_);
    const sampling_options& sampling = request_.sampling;
    std::vector<runner> runners;
    for (const operation op : operations_of(request_.field[i].variant))
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (is_interrupted() || !has_line(kernels[k], op)) continue;
        const contestant_key key{i, k, op};
        say(key, kernels[k]);
        contestant_result& added = add_line(kernels[k], op, line);
        if (track_.enter(key, added)) runners.push_back({key, line.contestants.size() - 1});
      }
    drop_hopeless(runners, line);
    if (!runners.empty()) track_.restart_baselines();
    for (int round = 0; round < sampling.rounds() && !runners.empty(); ++round) {
      if (!is_interrupted())
        line.base = track_.sample_baselines(sampling.samples_a_round(), sampling.warm_up(round == 0));
      for (runner& one : runners) {
        if (!one.in || is_interrupted()) continue;
        contestant_result& mine = line.contestants[one.line];
        say(one.key, mine.info, fmt::format(", round {} of {}", round + 1, sampling.rounds()));
        one.in = track_.sample(one.key, sampling.samples_a_round(), sampling.warm_up(round == 0), mine);
      }
    }
    for (const runner& one : runners)
      if (contestant_result& mine = line.contestants[one.line]; one.in && mine.time.warm.samples == 0)
        mine.not_run = "not reached: interrupted";
    track_.release(i);
  }

  // ---- for a verdict ----

  // Why a variant is not worth its start; empty where it is.
  std::string why_untried(std::size_t i) {
    const racing_variant& one = request_.field[i];
    if (is_given(one.variant)) return {};
    if (const double seconds = conversion_of(one);
        spent() + seconds > tuning.heats_share * request_.seconds) {
      result_.out_of_time = true;
      return fmt::format("not tried: converting would take {} of the time given", time_text(seconds));
    }
    // For the sake of two products in one pass of which nothing is expected a variant is tried, but no step
    // away from it.
    double nearest = infinity, nearest_known = infinity;
    for (const operation op : operations_of(one.variant)) {
      const double distance_here = expected_distance(i, op);
      nearest = std::min(nearest, distance_here);
      if (is_plain(op) || distance_here > 0) nearest_known = std::min(nearest_known, distance_here);
    }
    if (one.after >= 0 && !(one.expected && nearest_known <= tuning.worth_expecting)) {
      const variant_result& parent = result_.variants[static_cast<std::size_t>(one.after)];
      const double behind = distance(parent);
      if (!(behind <= tuning.worth_varying))
        return parent.refused.empty()
                   ? fmt::format("not tried: {} is {:.2f} x behind", parent.label(), behind)
                   : fmt::format("not tried: neither was {}", parent.label());
    }
    if (one.expected && nearest > tuning.untried_variant && std::isfinite(nearest))
      return fmt::format("not tried: predicted at {:.1f} x the leader", nearest);
    return {};
  }

  // The least of all times for an operation so far; infinite at the start.
  double leader(operation op) const {
    double least = infinity;
    for (const variant_result& f : result_.variants)
      for (const contestant_result& k : f.contestants)
        if (k.op == op && k.timed() && may_lead(k)) least = std::min(least, seconds_of(k));
    return least;
  }
  double seconds_of(const contestant_result& k) const { return k.time.deciding(request_.wanted.warm).median; }

  // How far the best expected of a variant is behind the leader for an operation.
  double expected_distance(std::size_t i, operation op) const {
    if (!std::isfinite(leader(op))) return 0;
    double best = infinity;
    for (const kernel_info& kernel : track_.kernels_for(i)) {
      if (!has_line(kernel, op)) continue;
      const double seconds = expected_seconds(request_.field[i], kernel, op);
      if (seconds <= 0) return 0;  // nothing is known of one of them
      best = std::min(best, seconds);
    }
    return best / leader(op);
  }
  double expected_seconds(const racing_variant& one, const kernel_info& info, operation op) const {
    if (!one.expected) return 0;
    const prediction p = one.expected(info, op);
    return request_.wanted.warm ? p.warm : p.cold;
  }

  // How far a contestant is behind: behind the fastest for its operation or, where that is less, with the
  // best that its variant has for the other product behind the best way for what is wanted.
  std::function<double(const contestant_result&)> distances() const {
    std::map<const contestant_result*, double> by_way;
    const std::vector<way> all = every_way_of(result_, request_.wanted);
    for (const way& w : all)
      for (const contestant_result* k : w.contestants)
        if (k != nullptr) by_way.emplace(k, w.seconds / all.front().seconds);  // the fastest come first
    std::array<double, all_operations.size()> leaders = {};
    for (const operation op : all_operations) leaders[static_cast<std::size_t>(op)] = leader(op);
    return [this, by_way, leaders](const contestant_result& k) {
      const auto found = by_way.find(&k);
      const double alone = seconds_of(k) / leaders[static_cast<std::size_t>(k.op)];
      return found == by_way.end() ? alone : std::min(alone, found->second);
    };
  }
  // The same of the best that a variant has.
  double distance(const variant_result& f) const {
    const auto distance_of = distances();
    double nearest = infinity;
    for (const contestant_result& k : f.contestants)
      if (k.timed()) nearest = std::min(nearest, distance_of(k));
    return nearest;
  }

  void run_heat(std::size_t i, const std::vector<kernel_info>& kernels, variant_result& line) {
    waiting here{i, enter_all(i, kernels, line)};
    const timed_part part(request_.clock, heats_);
    if (now() - baseline_at_ > tuning.baseline_every &&
        !is_over(tuning.heats_share, tuning.first_samples * a_baseline_sample_.mean())) {
      latest_base_ = sample_baselines(tuning.first_samples);
      baseline_at_ = now();
    }
    line.base = latest_base_;
    for (runner& one : here.runners) {
      const contestant_result& mine = line.contestants[one.line];
      const bool is_needed = !std::isfinite(leader(one.key.op));
      if (heat_is_over(i, is_needed, sampling_of(mine, tuning.first_samples)))
        leave(one, line, why_over());
      else
        sample(one, tuning.first_samples, line);
    }
    // Who is clearly behind after the first samples gets no more of them. All operations have theirs by then:
    // one product that is behind alone may be half of the best pair.
    for (runner& one : here.runners) {
      if (!one.in) continue;
      const contestant_result& mine = line.contestants[one.line];
      if (heat_is_over(i, false, sampling_of(mine, tuning.heat_samples))) {
        leave(one, line,
              fmt::format("after {} samples: {}", tuning.first_samples,
                          result_.interrupted ? "interrupted" : "the time given was up"));
        continue;
      }
      double ratio = seconds_of(mine) / leader(one.key.op);
      // The ways are many: they are only asked where the operation alone would not do.
      if (ratio > tuning.behind_at_first) ratio = distances()(mine);
      if (ratio > tuning.behind_at_first)
        leave(one, line, fmt::format("after {} samples at {:.2f} x the leader", tuning.first_samples, ratio));
      else
        sample(one, tuning.heat_samples, line);
    }
    finalists_.push_back(std::move(here));
    drop_those_behind();
  }

  // Those that are right, and not far beyond the leader in their first run.
  std::vector<runner> enter_all(std::size_t i, const std::vector<kernel_info>& kernels,
                                variant_result& line) {
    const timed_part part(request_.clock, checking_);
    const racing_variant& one = request_.field[i];
    std::vector<runner> entered;
    for (const operation op : operations_of(one.variant))
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        const kernel_info& info = kernels[k];
        if (!has_line(info, op)) continue;
        const double expected = expected_seconds(one, info, op);
        contestant_result& mine = add_line(info, op, line);
        if (heat_is_over(i, !has_entered(entered, op), entering_.mean())) {
          mine.not_run = why_over();
        } else if (request_.wanted.repeatable && !info.repeatable(op) && !info.vendor) {
          mine.not_run = "its bits differ from run to run";
        } else if (expected > tuning.untried_kernel * leader(op)) {
          mine.not_run = fmt::format("not tried: predicted at {:.0f} x the leader", expected / leader(op));
        } else {
          const contestant_key key{i, k, op};
          say(key, info);
          const double before = now();
          if (!track_.enter(key, mine)) continue;
          entering_.add(now() - before);
          runner who{key, line.contestants.size() - 1};
          if (mine.single_seconds > tuning.far_ratio * (leader(op) + tuning.far_seconds))
            leave_after_one_run(who, line, leader(op));
          else
            entered.push_back(who);
        }
      }
    drop_hopeless(entered, line);
    return entered;
  }

  // Whether there is no time for what takes so long in a variant's heat. What is there already runs whatever
  // the time where its operation needs it, so that there is a verdict.
  bool heat_is_over(std::size_t i, bool is_needed, double seconds) {
    const bool over = is_over(tuning.heats_share, seconds);
    return is_needed && is_given(request_.field[i].variant) ? result_.interrupted : over;
  }
  static bool has_entered(const std::vector<runner>& entered, operation op) {
    return std::any_of(entered.begin(), entered.end(), [&](const runner& one) { return one.key.op == op; });
  }

  bool sample(runner& one, int samples, variant_result& line) {
    contestant_result& mine = line.contestants[one.line];
    const double before = now();
    one.in = track_.sample(one.key, samples, tuning.heat_warm_up, mine);
    if (mine.time.warm.samples > 0)
      beside_a_sample_.add(std::max(0.0, now() - before - runs_of(samples) * seconds_of(mine)) / samples);
    return one.in;
  }
  base_times sample_baselines(int samples) {
    const double before = now();
    base_times all = track_.sample_baselines(samples, tuning.heat_warm_up);
    a_baseline_sample_.add((now() - before) / samples);
    return all;
  }

  void remove_those_out() {
    for (waiting& w : finalists_) std::erase_if(w.runners, [](const runner& one) { return !one.in; });
    for (const waiting& w : finalists_)
      if (w.runners.empty()) track_.release(w.place);
    std::erase_if(finalists_, [](const waiting& w) { return w.runners.empty(); });
  }

  // Frees what cannot win any more, and the slowest of what memory does not hold.
  void drop_those_behind() {
    remove_those_out();
    const auto distance_of = distances();
    for (waiting& w : finalists_) {
      variant_result& line = result_.variants[w.place];
      for (runner& one : w.runners) {
        const double ratio = distance_of(line.contestants[one.line]);
        if (ratio > tuning.behind)
          leave(one, line, fmt::format("after the heats at {:.2f} x the leader", ratio));
      }
    }
    remove_those_out();
    // What is there already takes no memory of the race's, and none is won by dropping it.
    const auto is_kept = [&](const waiting& w) { return !is_given(request_.field[w.place].variant); };
    std::int64_t held = 0;
    for (const waiting& w : finalists_)
      if (is_kept(w)) held += result_.variants[w.place].bytes;
    const auto most = static_cast<double>(track_.available_memory() + held) * tuning.kept_share;
    while (finalists_.size() > 1 && static_cast<double>(held) > most) {
      auto farthest =
          std::max_element(finalists_.begin(), finalists_.end(), [&](const waiting& a, const waiting& b) {
            if (is_kept(a) != is_kept(b)) return is_kept(b);
            return distance(result_.variants[a.place]) < distance(result_.variants[b.place]);
          });
      variant_result& line = result_.variants[farthest->place];
      for (runner& one : farthest->runners)
        leave(one, line, "after the heats: no memory to wait for the final in");
      held -= line.bytes;
      remove_those_out();
    }
  }

  // The leaders in turns, until what parts them is known.
  void run_final() {
    const timed_part part(request_.clock, final_);
    std::vector<const contestant_result*> asked = in_question();
    for (int round = 0; round < tuning.final_rounds && !asked.empty(); ++round) {
      if (is_over(1, tuning.final_samples * a_baseline_sample_.mean())) return;
      say(fmt::format("final, round {}: {} kernels", round + 1, asked.size()));
      result_.final_rounds = round + 1;
      const base_times base = sample_baselines(tuning.final_samples);
      for (waiting& w : finalists_) {
        variant_result& line = result_.variants[w.place];
        line.base = base;
        for (runner& one : w.runners) {
          if (!contains(asked, &line.contestants[one.line])) continue;
          if (is_over(1, sampling_of(line.contestants[one.line], tuning.final_samples))) return;
          sample(one, tuning.final_samples, line);
        }
      }
      remove_those_out();
      asked = in_question();
      if (asked.empty()) break;
      const auto distance_of = distances();
      for (waiting& w : finalists_) {
        variant_result& line = result_.variants[w.place];
        for (runner& one : w.runners)
          if (contestant_result& mine = line.contestants[one.line]; !contains(asked, &mine))
            leave(one, line,
                  fmt::format("before round {} of the final at {:.2f} x the leader", round + 2,
                              distance_of(mine)));
      }
      remove_those_out();
    }
    settle_conversions();
  }

  // Contestants of those ways that more samples could still move: not known to be behind, nor all to be
  // level.
  std::vector<const contestant_result*> in_question() const {
    std::vector<const contestant_result*> asked;
    const std::vector<way> all = every_way_of(result_, request_.wanted);
    bool settled = true;
    for (const way& w : all) {
      const bool is_first = &w == &all.front();
      const margin_of m = is_first ? margin_of{1, 1, 1} : margin_between(w, all.front());
      if (m.low > 1 + tie_share) continue;
      for (const contestant_result* k : w.contestants) {
        if (k == nullptr || !is_waiting(*k)) continue;
        settled = settled && m.high < 1 + tie_share && k->time.warm.samples >= 3 * tuning.final_samples;
        if (!contains(asked, k)) asked.push_back(k);
      }
    }
    if (settled) asked.clear();
    return asked;
  }
  bool is_waiting(const contestant_result& k) const {
    for (const waiting& w : finalists_)
      for (const runner& one : w.runners)
        if (&result_.variants[w.place].contestants[one.line] == &k) return true;
    return false;
  }

  // A conversion that was timed once has paid for memory and for loading code as well; where it may be what
  // is recommended, it is done again.
  void settle_conversions() {
    const verdict so_far = verdict_of(result_, request_.wanted);
    if (!so_far.winner) return;
    for (std::size_t i = 0; i < result_.variants.size(); ++i) {
      variant_result& line = result_.variants[i];
      const bool matters = &line == &so_far.winner.variant() || &line == &so_far.fastest.variant();
      if (!matters || is_given(request_.field[i].variant) || line.convert_seconds < tuning.sure_seconds ||
          line.offset_bits != result_.offset_bits)
        continue;
      if (is_over(1) || spent() + 3 * line.convert_seconds > request_.seconds) continue;
      say(fmt::format("converting to {} again", line.label()));
      try {
        line.convert_seconds = summarize_samples(track_.time_conversion(i, {3, infinity})).median;
      } catch (const error& problem) {
        if (problem.category() != failure::resources) throw;  // the first time stands
      } catch (const std::bad_alloc&) {
        continue;  // likewise
      }
    }
  }

  const race_request& request_;
  track& track_;
  const progress_text& progress_;
  double begin_;
  double converting_ = 0, checking_ = 0, heats_ = 0, final_ = 0;  // seconds
  double expected_conversions_ = 0, seen_conversions_ = 0;        // seconds, of the long ones
  seen_mean entering_, beside_a_sample_, a_baseline_sample_;
  matrix_result result_;
  std::vector<waiting> finalists_;
  base_times latest_base_;
  double baseline_at_ = -infinity;
};

}  // namespace

matrix_result run_tournament(matrix_result result, const race_request& request, track& on,
                             const progress_text& progress) {
  result.symmetric = request.symmetric;
  return tournament(std::move(result), request, on, progress).run();
}

}  // namespace sparsmith
