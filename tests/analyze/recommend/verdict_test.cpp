// Verdicts over results made by hand: figures that can be added up in one's head.
#include "analyze/recommend/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

regimes taking(double seconds) {
  regimes time;
  time.warm = {seconds / 2, seconds / 2, seconds / 2, 1};
  time.cold = {seconds, seconds, seconds, 1};
  return time;
}

contestant_result line(const char* name, operation op, double seconds, double prepare = 0,
                       bool vendor = false) {
  contestant_result k;
  k.info = {.name = name, .description = "", .source = "", .vendor = vendor};
  k.op = op;
  k.time = taking(seconds);
  k.prepare_seconds = prepare;
  return k;
}

variant_result format(format_kind kind, double convert, std::vector<contestant_result> kernels) {
  variant_result f;
  f.format = kind;
  f.convert_seconds = convert;
  f.base = {taking(10), taking(20)};
  f.contestants = std::move(kernels);
  return f;
}

constexpr operation ax = operation::multiply, atx = operation::transposed;

matrix_result example() {
  matrix_result m;
  m.entries = 1;
  m.variants = {format(format_kind::csr, 0,
                       {line("csr/a", ax, 10), line("csr/b", ax, 9), line("csr/a", atx, 20),
                        line("csr/vendor", ax, 1, 0, true)}),
                format(format_kind::ell, 6, {line("ell/a", ax, 8, 2), line("ell/a", atx, 30, 1)}),
                format(format_kind::csc, 4,
                       {line("csc/vendor", atx, 5, 1, true), line("csc/a", atx, 2),
                        line("csc/vendor2", atx, 6, 0, true)})};
  return m;
}

}  // namespace

TEST_CASE("the headline is cold where caches were, and warm where they were not") {
  CHECK(taking(4).headline() == 4);
  regimes warm = taking(4);
  warm.cold = {};
  CHECK(warm.headline() == 2);
}

TEST_CASE("the best of ours in one format, and of all, is a way without the vendor's kernels") {
  const matrix_result m = example();
  const way in_csr = ours_in(m, m.variants[0], false).product[0];
  CHECK(in_csr.names() == "csr/b");  // the vendor's is not ours
  CHECK(in_csr.seconds == 9);
  CHECK(base_beside(in_csr) == 10);

  const our_ways best = ours_of(m, false);
  CHECK(&best.product[0].variant() == &m.variants[1]);
  CHECK(best.product[0].price == 8);  // 6 to convert, 2 to prepare
  CHECK(best.pair.names() == "csr/b + csr/a");
  CHECK(sum_of_medians(best.pair) == 29);
  CHECK(base_beside(best.pair) == 30);
  CHECK(sum_of_medians(best.pair, true) == 29.0 / 2);
  CHECK(base_beside(best.pair, true) == 30.0 / 2);
  CHECK(!ours_in(m, m.variants[2], false).pair);  // without A x there is no pair
  CHECK(!ours_of(matrix_result{}, false).product[0]);
}

TEST_CASE("our CSC is among the best of ours, as the copy of A^T that it is") {
  const matrix_result m = example();
  const our_ways best = ours_of(m, false);
  CHECK(best.product[1].names() == "csc/a");
  CHECK(best.transposed_from_a.names() == "csr/a");
  // The winner of A^T x alone is the same way, told from the same results.
  CHECK(verdict_of(m, only({}, atx)).winner == best.product[1]);
  matrix_result both_products = m;
  both_products.variants[2].contestants.push_back(line("csc/a", ax, 3));
  CHECK(ours_of(both_products, false).pair.names() == "csc/a");
}

TEST_CASE("what was not run or is wrong is not the best, and notes are named") {
  matrix_result m = example();
  m.variants[0].note = "a note";
  m.variants[0].contestants[1].not_run = "why";
  CHECK(ours_in(m, m.variants[0], false).product[0].names() == "csr/a (a note)");
  CHECK(ours_in(m, m.variants[0], false).pair.names() == "csr/a (a note)");
  m.variants[0].contestants[0].wrong = "wrong";
  CHECK(!ours_in(m, m.variants[0], false).product[0]);
}

TEST_CASE("formats over several matrices") {
  format_ratios all;
  matrix_result m = example();
  m.variants.push_back(m.variants[1]);  // a slower variant of ELL, which is not its best
  m.variants.back().note = "slower";
  m.variants.back().contestants[0].time = taking(25);
  add_ratios(m, false, all);
  m.variants[1].contestants[0].time = taking(20);
  add_ratios(m, false, all);
  m.entries = 0;
  add_ratios(m, false, all);  // nothing to be fast or slow with
  const overall& ell = all[format_kind::ell][0];
  CHECK(ell.measured == 2);
  CHECK(ell.ahead == 1);
  CHECK(ell.worst == 0.5);
  CHECK(std::fabs(ell.mean() - std::sqrt(1.25 * 0.5)) < 1e-12);
  CHECK(all[format_kind::csr][2].measured == 2);
  CHECK(all[format_kind::csc][0].measured == 0);
}

