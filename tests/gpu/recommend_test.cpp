// What must hold of a verdict on any GPU: there is one, nothing is wrong, it has its reasons, and a run in
// which nobody leaves early finds it no slower than a verdict may be. Who wins is a benchmark's business
// (docs/experiments, WINS). Needs a GPU.
#include "analyze/recommend/recommend.hpp"

#include <algorithm>

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
};

struct answers {
  recommendation raced, exhaustive;
};

answers ask(const question& q) {
  assembly_report report;
  const auto matrix = assemble<cuda, std::int32_t, float>({}, read_matrix(q.matrix), false, report, nullptr);
  const known_machine machine = know_machine(cuda{}, false);
  recommend_request request;
  request.machine = machine.description;
  request.rates = machine.rates;
  request.wanted.weights = q.mix;
  request.field.kernels = q.kernels;
  request.budget = 60;
  request.samples = 15;
  const auto run = [&](bool exhaustive) {
    request.exhaustive = exhaustive;
    request.began = seconds_now();
    return recommend<cuda, std::int32_t, float>({}, view(matrix), request, {});
  };
  return {run(false), run(true)};
}

// The same way in other results; none where it is not in them.
way found_again(const way& one, const std::vector<way>& all) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const way& other) {
    return other.variant().label() == one.variant().label() && other.names() == one.names();
  });
  return same == all.end() ? way{} : *same;
}

constexpr std::array<double, 2> ax_alone = {1, 0}, pair = {1, 1};

}  // namespace
#endif

TEST_CASE("a verdict is one that a run in which nobody leaves could have given") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const std::vector<std::string> csr_kernels = {"csr/thread", "csr/warp", "csr/vector", "csr/bins",
                                                "csr/hybrid"};
  for (const question& q : std::vector<question>{{"gen:diagonal?n=1000000&band=3", ax_alone, csr_kernels},
                                                 {"gen:uniform?n=30000&density=0.01", ax_alone, csr_kernels},
                                                 {"gen:rmat?scale=19&edges=16", ax_alone, csr_kernels},
                                                 {"gen:blockband?n=16000&block=5&density=0.05", pair},
                                                 {"gen:uniform?n=45100&density=0.0071", pair}}) {
    INFO(q.matrix);
    const auto [raced, exhaustive] = ask(q);
    for (const recommendation* told : {&raced, &exhaustive}) {
      for (const variant_result& f : told->found.variants)
        for (const contestant_result& k : f.contestants) {
          INFO(f.label() << " " << k.info.name << " " << name_of(k.op));
          CHECK(k.wrong == "");
          // Whoever has no time has a reason.
          CHECK((k.timed() || !k.not_run.empty() || !k.left.empty()));
        }
    }
    const verdict said = verdict_of(raced.found, raced.wanted);
    REQUIRE(said.winner);
    CHECK_FALSE(said.reasons.empty());
    CHECK(said.winner.seconds <= (1 + tie_share) * said.fastest.seconds);

    const std::vector<way> all = every_way_of(exhaustive.found, exhaustive.wanted);
    const way again = found_again(said.winner, all);
    REQUIRE(again);
    const margin_of behind = margin_between(again, all.front());
    INFO(said.winner.names() << " is " << behind.ratio << " x behind " << all.front().names());
    // Within 5 % of the fastest of either run nobody is called slower, nor is who may be level with it.
    CHECK((behind.ratio <= (1 + tie_share) * (1 + tie_share) || behind.low <= 1 + tie_share));
  }
#endif
}
