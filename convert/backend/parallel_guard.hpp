// No exception may leave an OpenMP region: the process would end on the spot. Threads get their memory before
// the region wherever that can be; where it grows as they work, the work goes through a guard, which keeps
// the first exception, leaves out what has not begun by then, and throws it again after the region.
#pragma once

#include <atomic>
#include <exception>

namespace sparsmith {

class parallel_guard {
 public:
  template <class Work>
  void run(Work work) {
    if (failed_) return;
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  // After the region, whose end all threads have reached.
  void rethrow() const {
    if (first_ != nullptr) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr first_;
};

}  // namespace sparsmith