namespace {

// Times in the cold regime with an interval; warm ones are half as long.
contestant_result raced(const char* name, operation op, double seconds, double spread = 0,
                        bool vendor = false, bool repeatable = true) {
  contestant_result k = line(name, op, seconds, 0, vendor);
  k.info.repeatable = {repeatable, repeatable};
  for (timing* t : {&k.time.warm, &k.time.cold}) {
    t->low = t->median * (1 - spread);
    t->high = t->median * (1 + spread);
    t->samples = 20;
  }
  k.work = {100, 0, 1, 5};
  return k;
}

variant_result stored(format_kind kind, std::int64_t bytes, double convert,
                      std::vector<contestant_result> kernels) {
  variant_result f = format(kind, convert, std::move(kernels));
  f.bytes = bytes;
  return f;
}

matrix_result raced_example() {
  matrix_result m;
  m.rows = m.cols = 10;
  m.entries = 50;
  m.variants = {
      stored(format_kind::csr, 1000, 0,
             {raced("csr/a", ax, 10), raced("csr/b", ax, 14), raced("csr/a", atx, 30)}),
      stored(format_kind::ell, 1500, 40, {raced("ell/a", ax, 8), raced("ell/a", atx, 20)}),
      stored(format_kind::bsr, 800, 100, {raced("bsr/a", ax, 8.2), raced("bsr/a", atx, 20.2)}),
      stored(format_kind::csc, 1000, 5, {raced("csc/v", ax, 40, 0, true), raced("csc/v", atx, 9, 0, true)})};
  return m;
}

}  // namespace

TEST_CASE("the winner of a tie is repaid soonest, with --prefer bytes the smallest, and the tied are named") {
  const matrix_result m = raced_example();
  objective few_bytes;
  few_bytes.prefer_bytes = true;
  CHECK(verdict_of(m, few_bytes).winner.names() == "bsr/a");  // 14.2 beside 14, and 800 bytes beside 1500
  const verdict v = verdict_of(m, {});
  CHECK(v.fastest.names() == "ell/a");
  CHECK(v.winner.names() == "ell/a");  // 40 to convert beside BSR's 100
  REQUIRE(v.ties.size() == 1);
  CHECK(v.ties[0].names() == "bsr/a");
  CHECK(v.runner_up.names() == "csr/a");
  CHECK(std::fabs(v.margin.ratio - 20 / 14.0) < 1e-12);
  CHECK(v.stay.names() == "csr/a");
  CHECK(v.smallest.names() == "bsr/a");
  CHECK(v.winner.price == 40);
  // (10 + 30) / 2 in CSR, (8 + 20) / 2 in ELL.
  CHECK(std::fabs(v.repaid_after - 40 / (20 - 14.0)) < 1e-12);
  CHECK(std::fabs(v.repaid_after_alone[0] - 40 / (10 - 8.0)) < 1e-9);
  CHECK(v.alone[0].names() == "ell/a");
  CHECK(v.alone[1].names() == "csc/v");
  CHECK(!v.reasons.empty());
}

TEST_CASE("of what is repaid as soon with as many bytes the simpler format wins a tie") {
  matrix_result m = raced_example();
  m.variants[1] = stored(format_kind::ell, 800, 40, {raced("ell/a", ax, 8.2), raced("ell/a", atx, 20.2)});
  m.variants[2] = stored(format_kind::bsr, 800, 40, {raced("bsr/a", ax, 8), raced("bsr/a", atx, 20)});
  const verdict v = verdict_of(m, {});
  CHECK(v.fastest.names() == "bsr/a");
  CHECK(v.winner.names() == "ell/a");
}

TEST_CASE("what is there wins a tie, and the next format is not another kernel of it") {
  matrix_result m = raced_example();
  m.variants[2].bytes = 1000;
  m.variants[2].contestants[0] = raced("bsr/a", ax, 9.8);
  m.variants[2].contestants[1] = raced("bsr/a", atx, 29);
  m.variants[1].refused = "too padded";
  const verdict v = verdict_of(m, only({}, ax));
  CHECK(v.fastest.names() == "bsr/a");
  CHECK(v.winner.names() == "csr/a");
  CHECK(v.winner.stays_in_csr());
  CHECK(v.repaid_after == 0);
  CHECK(v.runner_up.names() == "csc/v");  // and not csr/b
}

