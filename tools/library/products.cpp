// Which kernels a matrix has, and its products.
#include <fmt/format.h>

#include <algorithm>

#include "convert/backend/device.hpp"
#include "convert/formats/properties.hpp"
#include "convert/nearest_names.hpp"
#include "kernels/adjoint.hpp"
#include "kernels/bound_kernels.hpp"
#include "tools/library/matrix_state.hpp"
#include "tools/library/visit.hpp"

namespace sparsmith {
namespace library {
namespace {

template <class Backend, class Offset, class Value>
std::vector<bound_kernel<Value>> lines_of(Backend on, const views_on<Backend, Offset, Value>& views) {
  return std::visit([&](const auto& m) { return bound_kernels_of(on, m); }, views);
}

constexpr std::size_t number_of(operation op) {
  return static_cast<std::size_t>(op);
}
constexpr bool in_one_pass(operation op) {
  return op == operation::both || op == operation::normal;
}

const std::string& why_not(const kernel_choice& one, operation op) {
  return op == operation::multiply     ? one.why_not
         : op == operation::transposed ? one.why_not_transposed
         : op == operation::both       ? one.why_not_both
                                       : one.why_not_normal;
}

// The format's own choice (properties.hpp); where that refuses the matrix, the first of ours that computes
// the product, else the vendor's first. What no kernel does in one pass is done by two products.
int default_of(const matrix_state& s, const std::vector<kernel_choice>& all, operation op) {
  const format_properties& properties = properties_of(s.kind);
  const kernel_names& names = s.where == place::device ? properties.on_cuda : properties.on_openmp;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == (op == operation::transposed ? names.atx : names.ax) && why_not(all[i], op).empty())
      return static_cast<int>(i);
  std::string refusals;
  for (const bool vendor : {false, true})
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].vendor != vendor) continue;
      if (why_not(all[i], op).empty()) return static_cast<int>(i);
      refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", all[i].name, why_not(all[i], op));
    }
  if (in_one_pass(op)) return two_products;
  throw error(failure::unsupported,
              fmt::format("no kernel computes {} of this matrix: {}", name_of(op), refusals));
}

int default_kernel(const matrix& a, operation op) {
  const matrix_state& s = a.state();
  {
    const std::lock_guard lock(s.mutex);
    if (const int known = s.defaults[number_of(op)]; known != default_choice) return known;
  }
  const int found = default_of(s, kernels(a), op);
  const std::lock_guard lock(s.mutex);
  return s.defaults[number_of(op)] = found;
}

// A factor as the kernels take it; one of real values is real (require_right).
template <class Value>
Value value_of(factor number) {
  using part = typename part_of_value<Value>::type;
  if constexpr (is_complex<Value>)
    return {static_cast<part>(number.real()), static_cast<part>(number.imag())};
  else
    return static_cast<part>(number.real());
}

std::shared_ptr<prepared_product> prepared_for(const matrix_state& s, int kernel, operation op, bool adjoint,
                                               void* stream, bool non_blocking) {
  const std::lock_guard lock(s.mutex);
  for (const auto& known : s.prepared)
    if (known->kernel == kernel && known->op == op && known->adjoint == adjoint && known->stream == stream &&
        (known->beside != nullptr) == non_blocking && !known->run_many)
      return known;
  auto product = std::make_shared<prepared_product>();
  product->kernel = kernel;
  product->op = op;
  product->adjoint = adjoint;
  product->stream = stream;
  if (non_blocking) product->beside = std::make_unique<const waiting_stream>();
  with_matrix(s, [&]<class Offset, class Value>(auto on, const auto& views) {
    using backend = decltype(on);
    if (kernel == two_products) {
      auto between = std::make_shared<array<Value, space_on<backend>>>(s.rows);
      product->bytes = s.rows * std::int64_t{sizeof(Value)};
      product->between = std::shared_ptr<void>(between, between->data());
      return;
    }
    if constexpr (std::is_same_v<backend, cuda>)
      on.stream = non_blocking ? product->beside->get() : static_cast<CUstream_st*>(stream);
    const auto lines = lines_of<backend, Offset, Value>(on, views);
    auto ready = lines[static_cast<std::size_t>(kernel)].prepare(op);
    if constexpr (is_complex<Value>)
      if (adjoint) ready = adjoint_of(on, std::move(ready), s.rows, s.cols);
    product->bytes = ready.bytes;
    const auto at = [](void* vector) { return static_cast<Value*>(vector); };
    if (op == operation::both)
      product->run = [run = ready.run_both, at](factor alpha, factor beta, void* const* v) {
        run(value_of<Value>(alpha), at(v[0]), at(v[1]), value_of<Value>(beta), at(v[2]), at(v[3]));
      };
    else
      product->run = [run = ready.run, at](factor alpha, factor beta, void* const* v) {
        run(value_of<Value>(alpha), at(v[0]), value_of<Value>(beta), at(v[1]));
      };
  });
  s.prepared.push_back(product);
  return product;
}

