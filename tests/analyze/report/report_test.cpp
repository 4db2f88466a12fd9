// Features as JSON, CSV and HTML: nothing lost, nothing that a name could break.
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "analyze/report/csv.hpp"
#include "analyze/report/embedded.hpp"
#include "analyze/report/feature_text.hpp"
#include "analyze/report/highlights.hpp"
#include "analyze/report/json.hpp"
#include "analyze/report/page.hpp"

#include "tests/catch.hpp"

using namespace sparsmith;
using json = nlohmann::ordered_json;

namespace {

format_cost priced(format_kind format, std::int64_t bytes, std::int64_t slots, double fill,
                   std::int64_t peak) {
  format_cost cost{format};
  cost.bytes = bytes;
  cost.slots = slots;
  cost.fill = fill;
  cost.peak_bytes = peak;
  return cost;
}

// Every number another one, so that no two can be confused; they need not belong to one matrix.
matrix_features made_by_hand(const std::string& name) {
  matrix_features f;
  f.name = name;
  f.field = "real";
  f.rows = 6;
  f.cols = 6;
  f.entries = 17;
  f.explicit_zeros = 2;
  f.nans = 3;
  f.infinities = 4;
  f.of_values = {0.125, 71, 72, 73, 74, 75, 51, 52, 53};
  f.structural_rank = 54;
  f.rcm_bandwidth = 55;
  f.symmetry = {12, 8, 6, 5};
  f.row_lengths = {{{0, 1}, {3, 3}, {4, 2}}, 6, 1, {0, 3, 3, 4, 4}, 2.875, 1.375, 0.4375, 0.28125};
  f.col_lengths = {{{1, 2}, {3, 1}, {4, 3}}, 6, 0, {1, 1, 3, 4, 4}, 2.75, 1.25, 0.46875, 0.265625};
  f.longest_rows = {{5, 4}, {2, 4}, {0, 3}};
  f.lower_bandwidth = 21;
  f.upper_bandwidth = 22;
  f.profile = 23;
  f.diagonal_entries = 24;
  f.diagonals = 25;
  f.full_diagonals = 2;
  f.on_full_diagonals = 11;
  f.fullest_diagonals = {{0, 6}, {-3, 5}};
  f.next_column = 10;
  f.row_below = 9;
  f.x_lines = 28;
  f.blocks = {{{2, 2}, 7, 1.625, {0, 0, 1, 0, 2, 0, 0, 3, 0, 1}},
              {{8, 4}, 2, 3.75, {0, 1, 0, 1, 0, 0, 0, 0, 0, 0}}};
  f.formats = {priced(format_kind::csr, 232, 17, 1.0, 464),
               priced(format_kind::csb, 310, 17, 1.0, 900),
               priced(format_kind::csb, 190, 17, 1.0, 901),
               priced(format_kind::ell, 312, 24, 3.5, 544),
               {format_kind::gcsb},
               priced(format_kind::gcsb_tile, 420, 32, 1.875, 1000),
               priced(format_kind::bsr, 280, 28, 1.625, 70000),
               priced(format_kind::gcsb, 355, 20, 1.25, 950)};
  for (const std::size_t i : {2, 7}) f.formats[i].options.blocks.beta = 64;
  f.formats[3].width = 4;
  f.formats[3].allowed = false;
  f.formats[4].problem = "needs 64-bit offsets";
  f.formats[4].allowed = false;
  f.formats[5].options.tile.height = f.formats[5].options.tile.width = 256;
  f.formats[5].blocks = 3;
  f.formats[5].exact = false;
  f.formats[6].options.bsr_block = {2, 2};
  f.formats[6].blocks = 7;
  f.grid = {2, 3, {1, 2, 3, 4, 5, 2}};
  return f;
}

// As RFC 4180 reads a line.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (inside && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (line[i] == '"')
      inside = !inside;
    else if (line[i] == ',' && !inside)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  CHECK_FALSE(inside);
  return fields;
}

std::string field_of(const matrix_features& f, const std::string& column,
                     const std::vector<block_size>& blocks) {
  const auto names = fields_of(csv_header(blocks)), fields = fields_of(csv_line(f, blocks));
  REQUIRE(names.size() == fields.size());
  const auto at = std::find(names.begin(), names.end(), column);
  REQUIRE(at != names.end());
  return fields[static_cast<std::size_t>(at - names.begin())];
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string without(std::string text, const std::string& part) {
  const auto at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.erase(at, part.size());
}

const std::string chart_library(embedded_file("chart.min.js"));
const std::string hostile = "</script><img src=x onerror=\"alert('1')\">&<!--<script>";

}  // namespace

