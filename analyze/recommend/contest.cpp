#include "analyze/recommend/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sparsmith {
namespace {

// Called in a handler. Too little memory is one kernel's refusal; whatever else goes wrong ends the race.
void rethrow_unless_resources(const error& problem) {
  if (problem.category() != failure::resources) throw;
}

}  // namespace

template <class Backend, class Value>
kernel_contest<Backend, Value>::kernel_contest(Backend on, std::int64_t rows, std::int64_t cols,
                                               reference_function reference, sampling_options sampling,
                                               progress_text progress)
    : on_(capturable(on)),
      sampling_(sampling),
      progress_(std::move(progress)),
      reference_(std::move(reference)) {
  for (const operation op : both_operations) {
    side& s = side_of(op);
    s.host_x = array<Value, host>(op == operation::multiply ? cols : rows);
    s.poison = array<Value, host>(op == operation::multiply ? rows : cols);
    std::uint32_t state = 1;
    for (Value& v : s.host_x) {
      state = state * 1664525u + 1013904223u;
      v = static_cast<Value>(state >> 8) * Value(0x1p-23) - 1;
    }
    std::fill(s.poison.begin(), s.poison.end(), std::numeric_limits<Value>::quiet_NaN());
    s.x = copy_to<space>(s.host_x, place::host);
    s.y = copy_to<space>(s.poison, place::host);
  }
}

template <class Backend, class Value>
std::string kernel_contest<Backend, Value>::choose_baseline(const std::vector<candidate<Value>>& all,
                                                            operation op) {
  std::string name;
  double fastest = std::numeric_limits<double>::infinity();
  // Ours only where none of the vendor's could run.
  for (const bool vendor : {true, false}) {
    if (!name.empty()) break;
    for (const candidate<Value>& c : all) {
      if (c.info.vendor != vendor) continue;
      try {
        if (!c.why_not(op).empty()) continue;
        say(fmt::format("{} {}, a baseline", c.info.name, name_of(op)));
        contestant one{c.info, op, c.prepare(op), {}, {}};
        if (!check(one).empty()) continue;  // said where it is measured
        sample(one, true);
        const double seconds = summarized(one).headline();
        if (seconds >= fastest) continue;
        fastest = seconds;
        baseline_[static_cast<std::size_t>(op)] = std::move(one);
        name = c.info.name;
      } catch (const error& problem) {
        rethrow_unless_resources(problem);
      }
    }
  }
  return name;
}

template <class Backend, class Value>
void kernel_contest<Backend, Value>::run(const std::vector<candidate<Value>>& all,
                                         const std::vector<operation>& operations, format_result& result) {
  std::vector<contestant> field;
  std::vector<std::size_t> places;  // of the contestants in result.kernels
  for (const operation op : operations)
    for (const candidate<Value>& c : all) {
      say(fmt::format("{} {}", c.info.name, name_of(op)));
      kernel_result line{c.info, op, {}, {}, {}, 0, 0};
      try {
        line.not_run = c.why_not(op);  // which may look at the matrix, and take memory for that
        if (line.not_run.empty()) {
          (void)c.prepare(op);  // the first time pays for loading code
          synchronize(on_);
          const double start = seconds_now();
          contestant one{c.info, op, c.prepare(op), {}, {}};
          synchronize(on_);
          line.prepare_seconds = seconds_now() - start;
          line.prepared_bytes = one.ready.bytes;
          line.wrong = check(one);
          if (line.wrong.empty()) {
            field.push_back(std::move(one));
            places.push_back(result.kernels.size());
          }
        }
      } catch (const error& problem) {
        rethrow_unless_resources(problem);
        line.not_run = problem.what();
      }
      result.kernels.push_back(std::move(line));
    }
  if (field.empty()) return;

  for (contestant& base : baseline_) base.warm.clear(), base.cold.clear();
  for (int round = 0; round < rounds(); ++round) {
    for (contestant& base : baseline_) {
      if (!base.ready.run) continue;
      try {
        sample(base, round == 0);
      } catch (const error& problem) {
        // Beside this format there is no memory for it: the format's kernels are timed without one.
        rethrow_unless_resources(problem);
        base.warm.clear(), base.cold.clear();
        break;
      }
    }
    for (std::size_t i = 0; i < field.size(); ++i) {
      contestant& one = field[i];
      kernel_result& line = result.kernels[places[i]];
      if (!line.not_run.empty()) continue;
      say(fmt::format("{} {}, round {} of {}", one.info.name, name_of(one.op), round + 1, rounds()));
      poison(one.op);
      try {
        sample(one, round == 0);
      } catch (const error& problem) {
        rethrow_unless_resources(problem);
        line.not_run = problem.what();
        one.ready = {};  // the others may need its memory
        continue;
      }
      // What the timed runs left must be right as well.
      if (line.wrong.empty()) line.wrong = compare(one);
    }
  }
  for (const operation op : both_operations)
    result.base[static_cast<std::size_t>(op)] = summarized(baseline_[static_cast<std::size_t>(op)]);
  for (std::size_t i = 0; i < field.size(); ++i) result.kernels[places[i]].time = summarized(field[i]);
}

