#include "analyze/recommend/race.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <stdexcept>

#include "analyze/recommend/contest.hpp"
#include "analyze/recommend/noise.hpp"

namespace sparsmith {
namespace {

// A kernel of a matrix that stores A^T: what it calls A x is A^T x for whoever stored A.
template <class Value>
bound_kernel<Value> turned(const bound_kernel<Value>& stored) {
  return {turned(stored.info), [stored](operation op) { return stored.why_not(turned(op)); },
          [stored](operation op) { return stored.prepare(turned(op)); }};
}

template <class Space, class Offset>
array<std::int64_t, Space> widened(const array_in<Offset, view_of<Space>>& offsets) {
  const array<Offset, host> narrow = copy_to<host>(offsets, Space::where);
  array<std::int64_t, host> wide(narrow.size());
  std::copy(narrow.begin(), narrow.end(), wide.begin());
  return copy_to<Space>(wide, place::host);
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
    Backend on, const csr<Offset, Value, view_on<Backend>>& matrix, const format_variant& variant,
    conversion_effort effort, std::vector<double>& seconds) {
  any_format<Offset, Value, space_on<Backend>> converted;
  const double begin = seconds_now();
  do {
    converted = {};  // never two at once
    synchronize(on);
    const double start = seconds_now();
    converted = convert<Backend, Offset, Value>(on, matrix, variant);
    synchronize(on);
    seconds.push_back(seconds_now() - start);
  } while (static_cast<int>(seconds.size()) < effort.most && seconds_now() - begin < effort.short_seconds);
  return converted;
}

// A copy on the host. New pages are taken by all threads at once: a single one would take longer for a large
// matrix than copying it does.
template <class T, class View>
array<T, host> on_host(const View& source) {
  array<T, host> copy(source.size());
  const std::int64_t bytes = copy.size() * std::int64_t{sizeof(T)};
  auto* const first = reinterpret_cast<volatile char*>(copy.data());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < bytes; i += 4096) first[i] = 0;
  copy_bytes(place::host, copy.data(), place::device, source.data(), bytes);
  return copy;
}

// The matrix where the host can read it: on a CPU it is already.
template <class Offset, class Value, class View>
class host_matrix {
 public:
  explicit host_matrix(const csr<Offset, Value, View>& matrix) {
    if constexpr (View::where == place::host) {
      view_ = matrix;
    } else {
      copy_ = {matrix.rows, matrix.cols, on_host<Offset>(matrix.row_offsets),
               on_host<std::int32_t>(matrix.col_indices), on_host<Value>(matrix.values)};
      view_ = view(copy_);
    }
  }
  const csr<Offset, Value, view_of<host>>& operator*() const { return view_; }

 private:
  csr<Offset, Value, host> copy_;
  csr<Offset, Value, view_of<host>> view_;
};

template <class Value, class Host>
reference_product complex_parts_of_reference(const Host& matrix, operation op, const array<Value, host>& x) {
  const complex_reference known = multiply_complex_reference(*matrix, op, Value{1}, x.data(), Value{0},
                                                             static_cast<const Value*>(nullptr));
  const std::int64_t count = known.y.size();
  reference_product parts{array<double, host>(2 * count), array<double, host>(2 * count)};
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    parts.y[2 * i] = known.y[i].real;
    parts.y[2 * i + 1] = known.y[i].imaginary;
    parts.bound[2 * i] = parts.bound[2 * i + 1] = known.bound[i];
  }
  return parts;
}

