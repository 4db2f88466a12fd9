// How numbers spread, in five of them.
#pragma once

namespace sparsmith {

// A quartile is the smallest number that so many quarters do not exceed.
template <class Number>
struct five_numbers {
  Number least = 0, lower_quartile = 0, median = 0, upper_quartile = 0, most = 0;
};

}  // namespace sparsmith
