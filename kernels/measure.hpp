// How everything here is timed: warm-up, 30 samples or as asked, median with the 10th and 90th percentile;
// with a warm cache and with a cold one. A sample of a short kernel is the replay of a graph of many calls on
// a GPU, and a loop of calls on a CPU, so that starting it does not drown it.
#pragma once

#include <functional>
#include <vector>

#include "convert/backend/backend.hpp"

namespace sparsmith {

struct timing {
  double median = 0, p10 = 0, p90 = 0;  // seconds
  int samples = 0;
};

struct measure_options {
  int samples = 30;
  int warm_up_calls = 20;
  double warm_up_seconds = 0.1;
  bool cold = false;  // what the caches hold is replaced before every sample, outside the timing
};

// Seconds of every sample. `work` queues one call; it must neither allocate nor wait.
std::vector<double> take_samples(openmp on, const std::function<void()>& work,
                                 const measure_options& options);
std::vector<double> take_samples(cuda on, const std::function<void()>& work, const measure_options& options);

// The median and the percentiles; all 0 where there are no samples.
timing summarize_samples(std::vector<double> seconds);

template <class Backend>
timing measure(Backend on, const std::function<void()>& work, const measure_options& options) {
  return summarize_samples(take_samples(on, work, options));
}

// Bytes per second, read plus written, of a large copy: the measured ceiling that kernels are held against.
double copy_bandwidth(openmp on);
double copy_bandwidth(cuda on);

}  // namespace sparsmith
