// The blocks that hold entries, row by row, with their positions and how many entries each has.
#pragma once

#include <limits>

#include "convert/error.hpp"
#include "convert/pipelines/blocks.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

template <class Offset>
struct row_major_position {
  using type = Offset;
  std::int64_t blocks_per_row;  // of the whole matrix, empty ones included
  SPARSMITH_HOST_DEVICE Offset operator()(std::int64_t block_row, std::int32_t block_col) const {
    return static_cast<Offset>(block_row * blocks_per_row + block_col);
  }
};

// Row-major positions of blocks must fit the offset type.
template <class Offset>
void require_block_positions(std::int64_t block_rows, std::int64_t block_cols) {
  if (block_cols > 0 && block_rows > std::numeric_limits<Offset>::max() / block_cols)
    throw error(failure::resources, "too many blocks for 32-bit positions; use 64-bit offsets", "offsets");
}

template <class Offset, class Space>
struct block_list {
  array<Offset, Space> first_blocks;  // of every block row, and the total
  array<Offset, Space> positions;     // row-major, of every block that holds entries
  array<std::int32_t, Space> counts;  // its entries
};

template <class Backend, class Offset>
block_list<Offset, space_on<Backend>> list_blocks(Backend on, const block_lines<Backend, Offset>& lines,
                                                  std::int64_t blocks_per_row) {
  using space = space_on<Backend>;
  require_block_positions<Offset>(lines.count, blocks_per_row);
  block_list<Offset, space> list;
  list.first_blocks = count_blocks(on, lines);
  const std::int64_t blocks = read_one(on, list.first_blocks.data() + lines.count);
  list.positions = array<Offset, space>(blocks);
  list.counts = array<std::int32_t, space>(blocks);
  fill(on, list.counts, std::int32_t{0});
  walk_blocks(on, lines, list.first_blocks.data(),
              without_finish<list_block_action<row_major_position<Offset>>>{
                  {lines.cols, lines.shape, {blocks_per_row}, list.positions.data(), list.counts.data()}});
  return list;
}

template <class Backend, class Offset>
std::int64_t count_nonempty_blocks(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                   block_size size) {
  require_block_size(size);
  const block_lines<Backend, Offset> lines(on, matrix, block_divisor(size));
  return read_one(on, count_blocks(on, lines).data() + lines.count);
}

template <class Backend, class Offset>
array<std::int32_t, host> block_entry_counts(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                             std::int32_t beta) {
  require_block_size({beta, beta});
  const block_lines<Backend, Offset> lines(on, matrix, block_divisor({beta, beta}));
  return copy_to<host>(list_blocks(on, lines, groups_of(matrix.cols, beta)).counts, space_on<Backend>::where);
}

}  // namespace sparsmith
