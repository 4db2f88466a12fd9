// The few things the face asks of CUDA itself: gpu.cpp where there is a toolkit, gpu_absent.cpp where none
// is.
#pragma once

struct CUstream_st;

namespace sparsmith::library {

// A stream as a caller gave it, with CUDA's names for the default stream as null. Throws where it is none, or
// where it stands for another stream on every thread.
struct given_stream {
  CUstream_st* stream = nullptr;
  bool non_blocking = false;
};
given_stream look_at(void* stream);

void wait_for(void* stream);

// Whether kernels can read it: the GPU's own memory, or what is shared with it.
bool is_gpu_memory(const void* memory);

// A stream that waits for the default one and is waited for, as memory of ours asks for.
class waiting_stream {
 public:
  waiting_stream();
  waiting_stream(const waiting_stream&) = delete;
  ~waiting_stream();
  CUstream_st* get() const { return stream_; }

 private:
  CUstream_st* stream_ = nullptr;
};

}  // namespace sparsmith::library
