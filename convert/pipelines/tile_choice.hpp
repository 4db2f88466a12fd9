// What is decided about GCSB's layout `tile` from numbers alone: the size of tiles, the bits of an index, and
// whether renumbering pays. Prices of matrices that never become CSR ask the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "convert/error.hpp"
#include "convert/formats/gcsb_tile.hpp"

namespace sparsmith {

constexpr std::int32_t tile_unit = 256;  // tile sides are multiples of it

// Chosen by hand, by the times of products; docs/log tells what other sides took.
struct tile_choice_tuning {
  // Tiles with fewer entries pad much, larger ones need more of x and y at a time.
  static constexpr std::int64_t enough_entries = 6000;
  // Up to so many entries a product takes as long as its loads wait for each other, and smaller tiles give
  // more thread blocks something to do.
  static constexpr std::int64_t few_entries = std::int64_t{1} << 21;
  static constexpr std::int32_t most_side_for_few = 512;
  static constexpr std::int32_t most_side = 2048;  // what the scratch of a team that fills a tile holds
  static constexpr std::int32_t most_cells_of_lane = 32768;  // that 16 bits tell apart, beside padding
};

// Whether lengths vary so much that renumbering pays: a coefficient of variation above 1.
inline bool lengths_vary(std::int64_t lines, std::int64_t entries, double squares) {
  const auto total = static_cast<double>(entries);
  return static_cast<double>(lines) * squares > 2 * total * total;
}
inline bool lengths_vary(std::int64_t lines, std::int64_t entries, std::int64_t squares) {
  return lengths_vary(lines, entries, static_cast<double>(squares));
}

// The smallest square tiles that hold enough entries on average pad little and keep their share of x and y
// small; where there are none, the largest with 16-bit indices. A matrix narrower or lower than its tile gets
// the area in the other direction. more_tiles(side, number): whether there are more than so many of that
// side.
template <class MoreTiles>
std::pair<std::int32_t, std::int32_t> choose_tile(std::int64_t rows, std::int64_t cols, std::int64_t entries,
                                                  std::int32_t group_size, MoreTiles more_tiles) {
  using tuning = tile_choice_tuning;
  std::int32_t side = tile_unit;
  while (side * 2 / group_size * (side * 2) <= tuning::most_cells_of_lane &&
         (entries >= tuning::few_entries || side < tuning::most_side_for_few) &&
         more_tiles(side, entries / tuning::enough_entries))
    side *= 2;
  std::int32_t height = side, width = side;
  while (width / 2 >= std::max<std::int64_t>(cols, tile_unit)) {
    width /= 2;
    height = std::min(height * 2, tuning::most_side);
  }
  while (height / 2 >= std::max<std::int64_t>(rows, tile_unit)) {
    height /= 2;
    if (cols > width) width = std::min(width * 2, tuning::most_side);
  }
  return {height, width};
}

// Bits of the combined index: as asked, or as few as leave room for the mark of padding.
inline int tile_index_bits(const tile_cells& cells, int asked) {
  if (asked == 16 && cells.index_bits() > 16)
    throw error(failure::usage, "16-bit combined indices need tiles of at most 32768 cells a lane", "index");
  return asked != 0 ? asked : cells.index_bits();
}

}  // namespace sparsmith
