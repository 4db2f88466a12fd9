// The blocked formats' pipelines on OpenMP.
#include "convert/pipelines/pipelines.hpp"

namespace sparsmith {
using backend = openmp;
}

#include "convert/pipelines/instantiate_blocked.hpp"
