#include "tools/batch/batch_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "analyze/report/colours.hpp"
#include "analyze/report/embedded.hpp"
#include "analyze/report/html.hpp"
#include "analyze/report/text.hpp"
#include "convert/formats/properties.hpp"
#include "convert/words.hpp"
#include "tools/batch/embedded.hpp"
#include "tools/batch/summary_text.hpp"

namespace sparsmith {
namespace {

using html::cells;
using html::escaped;

constexpr std::size_t failures_listed = 200;  // the others are in the table of all matrices

// ---- words of numbers ----

const std::string dash = "–";

std::string times(double ratio) {
  return std::isfinite(ratio) ? ratio_text(ratio) : dash;
}
std::string share(double part) {
  return std::isfinite(part) ? rounded_percent(part) : dash;
}
std::string count_of(std::size_t count) {
  return with_commas(static_cast<std::int64_t>(count));
}
constexpr double exact = 9e15;  // whole numbers up to here

std::string products(double count) {
  return std::isfinite(count) ? whole_number(count) : dash;
}
std::string matrices(std::int64_t count) {
  return with_commas(count) + (count == 1 ? " matrix" : " matrices");
}

// ---- the charts' data: only numbers that stand in tables too ----

// Four digits: the page shows no more.
json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (std::abs(value) < 10000 && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr);
}
json whole(double value) {
  return std::abs(value) < exact ? json(static_cast<std::int64_t>(value)) : json(nullptr);
}

std::vector<double> profile_steps() {
  constexpr int steps = 400;  // from 1 to 10: finer than a screen
  std::vector<double> all;
  for (int i = 0; i <= steps; ++i) all.push_back(std::pow(10, static_cast<double>(i) / steps));
  return all;
}

json profile_line(const performance_profile& p) {
  json line = json::array();
  for (const double factor : profile_steps()) line.push_back(number(p.within(factor)));
  return {{"name", p.name}, {"shares", std::move(line)}};
}

struct break_even_bin {
  std::string label;
  std::int64_t count = 0;
};
std::vector<break_even_bin> break_even_bins(const break_even_figures& b) {
  std::vector<break_even_bin> bins = {{"stays in CSR", b.stays}, {"at once", b.at_once}};
  double from = 0;
  for (const double to : {1.0, 10.0, 100.0, 1e3, 1e4, 1e5}) {
    const auto count = std::count_if(b.after.begin(), b.after.end(),
                                     [&](double after) { return after > from && after <= to; });
    bins.push_back({fmt::format("up to {}", products(to)), count});
    from = to;
  }
  bins.push_back(
      {"more", std::count_if(b.after.begin(), b.after.end(), [&](double after) { return after > from; })});
  bins.push_back({"never", b.never});
  if (b.not_known > 0) bins.push_back({"not known", b.not_known});
  return bins;
}

performance_profile predicted_profile(const prediction_figures& p) {
  return {"predicted choice", p.measured, p.ratios};
}

json charts_of(const batch_summary& s) {
  json winners = json::array(), profiles = json::array(), bytes = json::array(), bins = json::array();
  for (const winner_count& one : s.winners)
    winners.push_back(json::array({one.name(), one.measured, one.predicted}));
  for (const performance_profile& one : s.profiles) profiles.push_back(profile_line(one));
  const auto add_bytes = [&](const std::string& name, const spread& of) {
    if (of.count > 0)
      bytes.push_back(json::array({name, number(of.lower), number(of.median), number(of.upper)}));
  };
  for (const bytes_of_format& one : s.bytes) add_bytes(one.format, one.times_csr);
  add_bytes("the winner", s.winner_bytes);
  for (const break_even_bin& bin : break_even_bins(s.break_evens))
    bins.push_back(json::array({bin.label, bin.count}));
  return {{"winners", std::move(winners)},
          {"profiles", std::move(profiles)},
          {"bytes", std::move(bytes)},
          {"break_evens", std::move(bins)},
          {"prediction", profile_line(predicted_profile(s.prediction))}};
}

// ---- the rows of the table, and each one's own figures ----

std::string status_of(const batch_row& row) {
  if (!row.ok()) return "failed";
  if (row.has_winner())
    return row.predicted                        ? "predicted"
           : row.interrupted || row.out_of_time ? "so far"
           : !row.noisy.empty()                 ? "busy machine"
                                                : "measured";
  return row.recommended ? "no verdict" : "analysed";
}

std::string why_not_made(const batch_variant& one) {
  return one.refused.empty() || one.not_tried ? one.refused : "refused: " + one.refused;
}

std::string winner_name(const batch_row& row) {
  if (!row.has_winner()) return "";
  return row.winner.vendor ? row.winner.format + " (vendor)" : row.winner.format;
}

// Products; -1 for never.
json repaid(const batch_row& row) {
  if (!row.has_winner() || row.stays_in_csr) return nullptr;
  if (std::isfinite(row.repaid_after)) return number(std::ceil(row.repaid_after));
  return row.stay.format.empty() ? json(nullptr) : json(-1);
}

// Names and values of a row stand together; the script finds a value by its name.
struct row_field {
  const char* name;
  json (*value)(const batch_row&);
};
constexpr row_field row_fields[] = {
    {"name", [](const batch_row& r) { return json(r.name); }},
    {"status", [](const batch_row& r) { return json(status_of(r)); }},
    {"winner", [](const batch_row& r) { return json(winner_name(r)); }},
    {"label", [](const batch_row& r) { return json(r.has_winner() ? r.winner.label : ""); }},
    {"rows", [](const batch_row& r) { return whole(r.rows); }},
    {"cols", [](const batch_row& r) { return whole(r.cols); }},
    {"entries", [](const batch_row& r) { return whole(r.entries); }},
    {"us", [](const batch_row& r) { return number(r.winner.us); }},
    {"over_csr", [](const batch_row& r) { return number(speedup_over_csr(r)); }},
    {"over_vendor", [](const batch_row& r) { return number(speedup_over_vendor(r)); }},
    {"times_csr", [](const batch_row& r) { return number(r.winner.times_csr); }},
    {"repaid", [](const batch_row& r) { return repaid(r); }},
    {"predicted", [](const batch_row& r) { return number(r.choice ? r.choice->ratio : unknown); }},
    {"row_mean", [](const batch_row& r) { return number(r.features.row_mean); }},
    {"row_longest", [](const batch_row& r) { return number(r.features.row_longest); }},
    {"row_variation", [](const batch_row& r) { return number(r.features.row_variation); }},
    {"symmetry", [](const batch_row& r) { return number(r.features.symmetric_pattern); }},
    {"bandwidth",
     [](const batch_row& r) {
       return number(std::max(r.features.lower_bandwidth, r.features.upper_bandwidth));
     }},
    {"seconds", [](const batch_row& r) { return number(r.seconds); }},
    {"cause", [](const batch_row& r) { return json(r.cause); }},
};

// Texts that come again and again, as numbers.
class word_list {
 public:
  std::int64_t operator()(const std::string& word) {
    const auto [found, first] = numbers_.emplace(word, words_.size());
    if (first) words_.push_back(word);
    return static_cast<std::int64_t>(found->second);
  }
  json take() { return std::move(words_); }

