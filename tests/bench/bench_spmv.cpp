// Times every kernel of every format on a matrix, beside the vendor's CSR product (csr/omp on a CPU) in the
// same minutes, with warm and with cold caches. Every result is checked first, and again after the timed
// runs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>

#include "convert/convert.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "kernels/measure.hpp"
#include "kernels/reference.hpp"
#include "kernels/registry.hpp"
#include "tests/bench/now.hpp"
#include "tests/bench/scipy.hpp"
#include "tools/tool.hpp"

namespace sparsmith {
namespace {

constexpr std::array both = {operation::multiply, operation::transposed};

const char* short_name(operation op) {
  return op == operation::multiply ? "ax" : "atx";
}

struct options {
  common_options common;
  std::vector<std::string> matrices, kernels, formats;
  std::string op = "both", value = "f64", block, tile = "auto";
  int samples = 30;
  bool warm_only = false, csv = false, list = false, scipy = false;
  conversion_options conversion;

  bool wants(operation one) const { return op == "both" || (op == "ax") == (one == operation::multiply); }
  bool wants_kernel(const std::string& name) const {
    return kernels.empty() || std::find(kernels.begin(), kernels.end(), name) != kernels.end();
  }
  bool wants_format(const std::string& name) const {
    return formats.empty() || std::find(formats.begin(), formats.end(), name) != formats.end();
  }
};

// ---- what a run found out ----

struct regimes {
  timing warm, cold;
  // What figures and ratios are made of: cold, unless only warm runs were wanted.
  const timing& shown() const { return cold.samples > 0 ? cold : warm; }
  double headline() const { return shown().median; }
};

struct kernel_result {
  kernel_info info;
  operation op = operation::multiply;
  std::string not_run, wrong;  // why; empty where it ran, and was right
  regimes time;
  double prepare_seconds = 0;
  std::int64_t prepared_bytes = 0;

  bool timed() const { return not_run.empty() && wrong.empty(); }
};

struct format_result {
  std::string format, note;  // the note tells variants of a format apart
  std::string refused;
  std::int64_t bytes = 0;
  int offset_bits = 0;
  double convert_seconds = 0;
  json parameters = json::object();
  std::array<regimes, 2> base;  // the baseline in the same rounds, by operation
  std::vector<kernel_result> kernels;

  std::string label() const { return note.empty() ? format : format + " " + note; }
  const regimes& base_of(operation op) const { return base[static_cast<std::size_t>(op)]; }
  double ratio(const kernel_result& k) const { return base_of(k.op).headline() / k.time.headline(); }
};

struct matrix_result {
  std::string name, problem;
  std::int64_t rows = 0, cols = 0, entries = 0;
  int value_bits = 0, offset_bits = 0;
  std::array<std::string, 2> base_names;
  double scipy_seconds = -1;  // of SciPy's csr @ x; negative where it was not measured
  std::vector<format_result> formats;

  std::int64_t vector_bytes() const { return (rows + cols) * value_bits / 8; }
  std::int64_t csr_minimum_bytes() const {
    return entries * (value_bits / 8 + 4) + (rows + 1) * 4 + vector_bytes();
  }
  std::int64_t actual_bytes(const format_result& f, const kernel_result& k) const {
    return f.bytes + k.prepared_bytes + vector_bytes();
  }
  std::int64_t csr_bytes() const { return entries * (value_bits / 8 + 4) + (rows + 1) * offset_bits / 8; }
};

struct machine {
  std::string device, backend;
  double copy = 0;  // bytes per second
};

// ---- progress ----

// One line that is written over on a terminal; nothing elsewhere.
class progress_line {
 public:
  explicit progress_line(bool enabled) : shown_(enabled && ::isatty(STDERR_FILENO) == 1) {}
  void say(const std::string& text) const {
    if (!shown_) return;
    fmt::print(stderr, "\r\033[K{:.110}", text);
    std::fflush(stderr);
  }
  void clear() const { say(""); }

 private:
  bool shown_;
};

// ---- measuring ----

// A line of any table, ready for its matrix: what is measured no longer knows the format.
template <class Value>
struct candidate {
  kernel_info info;
  std::function<std::string(operation)> why_not;
  std::function<prepared_kernel<Value>(operation)> prepare;
};

template <class View>
auto candidates_of(const View& matrix) {
  std::vector<candidate<typename View::value_type>> all;
  for (const auto& line : kernels_of(matrix))
    all.push_back({line.info, [matrix, f = line.why_not](operation op) { return f(matrix, op); },
                   [matrix, f = line.prepare](operation op) { return f(matrix, op); }});
  return all;
}

// The vectors of one matrix on one backend, its reference products and its baseline.
template <class Backend, class Value>
class stand {
 public:
  using space = space_on<Backend>;
  using reference_function =
      std::function<reference_product(operation, const array<Value, host>& x, std::int32_t)>;

