// Which kernels a matrix has, and its products.
#include <fmt/format.h>

#include "convert/backend/device.hpp"
#include "convert/formats/properties.hpp"
#include "convert/nearest_names.hpp"
#include "kernels/bound_kernels.hpp"
#include "tools/library/matrix_state.hpp"
#include "tools/library/visit.hpp"

namespace sparsmith {
namespace library {
namespace {

constexpr std::array operations = {operation::multiply, operation::transposed};

template <class Backend, class Offset, class Value>
std::vector<bound_kernel<Value>> lines_of(Backend on, const views_on<Backend, Offset, Value>& views) {
  return std::visit([&](const auto& m) { return bound_kernels_of(on, m); }, views);
}

// The format's own choice (properties.hpp); where that refuses the matrix, the first of ours that computes
// the product, else the vendor's first.
int default_of(const matrix_state& s, const std::vector<kernel_choice>& all, bool transposed) {
  const format_properties& properties = properties_of(s.kind);
  const kernel_names& names = s.where == place::device ? properties.on_cuda : properties.on_openmp;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == (transposed ? names.atx : names.ax) &&
        (transposed ? all[i].why_not_transposed : all[i].why_not).empty())
      return static_cast<int>(i);
  std::string refusals;
  for (const bool vendor : {false, true})
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].vendor != vendor) continue;
      const std::string& why_not = transposed ? all[i].why_not_transposed : all[i].why_not;
      if (why_not.empty()) return static_cast<int>(i);
      refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", all[i].name, why_not);
    }
  throw error(failure::unsupported, fmt::format("no kernel computes {} of this matrix: {}",
                                                name_of(operations[transposed ? 1 : 0]), refusals));
}

int default_kernel(const matrix& a, bool transposed) {
  const matrix_state& s = a.state();
  {
    const std::lock_guard lock(s.mutex);
    if (const int known = s.defaults[transposed ? 1 : 0]; known >= 0) return known;
  }
  const int found = default_of(s, kernels(a), transposed);
  const std::lock_guard lock(s.mutex);
  return s.defaults[transposed ? 1 : 0] = found;
}

std::shared_ptr<prepared_product> prepared_for(const matrix_state& s, int kernel, bool transposed,
                                               void* stream, bool non_blocking) {
  const std::lock_guard lock(s.mutex);
  for (const auto& known : s.prepared)
    if (known->kernel == kernel && known->transposed == transposed && known->stream == stream &&
        (known->beside != nullptr) == non_blocking)
      return known;
  auto product = std::make_shared<prepared_product>();
  product->kernel = kernel;
  product->transposed = transposed;
  product->stream = stream;
  if (non_blocking) product->beside = std::make_unique<const waiting_stream>();
  with_matrix(s, [&]<class Offset, class Value>(auto on, const auto& views) {
    using backend = decltype(on);
    if constexpr (std::is_same_v<backend, cuda>)
      on.stream = non_blocking ? product->beside->get() : static_cast<CUstream_st*>(stream);
    const auto lines = lines_of<backend, Offset, Value>(on, views);
    const auto ready = lines[static_cast<std::size_t>(kernel)].prepare(operations[transposed ? 1 : 0]);
    product->bytes = ready.bytes;
    product->run = [run = ready.run](double alpha, const void* x, double beta, void* y) {
      run(static_cast<Value>(alpha), static_cast<const Value*>(x), static_cast<Value>(beta),
          static_cast<Value*>(y));
    };
  });
  s.prepared.push_back(product);
  return product;
}

// On the stream it was prepared for, in the order of the caller's.
void run_in_order(const prepared_product& product, double alpha, const void* x, double beta, void* y) {
  auto* const given = static_cast<CUstream_st*>(product.stream);
  if (product.beside != nullptr) queued_work(given).hold_back(product.beside->get());
  product.run(alpha, x, beta, y);
  if (product.beside != nullptr) queued_work(product.beside->get()).hold_back(given);
}

void run_with_copies(const prepared_product& product, double alpha, const array_argument& x, double beta,
                     const array_argument& y) {
  const auto bytes_of = [](const array_argument& a) {
    return static_cast<std::int64_t>(a.size) * (a.item_bits / 8);
  };
  array<std::byte, device> there_x(bytes_of(x)), there_y(bytes_of(y));
  if (alpha != 0) copy_bytes(place::device, there_x.data(), place::host, x.data, bytes_of(x));
  if (beta != 0) copy_bytes(place::device, there_y.data(), place::host, y.data, bytes_of(y));
  run_in_order(product, alpha, there_x.data(), beta, there_y.data());
  // Waits for the product: its stream is one that the default stream, which copies, waits for.
  copy_bytes(place::host, const_cast<void*>(y.data), place::device, there_y.data(), bytes_of(y));
}

