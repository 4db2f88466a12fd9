#include "kernels/measure.hpp"

#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>

#include "convert/error.hpp"

namespace sparsmith {
namespace {

// More than all caches of this machine hold together.
std::int64_t doubles_beyond_cache() {
  static const std::int64_t caches = cache_bytes_or(64 << 20);  // rather too much
  return caches * 2 / std::int64_t{sizeof(double)};
}

// Held by nobody but those who measure, and one block for all of them: who comes while it is made waits.
std::shared_ptr<array<double, host>> cold_doubles() {
  static std::mutex holding;
  static std::weak_ptr<array<double, host>> held;
  const std::lock_guard alone(holding);
  std::shared_ptr<array<double, host>> memory = held.lock();
  if (memory != nullptr) return memory;
  memory = std::make_shared<array<double, host>>(doubles_beyond_cache());
  array<double, host>& values = *memory;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < values.size(); ++i) values[i] = 0;
  held = memory;
  return memory;
}

std::string first_word_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

// "32768K", "32M" or a plain number of bytes.
std::int64_t parse_cache_size(const std::string& text) {
  std::int64_t size = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (problem != std::errc()) return 0;
  const char unit = rest == text.data() + text.size() ? ' ' : *rest;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : unit == 'G' ? size << 30 : size;
}

// Replaces what the caches of all threads hold. Reading does; written lines would have to be written back
// later, in what is timed.
void replace_caches(const array<double, host>& memory) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t i = 0; i < memory.size(); i += 8) sum += memory[i];
  [[maybe_unused]] volatile const double used = sum;
}

// How long the threads of a parallel region have waited for a core, as the system counts it. Two of them on
// one core, while another process has the next, make a product of 3 us one of 240.
class waiting_threads {
 public:
  waiting_threads() {
    std::vector<pid_t> threads(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
    threads[static_cast<std::size_t>(omp_get_thread_num())] = ::gettid();
    for (const pid_t thread : threads) {
      const std::string path = "/proc/self/task/" + std::to_string(thread) + "/schedstat";
      if (const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC); file >= 0) files_.push_back(file);
    }
  }
  waiting_threads(const waiting_threads&) = delete;
  ~waiting_threads() {
    for (const int file : files_) ::close(file);
  }

  // Of each of them.
  std::vector<double> seconds() const {
    std::vector<double> each(files_.size());
    std::size_t thread = 0;
    for (const int file : files_) {
      double& waits = each[thread++];
      char text[64];
      const ssize_t length = ::pread(file, text, sizeof text - 1, 0);
      if (length <= 0) continue;
      text[length] = '\0';
      unsigned long long ran = 0, waited = 0;  // nanoseconds
      if (std::sscanf(text, "%llu %llu", &ran, &waited) == 2) waits = static_cast<double>(waited) / 1e9;
    }
    return each;
  }
  // The longest that one of them waited since then.
  double longest_since(const std::vector<double>& then) const {
    const std::vector<double> now = seconds();
    double longest = 0;
    for (std::size_t i = 0; i < now.size(); ++i) longest = std::max(longest, now[i] - then[i]);
    return longest;
  }

 private:
  std::vector<int> files_;
};

}  // namespace

std::int64_t last_level_cache_bytes(const std::filesystem::path& cpus) {
  namespace fs = std::filesystem;
  int last_level = 0;
  std::map<std::string, std::int64_t> caches;  // of that level, by the CPUs that share each
  std::error_code unreadable;
  for (const fs::directory_entry& cpu : fs::directory_iterator(cpus, unreadable)) {
    if (!cpu.path().filename().string().starts_with("cpu")) continue;
    std::error_code without_caches;
    for (const fs::directory_entry& cache : fs::directory_iterator(cpu.path() / "cache", without_caches)) {
      const fs::path& at = cache.path();
      if (!at.filename().string().starts_with("index") || first_word_in(at / "type") == "Instruction")
        continue;
      const int level = std::atoi(first_word_in(at / "level").c_str());
      if (level < last_level) continue;
      if (level > last_level) caches.clear();
      last_level = level;
      caches[first_word_in(at / "shared_cpu_list")] = parse_cache_size(first_word_in(at / "size"));
    }
  }
  std::int64_t bytes = 0;
  for (const auto& [sharers, size] : caches) bytes += size;
  return bytes;
}

