// CSR to GCSB's layout `tile` and back. Pieces of at most 4096 entries, none larger than a band of 256 rows,
// are the teams' work, so one dense row does not hold up the rest: they list the 256-column cells they touch,
// the cells are put together into tiles, every entry goes to its tile in any order, each tile is sorted by
// key, and one warp a tile then decides which entry goes into which step.
//
// The rule of the steps. A tile's entries, sorted by lane, diagonal ((column - row) mod width) and row, are
// cut into runs of eight. A lane sees what is left of the run that holds its first remaining entry, and of
// the two runs after it. In a step, rounds: every lane without an entry proposes the first it sees whose bank
// (column mod group size) nobody has; of the lanes that propose the same bank the one first in turn has it;
// until no lane has anything to propose. Then rounds with columns in place of banks. In step s the lane first
// in turn is s mod group size, and the others follow it upwards and around.
#pragma once

#include "convert/error.hpp"
#include "convert/formats/block_index.hpp"
#include "convert/pipelines/blocks.hpp"
#include "convert/pipelines/fill_limit.hpp"

namespace sparsmith {

constexpr std::int32_t tile_unit = 256;  // tile sides are multiples of it
constexpr std::int64_t piece_entries = 4096;

// The matrix as pieces: bands of tile_unit rows, cut every piece_entries entries.
template <class Offset>
struct row_pieces {
  std::int64_t rows, bands;
  const Offset* row_offsets;
  const Offset* first_pieces;  // bands + 1

  SPARSMITH_HOST_DEVICE std::int64_t band_start(std::int64_t band) const {
    return band * tile_unit < rows ? band * tile_unit : rows;
  }
  SPARSMITH_HOST_DEVICE row_range range(std::int64_t piece) const {
    const std::int64_t band = row_of_entry(first_pieces, 0, bands, piece);
    const std::int64_t first_row = band_start(band), end_row = band_start(band + 1);
    const std::int64_t first = row_offsets[first_row] + (piece - first_pieces[band]) * piece_entries;
    const std::int64_t last = first + piece_entries < row_offsets[end_row]
                                  ? first + piece_entries
                                  : std::int64_t{row_offsets[end_row]};
    return {piece, row_of_entry(row_offsets, first_row, end_row, first),
            row_of_entry(row_offsets, first_row, end_row, last - 1) + 1, first, last};
  }
};

// As walk_block_rows, for pieces and cells of tile_unit columns.
template <class Offset, class Action>
struct walk_pieces {
  row_pieces<Offset> pieces;
  block_shape cell;
  const std::int32_t* cols;
  const Offset* first_cells;
  Action action;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    const row_range range = pieces.range(piece);
    const std::int64_t first_cell = first_cells == nullptr ? 0 : std::int64_t{first_cells[piece]};
    action.finish(team, range,
                  walk_range(team, range, false, cell, pieces.row_offsets, cols, first_cell, action));
  }
};

struct column_position {
  using type = std::int32_t;
  SPARSMITH_HOST_DEVICE std::int32_t operator()(std::int64_t, std::int32_t block_col) const {
    return block_col;
  }
};

// Puts the cells of a tile row together into tiles: every cell gets its tile and its place there.
template <class Offset>
struct join_cells_action {
  block_shape shape;
  const std::int32_t* cell_cols;
  const std::int32_t* cell_counts;
  std::int32_t* tile_rows;
  std::int32_t* tile_cols;
  std::int32_t* tile_counts;  // all 0 before
  std::int32_t* tile_of_cell;
  std::int32_t* place_in_tile;

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t tile,
                                        std::int32_t, const Window& window) const {
    window.for_each([&](std::int32_t rank, std::int32_t tile_col) {
      tile_rows[tile + rank] = static_cast<std::int32_t>(range.number);
      tile_cols[tile + rank] = tile_col;
    });
    for (std::int64_t c = range.first + team.rank(); c < range.last; c += team.size()) {
      const std::int32_t tile_col = shape.col_of(cell_cols[c]);
      if (!window.holds(tile_col)) continue;
      const std::int64_t own = tile + window.rank(tile_col);
      tile_of_cell[c] = static_cast<std::int32_t>(own);
      place_in_tile[c] = team.add(tile_counts + own, cell_counts[c]);
    }
    team.sync();
  }
};

// Puts every entry of a piece into its tile, or marks it as part of the rest.
template <class Offset, class Value>
struct scatter_tile_action {
  const Offset* row_offsets;
  const std::int32_t* cols;
  const Value* values;
  tile_cells cells;
  std::uint32_t row_mask;
  const std::int64_t* cell_targets;  // where a cell's entries go; negative: to the rest
  std::int32_t* placed;              // entries of each cell so far
  std::uint32_t* keys;
  Value* out_values;      // null where only the structure is wanted
  std::uint8_t* is_rest;  // null where there is none

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t cell,
                                        std::int32_t count, const Window& window) const {
    std::int32_t* const counters = window.counters(count, placed + cell);
    for_each_entry(team, row_offsets, range, [&](std::int64_t e, std::int64_t row) {
      const std::int32_t col = cols[e];
      if (!window.holds(col / tile_unit)) return;
      const std::int32_t rank = window.rank(col / tile_unit);
      const std::int64_t target = cell_targets[cell + rank];
      if (is_rest != nullptr) is_rest[e] = target < 0 ? 1 : 0;
      if (target < 0) return;
      const std::int64_t to = target + team.next(counters + rank);
      keys[to] = cells.key(static_cast<std::uint32_t>(range.first_row + row) & row_mask,
                           static_cast<std::uint32_t>(col) & (cells.width() - 1));
      if (out_values != nullptr) out_values[to] = values[e];
    });
    team.sync();
  }
};

