// bench_spmv as a process: what it lists, measures, refuses and prints. Times are never judged, only that
// they are there; whether kernels are right is what their own tests are for.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "convert/formats/formats.hpp"
#include "kernels/measure.hpp"
#include "tests/tools/process.hpp"

namespace fs = std::filesystem;
using namespace sparsmith::testing;

namespace {

// Small and quick: a few samples, no cold caches.
const std::string small = "'gen:uniform?rows=70&cols=50&density=0.1' --device cpu --samples 3 --warm-only";

outcome run(const std::string& arguments) {
  const fs::path files = fs::temp_directory_path() / ("bench_spmv_test_" + std::to_string(::getpid()));
  return run_command(from_environment("SPARSMITH_BENCH_SPMV") + " " + arguments, files.string());
}

nlohmann::json run_json(const std::string& arguments) {
  const outcome r = run(arguments + " --json --quiet");
  INFO(arguments << "\n" << r.err);
  REQUIRE(r.status == 0);
  CHECK(r.err.empty());
  return nlohmann::json::parse(r.out);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("help and version") {
  const auto help = run("--help");
  CHECK(help.status == 0);
  for (const char* word : {"--list", "--kernel", "--warm-only", "--max-fill", "gen:uniform", "Examples"})
    CHECK(contains(help.out, word));
  CHECK(run("--version").out.find("bench_spmv 0.") == 0);
}

TEST_CASE("the list names every kernel once for its backend") {
  const auto j = run_json("--list");
  CHECK(j["schema"] == "sparsmith.kernels/1");
  std::set<std::pair<std::string, std::string>> names;
  std::set<std::string> formats;
  for (const auto& k : j["kernels"]) {
    INFO(k.dump());
    CHECK(names.emplace(k["name"], k["backend"]).second);
    CHECK(contains(k["name"], "/"));
    CHECK(!k["operations"].empty());
    CHECK(k["repeatable"].size() <= k["operations"].size());
    CHECK(!k["description"].get<std::string>().empty());
    CHECK(!k["source"].get<std::string>().empty());
    if (k["backend"] == "openmp") {
      CHECK(k["vendor"] == false);
      formats.insert(k["format"]);
    }
  }
  CHECK(names.contains({"csr/omp", "openmp"}));
  for (const std::string& format : sparsmith::format_names()) {
    INFO(format);
    CHECK(formats.contains(format) == (format != "csc"));
  }
  const auto text = run("--list");
  CHECK(text.status == 0);
  for (const auto& [name, backend] : names) CHECK(contains(text.out, "\n" + name + " "));
  for (const std::string& line : lines_of(text.out)) CHECK(line.size() <= 80);
}

TEST_CASE("every kernel of every format is checked and timed") {
  const auto j = run_json(small);
  CHECK(j["schema"] == "sparsmith.bench_spmv/2");
  CHECK(j["backend"] == "openmp");
  CHECK(j["copy_gb_per_s"] > 0);
  REQUIRE(j["matrices"].size() == 1);
  const auto& m = j["matrices"][0];
  CHECK(m["rows"] == 70);
  CHECK(m["cols"] == 50);
  CHECK(m["value_bits"] == 64);
  CHECK(m["headline"] == "warm");
  CHECK(m["base"]["ax"] == "csr/omp");
  const std::int64_t entries = m["entries"];
  CHECK(m["csr_minimum_bytes"] == entries * 12 + 71 * 4 + 120 * 8);

  std::set<std::string> variants;
  for (const auto& f : m["formats"]) {
    INFO(f.dump());
    CHECK(!f.contains("refused"));
    CHECK(f["bytes"] > 0);
    if (f["format"] == "ecsb") variants.insert(f["variant"]);
  }
  CHECK(m["formats"].size() == sparsmith::format_names().size() + 2);  // variants of SELL and eCSB; no CSC
  CHECK(variants == std::set<std::string>{"coo", "ell", "hybrid"});

  std::set<std::pair<std::string, std::string>> timed;
  for (const auto& k : m["kernels"]) {
    INFO(k.dump());
    CHECK(!k.contains("wrong"));
    if (k.contains("not_run")) continue;
    timed.emplace(k["kernel"], k["operation"]);
    const auto& warm = k["warm"];
    CHECK(warm["samples"] == 3);
    CHECK(warm["median_us"] > 0);
    CHECK(warm["p10_us"] <= warm["median_us"]);
    CHECK(warm["median_us"] <= warm["p90_us"]);
    CHECK(warm["times_base"] > 0);
    CHECK(k["cold"].is_null());
  }
  for (const auto& k : run_json("--list")["kernels"]) {
    if (k["backend"] != "openmp") continue;
    for (const auto& op : k["operations"]) {
      INFO(k["name"] << " " << op);
      CHECK(timed.contains({k["name"], op}));
    }
  }
  for (const char* what : {"ax", "atx", "pair"}) {
    INFO(what);
    CHECK(m["best"][what]["us"] > 0);
    CHECK(m["best"][what]["times_base"] > 0);
  }
  CHECK(m["best"]["pair"]["kernels"].size() == 2);
  // A CPU has no vendor.
  CHECK(m["vendor"].is_null());
  CHECK(m["over_vendor"].is_null());
  CHECK(j["overall"]["formats"]["csr"]["pair"]["matrices"] == 1);
  CHECK(j["overall"]["over_vendor"]["ax"].is_null());
}

TEST_CASE("only what was asked for is measured") {
  const auto forced = run_json(small + " --kernel csr/omp,coo/omp --op atx --value f32");
  const auto& m = forced["matrices"][0];
  CHECK(m["value_bits"] == 32);
  REQUIRE(m["kernels"].size() == 2);
  for (const auto& k : m["kernels"]) CHECK(k["operation"] == "atx");
  CHECK(m["formats"].size() == 2);
  CHECK(m["best"]["ax"].is_null());
  CHECK(m["best"]["pair"].is_null());

  const auto format = run_json(small + " --format bsr --block 3x2 --op ax");
  for (const auto& k : format["matrices"][0]["kernels"]) CHECK(k["format"] == "bsr");
  const auto& parameters = format["matrices"][0]["formats"][0]["parameters"];
  CHECK(parameters["block_rows"] == 3);
  CHECK(parameters["block_cols"] == 2);
  const auto beta = run_json(small + " --format gcsb --beta 8 --group 4 --op ax");
  CHECK(beta["matrices"][0]["formats"][0]["parameters"]["beta"] == 8);
  CHECK(beta["matrices"][0]["formats"][0]["parameters"]["group_size"] == 4);
  CHECK(run(small + " --format gcsb_tile --tile AUTO --quiet").status == 0);
}

TEST_CASE("caches are cold unless told otherwise") {
  const auto j =
      run_json("'gen:laplace2d?n=20' --device cpu --threads 1 --samples 2 --kernel csr/omp --op ax");
  CHECK(j["threads"] == 1);
  CHECK(j["matrices"][0]["headline"] == "cold");
  const auto& k = j["matrices"][0]["kernels"][0];
  CHECK(k["cold"]["samples"] == 2);
  CHECK(k["cold"]["median_us"] > 0);
}

TEST_CASE("the text and the table with commas hold the same kernels") {
  const auto text = run(small + " --format csr,ell --quiet");
  CHECK(text.status == 0);
  CHECK(text.err.empty());
  for (const char* word : {"70 x 50", "csr/omp", "ell/omp", "A^T x", "best of ours", "both, one copy"})
    CHECK(contains(text.out, word));
  // As wide as a terminal that nothing is known of.
  for (const std::string& line : lines_of(run(small + " " + small + " --scipy").out))
    CHECK(line.size() <= 80);
  const auto csv = run(small + " --format csr,ell --csv");
  CHECK(csv.status == 0);
  const auto lines = lines_of(csv.out);
  REQUIRE(lines.size() == 5);
  for (const std::string& line : lines)
    CHECK(std::count(line.begin(), line.end(), ',') == std::count(lines[0].begin(), lines[0].end(), ','));
}

TEST_CASE("a format that does not fit is a line, not an end") {
  const std::string skewed =
      "'gen:denserow?n=500' --device cpu --samples 1 --warm-only --op ax --format ell,csr";
  const auto j = run_json(skewed);
  const auto& m = j["matrices"][0];
  REQUIRE(m["formats"].size() == 2);
  for (const auto& f : m["formats"]) CHECK(f.contains("refused") == (f["format"] == "ell"));
  for (const auto& k : m["kernels"]) CHECK(k["format"] == "csr");
  CHECK(contains(run(skewed).out, "refused  ell: "));
  CHECK(!run_json(skewed + " --max-fill 1e6")["matrices"][0]["formats"][1].contains("refused"));
}

TEST_CASE("matrices without entries, rows or columns") {
  for (const char* matrix :
       {"gen:uniform?n=0", "gen:uniform?rows=5&cols=0", "gen:uniform?rows=7&cols=3&density=0"}) {
    INFO(matrix);
    const auto j = run_json("'" + std::string(matrix) + "' --device cpu --samples 1 --warm-only");
    for (const auto& k : j["matrices"][0]["kernels"]) CHECK(!k.contains("wrong"));
  }
}

TEST_CASE("requests that make no sense") {
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "name a matrix"},
           {"--kernel csr/ompp " + small, "near it: csr/omp"},
           {"--kernel csr/omp --format ell " + small, "belongs to a format"},
           {"--kernel vendor " + small, "--kernel vendor: the vendor's kernels need a GPU"},
           {"--format csc " + small, "which need a GPU"},
           {"--format nonsense " + small, "nonsense"},
           {"--op ay " + small, "ay"},
           {"--value f16 " + small, "f16"},
           {"--beta 3 " + small, "power of two"},
           {"--format gcsb --beta 3 " + small, "power of two"},
           {"--format csr --beta 8 " + small, "--beta means nothing for csr (it is for csb, ecsb and gcsb)"},
           {"--kernel csr/omp,coo/omp --tile 512 " + small,
            "--tile means nothing for coo and csr (it is for gcsb_tile)"},
           {"--format gcsb --tile 512 " + small, "--tile means nothing for gcsb (it is for gcsb_tile)"},
           {"--block 4y " + small, "4y"},
           {"--block 0x4 " + small, "from 1 to 64"},
           {"--tile 100 " + small, "from 256 to 2048"},
           {"--json --csv " + small, "--csv"},
           {"gen:nonsense --device cpu --quiet", "nonsense"}}) {
    const auto r = run(arguments);
    INFO(arguments << "\n" << r.err);
    CHECK(r.status == 2);
    CHECK(contains(r.err, message));
    CHECK(lines_of(r.err).size() == 1);
    CHECK(r.out.empty());
  }
}

