// Pictures of features: a histogram and a heat map for the terminal, a spy plot as PNG and SVG. Counts are on
// a log scale everywhere. A grid with more cells than a picture has room for is merged by whole factors:
// cells that hold different numbers of the grid's would show stripes that are not in the matrix.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyze/structure/features.hpp"

namespace sparsmith {

// How many cells, `most` at the most, to lay over so many rows or columns: each has the same number of them,
// but for a few that have one less.
std::int32_t even_cells(std::int64_t lines, std::int64_t most);
density_grid merged_to_fit(const density_grid& grid, std::int64_t most_rows, std::int64_t most_cols);

// One line for each bin, under a heading, none wider than `width`: the lengths, a bar, how many lines there
// are, their share, and the share of all entries up to there. What does not fit is left out from the right
// on.
std::string print_histogram(const std::vector<length_bin>& bins, int width, bool unicode);

enum class theme { light, dark };

struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const rgb&) const = default;
};

// The colour of a cell where the fullest one has `most` entries; the background for an empty cell.
rgb colour_of(std::int64_t count, std::int64_t most, theme colours);

enum class terminal_ink {
  ascii,
  shades,
  colours_256,  // two cells in a character
  colours_24_bit,
};

// At most `width` x `height` characters with frame, numbers and legend, and as many unless the terminal is
// too small for them: then the cells alone. The background is the terminal's own.
struct heat_map_options {
  std::int64_t matrix_rows = 0, matrix_cols = 0;  // what the ticks count
  int width = 80, height = 24;
  terminal_ink ink = terminal_ink::shades;
  theme colours = theme::dark;
};
std::string print_heat_map(const density_grid& grid, const heat_map_options& options);

// The matrix keeps its proportions up to 4 : 1 within the picture; without axes, or where there is no room
// for them, the cells fill all of it.
struct spy_options {
  std::int64_t matrix_rows = 0, matrix_cols = 0;  // what the ticks count
  int width = 840, height = 700;
  theme colours = theme::light;
  bool axes = true;  // and the legend
};
std::vector<unsigned char> spy_png(const density_grid& grid, const spy_options& options);
// The rows and columns of the grid that such a PNG shows cell by cell, for a matrix of so many entries.
std::pair<std::int32_t, std::int32_t> spy_grid(const spy_options& options, std::int64_t entries);
// Its cells are at least two units wide and high, and about a thousand in each direction at the most: that
// bounds the size of the file.
std::string spy_svg(const density_grid& grid, const spy_options& options);

}  // namespace sparsmith
