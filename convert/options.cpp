#include "convert/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "convert/error.hpp"
#include "convert/formats/properties.hpp"

namespace sparsmith {
namespace {

template <class... Values>
[[noreturn]] void refuse(const char* quantity, fmt::format_string<Values...> text, Values&&... values) {
  throw error(failure::usage, fmt::format(text, std::forward<Values>(values)...), quantity);
}

void require_index_bits(int bits) {
  if (bits != 0 && bits != 16 && bits != 32)
    refuse("index", "combined indices have 16 or 32 bits, not {}", bits);
}

}  // namespace

void require_max_fill(double max_fill) {
  if (std::isnan(max_fill) || max_fill < 1)
    refuse("max-fill", "a limit of {:g} slots per entry leaves no room for the entries", max_fill);
}

void require_options(const sell_shape& shape) {
  if (shape.slice < 1) refuse("slice", "a slice of SELL has at least one row, not {}", shape.slice);
  if (shape.sigma < 1) refuse("sigma", "a sorting window of SELL has at least one row, not {}", shape.sigma);
}

void require_dia_share(double share) {
  if (std::isnan(share) || share > 1)
    refuse("diagonals", "no diagonal has {:g} entries per row: the share is at most 1", share);
}

std::int64_t least_on_diagonal(double dia_share, std::int64_t rows, std::int64_t value_bytes) {
  require_dia_share(dia_share);
  // An entry of the rest has two indices beside its value.
  const std::int64_t in_rest = value_bytes + 2 * std::int64_t{sizeof(std::int32_t)};
  const auto least = dia_share < 0
                         ? groups_of(rows * value_bytes, in_rest)
                         : static_cast<std::int64_t>(std::ceil(dia_share * static_cast<double>(rows)));
  return std::max<std::int64_t>(least, 1);
}

void require_bsr_block(block_size block) {
  if (block.rows < 1 || block.cols < 1 || block.rows > 64 || block.cols > 64)
    refuse("block", "a block of BSR has sides from 1 to 64, not {} x {}", block.rows, block.cols);
}

void require_options(const block_options& options, format_kind format) {
  if (options.beta < 2 || options.beta > 4096 || !is_power_of_two(options.beta))
    refuse("beta", "beta {} is not a power of two from 2 to 4096", options.beta);
  require_index_bits(options.index_bits);
  if (options.index_bits == 16 && options.beta > 256)
    refuse("index", "16-bit combined indices need a beta of at most 256, not {}", options.beta);
  if (format != format_kind::gcsb) return;
  if (options.group_size < 1 || options.group_size > 1 << 16)
    refuse("group", "a group has 1 to 65536 blocks, not {}", options.group_size);
  if (options.window < 0) refuse("window", "a sorting window of {} blocks is negative", options.window);
  if (options.thesis && options.window > 0)
    refuse("window", "the thesis layout sorts the whole matrix and takes no window of {} blocks",
           options.window);
}

void require_options(const tile_options& options) {
  for (const std::int32_t side : {options.height, options.width})
    if (side != 0 && (!is_power_of_two(side) || side < 256 || side > 2048))
      refuse("tile", "tile sides are powers of two from 256 to 2048, not {}", side);
  if ((options.height == 0) != (options.width == 0))
    refuse("tile", "a tile has two sides: give both, or none");
  if (!is_lane_count(options.group_size))
    refuse("group", "the group size of layout tile is a power of two up to 32, not {}", options.group_size);
  require_index_bits(options.index_bits);
  if (options.index_bits == 16 && options.height / options.group_size * options.width > 32768)
    refuse("index", "16-bit combined indices leave no room for tiles of {} x {} with {} lanes",
           options.height, options.width, options.group_size);
  if (options.rest_below < 0) refuse("rest", "a tile cannot have fewer than {} entries", options.rest_below);
}

void require_block_size(block_size size) {
  if (size.rows < 1 || size.cols < 1)
    refuse("block", "a block has sides of at least 1, not {} x {}", size.rows, size.cols);
}

void require_options(const conversion_options& options, format_kind format) {
  require_max_fill(options.max_fill);
  if (const auto require = properties_of(format).require) require(options);
}

}  // namespace sparsmith
