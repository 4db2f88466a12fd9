// How a team sorts entries by distinct keys. It only says where each belongs, since what goes there differs.
#pragma once

#include "convert/pipelines/position_windows.hpp"

namespace sparsmith {

// Chosen by hand; bench_convert shows what a change does.
struct key_sort_tuning {
  // A bit for every key of so many bits fits any team's scratch.
  static constexpr int bitmap_bits = 10;
  // So few keys are compared all with all, which takes a single barrier: fewer where such a bitmap is the
  // other way, more where the team is a warp.
  static constexpr std::int64_t compared_for_bitmap = 16, compared_by_warp = 64, compared = 32;
  // Where there could be more than so many keys for each that there is, a bitmap would be mostly empty.
  static constexpr std::int64_t thinly_spread = 64;
};

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
  if (last - first <= (key_bits <= key_sort_tuning::bitmap_bits ? key_sort_tuning::compared_for_bitmap
                       : team.size() == 32                      ? key_sort_tuning::compared_by_warp
                                                                : key_sort_tuning::compared)) {
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
  if (key_bits <= key_sort_tuning::bitmap_bits) {  // the bits below a key are its rank
    constexpr std::int32_t words = (1 << key_sort_tuning::bitmap_bits) / 32;
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
  if (count + buckets <= team.scratch_words() &&
      (std::int64_t{1} << key_bits) > key_sort_tuning::thinly_spread * count) {
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

}  // namespace sparsmith
