// Both products of GCSB's layout `tile` in one pass, or the one with a symmetric matrix of which half is
// stored. A thread block walks its share of the tiles row by row of tiles, as A x does; every warp has sums
// of its own for the rows and for the columns of a tile, in shared memory, so there is no atomic in the loop:
// a lane adds only to rows of its own, and the columns of a step differ. Sums of columns are added to z where
// a tile ends, those of rows to y where the line of tiles does.
#pragma once

#include "kernels/cuda/tile_product.hpp"

namespace sparsmith {

#ifdef __CUDACC__

struct tile_both_limits {
  static constexpr int warps = 4;  // of a thread block
  // Thread blocks that registers leave room for; shared memory mostly leaves less.
  static constexpr int resident_blocks(std::size_t value_bytes) { return value_bytes == 8 ? 4 : 5; }
};

template <class Value, class Index>
struct tile_both_arrays {
  const Value* values;
  const Index* combined;
  const tile_share* shares;  // one of every thread block
  const tile_piece* pieces;
  tile_cells cells;
  int tile_height, tile_width;
  std::int64_t rows, cols;
  const std::int32_t* row_order;  // the rows that have the tiles' numbers; null where they are the same
  const std::int32_t* col_order;
};

template <class Value>
std::size_t tile_both_shared_bytes(int tile_height, int tile_width) {
  constexpr int warps = tile_both_limits::warps;
  return window_queue<Value>::barriers * sizeof(std::uint64_t) +
         tile_limits::kept_pieces * sizeof(tile_piece) +
         sizeof(Value) *
             static_cast<std::size_t>(2 * tile_window<Value>(false, tile_width) + tile_height +
                                      warps * (tile_sums(false, tile_height) + tile_sums(true, tile_width)));
}

// y += alpha A x and z += alpha mirror A^T w, in the tiles' numbers of x and w; the kernel before has scaled
// y and z. Full: groups of 32 lanes, else fewer. Half: w is x and z is y, and entries on the main diagonal
// have no mirror image.
template <bool Full, bool Half, class Value, class Index>
__global__ void __launch_bounds__(tile_both_limits::warps * 32,
                                  tile_both_limits::resident_blocks(sizeof(Value)))
    multiply_tiles_both(const tile_both_arrays<Value, Index> m, Value alpha, const Value* __restrict__ x,
                        Value mirror, const Value* __restrict__ w, Value* y, Value* z) {
  extern __shared__ __align__(16) unsigned char shared[];
  constexpr int warps = tile_both_limits::warps, threads = warps * 32;
  const tile_cells cells = m.cells;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int lanes = Full ? 32 : cells.lanes();
  const bool active = Full || lane < lanes;
  const int rows_each = tile_sums(false, m.tile_height), cols_each = tile_sums(true, m.tile_width),
            window_each = tile_window<Value>(false, m.tile_width);
  auto* const barriers = reinterpret_cast<std::uint64_t*>(shared);
  auto* const kept = reinterpret_cast<tile_piece*>(barriers + window_queue<Value>::barriers);
  Value* const windows = reinterpret_cast<Value*>(kept + tile_limits::kept_pieces);
  Value* const line_w = windows + 2 * window_each;
  Value* const all_row_sums = line_w + m.tile_height;
  Value* const all_col_sums = all_row_sums + warps * rows_each;
  const window_queue<Value> queue(barriers, windows, window_each);

  const tile_share share = m.shares[blockIdx.x];
  constexpr int in_flight = tile_limits::groups_in_flight;
  step_group<Value, Index> coming[in_flight] = {};
  const Value* const values_of_lane = kept_whole(m.values + lane * tile_cells::steps_together);
  const Index* const combined_of_lane = kept_whole(m.combined + lane * tile_cells::steps_together);
  int ahead = warp;  // the group that is loaded next; a warp takes every warps-th of the share
  const auto load_next = [&](step_group<Value, Index>& group) {
    if (ahead < share.groups && active) {
      const std::int64_t at = (std::int64_t{share.first_walked} + ahead) * lanes * tile_cells::steps_together;
      group.load(values_of_lane + at, combined_of_lane + at);
    }
    ahead += warps;
  };
#pragma unroll
  for (int i = 0; i < in_flight; ++i) load_next(coming[i]);
  queue.open();
  if (thread == 0) kept[0] = share.first, kept[1] = share.second;
  for (int i = thread; i < warps * (rows_each + cols_each); i += threads) all_row_sums[i] = 0;
  static_assert(spare_columns == 32);
  if (warp < 2) queue.window(warp, x)[m.tile_width + lane] = 0;
  __syncthreads();
  let_next_kernel_start();
  wait_for_kernel_before();  // which scales y and z, and may have made x and w
  const auto begin_window = [&](int number, const tile_piece& piece) {
    const int along = number + 2;
    queue.begin(number, x + piece.input, piece.first_used, piece.end_used,
                along < share.pieces ? m.pieces + share.first_piece + along : nullptr,
                kept + along % tile_limits::kept_pieces);
  };
  const auto bring_line = [&](std::int32_t first_row) {
    const auto count = static_cast<int>(min(std::int64_t{m.tile_height}, m.rows - first_row));
    for (int i = thread; i < m.tile_height; i += threads)
      line_w[i] = i < count ? (Half ? mirror * w[first_row + i] : w[first_row + i]) : Value{0};
  };
  if (share.pieces > 0) {
    begin_window(0, share.first);
    bring_line(share.first.output);
  }
  __syncthreads();

  Value* const row_sums_of_lane = shared_kept_whole(all_row_sums + warp * rows_each + lane);
  Value* const col_sums = shared_kept_whole(all_col_sums + warp * cols_each);
  const Value* const w_of_lane = shared_kept_whole(line_w + lane);
  // Adds the sums of all warps, which begin anew: four neighbours at once, or, of doubles, which leave one by
  // one, so that neighbouring lanes add to neighbouring places.
  const auto take_sums = [&](Value* all, int each, int count, const tile_outputs<Value>& to) {
    using sums = std::conditional_t<sizeof(Value) == 4, four_sums<Value>, Value>;
    constexpr int together = sizeof(sums) / sizeof(Value);
    for (int i = thread * together; i < count; i += threads * together) {
      sums total{};
#pragma unroll
      for (int v = 0; v < warps; ++v) {
        auto* const own = reinterpret_cast<sums*>(all + v * each + i);
        total += *own;
        *own = {};
      }
      to.add(i, total);
    }
  };
  int group = warp;  // the next of this piece that is this warp's
  int turn = 0;      // which of those that are coming it is
  for (int p = 0; p < share.pieces; ++p) {
    const tile_piece &piece = kept[p % tile_limits::kept_pieces],
                     &next = kept[(p + 1) % tile_limits::kept_pieces];
    const std::int32_t first_row = piece.output, first_col = piece.input;
    const int piece_groups = piece.groups;
    if (p + 1 < share.pieces) begin_window(p + 1, next);
    queue.wait(p);
    const Value* const x_window = shared_kept_whole(queue.window(p, x + first_col));
    const auto to_main = static_cast<std::uint32_t>(first_row + lane - first_col);
    while (group < piece_groups) {
#pragma unroll
      for (int i = 0; i < in_flight; ++i) {
        if (i != turn || group >= piece_groups) continue;
        coming[i].template add_both<Full, Half>(cells, active, to_main, x_window, w_of_lane, row_sums_of_lane,
                                                col_sums, [&] { load_next(coming[i]); });
        group += warps;
        turn = (i + 1) % in_flight;
      }
    }
    group -= piece_groups;
    const bool last = p + 1 == share.pieces;
    const bool line_ends = last || next.output != first_row;
    const std::int32_t next_row = last ? 0 : next.output;
    queue.done(p);
    __syncthreads();
    take_sums(all_col_sums, cols_each, m.tile_width, {m.cols, m.col_order, alpha, Value{1}, z, first_col});
    if (line_ends) {
      take_sums(all_row_sums, rows_each, m.tile_height, {m.rows, m.row_order, alpha, Value{1}, y, first_row});
      if (!last) bring_line(next_row);
    }
    __syncthreads();
  }
}

#endif

}  // namespace sparsmith
