// Pictures of features: text is compared as it stands, pictures are read back and looked at in known places.
#include <png.h>

#include <algorithm>
#include <sstream>

#include "analyze/report/axis.hpp"
#include "analyze/report/grid.hpp"
#include "analyze/report/spy.hpp"
#include "analyze/report/terminal_plots.hpp"
#include "convert/error.hpp"
#include "convert/words.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

constexpr auto inks = {terminal_ink::ascii, terminal_ink::shades, terminal_ink::colours_256,
                       terminal_ink::colours_24_bit};

std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = text.find('m', i);
    else
      plain += text[i];
  }
  return plain;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// In columns of a terminal: nothing that is printed here is wider than one.
int display_width(const std::string& line) {
  const std::string plain = without_escapes(line);
  return static_cast<int>(std::count_if(
      plain.begin(), plain.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

int widest(const std::string& text) {
  int width = 0;
  for (const std::string& line : lines_of(text)) width = std::max(width, display_width(line));
  return width;
}

density_grid grid_of(std::int32_t rows, std::int32_t cols, std::vector<std::int64_t> counts) {
  return {rows, cols, std::move(counts)};
}

density_grid filled(std::int32_t rows, std::int32_t cols, std::int64_t count) {
  return {rows, cols, std::vector<std::int64_t>(static_cast<std::size_t>(rows * cols), count)};
}

// Counts of all magnitudes without any order.
density_grid scattered(std::int32_t rows, std::int32_t cols) {
  density_grid grid = filled(rows, cols, 0);
  std::uint64_t state = 1;
  for (auto& count : grid.counts) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    count = static_cast<std::int64_t>(state >> 40 >> (state >> 59));
  }
  return grid;
}

struct picture {
  int width = 0, height = 0;
  std::vector<unsigned char> bytes;
  rgb at(int x, int y) const {
    const auto first = static_cast<std::size_t>(3 * (y * width + x));
    return {bytes[first], bytes[first + 1], bytes[first + 2]};
  }
  bool has(rgb colour) const {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (at(x, y) == colour) return true;
    return false;
  }
};

picture decode(const std::vector<unsigned char>& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&image, file.data(), file.size()));
  image.format = PNG_FORMAT_RGB;
  picture result{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  result.bytes.resize(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, result.bytes.data(), 0, nullptr));
  return result;
}

// Every tag closed by its own name, attributes as name="value", one root.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  int roots = 0;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] != '<') {
      if (xml[at] == '>' || xml[at] == '&') return false;
      if (open.empty() && !std::isspace(static_cast<unsigned char>(xml[at]))) return false;
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    std::string tag = xml.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
      continue;
    }
    const bool closes = tag.ends_with('/');
    if (closes) tag.pop_back();
    std::size_t place = std::min(tag.find(' '), tag.size());
    const std::string name = tag.substr(0, place);
    while (place < tag.size()) {
      const std::size_t quote = tag.find("=\"", place);
      if (tag[place] != ' ' || quote == std::string::npos) return false;
      const std::size_t last = tag.find('"', quote + 2);
      if (last == std::string::npos || tag.substr(quote, last - quote).find('<') != std::string::npos)
        return false;
      place = last + 1;
    }
    if (open.empty()) ++roots;
    if (!closes) open.push_back(name);
  }
  return open.empty() && roots == 1;
}

int occurrences(const std::string& text, const std::string& what) {
  int count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a histogram has a line for every bin, with bars in eighths") {
  const std::vector<length_bin> bins = {
      {0, 0, 1, 0, 0}, {1, 1, 0, 0, 0}, {2, 3, 16, 40, 0.25}, {4, 7, 15, 60, 1}};
  CHECK(print_histogram(bins, 56, true) ==
        "length                    lines    share  entries so far\n"
        "     0  █                     1  3.125 %             0 %\n"
        "     1                        0      0 %             0 %\n"
        "  2..3  ████████████████     16     50 %            25 %\n"
        "  4..7  ███████████████      15  46.88 %           100 %\n");
  CHECK(print_histogram(bins, 52, true) ==
        "length                lines    share  entries so far\n"
        "     0  ▊                 1  3.125 %             0 %\n"
        "     1                    0      0 %             0 %\n"
        "  2..3  ████████████     16     50 %            25 %\n"
        "  4..7  ███████████▎     15  46.88 %           100 %\n");
  CHECK(print_histogram(bins, 41, false) ==
        "length                     lines    share\n"
        "     0  #                      1  3.125 %\n"
        "     1                         0      0 %\n"
        "  2..3  #################     16     50 %\n"
        "  4..7  ################      15  46.88 %\n");
  CHECK(print_histogram(bins, 20, true) ==
        "length  lines\n"
        "     0      1\n"
        "     1      0\n"
        "  2..3     16\n"
        "  4..7     15\n");
}

