// How one team finds the blocks of a range of rows: it calls an action for every window of block columns that
// holds some. A range is a block row, or a piece of one.
#pragma once

#include "convert/backend/sort_entries.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/pipelines/position_windows.hpp"
#include "convert/pipelines/row_range.hpp"

namespace sparsmith {

// A block size that columns are divided by.
struct block_divisor {
  std::int32_t rows, cols;  // of one block
  // log2 of cols where that is a power of two, else -1: a shift is far cheaper than a division.
  int col_shift;

  explicit block_divisor(block_size size)
      : rows(size.rows),
        cols(size.cols),
        col_shift((size.cols & (size.cols - 1)) == 0 ? index_bits(size.cols) : -1) {}
  SPARSMITH_HOST_DEVICE std::int32_t col_of(std::int32_t col) const {
    return col_shift >= 0 ? col >> col_shift : col / cols;
  }
};

// Chosen by hand; bench_convert shows what a change does.
struct walk_tuning {
  // So few entries or blocks are listed: a bitmap has words to clear, to count and to add up.
  static constexpr std::int64_t most_listed = 64;
  // Positions that are spread go into so many buckets that each has about two to `most_in_bucket`, as far as
  // there is scratch.
  static constexpr std::int64_t most_in_bucket = 4;
};

// Calls action(team, range, block, blocks, window) for every window of block columns that holds blocks of the
// range, where `block` is the number of the window's first block. Returns how many blocks there are.
// `sorted` says that its rows are sorted by column, so that their ends tell its columns.
template <class Team, class Offset, class Action>
SPARSMITH_HOST_DEVICE std::int64_t walk_range(const Team& team, const row_range& range, bool sorted,
                                              const block_divisor& shape, const Offset* row_offsets,
                                              const std::int32_t* cols, std::int64_t first_block,
                                              const Action& action) {
  const std::int64_t entries = range.last - range.first;
  if (entries == 0) return 0;
  const auto block_col_of = [&](std::int64_t e) { return shape.col_of(cols[e]); };
  if constexpr (Team::threads > 1) {
    if (entries <= walk_tuning::most_listed && entries * 3 <= team.scratch_words()) {
      const auto window = list_positions(team, range.first, static_cast<std::int32_t>(entries), block_col_of);
      action(team, range, first_block, window.size, window);
      return window.size;
    }
  }
  std::int32_t low = 0x7fffffff, high = 0;
  const auto include = [&](std::int32_t left, std::int32_t right) {
    low = left < low ? left : low;
    high = right > high ? right : high;
  };
  if (sorted) {
    for (std::int64_t r = range.first_row + team.rank(); r < range.end_row; r += team.size()) {
      const std::int64_t start = row_offsets[r] < range.first ? range.first : std::int64_t{row_offsets[r]};
      const std::int64_t end =
          row_offsets[r + 1] > range.last ? range.last : std::int64_t{row_offsets[r + 1]};
      if (start < end) include(block_col_of(start), block_col_of(end - 1));
    }
  } else {
    load_ahead(range.first + team.rank(), range.last, team.size(), block_col_of,
               [&](std::int64_t, std::int32_t block_col) { include(block_col, block_col); });
  }
  low = team.smallest(low);
  high = team.largest(high);
  if constexpr (Team::threads > 1) {
    // Where a bitmap would take several windows, each of which reads all entries again.
    const std::int64_t left_words = team.scratch_words() - 3 * entries;
    if ((high - low) / 32 >= team.scratch_words() / 2 && left_words >= entries / 2) {
      int bucket_bits = 0;
      while (walk_tuning::most_in_bucket << bucket_bits <= entries &&
             std::int64_t{2} << bucket_bits <= left_words)
        ++bucket_bits;
      const auto window = list_spread_positions(team, range.first, static_cast<std::int32_t>(entries), low,
                                                high, bucket_bits, block_col_of);
      if (window.size >= 0) {
        action(team, range, first_block, window.size, window);
        return window.size;
      }
    }
  }
  return for_each_bit_window(
      team, range.first, range.last, low, high, block_col_of,
      [&](const bit_window<Team>& window, std::int64_t before, std::int32_t in_window) {
        action(team, range, first_block + before, in_window, window);
      });
}

// The same where the blocks are listed: `block_col_at` tells their columns, rising from `first_block` on.
template <class Team, class BlockColumn, class Action>
SPARSMITH_HOST_DEVICE void walk_listed(const Team& team, const row_range& range, std::int64_t first_block,
                                       std::int64_t end_block, BlockColumn block_col_at,
                                       const Action& action) {
  const std::int64_t blocks = end_block - first_block;
  if (blocks == 0) return;
  if (Team::threads > 1 && blocks <= walk_tuning::most_listed && 2 * blocks <= team.scratch_words()) {
    const auto count = static_cast<std::int32_t>(blocks);
    std::int32_t* const list = reinterpret_cast<std::int32_t*>(team.scratch());
    for (std::int32_t b = team.rank(); b < count; b += team.size()) list[b] = block_col_at(first_block + b);
    team.sync();
    action(team, range, first_block, count,
           list_window<Team>{team, list, count, list + count, team.scratch_words() - count});
    return;
  }
  for_each_bit_window(team, first_block, end_block, block_col_at(first_block), block_col_at(end_block - 1),
                      block_col_at,
                      [&](const bit_window<Team>& window, std::int64_t before, std::int32_t in_window) {
                        action(team, range, first_block + before, in_window, window);
                      });
}

// The block rows that one walk is for: those with at least and at most so many entries.
template <class Offset>
struct block_row_ranges {
  std::int32_t rows;
  block_divisor shape;
  const Offset* row_offsets;
  std::int64_t least, most;

