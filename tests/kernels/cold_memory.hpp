// Threads that ask at once for what replaces the caches.
#pragma once

#include <atomic>
#include <future>
#include <set>
#include <thread>
#include <vector>

#include "kernels/measure.hpp"

namespace sparsmith::testing {

// How many different blocks they get, all of which are kept until everybody has one.
template <class Backend>
std::size_t blocks_of_cold_memory(Backend on) {
  constexpr int askers = 4;
  std::atomic<int> waiting = askers;
  std::vector<std::future<std::shared_ptr<void>>> asked;
  for (int i = 0; i < askers; ++i)
    asked.push_back(std::async(std::launch::async, [&] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      return hold_cold_memory(on);
    }));
  std::vector<std::shared_ptr<void>> held;
  for (auto& one : asked) held.push_back(one.get());
  return std::set<std::shared_ptr<void>>(held.begin(), held.end()).size();
}

}  // namespace sparsmith::testing
