// Counts the blocks of several sizes at once where entries lie close together, for block_histograms.cu alone.
// Every lane of a warp has a row. All go from one column of squares to the next that any of them has entries
// in, and hold the places of the square as bits, a word each: what is in the smaller blocks are sums over
// some bits of some lanes.
#pragma once

#include "convert/pipelines/block_items.hpp"

namespace sparsmith {
namespace {

// When entries are taken to lie close together. Chosen by hand; bench_analyze shows what a change does.
struct closeness_tuning {
  // A lane goes along its row entry by entry: with longer rows, strips are too few to hide how long that
  // takes.
  static constexpr int long_row = 256;
  // With fewer entries to a square of 32 x 32 a table of the columns in use costs less.
  static constexpr unsigned long long entries_of_square = 12;
  static constexpr int sampling_blocks = 64;    // thread blocks whose warps take a sample each
  static constexpr unsigned most_squares = 64;  // of a sample
};

// How many entries there are to a square of 32 x 32 in samples taken all over the matrix.
struct closeness {
  unsigned long long entries = 0, squares = 0;
  bool any_long_row = false;
  __device__ bool close() const {
    return !any_long_row && entries >= closeness_tuning::entries_of_square * squares;
  }
};

constexpr std::uint32_t no_col = 0xffffffff;

// The rows of a warp and how far it has come in them.
template <class Offset>
class row_cursors {
 public:
  __device__ row_cursors(std::uint32_t rows, const Offset* row_offsets, const std::int32_t* cols,
                         std::uint64_t row, bool there)
      : cols_(cols) {
    if (!there || row >= rows) return;
    at_ = row_offsets[row];
    end_ = row_offsets[row + 1];
    read();
  }
  // The places of the lane's row in the next square that any lane has entries in, and its block column; false
  // where there is none.
  template <std::uint32_t Side>
  __device__ bool next(std::uint32_t& block_col, std::uint32_t& places) {
    __syncwarp();
    const std::uint32_t first = __reduce_min_sync(~0u, col_);
    if (first == no_col) return false;
    block_col = first / Side;
    const std::uint32_t begin = block_col * Side, end = begin + Side;  // less than 2^32
    places = 0;
    while (col_ < end) {
      places |= 1u << (col_ - begin);
      ++at_;
      read();
    }
    __syncwarp();
    return true;
  }

 private:
  __device__ void read() { col_ = at_ < end_ ? static_cast<std::uint32_t>(cols_[at_]) : no_col; }
  const std::int32_t* cols_;
  Offset at_ = 0, end_ = 0;
  std::uint32_t col_ = no_col;
};

// Of 32 x 32 the blocks of 2, 4, 8, 16 and 32. Sums lie side by side in a word, with as many bits as they
// need.
struct powers_of_2 {
  static constexpr std::uint32_t side = 32;
  static constexpr int sizes = 5;
  static SPARSMITH_HOST_DEVICE constexpr std::uint32_t near(int size) {
    return size == 0 ? 0 : size == 1 ? 5 : size == 2 ? 22 : size == 3 ? 87 : size == 4 ? 344 : 1369;
  }
  unsigned pairs[5] = {};  // blocks of 2 x 2 by their entries, seen by both of their rows

  // Calls found(size, entries) for every block but those of 2 x 2, also for empty ones; returns how many
  // entries the square has.
  template <class Found>
  __device__ std::uint32_t count(std::uint32_t places, std::uint32_t lane, Found found) {
    const std::uint32_t two = (places & 0x55555555) + (places >> 1 & 0x55555555);
    std::uint32_t even = with_row(two & 0x33333333, 1), odd = with_row(two >> 2 & 0x33333333, 1);
    count_pairs(even);
    count_pairs(odd);
    const std::uint32_t four = even + odd;  // up to 8
    even = with_row(four & 0x0f0f0f0f, 2);
    odd = with_row(four >> 4 & 0x0f0f0f0f, 2);
    const std::uint32_t eight = with_row(even + odd, 4);  // up to 64
    const std::uint32_t sixteen = with_row((eight & 0x00ff00ff) + (eight >> 8 & 0x00ff00ff), 8);
    const std::uint32_t all = with_row((sixteen & 0xffff) + (sixteen >> 16), 16);
    // The rows of a block know the same sums, and each reports others.
    found(1, even >> lane % 4 * 8 & 0xff);
    found(1, odd >> lane % 4 * 8 & 0xff);
    if (lane % 8 < 4) found(2, eight >> lane % 4 * 8 & 0xff);
    if (lane % 16 < 2) found(3, sixteen >> lane % 2 * 16 & 0xffff);
    if (lane == 0) found(4, all);
    return all;
  }
  // Every block of 2 x 2 was seen by two lanes.
  __device__ void flush(std::uint32_t lane, unsigned* near_counts) const {
    for (int entries = 1; entries <= 4; ++entries) {
      const unsigned sum = __reduce_add_sync(~0u, pairs[entries]);
      if (lane == 0) atomicAdd(near_counts + entries, sum / 2);
    }
  }

