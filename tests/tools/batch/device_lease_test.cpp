// The lease of a device: one holder, and whoever waits comes next.
#include "tools/batch/device_lease.hpp"

#include <sys/stat.h>

#include "tests/tools/process.hpp"

namespace fs = std::filesystem;
using sparsmith::device_lease;
using sparsmith::open_private_lock;
using sparsmith::testing::temporary_folder;

namespace {

// Of this process alone, so that tests beside each other do not meet.
std::string gpu(int number) {
  return "test " + std::to_string(::getpid()) + " " + std::to_string(number);
}

}  // namespace

TEST_CASE("one at a time, others on other devices") {
  device_lease first(gpu(1)), second(gpu(1)), elsewhere(gpu(2));
  CHECK(first.try_take());
  CHECK_FALSE(second.try_take());
  CHECK(elsewhere.try_take());
  first.give_back();
  CHECK(second.try_take());
}

TEST_CASE("whoever waits comes before the one that had it") {
  device_lease first(gpu(3)), second(gpu(3));
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(first.try_take());
    CHECK_FALSE(second.try_take());
    first.give_back();
    CHECK_FALSE(first.try_take());  // again, at once
    CHECK(second.try_take());
    CHECK_FALSE(first.try_take());
    second.give_back();
  }
}

TEST_CASE("a holder that is gone holds nothing") {
  device_lease waits(gpu(4));
  {
    device_lease gone(gpu(4));
    CHECK(gone.try_take());
    CHECK_FALSE(waits.try_take());
  }
  CHECK(waits.try_take());
}

TEST_CASE("whoever waits no more keeps nobody from it") {
  device_lease first(gpu(5)), second(gpu(5));
  CHECK(first.try_take());
  CHECK_FALSE(second.try_take());
  first.give_back();
  CHECK_FALSE(first.try_take());
  second.stop_waiting();
  CHECK(first.try_take());
}

TEST_CASE("the lock lies where nobody else can make it, hold it, or lead it elsewhere") {
  const temporary_folder here("device_lease_test");
  const auto refusal = [&](const std::string& name) {
    const sparsmith::private_lock lock = open_private_lock(here.path / name);
    if (lock.descriptor >= 0) ::close(lock.descriptor);
    CHECK((lock.descriptor < 0) == !lock.problem.empty());
    return lock.problem.empty() ? "opened" : lock.problem.substr(here.path.string().size() + 1);
  };
  struct stat status {};
  CHECK(refusal("made") == "opened");
  REQUIRE(::stat((here / "made").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  REQUIRE(::stat((here / "made/device.lock").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(refusal("made") == "opened");  // and again

  fs::create_directory_symlink(here.path / "made", here.path / "link");
  CHECK(refusal("link") == "link: not a folder of this user's");
  std::ofstream(here.path / "file") << "";
  CHECK(refusal("file") == "file: not a folder of this user's");
  CHECK(refusal("not/there") == "not/there: No such file or directory");
  for (const unsigned mode : {0720U, 0702U}) {
    ::chmod((here / "made").c_str(), mode);
    CHECK(refusal("made") == "made: others can write to it, or own it");
  }
  ::chmod((here / "made").c_str(), 0755);  // reading hurts nobody
  CHECK(refusal("made") == "opened");

  fs::create_directory(here.path / "linked");
  ::chmod((here / "linked").c_str(), 0700);
  fs::create_symlink(here.path / "target", here.path / "linked/device.lock");
  CHECK(refusal("linked").starts_with("linked: device.lock: "));
  CHECK_FALSE(fs::exists(here.path / "target"));
  fs::remove(here.path / "linked/device.lock");
  REQUIRE(::mkfifo((here / "linked/device.lock").c_str(), 0600) == 0);
  CHECK(refusal("linked") == "linked: device.lock: not a file of this user's");
  if (::geteuid() == 0) {
    fs::remove(here.path / "linked/device.lock");
    REQUIRE(::chown((here / "linked").c_str(), 12345, 12345) == 0);
    CHECK(refusal("linked") == "linked: others can write to it, or own it");
    REQUIRE(::chown((here / "made/device.lock").c_str(), 12345, 12345) == 0);
    CHECK(refusal("made") == "made: device.lock: not a file of this user's");
  }
}

TEST_CASE("where the lock lies is the same whatever a job's environment says, so that all meet") {
  const temporary_folder here("device_lease_test");
  ::chmod(here.path.c_str(), 0700);
  const std::string user = std::to_string(::geteuid());
  CHECK(sparsmith::device_lock_folders() ==
        std::vector<fs::path>{"/tmp/sparsmith-" + user, "/run/user/" + user + "/sparsmith"});
  device_lease usual(gpu(6));
  REQUIRE(usual.problem().empty());
  CHECK(usual.try_take());
  for (const char* const name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* const before = std::getenv(name);
    const std::string kept = before == nullptr ? "" : before;
    ::setenv(name, here.path.c_str(), 1);
    {
      device_lease in_job(gpu(6));
      CHECK_FALSE(in_job.try_take());
    }
    before == nullptr ? ::unsetenv(name) : ::setenv(name, kept.c_str(), 1);
  }
  CHECK(here.files().empty());
}

TEST_CASE("another place for the lock is taken only where the first is refused") {
  const temporary_folder here("device_lease_test");
  const std::vector<fs::path> places = {here.path / "first", here.path / "second"};
  {
    const device_lease one(gpu(7), places);
    CHECK(one.problem().empty());
    CHECK(fs::exists(places[0] / "device.lock"));
    CHECK_FALSE(fs::exists(places[1]));
  }
  ::chmod(places[0].c_str(), 0777);
  device_lease one(gpu(7), places), two(gpu(7), places);
  CHECK(one.problem().empty());
  CHECK(fs::exists(places[1] / "device.lock"));
  CHECK(one.try_take());
  CHECK_FALSE(two.try_take());
  ::chmod(places[1].c_str(), 0777);
  device_lease none(gpu(7), places);
  CHECK(none.problem() == places[0].string() + ": others can write to it, or own it; " + places[1].string() +
                              ": others can write to it, or own it");
  CHECK(none.try_take());  // nothing is kept from anybody
}
