// CSR to GCSB's layout `tile` and back. Pieces of at most 4096 entries, none larger than a band of 256 rows,
// are the teams' work, so one dense row does not hold up the rest: they list the 256-column cells they touch,
// the cells are put together into tiles, every entry goes to the list of its lane in its tile in any order,
// each list is sorted by key, and one warp a tile then decides which entry goes into which step.
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
  const Offset* first_cells;      // null while the cells are being counted
  const std::int32_t* cell_cols;  // null while they are not listed
  Action action;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    const row_range range = pieces.range(piece);
    const std::int64_t first_cell = first_cells == nullptr ? 0 : std::int64_t{first_cells[piece]};
    if (cell_cols != nullptr) {
      walk_listed(
          team, range, first_cell, first_cells[piece + 1], [&](std::int64_t c) { return cell_cols[c]; },
          action);
      return;
    }
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

// Puts the cells of a tile row together into tiles.
struct join_cells_action {
  block_shape shape;
  const std::int32_t* cell_cols;
  const std::int32_t* cell_counts;
  std::int32_t* tile_rows;
  std::int32_t* tile_cols;
  std::int32_t* tile_counts;  // all 0 before
  std::int32_t* tile_of_cell;

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
      team.add(tile_counts + own, cell_counts[c]);
    }
    team.sync();
  }
};

// What the two walks over the entries of a tile's lanes share.
template <class Offset>
struct lane_lists {
  const Offset* row_offsets;
  const std::int32_t* cols;
  tile_cells cells;
  const std::int32_t* tile_of_cell;  // negative: the rest
  std::int32_t* lane_counts;         // of every tile; all 0 before

  SPARSMITH_HOST_DEVICE std::int64_t list_of(std::int32_t tile, std::uint32_t row) const {
    return (std::int64_t{tile} << cells.lane_bits) + cells.lane_of(row);
  }
};

// Counts the entries of every lane. Those of one row in one tile come in runs, as in list_block_action.
template <class Offset>
struct count_lanes_action {
  lane_lists<Offset> lists;

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t cell,
                                        std::int32_t, const Window& window) const {
    const std::int32_t* const cols = lists.cols;
    const int width_bits = lists.cells.width_bits;
    for_each_entry(team, range, lists.row_offsets, cols, static_cast<const float*>(nullptr),
                   [&](std::int64_t e, std::int64_t row_in_range, const loaded_entry<float>& entry) {
                     const std::int64_t row = range.first_row + row_in_range;
                     const bool first = e == range.first || e == lists.row_offsets[row];
                     const bool last = e + 1 == range.last || e + 1 == lists.row_offsets[row + 1];
                     const run_neighbours n{first ? -1 : cols[e - 1] >> width_bits, entry.col >> width_bits,
                                            last ? -1 : cols[e + 1] >> width_bits};
                     if ((n.left == n.own && n.right == n.own) || !window.holds(entry.col / tile_unit))
                       return;
                     const std::int32_t tile = lists.tile_of_cell[cell + window.rank(entry.col / tile_unit)];
                     const std::int32_t amount = n.share_of_run(e - range.first);
                     if (tile >= 0 && amount != 0)
                       team.add_shared(
                           lists.lane_counts + lists.list_of(tile, static_cast<std::uint32_t>(row)), amount);
                   });
    team.sync();
  }
};

// Puts every entry of a piece into the list of its lane, or marks it as part of the rest.
template <class Offset, class Value>
struct fill_lanes_action {
  lane_lists<Offset> lists;
  const Value* values;
  const std::int64_t* lane_starts;
  std::uint32_t* keys;
  Value* out_values;      // null where only the structure is wanted
  std::uint8_t* is_rest;  // null where there is none

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t cell,
                                        std::int32_t, const Window& window) const {
    for_each_entry(team, range, lists.row_offsets, lists.cols, out_values == nullptr ? nullptr : values,
                   [&](std::int64_t e, std::int64_t row_in_range, const loaded_entry<Value>& entry) {
                     if (!window.holds(entry.col / tile_unit)) return;
                     const std::int32_t tile = lists.tile_of_cell[cell + window.rank(entry.col / tile_unit)];
                     if (is_rest != nullptr) is_rest[e] = static_cast<std::uint8_t>(tile < 0);
                     if (tile < 0) return;
                     const auto row = static_cast<std::uint32_t>(range.first_row + row_in_range);
                     const std::int64_t list = lists.list_of(tile, row);
                     const std::int64_t to = lane_starts[list] + team.next_shared(lists.lane_counts + list);
                     keys[to] = lists.cells.key(row, static_cast<std::uint32_t>(entry.col));
                     if (out_values != nullptr) out_values[to] = entry.value;
                   });
    team.sync();
  }
};

