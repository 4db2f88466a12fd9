#include "analyze/report/spy.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "analyze/report/axis.hpp"
#include "analyze/report/grid.hpp"
#include "analyze/report/text.hpp"
#include "convert/error.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

// A spy plot before it is drawn: boxes and numbers around the cells. PNG and SVG draw the same.
struct box {
  int x = 0, y = 0, width = 0, height = 0;
};
struct coloured_box {
  box where;
  int step = 0;
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

std::vector<label_span> vertical_spans(const std::vector<int>& places, letter_size letter) {
  std::vector<label_span> spans;
  for (const int y : places) spans.emplace_back(y - letter.height, y + letter.height);
  return spans;
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
  std::vector<label_span> spans;
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
  const int first_step = scene.most <= 1 ? colour_steps - 1 : 0;
  for (int step = first_step; step < colour_steps; ++step) {
    const int parts = colour_steps - first_step, part = colour_steps - 1 - step;
    const int top = part * cells.height / parts, bottom = (part + 1) * cells.height / parts;
    if (top < bottom) scene.scale.push_back({{x, cells.y + top, width, bottom - top}, step});
  }
  const auto ticks = powers_up_to(scene.most);
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
  const double proportion = proportion_of(options.matrix_rows, options.matrix_cols);
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
      return groups_of(lines, cells);
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
    scene.most = fullest_cell(scene.grid);
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

// Pixels as indices into a palette: background, foreground, and the steps of colour.
class canvas {
 public:
  static constexpr std::uint8_t ink = 1, first_step = 2;

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
    for (int step = 0; step < colour_steps; ++step) add(step_colour(step, colours));

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

// The cells of each step as a path of rectangles in units of cells: runs of one step in a row, made higher
// where the row below has the same run.
std::array<std::string, colour_steps> step_paths(const spy_scene& scene) {
  const density_grid& grid = scene.grid;
  struct rectangle {
    std::int64_t col = 0, row = 0, width = 0, height = 0;
    int step = 0;
  };
  std::array<std::string, colour_steps> paths;
  const auto finish = [&](const rectangle& r) {
    paths[unsigned_of(r.step)] += fmt::format("M{} {}h{}v{}h-{}z", r.col, r.row, r.width, r.height, r.width);
  };
  std::vector<rectangle> above;
  for (std::int64_t row = 0; row <= grid.rows; ++row) {
    std::vector<rectangle> here;
    for (std::int64_t col = 0; row < grid.rows && col < grid.cols; ++col) {
      const std::int64_t count = grid.counts[unsigned_of(row * grid.cols + col)];
      if (count <= 0) continue;
      const int step = colour_step(count, scene.most);
      if (!here.empty() && here.back().step == step && here.back().col + here.back().width == col)
        ++here.back().width;
      else
        here.push_back({col, row, 1, 1, step});
    }
    auto next = here.begin();
    for (const rectangle& old : above) {
      while (next != here.end() && next->col < old.col) ++next;
      if (next != here.end() && next->col == old.col && next->width == old.width && next->step == old.step) {
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

double proportion_of(std::int64_t rows, std::int64_t cols) {
  return rows == 0 || cols == 0
             ? 1
             : std::clamp(static_cast<double>(cols) / static_cast<double>(rows), 0.25, 4.0);
}

std::vector<std::int64_t> powers_up_to(std::int64_t most) {
  std::vector<std::int64_t> powers;
  for (std::int64_t power = 1; power < most; power *= 10) {
    powers.push_back(power);
    if (power > most / 10) break;
  }
  powers.push_back(most);
  return powers;
}

std::pair<std::int32_t, std::int32_t> spy_grid(const spy_options& options, std::int64_t entries) {
  const auto [letter, stroke] = png_letters(options);
  const box room = find_room(options, letter, stroke, 1, entries, 1).cells;
  return {even_cells(options.matrix_rows, room.height), even_cells(options.matrix_cols, room.width)};
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
                      static_cast<std::uint8_t>(canvas::first_step + colour_step(count, scene.most)));
      }
    }
  }
  for (const box& line : scene.lines) picture.fill(line, canvas::ink);
  for (const coloured_box& part : scene.scale)
    picture.fill(part.where, static_cast<std::uint8_t>(canvas::first_step + part.step));
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
    const auto paths = step_paths(scene);
    for (int step = 0; step < colour_steps; ++step)
      if (!paths[unsigned_of(step)].empty())
        svg += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", hex(step_colour(step, options.colours)),
                           paths[unsigned_of(step)]);
    svg += "</g>\n";
  }
  for (const box& line : scene.lines) svg += svg_box(line, fmt::format(" fill=\"{}\"", ink));
  for (const coloured_box& part : scene.scale)
    svg += svg_box(part.where, fmt::format(" fill=\"{}\"", hex(step_colour(part.step, options.colours))));
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
