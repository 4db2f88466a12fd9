// What is said where there is no GPU or a build has no code for it; the GPU itself is not needed for that.
#include "convert/backend/device.hpp"
#include "tests/catch.hpp"

using sparsmith::missing_architecture;
using sparsmith::missing_gpu;

TEST_CASE("a machine without a GPU hears so in few words, and one that lacks something hears what") {
  const std::string old = "CUDA driver version is insufficient for CUDA runtime version";
  CHECK(missing_gpu(0, false, old) == "no GPU driver found");
  CHECK(missing_gpu(12080, false, old) == "no GPU found: " + old);
  CHECK(missing_gpu(13000, true, "no CUDA-capable device is detected") == "no GPU found");
}

TEST_CASE("a GPU the build has no code for is named, with what to build for") {
  CHECK(missing_architecture("90", 8, 0) ==
        "built for sm_90, this GPU is sm_80: rebuild with -DCMAKE_CUDA_ARCHITECTURES=80");
  CHECK(missing_architecture("80-real,90", 8, 6) ==
        "built for sm_80 and sm_90, this GPU is sm_86: rebuild with -DCMAKE_CUDA_ARCHITECTURES=86");
  CHECK(missing_architecture("90a-real", 12, 0) ==
        "built for sm_90a, this GPU is sm_120: rebuild with -DCMAKE_CUDA_ARCHITECTURES=120");
  CHECK(missing_architecture("native", 9, 0) ==
        "built for native, this GPU is sm_90: rebuild with -DCMAKE_CUDA_ARCHITECTURES=90");
}

TEST_CASE("code that was not compiled for the GPU is named, with what it loses") {
  using sparsmith::doubt_about;
  using sparsmith::gpu_code;
  using sparsmith::in_words;
  CHECK(in_words(gpu_code{90, 90, 90}) == "9.0");
  CHECK(doubt_about({90, 90, 90}).empty());
  CHECK(in_words(gpu_code{90, 80, 90}) == "8.0, compiled by the driver for 9.0");
  CHECK(doubt_about({90, 80, 90}) ==
        "built for 8.0 and compiled by the driver from its PTX: build with ARCH=90 for full speed; kernels "
        "lose "
        "the copy engine and overlapped launches");
  CHECK(in_words(gpu_code{120, 90, 120}) == "9.0, compiled by the driver for 12.0");
  CHECK(doubt_about({120, 90, 120}) ==
        "built for 9.0 and compiled by the driver from its PTX: build with ARCH=120 for full speed");
  CHECK(in_words(gpu_code{86, 80, 80}) == "8.0, on a GPU of 8.6");
  CHECK(doubt_about({86, 80, 80}) ==
        "built for 8.0 and run on a GPU of 8.6: build with ARCH=86 for full speed");
}

TEST_CASE("no build helps a GPU that is too old") {
  CHECK(missing_architecture("80", 7, 5) == "this GPU is sm_75; sm_80 or newer is needed");
  CHECK(missing_architecture("90", 3, 7) == "this GPU is sm_37; sm_80 or newer is needed");
}
