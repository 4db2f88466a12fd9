#include "analyze/recommend/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analyze/recommend/machine_cache.hpp"
#include "analyze/recommend/model.hpp"
#include "analyze/recommend/race.hpp"
#include "kernels/registry.hpp"

namespace sparsmith {
namespace {

// Seconds of each step so far.
class step_clock {
 public:
  explicit step_clock(std::vector<step_time>& steps) : steps_(steps) {}
  void end(const char* name) {
    const double now = seconds_now();
    steps_.push_back({name, now - since_});
    since_ = now;
  }

 private:
  std::vector<step_time>& steps_;
  double since_ = seconds_now();
};

// What the model says of every entry of a field.
class forecast {
 public:
  forecast(const recommend_request& request, const model_matrix& matrix, bool symmetric)
      : rates_(request.rates),
        backend_(request.machine.backend),
        matrix_(matrix),
        wanted_(request.wanted),
        symmetric_(symmetric) {}

  // Of several vectors nothing was fitted: what comes once, and what every vector adds to it.
  prediction of(const priced_variant& e, const kernel_info& kernel, operation op) const {
    const prediction one = predict(rates_, backend_, kernel, op, matrix_, e.cost, e.variant.of_transpose);
    const auto vectors = static_cast<double>(wanted_.vectors.count);
    if (vectors == 1) return one;
    prediction all;
    const auto of_regime = [&](const model_terms& parts, model_terms& own, double& sum) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool once = kernel.many_vectors && (term_names[i] == std::string_view("arrays") ||
                                                  term_names[i] == std::string_view("launches"));
        own[i] = parts[i] * (once ? 1 : vectors);
        sum += own[i];
      }
    };
    of_regime(one.warm_parts, all.warm_parts, all.warm);
    of_regime(one.cold_parts, all.cold_parts, all.cold);
    return all;
  }
  std::string why_not(const priced_variant& e, const kernel_info& kernel, operation op) const {
    return why_not_expected(kernel, op, matrix_, e.cost, e.variant.of_transpose);
  }
  kernel_work work(const priced_variant& e, const kernel_info& kernel, operation op) const {
    kernel_work done = work_of(backend_, kernel, op, matrix_, e.cost, e.variant.of_transpose);
    const auto vectors = static_cast<double>(wanted_.vectors.count);
    const double arrays = kernel.many_vectors ? static_cast<double>(e.cost.bytes) * (vectors - 1) : 0;
    done.bytes = done.bytes * vectors - arrays;
    done.atomics *= vectors;
    if (!kernel.many_vectors) done.launches *= vectors;
    return done;
  }
  double conversion(const priced_variant& e) const {
    return predict_conversion(rates_, backend_, matrix_, e.cost, e.variant.of_transpose);
  }

  // Of a product in the proportions that are wanted, with the best kernels; 0 where nothing is known.
  double seconds(const priced_variant& e, const std::vector<listed_kernel>& kernels) const {
    double sum = 0;
    for (const operation op : plain_operations)
      if (wanted_.asks_for(op))
        sum += wanted_.weight(op) * best_for(e, kernels, symmetric_ ? operation::multiply : op);
    if (!wanted_.one_pass) return sum;
    const double once = best_for(e, kernels, *wanted_.one_pass);
    return once > 0 && (sum == 0 || once < sum) ? once : sum;
  }

 private:
  double best_for(const priced_variant& e, const std::vector<listed_kernel>& kernels, operation op) const {
    double best = 0;
    for (const listed_kernel& k : kernels) {
      if (k.format != e.variant.format || k.backend != backend_ || !e.variant.admits(k.info) ||
          !why_not(e, k.info, op).empty())
        continue;
      const prediction p = of(e, k.info, op);
      const double here = wanted_.warm ? p.warm : p.cold;
      if (here > 0 && (best == 0 || here < best)) best = here;
    }
    return best;
  }

  const machine_rates& rates_;
  const std::string& backend_;
  const model_matrix& matrix_;
  const objective& wanted_;
  bool symmetric_;  // A x is A^T x
};

// Values and all: then A^T x is A x.
bool equals_transpose(const matrix_features& features) {
  return features.rows == features.cols && features.has_values &&
         features.symmetry.values == features.symmetry.off_diagonal;
}

