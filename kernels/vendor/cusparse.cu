// cuSPARSE's products: the generic SpMV for CSR, COO, SELL and BSR, prepared once, the older bsrmv, and
// SpMVOp where the library has it.
#include "kernels/vendor/cusparse.hpp"

#define CUSPARSE_ENABLE_EXPERIMENTAL_API  // SpMVOp
#define DISABLE_CUSPARSE_DEPRECATED       // bsrmv is, from 12.7 on, and is raced for as long as it is there
#include <cusparse.h>

#include <limits>
#include <numeric>

#include "kernels/cuda/all_finite.hpp"
#include "kernels/cuda/bsr.hpp"
#include "kernels/cuda/launch.hpp"

namespace sparsmith {
namespace {

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw error(cusparse_failure(status), std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}
static_assert(cusparse_failure(CUSPARSE_STATUS_ALLOC_FAILED) == failure::resources);
static_assert(cusparse_failure(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES) == failure::resources);
static_assert(cusparse_failure(CUSPARSE_STATUS_INVALID_VALUE) == failure::unsupported);
static_assert(cusparse_failure(CUSPARSE_STATUS_NOT_SUPPORTED) == failure::unsupported);
static_assert(cusparse_failure(CUSPARSE_STATUS_EXECUTION_FAILED) == failure::device);

// One handle a thread, kept: making one costs milliseconds and device memory.
cusparseHandle_t handle(cuda on) {
  struct owner {
    cusparseHandle_t value = nullptr;
    owner() { check(cusparseCreate(&value)); }
    ~owner() { (void)cusparseDestroy(value); }
  };
  thread_local const owner own;
  check(cusparseSetStream(own.value, on.stream));
  return own.value;
}

// From this version on SpMVOp lets its caller choose the algorithm, and takes single precision and offsets of
// 64 bits; those before (from 12.7 on) have other signatures.
#define SPARSMITH_HAS_SPMVOP (CUSPARSE_VERSION >= 12801)

struct destroy {
  void operator()(cusparseConstSpMatDescr_t d) const { (void)cusparseDestroySpMat(d); }
  void operator()(cusparseDnVecDescr_t d) const { (void)cusparseDestroyDnVec(d); }
  void operator()(cusparseMatDescr_t d) const { (void)cusparseDestroyMatDescr(d); }
#if SPARSMITH_HAS_SPMVOP
  void operator()(cusparseSpMVOpDescr_t d) const {
    (void)cusparseSpMVOp_destroyDescr(d);
  }
  void operator()(cusparseSpMVOpPlan_t p) const {
    (void)cusparseSpMVOp_destroyPlan(p);
  }
#endif
};
template <class Description>
using owned = std::unique_ptr<std::remove_pointer_t<Description>, destroy>;
using owned_matrix = owned<cusparseConstSpMatDescr_t>;
using owned_vector = owned<cusparseDnVecDescr_t>;

template <class Value>
constexpr cudaDataType data_type = std::is_same_v<Value, float>       ? CUDA_R_32F
                                   : std::is_same_v<Value, double>    ? CUDA_R_64F
                                   : std::is_same_v<Value, complex64> ? CUDA_C_32F
                                                                      : CUDA_C_64F;
constexpr auto index_type = CUSPARSE_INDEX_32I;
constexpr auto base = CUSPARSE_INDEX_BASE_ZERO;

template <class Value>
owned_vector describe_vector(std::int64_t size, Value* values) {
  cusparseDnVecDescr_t description = nullptr;
  check(cusparseCreateDnVec(&description, size, values, data_type<Value>));
  return owned_vector(description);
}

// Reasons that several formats share; empty where they do not apply.
template <class Offset>
std::string wide_offsets() {
  return sizeof(Offset) == 4 ? "" : "cuSPARSE wants offsets and indices of one width";
}

// What cuSPARSE does inside is not known: this is how the model takes it.
constexpr kernel_facts balanced_facts(int launches) {
  return {.walk = kernel_facts::rows::balanced,
          .additions = {.transposed = kernel_facts::adds::every},
          .launches = {.multiply = launches, .transposed = 2}};
}
constexpr kernel_facts bsr_facts{.walk = kernel_facts::rows::lanes,
                                 .lanes = 32,
                                 .at_once = 32,
                                 .additions = {.transposed = kernel_facts::adds::every},
                                 .launches = {.multiply = 1, .transposed = 2},
                                 .compiled_sides = cuda_bsr_sides};

// The ways of the generic product: an algorithm, and how a format is described.

template <class Offset, class Value>
struct csr_way {
  using matrix = csr_view<Offset, Value, device>;
  static std::string why_not(const matrix&, operation) { return wide_offsets<Offset>(); }
  static void describe(const matrix& m, cusparseConstSpMatDescr_t* description) {
    check(cusparseCreateConstCsr(description, m.rows, m.cols, m.values.size(), m.row_offsets.data(),
                                 m.col_indices.data(), m.values.data(), index_type, index_type, base,
                                 data_type<Value>));
  }
};
template <class Offset, class Value>
struct csr_way_1 : csr_way<Offset, Value> {
  static constexpr kernel_info info{.name = "csr/cusparse-alg1",
                                    .description = "generic SpMV, CUSPARSE_SPMV_CSR_ALG1",
                                    .source = "cuSPARSE",
                                    .vendor = true,
                                    .facts = balanced_facts(1)};
  static constexpr auto algorithm() { return CUSPARSE_SPMV_CSR_ALG1; }
};
template <class Offset, class Value>
struct csr_way_2 : csr_way<Offset, Value> {
  static constexpr kernel_info info{.name = "csr/cusparse-alg2",
                                    .description = "generic SpMV, CUSPARSE_SPMV_CSR_ALG2",
                                    .source = "cuSPARSE",
                                    .repeatable = {.multiply = true},
                                    .vendor = true,
                                    .facts = balanced_facts(2)};
  static constexpr auto algorithm() { return CUSPARSE_SPMV_CSR_ALG2; }
};

template <class Value>
struct coo_way {
  using matrix = coo_view<Value, device>;
  static std::string why_not_expected(const matrix_outline& known, operation) {
    return cusparse_refuses_coo(known);
  }
  static matrix_outline outline_of(const matrix& m) { return {.entries = m.values.size()}; }
  static void describe(const matrix& m, cusparseConstSpMatDescr_t* description) {
    check(cusparseCreateConstCoo(description, m.rows, m.cols, m.values.size(), m.row_indices.data(),
                                 m.col_indices.data(), m.values.data(), index_type, base, data_type<Value>));
  }
};
template <class Value>
struct coo_way_1 : coo_way<Value> {
  static constexpr kernel_info info{
      .name = "coo/cusparse-alg1",
      .description = "generic SpMV, CUSPARSE_SPMV_COO_ALG1",
      .source = "cuSPARSE",
      .vendor = true,
      .facts = {.walk = kernel_facts::rows::balanced,
                .additions = {kernel_facts::adds::runs, kernel_facts::adds::every},
                .run = 128,
                .launches = {.multiply = 2, .transposed = 2}}};
  static constexpr auto algorithm() { return CUSPARSE_SPMV_COO_ALG1; }
};
template <class Value>
struct coo_way_2 : coo_way<Value> {
  static constexpr kernel_info info{.name = "coo/cusparse-alg2",
                                    .description = "generic SpMV, CUSPARSE_SPMV_COO_ALG2",
                                    .source = "cuSPARSE",
                                    .repeatable = {.multiply = true},
                                    .vendor = true,
                                    .facts = balanced_facts(2)};
  static constexpr auto algorithm() { return CUSPARSE_SPMV_COO_ALG2; }
};

template <class Offset, class Value>
struct sell_way {
  static constexpr kernel_info info{.name = "sell/cusparse",
                                    .description = "generic SpMV, CUSPARSE_SPMV_SELL_ALG1",
                                    .source = "cuSPARSE",
                                    .repeatable = {.multiply = true},
                                    .vendor = true,
                                    .computes = {.multiply = true, .transposed = false},
                                    .facts = {.walk = kernel_facts::rows::lanes,
                                              .lanes = 1,
                                              .additions = {.transposed = kernel_facts::adds::every},
                                              .launches = {.multiply = 1, .transposed = 2}}};
  static constexpr auto algorithm() { return CUSPARSE_SPMV_SELL_ALG1; }
  using matrix = sell_view<Offset, Value, device>;
  static std::string why_not(const matrix&, operation) { return wide_offsets<Offset>(); }
  static std::string why_not_expected(const matrix_outline& known, operation) {
    return cusparse_refuses_sell(known);
  }
  static matrix_outline outline_of(const matrix& m) {
    matrix_outline known;
    const auto order = copy_to<host>(m.row_order, place::device);
    for (std::int64_t p = 0; p < order.size(); ++p)
      if (order[p] != p) known.rows_in_order = false;
    return known;
  }
  // Padding with value 0 at a valid column is, to cuSPARSE, an entry like any other.
  static void describe(const matrix& m, cusparseConstSpMatDescr_t* description) {
    const auto lengths = copy_to<host>(m.row_lengths, place::device);
    const auto nnz = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    check(cusparseCreateConstSlicedEll(description, m.rows, m.cols, nnz, m.values.size(), m.slice,
                                       m.slice_offsets.data(), m.col_indices.data(), m.values.data(),
                                       index_type, index_type, base, data_type<Value>));
  }
};

template <class Matrix>
matrix_outline bsr_outline_of(const Matrix& m) {
  return {.rows = m.rows, .cols = m.cols, .block = {m.block_rows, m.block_cols}};
}

template <class Offset, class Value>
struct bsr_way {
  static constexpr kernel_info info{.name = "bsr/cusparse",
                                    .description = "generic SpMV, CUSPARSE_SPMV_BSR_ALG1",
                                    .source = "cuSPARSE",
                                    .vendor = true,
                                    .computes = {.multiply = true, .transposed = false},
                                    .facts = bsr_facts};
  static constexpr auto algorithm() { return CUSPARSE_SPMV_BSR_ALG1; }
  using matrix = bsr_view<Offset, Value, device>;
  static std::string why_not(const matrix&, operation) { return wide_offsets<Offset>(); }
  static std::string why_not_expected(const matrix_outline& known, operation) {
    return cusparse_refuses_bsr(known, 1);
  }
  static matrix_outline outline_of(const matrix& m) { return bsr_outline_of(m); }
  static void describe(const matrix& m, cusparseConstSpMatDescr_t* description) {
    check(cusparseCreateConstBsr(description, m.rows / m.block_rows, m.cols / m.block_cols,
                                 m.col_indices.size(), m.block_rows, m.block_cols, m.row_offsets.data(),
                                 m.col_indices.data(), m.values.data(), index_type, index_type, base,
                                 data_type<Value>, CUSPARSE_ORDER_ROW));
  }
};

template <class Way>
struct generic_product : Way {  // which says what it is and what it refuses
  using matrix = typename Way::matrix;
  using value = typename matrix::value_type;
  generic_product(cuda on, const matrix& m, operation op)
      : on_(on),
        operation_(op == operation::multiply ? CUSPARSE_OPERATION_NON_TRANSPOSE
                                             : CUSPARSE_OPERATION_TRANSPOSE) {
    cusparseConstSpMatDescr_t description = nullptr;
    Way::describe(m, &description);
    matrix_.reset(description);
    // Vectors to prepare with; a run brings its own.
    array<value, device> x(inputs(m, op)), y(outputs(m, op));
    x_ = describe_vector(x.size(), x.data());
    y_ = describe_vector(y.size(), y.data());
    const value one{1}, zero{0};
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle(on_), operation_, &one, matrix_.get(), x_.get(), &zero, y_.get(),
                                  data_type<value>, Way::algorithm(), &bytes));
    // Never empty, as cuSPARSE may refuse a null pointer.
    buffer_ = array<char, device>(std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes)));
    const auto prepared =
        cusparseSpMV_preprocess(handle(on_), operation_, &one, matrix_.get(), x_.get(), &zero, y_.get(),
                                data_type<value>, Way::algorithm(), buffer_.data());
    // Preparing is optional, and not every format has it.
    if (prepared != CUSPARSE_STATUS_NOT_SUPPORTED) check(prepared);
  }
  std::int64_t bytes() const { return buffer_.size(); }

  void run(value alpha, const value* x, value beta, value* y) const {
    check(cusparseDnVecSetValues(x_.get(), const_cast<value*>(x)));
    check(cusparseDnVecSetValues(y_.get(), y));
    check(cusparseSpMV(handle(on_), operation_, &alpha, matrix_.get(), x_.get(), &beta, y_.get(),
                       data_type<value>, Way::algorithm(), const_cast<char*>(buffer_.data())));
  }

 private:
  cuda on_;
  cusparseOperation_t operation_;
  owned_matrix matrix_;
  owned_vector x_, y_;
  array<char, device> buffer_;
};