TEST_CASE("who is not known to be behind is tied, and CSR wins for that") {
  matrix_result m = raced_example();
  m.variants[0].contestants[0] = raced("csr/a", ax, 8.7, 0.05);  // 8.7 beside 8, but perhaps 8.3
  m.variants[0].contestants[1] = raced("csr/b", ax, 12, 0.1);    // known to be behind
  const verdict v = verdict_of(m, only({}, ax));
  std::vector<std::string> names;
  for (const way& w : v.ties) names.push_back(w.names());
  CHECK(names == std::vector<std::string>{"ell/a", "bsr/a"});
  CHECK(v.winner.names() == "csr/a");
  CHECK(v.fastest.names() == "ell/a");
  CHECK(v.tied_contestants.size() == 2);
  CHECK(!v.unsettled);
  m.noisy = {"other processes used 0.97 of a core"};
  CHECK(verdict_of(m, only({}, ax)).unsettled);
}

TEST_CASE("what the clock cannot tell apart is a tie, and where that is all there is, any will do") {
  matrix_result m = raced_example();
  m.variants[3].refused = "not tried";
  CHECK(!verdict_of(m, {}).any_of_these);
  m.clock_seconds = 5;
  CHECK(verdict_of(m, {}).winner.names() == "ell/a");  // CSR is 6 behind
  m.clock_seconds = 7;
  const verdict v = verdict_of(m, {});
  CHECK(v.any_of_these);
  CHECK(v.winner.names() == "csr/a");
  CHECK(!v.runner_up);
  m.variants.push_back(stored(format_kind::coo, 1400, 3, {raced("coo/a", ax, 40), raced("coo/a", atx, 40)}));
  CHECK(!verdict_of(m, {}).any_of_these);
  CHECK(verdict_of(m, {}).runner_up.names() == "coo/a");
}

TEST_CASE("where A equals A^T, a kernel of A x is both") {
  matrix_result m = raced_example();
  for (variant_result& f : m.variants)
    std::erase_if(f.contestants, [](const contestant_result& k) { return k.op == atx; });
  m.variants[1].contestants[0].prepare_seconds = 3;
  m.variants[1].contestants[0].prepared_bytes = 64;
  m.symmetric = true;
  for (const std::array<double, 2>& mix :
       {std::array{1.0, 1.0}, std::array{1.0, 10.0}, std::array{0.0, 1.0}}) {
    objective wanted;
    wanted.weights = mix;
    const verdict v = verdict_of(m, wanted);
    CHECK(v.winner.names() == "ell/a");
    CHECK(std::fabs(v.winner.seconds - 8) < 1e-12);  // whatever the mix
    CHECK(v.winner.price == 43);                     // prepared once
    CHECK(v.winner.bytes == 1500);                   // what its kernel keeps is told apart
    CHECK(v.winner.prepared_bytes == 64);
    CHECK(v.stay.names() == "csr/a");
    CHECK(!v.two_copies);
  }
  CHECK(over_vendor(m).atx == over_vendor(m).ax);
}

TEST_CASE("two copies of ours stand beside the winner") {
  matrix_result m = raced_example();
  variant_result copy = stored(format_kind::sell, 1100, 7, {raced("sell/a", atx, 6)});
  copy.of_transpose = true;
  m.variants.push_back(copy);
  const verdict v = verdict_of(m, {});
  CHECK(v.winner.names() == "ell/a");
  REQUIRE(v.two_copies.stored.size() == 2);
  CHECK(v.two_copies.seconds == (8 + 6) / 2.0);
  CHECK(v.two_copies.bytes == 1500 + 1100);
  CHECK(!verdict_of(m, only({}, ax)).two_copies);
}

namespace {

// Made up: any formats, kernels, times that are sure or not, prices and bytes.
struct made_up {
  std::uint64_t state;
  double number(double low, double high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53;
  }
  int whole(int below) { return static_cast<int>(number(0, below)); }

  matrix_result results() {
    matrix_result m;
    m.rows = m.cols = 10;
    m.entries = 50;
    m.clock_seconds = whole(3) == 0 ? number(0, 3) : 0;
    m.symmetric = whole(4) == 0;
    m.predicted = whole(4) == 0;
    constexpr std::array formats = {format_kind::csr, format_kind::coo,  format_kind::csc, format_kind::ell,
                                    format_kind::ell, format_kind::sell, format_kind::bsr, format_kind::csb};
    constexpr std::array names = {"a", "b", "c"};
    const double level = number(5, 30);
    for (std::size_t i = whole(8) == 0 ? 1 : 0; i < formats.size(); ++i) {
      if (i > 0 && whole(3) == 0) continue;
      variant_result f = stored(formats[i], whole(1000) + 500, i == 0 ? 0 : number(0, 300), {});
      f.note = i == 4 ? "other" : "";
      f.expected_convert_seconds = f.convert_seconds;
      for (const operation op : plain_operations)
        for (int k = whole(3); k >= 0; --k) {
          if (m.symmetric && op == atx) continue;
          const double seconds = level * (whole(2) == 0 ? number(1, 1.1) : number(1, 3));
          contestant_result one = raced(names[static_cast<std::size_t>(k)], op, seconds,
                                        whole(2) == 0 ? 0 : number(0, 0.3), whole(4) == 0);
          one.expected = {seconds / 2, seconds};
          if (whole(2) == 0) one.prepare_seconds = number(0, 50);
          if (whole(2) == 0) one.prepared_bytes = whole(400);
          f.contestants.push_back(one);
        }
      m.variants.push_back(std::move(f));
    }
    return m;
  }
  objective wanted() {
    objective o;
    o.weights = {number(0.1, 2), number(0.1, 2)};
    if (const int alone = whole(4); alone < 2) o.weights[static_cast<std::size_t>(alone)] = 0;
    if (whole(2) == 0) o.products = 1 + whole(100);
    o.warm = whole(2) == 0;
    o.prefer_bytes = whole(4) == 0;
    return o;
  }
};

}  // namespace

