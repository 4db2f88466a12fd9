#include "analyze/recommend/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <span>

namespace sparsmith {
namespace {

// Called in a handler. What one kernel cannot do is its refusal, in these words; a device that fails ends the
// race, and so does what nobody foresaw.
std::string refusal_in_flight() {
  try {
    throw;
  } catch (const error& problem) {
    if (problem.category() == failure::device) throw;
    return problem.what();
  } catch (const std::bad_alloc&) {
    return "out of memory";
  }
}

}  // namespace

template <class Backend, class Value>
kernel_contest<Backend, Value>::kernel_contest(Backend on, std::int64_t rows, std::int64_t cols,
                                               std::int64_t vectors, reference_functions reference,
                                               sampling_options sampling,
                                               std::function<void(const std::string&)> progress)
    : on_(capturable(on)),
      sampling_(std::move(sampling)),
      progress_(std::move(progress)),
      reference_(std::move(reference)),
      rows_(rows),
      cols_(cols),
      vectors_(vectors) {
  for (const operation op : plain_operations) poison(op);
}

// Made where it is first needed.
template <class Backend, class Value>
auto kernel_contest<Backend, Value>::side_of(operation op) -> side& {
  side& s = sides_[static_cast<std::size_t>(op)];
  if (s.made) return s;
  s.host_x = array<Value, host>(inputs_of(rows_, cols_, op) * vectors_);
  s.y = array<Value, space>(outputs_of(rows_, cols_, op) * vectors_);
  std::uint32_t state = 1;
  for (part& v : std::span(parts_of(s.host_x), static_cast<std::size_t>(parts * s.host_x.size()))) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<part>(state >> 8) * part(0x1p-23) - 1;
  }
  s.x = copy_to<space>(s.host_x, place::host);
  s.made = true;
  return s;
}

template <class Backend, class Value>
std::string kernel_contest<Backend, Value>::choose_baseline(const std::vector<bound_kernel<Value>>& all,
                                                            operation op) {
  std::string name;
  double fastest = std::numeric_limits<double>::infinity();
  // Ours only where none of the vendor's could run.
  for (const bool vendor : {true, false}) {
    if (!name.empty()) break;
    for (const bound_kernel<Value>& c : all) {
      if (c.info.vendor != vendor) continue;
      try {
        if (!c.why_not(op).empty()) continue;
        say(fmt::format("{} {}, a baseline", c.info.name, name_of(op)));
        contestant<Value> one{c.info, op, c.prepare(op), {}, {}};
        run_twice(one);
        if (!compare(one).wrong.empty()) continue;  // said where it is measured
        take(one, sampling_.samples_a_round(), sampling_.warm_up(true));
        const double seconds = summarized(one).headline();
        if (seconds >= fastest) continue;
        fastest = seconds;
        baseline_[static_cast<std::size_t>(op)] = std::move(one);
        name = c.info.name;
      } catch (const std::exception&) {
        refusal_in_flight();  // said where it is measured
      }
    }
  }
  return name;
}

template <class Backend, class Value>
std::unique_ptr<contestant<Value>> kernel_contest<Backend, Value>::enter(const bound_kernel<Value>& one,
                                                                         operation op,
                                                                         contestant_result& line) {
  try {
    line.not_run = one.why_not(op);  // which may look at the matrix, and take memory for that
    if (!line.not_run.empty()) return nullptr;
    (void)one.prepare(op);  // the first time pays for loading code
    synchronize(on_);
    const double start = seconds_now();
    auto ready =
        std::make_unique<contestant<Value>>(contestant<Value>{one.info, op, one.prepare(op), {}, {}});
    synchronize(on_);
    line.prepare_seconds = seconds_now() - start;
    line.prepared_bytes = ready->ready.bytes;
    line.single_seconds = run_twice(*ready);
    const comparison compared = compare(*ready);
    line.wrong = compared.wrong;
    line.error = compared.error;
    return line.wrong.empty() ? std::move(ready) : nullptr;
  } catch (const std::exception&) {
    line.not_run = refusal_in_flight();
  }
  return nullptr;
}

template <class Backend, class Value>
bool kernel_contest<Backend, Value>::sample(contestant<Value>& one, int samples, double warm_up_seconds,
                                            contestant_result& line) {
  try {
    poison(one.op);
    take(one, samples, warm_up_seconds);
    line.time = summarized(one);
    // What the timed runs left must be right as well.
    const comparison compared = compare(one);
    line.wrong = compared.wrong;
    line.error = std::max(line.error, compared.error);
    return line.wrong.empty();
  } catch (const std::exception&) {
    line.not_run = refusal_in_flight();
    return false;
  }
}

template <class Backend, class Value>
base_times kernel_contest<Backend, Value>::sample_baselines(int samples, double warm_up_seconds) {
  for (contestant<Value>& base : baseline_) {
    if (!base.ready.run) continue;
    try {
      take(base, samples, warm_up_seconds);
    } catch (const std::exception&) {
      // Beside this variant there is no memory for it: the variant's kernels are timed without one.
      refusal_in_flight();
      base.warm.clear(), base.cold.clear();
    }
  }
  take_nothing(samples);
  base_times all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = summarized(baseline_[i]);
  return all;
}

template <class Backend, class Value>
void kernel_contest<Backend, Value>::take_nothing(int samples) {
  constexpr int at_first = 15;  // fewer have no percentiles
  measure_options how;
  how.samples = nothing_.empty() ? at_first : samples;
  how.warm_up_calls = 3;
  how.warm_up_seconds = 0;
  how.cold = !sampling_.by_warm && !sampling_.warm_only;
  try {
    const std::vector<double> more = take_samples(
        on_, [&] { start_nothing(on_); }, how);
    nothing_.insert(nothing_.end(), more.begin(), more.end());
  } catch (const std::exception&) {
    refusal_in_flight();  // no memory to replace caches with: what there is has to do
  }
}

