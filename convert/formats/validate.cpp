#include "convert/formats/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "convert/formats/checks.hpp"
#include "convert/formats/complex.hpp"
#include "convert/formats/rebuild.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

using text = std::string;

// The first problem of a list of checks that stops at the first failure.
template <class... Checks>
text first_of(Checks... checks) {
  text problem;
  (void)((problem = checks(), !problem.empty()) || ...);
  return problem;
}

template <class Offset>
text check_lines(const char* name, const array<Offset, host>& offsets,
                 const array<std::int32_t, host>& indices, std::int32_t size) {
  for (std::int64_t line = 0; line + 1 < offsets.size(); ++line)
    for (std::int64_t i = offsets[line]; i < offsets[line + 1]; ++i) {
      if (auto problem = check_index(name, i, indices[i], size); !problem.empty()) return problem;
      if (i > offsets[line] && indices[i] <= indices[i - 1])
        return fmt::format("{}[{}] = {} does not rise above its predecessor", name, i, indices[i]);
    }
  return {};
}

// One padded row: entries in order, then padding that repeats the last column with value 0.
template <class Value, class Slot>
text check_padded_row(const array<std::int32_t, host>& cols, const array<Value, host>& values,
                      std::int64_t row, std::int64_t length, std::int64_t width, std::int32_t col_count,
                      Slot slot) {
  if (length < 0 || length > width)
    return fmt::format("row {} has length {}, outside 0..{}", row, length, width);
  std::int32_t last = 0;
  for (std::int64_t k = 0; k < width; ++k) {
    const std::int64_t at = slot(k);
    if (k < length) {
      if (auto problem = check_index("col_indices", at, cols[at], col_count); !problem.empty())
        return problem;
      if (k > 0 && cols[at] <= last)
        return fmt::format("col_indices[{}] = {} does not rise above its predecessor", at, cols[at]);
      last = cols[at];
    } else if (cols[at] != last) {
      return fmt::format("padding slot {} has column {} instead of {}", at, cols[at], last);
    } else if (values[at] != 0) {
      return fmt::format("padding slot {} has a value", at);
    }
  }
  return {};
}

template <class Value>
text check_sorted_list(const array<std::int32_t, host>& row_indices,
                       const array<std::int32_t, host>& col_indices, const array<Value, host>& values,
                       std::int32_t rows, std::int32_t cols) {
  if (auto problem = check_length("row_indices", row_indices.size(), values.size()); !problem.empty())
    return problem;
  if (auto problem = check_length("col_indices", col_indices.size(), values.size()); !problem.empty())
    return problem;
  for (std::int64_t i = 0; i < values.size(); ++i) {
    if (auto problem = check_index("row_indices", i, row_indices[i], rows); !problem.empty()) return problem;
    if (auto problem = check_index("col_indices", i, col_indices[i], cols); !problem.empty()) return problem;
    if (i > 0 &&
        std::pair(row_indices[i], col_indices[i]) <= std::pair(row_indices[i - 1], col_indices[i - 1]))
      return fmt::format("entry {} does not come after its predecessor by (row, column)", i);
  }
  return {};
}

template <class Value>
text check_ell(std::int32_t rows, std::int32_t cols, std::int32_t width,
               const array<std::int32_t, host>& lengths, const array<std::int32_t, host>& col_indices,
               const array<Value, host>& values) {
  if (width < 0) return fmt::format("the width {} is negative", width);
  const auto slots = checked_product(rows, width);
  if (!slots) return sizes_too_large;
  text problem = first_of([&] { return check_length("row_lengths", lengths.size(), rows); },
                          [&] { return check_length("col_indices", col_indices.size(), *slots); },
                          [&] { return check_length("values", values.size(), *slots); });
  for (std::int64_t r = 0; r < rows && problem.empty(); ++r)
    problem = check_padded_row(col_indices, values, r, lengths[r], width, cols,
                               [&](std::int64_t k) { return k * rows + r; });
  return problem;
}

}  // namespace

template <class Value>
std::string find_invalid(const coo<Value, host>& m) {
  return first_of([&] { return check_shape(m.rows, m.cols); },
                  [&] { return check_sorted_list(m.row_indices, m.col_indices, m.values, m.rows, m.cols); });
}

template <class Offset, class Value>
std::string find_invalid(const csr<Offset, Value, host>& m) {
  return first_of([&] { return check_shape(m.rows, m.cols); },
                  [&] { return check_length("col_indices", m.col_indices.size(), m.values.size()); },
                  [&] { return check_offsets("row_offsets", m.row_offsets, m.rows, m.values.size()); },
                  [&] { return check_lines("col_indices", m.row_offsets, m.col_indices, m.cols); });
}