TEST_CASE("of all results, nobody is sent from CSR to what is slower or never repaid; ties are ties") {
  made_up any{20261118};
  int stayed = 0, left = 0, alone = 0;
  for (int round = 0; round < 20000; ++round) {
    const matrix_result m = any.results();
    const objective wanted = any.wanted();
    const verdict v = verdict_of(m, wanted);
    if (!v.winner) continue;
    std::vector<way> tied = v.ties;
    tied.push_back(v.winner);
    const auto is_among = [](const std::vector<way>& some, auto&& suits) {
      return std::any_of(some.begin(), some.end(), suits);
    };
    REQUIRE(is_among(tied, [&](const way& w) { return w == v.fastest; }));
    for (const way& w : every_way_of(m, wanted)) REQUIRE(w.seconds >= v.fastest.seconds);
    const bool csr_is_tied = is_among(tied, [](const way& w) { return w.stays_in_csr(); });
    if (!wanted.prefer_bytes) {
      REQUIRE(v.winner.stays_in_csr() == csr_is_tied);
      if (v.stay && !csr_is_tied) {
        REQUIRE(v.winner.seconds < v.stay.seconds);
        REQUIRE(v.repaid_after >= 0);
        if (wanted.products > 0) REQUIRE(v.repaid_after <= wanted.products * (1 + 1e-9));
        for (const way& w : tied) {
          way plain = w, stay = v.stay;
          plain.seconds = seconds_alone(w, wanted);
          stay.seconds = seconds_alone(stay, wanted);
          const double after = repaid_after(plain, stay);
          if (!m.predicted && after >= 0 && w.seconds <= v.stay.seconds)
            REQUIRE(v.repaid_after <= 1.1 * after + 1e-9);
        }
        ++left;
      }
    } else {
      for (const way& w : tied)
        REQUIRE(static_cast<double>(v.winner.all_bytes()) <= 1.02 * static_cast<double>(w.all_bytes()));
    }
    stayed += v.winner.stays_in_csr() ? 1 : 0;
    if (v.runner_up) {
      const format_kind next = v.runner_up.variant().format;
      REQUIRE(!is_among(tied, [&](const way& w) { return w.variant().format == next; }));
      REQUIRE(v.runner_up.seconds > v.winner.seconds);
      REQUIRE(v.margin.ratio > 1);
    } else {
      ++alone;
    }
    for (const contestant_result* k : v.tied_contestants) {
      REQUIRE(!v.winner.runs(*k));
      REQUIRE(is_among(v.ties, [&](const way& w) { return w.runs(*k); }));
    }
    REQUIRE(v.reasons.size() <= 2);
  }
  // All of these were met.
  CHECK(stayed > 1000);
  CHECK(left > 1000);
  CHECK(alone > 100);
}

TEST_CASE("mix, products, memory, regime and repeatable bits decide") {
  matrix_result m = raced_example();
  objective heavy;
  heavy.weights = {1, 10};
  CHECK(verdict_of(m, heavy).winner.names() == "csc/v");
  objective few;
  few.products = 10;
  CHECK(verdict_of(m, few).winner.names() == "ell/a");  // 14 + 4 beside 14.2 + 10, and CSR's 20
  few.products = 1;
  CHECK(verdict_of(m, few).winner.names() == "csr/a");
  objective small;
  small.memory = 900;
  CHECK(verdict_of(m, small).winner.names() == "bsr/a");
  small.memory = 100;
  CHECK(!verdict_of(m, small).winner);
  m.variants[1].contestants[0].info.repeatable.multiply = false;
  m.variants[2].contestants[1].info.repeatable.transposed = false;
  objective same;
  same.repeatable = true;
  CHECK(verdict_of(m, same).winner.names() == "csr/a");
  CHECK(verdict_of(m, same).winner.repeatable());
  CHECK(!verdict_of(m, {}).winner.repeatable());
  m = raced_example();
  m.variants[0].contestants[0].time.warm.median = m.variants[0].contestants[0].time.warm.low = 1;
  objective warm;
  warm.warm = true;
  CHECK(verdict_of(m, only(warm, ax)).winner.names() == "csr/a");
  CHECK(verdict_of(m, only({}, ax)).other_regime.names() == "csr/a");
}

