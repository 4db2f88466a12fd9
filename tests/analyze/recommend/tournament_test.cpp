// The rules of the tournament, with scripted times and a scripted clock: every way to leave or to stay, what
// budgets, interrupts, memory that is short, noise and ties do. Each case fails where its rule is taken out.
#include "analyze/recommend/tournament.hpp"

#include <fmt/format.h>

#include <new>

#include "tests/analyze/recommend/scripted_track.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

constexpr operation ax = operation::multiply, atx = operation::transposed;
constexpr double ms = 1e-3;

kernel_info kernel_called(const char* name) {
  kernel_info info{};
  info.name = name;
  info.description = "scripted";
  info.source = "ours";
  info.repeatable = {true, true};
  return info;
}

// A x alone, so that a time is a way's time, unless a test asks for more.
struct arena {
  scripted_track track;
  race_request request;
  std::vector<std::string> said;

  arena() {
    request.for_verdict = true;
    request.operations = {ax};
    request.wanted.weights = {1, 0};
    request.clock = track.clock();
  }
  // A variant with kernels of these many milliseconds.
  std::size_t add(format_kind format, const std::vector<double>& milliseconds) {
    static const char* const names[] = {"k/0", "k/1", "k/2", "k/3"};
    request.field.push_back({format_variant{.format = format}});
    scripted_variant& v = track.variants.emplace_back();
    for (std::size_t k = 0; k < milliseconds.size(); ++k)
      v.kernels.push_back({kernel_called(names[k]), {.seconds = milliseconds[k] * ms}});
    return track.variants.size() - 1;
  }
  scripted_contestant& script(std::size_t variant, std::size_t kernel = 0) {
    return track.variants[variant].kernels[kernel].second;
  }
  matrix_result run() {
    matrix_result empty;
    empty.rows = empty.cols = 10;
    empty.entries = 100;
    empty.value_bits = 64;
    empty.offset_bits = 32;
    return run_tournament(std::move(empty), request, track,
                          [&](const std::string& text) { said.push_back(text); });
  }
};

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("tournament: who is clearly behind after the first samples gets no more of them") {
  arena a;
  a.add(format_kind::csr, {1, 2.2});
  const matrix_result found = a.run();
  const contestant_result& slow = found.variants[0].contestants[1];
  CHECK(a.track.samples_of(0, 1) == tuning.first_samples);
  CHECK(has(slow.left, "after 2 samples at 2.20 x the leader"));
  CHECK(a.track.count("release 0/1 ax") == 1);
  CHECK(found.variants[0].contestants[0].left.empty());
}

TEST_CASE("tournament: who is behind after the heats leaves, and its variant with the last of them") {
  arena a;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1.7});
  const matrix_result found = a.run();
  CHECK(has(found.variants[1].contestants[0].left, "after the heats at 1.70 x the leader"));
  CHECK(a.track.samples_of(1, 0) == tuning.first_samples + tuning.heat_samples);
  CHECK(a.track.stored.count(1) == 0);
  CHECK(a.track.stored.count(0) == 1);
}

TEST_CASE("tournament: who led the heats leaves when somebody faster comes") {
  arena a;
  a.add(format_kind::csr, {3});
  a.add(format_kind::coo, {1});
  const matrix_result found = a.run();
  CHECK(has(found.variants[0].contestants[0].left, "after the heats at 3.00 x the leader"));
  CHECK(found.variants[1].contestants[0].left.empty());
}

TEST_CASE("tournament: a first run far beyond the leader is the last") {
  arena a;
  a.add(format_kind::csr, {1, 1});
  a.script(0, 1).single = 5.5 * (1 * ms + tuning.far_seconds);
  a.add(format_kind::coo, {1});
  a.script(1).single = 5.5 * (1 * ms + tuning.far_seconds);
  a.add(format_kind::ell, {1});
  a.script(2).single = 4.5 * (1 * ms + tuning.far_seconds);
  const matrix_result found = a.run();
  CHECK(found.variants[0].contestants[1].left.empty());  // nobody led when it was entered
  CHECK(has(found.variants[1].contestants[0].left, "after one run of"));
  CHECK(a.track.samples_of(1, 0) == 0);
  CHECK(a.track.count("release 1/0 ax") == 1);
  CHECK(a.track.samples_of(2, 0) > 0);
}

