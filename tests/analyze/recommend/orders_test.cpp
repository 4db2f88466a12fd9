// Which order of rows and columns is taken, over results made by hand: figures that can be added up in one's
// head.
#include "analyze/recommend/orders.hpp"

#include <cmath>

#include <nlohmann/json.hpp>
#include "analyze/report/recommend_orders.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

struct raced {
  std::string order;
  double order_seconds;
  format_kind format;
  double convert_seconds, seconds, spread;
  std::int64_t bytes;
};

// Of each order one format that one kernel ran on, A x alone.
struct raced_orders {
  std::vector<recommendation> told;
  std::vector<verdict> verdicts;

  raced_orders(const std::vector<raced>& all, objective wanted = {}) {
    wanted = only(wanted, operation::multiply);
    for (const raced& one : all) {
      recommendation& r = told.emplace_back();
      r.name = "a.mtx";
      r.wanted = wanted;
      r.order = one.order;
      r.order_seconds = one.order_seconds;
      r.found.rows = r.found.cols = 10;
      r.found.entries = 50;
      variant_result& f = r.found.variants.emplace_back();
      f.format = one.format;
      f.convert_seconds = one.convert_seconds;
      f.bytes = one.bytes;
      if (one.seconds == 0) {
        f.refused = "not tried";
        continue;
      }
      contestant_result& k = f.contestants.emplace_back();
      k.info = {.name = "a/kernel", .description = "", .source = ""};
      const double s = one.seconds;
      k.time.cold = {s, s, s, 20, s * (1 - one.spread), s * (1 + one.spread)};
      k.time.warm = k.time.cold;
    }
  }
  order_verdict verdict_of_orders() {
    verdicts.clear();
    for (const recommendation& r : told) verdicts.push_back(verdict_of(r.found, r.wanted));
    return order_verdict_of(told, verdicts);
  }
};

constexpr format_kind csr_format = format_kind::csr, dia_format = format_kind::dia;

const order_result& taken(const order_verdict& v) {
  return v.orders[static_cast<std::size_t>(v.taken)];
}

}  // namespace

TEST_CASE("an order in which another format is faster is taken, and its price is that of order and format") {
  raced_orders all({{"", 0, csr_format, 0, 10, 0, 1000},
                    {"rcm", 30, dia_format, 10, 5, 0, 800},
                    {"length", 3, csr_format, 0, 8, 0, 1000}});
  const order_verdict v = all.verdict_of_orders();
  REQUIRE(v.taken == 1);
  CHECK(v.fastest == 1);
  CHECK(v.beside == 0);
  CHECK(v.margin.ratio == 2);
  CHECK(taken(v).winner.price == 40);
  CHECK(taken(v).repaid_after == 8);  // 40 seconds, of which a product saves 5
  CHECK(v.orders[2].repaid_after == 1.5);
  CHECK(order_products(v, taken(v), all.told[0].wanted) == 3);
  CHECK(!v.orders[0].tied);
  CHECK(!v.unsettled);
  all.told[2].found.noisy = {"other processes used 0.97 of a core"};
  CHECK(all.verdict_of_orders().unsettled);
}

TEST_CASE("the matrix as it is wins a tie, by medians, by samples and by the clock") {
  CHECK(raced_orders({{"", 0, csr_format, 0, 10.4, 0, 1000}, {"rcm", 1, csr_format, 0, 10, 0, 1000}})
            .verdict_of_orders()
            .taken == 0);
  CHECK(raced_orders({{"", 0, csr_format, 0, 11, 0, 1000}, {"rcm", 1, csr_format, 0, 10, 0, 1000}})
            .verdict_of_orders()
            .taken == 1);
  CHECK(raced_orders({{"", 0, csr_format, 0, 11, 0.1, 1000}, {"rcm", 1, csr_format, 0, 10, 0.1, 1000}})
            .verdict_of_orders()
            .taken == 0);
  raced_orders unclear({{"", 0, csr_format, 0, 11, 0, 1000}, {"rcm", 1, csr_format, 0, 10, 0, 1000}});
  unclear.told[1].found.clock_seconds = 2;  // whichever race it was seen in
  const order_verdict v = unclear.verdict_of_orders();
  CHECK(v.taken == 0);
  CHECK(v.fastest == 1);
  CHECK(v.orders[1].tied);
  CHECK(v.beside < 0);  // all are tied with it
}

