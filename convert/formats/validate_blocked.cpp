// What must hold for the blocked formats.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <vector>

#include "convert/formats/block_index.hpp"
#include "convert/formats/checks.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/formats/validate.hpp"

namespace sparsmith {
namespace {

using text = std::string;

// What CSB, eCSB and GCSB share: sizes, and what an entry of a block may be.
struct block_rules {
  std::int32_t rows, cols, beta, order;
  std::int64_t block_rows = 0, blocks_per_row = 0, all_blocks = 0;
  block_cells cells{0, block_order::morton};

  template <class Format>
  explicit block_rules(const Format& m) : rows(m.rows), cols(m.cols), beta(m.beta), order(m.order) {}

  text check() {
    if (auto problem = check_shape(rows, cols); !problem.empty()) return problem;
    if (beta < 2 || beta > 4096 || !std::has_single_bit(static_cast<unsigned>(beta)))
      return fmt::format("beta {} is not a power of two from 2 to 4096", beta);
    if (order < 0 || order > 2) return fmt::format("order {} is unknown", order);
    block_rows = groups_of(rows, beta);
    blocks_per_row = groups_of(cols, beta);
    const auto product = checked_product(block_rows, blocks_per_row);
    if (!product) return sizes_too_large;
    all_blocks = *product;
    cells = {static_cast<int>(std::bit_width(static_cast<unsigned>(beta))) - 1,
             static_cast<block_order>(order)};
    return {};
  }

  text check_block(std::int64_t at, std::int64_t block) const {
    return check_index("block_indices", at, block, all_blocks);
  }
  text check_entry(std::int64_t at, std::int64_t block, std::uint32_t index) const {
    const auto row = block / blocks_per_row * beta + cells.row_of(index);
    const auto col = block % blocks_per_row * beta + cells.col_of(index);
    if (cells.row_of(index) >= static_cast<std::uint32_t>(beta))
      return fmt::format("combined[{}] = {} is outside its block", at, index);
    if (row >= rows || col >= cols)
      return fmt::format("entry {} lies at ({}, {}), outside the matrix", at, row, col);
    return {};
  }
  std::uint32_t key(std::uint32_t index) const { return cells.key(cells.row_of(index), cells.col_of(index)); }
};

text check_combined(const array<std::uint16_t, host>& narrow, const array<std::uint32_t, host>& wide,
                    std::int64_t slots) {
  if (narrow.size() > 0 && wide.size() > 0) return "combined indices of both widths";
  return check_length("combined", narrow.size() + wide.size(), slots);
}

}  // namespace

template <class Offset, class Value>
std::string find_invalid(const bsr<Offset, Value, host>& m) {
  if (auto problem = check_shape(m.rows, m.cols); !problem.empty()) return problem;
  if (m.block_rows < 1 || m.block_cols < 1 || m.block_rows > 64 || m.block_cols > 64)
    return fmt::format("the block shape {} x {} is outside 1..64", m.block_rows, m.block_cols);
  const std::int64_t lines = groups_of(m.rows, m.block_rows), blocks = m.col_indices.size();
  const std::int64_t area = block_size{m.block_rows, m.block_cols}.area();
  const auto slots = checked_product(blocks, area);
  if (!slots) return sizes_too_large;
  if (auto problem = check_offsets("row_offsets", m.row_offsets, lines, blocks); !problem.empty())
    return problem;
  if (auto problem = check_length("values", m.values.size(), *slots); !problem.empty()) return problem;
  const std::int64_t block_columns = groups_of(m.cols, m.block_cols);
  std::int64_t zero = 0;
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t b = m.row_offsets[line]; b < m.row_offsets[line + 1]; ++b) {
      if (auto problem = check_index("col_indices", b, m.col_indices[b], block_columns); !problem.empty())
        return problem;
      if (b > m.row_offsets[line] && m.col_indices[b] <= m.col_indices[b - 1])
        return fmt::format("col_indices[{}] = {} does not rise above its predecessor", b, m.col_indices[b]);
      bool any = false;
      for (std::int64_t s = 0; s < area; ++s) {
        const std::int64_t slot = b * area + s;
        const bool listed = zero < m.zero_slots.size() && m.zero_slots[zero] == slot;
        if (listed) ++zero;
        if (listed && m.values[slot] != 0)
          return fmt::format("zero_slots names slot {}, which has a value", slot);
        if (!listed && m.values[slot] == 0) continue;
        any = true;
        const std::int64_t row = line * m.block_rows + s / m.block_cols;
        const std::int64_t col = std::int64_t{m.col_indices[b]} * m.block_cols + s % m.block_cols;
        if (row >= m.rows || col >= m.cols)
          return fmt::format("slot {} has a value outside the matrix", slot);
      }
      if (!any) return fmt::format("block {} holds no entry", b);
    }
  if (zero != m.zero_slots.size()) return fmt::format("zero_slots[{}] is out of order or out of range", zero);
  return {};
}

