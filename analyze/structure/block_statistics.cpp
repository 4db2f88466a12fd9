#include "analyze/structure/block_statistics.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

template <class Result, class Number>
five_numbers<Result> five_of(std::vector<Number> numbers) {
  if (numbers.empty()) return {};
  std::sort(numbers.begin(), numbers.end());
  const auto at = [&](std::size_t quarter) {
    const std::size_t rank = (numbers.size() * quarter + 3) / 4;
    return Result{numbers[rank == 0 ? 0 : rank - 1]};
  };
  return {Result{numbers.front()}, at(1), at(2), at(3), Result{numbers.back()}};
}

void summarize_counts(const std::vector<std::int32_t>& counts, std::int64_t all_blocks,
                      block_statistics& result) {
  result.blocks = static_cast<std::int64_t>(counts.size());
  result.empty_blocks = all_blocks - result.blocks;
  result.entries = five_of<std::int64_t>(counts);
  for (const std::int32_t count : counts) {
    const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(count))) - 1;
    while (result.histogram.size() <= bin)
      result.histogram.push_back({std::int64_t{1} << result.histogram.size(), 0});
    ++result.histogram[bin].second;
  }
}

// `counts` hold the blocks of one group after the other; the last group may be short. length(group, longest
// block) is how many entries a group has room for in every block.
template <class Length>
void summarize_groups(array_view<const std::int32_t> counts, std::int64_t group_size, Length length,
                      block_statistics& result) {
  std::vector<std::int64_t> longest, shortest, padding, steps;
  std::vector<double> mean;
  for (std::int64_t g = 0; g < counts.size(); g += group_size) {
    const auto* const first = counts.begin() + g;
    const auto* const last = counts.begin() + std::min(g + group_size, counts.size());
    const auto total = std::accumulate(first, last, std::int64_t{0});
    longest.push_back(*std::max_element(first, last));
    shortest.push_back(*std::min_element(first, last));
    mean.push_back(static_cast<double>(total) / static_cast<double>(last - first));
    steps.push_back(length(g / group_size, longest.back()));
    const std::int64_t slots = steps.back() * group_size;
    padding.push_back(slots - total);
    result.slots += slots;
    result.padded_slots += padding.back();
  }
  result.groups = static_cast<std::int64_t>(longest.size());
  result.group_longest = five_of<std::int64_t>(std::move(longest));
  result.group_shortest = five_of<std::int64_t>(std::move(shortest));
  result.group_mean = five_of<double>(std::move(mean));
  result.group_steps = five_of<std::int64_t>(std::move(steps));
  std::sort(padding.begin(), padding.end(), std::greater<>());
  std::int64_t carried = 0, groups = 0;
  while (carried * 2 < result.padded_slots) carried += padding[static_cast<std::size_t>(groups++)];
  if (result.groups > 0)
    result.groups_with_half_the_padding = static_cast<double>(groups) / static_cast<double>(result.groups);
}

}  // namespace

block_statistics summarize_blocks(array_view<const std::int32_t> counts, std::int64_t all_blocks,
                                  std::int32_t group_size, std::int32_t window) {
  block_statistics result;
  std::vector<std::int32_t> sorted(counts.begin(), counts.end());
  summarize_counts(sorted, all_blocks, result);
  if (group_size == 0) return result;
  const std::int64_t size = window > 0 ? window : result.blocks;
  for (std::int64_t w = 0; w < result.blocks; w += size)
    std::sort(sorted.begin() + w, sorted.begin() + std::min(w + size, result.blocks), std::greater<>());
  summarize_groups(
      {sorted.data(), result.blocks}, group_size, [](std::int64_t, std::int64_t longest) { return longest; },
      result);
  return result;
}

template <class Offset, class Value>
block_statistics summarize_tiles(array_view<const std::int32_t> lane_counts,
                                 const gcsb_tile<Offset, Value, host>& matrix) {
  block_statistics result;
  const std::int64_t height = matrix.tile_height, width = matrix.tile_width, lanes = matrix.group_size;
  const std::int64_t tile_cols = groups_of(matrix.cols, width);
  const std::int64_t all_tiles = groups_of(matrix.rows, height) * tile_cols;
  std::vector<std::int32_t> tiles;
  for (std::int64_t t = 0; t < lane_counts.size(); t += lanes)
    tiles.push_back(std::accumulate(lane_counts.begin() + t, lane_counts.begin() + t + lanes, 0));
  summarize_counts(tiles, all_tiles, result);
  summarize_groups(
      lane_counts, lanes,
      [&](std::int64_t group, std::int64_t) -> std::int64_t {
        return matrix.tile_offsets[group + 1] - matrix.tile_offsets[group];
      },
      result);

  const auto row_number = places_in(matrix.row_order), col_number = places_in(matrix.col_order);
  result.rest_entries = matrix.rest_row_indices.size();
  array<std::int64_t, host> in_tile(result.rest_entries);
  for (std::int64_t i = 0; i < result.rest_entries; ++i) {
    std::int64_t row = matrix.rest_row_indices[i], col = matrix.rest_col_indices[i];
    if (matrix.renumbered != 0) {
      row = row_number[row];
      col = col_number[col];
    }
    in_tile[i] = row / height * tile_cols + col / width;
  }
  std::sort(in_tile.begin(), in_tile.end());
  result.rest_blocks = std::unique(in_tile.begin(), in_tile.end()) - in_tile.begin();
  result.empty_blocks -= result.rest_blocks;
  return result;
}

template block_statistics summarize_tiles(array_view<const std::int32_t>,
                                          const gcsb_tile<std::int32_t, float, host>&);
template block_statistics summarize_tiles(array_view<const std::int32_t>,
                                          const gcsb_tile<std::int32_t, double, host>&);
template block_statistics summarize_tiles(array_view<const std::int32_t>,
                                          const gcsb_tile<std::int64_t, float, host>&);
template block_statistics summarize_tiles(array_view<const std::int32_t>,
                                          const gcsb_tile<std::int64_t, double, host>&);

}  // namespace sparsmith
