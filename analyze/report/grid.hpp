// Cells of a density grid in a picture. A grid with more cells than a picture has room for is merged by whole
// factors: cells that hold different numbers of the grid's would show stripes that are not in the matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/structure/features.hpp"

namespace sparsmith {

// How many cells, `most` at the most, to lay over so many rows or columns: each has the same number of them,
// but for a few that have one less.
std::int32_t even_cells(std::int64_t lines, std::int64_t most);
density_grid merged_to_fit(const density_grid& grid, std::int64_t most_rows, std::int64_t most_cols);

std::int64_t fullest_cell(const density_grid& grid);  // its entries

// The part that item i belongs to where part p begins at item p * items / parts, as cells of a grid do.
inline std::int64_t part_of(std::int64_t i, std::int64_t items, std::int64_t parts) {
  return ((i + 1) * parts - 1) / items;
}
// The part that every item belongs to.
std::vector<std::int64_t> parts_of(std::int64_t items, std::int64_t parts);

// Sizes and places are counted with signs; the standard library indexes without.
inline std::size_t unsigned_of(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

}  // namespace sparsmith
