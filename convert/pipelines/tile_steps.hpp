// The second half of the way from CSR to GCSB's layout `tile`: the entries of each lane are sorted by key,
// one warp a tile decides which entry goes into which step, and the steps are written. Nothing here knows the
// offsets' type.
#pragma once

#include "convert/formats/block_index.hpp"
#include "convert/pipelines/tile_gather.hpp"

namespace sparsmith {

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
  static constexpr int size = 24, run = tile_run;

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
// bank the one first in turn has it. After three such rounds one more: a lane still without an entry
// proposes the first of the first run it sees whose column nobody has, and again the first in turn has a
// column. In step s the lane first in turn is s mod group size, and the others follow it upwards and around.
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

    constexpr int own_lanes = 32 / Team::threads;  // of one thread
    lane_view view[own_lanes];
    for (int h = 0; h < own_lanes; ++h) {
      const int lane = team.rank() + h * Team::threads;
      if (lane >= cells.lanes()) continue;
      const std::int64_t list = (tile << cells.lane_bits) + lane;
      view[h].open(keys + lane_starts[list], lane_counts[list], static_cast<std::uint32_t>(lane), cells);
    }
    std::int32_t step = 0;
    while (lay_out_step(team, step, view, columns, seen)) ++step;
    if (team.rank() == 0) steps_of_tile[tile] = whole_steps(step);
  }

 private:
  // Returns whether there was anything left for the step.
  template <class Team, int own_lanes>
  SPARSMITH_HOST_DEVICE bool lay_out_step(const Team& team, std::int32_t step, lane_view (&view)[own_lanes],
                                          std::uint32_t* columns, std::uint32_t* seen) const {
    const auto lane_of = [&](int h) { return team.rank() + h * Team::threads; };
    const std::int32_t first = step & (cells.lanes() - 1);
    std::uint32_t waiting = 0;  // this thread's lanes without an entry
    std::uint32_t first_bank[own_lanes];
    std::int32_t wanted[own_lanes], placed[own_lanes];
    for (int h = 0; h < own_lanes; ++h) {
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
      for (int h = 0; h < own_lanes; ++h)
        wanted[h] = (waiting >> lane_of(h) & 1) != 0 ? view[h].free_bank(first_bank[h], taken) : -1;
      const std::uint32_t won = team.winners(wanted, first, seen);
      std::uint32_t won_banks = 0;
      for (int h = 0; h < own_lanes; ++h) {
        if ((won >> lane_of(h) & 1) == 0) continue;
        won_banks |= 1u << wanted[h];
        placed[h] = view[h].take_from_bank(wanted[h]);
      }
      waiting &= ~won;
      taken |= team.any_bits(won_banks);
    }
    if (count_bits(taken) < lanes) {
      const std::uint32_t stamp = static_cast<std::uint32_t>(step) + 1;
      for (int h = 0; h < own_lanes; ++h)
        if (placed[h] >= 0) columns[view[h].column_at(placed[h], cells)] = stamp;
      team.sync();
      for (int h = 0; h < own_lanes; ++h)
        wanted[h] = (waiting >> lane_of(h) & 1) != 0 ? view[h].free_column(columns, stamp, cells) : -1;
      const std::uint32_t won = team.winners(wanted, first, seen);
      for (int h = 0; h < own_lanes; ++h)
        if ((won >> lane_of(h) & 1) != 0) placed[h] = view[h].take_from_column(wanted[h], cells);
    }
    for (int h = 0; h < own_lanes; ++h) {
      if (placed[h] < 0) continue;
      step_of_entry[view[h].offset_from(keys) + placed[h]] = step;
      view[h].advance(cells);
    }
    return true;
  }
};

// Writes the steps of one tile, some at a time, so that they leave in one piece.
template <class Value>
struct write_steps_body {
  static constexpr std::uint32_t no_entry = ~0u;

  tile_cells cells;
  const std::int64_t* lane_starts;
  const std::int32_t* lane_counts;
  const std::int64_t* tile_offsets;
  const std::uint32_t* keys;
  const Value* values;
  const std::int32_t* step_of_entry;
  index_writer out_index;
  Value* out_values;

  static int least_words(const tile_cells& cells) {
    return tile_cells::steps_together * (cells.lanes() + 1) * static_cast<int>(sizeof(Value) / 4 + 1) +
           cells.lanes();
  }

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const std::int32_t lanes = cells.lanes();
    // Steps in scratch are one longer than the group, so that the entries of a lane are in different banks.
    const std::int32_t line = lanes + 1;
    constexpr std::int32_t together = tile_cells::steps_together;
    const std::int32_t at_once = (team.scratch_words() - lanes) /
                                 (line * static_cast<std::int32_t>(sizeof(Value) / 4 + 1)) / together *
                                 together;
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
        step_index[i] = no_entry;
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
      for (std::int32_t step = team.rank(); step < count; step += team.size())
        place_padding(step_index + step * line);
      team.sync();
      const std::int64_t to = (std::int64_t{tile_offsets[tile]} + first) * lanes;
      for (std::int32_t i = team.rank(); i < count * lanes; i += team.size()) {
        const auto at = static_cast<std::int32_t>(cells.step_of(i)) * line +
                        static_cast<std::int32_t>(cells.lane_of_slot(i));
        out_values[to + i] = step_values[at];
        out_index.set(to + i, step_index[at]);
      }
      team.sync();
    }
  }

 private:
  // The lanes of a step without an entry take the banks that it does not use, in order.
  SPARSMITH_HOST_DEVICE void place_padding(std::uint32_t* step_index) const {
    std::uint32_t used = 0;
    for (std::int32_t lane = 0; lane < cells.lanes(); ++lane)
      if (step_index[lane] != no_entry) used |= 1u << cells.lane_of(step_index[lane]);
    for (std::int32_t lane = 0; lane < cells.lanes(); ++lane) {
      if (step_index[lane] != no_entry) continue;
      const auto bank = static_cast<std::uint32_t>(lowest_bit(~used));
      step_index[lane] = cells.padding(bank);
      used |= 1u << bank;
    }
  }

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
    if (team.rank() == 0) least_steps[tile] = whole_steps(most);
  }
};

}  // namespace sparsmith
