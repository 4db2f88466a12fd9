// The blocks of every shape on CUDA: each thread takes an entry and looks into the rows above for the
// neighbours of its column. The nearest on the left and on the right decide for all widths: where a block
// column holds the entry's own column and any of that row, it holds one of the two.
#include <algorithm>

#include "convert/backend/cuda_check.hpp"
#include "convert/pipelines/block_shapes.hpp"

namespace sparsmith {
namespace {

struct shape_tuning {
  static constexpr int threads = 256;
  static constexpr std::int64_t most_blocks = 2048;  // enough to fill a GPU several times
};
constexpr std::uint32_t no_neighbour = 1u << 31;  // farther than any

// What a thread has counted since its last flush.
struct shape_sums {
  std::uint64_t small[small_sides] = {};  // by width; the bytes are the rows
  std::uint32_t square[2] = {};
};

// The first of low..high that `is_past` holds for; high where it holds for none before.
template <class Index, class Past>
__device__ Index first_past(Index low, Index high, Past is_past) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (is_past(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

template <class Offset>
__device__ void count_entry(Offset entry, std::uint32_t row, const Offset* row_offsets,
                            const std::int32_t* cols, shape_sums& sums) {
  const std::int32_t col = cols[entry];
  const auto unsigned_col = static_cast<std::uint32_t>(col);
  // Columns of the own block column on either side, for every small width.
  const std::uint64_t before = remainders_of(unsigned_col), after = 0x0706050403020100 - before;
  const auto misses_small = [&](std::uint32_t left, std::uint32_t right) {
    return bytes_below(min(left, small_sides), before) & bytes_below(min(right, small_sides), after);
  };
  const auto misses_square = [&](int i, std::uint32_t left, std::uint32_t right) {
    const std::uint32_t side = square_side(i), place = unsigned_col % side;
    return left > place && right >= side - place;
  };

  Offset begin = row_offsets[row];
  const std::uint32_t left_in_row =
      entry > begin ? static_cast<std::uint32_t>(col - cols[entry - 1]) : no_neighbour;
  std::uint64_t waiting = misses_small(left_in_row, no_neighbour);  // widths without a row above yet
  std::uint64_t distances = waiting * small_sides;                  // 0: opens nothing
  bool opens[2] = {misses_square(0, left_in_row, no_neighbour), misses_square(1, left_in_row, no_neighbour)};

  const std::uint64_t remainders = remainders_of(row);
  for (std::uint32_t k = 1; k <= rows_above; ++k) {
    // No shape asks for rows above its own first one.
    if (k >= small_sides || bytes_below(k, remainders) == one_per_byte) waiting = 0;
    const bool square_waits[2] = {opens[0] && k <= row % square_side(0),
                                  opens[1] && k <= row % square_side(1)};
    if (waiting == 0 && !square_waits[0] && !square_waits[1]) break;
    const Offset end = begin;
    begin = row_offsets[row - k];
    const Offset at = first_past(begin, end, [&](Offset e) { return cols[e] >= col; });
    const std::uint32_t left = at > begin ? static_cast<std::uint32_t>(col - cols[at - 1]) : no_neighbour;
    const std::uint32_t right = at < end ? static_cast<std::uint32_t>(cols[at] - col) : no_neighbour;
    const std::uint64_t missed = misses_small(left, right);
    distances -= (waiting & ~missed) * (small_sides - k);
    waiting &= missed;
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (square_waits[i]) opens[i] = misses_square(i, left, right);
  }
#pragma unroll
  for (int w = 0; w < small_sides; ++w)
    sums.small[w] += bytes_below(static_cast<std::uint32_t>(distances >> w * 8 & 0xff), remainders);
#pragma unroll
  for (int i = 0; i < 2; ++i) sums.square[i] += opens[i] ? 1 : 0;
}

template <class Number>
__device__ Number sum_of_warp(Number number) {
  for (int step = 16; step > 0; step /= 2) number += __shfl_down_sync(~0u, number, step);
  return number;
}

// Adds the sums of every thread to the block's totals. All threads of a warp must come here together.
__device__ void flush(shape_sums& sums, unsigned long long* totals) {
  __syncwarp();  // they come out of loops of different length
  const bool adds = threadIdx.x % 32 == 0;
#pragma unroll
  for (int w = 0; w < small_sides; ++w) {
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      // Every other byte, with room for the sum of 32.
      const std::uint64_t four = sum_of_warp(sums.small[w] >> odd * 8 & 0x00ff00ff00ff00ff);
      for (int i = 0; i < 4 && adds; ++i)
        atomicAdd(totals + w * small_sides + i * 2 + odd, four >> i * 16 & 0xffff);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t all = sum_of_warp(sums.square[i]);
    if (adds) atomicAdd(totals + small_shapes + i, all);
  }
  sums = {};
}

// Each block takes a stretch of entries.
template <class Offset>
__global__ void count_entries(std::int64_t rows, std::int64_t entries, const Offset* row_offsets,
                              const std::int32_t* cols, unsigned long long* totals) {
  __shared__ unsigned long long block_totals[scored_shapes];
  for (int i = static_cast<int>(threadIdx.x); i < scored_shapes; i += shape_tuning::threads)
    block_totals[i] = 0;
  __syncthreads();

  const std::int64_t first = entries * blockIdx.x / gridDim.x, last = entries * (blockIdx.x + 1) / gridDim.x;
  const auto row_of = [&](std::int64_t entry, std::int64_t low, std::int64_t high) {
    return first_past(low, high, [&](std::int64_t r) { return row_offsets[r + 1] > entry; });
  };
  std::int64_t row = row_of(first, 0, rows - 1);
  const std::int64_t last_row = row_of(last - 1, row, rows - 1);
  shape_sums sums;
  int counted = 0;
  for (std::int64_t start = first; start < last; start += shape_tuning::threads) {
    const std::int64_t entry = start + threadIdx.x;
    if (entry < last) {
      row = row_of(entry, row, last_row);
      count_entry(static_cast<Offset>(entry), static_cast<std::uint32_t>(row), row_offsets, cols, sums);
    }
    if (++counted == 255) {  // a byte holds no more
      flush(sums, block_totals);
      counted = 0;
    }
  }
  flush(sums, block_totals);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < scored_shapes; i += shape_tuning::threads)
    atomicAdd(totals + i, block_totals[i]);
}

template <class Offset>
std::vector<shape_count> count_on_gpu(cuda on, std::int64_t rows, std::int64_t entries,
                                      const Offset* row_offsets, const std::int32_t* cols) {
  array<unsigned long long, device> totals(scored_shapes);
  check_cuda(cudaMemsetAsync(totals.data(), 0, scored_shapes * sizeof(unsigned long long), on.stream));
  if (entries > 0) {
    const std::int64_t blocks =
        std::min((entries + shape_tuning::threads - 1) / shape_tuning::threads, shape_tuning::most_blocks);
    count_entries<<<static_cast<unsigned>(blocks), shape_tuning::threads, 0, on.stream>>>(
        rows, entries, row_offsets, cols, totals.data());
    check_cuda(cudaGetLastError());
  }
  return list_shapes(copy_to<host>(totals, place::device).data());
}

}  // namespace

template <class Backend, class Offset>
std::vector<shape_count> count_block_shapes(Backend on, csr_pattern<Offset, space_on<Backend>> matrix) {
  return count_on_gpu(on, matrix.rows, matrix.entries(), matrix.row_offsets.data(),
                      matrix.col_indices.data());
}

template std::vector<shape_count> count_block_shapes(cuda, csr_pattern<std::int32_t, device>);
template std::vector<shape_count> count_block_shapes(cuda, csr_pattern<std::int64_t, device>);

}  // namespace sparsmith
