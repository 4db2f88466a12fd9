// CSR to CSB, eCSB and GCSB and back. All three are CSB first: the blocks are listed and counted, every entry
// is put into its block in any order, and each block is then sorted by the cells' keys, which are distinct,
// so the result does not depend on who came first. GCSB swizzles and interleaves the blocks, eCSB spreads
// them over slots.
#pragma once

#include "convert/error.hpp"
#include "convert/formats/block_index.hpp"
#include "convert/pipelines/blocks.hpp"
#include "convert/pipelines/fill_limit.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

template <class Offset>
struct row_major_position {
  using type = Offset;
  std::int64_t blocks_per_row;  // of the whole matrix, empty ones included
  SPARSMITH_HOST_DEVICE Offset operator()(std::int64_t block_row, std::int32_t block_col) const {
    return static_cast<Offset>(block_row * blocks_per_row + block_col);
  }
};

template <class Offset, class Value>
struct scatter_block_action {
  const Offset* row_offsets;
  const std::int32_t* cols;
  const Value* values;
  block_divisor shape;
  block_cells cells;
  const Offset* entry_offsets;
  std::int32_t* placed;  // entries put into each block so far; 0 before
  bool counts_alone;     // nobody else puts entries into the blocks of this team's range
  std::uint32_t* keys;
  Value* out_values;

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t block,
                                        std::int32_t blocks, const Window& window) const {
    std::int32_t* const counters = counts_alone ? window.counters(blocks, placed + block) : placed + block;
    for_each_entry(team, range, row_offsets, cols, values,
                   [&](std::int64_t, std::int64_t row, const loaded_entry<Value>& entry) {
                     const std::int32_t block_col = shape.col_of(entry.col);
                     if (!window.holds(block_col)) return;
                     const std::int32_t rank = window.rank(block_col);
                     const std::int64_t to = entry_offsets[block + rank] + team.next(counters + rank);
                     keys[to] = cells.key(static_cast<std::uint32_t>(row),
                                          static_cast<std::uint32_t>(entry.col - block_col * shape.cols));
                     out_values[to] = entry.value;
                   });
    team.sync();
  }
};

// Sorts the entries of blocks by key and writes combined indices instead. Where most blocks have an entry or
// two, a team takes several: its threads sort the small ones each alone, and then the others together.
template <class Value>
struct sort_blocks_body {
  std::int64_t blocks, at_once;
  block_cells cells;
  offset_reader entry_offsets;
  const std::uint32_t* keys;
  const Value* values;
  index_writer out_index;
  Value* out_values;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t number) const {
    if (at_once == 1) {
      sort_together(team, number);
      return;
    }
    const std::int64_t end = (number + 1) * at_once < blocks ? (number + 1) * at_once : blocks;
    for (std::int64_t start = number * at_once; start < end; start += team.size()) {
      std::int32_t left_over = none;
      if (start + team.rank() < end && !sort_alone(start + team.rank())) left_over = team.rank();
      for (;;) {
        const std::int32_t next = team.smallest(left_over);
        if (next == none) break;
        sort_together(team, start + next);
        team.sync();
        if (next == team.rank()) left_over = none;
      }
    }
  }

  // How many blocks a team takes.
  static std::int64_t taken_at_once(std::int64_t blocks, std::int64_t entries) {
    return entries < few_entries * blocks ? 8 : 1;
  }

 private:
  static constexpr std::int32_t none = 0x7fffffff;
  static constexpr std::int64_t few_entries = 4;

  SPARSMITH_HOST_DEVICE void place(std::int64_t to, std::uint32_t key, Value value) const {
    out_index.set(to, cells.combined(key));
    out_values[to] = value;
  }
  template <class Team>
  SPARSMITH_HOST_DEVICE void sort_together(const Team& team, std::int64_t block) const {
    sort_by_key(team, keys, entry_offsets[block], entry_offsets[block + 1], 2 * cells.side_bits,
                [&](std::int64_t from, std::int64_t to) { place(to, keys[from], values[from]); });
  }
  // False, and nothing done, where the block is not small.
  SPARSMITH_HOST_DEVICE bool sort_alone(std::int64_t block) const {
    const std::int64_t first = entry_offsets[block], last = entry_offsets[block + 1];
    if (last - first > few_entries) return false;
    for (std::int64_t e = first; e < last; ++e) {
      const std::uint32_t key = keys[e];
      const Value value = values[e];  // on its way while the keys are compared
      std::int64_t to = first;
      for (std::int64_t other = first; other < last; ++other) to += keys[other] < key ? 1 : 0;
      place(to, key, value);
    }
    return true;
  }
};

