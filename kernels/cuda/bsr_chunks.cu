// The BSR report's four kernels: thread blocks take chunks of equally many blocks and add to y with atomics.
// They differ in how the threads of a thread block add up a part of a block row.
#include "kernels/cuda/bsr_blocks.hpp"
#include "kernels/line_here.hpp"

namespace sparsmith {

// Chunk c of n covers the blocks [blocks * c / n, blocks * (c + 1) / n); these are the block rows of its
// first and its last one.
struct chunk_rows {
  std::int32_t first, last;
};

namespace {

struct chunk_tuning {
  // Of a thread block, as the report found them best. bsr/private sums over a thread block by one sum over
  // lanes, so that it has to be a warp.
  static constexpr int row_major_threads = 32, private_threads = 32, team_threads = 128,
                       unrolled_threads = 128;
  static constexpr unsigned rows_at_once = 8;     // of bsr/unrolled
  static constexpr int transposed_threads = 128;  // of a thread block of A^T x
  // Four times as many chunks as the GPU runs at once, as thread blocks of their own, even out the work.
  static constexpr int chunks_per_resident_block = 4;
  static constexpr int most_resident_blocks = 32, resident_threads = 2048;  // of a multiprocessor
  static constexpr int setup_threads = 128;  // of a thread block that finds the chunks' rows
};

constexpr kernel_facts chunk_facts{.walk = kernel_facts::rows::balanced,
                                   .additions = {.transposed = kernel_facts::adds::every},
                                   .launches = {.multiply = 1, .transposed = 2},
                                   .compiled_sides = cuda_bsr_sides};

struct chunk_bounds {
  std::int64_t begin, end;
};
__device__ chunk_bounds bounds_of(std::int64_t blocks, std::int64_t chunk, std::int64_t chunks) {
  return {blocks * chunk / chunks, blocks * (chunk + 1) / chunks};
}

template <class Offset>
__global__ void find_chunk_rows(const Offset* row_offsets, std::int32_t block_rows, std::int64_t blocks,
                                std::int64_t chunks, chunk_rows* rows) {
  const std::int64_t chunk = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (chunk >= chunks) return;
  const chunk_bounds bounds = bounds_of(blocks, chunk, chunks);
  const std::int32_t first = block_row_of(row_offsets, bounds.begin, 0, block_rows - 1);
  rows[chunk] = {first, block_row_of(row_offsets, bounds.end - 1, first, block_rows - 1)};
}

// The blocks of one block row that are in one chunk. There are so many chunks that the slots of one are
// counted in 32 bits.
template <class Value>
struct row_part {
  const std::int32_t* columns;  // of the blocks
  const Value* values;
  unsigned blocks;
  unsigned block_rows, block_cols, area;
  std::int32_t row, cols;  // its block row; the columns of the matrix

  // 0 beyond the edge, where blocks hold zeros.
  __device__ Value factor(const Value* x, unsigned block, unsigned col_in_block) const {
    const unsigned col = static_cast<unsigned>(columns[block]) * block_cols + col_in_block;
    return col < static_cast<unsigned>(cols) ? x[col] : Value{0};
  }
};

// Calls use(part) for the part of every block row in this thread block's chunk; all threads get the same
// parts.
template <class Offset, class Value, class Use>
__device__ void for_each_part(const bsr_view<Offset, Value, device>& m, const chunk_rows* rows, Use use) {
  const chunk_bounds bounds = bounds_of(m.col_indices.size(), blockIdx.x, gridDim.x);
  const chunk_rows own = rows[blockIdx.x];
  const auto block_rows = static_cast<unsigned>(m.block_rows),
             block_cols = static_cast<unsigned>(m.block_cols);
  std::int32_t row = own.first;
  for (std::int64_t begin = bounds.begin; begin < bounds.end;) {
    const std::int64_t row_end = m.row_offsets[row + 1], end = row_end < bounds.end ? row_end : bounds.end;
    use(row_part<Value>{m.col_indices.data() + begin, m.values.data() + begin * (block_rows * block_cols),
                        static_cast<unsigned>(end - begin), block_rows, block_cols, block_rows * block_cols,
                        row, m.cols});
    begin = end;
    if (begin < bounds.end) row = block_row_of(m.row_offsets.data(), begin, row + 1, own.last);
  }
}

// Thread i takes entries i, i + blockDim, ... of the part; use(row in the block, product).
template <class Value, class Use>
__device__ void for_each_product(const row_part<Value>& part, const Value* x, Use use) {
  const unsigned slots = part.blocks * part.area;
  for (unsigned start = 0; start < slots; start += blockDim.x) {
    const unsigned slot = start + threadIdx.x;
    if (slot < slots) {
      const unsigned place = slot % part.area;
      use(place / part.block_cols,
          part.values[slot] * part.factor(x, slot / part.area, place % part.block_cols));
    }
  }
}

// How the threads of a thread block add up a part: its block row's sums, all 0 before, end up in shared
// memory.

struct row_major_way {
  static constexpr kernel_info info{
      .name = "bsr/row-major",
      .description =
          "chunks of blocks; an atomic in shared memory for every entry (A^T x: one way for all four)",
      .source = "BSR report",
      .history = true,
      .facts = chunk_facts};
  static constexpr int threads = chunk_tuning::row_major_threads;

