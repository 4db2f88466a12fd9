// The definitions of every pipeline, instantiated for one backend: openmp.cpp and cuda.cu define `backend`
// and include this. One line per pipeline and combination of types is all it takes to add one.
#include "convert/pipelines/complex_values.hpp"
#include "convert/pipelines/coo_to_csr.hpp"
#include "convert/pipelines/csr_rules.hpp"
#include "convert/pipelines/csr_to_csc.hpp"
#include "convert/pipelines/csr_to_dia.hpp"
#include "convert/pipelines/csr_to_ell.hpp"
#include "convert/pipelines/csr_to_half.hpp"

namespace sparsmith {

#define SPARSMITH_INSTANTIATE(O, V)                                                                         \
  template csr<O, V, space_on<backend>> coo_to_csr<backend, O, V>(backend, coo<V, space_on<backend>>&&,     \
                                                                  stage_log*);                              \
  template std::int64_t count_zeros(backend, csr<O, V, view_on<backend>>);                                  \
  template csr<O, V, space_on<backend>> drop_zeros(backend, csr<O, V, view_on<backend>>, stage_log*);       \
  template coo<V, space_on<backend>> csr_to_coo(backend, csr<O, V, view_on<backend>>, stage_log*);          \
  template csc<O, V, space_on<backend>> csr_to_csc(backend, csr<O, V, view_on<backend>>, stage_log*);       \
  template csr<O, V, space_on<backend>> csc_to_csr(backend, csc<O, V, view_on<backend>>, stage_log*);       \
  template ell<V, space_on<backend>> csr_to_ell(backend, csr<O, V, view_on<backend>>, double, stage_log*);  \
  template csr<O, V, space_on<backend>> ell_to_csr<backend, O, V>(backend, ell<V, view_on<backend>>,        \
                                                                  stage_log*);                              \
  template sell<O, V, space_on<backend>> csr_to_sell(backend, csr<O, V, view_on<backend>>, sell_shape,      \
                                                     double, stage_log*);                                   \
  template csr<O, V, space_on<backend>> sell_to_csr(backend, sell<O, V, view_on<backend>>, stage_log*);     \
  template hyb<V, space_on<backend>> csr_to_hyb(backend, csr<O, V, view_on<backend>>, std::int32_t, double, \
                                                stage_log*);                                                \
  template csr<O, V, space_on<backend>> hyb_to_csr<backend, O, V>(backend, hyb<V, view_on<backend>>,        \
                                                                  stage_log*);                              \
  template dia<V, space_on<backend>> csr_to_dia(backend, csr<O, V, view_on<backend>>, double, double,       \
                                                stage_log*);                                                \
  template csr<O, V, space_on<backend>> dia_to_csr<backend, O, V>(backend, dia<V, view_on<backend>>,        \
                                                                  stage_log*);                              \
  template mirror_symmetry find_symmetry(backend, csr<O, V, view_on<backend>>, stage_log*);                 \
  template csr<O, V, space_on<backend>> csr_to_upper(backend, csr<O, V, view_on<backend>>, stage_log*);     \
  template csr<O, V, space_on<backend>> upper_to_csr(backend, csr<O, V, view_on<backend>>, bool, stage_log*);

template csr<std::int32_t, float, space_on<backend>> narrow_values(
    backend, csr<std::int32_t, double, space_on<backend>>&&, narrowing*, stage_log*);
template csr<std::int64_t, float, space_on<backend>> narrow_values(
    backend, csr<std::int64_t, double, space_on<backend>>&&, narrowing*, stage_log*);
template bool is_csr(backend, csr_pattern<std::int32_t, space_on<backend>>);
template bool is_csr(backend, csr_pattern<std::int64_t, space_on<backend>>);
template std::int64_t count_upper(backend, csr_pattern<std::int32_t, space_on<backend>>);
template std::int64_t count_upper(backend, csr_pattern<std::int64_t, space_on<backend>>);
template std::int64_t count_diagonal_blocks(backend, csr_pattern<std::int32_t, space_on<backend>>,
                                            std::int32_t);
template std::int64_t count_diagonal_blocks(backend, csr_pattern<std::int64_t, space_on<backend>>,
                                            std::int32_t);
template coo<double, space_on<backend>> expand_symmetry(backend, coo<double, space_on<backend>>&&, bool,
                                                        stage_log*);
template void number_values(backend, array_view<const complex64>, std::int64_t, double*);
template void number_values(backend, array_view<const complex128>, std::int64_t, double*);
template void take_values(backend, array_view<const double>, array_view<const complex64>, std::int64_t,
                          complex64*);
template void take_values(backend, array_view<const double>, array_view<const complex128>, std::int64_t,
                          complex128*);
template std::int64_t count_complex_zeros(backend, array_view<const complex64>);
template std::int64_t count_complex_zeros(backend, array_view<const complex128>);
template array<double, space_on<backend>> number_nonzeros(backend, array_view<const complex128>);
template array<complex128, space_on<backend>> join_parts(backend, array_view<const double>,
                                                         array_view<const double>, stage_log*);
template array<complex64, space_on<backend>> narrow_complex(backend, array_view<const complex128>, narrowing*,
                                                            stage_log*);
SPARSMITH_INSTANTIATE(std::int32_t, float)
SPARSMITH_INSTANTIATE(std::int32_t, double)
SPARSMITH_INSTANTIATE(std::int64_t, float)
SPARSMITH_INSTANTIATE(std::int64_t, double)

}  // namespace sparsmith