void require_size(const char* vector, const array_argument& given, std::int64_t needed,
                  const char* needed_for, const matrix_state& s) {
  if (static_cast<std::int64_t>(given.size) != needed)
    throw error(failure::usage, fmt::format("{} has {} values, but {} of a matrix of {} x {} needs {}",
                                            vector, given.size, needed_for, s.rows, s.cols, needed));
}

void require_right(const matrix_state& s, bool transposed, const array_argument& x, const array_argument& y) {
  const char* const product = name_of(operations[transposed ? 1 : 0]);
  require_size("x", x, transposed ? s.rows : s.cols, product, s);
  require_size("y", y, transposed ? s.cols : s.rows, product, s);
  const int bits = s.types.single_values ? 32 : 64;
  if (x.item_bits != bits)
    throw error(
        failure::usage,
        fmt::format("the matrix holds {}, but x and y hold {}: read it with .values = value_width::{}",
                    bits == 32 ? "float" : "double", bits == 32 ? "double" : "float",
                    bits == 32 ? "f64" : "f32"));
  const auto bytes_of = [&](const array_argument& a) { return a.size * static_cast<std::size_t>(bits / 8); };
  const auto first_x = reinterpret_cast<std::uintptr_t>(x.data);
  const auto first_y = reinterpret_cast<std::uintptr_t>(y.data);
  if (x.size > 0 && y.size > 0 && first_x < first_y + bytes_of(y) && first_y < first_x + bytes_of(x))
    throw error(failure::usage, "x and y share memory: a product reads x while it writes y");
  if (!x.on_gpu) return;
  if (s.where == place::host)
    throw error(failure::usage,
                "x and y are in the GPU's memory, but the matrix is in the host's: copy_to(a, run_on::gpu)");
  for (const array_argument* const one : {&x, &y})
    if (one->size > 0 && !is_gpu_memory(one->data))
      throw error(failure::usage, fmt::format("{} is a device_span of memory that the GPU cannot reach",
                                              one == &x ? "x" : "y"));
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
                     info.repeatable(operation::transposed)});
    }
  });
  return all;
}

namespace {

// The number of a kernel by its name.
std::size_t number_of(const std::vector<kernel_choice>& all, const std::string& name, const matrix& a) {
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
    kernels_ = {-1, -1};
    return *this;
  }
  const std::vector<kernel_choice> all = kernels(*this);
  const std::size_t i = number_of(all, name, *this);
  if (!all[i].why_not.empty() && !all[i].why_not_transposed.empty())
    throw error(failure::usage, fmt::format("{}: {}", name, all[i].why_not));
  if (all[i].why_not.empty()) kernels_[0] = static_cast<int>(i);
  if (all[i].why_not_transposed.empty()) kernels_[1] = static_cast<int>(i);
  return *this;
}

matrix& matrix::use_kernels(const std::string& name, const std::string& name_transposed) {
  const std::vector<kernel_choice> all = kernels(*this);
  std::array<int, 2> chosen = kernels_;
  for (const bool transposed : {false, true}) {
    const std::string& wanted = transposed ? name_transposed : name;
    if (wanted.empty()) continue;
    const std::size_t i = number_of(all, wanted, *this);
    if (const std::string& why_not = transposed ? all[i].why_not_transposed : all[i].why_not;
        !why_not.empty())
      throw error(failure::usage, fmt::format("{}: {}", wanted, why_not));
    chosen[transposed ? 1 : 0] = static_cast<int>(i);
  }
  kernels_ = chosen;
  return *this;
}

std::string matrix::kernel() const {
  const int chosen = kernels_[0] >= 0 ? kernels_[0] : library::default_kernel(*this, false);
  return kernels(*this)[static_cast<std::size_t>(chosen)].name;
}

std::string matrix::kernel_transposed() const {
  const int chosen = kernels_[1] >= 0 ? kernels_[1] : library::default_kernel(*this, true);
  return kernels(*this)[static_cast<std::size_t>(chosen)].name;
}

std::shared_ptr<library::prepared_product> matrix::product(bool transposed) const {
  const int chosen = kernels_[transposed ? 1 : 0];
  return library::prepared_for(*state_, chosen >= 0 ? chosen : library::default_kernel(*this, transposed),
                               transposed, stream_, non_blocking_);
}

void matrix::prepare() const {
  product(false);
}

void matrix::prepare_transposed() const {
  product(true);
}

std::int64_t matrix::prepared_bytes() const {
  const std::lock_guard lock(state_->mutex);
  std::int64_t bytes = 0;
  for (const auto& one : state_->prepared) bytes += one->bytes;
  return bytes;
}

void matrix::run(bool transposed, double alpha, const library::array_argument& x, double beta,
                 const library::array_argument& y) const {
  library::require_right(*state_, transposed, x, y);
  const auto ready = product(transposed);
  const std::lock_guard lock(ready->running);
  if (on_gpu() && !x.on_gpu)
    library::run_with_copies(*ready, alpha, x, beta, y);
  else
    library::run_in_order(*ready, alpha, x.data, beta, const_cast<void*>(y.data));
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