  template <class Value>
  static __device__ void add_up(const row_part<Value>& part, const Value* x, Value* sums) {
    for_each_product(part, x, [=](unsigned row, Value product) { atomicAdd(sums + row, product); });
  }
};

struct private_way {
  static constexpr kernel_info info{
      .name = "bsr/private",
      .description =
          "chunks of blocks; every thread sums up all rows for itself (A^T x: one way for all four)",
      .source = "BSR report",
      .history = true,
      .facts = chunk_facts};
  static constexpr int threads = chunk_tuning::private_threads;

  template <class Value>
  static __device__ void add_up(const row_part<Value>& part, const Value* x, Value* sums) {
    Value own[longest_side];
    for (unsigned row = 0; row < part.block_rows; ++row) own[row] = 0;
    for_each_product(part, x, [&](unsigned row, Value product) { own[row] += product; });
    __syncwarp();
    for (unsigned row = 0; row < part.block_rows; ++row) {
      const Value sum = lane_sum(own[row]);
      if (threadIdx.x == 0) sums[row] = sum;
    }
  }
};

struct team_way {
  static constexpr kernel_info info{
      .name = "bsr/team",
      .description = "chunks of blocks; a thread for every place in a block (A^T x: one way for all four)",
      .source = "BSR report",
      .history = true,
      .facts = chunk_facts};
  static constexpr int threads = chunk_tuning::team_threads;

  // Blocks with more places than there are threads are walked several times.
  template <class Value>
  static __device__ void add_up(const row_part<Value>& part, const Value* x, Value* sums) {
    const unsigned team_size = part.area < threads ? part.area : threads;
    const unsigned teams = threads / team_size, team = threadIdx.x / team_size;
    if (team >= teams) return;
    for (unsigned place = threadIdx.x % team_size; place < part.area; place += team_size) {
      const unsigned col = place % part.block_cols;
      Value sum = 0;
      for (unsigned block = team; block < part.blocks; block += teams)
        sum += part.values[block * part.area + place] * part.factor(x, block, col);
      atomicAdd(sums + place / part.block_cols, sum);
    }
  }
};

struct unrolled_way {
  static constexpr kernel_info info{
      .name = "bsr/unrolled",
      .description =
          "chunks of blocks; a thread for every column, eight rows at once (A^T x: one way for all four)",
      .source = "BSR report",
      .history = true,
      .facts = chunk_facts};
  static constexpr int threads = chunk_tuning::unrolled_threads;

