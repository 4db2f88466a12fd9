// Pictures made of characters: a histogram and a heat map for the terminal. Counts are on a log scale.
#pragma once

#include <string>
#include <vector>

#include "analyze/report/colours.hpp"
#include "analyze/structure/features.hpp"

namespace sparsmith {

// One line for each bin, under a heading, none wider than `width`: the lengths, a bar, how many lines there
// are, their share, and the share of all entries up to there. What does not fit is left out from the right
// on.
std::string print_histogram(const std::vector<length_bin>& bins, int width, bool unicode);

enum class terminal_ink {
  ascii,
  shades,
  colours_256,  // two cells in a character
  colours_24_bit,
};

// At most `width` x `height` characters with frame, numbers and legend: as many as a picture of the matrix's
// shape takes. On a terminal that is too small for them, the cells alone. The background is the terminal's
// own.
struct heat_map_options {
  std::int64_t matrix_rows = 0, matrix_cols = 0;  // what the ticks count
  int width = 80, height = 24;
  terminal_ink ink = terminal_ink::shades;
  theme colours = theme::dark;
};
std::string print_heat_map(const density_grid& grid, const heat_map_options& options);

}  // namespace sparsmith
