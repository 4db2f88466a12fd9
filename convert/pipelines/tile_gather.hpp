// The first half of the way from CSR to GCSB's layout `tile`, up to the entries of every tile, lane by lane.
// Pieces of at most 4096 entries, none larger than a band of 256 rows, are the teams' work, so one dense row
// does not hold up the rest: they list the 256-column cells they touch, the cells are put together into
// tiles, and every entry goes to the list of its lane in its tile, in any order. All but the last step looks
// at the pattern alone.
#pragma once

#include "convert/error.hpp"
#include "convert/pipelines/blocks.hpp"

namespace sparsmith {

constexpr std::int32_t tile_unit = 256;  // tile sides are multiples of it
constexpr std::int64_t piece_entries = 4096;
// Entries that a lane takes into view together; its list starts at a multiple of it.
constexpr int tile_run = 8;

// The matrix as pieces: bands of tile_unit rows, cut every piece_entries entries.
template <class Offset>
struct row_pieces {
  std::int64_t rows, bands;
  const Offset* row_offsets;
  const Offset* first_pieces;  // bands + 1

  SPARSMITH_HOST_DEVICE std::int64_t band_start(std::int64_t band) const {
    return band * tile_unit < rows ? band * tile_unit : rows;
  }
  SPARSMITH_HOST_DEVICE row_range range(std::int64_t piece) const {
    const std::int64_t band = row_of_entry(first_pieces, 0, bands, piece);
    const std::int64_t first_row = band_start(band), end_row = band_start(band + 1);
    const std::int64_t first = row_offsets[first_row] + (piece - first_pieces[band]) * piece_entries;
    const std::int64_t last = first + piece_entries < row_offsets[end_row]
                                  ? first + piece_entries
                                  : std::int64_t{row_offsets[end_row]};
    return {piece, row_of_entry(row_offsets, first_row, end_row, first),
            row_of_entry(row_offsets, first_row, end_row, last - 1) + 1, first, last};
  }
};

// As walk_block_rows, for pieces and cells of tile_unit columns.
template <class Offset, class Action>
struct walk_pieces {
  row_pieces<Offset> pieces;
  block_divisor cell;
  const std::int32_t* cols;
  const Offset* first_cells;  // null while the cells are being counted
  Action action;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    const row_range range = pieces.range(piece);
    const std::int64_t first_cell = first_cells == nullptr ? 0 : std::int64_t{first_cells[piece]};
    action.finish(team, range,
                  walk_range(team, range, false, cell, pieces.row_offsets, cols, first_cell, action));
  }
};

// The same once the cells are listed.
template <class Offset, class Action>
struct walk_listed_pieces {
  row_pieces<Offset> pieces;
  const Offset* first_cells;
  const std::int32_t* cell_cols;
  Action action;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    walk_listed(
        team, pieces.range(piece), first_cells[piece], first_cells[piece + 1],
        [&](std::int64_t c) { return cell_cols[c]; }, action);
  }
};

struct column_position {
  using type = std::int32_t;
  SPARSMITH_HOST_DEVICE std::int32_t operator()(std::int64_t, std::int32_t block_col) const {
    return block_col;
  }
};

// Puts the cells of a tile row together into tiles.
struct join_cells_action {
  block_divisor shape;
  const std::int32_t* cell_cols;
  const std::int32_t* cell_counts;
  std::int32_t* tile_rows;
  std::int32_t* tile_cols;
  std::int32_t* tile_counts;  // all 0 before
  std::int32_t* tile_of_cell;

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t tile,
                                        std::int32_t, const Window& window) const {
    window.for_each([&](std::int32_t rank, std::int32_t tile_col) {
      tile_rows[tile + rank] = static_cast<std::int32_t>(range.number);
      tile_cols[tile + rank] = tile_col;
    });
    for (std::int64_t c = range.first + team.rank(); c < range.last; c += team.size()) {
      const std::int32_t tile_col = shape.col_of(cell_cols[c]);
      if (!window.holds(tile_col)) continue;
      const std::int64_t own = tile + window.rank(tile_col);
      tile_of_cell[c] = static_cast<std::int32_t>(own);
      team.add(tile_counts + own, cell_counts[c]);
    }
    team.sync();
  }
};

// What the two walks over the entries of a tile's lanes share.
template <class Offset>
struct lane_lists {
  const Offset* row_offsets;
  const std::int32_t* cols;
  tile_cells cells;
  const std::int32_t* tile_of_cell;  // negative: the rest
  std::int32_t* lane_counts;         // of every tile; all 0 before

