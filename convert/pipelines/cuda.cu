// Every pipeline on CUDA.
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {
using backend = cuda;
}

#include "convert/pipelines/instantiate.hpp"
