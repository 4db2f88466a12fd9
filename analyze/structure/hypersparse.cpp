#include "analyze/structure/hypersparse.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "convert/backend/parallel_guard.hpp"
#include "convert/pipelines/block_shapes.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/tile_choice.hpp"
#include "convert/stored_twice.hpp"

namespace sparsmith {
namespace {

using histogram = std::map<std::int64_t, std::int64_t>;  // how often a size occurs

std::vector<size_count> listed(const histogram& sizes) {
  std::vector<size_count> list;
  for (const auto& [size, count] : sizes) list.push_back({size, count});
  return list;
}

// The same where there are `all` of them: those that were not counted have size 0.
std::vector<size_count> listed_with_empty(histogram sizes, std::int64_t all) {
  for (const auto& [size, count] : sizes) all -= count;
  if (all > 0) sizes[0] += all;
  return listed(sizes);
}

// f(group, first, last) for every group of so many rows that has entries: first..last of the rows that have.
template <class Offset, class Function>
void for_each_group(const hypersparse_pattern<Offset>& matrix, std::int64_t rows_each, Function f) {
  const auto& numbers = matrix.row_numbers;
  for (std::int64_t first = 0, last = 0; first < numbers.size(); first = last) {
    const std::int64_t group = numbers[first] / rows_each;
    while (last < numbers.size() && numbers[last] / rows_each == group) ++last;
    f(group, first, last);
  }
}

template <class Offset>
std::int64_t longest_group(const hypersparse_pattern<Offset>& matrix, std::int64_t rows_each) {
  std::int64_t longest = 0;
  for_each_group(matrix, rows_each, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    longest = std::max<std::int64_t>(longest, matrix.row_offsets[last] - matrix.row_offsets[first]);
  });
  return longest;
}

struct entry_place {
  std::int32_t row, col;
};

// f(first, last) for every block that has entries, block row by block row: its entries by column, then row.
// `line` has room for the entries of the longest block row.
template <class Offset, class Function>
void for_each_block(const hypersparse_pattern<Offset>& matrix, block_size size, entry_place* line,
                    Function f) {
  const auto before = [](const entry_place& a, const entry_place& b) {
    return a.col != b.col ? a.col < b.col : a.row < b.row;
  };
  for_each_group(matrix, size.rows, [&](std::int64_t, std::int64_t first_row, std::int64_t last_row) {
    entry_place* end = line;
    for (std::int64_t r = first_row; r < last_row; ++r)
      for (std::int64_t e = matrix.row_offsets[r]; e < matrix.row_offsets[r + 1]; ++e)
        *end++ = {matrix.row_numbers[r], matrix.col_indices[e]};
    if (!std::is_sorted(line, end, before)) std::sort(line, end, before);
    for (const entry_place *first = line, *last = line; first != end; first = last) {
      const std::int32_t block_col = first->col / size.cols;
      while (last != end && last->col / size.cols == block_col) ++last;
      f(first, last);
    }
  });
}

struct column_length {
  std::int32_t col = 0, length = 0;
};

// Of the columns that have entries, rising.
template <class Offset>
std::vector<column_length> column_lengths(const hypersparse_pattern<Offset>& matrix) {
  auto cols = copy_to<host>(matrix.col_indices, place::host);
  std::sort(cols.begin(), cols.end());
  std::vector<column_length> lengths;
  for (const std::int32_t col : cols) {
    if (lengths.empty() || lengths.back().col != col) lengths.push_back({col, 0});
    ++lengths.back().length;
  }
  return lengths;
}

// Of the diagonals that have entries, rising.
template <class Offset>
std::vector<diagonal_count> entries_of_diagonals(const hypersparse_pattern<Offset>& matrix) {
  array<std::int64_t, host> offsets(matrix.entries());
  for (std::int64_t r = 0; r < matrix.row_numbers.size(); ++r)
    for (std::int64_t e = matrix.row_offsets[r]; e < matrix.row_offsets[r + 1]; ++e)
      offsets[e] = std::int64_t{matrix.col_indices[e]} - matrix.row_numbers[r];
  std::sort(offsets.begin(), offsets.end());
  std::vector<diagonal_count> diagonals;
  for (const std::int64_t offset : offsets) {
    if (diagonals.empty() || diagonals.back().offset != offset) diagonals.push_back({offset, 0});
    ++diagonals.back().entries;
  }
  return diagonals;
}

// The walk over the entries, row by row.
template <class Offset, class Value>
class row_walk {
 public:
  row_walk(const hypersparse<Offset, Value>& matrix, survey& found)
      : m_(pattern_of(matrix)), values_(matrix.filled.values.data()), found_(found) {}

