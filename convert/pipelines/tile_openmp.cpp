// The pipelines of GCSB's layout `tile` on OpenMP.
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {
using backend = openmp;
}

#include "convert/pipelines/instantiate_tile.hpp"
