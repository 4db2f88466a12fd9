// gcsb/tile: products from GCSB's layout `tile` without atomics inside the loop. Every warp has sums of its
// own for the outputs of one tile, in shared memory: in A x a lane adds only to rows of its own, in A^T x the
// columns of a step differ. A thread block walks a chunk of one line of tiles, with x's window of large tiles
// staged in shared memory and the small ones straight from x; lines of few steps go to a warp each. Sums are
// added to y once per chunk.
#include <vector>

#include "convert/formats/sizes.hpp"
#include "kernels/cuda/entries.hpp"
#include "kernels/table.hpp"

namespace sparsmith {
namespace {

// A run of steps of one tile.
struct tile_piece {
  std::int64_t first_step;
  std::int32_t steps;
  std::int32_t input;  // where the tile's window of x begins
};
// Pieces whose outputs are the same rows (or columns).
struct tile_chunk {
  std::int32_t first_piece, pieces;
  std::int32_t output;  // where they begin
};

struct tile_tuning {
  static constexpr int most_warps = 8;     // of a thread block
  static constexpr int steps_at_once = 4;  // a warp loads so many while it works on the ones before
  static constexpr int least_staged = 48;  // steps of a piece for which staging x's window pays
  static constexpr int least_shared = 64;  // steps of a line of tiles for which a whole block pays
  // Of a thread block: leaves room for three of them on a multiprocessor.
  static constexpr int most_shared_bytes = 75 * 1024;
  static constexpr int spare_sums = 32;  // of every warp: where padding adds, so that nobody has to ask
  // Chunks enough to fill the GPU several times over, but not so small that adding up their sums shows.
  static constexpr int chunks_per_multiprocessor = 16;
  static constexpr std::int64_t least_chunk_steps = 64, most_chunk_steps = 1024;
  // Every warp's sums have to be cleared and added up: half of the warps where chunks have fewer steps.
  static constexpr int least_steps_for_all_warps = 384;
  static constexpr int gather_threads = 256;  // of a thread block that renumbers x or the sums
  // Thread blocks that must fit on a multiprocessor: what registers are limited to.
  static constexpr int resident_blocks_of_floats = 4, resident_blocks_of_doubles = 3;
};
constexpr int steps_at_once = tile_tuning::steps_at_once;

template <class Value, class Index>
struct tile_arrays {
  const Value* values;
  const Index* combined;
  const tile_piece* pieces;
  const tile_chunk* chunks;
  tile_cells cells;
  int outputs_per_tile, inputs_per_tile;
  std::int64_t outputs, inputs;
  unsigned shared_chunks, warp_chunks;  // the first are walked by blocks, the others by warps
  bool exclusive;                       // every output belongs to one chunk alone
};

// Some steps of one lane. What bounds this kernel is the number of instructions, hence 32-bit registers for
// indices of 16 bits, and no branches. Lanes: 32, or 0 for any number up to that.
template <int Lanes, class Value, class Index>
struct step_batch {
  Value values[steps_at_once];
  std::uint32_t combined[steps_at_once];

  static constexpr std::uint32_t padding = static_cast<Index>(~Index{0});

