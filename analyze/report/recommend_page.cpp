#include "analyze/report/recommend_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analyze/report/embedded.hpp"
#include "analyze/report/html.hpp"
#include "analyze/report/json_values.hpp"
#include "analyze/report/recommend_actions.hpp"
#include "analyze/report/recommend_figures.hpp"
#include "analyze/report/text.hpp"
#include "convert/backend/memory.hpp"

namespace sparsmith {

using namespace html;

namespace {

using json = nlohmann::ordered_json;

// ---- numbers and names for people ----

struct time_unit {
  double factor;
  const char* name;
};

time_unit unit_for(double seconds) {
  if (seconds < 1e-3) return {1e6, "µs"};
  if (seconds < 1) return {1e3, "ms"};
  return {1, "s"};
}

std::string number_in(time_unit unit, double seconds) {
  const double value = seconds * unit.factor;
  return with_commas(fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0));
}

// Three figures or more.
std::string time_text(double seconds) {
  const time_unit unit = unit_for(seconds);
  return number_in(unit, seconds) + "&nbsp;" + unit.name;
}

std::string time_range(double low, double high) {
  const time_unit unit = unit_for(high);
  return number_in(unit, low) + "–" + number_in(unit, high) + "&nbsp;" + unit.name;
}

std::string ratio_text(double ratio) {
  return with_commas(fmt::format("{:.{}f}", ratio, ratio < 10 ? 2 : ratio < 100 ? 1 : 0));
}

// A number as it sorts, and as it reads.
std::string sortable(double value, const std::string& shown) {
  return fmt::format("<data value=\"{:.6g}\">{}</data>", value, shown);
}

std::string time_cell(double seconds) {
  return seconds > 0 ? sortable(seconds, time_text(seconds)) : "–";
}

// Escaped, and A^T as it is written by hand.
std::string prose(std::string_view text) {
  std::string html = escaped(text);
  for (auto at = html.find("A^T"); at != std::string::npos; at = html.find("A^T", at))
    html.replace(at, 3, "A<sup>T</sup>");
  return html;
}

std::string sentence(std::string_view text) {
  std::string html = prose(text);
  if (!html.empty() && html[0] >= 'a' && html[0] <= 'z') html[0] = static_cast<char>(html[0] - 'a' + 'A');
  return html.empty() || html.back() == '.' ? html : html + ".";
}

std::string name_of_product(operation op) {
  return op == operation::multiply ? "A&nbsp;x" : "A<sup>T</sup>&nbsp;x";
}

// Products after which a price is repaid.
std::string products_text(double after) {
  if (after < 0) return "never";
  if (after == 0) return "at once";
  if (after >= 1e12) return fmt::format("{:.1e}", after);
  return with_commas(static_cast<std::int64_t>(std::ceil(after)));
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// ---- what the page shows of the results ----

// The time of a contestant in the regime that decides, with the spread of its samples.
struct shown_time {
  double seconds = 0, low = 0, high = 0;
  int samples = 0;  // 0: none, or the model's
};

shown_time time_of(const recommendation& r, const contestant_result& k) {
  if (!k.not_run.empty() || !k.wrong.empty()) return {};
  const double seconds = deciding_seconds(r.found, k, r.wanted.warm);
  if (r.found.predicted) return {seconds, seconds, seconds, 0};
  const timing& t = k.time.deciding(r.wanted.warm);
  if (t.samples > 0) return {t.median, t.p10, t.p90, t.samples};
  return {seconds, seconds, seconds, seconds > 0 ? 1 : 0};
}

std::string name_of(const listed_contestant& c) {
  if (c.contestant == nullptr) return c.variant->label();
  const std::string note = whole_note(c.variant->note, c.variant->of_transpose);
  return note.empty() ? c.contestant->info.name : fmt::format("{} ({})", c.contestant->info.name, note);
}

struct line_of_race {
  listed_contestant who;
  shown_time time;
};

// The fastest first, those without a time last.
std::vector<line_of_race> lines_of(const recommendation& r, operation op) {
  std::vector<line_of_race> all;
  for (const listed_contestant& c : contestants_of(r.found))
    if (c.contestant != nullptr && c.contestant->op == op) all.push_back({c, time_of(r, *c.contestant)});
  std::stable_sort(all.begin(), all.end(), [](const line_of_race& a, const line_of_race& b) {
    if ((a.time.seconds > 0) != (b.time.seconds > 0)) return a.time.seconds > 0;
    return a.time.seconds < b.time.seconds;
  });
  return all;
}

std::vector<line_of_race> timed_lines(const recommendation& r, operation op) {
  std::vector<line_of_race> all = lines_of(r, op);
  all.erase(std::find_if(all.begin(), all.end(), [](const line_of_race& l) { return l.time.seconds <= 0; }),
            all.end());
  return all;
}

// What a contestant is to the verdict: the colours of the charts.
const char* role_of(const verdict& v, const listed_contestant& c) {
  if (runs(v.winner, c)) return "winner";
  if (is_tied(v, c)) return "tied";
  return c.contestant->info.vendor ? "vendor" : "other";
}

const char* role_of(const verdict& v, const way& w) {
  if (v.winner && w.stored == v.winner.stored) return "winner";
  if (w.stays_in_csr()) return "stay";
  if (std::any_of(v.ties.begin(), v.ties.end(), [&](const way& tie) { return tie.stored == w.stored; }))
    return "tied";
  return w.vendor() ? "vendor" : "other";
}

// Without the share of the price that objective::products puts into it.
double seconds_alone(const way& w, const objective& wanted) {
  return wanted.products > 0 ? w.seconds - w.price / wanted.products : w.seconds;
}

// The best way of every stored format, where conversion costs nothing.
std::vector<way> plain_ways(const recommendation& r) {
  objective plain = r.wanted;
  plain.products = 0;
  return ways_of(r.found, plain);
}

std::string label_of(const way& w) {
  std::vector<std::string> labels;
  for (const variant_result* const f : w.stored) labels.push_back(f->label());
  return joined(labels, " + ");
}

double total(const way& w, double products) {
  return w.price + products * w.seconds;
}

std::string bytes_over_csr(const recommendation& r, std::int64_t bytes) {
  const double ratio = times_csr(r.found, bytes);
  return sortable(ratio, ratio_text(ratio));
}

// One of `ways`, and from how many products on it takes the least time in total.
struct reign {
  const way* best;
  double from;
};

std::vector<reign> reigns_of(const std::vector<way>& ways) {
  std::vector<reign> all;
  const auto first = std::min_element(ways.begin(), ways.end(), [](const way& a, const way& b) {
    return std::pair(total(a, 1), a.seconds) < std::pair(total(b, 1), b.seconds);
  });
  if (first == ways.end()) return all;
  all.push_back({&*first, 1});
  while (true) {
    const way& now = *all.back().best;
    reign next{nullptr, 0};
    for (const way& w : ways) {
      if (w.seconds >= now.seconds) continue;
      const double from = (w.price - now.price) / (now.seconds - w.seconds);
      if (next.best == nullptr || from < next.from || (from == next.from && w.seconds < next.best->seconds))
        next = {&w, from};
    }
    if (next.best == nullptr) return all;
    all.push_back(next);
  }
}

// Those that are drawn over the number of products: the winner, CSR, what is tied with the winner, what takes
// the least for some number, and the fastest of the others. All but the first two are left out beyond eight.
std::vector<way> compared_ways(const verdict& v, const std::vector<way>& ways) {
  constexpr std::size_t at_most = 8;
  std::vector<way> chosen;
  const auto add = [&](const way& w) {
    if (chosen.size() < at_most && std::find(chosen.begin(), chosen.end(), w) == chosen.end())
      chosen.push_back(w);
  };
  const auto add_where = [&](auto&& suits) {
    for (const way& w : ways)
      if (suits(w)) add(w);
  };
  const auto has_role = [&](const std::string& role) {
    return [&v, role](const way& w) { return role_of(v, w) == role; };
  };
  add_where(has_role("winner"));
  add_where([](const way& w) { return w.stays_in_csr(); });
  for (const reign& r : reigns_of(ways)) add(*r.best);
  add_where(has_role("tied"));
  add_where([](const way&) { return true; });
  return chosen;
}

const way* staying_among(const std::vector<way>& ways) {
  const auto found = std::find_if(ways.begin(), ways.end(), [](const way& w) { return w.stays_in_csr(); });
  return found == ways.end() ? nullptr : &*found;
}

struct place {
  way taken;
  bool on_frontier = false;  // nothing is both smaller and faster
};

// Everything that has bytes and a time, the smallest first.
std::vector<place> places_of(const recommendation& r, const verdict& v) {
  std::vector<place> all;
  for (const way& w : plain_ways(r)) all.push_back({w});
  if (v.vendor.two_copies.stored.size() > 1) {
    all.push_back({v.vendor.two_copies});
    all.back().taken.seconds = seconds_alone(v.vendor.two_copies, r.wanted);
  }
  std::stable_sort(all.begin(), all.end(), [](const place& a, const place& b) {
    return std::pair(a.taken.bytes, a.taken.seconds) < std::pair(b.taken.bytes, b.taken.seconds);
  });
  double least = std::numeric_limits<double>::infinity();
  for (place& p : all) {
    p.on_frontier = p.taken.seconds < least;
    least = std::min(least, p.taken.seconds);
  }
  return all;
}

// ---- the verdict ----

std::string kernels_text(const way& w) {
  const contestant_result *const ax = w.contestant(operation::multiply), *const atx = w.contestant(
                                                                             operation::transposed);
  const auto code = [](const contestant_result* k) { return "<b>" + escaped(k->info.name) + "</b>"; };
  if (ax == nullptr) return code(atx) + " for " + name_of_product(operation::transposed);
  if (atx == nullptr) return code(ax) + " for " + name_of_product(operation::multiply);
  if (std::string_view(ax->info.name) == atx->info.name)
    return fmt::format("{} for {} and {}", code(ax), name_of_product(operation::multiply),
                       name_of_product(operation::transposed));
  return fmt::format("{} for {} and {} for {}", code(ax), name_of_product(operation::multiply), code(atx),
                     name_of_product(operation::transposed));
}

std::string verdict_sentence(const recommendation& r, const verdict& v) {
  if (!v.winner) return "There is nothing to recommend: no kernel could do what was asked for.";
  const std::string kernels = kernels_text(v.winner);
  const std::string action =
      v.winner.stays_in_csr()
          ? (r.found.predicted ? "stay in <b>csr</b> and run " : "Stay in <b>csr</b> and run ") + kernels
          : fmt::format("{} it as <b>{}</b> and run {}", r.found.predicted ? "store" : "Store",
                        prose(label_of(v.winner)), kernels);
  return (r.found.predicted ? "Predicted: " : "") + action + ".";
}

std::string notices(const recommendation& r) {
  std::string html;
  const auto notice = [&](const std::string& title, const std::string& text) {
    html += fmt::format("<p class=\"notice\"><b>{}</b> {}</p>\n", title, text);
  };
  if (r.found.predicted)
    notice("Predicted, nothing was run.",
           r.model_record > 0
               ? fmt::format(
                     "All figures are the model’s. On matrices it was not fitted to, measured on {}, what it "
                     "chose had {} of the best’s speed.",
                     prose(r.model_machine), percent(std::round(r.model_record * 1000) / 1000))
               : std::string("All figures are the model’s, which has no record for this backend."));
  if (r.found.interrupted) notice("Interrupted.", "These are the results until then; not everything ran.");
  if (r.found.out_of_time)
    notice("Out of time.", fmt::format("The {} that were granted ended before all was settled.",
                                       time_text(r.budget_seconds)));
  return html;
}

std::string key_figure(const std::string& name, const std::string& value, const std::string& text) {
  return fmt::format("<div><dt>{}</dt><dd><b>{}</b><small>{}</small></dd></div>\n", name, value, text);
}

std::string time_figure(const recommendation& r, const verdict& v) {
  std::vector<std::string> parts;
  if (v.winner.low < v.winner.high)
    parts.push_back("the median is within " + time_range(v.winner.low, v.winner.high));
  for (const contestant_result* const k : v.winner.contestants)
    if (k != nullptr && v.winner.contestants[0] != nullptr && v.winner.contestants[1] != nullptr)
      parts.push_back(name_of_product(k->op) + " " + time_text(time_of(r, *k).seconds));
  if (r.wanted.products > 0)
    parts.push_back(fmt::format("with its share of a price spread over {} products",
                                with_commas(static_cast<std::int64_t>(r.wanted.products))));
  return key_figure(r.found.predicted ? "Time per product, predicted" : "Time per product",
                    time_text(v.winner.seconds), joined(parts, "; "));
}

std::string margin_figure(const verdict& v) {
  if (!v.runner_up)
    return key_figure("Ahead of the next", "–", v.ties.empty() ? "there is no other" : "all others are tied");
  std::string text = prose(v.runner_up.names());
  if (v.margin.low < v.margin.high)
    text += fmt::format("; within {}–{}", ratio_text(v.margin.low), ratio_text(v.margin.high));
  return key_figure("The next takes", ratio_text(v.margin.ratio) + " × as long", text);
}

std::string repaid_figure(const verdict& v) {
  if (v.winner.stays_in_csr())
    return key_figure("Conversion", "none",
                      v.winner.price > 0 ? time_text(v.winner.price) + " to prepare the kernels"
                                         : "nothing to prepare either");
  std::string text = time_text(v.winner.price) + " to convert and prepare";
  if (!v.stay) return key_figure("Repaid after", "–", text + "; CSR has no time to compare with");
  if (v.wanted.asks_for(operation::multiply) && v.wanted.asks_for(operation::transposed))
    for (const operation op : both_operations)
      text += fmt::format("; {} alone: {}", name_of_product(op),
                          products_text(v.repaid_after_alone[static_cast<std::size_t>(op)]));
  const std::string after = products_text(v.repaid_after);
  return key_figure("Repaid after", v.repaid_after > 0 ? after + " products" : after,
                    "against staying in CSR; " + text);
}

std::string same_bits(const way& w) {
  std::vector<std::string> other;
  bool any = false;
  for (const contestant_result* const k : w.contestants) {
    if (k == nullptr) continue;
    if (k->info.repeatable(k->op))
      any = true;
    else
      other.push_back(name_of_product(k->op));
  }
  return other.empty() ? "yes" : any ? "not " + other.front() : "no";
}

std::string key_figures(const recommendation& r, const verdict& v) {
  const double ratio = times_csr(r.found, v.winner.bytes);
  return "<dl class=\"figures\">" + time_figure(r, v) + margin_figure(v) +
         key_figure(
             "Bytes", ratio_text(ratio) + " × CSR",
             fmt::format("{}; CSR {}", format_bytes(v.winner.bytes), format_bytes(r.found.csr_bytes()))) +
         repaid_figure(v) +
         key_figure("Same bits every time", same_bits(v.winner),
                    v.winner.repeatable() ? "on the same machine with the same number of threads"
                                          : "the last digits may differ from run to run") +
         "</dl>\n";
}

std::string ties_text(const verdict& v) {
  if (v.ties.empty()) return "";
  constexpr std::size_t named = 6;
  std::vector<std::string> names;
  for (const way& w : v.ties)
    if (names.size() < named)
      names.push_back(fmt::format("<b>{}</b> ({}{})", prose(w.names()), time_text(w.seconds),
                                  w == v.fastest ? ", the lowest median" : ""));
  std::string text = "Not told apart from it in speed: " + joined(names, ", ");
  if (v.ties.size() > named) text += fmt::format(" and {} more", v.ties.size() - named);
  if (!(v.winner == v.fastest))
    text += ". Of those within 5 % it takes the fewest bytes, or else has the simplest format";
  return "<p>" + text + ".</p>\n";
}

std::string verdict_card(const recommendation& r, const verdict& v) {
  std::string html = "<div class=\"card verdict\">\n" + notices(r);
  html += "<p class=\"sentence\">" + verdict_sentence(r, v) + "</p>\n";
  if (v.winner) html += key_figures(r, v) + ties_text(v);
  return html + "</div>\n";
}

std::string reasons_card(const verdict& v) {
  if (v.reasons.empty()) return "";
  std::string html = "<div class=\"card\"><h4>Why</h4><ul>\n";
  for (const std::string& reason : v.reasons) html += "<li>" + sentence(reason) + "</li>\n";
  return html + "</ul></div>\n";
}

std::string alternatives_card(const recommendation& r, const verdict& v) {
  std::vector<cells> rows;
  const auto add = [&](const std::string& what, const way& w, double seconds, double winners) {
    rows.push_back({what, w == v.winner ? "the same" : prose(w.names()), time_text(seconds),
                    winners > 0 ? ratio_text(seconds / winners) : "–", bytes_over_csr(r, w.bytes),
                    w.price > 0 ? time_text(w.price) : "–"});
  };
  const auto add_if = [&](const std::string& what, const way& w) {
    if (w) add(what, w, w.seconds, v.winner.seconds);
  };
  add_if("recommended", v.winner);
  rows.back()[1] = prose(v.winner.names());
  add_if("staying in CSR", v.stay);
  add_if("vendor’s best format, one copy", v.vendor.one_copy);
  add_if("vendor’s CSR, one copy", v.vendor.csr);
  add_if("vendor’s best formats, two copies", v.vendor.two_copies);
  add_if("fewest bytes", v.smallest);
  for (const operation op : both_operations)
    if (const way& w = v.alone[static_cast<std::size_t>(op)]; w) {
      const contestant_result* const winners = v.winner.contestant(op);
      add("for " + name_of_product(op) + " alone", w, time_of(r, *w.contestant(op)).seconds,
          winners == nullptr ? 0 : time_of(r, *winners).seconds);
    }
  // Its seconds are of the other regime: nothing to compare them with here.
  if (v.other_regime && !(v.other_regime == v.winner))
    add(r.wanted.warm ? "with cold caches" : "with warm caches", v.other_regime, v.other_regime.seconds, 0);
  return "<div class=\"card alternatives\">" +
         table("Alternatives",
               {"", "format and kernels", r.found.predicted ? "predicted" : "time", "× recommended",
                "× CSR bytes", "price"},
               rows) +
         "</div>\n";
}

std::string actions_card(const recommendation& r, const verdict& v) {
  const std::string command = spconv_line(r, v.winner), code = code_lines(r, v.winner);
  const auto block = [](const char* label, const std::string& text) {
    return fmt::format("<pre tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</pre>\n", label,
                       escaped(text));
  };
  if (command.empty() && code.empty()) return "";
  std::string html = "<div class=\"card actions\"><h4>What to do</h4>\n";
  if (!command.empty()) html += block("The command that makes it", command);
  if (!code.empty())
    html += "<details><summary>In C++</summary>" + block("The same in C++", code) + "</details>";
  return html + "</div>\n";
}

// ---- charts ----

const char* chart_of_times(operation op) {
  return op == operation::multiply ? "times_multiply" : "times_transposed";
}

constexpr std::size_t shown_at_first = 20;

std::string times_figure(const recommendation& r, std::size_t matrix, operation op) {
  const std::vector<line_of_race> all = timed_lines(r, op);
  if (all.empty()) return "";
  std::vector<cells> rows;
  for (const auto& [who, time] : all)
    rows.push_back({prose(name_of(who)), time_text(time.seconds),
                    time.samples > 1 ? time_text(time.low) : "–",
                    time.samples > 1 ? time_text(time.high) : "–",
                    time.samples > 0 ? std::to_string(time.samples) : "–"});
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
                "Medians of {} contestants; whiskers from the 10th to the 90th percentile. Pale: it left "
                "the race early, with fewer samples.",
                all.size());
  return figure(
      name_of_product(op), text, plots,
      table(fmt::format("{} for {}", r.found.predicted ? "Predicted time" : "Time", name_of(op)),
            {"contestant", r.found.predicted ? "predicted" : "median", "p10", "p90", "samples"}, rows));
}

std::string reigns_text(const std::vector<way>& ways) {
  const std::vector<reign> reigns = reigns_of(ways);
  std::vector<std::string> parts;
  std::int64_t told = 0;  // numbers of products so far
  for (std::size_t i = 0; i < reigns.size(); ++i) {
    const std::string name = "<b>" + prose(label_of(*reigns[i].best)) + "</b>";
    if (i + 1 == reigns.size()) {
      parts.push_back(name + (parts.empty() ? " for any number of products" : " from there on"));
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
    cells& line = rows.emplace_back(cells{
        prose(label_of(w)), prose(w.names()), w.price > 0 ? time_text(w.price) : "–", time_text(w.seconds),
        stay == nullptr || w == *stay ? "–" : products_text(repaid_after(w, *stay))});
    for (const double products : {1.0, 1e2, 1e4, 1e6}) line.push_back(time_text(total(w, products)));
  }
  const auto choice = [&](const char* kind, const char* label, bool checked) {
    return fmt::format(
        "<label><input type=\"radio\" name=\"totals-{0}\" value=\"{1}\" data-matrix=\"{0}\"{2}> {3}"
        "</label>",
        matrix, kind, checked ? " checked" : "", label);
  };
  const std::string choices = stay == nullptr
                                  ? ""
                                  : "<fieldset class=\"switch\"><legend>Time</legend>" +
                                        choice("seconds", "in seconds", true) +
                                        choice("ratio", "against staying in CSR", false) + "</fieldset>\n";
  return figure(
      r.found.predicted ? "Predicted total time against the number of products"
                        : "Total time against the number of products",
      "Converting and preparing, then so many products. Rings: from there on it is ahead of staying in "
      "CSR. " +
          reigns_text(ways),
      choices +
          canvas(matrix, "totals", "Total time over the number of products, a line for each format", 26),
      table("Total time",
            {"format", "kernels", "price", "per product", "ahead of CSR after", "1 product", "100", "10,000",
             "1,000,000"},
            rows));
}

std::string bytes_figure(const recommendation& r, const verdict& v, std::size_t matrix) {
  const std::vector<place> places = places_of(r, v);
  if (places.size() < 2) return "";
  std::vector<cells> rows;
  for (const place& p : places)
    rows.push_back({prose(label_of(p.taken)), prose(p.taken.names()), format_bytes(p.taken.bytes),
                    bytes_over_csr(r, p.taken.bytes), time_text(p.taken.seconds),
                    p.on_frontier ? "yes" : "no"});
  return figure(
      r.found.predicted ? "Bytes against predicted time" : "Bytes against time",
      "The best of every stored format. Nothing is both smaller and faster than what the line joins.",
      canvas(matrix, "bytes", "Bytes against time per product, a point for each format", 26),
      table("Bytes and time, the smallest first",
            {"format", "kernels", "bytes", "× CSR", "per product", "on the line"}, rows));
}

std::string charts(const recommendation& r, const verdict& v, std::size_t matrix) {
  const std::string times =
      times_figure(r, matrix, operation::multiply) + times_figure(r, matrix, operation::transposed);
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

// ---- everything that was found ----

struct departure {
  std::string name, products;
  standing how;
  std::string why;
};

// What went wrong first, then who left, then who never ran; the same reason for both products is one line.
std::vector<departure> departures_of(const recommendation& r) {
  std::vector<departure> all;
  for (const standing how : {standing::wrong, standing::left, standing::refused, standing::not_run})
    for (const listed_contestant& c : contestants_of(r.found)) {
      if (c.how != how) continue;
      const departure here{prose(name_of(c)),
                           c.contestant == nullptr ? "–" : name_of_product(c.contestant->op), how,
                           prose(c.reason)};
      const auto same = std::find_if(all.begin(), all.end(), [&](const departure& d) {
        return d.name == here.name && d.how == how && d.why == here.why;
      });
      if (same == all.end())
        all.push_back(here);
      else if (same->products != here.products)
        same->products += ", " + here.products;
    }
  return all;
}

std::string departures_card(const recommendation& r) {
  std::vector<cells> rows;
  for (const departure& d : departures_of(r))
    rows.push_back({d.name, d.products, d.how == standing::wrong ? "<b>wrong</b>" : name_of(d.how), d.why});
  if (rows.empty())
    return "<div class=\"card\"><p>Nobody: every contestant stayed to the end, and all of them were "
           "right.</p>"
           "</div>\n";
  return "<div class=\"card departures sorted\">" +
         table(r.found.predicted ? "Who was not considered" : "Who left the race, when and why",
               {"contestant", "product", "what", "when and why"}, rows) +
         "</div>\n";
}

std::string standing_text(const verdict& v, const listed_contestant& c) {
  if (c.how == standing::wrong) return "<b>wrong</b>";
  if (c.how == standing::not_run) return name_of(c.how);
  if (runs(v.winner, c)) return "<b>recommended</b>";
  if (is_tied(v, c)) return "tied";
  return c.how == standing::ok ? "stayed" : name_of(c.how);
}

std::string results_card(const recommendation& r, const verdict& v) {
  const bool predicted = r.found.predicted, both_regimes = !predicted && !r.wanted.warm;
  cells header = {"contestant", "product", "standing", predicted ? "predicted" : "median"};
  if (!predicted) header.insert(header.end(), {"p10–p90", "samples"});
  if (both_regimes) header.push_back("warm");
  if (!predicted) header.insert(header.end(), {"expected", "× base"});
  header.insert(header.end(), {"bytes × CSR", "convert", "prepare", "same bits"});
  if (!predicted) header.push_back("error");
  std::vector<cells> rows;
  for (const operation op : both_operations)
    for (const auto& [who, time] : lines_of(r, op)) {
      const contestant_result& k = *who.contestant;
      const variant_result& f = *who.variant;
      const double expected = r.wanted.warm ? k.expected.warm : k.expected.cold;
      cells& line = rows.emplace_back(
          cells{prose(name_of(who)), name_of_product(op), standing_text(v, who), time_cell(time.seconds)});
      if (!predicted) {
        line.push_back(time.samples > 1 ? sortable(time.low, time_range(time.low, time.high)) : "–");
        line.push_back(time.samples > 0 ? sortable(time.samples, std::to_string(time.samples)) : "–");
        if (both_regimes) line.push_back(time_cell(k.time.warm.median));
        line.push_back(time_cell(expected));
        const double base = k.timed() ? f.base_of(op).headline() : 0;
        line.push_back(base > 0 ? sortable(f.ratio(k), ratio_text(f.ratio(k))) : "–");
      }
      const double convert = conversion_seconds(r.found, f);
      line.push_back(f.bytes > 0 ? bytes_over_csr(r, f.bytes + k.prepared_bytes) : "–");
      line.push_back(f.format == format_kind::csr && !f.of_transpose ? "–" : time_cell(convert));
      line.push_back(time_cell(k.prepare_seconds));
      line.push_back(k.info.repeatable(op) ? "yes" : "no");
      if (!predicted) line.push_back(k.timed() ? sortable(k.error, percent(k.error)) : "–");
    }
  if (rows.empty()) return "";
  std::string text = "Times are of runs with " + std::string(r.wanted.warm ? "warm" : "cold") + " caches" +
                     (both_regimes ? ", but those in the column “warm”." : ".");
  std::vector<std::string> bases;
  for (const operation op : both_operations)
    if (!r.found.base_name(op).empty())
      bases.push_back(prose(r.found.base_name(op)) + " for " + name_of_product(op));
  if (!predicted && !bases.empty())
    text += " × base: how many times as fast as " + joined(bases, ", ") + " in the same rounds.";
  if (!predicted) text += " Error: the largest, as a share of what rounding may do.";
  return "<div class=\"card results sorted\"><p>" + text + "</p>" +
         table(predicted ? "All predictions" : "All results", header, rows) + "</div>\n";
}

// ---- where and how ----

std::string spent_text(const recommendation& r) {
  std::vector<std::string> parts;
  for (const step_time& step : r.steps)
    parts.push_back(fmt::format("{} {}", escaped(step.name), time_text(step.seconds)));
  std::string text = "It took " + time_text(r.seconds);
  if (r.budget_seconds > 0) text += " of " + time_text(r.budget_seconds) + " granted";
  if (!parts.empty()) text += ": " + joined(parts, ", ");
  return "<p class=\"lead\">" + text + ".</p>\n";
}

std::string giga(double per_second, const char* unit) {
  return four_digits(per_second / 1e9) + "&nbsp;" + unit;
}

std::string machine_tables(const recommendation& r) {
  const machine_description& m = r.machine;
  std::vector<cells> rows = {{"device", escaped(m.device)}, {"backend", escaped(m.backend)}};
  const auto add = [](std::vector<cells>& to, const char* name, bool known, const std::string& text) {
    if (known) to.push_back({name, text});
  };
  add(rows, "driver", !m.driver.empty(), escaped(m.driver));
  add(rows, "toolkit", !m.toolkit.empty(), escaped(m.toolkit));
  add(rows, "clock", m.clock_mhz > 0, four_digits(m.clock_mhz) + "&nbsp;MHz");
  add(rows, "memory clock", m.memory_clock_mhz > 0, four_digits(m.memory_clock_mhz) + "&nbsp;MHz");
  add(rows, "threads", m.threads > 0, std::to_string(m.threads));
  add(rows, "Sparsmith", !m.version.empty(), escaped(m.version));

  const machine_rates& rates = r.rates;
  const double copy = r.rates.copy_bytes > 0 ? r.rates.copy_bytes : rates.copy_bytes;
  std::vector<cells> speeds;
  add(speeds, "copy, read plus written", copy > 0, giga(copy, "GB/s"));
  add(speeds, "reading", rates.read_bytes > 0, giga(rates.read_bytes, "GB/s"));
  add(speeds, "reading from the cache", rates.cached_read_bytes > 0, giga(rates.cached_read_bytes, "GB/s"));
  add(speeds, "random reads", rates.gathers > 0, giga(rates.gathers, "G/s"));
  add(speeds, "random reads from the cache", rates.cached_gathers > 0, giga(rates.cached_gathers, "G/s"));
  add(speeds, "atomic additions", rates.atomics > 0, giga(rates.atomics, "G/s"));
  add(speeds, "contended atomic additions", rates.contended_atomics > 0,
      giga(rates.contended_atomics, "G/s"));
  add(speeds, "starting a kernel", rates.launch_seconds > 0, time_text(rates.launch_seconds));
  add(speeds, "last-level cache", rates.cache_bytes > 0, format_bytes(rates.cache_bytes));
  add(speeds, m.backend == "cuda" ? "multiprocessors" : "processors", rates.processors > 0,
      std::to_string(rates.processors));
  return "<div class=\"card\">" + table("Machine", {}, rows) + "</div>\n" +
         (speeds.empty() ? "" : "<div class=\"card\">" + table("What it can do", {}, speeds) + "</div>\n");
}

std::string request_table(const recommendation& r) {
  const objective& wanted = r.wanted;
  std::vector<std::string> products;
  for (const operation op : both_operations)
    if (wanted.asks_for(op))
      products.push_back(
          fmt::format("{} × {:g}", name_of_product(op), wanted.weights[static_cast<std::size_t>(op)]));
  return "<div class=\"card\">" +
         table("What was asked for", {},
               {{"products", joined(products, ", ")},
                {"conversion", wanted.products > 0
                                   ? fmt::format("spread over {} products",
                                                 with_commas(static_cast<std::int64_t>(wanted.products)))
                                   : "not counted"},
                {"caches", wanted.warm ? "warm" : "cold"},
                {"same bits every time", wanted.repeatable ? "required" : "not required"},
                {"memory", wanted.memory > 0 ? "at most " + format_bytes(wanted.memory) : "any amount"},
                {"values", fmt::format("{} bits", r.found.value_bits)},
                {"race", r.found.predicted ? "none, predicted only"
                         : r.exhaustive    ? "exhaustive: nobody left early"
                                           : "those far behind leave early"},
                {"time granted", r.budget_seconds > 0 ? time_text(r.budget_seconds) : "any amount"}}) +
         "</div>\n";
}

// Told once where it is the same for all matrices.
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

// ---- the page ----

std::string marks_of(const recommendation& r) {
  std::vector<std::string> marks;
  if (r.found.predicted) marks.push_back("predicted");
  if (r.found.interrupted) marks.push_back("interrupted");
  if (r.found.out_of_time) marks.push_back("out of time");
  return marks.empty() ? "" : " <small>" + joined(marks, ", ") + "</small>";
}

std::string comparison(const std::vector<recommendation>& all, const std::vector<std::string>& called,
                       const std::vector<verdict>& verdicts) {
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
      line.insert(line.end(), {"nothing", "–", "–", "–", "–", "–"});
      continue;
    }
    const auto against = [&](const way& other) {
      if (!other) return std::string("–");
      const double ratio = other.seconds / v.winner.seconds;
      return sortable(ratio, ratio_text(ratio));
    };
    line.insert(line.end(), {"<b>" + prose(v.winner.names()) + "</b>", time_cell(v.winner.seconds),
                             against(v.stay), against(v.vendor.one_copy), bytes_over_csr(r, v.winner.bytes),
                             v.winner.stays_in_csr() ? "–"
                             : v.repaid_after < 0    ? "never"
                                                  : sortable(v.repaid_after, products_text(v.repaid_after))});
  }
  return "<section id=\"comparison\"><h2>Comparison</h2><div class=\"card sorted\">" +
         table("All matrices",
               {"matrix", "rows", "entries", "recommended", "time", "× staying in CSR", "× vendor’s best",
                "bytes × CSR", "repaid after"},
               rows) +
         "<p><small>× staying in CSR, × vendor’s best: how many times as fast, from one copy; the vendor’s "
         "is "
         "in the fastest of its formats.</small></p>"
         "</div></section>\n";
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

json times_for_chart(const recommendation& r, const verdict& v, operation op) {
  json list = json::array();
  for (const auto& [who, time] : timed_lines(r, op))
    list.push_back({{"name", name_of(who)},
                    {"role", role_of(v, who)},
                    {"early", who.how == standing::left},
                    {"seconds", number_or_null(time.seconds)},
                    {"low", number_or_null(time.low)},
                    {"high", number_or_null(time.high)},
                    {"samples", time.samples}});
  return list;
}

// What the charts show: only numbers that stand in the tables too.
json chart_data(const recommendation& r, const verdict& v) {
  const std::vector<way> ways = plain_ways(r);
  const way* const stay = staying_among(ways);
  json totals = json::array(), bytes = json::array();
  for (const way& w : compared_ways(v, ways))
    totals.push_back(
        {{"format", label_of(w)},
         {"kernels", w.names()},
         {"role", role_of(v, w)},
         {"stays", w.stays_in_csr()},
         {"price", number_or_null(w.price)},
         {"seconds", number_or_null(w.seconds)},
         {"crossing", stay == nullptr ? json(nullptr) : number_or_null(repaid_after(w, *stay))}});
  for (const place& p : places_of(r, v))
    bytes.push_back({{"format", label_of(p.taken)},
                     {"kernels", p.taken.names()},
                     {"role", role_of(v, p.taken)},
                     {"bytes", number_or_null(times_csr(r.found, p.taken.bytes))},
                     {"seconds", number_or_null(p.taken.seconds)},
                     {"frontier", p.on_frontier}});
  return {{"name", r.name},
          {"predicted", r.found.predicted},
          {"first", shown_at_first},
          {"times_multiply", times_for_chart(r, v, operation::multiply)},
          {"times_transposed", times_for_chart(r, v, operation::transposed)},
          {"totals", std::move(totals)},
          {"bytes", std::move(bytes)}};
}

}  // namespace

std::string recommendation_page(const std::vector<recommendation>& all, const std::vector<verdict>& verdicts,
                                const page_origin& origin) {
  std::vector<std::string> inputs;
  for (const recommendation& r : all) inputs.push_back(r.name);
  const std::vector<std::string> called = names_of_inputs(inputs);
  std::string body;
  json data = json::array();
  if (all.size() > 1) body += comparison(all, called, verdicts);
  for (std::size_t m = 0; m < all.size(); ++m) {
    body += section(all[m], called[m], verdicts[m], m);
    data.push_back(chart_data(all[m], verdicts[m]));
  }
  return whole_page(
      {.tool = "sprecommend",
       .title = all.size() == 1 ? escaped(called.front()) : fmt::format("{} matrices", all.size()),
       .heading =
           all.size() == 1 ? "How to multiply with this matrix" : "How to multiply with these matrices",
       .body = body + circumstances(all, called),
       .origin = origin,
       .styles = {embedded_file("recommend_page.css")},
       .scripts = {embedded_file("recommend_page.js")},
       .data = std::move(data)});
}

}  // namespace sparsmith
