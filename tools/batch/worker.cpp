#include "tools/batch/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <string_view>

#include "analyze/recommend/machine_cache.hpp"
#include "analyze/recommend/recommend.hpp"
#include "analyze/recommend/standing.hpp"
#include "analyze/report/json.hpp"
#include "analyze/report/recommend_json.hpp"
#include "analyze/structure/value_features.hpp"
#include "convert/convert.hpp"
#include "convert/error.hpp"
#include "convert/io/read.hpp"
#include "tools/batch/inputs.hpp"
#include "tools/batch/job.hpp"
#include "tools/batch/sha256.hpp"
#include "tools/tool.hpp"

namespace sparsmith {
namespace {

void say(const std::string& line) {
  // Whoever listened is gone, and with it the reason to go on.
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() || std::fputc('\n', stdout) == EOF ||
      std::fflush(stdout) != 0)
    std::_Exit(1);
}

void wait_for_go() {
  std::string answer;
  if (!std::getline(std::cin, answer) || answer != "go") std::_Exit(1);
}

// Seconds of each stage, told as they begin.
class stage_clock {
 public:
  void begin(const std::string& name) {
    end();
    name_ = name;
    since_ = seconds_now();
    say(says_stage + name);
  }
  void end() {
    if (!name_.empty()) stages_.push_back({{"name", name_}, {"seconds", seconds_now() - since_}});
    name_.clear();
  }
  const json& stages() const { return stages_; }

 private:
  std::string name_;
  double since_ = 0;
  json stages_ = json::array();
};

// Of a file; empty where there is none.
std::string content_of(const std::string& path, const source_state& source) {
  if (source.kind == "generator") return "generator:" + path;
  // Nobody may write to a pipe for ever, and what came out of it once is not there for the next run.
  refuse_what_no_batch_reads(path);
  if (source.kind != "file") return "";
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw error(failure::input, fmt::format("{}: {}", path, std::strerror(errno)));
  sha256 hash;
  std::string buffer(1 << 20, '\0');
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw error(failure::input, fmt::format("{}: {}", path, std::strerror(errno)));
    if (count == 0) break;
    hash.add(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
  }
  ::close(descriptor);
  return "sha256:" + hash.hex();
}

// How this matrix is to misbehave for the sake of a test: SPARSMITH_BATCH_FAULTS="part of a name=how;...".
// Without it nobody could tell whether isolation works.
std::string_view fault_of(const std::string& path) {
  const char* const faults = std::getenv("SPARSMITH_BATCH_FAULTS");
  std::string_view rest = faults == nullptr ? "" : faults;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t equals = one.rfind('=');
    if (equals != std::string_view::npos && path.find(one.substr(0, equals)) != std::string::npos)
      return one.substr(equals + 1);
  }
  return "";
}

void misbehave(std::string_view how, const std::string& path) {
  if (how == "abort") std::abort();
  if (how == "segv") std::raise(SIGSEGV);
  if (how == "exit") std::_Exit(7);
  if (how == "garbage") say("no line of the protocol");
  if (how == "silent") ::close(STDOUT_FILENO);
  if (how == "touched") ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  if (how == "hang" || how == "silent")
    while (true) ::pause();
  if (how == "memory")
    for (std::vector<std::string> taken;; ::usleep(1000)) taken.emplace_back(std::size_t{16} << 20, 'x');
  if (how == "disk") {
    std::FILE* const file = std::tmpfile();
    while (file != nullptr && std::fputs("all of it ", file) >= 0) continue;
    throw error(failure::output, "the disk is full");
  }
}

// Figures to six digits: what was measured has no more, and lines are half as long.
double six_digits(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr) : value;
}
void round_figures(json& value) {
  if (value.is_number_float()) {
    value = six_digits(value);
  } else {
    for (json& inner : value)
      if (inner.is_structured() || inner.is_number_float()) round_figures(inner);
  }
}

// All that a verdict is made of, as it will be read from the line: a GPU's clock ticks so seldom that equal
// medians are common, and whoever reads the line must not see another one of them ahead by its last bit.
void round_results(recommendation& r) {
  const auto keep = [](double& seconds, double unit) { seconds = six_digits(seconds * unit) / unit; };
  const double products = r.wanted.weights[0] + r.wanted.weights[1];
  if (!r.wanted.one_pass)
    for (double& weight : r.wanted.weights) weight = six_digits(weight / products);
  for (variant_result& f : r.found.variants) {
    for (double* const seconds : {&f.convert_seconds, &f.expected_convert_seconds}) keep(*seconds, 1e3);
    for (contestant_result& k : f.contestants) {
      keep(k.prepare_seconds, 1e3);
      for (timing* const t : {&k.time.warm, &k.time.cold})
        for (double* const seconds : {&t->median, &t->p10, &t->p90, &t->low, &t->high}) keep(*seconds, 1e6);
      for (double* const seconds : {&k.expected.warm, &k.expected.cold}) keep(*seconds, 1e6);
    }
  }
}

