#include "analyze/report/plots.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "analyze/report/with_commas.hpp"
#include "convert/error.hpp"

namespace sparsmith {
namespace {

std::size_t unsigned_of(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

std::string repeated(std::string_view piece, std::int64_t times) {
  std::string text;
  for (std::int64_t i = 0; i < times; ++i) text += piece;
  return text;
}

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share > 0.9995 && share < 1) return "> 99.9 %";
  return fmt::format("{:.1f} %", 100 * share);
}

// The part that item i belongs to where part p begins at item p * items / parts, as cells of a grid do.
std::int64_t part_of(std::int64_t i, std::int64_t items, std::int64_t parts) {
  return ((i + 1) * parts - 1) / items;
}

// The part that every item belongs to.
std::vector<std::int64_t> parts_of(std::int64_t items, std::int64_t parts) {
  std::vector<std::int64_t> all(unsigned_of(items));
  for (std::int64_t i = 0; i < items; ++i) all[unsigned_of(i)] = part_of(i, items, parts);
  return all;
}

std::int64_t most_of(const density_grid& grid) {
  return grid.counts.empty() ? 0 : *std::max_element(grid.counts.begin(), grid.counts.end());
}

// The count shown at a place of a picture of `rows` x `cols` that the grid is stretched over.
std::int64_t count_at(const density_grid& grid, std::int64_t row, std::int64_t col, std::int64_t rows,
                      std::int64_t cols) {
  if (grid.counts.empty()) return 0;
  return grid.counts[unsigned_of(part_of(row, rows, grid.rows) * grid.cols + part_of(col, cols, grid.cols))];
}

// From 0 for one entry to 1 for the most.
double log_position(std::int64_t count, std::int64_t most) {
  return most <= 1 ? 1 : std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
}

// Few enough that neighbours of nearly the same count share one: that is what keeps an SVG small.
constexpr int levels = 32;

int level_of(std::int64_t count, std::int64_t most) {
  return static_cast<int>(std::lround(log_position(count, most) * (levels - 1)));
}

// Lightness moves evenly away from the background, and begins far enough from it for a single entry to be
// seen.
rgb level_colour(int level, theme colours) {
  constexpr std::array<rgb, 5> on_light = {
      {{124, 200, 162}, {47, 163, 154}, {42, 120, 142}, {59, 78, 132}, {56, 22, 84}}};
  constexpr std::array<rgb, 5> on_dark = {
      {{84, 82, 160}, {46, 124, 160}, {44, 168, 132}, {140, 206, 72}, {252, 232, 82}}};
  const auto& anchors = colours == theme::light ? on_light : on_dark;
  const double position = static_cast<double>(level) / (levels - 1) * static_cast<double>(anchors.size() - 1);
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

// Where to put numbers on an axis: 0, multiples of a round step, and the end.
std::vector<std::int64_t> axis_ticks(std::int64_t extent, std::int64_t most) {
  std::int64_t step = 1;
  for (int turn = 0; extent / step > most; ++turn) step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
  std::vector<std::int64_t> ticks;
  for (std::int64_t at = 0; at <= extent - (step + 1) / 2; at += step) ticks.push_back(at);
  ticks.push_back(extent);
  return ticks;
}

std::vector<std::int64_t> legend_ticks(std::int64_t most) {
  std::vector<std::int64_t> ticks;
  for (std::int64_t power = 1; power < most; power *= 10) {
    ticks.push_back(power);
    if (power > most / 10) break;
  }
  ticks.push_back(most);
  return ticks;
}

// Which of the numbers along an axis have room, where each takes [first, last): both ends before the others.
std::vector<bool> without_overlap(const std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
  std::vector<bool> kept(spans.size(), false);
  const auto keep_if_free = [&](std::size_t i) {
    for (std::size_t other = 0; other < spans.size(); ++other)
      if (kept[other] && spans[i].first < spans[other].second && spans[other].first < spans[i].second) return;
    kept[i] = true;
  };
  if (!spans.empty()) keep_if_free(spans.size() - 1);
  for (std::size_t i = 0; i + 1 < spans.size(); ++i) keep_if_free(i);
  return kept;
}

// A bar of `share` of `width` characters, filled up with blanks; anything but nothing is seen.
std::string bar(double share, int width, bool unicode) {
  const std::array<const char*, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int steps = unicode ? 8 : 1;
  std::int64_t length = std::lround(share * width * steps);
  if (share > 0) length = std::max<std::int64_t>(length, 1);
  const std::int64_t whole = length / steps, rest = length % steps;
  return repeated(unicode ? "█" : "#", whole) + eighths[unsigned_of(rest)] +
         repeated(" ", width - whole - (rest > 0));
}

// How the characters of a heat map look.
struct drawing_set {
  std::array<const char*, 5> shades;
  const char *horizontal, *vertical, *top_left, *top_right, *bottom_left, *bottom_right, *tick_up, *tick_left;
};
constexpr drawing_set ascii_set = {{" ", ".", ":", "*", "#"}, "-", "|", "+", "+", "+", "+", "+", "+"};
constexpr drawing_set box_set = {{" ", "░", "▒", "▓", "█"}, "─", "│", "┌", "┐", "└", "┘", "┴", "┤"};

// The nearest colour of the 6 x 6 x 6 cube that 256-colour terminals have from 16 on.
int cube_index(rgb colour) {
  const auto step = [](int channel) {
    constexpr std::array<int, 6> steps = {0, 95, 135, 175, 215, 255};
    const auto nearest = std::min_element(steps.begin(), steps.end(), [&](int a, int b) {
      return std::abs(a - channel) < std::abs(b - channel);
    });
    return static_cast<int>(nearest - steps.begin());
  };
  return 16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue);
}

class cell_printer {
 public:
  cell_printer(const density_grid& grid, const heat_map_options& options)
      : options_(options),
        set_(options.ink == terminal_ink::ascii ? ascii_set : box_set),
        coloured_(options.ink == terminal_ink::colours_256 || options.ink == terminal_ink::colours_24_bit),
        source_(grid) {}

