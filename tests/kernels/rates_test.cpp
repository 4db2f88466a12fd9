// What the machine can do: numbers that any machine exceeds, in the time that was promised.
#include "kernels/rates.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "convert/error.hpp"
#include "kernels/measure.hpp"
#include "tests/catch.hpp"
#include "tests/tools/process.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

TEST_CASE("rates of the CPU are plausible and quickly measured") {
  const double start = seconds_now();
  const machine_rates rates = measure_rates(openmp{});
  CHECK(seconds_now() - start < 10);  // far above what it takes, for machines that others use
  CHECK(rates.read_bytes > 1e8);
  CHECK(rates.copy_bytes > 1e8);
  CHECK(rates.cached_read_bytes > 0.5 * rates.read_bytes);
  CHECK(rates.gathers > 1e5);
  CHECK(rates.cached_gathers > 0.5 * rates.gathers);
  CHECK(rates.atomics > 1e4);
  CHECK(rates.contended_atomics > 1e3);
  CHECK(rates.launch_seconds > 0);
  CHECK(rates.launch_seconds < 0.1);
  CHECK(rates.cache_bytes > 0);
  CHECK(rates.processors == thread_count());
}

TEST_CASE("rates are those of the threads that are asked for") {
  const int before = thread_count();
  set_thread_count(1);
  const machine_rates rates = measure_rates(openmp{});
  CHECK(rates.processors == 1);
  CHECK(rates.read_bytes > 1e8);
  CHECK(describe_machine(openmp{}).threads == 1);
  set_thread_count(before);
}

TEST_CASE("the description of the CPU is filled") {
  const machine_description here = describe_machine(openmp{});
  CHECK(here.backend == "openmp");
  CHECK(here.device == cpu_name());
  CHECK(here.driver.empty());
  CHECK(here.toolkit.size() > 4);
  CHECK(here.code == in_words(find_instruction_sets()));
  CHECK(here.code_doubt.empty());
  CHECK(here.clock_mhz >= 0);
  CHECK(here.threads == thread_count());
  CHECK(here.version.find('.') != std::string::npos);
}

TEST_CASE("the CPU's code is what was compiled for, beside what the CPU has beyond it") {
  CHECK(in_words(instruction_sets{"x86-64", {"SSE2"}, {"SSE2"}}) == "x86-64 with SSE2");
  CHECK(in_words(instruction_sets{"x86-64", {"SSE2"}, {"SSE2", "AVX2", "FMA", "AVX-512"}}) ==
        "x86-64 with SSE2; the CPU also has AVX2, FMA and AVX-512 (A x of SELL and products with several "
        "vectors use AVX-512)");
  CHECK(in_words(instruction_sets{"x86-64", {"SSE2"}, {"SSE2", "AVX2"}}) ==
        "x86-64 with SSE2; the CPU also has AVX2 (products with several vectors use AVX2)");
  CHECK(in_words(instruction_sets{"x86-64", {"SSE2", "AVX2"}, {"SSE2", "AVX2", "FMA"}}) ==
        "x86-64 with SSE2 and AVX2; the CPU also has FMA");
  CHECK(in_words(instruction_sets{"riscv64", {}, {}}) == "riscv64");
  const instruction_sets here = find_instruction_sets();
  CHECK_FALSE(here.architecture.empty());
  for (const std::string& one : here.compiled)  // or this would not run
    CHECK(std::find(here.here.begin(), here.here.end(), one) != here.here.end());
}

TEST_CASE("a CPU's name is what it says, or what its maker's numbers mean") {
  const temporary_folder folder("rates_test");
  const auto named = [&](const std::string& text) {
    std::ofstream(folder / "cpuinfo") << text;
    return cpu_name(folder / "cpuinfo");
  };
  CHECK(
      named(
          "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) 8480C \n"
          "processor\t: 1\nmodel name\t: another\n") == "Intel(R) Xeon(R) 8480C");
  const std::string arm = "processor\t: 0\nBogoMIPS\t: 2100.00\nCPU implementer\t: ";
  CHECK(named(arm + "0x41\nCPU part\t: 0xd40\n") == "ARM Neoverse-V1");
  CHECK(named(arm + "0x41\nCPU part\t: 0xfff\n") == "ARM part 0xfff");
  CHECK(named(arm + "0xc0\nCPU part\t: 0xd40\n") == "Ampere part 0xd40");
  CHECK(named(arm + "0x99\nCPU part\t: 0x001\n") == "CPU of maker 0x99 part 0x001");
  const std::string unknown = named("no colon\n:\nCPU part : 0xd40\n");
  CHECK(unknown.size() > 4);
  CHECK(unknown.substr(unknown.size() - 4) == " CPU");
  CHECK(cpu_name(folder / "missing") == unknown);
}

TEST_CASE("random places are inside, spread out and always the same") {
  std::set<std::int32_t> found;
  for (std::int64_t i = 0; i < 10000; ++i) {
    const std::int32_t place = random_place(i, 1000);
    CHECK(place >= 0);
    CHECK(place < 1000);
    CHECK(place == random_place(i, 1000));
    found.insert(place);
  }
  CHECK(found.size() > 990);
  CHECK(random_place(12345, 1) == 0);
  for (std::int64_t i = 0; i < 1000; ++i) CHECK(random_place(i, std::int64_t{1} << 31) >= 0);
}

TEST_CASE("without CUDA in the build, its rates are refused") {
  if constexpr (!has_cuda) {
    for (const auto& ask : {+[] { (void)measure_rates(cuda{}); }, +[] { (void)describe_machine(cuda{}); }}) {
      try {
        ask();
        FAIL_CHECK("there is no CUDA");
      } catch (const error& problem) {
        CHECK(problem.category() == failure::device);
      }
    }
  }
}
