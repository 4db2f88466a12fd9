// What every format would cost for a matrix, computed from its row lengths without building any of them:
// exact bytes, slots stored per entry, and the most memory the conversion from CSR holds at once.
#pragma once

#include <string>
#include <vector>

#include "convert/backend/sort_entries.hpp"
#include "convert/convert.hpp"

namespace sparsmith {

struct format_cost {
  std::string format;
  std::string parameters;       // "width 18", "slice 32, sigma 1024", or empty
  std::int64_t bytes = 0;       // of the arrays
  std::int64_t slots = 0;       // values stored, padding included
  double fill = 1;              // slots / entries
  std::int64_t peak_bytes = 0;  // while converting from CSR: source, target and temporaries
  bool allowed = true;          // within max_fill
};

// In the order of `format_names`. `row_offsets` may be of either width; `value_bytes` is 4 or 8.
template <class Backend, class Offset>
std::vector<format_cost> plan_formats(Backend on, array_view<const Offset> row_offsets, std::int32_t cols,
                                      std::int64_t value_bytes, const conversion_options& options);

}  // namespace sparsmith
