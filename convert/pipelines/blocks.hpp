// Which blocks of a matrix hold entries, and where each entry goes. Block rows are contiguous in CSR, so each
// is one team's work: a bitmap over its range of block columns tells the blocks apart, and counting bits
// below a block's own gives its rank. Nothing is ever allocated per possible block, and no entry is sorted
// globally.
#pragma once

#include "convert/backend/team.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

struct block_shape {
  std::int32_t rows, cols;  // of one block
  int col_shift;  // log2 of cols where that is a power of two, else -1: a shift is far cheaper than a
                  // division

  block_shape(std::int32_t block_rows, std::int32_t block_cols)
      : rows(block_rows),
        cols(block_cols),
        col_shift((block_cols & (block_cols - 1)) == 0 ? index_bits(block_cols) : -1) {}
  SPARSMITH_HOST_DEVICE std::int32_t col_of(std::int32_t col) const {
    return col_shift >= 0 ? col >> col_shift : col / cols;
  }
};

// Counters, all 0: in scratch where they fit, else the ones given, which must be 0.
template <class Team>
SPARSMITH_HOST_DEVICE std::int32_t* clear_counters(const Team& team, std::int32_t* scratch,
                                                   std::int32_t words, std::int32_t count,
                                                   std::int32_t* otherwise) {
  if (count > words) return otherwise;
  for (std::int32_t i = team.rank(); i < count; i += team.size()) scratch[i] = 0;
  team.sync();
  return scratch;
}

// A window of positions, of which some are taken: a bitmap in the team's scratch with the counts that make
// ranks cheap.
template <class Team>
struct bit_window {
  const Team& team;
  std::int32_t start, words;
  const std::uint32_t* bits;
  const std::int32_t* before;  // positions taken in the words before each word
  std::int32_t* spare;         // scratch that is left over
  std::int32_t spare_words;

  SPARSMITH_HOST_DEVICE bool holds(std::int32_t position) const {
    return position >= start && (position - start) / 32 < words;
  }
  // How many positions of the window below this one are taken.
  SPARSMITH_HOST_DEVICE std::int32_t rank(std::int32_t position) const {
    const std::int32_t at = position - start;
    return before[at / 32] + count_bits(bits[at / 32] & ((1u << at % 32) - 1));
  }
  SPARSMITH_HOST_DEVICE std::int32_t* counters(std::int32_t count, std::int32_t* otherwise) const {
    return clear_counters(team, spare, spare_words, count, otherwise);
  }
  // f(rank, position) for every position taken.
  template <class Function>
  SPARSMITH_HOST_DEVICE void for_each(Function f) const {
    for (std::int32_t w = team.rank(); w < words; w += team.size()) {
      std::int32_t rank_in_window = before[w];
      for (std::int32_t b = 0; b < 32; ++b)
        if ((bits[w] >> b & 1) != 0) f(rank_in_window++, start + w * 32 + b);
    }
  }
};

// The same for a few positions over any range: the distinct ones as a rising list.
template <class Team>
struct list_window {
  const Team& team;
  const std::int32_t* list;
  std::int32_t size;
  std::int32_t* spare;
  std::int32_t spare_words;

