#include "analyze/report/recommend_json.hpp"

#include <fmt/format.h>

#include "analyze/recommend/standing.hpp"
#include "analyze/report/json.hpp"
#include "analyze/report/json_values.hpp"
#include "analyze/report/recommend_actions.hpp"
#include "convert/formats/properties.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;

// What a prediction is a sum of, before its factors or with them.
json terms(const model_terms& seconds) {
  json j = json::object();
  for (std::size_t i = 0; i < seconds.size(); ++i) j[term_names[i]] = number_or_null(seconds[i] * 1e6);
  return j;
}

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}
// Where 0 stands for what is not known.
json known(double value) {
  return value > 0 ? number_or_null(value) : json(nullptr);
}
json known(std::int64_t value) {
  return value > 0 ? json(value) : json(nullptr);
}

json micro(double seconds) {
  return number_or_null(seconds * 1e6);
}

// Products; null for never.
json products_or_null(double products) {
  return products < 0 ? json(nullptr) : number_or_null(products);
}

json times_as_json(const timing& t) {
  if (t.samples == 0) return nullptr;
  return {{"median_us", micro(t.median)}, {"p10_us", micro(t.p10)},   {"p90_us", micro(t.p90)},
          {"low_us", micro(t.low)},       {"high_us", micro(t.high)}, {"samples", t.samples}};
}

json as_json(const parameter_value& value) {
  const auto known_value = []<class Value>(const Value& chosen) -> json {
    if constexpr (std::is_same_v<Value, std::monostate>)
      return nullptr;
    else
      return chosen;
  };
  return std::visit(known_value, value);
}

// What makes the format, under the names its container uses, and then the sizes that came of it.
json parameters_as_json(const variant_result& f) {
  const conversion_options options = settled_options(f);
  json j = json::object();
  for (const format_parameter& parameter : properties_of(f.format).parameters)
    j[parameter.name] = as_json(parameter.chosen(options));
  for (const auto& [name, value] : f.parameters)
    if (!j.contains(name)) j[name] = value;
  return j;
}

json by_operation(json ax, json atx) {
  return {{"ax", std::move(ax)}, {"atx", std::move(atx)}};
}

// What computes two products in one pass has a name of its own where it was asked for.
json kernels_as_json(const recommendation& r, const way& w) {
  const auto name = [&](operation op) {
    const contestant_result* const k = w.contestant(op);
    return k == nullptr ? json(nullptr) : json(k->info.name);
  };
  json names = by_operation(name(operation::multiply), name(operation::transposed));
  if (r.wanted.one_pass) names[short_name(*r.wanted.one_pass)] = name(*r.wanted.one_pass);
  return names;
}

// A way beside the winner; null where there is none.
json way_as_json(const recommendation& r, const way& w, const way& winner) {
  if (!w) return nullptr;
  json copies = json::array();
  for (const variant_result* f : w.stored) copies.push_back(f->label());
  return {{"format", name_of(w.variant().format)},
          {"parameters", parameters_as_json(w.variant())},
          {"copies", std::move(copies)},
          {"kernels", kernels_as_json(r, w)},
          {"us", micro(w.seconds)},
          {"interval_us", json::array({micro(w.low), micro(w.high)})},
          {"times_winner", number_or_null(w.seconds / winner.seconds)},
          {"bytes", w.bytes},
          {"prepared_bytes", w.prepared_bytes},
          {"times_csr", number_or_null(times_csr(r.found, w.bytes))}};
}

