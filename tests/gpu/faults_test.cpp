// A GPU that lets one down: its memory ends at any allocation of a pipeline, an analysis or a preparation;
// another process fills it; it is lost. Each is one error of the call, nothing stays allocated, the CPU goes
// on, and a tool that was free to choose says where it went.
#if SPARSMITH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

#include <nlohmann/json.hpp>

#include "analyze/recommend/machine_cache.hpp"
#include "analyze/recommend/recommend.hpp"
#include "analyze/recommend/standing.hpp"
#include "analyze/structure/features.hpp"
#include "convert/convert.hpp"
#include "convert/io/read.hpp"
#include "convert/pipelines/structure.hpp"
#include "kernels/bound_kernels.hpp"
#include "tests/battery.hpp"
#include "tests/gpu/gpu_here.hpp"
#include "tests/gpu/lost_device.hpp"
#include "tests/tools/process.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

// How many allocations on the device succeed before all others fail; negative: all do.
std::int64_t allocations_left = -1;

}  // namespace

// The linker leads calls of device_memory::allocate here.
extern "C" {
void* __real__ZN9sparsmith13device_memory8allocateEl(std::int64_t bytes);
void* __wrap__ZN9sparsmith13device_memory8allocateEl(std::int64_t bytes) {
  if (allocations_left == 0) throw error(failure::resources, "CUDA: out of memory");
  if (allocations_left > 0) --allocations_left;
  return __real__ZN9sparsmith13device_memory8allocateEl(bytes);
}
}

#if SPARSMITH_HAS_CUDA
namespace {

std::int64_t held_on_device() {
  reset_peak_bytes(place::device);
  return peak_bytes(place::device);
}

// How often the device's memory ran out until there was enough: each time as an error that says so, with
// nothing left behind. Then the action must succeed, whatever failed before it.
template <class Action>
int times_running_out(const Action& action) {
  action();
  const std::int64_t before = held_on_device();
  int times = 0;
  for (std::int64_t enough = 0;; ++enough, ++times) {
    INFO("with " << enough << " allocations");
    allocations_left = enough;
    bool ran_out = false;
    try {
      action();
    } catch (const error& problem) {
      ran_out = true;
      CHECK(problem.category() == failure::resources);
    }
    const bool met_the_end = allocations_left == 0;
    allocations_left = -1;
    CHECK(held_on_device() == before);
    CHECK((!ran_out || met_the_end));
    if (!ran_out) return times;
  }
}

conversion_options without_limit() {
  conversion_options options;
  options.max_fill = no_limit;
  return options;
}

using gpu_matrix = csr<std::int32_t, double, device>;

gpu_matrix matrix_of(const char* spec) {
  assembly_report report;
  return assemble<cuda, std::int32_t, double>({}, read_matrix(spec), false, report, nullptr);
}

// Takes the memory that is left on the GPU, but for so many bytes, as another process would: the tools are
// other processes.
class filled_gpu {
 public:
  explicit filled_gpu(std::size_t left) {
    std::size_t unused = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&unused, &total) == cudaSuccess);
    if (unused > left) REQUIRE(cudaMalloc(&taken_, unused - left) == cudaSuccess);
  }
  filled_gpu(const filled_gpu&) = delete;
  ~filled_gpu() { (void)cudaFree(taken_); }

 private:
  void* taken_ = nullptr;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

struct tools {
  temporary_folder folder{"gpu_faults_test"};
  outcome run(const char* tool, const std::string& arguments) const {
    return run_command(from_environment(tool) + " " + arguments, folder / "run");
  }
};

// Whether of two matrices one failed for this cause, and the other did not.
bool failed_for(const outcome& batch, const std::string& cause) {
  const auto told = nlohmann::json::parse(batch.out, nullptr, false);
  return batch.status == 1 && told.is_object() && told["run"]["ok"] == 1 && told["run"]["failed"] == 1 &&
         told["summary"]["failures"][0]["cause"] == cause;
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;
// Too large for what is left beside a context, assembled and all.
const std::string large = "'gen:uniform?n=32000&density=0.1'";

}  // namespace
#endif

