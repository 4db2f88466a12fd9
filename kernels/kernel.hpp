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

// How several vectors lie in memory: by rows, where the values of row i of all of them stand side by side, or
// one vector after the other.
struct vector_layout {
  std::int64_t count = 1;
  bool by_rows = true;
  const char* in_words() const { return by_rows ? "by rows" : "by columns"; }
};

// A kernel ready for a product with several vectors at once, laid out as it was prepared for: y = alpha A x +
// beta y for every one of them, or the same with A^T. A stride is that from one row to the next where they
// lie by rows, at least their number, and else that from one vector to the next.
template <class Value>
struct prepared_many {
  std::int64_t bytes = 0;
  std::function<void(Value alpha, const Value* x, std::int64_t x_stride, Value beta, Value* y,
                     std::int64_t y_stride)>
      run;
};

// From what computes it of one vector: one after the other, copied to and fro where they lie by rows.
template <class Value>
prepared_many<Value> one_by_one(openmp on, prepared_kernel<Value> single, std::int64_t inputs,
                                std::int64_t outputs, vector_layout as);
// From what computes it by rows: copied where they lie otherwise.
template <class Value>
prepared_many<Value> from_rows(openmp on, prepared_many<Value> by_rows, std::int64_t inputs,
                               std::int64_t outputs, vector_layout as);
// y = beta y of several vectors of `count` values each.
template <class Value>
void scale_many(openmp on, std::int64_t count, vector_layout as, Value beta, Value* y, std::int64_t stride);

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
  // The same of several vectors at once, for A x and A^T x; empty where there is none for this backend yet.
  std::function<prepared_many<typename Matrix::value_type>(backend on, const Matrix& matrix, operation op,
                                                           vector_layout as)>
      prepare_many = {};
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

template <class K>
inline constexpr bool has_code_for_many = !is_complex<typename K::matrix::value_type> && requires {
  typename K::many;
};

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
  if constexpr (has_code_for_many<K>) info.many_vectors = true;
  return {info, why_not,
          [why_not](typename line::backend, const matrix_type& m,
                    operation op) -> prepared_kernel<typename matrix_type::value_type> {
            throw error(failure::usage, std::string(K::info.name) + ": " + why_not(m, op));
          }};
}

// A product with several vectors by code of its own.
template <class K>
prepared_many<typename K::matrix::value_type> prepare_own_many(openmp on, const typename K::matrix& m,
                                                               operation op, vector_layout as) {
  using value = typename K::matrix::value_type;
  std::shared_ptr<typename K::many> state;
  prepared_many<value> ready;
  if (rows_of(m) > 0 && cols_of(m) > 0 && slots(m) > 0) {
    state = std::make_shared<typename K::many>(on, m, op, as.count);
    ready.bytes = state->bytes();
  }
  const vector_layout rows{as.count, true};
  ready.run = [=, count = outputs(m, op)](value alpha, const value* x, std::int64_t x_stride, value beta,
                                          value* y, std::int64_t y_stride) {
    if (state == nullptr || alpha == value{0})
      scale_many(on, count, rows, beta, y, y_stride);
    else
      state->run(alpha, x, x_stride, beta, y, y_stride);
  };
  return from_rows(on, std::move(ready), inputs(m, op), outputs(m, op), as);
}

// The whole line of kernel type K, which has in addition
//   K(backend, const matrix&, operation)                    prepares
//   std::int64_t bytes() const                              left out where it takes nothing
//   void run(Value alpha, const Value* x, Value beta, Value* y) const
//   void run_both(Value alpha, const Value* x, const Value* w, Value beta, Value* y, Value* z) const
//   K::many, a type for products with several vectors, by rows; left out where they are one after the other
//     many(backend, const matrix&, operation, vectors), bytes() as above
//     void run(Value alpha, const Value* x, std::int64_t x_stride, Value beta, Value* y, std::int64_t
//     y_stride)
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
  if constexpr (std::is_same_v<backend, openmp> && (K::info.computes.multiply || K::info.computes.transposed))
    line.prepare_many = [prepare = line.prepare](backend on, const matrix_type& m, operation op,
                                                 vector_layout as) -> prepared_many<value> {
      if (op != operation::multiply && op != operation::transposed)
        throw error(failure::usage,
                    std::string(K::info.name) + ": " + name_of(op) + " has one vector at a time");
      if constexpr (has_code_for_many<K>)
        return prepare_own_many<K>(on, m, op, as);
      else
        return one_by_one(on, prepare(on, m, op), inputs(m, op), outputs(m, op), as);
    };
  return line;
}

}  // namespace sparsmith
