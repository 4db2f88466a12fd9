// How a format's file gives its table: it specialises `table_of` for the format and instantiates kernels_of
// for every combination of types. Nobody else includes this, so that a table is compiled in one place.
#pragma once

#include "kernels/registry.hpp"

namespace sparsmith {

// static kernel_table<Matrix> lines();
template <class Matrix>
struct table_of;

template <class Matrix>
kernel_table<Matrix> kernels_of(const Matrix&) {
  return table_of<Matrix>::lines();
}

}  // namespace sparsmith
