// CSR to ELL, SELL and HYB and back: the formats that pad rows to a common length.
#pragma once

#include <limits>

#include "convert/error.hpp"
#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/fill_limit.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// The ELL arrays of the first `width` entries of every row.
template <class Backend, class Offset, class Value>
ell<Value, space_on<Backend>> fill_ell(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                       std::int32_t width) {
  using space = space_on<Backend>;
  ell<Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.width = width;
  const std::int64_t rows = matrix.rows;
  result.row_lengths = array<std::int32_t, space>(rows);
  result.col_indices = array<std::int32_t, space>(rows * width);
  result.values = array<Value, space>(rows * width);
  const Offset* const offsets = matrix.row_offsets.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();
  std::int32_t* const lengths = result.row_lengths.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  for_each_index(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    const Offset length = offsets[r + 1] - offsets[r];
    lengths[r] = length < width ? static_cast<std::int32_t>(length) : width;
  });
  for_each_index(on, rows * width, [=] SPARSMITH_HOST_DEVICE(std::int64_t slot) {
    const std::int64_t k = slot / rows, r = slot % rows;
    const std::int64_t length = lengths[r];
    const std::int64_t last = offsets[r] + length - 1;
    out_cols[slot] = k < length ? cols[offsets[r] + k] : length > 0 ? cols[last] : 0;
    out_values[slot] = k < length ? values[offsets[r] + k] : Value{0};
  });
  return result;
}

template <class Backend, class Offset, class Value>
ell<Value, space_on<Backend>> csr_to_ell(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         double max_fill, stage_log* log) {
  // 32 bits hold it: a row has no column twice.
  const auto width = static_cast<std::int32_t>(longest_line(on, matrix.row_offsets.data(), matrix.rows));
  require_fill("ell", std::int64_t{matrix.rows} * width, matrix.values.size(), max_fill);
  timed_stage timing(on, log, "fill ell", matrix.values.size(),
                     std::int64_t{matrix.rows} * width * (std::int64_t{sizeof(Value)} + 4));
  return fill_ell(on, matrix, width);
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> ell_to_csr(Backend on, ell<Value, view_on<Backend>> matrix,
                                                 stage_log* log) {
  using space = space_on<Backend>;
  timed_stage timing(on, log, "gather ell", matrix.values.size(),
                     matrix.values.size() * (std::int64_t{sizeof(Value)} + 4));
  csr<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  const std::int64_t rows = matrix.rows;
  const std::int32_t* const lengths = matrix.row_lengths.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();
  result.row_offsets = offsets_from_lengths<Offset>(
      on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return static_cast<Offset>(lengths[r]); });
  const std::int64_t count = read_one(on, result.row_offsets.data() + rows);
  result.col_indices = array<std::int32_t, space>(count);
  result.values = array<Value, space>(count);
  const Offset* const offsets = result.row_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  for_each_index(on, rows * matrix.width, [=] SPARSMITH_HOST_DEVICE(std::int64_t slot) {
    const std::int64_t k = slot / rows, r = slot % rows;
    if (k >= lengths[r]) return;
    out_cols[offsets[r] + k] = cols[slot];
    out_values[offsets[r] + k] = values[slot];
  });
  return result;
}

template <class Backend, class Offset, class Value>
sell<Offset, Value, space_on<Backend>> csr_to_sell(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   sell_shape shape, double max_fill, stage_log* log) {
  using space = space_on<Backend>;
  require_options(shape);
  const std::int64_t rows = matrix.rows, slice = shape.slice, sigma = shape.sigma;
  const Offset* const offsets = matrix.row_offsets.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();

  sell<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.slice = shape.slice;
  result.sigma = shape.sigma;
  {
    timed_stage timing(on, log, "sort rows", rows, rows * 16);
    result.row_order = order_by_falling_length(
        on, rows, sigma, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return offsets[r + 1] - offsets[r]; });
  }
  const std::int32_t* const order = result.row_order.data();
  const std::int64_t slices = (rows + slice - 1) / slice;
  timed_stage timing(on, log, "fill sell", matrix.values.size(),
                     matrix.values.size() * (std::int64_t{sizeof(Value)} + 4) * 2);
  result.row_lengths = array<std::int32_t, space>(rows);
  std::int32_t* const lengths = result.row_lengths.data();
  for_each_index(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
    lengths[p] = static_cast<std::int32_t>(offsets[order[p] + std::int64_t{1}] - offsets[order[p]]);
  });
  const auto slots_of = [=] SPARSMITH_HOST_DEVICE(std::int64_t s) {
    std::int32_t longest = 0;
    for (std::int64_t p = s * slice; p < (s + 1) * slice && p < rows; ++p)
      longest = longest < lengths[p] ? lengths[p] : longest;
    return std::int64_t{longest} * slice;
  };
  const std::int64_t slots = reduce(on, slices, std::int64_t{0}, slots_of, sum_of<std::int64_t>{});
  require_fill("sell", slots, matrix.values.size(), max_fill);
  if (slots > std::numeric_limits<Offset>::max())
    throw error(failure::resources, "SELL needs more slots than 32-bit offsets can count; use 64-bit offsets",
                "offsets");
  result.slice_offsets = offsets_from_lengths<Offset>(
      on, slices, [=] SPARSMITH_HOST_DEVICE(std::int64_t s) { return static_cast<Offset>(slots_of(s)); });
  result.col_indices = array<std::int32_t, space>(slots);
  result.values = array<Value, space>(slots);
  const Offset* const starts = result.slice_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  // Without slots a slice may be far larger than the matrix.
  for_each_index(on, slots == 0 ? 0 : slices * slice, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
    const std::int64_t s = p / slice;
    const std::int64_t width = (starts[s + 1] - starts[s]) / slice;
    const std::int64_t length = p < rows ? lengths[p] : 0;
    const std::int64_t first = p < rows ? std::int64_t{offsets[order[p]]} : 0;
    std::int32_t col = 0;
    for (std::int64_t k = 0; k < width; ++k) {
      const std::int64_t slot = starts[s] + k * slice + p % slice;
      if (k < length) col = cols[first + k];
      out_cols[slot] = col;
      out_values[slot] = k < length ? values[first + k] : Value{0};
    }
  });
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> sell_to_csr(Backend on, sell<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log) {
  using space = space_on<Backend>;
  timed_stage timing(on, log, "gather sell", matrix.values.size(),
                     matrix.values.size() * (std::int64_t{sizeof(Value)} + 4));
  const std::int64_t rows = matrix.rows, slice = matrix.slice;
  const std::int32_t* const order = matrix.row_order.data();
  const std::int32_t* const lengths = matrix.row_lengths.data();
  const Offset* const starts = matrix.slice_offsets.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();

  csr<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  array<std::int32_t, space> length_of_row(rows);
  std::int32_t* const row_length = length_of_row.data();
  for_each_index(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) { row_length[order[p]] = lengths[p]; });
  result.row_offsets = offsets_from_lengths<Offset>(
      on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return static_cast<Offset>(row_length[r]); });
  const std::int64_t count = read_one(on, result.row_offsets.data() + rows);
  result.col_indices = array<std::int32_t, space>(count);
  result.values = array<Value, space>(count);
  const Offset* const offsets = result.row_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  for_each_index(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t p) {
    const std::int64_t first_slot = starts[p / slice] + p % slice, first = offsets[order[p]];
    for (std::int64_t k = 0; k < lengths[p]; ++k) {
      out_cols[first + k] = cols[first_slot + k * slice];
      out_values[first + k] = values[first_slot + k * slice];
    }
  });
  return result;
}

