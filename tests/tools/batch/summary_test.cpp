// What a batch says, from made-up lines whose answers are known.
#include "tools/batch/summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <sstream>
#include <utility>

#include "analyze/report/text.hpp"
#include "convert/error.hpp"
#include "tools/batch/batch_csv.hpp"
#include "tools/batch/report.hpp"
#include "tools/batch/summary_text.hpp"

#include "tests/catch.hpp"
#include "tests/tools/batch/made_lines.hpp"

using namespace sparsmith;

namespace {

batch_summary summary_of(const std::vector<json>& lines) {
  std::vector<batch_row> rows;
  for (const json& line : lines) rows.push_back(row_of(line));
  return summarize(std::move(rows));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const performance_profile& profile_of(const batch_summary& s, const std::string& name) {
  for (const performance_profile& one : s.profiles)
    if (one.name == name) return one;
  FAIL("no profile of " + name);
  throw 0;
}

// What a reader of RFC 4180 makes of it.
std::vector<std::vector<std::string>> parsed_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (quoted || (c != ',' && c != '\n'))
      field += c;
    else {
      lines.back().push_back(std::move(field));
      field.clear();
      if (c == '\n') lines.emplace_back();
    }
  }
  CHECK_FALSE(quoted);
  CHECK(lines.back().empty());
  lines.pop_back();
  return lines;
}

std::string cell(const std::vector<std::vector<std::string>>& lines, std::size_t line,
                 const std::string& column) {
  for (std::size_t c = 0; c < lines[0].size(); ++c)
    if (lines[0][c] == column) return lines.at(line).at(c);
  FAIL("no column " + column);
  return "";
}

}  // namespace

TEST_CASE("a line becomes a row") {
  const batch_row row = row_of(made::raced_line("a.mtx", 5000));
  CHECK(row.raced());
  CHECK(row.name == "a.mtx");
  CHECK(row.entries == 5000);
  CHECK(row.winner.label == "sell 32 x 1024");
  CHECK(row.winner.kernels == "sell/slice");
  CHECK_FALSE(row.winner.vendor);
  CHECK(row.vendor.vendor);
  CHECK(row.best_us == Approx(10));
  CHECK(row.stay.kernels == "cusparse/csr");  // whoever wrote them
  CHECK(speedup_over_csr(row) == Approx(1.6));
  CHECK(speedup_over_vendor(row) == Approx(1.6));
  CHECK(speedup_over_vendor_csr(row) == Approx(1.6));
  CHECK(row.vendor_two_copies.label == "csr + csr of A^T");
  CHECK(speedup_over_vendor_two_copies(row) == Approx(0.8));
  CHECK(row.features.row_longest == 40);
  CHECK(row.variants.size() == 6);
  CHECK(row.contestants.size() == 11);
  CHECK(row.machine == "NVIDIA H200, driver 580, CUDA 13.0");
  // A copy of A^T takes part in no way from one copy; CSR is ours even where the vendor's is faster.
  REQUIRE(row.series.size() == 4);
  const std::pair<const char*, double> expected[] = {
      {"csr", 17}, {"sell", 10}, {"ell", 30}, {"vendor", 16}};  // CSR: our A x, the vendor's A^T x, 5 + 12
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(row.series[i].name == expected[i].first);
    CHECK(row.series[i].us == Approx(expected[i].second));
  }
}

TEST_CASE("the results decide, and not what a line says of them") {
  json line = made::raced_line("a.mtx");
  json& r = line["recommendation"];
  CHECK(row_of(line).reason == r["verdict"]["reason"].get<std::string>());
  CHECK(row_of(line).spconv == r["verdict"]["spconv"].get<std::string>());
  r["verdict"]["copies"][0] = "ell";
  CHECK(row_of(line).winner.label == "sell 32 x 1024");
  CHECK(row_of(line).reason.empty());  // it was of another winner
  r["verdict"] = nullptr;
  CHECK(row_of(line).winner.label == "sell 32 x 1024");
  for (const std::size_t sell : {4, 5, 6, 7}) made::take_times_away(r["contestants"][sell]);
  CHECK(row_of(line).winner.label == "csr");
  CHECK(row_of(line).winner.vendor);
}