  void fit(std::int64_t height, std::int64_t width) {
    height_ = coloured_ ? 2 * height : height;
    width_ = width;
    grid_ = merged_to_fit(source_, height_, width_);
    most_ = most_of(grid_);
  }

  std::int64_t most() const { return most_; }

  std::string line(std::int64_t row) const {
    std::string text, colour;
    for (std::int64_t col = 0; col < width_; ++col) {
      if (!coloured_) {
        text += shade(count_at(grid_, row, col, height_, width_));
        continue;
      }
      const std::int64_t upper = count_at(grid_, 2 * row, col, height_, width_);
      const std::int64_t lower = count_at(grid_, 2 * row + 1, col, height_, width_);
      std::string wanted;
      if (upper > 0 || lower > 0) wanted = escape(38, upper > 0 ? upper : lower);
      if (upper > 0 && lower > 0) wanted += escape(48, lower);
      if (wanted != colour) text += (colour.empty() ? "" : reset) + wanted;
      colour = wanted;
      text += upper > 0 ? "▀" : lower > 0 ? "▄" : " ";
    }
    return text + (colour.empty() ? "" : reset);
  }

  // Every colour or shade from the least to the most.
  std::string scale() const {
    std::string text;
    if (most_ <= 1) return coloured_ ? escape_level(38, levels - 1) + "█" + reset : set_.shades.back();
    if (!coloured_) {
      for (std::size_t i = 1; i < set_.shades.size(); ++i) text += set_.shades[i];
      return text;
    }
    for (int i = 0; i < scale_width; ++i)
      text += escape_level(38, i * (levels - 1) / (scale_width - 1)) + "█";
    return text + reset;
  }
  std::int64_t printed_scale_width() const {
    return most_ <= 1 ? 1 : coloured_ ? scale_width : std::ssize(set_.shades) - 1;
  }

  const drawing_set& set() const { return set_; }

 private:
  static constexpr int scale_width = 16;
  inline static const std::string reset = "\x1b[0m";

  const char* shade(std::int64_t count) const {
    if (count <= 0) return set_.shades.front();
    const int last = static_cast<int>(set_.shades.size()) - 1;
    return set_.shades[unsigned_of(std::min(last, 1 + static_cast<int>(log_position(count, most_) * last)))];
  }
  std::string escape(int ground, std::int64_t count) const {
    return escape_level(ground, level_of(count, most_));
  }
  std::string escape_level(int ground, int level) const {
    const rgb colour = level_colour(level, options_.colours);
    if (options_.ink == terminal_ink::colours_256)
      return fmt::format("\x1b[{};5;{}m", ground, cube_index(colour));
    return fmt::format("\x1b[{};2;{};{};{}m", ground, colour.red, colour.green, colour.blue);
  }

