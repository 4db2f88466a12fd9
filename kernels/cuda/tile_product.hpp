// The product of gcsb/tile. A thread block walks its share of the tiles; every warp of it has sums of its own
// for the outputs of one tile, in shared memory: in A x a lane adds only to rows of its own, in A^T x the
// columns of a step differ, so there is no atomic in the loop. Nothing waits where a tile ends: entries and
// the next tile's window of x are on their way whatever tiles they are of. Sums are added to the outputs only
// where the line of tiles changes or the share ends.
#pragma once

#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/overlap.hpp"
#include "kernels/cuda/read_ahead.hpp"
#include "kernels/cuda/tile_shares.hpp"

namespace sparsmith {

#ifdef __CUDACC__

// What becomes of the outputs.
enum class tile_mode {
  added,  // sums are added to them; a kernel before has scaled them, and may have brought x into other
          // numbers
  // In these two x has the matrix's numbers, nothing is done with the rest, and no kernel before is waited
  // for: the kernel is not launched early.
  cleared,  // sums are added to them; the first thread blocks of this kernel scale them
  written   // they are written once, by the last thread block that visits their line
};

// Of the mode `cleared`; 0 before and after. In a line of the cache each, since every thread block asks.
struct clear_counts {
  alignas(128) unsigned clearers = 0;  // thread blocks that have scaled their part
  alignas(128) unsigned shares = 0;    // thread blocks that have seen that all of it is done
};

template <class Value, class Index>
struct tile_arrays {
  const Value* values;
  const Index* combined;
  const tile_share* shares;  // one of every thread block, but not of clearers
  const tile_piece* pieces;
  const std::int32_t* stored_groups;  // in the order in which A^T x walks them
  tile_cells cells;
  int outputs_per_tile, inputs_per_tile;
  std::int64_t outputs;
  const std::int32_t* output_order;  // the outputs that have the tiles' numbers; null where they are the same
  // Of the mode `written`.
  unsigned* arrivals;  // at each slot that is a line's first; 0 before and after
  Value* slots;        // outputs_per_tile each
  // Of the mode `cleared`.
  unsigned clearers;  // the thread blocks that come before those with shares
  clear_counts* counts;
  read_ahead ahead{};
};

// One thread tells for all of its thread block, which has met, that what they wrote is there; one of another
// waits for that.
__device__ inline void tell_arrival(unsigned* count) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
}
__device__ inline void wait_for_arrivals(const unsigned* count, unsigned all) {
  unsigned arrived = 0;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(count) : "memory");
  } while (arrived < all);
}

// A pointer that is kept as it is. The compiler would put it together from its parts at every use, which the
// loop has no time for: it is bound by the number of its instructions.
template <class T>
__device__ T* kept_whole(T* global) {
  asm("" : "+l"(global));
  return global;
}
template <class T>
__device__ T* shared_kept_whole(T* shared) {
  auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm("" : "+r"(address));
  return static_cast<T*>(__cvta_shared_to_generic(address));
}

// A value that is computed here and not later.
__device__ inline void compute_now(float& value) {
  asm volatile("" : "+f"(value));
}
__device__ inline void compute_now(double& value) {
  asm volatile("" : "+d"(value));
}
__device__ inline void compute_now(std::uint32_t& value) {
  asm volatile("" : "+r"(value));
}

// Never joined with a sum: both factors would stay in registers until then.
__device__ inline float product_of(float a, float b) {
  return __fmul_rn(a, b);
}
__device__ inline double product_of(double a, double b) {
  return __dmul_rn(a, b);
}

// The steps_together steps of one lane, loaded together.
template <class Value, class Index>
struct step_group {
  static constexpr int steps = tile_cells::steps_together;
  Value values[steps];
  std::uint32_t packed[steps * sizeof(Index) / 4];

