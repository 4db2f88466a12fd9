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

TEST_CASE("the lock is in the user's runtime folder where there is one") {
  const temporary_folder here("device_lease_test");
  ::chmod(here.path.c_str(), 0700);
  const char* const before = std::getenv("XDG_RUNTIME_DIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("XDG_RUNTIME_DIR", here.path.c_str(), 1);
  {
    const device_lease one(gpu(6));
    CHECK(one.problem().empty());
  }
  CHECK(fs::exists(here.path / "sparsmith/device.lock"));
  fs::remove_all(here.path / "sparsmith");
  // Not where others can write, nor below a path that depends on where one is.
  ::chmod(here.path.c_str(), 0777);
  { const device_lease one(gpu(6)); }
  CHECK_FALSE(fs::exists(here.path / "sparsmith"));
  ::chmod(here.path.c_str(), 0700);
  const fs::path was = fs::current_path();
  fs::current_path(here.path.parent_path());
  ::setenv("XDG_RUNTIME_DIR", here.path.filename().c_str(), 1);
  { const device_lease one(gpu(6)); }
  fs::current_path(was);
  CHECK_FALSE(fs::exists(here.path / "sparsmith"));
  before == nullptr ? ::unsetenv("XDG_RUNTIME_DIR") : ::setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
}