template <class Offset, class Value>
std::string find_invalid(const csc<Offset, Value, host>& m) {
  return first_of([&] { return check_shape(m.rows, m.cols); },
                  [&] { return check_length("row_indices", m.row_indices.size(), m.values.size()); },
                  [&] { return check_offsets("col_offsets", m.col_offsets, m.cols, m.values.size()); },
                  [&] { return check_lines("row_indices", m.col_offsets, m.row_indices, m.rows); });
}

template <class Value>
std::string find_invalid(const ell<Value, host>& m) {
  return first_of([&] { return check_shape(m.rows, m.cols); },
                  [&] { return check_ell(m.rows, m.cols, m.width, m.row_lengths, m.col_indices, m.values); });
}

template <class Offset, class Value>
std::string find_invalid(const sell<Offset, Value, host>& m) {
  if (auto problem = check_shape(m.rows, m.cols); !problem.empty()) return problem;
  if (m.slice < 1 || m.sigma < 1)
    return fmt::format("slice {} and sigma {} must be positive", m.slice, m.sigma);
  const std::int64_t rows = m.rows, slice = m.slice;
  const std::int64_t slices = groups_of(rows, slice);
  text problem =
      first_of([&] { return check_length("row_order", m.row_order.size(), rows); },
               [&] { return check_length("row_lengths", m.row_lengths.size(), rows); },
               [&] { return check_length("col_indices", m.col_indices.size(), m.values.size()); },
               [&] { return check_offsets("slice_offsets", m.slice_offsets, slices, m.values.size()); });
  if (!problem.empty()) return problem;

  std::vector<bool> seen(static_cast<std::size_t>(rows));
  for (std::int64_t p = 0; p < rows; ++p) {
    const std::int32_t row = m.row_order[p];
    if (problem = check_index("row_order", p, row, m.rows); !problem.empty()) return problem;
    if (seen[static_cast<std::size_t>(row)]) return fmt::format("row {} occurs twice in row_order", row);
    seen[static_cast<std::size_t>(row)] = true;
    if (row / m.sigma != p / m.sigma)
      return fmt::format("row {} has left its window of {} rows", row, m.sigma);
    if (p % m.sigma == 0) continue;
    const auto falls = std::pair(-std::int64_t{m.row_lengths[p - 1]}, m.row_order[p - 1]) <
                       std::pair(-std::int64_t{m.row_lengths[p]}, row);
    if (!falls) return fmt::format("row_order[{}] is not in order of falling length", p);
  }
  for (std::int64_t s = 0; s < slices; ++s) {
    const std::int64_t slots = m.slice_offsets[s + 1] - m.slice_offsets[s];
    std::int64_t longest = 0;
    for (std::int64_t p = s * slice; p < std::min((s + 1) * slice, rows); ++p)
      longest = std::max<std::int64_t>(longest, m.row_lengths[p]);
    const auto expected = checked_product(longest, slice);
    if (!expected) return sizes_too_large;
    if (slots != *expected) return fmt::format("slice {} has {} slots instead of {}", s, slots, *expected);
    // A slice without slots may be far larger than its file.
    const std::int64_t end = longest == 0 ? std::min((s + 1) * slice, rows) : (s + 1) * slice;
    for (std::int64_t p = s * slice; p < end; ++p) {
      problem = check_padded_row(m.col_indices, m.values, p < rows ? m.row_order[p] : p,
                                 p < rows ? m.row_lengths[p] : 0, longest, m.cols,
                                 [&](std::int64_t k) { return m.slice_offsets[s] + k * slice + p % slice; });
      if (!problem.empty()) return problem;
    }
  }
  return {};
}

template <class Value>
std::string find_invalid(const hyb<Value, host>& m) {
  text problem = first_of(
      [&] { return check_shape(m.rows, m.cols); },
      [&] { return check_ell(m.rows, m.cols, m.width, m.row_lengths, m.ell_col_indices, m.ell_values); },
      [&] {
        return check_sorted_list(m.rest_row_indices, m.rest_col_indices, m.rest_values, m.rows, m.cols);
      });
  if (!problem.empty()) return problem;
  for (std::int64_t i = 0; i < m.rest_values.size(); ++i) {
    const std::int64_t row = m.rest_row_indices[i];
    if (m.row_lengths[row] < m.width) return fmt::format("row {} overflows before its ELL part is full", row);
    if (m.width > 0 && m.rest_col_indices[i] <= m.ell_col_indices[(m.width - std::int64_t{1}) * m.rows + row])
      return fmt::format("rest entry {} does not come after the ELL part of row {}", i, row);
  }
  return {};
}

