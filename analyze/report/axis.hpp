// Which numbers stand along the axes of a picture, and where.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sparsmith {

// 0, multiples of a round step, and the end.
std::vector<std::int64_t> axis_ticks(std::int64_t extent, std::int64_t most);
// How many numbers as long as the last one fit side by side, with one and a half characters between them.
std::int64_t ticks_beside(std::int64_t extent, int length, int advance);
// Where along a picture of `length` a number of an axis is: where the cell that begins with it begins.
int along(std::int64_t number, std::int64_t extent, int length);

// Which of the numbers along an axis have room, where each takes [first, last): both ends before the others.
using label_span = std::pair<std::int64_t, std::int64_t>;
std::vector<bool> without_overlap(const std::vector<label_span>& spans);

}  // namespace sparsmith
