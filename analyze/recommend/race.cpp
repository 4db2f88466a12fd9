#include "analyze/recommend/race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <new>

namespace sparsmith {
namespace {

// The numbers of a race for a verdict.
struct race_tuning {
  // A single run, which the host's clock times, is far beyond the leader at this many times its time and so
  // many seconds more.
  double far_ratio = 5, far_seconds = 50e-6;
  // What is expected to be so far behind is not even tried: a format, a kernel. Far above the model's errors.
  double untried_format = 4, untried_kernel = 8;
  // Behind the leader of its operation at this, after the first samples and at the end of the heats.
  double behind_at_first = 2, behind = 1.5;
  // A variant is tried where the one it varies is this near to the leader, or where it is expected itself to
  // be this near.
  double worth_varying = 1.3, worth_expecting = 1.5;
  int first_samples = 2, heat_samples = 3, final_samples = 5;
  int final_rounds = 8;  // at most
  double heat_warm_up = 0.0005;
  double baseline_every = 0.3;  // seconds, in the heats
  double heats_share = 0.8;     // of the time given
  double kept_share = 0.3;      // of the memory at hand, for formats that wait for the final
};
constexpr race_tuning tuning;

template <class T, class Item>
bool contains(const std::vector<T>& all, const Item& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string in_words(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.3g} ms", seconds * 1e3)
                        : fmt::format("{:.3g} s", seconds);
}

// A kernel of a matrix that stores A^T: what it calls A x is A^T x for whoever stored A.
template <class Value>
bound_kernel<Value> turned(const bound_kernel<Value>& stored) {
  bound_kernel<Value> one{stored.info, [stored](operation op) { return stored.why_not(turned(op)); },
                          [stored](operation op) { return stored.prepare(turned(op)); }};
  std::swap(one.info.repeatable_multiply, one.info.repeatable_transposed);
  std::swap(one.info.multiplies, one.info.transposes);
  return one;
}

template <class Space, class Offset, class Value>
csr<std::int64_t, Value, Space> widened(const csr<Offset, Value, view_of<Space>>& m) {
  const array<Offset, host> narrow = copy_to<host>(m.row_offsets, Space::where);
  array<std::int64_t, host> wide(narrow.size());
  std::copy(narrow.begin(), narrow.end(), wide.begin());
  return {m.rows, m.cols, copy_to<Space>(wide, place::host), copy_to<Space>(m.col_indices, Space::where),
          copy_to<Space>(m.values, Space::where)};
}

// From CSR to what a variant stores.
template <class Backend, class Offset, class Value>
any_format<Offset, Value, space_on<Backend>> convert(Backend on,
                                                     const csr<Offset, Value, view_on<Backend>>& matrix,
                                                     const format_variant& variant) {
  if (!variant.of_transpose)
    return from_csr<Backend, Offset, Value>(on, matrix, variant.format, variant.conversion, nullptr);
  auto turned_over =
      from_csr<Backend, Offset, Value>(on, matrix, format_kind::csc, variant.conversion, nullptr);
  auto& stored = std::get<csc<Offset, Value, space_on<Backend>>>(turned_over);
  if (variant.format == format_kind::csr)  // which it is already, by another name
    return csr<Offset, Value, space_on<Backend>>{stored.cols, stored.rows, std::move(stored.col_offsets),
                                                 std::move(stored.row_indices), std::move(stored.values)};
  const auto transpose = view(stored);
  return from_csr<Backend, Offset, Value>(
      on, {transpose.cols, transpose.rows, transpose.col_offsets, transpose.row_indices, transpose.values},
      variant.format, variant.conversion, nullptr);
}

// Converts again and again, at most so often and while that is short.
template <class Backend, class Offset, class Value>
any_format<Offset, Value, space_on<Backend>> timed_conversion(
    Backend on, const csr<Offset, Value, view_on<Backend>>& matrix, const format_variant& variant, int most,
    double short_seconds, std::vector<double>& seconds) {
  any_format<Offset, Value, space_on<Backend>> converted;
  const double begin = seconds_now();
  do {
    converted = {};  // never two at once
    synchronize(on);
    const double start = seconds_now();
    converted = convert<Backend, Offset, Value>(on, matrix, variant);
    synchronize(on);
    seconds.push_back(seconds_now() - start);
  } while (static_cast<int>(seconds.size()) < most && seconds_now() - begin < short_seconds);
  return converted;
}

// What is given is CSR; its copy is no conversion.
bool is_given(const format_variant& variant) {
  return variant.format == format_kind::csr && !variant.of_transpose;
}

// A converted matrix with its kernels, whatever its format and the width of its offsets.
template <class Value>
struct stored_format {
  std::shared_ptr<const void> matrix;
  std::vector<bound_kernel<Value>> kernels;
};

template <class Backend, class Offset, class Value>
stored_format<Value> describe_stored(Backend on, any_format<Offset, Value, space_on<Backend>>&& converted,
                                     const format_variant& variant, variant_result& line) {
  stored_format<Value> stored;
  const auto kept = std::make_shared<any_format<Offset, Value, space_on<Backend>>>(std::move(converted));
  stored.matrix = kept;
  std::visit(
      [&](const auto& m) {
        line.bytes = bytes(m);
        line.slots = slots(m);
        line.parameters = parameters_of(m);
        line.offset_bits = int{sizeof(Offset)} * 8;
        for (const bound_kernel<Value>& c : bound_kernels_of(capturable(on), view(m))) {
          if (variant.admits(c.info)) stored.kernels.push_back(variant.of_transpose ? turned(c) : c);
        }
      },
      *kept);
  return stored;
}

// Adds what its scope takes.
class timed_part {
 public:
  explicit timed_part(double& seconds) : seconds_(seconds) {}
  timed_part(const timed_part&) = delete;
  ~timed_part() { seconds_ += seconds_now() - since_; }

