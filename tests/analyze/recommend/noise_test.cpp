// What is called busy: from readings that are made up, from a folder that stands for /proc, from a driver
// that is scripted, and from results. And, on this machine, that a thread that has no core of its own is
// seen.
#include "analyze/recommend/noise.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iostream>
#include <thread>

#include "tests/catch.hpp"
#include "tests/tools/process.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

using phrases = std::vector<std::string>;

// Ten seconds on four CPUs, of which this process used all it could.
cpu_reading at_start() {
  cpu_reading r;
  r.at = 50;
  r.busy = 1000;
  r.stolen = 7;
  r.own = 3;
  r.waited = {{11, 0.5}, {12, 0.25}};
  r.cpus = 4;
  return r;
}
cpu_reading ten_seconds_later() {
  cpu_reading r = at_start();
  r.at += 10;
  *r.busy += 40.2;  // 0.02 of a core for the others
  r.own += 40;
  r.waited = {{11, 0.6}, {12, 0.5}, {13, 0.1}};  // 2.5 % at most
  return r;
}

contestant_result timed(operation op, double median, double p10, double p90, double expected) {
  contestant_result k;
  k.op = op;
  k.time.cold = {median, p10, p90, 20, p10, p90};
  k.time.warm = {median / 2, median / 2, median / 2, 20, median / 2, median / 2};
  k.expected.cold = expected;
  k.expected.warm = expected;
  return k;
}

// Six contestants of a millisecond, more or less, which is what was expected of them.
matrix_result as_expected() {
  matrix_result found;
  variant_result& f = found.variants.emplace_back();
  for (int i = 0; i < 3; ++i)
    for (const operation op : plain_operations)
      f.contestants.push_back(timed(op, 1e-3 * (1 + i), 0.95e-3 * (1 + i), 1.1e-3 * (1 + i), 1e-3));
  return found;
}

}  // namespace

TEST_CASE("noise: a machine that is left alone is not called busy") {
  CHECK(disturbances_between(at_start(), ten_seconds_later(), 4).empty());
  CHECK(disturbances_between(at_start(), at_start(), 4).empty());  // no time went by
}

TEST_CASE("noise: what others used of the CPUs is told") {
  cpu_reading after = ten_seconds_later();
  *after.busy += 9.5;
  CHECK(disturbances_between(at_start(), after, 4) == phrases{"other processes used 0.97 of a core"});
  // Cores that nobody asked for may be used a little.
  CHECK(disturbances_between(at_start(), after, 2) == phrases{"other processes used 0.97 of a core"});
  *after.busy -= 8;
  CHECK(disturbances_between(at_start(), after, 4) == phrases{"other processes used 0.17 of a core"});
  CHECK(disturbances_between(at_start(), after, 2).empty());
  *after.busy += 20;
  CHECK(disturbances_between(at_start(), after, 4) == phrases{"other processes used 2.2 cores"});
}

TEST_CASE("noise: in a short time ticks of the system's clock are no processes") {
  cpu_reading before = at_start(), after = at_start();
  after.at += 0.1;
  after.own += 0.4;
  *after.busy += 0.44;  // four ticks of 10 ms too many
  CHECK(disturbances_between(before, after, 4).empty());
  *after.busy += 0.04;
  CHECK(disturbances_between(before, after, 4).size() == 1);
}

TEST_CASE("noise: a hypervisor and threads that waited are told") {
  cpu_reading after = ten_seconds_later();
  *after.stolen += 3;
  CHECK(disturbances_between(at_start(), after, 4) == phrases{"the hypervisor took 0.30 of a core"});
  after = ten_seconds_later();
  after.waited[12] += 1;
  CHECK(disturbances_between(at_start(), after, 4) == phrases{"a thread waited 12 % of the time for a core"});
}

TEST_CASE("noise: where the system says nothing, nothing is said") {
  cpu_reading before = at_start(), after = ten_seconds_later();
  *after.busy += 100, *after.stolen += 100;
  before.busy.reset(), before.stolen.reset(), after.waited.clear();
  CHECK(disturbances_between(before, after, 4).empty());
  const temporary_folder nothing("noise_test");
  const cpu_reading read = read_cpus(nothing / "proc");
  CHECK_FALSE(read.busy);
  CHECK_FALSE(read.stolen);
  CHECK(read.waited.empty());
}