TEST_CASE("tournament: a hopeless single run is the last, also where all samples are taken") {
  for (const bool for_verdict : {true, false}) {
    INFO(for_verdict);
    arena a;
    a.request.for_verdict = for_verdict;
    a.request.sampling.samples = 9;
    const double hopeless = tuning.hopeless_ratio * ms + tuning.hopeless_seconds;
    a.add(format_kind::csr, {1, 1, 1});  // entered before it is known who leads
    a.script(0, 0).single = 1.01 * hopeless;
    a.script(0, 1).single = 0.99 * hopeless;
    a.add(format_kind::bsr, {1, 1});
    a.script(1, 0).single = 1.01 * hopeless;
    a.script(1, 1).single = 1e-9;  // who is wrong leads nobody
    a.script(1, 1).wrong = "1 of 10 outputs";
    a.add(format_kind::coo, {1});
    const matrix_result found = a.run();
    for (const auto& [variant, kernel] : {std::pair(0, 0), std::pair(1, 0)}) {
      const auto i = static_cast<std::size_t>(variant), k = static_cast<std::size_t>(kernel);
      const contestant_result& left = found.variants[i].contestants[k];
      CHECK(left.left == "after one run of 202 ms, 202 x the leader");
      CHECK_FALSE(left.timed());
      CHECK(left.not_run.empty());
      CHECK(a.track.count(fmt::format("release {}/{} ax", variant, kernel)) == 1);
      CHECK(a.track.samples_of(i, k) == 0);
    }
    CHECK(a.track.samples_of(0, 1) > 0);
    CHECK(a.track.samples_of(0, 2) >= 5);
    CHECK(found.variants[2].contestants[0].timed());
  }
}

TEST_CASE("tournament: who may not win makes nobody hopeless") {
  arena a;
  a.request.for_verdict = false;
  a.request.sampling.samples = 3;
  a.request.wanted.repeatable = true;
  a.add(format_kind::csr, {0.001, 1000});
  a.track.variants[0].kernels[0].first.repeatable = {false, false};
  CHECK(a.run().variants[0].contestants[1].timed());
}

TEST_CASE("tournament: a variant that is expected far behind is not converted") {
  arena a;
  a.add(format_kind::csr, {1});
  for (const double expected : {4.5 * ms, 3.5 * ms, 0.0}) {
    const std::size_t i = a.add(format_kind::coo, {1});
    a.request.field[i].expected = [=](const kernel_info&, operation) {
      return prediction{expected, expected, {}, {}};
    };
  }
  const matrix_result found = a.run();
  CHECK(has(found.variants[1].refused, "not tried: predicted at 4.5 x the leader"));
  CHECK(found.variants[1].not_tried);
  CHECK(a.track.count("store 1") == 0);
  CHECK(found.variants[2].refused.empty());
  CHECK(found.variants[3].refused.empty());  // of which nothing is known
}

TEST_CASE("tournament: a kernel that is expected far behind is not entered") {
  arena a;
  a.add(format_kind::csr, {1});
  const std::size_t i = a.add(format_kind::coo, {1, 1});
  a.request.field[i].expected = [](const kernel_info& k, operation) {
    const double seconds = k.name == std::string("k/1") ? 9 * ms : 1 * ms;
    return prediction{seconds, seconds, {}, {}};
  };
  const matrix_result found = a.run();
  CHECK(has(found.variants[i].contestants[1].not_run, "not tried: predicted at 9 x the leader"));
  CHECK(a.track.count("enter 1/1 ax") == 0);
  CHECK(found.variants[i].contestants[0].timed());
}