TEST_CASE("lines of version 0.2.0 are read as well") {
  json line = made::raced_line("a.mtx");
  const batch_row now = row_of(line);
  json& r = line["recommendation"];
  r["schema"] = "sparsmith.recommend/1";
  r["candidates"] = r["variants"];
  r.erase("variants");
  for (json& one : r["contestants"]) {
    one["candidate"] = one["variant"];
    one.erase("variant");
  }
  const batch_row then = row_of(line);
  CHECK(then.winner.label == now.winner.label);
  CHECK(then.contestants.size() == now.contestants.size());
  CHECK(results_csv(summarize({then})) == results_csv(summarize({now})));
  CHECK(contestants_csv(summarize({then})) == contestants_csv(summarize({now})));
}

TEST_CASE("a recommendation that cannot be read is refused in words") {
  const auto why = [](const char* list, std::size_t place, const char* name, const json& value) {
    json line = made::raced_line("a.mtx");
    line["recommendation"][list][place][name] = value;
    return row_of(line).unreadable;
  };
  CHECK(has(why("variants", 1, "format", "lil"), "format `lil` is not known here"));
  CHECK(has(why("variants", 1, "bytes", 1e300), "`bytes` is no whole number"));
  CHECK(has(why("contestants", 1, "operation", "ay"), "product `ay`"));
  CHECK(has(why("contestants", 1, "variant", 6), "a variant that is not there"));
  json newer = made::raced_line("a.mtx");
  newer["recommendation"]["schema"] = "sparsmith.recommend/9";
  CHECK(has(row_of(newer).unreadable, "recommend/9"));
  CHECK(row_of(newer).entries > 0);  // what else the line says stays
}

TEST_CASE("winners are counted by format, the vendor's apart") {
  const batch_summary s = summary_of({made::raced_line("a"), made::raced_line("b"), made::csr_line("c", true),
                                      made::csr_line("d", false), made::predicted_line("e")});
  CHECK(s.ok == 5);
  CHECK(s.raced == 4);
  CHECK(s.predicted == 1);
  REQUIRE(s.winners.size() == 3);
  CHECK(s.winners[0].name() == "sell");
  CHECK(s.winners[0].measured == 2);
  CHECK(s.winners[0].predicted == 1);
  CHECK(s.winners[0].over_csr == Approx(1.6));
  CHECK(s.winners[0].over_vendor == Approx(1.6));
  CHECK(s.winners[0].times_csr == Approx(1.25));
  CHECK(s.winners[1].name() == "csr (vendor)");
  CHECK(s.winners[1].measured == 1);
  CHECK(s.winners[2].name() == "csr");
  CHECK(std::isnan(s.winners[2].over_vendor));
  // Of the measured alone: 1.6, 1.6, 1, 1 and 1.6, 1.6, 1.
  CHECK(s.over_csr.all.count == 4);
  CHECK(s.over_csr.all.geometric_mean == Approx(std::sqrt(1.6)));
  CHECK(s.over_csr.all.median == Approx(1.3));
  CHECK(s.over_vendor.all.count == 3);
  CHECK(s.over_vendor.all.geometric_mean == Approx(std::pow(1.6, 2.0 / 3)));
  CHECK(s.over_vendor_csr.count == 3);
  CHECK(s.winner_bytes.count == 4);
  CHECK(s.winner_bytes.most == 1.25);
}

