// Where work runs: OpenMP on the host or CUDA on a GPU. A backend is a tag that names its memory space; the
// pipelines are templates over it and are compiled once for each. Also the record of what each stage cost.
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "convert/backend/memory.hpp"

struct CUstream_st;  // what CUDA's own cudaStream_t points at

namespace sparsmith {

struct openmp {
  static constexpr const char* name = "openmp";
  using space = host;
};

struct cuda {
  static constexpr const char* name = "cuda";
  using space = device;
  // What work is queued on; null is CUDA's default stream. Memory is taken and given back in the order of the
  // default stream, so this must be one that waits for it: any but those that are created as non-blocking.
  CUstream_st* stream = nullptr;
};

// Whether this build has the CUDA half; where it has not, nothing may name a pipeline on it.
inline constexpr bool has_cuda = SPARSMITH_HAS_CUDA != 0;

int thread_count();
void set_thread_count(int threads);  // 0: as many as the machine offers

// The GPU work would run on, or the reason why there is none.
struct gpu_state {
  bool usable = false;
  std::string description;    // "NVIDIA H200, 140.4 GiB" or "built without CUDA"
  std::string identity = {};  // "0000:1b:00.0": tells it from others of this machine
};
const gpu_state& find_gpu();

// Work on a GPU is asynchronous; this waits for it and reports its errors.
inline void synchronize(openmp) {}
void synchronize(cuda);

struct stage {
  std::string name;
  double seconds = 0;
  std::int64_t entries = 0;
  std::int64_t bytes = 0;  // bytes the stage had to move; 0 where that says nothing
};
using stage_log = std::vector<stage>;

// Times its own scope and notes it in the log. Without a log it does nothing, so that a pipeline
// called in a loop never waits for the device.
template <class Backend>
class timed_stage {
 public:
  timed_stage(Backend on, stage_log* log, std::string name, std::int64_t entries, std::int64_t bytes = 0)
      : on_(on), log_(log) {
    if (log_ != nullptr) {
      // Here and not at its end, where there may be no memory for it: what a function returns is lost with
      // g++ before 14 where the destructor of a local throws.
      place_ = log_->size();
      log_->push_back({std::move(name), 0, entries, bytes});
      synchronize(on_);
      start_ = std::chrono::steady_clock::now();
    }
  }
  timed_stage(const timed_stage&) = delete;
  // Where only the work shows how much of it there is.
  void moved(std::int64_t bytes) {
    if (log_ != nullptr) (*log_)[place_].bytes = bytes;
  }
  ~timed_stage() noexcept(false) {
    if (log_ == nullptr || std::uncaught_exceptions() > exceptions_) return;
    synchronize(on_);
    (*log_)[place_].seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  Backend on_;
  stage_log* log_;
  std::size_t place_ = 0;
  int exceptions_ = std::uncaught_exceptions();
  std::chrono::steady_clock::time_point start_;
};

}  // namespace sparsmith
