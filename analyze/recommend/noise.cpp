#include "analyze/recommend/noise.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "kernels/measure.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

// Of one core, or of the time: below this nothing is said. A system that is left alone stays below a fifth of
// it.
constexpr double worth_saying = 0.05;
// Where a GPU computes, a thread that waits delays the start of a product, which is not in its time.
constexpr double worth_saying_of_launches = 0.25;
// Seconds. A system lets others have a core for milliseconds at a time, which is much of a shorter time.
constexpr double least_watch_of_launches = 0.1;
// What a process that has just ended used is still told for a moment.
constexpr double worth_saying_of_gpu = 0.2;
// A core that is not asked for may be used by others, though they take of the memory's bandwidth.
constexpr double free_share = 0.1;
constexpr double least_look = 0.02;  // seconds between two looks at the clocks

std::string cores_text(double cores) {
  return cores < 1.005 ? fmt::format("{:.2f} of a core", cores) : fmt::format("{:.1f} cores", cores);
}

std::string percent_text(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// The CPUs this process may use.
std::set<int> own_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::set<int> cpus;
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return cpus;  // more than the mask has room for
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) cpus.insert(cpu);
  return cpus;
}

double own_seconds() {
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return 0;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The time that a thread waited longest, of all that are there at both times or began in between.
double longest_wait(const cpu_reading& before, const cpu_reading& after) {
  double longest = 0;
  for (const auto& [thread, waited] : after.waited) {
    const auto known = before.waited.find(thread);
    longest = std::max(longest, waited - (known == before.waited.end() ? 0 : known->second));
  }
  return longest;
}

// ---- NVML, of which only what is called here is declared ----

struct nvml_utilization {
  unsigned pid;
  unsigned long long time;                // microseconds
  unsigned sm, memory, encoder, decoder;  // percent
};
using nvml_device = void*;

// Reasons for clocks below what was asked for. That a GPU is idle, or set to lower clocks, is none.
constexpr std::pair<std::uint64_t, const char*> clock_reasons[] = {{0x4, "its power limit"},
                                                                   {0x8, "a slowdown of the hardware"},
                                                                   {0x20, "its temperature"},
                                                                   {0x40, "its temperature"},
                                                                   {0x80, "the power supply"}};

class nvml {
 public:
  // Loaded and begun once; it stays until the process ends.
  static const nvml& here() {
    static const nvml one;
    return one;
  }

  nvml_device device(const std::string& gpu) const {
    nvml_device found = nullptr;
    if (!begun_ || by_bus_ == nullptr || by_bus_(gpu.c_str(), &found) != 0) return nullptr;
    return found;
  }
  std::optional<std::uint64_t> reasons(nvml_device of) const {
    unsigned long long bits = 0;
    if (reasons_ == nullptr || reasons_(of, &bits) != 0) return {};
    return bits;
  }
  std::vector<nvml_utilization> utilization(nvml_device of, unsigned long long since) const {
    unsigned count = 0;
    if (utilization_ == nullptr) return {};
    utilization_(of, nullptr, &count, since);  // says that there is no room, and for how many there has to be
    std::vector<nvml_utilization> all(count);
    if (count == 0 || utilization_(of, all.data(), &count, since) != 0) return {};
    all.resize(std::min<std::size_t>(all.size(), count));
    return all;
  }

 private:
  nvml() {
    void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    int (*begin)() = nullptr;
    find(library, "nvmlInit_v2", begin);
    find(library, "nvmlDeviceGetHandleByPciBusId_v2", by_bus_);
    find(library, "nvmlDeviceGetCurrentClocksEventReasons", reasons_);
    if (reasons_ == nullptr)
      find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons_);  // until 12.1
    find(library, "nvmlDeviceGetProcessUtilization", utilization_);
    begun_ = begin != nullptr && begin() == 0;
  }
  template <class Function>
  static void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
  }

  bool begun_ = false;
  int (*by_bus_)(const char*, nvml_device*) = nullptr;
  int (*reasons_)(nvml_device, unsigned long long*) = nullptr;
  int (*utilization_)(nvml_device, nvml_utilization*, unsigned*, unsigned long long) = nullptr;
};