  void visit(std::int64_t r) {
    const std::int64_t row = m_.row_numbers[r], first = m_.row_offsets[r], last = m_.row_offsets[r + 1];
    if (first == last) return;
    look_at_ends(row, m_.col_indices[first], m_.col_indices[last - 1]);
    std::int64_t* const cells = found_.grid.data() + row * found_.grid_rows / m_.rows * found_.grid_cols;
    std::int32_t left = -x_line;  // near none
    for (std::int64_t e = first; e < last; ++e) {
      const std::int32_t col = m_.col_indices[e];
      look_at_value(values_[e]);
      found_.counts.diagonal += row == col ? 1 : 0;
      found_.counts.next_column += col == left + 1 ? 1 : 0;
      found_.counts.x_lines += col / x_line != left / x_line ? 1 : 0;
      left = col;
      ++cells[std::int64_t{col} * found_.grid_cols / m_.cols];
      if (m_.rows == m_.cols && col > row) look_for_mirrored(static_cast<std::int32_t>(row), col, values_[e]);
    }
    if (r + 1 < m_.row_numbers.size() && m_.row_numbers[r + 1] == row + 1) compare_with_next(r);
  }

 private:
  void look_at_ends(std::int64_t row, std::int64_t first_col, std::int64_t last_col) {
    const std::int64_t before = std::max<std::int64_t>(row - first_col, 0);
    found_.ends.lower = std::max(found_.ends.lower, before);
    found_.ends.upper = std::max(found_.ends.upper, last_col - row);
    found_.ends.profile += before;
  }

  void look_at_value(Value value) {
    found_.counts.zeros += value == Value{0} ? 1 : 0;
    found_.counts.nans += std::isnan(value) ? 1 : 0;
    found_.counts.infinities += std::isinf(value) ? 1 : 0;
  }

  void compare_with_next(std::int64_t r) {
    std::int64_t own = m_.row_offsets[r], below = m_.row_offsets[r + 1];
    while (own < m_.row_offsets[r + 1] && below < m_.row_offsets[r + 2]) {
      const std::int32_t col = m_.col_indices[own], other = m_.col_indices[below];
      found_.counts.row_below += col == other ? 1 : 0;
      own += col <= other ? 1 : 0;
      below += other <= col ? 1 : 0;
    }
  }

  // Of an entry right of the diagonal, for both.
  void look_for_mirrored(std::int32_t row, std::int32_t col, Value value) {
    const auto& numbers = m_.row_numbers;
    const std::int64_t other = std::lower_bound(numbers.begin(), numbers.end(), col) - numbers.begin();
    if (other == numbers.size() || numbers[other] != col) return;
    const std::int32_t* const end = m_.col_indices.begin() + m_.row_offsets[other + 1];
    const std::int32_t* const at = std::lower_bound(m_.col_indices.begin() + m_.row_offsets[other], end, row);
    if (at == end || *at != row) return;
    const Value mirrored = values_[at - m_.col_indices.begin()];
    found_.counts.mirrored += 2;
    found_.counts.mirrored_equal += mirrored == value ? 2 : 0;
    found_.counts.mirrored_negated += mirrored == -value ? 2 : 0;
  }

  hypersparse_pattern<Offset> m_;
  const Value* values_;
  survey& found_;
};

}  // namespace

template <class Offset, class Value>
hypersparse<Offset, Value> assemble_hypersparse(matrix_entries&& source, bool drop_explicit_zeros,
                                                assembly_report& report, stage_log* log) {
  coo<double, host>& entries = source.entries;
  hypersparse<Offset, Value> result;
  result.rows = entries.rows;
  result.cols = entries.cols;
  const std::int64_t stored = entries.values.size();
  std::int64_t stored_twice = 0;
  if (source.symmetry != symmetry_kind::general) {
    stored_twice = count_stored_twice(entries);
    expand_entries(source, log);
  }
  auto rows = copy_to<host>(entries.row_indices, place::host);
  std::sort(rows.begin(), rows.end());
  const std::int64_t filled = std::unique(rows.begin(), rows.end()) - rows.begin();
  result.row_numbers = copy_to<host>(array_view<const std::int32_t>(rows.data(), filled), place::host);
  const std::int32_t* const numbers = result.row_numbers.data();
  for (std::int32_t& row : entries.row_indices)
    row = static_cast<std::int32_t>(std::lower_bound(numbers, numbers + filled, row) - numbers);
  entries.rows = static_cast<std::int32_t>(filled);
  result.filled =
      assemble<openmp, Offset, Value>(openmp{}, std::move(source), drop_explicit_zeros, report, log);
  report.expanded = report.stored - stored;
  report.stored = stored;
  report.stored_twice = stored_twice;
  return result;
}

