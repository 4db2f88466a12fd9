// CSR to GCSB's layout `tile` and back: the entries of the tiles are gathered (tile_gather.hpp,
// tile_lanes.hpp), then laid out and written (tile_steps.hpp).
#pragma once

#include "convert/pipelines/fill_limit.hpp"
#include "convert/pipelines/tile_steps.hpp"

namespace sparsmith {

template <class Backend, class Offset>
tile_price price_tiles(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                       const tile_options& options) {
  auto tiles = gather_tiles(on, matrix, options, nullptr);
  const auto entries = fill_lanes(on, tiles, array_view<const float>(), nullptr);
  const std::int64_t count = tiles.tile_rows.size();
  array<std::int32_t, space_on<Backend>> least_steps(count);
  for_each_warp(on, count, static_cast<int>(tiles.cells.width()),
                bound_steps_body{tiles.cells, entries.lane_starts.data(), entries.lane_counts.data(),
                                 entries.keys.data(), least_steps.data()});
  const std::int32_t* const steps = least_steps.data();
  tile_price price;
  price.height = tiles.cells.height();
  price.width = static_cast<std::int32_t>(tiles.cells.width());
  price.index_bits = tiles.index_bits;
  price.renumbered = tiles.renumbered.has_value();
  price.tiles = count;
  price.least_steps = reduce(
      on, count, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return std::int64_t{steps[t]}; }, sum_of<std::int64_t>{});
  price.rest = tiles.rest_entries;
  return price;
}