TEST_CASE("what costs no more is repaid at once where it is as fast, and never where it is slower") {
  way taken, instead;
  taken.seconds = instead.seconds = 2;
  taken.price = instead.price = 3;
  CHECK(repaid_after(taken, instead) == 0);
  taken.seconds = 2.5;
  CHECK(repaid_after(taken, instead) == -1);
  taken.seconds = 1.5;
  CHECK(repaid_after(taken, instead) == 0);
  taken.price = 4;
  CHECK(repaid_after(taken, instead) == 2);
}

TEST_CASE("memory may be used up to the last byte, and what kernels prepare counts") {
  matrix_result m = raced_example();
  objective limited;
  const auto winner_within = [&](std::int64_t bytes) {
    limited.memory = bytes;
    const way winner = verdict_of(m, limited).winner;
    return winner ? winner.names() : "none";
  };
  CHECK(winner_within(800) == "bsr/a");
  CHECK(winner_within(799) == "none");
  m.variants[2].contestants[1].prepared_bytes = 50;  // A^T x of BSR
  CHECK(winner_within(849) == "none");
  CHECK(winner_within(850) == "bsr/a");
  // Two copies: ELL with 1500 bytes for A x, and SELL of A^T with 1100 and 70 that its kernel prepares.
  variant_result copy = stored(format_kind::sell, 1100, 7, {raced("sell/a", atx, 6)});
  copy.of_transpose = true;
  copy.contestants[0].prepared_bytes = 70;
  m.variants.push_back(copy);
  const auto copies_within = [&](std::int64_t bytes) {
    limited.memory = bytes;
    const way both = verdict_of(m, limited).two_copies;
    return both ? both.names() : "none";
  };
  CHECK(copies_within(0) == "ell/a + sell/a (of A^T)");
  CHECK(copies_within(1500 + 1100 + 70) == "ell/a + sell/a (of A^T)");
  CHECK(copies_within(1500 + 1100 + 69) == "none");
}

TEST_CASE("the vendor's best from one copy and from two") {
  matrix_result m = raced_example();
  m.variants[0].contestants.push_back(raced("csr/v", ax, 9, 0, true));
  m.variants[0].contestants.push_back(raced("csr/v", atx, 60, 0, true));
  variant_result copy = stored(format_kind::sell, 1100, 7, {raced("sell/v", atx, 6, 0, true)});
  copy.of_transpose = true;
  m.variants.push_back(copy);
  const verdict v = verdict_of(m, {});
  CHECK(v.vendor.one_copy.names() == "csc/v");  // 24.5 beside 34.5
  REQUIRE(v.vendor.two_copies.stored.size() == 2);
  CHECK(v.vendor.two_copies.seconds == (9 + 6) / 2.0);
  CHECK(v.vendor.two_copies.bytes == 2100);
  CHECK(v.winner.names() == "ell/a");  // a copy of A^T alone is no way to compute both
  CHECK(!verdict_of(m, only({}, ax)).vendor.two_copies);
  CHECK(verdict_of(m, only({}, atx)).vendor.one_copy.names() == "sell/v (of A^T)");
}

namespace {

// The vendor in all its formats: fastest for A x in SELL, for A^T x in a copy of A^T in COO, and of what one
// copy can do for both in COO. Ours: CSR 9 and 12, SELL 5 and 20.
matrix_result beside_vendor() {
  matrix_result m;
  m.rows = m.cols = 10;
  m.entries = 50;
  const auto of_transpose = [](variant_result f) {
    f.of_transpose = true;
    return f;
  };
  m.variants = {
      stored(format_kind::csr, 1000, 0,
             {raced("csr/a", ax, 9), raced("csr/a", atx, 12), raced("csr/v1", ax, 11, 0, true),
              raced("csr/v2", ax, 10, 0, true), raced("csr/v1", atx, 20, 0, true),
              raced("csr/v2", atx, 22, 0, true)}),
      stored(format_kind::coo, 1400, 3, {raced("coo/v", ax, 8, 0, true), raced("coo/v", atx, 16, 0, true)}),
      stored(format_kind::sell, 1100, 4, {raced("sell/a", ax, 5), raced("sell/a", atx, 20)}),
      stored(format_kind::sell, 1200, 4, {raced("sell/a", ax, 6), raced("sell/v", ax, 4, 0, true)}),
      of_transpose(stored(format_kind::csr, 1000, 6, {raced("csr/v2", atx, 10, 0, true)})),
      of_transpose(stored(format_kind::coo, 1400, 8, {raced("coo/v", atx, 7, 0, true)})),
      of_transpose(stored(format_kind::sell, 1300, 9, {raced("sell/v", atx, 9, 0, true)}))};
  m.variants[3].note = "unsorted";
  return m;
}

}  // namespace

