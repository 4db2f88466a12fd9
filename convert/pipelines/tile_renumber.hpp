// Rows and columns renumbered by falling length, for GCSB's layout `tile`: where lengths vary much, tiles and
// their lanes become even. Values stay where they are; the pattern says where each entry was.
#pragma once

#include <optional>

#include "convert/options.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/pipelines.hpp"
#include "convert/pipelines/sort_by_key.hpp"
#include "convert/pipelines/tile_choice.hpp"

namespace sparsmith {

// Chosen by hand; bench_convert shows what a change does.
struct renumber_tuning {
  // Rows are drawn until their entries are about so many, which are enough to tell whether columns vary in
  // length; there are at least so many rows where there are as many.
  static constexpr std::int64_t sampled_entries = std::int64_t{1} << 18, least_rows = 1024;
  // A row of more entries is sorted by a warp, by a thread block.
  static constexpr std::int32_t warp_length = 32, block_length = 256;
};

// The pattern of a matrix with its rows and columns renumbered, every row sorted by its new columns.
template <class Offset, class Space>
struct renumbered_pattern {
  array<std::int32_t, Space> row_order, col_order;
  array<Offset, Space> row_offsets;
  array<std::int32_t, Space> col_indices;
  array<Offset, Space> sources;  // where each entry was
};

// Sorts a row by its new columns.
template <class Offset>
struct sort_row_body {
  std::int64_t first_row;
  int key_bits;
  const Offset* old_offsets;
  const std::int32_t* row_order;
  const Offset* row_offsets;
  const std::uint32_t* unsorted;
  std::int32_t* cols;
  Offset* sources;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t number) const {
    const std::int64_t row = first_row + number, start = row_offsets[row];
    const std::int64_t old_start = old_offsets[row_order[row]];
    sort_by_key(team, unsorted, start, row_offsets[row + 1], key_bits,
                [&](std::int64_t from, std::int64_t to) {
                  cols[to] = static_cast<std::int32_t>(unsorted[from]);
                  sources[to] = static_cast<Offset>(old_start + (from - start));
                });
    team.sync();
  }
};

// Counts the entries of every column in all rows, or in so many that are drawn, maybe some of them twice.
template <class Offset>
struct sample_columns_body {
  std::int64_t rows;
  bool all;
  const Offset* row_offsets;
  const std::int32_t* cols;
  std::int32_t* counts;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t number) const {
    auto mixed = static_cast<std::uint32_t>(number) * 0x9e3779b9u;
    mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
    mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
    mixed ^= mixed >> 16;
    const std::int64_t row = all ? number : static_cast<std::int64_t>(mixed) * rows >> 32;
    for (std::int64_t e = row_offsets[row] + team.rank(); e < row_offsets[row + 1]; e += team.size())
      count_one(counts + cols[e]);
  }
};

template <class Backend, class Length>
bool lengths_vary(Backend on, std::int64_t lines, std::int64_t entries, Length length) {
  const std::int64_t squares = reduce(
      on, lines, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return std::int64_t{length(i)} * std::int64_t{length(i)}; },
      sum_of<std::int64_t>{});
  return lengths_vary(lines, entries, squares);
}

// Whether the columns' lengths vary so much, from a sample of the rows where the entries are many. A drawn
// row is in a column with the probability length / rows, and so is the next one: the pairs that two draws
// make in a column tell the square of its length.
template <class Backend, class Offset>
bool columns_vary(Backend on, csr_pattern<Offset, space_on<Backend>> matrix) {
  const std::int64_t rows = matrix.rows, cols = matrix.cols, entries = matrix.entries();
  if (entries == 0) return false;
  std::int64_t drawn = rows;
  while (entries / rows * drawn > renumber_tuning::sampled_entries &&
         drawn / 2 >= renumber_tuning::least_rows)
    drawn /= 2;
  array<std::int32_t, space_on<Backend>> sampled(cols);
  fill(on, sampled, std::int32_t{0});
  std::int32_t* const counts = sampled.data();
  for_each_team(on, drawn, entries / rows,
                sample_columns_body<Offset>{rows, drawn == rows, matrix.row_offsets.data(),
                                            matrix.col_indices.data(), counts});
  const std::int64_t pairs = reduce(
      on, cols, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t c) { return std::int64_t{counts[c]} * (counts[c] - 1); },
      sum_of<std::int64_t>{});
  if (drawn == rows) return lengths_vary(cols, entries, pairs + entries);
  const double share = static_cast<double>(drawn) / static_cast<double>(rows);
  return lengths_vary(cols, entries, static_cast<double>(pairs) / (share * share));
}