template <class Value>
std::string find_invalid(const dia<Value, host>& m) {
  if (auto problem = check_shape(m.rows, m.cols); !problem.empty()) return problem;
  const std::int64_t diagonals = m.offsets.size(), rows = m.rows, cols = m.cols;
  for (std::int64_t d = 0; d < diagonals; ++d) {
    if (m.offsets[d] <= -rows || m.offsets[d] >= cols)
      return fmt::format("offsets[{}] = {} is of a diagonal outside the matrix", d, m.offsets[d]);
    if (d > 0 && m.offsets[d] <= m.offsets[d - 1])
      return fmt::format("offsets[{}] = {} does not rise above its predecessor", d, m.offsets[d]);
  }
  const auto slots = checked_product(diagonals, rows);
  if (!slots) return sizes_too_large;
  if (auto problem = check_length("values", m.values.size(), *slots); !problem.empty()) return problem;
  std::int64_t zero = 0;
  for (std::int64_t slot = 0; slot < *slots; ++slot) {
    const bool listed = zero < m.zero_slots.size() && m.zero_slots[zero] == slot;
    if (listed) ++zero;
    if (listed && m.values[slot] != 0)
      return fmt::format("zero_slots names slot {}, which has a value", slot);
    if (!listed && m.values[slot] == 0) continue;
    const std::int64_t col = slot % rows + m.offsets[slot / rows];
    if (col < 0 || col >= cols) return fmt::format("slot {} has a value outside the matrix", slot);
  }
  if (zero != m.zero_slots.size()) return fmt::format("zero_slots[{}] is out of order or out of range", zero);
  if (auto problem = check_sorted_list(m.rest_row_indices, m.rest_col_indices, m.rest_values, m.rows, m.cols);
      !problem.empty())
    return problem;
  for (std::int64_t i = 0; i < m.rest_values.size(); ++i)
    if (std::binary_search(m.offsets.begin(), m.offsets.end(), m.rest_col_indices[i] - m.rest_row_indices[i]))
      return fmt::format("rest entry {} lies on a diagonal that is stored", i);
  return {};
}

// Rules look at values only for whether a slot holds one: any bit of both parts says so.
template <class Offset, class Part>
std::string find_invalid_complex(const any_format<Offset, complex_number<Part>, host>& matrix) {
  if (whole_of(static_cast<format_kind>(matrix.index())))
    return "complex values are not stored as half of a matrix";
  using value = complex_number<Part>;
  any_format<Offset, double, host> held;
  rebuild(held, matrix, [](auto& to, const auto& from) {
    using member = std::remove_cvref_t<decltype(from)>;
    if constexpr (std::is_same_v<member, array<value, host>>) {
      constexpr value blank{};
      to = array<double, host>(from.size());
      std::transform(from.begin(), from.end(), to.begin(),
                     [&](const value& v) { return std::memcmp(&v, &blank, sizeof v) == 0 ? 0.0 : 1.0; });
    } else if constexpr (is_array<member>) {
      to = copy_to<host>(from, place::host);
    } else {
      to = from;
    }
  });
  return find_invalid(held);
}

template <class Offset, class Value>
std::string find_invalid(const any_format<Offset, Value, host>& matrix) {
  if constexpr (is_complex<Value>)
    return find_invalid_complex(matrix);
  else
    return std::visit([](const auto& format) { return find_invalid(format); }, matrix);
}

#define SPARSMITH_INSTANTIATE_WITHOUT_OFFSETS(format)            \
  template std::string find_invalid(const format<float, host>&); \
  template std::string find_invalid(const format<double, host>&);
SPARSMITH_INSTANTIATE_WITHOUT_OFFSETS(coo)
SPARSMITH_INSTANTIATE_WITHOUT_OFFSETS(ell)
SPARSMITH_INSTANTIATE_WITHOUT_OFFSETS(hyb)
SPARSMITH_INSTANTIATE_WITHOUT_OFFSETS(dia)

#define SPARSMITH_INSTANTIATE(format)                                           \
  template std::string find_invalid(const format<std::int32_t, float, host>&);  \
  template std::string find_invalid(const format<std::int32_t, double, host>&); \
  template std::string find_invalid(const format<std::int64_t, float, host>&);  \
  template std::string find_invalid(const format<std::int64_t, double, host>&);
SPARSMITH_INSTANTIATE(csr)
SPARSMITH_INSTANTIATE(csc)
SPARSMITH_INSTANTIATE(sell)
SPARSMITH_INSTANTIATE(any_format)
template std::string find_invalid(const any_format<std::int32_t, complex64, host>&);
template std::string find_invalid(const any_format<std::int32_t, complex128, host>&);
template std::string find_invalid(const any_format<std::int64_t, complex64, host>&);
template std::string find_invalid(const any_format<std::int64_t, complex128, host>&);

}  // namespace sparsmith
