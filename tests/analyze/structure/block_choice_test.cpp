// The choice of a block for BSR: what it says is what the conversion takes, and no other shape takes less.
#include "analyze/structure/block_choice.hpp"

#include "analyze/structure/prices.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

// A candidate that counts nothing but bytes.
block_candidate candidate(std::int32_t rows, std::int32_t cols, std::int64_t bytes) {
  return {{{rows, cols}, 1}, 1, bytes};
}

bool says(const block_choice& choice, const std::string& words) {
  return choice.reason.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("the chosen block takes the bytes it claims, and no other takes fewer") {
  const openmp on;
  for (const auto& source : battery())
    for_each_type([&]<class Offset, class Value>() {
      INFO(source.name << ", offset " << sizeof(Offset) << ", value " << sizeof(Value));
      const auto m = coo_to_csr<openmp, Offset, Value>(on, as_coo_of<Value>(source), nullptr);
      const block_choice choice = choose_block(on, view(m), no_limit, nullptr);
      REQUIRE(choice.candidates.size() == 66);
      const block_candidate& best = choice.best();
      if (source.entries.empty()) {
        CHECK(best.shape.size.rows == 1);
        CHECK(best.shape.size.cols == 1);
        CHECK(says(choice, "no block size pays"));
      } else {
        for (const block_candidate& other : choice.candidates) CHECK(best.bytes <= other.bytes);
      }
      CHECK(choice.pays == (best.bytes < bytes(m) && !source.entries.empty()));
      CHECK(choice.pays != says(choice, "no block size pays"));
      for (const block_candidate* c : {&best, &choice.candidates[1], &choice.candidates.back()}) {
        const auto blocked = csr_to_bsr(on, view(m), c->shape.size, no_limit, nullptr);
        CHECK(bytes(blocked) == c->bytes);
        CHECK(blocked.col_indices.size() == c->shape.blocks);
      }
      plan_request request;
      request.chosen_block = best.shape.size;
      const auto plan = plan_formats<openmp, Offset, Value>(on, view(m), request);
      CHECK(plan[8].format == format_kind::bsr);
      CHECK(plan[8].options.bsr_block == best.shape.size);
      CHECK(plan[8].chosen_block);
      CHECK(plan[8].blocks == best.shape.blocks);
      CHECK(plan[8].bytes == best.bytes);
      CHECK(plan[8].fill == best.fill);
    });
}

TEST_CASE("a tie goes to the smaller area, then to fewer rows") {
  const auto choice = choose_block({candidate(4, 2, 50), candidate(4, 1, 50), candidate(1, 4, 50),
                                    candidate(2, 2, 50), candidate(1, 1, 60), candidate(8, 8, 49)},
                                   1, 60, no_limit);
  std::vector<std::pair<int, int>> order;
  for (const auto& c : choice.candidates) order.emplace_back(c.shape.size.rows, c.shape.size.cols);
  CHECK(order == std::vector<std::pair<int, int>>{{8, 8}, {1, 4}, {2, 2}, {4, 1}, {4, 2}, {1, 1}});
}

TEST_CASE("the reason for a block") {
  CHECK(choose_block({candidate(5, 5, 50), candidate(5, 1, 56), candidate(1, 1, 100)}, 1, 100, no_limit)
            .reason ==
        "fill 1.000, 0.500 x CSR, the least of 3 shapes; next 5 x 1 with 12.0 % more, last 1 x 1 at 1.000 x "
        "CSR");
  CHECK(says(choose_block({candidate(2, 2, 5000), candidate(2, 3, 5001)}, 1, 6000, no_limit),
             "less than 0.1 % more"));
  CHECK(choose_block({candidate(1, 1, 100), candidate(2, 1, 125)}, 1, 100, no_limit).reason ==
        "no block size pays: the best, 2 x 1, takes 1.250 x CSR at fill 1.000");
  // Stored zeros cost BSR more than CSR.
  CHECK(choose_block({candidate(1, 1, 120), candidate(2, 1, 110)}, 1, 100, no_limit).reason ==
        "no block size pays: this one, the best of 2 shapes, takes 1.100 x CSR at fill 1.000");
  CHECK(choose_block({candidate(1, 1, 120), candidate(2, 1, 110)}, 0, 100, no_limit).reason ==
        "no block size pays: there are no entries");
}

TEST_CASE("a block above the limit of fill is not chosen") {
  std::vector<block_candidate> candidates = {{{8, 8, 1}, 40, 10}, {{2, 1, 1}, 1.5, 30}, {{1, 1, 1}, 1, 20}};
  CHECK(choose_block(candidates, 5, 40, 3).best().shape.size.rows == 1);
  CHECK(choose_block(candidates, 5, 40, 50).best().shape.size.rows == 8);
  CHECK(choose_block(candidates, 5, 40, 40).best().shape.size.rows == 8);  // just as much
}
