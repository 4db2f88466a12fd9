// How many entries there are in each cell of 256 rows and columns, of which tiles are put together. Pieces of
// at most 8192 entries, none larger than a band of 256 rows, are the teams' work, so one dense row does not
// hold up the rest: they list the cells they touch, and the lists are joined. Where most cells hold entries,
// they are counted in a grid instead.
#pragma once

#include <algorithm>

#include "convert/pipelines/blocks.hpp"
#include "convert/pipelines/load_ahead.hpp"
#include "convert/pipelines/row_range.hpp"
#include "convert/pipelines/tile_choice.hpp"

namespace sparsmith {

// Chosen by hand; bench_convert shows what a change does.
struct cell_tuning {
  static constexpr std::int64_t piece_entries = 8192;  // at most: a thread block's work
  // A piece has room for so many cells at most; one with more is walked a second time.
  static constexpr std::int32_t most_room = 256;
  // Every cell that a piece spans has a counter; where they are more than so many an entry, most would stay
  // 0.
  static constexpr std::int64_t cells_of_entry = 4;
  // The grid is taken where its cells and the parts of its bands have so many entries, on average.
  static constexpr std::int64_t least_in_cell = 16, least_in_part = 1024;
};

// The matrix as pieces: bands of tile_unit rows, cut every piece_entries entries where one has more.
template <class Offset>
struct row_pieces {
  std::int64_t rows, bands;
  const Offset* row_offsets;
  const Offset* first_pieces;  // bands + 1; null where every band is a piece

  SPARSMITH_HOST_DEVICE std::int64_t band_start(std::int64_t band) const {
    return band * tile_unit < rows ? band * tile_unit : rows;
  }
  SPARSMITH_HOST_DEVICE row_range range(std::int64_t piece) const {
    const std::int64_t band = first_pieces == nullptr ? piece : row_of_entry(first_pieces, 0, bands, piece);
    const std::int64_t first_row = band_start(band), end_row = band_start(band + 1);
    if (first_pieces == nullptr)
      return {piece, first_row, end_row, row_offsets[first_row], row_offsets[end_row]};
    const std::int64_t first =
        row_offsets[first_row] + (piece - first_pieces[band]) * cell_tuning::piece_entries;
    const std::int64_t last = first + cell_tuning::piece_entries < row_offsets[end_row]
                                  ? first + cell_tuning::piece_entries
                                  : std::int64_t{row_offsets[end_row]};
    return {piece, row_of_entry(row_offsets, first_row, end_row, first),
            row_of_entry(row_offsets, first_row, end_row, last - 1) + 1, first, last};
  }
};

struct column_position {
  using type = std::int32_t;
  SPARSMITH_HOST_DEVICE std::int32_t operator()(std::int64_t, std::int32_t block_col) const {
    return block_col;
  }
};

// The cells of some entries.
struct cells_of_entries {
  block_divisor cell;
  const std::int32_t* cols;
  std::int64_t first, last;

  // add(cell, amount): what a cell is given sums up to its entries, modulo 2^32.
  template <class Team, class Add>
  SPARSMITH_HOST_DEVICE void count(const Team& team, Add add) const {
    // From a multiple of 16 bytes on, so that one load brings four.
    const auto too_early =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(cols + first) / sizeof(*cols) % 4);
    load_ahead(
        first - too_early + 4 * team.rank(), last, 4 * team.size(),
        [&](std::int64_t e) { return load_some(e); },
        [&](std::int64_t e, const some_cells& some) {
          for (int j = 0; j < 4; ++j) {
            const run_neighbours n{some.cols[j], some.cols[j + 1], some.cols[j + 2]};
            if (n.own < 0 || (n.left == n.own && n.right == n.own)) continue;
            const std::int32_t amount = n.share_of_run(e + j - first);
            if (amount != 0) add(n.own, amount);
          }
        });
  }

