#include "analyze/block_statistics.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace sparsmith {
namespace {

template <class Number>
five_numbers five_of(std::vector<Number> numbers) {
  if (numbers.empty()) return {};
  std::sort(numbers.begin(), numbers.end());
  const auto at = [&](std::size_t quarter) {
    const std::size_t rank =
        (numbers.size() * quarter + 3) / 4;  // the smallest that `quarter` quarters do not exceed
    return std::int64_t{numbers[rank == 0 ? 0 : rank - 1]};
  };
  return {std::int64_t{numbers.front()}, at(1), at(2), at(3), std::int64_t{numbers.back()}};
}

}  // namespace

block_statistics summarize_blocks(array_view<const std::int32_t> counts, std::int64_t all_blocks,
                                  std::int32_t group_size, std::int32_t window) {
  block_statistics result;
  result.blocks = counts.size();
  result.empty_blocks = all_blocks - result.blocks;
  std::vector<std::int32_t> sorted(counts.begin(), counts.end());
  result.entries = five_of(sorted);
  for (const std::int32_t count : sorted) {
    const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(count))) - 1;
    while (result.histogram.size() <= bin)
      result.histogram.push_back({std::int64_t{1} << result.histogram.size(), 0});
    ++result.histogram[bin].second;
  }
  if (group_size == 0 || sorted.empty()) return result;

  const std::int64_t size = window > 0 ? window : result.blocks;
  for (std::int64_t w = 0; w < result.blocks; w += size)
    std::sort(sorted.begin() + w, sorted.begin() + std::min(w + size, result.blocks), std::greater<>());
  std::vector<std::int64_t> longest, padding;
  for (std::int64_t g = 0; g < result.blocks; g += group_size) {
    const auto first = sorted.begin() + g;
    const auto last = sorted.begin() + std::min<std::int64_t>(g + group_size, result.blocks);
    longest.push_back(*std::max_element(first, last));
    const std::int64_t slots = longest.back() * group_size;
    padding.push_back(slots - std::accumulate(first, last, std::int64_t{0}));
    result.slots += slots;
    result.padded_slots += padding.back();
  }
  result.groups = static_cast<std::int64_t>(longest.size());
  result.group_mean = static_cast<double>(std::accumulate(longest.begin(), longest.end(), std::int64_t{0})) /
                      static_cast<double>(result.groups);
  result.group_longest = five_of(longest);
  std::sort(padding.begin(), padding.end(), std::greater<>());
  std::int64_t carried = 0, groups = 0;
  while (carried * 2 < result.padded_slots) carried += padding[static_cast<std::size_t>(groups++)];
  result.groups_with_half_the_padding = static_cast<double>(groups) / static_cast<double>(result.groups);
  return result;
}

}  // namespace sparsmith