TEST_CASE("every feature is in the JSON, and comes back") {
  const matrix_features f = made_by_hand("gen:band?n=6");
  const json j = json::parse(to_json(f).dump());
  CHECK(j.front() == "sparsmith.features/1");
  CHECK(j["name"] == f.name);
  CHECK(j["field"] == "real");
  CHECK(j["rows"] == 6);
  CHECK(j["cols"] == 6);
  CHECK(j["entries"] == 17);
  CHECK(j["density"] == f.density());
  CHECK(j["values"] == json{{"explicit_zeros", 2},
                            {"nans", 3},
                            {"infinities", 4},
                            {"smallest", 0.125},
                            {"largest", 71.0},
                            {"norm_1", 72.0},
                            {"norm_infinity", 73.0},
                            {"norm_frobenius", 74.0},
                            {"norm_max", 75.0},
                            {"dominant_rows", 51},
                            {"strictly_dominant_rows", 52},
                            {"diagonal_zeros", 53}});
  CHECK(j["symmetry"] == json{{"square", true},
                              {"off_diagonal_entries", 12},
                              {"pattern", 8},
                              {"values", 6},
                              {"negated", 5},
                              {"conjugate", nullptr},
                              {"pattern_share", 8.0 / 12},
                              {"values_share", 0.5},
                              {"negated_share", 5.0 / 12},
                              {"conjugate_share", nullptr}});
  json rows = j["row_lengths"];
  CHECK(rows["log2_bins"].size() == log2_bins(f.row_lengths).size());
  std::int64_t lines = 0;
  for (const json& bin : rows["linear_bins"]) lines += bin["lines"].get<std::int64_t>();
  CHECK(lines == 6);
  rows.erase("log2_bins");
  rows.erase("linear_bins");
  CHECK(rows == json{{"lines", 6},
                     {"empty", 1},
                     {"min", 0},
                     {"q1", 3},
                     {"median", 3},
                     {"q3", 4},
                     {"max", 4},
                     {"mean", 2.875},
                     {"deviation", 1.375},
                     {"variation", 0.4375},
                     {"gini", 0.28125},
                     {"distribution", {{0, 1}, {3, 3}, {4, 2}}}});
  CHECK(j["col_lengths"]["distribution"] == json({{1, 2}, {3, 1}, {4, 3}}));
  CHECK(j["col_lengths"]["gini"] == 0.265625);
  CHECK(j["longest_rows"] ==
        json::array({{{"row", 5}, {"length", 4}}, {{"row", 2}, {"length", 4}}, {{"row", 0}, {"length", 3}}}));
  CHECK(j["structure"] == json{{"lower_bandwidth", 21},
                               {"upper_bandwidth", 22},
                               {"profile", 23},
                               {"diagonal_entries", 24},
                               {"diagonal_missing", -18},
                               {"diagonals", 25},
                               {"full_diagonals", 2},
                               {"on_full_diagonals", 11},
                               {"next_column", 10},
                               {"row_below", 9},
                               {"x_lines", 28},
                               {"structural_rank", 54},
                               {"rcm_bandwidth", 55},
                               {"next_column_share", 10.0 / 17},
                               {"row_below_share", 9.0 / 17},
                               {"on_full_diagonals_share", 11.0 / 17}});
  CHECK(j["fullest_diagonals"] ==
        json::array({{{"offset", 0}, {"entries", 6}, {"fill", 6.0 / static_cast<double>(f.rows)}},
                     {{"offset", -3}, {"entries", 5}, {"fill", 5.0 / static_cast<double>(f.rows)}}}));
  REQUIRE(j["blocks"].size() == 2);
  CHECK(j["blocks"][1] == json{{"rows", 8},
                               {"cols", 4},
                               {"blocks", 2},
                               {"fill", 3.75},
                               {"density", {0, 1, 0, 1, 0, 0, 0, 0, 0, 0}}});
  REQUIRE(j["formats"].size() == 8);
  CHECK(j["formats"][3] == json{{"format", "ell"},
                                {"parameters", "width 4"},
                                {"beta", nullptr},
                                {"bytes", 312},
                                {"slots", 24},
                                {"fill", 3.5},
                                {"allowed", false},
                                {"exact", true}});
  CHECK(j["formats"][4]["parameters"] == "beta 32: needs 64-bit offsets");
  CHECK(j["formats"][4]["beta"] == 32);
  CHECK(j["formats"][5]["parameters"] == "256 x 256, 32 lanes, 3 tiles, at least");
  CHECK(j["formats"][5]["exact"] == false);
  CHECK(j["formats"][7]["beta"] == 64);
  CHECK(j["grid"]["first_rows"].size() == 2);
  CHECK(j["grid"]["first_cols"].size() == 3);
  CHECK(j["grid"]["counts"] == json{1, 2, 3, 4, 5, 2});
}