// For several vectors; null where the kernel takes one only.
std::shared_ptr<prepared_product> prepared_for_many(const matrix_state& s, int kernel, operation op,
                                                    vector_layout as) {
  const std::lock_guard lock(s.mutex);
  for (const auto& known : s.prepared)
    if (known->run_many && known->kernel == kernel && known->op == op && known->as.count == as.count &&
        known->as.by_rows == as.by_rows)
      return known;
  auto product = std::make_shared<prepared_product>();
  product->kernel = kernel;
  product->op = op;
  product->as = as;
  with_matrix(s, [&]<class Offset, class Value>(auto on, const auto& views) {
    const auto lines = lines_of<decltype(on), Offset, Value>(on, views);
    const auto& line = lines[static_cast<std::size_t>(kernel)];
    if (!line.prepare_many) return;
    auto ready = line.prepare_many(op, as);
    product->bytes = ready.bytes;
    product->run_many = [run = std::move(ready.run)](factor alpha, factor beta, const void* x,
                                                     std::int64_t x_stride, void* y, std::int64_t y_stride) {
      run(value_of<Value>(alpha), static_cast<const Value*>(x), x_stride, value_of<Value>(beta),
          static_cast<Value*>(y), y_stride);
    };
  });
  if (!product->run_many) return nullptr;
  // Of those that ask for other numbers of vectors the last alone is kept: it may have room for all of them.
  std::erase_if(s.prepared, [&](const std::shared_ptr<prepared_product>& known) {
    return known->run_many && known->kernel == kernel && known->op == op;
  });
  s.prepared.push_back(product);
  return product;
}

// On the stream it was prepared for, in the order of the caller's.
void run_in_order(prepared_product& product, factor alpha, factor beta, void* const* vectors) {
  const std::lock_guard lock(product.running);
  auto* const given = static_cast<CUstream_st*>(product.stream);
  if (product.beside != nullptr) queued_work(given).hold_back(product.beside->get());
  product.run(alpha, beta, vectors);
  if (product.beside != nullptr) queued_work(product.beside->get()).hold_back(given);
}

// compute(vectors) with vectors of the host in the GPU's memory; inputs come first, as many as outputs.
template <class Compute>
void with_copies(factor alpha, factor beta, std::span<const array_argument> vectors, Compute compute) {
  const auto bytes_of = [](const array_argument& a) {
    return static_cast<std::int64_t>(a.size) * (a.item_bits / 8);
  };
  std::vector<array<std::byte, device>> there;
  std::vector<void*> at;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    there.emplace_back(bytes_of(vectors[i]));
    at.push_back(there.back().data());
    if ((i < vectors.size() / 2 ? alpha : beta) != 0.0)
      copy_bytes(place::device, at[i], place::host, vectors[i].data, bytes_of(vectors[i]));
  }
  compute(at.data());
  // Waits for the product: its stream is one that the default stream, which copies, waits for.
  for (std::size_t i = vectors.size() / 2; i < vectors.size(); ++i)
    copy_bytes(place::host, const_cast<void*>(vectors[i].data), place::device, at[i], bytes_of(vectors[i]));
}

// A vector by its name, and how many values it must have.
struct named_vector {
  const char* name;
  std::int64_t needed;
  bool written;
};
std::vector<named_vector> vectors_of(const matrix_state& s, operation op) {
  switch (op) {
    case operation::multiply:
      return {{"x", s.cols, false}, {"y", s.rows, true}};
    case operation::transposed:
      return {{"x", s.rows, false}, {"y", s.cols, true}};
    case operation::both:
      return {{"x", s.cols, false}, {"w", s.rows, false}, {"y", s.rows, true}, {"z", s.cols, true}};
    case operation::normal:
      return {{"x", s.cols, false}, {"z", s.cols, true}};
  }
  return {};
}

bool share_memory(const array_argument& a, const array_argument& b) {
  const auto first_of = [](const array_argument& one) { return reinterpret_cast<std::uintptr_t>(one.data); };
  const auto end_of = [&](const array_argument& one) {
    return first_of(one) + one.size * static_cast<std::size_t>(one.item_bits / 8);
  };
  return a.size > 0 && b.size > 0 && first_of(a) < end_of(b) && first_of(b) < end_of(a);
}

