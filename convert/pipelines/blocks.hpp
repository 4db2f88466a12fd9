// Which blocks of a matrix hold entries, and where each entry goes. Block rows are contiguous in CSR, so each
// is one team's work: a bitmap over its range of block columns tells the blocks apart, and counting bits
// below a block's own gives its rank. Nothing is ever allocated per possible block, and no entry is sorted
// globally.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "convert/backend/own_memory.hpp"
#include "convert/backend/team.hpp"
#include "convert/pipelines/block_walk.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// Which team of a GPU walks a block row, by its entries. The limits follow from the scratch of the teams or
// were chosen by hand; bench_convert shows what a change does, R-MAT above all.
struct line_teams {
  static constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max() - 1;
  // Where most are short, a warp or part of one takes a light line, which in a warp is up to 512 entries. If
  // such lines span more block columns than the bitmap in a warp's scratch (768 words, half of them bits), it
  // would read them again for every window: then they are light only while the scratch can list them, at 3.5
  // words each.
  static constexpr std::int64_t most_of_warp = 512, most_listed = 219;
  static constexpr std::int32_t warp_columns = 384 * 32;
  // A sample of so many lines tells whether most of them span as much.
  static constexpr std::int64_t sampled_lines = 4096;
  // The thread block that takes a heavy line would still walk one that is far longer than the others when
  // they are done: from 64 entries a thread on lines may be huge, and have the largest thread blocks there
  // are.
  static constexpr int heavy_threads = 256, huge_threads = 1024;
  static constexpr std::int64_t long_line = 64 * heavy_threads, times_mean = 8;
  // A huge line that can be cut is cut into so many pieces at most.
  static constexpr std::int64_t most_pieces = 64;

  std::int64_t most_light = any_length, most_heavy = any_length;
};

namespace {  // see primitives.hpp

// The numbers of the block rows that have anything in these ranges.
template <class Backend, class Offset>
array<std::int32_t, space_on<Backend>> list_lines(Backend on, std::int64_t count,
                                                  const block_row_ranges<Offset>& ranges) {
  const auto numbers = offsets_from_lengths<std::int32_t>(
      on, count,
      [=] SPARSMITH_HOST_DEVICE(std::int64_t l) { return ranges(l).end_row > ranges(l).first_row ? 1 : 0; });
  const std::int32_t* const number = numbers.data();
  array<std::int32_t, space_on<Backend>> result(read_one(on, number + count));
  std::int32_t* const lines = result.data();
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t l) {
    if (number[l] < number[l + 1]) lines[number[l]] = static_cast<std::int32_t>(l);
  });
  return result;
}

// Whether most block rows of these ranges span more than so many block columns, as far as a sample tells.
// Their rows are sorted by column.
template <class Backend, class Offset>
bool lines_span(Backend on, std::int64_t count, const block_row_ranges<Offset>& ranges,
                const std::int32_t* cols, std::int32_t columns) {
  const std::int64_t step = groups_of(count, line_teams::sampled_lines);
  const std::int64_t more_than_fewer = reduce(
      on, groups_of(count, step), std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
        const row_range range = ranges(i * step);
        if (range.end_row == range.first_row) return std::int64_t{0};
        std::int32_t low = 0x7fffffff, high = 0;
        for (std::int64_t r = range.first_row; r < range.end_row; ++r) {
          const std::int64_t start = ranges.row_offsets[r], end = ranges.row_offsets[r + 1];
          if (start == end) continue;
          low = cols[start] < low ? cols[start] : low;
          high = cols[end - 1] > high ? cols[end - 1] : high;
        }
        return std::int64_t{ranges.shape.col_of(high) - ranges.shape.col_of(low) >= columns ? 1 : -1};
      },
      sum_of<std::int64_t>{});
  return more_than_fewer > 0;
}

}  // namespace