#if SPARSMITH_HAS_SPMVOP
// Z = alpha A X + beta Y, with the epilogue that is compiled in: nothing is compiled at run time. Both
// algorithms give the same bits every time; the second stores the matrix anew, in its buffer.
template <class Offset, class Value>
struct spmvop {
  using matrix = csr_view<Offset, Value, device>;
  // Seen with 12.8.6: a row of one infinite entry came out as NaN.
  static std::string why_not_expected(const matrix_outline& known, operation) {
    return known.all_finite ? "" : "cuSPARSE's SpMVOp makes NaN of values that are not finite";
  }
  static matrix_outline outline_of(const matrix& m) { return {.all_finite = all_finite(m.values)}; }
  spmvop(cuda on, const matrix& m, operation op, cusparseSpMVOpAlg_t algorithm) : on_(on) {
    constexpr auto offset_type = sizeof(Offset) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    cusparseConstSpMatDescr_t description = nullptr;
    check(cusparseCreateConstCsr(&description, m.rows, m.cols, m.values.size(), m.row_offsets.data(),
                                 m.col_indices.data(), m.values.data(), offset_type, index_type, base,
                                 data_type<Value>));
    matrix_.reset(description);
    // Vectors to prepare with; a run brings its own.
    array<Value, device> x(inputs(m, op)), y(outputs(m, op));
    x_ = describe_vector(x.size(), x.data());
    y_ = describe_vector(y.size(), y.data());
    std::size_t bytes = 0;
    check(cusparseSpMVOp_bufferSize(handle(on_), CUSPARSE_OPERATION_NON_TRANSPOSE, matrix_.get(), x_.get(),
                                    y_.get(), y_.get(), data_type<Value>, algorithm, &bytes));
    // Never empty, as cuSPARSE may refuse a null pointer.
    buffer_ = array<char, device>(std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes)));
    cusparseSpMVOpDescr_t prepared = nullptr;
    check(cusparseSpMVOp_createDescr(handle(on_), &prepared, CUSPARSE_OPERATION_NON_TRANSPOSE, matrix_.get(),
                                     x_.get(), y_.get(), y_.get(), data_type<Value>, algorithm,
                                     buffer_.data()));
    prepared_.reset(prepared);
    cusparseSpMVOpPlan_t plan = nullptr;
    check(cusparseSpMVOp_createPlan(handle(on_), prepared, &plan, nullptr, 0));
    plan_.reset(plan);
  }
  std::int64_t bytes() const { return buffer_.size(); }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    check(cusparseDnVecSetValues(x_.get(), const_cast<Value*>(x)));
    check(cusparseDnVecSetValues(y_.get(), y));
    check(cusparseSpMVOp(handle(on_), plan_.get(), &alpha, &beta, x_.get(), y_.get(), y_.get()));
  }

 private:
  cuda on_;
  owned_matrix matrix_;
  owned_vector x_, y_;
  array<char, device> buffer_;
  owned<cusparseSpMVOpDescr_t> prepared_;
  owned<cusparseSpMVOpPlan_t> plan_;  // goes before what it was made from
};

