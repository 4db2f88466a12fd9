// What a kernel is: a named way to compute y = alpha A x + beta y, the same with A transposed, or two
// products in one pass, from the arrays of one format. Each is a type with `info`, a constructor that
// prepares it for a matrix on a backend, and `run`; `kernel_of` turns it into a line of its format's table,
// so that a kernel's name and its code come from the same type.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "convert/backend/backend.hpp"
#include "convert/error.hpp"
#include "convert/formats/formats.hpp"
#include "kernels/complex_arithmetic.hpp"
#include "kernels/kernel_info.hpp"

namespace sparsmith {

// A kernel ready for one matrix, which must outlive it, and one operation. x and y are in the matrix's memory
// space. With alpha 0 neither A nor x is read, with beta 0 y is not. One run at a time: copies share what was
// prepared, and a run on CUDA lasts until its stream is through with it. Prefix sums (`rounding_neighbours`)
// and the zeros that fill BSR's blocks and DIA's diagonals also meet entries of x that a row has no business
// with: there x should be finite, and A x too where that is multiplied by A^T.
template <class Value>
struct prepared_kernel {
  std::int64_t bytes = 0;  // taken beside the matrix
  // Of both products, w follows x and z follows y.
  std::function<void(Value alpha, const Value* x, Value beta, Value* y)> run;
  // Of both products alone: y = alpha A x + beta y and z = alpha A^T w + beta z, none of which share memory.
  std::function<void(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z)> run_both =
      {};
};

// A kernel of both products from what runs them, on a matrix of such sizes.
template <class Value, class Run>
prepared_kernel<Value> both_products(std::int64_t bytes, std::int64_t rows, std::int64_t cols, Run run) {
  return {bytes,
          [=](Value alpha, const Value* x, Value beta, Value* y) {
            run(alpha, x, alpha == Value{0} ? x : x + cols, beta, y, y + rows);
          },
          run};
}

// The backend that works in a space, or in a view of it.
template <class Space>
using backend_in = std::conditional_t<Space::where == place::host, openmp, cuda>;

template <class Matrix>
struct kernel {
  using backend = backend_in<typename Matrix::space>;
  kernel_info info;
  // Why it cannot run on this matrix; empty where it can.
  std::function<std::string(const Matrix& matrix, operation op)> why_not;
  // What is prepared runs where `on` says: on CUDA every run is queued on its stream.
  std::function<prepared_kernel<typename Matrix::value_type>(backend on, const Matrix& matrix, operation op)>
      prepare;
};

// The lines of one format's table.
template <class Matrix>
using kernel_table = std::vector<kernel<Matrix>>;

// y = beta y, without reading y where beta is 0.
template <class Value>
void scale(openmp on, std::int64_t count, Value beta, Value* y);
template <class Value>
bool scale(cuda on, std::int64_t count, Value beta, Value* y);  // whether a kernel is launched for it

constexpr std::int64_t outputs_of(std::int64_t rows, std::int64_t cols, operation op) {
  return op == operation::multiply ? rows : op == operation::both ? rows + cols : cols;
}
constexpr std::int64_t inputs_of(std::int64_t rows, std::int64_t cols, operation op) {
  return op == operation::transposed ? rows : op == operation::both ? cols + rows : cols;
}
template <class Matrix>
std::int64_t outputs(const Matrix& matrix, operation op) {
  return outputs_of(rows_of(matrix), cols_of(matrix), op);
}
template <class Matrix>
std::int64_t inputs(const Matrix& matrix, operation op) {
  return inputs_of(rows_of(matrix), cols_of(matrix), op);
}

// The first half of a line: what K says about itself.
//   K::info, K::matrix (a view type)
//   static std::string why_not(const matrix&, operation)   left out where it always applies
// What it refuses by what is known of a matrix before it is made is one rule for both, the matrix and its
// price:
//   static std::string why_not_expected(const matrix_outline&, operation)
//   static matrix_outline outline_of(const matrix&)         as far as that rule asks
// Preparing it is refused; that is all there is of a kernel that takes no matrix of this type, which then
// need not be compiled.
template <class K>
kernel<typename K::matrix> refusal_of() {
  using matrix_type = typename K::matrix;
  using line = kernel<matrix_type>;
  static_assert(K::info.facts.stated(), "a kernel says how it works: info.facts");
  static_assert(!K::info.computes.normal || K::info.rounding_neighbours == 0,
                "the reference has no bounds for prefix sums of prefix sums");
  constexpr bool has_rule = requires(const matrix_outline& known) {
    K::why_not_expected(known, operation::multiply);
  };
  const auto why_not = [](const matrix_type& m, operation op) -> std::string {
    if (!K::info.computes(op)) return no_product_with(op);
    if constexpr (requires { K::why_not(m, op); })
      if (std::string why = K::why_not(m, op); !why.empty()) return why;
    if constexpr (has_rule) return K::why_not_expected(K::outline_of(m), op);
    return {};
  };
  kernel_info info = K::info;
  if constexpr (has_rule) info.why_not_expected = &K::why_not_expected;
  return {info, why_not,
          [why_not](typename line::backend, const matrix_type& m,
                    operation op) -> prepared_kernel<typename matrix_type::value_type> {
            throw error(failure::usage, std::string(K::info.name) + ": " + why_not(m, op));
          }};
}

// The whole line of kernel type K, which has in addition
//   K(backend, const matrix&, operation)                    prepares
//   std::int64_t bytes() const                              left out where it takes nothing
//   void run(Value alpha, const Value* x, Value beta, Value* y) const
//   void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const
// as far as it computes what they are for. A matrix without slots or an alpha of 0 only scales y: neither the
// constructor nor run sees them.
template <class K>
kernel<typename K::matrix> kernel_of() {
  using matrix_type = typename K::matrix;
  using value = typename matrix_type::value_type;
  using backend = typename kernel<matrix_type>::backend;
  kernel<matrix_type> line = refusal_of<K>();
  line.prepare = [](backend on, const matrix_type& m, operation op) {
    std::int64_t bytes = 0;
    const std::int64_t rows = rows_of(m), cols = cols_of(m);
    std::shared_ptr<K> state;
    if (rows > 0 && cols > 0 && slots(m) > 0) {  // padding without columns has no place in x
      state = std::make_shared<K>(on, m, op);
      if constexpr (requires { state->bytes(); }) bytes = state->bytes();
    }
    synchronize(on);  // what was queued to prepare it: another thread may run it
    if constexpr (K::info.computes.both) {
      if (op == operation::both)
        return both_products<value>(bytes, rows, cols,
                                    [on, state, rows, cols](value alpha, const value* x, const value* w,
                                                            value beta, value* y, value* z) {
                                      if (state == nullptr || alpha == value{0}) {
                                        scale(on, rows, beta, y);
                                        scale(on, cols, beta, z);
                                      } else {
                                        state->run_both(alpha, x, w, beta, y, z);
                                      }
                                    });
    }
    prepared_kernel<value> ready;
    ready.bytes = bytes;
    if constexpr (K::info.computes.multiply || K::info.computes.transposed || K::info.computes.normal)
      ready.run = [on, state, count = outputs(m, op)](value alpha, const value* x, value beta, value* y) {
        if (state == nullptr || alpha == value{0})
          scale(on, count, beta, y);
        else
          state->run(alpha, x, beta, y);
      };
    return ready;
  };
  return line;
}

}  // namespace sparsmith
