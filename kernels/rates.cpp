#include "kernels/rates.hpp"

#include <sys/utsname.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>

#include "convert/error.hpp"
#include "kernels/measure.hpp"
#include "kernels/vendor/mkl.hpp"

namespace sparsmith {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

// How much is worked on, in items. All of it lies in the same two arrays, which together take no more than a
// quarter of the memory at hand: the first touch of a page costs more than what is measured on it.
struct sizes {
  std::int64_t beyond_cache, half_cache, quarter_cache;  // doubles
  std::int64_t indices;
};
constexpr std::int64_t chunk = 4096;  // every size is a multiple
sizes choose_sizes(std::int64_t cache, int threads) {
  const auto between = [](std::int64_t least, std::int64_t wanted, std::int64_t most) {
    return std::max(least, std::min(wanted, most)) / chunk * chunk;
  };
  const std::int64_t eighth = available_bytes(place::host) / 8;
  // Few threads would take too long with much memory.
  const std::int64_t most_bytes = std::clamp(128 * mebibyte * threads, 512 * mebibyte, 8192 * mebibyte);
  sizes size;
  size.beyond_cache =
      between(mebibyte, std::max(8 * cache, 128 * mebibyte) / 8, std::min(most_bytes, eighth) / 8);
  size.half_cache = between(4 * chunk, cache / 2 / 8, size.beyond_cache);
  size.quarter_cache = between(4 * chunk, cache / 4 / 8, size.beyond_cache);
  size.indices = between(mebibyte, std::clamp(mebibyte * threads, 2 * mebibyte, 64 * mebibyte), eighth / 4);
  return size;
}

// Items per second of `work`, which does so many a call. The first call warms up, and tells how many samples
// can be afforded.
double per_second(std::int64_t items, const std::function<void()>& work) {
  const double start = seconds_now();
  work();
  const double once = std::max(seconds_now() - start, 1e-7);
  const int samples = static_cast<int>(std::clamp(0.06 / once, 3.0, 51.0));
  return static_cast<double>(items) / measure(openmp{}, work, {samples, 0, 0.0, false}).median;
}

// The compiler may not leave out what computes this.
void use(double sum) {
  [[maybe_unused]] volatile const double used = sum;
}

void copy(const double* from, double* to, std::int64_t count) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}

// Sixteen sums side by side: the additions of a single one would take longer than the reads.
void read(const double* values, std::int64_t count) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t first = 0; first < count; first += chunk) {
    const double* const own = values + first;
    double sums[16] = {};
    for (std::int64_t i = 0; i < chunk; i += 16)
      for (int k = 0; k < 16; ++k) sums[k] += own[i + k];
    for (const double one : sums) sum += one;
  }
  use(sum);
}

void gather(const double* x, const std::int32_t* indices, std::int64_t count) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::int64_t i = 0; i < count; i += 4) {
    const std::int32_t* const own = indices + i;
    sum += (x[own[0]] + x[own[1]]) + (x[own[2]] + x[own[3]]);
  }
  use(sum);
}

void add(double* y, const std::int32_t* indices, std::int64_t count) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    double& place = y[indices[i]];
#pragma omp atomic
    place += 1;
  }
}

void fill_places(array<std::int32_t, host>& indices, std::int64_t places, std::int32_t stride = 1) {
  std::int32_t* const to = indices.data();
  const std::int64_t count = indices.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < count; ++i) to[i] = random_place(i, places) * stride;
}

void start_regions(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp parallel
    { asm volatile("" ::: "memory"); }  // an empty region might be left out
  }
}

// "model name : Xeon" under the name "model name".
std::string value_of(const std::map<std::string, std::string>& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? std::string() : found->second;
}

std::string arm_name(const std::string& implementer, const std::string& part) {
  static const std::map<std::string, std::string> makers = {
      {"0x41", "ARM"},       {"0x42", "Broadcom"}, {"0x43", "Cavium"}, {"0x46", "Fujitsu"},
      {"0x48", "HiSilicon"}, {"0x4e", "NVIDIA"},   {"0x50", "APM"},    {"0x51", "Qualcomm"},
      {"0x61", "Apple"},     {"0xc0", "Ampere"}};
  static const std::map<std::string, std::string> parts_of_arm = {
      {"0xd03", "Cortex-A53"},  {"0xd07", "Cortex-A57"},  {"0xd08", "Cortex-A72"},  {"0xd0b", "Cortex-A76"},
      {"0xd0c", "Neoverse-N1"}, {"0xd40", "Neoverse-V1"}, {"0xd49", "Neoverse-N2"}, {"0xd4f", "Neoverse-V2"},
      {"0xd83", "Neoverse-V3"}, {"0xd84", "Neoverse-V3"}, {"0xd8e", "Neoverse-N3"}};
  const std::string maker = value_of(makers, implementer);
  const std::string known = maker == "ARM" ? value_of(parts_of_arm, part) : std::string();
  return (maker.empty() ? "CPU of maker " + implementer : maker) + " " +
         (known.empty() ? "part " + part : known);
}

// The highest of the first CPU; 0 where the system does not say.
double cpu_clock_mhz() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  double kilohertz = 0;
  return file >> kilohertz ? kilohertz / 1e3 : 0;
}

std::string in_a_row(const std::vector<std::string>& words) {  // "SSE2, AVX2 and FMA"
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;  // which starts with its name
#else
  return std::string("GCC ") + __VERSION__;
#endif
}

}  // namespace