  // Without entries where the walk is not for it.
  SPARSMITH_HOST_DEVICE row_range operator()(std::int64_t block_row) const {
    const std::int64_t first_row = block_row * shape.rows;
    const std::int64_t end_row = first_row + shape.rows < rows ? first_row + shape.rows : rows;
    const row_range range{block_row, first_row, end_row, row_offsets[first_row], row_offsets[end_row]};
    const std::int64_t entries = range.last - range.first;
    return entries < least || entries > most ? row_range{block_row, first_row, first_row, 0, 0} : range;
  }
};

// Walks one block row whose blocks are not listed yet and calls action.finish(team, range, blocks in all) at
// its end.
template <class Offset, class Action>
struct walk_block_rows {
  block_row_ranges<Offset> ranges;
  bool sorted;  // every row by column
  const std::int32_t* cols;
  const Offset* first_blocks;  // null while the blocks are being counted
  Action action;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t block_row) const {
    const row_range range = ranges(block_row);
    if (range.end_row == range.first_row) return;
    const std::int64_t first_block = first_blocks == nullptr ? 0 : std::int64_t{first_blocks[block_row]};
    action.finish(
        team, range,
        walk_range(team, range, sorted, ranges.shape, ranges.row_offsets, cols, first_block, action));
  }
};

// The same once they are listed.
template <class Offset, class Action>
struct walk_listed_block_rows {
  block_row_ranges<Offset> ranges;
  const Offset* first_blocks;
  const Offset* positions;  // of the blocks, row-major
  std::int64_t blocks_per_row;
  Action action;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t block_row) const {
    walk(team, ranges(block_row));
  }
  template <class Team>
  SPARSMITH_HOST_DEVICE void walk(const Team& team, const row_range& range) const {
    if (range.last == range.first) return;
    const std::int64_t block_row = range.number, before_row = block_row * blocks_per_row;
    walk_listed(
        team, range, first_blocks[block_row], first_blocks[block_row + 1],
        [&](std::int64_t b) { return static_cast<std::int32_t>(positions[b] - before_row); }, action);
  }
};

template <class Offset>
struct count_block_action {
  Offset* counts;
  template <class... Everything>
  SPARSMITH_HOST_DEVICE void operator()(const Everything&...) const {}
  template <class Team>
  SPARSMITH_HOST_DEVICE void finish(const Team& team, const row_range& range, std::int64_t blocks) const {
    if (team.rank() == 0) counts[range.number] = static_cast<Offset>(blocks);
  }
};

// Where an entry and the ones beside it belong.
struct run_neighbours {
  std::int32_t left, own, right;

  // The shares of all entries of a run sum up to its length, modulo 2^32.
  SPARSMITH_HOST_DEVICE std::int32_t share_of_run(std::int64_t place) const {
    return static_cast<std::int32_t>((right != own ? static_cast<std::uint32_t>(place) + 1 : 0u) -
                                     (left != own ? static_cast<std::uint32_t>(place) : 0u));
  }
};

// Lists the blocks of a range and counts their entries; `position` says how a block is named.
template <class Position>
struct list_block_action {
  const std::int32_t* cols;
  block_divisor shape;
  Position position;
  typename Position::type* positions;
  std::int32_t* counts;

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t block,
                                        std::int32_t blocks, const Window& window) const {
    window.for_each([&](std::int32_t rank, std::int32_t block_col) {
      positions[block + rank] = position(range.number, block_col);
    });
    std::int32_t* const counters = window.counters(blocks, counts + block);
    // Entries of one block mostly come in runs: the last of a run adds its place and one, the first takes its
    // own away, and nobody else has anything to do.
    const auto neighbours = [&](std::int64_t e) {
      return run_neighbours{e > range.first ? shape.col_of(cols[e - 1]) : -1, shape.col_of(cols[e]),
                            e + 1 < range.last ? shape.col_of(cols[e + 1]) : -1};
    };
    load_ahead(range.first + team.rank(), range.last, team.size(), neighbours,
               [&](std::int64_t e, const run_neighbours& n) {
                 if ((n.left == n.own && n.right == n.own) || !window.holds(n.own)) return;
                 const std::int32_t amount = n.share_of_run(e - range.first);
                 if (amount != 0) team.add(counters + window.rank(n.own), amount);
               });
    team.sync();
    if (counters != counts + block)
      for (std::int32_t b = team.rank(); b < blocks; b += team.size()) counts[block + b] = counters[b];
    team.sync();
  }
};

template <class Action>
struct without_finish : Action {
  template <class Team>
  SPARSMITH_HOST_DEVICE void finish(const Team&, const row_range&, std::int64_t) const {}
};

}  // namespace sparsmith
