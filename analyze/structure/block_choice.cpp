#include "analyze/structure/block_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "convert/words.hpp"

namespace sparsmith {
namespace {

std::string reason_for(const block_choice& choice, std::int64_t entries, double max_fill) {
  const auto name = [](const block_candidate& c) {
    return fmt::format("{} x {}", c.shape.size.rows, c.shape.size.cols);
  };
  const auto over_csr = [&](const block_candidate& c) {
    return three_decimals(static_cast<double>(c.bytes) / static_cast<double>(choice.csr_bytes));
  };
  const block_candidate &best = choice.best(), &next = choice.candidates[1], &last = choice.candidates.back();
  const auto allowed = std::count_if(choice.candidates.begin(), choice.candidates.end(),
                                     [&](const block_candidate& c) { return c.fill <= max_fill; });
  const std::string shapes =
      allowed == std::ssize(choice.candidates)
          ? fmt::format("{} shapes", allowed)
          : fmt::format("{} shapes of at most {:g} slots per entry", allowed, max_fill);
  if (entries == 0) return "no block size pays: there are no entries";
  if (best.shape.size == block_size{1, 1})
    return fmt::format("no block size pays: the best, {}, takes {} x CSR at fill {}", name(next),
                       over_csr(next), three_decimals(next.fill));
  if (!choice.pays)
    return fmt::format("no block size pays: this one, the best of {}, takes {} x CSR at fill {}", shapes,
                       over_csr(best), three_decimals(best.fill));
  const double more = static_cast<double>(next.bytes - best.bytes) / static_cast<double>(best.bytes);
  return fmt::format("fill {}, {} x CSR, the least of {}; next {} with {} more, last {} at {} x CSR",
                     three_decimals(best.fill), over_csr(best), shapes, name(next),
                     more < 0.001 ? "less than 0.1 %" : rounded_percent(more), name(last), over_csr(last));
}

}  // namespace

block_choice choose_block(std::vector<block_candidate> candidates, std::int64_t entries,
                          std::int64_t csr_bytes, double max_fill) {
  // Without entries a larger block would win by its shorter array of offsets, and mean nothing.
  const auto preference = [&](const block_candidate& c) {
    return std::tuple(entries > 0 && c.fill > max_fill, entries == 0 ? 0 : c.bytes, c.shape.size.area(),
                      c.shape.size.rows);
  };
  std::sort(candidates.begin(), candidates.end(), [&](const block_candidate& a, const block_candidate& b) {
    return preference(a) < preference(b);
  });
  block_choice choice;
  choice.candidates = std::move(candidates);
  choice.csr_bytes = csr_bytes;
  choice.pays = entries > 0 && choice.best().bytes < csr_bytes;
  choice.reason = reason_for(choice, entries, max_fill);
  return choice;
}

}  // namespace sparsmith
