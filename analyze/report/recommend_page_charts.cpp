// The charts on a page: the figures with their tables, and the data from which the script draws them.
#include "analyze/report/recommend_page_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/report/json_values.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith::recommendation_page_parts {

using namespace html;

namespace {

const char* chart_of_times(operation op) {
  constexpr std::array names = {"times_multiply", "times_transposed", "times_both", "times_normal"};
  return names[static_cast<std::size_t>(op)];
}

constexpr std::size_t shown_at_first = 20;

// Only those that have a time, which stand first.
std::vector<ranked_contestant> timed(const recommendation& r, operation op) {
  std::vector<ranked_contestant> all = ranking_of(r, op);
  std::erase_if(all, [](const ranked_contestant& one) { return one.time.seconds <= 0; });
  return all;
}

std::string times_figure(const recommendation& r, std::size_t matrix, operation op) {
  const std::vector<ranked_contestant> all = timed(r, op);
  if (all.empty()) return "";
  std::vector<cells> rows;
  for (const auto& [who, time] : all)
    rows.push_back({prose(name_on_page(who)), time_on_page(time.seconds),
                    time.samples > 1 ? time_on_page(time.low) : dash,
                    time.samples > 1 ? time_on_page(time.high) : dash,
                    time.samples > 0 ? std::to_string(time.samples) : dash});
  const std::size_t shown = std::min(all.size(), shown_at_first);
  std::string plots = canvas(matrix, chart_of_times(op),
                             fmt::format("{} of every contestant for {}",
                                         r.found.predicted ? "Predicted time" : "Time", name_of(op)),
                             6 + shown * 3 / 2);
  if (all.size() > shown)
    plots += fmt::format(
        "<p class=\"more\"><button type=\"button\" data-matrix=\"{}\" data-more=\"{}\">Show all "
        "{}</button></p>\n",
        matrix, chart_of_times(op), all.size());
  const std::string text =
      r.found.predicted
          ? fmt::format("What the model expects of {} contestants.", all.size())
          : fmt::format(
                "Medians of {} contestants; whiskers from the 10th to the 90th percentile.{}", all.size(),
                std::any_of(all.begin(), all.end(),
                            [](const ranked_contestant& one) { return one.who.how == standing::left; })
                    ? " Pale: it left the race early, with fewer samples."
                    : "");
  return figure(
      name_of_product(op) + (is_plain(op) ? "" : ", in one pass"), text, plots,
      table(fmt::format("{} for {}", r.found.predicted ? "Predicted time" : "Time", name_of(op)),
            {"contestant", r.found.predicted ? "predicted" : "median", "p10", "p90", "samples"}, rows));
}

std::string reigns_text(const std::vector<way>& ways, const char* unit) {
  const std::vector<reign> reigns = reigns_of(ways);
  std::vector<std::string> parts;
  std::int64_t told = 0;  // numbers of products so far
  for (std::size_t i = 0; i < reigns.size(); ++i) {
    const std::string name = "<b>" + prose(label_of(*reigns[i].best)) + "</b>";
    if (i + 1 == reigns.size()) {
      parts.push_back(name +
                      (parts.empty() ? fmt::format(" for any number of {}s", unit) : " from there on"));
      break;
    }
    const auto last = static_cast<std::int64_t>(std::min(reigns[i + 1].from, 1e15));
    if (last <= told) continue;  // it begins and ends between two whole numbers
    parts.push_back(fmt::format("{} up to {}", name, with_commas(last)));
    told = last;
  }
  return "Least in total: " + joined(parts, ", ") + ".";
}

std::string totals_figure(const recommendation& r, const verdict& v, std::size_t matrix) {
  const std::vector<way> ways = plain_ways(r), compared = compared_ways(v, ways);
  if (compared.size() < 2) return "";
  const way* const stay = staying_among(ways);
  std::vector<cells> rows;
  for (const way& w : compared) {
    cells& line = rows.emplace_back(
        cells{prose(label_of(w)), prose(w.names()), w.price > 0 ? time_on_page(w.price) : dash,
              time_on_page(w.seconds),
              stay == nullptr || w == *stay ? dash : products_text(repaid_after(w, *stay))});
    for (const double products : {1.0, 1e2, 1e4, 1e6})
      line.push_back(time_on_page(total_seconds(w, products)));
  }
  const auto choice = [&](const char* kind, const char* label, bool checked) {
    return fmt::format(
        "<label><input type=\"radio\" name=\"totals-{0}\" value=\"{1}\" data-matrix=\"{0}\"{2}> {3}"
        "</label>",
        matrix, kind, checked ? " checked" : "", label);
  };
  const std::string choices = stay == nullptr ? ""
                                              : "<fieldset class=\"switch\"><legend>Time</legend>" +
                                                    choice("ratio", "against staying in CSR", true) +
                                                    choice("seconds", "in seconds", false) + "</fieldset>\n";
  const std::string unit = r.wanted.unit();
  return figure(
      fmt::format("{} against the number of {}s", r.found.predicted ? "Predicted total time" : "Total time",
                  unit),
      fmt::format("Converting and preparing, then so many {}s. Rings: from there on it is ahead of staying "
                  "in CSR. {}",
                  unit, reigns_text(ways, r.wanted.unit())),
      choices + canvas(matrix, "totals",
                       fmt::format("Total time over the number of {}s, a line for each format", unit), 26),
      table("Total time",
            {"format", "kernels", "price", "per " + unit, "ahead of CSR after", "1 " + unit, "100", "10,000",
             "1,000,000"},
            rows));
}

std::string bytes_figure(const recommendation& r, const verdict& v, std::size_t matrix) {
  const std::vector<bytes_and_time> all = bytes_and_times_of(r, v);
  if (all.size() < 2) return "";
  std::vector<cells> rows;
  for (const bytes_and_time& p : all)
    rows.push_back({prose(label_of(p.taken)), prose(p.taken.names()), format_bytes(p.taken.bytes),
                    bytes_over_csr(r, p.taken.bytes), time_on_page(p.taken.seconds),
                    p.on_frontier ? "yes" : "no"});
  return figure(
      r.found.predicted ? "Bytes against predicted time" : "Bytes against time",
      "The best of every stored format. Nothing is both smaller and faster than what the line joins.",
      canvas(matrix, "bytes",
             fmt::format("Bytes against time per {}, a point for each format", r.wanted.unit()), 26),
      table("Bytes and time, the smallest first",
            {"format", "kernels", "bytes", "× CSR", std::string("per ") + r.wanted.unit(), "on the line"},
            rows));
}

json times_for_chart(const recommendation& r, const verdict& v, operation op) {
  json list = json::array();
  for (const auto& [who, time] : timed(r, op))
    list.push_back({{"name", name_on_page(who)},
                    {"role", name_of(role_of(v, who))},
                    {"early", who.how == standing::left},
                    {"seconds", number_or_null(time.seconds)},
                    {"low", number_or_null(time.low)},
                    {"high", number_or_null(time.high)},
                    {"samples", time.samples}});
  return list;
}

}  // namespace

