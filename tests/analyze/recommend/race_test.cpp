// The race: with kernels of the test's own, what it makes of those that refuse, fail or lie; with the real
// ones, that it does what the request says. Times are judged where they are scripted: tournament_test.cpp.
#include "analyze/recommend/race.hpp"

#include "analyze/recommend/contest.hpp"

#include <chrono>
#include <set>
#include <thread>

#include "convert/io/read.hpp"
#include "tests/analyze/recommend/variants.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

using matrix = csr<std::int32_t, double, host>;
const std::vector<operation> both(plain_operations.begin(), plain_operations.end());
const sampling_options quick{2, true};

matrix generated(const std::string& spec) {
  assembly_report report;
  return assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr);
}

// The vendor's product of CSR, where the build has one for the CPU.
std::string cpu_baseline() {
  for (const listed_kernel& k : all_kernels())
    if (k.backend == openmp::name && k.format == format_kind::csr && k.info.vendor) return k.info.name;
  return "csr/omp";
}

kernel_contest<openmp, double> contest_of(const matrix& m) {
  return {
      openmp{},
      m.rows,
      m.cols,
      1,
      {[&m](operation op, const array<double, host>& x) {
         return multiply_reference<std::int32_t, double>(m, op, 1.0, x.data(), 0.0, nullptr);
       },
       [&m](operation op, const array<double, host>& x, std::int32_t neighbours, reference_product& known) {
         allow_for_neighbours<std::int32_t, double>(view(m), op, 1.0, x.data(), neighbours, known);
       }},
      quick,
      {}};
}

// Everybody's samples in two rounds, beside the baselines'.
void run_all(kernel_contest<openmp, double>& contest, const std::vector<bound_kernel<double>>& all,
             const std::vector<operation>& operations, variant_result& result) {
  std::vector<std::pair<std::size_t, std::unique_ptr<contestant<double>>>> field;
  for (const operation op : operations)
    for (const bound_kernel<double>& one : all) {
      contestant_result& line = result.contestants.emplace_back();
      if (auto entered = contest.enter(one, op, line))
        field.emplace_back(result.contestants.size() - 1, std::move(entered));
    }
  contest.restart_baselines();
  for (int round = 0; round < 2; ++round) {
    result.base = contest.sample_baselines(1, 0);
    for (auto& [line, one] : field)
      if (one != nullptr && !contest.sample(*one, 1, 0, result.contestants[line])) one = nullptr;
  }
}

kernel_info named(const char* name, bool vendor) {
  return {.name = name, .description = "a test", .source = "ours", .vendor = vendor};
}

// Right, as far as `before_run` lets it.
bound_kernel<double> fake(
    const matrix& m, const char* name, bool vendor,
    const std::function<double()>& before_run = [] { return 1.0; }) {
  const auto real = bound_kernels_of(openmp{}, view(m)).front();
  return {named(name, vendor), real.why_not, [real, before_run](operation op) {
            const auto ready = real.prepare(op);
            return prepared_kernel<double>{8, [=](double alpha, const double* x, double beta, double* y) {
                                             ready.run(alpha * before_run(), x, beta, y);
                                           }};
          }};
}

bound_kernel<double> failing(const char* name, bool vendor, failure category) {
  return {named(name, vendor), [](operation) { return std::string(); },
          [=](operation) -> prepared_kernel<double> { throw error(category, std::string(name) + " fails"); }};
}

double starve() {
  throw error(failure::resources, "no memory to run in");
}

// Lacks memory already where it looks at the matrix.
bound_kernel<double> starving_at_once(const char* name, bool vendor) {
  bound_kernel<double> one = failing(name, vendor, failure::resources);
  one.why_not = [](operation) -> std::string { throw error(failure::resources, "no memory to look"); };
  return one;
}

}  // namespace

