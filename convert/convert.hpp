// The one header the tools use: entries to canonical CSR (`assemble`), CSR to any format (`from_csr`) and
// back
// (`to_csr`). Everything stays in the backend's own memory in between.
#pragma once

#include <limits>
#include <utility>

#include "convert/error.hpp"
#include "convert/io/entries.hpp"
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {

// What reading and assembling did to a matrix; everything a user should know before trusting the result.
struct assembly_report {
  std::int64_t stored = 0;             // entries as they came
  std::int64_t expanded = 0;           // added by symmetry
  std::int64_t duplicates_summed = 0;  // entries that went into another
  std::int64_t explicit_zeros = 0;     // stored zeros, kept or dropped
  bool zeros_dropped = false;
  std::int64_t narrowed = 0;     // values a float does not hold exactly
  std::int64_t rounded = 0;      // integers a double does not hold exactly
  std::int64_t array_zeros = 0;  // zeros of a dense array, never entries
};

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> assemble(Backend on, matrix_entries&& source, bool drop_explicit_zeros,
                                               assembly_report& report, stage_log* log) {
  using space = space_on<Backend>;
  report.stored = source.entries.values.size();
  report.rounded = source.rounded_values;
  report.array_zeros = source.array_zeros;

  coo<double, space> entries;
  if constexpr (std::is_same_v<space, host>) {
    entries = std::move(source.entries);
  } else {
    timed_stage timing(on, log, "copy to device", report.stored, bytes(source.entries));
    entries = copy_to<space>(source.entries);
    source.entries = {};
  }
  if (source.symmetry != symmetry_kind::general)
    entries = expand_symmetry(on, std::move(entries), source.symmetry == symmetry_kind::skew_symmetric, log);
  const std::int64_t listed = entries.values.size();
  report.expanded = listed - report.stored;
  if (listed > std::numeric_limits<Offset>::max())
    throw error(failure::resources, "more entries than 32-bit offsets can count; use 64-bit offsets");

  // Sums and zeros are decided on the values as they came; only then are they narrowed.
  auto matrix = coo_to_csr<Backend, Offset, double>(on, std::move(entries), log);
  report.duplicates_summed = listed - matrix.values.size();
  report.explicit_zeros = count_zeros(on, view(matrix));
  if (drop_explicit_zeros && report.explicit_zeros > 0) {
    matrix = drop_zeros(on, view(matrix), log);
    report.zeros_dropped = true;
  }
  if constexpr (std::is_same_v<Value, double>) {
    return matrix;
  } else {
    narrowing result;
    auto narrow = narrow_values(on, std::move(matrix), &result, log);
    if (result.overflowed > 0)
      throw error(failure::input,
                  std::to_string(result.overflowed) +
                      " values are too large for 32-bit floats; use 64-bit values (--value f64)");
    report.narrowed = result.changed;
    return narrow;
  }
}

struct conversion_options {
  sell_shape sell = {};
  std::int32_t hyb_width = -1;  // negative: by Bell and Garland's rule
  double max_fill = 3;
  std::int32_t bsr_rows = 4, bsr_cols = 4;
  block_options blocks = {};
  tile_options tile = {};
};

// The matrix in the format of that name (one of `format_names`).
template <class Backend, class Offset, class Value>
any_format<Offset, Value, space_on<Backend>> from_csr(Backend on,
                                                      const csr<Offset, Value, space_on<Backend>>& matrix,
                                                      const std::string& format,
                                                      const conversion_options& options, stage_log* log) {
  const auto m = view(matrix);
  if (format == "coo") return csr_to_coo(on, m, log);
  if (format == "csr") return copy_to<space_on<Backend>>(matrix);
  if (format == "csc") return csr_to_csc(on, m, log);
  if (format == "ell") return csr_to_ell(on, m, options.max_fill, log);
  if (format == "sell") return csr_to_sell(on, m, options.sell, options.max_fill, log);
  if (format == "hyb") return csr_to_hyb(on, m, options.hyb_width, options.max_fill, log);
  if (format == "bsr") return csr_to_bsr(on, m, options.bsr_rows, options.bsr_cols, options.max_fill, log);
  if (format == "csb") return csr_to_csb(on, m, options.blocks, log);
  if (format == "ecsb") return csr_to_ecsb(on, m, options.blocks, options.max_fill, log);
  if (format == "gcsb") return csr_to_gcsb(on, m, options.blocks, options.max_fill, log);
  if (format == "gcsb_tile") return csr_to_gcsb_tile(on, m, options.tile, options.max_fill, log);
  throw error(failure::usage, "unknown format \"" + format + "\"");
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> to_csr(Backend on,
                                             const any_format<Offset, Value, space_on<Backend>>& matrix,
                                             stage_log* log) {
  using space = space_on<Backend>;
  struct visitor {
    Backend on;
    stage_log* log;
    using result = csr<Offset, Value, space>;
    result operator()(const coo<Value, space>& m) const {
      return coo_to_csr<Backend, Offset, Value>(on, copy_to<space>(m), log);
    }
    result operator()(const csr<Offset, Value, space>& m) const { return copy_to<space>(m); }
    result operator()(const csc<Offset, Value, space>& m) const { return csc_to_csr(on, view(m), log); }
    result operator()(const ell<Value, space>& m) const {
      return ell_to_csr<Backend, Offset, Value>(on, view(m), log);
    }
    result operator()(const sell<Offset, Value, space>& m) const { return sell_to_csr(on, view(m), log); }
    result operator()(const hyb<Value, space>& m) const {
      return hyb_to_csr<Backend, Offset, Value>(on, view(m), log);
    }
    result operator()(const bsr<Offset, Value, space>& m) const { return bsr_to_csr(on, view(m), log); }
    result operator()(const csb<Offset, Value, space>& m) const { return csb_to_csr(on, view(m), log); }
    result operator()(const ecsb<Offset, Value, space>& m) const { return ecsb_to_csr(on, view(m), log); }
    result operator()(const gcsb<Offset, Value, space>& m) const { return gcsb_to_csr(on, view(m), log); }
    result operator()(const gcsb_tile<Offset, Value, space>& m) const {
      return gcsb_tile_to_csr(on, view(m), log);
    }
  };
  return std::visit(visitor{on, log}, matrix);
}

}  // namespace sparsmith
