// What vendors' libraries do not take, by what is known of a matrix before it is made.
#pragma once

#include <limits>
#include <string>

#include "kernels/kernel_info.hpp"

namespace sparsmith {

inline std::string refuses_many_entries(const std::string& library, const matrix_outline& known) {
  return known.entries <= std::numeric_limits<std::int32_t>::max()
             ? ""
             : library + " counts the entries in 32 bits, as wide as the indices";
}
inline std::string refuses_blocks(const std::string& library, const matrix_outline& known) {
  if (known.block.rows != known.block.cols) return library + " takes square blocks";
  if (known.rows % known.block.rows != 0 || known.cols % known.block.cols != 0)
    return library + " reads x and writes y by whole blocks, and these hang over the edge of the matrix";
  return {};
}

}  // namespace sparsmith
