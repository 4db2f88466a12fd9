// What the two ways of counting the blocks of many shapes at once share (block_shapes.cpp, block_shapes.cu).
// The topmost row of a block opens it, by its first entry in there. So an entry that is the first of its row
// in a block column of C columns opens a block of R x C exactly where the nearest row above with an entry in
// that block column is more than row % R rows away.
#pragma once

#include "convert/pipelines/structure.hpp"

namespace sparsmith {

// Shapes by number: those of 1..8 rows for every width of 1..8 columns, then the squares.
inline constexpr int small_sides = 8, small_shapes = small_sides * small_sides;
inline constexpr int scored_shapes = small_shapes + 2;
inline constexpr int rows_above = 31;  // that an entry may depend on

SPARSMITH_HOST_DEVICE constexpr std::int32_t square_side(int i) {
  return 16 << i;
}

template <class Count>
std::vector<shape_count> list_shapes(const Count* blocks) {
  std::vector<shape_count> list;
  for (int i = 0; i < small_shapes; ++i)
    list.push_back({{i % small_sides + 1, i / small_sides + 1}, static_cast<std::int64_t>(blocks[i])});
  for (int i = 0; i < 2; ++i)
    list.push_back({{square_side(i), square_side(i)}, static_cast<std::int64_t>(blocks[small_shapes + i])});
  return list;
}

// The small sides are worked on together, each in a byte of one word: side 1 in the lowest, side 8 on top.
inline constexpr std::uint64_t one_per_byte = 0x0101010101010101;

// number % side
SPARSMITH_HOST_DEVICE inline std::uint64_t remainders_of(std::uint32_t number) {
  return std::uint64_t{number % 2} << 8 | std::uint64_t{number % 3} << 16 | std::uint64_t{number % 4} << 24 |
         std::uint64_t{number % 5} << 32 | std::uint64_t{number % 6} << 40 | std::uint64_t{number % 7} << 48 |
         std::uint64_t{number % 8} << 56;
}

// 1 where the byte is less than the number, else 0. Neither may exceed 8.
SPARSMITH_HOST_DEVICE inline std::uint64_t bytes_below(std::uint32_t number, std::uint64_t bytes) {
  return (number * one_per_byte + 0x7f * one_per_byte - bytes) >> 7 & one_per_byte;
}

}  // namespace sparsmith