template <class Value>
struct sort_tile_body {
  int key_bits;
  const std::int64_t* starts;
  const std::int32_t* counts;
  const std::uint32_t* keys;
  const Value* values;
  std::uint32_t* out_keys;
  Value* out_values;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    sort_by_key(team, keys, starts[tile], starts[tile] + counts[tile], key_bits,
                [&](std::int64_t from, std::int64_t to) {
                  out_keys[to] = keys[from];
                  out_values[to] = values[from];
                });
  }
};

// Eight columns of a lane's entries, two in a word.
struct column_run {
  std::uint32_t pairs[4];

  SPARSMITH_HOST_DEVICE static column_run load(const std::uint32_t* keys, const tile_cells& cells) {
#ifdef __CUDA_ARCH__
    const uint4 low = *reinterpret_cast<const uint4*>(keys), high = *reinterpret_cast<const uint4*>(keys + 4);
    const std::uint32_t key[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#else
    const std::uint32_t* const key = keys;
#endif
    column_run run;
    for (int i = 0; i < 4; ++i) run.pairs[i] = cells.col_of(key[2 * i]) | cells.col_of(key[2 * i + 1]) << 16;
    return run;
  }
  SPARSMITH_HOST_DEVICE std::uint32_t operator[](int i) const {
    return pairs[i / 2] >> i % 2 * 16 & 0xffffu;
  }
};

// What a lane sees of its entries.
struct lane_view {
  static constexpr int size = 24;
  column_run runs[3] = {};
  std::uint32_t left = 0;  // bit i: entry start + i is the lane's and not yet placed
  std::int32_t start = 0;  // a multiple of 8, counted from the tile's first entry
  std::int32_t end = 0;    // of the lane's entries
  int choice = -1;         // the entry it proposes, and its column
  std::uint32_t column = 0;

  SPARSMITH_HOST_DEVICE void open(std::int32_t first, std::int32_t last, const std::uint32_t* keys,
                                  const tile_cells& cells) {
    start = first / 8 * 8;
    end = last;
    left = 0;
    for (int r = 0; r < 3; ++r) see(r, keys, cells);
    left &= ~0u << (first - start);
  }
  // Drops runs that are used up and takes in the next ones.
  SPARSMITH_HOST_DEVICE void advance(const std::uint32_t* keys, const tile_cells& cells) {
    while ((left & 0xffu) == 0 && start + 8 < end) {
      left >>= 8;
      start += 8;
      runs[0] = runs[1];
      runs[1] = runs[2];
      see(2, keys, cells);
    }
  }

 private:
  SPARSMITH_HOST_DEVICE void see(int run, const std::uint32_t* keys, const tile_cells& cells) {
    const std::int32_t at = start + run * 8;
    if (at >= end) return;
    runs[run] = column_run::load(keys + at, cells);
    const std::int32_t count = end - at;
    left |= (count < 8 ? (1u << count) - 1 : 0xffu) << run * 8;
  }
};

// Lays one tile out: says for every entry which step it is in, and how many steps there are.
struct lay_out_body {
  tile_cells cells;
  const std::int64_t* starts;
  const std::int32_t* counts;
  const std::uint32_t* keys;
  std::int32_t* step_of_entry;
  std::int32_t* steps_of_tile;

  static int scratch_words(const tile_cells& cells) { return (1 << cells.width_bits) + 32; }

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const std::uint32_t* const own_keys = keys + starts[tile];
    std::int32_t* const own_steps = step_of_entry + starts[tile];
    const std::int32_t count = counts[tile];
    const int lanes = 1 << cells.lane_bits;
    // Who has a column, and who a bank: 32 * step + 32 - turn of the latest claim. A larger number is a later
    // step, or an earlier turn of the same step.
    std::uint32_t* const columns = team.scratch();
    std::uint32_t* const banks = columns + cells.width();
    for (std::uint32_t i = team.rank(); i < cells.width() + 32; i += team.size()) columns[i] = 0;
    team.sync();

    constexpr int held = 32 / Team::threads;  // lanes of one thread
    lane_view view[held];
    for (int h = 0; h < held; ++h) {
      const int lane = team.rank() + h * Team::threads;
      if (lane >= lanes) continue;
      const std::int32_t first = first_of_lane(own_keys, count, lane);
      const std::int32_t last = first_of_lane(own_keys, count, lane + 1);
      if (first < last) view[h].open(first, last, own_keys, cells);
    }
    std::int32_t step = 0;
    for (std::int32_t placed = 0; placed < count; ++step)
      placed += lay_out_step(team, step, view, columns, banks, own_keys, own_steps);
    if (team.rank() == 0) steps_of_tile[tile] = step;
  }

