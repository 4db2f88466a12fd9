// GCSB's layout `tile`: against a plain simulation of its rule, what `find_invalid` finds, round trips, and
// the bound by which it is priced.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

const openmp on;
using matrix = csr<std::int32_t, double, host>;
using tiled = gcsb_tile<std::int32_t, double, host>;

matrix assembled(const named_matrix& m) {
  return coo_to_csr<openmp, std::int32_t, double>(on, as_coo(m), nullptr);
}

matrix generated(const std::string& spec) {
  assembly_report report;
  return assemble<openmp, std::int32_t, double>(on, read_matrix(spec), false, report, nullptr);
}

struct cell {
  int row, col;  // in the tile
  double value;
};
using step = std::map<int, cell>;  // by lane

// The rule as tile_steps.hpp tells it, with sets and maps. `entries` are those of every lane in one section.
std::vector<step> lay_out_section(const std::vector<std::vector<cell>>& entries) {
  const int lanes = static_cast<int>(entries.size());
  std::map<int, std::map<int, std::vector<cell>>> remaining;  // by lane and bank
  std::map<int, std::size_t> left;
  for (int lane = 0; lane < lanes; ++lane)
    for (const cell& c : entries[static_cast<std::size_t>(lane)]) {
      remaining[lane][c.col % lanes].push_back(c);
      ++left[lane];
    }
  std::vector<step> steps;
  while (!left.empty()) {
    const int number = static_cast<int>(steps.size());
    std::size_t most = 0;
    for (const auto& [lane, count] : left) most = std::max(most, count);
    const auto is_urgent = [&, before = left](int lane) { return before.at(lane) + 4 >= most; };
    const auto distance = [&](int bank, int lane) {
      return ((bank - lane - number) % lanes + lanes) % lanes;
    };
    step now;
    for (int round = 0; round < 3; ++round) {
      const bool by_bank = round < 2;
      const auto wanted = [&](const cell& c) { return by_bank ? c.col % lanes : c.col; };
      std::set<int> taken;
      for (const auto& [lane, c] : now) taken.insert(wanted(c));
      // By what is wanted: whether the lane can wait, its turn, and itself.
      std::map<int, std::pair<std::tuple<bool, int, int>, cell>> first;
      for (const auto& [lane, banks] : remaining) {
        if (now.count(lane) > 0 || (!by_bank && !is_urgent(lane))) continue;
        const cell* choice = nullptr;
        for (const auto& [bank, own] : banks)
          if (taken.count(wanted(own.back())) == 0 &&
              (choice == nullptr || distance(bank, lane) < distance(choice->col % lanes, lane)))
            choice = &own.back();
        if (choice == nullptr) continue;
        const std::tuple proposal(!is_urgent(lane), ((lane - number) % lanes + lanes) % lanes, lane);
        const auto [at, fresh] = first.try_emplace(wanted(*choice), proposal, *choice);
        if (!fresh && proposal < at->second.first) at->second = {proposal, *choice};
      }
      for (const auto& [what, winner] : first) {
        const int lane = std::get<2>(winner.first), bank = winner.second.col % lanes;
        now[lane] = winner.second;
        remaining[lane][bank].pop_back();
        if (remaining[lane][bank].empty()) remaining[lane].erase(bank);
        if (remaining[lane].empty()) remaining.erase(lane);
        if (--left[lane] == 0) left.erase(lane);
      }
    }
    steps.push_back(now);
  }
  return steps;
}

// A lane has its cells by row, and those of a row by diagonal; it gives each section the same share of them.
std::vector<step> lay_out(std::vector<cell> cells, int width, int lanes) {
  const auto order = [&](const cell& c) {
    return std::pair(c.row, ((c.col - c.row) % width + width) % width);
  };
  std::sort(cells.begin(), cells.end(), [&](const cell& a, const cell& b) { return order(a) < order(b); });
  std::vector<std::vector<cell>> of_lane(static_cast<std::size_t>(lanes));
  for (const cell& c : cells) of_lane[static_cast<std::size_t>(c.row % lanes)].push_back(c);
  std::size_t longest = 1;
  for (const auto& own : of_lane) longest = std::max(longest, own.size());
  const std::size_t sections = (longest + 254) / 255;
  std::vector<step> steps;
  for (std::size_t section = 0; section < sections; ++section) {
    std::vector<std::vector<cell>> part;
    for (const auto& own : of_lane) {
      const auto cut = [&](std::size_t at) {
        return own.begin() + static_cast<std::ptrdiff_t>(own.size() * at / sections);
      };
      part.emplace_back(cut(section), cut(section + 1));
    }
    const auto more = lay_out_section(part);
    steps.insert(steps.end(), more.begin(), more.end());
  }
  return steps;
}