std::string charts(const recommendation& r, const verdict& v, std::size_t matrix) {
  std::string times;
  for (const operation op : all_operations) times += times_figure(r, matrix, op);
  std::string html;
  if (!times.empty())
    html += fmt::format(
        "<h3>{}</h3>\n<div class=\"cards wide\">{}</div>\n",
        r.found.predicted ? "Predicted time of each contestant" : "Time of each contestant with its spread",
        times);
  const std::string trades = totals_figure(r, v, matrix) + bytes_figure(r, v, matrix);
  if (!trades.empty())
    html += "<h3>What it costs and when it pays</h3>\n<div class=\"cards wide\">" + trades + "</div>\n";
  return html;
}

json chart_data(const recommendation& r, const verdict& v) {
  const std::vector<way> ways = plain_ways(r);
  const way* const stay = staying_among(ways);
  json totals = json::array(), bytes = json::array();
  for (const way& w : compared_ways(v, ways))
    totals.push_back(
        {{"format", label_of(w)},
         {"kernels", w.names()},
         {"role", name_of(role_of(v, w))},
         {"stays", w.stays_in_csr()},
         {"price", number_or_null(w.price)},
         {"seconds", number_or_null(w.seconds)},
         {"crossing", stay == nullptr ? json(nullptr) : number_or_null(repaid_after(w, *stay))}});
  for (const bytes_and_time& p : bytes_and_times_of(r, v))
    bytes.push_back({{"format", label_of(p.taken)},
                     {"kernels", p.taken.names()},
                     {"role", name_of(role_of(v, p.taken))},
                     {"bytes", number_or_null(times_csr(r.found, p.taken.bytes))},
                     {"seconds", number_or_null(p.taken.seconds)},
                     {"frontier", p.on_frontier}});
  json data = {{"name", r.name}, {"predicted", r.found.predicted}, {"first", shown_at_first}};
  data["unit"] = r.wanted.unit();
  for (const operation op : all_operations)
    if (is_plain(op) || r.wanted.one_pass == op) data[chart_of_times(op)] = times_for_chart(r, v, op);
  data["totals"] = std::move(totals);
  data["bytes"] = std::move(bytes);
  return data;
}

}  // namespace sparsmith::recommendation_page_parts
