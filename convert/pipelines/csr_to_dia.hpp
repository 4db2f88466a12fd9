// CSR to DIA and back.
#pragma once

#include <limits>

#include "convert/error.hpp"
#include "convert/pipelines/diagonals.hpp"
#include "convert/pipelines/fill_limit.hpp"
#include "convert/pipelines/stored_zeros.hpp"

namespace sparsmith {

// Which diagonals are stored, and where.
struct diagonal_ranks {
  diagonal_numbers diagonals;
  const std::int32_t* ranks;  // of every diagonal among those that are stored; negative for the others

  SPARSMITH_HOST_DEVICE std::int64_t operator()(std::int64_t row, std::int64_t col) const {
    return ranks[diagonals.number(row, col)];
  }
};

template <class Offset, class Value>
struct fill_diagonals_body {
  entry_pieces<Offset> pieces;
  diagonal_ranks ranks;
  const std::int32_t* cols;
  const Value* values;
  Value* out;

  template <class Team>
  SPARSMITH_HOST_DEVICE void operator()(const Team& team, std::int64_t piece) const {
    const row_range range = pieces.range(piece);
    for_each_entry(team, range, pieces.row_offsets, cols, values,
                   [&](std::int64_t, std::int64_t row_in_range, const loaded_entry<Value>& entry) {
                     const std::int64_t row = range.first_row + row_in_range;
                     const std::int64_t rank = ranks(row, entry.col);
                     if (rank >= 0) out[rank * pieces.rows + row] = entry.value;
                   });
  }
};

// Entries as lists of them are made: of those in the rest, and of stored zeros on diagonals.
template <class Value>
struct listed_entry {
  diagonal_ranks ranks;
  const std::int32_t* rows;
  const std::int32_t* cols;
  const Value* values;

  SPARSMITH_HOST_DEVICE std::int64_t rank(std::int64_t e) const { return ranks(rows[e], cols[e]); }
  SPARSMITH_HOST_DEVICE bool in_rest(std::int64_t e) const { return rank(e) < 0; }
  SPARSMITH_HOST_DEVICE bool zero_on_diagonal(std::int64_t e) const { return values[e] == 0 && rank(e) >= 0; }
};

// How much of a matrix its stored diagonals take.
struct stored_diagonals {
  std::int64_t diagonals = 0, entries = 0;
};
struct sum_of_diagonals {
  SPARSMITH_HOST_DEVICE stored_diagonals operator()(const stored_diagonals& a,
                                                    const stored_diagonals& b) const {
    return {a.diagonals + b.diagonals, a.entries + b.entries};
  }
};

namespace {  // see primitives.hpp

template <class Backend, class Value>
void list_rest(Backend on, const listed_entry<Value>& entry, std::int64_t entries, std::int64_t rest,
               dia<Value, space_on<Backend>>& result) {
  using space = space_on<Backend>;
  const auto positions = offsets_from_lengths<std::int64_t>(
      on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { return std::int64_t{entry.in_rest(e)}; });
  result.rest_row_indices = array<std::int32_t, space>(rest);
  result.rest_col_indices = array<std::int32_t, space>(rest);
  result.rest_values = array<Value, space>(rest);
  const std::int64_t* const at = positions.data();
  std::int32_t* const out_rows = result.rest_row_indices.data();
  std::int32_t* const out_cols = result.rest_col_indices.data();
  Value* const out_values = result.rest_values.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    if (!entry.in_rest(e)) return;
    out_rows[at[e]] = entry.rows[e];
    out_cols[at[e]] = entry.cols[e];
    out_values[at[e]] = entry.values[e];
  });
}

template <class Backend, class Value>
array<std::int64_t, space_on<Backend>> list_zeros(Backend on, const listed_entry<Value>& entry,
                                                  std::int64_t entries, std::int64_t diagonals) {
  using space = space_on<Backend>;
  const std::int64_t rows = entry.ranks.diagonals.rows;
  const auto positions = offsets_from_lengths<std::int64_t>(
      on, entries,
      [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { return std::int64_t{entry.zero_on_diagonal(e)}; });
  const std::int64_t zeros = read_one(on, positions.data() + entries);
  array<std::int64_t, space> slots(zeros);
  if (zeros == 0) return slots;
  array<std::int32_t, space> on_diagonal(zeros), in_row(zeros);
  const std::int64_t* const at = positions.data();
  std::int32_t* const out_diagonal = on_diagonal.data();
  std::int32_t* const out_row = in_row.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    if (!entry.zero_on_diagonal(e)) return;
    out_diagonal[at[e]] = static_cast<std::int32_t>(entry.rank(e));
    out_row[at[e]] = entry.rows[e];
  });
  const auto sorted = sort_entries<std::int32_t>(on, on_diagonal, in_row, in_row, diagonals, rows, true);
  const std::uint64_t* const keys = sorted.keys.data();
  const int row_bits = sorted.minor_bits;
  std::int64_t* const out = slots.data();
  for_each_index(on, zeros, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    const std::uint64_t row_mask = (std::uint64_t{1} << row_bits) - 1;
    out[i] =
        static_cast<std::int64_t>(keys[i] >> row_bits) * rows + static_cast<std::int64_t>(keys[i] & row_mask);
  });
  return slots;
}

