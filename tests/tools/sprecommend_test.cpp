// sprecommend as a process: what a user types, what comes back, and what is left on disk.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "tests/tools/process.hpp"

namespace fs = std::filesystem;
using namespace sparsmith::testing;
using nlohmann::json;

namespace {

struct folder : temporary_folder {
  folder() : temporary_folder("sprecommend_test") {
    std::ofstream(path / "bad.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n";
    std::ofstream(path / "pattern.mtx") << "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n";
    std::ofstream(path / "none.mtx") << "%%MatrixMarket matrix coordinate real general\n3 3 0\n";
  }
};

// Runs the tool inside the folder, with a cache of its own there.
outcome run(const folder& work, const std::string& arguments) {
  return run_command("cd '" + work.path.string() + "' && SPARSMITH_CACHE=cache '" +
                         from_environment("SPARSMITH_SPRECOMMEND") + "' --device cpu " + arguments,
                     (fs::temp_directory_path() / work.path.filename()).string());
}

json run_json(const folder& work, const std::string& arguments) {
  const outcome r = run(work, arguments + " --json");
  INFO(arguments << "\n" << r.err);
  REQUIRE(r.status == 0);
  return json::parse(r.out);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) most = std::max(most, line.size());
  return most;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Whether the build that printed this --list has a vendor's kernels for the CPU.
bool vendor_on_cpu(const json& list) {
  return std::any_of(list["kernels"].begin(), list["kernels"].end(),
                     [](const json& k) { return k["backend"] == "openmp" && k["vendor"]; });
}

}  // namespace

TEST_CASE("help and version") {
  const folder work;
  const outcome help = run(work, "--help");
  CHECK(help.status == 0);
  for (const char* const word :
       {"--mix",        "--products", "--caches",     "--value",   "--formats",    "--kernels",
        "--memory",     "--budget",   "--repeatable", "--predict", "--machine",    "--refresh",
        "--exhaustive", "--html",     "--csv",        "--list",    "--samples",    "--warm-only",
        "--block",      "--max-fill", "--reorder",    "--vectors", "--vectors-by", "Examples"})
    CHECK(has(help.out, word));
  CHECK(!has(help.out, "gen:lopsided"));
  CHECK(has(run(work, "--help-generators").out, "gen:lopsided"));
  CHECK(run(work, "--version").out.find("sprecommend 0.") == 0);
}

TEST_CASE("what kind of values a matrix has is told as spanalyze tells it") {
  const folder work;
  CHECK(run_json(work, "pattern.mtx --predict")["features"]["field"] == "pattern");
  CHECK(run_json(work, "none.mtx --predict")["features"]["field"] == "real");
}

TEST_CASE("complex matrices are raced, checked, predicted, and told as that") {
  const folder work;
  std::ofstream(work.path / "h.mtx") << "%%MatrixMarket matrix coordinate complex hermitian\n"
                                        "4 4 6\n1 1 2 0\n2 1 1 -3\n3 2 0 1\n3 3 1 0\n4 2 5 5\n4 4 1 0\n";
  const json told =
      run_json(work,
               "h.mtx --exhaustive --samples 3 --formats coo,csr,csc,sell,bsr,gcsb_tile --max-fill 1000 "
               "--block 2x2 --tile 256x256");
  CHECK(told["matrix"]["complex_values"] == true);
  CHECK(told["matrix"]["value_bits"] == 128);
  CHECK(told["matrix"]["symmetric"] == false);  // it equals its conjugate transpose
  std::set<std::string> formats;
  for (const json& k : told["contestants"]) {
    INFO(k.dump());
    CHECK(k["wrong"].is_null());
    if (k["warm"].is_object()) formats.insert(told["variants"][k["variant"].get<std::size_t>()]["format"]);
  }
  for (const char* const format : {"coo", "csr", "csc", "sell", "bsr", "gcsb_tile"})
    CHECK(formats.contains(format));
  CHECK(has(told["verdict"].dump(), "c128"));

  const outcome text = run(work, "'gen:uniform?n=300&density=0.05' --value c64 --budget 3");
  INFO(text.err);
  CHECK(text.status == 0);
  CHECK(has(text.out, "complex"));
  CHECK(has(text.out, "A^H x"));
  CHECK(widest(text.out) <= 80);
  const json predicted = run_json(work, "'gen:laplace2d?n=40' --value c128 --predict --mix 1:1");
  CHECK(predicted["matrix"]["symmetric"] == true);  // of real values the imaginary parts are 0
  CHECK(predicted["model"]["sure"] == false);
  CHECK(run_json(work, "h.mtx --mix both --budget 3")["matrix"]["complex_values"] == true);

  const outcome real = run(work, "h.mtx --value f64");
  CHECK(real.status == 1);
  CHECK(has(real.err, "h.mtx: the values are complex, and real ones were asked for"));
  const outcome half = run(work, "h.mtx --formats csr_half --all");
  CHECK(half.status == 1);
  CHECK(has(half.out, "complex values are not stored as half of a matrix"));
  const outcome kernel = run(work, "h.mtx --kernels bsr/max-task");
  CHECK(kernel.status == 1);
  CHECK(has(kernel.err, "the values are complex, and none of bsr/max-task multiplies those; these do: "));
}

TEST_CASE("a verdict in words, with what to do, and nothing wider than the terminal") {
  const folder work;
  const outcome r = run(work, "'gen:uniform?n=400&density=0.05' --formats sell --budget 20");
  INFO(r.err);
  CHECK(r.status == 0);
  for (const char* const word : {"verdict", "why", "repaid", "spconv", "m.use_kernel", "A^T x"})
    CHECK(has(r.out, word));
  CHECK(widest(r.out) <= 80);
  CHECK(run(work, "'gen:laplace2d?n=40' --quiet").out.empty());
}

TEST_CASE("the verdict as data: the winner, its kernels, its margin, and what everybody else did") {
  const folder work;
  const json told = run_json(work, "'gen:uniform?n=400&density=0.05' --budget 2");
  CHECK(told["schema"] == "sparsmith.recommend/2");
  CHECK(told["matrix"]["rows"] == 400);
  CHECK(told["predicted"] == false);
  std::vector<std::string> steps;
  for (const json& step : told["steps"]) steps.push_back(step["name"]);
  CHECK(steps == std::vector<std::string>{"reading", "features", "variants", "prediction", "conversion",
                                          "checks", "heats", "final"});
  const json& verdict = told["verdict"];
  REQUIRE(verdict.is_object());
  CHECK(verdict["kernels"].contains("ax"));
  CHECK(verdict["kernels"].contains("atx"));
  CHECK(verdict["us"] > 0);
  CHECK(!verdict["reason"].get<std::string>().empty());
  if (verdict["stays_in_csr"] == true)
    CHECK(verdict["spconv"].is_null());
  else
    CHECK(has(verdict["spconv"], "--to " + verdict["format"].get<std::string>()));
  CHECK(told["machine"]["threads"] > 0);
  CHECK(told["machine"]["copy_gb_per_s"] > 0);
  // Every format that there is has a line, and every contestant that has no time has a reason.
  std::vector<std::string> formats;
  for (const json& c : told["variants"]) formats.push_back(c["format"]);
  for (const char* const format :
       {"coo", "csr", "csc", "ell", "sell", "hyb", "dia", "bsr", "csb", "ecsb", "gcsb", "gcsb_tile"})
    CHECK(std::find(formats.begin(), formats.end(), format) != formats.end());
  int winners = 0;
  for (const json& c : told["contestants"]) {
    CHECK((c["warm"].is_object() || c["left"].is_string() || c["not_run"].is_string()));
    CHECK(c["wrong"].is_null());
    winners += c["winner"].get<bool>() ? 1 : 0;
  }
  CHECK(winners == 2);
}

TEST_CASE("what is asked for decides who takes part") {
  const folder work;
  const json ax = run_json(work, "'gen:laplace2d?n=30' --mix 1:0 --formats csr,sell");
  for (const json& c : ax["contestants"]) {
    CHECK(c["operation"] == "ax");
    CHECK((c["format"] == "csr" || c["format"] == "sell"));
  }
  CHECK(ax["request"]["mix"]["ax"] == 1);
  const json one = run_json(work, "'gen:laplace2d?n=30' --kernels csr/omp --mix ax:atx=10:1 --as-general");
  CHECK(one["contestants"].size() == 2);
  // A equals A^T: one product is run, and stands for both.
  const json alone = run_json(work, "'gen:laplace2d?n=30' --kernels csr/omp --mix 1:10");
  REQUIRE(alone["contestants"].size() == 1);
  CHECK(alone["contestants"][0]["operation"] == "ax");
  CHECK(alone["matrix"]["symmetric"] == true);
  CHECK(alone["verdict"]["kernels"]["atx"] == "csr/omp");
  CHECK(one["verdict"]["stays_in_csr"] == true);
  CHECK(one["verdict"]["margin"].is_null());
  const json small = run_json(work, "'gen:laplace2d?n=30' --memory 80K");
  for (const json& c : small["variants"])
    if (c["refused"].is_null()) CHECK(c["bytes"] <= 80 * 1024);
  const json same = run_json(work, "'gen:laplace2d?n=30' --repeatable --formats bsr --mix 1:0");
  CHECK(same["verdict"]["repeatable"] == true);
  for (const json& c : same["contestants"])
    if (!c["repeatable"].get<bool>() && !c["vendor"].get<bool>()) CHECK(has(c["not_run"], "bits differ"));
  // With few products nothing is worth converting, least of all to what takes dozens of them.
  const json once = run_json(work, "'gen:laplace2d?n=200' --products 1 --formats csr,bsr,csb,gcsb");
  CHECK(once["verdict"]["stays_in_csr"] == true);
}

TEST_CASE("two products that come together are taken in one pass or one after the other") {
  const folder work;
  for (const char* const mix : {"both", "normal"}) {
    INFO(mix);
    const json told = run_json(work, std::string("'gen:uniform?rows=300&cols=200&density=0.05' --formats "
                                                 "csr,sell --budget 1 --mix ") +
                                         mix);
    CHECK(told["request"]["one_pass"] == mix);
    const auto count = [&](const std::string& operation, const std::string& kernel) {
      return std::count_if(told["contestants"].begin(), told["contestants"].end(), [&](const json& c) {
        return c["operation"] == operation && c["kernel"] == kernel && c["wrong"].is_null();
      });
    };
    for (const char* const operation : {"ax", "atx", mix}) CHECK(count(operation, "csr/omp") == 1);
    const json& verdict = told["verdict"];
    CHECK(verdict["kernels"][mix].is_string() == verdict["in_one_pass"]);
    CHECK(verdict["kernels"]["ax"].is_null() == verdict["in_one_pass"]);
    REQUIRE(verdict["other_kind"].is_object());
    CHECK(verdict["other_kind"]["kernels"]["ax"].is_null() != verdict["in_one_pass"]);
  }
  // The same products in some proportion leave out what computes both.
  const json plain = run_json(work, "'gen:laplace2d?n=20' --formats csr --budget 0.5");
  for (const json& c : plain["contestants"]) CHECK(c["operation"] == "ax");
  const outcome predicted = run(work, "'gen:laplace2d?n=20' --mix Normal --predict");
  CHECK(predicted.status == 0);
  CHECK(has(predicted.out, "in one pass"));
}

TEST_CASE("sizes of memory count 1024 to the next unit, however they are written") {
  const folder work;
  for (const auto& [typed, bytes] :
       {std::pair("300000", std::int64_t{300000}), std::pair("100K", std::int64_t{102400}),
        std::pair("100kB", std::int64_t{102400}), std::pair("1.5MiB", std::int64_t{1572864}),
        std::pair("2g", std::int64_t{2} << 30)}) {
    INFO(typed);
    CHECK(run_json(work, std::string("'gen:laplace2d?n=4' --predict --formats csr --memory ") +
                             typed)["request"]["memory"] == bytes);
  }
}

TEST_CASE("several matrices, one that cannot be read, and one without entries") {
  const folder work;
  const outcome r = run(work, "'gen:laplace2d?n=20' bad.mtx none.mtx");
  CHECK(r.status == 1);
  CHECK(has(r.err, "bad.mtx:3: row 3 is outside 1..2"));
  CHECK(has(r.out, "none.mtx"));
  CHECK(has(r.out, "gen:laplace2d?n=20"));
  const json list = run_json(work, "'gen:laplace2d?n=20' 'gen:laplace2d?n=30'");
  REQUIRE(list.is_array());
  CHECK(list.size() == 2);
  const json none = run_json(work, "none.mtx");
  CHECK(none["verdict"]["stays_in_csr"] == true);
  CHECK(run(work, "none.mtx --predict --caches warm").status >= 0);
  CHECK(run(work, "'gen:laplace2d?n=20' --memory 1").status == 1);  // no verdict
  const outcome csv = run(work, "'gen:laplace2d?n=20' none.mtx --csv");
  CHECK(csv.status == 0);
  CHECK(csv.out.find("matrix,") == 0);
}

TEST_CASE("of several matrices the one that cannot be made is named, and the others get their verdict") {
  const folder work;
  const outcome r = run(work, "gen:laplace2d?n=9 gen:unifrom gen:laplace2d?n=8 --predict --json");
  INFO(r.err);
  CHECK(r.status == 1);
  CHECK(r.err.find("sprecommend: gen:unifrom: ") == 0);
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  CHECK(nlohmann::json::parse(r.out).size() == 2);
}

TEST_CASE("usage is refused in one line, before any work") {
  const folder work;
  for (const char* const arguments : {"",
                                      "x.mtx --mix 1",
                                      "x.mtx --mix 0:0",
                                      "x.mtx --mix -1:2",
                                      "x.mtx --mix bot",
                                      "x.mtx --memory lots",
                                      "x.mtx --memory 0.5",
                                      "x.mtx --memory 1e30",
                                      "x.mtx --memory 1KK",
                                      "x.mtx --tile 0",
                                      "x.mtx --html x.mtx",
                                      "x.mtx --kernels csr/none",
                                      "x.mtx --formats csr --kernels coo/omp",
                                      "x.mtx --budget 0",
                                      "x.mtx --predict --exhaustive",
                                      "x.mtx --budget 3 --exhaustive",
                                      "x.mtx --samples 3",
                                      "x.mtx --products nan",
                                      "x.mtx --mix 1e308:1e308",
                                      "x.mtx --budget nan",
                                      "x.mtx --machine m.json",
                                      "x.mtx --vectors 0",
                                      "x.mtx --vectors 5000",
                                      "x.mtx --vectors 8 --predict",
                                      "x.mtx --vectors 8 --mix both",
                                      "x.mtx --vectors 8 --vectors-by blocks",
                                      "x.mtx --csv --json",
                                      "x.mtx --warm-only",
                                      "x.mtx --block 4y",
                                      "x.mtx --block 0x4",
                                      "x.mtx --beta 3",
                                      "x.mtx --tile 100",
                                      "x.mtx --max-fill 0.5",
                                      "x.mtx --formats gcsb_tile --group 7",
                                      "x.mtx --formats csr --beta 8",
                                      "x.mtx --kernels csr/omp,coo/omp --tile 512"}) {
    const outcome r = run(work, arguments);
    INFO(arguments << "\n" << r.err);
    CHECK(r.status == 2);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(r.out.empty());
  }
  const outcome missing = run(work, "nowhere.mtx");
  CHECK(missing.status == 1);
  CHECK(std::count(missing.err.begin(), missing.err.end(), '\n') == 1);
}

TEST_CASE("a prediction runs nothing and never looks measured") {
  const folder work;
  const json told = run_json(work, "'gen:rmat?scale=10' --predict");
  CHECK(told["predicted"] == true);
  REQUIRE(told["verdict"].is_object());
  CHECK(told["verdict"]["predicted"] == true);
  CHECK(told["model"]["record"] > 0.5);
  for (const json& c : told["contestants"]) {
    CHECK(c["warm"].is_null());
    CHECK(c["cold"].is_null());
  }
  const outcome text = run(work, "'gen:rmat?scale=10' --predict");
  CHECK((has(text.out, "Predicted, nothing was run") ||
         has(text.out, "Unsettled, predicted, nothing was run")));

  // For the machine of a file: the one that was written for this machine says the same.
  std::string machine;
  for (const auto& file : fs::directory_iterator(work.path / "cache")) machine = file.path().string();
  REQUIRE(!machine.empty());
  const json again = run_json(work, "'gen:rmat?scale=10' --predict --machine '" + machine + "'");
  // Rates of a busy machine are measured again every time.
  if (told["noisy"].empty()) CHECK(again["verdict"]["kernels"] == told["verdict"]["kernels"]);
  CHECK(run(work, "'gen:rmat?scale=10' --predict --machine bad.mtx").status == 1);
}

TEST_CASE("the budget is kept, and what was not reached is named") {
  const folder work;
  run(work, "'gen:laplace2d?n=10' --quiet");  // the machine is known from here on
  const auto start = std::chrono::steady_clock::now();
  const json told = run_json(work, "'gen:laplace2d?n=300' --budget 0.4");
  // Not to the tenth of a second here: others may be using the machine.
  CHECK(seconds_since(start) < 3);
  CHECK(told["request"]["budget_s"] == 0.4);
  CHECK(told["verdict"].is_object());
}

TEST_CASE("a page, complete or not there") {
  const folder work;
  CHECK(run(work, "'gen:laplace2d?n=20' --quiet --html page.html").status == 0);
  std::stringstream page;
  page << std::ifstream(work.path / "page.html").rdbuf();
  CHECK(has(page.str(), "<!DOCTYPE html>"));
  CHECK(has(page.str(), "</html>"));
  CHECK(run(work, "'gen:laplace2d?n=20' --html nowhere/page.html").status == 1);
}

TEST_CASE("an interrupt gives the verdict so far") {
  const folder work;
  const std::string arguments = "'gen:laplace2d?n=60' --exhaustive --samples 60 --json";
  run(work, "'gen:laplace2d?n=10' --quiet");  // the machine is known from here on
  // CSR comes first. Half as long again as it takes alone it is through, and most others are not.
  const double alone = run(work, arguments + " --formats csr").seconds;
  // A shell ignores interrupts in what it starts beside itself; env undoes that.
  for (const auto& [signal, status] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const outcome r =
        run_command("cd '" + work.path.string() + "' && SPARSMITH_CACHE=cache env --default-signal=INT '" +
                        from_environment("SPARSMITH_SPRECOMMEND") + "' --device cpu " + arguments +
                        " & sleep " + std::to_string(1.5 * alone) + "; kill -" + signal + " $!; wait $!",
                    (fs::temp_directory_path() / work.path.filename()).string());
    INFO(signal << "\n" << r.err);
    CHECK(r.status == status);
    const json told = json::parse(r.out);
    CHECK(told["interrupted"] == true);
    REQUIRE(told["verdict"].is_object());
    CHECK(told["verdict"]["interrupted"] == true);
  }
}

TEST_CASE("the vendor's kernels can be asked for where the build has any") {
  const folder work;
  const outcome r = run(work, "'gen:laplace2d?n=20' --kernels vendor --samples 2 --exhaustive --csv");
  INFO(r.err);
  if (vendor_on_cpu(run_json(work, "--list"))) {
    CHECK(r.status == 0);
    CHECK(has(r.out, "csr/mkl"));
    CHECK_FALSE(has(r.out, "csr/omp"));
  } else {
    CHECK(r.status == 2);
    CHECK(has(r.err, "--kernels vendor: this build has none of a vendor's for openmp"));
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(r.out.empty());
  }
}

TEST_CASE("the list names every kernel once for its backend") {
  const folder work;
  const json told = run_json(work, "--list");
  CHECK(told["schema"] == "sparsmith.kernels/1");
  std::set<std::pair<std::string, std::string>> names;
  std::set<std::string> formats, history;
  for (const json& k : told["kernels"]) {
    INFO(k.dump());
    CHECK(names.emplace(k["name"], k["backend"]).second);
    CHECK(has(k["name"], "/"));
    CHECK(!k["operations"].empty());
    CHECK(k["repeatable"].size() <= k["operations"].size());
    CHECK(!k["description"].get<std::string>().empty());
    CHECK(!k["source"].get<std::string>().empty());
    if (k["history"] == true) history.insert(k["name"]);
    if (k["backend"] == "openmp") {
      CHECK(k["vendor"] == has(k["name"], "/mkl"));
      formats.insert(k["format"]);
    }
  }
  CHECK(names.contains({"csr/omp", "openmp"}));
  CHECK(formats.size() == 16);
  const outcome text = run(work, "--list");
  CHECK(text.status == 0);
  for (const auto& [name, backend] : names) CHECK(has(text.out, "\n" + name + " "));
  CHECK(history.contains("bsr/intra-row-naive"));
  CHECK_FALSE(history.contains("bsr/preprocessed"));
  std::size_t told_apart = 0;
  for (std::size_t at = 0; (at = text.out.find("[history]", at)) != std::string::npos; ++at) ++told_apart;
  CHECK(told_apart == history.size());
  CHECK(widest(text.out) <= 80);
}

TEST_CASE("products with several vectors are raced, each of them checked") {
  const folder work;
  for (const char* const by : {"rows", "columns"})
    for (const char* const value : {"f32", "c128"}) {
      const json told = run_json(
          work,
          fmt::format("'gen:uniform?rows=70&cols=50&density=0.1' --vectors 5 --vectors-by {} --value {} "
                      "--exhaustive --samples 2 --warm-only --max-fill 100",
                      by, value));
      INFO(by << ", " << value);
      CHECK(told["request"]["vectors"] == json({{"count", 5}, {"by", by}}));
      int ran = 0;
      for (const json& c : told["contestants"]) {
        INFO(c.dump());
        CHECK(c["wrong"].is_null());
        ran += c["warm"].is_object();
      }
      CHECK(ran >= 20);
      CHECK(told["model"]["record"].is_null());
    }
  const outcome text = run(work, "'gen:laplace2d?n=20' --vectors 5 --vectors-by columns --mix 1:0");
  CHECK(has(text.out, "with 5 vectors at once, by columns"));
  CHECK(has(text.out, "values of each of 5 vectors"));
  CHECK(has(text.out, "m.multiply(1.0, by_columns(x, 5), 0.0, by_columns(y, 5));  // y = A x"));
}

TEST_CASE("an exhaustive run has all samples of every kernel of the list") {
  const folder work;
  const std::string how = " --exhaustive --samples 3 --warm-only --max-fill 100";
  const json told = run_json(work, "'gen:uniform?rows=70&cols=50&density=0.1'" + how + " --diagonals all"),
             of_halves = run_json(
                 work,
                 "'gen:laplace2d?n=9' --as-general --formats csr_half,dia_half,bsr_half,gcsb_tile_half" +
                     how);
  std::vector<json> contestants = told["contestants"];
  for (const json& c : of_halves["contestants"]) contestants.push_back(c);
  CHECK(told["request"]["exhaustive"] == true);
  CHECK(told["request"]["regime"] == "warm");
  std::set<std::pair<std::string, std::string>> timed;
  for (const json& c : contestants) {
    INFO(c.dump());
    CHECK(c["wrong"].is_null());
    CHECK(c["cold"].is_null());
    // A kernel that waits for its threads all the time may be hopeless where others work on all cores.
    if (c["left"].is_string()) {
      CHECK(has(c["left"], "after one run of "));
      CHECK(c["result"] == "left");
      CHECK(c["single_us"] > 5000);
      timed.emplace(c["kernel"], c["operation"]);
    }
    if (!c["warm"].is_object()) continue;
    CHECK(c["warm"]["samples"] == 3);
    timed.emplace(c["kernel"], c["operation"]);
  }
  const json list = run_json(work, "--list");
  for (const json& k : list["kernels"]) {
    if (k["backend"] != "openmp" || k["vendor"]) continue;  // a vendor may refuse this matrix's blocks
    for (const json& op : k["operations"]) {
      // In this matrix no diagonal is worth storing, and two products in one pass were not asked for.
      if (k["format"] == "dia" || (op != "ax" && op != "atx")) continue;
      INFO(k["name"] << " " << op);
      CHECK(timed.contains({k["name"], op}));
    }
  }
  for (const char* const what : {"ax", "atx", "atx_from_a", "pair"})
    CHECK(told["verdict"]["ours"][what]["us"] > 0);
  CHECK(told["verdict"]["over_vendor"].is_null() == !vendor_on_cpu(list));
  CHECK(told["machine"]["vendor"].is_null() == !vendor_on_cpu(list));
  if (vendor_on_cpu(list)) {
    CHECK(told["verdict"]["over_vendor"]["ax"] > 0);
    CHECK(told["base"]["ax"] == "csr/mkl");
  } else {  // what is not the vendor's is ours
    CHECK(told["verdict"]["ours"]["pair"]["kernels"] == told["verdict"]["fastest"]["kernels"]);
  }
  const json cold = run_json(
      work, "'gen:laplace2d?n=20' --exhaustive --samples 2 --kernels csr/omp --mix 0:1 --as-general");
  REQUIRE(cold["contestants"].size() == 1);
  CHECK(cold["contestants"][0]["operation"] == "atx");
  CHECK(cold["contestants"][0]["cold"]["samples"] == 2);
}

TEST_CASE("kernels of history are in no race unless they are named") {
  const folder work;
  const auto kernels_with = [&](const std::string& options) {
    std::set<std::string> kernels;
    const json told = run_json(work, "'gen:blockband?n=300&block=5&density=0.1' --predict " + options);
    for (const json& c : told["contestants"]) kernels.insert(c["kernel"]);
    return kernels;
  };
  const std::set<std::string> usual = kernels_with("--formats bsr --block 5");
  CHECK(usual.contains("bsr/preprocessed"));
  CHECK_FALSE(usual.contains("bsr/max-task"));
  CHECK(kernels_with("--kernels bsr/max-task") == std::set<std::string>{"bsr/max-task"});
}

TEST_CASE("a format with the parameters that were asked for, and no others") {
  const folder work;
  const auto variants = [&](const std::string& options) {
    const json told = run_json(
        work, "'gen:uniform?n=300&density=0.05' --exhaustive --samples 1 --warm-only --mix 1:0 " + options);
    for (const json& c : told["contestants"]) CHECK(c["wrong"].is_null());
    return told["variants"];
  };
  const json bsr = variants("--formats bsr --block 3x2 --max-fill 20");
  REQUIRE(bsr.size() == 1);
  CHECK(bsr[0]["label"] == "bsr 3 x 2");
  CHECK(bsr[0]["refused"].is_null());
  CHECK(bsr[0]["parameters"]["block_rows"] == 3);
  CHECK(bsr[0]["parameters"]["block_cols"] == 2);
  const json gcsb = variants("--formats gcsb --beta 8 --group 4 --max-fill 20");
  REQUIRE(gcsb.size() == 1);
  CHECK(gcsb[0]["label"] == "gcsb beta 8, group 4");
  CHECK(gcsb[0]["parameters"]["group_size"] == 4);
  const json sell = variants("--formats sell --slice 16 --sigma 1");
  REQUIRE(sell.size() == 1);
  CHECK(sell[0]["label"] == "sell 16 x 1");
  CHECK(variants("--formats hyb --width 3")[0]["label"] == "hyb width 3");
  CHECK(variants("--formats gcsb_tile --tile AUTO").size() == 1);
  CHECK(variants("--formats gcsb_tile --tile 512x256 --renumber none")[0]["label"] == "gcsb_tile 512 x 256");
  // Every holding of eCSB has a kernel of its own.
  CHECK(variants("--formats ecsb --beta 16 --max-fill 1000").size() == 3);
  CHECK(variants("--formats ecsb --beta 16 --holding coo")[0]["label"] == "ecsb beta 16, coo");
  // The others stay as they are.
  CHECK(variants("--formats csr,sell,bsr --block 2 --max-fill 20").size() == 7);
}

TEST_CASE("padding is allowed as far as one says") {
  const folder work;
  const std::string skewed = "'gen:denserow?n=300' --predict --formats ell,csr";
  const auto refused = [&](const std::string& options) {
    const json told = run_json(work, skewed + options);
    for (const json& f : told["variants"])
      if (f["format"] == "ell") return !f["refused"].is_null();
    return false;
  };
  CHECK(refused(""));
  CHECK_FALSE(refused(" --max-fill 1e6"));
}

TEST_CASE("exhaustive runs of several matrices come with what they are together") {
  const folder work;
  const std::string arguments =
      "'gen:laplace2d?n=20' 'gen:uniform?n=100&density=0.1' nowhere.mtx --exhaustive --samples 2 --formats "
      "csr,coo";
  const outcome r = run(work, arguments + " --json");
  CHECK(r.status == 1);  // for the one that is missing
  const json told = json::parse(r.out);
  CHECK(told["schema"] == "sparsmith.exhaustive/1");
  CHECK(told["asked"] == 3);
  REQUIRE(told["matrices"].size() == 2);
  CHECK(told["matrices"][0]["schema"] == "sparsmith.recommend/2");
  const json& csr = told["overall"]["formats"]["csr"]["ax"];
  CHECK(csr["measured"] == 2);
  CHECK(csr["matrices"] == 3);
  CHECK(csr["worst"] <= csr["geometric_mean"]);
  CHECK(told["overall"]["over_vendor"]["ax"].is_null() == !vendor_on_cpu(run_json(work, "--list")));
  const outcome text = run(work, arguments);
  CHECK(has(text.out, "over 3 matrices"));
  CHECK(has(text.out, "how many times as fast the best of ours in each format is as the baseline"));
  CHECK(widest(text.out) <= 80);
}

TEST_CASE("a symmetric file that stores both triangles is called that") {
  const folder work;
  std::ofstream(work / "both.mtx")
      << "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 2\n1 2 2\n";
  CHECK(
      run(work, "both.mtx --predict --json").err ==
      "sprecommend: both.mtx: both triangles are stored although the header says symmetric: the values of 1 "
      "pair off the diagonal were added up\n");
  CHECK(run(work, "both.mtx --predict --json --quiet").err.empty());
}

namespace {

std::vector<int> shuffled_numbers(int count) {
  std::vector<int> number(static_cast<std::size_t>(count));
  std::iota(number.begin(), number.end(), 1);
  std::shuffle(number.begin(), number.end(), std::mt19937(1));
  return number;
}

// A grid whose points are numbered at random.
void write_shuffled_grid(const fs::path& path, int side) {
  const std::vector<int> number = shuffled_numbers(side * side);
  std::ostringstream lines;
  int entries = 0;
  const auto add = [&](int a, int b, int value) {
    lines << number[static_cast<std::size_t>(a)] << ' ' << number[static_cast<std::size_t>(b)] << ' ' << value
          << '\n';
    ++entries;
  };
  for (int v = 0; v < side * side; ++v) {
    add(v, v, 4);
    for (const int w : {v % side + 1 < side ? v + 1 : -1, v + side < side * side ? v + side : -1})
      if (w >= 0) {
        add(v, w, -1);
        add(w, v, -1);
      }
  }
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n"
                      << side * side << ' ' << side * side << ' ' << entries << '\n'
                      << lines.str();
}

// Three diagonals, in an order made at random.
void write_shuffled_chain(const fs::path& path, int size) {
  const std::vector<int> number = shuffled_numbers(size);
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate real general\n"
       << size << ' ' << size << ' ' << 3 * size - 2 << '\n';
  for (std::size_t v = 0; v < number.size(); ++v) {
    file << number[v] << ' ' << number[v] << " 4\n";
    if (v + 1 < number.size())
      file << number[v] << ' ' << number[v + 1] << " -1\n" << number[v + 1] << ' ' << number[v] << " -2\n";
  }
}

// Figures of a machine: one that is measured while it is busy may be slow at anything.
void write_quiet_machine(const fs::path& path) {
  std::ofstream(path)
      << R"({"schema": "sparsmith.machine/1", "rates_version": 1, "measured": "", "description":
{"backend": "openmp", "device": "two cores", "driver": "", "toolkit": "", "version": "", "code": "x86-64", "vendor": "",
"clock_mhz": 0, "memory_clock_mhz": 0, "threads": 2}, "rates": {"launch_seconds": 1e-6, "copy_bytes": 2e10, "read_bytes": 1.7e10,
"cached_read_bytes": 2.3e10, "gathers": 6e7, "cached_gathers": 1e8, "atomics": 8e7, "contended_atomics": 3e7,
"cache_bytes": 503316480, "processors": 2}, "noisy": []})";
}

}  // namespace

