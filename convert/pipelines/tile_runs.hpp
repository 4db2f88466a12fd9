// What every row has in a tile. Rows are sorted by column, so that it is found by a search, or in notes of
// all rows where that is cheaper.
#pragma once

#include "convert/formats/gcsb_tile.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/pipelines/load_ahead.hpp"

namespace sparsmith {

// Chosen by hand; bench_convert shows what a change does.
struct tile_search_tuning {
  static constexpr std::int32_t short_row = 8;  // entries; so few are compared at once instead of searched
  static constexpr std::int32_t near = 8;       // entries that one access to memory brings
  // Rows that a thread of a GPU searches at a time: it waits for memory as often as for one.
  static constexpr int together = 4;
  // Marks of all rows pay where the walk that notes them takes less than the searches: the search of a row in
  // a tile is taken for as long as so many entries of the walk.
  static constexpr std::int64_t entries_of_search = 32;
  // A band that is longer than the others by more than so many pieces may have a row whose team is waited
  // for.
  static constexpr std::int64_t longer_by_pieces = 4;
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
  static constexpr std::int32_t short_row = tile_search_tuning::short_row;

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
    constexpr int together = Team::threads == 1 ? 1 : tile_search_tuning::together;
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
                         tile_search_tuning::near, end_col};
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

}  // namespace sparsmith
