// From CSR to GCSB's layout `tile`, second part: a team a tile counts its lanes and copies their entries, row
// by row and each row by diagonal; what is in no tile that is stored is listed apart.
#pragma once

#include "convert/formats/sizes.hpp"
#include "convert/pipelines/row_range.hpp"
#include "convert/pipelines/tile_gather.hpp"

namespace sparsmith {

// Keys that a lane loads together, which are a sector of 32 bytes; its list starts at a multiple of it.
constexpr int tile_run = 8;

// Chosen by hand; bench_convert shows what a change does.
struct lane_tuning {
  static constexpr int threads = 256;  // of the thread block that fills a tile
  static constexpr int ahead = 4;      // entries of a thread whose loads wait together
};

// Copies the entries of a tile to the lists of its lanes, row by row and each row by diagonal: where a row is
// cut between two sections, the parts of neighbouring lanes then lie in different banks.
template <class Offset, class Value>
struct fill_lanes_of_tile {
  tile_runs<Offset> runs;
  // Where each entry and each row is in the source; null where they are the source's own.
  const Offset* sources;
  const std::int32_t* row_order;
  const Offset* source_offsets;
  const Value* values;
  const std::int64_t* tile_starts;
  std::int32_t* lane_counts;
  std::int64_t* lane_starts;
  std::uint32_t* keys;
  Value* out_values;  // null where only the pattern is wanted
  // The rows that may have something in the rest; their entries are noted by the tiles' row, and inside it by
  // place in the source.
  std::int64_t first_rest_row, end_rest_row, first_rest_entry;
  std::uint8_t* is_rest;

  // The room for the lists of a tile. That of a lane starts behind as many as the lanes before it have, and
  // one run for each of them, so that all start at multiples of a run.
  static SPARSMITH_HOST_DEVICE std::int64_t room(const tile_cells& cells, std::int64_t entries) {
    return lane_start(cells.lanes(), entries);
  }

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const tile_cells& cells = runs.cells;
    const std::int32_t height = runs.height(), lines = 1 << cells.line_bits;
    const std::int64_t first_row = runs.first_row(tile), first_entry = runs.row_offsets[first_row];
    const bool may_rest = first_row >= first_rest_row && first_row < end_rest_row;
    // For every row, lane by lane: where its run starts, counted from the first row's first entry, how much
    // of it comes last, and how many entries there are before it. Tiles of 2048 rows fill the scratch.
    std::uint32_t* const starts = team.scratch();
    std::uint32_t* const last = starts + height;
    std::int32_t* const before = reinterpret_cast<std::int32_t*>(last + height);
    // Neighbouring rows are in different lanes: the places of a lane change with its number, inside 64 of
    // them, so that threads write theirs into different banks of the scratch.
    const auto turned = [&](std::int32_t place) {
      if constexpr (Team::threads == 1) return place;
      return place ^ (place >> cells.line_bits << cells.line_bits >> 5);
    };
    runs.for_each_run(team, tile, [&](std::int32_t r, const typename tile_runs<Offset>::run& found) {
      const std::int32_t place =
          turned((r & (cells.lanes() - 1)) << cells.line_bits | r >> cells.lane_bits);  // lane, then line
      const auto start = static_cast<std::uint64_t>(found.start - first_entry);
      starts[place] = static_cast<std::uint32_t>(start);
      last[place] = static_cast<std::uint32_t>(start >> 32 << last_bits) |
                    static_cast<std::uint32_t>(found.left_of_diagonal);
      before[place] = found.length;
    });
    team.sync();
    if constexpr (Team::threads > 1)
      for (std::int32_t place = team.rank(); place < height; place += team.size()) {
        const std::int32_t length = before[turned(place)];
        team.sync();  // of the 64 places, who are here at the same time
        before[place] = length;
      }
    team.sync();
    const std::int32_t entries = team.exclusive_sum(before, height);
    const auto before_place = [&](std::int32_t place) { return place < height ? before[place] : entries; };
    const auto before_lane = [&](std::int32_t lane) { return before_place(lane << cells.line_bits); };
    for (std::int32_t lane = team.rank(); lane < cells.lanes(); lane += team.size()) {
      const std::int64_t list = (tile << cells.lane_bits) + lane;
      lane_counts[list] = before_lane(lane + 1) - before_lane(lane);
      lane_starts[list] = tile_starts[tile] + lane_start(lane, before_lane(lane));
    }
    const auto part_of = [&](std::int32_t place) {
      const std::int32_t lane = place >> cells.line_bits, line = place & (lines - 1), at = turned(place);
      row_part part;
      part.row = line << cells.lane_bits | lane;
      part.length = before_place(place + 1) - before[place];
      part.last = static_cast<std::int32_t>(last[at] & ((1u << last_bits) - 1));
      part.from = first_entry + static_cast<std::int64_t>(std::uint64_t{last[at]} >> last_bits << 32 |
                                                          std::uint64_t{starts[at]});
      part.to =
          static_cast<std::int32_t>(lane_start(lane, before_lane(lane))) + before[place] - before_lane(lane);
      return part;
    };
    const std::int64_t list_start = tile_starts[tile];
    if constexpr (Team::threads == 1) {
      for (std::int32_t place = 0; place < height; ++place) {
        const row_part part = part_of(place);
        for (std::int32_t i = 0; i < part.length; ++i) {
          found_entry found[1] = {part.entry(i)};
          load(first_row, may_rest, found);
          put(list_start, may_rest, found[0]);
        }
      }
      return;
    }
    // A warp takes the entries of so many neighbouring places together that it has enough to load at a time;
    // what it writes then is one piece, and what it reads are few. Each thread looks up the place of its
    // entry.
    constexpr int warp = 32, ahead = lane_tuning::ahead;
    const std::int32_t warps = team.size() / warp;
    std::int32_t places = 1;
    while (places * warps < height && std::int64_t{places} * entries < std::int64_t{ahead} * warp * height)
      places *= 2;
    for (std::int32_t first = team.rank() / warp * places; first < height; first += warps * places) {
      const std::int32_t end = before_place(first + places);
      for (std::int32_t start = before[first]; start < end; start += ahead * warp) {
        found_entry found[ahead];
        for (int k = 0; k < ahead; ++k) {
          const std::int32_t own = start + k * warp + team.rank() % warp;
          if (start + k * warp < end) {
            const std::int32_t entry = own < end ? own : end - 1;
            std::int32_t place = first;
            for (std::int32_t half = places / 2; half > 0; half /= 2)
              if (before[place + half] <= entry) place += half;
            found[k] = part_of(place).entry(entry - before[place]);
          } else {
            found[k] = found[0];  // something to load
          }
          if (own >= end) found[k].to = -1;
        }
        load(first_row, may_rest, found);
        for (int k = 0; k < ahead; ++k)
          if (found[k].to >= 0) put(list_start, may_rest, found[k]);
      }
    }
    team.sync();
  }