TEST_CASE("a name that is not UTF-8 costs nothing that was measured") {
  const temporary_folder folder("bench_spmv_names");
  const std::string name = folder / "a\xff.mtx";
  std::ofstream(name) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 3\n";
  const std::string arguments = "'" + name + "' '" + (folder / "missing\xfe.mtx") +
                                "' --device cpu --samples 1 --warm-only --format csr";
  const auto r = run(arguments + " --json");
  CHECK(r.status == 1);  // for the one that is missing
  const auto j = nlohmann::json::parse(r.out);
  REQUIRE(j["matrices"].size() == 2);
  CHECK(contains(j["matrices"][0]["name"], "a\uFFFD.mtx"));
  CHECK(j["matrices"][0]["kernels"].size() == 2);
  CHECK(contains(j["matrices"][1]["problem"], "missing\uFFFD.mtx"));
  for (const char* form : {" --csv", ""}) CHECK(contains(run(arguments + form).out, name));
}

TEST_CASE("the base against itself is 1, in every form") {
  const std::string arguments = small + " --format csr";
  const auto m = run_json(arguments)["matrices"][0];
  REQUIRE(m["kernels"].size() == 2);
  for (const auto& k : m["kernels"]) {
    INFO(k.dump());
    REQUIRE(k["kernel"] == m["base"][k["operation"].get<std::string>()]);
    CHECK(k["warm"]["times_base"] == 1.0);
    CHECK(k["warm"]["base_us"] == k["warm"]["median_us"]);
  }
  for (const char* what : {"ax", "atx", "pair"}) CHECK(m["best"][what]["times_base"] == 1.0);
  const auto csv = lines_of(run(arguments + " --csv").out);
  REQUIRE(csv.size() == 3);
  const auto fields = [](const std::string& line) {
    std::istringstream in(line.substr(line.rfind('"') + 1));  // behind the name, which is in quotes
    std::vector<std::string> all;
    for (std::string field; std::getline(in, field, ',');) all.push_back(field);
    return all;
  };
  const auto names = fields(csv[0]);
  const auto at = std::find(names.begin(), names.end(), "times_base") - names.begin();
  for (std::size_t i : {1, 2}) CHECK(fields(csv[i])[static_cast<std::size_t>(at)] == "1");
  const std::string text = run(arguments).out;
  int lines = 0;
  for (const std::string& line : lines_of(text))
    if (contains(line, "the base itself")) {
      CHECK(contains(line, " 1.000 "));
      ++lines;
    }
  CHECK(lines == 3);  // A x, A^T x and both
}