template <class Offset, class Value>
std::string find_invalid(const csb<Offset, Value, host>& m) {
  block_rules rules(m);
  if (auto problem = rules.check(); !problem.empty()) return problem;
  if (auto problem = check_flag("dense_blocks", m.dense_blocks); !problem.empty()) return problem;
  const std::int64_t entries = m.values.size();
  const bool dense = m.dense_blocks == 1;
  const std::int64_t blocks = dense ? rules.all_blocks : m.block_indices.size();
  if (dense && m.block_indices.size() != 0)
    return "block_indices is not empty although every block is stored";
  if (auto problem = check_offsets("block_offsets", m.block_offsets, blocks, entries); !problem.empty())
    return problem;
  if (auto problem = check_combined(m.combined16, m.combined32, entries); !problem.empty()) return problem;
  const index_reader index{m.combined16.data(), m.combined32.data()};
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t position = dense ? b : std::int64_t{m.block_indices[b]};
    if (auto problem = rules.check_block(b, position); !problem.empty()) return problem;
    if (!dense && b > 0 && position <= m.block_indices[b - 1])
      return fmt::format("block_indices[{}] does not rise above its predecessor", b);
    if (!dense && m.block_offsets[b] == m.block_offsets[b + 1]) return fmt::format("block {} is empty", b);
    for (std::int64_t e = m.block_offsets[b]; e < m.block_offsets[b + 1]; ++e) {
      if (auto problem = rules.check_entry(e, position, index[e]); !problem.empty()) return problem;
      if (e > m.block_offsets[b] && rules.key(index[e]) <= rules.key(index[e - 1]))
        return fmt::format("entry {} is out of order in its block", e);
    }
  }
  return {};
}

