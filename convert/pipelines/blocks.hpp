// Which blocks of a matrix hold entries, and where each entry goes. Block rows are contiguous in CSR, so each
// is one team's work: a bitmap over its range of block columns tells the blocks apart, and counting bits
// below a block's own gives its rank. Nothing is ever allocated per possible block, and no entry is sorted
// globally.
#pragma once

#include "convert/backend/own_memory.hpp"
#include "convert/backend/team.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// A block size that columns are divided by.
struct block_divisor {
  std::int32_t rows, cols;  // of one block
  int col_shift;  // log2 of cols where that is a power of two, else -1: a shift is far cheaper than a
                  // division

  explicit block_divisor(block_size size)
      : rows(size.rows),
        cols(size.cols),
        col_shift((size.cols & (size.cols - 1)) == 0 ? index_bits(size.cols) : -1) {}
  SPARSMITH_HOST_DEVICE std::int32_t col_of(std::int32_t col) const {
    return col_shift >= 0 ? col >> col_shift : col / cols;
  }
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
      for (std::uint32_t word = bits[w]; word != 0; word &= word - 1)
        f(rank_in_window++, start + w * 32 + lowest_bit(word));
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

// Lists a few positions: those of a warp are sorted by it, more are compared all with all.
template <class Team, class Position>
SPARSMITH_HOST_DEVICE list_window<Team> list_positions(const Team& team, std::int64_t first,
                                                       std::int32_t count, Position position) {
  std::int32_t* const all = reinterpret_cast<std::int32_t*>(team.scratch());
  std::int32_t* const is_first = all + count;
  std::int32_t* const list = is_first + count;
  if constexpr (Team::threads <= 32) {
    if (count <= Team::threads) {
      const std::int32_t size =
          team.list_distinct(team.rank() < count ? position(first + team.rank()) : 0x7fffffff, list);
      return {team, list, size, all, 2 * count};
    }
  }
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

// The same for more positions, all within low..high and spread widely: they are put into buckets of a few and
// compared inside them. Where a bucket is crowded, the size is -1 and nothing is listed.
template <class Team, class Position>
SPARSMITH_HOST_DEVICE list_window<Team> list_spread_positions(const Team& team, std::int64_t first,
                                                              std::int32_t count, std::int32_t low,
                                                              std::int32_t high, int bucket_bits,
                                                              Position position) {
  constexpr std::int32_t crowded = 128;
  int shift = 0;
  while ((high - low) >> shift >> bucket_bits != 0) ++shift;
  const std::int32_t buckets = std::int32_t{1} << bucket_bits;
  std::int32_t* const grouped = reinterpret_cast<std::int32_t*>(team.scratch());
  std::int32_t* const before = grouped + count;  // distinct ones in front of each
  std::int32_t* const list = before + count;
  std::int32_t* const ends = list + count;
  for (std::int32_t b = team.rank(); b < buckets; b += team.size()) ends[b] = 0;
  team.sync();
  for (std::int32_t i = team.rank(); i < count; i += team.size())
    team.add(ends + ((position(first + i) - low) >> shift), 1);
  team.sync();
  std::int32_t most = 0;
  for (std::int32_t b = team.rank(); b < buckets; b += team.size()) most = ends[b] > most ? ends[b] : most;
  if (team.largest(most) > crowded) {
    team.sync();
    return {team, list, -1, grouped, 0};
  }
  team.exclusive_sum(ends, buckets);
  for (std::int32_t i = team.rank(); i < count; i += team.size()) {
    const std::int32_t own = position(first + i);
    grouped[team.add(ends + ((own - low) >> shift), 1)] = own;
  }
  team.sync();
  const auto bucket_start = [&](std::int32_t own) {
    const std::int32_t bucket = (own - low) >> shift;
    return bucket == 0 ? 0 : ends[bucket - 1];
  };
  for (std::int32_t i = team.rank(); i < count; i += team.size()) {
    bool seen = false;
    for (std::int32_t j = bucket_start(grouped[i]); j < i && !seen; ++j) seen = grouped[j] == grouped[i];
    before[i] = seen ? 0 : 1;
  }
  team.sync();
  const std::int32_t size = team.exclusive_sum(before, count);
  const auto is_first = [&](std::int32_t i) { return (i + 1 < count ? before[i + 1] : size) != before[i]; };
  for (std::int32_t i = team.rank(); i < count; i += team.size()) {
    if (!is_first(i)) continue;
    const std::int32_t start = bucket_start(grouped[i]), end = ends[(grouped[i] - low) >> shift];
    std::int32_t smaller = before[start];
    for (std::int32_t j = start; j < end; ++j) smaller += grouped[j] < grouped[i] && is_first(j) ? 1 : 0;
    list[smaller] = grouped[i];
  }
  team.sync();
  return {team, list, size, grouped, 2 * count};
}

// use(i, load(i)) for i = first, first + stride, ... below last. Four are loaded before the first is used, so
// that a thread waits for memory once and not four times.
template <class Load, class Use>
SPARSMITH_HOST_DEVICE void load_ahead(std::int64_t first, std::int64_t last, std::int64_t stride, Load load,
                                      Use use) {
  std::int64_t i = first;
  for (; i + 3 * stride < last; i += 4 * stride) {
    const auto a = load(i), b = load(i + stride), c = load(i + 2 * stride), d = load(i + 3 * stride);
    use(i, a);
    use(i + stride, b);
    use(i + 2 * stride, c);
    use(i + 3 * stride, d);
  }
  for (; i < last; i += stride) use(i, load(i));
}

// Marks position(i) for i in [first, last), all within low..high, one window after the other, and calls
// use(window, taken before it, taken in it). Returns how many positions are taken in all.
template <class Team, class Position, class Use>
SPARSMITH_HOST_DEVICE std::int64_t for_each_bit_window(const Team& team, std::int64_t first,
                                                       std::int64_t last, std::int32_t low, std::int32_t high,
                                                       Position position, Use use) {
  constexpr std::int32_t none = 0x7fffffff;
  // Bits and counts share the scratch. Every window reads all positions twice and its words three times; a
  // few positions over a wide range are cheaper with small windows that skip what is empty.
  std::int32_t most_words = team.scratch_words() / 2;
  const std::int32_t few_words = last - first <= 64 ? 4 : 64;
  const std::int64_t all_words = (high - low) / 32 + 1, count = last - first;
  const std::int64_t large = 3 * all_words + ((all_words - 1) / most_words + 1) * 2 * count;
  // Positions mostly come in runs: four to a window.
  std::int64_t small_windows = (all_words - 1) / few_words + 1;
  if (count / 4 + 1 < small_windows) small_windows = count / 4 + 1;
  if (few_words < most_words && small_windows * (3 * few_words + 2 * count) < large) most_words = few_words;
  std::uint32_t* const bits = team.scratch();
  std::int64_t taken = 0;
  for (std::int32_t start = low; start != none;) {
    const std::int32_t left_words = (high - start) / 32 + 1;
    const std::int32_t words = left_words < most_words ? left_words : most_words;
    std::int32_t* const before = reinterpret_cast<std::int32_t*>(bits + words);
    for (std::int32_t w = team.rank(); w < words; w += team.size()) bits[w] = 0;
    team.sync();
    std::int32_t following = none;
    load_ahead(first + team.rank(), last, team.size(), position, [&](std::int64_t, std::int32_t taken_one) {
      const std::int32_t at = taken_one - start;
      if (at < 0) return;
      if (at / 32 < words)
        team.set_bits(bits + at / 32, 1u << at % 32);
      else if (at < following)
        following = at;
    });
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

// Finds where each of the entries [first, last) belongs in the order of their keys, all different and of so
// many bits, and calls place(from, to).
template <class Team, class Place>
SPARSMITH_HOST_DEVICE void sort_by_key(const Team& team, const std::uint32_t* keys, std::int64_t first,
                                       std::int64_t last, int key_bits, Place place) {
  if (last - first == std::int64_t{1} << key_bits) {  // every key there is
    load_ahead(
        first + team.rank(), last, team.size(), [&](std::int64_t i) { return keys[i]; },
        [&](std::int64_t i, std::uint32_t key) { place(i, first + key); });
    return;
  }
  if (last - first <= (key_bits <= 10 ? 16 : team.size() == 32 ? 64 : 32)) {
    const auto count = static_cast<std::int32_t>(last - first);
    std::uint32_t* const own = team.scratch();
    for (std::int32_t i = team.rank(); i < count; i += team.size()) own[i] = keys[first + i];
    team.sync();
    for (std::int32_t i = team.rank(); i < count; i += team.size()) {
      std::int32_t smaller = 0;
      for (std::int32_t j = 0; j < count; ++j) smaller += own[j] < own[i] ? 1 : 0;
      place(first + i, first + smaller);
    }
    return;
  }
  if (key_bits <= 10) {  // a bit for every key fits any team's scratch: the bits below a key are its rank
    constexpr std::int32_t words = 32;
    std::uint32_t* const bits = team.scratch();
    std::int32_t* const before = reinterpret_cast<std::int32_t*>(bits + words);
    for (std::int32_t w = team.rank(); w < words; w += team.size()) bits[w] = 0;
    team.sync();
    for (std::int64_t i = first + team.rank(); i < last; i += team.size())
      team.set_bits(bits + keys[i] / 32, 1u << keys[i] % 32);
    team.sync();
    for (std::int32_t w = team.rank(); w < words; w += team.size()) before[w] = count_bits(bits[w]);
    team.sync();
    team.exclusive_sum(before, words);
    load_ahead(
        first + team.rank(), last, team.size(), [&](std::int64_t i) { return keys[i]; },
        [&](std::int64_t i, std::uint32_t key) {
          place(i, first + before[key / 32] + count_bits(bits[key / 32] & ((1u << key % 32) - 1)));
        });
    team.sync();
    return;
  }
  // Keys that are thinly spread are put into buckets of one or two, in scratch; others are marked in a
  // bitmap.
  const std::int64_t count = last - first;
  int bucket_bits = 0;
  while (std::int64_t{2} << bucket_bits <= count) ++bucket_bits;
  const std::int32_t buckets = std::int32_t{1} << bucket_bits;
  if (count + buckets <= team.scratch_words() && (std::int64_t{1} << key_bits) > 64 * count) {
    const int shift = key_bits - bucket_bits;
    std::int32_t* const ends = reinterpret_cast<std::int32_t*>(team.scratch());
    std::int32_t* const entry = ends + buckets;
    for (std::int32_t b = team.rank(); b < buckets; b += team.size()) ends[b] = 0;
    team.sync();
    for (std::int64_t i = team.rank(); i < count; i += team.size())
      team.add(ends + (keys[first + i] >> shift), 1);
    team.sync();
    team.exclusive_sum(ends, buckets);
    for (std::int64_t i = team.rank(); i < count; i += team.size())
      entry[team.add(ends + (keys[first + i] >> shift), 1)] = static_cast<std::int32_t>(i);
    team.sync();
    for (std::int64_t p = team.rank(); p < count; p += team.size()) {
      const std::uint32_t key = keys[first + entry[p]], bucket = key >> shift;
      const std::int32_t start = bucket == 0 ? 0 : ends[bucket - 1];
      std::int32_t smaller = start;
      for (std::int32_t q = start; q < ends[bucket]; ++q) smaller += keys[first + entry[q]] < key ? 1 : 0;
      place(first + entry[p], first + smaller);
    }
    team.sync();
    return;
  }
  for_each_bit_window(
      team, first, last, 0, static_cast<std::int32_t>((1u << key_bits) - 1),
      [&](std::int64_t i) { return static_cast<std::int32_t>(keys[i]); },
      [&](const bit_window<Team>& window, std::int64_t before, std::int32_t) {
        load_ahead(
            first + team.rank(), last, team.size(),
            [&](std::int64_t i) { return static_cast<std::int32_t>(keys[i]); },
            [&](std::int64_t i, std::int32_t key) {
              if (window.holds(key)) place(i, first + before + window.rank(key));
            });
        team.sync();
      });
}

// Some rows, whole or cut at both ends, and their entries: a block row, or a piece of one.
struct row_range {
  std::int64_t number;  // of the block row or piece
  std::int64_t first_row, end_row;
  std::int64_t first, last;  // entries
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
    if (entries <= 64 && entries * 3 <= team.scratch_words()) {
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
      while (std::int64_t{4} << bucket_bits <= entries && std::int64_t{2} << bucket_bits <= left_words)
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
  if (Team::threads > 1 && blocks <= 64 && 2 * blocks <= team.scratch_words()) {
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

namespace {  // see primitives.hpp

// The numbers of the block rows that have anything in these ranges.
template <class Backend, class Offset>
array<std::int32_t, space_on<Backend>> list_lines(Backend on, std::int64_t count,
                                                  const block_row_ranges<Offset>& ranges) {
  const auto numbers = offsets_from_lengths<std::int32_t>(
      on, count,
      [=] SPARSMITH_HOST_DEVICE(std::int64_t l) { return ranges(l).end_row > ranges(l).first_row ? 1 : 0; });
  const std::int32_t* const number = numbers.data();
  array<std::int32_t, space_on<Backend>> result(read_one(on, number + count));
  std::int32_t* const lines = result.data();
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t l) {
    if (number[l] < number[l + 1]) lines[number[l]] = static_cast<std::int32_t>(l);
  });
  return result;
}

// Whether most block rows of these ranges span more than so many block columns, as far as a sample tells.
// Their rows are sorted by column.
template <class Backend, class Offset>
bool lines_span(Backend on, std::int64_t count, const block_row_ranges<Offset>& ranges,
                const std::int32_t* cols, std::int32_t columns) {
  constexpr std::int64_t sample = 4096;
  const std::int64_t step = groups_of(count, sample);
  const std::int64_t more_than_fewer = reduce(
      on, groups_of(count, step), std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
        const row_range range = ranges(i * step);
        if (range.end_row == range.first_row) return std::int64_t{0};
        std::int32_t low = 0x7fffffff, high = 0;
        for (std::int64_t r = range.first_row; r < range.end_row; ++r) {
          const std::int64_t start = ranges.row_offsets[r], end = ranges.row_offsets[r + 1];
          if (start == end) continue;
          low = cols[start] < low ? cols[start] : low;
          high = cols[end - 1] > high ? cols[end - 1] : high;
        }
        return std::int64_t{ranges.shape.col_of(high) - ranges.shape.col_of(low) >= columns ? 1 : -1};
      },
      sum_of<std::int64_t>{});
  return more_than_fewer > 0;
}

}  // namespace

// Which team of a GPU walks a block row, by its entries.
struct line_teams {
  static constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max() - 1;
  // Where most are short, a warp or part of one takes a light line, which in a warp is up to 512 entries. If
  // such lines span more block columns than the bitmap in a warp's scratch (768 words, half of them bits), it
  // would read them again for every window: then they are light only while the scratch can list them, at 3.5
  // words each.
  static constexpr std::int64_t most_of_warp = 512, most_listed = 219;
  static constexpr std::int32_t warp_columns = 384 * 32;
  // A block of 256 threads would still walk a line that is far longer than the others when they are done, and
  // from 64 entries a thread on it shows.
  static constexpr std::int64_t long_line = 64 * 256, times_mean = 8;
  // Where it can be cut, into so many pieces at most.
  static constexpr std::int64_t most_pieces = 64;

  std::int64_t most_light = any_length, most_heavy = any_length;
};

// The block rows of a matrix, and how long they are.
template <class Backend, class Offset>
struct block_lines {
  std::int32_t rows;
  bool sorted;  // every row by column
  block_divisor shape;
  const Offset* row_offsets;
  const std::int32_t* cols;
  std::int64_t block_cols, entries;
  std::int64_t count, mean = 0, longest = 0;  // entries
  line_teams teams;
  array<std::int32_t, space_on<Backend>> heavy_lines, huge_lines;  // those that are not light

  block_lines(Backend on, csr_pattern<Offset, space_on<Backend>> matrix, block_divisor of,
              bool rows_sorted = true)
      : rows(matrix.rows),
        sorted(rows_sorted),
        shape(of),
        row_offsets(matrix.row_offsets.data()),
        cols(matrix.col_indices.data()),
        block_cols(groups_of(matrix.cols, of.cols)),
        entries(matrix.entries()),
        count(groups_of(matrix.rows, of.rows)) {
    if (count == 0) return;
    mean = entries / count;
    longest = longest_group(on, row_offsets, rows, shape.rows);
    if (std::is_same_v<Backend, openmp>) return;
    teams.most_heavy = std::max(line_teams::long_line, line_teams::times_mean * mean);
    teams.most_light = mean <= line_teams::most_of_warp ? most_of_warp(on) : teams.most_heavy;
    if (longest > teams.most_light && teams.most_light < teams.most_heavy)
      heavy_lines = list_lines(on, count, ranges(teams.most_light + 1, teams.most_heavy));
    if (longest > teams.most_heavy) huge_lines = list_lines(on, count, ranges(teams.most_heavy + 1, longest));
  }

  // Those with at least and at most so many entries.
  block_row_ranges<Offset> ranges(std::int64_t least, std::int64_t most) const {
    return {rows, shape, row_offsets, least, most};
  }

 private:
  std::int64_t most_of_warp(Backend on) const {
    constexpr std::int64_t all = line_teams::most_of_warp, listed = line_teams::most_listed;
    const bool spread = sorted && longest > listed && block_cols > line_teams::warp_columns &&
                        lines_span(on, count, ranges(listed + 1, all), cols, line_teams::warp_columns);
    return spread ? listed : all;
  }
};

// Calls a body for the lines of a list.
template <class Body>
struct for_listed_lines {
  Body body;
  const std::int32_t* lines;
  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t i) const {
    body(team, lines[i]);
  }
};

// Calls a body for the lines of a list, each cut into so many pieces of so many entries, or fewer.
template <class Body>
struct for_listed_pieces {
  Body body;
  const std::int32_t* lines;
  std::int64_t pieces, piece_entries;
  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t i) const {
    row_range range = body.ranges(lines[i / pieces]);
    range.first += i % pieces * piece_entries;
    if (range.first >= range.last) return;
    if (range.first + piece_entries < range.last) range.last = range.first + piece_entries;
    body.walk(team, range);
  }
};

// make_body(ranges) says what to do with the block rows of a range, and `walk_huge` walks those that are far
// longer than the others.
template <class Backend, class Offset, class MakeBody, class WalkHuge>
void for_each_block_row(Backend on, const block_lines<Backend, Offset>& lines, MakeBody make_body,
                        WalkHuge walk_huge) {
  const line_teams& teams = lines.teams;
  for_each_team(on, lines.count, lines.mean, make_body(lines.ranges(0, teams.most_light)));
  const auto heavy = make_body(lines.ranges(teams.most_light + 1, teams.most_heavy));
  for_each_block<256>(
      on, lines.heavy_lines.size(),
      for_listed_lines<std::remove_const_t<decltype(heavy)>>{heavy, lines.heavy_lines.data()});
  walk_huge(lines.ranges(teams.most_heavy + 1, lines.longest));
}

// Walks the blocks while they are being counted (no first_blocks) or listed.
template <class Backend, class Offset, class Action>
void walk_blocks(Backend on, const block_lines<Backend, Offset>& lines, const Offset* first_blocks,
                 Action action) {
  using body = walk_block_rows<Offset, Action>;
  const auto make_body = [&](const block_row_ranges<Offset>& ranges) {
    return body{ranges, lines.sorted, lines.cols, first_blocks, action};
  };
  for_each_block_row(on, lines, make_body, [&](const block_row_ranges<Offset>& huge) {
    for_each_block<1024>(on, lines.huge_lines.size(),
                         for_listed_lines<body>{make_body(huge), lines.huge_lines.data()});
  });
}

// Walks the blocks that are listed by their row-major positions. Since they are known, several teams can
// share a huge line: each calls `shared`, the same action for teams that are not alone, with a piece of it.
template <class Backend, class Offset, class Action>
void walk_listed_blocks(Backend on, const block_lines<Backend, Offset>& lines, const Offset* first_blocks,
                        const Offset* positions, std::int64_t blocks_per_row, Action action, Action shared) {
  using body = walk_listed_block_rows<Offset, Action>;
  const auto make_body = [&](const block_row_ranges<Offset>& ranges) {
    return body{ranges, first_blocks, positions, blocks_per_row, action};
  };
  for_each_block_row(on, lines, make_body, [&](const block_row_ranges<Offset>& huge) {
    if (lines.huge_lines.size() == 0) return;
    // Every line is cut as often as the longest, which needs no list of pieces; short ones end sooner.
    const std::int64_t pieces =
        std::min(groups_of(lines.longest, line_teams::long_line), line_teams::most_pieces);
    for_each_block<1024>(on, lines.huge_lines.size() * pieces,
                         for_listed_pieces<body>{{huge, first_blocks, positions, blocks_per_row, shared},
                                                 lines.huge_lines.data(),
                                                 pieces,
                                                 groups_of(lines.longest, pieces)});
  });
}

// How many blocks every block row has.
template <class Backend, class Offset>
void count_blocks_of_rows(Backend on, const block_lines<Backend, Offset>& lines, Offset* counts) {
  walk_blocks(on, lines, static_cast<const Offset*>(nullptr), count_block_action<Offset>{counts});
}

#ifndef __CUDACC__

// A thread of a CPU needs no order to count: it marks each block column with the last block row that was seen
// in it. All marks together take no more than the column indices, which is less than the entries take that
// any result has later: no peak rises. A matrix too wide for that is walked in windows.
template <class Offset>
void count_blocks_of_rows(openmp on, const block_lines<openmp, Offset>& lines, Offset* counts) {
  const int threads = threads_with_block_columns(lines.block_cols, lines.entries);
  if (threads == 0) {
    count_blocks_of_rows<openmp, Offset>(on, lines, counts);
    return;
  }
  array<std::int32_t, host> marks(lines.block_cols * threads);
  const std::int64_t at_once = block_rows_at_once(lines.count, threads);
#pragma omp parallel num_threads(threads)
  {
    const block_divisor shape = lines.shape;
    const std::int32_t* const cols = lines.cols;
    std::int32_t* const mark = marks.data() + lines.block_cols * omp_get_thread_num();
    std::fill_n(mark, lines.block_cols, 0);
#pragma omp for schedule(dynamic, at_once)
    for (std::int64_t block_row = 0; block_row < lines.count; ++block_row) {
      const std::int64_t first_row = block_row * shape.rows;
      const std::int64_t first = lines.row_offsets[first_row];
      const std::int64_t last = lines.row_offsets[std::min<std::int64_t>(first_row + shape.rows, lines.rows)];
      const auto own = static_cast<std::int32_t>(block_row + 1);
      std::int32_t blocks = 0;
      for (std::int64_t e = first; e < last; ++e)
        blocks += std::exchange(mark[shape.col_of(cols[e])], own) != own ? 1 : 0;
      counts[block_row] = blocks;
    }
  }
}

#endif

// The first block of every block row, and their total at the end.
template <class Backend, class Offset>
array<Offset, space_on<Backend>> count_blocks(Backend on, const block_lines<Backend, Offset>& lines) {
  array<Offset, space_on<Backend>> counts(lines.count);
  count_blocks_of_rows(on, lines, counts.data());
  return offsets_from_counts<Offset>(on, counts);
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

// An entry as it is loaded: its column and, where somebody wants it, its value.
template <class Value>
struct loaded_entry {
  std::int32_t col;
  Value value;
};

// f(entry, row, what is loaded of it) for every entry of the range, the row counted from the range's first.
// Long rows, of which there are enough for all, go one after the other to the warps of the team, so that the
// row is known; others are taken together and each entry looks its row up. On a GPU one loop does both: f is
// compiled into it several times over.
template <class Team, class Offset, class Value, class Function>
SPARSMITH_HOST_DEVICE void for_each_entry(const Team& team, const row_range& range, const Offset* row_offsets,
                                          const std::int32_t* cols, const Value* values, Function f) {
  const auto load = [&](std::int64_t e) {
    return loaded_entry<Value>{cols[e], values == nullptr ? Value{0} : values[e]};
  };
  if constexpr (Team::threads == 1) {  // a thread of a CPU wants a loop for each, without a question in it
    const auto with_row = [&](std::int64_t r) {
      return [&, r](std::int64_t e, const loaded_entry<Value>& entry) { f(e, r - range.first_row, entry); };
    };
    if (range.last - range.first < range.end_row - range.first_row) {
      for (std::int64_t e = range.first; e < range.last; ++e)
        with_row(row_of_entry(row_offsets, range.first_row, range.end_row, e))(e, load(e));
      return;
    }
    for (std::int64_t r = range.first_row; r < range.end_row; ++r) {
      const std::int64_t start = row_offsets[r] < range.first ? range.first : std::int64_t{row_offsets[r]};
      const std::int64_t end =
          row_offsets[r + 1] > range.last ? range.last : std::int64_t{row_offsets[r + 1]};
      load_ahead(start, end, 1, load, with_row(r));
    }
    return;
  }
  const std::int32_t lanes = team.size() < 32 ? team.size() : 32;
  const std::int64_t rows = range.end_row - range.first_row;
  const bool long_rows = range.last - range.first >= lanes * rows && rows > team.size() / lanes;
  const std::int64_t first_row = long_rows ? range.first_row + team.rank() / lanes : range.first_row;
  const std::int64_t end_row = long_rows ? range.end_row : range.first_row + 1;
  const std::int32_t stride = long_rows ? lanes : team.size();
  for (std::int64_t r = first_row; r < end_row; r += team.size() / lanes) {
    std::int64_t start = range.first, end = range.last;
    if (long_rows) {
      start = row_offsets[r] < start ? start : std::int64_t{row_offsets[r]};
      end = row_offsets[r + 1] > end ? end : std::int64_t{row_offsets[r + 1]};
    }
    load_ahead(start + team.rank() % stride, end, stride, load,
               [&](std::int64_t e, const loaded_entry<Value>& entry) {
                 const std::int64_t row =
                     long_rows ? r : row_of_entry(row_offsets, range.first_row, range.end_row, e);
                 f(e, row - range.first_row, entry);
               });
  }
}

template <class Value, class Space>
coo<Value, Space> empty_list(std::int32_t rows, std::int32_t cols, std::int64_t entries) {
  return {rows, cols, array<std::int32_t, Space>(entries), array<std::int32_t, Space>(entries),
          array<Value, Space>(entries)};
}

}  // namespace sparsmith