std::uint32_t index_in(const tiled& t, std::int64_t slot) {
  return t.combined16.size() > 0 ? t.combined16[slot] : t.combined32[slot];
}
bool has_entry(const tiled& t, std::int64_t slot) {
  return (index_in(t, slot) & static_cast<std::uint32_t>(t.tile_width)) == 0;
}

// Every stored tile of `t` against the simulation on the entries of `m`, which must not be renumbered.
void compare_with_rule(const matrix& m, const tiled& t) {
  std::map<std::pair<int, int>, std::vector<cell>> tiles;
  for (std::int32_t r = 0; r < m.rows; ++r)
    for (std::int32_t e = m.row_offsets[r]; e < m.row_offsets[r + 1]; ++e) {
      const std::int32_t c = m.col_indices[e];
      tiles[{r / t.tile_height, c / t.tile_width}].push_back(
          {r % t.tile_height, c % t.tile_width, m.values[e]});
    }
  std::erase_if(tiles, [&](const auto& tile) { return std::ssize(tile.second) < t.rest_below; });
  REQUIRE(t.tile_rows.size() == std::ssize(tiles));
  std::int64_t number = 0;
  for (const auto& [place, cells] : tiles) {
    CHECK(t.tile_rows[number] == place.first);
    CHECK(t.tile_cols[number] == place.second);
    auto steps = lay_out(cells, t.tile_width, t.group_size);
    steps.resize((steps.size() + 3) / 4 * 4);
    REQUIRE(t.tile_offsets[number + 1] - t.tile_offsets[number] == std::ssize(steps));
    bool same = true;
    for (std::int64_t s = 0; s < std::ssize(steps); ++s) {
      const step& expected = steps[static_cast<std::size_t>(s)];
      std::set<int> free_banks;
      for (int bank = 0; bank < t.group_size; ++bank) free_banks.insert(bank);
      for (const auto& [lane, c] : expected) free_banks.erase(c.col % t.group_size);
      for (int lane = 0; lane < t.group_size; ++lane) {
        const std::int64_t at = t.tile_offsets[number] + s;
        const std::int64_t slot = (at / 4 * t.group_size + lane) * 4 + at % 4;
        const auto entry = expected.find(lane);
        const std::uint32_t index = index_in(t, slot);
        if (entry == expected.end()) {
          const int bank = *free_banks.begin();
          free_banks.erase(bank);
          same = same && index == static_cast<std::uint32_t>(t.tile_width + bank) && t.values[slot] == 0;
        } else {
          same = same && t.values[slot] == entry->second.value &&
                 index == static_cast<std::uint32_t>(entry->second.row / t.group_size * 2 * t.tile_width +
                                                     entry->second.col);
        }
      }
    }
    CHECK(same);
    ++number;
  }
}

// The longest lane or the fullest column of every tile, to a multiple of four.
std::int64_t least_steps(const tiled& t) {
  std::int64_t total = 0;
  for (std::int64_t tile = 0; tile < t.tile_rows.size(); ++tile) {
    std::map<int, int> lanes, columns;
    int most = 0;
    for (std::int64_t s = std::int64_t{t.tile_offsets[tile]} * t.group_size;
         s < std::int64_t{t.tile_offsets[tile + 1]} * t.group_size; ++s) {
      if (!has_entry(t, s)) continue;
      most = std::max(most, ++lanes[static_cast<int>(s / 4 % t.group_size)]);
      const auto width = static_cast<unsigned>(t.tile_width);
      most = std::max(most, ++columns[static_cast<int>(index_in(t, s) % width)]);
    }
    total += (most + 3) / 4 * 4;
  }
  return total;
}

tile_options with(std::int32_t height, std::int32_t width, std::int32_t group, renumbering renumber,
                  std::int32_t rest_below, int index_bits = 0) {
  return {height, width, group, index_bits, renumber, rest_below};
}

}  // namespace