TEST_CASE("tournament: a step away from a variant is tried where that one is near, or it is expected to be") {
  arena a;
  a.add(format_kind::csr, {1});
  const std::size_t near = a.add(format_kind::coo, {1.25}), behind = a.add(format_kind::ell, {1.4});
  const auto step_from = [&](std::size_t parent) {
    const std::size_t i = a.add(format_kind::sell, {1});
    a.request.field[i].after = static_cast<int>(parent);
    return i;
  };
  const std::size_t from_near = step_from(near), from_behind = step_from(behind), hoped = step_from(behind);
  a.request.field[hoped].expected = [](const kernel_info&, operation) {
    return prediction{1.4 * ms, 1.4 * ms, {}, {}};
  };
  const std::size_t from_untried = step_from(from_behind);
  const matrix_result found = a.run();
  CHECK(found.variants[from_near].refused.empty());
  CHECK(found.variants[from_behind].refused == "not tried: ell is 1.40 x behind");
  CHECK(found.variants[hoped].refused.empty());
  CHECK(found.variants[from_untried].refused == "not tried: neither was sell");
}

TEST_CASE("tournament: who is left out has its reason, and costs nothing") {
  arena a;
  a.add(format_kind::csr, {1});
  a.request.field[a.add(format_kind::ell, {1})].left_out = "too padded";
  const matrix_result found = a.run();
  CHECK(found.variants[1].refused == "too padded");
  CHECK(!found.variants[1].not_tried);
  CHECK(a.track.count("store 1") == 0);
}

TEST_CASE("tournament: of two products a contestant stays for the sake of a good pair") {
  arena a;
  a.request.operations = {ax, atx};
  a.request.wanted.weights = {1, 1};
  a.add(format_kind::csr, {1});
  a.script(0).transposed = 10 * ms;
  a.add(format_kind::coo, {2.5});  // behind at A x alone, but its pair is the best
  a.script(1).transposed = 2 * ms;
  a.add(format_kind::ell, {2.5});  // behind at both
  a.script(2).transposed = 9 * ms;
  const matrix_result found = a.run();
  for (const contestant_result& k : found.variants[1].contestants) CHECK(k.left.empty());
  for (const contestant_result& k : found.variants[2].contestants) CHECK(!k.left.empty());
}

TEST_CASE("tournament: bits that differ are not entered where they must not, but the vendor's are compared") {
  arena a;
  a.request.wanted.repeatable = true;
  a.add(format_kind::csr, {1, 0.1, 0.1});
  a.track.variants[0].kernels[1].first.repeatable = {false, false};
  a.track.variants[0].kernels[2].first.repeatable = {false, false};
  a.track.variants[0].kernels[2].first.vendor = true;
  a.add(format_kind::coo, {1});
  const matrix_result found = a.run();
  CHECK(found.variants[0].contestants[1].not_run == "its bits differ from run to run");
  CHECK(a.track.count("enter 0/1 ax") == 0);
  CHECK(found.variants[0].contestants[2].timed());
  CHECK(found.variants[0].contestants[0].left.empty());
  // Whoever may not win does not lead: one run beside the vendor's would be the last.
  CHECK(found.variants[1].contestants[0].timed());
}

TEST_CASE("tournament: who is wrong or lacks memory is out, and the others go on") {
  arena a;
  a.add(format_kind::csr, {1, 1, 1, 1});
  a.script(0, 0).not_run = "it takes no such matrix";
  a.script(0, 1).wrong = "1 of 10 outputs";
  a.script(0, 2).fails_after = 0;
  const matrix_result found = a.run();
  CHECK(a.track.samples_of(0, 0) == 0);
  CHECK(a.track.samples_of(0, 1) == 0);
  CHECK(a.track.samples_of(0, 2) == tuning.first_samples);
  CHECK(a.track.samples_of(0, 3) > tuning.first_samples);
  CHECK(!found.variants[0].contestants[2].wrong.empty());
}

