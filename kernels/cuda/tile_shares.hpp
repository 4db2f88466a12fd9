// Who walks which steps in gcsb/tile: every thread block gets a share of the tiles, all shares cost the same.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "convert/formats/gcsb_tile.hpp"

namespace sparsmith {

// A run of groups of one tile, of steps_together steps each.
struct alignas(16) tile_piece {
  std::int32_t first_group, groups;
  std::int32_t input, output;                 // where the tile's windows of x and y begin
  std::int32_t first_used = 0, end_used = 0;  // what its entries use of that of x
  // Of the pieces with the same outputs, which are a line. Where several shares visit it, each leaves its
  // sums in a slot of its own, and the last to come adds them up.
  std::int32_t first_slot = 0;
  std::uint16_t visits = 0, visit = 0;  // in all; this share's
  bool operator==(const tile_piece&) const = default;
};

// What one thread block does. Its first pieces are here as well: loads less to wait for.
struct alignas(16) tile_share {
  tile_piece first = {}, second = {};
  std::int32_t first_piece = 0, pieces = 0;
  std::int32_t first_walked = 0, groups = 0;  // of all groups in the order of the walk
};

struct tile_shares {
  static constexpr std::int64_t most = 0xffff;  // visits are counted in 16 bits
  std::vector<tile_piece> pieces;
  std::vector<tile_share> shares;
  std::int64_t visits = 0, slots = 0;
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

// A piece costs `piece_cost` groups beside its own. Shares may be empty where there are more than groups. Of
// all that are asked for there are at most so many as visits can be counted. All cost the same, or, so that
// fewer lines are visited by several, a part of 1 / `parts` more or less where a line ends that near.
inline tile_shares share_tiles(const tile_list& list, std::int64_t wanted, std::int64_t piece_cost,
                               std::int64_t parts = 0) {
  const std::int64_t count = std::min(wanted, tile_shares::most);
  const std::size_t tiles = list.tiles.size();
  tile_shares result;
  std::int64_t to_come = list.groups + static_cast<std::int64_t>(tiles) * piece_cost;  // if no more is cut
  std::int64_t cost = 0, end = 0;  // so far; where the share ends that is being filled
  std::int32_t walked = 0;         // groups, so far
  std::size_t line_first = 0;      // piece
  std::uint16_t line_visits = 0;   // so far
  const auto end_line = [&] {
    for (std::size_t p = line_first; p < result.pieces.size(); ++p) result.pieces[p].visits = line_visits;
    if (line_visits > 1) result.slots += line_visits;
    line_first = result.pieces.size();
    line_visits = 0;
  };
  // The end of a share that begins within that tile.
  const auto end_of_share = [&](std::size_t first, std::int32_t done) {
    const std::int64_t own = to_come / (count - std::ssize(result.shares)) + piece_cost;
    if (parts == 0) return cost + own;
    const std::int64_t slack = own / parts;
    std::int64_t at = 0, off = slack + 1;  // how far the nearest end of a line is
    for (std::size_t t = first; t < tiles && at <= own + slack; ++t) {
      at += list.tiles[t].groups - (t == first ? done : 0) + piece_cost;
      const bool ends = t + 1 == tiles || list.tiles[t + 1].output != list.tiles[t].output;
      if (ends && std::abs(at - own) < std::abs(off)) off = at - own;
    }
    return cost + own + (off <= slack ? off : 0);
  };
  for (std::size_t t = 0; t < tiles; ++t) {
    const tile_piece& tile = list.tiles[t];
    for (std::int32_t done = 0; done == 0 || done < tile.groups;) {
      const bool new_share = cost + piece_cost >= end && std::ssize(result.shares) < count;
      if (new_share) {
        end = end_of_share(t, done);
        tile_share& share = result.shares.emplace_back();
        share.first_piece = static_cast<std::int32_t>(result.pieces.size());
        share.first_walked = walked;
      }
      const bool last = std::ssize(result.shares) == count;
      const std::int64_t left = tile.groups - done;
      const auto groups = static_cast<std::int32_t>(
          last ? left : std::min(left, std::max<std::int64_t>(end - cost - piece_cost, 1)));
      const bool new_line = result.pieces.empty() || result.pieces.back().output != tile.output;
      if (new_line) end_line();
      if (new_share || new_line) {
        ++line_visits;
        ++result.visits;
      }
      tile_piece& piece = result.pieces.emplace_back(tile);
      piece.first_group += done;
      piece.groups = groups;
      piece.first_slot = static_cast<std::int32_t>(result.slots);
      piece.visit = static_cast<std::uint16_t>(line_visits - 1);
      ++result.shares.back().pieces;
      result.shares.back().groups += groups;
      walked += groups;
      cost += groups + piece_cost;
      to_come -= groups;
      done += std::max(groups, 1);
    }
    to_come -= piece_cost;
  }
  end_line();
  for (tile_share& share : result.shares) {
    const auto first = static_cast<std::size_t>(share.first_piece);
    share.first = result.pieces[first];
    if (share.pieces > 1) share.second = result.pieces[first + 1];
  }
  result.shares.resize(static_cast<std::size_t>(count));
  return result;
}

}  // namespace sparsmith
