// Stands in for device.cu where no CUDA toolkit was found: there is no GPU, and asking for one is an error.
#include "convert/backend/device.hpp"
#include "convert/error.hpp"

namespace sparsmith {
namespace {
[[noreturn]] void no_cuda() {
  throw error(failure::device, "this build has no CUDA support");
}
}  // namespace

const gpu_state& find_gpu() {
  static const gpu_state state{false, "built without CUDA"};
  return state;
}

void synchronize(cuda) {
  no_cuda();
}

queued_work::queued_work(CUstream_st*) {
  no_cuda();
}
queued_work::~queued_work() = default;
void queued_work::wait() const {}
void queued_work::hold_back(CUstream_st*) const {
  no_cuda();
}

work_beside::work_beside() {
  no_cuda();
}
work_beside::~work_beside() = default;

namespace device_memory {
void* allocate(std::int64_t) {
  no_cuda();
}
void release(void*) noexcept {}
void copy(void*, const void*, std::int64_t) {
  no_cuda();
}
void copy_beside(void*, const void*, std::int64_t) {
  no_cuda();
}
std::int64_t available_bytes() {
  return 0;
}
}  // namespace device_memory
}  // namespace sparsmith
