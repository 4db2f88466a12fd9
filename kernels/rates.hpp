// What this machine can do, in a few numbers: what predictions are made of, and how results of different
// machines are told apart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "convert/backend/backend.hpp"

namespace sparsmith {

// How the rates are measured: raised with every change that makes older numbers incomparable.
inline constexpr int rates_version = 1;

// Per second, or seconds. Measured in well under a second a backend.
struct machine_rates {
  double launch_seconds = 0;     // of a kernel (a parallel region) that does nothing, in a queue of many
  double copy_bytes = 0;         // read plus written by a large copy
  double read_bytes = 0;         // read from memory by a large reduction
  double cached_read_bytes = 0;  // the same where it all fits into half of the last-level cache
  double gathers = 0;            // 8-byte values from random places in memory, far beyond the cache
  double cached_gathers = 0;     // the same from a vector of a quarter of the last-level cache
  double atomics = 0;            // additions to random places of a vector in the last-level cache
  double contended_atomics = 0;  // additions that all go to the same few places
  std::int64_t cache_bytes = 0;  // of the last level
  int processors = 0;            // multiprocessors, or threads
};
machine_rates measure_rates(openmp on);
machine_rates measure_rates(cuda on);

// For people, and so that results can be compared later.
struct machine_description {
  std::string backend;     // "openmp" or "cuda"
  std::string device;      // "NVIDIA H200, 140.4 GiB", or the CPU's name
  std::string driver;      // "13.0 (580.65.06)": the GPU's; empty on a CPU
  std::string toolkit;     // CUDA's, or the compiler's
  std::string code;        // "9.0", "aarch64 with NEON": what kernels run
  std::string code_doubt;  // why that is not the code it should be; empty where it is
  std::string vendor;      // "cuSPARSE 12.6.3"; empty where no library of a vendor is used
  double clock_mhz = 0, memory_clock_mhz = 0;  // the highest; 0 where the system does not say
  int threads = 0;                             // of OpenMP
  std::string version;                         // of Sparsmith
};
machine_description describe_machine(openmp on);
machine_description describe_machine(cuda on);

// The CPU's name from the system's description: as it calls itself, or from its maker's numbers, which is all
// there is on ARM. Where neither is known, the architecture: "aarch64 CPU".
std::string cpu_name(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");

// The instructions for vectors that the kernels were compiled for, and those that this CPU has.
struct instruction_sets {
  std::string architecture;
  std::vector<std::string> compiled, here;
};
instruction_sets find_instruction_sets();
// "x86-64 with SSE2; the CPU also has AVX2 and FMA".
std::string in_words(const instruction_sets& sets);

// What is summed up or added to where places are random: evenly spread, the same on every machine, with no
// order that hardware could foresee (the finaliser of splitmix64).
SPARSMITH_HOST_DEVICE inline std::int32_t random_place(std::int64_t i, std::int64_t places) {
  std::uint64_t bits = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return static_cast<std::int32_t>((bits >> 32) * static_cast<std::uint64_t>(places) >> 32);
}

// The places that contended additions go to, in no order: few, and in lines of their own even where those
// come in pairs.
inline constexpr std::int32_t contended_places = 8, contended_stride = 256 / std::int32_t{sizeof(double)};

}  // namespace sparsmith
