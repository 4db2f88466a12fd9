// The first half of the way from CSR to GCSB's layout `tile`, up to the entries of every tile, lane by lane.
// Pieces of at most 8192 entries, none larger than a band of 256 rows, are the teams' work, so one dense row
// does not hold up the rest: they list the 256-column cells they touch, and the cells are put together into
// tiles; where most cells hold entries, they are counted in a grid instead. Rows are sorted by column, so
// what a row has in a tile is found by a search, or in notes of all rows where that is cheaper: a team a tile
// counts its lanes, and copies their entries, row by row and each row by diagonal. All but that looks at the
// pattern alone.
#pragma once

#include "convert/error.hpp"
#include "convert/pipelines/blocks.hpp"

namespace sparsmith {

constexpr std::int32_t tile_unit = 256;  // tile sides are multiples of it
constexpr std::int64_t piece_entries = 8192;
// Keys that a lane loads together; its list starts at a multiple of it.
constexpr int tile_run = 8;

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
    const std::int64_t first = row_offsets[first_row] + (piece - first_pieces[band]) * piece_entries;
    const std::int64_t last = first + piece_entries < row_offsets[end_row]
                                  ? first + piece_entries
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
    const std::int64_t first = row_offsets[first_row] + number % parts * piece_entries;
    if (first >= end) return;
    const cells_of_entries entries{cell, cols, first,
                                   first + piece_entries < end ? first + piece_entries : end};
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
  static constexpr std::int32_t most_room = 256;  // cells; a random matrix of 45,000 columns fills 177

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
    const bool at_once = span <= team.scratch_words() / 2 && span <= 4 * (range.last - range.first) + room;
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

// Where each tile begins in a row, counted from the row's start, and where its diagonal does, both for all
// tiles there could be: two marks a tile, and the row's end.
struct tile_marks {
  tile_cells cells;
  std::int64_t of_row;  // how many
  std::int32_t* marks;  // null where there are none, else those of every row that has entries

  static std::int64_t number_in_row(const tile_cells& cells, std::int64_t cols) {
    return 2 * groups_of(cols, static_cast<std::int64_t>(cells.width())) + 1;
  }
  // The column in the tile where the diagonal through the tile's first row is, modulo the width.
  SPARSMITH_HOST_DEVICE std::uint32_t diagonal(std::int64_t row) const {
    return static_cast<std::uint32_t>(row) & ((1u << (cells.lane_bits + cells.line_bits)) - 1) &
           (cells.width() - 1);
  }
  // The last one that is not beyond a column.
  SPARSMITH_HOST_DEVICE std::int32_t before(std::int64_t row, std::uint32_t col) const {
    return static_cast<std::int32_t>(2 * (col >> cells.width_bits) +
                                     ((col & (cells.width() - 1)) >= diagonal(row) ? 1 : 0));
  }
};

// Notes the marks of a row.
template <class Offset>
struct mark_tiles_of_row {
  tile_marks out;
  const Offset* row_offsets;
  const std::int32_t* cols;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t row) const {
    const std::int64_t start = row_offsets[row];
    const auto length = static_cast<std::int32_t>(row_offsets[row + 1] - start);
    if (length == 0) return;
    std::int32_t* const marks = out.marks + row * out.of_row;
    const auto mark_before = [&](std::int64_t i) {
      return out.before(row, static_cast<std::uint32_t>(cols[start + i]));
    };
    load_ahead(
        team.rank(), length, team.size(),
        [&](std::int64_t i) {
          return mark_range{i == 0 ? -1 : mark_before(i - 1), mark_before(i)};
        },
        [&](std::int64_t i, const mark_range& passed) {
          for (std::int32_t m = passed.behind + 1; m <= passed.last; ++m)
            marks[m] = static_cast<std::int32_t>(i);
        });
    for (std::int64_t m = mark_before(length - 1) + 1 + team.rank(); m < out.of_row; m += team.size())
      marks[m] = length;
  }

 private:
  struct mark_range {
    std::int32_t behind, last;
  };
};

// What the rows of a tile have in it, found by searching the rows, which are sorted by column, where there
// are no marks.
template <class Offset>
struct tile_runs {
  static constexpr std::int32_t short_row = 8;  // entries; so few are compared at once instead of searched

  tile_cells cells;
  std::int64_t rows;
  const Offset* row_offsets;
  const std::int32_t* cols;
  const std::int32_t* tile_rows;
  const std::int32_t* tile_cols;
  tile_marks marks;

  struct run {
    std::int64_t start;  // in the matrix
    std::int32_t length;
    // How much of it is left of the diagonal through the tile's first row, modulo the width: that comes last
    // in the order of diagonals, (column - row) mod width.
    std::int32_t left_of_diagonal;
  };

