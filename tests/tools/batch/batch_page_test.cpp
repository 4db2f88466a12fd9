// A batch as a page: what it holds, that no name becomes markup, and that thousands of matrices fit.
#include "tools/batch/batch_page.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyze/report/embedded.hpp"
#include "tools/batch/report.hpp"

#include "tests/catch.hpp"
#include "tests/tools/batch/made_lines.hpp"

using namespace sparsmith;

namespace {

const std::string hostile = "</script><img src=x onerror=\"alert('1')\">&<!--.mtx";

const html::page_origin origin = {"1.2.3", "a device", "2026-01-31T12:00:00Z"};

std::string page_of(const std::vector<json>& lines) {
  std::vector<batch_row> rows;
  for (const json& line : lines) rows.push_back(row_of(line));
  return batch_page(summarize(std::move(rows)), origin);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Without the library of charts.
std::string own(std::string page) {
  const std::string library(embedded_file("chart.min.js"));
  const std::size_t at = page.find(library);
  REQUIRE(at != std::string::npos);
  return page.erase(at, library.size());
}

json data_of(const std::string& page) {
  const std::string start = "id=\"chart-data\">";
  const std::size_t from = page.find(start) + start.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from))[0];
}

// 100 contestants in 40 variants, as a race on a GPU has them, with times and reasons that differ from
// matrix to matrix as real ones do.
json large_line(int number, const std::string& name) {
  json line = number % 7 == 0 ? made::csr_line(name, number % 2 == 0)
                              : made::raced_line(name, 100.0 + std::pow(1.0 + number, 2.0));
  json& r = line["recommendation"];
  const auto spread = [&](std::size_t k) {
    return 5 + std::fmod((number + 1) * (static_cast<double>(k) + 1) * 0.7368, 97.0);
  };
  const char* const formats[] = {"sell", "bsr", "csb", "gcsb", "ecsb", "hyb", "gcsb_tile", "coo"};
  while (r["variants"].size() < 40) {
    const std::size_t c = r["variants"].size();
    r["variants"].push_back(made::variant(formats[c % 8], "beta " + std::to_string(c), 1 + spread(c) / 100));
  }
  while (r["contestants"].size() < 100) {
    const std::size_t k = r["contestants"].size(), c = 6 + k / 3;
    json one = made::contestant({c, std::string(formats[c % 8]) + "/made", k % 2 == 0 ? "ax" : "atx",
                                 20 + spread(k), 15 + spread(k + 3), false, "left"});
    one["left"] = "after 2 samples at " + std::to_string(spread(k) / 10).substr(0, 4) + " x the leader";
    r["contestants"].push_back(std::move(one));
  }
  json& v = r["verdict"];
  r["variants"][1]["convert_ms"] = number % 11 == 0 ? 0.0 : std::pow(spread(2) / 5, 3.0) / 100;
  v["reason"] = "a product moves " + std::to_string(spread(3)) +
                " x the bytes of csr/vector: 12 MB; it stores no padding; rows have 4.93 entries, the "
                "longest 5, and are even (variation 0.05); it runs at 21 % of the bandwidth of a copy";
  return line;
}

// Rows as they come, so that never more than one line is there as JSON.
batch_summary many(int matrices) {
  std::vector<batch_row> rows;
  const std::vector<std::string> names = {hostile,
                                          "<b>bold</b>",
                                          "a'b\"c`d",
                                          "javascript:alert(1)",
                                          "../../etc/passwd",
                                          "ünïcödé/矩阵.mtx",
                                          std::string(150, 'x')};
  for (int i = 0; i < matrices; ++i) {
    const std::string name = "collection/group" + std::to_string(i % 40) + "/m" + std::to_string(i) +
                             names[static_cast<std::size_t>(i) % names.size()];
    if (i % 50 == 3)
      rows.push_back(
          row_of(made::failed_line(name, i % 100 == 3 ? "error" : "timeout", "line 3: " + hostile)));
    else if (i % 50 == 4)
      rows.push_back(row_of(made::predicted_line(name)));
    else if (i % 50 == 5)
      rows.push_back(row_of(made::analysed_line(name)));
    else
      rows.push_back(row_of(large_line(i, name)));
  }
  return summarize(std::move(rows));
}

}  // namespace

TEST_CASE("the page of a batch holds its figures") {
  const std::string page = page_of({made::raced_line("a.mtx"), made::csr_line("b.mtx", true),
                                    made::failed_line("c.mtx", "timeout", "took longer than 10 s")});
  CHECK(has(page, "2 done, 1 failed"));
  CHECK(has(page, "spbatch of Sparsmith 1.2.3 on <time datetime=\"2026-01-31T12:00:00Z\">"));
  CHECK(has(page, "Device: a device."));
  CHECK(has(page, "csr (vendor)"));
  CHECK(has(page, "took longer than 10 s"));
  for (const char* const chart :
       {"winners", "profile", "over_csr", "over_vendor", "bytes", "break_evens", "prediction"})
    CHECK(has(page, "data-chart=\"" + std::string(chart) + "\""));
  const json data = data_of(page);
  REQUIRE(data["rows"].size() == 3);
  REQUIRE(data["details"].size() == 3);
  for (const json& row : data["rows"]) CHECK(row.size() == data["fields"].size());
  const json detail = json::parse(data["details"][0].get<std::string>());
  CHECK(detail["winner"][0] == "sell 32 x 1024");
  CHECK(detail["variants"].size() == 6);
  CHECK(detail["variants"][0][6].size() == 4 * 6);
  CHECK(data["words"][detail["variants"][1][1].get<std::size_t>()] == "32 x 1024");
  CHECK(json::parse(data["details"][2].get<std::string>())["failure"][1] == "timeout");
}

