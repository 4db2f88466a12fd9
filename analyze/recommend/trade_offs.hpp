// What ways cost beside each other: which takes the least time in total for how many products, and which
// bytes buy which speed. Plain functions over the results of a race and its verdict.
#pragma once

#include <string>
#include <vector>

#include "analyze/recommend/recommendation.hpp"

namespace sparsmith {

// What a way or a contestant is to the verdict.
enum class role { winner, tied, stay, vendor, other };
const char* name_of(role what);  // "winner", "tied", "stay", "vendor", "other"
role role_of(const verdict& v, const way& w);

std::string label_of(const way& w);  // what it stores: "bsr 5 x 5", "csr + csr of A^T"

// Of what is tied with the winner, the best of each stored format but its own, the fastest first.
std::vector<way> tied_formats(const verdict& v);

// The best way of every stored format, where conversion costs nothing, fastest first.
std::vector<way> plain_ways(const recommendation& r);

// The one among them that stays in CSR; null where there is none.
const way* staying_among(const std::vector<way>& ways);

// To convert and prepare, and then so many products.
double total_seconds(const way& w, double products);

// One of the ways, and from how many products on it takes the least time in total.
struct reign {
  const way* best;
  double from;
};
// From one product on, in the order of the number of products; points into the ways.
std::vector<reign> reigns_of(const std::vector<way>& ways);

// Those worth comparing over the number of products: the winner, CSR, what takes the least for some number,
// what is tied with the winner, and the fastest of the others; of all these the first eight.
std::vector<way> compared_ways(const verdict& v, const std::vector<way>& ways);

struct bytes_and_time {
  way taken;
  bool on_frontier = false;  // nothing is both smaller and faster
};
// Everything that has bytes and a time, the smallest first: the plain ways, and two copies, ours and the
// vendor's.
std::vector<bytes_and_time> bytes_and_times_of(const recommendation& r, const verdict& v);

}  // namespace sparsmith