 private:
  double& seconds_;
  double since_ = seconds_now();
};

// One run of it: what all formats share, and the state of a race for a verdict.
template <class Backend, class Offset, class Value>
class racing {
 public:
  racing(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix, const race_request& request,
         const progress_text& progress)
      : on_(on),
        matrix_(matrix),
        request_(request),
        progress_(progress),
        begin_(seconds_now()),
        on_host_(copy_to<host>(matrix)),
        contest_(
            on, matrix.rows, matrix.cols,
            [this](operation op, const array<Value, host>& x, std::int32_t neighbours) {
              return multiply_reference<Offset, Value>(on_host_, op, Value{1}, x.data(), Value{0}, nullptr,
                                                       neighbours);
            },
            request.for_verdict ? quick(request.sampling) : request.sampling, progress) {}

  matrix_result run() {
    const auto csr_kernels = bound_kernels_of(capturable(on_), matrix_);
    for (const operation op : request_.operations) {
      const timed_part part(heats_);
      result_.base_names[static_cast<std::size_t>(op)] = contest_.choose_baseline(csr_kernels, op);
    }
    result_.variants.reserve(request_.field.size());
    for (std::size_t i = 0; i < request_.field.size(); ++i) {
      run_variant(i);
      if (request_.for_verdict) continue;
      compare_base_with_itself(result_.variants.back());
      if (request_.format_done) request_.format_done(result_);
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
  // A format that waits for the final.
  struct waiting {
    std::size_t place;
    std::shared_ptr<const void> matrix;
    std::vector<std::unique_ptr<contestant<Value>>> contestants;
  };

  // To find a baseline with: it is measured better with the others.
  static sampling_options quick(sampling_options sampling) {
    sampling.samples = 3;
    return sampling;
  }

  double spent() const { return seconds_now() - begin_; }
  // The heats leave a fifth of the time to the final.
  bool is_over(double share_of_time) {
    if (request_.sampling.interrupted && request_.sampling.interrupted()) result_.interrupted = true;
    const bool too_late = spent() > share_of_time * request_.seconds;
    if (too_late && !result_.interrupted) result_.out_of_time = true;
    return result_.interrupted || too_late;
  }
  std::string why_over() const {
    return result_.interrupted ? "not reached: interrupted" : "not reached within the time given";
  }
  void say(const std::string& text) const {
    if (progress_) progress_(text);
  }
  const format_variant& variant_of(std::size_t i) const { return request_.field[i].variant; }

  // Where the baseline is one of a format's own kernels, that kernel's samples are what the format is
  // measured against: beside other samples of itself it would be ahead or behind by noise.
  void compare_base_with_itself(variant_result& line) const {
    if (line.of_transpose) return;
    for (const contestant_result& k : line.contestants)
      if (k.timed() && result_.base_name(k.op) == k.info.name)
        line.base[static_cast<std::size_t>(k.op)] = k.time;
  }

  // Whether the race is over before a format starts. What is there already starts all the same where there is
  // to be a verdict.
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
      line.not_reached = true;
    }
    if (line.refused.empty() && request_.for_verdict) line.refused = why_untried(i);
    if (!line.refused.empty()) return;
    say(fmt::format("converting to {}", line.label()));
    std::vector<operation> operations;
    for (const operation op : request_.operations)
      if (variant.asks_for(op)) operations.push_back(op);
    const auto attempt = [&]<class O>(const csr<O, Value, view_on<Backend>>& m) {
      try {
        stored_format<Value> stored = store<O>(m, variant, line);
        if (request_.for_verdict)
          run_heat(i, std::move(stored), operations, line);
        else
          run_all(stored.kernels, operations, line);
        line.refused.clear();
        return true;
      } catch (const error& problem) {
        // What one format cannot do is its line; what makes no sense, and a broken device, end the race.
        if (problem.category() == failure::usage || problem.category() == failure::device) throw;
        line.refused = problem.what();
      } catch (const std::bad_alloc&) {
        line.refused = "out of memory";
      }
      line.contestants.clear();
      return false;
    };
    // Positions of blocks, or slots with padding, may need 64 bits where the entries do not.
    if (!attempt(matrix_) && sizeof(Offset) == 4) {
      try {
        attempt(view(widened(matrix_)));
      } catch (const error& problem) {
        if (problem.category() != failure::resources) throw;
      }
    }
    for (contestant_result& k : line.contestants) {
      if (one.expected) k.expected = one.expected(k.info, k.op);
      if (one.work) k.work = one.work(k.info, k.op);
    }
  }