  __device__ __forceinline__ void load(const Value* own_values, const Index* own_combined) {
    if constexpr (sizeof(Value) == 4) {
      const float4 v = __ldcs(reinterpret_cast<const float4*>(own_values));
      values[0] = v.x, values[1] = v.y, values[2] = v.z, values[3] = v.w;
    } else {
      const double2 low = __ldcs(reinterpret_cast<const double2*>(own_values)),
                    high = __ldcs(reinterpret_cast<const double2*>(own_values) + 1);
      values[0] = low.x, values[1] = low.y, values[2] = high.x, values[3] = high.y;
    }
    if constexpr (sizeof(Index) == 2) {
      const uint2 c = __ldcs(reinterpret_cast<const uint2*>(own_combined));
      packed[0] = c.x, packed[1] = c.y;
    } else {
      const uint4 c = __ldcs(reinterpret_cast<const uint4*>(own_combined));
      packed[0] = c.x, packed[1] = c.y, packed[2] = c.z, packed[3] = c.w;
    }
  }
  __device__ __forceinline__ std::uint32_t combined(int step) const {
    if constexpr (sizeof(Index) == 2)
      return step % 2 == 0 ? packed[step / 2] & 0xffffu : packed[step / 2] >> 16;
    else
      return packed[step];
  }
  // The inputs are the tile's window of x, from the lane's own row on in A^T x; behind them are zeros, which
  // padding reads. The sums are the warp's, from the lane's own row on in A x. load_next loads the next group
  // into these registers. In A^T x steps wait for each other, so that it pays to do it before them; where
  // something of this group was still needed after that, the compiler would load the next one into other
  // registers and move it, which waits for it.
  template <bool Full, bool Transposed, class Load>
  __device__ __forceinline__ void add(const tile_cells& cells, bool active,
                                      const Value* __restrict__ inputs_of_lane,
                                      Value* __restrict__ sums_of_lane, Load load_next) {
    const int lane_bits = Full ? 5 : cells.lane_bits;
    Value inputs[steps];
    std::uint32_t outputs[steps];
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const std::uint32_t c = combined(k), row = cells.line(c) << lane_bits, col = cells.col(c);
      outputs[k] = Transposed ? col : row;
      inputs[k] = inputs_of_lane[Transposed ? row : col];
    }
    if constexpr (Transposed) {
#pragma unroll
      for (int k = 0; k < steps; ++k) {
        inputs[k] = product_of(values[k], inputs[k]);
        compute_now(inputs[k]);
        compute_now(outputs[k]);
      }
      load_next();
    }
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      if (active) sums_of_lane[outputs[k]] += Transposed ? inputs[k] : values[k] * inputs[k];
      if (Transposed) __syncwarp();  // the next step's lane may add to the same column
    }
    if constexpr (!Transposed) load_next();
  }

  // Of both products: the whole window of x, that of w and the sums of rows from the lane's own row on, and
  // the sums of columns, behind which padding adds what nobody looks at. Half: to_main is the column on the
  // main diagonal of the lane's own row, and what lies there has no mirror image.
  template <bool Full, bool Half, class Load>
  __device__ __forceinline__ void add_both(const tile_cells& cells, bool active, std::uint32_t to_main,
                                           const Value* __restrict__ x_window,
                                           const Value* __restrict__ w_of_lane,
                                           Value* __restrict__ row_sums_of_lane, Value* __restrict__ col_sums,
                                           Load load_next) {
    const int lane_bits = Full ? 5 : cells.lane_bits;
    Value of_rows[steps], of_cols[steps];
    std::uint32_t rows[steps], cols[steps];
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      const std::uint32_t c = combined(k);
      rows[k] = cells.line(c) << lane_bits;
      cols[k] = cells.col(c);
      of_rows[k] = product_of(values[k], active ? x_window[cols[k]] : Value{0});
      of_cols[k] = product_of(values[k], active ? w_of_lane[rows[k]] : Value{0});
      if (Half && cols[k] == rows[k] + to_main) of_cols[k] = 0;
      compute_now(of_rows[k]);
      compute_now(of_cols[k]);
      compute_now(rows[k]);
      compute_now(cols[k]);
    }
    load_next();
#pragma unroll
    for (int k = 0; k < steps; ++k) {
      if (active) {
        row_sums_of_lane[rows[k]] += of_rows[k];
        col_sums[cols[k]] += of_cols[k];
      }
      __syncwarp();  // the next step's lane may add to the same column
    }
  }
};

// Four neighbouring sums.
template <class Value>
struct alignas(16) four_sums {
  Value of[4];

