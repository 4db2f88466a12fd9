#pragma once

#include <chrono>

namespace sparsmith {

// Seconds, from some time on.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sparsmith
