// Stands in for gpu.cpp where no CUDA toolkit was found: no matrix is on a GPU, so nobody gets here.
#include "convert/error.hpp"
#include "tools/library/gpu.hpp"

namespace sparsmith::library {
namespace {
[[noreturn]] void no_cuda() {
  throw error(failure::device, "this build has no CUDA support");
}
}  // namespace

given_stream look_at(void*) {
  no_cuda();
}
void wait_for(void*) {
  no_cuda();
}
bool is_gpu_memory(const void*) {
  no_cuda();
}
waiting_stream::waiting_stream() {
  no_cuda();
}
waiting_stream::~waiting_stream() = default;

}  // namespace sparsmith::library
