// The face for Python: what the package in sparsmith/ is written over. Arguments arrive checked and in the
// types that are asked for here; what the library refuses goes on as an exception of sparsmith/errors.py. No
// thread of Python waits for the library's work.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "convert/formats/properties.hpp"
#include "tools/library/visit.hpp"
#include "tools/python/reports.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sparsmith::python {
namespace {

// A matrix, and the arrays it was borrowed from as long as it lives.
struct held_matrix {
  matrix it;
  nb::object lenders;
};

// What `a` lent to one that was made from it: the arrays of others where both show them.
held_matrix held(matrix&& made, const held_matrix& a) {
  const bool shown = made.borrowed();
  return {std::move(made), shown ? a.lenders : nb::none()};
}

// Names of files and what is said about them need not be UTF-8.
std::string text_of(const nb::bytes& name) {
  return {name.c_str(), name.size()};
}
nb::object as_text(const std::string& text, const char* otherwise) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), otherwise));
}

const char* exception_for(failure category) {
  switch (category) {
    case failure::usage:
    case failure::input:
      return "InputError";
    case failure::resources:
      return "ResourceError";
    case failure::device:
      return "DeviceError";
    case failure::output:
    case failure::unsupported:
      return "Error";
  }
  return "Error";
}

void raise(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const error& problem) {
    const nb::object type = nb::module_::import_("sparsmith.errors").attr(exception_for(problem.category()));
    PyErr_SetObject(type.ptr(), as_text(problem.what(), "backslashreplace").ptr());
  }
}

// ---- vectors and arrays ----

using given_vector = nb::ndarray<nb::ro, nb::device::cpu, nb::f_contig>;
using written_vector = nb::ndarray<nb::device::cpu, nb::f_contig>;

// Several vectors are the columns of an array: those of order "C" lie by rows, those of order "F" by columns.
using given_vectors = nb::ndarray<nb::ro, nb::device::cpu>;
using written_vectors = nb::ndarray<nb::device::cpu>;
struct columns {
  void* first;
  std::size_t length, count;
  bool by_columns = true, by_rows = true;  // an array of one row or column, or of nothing, is both
};
template <class Array>
columns columns_of(const Array& a) {
  columns found{const_cast<void*>(static_cast<const void*>(a.data())), a.shape(0), 1};
  if (a.ndim() == 2) found.count = a.shape(1);
  const auto length = static_cast<std::int64_t>(found.length), count = static_cast<std::int64_t>(found.count);
  if (length * count == 0) return found;
  found.by_columns = (length == 1 || a.stride(0) == 1) && (count == 1 || a.stride(1) == length);
  found.by_rows = (count == 1 || a.stride(1) == 1) && (length == 1 || a.stride(0) == count);
  return found;
}

// The library compares vectors; of several, one that is written may be another that is read later.
void require_apart(const void* x, std::size_t x_bytes, const void* y, std::size_t y_bytes) {
  const auto x_at = reinterpret_cast<std::uintptr_t>(x), y_at = reinterpret_cast<std::uintptr_t>(y);
  if (x_bytes > 0 && y_bytes > 0 && x_at < y_at + y_bytes && y_at < x_at + x_bytes)
    throw error(failure::usage, "x and y share memory: a product reads x while it writes y");
}

enum class product { plain, transposed, adjoint };

template <class X, class Y>
void multiply_one(const matrix& m, product which, factor alpha, const X& x, factor beta, const Y& y) {
  switch (which) {
    case product::plain:
      return m.multiply(alpha, x, beta, y);
    case product::transposed:
      return m.multiply_transposed(alpha, x, beta, y);
    case product::adjoint:
      return m.multiply_adjoint(alpha, x, beta, y);
  }
}

