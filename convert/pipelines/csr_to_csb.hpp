// CSR to CSB and back; eCSB and GCSB are CSB first. The blocks are listed and counted, every entry is put
// into its block in any order, and each block is then sorted by the cells' keys, which are distinct, so the
// result does not depend on who came first.
#pragma once

#include "convert/formats/block_index.hpp"
#include "convert/pipelines/block_list.hpp"
#include "convert/pipelines/sort_by_key.hpp"

namespace sparsmith {

// Chosen by hand; bench_convert shows what a change does.
struct csb_sort_tuning {
  static constexpr std::int64_t few_entries = 4;  // of a block that one thread sorts alone
  // Blocks that a team takes where most have so few: one at a time it would wait for memory at each.
  static constexpr std::int64_t blocks_at_once = 8;
};

// Offsets of either width, for work that reads a few of them and should not be compiled for both.
class offset_reader {
 public:
  explicit offset_reader(const std::int32_t* offsets) : narrow_(offsets) {}
  explicit offset_reader(const std::int64_t* offsets) : wide_(offsets) {}
  SPARSMITH_HOST_DEVICE std::int64_t operator[](std::int64_t i) const {
    return narrow_ != nullptr ? std::int64_t{narrow_[i]} : wide_[i];
  }

 private:
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
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
    return entries < csb_sort_tuning::few_entries * blocks ? csb_sort_tuning::blocks_at_once : 1;
  }

 private:
  static constexpr std::int32_t none = 0x7fffffff;

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
    if (last - first > csb_sort_tuning::few_entries) return false;
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

inline int combined_bits(std::int32_t beta, int asked) {
  return asked != 0 ? asked : beta <= 256 ? 16 : 32;
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

}  // namespace sparsmith
