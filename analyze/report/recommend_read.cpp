#include "analyze/report/recommend_read.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>

#include "analyze/recommend/standing.hpp"
#include "analyze/report/json_members.hpp"
#include "analyze/report/recommend_actions.hpp"
#include "convert/error.hpp"
#include "convert/formats/properties.hpp"

namespace sparsmith {
namespace {

using members::for_each_in;
using members::json;
using members::member;
using members::number;
using members::text;
using members::yes;

[[noreturn]] void refuse(const std::string& why) {
  throw error(failure::input, "no recommendation that can be read: " + why);
}

// ---- numbers, where 0 stands for what is not known ----

double known(const json* of, const char* name) {
  const double found = number(of, name);
  return std::isnan(found) ? 0 : found;
}

template <class Whole>
Whole whole(const json* of, const char* name, Whole missing = 0) {
  const json* const found = member(of, name);
  if (found == nullptr) return missing;
  const double value = found->is_number() ? found->get<double>() : std::nan("");
  constexpr double end = std::is_same_v<Whole, std::int64_t> ? 0x1p63 : 0x1p31;
  if (!(value >= -end && value < end)) refuse(fmt::format("`{}` is no whole number", name));
  return found->is_number_integer() ? static_cast<Whole>(found->get<std::int64_t>())
                                    : static_cast<Whole>(value);
}

// A kernel's facts point at texts that outlive all results. A build without CUDA has none of the kernels of
// a GPU: those that are read are kept here, each once.
const char* kept(const std::string& name) {
  static std::mutex one_at_a_time;
  static std::set<std::string> all;
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  return all.insert(name).first->c_str();
}

format_kind format_of(const json* of) {
  const std::string name = text(of, "format");
  const std::optional<format_kind> format = format_named(name);
  if (!format) refuse(fmt::format("format `{}` is not known here", name));
  return *format;
}

operation operation_of(const json* of) {
  const std::string name = text(of, "operation");
  for (const operation op : all_operations)
    if (name == short_name(op)) return op;
  refuse(fmt::format("product `{}` is not known here", name));
}

// What is repeatable is told of the operation that was run.
per_operation<bool> repeatable_for(operation op, bool is) {
  return {op == operation::multiply && is, op == operation::transposed && is, op == operation::both && is,
          op == operation::normal && is};
}

// ---- what makes a format ----

template <class Enumeration>
Enumeration named(const json* of, const char* name, std::initializer_list<Enumeration> all,
                  Enumeration missing) {
  const std::string found = text(of, name);
  for (const Enumeration one : all)
    if (found == name_of(one)) return one;
  return missing;
}

conversion_options options_of(format_kind format, const json* variant) {
  const json* const p = member(variant, "parameters");
  conversion_options options;
  format = whole_of(format).value_or(format);  // half of a matrix is chosen as its entries' format is
  if (const double most = number(variant, "max_fill"); !std::isnan(most)) options.max_fill = most;
  const auto set = [&](std::int32_t& to, const char* name, std::int32_t missing) {
    to = whole<std::int32_t>(p, name, missing);
  };
  if (format == format_kind::sell) {
    set(options.sell.slice, "slice", options.sell.slice);
    set(options.sell.sigma, "sigma", options.sell.sigma);
  }
  if (format == format_kind::hyb) set(options.hyb_width, "width", -1);
  if (format == format_kind::dia) {
    const std::string diagonals = text(p, "diagonals");
    double share = 0;
    const auto [stop, problem] =
        std::from_chars(diagonals.data(), diagonals.data() + diagonals.size(), share);
    if (diagonals == "all" || (problem == std::errc() && share > 0 && share <= 1)) options.dia_share = share;
  }
  if (format == format_kind::bsr) {
    set(options.bsr_block.rows, "block_rows", options.bsr_block.rows);
    set(options.bsr_block.cols, "block_cols", options.bsr_block.cols);
  }
  if (has_beta(format)) {
    block_options& blocks = options.blocks;
    set(blocks.beta, "beta", blocks.beta);
    blocks.order =
        named(p, "order", {block_order::morton, block_order::row, block_order::diagonal}, blocks.order);
    set(blocks.index_bits, "index_bits", 0);
    blocks.thesis = yes(p, "thesis");
    for (const ecsb_holding holding : {ecsb_holding::coo, ecsb_holding::ell, ecsb_holding::hybrid})
      if (text(p, "holding") == name_of(holding)) blocks.holding = holding;
    set(blocks.group_size, "group_size", blocks.group_size);
    set(blocks.window, "window", blocks.window);
  }
  if (format == format_kind::gcsb_tile) {
    tile_options& tile = options.tile;
    set(tile.height, "tile_height", 0);
    set(tile.width, "tile_width", 0);
    set(tile.group_size, "group_size", tile.group_size);
    set(tile.index_bits, "index_bits", 0);
    tile.renumber =
        named(p, "renumber", {renumbering::automatic, renumbering::length, renumbering::none}, tile.renumber);
    set(tile.rest_below, "rest_below", tile.rest_below);
  }
  return options;
}

variant_result variant_of(const json* of) {
  variant_result f;
  f.format = format_of(of);
  f.note = text(of, "note");
  f.of_transpose = yes(of, "of_transpose");
  f.options = options_of(f.format, of);
  f.refused = text(of, "refused");
  // Results of before 0.3 call that refused as well.
  f.not_tried = f.refused.starts_with("not tried") || f.refused.starts_with("not reached");
  if (const std::string why = text(of, "not_tried"); !why.empty()) {
    f.refused = why;
    f.not_tried = true;
  }
  f.bytes = whole<std::int64_t>(of, "bytes");
  f.slots = whole<std::int64_t>(of, "slots");
  f.offset_bits = whole<std::int32_t>(of, "offset_bits");
  f.convert_seconds = known(of, "convert_ms") / 1e3;
  f.expected_convert_seconds = known(of, "expected_convert_ms") / 1e3;
  if (const json* const parameters = member(of, "parameters"); parameters != nullptr)
    for (const auto& [name, value] : parameters->items())
      if (value.is_number_integer()) f.parameters.emplace_back(name, value.get<std::int64_t>());
  return f;
}

// ---- who took part ----

timing timing_of(const json* of) {
  timing t;
  t.median = known(of, "median_us") / 1e6;
  t.p10 = number(of, "p10_us") / 1e6;
  t.p90 = number(of, "p90_us") / 1e6;
  t.low = known(of, "low_us") / 1e6;
  t.high = known(of, "high_us") / 1e6;
  t.samples = whole<std::int32_t>(of, "samples");
  return t;
}

model_terms terms_of(const json* of) {
  model_terms terms = {};
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = known(of, term_names[i]) / 1e6;
  return terms;
}

contestant_result contestant_of(const json* of) {
  contestant_result k;
  k.op = operation_of(of);
  k.info = {};
  k.info.name = kept(text(of, "kernel"));
  k.info.description = "";
  k.info.source = kept(text(of, "source"));
  k.info.vendor = yes(of, "vendor");
  k.info.repeatable = repeatable_for(k.op, yes(of, "repeatable"));
  k.info.many_vectors = yes(of, "many_vectors");
  k.not_run = text(of, "not_run");
  // Those follow from the figures, and from what else they are looked at for.
  if (k.not_run == never_timed || k.not_run == not_modelled) k.not_run.clear();
  k.wrong = text(of, "wrong");
  k.left = text(of, "left");
  k.time = {timing_of(member(of, "warm")), timing_of(member(of, "cold"))};
  k.single_seconds = known(of, "single_us") / 1e6;
  k.prepare_seconds = known(of, "prepare_ms") / 1e3;
  k.prepared_bytes = whole<std::int64_t>(of, "prepared_bytes");
  k.error = number(of, "error_of_bound");
  const json* const predicted = member(of, "predicted");
  k.expected.warm = known(predicted, "warm_us") / 1e6;
  k.expected.cold = known(predicted, "cold_us") / 1e6;
  k.expected.warm_terms = terms_of(member(predicted, "warm_terms_us"));
  k.expected.cold_terms = terms_of(member(predicted, "cold_terms_us"));
  k.expected.warm_parts = terms_of(member(predicted, "warm_parts_us"));
  k.expected.cold_parts = terms_of(member(predicted, "cold_parts_us"));
  const json* const work = member(of, "work");
  k.work = {known(work, "bytes"), known(work, "atomics"), known(work, "launches"), known(work, "longest")};
  return k;
}

matrix_result results_of(const json* of) {
  matrix_result found;
  const json* const matrix = member(of, "matrix");
  found.rows = whole<std::int64_t>(matrix, "rows");
  found.cols = whole<std::int64_t>(matrix, "cols");
  found.entries = whole<std::int64_t>(matrix, "entries");
  found.value_bits = whole<std::int32_t>(matrix, "value_bits");
  // Documents of before 0.3.0 are of real values and do not say so.
  found.complex_values = yes(matrix, "complex_values");
  found.offset_bits = whole<std::int32_t>(matrix, "offset_bits");
  found.symmetric = yes(matrix, "symmetric");
  found.predicted = yes(of, "predicted");
  found.interrupted = yes(of, "interrupted");
  found.out_of_time = yes(of, "out_of_time");
  for_each_in(of, "noisy", [&](const json* one) {
    if (one->is_string()) found.noisy.push_back(one->get<std::string>());
  });
  found.clock_seconds = std::max(0.0, known(of, "clock_us")) / 1e6;
  found.final_rounds = whole<std::int32_t>(of, "final_rounds");
  for (const operation op : plain_operations)
    found.base_names[static_cast<std::size_t>(op)] = text(member(of, "base"), short_name(op));
  for_each_in(of, "variants", [&](const json* one) { found.variants.push_back(variant_of(one)); });
  for_each_in(of, "contestants", [&](const json* one) {
    const auto place = whole<std::int64_t>(one, "variant", -1);
    if (place < 0 || place >= static_cast<std::int64_t>(found.variants.size()))
      refuse(fmt::format("{} is of a variant that is not there", text(one, "kernel")));
    found.variants[static_cast<std::size_t>(place)].contestants.push_back(contestant_of(one));
  });
  return found;
}

// ---- where, and what for ----

machine_description machine_of(const json* of, const std::string& version) {
  machine_description m;
  m.backend = text(of, "backend");
  m.device = text(of, "device");
  m.driver = text(of, "driver");
  m.toolkit = text(of, "toolkit");
  m.code = text(of, "code");
  m.code_doubt = text(of, "code_doubt");
  m.vendor = text(of, "vendor");
  m.clock_mhz = known(of, "clock_mhz");
  m.memory_clock_mhz = known(of, "memory_clock_mhz");
  m.threads = whole<std::int32_t>(of, "threads");
  m.version = version;
  return m;
}

machine_rates rates_of(const json* of) {
  machine_rates rates;
  rates.launch_seconds = known(of, "launch_us") / 1e6;
  rates.copy_bytes = known(of, "copy_gb_per_s") * 1e9;
  rates.read_bytes = known(of, "read_gb_per_s") * 1e9;
  rates.cached_read_bytes = known(of, "cached_read_gb_per_s") * 1e9;
  rates.gathers = known(of, "gathers_per_s");
  rates.cached_gathers = known(of, "cached_gathers_per_s");
  rates.atomics = known(of, "atomics_per_s");
  rates.contended_atomics = known(of, "contended_atomics_per_s");
  rates.cache_bytes = whole<std::int64_t>(of, "cache_bytes");
  rates.processors = whole<std::int32_t>(of, "processors");
  return rates;
}

objective objective_of(const json* of) {
  objective wanted;
  for (const operation op : plain_operations)
    wanted.weights[static_cast<std::size_t>(op)] = std::max(0.0, known(member(of, "mix"), short_name(op)));
  if (const std::string together = text(of, "one_pass"); !together.empty()) {
    for (const operation op : {operation::both, operation::normal})
      if (together == short_name(op)) wanted.one_pass = op;
    if (!wanted.one_pass) refuse(fmt::format("mix `{}` is not known here", together));
    wanted.weights = {1, 1};
  }
  // Older documents are of one vector.
  if (const json* const vectors = member(of, "vectors"); vectors != nullptr) {
    wanted.vectors.count = std::max<std::int64_t>(1, whole<std::int64_t>(vectors, "count"));
    wanted.vectors.by_rows = text(vectors, "by") != "columns";
  }
  wanted.products = known(of, "products");
  wanted.warm = text(of, "regime") == regime_name(true);
  wanted.repeatable = yes(of, "repeatable");
  wanted.memory = whole<std::int64_t>(of, "memory");
  wanted.prefer_bytes = text(of, "prefer") == "bytes";
  return wanted;
}

// What was called a candidate is a variant since sparsmith.recommend/2.
json upgraded(json document) {
  document["schema"] = "sparsmith.recommend/2";
  const auto rename = [](json& of, const char* from, const char* to) {
    if (!of.is_object() || !of.contains(from)) return;
    json value = std::move(of[from]);
    of.erase(from);
    of[to] = std::move(value);
  };
  rename(document, "candidates", "variants");
  if (const json* const list = member(&document, "contestants"); list != nullptr && list->is_array())
    for (json& one : document["contestants"]) rename(one, "candidate", "variant");
  return document;
}

}  // namespace

recommendation read_recommendation(const nlohmann::ordered_json& document) {
  const std::string schema = text(&document, "schema");
  if (schema == "sparsmith.recommend/1") return read_recommendation(upgraded(document));
  if (schema != "sparsmith.recommend/2") refuse(fmt::format("its schema is `{}`", schema));
  recommendation r;
  r.name = text(member(&document, "matrix"), "name");
  const json* const machine = member(&document, "machine");
  r.machine = machine_of(machine, text(&document, "version"));
  r.rates = rates_of(member(machine, "rates"));
  const json* const features = member(&document, "features");
  r.features.rows = whole<std::int64_t>(features, "rows");
  r.features.cols = whole<std::int64_t>(features, "cols");
  r.features.entries = whole<std::int64_t>(features, "entries");
  const json* const lengths = member(features, "row_lengths");
  r.features.row_lengths.mean = known(lengths, "mean");
  r.features.row_lengths.variation = known(lengths, "variation");
  r.features.row_lengths.lengths.most = whole<std::int64_t>(lengths, "max");
  const json* const request = member(&document, "request");
  r.wanted = objective_of(request);
  r.budget_seconds = known(request, "budget_s");
  r.exhaustive = yes(request, "exhaustive");
  r.seconds = known(&document, "seconds");
  for_each_in(&document, "steps", [&](const json* step) {
    r.steps.push_back({text(step, "name"), known(step, "seconds")});
  });
  r.found = results_of(&document);
  r.found.vectors = r.wanted.vectors;
  const json* const model = member(&document, "model");
  r.model.share = known(model, "record");
  r.model.strangers = known(model, "strangers");
  r.model.machine = text(model, "machine");
  const json* const near = member(model, "near");
  r.model.near = static_cast<int>(known(near, "matrices"));
  r.model.near_median = known(near, "median");
  r.model.near_worst = known(near, "worst");
  r.top = static_cast<int>(known(model, "top"));
  return r;
}

}  // namespace sparsmith