unsigned long long microseconds_now() {
  return static_cast<unsigned long long>(std::chrono::duration_cast<std::chrono::microseconds>(
                                             std::chrono::system_clock::now().time_since_epoch())
                                             .count());
}

// Of the processes on the GPU, what those used that are not this one. In a container the driver knows this
// one by another number: it is then the one that used most.
double share_of_others(std::vector<gpu_process> all) {
  auto own = std::find_if(all.begin(), all.end(), [](const gpu_process& p) { return p.id == ::getpid(); });
  if (own == all.end())
    own = std::max_element(all.begin(), all.end(),
                           [](const gpu_process& a, const gpu_process& b) { return a.share < b.share; });
  if (own != all.end()) all.erase(own);
  double share = 0;
  for (const gpu_process& p : all) share += p.share;
  return std::min(share, 1.0);
}

}  // namespace

// ---- the processors ----

cpu_reading read_cpus(const fs::path& proc) {
  cpu_reading now;
  const std::set<int> cpus = own_cpus();
  now.cpus = static_cast<int>(cpus.size());
  const double ticks = static_cast<double>(std::max(::sysconf(_SC_CLK_TCK), 1L));
  std::ifstream stat(proc / "stat");
  for (std::string line; std::getline(stat, line);) {
    // The line of their sum begins "cpu  ", and its first number is none of a CPU.
    if (!line.starts_with("cpu") || line.find_first_not_of("0123456789", 3) == 3) continue;
    if (!cpus.contains(std::atoi(line.c_str() + 3))) continue;
    std::istringstream numbers(line.substr(line.find(' ')));
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0, stolen = 0;
    if (!(numbers >> user >> nice >> system >> idle >> waiting >> interrupts >> soft)) continue;
    numbers >> stolen;  // which older systems do not tell
    now.busy = now.busy.value_or(0) + (user + nice + system) / ticks;
    now.stolen = now.stolen.value_or(0) + stolen / ticks;
  }
  std::error_code missing;
  for (const fs::directory_entry& task : fs::directory_iterator(proc / "self" / "task", missing)) {
    std::ifstream file(task.path() / "schedstat");
    double ran = 0, waited = 0;  // nanoseconds
    if (file >> ran >> waited) now.waited[std::atoi(task.path().filename().c_str())] = waited / 1e9;
  }
  now.own = own_seconds();
  now.at = seconds_now();
  return now;
}

std::vector<std::string> disturbances_between(const cpu_reading& before, const cpu_reading& after,
                                              int threads) {
  const double seconds = after.at - before.at;
  std::vector<std::string> said;
  if (seconds <= 0) return said;
  // The system counts in ticks of 10 ms, for each CPU on its own.
  const double unsure = 0.02 * std::sqrt(after.cpus) / seconds;
  // What a system does for itself grows with its CPUs.
  const double worth = worth_saying * std::max(1.0, after.cpus / 4.0);
  if (before.busy && after.busy) {
    const double others = (*after.busy - *before.busy - (after.own - before.own)) / seconds;
    if (others > worth + unsure + free_share * std::max(0, after.cpus - threads))
      said.push_back("other processes used " + cores_text(others));
  }
  if (before.stolen && after.stolen) {
    const double stolen = (*after.stolen - *before.stolen) / seconds;
    if (stolen > worth + unsure) said.push_back("the hypervisor took " + cores_text(stolen));
  }
  if (const double waited = longest_wait(before, after) / seconds; waited > worth_saying)
    said.push_back("a thread waited " + percent_text(waited) + " of the time for a core");
  return said;
}

std::vector<std::string> disturbances_of_launches(const cpu_reading& before, const cpu_reading& after,
                                                  int thread) {
  const double seconds = after.at - before.at;
  const auto first = before.waited.find(thread), last = after.waited.find(thread);
  if (seconds < least_watch_of_launches || first == before.waited.end() || last == after.waited.end())
    return {};
  const double waited = (last->second - first->second) / seconds;
  if (waited <= worth_saying_of_launches) return {};
  return {"the thread that starts products waited " + percent_text(waited) + " of the time for a core"};
}