 private:
  SPARSMITH_HOST_DEVICE std::int32_t first_of_lane(const std::uint32_t* own_keys, std::int32_t count,
                                                   int lane) const {
    std::int32_t low = 0, high = count;
    while (low < high) {
      const std::int32_t middle = (low + high) / 2;
      if (own_keys[middle] < cells.first_key(static_cast<std::uint32_t>(lane)))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  // Returns how many entries the step has.
  template <class Team, int held>
  SPARSMITH_HOST_DEVICE std::int32_t lay_out_step(const Team& team, std::int32_t step,
                                                  lane_view (&view)[held], std::uint32_t* columns,
                                                  std::uint32_t* banks, const std::uint32_t* own_keys,
                                                  std::int32_t* own_steps) const {
    const std::uint32_t lanes = 1u << cells.lane_bits;
    const std::uint32_t earlier = 32u * static_cast<std::uint32_t>(step);  // no claim of this step is as low
    std::uint32_t taken = 0;                                               // banks
    std::uint32_t waiting = 0;  // this thread's lanes that have entries left and none in this step
    for (int h = 0; h < held; ++h)
      if (view[h].left != 0) waiting |= 1u << (team.rank() + h * Team::threads);
    std::int32_t placed = 0;
    for (bool by_bank = true;;) {
      std::uint32_t proposing = 0;
      for (int h = 0; h < held; ++h) {
        lane_view& lane = view[h];
        lane.choice = -1;
        if ((waiting >> (team.rank() + h * Team::threads) & 1) == 0) continue;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int i = 0; i < lane_view::size; ++i) {
          if ((lane.left >> i & 1) == 0) continue;
          const std::uint32_t col = lane.runs[i / 8][i % 8];
          if (by_bank ? (taken >> (col & (lanes - 1)) & 1) != 0 : columns[col] > earlier) continue;
          lane.choice = i;
          lane.column = col;
          break;
        }
        if (lane.choice >= 0) proposing |= 1u << (team.rank() + h * Team::threads);
      }
      if (team.any_bits(proposing) == 0) {
        if (!by_bank || team.any_bits(waiting) == 0) return placed;
        by_bank = false;
        continue;
      }
      // any_bits has let everybody look before anybody claims.
      for (int h = 0; h < held; ++h)
        if (view[h].choice >= 0)
          team.raise(place_of(view[h], by_bank, columns, banks),
                     claim(team.rank() + h * Team::threads, step));
      team.sync();
      std::uint32_t won_lanes = 0, won_banks = 0;
      for (int h = 0; h < held; ++h) {
        lane_view& lane = view[h];
        const int number = team.rank() + h * Team::threads;
        if (lane.choice < 0 || *place_of(lane, by_bank, columns, banks) != claim(number, step)) continue;
        if (by_bank) columns[lane.column] = claim(number, step);
        won_banks |= 1u << (lane.column & (lanes - 1));
        won_lanes |= 1u << number;
        own_steps[lane.start + lane.choice] = step;
        lane.left &= ~(1u << lane.choice);
        lane.advance(own_keys, cells);
      }
      waiting &= ~won_lanes;
      placed += count_bits(team.any_bits(won_lanes));
      taken |= team.any_bits(won_banks);
      team.sync();
    }
  }

  SPARSMITH_HOST_DEVICE std::uint32_t claim(int lane, std::int32_t step) const {
    const std::uint32_t turn = static_cast<std::uint32_t>(lane - step) & ((1u << cells.lane_bits) - 1);
    return 32u * static_cast<std::uint32_t>(step) + 32u - turn;
  }
  SPARSMITH_HOST_DEVICE std::uint32_t* place_of(const lane_view& lane, bool by_bank, std::uint32_t* columns,
                                                std::uint32_t* banks) const {
    return by_bank ? banks + (lane.column & ((1u << cells.lane_bits) - 1)) : columns + lane.column;
  }
};

template <class Offset, class Value>
struct place_entries_body {
  tile_cells cells;
  const std::int64_t* starts;
  const std::int32_t* counts;
  const Offset* tile_offsets;
  const std::uint32_t* keys;
  const Value* values;
  const std::int32_t* step_of_entry;
  index_writer out_index;
  Value* out_values;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const std::int64_t end = starts[tile] + counts[tile];
    for (std::int64_t i = starts[tile] + team.rank(); i < end; i += team.size()) {
      const std::int64_t step = tile_offsets[tile] + std::int64_t{step_of_entry[i]};
      const std::int64_t slot = (step << cells.lane_bits) + cells.lane_of(keys[i]);
      out_index.set(slot, cells.combined(keys[i]));
      out_values[slot] = values[i];
    }
  }
};

