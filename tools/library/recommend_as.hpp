// A recommendation with everything that can be asked for: what the tool takes of the face that its users do
// not.
#pragma once

#include "analyze/recommend/recommend.hpp"
#include "convert/reordering.hpp"
#include "tools/library/matrix.hpp"

namespace sparsmith::library {

// For the machine of the request, or where it names none for the one that the matrix is on.
recommendation recommend_as(const matrix& a, const recommend_request& request, const progress_text& progress);

// The orders that these names ask for, each of them once; "all" asks for those that the shape allows.
std::vector<reordering> orders_for(const std::vector<std::string>& names, std::int64_t rows,
                                   std::int64_t cols);
// The same for the matrix in another order. Each order has a budget of its own, which finding it takes
// nothing of.
recommendation recommend_in_order(const matrix& a, reordering how, recommend_request each,
                                  const progress_text& progress);

// Of one matrix: as it is, and then in each order that was asked for. The verdicts point into `orders`.
struct told_matrix {
  std::vector<recommendation> orders;
  std::vector<verdict> verdicts;

  void add(recommendation told) {
    verdicts.push_back(verdict_of(told.found, told.wanted));
    orders.push_back(std::move(told));
  }
};

}  // namespace sparsmith::library
