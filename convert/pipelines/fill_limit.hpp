// The check every padded format makes once it knows its slots and before it allocates them.
#pragma once

#include <cstdint>
#include <cstdio>

#include "convert/error.hpp"
#include "convert/options.hpp"

namespace sparsmith {

// Refuses a format that would be mostly padding.
inline void require_fill(const char* format, std::int64_t slots, std::int64_t entries, double max_fill) {
  require_max_fill(max_fill);
  // No entries at all and still slots: nothing but padding.
  const double fill = slots == entries ? 1.0 : static_cast<double>(slots) / static_cast<double>(entries);
  if (fill <= max_fill) return;
  char text[160];
  std::snprintf(text, sizeof text, "%s would store %.2f slots per entry (%lld slots); the limit is %g",
                format, fill, static_cast<long long>(slots), max_fill);
  throw error(failure::resources, text, "max-fill");
}

}  // namespace sparsmith
