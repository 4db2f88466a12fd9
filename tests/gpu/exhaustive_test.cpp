// sprecommend --exhaustive on a GPU, as a process: the vendor's kernels in all its formats, and ours beside
// them, worked out again here from the figures of every kernel.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/gpu/gpu_here.hpp"
#include "tests/tools/process.hpp"

using namespace sparsmith::testing;
using nlohmann::json;

namespace {

// One variant a format is enough.
const std::string arguments =
    "'gen:uniform?n=2000&density=0.02' --device cuda --exhaustive --samples 5 --block 4 --sigma 1 "
    "--beta 32 --holding coo --tile auto --max-fill 20";

outcome run(const std::string& more) {
  const temporary_folder folder("gpu_exhaustive_test");
  return run_command(from_environment("SPARSMITH_SPRECOMMEND") + " " + arguments + more, folder / "run");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool nearly(const json& a, double b) {
  return a.is_number() && std::fabs(a.get<double>() - b) <= 1e-9 * std::fabs(b);
}

// The least by operation.
using least = std::map<std::string, double>;
void note(least& all, const std::string& op, double us) {
  const auto at = all.emplace(op, us).first;
  at->second = std::min(at->second, us);
}

}  // namespace

TEST_CASE("an exhaustive run beside the vendor, as JSON") {
  if (!gpu_here()) return;
  const outcome r = run(" --json --quiet");
  INFO(r.err);
  REQUIRE(r.status == 0);
  const json told = json::parse(r.out);
  CHECK(told["machine"]["backend"] == "cuda");
  for (const char* op : {"ax", "atx"}) CHECK(contains(told["base"][op], "csr/cusparse"));
  std::set<std::string> of_vendor;
  least theirs, theirs_from_a, ours, ours_from_a, theirs_in_sell, ours_in_sell;
  std::map<std::size_t, least> our_copies, vendor_copies;  // of a variant
  bool ours_on_copies = false;
  for (const json& k : told["contestants"]) {
    INFO(k.dump());
    CHECK(k["wrong"].is_null());
    if (k["result"] != "ok") continue;
    CHECK(k["left"].is_null());
    CHECK(k["cold"]["samples"] == 6);
    const std::string name = k["kernel"], op = k["operation"];
    const bool of_transpose = k["of_transpose"], vendor = k["vendor"];
    const double us = k["cold"]["median_us"];
    if (of_transpose) CHECK(op == "atx");
    if (vendor) of_vendor.insert(name + " " + op + (of_transpose ? " of A^T" : ""));
    ours_on_copies |= of_transpose && !vendor;
    note(vendor ? theirs : ours, op, us);
    if (!of_transpose && k["format"] != "csc") note(vendor ? theirs_from_a : ours_from_a, op, us);
    if (k["format"] == "sell" && !of_transpose) note(vendor ? theirs_in_sell : ours_in_sell, op, us);
    note((vendor ? vendor_copies : our_copies)[k["variant"].get<std::size_t>()], op, us);
  }
  CHECK(ours_on_copies);
  for (const char* op : {"ax", "atx"})
    for (const char* name : {"csr/cusparse-alg1 ", "csr/cusparse-alg2 ", "coo/cusparse-alg1 "})
      CHECK(of_vendor.contains(name + std::string(op)));
  for (const char* name : {"sell/cusparse", "bsr/cusparse", "bsr/cusparse-bsrmv"}) {
    CHECK(of_vendor.contains(name + std::string(" ax")));
    CHECK(of_vendor.contains(name + std::string(" atx of A^T")));
  }

  const json& over = told["verdict"]["over_vendor"];
  for (const char* op : {"ax", "atx"}) {
    CHECK(nearly(told["verdict"]["vendor"][op]["us"], theirs[op]));
    CHECK(nearly(told["verdict"]["ours"][op]["us"], ours[op]));
    CHECK(nearly(over[op], theirs[op] / ours[op]));
  }
  CHECK(nearly(over["atx_from_a"], theirs_from_a["atx"] / ours_from_a["atx"]));
  CHECK(nearly(over["ax_in_format"]["sell"], theirs_in_sell["ax"] / ours_in_sell["ax"]));
  const auto least_pair = [](const std::map<std::size_t, least>& copies) {
    double us = INFINITY;
    for (const auto& [place, of] : copies)
      if (of.size() == 2) us = std::min(us, of.at("ax") + of.at("atx"));
    return us;
  };
  CHECK(nearly(over["pair_one_copy"], least_pair(vendor_copies) / least_pair(our_copies)));
  CHECK(nearly(over["pair_two_copies"], (theirs["ax"] + theirs["atx"]) / least_pair(our_copies)));
}

TEST_CASE("an exhaustive run beside the vendor, as text and of several matrices") {
  if (!gpu_here()) return;
  const outcome text = run(" 'gen:laplace2d?n=60'");
  INFO(text.out << text.err);
  REQUIRE(text.status == 0);
  for (const char* part : {"\nA x: best format ", "\nboth: two copies ", "\nsell A x: sell "})
    CHECK(contains(text.out, part));
  const outcome several = run(" 'gen:laplace2d?n=60' --json --quiet");
  REQUIRE(several.status == 0);
  const json told = json::parse(several.out);
  CHECK(told["schema"] == "sparsmith.exhaustive/1");
  REQUIRE(told["matrices"].size() == 2);
  double product = 1, worst = INFINITY;
  for (const json& one : told["matrices"]) {
    const double ratio = one["verdict"]["over_vendor"]["ax"];
    product *= ratio;
    worst = std::min(worst, ratio);
  }
  CHECK(nearly(told["overall"]["over_vendor"]["ax"]["worst"], worst));
  CHECK(nearly(told["overall"]["over_vendor"]["ax"]["geometric_mean"], std::sqrt(product)));
}

TEST_CASE("the vendor's kernels alone, by one word") {
  if (!gpu_here()) return;
  const outcome r = run(" --kernels vendor --json --warm-only --quiet");
  INFO(r.err);
  // There is no kernel of ours that the options of formats could be about.
  CHECK(r.status == 2);
  const temporary_folder folder("gpu_vendor_test");
  const outcome alone = run_command(from_environment("SPARSMITH_SPRECOMMEND") +
                                        " 'gen:laplace2d?n=60' --device cuda --exhaustive --samples 2 "
                                        "--warm-only --kernels vendor --json --quiet",
                                    folder / "run");
  REQUIRE(alone.status == 0);
  const json told = json::parse(alone.out);
  for (const json& k : told["contestants"]) {
    CHECK(k["vendor"] == true);
    CHECK(k["cold"].is_null());
  }
}
