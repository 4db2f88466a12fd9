#include "analyze/recommend/recommend.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analyze/report/recommend_json.hpp"
#include "analyze/report/recommend_text.hpp"
#include "convert/nearest_names.hpp"
#include "kernels/registry.hpp"
#include "tools/library/matrix_state.hpp"
#include "tools/library/recommend_as.hpp"
#include "tools/library/sparsmith.hpp"

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
  request.as_general = options.as_general;
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
  request.budget = options.budget;
  request.interrupted = options.interrupted;
  return request;
}

advice advice_from(std::shared_ptr<const recommendation> told) {
  advice said;
  const verdict v = verdict_of(told->found, told->wanted);
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
    said.csr_seconds = v.stay ? v.stay.seconds : 0;
    said.bytes = v.winner.all_bytes();
    said.price = v.winner.price;
    said.repaid_after = v.repaid_after;
    said.unsettled = v.unsettled;
    for (const way& tied : v.ties) said.ties.push_back(tied.names());
    said.reasons = v.reasons;
  }
  said.found = std::move(told);
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
  told.name = a.name();
  return told;
}

advice recommend(const matrix& a, const recommend_options& options) {
  const recommend_request request = request_of(options, a.on_gpu() ? cuda::name : openmp::name);
  return advice_from(std::make_shared<recommendation>(library::recommend_as(a, request, options.progress)));
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
  return recommendation_as_text(*found, verdict_of(found->found, found->wanted), width);
}

std::string advice::json() const {
  if (found == nullptr) return "null";
  return to_json(*found, verdict_of(found->found, found->wanted))
      .dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace sparsmith