TEST_CASE("the vendor is the fastest of all its formats, and its CSR stands beside it") {
  const matrix_result m = beside_vendor();
  const vendor_ways v = vendor_of(m, {});
  CHECK(v.product[0].names() == "sell/v (unsorted)");  // 4 beside CSR's 10
  CHECK(v.product[1].names() == "coo/v (of A^T)");     // 7, and not what A^T is in CSR
  CHECK(v.transposed_from_a.names() == "coo/v");
  CHECK(sum_of_medians(v.transposed_from_a) == 16);
  CHECK(v.csr.names() == "csr/v2 + csr/v1");  // the faster algorithm of each product
  CHECK(sum_of_medians(v.csr) == 30);
  CHECK(v.one_copy.names() == "coo/v");
  CHECK(sum_of_medians(v.one_copy) == 24);
  REQUIRE(v.two_copies.stored.size() == 2);  // different formats
  CHECK(&v.two_copies.variant_of(ax) == &m.variants[3]);
  CHECK(&v.two_copies.variant_of(atx) == &m.variants[5]);
  CHECK(sum_of_medians(v.two_copies) == 11);
  CHECK(v.two_copies.bytes == 1200 + 1400);
  CHECK(v.two_copies.price == 4 + 8);

  const verdict judged = verdict_of(m, {});
  CHECK(judged.vendor.one_copy == v.one_copy);
  CHECK(judged.vendor.csr == v.csr);
  CHECK(judged.vendor.two_copies == v.two_copies);
  CHECK(vendor_of(m, only({}, atx)).one_copy == v.product[1]);
  CHECK(!vendor_of(m, only({}, ax)).two_copies);
}

TEST_CASE("what of the vendor was refused, did not run or was wrong is not its best") {
  matrix_result m = beside_vendor();
  m.variants[3].contestants[1].not_run = "cuSPARSE's SELL keeps rows in their order";
  CHECK(vendor_of(m, {}).product[0].names() == "coo/v");
  m.variants[1].refused = "out of memory";
  CHECK(vendor_of(m, {}).product[0].names() == "csr/v2");
  m.variants[0].contestants[3].wrong = "wrong";
  CHECK(vendor_of(m, {}).csr.names() == "csr/v1");
  // One copy serves both products best: there is no second.
  for (const std::size_t copy : {4, 5, 6}) m.variants[copy].refused = "out of memory";
  const vendor_ways alone = vendor_of(m, {});
  CHECK(alone.two_copies == alone.csr);
  CHECK(alone.two_copies.stored.size() == 1);
  CHECK(&alone.two_copies.variant_of(atx) == &m.variants[0]);
  // Without A x there is no pair.
  for (const std::size_t k : {2, 3}) m.variants[0].contestants[k].wrong = "wrong";
  CHECK(!vendor_of(m, {}).two_copies);
  CHECK(!vendor_of(m, {}).csr);
  CHECK(over_vendor(m).ax == 0);
  CHECK(over_vendor(m).pair_csr == 0);
  CHECK(over_vendor(m).atx == 20.0 / 12);
  const vendor_ways nobody = vendor_of(example(), only({}, atx));
  CHECK(!nobody.csr);  // its CSR has no A^T x
  CHECK(!vendor_of({}, {}).product[0]);
}

TEST_CASE("a copy of A^T pays for itself with the products of A^T alone") {
  const matrix_result m = beside_vendor();
  objective few;
  few.products =
      4;  // two of each: SELL costs 4 + 4 / 2 for A x, CSR 10; COO of A^T 7 + 8 / 2, CSR's 10 + 6 / 2
  CHECK(vendor_of(m, few).two_copies.names() == "sell/v + coo/v (unsorted, of A^T)");
  few.products = 1;
  CHECK(vendor_of(m, few).two_copies == vendor_of(m, few).csr);
}

TEST_CASE("ours over the vendor, of all and of one format") {
  const matrix_result m = beside_vendor();
  const vendor_ratios best = over_vendor(m);
  CHECK(best.ax == 4.0 / 5);
  CHECK(best.atx == 7.0 / 12);
  CHECK(best.atx_from_a == 16.0 / 12);
  CHECK(best.pair_csr == 30.0 / 21);  // ours in CSR takes 9 + 12
  CHECK(best.pair_one_copy == 24.0 / 21);
  CHECK(best.pair_two_copies == 11.0 / 21);
  const vendor_ratios sell = over_vendor(m, m.variants[2]);
  CHECK(sell.ax == 4.0 / 5);
  CHECK(sell.pair_two_copies == 11.0 / 25);
  CHECK(over_vendor(m, m.variants[3]).pair_csr == 0);  // without A^T x there is no pair
  CHECK(over_vendor(m, m.variants[4]).atx == 0);       // nothing of ours
  const std::map<format_kind, double> same = over_vendor_in_format(m);
  REQUIRE(same.size() == 2);  // COO has none of ours
  CHECK(same.at(format_kind::csr) == 10.0 / 9);
  CHECK(same.at(format_kind::sell) == 4.0 / 5);  // whatever the variant

  matrix_result other = m;
  other.variants[3].contestants[1] = raced("sell/v", ax, 20, 0, true);  // COO's 8 is the best then
  overall_vendor all;
  for (const matrix_result* one : std::vector<const matrix_result*>{&m, &other}) add_ratios(*one, false, all);
  other.entries = 0;
  add_ratios(other, false, all);
  CHECK(all.best[0].measured == 2);
  CHECK(all.best[0].ahead == 1);
  CHECK(all.best[0].worst == 4.0 / 5);
  CHECK(std::fabs(all.best[0].mean() - std::sqrt(4.0 / 5 * 8 / 5)) < 1e-12);
  CHECK(all.in_format.at(format_kind::sell).ahead == 1);
  CHECK(vendor_comparisons[0].ratio == &vendor_ratios::ax);
}