template <class Value>
struct sort_lane_body {
  int key_bits;
  const std::int64_t* lane_starts;
  const std::int32_t* lane_counts;
  const std::uint32_t* keys;
  const Value* values;
  std::uint32_t* out_keys;
  Value* out_values;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t list) const {
    sort_by_key(team, keys, lane_starts[list], lane_starts[list] + lane_counts[list], key_bits,
                [&](std::int64_t from, std::int64_t to) {
                  out_keys[to] = keys[from];
                  out_values[to] = values[from];
                });
  }
};

// What a lane sees of its entries.
class lane_view {
 public:
  static constexpr int size = 24, run = 8;

  SPARSMITH_HOST_DEVICE void open(const std::uint32_t* keys, std::int32_t count, std::uint32_t lane,
                                  const tile_cells& cells) {
    keys_ = keys;
    count_ = count;
    lane_ = lane;
    load();
    for (int r = 0; r < 3; ++r) {
      see(r, cells);
      load();
    }
  }
  SPARSMITH_HOST_DEVICE bool any_left() const { return left_ != 0; }
  // Of the lane's first entry among all.
  SPARSMITH_HOST_DEVICE std::int64_t offset_from(const std::uint32_t* all_keys) const {
    return keys_ - all_keys;
  }
  SPARSMITH_HOST_DEVICE std::int32_t column_at(std::int32_t position, const tile_cells& cells) const {
    return static_cast<std::int32_t>(cells.col_of(keys_[position], lane_));
  }
  SPARSMITH_HOST_DEVICE std::uint32_t first_bank() const {
    const int i = lowest_bit(left_);
    std::uint32_t bank = 0;
    for (int p = 0; p < 5; ++p) bank |= (planes_[p] >> i & 1u) << p;
    return bank;
  }
  // The next bank from `first` upwards and around that the lane sees and that is not taken, or -1.
  SPARSMITH_HOST_DEVICE std::int32_t free_bank(std::uint32_t first, std::uint32_t taken) const {
    const std::uint32_t free = banks_ & ~taken;
    if (free == 0) return -1;
    const std::uint32_t turned = free >> first | free << ((32 - first) & 31);
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(lowest_bit(turned)) + first) & 31);
  }
  // Takes the first entry of the bank and returns its position.
  SPARSMITH_HOST_DEVICE std::int32_t take_from_bank(std::int32_t bank) {
    const std::uint32_t there = left_in_bank(bank);
    const int i = lowest_bit(there);
    left_ &= ~(1u << i);
    if ((there & (there - 1)) == 0) banks_ &= ~(1u << bank);
    return start_ + i;
  }
  // The column of the first entry of the first run whose column does not have the stamp, or -1.
  SPARSMITH_HOST_DEVICE std::int32_t free_column(const std::uint32_t* columns, std::uint32_t stamp,
                                                 const tile_cells& cells) const {
    for (std::uint32_t left = left_ & 0xffu; left != 0; left &= left - 1) {
      const std::int32_t column = column_at(start_ + lowest_bit(left), cells);
      if (columns[column] != stamp) return column;
    }
    return -1;
  }
  // Takes the first entry of that column and returns its position.
  SPARSMITH_HOST_DEVICE std::int32_t take_from_column(std::int32_t column, const tile_cells& cells) {
    int i = lowest_bit(left_);
    while ((left_ >> i & 1) == 0 || column_at(start_ + i, cells) != column) ++i;
    const auto bank = static_cast<std::int32_t>(cells.bank_of(keys_[start_ + i], lane_));
    left_ &= ~(1u << i);
    if (left_in_bank(bank) == 0) banks_ &= ~(1u << bank);
    return start_ + i;
  }
  // Drops runs that are used up and takes the next ones into view.
  SPARSMITH_HOST_DEVICE void advance(const tile_cells& cells) {
    while ((left_ & 0xffu) == 0 && start_ + run < count_) {
      left_ >>= run;
      start_ += run;
      for (int p = 0; p < 5; ++p) planes_[p] >>= run;
      see(2, cells);
      load();
    }
  }

 private:
  SPARSMITH_HOST_DEVICE std::uint32_t left_in_bank(std::int32_t bank) const {
    std::uint32_t there = left_;
    for (int p = 0; p < 5; ++p) there &= (bank >> p & 1) != 0 ? planes_[p] : ~planes_[p];
    return there;
  }
  // Fetches the run that comes into view next, long before it is needed.
  SPARSMITH_HOST_DEVICE void load() {
    if (loaded_ >= count_) return;
#ifdef __CUDA_ARCH__
    const uint4 low = *reinterpret_cast<const uint4*>(keys_ + loaded_);
    const uint4 high = *reinterpret_cast<const uint4*>(keys_ + loaded_ + 4);
    coming_[0] = low.x, coming_[1] = low.y, coming_[2] = low.z, coming_[3] = low.w;
    coming_[4] = high.x, coming_[5] = high.y, coming_[6] = high.z, coming_[7] = high.w;
#else
    for (int i = 0; i < run; ++i) coming_[i] = keys_[loaded_ + i];
#endif
    loaded_ += run;
  }
  // Takes the fetched run into view as the one of that number.
  SPARSMITH_HOST_DEVICE void see(int number, const tile_cells& cells) {
    const std::int32_t count = count_ - (start_ + number * run);
    if (count <= 0) return;
    std::uint32_t packed[2] = {};
    for (int i = 0; i < run; ++i) {
      const std::uint32_t bank = cells.bank_of(coming_[i], lane_);
      packed[i / 4] |= bank << i % 4 * 8;
      if (i < count) banks_ |= 1u << bank;
    }
    for (int p = 0; p < 5; ++p) {
      // The multiplication gathers one bit of each of four bytes at the top.
      const std::uint32_t low = (packed[0] >> p & 0x01010101u) * 0x01020408u >> 24,
                          high = (packed[1] >> p & 0x01010101u) * 0x01020408u >> 24;
      planes_[p] |= (low | high << 4) << number * run;
    }
    left_ |= (count < run ? (1u << count) - 1 : 0xffu) << number * run;
  }

  const std::uint32_t* keys_ = nullptr;
  std::int32_t count_ = 0;
  std::uint32_t lane_ = 0;
  std::int32_t start_ = 0;          // of the first run in view
  std::int32_t loaded_ = 0;         // entries fetched so far
  std::uint32_t left_ = 0;          // bit i: entry start + i is not yet placed
  std::uint32_t banks_ = 0;         // bit b: an entry that is left has bank b
  std::uint32_t planes_[5] = {};    // bit i of plane p: bit p of the bank of entry start + i
  std::uint32_t coming_[run] = {};  // keys of the run after those in view
};