// What came of a matrix; null where it was not asked for, or not reached.
struct parts {
  json matrix, analysis, recommendation, failed;
  json not_raced;          // why, where kernels were to race on a matrix that was analysed
  matrix_features values;  // of_values and structural_rank alone, which no race finds out
  bool changed = false;    // while it was read: nothing that came of it is of the content that was told
};

json failure_of(const char* cause, const std::string& message) {
  return {{"cause", cause}, {"message", message}};
}

void tell_features(matrix_features&& features, const std::string& name, const std::string& field,
                   const batch_options& options, parts& result) {
  result.matrix["entries"] = features.entries;
  if (!options.analyze) return;
  features.name = name;
  features.field = field;
  if (!features.of_values) features.of_values = result.values.of_values;
  if (!features.structural_rank) features.structural_rank = result.values.structural_rank;
  if (!features.rcm_bandwidth) features.rcm_bandwidth = result.values.rcm_bandwidth;
  result.analysis = to_json(features);
}

// What no race asks for, while the matrix is on the host.
template <class Offset, class Value>
void look_at_values(const csr<Offset, Value, view_of<host>>& matrix, parts& result) {
  const openmp on;
  result.values.entries = matrix.values.size();
  if (is_hypersparse(matrix.rows, matrix.cols, matrix.values.size()))
    add_value_features(on, hypersparse_of(on, matrix), {}, result.values);
  else
    add_value_features(on, matrix, {}, result.values);
}

// Of CSR, or of a hypersparse matrix.
template <class Backend, class Matrix>
void analyze(Backend on, const Matrix& matrix, const std::string& name, const std::string& field,
             const batch_options& options, stage_clock& stages, parts& result) {
  stages.begin("features");
  feature_request wanted;
  wanted.grid_rows = wanted.grid_cols = json_grid_side;
  if constexpr (is_complex<typename Matrix::value_type>)
    tell_features(features_of_complex(on, matrix, wanted), name, field, options, result);
  else
    tell_features(features_of(on, matrix, wanted, nullptr), name, field, options, result);
}

template <class Backend, class Offset, class Value>
void work_on(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix, const std::string& name,
             const std::string& field, const batch_options& options, int share, double began,
             stage_clock& stages, parts& result) {
  const auto doing = [&](const std::string& text) { say(says_stage + text); };
  if (options.recommend) {
    stages.begin("recommending");
    // What is predicted is predicted for the machine as products have it, whatever this process may take of
    // it.
    set_thread_count(options.threads);
    const known_machine machine = know_machine(on, false, true);
    if (!options.measures()) set_thread_count(share);
    recommend_request request;
    request.machine = machine.description;
    request.rates = machine.rates;
    request.noisy_rates = machine.noisy;
    request.wanted.weights = options.mix;
    request.wanted.one_pass = options.one_pass;
    request.wanted.warm = options.warm;
    request.predict = options.predict;
    request.budget = options.budget;
    request.began = began + machine.seconds;  // it is measured once a machine, and not for this matrix
    recommendation told = recommend<Backend, Offset, Value>(on, matrix, request, doing);
    told.name = told.features.name = name;
    told.features.field = field;
    round_results(told);
    const verdict v = verdict_of(told.found, told.wanted);
    result.recommendation = to_json(told, v);
    if (!v.winner) {
      std::string message = name + ": no kernel ran, so there is no verdict";
      const std::vector<listed_contestant> all = contestants_of(told.found);
      const auto first = std::find_if(all.begin(), all.end(),
                                      [](const listed_contestant& one) { return !one.reason.empty(); });
      if (first != all.end()) message += "; the first reason: " + first->reason;
      result.failed = failure_of("error", message);
    }
    for (const std::string& wrong : wrong_results(told.found)) result.failed = failure_of("error", wrong);
    // Figures of complex values are those of their absolute values, which are not looked at beside a race.
    if (is_complex<Value> && options.analyze)
      analyze(on, matrix, name, field, options, stages, result);
    else
      tell_features(std::move(told.features), name, field, options, result);
  } else {
    analyze(on, matrix, name, field, options, stages, result);
  }
}