// "float", and the value_width that reads it.
std::pair<std::string, const char*> names_of_values(bool complex, bool single) {
  if (complex) return {fmt::format("std::complex<{}>", single ? "float" : "double"), single ? "c64" : "c128"};
  return {single ? "float" : "double", single ? "f32" : "f64"};
}

// Vectors of so many values, of which vector v begins at v * next.
struct placed_vectors {
  std::int64_t length, next, stride;
};
placed_vectors place_vectors(const several_argument& given, const named_vector& wanted,
                             const matrix_state& s) {
  if (given.count < 0 || given.stride < 0)
    throw error(failure::usage,
                fmt::format("{}: {} vectors with a stride of {}", wanted.name, given.count, given.stride));
  const std::int64_t length = wanted.needed, lines = given.rows ? length : given.count,
                     line = given.rows ? given.count : length;
  const std::int64_t stride = given.stride == 0 ? line : given.stride;
  if (stride < line)
    throw error(failure::usage, fmt::format("{} has a stride of {}, but {} {} of {} values each", wanted.name,
                                            stride, lines, given.rows ? "rows" : "vectors", line));
  if (lines > 0 && line > 0 &&
      (static_cast<std::int64_t>(given.array.size) < line ||
       (static_cast<std::int64_t>(given.array.size) - line) / stride < lines - 1))
    throw error(
        failure::usage,
        fmt::format("{} has {} values, but {} vectors by {} for a matrix of {} x {} need {} of {}, {} apart",
                    wanted.name, given.array.size, given.count, given.rows ? "rows" : "columns", s.rows,
                    s.cols, lines, line, stride));
  return {length, given.rows ? 1 : stride, stride};
}

void require_right(const matrix_state& s, operation op, bool adjoint, factor alpha, factor beta,
                   std::span<const array_argument> given) {
  const std::vector<named_vector> wanted = vectors_of(s, op);
  if (!s.types.complex && (alpha.imag() != 0 || beta.imag() != 0))
    throw error(
        failure::usage,
        fmt::format("the matrix holds real values, but {} has an imaginary part: read it with .values = "
                    "value_width::c64 or c128",
                    alpha.imag() != 0 ? "alpha" : "beta"));
  std::string names;
  for (std::size_t i = 0; i < given.size(); ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : i + 1 < given.size() ? ", " : " and ", wanted[i].name);
    if (static_cast<std::int64_t>(given[i].size) != wanted[i].needed)
      throw error(failure::usage, fmt::format("{} has {} values, but {} of a matrix of {} x {} needs {}",
                                              wanted[i].name, given[i].size, adjoint ? "A^H x" : name_of(op),
                                              s.rows, s.cols, wanted[i].needed));
  }
  const bool given_single = given[0].item_bits == (given[0].complex ? 64 : 32);
  if (given[0].complex != s.types.complex || given_single != s.types.single_values) {
    const auto [there, in_words] = names_of_values(s.types.complex, s.types.single_values);
    const auto [here, width] = names_of_values(given[0].complex, given_single);
    // What is complex cannot be read as real.
    const std::string advice = s.types.complex && !given[0].complex
                                   ? fmt::format("vectors of {} go with it", there)
                                   : fmt::format("read it with .values = value_width::{}", width);
    throw error(failure::usage,
                fmt::format("the matrix holds {}, but {} hold {}: {}", there, names, here, advice));
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    for (std::size_t k = i + 1; k < given.size(); ++k) {
      if (!wanted[k].written || !share_memory(given[i], given[k])) continue;
      throw error(
          failure::usage,
          wanted[i].written
              ? fmt::format("{} and {} share memory: both are written", wanted[i].name, wanted[k].name)
              : fmt::format("{} and {} share memory: a product reads {} while it writes {}", wanted[i].name,
                            wanted[k].name, wanted[i].name, wanted[k].name));
    }
  if (!given[0].on_gpu) return;
  if (s.where == place::host)
    throw error(
        failure::usage,
        fmt::format("{} are in the GPU's memory, but the matrix is in the host's: copy_to(a, run_on::gpu)",
                    names));
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].size > 0 && !is_gpu_memory(given[i].data))
      throw error(failure::usage,
                  fmt::format("{} is a device_span of memory that the GPU cannot reach", wanted[i].name));
}

}  // namespace

const void* views_of(const matrix& a) {
  return a.state().views.get();
}

}  // namespace library

using library::matrix_state;

