// Lines of results.jsonl made by hand, with times that are easy to reckon with.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/batch/sha256.hpp"

namespace made {

using json = nlohmann::ordered_json;

inline json base_line(const std::string& name) {
  return {{"schema", "sparsmith.batch/1"},
          {"version", "0.2.0"},
          {"key", sparsmith::sha256_of(name).substr(0, 32)},
          {"name", name},
          {"source", {{"path", "m/" + name}, {"kind", "file"}, {"bytes", 10}, {"content", nullptr}}},
          {"options",
           {{"analyze", true},
            {"recommend", true},
            {"predict", false},
            {"mix", {{"ax", 0.5}, {"atx", 0.5}}},
            {"caches", "cold"},
            {"value", "auto"},
            {"budget_s", nullptr},
            {"threads", nullptr},
            {"backend", "cuda"}}},
          {"result", "ok"},
          {"failure", nullptr},
          {"not_raced", nullptr},
          {"matrix",
           {{"rows", 100}, {"cols", 200}, {"entries", 1000}, {"field", "real"}, {"origin", "Matrix Market"}}},
          {"node", "n1"},
          {"started", "2026-01-31T12:00:00Z"},
          {"seconds", 2.5},
          {"waited_s", 0.5},
          {"stages", json::array()},
          {"memory_peak", 1000000},
          {"analysis", nullptr},
          {"recommendation", nullptr}};
}

inline json failed_line(const std::string& name, const std::string& cause, const std::string& message) {
  json line = base_line(name);
  line["result"] = "failed";
  line["failure"] = {
      {"stage", "reading"}, {"cause", cause}, {"message", message}, {"signal", nullptr}, {"output", ""}};
  line["matrix"] = nullptr;
  return line;
}

inline json features(double entries = 1000) {
  return {
      {"schema", "sparsmith.features/1"},
      {"rows", 100},
      {"cols", 200},
      {"entries", entries},
      {"density", 0.05},
      {"symmetry", {{"pattern_share", 0.25}, {"values_share", 0.125}}},
      {"row_lengths", {{"mean", 10.0}, {"max", 40}, {"variation", 0.75}, {"gini", 0.5}, {"empty", 3}}},
      {"structure",
       {{"lower_bandwidth", 7},
        {"upper_bandwidth", 9},
        {"diagonals", 17},
        {"next_column_share", 0.5},
        {"row_below_share", 0.25}}},
      {"formats", json::array({{{"format", "csr"}, {"parameters", ""}, {"bytes", 1000}},
                               {{"format", "ell"}, {"parameters", "width 5"}, {"bytes", 3000}}})},
      {"grid", {{"rows", 3}, {"cols", 5}, {"counts", {100, 10, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 100}}}}};
}

inline json analysed_line(const std::string& name) {
  json line = base_line(name);
  line["options"]["recommend"] = false;
  line["analysis"] = features();
  return line;
}

inline json timed(double us) {
  return {{"median_us", us}, {"p10_us", 0.9 * us}, {"p90_us", 1.2 * us},
          {"low_us", us},    {"high_us", us},      {"samples", 30}};
}

struct kernel {
  std::size_t variant;
  std::string name, operation;
  double cold_us = 0, predicted_us = 0;  // 0: not measured, not predicted
  bool vendor = false;
  std::string result = "ok";
};

inline json contestant(const kernel& k) {
  const bool ran = k.cold_us > 0;
  return {{"variant", k.variant},
          {"kernel", k.name},
          {"operation", k.operation},
          {"result", k.result},
          {"vendor", k.vendor},
          {"repeatable", true},
          {"warm", ran ? timed(k.cold_us / 2) : json(nullptr)},
          {"cold", ran ? timed(k.cold_us) : json(nullptr)},
          {"prepare_ms", ran ? json(0.25) : json(nullptr)},
          {"error_of_bound", ran ? json(0.125) : json(nullptr)},
          {"predicted",
           {{"warm_us", k.predicted_us > 0 ? json(k.predicted_us / 2) : json(nullptr)},
            {"cold_us", k.predicted_us > 0 ? json(k.predicted_us) : json(nullptr)}}},
          {"gb_per_s_actual", ran ? json(100.0) : json(nullptr)},
          {"share_of_copy", ran ? json(0.5) : json(nullptr)},
          {"left", k.result == "left" ? json("after 2 samples at 3.00 x the leader") : json(nullptr)},
          {"not_run", k.result == "not run" ? json("it has no product with A^T") : json(nullptr)},
          {"wrong", nullptr},
          {"winner", false},
          {"tie", false}};
}

// Of a matrix with 100 rows, in double precision.
inline double csr_bytes(double entries) {
  return 12 * entries + 4 * 101;
}

inline json variant(const std::string& format, const std::string& note, double times_csr,
                    const char* refused = nullptr, bool of_transpose = false, double entries = 1000) {
  const bool given = format == "csr" && !of_transpose;  // nothing is converted
  return {{"format", format},
          {"label", note.empty() ? format : format + " " + note},
          {"note", note},
          {"of_transpose", of_transpose},
          {"bytes", std::llround(times_csr * csr_bytes(entries))},
          {"times_csr", times_csr},
          {"convert_ms", refused == nullptr ? json(given ? 0 : 1.5) : json(nullptr)},
          {"refused", refused == nullptr ? json(nullptr) : json(refused)},
          {"not_tried", nullptr}};
}

// Nobody took the time of these contestants.
inline void take_times_away(json& contestant) {
  contestant["warm"] = contestant["cold"] = nullptr;
  contestant["result"] = "not run";
  contestant["left"] = nullptr;
  contestant["not_run"] = "the race ended before it was timed";
}

// A race of CSR, SELL and ELL on a GPU, with a mix of half and half. CSR takes 20 µs with our kernels and 16
// with the vendor's, 8 from two copies; SELL 10 and 11, ELL 30 and left early; GCSB was not tried. The model
// would take SELL too. SELL is repaid after 250 products: 1.5 ms for 6 µs.
inline json raced_line(const std::string& name, double entries = 1000) {
  json line = base_line(name);
  line["matrix"]["entries"] = entries;
  json r = {{"schema", "sparsmith.recommend/2"},
            {"matrix",
             {{"rows", 100}, {"cols", 200}, {"entries", entries}, {"value_bits", 64}, {"offset_bits", 32}}},
            {"machine",
             {{"backend", "cuda"},
              {"device", "NVIDIA H200"},
              {"driver", "580"},
              {"toolkit", "CUDA 13.0"},
              {"threads", 16}}},
            {"request", {{"mix", {{"ax", 0.5}, {"atx", 0.5}}}, {"regime", "cold"}}},
            {"predicted", false},
            {"interrupted", false},
            {"out_of_time", false},
            {"features", features(entries)}};
  const auto made = [&](const char* format, const char* note, double times_csr, const char* refused = nullptr,
                        bool of_transpose = false) {
    return variant(format, note, times_csr, refused, of_transpose, entries);
  };
  r["variants"] = json::array({made("csr", "", 1), made("sell", "32 x 1024", 1.25),
                               made("sell", "32 x 1", 1.5), made("ell", "", 3),
                               made("gcsb", "beta 32", 0.75, "not tried: predicted at 6 x the leader"),
                               made("csr", "", 1, nullptr, true)});
  r["contestants"] = json::array();
  for (const kernel& k : std::vector<kernel>{{0, "csr/vector", "ax", 10, 12},
                                             {0, "csr/vector", "atx", 30, 24},
                                             {0, "cusparse/csr", "ax", 8, 9, true},
                                             {0, "cusparse/csr", "atx", 24, 20, true},
                                             {1, "sell/slice", "ax", 6, 5},
                                             {1, "sell/slice", "atx", 14, 15},
                                             {2, "sell/slice", "ax", 7, 7},
                                             {2, "sell/slice", "atx", 15, 16},
                                             {3, "ell/row", "ax", 20, 18, false, "left"},
                                             {3, "ell/row", "atx", 40, 30, false, "left"},
                                             {5, "cusparse/csr", "atx", 8, 7, true}})
    r["contestants"].push_back(contestant(k));
  // Of a verdict, reports take the words alone.
  r["verdict"] = {{"format", "sell"},
                  {"copies", json::array({"sell 32 x 1024"})},
                  {"kernels", {{"ax", "sell/slice"}, {"atx", "sell/slice"}}},
                  {"reason", "a product moves 0.5 x the bytes of csr/vector; it stores no padding"},
                  {"spconv", "spconv m.mtx --to sell"}};
  line["recommendation"] = std::move(r);
  return line;
}

// The same with SELL four times as slow, so that CSR wins: with the vendor's kernels, or ours where there are
// none of the vendor's.
inline json csr_line(const std::string& name, bool vendor) {
  json line = raced_line(name);
  json& r = line["recommendation"];
  for (json& one : r["contestants"]) {
    if (one["variant"] == 1 || one["variant"] == 2)
      one["cold"] = timed(4 * one["cold"]["median_us"].get<double>());
    if (!vendor && one["vendor"] == true) take_times_away(one);
  }
  const char* const winner = vendor ? "cusparse/csr" : "csr/vector";
  json& v = r["verdict"];
  v["format"] = "csr";
  v["copies"] = json::array({"csr"});
  v["kernels"] = {{"ax", winner}, {"atx", winner}};
  return line;
}

inline json predicted_line(const std::string& name) {
  json line = raced_line(name);
  line["options"]["predict"] = true;
  json& r = line["recommendation"];
  r["predicted"] = true;
  for (json& one : r["contestants"]) {
    one["result"] = "predicted";
    one["left"] = one["warm"] = one["cold"] = nullptr;
  }
  return line;
}

}  // namespace made