  __device__ __forceinline__ void load(const Value* own_values, const Index* own_combined) {
#pragma unroll
    for (int k = 0; k < steps_at_once; ++k) {
      combined[k] = __ldcs(own_combined + k * Lanes);
      values[k] = __ldcs(own_values + k * Lanes);
    }
    __syncwarp();  // keeps the compiler from loading later, one by one
  }
  // Steps from `count` on are padding.
  __device__ __forceinline__ void load_some(const Value* own_values, const Index* own_combined, int lanes,
                                            int count) {
#pragma unroll
    for (int k = 0; k < steps_at_once; ++k) {
      combined[k] = padding;
      values[k] = 0;
      if (k < count) {
        combined[k] = __ldcs(own_combined + k * lanes);
        values[k] = __ldcs(own_values + k * lanes);
      }
    }
  }
  // `window` is the tile's window of x.
  template <bool Transposed>
  __device__ __forceinline__ void add(const tile_cells& cells, std::uint32_t spare, std::uint32_t lane,
                                      const Value* __restrict__ window, Value* __restrict__ sums) const {
    Value inputs[steps_at_once];
    std::uint32_t outputs[steps_at_once];
#pragma unroll
    for (int k = 0; k < steps_at_once; ++k) {
      const bool entry = combined[k] != padding;
      const std::uint32_t row = cells.row(combined[k], lane), col = cells.col(combined[k]);
      inputs[k] =
          window[entry ? (Transposed ? row : col) : 0];  // what padding stands for may be past the end of x
      outputs[k] = entry ? (Transposed ? col : row) : spare;
    }
#pragma unroll
    for (int k = 0; k < steps_at_once; ++k) {
      sums[outputs[k]] += values[k] * inputs[k];
      if (Transposed && k + 1 < steps_at_once)
        __syncwarp();  // the next step's lane may add to the same column
    }
    __syncwarp();  // keeps the compiler from waiting here for loads of the batch after
  }
};

// A warp's share of a piece: every `warps`-th batch of steps, from batch `turn` on.
template <int Lanes, bool Transposed, class Value, class Index>
__device__ __forceinline__ void add_piece(const tile_arrays<Value, Index>& m, const tile_piece& piece,
                                          int turn, int warps, int lane, const Value* __restrict__ window,
                                          Value* __restrict__ sums) {
  const tile_cells& cells = m.cells;
  const int lanes = Lanes > 0 ? Lanes : cells.lanes();
  const auto spare = static_cast<std::uint32_t>(m.outputs_per_tile + lane),
             own = static_cast<std::uint32_t>(lane);
  const int step = turn * steps_at_once, stride = warps * steps_at_once;
  const std::int64_t first = (piece.first_step + step) * lanes + lane;
  const Value* values = m.values + first;
  const Index* combined = m.combined + first;
  const auto advance = [&] {
    values += stride * lanes;
    combined += stride * lanes;
  };
  int left = piece.steps - step;  // of the piece, from this warp's next batch on
  step_batch<Lanes, Value, Index> one, two;
  if constexpr (Lanes > 0) {
    int whole = left < steps_at_once ? 0 : (left - steps_at_once) / stride + 1;  // batches
    left -= whole * stride;
    if (whole > 0) {
      one.load(values, combined);
      advance();
      for (; whole > 2; whole -= 2) {
        two.load(values, combined);
        advance();
        one.template add<Transposed>(cells, spare, own, window, sums);
        one.load(values, combined);
        advance();
        two.template add<Transposed>(cells, spare, own, window, sums);
      }
      if (whole == 2) {
        two.load(values, combined);
        advance();
      }
      one.template add<Transposed>(cells, spare, own, window, sums);
      if (whole == 2) two.template add<Transposed>(cells, spare, own, window, sums);
    }
  }
  for (; left > 0; left -= stride) {
    one.load_some(values, combined, lanes, lane < lanes ? left : 0);
    advance();
    one.template add<Transposed>(cells, spare, own, window, sums);
  }
}

template <int Lanes, bool Transposed, class Value, class Index>
__global__ void __launch_bounds__(tile_tuning::most_warps * 32, sizeof(Value) == 4
                                                                    ? tile_tuning::resident_blocks_of_floats
                                                                    : tile_tuning::resident_blocks_of_doubles)
    multiply_tiles(const tile_arrays<Value, Index> m, Value alpha, const Value* __restrict__ x, Value beta,
                   Value* y) {
  extern __shared__ __align__(16) unsigned char shared[];
  Value* const all_sums = reinterpret_cast<Value*>(shared);
  const int warps = static_cast<int>(blockDim.x) / 32, threads = static_cast<int>(blockDim.x);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int sums_each = m.outputs_per_tile + tile_tuning::spare_sums;
  Value* const sums = all_sums + warp * sums_each;
  for (int i = lane; i < sums_each; i += 32) sums[i] = 0;
  const auto deliver = [&](std::int64_t out, Value sum) {
    if (m.exclusive) {
      if (out < m.outputs) y[out] = updated(beta, y + out, alpha * sum);
    } else if (sum != Value{0}) {  // sums past the last output are 0
      atomicAdd(y + out, alpha * sum);
    }
  };
  __syncwarp();

  if (blockIdx.x < m.shared_chunks) {
    Value* const window = all_sums + warps * sums_each;
    const tile_chunk chunk = m.chunks[blockIdx.x];
    int turn = warp;  // the batch of the next piece that is this warp's, so that all get equally many
    for (int p = 0; p < chunk.pieces; ++p) {
      const tile_piece piece = m.pieces[chunk.first_piece + p];
      if (piece.steps >= tile_tuning::least_staged) {
        __syncthreads();
        for (int i = thread; i < m.inputs_per_tile; i += threads)
          window[i] = std::int64_t{piece.input} + i < m.inputs ? x[std::int64_t{piece.input} + i] : Value{0};
        __syncthreads();
        add_piece<Lanes, Transposed>(m, piece, turn, warps, lane, window, sums);
      } else {
        add_piece<Lanes, Transposed>(m, piece, turn, warps, lane, x + piece.input, sums);
      }
      const int batches = (piece.steps + steps_at_once - 1) / steps_at_once;
      turn = (turn + warps - batches % warps) % warps;
    }
    __syncthreads();
    for (int i = thread; i < m.outputs_per_tile; i += threads) {
      Value sum = 0;
      for (int w = 0; w < warps; ++w) sum += all_sums[w * sums_each + i];
      deliver(std::int64_t{chunk.output} + i, sum);
    }
  } else {
    const unsigned number =
        (blockIdx.x - m.shared_chunks) * static_cast<unsigned>(warps) + static_cast<unsigned>(warp);
    if (number >= m.warp_chunks) return;
    const tile_chunk chunk = m.chunks[m.shared_chunks + number];
    for (int p = 0; p < chunk.pieces; ++p) {
      const tile_piece piece = m.pieces[chunk.first_piece + p];
      add_piece<Lanes, Transposed>(m, piece, 0, 1, lane, x + piece.input, sums);
    }
    __syncwarp();
    for (int i = lane; i < m.outputs_per_tile; i += 32) deliver(std::int64_t{chunk.output} + i, sums[i]);
  }
}

template <class Value>
__global__ void gather(std::int64_t count, const std::int32_t* order, const Value* x, Value* gathered) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) gathered[i] = x[order[i]];
}

