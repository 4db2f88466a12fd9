// A matrix in any format, on the host or on a GPU: shared and cheap to hand around. It knows what it is,
// keeps what its kernels prepared, and computes products. What is wrong is thrown as sparsmith::error, in a
// sentence.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "convert/assembly_report.hpp"
#include "convert/error.hpp"
#include "convert/options.hpp"
#include "tools/library/arguments.hpp"

namespace sparsmith {

// Where a matrix is to live and its products to run. `automatic`: on the GPU where there is one.
enum class run_on { automatic, cpu, gpu };

// `automatic`: float where every value of the input is one, else double; c64 and c128, complex values of two
// floats or two doubles, where its values are complex. Real values as complex ones have no imaginary parts;
// complex ones as real ones are refused.
enum class value_width { automatic, f32, f64, c64, c128 };

// What a product is multiplied by. Of a matrix of real values it is real.
using factor = std::complex<double>;

enum class operation;
namespace library {
struct matrix_state;
struct prepared_product;
}  // namespace library

// A kernel of a matrix's format, and why it does not compute a product of this matrix: empty where it does.
struct kernel_choice {
  std::string name, description;
  bool vendor = false;
  std::string why_not, why_not_transposed;
  bool repeatable = false, repeatable_transposed = false;  // the same bits every time
  // Of the two products that it makes in one pass.
  std::string why_not_both, why_not_normal;
  bool repeatable_both = false, repeatable_normal = false;
};

// Copies share the arrays and what was prepared; the kernels chosen by name and the stream are each copy's
// own. Products of one matrix may be asked for by several threads: with the same kernel they run one after
// another.
class matrix {
 public:
  std::int64_t rows() const;
  std::int64_t cols() const;
  std::int64_t entries() const;     // stored ones, explicit zeros among them, padding not
  std::int64_t bytes() const;       // of its arrays
  const std::string& name() const;  // what it was read from; "matrix" where it was not
  const std::string& format() const;
  format_kind kind() const;
  const format_parameters& parameters() const;  // {"beta", 32}, ...: the format's own sizes
  int value_bits() const;                       // 32: float, 64: double; of complex values 64 and 128
  bool complex_values() const;
  int offset_bits() const;
  place where() const;
  bool on_gpu() const { return where() == place::device; }
  bool borrowed() const;                    // the arrays are somebody else's
  const assembly_report& assembly() const;  // what reading did to it; all 0 of arrays taken as they are

  // y = alpha A x + beta y and y = alpha A^T x + beta y, where y may not overlap x. With beta 0 y is not
  // read, with alpha 0 x is not. Vectors hold what the matrix does: float, double, or std::complex of one of
  // them. In the host's memory: y is
  // there when the call returns; for a matrix on the GPU both are copied. In the GPU's (`device_span`): work
  // is queued on the matrix's stream, without copies. Several vectors at once: multiply(1, by_rows(x, 8), 0,
  // by_rows(y, 8)), of which a CPU's kernels read A once for many; the room between rows, or between vectors,
  // is left as it is.
  template <class X, class Y>
  void multiply(factor alpha, const X& x, factor beta, Y&& y) const {
    multiply_as(false, alpha, x, beta, y);
  }
  template <class X, class Y>
  void multiply_transposed(factor alpha, const X& x, factor beta, Y&& y) const {
    multiply_as(true, alpha, x, beta, y);
  }
  // y = alpha A^H x + beta y, which of real values is the same as A^T x: by the kernel of A^T x, and the
  // conjugates of x and y.
  template <class X, class Y>
  void multiply_adjoint(factor alpha, const X& x, factor beta, Y&& y) const {
    static_assert(!library::is_several<X>, "A^H x has one vector at a time");
    library::require_vectors<const X&, Y>();
    run_adjoint(alpha, library::argument(x), beta, library::argument(y));
  }
  // y = alpha A x + beta y and z = alpha A^T w + beta z, and z = alpha A^T (A x) + beta z. A is read once
  // where the format has a kernel for that; else these are two products, one after the other. None of the
  // vectors that are written may overlap another.
  template <class X, class W, class Y, class Z>
  void multiply_both(factor alpha, const X& x, const W& w, factor beta, Y&& y, Z&& z) const {
    library::require_vectors<const X&, Y>();
    library::require_vectors<const W&, Z>();
    library::require_vectors<const X&, Z>();
    run_both(alpha, library::argument(x), library::argument(w), beta, library::argument(y),
             library::argument(z));
  }
  template <class X, class Z>
  void multiply_normal(factor alpha, const X& x, factor beta, Z&& z) const {
    library::require_vectors<const X&, Z>();
    run_normal(alpha, library::argument(x), beta, library::argument(z));
  }

  // By name, for every product that this kernel computes; the empty name is the format's default. Refused
  // where it computes none of them. What it does not compute in one pass is then two products.
  matrix& use_kernel(const std::string& name);
  // One for each product; an empty name leaves the choice as it is.
  matrix& use_kernels(const std::string& name, const std::string& name_transposed);
  // What will run; empty where that is two products.
  std::string kernel() const;
  std::string kernel_transposed() const;
  std::string kernel_both() const;
  std::string kernel_normal() const;

  // The first product with a kernel prepares it, which allocates and waits; these do it beforehand.
  void prepare() const;
  void prepare_transposed() const;
  void prepare_adjoint() const;
  void prepare_both() const;
  void prepare_normal() const;
  std::int64_t prepared_bytes() const;  // that all kernels prepared so far take beside the matrix