  SPARSMITH_HOST_DEVICE bool holds(std::int32_t) const { return true; }
  SPARSMITH_HOST_DEVICE std::int32_t rank(std::int32_t position) const {
    std::int32_t low = 0, high = size;
    while (high - low > 1) {
      const std::int32_t middle = (low + high) / 2;
      if (list[middle] <= position)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
  SPARSMITH_HOST_DEVICE std::int32_t* counters(std::int32_t count, std::int32_t* otherwise) const {
    return clear_counters(team, spare, spare_words, count, otherwise);
  }
  template <class Function>
  SPARSMITH_HOST_DEVICE void for_each(Function f) const {
    for (std::int32_t i = team.rank(); i < size; i += team.size()) f(i, list[i]);
  }
};

// Several threads find the order of a few positions fastest by comparing all with all.
template <class Team, class Position>
SPARSMITH_HOST_DEVICE list_window<Team> list_positions(const Team& team, std::int64_t first,
                                                       std::int32_t count, Position position) {
  std::int32_t* const all = reinterpret_cast<std::int32_t*>(team.scratch());
  std::int32_t* const is_first = all + count;
  std::int32_t* const list = is_first + count;
  for (std::int32_t i = team.rank(); i < count; i += team.size()) all[i] = position(first + i);
  team.sync();
  for (std::int32_t i = team.rank(); i < count; i += team.size()) {
    bool seen = false;
    for (std::int32_t j = i - 1; j >= 0 && !seen; --j) seen = all[j] == all[i];  // mostly the one just before
    is_first[i] = seen ? 0 : 1;
  }
  team.sync();
  std::int32_t size = 0;
  for (std::int32_t j = 0; j < count; ++j) size += is_first[j];
  for (std::int32_t i = team.rank(); i < count; i += team.size()) {
    if (is_first[i] == 0) continue;
    std::int32_t smaller = 0;
    for (std::int32_t j = 0; j < count; ++j) smaller += is_first[j] != 0 && all[j] < all[i] ? 1 : 0;
    list[smaller] = all[i];
  }
  team.sync();
  return {team, list, size, all, 2 * count};
}

// Marks position(i) for i in [first, last), all within low..high, one window after the other, and calls
// use(window, taken before it, taken in it). Returns how many positions are taken in all.
template <class Team, class Position, class Use>
SPARSMITH_HOST_DEVICE std::int64_t for_each_bit_window(const Team& team, std::int64_t first,
                                                       std::int64_t last, std::int32_t low, std::int32_t high,
                                                       Position position, Use use) {
  constexpr std::int32_t none = 0x7fffffff;
  // Bits and counts share the scratch. A few positions over a wide range would mostly clear bits: they get
  // small windows that skip what is empty.
  std::int32_t most_words = team.scratch_words() / 2;
  const std::int32_t few_words = last - first <= 64 ? 4 : 64;
  if ((high - low) / 32 + 1 > last - first + few_words && most_words > few_words) most_words = few_words;
  std::uint32_t* const bits = team.scratch();
  std::int64_t taken = 0;
  for (std::int32_t start = low; start != none;) {
    const std::int32_t left_words = (high - start) / 32 + 1;
    const std::int32_t words = left_words < most_words ? left_words : most_words;
    std::int32_t* const before = reinterpret_cast<std::int32_t*>(bits + words);
    for (std::int32_t w = team.rank(); w < words; w += team.size()) bits[w] = 0;
    team.sync();
    std::int32_t following = none;
    for (std::int64_t i = first + team.rank(); i < last; i += team.size()) {
      const std::int32_t at = position(i) - start;
      if (at < 0) continue;
      if (at / 32 < words)
        team.set_bits(bits + at / 32, 1u << at % 32);
      else if (at < following)
        following = at;
    }
    team.sync();
    for (std::int32_t w = team.rank(); w < words; w += team.size()) before[w] = count_bits(bits[w]);
    team.sync();
    const std::int32_t in_window = team.exclusive_sum(before, words);
    use(bit_window<Team>{team, start, words, bits, before, before + words, team.scratch_words() - 2 * words},
        taken, in_window);
    taken += in_window;
    if (words == left_words) break;
    following = team.smallest(following);
    team.sync();
    start = following == none ? none : start + following;
  }
  return taken;
}

// One block row and its entries, as an action sees it.
struct block_row_range {
  std::int64_t block_row;
  std::int64_t first_row, end_row;
  std::int64_t first, last;  // entries
};

// Walks one block row: calls action(team, range, block, blocks, window) for every window of block columns
// that holds blocks, where `block` is the number of the window's first block, and action.finish(team, range,
// blocks in all).
template <class Offset, class Action>
struct walk_block_rows {
  std::int32_t rows;
  block_shape shape;
  const Offset* row_offsets;
  const std::int32_t* cols;
  const Offset* first_blocks;  // null while the blocks are being counted
  Action action;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t block_row) const {
    const std::int64_t first_row = block_row * shape.rows;
    const std::int64_t end_row = first_row + shape.rows < rows ? first_row + shape.rows : rows;
    const block_row_range range{block_row, first_row, end_row, row_offsets[first_row], row_offsets[end_row]};
    const std::int64_t first_block = first_blocks == nullptr ? 0 : std::int64_t{first_blocks[block_row]};
    std::int64_t blocks = 0;
    if (range.first < range.last) {
      const auto block_col_of = [&](std::int64_t e) { return shape.col_of(cols[e]); };
      const auto entries = range.last - range.first;
      if (team.size() > 1 && entries <= 64 && entries * 3 <= team.scratch_words()) {
        const auto window =
            list_positions(team, range.first, static_cast<std::int32_t>(entries), block_col_of);
        blocks = window.size;
        action(team, range, first_block, window.size, window);
      } else {
        // Rows are sorted, so their ends give the range of block columns; the right one is negated to use one
        // reduction.
        std::int32_t low = 0x7fffffff, negated_high = 0x7fffffff;
        for (std::int64_t r = first_row + team.rank(); r < end_row; r += team.size()) {
          if (row_offsets[r] == row_offsets[r + 1]) continue;
          const std::int32_t left = shape.col_of(cols[row_offsets[r]]),
                             right = shape.col_of(cols[row_offsets[r + 1] - 1]);
          low = left < low ? left : low;
          negated_high = -right < negated_high ? -right : negated_high;
        }
        low = team.smallest(low);
        const std::int32_t high = -team.smallest(negated_high);
        blocks = for_each_bit_window(
            team, range.first, range.last, low, high, block_col_of,
            [&](const bit_window<Team>& window, std::int64_t before, std::int32_t in_window) {
              action(team, range, first_block + before, in_window, window);
            });
      }
    }
    action.finish(team, range, blocks);
  }
};

template <class Offset>
struct count_block_action {
  Offset* counts;
  template <class... Everything>
  SPARSMITH_HOST_DEVICE void operator()(const Everything&...) const {}
  template <class Team>
  SPARSMITH_HOST_DEVICE void finish(const Team& team, const block_row_range& range,
                                    std::int64_t blocks) const {
    if (team.rank() == 0) counts[range.block_row] = static_cast<Offset>(blocks);
  }
};

template <class Action>
struct without_finish : Action {
  template <class Team>
  SPARSMITH_HOST_DEVICE void finish(const Team&, const block_row_range&, std::int64_t) const {}
};

inline std::int64_t groups_of(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

template <class Backend, class Offset, class Value, class Action>
void walk_blocks(Backend on, csr<Offset, Value, view_on<Backend>> matrix, block_shape shape,
                 const Offset* first_blocks, Action action) {
  const std::int64_t teams = groups_of(matrix.rows, shape.rows);
  const std::int64_t work = teams == 0 ? 0 : matrix.values.size() / teams;
  for_each_team(on, teams, work,
                walk_block_rows<Offset, Action>{matrix.rows, shape, matrix.row_offsets.data(),
                                                matrix.col_indices.data(), first_blocks, action});
}

// The first block of every block row, and their total at the end.
template <class Backend, class Offset, class Value>
array<Offset, space_on<Backend>> count_blocks(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                              block_shape shape) {
  const std::int64_t block_rows = groups_of(matrix.rows, shape.rows);
  array<Offset, space_on<Backend>> counts(block_rows);
  walk_blocks(on, matrix, shape, static_cast<const Offset*>(nullptr),
              count_block_action<Offset>{counts.data()});
  const Offset* const count = counts.data();
  return offsets_from_lengths<Offset>(on, block_rows,
                                      [=] SPARSMITH_HOST_DEVICE(std::int64_t b) { return count[b]; });
}

// The row of an entry, between two rows that enclose it.
template <class Offset>
SPARSMITH_HOST_DEVICE std::int64_t row_of_entry(const Offset* row_offsets, std::int64_t low,
                                                std::int64_t high, std::int64_t entry) {
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    if (row_offsets[middle] <= entry)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// f(entry, row in the block row) for every entry. Long rows go one after the other to the warps of the team,
// so that the row is known; short ones are taken together and each entry looks its row up.
template <class Team, class Offset, class Function>
SPARSMITH_HOST_DEVICE void for_each_entry(const Team& team, const Offset* row_offsets,
                                          const block_row_range& range, Function f) {
  const std::int32_t lanes = team.size() < 32 ? team.size() : 32;
  if ((range.last - range.first) >= lanes * (range.end_row - range.first_row)) {
    const std::int32_t abreast = team.size() / lanes;
    for (std::int64_t r = range.first_row + team.rank() / lanes; r < range.end_row; r += abreast) {
      const std::int64_t end = row_offsets[r + 1];
      for (std::int64_t e = row_offsets[r] + team.rank() % lanes; e < end; e += lanes)
        f(e, r - range.first_row);
    }
  } else {
    for (std::int64_t e = range.first + team.rank(); e < range.last; e += team.size())
      f(e, row_of_entry(row_offsets, range.first_row, range.end_row, e) - range.first_row);
  }
}

}  // namespace sparsmith