machine_rates measure_rates(openmp) {
  machine_rates rates;
  rates.cache_bytes = cache_bytes_or(16 * mebibyte);  // half of it should fit
  rates.processors = thread_count();
  const sizes size = choose_sizes(rates.cache_bytes, rates.processors);
  array<double, host> memory(size.beyond_cache);
  array<std::int32_t, host> indices(size.indices);
  double* const values = memory.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size.beyond_cache; ++i) values[i] = 0;

  const std::int64_t half = size.beyond_cache / 2;
  rates.copy_bytes = per_second(half * 16, [&] { copy(values, values + half, half); });
  rates.read_bytes = per_second(size.beyond_cache * 8, [&] { read(values, size.beyond_cache); });
  rates.cached_read_bytes = per_second(size.half_cache * 8, [&] { read(values, size.half_cache); });

  // Every call begins a little further on: a large cache would hold just the lines of the call before, and
  // contended places are faster or slower with where they happen to lie.
  constexpr std::int64_t step = contended_places * contended_stride, most_steps = 64;
  std::int64_t call = 0;
  const auto next_start = [&] { return values + call++ % most_steps * step; };
  fill_places(indices, size.beyond_cache - most_steps * step);
  rates.gathers = per_second(size.indices, [&] { gather(next_start(), indices.data(), size.indices); });
  fill_places(indices, size.quarter_cache);
  rates.cached_gathers = per_second(size.indices, [&] { gather(values, indices.data(), size.indices); });
  const std::int64_t additions = size.indices / 4;
  rates.atomics = per_second(additions, [&] { add(values, indices.data(), additions); });
  constexpr std::int64_t contended = mebibyte / 8;
  fill_places(indices, contended_places, contended_stride);
  rates.contended_atomics = per_second(contended, [&] { add(next_start(), indices.data(), contended); });
  constexpr int launches = 100;
  rates.launch_seconds = 1 / per_second(launches, [&] { start_regions(launches); });
  return rates;
}

std::string cpu_name(const std::filesystem::path& cpuinfo) {
  std::map<std::string, std::string> facts;  // of the first CPU
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto trimmed = [](const std::string& text) {
      const std::size_t first = text.find_first_not_of(" \t");
      return first == std::string::npos ? std::string()
                                        : text.substr(first, text.find_last_not_of(" \t") - first + 1);
    };
    facts.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  if (const std::string model = value_of(facts, "model name"); !model.empty()) return model;
  const std::string implementer = value_of(facts, "CPU implementer"), part = value_of(facts, "CPU part");
  if (!implementer.empty() && !part.empty()) return arm_name(implementer, part);
  utsname system{};
  return ::uname(&system) == 0 ? std::string(system.machine) + " CPU" : "CPU";
}

instruction_sets find_instruction_sets() {
  instruction_sets found;
  [[maybe_unused]] const auto add = [&](const char* name, bool compiled, bool here) {
    if (compiled) found.compiled.emplace_back(name);
    if (here) found.here.emplace_back(name);
  };
#if defined(__x86_64__)
  found.architecture = "x86-64";
  add("SSE2", true, true);
#ifdef __AVX2__
  constexpr bool avx2 = true;
#else
  constexpr bool avx2 = false;
#endif
#ifdef __FMA__
  constexpr bool fma = true;
#else
  constexpr bool fma = false;
#endif
#ifdef __AVX512F__
  constexpr bool avx512 = true;
#else
  constexpr bool avx512 = false;
#endif
  add("AVX2", avx2, __builtin_cpu_supports("avx2"));
  add("FMA", fma, __builtin_cpu_supports("fma"));
  add("AVX-512", avx512, __builtin_cpu_supports("avx512f"));
#elif defined(__aarch64__)
  found.architecture = "aarch64";
  add("NEON", true, true);
#ifdef __ARM_FEATURE_SVE
  constexpr bool sve = true;
#else
  constexpr bool sve = false;
#endif
#ifdef __ARM_FEATURE_SVE2
  constexpr bool sve2 = true;
#else
  constexpr bool sve2 = false;
#endif
  add("SVE", sve, (::getauxval(AT_HWCAP) & HWCAP_SVE) != 0);
  add("SVE2", sve2, (::getauxval(AT_HWCAP2) & HWCAP2_SVE2) != 0);
#else
  utsname system{};
  found.architecture = ::uname(&system) == 0 ? system.machine : "unknown";
#endif
  return found;
}

namespace {
// What asks the CPU, whatever the rest was compiled for (wide_groups.hpp, panels.hpp).
std::string wide_kernels(const std::vector<std::string>& beyond) {
  const auto has = [&](const char* one) {
    return std::find(beyond.begin(), beyond.end(), one) != beyond.end();
  };
  if (has("AVX-512")) return " (A x of SELL and products with several vectors use AVX-512)";
  return has("AVX2") ? " (products with several vectors use AVX2)" : "";
}
}  // namespace

std::string in_words(const instruction_sets& sets) {
  std::vector<std::string> beyond;
  for (const std::string& one : sets.here)
    if (std::find(sets.compiled.begin(), sets.compiled.end(), one) == sets.compiled.end())
      beyond.push_back(one);
  return sets.architecture + (sets.compiled.empty() ? "" : " with " + in_a_row(sets.compiled)) +
         (beyond.empty() ? "" : "; the CPU also has " + in_a_row(beyond)) + wide_kernels(beyond);
}

machine_description describe_machine(openmp) {
  machine_description here;
  here.backend = openmp::name;
  here.device = cpu_name();
  here.toolkit = compiler();
  here.code = in_words(find_instruction_sets());
  here.vendor = mkl_version();
  here.clock_mhz = cpu_clock_mhz();
  here.threads = thread_count();
  here.version = SPARSMITH_VERSION;
  return here;
}

#if !SPARSMITH_HAS_CUDA
machine_rates measure_rates(cuda) {
  throw error(failure::device, "built without CUDA");
}
machine_description describe_machine(cuda) {
  throw error(failure::device, "built without CUDA");
}
#endif

}  // namespace sparsmith
