// What callers of the library use: entries to canonical CSR (`assemble`), CSR to any format (`from_csr`)
// and back (`to_csr`). Everything stays in the backend's own memory in between; what is given is looked at
// through a view, so that arrays of others need no copy. Compiled once for every backend and combination of
// types (convert.cpp).
#pragma once

#include "convert/dispatch.hpp"
#include "convert/error.hpp"
#include "convert/io/entries.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// What reading and assembling did to a matrix; everything a user should know before trusting the result.
struct assembly_report {
  std::int64_t stored = 0;             // entries as they came
  std::int64_t expanded = 0;           // added by symmetry
  std::int64_t duplicates_summed = 0;  // entries that went into another
  std::int64_t stored_twice = 0;       // pairs of mirror images both stored, of a matrix said to be symmetric
  std::int64_t explicit_zeros = 0;     // stored zeros, kept or dropped
  bool zeros_dropped = false;
  std::int64_t narrowed = 0;     // values a float does not hold exactly
  std::int64_t rounded = 0;      // integers a double does not hold exactly
  std::int64_t array_zeros = 0;  // zeros of a dense array, never entries

  bool operator==(const assembly_report&) const = default;
};

// What the matrix probably was not meant to be, in one line; empty where nothing looks wrong. A file that
// says symmetric and stores both triangles gets the values that it asks for, each twice what its writer had.
std::string doubt_about(const assembly_report& report);

// The most entries there can be once they are assembled: what decides the width of offsets.
std::int64_t most_entries(const matrix_entries& source);

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> assemble(Backend on, matrix_entries&& source, bool drop_explicit_zeros,
                                               assembly_report& report, stage_log* log);

template <class Backend, class Offset, class Value>
any_format<Offset, Value, space_on<Backend>> from_csr(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                      format_kind format, const conversion_options& options,
                                                      stage_log* log);

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> to_csr(Backend on,
                                             const any_format<Offset, Value, space_on<Backend>>& matrix,
                                             stage_log* log);

// What every format has, whichever it is.
struct format_summary {
  std::int64_t bytes = 0, slots = 0;
  format_parameters parameters;
};
template <class Offset, class Value, class Space>
format_summary summary_of(const any_format<Offset, Value, Space>& matrix);
template <class Offset, class Value, class Space>
any_format<Offset, Value, host> copy_to_host(const any_format<Offset, Value, Space>& matrix);

}  // namespace sparsmith
