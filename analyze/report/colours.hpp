// How many entries a cell has, as a colour: counts are on a log scale, in steps.
#pragma once

#include <cstdint>

namespace sparsmith {

enum class theme { light, dark };

struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const rgb&) const = default;
};

// From 0 for one entry to 1 for the most.
double log_position(std::int64_t count, std::int64_t most);

// Few enough that neighbours of nearly the same count share one: that is what keeps an SVG small.
inline constexpr int colour_steps = 32;
int colour_step(std::int64_t count, std::int64_t most);
rgb step_colour(int step, theme colours);

// The colour of a cell where the fullest one has `most` entries; the background for an empty cell.
rgb colour_of(std::int64_t count, std::int64_t most, theme colours);
rgb background(theme colours);
rgb foreground(theme colours);

}  // namespace sparsmith