  template <class O>
  stored_format<Value> store(const csr<O, Value, view_on<Backend>>& m, const format_variant& variant,
                             variant_result& line) {
    const timed_part part(converting_);
    std::vector<double> seconds;
    auto converted = timed_conversion<Backend, O, Value>(on_, m, variant, request_.for_verdict ? 3 : 4,
                                                         request_.for_verdict ? 0.05 : 1, seconds);
    line.convert_seconds = is_given(variant) ? 0 : settled_seconds(std::move(seconds));
    return describe_stored<Backend, O, Value>(on_, std::move(converted), variant, line);
  }

  void run_all(const std::vector<bound_kernel<Value>>& kernels, const std::vector<operation>& operations,
               variant_result& line) {
    const timed_part part(heats_);
    contest_.run(kernels, operations, line);
  }

  // ---- for a verdict ----

  // Why a format is not worth its start; empty where it is.
  std::string why_untried(std::size_t i) {
    const racing_variant& one = request_.field[i];
    if (is_given(one.variant)) return {};
    if (spent() + one.convert_seconds > tuning.heats_share * request_.seconds) {
      result_.out_of_time = true;
      return fmt::format("not tried: converting would take {} of the time given",
                         in_words(one.convert_seconds));
    }
    double nearest = std::numeric_limits<double>::infinity();
    for (const operation op : request_.operations)
      if (one.variant.asks_for(op)) nearest = std::min(nearest, expected_distance(one, op));
    if (one.after >= 0 && !(one.expected && nearest <= tuning.worth_expecting)) {
      const variant_result& parent = result_.variants[static_cast<std::size_t>(one.after)];
      const double behind = distance(parent);
      if (!(behind <= tuning.worth_varying))
        return parent.refused.empty()
                   ? fmt::format("not tried: {} is {:.2f} x behind", parent.label(), behind)
                   : fmt::format("not tried: neither was {}", parent.label());
    }
    if (one.expected && nearest > tuning.untried_format && std::isfinite(nearest))
      return fmt::format("not tried: predicted at {:.1f} x the leader", nearest);
    return {};
  }