// A kernel of several vectors as one whose x and y are all of them, without room between. A backend without
// code for several takes them one after the other.
template <class Value>
bound_kernel<Value> for_vectors(const bound_kernel<Value>& one, vector_layout as, std::int64_t rows,
                                std::int64_t cols) {
  if (as.count == 1) return one;
  const bool in_turns = !one.prepare_many;
  const auto why_not = [one, as, in_turns](operation op) -> std::string {
    if (std::string why = one.why_not(op); !why.empty()) return why;
    return in_turns && as.by_rows ? "it takes one vector after the other, by columns" : "";
  };
  const auto prepare = [one, as, in_turns, rows, cols](operation op) {
    const std::int64_t in = inputs_of(rows, cols, op), out = outputs_of(rows, cols, op);
    prepared_kernel<Value> ready;
    if (in_turns) {
      prepared_kernel<Value> single = one.prepare(op);
      ready.bytes = single.bytes;
      ready.run = [=, run = std::move(single.run)](Value alpha, const Value* x, Value beta, Value* y) {
        for (std::int64_t v = 0; v < as.count; ++v) run(alpha, x + v * in, beta, y + v * out);
      };
    } else {
      prepared_many<Value> many = one.prepare_many(op, as);
      ready.bytes = many.bytes;
      ready.run = [=, run = std::move(many.run)](Value alpha, const Value* x, Value beta, Value* y) {
        run(alpha, x, as.by_rows ? as.count : in, beta, y, as.by_rows ? as.count : out);
      };
    }
    return ready;
  };
  return {one.info, why_not, prepare};
}
template <class Value>
std::vector<bound_kernel<Value>> for_vectors(std::vector<bound_kernel<Value>> all, vector_layout as,
                                             std::int64_t rows, std::int64_t cols) {
  for (bound_kernel<Value>& one : all) one = for_vectors(one, as, rows, cols);
  return all;
}

// The reference of several vectors, from that of one of them: they are taken out, and what is right for each
// is put where its outputs are.
template <class Value, class Single>
reference_product reference_of_vectors(const Single& single, const array<Value, host>& x, vector_layout as,
                                       std::int64_t inputs, std::int64_t outputs) {
  if (as.count == 1) return single(x);
  const auto at = [&](std::int64_t vector, std::int64_t i, std::int64_t length) {
    return as.by_rows ? i * as.count + vector : vector * length + i;
  };
  reference_product all;
  array<Value, host> own(inputs);
  for (std::int64_t v = 0; v < as.count; ++v) {
    for (std::int64_t i = 0; i < inputs; ++i) own[i] = x[at(v, i, inputs)];
    const reference_product one = single(own);
    // Of complex values an output has two numbers.
    const std::int64_t numbers = outputs == 0 ? 0 : one.bound.size() / outputs;
    if (v == 0) {
      all.y = array<double, host>(one.y.size() * as.count);
      all.bound = array<double, host>(one.bound.size() * as.count);
    }
    for (std::int64_t i = 0; i < outputs; ++i)
      for (std::int64_t n = 0; n < numbers; ++n) {
        const std::int64_t to = at(v, i, outputs) * numbers + n;
        if (one.y.size() > 0) all.y[to] = one.y[i * numbers + n];
        all.bound[to] = one.bound[i * numbers + n];
      }
  }
  return all;
}

// What kernels of a matrix are checked against.
template <class Backend, class Offset, class Value>
typename kernel_contest<Backend, Value>::reference_functions reference_of(
    const host_matrix<Offset, Value, view_on<Backend>>& matrix, vector_layout as) {
  const auto of_vectors = [&matrix, as](operation op, const array<Value, host>& x, const auto& single) {
    return reference_of_vectors(single, x, as, inputs(*matrix, op), outputs(*matrix, op));
  };
  if constexpr (is_complex<Value>)
    return {[&matrix, of_vectors](operation op, const array<Value, host>& x) {
              return of_vectors(op, x, [&](const array<Value, host>& own) {
                return complex_parts_of_reference<Value>(matrix, op, own);
              });
            },
            [](operation, const array<Value, host>&, std::int32_t, reference_product&) {
              throw std::logic_error("no kernel of complex values has rounding neighbours");
            }};
  else
    return {
        [&matrix, of_vectors](operation op, const array<Value, host>& x) {
          return of_vectors(op, x, [&](const array<Value, host>& own) {
            return multiply_reference<Offset, Value>(*matrix, op, Value{1}, own.data(), Value{0}, nullptr);
          });
        },
        [&matrix, as, of_vectors](operation op, const array<Value, host>& x, std::int32_t neighbours,
                                  reference_product& known) {
          if (as.count == 1)
            return allow_for_neighbours<Offset, Value>(*matrix, op, Value{1}, x.data(), neighbours, known);
          known.bound = of_vectors(op, x, [&](const array<Value, host>& own) {
                          return multiply_reference<Offset, Value>(*matrix, op, Value{1}, own.data(),
                                                                   Value{0}, nullptr, neighbours);
                        }).bound;
        }};
}

