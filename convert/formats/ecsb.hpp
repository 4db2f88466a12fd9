// eCSB: the entries of CSB, each with its block's row-major position beside its combined index, by block
// rows: block_row_offsets[b] is where block row b starts in that order. Held as COO (width 0), as ELL (the
// longest block row) or as a hybrid: the first `width` entries of every block row slot by slot, entry k of
// block row b at k * block_rows + b, and what is longer in the rest, in order. A slot past its block row's
// length is padding with value 0, index 0 and the block row's first block.
#pragma once

#include "convert/formats/csb.hpp"

namespace sparsmith {

enum class ecsb_holding : std::int32_t { coo, ell, hybrid };
inline const char* name_of(ecsb_holding holding) {
  return holding == ecsb_holding::coo ? "coo" : holding == ecsb_holding::ell ? "ell" : "hybrid";
}

template <class Offset, class Value, class Space>
struct ecsb {
  static constexpr const char* name = "ecsb";
  using offset_type = Offset;
  using value_type = Value;
  using space = Space;
  template <class S>
  using in = ecsb<Offset, Value, S>;

  std::int32_t rows = 0;
  std::int32_t cols = 0;
  std::int32_t beta = 0;
  std::int32_t order = 0;    // a block_order
  std::int32_t holding = 0;  // an ecsb_holding
  std::int64_t width = 0;
  array_in<Offset, Space> block_row_offsets;  // block rows + 1, in entries
  array_in<Offset, Space> ell_block_indices;
  array_in<std::uint16_t, Space> ell_combined16;
  array_in<std::uint32_t, Space> ell_combined32;
  array_in<Value, Space> ell_values;
  array_in<Offset, Space> rest_block_indices;
  array_in<std::uint16_t, Space> rest_combined16;
  array_in<std::uint32_t, Space> rest_combined32;
  array_in<Value, Space> rest_values;

  static constexpr std::array member_names = {"rows",
                                              "cols",
                                              "beta",
                                              "order",
                                              "holding",
                                              "width",
                                              "block_row_offsets",
                                              "ell_block_indices",
                                              "ell_combined16",
                                              "ell_combined32",
                                              "ell_values",
                                              "rest_block_indices",
                                              "rest_combined16",
                                              "rest_combined32",
                                              "rest_values"};
  template <class Self>
  static auto members(Self& s) {
    return std::tie(s.rows, s.cols, s.beta, s.order, s.holding, s.width, s.block_row_offsets,
                    s.ell_block_indices, s.ell_combined16, s.ell_combined32, s.ell_values,
                    s.rest_block_indices, s.rest_combined16, s.rest_combined32, s.rest_values);
  }
};

}  // namespace sparsmith