  // The least of all times for an operation so far; infinite at the start.
  double leader(operation op) const {
    double least = std::numeric_limits<double>::infinity();
    for (const variant_result& f : result_.variants)
      for (const contestant_result& k : f.contestants)
        if (k.op == op && k.timed() && (!request_.wanted.repeatable || k.info.repeatable(op)))
          least = std::min(least, seconds_of(k));
    return least;
  }
  double seconds_of(const contestant_result& k) const { return k.time.deciding(request_.wanted.warm).median; }

  // How far the best expected of it is behind the leader for an operation.
  double expected_distance(const racing_variant& one, operation op) const {
    if (!std::isfinite(leader(op))) return 0;
    double best = std::numeric_limits<double>::infinity();
    for (const listed_kernel& k : kernels_)
      if (k.format == one.variant.format && k.backend == Backend::name && one.variant.admits(k.info)) {
        const double seconds = expected_seconds(one, k.info, op);
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

  // How far a kernel is behind: behind the fastest for its operation or, where that is less, with the best
  // that its format has for the other operation behind the best way for what is wanted.
  std::function<double(const contestant_result&)> distances() const {
    std::map<const contestant_result*, double> by_way;
    const std::vector<way> all = every_way_of(result_, request_.wanted);
    for (const way& w : all)
      for (const contestant_result* k : w.contestants)
        if (k != nullptr) by_way.emplace(k, w.seconds / all.front().seconds);  // the fastest come first
    const std::array<double, 2> leaders = {leader(operation::multiply), leader(operation::transposed)};
    return [this, by_way, leaders](const contestant_result& k) {
      const auto found = by_way.find(&k);
      const double alone = seconds_of(k) / leaders[static_cast<std::size_t>(k.op)];
      return found == by_way.end() ? alone : std::min(alone, found->second);
    };
  }
  // The same of the best that a format has.
  double distance(const variant_result& f) const {
    const auto distance_of = distances();
    double nearest = std::numeric_limits<double>::infinity();
    for (const contestant_result& k : f.contestants)
      if (k.timed()) nearest = std::min(nearest, distance_of(k));
    return nearest;
  }

  void run_heat(std::size_t i, stored_format<Value>&& stored, const std::vector<operation>& operations,
                variant_result& line) {
    const racing_variant& one = request_.field[i];
    waiting here{i, stored.matrix, enter_all(one, stored.kernels, operations, line)};
    const timed_part part(heats_);
    if (seconds_now() - baseline_at_ > tuning.baseline_every) {
      contest_.sample_baselines(tuning.first_samples, tuning.heat_warm_up, line);
      latest_base_ = line.base;
      baseline_at_ = seconds_now();
    }
    line.base = latest_base_;
    for (auto& k : here.contestants) {
      if (heat_is_over(one)) {
        leave(k, line, why_over());
        continue;
      }
      // Who is clearly behind after the first samples gets no more of them.
      if (!sample(*k, tuning.first_samples, line)) {
        k = nullptr;
        continue;
      }
      const contestant_result& mine = line.contestants[k->line];
      double ratio = seconds_of(mine) / leader(k->op);
      // The ways are many: they are only asked where the operation alone would not do.
      if (ratio > tuning.behind_at_first) ratio = distances()(mine);
      if (ratio > tuning.behind_at_first)
        leave(k, line, fmt::format("after {} samples at {:.2f} x the leader", tuning.first_samples, ratio));
      else if (!sample(*k, tuning.heat_samples, line))
        k = nullptr;
    }
    std::erase(here.contestants, nullptr);
    finalists_.push_back(std::move(here));
    drop_those_behind();
  }

  // Those that are right, and not far beyond the leader in their first run.
  std::vector<std::unique_ptr<contestant<Value>>> enter_all(const racing_variant& one,
                                                            const std::vector<bound_kernel<Value>>& kernels,
                                                            const std::vector<operation>& operations,
                                                            variant_result& line) {
    const timed_part part(checking_);
    std::vector<std::unique_ptr<contestant<Value>>> entered_all;
    for (const operation op : operations)
      for (const bound_kernel<Value>& c : kernels) {
        if (heat_is_over(one)) {
          add_untried(c.info, op, why_over(), line);
          continue;
        }
        if (request_.wanted.repeatable && !c.info.repeatable(op) && !c.info.vendor) {
          add_untried(c.info, op, "its bits differ from run to run", line);
          continue;
        }
        const double expected = expected_seconds(one, c.info, op);
        if (expected > tuning.untried_kernel * leader(op)) {
          add_untried(c.info, op,
                      fmt::format("not tried: predicted at {:.0f} x the leader", expected / leader(op)),
                      line);
          continue;
        }
        auto entered = contest_.enter(c, op, line);
        if (entered == nullptr) continue;
        if (contestant_result& k = line.contestants.back();
            k.single_seconds > tuning.far_ratio * (leader(op) + tuning.far_seconds)) {
          k.left = fmt::format("after one run of {}, {:.0f} x the leader", in_words(k.single_seconds),
                               k.single_seconds / leader(op));
          continue;
        }
        entered_all.push_back(std::move(entered));
      }
    return entered_all;
  }

  static void add_untried(const kernel_info& info, operation op, std::string why, variant_result& line) {
    contestant_result& untried = line.contestants.emplace_back();
    untried.info = info;
    untried.op = op;
    untried.not_run = std::move(why);
  }

  // What is there already runs its heat whatever the time, so that there is a verdict.
  bool heat_is_over(const racing_variant& one) {
    const bool over = is_over(tuning.heats_share);
    return is_given(one.variant) ? result_.interrupted : over;
  }

  bool sample(contestant<Value>& one, int samples, variant_result& line) {
    return contest_.sample(one, samples, tuning.heat_warm_up, line);
  }

  static void leave(std::unique_ptr<contestant<Value>>& one, variant_result& line, std::string why) {
    line.contestants[one->line].left = std::move(why);
    one = nullptr;
  }

  // Frees what cannot win any more, and the slowest of what memory does not hold.
  void drop_those_behind() {
    const auto distance_of = distances();
    for (waiting& w : finalists_) {
      variant_result& line = result_.variants[w.place];
      for (auto& k : w.contestants) {
        const double ratio = distance_of(line.contestants[k->line]);
        if (ratio > tuning.behind)
          leave(k, line, fmt::format("after the heats at {:.2f} x the leader", ratio));
      }
      std::erase(w.contestants, nullptr);
    }
    std::erase_if(finalists_, [](const waiting& w) { return w.contestants.empty(); });
    std::int64_t held = 0;
    for (const waiting& w : finalists_) held += result_.variants[w.place].bytes;
    const auto most = static_cast<double>(available_bytes(Backend::space::where) + held) * tuning.kept_share;
    while (finalists_.size() > 1 && static_cast<double>(held) > most) {
      auto farthest =
          std::max_element(finalists_.begin(), finalists_.end(), [&](const waiting& a, const waiting& b) {
            return distance(result_.variants[a.place]) < distance(result_.variants[b.place]);
          });
      variant_result& line = result_.variants[farthest->place];
      for (auto& k : farthest->contestants)
        leave(k, line, "after the heats: no memory to wait for the final in");
      held -= line.bytes;
      finalists_.erase(farthest);
    }
  }

  // The leaders in turns, until what parts them is known.
  void run_final() {
    const timed_part part(final_);
    std::vector<const contestant_result*> asked = in_question();
    for (int round = 0; round < tuning.final_rounds && !asked.empty(); ++round) {
      say(fmt::format("final, round {}: {} kernels", round + 1, asked.size()));
      result_.final_rounds = round + 1;
      variant_result base;
      contest_.sample_baselines(tuning.final_samples, tuning.heat_warm_up, base);
      for (waiting& w : finalists_) {
        variant_result& line = result_.variants[w.place];
        line.base = base.base;
        for (auto& k : w.contestants) {
          if (!contains(asked, &line.contestants[k->line])) continue;
          if (is_over(1)) return;
          if (!sample(*k, tuning.final_samples, line)) k = nullptr;
        }
        std::erase(w.contestants, nullptr);
      }
      asked = in_question();
      if (asked.empty()) break;
      const auto distance_of = distances();
      for (waiting& w : finalists_) {
        variant_result& line = result_.variants[w.place];
        for (auto& k : w.contestants)
          if (contestant_result& mine = line.contestants[k->line]; !contains(asked, &mine))
            leave(k, line,
                  fmt::format("before round {} of the final at {:.2f} x the leader", round + 2,
                              distance_of(mine)));
        std::erase(w.contestants, nullptr);
      }
    }
    settle_conversions();
  }

  // Kernels of those ways that more samples could still move: not known to be behind, nor all to be level.
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
      for (const auto& one : w.contestants)
        if (&result_.variants[w.place].contestants[one->line] == &k) return true;
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
      if (!matters || is_given(variant_of(i)) || line.convert_seconds < 0.05 ||
          line.offset_bits != result_.offset_bits)
        continue;
      if (is_over(1) || spent() + 3 * line.convert_seconds > request_.seconds) continue;
      say(fmt::format("converting to {} again", line.label()));
      try {
        std::vector<double> seconds;
        timed_conversion<Backend, Offset, Value>(on_, matrix_, variant_of(i), 3,
                                                 std::numeric_limits<double>::infinity(), seconds);
        line.convert_seconds = summarize_samples(seconds).median;
      } catch (const error& problem) {
        if (problem.category() != failure::resources) throw;  // the first time stands
      } catch (const std::bad_alloc&) {
        continue;  // likewise
      }
    }
  }