template <class Backend, class Offset, class Value>
hypersparse<Offset, Value> hypersparse_of(Backend on, csr<Offset, Value, view_on<Backend>> matrix) {
  auto entries = copy_to<host>(csr_to_coo(on, matrix, nullptr));
  const std::int64_t count = entries.values.size();
  const auto begins_row = [&](std::int64_t e) {
    return e == 0 || entries.row_indices[e] != entries.row_indices[e - 1];
  };
  std::int64_t filled = 0;
  for (std::int64_t e = 0; e < count; ++e) filled += begins_row(e) ? 1 : 0;
  hypersparse<Offset, Value> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.row_numbers = array<std::int32_t, host>(filled);
  result.filled.rows = static_cast<std::int32_t>(filled);
  result.filled.cols = matrix.cols;
  result.filled.row_offsets = array<Offset, host>(filled + 1);
  std::int64_t row = 0;
  for (std::int64_t e = 0; e < count; ++e)
    if (begins_row(e)) {
      result.row_numbers[row] = entries.row_indices[e];
      result.filled.row_offsets[row++] = static_cast<Offset>(e);
    }
  result.filled.row_offsets[filled] = static_cast<Offset>(count);
  result.filled.col_indices = std::move(entries.col_indices);
  result.filled.values = std::move(entries.values);
  return result;
}

template <class Backend, class Offset, class Value>
survey_taker survey_entries(Backend on, const hypersparse<Offset, Value>& matrix, std::int32_t grid_rows,
                            std::int32_t grid_cols, stage_log* log,
                            const std::function<void(const std::vector<size_count>&)>& meanwhile) {
  const auto pattern = pattern_of(matrix);
  survey result;
  {
    timed_stage timing(on, log, "survey entries", pattern.entries(),
                       pattern.entries() * (4 + std::int64_t{sizeof(Value)}));
    result.grid_rows = std::min(grid_rows, matrix.rows);
    result.grid_cols = std::min(grid_cols, matrix.cols);
    result.grid.resize(static_cast<std::size_t>(result.grid_rows) *
                       static_cast<std::size_t>(result.grid_cols));
    row_walk<Offset, Value> walk(matrix, result);
    for (std::int64_t r = 0; r < pattern.row_numbers.size(); ++r) walk.visit(r);
    result.row_lengths = std::move(count_group_lengths(on, pattern, {1})[0]);
    histogram lengths;
    for (const column_length& c : column_lengths(pattern)) ++lengths[c.length];
    result.col_lengths = listed_with_empty(std::move(lengths), matrix.cols);
  }
  meanwhile(result.row_lengths);
  return [result = std::move(result)]() mutable { return std::move(result); };
}

template <class Backend, class Offset>
diagonal_counts count_diagonals(Backend, hypersparse_pattern<Offset> matrix, std::int64_t fullest) {
  diagonal_counts result;
  result.fullest = entries_of_diagonals(matrix);
  histogram lengths;
  for (const diagonal_count& d : result.fullest) ++lengths[d.entries];
  result.lengths = listed(lengths);
  std::stable_sort(result.fullest.begin(), result.fullest.end(),
                   [](const diagonal_count& a, const diagonal_count& b) { return a.entries > b.entries; });
  if (std::ssize(result.fullest) > fullest) result.fullest.resize(static_cast<std::size_t>(fullest));
  return result;
}