TEST_CASE(
    "tournament: what a variant cannot do is its line; what makes no sense and a broken device end it") {
  const auto refusal_of = [](std::function<void()> throws) {
    arena a;
    a.add(format_kind::csr, {1});
    a.add(format_kind::ell, {1});
    a.track.variants[1].on_store = std::move(throws);
    a.add(format_kind::coo, {1});
    const matrix_result found = a.run();
    CHECK(found.variants[1].contestants.empty());
    CHECK(a.track.count("release 1") == 1);
    CHECK(found.variants[2].contestants[0].timed());
    return found.variants[1].refused;
  };
  CHECK(refusal_of([] { throw error(failure::resources, "too large"); }) == "too large");
  CHECK(refusal_of([] { throw error(failure::unsupported, "not built"); }) == "not built");
  CHECK(refusal_of([] { throw std::bad_alloc(); }) == "out of memory");
  CHECK_THROWS_AS(refusal_of([] { throw error(failure::device, "gone"); }), error);
  CHECK_THROWS_AS(refusal_of([] { throw error(failure::usage, "no sense"); }), error);
}

TEST_CASE("tournament: the heats leave a fifth of the time to the final") {
  arena a;
  a.request.seconds = 1;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1});
  a.track.variants[1].convert_seconds = 0.85;
  a.add(format_kind::ell, {1});
  const matrix_result found = a.run();
  CHECK(found.out_of_time);
  CHECK(!found.interrupted);
  CHECK(found.variants[1].contestants[0].not_run == "not reached within the time given");
  CHECK(found.variants[2].refused == "not reached within the time given");
  CHECK(found.variants[2].not_tried);
  CHECK(found.variants[2].not_reached);
  CHECK(a.track.count("store 2") == 0);
  CHECK(found.final_rounds > 0);  // there was time left for it
}

TEST_CASE("tournament: a conversion that is expected to take the time that is left is not begun") {
  arena a;
  a.request.seconds = 1;
  a.add(format_kind::csr, {1});
  a.request.field[a.add(format_kind::coo, {1})].convert_seconds = 0.9;
  a.request.field[a.add(format_kind::ell, {1})].convert_seconds = 0.5;
  const matrix_result found = a.run();
  CHECK(found.variants[1].refused == "not tried: converting would take 900 ms of the time given");
  CHECK(found.out_of_time);
  CHECK(found.variants[2].refused.empty());
}

TEST_CASE("tournament: what is there already runs whatever the time, so that there is a verdict") {
  arena a;
  a.request.seconds = 0;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {0.5});
  const matrix_result found = a.run();
  CHECK(found.variants[0].contestants[0].timed());
  CHECK(a.track.count("baselines 2") == 0);  // which a verdict does not need
  CHECK(has(found.variants[1].refused, "time given"));
  CHECK(verdict_of(found, a.request.wanted).winner.stays_in_csr());
}

TEST_CASE("tournament: a copy of A^T in CSR is not what is there already") {
  arena a;
  a.request.seconds = 0;
  a.request.field.reserve(2);
  a.add(format_kind::csr, {1});
  a.request.field[a.add(format_kind::csr, {1})].variant.of_transpose = true;
  CHECK(a.run().variants[1].not_reached);
}

TEST_CASE("tournament: an interrupt ends it with what there is") {
  for (const bool for_verdict : {true, false}) {
    arena a;
    a.request.for_verdict = for_verdict;
    a.add(format_kind::csr, {1});
    a.add(format_kind::coo, {1, 1});
    a.add(format_kind::ell, {1});
    a.request.sampling.interrupted = [&] { return a.track.count("enter 1/0 ax") > 0; };
    const matrix_result found = a.run();
    INFO(for_verdict);
    CHECK(found.interrupted);
    CHECK(!found.out_of_time);
    CHECK(a.track.count("enter 1/1 ax") == 0);
    CHECK(a.track.samples_of(1, 0) == 0);
    CHECK(found.variants[2].refused == "not reached: interrupted");
    CHECK(found.variants[2].not_reached);
    CHECK(found.variants[0].contestants[0].timed());
    CHECK(found.final_rounds <= 1);
  }
}

