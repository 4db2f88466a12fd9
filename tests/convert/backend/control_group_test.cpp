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
  void write(const char* file, const std::string& text) const { std::ofstream(folder / file) << text; }
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

TEST_CASE("no more memory is available than any group around this process leaves") {
  for (const control_group& group : own_control_groups()) {
    CHECK(fs::is_directory(group.folder));
    // Others allocate meanwhile: it is the order of magnitude that counts.
    if (const auto free = group.free_bytes(); free >= 0)
      CHECK(available_bytes(place::host) - (std::int64_t{1} << 30) <= free);
  }
}
