// How entries spread over the blocks of a blocked format, and what a grouping of those blocks pads.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyze/structure/five_numbers.hpp"
#include "convert/backend/memory.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

struct block_statistics {
  std::int64_t blocks = 0;        // with entries, but for those of layout tile that are not worth storing
  std::int64_t empty_blocks = 0;  // without, stored or not
  std::int64_t rest_blocks = 0, rest_entries = 0;  // of layout tile: in the rest
  five_numbers<std::int64_t> entries;              // per block with entries
  std::vector<std::pair<std::int64_t, std::int64_t>>
      histogram;  // (smallest count, blocks): 1, 2..3, 4..7, ...

  // Of groups of blocks; all 0 without any.
  std::int64_t groups = 0, slots = 0, padded_slots = 0;
  five_numbers<std::int64_t> group_longest, group_shortest;  // entries of each group's blocks
  five_numbers<double> group_mean;
  five_numbers<std::int64_t> group_steps;   // entries there is room for in each of a group's blocks
  double groups_with_half_the_padding = 0;  // the smallest share of groups that carries half of it
};

// `counts` are the entries of every block that has any, in row-major order; `all_blocks` is how many blocks
// the matrix is divided into. Groups are formed as GCSB forms them, where `group_size` is not 0.
block_statistics summarize_blocks(array_view<const std::int32_t> counts, std::int64_t all_blocks,
                                  std::int32_t group_size, std::int32_t window);

// The same of layout `tile`: a stored tile is one of `blocks`, and the group of its lanes. Entries and
// indices of the tiles are not looked at.
template <class Offset, class Value>
block_statistics summarize_tiles(array_view<const std::int32_t> lane_counts,
                                 const gcsb_tile<Offset, Value, host>& matrix);

}  // namespace sparsmith