inline int side_bits_of(std::int32_t beta) {
  return index_bits(beta);
}

// Row-major positions of blocks must fit the offset type.
template <class Offset>
void require_block_positions(std::int64_t block_rows, std::int64_t block_cols) {
  if (block_cols > 0 && block_rows > std::numeric_limits<Offset>::max() / block_cols)
    throw error(failure::resources, "too many blocks for 32-bit positions; use 64-bit offsets", "offsets");
}

inline int combined_bits(std::int32_t beta, int asked) {
  return asked != 0 ? asked : beta <= 256 ? 16 : 32;
}

template <class Offset, class Space>
struct block_list {
  array<Offset, Space> first_blocks;  // of every block row, and the total
  array<Offset, Space> positions;     // row-major, of every block that holds entries
  array<std::int32_t, Space> counts;  // its entries
};

template <class Backend, class Offset>
block_list<Offset, space_on<Backend>> list_blocks(Backend on, const block_lines<Backend, Offset>& lines,
                                                  std::int64_t blocks_per_row) {
  using space = space_on<Backend>;
  require_block_positions<Offset>(lines.count, blocks_per_row);
  block_list<Offset, space> list;
  list.first_blocks = count_blocks(on, lines);
  const std::int64_t blocks = read_one(on, list.first_blocks.data() + lines.count);
  list.positions = array<Offset, space>(blocks);
  list.counts = array<std::int32_t, space>(blocks);
  fill(on, list.counts, std::int32_t{0});
  walk_blocks(on, lines, list.first_blocks.data(),
              without_finish<list_block_action<row_major_position<Offset>>>{
                  {lines.cols, lines.shape, {blocks_per_row}, list.positions.data(), list.counts.data()}});
  return list;
}

template <class Backend, class Offset, class Value>
csb<Offset, Value, space_on<Backend>> csr_to_csb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 const block_options& options, stage_log* log) {
  using space = space_on<Backend>;
  require_options(options, format_kind::csb);
  const std::int32_t beta = options.beta;
  const std::int64_t entries = matrix.values.size();
  const std::int64_t value_bytes = sizeof(Value);
  const block_cells cells{side_bits_of(beta), options.order};
  csb<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.beta = beta;
  result.order = static_cast<std::int32_t>(options.order);
  result.dense_blocks = options.thesis ? 1 : 0;

  const block_lines<Backend, Offset> lines(on, pattern_of(matrix), block_divisor({beta, beta}));
  block_list<Offset, space> list;
  {
    timed_stage timing(on, log, "list blocks", entries, entries * 8);
    list = list_blocks(on, lines, groups_of(matrix.cols, beta));
  }
  const std::int64_t blocks = list.counts.size();
  auto entry_offsets = offsets_from_counts<Offset>(on, list.counts);
  array<std::uint32_t, space> keys(entries);
  array<Value, space> values(entries);
  {
    timed_stage timing(on, log, "scatter entries", entries, entries * (8 + 2 * value_bytes));
    fill(on, list.counts, std::int32_t{0});
    const std::int64_t blocks_per_row = groups_of(matrix.cols, beta);
    const auto scatter = [&](bool counts_alone) {
      return scatter_block_action<Offset, Value>{
          lines.row_offsets,    lines.cols,         matrix.values.data(), lines.shape, cells,
          entry_offsets.data(), list.counts.data(), counts_alone,         keys.data(), values.data()};
    };
    walk_listed_blocks(on, lines, list.first_blocks.data(), list.positions.data(), blocks_per_row,
                       scatter(true), scatter(false));
  }
  {
    timed_stage timing(on, log, "sort in blocks", entries, entries * (6 + 2 * value_bytes));
    const int bits = combined_bits(beta, options.thesis && options.index_bits == 0 ? 32 : options.index_bits);
    combined_indices<space> index(entries, bits);
    result.values = array<Value, space>(entries);
    const std::int64_t at_once = sort_blocks_body<Value>::taken_at_once(blocks, entries);
    // A warp is enough for a block of a few hundred entries, and needs no barriers.
    for_each_team(on, groups_of(blocks, at_once), blocks == 0 ? 0 : entries / blocks / 2,
                  sort_blocks_body<Value>{blocks, at_once, cells, offset_reader(entry_offsets.data()),
                                          keys.data(), values.data(), index.writer(), result.values.data()});
    result.combined16 = std::move(index.narrow);
    result.combined32 = std::move(index.wide);
  }
  if (!options.thesis) {
    result.block_offsets = std::move(entry_offsets);
    result.block_indices = std::move(list.positions);
    return result;
  }
  const std::int64_t all_blocks = groups_of(matrix.rows, beta) * groups_of(matrix.cols, beta);
  result.block_offsets = array<Offset, space>(all_blocks + 1);
  fill(on, result.block_offsets, Offset{0});
  const Offset* const sparse_offsets = entry_offsets.data();
  const Offset* const positions = list.positions.data();
  Offset* const offsets = result.block_offsets.data();
  for_each_index(on, blocks, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
    offsets[std::int64_t{positions[b]} + 1] = sparse_offsets[b + 1];
  });
  close_offset_gaps(on, result.block_offsets);
  return result;
}