template <class Backend, class Offset, class Value>
std::int64_t count_zeros_on_diagonals(Backend, const hypersparse<Offset, Value>& matrix,
                                      std::int64_t least_entries) {
  const auto pattern = pattern_of(matrix);
  const std::vector<diagonal_count> diagonals = entries_of_diagonals(pattern);
  std::int64_t zeros = 0;
  for (std::int64_t r = 0; r < pattern.row_numbers.size(); ++r)
    for (std::int64_t e = pattern.row_offsets[r]; e < pattern.row_offsets[r + 1]; ++e) {
      if (matrix.filled.values[e] != 0) continue;
      const std::int64_t offset = std::int64_t{pattern.col_indices[e]} - pattern.row_numbers[r];
      const auto own =
          std::lower_bound(diagonals.begin(), diagonals.end(), offset,
                           [](const diagonal_count& d, std::int64_t sought) { return d.offset < sought; });
      zeros += own->entries >= least_entries ? 1 : 0;
    }
  return zeros;
}

template <class Backend, class Offset>
array<long_row, host> find_long_rows(Backend, hypersparse_pattern<Offset> matrix, std::int64_t entries,
                                     std::int64_t few) {
  const csr_pattern<Offset, host> filled{static_cast<std::int32_t>(matrix.row_numbers.size()), matrix.cols,
                                         matrix.row_offsets, matrix.col_indices};
  array<long_row, host> found = find_long_rows(openmp{}, filled, entries, few);
  for (long_row& l : found) l.row = matrix.row_numbers[l.row];
  return found;
}

template <class Backend, class Offset>
std::vector<std::vector<size_count>> count_group_lengths(Backend, hypersparse_pattern<Offset> matrix,
                                                         const std::vector<std::int32_t>& rows_each) {
  std::vector<std::vector<size_count>> result;
  for (const std::int32_t each : rows_each) {
    require_block_size({each, 1});
    histogram lengths;
    for_each_group(matrix, each, [&](std::int64_t, std::int64_t first, std::int64_t last) {
      ++lengths[matrix.row_offsets[last] - matrix.row_offsets[first]];
    });
    result.push_back(listed_with_empty(std::move(lengths), groups_of(matrix.rows, each)));
  }
  return result;
}

template <class Backend, class Offset>
block_histograms count_blocks_by_entries(Backend, hypersparse_pattern<Offset> matrix,
                                         const std::vector<block_size>& sizes,
                                         const std::function<void()>& meanwhile) {
  meanwhile();
  block_histograms result;
  std::set<std::int32_t> heights;
  for (const block_size& size : sizes) {
    require_block_size(size);
    result[size];
    heights.insert(size.rows);
  }
  std::vector<block_histograms::value_type*> all;
  for (auto& one : result) all.push_back(&one);
  const int threads = std::clamp(static_cast<int>(all.size()), 1, omp_get_max_threads());
  // Not only of the tallest: where a lower block row reaches over the border between two of those, it may
  // hold more than either.
  std::int64_t longest = 0;
  for (const std::int32_t height : heights) longest = std::max(longest, longest_group(matrix, height));
  array<entry_place, host> lines(longest * threads);
  parallel_guard guard;  // histograms grow with what is found
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t s = 0; s < all.size(); ++s)
    guard.run([&] {
      histogram blocks;
      for_each_block(matrix, all[s]->first, lines.data() + longest * omp_get_thread_num(),
                     [&](const entry_place* first, const entry_place* last) { ++blocks[last - first]; });
      all[s]->second = listed(blocks);
    });
  guard.rethrow();
  return result;
}

template <class Backend, class Offset>
std::vector<shape_count> count_block_shapes(Backend on, hypersparse_pattern<Offset> matrix) {
  constexpr std::array<std::int64_t, scored_shapes> none = {};
  std::vector<shape_count> shapes = list_shapes(none.data());
  std::vector<block_size> sizes;
  for (const shape_count& shape : shapes) sizes.push_back(shape.size);
  const block_histograms found = count_blocks_by_entries(on, matrix, sizes);
  for (shape_count& shape : shapes)
    for (const size_count& blocks : found.at(shape.size)) shape.blocks += blocks.count;
  return shapes;
}

template <class Backend, class Offset>
array<std::int32_t, host> block_entry_counts(Backend, hypersparse_pattern<Offset> matrix, std::int32_t beta) {
  require_block_size({beta, beta});
  array<entry_place, host> line(longest_group(matrix, beta));
  std::vector<std::int32_t> counts;
  for_each_block(matrix, {beta, beta}, line.data(), [&](const entry_place* first, const entry_place* last) {
    counts.push_back(static_cast<std::int32_t>(last - first));
  });
  return copy_to<host>(counts, place::host);
}