TEST_CASE("it says where it is, also where there is no terminal, and nothing of it with --quiet") {
  const auto told = run(small + " --format coo,csr,ell --csv");
  const auto steps = lines_of(told.err);
  CHECK(told.status == 0);
  REQUIRE(steps.size() >= 4);
  CHECK(contains(told.err, ": reading\n"));
  CHECK(contains(told.err, "coo, 1 of 3\n"));
  CHECK(contains(told.err, "csr, 2 of 3\n"));
  CHECK(contains(told.err, "ell, 3 of 3\n"));
  CHECK(run(small + " --format coo,csr,ell --csv --quiet").err.empty());
}

// The shell waits for the first format and ends the rest, which is all other formats and a matrix that takes
// minutes: the signal comes before the end on a fast machine too, and a slow one need not get there.
TEST_CASE("what was measured is there before the rest is, whatever ends it") {
  const temporary_folder folder("bench_spmv_limits");
  const std::string slow =
      "'gen:uniform?n=400&density=0.05' 'gen:laplace3d?n=100' --device cpu --threads 1 --warm-only "
      "--samples 300";
  const auto ended_by = [&](const char* signal, const std::string& form) {
    const std::string out = folder / "out", err = folder / "err";
    for (const std::string& file : {out, err}) fs::remove(file);
    return run_command(from_environment("SPARSMITH_BENCH_SPMV") + " " + slow + form + " >'" + out + "' 2>'" +
                           err + "' & pid=$!; until grep -q ', 2 of ' '" + err +
                           "' || ! kill -0 $pid; do sleep 0.02; done; kill -" + signal +
                           " $pid; wait $pid; status=$?; cat '" + out + "'; exit $status",
                       folder / "shell");
  };
  for (const char* form : {" --csv", ""}) {
    const auto r = ended_by("KILL", form);
    INFO(r.out << r.err);
    CHECK(r.status == 128 + 9);
    CHECK(contains(r.out, "coo/omp"));
    CHECK_FALSE(contains(r.out, "laplace3d"));
  }
  const auto csv = ended_by("TERM", " --csv");
  INFO(csv.out << csv.err);
  CHECK(contains(csv.out, ",not reached,"));
  CHECK_FALSE(contains(csv.out, ",refused,"));
  const auto text = ended_by("TERM", "");
  INFO(text.out << text.err);
  CHECK(contains(text.out, "not reached: interrupted"));
  CHECK_FALSE(contains(text.out, "refused"));
  const auto r = ended_by("TERM", " --json");
  INFO(r.out << r.err);
  CHECK(r.status == 128 + 15);
  const auto j = nlohmann::json::parse(r.out);
  CHECK(j["interrupted"] == true);
  REQUIRE(j["matrices"].size() == 1);
  for (const auto& f : j["matrices"][0]["formats"])
    if (f["format"] == "bsr") CHECK(f["refused"] == "not reached: interrupted");
  int timed = 0;
  for (const auto& k : j["matrices"][0]["kernels"])
    timed += k["format"] == "coo" && k["warm"]["median_us"] > 0;
  CHECK(timed == 2);
}

