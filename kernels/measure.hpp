// How everything here is timed: warm-up, 30 samples or as asked, median with the 10th and 90th percentile;
// with a warm cache and with a cold one. A sample of a short kernel is the replay of a graph of many calls on
// a GPU, and a loop of calls on a CPU, so that starting it does not drown it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "convert/backend/backend.hpp"

namespace sparsmith {

struct timing {
  double median = 0, p10 = 0, p90 = 0;  // seconds
  int samples = 0;
  // The samples between which the true median lies 19 times of 20, or the extremes where there are too few
  // samples to tell.
  double low = 0, high = 0;
};

struct measure_options {
  int samples = 30;
  int warm_up_calls = 20;
  double warm_up_seconds = 0.1;
  bool cold = false;  // what the caches hold is replaced before every sample, outside the timing
  // Where it is given: how many of the samples a thread had to wait for a core in, though as
  // many again were taken in their place, is added to it. Nothing where the system does not say, or a GPU
  // computes.
  int* disturbed = nullptr;
};

// The same backend on a stream whose work can be captured into a graph, which CUDA's default stream cannot:
// there the calling thread's own, which waits for the default one and is waited for. What is timed is
// prepared on this.
inline openmp capturable(openmp on) {
  return on;
}
cuda capturable(cuda on);

// What replaces the contents of the caches before a cold sample. Taking it costs more than a sample does:
// whoever takes a few samples again and again holds it meanwhile.
std::shared_ptr<void> hold_cold_memory(openmp on);
std::shared_ptr<void> hold_cold_memory(cuda on);

// Seconds of every sample. `work` queues one call on the backend's stream, which must be capturable; it must
// neither allocate nor wait.
std::vector<double> take_samples(openmp on, const std::function<void()>& work,
                                 const measure_options& options);
std::vector<double> take_samples(cuda on, const std::function<void()>& work, const measure_options& options);

// Starts what does nothing, as a product is started: whatever its samples spread is the machine's and the
// clock's.
void start_nothing(openmp on);
void start_nothing(cuda on);

// The median and the percentiles; all 0 where there are no samples.
timing summarize_samples(std::vector<double> seconds);

template <class Backend>
timing measure(Backend on, const std::function<void()>& work, const measure_options& options) {
  return summarize_samples(take_samples(on, work, options));
}

// Bytes per second, read plus written, of a large copy: the measured ceiling for what kernels move.
double copy_bandwidth(openmp on);
double copy_bandwidth(cuda on);

// Seconds, from some time on.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Bytes of all caches of the last level together, from the system's description of its CPUs: what has to be
// replaced before every CPU's cache is cold. 0 where there is no such description.
std::int64_t last_level_cache_bytes(const std::filesystem::path& cpus = "/sys/devices/system/cpu");
// The same, or what the C library says of the third level where that is more; the guess where neither knows.
std::int64_t cache_bytes_or(std::int64_t guess);

}  // namespace sparsmith