// The least number of steps a tile can have: its longest lane, or its fullest column.
struct bound_steps_body {
  tile_cells cells;
  const std::int64_t* starts;
  const std::int32_t* counts;
  const std::uint32_t* keys;
  std::int32_t* least_steps;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const std::int32_t width = static_cast<std::int32_t>(cells.width());
    std::int32_t* const counters = reinterpret_cast<std::int32_t*>(team.scratch());
    for (std::int32_t i = team.rank(); i < width + 32; i += team.size()) counters[i] = 0;
    team.sync();
    const std::int64_t end = starts[tile] + counts[tile];
    for (std::int64_t i = starts[tile] + team.rank(); i < end; i += team.size()) {
      team.add(counters + cells.col_of(keys[i]), 1);
      team.add(counters + width + cells.lane_of(keys[i]), 1);
    }
    team.sync();
    std::int32_t negated_most = 0;
    for (std::int32_t i = team.rank(); i < width + 32; i += team.size())
      negated_most = -counters[i] < negated_most ? -counters[i] : negated_most;
    negated_most = team.smallest(negated_most);
    if (team.rank() == 0) least_steps[tile] = -negated_most;
  }
};

// A matrix with its rows and columns renumbered; the columns of a row keep their old order.
template <class Offset, class Value, class Space>
struct renumbered_matrix {
  array<std::int32_t, Space> row_order, col_order;
  csr<Offset, Value, Space> matrix;
};

// Whether lengths vary so much that renumbering pays: a coefficient of variation above 1.
template <class Backend, class Length>
bool lengths_vary(Backend on, std::int64_t lines, std::int64_t entries, Length length) {
  const std::int64_t squares = reduce(
      on, lines, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return std::int64_t{length(i)} * std::int64_t{length(i)}; },
      sum_of<std::int64_t>{});
  const auto total = static_cast<double>(entries);
  return static_cast<double>(lines) * static_cast<double>(squares) > 2 * total * total;
}

template <class Backend, class Offset, class Value>
std::optional<renumbered_matrix<Offset, Value, space_on<Backend>>> renumber(
    Backend on, csr<Offset, Value, view_on<Backend>> matrix, renumbering wanted) {
  using space = space_on<Backend>;
  if (wanted == renumbering::none) return {};
  const std::int64_t rows = matrix.rows, cols = matrix.cols, entries = matrix.values.size();
  const Offset* const offsets = matrix.row_offsets.data();
  const std::int32_t* const old_cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();
  const auto row_length = [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<std::int32_t>(offsets[r + 1] - offsets[r]);
  };
  array<std::int32_t, space> col_lengths(cols);
  fill(on, col_lengths, std::int32_t{0});
  std::int32_t* const counts = col_lengths.data();
  const auto col_length = [=] SPARSMITH_HOST_DEVICE(std::int64_t c) { return counts[c]; };
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { count_one(counts + old_cols[e]); });
  if (wanted == renumbering::automatic && !lengths_vary(on, rows, entries, row_length) &&
      !lengths_vary(on, cols, entries, col_length))
    return {};
  renumbered_matrix<Offset, Value, space> result;
  result.row_order = order_by_falling_length(on, rows, rows + 1, row_length);
  result.col_order = order_by_falling_length(on, cols, cols + 1, col_length);
  array<std::int32_t, space> new_cols(cols);
  const std::int32_t* const row_order = result.row_order.data();
  const std::int32_t* const col_order = result.col_order.data();
  std::int32_t* const new_col = new_cols.data();
  for_each_index(on, cols, [=] SPARSMITH_HOST_DEVICE(std::int64_t c) {
    new_col[col_order[c]] = static_cast<std::int32_t>(c);
  });
  csr<Offset, Value, space>& out = result.matrix;
  out.rows = matrix.rows;
  out.cols = matrix.cols;
  out.row_offsets = offsets_from_lengths<Offset>(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<Offset>(row_length(row_order[r]));
  });
  out.col_indices = array<std::int32_t, space>(entries);
  out.values = array<Value, space>(entries);
  const auto rows_of_entries = expand_offsets(on, out.row_offsets.data(), rows, entries);
  const std::int32_t* const row = rows_of_entries.data();
  const Offset* const out_offsets = out.row_offsets.data();
  std::int32_t* const out_cols = out.col_indices.data();
  Value* const out_values = out.values.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    const std::int64_t from = offsets[row_order[row[e]]] + (e - out_offsets[row[e]]);
    out_cols[e] = new_col[old_cols[from]];
    out_values[e] = values[from];
  });
  return result;
}

// The entries of every tile worth storing, not yet sorted, and what is left over.
template <class Offset, class Value, class Space>
struct tile_entries {
  tile_cells cells{0, 0, 1};
  array<std::int32_t, Space> row_order, col_order;
  array<std::int32_t, Space> tile_rows, tile_cols, counts;
  array<std::int64_t, Space> starts;  // tiles + 1, multiples of 8
  array<std::uint32_t, Space> keys;
  array<Value, Space> values;
  coo<Value, Space> rest;
};

inline void require_tile_options(const tile_options& options) {
  const auto power_of_two = [](std::int32_t number) { return number > 0 && (number & (number - 1)) == 0; };
  for (const std::int32_t side : {options.height, options.width})
    if (side != 0 && (!power_of_two(side) || side < tile_unit || side > 2048))
      throw error(failure::usage, "tile sides are powers of two from 256 to 2048");
  if ((options.height == 0) != (options.width == 0))
    throw error(failure::usage, "a tile has two sides: give both, or none");
  if (!power_of_two(options.group_size) || options.group_size > 32)
    throw error(failure::usage, "the group size of layout tile is a power of two up to 32");
}

