// Where and how it was found, on a page: the machine, what was asked for, and what the time went into.
#include "analyze/report/recommend_page_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sparsmith::recommendation_page_parts {

using namespace html;

namespace {

std::string machine_tables(const recommendation& r) {
  const machine_description& m = r.machine;
  std::vector<cells> rows = {{"device", escaped(m.device)}, {"backend", escaped(m.backend)}};
  const auto add = [](std::vector<cells>& to, const char* name, bool known, const std::string& text) {
    if (known) to.push_back({name, text});
  };
  add(rows, "driver", !m.driver.empty(), escaped(m.driver));
  add(rows, "toolkit", !m.toolkit.empty(), escaped(m.toolkit));
  add(rows, "code for", !m.code.empty(), escaped(m.code));
  add(rows, "which was", !m.code_doubt.empty(), escaped(m.code_doubt));
  add(rows, "vendor’s library", !m.vendor.empty(), escaped(m.vendor));
  add(rows, "clock", m.clock_mhz > 0, four_digits(m.clock_mhz) + "&nbsp;MHz");
  add(rows, "memory clock", m.memory_clock_mhz > 0, four_digits(m.memory_clock_mhz) + "&nbsp;MHz");
  add(rows, "threads", m.threads > 0, std::to_string(m.threads));
  add(rows, "Sparsmith", !m.version.empty(), escaped(m.version));

  const machine_rates& rates = r.rates;
  std::vector<cells> speeds;
  add(speeds, "copy, read plus written", rates.copy_bytes > 0, giga(rates.copy_bytes) + "&nbsp;GB/s");
  add(speeds, "reading", rates.read_bytes > 0, giga(rates.read_bytes) + "&nbsp;GB/s");
  add(speeds, "reading from the cache", rates.cached_read_bytes > 0,
      giga(rates.cached_read_bytes) + "&nbsp;GB/s");
  add(speeds, "random reads", rates.gathers > 0, giga(rates.gathers) + "&nbsp;G/s");
  add(speeds, "random reads from the cache", rates.cached_gathers > 0,
      giga(rates.cached_gathers) + "&nbsp;G/s");
  add(speeds, "atomic additions", rates.atomics > 0, giga(rates.atomics) + "&nbsp;G/s");
  add(speeds, "contended atomic additions", rates.contended_atomics > 0,
      giga(rates.contended_atomics) + "&nbsp;G/s");
  add(speeds, "starting a kernel", rates.launch_seconds > 0, time_on_page(rates.launch_seconds));
  add(speeds, "last-level cache", rates.cache_bytes > 0, format_bytes(rates.cache_bytes));
  add(speeds, m.backend == "cuda" ? "multiprocessors" : "processors", rates.processors > 0,
      std::to_string(rates.processors));
  return "<div class=\"card\">" + table("Machine", {}, rows) + "</div>\n" +
         (speeds.empty() ? "" : "<div class=\"card\">" + table("What it can do", {}, speeds) + "</div>\n");
}

std::string request_table(const recommendation& r) {
  const objective& wanted = r.wanted;
  std::vector<std::string> products;
  if (wanted.one_pass)
    products.push_back(name_of_product(*wanted.one_pass) + ", in one pass or as two products");
  for (const operation op : plain_operations)
    if (!wanted.one_pass && wanted.asks_for(op))
      products.push_back(
          fmt::format("{} × {:g}", name_of_product(op), wanted.weights[static_cast<std::size_t>(op)]));
  return "<div class=\"card\">" +
         table("What was asked for", {},
               {{"products", joined(products, ", ")},
                {"vectors at once", wanted.vectors.count == 1 ? "one"
                                                              : fmt::format("{}, {}", wanted.vectors.count,
                                                                            wanted.vectors.in_words())},
                {"conversion", wanted.products > 0 ? fmt::format("spread over {} {}s",
                                                                 whole_number(wanted.products), wanted.unit())
                                                   : "not counted"},
                {"caches", wanted.warm ? "warm" : "cold"},
                {"same bits every time", wanted.repeatable ? "required" : "not required"},
                {"memory", wanted.memory > 0 ? "at most " + format_bytes(wanted.memory) : "any amount"},
                {"values",
                 fmt::format("{}{} bits", r.found.complex_values ? "complex, " : "", r.found.value_bits)},
                {"race", r.found.predicted ? "none, predicted only"
                         : r.exhaustive    ? "exhaustive: nobody left early who was not 100 times behind"
                                           : "those far behind leave early"},
                {"time granted", r.budget_seconds > 0 ? granted_on_page(r.budget_seconds) : "any amount"}}) +
         "</div>\n";
}

}  // namespace

std::string spent_text(const recommendation& r) {
  std::vector<std::string> parts;
  for (const step_time& step : r.steps)
    parts.push_back(fmt::format("{} {}", escaped(step.name), time_on_page(step.seconds)));
  std::string text = "It took " + time_on_page(r.seconds);
  if (r.budget_seconds > 0) text += " of " + granted_on_page(r.budget_seconds) + " granted";
  if (!parts.empty()) text += ": " + joined(parts, ", ");
  return "<p class=\"lead\">" + text + ".</p>\n";
}

std::string circumstances(const std::vector<recommendation>& all, const std::vector<std::string>& called) {
  std::vector<std::pair<std::string, std::vector<std::string>>> different;
  for (std::size_t m = 0; m < all.size(); ++m) {
    const std::string tables = machine_tables(all[m]) + request_table(all[m]);
    auto same =
        std::find_if(different.begin(), different.end(), [&](const auto& d) { return d.first == tables; });
    if (same == different.end()) same = different.insert(different.end(), {tables, {}});
    same->second.push_back(escaped(called[m]));
  }
  std::string html;
  for (const auto& [tables, names] : different) {
    if (different.size() > 1) html += "<p class=\"lead\">" + joined(names, ", ") + "</p>\n";
    html += "<div class=\"cards\">" + tables + "</div>\n";
  }
  return html.empty()
             ? ""
             : "<section id=\"circumstances\"><h2>Machine and request</h2>\n" + html + "</section>\n";
}

}  // namespace sparsmith::recommendation_page_parts
