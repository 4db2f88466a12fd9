// What callers of the library use: entries to canonical CSR (`assemble`), CSR to any format (`from_csr`)
// and back (`to_csr`). Everything stays in the backend's own memory in between; what is given is looked at
// through a view, so that arrays of others need no copy. Compiled once for every backend and combination of
// types (convert.cpp).
#pragma once

#include "convert/assembly_report.hpp"
#include "convert/dispatch.hpp"
#include "convert/error.hpp"
#include "convert/io/entries.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// The most entries there can be once they are assembled: what decides the width of offsets.
std::int64_t most_entries(const matrix_entries& source);

// The mirror images that a symmetry stands for, added to the entries, which then are a general matrix.
void expand_entries(matrix_entries& source, stage_log* log);

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> assemble(Backend on, matrix_entries&& source, bool drop_explicit_zeros,
                                               assembly_report& report, stage_log* log);

// Entries whose value is zero.
template <class Backend, class Offset, class Value>
std::int64_t zeros_of(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix);

// Complex values go into every format but those that store half of a matrix.
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
