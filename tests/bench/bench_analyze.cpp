// Times an analysis, group of features by group, beside one pass that reads the entries and beside one
// product with the matrix, all in the same run: the vendor's CSR product on a GPU, csr/omp on a CPU.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>

#include "analyze/structure/features.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "kernels/measure.hpp"
#include "kernels/registry.hpp"
#include "tests/bench/read_pass.hpp"
#include "tools/command_line.hpp"

namespace sparsmith {

template <class Value>
void read_pass(openmp, array_view<const std::int32_t> cols, array_view<const Value> values, double* sums) {
  // Several sums of each: one would wait for itself.
  constexpr std::int64_t abreast = 16;
  double total = 0;
#pragma omp parallel reduction(+ : total)
  {
    std::int32_t col_sums[abreast] = {};
    Value value_sums[abreast] = {};
#pragma omp for
    for (std::int64_t e = 0; e < values.size() / abreast; ++e)
      for (std::int64_t i = 0; i < abreast; ++i) {
        col_sums[i] ^= cols[e * abreast + i];
        value_sums[i] += values[e * abreast + i];
      }
    for (std::int64_t i = 0; i < abreast; ++i)
      total += static_cast<double>(col_sums[i]) + static_cast<double>(value_sums[i]);
  }
  for (std::int64_t e = values.size() / abreast * abreast; e < values.size(); ++e)
    total += static_cast<double>(cols[e]) + static_cast<double>(values[e]);
  sums[0] = total;
}

namespace {

struct options {
  common_options common;
  std::vector<std::string> matrices;
  std::string value = "f64";
  int samples = 9;
};

double median(std::vector<double> seconds) {
  return summarize_samples(std::move(seconds)).median;
}

struct result {
  std::string name, product;  // the kernel whose product is the unit
  std::int64_t rows = 0, cols = 0, entries = 0;
  double read_seconds = 0, product_seconds = 0, whole_seconds = 0;
  std::vector<std::pair<std::string, double>> groups;  // in the order in which they ran
};

// The fastest of the vendor's products with the matrix, or of csr/omp.
template <class Backend, class Offset, class Value>
void time_product(Backend where, const csr<Offset, Value, space_on<Backend>>& matrix, int samples,
                  result& r) {
  const Backend on = capturable(where);
  const auto m = view(matrix);
  const array<Value, host> ones = [&] {
    array<Value, host> all(matrix.cols);
    std::fill(all.begin(), all.end(), Value{1});
    return all;
  }();
  const auto x = copy_to<space_on<Backend>>(ones, place::host);
  array<Value, space_on<Backend>> y(matrix.rows);
  r.product_seconds = std::numeric_limits<double>::infinity();
  for (const auto& kernel : kernels_of(m)) {
    const bool wanted =
        std::is_same_v<Backend, cuda> ? kernel.info.vendor : std::string(kernel.info.name) == "csr/omp";
    if (!wanted || !kernel.why_not(m, operation::multiply).empty()) continue;
    const auto ready = kernel.prepare(on, m, operation::multiply);
    measure_options how;
    how.samples = samples;
    how.cold = true;
    const double seconds = measure(
                               on, [&] { ready.run(Value{1}, x.data(), Value{0}, y.data()); }, how)
                               .median;
    if (seconds >= r.product_seconds) continue;
    r.product_seconds = seconds;
    r.product = kernel.info.name;
  }
}

template <class Backend, class Value>
result time_matrix(Backend on, const std::string& name, const options& wanted) {
  progress_bar bar(name, !wanted.common.quiet);
  assembly_report report;
  const auto matrix =
      assemble<Backend, std::int32_t, Value>(on, read_matrix(name, bar.callback()), false, report, nullptr);
  result r;
  r.name = name;
  r.rows = matrix.rows;
  r.cols = matrix.cols;
  r.entries = matrix.values.size();
  array<double, space_on<Backend>> sums(read_pass_sums);
  measure_options how;
  how.samples = wanted.samples;
  how.cold = true;
  const Backend timed = capturable(on);
  r.read_seconds =
      measure(
          timed, [&] { read_pass<Value>(timed, matrix.col_indices, matrix.values, sums.data()); }, how)
          .median;
  time_product<Backend, std::int32_t, Value>(on, matrix, wanted.samples, r);

  feature_request request;  // what the host adds up from values is no walk of the backend
  request.values = false;
  request.most_entries_for_graphs = -1;
  // The whole without a log first: stages that are timed wait for the device.
  std::vector<double> whole;
  std::map<std::string, std::vector<double>> groups;
  for (int sample = -1; sample < wanted.samples; ++sample) {
    synchronize(on);
    const double start = seconds_now();
    (void)features_of(on, view(matrix), request, nullptr);
    synchronize(on);
    if (sample >= 0) whole.push_back(seconds_now() - start);
    stage_log log;
    (void)features_of(on, view(matrix), request, &log);
    for (const stage& s : log) {
      if (sample < 0)
        r.groups.emplace_back(s.name, 0);
      else
        groups[s.name].push_back(s.seconds);
    }
  }
  r.whole_seconds = median(whole);
  for (auto& [group, seconds] : r.groups) seconds = median(groups[group]);
  return r;
}

void print(const result& r) {
  fmt::print("{}: {} x {}, {} entries\n", r.name, with_commas(r.rows), with_commas(r.cols),
             with_commas(r.entries));
  fmt::print("  {:<20} {:>11} {:>13} {:>11}\n", "", "ms", "read passes", "products");
  const auto line = [&](const std::string& what, double seconds) {
    fmt::print("  {:<20} {:>11.3f} {:>13.2f} {:>11.2f}\n", what, seconds * 1e3, seconds / r.read_seconds,
               seconds / r.product_seconds);
  };
  line("read pass", r.read_seconds);
  line(r.product, r.product_seconds);
  for (const auto& [group, seconds] : r.groups) line(group, seconds);
  line("whole analysis", r.whole_seconds);
}

json to_json(const result& r) {
  json groups = json::object();
  for (const auto& [group, seconds] : r.groups) groups[group] = seconds;
  return {{"name", r.name},
          {"rows", r.rows},
          {"cols", r.cols},
          {"entries", r.entries},
          {"read_pass_seconds", r.read_seconds},
          {"product", r.product},
          {"product_seconds", r.product_seconds},
          {"group_seconds", groups},
          {"analysis_seconds", r.whole_seconds}};
}

void run(const options& wanted) {
  const device_choice choice = choose_device(wanted.common);
  json all = json::array();
  for (const std::string& name : wanted.matrices) {
    result r;
    on_backend(choice.use_gpu, [&](auto on) {
      r = wanted.value == "f32" ? time_matrix<decltype(on), float>(on, name, wanted)
                                : time_matrix<decltype(on), double>(on, name, wanted);
    });
    if (wanted.common.as_json)
      all.push_back(to_json(r));
    else
      print(r);
  }
  if (wanted.common.as_json) fmt::print("{}\n", all.dump(2));
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  options wanted;
  CLI::App app("Times an analysis beside a pass over the entries and a product with the matrix.",
               "bench_analyze");
  app.add_option("matrix", wanted.matrices, "Matrices: files or generators")->required();
  app.add_option("--value", wanted.value, "Value type")
      ->transform(one_of({"f32", "f64"}))
      ->capture_default_str();
  app.add_option("--samples", wanted.samples, "Samples to take medians of")
      ->check(between(1, 1000))
      ->capture_default_str();
  add_common_options(app, wanted.common);
  set_help(app, {});
  return run_tool(app, argc, argv, [&] { run(wanted); });
}