void work(const std::string& path, const json& job, stage_clock& stages, parts& result) {
  const batch_options options = options_from_json(job.at("options"));
  const bool use_gpu = options.backend == cuda::name;
  const int share = job.at("threads");
  set_thread_count(share);
  double began = seconds_now();

  stages.begin("hashing");
  const source_state hashed = look_at_source(path);
  say(says_content + content_of(path, hashed));
  const double asked = seconds_now();
  wait_for_go();
  began += seconds_now() - asked;

  stages.begin("reading");
  const std::string_view fault = fault_of(path);
  misbehave(fault, path);
  const auto look_again = [&] {
    const source_state now = look_at_source(path);
    result.changed = now.bytes != hashed.bytes || now.modified_ns != hashed.modified_ns;
  };
  matrix_entries source = [&] {
    try {
      return read_matrix(path, {}, {complex_values::keep});
    } catch (...) {
      look_again();  // half of what is being written is no matrix
      throw;
    }
  }();
  // Its result would stand under the hash of what is not there any more.
  look_again();
  if (result.changed) throw error(failure::input, path + ": was changed while it was read");
  result.matrix = {{"rows", source.entries.rows},
                   {"cols", source.entries.cols},
                   {"entries", nullptr},
                   {"field", source.field},
                   {"origin", source.origin}};
  const std::string field = source.field;
  stages.begin("assembling");
  const std::int64_t most = most_entries(source);
  with_any_types(
      {needs_wide_offsets(most), options.single_values.value_or(source.single_precision), field == "complex"},
      [&]<class Offset, class Value>() {
        assembly_report report;
        // What somebody should look at, as the other tools say it.
        const auto note_doubt = [&] {
          if (const std::string doubt = doubt_about(report); !doubt.empty()) result.matrix["note"] = doubt;
        };
        if (!options.recommend && is_hypersparse(source.entries.rows, source.entries.cols, most)) {
          using value = std::conditional_t<is_complex<Value>, complex128, Value>;
          const auto matrix = assemble_hypersparse<Offset, value>(std::move(source), false, report, nullptr);
          note_doubt();
          on_backend(use_gpu, [&](auto on) { analyze(on, matrix, path, field, options, stages, result); });
          return;
        }
        // On the host, also where the products are for a GPU: that is another matrix's until it says so.
        auto matrix = assemble<openmp, Offset, Value>(openmp{}, std::move(source), false, report, nullptr);
        note_doubt();
        if constexpr (!is_complex<Value>)
          if (options.analyze && options.recommend) look_at_values(view(matrix), result);
        // Kernels then read where nothing is, which a GPU's context does not survive.
        if (fault == "indices") std::fill(matrix.col_indices.begin(), matrix.col_indices.end(), 0x7fffff00);
        if (use_gpu) {
          stages.begin("starting the device");
          if (!find_gpu().usable) throw error(failure::device, find_gpu().description);
        }
        if (options.measures()) {
          stages.begin("waiting");
          const double ready = seconds_now();
          say(says_device);
          wait_for_go();
          began += seconds_now() - ready;
        }
        on_backend(use_gpu, [&](auto on) {
          using backend = decltype(on);
          if constexpr (std::is_same_v<backend, openmp>) {
            work_on<backend, Offset, Value>(on, view(matrix), path, field, options, share, began, stages,
                                            result);
          } else {
            stages.begin("copying to the device");
            const auto there = copy_to<space_on<backend>>(matrix);
            matrix = {};
            work_on<backend, Offset, Value>(on, view(there), path, field, options, share, began, stages,
                                            result);
          }
        });
        stages.end();
        say(says_free);
      });
}

// Where matrices are going to run, and what is locked for it.
json describe(const json& job) {
  common_options wish;
  wish.device = job.at("device");
  wish.threads = job.at("threads");
  const device_choice choice = choose_device(wish);
  // What the machine can do is measured now, while nothing else runs, and remembered.
  std::string code_doubt;
  if (job.at("rates"))
    on_backend(choice.use_gpu, [&](auto on) { code_doubt = know_machine(on, false).description.code_doubt; });
  return {{"backend", choice.use_gpu ? cuda::name : openmp::name},
          {"note", choice.note},
          {"code_doubt", code_doubt},
          {"device", choice.use_gpu ? find_gpu().identity : ""},
          {"threads", thread_count()}};
}

}  // namespace

int run_worker(int argc, char** argv) {
  // A worker whose parent is gone, however it went, has nobody to work for.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "spbatch worker");
  std::string line;
  if (::isatty(STDIN_FILENO) == 1 || !std::getline(std::cin, line)) {
    fmt::print(stderr, "spbatch: {} is how spbatch starts itself for every matrix\n", worker_flag);
    return 2;
  }
  json result;
  stage_clock stages;
  parts found;
  try {
    const json job = json::parse(line);
    // It may have gone before the line above that asked to be told.
    if (::getppid() != job.at("parent").get<int>()) return 1;
    if (argc < 3)
      result = describe(job);
    else
      work(argv[2], job, stages, found);
  } catch (const error& problem) {
    found.failed = failure_of(problem.category() == failure::resources ? "memory"
                              : problem.category() == failure::device  ? "device"
                              : problem.category() == failure::output  ? "disk"
                                                                       : "error",
                              problem.what());
  } catch (const std::bad_alloc&) {
    found.failed = failure_of("memory", "out of memory");
  } catch (const std::exception& problem) {
    found.failed = failure_of("error", problem.what());
  }
  stages.end();
  if (argc >= 3 || !found.failed.is_null()) {
    result["failure"] = std::move(found.failed);
    result["changed"] = found.changed;
    result["not_raced"] = std::move(found.not_raced);
    result["matrix"] = std::move(found.matrix);
    result["stages"] = stages.stages();
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    result["memory_peak"] = std::int64_t{used.ru_maxrss} * 1024;
    result["analysis"] = std::move(found.analysis);
    result["recommendation"] = std::move(found.recommendation);
    round_figures(result);
  }
  say(says_result + result.dump(-1, ' ', false, json::error_handler_t::replace));
  // The result is told; what a device does while its context is taken down can spoil nothing any more.
  std::_Exit(0);
}

}  // namespace sparsmith
