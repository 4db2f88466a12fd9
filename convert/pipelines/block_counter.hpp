// How a thread block counts the blocks of block rows on CUDA, for block_histograms.cu alone. A table in
// shared memory has a slot for every column of blocks that holds anything; what a slot is made of, and which
// sizes it tells about, is the tally's business. Items go into the table first. A second look at them finds
// the blocks, one item for each, so that nobody looks at slots that nobody used.
#pragma once

#include "convert/pipelines/block_tallies.hpp"

namespace sparsmith {
namespace {

// Short block rows share a table: every item may be a block of its own. Behind it is where each of their
// lines starts.
template <class Tally>
constexpr std::uint32_t short_words = Tally::short_slots*(Tally::words + 1);
template <class Tally>
constexpr int items_each = Tally::short_slots* count_tuning::full_parts / count_tuning::of_parts /
                           count_tuning::threads;  // of a thread
static_assert(count_tuning::most_lines < 2 * count_tuning::threads,
              "a thread scans the lengths of two lines");

// What the threads of a thread block share.
struct shared_state {
  unsigned near[count_tuning::near_bins];
  std::int32_t listed[count_tuning::most_block_rows];  // blocks written out so far
  unsigned items[3], longest[3];                       // of what was measured last; the next in turn is 0
  unsigned warp_items[count_tuning::threads / 32];
  unsigned block_row;
  std::uint32_t low, high;
  bool full;  // the table
  // Of each line, from its begin on.
  std::int64_t cut_begin[count_tuning::most_cut], cut_length[count_tuning::most_cut];
};

template <class Offset, class Tally>
class block_counter {
 public:
  __device__ block_counter(const items<Offset>& source, const size_shape& shape, const listing& listed,
                           const size_bins& bins, std::uint32_t* scratch, std::uint32_t scratch_words,
                           shared_state& shared)
      : source_(source),
        shape_(shape),
        listed_(listed),
        bins_(bins),
        scratch_(scratch),
        hashed_slots_(scratch_words / (Tally::words + 1) & ~1u),
        direct_slots_(scratch_words / Tally::words & ~1u),
        shared_(shared) {
    for (std::uint32_t i = thread(); i < scratch_words; i += blockDim.x) scratch[i] = 0;
    for (std::uint32_t i = thread(); i < count_tuning::near_bins; i += blockDim.x) shared.near[i] = 0;
    if (thread() < count_tuning::most_block_rows) shared.listed[thread()] = 0;
    if (thread() < 3) shared.items[thread()] = shared.longest[thread()] = 0;
    if (thread() == 0) shared.full = false;
    __syncthreads();
  }

  // Counts the block rows that fit into a table, as many at once as do, and puts the others on a list.
  // `starts` has room for the starts of most_lines lines and one more.
  __device__ void count_chunk(std::uint32_t first, std::uint32_t* starts, long_block_row* long_rows,
                              long_block_rows* found) {
    const std::uint32_t count = min(shape_.block_rows_each, shape_.block_rows - first);
    const std::uint32_t lines_each = shape_.lines_each.number, first_line = first * lines_each;
    const auto lines = static_cast<std::uint32_t>(
        min(std::uint64_t{count} * lines_each, std::uint64_t{shape_.lines - first_line}));
    if (lines > count_tuning::most_lines) {  // of a single block row
      measure(first);
      if (thread() == 0) put_on_list(first, long_rows, found);
      return;
    }
    find_starts(first_line, lines, starts);
    for (std::uint32_t b = 0; b < count;) {
      const std::uint32_t own_lines = b * lines_each;
      const auto items_up_to = [&](std::uint32_t end) {
        return starts[min(end * lines_each, lines)] - starts[own_lines];
      };
      const std::uint32_t end = b + thread() % 32 + 1;  // the last lane's is behind the last
      const bool fit = end <= count && items_up_to(end) <= items_each<Tally> * count_tuning::threads;
      __syncwarp();
      const std::uint32_t fitting = __ffs(static_cast<int>(~__ballot_sync(~0u, fit))) - 1;
      if (fitting > 0) {
        first_block_row_ = first + b;
        block_rows_ = fitting;
        first_line_ = first_line + own_lines;
        items_ = items_up_to(b + fitting);
        if (items_ > 0)
          count_few(starts + own_lines, min((b + fitting) * lines_each, lines) - own_lines);
        else if (listed_.cols != nullptr && thread() < block_rows_)
          listed_.lengths[first_block_row_ + thread()] = 0;
        b += fitting;
      } else {
        items_ = items_up_to(b + 1);
        if (thread() == 0) put_on_list(first + b, long_rows, found);
        ++b;
      }
    }
    __syncthreads();  // before other starts are written
  }

