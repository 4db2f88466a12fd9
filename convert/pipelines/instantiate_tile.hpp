// The pipelines of GCSB's layout `tile`, instantiated for one backend.
#include "convert/pipelines/csr_to_gcsb_tile.hpp"

namespace sparsmith {

#define SPARSMITH_INSTANTIATE_TILE(O, V)                                                                 \
  template gcsb_tile<O, V, space_on<backend>> csr_to_gcsb_tile(backend, csr<O, V, view_on<backend>>,     \
                                                               const tile_options&, double, stage_log*); \
  template csr<O, V, space_on<backend>> gcsb_tile_to_csr(backend, gcsb_tile<O, V, view_on<backend>>,     \
                                                         stage_log*);

SPARSMITH_INSTANTIATE_TILE(std::int32_t, float)
SPARSMITH_INSTANTIATE_TILE(std::int32_t, double)
SPARSMITH_INSTANTIATE_TILE(std::int64_t, float)
SPARSMITH_INSTANTIATE_TILE(std::int64_t, double)

#define SPARSMITH_INSTANTIATE_TILE_COUNTS(O)                                                            \
  template tile_price price_tiles(backend, csr_pattern<O, space_on<backend>>, const tile_options&);     \
  template array<std::int32_t, host> lane_entry_counts(backend, const tile_cells&, array_view<const O>, \
                                                       array_view<const std::uint16_t>,                 \
                                                       array_view<const std::uint32_t>);

SPARSMITH_INSTANTIATE_TILE_COUNTS(std::int32_t)
SPARSMITH_INSTANTIATE_TILE_COUNTS(std::int64_t)

}  // namespace sparsmith
