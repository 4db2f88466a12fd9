// Matrices in PETSc's binary files, with indices of 32 or of 64 bits.
#pragma once

#include <string_view>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

bool is_petsc(std::string_view start);

matrix_entries read_petsc(const text_source& source, const progress_callback& progress = {});

}  // namespace sparsmith
