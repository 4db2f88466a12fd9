// How entries spread over the blocks of a blocked format, and what a grouping of those blocks pads.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "convert/backend/memory.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

struct five_numbers {
  std::int64_t least = 0, lower_quartile = 0, median = 0, upper_quartile = 0, most = 0;
};

struct block_statistics {
  std::int64_t blocks = 0;        // with entries
  std::int64_t empty_blocks = 0;  // the others, stored or not
  five_numbers
      entries;  // per block with entries; a quartile is the smallest count that a quarter do not exceed
  std::vector<std::pair<std::int64_t, std::int64_t>>
      histogram;  // (smallest count, blocks): 1, 2..3, 4..7, ...

  // Of GCSB's groups; all 0 without any.
  std::int64_t groups = 0, slots = 0, padded_slots = 0;
  five_numbers group_longest;               // entries of the longest block of each group
  double group_mean = 0;                    // of the longest blocks
  double groups_with_half_the_padding = 0;  // the smallest share of groups that carries half of it
};

// `counts` are the entries of every block that has any, in row-major order; `all_blocks` is how many blocks
// the matrix is divided into. Groups are formed as GCSB forms them, where `group_size` is not 0.
block_statistics summarize_blocks(array_view<const std::int32_t> counts, std::int64_t all_blocks,
                                  std::int32_t group_size, std::int32_t window);

}  // namespace sparsmith
