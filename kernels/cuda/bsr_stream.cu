// bsr/stream: every block row, transposed every block column, is streamed through a few warps, without
// atomics.
#include <cmath>
#include <cstring>
#include <limits>

#include "convert/backend/sort_entries.hpp"
#include "kernels/cuda/bsr_blocks.hpp"
#include "kernels/line_here.hpp"

namespace sparsmith {

// A line is a block row or, transposed, a block column. Its blocks are [offsets[line], offsets[line + 1]).
template <class Offset, class Value>
struct line_list {
  const Offset* offsets;
  const std::int32_t* across;  // of every block, its block column or, transposed, its block row
  const std::int32_t* order;   // transposed: where in storage every block is
  const Value* values;
  std::int32_t lines;
  std::int32_t block_rows, block_cols;
  std::int32_t outputs, inputs;
};

namespace {

// Found on an H200 (docs/log).
struct stream_tuning {
  static constexpr int warps = 8;  // of a thread block
  // Of a lane: values in flight, as many as fit into so many bytes and take at most so many loads.
  static constexpr int loads_in_flight = 8, bytes_in_flight = 64;
  // The widest load. A lane takes so many bytes of a block's row at once where its side is a multiple of
  // them.
  static constexpr int load_bytes = 16;
  // Thread blocks that must fit on a multiprocessor, which leaves room for all that is in flight in
  // registers. More fit where the side is compiled in and a load has one value; A^T x, which follows an order
  // besides, needs more registers.
  static constexpr int resident(bool transposed, int side, int pack, std::size_t value_bytes) {
    const bool few = side > 0 && pack == 1;
    return transposed ? (few && value_bytes == 4 ? 4 : 3) : few ? 5 : 4;
  }
  // Where lines are short a warp each would mostly wait: with no line above the one and fewer blocks a line
  // on average than the other, a thread takes an output.
  static constexpr std::int64_t longest_short_line = 64, short_line_mean = 16;
  // More warps share a line while the GPU is not filled so many times, or the last time by less than so much,
  // or while the longest line would outlast all others several times; but a warp's piece of it should have
  // this many batches. A^T x jumps from block to block, and wants more of them under way.
  static constexpr double times_full = 0.9, times_full_transposed = 6, least_of_last = 5.0 / 6;
  static constexpr std::int64_t times_mean = 4, least_batches = 2;
  static constexpr int threads = 256;  // of a thread block that takes outputs, or sets up
};

template <class Matrix>
std::int32_t count_block_columns(const Matrix& m) {
  return m.cols / m.block_cols + (m.cols % m.block_cols != 0);
}

// Neighbouring values of a block's row, which a lane reads at once.
template <int pack, class Value>
struct alignas(pack * sizeof(Value)) value_pack {
  Value at[pack];
};
template <int bytes>
struct word_of;
template <>
struct word_of<4> {
  using type = float;
};
template <>
struct word_of<8> {
  using type = float2;
};
template <>
struct word_of<16> {
  using type = float4;
};
template <int pack, class Value>
__device__ value_pack<pack, Value> read_pack(const Value* from, bool once) {
  using word = typename word_of<pack * sizeof(Value)>::type;
  const auto* const at = reinterpret_cast<const word*>(from);
  const word read = once ? __ldcs(at) : __ldg(at);
  value_pack<pack, Value> result;
  memcpy(&result, &read, sizeof(read));
  return result;
}

// How a warp reads blocks: of a side that is compiled in, or of any (0), with at most so many places.
template <int own_side, int most_area, class Value>
struct block_walk {
  static constexpr int side = own_side, bytes = sizeof(Value), widest = stream_tuning::load_bytes / bytes;
  // Values that a lane reads at once, such packs of a block that it stands for, and blocks whose loads are in
  // flight.
  static constexpr int pack = side == 0 ? 1 : side % widest == 0 ? widest : side % 2 == 0 ? 2 : 1;
  static constexpr int places = std::min((most_area / pack + 31) / 32, 4);
  static constexpr int steps = std::max(
      std::min(stream_tuning::loads_in_flight, stream_tuning::bytes_in_flight / (pack * bytes)) / places, 1);
};

// A lane stands for the same `places` packs of neighbouring places of every block it reads, 32 apart, so that
// a warp reads neighbouring addresses and a lane needs one sum a pack (A^T x: one a place). Of small blocks a
// warp reads several side by side; blocks of more than 32 * places packs are walked several times. Where
// warps share a line each takes a piece of it, and the pieces' sums are added in their order. Common square
// blocks have their side compiled in, which saves half of the instructions. `packs_of_x`: x is read in packs
// too, which it has to be aligned for.
template <int own_side, int most_area, bool transposed, bool packs_of_x, class Offset, class Value>
__global__ void __launch_bounds__(32 * stream_tuning::warps,
                                  stream_tuning::resident(transposed, own_side,
                                                          block_walk<own_side, most_area, Value>::pack,
                                                          sizeof(Value)))
    stream_lines(const line_list<Offset, Value> list, int warps_per_line, Value alpha, const Value* x,
                 Value beta, Value* y) {
  using walk = block_walk<own_side, most_area, Value>;
  constexpr int side = walk::side, pack = walk::pack, places = walk::places, steps = walk::steps;
  constexpr int sums_of_pack = transposed ? pack : 1, factors_of_pack = transposed ? 1 : pack;
  __shared__ Value lane_sums[stream_tuning::warps][32 * places * sums_of_pack];
  __shared__ Value line_sums[stream_tuning::warps][longest_side];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int lines_here = stream_tuning::warps / warps_per_line;
  const int block_cols = side > 0 ? side : list.block_cols;
  const int area = side > 0 ? side * side : list.block_rows * block_cols;
  const int out_side = side > 0 || transposed ? block_cols : list.block_rows;
  const int in_side = side > 0 || !transposed ? block_cols : list.block_rows;

  // Lanes that are left over beside small blocks do what the first ones do, and nobody asks for their sums.
  const int packs = area / pack, width = packs < 32 ? packs : 32;
  const int side_by_side = 32 / width, batch = steps * side_by_side;
  const int neighbour = lane / width < side_by_side ? lane / width : 0;

  std::int64_t first = 0;  // block of this warp's piece
  int count = 0;           // a line with 2^31 blocks or nearly so is shared by eight warps
  if (const std::int64_t line = std::int64_t{blockIdx.x} * lines_here + warp / warps_per_line;
      line < list.lines) {
    const std::int64_t start = list.offsets[line], blocks = list.offsets[line + 1] - start;
    const int piece = warp % warps_per_line;
    first = start + blocks * piece / warps_per_line;
    count = static_cast<int>(start + blocks * (piece + 1) / warps_per_line - first);
  }
  const std::int32_t* const across_from_here = list.across + first + neighbour;
  const std::int32_t* const order_from_here = transposed ? list.order + first + neighbour : nullptr;
  const Value* const values_from_here = transposed ? list.values : list.values + (first + neighbour) * area;
  const int whole = count / batch * batch;

  for (int out = lane; out < out_side; out += 32) line_sums[warp][out] = 0;
  for (int base = 0; base < packs; base += 32 * places) {
    int place[places], in_block[places];
#pragma unroll
    for (int k = 0; k < places; ++k) {
      place[k] = (base + lane % width + 32 * k) * pack;
      in_block[k] = transposed ? place[k] / block_cols : place[k] % block_cols;
    }
    // The last batch may be short of blocks; in all others there is nothing to ask.
    const auto inside = [&](auto is_whole, int block, int k) {
      return (is_whole.value || block + neighbour < count) && (places == 1 || place[k] < area);
    };
    std::int32_t across[steps] = {}, order[steps] = {};
    const auto read_indices = [&](auto is_whole, int from) {
#pragma unroll
      for (int s = 0; s < steps; ++s)
        if (const int block = from + s * side_by_side; is_whole.value || block + neighbour < count) {
          across[s] = __ldg(across_from_here + block);
          if constexpr (transposed) order[s] = __ldg(order_from_here + block);
        }
    };
    Value sums[places][sums_of_pack] = {};
    const auto add_batch = [&](auto is_whole, int from) {
      value_pack<pack, Value> values[steps][places];
      value_pack<factors_of_pack, Value> factors[steps][places];
#pragma unroll
      for (int s = 0; s < steps; ++s) {
        const int block = from + s * side_by_side;
        const Value* const own = values_from_here + std::int64_t{transposed ? order[s] : block} * area;
#pragma unroll
        for (int k = 0; k < places; ++k)
          if (inside(is_whole, block, k))
            values[s][k] = read_pack<pack>(own + place[k], true);
          else
            values[s][k] = {};
      }
#pragma unroll
      for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int k = 0; k < places; ++k) {
          factors[s][k] = {};
          if (!inside(is_whole, from + s * side_by_side, k)) continue;
          const unsigned in = static_cast<unsigned>(across[s]) * static_cast<unsigned>(in_side) +
                              static_cast<unsigned>(in_block[k]);
          if constexpr (packs_of_x) {
            factors[s][k] = read_pack<factors_of_pack>(x + in, false);
          } else {
            // Beyond the edge of the matrix blocks hold zeros, whatever the factor.
#pragma unroll
            for (int j = 0; j < factors_of_pack; ++j)
              factors[s][k].at[j] =
                  __ldg(x + min(in + static_cast<unsigned>(j), static_cast<unsigned>(list.inputs - 1)));
          }
        }
      // Indices are read one batch ahead: x would otherwise wait for two loads, one after the other.
      if constexpr (is_whole.value) read_indices(is_whole, min(from + batch, whole - batch));
#pragma unroll
      for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int k = 0; k < places; ++k)
#pragma unroll
          for (int j = 0; j < pack; ++j)
            sums[k][transposed ? j : 0] += values[s][k].at[j] * factors[s][k].at[transposed ? 0 : j];
    };
    if (whole > 0) read_indices(std::true_type{}, 0);
    for (int from = 0; from < whole; from += batch) add_batch(std::true_type{}, from);
    if (whole < count) {
      read_indices(std::false_type{}, whole);
      add_batch(std::false_type{}, whole);
    }

#pragma unroll
    for (int k = 0; k < places; ++k)
#pragma unroll
      for (int j = 0; j < sums_of_pack; ++j) lane_sums[warp][(32 * k + lane) * sums_of_pack + j] = sums[k][j];
    __syncwarp();
    // Of an output's places, those whose sums are here: one a pack, or in A^T x one a place.
    const int to_next = transposed ? 1 : pack;
    for (int out = lane; out < out_side; out += 32) {
      Value sum = line_sums[warp][out];
      for (int in = 0; in < in_side; in += to_next) {
        const int at = ((transposed ? in * block_cols + out : out * block_cols + in) - base * pack) / to_next;
        if ((transposed ? in * block_cols + out : out * block_cols + in) < base * pack ||
            at >= 32 * places * sums_of_pack)
          continue;
        for (int n = 0; n < side_by_side; ++n) sum += lane_sums[warp][n * width * sums_of_pack + at];
      }
      line_sums[warp][out] = sum;
    }
    __syncwarp();
  }

  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < lines_here * out_side; i += 32 * stream_tuning::warps) {
    const int line_here = i / out_side, out_in_block = i % out_side;
    const std::int64_t out = (std::int64_t{blockIdx.x} * lines_here + line_here) * out_side + out_in_block;
    if (out >= list.outputs) continue;
    Value sum = 0;
    for (int w = 0; w < warps_per_line; ++w) sum += line_sums[line_here * warps_per_line + w][out_in_block];
    y[out] = updated(beta, y + out, alpha * sum);
  }
}

