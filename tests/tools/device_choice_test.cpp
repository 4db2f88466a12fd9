// What `--device auto` does when the GPU that it took lets it down.
#include "tests/catch.hpp"
#include "tools/common_options.hpp"
#include "tools/files.hpp"

using namespace sparsmith;

namespace {

const device_choice a_gpu = {.use_gpu = true, .note = "CUDA, a GPU", .may_fall_back = true};

}  // namespace

TEST_CASE("a GPU that fails, or has too little memory, leaves the work to the CPU") {
  for (const error& problem :
       {error(failure::device, "CUDA: lost"), error(failure::resources, "CUDA: out of memory", "device")}) {
    device_choice choice = a_gpu;
    CHECK(fall_back(choice, problem));
    CHECK(!choice.use_gpu);
    CHECK(!choice.may_fall_back);
    CHECK(choice.note.find("OpenMP, ") == 0);
    CHECK(choice.note.find(problem.what()) != std::string::npos);
  }
}

TEST_CASE("what the CPU would not do better, or was not asked for, ends the work") {
  for (const error& problem :
       {error(failure::resources, "too padded", "max-fill"), error(failure::resources, "no host memory"),
        error(failure::input, "no matrix"), error(failure::output, "disk full")}) {
    device_choice choice = a_gpu;
    CHECK(!fall_back(choice, problem));
    CHECK(choice.use_gpu);
  }
  device_choice asked_for = a_gpu;
  asked_for.may_fall_back = false;
  CHECK(!fall_back(asked_for, error(failure::device, "CUDA: lost")));
}

TEST_CASE("work is done once more after falling back, and once only") {
  for (const int failures : {0, 1, 2}) {
    device_choice choice = a_gpu;
    int tries = 0, told = 0;
    const auto work = [&] {
      if (tries++ < failures) throw error(failure::device, "CUDA: lost");
      return choice.use_gpu;
    };
    const auto tell = [&](const std::string&) { ++told; };
    if (failures == 2)
      CHECK_THROWS_AS(on_chosen_device(choice, tell, work), error);
    else
      CHECK(on_chosen_device(choice, tell, work) == (failures == 0));
    CHECK(tries == (failures == 0 ? 1 : 2));
    CHECK(told == (failures == 0 ? 0 : 1));
  }
}

TEST_CASE("only generators and plain files are read again") {
  CHECK(can_be_read_again("gen:laplace2d?n=3"));
  CHECK(!can_be_read_again("-"));
  CHECK(!can_be_read_again("/dev/null"));
  CHECK(!can_be_read_again("/nowhere/a.mtx"));
}