TEST_CASE("groups and kinds of an index: winners, failures and the mean gain of each") {
  std::vector<batch_row> rows;
  for (const json& line :
       {made::raced_line("HB/a.mtx"), made::csr_line("HB/b.tar.gz", true), made::raced_line("c.mtx"),
        made::failed_line("Bai/d.mtx", "timeout", "took long"), made::raced_line("e.mtx")})
    rows.push_back(row_of(line));
  const std::vector<batch_row> without = rows;
  const auto of = [](const char* group, const char* name, double size, const char* kind) {
    return fmt::format("{},{},{:.0f},{:.0f},9,1,0,0,1,1,1,{}\n", group, name, size, 2 * size, kind);
  };
  const double size = rows[0].rows;
  REQUIRE(rows[0].cols == 2 * size);
  take_groups(rows, collection_index("5\n\n" + of("HB", "a", size, "circuit") + of("HB", "b", size, "power") +
                                         of("Bai", "c", size, "circuit") + of("Bai", "d", 77, "power") +
                                         of("Bai", "e", size + 1, "power"),
                                     "i.csv"));
  const batch_summary s = summarize(rows);
  REQUIRE(s.groups.size() == 3);
  CHECK(s.groups[0].name == "Bai");  // d could not be read, and is known by its name
  CHECK(s.groups[0].matrices == 2);
  CHECK(s.groups[0].failed == 1);
  REQUIRE(s.groups[0].winners.size() == 1);
  CHECK(s.groups[0].winners[0].name == "sell");
  CHECK(s.groups[0].over_csr == Approx(1.6));
  CHECK(s.groups[1].name == "HB");
  REQUIRE(s.groups[1].winners.size() == 2);
  CHECK(s.groups[1].winners[0].name == "csr (vendor)");
  CHECK(s.groups[1].over_csr == Approx(std::sqrt(1.6 * speedup_over_csr(rows[1]))));
  CHECK(s.groups[1].over_vendor == Approx(std::sqrt(1.6 * speedup_over_vendor(rows[1]))));
  CHECK(s.groups[2].name == "not in the index");  // e has another size
  REQUIRE(s.kinds.size() == 3);
  CHECK(s.kinds[0].name == "circuit");
  CHECK(s.kinds[0].matrices == 2);
  CHECK(s.kinds[0].winners[0].matrices == 2);
  CHECK(s.kinds[1].name == "power");
  CHECK(s.kinds[2].name == "not in the index");

  const auto csv = parsed_csv(results_csv(s));
  CHECK(csv[0][csv[0].size() - 2] == "group");
  CHECK(cell(csv, 1, "kind") == "circuit");
  CHECK(cell(csv, 5, "group") == "not in the index");
  const json told = json::parse(summary_as_json(s).dump());
  CHECK(told["kinds"][0]["winners"] == json{{{"winner", "sell"}, {"matrices", 2}}});
  CHECK(told["groups"][0]["failed"] == 1);
  CHECK(told["groups"][2]["speedup_over_csr"].is_number());
  const std::string text = summary_as_text(s, 80);
  CHECK(has(text, "csr (vendor) 1, sell 1"));
  CHECK(has(text, "\nkind "));
  for (const int width : {40, 80, 200}) {
    std::istringstream lines(summary_as_text(s, width));
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= width);
  }
  // Nothing of it without an index.
  const batch_summary plain = summarize(without);
  CHECK(plain.groups.empty());
  CHECK(plain.kinds.empty());
  CHECK(parsed_csv(results_csv(plain))[0].size() == csv[0].size() - 2);
  CHECK_FALSE(summary_as_json(plain).contains("groups"));
  CHECK_FALSE(has(summary_as_text(plain, 80), "kind"));
}

TEST_CASE("of many groups the text names some, and of many winners") {
  std::vector<batch_row> rows;
  for (int i = 0; i < 20; ++i) {
    batch_row row = row_of(made::raced_line("m" + std::to_string(i)));
    row.group = i < 5 ? "first" : "group " + std::to_string(i);
    row.kind = "one";
    if (i < 5) row.winner.format = std::string(1, static_cast<char>('a' + i));
    rows.push_back(std::move(row));
  }
  const std::string text = summary_as_text(summarize(rows), 120);
  CHECK(has(text, "  and 4 more, in the report\n"));
  CHECK(has(text, "a 1, b 1, c 1 and 2 others"));
}