TEST_CASE("layout tile follows its rule") {
  for (const std::string spec :
       {"gen:uniform?n=700&density=0.01", "gen:uniform?n=300&density=0.4", "gen:rmat?scale=9&edges=12",
        "gen:laplace3d?n=9", "gen:blockband?n=600&block=5&density=0.2", "gen:denserow?n=600",
        "gen:uniform?n=800&density=0.05"}) {  // the last: some entries in every row of every tile
    INFO(spec);
    const auto m = generated(spec);
    compare_with_rule(
        m, csr_to_gcsb_tile(on, view(m), with(256, 256, 32, renumbering::none, 1), no_limit, nullptr));
    compare_with_rule(
        m, csr_to_gcsb_tile(on, view(m), with(512, 256, 8, renumbering::none, 64), no_limit, nullptr));
    compare_with_rule(
        m, csr_to_gcsb_tile(on, view(m), with(256, 1024, 16, renumbering::none, 32, 32), no_limit, nullptr));
  }
}

TEST_CASE("layout tile converts back, whatever the options") {
  std::vector<std::pair<std::string, matrix>> all;
  for (const auto& m : battery()) all.emplace_back(m.name, assembled(m));
  for (const std::string spec :
       {"gen:rmat?scale=11", "gen:uniform?n=1500&density=0.03", "gen:powerlaw?n=4000", "gen:laplace3d?n=16",
        "gen:denserow?n=3000",
        // More cells in a band than are listed in one walk, and few far apart.
        "gen:uniform?rows=300&cols=400000&density=1e-4", "gen:uniform?rows=2000&cols=3000000&density=2e-7"})
    all.emplace_back(spec, generated(spec));
  for (const auto& [name, m] : all)
    for (const tile_options& options :
         {tile_options{}, with(0, 0, 32, renumbering::length, 0), with(256, 256, 32, renumbering::none, 0),
          with(1024, 1024, 32, renumbering::length, 200), with(2048, 2048, 32, renumbering::automatic, 1),
          with(256, 2048, 1, renumbering::length, 1), with(2048, 256, 4, renumbering::none, 32, 32)}) {
      INFO(name << ", " << options.height << " x " << options.width << ", group " << options.group_size
                << ", renumbering " << static_cast<int>(options.renumber) << ", rest " << options.rest_below);
      const auto t = csr_to_gcsb_tile(on, view(m), options, no_limit, nullptr);
      CHECK(find_invalid(t) == "");
      CHECK(identical(gcsb_tile_to_csr(on, view(t), nullptr), m));
      const tile_price price = price_tiles(on, pattern_of(m), options);
      CHECK(price.height == t.tile_height);
      CHECK(price.width == t.tile_width);
      CHECK(price.tiles == t.tile_rows.size());
      CHECK(price.rest == t.rest_values.size());
      CHECK(price.least_steps == least_steps(t));
      CHECK(price.least_steps <= t.values.size() / t.group_size);
      CHECK(price.renumbered == (t.renumbered != 0));
      const bool wide = options.index_bits == 32 || t.tile_height / t.group_size * t.tile_width > 32768;
      CHECK((wide ? t.combined16.size() : t.combined32.size()) == 0);
    }
}

TEST_CASE("the rest of a few lines of tiles is found wherever they are") {
  // The lines of 256 rows are full but for some, which have three entries in tiles of their own.
  for (const std::set<int>& thin : {std::set{0}, std::set{1}, std::set{1, 2}, std::set{3}}) {
    named_matrix m{"thin lines", 1000, 1000, {}};
    for (int r = 0; r < 1000; ++r)
      if (thin.count(r / 256) == 0)
        m.entries.push_back({r, r % 7, r + 1.0});
      else if (r % 100 == 0)
        m.entries.push_back({r, 990, r + 1.0});
    const auto c = assembled(m);
    const auto t =
        csr_to_gcsb_tile(on, view(c), with(256, 256, 32, renumbering::none, 64), no_limit, nullptr);
    CHECK(t.tile_rows.size() == 4 - std::ssize(thin));
    CHECK(t.rest_values.size() > 0);
    for (std::int64_t i = 0; i < t.rest_values.size(); ++i)
      CHECK(thin.count(t.rest_row_indices[i] / 256) == 1);
    CHECK(find_invalid(t) == "");
    CHECK(identical(gcsb_tile_to_csr(on, view(t), nullptr), c));
  }
}

TEST_CASE("any number of threads lays tiles out alike") {
  const auto m = generated("gen:rmat?scale=12");
  set_thread_count(1);
  const auto one = csr_to_gcsb_tile(on, view(m), {}, no_limit, nullptr);
  for (const int threads : {2, 3, 7}) {
    set_thread_count(threads);
    CHECK(identical(csr_to_gcsb_tile(on, view(m), {}, no_limit, nullptr), one));
  }
  set_thread_count(0);
}