 private:
  // Four neighbours, and one more on either side; -1 where there is none.
  struct some_cells {
    std::int32_t cols[6];
  };
  SPARSMITH_HOST_DEVICE some_cells load_some(std::int64_t e) const {
    some_cells some;
    const auto cell_at = [&](std::int64_t i) { return i >= first && i < last ? cell.col_of(cols[i]) : -1; };
    some.cols[0] = cell_at(e - 1);
    some.cols[5] = cell_at(e + 4);
    if (e < first || e + 4 > last) {
      for (int j = 0; j < 4; ++j) some.cols[j + 1] = cell_at(e + j);
      return some;
    }
#ifdef __CUDA_ARCH__
    const int4 four = *reinterpret_cast<const int4*>(cols + e);
    some.cols[1] = cell.col_of(four.x);
    some.cols[2] = cell.col_of(four.y);
    some.cols[3] = cell.col_of(four.z);
    some.cols[4] = cell.col_of(four.w);
#else
    for (int j = 0; j < 4; ++j) some.cols[j + 1] = cell.col_of(cols[e + j]);
#endif
    return some;
  }
};

// Adds the entries of a part of a band to the counters of its cells, which are all there could be.
template <class Offset>
struct count_cells_of_part {
  block_divisor cell;
  std::int64_t rows, parts;  // parts of a band, piece_entries each
  const Offset* row_offsets;
  const std::int32_t* cols;
  std::int32_t columns;  // of cells
  std::int32_t* counts;  // all 0 before

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t number) const {
    const std::int64_t band = number / parts, first_row = band * tile_unit;
    const std::int64_t end_row = first_row + tile_unit < rows ? first_row + tile_unit : rows;
    const std::int64_t end = row_offsets[end_row];
    const std::int64_t first = row_offsets[first_row] + number % parts * cell_tuning::piece_entries;
    if (first >= end) return;
    const cells_of_entries entries{
        cell, cols, first,
        first + cell_tuning::piece_entries < end ? first + cell_tuning::piece_entries : end};
    std::int32_t* const of_band = counts + band * columns;
    if (columns > team.scratch_words()) {
      entries.count(team, [&](std::int32_t c, std::int32_t amount) { team.add_shared(of_band + c, amount); });
      return;
    }
    std::int32_t* const own = reinterpret_cast<std::int32_t*>(team.scratch());
    for (std::int32_t c = team.rank(); c < columns; c += team.size()) own[c] = 0;
    team.sync();
    entries.count(team, [&](std::int32_t c, std::int32_t amount) { team.add(own + c, amount); });
    team.sync();
    for (std::int32_t c = team.rank(); c < columns; c += team.size())
      if (own[c] != 0) team.add_shared(of_band + c, own[c]);
  }
};

// Lists the cells of a piece and counts their entries, in one walk where they are few and not far apart:
// their number is known only afterwards, so each piece has some room. Where that fails, the cells are only
// counted.
template <class Offset>
struct list_cells_of_piece {
  row_pieces<Offset> pieces;
  block_divisor cell;
  const std::int32_t* cols;
  std::int32_t room;
  Offset* cell_counts;
  std::int32_t* cell_cols;  // `room` a piece; the first is -1 where they are not listed
  std::int32_t* cell_entries;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    const row_range range = pieces.range(piece);
    const column_ends ends = ends_of_rows(team, range);
    const std::int32_t span = range.first == range.last ? 0 : ends.high - ends.low + 1;
    // A counter for each cell there could be, unless far fewer entries would be looking for them.
    const bool at_once = span <= team.scratch_words() / 2 &&
                         span <= cell_tuning::cells_of_entry * (range.last - range.first) + room;
    const std::int64_t found = at_once ? list(team, range, ends.low, span)
                                       : walk_range(team, range, true, cell, pieces.row_offsets, cols, 0,
                                                    count_block_action<Offset>{});
    if (team.rank() != 0) return;
    cell_counts[piece] = static_cast<Offset>(found);
    if (!at_once || found > room) cell_cols[piece * room] = -1;
  }

 private:
  // The first and the last cell of all rows, which are sorted by column.
  struct column_ends {
    std::int32_t low, high;
  };
  template <class Team>
  SPARSMITH_HOST_DEVICE column_ends ends_of_rows(const Team& team, const row_range& range) const {
    std::int32_t low = 0x7fffffff, high = 0;
    for (std::int64_t r = range.first_row + team.rank(); r < range.end_row; r += team.size()) {
      const std::int64_t row_start = pieces.row_offsets[r], row_end = pieces.row_offsets[r + 1];
      const std::int64_t start = row_start < range.first ? range.first : row_start;
      const std::int64_t end = row_end > range.last ? range.last : row_end;
      if (start >= end) continue;
      const std::int32_t left = cell.col_of(cols[start]), right = cell.col_of(cols[end - 1]);
      low = left < low ? left : low;
      high = right > high ? right : high;
    }
    low = team.smallest(low);
    return {low, team.largest(high)};
  }

  template <class Team>
  SPARSMITH_HOST_DEVICE std::int32_t list(const Team& team, const row_range& range, std::int32_t low,
                                          std::int32_t span) const {
    std::int32_t* const counters = reinterpret_cast<std::int32_t*>(team.scratch());
    std::int32_t* const ranks = counters + span;
    for (std::int32_t i = team.rank(); i < span; i += team.size()) counters[i] = 0;
    team.sync();
    cells_of_entries{cell, cols, range.first, range.last}.count(
        team, [&](std::int32_t c, std::int32_t amount) { team.add(counters + (c - low), amount); });
    team.sync();
    for (std::int32_t i = team.rank(); i < span; i += team.size()) ranks[i] = counters[i] != 0 ? 1 : 0;
    team.sync();
    const std::int32_t found = team.exclusive_sum(ranks, span);
    for (std::int32_t i = team.rank(); i < span; i += team.size()) {
      if (counters[i] == 0 || ranks[i] >= room) continue;
      cell_cols[range.number * room + ranks[i]] = low + i;
      cell_entries[range.number * room + ranks[i]] = counters[i];
    }
    team.sync();
    return found;
  }
};