TEST_CASE("the baseline is the vendor's where one runs, and survives those that lack memory") {
  const matrix m = generated("gen:laplace2d?n=8");
  const auto base = [&](const std::vector<bound_kernel<double>>& all) {
    return contest_of(m).choose_baseline(all, operation::multiply);
  };
  CHECK(base({fake(m, "a/ours", false), fake(m, "a/vendor", true)}) == "a/vendor");
  CHECK(base({failing("a/starving", true, failure::resources), fake(m, "a/vendor", true)}) == "a/vendor");
  CHECK(base({fake(m, "a/starving", true, starve), fake(m, "a/vendor", true)}) == "a/vendor");
  CHECK(base({failing("a/starving", true, failure::resources), fake(m, "a/ours", false)}) == "a/ours");
  CHECK(base({fake(m, "a/wrong", true, [] { return 2.0; }), fake(m, "a/ours", false)}) == "a/ours");
  CHECK(base({starving_at_once("a/starving", true), fake(m, "a/vendor", true)}) == "a/vendor");
  CHECK(base({failing("a/starving", true, failure::resources)}).empty());
  CHECK_THROWS_AS(base({failing("a/broken", true, failure::device), fake(m, "a/ours", false)}), error);
}

TEST_CASE("a kernel that lacks memory or is wrong is a line, and the race goes on") {
  const matrix m = generated("gen:laplace2d?n=8");
  auto contest = contest_of(m);
  const std::vector<bound_kernel<double>> all = {
      failing("a/starving", true, failure::resources), fake(m, "a/good", false),
      fake(m, "a/wrong", false, [] { return 2.0; }),
      fake(m, "a/starving-later", false, [calls = 0]() mutable { return ++calls > 2 ? starve() : 1.0; }),
      fake(m, "a/wrong-later", false, [calls = 0]() mutable { return ++calls > 2 ? 2.0 : 1.0; })};
  CHECK(contest.choose_baseline({all[0], all[1]}, operation::multiply) == "a/good");
  variant_result result;
  run_all(contest, all, {operation::multiply}, result);
  REQUIRE(result.contestants.size() == all.size());
  CHECK(result.contestants[0].not_run == "a/starving fails");
  CHECK(result.contestants[1].timed());
  CHECK(result.contestants[1].time.warm.samples == 2);
  CHECK(result.contestants[1].time.cold.samples == 0);
  CHECK(result.contestants[1].prepared_bytes == 8);
  CHECK(result.contestants[2].wrong.find("outputs, first y[") != std::string::npos);
  CHECK(result.contestants[3].not_run == "no memory to run in");
  CHECK(!result.contestants[4].wrong.empty());
  CHECK(result.base_of(operation::multiply).warm.samples == 2);
  CHECK(result.base_of(operation::transposed).warm.samples == 0);

  CHECK_THROWS_AS(run_all(contest, {failing("a/broken", false, failure::device)}, both, result), error);
}

TEST_CASE("a kernel that is right only in its first run, or only until it is timed, is wrong") {
  const matrix m = generated("gen:laplace2d?n=8");
  auto contest = contest_of(m);
  const auto right_until = [&](int runs) {
    return fake(m, "a/kernel", false, [calls = 0, runs]() mutable { return ++calls > runs ? 2.0 : 1.0; });
  };
  contestant_result line;
  CHECK(contest.enter(right_until(1), operation::multiply, line) == nullptr);
  CHECK(!line.wrong.empty());
  // So short a one runs five times; when it is timed, it has to be right still.
  line = {};
  const auto entered = contest.enter(right_until(5), operation::multiply, line);
  REQUIRE(entered != nullptr);
  CHECK(line.wrong.empty());
  CHECK_FALSE(contest.sample(*entered, 1, 0, line));
  CHECK(!line.wrong.empty());
  CHECK(contest.choose_baseline({right_until(1), fake(m, "a/good", false)}, operation::multiply) == "a/good");
}

TEST_CASE("a kernel that leaves what is there when it is timed is wrong") {
  const matrix m = generated("gen:laplace2d?n=8");
  auto contest = contest_of(m);
  const auto real = bound_kernels_of(openmp{}, view(m)).front();
  int runs = 0;
  const bound_kernel<double> lazy{
      named("a/lazy", false), real.why_not, [&](operation op) {
        const auto ready = real.prepare(op);
        return prepared_kernel<double>{0,
                                       [&runs, ready](double alpha, const double* x, double beta, double* y) {
                                         if (++runs <= 5) ready.run(alpha, x, beta, y);
                                       }};
      }};
  contestant_result line;
  const auto entered = contest.enter(lazy, operation::multiply, line);
  REQUIRE(entered != nullptr);
  CHECK_FALSE(contest.sample(*entered, 1, 0, line));
  CHECK(!line.wrong.empty());
}