  SPARSMITH_HOST_DEVICE std::int64_t list_of(std::int32_t tile, std::uint32_t row) const {
    return (std::int64_t{tile} << cells.lane_bits) + cells.lane_of(row);
  }
};

// Counts the entries of every lane. Those of one row in one tile come in runs, as in list_block_action.
template <class Offset>
struct count_lanes_action {
  lane_lists<Offset> lists;

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t cell,
                                        std::int32_t, const Window& window) const {
    const std::int32_t* const cols = lists.cols;
    const int width_bits = lists.cells.width_bits;
    for_each_entry(team, range, lists.row_offsets, cols, static_cast<const float*>(nullptr),
                   [&](std::int64_t e, std::int64_t row_in_range, const loaded_entry<float>& entry) {
                     const std::int64_t row = range.first_row + row_in_range;
                     const bool first = e == range.first || e == lists.row_offsets[row];
                     const bool last = e + 1 == range.last || e + 1 == lists.row_offsets[row + 1];
                     const run_neighbours n{first ? -1 : cols[e - 1] >> width_bits, entry.col >> width_bits,
                                            last ? -1 : cols[e + 1] >> width_bits};
                     if ((n.left == n.own && n.right == n.own) || !window.holds(entry.col / tile_unit))
                       return;
                     const std::int32_t tile = lists.tile_of_cell[cell + window.rank(entry.col / tile_unit)];
                     const std::int32_t amount = n.share_of_run(e - range.first);
                     if (tile >= 0 && amount != 0)
                       team.add_shared(
                           lists.lane_counts + lists.list_of(tile, static_cast<std::uint32_t>(row)), amount);
                   });
    team.sync();
  }
};

// Puts every entry of a piece into the list of its lane, or marks it as part of the rest.
template <class Offset, class Value>
struct fill_lanes_action {
  lane_lists<Offset> lists;
  const Value* values;
  const std::int64_t* lane_starts;
  std::uint32_t* keys;
  Value* out_values;      // null where only the pattern is wanted
  std::uint8_t* is_rest;  // null where there is none

  template <class Team, class Window>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, const row_range& range, std::int64_t cell,
                                        std::int32_t, const Window& window) const {
    for_each_entry(team, range, lists.row_offsets, lists.cols, out_values == nullptr ? nullptr : values,
                   [&](std::int64_t e, std::int64_t row_in_range, const loaded_entry<Value>& entry) {
                     if (!window.holds(entry.col / tile_unit)) return;
                     const std::int32_t tile = lists.tile_of_cell[cell + window.rank(entry.col / tile_unit)];
                     if (is_rest != nullptr) is_rest[e] = static_cast<std::uint8_t>(tile < 0);
                     if (tile < 0) return;
                     const auto row = static_cast<std::uint32_t>(range.first_row + row_in_range);
                     const std::int64_t list = lists.list_of(tile, row);
                     const std::int64_t to = lane_starts[list] + team.next_shared(lists.lane_counts + list);
                     keys[to] = lists.cells.key(row, static_cast<std::uint32_t>(entry.col));
                     if (out_values != nullptr) out_values[to] = entry.value;
                   });
    team.sync();
  }
};

// The pattern of a matrix with its rows and columns renumbered; the columns of a row keep their old order.
template <class Offset, class Space>
struct renumbered_pattern {
  array<std::int32_t, Space> row_order, col_order;
  array<Offset, Space> row_offsets;
  array<std::int32_t, Space> col_indices;
};

// Whether lengths vary so much that renumbering pays: a coefficient of variation above 1.
inline bool lengths_vary(std::int64_t lines, std::int64_t entries, std::int64_t squares) {
  const auto total = static_cast<double>(entries);
  return static_cast<double>(lines) * static_cast<double>(squares) > 2 * total * total;
}
template <class Backend, class Length>
bool lengths_vary(Backend on, std::int64_t lines, std::int64_t entries, Length length) {
  const std::int64_t squares = reduce(
      on, lines, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return std::int64_t{length(i)} * std::int64_t{length(i)}; },
      sum_of<std::int64_t>{});
  return lengths_vary(lines, entries, squares);
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
  array<std::int32_t, space> col_lengths(cols);
  fill(on, col_lengths, std::int32_t{0});
  std::int32_t* const counts = col_lengths.data();
  const auto col_length = [=] SPARSMITH_HOST_DEVICE(std::int64_t c) { return counts[c]; };
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { count_one(counts + old_cols[e]); });
  if (wanted == renumbering::automatic && !lengths_vary(on, rows, entries, row_length) &&
      !lengths_vary(on, cols, entries, col_length))
    return {};
  renumbered_pattern<Offset, space> result;
  result.row_order = order_by_falling_length(on, rows, rows + 1, row_length);
  result.col_order = order_by_falling_length(on, cols, cols + 1, col_length);
  array<std::int32_t, space> new_cols(cols);
  const std::int32_t* const row_order = result.row_order.data();
  const std::int32_t* const col_order = result.col_order.data();
  std::int32_t* const new_col = new_cols.data();
  for_each_index(on, cols, [=] SPARSMITH_HOST_DEVICE(std::int64_t c) {
    new_col[col_order[c]] = static_cast<std::int32_t>(c);
  });
  result.row_offsets = offsets_from_lengths<Offset>(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<Offset>(row_length(row_order[r]));
  });
  result.col_indices = array<std::int32_t, space>(entries);
  const auto rows_of_entries = expand_offsets(on, result.row_offsets.data(), rows, entries);
  const std::int32_t* const row = rows_of_entries.data();
  const Offset* const out_offsets = result.row_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    out_cols[e] = new_col[old_cols[offsets[row_order[row[e]]] + (e - out_offsets[row[e]])]];
  });
  return result;
}