TEST_CASE("a matrix is raced in other orders too, and the orders are compared") {
  const folder work;
  write_shuffled_grid(work.path / "grid.mtx", 30);
  const json told = run_json(work, "grid.mtx --reorder length,rcm,rcm --budget 2 --mix 1:0 --html page.html");
  CHECK(told["schema"] == "sparsmith.orders/1");
  REQUIRE(told["orders"].size() == 3);
  const json expected = {nullptr, "length", "rcm"};
  for (std::size_t i = 0; i < 3; ++i) {
    const json& line = told["comparison"][i];
    CHECK(line["order"] == expected[i]);
    CHECK(told["orders"][i]["matrix"]["order"] == expected[i]);
    CHECK(line["us"] > 0);
    CHECK(line["order_ms"].is_null() == (i == 0));
    CHECK(told["orders"][i]["steps"][0]["name"] == (i == 0 ? "reading" : "ordering"));
    for (const json& k : told["orders"][i]["contestants"]) CHECK(k["wrong"].is_null());
  }
  const auto bandwidth = [&](std::size_t order) {
    return told["orders"][order]["features"]["structure"]["lower_bandwidth"].get<int>();
  };
  CHECK(bandwidth(2) < bandwidth(0) / 5);
  // Rows alone in another order are no symmetric matrix.
  CHECK(told["orders"][0]["matrix"]["symmetric"] == true);
  CHECK(told["orders"][1]["matrix"]["symmetric"] == false);
  CHECK(told["orders"][2]["matrix"]["symmetric"] == true);
  std::stringstream page;
  page << std::ifstream(work.path / "page.html").rdbuf();
  CHECK(has(page.str(), "Orders of grid.mtx"));
  CHECK(has(page.str(), "grid.mtx in order rcm"));
}

