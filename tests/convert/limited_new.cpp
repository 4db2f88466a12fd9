#include "tests/convert/limited_new.hpp"

#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  if (sparsmith::testing::limited_new::refuses()) throw std::bad_alloc();
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