TEST_CASE("a histogram shows what is little, and nothing for nothing") {
  const std::vector<length_bin> bins = {{0, 0, 1, 0, 0}, {1, 1, 1000000, 1000000, 1}};
  const auto lines = lines_of(print_histogram(bins, 80, true));
  CHECK(lines[1].find("▏") != std::string::npos);
  CHECK(lines[1].find("0.0001 %") != std::string::npos);
  CHECK(lines_of(print_histogram(bins, 80, false))[1].find("#") != std::string::npos);
  CHECK(print_histogram({}, 80, true).empty());
  CHECK(print_histogram(bins, 0, true).empty());
  CHECK(print_histogram({{0, 0, 0, 0, 0}}, 60, true).find("█") == std::string::npos);
}

TEST_CASE("a histogram is as wide as asked for, or narrower where that is too little for bars") {
  const std::int64_t huge = std::int64_t{1} << 60;
  const std::vector<length_bin> small = {{0, 0, 3, 0, 0}, {1, 5, 7, 20, 1}};
  const std::vector<length_bin> large = {{0, huge, huge, huge, 0.5}, {huge + 1, 2 * huge, 1, 1, 1}};
  for (const auto& bins : {small, large})
    for (const bool unicode : {false, true})
      for (int width = 1; width < 200; ++width) {
        const std::string text = print_histogram(bins, width, unicode);
        INFO(width << "\n" << text);
        CHECK(lines_of(text).size() == 3);
        CHECK(widest(text) <= width);
        if (text.find(unicode ? "█" : "#") != std::string::npos)
          for (const std::string& line : lines_of(text)) CHECK(display_width(line) == width);
      }
}

TEST_CASE("colours move away from the background as counts rise") {
  const auto lightness = [](rgb c) { return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue; };
  for (const theme colours : {theme::light, theme::dark}) {
    double last = lightness(colour_of(0, 1000, colours));
    for (const std::int64_t count : {1, 3, 10, 30, 100, 300, 1000}) {
      const double now = lightness(colour_of(count, 1000, colours));
      CHECK((colours == theme::light ? last - now : now - last) > 5);
      last = now;
    }
    CHECK(colour_of(1, 1, colours) == colour_of(1000, 1000, colours));
  }
}

TEST_CASE("a heat map of a known grid") {
  heat_map_options options{4, 8, 19, 8, terminal_ink::shades, theme::dark};
  const density_grid grid = grid_of(4, 8, {1,  0, 0, 0, 0, 0, 0, 10000,  //
                                           10, 0, 0, 0, 0, 0, 0, 0,      //
                                           0,  0, 0, 0, 0, 0, 0, 0,      //
                                           0,  0, 0, 0, 0, 0, 0, 100});
  CHECK(print_heat_map(grid, options) ==
        "  0   2   4   6  8\n"
        " ┌┴───┴───┴───┴──┴┐\n"
        "0┤░░            ██│\n"
        " │▒▒              │\n"
        " │                │\n"
        "4┤              ▓▓│\n"
        " └────────────────┘\n"
        "  1 ░▒▓█ 10,000\n");
  options.ink = terminal_ink::ascii;
  options.width = 11;  // one character for every cell, and no room for the legend
  CHECK(print_heat_map(grid, options) ==
        "  0    5 8\n"
        " ++----+-++\n"
        "0+.      #|\n"
        " |:       |\n"
        " |        |\n"
        "4+       *|\n"
        " +--------+\n"
        "\n");
}