// Bits of the combined index: as asked, or as few as leave room for the mark of padding.
inline int tile_index_bits(const tile_cells& cells, int asked) {
  if (asked == 16 && cells.index_bits() > 16)
    throw error(failure::usage, "16-bit combined indices need tiles of at most 32768 cells a lane");
  return asked != 0 ? asked : cells.index_bits();
}

// The smallest square tiles that hold 6000 entries on average pad little (about a seventh where entries are
// random) and keep their share of x and y small; where there are none, the largest with 16-bit indices. A
// matrix narrower or lower than its tile gets the area in the other direction.
template <class CountTiles>
std::pair<std::int32_t, std::int32_t> choose_tile(std::int64_t rows, std::int64_t cols, std::int64_t entries,
                                                  CountTiles count_tiles) {
  constexpr std::int64_t enough = 6000;
  std::int32_t side = tile_unit;
  while (side < 1024 && entries < enough * count_tiles(side)) side *= 2;
  std::int32_t height = side, width = side;
  while (width / 2 >= std::max<std::int64_t>(cols, tile_unit)) {
    width /= 2;
    height = std::min(height * 2, 2048);
  }
  while (height / 2 >= std::max<std::int64_t>(rows, tile_unit)) {
    height /= 2;
    if (cols > width) width = std::min(width * 2, 2048);
  }
  return {height, width};
}

