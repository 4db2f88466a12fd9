#pragma once

#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// Queues one pass that reads every column and every value, and nothing else; `sums` has room for
// read_pass_sums of them, so that the reading is not optimised away.
inline constexpr std::int64_t read_pass_sums = 1 << 16;
template <class Value>
void read_pass(openmp on, array_view<const std::int32_t> cols, array_view<const Value> values, double* sums);
template <class Value>
void read_pass(cuda on, array_view<const std::int32_t> cols, array_view<const Value> values, double* sums);

}  // namespace sparsmith