  const heat_map_options& options_;
  const drawing_set& set_;
  bool coloured_;
  const density_grid& source_;
  density_grid grid_;
  std::int64_t height_ = 0, width_ = 0, most_ = 0;
};

// A spy plot before it is drawn: boxes and numbers around the cells. PNG and SVG draw the same.
struct box {
  int x = 0, y = 0, width = 0, height = 0;
};
struct coloured_box {
  box where;
  int level = 0;
};
enum class alignment { left, centre, right };
struct label {
  int x = 0, y = 0;  // the end or middle that `align` names, and the baseline
  alignment align = alignment::left;
  std::string text;
};
struct spy_scene {
  box cells;
  std::vector<box> lines;
  std::vector<coloured_box> scale;
  std::vector<label> labels;
  density_grid grid;
  std::int64_t most = 0;
};

// What text takes: the width of one character with the gap to the next, and the height of digits.
struct letter_size {
  int advance = 0, height = 0;
};

int text_width(const std::string& text, letter_size letter) {
  return static_cast<int>(text.size()) * letter.advance;
}

std::vector<std::pair<std::int64_t, std::int64_t>> vertical_spans(const std::vector<int>& places,
                                                                  letter_size letter) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const int y : places) spans.emplace_back(y - letter.height, y + letter.height);
  return spans;
}

// Where along a picture of `length` a number of an axis is: where the cell that begins with it begins.
int along(std::int64_t number, std::int64_t extent, int length) {
  return extent == 0 ? 0 : static_cast<int>(number * length / extent);
}

// How many numbers as long as the last one fit side by side, with one and a half characters between them.
std::int64_t ticks_beside(std::int64_t extent, int length, int advance) {
  return std::clamp<std::int64_t>(2 * length / (advance * (2 * std::ssize(with_commas(extent)) + 3)), 1, 8);
}

// A whole number of pixels for every cell where that costs no more than a third: lines one pixel wide get
// knots where some cells take two.
int whole_cells(int length, std::int64_t cells) {
  if (cells == 0) return length;
  const auto whole = static_cast<int>(length / cells * cells);
  return std::int64_t{3} * whole >= std::int64_t{2} * length ? whole : length;
}

void add_axes(spy_scene& scene, const spy_options& options, letter_size letter, int stroke) {
  const box& cells = scene.cells;
  // Without a gap a full first row or column would pass for the frame.
  const int gap = 2 * stroke, tick = letter.height / 2 + stroke;
  const int left = cells.x - gap - stroke, top = cells.y - gap - stroke;
  const int width = cells.width + 2 * (gap + stroke), height = cells.height + 2 * (gap + stroke);
  scene.lines.push_back({left, top, width, stroke});
  scene.lines.push_back({left, top + height - stroke, width, stroke});
  scene.lines.push_back({left, top, stroke, height});
  scene.lines.push_back({left + width - stroke, top, stroke, height});

  const auto columns =
      axis_ticks(options.matrix_cols, ticks_beside(options.matrix_cols, cells.width, letter.advance));
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const std::int64_t number : columns) {
    const int x = cells.x + along(number, options.matrix_cols, cells.width);
    const int half = (text_width(with_commas(number), letter) + letter.advance) / 2;
    spans.emplace_back(x - half, x + half);
  }
  const auto shown_columns = without_overlap(spans);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!shown_columns[i]) continue;
    const int x = cells.x + along(columns[i], options.matrix_cols, cells.width);
    scene.lines.push_back({x - (stroke + 1) / 2, top - tick, stroke, tick});
    scene.labels.push_back({x, top - tick - letter.height / 2, alignment::centre, with_commas(columns[i])});
  }

  const auto rows = axis_ticks(options.matrix_rows, 8);
  std::vector<int> places;
  for (const std::int64_t number : rows)
    places.push_back(cells.y + along(number, options.matrix_rows, cells.height));
  const auto shown_rows = without_overlap(vertical_spans(places, letter));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!shown_rows[i]) continue;
    scene.lines.push_back({left - tick, places[i] - (stroke + 1) / 2, tick, stroke});
    scene.labels.push_back({left - tick - letter.advance / 2, places[i] + letter.height / 2, alignment::right,
                            with_commas(rows[i])});
  }
}