// The block rows of a matrix, and how long they are.
template <class Backend, class Offset>
struct block_lines {
  std::int32_t rows;
  bool sorted;  // every row by column
  block_divisor shape;
  const Offset* row_offsets;
  const std::int32_t* cols;
  std::int64_t block_cols, entries;
  std::int64_t count, mean = 0, longest = 0;  // entries
  line_teams teams;
  array<std::int32_t, space_on<Backend>> heavy_lines, huge_lines;  // those that are not light

  block_lines(Backend on, csr_pattern<Offset, space_on<Backend>> matrix, block_divisor of,
              bool rows_sorted = true)
      : rows(matrix.rows),
        sorted(rows_sorted),
        shape(of),
        row_offsets(matrix.row_offsets.data()),
        cols(matrix.col_indices.data()),
        block_cols(groups_of(matrix.cols, of.cols)),
        entries(matrix.entries()),
        count(groups_of(matrix.rows, of.rows)) {
    if (count == 0) return;
    mean = entries / count;
    longest = longest_group(on, row_offsets, rows, shape.rows);
    if (std::is_same_v<Backend, openmp>) return;
    teams.most_heavy = std::max(line_teams::long_line, line_teams::times_mean * mean);
    teams.most_light = mean <= line_teams::most_of_warp ? most_of_warp(on) : teams.most_heavy;
    if (longest > teams.most_light && teams.most_light < teams.most_heavy)
      heavy_lines = list_lines(on, count, ranges(teams.most_light + 1, teams.most_heavy));
    if (longest > teams.most_heavy) huge_lines = list_lines(on, count, ranges(teams.most_heavy + 1, longest));
  }

  // Those with at least and at most so many entries.
  block_row_ranges<Offset> ranges(std::int64_t least, std::int64_t most) const {
    return {rows, shape, row_offsets, least, most};
  }

 private:
  std::int64_t most_of_warp(Backend on) const {
    constexpr std::int64_t all = line_teams::most_of_warp, listed = line_teams::most_listed;
    const bool spread = sorted && longest > listed && block_cols > line_teams::warp_columns &&
                        lines_span(on, count, ranges(listed + 1, all), cols, line_teams::warp_columns);
    return spread ? listed : all;
  }
};

// Calls a body for the lines of a list.
template <class Body>
struct for_listed_lines {
  Body body;
  const std::int32_t* lines;
  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t i) const {
    body(team, lines[i]);
  }
};

// Calls a body for the lines of a list, each cut into so many pieces of so many entries, or fewer.
template <class Body>
struct for_listed_pieces {
  Body body;
  const std::int32_t* lines;
  std::int64_t pieces, piece_entries;
  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t i) const {
    row_range range = body.ranges(lines[i / pieces]);
    range.first += i % pieces * piece_entries;
    if (range.first >= range.last) return;
    if (range.first + piece_entries < range.last) range.last = range.first + piece_entries;
    body.walk(team, range);
  }
};

// make_body(ranges) says what to do with the block rows of a range, and `walk_huge` walks those that are far
// longer than the others.
template <class Backend, class Offset, class MakeBody, class WalkHuge>
void for_each_block_row(Backend on, const block_lines<Backend, Offset>& lines, MakeBody make_body,
                        WalkHuge walk_huge) {
  const line_teams& teams = lines.teams;
  for_each_team(on, lines.count, lines.mean, make_body(lines.ranges(0, teams.most_light)));
  const auto heavy = make_body(lines.ranges(teams.most_light + 1, teams.most_heavy));
  for_each_block<line_teams::heavy_threads>(
      on, lines.heavy_lines.size(),
      for_listed_lines<std::remove_const_t<decltype(heavy)>>{heavy, lines.heavy_lines.data()});
  walk_huge(lines.ranges(teams.most_heavy + 1, lines.longest));
}

// Walks the blocks while they are being counted (no first_blocks) or listed.
template <class Backend, class Offset, class Action>
void walk_blocks(Backend on, const block_lines<Backend, Offset>& lines, const Offset* first_blocks,
                 Action action) {
  using body = walk_block_rows<Offset, Action>;
  const auto make_body = [&](const block_row_ranges<Offset>& ranges) {
    return body{ranges, lines.sorted, lines.cols, first_blocks, action};
  };
  for_each_block_row(on, lines, make_body, [&](const block_row_ranges<Offset>& huge) {
    for_each_block<line_teams::huge_threads>(
        on, lines.huge_lines.size(), for_listed_lines<body>{make_body(huge), lines.huge_lines.data()});
  });
}

