// CSC's kernels are CSR's: the CSC of A is the CSR of A^T, so that its A x is CSR's A^T x and the other way
// round; of both at once the vectors change places. The files of CSR's kernels instantiate this for their
// backend.
#pragma once

#include <string_view>

#include "kernels/table.hpp"

namespace sparsmith {

template <class Offset, class Value, class Space>
struct table_of<csc<Offset, Value, view_of<Space>>> {
  using matrix = csc_view<Offset, Value, Space>;
  using stored = csr_view<Offset, Value, Space>;

  static stored transpose(const matrix& m) {
    return {m.cols, m.rows, m.col_offsets, m.row_indices, m.values};
  }

  static kernel_table<matrix> lines() {
    const kernel_table<stored> csr_lines = kernels_of(stored{});
    // A line's info only points at its name.
    static const std::vector<std::string> names = [&] {
      std::vector<std::string> all;
      for (const auto& line : csr_lines)
        all.push_back("csc" + std::string(line.info.name).substr(std::string_view("csr").size()));
      return all;
    }();
    kernel_table<matrix> table;
    for (const auto& line : csr_lines) {
      kernel_info info = turned(line.info);
      info.name = names[table.size()].c_str();
      info.code_name = line.info.name;
      table.push_back({info,
                       [line](const matrix& m, operation op) {
                         // About A, and not about the CSR that this is run as.
                         return turned(line.info).computes(op) ? line.why_not(transpose(m), turned(op))
                                                               : no_product_with(op);
                       },
                       [line](backend_in<Space> on, const matrix& m, operation op) {
                         auto ready = line.prepare(on, transpose(m), turned(op));
                         if (op != operation::both) return ready;
                         return both_products<Value>(
                             ready.bytes, m.rows, m.cols,
                             [run = ready.run_both](Value alpha, const Value* x, const Value* w, Value beta,
                                                    Value* y, Value* z) { run(alpha, w, x, beta, z, y); });
                       }});
      if (line.prepare_many)
        table.back().prepare_many = [line](backend_in<Space> on, const matrix& m, operation op,
                                           vector_layout as) {
          return line.prepare_many(on, transpose(m), turned(op), as);
        };
    }
    return table;
  }
};

}  // namespace sparsmith
