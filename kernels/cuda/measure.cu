#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>

#include "kernels/cuda/launch.hpp"
#include "kernels/measure.hpp"

namespace sparsmith {
namespace {

struct event {
  cudaEvent_t handle = nullptr;
  event() { check_cuda(cudaEventCreate(&handle)); }
  event(const event&) = delete;
  ~event() { (void)cudaEventDestroy(handle); }
};

// Many calls of `work` as one graph: launched at once, they follow each other without the host between them.
class graph {
 public:
  graph(cuda on, const std::function<void()>& work, int calls) : on_(on) {
    check_cuda(cudaStreamBeginCapture(on.stream, cudaStreamCaptureModeThreadLocal));
    cudaGraph_t captured = nullptr;
    try {
      for (int i = 0; i < calls; ++i) work();
    } catch (...) {
      (void)cudaStreamEndCapture(on.stream, &captured);
      if (captured != nullptr) (void)cudaGraphDestroy(captured);
      throw;
    }
    check_cuda(cudaStreamEndCapture(on.stream, &captured));
    const cudaError_t status = cudaGraphInstantiate(&handle_, captured, 0);
    (void)cudaGraphDestroy(captured);
    check_cuda(status);
  }
  graph(const graph&) = delete;
  ~graph() { (void)cudaGraphExecDestroy(handle_); }
  void launch() const { check_cuda(cudaGraphLaunch(handle_, on_.stream)); }

 private:
  cuda on_;
  cudaGraphExec_t handle_ = nullptr;
};

// Reading replaces what the cache holds; writing would leave lines that must be written back in the timing.
__global__ void read_all(const float4* memory, std::int64_t count, float* never) {
  float sum = 0;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const float4 v = memory[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 1.5f) *never = sum;  // the memory holds zeros
}

__global__ void do_nothing() {}

std::int64_t cache_bytes() {
  int bytes = 0;
  check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
  return bytes;
}

// Held by nobody but those who measure: freed before CUDA is shut down. One block for all of them: who comes
// while it is made waits, until it is filled, since others read it on streams of their own.
std::shared_ptr<array<float, device>> cold_floats(cuda on) {
  static std::mutex holding;
  static std::weak_ptr<array<float, device>> held;
  const std::lock_guard alone(holding);
  std::shared_ptr<array<float, device>> memory = held.lock();
  if (memory != nullptr) return memory;
  const std::int64_t floats = 2 * cache_bytes() / std::int64_t{sizeof(float4)} * 4;
  memory = std::make_shared<array<float, device>>(floats);
  check_cuda(cudaMemsetAsync(memory->data(), 0, static_cast<std::size_t>(floats) * 4, on.stream));
  synchronize(on);
  held = memory;
  return memory;
}

template <class Launch>
double timed(cuda on, const event& start, const event& stop, Launch launch) {
  check_cuda(cudaEventRecord(start.handle, on.stream));
  launch();
  check_cuda(cudaEventRecord(stop.handle, on.stream));
  check_cuda(cudaEventSynchronize(stop.handle));
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, start.handle, stop.handle));
  return milliseconds / 1e3;
}

}  // namespace

cuda capturable(cuda on) {
  return on.stream == nullptr || on.stream == cudaStreamLegacy ? cuda{cudaStreamPerThread} : on;
}

std::shared_ptr<void> hold_cold_memory(cuda on) {
  return cold_floats(capturable(on));
}

std::vector<double> take_samples(cuda on, const std::function<void()>& work, const measure_options& options) {
  if (capturable(on).stream != on.stream)
    throw error(failure::usage,
                "CUDA's default stream cannot be captured into a graph: prepare and measure "
                "on capturable(on)");
  const event start, stop;
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double once = std::numeric_limits<double>::infinity();
  for (int calls = 0; calls < options.warm_up_calls || spent() < options.warm_up_seconds; ++calls) {
    once = std::min(once, timed(on, start, stop, work));
    if (spent() > 1 + options.warm_up_seconds) break;  // long enough for anything to be warm
  }
  std::vector<double> seconds;
  if (options.cold) {
    const auto memory = cold_floats(on);
    const graph one(on, work, 1);
    for (int i = 0; i < options.samples; ++i) {
      read_all<<<multiprocessors() * 8, 256, 0, on.stream>>>(reinterpret_cast<const float4*>(memory->data()),
                                                             memory->size() / 4, memory->data());
      check_cuda(cudaGetLastError());
      seconds.push_back(timed(on, start, stop, [&] { one.launch(); }));
    }
    check_cuda(cudaStreamSynchronize(on.stream));
  } else {
    // A replay of about 400 us, so that neither launches nor the events' resolution show.
    const int together = static_cast<int>(std::clamp(std::ceil(4e-4 / std::max(once, 1e-7)), 1.0, 200.0));
    const graph many(on, work, together);
    many.launch();
    for (int i = 0; i < options.samples; ++i)
      seconds.push_back(timed(on, start, stop, [&] { many.launch(); }) / together);
  }
  return seconds;
}

void start_nothing(cuda on) {
  do_nothing<<<static_cast<unsigned>(multiprocessors()), 256, 0, on.stream>>>();
  check_cuda(cudaGetLastError());
}

double copy_bandwidth(cuda where) {
  const cuda on = capturable(where);
  const std::int64_t bytes = std::min<std::int64_t>(16 * cache_bytes(), available_bytes(place::device) / 4);
  array<char, device> from(bytes), to(bytes);
  check_cuda(cudaMemsetAsync(from.data(), 0, static_cast<std::size_t>(bytes), on.stream));
  const timing t =
      measure(on,
              [&] {
                check_cuda(cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(bytes),
                                           cudaMemcpyDeviceToDevice, on.stream));
              },
              {});
  return static_cast<double>(bytes) * 2 / t.median;
}

}  // namespace sparsmith
