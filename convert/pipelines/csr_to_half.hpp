// One triangle of a matrix that equals its transpose, or the negated one, and the whole matrix again.
#pragma once

#include "convert/error.hpp"
#include "convert/pipelines/csr_to_csc.hpp"

namespace sparsmith {

// Bits, and not arithmetic: a GPU may make another NaN of a negated one.
template <class Value>
SPARSMITH_HOST_DEVICE auto bits_of(Value value) {
  using bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  return __builtin_bit_cast(bits, value);
}
template <class Value>
SPARSMITH_HOST_DEVICE Value negated(Value value) {
  const auto sign = bits_of(Value{-0.0});
  return __builtin_bit_cast(Value, bits_of(value) ^ sign);
}

// What keeps a matrix from being one of the two.
enum mirror_violation : int { not_equal = 1, not_negated = 2 };
struct union_of_violations {
  SPARSMITH_HOST_DEVICE int operator()(int a, int b) const { return a | b; }
};

// An entry beside its mirror image.
template <class Offset, class Value>
struct mirrored_entry {
  const Offset* row_offsets;
  const std::int32_t* rows;  // of every entry
  const std::int32_t* cols;
  const Value* values;

  SPARSMITH_HOST_DEVICE int violations(std::int64_t e) const {
    const std::int64_t row = rows[e], col = cols[e];
    if (row == col) return values[e] == 0 ? 0 : not_negated;
    const Offset low = first_not_below(cols, row_offsets[col], row_offsets[col + 1], row);
    if (low == row_offsets[col + 1] || cols[low] != row) return not_equal | not_negated;
    const auto own = bits_of(values[e]);
    return (own == bits_of(values[low]) ? 0 : not_equal) |
           (own == bits_of(negated(values[low])) ? 0 : not_negated);
  }
};

namespace {  // see primitives.hpp

template <class Backend, class Offset, class Value>
mirror_symmetry symmetry_of_entries(Backend on, const mirrored_entry<Offset, Value>& entry,
                                    std::int64_t entries) {
  const int found = reduce(
      on, entries, 0, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { return entry.violations(e); },
      union_of_violations{});
  return (found & not_equal) == 0     ? mirror_symmetry::equal
         : (found & not_negated) == 0 ? mirror_symmetry::negated
                                      : mirror_symmetry::none;
}

}  // namespace

template <class Backend, class Offset, class Value>
mirror_symmetry find_symmetry(Backend on, csr<Offset, Value, view_on<Backend>> matrix, stage_log* log) {
  if (matrix.rows != matrix.cols) return mirror_symmetry::none;
  const std::int64_t entries = matrix.values.size();
  timed_stage timing(on, log, "compare with mirror images", entries,
                     entries * (std::int64_t{sizeof(Value)} + 4) * 2);
  const auto rows = expand_offsets(on, matrix.row_offsets.data(), matrix.rows, entries);
  return symmetry_of_entries(on,
                             mirrored_entry<Offset, Value>{matrix.row_offsets.data(), rows.data(),
                                                           matrix.col_indices.data(), matrix.values.data()},
                             entries);
}

// They are a row's last ones.
template <class Offset>
struct upper_entries_of_row {
  const Offset* row_offsets;
  const std::int32_t* cols;

  SPARSMITH_HOST_DEVICE Offset operator()(std::int64_t row) const {
    return row_offsets[row + 1] - first_not_below(cols, row_offsets[row], row_offsets[row + 1], row);
  }
};

template <class Backend, class Offset>
std::int64_t count_upper(Backend on, csr_pattern<Offset, space_on<Backend>> matrix) {
  const upper_entries_of_row<Offset> upper{matrix.row_offsets.data(), matrix.col_indices.data()};
  return reduce(
      on, matrix.rows, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return std::int64_t{upper(r)}; }, sum_of<std::int64_t>{});
}

