#include "kernels/measure.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "convert/error.hpp"

namespace sparsmith {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// More than any cache of this machine holds, or a large guess where the system does not say.
std::int64_t doubles_beyond_cache() {
  const long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  return std::max<std::int64_t>(cache, 64 << 20) * 2 / std::int64_t{sizeof(double)};
}

// Replaces what the caches of all threads hold. Reading does; written lines would have to be written back
// later, in what is timed.
void replace_caches(const array<double, host>& memory) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t i = 0; i < memory.size(); i += 8) sum += memory[i];
  [[maybe_unused]] volatile const double used = sum;
}

}  // namespace

timing summarize_samples(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    return seconds[static_cast<std::size_t>(std::lround(share * static_cast<double>(seconds.size() - 1)))];
  };
  return {at(0.5), at(0.1), at(0.9), static_cast<int>(seconds.size())};
}

std::vector<double> take_samples(openmp, const std::function<void()>& work, const measure_options& options) {
  array<double, host> memory(options.cold ? doubles_beyond_cache() : 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < memory.size(); ++i) memory[i] = 0;
  int calls = 0;
  double once = std::numeric_limits<double>::infinity();
  for (const double start = now();
       calls < options.warm_up_calls || now() - start < options.warm_up_seconds;) {
    const double before = now();
    work();
    once = std::min(once, now() - before);
    ++calls;
    if (now() - start > 1 + options.warm_up_seconds) break;  // long enough for anything to be warm
  }
  // A sample of at least 50 us, so that the clock does not show; a cold one is a single call.
  const int together =
      options.cold ? 1 : static_cast<int>(std::clamp(std::ceil(5e-5 / std::max(once, 1e-8)), 1.0, 1000.0));
  std::vector<double> seconds;
  for (int i = 0; i < options.samples; ++i) {
    if (options.cold) replace_caches(memory);
    const double start = now();
    for (int call = 0; call < together; ++call) work();
    seconds.push_back((now() - start) / together);
  }
  return seconds;
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
std::vector<double> take_samples(cuda, const std::function<void()>&, const measure_options&) {
  throw error(failure::device, "built without CUDA");
}
double copy_bandwidth(cuda) {
  throw error(failure::device, "built without CUDA");
}
#endif

}  // namespace sparsmith