TEST_CASE("two cells share a character in colour, and the terminal's background is left alone") {
  // Too small for a frame: the cells alone.
  heat_map_options options{4, 2, 2, 2, terminal_ink::colours_24_bit, theme::dark};
  const auto escape = [](int ground, std::int64_t count) {
    const rgb c = colour_of(count, 9, theme::dark);
    std::ostringstream out;
    out << "\x1b[" << ground << ";2;" << int{c.red} << ';' << int{c.green} << ';' << int{c.blue} << 'm';
    return out.str();
  };
  const std::string reset = "\x1b[0m";
  CHECK(print_heat_map(grid_of(4, 2, {9, 0, 1, 0, 0, 9, 1, 0}), options) ==
        escape(38, 9) + escape(48, 1) + "▀" + reset + " \n" +  //
            escape(38, 1) + "▄" + reset + escape(38, 9) + "▀" + reset + "\n");
  options.ink = terminal_ink::colours_256;
  CHECK(print_heat_map(grid_of(1, 1, {1}), options) ==
        "\x1b[38;5;221m\x1b[48;5;221m▀▀\x1b[0m\n\x1b[38;5;221m\x1b[48;5;221m▀▀\x1b[0m\n");
}

TEST_CASE("a heat map merges what does not fit, and stretches what is small") {
  heat_map_options options{4, 4, 2, 2, terminal_ink::ascii, theme::dark};
  // The sums are 16, 0, 4 and 1: the least is a dot, half way up the scale an asterisk.
  CHECK(print_heat_map(grid_of(4, 4, {4, 4, 0, 0, 4, 4, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0}), options) ==
        "# \n*.\n");
  options.width = 4;
  CHECK(print_heat_map(grid_of(1, 2, {0, 1}), options) == "  ##\n  ##\n");
  // Eight columns on five characters are four pairs: single ones among pairs would look less full.
  options.width = 5;
  CHECK(print_heat_map(filled(8, 8, 1), options) == "#####\n#####\n");
}

TEST_CASE("a heat map has the shape of the matrix, on characters twice as high as wide") {
  struct drawn {
    std::int64_t rows, cols;
    int width, height;              // of the terminal
    int cells_across, cells_below;  // of the picture
  };
  for (const drawn& one : std::vector<drawn>{{100, 100, 80, 24, 40, 20},      // as high as there is room
                                             {100, 100, 37, 60, 32, 16},      // as wide
                                             {100, 200, 80, 40, 75, 19},      //
                                             {400, 100, 80, 24, 10, 20},      //
                                             {100000, 10, 80, 24, 8, 20},     // the narrowest
                                             {10, 100000, 80, 24, 76, 4}}) {  // the lowest
    INFO(one.rows << " x " << one.cols << " at " << one.width << " x " << one.height);
    for (const terminal_ink ink : inks) {
      const auto lines = lines_of(
          print_heat_map(scattered(40, 70), {one.rows, one.cols, one.width, one.height, ink, theme::dark}));
      const int before = static_cast<int>(with_commas(one.rows).size());
      CHECK(static_cast<int>(lines.size()) == one.cells_below + 4);
      CHECK(display_width(lines[1]) == before + 2 + one.cells_across);
    }
  }
}

TEST_CASE("a heat map is not larger than asked for, whatever it shows") {
  for (const auto& grid :
       {density_grid{}, filled(0, 9, 0), filled(1, 1, 1), filled(3, 5, 0), scattered(40, 70)})
    for (const terminal_ink ink : inks)
      for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2147483647}})
        for (int width = 1; width < 60; width += 3)
          for (int height = 1; height < 30; height += 4) {
            const std::string text = print_heat_map(grid, {rows, 123456, width, height, ink, theme::dark});
            INFO(width << " x " << height << "\n" << text);
            CHECK(static_cast<int>(lines_of(text).size()) <= height);
            CHECK(widest(text) <= width);
            if (ink == terminal_ink::ascii)
              CHECK(std::all_of(text.begin(), text.end(),
                                [](char c) { return c == '\n' || (c >= 32 && c < 127); }));
          }
  CHECK(print_heat_map(filled(1, 1, 1), {1, 1, 0, 5, terminal_ink::shades, theme::dark}).empty());
}