// Where lines are short: a thread for every output.
template <bool transposed, class Offset, class Value>
__global__ void __launch_bounds__(stream_tuning::threads)
    stream_outputs(const line_list<Offset, Value> list, Value alpha, const Value* __restrict__ x, Value beta,
                   Value* y) {
  const std::int64_t out = std::int64_t{blockIdx.x} * stream_tuning::threads + threadIdx.x;
  if (out >= list.outputs) return;
  const int out_side = transposed ? list.block_cols : list.block_rows;
  const int in_side = transposed ? list.block_rows : list.block_cols;
  const std::int64_t line = out / out_side, area = list.block_rows * list.block_cols;
  const int place = static_cast<int>(out % out_side) * (transposed ? 1 : list.block_cols);
  const int to_next = transposed ? list.block_cols : 1;
  Value sum = 0;
  for (std::int64_t b = list.offsets[line]; b < list.offsets[line + 1]; ++b) {
    const Value* const own = list.values + (transposed ? list.order[b] : b) * area + place;
    const std::int64_t in = std::int64_t{list.across[b]} * in_side, inside = list.inputs - in;
    const int count = inside < in_side ? static_cast<int>(inside) : in_side;
#pragma unroll 4
    for (int k = 0; k < count; ++k) sum += own[k * to_next] * x[in + k];
  }
  y[out] = updated(beta, y + out, alpha * sum);
}