template <class Backend, class Value>
int kernel_contest<Backend, Value>::rounds() const {
  return std::min(3, sampling_.samples);
}

template <class Backend, class Value>
void kernel_contest<Backend, Value>::say(const std::string& text) const {
  if (progress_) progress_(text);
}

template <class Backend, class Value>
void kernel_contest<Backend, Value>::poison(operation op) {
  side& s = side_of(op);
  copy_bytes(space::where, s.y.data(), place::host, s.poison.data(),
             s.y.size() * std::int64_t{sizeof(Value)});
}

// Runs twice: a kernel must not live on what the first run left.
template <class Backend, class Value>
std::string kernel_contest<Backend, Value>::check(contestant& one) {
  side& s = side_of(one.op);
  poison(one.op);
  for (int i = 0; i < 2; ++i) one.ready.run(Value{1}, s.x.data(), Value{0}, s.y.data());
  synchronize(on_);
  return compare(one);
}

template <class Backend, class Value>
std::string kernel_contest<Backend, Value>::compare(const contestant& one) {
  side& s = side_of(one.op);
  const std::int32_t neighbours = one.info.rounding_neighbours;
  auto known = s.expected.find(neighbours);
  if (known == s.expected.end())
    known = s.expected.emplace(neighbours, reference_(one.op, s.host_x, neighbours)).first;
  const reference_product& expected = known->second;
  const array<Value, host> y = copy_to<host>(s.y, space::where);
  std::int64_t wrong = 0, first = 0;
  for (std::int64_t i = 0; i < y.size(); ++i)
    if (!within(static_cast<double>(y[i]), expected.y[i], expected.bound[i]) && wrong++ == 0) first = i;
  if (wrong == 0) return {};
  return fmt::format("{} of {} outputs, first y[{}] = {:.9g} instead of {:.9g} (bound {:.2g})", wrong,
                     y.size(), first, static_cast<double>(y[first]), expected.y[first],
                     expected.bound[first]);
}

// One round's samples. The first round warms up in full; later ones find the device busy and only the caches
// to fill. Fewer samples ask for a quick look and warm up less.
template <class Backend, class Value>
void kernel_contest<Backend, Value>::sample(contestant& one, bool first_round) {
  side& s = side_of(one.op);
  const auto work = [&] { one.ready.run(Value{1}, s.x.data(), Value{0}, s.y.data()); };
  measure_options how;
  how.samples = (sampling_.samples + rounds() - 1) / rounds();
  how.warm_up_seconds = 0.1 * std::min(1.0, sampling_.samples / 30.0) * (first_round ? 1.0 : 0.2);
  const auto append = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(one.warm, take_samples(on_, work, how));
  if (sampling_.warm_only) return;
  how.cold = true;
  how.warm_up_calls = 2;
  how.warm_up_seconds = 0;
  append(one.cold, take_samples(on_, work, how));
}

template <class Backend, class Value>
regimes kernel_contest<Backend, Value>::summarized(const contestant& one) {
  return {summarize_samples(one.warm), summarize_samples(one.cold)};
}

template class kernel_contest<openmp, float>;
template class kernel_contest<openmp, double>;
#if SPARSMITH_HAS_CUDA
template class kernel_contest<cuda, float>;
template class kernel_contest<cuda, double>;
#endif

}  // namespace sparsmith