// The entries of a list of (block position, combined index, value) as an unsorted COO list.
template <class Offset>
struct block_places {
  block_cells cells;
  std::int32_t beta;
  std::int64_t blocks_per_row;

  SPARSMITH_HOST_DEVICE std::int32_t row(Offset position, std::uint32_t index) const {
    return static_cast<std::int32_t>(position / blocks_per_row * beta + cells.row_of(index));
  }
  SPARSMITH_HOST_DEVICE std::int32_t col(Offset position, std::uint32_t index) const {
    return static_cast<std::int32_t>(position % blocks_per_row * beta + cells.col_of(index));
  }
};

template <class Offset, class Format>
block_places<Offset> places_of(const Format& matrix) {
  return {{side_bits_of(matrix.beta), static_cast<block_order>(matrix.order)},
          matrix.beta,
          groups_of(matrix.cols, matrix.beta)};
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> csb_to_csr(Backend on, csb<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log) {
  const std::int64_t entries = matrix.values.size(), blocks = matrix.block_offsets.size() - 1;
  auto list = empty_list<Value, space_on<Backend>>(matrix.rows, matrix.cols, entries);
  {
    timed_stage timing(on, log, "unpack csb", entries, bytes(matrix));
    const auto places = places_of<Offset>(matrix);
    const index_reader index{matrix.combined16.data(), matrix.combined32.data()};
    const Offset* const offsets = matrix.block_offsets.data();
    const Offset* const positions = matrix.dense_blocks != 0 ? nullptr : matrix.block_indices.data();
    const Value* const values = matrix.values.data();
    std::int32_t* const rows = list.row_indices.data();
    std::int32_t* const cols = list.col_indices.data();
    Value* const out = list.values.data();
    for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
      // Empty blocks share their offset with the next one; the search ends at the last of them, which holds
      // e.
      const std::int64_t b = row_of_entry(offsets, 0, blocks, e);
      const Offset position = positions == nullptr ? static_cast<Offset>(b) : positions[b];
      rows[e] = places.row(position, index[e]);
      cols[e] = places.col(position, index[e]);
      out[e] = values[e];
    });
  }
  return coo_to_csr<Backend, Offset, Value>(on, std::move(list), log);
}