constexpr kernel_info spmvop_info(const char* name, const char* description) {
  return {.name = name,
          .description = description,
          .source = "cuSPARSE",
          .repeatable = {.multiply = true},
          .vendor = true,
          .computes = {.multiply = true, .transposed = false},
          .facts = balanced_facts(1),
          .predicted_as = "csr/cusparse-alg2"};
}
template <class Offset, class Value>
struct spmvop_1 : spmvop<Offset, Value> {
  static constexpr kernel_info info = spmvop_info("csr/cusparse-op1", "SpMVOp, CUSPARSE_SPMVOP_ALG1");
  spmvop_1(cuda on, const typename spmvop<Offset, Value>::matrix& m, operation op)
      : spmvop<Offset, Value>(on, m, op, CUSPARSE_SPMVOP_ALG1) {}
};
template <class Offset, class Value>
struct spmvop_2 : spmvop<Offset, Value> {
  static constexpr kernel_info info = spmvop_info("csr/cusparse-op2", "SpMVOp, CUSPARSE_SPMVOP_ALG2");
  spmvop_2(cuda on, const typename spmvop<Offset, Value>::matrix& m, operation op)
      : spmvop<Offset, Value>(on, m, op, CUSPARSE_SPMVOP_ALG2) {}
};
#endif