  SPARSMITH_HOST_DEVICE std::int32_t height() const { return 1 << (cells.lane_bits + cells.line_bits); }
  SPARSMITH_HOST_DEVICE std::int64_t first_row(std::int64_t tile) const {
    return std::int64_t{tile_rows[tile]} << (cells.lane_bits + cells.line_bits);
  }
  // use(row in the tile, what it has there) for every row of the tile.
  template <class Team, class Use>
  SPARSMITH_HOST_DEVICE void for_each_run(const Team& team, std::int64_t tile, Use use) const {
    // Some rows of a thread are searched at a time: it waits for memory as often as for one.
    constexpr int together = Team::threads == 1 ? 1 : 4;
    const std::uint32_t width = cells.width();
    const std::uint32_t first_col = static_cast<std::uint32_t>(tile_cols[tile]) << cells.width_bits;
    const std::uint32_t end_col = first_col + width;
    for (std::int32_t r = team.rank(); r < height(); r += together * team.size()) {
      const auto row_of = [&](int k) { return r + k * team.size(); };
      const auto diagonal = [&](int k) {
        return first_col + (static_cast<std::uint32_t>(row_of(k)) & (width - 1));
      };
      Offset row_starts[together];
      std::int32_t lengths[together];
      bool all_short = true;
      for (int k = 0; k < together; ++k) {
        const std::int64_t row = first_row(tile) + row_of(k);
        const bool there = row_of(k) < height() && row < rows;
        lengths[k] = there ? static_cast<std::int32_t>(row_offsets[row + 1] - row_offsets[row]) : 0;
        row_starts[k] = lengths[k] > 0 ? row_offsets[row] : 0;
        all_short = all_short && lengths[k] <= short_row;
      }
      std::int32_t starts[together], ends[together], middles[together];
      if (marks.marks != nullptr) {
        for (int k = 0; k < together; ++k) {
          starts[k] = ends[k] = middles[k] = 0;
          if (lengths[k] == 0) continue;
          const std::int32_t* const own =
              marks.marks + (first_row(tile) + row_of(k)) * marks.of_row + 2 * std::int64_t{tile_cols[tile]};
          starts[k] = own[0];
          middles[k] = own[1];
          ends[k] = own[2];
        }
      } else if (all_short) {
        for (int k = 0; k < together; ++k) {
          starts[k] = ends[k] = middles[k] = 0;
          for (std::int32_t i = 0; i < short_row; ++i) {
            // Something is loaded in any case: without branches between them, the loads wait together.
            const std::int32_t loaded = cols[row_starts[k] + (i < lengths[k] ? i : 0)];
            const std::uint32_t col = i < lengths[k] ? static_cast<std::uint32_t>(loaded) : ~0u;
            starts[k] += col < first_col ? 1 : 0;
            middles[k] += col < diagonal(k) ? 1 : 0;
            ends[k] += col < end_col ? 1 : 0;
          }
        }
      } else {
        row_search searches[together];
        for (int k = 0; k < together; ++k) searches[k] = {0, lengths[k], 0, first_col};
        search_rows(row_starts, searches, starts);
        for (int k = 0; k < together; ++k)
          searches[k] = {starts[k],
                         lengths[k] - starts[k] < static_cast<std::int32_t>(width)
                             ? lengths[k]
                             : starts[k] + static_cast<std::int32_t>(width),
                         near, end_col};
        search_rows(row_starts, searches, ends);
        for (int k = 0; k < together; ++k) searches[k] = {starts[k], ends[k], 0, diagonal(k)};
        search_rows(row_starts, searches, middles);
      }
      for (int k = 0; k < together; ++k)
        if (row_of(k) < height())
          use(row_of(k), run{row_starts[k] + starts[k], ends[k] - starts[k], middles[k] - starts[k]});
    }
  }

 private:
  static constexpr std::int32_t near = 8;  // entries that one access to memory brings

  // For the first entry of a row from a column on, which is in low..high: by halves, or where it is probably
  // near to low, in steps from there that double until they are beyond it.
  struct row_search {
    std::int32_t low, high, step;
    std::uint32_t col;

    SPARSMITH_HOST_DEVICE std::int32_t probe() const {
      return step > 0 && step < high - low ? low + step : (low + high) / 2;
    }
  };
  template <int together>
  SPARSMITH_HOST_DEVICE void search_rows(const Offset (&row_starts)[together],
                                         row_search (&searches)[together],
                                         std::int32_t (&found)[together]) const {
    for (bool any = true; any;) {
      any = false;
      std::uint32_t met[together];
      for (int k = 0; k < together; ++k) {
        const row_search& own = searches[k];
        met[k] = own.low < own.high ? static_cast<std::uint32_t>(cols[row_starts[k] + own.probe()]) : 0;
      }
      for (int k = 0; k < together; ++k) {
        row_search& own = searches[k];
        if (own.low >= own.high) continue;
        const std::int32_t probe = own.probe();
        if (met[k] < own.col) {
          own.low = probe + 1;
          own.step *= 2;
        } else {
          own.high = probe;
          own.step = 0;
        }
        any = any || own.low < own.high;
      }
    }
    for (int k = 0; k < together; ++k) found[k] = searches[k].low;
  }
};

// Copies the entries of a tile to the lists of its lanes, row by row and each row by diagonal: where a row is
// cut between two sections, the parts of neighbouring lanes then lie in different banks.
template <class Offset, class Value>
struct fill_lanes_of_tile {
  tile_runs<Offset> runs;
  // Where each entry and each row is in the source; null where they are the source's own.
  const Offset* sources;
  const std::int32_t* row_order;
  const Offset* source_offsets;
  const Value* values;
  const std::int64_t* tile_starts;
  std::int32_t* lane_counts;
  std::int64_t* lane_starts;
  std::uint32_t* keys;
  Value* out_values;  // null where only the pattern is wanted
  // Of the rows that may have something in the rest: by the tiles' row, and inside it by place in the source.
  std::int64_t first_rest_row, end_rest_row, first_rest_entry;
  std::uint8_t* is_rest;

