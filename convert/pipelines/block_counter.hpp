// How a warp or a thread block counts the blocks of one block row on CUDA, for block_histograms.cu alone:
// with a counter for every block column it may have in shared memory. A second look at the entries takes each
// counter and leaves 0, so that whoever comes first has the block and nobody looks at, or clears, counters
// that nobody used. Block rows of a few dozen entries need no counters: the lanes of a warp compare theirs.
#pragma once

#include "convert/backend/cuda_check.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

constexpr int threads = 256, warps = threads / 32;  // where warps work by themselves
constexpr int all_threads = 512;                    // where all work on one block row
constexpr int scratch_words = 17'600;               // three thread blocks share a multiprocessor
constexpr std::int32_t most_block_rows = 512;       // that a thread block takes at a time
constexpr std::int32_t near_bins = 512;             // of the histogram, counted in shared memory
constexpr std::uint32_t no_block = 0xffffffff;

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

// What is added up, line by line: the entries of rows, or the blocks of a smaller size, of which a line is a
// block row. Those lie where the entries they are made of lie, from the first on.
template <class Offset>
struct items {
  std::uint32_t rows;  // of the matrix
  const Offset* row_offsets;
  const std::int32_t* cols;
  std::uint32_t height = 1;               // rows of a line
  const std::int32_t* lengths = nullptr;  // of the lines; none for entries, whose columns rise in every line
  const std::int32_t* amounts = nullptr;  // entries in every item; none where that is 1

  __device__ Offset begin(std::uint32_t line) const {
    const std::uint32_t row = line * height;  // behind the last one by less than a line
    return row_offsets[row < rows ? row : rows];
  }
  __device__ Offset end(std::uint32_t line) const {
    return lengths == nullptr ? begin(line + 1) : begin(line) + lengths[line];
  }
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
  std::uint32_t lines_each;  // of a block
  divisor cols_each;
  std::uint32_t rows_each;        // matrix rows of a block
  std::uint32_t block_rows_each;  // that a thread block takes at a time
  int lanes;                      // that compare a block row's entries; 0: too many entries for that
  std::uint32_t warp_words;       // of counters that a warp has
};

// Block rows that are left for whole thread blocks.
struct long_block_rows {
  unsigned count = 0, taken = 0;
};

// Counters of 8, 16 or 32 bits, several in a word.
template <int FieldBits>
struct counters {
  std::uint32_t* words;
  static constexpr std::uint32_t per_word = 32 / FieldBits, mask = ~0u >> (32 - FieldBits);

  __device__ void add(std::uint32_t number, std::uint32_t amount) const {
    atomicAdd(words + number / per_word, amount << shift_of(number));
  }
  __device__ std::int32_t take(std::uint32_t number) const {
    const int shift = shift_of(number);
    return atomicAnd(words + number / per_word, ~(mask << shift)) >> shift & mask;
  }

 private:
  __device__ static int shift_of(std::uint32_t number) { return number % per_word * FieldBits; }
};

