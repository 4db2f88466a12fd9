// The arrays that sparse matrices in HDF5 files are made of, whoever wrote them and whatever they are called:
// indices, where each line begins, values, and full arrays of which the non-zeros are the entries.
#pragma once

#include "convert/io/entries.hpp"
#include "convert/io/hdf5_file.hpp"

namespace sparsmith::hdf5 {

// Arrays of indices, which must be integers; in the second form they must also be there.
void require_integers(const input& in, const dataset& set, const char* name);
dataset open_indices(const input& in, const handle& group, const char* name);

array<std::int32_t, host> read_indices(const input& in, const dataset& set, const char* name,
                                       std::int32_t limit);

// From an array of where each line begins, and the last ends: the line of each of so many entries, in the
// words of `numbers` where lines have numbers of their own. `expected` says how long the array has to be.
array<std::int32_t, host> read_lines(const input& in, const dataset& starts, const char* name,
                                     std::int64_t lines, std::int64_t stored, const char* expected,
                                     const array<std::int32_t, host>* numbers = nullptr);

// Numbers of any type, Booleans, and pairs that are complex numbers. Sets what a matrix says of its values.
void read_values(const input& in, const dataset& set, const char* name, complex_values if_complex,
                 matrix_entries& result);

// An array of two dimensions, or its transpose.
void read_full(const input& in, const dataset& set, const char* name, bool transposed,
               complex_values if_complex, matrix_entries& result);

}  // namespace sparsmith::hdf5