  // The room for the lists of a tile. That of a lane starts behind as many as the lanes before it have, and
  // one run for each of them, so that all start at multiples of a run.
  static SPARSMITH_HOST_DEVICE std::int64_t room(const tile_cells& cells, std::int64_t entries) {
    return lane_start(cells.lanes(), entries);
  }

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    const tile_cells& cells = runs.cells;
    const std::int32_t height = runs.height(), lines = 1 << cells.line_bits;
    const std::int64_t first_row = runs.first_row(tile), first_entry = runs.row_offsets[first_row];
    const bool may_rest = first_row >= first_rest_row && first_row < end_rest_row;
    // For every row, lane by lane: where its run starts, counted from the first row's first entry, how much
    // of it comes last, and how many entries there are before it. Tiles of 2048 rows fill the scratch.
    std::uint32_t* const starts = team.scratch();
    std::uint32_t* const last = starts + height;
    std::int32_t* const before = reinterpret_cast<std::int32_t*>(last + height);
    // Neighbouring rows are in different lanes: the places of a lane change with its number, inside 64 of
    // them, so that threads write theirs into different banks of the scratch.
    const auto turned = [&](std::int32_t place) {
      if constexpr (Team::threads == 1) return place;
      return place ^ (place >> cells.line_bits << cells.line_bits >> 5);
    };
    runs.for_each_run(team, tile, [&](std::int32_t r, const typename tile_runs<Offset>::run& found) {
      const std::int32_t place =
          turned((r & (cells.lanes() - 1)) << cells.line_bits | r >> cells.lane_bits);  // lane, then line
      const auto start = static_cast<std::uint64_t>(found.start - first_entry);
      starts[place] = static_cast<std::uint32_t>(start);
      last[place] = static_cast<std::uint32_t>(start >> 32 << last_bits) |
                    static_cast<std::uint32_t>(found.left_of_diagonal);
      before[place] = found.length;
    });
    team.sync();
    if constexpr (Team::threads > 1)
      for (std::int32_t place = team.rank(); place < height; place += team.size()) {
        const std::int32_t length = before[turned(place)];
        team.sync();  // of the 64 places, who are here at the same time
        before[place] = length;
      }
    team.sync();
    const std::int32_t entries = team.exclusive_sum(before, height);
    const auto before_place = [&](std::int32_t place) { return place < height ? before[place] : entries; };
    const auto before_lane = [&](std::int32_t lane) { return before_place(lane << cells.line_bits); };
    for (std::int32_t lane = team.rank(); lane < cells.lanes(); lane += team.size()) {
      const std::int64_t list = (tile << cells.lane_bits) + lane;
      lane_counts[list] = before_lane(lane + 1) - before_lane(lane);
      lane_starts[list] = tile_starts[tile] + lane_start(lane, before_lane(lane));
    }
    const auto part_of = [&](std::int32_t place) {
      const std::int32_t lane = place >> cells.line_bits, line = place & (lines - 1), at = turned(place);
      row_part part;
      part.row = line << cells.lane_bits | lane;
      part.length = before_place(place + 1) - before[place];
      part.last = static_cast<std::int32_t>(last[at] & ((1u << last_bits) - 1));
      part.from = first_entry + static_cast<std::int64_t>(std::uint64_t{last[at]} >> last_bits << 32 |
                                                          std::uint64_t{starts[at]});
      part.to =
          static_cast<std::int32_t>(lane_start(lane, before_lane(lane))) + before[place] - before_lane(lane);
      return part;
    };
    const std::int64_t list_start = tile_starts[tile];
    if constexpr (Team::threads == 1) {
      for (std::int32_t place = 0; place < height; ++place) {
        const row_part part = part_of(place);
        for (std::int32_t i = 0; i < part.length; ++i) {
          found_entry found[1] = {part.entry(i)};
          load(first_row, may_rest, found);
          put(list_start, may_rest, found[0]);
        }
      }
      return;
    }
    // A warp takes the entries of so many neighbouring places together that it has enough to load at a time;
    // what it writes then is one piece, and what it reads are few. Each thread looks up the place of its
    // entry.
    constexpr int warp = 32, ahead = 4;
    const std::int32_t warps = team.size() / warp;
    std::int32_t places = 1;
    while (places * warps < height && std::int64_t{places} * entries < std::int64_t{ahead} * warp * height)
      places *= 2;
    for (std::int32_t first = team.rank() / warp * places; first < height; first += warps * places) {
      const std::int32_t end = before_place(first + places);
      for (std::int32_t start = before[first]; start < end; start += ahead * warp) {
        found_entry found[ahead];
        for (int k = 0; k < ahead; ++k) {
          const std::int32_t own = start + k * warp + team.rank() % warp;
          if (start + k * warp < end) {
            const std::int32_t entry = own < end ? own : end - 1;
            std::int32_t place = first;
            for (std::int32_t half = places / 2; half > 0; half /= 2)
              if (before[place + half] <= entry) place += half;
            found[k] = part_of(place).entry(entry - before[place]);
          } else {
            found[k] = found[0];  // something to load
          }
          if (own >= end) found[k].to = -1;
        }
        load(first_row, may_rest, found);
        for (int k = 0; k < ahead; ++k)
          if (found[k].to >= 0) put(list_start, may_rest, found[k]);
      }
    }
    team.sync();
  }

 private:
  static constexpr int last_bits = 12;  // of what comes last of a row: at most a tile's width of 2048

  static SPARSMITH_HOST_DEVICE std::int64_t lane_start(std::int32_t lane, std::int64_t entries_before) {
    static_assert((tile_run & (tile_run - 1)) == 0);  // a mask is cheaper than a division
    return ((entries_before + tile_run - 1) & -std::int64_t{tile_run}) + lane * tile_run;
  }

  struct found_entry {
    std::int32_t row = 0, to = -1, col = 0;
    Offset at = 0;  // where it is in the matrix, and when it is loaded, among those that may be in the rest
    Value value = 0;
  };
  // What a row has in the tile, where that goes in the lists of the tile, and how much of it comes last.
  struct row_part {
    std::int64_t from;
    std::int32_t row, to, last, length;

    SPARSMITH_HOST_DEVICE found_entry entry(std::int32_t i) const {
      const std::int32_t turned = i + last;
      found_entry found;
      found.row = row;
      found.to = to + i;
      found.at = static_cast<Offset>(from + (turned < length ? turned : turned - length));
      return found;
    }
  };
  // Some at a time, so that all wait for memory together.
  template <int count>
  SPARSMITH_HOST_DEVICE void load(std::int64_t first_row, bool may_rest, found_entry (&found)[count]) const {
    for (found_entry& own : found) own.col = runs.cols[own.at];
    if (sources != nullptr)
      for (found_entry& own : found) own.at = sources[own.at];
    if (out_values != nullptr)
      for (found_entry& own : found) own.value = values[own.at];
    if (sources != nullptr && may_rest)
      for (found_entry& own : found) {
        const std::int64_t row = first_row + own.row;
        own.at += runs.row_offsets[row] - source_offsets[row_order[row]];
      }
  }
  SPARSMITH_HOST_DEVICE void put(std::int64_t list_start, bool may_rest, const found_entry& found) const {
    const std::int64_t to = list_start + found.to;
    keys[to] = runs.cells.key(static_cast<std::uint32_t>(found.row), static_cast<std::uint32_t>(found.col));
    if (out_values != nullptr) out_values[to] = found.value;
    if (may_rest) is_rest[found.at - first_rest_entry] = 0;
  }
};