TEST_CASE("a complex matrix has no values, and everything else") {
  matrix_features f = made_by_hand("m");
  f.field = "complex";
  f.has_values = false;
  const json j = to_json(f);
  CHECK(j["values"].is_null());
  CHECK(j["symmetry"]["pattern_share"] == 8.0 / 12);
  for (const char* const member : {"values", "negated", "values_share", "negated_share"})
    CHECK(j["symmetry"][member].is_null());
  CHECK(j["structure"] == to_json(made_by_hand("m"))["structure"]);
  for (const char* const column :
       {"explicit_zeros", "nans", "infinities", "norm_1", "dominant_rows", "symmetric_values_share"})
    CHECK(field_of(f, column, {}).empty());
  CHECK(field_of(f, "symmetric_pattern_share", {}) ==
        field_of(made_by_hand("m"), "symmetric_pattern_share", {}));
  CHECK(html_report({f}, {}).find("only the pattern was looked at") != std::string::npos);
}

TEST_CASE("what the values tell is null where it was not asked for, is no number, or is of square matrices") {
  matrix_features f = made_by_hand("m");
  const auto values = [&] { return json::parse(to_json(f).dump())["values"]; };
  f.of_values->norm_1 = std::nan("");
  f.of_values->norm_max = std::numeric_limits<double>::infinity();
  CHECK(values()["norm_1"].is_null());
  CHECK(values()["norm_max"].is_null());
  CHECK(features_as_text(f, {}).find("1-norm NaN") != std::string::npos);
  CHECK(features_as_text(f, {}).find("max norm infinite") != std::string::npos);
  f.cols = 7;
  CHECK(values()["smallest"] == 0.125);
  for (const char* const member : {"dominant_rows", "strictly_dominant_rows", "diagonal_zeros"})
    CHECK(values()[member].is_null());
  CHECK(to_json(f)["structure"]["diagonal_missing"].is_null());
  CHECK(features_as_text(f, {}).find("dominant") == std::string::npos);
  f.of_values.reset();
  f.structural_rank.reset();
  CHECK(values()["smallest"].is_null());
  CHECK(values()["nans"] == 3);
  CHECK(to_json(f)["structure"]["structural_rank"].is_null());
  CHECK(features_as_text(f, {}).find("solving") == std::string::npos);
}

TEST_CASE("sizes are written in four digits, however large they are") {
  CHECK(size_text(0) == "0");
  CHECK(size_text(12345.6) == "12,346");
  CHECK(size_text(1.23456e300) == "1.235e+300");
  CHECK(size_text(5e-324) == "4.941e-324");
}

TEST_CASE("a large grid is merged for the JSON, and no entry is lost") {
  matrix_features f = made_by_hand("m");
  f.grid = {130, 65, std::vector<std::int64_t>(130 * 65, 2)};
  const json grid = to_json(f)["grid"];
  CHECK(grid["rows"] == 44);
  CHECK(grid["cols"] == 33);
  std::int64_t entries = 0;
  for (const json& count : grid["counts"]) entries += count.get<std::int64_t>();
  CHECK(entries == 130 * 65 * 2);
}

TEST_CASE("what is looked up among the prices") {
  const matrix_features f = made_by_hand("m");
  CHECK(fewest_bytes(f, format_kind::csb)->bytes == 190);
  CHECK(fewest_bytes(f, format_kind::sell) == nullptr);
  CHECK(bsr_of(f, {2, 2})->bytes == 280);
  CHECK(bsr_of(f, {2, 20}) == nullptr);
  CHECK(blocked_of(f, format_kind::csb, 32)->bytes == 310);
  CHECK(blocked_of(f, format_kind::gcsb, 32) == nullptr);
  CHECK(betas_of(f) == std::vector<std::int32_t>{32, 64});
  CHECK(smallest_format(f)->bytes == 190);
  matrix_features padded = f;
  padded.formats[2].allowed = false;  // which takes the fewest
  CHECK(smallest_format(padded)->bytes == 232);
  CHECK(over_csr(f, bsr_of(f, {2, 2})) == 280.0 / 232);
  CHECK_FALSE(over_csr(f, nullptr).has_value());
  CHECK(mirrored_share(f, 6) == 0.5);
}