template <class Backend, class Offset>
std::int64_t count_sell_slots(Backend, hypersparse_pattern<Offset> matrix, sell_shape shape) {
  require_options(shape);
  const std::int64_t slice = shape.slice, sigma = shape.sigma;
  std::int64_t slots = 0, open_slice = -1, longest = 0;
  std::vector<std::int64_t> lengths;
  for_each_group(matrix, sigma, [&](std::int64_t window, std::int64_t first, std::int64_t last) {
    lengths.clear();
    for (std::int64_t r = first; r < last; ++r)
      lengths.push_back(matrix.row_offsets[r + 1] - matrix.row_offsets[r]);
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    // Rows without entries come last in their window. A slice may have parts of several windows.
    for (std::int64_t i = 0; i < last - first; ++i) {
      const std::int64_t own_slice = (window * sigma + i) / slice;
      if (own_slice != open_slice) slots += std::exchange(longest, 0) * slice;
      open_slice = own_slice;
      longest = std::max(longest, lengths[static_cast<std::size_t>(i)]);
    }
  });
  return slots + longest * slice;
}

template <class Backend, class Offset>
tile_price price_tiles(Backend, hypersparse_pattern<Offset> matrix, const tile_options& options) {
  require_options(options);
  const std::int64_t filled = matrix.row_numbers.size(), entries = matrix.entries();
  const std::vector<column_length> columns = column_lengths(matrix);
  const auto row_length = [offsets = matrix.row_offsets](std::int64_t r) {
    return static_cast<std::int32_t>(offsets[r + 1] - offsets[r]);
  };
  const auto col_length = [lengths = columns.data()](std::int64_t c) { return lengths[c].length; };
  tile_price price;
  price.renumbered = options.renumber == renumbering::length;
  if (options.renumber == renumbering::automatic) {
    std::int64_t row_squares = 0, col_squares = 0;
    for (std::int64_t r = 0; r < filled; ++r) row_squares += std::int64_t{row_length(r)} * row_length(r);
    for (const column_length& c : columns) col_squares += std::int64_t{c.length} * c.length;
    price.renumbered = lengths_vary(matrix.rows, entries, static_cast<double>(row_squares)) ||
                       lengths_vary(matrix.cols, entries, static_cast<double>(col_squares));
  }

  array<std::int32_t, host> row_numbers, col_indices;
  array<Offset, host> row_offsets;
  if (price.renumbered) {  // those without entries get the last numbers, which nothing asks for
    const auto row_order = order_by_falling_length(openmp{}, filled, filled + 1, row_length);
    const auto new_cols = places_in(
        order_by_falling_length(openmp{}, std::ssize(columns), std::ssize(columns) + 1, col_length));
    row_numbers = array<std::int32_t, host>(filled);
    row_offsets = array<Offset, host>(filled + 1);
    col_indices = array<std::int32_t, host>(entries);
    Offset to = 0;
    for (std::int64_t i = 0; i < filled; ++i) {
      row_numbers[i] = static_cast<std::int32_t>(i);
      row_offsets[i] = to;
      const std::int64_t r = row_order[i];
      for (std::int64_t e = matrix.row_offsets[r]; e < matrix.row_offsets[r + 1]; ++e)
        col_indices[to++] =
            new_cols[std::lower_bound(columns.begin(), columns.end(), matrix.col_indices[e],
                                      [](const column_length& c, std::int32_t col) { return c.col < col; }) -
                     columns.begin()];
    }
    row_offsets[filled] = to;
    matrix = {matrix.rows, matrix.cols, row_numbers, row_offsets, col_indices};
  }

  array<entry_place, host> line(entries);
  price.height = options.height;
  price.width = options.width;
  if (price.height == 0)
    std::tie(price.height, price.width) = choose_tile(
        matrix.rows, matrix.cols, entries, options.group_size, [&](std::int32_t side, std::int64_t number) {
          std::int64_t tiles = 0;
          for_each_block(matrix, {side, side}, line.data(),
                         [&](const entry_place*, const entry_place*) { ++tiles; });
          return tiles > number;
        });
  const tile_cells cells(price.height, price.width, options.group_size);
  price.index_bits = tile_index_bits(cells, options.index_bits);
  for_each_block(matrix, {price.height, price.width}, line.data(),
                 [&](const entry_place* first, const entry_place* last) {
                   if (last - first < options.rest_below) {
                     price.rest += last - first;
                     return;
                   }
                   ++price.tiles;
                   // A step takes one entry of every lane, no two of a column.
                   std::array<std::int64_t, 32> in_lane{};
                   std::int64_t steps = 0, in_column = 0;
                   for (const entry_place* e = first; e != last; ++e) {
                     in_column = e != first && e[-1].col == e->col ? in_column + 1 : 1;
                     const std::int64_t lane = ++in_lane[cells.lane_of(static_cast<std::uint32_t>(e->row))];
                     steps = std::max({steps, in_column, lane});
                   }
                   price.least_steps += whole_steps(static_cast<std::int32_t>(steps));
                 });
  return price;
}

