// What control groups say about memory, in the words of both versions of their interface.
#include "convert/backend/control_group.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

#include "convert/backend/memory.hpp"
#include "tests/catch.hpp"

namespace fs = std::filesystem;
using namespace sparsmith;

namespace {

struct made_group {
  fs::path folder = fs::temp_directory_path() / ("control_group_test_" + std::to_string(::getpid()));
  made_group() { fs::create_directories(folder); }
  made_group(const made_group&) = delete;
  ~made_group() { fs::remove_all(folder); }
  void write(const char* file, const std::string& text) const {
    fs::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << text;
  }
};

}  // namespace

TEST_CASE("version 2: what the limit leaves, caches that make room included") {
  const made_group made;
  const control_group group{made.folder, true};
  CHECK(group.free_bytes() == -1);
  CHECK(group.kills() == 0);
  made.write("memory.max", "max\n");
  made.write("memory.current", "400\n");
  CHECK(group.free_bytes() == -1);
  made.write("memory.max", "1000\n");
  CHECK(group.free_bytes() == 600);
  made.write("memory.stat", "anon 250\nfile 150\ninactive_file 100\nactive_file 50\n");
  CHECK(group.free_bytes() == 700);
  made.write("memory.current", "1200\n");
  CHECK(group.free_bytes() == 0);
  made.write("memory.events", "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\n");
  CHECK(group.kills() == 2);
}

TEST_CASE("version 1 says the same in other words") {
  const made_group made;
  const control_group group{made.folder, false};
  made.write("memory.limit_in_bytes", "1000\n");
  made.write("memory.usage_in_bytes", "400\n");
  made.write("memory.stat", "inactive_file 1\ntotal_inactive_file 100\n");
  made.write("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  CHECK(group.free_bytes() == 700);
  CHECK(group.kills() == 4);
}

// A job of Slurm or a slice of systemd has its limit a few groups above the process.
TEST_CASE("the limits of all groups around a process are found") {
  const made_group made;
  made.write("listed", "0::/slice/job/step\n");
  made.write("root/memory.stat", "inactive_file 7\n");
  made.write("root/slice/memory.max", "5000\n");
  made.write("root/slice/memory.current", "1000\n");
  made.write("root/slice/job/memory.max", "3000\n");
  made.write("root/slice/job/memory.current", "2000\n");
  made.write("root/slice/job/memory.stat", "active_file 100\ninactive_file 500\n");
  made.write("root/slice/job/step/memory.max", "max\n");
  made.write("root/slice/job/step/memory.current", "1900\n");
  const auto left = [](const std::vector<control_group>& groups) {
    std::vector<std::int64_t> bytes;
    for (const control_group& group : groups) bytes.push_back(group.free_bytes());
    return bytes;
  };
  const auto groups = own_control_groups(made.folder / "listed", made.folder / "root");
  CHECK(groups.front().folder == made.folder / "root/slice/job/step");
  CHECK(left(groups) == std::vector<std::int64_t>{-1, 1500, 4000, -1});

  made.write("listed", "5:cpu,cpuacct:/other\n4:memory:/a/b\n0::/slice/job\n");
  made.write("root/memory/a/memory.limit_in_bytes", "1000\n");
  made.write("root/memory/a/memory.usage_in_bytes", "400\n");
  made.write("root/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  made.write("root/memory/a/b/memory.usage_in_bytes", "300\n");
  CHECK(left(own_control_groups(made.folder / "listed", made.folder / "root")) ==
        std::vector<std::int64_t>{9223372036854771412, 600, -1});

  // In a container, the path of the world outside: only the root is there.
  made.write("listed", "0::/not/here\n");
  CHECK(left(own_control_groups(made.folder / "listed", made.folder / "root")) ==
        std::vector<std::int64_t>{-1});
}

TEST_CASE("no more memory is available than any group around this process leaves") {
  for (const control_group& group : own_control_groups()) {
    CHECK(fs::is_directory(group.folder));
    // Others allocate meanwhile: it is the order of magnitude that counts.
    if (const auto free = group.free_bytes(); free >= 0)
      CHECK(available_bytes(place::host) - (std::int64_t{1} << 30) <= free);
  }
}

TEST_CASE("memory is not given out to the last byte") {
  std::ifstream file("/proc/meminfo");
  std::string label;
  std::int64_t kibibytes = -1;
  while (label != "MemAvailable:" && file >> label) file >> kibibytes, file.ignore(99, '\n');
  REQUIRE(label == "MemAvailable:");
  // What other processes give back or take meanwhile is less than half of what is kept.
  CHECK(available_bytes(place::host) < kibibytes * 1024 / 32 * 31);
}
