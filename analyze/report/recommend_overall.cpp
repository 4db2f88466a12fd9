#include "analyze/report/recommend_overall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/report/text.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;

overall_vendor beside_vendor(const std::vector<recommendation>& all) {
  overall_vendor ratios;
  for (const recommendation& r : all) add_ratios(r.found, r.wanted.warm, ratios);
  return ratios;
}

format_ratios beside_base(const std::vector<recommendation>& all) {
  format_ratios ratios;
  for (const recommendation& r : all) add_ratios(r.found, r.wanted.warm, ratios);
  return ratios;
}

std::string counted(std::size_t matrices) {
  return fmt::format("{} {}", matrices, matrices == 1 ? "matrix" : "matrices");
}

std::string vendor_as_text(const std::vector<recommendation>& all, std::size_t asked, int width) {
  const overall_vendor ratios = beside_vendor(all);
  std::vector<table_line> lines = {{"ours: the vendor's", "mean", "worst", "ahead on"}};
  const auto add = [&](const std::string& what, const overall& o) {
    if (o.measured > 0)
      lines.push_back(
          {what, fmt::format("{:.3f}", o.mean()), fmt::format("{:.3f}", o.worst),
           fmt::format("{}/{} {:.0f} %", o.ahead, asked, 100.0 * o.ahead / static_cast<double>(asked))});
  };
  for (std::size_t i = 0; i < vendor_comparisons.size(); ++i)
    add(vendor_comparisons[i].words, ratios.best[i]);
  for (const auto& [format, o] : ratios.in_format) add(fmt::format("{0} A x: {0}", name_of(format)), o);
  if (lines.size() == 1) return "";
  return wrapped("",
                 fmt::format("how many times as fast the best of ours is as the vendor's, both products from "
                             "one copy of ours, over {}: geometric mean, worst, ahead on",
                             counted(asked)),
                 2, width) +
         text_table(lines, width);
}

std::string formats_as_text(const std::vector<recommendation>& all, std::size_t asked, int width) {
  std::vector<table_line> lines = {{"format", "A x", "A^T x", "both"}};
  for (const auto& [format, ratios] : beside_base(all)) {
    lines.push_back({name_of(format)});
    for (const overall& o : ratios)
      lines.back().push_back(
          o.measured == 0 ? "-" : fmt::format("{:.3f} {:.3f} {}/{}", o.mean(), o.worst, o.ahead, asked));
  }
  if (lines.size() == 1) return "";
  return wrapped("",
                 fmt::format("how many times as fast the best of ours in each format is as the baseline in "
                             "CSR, over {}: geometric mean, worst, ahead on",
                             counted(asked)),
                 2, width) +
         text_table(lines, width);
}

json described(const overall& o, std::size_t asked) {
  if (o.measured == 0) return nullptr;
  return {{"geometric_mean", o.mean()},
          {"worst", o.worst},
          {"ahead", o.ahead},
          {"measured", o.measured},
          {"matrices", asked}};
}

}  // namespace

std::string overall_as_text(const std::vector<recommendation>& all, std::size_t asked, int width) {
  width = std::max(width, 40);
  std::string text = asked > 1 ? formats_as_text(all, asked, width) : "";
  const std::string vendor = vendor_as_text(all, asked, width);
  return text + (text.empty() || vendor.empty() ? "" : "\n") + vendor;
}

json overall_as_json(const std::vector<recommendation>& all, std::size_t asked) {
  if (all.empty()) return nullptr;
  const overall_vendor beside = beside_vendor(all);
  json formats = json::object(), over = json::object(), same = json::object();
  for (const auto& [format, ratios] : beside_base(all))
    formats[name_of(format)] = {{"ax", described(ratios[0], asked)},
                                {"atx", described(ratios[1], asked)},
                                {"pair", described(ratios[2], asked)}};
  for (std::size_t i = 0; i < vendor_comparisons.size(); ++i)
    over[vendor_comparisons[i].name] = described(beside.best[i], asked);
  for (const auto& [format, o] : beside.in_format) same[name_of(format)] = described(o, asked);
  over["ax_in_format"] = std::move(same);
  return {{"formats", std::move(formats)}, {"over_vendor", std::move(over)}};
}

}  // namespace sparsmith