  __device__ void operator+=(const four_sums& other) {
    for (int k = 0; k < 4; ++k) of[k] += other.of[k];
  }
  __device__ void scale(Value factor) {
    for (int k = 0; k < 4; ++k) of[k] *= factor;
  }
  __device__ bool all_zero() const { return of[0] == 0 && of[1] == 0 && of[2] == 0 && of[3] == 0; }
  // To memory that is aligned to 16 bytes.
  __device__ void add_to(Value* y) const {
#if __CUDA_ARCH__ >= 900
    constexpr bool together = sizeof(Value) == 4;
#else
    constexpr bool together = false;
#endif
    if constexpr (together)
      atomicAdd(reinterpret_cast<float4*>(y), make_float4(of[0], of[1], of[2], of[3]));
    else
      for (int k = 0; k < 4; ++k) atomicAdd(y + k, of[k]);
  }
};

// What other thread blocks have written: all of it at once, from where they wrote it.
template <class Value>
__device__ four_sums<Value> written_by_others(const four_sums<Value>* sums) {
  if constexpr (sizeof(Value) == 4) {
    const float4 all = __ldcg(reinterpret_cast<const float4*>(sums));
    return {all.x, all.y, all.z, all.w};
  } else {
    const double2 low = __ldcg(reinterpret_cast<const double2*>(sums)),
                  high = __ldcg(reinterpret_cast<const double2*>(sums) + 1);
    return {low.x, low.y, high.x, high.y};
  }
}

// y[output] += alpha value x[input] for a warp's run of a list. What neighbours add to the same output is
// added up first, so that a long row does not queue at one address. y is the work of the kernel before.
template <class Value>
__device__ void add_run(const entry_list<Value>& list, std::int64_t first, std::int64_t last, int lane,
                        Value alpha, const Value* __restrict__ x, Value* y) {
  constexpr int together = 4;  // batches of 32 entries whose loads are on their way at once
  for (std::int64_t begin = first; begin < last; begin += 32 * together) {
    std::int32_t outputs[together];
    Value sums[together];
#pragma unroll
    for (int b = 0; b < together; ++b) {
      const std::int64_t e = begin + 32 * b + lane;
      outputs[b] = e < last ? list.outputs[e] : -1;
      sums[b] = e < last ? list.values[e] * x[list.inputs[e]] : Value{0};
    }
    wait_for_kernel_before();
#pragma unroll
    for (int b = 0; b < together; ++b) {
      const std::int32_t before = __shfl_up_sync(~0u, outputs[b], 1);
      const bool head = lane == 0 || before != outputs[b];
      const unsigned heads_behind = __ballot_sync(~0u, head) >> lane >> 1;
      const int equals = heads_behind == 0 ? 32 - lane : __ffs(static_cast<int>(heads_behind));
      for (int step = 1; step < 32; step *= 2) {
        const Value further = __shfl_down_sync(~0u, sums[b], step);
        if (step < equals) sums[b] += further;
      }
      if (head && outputs[b] >= 0) atomicAdd(y + outputs[b], alpha * sums[b]);
    }
  }
}

template <class Value>
__global__ void add_rest(const entry_list<Value> rest, Value alpha, const Value* __restrict__ x, Value* y) {
  const std::int64_t warp = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  add_run(rest, warp * 32, min(warp * 32 + 32, rest.count), static_cast<int>(threadIdx.x) % 32, alpha, x, y);
  wait_for_kernel_before();
}

struct tile_limits {
  static constexpr int most_warps = 6;
  // Thread blocks of that many warps that registers leave room for. Of doubles 80 a thread; of floats 64, and
  // 56 where shares are short and more warps wait for memory at the same time.
  static constexpr int resident_blocks(tile_mode mode, std::size_t value_bytes) {
    return value_bytes == 8 ? 4 : mode == tile_mode::cleared ? 6 : 5;
  }
  // Of a share, in shared memory: a window of x brings along the piece after the next, so that no warp waits
  // for memory where it passes over many small ones. It takes the place of the one that is four before it,
  // which all warps are done with: the last to look at it are those who add up a line, and they meet after
  // that.
  static constexpr int kept_pieces = 4;
  static constexpr int groups_in_flight = 2;  // of a warp: as many as cover the wait for memory
};

// Columns behind a tile's own, for padding: as many as there can be banks.
constexpr int spare_columns = 32;