template <class Value>
void multiply_columns(const matrix& m, product which, factor alpha, const columns& x, factor beta,
                      const columns& y) {
  require_apart(x.first, x.length * x.count * sizeof(Value), y.first, y.length * y.count * sizeof(Value));
  const std::span<const Value> all_x(static_cast<const Value*>(x.first), x.length * x.count);
  const std::span<Value> all_y(static_cast<Value*>(y.first), y.length * y.count);
  const auto count = static_cast<std::int64_t>(x.count);
  const auto at_once = [&](const auto& from, const auto& to) {
    if (which == product::plain)
      m.multiply(alpha, from, beta, to);
    else
      m.multiply_transposed(alpha, from, beta, to);
  };
  // The library's adjoint has one vector at a time, and so has a GPU.
  const bool one_by_one = (which == product::adjoint && m.complex_values()) || m.on_gpu();
  const bool in_columns = x.by_columns && y.by_columns;
  if (!in_columns && (!x.by_rows || !y.by_rows || one_by_one))
    throw nb::value_error("the columns are not contiguous");
  if (!in_columns) return at_once(by_rows(all_x, count), by_rows(all_y, count));
  if (count > 1 && !one_by_one) return at_once(by_columns(all_x, count), by_columns(all_y, count));
  for (std::size_t i = 0; i < x.count; ++i)
    multiply_one(m, which, alpha, std::span(static_cast<const Value*>(x.first) + i * x.length, x.length),
                 beta, std::span(static_cast<Value*>(y.first) + i * y.length, y.length));
}

template <class Value, class Array>
std::span<Value> vector_of(const Array& a) {
  return {static_cast<Value*>(columns_of(a).first), a.size()};
}

// The type of a matrix's values, as arrays tell theirs; value_name has NumPy's name for it.
nb::dlpack::dtype value_type_of(const matrix& m) {
  const auto kind = m.complex_values() ? nb::dlpack::dtype_code::Complex : nb::dlpack::dtype_code::Float;
  return {static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(m.value_bits()), 1};
}
std::string value_name(const matrix& m) {
  return (m.complex_values() ? "complex" : "float") + std::to_string(m.value_bits());
}

void require_factors(const matrix& m, factor alpha, factor beta) {
  if (m.complex_values() || (alpha.imag() == 0 && beta.imag() == 0)) return;
  throw error(failure::usage, std::string("matrix and vectors are real, but ") +
                                  (alpha.imag() != 0 ? "alpha" : "beta") +
                                  " has an imaginary part: give complex vectors");
}

// use.operator()<Value>(matrix) with the type of the matrix's values.
template <class Use>
void as_its_type(const matrix& m, const Use& use) {
  if (m.complex_values())
    m.value_bits() == 64 ? use.template operator()<std::complex<float>>(m)
                         : use.template operator()<std::complex<double>>(m);
  else
    m.value_bits() == 32 ? use.template operator()<float>(m) : use.template operator()<double>(m);
}

// use.operator()<Value>(matrix) while other threads of Python run: one of them may choose other kernels
// meanwhile, so this is a copy of the handle. Every array must hold the matrix's type: the package makes
// sure of it, and a wrong one would be read past its end.
template <class Use, class... Arrays>
void with_values(const held_matrix& held, factor alpha, factor beta, const Use& use,
                 const Arrays&... arrays) {
  const matrix m = held.it;
  if (!((arrays.dtype() == value_type_of(m)) && ...))
    throw nb::type_error("the arrays are not of the matrix's type");
  require_factors(m, alpha, beta);
  const nb::gil_scoped_release others;
  as_its_type(m, use);
}

void multiply(const held_matrix& held, product which, factor alpha, const given_vectors& x, factor beta,
              const written_vectors& y) {
  const columns from = columns_of(x), to = columns_of(y);
  if (from.count != to.count) throw nb::value_error("x and y have different numbers of columns");
  with_values(
      held, alpha, beta,
      [&]<class Value>(const matrix& m) { multiply_columns<Value>(m, which, alpha, from, beta, to); }, x, y);
}

void multiply_both(const held_matrix& held, factor alpha, const given_vector& x, const given_vector& w,
                   factor beta, const written_vector& y, const written_vector& z) {
  with_values(
      held, alpha, beta,
      [&]<class Value>(const matrix& m) {
        m.multiply_both(alpha, vector_of<const Value>(x), vector_of<const Value>(w), beta,
                        vector_of<Value>(y), vector_of<Value>(z));
      },
      x, w, y, z);
}

void multiply_normal(const held_matrix& held, factor alpha, const given_vector& x, factor beta,
                     const written_vector& z) {
  with_values(
      held, alpha, beta,
      [&]<class Value>(const matrix& m) {
        m.multiply_normal(alpha, vector_of<const Value>(x), beta, vector_of<Value>(z));
      },
      x, z);
}