// Lays one tile out: says for every entry which step it is in, and how many steps there are.
//
// The rule of the steps. The entries of a lane, sorted by diagonal ((column - row) mod width) and row, are
// cut into runs of eight. The lane sees what is left of the run that holds its first remaining entry, and of
// the two runs after it. In a step, rounds: every lane without an entry proposes one. Its banks are the
// columns modulo the group size; of those it sees and nobody has, it takes the next from the bank of its
// first remaining entry upwards and around, and there the first entry. Of the lanes that propose the same
// bank the one first in turn has it. After three
// such rounds one more: a lane still without an entry proposes the first of the first run it sees whose
// column nobody has, and again the first in turn has a column. In step s the lane first in turn is s mod
// group size, and the others follow it upwards and around.
struct lay_out_body {
  static constexpr int bank_rounds = 3;

  tile_cells cells;
  const std::int64_t* lane_starts;
  const std::int32_t* lane_counts;
  const std::uint32_t* keys;
  std::int32_t* step_of_entry;
  std::int32_t* steps_of_tile;

  static int scratch_words(const tile_cells& cells) { return 1 << cells.width_bits; }

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    // The step that last took each column, counted from 1. A team of one thread needs room to compare lanes.
    std::uint32_t* const columns = team.scratch();
    std::uint32_t* const seen = columns + cells.width();
    const std::uint32_t words = Team::threads == 1 ? 2 * cells.width() + 1 : cells.width();
    for (std::uint32_t i = static_cast<std::uint32_t>(team.rank()); i < words; i += Team::threads)
      columns[i] = 0;
    team.sync();