template <class Backend, class Offset, class Value>
tile_entries<Offset, Value, space_on<Backend>> gather_tiles(Backend on,
                                                            csr<Offset, Value, view_on<Backend>> source,
                                                            const tile_options& options, bool with_values,
                                                            stage_log* log) {
  using space = space_on<Backend>;
  require_tile_options(options);
  const std::int64_t entries = source.values.size(), value_bytes = sizeof(Value);
  std::optional<renumbered_matrix<Offset, Value, space>> renumbered;
  {
    timed_stage timing(on, log, "renumber", entries, entries * 4);
    renumbered = renumber(on, source, options.renumber);
  }
  const auto matrix = renumbered ? view(renumbered->matrix) : source;
  const std::int32_t* const cols = matrix.col_indices.data();

  // Cells: what each piece has in each 256 columns.
  const block_shape cell(1, tile_unit);
  row_pieces<Offset> pieces{matrix.rows, groups_of(matrix.rows, tile_unit), matrix.row_offsets.data(),
                            nullptr};
  array<Offset, space> first_pieces, first_cells, band_cells;
  array<std::int32_t, space> cell_cols, cell_counts;
  std::int64_t piece_count = 0, cell_count = 0;
  {
    timed_stage timing(on, log, "list cells", entries, entries * 8);
    first_pieces = offsets_from_lengths<Offset>(on, pieces.bands, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
      const Offset* const offsets = pieces.row_offsets;
      return static_cast<Offset>(
          (offsets[pieces.band_start(b + 1)] - offsets[pieces.band_start(b)] + piece_entries - 1) /
          piece_entries);
    });
    pieces.first_pieces = first_pieces.data();
    piece_count = read_one(on, first_pieces.data() + pieces.bands);
    array<Offset, space> counts(piece_count);
    const std::int64_t work = piece_count == 0 ? 0 : entries / piece_count;
    for_each_team(
        on, piece_count, work,
        walk_pieces<Offset, count_block_action<Offset>>{pieces, cell, cols, nullptr, {counts.data()}});
    first_cells = offsets_from_counts<Offset>(on, counts);
    cell_count = read_one(on, first_cells.data() + piece_count);
    cell_cols = array<std::int32_t, space>(cell_count);
    cell_counts = array<std::int32_t, space>(cell_count);
    fill(on, cell_counts, std::int32_t{0});
    for_each_team(on, piece_count, work,
                  walk_pieces<Offset, without_finish<list_block_action<column_position>>>{
                      pieces,
                      cell,
                      cols,
                      first_cells.data(),
                      {{cols, cell, {}, cell_cols.data(), cell_counts.data()}}});
    band_cells = array<Offset, space>(pieces.bands + 1);
    Offset* const band_cell = band_cells.data();
    const Offset* const first_cell = first_cells.data();
    for_each_index(on, pieces.bands + 1, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
      band_cell[b] = first_cell[pieces.first_pieces[b]];
    });
  }
  const csr<Offset, std::int32_t, view_on<Backend>> cell_matrix{
      static_cast<std::int32_t>(pieces.bands), static_cast<std::int32_t>(groups_of(matrix.cols, tile_unit)),
      band_cells, cell_cols, cell_counts};

  // Tiles, from cells.
  tile_entries<Offset, Value, space> result;
  array<std::int64_t, space> cell_targets(cell_count);
  std::int64_t rest = 0;
  std::uint32_t row_mask = 0;
  {
    timed_stage timing(on, log, "join cells", cell_count, cell_count * 24);
    auto [height, width] = std::pair(options.height, options.width);
    if (height == 0)
      std::tie(height, width) =
          choose_tile(matrix.rows, matrix.cols, entries, [&](std::int32_t side) -> std::int64_t {
            const auto counted =
                count_blocks(on, cell_matrix, block_shape(side / tile_unit, side / tile_unit), false);
            return read_one(on, counted.data() + (counted.size() - 1));
          });
    result.cells = tile_cells(height, width, options.group_size);
    row_mask = static_cast<std::uint32_t>(height) - 1;
    const block_shape shape(height / tile_unit, width / tile_unit);
    const auto first_tiles = count_blocks(on, cell_matrix, shape, false);
    const std::int64_t tiles = read_one(on, first_tiles.data() + (first_tiles.size() - 1));
    array<std::int32_t, space> tile_rows(tiles), tile_cols(tiles), tile_counts(tiles),
        tile_of_cell(cell_count), place_in_tile(cell_count);
    fill(on, tile_counts, std::int32_t{0});
    walk_blocks(on, cell_matrix, shape, first_tiles.data(),
                without_finish<join_cells_action<Offset>>{
                    {shape, cell_cols.data(), cell_counts.data(), tile_rows.data(), tile_cols.data(),
                     tile_counts.data(), tile_of_cell.data(), place_in_tile.data()}},
                false);
    const std::int32_t least = options.rest_below;
    const std::int32_t* const counts = tile_counts.data();
    const auto numbers = offsets_from_lengths<std::int32_t>(
        on, tiles, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return counts[t] >= least ? 1 : 0; });
    const auto starts = offsets_from_lengths<std::int64_t>(
        on, tiles, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) -> std::int64_t {
          return counts[t] >= least ? (std::int64_t{counts[t]} + 7) / 8 * 8 : 0;
        });
    rest = reduce(
        on, tiles, std::int64_t{0},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
          return std::int64_t{counts[t] >= least ? 0 : counts[t]};
        },
        sum_of<std::int64_t>{});
    const std::int64_t kept = read_one(on, numbers.data() + tiles);
    result.tile_rows = array<std::int32_t, space>(kept);
    result.tile_cols = array<std::int32_t, space>(kept);
    result.counts = array<std::int32_t, space>(kept);
    result.starts = array<std::int64_t, space>(kept + 1);
    const std::int32_t* const number = numbers.data();
    const std::int64_t* const start = starts.data();
    const std::int32_t* const all_rows = tile_rows.data();
    const std::int32_t* const all_cols = tile_cols.data();
    std::int32_t* const kept_rows = result.tile_rows.data();
    std::int32_t* const kept_cols = result.tile_cols.data();
    std::int32_t* const kept_counts = result.counts.data();
    std::int64_t* const kept_starts = result.starts.data();
    for_each_index(on, tiles + 1, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
      if (t == tiles) {
        kept_starts[kept] = start[tiles];
      } else if (counts[t] >= least) {
        kept_rows[number[t]] = all_rows[t];
        kept_cols[number[t]] = all_cols[t];
        kept_counts[number[t]] = counts[t];
        kept_starts[number[t]] = start[t];
      }
    });
    const std::int32_t* const tile = tile_of_cell.data();
    const std::int32_t* const place = place_in_tile.data();
    std::int64_t* const target = cell_targets.data();
    for_each_index(on, cell_count, [=] SPARSMITH_HOST_DEVICE(std::int64_t c) {
      target[c] = counts[tile[c]] >= least ? start[tile[c]] + place[c] : -1;
    });
  }
  const std::int64_t kept = result.counts.size();
  const std::int64_t room = read_one(on, result.starts.data() + kept);
  array<std::uint8_t, space> is_rest(rest > 0 && with_values ? entries : 0);
  {
    timed_stage timing(on, log, "scatter entries", entries, entries * (8 + 2 * value_bytes));
    result.keys = array<std::uint32_t, space>(room);
    result.values = array<Value, space>(with_values ? room : 0);
    fill(on, cell_counts, std::int32_t{0});
    for_each_team(
        on, piece_count, piece_count == 0 ? 0 : entries / piece_count,
        walk_pieces<Offset, without_finish<scatter_tile_action<Offset, Value>>>{
            pieces,
            cell,
            cols,
            first_cells.data(),
            {{pieces.row_offsets, cols, matrix.values.data(), result.cells, row_mask, cell_targets.data(),
              cell_counts.data(), result.keys.data(), result.values.data(), is_rest.data()}}});
  }
  result.rest = empty_list<Value, space>(matrix.rows, matrix.cols, rest);
  if (is_rest.size() > 0) {
    timed_stage timing(on, log, "list the rest", rest, entries * 9);
    const auto ranks = offsets_from_counts<Offset>(on, is_rest);
    const std::uint8_t* const in_rest = is_rest.data();
    const Offset* const rank = ranks.data();
    const std::int64_t rows = matrix.rows;
    const Value* const values = matrix.values.data();
    const std::int32_t* const row_order = renumbered ? renumbered->row_order.data() : nullptr;
    const std::int32_t* const col_order = renumbered ? renumbered->col_order.data() : nullptr;
    std::int32_t* const out_rows = result.rest.row_indices.data();
    std::int32_t* const out_cols = result.rest.col_indices.data();
    Value* const out_values = result.rest.values.data();
    for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
      if (in_rest[e] == 0) return;
      const auto row = static_cast<std::int32_t>(row_of_entry(pieces.row_offsets, 0, rows, e));
      out_rows[rank[e]] = row_order != nullptr ? row_order[row] : row;
      out_cols[rank[e]] = col_order != nullptr ? col_order[cols[e]] : cols[e];
      out_values[rank[e]] = values[e];
    });
  }
  if (renumbered) {
    result.row_order = std::move(renumbered->row_order);
    result.col_order = std::move(renumbered->col_order);
  }
  return result;
}

