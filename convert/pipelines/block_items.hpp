// What block_histograms.cu counts and where it puts it: entries or smaller blocks, line by line, the shape of
// a size, block rows that are left for later, histograms.
#pragma once

#include <cstdint>
#include <type_traits>

#include "convert/backend/cuda_check.hpp"

namespace sparsmith {
namespace {

// Chosen by hand; bench_analyze shows what a change does.
struct count_tuning {
  static constexpr int threads = 256;       // where block rows are short, and several share a table
  static constexpr int long_threads = 512;  // where all work on one block row
  // Thread blocks that a multiprocessor should hold, for which the compiler limits the registers of a thread.
  static constexpr int close_resident = 6, short_resident = 5, long_resident = 3;
  // Words of a table for long block rows: `long_resident` of them share the memory of a multiprocessor.
  static constexpr std::uint32_t long_words = 17'600;
  // Slots of a table are this part in use at most: one that is nearly full is slow.
  static constexpr std::uint32_t full_parts = 3, of_parts = 4;
  // Block rows that a thread block takes at a time, which the lanes of a warp look at all at once, and their
  // lines, of which a thread scans two.
  static constexpr std::uint32_t most_block_rows = 31, most_lines = 511;
  static constexpr std::uint32_t near_bins = 512;        // of the histograms, counted in shared memory
  static constexpr std::uint32_t near_length = 1 << 19;  // longer lines are not told apart
  static constexpr std::uint32_t most_cut = 16;          // lines that are cut where a window ends
  // Block rows of more items are cut into windows, so that no thread block has one for itself while the
  // others wait; the list of them has room for so many windows of each.
  static constexpr std::uint32_t items_to_cut = 8192, most_windows = 64;
  static constexpr int items_ahead = 4;  // of a thread, loaded before the first is used
};
constexpr std::uint32_t no_slot = 0xffffffff;

// Division by a number that the compiler does not know.
struct divisor {
  std::uint32_t number, inverse;
  explicit divisor(std::uint32_t by)
      : number(by), inverse(by == 1 ? 0 : static_cast<std::uint32_t>((std::uint64_t{1} << 32) / by + 1)) {}
  __device__ std::uint32_t divide(std::uint32_t dividend) const {
    if (number == 1) return dividend;
    const std::uint32_t quotient = __umulhi(dividend, inverse);  // never less, at most one more than right
    return quotient * number > dividend ? quotient - 1 : quotient;
  }
};

// What is counted, line by line: the entries of rows, or the blocks of a smaller size, of which a line is a
// block row. Those lie where the entries they are made of lie, from the first on.
template <class Offset>
struct items {
  std::uint32_t rows;  // of the matrix
  const Offset* row_offsets;
  const std::int32_t* cols;
  std::uint32_t height = 1;               // rows of a line
  const std::int32_t* lengths = nullptr;  // of the lines; none for entries
  const std::int32_t* amounts = nullptr;  // entries in every item; none where that is 1

  __device__ Offset begin(std::uint32_t line) const {
    const std::uint64_t row = std::uint64_t{line} * height;  // behind the last one by less than a line
    return row_offsets[row < rows ? row : rows];
  }
  // Without a sign: the step past the last of 2^31 - 1 items fits.
  using length_type = std::make_unsigned_t<Offset>;
  __device__ length_type length(std::uint32_t line) const {
    return static_cast<length_type>(lengths == nullptr ? begin(line + 1) - begin(line) : lengths[line]);
  }
  // Whether the columns of a line do.
  __device__ bool rises() const { return height == 1 && lengths == nullptr; }
};

// Where the blocks go when a larger size wants them.
struct listing {
  std::int32_t* cols = nullptr;
  std::int32_t* amounts = nullptr;
  std::int32_t* lengths = nullptr;
};

struct size_shape {
  std::uint32_t lines;       // of the source
  std::uint32_t block_rows;  // in all
  std::uint32_t block_cols;
  divisor lines_each;  // of a block row
  divisor cols_each;
  std::uint32_t rows_each;        // matrix rows of a block
  std::uint32_t block_rows_each;  // that a thread block takes at a time
};

// Block rows that are left for the larger thread blocks. The longest are cut into windows of block columns.
struct long_block_rows {
  unsigned count = 0, taken = 0;
};
struct long_block_row {
  std::int32_t block_row, window;  // whole: the window is negative
};

// The histograms of a tally's sizes, by entries; none where nobody asked for the size.
struct size_bins {
  unsigned long long* of[5] = {};
};

}  // namespace
}  // namespace sparsmith