// ---- the GPU's memory: addresses of arrays whose shapes and types the package has looked at ----

using address = std::uintptr_t;
template <class T>
device_span<T> span_there(address first, std::int64_t size) {
  return {reinterpret_cast<T*>(first), static_cast<std::size_t>(size)};
}

// Queued on the caller's stream: nothing here waits for it.
template <class Use>
void with_values_there(const held_matrix& held, factor alpha, factor beta, address stream, const Use& use) {
  const matrix m = held.it.on(reinterpret_cast<void*>(stream));
  require_factors(m, alpha, beta);
  const nb::gil_scoped_release others;
  as_its_type(m, use);
}

void multiply_there(const held_matrix& held, product which, factor alpha, address x, factor beta, address y,
                    std::int64_t count, address stream) {
  with_values_there(held, alpha, beta, stream, [&]<class Value>(const matrix& m) {
    const bool turned = which != product::plain;
    const std::int64_t in = turned ? m.rows() : m.cols(), out = turned ? m.cols() : m.rows();
    const auto bytes_of = [&](std::int64_t length) {
      return static_cast<std::size_t>(length * count) * sizeof(Value);
    };
    require_apart(reinterpret_cast<const void*>(x), bytes_of(in), reinterpret_cast<const void*>(y),
                  bytes_of(out));
    for (std::int64_t i = 0; i < count; ++i)
      multiply_one(m, which, alpha,
                   span_there<const Value>(x + static_cast<address>(i * in) * sizeof(Value), in), beta,
                   span_there<Value>(y + static_cast<address>(i * out) * sizeof(Value), out));
  });
}

void multiply_both_there(const held_matrix& held, factor alpha, address x, address w, factor beta, address y,
                         address z, address stream) {
  with_values_there(held, alpha, beta, stream, [&]<class Value>(const matrix& m) {
    m.multiply_both(alpha, span_there<const Value>(x, m.cols()), span_there<const Value>(w, m.rows()), beta,
                    span_there<Value>(y, m.rows()), span_there<Value>(z, m.cols()));
  });
}

void multiply_normal_there(const held_matrix& held, factor alpha, address x, factor beta, address z,
                           address stream) {
  with_values_there(held, alpha, beta, stream, [&]<class Value>(const matrix& m) {
    m.multiply_normal(alpha, span_there<const Value>(x, m.cols()), beta, span_there<Value>(z, m.cols()));
  });
}

// ---- arrays ----

struct shown_array {
  const char* name;
  const void* first;
  std::int64_t size;
  nb::dlpack::dtype type;
};

// Those of the format, in its order.
std::vector<shown_array> arrays_in(const matrix& m) {
  std::vector<shown_array> shown;
  const auto add = [&](const char* name, const auto& member) {
    if constexpr (is_array<std::remove_cvref_t<decltype(member)>>) {
      using item = std::remove_cvref_t<decltype(*member.data())>;
      using of_python =
          std::conditional_t<is_complex<item>, std::complex<typename part_of_value<item>::type>, item>;
      shown.push_back({name, member.data(), member.size(), nb::dtype<of_python>()});
    }
  };
  const auto add_all = [&](const auto& views) { for_each_member(views, add); };
  if (m.complex_values())
    visit_complex(m, add_all);
  else
    visit(m, add_all);
  return shown;
}

// Address, length and NumPy's name of the type.
nb::dict arrays_there(const held_matrix& held) {
  nb::dict shown;
  for (const shown_array& array : arrays_in(held.it)) {
    using code = nb::dlpack::dtype_code;
    const auto kind = static_cast<code>(array.type.code);
    const std::string letter = kind == code::Complex ? "c"
                               : kind == code::Float ? "f"
                               : kind == code::Int   ? "i"
                                                     : "u";
    shown[array.name] = nb::make_tuple(reinterpret_cast<address>(array.first), array.size,
                                       letter + std::to_string(array.type.bits / 8));
  }
  return shown;
}