TEST_CASE("tournament: of what memory does not hold the slowest leaves, and the last one stays") {
  arena a;
  a.track.memory = 0;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1.2});
  a.add(format_kind::ell, {1.1});
  const matrix_result found = a.run();
  CHECK(found.variants[1].contestants[0].left == "after the heats: no memory to wait for the final in");
  CHECK(found.variants[2].contestants[0].left == "after the heats: no memory to wait for the final in");
  CHECK(found.variants[0].contestants[0].left.empty());

  arena roomy;  // one of the two beside CSR: 30 % of what there is with what they hold
  roomy.track.memory = 2500;
  roomy.add(format_kind::csr, {1});
  roomy.add(format_kind::coo, {1.2});
  roomy.add(format_kind::ell, {1.1});
  const matrix_result kept = roomy.run();
  CHECK(kept.variants[1].contestants[0].left == "after the heats: no memory to wait for the final in");
  CHECK(!has(kept.variants[2].contestants[0].left, "no memory"));
}

TEST_CASE("tournament: the final ends when what parts the leaders is known") {
  arena a;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1.3});  // without noise it is known at once to be behind
  const matrix_result found = a.run();
  CHECK(a.track.samples_of(1, 0) == tuning.first_samples + tuning.heat_samples);
  CHECK(verdict_of(found, a.request.wanted).winner.stays_in_csr());
  CHECK(found.final_rounds < tuning.final_rounds);
}

TEST_CASE("tournament: level contestants run until there are samples enough to call them so, and no longer") {
  arena a;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1.01});
  const matrix_result found = a.run();
  for (const std::size_t i : {0, 1}) {
    CHECK(a.track.samples_of(i, 0) >= 3 * tuning.final_samples);
    CHECK(a.track.samples_of(i, 0) < 4 * tuning.final_samples);
    CHECK(found.variants[i].contestants[0].left.empty());
  }
  CHECK(found.final_rounds == 2);
  const verdict said = verdict_of(found, a.request.wanted);
  CHECK(said.ties.size() == 1);
}

TEST_CASE("tournament: noise keeps the leaders in the final, for as many rounds as there are at most") {
  arena a;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1});
  for (int i = 0; i < 100; ++i) {  // both between 0.95 and 1.15, so that nothing parts them
    a.script(0).factors.push_back(i % 2 == 0 ? 0.95 : 1.15);
    a.script(1).factors.push_back(i % 2 == 0 ? 1.15 : 0.95);
  }
  const matrix_result found = a.run();
  CHECK(found.final_rounds == tuning.final_rounds);
  CHECK(a.track.samples_of(1, 0) ==
        tuning.first_samples + tuning.heat_samples + tuning.final_rounds * tuning.final_samples);
}

TEST_CASE("tournament: who turns out behind in the final leaves before its next round") {
  arena a;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1});
  a.add(format_kind::ell, {1.3});
  for (int i = 0; i < 100; ++i) {
    a.script(0).factors.push_back(i % 2 == 0 ? 0.95 : 1.15);
    a.script(1).factors.push_back(i % 2 == 0 ? 1.15 : 0.95);
  }
  a.script(2).factors = {0.7, 0.75, 0.8, 1.1, 1.2};  // luck in the heats
  const matrix_result found = a.run();
  CHECK(has(found.variants[2].contestants[0].left, "of the final at"));
  CHECK(a.track.samples_of(2, 0) < a.track.samples_of(0, 0));
  CHECK(a.track.count("release 2") == 1);
}

TEST_CASE("tournament: a final that runs out of time stops between two contestants") {
  arena a;
  a.request.seconds = 10;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1});
  a.script(0).sample_seconds = a.script(1).sample_seconds = 0.7;
  const matrix_result found = a.run();
  CHECK(found.out_of_time);
  CHECK(a.track.time - 100 <= 10);
  CHECK(a.track.samples_of(1, 0) == tuning.first_samples + tuning.heat_samples);

  arena once;  // for one of the two there is time
  once.request.seconds = 11;
  once.add(format_kind::csr, {1});
  once.add(format_kind::coo, {1});
  once.script(0).sample_seconds = once.script(1).sample_seconds = 0.7;
  const matrix_result half = once.run();
  CHECK(half.out_of_time);
  CHECK(once.track.time - 100 <= 11);
  CHECK(once.track.samples_of(0, 0) == tuning.first_samples + tuning.heat_samples + tuning.final_samples);
  CHECK(once.track.samples_of(1, 0) == tuning.first_samples + tuning.heat_samples);
}

