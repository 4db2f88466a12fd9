#include "convert/convert.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "convert/error.hpp"
#include "convert/formats/rebuild.hpp"
#include "convert/stored_twice.hpp"

namespace sparsmith {
namespace {

// One line a format and direction. Formats without offsets of their own do not tell the Offset of the result.
template <class Backend, class Offset, class Value>
struct back_to_csr {
  using space = space_on<Backend>;
  using result = csr<Offset, Value, space>;
  Backend on;
  stage_log* log;

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
  result operator()(const dia<Value, space>& m) const {
    return dia_to_csr<Backend, Offset, Value>(on, view(m), log);
  }
  result operator()(const bsr<Offset, Value, space>& m) const { return bsr_to_csr(on, view(m), log); }
  result operator()(const csb<Offset, Value, space>& m) const { return csb_to_csr(on, view(m), log); }
  result operator()(const ecsb<Offset, Value, space>& m) const { return ecsb_to_csr(on, view(m), log); }
  result operator()(const gcsb<Offset, Value, space>& m) const { return gcsb_to_csr(on, view(m), log); }
  result operator()(const gcsb_tile<Offset, Value, space>& m) const {
    return gcsb_tile_to_csr(on, view(m), log);
  }
  result operator()(const csr_half<Offset, Value, space>& m) const {
    return upper_to_csr(on, view(m.upper), m.skew != 0, log);
  }
  template <class Upper>
  result operator()(const half<Upper>& m) const {
    const result upper = (*this)(m.upper);
    return upper_to_csr(on, view(upper), m.skew != 0, log);
  }
};

// A matrix as half of it, the entries of which `store` takes.
template <class Backend, class Offset, class Value, class Store>
auto half_stored(Backend on, csr<Offset, Value, view_on<Backend>> matrix, stage_log* log, Store store) {
  const mirror_symmetry symmetry = find_symmetry(on, matrix, log);
  if (symmetry == mirror_symmetry::none)
    throw error(failure::input,
                "the matrix is neither symmetric nor skew-symmetric, bit for bit: it has no half to store");
  half<decltype(store(csr_to_upper(on, matrix, log)))> result;
  result.skew = symmetry == mirror_symmetry::negated ? 1 : 0;
  result.upper = store(csr_to_upper(on, matrix, log));
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> assemble_real(Backend on, matrix_entries&& source,
                                                    bool drop_explicit_zeros, assembly_report& report,
                                                    stage_log* log) {
  using space = space_on<Backend>;
  // Nothing may lose its imaginary part unnoticed.
  if (source.imaginary.size() > 0)
    throw error(failure::unsupported, "the values are complex, and real ones were asked for", "value");
  report.stored = source.entries.values.size();
  report.rounded = source.rounded_values;
  report.array_zeros = source.array_zeros;
  report.note = source.note;
  if (source.symmetry != symmetry_kind::general) report.stored_twice = count_stored_twice(source.entries);

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
    throw error(failure::resources, "more entries than 32-bit offsets can count; use 64-bit offsets",
                "offsets");

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
      throw error(
          failure::input,
          std::to_string(result.overflowed) + " values are too large for 32-bit floats; use 64-bit values",
          "value");
    report.narrowed = result.changed;
    return narrow;
  }
}

template <class Backend, class Offset, class Value>
any_format<Offset, Value, space_on<Backend>> real_from_csr(Backend on,
                                                           csr<Offset, Value, view_on<Backend>> matrix,
                                                           format_kind format,
                                                           const conversion_options& options,
                                                           stage_log* log) {
  using space = space_on<Backend>;
  const double max_fill = options.max_fill;
  switch (format) {
    case format_kind::coo:
      return csr_to_coo(on, matrix, log);
    case format_kind::csr:
      return copy_to<space_on<Backend>>(matrix);
    case format_kind::csc:
      return csr_to_csc(on, matrix, log);
    case format_kind::ell:
      return csr_to_ell(on, matrix, max_fill, log);
    case format_kind::sell:
      return csr_to_sell(on, matrix, options.sell, max_fill, log);
    case format_kind::hyb:
      return csr_to_hyb(on, matrix, options.hyb_width, max_fill, log);
    case format_kind::dia:
      return csr_to_dia(on, matrix, options.dia_share, max_fill, log);
    case format_kind::bsr:
      return csr_to_bsr(on, matrix, options.bsr_block, max_fill, log);
    case format_kind::csb:
      return csr_to_csb(on, matrix, options.blocks, log);
    case format_kind::ecsb:
      return csr_to_ecsb(on, matrix, options.blocks, max_fill, log);
    case format_kind::gcsb:
      return csr_to_gcsb(on, matrix, options.blocks, max_fill, log);
    case format_kind::gcsb_tile:
      return csr_to_gcsb_tile(on, matrix, options.tile, max_fill, log);
    case format_kind::csr_half:
      return half_stored(on, matrix, log, [](csr<Offset, Value, space>&& upper) { return std::move(upper); });
    case format_kind::dia_half:
      return half_stored(on, matrix, log, [&](const csr<Offset, Value, space>& upper) {
        return csr_to_dia(on, view(upper), options.dia_share, max_fill, log);
      });
    case format_kind::bsr_half:
      return half_stored(on, matrix, log, [&](const csr<Offset, Value, space>& upper) {
        return csr_to_bsr(on, view(upper), options.bsr_block, max_fill, log);
      });
    case format_kind::gcsb_tile_half:
      return half_stored(on, matrix, log, [&](const csr<Offset, Value, space>& upper) {
        return csr_to_gcsb_tile(on, view(upper), options.tile.of_half(), max_fill, log);
      });
  }
  throw error(failure::usage, "no such format");
}

[[noreturn]] void refuse_complex_half() {
  throw error(
      failure::unsupported,
      "complex values cannot be stored as half of a matrix yet; the formats that store all of it take them");
}

// A conversion of complex values converts their numbers (complex_values.hpp).
template <class Backend, class Offset, class Value>
any_format<Offset, Value, space_on<Backend>> complex_from_csr(
    Backend on, const csr<Offset, Value, view_on<Backend>>& matrix, format_kind format,
    const conversion_options& options, stage_log* log) {
  using space = space_on<Backend>;
  if (format == format_kind::csr) return copy_to<space>(matrix);
  if (whole_of(format)) refuse_complex_half();
  array<double, space> numbers(matrix.values.size());
  number_values(on, matrix.values, 0, numbers.data());
  auto numbered = real_from_csr<Backend, Offset, double>(
      on,
      csr<Offset, double, view_on<Backend>>{matrix.rows, matrix.cols, matrix.row_offsets, matrix.col_indices,
                                            numbers},
      format, options, log);
  numbers = {};
  any_format<Offset, Value, space> result;
  timed_stage timing(on, log, "move values", matrix.values.size());
  rebuild(result, numbered, [&](auto& to, auto& from) {
    using member = std::remove_cvref_t<decltype(to)>;
    if constexpr (std::is_same_v<member, array<Value, space>>) {
      to = array<Value, space>(from.size());
      take_values(on, array_view<const double>(from), matrix.values, 0, to.data());
      from = {};
    } else {
      to = std::move(from);
    }
  });
  return result;
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> complex_to_csr(
    Backend on, const any_format<Offset, Value, space_on<Backend>>& matrix, stage_log* log) {
  using space = space_on<Backend>;
  if (const auto* const as_it_is = std::get_if<csr<Offset, Value, space>>(&matrix))
    return copy_to<space>(*as_it_is);
  if (whole_of(static_cast<format_kind>(matrix.index()))) refuse_complex_half();
  any_format<Offset, double, space> numbered;
  std::vector<array_view<const Value>> values;
  std::int64_t before = 0;
  rebuild(numbered, matrix, [&](auto& to, const auto& from) {
    using member = std::remove_cvref_t<decltype(from)>;
    if constexpr (std::is_same_v<member, array<Value, space>>) {
      to = array<double, space>(from.size());
      number_values(on, array_view<const Value>(from), before, to.data());
      values.push_back(from);
      before += from.size();
    } else if constexpr (is_array<member>) {
      to = copy_to<space>(from, space::where);
    } else {
      to = from;
    }
  });
  auto found = std::visit(back_to_csr<Backend, Offset, double>{on, log}, numbered);
  numbered = {};
  csr<Offset, Value, space> result;
  result.rows = found.rows;
  result.cols = found.cols;
  result.row_offsets = std::move(found.row_offsets);
  result.col_indices = std::move(found.col_indices);
  result.values = array<Value, space>(found.values.size());
  timed_stage timing(on, log, "move values", found.values.size());
  before = 0;
  for (const array_view<const Value>& part : values) {
    take_values(on, array_view<const double>(found.values), part, before, result.values.data());
    before += part.size();
  }
  return result;
}

// Both parts go through the same pipelines, one after the other: sums are sums of parts.
template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> assemble_complex(Backend on, matrix_entries&& source,
                                                       bool drop_explicit_zeros, assembly_report& report,
                                                       stage_log* log) {
  using space = space_on<Backend>;
  const mirror_signs signs = mirror_signs_of(source.symmetry);
  const auto part = [&](array<double, host>&& values, bool last, bool negated) {
    matrix_entries one;
    one.entries.rows = source.entries.rows;
    one.entries.cols = source.entries.cols;
    one.entries.row_indices =
        last ? std::move(source.entries.row_indices) : copy_to<host>(source.entries.row_indices, place::host);
    one.entries.col_indices =
        last ? std::move(source.entries.col_indices) : copy_to<host>(source.entries.col_indices, place::host);
    one.entries.values = std::move(values);
    if (source.symmetry != symmetry_kind::general)
      one.symmetry = negated ? symmetry_kind::skew_symmetric : symmetry_kind::symmetric;
    one.array_zeros = source.array_zeros;
    one.note = source.note;
    one.rounded_values = source.rounded_values;
    return assemble_real<Backend, Offset, double>(on, std::move(one), false, report, log);
  };
  array<double, host> imaginary = std::move(source.imaginary);
  if (imaginary.size() == 0) {  // real values, as complex ones
    imaginary = array<double, host>(source.entries.values.size());
    std::fill(imaginary.begin(), imaginary.end(), 0.0);
  }
  auto real_parts = part(std::move(source.entries.values), false, signs.real_negated);
  csr<Offset, Value, space> result;
  array<complex128, space> values;
  {
    auto imaginary_parts = part(std::move(imaginary), true, signs.imaginary_negated);
    values = join_parts(on, array_view<const double>(real_parts.values),
                        array_view<const double>(imaginary_parts.values), log);
  }
  report.explicit_zeros = count_complex_zeros(on, array_view<const complex128>(values));
  report.zeros_dropped = drop_explicit_zeros && report.explicit_zeros > 0;
  if (report.zeros_dropped) {
    real_parts.values = number_nonzeros(on, array_view<const complex128>(values));
    real_parts = drop_zeros(on, view(real_parts), log);
    array<complex128, space> kept(real_parts.values.size());
    take_values(on, array_view<const double>(real_parts.values), array_view<const complex128>(values), 0,
                kept.data());
    values = std::move(kept);
  }
  result.rows = real_parts.rows;
  result.cols = real_parts.cols;
  result.row_offsets = std::move(real_parts.row_offsets);
  result.col_indices = std::move(real_parts.col_indices);
  if constexpr (std::is_same_v<Value, complex128>) {
    result.values = std::move(values);
  } else {
    narrowing narrowed;
    result.values = narrow_complex(on, array_view<const complex128>(values), &narrowed, log);
    if (narrowed.overflowed > 0)
      throw error(failure::input,
                  std::to_string(narrowed.overflowed) +
                      " values are too large for 32-bit floats; use complex values of 128 bits",
                  "value");
    report.narrowed = narrowed.changed;
  }
  return result;
}

}  // namespace

void expand_entries(matrix_entries& source, stage_log* log) {
  if (source.symmetry == symmetry_kind::general) return;
  const mirror_signs signs = mirror_signs_of(source.symmetry);
  if (source.imaginary.size() > 0) {
    coo<double, host> parts = copy_to<host>(source.entries);
    parts.values = std::move(source.imaginary);
    source.imaginary =
        std::move(expand_symmetry(openmp{}, std::move(parts), signs.imaginary_negated, log).values);
  }
  source.entries = expand_symmetry(openmp{}, std::move(source.entries), signs.real_negated, log);
  source.symmetry = symmetry_kind::general;
}

template <class Backend, class Offset, class Value>
std::int64_t zeros_of(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix) {
  if constexpr (is_complex<Value>)
    return count_complex_zeros(on, matrix.values);
  else
    return count_zeros<Backend, Offset, Value>(on, matrix);
}

std::string doubt_about(const assembly_report& report) {
  if (report.stored_twice == 0) return report.note;
  return (report.note.empty() ? "" : report.note + "; ") +
         "both triangles are stored although the header says symmetric: the values of " +
         std::to_string(report.stored_twice) + (report.stored_twice == 1 ? " pair" : " pairs") +
         " off the diagonal were added up";
}

std::int64_t most_entries(const matrix_entries& source) {
  return source.entries.values.size() * (source.symmetry == symmetry_kind::general ? 1 : 2);
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> assemble(Backend on, matrix_entries&& source, bool drop_explicit_zeros,
                                               assembly_report& report, stage_log* log) {
  if constexpr (is_complex<Value>)
    return assemble_complex<Backend, Offset, Value>(on, std::move(source), drop_explicit_zeros, report, log);
  else
    return assemble_real<Backend, Offset, Value>(on, std::move(source), drop_explicit_zeros, report, log);
}

template <class Backend, class Offset, class Value>
any_format<Offset, Value, space_on<Backend>> from_csr(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                                      format_kind format, const conversion_options& options,
                                                      stage_log* log) {
  require_options(options, format);
  if constexpr (is_complex<Value>)
    return complex_from_csr<Backend, Offset, Value>(on, matrix, format, options, log);
  else
    return real_from_csr<Backend, Offset, Value>(on, matrix, format, options, log);
}

template <class Backend, class Offset, class Value>
csr<Offset, Value, space_on<Backend>> to_csr(Backend on,
                                             const any_format<Offset, Value, space_on<Backend>>& matrix,
                                             stage_log* log) {
  if constexpr (is_complex<Value>)
    return complex_to_csr<Backend, Offset, Value>(on, matrix, log);
  else
    return std::visit(back_to_csr<Backend, Offset, Value>{on, log}, matrix);
}

template <class Offset, class Value, class Space>
format_summary summary_of(const any_format<Offset, Value, Space>& matrix) {
  return std::visit(
      [](const auto& m) {
        return format_summary{bytes(m), slots(m), parameters_of(m)};
      },
      matrix);
}

template <class Offset, class Value, class Space>
any_format<Offset, Value, host> copy_to_host(const any_format<Offset, Value, Space>& matrix) {
  return std::visit([](const auto& m) -> any_format<Offset, Value, host> { return copy_to<host>(m); },
                    matrix);
}

#define SPARSMITH_INSTANTIATE(B, O, V)                                                                  \
  template csr<O, V, space_on<B>> assemble<B, O, V>(B, matrix_entries&&, bool, assembly_report&,        \
                                                    stage_log*);                                        \
  template any_format<O, V, space_on<B>> from_csr<B, O, V>(B, csr<O, V, view_on<B>>, format_kind,       \
                                                           const conversion_options&, stage_log*);      \
  template std::int64_t zeros_of<B, O, V>(B, const csr<O, V, view_on<B>>&);                             \
  template csr<O, V, space_on<B>> to_csr<B, O, V>(B, const any_format<O, V, space_on<B>>&, stage_log*); \
  template format_summary summary_of(const any_format<O, V, space_on<B>>&);                             \
  template any_format<O, V, host> copy_to_host(const any_format<O, V, space_on<B>>&);
#define SPARSMITH_INSTANTIATE_ON(B)                  \
  SPARSMITH_INSTANTIATE(B, std::int32_t, float)      \
  SPARSMITH_INSTANTIATE(B, std::int32_t, double)     \
  SPARSMITH_INSTANTIATE(B, std::int64_t, float)      \
  SPARSMITH_INSTANTIATE(B, std::int64_t, double)     \
  SPARSMITH_INSTANTIATE(B, std::int32_t, complex64)  \
  SPARSMITH_INSTANTIATE(B, std::int32_t, complex128) \
  SPARSMITH_INSTANTIATE(B, std::int64_t, complex64)  \
  SPARSMITH_INSTANTIATE(B, std::int64_t, complex128)

SPARSMITH_INSTANTIATE_ON(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE_ON(cuda)
#endif

}  // namespace sparsmith