// Why kernels cannot be raced on complex values as they were asked for; nothing where they can.
void require_complex_kernels(const field_request& asked, const std::vector<listed_kernel>& kernels) {
  std::vector<std::string> known;
  for (const listed_kernel& k : kernels)
    if (k.backend == asked.backend) known.emplace_back(k.info.name);
  if (known.empty())
    throw error(failure::unsupported,
                fmt::format("the values are complex, and no kernel for {} multiplies those", asked.backend));
  const auto is_known = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  if (!asked.kernels.empty() && std::none_of(asked.kernels.begin(), asked.kernels.end(), is_known))
    throw error(failure::unsupported,
                fmt::format("the values are complex, and none of {} multiplies those; these do: {}",
                            fmt::join(asked.kernels, ", "), fmt::join(known, ", ")));
}

// What stands for a matrix where its structure is looked at: itself, or of complex values their numbers.
template <class Backend, class Offset, class Value>
class real_matrix {
 public:
  static constexpr bool in_numbers = is_complex<Value>;
  using value = std::conditional_t<in_numbers, double, Value>;
  using view = csr<Offset, value, view_on<Backend>>;

  real_matrix(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix) {
    if constexpr (in_numbers) {
      numbers_ = array<double, space_on<Backend>>(matrix.values.size());
      number_values(on, matrix.values, 0, numbers_.data());
      view_ = {matrix.rows, matrix.cols, matrix.row_offsets, matrix.col_indices, numbers_};
    } else {
      view_ = matrix;
    }
  }
  const view& operator*() const { return view_; }

 private:
  array<double, space_on<Backend>> numbers_;
  view view_;
};

// CSR first, which is there; then by what is expected, those of which nothing is known last; and whoever
// depends on another one behind all that do not.
std::vector<priced_variant> ordered(std::vector<priced_variant> field, const forecast& expected,
                                    const std::vector<listed_kernel>& kernels) {
  std::vector<double> score(field.size());
  std::vector<int> depth(field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    const double seconds = expected.seconds(field[i], kernels);
    score[i] = field[i].variant.format == format_kind::csr ? -1 : seconds > 0 ? seconds : 1e9;
    depth[i] = field[i].after < 0 ? 0 : depth[static_cast<std::size_t>(field[i].after)] + 1;
  }
  std::vector<std::size_t> order(field.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return depth[a] != depth[b] ? depth[a] < depth[b] : score[a] < score[b];
  });
  std::vector<int> place(field.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  std::vector<priced_variant> result;
  for (const std::size_t i : order) {
    result.push_back(std::move(field[i]));
    if (int& after = result.back().after; after >= 0) after = place[static_cast<std::size_t>(after)];
  }
  return result;
}

// Leaves CSR and so many others that may be taken, those with the least expected seconds. A copy of A^T is no
// way of its own, and takes no part.
void keep_first(std::vector<priced_variant>& field, int top, const forecast& expected,
                const std::vector<listed_kernel>& kernels) {
  std::vector<std::pair<double, std::size_t>> others;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const priced_variant& e = field[i];
    if (!e.left_out.empty() || (e.variant.format == format_kind::csr && !e.variant.of_transpose)) continue;
    const double seconds = expected.seconds(e, kernels);
    others.emplace_back(!e.variant.of_transpose && seconds > 0 ? seconds : 1e9, i);
  }
  std::sort(others.begin(), others.end());
  for (std::size_t place = 0; place < others.size(); ++place) {
    priced_variant& e = field[others[place].second];
    e.after = -1;  // whom it steps from may be gone
    if (place >= static_cast<std::size_t>(top) || others[place].first >= 1e9)
      e.left_out = fmt::format("not among the {} that the model puts first", top);
  }
}

