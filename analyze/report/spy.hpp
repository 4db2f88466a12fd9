// Spy plots, where the entries of a matrix are, as PNG and SVG. Counts are on a log scale.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyze/report/colours.hpp"
#include "analyze/structure/features.hpp"

namespace sparsmith {

// The matrix keeps its proportions up to 4 : 1 within the picture; without axes, or where there is no room
// for them, the cells fill all of it.
struct spy_options {
  std::int64_t matrix_rows = 0, matrix_cols = 0;  // what the ticks count
  int width = 840, height = 700;
  theme colours = theme::light;
  bool axes = true;  // and the legend
  int letters = 0;   // how many pixels wide the strokes of a PNG's letters are; 0: as suits its size
};
// The same, and no larger than its cells and their numbers need: a wide matrix makes the picture lower, a
// tall one narrower. For a matrix of so many entries.
spy_options fitted_spy(spy_options options, std::int64_t entries);
std::vector<unsigned char> spy_png(const density_grid& grid, const spy_options& options);
// The rows and columns of the grid that such a PNG shows cell by cell, for a matrix of so many entries.
std::pair<std::int32_t, std::int32_t> spy_grid(const spy_options& options, std::int64_t entries);
// Its cells are at least two units wide and high, and about a thousand in each direction at the most: that
// bounds the size of the file.
std::string spy_svg(const density_grid& grid, const spy_options& options);

}  // namespace sparsmith