TEST_CASE("groups and kinds stand on the page where there is an index") {
  std::vector<batch_row> rows = {row_of(made::raced_line("a.mtx")), row_of(made::raced_line("b.mtx"))};
  CHECK_FALSE(has(own(batch_page(summarize(rows), origin)), "<h3>By kind</h3>"));
  rows[0].group = "HB";
  rows[0].kind = "a <kind>";
  rows[1].group = rows[1].kind = "not in the index";
  const std::string page = own(batch_page(summarize(rows), origin));
  CHECK(has(page, "<h3>By kind</h3>"));
  CHECK(has(page, "<h3>By group</h3>"));
  CHECK(has(page, "a &lt;kind&gt;"));
  const json data = data_of(page);
  CHECK(data["fields"].back() == "kind");
  CHECK(data["rows"][0].back() == "a <kind>");
  CHECK(data["rows"][0].size() == data["fields"].size());
}

TEST_CASE("a CPU has no vendor, and no chart of one") {
  const std::string page = page_of({made::csr_line("a", false)});
  CHECK_FALSE(has(page, "data-chart=\"over_vendor\""));
  CHECK(has(page, "data-chart=\"over_csr\""));
}

TEST_CASE("no name of a file becomes markup") {
  json line = made::raced_line(hostile);
  for (const char* const place : {"node", "started", "version"}) line[place] = hostile;
  line["source"]["path"] = line["options"]["caches"] = hostile;
  json& r = line["recommendation"];
  r["machine"]["device"] = r["verdict"]["reason"] = r["verdict"]["spconv"] = hostile;
  r["verdict"]["copies"][0] = "sell " + hostile;  // still what it says the reason of
  r["variants"][1]["note"] = r["contestants"][0]["kernel"] = r["contestants"][0]["left"] = hostile;
  json failed = made::failed_line(hostile, hostile, hostile);
  failed["failure"]["stage"] = failed["failure"]["output"] = hostile;
  json broken = made::failed_line("not \xff UTF-8 \xc3", "error", "\xed\xa0\x80");
  const std::string page = own(page_of({line, failed, broken, made::raced_line("other")}));
  CHECK_FALSE(has(page, "<img"));
  CHECK_FALSE(has(page, "onerror=\""));
  CHECK_FALSE(has(page, "<!--"));
  CHECK(count(page, "<script") == 3);
  CHECK(count(page, "</script") == 3);
  CHECK(data_of(page)["rows"][0][0] == hostile);
}

TEST_CASE("a batch's page loads nothing") {
  const std::string page = own(page_of({made::raced_line("m")}));
  CHECK(has(page, "default-src 'none'"));
  for (const char* const part : {"http://", "https://", "src=\"//", "@import", "url("})
    CHECK_FALSE(has(page, part));
}

TEST_CASE("pages of little") {
  for (const std::vector<json>& lines : {std::vector<json>{},
                                         {made::failed_line("a", "error", "no")},
                                         {made::analysed_line("a")},
                                         {made::predicted_line("a")}}) {
    const std::string page = own(page_of(lines));
    CHECK_FALSE(has(page, "nan"));
    CHECK(has(page, "id=\"all\""));
    CHECK_FALSE(has(page, "data-chart=\"profile\""));
  }
}

TEST_CASE("the report of a folder") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "sparsmith_batch_report";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  {
    std::ofstream out(folder / "results.jsonl");
    for (const json& line :
         {made::raced_line("a"), made::csr_line("b", true), made::failed_line("c", "error", "no number")})
      out << line.dump() << "\n";
    json unknown_format = made::raced_line("d");
    unknown_format["recommendation"]["variants"][1]["format"] = "lil";
    out << unknown_format.dump() << "\n";
  }
  std::vector<std::string> problems;
  const batch_summary s =
      write_report(folder, [&](const std::string& problem) { problems.push_back(problem); });
  REQUIRE(s.rows.size() == 4);
  CHECK(s.rows[3].entries > 0);  // what else its line says stays
  CHECK(!s.rows[3].has_winner());
  REQUIRE(problems.size() == 1);
  CHECK(has(problems[0], "d: its recommendation is passed over"));
  CHECK(has(problems[0], "`lil`"));
  for (const char* const name : {"results.csv", "contestants.csv", "report.html"})
    CHECK(std::filesystem::file_size(folder / name) > 100);
  std::filesystem::remove_all(folder);
}

// Opened by batch_page_check.py.
TEST_CASE("pages of a batch for a browser") {
  const std::string large = batch_page(many(3000), origin);
  CHECK(large.size() < 15'000'000);
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
  write("batch_many.html", large);
  write("batch_few.html", batch_page(many(12), origin));
  write("batch_analysed.html", page_of({made::analysed_line("a.mtx"), made::analysed_line(hostile)}));
}
