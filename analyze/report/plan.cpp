#include "analyze/report/plan.hpp"

#include <nlohmann/json.hpp>

#include "analyze/report/describe.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith {
namespace {

// What a price is of; where more than its matrix is needed, the flag that gives it.
std::string parameters_text(const format_cost& cost, digits shown) {
  const bool flag_helps = !cost.possible() && cost.wide_offsets;
  return describe_in_one_line(cost, shown) + (flag_helps ? " (--offsets 64)" : "");
}

}  // namespace

std::string plan_as_text(const std::vector<format_cost>& prices, std::int64_t csr_bytes, int width) {
  std::vector<table_line> lines = {{"plan", "bytes", "x CSR", "fill", "peak"}};
  std::vector<std::string> notes = {""};
  for (const format_cost& cost : prices) {
    const std::string& name = name_of(cost.format);
    std::string parameters = parameters_text(cost, digits::grouped);
    if (cost.possible() && !cost.allowed)
      parameters += parameters.empty() ? "above --max-fill" : ", above --max-fill";
    notes.push_back(parameters);
    const double over_csr =
        csr_bytes == 0 ? 1 : static_cast<double>(cost.bytes) / static_cast<double>(csr_bytes);
    if (cost.possible())
      lines.push_back({name, format_bytes(cost.bytes), three_decimals(over_csr), three_decimals(cost.fill),
                       format_bytes(cost.peak_bytes)});
    else
      lines.push_back({name, "-", "-", "-", "-"});
  }
  return text_table(lines, width, notes);
}

nlohmann::ordered_json plan_as_json(const std::vector<format_cost>& prices) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const format_cost& cost : prices)
    list.push_back({{"format", name_of(cost.format)},
                    {"parameters", parameters_text(cost, digits::plain)},
                    {"bytes", cost.bytes},
                    {"slots", cost.slots},
                    {"fill", cost.fill},
                    {"peak_bytes", cost.peak_bytes},
                    {"allowed", cost.allowed},
                    {"exact", cost.exact}});
  return list;
}

}  // namespace sparsmith