// The pattern of a matrix with its rows and columns renumbered, every row sorted by its new columns.
template <class Offset, class Space>
struct renumbered_pattern {
  array<std::int32_t, Space> row_order, col_order;
  array<Offset, Space> row_offsets;
  array<std::int32_t, Space> col_indices;
  array<Offset, Space> sources;  // where each entry was
};

// Sorts a row by its new columns.
template <class Offset>
struct sort_row_body {
  std::int64_t first_row;
  int key_bits;
  const Offset* old_offsets;
  const std::int32_t* row_order;
  const Offset* row_offsets;
  const std::uint32_t* unsorted;
  std::int32_t* cols;
  Offset* sources;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t number) const {
    const std::int64_t row = first_row + number, start = row_offsets[row];
    const std::int64_t old_start = old_offsets[row_order[row]];
    sort_by_key(team, unsorted, start, row_offsets[row + 1], key_bits,
                [&](std::int64_t from, std::int64_t to) {
                  cols[to] = static_cast<std::int32_t>(unsorted[from]);
                  sources[to] = static_cast<Offset>(old_start + (from - start));
                });
    team.sync();
  }
};

// Counts the entries of every column in all rows, or in so many that are drawn, maybe some of them twice.
template <class Offset>
struct sample_columns_body {
  std::int64_t rows;
  bool all;
  const Offset* row_offsets;
  const std::int32_t* cols;
  std::int32_t* counts;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t number) const {
    auto mixed = static_cast<std::uint32_t>(number) * 0x9e3779b9u;
    mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
    mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
    mixed ^= mixed >> 16;
    const std::int64_t row = all ? number : static_cast<std::int64_t>(mixed) * rows >> 32;
    for (std::int64_t e = row_offsets[row] + team.rank(); e < row_offsets[row + 1]; e += team.size())
      count_one(counts + cols[e]);
  }
};

// Whether lengths vary so much that renumbering pays: a coefficient of variation above 1.
inline bool lengths_vary(std::int64_t lines, std::int64_t entries, double squares) {
  const auto total = static_cast<double>(entries);
  return static_cast<double>(lines) * squares > 2 * total * total;
}
inline bool lengths_vary(std::int64_t lines, std::int64_t entries, std::int64_t squares) {
  return lengths_vary(lines, entries, static_cast<double>(squares));
}
template <class Backend, class Length>
bool lengths_vary(Backend on, std::int64_t lines, std::int64_t entries, Length length) {
  const std::int64_t squares = reduce(
      on, lines, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return std::int64_t{length(i)} * std::int64_t{length(i)}; },
      sum_of<std::int64_t>{});
  return lengths_vary(lines, entries, squares);
}