// The arrays of the format by name, as they are: whoever has one keeps the matrix.
nb::dict arrays_of(const nb::handle& self) {
  static const std::complex<double> none;  // an array needs an address, also one of nothing
  nb::dict shown;
  for (const shown_array& array : arrays_in(nb::cast<const held_matrix&>(self).it))
    shown[array.name] = nb::cast(nb::ndarray<nb::numpy, nb::ro, nb::ndim<1>>(
        array.size == 0 ? &none : array.first, {static_cast<std::size_t>(array.size)}, self, {}, array.type));
  return shown;
}

// ---- what makes a matrix ----

run_on place_named(const std::string& name) {
  return name == "cpu" ? run_on::cpu : name == "cuda" ? run_on::gpu : run_on::automatic;
}

value_width width_named(const std::string& type) {
  return type == "float32"      ? value_width::f32
         : type == "float64"    ? value_width::f64
         : type == "complex64"  ? value_width::c64
         : type == "complex128" ? value_width::c128
                                : value_width::automatic;
}

held_matrix read_matrix_from(const nb::bytes& input, const std::string& device, const std::string& values,
                             bool drop_zeros, const nb::bytes& variable) {
  read_options options;
  options.variable = text_of(variable);
  options.where = place_named(device);
  options.values = width_named(values);
  options.drop_zeros = drop_zeros;
  const std::string name = text_of(input);
  std::optional<matrix> made;
  {
    const nb::gil_scoped_release others;
    made = read(name, options);
  }
  return {std::move(*made), nb::none()};
}

// Without templates of types: what an array holds is looked at here, and nothing is converted, so that what
// was lent is what is held.
held_matrix borrow(std::int64_t rows, std::int64_t cols, const library::array_argument& row_offsets,
                   const library::array_argument& col_indices, const library::array_argument& values,
                   address stream, nb::object lenders) {
  std::optional<matrix> made;
  {
    const nb::gil_scoped_release others;
    made = library::borrow(rows, cols, row_offsets, col_indices, values,
                           {.trusted = false, .stream = reinterpret_cast<void*>(stream)});
  }
  return {std::move(*made), std::move(lenders)};
}

using vector_on_host = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu, nb::c_contig>;

template <class... Types>
library::array_argument argument_of(const vector_on_host& a, const char* expected) {
  if (!((a.dtype() == nb::dtype<Types>()) || ...)) throw nb::type_error(expected);
  const bool complex = a.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Complex);
  return {a.data(), a.size(), a.dtype().bits, false, complex};
}

held_matrix borrow_here(std::int64_t rows, std::int64_t cols, const vector_on_host& row_offsets,
                        const vector_on_host& col_indices, const vector_on_host& values, nb::object lenders) {
  return borrow(rows, cols,
                argument_of<std::int32_t, std::int64_t>(row_offsets, "row offsets must be int32 or int64"),
                argument_of<std::int32_t>(col_indices, "column indices must be int32"),
                argument_of<float, double, std::complex<float>, std::complex<double>>(
                    values, "values must be float32, float64, complex64 or complex128"),
                0, std::move(lenders));
}

// Of somebody's arrays on the GPU: where each is and how long, and how wide offsets and values are.
using array_there = std::pair<address, std::int64_t>;
held_matrix borrow_there(std::int64_t rows, std::int64_t cols, const array_there& row_offsets,
                         const array_there& col_indices, const array_there& values, int offset_bits,
                         int value_bits, bool complex, address stream, nb::object lenders) {
  const auto argument = [](const array_there& a, int bits, bool of_complex) -> library::array_argument {
    return {reinterpret_cast<const void*>(a.first), static_cast<std::size_t>(a.second), bits, true,
            of_complex};
  };
  return borrow(rows, cols, argument(row_offsets, offset_bits, false), argument(col_indices, 32, false),
                argument(values, value_bits, complex), stream, std::move(lenders));
}

held_matrix convert_matrix(const held_matrix& a, const std::string& format,
                           const conversion_options& options) {
  std::optional<matrix> made;
  {
    const nb::gil_scoped_release others;
    made = convert(a.it, format, options);
  }
  return held(std::move(*made), a);
}

held_matrix copy_matrix_to(const held_matrix& a, const std::string& device) {
  std::optional<matrix> made;
  {
    const nb::gil_scoped_release others;
    made = copy_to(a.it, place_named(device));
  }
  return held(std::move(*made), a);
}

