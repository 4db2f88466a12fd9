// Verdicts over results made by hand: figures that can be added up in one's head.
#include "analyze/recommend/verdict.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

const std::vector<operation> both(both_operations.begin(), both_operations.end());

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

TEST_CASE("the best of one format, and of all") {
  const matrix_result m = example();
  const choice in_csr = best_in(m.variants[0], {ax});
  CHECK(in_csr.names() == "csr/b");  // the vendor's is not ours
  CHECK(in_csr.seconds == 9);
  CHECK(in_csr.base_seconds == 10);

  const choice best = best_of(m, {ax});
  CHECK(best.format == &m.variants[1]);
  CHECK(best.ratio() == 10.0 / 8);
  CHECK(best.price == 8);  // 6 to convert, 2 to prepare
  CHECK(best.repaid_after() == 4);

  const choice pair = best_of(m, both);
  CHECK(pair.names() == "csr/b + csr/a");
  CHECK(pair.seconds == 29);
  CHECK(pair.base_seconds == 30);
  CHECK(best_in(m.variants[1], both).repaid_after() < 0);  // slower than the base
  CHECK(best_of(m, {atx}).names() == "csc/a");
  CHECK(best_in(m.variants[2], both).format == nullptr);  // without A x there is no pair
  CHECK(best_of(matrix_result{}, {ax}).format == nullptr);
}

TEST_CASE("the base itself is what the base of that operation is called") {
  matrix_result m = example();
  m.base_names = {"csr/b", "csr/a"};
  CHECK(is_base(m, best_in(m.variants[0], {ax})));
  CHECK(is_base(m, best_in(m.variants[0], {atx})));
  CHECK(is_base(m, best_in(m.variants[0], both)));
  m.base_names = {"csr/a", "csr/b"};  // each is now the base of the other operation
  CHECK_FALSE(is_base(m, best_in(m.variants[0], {ax})));
  CHECK_FALSE(is_base(m, best_in(m.variants[0], {atx})));
  CHECK_FALSE(is_base(m, best_in(m.variants[0], both)));
  m.base_names = {"csr/b", "csr/a"};
  m.variants[0].of_transpose = true;  // the same kernel of a second copy
  CHECK_FALSE(is_base(m, best_in(m.variants[0], {ax})));
  CHECK_FALSE(is_base(m, choice{}));
}

TEST_CASE("what was not run or is wrong is no choice, and notes are named") {
  matrix_result m = example();
  m.variants[0].note = "a note";
  m.variants[0].contestants[1].not_run = "why";
  CHECK(best_in(m.variants[0], {ax}).names() == "csr/a (a note)");
  CHECK(best_in(m.variants[0], both).names() == "csr/a (a note)");
  m.variants[0].contestants[0].wrong = "wrong";
  CHECK(best_in(m.variants[0], {ax}).format == nullptr);
}

TEST_CASE("formats over several matrices") {
  format_ratios all;
  matrix_result m = example();
  add_ratios(m, all);
  m.variants[1].contestants[0].time = taking(20);
  add_ratios(m, all);
  m.entries = 0;
  add_ratios(m, all);  // nothing to be fast or slow with
  const overall& ell = all["ell"][0];
  CHECK(ell.measured == 2);
  CHECK(ell.ahead == 1);
  CHECK(ell.worst == 0.5);
  CHECK(std::fabs(ell.mean() - std::sqrt(1.25 * 0.5)) < 1e-12);
  CHECK(all["csr"][2].measured == 2);
  CHECK(all["csc"][0].measured == 0);
}

namespace {

// Times in the cold regime with an interval; warm ones are half as long.
contestant_result raced(const char* name, operation op, double seconds, double spread = 0,
                        bool vendor = false, bool repeatable = true) {
  contestant_result k = line(name, op, seconds, 0, vendor);
  k.info.repeatable_multiply = k.info.repeatable_transposed = repeatable;
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

TEST_CASE("the winner of a tie is the one with the fewest bytes, and all that are tied are named") {
  const matrix_result m = raced_example();
  const verdict v = verdict_of(m, {});
  CHECK(v.fastest.names() == "ell/a");
  CHECK(v.winner.names() == "bsr/a");  // 14.2 beside 14, and 800 bytes beside 1500
  REQUIRE(v.ties.size() == 1);
  CHECK(v.ties[0].names() == "ell/a");
  CHECK(v.runner_up.names() == "csr/a");
  CHECK(std::fabs(v.margin.ratio - 20 / 14.2) < 1e-12);
  CHECK(v.stay.names() == "csr/a");
  CHECK(v.smallest.names() == "bsr/a");
  CHECK(v.winner.price == 100);
  // (10 + 30) / 2 in CSR, (8.2 + 20.2) / 2 in BSR.
  CHECK(std::fabs(v.repaid_after - 100 / (20 - 14.2)) < 1e-12);
  CHECK(std::fabs(v.repaid_after_alone[0] - 100 / (10 - 8.2)) < 1e-9);
  CHECK(v.alone[0].names() == "ell/a");
  CHECK(v.alone[1].names() == "csc/v");
  CHECK(!v.reasons.empty());
}

TEST_CASE("of equal bytes the simpler format wins, and staying in CSR is a verdict") {
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
  CHECK(v.runner_up.names() == "csr/b");
}

TEST_CASE("who is not known to be behind is tied, and does not win for that") {
  matrix_result m = raced_example();
  m.variants[0].contestants[0] = raced("csr/a", ax, 8.7, 0.05);  // 8.7 beside 8, but perhaps 8.3
  m.variants[0].contestants[1] = raced("csr/b", ax, 12, 0.1);    // known to be behind
  const verdict v = verdict_of(m, only({}, ax));
  std::vector<std::string> names;
  for (const way& w : v.ties) names.push_back(w.names());
  CHECK(names == std::vector<std::string>{"ell/a", "csr/a"});
  CHECK(v.winner.names() == "bsr/a");  // only those within 5 % by their medians can win
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
  m.variants[1].contestants[0].info.repeatable_multiply = false;
  m.variants[2].contestants[1].info.repeatable_transposed = false;
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
  CHECK(v.winner.names() == "bsr/a");  // a copy of A^T alone is no way to compute both
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
  CHECK(headline_of(v.transposed_from_a) == 16);
  CHECK(v.csr.names() == "csr/v2 + csr/v1");  // the faster algorithm of each product
  CHECK(headline_of(v.csr) == 30);
  CHECK(v.one_copy.names() == "coo/v");
  CHECK(headline_of(v.one_copy) == 24);
  REQUIRE(v.two_copies.stored.size() == 2);  // different formats
  CHECK(&v.two_copies.variant_of(ax) == &m.variants[3]);
  CHECK(&v.two_copies.variant_of(atx) == &m.variants[5]);
  CHECK(headline_of(v.two_copies) == 11);
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
  for (const matrix_result* one : std::vector<const matrix_result*>{&m, &other}) add_ratios(*one, all);
  other.entries = 0;
  add_ratios(other, all);
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
      k.expected = {k.time.cold.median * 3, k.time.cold.median * 2, {}, {}};
      k.time = {};
    }
  CHECK(!verdict_of(m, {}).winner);
  m.predicted = true;
  const verdict v = verdict_of(m, {});
  CHECK(v.winner.names() == "ell/a");  // the fastest, whatever its bytes
  CHECK(std::fabs(v.winner.seconds - 28) < 1e-12);
  CHECK(v.ties.size() == 1);
}