// Whether the columns' lengths vary so much, from a sample of the rows where the entries are many. A drawn
// row is in a column with the probability length / rows, and so is the next one: the pairs that two draws
// make in a column tell the square of its length.
template <class Backend, class Offset>
bool columns_vary(Backend on, csr_pattern<Offset, space_on<Backend>> matrix) {
  constexpr std::int64_t few = std::int64_t{1} << 18, least_rows = 1024;
  const std::int64_t rows = matrix.rows, cols = matrix.cols, entries = matrix.entries();
  if (entries == 0) return false;
  std::int64_t drawn = rows;
  while (entries / rows * drawn > few && drawn / 2 >= least_rows) drawn /= 2;
  array<std::int32_t, space_on<Backend>> sampled(cols);
  fill(on, sampled, std::int32_t{0});
  std::int32_t* const counts = sampled.data();
  for_each_team(on, drawn, entries / rows,
                sample_columns_body<Offset>{rows, drawn == rows, matrix.row_offsets.data(),
                                            matrix.col_indices.data(), counts});
  const std::int64_t pairs = reduce(
      on, cols, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t c) { return std::int64_t{counts[c]} * (counts[c] - 1); },
      sum_of<std::int64_t>{});
  if (drawn == rows) return lengths_vary(cols, entries, pairs + entries);
  const double share = static_cast<double>(drawn) / static_cast<double>(rows);
  return lengths_vary(cols, entries, static_cast<double>(pairs) / (share * share));
}

template <class Backend, class Offset>
std::optional<renumbered_pattern<Offset, space_on<Backend>>> renumber(
    Backend on, csr_pattern<Offset, space_on<Backend>> matrix, renumbering wanted) {
  using space = space_on<Backend>;
  if (wanted == renumbering::none) return {};
  const std::int64_t rows = matrix.rows, cols = matrix.cols, entries = matrix.entries();
  const Offset* const offsets = matrix.row_offsets.data();
  const std::int32_t* const old_cols = matrix.col_indices.data();
  const auto row_length = [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<std::int32_t>(offsets[r + 1] - offsets[r]);
  };
  if (wanted == renumbering::automatic && !lengths_vary(on, rows, entries, row_length) &&
      !columns_vary(on, matrix))
    return {};
  array<std::int32_t, space> col_lengths(cols);
  fill(on, col_lengths, std::int32_t{0});
  std::int32_t* const counts = col_lengths.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { count_one(counts + old_cols[e]); });
  renumbered_pattern<Offset, space> result;
  result.row_order = order_by_falling_length(on, rows, rows + 1, row_length);
  result.col_order = order_by_falling_length(on, cols, cols + 1,
                                             [=] SPARSMITH_HOST_DEVICE(std::int64_t c) { return counts[c]; });
  const std::int32_t* const row_order = result.row_order.data();
  const std::int32_t* const col_order = result.col_order.data();
  std::int32_t* const new_col = counts;  // in the place of the lengths
  for_each_index(on, cols, [=] SPARSMITH_HOST_DEVICE(std::int64_t c) {
    new_col[col_order[c]] = static_cast<std::int32_t>(c);
  });
  result.row_offsets = offsets_from_lengths<Offset>(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<Offset>(row_length(row_order[r]));
  });
  const Offset* const out_offsets = result.row_offsets.data();
  array<std::uint32_t, space> unsorted(entries);
  {
    const auto rows_of_entries = expand_offsets(on, out_offsets, rows, entries);
    const std::int32_t* const row = rows_of_entries.data();
    std::uint32_t* const out = unsorted.data();
    for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
      out[e] = static_cast<std::uint32_t>(
          new_col[old_cols[offsets[row_order[row[e]]] + (e - out_offsets[row[e]])]]);
    });
  }
  result.col_indices = array<std::int32_t, space>(entries);
  result.sources = array<Offset, space>(entries);
  // The rows fall in length, so those for a large team come first, then those for a warp.
  const auto longer_than = [&](std::int32_t length) {
    return reduce(
        on, rows, std::int64_t{0},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return std::int64_t{row_length(r) > length}; },
        sum_of<std::int64_t>{});
  };
  constexpr std::int32_t warp_length = 32, block_length = 256;
  constexpr std::int64_t part_of_warp = 1, warp = 32, block = 1024;  // as for_each_team counts work
  const std::int64_t for_blocks = longer_than(block_length), for_warps = longer_than(warp_length);
  const auto sort_rows = [&](std::int64_t first, std::int64_t end, std::int64_t work) {
    for_each_team(on, end - first, work,
                  sort_row_body<Offset>{first, index_bits(cols), offsets, row_order, out_offsets,
                                        unsorted.data(), result.col_indices.data(), result.sources.data()});
  };
  sort_rows(0, for_blocks, block);
  sort_rows(for_blocks, for_warps, warp);
  sort_rows(for_warps, rows, part_of_warp);
  return result;
}