  // Counts one block row, however long: with a slot for every block column, in windows, or with keys, in so
  // many passes that no table is too full. Should there be a pass whose items do not fit, windows are left
  // for it and what follows.
  __device__ void count_long(const long_block_row& wanted) {
    measure(static_cast<std::uint32_t>(wanted.block_row));
    several_write_ = wanted.window >= 0;
    std::uint32_t low = 0, high = shape_.block_cols - 1;
    if (wanted.window >= 0) {
      low = static_cast<std::uint32_t>(wanted.window) * direct_slots_;
      high = min(high, low + direct_slots_ - 1);
    } else if (high / direct_slots_ >= (source_.rises() ? 1 : 4)) {
      find_range(low, high);
    }
    const std::uint32_t passes =
        items_ / (hashed_slots_ / count_tuning::of_parts * count_tuning::full_parts) + 1;
    if (passes <= (high - low) / direct_slots_) {
      passes_ = passes;
      for (pass_ = 0; pass_ < passes && count_pass(); ++pass_) {
      }
    }
    if (pass_ < passes_) {
      hashed_ = false;
      part_ = wanted.window >= 0 || high - low >= direct_slots_;
      for (first_slot_ = low;; first_slot_ += slots_) {
        slots_ = min(direct_slots_, high - first_slot_ + 1);
        if (part_) cut_lines(first_slot_ != low);
        add_items();
        __syncthreads();
        look_at_items();
        __syncthreads();
        if constexpr (!Tally::takes) clear(scratch_, slots_ * Tally::words);
        if (high - first_slot_ < slots_) break;
        __syncthreads();
      }
    }
    passes_ = 1;
    pass_ = 0;
    if (!several_write_) finish_listing();
    __syncthreads();
  }

  __device__ void flush() {
    __syncthreads();
    for (int size = 0; size < Tally::sizes; ++size)
      for (std::uint32_t i = Tally::near(size) + thread(); i < Tally::near(size + 1); i += blockDim.x)
        if (bins_.of[size] != nullptr && shared_.near[i] > 0)
          atomicAdd(bins_.of[size] + (i - Tally::near(size)),
                    static_cast<unsigned long long>(shared_.near[i]));
  }

 private:
  __device__ static std::uint32_t thread() { return threadIdx.x; }

  // Where each of the lines starts when their items are put one behind the other, and where the last ends.
  __device__ void find_starts(std::uint32_t first_line, std::uint32_t lines, std::uint32_t* starts) const {
    const auto length = [&](std::uint32_t line) {
      return line < lines ? short_length(first_line + line) : 0;
    };
    const unsigned even = length(2 * thread()), odd = length(2 * thread() + 1);
    unsigned sum = even + odd;
    __syncwarp();
    for (std::uint32_t step = 1; step < 32; step *= 2) {
      const unsigned left = __shfl_up_sync(~0u, sum, step);
      if (thread() % 32 >= step) sum += left;
    }
    if (thread() % 32 == 31) shared_.warp_items[thread() / 32] = sum;
    __syncthreads();
    sum -= even + odd;
    for (std::uint32_t w = 0; w < thread() / 32; ++w) sum += shared_.warp_items[w];
    starts[2 * thread()] = sum;
    starts[2 * thread() + 1] = sum + even;
    __syncthreads();
  }
  __device__ unsigned short_length(std::uint32_t line) const {
    return static_cast<unsigned>(
        min(source_.length(line), typename items<Offset>::length_type{count_tuning::near_length}));
  }

