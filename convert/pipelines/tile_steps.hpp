// From CSR to GCSB's layout `tile`, last part: a warp a section of a tile decides which entry
// goes into which step, and a team a tile writes the steps. Nothing here knows the offsets' type.
#pragma once

#include "convert/formats/block_index.hpp"
#include "convert/pipelines/load_ahead.hpp"
#include "convert/pipelines/row_range.hpp"
#include "convert/pipelines/tile_lanes.hpp"

namespace sparsmith {

// Tiles are laid out in sections, whose steps follow one another: a full tile would be one warp's work for a
// long time. Every lane gives each section the same share of its entries, so that the lanes of a section are
// as even as those of the tile.
struct tile_sections {
  // A lane has no more in a section: places of the entries in it are bytes, and so are counts.
  static constexpr std::int32_t most_entries = 255;

  tile_cells cells;
  std::int64_t tiles;
  const std::int64_t* lane_starts;
  const std::int32_t* lane_counts;
  const std::int32_t* first_sections;  // of every tile, and the total

  // How many sections there are, and the most entries that a lane has in one.
  struct extent {
    std::int32_t number = 0, longest = 0;
    SPARSMITH_HOST_DEVICE extent operator+(const extent& other) const {
      return {number + other.number, longest > other.longest ? longest : other.longest};
    }
  };
  SPARSMITH_HOST_DEVICE extent of_tile(std::int64_t tile) const {
    std::int32_t longest = 1;
    for (std::int32_t lane = 0; lane < cells.lanes(); ++lane) {
      const std::int32_t count = lane_counts[(tile << cells.lane_bits) + lane];
      longest = count > longest ? count : longest;
    }
    const std::int32_t number = (longest + most_entries - 1) / most_entries;
    return {number, (longest + number - 1) / number};
  }

  struct section {
    std::int64_t tile;
    std::int32_t number, of;
  };
  SPARSMITH_HOST_DEVICE section find(std::int64_t number) const {
    const std::int64_t tile = row_of_entry(first_sections, 0, tiles, number);
    return {tile, static_cast<std::int32_t>(number - first_sections[tile]),
            first_sections[tile + 1] - first_sections[tile]};
  }
  struct part {
    std::int64_t start;
    std::int32_t count;
  };
  // What a lane has in the section.
  SPARSMITH_HOST_DEVICE part of_lane(const section& own, std::int32_t lane) const {
    const std::int64_t list = (own.tile << cells.lane_bits) + lane;
    const std::int64_t count = lane_counts[list], first = count * own.number / own.of;
    return {lane_starts[list] + first, static_cast<std::int32_t>(count * (own.number + 1) / own.of - first)};
  }
};

// These numbers are part of the rule below: with others the same matrix gets another layout.
struct layout_tuning {
  static constexpr int bank_rounds = 2;
  static constexpr std::int32_t nearly = 4;  // entries fewer than the most, with which a lane is urgent
};

// Lays one section out: says for every lane which of its entries come in which steps, and how many steps
// there are.
//
// The rule of the steps. The banks of a section are the columns modulo the group size, and a lane has its
// entries in its banks, to be taken from the last to the first. Urgent are the lanes that have nearly as many
// entries left as any: only they decide how many steps there are. In a step, two rounds: every lane without
// an entry proposes a bank that nobody has, the next one from lane + step on, upwards and around, so that
// lanes with entries on the same diagonals propose different ones. Of the lanes that propose the same, an
// urgent one has it, and of those the first in turn. After that one round more for urgent lanes without an
// entry: each proposes, of the entries its banks offer, the first in the same order whose column nobody has,
// and again the first in turn has a column. In step s the lane first in turn is s mod group size, and the
// others follow it upwards and around.
struct lay_out_body {
  static constexpr int bank_bits = 5;  // of the number of a bank

  tile_sections sections;
  // The most entries of a lane in any section; their scratch decides how many sections are laid out at once.
  std::int32_t longest;
  const std::uint32_t* keys;
  std::int32_t* placements;  // of every lane in the order of its steps: step << 8 | place among its entries
  std::int32_t* steps_of_section;

  static int scratch_words(std::int32_t longest) { return (head_bytes + longest * 32) / 4 + 32; }

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t number) const {
    const auto own = sections.find(number);
    lane_state lanes[32 / Team::threads];
    scratch memory(team.scratch(), longest);
    for (int h = 0; h < 32 / Team::threads; ++h) {
      const std::int32_t lane = team.rank() + h * Team::threads;
      if (lane < sections.cells.lanes()) open(lanes[h], sections.of_lane(own, lane), lane, memory);
    }
    std::int32_t step = 0, most = 0;
    for (const lane_state& lane : lanes) most = lane.left > most ? lane.left : most;
    most = team.largest(most);
    for (; most > 0; ++step) {
      lay_out_step(team, step, most, lanes, memory);
      // It falls by one where every lane that has the most gives an entry.
      std::uint32_t still = 0;
      for (int h = 0; h < 32 / Team::threads; ++h)
        if (lanes[h].left == most) still |= 1u << (team.rank() + h * Team::threads);
      if (team.any_own_bits(still) == 0) --most;
    }
    if (team.rank() == 0) steps_of_section[number] = step;
  }