// The first of [low, high) whose column is not less.
template <class Offset>
__device__ Offset first_from(const std::int32_t* cols, Offset low, Offset high, std::int64_t col) {
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (cols[middle] < col)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// What the threads of a thread block share.
struct shared_state {
  unsigned near[near_bins];
  std::int32_t listed[most_block_rows];  // blocks written out so far
  unsigned short for_warps[most_block_rows];
  int warp_count;
  unsigned block_row;
  std::uint32_t low, high;
};

// `Adding` says that the items are blocks, `Listing` that the blocks found are written out.
template <class Offset, int FieldBits, bool Adding, bool Listing>
class block_counter {
 public:
  __device__ block_counter(const items<Offset>& source, const size_shape& shape, const listing& listed,
                           unsigned long long* bins, std::uint32_t* scratch, shared_state& shared)
      : source_(source), shape_(shape), listed_(listed), bins_(bins), scratch_(scratch), shared_(shared) {}

  // Counts what a warp or less is enough for, and puts the other block rows on a list.
  __device__ void count_chunk(std::uint32_t first_block_row, std::int32_t* long_rows,
                              long_block_rows* found) {
    first_block_row_ = first_block_row;
    const int count = static_cast<int>(min(shape_.block_rows_each, shape_.block_rows - first_block_row));
    for (int i = thread(); i < count; i += threads) shared_.listed[i] = 0;
    if (thread() == 0) shared_.warp_count = 0;
    __syncthreads();
    if (shape_.lanes > 0) compare_short(count);
    __syncthreads();
    const int warp_count = shape_.lanes > 0 ? shared_.warp_count : count;
    for (int i = thread() / 32; i < warp_count; i += warps) {
      const int block_row = shape_.lanes > 0 ? shared_.for_warps[i] : i;
      if (!count_with_warp(block_row) && lane() == 0)
        long_rows[atomicAdd(&found->count, 1u)] = static_cast<std::int32_t>(first_block_row + block_row);
    }
    __syncthreads();
    if constexpr (Listing)  // a block row on the list is written over later
      for (int i = thread(); i < count; i += threads)
        listed_.lengths[first_block_row + i] = shared_.listed[i];
    __syncthreads();
  }

  // Counts one block row with all threads.
  __device__ void count_with_all(std::uint32_t block_row) {
    first_block_row_ = block_row;
    const std::uint32_t line = first_line(0), line_end = end_line(0);
    if (thread() == 0) {
      shared_.listed[0] = 0;
      shared_.low = no_block;
      shared_.high = 0;
    }
    __syncthreads();
    const counters<FieldBits> own{scratch_};
    constexpr std::uint32_t capacity = scratch_words * counters<FieldBits>::per_word;
    std::uint32_t low = 0, high = shape_.block_cols - 1;
    if (high >= capacity) {
      find_range(line, line_end, thread(), all_threads, low, high);
      __syncwarp();
      low = __reduce_min_sync(~0u, low);
      high = __reduce_max_sync(~0u, high);
      if (lane() == 0) {
        atomicMin(&shared_.low, low);
        atomicMax(&shared_.high, high);
      }
      __syncthreads();
      low = shared_.low;
      high = shared_.high;
    }
    const Offset begin = source_.begin(line), end = source_.begin(line_end);
    if (!Adding && high - low < capacity && end - begin <= kept * all_threads) {
      count_kept(begin, end, own, low);
      return;
    }
    // Columns that rise let every line be cut where a window is. That pays for many entries only.
    constexpr std::int64_t many = 64 * all_threads;
    const bool by_line = !Adding && high - low >= capacity && end - begin > many;
    for (std::uint32_t start = low; start <= high; start += capacity) {
      const std::uint32_t width = min(capacity, high - start + 1);
      visit<false>(0, line, line_end, thread(), all_threads, own, start, width, by_line);
      __syncthreads();
      visit<true>(0, line, line_end, thread(), all_threads, own, start, width, by_line);
      __syncthreads();
    }
    finish_listing();
  }

  __device__ void flush() {
    __syncwarp();
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const unsigned sum = __reduce_add_sync(~0u, small_[n]);
      if (lane() == 0 && sum > 0) atomicAdd(shared_.near + n + 1, sum);
    }
    __syncthreads();
    for (int i = thread(); i < near_bins; i += static_cast<int>(blockDim.x))
      if (shared_.near[i] > 0) atomicAdd(bins_ + i, static_cast<unsigned long long>(shared_.near[i]));
  }

 private:
  __device__ static int thread() {
    return static_cast<int>(threadIdx.x);
  }
  __device__ static int lane() {
    return static_cast<int>(threadIdx.x) % 32;
  }
  __device__ std::uint32_t block_col(Offset item) const {
    return shape_.cols_each.divide(static_cast<std::uint32_t>(source_.cols[item]));
  }
  __device__ std::uint32_t first_line(int block_row) const {
    return (first_block_row_ + block_row) * shape_.lines_each;
  }
  __device__ std::uint32_t end_line(int block_row) const {
    return min(first_line(block_row) + shape_.lines_each, shape_.lines);
  }

  __device__ void count_block(std::int32_t entries) {
#pragma unroll
    for (int n = 0; n < 4; ++n) small_[n] += entries == n + 1 ? 1 : 0;
    if (entries <= 4) return;
    if (entries < near_bins)
      atomicAdd(shared_.near + entries, 1u);
    else
      atomicAdd(bins_ + entries, 1ull);
  }
  __device__ void write_out(int block_row, std::int32_t place, std::uint32_t col, std::int32_t entries) {
    const std::uint32_t row = (first_block_row_ + block_row) * shape_.rows_each;
    const Offset at = source_.row_offsets[min(row, source_.rows)] + place;
    listed_.cols[at] = static_cast<std::int32_t>(col);
    listed_.amounts[at] = entries;
  }
  // The lanes of a warp that have a block of the same block row. All of them must come here.
  __device__ void found_blocks(int block_row, bool found, std::uint32_t col, std::int32_t entries) {
    if (found) count_block(entries);
    if constexpr (!Listing) return;
    const unsigned all = __ballot_sync(~0u, found);
    if (all == 0) return;
    std::int32_t place = 0;
    if (lane() == 0) place = atomicAdd(shared_.listed + block_row, __popc(all));
    place = __shfl_sync(~0u, place, 0) + __popc(all & ((1u << lane()) - 1));
    if (found) write_out(block_row, place, col, entries);
  }

  __device__ void finish_listing() {
    __syncthreads();
    if constexpr (Listing)
      if (thread() == 0) listed_.lengths[first_block_row_] = shared_.listed[0];
    __syncthreads();
  }

  // A block row with so few entries that the threads keep them in registers.
  static constexpr int kept = 8;
  __device__ void count_kept(Offset begin, Offset end, const counters<FieldBits>& own, std::uint32_t low) {
    const auto count = static_cast<int>(end - begin), warp_first = thread() - lane();
    std::uint32_t numbers[kept];
    unsigned leads = 0;
#pragma unroll
    for (int i = 0; i < kept; ++i)
      numbers[i] = i * all_threads + thread() < count ? block_col(begin + (i * all_threads + thread())) - low
                                                      : no_block;
#pragma unroll
    for (int i = 0; i < kept; ++i) {
      if (i * all_threads + warp_first >= count) break;
      __syncwarp();
      const std::uint32_t before = __shfl_up_sync(~0u, numbers[i], 1);
      const bool lead = lane() == 0 || before != numbers[i];
      const unsigned later = __ballot_sync(~0u, lead) >> lane() >> 1;
      if (!lead || numbers[i] == no_block) continue;
      leads |= 1u << i;
      own.add(numbers[i], later == 0 ? 32 - lane() : __ffs(static_cast<int>(later)));
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kept; ++i) {
      if (i * all_threads + warp_first >= count) break;
      const std::int32_t entries = (leads >> i & 1) != 0 ? own.take(numbers[i]) : 0;
      found_blocks(0, entries > 0, low + numbers[i], entries);
    }
    finish_listing();
  }

  // Block rows of up to `lanes` entries, several to a warp.
  __device__ void compare_short(int count) {
    const int lanes = shape_.lanes, groups = threads / lanes, rank = thread() % lanes;
    const unsigned own_lanes = (lanes == 32 ? ~0u : (1u << lanes) - 1) << (lane() - rank);
    for (int start = 0; start < count; start += groups) {
      const int block_row = start + thread() / lanes;
      Offset first = 0, last = 0;
      if (block_row < count) {
        first = source_.begin(first_line(block_row));
        last = source_.begin(end_line(block_row));
      }
      if (last - first > lanes) {
        if (rank == 0) shared_.for_warps[atomicAdd(&shared_.warp_count, 1)] = block_row;
        last = first;
      }
      const bool active = first + rank < last;
      const std::uint32_t key = active ? block_col(first + rank) : no_block;
      __syncwarp();
      const unsigned same = __match_any_sync(~0u, key) & own_lanes;
      if (!active || __ffs(static_cast<int>(same)) - 1 != lane()) continue;
      count_block(__popc(same));
      if constexpr (Listing)
        write_out(block_row, atomicAdd(shared_.listed + block_row, 1), key, __popc(same));
    }
  }

  // Whether a warp was enough.
  __device__ bool count_with_warp(int block_row) {
    const std::uint32_t line = first_line(block_row), line_end = end_line(block_row);
    // Many entries are for many threads; so is a range of columns that takes more than a few windows.
    constexpr std::int64_t most_items = 1024;
    constexpr std::uint32_t most_windows = 4;
    std::int64_t count = 0;
    if constexpr (Adding) {
      for (std::uint32_t l = line; l < line_end && count <= most_items; ++l) count += source_.lengths[l];
    } else {
      count = source_.begin(line_end) - source_.begin(line);
    }
    if (count == 0) return true;
    if (count > most_items) return false;
    if (count <= 64) {
      if constexpr (Adding)
        compare_and_add(block_row, line, line_end);
      else
        compare_twice(block_row, source_.begin(line), static_cast<int>(count));
      return true;
    }
    const counters<FieldBits> own{scratch_ + thread() / 32 * shape_.warp_words};
    const std::uint32_t capacity = shape_.warp_words * counters<FieldBits>::per_word;
    std::uint32_t low = 0, high = shape_.block_cols - 1;
    if (high >= capacity) {
      find_range(line, line_end, lane(), 32, low, high);
      __syncwarp();
      low = __reduce_min_sync(~0u, low);
      high = __reduce_max_sync(~0u, high);
    }
    if (high - low >= most_windows * capacity) return false;
    for (std::uint32_t start = low; start <= high; start += capacity) {
      const std::uint32_t width = min(capacity, high - start + 1);
      visit<false>(block_row, line, line_end, lane(), 32, own, start, width, false);
      __syncwarp();
      visit<true>(block_row, line, line_end, lane(), 32, own, start, width, false);
      __syncwarp();
    }
    return true;
  }

  // Up to 64 entries, two to a lane.
  __device__ void compare_twice(int block_row, Offset first, int count) {
    const std::uint32_t key = lane() < count ? block_col(first + lane()) : no_block;
    const std::uint32_t other = lane() + 32 < count ? block_col(first + lane() + 32) : no_block;
    __syncwarp();
    const unsigned same = __match_any_sync(~0u, key), same_other = __match_any_sync(~0u, other);
    std::int32_t entries = __popc(same);
    const bool found = key != no_block && __ffs(static_cast<int>(same)) - 1 == lane();
    const bool leads = other != no_block && __ffs(static_cast<int>(same_other)) - 1 == lane();
    bool alone = leads;  // in a block that no first entry of a lane is in
    for (unsigned left = __ballot_sync(~0u, leads); left != 0; left &= left - 1) {
      const int leader = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t sought = __shfl_sync(~0u, other, leader);
      const int more = __popc(__shfl_sync(~0u, same_other, leader));
      const bool equal = key == sought;
      if (equal) entries += more;
      if (__any_sync(~0u, equal) && lane() == leader) alone = false;
    }
    found_blocks(block_row, found, key, entries);
    if (count > 32) found_blocks(block_row, alone, other, __popc(same_other));
  }

  // Up to 64 blocks, two to a lane: one block of the larger size after the other is added up.
  __device__ void compare_and_add(int block_row, std::uint32_t line, std::uint32_t line_end) {
    std::uint32_t keys[2] = {no_block, no_block};
    std::int32_t amounts[2] = {};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      std::int32_t place = lane() + 32 * i;
      for (std::uint32_t l = line; l < line_end; ++l) {
        const std::int32_t length = source_.lengths[l];
        if (place >= 0 && place < length) {
          keys[i] = block_col(source_.begin(l) + place);
          amounts[i] = source_.amounts[source_.begin(l) + place];
        }
        place -= length;
      }
    }
    __syncwarp();
    std::uint32_t own_col = 0;
    std::int32_t own_entries = 0;
    int found = 0;
    for (;;) {
      const std::uint32_t sought = __reduce_min_sync(~0u, min(keys[0], keys[1]));
      if (sought == no_block) break;
      std::int32_t entries = 0;
#pragma unroll
      for (int i = 0; i < 2; ++i)
        if (keys[i] == sought) {
          entries += amounts[i];
          keys[i] = no_block;
        }
      entries = __reduce_add_sync(~0u, entries);
      if (lane() == found % 32) {
        own_col = sought;
        own_entries = entries;
      }
      if (++found % 32 == 0) {
        found_blocks(block_row, true, own_col, own_entries);
        own_entries = 0;
      }
    }
    if (found % 32 != 0) found_blocks(block_row, own_entries > 0, own_col, own_entries);
  }

  // The block columns of the lines, from their ends where columns rise, else from all items.
  __device__ void find_range(std::uint32_t line, std::uint32_t line_end, int rank, int size,
                             std::uint32_t& low, std::uint32_t& high) {
    low = no_block;
    high = 0;
    if constexpr (!Adding) {
      for (std::uint32_t l = line + rank; l < line_end; l += size) {
        const Offset begin = source_.begin(l), end = source_.end(l);
        if (begin == end) continue;
        low = min(low, block_col(begin));
        high = max(high, block_col(end - 1));
      }
    } else {
      for (std::uint32_t l = line; l < line_end; ++l)
        for (Offset i = source_.begin(l) + rank; i < source_.end(l); i += size) {
          low = min(low, block_col(i));
          high = max(high, block_col(i));
        }
    }
  }

  // Counts the items whose block columns are within [low, low + width), or takes what was counted.
  template <bool Taking>
  __device__ void visit(int block_row, std::uint32_t line, std::uint32_t line_end, int rank, int size,
                        const counters<FieldBits>& own, std::uint32_t low, std::uint32_t width,
                        bool by_line) {
    if (!Adding && !by_line) {  // lines lie one behind the other
      visit_items<Taking>(block_row, source_.begin(line), source_.begin(line_end), rank, size, own, low,
                          width);
      return;
    }
    for (std::uint32_t l = line; l < line_end; ++l) {
      Offset begin = source_.begin(l), end = source_.end(l);
      if (by_line) {
        begin = first_from(source_.cols, begin, end, std::int64_t{low} * shape_.cols_each.number);
        end = first_from(source_.cols, begin, end, (std::int64_t{low} + width) * shape_.cols_each.number);
      }
      visit_items<Taking>(block_row, begin, end, rank, size, own, low, width);
    }
  }

  template <bool Taking>
  __device__ void visit_items(int block_row, Offset begin, Offset end, int rank, int size,
                              const counters<FieldBits>& own, std::uint32_t low, std::uint32_t width) {
    // All lanes of a warp go round equally often. Two items are loaded before the first is used, so that a
    // thread waits for memory once.
    constexpr int ahead = 2;
    for (Offset left = end - begin - (rank - lane()); left > 0; left -= ahead * size) {
      std::uint32_t numbers[ahead];
      std::int32_t amounts[ahead];
#pragma unroll
      for (int i = 0; i < ahead; ++i) {
        const bool there = left > i * size + lane();
        const Offset item = end - left + (i * size + lane());
        numbers[i] = there ? block_col(item) - low : no_block;
        if (Adding && !Taking) amounts[i] = there ? source_.amounts[item] : 0;
      }
#pragma unroll
      for (int i = 0; i < ahead; ++i) {
        if (left <= i * size) break;
        const std::uint32_t number = numbers[i];
        bool counted = number < width;
        if constexpr (!Adding) {
          // Entries of one block come in runs: the first of a run counts for all of it.
          __syncwarp();
          const std::uint32_t before = __shfl_up_sync(~0u, number, 1);
          const bool leads = lane() == 0 || before != number;
          counted = counted && leads;
          if constexpr (!Taking) {
            const unsigned later = __ballot_sync(~0u, leads) >> lane() >> 1;
            if (counted) own.add(number, later == 0 ? 32 - lane() : __ffs(static_cast<int>(later)));
          }
        } else if constexpr (!Taking) {
          if (counted) own.add(number, amounts[i]);
        }
        if constexpr (Taking) {
          const std::int32_t entries = counted ? own.take(number) : 0;
          found_blocks(block_row, entries > 0, low + number, entries);
        }
      }
    }
  }

  const items<Offset>& source_;
  const size_shape& shape_;
  const listing& listed_;
  unsigned long long* bins_;
  std::uint32_t* scratch_;
  shared_state& shared_;
  std::uint32_t first_block_row_ = 0;
  unsigned small_[4] = {};  // blocks of 1 to 4 entries, which nearly all may be
};

__device__ inline void clear(std::uint32_t* scratch, int words, shared_state& shared) {
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x)) scratch[i] = 0;
  for (int i = static_cast<int>(threadIdx.x); i < near_bins; i += static_cast<int>(blockDim.x))
    shared.near[i] = 0;
}

}  // namespace
}  // namespace sparsmith