  // Counts the items at hand, of so many lines, which are few. They are dealt out one behind the other,
  // whatever their lines; a thread has all of its own in registers.
  __device__ void count_few(const std::uint32_t* starts, std::uint32_t lines) {
    constexpr int each = items_each<Tally>;
    constexpr int line_bit = 16;  // of a place: below it is the slot
    const Offset first_item = source_.begin(first_line_);
    std::uint32_t line[each] = {}, cols[each], amounts[each], places[each];
    for (std::uint32_t size = lines; size > 1; size -= size / 2)
#pragma unroll
      for (int k = 0; k < each; ++k)
        if (starts[line[k] + size / 2] - starts[0] <= k * count_tuning::threads + thread())
          line[k] += size / 2;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const std::uint32_t i = k * count_tuning::threads + thread();
      cols[k] = amounts[k] = 1;
      if (i >= items_) continue;
      const Offset item =
          source_.lengths == nullptr
              ? first_item + static_cast<Offset>(i)
              : source_.begin(first_line_ + line[k]) + static_cast<Offset>(i - (starts[line[k]] - starts[0]));
      cols[k] = static_cast<std::uint32_t>(source_.cols[item]);
      if (source_.amounts != nullptr) amounts[k] = static_cast<std::uint32_t>(source_.amounts[item]);
    }
    hashed_ = true;
    slots_ = min(hashed_slots_, items_ + items_ / 2 + 2 & ~1u);
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (k * count_tuning::threads + thread() >= items_) continue;
      const std::uint32_t slot = slot_of<true>(first_line_ + line[k], cols[k]);  // there is room
      Tally::add(scratch_, slots_, slot, row_of(first_line_ + line[k]), cols[k], amounts[k]);
      places[k] = line[k] << line_bit | slot;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (k * count_tuning::threads + thread() < items_)
        look_at(places[k] & ((1u << line_bit) - 1), first_line_ + (places[k] >> line_bit), cols[k]);
    __syncthreads();
    if constexpr (Tally::takes)
      clear(keys(), slots_);
    else
      clear(scratch_, slots_ * (Tally::words + 1));
    finish_listing();
    __syncthreads();
  }

  // Looks at the lengths of the lines of a block row.
  __device__ void measure(std::uint32_t block_row) {
    first_block_row_ = block_row;
    block_rows_ = 1;
    first_line_ = block_row * shape_.lines_each.number;
    last_line_ = static_cast<std::uint32_t>(
        min((std::uint64_t{block_row} + 1) * shape_.lines_each.number, std::uint64_t{shape_.lines}));
    const int now = turn_;
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
    unsigned sum = 0, longest = 0;
    for (std::uint32_t line = first_line_ + thread(); line < last_line_; line += blockDim.x) {
      const unsigned length = short_length(line);
      sum = min(sum + length, count_tuning::near_length);
      longest = max(longest, length);
    }
    if (thread() == 0) shared_.items[turn_] = shared_.longest[turn_] = 0;
    __syncwarp();
    sum = __reduce_add_sync(~0u, sum);
    longest = __reduce_max_sync(~0u, longest);
    if (thread() % 32 == 0 && sum > 0) {
      atomicAdd(shared_.items + now, sum);
      atomicMax(shared_.longest + now, longest);
    }
    __syncthreads();
    items_ = shared_.items[now];
    longest_ = shared_.longest[now];
    lane_bits_ = lane_bits_for(longest_);
  }

  // How many threads share a line, as a power of 2: a line for few takes long, many for a short line are
  // idle.
  __device__ int lane_bits_for(unsigned longest) const {
    const float lanes = sqrtf(static_cast<float>(longest) * static_cast<float>(blockDim.x) /
                              static_cast<float>(last_line_ - first_line_));
    return min(max(31 - __clz(static_cast<int>(lanes) | 1), 2), 31 - __clz(static_cast<int>(blockDim.x)));
  }