TEST_CASE("shares of nothing and numbers that are not finite are null") {
  matrix_features f = made_by_hand("m");
  f.cols = 7;
  f.entries = 0;
  f.row_lengths.mean = std::numeric_limits<double>::quiet_NaN();
  f.blocks[0].fill = std::numeric_limits<double>::infinity();
  const json j = to_json(f);
  CHECK(j["symmetry"]["square"] == false);
  CHECK(j["symmetry"]["pattern_share"].is_null());
  CHECK(j["structure"]["next_column_share"].is_null());
  CHECK(j["row_lengths"]["mean"].is_null());
  CHECK(j["blocks"][0]["fill"].is_null());
  CHECK(field_of(f, "row_length_mean", {}).empty());

  matrix_features diagonal = made_by_hand("m");
  diagonal.symmetry = {};
  CHECK(to_json(diagonal)["symmetry"]["pattern_share"] == 1);
}

TEST_CASE("CSV has a field for every name, and quotes what it must") {
  const matrix_features f = made_by_hand("a \"b\", c");
  const std::vector<block_size> blocks = {{2, 2}, {8, 4}, {16, 16}};
  CHECK(field_of(f, "name", blocks) == f.name);
  CHECK(field_of(f, "entries", blocks) == "17");
  CHECK(field_of(f, "symmetric_values_share", blocks) == "0.5");
  CHECK(field_of(f, "col_length_max", blocks) == "4");
  CHECK(field_of(f, "fill_8x4", blocks) == "3.75");
  CHECK(field_of(f, "blocks_16x16", blocks).empty());
  CHECK(field_of(f, "bytes_csb_32", blocks) == "310");
  CHECK(field_of(f, "bytes_csb_64", blocks) == "190");
  CHECK(field_of(f, "bytes_gcsb_32", blocks).empty());
  CHECK(field_of(f, "fill_gcsb_64", blocks) == "1.25");
  CHECK(field_of(f, "bytes_bsr_2x2", blocks) == "280");
  CHECK(field_of(f, "bytes_bsr_8x4", blocks).empty());
  CHECK(field_of(f, "fill_ell", blocks) == "3.5");
  CHECK(field_of(f, "bytes_gcsb_tile", blocks) == "420");
  CHECK(fields_of(csv_header()).size() == fields_of(csv_line(f)).size());
  CHECK(fields_of(csv_header()).size() == fields_of(csv_line(matrix_features{})).size());
  CHECK(field_of(made_by_hand("\xff"), "name", {}) == "\xff");
}

TEST_CASE("every field of CSV is the one of its name") {
  const matrix_features f = made_by_hand("a");
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"field", "real"},
                                                        {"rows", "6"},
                                                        {"explicit_zeros", "2"},
                                                        {"nans", "3"},
                                                        {"infinities", "4"},
                                                        {"smallest", "0.125"},
                                                        {"largest", "71.0"},
                                                        {"norm_1", "72.0"},
                                                        {"norm_infinity", "73.0"},
                                                        {"norm_frobenius", "74.0"},
                                                        {"norm_max", "75.0"},
                                                        {"dominant_rows", "51"},
                                                        {"strictly_dominant_rows", "52"},
                                                        {"diagonal_zeros", "53"},
                                                        {"diagonal_missing", "-18"},
                                                        {"structural_rank", "54"},
                                                        {"rcm_bandwidth", "55"},
                                                        {"off_diagonal_entries", "12"},
                                                        {"row_empty", "1"},
                                                        {"row_length_min", "0"},
                                                        {"row_length_q1", "3"},
                                                        {"row_length_median", "3"},
                                                        {"row_length_q3", "4"},
                                                        {"row_length_max", "4"},
                                                        {"row_length_mean", "2.875"},
                                                        {"row_length_deviation", "1.375"},
                                                        {"row_length_variation", "0.4375"},
                                                        {"row_length_gini", "0.28125"},
                                                        {"col_empty", "0"},
                                                        {"col_length_min", "1"},
                                                        {"col_length_q1", "1"},
                                                        {"col_length_median", "3"},
                                                        {"col_length_q3", "4"},
                                                        {"col_length_mean", "2.75"},
                                                        {"col_length_deviation", "1.25"},
                                                        {"col_length_variation", "0.46875"},
                                                        {"col_length_gini", "0.265625"},
                                                        {"lower_bandwidth", "21"},
                                                        {"upper_bandwidth", "22"},
                                                        {"profile", "23"},
                                                        {"diagonal_entries", "24"},
                                                        {"diagonals", "25"},
                                                        {"full_diagonals", "2"},
                                                        {"on_full_diagonals", "11"},
                                                        {"next_column", "10"},
                                                        {"row_below", "9"},
                                                        {"x_lines", "28"}}) {
    INFO(name);
    CHECK(field_of(f, name, {}) == value);
  }
  matrix_features wide = f;
  wide.cols = 7;
  CHECK(field_of(wide, "cols", {}) == "7");
}

