// What an advice was drawn from. Not installed.
#pragma once

#include <algorithm>

#include "analyze/recommend/orders.hpp"
#include "tools/library/recommend_as.hpp"

namespace sparsmith::library {

struct told_advice {
  told_matrix each;
  order_verdict comparison;
  bool in_orders = false;  // orders were asked for

  // What was told of the order that is taken; where nothing ran, of the matrix as it is.
  std::size_t taken() const { return static_cast<std::size_t>(std::max(comparison.taken, 0)); }
  const recommendation& of_taken() const { return each.orders[taken()]; }
  const verdict& verdict_of_taken() const { return each.verdicts[taken()]; }
};

}  // namespace sparsmith::library