template <class Backend, class Offset, class Value>
gcsb_tile<Offset, Value, space_on<Backend>> csr_to_gcsb_tile(Backend on,
                                                             csr<Offset, Value, view_on<Backend>> matrix,
                                                             const tile_options& options, double max_fill,
                                                             stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t entries = matrix.values.size(), value_bytes = sizeof(Value);
  auto tiles = gather_tiles(on, pattern_of(matrix), options, log);
  auto gathered = fill_lanes(on, tiles, array_view<const Value>(matrix.values), log);
  const tile_cells cells = tiles.cells;
  const std::int64_t count = tiles.tile_rows.size(), room = gathered.keys.size();

  gcsb_tile<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.tile_height = cells.height();
  result.tile_width = static_cast<std::int32_t>(cells.width());
  result.group_size = options.group_size;
  result.renumbered = tiles.renumbered ? 1 : 0;
  result.rest_below = options.rest_below;
  if (tiles.renumbered) {
    result.row_order = std::move(tiles.renumbered->row_order);
    result.col_order = std::move(tiles.renumbered->col_order);
    tiles.renumbered.reset();
  }
  result.rest_row_indices = std::move(gathered.rest.row_indices);
  result.rest_col_indices = std::move(gathered.rest.col_indices);
  result.rest_values = std::move(gathered.rest.values);

  const std::int64_t* const lane_starts = gathered.lane_starts.data();
  const std::int32_t* const lane_counts = gathered.lane_counts.data();
  array<std::int32_t, space> first_sections;
  tile_sections sections{cells, count, lane_starts, lane_counts, nullptr};
  array<std::int32_t, space> placements(room);
  array<std::int64_t, space> section_steps, first_steps;
  {
    timed_stage timing(on, log, "lay out steps", entries, entries * 8);
    first_sections = offsets_from_lengths<std::int32_t>(
        on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return sections.of_tile(t).number; });
    const auto [number, longest] = reduce(
        on, count, tile_sections::extent{},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return sections.of_tile(t); },
        sum_of<tile_sections::extent>{});
    sections.first_sections = first_sections.data();
    array<std::int32_t, space> steps(number);
    for_each_warp(on, number, lay_out_body::scratch_words(longest),
                  lay_out_body{sections, longest, gathered.keys.data(), placements.data(), steps.data()});
    section_steps = offsets_from_counts<std::int64_t>(on, steps);
    const std::int64_t* const before = section_steps.data();
    first_steps = offsets_from_lengths<std::int64_t>(
        on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) -> std::int64_t {
          return whole_steps(static_cast<std::int32_t>(before[sections.first_sections[t + 1]] -
                                                       before[sections.first_sections[t]]));
        });
    result.tile_offsets = array<Offset, space>(count + 1);
    const std::int64_t* const first_step = first_steps.data();
    Offset* const tile_offsets = result.tile_offsets.data();
    for_each_index(on, count + 1, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
      tile_offsets[t] = static_cast<Offset>(first_step[t]);
    });
  }
  timed_stage timing(on, log, "write steps", entries, entries * (10 + 2 * value_bytes));
  const std::int64_t slots = read_one(on, first_steps.data() + count) << cells.lane_bits;
  require_fill("gcsb layout tile", slots + result.rest_values.size(), entries, max_fill);
  const int bits = tiles.index_bits;
  combined_indices<space> index(slots, bits);
  result.values = array<Value, space>(slots);
  for_each_team(on, count, count == 0 ? 0 : room / count,
                write_steps_body<Value>{sections, section_steps.data(), first_steps.data(),
                                        gathered.keys.data(), gathered.values.data(), placements.data(),
                                        index.writer(), result.values.data()},
                write_steps_body<Value>::least_words(cells));
  result.combined16 = std::move(index.narrow);
  result.combined32 = std::move(index.wide);
  array<std::int32_t, space> numbers(count);
  std::int32_t* const number = numbers.data();
  for_each_index(on, count,
                 [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { number[t] = static_cast<std::int32_t>(t); });
  // They are in the order of their rows already.
  result.tiles_by_column = sort_entries<std::int32_t>(on, tiles.tile_cols, tiles.tile_rows, numbers,
                                                      groups_of(matrix.cols, result.tile_width),
                                                      groups_of(matrix.rows, result.tile_height), true)
                               .values;
  result.tile_rows = std::move(tiles.tile_rows);
  result.tile_cols = std::move(tiles.tile_cols);
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> gcsb_tile_to_csr(Backend on,
                                                       gcsb_tile<Offset, Value, view_on<Backend>> matrix,
                                                       stage_log* log) {
  const tile_cells cells(matrix.tile_height, matrix.tile_width, matrix.group_size);
  const std::int64_t slots = matrix.values.size(), rest = matrix.rest_values.size();
  const std::int64_t tiles = matrix.tile_rows.size(), height = matrix.tile_height, width = matrix.tile_width;
  coo<Value, space_on<Backend>> list;
  {
    timed_stage timing(on, log, "unpack gcsb", slots + rest, bytes(matrix));
    const index_reader index{matrix.combined16.data(), matrix.combined32.data()};
    const auto ranks = offsets_from_lengths<std::int64_t>(
        on, slots,
        [=] SPARSMITH_HOST_DEVICE(std::int64_t s) { return std::int64_t{!cells.is_padding(index[s])}; });
    const std::int64_t in_tiles = read_one(on, ranks.data() + slots);
    list = empty_list<Value, space_on<Backend>>(matrix.rows, matrix.cols, in_tiles + rest);
    const std::int64_t* const rank = ranks.data();
    const Offset* const tile_offsets = matrix.tile_offsets.data();
    const std::int32_t* const tile_rows = matrix.tile_rows.data();
    const std::int32_t* const tile_cols = matrix.tile_cols.data();
    const bool renumbered = matrix.renumbered != 0;
    const std::int32_t* const row_order = matrix.row_order.data();
    const std::int32_t* const col_order = matrix.col_order.data();
    const Value* const values = matrix.values.data();
    const std::int32_t* const rest_rows = matrix.rest_row_indices.data();
    const std::int32_t* const rest_cols = matrix.rest_col_indices.data();
    const Value* const rest_values = matrix.rest_values.data();
    std::int32_t* const rows = list.row_indices.data();
    std::int32_t* const cols = list.col_indices.data();
    Value* const out = list.values.data();
    for_each_index(on, slots, [=] SPARSMITH_HOST_DEVICE(std::int64_t s) {
      if (cells.is_padding(index[s])) return;
      const std::int64_t tile = row_of_entry(tile_offsets, 0, tiles, cells.step_of(s));
      const std::int64_t row = tile_rows[tile] * height + cells.row(index[s], cells.lane_of_slot(s));
      const std::int64_t col = tile_cols[tile] * width + cells.col(index[s]);
      rows[rank[s]] = renumbered ? row_order[row] : static_cast<std::int32_t>(row);
      cols[rank[s]] = renumbered ? col_order[col] : static_cast<std::int32_t>(col);
      out[rank[s]] = values[s];
    });
    for_each_index(on, rest, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
      rows[in_tiles + i] = rest_rows[i];
      cols[in_tiles + i] = rest_cols[i];
      out[in_tiles + i] = rest_values[i];
    });
  }
  return coo_to_csr<Backend, Offset, Value>(on, std::move(list), log);
}

template <class Offset>
struct count_lanes_body {
  tile_cells cells;
  const Offset* tile_offsets;
  index_reader index;
  std::int32_t* counts;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t tile) const {
    for (std::int32_t lane = team.rank(); lane < cells.lanes(); lane += team.size()) {
      std::int32_t count = 0;
      for (std::int64_t step = tile_offsets[tile]; step < tile_offsets[tile + 1]; ++step)
        count += cells.is_padding(index[cells.slot(step, lane)]) ? 0 : 1;
      counts[tile * cells.lanes() + lane] = count;
    }
  }
};

template <class Backend, class Offset>
array<std::int32_t, host> lane_entry_counts(Backend on, const tile_cells& cells,
                                            array_view<const Offset> tile_offsets,
                                            array_view<const std::uint16_t> combined16,
                                            array_view<const std::uint32_t> combined32) {
  const std::int64_t tiles = std::max<std::int64_t>(tile_offsets.size() - 1, 0);
  array<std::int32_t, space_on<Backend>> counts(tiles * cells.lanes());
  for_each_warp(on, tiles, 0,
                count_lanes_body<Offset>{
                    cells, tile_offsets.data(), {combined16.data(), combined32.data()}, counts.data()});
  return copy_to<host>(counts, space_on<Backend>::where);
}

}  // namespace sparsmith
