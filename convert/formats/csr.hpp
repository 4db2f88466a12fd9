// CSR: the entries row by row, columns strictly increasing inside a row; row r is
// [row_offsets[r], row_offsets[r + 1]). Every conversion goes from or to this format.
#pragma once

#include "convert/formats/format.hpp"

namespace sparsmith {

template <class Offset, class Value, class Space>
struct csr {
  static constexpr const char* name = "csr";
  using offset_type = Offset;
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = csr<Offset, Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  array_in<Offset, Space> row_offsets;  // rows + 1
  array_in<std::int32_t, Space> col_indices;
  array_in<Value, Space> values;

  static constexpr std::array member_names = {"rows", "cols", "row_offsets", "col_indices", "values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.row_offsets, s.col_indices, s.values);
  }
};

// The pattern of a CSR matrix, for what does not look at values: a view, whoever owns the arrays.
template <class Offset, class Space>
struct csr_pattern {
  std::int32_t rows = 0;
  std::int32_t cols = 0;
  array_view<const Offset> row_offsets;
  array_view<const std::int32_t> col_indices;

  SPARSMITH_HOST_DEVICE std::int64_t entries() const { return col_indices.size(); }
  std::int64_t bytes() const { return row_offsets.size() * std::int64_t{sizeof(Offset)} + entries() * 4; }
};

// The space that owns what a view of that space shows.
template <class Space>
struct owner_of {
  using type = Space;
};
template <class Space>
struct owner_of<view_of<Space>> {
  using type = Space;
};

template <class Offset, class Value, class Space>
csr_pattern<Offset, typename owner_of<Space>::type> pattern_of(const csr<Offset, Value, Space>& matrix) {
  return {matrix.rows, matrix.cols, matrix.row_offsets, matrix.col_indices};
}

}  // namespace sparsmith