TEST_CASE("a profile counts what did not run as outside") {
  const batch_summary s = summary_of({made::raced_line("a"), made::csr_line("b", true)});
  // b: ours in CSR 17, the vendor's 16, which is the best; SELL 40.
  const performance_profile csr = profile_of(s, "csr");
  CHECK(csr.matrices == 2);
  CHECK(csr.within(1) == 0);
  CHECK(csr.within(1.05) == 0);
  CHECK(csr.within(1.07) == 0.5);
  CHECK(csr.within(1.7) == 1);
  const performance_profile sell = profile_of(s, "sell");
  CHECK(sell.within(1) == 0.5);
  CHECK(sell.within(2.4) == 0.5);
  CHECK(sell.within(2.5) == 1);
  CHECK(profile_of(s, "vendor").within(1) == 0.5);
  CHECK(profile_of(s, "vendor").within(1.6) == 1);

  json without_ell = made::raced_line("c");
  for (json& one : without_ell["recommendation"]["contestants"])
    if (one["variant"] == 3 && one["operation"] == "atx") made::take_times_away(one);  // one is not enough
  const batch_summary t = summary_of({made::raced_line("a"), without_ell});
  CHECK(profile_of(t, "ell").ratios.size() == 1);
  CHECK(profile_of(t, "ell").within(1000) == 0.5);
}

TEST_CASE("only the products that are asked for count") {
  json line = made::raced_line("a");
  line["recommendation"]["request"]["mix"] = {{"ax", 1.0}, {"atx", 0.0}};
  const batch_row row = row_of(line);
  CHECK(row.best_us == Approx(6));
  CHECK(row.series[0].us == Approx(10));
  CHECK(row.choice->label == "sell 32 x 1024");
  line["recommendation"]["request"]["regime"] = "warm";
  CHECK(row_of(line).best_us == Approx(3));
  line["recommendation"]["request"]["mix"] = {{"ax", 0.0}, {"atx", 0.0}};
  CHECK(row_of(line).series.empty());
  CHECK_FALSE(row_of(line).choice);
}

TEST_CASE("speed-ups are grouped by powers of ten of the entries") {
  const batch_summary s = summary_of({made::raced_line("a", 1000), made::raced_line("b", 9999),
                                      made::raced_line("c", 10000), made::raced_line("d", 2e6)});
  REQUIRE(s.over_csr.by_entries.size() == 3);
  CHECK(s.over_csr.by_entries[0].from == 1000);
  CHECK(s.over_csr.by_entries[0].speedups.count == 2);
  CHECK(s.over_csr.by_entries[1].from == 10000);
  CHECK(s.over_csr.by_entries[2].to == Approx(1e7));
}

TEST_CASE("quartiles lie between the nearest values") {
  const spread five = spread_of({5, 1, 4, 2, 3});
  CHECK(five.least == 1);
  CHECK(five.lower == 2);
  CHECK(five.median == 3);
  CHECK(five.upper == 4);
  CHECK(five.most == 5);
  CHECK(spread_of({1, 2}).median == 1.5);
  CHECK(spread_of({1, 4}).geometric_mean == Approx(2));
  CHECK(spread_of({}).count == 0);
  CHECK(std::isnan(spread_of({}).median));
}

TEST_CASE("on the line is within, a little more is not") {
  const performance_profile p{"x", 4, {1, 1.05, 1.2, 2}};
  CHECK(p.within(1) == 0.25);
  CHECK(p.within(1.05) == 0.5);
  CHECK(p.within(1.0499) == 0.25);
  CHECK(p.within(1.2) == 0.75);
  CHECK(p.within(2) == 1);
  CHECK(performance_profile{"x", 0, {}}.within(2) == 0);
}

