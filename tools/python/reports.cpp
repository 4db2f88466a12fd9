#include "tools/python/reports.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/recommend/recommendation.hpp"
#include "analyze/recommend/verdict.hpp"
#include "analyze/report/feature_text.hpp"
#include "analyze/report/json.hpp"
#include "analyze/report/page.hpp"
#include "analyze/report/plan.hpp"
#include "analyze/report/recommend_page.hpp"
#include "kernels/registry.hpp"
#include "tools/library/told_advice.hpp"

namespace sparsmith::python {
namespace {

// Names need not be UTF-8.
std::string document_of(const nlohmann::ordered_json& j) {
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string features_text(const matrix_features& features) {
  return features_as_text(features, {.shown = {.width = text_width}});
}
std::string features_document(const matrix_features& features) {
  return document_of(to_json(features));
}
std::string features_page(const matrix_features& features) {
  return html_report({features}, {draw_spy_pictures(features)}, {SPARSMITH_VERSION, {}, {}});
}

std::string plan_text(const std::vector<format_cost>& prices) {
  const auto as_csr = std::ranges::find(prices, format_kind::csr, &format_cost::format);
  return plan_as_text(prices, as_csr == prices.end() ? 0 : as_csr->bytes, text_width);
}
std::string plan_document(const std::vector<format_cost>& prices) {
  return document_of(plan_as_json(prices));
}

std::string advice_page(const advice& said) {
  return recommendation_page(said.found->each.orders, said.found->each.verdicts, {SPARSMITH_VERSION, {}, {}});
}

std::vector<known_kernel> all_known_kernels() {
  std::vector<known_kernel> all;
  for (const listed_kernel& one : all_kernels()) {
    known_kernel known{.name = one.info.name,
                       .format = name_of(one.format),
                       .backend = one.backend,
                       .description = one.info.description,
                       .source = one.info.source,
                       .products = {},
                       .repeatable = {},
                       .vendor = one.info.vendor,
                       .history = one.info.history};
    for (const operation op : all_operations) {
      if (one.info.computes(op)) known.products.emplace_back(name_of(op));
      if (one.info.computes(op) && one.info.repeatable(op)) known.repeatable.emplace_back(name_of(op));
    }
    all.push_back(std::move(known));
  }
  return all;
}

}  // namespace sparsmith::python
