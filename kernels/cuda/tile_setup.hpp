// What the kernels on GCSB's layout `tile` ask of a matrix before they are launched for it.
#pragma once

#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/tile_product.hpp"
#include "kernels/registry.hpp"

namespace sparsmith {
namespace {

// Found on an H200 (docs/log), as are those of tile_limits.
struct tile_tuning {
  // Of a thread block. More warps share a window of x and add up their sums in shared memory, but wait for
  // each other where a line ends; six where shared memory leaves room for more of them than of four.
  static constexpr int warps = 4, most_warps = tile_limits::most_warps;
  // What a piece of a tile costs beside its steps, in groups: waiting for the other warps, and a window of x,
  // by its size.
  static constexpr std::int64_t piece_cost = 2, inputs_a_group = 256;
  // Of a share, with what its pieces cost: below that, starting a thread block and adding its sums to y costs
  // more than it brings.
  static constexpr std::int64_t least_share = 4;
  static constexpr std::int64_t rest_of_share = 128;  // entries of the rest: a group of each warp's lanes
  static constexpr int own_shared_bytes = 1024;       // of a kernel, beside those that it is launched with
  // Every output is written once where shares have about a line of their own: of many lines, so that few are
  // waited for, and visited by two shares on average. On small matrices waiting for the last share of a line
  // takes longer than a launch that clears y.
  static constexpr std::int64_t least_lines = 1024, most_visits = 2;
  // Of such a share, how much it may be longer or shorter to end where a line does: a sixth. No line of the
  // Laplacian has two visits then, and since it waits for memory, what one share does less another does
  // faster.
  static constexpr std::int64_t parts_to_line_end = 6;
  // Lines without a tile are written too then: not where they are most.
  static constexpr std::int64_t most_lines_a_tile = 4;
  // Outputs that the product's own first thread blocks scale, and of each of those: so few that they are done
  // long before the first sums are. It spares a launch.
  static constexpr std::int64_t most_cleared = 1 << 17, outputs_of_clearer = 4096, shares_a_clearer = 8;
  // Sums from which on they are added up in the tiles' numbers first, and brought into y's by another launch:
  // atomics on scattered addresses are slower than that.
  static constexpr std::int64_t many_scattered_sums = 1 << 18;
  // Bytes of entries and x that are brought ahead, less than for products by rows: a warp's own loads are two
  // groups ahead as it is, and larger matrices took longer with more.
  static constexpr std::int64_t most_read_ahead = 2 << 20;
  static constexpr int vector_threads = 256;  // of a thread block that walks x, y, the rest or a tile
  // Of a window of x, which comes in whole sectors.
  static constexpr int inputs_together = 8;
};

// What the entries of every tile use of its window of x, all of a sector that is used in part: tiles at the
// edge of a band use little of it. A thread block for every tile.
template <bool Transposed, class Offset, class Index>
__global__ void find_used_inputs(const tile_cells cells, const Offset* tile_offsets, const Index* combined,
                                 used_inputs* used) {
  __shared__ unsigned first, end;
  if (threadIdx.x == 0) first = ~0u, end = 0;
  __syncthreads();
  const std::int64_t tile = blockIdx.x, last_slot = std::int64_t{tile_offsets[tile + 1]} * cells.lanes();
  unsigned low = ~0u, high = 0;
  for (std::int64_t slot = std::int64_t{tile_offsets[tile]} * cells.lanes() + threadIdx.x; slot < last_slot;
       slot += blockDim.x) {
    const std::uint32_t c = combined[slot];
    if (cells.is_padding(c)) continue;
    const std::uint32_t input = Transposed ? cells.row(c, cells.lane_of_slot(slot)) : cells.col(c);
    low = min(low, input);
    high = max(high, input + 1);
  }
  __syncwarp();
  low = __reduce_min_sync(~0u, low);
  high = __reduce_max_sync(~0u, high);
  if (threadIdx.x % 32 == 0) {
    atomicMin(&first, low);
    atomicMax(&end, high);
  }
  __syncthreads();
  constexpr unsigned unit = tile_tuning::inputs_together;
  if (threadIdx.x == 0)
    used[tile] = {static_cast<std::int32_t>(min(first, end) / unit * unit),
                  static_cast<std::int32_t>((end + unit - 1) / unit * unit)};
}

// Of a thread block: from 98 KiB on, which is enough for tiles of 2048 in fp64 with the fewest warps.
int most_tile_bytes() {
  return most_shared_bytes() - tile_tuning::own_shared_bytes;
}

template <class T>
array<T, device> upload(const std::vector<T>& items) {
  array<T, device> copy(static_cast<std::int64_t>(items.size()));
  copy_bytes(place::device, copy.data(), place::host, items.data(), copy.size() * std::int64_t{sizeof(T)});
  return copy;
}

// What the sharing out of tiles asks about a matrix, on the host.
template <class Offset, class Value>
gcsb_tile<Offset, float, host> outline_of_tiles(const gcsb_tile_view<Offset, Value, device>& m) {
  gcsb_tile<Offset, float, host> outline;
  outline.rows = m.rows;
  outline.cols = m.cols;
  outline.tile_height = m.tile_height;
  outline.tile_width = m.tile_width;
  outline.tile_rows = copy_to<host>(m.tile_rows, place::device);
  outline.tile_cols = copy_to<host>(m.tile_cols, place::device);
  outline.tile_offsets = copy_to<host>(m.tile_offsets, place::device);
  outline.tiles_by_column = copy_to<host>(m.tiles_by_column, place::device);
  return outline;
}

template <class Offset, class Value>
array<used_inputs, host> find_used(cuda on, const gcsb_tile_view<Offset, Value, device>& m, operation op) {
  const std::int64_t tiles = m.tile_rows.size();
  array<used_inputs, device> used(tiles);
  const auto find = [&](auto transposed, const auto* combined) {
    find_used_inputs<transposed.value>
        <<<static_cast<unsigned>(tiles), tile_tuning::vector_threads, 0, on.stream>>>(
            tile_cells(m.tile_height, m.tile_width, m.group_size), m.tile_offsets.data(), combined,
            used.data());
    check_cuda(cudaGetLastError());
  };
  if (tiles > 0)
    with_operation(op, [&](auto transposed) {
      if (m.combined32.size() > 0)
        find(transposed, m.combined32.data());
      else
        find(transposed, m.combined16.data());
    });
  return copy_to<host>(used, place::device);
}

}  // namespace
}  // namespace sparsmith