TEST_CASE("no name gets out of its place in the page") {
  matrix_features f = made_by_hand(hostile);
  f.field = f.formats[4].problem = hostile;
  const std::string page = without(html_report({f, f}, {{hostile, hostile}}), chart_library);
  CHECK(page.find("<img src=x") == std::string::npos);
  CHECK(page.find("onerror=\"") == std::string::npos);
  CHECK(page.find("<!--") == std::string::npos);
  CHECK(count(page, "<script") == 3);
  CHECK(count(page, "</script") == 3);
  CHECK(page.find("&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;") !=
        std::string::npos);

  const std::string start = "id=\"chart-data\">";
  const auto at = page.find(start) + start.size();
  const json data = json::parse(page.substr(at, page.find("</script>", at) - at));
  REQUIRE(data.size() == 2);
  CHECK(data[0]["name"] == hostile.substr(hostile.rfind('/') + 1));
  CHECK(data[0]["formats"][2]["parameters"] == json{"2 x 2", "7 blocks"});
}

TEST_CASE("the page loads nothing") {
  const std::string page = html_report({made_by_hand("m")}, {{"data:image/png;base64,AAAA", ""}});
  CHECK(page.find("default-src 'none'") != std::string::npos);
  const std::string own = without(page, chart_library);
  for (const char* const part : {"http://", "https://", "src=\"//", "@import", "url("})
    CHECK(own.find(part) == std::string::npos);
  CHECK(count(own, "data:image/png;base64,AAAA") == 2);
  CHECK(chart_library.find("Chart.js v") != std::string::npos);
}

TEST_CASE("a page says which file, what is smallest, and who wrote it where and when") {
  const html::page_origin origin = {"1.2.3", "a <fast> device", "2026-01-31T12:00:00Z"};
  const std::string one = html_report({made_by_hand("/a/folder/m.mtx")}, {}, origin);
  CHECK(one.find("<title>m.mtx – spanalyze</title>") != std::string::npos);
  CHECK(one.find("<h2 title=\"/a/folder/m.mtx\">m.mtx</h2>") != std::string::npos);
  CHECK(one.find("<span class=\"path\">/a/folder/m.mtx</span>") != std::string::npos);
  CHECK(one.find("Fewest bytes: csb beta 64 <small>(0.819") != std::string::npos);
  const std::string footer = one.substr(one.find("<footer>"));
  CHECK(footer.find("spanalyze of Sparsmith 1.2.3 on <time datetime=\"2026-01-31T12:00:00Z\">") !=
        std::string::npos);
  CHECK(footer.find("Device: a &lt;fast&gt; device.") != std::string::npos);

  const std::string generated = html_report({made_by_hand("gen:band?n=6")}, {});
  CHECK(generated.find("<h2>gen:band?n=6</h2>") != std::string::npos);
  CHECK(generated.find("class=\"path\"") == std::string::npos);
  CHECK(generated.find("Written by spanalyze of Sparsmith. Charts") != std::string::npos);

  // Two files of one name are told apart by their folders.
  const std::string two = html_report({made_by_hand("x/a/m.mtx"), made_by_hand("x/b/m.mtx")}, {});
  CHECK(two.find("<a href=\"#matrix-2\" title=\"x/b/m.mtx\">b/m.mtx</a>") != std::string::npos);
}

TEST_CASE("large numbers of a page have separators") {
  matrix_features f = made_by_hand("m");
  f.rows = f.cols = 1234567;
  f.row_lengths.mean = 12345.678;
  f.blocks[0].fill = 26704.61;
  f.formats[3].width = 427553;
  f.formats[3].bytes = 11903117;
  f.formats[3].fill = 53444.125;
  f.formats[6].blocks = 7687102;
  const std::string page = html_report({f, f}, {});
  for (const char* const number : {"1,234,567", "<td>12,346</td>", "<td>26,705</td>", "width 427,553",
                                   "<td>51,307</td>", "<td>53,444</td>", "7,687,102 blocks"}) {
    INFO(number);
    CHECK(page.find(number) != std::string::npos);
  }
}