json machine_as_json(const recommendation& r) {
  const machine_description& m = r.machine;
  const machine_rates& rates = r.rates;
  return {{"backend", m.backend},
          {"device", m.device},
          {"driver", text_or_null(m.driver)},
          {"toolkit", m.toolkit},
          {"code", text_or_null(m.code)},
          {"code_doubt", text_or_null(m.code_doubt)},
          {"vendor", text_or_null(m.vendor)},
          {"clock_mhz", known(m.clock_mhz)},
          {"memory_clock_mhz", known(m.memory_clock_mhz)},
          {"threads", m.threads},
          {"copy_gb_per_s", known(r.rates.copy_bytes / 1e9)},
          {"rates",
           {{"launch_us", known(rates.launch_seconds * 1e6)},
            {"copy_gb_per_s", known(rates.copy_bytes / 1e9)},
            {"read_gb_per_s", known(rates.read_bytes / 1e9)},
            {"cached_read_gb_per_s", known(rates.cached_read_bytes / 1e9)},
            {"gathers_per_s", known(rates.gathers)},
            {"cached_gathers_per_s", known(rates.cached_gathers)},
            {"atomics_per_s", known(rates.atomics)},
            {"contended_atomics_per_s", known(rates.contended_atomics)},
            {"cache_bytes", known(rates.cache_bytes)},
            {"processors", known(std::int64_t{rates.processors})}}}};
}

json request_as_json(const recommendation& r, const objective& wanted) {
  const double sum = wanted.weights[0] + wanted.weights[1];
  const auto share = [&](operation op) {
    if (wanted.one_pass) return json(0.5);  // of the products, however many applications there are
    return sum > 0 ? number_or_null(wanted.weight(op)) : json(nullptr);
  };
  return {{"mix", by_operation(share(operation::multiply), share(operation::transposed))},
          {"one_pass", wanted.one_pass ? json(short_name(*wanted.one_pass)) : json(nullptr)},
          {"vectors", {{"count", wanted.vectors.count}, {"by", wanted.vectors.by_rows ? "rows" : "columns"}}},
          {"products", known(wanted.products)},
          {"regime", regime_name(wanted.warm)},
          {"repeatable", wanted.repeatable},
          {"memory", known(wanted.memory)},
          {"prefer", wanted.prefer_bytes ? "bytes" : "stay"},
          {"budget_s", known(r.budget_seconds)},
          {"exhaustive", r.exhaustive}};
}

// Without what is large: the picture, and the distributions behind the summaries.
json features_as_json(const recommendation& r) {
  json j = to_json(r.features);
  j["name"] = r.name;
  j.erase("grid");
  for (const char* lengths : {"row_lengths", "col_lengths"})
    for (const char* large : {"distribution", "linear_bins", "log2_bins"}) j[lengths].erase(large);
  return j;
}

json variant_as_json(const recommendation& r, const variant_result& f) {
  return {{"format", name_of(f.format)},
          {"label", f.label()},
          {"note", f.note},
          {"parameters", parameters_as_json(f)},
          {"max_fill", number_or_null(f.options.max_fill)},
          {"of_transpose", f.of_transpose},
          {"bytes", known(f.bytes)},
          {"times_csr", f.bytes > 0 ? number_or_null(times_csr(r.found, f.bytes)) : json(nullptr)},
          {"slots", known(f.slots)},
          {"fill", f.slots > 0 ? number_or_null(fill_of(r.found, f)) : json(nullptr)},
          {"offset_bits", known(std::int64_t{f.offset_bits})},
          {"convert_ms",
           r.found.predicted || !f.refused.empty() ? json(nullptr) : number_or_null(f.convert_seconds * 1e3)},
          {"expected_convert_ms", known(f.expected_convert_seconds * 1e3)},
          {"refused", f.not_tried ? json(nullptr) : text_or_null(f.refused)},
          {"not_tried", f.not_tried ? json(f.refused) : json(nullptr)}};
}