// Brings the cells of a piece to where the pieces before it end: those that are listed already, or by a walk.
template <class Offset>
struct gather_cells_of_piece {
  list_cells_of_piece<Offset> listed;
  const Offset* first_cells;
  std::int32_t* cell_cols;
  std::int32_t* cell_entries;  // all 0 before

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    const std::int64_t first = first_cells[piece], count = first_cells[piece + 1] - first;
    if (count == 0) return;
    const std::int64_t from = piece * listed.room;
    if (listed.cell_cols[from] < 0) {
      walk_range(team, listed.pieces.range(piece), true, listed.cell, listed.pieces.row_offsets, listed.cols,
                 first,
                 list_block_action<column_position>{listed.cols, listed.cell, {}, cell_cols, cell_entries});
      return;
    }
    for (std::int64_t i = team.rank(); i < count; i += team.size()) {
      cell_cols[first + i] = listed.cell_cols[from + i];
      cell_entries[first + i] = listed.cell_entries[from + i];
    }
  }
};

// Puts cells together into larger ones: those of a line of cells into tiles, or those of pieces into bands.
struct join_cells_action {
  block_divisor shape;
  const std::int32_t* cell_cols;
  const std::int32_t* cell_counts;
  std::int32_t* tile_rows;  // null where nobody asks
  std::int32_t* tile_cols;
  std::int32_t* tile_counts;  // all 0 before

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t tile,
                                        std::int32_t tiles, const Window& window) const {
    window.for_each([&](std::int32_t rank, std::int32_t tile_col) {
      if (tile_rows != nullptr) tile_rows[tile + rank] = static_cast<std::int32_t>(range.number);
      tile_cols[tile + rank] = tile_col;
    });
    std::int32_t* const counters = window.counters(tiles, tile_counts + tile);
    for (std::int64_t c = range.first + team.rank(); c < range.last; c += team.size()) {
      const std::int32_t tile_col = shape.col_of(cell_cols[c]);
      if (window.holds(tile_col)) team.add(counters + window.rank(tile_col), cell_counts[c]);
    }
    team.sync();
    if (counters != tile_counts + tile)
      for (std::int32_t t = team.rank(); t < tiles; t += team.size()) tile_counts[tile + t] = counters[t];
    team.sync();
  }
};

// Cells of so many rows and columns that hold entries, line by line, and how many each holds.
template <class Offset, class Space>
struct cell_list {
  array<Offset, Space> first_cells;  // of every line, and the total
  array<std::int32_t, Space> cols, counts;
  array<std::int32_t, Space> rows;  // where they are asked for
};

// How many cells of larger lines and columns a list of cells makes.
template <class Backend, class Offset>
struct counted_cells {
  block_lines<Backend, Offset> lines;
  array<Offset, space_on<Backend>> first_cells;
  std::int64_t count;