// Elements of shared memory for each warp's sums, and for each of the two windows.
__host__ __device__ constexpr int tile_sums(bool transposed, int outputs_per_tile) {
  return outputs_per_tile + (transposed ? spare_columns : 0);
}
template <class Value>
__host__ __device__ constexpr int tile_window(bool transposed, int inputs_per_tile) {
  return inputs_per_tile + (transposed ? 0 : spare_columns) + window_queue<Value>::room_to_align;
}
template <class Value>
std::size_t tile_shared_bytes(bool transposed, int warps, int outputs_per_tile, int inputs_per_tile) {
  return window_queue<Value>::barriers * sizeof(std::uint64_t) +
         tile_limits::kept_pieces * sizeof(tile_piece) +
         sizeof(Value) * static_cast<std::size_t>(warps * tile_sums(transposed, outputs_per_tile) +
                                                  2 * tile_window<Value>(transposed, inputs_per_tile));
}

// What the flush of a line does with its sums.
template <class Value>
struct tile_outputs {
  std::int64_t count;
  const std::int32_t* order;  // null where they have the matrix's numbers
  Value alpha, beta;
  Value* y;
  std::int64_t first;  // of the line

  __device__ bool wide(std::int64_t out) const {
    return order == nullptr && out + 4 <= count && reinterpret_cast<std::uintptr_t>(y) % 16 == 0;
  }
  __device__ void add(int i, four_sums<Value> sums) const {
    if (sums.all_zero()) return;  // as are those past the last output
    sums.scale(alpha);
    const std::int64_t out = first + i;
    if (wide(out)) {
      sums.add_to(y + out);
      return;
    }
    for (int k = 0; k < 4; ++k)
      if (out + k < count && sums.of[k] != Value{0})
        atomicAdd(y + (order == nullptr ? out + k : order[out + k]), sums.of[k]);
  }
  __device__ void add(int i, Value sum) const {
    const std::int64_t out = first + i;
    if (sum != Value{0} && out < count) atomicAdd(y + (order == nullptr ? out : order[out]), alpha * sum);
  }
  __device__ void write(int i, four_sums<Value> sums) const {
    sums.scale(alpha);
    const std::int64_t out = first + i;
    if (beta == Value{0} && wide(out)) {
      *reinterpret_cast<four_sums<Value>*>(y + out) = sums;
      return;
    }
    for (int k = 0; k < 4; ++k)
      if (out + k < count) y[out + k] = updated(beta, y + out + k, sums.of[k]);
  }
};

// y = alpha A x + beta y, or y += alpha A x in the mode `added`, where the x of the tiles may be another one,
// in their numbers, and where there may be a rest. Full: groups of 32 lanes, else fewer.
template <bool Full, bool Transposed, tile_mode Mode, class Value, class Index>
__global__ void __launch_bounds__(tile_limits::most_warps * 32,
                                  tile_limits::resident_blocks(Mode, sizeof(Value)))
    multiply_tiles(const tile_arrays<Value, Index> m, const entry_list<Value> rest, Value alpha,
                   const Value* __restrict__ tile_x, Value beta, const Value* __restrict__ x, Value* y) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ bool is_last;  // to visit a line
  const tile_cells cells = m.cells;
  const int threads = static_cast<int>(blockDim.x), warps = threads / 32;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const unsigned clearers = Mode == tile_mode::cleared ? m.clearers : 0, shares = gridDim.x - clearers;
  if constexpr (Mode == tile_mode::cleared) {
    // That thread blocks start in the order of their numbers is assumed, as CUB's scans do: those that are
    // waited for are there, and wait for nobody.
    if (blockIdx.x < clearers) {
      scale_outputs<8>(std::int64_t{blockIdx.x} * threads + thread, std::int64_t{clearers} * threads,
                       m.outputs, beta, y);
      __syncthreads();
      if (thread == 0) tell_arrival(&m.counts->clearers);
      return;
    }
    m.ahead.bring(blockIdx.x - clearers, shares);
  }
  const int lanes = Full ? 32 : cells.lanes();
  const bool active = Full || lane < lanes;
  const int sums_each = tile_sums(Transposed, m.outputs_per_tile),
            window_each = tile_window<Value>(Transposed, m.inputs_per_tile);
  auto* const barriers = reinterpret_cast<std::uint64_t*>(shared);
  auto* const kept = reinterpret_cast<tile_piece*>(barriers + window_queue<Value>::barriers);
  Value* const windows = reinterpret_cast<Value*>(kept + tile_limits::kept_pieces);
  Value* const all_sums = windows + 2 * window_each;
  Value* const sums = all_sums + warp * sums_each;
  const window_queue<Value> queue(barriers, windows, window_each);

  const tile_share share = m.shares[blockIdx.x - clearers];
  // A look at all of it before entries are asked for: what of it is looked at later is waited for as long as
  // they are.
  const bool is_here = (share.first.groups | share.first.end_used | share.second.groups |
                        share.second.end_used | share.pieces) >= 0;
  const int groups = is_here ? share.groups : 0;

  // Groups on their way are in registers of their own: to move one would be to wait for it.
  constexpr int in_flight = tile_limits::groups_in_flight;
  struct coming_group {
    step_group<Value, Index> entries = {};
    int stored = 0;  // where A^T x finds its next one: numbers are on their way as early as entries
  } coming[in_flight];
  const Value* const values_of_lane = kept_whole(m.values + lane * tile_cells::steps_together);
  const Index* const combined_of_lane = kept_whole(m.combined + lane * tile_cells::steps_together);
  int ahead = warp;  // the group that is loaded next; a warp takes every warps-th of the share
  const auto stored_at = [&](int walked) {
    return Transposed && walked < groups ? m.stored_groups[share.first_walked + walked] : 0;
  };
  // The first ones without a wait.
  const auto stored_first = [&](int walked) {
    return walked < share.first.groups ? share.first.first_group + walked : stored_at(walked);
  };
  const auto load_next = [&](coming_group& group) {
    if (ahead < groups && active) {
      const std::int64_t number = Transposed ? group.stored : share.first_walked + ahead;
      const std::int64_t at = number * lanes * tile_cells::steps_together;
      group.entries.load(values_of_lane + at, combined_of_lane + at);
    }
    group.stored = stored_at(ahead + in_flight * warps);
    ahead += warps;
  };
