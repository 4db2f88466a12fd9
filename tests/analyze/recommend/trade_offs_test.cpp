// What ways cost beside each other and how it ended for contestants, from results made by hand.
#include "analyze/recommend/trade_offs.hpp"

#include "analyze/recommend/standing.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

constexpr double micro = 1e-6;

way costing(double price, double seconds) {
  way w;
  w.price = price * micro;
  w.seconds = seconds * micro;
  return w;
}

timing around(double seconds) {
  timing t;
  t.median = seconds;
  t.p10 = 0.9 * seconds;
  t.p90 = 1.2 * seconds;
  t.low = 0.99 * seconds;
  t.high = 1.01 * seconds;
  t.samples = 30;
  return t;
}

// Both products take so many microseconds.
variant_result stored(format_kind format, const char* kernel, double convert, double bytes, double us,
                      bool vendor = false) {
  variant_result f;
  f.format = format;
  f.bytes = static_cast<std::int64_t>(bytes);
  f.convert_seconds = convert * micro;
  for (const operation op : plain_operations) {
    contestant_result k;
    k.info = {.name = kernel, .description = "a test", .source = vendor ? "the vendor" : "ours"};
    k.info.vendor = vendor;
    k.op = op;
    k.time = {around(us * micro), around(us * micro)};
    f.contestants.push_back(k);
  }
  return f;
}

// CSR needs nothing, SELL is fast and large, CSB small and slow, ELL large and slow, and COO is the vendor's.
recommendation raced() {
  recommendation r;
  r.found.rows = r.found.cols = 1000;
  r.found.entries = 10'000;
  r.found.variants = {stored(format_kind::csr, "csr/vector", 0, 124'004, 100),
                      stored(format_kind::sell, "sell/thread", 1000, 150'000, 50),
                      stored(format_kind::csb, "csb/block", 3000, 100'000, 200),
                      stored(format_kind::ell, "ell/thread", 500, 200'000, 120),
                      stored(format_kind::coo, "coo/cusparse", 100, 160'000, 90, true)};
  return r;
}

verdict verdict_on(const recommendation& r) {
  return verdict_of(r.found, r.wanted);
}

std::string labels(const std::vector<way>& ways) {
  std::string all;
  for (const way& w : ways) all += (all.empty() ? "" : " ") + label_of(w);
  return all;
}

}  // namespace

TEST_CASE("each way reigns from where it takes the least in total") {
  // 10 a product at once; 8 for 10 before; 2 for 100 before; one that is never the best.
  const std::vector<way> ways = {costing(100, 2), costing(10, 8), costing(0, 10), costing(90, 7)};
  const std::vector<reign> reigns = reigns_of(ways);
  REQUIRE(reigns.size() == 3);
  CHECK(reigns[0].best == &ways[2]);
  CHECK(reigns[0].from == 1);
  CHECK(reigns[1].best == &ways[1]);
  CHECK(reigns[1].from == Approx(5));
  CHECK(reigns[2].best == &ways[0]);
  CHECK(reigns[2].from == Approx(15));
  CHECK(total_seconds(ways[1], 15) == Approx(total_seconds(ways[0], 15)));
  CHECK(reigns_of({}).empty());
  // What is better from the first product on has no rival.
  CHECK(reigns_of({costing(0, 10), costing(0, 5)}).size() == 1);
  // Of two that are ahead from the fourth on, the faster.
  const auto plain = [](double price, double seconds) {
    way w;
    w.price = price;
    w.seconds = seconds;
    return w;
  };
  for (const std::vector<way>& alike : {std::vector{plain(0, 10), plain(8, 8), plain(16, 6)},
                                        std::vector{plain(0, 10), plain(16, 6), plain(8, 8)}}) {
    const std::vector<reign> two = reigns_of(alike);
    REQUIRE(two.size() == 2);
    CHECK(two[1].best->seconds == 6);
    CHECK(two[1].from == 4);
  }
}

TEST_CASE("every way has a role") {
  const recommendation r = raced();
  const verdict v = verdict_on(r);
  std::string all;
  for (const way& w : plain_ways(r)) all += label_of(w) + " " + name_of(role_of(v, w)) + ", ";
  CHECK(all == "sell winner, coo vendor, csr stay, ell other, csb other, ");
  recommendation close = raced();
  for (contestant_result& k : close.found.variants[3].contestants) k.time = {around(51e-6), around(51e-6)};
  const verdict tied = verdict_on(close);
  REQUIRE(label_of(tied.winner) == "ell");  // repaid sooner
  for (const way& w : plain_ways(close))
    if (label_of(w) == "sell") CHECK(role_of(tied, w) == role::tied);
}

TEST_CASE("the winner and CSR are compared first, then what reigns, then the rest") {
  const recommendation r = raced();
  const std::vector<way> ways = plain_ways(r);
  CHECK(labels(ways) == "sell coo csr ell csb");
  REQUIRE(staying_among(ways) != nullptr);
  CHECK(label_of(*staying_among(ways)) == "csr");
  CHECK(labels(compared_ways(verdict_on(r), ways)) == "sell csr coo ell csb");
  CHECK(staying_among({}) == nullptr);
}

TEST_CASE("nothing is both smaller and faster than what is on the frontier") {
  const recommendation r = raced();
  std::string all;
  for (const bytes_and_time& one : bytes_and_times_of(r, verdict_on(r)))
    all += label_of(one.taken) + (one.on_frontier ? " on, " : " off, ");
  CHECK(all == "csb on, csr on, sell on, coo off, ell off, ");
}

TEST_CASE("what is as fast with more bytes is not on the frontier") {
  recommendation r = raced();
  for (contestant_result& k : r.found.variants[3].contestants)
    k.time = r.found.variants[1].contestants[0].time;
  for (const bytes_and_time& one : bytes_and_times_of(r, verdict_on(r)))
    if (label_of(one.taken) == "ell") CHECK_FALSE(one.on_frontier);
}

TEST_CASE("contestants rank by the time that decides") {
  recommendation r = raced();
  r.found.variants[1].contestants[0].wrong = "row 3";
  r.found.variants[3].contestants[0].time = {};
  r.found.variants[3].contestants[0].single_seconds = 95 * micro;
  r.found.variants[3].contestants[0].left = "after one run";
  std::string all;
  for (const auto& [who, time] : ranking_of(r, operation::multiply))
    all += std::string(who.contestant->info.name) + " " + std::to_string(time.samples) + ", ";
  CHECK(all == "coo/cusparse 30, ell/thread 1, csr/vector 30, csb/block 30, sell/thread 0, ");
  const deciding_time csr = time_of(r, r.found.variants[0].contestants[0]);
  CHECK(csr.low == Approx(90 * micro));
  CHECK(csr.high == Approx(120 * micro));
}

TEST_CASE("who left for one reason in both products left once") {
  recommendation r = raced();
  for (contestant_result& k : r.found.variants[2].contestants) k.left = "too slow";
  r.found.variants[3].contestants[1].wrong = "row 3";
  r.found.variants[4].refused = "too large";
  const std::vector<departure> all = departures_of(r.found);
  REQUIRE(all.size() == 3);
  CHECK(all[0].who.how == standing::wrong);
  CHECK(all[0].operations == std::vector{operation::transposed});
  CHECK(all[1].who.how == standing::left);
  CHECK(all[1].operations == std::vector{operation::multiply, operation::transposed});
  CHECK(all[2].who.contestant == nullptr);
  CHECK(all[2].operations.empty());
  CHECK(departures_of(raced().found).empty());
}