  counted_cells(Backend on, const csr_pattern<Offset, space_on<Backend>>& cells, block_size size)
      : lines(on, cells, block_divisor(size), false),
        first_cells(count_blocks(on, lines)),
        count(read_one(on, first_cells.data() + lines.count)) {}
};

// Lists the larger cells, with the sums of what the cells in them hold.
template <class Backend, class Offset>
cell_list<Offset, space_on<Backend>> join_cells(Backend on, counted_cells<Backend, Offset>&& larger,
                                                const array<std::int32_t, space_on<Backend>>& counts,
                                                bool with_rows) {
  using space = space_on<Backend>;
  cell_list<Offset, space> result;
  result.first_cells = std::move(larger.first_cells);
  result.cols = array<std::int32_t, space>(larger.count);
  result.counts = array<std::int32_t, space>(larger.count);
  if (with_rows) result.rows = array<std::int32_t, space>(larger.count);
  fill(on, result.counts, std::int32_t{0});
  walk_blocks(
      on, larger.lines, result.first_cells.data(),
      without_finish<join_cells_action>{{larger.lines.shape, larger.lines.cols, counts.data(),
                                         result.rows.data(), result.cols.data(), result.counts.data()}});
  return result;
}

// What every band of rows has in each 256 columns.
template <class Backend, class Offset>
cell_list<Offset, space_on<Backend>> list_cells(Backend on,
                                                const csr_pattern<Offset, space_on<Backend>>& matrix,
                                                std::int64_t longest_band) {
  using space = space_on<Backend>;
  const std::int64_t entries = matrix.entries(), bands = groups_of(matrix.rows, tile_unit);
  const std::int32_t* const cols = matrix.col_indices.data();
  const block_divisor cell({1, tile_unit});
  row_pieces<Offset> pieces{matrix.rows, bands, matrix.row_offsets.data(), nullptr};
  const bool whole = longest_band <= cell_tuning::piece_entries;
  array<Offset, space> first_pieces;
  if (!whole) {
    first_pieces = offsets_from_lengths<Offset>(on, bands, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
      const Offset* const offsets = pieces.row_offsets;
      return static_cast<Offset>((offsets[pieces.band_start(b + 1)] - offsets[pieces.band_start(b)] +
                                  cell_tuning::piece_entries - 1) /
                                 cell_tuning::piece_entries);
    });
    pieces.first_pieces = first_pieces.data();
  }
  const std::int64_t count = whole ? bands : std::int64_t{read_one(on, first_pieces.data() + bands)};
  const std::int64_t work = count == 0 ? 0 : entries / count;
  cell_list<Offset, space> of_pieces;
  {
    // Where most pieces are nearly empty, room for all would be more than the matrix.
    const auto room = static_cast<std::int32_t>(std::clamp<std::int64_t>(
        std::min(groups_of(matrix.cols, tile_unit), 2 * work), 1, cell_tuning::most_room));
    array<Offset, space> cell_counts(count);
    array<std::int32_t, space> listed_cols(count * room), listed_entries(count * room);
    const list_cells_of_piece<Offset> listed{
        pieces, cell, cols, room, cell_counts.data(), listed_cols.data(), listed_entries.data()};
    for_each_team(on, count, work, listed);
    of_pieces.first_cells = offsets_from_counts<Offset>(on, cell_counts);
    const std::int64_t cells = read_one(on, of_pieces.first_cells.data() + count);
    of_pieces.cols = array<std::int32_t, space>(cells);
    of_pieces.counts = array<std::int32_t, space>(cells);
    fill(on, of_pieces.counts, std::int32_t{0});
    for_each_team(on, count, work,
                  gather_cells_of_piece<Offset>{listed, of_pieces.first_cells.data(), of_pieces.cols.data(),
                                                of_pieces.counts.data()});
  }
  if (whole) return of_pieces;
  array<Offset, space> band_cells(bands + 1);
  Offset* const band_cell = band_cells.data();
  const Offset* const first_cell = of_pieces.first_cells.data();
  for_each_index(on, bands + 1, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
    band_cell[b] = first_cell[pieces.first_pieces[b]];
  });
  const csr_pattern<Offset, space> lines{static_cast<std::int32_t>(bands),
                                         static_cast<std::int32_t>(groups_of(matrix.cols, tile_unit)),
                                         band_cells, of_pieces.cols};
  return join_cells(on, counted_cells<Backend, Offset>(on, lines, {1, 1}), of_pieces.counts, false);
}