// The matrix in that order, at each place the row that comes there, and whether columns are ordered alike.
nb::tuple reorder_matrix(const held_matrix& a, const std::string& how) {
  std::optional<reordered> other;
  {
    const nb::gil_scoped_release others;
    other = reorder(a.it, how);
  }
  auto rows = std::make_unique<std::vector<std::int32_t>>(std::move(other->rows));
  const nb::capsule owner(rows.get(),
                          [](void* kept) noexcept { delete static_cast<std::vector<std::int32_t>*>(kept); });
  std::vector<std::int32_t>& kept = *rows.release();
  static std::int32_t none = 0;  // an array needs an address, also one of nothing
  const nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>> shown(kept.empty() ? &none : kept.data(),
                                                                {kept.size()}, owner);
  return nb::make_tuple(held(std::move(other->made), a), shown, other->columns_alike);
}

// ---- advice ----

advice recommend_for(const held_matrix& a, recommend_options options) {
  // Ctrl-C: what Python raises for a signal is kept until the race has ended.
  std::optional<nb::python_error> raised;
  bool stopped = false;
  options.interrupted = [&] {
    if (stopped) return true;
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) {
      raised.emplace();
      stopped = true;
    }
    return stopped;
  };
  std::optional<advice> said;
  {
    const nb::gil_scoped_release others;
    said = recommend(a.it, options);
  }
  if (raised) throw std::move(*raised);
  return std::move(*said);
}

held_matrix follow(const advice& said, const held_matrix& a) {
  std::optional<matrix> made;
  {
    const nb::gil_scoped_release others;
    made = said.convert(a.it);
  }
  return held(std::move(*made), a);
}

// A call that takes long and gives what Python may hold.
template <class Work>
auto beside_others(const Work& work) {
  const nb::gil_scoped_release others;
  return work();
}

void bind_matrix(nb::module_& m) {
  nb::class_<held_matrix> bound(m, "Matrix");
  bound.def_prop_ro("rows", [](const held_matrix& a) { return a.it.rows(); })
      .def_prop_ro("cols", [](const held_matrix& a) { return a.it.cols(); })
      .def_prop_ro("entries", [](const held_matrix& a) { return a.it.entries(); })
      .def_prop_ro("bytes", [](const held_matrix& a) { return a.it.bytes(); })
      .def_prop_ro("name", [](const held_matrix& a) { return as_text(a.it.name(), "surrogateescape"); })
      .def_prop_ro("format", [](const held_matrix& a) { return a.it.format(); })
      .def_prop_ro("parameters", [](const held_matrix& a) { return a.it.parameters(); })
      .def_prop_ro("value_type", [](const held_matrix& a) { return value_name(a.it); })
      .def_prop_ro("on_gpu", [](const held_matrix& a) { return a.it.on_gpu(); })
      .def_prop_ro("borrowed", [](const held_matrix& a) { return a.it.borrowed(); })
      .def_prop_ro("assembly",
                   [](const held_matrix& a) {
                     const assembly_report& r = a.it.assembly();
                     nb::dict told;
                     told["stored"] = r.stored;
                     told["expanded"] = r.expanded;
                     told["duplicates_summed"] = r.duplicates_summed;
                     told["stored_twice"] = r.stored_twice;
                     told["explicit_zeros"] = r.explicit_zeros;
                     told["zeros_dropped"] = r.zeros_dropped;
                     told["narrowed"] = r.narrowed;
                     told["rounded"] = r.rounded;
                     told["array_zeros"] = r.array_zeros;
                     told["note"] = as_text(r.note, "backslashreplace");
                     return told;
                   })
      .def("arrays", [](const nb::handle& self) { return arrays_of(self); })
      .def("arrays_there", &arrays_there)
      .def("multiply_both", &multiply_both, "alpha"_a, "x"_a.noconvert(), "w"_a.noconvert(), "beta"_a,
           "y"_a.noconvert(), "z"_a.noconvert())
      .def("multiply_normal", &multiply_normal, "alpha"_a, "x"_a.noconvert(), "beta"_a, "z"_a.noconvert())
      .def("multiply_both_there", &multiply_both_there)
      .def("multiply_normal_there", &multiply_normal_there)
      .def("use_kernel", [](held_matrix& a, const std::string& name) { a.it.use_kernel(name); })
      .def("use_kernels", [](held_matrix& a, const std::string& name,
                             const std::string& transposed) { a.it.use_kernels(name, transposed); })
      .def("kernel", [](const held_matrix& a) { return a.it.kernel(); })
      .def("kernel_transposed", [](const held_matrix& a) { return a.it.kernel_transposed(); })
      .def("kernel_both", [](const held_matrix& a) { return a.it.kernel_both(); })
      .def("kernel_normal", [](const held_matrix& a) { return a.it.kernel_normal(); })
      .def("kernels", [](const held_matrix& a) { return kernels(a.it); })
      .def("convert", &convert_matrix, "format"_a, "options"_a)
      .def("copy_to", &copy_matrix_to, "device"_a)
      .def("reorder", &reorder_matrix, "how"_a)
      .def("write",
           [](const held_matrix& a, const nb::bytes& path) {
             const std::string name = text_of(path);
             beside_others([&] {
               write(a.it, name);
               return true;
             });
           })
      .def("features", [](const held_matrix& a) { return beside_others([&] { return features(a.it); }); })
      .def("plan", [](const held_matrix& a) {
        const auto prices = beside_others([&] { return plan(a.it); });
        return std::pair(plan_text(prices), plan_document(prices));
      });
  const auto bind_product = [&](const char* name, const char* name_there, product which) {
    bound.def(
        name,
        [which](const held_matrix& a, factor alpha, const given_vectors& x, factor beta,
                const written_vectors& y) { multiply(a, which, alpha, x, beta, y); },
        "alpha"_a, "x"_a.noconvert(), "beta"_a, "y"_a.noconvert());
    bound.def(name_there, [which](const held_matrix& a, factor alpha, address x, factor beta, address y,
                                  std::int64_t count, address stream) {
      multiply_there(a, which, alpha, x, beta, y, count, stream);
    });
  };
  bind_product("multiply", "multiply_there", product::plain);
  bind_product("multiply_transposed", "multiply_transposed_there", product::transposed);
  bind_product("multiply_adjoint", "multiply_adjoint_there", product::adjoint);
  m.def("read", &read_matrix_from, "input"_a, "device"_a, "values"_a, "drop_zeros"_a, "variable"_a);
  m.def("borrow_csr", &borrow_here, "rows"_a, "cols"_a, "row_offsets"_a.noconvert(),
        "col_indices"_a.noconvert(), "values"_a.noconvert(), "lenders"_a);
  m.def("borrow_csr_there", &borrow_there);
}