// The smallest square tiles that hold 6000 entries on average pad little (about a seventh where entries are
// random) and keep their share of x and y small; where there are none, the largest with 16-bit indices. Where
// the entries are few, a product takes as long as its loads wait for each other, and smaller tiles give more
// thread blocks something to do. A matrix narrower or lower than its tile gets the area in the other
// direction. more_tiles(side, number): whether there are more than so many of that side.
template <class MoreTiles>
std::pair<std::int32_t, std::int32_t> choose_tile(std::int64_t rows, std::int64_t cols, std::int64_t entries,
                                                  std::int32_t group_size, MoreTiles more_tiles) {
  constexpr std::int64_t enough = 6000, few = std::int64_t{1} << 21;
  constexpr std::int32_t most_for_few = 512;
  std::int32_t side = tile_unit;
  while (side * 2 / group_size * (side * 2) <= 32768 && (entries >= few || side < most_for_few) &&
         more_tiles(side, entries / enough))
    side *= 2;
  std::int32_t height = side, width = side;
  while (width / 2 >= std::max<std::int64_t>(cols, tile_unit)) {
    width /= 2;
    height = std::min(height * 2, 2048);
  }
  while (height / 2 >= std::max<std::int64_t>(rows, tile_unit)) {
    height /= 2;
    if (cols > width) width = std::min(width * 2, 2048);
  }
  return {height, width};
}

// Which tiles are worth storing, and how many entries each of them has.
template <class Offset, class Space>
struct tile_pattern {
  tile_cells cells{0, 0, 1};
  int index_bits = 0;
  std::optional<renumbered_pattern<Offset, Space>> renumbered;
  csr_pattern<Offset, Space> source;
  csr_pattern<Offset, Space> matrix;  // as it is cut into tiles: the renumbered one, or the source
  array<std::int32_t, Space> tile_rows, tile_cols, tile_counts;
  // Of the tiles that are not, and the rows of the lines of tiles that they are in.
  std::int64_t rest_entries = 0, first_rest_row = 0, end_rest_row = 0;
  std::int64_t longest_band = 0;  // entries of tile_unit rows

  tile_runs<Offset> runs(const tile_marks& marks) const {
    return {cells,
            matrix.rows,
            matrix.row_offsets.data(),
            matrix.col_indices.data(),
            tile_rows.data(),
            tile_cols.data(),
            marks};
  }
  // Whether it pays to walk all entries once for the marks: a GPU searches a row of a tile in the time of 32
  // entries. They take no more memory than the columns, and no row is so long that its team is waited for.
  bool wants_marks() const {
    const std::int64_t entries = matrix.entries();
    return entries > 0 && matrix.rows * tile_marks::number_in_row(cells, matrix.cols) <= entries &&
           entries <= 32 * cells.height() * tile_rows.size() &&
           longest_band <= entries / groups_of(matrix.rows, tile_unit) + 4 * piece_entries;
  }
};

// Bits of the combined index: as asked, or as few as leave room for the mark of padding.
inline int tile_index_bits(const tile_cells& cells, int asked) {
  if (asked == 16 && cells.index_bits() > 16)
    throw error(failure::usage, "16-bit combined indices need tiles of at most 32768 cells a lane", "index");
  return asked != 0 ? asked : cells.index_bits();
}

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

