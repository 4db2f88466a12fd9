// Matrices with far more rows and columns than entries. They are kept as the rows that have entries and the
// numbers of those rows, and what analyses ask of CSR (structure.hpp) is answered from that with the same
// result: nothing here takes time or memory for rows and columns without entries. It all runs on the host,
// also where a GPU is meant: the entries are few, and the backend only says what prices are for.
#pragma once

#include "convert/convert.hpp"
#include "convert/pipelines/structure.hpp"

namespace sparsmith {

// The pattern of such a matrix, a view.
template <class Offset>
struct hypersparse_pattern {
  std::int32_t rows = 0, cols = 0;             // with entries and without
  array_view<const std::int32_t> row_numbers;  // of the rows that have entries, rising
  array_view<const Offset> row_offsets;        // of those rows, and one more
  array_view<const std::int32_t> col_indices;

  std::int64_t entries() const { return col_indices.size(); }
};

template <class Offset, class Value>
struct hypersparse {
  using offset_type = Offset;
  using value_type = Value;

  std::int32_t rows = 0, cols = 0;
  array<std::int32_t, host> row_numbers;
  csr<Offset, Value, host> filled;  // the rows that have entries, one after the other
};

template <class Offset, class Value>
hypersparse_pattern<Offset> pattern_of(const hypersparse<Offset, Value>& matrix) {
  return {matrix.rows, matrix.cols, matrix.row_numbers, matrix.filled.row_offsets, matrix.filled.col_indices};
}

// Whether a matrix should be taken for one. An analysis of CSR takes time and memory for every row and
// column, the one here for every entry: with 16 to 1 of a million entries this one took a half of the memory
// and two thirds of the time. A million rows and columns are no trouble, however few the entries are.
inline bool is_hypersparse(std::int64_t rows, std::int64_t cols, std::int64_t entries) {
  return rows + cols > 16 * entries + (1 << 20);
}

// See `assemble`. Rows whose entries were all dropped stay among those that had entries.
template <class Offset, class Value>
hypersparse<Offset, Value> assemble_hypersparse(matrix_entries&& source, bool drop_explicit_zeros,
                                                assembly_report& report, stage_log* log);

// Of a matrix in CSR.
template <class Backend, class Offset, class Value>
hypersparse<Offset, Value> hypersparse_of(Backend on, csr<Offset, Value, view_on<Backend>> matrix);

template <class Backend, class Offset, class Value>
std::int64_t count_zeros(Backend, const hypersparse<Offset, Value>& matrix) {
  return count_zeros(openmp{}, view(matrix.filled));
}

// See structure.hpp.
template <class Backend, class Offset, class Value>
survey_taker survey_entries(Backend on, const hypersparse<Offset, Value>& matrix, std::int32_t grid_rows,
                            std::int32_t grid_cols, stage_log* log,
                            const std::function<void(const std::vector<size_count>&)>& meanwhile);
template <class Backend, class Offset>
diagonal_counts count_diagonals(Backend on, hypersparse_pattern<Offset> matrix, std::int64_t fullest);
template <class Backend, class Offset, class Value>
std::int64_t count_zeros_on_diagonals(Backend on, const hypersparse<Offset, Value>& matrix,
                                      std::int64_t least_entries);
template <class Backend, class Offset>
array<long_row, host> find_long_rows(Backend on, hypersparse_pattern<Offset> matrix, std::int64_t entries,
                                     std::int64_t few);
template <class Backend, class Offset>
std::vector<std::vector<size_count>> count_group_lengths(Backend on, hypersparse_pattern<Offset> matrix,
                                                         const std::vector<std::int32_t>& rows_each);
template <class Backend, class Offset>
block_histograms count_blocks_by_entries(
    Backend on, hypersparse_pattern<Offset> matrix, const std::vector<block_size>& sizes,
    const std::function<void()>& meanwhile = [] {});
template <class Backend, class Offset>
std::vector<shape_count> count_block_shapes(Backend on, hypersparse_pattern<Offset> matrix);
template <class Backend, class Offset>
array<std::int32_t, host> block_entry_counts(Backend on, hypersparse_pattern<Offset> matrix,
                                             std::int32_t beta);
template <class Backend, class Offset>
std::int64_t count_sell_slots(Backend on, hypersparse_pattern<Offset> matrix, sell_shape shape);
// See pipelines.hpp.
template <class Backend, class Offset>
tile_price price_tiles(Backend on, hypersparse_pattern<Offset> matrix, const tile_options& options);

}  // namespace sparsmith