void add_legend(spy_scene& scene, letter_size letter, int stroke) {
  const box& cells = scene.cells;
  const int tick = letter.height / 2, width = 2 * letter.advance;
  const int x = cells.x + cells.width + 3 * letter.advance + 2 * stroke;
  const int first_level = scene.most <= 1 ? levels - 1 : 0;
  for (int level = first_level; level < levels; ++level) {
    const int parts = levels - first_level, part = levels - 1 - level;
    const int top = part * cells.height / parts, bottom = (part + 1) * cells.height / parts;
    if (top < bottom) scene.scale.push_back({{x, cells.y + top, width, bottom - top}, level});
  }
  const auto ticks = legend_ticks(scene.most);
  std::vector<int> places;
  for (const std::int64_t count : ticks)
    places.push_back(cells.y +
                     static_cast<int>(std::lround(
                         (scene.most <= 1 ? 0.5 : 1 - log_position(count, scene.most)) * cells.height)));
  const auto shown = without_overlap(vertical_spans(places, letter));
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (!shown[i]) continue;
    scene.lines.push_back({x + width, places[i] - (stroke + 1) / 2, tick, stroke});
    scene.labels.push_back({x + width + tick + letter.advance / 2, places[i] + letter.height / 2,
                            alignment::left, with_commas(ticks[i])});
  }
}

// Where cells go: the middle of the picture, with room around them for numbers up to `most` beside the
// legend; all of the picture without axes or where there is no room for them.
struct spy_room {
  box cells;
  bool axes = false;
  std::int64_t most = 0;
};

spy_room room_with_legend(const spy_options& options, letter_size letter, int stroke, std::int64_t most) {
  constexpr int longest_side = 32768, least_cells = 48;
  if (options.width < 1 || options.height < 1 || options.width > longest_side ||
      options.height > longest_side)
    throw error(failure::usage, fmt::format("a spy plot of {} x {}: both sides must be within 1..{}",
                                            options.width, options.height, longest_side));
  const spy_room everything = {{0, 0, options.width, options.height}, false, most};
  const double proportion =
      options.matrix_rows == 0 || options.matrix_cols == 0
          ? 1
          : std::clamp(static_cast<double>(options.matrix_cols) / static_cast<double>(options.matrix_rows),
                       0.25, 4.0);
  const int above = 2 * stroke + 3 * letter.height, below = 5 * letter.height / 2;
  const int before = text_width(with_commas(options.matrix_rows), letter) + 2 * letter.advance + 2 * stroke;
  const int half_last = text_width(with_commas(options.matrix_cols), letter) / 2 + letter.advance;
  const int beside = most == 0 ? 0 : 7 * letter.advance + 2 * stroke + text_width(with_commas(most), letter);
  const int free_width = options.width - before - std::max(half_last, beside);
  const int free_height = options.height - above - below;
  if (!options.axes || free_width < least_cells || free_height < least_cells) return everything;
  spy_room room{{}, true, most};
  room.cells.width = std::min(free_width, static_cast<int>(std::lround(free_height * proportion)));
  room.cells.height = std::min(free_height, static_cast<int>(std::lround(free_width / proportion)));
  room.cells.x = before + (free_width - room.cells.width) / 2;
  room.cells.y = above + (free_height - room.cells.height) / 2;
  return room;
}

// The room is the same before the counts are known and after, so that a grid made for it fits: the numbers
// it leaves room for go up to what a cell can hold, or to `most` where that is more. Cells are at least
// `finest` wide and high.
spy_room find_room(const spy_options& options, letter_size letter, int stroke, int finest,
                   std::int64_t entries, std::int64_t most) {
  while (true) {
    const spy_room room = room_with_legend(options, letter, stroke, entries == 0 ? 0 : most);
    const auto lines_of_cell = [&](std::int64_t lines, int length) {
      const std::int64_t cells = std::max(1, even_cells(lines, std::max(1, length / finest)));
      return (lines + cells - 1) / cells;
    };
    const std::int64_t rows = lines_of_cell(options.matrix_rows, room.cells.height);
    const std::int64_t cols = lines_of_cell(options.matrix_cols, room.cells.width);
    const std::int64_t holds = cols == 0 || rows > entries / cols ? entries : rows * cols;
    if (!room.axes || with_commas(holds).size() <= with_commas(most).size()) return room;
    most = holds;
  }
}