std::vector<kernel_choice> kernels(const matrix& a) {
  std::vector<kernel_choice> all;
  library::with_matrix(a.state(), [&]<class Offset, class Value>(auto on, const auto& views) {
    for (const auto& line : library::lines_of<decltype(on), Offset, Value>(on, views)) {
      const kernel_info& info = line.info;
      all.push_back({info.name, info.description, info.vendor, line.why_not(operation::multiply),
                     line.why_not(operation::transposed), info.repeatable(operation::multiply),
                     info.repeatable(operation::transposed), line.why_not(operation::both),
                     line.why_not(operation::normal), info.repeatable(operation::both),
                     info.repeatable(operation::normal)});
    }
  });
  return all;
}

namespace {

// The number of a kernel by its name.
std::size_t kernel_named(const std::vector<kernel_choice>& all, const std::string& name, const matrix& a) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
    known.push_back(all[i].name);
  }
  throw error(failure::usage, fmt::format("{}: no such kernel of {} on the {}; there {} {}", name, a.format(),
                                          a.on_gpu() ? "GPU" : "CPU", known.size() == 1 ? "is" : "are",
                                          fmt::join(known, ", ")));
}

}  // namespace

matrix& matrix::use_kernel(const std::string& name) {
  if (name.empty()) {
    kernels_.fill(library::default_choice);
    return *this;
  }
  const std::vector<kernel_choice> all = kernels(*this);
  const std::size_t i = kernel_named(all, name, *this);
  if (std::none_of(all_operations.begin(), all_operations.end(),
                   [&](operation op) { return library::why_not(all[i], op).empty(); }))
    throw error(failure::usage, fmt::format("{}: {}", name, all[i].why_not));
  for (const operation op : all_operations) {
    if (library::why_not(all[i], op).empty())
      kernels_[library::number_of(op)] = static_cast<int>(i);
    else if (library::in_one_pass(op))
      kernels_[library::number_of(op)] = library::two_products;
  }
  return *this;
}

matrix& matrix::use_kernels(const std::string& name, const std::string& name_transposed) {
  const std::vector<kernel_choice> all = kernels(*this);
  auto chosen = kernels_;
  for (const operation op : plain_operations) {
    const std::string& wanted = op == operation::transposed ? name_transposed : name;
    if (wanted.empty()) continue;
    const std::size_t i = kernel_named(all, wanted, *this);
    if (const std::string& why_not = library::why_not(all[i], op); !why_not.empty())
      throw error(failure::usage, fmt::format("{}: {}", wanted, why_not));
    chosen[library::number_of(op)] = static_cast<int>(i);
  }
  kernels_ = chosen;
  return *this;
}

int matrix::kernel_for(operation op) const {
  const int chosen = kernels_[library::number_of(op)];
  return chosen != library::default_choice ? chosen : library::default_kernel(*this, op);
}

std::string matrix::name_of_kernel(operation op) const {
  const int kernel = kernel_for(op);
  return kernel == library::two_products ? "" : kernels(*this)[static_cast<std::size_t>(kernel)].name;
}
std::string matrix::kernel() const {
  return name_of_kernel(operation::multiply);
}
std::string matrix::kernel_transposed() const {
  return name_of_kernel(operation::transposed);
}
std::string matrix::kernel_both() const {
  return name_of_kernel(operation::both);
}
std::string matrix::kernel_normal() const {
  return name_of_kernel(operation::normal);
}

std::shared_ptr<library::prepared_product> matrix::product(operation op, bool adjoint) const {
  return library::prepared_for(*state_, kernel_for(op), op, adjoint, stream_, non_blocking_);
}

void matrix::prepare(operation op) const {
  const bool two = kernel_for(op) == library::two_products;
  if (two)
    for (const operation one : plain_operations) product(one);
  if (!two || op == operation::normal) product(op);
}
void matrix::prepare() const {
  prepare(operation::multiply);
}
void matrix::prepare_transposed() const {
  prepare(operation::transposed);
}
void matrix::prepare_adjoint() const {
  product(operation::transposed, state_->types.complex);
}
void matrix::prepare_both() const {
  prepare(operation::both);
}
void matrix::prepare_normal() const {
  prepare(operation::normal);
}

std::int64_t matrix::prepared_bytes() const {
  const std::lock_guard lock(state_->mutex);
  std::int64_t bytes = 0;
  for (const auto& one : state_->prepared) bytes += one->bytes;
  return bytes;
}

