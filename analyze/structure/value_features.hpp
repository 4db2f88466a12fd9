// What only the values tell (norms, dominant rows), the structural rank, and what an order would do. On the
// host, whatever the backend is: sums have a fixed order, so that any number of threads gives the same bits.
#pragma once

#include "analyze/structure/hypersparse.hpp"
#include "analyze/structure/matrix_features.hpp"

namespace sparsmith {

template <class Offset, class Value>
value_features value_features_of(const csr<Offset, Value, view_of<host>>& matrix);
template <class Offset, class Value>
value_features value_features_of(const hypersparse<Offset, Value>& matrix);

// The most entries of which no two share a row or a column: what the rank can be at most. Stored zeros count.
template <class Offset>
std::int64_t structural_rank_of(const csr_pattern<Offset, host>& matrix);
template <class Offset>
std::int64_t structural_rank_of(const hypersparse_pattern<Offset>& matrix);

// Puts what the request asks for into the features, which have the number of entries. A matrix that is not on
// the host is copied there.
template <class Backend, class Offset, class Value>
void add_value_features(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix,
                        const feature_request& request, matrix_features& features);
template <class Backend, class Offset, class Value>
void add_value_features(Backend on, const hypersparse<Offset, Value>& matrix, const feature_request& request,
                        matrix_features& features);

}  // namespace sparsmith
