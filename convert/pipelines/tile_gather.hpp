// From CSR to GCSB's layout `tile`, first part: which tiles there are and which are worth storing. It looks
// at the pattern alone.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "convert/error.hpp"
#include "convert/pipelines/cell_counts.hpp"
#include "convert/pipelines/tile_renumber.hpp"
#include "convert/pipelines/tile_runs.hpp"

namespace sparsmith {

// Which tiles are worth storing, and how many entries each of them has.
template <class Offset, class Space>
struct tile_pattern {
  tile_cells cells{0, 0, 1};
  int index_bits = 0;
  std::optional<renumbered_pattern<Offset, Space>> renumbered;
  csr_pattern<Offset, Space> source;
  csr_pattern<Offset, Space> matrix;  // as it is cut into tiles: the renumbered one, or the source
  array<std::int32_t, Space> tile_rows, tile_cols, tile_counts;
  // The entries of the tiles that are not stored, and the rows of the lines of tiles that those are in.
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
  // Whether it pays to walk all entries once for the marks. They take no more memory than the columns.
  bool wants_marks() const {
    const std::int64_t entries = matrix.entries();
    return entries > 0 && matrix.rows * tile_marks::number_in_row(cells, matrix.cols) <= entries &&
           entries <= tile_search_tuning::entries_of_search * cells.height() * tile_rows.size() &&
           longest_band <= entries / groups_of(matrix.rows, tile_unit) +
                               tile_search_tuning::longer_by_pieces * cell_tuning::piece_entries;
  }
};

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

}  // namespace sparsmith
