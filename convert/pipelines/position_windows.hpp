// Which of many possible positions are taken, and the rank of each among them, found by one team in its
// scratch: as a bitmap, one window after the other, or as a list where the positions are few. Nothing is
// allocated per possible position.
#pragma once

#include "convert/backend/team.hpp"
#include "convert/pipelines/load_ahead.hpp"

namespace sparsmith {

// Chosen by hand; bench_convert shows what a change does.
struct window_tuning {
  // The positions of a bucket are compared all with all, which grows with the square of their number.
  static constexpr std::int32_t most_in_bucket = 128;
  // Small windows have fewer words to clear and to count: words_for_few where there are up to `few`
  // positions, else words_for_more.
  static constexpr std::int64_t few = 64;
  static constexpr std::int32_t words_for_few = 4, words_for_more = 64;
  // Positions mostly come in runs, of which a small window then has about so many.
  static constexpr std::int64_t in_small_window = 4;
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
  if (team.largest(most) > window_tuning::most_in_bucket) {
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
  const std::int32_t few_words =
      last - first <= window_tuning::few ? window_tuning::words_for_few : window_tuning::words_for_more;
  const std::int64_t all_words = (high - low) / 32 + 1, count = last - first;
  const std::int64_t large = 3 * all_words + ((all_words - 1) / most_words + 1) * 2 * count;
  std::int64_t small_windows = (all_words - 1) / few_words + 1;
  if (count / window_tuning::in_small_window + 1 < small_windows)
    small_windows = count / window_tuning::in_small_window + 1;
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

}  // namespace sparsmith
