// What prices ask of the lengths of rows, without building anything: the slots of SELL, and which rows are
// long.
#pragma once

#include <algorithm>

#include "convert/backend/team.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

// Slots of the slices of one sorting window. Lengths fall from slice to slice, so that the longest rows of
// the slices add up to the sum, over every length, of the slices that rows of at least that length reach
// into.
template <class Offset>
struct sell_body {
  std::int64_t rows, slice, sigma;
  const Offset* row_offsets;
  std::int64_t* slots;  // of every window

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t window) const {
    const std::int64_t first = window * sigma, last = first + sigma < rows ? first + sigma : rows;
    const auto length = [&](std::int64_t r) { return std::int64_t{row_offsets[r + 1] - row_offsets[r]}; };
    std::int32_t most = 0;
    for (std::int64_t r = first + team.rank(); r < last; r += team.size())
      most = length(r) > most ? static_cast<std::int32_t>(length(r)) : most;
    most = team.largest(most);
    auto* const shorter = reinterpret_cast<std::int32_t*>(team.scratch());
    const std::int32_t words = team.scratch_words() - 1;
    std::int64_t slices = 0;
    std::int32_t below = 0;  // rows that are too short for this stretch of lengths
    for (std::int32_t start = 0; start < most; start += words) {
      const std::int32_t count = most - start < words ? most - start : words;
      for (std::int32_t i = team.rank(); i < count; i += team.size()) shorter[i] = 0;
      team.sync();
      for (std::int64_t r = first + team.rank(); r < last; r += team.size()) {
        const std::int64_t at = length(r) - start;
        if (at >= 0 && at < count) team.add(shorter + at, 1);
      }
      team.sync();
      const std::int32_t in_stretch = team.exclusive_sum(shorter, count);
      for (std::int32_t i = team.rank(); i < count; i += team.size()) {
        // Rows of at least start + i + 1 entries: all but the ones of up to start + i.
        const std::int32_t up_to = below + (i + 1 < count ? shorter[i + 1] : in_stretch);
        slices += (last - first - up_to + slice - 1) / slice;
      }
      below += in_stretch;
      team.sync();
    }
    if (slices > 0) add_shared(slots + window, slices * slice);  // most threads have no length of their own
  }

 private:
  SPARSMITH_HOST_DEVICE static void add_shared(std::int64_t* sum, std::int64_t amount) {
#ifdef __CUDA_ARCH__
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(amount));
#else
    *sum += amount;
#endif
  }
};

// Rows with more than so many entries, and those with as many, in a stretch of rows. In a sum of few the
// former are counted in the upper 16 bits, in a sum of all in the upper 32.
template <class Offset>
struct row_stretches {
  // Rows of a stretch: the scratch of a team has a word for each, and 16 bits count them.
  static constexpr std::int64_t each = 1024;
  std::int64_t rows, entries;
  const Offset* row_offsets;

  SPARSMITH_HOST_DEVICE std::int64_t length(std::int64_t row) const {
    return row_offsets[row + 1] - row_offsets[row];
  }
  SPARSMITH_HOST_DEVICE std::int32_t count(std::int64_t row) const {
    return length(row) > entries ? 1 << 16 : length(row) == entries ? 1 : 0;
  }
  SPARSMITH_HOST_DEVICE std::int64_t end(std::int64_t stretch) const {
    return (stretch + 1) * each < rows ? (stretch + 1) * each : rows;
  }
};
template <class Offset>
struct count_long_body {
  row_stretches<Offset> stretches;
  std::int64_t* counts;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t stretch) const {
    auto* const sums = reinterpret_cast<std::int32_t*>(team.scratch());
    std::int32_t own = 0;
    for (std::int64_t r = stretch * stretches.each + team.rank(); r < stretches.end(stretch);
         r += team.size())
      own += stretches.count(r);
    sums[team.rank()] = own;
    team.sync();
    const std::int32_t all = team.exclusive_sum(sums, team.size());
    if (team.rank() == 0) counts[stretch] = (std::int64_t{all >> 16} << 32) + (all & 0xffff);
  }
};
template <class Offset>
struct list_long_body {
  row_stretches<Offset> stretches;
  const std::int64_t* counts;  // up to the end of every stretch
  std::int64_t longer, few;
  long_row* out;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t stretch) const {
    const std::int64_t before = stretch == 0 ? 0 : counts[stretch - 1], up_to = counts[stretch];
    const std::int64_t longer_before = before >> 32, equal_before = before & 0xffffffff;
    if (up_to >> 32 == longer_before && (up_to == before || equal_before >= few)) return;
    auto* const sums = reinterpret_cast<std::int32_t*>(team.scratch());
    const std::int64_t first = stretch * stretches.each, last = stretches.end(stretch);
    for (std::int64_t r = first + team.rank(); r < last; r += team.size())
      sums[r - first] = stretches.count(r);
    team.sync();
    team.exclusive_sum(sums, static_cast<int>(last - first));
    for (std::int64_t r = first + team.rank(); r < last; r += team.size()) {
      const std::int64_t length = stretches.length(r), equal = equal_before + (sums[r - first] & 0xffff);
      if (length > stretches.entries)
        out[longer_before + (sums[r - first] >> 16)] = {static_cast<std::int32_t>(r), length};
      else if (length == stretches.entries && equal < few)
        out[longer + equal] = {static_cast<std::int32_t>(r), length};
    }
    team.sync();
  }
};

