#include "analyze/report/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/error.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {

std::int32_t even_cells(std::int64_t lines, std::int64_t most) {
  const std::int64_t together = std::max<std::int64_t>(1, groups_of(lines, most));
  return static_cast<std::int32_t>(groups_of(lines, together));
}

density_grid merged_to_fit(const density_grid& grid, std::int64_t most_rows, std::int64_t most_cols) {
  if (grid.rows < 0 || grid.cols < 0 || std::ssize(grid.counts) != std::int64_t{grid.rows} * grid.cols)
    throw error(failure::input, fmt::format("a grid of {} x {} cells cannot have {} counts", grid.rows,
                                            grid.cols, grid.counts.size()));
  density_grid merged;
  if (grid.counts.empty()) return merged;
  merged.rows = even_cells(grid.rows, most_rows);
  merged.cols = even_cells(grid.cols, most_cols);
  merged.counts.resize(unsigned_of(std::int64_t{merged.rows} * merged.cols));
  const auto cols = parts_of(grid.cols, merged.cols);
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    const std::int64_t first = part_of(row, grid.rows, merged.rows) * merged.cols;
    for (std::int64_t col = 0; col < grid.cols; ++col)
      merged.counts[unsigned_of(first + cols[unsigned_of(col)])] +=
          grid.counts[unsigned_of(row * grid.cols + col)];
  }
  return merged;
}

std::int64_t fullest_cell(const density_grid& grid) {
  return grid.counts.empty() ? 0 : *std::max_element(grid.counts.begin(), grid.counts.end());
}

std::vector<std::int64_t> parts_of(std::int64_t items, std::int64_t parts) {
  std::vector<std::int64_t> all(unsigned_of(items));
  for (std::int64_t i = 0; i < items; ++i) all[unsigned_of(i)] = part_of(i, items, parts);
  return all;
}

}  // namespace sparsmith