json contestant_as_json(const recommendation& r, const verdict& v, const listed_contestant& one) {
  const variant_result& f = *one.variant;
  const contestant_result& k = *one.contestant;
  const matrix_result& m = r.found;
  const double seconds = k.timed() ? k.time.deciding(v.wanted.warm).median : 0;
  const double actual = per_second(m.actual_bytes(f, k), seconds);
  const bool ran = k.timed() || k.single_seconds > 0;
  return {{"variant", &f - m.variants.data()},
          {"format", name_of(f.format)},
          {"note", f.note},
          {"of_transpose", f.of_transpose},
          {"kernel", k.info.name},
          {"operation", short_name(k.op)},
          {"result", name_of(one.how)},
          {"vendor", k.info.vendor},
          {"source", k.info.source},
          {"repeatable", k.info.repeatable(k.op)},
          {"many_vectors", k.info.many_vectors},
          {"warm", times_as_json(k.time.warm)},
          {"cold", times_as_json(k.time.cold)},
          {"single_us", known(k.single_seconds * 1e6)},
          {"prepare_ms", ran ? number_or_null(k.prepare_seconds * 1e3) : json(nullptr)},
          {"prepared_bytes", ran ? json(k.prepared_bytes) : json(nullptr)},
          {"work",
           {{"bytes", known(k.work.bytes)},
            {"atomics", number_or_null(k.work.atomics)},
            {"launches", number_or_null(k.work.launches)},
            {"longest", number_or_null(k.work.longest)}}},
          {"error_of_bound", ran ? number_or_null(k.error) : json(nullptr)},
          {"predicted",
           {{"warm_us", known(k.expected.warm * 1e6)},
            {"cold_us", known(k.expected.cold * 1e6)},
            {"warm_terms_us", terms(k.expected.warm_terms)},
            {"cold_terms_us", terms(k.expected.cold_terms)},
            {"warm_parts_us", terms(k.expected.warm_parts)},
            {"cold_parts_us", terms(k.expected.cold_parts)}}},
          {"gb_per_s_csr_minimum", known(per_second(m.csr_minimum_bytes(k.op), seconds) / 1e9)},
          {"gb_per_s_actual", known(actual / 1e9)},
          {"share_of_copy", r.rates.copy_bytes > 0 ? known(actual / r.rates.copy_bytes) : json(nullptr)},
          {"left", text_or_null(k.left)},
          {"not_run", one.how == standing::not_run ? json(one.reason) : json(nullptr)},
          {"wrong", text_or_null(k.wrong)},
          {"winner", runs(v.winner, one)},
          {"tie", is_tied(v, one)}};
}

// How many times as fast the best of ours is as the vendor's; null where nothing of the vendor's ran.
json over_vendor_as_json(const matrix_result& m, bool warm) {
  const vendor_ratios ratios = over_vendor(m, warm);
  json j = json::object(), same = json::object();
  bool any = false;
  for (const vendor_comparison& c : vendor_comparisons) {
    j[c.name] = known(ratios.*c.ratio);
    any = any || ratios.*c.ratio > 0;
  }
  if (!any) return nullptr;
  for (const auto& [format, ratio] : over_vendor_in_format(m, warm))
    same[name_of(format)] = number_or_null(ratio);
  j["ax_in_format"] = std::move(same);
  return j;
}

