// What the reference documents concluded about schedules and formats comes out of races by itself. Needs a
// GPU.
#include "analyze/recommend/recommend.hpp"
#include "analyze/recommend/machine_cache.hpp"
#include "convert/io/read.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/gpu_here.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

#if SPARSMITH_HAS_CUDA
namespace {

struct question {
  const char* matrix;
  std::array<double, 2> mix;
  std::vector<std::string> kernels = {};
  std::vector<format_kind> formats = {};
};

recommendation ask(const question& q) {
  assembly_report report;
  const auto matrix = assemble<cuda, std::int32_t, float>({}, read_matrix(q.matrix), false, report, nullptr);
  const known_machine machine = know_machine(cuda{}, false);
  recommend_request request;
  request.machine = machine.description;
  request.rates = machine.rates;
  request.wanted.weights = q.mix;
  request.field.kernels = q.kernels;
  request.field.formats = q.formats;
  request.began = seconds_now();
  request.budget = 20;
  return recommend<cuda, std::int32_t, float>({}, view(matrix), request, {});
}

// The kernel of A x that won, and those that are not told apart from it.
std::vector<std::string> leaders(const recommendation& told) {
  const verdict said = verdict_of(told.found, told.wanted, told.context());
  std::vector<std::string> names;
  if (!said.winner) return names;
  names.emplace_back(said.winner.contestant(operation::multiply)->info.name);
  for (const way& w : said.ties) names.emplace_back(w.contestant(operation::multiply)->info.name);
  return names;
}

bool any_of(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  for (const std::string& name : names)
    for (const std::string& one : wanted)
      if (name == one) return true;
  return false;
}

const std::vector<std::string> csr_kernels = {"csr/thread", "csr/warp",   "csr/vector",
                                              "csr/bins",   "csr/hybrid", "csr/merge"};
constexpr std::array<double, 2> ax_alone = {1, 0}, pair = {1, 1};

}  // namespace
#endif

TEST_CASE("what the documents concluded comes out of races") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  {
    INFO("a thread a row for very short, even rows");
    const auto names = leaders(ask({"gen:diagonal?n=1000000&band=3", ax_alone, csr_kernels}));
    CHECK(any_of(names, {"csr/thread"}));
    CHECK(!any_of(names, {"csr/warp", "csr/bins"}));
  }
  {
    INFO("more lanes a row for longer ones");
    const auto names = leaders(ask({"gen:uniform?n=30000&density=0.01", ax_alone, csr_kernels}));
    CHECK(any_of(names, {"csr/warp", "csr/vector", "csr/bins"}));
    CHECK(!any_of(names, {"csr/thread"}));
  }
  for (const char* const skewed : {"gen:denserow?n=500000&dense=3", "gen:rmat?scale=19&edges=16"}) {
    INFO("rows cut where that balances them, or by their classes, where they are skewed: " << skewed);
    const auto names = leaders(ask({skewed, ax_alone, csr_kernels}));
    CHECK(any_of(names, {"csr/hybrid", "csr/merge", "csr/vector"}));
    CHECK(!any_of(names, {"csr/thread"}));
  }
  {
    INFO("segmented scans for COO with dense rows");
    const recommendation told =
        ask({"gen:denserow?n=20000&dense=200",
             ax_alone,
             {"coo/atomic", "coo/stride-1", "coo/stride-warp", "coo/stride-block", "coo/stride-grid",
              "coo/segscan-32", "coo/segscan-1024", "coo/segscan-32-block"}});
    CHECK(any_of(leaders(told), {"coo/segscan-32", "coo/segscan-1024", "coo/segscan-32-block"}));
    CHECK(!any_of(leaders(told), {"coo/atomic", "coo/stride-1", "coo/stride-warp", "coo/stride-grid"}));
  }
  {
    INFO("BSR on block bands");
    const recommendation told = ask({"gen:blockband?n=16000&block=5&density=0.05", pair});
    const verdict said = verdict_of(told.found, told.wanted, told.context());
    REQUIRE(said.winner);
    CHECK(said.winner.variant().format == format_kind::bsr);
  }
  {
    INFO("GCSB's tiles where both products are wanted and entries are spread");
    const recommendation told = ask({"gen:uniform?n=45100&density=0.0071", pair});
    const verdict said = verdict_of(told.found, told.wanted, told.context());
    REQUIRE(said.winner);
    CHECK(said.winner.variant().format == format_kind::gcsb_tile);
  }
#endif
}