TEST_CASE("tile sides and numbering are taken from the matrix") {
  const auto tile_of = [](const std::string& spec) {
    const auto m = generated(spec);
    const tile_price price = price_tiles(on, pattern_of(m), {});
    return std::tuple(price.height, price.width, price.renumbered);
  };
  CHECK(tile_of("gen:blockband?n=4000&block=5&density=0.1") == std::tuple(256, 256, false));
  CHECK(tile_of("gen:uniform?n=4000&density=0.03") == std::tuple(512, 512, false));
  CHECK(tile_of("gen:uniform?n=6000&density=0.007") == std::tuple(512, 512, false));  // few entries
  CHECK(tile_of("gen:uniform?n=18000&density=0.007") == std::tuple(1024, 1024, false));
  CHECK(tile_of("gen:rmat?scale=13") == std::tuple(512, 512, true));
  // A narrow matrix gets high tiles, a low one wide tiles.
  const auto narrow = assembled(random_matrix("narrow", 9000, 200, 4000, 1));
  CHECK(price_tiles(on, pattern_of(narrow), {}).height == 1024);
  CHECK(price_tiles(on, pattern_of(narrow), {}).width == 256);
  const auto low = assembled(random_matrix("low", 200, 9000, 4000, 1));
  CHECK(price_tiles(on, pattern_of(low), {}).height == 256);
  CHECK(price_tiles(on, pattern_of(low), {}).width == 1024);
}

TEST_CASE("columns are numbered anew where those of many entries vary in length") {
  // Rows of the same length, so many of them that some are drawn, with `often` entries in few columns.
  constexpr std::int32_t rows = 20000, cols = 20000, length = 80, few = 200;
  const auto numbered_anew = [&](std::int32_t often) {
    array<std::int32_t, host> row_offsets(rows + 1), col_indices(std::int64_t{rows} * length);
    for (std::int32_t r = 0; r < rows; ++r) {
      std::int32_t* const row = col_indices.data() + std::int64_t{r} * length;
      row_offsets[r] = r * length;
      for (std::int32_t i = 0; i < often; ++i) row[i] = (r * often + i) % few;
      for (std::int32_t i = often; i < length; ++i)
        row[i] = few + (r + i * ((cols - few) / length)) % (cols - few);
      std::sort(row, row + length);
    }
    row_offsets[rows] = rows * length;
    return price_tiles(on, csr_pattern<std::int32_t, host>{rows, cols, row_offsets, col_indices}, {})
        .renumbered;
  };
  // Of all columns, the mean square of the lengths is 1.8 and 2.3 times the square of the mean.
  CHECK_FALSE(numbered_anew(8));
  CHECK(numbered_anew(10));
}

TEST_CASE("impossible tiles are refused") {
  const auto m = generated("gen:uniform?n=300&density=0.01");
  for (const tile_options& options :
       {with(300, 256, 32, renumbering::none, 1), with(128, 256, 32, renumbering::none, 1),
        with(256, 0, 32, renumbering::none, 1), with(256, 256, 24, renumbering::none, 1),
        with(256, 256, 64, renumbering::none, 1), with(2048, 2048, 32, renumbering::none, 1, 16)})
    CHECK_THROWS_AS(csr_to_gcsb_tile(on, view(m), options, no_limit, nullptr), error);
  CHECK_THROWS_AS(csr_to_gcsb_tile(on, view(m), with(256, 256, 32, renumbering::none, 1), 1.01, nullptr),
                  error);
}

TEST_CASE("a stored zero is no padding in layout tile") {
  named_matrix m{"zeros", 300, 300, {}};
  for (int i = 0; i < 300; ++i) m.entries.push_back({i, 0, 0.0});
  const auto c = assembled(m);
  const auto t = csr_to_gcsb_tile(on, view(c), with(256, 256, 32, renumbering::none, 64), no_limit, nullptr);
  CHECK(t.rest_values.size() == 44);
  CHECK(t.tile_offsets[1] == 256);  // one column: an entry a step
  CHECK(find_invalid(t) == "");
  CHECK(identical(gcsb_tile_to_csr(on, view(t), nullptr), c));
}