TEST_CASE("in an order that brings entries to the diagonal another format is expected to win") {
  const folder work;
  write_shuffled_chain(work.path / "chain.mtx", 100000);
  write_quiet_machine(work.path / "quiet.json");
  const json told = run_json(work, "chain.mtx --predict --machine quiet.json --reorder all");
  REQUIRE(told["orders"].size() == 4);
  CHECK(told["taken"] == "rcm");
  CHECK(told["comparison"][1]["speed"] > 1.05);
  CHECK(told["comparison"][1]["format"] != told["comparison"][0]["format"]);
  CHECK(told["comparison"][1]["repaid_after"] > 0);
  const outcome text = run(work, "chain.mtx --predict --machine quiet.json --reorder rcm");
  CHECK(has(text.out, "ake order rcm, with"));
  CHECK(has(text.out, "order    rcm, which took"));
  CHECK(has(text.out, "--reorder rcm --permutation chain.rcm.order.txt"));
  CHECK(has(text.out, "reorder(m, \"rcm\")"));
  CHECK(widest(text.out) <= 80);
  CHECK(has(run(work, "chain.mtx --predict --machine quiet.json --reorder rcm --all").out, "as it is"));
}

TEST_CASE("what cannot be in an order is refused, and all orders are those that a shape allows") {
  const folder work;
  const std::string wide = "'gen:uniform?rows=30&cols=20&density=0.1'";
  const outcome refused = run(work, wide + " --reorder rcm");
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "order rcm is for square matrices, this one is 30 x 20; length orders rows alone"));
  CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  const json told = run_json(work, wide + " --reorder all --predict");
  CHECK(told["orders"].size() == 2);
  CHECK(run(work, wide + " --reorder none").status == 2);
  CHECK(run(work, wide + " --reorder length --exhaustive").status == 2);
  // One that cannot does not keep the others from it.
  const outcome both = run(work, wide + " 'gen:laplace2d?n=9' --reorder amd --predict --csv");
  CHECK(both.status == 1);
  CHECK(has(both.err, "order amd is for square matrices"));
  CHECK(has(both.out, ",amd,"));
  const outcome two = run(work, "pattern.mtx none.mtx --reorder rcm --predict --json");
  CHECK(json::parse(two.out).size() == 2);
}
