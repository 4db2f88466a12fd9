#include "tools/library/structure.hpp"

#include "analyze/structure/features.hpp"
#include "tools/library/matrix_state.hpp"

namespace sparsmith {
namespace {

// use(matrix), or use(its entries alone) where rows and columns are far more than those.
template <class Backend, class Matrix, class Use>
auto with_structure(Backend on, const Matrix& matrix, const Use& use) {
  return is_hypersparse(matrix.rows, matrix.cols, matrix.values.size()) ? use(hypersparse_of(on, matrix))
                                                                        : use(matrix);
}

}  // namespace

matrix_features features(const matrix& a, const feature_request& request) {
  a.wait();
  matrix_features found =
      library::with_matrix(a.state(), [&]<class Offset, class Value>(auto on, const auto&) {
        using backend = decltype(on);
        const library::as_csr<backend, Offset, Value> source(on, a.state());
        if constexpr (is_complex<Value>)
          return features_of_complex(on, source.shown, request);
        else
          return with_structure(on, source.shown,
                                [&](const auto& m) { return features_of(on, m, request, nullptr); });
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
    if constexpr (is_complex<Value>) {
      // A conversion moves the numbers of complex values.
      const auto& m = source.shown;
      array<double, space_on<backend>> numbers(m.values.size());
      number_values(on, m.values, 0, numbers.data());
      plan_request of_numbers = request;
      of_numbers.half = false;
      auto costs = with_structure(
          on, csr<Offset, double, view_on<backend>>{m.rows, m.cols, m.row_offsets, m.col_indices, numbers},
          [&](const auto& real) { return plan_formats(on, real, of_numbers); });
      price_complex(costs, numbers.size(), sizeof(Value));
      return costs;
    } else {
      return with_structure(on, source.shown, [&](const auto& m) { return plan_formats(on, m, request); });
    }
  });
}

}  // namespace sparsmith