TEST_CASE("noise: CPUs this process may not use are not counted") {
  const temporary_folder folder("noise_test");
  std::filesystem::create_directories(folder / "self/task/77");
  cpu_set_t mask;
  CPU_ZERO(&mask);
  REQUIRE(::sched_getaffinity(0, sizeof mask, &mask) == 0);
  int own = 0, other = 0;
  while (!CPU_ISSET(own, &mask)) ++own;
  while (CPU_ISSET(other, &mask)) ++other;
  const auto ticks = ::sysconf(_SC_CLK_TCK);
  std::ofstream(folder / "stat") << "cpu  " << own << " 9 9 9 9 9 9 9 0 0\n"  // all together: no CPU
                                 << "cpu" << own << ' ' << ticks << ' ' << 2 * ticks << ' ' << 4 * ticks
                                 << " 999 999 " << 8 * ticks << ' ' << 16 * ticks << ' ' << 3 * ticks
                                 << " 0 0\n"
                                 << "cpu" << other << " 5000 5000 5000 5000 5000 5000 5000 5000 0 0\n"
                                 << "intr 1 2 3\n";
  std::ofstream(folder / "self/task/77/schedstat") << "5000000000 1500000000 12\n";
  const cpu_reading read = read_cpus(folder / "");
  CHECK(read.busy == 7);  // interrupts are nobody's
  CHECK(read.stolen == 3);
  CHECK(read.waited == std::map<int, double>{{77, 1.5}});
}

TEST_CASE("noise: two threads on one CPU are seen to wait") {
  const cpu_reading before = read_cpus();
  if (before.waited.empty()) {
    std::cout << "SKIPPED: this system does not say how long threads wait\n";
    return;
  }
  std::atomic<bool> done = false;
  const auto compute = [&] {
    cpu_set_t mask, one;
    CPU_ZERO(&mask);
    CPU_ZERO(&one);
    (void)::sched_getaffinity(0, sizeof mask, &mask);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &mask)) ++cpu;
    CPU_SET(cpu, &one);
    (void)::sched_setaffinity(0, sizeof one, &one);  // of this thread alone
    while (!done) {
    }
  };
  std::thread first(compute), second(compute);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const cpu_reading after = read_cpus();
  done = true;
  first.join(), second.join();
  const phrases said = disturbances_between(before, after, 2);
  CHECK(std::any_of(said.begin(), said.end(),
                    [](const std::string& text) { return text.starts_with("a thread waited "); }));
}

TEST_CASE(
    "noise: samples in which a thread had no core are taken again, and counted where that does not help") {
  if (read_cpus().waited.empty()) {
    std::cout << "SKIPPED: this system does not say how long threads wait\n";
    return;
  }
  cpu_set_t before, one;
  CPU_ZERO(&before);
  CPU_ZERO(&one);
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &before)) ++cpu;
  CPU_SET(cpu, &one);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(2);
  const auto confine_to = [](const cpu_set_t& cpus) {
#pragma omp parallel
    (void)::sched_setaffinity(0, sizeof cpus, &cpus);
  };
  int calls = 0;
  // Each thread for 20 ms of computing, on one core.
  const auto compute = [&] {
    ++calls;
#pragma omp parallel
    for (const double end = seconds_now() + 0.02; seconds_now() < end;) {
    }
  };
  confine_to(one);
  int disturbed = 0;
  CHECK(take_samples(openmp{}, compute, {3, 0, 0.0, false, &disturbed}).size() == 3);
  confine_to(before);
  omp_set_num_threads(threads);
  CHECK(disturbed == 3);
  CHECK(calls == 6);
}

TEST_CASE("noise: beside a GPU only a thread that can hardly start anything counts") {
  cpu_reading after = ten_seconds_later();
  *after.busy += 30;
  after.waited[11] += 2;
  CHECK(disturbances_of_launches(at_start(), after, 11).empty());
  CHECK(disturbances_of_launches(at_start(), after, 99).empty());
  after.waited[11] += 1;
  CHECK(disturbances_of_launches(at_start(), after, 11) ==
        phrases{"the thread that starts products waited 31 % of the time for a core"});
  after.at = at_start().at + 0.05;  // another had its turn once: that says nothing
  CHECK(disturbances_of_launches(at_start(), after, 11).empty());
}

