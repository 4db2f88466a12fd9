// `new` that fails, in whichever thread, once it has been called so often. A source of its own has it: where
// the compiler sees both it and its callers, it warns of `free` for what `new` gave.
#pragma once

#include <atomic>
#include <cstdint>

namespace sparsmith::testing {

// While it lives, only so many calls succeed.
class limited_new {
 public:
  explicit limited_new(std::int64_t calls) {
    calls_left = calls;
    there = true;
  }
  ~limited_new() { there = false; }
  limited_new(const limited_new&) = delete;
  limited_new& operator=(const limited_new&) = delete;

  static bool refuses() { return there && calls_left.fetch_sub(1) <= 0; }

 private:
  static inline std::atomic<bool> there = false;
  static inline std::atomic<std::int64_t> calls_left = 0;
};

}  // namespace sparsmith::testing