TEST_CASE("the GPU's memory ends anywhere in a conversion") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  int times = times_running_out([] { matrix_of("gen:rmat?scale=9"); });
  CHECK(times > 0);
  const gpu_matrix general = matrix_of("gen:blockband?n=600&block=5&density=0.1"),
                   symmetric = matrix_of("gen:laplace2d?n=30");
  for (const format_kind format : all_formats()) {
    INFO(name_of(format));
    const gpu_matrix& matrix = whole_of(format) ? symmetric : general;
    const int of_format = times_running_out([&] {
      const auto made =
          from_csr<cuda, std::int32_t, double>({}, view(matrix), format, without_limit(), nullptr);
      to_csr<cuda, std::int32_t, double>({}, made, nullptr);
    });
    CHECK(of_format > 0);
    times += of_format;
  }
  std::cout << times << " allocations of conversions failed\n";
#endif
}

TEST_CASE("the GPU's memory ends anywhere in an analysis") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const gpu_matrix matrix = matrix_of("gen:rmat?scale=10");
  feature_request request;
  request.plan.tile = true;
  const int times = times_running_out([&] {
                      features_of<cuda, std::int32_t, double>({}, view(matrix), request, nullptr);
                    }) +
                    times_running_out([&] { count_block_shapes(cuda{}, pattern_of(matrix)); });
  CHECK(times > 0);
  std::cout << times << " allocations of analyses failed\n";
#endif
}

TEST_CASE("the GPU's memory ends while products are prepared") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const gpu_matrix general = matrix_of("gen:rmat?scale=9"), symmetric = matrix_of("gen:laplace2d?n=20");
  int times = 0, kernels = 0;
  for (const format_kind format : all_formats()) {
    const gpu_matrix& matrix = whole_of(format) ? symmetric : general;
    const auto made =
        from_csr<cuda, std::int32_t, double>({}, view(matrix), format, without_limit(), nullptr);
    std::visit(
        [&](const auto& stored) {
          for (const auto& kernel : bound_kernels_of(cuda{}, view(stored)))
            for (const operation op : plain_operations) {
              if (!kernel.why_not(op).empty()) continue;
              INFO(kernel.info.name);
              times += times_running_out([&] { kernel.prepare(op); });
              ++kernels;
            }
        },
        made);
  }
  CHECK(times > 0);
  std::cout << times << " allocations of " << kernels << " preparations failed\n";
#endif
}

TEST_CASE("the GPU's memory ends anywhere in a race") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const gpu_matrix matrix = matrix_of("gen:rmat?scale=9");
  const known_machine machine = know_machine(cuda{}, false);
  recommend_request request;
  request.machine = machine.description;
  request.rates = machine.rates;
  request.budget = 0.5;
  const std::int64_t before = held_on_device();
  int refused = 0, verdicts = 0;
  for (const std::int64_t enough : {0, 1, 3, 8, 20, 50, 100, 200, 500, 1000}) {
    INFO("with " << enough << " allocations");
    request.began = seconds_now();
    allocations_left = enough;
    try {
      const recommendation told = recommend<cuda, std::int32_t, double>({}, view(matrix), request, {});
      allocations_left = -1;
      CHECK(wrong_results(told.found).empty());
      ++verdicts;
    } catch (const error& problem) {
      allocations_left = -1;
      CHECK(problem.category() == failure::resources);
      ++refused;
    }
    CHECK(held_on_device() == before);
  }
  CHECK(refused > 0);
  std::cout << refused << " races ended for lack of memory, " << verdicts << " went on\n";
#endif
}

// Not even a context finds room.
TEST_CASE("a GPU that is full to the last") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const tools t;
  const filled_gpu full(16 * mebibyte);
  for (const char* const tool : {"SPARSMITH_SPCONV", "SPARSMITH_SPANALYZE", "SPARSMITH_SPRECOMMEND"}) {
    INFO(tool);
    const std::string matrix =
        std::string(" 'gen:laplace2d?n=40'") + (std::string(tool) == "SPARSMITH_SPCONV"        ? " --to sell"
                                                : std::string(tool) == "SPARSMITH_SPRECOMMEND" ? " --predict"
                                                                                               : "");
    const outcome asked = t.run(tool, matrix + " --device cuda");
    CHECK(asked.status == 1);
    CHECK(one_line(asked.err));
    CHECK(contains(asked.err, "memory"));
    const outcome free = t.run(tool, matrix + " --device auto");
    INFO(free.err);
    CHECK(free.status == 0);
    CHECK(contains(free.out, "OpenMP"));
    CHECK(contains(free.out + free.err, "memory"));
  }
