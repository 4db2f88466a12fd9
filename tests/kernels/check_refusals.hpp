// Whether what is expected of a price and what a kernel says of the matrix made from it agree: every kernel
// of every table, on the battery, in every variant of the parameters that kernels care about.
#pragma once

#include <cmath>
#include <map>

#include "analyze/recommend/model.hpp"
#include "tests/kernels/check_kernels.hpp"

namespace sparsmith::testing {

// How often each kernel was refused as expected.
template <class Backend>
std::map<std::string, int> check_refusals(Backend on) {
  std::map<std::string, int> refused;
  for (const named_matrix& named : battery())
    for (const conversion_options& options : kernel_variants()) {
      const auto m = coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo_of<double>(named), nullptr);
      const auto source = copy_to<space_on<Backend>>(m);
      model_matrix known;
      known.rows.count = m.rows;
      known.cols.count = m.cols;
      known.entries = m.values.size();
      for (const double value : m.values) known.all_finite = known.all_finite && std::isfinite(value);
      plan_request request;
      request.options = options;
      request.blocks = {options.bsr_block};
      request.betas = {options.blocks.beta};
      for (const format_cost& cost : plan_formats(openmp{}, view(m), request)) {
        if (!cost.possible() || !cost.allowed || cost.wide_offsets) continue;
        const auto made =
            from_csr<Backend, std::int32_t, double>(on, view(source), cost.format, cost.options, nullptr);
        std::visit(
            [&](const auto& held) {
              for (const auto& line : kernels_of(view(held)))
                for (const operation op : plain_operations) {
                  INFO(named.name << ", " << line.info.name << ", " << name_of(op));
                  const std::string expected = why_not_expected(line.info, op, known, cost, false),
                                    real = line.why_not(view(held), op);
                  // Rows that windows may move are not moved where they are sorted by length as they are.
                  if (cost.format == format_kind::sell && cost.options.sell.sigma > 1 && real.empty())
                    continue;
                  CHECK(expected == real);
                  if (!real.empty()) ++refused[line.info.name];
                }
            },
            made);
      }
    }
  return refused;
}

}  // namespace sparsmith::testing
