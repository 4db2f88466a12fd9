// Which order of its rows and columns a matrix should be in, of those that it was raced in. The rules are
// those of one order (verdict.hpp), with the matrix as it is in place of CSR as it is.
#pragma once

#include <string>
#include <vector>

#include "analyze/recommend/recommendation.hpp"

namespace sparsmith {

// What a matrix takes in one order.
struct order_result {
  std::string order;         // empty: as it is
  way winner;                // in this order; finding the order and applying it are part of its price
  double order_seconds = 0;  // of that price
  bool tied = false;         // not told apart from the fastest
  // Products, or applications, after which its price is repaid beside the matrix as it is with its own
  // winner; 0: at once, negative: never.
  double repaid_after = -1;
};

struct order_verdict {
  std::vector<order_result> orders;  // as they were raced, the matrix as it is first
  // Places in `orders`; negative: none.
  int taken = -1, fastest = -1;
  // What the one that is taken is compared with: the matrix as it is, or where that is taken, the fastest
  // that is not tied with it.
  int beside = -1;
  margin_of margin;        // how many times as long that takes
  bool predicted = false;  // nothing was run
  bool unsettled = false;  // some of it was disturbed
};

// Of one matrix: the recommendation and the verdict for each order, the matrix as it is first. What it tells
// points into `told`, as the verdicts do.
order_verdict order_verdict_of(const std::vector<recommendation>& told, const std::vector<verdict>& verdicts);

}  // namespace sparsmith
