// GCSB: the blocks of CSB sorted by falling entry count (stable, inside windows of `window` blocks; 0 is the
// whole matrix), cut into groups of group_size, and interleaved: the first entry of every block of a group,
// then the second, and so on. Lane j of group g reads group_offsets[g] + j, + group_size, ... A block shorter
// than its group's longest is padded with value 0 and the combined index of its last entry, which no further
// entry can have: so padding is told from a stored zero, and a kernel needs no test. Slots of lanes without
// any entry carry index 0; `filled_blocks` says which.
#pragma once

#include "convert/formats/csb.hpp"

namespace sparsmith {

template <class Offset, class Value, class Space>
struct gcsb {
  static constexpr const char* name = "gcsb";
  using offset_type = Offset;
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = gcsb<Offset, Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t beta = 0;
  std::int32_t group_size = 0;
  std::int32_t order = 0;  // a block_order
  std::int32_t window = 0;
  std::int32_t dense_blocks = 0;          // 1: the empty blocks are listed too, last, as in the thesis
  std::int64_t filled_blocks = 0;         // blocks with entries; they come first
  array_in<Offset, Space> block_indices;  // row-major position of every block, in sorted order
  array_in<Offset, Space> group_offsets;  // groups + 1, in slots
  array_in<std::uint16_t, Space> combined16;
  array_in<std::uint32_t, Space> combined32;
  array_in<Value, Space> values;

  static constexpr std::array member_names = {
      "rows",          "cols",          "beta",          "group_size", "order",      "window", "dense_blocks",
      "filled_blocks", "block_indices", "group_offsets", "combined16", "combined32", "values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.beta, s.group_size, s.order, s.window, s.dense_blocks, s.filled_blocks,
                    s.block_indices, s.group_offsets, s.combined16, s.combined32, s.values);
  }
};

}  // namespace sparsmith