// Lists them.
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
  const bool whole = longest_band <= piece_entries;
  array<Offset, space> first_pieces;
  if (!whole) {
    first_pieces = offsets_from_lengths<Offset>(on, bands, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
      const Offset* const offsets = pieces.row_offsets;
      return static_cast<Offset>(
          (offsets[pieces.band_start(b + 1)] - offsets[pieces.band_start(b)] + piece_entries - 1) /
          piece_entries);
    });
    pieces.first_pieces = first_pieces.data();
  }
  const std::int64_t count = whole ? bands : std::int64_t{read_one(on, first_pieces.data() + bands)};
  const std::int64_t work = count == 0 ? 0 : entries / count;
  cell_list<Offset, space> of_pieces;
  {
    // Where most pieces are nearly empty, room for all would be more than the matrix.
    const auto room = static_cast<std::int32_t>(std::clamp<std::int64_t>(
        std::min(groups_of(matrix.cols, tile_unit), 2 * work), 1, list_cells_of_piece<Offset>::most_room));
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

// Of a matrix whose longest band is that long; empty where it would not be small.
template <class Backend, class Offset>
cell_grid<space_on<Backend>> count_cells(Backend on, const csr_pattern<Offset, space_on<Backend>>& matrix,
                                         std::int64_t longest_band) {
  constexpr std::int64_t entries_of_cell = 16, entries_of_part = 1024;  // at least, on average
  const std::int64_t entries = matrix.entries(), parts = groups_of(longest_band, piece_entries);
  cell_grid<space_on<Backend>> grid{groups_of(matrix.rows, tile_unit), groups_of(matrix.cols, tile_unit), {}};
  const std::int64_t least_entries =
      grid.lines * std::max(entries_of_cell * grid.columns, entries_of_part * parts);
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

// All of them, those without entries too.
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

// The tiles that are kept, the entries of the others, and the lines of tiles that those are in.
struct kept_tiles {
  std::int64_t kept = 0, rest = 0;
  std::int32_t first_line = 0x7fffffff, end_line = 0;
  SPARSMITH_HOST_DEVICE kept_tiles operator+(const kept_tiles& other) const {
    return {kept + other.kept, rest + other.rest,
            first_line < other.first_line ? first_line : other.first_line,
            end_line > other.end_line ? end_line : other.end_line};
  }
};

template <class Backend, class Offset>
tile_pattern<Offset, space_on<Backend>> gather_tiles(Backend on,
                                                     csr_pattern<Offset, space_on<Backend>> source,
                                                     const tile_options& options, stage_log* log) {
  using space = space_on<Backend>;
  require_options(options);
  tile_pattern<Offset, space> result;
  const std::int64_t entries = source.entries();
  {
    timed_stage timing(on, log, "renumber", entries, entries * 4);
    result.renumbered = renumber(on, source, options.renumber);
  }
  result.matrix = source;
  if (result.renumbered)
    result.matrix = {source.rows, source.cols, result.renumbered->row_offsets,
                     result.renumbered->col_indices};
  result.source = source;
  const auto& matrix = result.matrix;
  cell_grid<space> grid;
  cell_list<Offset, space> cells;  // where there is no grid
  std::int64_t cell_count = 0;
  {
    timed_stage timing(on, log, "list cells", entries, entries * 8);
    result.longest_band = longest_group(on, matrix.row_offsets.data(), matrix.rows, tile_unit);
    grid = count_cells<Backend, Offset>(on, matrix, result.longest_band);
    if (grid.counts.size() > 0) {
      cell_count = count_larger(on, grid, {1, 1});
    } else {
      cells = list_cells<Backend, Offset>(on, matrix, result.longest_band);
      cell_count = cells.cols.size();
    }
  }
  const csr_pattern<Offset, space> cell_matrix{static_cast<std::int32_t>(groups_of(matrix.rows, tile_unit)),
                                               static_cast<std::int32_t>(groups_of(matrix.cols, tile_unit)),
                                               cells.first_cells, cells.cols};
  {
    timed_stage timing(on, log, "join cells", cell_count, cell_count * 16);
    auto [height, width] = std::pair(options.height, options.width);
    std::optional<counted_cells<Backend, Offset>> counted;  // the last ones
    if (height == 0)
      std::tie(height, width) = choose_tile(matrix.rows, matrix.cols, entries, options.group_size,
                                            [&](std::int32_t side, std::int64_t number) {
                                              const std::int32_t units = side / tile_unit;
                                              if (cell_count > number * units * units)
                                                return true;  // whatever tiles they make
                                              if (units == 1) return false;
                                              const block_size size{units, units};
                                              if (grid.counts.size() > 0)
                                                return count_larger(on, grid, size) > number;
                                              return counted.emplace(on, cell_matrix, size).count > number;
                                            });
    result.cells = tile_cells(height, width, options.group_size);
    result.index_bits = tile_index_bits(result.cells, options.index_bits);
    const block_size joined{height / tile_unit, width / tile_unit};
    cell_list<Offset, space> all;
    if (grid.counts.size() > 0) {
      all = list_larger<Offset>(on, grid, joined);
    } else {
      if (!counted || counted->lines.shape.rows != joined.rows || counted->lines.shape.cols != joined.cols)
        counted.emplace(on, cell_matrix, joined);
      all = join_cells(on, std::move(*counted), cells.counts, true);
    }
    const std::int64_t tiles = all.cols.size();
    if (tiles > std::numeric_limits<std::int32_t>::max())
      throw error(failure::resources, "more tiles than 32-bit numbers can count; take larger tiles", "tile");
    // Only those with enough entries are kept, and numbered again.
    const std::int32_t least = std::max(options.rest_below, 1);
    const std::int32_t* const counts = all.counts.data();
    const auto numbers = offsets_from_lengths<std::int32_t>(
        on, tiles, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return counts[t] >= least ? 1 : 0; });
    const std::int32_t* const all_rows = all.rows.data();
    const kept_tiles found = reduce(
        on, tiles, kept_tiles{},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
          if (counts[t] >= least) return kept_tiles{1};
          return counts[t] == 0 ? kept_tiles{} : kept_tiles{0, counts[t], all_rows[t], all_rows[t] + 1};
        },
        sum_of<kept_tiles>{});
    result.rest_entries = found.rest;
    result.first_rest_row = std::min<std::int64_t>(std::int64_t{found.first_line} * height, matrix.rows);
    result.end_rest_row = std::min<std::int64_t>(std::int64_t{found.end_line} * height, matrix.rows);
    result.tile_rows = array<std::int32_t, space>(found.kept);
    result.tile_cols = array<std::int32_t, space>(found.kept);
    result.tile_counts = array<std::int32_t, space>(found.kept);
    const std::int32_t* const number = numbers.data();
    const std::int32_t* const all_cols = all.cols.data();
    std::int32_t* const kept_rows = result.tile_rows.data();
    std::int32_t* const kept_cols = result.tile_cols.data();
    std::int32_t* const kept_counts = result.tile_counts.data();
    for_each_index(on, tiles, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
      if (counts[t] < least) return;
      kept_rows[number[t]] = all_rows[t];
      kept_cols[number[t]] = all_cols[t];
      kept_counts[number[t]] = counts[t];
    });
  }
  return result;
}

// The entries of every tile, lane by lane and not yet sorted, and what is left over.
template <class Value, class Space>
struct tile_entries {
  array<std::int32_t, Space> lane_counts;  // group_size a tile
  array<std::int64_t, Space> lane_starts;  // multiples of tile_run
  array<std::uint32_t, Space> keys;
  array<Value, Space> values;
  coo<Value, Space> rest;  // in the numbers of the source
};