  template <class Value>
  static __device__ void add_up(const row_part<Value>& part, const Value* x, Value* sums) {
    constexpr unsigned rows_at_once = chunk_tuning::rows_at_once;
    const unsigned columns = part.blocks * part.block_cols;
    for (unsigned first_row = 0; first_row < part.block_rows; first_row += rows_at_once) {
      Value own[rows_at_once] = {};
      for (unsigned start = 0; start < columns; start += threads) {
        const unsigned column = start + threadIdx.x;
        if (column < columns) {
          const unsigned block = column / part.block_cols, col = column % part.block_cols;
          const Value factor = part.factor(x, block, col);
          const Value* const values = part.values + block * part.area + first_row * part.block_cols + col;
#pragma unroll
          for (unsigned k = 0; k < rows_at_once; ++k)
            if (first_row + k < part.block_rows) own[k] += values[k * part.block_cols] * factor;
        }
      }
      __syncwarp();
#pragma unroll
      for (unsigned k = 0; k < rows_at_once; ++k) {
        const Value sum = lane_sum(own[k]);
        if (threadIdx.x % 32 == 0 && first_row + k < part.block_rows) atomicAdd(sums + first_row + k, sum);
      }
    }
  }
};

template <class Way, class Offset, class Value>
__global__ void __launch_bounds__(Way::threads)
    multiply_chunks(const bsr_view<Offset, Value, device> m, const chunk_rows* rows, Value alpha,
                    const Value* x, Value* y) {
  __shared__ Value sums[longest_side];
  for_each_part(m, rows, [&](const row_part<Value>& part) {
    // A thread clears only what itself read for y in the part before.
    for (unsigned row = threadIdx.x; row < part.block_rows; row += Way::threads) sums[row] = 0;
    __syncthreads();
    Way::add_up(part, x, sums);
    __syncthreads();
    const std::int64_t first_row = std::int64_t{part.row} * part.block_rows;
    for (unsigned row = threadIdx.x; row < part.block_rows; row += Way::threads)
      if (first_row + row < m.rows) atomicAdd(y + first_row + row, alpha * sums[row]);
  });
}

// A^T x, the same for all four: a thread sums up a column of a block, and blocks of a column meet in y.
template <class Offset, class Value>
__global__ void __launch_bounds__(chunk_tuning::transposed_threads)
    multiply_chunks_transposed(const bsr_view<Offset, Value, device> m, const chunk_rows* rows, Value alpha,
                               const Value* x, Value* y) {
  for_each_part(m, rows, [&](const row_part<Value>& part) {
    const std::int64_t first_row = std::int64_t{part.row} * part.block_rows, rows_left = m.rows - first_row;
    const unsigned height = rows_left < part.block_rows ? static_cast<unsigned>(rows_left) : part.block_rows;
    for (unsigned i = threadIdx.x; i < part.blocks * part.block_cols; i += chunk_tuning::transposed_threads) {
      const unsigned block = i / part.block_cols, col_in_block = i % part.block_cols;
      const unsigned col = static_cast<unsigned>(part.columns[block]) * part.block_cols + col_in_block;
      if (col >= static_cast<unsigned>(m.cols)) continue;
      const Value* const values = part.values + block * part.area + col_in_block;
      Value sum = 0;
      for (unsigned row = 0; row < height; ++row) sum += values[row * part.block_cols] * x[first_row + row];
      atomicAdd(y + col, alpha * sum);
    }
  });
}

}  // namespace

template <class Way, class Offset, class Value>
struct bsr_chunked {
  static constexpr kernel_info info = Way::info;
  using matrix = bsr_view<Offset, Value, device>;
  static std::string why_not_expected(const matrix_outline& known, operation) { return too_large(known); }
  static matrix_outline outline_of(const matrix& m) { return {.block = {m.block_rows, m.block_cols}}; }

  bsr_chunked(cuda on, const matrix& m, operation op)
      : on_(on), m_(m), op_(op), rows_(std::min(m.col_indices.size(), most_chunks())) {
    constexpr int threads = chunk_tuning::setup_threads;
    find_chunk_rows<<<blocks_for(rows_.size(), threads), threads, 0, on.stream>>>(
        m.row_offsets.data(), count_block_rows(m), m.col_indices.size(), rows_.size(), rows_.data());
    check_cuda(cudaGetLastError());
  }
  std::int64_t bytes() const { return rows_.size() * std::int64_t{sizeof(chunk_rows)}; }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    scale(on_, outputs(m_, op_), beta, y);
    const auto chunks = static_cast<unsigned>(rows_.size());
    if (op_ == operation::transposed)
      multiply_chunks_transposed<<<chunks, chunk_tuning::transposed_threads, 0, on_.stream>>>(
          m_, rows_.data(), alpha, x, y);
    else
      multiply_chunks<Way><<<chunks, Way::threads, 0, on_.stream>>>(m_, rows_.data(), alpha, x, y);
    check_cuda(cudaGetLastError());
  }

 private:
  static std::int64_t most_chunks() {
    return std::int64_t{multiprocessors()} * chunk_tuning::chunks_per_resident_block *
           std::min(chunk_tuning::most_resident_blocks, chunk_tuning::resident_threads / Way::threads);
  }

  cuda on_;
  matrix m_;
  operation op_;
  array<chunk_rows, device> rows_;
};

template <class Offset, class Value>
struct bsr_row_major : bsr_chunked<row_major_way, Offset, Value> {
  using bsr_chunked<row_major_way, Offset, Value>::bsr_chunked;
};
template <class Offset, class Value>
struct bsr_private : bsr_chunked<private_way, Offset, Value> {
  using bsr_chunked<private_way, Offset, Value>::bsr_chunked;
};
template <class Offset, class Value>
struct bsr_team : bsr_chunked<team_way, Offset, Value> {
  using bsr_chunked<team_way, Offset, Value>::bsr_chunked;
};
template <class Offset, class Value>
struct bsr_unrolled : bsr_chunked<unrolled_way, Offset, Value> {
  using bsr_chunked<unrolled_way, Offset, Value>::bsr_chunked;
};

template struct line_of<bsr_row_major, bsr_view, device>;
template struct line_of<bsr_private, bsr_view, device>;
template struct line_of<bsr_team, bsr_view, device>;
template struct line_of<bsr_unrolled, bsr_view, device>;

}  // namespace sparsmith
