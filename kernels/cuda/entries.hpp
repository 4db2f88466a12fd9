// Lists of entries as one operation sees them: A^T x is A x with the two index arrays swapped, so kernels on
// lists need not know the operation.
#pragma once

#include "kernels/cuda/launch.hpp"

namespace sparsmith {

template <class Value>
struct entry_list {
  const std::int32_t* outputs;
  const std::int32_t* inputs;
  const Value* values;
  std::int64_t count;
};

template <class Value>
entry_list<Value> entries_of(const array_view<const std::int32_t>& rows,
                             const array_view<const std::int32_t>& cols,
                             const array_view<const Value>& values, operation op) {
  const bool transposed = op == operation::transposed;
  return {transposed ? cols.data() : rows.data(), transposed ? rows.data() : cols.data(), values.data(),
          values.size()};
}

// y[output] += alpha value x[input] for all of a list: coo/segscan-32-block, as the rest of HYB needs it too.
template <class Value>
void add_entries(cuda on, const entry_list<Value>& list, Value alpha, const Value* x, Value* y);
// The same and z[input] += alpha value w[output], while the list is read once.
template <class Value>
void add_entries_both(cuda on, const entry_list<Value>& list, Value alpha, const Value* x, const Value* w,
                      Value* y, Value* z);

}  // namespace sparsmith