// Writes the slots of one group.
template <class Value>
struct interleave_body {
  std::int64_t blocks;
  std::int32_t group_size;
  const std::int32_t* order;
  offset_reader block_offsets;
  offset_reader group_offsets;
  index_reader index;
  const Value* values;
  index_writer out_index;
  Value* out_values;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t group) const {
    const std::int64_t first = group_offsets[group];
    const std::int64_t longest = (group_offsets[group + 1] - first) / group_size;
    const std::int32_t line_words = (group_size + 1) * static_cast<std::int32_t>(sizeof(Value) / 4 + 1);
    const std::int32_t at_once = (team.scratch_words() - 3 * group_size) / line_words;
    if (Team::threads > 32 && longest >= 24 && at_once >= 16)
      transpose_in_scratch(team, group, first, longest, at_once);
    else
      copy_lanes(team, group, first, longest);
  }

 private:
  struct lane_entries {
    std::int64_t from;
    std::int32_t count;
  };
  SPARSMITH_HOST_DEVICE lane_entries entries_of(std::int64_t group, std::int32_t lane) const {
    const std::int64_t p = group * group_size + lane;
    if (p >= blocks) return {0, 0};
    const std::int64_t from = block_offsets[order[p]];
    return {from, static_cast<std::int32_t>(block_offsets[order[p] + std::int64_t{1}] - from)};
  }
  // A thread keeps to one lane while the team is wide enough, so its block is looked up once.
  template <class Team>
  SPARSMITH_HOST_DEVICE void copy_lanes(const Team& team, std::int64_t group, std::int64_t first,
                                        std::int64_t longest) const {
    const std::int32_t abreast = team.size() > group_size ? team.size() / group_size : 1;
    if (team.rank() >= abreast * group_size) return;
    for (std::int32_t lane = team.rank() % group_size; lane < group_size; lane += team.size()) {
      const lane_entries own = entries_of(group, lane);
      const std::uint32_t last_index = own.count == 0 ? 0 : index[own.from + own.count - 1];
      for (std::int64_t k = team.rank() / group_size % abreast; k < longest; k += abreast) {
        const std::int64_t slot = first + k * group_size + lane;
        out_index.set(slot, k < own.count ? index[own.from + k] : last_index);
        out_values[slot] = k < own.count ? values[own.from + k] : Value{0};
      }
    }
  }
  // Long blocks are read one after the other and transposed in scratch, so that both sides are in one
  // piece. Lines of scratch are one longer than the group: their columns are in different banks.
  template <class Team>
  SPARSMITH_HOST_DEVICE void transpose_in_scratch(const Team& team, std::int64_t group, std::int64_t first,
                                                  std::int64_t longest, std::int32_t at_once) const {
    const std::int32_t line = group_size + 1;
    Value* const scratch_values = reinterpret_cast<Value*>(team.scratch());
    std::uint32_t* const scratch_index = reinterpret_cast<std::uint32_t*>(scratch_values + at_once * line);
    std::uint32_t* const from_low = scratch_index + at_once * line;
    std::uint32_t* const from_high = from_low + group_size;
    std::uint32_t* const counts = from_high + group_size;
    for (std::int32_t lane = team.rank(); lane < group_size; lane += team.size()) {
      const lane_entries own = entries_of(group, lane);
      from_low[lane] = static_cast<std::uint32_t>(own.from);
      from_high[lane] = static_cast<std::uint32_t>(own.from >> 32);
      counts[lane] = static_cast<std::uint32_t>(own.count);
    }
    team.sync();
    constexpr std::int32_t readers = 32;  // of one block
    for (std::int64_t start = 0; start < longest; start += at_once) {
      const auto count = static_cast<std::int32_t>(longest - start < at_once ? longest - start : at_once);
      for (std::int32_t lane = team.rank() / readers; lane < group_size; lane += team.size() / readers) {
        const std::int64_t from = static_cast<std::int64_t>(from_high[lane]) << 32 | from_low[lane];
        const std::int64_t entries = counts[lane];
        for (std::int32_t k = team.rank() % readers; k < count; k += readers) {
          const bool entry = start + k < entries;
          const std::int64_t shown = entry ? start + k : entries - 1;
          scratch_index[k * line + lane] = shown < 0 ? 0 : index[from + shown];
          scratch_values[k * line + lane] = entry ? values[from + shown] : Value{0};
        }
      }
      team.sync();
      const std::int64_t to = first + start * group_size;
      std::int32_t k = team.rank() / group_size, lane = team.rank() % group_size;
      const std::int32_t more_lines = team.size() / group_size, more_lanes = team.size() % group_size;
      for (std::int32_t i = team.rank(); i < count * group_size; i += team.size()) {
        out_index.set(to + i, scratch_index[k * line + lane]);
        out_values[to + i] = scratch_values[k * line + lane];
        k += more_lines;
        lane += more_lanes;
        if (lane >= group_size) {
          lane -= group_size;
          ++k;
        }
      }
      team.sync();
    }
  }
};