template <class Offset>
__global__ void find_longest(const Offset* offsets, std::int32_t lines, int* longest) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  int own = 0;
  for (std::int64_t line = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; line < lines; line += stride)
    own = max(own, static_cast<int>(offsets[line + 1] - offsets[line]));
  atomicMax(longest, own);
}

template <class Offset>
__global__ void number_blocks(const Offset* row_offsets, std::int32_t block_rows, std::int64_t blocks,
                              std::int32_t* row, std::int32_t* number) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t b = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; b < blocks; b += stride) {
    row[b] = block_row_of(row_offsets, b, 0, block_rows - 1);
    number[b] = static_cast<std::int32_t>(b);
  }
}

// From keys column << row_bits | row, sorted: where every block column begins, and each block's block row.
template <class Offset>
__global__ void unpack_columns(const std::uint64_t* keys, std::int64_t blocks, int row_bits,
                               std::int32_t columns, Offset* offsets, std::int32_t* rows) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::int64_t b = thread; b < blocks; b += stride)
    rows[b] = static_cast<std::int32_t>(keys[b] & ((std::uint64_t{1} << row_bits) - 1));
  for (std::int64_t column = thread; column <= columns; column += stride) {
    std::int64_t low = 0, high = blocks;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (keys[middle] >> row_bits < static_cast<std::uint64_t>(column))
        low = middle + 1;
      else
        high = middle;
    }
    offsets[column] = static_cast<Offset>(low);
  }
}

}  // namespace

