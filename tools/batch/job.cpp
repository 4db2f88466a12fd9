#include "tools/batch/job.hpp"

#include "analyze/recommend/standing.hpp"
#include "tools/batch/sha256.hpp"

namespace sparsmith {

json options_as_json(const batch_options& options) {
  const double sum = options.mix[0] + options.mix[1];
  json told = {{"analyze", options.analyze},
               {"recommend", options.recommend},
               {"predict", options.predict},
               {"mix", {{"ax", options.mix[0] / sum}, {"atx", options.mix[1] / sum}}},
               {"caches", options.warm ? "warm" : "cold"},
               {"value", !options.single_values   ? "auto"
                         : *options.single_values ? "f32"
                                                  : "f64"},
               {"budget_s", options.budget > 0 ? json(options.budget) : json()},
               {"threads", options.threads > 0 ? json(options.threads) : json()},
               {"backend", options.backend}};
  // Only where it is asked for: other results keep the keys they had.
  if (options.one_pass) told["one_pass"] = short_name(*options.one_pass);
  return told;
}

batch_options options_from_json(const json& options) {
  batch_options result;
  result.analyze = options.at("analyze");
  result.recommend = options.at("recommend");
  result.predict = options.at("predict");
  result.mix = {options.at("mix").at("ax"), options.at("mix").at("atx")};
  for (const operation op : {operation::both, operation::normal})
    if (options.contains("one_pass") && options.at("one_pass") == short_name(op)) result.one_pass = op;
  result.warm = options.at("caches") == "warm";
  if (options.at("value") != "auto") result.single_values = options.at("value") == "f32";
  if (!options.at("budget_s").is_null()) result.budget = options.at("budget_s");
  if (!options.at("threads").is_null()) result.threads = options.at("threads");
  result.backend = options.at("backend");
  return result;
}

std::string key_of(const std::string& content, const json& options) {
  return sha256_of(content + "\n" + options.dump()).substr(0, 32);
}

}  // namespace sparsmith
