// Recommendations as a page: what was found, what it follows from, and nothing that a name could break.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analyze/report/embedded.hpp"
#include "analyze/report/recommend_page.hpp"

#include "tests/catch.hpp"

using namespace sparsmith;
using json = nlohmann::ordered_json;

namespace {

constexpr double micro = 1e-6;

timing around(double median, int samples, double spread = 0.03) {
  timing t;
  t.median = median;
  t.p10 = median * (1 - spread);
  t.p90 = median * (1 + 2 * spread);
  t.samples = samples;
  t.low = median * (1 - spread / 4);
  t.high = median * (1 + spread / 4);
  return t;
}

// Both products of one kernel; 0: it has none.
void add_kernel(variant_result& f, const char* name, double multiply, double transposed,
                bool repeatable = true, bool vendor = false) {
  for (const auto& [op, cold] :
       {std::pair(operation::multiply, multiply), {operation::transposed, transposed}}) {
    contestant_result k{.info = {.name = name,
                                 .description = "made by hand",
                                 .source = "ours",
                                 .repeatable = {repeatable, repeatable},
                                 .vendor = vendor},
                        .op = op,
                        .not_run = cold > 0 ? "" : "it has no product with A^T",
                        .wrong = ""};
    if (cold > 0) {
      k.time = {around(0.8 * cold, 30), around(cold, 30)};
      k.expected = {0.75 * cold, 0.95 * cold};
      k.expected.warm_parts[1] = k.expected.warm;  // all of it for reading the arrays
      k.expected.cold_parts[1] = k.expected.cold;
      k.single_seconds = 1.1 * cold;
      k.prepare_seconds = 20 * micro;
      k.error = 0.125;
      k.work.bytes = cold * 3e12;
    }
    f.contestants.push_back(k);
  }
}

variant_result made(format_kind format, const std::string& note, std::int64_t bytes, double convert) {
  variant_result f;
  f.format = format;
  f.note = note;
  f.bytes = bytes;
  f.slots = 4'000'000;
  f.convert_seconds = convert;
  f.expected_convert_seconds = 0.9 * convert;
  f.base = {regimes{around(30 * micro, 30), around(34 * micro, 30)},
            regimes{around(80 * micro, 30), around(90 * micro, 30)}};
  return f;
}

void leave(variant_result& f, const std::string& why, int samples) {
  for (contestant_result& k : f.contestants) {
    if (!k.timed()) continue;
    k.left = why;
    k.time = {around(k.time.warm.median, samples, 0.08), around(k.time.cold.median, samples, 0.08)};
  }
}

// As a race on a GPU leaves it: SELL wins, BSR is close and smaller than most, CSR needs no conversion.
recommendation raced(const std::string& name) {
  recommendation r;
  r.name = r.features.name = name;
  r.machine = {"cuda", "NVIDIA H200, 140.4 GiB", "580.65", "CUDA 13.0", "9.0",
               "",     "cuSPARSE 12.6.3",        1980,     3201,        16,
               "0.9"};
  r.rates = {2.1 * micro, 4.1e12, 4.3e12, 7.9e12, 2.2e10, 1.1e11, 8e10, 2e9, 62'914'560, 132};
  r.features.rows = r.features.cols = r.found.rows = r.found.cols = 250'000;
  r.features.entries = r.found.entries = 4'000'000;
  r.features.row_lengths.lines = 250'000;
  r.features.row_lengths.lengths = {1, 12, 16, 20, 480};
  r.features.row_lengths.mean = 16;
  r.features.row_lengths.variation = 0.4;
  r.budget_seconds = 60;
  r.seconds = 23.4;
  r.rates.copy_bytes = 4.1e12;
  r.steps = {{"features", 0.4}, {"variants", 1.2}, {"heats", 12.1}, {"final", 9.7}};
  r.found.value_bits = 64;
  r.found.offset_bits = 32;
  r.found.base_names = {"csr/cusparse", "csr/cusparse"};
  r.found.final_rounds = 6;
  const std::int64_t csr_bytes = r.found.csr_bytes();

  variant_result csr = made(format_kind::csr, "", csr_bytes, 0);
  add_kernel(csr, "csr/thread", 96 * micro, 210 * micro, false);
  add_kernel(csr, "csr/vector", 27 * micro, 71 * micro, false);
  add_kernel(csr, "csr/hybrid", 29 * micro, 64 * micro, false);
  add_kernel(csr, "csr/cusparse", 34 * micro, 90 * micro, false, true);
  variant_result coo = made(format_kind::coo, "", csr_bytes * 4 / 3, 90 * micro);
  add_kernel(coo, "coo/atomic", 120 * micro, 118 * micro, false);
  add_kernel(coo, "coo/segments", 55 * micro, 0);
  add_kernel(coo, "coo/cusparse", 49 * micro, 101 * micro, false, true);
  leave(coo, "after heat 1: 1.9 x the time of the fastest, 5 samples", 5);
  variant_result sell = made(format_kind::sell, "32 x 1024", csr_bytes * 103 / 100, 1.4e-3);
  add_kernel(sell, "sell/thread", 21.4 * micro, 52 * micro, false);
  add_kernel(sell, "sell/warp", 24 * micro, 47.5 * micro, false);
  variant_result plain_sell = made(format_kind::sell, "32 x 1", csr_bytes * 140 / 100, 0.4e-3);
  add_kernel(plain_sell, "sell/thread", 25 * micro, 60 * micro, false);
  variant_result ell = made(format_kind::ell, "", 0, 0);
  ell.refused = "it would be 30.0 slots per entry, more than 3";
  variant_result hyb = made(format_kind::hyb, "", csr_bytes * 125 / 100, 2.2e-3);
  add_kernel(hyb, "hyb/split", 31 * micro, 77 * micro, false);
  leave(hyb, "after heat 2: 1.5 x the time of the fastest, 10 samples", 10);
  std::vector<variant_result> blocked;
  for (const int side : {2, 3, 4, 8}) {
    blocked.push_back(made(format_kind::bsr, std::to_string(side) + " x " + std::to_string(side),
                           csr_bytes * (78 + side * side) / 100, 3.1e-3));
    add_kernel(blocked.back(), "bsr/stream", (19.8 + side) * micro, (44 + 3.0 * side) * micro);
    add_kernel(blocked.back(), "bsr/preprocessed", (26.0 + 4 * side) * micro, 0);
    add_kernel(blocked.back(), "bsr/cusparse", (36.0 + 6 * side) * micro, 0, true, true);
  }
  for (const int beta : {32, 64, 256}) {
    const std::string note = "beta " + std::to_string(beta);
    blocked.push_back(made(format_kind::csb, note, csr_bytes * (70 + beta / 16) / 100, 5e-3));
    add_kernel(blocked.back(), "csb/block", (60.0 + beta / 8) * micro, (62.0 + beta / 8) * micro, false);
    leave(blocked.back(), "after heat 1: 2.4 x the time of the fastest, 5 samples", 5);
    blocked.push_back(made(format_kind::gcsb, note, csr_bytes * (90 + beta / 16) / 100, 6e-3));
    add_kernel(blocked.back(), "gcsb/lane", (33.0 + beta / 16) * micro, (36.0 + beta / 16) * micro, false);
  }
  blocked.push_back(made(format_kind::gcsb_tile, "512 x 512", csr_bytes * 88 / 100, 9e-3));
  add_kernel(blocked.back(), "gcsb/tile", 22.5 * micro, 25.5 * micro, false);
  variant_result second = made(format_kind::csr, "", csr_bytes, 1.1e-3);
  second.of_transpose = true;
  add_kernel(second, "csr/cusparse", 0, 35 * micro, true, true);

  r.found.variants = {csr, coo, sell, plain_sell, ell, hyb};
  r.found.variants.insert(r.found.variants.end(), blocked.begin(), blocked.end());
  r.found.variants.push_back(second);
  // One was so slow that its first run was its last.
  for (contestant_result& k : r.found.variants[14].contestants) k.time = {};
  r.found.variants[0].contestants[0].wrong = "row 17: 3.5 times the error that rounding allows";
  return r;
}

// As the model leaves it on a CPU: nothing ran.
recommendation predicted(const std::string& name) {
  recommendation r = raced(name);
  r.machine = {
      "openmp", "AMD EPYC 9554 64-Core Processor", "", "g++ 13.2", "x86-64 with SSE2", "", "", 0, 0, 64,
      "0.9"};
  r.model.share = 0.9472;
  r.found.predicted = true;
  r.found.base_names = {};
  r.seconds = 0.31;
  r.steps = {{"features", 0.2}, {"prediction", 0.1}};
  for (variant_result& f : r.found.variants)
    for (contestant_result& k : f.contestants) {
      k.time = {};
      k.wrong = k.left = "";
      if (f.format == format_kind::coo) k.expected = {100 * k.expected.warm, 100 * k.expected.cold};
      k.single_seconds = 0;
    }
  return r;
}

// CSR stays, only A x is wanted, and little ran.
recommendation interrupted(const std::string& name) {
  recommendation r = raced(name);
  r.found.interrupted = r.found.out_of_time = true;
  r.wanted.weights = {1, 0};
  r.found.variants.resize(2);
  return r;
}

std::string page_of(const std::vector<recommendation>& all) {
  std::vector<verdict> verdicts;
  for (const recommendation& r : all) verdicts.push_back(verdict_of(r.found, r.wanted));
  return recommendation_page(all, verdicts, {"1.2.3", "a device", "2026-01-31T12:00:00Z"});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// What this program wrote itself: without the charts' library.
std::string own(std::string page) {
  const std::string library(embedded_file("chart.min.js"));
  const auto at = page.find(library);
  REQUIRE(at != std::string::npos);
  return page.erase(at, library.size());
}

json data_of(const std::string& page) {
  const std::string start = "id=\"chart-data\">";
  const auto at = page.find(start) + start.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

// From a tag to its end, the first time it is there.
std::string between(const std::string& page, const std::string& start, const std::string& end) {
  const auto at = page.find(start);
  REQUIRE(at != std::string::npos);
  return page.substr(at, page.find(end, at) - at);
}

const json& named(const json& list, const char* member, const std::string& name) {
  for (const json& one : list)
    if (one[member] == name) return one;
  FAIL("there is no " << name);
  return list;
}

const std::string hostile = "</script><img src=x onerror=\"alert('1')\">&<!--<script>";

}  // namespace

TEST_CASE("the verdict is a sentence, with its figures beneath") {
  const std::string page = page_of({raced("m")});
  const std::string card = between(page, "<div class=\"card verdict\">", "</dl>");
  CHECK(has(card,
            "Store it as <b>gcsb_tile 512 x 512</b> and run <b>gcsb/tile</b> for A&nbsp;x and "
            "A<sup>T</sup>&nbsp;x."));
  CHECK(has(card, "<b>24.0&nbsp;µs</b>"));
  CHECK(has(card, "within 23.8–24.2&nbsp;µs; A&nbsp;x 22.5&nbsp;µs; A<sup>T</sup>&nbsp;x 25.5&nbsp;µs"));
  CHECK(has(card, "<b>0.88 × CSR</b>"));
  CHECK(has(card, "<dt>Repaid after</dt><dd><b>419 products</b>"));
  CHECK(has(card, "9.04&nbsp;ms to convert and prepare; A&nbsp;x alone: 2,000"));
  CHECK(has(card, "<dt>Same bits every time</dt><dd><b>no</b>"));
  CHECK_FALSE(has(page, "class=\"notice\""));
  CHECK_FALSE(has(page, "Predicted"));
  CHECK(has(page, "<h4>Why</h4>"));
  for (const char* const what : {"staying in CSR", "vendor’s best format, one copy", "vendor’s CSR, one copy",
                                 "vendor’s best formats, two copies", "fewest bytes", "for A&nbsp;x alone",
                                 "for A<sup>T</sup>&nbsp;x alone"})
    CHECK(has(page, std::string("<th scope=\"row\">") + what + "</th>"));
  CHECK(has(page, ">spconv m --to gcsb_tile "));
  CHECK(has(page, "convert(m, &quot;gcsb_tile&quot;"));
  CHECK(has(page, "It took 23.4&nbsp;s of 60&nbsp;s granted: features 400&nbsp;ms"));
}

TEST_CASE("what is not told apart is named") {
  CHECK_FALSE(has(page_of({raced("m")}), "Not told apart from it"));
  recommendation r = raced("m");
  contestant_result& hybrid = r.found.variants[0].contestants[4];
  hybrid.time.cold = around(22.4 * micro, 30);
  contestant_result& hybrid_transposed = r.found.variants[0].contestants[5];
  hybrid_transposed.time.cold = around(25.4 * micro, 30);
  const std::string page = page_of({r});
  CHECK(has(page, "<b>csr/hybrid</b> for A&nbsp;x"));  // nothing has to be converted for it
  CHECK(has(page, "Not told apart from it in speed: <b>gcsb/tile"));
  CHECK(named(data_of(page)[0]["times_multiply"], "name", "csr/hybrid")["role"] == "winner");
  CHECK_FALSE(has(page, ">spconv "));
  CHECK(has(page, "<td>tied</td>"));
}

TEST_CASE("a busy machine is said before the verdict") {
  recommendation r = raced("m");
  r.found.noisy = {"other processes used 0.97 of a core", "a <thread> waited"};
  const std::string page = page_of({r});
  CHECK(has(page,
            "<p class=\"notice\"><b>The machine was busy:</b> other processes used 0.97 of a core; a "
            "&lt;thread&gt; waited; run again. The verdict is unsettled.</p>"));
}

TEST_CASE("a prediction says that nothing was run") {
  const std::string page = page_of({predicted("m")});
  CHECK(has(page, "<p class=\"notice\"><b>Predicted, nothing was run.</b>"));
  CHECK(has(page, "<p class=\"sentence\">Predicted: store it as "));
  CHECK(has(page, "had 94.7 % of the best’s speed"));
  for (const char* const title :
       {"Predicted time of each contestant", "Predicted total time", "All predictions",
        "Bytes against predicted time", "Time per product, predicted"})
    CHECK(has(page, title));
  CHECK_FALSE(has(page, "with its spread"));
  const json times = data_of(page)[0]["times_multiply"];
  CHECK(named(times, "name", "sell/thread (32 x 1024)")["seconds"] == Approx(0.95 * 21.4 * micro));

  recommendation unknown = predicted("m");
  unknown.model.share = 0;
  CHECK(has(page_of({unknown}), "which has no record for this backend"));
}

TEST_CASE("what ended early says so") {
  const std::string page = page_of({interrupted("m")});
  CHECK(has(page, "<b>Interrupted.</b>"));
  CHECK(has(page, "<b>Out of time.</b> The 60&nbsp;s that were granted"));
  CHECK(has(page, "Stay in <b>csr</b> and run <b>csr/vector</b> for A&nbsp;x."));
  CHECK(has(page, "<dt>Conversion</dt><dd><b>none</b>"));
}

TEST_CASE("charts have the numbers of the results") {
  const recommendation r = raced("m");
  const std::string page = page_of({r});
  const json data = data_of(page)[0];
  for (const char* const kind : {"times_multiply", "times_transposed", "totals", "bytes"})
    CHECK(count(page, std::string("data-chart=\"") + kind + "\" role=\"img\" aria-label=\"") == 1);

  const json& times = data["times_multiply"];
  CHECK(times[0]["name"] == "sell/thread (32 x 1024)");
  for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i - 1]["seconds"] <= times[i]["seconds"]);
  CHECK(named(times, "name", "gcsb/tile (512 x 512)")["role"] == "winner");
  CHECK(named(times, "name", "csr/cusparse")["role"] == "vendor");
  CHECK(named(times, "name", "coo/atomic")["early"] == true);
  CHECK(named(times, "name", "coo/atomic")["samples"] == 5);
  CHECK(named(times, "name", "csr/vector")["low"] == Approx(27 * 0.97 * micro));
  CHECK(named(times, "name", "csb/block (beta 256)")["samples"] == 1);
  CHECK(named(times, "name", "csb/block (beta 256)")["seconds"] == Approx(1.1 * 92 * micro));
  for (const json& one : times) CHECK(one["name"] != "csr/thread");  // its result was wrong
  CHECK(named(data["times_transposed"], "name", "csr/cusparse (of A^T)")["seconds"] == Approx(35 * micro));
  CHECK(has(page, "data-more=\"times_multiply\">Show all "));