 private:
  static constexpr int head_bytes = 32 * 32;
  static constexpr std::uint8_t none = 255;
  static_assert(tile_sections::most_entries <= none);

  // What a thread keeps of a lane.
  struct lane_state {
    std::int64_t start = 0;  // of its entries in the section
    std::int32_t count = 0, left = 0;
    std::uint32_t banks = 0;      // bit b: an entry that is left has bank b
    std::int32_t recent[3] = {};  // placements, the last one last
  };
  struct scratch {
    // By bank and lane: the last entry that is left, or none; and for every entry the one before it in its
    // bank, or none, each number of all lanes together.
    std::uint8_t* heads;
    std::uint8_t* previous;
    std::int32_t* columns;  // that the step takes in each bank
    std::uint32_t* seen;    // what a team of one thread compares lanes with; 0 at first

    SPARSMITH_HOST_DEVICE scratch(std::uint32_t* words, std::int32_t longest)
        : heads(reinterpret_cast<std::uint8_t*>(words)),
          previous(heads + head_bytes),
          columns(reinterpret_cast<std::int32_t*>(previous + longest * 32)),
          seen(reinterpret_cast<std::uint32_t*>(columns) + 32) {}
  };

  struct key_run {
    std::uint32_t keys[tile_run];
  };
  // Keys from a multiple of tile_run on.
  SPARSMITH_HOST_DEVICE static key_run load_run(const std::uint32_t* from) {
    key_run run;
#ifdef __CUDA_ARCH__
    const uint4 low = *reinterpret_cast<const uint4*>(from), high = *reinterpret_cast<const uint4*>(from + 4);
    run.keys[0] = low.x, run.keys[1] = low.y, run.keys[2] = low.z, run.keys[3] = low.w;
    run.keys[4] = high.x, run.keys[5] = high.y, run.keys[6] = high.z, run.keys[7] = high.w;
#else
    for (int j = 0; j < tile_run; ++j) run.keys[j] = from[j];
#endif
    return run;
  }
  // f(number of the entry, its bank) for all entries of a part, whose keys are loaded a run at a time and
  // while the run before is worked on.
  template <class Function>
  SPARSMITH_HOST_DEVICE void for_each_bank(const tile_sections::part& part, std::int32_t lane,
                                           Function f) const {
    if (part.count == 0) return;
    const auto before = static_cast<std::int32_t>(part.start % tile_run);  // in the first run
    key_run next = load_run(keys + part.start - before);
    for (std::int32_t i = -before; i < part.count; i += tile_run) {
      const key_run run = next;
      if (i + tile_run < part.count) next = load_run(keys + part.start + i + tile_run);
      for (int j = 0; j < tile_run; ++j)
        if (i + j >= 0 && i + j < part.count)
          f(i + j,
            static_cast<std::int32_t>(sections.cells.bank_of(run.keys[j], static_cast<std::uint32_t>(lane))));
    }
  }

  SPARSMITH_HOST_DEVICE void open(lane_state& own, const tile_sections::part& part, std::int32_t lane,
                                  const scratch& memory) const {
    own.start = part.start;
    own.count = own.left = part.count;
    for (std::int32_t bank = 0; bank < sections.cells.lanes(); ++bank) memory.heads[bank * 32 + lane] = none;
    for_each_bank(part, lane, [&](std::int32_t i, std::int32_t bank) {
      std::uint8_t& head = memory.heads[bank * 32 + lane];
      memory.previous[i * 32 + lane] = head;
      head = static_cast<std::uint8_t>(i);
      own.banks |= 1u << bank;
    });
  }