template <class Backend, class Offset, class Value>
hyb<Value, space_on<Backend>> csr_to_hyb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         std::int32_t width, double max_fill, stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t rows = matrix.rows;
  const Offset* const offsets = matrix.row_offsets.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();
  timed_stage timing(on, log, "fill hyb", matrix.values.size(),
                     matrix.values.size() * (std::int64_t{sizeof(Value)} + 4) * 2);
  if (width < 0) width = static_cast<std::int32_t>(bell_garland_width(on, offsets, rows));

  const auto rest_offsets = offsets_from_lengths<Offset>(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    const Offset length = offsets[r + 1] - offsets[r];
    return length > width ? static_cast<Offset>(length - width) : Offset{0};
  });
  const std::int64_t rest = read_one(on, rest_offsets.data() + rows);
  require_fill("hyb", rows * width + rest, matrix.values.size(), max_fill);

  hyb<Value, space> result;
  auto front = fill_ell(on, matrix, width);
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.width = width;
  result.row_lengths = std::move(front.row_lengths);
  result.ell_col_indices = std::move(front.col_indices);
  result.ell_values = std::move(front.values);
  result.rest_row_indices = expand_offsets(on, rest_offsets.data(), rows, rest);
  result.rest_col_indices = array<std::int32_t, space>(rest);
  result.rest_values = array<Value, space>(rest);
  const Offset* const rest_start = rest_offsets.data();
  const std::int32_t* const rest_rows = result.rest_row_indices.data();
  std::int32_t* const rest_cols = result.rest_col_indices.data();
  Value* const rest_values = result.rest_values.data();
  for_each_index(on, rest, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    const std::int64_t r = rest_rows[i];
    const std::int64_t from = offsets[r] + width + (i - rest_start[r]);
    rest_cols[i] = cols[from];
    rest_values[i] = values[from];
  });
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> hyb_to_csr(Backend on, hyb<Value, view_on<Backend>> matrix,
                                                 stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t rows = matrix.rows, rest = matrix.rest_values.size();
  timed_stage timing(on, log, "gather hyb", matrix.ell_values.size() + rest,
                     (matrix.ell_values.size() + rest) * (std::int64_t{sizeof(Value)} + 4));
  const std::int32_t* const lengths = matrix.row_lengths.data();
  const std::int32_t* const ell_cols = matrix.ell_col_indices.data();
  const Value* const ell_values = matrix.ell_values.data();
  const std::int32_t* const rest_rows = matrix.rest_row_indices.data();
  const std::int32_t* const rest_cols = matrix.rest_col_indices.data();
  const Value* const rest_values = matrix.rest_values.data();

  const auto rest_offsets = offsets_of_sorted<Offset>(on, rest_rows, rest, rows);
  const Offset* const rest_start = rest_offsets.data();

  csr<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.row_offsets = offsets_from_lengths<Offset>(on, rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
    return static_cast<Offset>(lengths[r] + rest_start[r + 1] - rest_start[r]);
  });
  const std::int64_t count = read_one(on, result.row_offsets.data() + rows);
  result.col_indices = array<std::int32_t, space>(count);
  result.values = array<Value, space>(count);
  const Offset* const offsets = result.row_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  for_each_index(on, rows * matrix.width, [=] SPARSMITH_HOST_DEVICE(std::int64_t slot) {
    const std::int64_t k = slot / rows, r = slot % rows;
    if (k >= lengths[r]) return;
    out_cols[offsets[r] + k] = ell_cols[slot];
    out_values[offsets[r] + k] = ell_values[slot];
  });
  for_each_index(on, rest, [=] SPARSMITH_HOST_DEVICE(std::int64_t i) {
    const std::int64_t r = rest_rows[i];
    const std::int64_t to = offsets[r] + lengths[r] + (i - rest_start[r]);
    out_cols[to] = rest_cols[i];
    out_values[to] = rest_values[i];
  });
  return result;
}

}  // namespace sparsmith
