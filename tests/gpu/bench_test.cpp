// bench_spmv on a GPU, as a process: the vendor's lines, its best in all its formats, and ours beside it, in
// every form it prints.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/gpu/gpu_here.hpp"
#include "tests/tools/process.hpp"

using namespace sparsmith::testing;

namespace {

const std::string arguments =
    "'gen:uniform?n=2000&density=0.02' --device cuda --samples 5 --format csr,csc,coo,sell,bsr --block 4";

outcome run(const std::string& more) {
  const temporary_folder folder("gpu_bench_test");
  return run_command(from_environment("SPARSMITH_BENCH_SPMV") + " " + arguments + more, folder / "bench");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool nearly(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::fabs(b);
}

}  // namespace

TEST_CASE("bench_spmv beside the vendor, as JSON") {
  if (!gpu_here()) return;
  const outcome r = run(" --json --quiet");
  INFO(r.err);
  REQUIRE(r.status == 0);
  const auto document = nlohmann::json::parse(r.out);
  CHECK(document["backend"] == "cuda");
  const auto& m = document["matrices"][0];
  std::set<std::string> of_vendor;
  // By operation: the least of the vendor's and of ours, and the same of copies of A alone.
  std::map<std::string, double> theirs, from_a, ours, ours_from_a, ours_in_sell, theirs_in_sell;
  const auto note_least = [](std::map<std::string, double>& all, const std::string& op, double us) {
    const auto at = all.emplace(op, us).first;
    at->second = std::min(at->second, us);
  };
  bool ours_on_transpose = false;
  for (const auto& k : m["kernels"]) {
    INFO(k.dump());
    CHECK_FALSE(k.contains("wrong"));
    if (k.contains("not_run")) continue;
    const std::string name = k["kernel"], op = k["operation"];
    const bool of_transpose = k["of_transpose"], vendor = k["vendor"];
    const double us = k["cold"]["median_us"];
    if (vendor) of_vendor.insert(name + " " + op + (of_transpose ? " of A^T" : ""));
    for (const char* regime : {"warm", "cold"})
      CHECK(nearly(k[regime]["times_base"],
                   k[regime]["base_us"].get<double>() / k[regime]["median_us"].get<double>()));
    if (!of_transpose && m["base"][op] == name) CHECK(k["cold"]["times_base"] == 1.0);
    if (of_transpose) CHECK(op == "atx");
    ours_on_transpose |= of_transpose && !vendor;
    note_least(vendor ? theirs : ours, op, us);
    if (!of_transpose) note_least(vendor ? from_a : ours_from_a, op, us);
    if (k["format"] == "sell" && !of_transpose) note_least(vendor ? theirs_in_sell : ours_in_sell, op, us);
    CHECK(nearly(k["times_vendor"], m["vendor"][op]["us"].get<double>() / us));
  }
  for (const char* op : {"ax", "atx"}) {
    INFO(op);
    CHECK(contains(m["base"][op], "csr/cusparse"));
    for (const char* name :
         {"csr/cusparse-alg1 ", "csr/cusparse-alg2 ", "coo/cusparse-alg1 ", "coo/cusparse-alg2 "})
      CHECK(of_vendor.contains(name + std::string(op)));
    CHECK(nearly(m["vendor"][op]["us"], theirs[op]));
    CHECK(nearly(m["over_vendor"][op], theirs[op] / ours[op]));
  }
  for (const char* name : {"sell/cusparse ax", "bsr/cusparse ax", "bsr/cusparse-bsrmv ax"}) {
    CHECK(of_vendor.contains(name));
    CHECK(of_vendor.contains(std::string(name).substr(0, std::string(name).size() - 2) + "atx of A^T"));
  }
  for (const char* name :
       {"csr/cusparse-alg1", "csr/cusparse-alg2", "coo/cusparse-alg1", "coo/cusparse-alg2"})
    CHECK(of_vendor.contains(name + std::string(" atx of A^T")));

  const auto& vendor = m["vendor"];
  CHECK(nearly(vendor["atx_from_a"]["us"], from_a["atx"]));
  CHECK(nearly(m["over_vendor"]["atx_from_a"], from_a["atx"] / ours_from_a["atx"]));
  CHECK(ours_on_transpose);
  CHECK(nearly(vendor["two_copies"]["us"], theirs["ax"] + theirs["atx"]));
  CHECK(vendor["two_copies"]["us"] <= vendor["one_copy"]["us"]);
  CHECK(vendor["one_copy"]["us"] <= vendor["csr"]["us"]);
  CHECK(vendor["csr"]["copies"] == nlohmann::json::array({"csr"}));
  CHECK(nearly(m["over_vendor"]["pair_csr"],
               vendor["csr"]["us"].get<double>() / m["best"]["pair"]["us"].get<double>()));
  CHECK(nearly(m["over_vendor"]["pair_two_copies"],
               vendor["two_copies"]["us"].get<double>() / m["best"]["pair"]["us"].get<double>()));
  CHECK(nearly(m["over_vendor"]["ax_in_format"]["sell"], theirs_in_sell["ax"] / ours_in_sell["ax"]));
  CHECK(nearly(document["overall"]["over_vendor"]["ax"]["worst"], m["over_vendor"]["ax"]));
}

TEST_CASE("bench_spmv beside the vendor, as text and with commas") {
  if (!gpu_here()) return;
  const outcome text = run(" --quiet");
  INFO(text.out << text.err);
  REQUIRE(text.status == 0);
  for (const char* part : {"  x vendor\n", "\nthe vendor ", "\nboth, CSR ", "\nboth, two copies ",
                           "its CSR, one copy, ", "in the same format: ", "\nsell unsorted of A^T: "})
    CHECK(contains(text.out, part));
  const outcome several = run(" 'gen:laplace2d?n=60' --quiet");
  REQUIRE(several.status == 0);
  for (const char* part : {"\nA x: best format ", "\nboth: two copies ", "\nsell A x: sell "})
    CHECK(contains(several.out, part));
  std::istringstream lines(text.out + several.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  const outcome csv = run(" --quiet --csv");
  REQUIRE(csv.status == 0);
  CHECK(contains(csv.out, ",csr,of A^T,csr/cusparse-alg1,atx,ok,"));
  for (const char* result : {"best of ours", "vendor ax", "vendor atx", "vendor csr", "vendor two_copies"})
    CHECK(contains(csv.out, "," + std::string(result) + ","));
  std::istringstream rows(csv.out);
  for (std::string row; std::getline(rows, row);) CHECK(std::count(row.begin(), row.end(), ',') == 24);
  CHECK(contains(csv.out, ",csr,,csr/cusparse-alg2,ax,ok,"));
}