  // The next of these banks from `first` on, upwards and around, or -1.
  SPARSMITH_HOST_DEVICE static std::int32_t next_bank(std::uint32_t banks, std::uint32_t first) {
    if (banks == 0) return -1;
    const std::uint32_t turned = banks >> first | banks << ((32 - first) & 31);
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(lowest_bit(turned)) + first) & 31);
  }
  // The last entry that the lane has left in the bank.
  SPARSMITH_HOST_DEVICE std::int32_t offered(std::int32_t bank, std::int32_t lane,
                                             const scratch& memory) const {
    return memory.heads[bank * 32 + lane];
  }
  SPARSMITH_HOST_DEVICE std::int32_t column_of(const lane_state& own, std::int32_t position,
                                               std::int32_t lane) const {
    return static_cast<std::int32_t>(
        sections.cells.col_of(keys[own.start + position], static_cast<std::uint32_t>(lane)));
  }
  // Takes the entry that the bank offers and returns its position.
  SPARSMITH_HOST_DEVICE std::int32_t take(lane_state& own, std::int32_t bank, std::int32_t lane,
                                          std::int32_t step, const scratch& memory) const {
    const std::int32_t position = offered(bank, lane, memory);
    const std::uint8_t head = memory.previous[position * 32 + lane];
    memory.heads[bank * 32 + lane] = head;
    if (head == none) own.banks &= ~(1u << bank);
    --own.left;
    write(own, own.start + (own.count - own.left) - 1, step << 8 | position);
    return position;
  }
  // Placements leave four at a time: a store of one each costs a warp as many turns as it has lanes.
  SPARSMITH_HOST_DEVICE void write(lane_state& own, std::int64_t at, std::int32_t placement) const {
    const bool fourth = at % 4 == 3;
    if (fourth && at - 3 >= own.start) {
#ifdef __CUDA_ARCH__
      *reinterpret_cast<int4*>(placements + at - 3) =
          int4{own.recent[0], own.recent[1], own.recent[2], placement};
#else
      for (int i = 0; i < 3; ++i) placements[at - 3 + i] = own.recent[i];
      placements[at] = placement;
#endif
    } else if (fourth || own.left == 0) {  // the ends of a part
      placements[at] = placement;
      if (at % 4 >= 1 && at - 1 >= own.start) placements[at - 1] = own.recent[2];
      if (at % 4 >= 2 && at - 2 >= own.start) placements[at - 2] = own.recent[1];
    }
    own.recent[0] = own.recent[1];
    own.recent[1] = own.recent[2];
    own.recent[2] = placement;
  }

  // `most` is what the lane with the most entries has left.
  template <class Team, int own_lanes>
  SPARSMITH_HOST_DEVICE void lay_out_step(const Team& team, std::int32_t step, std::int32_t most,
                                          lane_state (&lanes)[own_lanes], const scratch& memory) const {
    const auto lane_of = [&](int h) { return team.rank() + h * Team::threads; };
    const auto waits = [&](std::uint32_t mask, int h) { return (mask >> lane_of(h) & 1) != 0; };
    const std::uint32_t in_group = static_cast<std::uint32_t>(sections.cells.lanes()) - 1;
    const auto first_bank = [&](int h) { return static_cast<std::uint32_t>(lane_of(h) + step) & in_group; };
    const std::int32_t first = step & static_cast<std::int32_t>(in_group);

    std::uint32_t waiting = 0, own_urgent = 0;  // this thread's lanes without an entry, and those in a hurry
    std::int32_t wanted[own_lanes], placed[own_lanes], banks[own_lanes];
    for (int h = 0; h < own_lanes; ++h) {
      placed[h] = -1;
      banks[h] = 0;
      if (lanes[h].left > 0) waiting |= 1u << lane_of(h);
      if (lanes[h].left > 0 && lanes[h].left + layout_tuning::nearly >= most) own_urgent |= 1u << lane_of(h);
    }
    const std::uint32_t urgent = team.any_own_bits(own_urgent);
    std::uint32_t taken = 0, still_waiting = ~0u;
    for (int round = 0; round < layout_tuning::bank_rounds && still_waiting != 0; ++round) {
      std::uint32_t own_wanting = 0, own_banks = 0;
      for (int h = 0; h < own_lanes; ++h) {
        wanted[h] = waits(waiting, h) ? next_bank(lanes[h].banks & ~taken, first_bank(h)) : -1;
        if (wanted[h] < 0) continue;
        own_wanting |= 1u << lane_of(h);
        own_banks |= 1u << wanted[h];
      }
      // Mostly no two lanes want the same bank, and nobody need be compared.
      const std::uint32_t wanting = team.any_own_bits(own_wanting), won_banks = team.any_bits(own_banks);
      const std::uint32_t won = count_bits(wanting) == count_bits(won_banks)
                                    ? own_wanting
                                    : team.winners(wanted, bank_bits, urgent, first, memory.seen);
      for (int h = 0; h < own_lanes; ++h) {
        if (!waits(won, h)) continue;
        banks[h] = wanted[h];
        placed[h] = take(lanes[h], wanted[h], lane_of(h), step, memory);
      }
      waiting &= ~won;
      taken |= won_banks;
      still_waiting = team.any_own_bits(waiting);
    }
    if ((still_waiting & urgent) == 0) return;

    // The columns of what is placed, and of what the lanes would propose first: keys that are loaded
    // together.
    std::int32_t column[own_lanes];
    for (int h = 0; h < own_lanes; ++h) {
      const bool proposes = waits(waiting & urgent, h);
      if (proposes) banks[h] = next_bank(lanes[h].banks, first_bank(h));
      const std::int32_t position = proposes ? offered(banks[h], lane_of(h), memory) : placed[h];
      column[h] = position < 0 ? -1 : column_of(lanes[h], position, lane_of(h));
    }
    for (int h = 0; h < own_lanes; ++h)
      if (placed[h] >= 0) memory.columns[banks[h]] = column[h];
    team.sync();
    for (int h = 0; h < own_lanes; ++h) {
      wanted[h] = -1;
      if (!waits(waiting & urgent, h)) continue;
      wanted[h] = column[h];
      for (std::uint32_t untried = lanes[h].banks;
           (taken >> banks[h] & 1) != 0 && memory.columns[banks[h]] == wanted[h];) {
        untried &= ~(1u << banks[h]);
        wanted[h] = -1;
        if (untried == 0) break;
        banks[h] = next_bank(untried, first_bank(h));
        wanted[h] = column_of(lanes[h], offered(banks[h], lane_of(h), memory), lane_of(h));
      }
    }
    const std::uint32_t won = team.winners(wanted, sections.cells.width_bits, urgent, first, memory.seen);
    for (int h = 0; h < own_lanes; ++h)
      if (waits(won, h)) take(lanes[h], banks[h], lane_of(h), step, memory);
    team.sync();
  }
};

