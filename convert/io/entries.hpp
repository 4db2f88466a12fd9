// What every reader delivers: the entries as they are stored, in any order, with what the file says about
// them. Bringing them into shape (expanding symmetry, sorting, summing duplicates, narrowing) is the
// pipelines' work.
#pragma once

#include <functional>
#include <string>

#include "convert/formats/complex.hpp"
#include "convert/formats/formats.hpp"

namespace sparsmith {

// Hermitian: the mirror image of an entry is its conjugate; only complex matrices are.
enum class symmetry_kind { general, symmetric, skew_symmetric, hermitian };

// What to do with a matrix of complex values: refuse it by name, deliver where its entries are, each with
// value 1, or keep them.
enum class complex_values { refuse, pattern_only, keep };

struct matrix_entries {
  coo<double, host> entries;
  array<double, host>
      imaginary;  // parts of complex values, the real ones of which are in `entries`; else empty
  symmetry_kind symmetry = symmetry_kind::general;
  std::string field = "real";  // real, integer, pattern or complex
  std::string origin;          // what was read, for people: "Matrix Market coordinate", "SciPy npz csr", ...
  bool single_precision = false;    // every value, or part of one, came from a 32-bit float
  std::int64_t rounded_values = 0;  // integers too large for a double to hold exactly
  std::int64_t array_zeros = 0;     // zeros of a dense array or of dense blocks, which are no entries
  array<std::int64_t, host> ids;    // where rows were numbered anew: what each stood for
  std::string note;  // what else the reader has to say, in one line: other matrices in an archive
};

// What mirror images are beside their entries.
struct mirror_signs {
  bool real_negated = false, imaginary_negated = false;
};
inline mirror_signs mirror_signs_of(symmetry_kind kind) {
  const bool skew = kind == symmetry_kind::skew_symmetric;
  return {skew, skew || kind == symmetry_kind::hermitian};
}

// A matrix in one of our formats with the offset and value types its file was written with.
using stored_matrix =
    std::variant<any_format<std::int32_t, float, host>, any_format<std::int32_t, double, host>,
                 any_format<std::int64_t, float, host>, any_format<std::int64_t, double, host>,
                 any_format<std::int32_t, complex64, host>, any_format<std::int32_t, complex128, host>,
                 any_format<std::int64_t, complex64, host>, any_format<std::int64_t, complex128, host>>;

// Called now and then with the bytes done and the bytes in all (0 where unknown).
using progress_callback = std::function<void(std::int64_t done, std::int64_t total)>;

}  // namespace sparsmith