  const json& totals = data["totals"];
  CHECK(totals.size() == 8);
  CHECK(totals[0]["role"] == "winner");
  CHECK(totals[1]["stays"] == true);
  CHECK(totals[1]["price"] == Approx(40 * micro));
  // 9 ms and two kernels to prepare, for 24 instead of 45.5 microseconds
  CHECK(totals[0]["crossing"] == Approx(9e-3 / (21.5 * micro)));

  const json& bytes = data["bytes"];
  CHECK(named(bytes, "format", "csb beta 32")["frontier"] == true);
  CHECK(named(bytes, "format", "gcsb_tile 512 x 512")["frontier"] == true);
  CHECK(named(bytes, "format", "sell 32 x 1024")["frontier"] == false);
  CHECK(named(bytes, "format", "csr + csr of A^T")["role"] == "vendor");
}

TEST_CASE("a price that is spread over products is not in the lines twice") {
  recommendation r = raced("m");
  r.wanted.products = 1000;
  const json spread = data_of(page_of({r}))[0]["bytes"], alone = data_of(page_of({raced("m")}))[0]["bytes"];
  const json two_copies = named(spread, "format", "csr + csr of A^T");
  CHECK(two_copies["seconds"] == Approx(named(alone, "format", "csr + csr of A^T")["seconds"].get<double>()));
  CHECK(has(page_of({r}), "with its share of a price spread over 1,000 products"));
}