template <class Value>
__global__ void scatter_sums(std::int64_t count, const std::int32_t* order, Value alpha, const Value* sums,
                             Value beta, Value* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[order[i]] = updated(beta, y + order[i], alpha * sums[i]);
}

// What the warps and blocks of one operation do.
struct tile_work {
  std::vector<tile_piece> pieces;
  std::vector<tile_chunk> shared_chunks, warp_chunks;
  bool exclusive = false;
};

// Line by line; a line is a tile row in A x, a tile column in A^T x. Long lines are cut into chunks of about
// `chunk_steps` steps.
template <class Offset>
tile_work list_work(const gcsb_tile<Offset, float, host>& outline, operation op, std::int64_t lines,
                    std::int64_t chunk_steps) {
  const bool by_column = op == operation::transposed;
  const std::int32_t height = by_column ? outline.tile_width : outline.tile_height,
                     width = by_column ? outline.tile_height : outline.tile_width;
  const auto tile_at = [&](std::int64_t i) { return by_column ? outline.tiles_by_column[i] : i; };
  const auto line_of = [&](std::int64_t tile) {
    return by_column ? outline.tile_cols[tile] : outline.tile_rows[tile];
  };
  const auto steps_of = [&](std::int64_t tile) {
    return std::int64_t{outline.tile_offsets[tile + 1]} - outline.tile_offsets[tile];
  };
  const std::int64_t tiles = outline.tile_rows.size();
  tile_work work;
  std::int64_t lines_with_tiles = 0;
  for (std::int64_t begin = 0, end = 0; begin < tiles; begin = end) {
    const std::int32_t line = line_of(tile_at(begin));
    std::int64_t steps = 0;
    for (; end < tiles && line_of(tile_at(end)) == line; ++end) steps += steps_of(tile_at(end));
    ++lines_with_tiles;
    auto& chunks = steps < tile_tuning::least_shared ? work.warp_chunks : work.shared_chunks;
    const std::int64_t cuts = (steps + chunk_steps - 1) / chunk_steps, most = (steps + cuts - 1) / cuts;
    std::int64_t room = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t tile = tile_at(i);
      for (std::int64_t done = 0; done < steps_of(tile);) {
        if (room == 0) {
          chunks.push_back({static_cast<std::int32_t>(work.pieces.size()), 0, line * height});
          room = most;
        }
        const std::int64_t count = std::min(room, steps_of(tile) - done);
        work.pieces.push_back({outline.tile_offsets[tile] + done, static_cast<std::int32_t>(count),
                               (by_column ? outline.tile_rows[tile] : outline.tile_cols[tile]) * width});
        ++chunks.back().pieces;
        done += count;
        room -= count;
      }
    }
  }
  work.exclusive =
      static_cast<std::int64_t>(work.shared_chunks.size() + work.warp_chunks.size()) == lines_with_tiles;
  if (work.exclusive && lines_with_tiles < lines) {  // the other lines' outputs have to be written as well
    std::vector<bool> written(static_cast<std::size_t>(lines));
    for (const auto* chunks : {&work.shared_chunks, &work.warp_chunks})
      for (const tile_chunk& chunk : *chunks) written[static_cast<std::size_t>(chunk.output / height)] = true;
    for (std::int64_t line = 0; line < lines; ++line)
      if (!written[static_cast<std::size_t>(line)])
        work.warp_chunks.push_back({0, 0, static_cast<std::int32_t>(line * height)});
  }
  return work;
}