// The values in the order of the renumbered pattern.
template <class Backend, class Offset, class Value>
array<Value, space_on<Backend>> renumber_values(
    Backend on, const renumbered_pattern<Offset, space_on<Backend>>& renumbered,
    array_view<const Offset> old_offsets, array_view<const Value> values) {
  const std::int64_t entries = values.size(), rows = renumbered.row_order.size();
  array<Value, space_on<Backend>> result(entries);
  const auto rows_of_entries = expand_offsets(on, renumbered.row_offsets.data(), rows, entries);
  const std::int32_t* const row = rows_of_entries.data();
  const std::int32_t* const row_order = renumbered.row_order.data();
  const Offset* const new_start = renumbered.row_offsets.data();
  const Offset* const old_start = old_offsets.data();
  const Value* const from = values.data();
  Value* const out = result.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    out[e] = from[old_start[row_order[row[e]]] + (e - new_start[row[e]])];
  });
  return result;
}

// The smallest square tiles that hold 6000 entries on average pad little (about a seventh where entries are
// random) and keep their share of x and y small; where there are none, the largest with 16-bit indices. Of a
// small matrix fewer are enough: what a tile's outputs cost then counts for more than padding. A
// matrix narrower or lower than its tile gets the area in the other direction.
template <class CountTiles>
std::pair<std::int32_t, std::int32_t> choose_tile(std::int64_t rows, std::int64_t cols, std::int64_t entries,
                                                  std::int32_t group_size, CountTiles count_tiles) {
  const std::int64_t enough = std::clamp<std::int64_t>(entries / 256, 1000, 6000);
  std::int32_t side = tile_unit;
  while (side * 2 / group_size * (side * 2) <= 32768 && entries < enough * count_tiles(side)) side *= 2;
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

// Which tiles are worth storing, and how many entries each of their lanes has.
template <class Offset, class Space>
struct tile_pattern {
  tile_cells cells{0, 0, 1};
  int index_bits = 0;
  std::optional<renumbered_pattern<Offset, Space>> renumbered;
  csr_pattern<Offset, Space> matrix;  // as it is cut into tiles: the renumbered one, or the source
  array<Offset, Space> first_pieces, first_cells;
  array<std::int32_t, Space> cell_cols, tile_of_cell;
  std::int64_t piece_count = 0;
  array<std::int32_t, Space> tile_rows, tile_cols;
  array<std::int32_t, Space> lane_counts;  // group_size a tile
  array<std::int64_t, Space> lane_starts;  // and one more; multiples of 8
  std::int64_t rest_entries = 0;           // of the tiles that are not

  row_pieces<Offset> pieces() const {
    return {matrix.rows, groups_of(matrix.rows, tile_unit), matrix.row_offsets.data(), first_pieces.data()};
  }
  // What only walks over the entries need.
  void forget_cells() {
    first_pieces = {};
    first_cells = {};
    cell_cols = {};
    tile_of_cell = {};
  }
  std::int64_t lists() const { return tile_rows.size() << cells.lane_bits; }
};

// Bits of the combined index: as asked, or as few as leave room for the mark of padding.
inline int tile_index_bits(const tile_cells& cells, int asked) {
  if (asked == 16 && cells.index_bits() > 16)
    throw error(failure::usage, "16-bit combined indices need tiles of at most 32768 cells a lane", "index");
  return asked != 0 ? asked : cells.index_bits();
}

// Walks the entries of all pieces, whose cells are listed, and counts again what each lane has.
template <class Backend, class Offset, class Action>
void walk_lanes(Backend on, tile_pattern<Offset, space_on<Backend>>& tiles, Action action) {
  fill(on, tiles.lane_counts, std::int32_t{0});
  const std::int64_t work = tiles.piece_count == 0 ? 0 : tiles.matrix.entries() / tiles.piece_count;
  for_each_team(on, tiles.piece_count, work,
                walk_listed_pieces<Offset, Action>{tiles.pieces(), tiles.first_cells.data(),
                                                   tiles.cell_cols.data(), action});
}

template <class Offset, class Space>
lane_lists<Offset> lanes_of(tile_pattern<Offset, Space>& tiles) {
  return {tiles.matrix.row_offsets.data(), tiles.matrix.col_indices.data(), tiles.cells,
          tiles.tile_of_cell.data(), tiles.lane_counts.data()};
}

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
  const auto& matrix = result.matrix;
  const std::int32_t* const cols = matrix.col_indices.data();

  // Cells: what each piece has in each 256 columns.
  const block_divisor cell({1, tile_unit});
  row_pieces<Offset> pieces = result.pieces();
  array<Offset, space> band_cells;
  array<std::int32_t, space> cell_counts;
  std::int64_t cell_count = 0;
  {
    timed_stage timing(on, log, "list cells", entries, entries * 8);
    result.first_pieces =
        offsets_from_lengths<Offset>(on, pieces.bands, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
          const Offset* const offsets = pieces.row_offsets;
          return static_cast<Offset>(
              (offsets[pieces.band_start(b + 1)] - offsets[pieces.band_start(b)] + piece_entries - 1) /
              piece_entries);
        });
    pieces = result.pieces();
    result.piece_count = read_one(on, result.first_pieces.data() + pieces.bands);
    array<Offset, space> counts(result.piece_count);
    const std::int64_t work = result.piece_count == 0 ? 0 : entries / result.piece_count;
    for_each_team(
        on, result.piece_count, work,
        walk_pieces<Offset, count_block_action<Offset>>{pieces, cell, cols, nullptr, {counts.data()}});
    result.first_cells = offsets_from_counts<Offset>(on, counts);
    cell_count = read_one(on, result.first_cells.data() + result.piece_count);
    result.cell_cols = array<std::int32_t, space>(cell_count);
    cell_counts = array<std::int32_t, space>(cell_count);
    fill(on, cell_counts, std::int32_t{0});
    for_each_team(on, result.piece_count, work,
                  walk_pieces<Offset, without_finish<list_block_action<column_position>>>{
                      pieces,
                      cell,
                      cols,
                      result.first_cells.data(),
                      {{cols, cell, {}, result.cell_cols.data(), cell_counts.data()}}});
    band_cells = array<Offset, space>(pieces.bands + 1);
    Offset* const band_cell = band_cells.data();
    const Offset* const first_cell = result.first_cells.data();
    for_each_index(on, pieces.bands + 1, [=] SPARSMITH_HOST_DEVICE(std::int64_t b) {
      band_cell[b] = first_cell[pieces.first_pieces[b]];
    });
  }
  const csr_pattern<Offset, space> cell_matrix{static_cast<std::int32_t>(pieces.bands),
                                               static_cast<std::int32_t>(groups_of(matrix.cols, tile_unit)),
                                               band_cells, result.cell_cols};
  const auto lines_of = [&](std::int32_t height, std::int32_t width) {
    return block_lines<Backend, Offset>(on, cell_matrix,
                                        block_divisor({height / tile_unit, width / tile_unit}), false);
  };

  // Tiles, from cells.
  result.tile_of_cell = array<std::int32_t, space>(cell_count);
  {
    timed_stage timing(on, log, "join cells", cell_count, cell_count * 16);
    auto [height, width] = std::pair(options.height, options.width);
    if (height == 0)
      std::tie(height, width) = choose_tile(
          matrix.rows, matrix.cols, entries, options.group_size, [&](std::int32_t side) -> std::int64_t {
            const auto lines = lines_of(side, side);
            return read_one(on, count_blocks(on, lines).data() + lines.count);
          });
    result.cells = tile_cells(height, width, options.group_size);
    result.index_bits = tile_index_bits(result.cells, options.index_bits);
    const auto lines = lines_of(height, width);
    const auto first_tiles = count_blocks(on, lines);
    const std::int64_t tiles = read_one(on, first_tiles.data() + lines.count);
    if (tiles > std::numeric_limits<std::int32_t>::max())
      throw error(failure::resources, "more tiles than 32-bit numbers can count; take larger tiles", "tile");
    array<std::int32_t, space> tile_rows(tiles), tile_cols(tiles), tile_counts(tiles);
    fill(on, tile_counts, std::int32_t{0});
    walk_blocks(on, lines, first_tiles.data(),
                without_finish<join_cells_action>{{lines.shape, result.cell_cols.data(), cell_counts.data(),
                                                   tile_rows.data(), tile_cols.data(), tile_counts.data(),
                                                   result.tile_of_cell.data()}});
    // Only those with enough entries are kept, and numbered again.
    const std::int32_t least = options.rest_below;
    const std::int32_t* const counts = tile_counts.data();
    const auto numbers = offsets_from_lengths<std::int32_t>(
        on, tiles, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) { return counts[t] >= least ? 1 : 0; });
    result.rest_entries = reduce(
        on, tiles, std::int64_t{0},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
          return std::int64_t{counts[t] >= least ? 0 : counts[t]};
        },
        sum_of<std::int64_t>{});
    const std::int64_t kept = read_one(on, numbers.data() + tiles);
    result.tile_rows = array<std::int32_t, space>(kept);
    result.tile_cols = array<std::int32_t, space>(kept);
    const std::int32_t* const number = numbers.data();
    const std::int32_t* const all_rows = tile_rows.data();
    const std::int32_t* const all_cols = tile_cols.data();
    std::int32_t* const kept_rows = result.tile_rows.data();
    std::int32_t* const kept_cols = result.tile_cols.data();
    for_each_index(on, tiles, [=] SPARSMITH_HOST_DEVICE(std::int64_t t) {
      if (counts[t] < least) return;
      kept_rows[number[t]] = all_rows[t];
      kept_cols[number[t]] = all_cols[t];
    });
    std::int32_t* const tile = result.tile_of_cell.data();
    for_each_index(on, cell_count, [=] SPARSMITH_HOST_DEVICE(std::int64_t c) {
      tile[c] = counts[tile[c]] >= least ? number[tile[c]] : -1;
    });
  }

  timed_stage timing(on, log, "count lanes", entries, entries * 4);
  result.lane_counts = array<std::int32_t, space>(result.lists());
  walk_lanes(on, result, count_lanes_action<Offset>{lanes_of(result)});
  const std::int32_t* const counts = result.lane_counts.data();
  result.lane_starts =
      offsets_from_lengths<std::int64_t>(on, result.lists(), [=] SPARSMITH_HOST_DEVICE(std::int64_t l) {
        return (std::int64_t{counts[l]} + tile_run - 1) / tile_run * tile_run;
      });
  return result;
}

