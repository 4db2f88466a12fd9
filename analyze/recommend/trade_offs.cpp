#include "analyze/recommend/trade_offs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sparsmith {

const char* name_of(role what) {
  switch (what) {
    case role::winner:
      return "winner";
    case role::tied:
      return "tied";
    case role::stay:
      return "stay";
    case role::vendor:
      return "vendor";
    default:
      return "other";
  }
}

role role_of(const verdict& v, const way& w) {
  if (v.winner && w.stored == v.winner.stored) return role::winner;
  if (w.stays_in_csr()) return role::stay;
  if (std::any_of(v.ties.begin(), v.ties.end(), [&](const way& tie) { return tie.stored == w.stored; }))
    return role::tied;
  return w.vendor() ? role::vendor : role::other;
}

std::string label_of(const way& w) {
  std::string text;
  for (const variant_result* const f : w.stored) text += (text.empty() ? "" : " + ") + f->label();
  return text;
}

std::vector<way> plain_ways(const recommendation& r) {
  objective plain = r.wanted;
  plain.products = 0;
  return ways_of(r.found, plain);
}

const way* staying_among(const std::vector<way>& ways) {
  const auto found = std::find_if(ways.begin(), ways.end(), [](const way& w) { return w.stays_in_csr(); });
  return found == ways.end() ? nullptr : &*found;
}

double total_seconds(const way& w, double products) {
  return w.price + products * w.seconds;
}

std::vector<reign> reigns_of(const std::vector<way>& ways) {
  std::vector<reign> all;
  const auto first = std::min_element(ways.begin(), ways.end(), [](const way& a, const way& b) {
    return std::pair(total_seconds(a, 1), a.seconds) < std::pair(total_seconds(b, 1), b.seconds);
  });
  if (first == ways.end()) return all;
  all.push_back({&*first, 1});
  while (true) {
    const way& now = *all.back().best;
    reign next{nullptr, 0};
    for (const way& w : ways) {
      if (w.seconds >= now.seconds) continue;
      const double from = (w.price - now.price) / (now.seconds - w.seconds);
      if (next.best == nullptr || from < next.from || (from == next.from && w.seconds < next.best->seconds))
        next = {&w, from};
    }
    if (next.best == nullptr) return all;
    all.push_back(next);
  }
}

std::vector<way> compared_ways(const verdict& v, const std::vector<way>& ways) {
  constexpr std::size_t at_most = 8;
  std::vector<way> chosen;
  const auto add = [&](const way& w) {
    if (chosen.size() < at_most && std::find(chosen.begin(), chosen.end(), w) == chosen.end())
      chosen.push_back(w);
  };
  const auto add_where = [&](auto&& suits) {
    for (const way& w : ways)
      if (suits(w)) add(w);
  };
  add_where([&](const way& w) { return role_of(v, w) == role::winner; });
  add_where([](const way& w) { return w.stays_in_csr(); });
  for (const reign& r : reigns_of(ways)) add(*r.best);
  add_where([&](const way& w) { return role_of(v, w) == role::tied; });
  add_where([](const way&) { return true; });
  return chosen;
}

std::vector<bytes_and_time> bytes_and_times_of(const recommendation& r, const verdict& v) {
  std::vector<bytes_and_time> all;
  for (const way& w : plain_ways(r)) all.push_back({w});
  if (v.vendor.two_copies.stored.size() > 1) {
    all.push_back({v.vendor.two_copies});
    all.back().taken.seconds = seconds_alone(v.vendor.two_copies, r.wanted);
  }
  std::stable_sort(all.begin(), all.end(), [](const bytes_and_time& a, const bytes_and_time& b) {
    return std::pair(a.taken.bytes, a.taken.seconds) < std::pair(b.taken.bytes, b.taken.seconds);
  });
  double least = std::numeric_limits<double>::infinity();
  for (bytes_and_time& p : all) {
    p.on_frontier = p.taken.seconds < least;
    least = std::min(least, p.taken.seconds);
  }
  return all;
}

}  // namespace sparsmith