  // The same matrix with products on this stream of CUDA (a cudaStream_t); null is the default stream. One
  // that was created as non-blocking is held up and held to by events. The stream must live as long as the
  // copy.
  matrix on(void* stream) const;
  void* stream() const { return stream_; }
  void wait() const;  // until what is queued there is done; reports its errors

  explicit matrix(std::shared_ptr<const library::matrix_state> state);
  const library::matrix_state& state() const { return *state_; }

 private:
  template <class X, class Y>
  void multiply_as(bool transposed, factor alpha, const X& x, factor beta, Y& y) const {
    constexpr bool several = library::is_several<X>;
    static_assert(several == library::is_several<std::remove_cv_t<Y>>,
                  "x and y must both be one vector, or both several: by_rows(y, count)");
    if constexpr (several) {
      library::require_vectors<decltype((x.values)), decltype((y.values))>();
      run_several(transposed, alpha, library::argument_of(x), beta, library::argument_of(y));
    } else {
      library::require_vectors<const X&, Y&>();
      run(transposed, alpha, library::argument(x), beta, library::argument(y));
    }
  }
  void run_several(bool transposed, factor alpha, const library::several_argument& x, factor beta,
                   const library::several_argument& y) const;
  void run(bool transposed, factor alpha, const library::array_argument& x, factor beta,
           const library::array_argument& y) const;
  void run_adjoint(factor alpha, const library::array_argument& x, factor beta,
                   const library::array_argument& y) const;
  void run_both(factor alpha, const library::array_argument& x, const library::array_argument& w, factor beta,
                const library::array_argument& y, const library::array_argument& z) const;
  void run_normal(factor alpha, const library::array_argument& x, factor beta,
                  const library::array_argument& z) const;
  // What the vectors point to, inputs first. The adjoint of what is transposed.
  void compute(operation op, bool adjoint, factor alpha, factor beta,
               std::span<const library::array_argument> vectors) const;
  void compute_at(operation op, bool adjoint, factor alpha, factor beta, void* const* vectors) const;
  int kernel_for(operation op) const;
  std::string name_of_kernel(operation op) const;
  std::shared_ptr<library::prepared_product> product(operation op, bool adjoint = false) const;
  void prepare(operation op) const;

  std::shared_ptr<const library::matrix_state> state_;
  // By operation: a number, or one of what products.cpp has for the default and for two products.
  std::array<int, 4> kernels_ = {-1, -1, -1, -1};
  void* stream_ = nullptr;
  bool non_blocking_ = false;
};

std::vector<kernel_choice> kernels(const matrix& a);

struct read_options {
  run_on where = run_on::automatic;
  value_width values = value_width::automatic;
  bool wide_offsets = false;  // 64 bits even where 32 are enough
  bool drop_zeros = false;
  std::string variable = {};  // MATLAB, AnnData: which matrix of the file
  std::function<void(std::int64_t done, std::int64_t total)> progress = {};  // in bytes; total 0: not known
};

// A file of any kind that the tools read, "-", or a generator such as "gen:laplace2d?n=100"; in CSR.
matrix read(const std::string& input, const read_options& options = {});
// From a list of entries in any order, numbered from 0; entries of the same place are added up.
matrix from_entries(std::int64_t rows, std::int64_t cols, std::span<const std::int32_t> row_indices,
                    std::span<const std::int32_t> col_indices, std::span<const double> values,
                    const read_options& options = {});
matrix from_entries(std::int64_t rows, std::int64_t cols, std::span<const std::int32_t> row_indices,
                    std::span<const std::int32_t> col_indices, std::span<const std::complex<double>> values,
                    const read_options& options = {});

struct borrow_options {
  bool trusted = false;    // they are right: not checked
  void* stream = nullptr;  // of CUDA, on which arrays in the GPU's memory are being written
};

namespace library {
matrix borrow(std::int64_t rows, std::int64_t cols, const array_argument& row_offsets,
              const array_argument& col_indices, const array_argument& values, const borrow_options& options);
}
// Somebody else's CSR, on the host or on the GPU, without a copy: the arrays must stay as they are as long as
// there are copies of the matrix. Columns must rise strictly inside a row; that and all else is checked.
template <class Offsets, class Columns, class Values>
matrix borrow_csr(std::int64_t rows, std::int64_t cols, Offsets&& row_offsets, Columns&& col_indices,
                  Values&& values, const borrow_options& options = {}) {
  library::require_csr<Offsets, Columns, Values>();
  return library::borrow(rows, cols, library::argument(row_offsets), library::argument(col_indices),
                         library::argument(values), options);
}

// The same matrix in another format, in the same memory. CSR to CSR: itself, or a copy where it was
// borrowed; any other format is made anew, with these options. Where 32-bit offsets do not do, the result has
// wider ones.
matrix convert(const matrix& a, const std::string& format, const conversion_options& options = {});
// A copy where it is not: on the GPU or on the CPU.
matrix copy_to(const matrix& a, run_on where);

// The kind of file follows from its name: .mtx, .mtx.gz (entries, whatever the format), .npz, .bsp.h5, .h5.
// It appears when it is complete, or not at all.
void write(const matrix& a, const std::string& path);

}  // namespace sparsmith
