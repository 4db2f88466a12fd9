// Who walks which steps in gcsb/tile: every thread block gets a share of the tiles, all shares cost the same.
#pragma once

#include <algorithm>
#include <vector>

#include "convert/formats/gcsb_tile.hpp"

namespace sparsmith {

// A run of groups of one tile, of steps_together steps each.
struct alignas(8) tile_piece {
  std::int32_t first_group, groups;
  std::int32_t input, output;                 // where the tile's windows of x and y begin
  std::int32_t first_used = 0, end_used = 0;  // what its entries use of that of x
};

// What one thread block does. Its first piece is here as well: one load less to wait for.
struct alignas(8) tile_share {
  tile_piece first;
  std::int32_t first_piece = 0, pieces = 0;
  std::int32_t first_visit = 0;
  std::int32_t first_walked = 0, groups = 0;  // of all groups in the order of the walk
};

// The pieces that a share has of one line, those with the same outputs. Where others visit the line too, each
// leaves its sums in a slot of its own, and the last to come adds them up.
struct alignas(16) tile_visit {
  std::int32_t visits;  // of the line
  std::int32_t first_slot, own_slot;
  std::int32_t unused;
};

struct tile_shares {
  std::vector<tile_piece> pieces;
  std::vector<tile_share> shares;
  std::vector<tile_visit> visits;
  std::int64_t slots = 0;
};

// What the entries of a tile use of its window of x, or a little more.
struct used_inputs {
  std::int32_t first, end;
};

// The tiles as one operation walks them: line by line.
struct tile_list {
  std::vector<tile_piece> tiles;
  std::int64_t groups = 0;
};

template <class Offset>
tile_list list_tiles(const gcsb_tile<Offset, float, host>& outline, bool transposed,
                     const array<used_inputs, host>& used) {
  const std::int64_t count = outline.tile_rows.size(), inputs = transposed ? outline.rows : outline.cols;
  tile_list list;
  list.tiles.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t tile = transposed ? std::int64_t{outline.tiles_by_column[i]} : i;
    const std::int64_t first = outline.tile_offsets[tile] / tile_cells::steps_together,
                       last = outline.tile_offsets[tile + 1] / tile_cells::steps_together;
    const std::int32_t row = outline.tile_rows[tile] * outline.tile_height,
                       col = outline.tile_cols[tile] * outline.tile_width;
    const std::int32_t input = transposed ? row : col;
    list.tiles.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(last - first), input,
                          transposed ? col : row, used[tile].first,
                          static_cast<std::int32_t>(std::min<std::int64_t>(used[tile].end, inputs - input))});
    list.groups += last - first;
  }
  return list;
}

// The same with an empty tile in every line that has none, so that all outputs are somebody's.
inline tile_list with_all_lines(const tile_list& list, std::int64_t outputs, std::int32_t outputs_per_tile) {
  tile_list all;
  all.groups = list.groups;
  std::int64_t output = 0;  // of the next line that has not been met
  const auto fill_up_to = [&](std::int64_t end) {
    for (; output < end; output += outputs_per_tile)
      all.tiles.push_back({0, 0, 0, static_cast<std::int32_t>(output)});
  };
  for (const tile_piece& tile : list.tiles) {
    fill_up_to(tile.output);
    output = std::int64_t{tile.output} + outputs_per_tile;
    all.tiles.push_back(tile);
  }
  fill_up_to(outputs);
  return all;
}

// Where each group of the walk is stored. A x walks them as they are stored.
inline std::vector<std::int32_t> stored_groups(const tile_list& list) {
  std::vector<std::int32_t> stored;
  stored.reserve(static_cast<std::size_t>(list.groups));
  for (const tile_piece& tile : list.tiles)
    for (std::int32_t g = 0; g < tile.groups; ++g) stored.push_back(tile.first_group + g);
  return stored;
}

// A piece costs `piece_cost` groups beside its own. Shares may be empty where there are more than groups.
inline tile_shares share_tiles(const tile_list& list, std::int64_t count, std::int64_t piece_cost) {
  const std::int64_t total =
      list.groups + (static_cast<std::int64_t>(list.tiles.size()) + count) * piece_cost;
  tile_shares result;
  std::int64_t cost = 0, end = 0;  // so far; where the share ends that is being filled
  std::int32_t line_visits = 0;    // so far, of the line
  std::int32_t walked = 0;         // groups, so far
  const auto end_line = [&] {
    for (std::int32_t v = 0; v < line_visits; ++v)
      result.visits[result.visits.size() - 1 - static_cast<std::size_t>(v)].visits = line_visits;
    if (line_visits > 1) result.slots += line_visits;
    line_visits = 0;
  };
  for (const tile_piece& tile : list.tiles)
    for (std::int32_t done = 0; done == 0 || done < tile.groups;) {
      const auto begun = static_cast<std::int64_t>(result.shares.size());
      const bool new_share = cost + piece_cost >= end && begun < count;
      if (new_share) {
        result.shares.push_back({{}, static_cast<std::int32_t>(result.pieces.size())});
        result.shares.back().first_walked = walked;
        end = total * (begun + 1) / count;
      }
      const bool last = static_cast<std::int64_t>(result.shares.size()) == count;
      const std::int64_t left = tile.groups - done;
      const auto groups = static_cast<std::int32_t>(
          last ? left : std::min(left, std::max<std::int64_t>(end - cost - piece_cost, 1)));
      tile_piece piece = tile;
      piece.first_group += done;
      piece.groups = groups;
      const bool new_line = result.pieces.empty() || result.pieces.back().output != piece.output;
      if (new_line) end_line();
      if (new_share || new_line) {
        result.visits.push_back({0, static_cast<std::int32_t>(result.slots),
                                 static_cast<std::int32_t>(result.slots) + line_visits, 0});
        ++line_visits;
      }
      if (new_share) {
        result.shares.back().first = piece;
        result.shares.back().first_visit = static_cast<std::int32_t>(result.visits.size()) - 1;
      }
      ++result.shares.back().pieces;
      result.shares.back().groups += groups;
      walked += groups;
      result.pieces.push_back(piece);
      cost += groups + piece_cost;
      done += std::max(groups, 1);
    }
  end_line();
  result.shares.resize(static_cast<std::size_t>(count));
  return result;
}

}  // namespace sparsmith