spy_scene compose_spy(const density_grid& grid, const spy_options& options, letter_size letter, int stroke,
                      int finest) {
  const std::int64_t entries = std::accumulate(grid.counts.begin(), grid.counts.end(), std::int64_t{0});
  // Cells coarser than the picture has room for may hold more than was thought.
  for (std::int64_t most = 1;;) {
    const spy_room room = find_room(options, letter, stroke, finest, entries, most);
    const box& cells = room.cells;
    spy_scene scene;
    scene.grid = merged_to_fit(grid, std::max(1, cells.height / finest), std::max(1, cells.width / finest));
    scene.most = most_of(scene.grid);
    scene.cells = cells;
    if (!room.axes) return scene;
    if (with_commas(scene.most).size() > with_commas(room.most).size()) {
      most = scene.most;
      continue;
    }
    scene.cells.width = whole_cells(cells.width, scene.grid.cols);
    scene.cells.height = whole_cells(cells.height, scene.grid.rows);
    scene.cells.x += (cells.width - scene.cells.width) / 2;
    scene.cells.y += (cells.height - scene.cells.height) / 2;
    add_axes(scene, options, letter, stroke);
    if (scene.most > 0) add_legend(scene, letter, stroke);
    return scene;
  }
}

struct letters {
  letter_size size;
  int stroke = 1;
};

// Letters grow with the picture: it is looked at as a whole.
letters png_letters(const spy_options& options) {
  const int scale = std::max(1, (std::min(options.width, options.height) + 150) / 400);
  return {{6 * scale, 7 * scale}, scale};
}
letters svg_letters(const spy_options& options) {
  const int scale = std::max(1, std::min(options.width, options.height) / 700);
  return {{7 * scale, 9 * scale}, scale};  // of digits in sans-serif at 12 units
}

// Digits and the comma, seven rows of five pixels each: all that a spy plot's numbers need.
constexpr std::array<std::array<std::uint8_t, 7>, 11> glyphs = {{
    {0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110},
    {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110},
    {0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111},
    {0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110},
    {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010},
    {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110},
    {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110},
    {0b11111, 0b00001, 0b00010, 0b00010, 0b00100, 0b00100, 0b00100},
    {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110},
    {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100},
    {0b00000, 0b00000, 0b00000, 0b00000, 0b00100, 0b00100, 0b01000},
}};

// Pixels as indices into a palette: background, foreground, and the levels.
class canvas {
 public:
  static constexpr std::uint8_t ink = 1, first_level = 2;

  canvas(int width, int height)
      : width_(width), height_(height), pixels_(unsigned_of(std::int64_t{width} * height), 0) {}

  void set(int x, int y, std::uint8_t colour) {
    if (x >= 0 && x < width_ && y >= 0 && y < height_)
      pixels_[unsigned_of(std::int64_t{y} * width_ + x)] = colour;
  }
  void fill(const box& where, std::uint8_t colour) {
    for (int y = where.y; y < where.y + where.height; ++y)
      for (int x = where.x; x < where.x + where.width; ++x) set(x, y, colour);
  }
  void write(const label& text, int scale) {
    const int advance = 6 * scale, width = text_width(text.text, {advance, 0}) - scale;
    int x = text.x - (text.align == alignment::right    ? width
                      : text.align == alignment::centre ? width / 2
                                                        : 0);
    for (const char c : text.text) {
      const auto& glyph = c == ',' ? glyphs.back() : glyphs[unsigned_of(c - '0')];
      for (int row = 0; row < 7; ++row)
        for (int col = 0; col < 5; ++col)
          if (glyph[unsigned_of(row)] >> (4 - col) & 1)
            fill({x + col * scale, text.y + (row - 7) * scale, scale, scale}, ink);
      x += advance;
    }
  }

