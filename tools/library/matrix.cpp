// What a matrix is, where it comes from, and what else it can become.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "convert/io/read.hpp"
#include "convert/io/write.hpp"
#include "convert/nearest_names.hpp"
#include "tools/library/matrix_state.hpp"

namespace sparsmith {
namespace library {
namespace {

std::int32_t dimension(const char* what, std::int64_t size) {
  if (size < 0 || size > std::numeric_limits<std::int32_t>::max())
    throw error(failure::usage,
                fmt::format("{} {}: not in 0..{}", size, what, std::numeric_limits<std::int32_t>::max()));
  return static_cast<std::int32_t>(size);
}

// What is said about a matrix names where it came from.
template <class Work>
auto about(const std::string& name, const Work& work) {
  try {
    return work();
  } catch (const error& problem) {
    const std::string what = problem.what();
    throw error(problem.category(), what.starts_with(name) ? what : name + ": " + what, problem.quantity());
  }
}

// Read from what `file` names, or made of arrays where it names nothing.
matrix assembled(matrix_entries&& source, const std::string& file, const read_options& options) {
  const value_width values = options.values;
  const bool as_is = values == value_width::automatic;
  const bool single =
      as_is ? source.single_precision : values == value_width::f32 || values == value_width::c64;
  const bool complex =
      as_is ? source.field == "complex" : values == value_width::c64 || values == value_width::c128;
  const bool wide = options.wide_offsets || needs_wide_offsets(most_entries(source));
  const matrix_kind kind{source.field, source.symmetry};
  return on_backend(place_for(options.where) == place::device, [&](auto on) {
    return with_any_types({wide, single, complex}, [&]<class Offset, class Value>() {
      using backend = decltype(on);
      assembly_report report;
      auto made =
          assemble<backend, Offset, Value>(on, std::move(source), options.drop_zeros, report, nullptr);
      const std::int64_t entries = made.values.size();
      auto state = state_owning<backend, Offset, Value>(on, std::move(made), entries);
      if (!file.empty()) {
        state->name = file;
        state->can_be_read = true;
      }
      state->assembly = report;
      state->source = kind;
      return matrix(std::move(state));
    });
  });
}

// Why a row is not right; nothing where it is.
template <class Offset>
std::string problem_of_row(const csr_pattern<Offset, host>& m, std::int64_t row) {
  const Offset first = m.row_offsets[row], last = m.row_offsets[row + 1];
  if (first < 0 || last < first || last > m.entries())
    return fmt::format("row {}: offsets {} and {} are not a range of the {} entries", row, first, last,
                       m.entries());
  std::int32_t before = -1;
  for (Offset i = first; i < last; ++i) {
    const std::int32_t col = m.col_indices[i];
    if (col < 0 || col >= m.cols)
      return fmt::format("row {}: column {} is outside 0..{}", row, col, m.cols - 1);
    if (col == before) return fmt::format("row {}: column {} occurs twice", row, col);
    if (col < before)
      return fmt::format("row {}: columns are not sorted, {} comes after {}", row, col, before);
    before = col;
  }
  return {};
}

template <class Offset>
[[noreturn]] void refuse_csr(const csr_pattern<Offset, host>& m) {
  const auto problem = [](const std::string& why) { return error(failure::input, "CSR: " + why); };
  if (m.row_offsets[0] != 0)
    throw problem(fmt::format("the first of the row offsets is {}, not 0", m.row_offsets[0]));
  if (m.row_offsets[m.rows] != m.entries())
    throw problem(fmt::format("the last of the row offsets is {}, but there are {} entries",
                              m.row_offsets[m.rows], m.entries()));
  for (std::int64_t row = 0; row < m.rows; ++row)
    if (const std::string why = problem_of_row(m, row); !why.empty()) throw problem(why);
  throw problem("the arrays changed while they were looked at");
}

template <class Backend, class Offset, class Value>
matrix borrowed_csr(Backend on, const csr<Offset, Value, view_on<Backend>>& given, bool trusted) {
  if (!trusted && !is_csr(on, pattern_of(given))) {
    constexpr place where = space_on<Backend>::where;
    const auto offsets = copy_to<host>(given.row_offsets, where);
    const auto columns = copy_to<host>(given.col_indices, where);
    refuse_csr(csr_pattern<Offset, host>{given.rows, given.cols, offsets, columns});
  }
  auto state = state_of<Backend, Offset, Value>(given);
  state->entries = given.values.size();
  state->borrowed = true;
  if (is_complex<Value>) state->source.field = "complex";
  return matrix(std::move(state));
}

// The same with 64-bit offsets, which are all that is copied: `offsets` must outlive the result.
template <class Backend, class Value>
csr<std::int64_t, Value, view_on<Backend>> widened(const csr<std::int32_t, Value, view_on<Backend>>& m,
                                                   array<std::int64_t, space_on<Backend>>& offsets) {
  constexpr place where = space_on<Backend>::where;
  const auto narrow = copy_to<host>(m.row_offsets, where);
  array<std::int64_t, host> wide(narrow.size());
  std::copy(narrow.begin(), narrow.end(), wide.begin());
  offsets = copy_to<space_on<Backend>>(wide, place::host);
  return {m.rows, m.cols, offsets, m.col_indices, m.values};
}

}  // namespace

place place_for(run_on where) {
  if (where == run_on::cpu) return place::host;
  const gpu_state& gpu = find_gpu();
  if (where == run_on::gpu && !gpu.usable) throw error(failure::device, "run_on::gpu: " + gpu.description);
  return gpu.usable ? place::device : place::host;
}

matrix borrow(std::int64_t rows, std::int64_t cols, const array_argument& row_offsets,
              const array_argument& col_indices, const array_argument& values,
              const borrow_options& options) {
  const std::int32_t row_count = dimension("rows", rows), col_count = dimension("columns", cols);
  if (static_cast<std::int64_t>(row_offsets.size) != rows + 1)
    throw error(failure::usage, fmt::format("CSR: {} rows have {} offsets, but {} were given", rows, rows + 1,
                                            row_offsets.size));
  if (col_indices.size != values.size)
    throw error(failure::usage, fmt::format("CSR: there are {} column indices, but {} values",
                                            col_indices.size, values.size));
  if (values.on_gpu) {
    place_for(run_on::gpu);
    for (const array_argument* const one : {&row_offsets, &col_indices, &values})
      if (one->size > 0 && !is_gpu_memory(one->data))
        throw error(failure::usage, "CSR: a device_span is of memory that the GPU cannot reach");
    wait_for(options.stream);
  }
  return on_backend(values.on_gpu, [&](auto on) {
    return with_any_types(
        {row_offsets.item_bits == 64, values.item_bits == (values.complex ? 64 : 32), values.complex},
        [&]<class Offset, class Value>() {
          const auto shown = []<class T>(const array_argument& a, const T*) {
            return array_view<const T>(static_cast<const T*>(a.data), static_cast<std::int64_t>(a.size));
          };
          const csr<Offset, Value, view_on<decltype(on)>> given{
              row_count, col_count, shown(row_offsets, static_cast<const Offset*>(nullptr)),
              shown(col_indices, static_cast<const std::int32_t*>(nullptr)),
              shown(values, static_cast<const Value*>(nullptr))};
          return borrowed_csr<decltype(on), Offset, Value>(on, given, options.trusted);
        });
  });
}

matrix convert_as(const matrix& a, format_kind format, const conversion_options& options, bool wide_offsets) {
  a.wait();  // arrays of others may still be written on the caller's stream, here and in all that read them
  const matrix_state& s = a.state();
  const bool widen = wide_offsets && !s.types.wide_offsets;
  if (format == format_kind::csr && s.kind == format && !s.borrowed && !widen) return a;
  auto state = with_matrix(s, [&]<class Offset, class Value>(auto on, const auto&) {
    using backend = decltype(on);
    const as_csr<backend, Offset, Value> source(on, s);
    if constexpr (sizeof(Offset) == 4)
      if (widen) {
        array<std::int64_t, space_on<backend>> offsets;
        return state_owning<backend, std::int64_t, Value>(
            on,
            from_csr<backend, std::int64_t, Value>(on, widened<backend, Value>(source.shown, offsets), format,
                                                   options, nullptr),
            s.entries);
      }
    return state_owning<backend, Offset, Value>(
        on, from_csr<backend, Offset, Value>(on, source.shown, format, options, nullptr), s.entries);
  });
  inherit(*state, s);
  return matrix(std::move(state)).on(a.stream());
}

}  // namespace library

matrix::matrix(std::shared_ptr<const library::matrix_state> state) : state_(std::move(state)) {}

std::int64_t matrix::rows() const {
  return state_->rows;
}
std::int64_t matrix::cols() const {
  return state_->cols;
}
std::int64_t matrix::entries() const {
  return state_->entries;
}
std::int64_t matrix::bytes() const {
  return state_->size.bytes;
}
const std::string& matrix::name() const {
  return state_->name;
}
const std::string& matrix::format() const {
  return name_of(state_->kind);
}
format_kind matrix::kind() const {
  return state_->kind;
}
const format_parameters& matrix::parameters() const {
  return state_->size.parameters;
}
int matrix::value_bits() const {
  return (state_->types.single_values ? 32 : 64) * (state_->types.complex ? 2 : 1);
}
bool matrix::complex_values() const {
  return state_->types.complex;
}
int matrix::offset_bits() const {
  return state_->types.wide_offsets ? 64 : 32;
}
place matrix::where() const {
  return state_->where;
}
bool matrix::borrowed() const {
  return state_->borrowed;
}
const assembly_report& matrix::assembly() const {
  return state_->assembly;
}

matrix read(const std::string& input, const read_options& options) {
  matrix_entries source = read_matrix(input, options.progress,
                                      {.if_complex = complex_values::keep, .variable = options.variable});
  return library::about(input, [&] { return library::assembled(std::move(source), input, options); });
}

namespace {

template <class T>
array<T, host> taken(std::span<const T> given) {
  return copy_to<host>(array_view<const T>(given.data(), static_cast<std::int64_t>(given.size())),
                       place::host);
}

// All of a list but its values.
matrix_entries places_of(std::int64_t rows, std::int64_t cols, std::span<const std::int32_t> row_indices,
                         std::span<const std::int32_t> col_indices, std::size_t values) {
  if (row_indices.size() != values || col_indices.size() != values)
    throw error(failure::usage, fmt::format("entries: {} row indices, {} column indices and {} values",
                                            row_indices.size(), col_indices.size(), values));
  matrix_entries source;
  source.entries.rows = library::dimension("rows", rows);
  source.entries.cols = library::dimension("columns", cols);
  for (std::size_t i = 0; i < values; ++i)
    if (row_indices[i] < 0 || row_indices[i] >= rows || col_indices[i] < 0 || col_indices[i] >= cols)
      throw error(failure::input, fmt::format("entry {}: ({}, {}) is outside a matrix of {} x {}", i,
                                              row_indices[i], col_indices[i], rows, cols));
  source.entries.row_indices = taken(row_indices);
  source.entries.col_indices = taken(col_indices);
  source.origin = "entries";
  return source;
}

}  // namespace

matrix from_entries(std::int64_t rows, std::int64_t cols, std::span<const std::int32_t> row_indices,
                    std::span<const std::int32_t> col_indices, std::span<const double> values,
                    const read_options& options) {
  matrix_entries source = places_of(rows, cols, row_indices, col_indices, values.size());
  source.entries.values = taken(values);
  return library::assembled(std::move(source), "", options);
}

matrix from_entries(std::int64_t rows, std::int64_t cols, std::span<const std::int32_t> row_indices,
                    std::span<const std::int32_t> col_indices, std::span<const std::complex<double>> values,
                    const read_options& options) {
  matrix_entries source = places_of(rows, cols, row_indices, col_indices, values.size());
  source.field = "complex";
  source.entries.values = array<double, host>(static_cast<std::int64_t>(values.size()));
  source.imaginary = array<double, host>(static_cast<std::int64_t>(values.size()));
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    source.entries.values[i] = values[static_cast<std::size_t>(i)].real();
    source.imaginary[i] = values[static_cast<std::size_t>(i)].imag();
  }
  return library::assembled(std::move(source), "", options);
}