TEST_CASE("find_invalid names what is wrong with tiles") {
  const auto m = generated("gen:uniform?n=700&density=0.02");
  const auto plain =
      csr_to_gcsb_tile(on, view(m), with(256, 256, 32, renumbering::none, 800), no_limit, nullptr);
  const auto renumbered =
      csr_to_gcsb_tile(on, view(m), with(256, 256, 32, renumbering::length, 800), no_limit, nullptr);
  REQUIRE(plain.rest_values.size() > 2);
  const auto expect = [](const tiled& valid, const std::string& expected,
                         const std::function<void(tiled&)>& damage) {
    REQUIRE(find_invalid(valid) == "");
    auto copy = copy_to<host>(valid);
    damage(copy);
    INFO("found: " << find_invalid(copy) << ", expected: " << expected);
    CHECK(find_invalid(copy).find(expected) != std::string::npos);
  };
  std::int64_t padding = 0, entry = 0, other = -1;
  while (has_entry(plain, padding)) ++padding;
  while (!has_entry(plain, entry)) ++entry;
  for (std::int64_t s = entry + 4; s < 128; s += 4)
    if (has_entry(plain, s)) other = s;
  REQUIRE(other > entry);
  expect(plain, "has a value", [&](tiled& t) { t.values[padding] = 1; });
  expect(plain, "outside its tile", [&](tiled& t) { t.combined16[entry] = 0x8000; });
  expect(plain, "has column", [&](tiled& t) { t.combined16[other] = t.combined16[entry]; });
  expect(plain, "in its tile twice", [&](tiled& t) { t.combined16[entry + 1] = t.combined16[entry]; });
  expect(plain, "has column", [&](tiled& t) {
    t.combined16[other] = t.combined16[entry] = 256;  // two slots of padding in one bank
    t.values[other] = t.values[entry] = 0;
  });
  expect(plain, "neither an entry nor padding", [&](tiled& t) { t.combined16[padding] = 256 + 32; });
  expect(plain, "neither an entry nor padding", [&](tiled& t) { t.combined16[padding] = 3 * 256; });
  expect(plain, "layout_version is 1", [](tiled& t) { t.layout_version = 1; });
  expect(plain, "not a multiple of 4", [](tiled& t) { t.tile_offsets[1] -= 2; });
  expect(plain, "tile_offsets", [](tiled& t) { t.tile_offsets[1] = -1; });
  expect(plain, "row-major", [](tiled& t) { std::swap(t.tile_cols[0], t.tile_cols[1]); });
  expect(plain, "outside the matrix", [](tiled& t) { t.tile_rows[t.tile_rows.size() - 1] = 3; });
  expect(plain, "tiles_by_column", [](tiled& t) { std::swap(t.tiles_by_column[0], t.tiles_by_column[1]); });
  expect(plain, "rest_below", [](tiled& t) { t.rest_below = 1 << 16; });
  expect(plain, "negative", [](tiled& t) { t.rest_below = -5; });
  expect(plain, "is in the rest although", [](tiled& t) { t.rest_below = 1; });
  expect(plain, "out of order", [](tiled& t) {
    std::swap(t.rest_row_indices[0], t.rest_row_indices[1]);
    std::swap(t.rest_col_indices[0], t.rest_col_indices[1]);
  });
  expect(plain, "belongs to tile", [](tiled& t) {
    t.rest_row_indices[0] = 0;
    t.rest_col_indices[0] = 0;
  });
  expect(plain, "outside the matrix", [](tiled& t) { t.rest_col_indices[0] = 700; });
  expect(plain, "tile shape", [](tiled& t) { t.tile_height = 255; });
  expect(plain, "group_size", [](tiled& t) { t.group_size = 33; });
  expect(plain, "not empty although", [](tiled& t) { t.row_order = array<std::int32_t, host>(700); });
  // Rows of equal length in the wrong order.
  const auto length = [&](std::int64_t i) {
    const std::int32_t row = renumbered.row_order[i];
    return m.row_offsets[row + 1] - m.row_offsets[row];
  };
  std::int64_t equal = 0;
  while (length(equal) != length(equal + 1)) ++equal;
  expect(renumbered, "falling length",
         [&](tiled& t) { std::swap(t.row_order[equal], t.row_order[equal + 1]); });
  expect(renumbered, "no permutation", [](tiled& t) { t.col_order[5] = t.col_order[6]; });
  expect(renumbered, "no permutation", [](tiled& t) { t.row_order[5] = 700; });
}