TEST_CASE("a PNG has the colours of the cells where the cells are") {
  const density_grid grid = grid_of(2, 3, {0, 1, 10, 100, 0, 1000});
  for (const theme colours : {theme::light, theme::dark}) {
    const picture bare = decode(spy_png(grid, {2, 3, 30, 40, colours, false}));
    REQUIRE(bare.width == 30);
    REQUIRE(bare.height == 40);
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 30; ++x)
        REQUIRE(bare.at(x, y) ==
                colour_of(grid.counts[static_cast<std::size_t>(y / 20 * 3 + x / 10)], 1000, colours));

    const picture whole = decode(spy_png(grid, {2, 3, 400, 300, colours, true}));
    CHECK(whole.width == 400);
    CHECK(whole.height == 300);
    CHECK(whole.at(0, 0) == colour_of(0, 1000, colours));
    CHECK(whole.at(399, 299) == colour_of(0, 1000, colours));
    for (const std::int64_t count : {1, 10, 100, 1000}) CHECK(whole.has(colour_of(count, 1000, colours)));
  }
}

TEST_CASE("a PNG merges what does not fit, and no entry is lost") {
  density_grid grid = filled(100, 100, 0);
  grid.counts[0] = grid.counts[1] = grid.counts[100] = 1;
  grid.counts[9999] = 1;
  const picture merged = decode(spy_png(grid, {100, 100, 50, 50, theme::light, false}));
  CHECK(merged.at(0, 0) == colour_of(3, 3, theme::light));
  CHECK(merged.at(49, 49) == colour_of(1, 3, theme::light));
  CHECK(merged.at(20, 20) == colour_of(0, 3, theme::light));
  // 100 cells on 99 pixels: pairs, not one pair among single ones.
  const picture even = decode(spy_png(filled(100, 100, 5), {100, 100, 99, 99, theme::light, false}));
  for (int x = 0; x < 99; ++x) REQUIRE(even.at(x, x) == colour_of(1, 1, theme::light));
}

TEST_CASE("cells have as many lines as their neighbours") {
  CHECK(even_cells(0, 600) == 0);
  CHECK(even_cells(600, 600) == 600);
  CHECK(even_cells(601, 600) == 301);
  CHECK(even_cells(1000, 300) == 250);
  CHECK(even_cells(2147483647, 1) == 1);
  for (std::int64_t lines = 1; lines < 3000; lines += 7) {
    const std::int64_t cells = even_cells(lines, 600), each = (lines + cells - 1) / cells;
    CHECK(cells <= 600);
    CHECK(cells > std::min<std::int64_t>(lines, 600) / 2);
    CHECK(cells * each - lines < each);  // so many have one less
  }
}

TEST_CASE("a grid made for a picture is shown cell by cell") {
  for (const auto& [rows, cols] :
       {std::pair{1000, 1000}, {10974, 10974}, {90000, 300}, {7, 100000}, {900, 650}})
    for (const auto& [width, height] : {std::pair{840, 700}, {2000, 2000}, {400, 900}}) {
      const std::int64_t entries = 1000000;
      const spy_options options{rows, cols, width, height, theme::light, true};
      const auto [grid_rows, grid_cols] = spy_grid(options, entries);
      INFO(rows << " x " << cols << " on " << width << " x " << height);
      // A chessboard would become a plain area where cells are merged.
      density_grid grid = filled(grid_rows, grid_cols, 0);
      for (std::int32_t row = 0; row < grid_rows; ++row)
        for (std::int32_t col = row % 2; col < grid_cols; col += 2)
          grid.counts[static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_cols) +
                      static_cast<std::size_t>(col)] = 1;
      const picture png = decode(spy_png(grid, options));
      int across = 0, down = 0;
      for (int x = 1; x < width; ++x) across += png.at(x, height / 2) != png.at(x - 1, height / 2);
      for (int x = 0; x < width; x += 20) {  // one of them goes through the cells
        int here = 0;
        for (int y = 1; y < height; ++y) here += png.at(x, y) != png.at(x, y - 1);
        down = std::max(down, here);
      }
      CHECK(across >= grid_cols - 1);
      CHECK(down >= grid_rows - 1);
    }
}

TEST_CASE("numbers around a PNG are not cut off") {
  for (const std::int32_t side : {1, 40, 300})
    for (const int width : {300, 640, 1500})
      for (const std::int64_t lines : {std::int64_t{side}, std::int64_t{2147483647}}) {
        const spy_options options{lines, lines, width, width * 3 / 4, theme::light, true};
        const picture png = decode(spy_png(filled(side, side, 123456789), options));
        INFO(side << " cells on " << width << " pixels");
        for (int x = 0; x < png.width; ++x) {
          REQUIRE(png.at(x, 0) == colour_of(0, 1, theme::light));
          REQUIRE(png.at(x, png.height - 1) == colour_of(0, 1, theme::light));
        }
        for (int y = 0; y < png.height; ++y) {
          REQUIRE(png.at(0, y) == colour_of(0, 1, theme::light));
          REQUIRE(png.at(png.width - 1, y) == colour_of(0, 1, theme::light));
        }
      }
}

