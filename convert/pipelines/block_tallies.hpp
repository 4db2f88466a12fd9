// What a slot of a block counter's table is made of, for block_histograms.cu alone: a tally knows the sizes
// whose blocks it finds in one walk.
#pragma once

#include "convert/pipelines/block_items.hpp"

namespace sparsmith {
namespace {

// Where many look at one word most find that it was taken: reading, which lanes do together, is cheaper than
// an atomic, for which they queue.
__device__ inline std::uint32_t read_now(const std::uint32_t* word) {
  return *static_cast<const volatile std::uint32_t*>(word);
}

// A tally has `words` for a slot. add() puts an item in, look() calls found(size, entries) for the blocks
// that fall to this item; where it `takes` them it leaves 0. near(size) is where the histogram of a size
// starts, by entries, and near(sizes) where the last one ends.

// 2 x 2, 4 x 4 and 8 x 8: a bit for every place of an 8 x 8 block. Bits of row and column take turns, so that
// each of the smaller blocks is a row of bits in one word. Its first bit reports it.
struct squares_of_8 {
  static constexpr std::uint32_t side = 8, words = 2, short_slots = 2048;
  static constexpr int sizes = 3;
  static constexpr bool takes = false, rows_matter = true;
  static SPARSMITH_HOST_DEVICE constexpr std::uint32_t near(int size) {
    return size == 0 ? 0 : size == 1 ? 5 : size == 2 ? 22 : 87;
  }
  static __device__ std::uint32_t block_col(const divisor&, std::uint32_t col) { return col / side; }
  static __device__ std::uint32_t bit_of(std::uint32_t row, std::uint32_t col) {
    return spread(col) + 2 * spread(row);
  }
  static __device__ void add(std::uint32_t* table, std::uint32_t, std::uint32_t slot, std::uint32_t row,
                             std::uint32_t col, std::uint32_t) {
    const std::uint32_t bit = bit_of(row, col);
    atomicOr(table + slot * 2 + bit / 32, 1u << bit % 32);
  }
  template <class Found>
  static __device__ void look(std::uint32_t* table, std::uint32_t, std::uint32_t slot, std::uint32_t row,
                              std::uint32_t col, Found found) {
    const std::uint32_t bit = bit_of(row, col);
    const uint2 both = *reinterpret_cast<const uint2*>(table + slot * 2);
    const std::uint32_t own = bit < 32 ? both.x : both.y, before = own & ((1u << bit % 32) - 1);
    if (before >> (bit & 28) != 0) return;
    found(0, __popc(own >> (bit & 28) & 0xf));
    if (before >> (bit & 16) != 0) return;
    found(1, __popc(own >> (bit & 16) & 0xffff));
    if (before != 0 || (bit >= 32 && both.x != 0)) return;
    found(2, __popc(both.x) + __popc(both.y));
  }

 private:
  // Bits 0, 1 and 2 go to 0, 2 and 4; what is above is dropped.
  static __device__ std::uint32_t spread(std::uint32_t number) {
    return (number & 1) + 2 * (number & 2) + 4 * (number & 4);
  }
};

// 3 x 3 and 5 x 5: counters for those of a 15 x 15 block, of 4 and of 8 bits. Slots lie side by side, or
// threads would wait for the same bank.
struct squares_of_15 {
  static constexpr std::uint32_t side = 15, words = 8, short_slots = 1024;
  static constexpr int sizes = 2;
  static constexpr bool takes = true, rows_matter = true;
  static SPARSMITH_HOST_DEVICE constexpr std::uint32_t near(int size) {
    return size == 0 ? 0 : size == 1 ? 10 : 36;
  }
  static __device__ std::uint32_t block_col(const divisor&, std::uint32_t col) { return col / side; }
  static __device__ void add(std::uint32_t* table, std::uint32_t slots, std::uint32_t slot, std::uint32_t row,
                             std::uint32_t col, std::uint32_t) {
    const std::uint32_t place = col % side;
    atomicAdd(table + row / 3 * slots + slot, 1u << place / 3 * 4);
    atomicAdd(table + (5 + row / 5) * slots + slot, 1u << place / 5 * 8);
  }
  template <class Found>
  static __device__ void look(std::uint32_t* table, std::uint32_t slots, std::uint32_t slot,
                              std::uint32_t row, std::uint32_t col, Found found) {
    const std::uint32_t place = col % side;
    if (const unsigned n = take(table + row / 3 * slots + slot, place / 3 * 4, 0xf); n > 0) found(0, n);
    if (const unsigned n = take(table + (5 + row / 5) * slots + slot, place / 5 * 8, 0xff); n > 0)
      found(1, n);
  }

 private:
  static __device__ unsigned take(std::uint32_t* word, int shift, std::uint32_t mask) {
    if ((read_now(word) >> shift & mask) == 0) return 0;
    return atomicAnd(word, ~(mask << shift)) >> shift & mask;
  }
};

// Blocks of any one size.
struct any_size {
  static constexpr std::uint32_t words = 1, short_slots = 2048;
  static constexpr int sizes = 1;
  static constexpr bool takes = true, rows_matter = false;
  static SPARSMITH_HOST_DEVICE constexpr std::uint32_t near(int size) {
    return size == 0 ? 0 : count_tuning::near_bins;
  }
  static __device__ std::uint32_t block_col(const divisor& cols_each, std::uint32_t col) {
    return cols_each.divide(col);
  }
  static __device__ void add(std::uint32_t* table, std::uint32_t, std::uint32_t slot, std::uint32_t,
                             std::uint32_t, std::uint32_t amount) {
    atomicAdd(table + slot, amount);
  }
  template <class Found>
  static __device__ void look(std::uint32_t* table, std::uint32_t, std::uint32_t slot, std::uint32_t,
                              std::uint32_t, Found found) {
    if (read_now(table + slot) == 0) return;
    if (const unsigned n = atomicExch(table + slot, 0u); n > 0) found(0, n);
  }
};

}  // namespace
}  // namespace sparsmith
