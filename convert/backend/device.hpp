// The device half of memory.hpp: implemented by device.cu where a CUDA toolkit was found, by
// device_absent.cpp where none was.
#pragma once

#include <string>

#include "convert/backend/backend.hpp"

struct CUevent_st;  // what CUDA's own cudaEvent_t points at

namespace sparsmith {

// The oldest GPUs there is code for: older ones lack reductions over a warp.
inline constexpr int oldest_compute_capability = 8;
// Why there is no GPU. The driver's own words stand only where they tell of something to be mended: a machine
// without a driver (version 0) or without a GPU lacks nothing, and hears of it in every summary.
std::string missing_gpu(int driver, bool none_there, const std::string& problem);
// Why there is no code for a GPU of that compute capability in a build for these architectures, as CMake
// takes them ("80" or "80-real,90"), and what to do about it.
std::string missing_architecture(const std::string& architectures, int major, int minor);

// The code that runs on a GPU, each as a number such as 90 for 9.0: the GPU's own compute capability, that of
// the PTX which a kernel was compiled from, and that of the machine code, which the driver makes from PTX
// where the build has none that fits.
struct gpu_code {
  int gpu = 0, ptx = 0, machine = 0;
};
std::string in_words(const gpu_code& code);
// Why it is not the code that this GPU should run, and what to do about it; empty where it is.
std::string doubt_about(const gpu_code& code);

// Of the GPU; only where there is CUDA.
int multiprocessors();

// What was queued so far on a stream, to be waited for while more is queued behind it.
class queued_work {
 public:
  explicit queued_work(openmp) {}
  explicit queued_work(cuda on) : queued_work(on.stream) {}
  explicit queued_work(CUstream_st* stream);
  queued_work(const queued_work&) = delete;
  ~queued_work();
  void wait() const;
  void hold_back(CUstream_st* stream) const;  // what is queued there from now on, until this is done

 private:
  CUevent_st* end_ = nullptr;  // none on OpenMP, which queues nothing
};

// Work that runs beside all other of the process, in the order in which it is queued: it begins once that
// which others queued before is done. Arrays it uses are taken before, and declared before, since memory
// changes hands in the order of the default stream: whatever happens, it is waited for before they go.
class work_beside {
 public:
  work_beside();
  work_beside(const work_beside&) = delete;
  ~work_beside();
  CUstream_st* stream() const { return stream_; }
  queued_work queued() const { return queued_work(stream_); }

 private:
  CUstream_st* stream_ = nullptr;
};

}  // namespace sparsmith

namespace sparsmith::device_memory {

void* allocate(std::int64_t bytes);
void release(void* memory) noexcept;
void copy(void* target, const void* source, std::int64_t bytes);  // in any direction
void copy_beside(void* target, const void* source, std::int64_t bytes);
std::int64_t available_bytes();

}  // namespace sparsmith::device_memory