TEST_CASE("tournament: samples that would not end in time are not begun") {
  arena a;
  a.request.seconds = 10;
  a.add(format_kind::csr, {1, 1});
  a.add(format_kind::coo, {1});
  for (scripted_contestant* one : {&a.script(0, 0), &a.script(0, 1), &a.script(1)}) one->sample_seconds = 1.5;
  const matrix_result found = a.run();
  // Two of each of CSR's take 6 s. Three more of the first would take 4.5, and two of COO's 3, beyond the 8
  // that the heats have.
  CHECK(a.track.samples_of(0, 0) == tuning.first_samples);
  CHECK(a.track.samples_of(0, 1) == tuning.first_samples);
  CHECK(found.variants[0].contestants[0].left == "after 2 samples: the time given was up");
  CHECK(found.variants[1].contestants[0].left == "not reached within the time given");
  CHECK(found.out_of_time);
  CHECK(a.track.time - 100 <= 10);

  arena tight;  // of what is there, one has to run
  tight.request.seconds = 1;
  tight.add(format_kind::csr, {1, 1});
  tight.script(0, 0).sample_seconds = tight.script(0, 1).sample_seconds = 1.5;
  const matrix_result there = tight.run();
  CHECK(there.variants[0].contestants[0].timed());
  CHECK(there.variants[0].contestants[1].left == "not reached within the time given");
}

TEST_CASE("tournament: who takes as long to check as those before it is not entered where that is too long") {
  arena a;
  a.request.seconds = 10;
  a.add(format_kind::csr, {1, 1, 1});
  a.add(format_kind::coo, {1});
  for (std::size_t k = 0; k < 3; ++k) a.script(0, k).enter_seconds = 3;
  a.script(1).enter_seconds = 3;
  const matrix_result found = a.run();
  CHECK(a.track.count("enter 0/1 ax") == 1);
  CHECK(a.track.count("enter 0/2 ax") == 0);  // at 9 s, beyond what the heats have
  CHECK(found.variants[0].contestants[2].not_run == "not reached within the time given");
  CHECK(found.variants[1].contestants[0].not_run == "not reached within the time given");
  CHECK(found.out_of_time);
  CHECK(a.track.time - 100 <= 10);
}

TEST_CASE("tournament: conversions that take longer than expected make those behind them longer") {
  arena a;
  a.request.seconds = 1;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1});
  a.request.field[1].convert_seconds = 0.1;  // which takes 0.3
  a.track.variants[1].convert_seconds = 0.3;
  a.add(format_kind::ell, {1});
  a.request.field[2].convert_seconds = 0.2;  // and this then 0.6
  a.track.variants[2].convert_seconds = 0.6;
  a.add(format_kind::hyb, {1});
  a.request.field[3].convert_seconds = 0.1;
  const matrix_result found = a.run();
  CHECK(found.variants[1].refused.empty());
  CHECK(found.variants[2].refused == "not tried: converting would take 600 ms of the time given");
  CHECK(found.variants[3].refused.empty());
  CHECK(a.track.time - 100 <= 1);

  arena quick;  // those that take less make nothing shorter
  quick.request.seconds = 1;
  quick.add(format_kind::csr, {1});
  quick.add(format_kind::coo, {1});
  quick.request.field[1].convert_seconds = 0.6;
  quick.track.variants[1].convert_seconds = 0.1;
  quick.request.field[quick.add(format_kind::ell, {1})].convert_seconds = 0.75;
  CHECK(!quick.run().variants[2].refused.empty());
}