  stand(Backend on, const options& wanted, const progress_line& progress, std::int64_t rows,
        std::int64_t cols, reference_function reference)
      : on_(on), wanted_(wanted), progress_(progress), reference_(std::move(reference)) {
    for (const operation op : both) {
      side& s = sides_[static_cast<std::size_t>(op)];
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

  // The fastest of the vendor's for each operation is what everything else is measured against; on a CPU, or
  // where the vendor has none for this matrix, the fastest of ours.
  void choose_baseline(const std::vector<candidate<Value>>& all, matrix_result& result) {
    for (const operation op : both) {
      if (!wanted_.wants(op)) continue;
      std::vector<const candidate<Value>*> eligible;
      for (const candidate<Value>& c : all)
        if (c.why_not(op).empty()) eligible.push_back(&c);
      if (std::any_of(eligible.begin(), eligible.end(), [](auto* c) { return c->info.vendor; }))
        std::erase_if(eligible, [](auto* c) { return !c->info.vendor; });
      double fastest = std::numeric_limits<double>::infinity();
      for (const candidate<Value>* c : eligible) {
        progress_.say(fmt::format("{}: {} {}, a baseline", result.name, c->info.name, name_of(op)));
        contestant one = enter(c->info, op, c->prepare(op));
        if (!check(one).empty()) continue;  // said where it is measured
        sample(one, true);
        const double seconds = summarized(one).headline();
        if (seconds >= fastest) continue;
        fastest = seconds;
        baseline_[static_cast<std::size_t>(op)] = std::move(one);
        result.base_names[static_cast<std::size_t>(op)] = c->info.name;
      }
    }
  }

  // Measures the kernels of one format in turn, over rounds that the baseline takes part in. Where what is
  // stored is A^T, its A x is our A^T x.
  void run(const std::vector<candidate<Value>>& all, bool stores_transpose, const std::string& matrix,
           format_result& result) {
    std::vector<contestant> field;
    std::vector<std::size_t> places;  // of the contestants in result.kernels
    for (const operation op : both) {
      if (!wanted_.wants(op) || (stores_transpose && op == operation::multiply)) continue;
      const operation stored_op = stores_transpose ? operation::multiply : op;
      for (const candidate<Value>& c : all) {
        progress_.say(fmt::format("{}: {} {}", matrix, c.info.name, name_of(op)));
        kernel_result line{c.info, op, c.why_not(stored_op), {}, {}, 0, 0};
        if (line.not_run.empty()) {
          try {
            (void)c.prepare(stored_op);  // the first time pays for loading code
            synchronize(on_);
            const double start = now();
            contestant one = enter(c.info, op, c.prepare(stored_op));
            synchronize(on_);
            line.prepare_seconds = now() - start;
            line.prepared_bytes = one.ready.bytes;
            line.wrong = check(one);
            if (line.wrong.empty()) {
              field.push_back(std::move(one));
              places.push_back(result.kernels.size());
            }
          } catch (const error& problem) {
            if (problem.category() != failure::resources) throw;
            line.not_run = problem.what();
          }
        }
        result.kernels.push_back(std::move(line));
      }
    }
    if (field.empty()) return;
    for (contestant& base : baseline_) base.warm.clear(), base.cold.clear();
    for (int round = 0; round < rounds(); ++round) {
      for (contestant& base : baseline_)
        if (base.ready.run) sample(base, round == 0);
      for (std::size_t i = 0; i < field.size(); ++i) {
        contestant& one = field[i];
        progress_.say(fmt::format("{}: {} {}, round {} of {}", matrix, one.info.name, name_of(one.op),
                                  round + 1, rounds()));
        poison(one.op);
        sample(one, round == 0);
        // What the timed runs left must be right as well.
        kernel_result& line = result.kernels[places[i]];
        if (line.wrong.empty()) line.wrong = compare(one);
      }
    }
    for (const operation op : both)
      result.base[static_cast<std::size_t>(op)] = summarized(baseline_[static_cast<std::size_t>(op)]);
    for (std::size_t i = 0; i < field.size(); ++i) result.kernels[places[i]].time = summarized(field[i]);
  }

 private:
  struct side {
    array<Value, host> host_x, poison;
    array<Value, space> x, y;
    std::map<std::int32_t, reference_product> expected;  // by reach
  };
  struct contestant {
    kernel_info info;
    operation op = operation::multiply;
    prepared_kernel<Value> ready;
    std::vector<double> warm, cold;  // seconds of every sample, of all rounds
  };

  side& side_of(operation op) { return sides_[static_cast<std::size_t>(op)]; }
  int rounds() const { return std::min(3, wanted_.samples); }
  static contestant enter(const kernel_info& info, operation op, prepared_kernel<Value> ready) {
    return {info, op, std::move(ready), {}, {}};
  }

  void poison(operation op) {
    side& s = side_of(op);
    copy_bytes(space::where, s.y.data(), place::host, s.poison.data(),
               s.y.size() * std::int64_t{sizeof(Value)});
  }

  // Runs twice: a kernel must not live on what the first run left.
  std::string check(contestant& one) {
    side& s = side_of(one.op);
    poison(one.op);
    for (int i = 0; i < 2; ++i) one.ready.run(Value{1}, s.x.data(), Value{0}, s.y.data());
    synchronize(on_);
    if (std::string(last_kernel_run()) != one.info.name)
      return fmt::format("what ran calls itself {}", last_kernel_run());
    return compare(one);
  }

  std::string compare(const contestant& one) {
    side& s = side_of(one.op);
    auto known = s.expected.find(one.info.reach);
    if (known == s.expected.end())
      known = s.expected.emplace(one.info.reach, reference_(one.op, s.host_x, one.info.reach)).first;
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

  // One round's samples. The first round warms up in full; later ones find the device busy and only the
  // caches to fill. Fewer samples ask for a quick look and warm up less.
  void sample(contestant& one, bool first_round) {
    side& s = side_of(one.op);
    const auto work = [&] { one.ready.run(Value{1}, s.x.data(), Value{0}, s.y.data()); };
    measure_options how;
    how.samples = (wanted_.samples + rounds() - 1) / rounds();
    how.warm_up_seconds = 0.1 * std::min(1.0, wanted_.samples / 30.0) * (first_round ? 1.0 : 0.2);
    const auto append = [](std::vector<double>& all, const std::vector<double>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    append(one.warm, take_samples(on_, work, how));
    if (wanted_.warm_only) return;
    how.cold = true;
    how.warm_up_calls = 2;
    how.warm_up_seconds = 0;
    append(one.cold, take_samples(on_, work, how));
  }

  static regimes summarized(const contestant& one) {
    return {summarize_samples(one.warm), summarize_samples(one.cold)};
  }

  Backend on_;
  const options& wanted_;
  const progress_line& progress_;
  reference_function reference_;
  std::array<side, 2> sides_;
  std::array<contestant, 2> baseline_;
};

// Converts up to three times while that is short; the first time pays for memory and loading code.
template <class Backend, class Offset, class Value>
auto timed_conversion(Backend on, const csr<Offset, Value, space_on<Backend>>& matrix,
                      const std::string& format, const conversion_options& conversion,
                      format_result& result) {
  any_format<Offset, Value, space_on<Backend>> converted;
  std::vector<double> seconds;
  for (const double begin = now(); seconds.empty() || (seconds.size() < 3 && now() - begin < 1);) {
    converted = {};  // never two at once
    synchronize(on);
    const double start = now();
    converted =
        from_csr<Backend, Offset, Value>(on, view(matrix), *format_named(format), conversion, nullptr);
    synchronize(on);
    seconds.push_back(now() - start);
  }
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  // What is given is CSR; its copy is no conversion.
  result.convert_seconds = format == "csr" ? 0 : *std::min_element(seconds.begin(), seconds.end());
  result.offset_bits = int{sizeof(Offset)} * 8;
  return converted;
}

template <class Space, class Offset, class Value>
csr<std::int64_t, Value, Space> widened(const csr<Offset, Value, Space>& m) {
  const array<Offset, host> narrow = copy_to<host>(m.row_offsets, Space::where);
  array<std::int64_t, host> wide(narrow.size());
  std::copy(narrow.begin(), narrow.end(), wide.begin());
  return {m.rows, m.cols, copy_to<Space>(wide, place::host), copy_to<Space>(m.col_indices, Space::where),
          copy_to<Space>(m.values, Space::where)};
}

// A format and, where it has several, the variant to measure.
struct variant {
  std::string format, note;
  conversion_options conversion;
};
std::vector<variant> variants_of(const std::string& format, const conversion_options& conversion) {
  std::vector<variant> all;
  const auto add = [&](const char* note) -> conversion_options& {
    return all.emplace_back(variant{format, note, conversion}).conversion;
  };
  if (format == "ecsb") {
    add("coo").blocks.holding = ecsb_holding::coo;
    add("ell").blocks.holding = ecsb_holding::ell;
    add("hybrid").blocks.holding = ecsb_holding::hybrid;
  } else {
    add("");
    if (format == "sell") add("unsorted").sell.sigma = 1;  // the only one the vendor takes
  }
  return all;
}

template <class Backend, class Offset, class Value>
void bench_format(Backend on, const options& wanted, const csr<Offset, Value, space_on<Backend>>& matrix,
                  const variant& v, stand<Backend, Value>& on_stand, const std::string& name,
                  format_result& result) {
  const auto converted = timed_conversion<Backend, Offset, Value>(on, matrix, v.format, v.conversion, result);
  std::visit(
      [&](const auto& m) {
        result.bytes = bytes(m);
        result.parameters = parameters_of(m);
      },
      converted);
  if (v.format == "csc") {
    // Two copies of CSR, of A and of A^T, are what the vendor advises where both products are needed.
    if constexpr (std::is_same_v<Backend, cuda>) {
      const auto& m = std::get<csc<Offset, Value, space_on<Backend>>>(converted);
      const auto c = view(m);
      auto all = candidates_of(
          csr_view<Offset, Value, device>{c.cols, c.rows, c.col_offsets, c.row_indices, c.values});
      std::erase_if(all,
                    [&](const auto& one) { return !one.info.vendor || !wanted.wants_kernel(one.info.name); });
      on_stand.run(all, true, name, result);
    }
    return;
  }
  std::visit(
      [&](const auto& m) {
        auto all = candidates_of(view(m));
        std::erase_if(all, [&](const auto& one) { return !wanted.wants_kernel(one.info.name); });
        on_stand.run(all, false, name, result);
      },
      converted);
}

// SciPy's csr @ x on the same arrays, one thread; negative without SciPy.
template <class Offset, class Value>
double scipy_product_seconds(const csr<Offset, Value, host>& m, int samples) {
  const scratch_folder folder;
  dump(folder, "offsets", m.row_offsets);
  dump(folder, "cols", m.col_indices);
  dump(folder, "values", m.values);
  std::int64_t rows = 0;
  return python_seconds(folder,
                        fmt::format(R"(
offsets = numpy.fromfile(folder + "offsets", numpy.int{0})
cols = numpy.fromfile(folder + "cols", numpy.int32)
values = numpy.fromfile(folder + "values", numpy.float{1})
csr = scipy.sparse.csr_matrix((values, cols, offsets), shape=({2}, {3}))
x = numpy.linspace(-1, 1, {3}, dtype=values.dtype)
times = []
for i in range({4} + 2):
    start = time.perf_counter()
    y = csr @ x
    times.append(time.perf_counter() - start)
print(sorted(times[2:])[{4} // 2], len(y))
)",
                                    sizeof(Offset) * 8, sizeof(Value) * 8, m.rows, m.cols, samples),
                        rows);
}

template <class Backend, class Offset, class Value>
void bench_matrix(Backend on, const options& wanted, const std::set<std::string>& formats,
                  const progress_line& progress, matrix_entries&& source, matrix_result& result) {
  assembly_report report;
  const auto matrix = assemble<Backend, Offset, Value>(on, std::move(source), false, report, nullptr);
  result.entries = matrix.values.size();
  result.value_bits = int{sizeof(Value)} * 8;
  result.offset_bits = int{sizeof(Offset)} * 8;
  const csr<Offset, Value, host> on_host = copy_to<host>(matrix);
  stand<Backend, Value> on_stand(on, wanted, progress, matrix.rows, matrix.cols,
                                 [&](operation op, const array<Value, host>& x, std::int32_t reach) {
                                   return multiply_reference<Offset, Value>(on_host, op, Value{1}, x.data(),
                                                                            Value{0}, nullptr, reach);
                                 });
  on_stand.choose_baseline(candidates_of(view(matrix)), result);
  if (wanted.scipy) {
    progress.say(fmt::format("{}: SciPy", result.name));
    result.scipy_seconds = scipy_product_seconds(on_host, wanted.samples);
  }
  for (const std::string& format : format_names()) {
    if (!formats.contains(format)) continue;
    for (const variant& v : variants_of(format, wanted.conversion)) {
      format_result line;
      line.format = v.format;
      line.note = v.note;
      progress.say(fmt::format("{}: converting to {}", result.name, line.label()));
      const auto attempt = [&]<class O>(const csr<O, Value, space_on<Backend>>& m) {
        try {
          bench_format<Backend, O, Value>(on, wanted, m, v, on_stand, result.name, line);
          return true;
        } catch (const error& problem) {
          if (problem.category() != failure::resources) throw;
          line.refused = problem.what();
          line.kernels.clear();
          return false;
        }
      };
      // Positions of blocks, or slots with padding, may need 64 bits where the entries do not.
      if (!attempt(matrix) && sizeof(Offset) == 4) {
        try {
          if (attempt(widened(matrix))) line.refused.clear();
        } catch (const error& problem) {
          if (problem.category() != failure::resources) throw;
        }
      }
      result.formats.push_back(std::move(line));
    }
  }
}

// ---- the list of kernels ----

struct listed_kernel {
  std::string format, backend;
  kernel_info info;
};

template <class Space>
void list_tables(const char* backend, std::vector<listed_kernel>& all) {
  using any = any_format<std::int32_t, double, view_of<Space>>;
  const auto list = [&]<class Format>(const Format& none) {
    for (const auto& line : kernels_of(none)) all.push_back({Format::name, backend, line.info});
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (list(std::variant_alternative_t<i, any>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<any>>{});
}

// Of both backends, by format.
template <class Backend = cuda>
std::vector<listed_kernel> all_kernels() {
  std::vector<listed_kernel> all;
  list_tables<host>(openmp::name, all);
  if constexpr (has_cuda) list_tables<space_on<Backend>>(Backend::name, all);
  const auto position = [](const listed_kernel& k) {
    const auto& names = format_names();
    return std::find(names.begin(), names.end(), k.format) - names.begin();
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return position(a) < position(b); });
  return all;
}

void print_list(const std::vector<listed_kernel>& all, bool as_json) {
  json document{{"schema", "sparsmith.kernels/1"}, {"kernels", json::array()}};
  std::string group;
  for (const listed_kernel& k : all) {
    std::vector<std::string> operations, repeatable;
    for (const operation op : both) {
      if (op == operation::transposed && !k.info.transposes) continue;
      operations.emplace_back(as_json ? short_name(op) : name_of(op));
      if (k.info.repeatable(op)) repeatable.push_back(operations.back());
    }
    if (as_json) {
      document["kernels"].push_back({{"name", k.info.name},
                                     {"format", k.format},
                                     {"backend", k.backend},
                                     {"operations", operations},
                                     {"repeatable", repeatable},
                                     {"vendor", k.info.vendor},
                                     {"source", k.info.source},
                                     {"description", k.info.description}});
      continue;
    }
    if (group.empty())
      fmt::print("{:<24} {:<7} {:<10} {:<10} {:<15} {}\n", "kernel", "backend", "products", "same bits",
                 "source", "description");
    if (group != k.format) fmt::print("\n{}\n", k.format);
    group = k.format;
    const auto joined = [](const std::vector<std::string>& names) {
      return names.empty() ? "no" : fmt::format("{}", fmt::join(names, ", "));
    };
    fmt::print("  {:<22} {:<7} {:<10} {:<10} {:<15} {}{}\n", k.info.name, k.backend, joined(operations),
               joined(repeatable), k.info.source, k.info.vendor ? "[vendor] " : "", k.info.description);
  }
  if (as_json) fmt::print("{}\n", document.dump(2));
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// The formats whose kernels are wanted; names that do not exist, or not on this backend, are refused.
std::set<std::string> formats_wanted(const options& wanted, const std::vector<listed_kernel>& all,
                                     const std::string& backend) {
  std::set<std::string> formats;
  for (const std::string& name : wanted.kernels) {
    std::vector<std::pair<std::size_t, std::string>> near;
    std::string elsewhere;
    bool found = false;
    for (const listed_kernel& k : all) {
      const std::string other = k.info.name;
      if (other == name && k.backend == backend) {
        found = true;
        formats.insert(k.format);
      } else if (other == name) {
        elsewhere = k.backend;
      }
      const bool part = other.find(name) != std::string::npos;
      near.emplace_back(part ? 0 : edit_distance(name, other), other);
    }
    if (found) continue;
    if (!elsewhere.empty())
      throw error(failure::usage,
                  fmt::format("--kernel {}: runs on {}, not on {}", name, elsewhere, backend));
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 5); ++i) names.push_back(near[i].second);
    throw error(failure::usage, fmt::format("--kernel {}: no such kernel{}; near it: {} (see --list)", name,
                                            has_cuda ? "" : " in this build, which has none for CUDA",
                                            fmt::join(names, ", ")));
  }
  for (const std::string& format : format_names()) {
    if (wanted.kernels.empty()) formats.insert(format);
    if (!wanted.wants_format(format)) formats.erase(format);
  }
  // CSC is only there for the vendor's pair from two copies.
  if (backend == openmp::name && formats.erase("csc") > 0 && !wanted.formats.empty())
    throw error(failure::usage, "--format csc: measured with the vendor's kernels, which need a GPU");
  if (formats.empty()) throw error(failure::usage, "no kernel of --kernel belongs to a format of --format");
  return formats;
}

// ---- printing ----

std::string fixed(double value) {
  return fmt::format("{:.2f}", value);
}
// Four figures, for columns that must stay narrow.
std::string micro(double seconds) {
  const double value = seconds * 1e6;
  return fmt::format("{:.{}f}", value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
}

double giga_per_second(std::int64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0;
}

double times(std::int64_t a, std::int64_t b) {
  return b == 0 ? 1.0 : static_cast<double>(a) / static_cast<double>(b);
}

// A way to compute one product, or both from one copy, and what it costs beside the baseline.
struct choice {
  const format_result* format = nullptr;
  std::vector<const kernel_result*> kernels;
  double seconds = 0, base_seconds = 0, price = 0;

  double ratio() const { return base_seconds / seconds; }
  // Products (or pairs) after which conversion and preparation are paid back; negative: never.
  double repaid_after() const { return seconds < base_seconds ? price / (base_seconds - seconds) : -1; }
  std::string names() const {
    std::string text = kernels.front()->info.name;
    if (kernels.size() > 1 && text != kernels.back()->info.name)
      text += std::string(" + ") + kernels.back()->info.name;
    return format->note.empty() ? text : text + " (" + format->note + ")";
  }
};

// The fastest of ours for these operations in one format.
choice best_in(const format_result& f, const std::vector<operation>& ops) {
  choice here{&f, {}, 0, 0, f.convert_seconds};
  for (const operation op : ops) {
    const kernel_result* fastest = nullptr;
    for (const kernel_result& k : f.kernels)
      if (k.op == op && k.timed() && !k.info.vendor &&
          (fastest == nullptr || k.time.headline() < fastest->time.headline()))
        fastest = &k;
    if (fastest == nullptr) return {};
    here.kernels.push_back(fastest);
    here.seconds += fastest->time.headline();
    here.base_seconds += f.base_of(op).headline();
    here.price += fastest->prepare_seconds;
  }
  return here;
}
choice best_of(const matrix_result& m, const std::vector<operation>& ops) {
  choice best;
  for (const format_result& f : m.formats)
    if (const choice here = best_in(f, ops);
        here.format != nullptr && (best.format == nullptr || here.seconds < best.seconds))
      best = here;
  return best;
}

// The vendor's pair from two copies: A x from A, and A x again from A^T stored as CSR.
choice two_copies(const matrix_result& m) {
  choice best;
  for (const format_result& f : m.formats)
    for (const kernel_result& k : f.kernels)
      if (f.format == "csc" && k.timed() && f.base_of(operation::multiply).headline() > 0 &&
          (best.format == nullptr || k.time.headline() < best.kernels[0]->time.headline())) {
        const double ax = f.base_of(operation::multiply).headline();
        best = {&f,
                {&k},
                ax + k.time.headline(),
                ax + f.base_of(operation::transposed).headline(),
                f.convert_seconds + k.prepare_seconds};
      }
  return best;
}

std::string kernel_label(const format_result& f, const kernel_result& k) {
  if (f.format == "csc") return std::string(k.info.name) + " A^T";
  return f.note.empty() ? k.info.name : std::string(k.info.name) + " " + f.note;
}

void print_formats(const matrix_result& m) {
  fmt::print("{:<21} {:>11} {:>7} {:>11}\n", "format", "bytes", "x CSR", "convert ms");
  for (const format_result& f : m.formats) {
    if (!f.refused.empty()) {
      fmt::print("{:<21} refused: {}\n", f.label(), f.refused);
      continue;
    }
    const std::string note = f.offset_bits > m.offset_bits ? "  64-bit offsets" : "";
    fmt::print("{:<21} {:>11} {:>7.3f} {:>11}{}\n", f.label(), format_bytes(f.bytes),
               times(f.bytes, m.csr_bytes()), f.format == "csr" ? "-" : fixed(f.convert_seconds * 1e3), note);
  }
}

// Whether a kernel that does not apply here did run for another variant of its format.
bool ran_elsewhere(const matrix_result& m, const kernel_result& k) {
  for (const format_result& f : m.formats)
    for (const kernel_result& other : f.kernels)
      if (other.not_run.empty() && other.op == k.op && std::string(other.info.name) == k.info.name)
        return true;
  return false;
}

void print_text(const machine& on, const options& wanted, const matrix_result& m) {
  fmt::print("\n{}\n", m.name);
  if (!m.problem.empty()) {
    fmt::print("  NOT MEASURED: {}\n", m.problem);
    return;
  }
  fmt::print("{} x {}, {} entries, {}-bit values, {}-bit offsets; CSR {}\n", with_commas(m.rows),
             with_commas(m.cols), with_commas(m.entries), m.value_bits, m.offset_bits,
             format_bytes(m.csr_bytes()));
  fmt::print("{}; a copy moves {:.1f} GB/s\n", on.device, on.copy / 1e9);
  std::vector<std::string> bases;
  for (const operation op : both)
    if (wanted.wants(op))
      bases.push_back(fmt::format("{} for {}", m.base_names[static_cast<std::size_t>(op)], name_of(op)));
  fmt::print("base: {}; p10 - p90, GB/s, % copy and x base are of {} runs\n\n", fmt::join(bases, ", "),
             wanted.warm_only ? "warm" : "cold");
  print_formats(m);
  fmt::print("\n{:<21} {:<5} {:>10} {:>9} {:>16} {:>7} {:>7} {:>6} {:>7} {:>7} {:>9} {:>4}\n", "", "",
             "warm us", "cold us", "p10 - p90", "GB/s of", "GB/s", "% copy", "x base", "prepare", "held",
             "same");
  fmt::print("{:<21} {:<5} {:>10} {:>9} {:>16} {:>7} {:>7} {:>6} {:>7} {:>7} {:>9} {:>4}\n", "kernel", "",
             "median", "median", "", "CSR min", "actual", "of min", "", "ms", "beside", "bits");
  for (const format_result& f : m.formats) {
    for (const kernel_result& k : f.kernels) {
      const std::string label = kernel_label(f, k);
      if (!k.not_run.empty()) {
        if (!ran_elsewhere(m, k)) fmt::print("{:<22} {:<5} not run: {}\n", label, name_of(k.op), k.not_run);
        continue;
      }
      if (!k.wrong.empty()) {
        fmt::print("{:<22} {:<5} WRONG RESULT: {}\n", label, name_of(k.op), k.wrong);
        continue;
      }
      const double seconds = k.time.headline();
      const double minimum = giga_per_second(m.csr_minimum_bytes(), seconds);
      fmt::print("{:<22} {:<5} {:>9} {:>9} {:>16} {:>7.1f} {:>7.1f} {:>6.1f} {:>7.3f} {:>7} {:>9} {:>4}\n",
                 label, name_of(k.op), fixed(k.time.warm.median * 1e6),
                 k.time.cold.samples > 0 ? fixed(k.time.cold.median * 1e6) : "-",
                 fmt::format("{} - {}", micro(k.time.shown().p10), micro(k.time.shown().p90)), minimum,
                 giga_per_second(m.actual_bytes(f, k), seconds), 100e9 * minimum / on.copy, f.ratio(k),
                 fixed(k.prepare_seconds * 1e3), k.prepared_bytes == 0 ? "-" : format_bytes(k.prepared_bytes),
                 k.info.repeatable(k.op) ? "yes" : "no");
    }
  }

  if (wanted.scipy && m.scipy_seconds < 0)
    fmt::print("SciPy's csr @ x was not measured: python3 has no SciPy\n");
  if (m.scipy_seconds >= 0)
    for (const format_result& f : m.formats)
      for (const kernel_result& k : f.kernels)
        if (k.timed() && k.op == operation::multiply && f.format == "csr")
          fmt::print("SciPy's csr @ x, one thread: {} us; {} is {:.2f} x as fast\n",
                     fixed(m.scipy_seconds * 1e6), k.info.name, m.scipy_seconds / k.time.warm.median);

  if (m.entries == 0) return;  // nothing that could be fast or slow
  fmt::print("\n{:<21} {:>16} {:>7}\n", "best of ours", "us", "x base");
  const auto print_choice = [&](const std::string& what, const choice& c, const std::string& names) {
    const double after = c.repaid_after();
    fmt::print("{:<21} {:>16} {:>7.3f}  {}{}\n", what, fixed(c.seconds * 1e6), c.ratio(), names,
               !c.kernels[0]->info.vendor && c.names() == m.base_names[0] ? ", the base itself"
               : after < 0                                                ? ", never repaid"
               : after == 0
                   ? ", at no price"
                   : fmt::format(", repaid after {}", with_commas(static_cast<std::int64_t>(after) + 1)));
  };
  for (const operation op : both)
    if (const choice c = best_of(m, {op}); c.format != nullptr) print_choice(name_of(op), c, c.names());
  const choice pair = best_of(m, {both.begin(), both.end()});
  if (pair.format != nullptr)
    print_choice("both, one copy", pair,
                 fmt::format("{}, {:.3f} x CSR", pair.names(), times(pair.format->bytes, m.csr_bytes())));
  const choice two = two_copies(m);
  if (two.format != nullptr) {
    fmt::print("{:<21} {:>16} {:>7.3f}  {} + {}\n", "vendor, one copy", fixed(two.base_seconds * 1e6), 1.0,
               m.base_names[0], m.base_names[1]);
    print_choice("vendor, two copies", two,
                 fmt::format("{} + {}, {:.3f} x CSR", m.base_names[0], two.kernels[0]->info.name,
                             1 + times(two.format->bytes, m.csr_bytes())));
    if (pair.format != nullptr)
      fmt::print("{:<21} {:>16} {:>7.3f}  our one copy over the vendor's two\n", "", "",
                 pair.ratio() / two.ratio());
  } else if (pair.format != nullptr) {
    fmt::print("{:<21} {:>16} {:>7.3f}  {}\n", "base, one copy", fixed(pair.base_seconds * 1e6), 1.0,
               m.base_names[0]);
  }
  std::fflush(stdout);
}

json describe_regime(const machine& on, const matrix_result& m, const format_result& f,
                     const kernel_result& k, const timing& t, const timing& base) {
  if (t.samples == 0) return nullptr;
  const double minimum = giga_per_second(m.csr_minimum_bytes(), t.median);
  return {{"median_us", t.median * 1e6},
          {"p10_us", t.p10 * 1e6},
          {"p90_us", t.p90 * 1e6},
          {"samples", t.samples},
          {"gb_per_s_csr_minimum", minimum},
          {"gb_per_s_actual", giga_per_second(m.actual_bytes(f, k), t.median)},
          {"share_of_copy", minimum * 1e9 / on.copy},
          {"share_of_copy_actual", giga_per_second(m.actual_bytes(f, k), t.median) * 1e9 / on.copy},
          {"base_us", base.median * 1e6},
          {"times_base", base.median / t.median}};
}

json describe_choice(const choice& c) {
  if (c.format == nullptr) return nullptr;
  json kernels = json::array();
  for (const kernel_result* k : c.kernels) kernels.push_back(k->info.name);
  const double after = c.repaid_after();
  return {{"format", c.format->format},
          {"variant", c.format->note},
          {"kernels", kernels},
          {"us", c.seconds * 1e6},
          {"base_us", c.base_seconds * 1e6},
          {"times_base", c.ratio()},
          {"repaid_after", after < 0 ? json(nullptr) : json(after)}};
}

json describe_matrix(const machine& on, const options& wanted, const matrix_result& m) {
  json result{{"name", m.name}};
  if (m.scipy_seconds >= 0) result["scipy_us"] = m.scipy_seconds * 1e6;
  if (!m.problem.empty()) {
    result["problem"] = m.problem;
    return result;
  }
  result.update({{"rows", m.rows},
                 {"cols", m.cols},
                 {"entries", m.entries},
                 {"value_bits", m.value_bits},
                 {"offset_bits", m.offset_bits},
                 {"csr_bytes", m.csr_bytes()},
                 {"csr_minimum_bytes", m.csr_minimum_bytes()},
                 {"headline", wanted.warm_only ? "warm" : "cold"},
                 {"base", {{"ax", m.base_names[0]}, {"atx", m.base_names[1]}}},
                 {"formats", json::array()},
                 {"kernels", json::array()}});
  for (const format_result& f : m.formats) {
    json format{{"format", f.format}, {"variant", f.note}};
    if (f.refused.empty())
      format.update({{"bytes", f.bytes},
                     {"times_csr", times(f.bytes, m.csr_bytes())},
                     {"convert_ms", f.convert_seconds * 1e3},
                     {"offset_bits", f.offset_bits},
                     {"parameters", f.parameters}});
    else
      format["refused"] = f.refused;
    result["formats"].push_back(std::move(format));
    for (const kernel_result& k : f.kernels) {
      json line{{"kernel", k.info.name},
                {"format", f.format},
                {"variant", f.note},
                {"of_transpose", f.format == "csc"},
                {"operation", short_name(k.op)},
                {"vendor", k.info.vendor},
                {"source", k.info.source},
                {"repeatable", k.info.repeatable(k.op)}};
      if (!k.not_run.empty()) {
        line["not_run"] = k.not_run;
      } else if (!k.wrong.empty()) {
        line["wrong"] = k.wrong;
      } else {
        const regimes& base = f.base_of(k.op);
        line.update({{"prepare_ms", k.prepare_seconds * 1e3},
                     {"prepared_bytes", k.prepared_bytes},
                     {"warm", describe_regime(on, m, f, k, k.time.warm, base.warm)},
                     {"cold", describe_regime(on, m, f, k, k.time.cold, base.cold)}});
      }
      result["kernels"].push_back(std::move(line));
    }
  }
  result["best"] = {{"ax", describe_choice(best_of(m, {operation::multiply}))},
                    {"atx", describe_choice(best_of(m, {operation::transposed}))},
                    {"pair", describe_choice(best_of(m, {both.begin(), both.end()}))},
                    {"vendor_two_copies", describe_choice(two_copies(m))}};
  return result;
}

// ---- several matrices ----

// How the best kernel of ours in one format does beside the base, over all matrices: geometric mean, worst
// case and how often it is ahead. A matrix it could not be measured on is one it is not ahead on.
struct overall {
  int measured = 0, ahead = 0;
  double logarithms = 0, worst = std::numeric_limits<double>::infinity();

  void add(double ratio) {
    ++measured;
    ahead += ratio > 1 ? 1 : 0;
    logarithms += std::log(ratio);
    worst = std::min(worst, ratio);
  }
  double mean() const { return std::exp(logarithms / measured); }
};

using format_ratios = std::map<std::string, std::array<overall, 3>>;  // A x, A^T x, both

format_ratios compare_formats(const std::vector<matrix_result>& matrices) {
  format_ratios all;
  for (const matrix_result& m : matrices)
    for (const format_result& f : m.formats) {
      if (m.entries == 0) continue;
      const choice choices[] = {best_in(f, {operation::multiply}), best_in(f, {operation::transposed}),
                                best_in(f, {both.begin(), both.end()})};
      for (std::size_t i = 0; i < 3; ++i)
        if (choices[i].format != nullptr) all[f.label()][i].add(choices[i].ratio());
    }
  return all;
}

void print_overall(const std::vector<matrix_result>& matrices) {
  fmt::print("\nbest of ours in each format, x base over {} matrices: geometric mean, worst, ahead on\n",
             matrices.size());
  fmt::print("{:<21} {:>22} {:>22} {:>22}\n", "format", "A x", "A^T x", "both");
  for (const auto& [format, ratios] : compare_formats(matrices)) {
    fmt::print("{:<21}", format);
    for (const overall& o : ratios)
      fmt::print(" {:>22}", o.measured == 0 ? "-"
                                            : fmt::format("{:.3f} {:.3f} {}/{}", o.mean(), o.worst, o.ahead,
                                                          matrices.size()));
    fmt::print("\n");
  }
}

// Names of files may hold anything.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

// What was not measured has a line as well: it counts as a loss.
void print_csv(const machine& on, const matrix_result& m) {
  const auto begin = [&](const std::string& format, const std::string& variant) {
    fmt::print("{},{},{},{},{},{},{}", quoted(m.name), m.rows, m.cols, m.entries, m.value_bits, format,
               variant);
  };
  if (!m.problem.empty()) {
    begin("", "");
    fmt::print(",,,unreadable,,,,,,,,,,,,,,\n");
  }
  for (const format_result& f : m.formats) {
    if (!f.refused.empty()) {
      begin(f.format, f.note);
      fmt::print(",,,refused,,,,,,,,,,,,,,\n");
    }
    for (const kernel_result& k : f.kernels) {
      const double seconds = k.time.headline();
      begin(f.format, f.note);
      fmt::print(",{}", k.info.name);
      const auto cold = [&](double value) {
        return k.time.cold.samples > 0 ? fmt::format("{:.6g}", value * 1e6) : std::string();
      };
      if (k.timed())
        fmt::print(
            ",{},ok,{:.6g},{:.6g},{:.6g},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{}\n",
            short_name(k.op), k.time.warm.median * 1e6, k.time.warm.p10 * 1e6, k.time.warm.p90 * 1e6,
            cold(k.time.cold.median), cold(k.time.cold.p10), cold(k.time.cold.p90),
            giga_per_second(m.csr_minimum_bytes(), seconds), giga_per_second(m.actual_bytes(f, k), seconds),
            giga_per_second(m.csr_minimum_bytes(), seconds) * 1e9 / on.copy, f.ratio(k),
            k.prepare_seconds * 1e3, k.prepared_bytes, f.bytes, k.info.repeatable(k.op) ? "yes" : "no");
      else
        fmt::print(",{},{},,,,,,,,,,,,,,\n", short_name(k.op), k.wrong.empty() ? "not run" : "wrong");
    }
  }
  std::fflush(stdout);
}
constexpr const char* csv_header =
    "matrix,rows,cols,entries,value_bits,format,variant,kernel,operation,result,warm_us,warm_p10_us,warm_p90_"
    "us,cold_us,cold_p10_us,cold_p90_us,"
    "gb_per_s_csr_minimum,gb_per_s_actual,share_of_copy,times_base,prepare_ms,prepared_bytes,format_bytes,"
    "repeatable\n";

// ---- the run ----

bool power_of_two(std::int32_t number) {
  return number > 0 && (number & (number - 1)) == 0;
}

void settle(options& wanted) {
  conversion_options& c = wanted.conversion;
  if (!wanted.block.empty()) c.bsr_block = parse_block(wanted.block);
  if (wanted.tile != "auto") {
    const block_size sides = parse_tile(wanted.tile);
    c.tile.height = sides.rows;
    c.tile.width = sides.cols;
  }
  if (c.blocks.beta < 2 || c.blocks.beta > 4096 || !power_of_two(c.blocks.beta))
    throw error(failure::usage, fmt::format("--beta {}: not a power of two from 2 to 4096", c.blocks.beta));
  // Layout tile takes powers of two up to a warp; other groups are for the other layout alone.
  const bool fits = c.blocks.group_size <= 32 && power_of_two(c.blocks.group_size);
  if (fits) c.tile.group_size = c.blocks.group_size;
  if (!fits && std::find(wanted.formats.begin(), wanted.formats.end(), "gcsb_tile") != wanted.formats.end())
    throw error(failure::usage,
                fmt::format("--group {}: layout tile takes powers of two up to 32", c.blocks.group_size));
}

template <class Backend>
matrix_result bench_one(Backend on, const options& wanted, const std::set<std::string>& formats,
                        const progress_line& progress, const std::string& name) {
  matrix_result result;
  result.name = name;
  try {
    progress.say(name + ": reading");
    matrix_entries source = read_matrix(name);
    result.rows = source.entries.rows;
    result.cols = source.entries.cols;
    with_types(
        {needs_wide_offsets(most_entries(source)), wanted.value == "f32"}, [&]<class Offset, class Value>() {
          bench_matrix<Backend, Offset, Value>(on, wanted, formats, progress, std::move(source), result);
        });
  } catch (const error& problem) {
    // The other matrices are still worth measuring, unless the device is broken.
    if (problem.category() == failure::device) throw;
    if (problem.category() == failure::usage && wanted.matrices.size() == 1) throw;
    result.problem = problem.what();
    if (result.problem.rfind(name, 0) != 0) result.problem = name + ": " + result.problem;
  }
  progress.clear();
  return result;
}

void run(options& wanted) {
  settle(wanted);
  if (wanted.list) return print_list(all_kernels(), wanted.common.as_json);
  if (wanted.matrices.empty())
    throw error(failure::usage, "name a matrix, a generator (gen:...) or --list (see --help)");
  const device_choice choice = choose_device(wanted.common);
  const progress_line progress(!wanted.common.quiet);
  std::vector<std::string> failed;
  on_backend(choice.use_gpu, [&](auto on) {
    const std::set<std::string> formats = formats_wanted(wanted, all_kernels(), on.name);
    progress.say("measuring a copy");
    const machine here{choice.note, on.name, copy_bandwidth(on)};
    json document{{"schema", "sparsmith.bench_spmv/1"},
                  {"version", SPARSMITH_VERSION},
                  {"device", here.device},
                  {"backend", here.backend},
                  {"threads", thread_count()},
                  {"copy_gb_per_s", here.copy / 1e9},
                  {"samples", wanted.samples},
                  {"matrices", json::array()}};
    if (wanted.csv) fmt::print(csv_header);
    std::vector<matrix_result> done;
    for (const std::string& name : wanted.matrices) {
      const matrix_result& m = done.emplace_back(bench_one(on, wanted, formats, progress, name));
      if (wanted.common.as_json)
        document["matrices"].push_back(describe_matrix(here, wanted, m));
      else
        wanted.csv ? print_csv(here, m) : print_text(here, wanted, m);
      if (!m.problem.empty()) failed.push_back(m.problem);
      for (const format_result& f : m.formats)
        for (const kernel_result& k : f.kernels)
          if (!k.wrong.empty())
            failed.push_back(fmt::format("{}: WRONG RESULT of {} {}: {}", name, kernel_label(f, k),
                                         name_of(k.op), k.wrong));
    }
    if (done.size() > 1 && !wanted.csv && !wanted.common.as_json) print_overall(done);
    if (wanted.common.as_json) fmt::print("{}\n", document.dump(2));
  });
  if (failed.empty()) return;
  if (failed.size() == 1) throw std::runtime_error(failed[0]);
  for (const std::string& line : failed) fmt::print(stderr, "bench_spmv: {}\n", line);
  throw std::runtime_error(fmt::format("{} failed", failed.size()));
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  options wanted;
  conversion_options& conversion = wanted.conversion;
  // Enough for every format that could pay; ELL of a skewed matrix is refused rather than built.
  conversion.max_fill = 20;
  CLI::App app(
      "Checks and times every kernel of every format on matrices, beside the vendor's product in one run.",
      "bench_spmv");
  app.add_option("matrix", wanted.matrices,
                 "Matrices: files of any kind spconv reads, or generators (below)");
  app.add_flag("--list", wanted.list, "Print every kernel of every format, and measure nothing");
  app.add_option("--kernel", wanted.kernels, "Only this kernel; several with commas, or repeated")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option(
         "--format", wanted.formats,
         "Only this format; several with commas, or repeated (csc: the vendor's pair from two copies)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(format_names()));
  app.add_option("--op", wanted.op, "Products: ax, atx or both")
      ->check(CLI::IsMember({"ax", "atx", "both"}))
      ->capture_default_str();
  app.add_option("--value", wanted.value, "Value type: f32 or f64")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  app.add_option("--samples", wanted.samples, "Samples of every median, over three rounds")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_flag("--scipy", wanted.scipy, "Time SciPy's csr @ x on the same matrix as well");
  app.add_flag("--warm-only", wanted.warm_only, "Leave the runs with cold caches out");
  app.add_option("--block", wanted.block, "BSR: block size, RxC up to 64x64")->default_str("4x4");
  app.add_option("--beta", conversion.blocks.beta,
                 "CSB, eCSB, GCSB: block side, a power of two from 2 to 4096")
      ->capture_default_str();
  app.add_option("--group", conversion.blocks.group_size, "GCSB: blocks per group; layout tile: lanes")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--tile", wanted.tile,
                 "GCSB, layout tile: sides, such as 512x1024; auto takes them from the matrix")
      ->capture_default_str();
  app.add_option("--max-fill", conversion.max_fill, "Refuse a padded format above this many slots per entry")
      ->check(CLI::Range(1.0, 1e9))
      ->capture_default_str();
  auto* const csv = app.add_flag("--csv", wanted.csv, "Print one line a kernel and product, with commas");
  add_common_options(app, wanted.common);
  csv->excludes(app.get_option("--json"));
  app.footer("Generators:\n" + describe_generators() +
             "\nExamples:\n"
             "  bench_spmv --list\n"
             "  bench_spmv 'gen:uniform?n=8192&density=0.01'\n"
             "  bench_spmv bcsstk17.mtx.gz --format csr,gcsb_tile --op both --json\n"
             "  bench_spmv 'gen:rmat?scale=20' --kernel csr/hybrid --value f32 --device cuda\n"
             "\nExit status: 0 fine, 1 a wrong result or a run-time failure, 2 usage.");
  return run_tool(app, argc, argv, [&] { run(wanted); });
}