TEST_CASE("what a kernel pays for once is no part of its time, nor of preparing it") {
  const matrix m = generated("gen:laplace2d?n=8");
  auto contest = contest_of(m);
  const auto real = bound_kernels_of(openmp{}, view(m)).front();
  const auto sleep = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  int prepared = 0, runs = 0;
  const bound_kernel<double> slow_at_first{
      named("a/slow", false), real.why_not, [&](operation op) {
        if (++prepared == 1) sleep(0.3);
        const auto ready = real.prepare(op);
        return prepared_kernel<double>{0, [&, ready](double alpha, const double* x, double beta, double* y) {
                                         sleep(++runs == 1 ? 0.3 : 0.01);
                                         ready.run(alpha, x, beta, y);
                                       }};
      }};
  contestant_result line;
  REQUIRE(contest.enter(slow_at_first, operation::multiply, line) != nullptr);
  CHECK(prepared == 2);
  CHECK(runs == 2);  // a long one no more often
  CHECK(line.prepare_seconds < 0.2);
  CHECK(line.single_seconds >= 0.01);
  CHECK(line.single_seconds < 0.2);
}

TEST_CASE("of the vendor's the fastest is the baseline") {
  const matrix m = generated("gen:laplace2d?n=8");
  const auto slow = fake(m, "a/slow", true, [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return 1.0;
  });
  const auto fast = fake(m, "a/fast", true);
  CHECK(contest_of(m).choose_baseline({slow, fast}, operation::multiply) == "a/fast");
  CHECK(contest_of(m).choose_baseline({fast, slow}, operation::multiply) == "a/fast");
}

TEST_CASE("what needs 64-bit offsets is made with them") {
  // 50,000 x 50,000 blocks of CSB, which 32 bits do not number, of a matrix whose entries they count.
  const testing::named_matrix few{"", 100000, 100000, {{0, 0, 1}, {7, 99999, 2}, {99999, 3, 3}}};
  const auto m = coo_to_csr<openmp, std::int32_t, double>(openmp{}, testing::as_coo_of<double>(few), nullptr);
  race_request request;
  request.sampling = quick;
  conversion_options conversion;
  conversion.blocks.beta = 2;
  for (const format_kind format : {format_kind::csr, format_kind::csb})
    for (const format_variant& variant : variants_of(format, conversion)) request.field.push_back({variant});
  const matrix_result found = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  REQUIRE(found.variants.size() == 2);
  CHECK(found.offset_bits == 32);
  CHECK(found.variants[0].offset_bits == 32);
  CHECK(found.variants[1].refused.empty());
  CHECK(found.variants[1].offset_bits == 64);
  CHECK(found.variants[1].slots == 3);
  REQUIRE(found.variants[1].contestants.size() == 2);
  for (const contestant_result& k : found.variants[1].contestants) {
    INFO(k.wrong << k.not_run);
    CHECK(k.timed());
  }
}

TEST_CASE("what lacks memory before it is prepared is a line too, and so is a format without a baseline") {
  const matrix m = generated("gen:laplace2d?n=8");
  auto contest = contest_of(m);
  bool starves = false;
  const auto base = fake(m, "a/base", true, [&] { return starves ? starve() : 1.0; });
  CHECK(contest.choose_baseline({base}, operation::multiply) == "a/base");
  starves = true;
  variant_result result;
  run_all(contest, {starving_at_once("a/starving", false), fake(m, "a/good", false)}, {operation::multiply},
          result);
  REQUIRE(result.contestants.size() == 2);
  CHECK(result.contestants[0].not_run == "no memory to look");
  CHECK(result.contestants[1].timed());
  CHECK(result.base_of(operation::multiply).warm.samples == 0);
}

