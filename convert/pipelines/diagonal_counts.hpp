// What an analysis asks of the diagonals: how many have how many entries, and which are the fullest.
#pragma once

#include <algorithm>

#include "convert/pipelines/diagonals.hpp"
#include "convert/pipelines/line_lengths.hpp"

namespace sparsmith {

namespace {  // lambdas: see primitives.hpp

// The so many diagonals with the most entries, given how many there are with how many.
template <class Backend>
std::vector<diagonal_count> fullest_of(Backend on, const diagonal_numbers& diagonals,
                                       const array<std::int32_t, space_on<Backend>>& counts,
                                       const std::vector<size_count>& lengths, std::int64_t wanted) {
  using space = space_on<Backend>;
  // Diagonals of more than `shortest` entries are all among them, and the first few of those with as many.
  std::int64_t shortest = 0, longer = 0, found = 0;
  for (auto l = lengths.rbegin(); l != lengths.rend() && found < wanted; ++l) {
    shortest = l->size;
    longer = found;
    found += l->count;
  }
  found = std::min(found, wanted);
  if (found == 0) return {};
  // Two counts in one: of those with more, which are few, above those with as many.
  constexpr int high = 40;
  array<std::int64_t, space> ranks(counts.size());
  const std::int32_t* const count = counts.data();
  std::int64_t* const rank = ranks.data();
  inclusive_scan(
      on, counts.size(),
      [=] SPARSMITH_HOST_DEVICE(std::int64_t d) {
        return count[d] > shortest ? std::int64_t{1} << high : std::int64_t{count[d] == shortest};
      },
      rank, sum_of<std::int64_t>{});
  array<diagonal_count, space> list(found);
  diagonal_count* const out = list.data();
  for_each_index(on, counts.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t d) {
    if (count[d] < shortest) return;
    const std::int64_t above = rank[d] >> high, equal = rank[d] & ((std::int64_t{1} << high) - 1);
    const std::int64_t at = count[d] > shortest ? above - 1 : longer + equal - 1;
    if (at < found) out[at] = {diagonals.offset(d), count[d]};
  });
  const auto here = copy_to<host>(list, space::where);
  std::vector<diagonal_count> fullest(here.begin(), here.end());
  std::stable_sort(fullest.begin(), fullest.end(),
                   [](const diagonal_count& a, const diagonal_count& b) { return a.entries > b.entries; });
  return fullest;
}

}  // namespace

template <class Backend, class Offset>
diagonal_counts count_diagonals(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                std::int64_t fullest) {
  if (matrix.entries() == 0) return {};
  const diagonal_numbers diagonals{matrix.rows, matrix.cols};
  const auto counts = entries_of_diagonals(on, matrix);
  const std::int64_t longest = std::min(diagonals.rows, diagonals.cols);
  diagonal_counts result;
  result.lengths =
      std::move(count_lengths<Backend, Offset>(on, matrix.entries(),
                                               {{diagonals.count(), longest, nullptr, 0, 0, counts.data()}})
                    .take()[0]);
  if (result.lengths.front().size == 0) result.lengths.erase(result.lengths.begin());
  result.fullest = fullest_of(on, diagonals, counts, result.lengths, fullest);
  return result;
}

template <class Backend, class Offset, class Value>
std::int64_t count_zeros_on_diagonals(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                      std::int64_t least_entries) {
  const std::int64_t entries = matrix.values.size();
  const diagonal_numbers diagonals{matrix.rows, matrix.cols};
  const auto counts = entries_of_diagonals(on, pattern_of(matrix));
  const auto rows = expand_offsets(on, matrix.row_offsets.data(), matrix.rows, entries);
  const std::int32_t* const count = counts.data();
  const std::int32_t* const row = rows.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();
  return reduce(
      on, entries, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
        return std::int64_t{values[e] == 0 && count[diagonals.number(row[e], cols[e])] >= least_entries};
      },
      sum_of<std::int64_t>{});
}

}  // namespace sparsmith