matrix convert(const matrix& a, const std::string& format, const conversion_options& options) {
  const std::optional<format_kind> kind = format_named(format);
  if (!kind)
    throw error(failure::usage,
                fmt::format("there is no format \"{}\", only {}", format, fmt::join(format_names(), ", ")));
  try {
    return library::convert_as(a, *kind, options, false);
  } catch (const error& problem) {
    if (problem.quantity() != "offsets" || a.offset_bits() == 64) throw;
  }
  return library::convert_as(a, *kind, options, true);
}

matrix copy_to(const matrix& a, run_on where) {
  const library::matrix_state& s = a.state();
  if (library::place_for(where) == s.where) return a;
  a.wait();
  if constexpr (has_cuda) {
    auto state = with_matrix(s, [&]<class Offset, class Value>(auto on, const auto& views) {
      using target = std::conditional_t<std::is_same_v<decltype(on), cuda>, openmp, cuda>;
      return library::state_owning<target, Offset, Value>(
          target{},
          std::visit([](const auto& m)
                         -> library::owner_on<target, Offset, Value> { return copy_to<space_on<target>>(m); },
                     views),
          s.entries);
    });
    library::inherit(*state, s);
    return matrix(std::move(state));
  }
  return a;
}

void write(const matrix& a, const std::string& path) {
  const container kind = container_for(path);
  if (!can_hold(kind, a.kind()))
    throw error(failure::unsupported, fmt::format("{}: a {} file cannot hold {}; write it to a .h5 file",
                                                  path, name_of(kind), a.format()));
  output_file file(path);
  a.wait();
  const library::matrix_state& s = a.state();
  with_matrix(s, [&]<class Offset, class Value>(auto on, const auto& views) {
    using backend = decltype(on);
    const auto put = [&](const any_format<Offset, Value, host>& m) { write_matrix(file, kind, m, s.source); };
    if (kind == container::matrix_market && s.kind != format_kind::coo) {
      const library::as_csr<backend, Offset, Value> source(on, s);
      return put(
          copy_to_host(from_csr<backend, Offset, Value>(on, source.shown, format_kind::coo, {}, nullptr)));
    }
    if constexpr (std::is_same_v<backend, openmp>)
      if (s.owner != nullptr) return put(*static_cast<const any_format<Offset, Value, host>*>(s.owner.get()));
    put(std::visit([](const auto& m) -> any_format<Offset, Value, host> { return copy_to<host>(m); }, views));
  });
  file.commit();
}

}  // namespace sparsmith
