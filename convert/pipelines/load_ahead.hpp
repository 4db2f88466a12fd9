// A loop whose loads come some turns before their uses. Compilers do not move a load past the use before it
// where that may store.
#pragma once

#include <cstdint>

#include "convert/backend/backend.hpp"

namespace sparsmith {

// use(i, load(i)) for i = first, first + stride, ... below last. Four are loaded before the first is used, so
// that a thread waits for memory once and not four times.
template <class Load, class Use>
SPARSMITH_HOST_DEVICE void load_ahead(std::int64_t first, std::int64_t last, std::int64_t stride, Load load,
                                      Use use) {
  std::int64_t i = first;
  for (; i + 3 * stride < last; i += 4 * stride) {
    const auto a = load(i), b = load(i + stride), c = load(i + 2 * stride), d = load(i + 3 * stride);
    use(i, a);
    use(i + stride, b);
    use(i + 2 * stride, c);
    use(i + 3 * stride, d);
  }
  for (; i < last; i += stride) use(i, load(i));
}

}  // namespace sparsmith