TEST_CASE(
    "of tied orders the one that is repaid soonest is taken, and nobody is sent to what is never repaid") {
  raced_orders tied({{"", 0, csr_format, 0, 10, 0, 1000},
                     {"rcm", 30, csr_format, 0, 5.1, 0, 1000},
                     {"amd", 300, csr_format, 0, 5, 0, 1000}});
  const order_verdict v = tied.verdict_of_orders();
  CHECK(v.taken == 1);
  CHECK(v.fastest == 2);
  CHECK(v.orders[2].tied);
  objective few;
  few.prefer_bytes = true;
  CHECK(raced_orders({{"", 0, csr_format, 0, 10, 0, 1000},
                      {"rcm", 30, csr_format, 0, 5.1, 0, 1000},
                      {"amd", 300, dia_format, 0, 5, 0, 700}},
                     few)
            .verdict_of_orders()
            .taken == 2);
  const order_verdict slower =
      raced_orders({{"", 0, csr_format, 0, 10, 0, 1000}, {"rcm", 1, csr_format, 0, 20, 0, 1000}})
          .verdict_of_orders();
  CHECK(slower.taken == 0);
  CHECK(slower.orders[1].repaid_after < 0);
  CHECK(slower.beside == 1);  // the next one
  CHECK(slower.margin.ratio == 2);
}

TEST_CASE("of a number of products each pays its share of the order") {
  objective few;
  few.products = 4;
  const std::vector<raced> all = {{"", 0, csr_format, 0, 10, 0, 1000},
                                  {"rcm", 30, csr_format, 0, 5, 0, 1000}};
  const order_verdict v = raced_orders(all, few).verdict_of_orders();
  CHECK(v.orders[1].winner.seconds == 12.5);
  CHECK(v.taken == 0);
  few.products = 30;
  const order_verdict many = raced_orders(all, few).verdict_of_orders();
  CHECK(many.taken == 1);
  CHECK(many.orders[1].repaid_after == 6);  // as many as where nothing is shared
}

TEST_CASE("where nothing ran in an order, the others decide, and where nothing ran at all nothing is taken") {
  raced_orders one({{"", 0, csr_format, 0, 0, 0, 1000}, {"rcm", 30, csr_format, 0, 5, 0, 1000}});
  const order_verdict v = one.verdict_of_orders();
  CHECK(v.taken == 1);
  CHECK(v.beside < 0);
  CHECK(orders_as_text(v, {}).find("nothing ran as it is") != std::string::npos);
  raced_orders none({{"", 0, csr_format, 0, 0, 0, 1000}});
  const order_verdict nothing = none.verdict_of_orders();
  CHECK(nothing.taken < 0);
  CHECK(orders_as_text(nothing, {}).find("Nothing ran that could be taken") != std::string::npos);
  CHECK(orders_as_json(nothing, none.told, none.verdicts)["ran"] == false);
}

TEST_CASE("orders are told in words and as data") {
  raced_orders all({{"", 0, csr_format, 0, 10e-3, 0, 1000},
                    {"rcm", 30e-3, dia_format, 10e-3, 5e-3, 0, 800},
                    {"length", 3e-3, csr_format, 0, 20e-3, 0, 1000}});
  const order_verdict v = all.verdict_of_orders();
  const objective& wanted = all.told[0].wanted;
  CHECK(orders_in_words(v, wanted) ==
        "take order rcm, with a/kernel: a product takes 5.00 ms, 2.00 x as fast as the matrix as it is, with "
        "a/kernel");
  CHECK(
      order_price_in_words(v, wanted) ==
      "finding the order and applying it take 30.0 ms, as long as 3 products as it is; with converting that "
      "is repaid after 8 products, beside that");
  CHECK(ordered_vectors_in_words(v).find("rows and columns are then both in that order, and with them x") ==
        0);
  const std::string text = orders_as_text(v, wanted, 100);
  CHECK(text.find("* rcm") != std::string::npos);
  CHECK(text.find("never") != std::string::npos);
  const auto j = orders_as_json(v, all.told, all.verdicts);
  CHECK(j["schema"] == "sparsmith.orders/1");
  CHECK(j["taken"] == "rcm");
  CHECK(j["margin"] == 2.0);
  CHECK(j["comparison"][0]["order"].is_null());
  CHECK(j["comparison"][1]["order_ms"] == 30.0);
  CHECK(j["comparison"][1]["columns_alike"] == true);
  CHECK(j["comparison"][2]["columns_alike"] == false);
  CHECK(j["comparison"][2]["repaid_after"].is_null());
  CHECK(j["orders"][1]["matrix"]["order"] == "rcm");
  CHECK(j["orders"][0]["matrix"]["order"].is_null());

  all.told[1].order = "length";
  CHECK(ordered_vectors_in_words(all.verdict_of_orders()).find("rows alone are then in that order") == 0);
}

TEST_CASE("what to do in an order puts the matrix into it first") {
  raced_orders all({{"", 0, csr_format, 0, 10, 0, 1000}, {"rcm", 30, csr_format, 0, 5, 0, 1000}});
  const order_verdict v = all.verdict_of_orders();
  const auto j = orders_as_json(v, all.told, all.verdicts);
  CHECK(j["orders"][0]["verdict"]["spconv"].is_null());
  CHECK(j["orders"][1]["verdict"]["spconv"].get<std::string>().find(
            "spconv a.mtx --reorder rcm --permutation a.rcm.order.txt --to csr") == 0);
  CHECK(j["orders"][1]["verdict"]["code"].get<std::string>().find("reorder(m, \"rcm\")") !=
        std::string::npos);
}