  std::vector<unsigned char> as_png(theme colours) const {
    std::vector<unsigned char> palette;
    const auto add = [&](rgb colour) {
      palette.insert(palette.end(), {colour.red, colour.green, colour.blue});
    };
    add(background(colours));
    add(foreground(colours));
    for (int level = 0; level < levels; ++level) add(level_colour(level, colours));

    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB_COLORMAP;
    image.colormap_entries = static_cast<png_uint_32>(palette.size() / 3);
    // Every row has a filter byte, and zlib adds little to what it cannot compress.
    std::vector<unsigned char> file(pixels_.size() + pixels_.size() / 100 + unsigned_of(height_) + 4096);
    png_alloc_size_t bytes = file.size();
    if (!png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels_.data(), width_, palette.data()))
      throw error(failure::output, fmt::format("libpng: {}", image.message));
    file.resize(bytes);
    file.shrink_to_fit();
    return file;
  }

 private:
  int width_, height_;
  std::vector<std::uint8_t> pixels_;
};

std::string hex(rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

// The cells of each level as a path of rectangles in units of cells: runs of one level in a row, made higher
// where the row below has the same run.
std::array<std::string, levels> level_paths(const spy_scene& scene) {
  const density_grid& grid = scene.grid;
  struct rectangle {
    std::int64_t col = 0, row = 0, width = 0, height = 0;
    int level = 0;
  };
  std::array<std::string, levels> paths;
  const auto finish = [&](const rectangle& r) {
    paths[unsigned_of(r.level)] += fmt::format("M{} {}h{}v{}h-{}z", r.col, r.row, r.width, r.height, r.width);
  };
  std::vector<rectangle> above;
  for (std::int64_t row = 0; row <= grid.rows; ++row) {
    std::vector<rectangle> here;
    for (std::int64_t col = 0; row < grid.rows && col < grid.cols; ++col) {
      const std::int64_t count = grid.counts[unsigned_of(row * grid.cols + col)];
      if (count <= 0) continue;
      const int level = level_of(count, scene.most);
      if (!here.empty() && here.back().level == level && here.back().col + here.back().width == col)
        ++here.back().width;
      else
        here.push_back({col, row, 1, 1, level});
    }
    auto next = here.begin();
    for (const rectangle& old : above) {
      while (next != here.end() && next->col < old.col) ++next;
      if (next != here.end() && next->col == old.col && next->width == old.width &&
          next->level == old.level) {
        next->row = old.row;
        next->height = old.height + 1;
      } else {
        finish(old);
      }
    }
    above = std::move(here);
  }
  return paths;
}

std::string svg_box(const box& b, const std::string& attributes) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>\n", b.x, b.y, b.width, b.height,
                     attributes);
}

}  // namespace