// The options of a conversion under the names that spconv's flags have.
void bind_options(nb::module_& m) {
  using options = conversion_options;
  nb::class_<options> bound(m, "Options");
  bound.def(nb::init<>());
  const auto one = [&](const char* name, auto place) {
    bound.def_prop_rw(
        name, [place](options& o) { return place(o); },
        [place](options& o, std::remove_reference_t<decltype(place(o))> value) { place(o) = value; });
  };
  one("max_fill", [](options& o) -> double& { return o.max_fill; });
  one("slice", [](options& o) -> std::int32_t& { return o.sell.slice; });
  one("sigma", [](options& o) -> std::int32_t& { return o.sell.sigma; });
  one("width", [](options& o) -> std::int32_t& { return o.hyb_width; });
  one("diagonals", [](options& o) -> double& { return o.dia_share; });
  one("beta", [](options& o) -> std::int32_t& { return o.blocks.beta; });
  one("window", [](options& o) -> std::int32_t& { return o.blocks.window; });
  one("thesis", [](options& o) -> bool& { return o.blocks.thesis; });
  one("rest", [](options& o) -> std::int32_t& { return o.tile.rest_below; });
  // Of blocks and of tiles, of which a conversion makes one kind.
  bound.def("set_group",
            [](options& o, std::int32_t size) { o.blocks.group_size = o.tile.group_size = size; });
  bound.def("set_index", [](options& o, int bits) { o.blocks.index_bits = o.tile.index_bits = bits; });
  bound.def("set_block", [](options& o, std::int32_t rows, std::int32_t cols) {
    require_bsr_block({rows, cols});
    o.bsr_block = {rows, cols};
  });
  bound.def("set_tile", [](options& o, std::int32_t height, std::int32_t width) {
    o.tile.height = height;
    o.tile.width = width;
  });
  bound.def("set_order", [](options& o, int number) { o.blocks.order = static_cast<block_order>(number); });
  bound.def("set_holding",
            [](options& o, int number) { o.blocks.holding = static_cast<ecsb_holding>(number); });
  bound.def("set_renumber",
            [](options& o, int number) { o.tile.renumber = static_cast<renumbering>(number); });
  m.def("format_names", [] { return format_names(); });
  m.def("formats_with", [](const std::string& flag) {
    std::vector<std::string> names;
    for (const format_kind format : formats_with(flag)) names.push_back(name_of(format));
    return names;
  });
}

