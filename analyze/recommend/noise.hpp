// Whether others got in the way of measuring: what the system and the GPU's driver say about it, and what the
// results themselves show. Phrases that follow "The machine was busy:"; where nothing is known, nothing is
// said.
#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "analyze/recommend/results.hpp"

namespace sparsmith {

// ---- the processors ----

// What the system has counted by now. Seconds, from some time on.
struct cpu_reading {
  double at = 0;
  // That all processes together used the CPUs this one may use, and that a hypervisor took of them.
  std::optional<double> busy, stolen;
  double own = 0;                // that this process used
  std::map<int, double> waited;  // that its threads could have run but had no core, by thread
  int cpus = 0;                  // that it may use
};
// From a folder that is /proc, or stands for it.
cpu_reading read_cpus(const std::filesystem::path& proc = "/proc");

// What got in the way of so many threads that computed from one reading to the other.
std::vector<std::string> disturbances_between(const cpu_reading& before, const cpu_reading& after,
                                              int threads);
// The same where a GPU computed: that others use processors does not matter there, unless the thread that
// starts products could not.
std::vector<std::string> disturbances_of_launches(const cpu_reading& before, const cpu_reading& after,
                                                  int thread);

// ---- the GPU ----

struct gpu_process {
  int id = 0;
  double share = 0;  // of the GPU's time that it used, at most
};
// What is asked of the driver; a question that it does not answer is empty.
struct gpu_driver {
  std::function<std::optional<std::uint64_t>()> clock_reasons;  // why clocks are as they are, as NVML's bits
  std::function<std::vector<gpu_process>()> processes;          // that ran since this was made
};
// By NVML, which is looked for at run time. The GPU is named as gpu_state::identity does.
gpu_driver driver_of(const std::string& gpu);

// ---- while something is measured ----

class noise_watch {
 public:
  explicit noise_watch(openmp on);
  explicit noise_watch(cuda on);
  explicit noise_watch(gpu_driver driver);

  void look();  // between two measurements: at the GPU's clocks
  std::vector<std::string> disturbances() const;

 private:
  bool on_gpu_ = false;
  cpu_reading before_;
  gpu_driver driver_;
  double looked_at_ = 0;
  int looks_ = 0;
  std::map<std::uint64_t, int> throttled_;  // looks, by reason
};

// ---- what the results show ----

// Samples of the leaders that spread as they do on no quiet machine, and times that are far from what was
// expected of everybody.
std::vector<std::string> disturbances_in(const matrix_result& found, bool warm);

}  // namespace sparsmith