template <class Offset, class Value>
std::string find_invalid(const ecsb<Offset, Value, host>& m) {
  block_rules rules(m);
  if (auto problem = rules.check(); !problem.empty()) return problem;
  if (m.holding < 0 || m.holding > 2) return fmt::format("holding {} is unknown", m.holding);
  if (m.width < 0) return fmt::format("the width {} is negative", m.width);
  const std::int64_t entries =
      m.block_row_offsets.size() == 0 ? 0 : std::int64_t{m.block_row_offsets[m.block_row_offsets.size() - 1]};
  if (auto problem = check_offsets("block_row_offsets", m.block_row_offsets, rules.block_rows, entries);
      !problem.empty())
    return problem;
  std::int64_t rest = 0, longest = 0;
  for (std::int64_t b = 0; b < rules.block_rows; ++b) {
    const std::int64_t length = m.block_row_offsets[b + 1] - m.block_row_offsets[b];
    rest += std::max<std::int64_t>(0, length - m.width);
    longest = std::max(longest, length);
  }
  const auto slots = checked_product(rules.block_rows, m.width);
  if (!slots) return sizes_too_large;
  const auto holding = static_cast<ecsb_holding>(m.holding);
  if (holding != ecsb_holding::hybrid && m.width != (holding == ecsb_holding::ell ? longest : 0))
    return fmt::format("width {} does not go with holding {}, whose width is {}", m.width, m.holding,
                       holding == ecsb_holding::ell ? longest : 0);
  if (m.width > longest)
    return fmt::format("width {} is more than the {} entries of the longest block row", m.width, longest);
  for (const auto& problem : {check_length("ell_values", m.ell_values.size(), *slots),
                              check_length("rest_values", m.rest_values.size(), rest),
                              check_length("ell_block_indices", m.ell_block_indices.size(), *slots),
                              check_length("rest_block_indices", m.rest_block_indices.size(), rest),
                              check_combined(m.ell_combined16, m.ell_combined32, *slots),
                              check_combined(m.rest_combined16, m.rest_combined32, rest)})
    if (!problem.empty()) return problem;
  const index_reader ell_index{m.ell_combined16.data(), m.ell_combined32.data()};
  const index_reader rest_index{m.rest_combined16.data(), m.rest_combined32.data()};
  std::int64_t rest_at = 0;
  for (std::int64_t b = 0; b < rules.block_rows; ++b) {
    const std::int64_t length = m.block_row_offsets[b + 1] - m.block_row_offsets[b];
    std::pair<std::int64_t, std::uint32_t> last{-1, 0};
    for (std::int64_t k = 0; k < std::max(length, m.width); ++k) {
      const bool front = k < m.width;
      const std::int64_t at = front ? k * rules.block_rows + b : rest_at++;
      const std::int64_t position = front ? m.ell_block_indices[at] : m.rest_block_indices[at];
      const std::uint32_t index = front ? ell_index[at] : rest_index[at];
      if (k >= length) {
        if (m.ell_values[at] != 0 || index != 0) return fmt::format("padding slot {} has a value", at);
        const std::int64_t first_block = length > 0 ? std::int64_t{m.ell_block_indices[b]} : 0;
        if (position != first_block)
          return fmt::format("padding slot {} has block {} instead of {}", at, position, first_block);
        continue;
      }
      if (position < 0 || position >= rules.all_blocks || position / rules.blocks_per_row != b)
        return fmt::format("block index {} of an entry lies outside block row {}", position, b);
      if (auto problem = rules.check_entry(at, position, index); !problem.empty()) return problem;
      const std::pair<std::int64_t, std::uint32_t> place{position, rules.key(index)};
      if (place <= last) return fmt::format("entry {} of block row {} is out of order", k, b);
      last = place;
    }
  }
  return {};
}

template <class Offset, class Value>
std::string find_invalid(const gcsb<Offset, Value, host>& m) {
  block_rules rules(m);
  if (auto problem = rules.check(); !problem.empty()) return problem;
  if (auto problem = check_flag("dense_blocks", m.dense_blocks); !problem.empty()) return problem;
  if (m.group_size < 1 || m.group_size > 1 << 16)
    return fmt::format("group_size {} is outside 1..65536", m.group_size);
  if (m.window < 0) return fmt::format("window {} is negative", m.window);
  if (m.window > 0 && m.dense_blocks == 1)
    return fmt::format("window {} does not go with dense_blocks 1, which sorts all blocks", m.window);
  const std::int64_t blocks = m.block_indices.size(), slots = m.values.size(), size = m.group_size;
  if (m.dense_blocks != 0 && blocks != rules.all_blocks)
    return fmt::format("{} blocks are listed instead of all {}", blocks, rules.all_blocks);
  if (m.filled_blocks < 0 || m.filled_blocks > blocks || (m.dense_blocks == 0 && m.filled_blocks != blocks))
    return fmt::format("filled_blocks {} does not fit {} blocks", m.filled_blocks, blocks);
  if (auto problem = check_offsets("group_offsets", m.group_offsets, groups_of(blocks, size), slots);
      !problem.empty())
    return problem;
  if (auto problem = check_combined(m.combined16, m.combined32, slots); !problem.empty()) return problem;
  const index_reader index{m.combined16.data(), m.combined32.data()};
  std::vector<std::int64_t> seen;
  std::int64_t previous_count = 0, previous_position = -1;
  for (std::int64_t group = 0; group < groups_of(blocks, size); ++group) {
    const std::int64_t first = m.group_offsets[group];
    const std::int64_t longest = (m.group_offsets[group + 1] - first) / size;
    if (m.group_offsets[group + 1] - first != longest * size)
      return fmt::format("group {} is no multiple of {}", group, size);
    std::int64_t fullest = 0;
    for (std::int64_t lane = 0; lane < size; ++lane) {
      const std::int64_t p = group * size + lane;
      const std::int64_t position = p < blocks ? std::int64_t{m.block_indices[p]} : 0;
      if (p < blocks)
        if (auto problem = rules.check_block(p, position); !problem.empty()) return problem;
      std::int64_t count = 0;
      for (std::int64_t k = 0; k < longest; ++k) {
        const std::int64_t at = first + k * size + lane;
        const bool padding = p >= m.filled_blocks || (k > 0 && index[at] == index[at - size]);
        if (padding) {
          if (m.values[at] != 0) return fmt::format("padding slot {} has a value", at);
          if (p >= m.filled_blocks && index[at] != 0) return fmt::format("padding slot {} has an index", at);
          continue;
        }
        if (count < k) return fmt::format("entry at slot {} comes after padding", at);
        if (auto problem = rules.check_entry(at, position, index[at]); !problem.empty()) return problem;
        if (k > 0 && rules.key(index[at]) <= rules.key(index[at - size]))
          return fmt::format("entry at slot {} is out of order in its block", at);
        ++count;
      }
      if (p >= blocks) continue;
      if (p < m.filled_blocks && count == 0) return fmt::format("block {} is empty", p);
      fullest = std::max(fullest, count);
      seen.push_back(position);
      const bool new_window = p == 0 || (m.window > 0 && p % m.window == 0);
      if (!new_window &&
          (count > previous_count || (count == previous_count && position < previous_position)))
        return fmt::format("block {} is not in order of falling count", p);
      previous_count = count;
      previous_position = position;
    }
    if (fullest != longest) return fmt::format("group {} is longer than its longest block", group);
  }
  std::sort(seen.begin(), seen.end());
  if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) return "a block is listed twice";
  return {};
}

