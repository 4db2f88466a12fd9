// CSR to CSC and back are the same transposition: a stable sort by the other index. On OpenMP it need not be
// one of all entries (transpose_openmp.hpp).
#pragma once

#include "convert/pipelines/compress.hpp"
#include "convert/pipelines/pipelines.hpp"
#ifndef __CUDACC__
#include "convert/pipelines/transpose_openmp.hpp"
#endif

namespace sparsmith {

template <class Offset, class Backend, class Value>
compressed_entries<Offset, Value, space_on<Backend>> transpose_compressed(
    Backend on, array_view<const Offset> offsets, array_view<const std::int32_t> indices,
    array_view<const Value> values, std::int64_t index_count, stage_log* log) {
  const std::int64_t count = values.size();
  const std::int64_t lines = offsets.size() - 1;
  timed_stage timing(on, log, "transpose", count, count * (std::int64_t{sizeof(Value)} + 4) * 2);
#ifndef __CUDACC__
  (void)lines;
  return transposition<Offset, Value>(offsets, indices, values, index_count).run();
#else
  const auto line_indices = expand_offsets(on, offsets.data(), lines, count);
  return compress<Offset>(
      on, sort_entries<Value>(on, indices, line_indices, values, index_count, lines, true), index_count);
#endif
}

template <class Backend, class Offset, class Value>
csc<Offset, Value, space_on<Backend>> csr_to_csc(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log) {
  auto parts =
      transpose_compressed(on, matrix.row_offsets, matrix.col_indices, matrix.values, matrix.cols, log);
  return {matrix.rows, matrix.cols, std::move(parts.offsets), std::move(parts.indices),
          std::move(parts.values)};
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> csc_to_csr(Backend on, csc<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log) {
  auto parts =
      transpose_compressed(on, matrix.col_offsets, matrix.row_indices, matrix.values, matrix.rows, log);
  return {matrix.rows, matrix.cols, std::move(parts.offsets), std::move(parts.indices),
          std::move(parts.values)};
}

}  // namespace sparsmith
