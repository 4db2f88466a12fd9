#include "analyze/report/recommend_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/report/embedded.hpp"
#include "analyze/report/recommend_orders.hpp"
#include "analyze/report/recommend_page_parts.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith {

using namespace html;
using namespace recommendation_page_parts;

namespace {

std::string marks_of(const recommendation& r) {
  std::vector<std::string> marks;
  if (r.found.predicted) marks.push_back("predicted");
  if (r.found.interrupted) marks.push_back("interrupted");
  if (r.found.out_of_time) marks.push_back("out of time");
  return marks.empty() ? "" : " <small>" + joined(marks, ", ") + "</small>";
}

std::string comparison(const std::vector<recommendation>& all, const std::vector<std::string>& called,
                       const std::vector<verdict>& verdicts) {
  const bool vendor = std::any_of(verdicts.begin(), verdicts.end(),
                                  [](const verdict& v) { return static_cast<bool>(v.vendor.one_copy); });
  std::vector<cells> rows;
  for (std::size_t m = 0; m < all.size(); ++m) {
    const recommendation& r = all[m];
    const verdict& v = verdicts[m];
    cells& line = rows.emplace_back(
        cells{fmt::format("<a href=\"#matrix-{}\"{}>{}</a>{}", m + 1, title_of(called[m], r.name),
                          escaped(called[m]), marks_of(r)),
              sortable(static_cast<double>(r.found.rows), with_commas(r.found.rows)),
              sortable(static_cast<double>(r.found.entries), with_commas(r.found.entries))});
    if (!v.winner) {
      line.push_back("nothing");
      line.resize(vendor ? 9 : 8, dash);
      continue;
    }
    const auto against = [&](const way& other) {
      if (!other) return std::string(dash);
      const double ratio = other.seconds / v.winner.seconds;
      return sortable(ratio, ratio_text(ratio));
    };
    line.insert(line.end(),
                {"<b>" + prose(v.winner.names()) + "</b>", time_cell(v.winner.seconds), against(v.stay)});
    if (vendor) line.push_back(against(v.vendor.one_copy));
    line.insert(line.end(), {bytes_over_csr(r, v.winner.bytes),
                             v.winner.stays_in_csr() ? dash
                             : v.repaid_after < 0    ? "never"
                                                  : sortable(v.repaid_after, products_text(v.repaid_after))});
  }
  cells headings = {"matrix", "rows", "entries", "recommended", "time", "× staying in CSR"};
  if (vendor) headings.push_back("× vendor’s best");
  headings.insert(headings.end(), {"bytes × CSR", "repaid after"});
  return "<section id=\"comparison\"><h2>Comparison</h2><div class=\"card sorted\">" +
         table("All matrices", headings, rows) + "<p><small>" +
         (vendor
              ? "× staying in CSR, × vendor’s best: how many times as fast, from one copy; the vendor’s is "
                "in the fastest of its formats."
              : "× staying in CSR: how many times as fast.") +
         "</small></p></div></section>\n";
}

// Each as it is called among the others; in another order with that behind it.
std::vector<std::string> names_of(const std::vector<recommendation>& all) {
  std::vector<std::string> inputs, called;
  for (const recommendation& r : all)
    if (r.order.empty()) inputs.push_back(r.name);
  const std::vector<std::string> names = names_of_inputs(inputs);
  auto next = names.begin();
  for (const recommendation& r : all)
    called.push_back(r.order.empty() ? *next++ : fmt::format("{} in order {}", *(next - 1), r.order));
  return called;
}

// Of a matrix that was raced in several orders, which of them to take; it is at this place as it is.
std::string orders_section(const std::vector<recommendation>& all, const std::vector<verdict>& verdicts,
                           const std::string& called, std::size_t first) {
  std::size_t last = first + 1;
  while (last < all.size() && !all[last].order.empty()) ++last;
  if (last == first + 1) return "";
  const auto part = [&](const auto& of) {
    return std::vector(of.begin() + static_cast<std::ptrdiff_t>(first),
                       of.begin() + static_cast<std::ptrdiff_t>(last));
  };
  const std::vector<recommendation> told = part(all);
  const order_verdict v = order_verdict_of(told, part(verdicts));
  const objective& wanted = told.front().wanted;
  std::string text;
  for (const std::string& said : {(v.unsettled ? "unsettled: " : "") + orders_in_words(v, wanted),
                                  order_price_in_words(v, wanted), ordered_vectors_in_words(v)})
    if (!said.empty()) text += (text.empty() ? "" : " ") + sentence(said);
  std::vector<cells> rows;
  const way& stay = v.orders.front().winner;
  for (std::size_t i = 0; i < v.orders.size(); ++i) {
    const order_result& one = v.orders[i];
    const bool as_it_is = one.order.empty(), ran = static_cast<bool>(one.winner);
    const double ratio = ran && stay ? stay.seconds / one.winner.seconds : 0;
    const double products = order_products(v, one, wanted);
    rows.push_back({fmt::format("<a href=\"#matrix-{}\">{}</a>", first + i + 1, shown_order(one.order)),
                    static_cast<int>(i) == v.taken ? "<b>recommended</b>"
                    : one.tied                     ? "tied"
                    : ran                          ? "slower"
                                                   : "nothing ran",
                    ran ? "<b>" + prose(one.winner.names()) + "</b>" : dash,
                    ran ? time_cell(one.winner.seconds) : dash,
                    ratio > 0 ? sortable(ratio, ratio_text(ratio)) : dash,
                    as_it_is ? dash : time_cell(one.order_seconds),
                    products > 0 ? sortable(products, whole_number(products)) : dash,
                    as_it_is || ratio == 0 ? dash
                    : one.repaid_after < 0 ? "never"
                                           : sortable(one.repaid_after, products_text(one.repaid_after))});
  }
  return fmt::format("<section id=\"orders-{}\"><h2>Orders of {}</h2><p class=\"lead\">{}</p>", first + 1,
                     escaped(called), text) +
         "<div class=\"card sorted\">" +
         table("In every order",
               {"order", "standing", "format and kernels", "time", "× as it is", "ordering",
                fmt::format("in {}s", wanted.unit()), "repaid after"},
               rows) +
         "<p><small>× as it is: how many times as fast. Repaid: ordering and converting, beside the matrix "
         "as it is.</small></p></div></section>\n";
}

std::string section(const recommendation& r, const std::string& called, const verdict& v,
                    std::size_t matrix) {
  const matrix_result& found = r.found;
  const matrix_features& f = r.features;
  std::string lead = fmt::format("{} × {}, {} entries", with_commas(found.rows), with_commas(found.cols),
                                 with_commas(found.entries));
  if (f.row_lengths.lines > 0)
    lead += fmt::format("; rows hold {} to {}, the median {}", with_commas(f.row_lengths.lengths.least),
                        with_commas(f.row_lengths.lengths.most), with_commas(f.row_lengths.lengths.median));
  if (called != r.name) lead += "; from " + escaped(r.name);
  std::string html = fmt::format("<section id=\"matrix-{}\"><h2{}>{}</h2>\n<p class=\"lead\">{}.</p>\n",
                                 matrix + 1, title_of(called, r.name), escaped(called), lead) +
                     verdict_card(r, v);
  if (v.winner)
    html += "<div class=\"cards beneath\">" + reasons_card(v) + alternatives_card(r, v) + "</div>\n" +
            actions_card(r, v) + charts(r, v, matrix);
  return html + "<h3>Everything that was found</h3>\n<div class=\"stack\">" + departures_card(r) +
         results_card(r, v) + "</div>\n" + spent_text(r) + "</section>\n";
}

}  // namespace

std::string recommendation_page(const std::vector<recommendation>& all, const std::vector<verdict>& verdicts,
                                const page_origin& origin) {
  const std::vector<std::string> called = names_of(all);
  std::string body;
  json data = json::array();
  const auto matrices =
      std::count_if(all.begin(), all.end(), [](const recommendation& r) { return r.order.empty(); });
  if (matrices > 1) body += comparison(all, called, verdicts);
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (all[m].order.empty()) body += orders_section(all, verdicts, called[m], m);
    body += section(all[m], called[m], verdicts[m], m);
    data.push_back(chart_data(all[m], verdicts[m]));
  }
  return whole_page(
      {.tool = "sprecommend",
       .title = matrices == 1 ? escaped(called.front()) : fmt::format("{} matrices", matrices),
       .heading = matrices == 1 ? "How to multiply with this matrix" : "How to multiply with these matrices",
       .body = body + circumstances(all, called),
       .origin = origin,
       .styles = {embedded_file("recommend_page.css")},
       .scripts = {embedded_file("recommend_page.js")},
       .data = std::move(data)});
}

}  // namespace sparsmith