 private:
  static constexpr int last_bits = 12;  // of what comes last of a row: at most a tile's width of 2048

  static SPARSMITH_HOST_DEVICE std::int64_t lane_start(std::int32_t lane, std::int64_t entries_before) {
    static_assert((tile_run & (tile_run - 1)) == 0);  // a mask is cheaper than a division
    return ((entries_before + tile_run - 1) & -std::int64_t{tile_run}) + lane * tile_run;
  }

  struct found_entry {
    std::int32_t row = 0, to = -1, col = 0;
    Offset at = 0;  // where it is in the matrix, and when it is loaded, among those that may be in the rest
    Value value = 0;
  };
  // What a row has in the tile, where that goes in the lists of the tile, and how much of it comes last.
  struct row_part {
    std::int64_t from;
    std::int32_t row, to, last, length;

    SPARSMITH_HOST_DEVICE found_entry entry(std::int32_t i) const {
      const std::int32_t turned = i + last;
      found_entry found;
      found.row = row;
      found.to = to + i;
      found.at = static_cast<Offset>(from + (turned < length ? turned : turned - length));
      return found;
    }
  };
  // Some at a time, so that all wait for memory together.
  template <int count>
  SPARSMITH_HOST_DEVICE void load(std::int64_t first_row, bool may_rest, found_entry (&found)[count]) const {
    for (found_entry& own : found) own.col = runs.cols[own.at];
    if (sources != nullptr)
      for (found_entry& own : found) own.at = sources[own.at];
    if (out_values != nullptr)
      for (found_entry& own : found) own.value = values[own.at];
    if (sources != nullptr && may_rest)
      for (found_entry& own : found) {
        const std::int64_t row = first_row + own.row;
        own.at += runs.row_offsets[row] - source_offsets[row_order[row]];
      }
  }
  SPARSMITH_HOST_DEVICE void put(std::int64_t list_start, bool may_rest, const found_entry& found) const {
    const std::int64_t to = list_start + found.to;
    keys[to] = runs.cells.key(static_cast<std::uint32_t>(found.row), static_cast<std::uint32_t>(found.col));
    if (out_values != nullptr) out_values[to] = found.value;
    if (may_rest) is_rest[found.at - first_rest_entry] = 0;
  }
};

// The entries of every tile, lane by lane and not yet sorted, and what is left over.
template <class Value, class Space>
struct tile_entries {
  array<std::int32_t, Space> lane_counts;  // group_size a tile
  array<std::int64_t, Space> lane_starts;  // multiples of tile_run
  array<std::uint32_t, Space> keys;
  array<Value, Space> values;
  coo<Value, Space> rest;  // in the numbers of the source
};