#endif
}

TEST_CASE("a GPU that has too little left") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const tools t;
  const filled_gpu nearly_full(1400 * mebibyte);
  for (const char* const tool : {"SPARSMITH_SPCONV", "SPARSMITH_SPANALYZE"}) {
    INFO(tool);
    const bool converts = std::string(tool) == "SPARSMITH_SPCONV";
    const std::string output = t.folder / "made.h5";
    const std::string matrix = large + (converts ? " --to sell" : "");
    const outcome asked = t.run(tool, matrix + (converts ? " -o " + output : "") + " --device cuda");
    INFO(asked.err);
    CHECK(asked.status == 1);
    CHECK(one_line(asked.err));
    CHECK(contains(asked.err, "memory"));
    CHECK(!std::filesystem::exists(output));
    const outcome free = t.run(tool, matrix + " --device auto");
    INFO(free.err);
    CHECK(free.status == 0);
    CHECK(contains(free.err, "on the CPU after all: OpenMP"));
    CHECK(contains(free.out, "OpenMP"));
  }
  // The batch goes on after the one that does not fit.
  const outcome batch =
      t.run("SPARSMITH_SPBATCH", large + " 'gen:laplace2d?n=40' --analyze --device cuda --out '" +
                                     (t.folder / "results") + "' --json --quiet");
  INFO(batch.out << batch.err);
  CHECK(failed_for(batch, "memory"));
#endif
}

TEST_CASE("a device that is lost", "[.lost]") {
  REQUIRE(gpu_here());
#if SPARSMITH_HAS_CUDA
  const gpu_matrix matrix = matrix_of("gen:rmat?scale=9");
  std::optional<any_format<std::int32_t, double, device>> made =
      from_csr<cuda, std::int32_t, double>({}, view(matrix), format_kind::sell, without_limit(), nullptr);
  REQUIRE(lose_device());
  const auto device_error = [](const auto& action) {
    try {
      action();
    } catch (const error& problem) {
      const std::string what = problem.what();
      return problem.category() == failure::device && contains(what, "CUDA: ") && !contains(what, "\n");
    }
    return false;
  };
  CHECK(device_error([] { matrix_of("gen:rmat?scale=9"); }));
  CHECK(device_error([&] {
    from_csr<cuda, std::int32_t, double>({}, view(matrix), format_kind::bsr, without_limit(), nullptr);
  }));
  CHECK(device_error([&] { to_csr<cuda, std::int32_t, double>({}, *made, nullptr); }));
  CHECK(device_error([] { synchronize(cuda{}); }));
  made.reset();  // what is given back has nobody to complain to
  assembly_report report;
  const auto on_cpu =
      assemble<openmp, std::int32_t, double>({}, read_matrix("gen:rmat?scale=9"), false, report, nullptr);
  CHECK(on_cpu.values.size() > 0);
#endif
}

TEST_CASE("a process whose device is lost says so and ends as usual") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const tools t;
  const outcome r = t.run("SPARSMITH_FAULTS_TEST", "'[.lost]'");
  INFO(r.out << r.err);
  CHECK(r.status == 0);
  CHECK(contains(r.out, "All tests passed"));
#endif
}

// The kernels read where nothing is, which a GPU's context does not survive: the next matrix has its own.
TEST_CASE("a batch goes on after a matrix that loses the device") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const tools t;
  const outcome batch =
      run_command("SPARSMITH_BATCH_FAULTS='scale=9=indices' " + from_environment("SPARSMITH_SPBATCH") +
                      " 'gen:rmat?scale=9' 'gen:laplace2d?n=40' --device cuda --budget 5 --out '" +
                      (t.folder / "results") + "' --json --quiet",
                  t.folder / "run");
  INFO(batch.out << batch.err);
  CHECK(failed_for(batch, "error"));
#endif
}
