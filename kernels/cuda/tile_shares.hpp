// Who walks which steps in gcsb/tile: every thread block gets a share of the tiles, all shares cost the same.
#pragma once

#include <algorithm>
#include <vector>

#include "convert/formats/gcsb_tile.hpp"

namespace sparsmith {

// A run of groups of one tile, of steps_together steps each.
struct alignas(16) tile_piece {
  std::int32_t first_group, groups;
  std::int32_t input, output;  // where the tile's windows of x and y begin
};

// What one thread block does. Its first piece is here as well: one load less to wait for.
struct alignas(16) tile_share {
  tile_piece first;
  std::int32_t first_piece, pieces;
  std::int32_t unused[2];
};

struct tile_shares {
  std::vector<tile_piece> pieces;
  std::vector<tile_share> shares;
};

// The tiles as one operation walks them: line by line, a line having the same outputs.
struct tile_list {
  std::vector<tile_piece> tiles;
  std::int64_t groups = 0;
};

template <class Offset>
tile_list list_tiles(const gcsb_tile<Offset, float, host>& outline, bool transposed) {
  const std::int64_t count = outline.tile_rows.size();
  tile_list list;
  list.tiles.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t tile = transposed ? std::int64_t{outline.tiles_by_column[i]} : i;
    const std::int64_t first = outline.tile_offsets[tile] / tile_cells::steps_together,
                       last = outline.tile_offsets[tile + 1] / tile_cells::steps_together;
    const std::int32_t row = outline.tile_rows[tile] * outline.tile_height,
                       col = outline.tile_cols[tile] * outline.tile_width;
    list.tiles.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(last - first),
                          transposed ? row : col, transposed ? col : row});
    list.groups += last - first;
  }
  return list;
}

// A piece costs `piece_cost` groups beside its own. Shares may be empty where there are more than groups.
inline tile_shares share_tiles(const tile_list& list, std::int64_t count, std::int64_t piece_cost) {
  const std::int64_t total =
      list.groups + (static_cast<std::int64_t>(list.tiles.size()) + count) * piece_cost;
  tile_shares result;
  std::int64_t cost = 0, end = 0;  // so far; where the share ends that is being filled
  for (const tile_piece& tile : list.tiles)
    for (std::int32_t done = 0; done < tile.groups;) {
      const auto begun = static_cast<std::int64_t>(result.shares.size());
      if (cost + piece_cost >= end && begun < count) {
        result.shares.push_back({{}, static_cast<std::int32_t>(result.pieces.size()), 0, {}});
        end = total * (begun + 1) / count;
      }
      const bool last = static_cast<std::int64_t>(result.shares.size()) == count;
      const std::int64_t left = tile.groups - done;
      const auto groups =
          static_cast<std::int32_t>(last ? left : std::clamp<std::int64_t>(end - cost - piece_cost, 1, left));
      const tile_piece piece{tile.first_group + done, groups, tile.input, tile.output};
      if (result.shares.back().pieces++ == 0) result.shares.back().first = piece;
      result.pieces.push_back(piece);
      done += groups;
      cost += groups + piece_cost;
    }
  result.shares.resize(static_cast<std::size_t>(count));
  return result;
}

}  // namespace sparsmith