TEST_CASE("the least in total changes with the number of products") {
  const std::string page = page_of({raced("m")});
  const std::string text = between(page, "Least in total: ", "</p>");
  CHECK(text.find("<b>csr</b> up to ") < text.find("<b>gcsb_tile 512 x 512</b> from there on"));

  recommendation r = raced("m");
  r.found.variants[2].convert_seconds = 12 * micro;
  r.found.variants[3].convert_seconds = 1 * micro;
  CHECK(has(page_of({r}), "Least in total: <b>sell 32 x 1</b> up to 1, <b>sell 32 x 1024</b> up to "));
  // One SELL is ahead from 1.2 products on, and the other from 1.6: no whole number lies between.
  r.found.variants[2].convert_seconds = 16.48 * micro;
  r.found.variants[3].convert_seconds = 3.6 * micro;
  CHECK(has(page_of({r}), "Least in total: <b>csr</b> up to 1, <b>sell 32 x 1024</b> up to "));

  r.found.variants.resize(2);
  CHECK(has(page_of({r}), "Least in total: <b>csr</b> for any number of products."));
}

TEST_CASE("who left stands there with the reason") {
  const std::string page = page_of({raced("m")});
  const std::string table = between(page, "departures sorted", "</table>");
  CHECK(has(table, "<th scope=\"row\">csr/thread</th><td>A&nbsp;x</td><td><b>wrong</b></td><td>row 17: 3.5"));
  CHECK(has(table,
            "<th scope=\"row\">coo/atomic</th><td>A&nbsp;x, A<sup>T</sup>&nbsp;x</td><td>left</td><td>after "
            "heat 1"));
  CHECK(has(table, "<th scope=\"row\">ell</th><td>–</td><td>refused</td><td>it would be 30.0 slots"));
  CHECK(has(table, "<td>not run</td><td>it has no product with A<sup>T</sup></td>"));

  recommendation r = raced("m");
  r.found.variants = {r.found.variants[2]};
  CHECK(has(page_of({r}), "Nobody: every contestant stayed to the end"));
}

