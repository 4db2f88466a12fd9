// Every conversion, as declarations a caller can include without Thrust. Each is one source compiled for both
// backends (openmp.cpp and cuda.cu, the long ones in blocked_ and tile_ of them) and for the combinations of
// offset and value type. All are deterministic: the same input gives the same bytes on either backend and
// with any number of threads. Stages add what they cost to the log; without one nobody waits for the device.
#pragma once

#include <optional>
#include <vector>

#include "convert/backend/backend.hpp"
#include "convert/formats/complex.hpp"
#include "convert/formats/formats.hpp"
#include "convert/options.hpp"

namespace sparsmith {

template <class Backend>
using space_on = typename Backend::space;
template <class Backend>
using view_on = typename Backend::space::view;

// Adds the mirrored entry of every one off the diagonal, negated where `skew`. The diagonal stays as it is.
template <class Backend>
coo<double, space_on<Backend>> expand_symmetry(Backend on, coo<double, space_on<Backend>>&& entries,
                                               bool skew, stage_log* log);

struct narrowing {
  std::int64_t changed = 0;     // values a float does not hold exactly
  std::int64_t overflowed = 0;  // finite values that became infinite
};
template <class Backend, class Offset>
csr<Offset, float, space_on<Backend>> narrow_values(Backend on,
                                                    csr<Offset, double, space_on<Backend>>&& matrix,
                                                    narrowing* result, stage_log* log);

// Complex values move last (complex_values.hpp): conversions move their numbers, from `before` + 1 on, and 0
// for a value whose bits are all 0. Of the numbers that this array has, each then takes its value; where it
// is the first of several arrays, 0 takes 0.
template <class Backend, class Value>
void number_values(Backend on, array_view<const Value> values, std::int64_t before, double* numbers);
template <class Backend, class Value>
void take_values(Backend on, array_view<const double> numbers, array_view<const Value> from,
                 std::int64_t before, Value* to);
// Numbers of those that are not zero, and 0 of the others.
template <class Backend>
array<double, space_on<Backend>> number_nonzeros(Backend on, array_view<const complex128> values);
template <class Backend, class Value>
std::int64_t count_complex_zeros(Backend on, array_view<const Value> values);
template <class Backend>
array<complex128, space_on<Backend>> join_parts(Backend on, array_view<const double> real,
                                                array_view<const double> imaginary, stage_log* log);
// Counts values of which either part is changed, or becomes infinite.
template <class Backend>
array<complex64, space_on<Backend>> narrow_complex(Backend on, array_view<const complex128> wide,
                                                   narrowing* result, stage_log* log);

// Sorts where the order is not already right, sums duplicates from first to last, compresses the rows.
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> coo_to_csr(Backend on, coo<Value, space_on<Backend>>&& entries,
                                                 stage_log* log);

// Whether the offsets rise from 0 to the number of entries, and the columns inside every row.
template <class Backend, class Offset>
bool is_csr(Backend on, csr_pattern<Offset, space_on<Backend>> matrix);

template <class Backend, class Offset, class Value>
std::int64_t count_zeros(Backend on, csr<Offset, Value, view_on<Backend>> matrix);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> drop_zeros(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log);

template <class Backend, class Offset, class Value>
coo<Value, space_on<Backend>> csr_to_coo(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         stage_log* log);

template <class Backend, class Offset, class Value>
csc<Offset, Value, space_on<Backend>> csr_to_csc(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> csc_to_csr(Backend on, csc<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log);

// A padded format that would store more than `max_fill` slots per entry is refused before it is built.
template <class Backend, class Offset, class Value>
ell<Value, space_on<Backend>> csr_to_ell(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         double max_fill, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> ell_to_csr(Backend on, ell<Value, view_on<Backend>> matrix,
                                                 stage_log* log);

template <class Backend, class Offset, class Value>
sell<Offset, Value, space_on<Backend>> csr_to_sell(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   sell_shape shape, double max_fill, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> sell_to_csr(Backend on, sell<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log);

// A negative width asks for Bell and Garland's rule.
template <class Backend, class Offset, class Value>
hyb<Value, space_on<Backend>> csr_to_hyb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         std::int32_t width, double max_fill, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> hyb_to_csr(Backend on, hyb<Value, view_on<Backend>> matrix,
                                                 stage_log* log);

// What `share` is: conversion_options::dia_share.
template <class Backend, class Offset, class Value>
dia<Value, space_on<Backend>> csr_to_dia(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                         double share, double max_fill, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> dia_to_csr(Backend on, dia<Value, view_on<Backend>> matrix,
                                                 stage_log* log);

// Whether every entry has a mirror image across the diagonal, of the same bits or of the negated ones; on the
// diagonal a negated matrix has zeros. `equal` where both hold.
enum class mirror_symmetry { none, equal, negated };
template <class Backend, class Offset, class Value>
mirror_symmetry find_symmetry(Backend on, csr<Offset, Value, view_on<Backend>> matrix, stage_log* log);
// The entries on and above the diagonal: how many, themselves, and the matrix of which these are half.
template <class Backend, class Offset>
std::int64_t count_upper(Backend on, csr_pattern<Offset, space_on<Backend>> matrix);
// Square blocks with entries whose corners lie on the diagonal.
template <class Backend, class Offset>
std::int64_t count_diagonal_blocks(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                                   std::int32_t side);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> csr_to_upper(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> upper_to_csr(Backend on, csr<Offset, Value, view_on<Backend>> upper,
                                                   bool skew, stage_log* log);

template <class Backend, class Offset, class Value>
bsr<Offset, Value, space_on<Backend>> csr_to_bsr(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 block_size block, double max_fill, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> bsr_to_csr(Backend on, bsr<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log);

// Which holding suits eCSB's block rows: ELL where padding them all stays within a quarter of the entries,
// the hybrid where Bell and Garland's width keeps at least half of the entries in its ELL part within the
// same padding, else COO.
inline ecsb_holding choose_holding(std::int64_t entries, std::int64_t block_rows, std::int64_t longest,
                                   std::int64_t third, std::int64_t entries_in_front) {
  const double most = 1.25 * static_cast<double>(entries);
  if (static_cast<double>(block_rows * longest) <= most) return ecsb_holding::ell;
  const auto hybrid = static_cast<double>(block_rows * third + (entries - entries_in_front));
  return entries_in_front * 2 >= entries && hybrid <= most ? ecsb_holding::hybrid : ecsb_holding::coo;
}

template <class Backend, class Offset, class Value>
csb<Offset, Value, space_on<Backend>> csr_to_csb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                 const block_options& options, stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> csb_to_csr(Backend on, csb<Offset, Value, view_on<Backend>> matrix,
                                                 stage_log* log);
template <class Backend, class Offset, class Value>
ecsb<Offset, Value, space_on<Backend>> csr_to_ecsb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   const block_options& options, double max_fill,
                                                   stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> ecsb_to_csr(Backend on, ecsb<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log);
template <class Backend, class Offset, class Value>
gcsb<Offset, Value, space_on<Backend>> csr_to_gcsb(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                   const block_options& options, double max_fill,
                                                   stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> gcsb_to_csr(Backend on, gcsb<Offset, Value, view_on<Backend>> matrix,
                                                  stage_log* log);

// GCSB's layout `tile`.
template <class Backend, class Offset, class Value>
gcsb_tile<Offset, Value, space_on<Backend>> csr_to_gcsb_tile(Backend on,
                                                             csr<Offset, Value, view_on<Backend>> matrix,
                                                             const tile_options& options, double max_fill,
                                                             stage_log* log);
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> gcsb_tile_to_csr(Backend on,
                                                       gcsb_tile<Offset, Value, view_on<Backend>> matrix,
                                                       stage_log* log);
// What the layout would be, as far as that is known before it is laid out.
struct tile_price {
  std::int32_t height = 0, width = 0;
  int index_bits = 0;
  bool renumbered = false;
  std::int64_t tiles = 0, least_steps = 0, rest = 0;
};
template <class Backend, class Offset>
tile_price price_tiles(Backend on, csr_pattern<Offset, space_on<Backend>> matrix,
                       const tile_options& options);
// Entries of every lane of every stored tile.
template <class Backend, class Offset>
array<std::int32_t, host> lane_entry_counts(Backend on, const tile_cells& cells,
                                            array_view<const Offset> tile_offsets,
                                            array_view<const std::uint16_t> combined16,
                                            array_view<const std::uint32_t> combined32);
template <class Backend, class Offset, class Value>
array<std::int32_t, host> lane_entry_counts(Backend on, gcsb_tile<Offset, Value, view_on<Backend>> matrix) {
  return lane_entry_counts(on, tile_cells(matrix.tile_height, matrix.tile_width, matrix.group_size),
                           matrix.tile_offsets, matrix.combined16, matrix.combined32);
}

}  // namespace sparsmith