template <class Backend, class Offset>
std::int64_t count_sell_slots(Backend on, csr_pattern<Offset, space_on<Backend>> matrix, sell_shape shape) {
  require_options(shape);
  const std::int64_t rows = matrix.rows, slice = shape.slice;
  if (shape.sigma % slice != 0 && slice % shape.sigma != 0) {  // slices lie across windows
    const Offset* const offsets = matrix.row_offsets.data();
    const auto order = order_by_falling_length(
        on, rows, shape.sigma,
        [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return offsets[r + 1] - offsets[r]; });
    const std::int32_t* const row = order.data();
    return reduce(
        on, groups_of(rows, slice), std::int64_t{0},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t s) {
          std::int64_t longest = 0;
          for (std::int64_t p = s * slice; p < (s + 1) * slice && p < rows; ++p) {
            const std::int64_t length = offsets[row[p] + std::int64_t{1}] - offsets[row[p]];
            longest = longest < length ? length : longest;
          }
          return longest * slice;
        },
        sum_of<std::int64_t>{});
  }
  // A window inside a slice changes nothing: the slice's longest row is what counts.
  const std::int64_t sigma = std::max<std::int64_t>(shape.sigma, slice), windows = groups_of(rows, sigma);
  array<std::int64_t, space_on<Backend>> slots(windows);
  fill(on, slots, std::int64_t{0});
  for_each_team(on, windows, sigma,
                sell_body<Offset>{rows, slice, sigma, matrix.row_offsets.data(), slots.data()});
  const std::int64_t* const all = slots.data();
  return reduce(
      on, windows, std::int64_t{0}, [=] SPARSMITH_HOST_DEVICE(std::int64_t w) { return all[w]; },
      sum_of<std::int64_t>{});
}

template <class Backend, class Offset>
array<long_row, host> find_long_rows(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                     std::int64_t entries, std::int64_t few) {
  const std::int64_t rows = matrix.rows;
  if (rows == 0) return {};
  const row_stretches<Offset> stretches{rows, entries, matrix.row_offsets.data()};
  const std::int64_t count = groups_of(rows, stretches.each);
  array<std::int64_t, space_on<Backend>> counted(count), sums(count);
  for_each_team(on, count, stretches.each, count_long_body<Offset>{stretches, counted.data()});
  const std::int64_t* const own = counted.data();
  inclusive_scan(
      on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t s) { return own[s]; }, sums.data(),
      sum_of<std::int64_t>{});
  const std::int64_t last = read_one(on, sums.data() + count - 1), longer = last >> 32;
  few = std::min(few, last & 0xffffffff);
  array<long_row, space_on<Backend>> found(longer + few);
  for_each_team(on, count, stretches.each,
                list_long_body<Offset>{stretches, sums.data(), longer, few, found.data()});
  return copy_to<host>(found, space_on<Backend>::where);
}

}  // namespace sparsmith
