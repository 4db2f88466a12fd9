// From a list of entries in any order to canonical CSR, and back. What the list already has is used: entries
// in row order are only compressed, entries in column order need a sort by row alone.
#pragma once

#include "convert/error.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

enum order_violation : int { rows_unordered = 1, columns_unordered = 2, has_duplicates = 4 };

struct bitwise_or {
  SPARSMITH_HOST_DEVICE int operator()(int a, int b) const { return a | b; }
};

// Which kinds of order a list lacks, found in one pass over its pairs of neighbours.
template <class Backend>
int find_order(Backend on, const std::int32_t* rows, const std::int32_t* cols, std::int64_t pairs) {
  return reduce(
      on, pairs, 0,
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
        const std::int32_t row = rows[i], next_row = rows[i + 1], col = cols[i], next_col = cols[i + 1];
        int found = 0;
        if (row > next_row || (row == next_row && col > next_col)) found |= rows_unordered;
        if (col > next_col) found |= columns_unordered;
        if (row == next_row && col == next_col) found |= has_duplicates;
        return found;
      },
      bitwise_or{});
}

// Chosen by hand; bench_convert shows what a change does.
struct order_tuning {
  static constexpr std::int64_t first_pairs = 256;    // as many as a thread block looks at
  static constexpr std::int64_t long_list = 1 << 16;  // entries; of fewer all pairs are looked at, at once
};

// Which kinds of order a list lacks, as far as that decides what is to be done. A list without any order
// mostly shows that at once, and there is nothing more to learn: of a long one, some pairs come first.
template <class Backend>
int find_needed_order(Backend on, const std::int32_t* rows, const std::int32_t* cols, std::int64_t count,
                      timed_stage<Backend>& timing) {
  constexpr std::int64_t first_pairs = order_tuning::first_pairs;
  constexpr int none = rows_unordered | columns_unordered;
  if (count >= order_tuning::long_list && (find_order(on, rows, cols, first_pairs) & none) == none) {
    timing.moved((first_pairs + 1) * 8);
    return none;
  }
  return find_order(on, rows, cols, count > 0 ? count - 1 : 0);
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> coo_to_csr(Backend on, coo<Value, space_on<Backend>>&& entries,
                                                 stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t count = entries.values.size();
  const std::int64_t entry_bytes = std::int64_t{sizeof(Value)} + 8;
  const std::int32_t* const rows = entries.row_indices.data();
  const std::int32_t* const cols = entries.col_indices.data();

  csr<Offset, Value, space> result;
  result.rows = entries.rows;
  result.cols = entries.cols;

  int order = 0;
  {
    timed_stage timing(on, log, "check order", count, count * 8);
    order = find_needed_order(on, rows, cols, count, timing);
  }
  if (order == 0 || order == columns_unordered) {
    timed_stage timing(on, log, "compress rows", count, count * 8);
    result.row_offsets = array<Offset, space>(std::int64_t{result.rows} + 1);
    fill(on, result.row_offsets, Offset{0});
    Offset* const offsets = result.row_offsets.data();
    for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
      if (i + 1 == count || rows[i + 1] != rows[i])
        offsets[std::int64_t{rows[i]} + 1] = static_cast<Offset>(i + 1);
    });
    close_offset_gaps(on, result.row_offsets);
    result.col_indices = std::move(entries.col_indices);
    result.values = std::move(entries.values);
    return result;
  }

  sorted_entries<Value, space> sorted;
  {
    timed_stage timing(on, log, "sort entries", count, count * entry_bytes * 2);
    sorted = sort_entries<Value>(on, entries.row_indices, entries.col_indices, std::move(entries.values),
                                 entries.rows, entries.cols, (order & columns_unordered) == 0);
    entries = {};
  }
  timed_stage timing(on, log, "compress rows", count, count * entry_bytes * 2);
  auto parts = compress_and_sum<Offset>(on, std::move(sorted), result.rows);
  result.row_offsets = std::move(parts.offsets);
  result.col_indices = std::move(parts.indices);
  result.values = std::move(parts.values);
  return result;
}

template <class Backend, class Offset, class Value>
coo<Value, space_on<Backend>> csr_to_coo(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         stage_log* log) {
  const std::int64_t count = matrix.values.size();
  timed_stage timing(on, log, "expand rows", count, count * (std::int64_t{sizeof(Value)} * 2 + 16));
  coo<Value, space_on<Backend>> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.row_indices = expand_offsets(on, matrix.row_offsets.data(), matrix.rows, count);
  result.col_indices = copy_to<space_on<Backend>>(matrix.col_indices, space_on<Backend>::where);
  result.values = copy_to<space_on<Backend>>(matrix.values, space_on<Backend>::where);
  return result;
}