template <class Backend, class Offset, class Value>
tile_price price_tiles(Backend on, csr<Offset, Value, view_on<Backend>> matrix, const tile_options& options) {
  const auto gathered = gather_tiles(on, matrix, options, false, nullptr);
  const std::int64_t tiles = gathered.counts.size();
  array<std::int32_t, space_on<Backend>> least_steps(tiles);
  for_each_warp(on, tiles, lay_out_body::scratch_words(gathered.cells),
                bound_steps_body{gathered.cells, gathered.starts.data(), gathered.counts.data(),
                                 gathered.keys.data(), least_steps.data()});
  const std::int32_t* const steps = least_steps.data();
  tile_price price;
  price.height = 1 << (gathered.cells.lane_bits + gathered.cells.line_bits);
  price.width = 1 << gathered.cells.width_bits;
  price.index_bits = tile_index_bits(gathered.cells, options.index_bits);
  price.renumbered = gathered.row_order.size() > 0;
  price.tiles = tiles;
  price.least_steps = reduce(
      on, tiles, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return std::int64_t{steps[t]}; }, sum_of<std::int64_t>{});
  price.rest = gathered.rest.values.size();
  return price;
}

template <class Backend, class Offset, class Value>
gcsb_tile<Offset, Value, space_on<Backend>> csr_to_gcsb_tile(Backend on,
                                                             csr<Offset, Value, view_on<Backend>> matrix,
                                                             const tile_options& options, double max_fill,
                                                             stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t entries = matrix.values.size(), value_bytes = sizeof(Value);
  auto gathered = gather_tiles(on, matrix, options, true, log);
  const tile_cells cells = gathered.cells;
  const std::int64_t tiles = gathered.counts.size(), room = gathered.keys.size();
  const std::int64_t work = tiles == 0 ? 0 : room / tiles;

  gcsb_tile<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.tile_height = 1 << (cells.lane_bits + cells.line_bits);
  result.tile_width = 1 << cells.width_bits;
  result.group_size = options.group_size;
  result.renumbered = gathered.row_order.size() + gathered.col_order.size() > 0 ? 1 : 0;
  result.rest_below = options.rest_below;
  result.row_order = std::move(gathered.row_order);
  result.col_order = std::move(gathered.col_order);
  result.rest_row_indices = std::move(gathered.rest.row_indices);
  result.rest_col_indices = std::move(gathered.rest.col_indices);
  result.rest_values = std::move(gathered.rest.values);

  const std::int64_t* const starts = gathered.starts.data();
  const std::int32_t* const counts = gathered.counts.data();
  array<std::uint32_t, space> keys(room);
  array<Value, space> values(room);
  {
    timed_stage timing(on, log, "sort in tiles", entries, entries * (8 + 2 * value_bytes));
    for_each_team(on, tiles, work,
                  sort_tile_body<Value>{cells.key_bits(), starts, counts, gathered.keys.data(),
                                        gathered.values.data(), keys.data(), values.data()});
    gathered.keys = {};
    gathered.values = {};
  }
  array<std::int32_t, space> step_of_entry(room), steps_of_tile(tiles);
  {
    timed_stage timing(on, log, "lay out steps", entries, entries * 8);
    for_each_warp(
        on, tiles, lay_out_body::scratch_words(cells),
        lay_out_body{cells, starts, counts, keys.data(), step_of_entry.data(), steps_of_tile.data()});
    result.tile_offsets = offsets_from_counts<Offset>(on, steps_of_tile);
  }
  timed_stage timing(on, log, "place entries", entries, entries * (10 + 2 * value_bytes));
  const std::int64_t slots = std::int64_t{read_one(on, result.tile_offsets.data() + tiles)}
                             << cells.lane_bits;
  require_fill("gcsb layout tile", slots + result.rest_values.size(), entries, max_fill);
  const int bits = tile_index_bits(cells, options.index_bits);
  combined_indices<space> index(slots, bits);
  result.values = array<Value, space>(slots);
  const index_writer out_index = index.writer();
  Value* const out_values = result.values.data();
  for_each_index(on, slots, [=] SPARSMITH_HOST_DEVICE(std::int64_t s) {
    out_index.set(s, tile_padding(bits));
    out_values[s] = 0;
  });
  for_each_team(
      on, tiles, work,
      place_entries_body<Offset, Value>{cells, starts, counts, result.tile_offsets.data(), keys.data(),
                                        values.data(), step_of_entry.data(), out_index, out_values});
  result.combined16 = std::move(index.narrow);
  result.combined32 = std::move(index.wide);
  array<std::int32_t, space> numbers(tiles);
  std::int32_t* const number = numbers.data();
  for_each_index(on, tiles,
                 [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { number[t] = static_cast<std::int32_t>(t); });
  result.column_order = sort_entries<std::int32_t>(on, gathered.tile_cols, gathered.tile_rows, numbers,
                                                   groups_of(matrix.cols, result.tile_width),
                                                   groups_of(matrix.rows, result.tile_height), false)
                            .values;
  result.tile_rows = std::move(gathered.tile_rows);
  result.tile_cols = std::move(gathered.tile_cols);
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> gcsb_tile_to_csr(Backend on,
                                                       gcsb_tile<Offset, Value, view_on<Backend>> matrix,
                                                       stage_log* log) {
  const tile_cells cells(matrix.tile_height, matrix.tile_width, matrix.group_size);
  const std::int64_t slots = matrix.values.size(), rest = matrix.rest_values.size();
  const std::int64_t tiles = matrix.tile_rows.size(), height = matrix.tile_height, width = matrix.tile_width;
  coo<Value, space_on<Backend>> list;
  {
    timed_stage timing(on, log, "unpack gcsb", slots + rest, bytes(matrix));
    const index_reader index{matrix.combined16.data(), matrix.combined32.data()};
    const std::uint32_t padding = tile_padding(matrix.combined16.size() > 0 ? 16 : 32);
    const auto ranks = offsets_from_lengths<std::int64_t>(
        on, slots, [=] SPARSMITH_HOST_DEVICE(std::int64_t s) { return std::int64_t{index[s] != padding}; });
    const std::int64_t in_tiles = read_one(on, ranks.data() + slots);
    list = empty_list<Value, space_on<Backend>>(matrix.rows, matrix.cols, in_tiles + rest);
    const std::int64_t* const rank = ranks.data();
    const Offset* const tile_offsets = matrix.tile_offsets.data();
    const std::int32_t* const tile_rows = matrix.tile_rows.data();
    const std::int32_t* const tile_cols = matrix.tile_cols.data();
    const bool renumbered = matrix.renumbered != 0;
    const std::int32_t* const row_order = matrix.row_order.data();
    const std::int32_t* const col_order = matrix.col_order.data();
    const Value* const values = matrix.values.data();
    const std::int32_t* const rest_rows = matrix.rest_row_indices.data();
    const std::int32_t* const rest_cols = matrix.rest_col_indices.data();
    const Value* const rest_values = matrix.rest_values.data();
    std::int32_t* const rows = list.row_indices.data();
    std::int32_t* const cols = list.col_indices.data();
    Value* const out = list.values.data();
    for_each_index(on, slots, [=] SPARSMITH_HOST_DEVICE(std::int64_t s) {
      if (index[s] == padding) return;
      const std::int64_t tile = row_of_entry(tile_offsets, 0, tiles, s >> cells.lane_bits);
      const auto lane = static_cast<std::uint32_t>(s) & ((1u << cells.lane_bits) - 1);
      const std::int64_t row = tile_rows[tile] * height + cells.row(index[s], lane);
      const std::int64_t col = tile_cols[tile] * width + cells.col(index[s]);
      rows[rank[s]] = renumbered ? row_order[row] : static_cast<std::int32_t>(row);
      cols[rank[s]] = renumbered ? col_order[col] : static_cast<std::int32_t>(col);
      out[rank[s]] = values[s];
    });
    for_each_index(on, rest, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
      rows[in_tiles + i] = rest_rows[i];
      cols[in_tiles + i] = rest_cols[i];
      out[in_tiles + i] = rest_values[i];
    });
  }
  return coo_to_csr<Backend, Offset, Value>(on, std::move(list), log);
}

template <class Offset>
struct count_lanes_body {
  std::int32_t lanes;
  std::uint32_t padding;
  const Offset* tile_offsets;
  index_reader index;
  std::int32_t* counts;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    for (std::int32_t lane = team.rank(); lane < lanes; lane += team.size()) {
      std::int32_t count = 0;
      for (std::int64_t step = tile_offsets[tile]; step < tile_offsets[tile + 1]; ++step)
        count += index[step * lanes + lane] != padding ? 1 : 0;
      counts[tile * lanes + lane] = count;
    }
  }
};

template <class Backend, class Offset, class Value>
array<std::int32_t, host> lane_entry_counts(Backend on, gcsb_tile<Offset, Value, view_on<Backend>> matrix) {
  const std::int64_t tiles = matrix.tile_rows.size();
  array<std::int32_t, space_on<Backend>> counts(tiles * matrix.group_size);
  for_each_warp(on, tiles, 0,
                count_lanes_body<Offset>{matrix.group_size,
                                         tile_padding(matrix.combined16.size() > 0 ? 16 : 32),
                                         matrix.tile_offsets.data(),
                                         {matrix.combined16.data(), matrix.combined32.data()},
                                         counts.data()});
  return copy_to<host>(counts, space_on<Backend>::where);
}

}  // namespace sparsmith
