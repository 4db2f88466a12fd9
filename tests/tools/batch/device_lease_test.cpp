// The lease of a device: one holder, and whoever waits comes next.
#include "tools/batch/device_lease.hpp"

#include <unistd.h>

#include <string>

#include "tests/catch.hpp"

using sparsmith::device_lease;

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