TEST_CASE("a request names the formats, kernels and operations that take part") {
  const matrix m = generated("gen:uniform?rows=60&cols=40&density=0.1");
  race_request request;
  request.sampling = quick;
  conversion_options conversion;
  conversion.bsr_block = {3, 2};
  conversion.max_fill = 50;
  for (const format_kind format : {format_kind::csr, format_kind::csc, format_kind::bsr})
    for (const format_variant& variant : variants_of(format, conversion)) request.field.push_back({variant});
  request.field[1].variant.operations = {operation::transposed};
  request.field[2].variant.kernels = {"bsr/max-task", "csr/omp"};
  const matrix_result result = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  CHECK(result.rows == 60);
  CHECK(result.cols == 40);
  CHECK(result.entries == m.values.size());
  CHECK(result.value_bits == 64);
  CHECK(result.offset_bits == 32);
  CHECK(result.base_name(operation::multiply) == cpu_baseline());
  CHECK(result.base_name(operation::transposed) == cpu_baseline());
  REQUIRE(result.variants.size() == 3);
  std::vector<std::pair<std::string, operation>> timed;
  for (const variant_result& f : result.variants) {
    CHECK(f.refused.empty());
    CHECK(f.bytes > 0);
    CHECK((f.convert_seconds > 0) == (f.format != format_kind::csr));
    for (const contestant_result& k : f.contestants) {
      INFO(k.info.name << k.not_run << k.wrong);
      CHECK(k.timed());
      CHECK(f.base_of(k.op).headline() > 0);
      if (!k.info.vendor) timed.emplace_back(k.info.name, k.op);
    }
  }
  CHECK(timed == std::vector<std::pair<std::string, operation>>{{"csr/omp", operation::multiply},
                                                                {"csr/omp", operation::transposed},
                                                                {"csc/omp", operation::transposed},
                                                                {"bsr/max-task", operation::multiply},
                                                                {"bsr/max-task", operation::transposed}});
  using parameters = std::vector<std::pair<std::string, std::int64_t>>;
  CHECK(result.variants[0].parameters.empty());
  CHECK(result.variants[2].parameters == parameters{{"block_rows", 3}, {"block_cols", 2}});

  request.operations = {operation::multiply};
  const matrix_result ax = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  CHECK(ax.base_name(operation::transposed).empty());
  for (const contestant_result& k : ax.variants[0].contestants) CHECK(k.op == operation::multiply);
  CHECK(std::count_if(ax.variants[0].contestants.begin(), ax.variants[0].contestants.end(),
                      [](const contestant_result& k) { return !k.info.vendor; }) == 1);
  CHECK(ax.variants[1].contestants.empty());
}

TEST_CASE("beside the base itself stand its own samples, whichever way the race is run") {
  const matrix m = generated("gen:uniform?n=300&density=0.05");
  race_request request;
  request.sampling = {9, false};
  for (const format_kind format : {format_kind::coo, format_kind::csr})
    for (const format_variant& variant : variants_of(format, {})) request.field.push_back({variant});
  format_variant second_copy = request.field[1].variant;
  second_copy.of_transpose = true;
  request.field.push_back({second_copy});
  for (const bool for_verdict : {false, true}) {
    request.for_verdict = for_verdict;
    const matrix_result found = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
    int compared = 0;
    for (const contestant_result& k : found.variants[1].contestants) {
      INFO(k.info.name << " " << name_of(k.op) << (for_verdict ? ", for a verdict" : ""));
      REQUIRE(k.timed());
      if (found.base_name(k.op) != k.info.name) continue;
      ++compared;
      CHECK(found.variants[1].base_of(k.op).warm.median == k.time.warm.median);
    }
    CHECK(compared == 2);
    const way pair = ours_in(found, found.variants[1], false).pair;
    REQUIRE(pair);
    if (cpu_baseline() == "csr/omp") CHECK(base_beside(pair) == sum_of_medians(pair));
  }
}

TEST_CASE("whoever waits hears of every format when it is through") {
  const matrix m = generated("gen:laplace2d?n=8");
  race_request request;
  request.sampling = quick;
  for (const format_kind format : {format_kind::coo, format_kind::csr, format_kind::ell})
    for (const format_variant& variant : variants_of(format, {})) request.field.push_back({variant});
  std::vector<std::string> labels;
  bool stop = false;
  request.sampling.interrupted = [&] { return stop; };
  request.variant_done = [&](const matrix_result& so_far) {
    labels.push_back(so_far.variants.back().label());
    CHECK(so_far.variants.size() == labels.size());
    CHECK(so_far.base_name(operation::multiply) == cpu_baseline());
    for (const contestant_result& k : so_far.variants.back().contestants) CHECK(k.timed());
    stop = so_far.variants.back().format == format_kind::csr;
  };
  const matrix_result found = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  CHECK(labels == std::vector<std::string>{"coo", "csr", "ell"});
  CHECK(found.variants[2].refused == "not reached: interrupted");
  CHECK(found.variants[2].not_reached);

  // Those that were about to run when it was interrupted say so.
  int asked = 0;
  request.sampling.interrupted = [&] { return ++asked > 4; };
  request.variant_done = {};
  const matrix_result early = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  for (const variant_result& f : early.variants)
    for (const contestant_result& k : f.contestants)
      CHECK((k.timed() || k.not_run == "not reached: interrupted"));
}

