// The place of an entry inside a beta x beta block: its combined index, and its key in each order of entries.
#pragma once

#include "convert/formats/csb.hpp"

namespace sparsmith {

// The bits of x, one apart: 0b1011 -> 0b1000101. Good for 16 bits.
SPARSMITH_HOST_DEVICE inline std::uint32_t spread_bits(std::uint32_t x) {
  x = (x | x << 8) & 0x00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0fu;
  x = (x | x << 2) & 0x33333333u;
  return (x | x << 1) & 0x55555555u;
}
SPARSMITH_HOST_DEVICE inline std::uint32_t gather_bits(std::uint32_t x) {
  x &= 0x55555555u;
  x = (x | x >> 1) & 0x33333333u;
  x = (x | x >> 2) & 0x0f0f0f0fu;
  x = (x | x >> 4) & 0x00ff00ffu;
  return (x | x >> 8) & 0x0000ffffu;
}

struct block_cells {
  int side_bits;  // log2 of beta
  block_order order;

  // Keys of the cells of a block are a permutation of 0 .. beta^2 - 1; entries are stored by rising key.
  SPARSMITH_HOST_DEVICE std::uint32_t key(std::uint32_t row, std::uint32_t col) const {
    switch (order) {
      case block_order::morton:
        return spread_bits(row) << 1 | spread_bits(col);
      case block_order::row:
        return row << side_bits | col;
      default:
        return ((col - row) & ((1u << side_bits) - 1)) << side_bits | row;
    }
  }
  // The combined index of a cell, from its key.
  SPARSMITH_HOST_DEVICE std::uint32_t combined(std::uint32_t cell_key) const {
    const std::uint32_t mask = (1u << side_bits) - 1;
    switch (order) {
      case block_order::morton:
        return gather_bits(cell_key >> 1) << side_bits | gather_bits(cell_key);
      case block_order::row:
        return cell_key;
      default: {
        const std::uint32_t row = cell_key & mask;
        return row << side_bits | ((row + (cell_key >> side_bits)) & mask);
      }
    }
  }
  SPARSMITH_HOST_DEVICE std::uint32_t row_of(std::uint32_t index) const { return index >> side_bits; }
  SPARSMITH_HOST_DEVICE std::uint32_t col_of(std::uint32_t index) const {
    return index & ((1u << side_bits) - 1);
  }
};

// An array of combined indices of either width; one of the two is empty.
struct index_reader {
  const std::uint16_t* narrow;
  const std::uint32_t* wide;
  SPARSMITH_HOST_DEVICE std::uint32_t operator[](std::int64_t i) const {
    return narrow != nullptr ? std::uint32_t{narrow[i]} : wide[i];
  }
};
struct index_writer {
  std::uint16_t* narrow;
  std::uint32_t* wide;
  SPARSMITH_HOST_DEVICE void set(std::int64_t i, std::uint32_t index) const {
    if (narrow != nullptr)
      narrow[i] = static_cast<std::uint16_t>(index);
    else
      wide[i] = index;
  }
};

// Room for them, of the width asked for.
template <class Space>
struct combined_indices {
  array<std::uint16_t, Space> narrow;
  array<std::uint32_t, Space> wide;

  combined_indices(std::int64_t count, int bits)
      : narrow(bits == 16 ? count : 0), wide(bits == 16 ? 0 : count) {}
  index_writer writer() { return {narrow.data(), wide.data()}; }
};

}  // namespace sparsmith