void bind_results(nb::module_& m) {
  nb::class_<kernel_choice>(m, "KernelChoice")
      .def_ro("name", &kernel_choice::name)
      .def_ro("description", &kernel_choice::description)
      .def_ro("vendor", &kernel_choice::vendor)
      .def_prop_ro("why_not",
                   [](const kernel_choice& k) {
                     return std::array{k.why_not, k.why_not_transposed, k.why_not_both, k.why_not_normal};
                   })
      .def_prop_ro("repeatable", [](const kernel_choice& k) {
        return std::array{k.repeatable, k.repeatable_transposed, k.repeatable_both, k.repeatable_normal};
      });
  nb::class_<known_kernel>(m, "KnownKernel")
      .def_ro("name", &known_kernel::name)
      .def_ro("format", &known_kernel::format)
      .def_ro("backend", &known_kernel::backend)
      .def_ro("description", &known_kernel::description)
      .def_ro("source", &known_kernel::source)
      .def_ro("products", &known_kernel::products)
      .def_ro("repeatable", &known_kernel::repeatable)
      .def_ro("vendor", &known_kernel::vendor)
      .def_ro("history", &known_kernel::history);
  m.def("kernels", &all_known_kernels);

  nb::class_<matrix_features>(m, "Features")
      .def("text", &features_text)
      .def("document", &features_document)
      .def("page", &features_page);

  nb::class_<recommend_options>(m, "RecommendOptions")
      .def(nb::init<>())
      .def_rw("mix", &recommend_options::mix)
      .def_rw("products", &recommend_options::products)
      .def_rw("warm", &recommend_options::warm)
      .def_rw("repeatable", &recommend_options::repeatable)
      .def_rw("memory", &recommend_options::memory)
      .def_rw("prefer_bytes", &recommend_options::prefer_bytes)
      .def_rw("use_symmetry", &recommend_options::use_symmetry)
      .def_rw("formats", &recommend_options::formats)
      .def_rw("kernels", &recommend_options::kernels)
      .def_rw("predict", &recommend_options::predict)
      .def_rw("exhaustive", &recommend_options::exhaustive)
      .def_rw("orders", &recommend_options::orders)
      .def_rw("budget", &recommend_options::budget);
  nb::class_<advice>(m, "Advice")
      .def_ro("format", &advice::format)
      .def_ro("parameters", &advice::parameters)
      .def_ro("order", &advice::order)
      .def_ro("kernel", &advice::kernel)
      .def_ro("kernel_transposed", &advice::kernel_transposed)
      .def_ro("symmetric", &advice::symmetric)
      .def_ro("unsettled", &advice::unsettled)
      .def_ro("ties", &advice::ties)
      .def_ro("seconds", &advice::seconds)
      .def_ro("csr_seconds", &advice::csr_seconds)
      .def_ro("bytes", &advice::bytes)
      .def_ro("price", &advice::price)
      .def_ro("repaid_after", &advice::repaid_after)
      .def_ro("reasons", &advice::reasons)
      .def("text", [](const advice& a) { return a.text(text_width); })
      .def("document", &advice::json)
      .def("page", &advice_page)
      .def("convert", &follow, "matrix"_a);
  m.def("recommend", &recommend_for, "matrix"_a, "options"_a);
}

}  // namespace

NB_MODULE(_sparsmith, m) {
  nb::register_exception_translator(raise);
  // What others keep to the end of a process, as PyTorch does its graphs, is no leak to tell users of.
  nb::set_leak_warnings(false);
  m.attr("__version__") = SPARSMITH_VERSION;
  bind_matrix(m);
  bind_options(m);
  bind_results(m);
}

}  // namespace sparsmith::python
