// What a user is told who has no GPU, or one that the build has no code for, and of the code that runs on it.
// Compiled in every build, so that a machine without a GPU tests it.
#include <fmt/format.h>

#include <sstream>

#include "convert/backend/device.hpp"

namespace sparsmith {

std::string missing_gpu(int driver, bool none_there, const std::string& problem) {
  if (driver == 0) return "no GPU driver found";
  return none_there ? "no GPU found" : "no GPU found: " + problem;
}

std::string missing_architecture(const std::string& architectures, int major, int minor) {
  const int number = major * 10 + minor;
  if (major < oldest_compute_capability)
    return fmt::format("this GPU is sm_{}; sm_{}0 or newer is needed", number, oldest_compute_capability);
  std::string built_for;
  std::istringstream list(architectures);
  for (std::string one; std::getline(list, one, ',');) {
    one = one.substr(0, one.find('-'));                                    // 80-real and 80-virtual
    const bool numbered = !one.empty() && one[0] >= '0' && one[0] <= '9';  // or a word such as "native"
    built_for += (built_for.empty() ? "" : " and ") + (numbered ? "sm_" + one : one);
  }
  return fmt::format("built for {}, this GPU is sm_{}: rebuild with -DCMAKE_CUDA_ARCHITECTURES={}", built_for,
                     number, number);
}

static std::string with_a_point(int capability) {  // "9.0" of 90
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

std::string in_words(const gpu_code& code) {
  if (code.ptx >= code.gpu) return with_a_point(code.gpu);
  if (code.machine < code.gpu)
    return fmt::format("{}, on a GPU of {}", with_a_point(code.machine), with_a_point(code.gpu));
  return fmt::format("{}, compiled by the driver for {}", with_a_point(code.ptx), with_a_point(code.gpu));
}

std::string doubt_about(const gpu_code& code) {
  if (code.ptx >= code.gpu) return {};
  constexpr int overlapping = 90;  // kernels/cuda/overlap.hpp
  return fmt::format("built for {} and {}: build with ARCH={} for full speed{}", with_a_point(code.ptx),
                     code.machine < code.gpu ? "run on a GPU of " + with_a_point(code.gpu)
                                             : "compiled by the driver from its PTX",
                     code.gpu,
                     code.ptx < overlapping && code.gpu >= overlapping
                         ? "; kernels lose the copy engine and overlapped launches"
                         : "");
}

}  // namespace sparsmith