    constexpr int held = 32 / Team::threads;  // lanes of one thread
    lane_view view[held];
    for (int h = 0; h < held; ++h) {
      const int lane = team.rank() + h * Team::threads;
      if (lane >= cells.lanes()) continue;
      const std::int64_t list = (tile << cells.lane_bits) + lane;
      view[h].open(keys + lane_starts[list], lane_counts[list], static_cast<std::uint32_t>(lane), cells);
    }
    std::int32_t step = 0;
    while (lay_out_step(team, step, view, columns, seen)) ++step;
    if (team.rank() == 0) steps_of_tile[tile] = step;
  }

 private:
  // Returns whether there was anything left for the step.
  template <class Team, int held>
  SPARSMITH_HOST_DEVICE bool lay_out_step(const Team& team, std::int32_t step, lane_view (&view)[held],
                                          std::uint32_t* columns, std::uint32_t* seen) const {
    const auto lane_of = [&](int h) { return team.rank() + h * Team::threads; };
    const std::int32_t first = step & (cells.lanes() - 1);
    std::uint32_t waiting = 0;  // this thread's lanes without an entry
    std::uint32_t first_bank[held];
    std::int32_t wanted[held], placed[held];
    for (int h = 0; h < held; ++h) {
      placed[h] = -1;
      first_bank[h] = 0;
      if (!view[h].any_left()) continue;
      waiting |= 1u << lane_of(h);
      first_bank[h] = view[h].first_bank();
    }
    const int lanes = count_bits(team.any_bits(waiting));
    if (lanes == 0) return false;

    std::uint32_t taken = 0;  // banks; each has one lane
    for (int round = 0; round < bank_rounds && count_bits(taken) < lanes; ++round) {
      for (int h = 0; h < held; ++h)
        wanted[h] = (waiting >> lane_of(h) & 1) != 0 ? view[h].free_bank(first_bank[h], taken) : -1;
      const std::uint32_t won = team.winners(wanted, first, seen);
      std::uint32_t won_banks = 0;
      for (int h = 0; h < held; ++h) {
        if ((won >> lane_of(h) & 1) == 0) continue;
        won_banks |= 1u << wanted[h];
        placed[h] = view[h].take_from_bank(wanted[h]);
      }
      waiting &= ~won;
      taken |= team.any_bits(won_banks);
    }
    if (count_bits(taken) < lanes) {
      const std::uint32_t stamp = static_cast<std::uint32_t>(step) + 1;
      for (int h = 0; h < held; ++h)
        if (placed[h] >= 0) columns[view[h].column_at(placed[h], cells)] = stamp;
      team.sync();
      for (int h = 0; h < held; ++h)
        wanted[h] = (waiting >> lane_of(h) & 1) != 0 ? view[h].free_column(columns, stamp, cells) : -1;
      const std::uint32_t won = team.winners(wanted, first, seen);
      for (int h = 0; h < held; ++h)
        if ((won >> lane_of(h) & 1) != 0) placed[h] = view[h].take_from_column(wanted[h], cells);
    }
    for (int h = 0; h < held; ++h) {
      if (placed[h] < 0) continue;
      step_of_entry[view[h].offset_from(keys) + placed[h]] = step;
      view[h].advance(cells);
    }
    return true;
  }
};

// Writes the steps of one tile, some at a time, so that they leave in one piece.
template <class Offset, class Value>
struct write_steps_body {
  tile_cells cells;
  std::uint32_t padding;
  const std::int64_t* lane_starts;
  const std::int32_t* lane_counts;
  const Offset* tile_offsets;
  const std::uint32_t* keys;
  const Value* values;
  const std::int32_t* step_of_entry;
  index_writer out_index;
  Value* out_values;

