// Causes of made-up differences: what is said, and when nothing is explained.
#include "analyze/recommend/causes.hpp"

#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

constexpr operation ax = operation::multiply;

std::size_t term(const char* name) {
  for (std::size_t i = 0; i < term_names.size(); ++i)
    if (std::string(term_names[i]) == name) return i;
  FAIL("no term is called " << name);
  return 0;
}

struct part {
  const char* term;
  double micro;
};

// Measured as long as its parts say, and `beyond` times as long.
contestant_result of_parts(const char* name, std::initializer_list<part> parts, double beyond = 1) {
  contestant_result k;
  k.info = {.name = name, .description = "", .source = ""};
  k.op = ax;
  for (const part& p : parts) {
    k.expected.cold_parts[term(p.term)] = p.micro * 1e-6;
    k.expected.cold += p.micro * 1e-6;
  }
  k.expected.warm = k.expected.cold;
  k.expected.warm_parts = k.expected.cold_parts;
  const double seconds = beyond * k.expected.cold;
  k.time.warm = k.time.cold = {seconds, seconds, seconds, 20};
  k.time.warm.low = k.time.warm.high = k.time.cold.low = k.time.cold.high = seconds;
  return k;
}

matrix_result beside_csr(const contestant_result& csr, const contestant_result& other) {
  matrix_result m;
  m.rows = m.cols = 1000;
  m.entries = 10000;
  m.variants.resize(2);
  m.variants[0].format = format_kind::csr;
  m.variants[0].contestants = {csr};
  m.variants[1].format = format_kind::sell;
  m.variants[1].convert_seconds = 1e-3;
  m.variants[1].contestants = {other};
  return m;
}

std::vector<std::string> causes(const contestant_result& csr, const contestant_result& other) {
  const matrix_result m = beside_csr(csr, other);
  return verdict_of(m, only({}, ax)).reasons;
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("the cause is the part that makes the difference, in numbers, two at most and the larger first") {
  contestant_result csr = of_parts("csr/a", {{"launches", 2}, {"arrays", 20}, {"idle", 30}, {"atomics", 50}});
  contestant_result sell = of_parts("sell/a", {{"launches", 2}, {"arrays", 15}, {"idle", 5}});
  csr.work = {1 << 20, 12345, 1, 7};
  sell.work = {1 << 19, 0, 1, 7};
  CHECK(causes(csr, sell) ==
        list{"it adds without atomics where csr/a makes 12,345 atomic additions a product",
             "fewer lanes idle beside long rows and padding: 5.00 us instead of csr/a's "
             "30.0 us"});
}

TEST_CASE("bytes are a cause where they are fewer, and moving more of them never is") {
  contestant_result csr = of_parts("csr/a", {{"arrays", 40}}), coo = of_parts("sell/a", {{"arrays", 20}});
  csr.work.bytes = 2 << 20;
  coo.work.bytes = 1 << 20;
  CHECK(causes(csr, coo) == list{"a product reads and writes 1.0 MiB where csr/a moves 2.0 MiB"});
  coo.work.bytes = 3 << 20;
  CHECK(causes(csr, coo) == list{"it reads its arrays faster: 20.0 us instead of csr/a's 40.0 us"});
}

TEST_CASE("every kind of cause has its words") {
  const contestant_result fast = of_parts("sell/a", {{"vectors", 10}});
  const auto only_cause = [&](const char* name, kernel_work work) {
    contestant_result slow = of_parts("csr/a", {{"vectors", 10}, {name, 90}});
    slow.work = work;
    const list told = causes(slow, fast);
    REQUIRE(told.size() == 1);
    return told[0];
  };
  CHECK(only_cause("misses", {}) ==
        "it waits less for x, which misses the cache: next to nothing instead of csr/a's 90.0 us");
  CHECK(only_cause("gathers", {}) == "its loop takes 0 ns an entry where csr/a's takes 9");
  CHECK(only_cause("chain", {0, 0, 0, 5000}) ==
        "no long row holds it up: csr/a walks 5,000 entries one after another, it at most 1");
  CHECK(only_cause("launches", {0, 0, 3, 0}) == "it starts 0 kernels a product where csr/a starts 3");
  CHECK(only_cause("contended", {}) ==
        "its additions wait less for each other: next to nothing instead of csr/a's 90.0 us");
}

TEST_CASE("a tenth of the difference is no cause, and a fifth is one") {
  const auto told = [](double saved_launches) {
    return causes(of_parts("csr/a", {{"idle", 100}, {"launches", 10 + saved_launches}}),
                  of_parts("sell/a", {{"idle", 10}, {"launches", 10}}))
        .size();
  };
  CHECK(told(10) == 1);  // of 100
  CHECK(told(30) == 2);  // of 120
}

TEST_CASE("the model explains a difference of up to twice as much as was measured") {
  const auto explained = [](double measured) {
    const list told =
        causes(of_parts("csr/a", {{"idle", 90}}), of_parts("sell/a", {{"idle", 30}}, measured / 30));
    return told.size() == 1 && told[0].starts_with("fewer lanes idle");
  };
  CHECK(explained(30));
  CHECK(explained(58));        // 32 of 60
  CHECK_FALSE(explained(70));  // 20 of 60
}

TEST_CASE("what the model does not see is not explained") {
  const contestant_result csr = of_parts("csr/a", {{"arrays", 40}});
  CHECK(causes(csr, of_parts("sell/a", {{"arrays", 39}}, 0.5)) ==
        list{"not explained: by the model it should take 39.0 us and csr/a 40.0 us"});
  contestant_result unknown = of_parts("sell/a", {{"arrays", 20}});
  unknown.expected = {};
  CHECK(causes(csr, unknown) == list{"not explained: the model does not know sell/a"});
  // Where CSR wins, it is compared with the next format.
  const list stays =
      causes(of_parts("csr/a", {{"arrays", 10}}), of_parts("sell/a", {{"arrays", 10}, {"idle", 20}}));
  REQUIRE(stays.size() == 1);
  CHECK(stays[0].starts_with("fewer lanes idle"));
}
