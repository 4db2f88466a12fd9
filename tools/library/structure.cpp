#include "tools/library/structure.hpp"

#include "analyze/structure/features.hpp"
#include "tools/library/matrix_state.hpp"

namespace sparsmith {

matrix_features features(const matrix& a, const feature_request& request) {
  a.wait();
  matrix_features found =
      library::with_matrix(a.state(), [&]<class Offset, class Value>(auto on, const auto&) {
        using backend = decltype(on);
        const library::as_csr<backend, Offset, Value> source(on, a.state());
        return features_of<backend, Offset, Value>(on, source.shown, request, nullptr);
      });
  found.name = a.name();
  found.field = a.state().source.field;
  return found;
}

std::vector<format_cost> plan(const matrix& a, const plan_request& request) {
  a.wait();
  return library::with_matrix(a.state(), [&]<class Offset, class Value>(auto on, const auto&) {
    using backend = decltype(on);
    const library::as_csr<backend, Offset, Value> source(on, a.state());
    return plan_formats<backend, Offset, Value>(on, source.shown, request);
  });
}

}  // namespace sparsmith
