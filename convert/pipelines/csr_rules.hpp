// Whether arrays that somebody else made are a matrix in CSR.
#pragma once

#include <type_traits>

#include "convert/backend/primitives.hpp"
#include "convert/pipelines/pipelines.hpp"
#include "convert/pipelines/row_range.hpp"

namespace sparsmith {

template <class Offset>
struct csr_rules {
  std::int64_t rows, cols, entries;
  const Offset* row_offsets;
  const std::int32_t* col_indices;

  SPARSMITH_HOST_DEVICE bool is_column(std::int64_t entry) const {
    return col_indices[entry] >= 0 && col_indices[entry] < cols;
  }
};

// Of an offset: all of them rise from 0 to the number of entries.
template <class Offset>
struct offset_rises {
  csr_rules<Offset> m;
  SPARSMITH_HOST_DEVICE bool operator()(std::int64_t i) const {
    if (i == 0 && m.row_offsets[0] != 0) return false;
    return i == m.rows ? m.row_offsets[i] == m.entries : m.row_offsets[i] <= m.row_offsets[i + 1];
  }
};
// Of columns, where all offsets are right: those of a row rise, for a thread that goes down the rows; and of
// an entry, which finds its row where it does not come after its neighbour.
template <class Offset>
struct columns_of_row_rise {
  csr_rules<Offset> m;
  SPARSMITH_HOST_DEVICE bool operator()(std::int64_t row) const {
    const Offset first = m.row_offsets[row], last = m.row_offsets[row + 1];
    for (Offset e = first; e < last; ++e)
      if (!m.is_column(e) || (e > first && m.col_indices[e] <= m.col_indices[e - 1])) return false;
    return true;
  }
};
template <class Offset>
struct column_rises {
  csr_rules<Offset> m;
  SPARSMITH_HOST_DEVICE bool operator()(std::int64_t e) const {
    if (!m.is_column(e)) return false;
    if (e == 0 || m.col_indices[e - 1] < m.col_indices[e]) return true;
    return m.row_offsets[row_of_entry(m.row_offsets, 0, m.rows, e)] == e;
  }
};

struct both_hold {
  SPARSMITH_HOST_DEVICE bool operator()(bool a, bool b) const { return a && b; }
};

template <class Backend, class Offset>
bool is_csr(Backend on, csr_pattern<Offset, space_on<Backend>> matrix) {
  const csr_rules<Offset> m{matrix.rows, matrix.cols, matrix.entries(), matrix.row_offsets.data(),
                            matrix.col_indices.data()};
  if (!reduce(on, m.rows + 1, true, offset_rises<Offset>{m}, both_hold{})) return false;
  if constexpr (std::is_same_v<Backend, openmp>)
    return reduce(on, m.rows, true, columns_of_row_rise<Offset>{m}, both_hold{});
  else
    return reduce(on, m.entries, true, column_rises<Offset>{m}, both_hold{});
}

}  // namespace sparsmith