 private:
  std::map<std::string, std::size_t> numbers_;
  json words_ = json::array();
};

json way_figures(const batch_way& way) {
  if (way.format.empty()) return nullptr;
  return json::array({way.label, way.kernels, number(way.us), number(way.times_csr)});
}

// [format, note, of A^T, bytes / CSR, ms to convert, why not, [kernel, flags, result, µs, µs in the other
// regime, predicted µs, ...]]; texts are numbers of words. Flags: 1 A^T x, 2 vendor, 4 winner, 8 tie, 16
// gives the same bits, 32 A x and A^T w, 64 A^T (A x).
json variants_of(const batch_row& row, word_list& words) {
  json all = json::array();
  std::vector<json> contestants(row.variants.size(), json::array());
  const bool warm = row.regime == "warm";
  for (const batch_contestant& one : row.contestants) {
    if (one.variant >= contestants.size()) continue;
    json& flat = contestants[one.variant];
    flat.push_back(words(one.kernel));
    flat.push_back((one.operation == "atx" ? 1 : 0) + (one.vendor ? 2 : 0) + (one.winner ? 4 : 0) +
                   (one.tie ? 8 : 0) + (one.repeatable ? 16 : 0) + (one.operation == "both" ? 32 : 0) +
                   (one.operation == "normal" ? 64 : 0));
    flat.push_back(words(one.reason.empty() ? one.result : one.result + ": " + one.reason));
    flat.push_back(number((warm ? one.warm : one.cold).median_us));
    flat.push_back(number((warm ? one.cold : one.warm).median_us));
    flat.push_back(number(warm ? one.predicted_warm_us : one.predicted_cold_us));
  }
  for (std::size_t i = 0; i < row.variants.size(); ++i) {
    const batch_variant& c = row.variants[i];
    all.push_back(json::array({words(c.format), words(c.note), c.of_transpose ? 1 : 0, number(c.times_csr),
                               number(c.convert_ms), words(why_not_made(c)), std::move(contestants[i])}));
  }
  return all;
}

json features_of(const batch_features& f) {
  json all = json::array();
  for (const double value : {f.density, f.row_mean, f.row_longest, f.row_variation, f.row_gini, f.empty_rows,
                             f.symmetric_pattern, f.symmetric_values, f.lower_bandwidth, f.upper_bandwidth,
                             f.diagonals, f.next_column_share, f.row_below_share})
    all.push_back(number(value));
  return all;
}

// Text, so that the browser parses it when it is asked for.
std::string detail_of(const batch_row& row, word_list& words) {
  json j = {{"key", row.key},
            {"source", row.source},
            {"about", json::array({words(row.machine), words(row.options), words(row.version),
                                   words(row.node), words(row.field), words(row.origin)})},
            {"value_bits", number(row.value_bits)},
            {"regime", row.regime},
            {"started", row.started},
            {"waited", number(row.waited_s)},
            {"memory", whole(row.memory_peak)},
            {"features", features_of(row.features)},
            {"variants", variants_of(row, words)}};
  if (row.spy.rows > 0) j["spy"] = json::array({row.spy.rows, row.spy.cols, row.spy.most, row.spy.cells});
  if (!row.ok()) j["failure"] = json::array({row.stage, row.cause, row.signal, row.message, row.output});
  if (row.has_winner()) {
    j["winner"] = way_figures(row.winner);
    j["runner_up"] = way_figures(row.runner_up);
    j["stay"] = way_figures(row.stay);
    j["vendor"] = way_figures(row.vendor);
    j["vendor_csr"] = way_figures(row.vendor_csr);
    j["vendor_two_copies"] = way_figures(row.vendor_two_copies);
    j["margin"] = number(row.margin);
    j["price"] = number(row.price_ms);
    j["reason"] = row.reason;
    j["spconv"] = row.spconv;
    j["unit"] = row.unit;
    if (!row.noisy.empty()) j["noisy"] = row.noisy;
    if (row.choice) j["choice"] = json::array({row.choice->label, row.choice->kernels});
  }
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Of the levels of a spy plot that are not empty.
json spy_colours(theme colours) {
  json all = json::array();
  for (int level = 1; level < batch_spy::levels; ++level) {
    const rgb c = step_colour((level - 1) * (colour_steps - 1) / (batch_spy::levels - 2), colours);
    all.push_back(fmt::format("rgb({},{},{})", c.red, c.green, c.blue));
  }
  return all;
}

// Those that only an index gives.
constexpr row_field group_fields[] = {
    {"group", [](const batch_row& r) { return json(r.group); }},
    {"kind", [](const batch_row& r) { return json(r.kind); }},
};

json page_data(const batch_summary& s) {
  json fields = json::array(), rows = json::array(), details = json::array();
  std::vector<row_field> shown(std::begin(row_fields), std::end(row_fields));
  if (!s.groups.empty()) shown.insert(shown.end(), std::begin(group_fields), std::end(group_fields));
  for (const row_field& field : shown) fields.push_back(field.name);
  word_list words;
  for (const batch_row& row : s.rows) {
    json values = json::array();
    for (const row_field& field : shown) values.push_back(field.value(row));
    rows.push_back(std::move(values));
    details.push_back(detail_of(row, words));
  }
  json hues = json::object();  // null: the colour of text
  for (const format_kind format : all_formats()) {
    const std::optional<int> degrees = properties_of(format).hue;
    hues[name_of(format)] = degrees ? json(*degrees) : json(nullptr);
  }
  return {{"charts", charts_of(s)},
          {"hues", std::move(hues)},
          {"spy_colours", {{"light", spy_colours(theme::light)}, {"dark", spy_colours(theme::dark)}}},
          {"fields", std::move(fields)},
          {"rows", std::move(rows)},
          {"words", words.take()},
          {"details", std::move(details)}};
}

// ---- what stands above the table ----

void add_tile(std::string& list, const std::string& title, const std::string& figure,
              const std::string& note) {
  list += fmt::format("<div><dt>{}</dt><dd><b>{}</b><small>{}</small></dd></div>\n", title, figure, note);
}

std::string tiles(const batch_summary& s) {
  std::string list;
  add_tile(list, "Matrices", count_of(s.rows.size()),
           fmt::format("{} done, {} failed", with_commas(s.ok), with_commas(s.failed)));
  if (!s.winners.empty()) {
    const winner_count& first = s.winners.front();
    const std::int64_t wins = first.measured + first.predicted;
    add_tile(list, "Wins most often", escaped(first.name()),
             fmt::format("{}, {}", matrices(wins), share(share_of(wins, s.raced + s.predicted))));
  }
  const auto speedup = [&](const char* title, const spread& of) {
    if (of.count > 0)
      add_tile(list, title, times(of.geometric_mean) + " ×",
               fmt::format("as fast, geometric mean; half of all from {} to {}, at most {}", times(of.lower),
                           times(of.upper), times(of.most)));
  };
  speedup("Winner over CSR", s.over_csr.all);
  speedup("Winner over the vendor’s best format", s.over_vendor.all);
  speedup("over its CSR", s.over_vendor_csr);
  speedup("over its best formats, two copies", s.over_vendor_two_copies);
  if (s.winner_bytes.count > 0)
    add_tile(list, "Bytes of the winner", times(s.winner_bytes.median) + " × CSR",
             fmt::format("median; at most {} ×", times(s.winner_bytes.most)));
  if (!s.break_evens.after.empty())
    add_tile(list, "Converting is repaid", "after " + products(spread_of(s.break_evens.after).median),
             fmt::format("products, median of {}",
                         matrices(static_cast<std::int64_t>(s.break_evens.after.size()))));
  if (s.prediction.measured > 0)
    add_tile(list, "--predict would take", times(s.prediction.geometric_mean) + " ×",
             fmt::format("the best time, geometric mean; within 5 % for {}", share(s.prediction.within_5)));
  return "<div class=\"card\"><dl class=\"figures\">" + list + "</dl></div>\n";
}

std::string notices(const batch_summary& s) {
  std::string all;
  for (const std::string& note : s.notes)
    all += "<p class=\"notice\"><b>Note.</b> " + escaped(note) + "</p>\n";
  return all;
}

std::string circumstances(const batch_summary& s) {
  std::vector<cells> rows;
  const auto add = [&](const char* what, const std::vector<std::string>& list) {
    for (const std::string& one : list) rows.push_back({what, escaped(one)});
  };
  add("machine", s.machines);
  add("options", s.options);
  add("version", s.versions);
  if (rows.empty()) return "";
  return "<div class=\"card circumstances\">" + html::table("Where it was measured", {}, rows) + "</div>\n";
}

std::string winners_figure(const batch_summary& s) {
  // Columns that would have nothing in them are left out.
  const bool vendor = s.over_vendor.all.count > 0, predicted = s.predicted > 0;
  const auto chosen = [&](cells all) {
    if (!vendor) all.erase(all.begin() + 5);
    if (!predicted) all.erase(all.begin() + 2);
    return all;
  };
  std::vector<cells> rows;
  for (const winner_count& one : s.winners)
    rows.push_back(chosen({escaped(one.name()), with_commas(one.measured), with_commas(one.predicted),
                           share(share_of(one.measured + one.predicted, s.raced + s.predicted)),
                           times(one.over_csr), times(one.over_vendor), times(one.times_csr)}));
  return html::figure(
      "Winners by format",
      fmt::format("How many matrices each format is recommended for.{}",
                  vendor ? " The vendor’s kernels are told apart from ours." : ""),
      html::canvas(0, "winners", "How often each format wins", 6 + 2 * s.winners.size()),
      html::table("Winners",
                  chosen({"format", "measured", "predicted", "share", "× CSR", "× vendor", "bytes / CSR"}),
                  rows) +
          fmt::format("<p><small>× CSR{}, geometric means over the matrices it wins; bytes / CSR "
                      "likewise.</small></p>",
                      vendor ? ", × vendor: how many times as fast as staying in CSR, and as the vendor’s "
                               "best format from one copy"
                             : ": how many times as fast as staying in CSR"));
}

// Of kinds or of groups, in full.
std::string groups_card(const batch_summary& s, const char* title, const char* what,
                        const std::vector<group_figures>& groups) {
  if (groups.empty()) return "";
  const bool vendor = s.over_vendor.all.count > 0, raced = s.raced > 0;
  cells header = {what, "matrices", "failed"};
  if (raced) header.push_back("× CSR");
  if (vendor) header.push_back("× vendor");
  header.push_back("winners");
  std::vector<cells> rows;
  for (const group_figures& one : groups) {
    cells line = {escaped(one.name), with_commas(one.matrices), with_commas(one.failed)};
    if (raced) line.push_back(times(one.over_csr));
    if (vendor) line.push_back(times(one.over_vendor));
    std::string wins;
    for (const auto& [name, count] : one.winners)
      wins += fmt::format("{}{} {}", wins.empty() ? "" : ", ", escaped(name), with_commas(count));
    line.push_back(wins.empty() ? dash : wins);
    rows.push_back(std::move(line));
  }
  return fmt::format("<h3>{}</h3><div class=\"card\">", title) + html::table(title, header, rows) +
         "</div>\n";
}

std::string profile_figure(const batch_summary& s) {
  cells header = {"within"};
  for (const double factor : profile_factors) header.push_back(fmt::format("{:g} ×", factor));
  header.push_back("ran on");
  std::vector<cells> rows;
  for (const performance_profile& one : s.profiles) {
    rows.push_back({escaped(one.name)});
    for (const double factor : profile_factors) rows.back().push_back(share(one.within(factor)));
    rows.back().push_back(count_of(one.ratios.size()));
  }
  return html::figure("Performance profile",
                      fmt::format("The share of the {} measured for which the best way in a format takes at "
                                  "most so many times as long as the best of all. A matrix on which a format "
                                  "did not run, or left before it was timed, counts as outside.",
                                  matrices(s.raced)),
                      html::canvas(0, "profile", "Performance profile of every format", 24),
                      html::table("Performance profile", header, rows) +
                          (std::any_of(s.profiles.begin(), s.profiles.end(),
                                       [](const performance_profile& one) { return one.name == "vendor"; })
                               ? "<p><small>vendor: the vendor’s kernels in any format, from one copy; the "
                                 "other lines have at least one kernel of ours.</small></p>"
                               : ""));
}

std::string speedup_figure(const char* title, const char* than, const char* kind,
                           const speedup_figures& figures) {
  const auto line = [](const std::string& name, const spread& of) {
    return cells{name,
                 with_commas(of.count),
                 times(of.geometric_mean),
                 times(of.least),
                 times(of.lower),
                 times(of.median),
                 times(of.upper),
                 times(of.most)};
  };
  std::vector<cells> rows;
  for (const speedup_group& group : figures.by_entries)
    rows.push_back(line(fmt::format("{} to {}", with_commas(static_cast<std::int64_t>(group.from)),
                                    with_commas(static_cast<std::int64_t>(group.to))),
                        group.speedups));
  rows.push_back(line("all", figures.all));
  return html::figure(
      title,
      fmt::format(
          "How many times as fast the winner is as {}. A point is a matrix; one that is clicked opens.",
          than),
      html::canvas(0, kind, title, 22),
      html::table("By entries",
                  {"entries", "matrices", "geometric mean", "least", "quarter below", "median",
                   "quarter above", "most"},
                  rows));
}

std::string bytes_figure(const batch_summary& s) {
  std::vector<cells> rows;
  const auto add = [&](const std::string& name, const spread& of) {
    if (of.count > 0)
      rows.push_back({escaped(name), with_commas(of.count), times(of.least), times(of.lower),
                      times(of.median), times(of.upper), times(of.most)});
  };
  for (const bytes_of_format& one : s.bytes) add(one.format, one.times_csr);
  add("the winner", s.winner_bytes);
  return html::figure(
      "Bytes against CSR",
      "Bytes of the smallest a format can be over those of CSR, whether it was tried or not: the median and "
      "the half of all matrices around it. The winner is counted with what its kernels hold beside it.",
      html::canvas(0, "bytes", "Bytes of every format against CSR", 6 + 2 * rows.size()),
      html::table("Bytes / bytes of CSR",
                  {"format", "matrices", "least", "quarter below", "median", "quarter above", "most"}, rows));
}

std::string break_even_figure(const batch_summary& s) {
  std::vector<cells> rows;
  for (const break_even_bin& bin : break_even_bins(s.break_evens))
    rows.push_back({bin.label, with_commas(bin.count), share(share_of(bin.count, s.raced))});
  return html::figure("When converting is repaid",
                      "After how many products, in the mix that was asked for, converting to the winner has "
                      "cost less than staying in CSR.",
                      html::canvas(0, "break_evens", "When converting is repaid", 18),
                      html::table("Repaid after", {"products", "matrices", "share"}, rows));
}

std::string prediction_figure(const batch_summary& s) {
  const prediction_figures& p = s.prediction;
  const performance_profile profile = predicted_profile(p);
  cells header = {"within"}, line = {"predicted choice"};
  for (const double factor : profile_factors) {
    header.push_back(fmt::format("{:g} ×", factor));
    line.push_back(share(profile.within(factor)));
  }
  const std::vector<cells> figures = {{"matrices with a prediction", with_commas(p.choices)},
                                      {"whose choice was measured", with_commas(p.measured)},
                                      {"whose choice was not", with_commas(p.not_measured)},
                                      {"geometric mean of time / best", times(p.geometric_mean)},
                                      {"within 5 %", share(p.within_5)},
                                      {"within 20 %", share(p.within_20)},
                                      {"worst", times(p.worst)},
                                      {"worst on", escaped(p.worst_name)}};
  return html::figure(
      "How well --predict would have done",
      fmt::format("The measured time of what the model expects to be fastest, over the best measured. {}",
                  p.not_measured == 0 ? std::string("All its choices were measured.")
                                      : fmt::format("For {} its choice was not measured; these do not count.",
                                                    matrices(p.not_measured))),
      html::canvas(0, "prediction", "How far the predicted choice is from the best", 20),
      html::table("Share of matrices within a factor of the best", header, {line}) + "<div class=\"texts\">" +
          html::table("Prediction", {}, figures) + "</div>");
}

std::string failures_card(const batch_summary& s) {
  if (s.failures.empty()) return "";
  std::vector<cells> causes, rows;
  for (const failure_count& one : s.failures) {
    causes.push_back({escaped(one.cause), count_of(one.rows.size())});
    for (const std::size_t i : one.rows) {
      const batch_row& row = s.rows[i];
      if (rows.size() < failures_listed)
        rows.push_back({escaped(row.name), escaped(one.cause), escaped(row.stage), escaped(row.message)});
    }
  }
  const auto left_out = static_cast<std::size_t>(s.failed) - rows.size();
  return "<h3>Failures</h3><div class=\"card failures\">" +
         html::table("By cause", {"cause", "matrices"}, causes) +
         html::table("All failures", {"matrix", "cause", "doing", "message"}, rows) +
         (left_out == 0 ? ""
                        : fmt::format("<p>And {} more: choose <em>failed</em> in the table of all "
                                      "matrices.</p>",
                                      count_of(left_out))) +
         "</div>\n";
}

// Filled by the script.
std::string all_matrices() {
  return "<section id=\"matrices\"><h3>All matrices</h3><div class=\"card\">"
         "<noscript><p>The table needs scripts; results.csv has the same figures.</p></noscript>"
         "<form class=\"filters switch\" role=\"search\">"
         "<label>Find <input type=\"search\" id=\"find\" placeholder=\"part of a name\"></label>"
         "<label>Winner <select id=\"winner\"><option value=\"\">any</option></select></label>"
         "<label>Status <select id=\"status\"><option value=\"\">any</option></select></label>"
         "</form><div id=\"all\" class=\"scroll sorted\" role=\"region\" aria-label=\"All matrices\" "
         "tabindex=\"0\"></div>"
         "<nav class=\"pages switch\" aria-label=\"Pages of the table\">"
         "<button type=\"button\" id=\"before\">Previous</button><span id=\"where\" role=\"status\"></span>"
         "<button type=\"button\" id=\"after\">Next</button></nav>"
         "<p><small id=\"notes\"></small></p></div></section>\n"
         "<dialog id=\"detail\" aria-labelledby=\"detail-name\"></dialog>\n";
}

}  // namespace

std::string batch_page(const batch_summary& s, const html::page_origin& origin) {
  std::string charts;
  if (!s.winners.empty()) charts += winners_figure(s);
  if (!s.profiles.empty()) charts += profile_figure(s);
  if (s.over_csr.all.count > 0)
    charts += speedup_figure("Speed-up over CSR", "the best kernels in CSR", "over_csr", s.over_csr);
  if (s.over_vendor.all.count > 0)
    charts += speedup_figure("Speed-up over the vendor", "the vendor’s best format from one copy",
                             "over_vendor", s.over_vendor);
  if (!s.bytes.empty()) charts += bytes_figure(s);
  if (s.raced > 0) charts += break_even_figure(s);
  if (s.prediction.measured > 0) charts += prediction_figure(s);
  return html::whole_page(
      {.tool = "spbatch",
       .title = matrices(static_cast<std::int64_t>(s.rows.size())),
       .heading = "What a collection says",
       .body = notices(s) + tiles(s) + "<p><a href=\"#matrices\">All matrices</a></p>\n" +
               "<div class=\"cards wide\">" + charts + "</div>\n" +
               groups_card(s, "By kind", "kind", s.kinds) + groups_card(s, "By group", "group", s.groups) +
               all_matrices() + failures_card(s) + circumstances(s),
       .origin = origin,
       .styles = {embedded_file("recommend_page.css"), embedded_batch_file("batch_page.css")},
       .scripts = {embedded_batch_file("batch_page.js")},
       .data = json::array({page_data(s)})});
}

}  // namespace sparsmith
