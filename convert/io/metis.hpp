// Graphs as METIS and Chaco have them: a line of sizes, and a line of neighbours for every vertex.
#pragma once

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

// Weights of edges become values; those of vertices are none of the matrix.
matrix_entries read_metis(const text_source& source, const progress_callback& progress = {});

}  // namespace sparsmith