template <class Backend, class Offset>
std::optional<renumbered_pattern<Offset, space_on<Backend>>> renumber(
    Backend on, csr_pattern<Offset, space_on<Backend>> matrix, renumbering wanted) {
  using space = space_on<Backend>;
  if (wanted == renumbering::none) return {};
  const std::int64_t rows = matrix.rows, cols = matrix.cols, entries = matrix.entries();
  const Offset* const offsets = matrix.row_offsets.data();
  const std::int32_t* const old_cols = matrix.col_indices.data();
  const auto row_length = [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<std::int32_t>(offsets[r + 1] - offsets[r]);
  };
  if (wanted == renumbering::automatic && !lengths_vary(on, rows, entries, row_length) &&
      !columns_vary(on, matrix))
    return {};
  array<std::int32_t, space> col_lengths(cols);
  fill(on, col_lengths, std::int32_t{0});
  std::int32_t* const counts = col_lengths.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { count_one(counts + old_cols[e]); });
  renumbered_pattern<Offset, space> result;
  result.row_order = order_by_falling_length(on, rows, rows + 1, row_length);
  result.col_order = order_by_falling_length(on, cols, cols + 1,
                                             [=] SPARSMITH_HOST_DEVICE(std::int64_t c) { return counts[c]; });
  const std::int32_t* const row_order = result.row_order.data();
  const std::int32_t* const col_order = result.col_order.data();
  std::int32_t* const new_col = counts;  // in the place of the lengths
  for_each_index(on, cols, [=] SPARSMITH_HOST_DEVICE(std::int64_t c) {
    new_col[col_order[c]] = static_cast<std::int32_t>(c);
  });
  result.row_offsets = offsets_from_lengths<Offset>(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<Offset>(row_length(row_order[r]));
  });
  const Offset* const out_offsets = result.row_offsets.data();
  array<std::uint32_t, space> unsorted(entries);
  {
    const auto rows_of_entries = expand_offsets(on, out_offsets, rows, entries);
    const std::int32_t* const row = rows_of_entries.data();
    std::uint32_t* const out = unsorted.data();
    for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
      out[e] = static_cast<std::uint32_t>(
          new_col[old_cols[offsets[row_order[row[e]]] + (e - out_offsets[row[e]])]]);
    });
  }
  result.col_indices = array<std::int32_t, space>(entries);
  result.sources = array<Offset, space>(entries);
  // The rows fall in length, so those for a large team come first, then those for a warp.
  const auto longer_than = [&](std::int32_t length) {
    return reduce(
        on, rows, std::int64_t{0},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return std::int64_t{row_length(r) > length}; },
        sum_of<std::int64_t>{});
  };
  constexpr std::int64_t part_of_warp = 1, warp = 32, block = 1024;  // as for_each_team counts work
  const std::int64_t for_blocks = longer_than(renumber_tuning::block_length),
                     for_warps = longer_than(renumber_tuning::warp_length);
  const auto sort_rows = [&](std::int64_t first, std::int64_t end, std::int64_t work) {
    for_each_team(on, end - first, work,
                  sort_row_body<Offset>{first, index_bits(cols), offsets, row_order, out_offsets,
                                        unsorted.data(), result.col_indices.data(), result.sources.data()});
  };
  sort_rows(0, for_blocks, block);
  sort_rows(for_blocks, for_warps, warp);
  sort_rows(for_warps, rows, part_of_warp);
  return result;
}

}  // namespace sparsmith
