#include "analyze/report/highlights.hpp"

#include <algorithm>

#include "analyze/report/text.hpp"

namespace sparsmith {
namespace {

// The one with the fewest bytes of those that fit.
template <class Fits>
const format_cost* smallest_of(const matrix_features& f, Fits fits) {
  const format_cost* best = nullptr;
  for (const format_cost& cost : f.formats)
    if (cost.possible() && fits(cost) && (best == nullptr || cost.bytes < best->bytes)) best = &cost;
  return best;
}

}  // namespace

const format_cost* fewest_bytes(const matrix_features& f, format_kind format) {
  return smallest_of(f, [=](const format_cost& cost) { return cost.format == format; });
}

const format_cost* bsr_of(const matrix_features& f, block_size block) {
  return smallest_of(f, [=](const format_cost& cost) {
    return cost.format == format_kind::bsr && cost.options.bsr_block == block;
  });
}

const format_cost* blocked_of(const matrix_features& f, format_kind format, std::int32_t beta) {
  return smallest_of(f,
                     [=](const format_cost& cost) { return cost.format == format && cost.beta() == beta; });
}

const format_cost* smallest_format(const matrix_features& f) {
  return smallest_of(f, [](const format_cost& cost) { return cost.allowed && cost.exact; });
}

std::vector<std::int32_t> betas_of(const matrix_features& f) {
  std::vector<std::int32_t> betas;
  for (const format_cost& cost : f.formats)
    if (cost.beta() > 0) betas.push_back(cost.beta());
  std::sort(betas.begin(), betas.end());
  betas.erase(std::unique(betas.begin(), betas.end()), betas.end());
  return betas;
}

std::optional<double> over_csr(const matrix_features& f, const format_cost* cost) {
  const format_cost* const csr = fewest_bytes(f, format_kind::csr);
  if (cost == nullptr || csr == nullptr) return {};
  return share_of(cost->bytes, csr->bytes);
}

std::optional<double> mirrored_share(const matrix_features& f, std::int64_t mirrored) {
  if (f.rows != f.cols) return {};
  return f.symmetry.off_diagonal == 0 ? 1 : share_of(mirrored, f.symmetry.off_diagonal);
}

}  // namespace sparsmith
