#include "analyze/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sparsmith {
namespace {

constexpr std::int64_t index_bytes = 4;

// Slots of SELL: lengths sorted inside each window, then the longest of every slice.
template <class Offset>
std::int64_t sell_slots(array_view<const Offset> offsets, std::int64_t rows, sell_shape shape) {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(rows));
  const std::int64_t sigma = shape.sigma, slice = shape.slice;
  const std::int64_t windows = (rows + sigma - 1) / sigma, slices = (rows + slice - 1) / slice;
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t w = 0; w < windows; ++w) {
    const std::int64_t first = w * sigma, last = std::min(first + sigma, rows);
    for (std::int64_t r = first; r < last; ++r)
      lengths[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(offsets[r + 1] - offsets[r]);
    std::sort(lengths.begin() + first, lengths.begin() + last, std::greater<>());
  }
  std::int64_t total = 0;
#pragma omp parallel for reduction(+ : total)
  for (std::int64_t s = 0; s < slices; ++s)
    total += slice * std::int64_t{*std::max_element(lengths.begin() + s * slice,
                                                    lengths.begin() + std::min((s + 1) * slice, rows))};
  return total;
}

struct row_statistics {
  std::int64_t longest = 0;
  std::int64_t third_longest = 0;  // the largest width that at least a third of the rows fill
};

template <class Offset>
row_statistics summarize(array_view<const Offset> offsets, std::int64_t rows) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r) lengths[static_cast<std::size_t>(r)] = offsets[r + 1] - offsets[r];
  row_statistics result;
  if (rows == 0) return result;
  const auto third = lengths.begin() + (rows + 2) / 3 - 1;
  std::nth_element(lengths.begin(), third, lengths.end(), std::greater<>());
  result.third_longest = *third;
  result.longest = *std::max_element(lengths.begin(), lengths.end());
  return result;
}

}  // namespace

template <class Backend, class Offset>
std::vector<format_cost> plan_formats(Backend on, array_view<const Offset> offsets, std::int32_t cols,
                                      std::int64_t value_bytes, const conversion_options& options) {
  constexpr std::int64_t offset_bytes = sizeof(Offset);
  const std::int64_t rows = offsets.size() - 1, entries = offsets[rows];
  const std::int64_t pair = value_bytes + index_bytes;
  const row_statistics lengths = summarize(offsets, rows);
  const std::int64_t csr_bytes = entries * pair + (rows + 1) * offset_bytes;

  std::vector<format_cost> costs;
  const auto add = [&](const char* format, std::string parameters, std::int64_t bytes, std::int64_t slots,
                       std::int64_t peak_beside_csr) {
    const double fill = entries == 0 ? 1.0 : static_cast<double>(slots) / static_cast<double>(entries);
    costs.push_back({format, std::move(parameters), bytes, slots, fill, csr_bytes + peak_beside_csr,
                     fill <= options.max_fill || slots == entries});
  };

  const std::int64_t coo_bytes = entries * (pair + index_bytes);
  add("coo", "", coo_bytes, entries, coo_bytes);
  add("csr", "", csr_bytes, entries, csr_bytes);

  const std::int64_t csc_bytes = entries * pair + (std::int64_t{cols} + 1) * offset_bytes;
  const std::int64_t line_indices = entries * index_bytes;
  const std::int64_t sorted = entries * (8 + value_bytes);
  add("csc", "", csc_bytes, entries,
      line_indices +
          std::max(sort_peak_bytes(on, entries, value_bytes),
                   sorted + csc_bytes - entries * value_bytes));  // the sorted values become the result's

  const std::int64_t ell_slots = rows * lengths.longest;
  const std::int64_t ell_bytes = ell_slots * pair + rows * index_bytes;
  add("ell", fmt::format("width {}", lengths.longest), ell_bytes, ell_slots, ell_bytes);

  const std::int64_t slots = sell_slots(offsets, rows, options.sell);
  const std::int64_t slices = (rows + options.sell.slice - 1) / options.sell.slice;
  const std::int64_t sell_bytes = slots * pair + rows * 2 * index_bytes + (slices + 1) * offset_bytes;
  add("sell", fmt::format("slice {}, sigma {}", options.sell.slice, options.sell.sigma), sell_bytes, slots,
      std::max(sell_bytes, rows * 3 * index_bytes + sort_peak_bytes(on, rows, index_bytes)));

  const std::int64_t width = options.hyb_width < 0 ? lengths.third_longest : options.hyb_width;
  std::int64_t rest = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    rest += std::max<std::int64_t>(0, offsets[r + 1] - offsets[r] - width);
  const std::int64_t hyb_slots = rows * width + rest;
  const std::int64_t hyb_bytes = hyb_slots * pair + rows * index_bytes + rest * index_bytes;
  add("hyb", fmt::format("width {}, rest {}", width, rest), hyb_bytes, hyb_slots,
      hyb_bytes + (rows + 1) * offset_bytes);
  return costs;
}

template std::vector<format_cost> plan_formats(openmp, array_view<const std::int32_t>, std::int32_t,
                                               std::int64_t, const conversion_options&);
template std::vector<format_cost> plan_formats(openmp, array_view<const std::int64_t>, std::int32_t,
                                               std::int64_t, const conversion_options&);
template std::vector<format_cost> plan_formats(cuda, array_view<const std::int32_t>, std::int32_t,
                                               std::int64_t, const conversion_options&);
template std::vector<format_cost> plan_formats(cuda, array_view<const std::int64_t>, std::int32_t,
                                               std::int64_t, const conversion_options&);

}  // namespace sparsmith