TEST_CASE("no name gets out of its place in the page of a recommendation") {
  recommendation r = raced(hostile);
  for (variant_result& f : r.found.variants) {
    f.note = hostile;
    for (contestant_result& k : f.contestants) k.left = hostile;
  }
  r.found.variants[4].refused = r.found.variants[0].contestants[0].wrong = hostile;
  r.found.variants[1].contestants[3].not_run = hostile;
  r.found.base_names = {hostile, hostile};
  r.machine = {hostile, hostile, hostile, hostile, hostile, hostile, hostile, 0, 0, 0, hostile};
  r.steps[0].name = hostile;
  std::vector<recommendation> all = {r, r};
  std::vector<verdict> verdicts;
  for (const recommendation& one : all) {
    verdicts.push_back(verdict_of(one.found, one.wanted));
    verdicts.back().reasons.push_back(hostile);
  }
  const std::string page = own(recommendation_page(all, verdicts));
  CHECK_FALSE(has(page, "<img"));
  CHECK_FALSE(has(page, "onerror=\""));
  CHECK_FALSE(has(page, "<!--"));
  CHECK(count(page, "<script") == 3);
  CHECK(count(page, "</script") == 3);
  CHECK(has(page, "&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;"));
  CHECK(data_of(page)[1]["name"] == hostile);
}

