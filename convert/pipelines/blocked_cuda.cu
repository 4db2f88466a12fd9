// The blocked formats' pipelines on CUDA.
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {
using backend = cuda;
}

#include "convert/pipelines/instantiate_blocked.hpp"