// Without values, `values` is empty, and so are the result's and its rest.
template <class Backend, class Offset, class Value>
tile_entries<Value, space_on<Backend>> fill_lanes(Backend on, tile_pattern<Offset, space_on<Backend>>& tiles,
                                                  array_view<const Value> values, stage_log* log) {
  using space = space_on<Backend>;
  const auto& matrix = tiles.matrix;
  const bool with_values = values.size() > 0;
  const std::int64_t entries = matrix.entries(), rest = with_values ? tiles.rest_entries : 0;
  const std::int64_t first_row = rest > 0 ? tiles.first_rest_row : 0,
                     end_row = rest > 0 ? tiles.end_rest_row : 0;
  const auto entries_before = [&](std::int64_t row) {  // what is known is not waited for
    return row == 0             ? 0
           : row == matrix.rows ? entries
                                : std::int64_t{read_one(on, matrix.row_offsets.data() + row)};
  };
  const std::int64_t first_entry = entries_before(first_row), end_entry = entries_before(end_row);
  // A byte an entry, filled and counted by the word: mostly few of them stay 1.
  constexpr std::int64_t in_word = sizeof(std::uint64_t);
  constexpr std::uint64_t all_ones = 0x0101010101010101;
  array<std::uint64_t, space> is_rest(groups_of(end_entry - first_entry, in_word));
  fill(on, is_rest, all_ones);
  tile_entries<Value, space> result;
  {
    timed_stage timing(on, log, "fill lanes", entries, entries * (8 + 2 * std::int64_t{sizeof(Value)}));
    const tile_cells cells = tiles.cells;
    const std::int64_t count = tiles.tile_rows.size();
    const std::int32_t* const counts = tiles.tile_counts.data();
    const auto tile_starts =
        offsets_from_lengths<std::int64_t>(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
          return fill_lanes_of_tile<Offset, Value>::room(cells, counts[t]);
        });
    // Not less than they take, which would have to be waited for.
    const std::int64_t room =
        entries - tiles.rest_entries + count * fill_lanes_of_tile<Offset, Value>::room(cells, tile_run - 1);
    result.lane_counts = array<std::int32_t, space>(count << cells.lane_bits);
    result.lane_starts = array<std::int64_t, space>(count << cells.lane_bits);
    result.keys = array<std::uint32_t, space>(room);
    result.values = array<Value, space>(with_values ? room : 0);
    const std::int64_t marks_of_row = tile_marks::number_in_row(cells, matrix.cols);
    array<std::int32_t, space> mark_list(tiles.wants_marks() ? matrix.rows * marks_of_row : 0);
    const tile_marks marks{cells, marks_of_row, mark_list.data()};
    if (mark_list.size() > 0)
      for_each_team(on, matrix.rows, entries / matrix.rows,
                    mark_tiles_of_row<Offset>{marks, matrix.row_offsets.data(), matrix.col_indices.data()});
    for_each_block<lane_tuning::threads>(
        on, count,
        fill_lanes_of_tile<Offset, Value>{
            tiles.runs(marks), tiles.renumbered ? tiles.renumbered->sources.data() : nullptr,
            tiles.renumbered ? tiles.renumbered->row_order.data() : nullptr, tiles.source.row_offsets.data(),
            values.data(), tile_starts.data(), result.lane_counts.data(), result.lane_starts.data(),
            result.keys.data(), result.values.data(), first_row, end_row, first_entry,
            reinterpret_cast<std::uint8_t*>(is_rest.data())});
  }
  result.rest = empty_list<Value, space>(matrix.rows, matrix.cols, rest);
  if (rest == 0) return result;
  // In the order of the tiles' rows, and inside a row in that of the source.
  timed_stage timing(on, log, "list the rest", rest, (end_entry - first_entry) * 2);
  const std::uint64_t* const words = is_rest.data();
  const auto ranks =
      offsets_from_lengths<Offset>(on, is_rest.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t w) {
        return static_cast<Offset>(words[w] * all_ones >> 56);  // the sum of its bytes
      });
  const std::uint8_t* const in_rest = reinterpret_cast<const std::uint8_t*>(words);
  const Offset* const first_ranks = ranks.data();
  const Offset* const row_offsets = matrix.row_offsets.data();
  const Offset* const source_offsets = tiles.source.row_offsets.data();
  const std::int32_t* const source_cols = tiles.source.col_indices.data();
  const std::int32_t* const row_order = tiles.renumbered ? tiles.renumbered->row_order.data() : nullptr;
  const Value* const from = values.data();
  std::int32_t* const out_rows = result.rest.row_indices.data();
  std::int32_t* const out_cols = result.rest.col_indices.data();
  Value* const out_values = result.rest.values.data();
  for_each_index(on, is_rest.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t w) {
    if (words[w] == 0) return;
    Offset rank = first_ranks[w];
    for (std::int64_t i = w * in_word; i < (w + 1) * in_word && first_entry + i < end_entry; ++i) {
      if (in_rest[i] == 0) continue;
      const std::int64_t e = first_entry + i, new_row = row_of_entry(row_offsets, first_row, end_row, e);
      const std::int64_t row = row_order != nullptr ? std::int64_t{row_order[new_row]} : new_row;
      const std::int64_t source = source_offsets[row] + (e - row_offsets[new_row]);
      out_rows[rank] = static_cast<std::int32_t>(row);
      out_cols[rank] = source_cols[source];
      out_values[rank] = from[source];
      ++rank;
    }
  });
  return result;
}

}  // namespace sparsmith