// Conversions, checks and samples on one backend.
template <class Backend, class Offset, class Value>
class machine_track final : public track {
 public:
  machine_track(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix, const race_request& request,
                const progress_text& progress)
      : on_(on),
        matrix_(matrix),
        request_(request),
        on_host_(matrix),
        contest_(on, matrix.rows, matrix.cols, request.wanted.vectors.count,
                 reference_of<Backend, Offset, Value>(on_host_, request.wanted.vectors),
                 sampling_of_baseline(request), progress) {
    stored_.resize(request.field.size());
  }

  std::string choose_baseline(operation op) override {
    return contest_.choose_baseline(for_vectors(bound_kernels_of(capturable(on_), matrix_),
                                                request_.wanted.vectors, matrix_.rows, matrix_.cols),
                                    op);
  }
  base_times sample_baselines(int samples, double warm_up_seconds) override {
    noise_.look();
    return contest_.sample_baselines(samples, warm_up_seconds);
  }
  void restart_baselines() override { contest_.restart_baselines(); }

  std::vector<kernel_info> kernels_for(std::size_t place) override {
    std::vector<kernel_info> all;
    const format_variant& variant = variant_of(place);
    for (const listed_kernel& k : kernels_)
      if (k.format == variant.format && k.backend == Backend::name && variant.admits(k.info))
        all.push_back(k.info);
    return all;
  }

  std::vector<kernel_info> store(std::size_t place, conversion_effort effort, variant_result& line) override {
    if (is_given(variant_of(place))) {
      line.convert_seconds = 0;
      keep(place, nullptr, matrix_, line);
    } else {
      try {
        store_from<Offset>(place, matrix_, effort, line);
      } catch (const error& problem) {
        // Positions of blocks, or slots with padding, may need 64 bits where the entries do not.
        if (sizeof(Offset) == 8 || problem.quantity() != "offsets") throw;
        const auto offsets = widened<space_on<Backend>, Offset>(matrix_.row_offsets);
        store_from<std::int64_t>(
            place, {matrix_.rows, matrix_.cols, offsets, matrix_.col_indices, matrix_.values}, effort, line);
      }
    }
    std::vector<kernel_info> infos;
    for (const bound_kernel<Value>& k : stored_[place].kernels) infos.push_back(k.info);
    return infos;
  }
  void release(std::size_t place) override {
    std::erase_if(contestants_, [&](const auto& one) { return one.first.variant == place; });
    stored_[place] = {};
  }
  std::vector<double> time_conversion(std::size_t place, conversion_effort effort) override {
    std::vector<double> seconds;
    timed_conversion<Backend, Offset, Value>(on_, matrix_, variant_of(place), effort, seconds);
    return seconds;
  }

  bool enter(const contestant_key& key, contestant_result& line) override {
    auto entered = contest_.enter(stored_[key.variant].kernels[key.kernel], key.op, line);
    if (entered == nullptr) return false;
    contestants_[key] = std::move(entered);
    return true;
  }
  bool sample(const contestant_key& key, int samples, double warm_up_seconds,
              contestant_result& line) override {
    const bool right = contest_.sample(*contestants_.at(key), samples, warm_up_seconds, line);
    noise_.look();
    if (!right) release(key);  // the others may need its memory
    return right;
  }
  void release(const contestant_key& key) override { contestants_.erase(key); }

  std::int64_t available_memory() override { return available_bytes(Backend::space::where); }

  // What the results are worth: what the clock can tell, and what got in the way of measuring.
  void judge(matrix_result& found) const {
    found.clock_seconds = contest_.clock_seconds();
    found.noisy = noise_.disturbances();
    if (const double share = contest_.disturbed_share(); share > 0.05)
      found.noisy.push_back(fmt::format("{:.0f} % of the samples had to wait for a core", 100 * share));
    for (std::string& one : disturbances_in(found, request_.wanted.warm))
      found.noisy.push_back(std::move(one));
  }

 private:
  // A converted matrix with its kernels, whatever its format and the width of its offsets.
  struct stored_variant {
    std::shared_ptr<const void> matrix;  // null where it is the one that was given
    std::vector<bound_kernel<Value>> kernels;
  };