TEST_CASE("rows are counted for what they are") {
  json interrupted = made::raced_line("b"), only_analysed = made::analysed_line("c"),
       failed = made::failed_line("d", "error", "no");
  interrupted["recommendation"]["interrupted"] = true;
  only_analysed["result"] = "analysed";
  only_analysed["not_raced"] = "complex values";
  failed["not_raced"] = "does not count";
  failed["seconds"] = nullptr;
  const batch_summary s =
      summary_of({made::raced_line("a"), interrupted, only_analysed, only_analysed, failed});
  CHECK(s.ok == 4);
  CHECK(s.failed == 1);
  CHECK(s.raced == 2);
  CHECK(s.not_raced == 2);
  CHECK(s.why_not_raced == std::vector<std::string>{"complex values"});
  CHECK(s.not_final == 1);
  CHECK(s.seconds == Approx(10));  // four that are known
  CHECK(s.analysed == 2);
  // Fewer than one entry is in no group of speed-ups, one is in the first.
  const batch_summary few = summary_of({made::raced_line("a", 1), made::raced_line("b", 0)});
  REQUIRE(few.over_csr.by_entries.size() == 1);
  CHECK(few.over_csr.by_entries[0].from == 1);
  CHECK(few.over_csr.by_entries[0].speedups.count == 1);
}

TEST_CASE("bytes are those of the smallest a format can be") {
  const batch_summary s = summary_of({made::raced_line("a"), made::analysed_line("b")});
  std::map<std::string, spread> by_format;
  for (const bytes_of_format& one : s.bytes) by_format[one.format] = one.times_csr;
  CHECK(by_format["csr"].count == 2);
  CHECK(by_format["csr"].most == 1);
  CHECK(by_format["sell"].median == 1.25);
  CHECK(by_format["gcsb"].median == 0.75);  // it was not tried
  CHECK(by_format["ell"].count == 2);
  CHECK(by_format["ell"].median == 3);
  CHECK(s.bytes.front().format == "gcsb");
}

TEST_CASE("break-evens: at once, after some products, never, not known") {
  json at_once = made::raced_line("b"), never = made::csr_line("c", true), not_known = made::raced_line("d");
  at_once["recommendation"]["variants"][1]["convert_ms"] = 0.0;
  // ELL takes 16.2 µs where CSR takes 16, and has fewer bytes: CSR stays.
  never["recommendation"]["variants"][3]["bytes"] = 10000;
  for (const std::size_t ell : {8, 9})
    never["recommendation"]["contestants"][ell]["cold"] = made::timed(ell == 8 ? 8.1 : 24.3);
  for (const std::size_t csr : {0, 1, 2, 3})
    made::take_times_away(not_known["recommendation"]["contestants"][csr]);
  const break_even_figures b = summary_of({made::raced_line("a"), at_once, never, not_known,
                                           made::csr_line("e", true), made::predicted_line("f")})
                                   .break_evens;
  CHECK(b.stays == 2);
  CHECK(b.at_once == 1);
  CHECK(b.never == 0);  // nobody is sent from CSR to what is never repaid
  CHECK(b.not_known == 1);
  REQUIRE(b.after.size() == 1);
  CHECK(b.after[0] == Approx(250));
}

TEST_CASE("what --predict would have taken") {
  // a: SELL, the best. b: the model still takes SELL, which takes 40 there, the best 16. c: it would have
  // taken ELL, and its product with A^T was not measured.
  json unmeasured = made::raced_line("c");
  for (json& one : unmeasured["recommendation"]["contestants"])
    if (one["variant"] == 3) {
      one["predicted"]["cold_us"] = 0.5;
      if (one["operation"] == "atx") made::take_times_away(one);
    }
  const batch_summary s =
      summary_of({made::raced_line("a"), made::csr_line("b", true), unmeasured, made::predicted_line("d")});
  const prediction_figures& p = s.prediction;
  CHECK(p.choices == 3);
  CHECK(p.measured == 2);
  CHECK(p.not_measured == 1);
  CHECK(p.geometric_mean == Approx(std::sqrt(2.5)));
  CHECK(p.within_5 == 0.5);
  CHECK(p.within_20 == 0.5);
  CHECK(p.worst == Approx(2.5));
  CHECK(p.worst_name == "b");
  CHECK(s.rows[2].choice->label == "ell");
  CHECK(std::isnan(s.rows[2].choice->ratio));
}

