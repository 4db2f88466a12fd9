// What `spconv --plan` says a run holds at once, against what the run then holds: the whole of it, from
// reading to the last array, for random inputs, formats and options.
#include <nlohmann/json.hpp>
#include <random>

#include "tests/tools/process.hpp"
#include "tests/whole_formats.hpp"

using namespace sparsmith::testing;
using json = nlohmann::json;

namespace {

struct drawer {
  std::mt19937 random{20250117};
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  }
  std::string text(std::int64_t least, std::int64_t most) { return std::to_string(number(least, most)); }
  const std::string& of(const std::vector<std::string>& list) { return list[random() % list.size()]; }
};

json run_json(const temporary_folder& work, const std::string& arguments) {
  const outcome r =
      run_command(from_environment("SPARSMITH_SPCONV") + " " + arguments + " --quiet --json", work / "run");
  INFO(arguments << "\n" << r.err);
  REQUIRE(r.status == 0);
  return json::parse(r.out);
}

std::string generator(drawer& draw) {
  const std::string n = draw.text(500, 30000), seed = "&seed=" + draw.text(1, 99);
  return "'" +
         draw.of({"gen:uniform?rows=" + n + "&cols=" + draw.text(500, 30000) + "&density=0.001" + seed,
                  "gen:powerlaw?n=" + n + "&mean=6&max=400" + seed,
                  "gen:rmat?scale=" + draw.text(8, 14) + "&edges=" + draw.text(2, 12) + seed,
                  "gen:denserow?n=" + n + "&dense=2&degree=3" + seed, "gen:laplace2d?n=" + draw.text(10, 150),
                  "gen:diagonal?n=" + n + "&band=" + std::to_string(draw.number(0, 4) * 2 + 1) + seed,
                  "gen:blockband?n=" + std::to_string(draw.number(20, 200) * 16) + "&block=8&density=0.02",
                  "gen:ideal?n=" + std::to_string(draw.number(4, 60) * 32) + "&beta=32&density=0.02"}) +
         "'";
}

// A file with entries in any order, some of them twice and some of them zero.
std::string matrix_market(drawer& draw, const temporary_folder& work, int number) {
  const std::string path = work / ("matrix" + std::to_string(number) + ".mtx");
  const std::string symmetry = draw.of({"general", "general", "symmetric", "skew-symmetric"});
  const std::int64_t rows = draw.number(100, 20000);
  const std::int64_t cols = symmetry == "general" ? draw.number(100, 20000) : rows;
  const std::int64_t entries = draw.number(1, 60000), dense_column = draw.number(0, 3) == 0 ? 2 : 1;
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate real " << symmetry << "\n"
       << rows << " " << cols << " " << entries << "\n";
  for (std::int64_t i = 0; i < entries; ++i) {
    std::int64_t row = draw.number(2, rows), col = dense_column == 2 && i % 2 == 0 ? 1 : draw.number(1, cols);
    if (symmetry != "general" && col >= row) col = draw.number(1, row - 1);
    file << row << " " << col << " " << draw.number(-3, 3) << "\n";
  }
  return path;
}

// For formats that pad: none is to be refused here.
std::string any_fill(const std::string& format) {
  const bool padded =
      format != "coo" && format != "csr" && format != "csc" && format != "csb" && format != "csr_half";
  return padded ? " --max-fill 1e9" : "";
}

std::string options_of(drawer& draw, const std::string& format) {
  const std::string blocked = " --beta " + draw.of({"2", "8", "32", "128", "1024"}) + " --order " +
                              draw.of({"morton", "row", "diagonal"}) + " --index " + draw.of({"auto", "32"});
  if (format == "sell") return " --slice " + draw.text(1, 64) + " --sigma " + draw.text(1, 2000);
  if (format == "hyb") return draw.of({"", " --width " + draw.text(0, 5)});
  if (format == "dia" || format == "dia_half")
    return " --diagonals " + draw.of({"auto", "auto", "0.05", "1"});
  if (format == "bsr") return " --block " + draw.of({"auto", "4x4", "1x3", "8x2"});
  if (format == "bsr_half") return " --block " + draw.of({"4x4", "1x3", "8x2"});
  if (format == "csb") return blocked + draw.of({"", "", " --layout thesis"});
  if (format == "ecsb") return blocked + " --holding " + draw.of({"auto", "coo", "ell", "hybrid"});
  if (format == "gcsb")
    return blocked + " --group " + draw.text(1, 40) + draw.of({"", "", " --layout thesis", " --window 37"});
  return "";
}

void check_case(const temporary_folder& work, const std::string& matrix, const std::string& format,
                const std::string& options) {
  INFO(matrix << " as " << format << options);
  const json planned = run_json(work, matrix + " --plan" + options);
  const json made = run_json(work, matrix + " --to " + format + options);
  const auto& costs = planned["plan"];
  const auto cost =
      std::find_if(costs.begin(), costs.end(), [&](const json& c) { return c["format"] == format; });
  REQUIRE(cost != costs.end());
  const json& used = made["peak_bytes"];
  const auto peak = used["device"] > 0 ? used["device"].get<double>() : used["host"].get<double>();
  const auto price = (*cost)["peak_bytes"].get<double>();
  CHECK(price <= peak * 1.05);
  // The steps of tiles are known only once they are laid out: the plan says "at least".
  if (format.starts_with("gcsb_tile"))
    CHECK((*cost)["parameters"].get<std::string>().ends_with("at least"));
  else
    CHECK(price >= peak * 0.95);
}

}  // namespace

TEST_CASE("the peak of a plan is that of the run") {
  const temporary_folder work("plan_peak_test");
  drawer draw;
  std::vector<std::string> files;
  for (int i = 0; i < 6; ++i) files.push_back(matrix_market(draw, work, i));
  for (const std::string name : {"a.npz", "b.bsp.h5", "c.h5"}) {
    const std::string path = work / name;
    run_json(work, generator(draw) + " --to csc -o " + path);
    files.push_back(path);
  }
  const auto is_whole = [names = whole_format_names()](const std::string& format) {
    return std::find(names.begin(), names.end(), format) != names.end();
  };
  for (int i = 0; i < 10; ++i)
    for (const std::string& format : sparsmith::format_names()) {
      const std::string matrix = !is_whole(format)        ? "gen:laplace2d?n=" + draw.text(10, 150)
                                 : draw.number(0, 1) == 0 ? draw.of(files)
                                                          : generator(draw);
      check_case(work, matrix, format,
                 options_of(draw, format) + draw.of({"", " --value f32", " --value f64"}) +
                     draw.of({"", "", " --offsets 64"}) + draw.of({"", "", " --drop-zeros"}) +
                     any_fill(format));
    }
}

TEST_CASE("the peak of a plan that builds no CSR, where rows are far more than entries") {
  const temporary_folder work("plan_peak_test_hypersparse");
  for (const std::string& format : whole_format_names())
    check_case(work, "'gen:uniform?rows=3000000&cols=2000000&density=1e-10'", format, any_fill(format));
}

TEST_CASE("the peak of a plan where only the format needs 64-bit offsets") {
  const temporary_folder work("plan_peak_test_wide");
  for (const std::string format : {"csb", "ecsb", "gcsb", "csr"})
    check_case(work, "'gen:uniform?rows=200000&cols=150000&density=1e-7'", format,
               (format == "csr" ? "" : " --beta 2") + any_fill(format));
}