#define SPARSMITH_INSTANTIATE_VALUE(B, O, V)                                                                \
  template std::int64_t count_zeros_on_diagonals(B, const hypersparse<O, V>&, std::int64_t);                \
  template survey_taker survey_entries(B, const hypersparse<O, V>&, std::int32_t, std::int32_t, stage_log*, \
                                       const std::function<void(const std::vector<size_count>&)>&);
#define SPARSMITH_INSTANTIATE_OFFSET(B, O)                                                              \
  SPARSMITH_INSTANTIATE_VALUE(B, O, float)                                                              \
  SPARSMITH_INSTANTIATE_VALUE(B, O, double)                                                             \
  template diagonal_counts count_diagonals(B, hypersparse_pattern<O>, std::int64_t);                    \
  template array<long_row, host> find_long_rows(B, hypersparse_pattern<O>, std::int64_t, std::int64_t); \
  template std::vector<std::vector<size_count>> count_group_lengths(B, hypersparse_pattern<O>,          \
                                                                    const std::vector<std::int32_t>&);  \
  template block_histograms count_blocks_by_entries(                                                    \
      B, hypersparse_pattern<O>, const std::vector<block_size>&, const std::function<void()>&);         \
  template std::vector<shape_count> count_block_shapes(B, hypersparse_pattern<O>);                      \
  template array<std::int32_t, host> block_entry_counts(B, hypersparse_pattern<O>, std::int32_t);       \
  template std::int64_t count_sell_slots(B, hypersparse_pattern<O>, sell_shape);                        \
  template tile_price price_tiles(B, hypersparse_pattern<O>, const tile_options&);
#define SPARSMITH_INSTANTIATE(B)                \
  SPARSMITH_INSTANTIATE_OFFSET(B, std::int32_t) \
  SPARSMITH_INSTANTIATE_OFFSET(B, std::int64_t)

SPARSMITH_INSTANTIATE(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE(cuda)
#endif
#define SPARSMITH_INSTANTIATE_HYPERSPARSE_OF(B, O, V) \
  template hypersparse<O, V> hypersparse_of(B, csr<O, V, view_on<B>>);
#define SPARSMITH_INSTANTIATE_ALL_HYPERSPARSE_OF(B)             \
  SPARSMITH_INSTANTIATE_HYPERSPARSE_OF(B, std::int32_t, float)  \
  SPARSMITH_INSTANTIATE_HYPERSPARSE_OF(B, std::int32_t, double) \
  SPARSMITH_INSTANTIATE_HYPERSPARSE_OF(B, std::int64_t, float)  \
  SPARSMITH_INSTANTIATE_HYPERSPARSE_OF(B, std::int64_t, double)

SPARSMITH_INSTANTIATE_ALL_HYPERSPARSE_OF(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE_ALL_HYPERSPARSE_OF(cuda)
#endif

template hypersparse<std::int32_t, float> assemble_hypersparse(matrix_entries&&, bool, assembly_report&,
                                                               stage_log*);
template hypersparse<std::int32_t, double> assemble_hypersparse(matrix_entries&&, bool, assembly_report&,
                                                                stage_log*);
template hypersparse<std::int64_t, float> assemble_hypersparse(matrix_entries&&, bool, assembly_report&,
                                                               stage_log*);
template hypersparse<std::int64_t, double> assemble_hypersparse(matrix_entries&&, bool, assembly_report&,
                                                                stage_log*);
template hypersparse<std::int32_t, complex128> assemble_hypersparse(matrix_entries&&, bool, assembly_report&,
                                                                    stage_log*);
template hypersparse<std::int64_t, complex128> assemble_hypersparse(matrix_entries&&, bool, assembly_report&,
                                                                    stage_log*);

}  // namespace sparsmith