TEST_CASE("a format that does not fit is refused in its line, and variants have notes") {
  const matrix m = generated("gen:denserow?n=300");
  race_request request;
  request.sampling = quick;
  request.operations = {operation::multiply};
  for (const format_kind format : {format_kind::ell, format_kind::sell, format_kind::ecsb})
    for (const format_variant& variant : variants_of(format, {})) request.field.push_back({variant});
  const matrix_result result = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  std::set<std::string> labels;
  for (const variant_result& f : result.variants) {
    labels.insert(f.label());
    CHECK(f.refused.empty() == !f.contestants.empty());
  }
  CHECK(labels ==
        std::set<std::string>{"ell", "sell", "sell unsorted", "ecsb coo", "ecsb ell", "ecsb hybrid"});
  CHECK(result.variants[0].refused.find("slots") != std::string::npos);

  // What makes no sense is no refusal.
  request.field[1].variant.conversion.sell.slice = 0;
  CHECK_THROWS_AS((race<openmp, std::int32_t, double>(openmp{}, view(m), request, {})), error);
}

TEST_CASE("a conversion costs the median of all but the first") {
  CHECK(settled_seconds({9, 3, 1, 2}) == 2);  // not 1, the fastest
  CHECK(settled_seconds({1, 5, 7, 6}) == 6);  // not 1, the first
  CHECK(settled_seconds({4}) == 4);
  CHECK(settled_seconds({}) == 0);
}

namespace {

// CSR, COO and BSR against each other.
race_request quick_verdict() {
  race_request request;
  request.for_verdict = true;
  for (const format_kind format : {format_kind::csr, format_kind::coo, format_kind::bsr})
    for (const format_variant& variant : variants_of(format, {})) request.field.push_back({variant});
  return request;
}

}  // namespace

TEST_CASE("a race for a verdict gives everybody a time or a reason, and the leaders more samples") {
  const matrix m = generated("gen:laplace2d?n=60");
  const matrix_result result = race<openmp, std::int32_t, double>(openmp{}, view(m), quick_verdict(), {});
  CHECK(!result.interrupted);
  const verdict said = verdict_of(result, {});
  REQUIRE(said.winner);
  for (const operation op : plain_operations) {
    const contestant_result* const k = said.winner.contestant(op);
    REQUIRE(k != nullptr);
    INFO(k->info.name << ' ' << k->left);
    CHECK(k->left.empty());
    CHECK(k->time.cold.samples >= 5);
    CHECK(k->error <= 1);
  }
  for (const variant_result& f : result.variants)
    for (const contestant_result& k : f.contestants) {
      INFO(k.info.name << k.not_run);
      CHECK((k.timed() || !k.left.empty() || !k.not_run.empty()));
      if (!k.timed()) CHECK((k.single_seconds > 0 || !k.not_run.empty()));
    }
  CHECK(result.steps.size() == 4);
}

TEST_CASE("who is expected far behind, or varies one that is, is not even tried") {
  const matrix m = generated("gen:laplace2d?n=40");
  race_request request = quick_verdict();
  request.field[1].expected = [](const kernel_info&, operation) { return prediction{1, 1, {}, {}}; };
  request.field.push_back(request.field[1]);
  request.field.back().expected = {};
  request.field.back().after = 1;
  const matrix_result result = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  CHECK(result.variants[1].refused.find("predicted at") != std::string::npos);
  CHECK(result.variants[1].contestants.empty());
  CHECK(result.variants[3].refused.find("neither was coo") != std::string::npos);
}

TEST_CASE("time that is up and interrupts end a race with what there is") {
  const matrix m = generated("gen:laplace2d?n=40");
  race_request request = quick_verdict();
  request.seconds = 0;
  const matrix_result nothing = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  CHECK(nothing.out_of_time);
  CHECK(verdict_of(nothing, {}).winner.stays_in_csr());  // what is there is measured all the same
  for (std::size_t i = 1; i < nothing.variants.size(); ++i)
    CHECK(nothing.variants[i].refused.find("time given") != std::string::npos);

  for (const bool for_verdict : {true, false}) {
    race_request stopped = quick_verdict();
    stopped.for_verdict = for_verdict;
    stopped.sampling = quick;
    std::string doing;
    stopped.sampling.interrupted = [&] { return doing.find("coo") != std::string::npos; };
    const matrix_result some = race<openmp, std::int32_t, double>(
        openmp{}, view(m), stopped, [&](const std::string& text) { doing = text; });
    CHECK(some.interrupted);
    CHECK(verdict_of(some, {}).winner.stays_in_csr());
    CHECK(some.variants[2].refused == "not reached: interrupted");
    CHECK(some.variants[2].not_reached);
  }
}