  // f(line, item) for every item of the lines, by lanes that share a line.
  template <class Use>
  __device__ void for_each_item(Use use) const {
    const std::uint32_t lanes = 1u << lane_bits_, rank = thread() & (lanes - 1);
    for (std::uint32_t line = first_line_ + (thread() >> lane_bits_); line < last_line_;
         line += blockDim.x >> lane_bits_) {
      using length_type = typename items<Offset>::length_type;
      Offset begin = source_.begin(line);
      length_type length = source_.length(line);
      if (part_ && can_cut()) {
        begin += static_cast<Offset>(shared_.cut_begin[line - first_line_]);
        length = static_cast<length_type>(shared_.cut_length[line - first_line_]);
      }
      const std::int32_t* const cols = source_.cols + begin;
      // Several are loaded before the first is used, so that a thread waits for memory once.
      constexpr int ahead = count_tuning::items_ahead;
      for (length_type i = rank; i < length; i += ahead * lanes) {
        std::int32_t loaded[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) loaded[k] = length - i > k * lanes ? cols[i + k * lanes] : 0;
#pragma unroll
        for (int k = 0; k < ahead; ++k)
          if (length - i > k * lanes)
            use(line, begin + static_cast<Offset>(i + k * lanes), static_cast<std::uint32_t>(loaded[k]));
      }
    }
  }
  // The part of every line that is in the window.
  __device__ bool can_cut() const {
    return source_.rises() && last_line_ - first_line_ <= count_tuning::most_cut;
  }
  // A warp for every line. A window behind another begins where that one ends.
  __device__ void cut_lines(bool behind_another) {
    if (can_cut()) {
      const std::int64_t width = shape_.cols_each.number;
      for (std::uint32_t i = thread() / 32; i < last_line_ - first_line_; i += blockDim.x / 32) {
        const Offset begin = source_.begin(first_line_ + i), end = source_.begin(first_line_ + i + 1);
        const Offset first = behind_another
                                 ? begin + static_cast<Offset>(shared_.cut_begin[i] + shared_.cut_length[i])
                             : first_slot_ == 0 ? begin
                                                : first_from(begin, end, first_slot_ * width);
        const Offset last = shape_.block_cols - first_slot_ <= slots_
                                ? end
                                : first_from(first, end, (std::int64_t{first_slot_} + slots_) * width);
        __syncwarp();
        if (thread() % 32 == 0) {
          shared_.cut_begin[i] = first - begin;
          shared_.cut_length[i] = last - first;
        }
      }
    }
    __syncthreads();
    if (can_cut()) {
      // Where all are about as long as the longest, that decides how many threads share one; elsewhere what
      // they are without the window.
      const std::uint32_t lane = thread() % 32, lines = last_line_ - first_line_;
      const auto length = static_cast<unsigned>(
          lane < lines ? min(shared_.cut_length[lane], std::int64_t{count_tuning::near_length}) : 0);
      const unsigned longest = __reduce_max_sync(~0u, length);
      const bool alike = __reduce_add_sync(~0u, length) * 2 >= longest * lines;
      lane_bits_ = lane_bits_for(alike ? longest : longest_);
    }
  }
  // The first of [low, high) whose column is not less, by all threads of a warp: they look at 32 places at
  // once, since what a search takes is how often it waits for memory.
  __device__ Offset first_from(Offset low, Offset high, std::int64_t col) const {
    while (low < high) {
      const std::int64_t step = (high - low) / 32 + 1;
      const std::int64_t place = low + (thread() % 32 + 1) * step - 1;
      const bool less = place < high && source_.cols[place] < col;
      const int before = __popc(__ballot_sync(~0u, less));  // less than 32: the last place is behind the end
      high = static_cast<Offset>(min(std::int64_t{high}, low + (before + 1) * step - 1));
      low += static_cast<Offset>(before * step);
    }
    return low;
  }

  __device__ std::uint32_t block_col(std::uint32_t col) const {
    return Tally::block_col(shape_.cols_each, col);
  }
  // Of the block rows at hand.
  __device__ std::uint32_t block_row_of(std::uint32_t line) const {
    if constexpr (Tally::rows_matter) return (line - first_line_) / Tally::side;
    return block_rows_ == 1 ? 0 : shape_.lines_each.divide(line - first_line_);
  }
  __device__ std::uint32_t row_of(std::uint32_t line) const {
    if constexpr (Tally::rows_matter) return (line - first_line_) % Tally::side;
    return 0;
  }

