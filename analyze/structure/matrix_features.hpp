// What a matrix is like, in numbers: plain data, computed by features_of (features.hpp), used by reports and
// plots.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/structure/five_numbers.hpp"
#include "analyze/structure/format_cost.hpp"
#include "convert/formats/size_count.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {

// Of rows or columns.
struct length_features {
  std::vector<size_count> distribution;  // the lengths that occur, rising; everything below follows from it
  std::int64_t lines = 0, empty = 0;
  five_numbers<std::int64_t> lengths;
  double mean = 0, deviation = 0;  // the deviation is of all lines, not of a sample
  double variation = 0;            // deviation / mean; 0 without entries
  double gini = 0;                 // 0: all alike; towards 1: one line has all
};
length_features summarize_lengths(std::vector<size_count> distribution);

// Bins of lengths for a histogram: [first, last], how many lines, how many entries, and the share of all
// entries in lines up to `last`.
struct length_bin {
  std::int64_t first = 0, last = 0, lines = 0, entries = 0;
  double cumulative_entries = 0;
};
inline constexpr int default_bins = 20;
std::vector<length_bin> linear_bins(const length_features& lengths, int bins = default_bins);
std::vector<length_bin> log2_bins(const length_features& lengths);  // 0, 1, 2..3, 4..7, ...

struct long_line {
  std::int32_t line = 0;
  std::int64_t length = 0;
  bool operator==(const long_line&) const = default;
};

struct block_features {
  block_size size;
  std::int64_t blocks = 0;  // with entries
  double fill = 1;          // places in them per entry
  // Blocks by the share of their places that hold entries: up to 10 %, up to 20 %, ..., up to 100 %.
  std::array<std::int64_t, 10> density{};
  bool operator==(const block_features&) const = default;
};

// Entries in every cell of a grid laid over the matrix, row-major. Row r of the matrix is in row
// r * rows / matrix rows of the grid, and columns likewise.
struct density_grid {
  std::int32_t rows = 0, cols = 0;
  std::vector<std::int64_t> counts;
};

// Of the entries off the diagonal of a square matrix: how many have a mirror image at all, one of the same
// value, one of the negated value, one of the conjugate of a complex one. All of them for a symmetric
// pattern, a symmetric, a skew-symmetric and a hermitian matrix.
struct symmetry_features {
  std::int64_t off_diagonal = 0, pattern = 0, values = 0, negated = 0, conjugate = 0;
  bool operator==(const symmetry_features&) const = default;
};

// What the values tell. Sizes are absolute values; norms are NaN where an entry is.
struct value_features {
  double smallest = 0, largest = 0;  // of the entries that are neither 0 nor NaN; 0 without any
  double norm_1 = 0, norm_infinity = 0, norm_frobenius = 0, norm_max = 0;
  // Of a square matrix: rows whose diagonal entry is no smaller than all others together, or larger; stored
  // zeros on the diagonal.
  std::int64_t dominant_rows = 0, strictly_dominant_rows = 0, diagonal_zeros = 0;
  bool operator==(const value_features&) const = default;
};

struct matrix_features {
  std::string name, field;  // as read: "gen:rmat?scale=10", "real"
  std::int64_t rows = 0, cols = 0, entries = 0;
  bool has_values = true;  // false: only the pattern was looked at, as with complex matrices of a collection
  bool complex_values = false;
  std::int64_t explicit_zeros = 0, nans = 0, infinities = 0;
  std::optional<value_features> of_values;  // where they were asked for
  symmetry_features symmetry;               // all 0 where the matrix is not square
  length_features row_lengths, col_lengths;
  std::vector<long_line> longest_rows;                    // falling
  std::int64_t lower_bandwidth = 0, upper_bandwidth = 0;  // the farthest entry below and above the diagonal
  std::int64_t profile = 0;           // sum over rows of the places from the first entry to the diagonal
  std::int64_t diagonal_entries = 0;  // stored ones
  std::int64_t diagonals = 0;         // that hold entries
  // Those with an entry in at least half of the rows, and the entries on them.
  std::int64_t full_diagonals = 0, on_full_diagonals = 0;
  std::vector<diagonal_count> fullest_diagonals;  // falling
  std::vector<size_count> diagonal_lengths;       // how many diagonals have how many entries
  std::int64_t next_column = 0;                   // entries whose right neighbour is stored
  std::int64_t row_below = 0;                     // entries whose lower neighbour is stored
  std::int64_t x_lines = 0;  // 128-byte lines of x (of 64-bit values) that rows touch, each row for itself
  // The most entries of which no two share a row or a column; where it was asked for.
  std::optional<std::int64_t> structural_rank;
  // The farthest entry from the diagonal once a square matrix is in the order of reverse Cuthill-McKee; where
  // it was asked for.
  std::optional<std::int64_t> rcm_bandwidth;
  std::vector<block_features> blocks;     // of the sizes that were asked for
  std::vector<shape_count> block_shapes;  // all that BSR may be tried in: 66 of them
  // Of those the one that takes the fewest bytes, 1 x 1 aside; none without entries.
  std::optional<block_features> best_block;
  std::vector<format_cost> formats;  // as spconv --plan prices them
  density_grid grid;

  // Places on the diagonal without an entry; of a square matrix.
  std::optional<std::int64_t> diagonal_missing() const {
    return rows == cols ? std::optional(rows - diagonal_entries) : std::nullopt;
  }
  // Whether half of it can be stored, and is less than all of it. Not known where there are zeros or NaNs: 0
  // and -0 are equal, NaN equals nothing, and a conversion looks at the bits.
  std::optional<bool> has_half() const {
    if (complex_values) return false;  // not yet
    const bool equal = symmetry.values == symmetry.off_diagonal,
               negated =
                   symmetry.negated == symmetry.off_diagonal && (diagonal_entries == 0 || explicit_zeros > 0);
    if (symmetry.off_diagonal == 0 || symmetry.pattern != symmetry.off_diagonal) return false;
    if (nans == 0 && !(equal || negated)) return false;
    if (explicit_zeros > 0 || nans > 0) return {};
    return true;
  }
  double density() const {
    return rows == 0 || cols == 0
               ? 0
               : static_cast<double>(entries) / static_cast<double>(rows) / static_cast<double>(cols);
  }
};

struct feature_request {
  std::vector<block_size> blocks = {{2, 2},   {3, 3},   {4, 4},   {5, 5},     {8, 8},
                                    {16, 16}, {32, 32}, {64, 64}, {128, 128}, {256, 256}};
  std::int32_t grid_rows = 512, grid_cols = 512;  // at most; never more than the matrix has
  std::int32_t longest = 20;                      // rows to list
  std::int32_t fullest = 10;                      // diagonals to list
  bool values = true;                             // value_features: four more passes on the host
  // For the structural rank and what an order would do: graphs are walked by one thread.
  std::int64_t most_entries_for_graphs = 1'000'000;
  // BSR is priced for `blocks` of up to 64 x 64 and for the best block, whatever the plan says.
  plan_request plan = {{}, {}, {}, {8, 16, 32, 64, 128, 256}, false};
};

}  // namespace sparsmith