TEST_CASE("the page of a recommendation loads nothing") {
  const std::string page = own(page_of({raced("m")}));
  CHECK(has(page, "default-src 'none'"));
  for (const char* const part : {"http://", "https://", "src=\"//", "@import", "url("})
    CHECK_FALSE(has(page, part));
}

TEST_CASE("several matrices are compared first") {
  const std::string page = page_of({raced("one"), predicted("two"), interrupted("three")});
  CHECK(page.find("id=\"comparison\"") < page.find("id=\"matrix-1\""));
  CHECK(has(page, "<a href=\"#matrix-2\">two</a> <small>predicted</small>"));
  CHECK(has(page, "<a href=\"#matrix-3\">three</a> <small>interrupted, out of time</small>"));
  CHECK(has(page, "id=\"matrix-3\""));
  // Two machines and two requests are told apart, each with the matrices it belongs to.
  CHECK(has(page, "<p class=\"lead\">two</p>"));
  CHECK(count(page, "<caption>Machine</caption>") == 3);
  const std::string alike = page_of({raced("one"), raced("two")});
  CHECK(count(alike, "<caption>Machine</caption>") == 1);
  CHECK_FALSE(has(page_of({raced("one")}), "id=\"comparison\""));
}

TEST_CASE("a recommendation says of which file it is, and who wrote it where and when") {
  recommendation slow = raced("/a/folder/m.mtx");
  slow.machine.clock_mhz = 12345;
  const std::string page = page_of({slow});
  CHECK(has(page, "<h2 title=\"/a/folder/m.mtx\">m.mtx</h2>"));
  CHECK(has(page, "; from /a/folder/m.mtx.</p>"));
  CHECK(has(page, "<title>m.mtx – sprecommend</title>"));
  CHECK(has(page, "sprecommend of Sparsmith 1.2.3 on <time datetime=\"2026-01-31T12:00:00Z\">"));
  CHECK(has(page, "Device: a device."));
  CHECK(has(page, "<td>12,345&nbsp;MHz</td>"));
}