TEST_CASE("without anything that ran there is no winner; predictions stand for times where nothing was run") {
  CHECK(!verdict_of({}, {}).winner);
  matrix_result m = raced_example();
  for (variant_result& f : m.variants)
    for (contestant_result& k : f.contestants) {
      k.expected = {k.time.cold.median * 3, k.time.cold.median * 2};
      k.time = {};
    }
  CHECK(!verdict_of(m, {}).winner);
  m.predicted = true;
  const verdict v = verdict_of(m, {});
  CHECK(v.winner.names() == "ell/a");  // the fastest, whatever its bytes
  CHECK(std::fabs(v.winner.seconds - 28) < 1e-12);
  CHECK(v.ties.size() == 1);
}

TEST_CASE("the fastest way of each format that has a kernel of ours in it") {
  const matrix_result m = example();
  const std::vector<way> both_products = ours_by_format(m, {});
  REQUIRE(both_products.size() == 2);  // CSC has no A x
  CHECK(both_products[0].names() == "csr/vendor + csr/a");
  CHECK(both_products[0].seconds == 10.5);
  CHECK(both_products[1].names() == "ell/a");
  const std::vector<way> alone = ours_by_format(m, only({}, ax));
  REQUIRE(alone.size() == 2);  // in the order of the results
  CHECK(alone[0].names() == "csr/b");
  CHECK(alone[1].names() == "ell/a");
  CHECK(ours_by_format({}, {}).empty());
}

TEST_CASE("what a prediction would have taken, with the times of the race") {
  matrix_result m = example();
  CHECK(!predicted_choice_of(m, {}).taken);
  for (variant_result& f : m.variants)
    for (contestant_result& k : f.contestants)
      k.expected.cold = k.expected.warm = f.format == format_kind::ell ? 1 : 100;
  predicted_choice choice = predicted_choice_of(m, {});
  CHECK(choice.measured);
  CHECK(choice.taken.names() == "ell/a");
  CHECK(&choice.taken.variant() == &m.variants[1]);
  CHECK(choice.taken.seconds == 19);
  CHECK(choice.taken.price == 9);
  m.variants[1].contestants[1].time = {};
  CHECK(predicted_choice_of(m, {}).taken.names() == "ell/a");
  CHECK_FALSE(predicted_choice_of(m, {}).measured);
  m.variants[1].contestants[1].not_run = "it has no product with A^T";  // which --predict knows as well
  choice = predicted_choice_of(m, {});
  CHECK(choice.taken.names() == "csr/a");
  CHECK(choice.measured);
}

namespace {

constexpr operation both = operation::both, normal = operation::normal;

// CSR takes 10 and 30 for the products, ELL 8 and 20; each has one kernel for both in one pass.
matrix_result with_one_pass(double in_csr, double in_ell) {
  matrix_result m = raced_example();
  m.variants.resize(2);
  m.variants[0].contestants.push_back(raced("csr/a", both, in_csr));
  m.variants[1].contestants.push_back(raced("ell/a", both, in_ell));
  for (variant_result& f : m.variants) f.contestants.back().info.repeatable.both = true;
  return m;
}

objective together(operation op) {
  objective wanted;
  wanted.one_pass = op;
  return wanted;
}

}  // namespace

TEST_CASE("one pass wins where it takes less than the sum of two products, and both kinds are told") {
  const matrix_result m = with_one_pass(25, 24);
  const verdict v = verdict_of(m, together(both));
  CHECK(v.winner.in_one_pass());
  // 24 beside 25 is a tie that what is there wins.
  CHECK(v.winner.names() == "csr/a in one pass");
  CHECK(v.winner.seconds == 25);
  CHECK(v.winner.contestant(ax) == nullptr);
  CHECK(v.winner.run_for(both) == &m.variants[0].contestants.back());
  CHECK(v.winner.runs(m.variants[0].contestants.back()));
  CHECK(v.fastest.names() == "ell/a in one pass");
  CHECK(v.other_kind.names() == "ell/a");  // 8 + 20
  CHECK(v.other_kind.seconds == 28);
  CHECK(v.stay == v.winner);
  CHECK(v.winner.repeatable());
  CHECK(v.tied_contestants == std::vector{&m.variants[1].contestants.back()});
}

