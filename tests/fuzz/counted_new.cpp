// `new` that counts. A source of its own has it: where the compiler sees both it and its callers, it warns of
// `free` for what `new` gave.
#include <new>

namespace sparsmith::fuzz {
void* counted_new(std::size_t size);
void counted_delete(void* memory) noexcept;
}  // namespace sparsmith::fuzz

void* operator new(std::size_t size) {
  if (void* const memory = sparsmith::fuzz::counted_new(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return sparsmith::fuzz::counted_new(size);
}
void operator delete(void* memory) noexcept {
  sparsmith::fuzz::counted_delete(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  sparsmith::fuzz::counted_delete(memory);
}
