// The pipelines behind matrix_features, on either backend. Everything but values' own properties comes from
// the pattern alone.
#pragma once

#include "analyze/structure/block_statistics.hpp"
#include "analyze/structure/matrix_features.hpp"
#include "analyze/structure/prices.hpp"

namespace sparsmith {

// Same result on both backends and for any number of threads.
template <class Backend, class Offset, class Value>
matrix_features features_of(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                            const feature_request& request, stage_log* log);
template <class Backend, class Offset, class Value>
matrix_features features_of(Backend on, const hypersparse<Offset, Value>& matrix,
                            const feature_request& request, stage_log* log);

// Of complex values: prices are those of their 8 or 16 bytes each, figures of values those of absolute
// values.
template <class Backend, class Offset, class Part>
matrix_features features_of_complex(Backend on,
                                    const csr<Offset, complex_number<Part>, view_on<Backend>>& matrix,
                                    const feature_request& request);
template <class Backend, class Offset>
matrix_features features_of_complex(Backend on, const hypersparse<Offset, complex128>& matrix,
                                    const feature_request& request);

}  // namespace sparsmith