template <class Offset, class Value>
struct bsr_stream {
  static constexpr kernel_info info{.name = "bsr/stream",
                                    .description = "warps stream a block row or block column; no atomics",
                                    .source = "ours",
                                    .repeatable = {.multiply = true, .transposed = true},
                                    .facts = {.walk = kernel_facts::rows::lanes,
                                              .lanes = 32,
                                              .at_once = 32,
                                              .launches = {.multiply = 1, .transposed = 1},
                                              .compiled_sides = cuda_bsr_sides}};
  using matrix = bsr_view<Offset, Value, device>;
  static std::string why_not_expected(const matrix_outline& known, operation op) {
    if (op == operation::transposed && known.blocks > std::numeric_limits<std::int32_t>::max())
      return "the blocks are too many to be numbered in 32 bits";
    return too_large(known);
  }
  static matrix_outline outline_of(const matrix& m) {
    return {.blocks = m.col_indices.size(), .block = {m.block_rows, m.block_cols}};
  }

  bsr_stream(cuda on, const matrix& m, operation op)
      : on_(on),
        op_(op),
        list_{m.row_offsets.data(),
              m.col_indices.data(),
              nullptr,
              m.values.data(),
              count_block_rows(m),
              m.block_rows,
              m.block_cols,
              static_cast<std::int32_t>(outputs(m, op)),
              static_cast<std::int32_t>(inputs(m, op))} {
    if (op == operation::transposed) list_columns(m);
    warps_per_line_ = choose_warps(m.col_indices.size());
  }
  std::int64_t bytes() const {
    return column_offsets_.size() * std::int64_t{sizeof(Offset)} + (rows_.size() + order_.size()) * 4;
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    with_operation(op_, [&](auto transposed) {
      if (warps_per_line_ == 0) {
        stream_outputs<decltype(transposed)::value>
            <<<blocks_for(list_.outputs, stream_tuning::threads), stream_tuning::threads, 0, on_.stream>>>(
                list_, alpha, x, beta, y);
        check_cuda(cudaGetLastError());
        return;
      }
      constexpr bool t = decltype(transposed)::value;
      with_walk([&](auto own_side, auto most_area) {
        constexpr int side = decltype(own_side)::value, area = decltype(most_area)::value;
        constexpr int pack = block_walk<side, area, Value>::pack;
        // A block over the edge would take x beyond its end.
        if constexpr (!t && pack > 1)
          if (list_.inputs % side == 0 && is_aligned(x, pack))
            return launch(stream_lines<side, area, t, true, Offset, Value>, alpha, x, beta, y);
        launch(stream_lines<side, area, t, false, Offset, Value>, alpha, x, beta, y);
      });
    });
  }

 private:
  static bool is_aligned(const Value* values, int pack) {
    return reinterpret_cast<std::uintptr_t>(values) % (static_cast<std::size_t>(pack) * sizeof(Value)) == 0;
  }

  template <class Kernel>
  void launch(Kernel kernel, Value alpha, const Value* x, Value beta, Value* y) const {
    kernel<<<blocks_for(list_.lines, stream_tuning::warps / warps_per_line_), 32 * stream_tuning::warps, 0,
             on_.stream>>>(list_, warps_per_line_, alpha, x, beta, y);
    check_cuda(cudaGetLastError());
  }

