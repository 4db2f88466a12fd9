// What decides how a matrix is best stored, found without building anything. As with conversions, both
// backends and any number of threads give the same result.
#pragma once

#include <functional>
#include <map>

#include "convert/formats/size_count.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// How many blocks of that size hold entries.
template <class Backend, class Offset>
std::int64_t count_nonempty_blocks(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                   block_size size);
// The same for every shape up to 8 x 8 and the squares of 16 and 32, all in one pass. Its backends have a
// source each (block_shapes.cpp, block_shapes.cu): a thread with memory walks down the rows, a GPU looks up.
template <class Backend, class Offset>
std::vector<shape_count> count_block_shapes(Backend on, csr_pattern<Offset, space_on<Backend>> matrix);
// Entries of every beta x beta block that has any, in row-major order of the blocks.
template <class Backend, class Offset>
array<std::int32_t, host> block_entry_counts(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                             std::int32_t beta);

// For every block size asked for, how many blocks hold how many entries; empty blocks are left out. A source
// for each backend (block_histograms.cpp, block_histograms.cu): a thread goes through some rows for one size
// after the other while they are in its cache, and has counters for every block column there is; a GPU counts
// several small sizes in one walk, with a table in shared memory or a word of bits for every lane. What the
// host has to do beside is done `meanwhile`, once.
using block_histograms = std::map<block_size, std::vector<size_count>>;
template <class Backend, class Offset>
block_histograms count_blocks_by_entries(
    Backend on, csr_pattern<Offset, space_on<Backend>> matrix, const std::vector<block_size>& sizes,
    const std::function<void()>& meanwhile = [] {});

inline constexpr std::int32_t x_line = 16;  // 64-bit values in a line of 128 bytes

// What is counted over the entries.
struct entry_counts {
  std::int64_t zeros = 0, nans = 0, infinities = 0;
  std::int64_t diagonal = 0;     // on it
  std::int64_t next_column = 0;  // whose right neighbour is stored
  std::int64_t row_below = 0;    // whose lower neighbour is stored
  std::int64_t x_lines = 0;      // that are the first of their row in a line of x
  // Off the diagonal of a square matrix, with a mirror image, with one of the same and of the negated value.
  std::int64_t mirrored = 0, mirrored_equal = 0, mirrored_negated = 0;

  entry_counts& operator+=(const entry_counts& other) {
    zeros += other.zeros;
    nans += other.nans;
    infinities += other.infinities;
    diagonal += other.diagonal;
    next_column += other.next_column;
    row_below += other.row_below;
    x_lines += other.x_lines;
    mirrored += other.mirrored;
    mirrored_equal += other.mirrored_equal;
    mirrored_negated += other.mirrored_negated;
    return *this;
  }
};

// How the entries spread over the diagonals.
struct diagonal_counts {
  std::vector<size_count> lengths;  // how many diagonals have how many entries; those without are left out
  std::vector<diagonal_count> fullest;  // falling; of equal ones those with the lower offset
};
template <class Backend, class Offset>
diagonal_counts count_diagonals(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                std::int64_t fullest);
// Zeros among the entries of those diagonals that have at least so many entries.
template <class Backend, class Offset, class Value>
std::int64_t count_zeros_on_diagonals(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                      std::int64_t least_entries);

// What the ends of the rows tell.
struct row_ends {
  std::int64_t lower = 0, upper = 0, profile = 0;
};

// What one walk over the entries finds out.
struct survey {
  entry_counts counts;
  row_ends ends;
  std::vector<size_count> row_lengths, col_lengths;
  std::int32_t grid_rows = 0, grid_cols = 0;
  std::vector<std::int64_t> grid;  // entries in every cell of a grid over the matrix, row-major
};
// A GPU is given the walk to do, and what comes of it is taken later, once, beside whatever else it was given
// to do since. `meanwhile` is called once, when the lengths of the rows are known and the walk may still be
// going on. The matrix stays until the survey was taken.
using survey_taker = std::function<survey()>;
template <class Backend, class Offset, class Value>
survey_taker survey_entries(
    Backend on, csr<Offset, Value, view_on<Backend>> matrix, std::int32_t grid_rows, std::int32_t grid_cols,
    stage_log* log,
    const std::function<void(const std::vector<size_count>&)>& meanwhile =
        [](const std::vector<size_count>&) {});

// How many groups of so many rows hold how many entries, for every such number of rows.
template <class Backend, class Offset>
std::vector<std::vector<size_count>> count_group_lengths(Backend on,
                                                         csr_pattern<Offset, space_on<Backend>> matrix,
                                                         const std::vector<std::int32_t>& rows_each);
// Slots of SELL, without building it.
template <class Backend, class Offset>
std::int64_t count_sell_slots(Backend on, csr_pattern<Offset, space_on<Backend>> matrix, sell_shape shape);
// The rows with more than so many entries, and behind them the first few of those with exactly so many; both
// rise.
struct long_row {
  std::int32_t row;
  std::int64_t length;
};
template <class Backend, class Offset>
array<long_row, host> find_long_rows(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                     std::int64_t entries, std::int64_t few);

}  // namespace sparsmith
