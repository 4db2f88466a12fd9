// How everything is timed, apart from kernels.
#include "kernels/measure.hpp"

#include <unistd.h>

#include <fstream>

#include "tests/catch.hpp"
#include "tests/kernels/cold_memory.hpp"

using namespace sparsmith;

namespace {

// A made-up /sys/devices/system/cpu.
struct cpu_folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("kernels_test_cpus_" + std::to_string(::getpid()));
  cpu_folder() { std::filesystem::remove_all(path); }
  cpu_folder(const cpu_folder&) = delete;
  ~cpu_folder() { std::filesystem::remove_all(path); }

  void add_cache(int cpu, int index, int level, const char* type, const char* size,
                 const std::string& sharers) const {
    const auto at = path / ("cpu" + std::to_string(cpu)) / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(at);
    std::ofstream(at / "level") << level << "\n";
    std::ofstream(at / "type") << type << "\n";
    std::ofstream(at / "size") << size << "\n";
    std::ofstream(at / "shared_cpu_list") << sharers << "\n";
  }
};

}  // namespace

TEST_CASE("measuring calls the work, warms up, and orders its percentiles") {
  const timing t = summarize_samples({5, 1, 4, 2, 3});
  CHECK(t.median == 3);
  CHECK(t.p10 == 1);
  CHECK(t.p90 == 5);
  int calls = 0;
  for (const bool cold : {false, true}) {
    calls = 0;
    const timing measured = measure(openmp{}, [&] { ++calls; }, {7, 5, 0.0, cold});
    CHECK(calls >= 12);
    CHECK(measured.samples == 7);
    CHECK(measured.p10 <= measured.median);
    CHECK(measured.median <= measured.p90);
  }
  CHECK(copy_bandwidth(openmp{}) > 1e8);
}

TEST_CASE("a cold sample is one call, whatever the call takes") {
  std::int64_t calls = 0;
  take_samples(openmp{}, [&] { ++calls; }, {7, 5, 0, false});
  CHECK(calls > 5 + 7 * 10);  // so short a call says nothing alone
  calls = 0;
  take_samples(openmp{}, [&] { ++calls; }, {7, 5, 0, true});
  CHECK(calls >= 5 + 7);
  CHECK(calls <= 5 + 2 * 7);  // samples that were disturbed are taken again, once
}

TEST_CASE("a median's interval is of the samples between which it lies 19 times of 20") {
  // 1.96 deviations to either side; of few samples, which cannot tell, the extremes.
  const struct {
    int samples;
    double low, high;
  } cases[] = {{1, 1, 1}, {5, 1, 5}, {9, 2, 8}, {30, 10, 21}, {100, 41, 60}};
  for (const auto& [samples, low, high] : cases) {
    INFO(samples << " samples");
    std::vector<double> rising;
    for (int i = 1; i <= samples; ++i) rising.push_back(i);
    const timing t = summarize_samples(rising);
    CHECK(t.low == low);
    CHECK(t.high == high);
  }
  std::vector<double> rising;
  for (int i = 0; i <= 100; ++i) rising.push_back(i);
  const timing t = summarize_samples(rising);
  CHECK(t.p10 == 10);
  CHECK(t.median == 50);
  CHECK(t.p90 == 90);
}

TEST_CASE("those who measure at the same time share what replaces the caches") {
  CHECK(testing::blocks_of_cold_memory(openmp{}) == 1);
  const std::shared_ptr<void> first = hold_cold_memory(openmp{});
  CHECK(hold_cold_memory(openmp{}) == first);
}

TEST_CASE("all caches of the last level count") {
  const cpu_folder folder;
  CHECK(last_level_cache_bytes(folder.path) == 0);
  std::filesystem::create_directories(folder.path / "cpufreq");
  CHECK(last_level_cache_bytes(folder.path) == 0);
  // Four groups of two CPUs, each group with a cache of 32 MB.
  for (int cpu = 0; cpu < 8; ++cpu) {
    const int first = cpu / 2 * 2;
    folder.add_cache(cpu, 0, 1, "Data", "32K", std::to_string(cpu));
    folder.add_cache(cpu, 1, 1, "Instruction", "64K", std::to_string(cpu));
    folder.add_cache(cpu, 2, 2, "Unified", "1024K", std::to_string(cpu));
    folder.add_cache(cpu, 3, 3, "Unified", cpu % 2 == 0 ? "32768K" : "32M",
                     std::to_string(first) + "-" + std::to_string(first + 1));
  }
  CHECK(last_level_cache_bytes(folder.path) == 128 << 20);
  // A level above them all.
  folder.add_cache(0, 4, 4, "Unified", "1G", "0-7");
  CHECK(last_level_cache_bytes(folder.path) == 1 << 30);
}

TEST_CASE("caches of instructions are none of data") {
  const cpu_folder folder;
  folder.add_cache(0, 0, 1, "Data", "32K", "0");
  folder.add_cache(0, 1, 1, "Instruction", "64K", "0-1");
  CHECK(last_level_cache_bytes(folder.path) == 32 << 10);
}