// A line for everybody, with what is expected of them and nothing else.
void predict_lines(const recommend_request& request, const std::vector<operation>& operations,
                   const std::vector<priced_variant>& field, const forecast& expected,
                   const std::vector<listed_kernel>& kernels, matrix_result& found) {
  found.predicted = true;
  found.clock_seconds =
      0.5 * request.rates.launch_seconds;  // no more is known of what starting a product takes
  for (const priced_variant& e : field) {
    variant_result& line = found.variants.emplace_back(line_for(e.variant));
    line.refused = e.left_out;
    line.bytes = e.cost.bytes;
    line.slots = e.cost.slots;
    line.expected_convert_seconds = expected.conversion(e);
    if (!line.refused.empty()) continue;
    for (const operation op : operations) {
      if (!e.variant.asks_for(op)) continue;
      for (const listed_kernel& k : kernels) {
        if (k.format != e.variant.format || k.backend != request.machine.backend) continue;
        if (!e.variant.admits(k.info) || !has_line(k.info, op)) continue;
        contestant_result& mine = line.contestants.emplace_back();
        mine.info = k.info;
        mine.op = op;
        mine.not_run = expected.why_not(e, k.info, op);
        if (!mine.not_run.empty()) continue;
        mine.expected = expected.of(e, k.info, op);
        mine.work = expected.work(e, k.info, op);
      }
    }
  }
}

}  // namespace

double automatic_budget(const std::string& backend, std::int64_t entries) {
  const double millions = static_cast<double>(entries) / 1e6;
  return backend == cuda::name ? std::min(2 + 0.5 * millions, 15.0) : std::min(1.5 + 5 * millions, 120.0);
}