// The entries of every tile, lane by lane and not yet sorted, and what is left over.
template <class Value, class Space>
struct tile_entries {
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
  array<std::uint8_t, space> is_rest(rest > 0 ? entries : 0);
  tile_entries<Value, space> result;
  {
    timed_stage timing(on, log, "fill lanes", entries, entries * (8 + 2 * std::int64_t{sizeof(Value)}));
    const std::int64_t room = read_one(on, tiles.lane_starts.data() + tiles.lists());
    result.keys = array<std::uint32_t, space>(room);
    result.values = array<Value, space>(with_values ? room : 0);
    if (room + is_rest.size() > 0)
      walk_lanes(on, tiles,
                 fill_lanes_action<Offset, Value>{lanes_of(tiles), values.data(), tiles.lane_starts.data(),
                                                  result.keys.data(), result.values.data(), is_rest.data()});
  }
  result.rest = empty_list<Value, space>(matrix.rows, matrix.cols, rest);
  if (rest == 0) return result;
  timed_stage timing(on, log, "list the rest", rest, entries * 9);
  const auto ranks = offsets_from_counts<Offset>(on, is_rest);
  const std::uint8_t* const in_rest = is_rest.data();
  const Offset* const rank = ranks.data();
  const std::int64_t rows = matrix.rows;
  const Offset* const row_offsets = matrix.row_offsets.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Value* const from = values.data();
  const std::int32_t* const row_order = tiles.renumbered ? tiles.renumbered->row_order.data() : nullptr;
  const std::int32_t* const col_order = tiles.renumbered ? tiles.renumbered->col_order.data() : nullptr;
  std::int32_t* const out_rows = result.rest.row_indices.data();
  std::int32_t* const out_cols = result.rest.col_indices.data();
  Value* const out_values = result.rest.values.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    if (in_rest[e] == 0) return;
    const auto row = static_cast<std::int32_t>(row_of_entry(row_offsets, 0, rows, e));
    out_rows[rank[e]] = row_order != nullptr ? row_order[row] : row;
    out_cols[rank[e]] = col_order != nullptr ? col_order[cols[e]] : cols[e];
    out_values[rank[e]] = from[e];
  });
  return result;
}

}  // namespace sparsmith