// Without values, `values` is empty, and so are the result's and its rest.
template <class Backend, class Offset, class Value>
tile_entries<Value, space_on<Backend>> fill_lanes(Backend on, tile_pattern<Offset, space_on<Backend>>& tiles,
                                                  array_view<const Value> values, stage_log* log) {
  using space = space_on<Backend>;
  const auto& matrix = tiles.matrix;
  const bool with_values = values.size() > 0;
  const std::int64_t entries = matrix.entries(), rest = with_values ? tiles.rest_entries : 0;
  const std::int64_t first_row = rest > 0 ? tiles.first_rest_row : 0,
                     end_row = rest > 0 ? tiles.end_rest_row : 0;
  const auto entries_before = [&](std::int64_t row) {  // what is known is not waited for
    return row == 0             ? 0
           : row == matrix.rows ? entries
                                : std::int64_t{read_one(on, matrix.row_offsets.data() + row)};
  };
  const std::int64_t first_entry = entries_before(first_row), end_entry = entries_before(end_row);
  // A byte an entry, filled and counted by the word: mostly few of them stay 1.
  constexpr std::int64_t in_word = sizeof(std::uint64_t);
  constexpr std::uint64_t all_ones = 0x0101010101010101;
  array<std::uint64_t, space> is_rest(groups_of(end_entry - first_entry, in_word));
  fill(on, is_rest, all_ones);
  tile_entries<Value, space> result;
  {
    timed_stage timing(on, log, "fill lanes", entries, entries * (8 + 2 * std::int64_t{sizeof(Value)}));
    const tile_cells cells = tiles.cells;
    const std::int64_t count = tiles.tile_rows.size();
    const std::int32_t* const counts = tiles.tile_counts.data();
    const auto tile_starts =
        offsets_from_lengths<std::int64_t>(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
          return fill_lanes_of_tile<Offset, Value>::room(cells, counts[t]);
        });
    // Not less than they take, which would have to be waited for.
    const std::int64_t room =
        entries - tiles.rest_entries + count * fill_lanes_of_tile<Offset, Value>::room(cells, tile_run - 1);
    result.lane_counts = array<std::int32_t, space>(count << cells.lane_bits);
    result.lane_starts = array<std::int64_t, space>(count << cells.lane_bits);
    result.keys = array<std::uint32_t, space>(room);
    result.values = array<Value, space>(with_values ? room : 0);
    const std::int64_t marks_of_row = tile_marks::number_in_row(cells, matrix.cols);
    array<std::int32_t, space> mark_list(tiles.wants_marks() ? matrix.rows * marks_of_row : 0);
    const tile_marks marks{cells, marks_of_row, mark_list.data()};
    if (mark_list.size() > 0)
      for_each_team(on, matrix.rows, entries / matrix.rows,
                    mark_tiles_of_row<Offset>{marks, matrix.row_offsets.data(), matrix.col_indices.data()});
    for_each_block<256>(
        on, count,
        fill_lanes_of_tile<Offset, Value>{
            tiles.runs(marks), tiles.renumbered ? tiles.renumbered->sources.data() : nullptr,
            tiles.renumbered ? tiles.renumbered->row_order.data() : nullptr, tiles.source.row_offsets.data(),
            values.data(), tile_starts.data(), result.lane_counts.data(), result.lane_starts.data(),
            result.keys.data(), result.values.data(), first_row, end_row, first_entry,
            reinterpret_cast<std::uint8_t*>(is_rest.data())});
  }
  result.rest = empty_list<Value, space>(matrix.rows, matrix.cols, rest);
  if (rest == 0) return result;
  // In the order of the tiles' rows, and inside a row in that of the source.
  timed_stage timing(on, log, "list the rest", rest, (end_entry - first_entry) * 2);
  const std::uint64_t* const words = is_rest.data();
  const auto ranks =
      offsets_from_lengths<Offset>(on, is_rest.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t w) {
        return static_cast<Offset>(words[w] * all_ones >> 56);  // the sum of its bytes
      });
  const std::uint8_t* const in_rest = reinterpret_cast<const std::uint8_t*>(words);
  const Offset* const first_ranks = ranks.data();
  const Offset* const row_offsets = matrix.row_offsets.data();
  const Offset* const source_offsets = tiles.source.row_offsets.data();
  const std::int32_t* const source_cols = tiles.source.col_indices.data();
  const std::int32_t* const row_order = tiles.renumbered ? tiles.renumbered->row_order.data() : nullptr;
  const Value* const from = values.data();
  std::int32_t* const out_rows = result.rest.row_indices.data();
  std::int32_t* const out_cols = result.rest.col_indices.data();
  Value* const out_values = result.rest.values.data();
  for_each_index(on, is_rest.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t w) {
    if (words[w] == 0) return;
    Offset rank = first_ranks[w];
    for (std::int64_t i = w * in_word; i < (w + 1) * in_word && first_entry + i < end_entry; ++i) {
      if (in_rest[i] == 0) continue;
      const std::int64_t e = first_entry + i, new_row = row_of_entry(row_offsets, first_row, end_row, e);
      const std::int64_t row = row_order != nullptr ? std::int64_t{row_order[new_row]} : new_row;
      const std::int64_t source = source_offsets[row] + (e - row_offsets[new_row]);
      out_rows[rank] = static_cast<std::int32_t>(row);
      out_cols[rank] = source_cols[source];
      out_values[rank] = from[source];
      ++rank;
    }
  });
  return result;
}

}  // namespace sparsmith
