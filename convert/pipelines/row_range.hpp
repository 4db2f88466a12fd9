// A range of rows with its entries, which is what one team works on, and how the team goes through them.
#pragma once

#include "convert/backend/backend.hpp"
#include "convert/pipelines/load_ahead.hpp"

namespace sparsmith {

// Some rows, whole or cut at both ends, and their entries: a block row, or a piece of one.
struct row_range {
  std::int64_t number;  // of the block row or piece
  std::int64_t first_row, end_row;
  std::int64_t first, last;  // entries
};

// The row of an entry, between two rows that enclose it.
template <class Offset>
SPARSMITH_HOST_DEVICE std::int64_t row_of_entry(const Offset* row_offsets, std::int64_t low,
                                                std::int64_t high, std::int64_t entry) {
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    if (row_offsets[middle] <= entry)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// An entry as it is loaded: its column and, where somebody wants it, its value.
template <class Value>
struct loaded_entry {
  std::int32_t col;
  Value value;
};

// f(entry, row, what is loaded of it) for every entry of the range, the row counted from the range's first.
// Long rows, of which there are enough for all, go one after the other to the warps of the team, so that the
// row is known; others are taken together and each entry looks its row up. On a GPU one loop does both: f is
// compiled into it several times over.
template <class Team, class Offset, class Value, class Function>
SPARSMITH_HOST_DEVICE void for_each_entry(const Team& team, const row_range& range, const Offset* row_offsets,
                                          const std::int32_t* cols, const Value* values, Function f) {
  const auto load = [&](std::int64_t e) {
    return loaded_entry<Value>{cols[e], values == nullptr ? Value{0} : values[e]};
  };
  if constexpr (Team::threads == 1) {  // a thread of a CPU wants a loop for each, without a question in it
    const auto with_row = [&](std::int64_t r) {
      return [&, r](std::int64_t e, const loaded_entry<Value>& entry) { f(e, r - range.first_row, entry); };
    };
    if (range.last - range.first < range.end_row - range.first_row) {
      for (std::int64_t e = range.first; e < range.last; ++e)
        with_row(row_of_entry(row_offsets, range.first_row, range.end_row, e))(e, load(e));
      return;
    }
    for (std::int64_t r = range.first_row; r < range.end_row; ++r) {
      const std::int64_t start = row_offsets[r] < range.first ? range.first : std::int64_t{row_offsets[r]};
      const std::int64_t end =
          row_offsets[r + 1] > range.last ? range.last : std::int64_t{row_offsets[r + 1]};
      load_ahead(start, end, 1, load, with_row(r));
    }
    return;
  }
  const std::int32_t lanes = team.size() < 32 ? team.size() : 32;
  const std::int64_t rows = range.end_row - range.first_row;
  const bool long_rows = range.last - range.first >= lanes * rows && rows > team.size() / lanes;
  const std::int64_t first_row = long_rows ? range.first_row + team.rank() / lanes : range.first_row;
  const std::int64_t end_row = long_rows ? range.end_row : range.first_row + 1;
  const std::int32_t stride = long_rows ? lanes : team.size();
  for (std::int64_t r = first_row; r < end_row; r += team.size() / lanes) {
    std::int64_t start = range.first, end = range.last;
    if (long_rows) {
      start = row_offsets[r] < start ? start : std::int64_t{row_offsets[r]};
      end = row_offsets[r + 1] > end ? end : std::int64_t{row_offsets[r + 1]};
    }
    load_ahead(start + team.rank() % stride, end, stride, load,
               [&](std::int64_t e, const loaded_entry<Value>& entry) {
                 const std::int64_t row =
                     long_rows ? r : row_of_entry(row_offsets, range.first_row, range.end_row, e);
                 f(e, row - range.first_row, entry);
               });
  }
}

}  // namespace sparsmith