// Replaces the entries of every diagonal by its rank among those that have at least so many.
template <class Backend>
void rank_diagonals(Backend on, array<std::int32_t, space_on<Backend>>& counts, std::int64_t least) {
  array<std::int32_t, space_on<Backend>> ranks(counts.size());
  std::int32_t* const count = counts.data();
  std::int32_t* const rank = ranks.data();
  inclusive_scan(
      on, counts.size(),
      [=] SPARSMITH_HOST_DEVICE(std::int64_t d) { return std::int32_t{count[d] >= least}; }, rank,
      sum_of<std::int32_t>{});
  for_each_index(on, counts.size(), [=] SPARSMITH_HOST_DEVICE(std::int64_t d) {
    count[d] = count[d] >= least ? rank[d] - 1 : -1;
  });
}

}  // namespace

template <class Backend, class Offset, class Value>
dia<Value, space_on<Backend>> csr_to_dia(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         double share, double max_fill, stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t rows = matrix.rows, entries = matrix.values.size();
  const std::int64_t least = least_on_diagonal(share, rows, sizeof(Value));
  const diagonal_numbers diagonals{matrix.rows, matrix.cols};
  dia<Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;

  array<std::int32_t, space> ranks;
  stored_diagonals stored;
  {
    timed_stage timing(on, log, "count diagonals", entries, entries * 4 + diagonals.count() * 4);
    ranks = entries_of_diagonals(on, pattern_of(matrix));
    const std::int32_t* const counts = ranks.data();
    stored = reduce(
        on, diagonals.count(), stored_diagonals{},
        [=] SPARSMITH_HOST_DEVICE(std::int64_t d) {
          return counts[d] >= least ? stored_diagonals{1, counts[d]} : stored_diagonals{};
        },
        sum_of_diagonals{});
    const std::int64_t rest = entries - stored.entries;
    require_fill("dia", stored.diagonals * rows + rest, entries, max_fill);
    if (stored.diagonals > std::numeric_limits<std::int32_t>::max())
      throw error(failure::resources, "DIA would store more diagonals than 32 bits count", "diagonals");
    rank_diagonals(on, ranks, least);
  }
  const diagonal_ranks rank_of{diagonals, ranks.data()};
  result.offsets = array<std::int32_t, space>(stored.diagonals);
  result.values = array<Value, space>(stored.diagonals * rows);
  {
    timed_stage timing(on, log, "fill diagonals", entries,
                       entries * (4 + std::int64_t{sizeof(Value)}) +
                           (stored.diagonals * rows + stored.entries) * std::int64_t{sizeof(Value)});
    std::int32_t* const out_offsets = result.offsets.data();
    for_each_index(on, diagonals.count(), [=] SPARSMITH_HOST_DEVICE(std::int64_t d) {
      if (rank_of.ranks[d] >= 0)
        out_offsets[rank_of.ranks[d]] = static_cast<std::int32_t>(rank_of.diagonals.offset(d));
    });
    fill(on, result.values, Value{0});
    const entry_pieces<Offset> pieces{rows, entries, matrix.row_offsets.data()};
    if (stored.entries > 0)
      for_each_team(on, pieces.count(), diagonal_tuning::piece_entries,
                    fill_diagonals_body<Offset, Value>{pieces, rank_of, matrix.col_indices.data(),
                                                       matrix.values.data(), result.values.data()});
  }
  const bool any_zeros = stored.entries > 0 && count_zeros<Backend, Offset, Value>(on, matrix) > 0;
  if (stored.entries == entries && !any_zeros) return result;
  timed_stage timing(on, log, "list rest and zeros", entries, entries * 24);
  const auto row_indices = expand_offsets(on, matrix.row_offsets.data(), rows, entries);
  const listed_entry<Value> entry{rank_of, row_indices.data(), matrix.col_indices.data(),
                                  matrix.values.data()};
  if (stored.entries < entries) list_rest(on, entry, entries, entries - stored.entries, result);
  if (any_zeros) result.zero_slots = list_zeros(on, entry, entries, stored.diagonals);
  return result;
}

