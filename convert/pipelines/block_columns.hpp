// The block columns of every block row, listed by threads of a CPU. Each has a set of block columns for the
// block row it is at, which gives them back in order, so that nothing is sorted; and, once the blocks have
// numbers, a table that tells the block of a column without a search.
#pragma once

#include <omp.h>

#include <algorithm>
#include <bit>

#include "convert/backend/chunks.hpp"
#include "convert/backend/own_memory.hpp"
#include "convert/pipelines/blocks.hpp"

namespace sparsmith {

// A set of numbers below a limit. A word has a bit for each of 64 numbers; the level above has a bit for each
// word that is not 0, and so on up to a single word: whatever the limit, only words with numbers are visited.
class number_set {
 public:
  static std::int64_t words_for(std::int64_t limit) {
    std::int64_t words = 0;
    do words += limit = (limit + 63) / 64;
    while (limit > 1);
    return words;
  }
  number_set(std::uint64_t* words, std::int64_t limit) {
    std::fill_n(words, words_for(limit), 0);
    do {
      levels_[++top_] = words;
      words += limit = (limit + 63) / 64;
    } while (limit > 1);
  }
  void add(std::uint32_t number) {
    for (int level = 0; level <= top_; ++level, number /= 64) {
      std::uint64_t& word = levels_[level][number / 64];
      if (std::exchange(word, word | std::uint64_t{1} << number % 64) != 0) return;
    }
  }
  // f(number) for all of them, rising; the set is empty afterwards.
  template <class Function>
  void take_all(Function f) {
    if (top_ == 0)
      take_word(0, f);
    else
      take(top_, 0, f);
  }

 private:
  template <class Function>
  void take_word(std::uint32_t at, Function& f) {
    for (std::uint64_t word = std::exchange(levels_[0][at], 0); word != 0; word &= word - 1)
      f(static_cast<std::int32_t>(at * 64 + static_cast<std::uint32_t>(std::countr_zero(word))));
  }
  template <class Function>
  void take(int level, std::uint32_t at, Function& f) {
    for (std::uint64_t word = std::exchange(levels_[level][at], 0); word != 0; word &= word - 1) {
      const std::uint32_t below = at * 64 + static_cast<std::uint32_t>(std::countr_zero(word));
      if (level == 1)
        take_word(below, f);
      else
        take(level - 1, below, f);
    }
  }

  std::uint64_t* levels_[6] = {};  // more than 32 bits need
  int top_ = -1;
};

struct piece_tuning {
  static constexpr std::int64_t pieces_of_thread = 16;  // so that none has much more to do than the others
  // A piece is several huge pages where there is as much: threads that are the first to touch the same page
  // both clear it.
  static constexpr std::int64_t most_bytes = std::int64_t{8} << 20;
};

// Cuts block rows into pieces for threads to take when their blocks are written, and returns the bounds. A
// piece has about as many blocks and block rows, together, as the others, but no more than most_bytes of
// blocks or one block row.
template <class Offset>
std::vector<std::int64_t> block_row_pieces(const Offset* first_blocks, std::int64_t block_rows,
                                           std::int64_t block_bytes, int threads) {
  const auto work_before = [&](std::int64_t block_row) { return first_blocks[block_row] + block_row; };
  const std::int64_t work = work_before(block_rows),
                     most = std::max<std::int64_t>(piece_tuning::most_bytes / block_bytes, 1),
                     piece = std::clamp<std::int64_t>(
                         work / (std::int64_t{threads} * piece_tuning::pieces_of_thread), 1, most);
  return balanced_chunks(block_rows, static_cast<int>(groups_of(work, piece)), work_before);
}

// Lists the block columns of every block row from the place of its first entry on: it has no more blocks than
// entries. Leaves the first block of every block row in `first_blocks`.
template <class Offset>
array<std::int32_t, host> list_block_columns(openmp on, const block_lines<openmp, Offset>& lines,
                                             array<Offset, host>& first_blocks) {
  array<std::int32_t, host> listed(lines.entries);
  first_blocks = array<Offset, host>(lines.count + 1);
  const int threads = threads_with_block_columns(lines.block_cols, lines.entries);
  const std::int64_t words_each = number_set::words_for(lines.block_cols);
  array<std::uint64_t, host> words(words_each * threads);
  const std::int64_t at_once = block_rows_at_once(lines.count, threads);
  const block_row_ranges<Offset> ranges{lines.rows, lines.shape, lines.row_offsets, 0, lines.entries};
  Offset* const counts = first_blocks.data() + 1;
  first_blocks[0] = 0;
#pragma omp parallel num_threads(threads)
  {
    number_set found(words.data() + words_each * omp_get_thread_num(), lines.block_cols);
    const block_divisor shape = lines.shape;
    const std::int32_t* const cols = lines.cols;
#pragma omp for schedule(dynamic, at_once)
    for (std::int64_t block_row = 0; block_row < lines.count; ++block_row) {
      const row_range range = ranges(block_row);
      std::int32_t last_found = -1;  // entries of one block mostly come in runs
      for (std::int64_t e = range.first; e < range.last; ++e) {
        const std::int32_t block_col = shape.col_of(cols[e]);
        if (block_col != last_found) found.add(static_cast<std::uint32_t>(block_col));
        last_found = block_col;
      }
      std::int32_t* out = listed.data() + range.first;
      found.take_all([&](std::int32_t block_col) { *out++ = block_col; });
      counts[block_row] = static_cast<Offset>(out - (listed.data() + range.first));
    }
  }
  inclusive_scan(
      on, lines.count, [=](std::int64_t b) { return counts[b]; }, counts, sum_of<Offset>{});
  return listed;
}

// The lists one behind the other.
template <class Offset>
array<std::int32_t, host> join_block_columns(openmp on, const block_lines<openmp, Offset>& lines,
                                             const array<Offset, host>& first_blocks,
                                             array<std::int32_t, host>&& listed) {
  array<std::int32_t, host> joined(first_blocks[lines.count]);
  for_each_index(on, lines.count, [&](std::int64_t block_row) {
    const std::int64_t first_block = first_blocks[block_row];
    std::copy_n(listed.data() + lines.row_offsets[block_row * lines.shape.rows],
                first_blocks[block_row + 1] - first_block, joined.data() + first_block);
  });
  listed = {};
  return joined;
}

}  // namespace sparsmith