  // Where there is to be a verdict it is only looked for here: it is measured better with the others.
  static sampling_options sampling_of_baseline(const race_request& request) {
    sampling_options sampling = request.sampling;
    if (request.for_verdict) sampling.samples = 3;
    sampling.by_warm = request.wanted.warm;
    return sampling;
  }

  const format_variant& variant_of(std::size_t place) const { return request_.field[place].variant; }

  template <class O>
  void store_from(std::size_t place, const csr<O, Value, view_on<Backend>>& matrix, conversion_effort effort,
                  variant_result& line) {
    std::vector<double> seconds;
    const auto kept = std::make_shared<any_format<O, Value, space_on<Backend>>>(
        timed_conversion<Backend, O, Value>(on_, matrix, variant_of(place), effort, seconds));
    line.convert_seconds = settled_seconds(std::move(seconds));
    std::visit([&](const auto& m) { keep(place, kept, view(m), line); }, *kept);
    line.offset_bits = int{sizeof(O)} * 8;
  }

  // `matrix` is what `owner` keeps.
  template <class View>
  void keep(std::size_t place, std::shared_ptr<const void> owner, const View& matrix, variant_result& line) {
    const format_variant& variant = variant_of(place);
    line.bytes = bytes(matrix);
    line.slots = slots(matrix);
    line.parameters = parameters_of(matrix);
    line.offset_bits = int{sizeof(Offset)} * 8;
    stored_variant& stored = stored_[place];
    stored.matrix = std::move(owner);
    stored.kernels.clear();
    for (const bound_kernel<Value>& k :
         for_vectors(bound_kernels_of(capturable(on_), matrix), request_.wanted.vectors, rows_of(matrix),
                     cols_of(matrix)))
      if (variant.admits(k.info)) stored.kernels.push_back(variant.of_transpose ? turned(k) : k);
  }

  Backend on_;
  csr<Offset, Value, view_on<Backend>> matrix_;
  const race_request& request_;
  host_matrix<Offset, Value, view_on<Backend>> on_host_;
  std::vector<listed_kernel> kernels_ = all_kernels(is_complex<Value>);
  std::vector<stored_variant> stored_;  // by place in the field
  kernel_contest<Backend, Value> contest_;
  noise_watch noise_{on_};
  std::map<contestant_key, std::unique_ptr<contestant<Value>>> contestants_;
};

}  // namespace

double settled_seconds(std::vector<double> seconds) {
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  return summarize_samples(std::move(seconds)).median;
}

template <class Backend, class Offset, class Value>
matrix_result race(Backend on, csr<Offset, Value, view_on<Backend>> matrix, const race_request& request,
                   const progress_text& progress) {
  // What it takes to make vectors, and on a GPU a copy for the reference, is part of the time given.
  const double begin = request.clock();
  machine_track<Backend, Offset, Value> here(on, matrix, request, progress);
  race_request rest = request;
  rest.seconds -= request.clock() - begin;
  matrix_result sizes = result_for(matrix);
  sizes.vectors = request.wanted.vectors;
  matrix_result found = run_tournament(std::move(sizes), rest, here, progress);
  here.judge(found);
  return found;
}

#define SPARSMITH_INSTANTIATE_RACE(B, O, V) \
  template matrix_result race<B, O, V>(B, csr<O, V, view_on<B>>, const race_request&, const progress_text&);
#define SPARSMITH_INSTANTIATE_RACES(B)                    \
  SPARSMITH_INSTANTIATE_RACE(B, std::int32_t, float)      \
  SPARSMITH_INSTANTIATE_RACE(B, std::int32_t, double)     \
  SPARSMITH_INSTANTIATE_RACE(B, std::int64_t, float)      \
  SPARSMITH_INSTANTIATE_RACE(B, std::int64_t, double)     \
  SPARSMITH_INSTANTIATE_RACE(B, std::int32_t, complex64)  \
  SPARSMITH_INSTANTIATE_RACE(B, std::int32_t, complex128) \
  SPARSMITH_INSTANTIATE_RACE(B, std::int64_t, complex64)  \
  SPARSMITH_INSTANTIATE_RACE(B, std::int64_t, complex128)

SPARSMITH_INSTANTIATE_RACES(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE_RACES(cuda)
#endif

}  // namespace sparsmith
