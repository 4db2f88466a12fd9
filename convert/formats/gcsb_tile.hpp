// GCSB's layout `tile`: a group is one tile of the matrix, and lane j of the group owns the tile's rows that
// are j modulo the group size. A step stores at most one entry of every lane, no two of the same column, so
// neither A x nor its transpose needs an atomic inside a warp. Four steps of a lane lie next to each other,
// so that wide loads bring them together; a tile has a multiple of four. The combined index is (row in the
// tile / group_size) << log2(2 tile_width) | column, of 16 bits where that is enough and 32 above (one of the
// two arrays is empty). Padding has value 0, the first row of its lane, and a column behind the tile's, in a
// bank that its step does not use: products need not ask what is padding, and neither a stored zero nor an
// infinite x is mistaken for it. Tiles with fewer than rest_below entries are not stored: their entries are a
// COO list. Where lengths vary much, rows and columns are renumbered by falling length; the tiles count the
// new numbers, the list and everything outside the old ones.
#pragma once

#include <bit>

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Offset, class Value, class Space>
struct gcsb_tile {
  static constexpr const char* name = "gcsb_tile";
  using offset_type = Offset;
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = gcsb_tile<Offset, Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t tile_height = 0;
  std::int32_t tile_width = 0;
  std::int32_t group_size = 0;
  std::int32_t renumbered = 0;
  std::int32_t rest_below = 0;
  std::int32_t layout_version = 2;          // of the steps; the first one marked padding by all ones
  array_in<std::int32_t, Space> row_order;  // the row that has each new number; empty unless renumbered
  array_in<std::int32_t, Space> col_order;
  array_in<std::int32_t, Space> tile_rows;  // of every tile with steps, row-major
  array_in<std::int32_t, Space> tile_cols;
  array_in<Offset, Space> tile_offsets;           // tiles + 1, in steps
  array_in<std::int32_t, Space> tiles_by_column;  // the tiles by column, then row: the walk of the transpose
  array_in<std::uint16_t, Space> combined16;
  array_in<std::uint32_t, Space> combined32;
  array_in<Value, Space> values;                   // group_size a step
  array_in<std::int32_t, Space> rest_row_indices;  // by new row number, then column
  array_in<std::int32_t, Space> rest_col_indices;
  array_in<Value, Space> rest_values;

  static constexpr std::array member_names = {
      "rows",       "cols",       "tile_height",      "tile_width",       "group_size",
      "renumbered", "rest_below", "layout_version",   "row_order",        "col_order",
      "tile_rows",  "tile_cols",  "tile_offsets",     "tiles_by_column",  "combined16",
      "combined32", "values",     "rest_row_indices", "rest_col_indices", "rest_values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.tile_height, s.tile_width, s.group_size, s.renumbered, s.rest_below,
                    s.layout_version, s.row_order, s.col_order, s.tile_rows, s.tile_cols, s.tile_offsets,
                    s.tiles_by_column, s.combined16, s.combined32, s.values, s.rest_row_indices,
                    s.rest_col_indices, s.rest_values);
  }
};

// The place of an entry inside a tile: its key, by which the entries of a lane are sorted before they are
// laid out (diagonal, then row), and its combined index. All sizes are powers of two.
struct tile_cells {
  int lane_bits, line_bits, width_bits;  // log2 of group_size, of tile_height / group_size, of tile_width

  tile_cells(std::int32_t height, std::int32_t width, std::int32_t group_size)
      : lane_bits(log2_of(group_size)), line_bits(log2_of(height / group_size)), width_bits(log2_of(width)) {}

  SPARSMITH_HOST_DEVICE std::int32_t lanes() const { return 1 << lane_bits; }
  SPARSMITH_HOST_DEVICE std::uint32_t width() const { return 1u << width_bits; }
  std::int32_t height() const { return 1 << (lane_bits + line_bits); }
  SPARSMITH_HOST_DEVICE std::uint32_t lane_of(std::uint32_t row) const {
    return row & ((1u << lane_bits) - 1);
  }
  // Of a row and a column anywhere in the matrix.
  SPARSMITH_HOST_DEVICE std::uint32_t key(std::uint32_t row, std::uint32_t col) const {
    row &= (1u << (line_bits + lane_bits)) - 1;
    return ((col - row) & (width() - 1)) << line_bits | row >> lane_bits;
  }
  SPARSMITH_HOST_DEVICE std::uint32_t col_of(std::uint32_t key, std::uint32_t lane) const {
    const std::uint32_t line = key & ((1u << line_bits) - 1);
    return ((key >> line_bits) + (line << lane_bits) + lane) & (width() - 1);
  }
  // The column modulo the number of lanes.
  SPARSMITH_HOST_DEVICE std::uint32_t bank_of(std::uint32_t key, std::uint32_t lane) const {
    return ((key >> line_bits) + lane) & ((1u << lane_bits) - 1);
  }
  SPARSMITH_HOST_DEVICE std::uint32_t combined(std::uint32_t key, std::uint32_t lane) const {
    return (key & ((1u << line_bits) - 1)) << (width_bits + 1) | col_of(key, lane);
  }
  // Of a slot without an entry, in that bank.
  SPARSMITH_HOST_DEVICE std::uint32_t padding(std::uint32_t bank) const { return width() | bank; }
  SPARSMITH_HOST_DEVICE bool is_padding(std::uint32_t combined) const {
    return (combined >> width_bits & 1) != 0;
  }
  SPARSMITH_HOST_DEVICE std::uint32_t line(std::uint32_t combined) const {
    return combined >> (width_bits + 1);
  }
  SPARSMITH_HOST_DEVICE std::uint32_t row(std::uint32_t combined, std::uint32_t lane) const {
    return line(combined) << lane_bits | lane;
  }
  // From the tile's width on: of padding.
  SPARSMITH_HOST_DEVICE std::uint32_t col(std::uint32_t combined) const {
    return combined & (2 * width() - 1);
  }
  int key_bits() const { return line_bits + width_bits; }
  static int log2_of(std::int32_t size) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(size))) - 1;
  }
  // Of the combined index.
  int index_bits() const { return key_bits() + 1 <= 16 ? 16 : 32; }

  // Where the slots of steps are: those of steps_together steps of a lane are neighbours.
  static constexpr int steps_together = 4;
  SPARSMITH_HOST_DEVICE std::int64_t slot(std::int64_t step, std::int32_t lane) const {
    return (step / steps_together * lanes() + lane) * steps_together + step % steps_together;
  }
  SPARSMITH_HOST_DEVICE std::int64_t step_of(std::int64_t slot) const {
    return (slot / steps_together >> lane_bits) * steps_together + slot % steps_together;
  }
  SPARSMITH_HOST_DEVICE std::uint32_t lane_of_slot(std::int64_t slot) const {
    return lane_of(static_cast<std::uint32_t>(slot / steps_together));
  }
};

// A number of steps as it is stored.
SPARSMITH_HOST_DEVICE inline std::int32_t whole_steps(std::int32_t steps) {
  constexpr int together = tile_cells::steps_together;
  return (steps + together - 1) / together * together;
}

}  // namespace sparsmith
