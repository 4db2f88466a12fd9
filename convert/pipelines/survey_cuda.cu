// The survey of a matrix on CUDA.
#include "convert/pipelines/structure.hpp"

namespace sparsmith {
using backend = cuda;
}

#include "convert/backend/device.hpp"
#include "convert/pipelines/instantiate_survey.hpp"
#include "convert/pipelines/row_range.hpp"

namespace sparsmith {
namespace {

// Chosen by hand; bench_analyze shows what a change does.
struct survey_tuning {
  static constexpr int threads = 256;
  static constexpr int piece_entries = 2048;  // that a thread block looks at together
  static constexpr int entries_each = piece_entries / threads;
  static constexpr std::int32_t grid_words = 4096;  // counters of grid cells in shared memory
  // Thread blocks of a multiprocessor. There are registers for one more, which what runs beside has.
  static constexpr int resident_blocks = 4;
  static constexpr int short_row = 32;  // entries; find_near searches longer ones from a guess on
};

// The entry of a row [low, high) with that column, or -1. Short rows are halved, in a band after a look at
// the guess and the entry before it: mostly it is one of them, or would be between. Long ones are searched
// from a guess on, in steps that double until both sides are known; what is read are the 8 entries of a
// sector, which cost as much as one. Entry e begins a sector where e + shift is a multiple of 8 (see
// sector_shift).
template <class Offset>
__device__ Offset find_near(const std::int32_t* cols, int shift, Offset low, Offset high, Offset guess,
                            std::int32_t col, bool banded) {
  if (low >= high) return -1;
  if (high - low > survey_tuning::short_row) {
    const Offset begin = low, end = high;
    guess = max(low, min(guess, high - 1));
    for (Offset step = 8;; step *= 2) {
      // In 64 bits: the last entries of 2^31 - 1 plus a shift are more.
      const auto sector = static_cast<Offset>(((std::int64_t{guess} + shift) & ~std::int64_t{7}) - shift);
      if (sector < begin || sector + 8 > end) break;  // not all of this row
      const int4 a = *reinterpret_cast<const int4*>(cols + sector);
      const int4 b = *reinterpret_cast<const int4*>(cols + sector + 4);
      // Asked so that both halves are loaded before the first is looked at.
      const bool not_left = col >= a.x, not_right = col <= b.w;
      if (not_left & not_right) {
        const std::int32_t found[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        Offset at = -1;
#pragma unroll
        for (int i = 0; i < 8; ++i)
          if (found[i] == col) at = sector + i;
        return at;
      }
      if (not_left) {
        low = sector + 8;
        guess = sector + step;
      } else {
        high = sector;
        guess = sector - step;
      }
      if (low >= high) return -1;
      if (guess < low || guess >= high) guess = low + (high - low) / 2;
    }
  } else if (banded) {
    guess = max(low, min(guess, high - 1));
    const Offset left = max(low, guess - 1);
    const std::int32_t guessed = cols[guess], before = cols[left];
    if (guessed == col) return guess;
    if (before == col) return left;
    if (guessed < col)
      low = guess + 1;
    else if (before < col)
      return -1;
    else
      high = left;
    if (low >= high) return -1;
  }
  for (Offset size = high - low; size > 1;) {
    const Offset half = size / 2;
    if (cols[low + half] <= col) low += half;
    size -= half;
  }
  return cols[low] == col ? low : -1;
}

// What a row without gaps holds is known from its ends.
template <class Offset>
struct row_run {
  Offset low, high;
  std::int32_t first, last;  // columns

  __device__ row_run(const std::int32_t* cols, Offset begin, Offset end)
      : low(begin), high(end), first(begin < end ? cols[begin] : 0), last(begin < end ? cols[end - 1] : -1) {}
  __device__ bool whole() const { return last - first + 1 == high - low; }
  __device__ Offset find(std::int32_t col) const {
    return col >= first && col <= last ? low + (col - first) : -1;
  }
};

// How many entries of the array's first sector lie before the array. Ours begin a sector, those of others
// need not.
__device__ int sector_shift(const std::int32_t* cols) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(cols) / sizeof(std::int32_t) % 8);
}

// What a thread has counted; no thread sees 2^32 entries.
struct own_counts {
  unsigned zeros = 0, nans = 0, infinities = 0, diagonal = 0, next_column = 0, row_below = 0, x_lines = 0,
           mirrored = 0, mirrored_equal = 0, mirrored_negated = 0;
};

__device__ void add_to_total(std::int64_t& total, unsigned own) {
  const unsigned sum = __reduce_add_sync(~0u, own);
  if (threadIdx.x % 32 == 0 && sum > 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(&total), static_cast<unsigned long long>(sum));
}

// The row of every piece's first entry, and of the last entry of all.
template <class Offset>
__global__ void find_first_rows(std::int64_t rows, const Offset* row_offsets, std::int64_t first,
                                std::int64_t last, std::int64_t pieces, std::int32_t* first_rows) {
  const std::int64_t piece = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (piece > pieces) return;
  const std::int64_t entry = min(first + piece * survey_tuning::piece_entries, last - 1);
  first_rows[piece] = static_cast<std::int32_t>(row_of_entry(row_offsets, 0, rows, entry));
}

// Thread blocks take the next piece when they are done with one, so that those that run at the same time look
// for mirror images in the same places, however many there is room for. Of a piece the rows are found out
// first: every row that begins in it leaves its number there, and the largest number up to an entry is its
// row.
template <class Offset, class Value>
__global__ void __launch_bounds__(survey_tuning::threads, survey_tuning::resident_blocks + 1)
    walk_pieces(entry_walk<Offset, Value> walk, unsigned pieces, const std::int32_t* first_rows,
                unsigned* taken, entry_counts* totals) {
  __shared__ __align__(16) std::int32_t rows[survey_tuning::piece_entries];
  __shared__ std::int32_t cols[survey_tuning::piece_entries + 2],
      row_before_warp[survey_tuning::threads / 32];
  __shared__ std::int32_t cells[survey_tuning::grid_words];
  __shared__ unsigned own_piece;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int32_t* const indices = walk.col_indices;
  const Offset* const offsets = walk.row_offsets;
  const int shift = sector_shift(indices);
  const Offset entries = offsets[walk.rows];
  const std::int32_t cell_rows = survey_tuning::grid_words / walk.grid_cols;  // of the grid, that fit
  for (std::int32_t i = thread; i < survey_tuning::grid_words; i += survey_tuning::threads) cells[i] = 0;

  own_counts own;
  const bool banded = walk.banded();
  const float per_entry = 1.0f / static_cast<float>(entries);
  // By how much the last guess in a long row of a band was: the next one mostly is as well.
  Offset too_low = 0;
  const auto count_mirror = [&](Offset mirror, Value value) {
    if (mirror < 0) return;
    own.mirrored += 2;
    const Value other = walk.values[mirror];
    own.mirrored_equal += other == value ? 2 : 0;
    own.mirrored_negated += other == -value ? 2 : 0;
  };
  unsigned next = thread == 0 ? atomicAdd(taken, 1u) : 0;
  for (;;) {
    if (thread == 0) own_piece = next;
    __syncthreads();
    const std::int64_t piece = own_piece;
    if (piece >= pieces) break;
    if (thread == 0) next = atomicAdd(taken, 1u);  // comes while this one is walked
    const auto first = static_cast<Offset>(walk.first + piece * survey_tuning::piece_entries);
    const auto last = static_cast<Offset>(min(std::int64_t{first} + survey_tuning::piece_entries, walk.last));
    const auto count = static_cast<int>(last - first);
    // The next piece's first row is the last that may begin in this one.
    const std::int32_t row_low = first_rows[piece], last_row = first_rows[piece + 1];
    for (int i = thread; i < count + 2; i += survey_tuning::threads) {
      const Offset e = first + i - 1;
      cols[i] = e >= 0 && e < entries ? indices[e] : -1;
    }
    for (int i = thread; i < survey_tuning::piece_entries; i += survey_tuning::threads) rows[i] = 0;
    __syncthreads();
    // Of several rows that begin at one entry all but the last are empty. Without a sign, or the step past
    // the last of 2^31 - 1 rows would come back as a negative one.
    for (std::uint32_t r = static_cast<std::uint32_t>(row_low) + 1 + threadIdx.x;
         r <= static_cast<std::uint32_t>(last_row); r += survey_tuning::threads)
      if (offsets[r] < last) atomicMax(rows + (offsets[r] - first), static_cast<std::int32_t>(r) - row_low);
    __syncthreads();
    {
      // A thread takes neighbouring entries, four at a time, so that threads do not wait for the same bank.
      int4* const own_rows = reinterpret_cast<int4*>(rows) + thread * (survey_tuning::entries_each / 4);
      int4 found[survey_tuning::entries_each / 4];
      std::int32_t largest = 0;
#pragma unroll
      for (int i = 0; i < survey_tuning::entries_each / 4; ++i) {
        int4& four = found[i] = own_rows[i];
        four.x = max(four.x, largest);
        four.y = max(four.y, four.x);
        four.z = max(four.z, four.y);
        largest = four.w = max(four.w, four.z);
      }
      for (int step = 1; step < 32; step *= 2) {
        const std::int32_t left = __shfl_up_sync(~0u, largest, step);
        if (thread % 32 >= step) largest = max(largest, left);
      }
      if (thread % 32 == 31) row_before_warp[thread / 32] = largest;
      std::int32_t before = __shfl_up_sync(~0u, largest, 1);
      if (thread % 32 == 0) before = 0;
      __syncthreads();
      for (int w = 0; w < thread / 32; ++w) before = max(before, row_before_warp[w]);
#pragma unroll
      for (int i = 0; i < survey_tuning::entries_each / 4; ++i)
        own_rows[i] = {max(before, found[i].x), max(before, found[i].y), max(before, found[i].z),
                       max(before, found[i].w)};
    }
    const std::int32_t first_cell_row = walk.cell_of_row(row_low);
    const bool one_cell_row = walk.cell_of_row(last_row) == first_cell_row;
    // Whether rows have no gaps, as far as this piece was seen. Short ones are not asked.
    bool runs = banded && last_row - row_low < count / survey_tuning::short_row;
    __syncthreads();

    for (int start = 0; start < count; start += survey_tuning::threads) {
      const int i = start + thread;
      const bool there = i < count;
      const Offset e = first + i;
      const std::int32_t row = row_low + (there ? rows[i] : 0), col = there ? cols[i + 1] : 0;
      // Everything whose place is known is loaded now, so that a thread waits for memory once for all of it.
      const bool right_of_diagonal = there && walk.rows == walk.cols && col > row;
      const Offset row_begin = offsets[row], row_end = offsets[row + 1];
      const Offset below_end = row + 1 < walk.rows ? offsets[row + 2] : row_end;
      const Offset low = right_of_diagonal ? offsets[col] : 0;
      const Offset high = right_of_diagonal ? offsets[col + 1] : 0;
      const Value value = there ? walk.values[e] : Value{0};
      {
        // Entries of one cell come in runs: the first of a run counts for all of it.
        const std::int32_t near = one_cell_row ? 0 : walk.cell_of_row(row) - first_cell_row;
        const std::int32_t cell = there ? near * walk.grid_cols + walk.cell_of_col(col) : -1;
        __syncwarp();  // they come out of searches of different length
        const std::int32_t left = __shfl_up_sync(~0u, cell, 1);
        const bool leads = thread % 32 == 0 || left != cell;
        const unsigned later = __ballot_sync(~0u, leads) >> thread % 32 >> 1;
        const int run = later == 0 ? 32 - thread % 32 : __ffs(static_cast<int>(later));
        if (there && leads) {
          if (near < cell_rows)
            atomicAdd(cells + cell, run);
          else
            atomicAdd(walk.grid + first_cell_row * std::int64_t{walk.grid_cols} + cell, run);
        }
      }
      if (!there) continue;
      own.zeros += value == Value{0} ? 1 : 0;
      if (!isfinite(value)) ++(isnan(value) ? own.nans : own.infinities);
      own.diagonal += row == col ? 1 : 0;
      own.next_column += e + 1 < row_end && cols[i + 2] == col + 1 ? 1 : 0;
      own.x_lines += e == row_begin || cols[i] / x_line != col / x_line ? 1 : 0;

      atomicAdd(walk.col_lengths + col, 1);

      if (runs) {
        const row_run<Offset> below(indices, row_end, below_end), other(indices, low, high);
        runs = below.whole() && other.whole();
        if (runs) {
          own.row_below += below.find(col) >= 0 ? 1 : 0;
          count_mirror(right_of_diagonal ? other.find(row) : -1, value);
          continue;
        }
      }
      // Rows below each other are mostly alike.
      if (find_near<Offset>(indices, shift, row_end, below_end, row_end + (e - row_begin), col, banded) >= 0)
        ++own.row_below;
      if (!right_of_diagonal) continue;  // the others are counted with these
      // In a band an entry has as many neighbours to its right as its mirror image has to its left. Else as
      // much of a row is taken to lie left of a column as of all rows lies above that row: so it is where the
      // pattern is symmetric, however skewed.
      const Offset guess =
          low + (banded ? row_end - 1 - e + (high - low > survey_tuning::short_row ? too_low : 0)
                        : static_cast<Offset>(static_cast<float>(high - low) *
                                              (static_cast<float>(row_begin) * per_entry)));
      const Offset mirror = find_near<Offset>(indices, shift, low, high, guess, row, banded);
      if (mirror >= 0 && high - low > survey_tuning::short_row) too_low += mirror - guess;
      count_mirror(mirror, value);
    }
    __syncthreads();
    const std::int32_t used =
        min(cell_rows, walk.cell_of_row(last_row) - first_cell_row + 1) * walk.grid_cols;
    for (std::int32_t i = thread; i < used; i += survey_tuning::threads)
      if (cells[i] != 0) {
        atomicAdd(walk.grid + first_cell_row * std::int64_t{walk.grid_cols} + i, cells[i]);
        cells[i] = 0;
      }
    __syncthreads();
  }
  __syncwarp();
  add_to_total(totals->zeros, own.zeros);
  add_to_total(totals->nans, own.nans);
  add_to_total(totals->infinities, own.infinities);
  add_to_total(totals->diagonal, own.diagonal);
  add_to_total(totals->next_column, own.next_column);
  add_to_total(totals->row_below, own.row_below);
  add_to_total(totals->x_lines, own.x_lines);
  add_to_total(totals->mirrored, own.mirrored);
  add_to_total(totals->mirrored_equal, own.mirrored_equal);
  add_to_total(totals->mirrored_negated, own.mirrored_negated);
}

}  // namespace