template <class Backend, class Offset>
std::int64_t count_diagonal_blocks(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                   std::int32_t side) {
  const Offset* const row_offsets = matrix.row_offsets.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const std::int64_t rows = matrix.rows;
  return reduce(
      on, groups_of(rows, side), std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t block) {
        const std::int64_t first = block * side, last = first + side < rows ? first + side : rows;
        for (std::int64_t r = first; r < last; ++r) {
          const Offset at = first_not_below(cols, row_offsets[r], row_offsets[r + 1], first);
          if (at < row_offsets[r + 1] && cols[at] < last) return std::int64_t{1};
        }
        return std::int64_t{0};
      },
      sum_of<std::int64_t>{});
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> csr_to_upper(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t entries = matrix.values.size();
  timed_stage timing(on, log, "take upper triangle", entries,
                     entries * (std::int64_t{sizeof(Value)} + 4) * 2);
  const auto rows = expand_offsets(on, matrix.row_offsets.data(), matrix.rows, entries);
  const std::int32_t* const row = rows.data();
  const std::int32_t* const cols = matrix.col_indices.data();
  const Value* const values = matrix.values.data();
  const Offset* const row_offsets = matrix.row_offsets.data();
  csr<Offset, Value, space> result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  const upper_entries_of_row<Offset> upper{row_offsets, cols};
  result.row_offsets = offsets_from_lengths<Offset>(
      on, matrix.rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) { return upper(r); });
  const std::int64_t kept = read_one(on, result.row_offsets.data() + matrix.rows);
  result.col_indices = array<std::int32_t, space>(kept);
  result.values = array<Value, space>(kept);
  const Offset* const ends = result.row_offsets.data() + 1;
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  for_each_index(on, entries, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    const std::int32_t r = row[e];
    if (cols[e] < r) return;
    const std::int64_t to = ends[r] - (row_offsets[std::int64_t{r} + 1] - e);
    out_cols[to] = cols[e];
    out_values[to] = values[e];
  });
  return result;
}

// Row r of the whole matrix is column r of the triangle, without the diagonal, and then the triangle's row.
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> upper_to_csr(Backend on, csr<Offset, Value, view_on<Backend>> upper,
                                                   bool skew, stage_log* log) {
  using space = space_on<Backend>;
  const std::int64_t kept = upper.values.size();
  const auto columns = csr_to_csc(on, upper, log);
  timed_stage timing(on, log, "add mirror images", 2 * kept, kept * (std::int64_t{sizeof(Value)} + 4) * 4);
  const Offset* const row_offsets = upper.row_offsets.data();
  const std::int32_t* const cols = upper.col_indices.data();
  const Value* const values = upper.values.data();
  const Offset* const col_offsets = columns.col_offsets.data();
  const std::int32_t* const below_rows = columns.row_indices.data();
  const Value* const below_values = columns.values.data();

  const auto rows = expand_offsets(on, row_offsets, upper.rows, kept);
  const std::int32_t* const row = rows.data();
  const std::int64_t on_diagonal = reduce(
      on, kept, std::int64_t{0},
      [=] SPARSMITH_HOST_DEVICE(std::int64_t e) { return std::int64_t{row[e] == cols[e]}; },
      sum_of<std::int64_t>{});
  const std::int64_t entries = 2 * kept - on_diagonal;
  if (entries > std::numeric_limits<Offset>::max())
    throw error(failure::resources, "more entries than 32-bit offsets can count; use 64-bit offsets",
                "offsets");
  csr<Offset, Value, space> result;
  result.rows = upper.rows;
  result.cols = upper.cols;
  result.row_offsets =
      offsets_from_lengths<Offset>(on, upper.rows, [=] SPARSMITH_HOST_DEVICE(std::int64_t r) {
        const bool diagonal = row_offsets[r] < row_offsets[r + 1] && cols[row_offsets[r]] == r;
        return static_cast<Offset>(col_offsets[r + 1] - col_offsets[r] - (diagonal ? 1 : 0) +
                                   row_offsets[r + 1] - row_offsets[r]);
      });
  result.col_indices = array<std::int32_t, space>(entries);
  result.values = array<Value, space>(entries);
  const Offset* const starts = result.row_offsets.data();
  std::int32_t* const out_cols = result.col_indices.data();
  Value* const out_values = result.values.data();
  for_each_index(on, kept, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    const std::int64_t next = std::int64_t{row[e]} + 1;
    const std::int64_t to = starts[next] - (row_offsets[next] - e);
    out_cols[to] = cols[e];
    out_values[to] = values[e];
  });
  const auto lines = expand_offsets(on, col_offsets, upper.cols, kept);
  const std::int32_t* const line = lines.data();
  for_each_index(on, kept, [=] SPARSMITH_HOST_DEVICE(std::int64_t e) {
    if (below_rows[e] == line[e]) return;
    const std::int64_t to = starts[line[e]] + (e - col_offsets[line[e]]);
    out_cols[to] = below_rows[e];
    out_values[to] = skew ? negated(below_values[e]) : below_values[e];
  });
  return result;
}

}  // namespace sparsmith
