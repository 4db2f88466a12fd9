#include "analyze/report/colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace sparsmith {

double log_position(std::int64_t count, std::int64_t most) {
  return most <= 1 ? 1 : std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
}

int colour_step(std::int64_t count, std::int64_t most) {
  return static_cast<int>(std::lround(log_position(count, most) * (colour_steps - 1)));
}

// Lightness moves evenly away from the background, and begins far enough from it for a single entry to be
// seen.
rgb step_colour(int step, theme colours) {
  constexpr std::array<rgb, 5> on_light = {
      {{124, 200, 162}, {47, 163, 154}, {42, 120, 142}, {59, 78, 132}, {56, 22, 84}}};
  constexpr std::array<rgb, 5> on_dark = {
      {{84, 82, 160}, {46, 124, 160}, {44, 168, 132}, {140, 206, 72}, {252, 232, 82}}};
  const auto& anchors = colours == theme::light ? on_light : on_dark;
  const double position =
      static_cast<double>(step) / (colour_steps - 1) * static_cast<double>(anchors.size() - 1);
  const std::size_t before = std::min(static_cast<std::size_t>(position), anchors.size() - 2);
  const double weight = position - static_cast<double>(before);
  const auto mixed = [&](std::uint8_t rgb::*channel) {
    return static_cast<std::uint8_t>(
        std::lround((1 - weight) * anchors[before].*channel + weight * anchors[before + 1].*channel));
  };
  return {mixed(&rgb::red), mixed(&rgb::green), mixed(&rgb::blue)};
}

rgb background(theme colours) {
  return colours == theme::light ? rgb{255, 255, 255} : rgb{20, 22, 27};
}
rgb foreground(theme colours) {
  return colours == theme::light ? rgb{70, 74, 82} : rgb{176, 182, 192};
}

rgb colour_of(std::int64_t count, std::int64_t most, theme colours) {
  return count <= 0 ? background(colours) : step_colour(colour_step(count, most), colours);
}

}  // namespace sparsmith