namespace {

text check_permutation(const char* name, const array<std::int32_t, host>& order, std::int64_t count) {
  if (auto problem = check_length(name, order.size(), count); !problem.empty()) return problem;
  std::vector<bool> seen(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    if (order[i] < 0 || order[i] >= count || seen[static_cast<std::size_t>(order[i])])
      return fmt::format("{} is no permutation: [{}] = {}", name, i, order[i]);
    seen[static_cast<std::size_t>(order[i])] = true;
  }
  return {};
}

// Whether a permutation is by falling length, equal lengths in order.
text check_falling(const char* name, const array<std::int32_t, host>& order,
                   const array<std::int64_t, host>& lengths) {
  for (std::int64_t i = 1; i < order.size(); ++i) {
    const std::int64_t previous = lengths[order[i - 1]], own = lengths[order[i]];
    if (own > previous || (own == previous && order[i] < order[i - 1]))
      return fmt::format("{}[{}] = {} is not in order of falling length", name, i, order[i]);
  }
  return {};
}

}  // namespace

template <class Offset, class Value>
std::string find_invalid(const gcsb_tile<Offset, Value, host>& m) {
  if (auto problem = check_shape(m.rows, m.cols); !problem.empty()) return problem;
  const auto power_of_two = [](std::int32_t number, std::int32_t least, std::int32_t most) {
    return number >= least && number <= most && std::has_single_bit(static_cast<unsigned>(number));
  };
  if (!power_of_two(m.tile_height, 256, 2048) || !power_of_two(m.tile_width, 256, 2048))
    return fmt::format("the tile shape {} x {} is not of powers of two from 256 to 2048", m.tile_height,
                       m.tile_width);
  if (!power_of_two(m.group_size, 1, 32))
    return fmt::format("group_size {} is not a power of two up to 32", m.group_size);
  if (m.layout_version != 2) return fmt::format("layout_version is {}, not 2", m.layout_version);
  if (m.rest_below < 0) return fmt::format("rest_below {} is negative", m.rest_below);
  if (auto problem = check_flag("renumbered", m.renumbered); !problem.empty()) return problem;
  const tile_cells cells(m.tile_height, m.tile_width, m.group_size);
  const std::int64_t tiles = m.tile_rows.size(), lanes = m.group_size, slots = m.values.size();
  const std::int64_t tile_lines = groups_of(m.rows, m.tile_height),
                     tile_columns = groups_of(m.cols, m.tile_width);
  for (const auto& problem :
       {check_length("tile_cols", m.tile_cols.size(), tiles),
        check_length("tiles_by_column", m.tiles_by_column.size(), tiles),
        check_offsets("tile_offsets", m.tile_offsets, tiles, slots / lanes),
        check_length("values", slots, slots / lanes * lanes),
        check_combined(m.combined16, m.combined32, slots),
        check_length("rest_row_indices", m.rest_row_indices.size(), m.rest_values.size()),
        check_length("rest_col_indices", m.rest_col_indices.size(), m.rest_values.size())})
    if (!problem.empty()) return problem;
  if (m.combined16.size() > 0 && cells.index_bits() > 16)
    return "16-bit combined indices are too narrow for the tile";
  const bool renumbered = m.renumbered == 1;
  if (!renumbered && m.row_order.size() + m.col_order.size() > 0)
    return "row_order and col_order are not empty although nothing is renumbered";
  if (renumbered)
    for (const auto& problem : {check_permutation("row_order", m.row_order, m.rows),
                                check_permutation("col_order", m.col_order, m.cols)})
      if (!problem.empty()) return problem;

  const auto row_of = [&](std::int64_t row) { return renumbered ? std::int64_t{m.row_order[row]} : row; };
  const auto col_of = [&](std::int64_t col) { return renumbered ? std::int64_t{m.col_order[col]} : col; };
  // Only renumbering needs lengths; a shape alone may be far larger than its file.
  array<std::int64_t, host> row_lengths(renumbered ? m.rows : 0), col_lengths(renumbered ? m.cols : 0);
  std::fill(row_lengths.begin(), row_lengths.end(), 0);
  std::fill(col_lengths.begin(), col_lengths.end(), 0);
  const auto count_entry = [&](std::int64_t row, std::int64_t col) {
    if (row < 0 || row >= m.rows || col < 0 || col >= m.cols) return false;
    if (renumbered) {
      ++row_lengths[row];
      ++col_lengths[col];
    }
    return true;
  };
  const index_reader index{m.combined16.data(), m.combined32.data()};
  const std::uint32_t most = std::uint32_t{1} << (cells.key_bits() + 1);
  // Of padding as well, whose columns lie behind the tile's.
  std::vector<std::int64_t> step_of_column(static_cast<std::size_t>(m.tile_width + m.group_size), -1);
  std::vector<bool> filled;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t tile_row = m.tile_rows[t], tile_col = m.tile_cols[t];
    if (tile_row < 0 || tile_row >= tile_lines || tile_col < 0 || tile_col >= tile_columns)
      return fmt::format("tile {} lies at ({}, {}), outside the matrix", t, tile_row, tile_col);
    if (t > 0 && std::pair(tile_row, tile_col) <=
                     std::pair<std::int64_t, std::int64_t>(m.tile_rows[t - 1], m.tile_cols[t - 1]))
      return fmt::format("tile {} is not in row-major order", t);
    if ((m.tile_offsets[t + 1] - m.tile_offsets[t]) % tile_cells::steps_together != 0)
      return fmt::format("the steps of tile {} are not a multiple of {}", t, tile_cells::steps_together);
    filled.assign(std::size_t{most / 2} * static_cast<std::size_t>(lanes), false);
    std::int64_t entries = 0;
    for (std::int64_t step = m.tile_offsets[t]; step < m.tile_offsets[t + 1]; ++step) {
      const std::int64_t before = entries;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const std::int64_t slot = cells.slot(step, static_cast<std::int32_t>(lane));
        if (index[slot] >= most)
          return fmt::format("combined[{}] = {} is outside its tile", slot, index[slot]);
        const std::uint32_t row = cells.row(index[slot], static_cast<std::uint32_t>(lane)),
                            col = cells.col(index[slot]);
        const std::int64_t at_row = tile_row * m.tile_height + row, at_col = tile_col * m.tile_width + col;
        const bool padding = cells.is_padding(index[slot]);
        if (padding && index[slot] >= cells.padding(static_cast<std::uint32_t>(m.group_size)))
          return fmt::format("combined[{}] = {} is neither an entry nor padding", slot, index[slot]);
        if (padding && m.values[slot] != 0) return fmt::format("padding slot {} has a value", slot);
        if (!padding &&
            (at_row >= m.rows || at_col >= m.cols || !count_entry(row_of(at_row), col_of(at_col))))
          return fmt::format("the entry in slot {} lies outside the matrix", slot);
        if (step_of_column[col] == step) return fmt::format("step {} has column {} twice", step, at_col);
        step_of_column[col] = step;
        if (padding) continue;
        const std::size_t place = std::size_t{row} * static_cast<std::size_t>(m.tile_width) + col;
        if (filled[place]) return fmt::format("the entry in slot {} is in its tile twice", slot);
        filled[place] = true;
        ++entries;
      }
      const bool to_whole = m.tile_offsets[t + 1] - step < tile_cells::steps_together;
      if (entries == before && !to_whole) return fmt::format("step {} is empty", step);
    }
    if (entries < std::max(m.rest_below, 1))
      return fmt::format("tile {} has {} entries, fewer than rest_below {}", t, entries, m.rest_below);
  }

  std::vector<std::int32_t> by_column(static_cast<std::size_t>(tiles));
  std::iota(by_column.begin(), by_column.end(), 0);
  std::stable_sort(by_column.begin(), by_column.end(),
                   [&](std::int32_t a, std::int32_t b) { return m.tile_cols[a] < m.tile_cols[b]; });
  for (std::int64_t t = 0; t < tiles; ++t)
    if (m.tiles_by_column[t] != by_column[static_cast<std::size_t>(t)])
      return fmt::format("tiles_by_column[{}] = {} is not the next tile by column", t, m.tiles_by_column[t]);

  for (std::int64_t i = 0; i < m.rest_values.size(); ++i)
    if (!count_entry(m.rest_row_indices[i], m.rest_col_indices[i]))
      return fmt::format("entry {} of the rest lies at ({}, {}), outside the matrix", i,
                         m.rest_row_indices[i], m.rest_col_indices[i]);
  if (renumbered)
    for (const auto& problem : {check_falling("row_order", m.row_order, row_lengths),
                                check_falling("col_order", m.col_order, col_lengths)})
      if (!problem.empty()) return problem;

  // The rest is in order, and in tiles that are too small to be stored.
  const auto number_of_row = places_in(m.row_order), number_of_col = places_in(m.col_order);
  const auto number_of = [&](const array<std::int32_t, host>& numbers, std::int32_t old) {
    return renumbered ? numbers[old] : old;
  };
  std::pair<std::int32_t, std::int32_t> last{-1, -1};
  std::map<std::int32_t, std::int64_t> in_tile_row;  // entries of the tiles of one row of tiles
  for (std::int64_t i = 0; i < m.rest_values.size(); ++i) {
    const std::pair<std::int32_t, std::int32_t> place{number_of(number_of_row, m.rest_row_indices[i]),
                                                      m.rest_col_indices[i]};
    if (place <= last) return fmt::format("entry {} of the rest is out of order", i);
    const std::pair<std::int32_t, std::int32_t> tile{
        place.first / m.tile_height, number_of(number_of_col, m.rest_col_indices[i]) / m.tile_width};
    if (last.first / m.tile_height != tile.first) in_tile_row.clear();
    last = place;
    if (++in_tile_row[tile.second] >= m.rest_below)
      return fmt::format("tile ({}, {}) is in the rest although it has {} entries", tile.first, tile.second,
                         m.rest_below);
    std::int64_t low = 0, high = tiles;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (std::pair(m.tile_rows[middle], m.tile_cols[middle]) < tile)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < tiles && std::pair(m.tile_rows[low], m.tile_cols[low]) == tile)
      return fmt::format("entry {} of the rest belongs to tile {}", i, low);
  }
  return {};
}

#define SPARSMITH_INSTANTIATE(format)                                           \
  template std::string find_invalid(const format<std::int32_t, float, host>&);  \
  template std::string find_invalid(const format<std::int32_t, double, host>&); \
  template std::string find_invalid(const format<std::int64_t, float, host>&);  \
  template std::string find_invalid(const format<std::int64_t, double, host>&);
SPARSMITH_INSTANTIATE(bsr)
SPARSMITH_INSTANTIATE(csb)
SPARSMITH_INSTANTIATE(ecsb)
SPARSMITH_INSTANTIATE(gcsb)
SPARSMITH_INSTANTIATE(gcsb_tile)

}  // namespace sparsmith