TEST_CASE("failures are told by cause, the most frequent first") {
  const batch_summary s =
      summary_of({made::failed_line("a", "timeout", "took longer than 10 s"), made::raced_line("b"),
                  made::failed_line("c", "error", "line 3: no number"),
                  made::failed_line("d", "error", "line 4: no number")});
  CHECK(s.failed == 3);
  CHECK(s.ok == 1);
  REQUIRE(s.failures.size() == 2);
  CHECK(s.failures[0].cause == "error");
  CHECK(s.failures[0].rows == std::vector<std::size_t>{2, 3});
  CHECK(s.failures[1].cause == "timeout");
}

TEST_CASE("what cannot be compared is noted") {
  json other = made::raced_line("b");
  other["version"] = "0.3.0";
  other["options"]["caches"] = "warm";
  other["recommendation"]["machine"]["device"] = "NVIDIA A100";
  other["recommendation"]["out_of_time"] = true;
  CHECK(summary_of({made::raced_line("a"), made::raced_line("b")}).notes.empty());
  const batch_summary s = summary_of({made::raced_line("a"), other});
  REQUIRE(s.notes.size() == 4);
  CHECK(has(s.notes[0], "2 machines"));
  CHECK(has(s.notes[0], "NVIDIA A100"));
  CHECK(has(s.notes[1], "2 versions"));
  CHECK(has(s.notes[2], "2 sets of options"));
  CHECK(has(s.notes[3], "1 of 2 verdicts are not final"));
  CHECK(has(summary_of({made::raced_line("a"), made::predicted_line("b")}).notes.back(), "predicted"));
}

TEST_CASE("what was measured on a busy machine is counted and marked") {
  json busy = made::raced_line("b");
  busy["recommendation"]["noisy"] = {"other processes used 0.97 of a core",
                                     "a thread waited 12 % of the time"};
  const batch_summary s = summary_of({made::raced_line("a"), busy, made::raced_line("c")});
  CHECK(s.noisy == 1);
  CHECK(s.not_final == 0);
  REQUIRE(s.notes.size() == 1);
  CHECK(has(s.notes[0], "1 matrix was measured on a busy machine"));
  CHECK(has(s.notes[0], "--retry-noisy"));
  CHECK(has(summary_as_text(s, 200), "1 matrix was measured on a busy machine"));
  CHECK(summary_as_json(s)["noisy"] == 1);
  const auto lines = parsed_csv(results_csv(s));
  CHECK(cell(lines, 1, "verdict") == "final");
  CHECK(cell(lines, 1, "noisy").empty());
  CHECK(cell(lines, 2, "verdict") == "unsettled");
  CHECK(cell(lines, 2, "noisy") == "other processes used 0.97 of a core; a thread waited 12 % of the time");
  CHECK(has(summary_of({busy, busy}).notes[0], "2 matrices were measured on a busy machine"));
}

TEST_CASE("code that the GPU's own would outrun is noted once") {
  json line = made::raced_line("b");
  json& machine = line["recommendation"]["machine"];
  machine["code"] = "8.0, compiled by the driver for 9.0";
  machine["code_doubt"] = "built for 8.0: build with ARCH=90";
  machine["vendor"] = "cuSPARSE 12.6.3";
  json another = line;
  another["key"] = another["name"] = "c";
  const batch_summary s = summary_of({line, another});
  CHECK(s.machines ==
        std::vector<std::string>{"NVIDIA H200, driver 580, CUDA 13.0, code for 8.0, compiled by "
                                 "the driver for 9.0, cuSPARSE 12.6.3"});
  CHECK(s.notes ==
        std::vector<std::string>{"The kernels of 2 of 2 verdicts were built for 8.0: build with ARCH=90."});
}