template <class Offset, class Value>
running_walk<device> walk_entries(cuda on, const entry_walk<Offset, Value>& walk) {
  const std::int64_t pieces = groups_of(walk.last - walk.first, survey_tuning::piece_entries);
  running_walk<device> run{array<entry_counts, device>(1), array<std::int32_t, device>(pieces + 1),
                           array<unsigned, device>(1)};
  check_cuda(cudaMemsetAsync(run.counts.data(), 0, sizeof(entry_counts), on.stream));
  check_cuda(cudaMemsetAsync(run.taken.data(), 0, sizeof(unsigned), on.stream));
  find_first_rows<<<static_cast<unsigned>(groups_of(pieces + 1, survey_tuning::threads)),
                    survey_tuning::threads, 0, on.stream>>>(walk.rows, walk.row_offsets, walk.first,
                                                            walk.last, pieces, run.first_rows.data());
  check_cuda(cudaGetLastError());
  const auto take_part = [walk, pieces, first_rows = run.first_rows.data(), taken = run.taken.data(),
                          counts = run.counts.data()](int resident, cudaStream_t stream) {
    const std::int64_t blocks = std::min(pieces, std::int64_t{multiprocessors()} * resident);
    walk_pieces<<<static_cast<unsigned>(blocks), survey_tuning::threads, 0, stream>>>(
        walk, static_cast<unsigned>(pieces), first_rows, taken, counts);
    check_cuda(cudaGetLastError());
  };
  run.beside = std::make_unique<work_beside>();
  take_part(survey_tuning::resident_blocks, run.beside->stream());
  run.helper = [take_part](cuda where) { take_part(1, where.stream); };
  return run;
}

}  // namespace sparsmith