template <class Backend, class Offset, class Value>
gcsb<Offset, Value, space_on<Backend>> csr_to_gcsb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   const block_options& options, double max_fill,
                                                   stage_log* log) {
  using space = space_on<Backend>;
  require_options(options, format_kind::gcsb);
  const auto source = csr_to_csb(on, matrix, options, log);
  const std::int64_t blocks = source.block_offsets.size() - 1, entries = source.values.size();
  const std::int64_t group_size = options.group_size;
  if (blocks > std::numeric_limits<std::int32_t>::max())
    throw error(failure::resources, "more than 2147483647 blocks; use a larger beta", "beta");
  const Offset* const block_offsets = source.block_offsets.data();

  gcsb<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.beta = options.beta;
  result.group_size = options.group_size;
  result.order = source.order;
  result.window = options.window;
  result.dense_blocks = source.dense_blocks;

  array<std::int32_t, space> order;
  {
    timed_stage timing(on, log, "swizzle blocks", blocks, blocks * 24);
    result.filled_blocks = blocks;
    if (options.thesis)
      result.filled_blocks = reduce(
          on, blocks, std::int64_t{0},
          [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
            return std::int64_t{block_offsets[b] < block_offsets[b + 1]};
          },
          sum_of<std::int64_t>{});
    order = order_by_falling_length(
        on, blocks, options.window > 0 ? options.window : blocks + 1,
        [=] SPARSMITH_HOST_DEVICE(std::int64_t b) { return block_offsets[b + 1] - block_offsets[b]; });
  }
  timed_stage timing(on, log, "interleave", entries, entries * (std::int64_t{sizeof(Value)} + 4) * 2);
  const std::int32_t* const block_at = order.data();
  result.block_indices = array<Offset, space>(blocks);
  Offset* const out_positions = result.block_indices.data();
  const Offset* const positions = source.dense_blocks != 0 ? nullptr : source.block_indices.data();
  for_each_index(on, blocks, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
    out_positions[p] = positions == nullptr ? static_cast<Offset>(block_at[p]) : positions[block_at[p]];
  });
  const std::int64_t groups = groups_of(blocks, group_size);
  // A group's first block is its longest, unless a window ends inside it.
  const std::int64_t compared = options.window % group_size == 0 ? 1 : group_size;
  const auto slots_of = [=] SPARSMITH_HOST_DEVICE(std::int64_t g) {
    std::int64_t longest = 0;
    for (std::int64_t p = g * group_size; p < g * group_size + compared && p < blocks; ++p) {
      const std::int64_t count = block_offsets[block_at[p] + std::int64_t{1}] - block_offsets[block_at[p]];
      longest = longest < count ? count : longest;
    }
    return longest * group_size;
  };
  const std::int64_t slots = reduce(on, groups, std::int64_t{0}, slots_of, sum_of<std::int64_t>{});
  require_fill("gcsb", slots, entries, max_fill);
  if (slots > std::numeric_limits<Offset>::max())
    throw error(failure::resources, "GCSB needs more slots than 32-bit offsets can count; use 64-bit offsets",
                "offsets");
  result.group_offsets = offsets_from_lengths<Offset>(
      on, groups, [=] SPARSMITH_HOST_DEVICE(std::int64_t g) { return static_cast<Offset>(slots_of(g)); });
  combined_indices<space> index(slots, source.combined16.size() > 0 || entries == 0 ? 16 : 32);
  result.values = array<Value, space>(slots);
  for_each_team(on, groups, groups == 0 ? 0 : slots / groups,
                interleave_body<Value>{blocks,
                                       options.group_size,
                                       block_at,
                                       offset_reader(block_offsets),
                                       offset_reader(result.group_offsets.data()),
                                       {source.combined16.data(), source.combined32.data()},
                                       source.values.data(),
                                       index.writer(),
                                       result.values.data()});
  result.combined16 = std::move(index.narrow);
  result.combined32 = std::move(index.wide);
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> gcsb_to_csr(Backend on, gcsb<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log) {
  const std::int64_t blocks = matrix.block_indices.size(), filled = matrix.filled_blocks;
  const std::int64_t group_size = matrix.group_size;
  const index_reader index{matrix.combined16.data(), matrix.combined32.data()};
  const Offset* const group_offsets = matrix.group_offsets.data();
  coo<Value, space_on<Backend>> list;
  {
    timed_stage timing(on, log, "unpack gcsb", matrix.values.size(), bytes(matrix));
    // A block ends where its group does, or where an index repeats: that is padding.
    const auto offsets =
        offsets_from_lengths<std::int64_t>(on, blocks, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
          if (p >= filled) return std::int64_t{0};
          const std::int64_t first = group_offsets[p / group_size] + p % group_size,
                             end = group_offsets[p / group_size + 1];
          std::int64_t count = 1;
          while (first + count * group_size < end &&
                 index[first + count * group_size] != index[first + (count - 1) * group_size])
            ++count;
          return count;
        });
    const std::int64_t entries = read_one(on, offsets.data() + blocks);
    list = empty_list<Value, space_on<Backend>>(matrix.rows, matrix.cols, entries);
    const auto places = places_of<Offset>(matrix);
    const Offset* const positions = matrix.block_indices.data();
    const Value* const values = matrix.values.data();
    const std::int64_t* const starts = offsets.data();
    std::int32_t* const rows = list.row_indices.data();
    std::int32_t* const cols = list.col_indices.data();
    Value* const out = list.values.data();
    for_each_index(on, blocks, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
      const std::int64_t first = group_offsets[p / group_size] + p % group_size;
      for (std::int64_t k = 0; k < starts[p + 1] - starts[p]; ++k) {
        const std::int64_t slot = first + k * group_size;
        rows[starts[p] + k] = places.row(positions[p], index[slot]);
        cols[starts[p] + k] = places.col(positions[p], index[slot]);
        out[starts[p] + k] = values[slot];
      }
    });
  }
  return coo_to_csr<Backend, Offset, Value>(on, std::move(list), log);
}

