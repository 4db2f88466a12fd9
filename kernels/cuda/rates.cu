#include "kernels/rates.hpp"

#include <fstream>
#include <functional>

#include "convert/backend/device.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/measure.hpp"
#include "kernels/vendor/cusparse.hpp"

namespace sparsmith {
namespace {

constexpr int threads = 256;
constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

__global__ void do_nothing() {}

__device__ std::int64_t first_item() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t items_at_once() {
  return std::int64_t{gridDim.x} * blockDim.x;
}

// Four reads are on their way at a time, or latency would be measured. Not through the multiprocessors' own
// caches, which together may hold what is read again and again here.
__global__ void read_all(const double2* values, std::int64_t count, int passes, double* never) {
  double sum = 0;
  const std::int64_t stride = items_at_once();
  for (int pass = 0; pass < passes; ++pass) {
    std::int64_t i = first_item();
    for (; i + 3 * stride < count; i += 4 * stride) {
      double2 some[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) some[k] = __ldcg(values + i + k * stride);
#pragma unroll
      for (int k = 0; k < 4; ++k) sum += some[k].x + some[k].y;
    }
    for (; i < count; i += stride) {
      const double2 one = __ldcg(values + i);
      sum += one.x + one.y;
    }
  }
  if (sum < 0) *never = sum;  // no value is negative
}

// As products do: indices stream by, and values come as x is read there.
__global__ void gather(const double* x, const std::int32_t* indices, std::int64_t count, double* never) {
  double sum = 0;
  const std::int64_t stride = items_at_once();
  std::int64_t i = first_item();
  for (; i + 3 * stride < count; i += 4 * stride) {
    std::int32_t places[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) places[k] = __ldcs(indices + i + k * stride);
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += __ldg(x + places[k]);
  }
  for (; i < count; i += stride) sum += __ldg(x + __ldcs(indices + i));
  if (sum < 0) *never = sum;
}

__global__ void add(double* y, const std::int32_t* indices, std::int64_t count) {
  for (std::int64_t i = first_item(); i < count; i += items_at_once())
    atomicAdd(y + __ldcs(indices + i), 1.0);
}

__global__ void fill_places(std::int32_t* indices, std::int64_t count, std::int64_t places,
                            std::int32_t stride) {
  for (std::int64_t i = first_item(); i < count; i += items_at_once())
    indices[i] = random_place(i, places) * stride;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

// "13.0" of 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The kernel module's, such as " (580.65.06)": the word of its line that is a number. Nothing where the
// system does not show it.
std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return " (" + word + ")";
  return {};
}

// As every kernel of this build was compiled.
gpu_code code_here() {
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, do_nothing));
  return {attribute(cudaDevAttrComputeCapabilityMajor) * 10 + attribute(cudaDevAttrComputeCapabilityMinor),
          attributes.ptxVersion, attributes.binaryVersion};
}

}  // namespace

machine_rates measure_rates(cuda where) {
  const cuda on = capturable(where);
  machine_rates rates;
  // Where there is no GPU, this is what says so.
  array<double, device> never(1);
  rates.cache_bytes = std::max<std::int64_t>(attribute(cudaDevAttrL2CacheSize), mebibyte);
  rates.processors = multiprocessors();
  // The two arrays take no more than a quarter of the memory at hand.
  const std::int64_t eighth = available_bytes(place::device) / 8;
  const std::int64_t beyond_cache = std::max(std::min(16 * rates.cache_bytes, eighth) / 8, mebibyte) / 4 * 4;
  const std::int64_t count = std::max(std::min(4 * rates.cache_bytes, eighth) / 4, mebibyte);
  const std::int64_t half_cache = std::min(rates.cache_bytes / 2 / 8, beyond_cache) / 2 * 2;
  const std::int64_t quarter_cache = std::min(rates.cache_bytes / 4 / 8, beyond_cache);
  array<double, device> memory(beyond_cache);
  array<std::int32_t, device> indices(count);
  double* const values = memory.data();
  check_cuda(cudaMemsetAsync(values, 0, static_cast<std::size_t>(beyond_cache) * 8, on.stream));

  measure_options how{15, 3, 0.1, false};  // the first waits until the clocks are up
  const auto per_second = [&](std::int64_t items, const std::function<void()>& work) {
    const double seconds = measure(on, work, how).median;
    how.warm_up_seconds = 0.005;
    return static_cast<double>(items) / seconds;
  };
  const unsigned all_blocks = resident_blocks(beyond_cache, threads);
  const auto read = [&](std::int64_t doubles, int passes) {
    read_all<<<all_blocks, threads, 0, on.stream>>>(reinterpret_cast<const double2*>(values), doubles / 2,
                                                    passes, never.data());
    check_cuda(cudaGetLastError());
  };
  const auto gather_all = [&] {
    gather<<<all_blocks, threads, 0, on.stream>>>(values, indices.data(), count, never.data());
    check_cuda(cudaGetLastError());
  };
  const auto add_some = [&](std::int64_t additions) {
    add<<<all_blocks, threads, 0, on.stream>>>(values, indices.data(), additions);
    check_cuda(cudaGetLastError());
  };
  const auto choose_places = [&](std::int64_t places, std::int32_t stride) {
    fill_places<<<all_blocks, threads, 0, on.stream>>>(indices.data(), count, places, stride);
    check_cuda(cudaGetLastError());
  };

  const std::int64_t half = beyond_cache / 2;
  rates.copy_bytes = per_second(half * 16, [&] {
    check_cuda(cudaMemcpyAsync(values + half, values, static_cast<std::size_t>(half) * 8,
                               cudaMemcpyDeviceToDevice, on.stream));
  });
  rates.read_bytes = per_second(beyond_cache * 8, [&] { read(beyond_cache, 1); });
  constexpr int passes = 16;  // one is not much longer than the launch
  rates.cached_read_bytes = per_second(half_cache * 8 * passes, [&] { read(half_cache, passes); });
  choose_places(beyond_cache, 1);
  rates.gathers = per_second(count, gather_all);
  choose_places(quarter_cache, 1);
  rates.cached_gathers = per_second(count, gather_all);
  rates.atomics = per_second(count, [&] { add_some(count); });
  constexpr std::int64_t contended = mebibyte;
  choose_places(contended_places, contended_stride);
  rates.contended_atomics = per_second(contended, [&] { add_some(contended); });
  constexpr int launches = 100;
  const auto queue_launches = [&] {
    for (int i = 0; i < launches; ++i)
      do_nothing<<<static_cast<unsigned>(multiprocessors()), threads, 0, on.stream>>>();
    check_cuda(cudaGetLastError());
  };
  rates.launch_seconds = measure(on, queue_launches, how).median / launches;
  return rates;
}

machine_description describe_machine(cuda) {
  const gpu_state& gpu = find_gpu();
  if (!gpu.usable) throw error(failure::device, gpu.description);
  int driver = 0, runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver));
  check_cuda(cudaRuntimeGetVersion(&runtime));
  machine_description here;
  here.backend = cuda::name;
  here.device = gpu.description;
  here.driver = version_text(driver) + module_version();
  here.toolkit = version_text(runtime);
  const gpu_code code = code_here();
  here.code = in_words(code);
  here.code_doubt = doubt_about(code);
  here.vendor = cusparse_version();
  here.clock_mhz = attribute(cudaDevAttrClockRate) / 1e3;  // which it says in kHz
  here.memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate) / 1e3;
  here.threads = thread_count();
  here.version = SPARSMITH_VERSION;
  return here;
}

}  // namespace sparsmith