TEST_CASE("what it takes to begin a race is part of the time given") {
  const matrix m = generated("gen:laplace2d?n=8");
  race_request request = quick_verdict();
  request.seconds = 500;
  int looks = 0;
  request.clock = [&] { return ++looks == 1 ? 0.0 : 1000.0; };  // until the track is made
  const matrix_result found = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  CHECK(found.out_of_time);
  for (std::size_t i = 1; i < found.variants.size(); ++i) CHECK(found.variants[i].not_reached);
}

TEST_CASE("a second copy, of A^T, computes what the first one does") {
  const matrix m = generated("gen:uniform?rows=50&cols=90&density=0.1");
  race_request request;
  request.sampling = quick;
  format_variant copy{.format = format_kind::sell};
  copy.of_transpose = true;
  request.field.push_back({copy});
  const matrix_result result = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
  REQUIRE(result.variants[0].contestants.size() == 2);
  CHECK(result.variants[0].label() == "sell of A^T");
  for (const contestant_result& k : result.variants[0].contestants) {
    INFO(k.wrong << k.not_run);
    CHECK(k.timed());
  }
}

TEST_CASE("two products in one pass are checked as both, and timed where they are right") {
  const matrix m = generated("gen:uniform?rows=60&cols=40&density=0.1");
  auto contest = contest_of(m);
  for (const operation op : {operation::both, operation::normal}) {
    INFO(name_of(op));
    contestant_result line;
    const auto entered = contest.enter(fake(m, "a/good", false), op, line);
    REQUIRE(entered != nullptr);
    CHECK(contest.sample(*entered, 1, 0, line));
    CHECK(line.error <= 1);
    contestant_result wrong;
    CHECK(contest.enter(fake(m, "a/wrong", false, [] { return 2.0; }), op, wrong) == nullptr);
    CHECK(wrong.wrong.find(op == operation::both ? "of 100 outputs" : "of 40 outputs") != std::string::npos);
  }
  // The second product alone is wrong.
  const auto real = bound_kernels_of(openmp{}, view(m)).front();
  const bound_kernel<double> half_right{
      named("a/half", false), real.why_not, [&](operation op) {
        const auto ready = real.prepare(op);
        return prepared_kernel<double>{0, [ready](double alpha, const double* x, double beta, double* y) {
                                         ready.run(alpha, x, beta, y);
                                         y[60] += 1;
                                       }};
      }};
  contestant_result line;
  CHECK(contest.enter(half_right, operation::both, line) == nullptr);
  CHECK(line.wrong.find("1 of 100 outputs, first y[60]") == 0);
}

TEST_CASE("a request for one pass races it beside both products, on a symmetric matrix beside A x") {
  for (const bool symmetric : {false, true})
    for (const operation op : {operation::both, operation::normal}) {
      const matrix m =
          generated(symmetric ? "gen:laplace2d?n=12" : "gen:uniform?rows=60&cols=40&density=0.1");
      race_request request;
      request.sampling = quick;
      request.operations = symmetric ? std::vector{operation::multiply} : both;
      request.operations.push_back(op);
      request.symmetric = symmetric;
      request.wanted.one_pass = op;
      request.wanted.warm = true;
      request.field.push_back({format_variant{}});
      request.field[0].variant.kernels = {"csr/omp"};
      const matrix_result found = race<openmp, std::int32_t, double>(openmp{}, view(m), request, {});
      REQUIRE(found.variants[0].contestants.size() == request.operations.size());
      for (const contestant_result& k : found.variants[0].contestants) {
        INFO(k.not_run << k.wrong);
        CHECK(k.timed());
      }
      const verdict v = verdict_of(found, request.wanted);
      REQUIRE(v.winner);
      REQUIRE(v.other_kind);
      CHECK(v.winner.in_one_pass() != v.other_kind.in_one_pass());
    }
}