TEST_CASE("spy plots of nothing, of one entry and of any size") {
  const auto sizes = {std::pair{1, 1}, {1, 50}, {50, 1}, {60, 60}, {200, 120}, {800, 90}, {333, 777}};
  for (const auto& grid : {density_grid{}, filled(0, 9, 0), filled(9, 0, 0), filled(1, 1, 1), filled(5, 5, 0),
                           filled(1, 300, 2), scattered(80, 20)})
    for (const auto& [width, height] : sizes) {
      INFO(grid.rows << " x " << grid.cols << " on " << width << " x " << height);
      const spy_options options{grid.rows, grid.cols, width, height, theme::dark, true};
      const picture png = decode(spy_png(grid, options));
      CHECK(png.width == width);
      CHECK(png.height == height);
      CHECK(well_formed(spy_svg(grid, options)));
      const bool any = std::any_of(grid.counts.begin(), grid.counts.end(), [](auto c) { return c > 0; });
      CHECK(png.has(colour_of(1, 1, theme::dark)) == any);
      CHECK((spy_svg(grid, options).find("<path") != std::string::npos) == any);
    }
}

TEST_CASE("an SVG merges cells of one colour, and names rows, columns and counts") {
  const std::string full = spy_svg(filled(512, 512, 7), {51200, 51200, 1200, 1100, theme::light, true});
  CHECK(well_formed(full));
  CHECK(occurrences(full, "<path") == 1);
  CHECK(full.find("d=\"M0 0h512v512h-512z\"") != std::string::npos);
  CHECK(full.size() < 8000);
  for (const char* number : {">0<", ">10,000<", ">51,200<", ">1<", ">7<"}) {
    INFO(number);
    CHECK(full.find(number) != std::string::npos);
  }
  const std::string cross =
      spy_svg(grid_of(3, 3, {0, 1, 0, 1, 1, 1, 0, 1, 0}), {3, 3, 90, 90, theme::dark, false});
  CHECK(cross.find("d=\"M1 0h1v1h-1zM0 1h3v1h-3zM1 2h1v1h-1z\"") != std::string::npos);
  CHECK(cross.find("<text") == std::string::npos);
  // The worst case is bounded by the picture, not by the grid.
  CHECK(spy_svg(scattered(1000, 1000), {1000, 1000, 300, 300, theme::light, true}).size() < 400000);
}

TEST_CASE("an axis has round numbers, its end, and none that stands in another") {
  using numbers = std::vector<std::int64_t>;
  CHECK(axis_ticks(100, 8) == numbers{0, 20, 40, 60, 80, 100});
  CHECK(axis_ticks(110, 8) == numbers{0, 20, 40, 60, 80, 100, 110});
  CHECK(axis_ticks(105, 8) == numbers{0, 20, 40, 60, 80, 105});  // 100 is nearer to it than half a step
  CHECK(axis_ticks(300, 8) == numbers{0, 50, 100, 150, 200, 250, 300});
  CHECK(axis_ticks(0, 8) == numbers{0});
  // What ends where the next one begins does not overlap; both ends come first.
  CHECK(without_overlap({{0, 3}, {3, 6}, {5, 8}, {8, 10}}) == std::vector<bool>{true, true, false, true});
  CHECK(without_overlap({{0, 3}, {2, 5}}) == std::vector<bool>{false, true});
}

TEST_CASE("what cannot be drawn is refused") {
  const density_grid wrong = grid_of(2, 2, {1, 2, 3});
  CHECK_THROWS_AS(print_heat_map(wrong, {2, 2, 80, 24, terminal_ink::shades, theme::dark}), error);
  CHECK_THROWS_AS(spy_svg(wrong, {2, 2, 300, 300, theme::light, true}), error);
  for (const int side : {-1, 0, 1 << 20}) {
    CHECK_THROWS_AS(spy_png(filled(1, 1, 1), {1, 1, side, 10, theme::light, true}), error);
    CHECK_THROWS_AS(spy_svg(filled(1, 1, 1), {1, 1, 10, side, theme::light, true}), error);
  }
}
