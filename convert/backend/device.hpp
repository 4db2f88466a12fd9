// The device half of memory.hpp: implemented by device.cu where a CUDA toolkit was found, by
// device_absent.cpp where none was.
#pragma once

#include "convert/backend/backend.hpp"

namespace sparsmith::device_memory {

void* allocate(std::int64_t bytes);
void release(void* memory) noexcept;
void copy(void* target, const void* source, std::int64_t bytes);  // in any direction
std::int64_t available_bytes();

}  // namespace sparsmith::device_memory
