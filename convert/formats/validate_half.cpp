// What must hold for halves of symmetric matrices, beside what must hold for the format of their entries.
#include <fmt/format.h>

#include <algorithm>

#include "convert/formats/block_index.hpp"
#include "convert/formats/validate.hpp"

namespace sparsmith {
namespace {

// each(row, col, value) for every entry of a valid matrix, until one gives a problem.
template <class Offset, class Value, class Each>
std::string first_problem(const csr<Offset, Value, host>& m, Each each) {
  for (std::int64_t row = 0; row < m.rows; ++row)
    for (std::int64_t e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
      if (auto problem = each(row, m.col_indices[e], m.values[e]); !problem.empty()) return problem;
  return {};
}

template <class Value, class Each>
std::string first_problem(const dia<Value, host>& m, Each each) {
  const auto holds = [&](std::int64_t slot) {
    return m.values[slot] != 0 || std::binary_search(m.zero_slots.begin(), m.zero_slots.end(), slot);
  };
  for (std::int64_t slot = 0; slot < m.values.size(); ++slot) {
    const std::int64_t row = slot % m.rows;
    if (!holds(slot)) continue;
    if (auto problem = each(row, row + m.offsets[slot / m.rows], m.values[slot]); !problem.empty())
      return problem;
  }
  for (std::int64_t e = 0; e < m.rest_values.size(); ++e)
    if (auto problem = each(m.rest_row_indices[e], m.rest_col_indices[e], m.rest_values[e]); !problem.empty())
      return problem;
  return {};
}

template <class Offset, class Value, class Each>
std::string first_problem(const bsr<Offset, Value, host>& m, Each each) {
  const std::int64_t area = std::int64_t{m.block_rows} * m.block_cols;
  std::int64_t zero = 0;
  for (std::int64_t line = 0; line + 1 < m.row_offsets.size(); ++line)
    for (std::int64_t slot = m.row_offsets[line] * area; slot < m.row_offsets[line + 1] * area; ++slot) {
      const bool listed = zero < m.zero_slots.size() && m.zero_slots[zero] == slot;
      if (listed) ++zero;
      if (!listed && m.values[slot] == 0) continue;
      const std::int64_t row = line * m.block_rows + slot % area / m.block_cols,
                         col = std::int64_t{m.col_indices[slot / area]} * m.block_cols + slot % m.block_cols;
      if (auto problem = each(row, col, m.values[slot]); !problem.empty()) return problem;
    }
  return {};
}

template <class Offset, class Value, class Each>
std::string first_problem(const gcsb_tile<Offset, Value, host>& m, Each each) {
  const tile_cells cells(m.tile_height, m.tile_width, m.group_size);
  const index_reader index{m.combined16.data(), m.combined32.data()};
  for (std::int64_t tile = 0; tile < m.tile_rows.size(); ++tile)
    for (std::int64_t step = m.tile_offsets[tile]; step < m.tile_offsets[tile + 1]; ++step)
      for (std::int32_t lane = 0; lane < m.group_size; ++lane) {
        const std::int64_t slot = cells.slot(step, lane);
        if (cells.is_padding(index[slot])) continue;
        const std::int64_t row = std::int64_t{m.tile_rows[tile]} * m.tile_height +
                                 cells.row(index[slot], static_cast<std::uint32_t>(lane)),
                           col = std::int64_t{m.tile_cols[tile]} * m.tile_width + cells.col(index[slot]);
        if (auto problem = each(row, col, m.values[slot]); !problem.empty()) return problem;
      }
  for (std::int64_t e = 0; e < m.rest_values.size(); ++e)
    if (auto problem = each(m.rest_row_indices[e], m.rest_col_indices[e], m.rest_values[e]); !problem.empty())
      return problem;
  return {};
}

}  // namespace

template <class Upper>
std::string find_invalid(const half<Upper>& m) {
  if (m.skew != 0 && m.skew != 1) return fmt::format("skew {} is neither 0 nor 1", m.skew);
  if (std::string problem = find_invalid(m.upper); !problem.empty()) return problem;
  if (m.upper.rows != m.upper.cols)
    return fmt::format("half of a matrix of {} x {}, which is not square", m.upper.rows, m.upper.cols);
  if constexpr (requires { m.upper.offsets; })
    if (m.upper.offsets.size() > 0 && m.upper.offsets[0] < 0)
      return fmt::format("the diagonal {} lies below the main one", m.upper.offsets[0]);
  // Its rows and columns would have numbers of their own, and the diagonal would lie anywhere.
  if constexpr (requires { m.upper.renumbered; })
    if (m.upper.renumbered != 0) return "half of a matrix in tiles is renumbered";
  return first_problem(m.upper, [&](std::int64_t row, std::int64_t col, auto value) -> std::string {
    if (col < row) return fmt::format("the entry at ({}, {}) lies below the diagonal", row, col);
    if (m.skew == 1 && col == row && value != 0)
      return fmt::format("row {} of a skew-symmetric matrix has a value on the diagonal", row);
    return {};
  });
}

#define SPARSMITH_INSTANTIATE(O, V)                               \
  template std::string find_invalid(const csr_half<O, V, host>&); \
  template std::string find_invalid(const bsr_half<O, V, host>&); \
  template std::string find_invalid(const gcsb_tile_half<O, V, host>&);
SPARSMITH_INSTANTIATE(std::int32_t, float)
SPARSMITH_INSTANTIATE(std::int32_t, double)
SPARSMITH_INSTANTIATE(std::int64_t, float)
SPARSMITH_INSTANTIATE(std::int64_t, double)
template std::string find_invalid(const dia_half<float, host>&);
template std::string find_invalid(const dia_half<double, host>&);

}  // namespace sparsmith