// ---- the GPU ----

gpu_driver driver_of(const std::string& gpu) {
  const nvml_device device = nvml::here().device(gpu);
  if (device == nullptr) return {};
  const unsigned long long since = microseconds_now();
  return {[device] { return nvml::here().reasons(device); },
          [device, since] {
            std::map<int, double> most;
            for (const nvml_utilization& one : nvml::here().utilization(device, since)) {
              double& share = most[static_cast<int>(one.pid)];
              share = std::max(share, one.sm / 100.0);
            }
            std::vector<gpu_process> all;
            for (const auto& [id, share] : most) all.push_back({id, share});
            return all;
          }};
}

// ---- while something is measured ----

noise_watch::noise_watch(openmp) : before_(read_cpus()) {}

noise_watch::noise_watch(cuda) : noise_watch(driver_of(find_gpu().identity)) {}

noise_watch::noise_watch(gpu_driver driver)
    : on_gpu_(true), before_(read_cpus()), driver_(std::move(driver)) {}

void noise_watch::look() {
  if (!driver_.clock_reasons || seconds_now() - looked_at_ < least_look) return;
  const std::optional<std::uint64_t> bits = driver_.clock_reasons();
  looked_at_ = seconds_now();
  if (!bits) return;
  ++looks_;
  for (const auto& [bit, words] : clock_reasons)
    if ((*bits & bit) != 0) ++throttled_[bit];
}

std::vector<std::string> noise_watch::disturbances() const {
  if (!on_gpu_) return disturbances_between(before_, read_cpus(), thread_count());
  std::vector<std::string> said = disturbances_of_launches(before_, read_cpus(), ::gettid());
  if (driver_.processes)
    if (const double others = share_of_others(driver_.processes()); others > worth_saying_of_gpu)
      said.push_back("other processes used " + percent_text(others) + " of the GPU");
  std::set<std::string> causes;
  for (const auto& [bit, words] : clock_reasons)
    if (const auto seen = throttled_.find(bit); seen != throttled_.end() && 10 * seen->second > looks_)
      causes.insert(words);
  if (!causes.empty())
    said.push_back(fmt::format("the GPU's clocks were held down by {}", fmt::join(causes, " and ")));
  return said;
}

// ---- what the results show ----

std::vector<std::string> disturbances_in(const matrix_result& found, bool warm) {
  // Found beside quiet runs, whose leaders stay below half of these: a spread of the samples, as a share of
  // their median, beyond what starting anything spreads; and how many times as long everybody takes as
  // expected.
  constexpr double much_spread = 0.6, far_from_expected = 5;
  constexpr double long_enough = 20e-6;  // shorter ones spread on the quietest of machines
  constexpr int least_samples = 10, least_contestants = 5;
  std::array<const contestant_result*, all_operations.size()> fastest = {};
  double nearest = std::numeric_limits<double>::infinity();
  int compared = 0;
  for (const variant_result& f : found.variants)
    for (const contestant_result& k : f.contestants) {
      if (!k.timed()) continue;
      const double seconds = k.time.deciding(warm).median,
                   expected = warm ? k.expected.warm : k.expected.cold;
      const contestant_result*& first = fastest[static_cast<std::size_t>(k.op)];
      if (first == nullptr || seconds < first->time.deciding(warm).median) first = &k;
      if (expected <= 0) continue;
      ++compared;
      nearest = std::min(nearest, (seconds - found.clock_seconds) / expected);
    }
  std::vector<std::string> said;
  double spread = 0;
  for (const contestant_result* k : fastest) {
    if (k == nullptr) continue;
    const timing& t = k->time.deciding(warm);
    if (t.samples >= least_samples && t.median >= long_enough)
      spread = std::max(spread, (t.p90 - t.p10 - 2 * found.clock_seconds) / t.median);
  }
  if (spread > much_spread)
    said.push_back("the times of the fastest spread by " + percent_text(spread) + " of their median");
  if (compared >= least_contestants && nearest >= far_from_expected)
    said.push_back(fmt::format("every kernel took at least {:.1f} x what is predicted", nearest));
  return said;
}

}  // namespace sparsmith