  // Calls use(side, most places) for the code that takes these blocks.
  template <class Use>
  void with_walk(Use use) const {
    const auto take = [&](auto side, auto area) { use(side, area); };
    const auto square = [&](auto side) {
      take(side, std::integral_constant<int, decltype(side)::value* decltype(side)::value>{});
    };
    // Values that somebody else has laid down may start anywhere.
    const bool compiled = list_.block_rows == list_.block_cols &&
                          is_aligned(list_.values, stream_tuning::load_bytes / int{sizeof(Value)});
    switch (compiled ? list_.block_rows : 0) {
      case 2:
        return square(std::integral_constant<int, 2>{});
      case 3:
        return square(std::integral_constant<int, 3>{});
      case 4:
        return square(std::integral_constant<int, 4>{});
      case 5:
        return square(std::integral_constant<int, 5>{});
      case 6:
        return square(std::integral_constant<int, 6>{});
      case 8:
        return square(std::integral_constant<int, 8>{});
      case 16:
        return square(std::integral_constant<int, 16>{});
      default:
        break;
    }
    constexpr std::integral_constant<int, 0> any;
    if (const int area = list_.block_rows * list_.block_cols; area <= 32)
      take(any, std::integral_constant<int, 32>{});
    else if (area <= 64)
      take(any, std::integral_constant<int, 64>{});
    else
      take(any, std::integral_constant<int, 128>{});
  }

  // The blocks column by column. They lie row by row, so a stable sort by column alone is enough.
  void list_columns(const matrix& m) {
    const std::int64_t blocks = m.col_indices.size();
    const std::int32_t block_rows = count_block_rows(m), columns = count_block_columns(m);
    array<std::int32_t, device> rows(blocks), numbers(blocks);
    number_blocks<<<resident_blocks(blocks, stream_tuning::threads), stream_tuning::threads, 0, on_.stream>>>(
        m.row_offsets.data(), block_rows, blocks, rows.data(), numbers.data());
    check_cuda(cudaGetLastError());
    auto sorted = sort_entries<std::int32_t>(on_, m.col_indices, rows, numbers, columns, block_rows, true);
    column_offsets_ = array<Offset, device>(std::int64_t{columns} + 1);
    rows_ = std::move(rows);
    order_ = std::move(sorted.values);
    unpack_columns<<<resident_blocks(blocks, stream_tuning::threads), stream_tuning::threads, 0,
                     on_.stream>>>(sorted.keys.data(), blocks, sorted.minor_bits, columns,
                                   column_offsets_.data(), rows_.data());
    check_cuda(cudaGetLastError());
    list_.offsets = column_offsets_.data();
    list_.across = rows_.data();
    list_.order = order_.data();
    list_.lines = columns;
  }

  // None where all lines are short: threads then take outputs.
  int choose_warps(std::int64_t blocks) const {
    array<int, device> longest(1);
    check_cuda(cudaMemsetAsync(longest.data(), 0, sizeof(int), on_.stream));
    find_longest<<<resident_blocks(list_.lines, stream_tuning::threads), stream_tuning::threads, 0,
                   on_.stream>>>(list_.offsets, list_.lines, longest.data());
    check_cuda(cudaGetLastError());
    const std::int64_t most = copy_to<host>(longest, place::device)[0];
    if (most <= stream_tuning::longest_short_line && blocks < stream_tuning::short_line_mean * list_.lines)
      return 0;
    const bool transposed = op_ == operation::transposed;
    std::int64_t resident_warps = 0, batch = 0;
    with_walk([&](auto side, auto most_area) {
      using walk = block_walk<decltype(side)::value, decltype(most_area)::value, Value>;
      resident_warps = std::int64_t{multiprocessors()} * stream_tuning::warps *
                       stream_tuning::resident(transposed, walk::side, walk::pack, sizeof(Value));
      batch =
          std::int64_t{walk::steps} * std::max(1, 32 * walk::pack / (list_.block_rows * list_.block_cols));
    });
    const double times_full = transposed ? stream_tuning::times_full_transposed : stream_tuning::times_full;
    const auto fills = [&](int warps) {
      const double times = static_cast<double>(list_.lines) * warps / static_cast<double>(resident_warps);
      return times >= times_full && times >= stream_tuning::least_of_last * std::ceil(times);
    };
    int warps = 1;
    while (warps < stream_tuning::warps && most / (2 * warps) >= stream_tuning::least_batches * batch &&
           (!fills(warps) || most / warps > stream_tuning::times_mean * blocks / resident_warps))
      warps *= 2;
    return warps;
  }

  cuda on_;
  operation op_;
  line_list<Offset, Value> list_;
  array<Offset, device> column_offsets_;
  array<std::int32_t, device> rows_, order_;
  int warps_per_line_ = 1;
};

template struct line_of<bsr_stream, bsr_view, device>;

}  // namespace sparsmith
