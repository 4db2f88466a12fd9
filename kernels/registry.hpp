// The tables of kernels, one for every format and backend: kernels_of(view(matrix)). A new kernel is a type
// in its format's file and a line in that file's table.
#pragma once

#include <string_view>

#include "kernels/kernel.hpp"

namespace sparsmith {

// Defined in table.hpp, and instantiated in cpu/ for the host and in cuda/ for the device, each in the file
// of its format.
template <class Matrix>
kernel_table<Matrix> kernels_of(const Matrix& matrix);

// Every line of every table.
struct listed_kernel {
  format_kind format;
  std::string backend;
  kernel_info info;
};
// Of both backends, as far as this build has them, by format; those of complex values are fewer.
std::vector<listed_kernel> all_kernels(bool of_complex_values = false);

// Whether a format has a table: of complex values halves have none, nor on a GPU the layouts of the reference
// documents in blocks.
template <class Matrix>
inline constexpr bool has_kernel_table = [] {
  if (!is_complex<typename Matrix::value_type>) return true;
  constexpr std::string_view name = Matrix::name;
  if (Matrix::space::where == place::device && (name == "csb" || name == "ecsb" || name == "gcsb"))
    return false;
  return !requires(const Matrix& matrix) {
    matrix.upper;
  };
}();

// What the files of the formats call their matrices.
template <class Value, class Space>
using coo_view = coo<Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using csr_view = csr<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using csc_view = csc<Offset, Value, view_of<Space>>;
template <class Value, class Space>
using ell_view = ell<Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using sell_view = sell<Offset, Value, view_of<Space>>;
template <class Value, class Space>
using hyb_view = hyb<Value, view_of<Space>>;
template <class Value, class Space>
using dia_view = dia<Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using bsr_view = bsr<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using csr_half_view = csr_half<Offset, Value, view_of<Space>>;
template <class Value, class Space>
using dia_half_view = dia_half<Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using bsr_half_view = bsr_half<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using csb_view = csb<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using ecsb_view = ecsb<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using gcsb_view = gcsb<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using gcsb_tile_view = gcsb_tile<Offset, Value, view_of<Space>>;
template <class Offset, class Value, class Space>
using gcsb_tile_half_view = gcsb_tile_half<Offset, Value, view_of<Space>>;

// What a product with half of a symmetric matrix is multiplied by: its A^T is A or the negated A.
template <class Half>
typename Half::value_type sign_of_product(const Half& m, operation op) {
  return op == operation::transposed ? m.mirror() : typename Half::value_type{1};
}

}  // namespace sparsmith