template <class Backend>
coo<double, space_on<Backend>> expand_symmetry(Backend on, coo<double, space_on<Backend>>&& entries,
                                               bool skew, stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t count = entries.values.size();
  timed_stage timing(on, log, "expand symmetry", count, count * (std::int64_t{sizeof(double)} + 8) * 3);
  const std::int32_t* const rows = entries.row_indices.data();
  const std::int32_t* const cols = entries.col_indices.data();
  const double* const values = entries.values.data();
  // mirrored[i]: how many of the entries 0..i-1 are off the diagonal
  const auto mirrored = offsets_from_lengths<std::int64_t>(
      on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return std::int64_t{rows[i] != cols[i]}; });
  const std::int64_t total = count + read_one(on, mirrored.data() + count);

  coo<double, space> result;
  result.rows = entries.rows;
  result.cols = entries.cols;
  result.row_indices = array<std::int32_t, space>(total);
  result.col_indices = array<std::int32_t, space>(total);
  result.values = array<double, space>(total);
  std::int32_t* const out_rows = result.row_indices.data();
  std::int32_t* const out_cols = result.col_indices.data();
  double* const out_values = result.values.data();
  const std::int64_t* const before = mirrored.data();
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    out_rows[i] = rows[i];
    out_cols[i] = cols[i];
    out_values[i] = values[i];
    if (rows[i] == cols[i]) return;
    const std::int64_t at = count + before[i];
    out_rows[at] = cols[i];
    out_cols[at] = rows[i];
    out_values[at] = skew ? -values[i] : values[i];
  });
  entries = {};
  return result;
}

template <class Backend, class Offset>
csr<Offset, float, space_on<Backend>> narrow_values(Backend on,
                                                    csr<Offset, double, space_on<Backend>>&& matrix,
                                                    narrowing* result, stage_log* log) {
  const std::int64_t count = matrix.values.size();
  timed_stage timing(on, log, "narrow values", count, count * 12);
  const double* const wide = matrix.values.data();
  csr<Offset, float, space_on<Backend>> narrow;
  narrow.rows = matrix.rows;
  narrow.cols = matrix.cols;
  narrow.values = array<float, space_on<Backend>>(count);
  float* const out = narrow.values.data();
  for_each_index(on, count,
                 [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { out[i] = static_cast<float>(wide[i]); });
  // A NaN stays a NaN: it compares unequal to itself, so it is left out of both counts.
  result->changed = reduce(
      on, count, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
        return std::int64_t{wide[i] == wide[i] &&
                            static_cast<double>(static_cast<float>(wide[i])) != wide[i]};
      },
      sum_of<std::int64_t>{});
  result->overflowed = reduce(
      on, count, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
        const float f = static_cast<float>(wide[i]);
        return std::int64_t{wide[i] - wide[i] == 0 && f - f != 0};
      },
      sum_of<std::int64_t>{});
  narrow.row_offsets = std::move(matrix.row_offsets);
  narrow.col_indices = std::move(matrix.col_indices);
  matrix = {};
  return narrow;
}

template <class Backend, class Offset, class Value>
std::int64_t count_zeros(Backend on, csr<Offset, Value, view_on<Backend>> matrix) {
  const Value* const values = matrix.values.data();
  return reduce(
      on, matrix.values.size(), std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return std::int64_t{values[i] == 0}; },
      sum_of<std::int64_t>{});
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> drop_zeros(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t count = matrix.values.size();
  timed_stage timing(on, log, "drop zeros", count, count * (std::int64_t{sizeof(Value)} + 4) * 2);
  const Value* const values = matrix.values.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Offset* const offsets = matrix.row_offsets.data();
  const auto kept = offsets_from_lengths<Offset>(
      on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) { return static_cast<Offset>(values[i] != 0); });
  const std::int64_t total = read_one(on, kept.data() + count);

  csr<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.row_offsets = array<Offset, space>(std::int64_t{matrix.rows} + 1);
  result.col_indices = array<std::int32_t, space>(total);
  result.values = array<Value, space>(total);
  const Offset* const before = kept.data();
  Offset* const out_offsets = result.row_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  for_each_index(on, std::int64_t{matrix.rows} + 1,
                 [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { out_offsets[r] = before[offsets[r]]; });
  for_each_index(on, count, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    if (values[i] == 0) return;
    out_cols[before[i]] = cols[i];
    out_values[before[i]] = values[i];
  });
  return result;
}

}  // namespace sparsmith