template <class Backend, class Offset, class Value>
recommendation recommend(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                         const recommend_request& asked_for, const progress_text& progress) {
  const auto say = [&](const char* text) {
    if (progress) progress(text);
  };
  recommend_request request = asked_for;
  double began = request.began.value_or(seconds_now());
  if (request.machine.backend.empty()) {
    say("what this machine can do");
    const double asked = seconds_now();
    const known_machine machine = know_machine(on, false);
    began += seconds_now() - asked;  // it is measured once a machine, and not for this matrix
    request.machine = machine.description;
    request.rates = machine.rates;
    request.noisy_rates = machine.noisy;
  }
  const std::vector<listed_kernel> kernels = all_kernels(is_complex<Value>);
  recommendation told;
  told.machine = request.machine;
  told.rates = request.rates;
  told.wanted = request.wanted;
  told.exhaustive = request.exhaustive;
  if (!request.exhaustive)
    told.budget_seconds =
        request.budget > 0
            ? request.budget
            : automatic_budget(Backend::name, matrix.values.size() * request.wanted.vectors.count);
  told.steps.push_back({"reading", seconds_now() - began});
  step_clock clock(told.steps);

  say("features");
  feature_request wanted;
  wanted.grid_rows = wanted.grid_cols = 64;
  // No kernel's time follows from these.
  wanted.values = false;
  wanted.most_entries_for_graphs = -1;
  // Far more rows and columns than entries: only vectors, and formats that need it, take memory for them.
  using looked_at = real_matrix<Backend, Offset, Value>;
  const looked_at real(on, matrix);
  std::optional<hypersparse<Offset, typename looked_at::value>> entries_alone;
  if (is_hypersparse(matrix.rows, matrix.cols, matrix.values.size()))
    entries_alone = hypersparse_of(on, *real);
  const auto ask = [&](const auto& of) { return entries_alone ? of(*entries_alone) : of(*real); };
  if constexpr (is_complex<Value>)
    told.features = features_of_complex(on, matrix, wanted);
  else
    told.features = ask([&](const auto& m) { return features_of(on, m, wanted, nullptr); });
  clock.end("features");

  say("variants");
  field_request asked = request.field;
  asked.backend = request.machine.backend;
  if constexpr (is_complex<Value>) {
    asked.complex_bytes = sizeof(Value);
    require_complex_kernels(asked, kernels);
  }
  asked.our_copies = request.exhaustive || request.wanted.asks_for_both();
  asked.history = request.exhaustive;
  asked.symmetric = !request.as_general && equals_transpose(told.features);
  std::erase_if(asked.operations, [&](operation op) { return !request.wanted.asks_for(op); });
  if (asked.symmetric) asked.operations = {operation::multiply};
  if (request.wanted.one_pass) asked.operations.push_back(*request.wanted.one_pass);
  // Where the analysis alone took what most of the race was to have, there is time for CSR and no other.
  const bool late = !request.predict && !request.exhaustive && asked.formats.empty() &&
                    seconds_now() - began > 0.5 * told.budget_seconds;
  if (late) asked.formats = {format_kind::csr};
  std::vector<priced_variant> field =
      ask([&](const auto& m) { return field_of(on, m, told.features, asked); });
  clock.end("variants");

  say("prediction");
  const std::int64_t sell_slots = ask([&](const auto& m) {
    return count_sell_slots(on, pattern_of(m), {32, 1});
  });
  const model_matrix known = model_matrix_of(told.features, sell_slots, int{sizeof(Value)});
  const forecast expected(request, known, asked.symmetric);
  // Nothing complex was fitted, nor several vectors: what is known of bytes and of additions has to do.
  if (!is_complex<Value> && request.wanted.vectors.count == 1)
    told.model = record_of(request.machine.backend, known, request.wanted);
  field = ordered(std::move(field), expected, kernels);
  told.top = request.top;
  if (request.top > 0) keep_first(field, request.top, expected, kernels);
  clock.end("prediction");

  matrix_result& found = told.found;
  if (request.predict) {
    found = result_for(matrix);
    found.symmetric = asked.symmetric;
    predict_lines(request, asked.operations, field, expected, kernels, found);
  } else {
    race_request run;
    for (const priced_variant& e : field) {
      racing_variant& one = run.field.emplace_back();
      one.variant = e.variant;
      one.left_out = e.left_out;
      one.after = e.after;
      one.convert_seconds = expected.conversion(e);
      one.bytes = e.cost.bytes;
      // Of several vectors, which the model was not fitted to, it says who starts first, and keeps nobody
      // out.
      if (request.wanted.vectors.count == 1)
        one.expected = [&expected, &e](const kernel_info& k, operation op) { return expected.of(e, k, op); };
      one.work = [&expected, &e](const kernel_info& k, operation op) { return expected.work(e, k, op); };
    }
    run.operations = asked.operations;
    run.symmetric = asked.symmetric;
    // The device is warm from one contestant to the next.
    run.sampling = {.samples = request.samples,
                    .warm_only = request.exhaustive && request.warm_only,
                    .warm_up_seconds = 0.02,
                    .interrupted = request.interrupted};
    run.for_verdict = !request.exhaustive;
    run.wanted = request.wanted;
    if (!request.exhaustive) run.seconds = told.budget_seconds - (seconds_now() - began);
    found = race<Backend, Offset, Value>(on, matrix, run, progress);
    found.out_of_time = found.out_of_time || late;
    told.steps.insert(told.steps.end(), found.steps.begin(), found.steps.end());
  }
  for (const std::string& cause : request.noisy_rates)
    found.noisy.push_back("what this machine can do was measured while " + cause);
  told.seconds = seconds_now() - began;
  return told;
}

#define SPARSMITH_INSTANTIATE_RECOMMEND(B, O, V)                                                 \
  template recommendation recommend<B, O, V>(B, csr<O, V, view_on<B>>, const recommend_request&, \
                                             const progress_text&);
#define SPARSMITH_INSTANTIATE_RECOMMENDS(B)                    \
  SPARSMITH_INSTANTIATE_RECOMMEND(B, std::int32_t, float)      \
  SPARSMITH_INSTANTIATE_RECOMMEND(B, std::int32_t, double)     \
  SPARSMITH_INSTANTIATE_RECOMMEND(B, std::int64_t, float)      \
  SPARSMITH_INSTANTIATE_RECOMMEND(B, std::int64_t, double)     \
  SPARSMITH_INSTANTIATE_RECOMMEND(B, std::int32_t, complex64)  \
  SPARSMITH_INSTANTIATE_RECOMMEND(B, std::int32_t, complex128) \
  SPARSMITH_INSTANTIATE_RECOMMEND(B, std::int64_t, complex64)  \
  SPARSMITH_INSTANTIATE_RECOMMEND(B, std::int64_t, complex128)

SPARSMITH_INSTANTIATE_RECOMMENDS(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE_RECOMMENDS(cuda)
#endif

}  // namespace sparsmith
