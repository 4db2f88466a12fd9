// What libFuzzer calls. The target is named by SPARSMITH_FUZZ_TARGET, which the processes that libFuzzer
// starts inherit.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/fuzz.hpp"

namespace {

const sparsmith::fuzz::target& chosen() {
  static const sparsmith::fuzz::target& target = []() -> const sparsmith::fuzz::target& {
    const char* const name = std::getenv("SPARSMITH_FUZZ_TARGET");
    return sparsmith::fuzz::target_named(name == nullptr ? "" : name);
  }();
  return target;
}

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The message is lost where an exception ends the process under a sanitizer.
  try {
    chosen().run({reinterpret_cast<const char*>(data), size});
  } catch (const std::exception& finding) {
    std::fprintf(stderr, "%s: %s\n", chosen().name, finding.what());
    std::abort();
  }
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room,
                                    unsigned int seed) {
  if (chosen().mutate == nullptr) return LLVMFuzzerMutate(data, size, room);
  const auto mutate = [](char* bytes, std::size_t length, std::size_t most) {
    return LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes), length, most);
  };
  const std::string made =
      chosen().mutate(std::string(reinterpret_cast<const char*>(data), size), room, seed, mutate);
  const std::size_t length = std::min(made.size(), room);
  std::memcpy(data, made.data(), length);
  return length;
}
}
