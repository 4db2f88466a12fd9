// Everything that was found, on a page: who left and why, and the results of all.
#include "analyze/report/recommend_page_parts.hpp"

#include <fmt/format.h>

#include "analyze/report/columns.hpp"

namespace sparsmith::recommendation_page_parts {

using namespace html;

namespace {

std::string standing_text(const verdict& v, const listed_contestant& c) {
  if (c.how == standing::wrong) return "<b>wrong</b>";
  if (c.how == standing::not_run) return name_of(c.how);
  if (runs(v.winner, c)) return "<b>recommended</b>";
  if (is_tied(v, c)) return "tied";
  return c.how == standing::ok ? "stayed" : name_of(c.how);
}

// Where nothing was run, there are fewer.
std::vector<column<ranked_contestant>> result_columns(const recommendation& r, const verdict& v) {
  using row = ranked_contestant;
  const bool predicted = r.found.predicted, warm = r.wanted.warm;
  std::vector<column<row>> all = {
      {"contestant", [](const row& one) { return prose(name_on_page(one.who)); }},
      {"product", [](const row& one) { return name_of_product(one.who.contestant->op); }},
      {"standing", [&v](const row& one) { return standing_text(v, one.who); }},
      {predicted ? "predicted" : "median", [](const row& one) { return time_cell(one.time.seconds); }}};
  const auto add = [&](const char* heading, auto cell) {
    all.push_back(
        {heading, [cell](const row& one) { return cell(one, *one.who.variant, *one.who.contestant); }});
  };
  using variant = const variant_result&;
  using contestant = const contestant_result&;
  if (!predicted) {
    add("p10–p90", [](const row& one, variant, contestant) {
      const auto& [seconds, low, high, samples] = one.time;
      return samples > 1 ? sortable(low, time_range_on_page(low, high)) : dash;
    });
    add("samples", [](const row& one, variant, contestant) {
      const int samples = one.time.samples;
      return samples > 0 ? sortable(samples, std::to_string(samples)) : dash;
    });
    if (!warm) add("warm", [](const row&, variant, contestant k) { return time_cell(k.time.warm.median); });
    add("expected", [warm](const row&, variant, contestant k) {
      return time_cell(warm ? k.expected.warm : k.expected.cold);
    });
    add("× base", [warm](const row&, variant f, contestant k) {
      const double base = k.timed() ? f.base_of(k.op).deciding(warm).median : 0;
      const double ratio = base / k.time.deciding(warm).median;
      return base > 0 ? sortable(ratio, ratio_text(ratio)) : dash;
    });
  }
  add("bytes × CSR",
      [&r](const row&, variant f, contestant) { return f.bytes > 0 ? bytes_over_csr(r, f.bytes) : dash; });
  add("convert", [&r](const row&, variant f, contestant) {
    const bool stays = f.format == format_kind::csr && !f.of_transpose;
    return stays ? dash : time_cell(conversion_seconds(r.found, f));
  });
  add("prepare", [](const row&, variant, contestant k) { return time_cell(k.prepare_seconds); });
  add("same bits",
      [](const row&, variant, contestant k) { return std::string(k.info.repeatable(k.op) ? "yes" : "no"); });
  if (!predicted)
    add("error", [](const row&, variant, contestant k) {
      return k.timed() ? sortable(k.error, rounded_percent(k.error)) : dash;
    });
  return all;
}

}  // namespace

std::string departures_card(const recommendation& r) {
  std::vector<cells> rows;
  for (const auto& [who, operations] : departures_of(r.found)) {
    std::vector<std::string> products;
    for (const operation op : operations) products.push_back(name_of_product(op));
    rows.push_back({prose(name_on_page(who)), products.empty() ? dash : joined(products, ", "),
                    who.how == standing::wrong ? "<b>wrong</b>" : name_of(who.how), prose(who.reason)});
  }
  if (rows.empty())
    return "<div class=\"card\"><p>Nobody: every contestant stayed to the end, and all of them were "
           "right.</p>"
           "</div>\n";
  return "<div class=\"card departures sorted\">" +
         table(r.found.predicted ? "Who was not considered" : "Who left the race, when and why",
               {"contestant", "product", "what", "when and why"}, rows) +
         "</div>\n";
}

std::string results_card(const recommendation& r, const verdict& v) {
  const bool predicted = r.found.predicted, both_regimes = !predicted && !r.wanted.warm;
  const std::vector<column<ranked_contestant>> columns = result_columns(r, v);
  std::vector<cells> rows;
  for (const operation op : all_operations)
    for (const ranked_contestant& one : ranking_of(r, op)) rows.push_back(cells_of(columns, one));
  if (rows.empty()) return "";
  std::string text = "Times are of runs with " + std::string(r.wanted.warm ? "warm" : "cold") + " caches" +
                     (both_regimes ? ", but those in the column “warm”." : ".");
  std::vector<std::string> bases;
  for (const operation op : plain_operations)
    if (!r.found.base_name(op).empty())
      bases.push_back(prose(r.found.base_name(op)) + " for " + name_of_product(op));
  if (!predicted && !bases.empty())
    text += " × base: how many times as fast as " + joined(bases, ", ") + " in the same rounds.";
  if (!predicted) text += " Error: the largest, as a share of what rounding may do.";
  return "<div class=\"card results sorted\"><p>" + text + "</p>" +
         table(predicted ? "All predictions" : "All results", headings_of(columns), rows) + "</div>\n";
}

}  // namespace sparsmith::recommendation_page_parts