  double converting_ = 0, checking_ = 0, heats_ = 0, final_ = 0;  // seconds

  Backend on_;
  csr<Offset, Value, view_on<Backend>> matrix_;
  const race_request& request_;
  const progress_text& progress_;
  double begin_;
  csr<Offset, Value, host> on_host_;
  kernel_contest<Backend, Value> contest_;
  matrix_result result_ = result_for(matrix_);
  std::vector<listed_kernel> kernels_ = all_kernels();
  std::vector<waiting> finalists_;
  std::array<regimes, 2> latest_base_;
  double baseline_at_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<format_variant> variants_of(format_kind format, const conversion_options& conversion) {
  std::vector<format_variant> all;
  const auto add = [&](const char* note) -> conversion_options& {
    return all.emplace_back(format_variant{.format = format, .note = note, .conversion = conversion})
        .conversion;
  };
  if (format == format_kind::ecsb) {
    add("coo").blocks.holding = ecsb_holding::coo;
    add("ell").blocks.holding = ecsb_holding::ell;
    add("hybrid").blocks.holding = ecsb_holding::hybrid;
  } else {
    add("");
    if (format == format_kind::sell) add("unsorted").sell.sigma = 1;  // the only one the vendor takes
  }
  return all;
}

double settled_seconds(std::vector<double> seconds) {
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  return summarize_samples(std::move(seconds)).median;
}

template <class Backend, class Offset, class Value>
matrix_result race(Backend on, csr<Offset, Value, view_on<Backend>> matrix, const race_request& request,
                   const progress_text& progress) {
  return racing<Backend, Offset, Value>(on, matrix, request, progress).run();
}

#define SPARSMITH_INSTANTIATE_RACE(B, O, V) \
  template matrix_result race<B, O, V>(B, csr<O, V, view_on<B>>, const race_request&, const progress_text&);
#define SPARSMITH_INSTANTIATE_RACES(B)                \
  SPARSMITH_INSTANTIATE_RACE(B, std::int32_t, float)  \
  SPARSMITH_INSTANTIATE_RACE(B, std::int32_t, double) \
  SPARSMITH_INSTANTIATE_RACE(B, std::int64_t, float)  \
  SPARSMITH_INSTANTIATE_RACE(B, std::int64_t, double)

SPARSMITH_INSTANTIATE_RACES(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE_RACES(cuda)
#endif

}  // namespace sparsmith
