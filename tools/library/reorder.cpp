#include "tools/library/reorder.hpp"

#include <fmt/format.h>

#include "convert/reordering.hpp"
#include "tools/library/matrix_state.hpp"

namespace sparsmith {

reordered reorder(const matrix& a, const std::string& how) {
  const std::optional<reordering> known = reordering_named(how);
  if (!known)
    throw error(failure::usage, fmt::format("there is no order \"{}\", only rcm, amd, length", how));
  require_order(*known, a.rows(), a.cols());
  const matrix on_host = copy_to(a, run_on::cpu);
  row_order order;
  auto state = library::with_matrix(on_host.state(), [&]<class Offset, class Value>(auto on, const auto&) {
    using backend = decltype(on);
    if constexpr (std::is_same_v<backend, openmp>) {
      const library::as_csr<backend, Offset, Value> source(on, on_host.state());
      order = order_of(*known, pattern_of(source.shown));
      return library::state_owning<backend, Offset, Value>(on, in_order(source.shown, order), a.entries());
    } else {
      return std::shared_ptr<library::matrix_state>();  // it is on the host
    }
  });
  library::inherit(*state, a.state());
  state->can_be_read = false;  // what that name reads is in another order
  if (!order.columns_alike) state->source.symmetry = symmetry_kind::general;
  return {copy_to(matrix(std::move(state)), a.on_gpu() ? run_on::gpu : run_on::cpu),
          std::vector<std::int32_t>(order.rows.begin(), order.rows.end()), order.columns_alike};
}

}  // namespace sparsmith
