// MKL's inspector-executor products for CSR, COO and BSR: a matrix is described, told what it will be used
// for, and optimised, for which MKL may store it anew; CSC's run CSR's. MKL works with the threads of GNU's
// OpenMP, as we do, and with as many.
#include "kernels/vendor/mkl.hpp"

#include <mkl_service.h>
#include <mkl_spblas.h>

#include <utility>

#include "kernels/cpu/scatter.hpp"

namespace sparsmith {
namespace {

void check(sparse_status_t status) {
  if (status == SPARSE_STATUS_SUCCESS) return;
  const auto [category, words] = [&]() -> std::pair<failure, const char*> {
    switch (status) {
      case SPARSE_STATUS_ALLOC_FAILED:
        return {failure::resources, "out of memory"};
      case SPARSE_STATUS_NOT_INITIALIZED:
        return {failure::unsupported, "the matrix is not initialised"};
      case SPARSE_STATUS_INVALID_VALUE:
        return {failure::unsupported, "an invalid value"};
      case SPARSE_STATUS_NOT_SUPPORTED:
        return {failure::unsupported, "not supported"};
      case SPARSE_STATUS_EXECUTION_FAILED:
        return {failure::unsupported, "the execution failed"};
      default:
        return {failure::unsupported, "an internal error"};
    }
  }();
  throw error(category, std::string("MKL: ") + words);
}

// Once in a process, before anything else is asked of MKL: it would start threads of Intel's OpenMP beside
// ours, and take fewer of them than asked for where it thinks best. No where somebody else in the process was
// first and wanted indices of 64 bits: MKL would misread ours.
bool takes_our_indices() {
  static const bool narrow = [] {
    (void)mkl_set_threading_layer(MKL_THREADING_GNU);
    const int layer = mkl_set_interface_layer(MKL_INTERFACE_LP64);
    mkl_set_dynamic(0);
    return layer >= 0 && (layer & MKL_INTERFACE_ILP64) == 0;
  }();
  return narrow;
}

// As many threads as our kernels would have, for this thread's calls.
class with_threads {
 public:
  explicit with_threads(int count) : before_(mkl_set_num_threads_local(count)) {}
  with_threads(const with_threads&) = delete;
  ~with_threads() { (void)mkl_set_num_threads_local(before_); }

 private:
  int before_;
};

struct destroy {
  void operator()(sparse_matrix_t m) const { (void)mkl_sparse_destroy(m); }
};
using owned_matrix = std::unique_ptr<std::remove_pointer_t<sparse_matrix_t>, destroy>;

// MKL takes all arrays as its own to write, and does not write them unless it is asked to sort.
template <class T>
T* for_mkl(const T* values) {
  return const_cast<T*>(values);
}
template <class Value, class OfFloat, class OfDouble>
constexpr auto choose(OfFloat of_float, OfDouble of_double) {
  if constexpr (std::is_same_v<Value, float>)
    return of_float;
  else
    return of_double;
}

constexpr kernel_info mkl_info(const char* name, const char* description, const char* predicted_as) {
  return {.name = name,
          .description = description,
          .source = "MKL",
          .vendor = true,
          .facts = cpu_facts,
          .predicted_as = predicted_as};
}
template <class Offset>
std::string wide_offsets() {
  return sizeof(Offset) == 4 ? "" : "MKL wants offsets and indices of one width";
}

// How each format is described.

template <class Offset, class Value>
struct csr_mkl {
  static constexpr kernel_info info = mkl_info("csr/mkl", "mkl_sparse_?_mv, hinted and optimised", "csr/omp");
  using matrix = csr_view<Offset, Value, host>;
  static std::string why_not(const matrix&, operation) { return wide_offsets<Offset>(); }
  static sparse_status_t describe(const matrix& m, sparse_matrix_t* description) {
    const auto create = choose<Value>(mkl_sparse_s_create_csr, mkl_sparse_d_create_csr);
    Offset* const offsets = for_mkl(m.row_offsets.data());
    return create(description, SPARSE_INDEX_BASE_ZERO, m.rows, m.cols, offsets, offsets + 1,
                  for_mkl(m.col_indices.data()), for_mkl(m.values.data()));
  }
};

template <class Value>
struct coo_mkl {
  static constexpr kernel_info info = mkl_info("coo/mkl", "mkl_sparse_?_mv, hinted and optimised", "coo/omp");
  using matrix = coo_view<Value, host>;
  static std::string why_not_expected(const matrix_outline& known, operation) {
    return mkl_refuses_coo(known);
  }
  static matrix_outline outline_of(const matrix& m) { return {.entries = m.values.size()}; }
  static sparse_status_t describe(const matrix& m, sparse_matrix_t* description) {
    const auto create = choose<Value>(mkl_sparse_s_create_coo, mkl_sparse_d_create_coo);
    return create(description, SPARSE_INDEX_BASE_ZERO, m.rows, m.cols, static_cast<int>(m.values.size()),
                  for_mkl(m.row_indices.data()), for_mkl(m.col_indices.data()), for_mkl(m.values.data()));
  }
};

template <class Offset, class Value>
struct bsr_mkl {
  static constexpr kernel_info info =
      mkl_info("bsr/mkl", "mkl_sparse_?_mv, hinted and optimised", "bsr/granular-row");
  using matrix = bsr_view<Offset, Value, host>;
  static std::string why_not(const matrix&, operation) { return wide_offsets<Offset>(); }
  static std::string why_not_expected(const matrix_outline& known, operation) {
    return mkl_refuses_bsr(known);
  }
  static matrix_outline outline_of(const matrix& m) {
    return {.rows = m.rows, .cols = m.cols, .block = {m.block_rows, m.block_cols}};
  }
  static sparse_status_t describe(const matrix& m, sparse_matrix_t* description) {
    const auto create = choose<Value>(mkl_sparse_s_create_bsr, mkl_sparse_d_create_bsr);
    Offset* const offsets = for_mkl(m.row_offsets.data());
    return create(description, SPARSE_INDEX_BASE_ZERO, SPARSE_LAYOUT_ROW_MAJOR, m.rows / m.block_rows,
                  m.cols / m.block_cols, m.block_rows, offsets, offsets + 1, for_mkl(m.col_indices.data()),
                  for_mkl(m.values.data()));
  }
};

template <class Way>
struct mkl_product : Way {  // which says what it is and what it refuses
  using matrix = typename Way::matrix;
  using value = typename matrix::value_type;