TEST_CASE("summaries of little") {
  SECTION("no lines") {
    const batch_summary s = summary_of({});
    CHECK(s.winners.empty());
    CHECK(summary_as_text(s, 80) == "0 matrices: 0 done, 0 failed\n");
    CHECK(summary_as_json(s)["matrices"] == 0);
  }
  SECTION("only failures") {
    const batch_summary s = summary_of({made::failed_line("a", "signal", "ended by SIGABRT")});
    CHECK(s.profiles.empty());
    CHECK(s.bytes.empty());
    CHECK(has(summary_as_text(s, 80), "a (reading): ended by SIGABRT"));
  }
  SECTION("analyses only") {
    const batch_summary s = summary_of({made::analysed_line("a")});
    CHECK(s.analysed == 1);
    CHECK(s.raced == 0);
    CHECK(s.without_verdict == 0);
    CHECK(s.rows[0].entries == 1000);
    CHECK(s.rows[0].features.upper_bandwidth == 9);
    CHECK(s.bytes.size() == 2);
    CHECK(s.profiles.empty());
  }
  SECTION("predictions only") {
    const batch_summary s = summary_of({made::predicted_line("a")});
    CHECK(s.winners.size() == 1);
    CHECK(s.profiles.empty());
    CHECK(s.over_csr.all.count == 0);
    CHECK(s.prediction.choices == 0);
  }
  SECTION("no verdict") {
    json line = made::raced_line("a");
    for (json& one : line["recommendation"]["contestants"]) made::take_times_away(one);
    const batch_summary s = summary_of({line});
    CHECK(s.without_verdict == 1);
    CHECK(s.winners.empty());
  }
  SECTION("a failed matrix with a recommendation wins nothing") {
    json line = made::raced_line("a");
    line["result"] = "failed";
    CHECK(summary_of({line}).winners.empty());
  }
  SECTION("nothing but a name") {
    const batch_summary s = summary_of({json{{"name", "a"}}, json::object()});
    CHECK(s.failed == 2);
    CHECK(s.failures[0].cause == "not known");
    CHECK(parsed_csv(results_csv(s)).size() == 3);
  }
}

TEST_CASE("CSV: one line a matrix, whatever its name") {
  const std::string hostile = "a,\"b\"\nc.mtx";
  const batch_summary s =
      summary_of({made::raced_line(hostile), made::failed_line("=cmd|x", "error", "line 3, \"x\""),
                  made::analysed_line("plain")});
  const auto lines = parsed_csv(results_csv(s));
  REQUIRE(lines.size() == 4);
  for (const auto& line : lines) CHECK(line.size() == lines[0].size());
  CHECK(cell(lines, 1, "matrix") == hostile);
  CHECK(cell(lines, 1, "winner") == "sell 32 x 1024");
  CHECK(cell(lines, 1, "winner_us") == "10");
  CHECK(cell(lines, 1, "speedup_over_csr") == "1.6");
  CHECK(cell(lines, 1, "repaid_after") == "250");
  CHECK(cell(lines, 1, "predicted_over_best") == "1");
  CHECK(cell(lines, 1, "verdict") == "final");
  CHECK(cell(lines, 2, "matrix") == "'=cmd|x");  // a spreadsheet takes it for text
  CHECK(cell(lines, 2, "cause") == "error");
  CHECK(cell(lines, 2, "stage") == "reading");
  CHECK(cell(lines, 2, "message") == "line 3, \"x\"");
  CHECK(cell(lines, 2, "winner").empty());
  CHECK(cell(lines, 2, "speedup_over_csr").empty());
  CHECK(cell(lines, 3, "row_max") == "40");
  CHECK(cell(lines, 3, "verdict").empty());
}

