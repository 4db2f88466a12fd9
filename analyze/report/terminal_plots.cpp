#include "analyze/report/terminal_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "analyze/report/axis.hpp"
#include "analyze/report/grid.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith {
namespace {

std::string repeated(std::string_view piece, std::int64_t times) {
  std::string text;
  for (std::int64_t i = 0; i < times; ++i) text += piece;
  return text;
}

// The count shown at a place of a picture of `rows` x `cols` that the grid is stretched over.
std::int64_t count_at(const density_grid& grid, std::int64_t row, std::int64_t col, std::int64_t rows,
                      std::int64_t cols) {
  if (grid.counts.empty()) return 0;
  return grid.counts[unsigned_of(part_of(row, rows, grid.rows) * grid.cols + part_of(col, cols, grid.cols))];
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
    most_ = fullest_cell(grid_);
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
    if (most_ <= 1) return coloured_ ? escape_step(38, colour_steps - 1) + "█" + reset : set_.shades.back();
    if (!coloured_) {
      for (std::size_t i = 1; i < set_.shades.size(); ++i) text += set_.shades[i];
      return text;
    }
    for (int i = 0; i < scale_width; ++i)
      text += escape_step(38, i * (colour_steps - 1) / (scale_width - 1)) + "█";
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
    return escape_step(ground, colour_step(count, most_));
  }
  std::string escape_step(int ground, int step) const {
    const rgb colour = step_colour(step, options_.colours);
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

struct cell_size {
  int width = 0, height = 0;
};

// As many cells of a terminal as look like the matrix, about twice as high as they are wide, in this room.
// What is far longer than wide, or wider than long, still gets the least that shows something.
cell_size cells_in_shape(std::int64_t rows, std::int64_t cols, cell_size room, cell_size least) {
  if (rows <= 0 || cols <= 0) return room;
  constexpr double height_of_cell = 2;
  const double wide = height_of_cell * static_cast<double>(cols) / static_cast<double>(rows);
  if (wide * room.height <= room.width)
    return {std::max(least.width, static_cast<int>(std::lround(wide * room.height))), room.height};
  return {room.width, std::max(least.height, static_cast<int>(std::lround(room.width / wide)))};
}

}  // namespace

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
    numbers[1].add(percent(share_of(bin.lines, all)));
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
                             : bar(share_of(bins[i - 1].lines, most), bar_width, unicode));
    for (const column& c : numbers) line += fmt::format("  {:>{}}", c.cells[i], c.width);
    // Without a bar all is ASCII, so that bytes are characters.
    if (bar_width == 0) line.resize(std::min(line.size(), unsigned_of(width)));
    text += line + "\n";
  }
  return text;
}

std::string print_heat_map(const density_grid& grid, const heat_map_options& options) {
  if (options.width < 1 || options.height < 1) return "";
  constexpr int narrowest = 8, lowest = 4, lines_around = 4;  // numbers, frame above and below, legend
  cell_printer cells(grid, options);
  const int before = static_cast<int>(with_commas(options.matrix_rows).size());
  const cell_size room{options.width - before - 2, options.height - lines_around};
  std::string text;
  if (room.width < narrowest || room.height < lowest) {
    cells.fit(options.height, options.width);
    for (int row = 0; row < options.height; ++row) text += cells.line(row) + "\n";
    return text;
  }
  const auto [width, height] =
      cells_in_shape(options.matrix_rows, options.matrix_cols, room, {narrowest, lowest});
  cells.fit(height, width);
  const auto row_ticks = axis_ticks(options.matrix_rows, std::clamp(height / 3, 1, 8));
  const auto col_ticks = axis_ticks(options.matrix_cols, ticks_beside(options.matrix_cols, width, 1));
  const drawing_set& set = cells.set();

  const auto place = [](std::int64_t number, std::int64_t extent, int length) {
    return std::min(length - 1, along(number, extent, length));
  };
  std::vector<label_span> spans;
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
    text += margin + (room.width >= 10 ? " no entries" : "") + "\n";
    return text;
  }
  const std::int64_t scale = std::ssize(least) + cells.printed_scale_width() + 1 + std::ssize(most);
  if (scale <= room.width)
    text += margin + " " + (scale + std::ssize(what) <= room.width ? what : "") + least + cells.scale() +
            " " + most;
  return text + "\n";
}

}  // namespace sparsmith