TEST_CASE("a page can do without results") {
  recommendation nothing;
  nothing.name = "empty";
  const std::string page = page_of({nothing, raced("m")});
  CHECK(has(page, "There is nothing to recommend"));
  CHECK_FALSE(has(own(page_of({nothing})), "nan"));
  CHECK_FALSE(has(page_of({nothing}), "<canvas data-matrix"));
  CHECK_FALSE(page_of({}).empty());
}

// Opened by recommend_page_check.py.
TEST_CASE("pages for a browser") {
  const char* const folder = std::getenv("SPARSMITH_PAGES");
  if (folder == nullptr) {
    WARN("SPARSMITH_PAGES names no folder: no pages are left for a browser");
    return;
  }
  const auto write = [&](const char* name, const std::string& page) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::ofstream(path, std::ios::binary) << page;
    CHECK(std::filesystem::file_size(path) == page.size());
  };
  write("recommend_one.html", page_of({raced("matrices/bone010.mtx.gz")}));
  write("recommend_several.html",
        page_of(
            {raced("a/name/without/any/place/to/break/and/rather/long/for/a/phone/matrix_market_file.mtx.gz"),
             predicted("gen:powerlaw?n=250000"), interrupted(hostile)}));
}

TEST_CASE("two products that come together have a chart of their own, and times of an application") {
  recommendation r = raced("pair");
  r.wanted.one_pass = operation::both;
  contestant_result one_pass = r.found.variants[0].contestants[0];
  one_pass.op = operation::both;
  one_pass.wrong = one_pass.not_run = one_pass.left = "";
  const double half = 0.5 * verdict_of(r.found, r.wanted).winner.seconds;  // of two products
  for (timing* const t : {&one_pass.time.warm, &one_pass.time.cold})
    *t = {.median = half, .p10 = half, .p90 = half, .samples = 20, .low = half, .high = half};
  r.found.variants[0].contestants.push_back(one_pass);
  const std::string page = own(page_of({r}));
  for (const char* const part :
       {"data-chart=\"times_both\"", "A&nbsp;x and A<sup>T</sup>&nbsp;w in one pass", "Time per application",
        "as two products", "against the number of applications", "\"unit\":\"application\""}) {
    INFO(part);
    CHECK(has(page, part));
  }
  CHECK(!has(page, "data-chart=\"times_normal\""));
  const std::string plain = own(page_of({raced("pair")}));
  CHECK(!has(plain, "data-chart=\"times_both\""));
  CHECK(has(plain, "Time per product"));
}