// Walks the blocks that are listed by their row-major positions. Since they are known, several teams can
// share a huge line: each calls `shared`, the same action for teams that are not alone, with a piece of it.
template <class Backend, class Offset, class Action>
void walk_listed_blocks(Backend on, const block_lines<Backend, Offset>& lines, const Offset* first_blocks,
                        const Offset* positions, std::int64_t blocks_per_row, Action action, Action shared) {
  using body = walk_listed_block_rows<Offset, Action>;
  const auto make_body = [&](const block_row_ranges<Offset>& ranges) {
    return body{ranges, first_blocks, positions, blocks_per_row, action};
  };
  for_each_block_row(on, lines, make_body, [&](const block_row_ranges<Offset>& huge) {
    if (lines.huge_lines.size() == 0) return;
    // Every line is cut as often as the longest, which needs no list of pieces; short ones end sooner.
    const std::int64_t pieces =
        std::min(groups_of(lines.longest, line_teams::long_line), line_teams::most_pieces);
    for_each_block<line_teams::huge_threads>(
        on, lines.huge_lines.size() * pieces,
        for_listed_pieces<body>{{huge, first_blocks, positions, blocks_per_row, shared},
                                lines.huge_lines.data(),
                                pieces,
                                groups_of(lines.longest, pieces)});
  });
}

// How many blocks every block row has.
template <class Backend, class Offset>
void count_blocks_of_rows(Backend on, const block_lines<Backend, Offset>& lines, Offset* counts) {
  walk_blocks(on, lines, static_cast<const Offset*>(nullptr), count_block_action<Offset>{counts});
}

#ifndef __CUDACC__

// A thread of a CPU needs no order to count: it marks each block column with the last block row that was seen
// in it. All marks together take no more than the column indices, which is less than the entries take that
// any result has later: no peak rises. A matrix too wide for that is walked in windows.
template <class Offset>
void count_blocks_of_rows(openmp on, const block_lines<openmp, Offset>& lines, Offset* counts) {
  const int threads = threads_with_block_columns(lines.block_cols, lines.entries);
  if (threads == 0) {
    count_blocks_of_rows<openmp, Offset>(on, lines, counts);
    return;
  }
  array<std::int32_t, host> marks(lines.block_cols * threads);
  const std::int64_t at_once = block_rows_at_once(lines.count, threads);
#pragma omp parallel num_threads(threads)
  {
    const block_divisor shape = lines.shape;
    const std::int32_t* const cols = lines.cols;
    std::int32_t* const mark = marks.data() + lines.block_cols * omp_get_thread_num();
    std::fill_n(mark, lines.block_cols, 0);
#pragma omp for schedule(dynamic, at_once)
    for (std::int64_t block_row = 0; block_row < lines.count; ++block_row) {
      const std::int64_t first_row = block_row * shape.rows;
      const std::int64_t first = lines.row_offsets[first_row];
      const std::int64_t last = lines.row_offsets[std::min<std::int64_t>(first_row + shape.rows, lines.rows)];
      const auto own = static_cast<std::int32_t>(block_row + 1);
      std::int32_t blocks = 0;
      for (std::int64_t e = first; e < last; ++e)
        blocks += std::exchange(mark[shape.col_of(cols[e])], own) != own ? 1 : 0;
      counts[block_row] = blocks;
    }
  }
}

#endif

// The first block of every block row, and their total at the end.
template <class Backend, class Offset>
array<Offset, space_on<Backend>> count_blocks(Backend on, const block_lines<Backend, Offset>& lines) {
  array<Offset, space_on<Backend>> counts(lines.count);
  count_blocks_of_rows(on, lines, counts.data());
  return offsets_from_counts<Offset>(on, counts);
}

}  // namespace sparsmith
