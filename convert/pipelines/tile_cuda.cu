// The pipelines of GCSB's layout `tile` on CUDA.
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {
using backend = cuda;
}

#include "convert/pipelines/instantiate_tile.hpp"