// A diagonal part and a rest, as one row of them is read.
template <class Offset, class Value>
struct dia_rows {
  std::int64_t rows, cols, diagonals;
  const std::int32_t* offsets;
  const Value* values;
  const std::int64_t* zeros;
  std::int64_t zero_count;
  const Offset* rest_start;  // of every row
  const std::int32_t* rest_cols;

  SPARSMITH_HOST_DEVICE bool holds(std::int64_t diagonal, std::int64_t row) const {
    const std::int64_t slot = diagonal * rows + row;
    return holds_entry(values[slot], slot, zeros, zero_count);
  }
  // Calls use(diagonal, column) for the entries of a row that are on diagonals.
  template <class Use>
  SPARSMITH_HOST_DEVICE void for_each_on_diagonal(std::int64_t row, Use use) const {
    for (std::int64_t d = first_not_below(offsets, std::int64_t{0}, diagonals, -row);
         d < diagonals && row + offsets[d] < cols; ++d)
      if (holds(d, row)) use(d, row + offsets[d]);
  }
  SPARSMITH_HOST_DEVICE std::int64_t on_diagonals(std::int64_t row) const {
    std::int64_t found = 0;
    for_each_on_diagonal(row, [&](std::int64_t, std::int64_t) { ++found; });
    return found;
  }
  SPARSMITH_HOST_DEVICE std::int64_t in_rest_before(std::int64_t row, std::int64_t col) const {
    return first_not_below(rest_cols, rest_start[row], rest_start[row + 1], col) - rest_start[row];
  }
};

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> dia_to_csr(Backend on, dia<Value, view_on<Backend>> matrix,
                                                 stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t rows = matrix.rows, rest = matrix.rest_values.size();
  timed_stage timing(on, log, "gather dia", matrix.values.size() + rest,
                     (matrix.values.size() + rest) * std::int64_t{sizeof(Value)} * 2);
  const std::int32_t* const rest_rows = matrix.rest_row_indices.data();
  const Value* const rest_values = matrix.rest_values.data();
  const auto rest_offsets = offsets_of_sorted<Offset>(on, rest_rows, rest, rows);
  const dia_rows<Offset, Value> from{rows,
                                     matrix.cols,
                                     matrix.offsets.size(),
                                     matrix.offsets.data(),
                                     matrix.values.data(),
                                     matrix.zero_slots.data(),
                                     matrix.zero_slots.size(),
                                     rest_offsets.data(),
                                     matrix.rest_col_indices.data()};

  csr<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.row_offsets = offsets_from_lengths<Offset>(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<Offset>(from.on_diagonals(r) + from.rest_start[r + 1] - from.rest_start[r]);
  });
  const std::int64_t entries = read_one(on, result.row_offsets.data() + rows);
  result.col_indices = array<std::int32_t, space>(entries);
  result.values = array<Value, space>(entries);
  // Of the entries on diagonals, row after row: where an entry of the rest comes is looked up there.
  array<std::int32_t, space> cols_on_diagonals(rest > 0 ? entries - rest : 0);
  const Offset* const offsets = result.row_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  std::int32_t* const on_diagonals = cols_on_diagonals.data();
  for_each_index(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    const bool alone = from.rest_start[r] == from.rest_start[r + 1];
    std::int64_t to = offsets[r];
    from.for_each_on_diagonal(r, [&](std::int64_t d, std::int64_t col) {
      const std::int64_t at = alone ? to : to + from.in_rest_before(r, col);
      out_cols[at] = static_cast<std::int32_t>(col);
      out_values[at] = from.values[d * from.rows + r];
      if (!alone) on_diagonals[to - from.rest_start[r]] = out_cols[at];
      ++to;
    });
  });
  for_each_index(on, rest, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    const std::int64_t r = rest_rows[i], col = from.rest_cols[i];
    const std::int64_t first = offsets[r] - from.rest_start[r],
                       last = offsets[r + 1] - from.rest_start[r + 1];
    const std::int64_t at =
        offsets[r] + (i - from.rest_start[r]) + first_not_below(on_diagonals, first, last, col) - first;
    out_cols[at] = static_cast<std::int32_t>(col);
    out_values[at] = rest_values[i];
  });
  return result;
}

}  // namespace sparsmith