TEST_CASE("tournament: a round of the final whose baseline would not end in time is not begun") {
  arena a;
  a.request.seconds = 10;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {1});
  a.track.baseline_seconds = 2.4;  // 4.8 s in the heats, and 12 in the final
  const matrix_result found = a.run();
  CHECK(found.final_rounds == 0);
  CHECK(found.out_of_time);
  CHECK(a.track.time - 100 <= 10);
}

TEST_CASE("tournament: a long conversion of the winner is timed again, and no other") {
  arena a;
  a.add(format_kind::csr, {1});
  a.add(format_kind::coo, {0.5});
  a.track.variants[1].convert_seconds = 0.2;
  a.track.variants[1].again = {0.15, 0.1, 0.12};
  a.add(format_kind::ell, {1.0});
  a.track.variants[2].convert_seconds = 0.2;
  matrix_result found = a.run();
  CHECK(found.variants[1].convert_seconds == 0.12);
  CHECK(a.track.count("convert again 2") == 0);

  arena quick;  // which was timed several times already
  quick.add(format_kind::csr, {1});
  quick.add(format_kind::coo, {0.5});
  quick.track.variants[1].convert_seconds = 0.04;
  quick.run();
  CHECK(quick.track.count("convert again 1") == 0);

  arena late;  // for which there is no time
  late.request.seconds = 0.5;
  late.add(format_kind::csr, {1});
  late.add(format_kind::coo, {0.5});
  late.track.variants[1].convert_seconds = 0.2;
  late.run();
  CHECK(late.track.count("convert again 1") == 0);
}

TEST_CASE(
    "tournament: the baseline is sampled every so often in the heats, and beside itself stand its samples") {
  arena a;
  a.add(format_kind::csr, {1});
  a.track.variants[0].kernels[0].first.name = "csr/base";
  a.add(format_kind::coo, {3});
  a.add(format_kind::ell, {3});
  a.track.variants[2].convert_seconds = 0.5;
  const matrix_result found = a.run();
  CHECK(a.track.count("baselines 2") == 2);  // before CSR's, and after the long conversion
  const contestant_result& base = found.variants[0].contestants[0];
  CHECK(found.variants[0].base_of(ax).warm.samples == base.time.warm.samples);
}

TEST_CASE("tournament: where nobody leaves early all samples are taken in rounds, the slow ones too") {
  arena a;
  a.request.for_verdict = false;
  a.request.sampling.samples = 9;
  a.add(format_kind::csr, {1, 50});
  a.add(format_kind::coo, {80});
  std::vector<std::string> done;
  a.request.variant_done = [&](const matrix_result& so_far) {
    done.push_back(so_far.variants.back().label());
  };
  const matrix_result found = a.run();
  for (const variant_result& v : found.variants)
    for (const contestant_result& k : v.contestants) CHECK(k.time.warm.samples == 9);
  CHECK(done == std::vector<std::string>{"csr", "coo"});
  CHECK(a.track.stored.empty());  // one variant at a time
  // In turns: a round of one is followed by a round of the other.
  const auto first = std::find(a.track.log.begin(), a.track.log.end(), "sample 0/0 ax 3");
  REQUIRE(first != a.track.log.end());
  CHECK(*(first + 1) == "sample 0/1 ax 3");
  CHECK(a.track.count("baselines 3") == 6);
  CHECK(found.variants[1].base_of(ax).warm.samples == 9);  // its own rounds', not the first variant's
  CHECK(std::find(a.said.begin(), a.said.end(), "k/0 A x, round 2 of 3") != a.said.end());
}

TEST_CASE("tournament: a kernel that fails between rounds is out of the next ones") {
  arena a;
  a.request.for_verdict = false;
  a.request.sampling.samples = 9;
  a.add(format_kind::csr, {1, 1});
  a.script(0, 1).fails_after = 4;
  a.run();
  CHECK(a.track.samples_of(0, 1) == 6);
  CHECK(a.track.samples_of(0, 0) == 9);
}

