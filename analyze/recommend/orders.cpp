#include "analyze/recommend/orders.hpp"

#include <algorithm>

namespace sparsmith {

order_verdict order_verdict_of(const std::vector<recommendation>& told,
                               const std::vector<verdict>& verdicts) {
  order_verdict v;
  double clock_seconds = 0;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const recommendation& r = told[i];
    order_result& here = v.orders.emplace_back();
    here.order = r.order;
    here.order_seconds = r.order_seconds;
    here.winner = verdicts[i].winner;
    v.unsettled = v.unsettled || verdicts[i].unsettled;
    clock_seconds = std::max(clock_seconds, r.found.clock_seconds);
    v.predicted = v.predicted || r.found.predicted;
    if (!here.winner) continue;
    here.winner.price += r.order_seconds;
    if (r.wanted.products > 0)
      for (double* const figure : {&here.winner.seconds, &here.winner.low, &here.winner.high})
        *figure += r.order_seconds / r.wanted.products;
  }
  std::vector<way> all;
  for (const order_result& one : v.orders)
    if (one.winner) all.push_back(one.winner);
  if (all.empty()) return v;
  std::stable_sort(all.begin(), all.end(), [](const way& a, const way& b) { return a.seconds < b.seconds; });
  const auto place_of = [&](const way& w) {
    const auto same = [&](const order_result& one) { return one.winner && one.winner == w; };
    return static_cast<int>(std::find_if(v.orders.begin(), v.orders.end(), same) - v.orders.begin());
  };
  const objective& wanted = told.front().wanted;
  const way& stay = v.orders.front().winner;
  const std::vector<way> tied = tied_with(all.front(), all, clock_seconds);
  for (const way& w : tied) v.orders[static_cast<std::size_t>(place_of(w))].tied = true;
  v.fastest = place_of(all.front());
  v.taken = place_of(chosen_from(
      tied, stay, [&](const way& w) { return w == stay; }, v.predicted, wanted));
  for (order_result& one : v.orders)
    if (one.winner && stay) one.repaid_after = repaid_beside(one.winner, stay, wanted);
  if (v.taken > 0 && stay) v.beside = 0;
  if (v.taken == 0)
    for (const way& w : all)
      if (v.beside < 0 && !v.orders[static_cast<std::size_t>(place_of(w))].tied && !(w == stay))
        v.beside = place_of(w);
  if (v.beside >= 0)
    v.margin = margin_between(v.orders[static_cast<std::size_t>(v.beside)].winner,
                              v.orders[static_cast<std::size_t>(v.taken)].winner);
  return v;
}

}  // namespace sparsmith
