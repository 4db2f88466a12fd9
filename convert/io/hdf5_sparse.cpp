#include "convert/io/hdf5_sparse.hpp"

#include <algorithm>

#include "convert/io/bounds.hpp"
#include "convert/io/growing_array.hpp"

namespace sparsmith::hdf5 {
namespace {

// What an array holds, and how its elements are asked for.
enum class number_kind { whole, natural, boolean, real, complex };

number_kind kind_of(const input& in, const dataset& set, const char* name, complex_values if_complex) {
  switch (set.kind) {
    case H5T_INTEGER:
      return set.is_signed ? number_kind::whole : number_kind::natural;
    case H5T_ENUM:  // h5py writes Booleans as an enumeration of 8-bit integers
      if (set.element_bytes == 1) return number_kind::boolean;
      break;
    case H5T_FLOAT:
      if (set.element_bytes == 4 || set.element_bytes == 8) return number_kind::real;
      break;
    case H5T_COMPOUND:
      if (!in.is_complex(set)) break;
      if (if_complex == complex_values::refuse)
        refuse_unsupported(in.path(), fmt::format("array {} is complex, which is not supported yet", name));
      return number_kind::complex;
    default:
      break;
  }
  refuse_unsupported(in.path(), fmt::format("array {} does not hold numbers that are supported", name));
}

void note_kind(const dataset& set, number_kind kind, bool keeps_parts, matrix_entries& result) {
  result.field = kind == number_kind::complex ? "complex" : kind == number_kind::real ? "real" : "integer";
  result.single_precision = (kind == number_kind::real && set.element_bytes == 4) ||
                            (kind == number_kind::complex && keeps_parts && set.element_bytes == 8);
}

}  // namespace

void require_integers(const input& in, const dataset& set, const char* name) {
  if (set.kind != H5T_INTEGER) refuse_input(in.path(), fmt::format("array {} does not hold integers", name));
}

dataset open_indices(const input& in, const handle& group, const char* name) {
  std::optional<dataset> set = in.open(group, name);
  if (!set) refuse_input(in.path(), fmt::format("array {} is missing", name));
  require_integers(in, *set, name);
  return std::move(*set);
}

array<std::int32_t, host> read_indices(const input& in, const dataset& set, const char* name,
                                       std::int32_t limit) {
  array<std::int32_t, host> indices(set.length);
  in.for_each<std::int64_t>(set, name, [&](std::int64_t i, std::int64_t index) {
    indices[i] = checked_index(in.path(), name, i, index, limit);
  });
  return indices;
}

array<std::int32_t, host> read_lines(const input& in, const dataset& starts, const char* name,
                                     std::int64_t lines, std::int64_t stored, const char* expected,
                                     const array<std::int32_t, host>* numbers) {
  refuse_if(in.path(), check_length(name, starts.length, lines + 1, expected));
  array<std::int64_t, host> offsets(starts.length);
  in.read_all(starts, name, stored_type::int64, offsets.data());
  refuse_if(in.path(), check_offsets(name, offsets, lines, stored));
  array<std::int32_t, host> expanded(stored);
  for (std::int64_t i = 0; i < lines; ++i)
    std::fill(expanded.begin() + offsets[i], expanded.begin() + offsets[i + 1],
              numbers != nullptr ? (*numbers)[i] : static_cast<std::int32_t>(i));
  return expanded;
}

void read_values(const input& in, const dataset& set, const char* name, complex_values if_complex,
                 matrix_entries& result) {
  const number_kind kind = kind_of(in, set, name, if_complex);
  const bool keeps_parts = kind == number_kind::complex && if_complex == complex_values::keep;
  note_kind(set, kind, keeps_parts, result);
  auto& values = result.entries.values;
  values = array<double, host>(set.length);
  std::int64_t rounded = 0;
  const auto store = [&](std::int64_t i, auto value) { values[i] = value_from(value, rounded); };
  switch (kind) {
    case number_kind::natural:
      in.for_each<std::uint64_t>(set, name, store);
      break;
    case number_kind::whole:
    case number_kind::boolean:
      in.for_each<std::int64_t>(set, name, store);
      break;
    case number_kind::real:
      in.for_each<double>(set, name, store);
      break;
    case number_kind::complex:
      if (!keeps_parts) {
        std::fill(values.begin(), values.end(), 1.0);
        break;
      }
      result.imaginary = array<double, host>(set.length);
      in.for_each<complex128>(set, name, [&](std::int64_t i, complex128 value) {
        values[i] = value.real;
        result.imaginary[i] = value.imaginary;
      });
      break;
  }
  result.rounded_values = rounded;
}

namespace {

// Calls visit(line, position, number) for all of an array, as many elements at once as a buffer holds: whole
// lines, or parts of one that is longer.
template <class T, class Visit>
void for_each_number(const input& in, const dataset& set, const char* name, Visit visit) {
  constexpr std::int64_t most = 1 << 20;
  const std::int64_t lines = set.extents[0], length = set.extents[1];
  if (set.length == 0) return;
  const std::int64_t part = std::min(length, most), at_once = std::min(lines, most / part);
  std::vector<T> buffer(static_cast<std::size_t>(at_once * part));
  for (std::int64_t line = 0; line < lines; line += at_once)
    for (std::int64_t first = 0; first < length; first += part) {
      const rectangle now{line, std::min(at_once, lines - line), first, std::min(part, length - first)};
      in.read_rectangle(set, name, now, stored_type_of<T>(), buffer.data());
      for (std::int64_t i = 0; i < now.lines * now.count; ++i)
        visit(line + i / now.count, first + i % now.count, buffer[static_cast<std::size_t>(i)]);
    }
}

}  // namespace

void read_full(const input& in, const dataset& set, const char* name, bool transposed,
               complex_values if_complex, matrix_entries& result) {
  const number_kind kind = kind_of(in, set, name, if_complex);
  const bool keeps_parts = kind == number_kind::complex && if_complex == complex_values::keep;
  note_kind(set, kind, keeps_parts, result);
  auto& entries = result.entries;
  entries.rows = checked_dimension(in.path(), "rows", set.extents[transposed ? 1 : 0]);
  entries.cols = checked_dimension(in.path(), "columns", set.extents[transposed ? 0 : 1]);
  growing_array<std::int32_t> lines, positions;
  growing_array<double> values, imaginary;
  std::int64_t stored = 0, rounded = 0;
  const auto add = [&](std::int64_t line, std::int64_t position, double value) {
    lines.reserve(stored + 1);
    positions.reserve(stored + 1);
    values.reserve(stored + 1);
    lines.data()[stored] = static_cast<std::int32_t>(line);
    positions.data()[stored] = static_cast<std::int32_t>(position);
    values.data()[stored] = value;
    ++stored;
  };
  const auto keep = [&](std::int64_t line, std::int64_t position, auto number) {
    if (number != decltype(number){0}) add(line, position, value_from(number, rounded));
  };
  if (kind == number_kind::complex)
    for_each_number<complex128>(in, set, name,
                                [&](std::int64_t line, std::int64_t position, complex128 number) {
                                  if (number.is_zero()) return;
                                  imaginary.reserve(keeps_parts ? stored + 1 : 0);
                                  if (keeps_parts) imaginary.data()[stored] = number.imaginary;
                                  add(line, position, keeps_parts ? number.real : 1);
                                });
  else if (kind == number_kind::real)
    for_each_number<double>(in, set, name, keep);
  else if (kind == number_kind::natural)
    for_each_number<std::uint64_t>(in, set, name, keep);
  else
    for_each_number<std::int64_t>(in, set, name, keep);
  (transposed ? entries.col_indices : entries.row_indices) = lines.take(stored);
  (transposed ? entries.row_indices : entries.col_indices) = positions.take(stored);
  entries.values = values.take(stored);
  if (keeps_parts) result.imaginary = imaginary.take(stored);
  result.array_zeros = set.length - stored;
  result.rounded_values = rounded;
}

}  // namespace sparsmith::hdf5
