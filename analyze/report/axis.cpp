#include "analyze/report/axis.hpp"

#include <algorithm>
#include <iterator>

#include "analyze/report/text.hpp"

namespace sparsmith {

std::vector<std::int64_t> axis_ticks(std::int64_t extent, std::int64_t most) {
  std::int64_t step = 1;
  for (int turn = 0; extent / step > most; ++turn) step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
  std::vector<std::int64_t> ticks;
  for (std::int64_t at = 0; at <= extent - (step + 1) / 2; at += step) ticks.push_back(at);
  ticks.push_back(extent);
  return ticks;
}

std::int64_t ticks_beside(std::int64_t extent, int length, int advance) {
  return std::clamp<std::int64_t>(2 * length / (advance * (2 * std::ssize(with_commas(extent)) + 3)), 1, 8);
}

int along(std::int64_t number, std::int64_t extent, int length) {
  return extent == 0 ? 0 : static_cast<int>(number * length / extent);
}

std::vector<bool> without_overlap(const std::vector<label_span>& spans) {
  std::vector<bool> kept(spans.size(), false);
  const auto keep_if_free = [&](std::size_t i) {
    for (std::size_t other = 0; other < spans.size(); ++other)
      if (kept[other] && spans[i].first < spans[other].second && spans[other].first < spans[i].second) return;
    kept[i] = true;
  };
  if (!spans.empty()) keep_if_free(spans.size() - 1);
  for (std::size_t i = 0; i + 1 < spans.size(); ++i) keep_if_free(i);
  return kept;
}

}  // namespace sparsmith
