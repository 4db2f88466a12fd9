// A largest set of entries of which no two share a row or a column, by Hopcroft and Karp: what is easily
// matched first, then as many shortest augmenting paths at once as share no row, O(entries sqrt(rows)). J.
// Hopcroft, R. Karp: An n^(5/2) algorithm for maximum matchings in bipartite graphs, SIAM J. Comput. 2
// (1973).
#pragma once

#include <algorithm>
#include <cstdint>

#include "convert/formats/csr.hpp"

namespace sparsmith {

template <class Offset>
class row_matching {
 public:
  explicit row_matching(const csr_pattern<Offset, host>& matrix)
      : m_(matrix),
        col_of_(matrix.rows),
        row_of_(matrix.cols),
        distance_(matrix.rows),
        rows_(matrix.rows),
        next_(matrix.rows) {
    std::fill(col_of_.begin(), col_of_.end(), none);
    std::fill(row_of_.begin(), row_of_.end(), none);
  }

  std::int64_t most() {
    match_greedily();
    while (matched_ < std::min(m_.rows, m_.cols) && find_distances()) {
      for (std::int32_t row = 0; row < m_.rows; ++row) next_[row] = m_.row_offsets[row];
      for (std::int32_t row = 0; row < m_.rows; ++row)
        if (col_of_[row] == none) matched_ += augment(row) ? 1 : 0;
    }
    return matched_;
  }

 private:
  static constexpr std::int32_t none = -1;

  void match_greedily() {
    for (std::int32_t row = 0; row < m_.rows; ++row)
      for (std::int64_t e = m_.row_offsets[row]; e < m_.row_offsets[row + 1]; ++e) {
        const std::int32_t col = m_.col_indices[e];
        if (row_of_[col] != none) continue;
        match(row, col);
        ++matched_;
        break;
      }
  }

  void match(std::int32_t row, std::int32_t col) {
    col_of_[row] = col;
    row_of_[col] = row;
  }

  // Of the rows from those that have no column, by columns that others have; whether a column is free in the
  // end. Rows behind the nearest of those are left out.
  bool find_distances() {
    std::int64_t first = 0, last = 0;
    for (std::int32_t row = 0; row < m_.rows; ++row) {
      distance_[row] = col_of_[row] == none ? 0 : none;
      if (distance_[row] == 0) rows_[last++] = row;
    }
    bool found = false;
    for (std::int32_t reached = 0; first < last && !(found && distance_[rows_[first]] > reached); ++first) {
      const std::int32_t row = rows_[first];
      reached = distance_[row];
      for (std::int64_t e = m_.row_offsets[row]; e < m_.row_offsets[row + 1]; ++e) {
        const std::int32_t other = row_of_[m_.col_indices[e]];
        if (other == none) {
          found = true;
        } else if (distance_[other] == none) {
          distance_[other] = reached + 1;
          rows_[last++] = other;
        }
      }
    }
    return found;
  }

  // Down one path of rising distances from a row without a column to a free column, if one is left. No row is
  // gone through twice between two calls of find_distances.
  bool augment(std::int32_t start) {
    std::int64_t depth = 0;
    rows_[0] = start;
    while (depth >= 0) {
      const std::int32_t row = rows_[depth];
      if (next_[row] == m_.row_offsets[row + 1]) {
        --depth;
        continue;
      }
      const std::int32_t other = row_of_[m_.col_indices[next_[row]++]];
      if (other == none) {
        for (; depth >= 0; --depth) match(rows_[depth], m_.col_indices[next_[rows_[depth]] - 1]);
        return true;
      }
      if (distance_[other] == distance_[row] + 1) rows_[++depth] = other;
    }
    return false;
  }

  const csr_pattern<Offset, host>& m_;
  array<std::int32_t, host> col_of_, row_of_, distance_, rows_;  // rows_: a queue, then a path
  array<Offset, host> next_;                                     // entry of a row to look at
  std::int64_t matched_ = 0;
};

template <class Offset>
std::int64_t maximum_matching(const csr_pattern<Offset, host>& matrix) {
  return row_matching<Offset>(matrix).most();
}

}  // namespace sparsmith
