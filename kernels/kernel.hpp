// What a kernel is: a named way to compute y = alpha A x + beta y, or the same with A transposed, from the
// arrays of one format. Each is a type with `info`, a constructor that prepares it for a matrix, and `run`;
// `kernel_of` turns it into a line of its format's table, so that a kernel's name and its code come from the
// same type and cannot be mixed up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "convert/backend/backend.hpp"
#include "convert/formats/formats.hpp"

namespace sparsmith {

enum class operation { multiply, transposed };  // A x, A^T x

inline const char* name_of(operation op) {
  return op == operation::multiply ? "A x" : "A^T x";
}

struct kernel_info {
  const char* name;         // format/schedule: the same on the command line, in JSON and in tests
  const char* description;  // one line
  const char* source;       // the document that describes it, "ours", or the vendor's library
  // Whether a run gives the same bits every time, on the same machine with the same number of threads.
  bool repeatable_multiply = false;
  bool repeatable_transposed = false;
  // How many entries before and after its own, in the order of storage, enter a row's rounding error.
  std::int32_t reach = 0;
  bool vendor = false;
  bool transposes = true;  // whether it has a product with A^T at all

  bool repeatable(operation op) const {
    return op == operation::multiply ? repeatable_multiply : repeatable_transposed;
  }
};

// A kernel ready for one matrix, which must outlive it, and one operation. x and y are in the matrix's memory
// space. With alpha 0 neither A nor x is read, with beta 0 y is not. One run at a time: copies share what was
// prepared. Prefix sums (`reach`) and the zeros that fill BSR's blocks also meet entries of x that a row has
// no business with: there x should be finite.
template <class Value>
struct prepared_kernel {
  std::int64_t bytes = 0;  // held beside the matrix
  std::function<void(Value alpha, const Value* x, Value beta, Value* y)> run;
};

template <class Matrix>
struct kernel {
  kernel_info info;
  // Why it cannot run on this matrix; empty where it can.
  std::string (*why_not)(const Matrix& matrix, operation op);
  prepared_kernel<typename Matrix::value_type> (*prepare)(const Matrix& matrix, operation op);
};

// The lines of one format's table.
template <class Matrix>
using kernel_table = std::vector<kernel<Matrix>>;

// The kernel that ran last in this thread, as its own code says.
const char* last_kernel_run();
void note_kernel_run(const char* name);

// y = beta y, without reading y where beta is 0.
template <class Value>
void scale(host, std::int64_t count, Value beta, Value* y);
template <class Value>
void scale(device, std::int64_t count, Value beta, Value* y);

template <class Matrix>
std::int64_t outputs(const Matrix& matrix, operation op) {
  return op == operation::multiply ? matrix.rows : matrix.cols;
}
template <class Matrix>
std::int64_t inputs(const Matrix& matrix, operation op) {
  return op == operation::multiply ? matrix.cols : matrix.rows;
}

// Slots for values, padding included.
template <class Matrix>
std::int64_t slots(const Matrix& matrix) {
  std::int64_t count = 0;
  for_each_member(matrix, [&](const char* name, const auto& member) {
    if constexpr (is_array<std::remove_cvref_t<decltype(member)>>)
      if (std::string(name).ends_with("values")) count += member.size();
  });
  return count;
}

// The owning space of a view: where x and y and what a kernel prepares live.
template <class View>
struct space_of_view;
template <class Space>
struct space_of_view<view_of<Space>> {
  using type = Space;
};

// The table's line of kernel type K:
//   K::info, K::matrix (a view type)
//   static std::string why_not(const matrix&, operation)   left out where it always applies
//   K(const matrix&, operation)                             prepares
//   std::int64_t bytes() const                              left out where nothing is held
//   void run(Value alpha, const Value* x, Value beta, Value* y) const
// A matrix without slots or an alpha of 0 only scales y: neither the constructor nor run sees them.
template <class K>
kernel<typename K::matrix> kernel_of() {
  using matrix_type = typename K::matrix;
  using value = typename matrix_type::value_type;
  using space = typename space_of_view<typename matrix_type::space>::type;
  kernel<matrix_type> line{K::info, nullptr, nullptr};
  line.why_not = [](const matrix_type& m, operation op) -> std::string {
    if (op == operation::transposed && !K::info.transposes) return "it has no product with A^T";
    if constexpr (requires { K::why_not(m, op); })
      return K::why_not(m, op);
    else
      return {};
  };
  line.prepare = [](const matrix_type& m, operation op) {
    prepared_kernel<value> ready;
    const std::int64_t count = outputs(m, op);
    std::shared_ptr<K> state;
    if (m.rows > 0 && m.cols > 0 &&
        slots(m) > 0) {  // padding alone, in a matrix without columns, has no place in x
      state = std::make_shared<K>(m, op);
      if constexpr (requires { state->bytes(); }) ready.bytes = state->bytes();
    }
    if constexpr (std::is_same_v<space, device>) synchronize(cuda{});  // another thread may run it
    ready.run = [state, count](value alpha, const value* x, value beta, value* y) {
      if (state == nullptr || alpha == value{0})
        scale(space{}, count, beta, y);
      else
        state->run(alpha, x, beta, y);
      note_kernel_run(K::info.name);
    };
    return ready;
  };
  return line;
}

}  // namespace sparsmith