  static int least_words(const tile_cells& cells) {
    return 2 * (cells.lanes() + 1) * static_cast<int>(sizeof(Value) / 4 + 1);
  }

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const std::int32_t lanes = cells.lanes();
    // Steps in scratch are one longer than the group, so that the entries of a lane are in different banks.
    const std::int32_t line = lanes + 1;
    const std::int32_t at_once =
        (team.scratch_words() - lanes) / (line * static_cast<std::int32_t>(sizeof(Value) / 4 + 1));
    Value* const step_values = reinterpret_cast<Value*>(team.scratch());
    std::uint32_t* const step_index = reinterpret_cast<std::uint32_t*>(step_values + at_once * line);
    std::int32_t* const written =
        reinterpret_cast<std::int32_t*>(step_index + at_once * line);  // of each lane
    for (std::int32_t lane = team.rank(); lane < lanes; lane += team.size()) written[lane] = 0;
    const std::int32_t abreast = team.size() < lanes ? 1 : team.size() / lanes;  // threads of one lane
    const std::int32_t steps = static_cast<std::int32_t>(tile_offsets[tile + 1] - tile_offsets[tile]);
    for (std::int32_t first = 0; first < steps; first += at_once) {
      const std::int32_t count = steps - first < at_once ? steps - first : at_once;
      for (std::int32_t i = team.rank(); i < count * line; i += team.size()) {
        step_values[i] = 0;
        step_index[i] = padding;
      }
      team.sync();
      for (std::int32_t lane = team.rank() / abreast; lane < lanes; lane += team.size() / abreast) {
        // A lane takes its entries nearly in order: what it has left begins less than a view before as many
        // as are written, and reaches no further than a view past as many as there are steps now.
        const std::int64_t list = (tile << cells.lane_bits) + lane;
        const std::int32_t before = written[lane] - lane_view::size,
                           after = written[lane] + count + lane_view::size;
        const std::int32_t end = after < lane_counts[list] ? after : lane_counts[list];
        team.sync();
        std::int32_t own = 0;
        load_ahead(
            lane_starts[list] + (before < 0 ? 0 : before) + team.rank() % abreast, lane_starts[list] + end,
            abreast,
            [&](std::int64_t entry) {
              return laid_out_entry{step_of_entry[entry] - first, keys[entry], values[entry]};
            },
            [&](std::int64_t, const laid_out_entry& entry) {
              if (entry.step < 0 || entry.step >= count) return;
              step_values[entry.step * line + lane] = entry.value;
              step_index[entry.step * line + lane] =
                  cells.combined(entry.key, static_cast<std::uint32_t>(lane));
              ++own;
            });
        team.add(written + lane, own);
      }
      team.sync();
      const std::int64_t to = (std::int64_t{tile_offsets[tile]} + first) * lanes;
      for (std::int32_t i = team.rank(); i < count * lanes; i += team.size()) {
        const std::int32_t at = (i >> cells.lane_bits) * line + (i & (lanes - 1));
        out_values[to + i] = step_values[at];
        out_index.set(to + i, step_index[at]);
      }
      team.sync();
    }
  }

 private:
  struct laid_out_entry {
    std::int32_t step;
    std::uint32_t key;
    Value value;
  };
};