template <class T>
array<T, device> upload(const std::vector<T>& items) {
  array<T, device> copy(static_cast<std::int64_t>(items.size()));
  copy_bytes(place::device, copy.data(), place::host, items.data(), copy.size() * std::int64_t{sizeof(T)});
  return copy;
}

template <class Offset, class Value>
struct gcsb_tile_kernel {
  static constexpr kernel_info info{
      "gcsb/tile", "warps sum up tiles in shared memory, no atomics in the loop", "ours, layout tile"};
  using matrix = gcsb_tile_view<Offset, Value, device>;

  gcsb_tile_kernel(cuda on, const matrix& m, operation op)
      : on_(on),
        m_(m),
        op_(op),
        gathered_(m.renumbered != 0 ? inputs(m, op) : 0),
        sums_(m.renumbered != 0 ? outputs(m, op) : 0) {
    gcsb_tile<Offset, float, host> outline;
    outline.tile_height = m.tile_height;
    outline.tile_width = m.tile_width;
    outline.tile_rows = copy_to<host>(m.tile_rows, place::device);
    outline.tile_cols = copy_to<host>(m.tile_cols, place::device);
    outline.tile_offsets = copy_to<host>(m.tile_offsets, place::device);
    outline.tiles_by_column = copy_to<host>(m.tiles_by_column, place::device);
    const std::int64_t tiles = outline.tile_rows.size(),
                       steps = tiles == 0 ? 0 : std::int64_t{outline.tile_offsets[tiles]};
    const std::int64_t chunk_steps =
        std::clamp(steps / (multiprocessors() * tile_tuning::chunks_per_multiprocessor),
                   tile_tuning::least_chunk_steps, tile_tuning::most_chunk_steps);
    const std::int64_t lines =
        groups_of(outputs(m, op), op == operation::transposed ? m.tile_width : m.tile_height);
    tile_work work = list_work(outline, op, lines, chunk_steps);
    exclusive_ = work.exclusive;
    shared_chunks_ = static_cast<unsigned>(work.shared_chunks.size());
    warp_chunks_ = static_cast<unsigned>(work.warp_chunks.size());
    work.shared_chunks.insert(work.shared_chunks.end(), work.warp_chunks.begin(), work.warp_chunks.end());
    pieces_ = upload(work.pieces);
    chunks_ = upload(work.shared_chunks);
    if (shared_chunks_ == 0 || steps / shared_chunks_ < tile_tuning::least_steps_for_all_warps)
      warps_ = tile_tuning::most_warps / 2;
    while (warps_ > 1 && shared_bytes() > tile_tuning::most_shared_bytes) warps_ /= 2;
    // The limit belongs to the function, which other matrices use too: it is always the same.
    with_types([&](auto kernel, auto) {
      check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      tile_tuning::most_shared_bytes));
    });
  }

  std::int64_t bytes() const {
    return pieces_.size() * std::int64_t{sizeof(tile_piece)} +
           chunks_.size() * std::int64_t{sizeof(tile_chunk)} +
           (gathered_.size() + sums_.size()) * std::int64_t{sizeof(Value)};
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    const bool transposed = op_ == operation::transposed, renumbered = m_.renumbered != 0;
    const std::int64_t in = inputs(m_, op_), out = outputs(m_, op_);
    const auto& in_order = transposed ? m_.row_order : m_.col_order;
    const auto& out_order = transposed ? m_.col_order : m_.row_order;
    constexpr int threads = tile_tuning::gather_threads;
    if (renumbered) {
      gather<<<blocks_for(in, threads), threads, 0, on_.stream>>>(in, in_order.data(), x, gathered_.data());
      if (!exclusive_) scale(on_, out, Value{0}, sums_.data());
    } else if (!exclusive_) {
      scale(on_, out, beta, y);
    }
    const unsigned blocks = shared_chunks_ + blocks_for(warp_chunks_, warps_);
    if (blocks > 0)
      with_types([&](auto kernel, const auto& arrays) {
        kernel<<<blocks, static_cast<unsigned>(warps_) * 32, shared_bytes(), on_.stream>>>(
            arrays, renumbered ? Value{1} : alpha, renumbered ? gathered_.data() : x,
            renumbered ? Value{0} : beta, renumbered ? sums_.data() : y);
      });
    if (renumbered)
      scatter_sums<<<blocks_for(out, threads), threads, 0, on_.stream>>>(out, out_order.data(), alpha,
                                                                         sums_.data(), beta, y);
    add_entries(on_, entries_of(m_.rest_row_indices, m_.rest_col_indices, m_.rest_values, op_), alpha, x, y);
    check_cuda(cudaGetLastError());
  }

 private:
  std::size_t shared_bytes() const {
    const std::int64_t out = op_ == operation::transposed ? m_.tile_width : m_.tile_height,
                       in = op_ == operation::transposed ? m_.tile_height : m_.tile_width;
    return static_cast<std::size_t>(warps_ * (out + tile_tuning::spare_sums) + in) * sizeof(Value);
  }
  // Calls use(kernel, arrays) with the kernel for this operation and width of indices.
  template <class Use>
  void with_types(Use use) const {
    if (m_.combined32.size() > 0)
      with_index(m_.combined32.data(), use);
    else
      with_index(m_.combined16.data(), use);
  }
  template <class Index, class Use>
  void with_index(const Index* combined, Use use) const {
    with_operation(op_, [&](auto transposed) {
      constexpr bool t = decltype(transposed)::value;
      use(m_.group_size == 32 ? multiply_tiles<32, t, Value, Index> : multiply_tiles<0, t, Value, Index>,
          tile_arrays<Value, Index>{m_.values.data(), combined, pieces_.data(), chunks_.data(),
                                    tile_cells(m_.tile_height, m_.tile_width, m_.group_size),
                                    t ? m_.tile_width : m_.tile_height, t ? m_.tile_height : m_.tile_width,
                                    outputs(m_, op_), inputs(m_, op_), shared_chunks_, warp_chunks_,
                                    exclusive_});
    });
  }

  cuda on_;
  matrix m_;
  operation op_;
  int warps_ = tile_tuning::most_warps;
  bool exclusive_ = false;
  unsigned shared_chunks_ = 0, warp_chunks_ = 0;
  array<tile_piece, device> pieces_;
  array<tile_chunk, device> chunks_;
  mutable array<Value, device> gathered_, sums_;  // in the new numbers, where there are any
};

}  // namespace

template <class Offset, class Value>
struct table_of<gcsb_tile_view<Offset, Value, device>> {
  static kernel_table<gcsb_tile_view<Offset, Value, device>> lines() {
    return {kernel_of<gcsb_tile_kernel<Offset, Value>>()};
  }
};

template kernel_table<gcsb_tile_view<std::int32_t, float, device>> kernels_of(
    const gcsb_tile_view<std::int32_t, float, device>&);
template kernel_table<gcsb_tile_view<std::int32_t, double, device>> kernels_of(
    const gcsb_tile_view<std::int32_t, double, device>&);
template kernel_table<gcsb_tile_view<std::int64_t, float, device>> kernels_of(
    const gcsb_tile_view<std::int64_t, float, device>&);
template kernel_table<gcsb_tile_view<std::int64_t, double, device>> kernels_of(
    const gcsb_tile_view<std::int64_t, double, device>&);

}  // namespace sparsmith
