// Small computations on sizes and orders, on the host.
#pragma once

#include <compare>

#include "convert/backend/memory.hpp"

namespace sparsmith {

// Rows and columns of one block, wherever a matrix is cut into blocks.
struct block_size {
  std::int32_t rows = 0, cols = 0;
  auto operator<=>(const block_size&) const = default;
  std::int64_t area() const { return std::int64_t{rows} * cols; }
};

// How many blocks of a size hold entries.
struct shape_count {
  block_size size;
  std::int64_t blocks = 0;
  bool operator==(const shape_count&) const = default;
};

// How many groups of so many it takes to hold them all.
inline std::int64_t groups_of(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

// Where each number stands in a permutation.
inline array<std::int32_t, host> places_in(const array<std::int32_t, host>& order) {
  array<std::int32_t, host> places(order.size());
  for (std::int64_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::int32_t>(i);
  return places;
}

}  // namespace sparsmith