TEST_CASE("noise: other processes on the GPU are told where they compute") {
  const auto said_of = [](std::vector<gpu_process> all) {
    return noise_watch(gpu_driver{{}, [all] { return all; }}).disturbances();
  };
  CHECK(said_of({}).empty());
  CHECK(said_of({{::getpid(), 0.9}}).empty());
  CHECK(said_of({{::getpid(), 0.9}, {1, 0.04}}).empty());
  CHECK(said_of({{::getpid(), 0.3}, {1, 0.5}}) == phrases{"other processes used 50 % of the GPU"});
  // In a container the driver has other numbers: one of them is this process, which computes most.
  CHECK(said_of({{1, 0.9}}).empty());
  CHECK(said_of({{1, 0.9}, {2, 0.2}, {3, 0.1}}) == phrases{"other processes used 30 % of the GPU"});
}

TEST_CASE("noise: clocks that were held down are told, idle ones are not") {
  const auto said_of = [](std::uint64_t bits) {
    noise_watch watch(gpu_driver{[bits] { return std::optional(bits); }, {}});
    watch.look();
    return watch.disturbances();
  };
  CHECK(said_of(0).empty());
  CHECK(
      said_of(0x1 | 0x2 | 0x10 | 0x100).empty());  // idle, set by the user, in step with others, a display's
  CHECK(said_of(0x4) == phrases{"the GPU's clocks were held down by its power limit"});
  CHECK(said_of(0x20 | 0x40 | 0x4) ==
        phrases{"the GPU's clocks were held down by its power limit and its temperature"});
  int looks = 0;
  noise_watch once(gpu_driver{[&] { return std::optional<std::uint64_t>(looks++ == 3 ? 0x4 : 0); }, {}});
  while (looks < 12) once.look();  // it looks rarely, however often it is asked
  for (const std::string& said : once.disturbances()) CHECK(said.find("clocks") == std::string::npos);
  noise_watch silent(gpu_driver{[] { return std::optional<std::uint64_t>(); }, {}});
  silent.look();
  CHECK(silent.disturbances().empty());
}

TEST_CASE("noise: a driver that is not there says nothing") {
  const gpu_driver none = driver_of("no such GPU");
  CHECK_FALSE(none.clock_reasons);
  CHECK_FALSE(none.processes);
}

TEST_CASE("noise: leaders whose samples spread are told, unless it is what starting anything does") {
  matrix_result found = as_expected();
  CHECK(disturbances_in(found, false).empty());
  found.variants[0].contestants[1].time.cold.p90 = 2e-3;
  CHECK(disturbances_in(found, false) == phrases{"the times of the fastest spread by 105 % of their median"});
  CHECK(disturbances_in(found, true).empty());  // of warm runs
  found.clock_seconds = 0.3e-3;
  CHECK(disturbances_in(found, false).empty());
  found.clock_seconds = 0;
  found.variants[0].contestants[1].time.cold.samples = 5;  // too few to say
  CHECK(disturbances_in(found, false).empty());
  found = as_expected();
  found.variants[0].contestants[4].time.cold.p90 = 9e-3;  // who is behind may spread
  CHECK(disturbances_in(found, false).empty());
}

TEST_CASE("noise: that everybody is far from what was predicted is told") {
  matrix_result found = as_expected();
  for (contestant_result& k : found.variants[0].contestants) k.expected.cold /= 12.5;
  CHECK(disturbances_in(found, false) == phrases{"every kernel took at least 12.5 x what is predicted"});
  found.variants[0].contestants[3].expected.cold = 1e-3;  // one is as expected
  CHECK(disturbances_in(found, false).empty());
  found.variants[0].contestants[3].expected.cold = 0;  // nothing is expected of one
  CHECK(disturbances_in(found, false).size() == 1);
  found.variants[0].contestants[1].not_run = "out of memory";  // too few
  CHECK(disturbances_in(found, false).empty());
}