TEST_CASE("where one pass is slower the verdict takes two products") {
  const matrix_result m = with_one_pass(70, 50);
  const verdict v = verdict_of(m, together(both));
  CHECK_FALSE(v.winner.in_one_pass());
  CHECK(v.winner.names() == "ell/a");
  CHECK(v.winner.seconds == 28);  // both of them, and not their mean
  CHECK(v.other_kind.names() == "ell/a in one pass");
  CHECK(v.other_kind.seconds == 50);
  CHECK(v.stay.names() == "csr/a");
  CHECK(v.stay.seconds == 40);
  // 40 to convert, 12 gained by an application.
  CHECK(std::fabs(v.repaid_after - 40 / 12.0) < 1e-12);
  CHECK(v.repaid_after_alone == std::array<double, 2>{-1, -1});
  CHECK(v.alone[0].names() == "ell/a");
  CHECK(v.alone[0].seconds == 8);
  objective few = together(both);
  few.products = 2;  // 28 and half of 40 beside 40
  CHECK(verdict_of(m, few).winner.names() == "csr/a");
}

TEST_CASE("two products that are not told apart from one pass are tied with it, kernel by kernel") {
  const matrix_result m = with_one_pass(70, 27);
  const verdict v = verdict_of(m, together(both));
  CHECK(v.winner.names() == "ell/a in one pass");
  REQUIRE(v.ties.size() == 1);
  CHECK(v.ties[0] == v.other_kind);
  CHECK(v.tied_contestants == std::vector{&m.variants[1].contestants[0], &m.variants[1].contestants[1]});
  CHECK(v.repaid_after == 40 / 13.0);
}

TEST_CASE("what computes another pair of products, or the same where it is not asked for, takes no part") {
  const matrix_result m = with_one_pass(1, 1);
  const verdict of_normal = verdict_of(m, together(normal));
  CHECK(of_normal.winner.names() == "ell/a");
  CHECK(of_normal.winner.seconds == 28);
  CHECK_FALSE(of_normal.other_kind);
  const verdict of_mix = verdict_of(m, {});
  CHECK(of_mix.winner.names() == "ell/a");
  CHECK(of_mix.winner.seconds == 14);
  CHECK_FALSE(of_mix.other_kind);
  CHECK(ours_of(m, false).pair.names() == "ell/a");
  CHECK(sum_of_medians(ours_of(m, false).pair) == 28);
}

TEST_CASE("where A equals A^T two products are both with A, and one pass is beside them") {
  matrix_result m = with_one_pass(15, 18);
  m.symmetric = true;
  for (variant_result& f : m.variants)
    std::erase_if(f.contestants, [](const contestant_result& k) { return k.op == atx; });
  const verdict v = verdict_of(m, together(both));
  CHECK(v.fastest.names() == "csr/a in one pass");  // 15 beside 16 and 18
  CHECK(v.other_kind.names() == "ell/a");
  CHECK(v.other_kind.seconds == 16);
  CHECK(v.other_kind.contestant(atx) == v.other_kind.contestant(ax));
}

TEST_CASE("one pass is compared with the vendor's two products, from one copy and from two") {
  matrix_result m = with_one_pass(25, 50);
  m.variants[0].contestants.push_back(raced("csr/v", ax, 9, 0, true));
  m.variants[0].contestants.push_back(raced("csr/v", atx, 60, 0, true));
  variant_result copy = stored(format_kind::sell, 1100, 7, {raced("sell/v", atx, 6, 0, true)});
  copy.of_transpose = true;
  m.variants.push_back(copy);
  const verdict v = verdict_of(m, together(both));
  CHECK(v.winner.names() == "csr/a in one pass");
  CHECK(v.vendor.one_copy.seconds == 9 + 60);
  CHECK(v.vendor.two_copies.seconds == 9 + 6);
  CHECK(v.vendor.product[0].seconds == 9);
}

TEST_CASE("of one pass the reason is that the matrix is read once") {
  matrix_result m = with_one_pass(70, 20);
  m.variants[0].contestants.pop_back();
  const verdict v = verdict_of(m, together(both));
  REQUIRE(v.winner.names() == "ell/a in one pass");
  REQUIRE(v.reasons.size() == 1);
  CHECK(v.reasons[0] ==
        "one pass reads the matrix once, 1.5 KiB; two products of csr/a read theirs twice, 2.0 KiB");
  // The same where CSR alone took part: there is no other format, but another kind.
  matrix_result alone = with_one_pass(20, 70);
  alone.variants.pop_back();
  CHECK(verdict_of(alone, together(both)).reasons ==
        std::vector<std::string>{
            "one pass reads the matrix once, 1000 B; two products of csr/a read theirs twice, 2.0 KiB"});
}