  // Keys are stored plus 1: a slot of 0 is free.
  __device__ std::uint32_t* keys() const {
    return scratch_ + slots_ * Tally::words;
  }
  __device__ std::uint32_t next_slot(std::uint32_t slot) const {
    return slot + 1 == slots_ ? 0 : slot + 1;
  }
  __device__ std::uint32_t insert(std::uint32_t key) const {
    std::uint32_t slot = __umulhi(key * 0x9e3779b1u, slots_);
    for (std::uint32_t tried = 0; tried < slots_; ++tried, slot = next_slot(slot)) {
      std::uint32_t found = read_now(keys() + slot);
      if (found == 0) found = atomicCAS(keys() + slot, 0u, key);
      if (found == 0 || found == key) return slot;
    }
    shared_.full = true;
    return no_slot;
  }
  __device__ std::uint32_t find(std::uint32_t key) const {
    std::uint32_t slot = __umulhi(key * 0x9e3779b1u, slots_);
    while (keys()[slot] != key) slot = next_slot(slot);
    return slot;
  }
  // The slot of an item, or none where another pass or window has it.
  template <bool Adding>
  __device__ std::uint32_t slot_of(std::uint32_t line, std::uint32_t col) const {
    const std::uint32_t key = block_row_of(line) * shape_.block_cols + block_col(col) + 1;
    if (passes_ > 1) {
      const std::uint32_t pass = __umulhi(key * 0x85ebca6bu, passes_);
      if (hashed_ ? pass != pass_ : pass < pass_) return no_slot;
    }
    if (!hashed_) return block_col(col) - first_slot_;
    return Adding ? insert(key) : find(key);
  }

  __device__ void add_items() const {
    for_each_item([&](std::uint32_t line, Offset item, std::uint32_t col) {
      const std::uint32_t slot = slot_of<true>(line, col);
      if (slot >= slots_) return;
      const std::uint32_t amount =
          source_.amounts == nullptr ? 1 : static_cast<std::uint32_t>(source_.amounts[item]);
      Tally::add(scratch_, slots_, slot, row_of(line), col, amount);
    });
  }
  __device__ void look_at_items() const {
    for_each_item([&](std::uint32_t line, Offset, std::uint32_t col) {
      const std::uint32_t slot = slot_of<false>(line, col);
      if (slot >= slots_) return;
      look_at(slot, line, col);
    });
  }
  __device__ void look_at(std::uint32_t slot, std::uint32_t line, std::uint32_t col) const {
    Tally::look(scratch_, slots_, slot, row_of(line), col, [&](int size, unsigned entries) {
      const std::uint32_t bin = Tally::near(size) + entries;
      if (bin < Tally::near(size + 1))
        atomicAdd(shared_.near + bin, 1u);
      else
        atomicAdd(bins_.of[size] + entries, 1ull);
      if (size == Tally::sizes - 1 && listed_.cols != nullptr)
        write_out(block_row_of(line), block_col(col), entries);
    });
  }
  __device__ void write_out(std::uint32_t block_row, std::uint32_t col, unsigned entries) const {
    const unsigned active = __activemask();
    const unsigned same = block_rows_ == 1 ? active : __match_any_sync(active, block_row);
    const int lane = static_cast<int>(thread() % 32), leader = __ffs(static_cast<int>(same)) - 1;
    std::int32_t place = 0;
    // One that writes alone counts in shared memory: all wait for the number.
    if (lane == leader) {
      if (several_write_)
        place = atomicAdd(listed_.lengths + first_block_row_, __popc(same));
      else
        place = atomicAdd(shared_.listed + block_row, __popc(same));
    }
    place = __shfl_sync(same, place, leader) + __popc(same & ((1u << lane) - 1));
    const std::uint64_t row = std::uint64_t{first_block_row_ + block_row} * shape_.rows_each;
    const Offset at = source_.row_offsets[row] + place;
    listed_.cols[at] = static_cast<std::int32_t>(col);
    listed_.amounts[at] = static_cast<std::int32_t>(entries);
  }

