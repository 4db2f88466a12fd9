// The blocked formats' pipelines, instantiated for one backend; apart from the others so that two cores share
// the work.
#include "convert/pipelines/csr_to_bsr.hpp"
#include "convert/pipelines/csr_to_csb.hpp"
#include "convert/pipelines/csr_to_ecsb.hpp"
#include "convert/pipelines/csr_to_gcsb.hpp"

namespace sparsmith {

#define SPARSMITH_INSTANTIATE_BLOCKED(O, V)                                                                  \
  template bsr<O, V, space_on<backend>> csr_to_bsr(backend, csr<O, V, view_on<backend>>, block_size, double, \
                                                   stage_log*);                                              \
  template csr<O, V, space_on<backend>> bsr_to_csr(backend, bsr<O, V, view_on<backend>>, stage_log*);        \
  template csb<O, V, space_on<backend>> csr_to_csb(backend, csr<O, V, view_on<backend>>,                     \
                                                   const block_options&, stage_log*);                        \
  template csr<O, V, space_on<backend>> csb_to_csr(backend, csb<O, V, view_on<backend>>, stage_log*);        \
  template ecsb<O, V, space_on<backend>> csr_to_ecsb(backend, csr<O, V, view_on<backend>>,                   \
                                                     const block_options&, double, stage_log*);              \
  template csr<O, V, space_on<backend>> ecsb_to_csr(backend, ecsb<O, V, view_on<backend>>, stage_log*);      \
  template gcsb<O, V, space_on<backend>> csr_to_gcsb(backend, csr<O, V, view_on<backend>>,                   \
                                                     const block_options&, double, stage_log*);              \
  template csr<O, V, space_on<backend>> gcsb_to_csr(backend, gcsb<O, V, view_on<backend>>, stage_log*);

SPARSMITH_INSTANTIATE_BLOCKED(std::int32_t, float)
SPARSMITH_INSTANTIATE_BLOCKED(std::int32_t, double)
SPARSMITH_INSTANTIATE_BLOCKED(std::int64_t, float)
SPARSMITH_INSTANTIATE_BLOCKED(std::int64_t, double)

#define SPARSMITH_INSTANTIATE_COUNTS(O)                                                                \
  template std::int64_t count_nonempty_blocks(backend, csr_pattern<O, space_on<backend>>, block_size); \
  template array<std::int32_t, host> block_entry_counts(backend, csr_pattern<O, space_on<backend>>,    \
                                                        std::int32_t);

SPARSMITH_INSTANTIATE_COUNTS(std::int32_t)
SPARSMITH_INSTANTIATE_COUNTS(std::int64_t)

}  // namespace sparsmith
