#include "analyze/recommend/recommend.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analyze/report/recommend_json.hpp"
#include "analyze/report/recommend_orders.hpp"
#include "analyze/report/recommend_text.hpp"
#include "convert/nearest_names.hpp"
#include "kernels/registry.hpp"
#include "tools/library/matrix_state.hpp"
#include "tools/library/recommend_as.hpp"
#include "tools/library/sparsmith.hpp"
#include "tools/library/told_advice.hpp"

namespace sparsmith {
namespace {

recommend_request request_of(const recommend_options& options, const std::string& backend) {
  recommend_request request;
  for (const double weight : options.mix)
    if (!std::isfinite(weight) || weight < 0)
      throw error(failure::usage, fmt::format("a mix of {} and {} products: both must be numbers from 0 on",
                                              options.mix[0], options.mix[1]));
  if (!(options.mix[0] + options.mix[1] > 0)) throw error(failure::usage, "a mix of no products at all");
  for (const double number : {options.products, options.budget})
    if (!std::isfinite(number) || number < 0)
      throw error(failure::usage, fmt::format("{}: products and budget must be numbers from 0 on", number));
  request.wanted.weights = options.mix;
  request.wanted.products = options.products;
  request.wanted.warm = options.warm;
  request.wanted.repeatable = options.repeatable;
  request.wanted.memory = options.memory;
  request.wanted.prefer_bytes = options.prefer_bytes;
  request.as_general = !options.use_symmetry;
  request.field.memory = options.memory;
  for (const std::string& name : options.formats) {
    const std::optional<format_kind> format = format_named(name);
    if (!format)
      throw error(failure::usage,
                  fmt::format("there is no format \"{}\", only {}", name, fmt::join(format_names(), ", ")));
    request.field.formats.push_back(*format);
  }
  std::vector<std::string> known;
  for (const listed_kernel& one : all_kernels())
    if (one.backend == backend) known.emplace_back(one.info.name);
  for (const std::string& name : options.kernels)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw error(failure::usage, fmt::format("{}: no such kernel for {}; near it: {}", name, backend,
                                              fmt::join(nearest_names(name, known), ", ")));
  request.field.kernels = options.kernels;
  request.predict = options.predict;
  request.exhaustive = options.exhaustive;
  if (options.exhaustive && !options.orders.empty())
    throw error(failure::usage, "an exhaustive run is one of the matrix as it is: leave the orders out");
  request.budget = options.budget;
  request.interrupted = options.interrupted;
  return request;
}

advice advice_from(std::shared_ptr<const library::told_advice> all) {
  advice said;
  const order_verdict& orders = all->comparison;
  const recommendation* const told = &all->of_taken();
  const verdict& v = all->verdict_of_taken();
  if (v.winner) {
    const variant_result& f = v.winner.variant();
    said.format = name_of(f.format);
    said.options = f.options;
    said.parameters = f.parameters;
    said.offset_bits = f.offset_bits > 0 ? f.offset_bits : told->found.offset_bits;
    const auto name = [&](operation op) -> std::string {
      const contestant_result* const k = v.winner.contestant(op);
      return k == nullptr ? "" : k->info.name;
    };
    said.symmetric = told->found.symmetric;
    said.kernel = name(said.symmetric && !told->wanted.asks_for(operation::multiply) ? operation::transposed
                                                                                     : operation::multiply);
    if (!said.symmetric) said.kernel_transposed = name(operation::transposed);
    said.seconds = v.winner.seconds;
    const way& csr = all->each.verdicts.front().stay;
    said.csr_seconds = csr ? csr.seconds : 0;
    said.bytes = v.winner.all_bytes();
    said.price = v.winner.price;
    said.repaid_after = v.repaid_after;
    said.unsettled = v.unsettled;
    for (const way& tied : v.ties) said.ties.push_back(tied.names());
    said.reasons = v.reasons;
    if (orders.taken > 0) {
      const order_result& taken = orders.orders[static_cast<std::size_t>(orders.taken)];
      said.order = taken.order;
      said.seconds = taken.winner.seconds;
      said.price = taken.winner.price;
      said.repaid_after = taken.repaid_after;
    }
    said.unsettled = said.unsettled || orders.unsettled;
  }
  said.found = std::move(all);
  return said;
}

}  // namespace

recommendation library::recommend_as(const matrix& a, const recommend_request& request,
                                     const progress_text& progress) {
  a.wait();
  recommendation told = library::with_matrix(a.state(), [&]<class Offset, class Value>(auto on, const auto&) {
    using backend = decltype(on);
    const library::as_csr<backend, Offset, Value> source(on, a.state());
    return recommend<backend, Offset, Value>(on, source.shown, request, progress);
  });
  told.name = told.features.name = a.name();
  told.can_be_read = a.state().can_be_read;
  told.features.field = a.state().source.field;
  return told;
}

std::vector<reordering> library::orders_for(const std::vector<std::string>& names, std::int64_t rows,
                                            std::int64_t cols) {
  std::vector<reordering> orders;
  const auto add = [&](reordering how) {
    if (std::find(orders.begin(), orders.end(), how) == orders.end()) orders.push_back(how);
  };
  for (const std::string& name : names) {
    const std::optional<reordering> known = reordering_named(name);
    if (!known && name != "all")
      throw error(failure::usage, fmt::format("there is no order \"{}\", only rcm, amd, length, all", name));
    if (known) {
      require_order(*known, rows, cols);
      add(*known);
      continue;
    }
    for (const reordering how : {reordering::rcm, reordering::amd, reordering::length})
      if (!orders_columns(how) || rows == cols) add(how);
  }
  return orders;
}

recommendation library::recommend_in_order(const matrix& a, reordering how, recommend_request each,
                                           const progress_text& progress) {
  if (progress) progress("finding the order");
  const double start = seconds_now();
  const matrix ordered = reorder(a, name_of(how)).made;
  ordered.wait();
  const double seconds = seconds_now() - start;
  each.began = seconds_now();
  recommendation told = recommend_as(ordered, each, progress);
  told.can_be_read = a.state().can_be_read;
  told.order = name_of(how);
  told.order_seconds = seconds;
  told.steps.front() = {"ordering", seconds};
  told.seconds += seconds;
  return told;
}

advice recommend(const matrix& a, const recommend_options& options) {
  const recommend_request request = request_of(options, a.on_gpu() ? cuda::name : openmp::name);
  const std::vector<reordering> orders = library::orders_for(options.orders, a.rows(), a.cols());
  auto told = std::make_shared<library::told_advice>();
  told->in_orders = !options.orders.empty();
  told->each.add(library::recommend_as(a, request, options.progress));
  for (const reordering how : orders) {
    if (options.interrupted && options.interrupted()) break;
    told->each.add(library::recommend_in_order(a, how, request, options.progress));
  }
  told->comparison = order_verdict_of(told->each.orders, told->each.verdicts);
  return advice_from(std::move(told));
}

matrix advice::convert(const matrix& a) const {
  const std::optional<format_kind> kind = format_named(format);
  if (!kind)
    throw error(failure::usage,
                "there is no advice to follow: no format could be measured within what was asked for");
  // To stay in CSR is to take what is there, borrowed or not.
  const bool stays =
      *kind == format_kind::csr && a.kind() == *kind && (offset_bits != 64 || a.offset_bits() == 64);
  matrix made = stays ? a : library::convert_as(a, *kind, options, offset_bits == 64);
  return made.use_kernels(kernel, kernel_transposed);
}

std::string advice::text(int width) const {
  if (found == nullptr) return {};
  const recommendation& taken = found->of_taken();
  const std::string text = recommendation_as_text(taken, found->verdict_of_taken(), width);
  return found->in_orders ? text + "\n\n" + orders_as_text(found->comparison, taken.wanted, width) : text;
}

std::string advice::json() const {
  if (found == nullptr) return "null";
  const nlohmann::ordered_json document =
      found->in_orders ? orders_as_json(found->comparison, found->each.orders, found->each.verdicts)
                       : to_json(found->of_taken(), found->verdict_of_taken());
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace sparsmith
