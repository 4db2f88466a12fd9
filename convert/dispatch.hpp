// The one place where a choice made at run time becomes types: the backend, the width of offsets, the type of
// values.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "convert/backend/backend.hpp"
#include "convert/formats/complex.hpp"

namespace sparsmith {

struct element_types {
  bool wide_offsets = false;   // 64 bits, else 32
  bool single_values = false;  // 32 bits, else 64; of complex ones the parts
  bool complex = false;
};

// Offsets wide enough for so many entries.
inline bool needs_wide_offsets(std::int64_t entries) {
  return entries > std::numeric_limits<std::int32_t>::max();
}

// use.template operator()<Offset, Value>() with the types asked for, of real values.
template <class Use>
decltype(auto) with_types(element_types types, Use&& use) {
  if (types.wide_offsets && types.single_values) return use.template operator()<std::int64_t, float>();
  if (types.wide_offsets) return use.template operator()<std::int64_t, double>();
  if (types.single_values) return use.template operator()<std::int32_t, float>();
  return use.template operator()<std::int32_t, double>();
}

// The same where values may be complex.
template <class Use>
decltype(auto) with_any_types(element_types types, Use&& use) {
  if (!types.complex) return with_types(types, std::forward<Use>(use));
  if (types.wide_offsets && types.single_values) return use.template operator()<std::int64_t, complex64>();
  if (types.wide_offsets) return use.template operator()<std::int64_t, complex128>();
  if (types.single_values) return use.template operator()<std::int32_t, complex64>();
  return use.template operator()<std::int32_t, complex128>();
}

// use(backend), on the GPU or on the CPU.
template <class Use>
decltype(auto) on_backend(bool use_gpu, Use&& use) {
  if constexpr (has_cuda) {
    if (use_gpu) return use(cuda{});
  }
  return use(openmp{});
}

}  // namespace sparsmith