// The least number of steps a tile can have: its longest lane, or its fullest column.
struct bound_steps_body {
  tile_cells cells;
  const std::int64_t* lane_starts;
  const std::int32_t* lane_counts;
  const std::uint32_t* keys;
  std::int32_t* least_steps;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const std::int32_t width = static_cast<std::int32_t>(cells.width());
    std::int32_t* const counters = reinterpret_cast<std::int32_t*>(team.scratch());
    for (std::int32_t i = team.rank(); i < width; i += team.size()) counters[i] = 0;
    team.sync();
    std::int32_t most = 0;
    for (std::int32_t lane = 0; lane < cells.lanes(); ++lane) {
      const std::int64_t list = (tile << cells.lane_bits) + lane;
      most = lane_counts[list] > most ? lane_counts[list] : most;
      for (std::int32_t i = team.rank(); i < lane_counts[list]; i += team.size())
        team.add(counters + cells.col_of(keys[lane_starts[list] + i], static_cast<std::uint32_t>(lane)), 1);
    }
    team.sync();
    for (std::int32_t i = team.rank(); i < width; i += team.size())
      most = counters[i] > most ? counters[i] : most;
    most = team.largest(most);
    if (team.rank() == 0) least_steps[tile] = most;
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
    Backend on, csr<Offset, Value, view_on<Backend>> matrix, renumbering wanted, bool with_values) {
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
  out.values = array<Value, space>(with_values ? entries : 0);
  const auto rows_of_entries = expand_offsets(on, out.row_offsets.data(), rows, entries);
  const std::int32_t* const row = rows_of_entries.data();
  const Offset* const out_offsets = out.row_offsets.data();
  std::int32_t* const out_cols = out.col_indices.data();
  Value* const out_values = out.values.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    const std::int64_t from = offsets[row_order[row[e]]] + (e - out_offsets[row[e]]);
    out_cols[e] = new_col[old_cols[from]];
    if (with_values) out_values[e] = values[from];
  });
  return result;
}