#pragma unroll
  for (int i = 0; i < in_flight; ++i) coming[i].stored = stored_first(ahead + i * warps);

  queue.open();
  const auto begin_window = [&](int number, const tile_piece& piece) {
    const int along = number + 2;
    queue.begin(number, tile_x + piece.input, piece.first_used, piece.end_used,
                along < share.pieces ? m.pieces + share.first_piece + along : nullptr,
                kept + along % tile_limits::kept_pieces);
  };
  // Who makes the window's barriers begins with it. The kernel before makes the x of the tiles, where that is
  // another one.
  const bool own_x = Mode != tile_mode::added || tile_x == x;
  constexpr bool first_by_loads = Mode == tile_mode::cleared;  // where shares are short
  if constexpr (first_by_loads)
    queue.begin_by_loads(tile_x + share.first.input, share.first.first_used, share.first.end_used);
  else if (own_x && share.pieces > 0)
    begin_window(0, share.first);
  if (thread == 0) kept[0] = share.first, kept[1] = share.second;
#pragma unroll
  for (int i = 0; i < in_flight; ++i) load_next(coming[i]);
  // What begin_window would have brought along.
  if (first_by_loads && thread == 0 && share.pieces > 2) kept[2] = m.pieces[share.first_piece + 2];
  for (int i = lane * 4; i < sums_each; i += 32 * 4) *reinterpret_cast<four_sums<Value>*>(sums + i) = {};
  static_assert(spare_columns == 32);
  if (!Transposed && warp < 2) queue.window(warp, tile_x)[m.inputs_per_tile + lane] = 0;
  if constexpr (first_by_loads) queue.wait_for_own_loads();
  // Warps wait for each other's first entries as well: those that begin in step ask for what lies side by
  // side at the same time.
  __syncthreads_or(static_cast<int>(coming[0].entries.packed[0]));
  if constexpr (first_by_loads) queue.tell_loaded();
  let_next_kernel_start();
  // The rest waits for scattered addresses and the tiles for bandwidth: one half of the thread blocks begins
  // with the one, the other half with the other.
  const bool rest_first = blockIdx.x < gridDim.x / 2;
  const auto add_own_rest = [&] {
    if (Mode != tile_mode::added || rest.count == 0) return;  // divisions take long
    const std::int64_t walkers = std::int64_t{gridDim.x} * warps,
                       walker = std::int64_t{blockIdx.x} * warps + warp;
    const auto rest_before = [&](std::int64_t w) { return rest.count * w / walkers; };
    add_run(rest, rest_before(walker), rest_before(walker + 1), lane, alpha, x, y);
  };
  if (rest_first) add_own_rest();
  if (!own_x) {
    wait_for_kernel_before();
    if (share.pieces > 0) begin_window(0, share.first);
  }

  // Where others of this kernel scale the outputs: asked by one thread, of the warp that has the fewest
  // groups, and not before its first sums are complete: asked before the loop, that warp falls behind the
  // others.
  const bool asks = Mode == tile_mode::cleared && thread == threads - 32;
  bool has_asked = false;
  unsigned shares_before = 0;
  const auto wait_until_scaled = [&] {
    if (!asks || has_asked) return;
    wait_for_arrivals(&m.counts->clearers, clearers);
    shares_before = atomicInc(&m.counts->shares, shares - 1);  // goes back to 0 by itself with the last one
    has_asked = true;
  };

  Value* const sums_of_lane = shared_kept_whole(Transposed ? sums : sums + lane);
  int group = warp;  // the next of this piece that is this warp's
  int turn = 0;      // which of those that are coming it is
  for (int p = 0; p < share.pieces; ++p) {
    const tile_piece &piece = kept[p % tile_limits::kept_pieces],
                     &next = kept[(p + 1) % tile_limits::kept_pieces];
    if (p + 1 < share.pieces) begin_window(p + 1, next);
    queue.wait(p);
    const int piece_groups = piece.groups;
    const Value* const inputs_of_lane = shared_kept_whole(queue.window(p, tile_x) + (Transposed ? lane : 0));
    while (group < piece_groups) {
#pragma unroll
      for (int i = 0; i < in_flight; ++i) {
        if (i != turn || group >= piece_groups) continue;
        coming[i].entries.template add<Full, Transposed>(cells, active, inputs_of_lane, sums_of_lane,
                                                         [&] { load_next(coming[i]); });
        group += warps;
        turn = (i + 1) % in_flight;
      }
    }
    group -= piece_groups;
    const bool line_ends = p + 1 == share.pieces || next.output != piece.output;
    queue.done(p);
    if (line_ends) {
      const tile_outputs<Value> line{
          m.outputs, Mode == tile_mode::added ? m.output_order : nullptr, alpha, beta, y, piece.output};
      const auto for_all_sums = [&](auto use) {
        for (int i = thread * 4; i < m.outputs_per_tile; i += threads * 4) {
          four_sums<Value> total{};
#pragma unroll 4
          for (int w = 0; w < warps; ++w) {
            auto* const own = reinterpret_cast<four_sums<Value>*>(all_sums + w * sums_each + i);
            total += *own;
            *own = {};
          }
          use(i, total);
        }
      };
      if constexpr (Mode == tile_mode::added) wait_for_kernel_before();
      wait_until_scaled();
      __syncthreads();
      if constexpr (Mode != tile_mode::written) {
        for_all_sums([&](int i, const four_sums<Value>& total) { line.add(i, total); });
      } else {
        if (piece.visits == 1) {
          for_all_sums([&](int i, const four_sums<Value>& total) { line.write(i, total); });
        } else {
          const auto slot = [&](int number, int i) {
            return reinterpret_cast<four_sums<Value>*>(m.slots + std::int64_t{number} * m.outputs_per_tile +
                                                       i);
          };
          for_all_sums([&](int i, const four_sums<Value>& total) {
            *slot(piece.first_slot + piece.visit, i) = total;
          });
          __threadfence();
          __syncthreads();
          // The count goes back to 0 by itself with the last one.
          if (thread == 0)
            is_last = atomicInc(m.arrivals + piece.first_slot, piece.visits - 1u) == piece.visits - 1u;
          __syncthreads();
          if (is_last) {
            __threadfence();
            for (int i = thread * 4; i < m.outputs_per_tile; i += threads * 4) {
              four_sums<Value> total{};
              for (int v = 0; v < piece.visits; ++v)
                total += written_by_others(slot(piece.first_slot + v, i));
              line.write(i, total);
            }
          }
        }
      }
      __syncthreads();
    }
  }
  wait_until_scaled();  // a share may be empty
  if (asks && shares_before == shares - 1) atomicExch(&m.counts->clearers, 0);
  if (!rest_first) add_own_rest();
  if constexpr (Mode == tile_mode::added)
    wait_for_kernel_before();  // who comes after this kernel comes after that one too
}

#endif

}  // namespace sparsmith