// Writes the steps of one tile, some at a time, so that they leave in one piece.
template <class Value>
struct write_steps_body {
  static constexpr std::uint32_t no_entry = ~0u;

  tile_sections sections;
  const std::int64_t* first_steps;   // of every section, those of the ones before it counted too
  const std::int64_t* tile_offsets;  // as the steps are stored
  const std::uint32_t* keys;
  const Value* values;
  const std::int32_t* placements;  // of lay_out_body
  index_writer out_index;
  Value* out_values;

  static int least_words(const tile_cells& cells) {
    return tile_cells::steps_together * (cells.lanes() + 1) * static_cast<int>(sizeof(Value) / 4 + 1) +
           cells.lanes();
  }

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const tile_cells& cells = sections.cells;
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
    const std::int32_t first_section = sections.first_sections[tile];
    const std::int32_t of = sections.first_sections[tile + 1] - first_section;
    const auto start_of = [&](std::int32_t section) {
      return static_cast<std::int32_t>(first_steps[first_section + section] - first_steps[first_section]);
    };
    std::int32_t section = 0;  // the first that is not written to its end
    for (std::int32_t first = 0; first < steps; first += at_once) {
      const std::int32_t count = steps - first < at_once ? steps - first : at_once;
      for (std::int32_t i = team.rank(); i < count * line; i += team.size()) {
        step_values[i] = 0;
        step_index[i] = no_entry;
      }
      while (section < of) {
        team.sync();
        const std::int32_t start = start_of(section) - first, end = start_of(section + 1) - first;
        const std::int32_t most = start > 0 ? count - start : count;  // entries of a lane that can be due
        for (std::int32_t lane = team.rank() / abreast; lane < lanes; lane += team.size() / abreast) {
          // The placements of a lane are in the order of their steps.
          const auto part = sections.of_lane({tile, section, of}, lane);
          const std::int64_t before = sections.lane_starts[(tile << cells.lane_bits) + lane] + written[lane];
          const std::int64_t part_end = part.start + part.count;
          team.sync();
          std::int32_t own = 0;
          load_ahead(
              before + team.rank() % abreast, before + most < part_end ? before + most : part_end, abreast,
              [&](std::int64_t i) {
                const std::int32_t placement = placements[i];
                const std::int64_t from = part.start + (placement & 255);
                return laid_out_entry{start + (placement >> 8), keys[from], values[from]};
              },
              [&](std::int64_t, const laid_out_entry& entry) {
                if (entry.step >= count) return;
                step_values[entry.step * line + lane] = entry.value;
                step_index[entry.step * line + lane] =
                    cells.combined(entry.key, static_cast<std::uint32_t>(lane));
                ++own;
              });
          team.add(written + lane, own);
        }
        if (end <= count) ++section;
        if (end >= count) break;
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
    const tile_cells& cells = sections.cells;
    std::uint32_t used = 0, empty = 0;
    for (std::int32_t lane = 0; lane < cells.lanes(); ++lane)
      if (step_index[lane] != no_entry)
        used |= 1u << cells.lane_of(step_index[lane]);
      else
        empty |= 1u << lane;
    for (; empty != 0; empty &= empty - 1) {
      const auto bank = static_cast<std::uint32_t>(lowest_bit(~used));
      step_index[lowest_bit(empty)] = cells.padding(bank);
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
