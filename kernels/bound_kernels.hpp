// Kernels of any format as one type: the lines of a matrix's table, tied to the matrix and to where they run,
// so that whoever compares them need not know the format.
#pragma once

#include "kernels/registry.hpp"

namespace sparsmith {

template <class Value>
struct bound_kernel {
  kernel_info info;
  std::function<std::string(operation)> why_not;  // empty where it can run
  std::function<prepared_kernel<Value>(operation)> prepare;
  // Of several vectors at once; empty where the kernel has no way to.
  std::function<prepared_many<Value>(operation, vector_layout)> prepare_many = {};
};

// The arrays the view shows must outlive the kernels. None where there is no table.
template <class View>
std::vector<bound_kernel<typename View::value_type>> bound_kernels_of(backend_in<typename View::space> on,
                                                                      const View& matrix) {
  std::vector<bound_kernel<typename View::value_type>> all;
  if constexpr (has_kernel_table<View>)
    for (const auto& line : kernels_of(matrix)) {
      all.push_back({line.info, [matrix, line](operation op) { return line.why_not(matrix, op); },
                     [on, matrix, line](operation op) { return line.prepare(on, matrix, op); }});
      if (line.prepare_many)
        all.back().prepare_many = [on, matrix, line](operation op, vector_layout as) {
          return line.prepare_many(on, matrix, op, as);
        };
    }
  return all;
}

}  // namespace sparsmith