std::int64_t cache_bytes_or(std::int64_t guess) {
  const std::int64_t known =
      std::max(last_level_cache_bytes(), std::int64_t{::sysconf(_SC_LEVEL3_CACHE_SIZE)});
  return known > 0 ? known : guess;
}

timing summarize_samples(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    return seconds[static_cast<std::size_t>(std::lround(share * static_cast<double>(seconds.size() - 1)))];
  };
  // How many of n samples lie below the median is binomial: n / 2, and 1.96 deviations of sqrt(n) / 2.
  const auto count = static_cast<double>(seconds.size());
  const double reach = 0.98 * std::sqrt(count);
  const auto rank = [&](double r) {
    return seconds[static_cast<std::size_t>(std::clamp(r, 0.0, count - 1))];
  };
  return {at(0.5),
          at(0.1),
          at(0.9),
          static_cast<int>(seconds.size()),
          rank(std::floor(count / 2 - reach)),
          rank(std::ceil(count / 2 + reach) - 1)};
}

std::shared_ptr<void> hold_cold_memory(openmp) {
  return cold_doubles();
}

std::vector<double> take_samples(openmp, const std::function<void()>& work, const measure_options& options) {
  const std::shared_ptr<const array<double, host>> memory = options.cold ? cold_doubles() : nullptr;
  int calls = 0;
  double once = std::numeric_limits<double>::infinity();
  for (const double start = seconds_now();
       calls < options.warm_up_calls || seconds_now() - start < options.warm_up_seconds;) {
    const double before = seconds_now();
    work();
    once = std::min(once, seconds_now() - before);
    ++calls;
    if (seconds_now() - start > 1 + options.warm_up_seconds) break;  // long enough for anything to be warm
  }
  // A sample of at least 50 us, so that the clock does not show; a cold one is a single call.
  const int together =
      options.cold ? 1 : static_cast<int>(std::clamp(std::ceil(5e-5 / std::max(once, 1e-8)), 1.0, 1000.0));
  // A sample in which a thread had to wait is not of this machine as it is; it is taken again, so often that
  // all together take at most twice as long.
  constexpr double waiting_share = 0.02;
  constexpr double wake_up = 20e-6;  // a thread that slept is woken within this, and that is no disturbance
  const waiting_threads threads;
  int again = options.samples;
  std::vector<double> seconds;
  while (static_cast<int>(seconds.size()) < options.samples) {
    if (options.cold) replace_caches(*memory);
    const std::vector<double> waited = threads.seconds();
    const double start = seconds_now();
    for (int call = 0; call < together; ++call) work();
    const double taken = seconds_now() - start;
    const bool is_disturbed = threads.longest_since(waited) > std::max(waiting_share * taken, wake_up);
    if (is_disturbed && again-- > 0) continue;
    if (is_disturbed && options.disturbed != nullptr) ++*options.disturbed;
    seconds.push_back(taken / together);
  }
  return seconds;
}

void start_nothing(openmp) {
#pragma omp parallel
  { asm volatile("" ::: "memory"); }  // an empty region might be left out
}

double copy_bandwidth(openmp on) {
  const std::int64_t count = doubles_beyond_cache() * 2;
  array<double, host> from(count), to(count);
  const double* const source = from.data();
  double* const target = to.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) from[i] = to[i] = 1;
  const timing t = measure(on,
                           [=] {
#pragma omp parallel for schedule(static)
                             for (std::int64_t i = 0; i < count; ++i) target[i] = source[i];
                           },
                           {15, 2, 0.05, false});
  return static_cast<double>(count) * 2 * sizeof(double) / t.median;
}

#if !SPARSMITH_HAS_CUDA
cuda capturable(cuda) {
  throw error(failure::device, "built without CUDA");
}
std::shared_ptr<void> hold_cold_memory(cuda) {
  throw error(failure::device, "built without CUDA");
}
std::vector<double> take_samples(cuda, const std::function<void()>&, const measure_options&) {
  throw error(failure::device, "built without CUDA");
}
void start_nothing(cuda) {
  throw error(failure::device, "built without CUDA");
}
double copy_bandwidth(cuda) {
  throw error(failure::device, "built without CUDA");
}
#endif

}  // namespace sparsmith
