// The pipelines of GCSB's layout `tile`, instantiated for one backend.
#include "convert/pipelines/csr_to_gcsb_tile.hpp"

namespace sparsmith {

#define SPARSMITH_INSTANTIATE_TILE(O, V)                                                                 \
  template gcsb_tile<O, V, space_on<backend>> csr_to_gcsb_tile(backend, csr<O, V, view_on<backend>>,     \
                                                               const tile_options&, double, stage_log*); \
  template csr<O, V, space_on<backend>> gcsb_tile_to_csr(backend, gcsb_tile<O, V, view_on<backend>>,     \
                                                         stage_log*);                                    \
  template tile_price price_tiles(backend, csr<O, V, view_on<backend>>, const tile_options&);            \
  template array<std::int32_t, host> lane_entry_counts(backend, gcsb_tile<O, V, view_on<backend>>);

SPARSMITH_INSTANTIATE_TILE(std::int32_t, float)
SPARSMITH_INSTANTIATE_TILE(std::int32_t, double)
SPARSMITH_INSTANTIATE_TILE(std::int64_t, float)
SPARSMITH_INSTANTIATE_TILE(std::int64_t, double)

}  // namespace sparsmith
