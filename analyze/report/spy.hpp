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
};
// How many times as wide as high such a matrix is drawn.
double proportion_of(std::int64_t rows, std::int64_t cols);
// 1, 10, 100, ... below the most entries of a cell, and these: what a legend names.
std::vector<std::int64_t> powers_up_to(std::int64_t most);
std::vector<unsigned char> spy_png(const density_grid& grid, const spy_options& options);
// The rows and columns of the grid that such a PNG shows cell by cell, for a matrix of so many entries.
std::pair<std::int32_t, std::int32_t> spy_grid(const spy_options& options, std::int64_t entries);
// Its cells are at least two units wide and high, and about a thousand in each direction at the most: that
// bounds the size of the file.
std::string spy_svg(const density_grid& grid, const spy_options& options);

}  // namespace sparsmith