 private:
  static __device__ std::uint32_t with_row(std::uint32_t own, int distance) {
    return own + __shfl_xor_sync(~0u, own, distance);
  }
  // Sums of up to 4 in four bits each.
  __device__ void count_pairs(std::uint32_t sums) {
    const std::uint32_t ones = sums & 0x11111111, twos = sums >> 1 & 0x11111111;
    pairs[1] += __popc(ones & ~twos);
    pairs[2] += __popc(twos & ~ones);
    pairs[3] += __popc(ones & twos);
    pairs[4] += __popc(sums & 0x44444444);
  }
};

// Of 30 x 30 the blocks of 3 and 5.
struct multiples_of_15 {
  static constexpr std::uint32_t side = 30;
  static constexpr int sizes = 2;
  static SPARSMITH_HOST_DEVICE constexpr std::uint32_t near(int size) {
    return size == 0 ? 0 : size == 1 ? 10 : 36;
  }

  template <class Found>
  __device__ std::uint32_t count(std::uint32_t places, std::uint32_t lane, Found found) {
    // Ten sums of three columns, in three bits each, added up for three rows, in six bits each.
    const std::uint32_t three =
        (places & 01111111111) + (places >> 1 & 01111111111) + (places >> 2 & 01111111111);
    const std::uint32_t even = of_3_rows(three & 00707070707), odd = of_3_rows(three >> 3 & 00707070707);
    const std::uint32_t odd_of_row_above = __shfl_up_sync(~0u, odd, 1);
    // Six sums of five columns, in five bits each, which is enough for five rows.
    std::uint32_t five = 0;
#pragma unroll
    for (int i = 0; i < 5; ++i) five += places >> i & 0x02108421;
    const std::uint32_t two_rows = five + __shfl_down_sync(~0u, five, 1);
    const std::uint32_t four_rows = two_rows + __shfl_down_sync(~0u, two_rows, 2);
    const std::uint32_t five_rows = four_rows + __shfl_down_sync(~0u, five, 4);
    if (lane >= side) return 0;
    if (lane % 3 < 2) {
      const std::uint32_t sums = lane % 3 == 0 ? even : odd_of_row_above;
#pragma unroll
      for (int i = 0; i < 5; ++i) found(0, sums >> i * 6 & 0x3f);
    }
    if (lane % 5 == 0)
#pragma unroll
      for (int i = 0; i < 6; ++i) found(1, five_rows >> i * 5 & 0x1f);
    return 0;
  }
  __device__ void flush(std::uint32_t, unsigned*) const {}

 private:
  static __device__ std::uint32_t of_3_rows(std::uint32_t own) {
    return own + __shfl_down_sync(~0u, own, 1) + __shfl_down_sync(~0u, own, 2);
  }
};

// Counts the squares of a strip of rows with one warp, and lists them where they are wanted.
template <class Offset, class Squares>
__device__ void count_squares(std::uint32_t rows, const Offset* row_offsets, const std::int32_t* cols,
                              std::uint32_t strip, const listing& listed, Squares& squares,
                              unsigned* near_counts) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint64_t first_row = std::uint64_t{strip} * Squares::side;
  row_cursors<Offset> cursors(rows, row_offsets, cols, first_row + lane, lane < Squares::side);
  Offset list_at = row_offsets[first_row];
  std::int32_t squares_here = 0;
  for (std::uint32_t block_col = 0, places = 0; cursors.template next<Squares::side>(block_col, places);) {
    const std::uint32_t entries = squares.count(places, lane, [&](int size, std::uint32_t in_block) {
      if (in_block > 0) atomicAdd(near_counts + Squares::near(size) + in_block, 1u);
    });
    if (listed.cols != nullptr && lane == 0) {
      listed.cols[list_at] = static_cast<std::int32_t>(block_col);
      listed.amounts[list_at] = static_cast<std::int32_t>(entries);
    }
    ++list_at;
    ++squares_here;
  }
  if (listed.cols != nullptr && lane == 0) listed.lengths[strip] = squares_here;
}

}  // namespace
}  // namespace sparsmith