json verdict_as_json(const recommendation& r, const verdict& v) {
  const way& winner = v.winner;
  if (!winner) return nullptr;
  const auto beside = [&](const way& w) { return way_as_json(r, w, winner); };
  const our_ways ours = ours_of(r.found, v.wanted.warm);
  json ties = json::array();
  for (const way& tied : v.ties) ties.push_back(beside(tied));
  json j = beside(winner);
  j.erase("times_winner");
  const bool second = static_cast<bool>(v.runner_up);
  const auto of_margin = [&](double value) { return second ? number_or_null(value) : json(nullptr); };
  j.update({{"margin", of_margin(v.margin.ratio)},
            {"interval",
             second ? json::array({of_margin(v.margin.low), of_margin(v.margin.high)}) : json(nullptr)},
            {"runner_up", beside(v.runner_up)},
            {"fastest", beside(v.fastest)},
            {"ties", std::move(ties)},
            {"unsettled", v.unsettled},
            {"any_of_these", v.any_of_these}});
  j["repaid_after"] =
      by_operation(products_or_null(v.repaid_after_alone[0]), products_or_null(v.repaid_after_alone[1]));
  j["repaid_after"]["mix"] = products_or_null(v.repaid_after);
  j.update({{"reason", fmt::format("{}", fmt::join(v.reasons, "; "))},
            {"reasons", v.reasons},
            {"stays_in_csr", winner.stays_in_csr()},
            {"repeatable", winner.repeatable()},
            {"predicted", r.found.predicted},
            {"interrupted", r.found.interrupted},
            {"out_of_time", r.found.out_of_time},
            {"in_one_pass", winner.in_one_pass()},
            {"other_kind", beside(v.other_kind)},
            {"stay", beside(v.stay)},
            {"smallest", beside(v.smallest)},
            {"two_copies", beside(v.two_copies)},
            {"alone", by_operation(beside(v.alone[0]), beside(v.alone[1]))},
            {"vendor",
             {{"ax", beside(v.vendor.product[0])},
              {"atx", beside(v.vendor.product[1])},
              {"atx_from_a", beside(v.vendor.transposed_from_a)},
              {"csr", beside(v.vendor.csr)},
              {"one_copy", beside(v.vendor.one_copy)},
              {"two_copies", beside(v.vendor.two_copies)}}},
            {"ours",
             {{"ax", beside(ours.product[0])},
              {"atx", beside(ours.product[1])},
              {"atx_from_a", beside(ours.transposed_from_a)},
              {"pair", beside(ours.pair)}}},
            {"over_vendor", r.found.predicted ? json(nullptr) : over_vendor_as_json(r.found, v.wanted.warm)},
            {"other_regime", beside(v.other_regime)},
            {"price_ms", number_or_null(winner.price * 1e3)},
            {"spconv", text_or_null(spconv_line(r, winner))},
            {"code", text_or_null(code_lines(r, winner))}});
  return j;
}

}  // namespace

nlohmann::ordered_json to_json(const recommendation& r, const verdict& v) {
  const matrix_result& m = r.found;
  json j = {{"schema", "sparsmith.recommend/2"}, {"version", r.machine.version}};
  j["matrix"] = {{"name", r.name},
                 {"rows", m.rows},
                 {"cols", m.cols},
                 {"entries", m.entries},
                 {"value_bits", m.value_bits},
                 {"complex_values", m.complex_values},
                 {"offset_bits", m.offset_bits},
                 {"csr_bytes", m.csr_bytes()},
                 {"symmetric", m.symmetric},
                 {"order", text_or_null(r.order)},
                 {"order_ms", r.order.empty() ? json(nullptr) : number_or_null(r.order_seconds * 1e3)}};
  j["machine"] = machine_as_json(r);
  j["request"] = request_as_json(r, v.wanted);
  j["predicted"] = m.predicted;
  j["interrupted"] = m.interrupted;
  j["out_of_time"] = m.out_of_time;
  j["noisy"] = m.noisy;
  j["clock_us"] = known(m.clock_seconds * 1e6);
  j["final_rounds"] = m.final_rounds;
  j["seconds"] = number_or_null(r.seconds);
  j["steps"] = json::array();
  for (const step_time& step : r.steps)
    j["steps"].push_back({{"name", step.name}, {"seconds", number_or_null(step.seconds)}});
  j["features"] = features_as_json(r);
  j["base"] = by_operation(text_or_null(m.base_names[0]), text_or_null(m.base_names[1]));
  j["variants"] = json::array();
  for (const variant_result& f : m.variants) j["variants"].push_back(variant_as_json(r, f));
  j["contestants"] = json::array();
  for (const listed_contestant& one : contestants_of(m))
    if (one.contestant != nullptr) j["contestants"].push_back(contestant_as_json(r, v, one));
  j["verdict"] = verdict_as_json(r, v);
  j["model"] = {{"record", known(r.model.share)},
                {"strangers", known(r.model.strangers)},
                {"machine", text_or_null(r.model.machine)},
                {"near",
                 {{"matrices", r.model.near},
                  {"median", known(r.model.near_median)},
                  {"worst", known(r.model.near_worst)}}},
                {"sure", r.model.sure()},
                {"top", r.top > 0 ? json(r.top) : json(nullptr)}};
  return j;
}

}  // namespace sparsmith
