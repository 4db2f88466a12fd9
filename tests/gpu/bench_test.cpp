// bench_spmv on a GPU, as a process: the vendor's lines, and its pair from two copies, in every form it
// prints.
#include <cmath>
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
  double two_copies_us = 0,
         second_base_us = 0;  // of A^T x: the vendor's best from the copy, the base beside it
  for (const auto& k : m["kernels"]) {
    INFO(k.dump());
    CHECK_FALSE(k.contains("wrong"));
    if (k.contains("not_run")) continue;
    const std::string name = k["kernel"], op = k["operation"];
    if (k["vendor"] == true) of_vendor.insert(name + " " + op);
    for (const char* regime : {"warm", "cold"})
      CHECK(nearly(k[regime]["times_base"],
                   k[regime]["base_us"].get<double>() / k[regime]["median_us"].get<double>()));
    const bool of_transpose = k["of_transpose"];
    if (!of_transpose && m["base"][op] == name) CHECK(k["cold"]["times_base"] == 1.0);
    if (!of_transpose) continue;
    CHECK(k["vendor"] == true);
    CHECK(op == "atx");
    if (two_copies_us == 0 || k["cold"]["median_us"] < two_copies_us) two_copies_us = k["cold"]["median_us"];
    second_base_us = k["cold"]["base_us"];
  }
  for (const char* op : {"ax", "atx"}) {
    INFO(op);
    CHECK(contains(m["base"][op], "csr/cusparse"));
    for (const char* name :
         {"csr/cusparse-alg1 ", "csr/cusparse-alg2 ", "coo/cusparse-alg1 ", "coo/cusparse-alg2 "})
      CHECK(of_vendor.contains(name + std::string(op)));
  }
  for (const char* name : {"sell/cusparse ax", "bsr/cusparse ax", "bsr/cusparse-bsrmv ax"})
    CHECK(of_vendor.contains(name));

  const auto& two = m["best"]["vendor_two_copies"];
  REQUIRE_FALSE(two.is_null());
  CHECK(two["format"] == "csc");
  const double us = two["us"], base_us = two["base_us"];
  CHECK(nearly(two["times_base"], base_us / us));
  // A x is the base's on both sides.
  CHECK(us > two_copies_us);
  CHECK(std::fabs((us - two_copies_us) - (base_us - second_base_us)) <= 1e-6 * base_us);
}

TEST_CASE("bench_spmv beside the vendor, as text and with commas") {
  if (!gpu_here()) return;
  const outcome text = run(" --quiet");
  INFO(text.out << text.err);
  REQUIRE(text.status == 0);
  CHECK(contains(text.out, "\nvendor, one copy "));
  CHECK(contains(text.out, "\nvendor, two copies "));
  CHECK(contains(text.out, "our one copy over the"));
  CHECK(contains(text.out, "which is A^T in CSR"));
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 80);
    if (line.starts_with("vendor, one copy")) CHECK(contains(line, " 1.000"));
  }
  const outcome csv = run(" --quiet --csv");
  REQUIRE(csv.status == 0);
  CHECK(contains(csv.out, ",csc,,csr/cusparse-alg1,atx,ok,"));
  CHECK(contains(csv.out, ",csr,,csr/cusparse-alg2,ax,ok,"));
}