TEST_CASE("a file that cannot be read does not keep the others from being measured") {
  const auto r = run("/nonexistent.mtx " + small + " --kernel csr/omp --json");
  CHECK(r.status == 1);
  CHECK(contains(r.err, "/nonexistent.mtx"));
  const auto j = nlohmann::json::parse(r.out);
  REQUIRE(j["matrices"].size() == 2);
  CHECK(j["matrices"][0].contains("problem"));
  CHECK(j["matrices"][1]["kernels"].size() == 2);
#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes of addresses itself
  // Measuring takes several times the memory of the caches, which some machines have half a gigabyte of.
  const std::int64_t kilobytes = 4000000 + 9 * (sparsmith::cache_bytes_or(0) >> 10);
  const std::string large =
      "gen:diagonal?n=" + std::to_string(std::min<std::int64_t>(kilobytes * 100, 2000000000));
  const auto little =
      run_command("ulimit -v " + std::to_string(kilobytes) + "; " + from_environment("SPARSMITH_BENCH_SPMV") +
                      " " + large + " " + small + " --kernel csr/omp --json --quiet",
                  (fs::temp_directory_path() / "bench_spmv_memory").string());
  INFO(little.err);
  CHECK(little.status == 1);
  CHECK(contains(little.err, "bench_spmv: " + large + ": "));
  const auto left = nlohmann::json::parse(little.out);
  REQUIRE(left["matrices"].size() == 2);
  CHECK(left["matrices"][0].contains("problem"));
  CHECK(left["matrices"][1]["kernels"].size() == 2);
#endif
}