template <class Offset, class Value>
struct bsrmv {
  static constexpr kernel_info info{.name = "bsr/cusparse-bsrmv",
                                    .description = "bsrmv of the legacy interface",
                                    .source = "cuSPARSE",
                                    .vendor = true,
                                    .computes = {.multiply = true, .transposed = false},
                                    .facts = bsr_facts};
  using matrix = bsr_view<Offset, Value, device>;
  static std::string why_not(const matrix&, operation) { return wide_offsets<Offset>(); }
  static std::string why_not_expected(const matrix_outline& known, operation) {
    return cusparse_refuses_bsr(known, 2);
  }
  static matrix_outline outline_of(const matrix& m) { return bsr_outline_of(m); }

  bsrmv(cuda on, const matrix& m, operation) : on_(on), m_(m) {
    cusparseMatDescr_t description = nullptr;
    check(cusparseCreateMatDescr(&description));  // general, indices from 0
    description_.reset(description);
  }

  void run(Value alpha, const Value* x, Value beta, Value* y) const {
    const auto product = [] {
      if constexpr (std::is_same_v<Value, float>)
        return cusparseSbsrmv;
      else
        return cusparseDbsrmv;
    }();
    check(product(handle(on_), CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE,
                  m_.rows / m_.block_rows, m_.cols / m_.block_cols, static_cast<int>(m_.col_indices.size()),
                  &alpha, description_.get(), m_.values.data(), m_.row_offsets.data(), m_.col_indices.data(),
                  m_.block_rows, x, &beta, y));
  }