  mkl_product(openmp, const matrix& m, operation op)
      : operation_(op == operation::multiply ? SPARSE_OPERATION_NON_TRANSPOSE : SPARSE_OPERATION_TRANSPOSE),
        threads_(thread_count()) {
    if (!takes_our_indices())
      throw error(failure::unsupported, "MKL is in use in this process with indices of 64 bits");
    const with_threads threads(threads_);
    const std::int64_t before = bytes_of_mkl();
    sparse_matrix_t description = nullptr;
    check(Way::describe(m, &description));
    matrix_.reset(description);
    // As often as a solver would; with so many products MKL spares no preparation.
    constexpr int products = 1000;
    check(mkl_sparse_set_mv_hint(description, operation_, general, products));
    check(mkl_sparse_set_memory_hint(description, SPARSE_MEMORY_AGGRESSIVE));
    check(mkl_sparse_optimize(description));
    bytes_ = std::max<std::int64_t>(0, bytes_of_mkl() - before);
  }
  // By MKL's own count of what it holds: no more can be known of what it stores.
  std::int64_t bytes() const { return bytes_; }

  void run(value alpha, const value* x, value beta, value* y) const {
    const with_threads threads(threads_);
    const auto product = choose<value>(mkl_sparse_s_mv, mkl_sparse_d_mv);
    check(product(operation_, alpha, matrix_.get(), general, x, beta, y));
  }

 private:
  static constexpr matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL,
                                        SPARSE_DIAG_NON_UNIT};
  static std::int64_t bytes_of_mkl() {
    int buffers = 0;
    return mkl_mem_stat(&buffers);
  }

  sparse_operation_t operation_;
  int threads_;  // as it was optimised for
  owned_matrix matrix_;
  std::int64_t bytes_ = 0;
};

// Its line, which for wide offsets only says why not: there the product itself is not compiled.
template <class K>
kernel<typename K::matrix> narrow_line() {
  if constexpr (sizeof(typename K::matrix::offset_type) == 4)
    return kernel_of<K>();
  else
    return refusal_of<K>();
}

}  // namespace

std::string mkl_version() {
  (void)takes_our_indices();
  MKLVersion version{};
  mkl_get_version(&version);
  return "MKL " + std::to_string(version.MajorVersion) + "." + std::to_string(version.UpdateVersion);
}

template <class Value>
kernel_table<coo_view<Value, host>> mkl_coo_kernels() {
  return {kernel_of<mkl_product<coo_mkl<Value>>>()};
}
template <class Offset, class Value>
kernel_table<csr_view<Offset, Value, host>> mkl_csr_kernels() {
  return {narrow_line<mkl_product<csr_mkl<Offset, Value>>>()};
}
template <class Offset, class Value>
kernel_table<bsr_view<Offset, Value, host>> mkl_bsr_kernels() {
  return {narrow_line<mkl_product<bsr_mkl<Offset, Value>>>()};
}

template kernel_table<coo_view<float, host>> mkl_coo_kernels<float>();
template kernel_table<coo_view<double, host>> mkl_coo_kernels<double>();

template kernel_table<csr_view<std::int32_t, float, host>> mkl_csr_kernels<std::int32_t, float>();
template kernel_table<csr_view<std::int32_t, double, host>> mkl_csr_kernels<std::int32_t, double>();
template kernel_table<csr_view<std::int64_t, float, host>> mkl_csr_kernels<std::int64_t, float>();
template kernel_table<csr_view<std::int64_t, double, host>> mkl_csr_kernels<std::int64_t, double>();

template kernel_table<bsr_view<std::int32_t, float, host>> mkl_bsr_kernels<std::int32_t, float>();
template kernel_table<bsr_view<std::int32_t, double, host>> mkl_bsr_kernels<std::int32_t, double>();
template kernel_table<bsr_view<std::int64_t, float, host>> mkl_bsr_kernels<std::int64_t, float>();
template kernel_table<bsr_view<std::int64_t, double, host>> mkl_bsr_kernels<std::int64_t, double>();

}  // namespace sparsmith