void matrix::run(bool transposed, factor alpha, const library::array_argument& x, factor beta,
                 const library::array_argument& y) const {
  compute(transposed ? operation::transposed : operation::multiply, false, alpha, beta, std::array{x, y});
}
// Where the kernel takes one only, one after the other, which asks for vectors by columns.
void matrix::run_several(bool transposed, factor alpha, const library::several_argument& x, factor beta,
                         const library::several_argument& y) const {
  const operation op = transposed ? operation::transposed : operation::multiply;
  const auto wanted = library::vectors_of(*state_, op);
  if (x.count != y.count || x.rows != y.rows)
    throw error(failure::usage,
                fmt::format("x has {} vectors by {}, but y has {} by {}: both must be alike", x.count,
                            x.rows ? "rows" : "columns", y.count, y.rows ? "rows" : "columns"));
  const library::placed_vectors from = library::place_vectors(x, wanted[0], *state_),
                                to = library::place_vectors(y, wanted[1], *state_);
  if (x.count == 0) return;
  if (library::share_memory(x.array, y.array))
    throw error(failure::usage, "x and y share memory: a product reads x while it writes y");
  const auto one_of = [](library::array_argument whole, const library::placed_vectors& at, std::int64_t v) {
    whole.data = static_cast<const std::byte*>(whole.data) + v * at.next * (whole.item_bits / 8);
    whole.size = static_cast<std::size_t>(at.length);
    return whole;
  };
  library::require_right(*state_, op, false, alpha, beta,
                         std::array{one_of(x.array, from, 0), one_of(y.array, to, 0)});
  if (const auto many = library::prepared_for_many(*state_, kernel_for(op), op, {x.count, x.rows})) {
    const std::lock_guard lock(many->running);
    return many->run_many(alpha, beta, x.array.data, from.stride, const_cast<void*>(y.array.data), to.stride);
  }
  if (x.rows && std::max(from.stride, to.stride) > 1)
    throw error(failure::unsupported,
                "on a GPU several vectors are taken one after the other: give them by columns");
  for (std::int64_t v = 0; v < x.count; ++v)
    compute(op, false, alpha, beta, std::array{one_of(x.array, from, v), one_of(y.array, to, v)});
}
void matrix::run_adjoint(factor alpha, const library::array_argument& x, factor beta,
                         const library::array_argument& y) const {
  compute(operation::transposed, state_->types.complex, alpha, beta, std::array{x, y});
}
void matrix::run_both(factor alpha, const library::array_argument& x, const library::array_argument& w,
                      factor beta, const library::array_argument& y, const library::array_argument& z) const {
  compute(operation::both, false, alpha, beta, std::array{x, w, y, z});
}
void matrix::run_normal(factor alpha, const library::array_argument& x, factor beta,
                        const library::array_argument& z) const {
  compute(operation::normal, false, alpha, beta, std::array{x, z});
}

void matrix::compute(operation op, bool adjoint, factor alpha, factor beta,
                     std::span<const library::array_argument> vectors) const {
  library::require_right(*state_, op, adjoint, alpha, beta, vectors);
  if (on_gpu() && !vectors[0].on_gpu)
    return library::with_copies(alpha, beta, vectors,
                                [&](void* const* there) { compute_at(op, adjoint, alpha, beta, there); });
  std::array<void*, 4> at = {};
  for (std::size_t i = 0; i < vectors.size(); ++i) at[i] = const_cast<void*>(vectors[i].data);
  compute_at(op, adjoint, alpha, beta, at.data());
}

void matrix::compute_at(operation op, bool adjoint, factor alpha, factor beta, void* const* vectors) const {
  if (kernel_for(op) != library::two_products)
    return library::run_in_order(*product(op, adjoint), alpha, beta, vectors);
  const auto plain = [&](operation one, factor a, void* x, factor b, void* y) {
    library::run_in_order(*product(one), a, b, std::array{x, y}.data());
  };
  if (op == operation::both) {
    plain(operation::multiply, alpha, vectors[0], beta, vectors[2]);
    plain(operation::transposed, alpha, vectors[1], beta, vectors[3]);
    return;
  }
  const auto own = product(op);
  const std::lock_guard lock(own->running);
  if (alpha != 0.0) plain(operation::multiply, 1, vectors[0], 0, own->between.get());
  plain(operation::transposed, alpha, own->between.get(), beta, vectors[1]);
}

matrix matrix::on(void* stream) const {
  matrix other = *this;
  other.stream_ = nullptr;
  other.non_blocking_ = false;
  if (stream == nullptr) return other;
  if (!on_gpu())
    throw error(failure::usage, "a stream is for a matrix on the GPU; this one is in the host's memory");
  const library::given_stream given = library::look_at(stream);
  other.stream_ = given.stream;
  other.non_blocking_ = given.non_blocking;
  return other;
}

void matrix::wait() const {
  if (on_gpu()) library::wait_for(stream_);
}

}  // namespace sparsmith