// The same as a grid of all cells there could be. Where so many of them hold entries that the grid is small,
// it takes no list, no search and hardly any waiting for numbers of the device.
template <class Space>
struct cell_grid {
  std::int64_t lines = 0, columns = 0;
  array<std::int32_t, Space> counts;
};

// Counts the cells of a matrix whose longest band is that long. The grid is empty where it would not be
// small.
template <class Backend, class Offset>
cell_grid<space_on<Backend>> count_cells(Backend on, const csr_pattern<Offset, space_on<Backend>>& matrix,
                                         std::int64_t longest_band) {
  const std::int64_t entries = matrix.entries(), parts = groups_of(longest_band, cell_tuning::piece_entries);
  cell_grid<space_on<Backend>> grid{groups_of(matrix.rows, tile_unit), groups_of(matrix.cols, tile_unit), {}};
  const std::int64_t least_entries =
      grid.lines * std::max(cell_tuning::least_in_cell * grid.columns, cell_tuning::least_in_part * parts);
  if (entries == 0 || entries < least_entries) return {};
  grid.counts = array<std::int32_t, space_on<Backend>>(grid.lines * grid.columns);
  fill(on, grid.counts, std::int32_t{0});
  for_each_team(on, grid.lines * parts, entries / (grid.lines * parts),
                count_cells_of_part<Offset>{block_divisor({1, tile_unit}), matrix.rows, parts,
                                            matrix.row_offsets.data(), matrix.col_indices.data(),
                                            static_cast<std::int32_t>(grid.columns), grid.counts.data()});
  return grid;
}

// The entries in a cell of larger lines and columns.
struct larger_cell_count {
  std::int64_t lines, columns;
  const std::int32_t* counts;
  block_size size;

  SPARSMITH_HOST_DEVICE std::int64_t columns_of_larger() const {
    return (columns + size.cols - 1) / size.cols;
  }
  SPARSMITH_HOST_DEVICE std::int32_t operator()(std::int64_t cell) const {
    const std::int64_t line = cell / columns_of_larger() * size.rows;
    const std::int64_t column = cell % columns_of_larger() * size.cols;
    std::int32_t sum = 0;
    for (std::int64_t l = line; l < line + size.rows && l < lines; ++l)
      for (std::int64_t c = column; c < column + size.cols && c < columns; ++c)
        sum += counts[l * columns + c];
    return sum;
  }
};

// How many cells of larger lines and columns hold entries.
template <class Backend>
std::int64_t count_larger(Backend on, const cell_grid<space_on<Backend>>& grid, block_size size) {
  const larger_cell_count count{grid.lines, grid.columns, grid.counts.data(), size};
  return reduce(
      on, groups_of(grid.lines, size.rows) * count.columns_of_larger(), std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t c) { return std::int64_t{count(c) > 0}; },
      sum_of<std::int64_t>{});
}

// Lists all larger cells that there could be: those without entries are left to whoever drops small ones.
template <class Offset, class Backend>
cell_list<Offset, space_on<Backend>> list_larger(Backend on, const cell_grid<space_on<Backend>>& grid,
                                                 block_size size) {
  const larger_cell_count count{grid.lines, grid.columns, grid.counts.data(), size};
  const std::int64_t columns = count.columns_of_larger(), cells = groups_of(grid.lines, size.rows) * columns;
  using numbers = array<std::int32_t, space_on<Backend>>;
  cell_list<Offset, space_on<Backend>> result{{}, numbers(cells), numbers(cells), numbers(cells)};
  std::int32_t* const rows = result.rows.data();
  std::int32_t* const cols = result.cols.data();
  std::int32_t* const counts = result.counts.data();
  for_each_index(on, cells, [=] SPARSMITH_HOST_DEVICE(std::int64_t c) {
    rows[c] = static_cast<std::int32_t>(c / columns);
    cols[c] = static_cast<std::int32_t>(c % columns);
    counts[c] = count(c);
  });
  return result;
}

}  // namespace sparsmith