 private:
  cuda on_;
  matrix m_;
  owned<cusparseMatDescr_t> description_;
};

// Its line, which for wide offsets only says why not: there the product itself is not compiled.
template <class K>
kernel<typename K::matrix> narrow_line() {
  using matrix = typename K::matrix;
  if constexpr (sizeof(typename matrix::offset_type) == 4)
    return kernel_of<K>();
  else
    return refusal_of<K>();
}

}  // namespace

std::string cusparse_version() {
  int major = 0, minor = 0, patch = 0;
  check(cusparseGetProperty(MAJOR_VERSION, &major));
  check(cusparseGetProperty(MINOR_VERSION, &minor));
  check(cusparseGetProperty(PATCH_LEVEL, &patch));
  return "cuSPARSE " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

template <class Value>
kernel_table<coo_view<Value, device>> cusparse_coo_kernels() {
  return {kernel_of<generic_product<coo_way_1<Value>>>(), kernel_of<generic_product<coo_way_2<Value>>>()};
}

// SpMVOp and bsrmv are raced on real values alone.
template <class Offset, class Value>
kernel_table<csr_view<Offset, Value, device>> cusparse_csr_kernels() {
  kernel_table<csr_view<Offset, Value, device>> table = {
      narrow_line<generic_product<csr_way_1<Offset, Value>>>(),
      narrow_line<generic_product<csr_way_2<Offset, Value>>>()};
#if SPARSMITH_HAS_SPMVOP
  if constexpr (!is_complex<Value>) {
    table.push_back(kernel_of<spmvop_1<Offset, Value>>());
    table.push_back(kernel_of<spmvop_2<Offset, Value>>());
  }
#endif
  return table;
}

template <class Offset, class Value>
kernel_table<sell_view<Offset, Value, device>> cusparse_sell_kernels() {
  return {narrow_line<generic_product<sell_way<Offset, Value>>>()};
}

template <class Offset, class Value>
kernel_table<bsr_view<Offset, Value, device>> cusparse_bsr_kernels() {
  kernel_table<bsr_view<Offset, Value, device>> table = {
      narrow_line<generic_product<bsr_way<Offset, Value>>>()};
  if constexpr (!is_complex<Value>) table.push_back(narrow_line<bsrmv<Offset, Value>>());
  return table;
}

#define SPARSMITH_INSTANTIATE(V) template kernel_table<coo_view<V, device>> cusparse_coo_kernels<V>();
#define SPARSMITH_INSTANTIATE_WITH_OFFSETS(O, V)                                \
  template kernel_table<csr_view<O, V, device>> cusparse_csr_kernels<O, V>();   \
  template kernel_table<sell_view<O, V, device>> cusparse_sell_kernels<O, V>(); \
  template kernel_table<bsr_view<O, V, device>> cusparse_bsr_kernels<O, V>();
#define SPARSMITH_INSTANTIATE_BOTH(V)                 \
  SPARSMITH_INSTANTIATE(V)                            \
  SPARSMITH_INSTANTIATE_WITH_OFFSETS(std::int32_t, V) \
  SPARSMITH_INSTANTIATE_WITH_OFFSETS(std::int64_t, V)
SPARSMITH_INSTANTIATE_BOTH(float)
SPARSMITH_INSTANTIATE_BOTH(double)
SPARSMITH_INSTANTIATE_BOTH(complex64)
SPARSMITH_INSTANTIATE_BOTH(complex128)

}  // namespace sparsmith
