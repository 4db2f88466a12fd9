// The kernels on CUDA: every one, ours and the vendor's, on the whole battery and on matrices large enough to
// fill a GPU.
#include <iostream>

#include "convert/io/read.hpp"
#include "kernels/measure.hpp"
#include "tests/gpu/gpu_here.hpp"
#include "tests/kernels/check_kernels.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

void print(const kernel_tally& tally) {
  for (const auto& [name, runs] : tally.runs) std::cout << name << " " << runs << " runs\n";
  for (const auto& [name, reasons] : tally.refusals)
    for (const std::string& reason : reasons) std::cout << name << " refuses: " << reason << "\n";
  std::cout << tally.total() << " runs of " << tally.runs.size() << " kernels\n";
}

}  // namespace

TEST_CASE("every kernel on CUDA, on the battery", "[battery]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    check_battery(cuda{}, tally);
    print(tally);
  }
}

TEST_CASE("every kernel on CUDA, on generated matrices", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    for (const std::string spec :
         {"gen:rmat?scale=14", "gen:uniform?n=3000&density=0.05", "gen:laplace3d?n=40",
          "gen:denserow?n=20000", "gen:blockband?n=4000&block=5&density=0.05", "gen:powerlaw?n=20000"}) {
      assembly_report report;
      std::vector<conversion_options> variants = kernel_variants();
      variants.resize(2);
      for (conversion_options& o : variants) o.max_fill = 40;
      variants[1].tile = {};
      check_kernels(
          cuda{}, spec,
          assemble<openmp, std::int32_t, float>(openmp{}, read_matrix(spec), false, report, nullptr),
          variants, tally);
      check_kernels(
          cuda{}, spec,
          assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr),
          variants, tally);
    }
    print(tally);
  }
}

// Small enough for compute-sanitizer, with every kernel of ours in it.
TEST_CASE("every kernel of ours on CUDA, a sample for the sanitizers", "[.sample]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    for (const std::string spec : {"gen:rmat?scale=8", "gen:blockband?n=600&block=5&density=0.2"}) {
      assembly_report report;
      check_kernels(
          cuda{}, spec,
          assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr),
          kernel_variants(), tally, false);
    }
    print(tally);
  }
}

TEST_CASE("measuring on CUDA") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) CHECK(copy_bandwidth(cuda{}) > 1e10);
}