std::int32_t even_cells(std::int64_t lines, std::int64_t most) {
  const std::int64_t together = std::max<std::int64_t>(1, (lines + most - 1) / most);
  return static_cast<std::int32_t>((lines + together - 1) / together);
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

std::pair<std::int32_t, std::int32_t> spy_grid(const spy_options& options, std::int64_t entries) {
  const auto [letter, stroke] = png_letters(options);
  const box room = find_room(options, letter, stroke, 1, entries, 1).cells;
  return {even_cells(options.matrix_rows, room.height), even_cells(options.matrix_cols, room.width)};
}

std::string print_histogram(const std::vector<length_bin>& bins, int width, bool unicode) {
  if (width < 1 || bins.empty()) return "";
  constexpr int shortest_bar = 8;
  struct column {
    std::vector<std::string> cells;
    int width = 0;
    void add(std::string text) {
      width = std::max(width, static_cast<int>(text.size()));
      cells.push_back(std::move(text));
    }
  };
  std::int64_t all = 0, most = 0;
  for (const length_bin& bin : bins) {
    all += bin.lines;
    most = std::max(most, bin.lines);
  }
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  column lengths;
  std::vector<column> numbers(3);
  lengths.add("length");
  numbers[0].add("lines");
  numbers[1].add("share");
  numbers[2].add("entries so far");
  for (const length_bin& bin : bins) {
    lengths.add(bin.first == bin.last ? with_commas(bin.first)
                                      : fmt::format("{}..{}", with_commas(bin.first), with_commas(bin.last)));
    numbers[0].add(with_commas(bin.lines));
    numbers[1].add(percent(share(bin.lines, all)));
    numbers[2].add(percent(bin.cumulative_entries));
  }
  const auto room_for_bar = [&] {
    int room = width - lengths.width - 2;
    for (const column& c : numbers) room -= 2 + c.width;
    return room;
  };
  while (numbers.size() > 1 && room_for_bar() < shortest_bar) numbers.pop_back();
  const int bar_width = room_for_bar() < shortest_bar ? 0 : room_for_bar();

  std::string text;
  for (std::size_t i = 0; i < lengths.cells.size(); ++i) {
    std::string line = fmt::format("{:>{}}", lengths.cells[i], lengths.width);
    if (bar_width > 0)
      line += "  " + (i == 0 ? std::string(unsigned_of(bar_width), ' ')
                             : bar(share(bins[i - 1].lines, most), bar_width, unicode));
    for (const column& c : numbers) line += fmt::format("  {:>{}}", c.cells[i], c.width);
    // Without a bar all is ASCII, so that bytes are characters.
    if (bar_width == 0) line.resize(std::min(line.size(), unsigned_of(width)));
    text += line + "\n";
  }
  return text;
}

rgb colour_of(std::int64_t count, std::int64_t most, theme colours) {
  return count <= 0 ? background(colours) : level_colour(level_of(count, most), colours);
}

std::string print_heat_map(const density_grid& grid, const heat_map_options& options) {
  if (options.width < 1 || options.height < 1) return "";
  constexpr int narrowest = 8, lowest = 4, lines_around = 4;  // numbers, frame above and below, legend
  cell_printer cells(grid, options);
  const int before = static_cast<int>(with_commas(options.matrix_rows).size());
  const int width = options.width - before - 2, height = options.height - lines_around;
  std::string text;
  if (width < narrowest || height < lowest) {
    cells.fit(options.height, options.width);
    for (int row = 0; row < options.height; ++row) text += cells.line(row) + "\n";
    return text;
  }
  cells.fit(height, width);
  const auto row_ticks = axis_ticks(options.matrix_rows, std::clamp(height / 3, 1, 8));
  const auto col_ticks = axis_ticks(options.matrix_cols, ticks_beside(options.matrix_cols, width, 1));
  const drawing_set& set = cells.set();

  const auto place = [](std::int64_t number, std::int64_t extent, int length) {
    return std::min(length - 1, along(number, extent, length));
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const std::int64_t number : col_ticks) {
    const std::int64_t size = std::ssize(with_commas(number));
    const std::int64_t centred = before + 1 + place(number, options.matrix_cols, width) - size / 2;
    const std::int64_t first = std::clamp<std::int64_t>(centred, 0, options.width - size);
    spans.emplace_back(first, first + size + 1);
  }
  const auto shown = without_overlap(spans);
  std::string numbers(unsigned_of(options.width), ' ');
  std::vector<std::string> top(unsigned_of(width), set.horizontal);
  for (std::size_t i = 0; i < col_ticks.size(); ++i) {
    if (!shown[i]) continue;
    const std::string number = with_commas(col_ticks[i]);
    numbers.replace(unsigned_of(spans[i].first), number.size(), number);
    top[unsigned_of(place(col_ticks[i], options.matrix_cols, width))] = set.tick_up;
  }
  numbers.erase(numbers.find_last_not_of(' ') + 1);
  const std::string margin(unsigned_of(before), ' ');
  text += numbers + "\n" + margin + set.top_left;
  for (const std::string& piece : top) text += piece;
  text += set.top_right + std::string("\n");

  std::vector<std::string> row_numbers(unsigned_of(height));
  for (const std::int64_t number : row_ticks)
    row_numbers[unsigned_of(place(number, options.matrix_rows, height))] = with_commas(number);
  for (int row = 0; row < height; ++row) {
    const std::string& number = row_numbers[unsigned_of(row)];
    text += fmt::format("{:>{}}{}{}{}\n", number, before, number.empty() ? set.vertical : set.tick_left,
                        cells.line(row), set.vertical);
  }
  text += margin + set.bottom_left + repeated(set.horizontal, width) + set.bottom_right + "\n";

  const std::string most = with_commas(cells.most()), least = cells.most() > 1 ? "1 " : "";
  const std::string what = "entries per cell: ";
  if (cells.most() == 0) {
    text += margin + (width >= 10 ? " no entries" : "") + "\n";
    return text;
  }
  const std::int64_t scale = std::ssize(least) + cells.printed_scale_width() + 1 + std::ssize(most);
  if (scale <= width)
    text +=
        margin + " " + (scale + std::ssize(what) <= width ? what : "") + least + cells.scale() + " " + most;
  return text + "\n";
}

std::vector<unsigned char> spy_png(const density_grid& grid, const spy_options& options) {
  const auto [letter, scale] = png_letters(options);
  const spy_scene scene = compose_spy(grid, options, letter, scale, 1);
  canvas picture(options.width, options.height);
  const box& cells = scene.cells;
  if (scene.most > 0) {
    const auto cols = parts_of(cells.width, scene.grid.cols);
    for (int y = 0; y < cells.height; ++y) {
      const std::int64_t first = part_of(y, cells.height, scene.grid.rows) * scene.grid.cols;
      for (int x = 0; x < cells.width; ++x) {
        const std::int64_t count = scene.grid.counts[unsigned_of(first + cols[unsigned_of(x)])];
        if (count > 0)
          picture.set(cells.x + x, cells.y + y,
                      static_cast<std::uint8_t>(canvas::first_level + level_of(count, scene.most)));
      }
    }
  }
  for (const box& line : scene.lines) picture.fill(line, canvas::ink);
  for (const coloured_box& step : scene.scale)
    picture.fill(step.where, static_cast<std::uint8_t>(canvas::first_level + step.level));
  for (const label& text : scene.labels) picture.write(text, scale);
  return picture.as_png(options.colours);
}

std::string spy_svg(const density_grid& grid, const spy_options& options) {
  constexpr int most_cells = 1024;
  const auto [letter, scale] = svg_letters(options);
  const int finest = std::max(2, std::max(options.width, options.height) / most_cells);
  const spy_scene scene = compose_spy(grid, options, letter, scale, finest);
  const std::string ink = hex(foreground(options.colours));
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<title>Entries of a {2} x {3} matrix</title>\n",
      options.width, options.height, with_commas(options.matrix_rows), with_commas(options.matrix_cols));
  svg += svg_box({0, 0, options.width, options.height},
                 fmt::format(" fill=\"{}\"", hex(background(options.colours))));
  // Without smoothing: the seams between neighbours would show.
  svg += "<g shape-rendering=\"crispEdges\">\n";
  if (scene.most > 0) {
    svg += fmt::format("<g transform=\"translate({} {}) scale({:.6g} {:.6g})\">\n", scene.cells.x,
                       scene.cells.y, static_cast<double>(scene.cells.width) / scene.grid.cols,
                       static_cast<double>(scene.cells.height) / scene.grid.rows);
    const auto paths = level_paths(scene);
    for (int level = 0; level < levels; ++level)
      if (!paths[unsigned_of(level)].empty())
        svg += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", hex(level_colour(level, options.colours)),
                           paths[unsigned_of(level)]);
    svg += "</g>\n";
  }
  for (const box& line : scene.lines) svg += svg_box(line, fmt::format(" fill=\"{}\"", ink));
  for (const coloured_box& step : scene.scale)
    svg += svg_box(step.where, fmt::format(" fill=\"{}\"", hex(level_colour(step.level, options.colours))));
  svg += fmt::format("</g>\n<g fill=\"{}\" font-family=\"sans-serif\" font-size=\"{}\">\n", ink, 12 * scale);
  for (const label& text : scene.labels)
    svg += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", text.x, text.y,
                       text.align == alignment::right    ? " text-anchor=\"end\""
                       : text.align == alignment::centre ? " text-anchor=\"middle\""
                                                         : "",
                       text.text);
  if (!scene.scale.empty()) {
    const box& last = scene.scale.front().where;
    svg += fmt::format("<text x=\"{}\" y=\"{}\">entries</text>\n", last.x,
                       scene.cells.y + scene.cells.height + 2 * letter.height);
  }
  return svg + "</g>\n</svg>\n";
}

}  // namespace sparsmith