TEST_CASE("a picture stands where its shape has room") {
  matrix_features f = made_by_hand("m");
  const auto place = [&](std::int64_t rows, std::int64_t cols) {
    f.rows = rows;
    f.cols = cols;
    const std::string page = html_report({f}, {{"data:image/png;base64,AAAA", ""}});
    const auto spy = page.find("class=\"spy\"");
    CHECK(spy < page.find("data-chart=\"histogram\""));                            // what is seen first
    CHECK(page.find("data-chart=\"histogram\"") < page.find("Shape and values"));  // and numbers after it
    const auto tag = [&](const char* start) {
      const auto from = page.rfind(start, spy);
      return page.substr(from, page.find('>', from) + 1 - from);
    };
    return tag("<div class=\"cards") + tag("<figure");
  };
  CHECK(place(300, 200000) == "<div class=\"cards wide\"><figure class=\"card above\">");
  CHECK(place(200000, 300) == "<div class=\"cards wide beside-tall\"><figure class=\"card\">");
  CHECK(place(300, 300) == "<div class=\"cards wide beside-even\"><figure class=\"card\">");
}

TEST_CASE("the numbers around a spy plot are text, and those that fit a phone") {
  matrix_features f = made_by_hand("m");
  f.rows = f.cols = 123456;
  f.grid = {2, 2, {1, 0, 0, 5000}};
  const std::string page = html_report({f}, {{"data:image/png;base64,AAAA", ""}});
  for (const char* const number :
       {"<span class=\"across\" style=\"left:0%\">0</span>", "style=\"left:100%\">123,456</span>",
        "<span class=\"down\" style=\"top:100%\">123,456</span>",
        "<span class=\"count\" style=\"top:0%\">5,000</span>", "style=\"top:100%\">1</span>"}) {
    INFO(number);
    CHECK(page.find(number) != std::string::npos);
  }
  CHECK(count(page, "<span class=\"across\"") <= 5);
  CHECK(count(page, "<span class=\"across\"") >= 3);
  // Each entry on its own: no scale to read.
  f.grid = {2, 2, {1, 0, 0, 1}};
  CHECK(html_report({f}, {{"data:image/png;base64,AAAA", ""}}).find("class=\"spy-scale\"") ==
        std::string::npos);
}

TEST_CASE("cells of a page's spy plot are a pixel each, within the proportions of the matrix") {
  for (const auto& [rows, cols, width, height] : {std::array{300, 200000, 1000, 250},
                                                  {200000, 300, 130, 520},
                                                  {5000, 5000, 520, 520},
                                                  {3000, 2000, 347, 520}}) {
    const spy_options options = page_spy(rows, cols);
    INFO(rows << " x " << cols);
    CHECK(options.width == width);
    CHECK(options.height == height);
    CHECK_FALSE(options.axes);
  }
}

TEST_CASE("a page has what there is to show") {
  const std::string one = html_report({made_by_hand("m")}, {});
  CHECK(one.find("gcsb_tile <small>256 x 256, 32 lanes, 3 tiles</small>") != std::string::npos);
  CHECK(one.find("<td>68.4 KiB</td>") != std::string::npos);  // as everywhere else
  for (const char* const kind :
       {"histogram", "curve", "fill", "blocks", "density", "formats", "betas", "beta_fill"})
    CHECK(count(one, std::string("data-chart=\"") + kind + "\" role") == 1);
  CHECK(one.find("id=\"comparison\"") == std::string::npos);
  CHECK(one.find("class=\"spy\"") == std::string::npos);

  const std::string two = html_report({made_by_hand("m"), made_by_hand("n")}, {});
  CHECK(two.find("id=\"comparison\"") < two.find("id=\"matrix-1\""));
  CHECK(two.find("<a href=\"#matrix-2\">n</a>") != std::string::npos);
  CHECK(two.find("id=\"matrix-2\"") != std::string::npos);
  for (const char* const kind : {"compare_curves", "compare_fill"})
    CHECK(count(two, std::string("data-chart=\"") + kind + "\" role") == 1);

  const std::string empty = html_report({matrix_features{}}, {});
  CHECK(count(empty, "<canvas data-matrix") == 1);
  CHECK(empty.find("nan") == std::string::npos);
  CHECK_FALSE(html_report({}, {}).empty());
}