// The entries of every tile worth storing, lane by lane and not yet sorted, and what is left over.
template <class Value, class Space>
struct tile_entries {
  tile_cells cells{0, 0, 1};
  int index_bits = 0;
  bool renumbered = false;
  array<std::int32_t, Space> row_order, col_order;
  array<std::int32_t, Space> tile_rows, tile_cols;
  array<std::int32_t, Space> lane_counts;  // group_size a tile
  array<std::int64_t, Space> lane_starts;  // and one more; multiples of 8
  array<std::uint32_t, Space> keys;
  array<Value, Space> values;
  std::int64_t rest_entries = 0;
  coo<Value, Space> rest;  // empty where only the structure is wanted
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
                                                  std::int32_t group_size, CountTiles count_tiles) {
  constexpr std::int64_t enough = 6000;
  std::int32_t side = tile_unit;
  while (side * 2 / group_size * (side * 2) <= 32768 && entries < enough * count_tiles(side)) side *= 2;
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
tile_entries<Value, space_on<Backend>> gather_tiles(Backend on, csr<Offset, Value, view_on<Backend>> source,
                                                    const tile_options& options, bool with_values,
                                                    stage_log* log) {
  using space = space_on<Backend>;
  require_tile_options(options);
  const std::int64_t entries = source.values.size(), value_bytes = sizeof(Value);
  std::optional<renumbered_matrix<Offset, Value, space>> renumbered;
  {
    timed_stage timing(on, log, "renumber", entries, entries * 4);
    renumbered = renumber(on, source, options.renumber, with_values);
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
    for_each_team(on, piece_count, work,
                  walk_pieces<Offset, count_block_action<Offset>>{
                      pieces, cell, cols, nullptr, nullptr, {counts.data()}});
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
                      nullptr,
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
  tile_entries<Value, space> result;
  array<std::int32_t, space> tile_of_cell(cell_count);
  std::int64_t rest = 0;
  {
    timed_stage timing(on, log, "join cells", cell_count, cell_count * 16);
    auto [height, width] = std::pair(options.height, options.width);
    if (height == 0)
      std::tie(height, width) = choose_tile(
          matrix.rows, matrix.cols, entries, options.group_size, [&](std::int32_t side) -> std::int64_t {
            const block_lines<Backend, Offset> lines(on, cell_matrix,
                                                     block_shape(side / tile_unit, side / tile_unit), false);
            return read_one(on, count_blocks(on, lines).data() + lines.count);
          });
    result.cells = tile_cells(height, width, options.group_size);
    result.index_bits = tile_index_bits(result.cells, options.index_bits);
    const block_lines<Backend, Offset> lines(on, cell_matrix,
                                             block_shape(height / tile_unit, width / tile_unit), false);
    const auto first_tiles = count_blocks(on, lines);
    const std::int64_t tiles = read_one(on, first_tiles.data() + lines.count);
    if (tiles > std::numeric_limits<std::int32_t>::max())
      throw error(failure::resources, "more tiles than 32-bit numbers can count; take larger tiles");
    array<std::int32_t, space> tile_rows(tiles), tile_cols(tiles), tile_counts(tiles);
    fill(on, tile_counts, std::int32_t{0});
    walk_blocks(on, lines, first_tiles.data(),
                without_finish<join_cells_action>{{lines.shape, cell_cols.data(), cell_counts.data(),
                                                   tile_rows.data(), tile_cols.data(), tile_counts.data(),
                                                   tile_of_cell.data()}});
    // Only those with enough entries are kept, and numbered again.
    const std::int32_t least = options.rest_below;
    const std::int32_t* const counts = tile_counts.data();
    const auto numbers = offsets_from_lengths<std::int32_t>(
        on, tiles, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return counts[t] >= least ? 1 : 0; });
    rest = reduce(
        on, tiles, std::int64_t{0},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
          return std::int64_t{counts[t] >= least ? 0 : counts[t]};
        },
        sum_of<std::int64_t>{});
    const std::int64_t kept = read_one(on, numbers.data() + tiles);
    result.tile_rows = array<std::int32_t, space>(kept);
    result.tile_cols = array<std::int32_t, space>(kept);
    const std::int32_t* const number = numbers.data();
    const std::int32_t* const all_rows = tile_rows.data();
    const std::int32_t* const all_cols = tile_cols.data();
    std::int32_t* const kept_rows = result.tile_rows.data();
    std::int32_t* const kept_cols = result.tile_cols.data();
    for_each_index(on, tiles, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
      if (counts[t] < least) return;
      kept_rows[number[t]] = all_rows[t];
      kept_cols[number[t]] = all_cols[t];
    });
    std::int32_t* const tile = tile_of_cell.data();
    for_each_index(on, cell_count, [=] SPARSMITH_HOST_DEVICE(std::int64_t c) {
      tile[c] = counts[tile[c]] >= least ? number[tile[c]] : -1;
    });
  }

  // Lanes: counted, then filled.
  const std::int64_t lists = result.tile_rows.size() << result.cells.lane_bits;
  array<std::uint8_t, space> is_rest(rest > 0 && with_values ? entries : 0);
  result.lane_counts = array<std::int32_t, space>(lists);
  const lane_lists<Offset> lanes{pieces.row_offsets, cols, result.cells, tile_of_cell.data(),
                                 result.lane_counts.data()};
  const auto walk = [&](auto action) {
    fill(on, result.lane_counts, std::int32_t{0});
    for_each_team(on, piece_count, piece_count == 0 ? 0 : entries / piece_count,
                  walk_pieces<Offset, without_finish<decltype(action)>>{
                      pieces, cell, cols, first_cells.data(), cell_cols.data(), {action}});
  };
  {
    timed_stage timing(on, log, "count lanes", entries, entries * 4);
    walk(count_lanes_action<Offset>{lanes});
    const std::int32_t* const counts = result.lane_counts.data();
    result.lane_starts =
        offsets_from_lengths<std::int64_t>(on, lists, [=] SPARSMITH_HOST_DEVICE(std::int64_t l) {
          return (std::int64_t{counts[l]} + lane_view::run - 1) / lane_view::run * lane_view::run;
        });
  }
  {
    timed_stage timing(on, log, "fill lanes", entries, entries * (8 + 2 * value_bytes));
    const std::int64_t room = read_one(on, result.lane_starts.data() + lists);
    result.keys = array<std::uint32_t, space>(room);
    result.values = array<Value, space>(with_values ? room : 0);
    if (room + is_rest.size() > 0)
      walk(fill_lanes_action<Offset, Value>{lanes, matrix.values.data(), result.lane_starts.data(),
                                            result.keys.data(), result.values.data(), is_rest.data()});
  }
  result.rest_entries = rest;
  result.rest = empty_list<Value, space>(matrix.rows, matrix.cols, with_values ? rest : 0);
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
    result.renumbered = true;
    result.row_order = std::move(renumbered->row_order);
    result.col_order = std::move(renumbered->col_order);
  }
  return result;
}

