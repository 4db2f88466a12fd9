// CSB: beta x beta blocks in row-major order, the entries of a block in Morton order (or another, `order`).
// An entry's place in its block is one combined index, row << log2(beta) | column, of 16 bits where beta <=
// 256 and 32 above; one of the two arrays is empty. Empty blocks are not stored (`dense_blocks` 0) or all
// are, as in the thesis (1); then block_indices is empty, because block b is at position b.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

// The order of the entries inside a block.
enum class block_order : std::int32_t { morton, row, diagonal };

template <class Offset, class Value, class Space>
struct csb {
  static constexpr const char* name = "csb";
  using offset_type = Offset;
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = csb<Offset, Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t beta = 0;
  std::int32_t order = 0;                 // a block_order
  std::int32_t dense_blocks = 0;          // 1: every block of the matrix has an offset, empty or not
  array_in<Offset, Space> block_offsets;  // stored blocks + 1, in entries
  array_in<Offset, Space>
      block_indices;  // row-major position of every stored block; empty where dense_blocks
  array_in<std::uint16_t, Space> combined16;
  array_in<std::uint32_t, Space> combined32;
  array_in<Value, Space> values;

  static constexpr std::array member_names = {"rows",         "cols",          "beta",          "order",
                                              "dense_blocks", "block_offsets", "block_indices", "combined16",
                                              "combined32",   "values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.beta, s.order, s.dense_blocks, s.block_offsets, s.block_indices,
                    s.combined16, s.combined32, s.values);
  }
};

}  // namespace sparsmith