TEST_CASE("CSV: one line a contestant, and one for a format that was not made") {
  const auto lines =
      parsed_csv(contestants_csv(summary_of({made::raced_line("a"), made::analysed_line("b")})));
  REQUIRE(lines.size() == 1 + 11 + 1);
  for (const auto& line : lines) CHECK(line.size() == lines[0].size());
  CHECK(cell(lines, 3, "kernel") == "cusparse/csr");
  CHECK(cell(lines, 3, "vendor") == "yes");
  CHECK(cell(lines, 3, "cold_median_us") == "8");
  CHECK(cell(lines, 3, "warm_median_us") == "4");
  CHECK(cell(lines, 5, "winner") == "yes");
  CHECK(cell(lines, 9, "reason") == "after 2 samples at 3.00 x the leader");
  CHECK(cell(lines, 11, "parameters") == "of A^T");
  // A line of before 0.3, which called refused what was not tried.
  CHECK(cell(lines, 12, "result") == "not tried");
  CHECK(cell(lines, 12, "format") == "gcsb");
  CHECK(cell(lines, 12, "reason") == "not tried: predicted at 6 x the leader");
  json line = made::raced_line("a");
  for (json& variant : line["recommendation"]["variants"])
    if (!variant["refused"].is_null()) variant["refused"] = "too padded";
  const auto refused = parsed_csv(contestants_csv(summary_of({line})));
  CHECK(cell(refused, 12, "result") == "refused");
  for (json& variant : line["recommendation"]["variants"])
    if (!variant["refused"].is_null()) variant["not_tried"] = std::exchange(variant["refused"], nullptr);
  const auto untried = parsed_csv(contestants_csv(summary_of({line})));
  CHECK(cell(untried, 12, "result") == "not tried");
  CHECK(cell(untried, 12, "reason") == "too padded");
}

TEST_CASE("text fits the terminal") {
  std::vector<json> lines = {made::raced_line("a"), made::csr_line("b", true), made::csr_line("c", false)};
  lines.push_back(made::failed_line(std::string(100, 'n') + "ä.mtx", "error", std::string(70, 'm') + " end"));
  for (int i = 0; i < 7; ++i)
    lines.push_back(made::failed_line(std::to_string(i) + "\x1b[2J\n", "timeout", "took too long"));
  lines[0]["recommendation"]["machine"]["device"] = std::string(90, 'd');
  const batch_summary s = summary_of(lines);
  for (const int width : {40, 53, 80, 160}) {
    const std::string text = summary_as_text(s, width);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      INFO(width << ": " << line);
      CHECK(display_width(line) <= width);
      CHECK_FALSE(has(line, "\x1b"));
    }
    CHECK(has(text, "csr (vendor)"));
    CHECK(has(text, "over the vendor's"));
    CHECK(has(text, "--predict"));
    CHECK(has(text, "and 2 more"));
  }
}

TEST_CASE("the summary as JSON") {
  const json j = summary_as_json(summary_of(
      {made::raced_line("a"), made::csr_line("b", true), made::failed_line("c", "error", "no number")}));
  CHECK(j["measured"] == 2);
  CHECK(j["winners"][0]["format"] == "sell");
  CHECK(j["speedup_over_vendor_csr"]["count"] == 2);
  CHECK(j["speedup_over_vendor_two_copies"]["least"] == Approx(0.5));
  CHECK(j["failures"][0]["matrices"][0] == "c");
  CHECK(j["prediction"]["worst_matrix"] == "b");
  CHECK(j["break_evens"]["stays_in_csr"] == 1);
  for (const json& series : j["profile"])
    for (const json& step : series["within"]) CHECK((step[1] >= 0 && step[1] <= 1));
}