template <class Backend, class Offset, class Value>
tile_price price_tiles(Backend on, csr<Offset, Value, view_on<Backend>> matrix, const tile_options& options) {
  const auto gathered = gather_tiles(on, matrix, options, false, nullptr);
  const std::int64_t tiles = gathered.tile_rows.size();
  array<std::int32_t, space_on<Backend>> least_steps(tiles);
  for_each_warp(on, tiles, lay_out_body::scratch_words(gathered.cells),
                bound_steps_body{gathered.cells, gathered.lane_starts.data(), gathered.lane_counts.data(),
                                 gathered.keys.data(), least_steps.data()});
  const std::int32_t* const steps = least_steps.data();
  tile_price price;
  price.height = 1 << (gathered.cells.lane_bits + gathered.cells.line_bits);
  price.width = 1 << gathered.cells.width_bits;
  price.index_bits = gathered.index_bits;
  price.renumbered = gathered.renumbered;
  price.tiles = tiles;
  price.least_steps = reduce(
      on, tiles, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return std::int64_t{steps[t]}; }, sum_of<std::int64_t>{});
  price.rest = gathered.rest_entries;
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
  const std::int64_t tiles = gathered.tile_rows.size(), lists = tiles << cells.lane_bits;
  const std::int64_t room = gathered.keys.size();

  gcsb_tile<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.tile_height = 1 << (cells.lane_bits + cells.line_bits);
  result.tile_width = 1 << cells.width_bits;
  result.group_size = options.group_size;
  result.renumbered = gathered.renumbered ? 1 : 0;
  result.rest_below = options.rest_below;
  result.row_order = std::move(gathered.row_order);
  result.col_order = std::move(gathered.col_order);
  result.rest_row_indices = std::move(gathered.rest.row_indices);
  result.rest_col_indices = std::move(gathered.rest.col_indices);
  result.rest_values = std::move(gathered.rest.values);

  const std::int64_t* const lane_starts = gathered.lane_starts.data();
  const std::int32_t* const lane_counts = gathered.lane_counts.data();
  array<std::uint32_t, space> keys(room);
  array<Value, space> values(room);
  {
    timed_stage timing(on, log, "sort lanes", entries, entries * (8 + 2 * value_bytes));
    for_each_team(on, lists, lists == 0 ? 0 : room / lists,
                  sort_lane_body<Value>{cells.key_bits(), lane_starts, lane_counts, gathered.keys.data(),
                                        gathered.values.data(), keys.data(), values.data()});
    gathered.keys = {};
    gathered.values = {};
  }
  array<std::int32_t, space> step_of_entry(room), steps_of_tile(tiles);
  {
    timed_stage timing(on, log, "lay out steps", entries, entries * 8);
    for_each_warp(on, tiles, lay_out_body::scratch_words(cells),
                  lay_out_body{cells, lane_starts, lane_counts, keys.data(), step_of_entry.data(),
                               steps_of_tile.data()});
    result.tile_offsets = offsets_from_counts<Offset>(on, steps_of_tile);
  }
  timed_stage timing(on, log, "write steps", entries, entries * (14 + 2 * value_bytes));
  const std::int64_t slots = std::int64_t{read_one(on, result.tile_offsets.data() + tiles)}
                             << cells.lane_bits;
  require_fill("gcsb layout tile", slots + result.rest_values.size(), entries, max_fill);
  const int bits = gathered.index_bits;
  combined_indices<space> index(slots, bits);
  result.values = array<Value, space>(slots);
  for_each_team(on, tiles, tiles == 0 ? 0 : room / tiles,
                write_steps_body<Offset, Value>{cells, tile_padding(bits), lane_starts, lane_counts,
                                                result.tile_offsets.data(), keys.data(), values.data(),
                                                step_of_entry.data(), index.writer(), result.values.data()},
                write_steps_body<Offset, Value>::least_words(cells));
  result.combined16 = std::move(index.narrow);
  result.combined32 = std::move(index.wide);
  array<std::int32_t, space> numbers(tiles);
  std::int32_t* const number = numbers.data();
  for_each_index(on, tiles,
                 [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { number[t] = static_cast<std::int32_t>(t); });
  result.tiles_by_column = sort_entries<std::int32_t>(on, gathered.tile_cols, gathered.tile_rows, numbers,
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
