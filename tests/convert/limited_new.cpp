#include "tests/convert/limited_new.hpp"

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  if (sparsmith::testing::limited_new::refuses()) throw std::bad_alloc();
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
// AddressSanitizer's own would not come here, and what it gives must not go to `free`.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return sparsmith::testing::limited_new::refuses() ? nullptr : std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