  // Counts the items at hand with keys, as far as they belong to the pass; whether there was room for all.
  __device__ bool count_pass() {
    hashed_ = true;
    part_ = false;
    slots_ = hashed_slots_;
    add_items();
    __syncthreads();
    const bool full = shared_.full;
    if (!full) look_at_items();
    __syncthreads();
    if (Tally::takes && !full)
      clear(keys(), slots_);
    else
      clear(scratch_, slots_ * (Tally::words + 1));
    if (thread() == 0) shared_.full = false;
    __syncthreads();
    return !full;
  }
  __device__ void put_on_list(std::uint32_t block_row, long_block_row* long_rows,
                              long_block_rows* found) const {
    if (listed_.cols != nullptr) listed_.lengths[block_row] = 0;
    constexpr std::uint32_t window_slots = count_tuning::long_words / Tally::words & ~1u;
    const std::uint32_t windows = (shape_.block_cols - 1) / window_slots + 1;
    if (items_ <= count_tuning::items_to_cut || windows == 1 || windows > count_tuning::most_windows) {
      long_rows[atomicAdd(&found->count, 1u)] = {static_cast<std::int32_t>(block_row), -1};
      return;
    }
    const unsigned place = atomicAdd(&found->count, windows);
    for (std::uint32_t w = 0; w < windows; ++w)
      long_rows[place + w] = {static_cast<std::int32_t>(block_row), static_cast<std::int32_t>(w)};
  }
  __device__ void finish_listing() const {
    if (listed_.cols != nullptr && thread() < block_rows_) {
      listed_.lengths[first_block_row_ + thread()] = shared_.listed[thread()];
      shared_.listed[thread()] = 0;
    }
  }
  __device__ void clear(std::uint32_t* from, std::uint32_t words) const {
    for (std::uint32_t i = thread(); i < words / 2; i += blockDim.x)
      reinterpret_cast<uint2*>(from)[i] = {0, 0};
    if (words % 2 != 0 && thread() == 0) from[words - 1] = 0;
  }

  // The block columns of the block row at hand: from the ends of lines that rise, else from all items.
  __device__ void find_range(std::uint32_t& low, std::uint32_t& high) {
    if (thread() == 0) {
      shared_.low = 0xffffffff;
      shared_.high = 0;
    }
    __syncthreads();
    low = 0xffffffff;
    high = 0;
    const auto include = [&](std::int32_t col) {
      const std::uint32_t own = block_col(static_cast<std::uint32_t>(col));
      low = min(low, own);
      high = max(high, own);
    };
    if (source_.rises()) {
      for (std::uint32_t line = first_line_ + thread(); line < last_line_; line += blockDim.x) {
        const Offset begin = source_.begin(line), end = source_.begin(line + 1);
        if (begin == end) continue;
        include(source_.cols[begin]);
        include(source_.cols[end - 1]);
      }
    } else {
      part_ = false;
      for_each_item(
          [&](std::uint32_t, Offset, std::uint32_t col) { include(static_cast<std::int32_t>(col)); });
    }
    __syncwarp();
    low = __reduce_min_sync(~0u, low);
    high = __reduce_max_sync(~0u, high);
    if (thread() % 32 == 0) {
      atomicMin(&shared_.low, low);
      atomicMax(&shared_.high, high);
    }
    __syncthreads();
    low = shared_.low;
    high = shared_.high;
  }

  const items<Offset>& source_;
  const size_shape& shape_;
  const listing& listed_;
  const size_bins& bins_;
  std::uint32_t* scratch_;
  std::uint32_t hashed_slots_, direct_slots_;
  shared_state& shared_;
  // The block rows at hand, and the table they are counted with.
  std::uint32_t first_block_row_ = 0, block_rows_ = 0, first_line_ = 0, last_line_ = 0, items_ = 0;
  unsigned longest_ = 0;  // of its lines
  int turn_ = 0, lane_bits_ = 5;
  bool hashed_ = false, part_ = false;  // with keys; for some of the block columns only
  bool several_write_ = false;          // thread blocks, out blocks of one block row
  std::uint32_t first_slot_ = 0, slots_ = 0, pass_ = 0, passes_ = 1;
};

}  // namespace
}  // namespace sparsmith