// How many entries are among the first `width` of their line.
template <class Backend, class Offset>
std::int64_t entries_in_front(Backend on, const Offset* starts, std::int64_t lines, std::int64_t width) {
  return reduce(
      on, lines, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t l) {
        const std::int64_t length = starts[l + 1] - starts[l];
        return length < width ? length : width;
      },
      sum_of<std::int64_t>{});
}

template <class Backend, class Offset, class Value>
ecsb<Offset, Value, space_on<Backend>> csr_to_ecsb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   const block_options& options, double max_fill,
                                                   stage_log* log) {
  using space = space_on<Backend>;
  block_options sparse = options;
  sparse.thesis = false;
  if (options.thesis && options.index_bits == 0) sparse.index_bits = 32;
  const auto source = csr_to_csb(on, matrix, sparse, log);
  const std::int64_t entries = source.values.size(), blocks = source.block_offsets.size() - 1;
  const std::int64_t block_rows = groups_of(matrix.rows, options.beta), beta = options.beta,
                     rows = matrix.rows;
  timed_stage timing(on, log, "spread block rows", entries, entries * (std::int64_t{sizeof(Value)} + 8) * 2);

  ecsb<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.beta = options.beta;
  result.order = source.order;
  const Offset* const row_offsets = matrix.row_offsets.data();
  result.block_row_offsets = array<Offset, space>(block_rows + 1);
  Offset* const starts = result.block_row_offsets.data();
  for_each_index(on, block_rows + 1, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
    starts[b] = row_offsets[b * beta < rows ? b * beta : rows];
  });
  const std::int64_t longest = longest_line(on, starts, block_rows);
  const std::int64_t third = bell_garland_width(on, starts, block_rows);
  const ecsb_holding holding = options.holding.value_or(
      choose_holding(entries, block_rows, longest, third, entries_in_front(on, starts, block_rows, third)));
  result.holding = static_cast<std::int32_t>(holding);
  const std::int64_t width = holding == ecsb_holding::coo   ? 0
                             : holding == ecsb_holding::ell ? longest
                                                            : third;
  result.width = width;
  const std::int64_t slots = block_rows * width,
                     rest = entries - entries_in_front(on, starts, block_rows, width);
  require_fill("ecsb", slots + rest, entries, max_fill);

  const int bits = source.combined16.size() > 0 || entries == 0 ? 16 : 32;
  combined_indices<space> ell_index(slots, bits), rest_index(rest, bits);
  result.ell_block_indices = array<Offset, space>(slots);
  result.ell_values = array<Value, space>(slots);
  result.rest_block_indices = array<Offset, space>(rest);
  result.rest_values = array<Value, space>(rest);
  const auto rest_offsets =
      offsets_from_lengths<Offset>(on, block_rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
        const std::int64_t length = starts[b + 1] - starts[b];
        return static_cast<Offset>(length > width ? length - width : 0);
      });
  const index_reader index{source.combined16.data(), source.combined32.data()};
  const Offset* const block_offsets = source.block_offsets.data();
  const Offset* const positions = source.block_indices.data();
  const Value* const values = source.values.data();
  const Offset* const rest_starts = rest_offsets.data();
  Offset* const ell_blocks = result.ell_block_indices.data();
  Offset* const rest_blocks = result.rest_block_indices.data();
  Value* const ell_values = result.ell_values.data();
  Value* const rest_values = result.rest_values.data();
  const index_writer ell_combined = ell_index.writer(), rest_combined = rest_index.writer();
  for_each_index(on, slots, [=] SPARSMITH_HOST_DEVICE(std::int64_t slot) {
    const std::int64_t b = slot % block_rows, e = starts[b] + slot / block_rows;
    const bool entry = e < starts[b + 1];
    const std::int64_t shown =
        entry ? e : starts[b];  // padding names its block row's first block, if it has any
    const bool any = starts[b] < starts[b + 1];
    ell_blocks[slot] = any ? positions[row_of_entry(block_offsets, 0, blocks, shown)] : Offset{0};
    ell_combined.set(slot, entry ? index[e] : 0);
    ell_values[slot] = entry ? values[e] : Value{0};
  });
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    const std::int64_t b = row_of_entry(starts, 0, block_rows, e), k = e - starts[b];
    if (k < width) return;
    const std::int64_t to = rest_starts[b] + k - width;
    rest_blocks[to] = positions[row_of_entry(block_offsets, 0, blocks, e)];
    rest_combined.set(to, index[e]);
    rest_values[to] = values[e];
  });
  result.ell_combined16 = std::move(ell_index.narrow);
  result.ell_combined32 = std::move(ell_index.wide);
  result.rest_combined16 = std::move(rest_index.narrow);
  result.rest_combined32 = std::move(rest_index.wide);
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> ecsb_to_csr(Backend on, ecsb<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log) {
  const std::int64_t block_rows = matrix.block_row_offsets.size() - 1, width = matrix.width;
  const Offset* const starts = matrix.block_row_offsets.data();
  const std::int64_t entries = read_one(on, starts + block_rows);
  auto list = empty_list<Value, space_on<Backend>>(matrix.rows, matrix.cols, entries);
  {
    timed_stage timing(on, log, "unpack ecsb", entries, bytes(matrix));
    const auto rest_offsets =
        offsets_from_lengths<Offset>(on, block_rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
          const std::int64_t length = starts[b + 1] - starts[b];
          return static_cast<Offset>(length > width ? length - width : 0);
        });
    const auto places = places_of<Offset>(matrix);
    const index_reader ell_index{matrix.ell_combined16.data(), matrix.ell_combined32.data()};
    const index_reader rest_index{matrix.rest_combined16.data(), matrix.rest_combined32.data()};
    const Offset* const ell_blocks = matrix.ell_block_indices.data();
    const Offset* const rest_blocks = matrix.rest_block_indices.data();
    const Value* const ell_values = matrix.ell_values.data();
    const Value* const rest_values = matrix.rest_values.data();
    const Offset* const rest_starts = rest_offsets.data();
    std::int32_t* const rows = list.row_indices.data();
    std::int32_t* const cols = list.col_indices.data();
    Value* const out = list.values.data();
    for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
      const std::int64_t b = row_of_entry(starts, 0, block_rows, e), k = e - starts[b];
      const bool front = k < width;
      const std::int64_t at = front ? k * block_rows + b : rest_starts[b] + k - width;
      const Offset position = front ? ell_blocks[at] : rest_blocks[at];
      const std::uint32_t combined = front ? ell_index[at] : rest_index[at];
      rows[e] = places.row(position, combined);
      cols[e] = places.col(position, combined);
      out[e] = front ? ell_values[at] : rest_values[at];
    });
  }
  return coo_to_csr<Backend, Offset, Value>(on, std::move(list), log);
}

template <class Backend, class Offset>
std::int64_t count_nonempty_blocks(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                   block_size size) {
  require_block_size(size);
  const block_lines<Backend, Offset> lines(on, matrix, block_divisor(size));
  return read_one(on, count_blocks(on, lines).data() + lines.count);
}

template <class Backend, class Offset>
array<std::int32_t, host> block_entry_counts(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                             std::int32_t beta) {
  require_block_size({beta, beta});
  const block_lines<Backend, Offset> lines(on, matrix, block_divisor({beta, beta}));
  return copy_to<host>(list_blocks(on, lines, groups_of(matrix.cols, beta)).counts, space_on<Backend>::where);
}

}  // namespace sparsmith