template <class Backend, class Value>
double kernel_contest<Backend, Value>::clock_seconds() const {
  const timing spread = summarize_samples(nothing_);
  return spread.p90 - spread.p10;
}

template <class Backend, class Value>
void kernel_contest<Backend, Value>::restart_baselines() {
  for (contestant<Value>& base : baseline_) base.warm.clear(), base.cold.clear();
}

template <class Backend, class Value>
void kernel_contest<Backend, Value>::say(const std::string& text) const {
  if (progress_) progress_(text);
}

template <class Backend, class Value>
void kernel_contest<Backend, Value>::poison(operation op) {
  side& s = side_of(op);
  poison_outputs(on_, parts_of(s.y), parts * s.y.size());
}

// Twice: a kernel must not live on what the first run left. Gives the seconds of the second; a short one runs
// a few times more, and the least counts: a thread that just then had no core is not what the kernel takes,
// nor may it be why the kernel leaves the race. A long one runs no more often than that.
template <class Backend, class Value>
double kernel_contest<Backend, Value>::run_twice(contestant<Value>& one) {
  side& s = side_of(one.op);
  poison(one.op);
  constexpr double short_seconds = 0.01;  // more than a turn of another on the core
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2 || (i < 5 && least < short_seconds); ++i) {
    const double start = seconds_now();
    one.ready.run(Value{1}, s.x.data(), Value{0}, s.y.data());
    synchronize(on_);
    if (i > 0) least = std::min(least, seconds_now() - start);
  }
  return least;
}

// The product is made once, and the bounds once for every number of neighbours; both stay where they are
// needed.
template <class Backend, class Value>
auto kernel_contest<Backend, Value>::bounds_of(operation op, std::int32_t neighbours)
    -> const array<double, space>& {
  side& s = side_of(op);
  if (s.plain == nullptr) {
    auto made = std::make_unique<reference_product>(reference_.product(op, s.host_x));
    s.expected = copy_to<space>(made->y, place::host);
    s.plain = std::move(made);
  }
  auto known = s.bounds.find(neighbours);
  if (known == s.bounds.end()) {
    reference_product widened{{}, copy_to<host>(s.plain->bound, place::host)};
    if (neighbours > 0) reference_.widen(op, s.host_x, neighbours, widened);
    known = s.bounds.emplace(neighbours, copy_to<space>(widened.bound, place::host)).first;
  }
  return known->second;
}

template <class Backend, class Value>
typename kernel_contest<Backend, Value>::comparison kernel_contest<Backend, Value>::compare(
    const contestant<Value>& one) {
  const array<double, space>& bounds = bounds_of(one.op, one.info.rounding_neighbours);
  side& s = side_of(one.op);
  const reference_comparison found = compare_outputs(on_, static_cast<const part*>(parts_of(s.y)),
                                                     s.expected.data(), bounds.data(), parts * s.y.size());
  comparison result{{}, found.error};
  if (found.wrong > 0) {
    part wrong{};
    double bound = 0;
    copy_bytes(place::host, &wrong, space::where, parts_of(s.y) + found.first, sizeof wrong);
    copy_bytes(place::host, &bound, space::where, bounds.data() + found.first, sizeof bound);
    result.wrong =
        fmt::format("{} of {} outputs{}, first y[{}]{} = {:.9g} instead of {:.9g} (bound {:.2g})",
                    found.wrong, parts * s.y.size(), parts == 2 ? "' parts" : "", found.first / parts,
                    parts == 1             ? ""
                    : found.first % 2 == 0 ? ", its real part,"
                                           : ", its imaginary part,",
                    static_cast<double>(wrong), s.plain->y[found.first], bound);
  }
  return result;
}

template <class Backend, class Value>
void kernel_contest<Backend, Value>::take(contestant<Value>& one, int samples, double warm_up_seconds) {
  side& s = side_of(one.op);
  const auto work = [&] { one.ready.run(Value{1}, s.x.data(), Value{0}, s.y.data()); };
  measure_options how;
  how.samples = samples;
  how.warm_up_seconds = warm_up_seconds;
  how.disturbed = &disturbed_;
  taken_ += samples * (sampling_.warm_only ? 1 : 2);
  if (warm_up_seconds < 0.01) how.warm_up_calls = 3;
  const auto append = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(one.warm, take_samples(on_, work, how));
  if (sampling_.warm_only) return;
  if (cold_memory_ == nullptr) cold_memory_ = hold_cold_memory(on_);
  how.cold = true;
  how.warm_up_calls = warm_up_seconds < 0.01 ? 0 : 2;
  how.warm_up_seconds = 0;
  append(one.cold, take_samples(on_, work, how));
}

template <class Backend, class Value>
regimes kernel_contest<Backend, Value>::summarized(const contestant<Value>& one) {
  return {summarize_samples(one.warm), summarize_samples(one.cold)};
}

template class kernel_contest<openmp, float>;
template class kernel_contest<openmp, double>;
template class kernel_contest<openmp, complex64>;
template class kernel_contest<openmp, complex128>;
#if SPARSMITH_HAS_CUDA
template class kernel_contest<cuda, float>;
template class kernel_contest<cuda, double>;
template class kernel_contest<cuda, complex64>;
template class kernel_contest<cuda, complex128>;
#endif

}  // namespace sparsmith