TEST_CASE("tournament: only what is asked for is entered") {
  arena a;
  a.request.operations = {ax, atx};
  a.request.wanted.weights = {1, 1};
  a.add(format_kind::csr, {1});
  a.request.field[a.add(format_kind::coo, {1})].variant.operations = {atx};
  a.run();
  CHECK(a.track.count("enter 0/0 ax") == 1);
  CHECK(a.track.count("enter 0/0 atx") == 1);
  CHECK(a.track.count("enter 1/0 ax") == 0);
  CHECK(a.track.count("enter 1/0 atx") == 1);
}

TEST_CASE("tournament: a race of nobody, and one where nothing runs, has no verdict and no end of its own") {
  arena nobody;
  CHECK(nobody.run().variants.empty());
  arena nothing;
  nothing.add(format_kind::csr, {1});
  nothing.script(0).not_run = "no";
  const matrix_result found = nothing.run();
  CHECK(!verdict_of(found, nothing.request.wanted).winner);
  CHECK(found.steps.size() == 4);
}

namespace {

// Two products that come together, beside what computes them in one pass.
arena with_both() {
  arena a;
  a.request.operations = {ax, atx, operation::both};
  a.request.wanted.weights = {1, 1};
  a.request.wanted.one_pass = operation::both;
  return a;
}

}  // namespace

TEST_CASE("tournament: one pass races beside two products, and only of kernels that compute it") {
  arena a = with_both();
  a.request.clock = a.track.clock();
  a.add(format_kind::csr, {1, 1});
  a.track.variants[0].kernels[0].first.computes.both = true;
  a.script(0).one_pass = 1.2 * ms;
  const matrix_result found = a.run();
  CHECK(a.track.count("enter 0/0 both") == 1);
  CHECK(a.track.count("enter 0/1 both") == 0);
  REQUIRE(found.variants[0].contestants.size() == 5);  // and no line about what nobody expects of it
  CHECK(found.variants[0].contestants.back().op == operation::both);
  CHECK(found.base_name(operation::both).empty());  // no vendor has it
  const verdict v = verdict_of(found, a.request.wanted);
  CHECK(v.winner.in_one_pass());
  CHECK(v.other_kind.seconds == Approx(2 * ms));
  // The same where nobody leaves early.
  a.request.for_verdict = false;
  CHECK(a.run().variants[0].contestants.size() == 5);
}

TEST_CASE("tournament: two products stay in the race though one pass is far ahead, for their own sake") {
  arena a = with_both();
  a.request.clock = a.track.clock();
  a.add(format_kind::csr, {1});
  a.track.variants[0].kernels[0].first.computes.both = true;
  a.script(0).one_pass = 0.5 * ms;
  const matrix_result found = a.run();
  for (const contestant_result& k : found.variants[0].contestants) {
    INFO(k.left);
    CHECK(k.time.warm.samples >= tuning.first_samples + tuning.heat_samples);
  }
}

TEST_CASE("tournament: of one pass nothing is predicted, which brings a variant but no step away from it") {
  const auto stores = [](bool computes, int after) {
    arena a = with_both();
    a.request.clock = a.track.clock();
    a.add(format_kind::csr, {1});
    a.add(format_kind::bsr, {3});
    a.add(format_kind::bsr, {1});
    for (const std::size_t i : {1, 2}) {
      a.track.variants[i].kernels[0].first.computes.both = computes;
      a.request.field[i].expected = [](const kernel_info&, operation op) {
        return is_plain(op) ? prediction{5 * ms, 5 * ms} : prediction{};
      };
    }
    a.track.variants[0].kernels[0].first.computes.both = true;
    a.script(0).one_pass = 1.5 * ms;
    a.script(1).one_pass = 4 * ms;
    a.request.field[2].after = after;
    a.run();
    return a.track.count("store 1") + 10 * a.track.count("store 2");
  };
  CHECK(stores(false, -1) == 0);  // both are predicted at five times the leader
  CHECK(stores(true, -1) == 11);
  CHECK(stores(true, 1) == 1);  // the first of them turned out to be far behind
}
