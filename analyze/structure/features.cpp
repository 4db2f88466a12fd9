#include "analyze/structure/features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "analyze/structure/block_choice.hpp"
#include "analyze/structure/value_features.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

// The longest rows, falling; of equal ones the first.
template <class Backend, class Pattern>
std::vector<long_line> longest_of(Backend on, const Pattern& matrix, const std::vector<size_count>& lengths,
                                  std::int64_t wanted) {
  // Rows of more than `shortest` entries are all among them, and the first few of those with as many.
  std::int64_t shortest = 0, longer = 0, rows = 0;
  for (auto l = lengths.rbegin(); l != lengths.rend() && l->size > 0 && rows < wanted; ++l) {
    shortest = l->size;
    longer = rows;
    rows += l->count;
  }
  if (shortest == 0) return {};
  std::vector<long_line> lines;
  for (const long_row& l : find_long_rows(on, matrix, shortest, wanted - longer))
    lines.push_back({l.row, l.length});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const long_line& a, const long_line& b) { return a.length > b.length; });
  return lines;
}

block_features features_of_blocks(block_size size, const std::vector<size_count>& blocks,
                                  std::int64_t entries) {
  block_features result{size};
  const std::int64_t places = size.area();
  for (const size_count& b : blocks) {
    result.blocks += b.count;
    result.density[static_cast<std::size_t>((b.size * 10 - 1) / places)] += b.count;
  }
  if (entries > 0)
    result.fill =
        static_cast<double>(result.blocks) * static_cast<double>(places) / static_cast<double>(entries);
  return result;
}

// The shape that BSR takes the fewest bytes in; blocks of one entry are none.
template <class Offset, class Value>
std::optional<block_size> best_block(const matrix_features& f, double max_fill) {
  if (f.entries == 0) return {};
  // Zeros are listed beside the blocks, so that they change no order.
  const block_choice choice =
      choose_block<Offset, Value>(f.block_shapes, f.rows, f.entries, /*zeros=*/0, max_fill);
  for (const block_candidate& candidate : choice.candidates)
    if (candidate.shape.size.area() > 1) return candidate.shape.size;
  return {};
}

std::vector<length_bin> with_cumulative(std::vector<length_bin> bins) {
  const double total = static_cast<double>(
      std::accumulate(bins.begin(), bins.end(), std::int64_t{0},
                      [](std::int64_t sum, const length_bin& b) { return sum + b.entries; }));
  std::int64_t sum = 0;
  for (length_bin& b : bins) {
    sum += b.entries;
    b.cumulative_entries = total == 0 ? 0 : static_cast<double>(sum) / total;
  }
  return bins;
}

// bin_of(length) names the bin of a length; the bins are there, with their bounds.
template <class BinOf>
std::vector<length_bin> filled(std::vector<length_bin> bins, const length_features& lengths, BinOf bin_of) {
  for (const size_count& c : lengths.distribution) {
    length_bin& bin = bins[static_cast<std::size_t>(bin_of(c.size))];
    bin.lines += c.count;
    bin.entries += c.count * c.size;
  }
  return with_cumulative(std::move(bins));
}

}  // namespace

length_features summarize_lengths(std::vector<size_count> distribution) {
  length_features f;
  f.distribution = std::move(distribution);
  std::int64_t entries = 0;
  for (const size_count& c : f.distribution) {
    f.lines += c.count;
    entries += c.count * c.size;
    if (c.size == 0) f.empty = c.count;
  }
  if (f.lines == 0) return f;
  const auto quantile = [&](std::int64_t quarters) {
    std::int64_t before = 0;
    for (const size_count& c : f.distribution)
      if (4 * (before += c.count) >= quarters * f.lines) return c.size;
    return f.distribution.back().size;
  };
  f.lengths = {f.distribution.front().size, quantile(1), quantile(2), quantile(3),
               f.distribution.back().size};
  const auto lines = static_cast<double>(f.lines), total = static_cast<double>(entries);
  f.mean = total / lines;
  double squares = 0, weighted = 0, before = 0;
  for (const size_count& c : f.distribution) {
    const auto length = static_cast<double>(c.size), count = static_cast<double>(c.count);
    squares += count * (length - f.mean) * (length - f.mean);
    // Ranks before + 1 .. before + count, sorted by rising length.
    weighted += length * count * (2 * before + count + 1) / 2;
    before += count;
  }
  f.deviation = std::sqrt(squares / lines);
  if (entries == 0) return f;
  f.variation = f.deviation / f.mean;
  f.gini = 2 * weighted / (lines * total) - (lines + 1) / lines;
  return f;
}

std::vector<length_bin> linear_bins(const length_features& lengths, int bins) {
  if (lengths.lines == 0) return {};
  const std::int64_t longest = lengths.lengths.most, width = groups_of(longest + 1, std::max(1, bins));
  std::vector<length_bin> all(static_cast<std::size_t>(groups_of(longest + 1, width)));
  for (std::size_t b = 0; b < all.size(); ++b) {
    all[b].first = static_cast<std::int64_t>(b) * width;
    all[b].last = all[b].first + width - 1;
  }
  return filled(std::move(all), lengths, [&](std::int64_t length) { return length / width; });
}

std::vector<length_bin> log2_bins(const length_features& lengths) {
  if (lengths.lines == 0) return {};
  const auto bin_of = [](std::int64_t length) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(length)));
  };
  std::vector<length_bin> all(static_cast<std::size_t>(bin_of(lengths.lengths.most)) + 1);
  for (std::size_t b = 1; b < all.size(); ++b) {
    all[b].first = std::int64_t{1} << (b - 1);
    all[b].last = 2 * all[b].first - 1;
  }
  return filled(std::move(all), lengths, bin_of);
}

namespace {

// Of CSR, or of a hypersparse matrix.
template <class Backend, class Matrix>
matrix_features find_features(Backend on, const Matrix& matrix, const feature_request& request,
                              stage_log* log) {
  constexpr std::int64_t offset_bytes = sizeof(typename Matrix::offset_type);
  matrix_features f;
  f.rows = matrix.rows;
  f.cols = matrix.cols;
  f.entries = pattern_of(matrix).entries();
  plan_request plan = request.plan;
  plan.blocks.clear();
  std::vector<block_size> sizes = request.blocks;
  for (const block_size& size : request.blocks)
    if (size.rows <= 64 && size.cols <= 64) plan.blocks.push_back(size);
  {
    timed_stage timing(on, log, "block shapes", f.entries, f.entries * 4);
    f.block_shapes = count_block_shapes(on, pattern_of(matrix));
  }
  const auto best =
      best_block<typename Matrix::offset_type, typename Matrix::value_type>(f, plan.options.max_fill);
  if (best && std::find(plan.blocks.begin(), plan.blocks.end(), *best) == plan.blocks.end())
    plan.chosen_block = best;
  for (const block_size& size : sizes_to_price(plan)) sizes.push_back(size);
  price_facts facts;
  // What a GPU has done quickly and is waited for comes beside what takes it long.
  survey_taker take_survey = survey_entries(
      on, matrix, request.grid_rows, request.grid_cols, log, [&](const std::vector<size_count>& row_lengths) {
        {
          timed_stage timing(on, log, "longest rows", f.rows, f.rows * offset_bytes);
          f.longest_rows = longest_of(on, pattern_of(matrix), row_lengths, request.longest);
        }
        timed_stage timing(on, log, "row facts", f.rows, f.rows * offset_bytes);
        facts = find_row_facts(on, matrix, plan, row_lengths);
      });
  survey found;
  {
    timed_stage timing(on, log, "blocks", f.entries, f.entries * 4);
    facts.blocks = count_blocks_by_entries(on, pattern_of(matrix), sizes, [&] {
      found = take_survey();
      take_survey = nullptr;  // with the memory it has
    });
  }
  const entry_counts& counts = found.counts;
  f.explicit_zeros = counts.zeros;
  f.nans = counts.nans;
  f.infinities = counts.infinities;
  f.diagonal_entries = counts.diagonal;
  f.next_column = counts.next_column;
  f.row_below = counts.row_below;
  f.x_lines = counts.x_lines;
  if (f.rows == f.cols)
    f.symmetry = {f.entries - counts.diagonal, counts.mirrored, counts.mirrored_equal,
                  counts.mirrored_negated};
  f.lower_bandwidth = found.ends.lower;
  f.upper_bandwidth = found.ends.upper;
  f.profile = found.ends.profile;
  f.row_lengths = summarize_lengths(std::move(found.row_lengths));
  f.col_lengths = summarize_lengths(std::move(found.col_lengths));
  f.grid = {found.grid_rows, found.grid_cols, std::move(found.grid)};
  facts.zeros = counts.zeros;
  {
    timed_stage timing(on, log, "diagonals", f.entries, f.entries * 4);
    diagonal_counts diagonals = count_diagonals(on, pattern_of(matrix), request.fullest);
    f.fullest_diagonals = std::move(diagonals.fullest);
    f.diagonal_lengths = std::move(diagonals.lengths);
  }
  for (const size_count& d : f.diagonal_lengths) {
    f.diagonals += d.count;
    if (2 * d.size < f.rows) continue;
    f.full_diagonals += d.count;
    f.on_full_diagonals += d.count * d.size;
  }
  facts.diagonals = f.diagonal_lengths;
  for (const block_size& size : request.blocks)
    f.blocks.push_back(features_of_blocks(size, facts.blocks.at(size), f.entries));
  if (best) f.best_block = features_of_blocks(*best, facts.blocks.at(*best), f.entries);
  if (request.values || f.entries <= request.most_entries_for_graphs) {
    timed_stage timing(on, log, "values", f.entries, 0);
    add_value_features(on, matrix, request, f);
  }
  timed_stage timing(on, log, "prices", f.rows, 0);
  facts.has_half = f.has_half();
  f.formats = plan_formats(on, matrix, plan, facts);
  return f;
}

}  // namespace

template <class Backend, class Offset, class Value>
matrix_features features_of(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                            const feature_request& request, stage_log* log) {
  return find_features(on, matrix, request, log);
}
template <class Backend, class Offset, class Value>
matrix_features features_of(Backend on, const hypersparse<Offset, Value>& matrix,
                            const feature_request& request, stage_log* log) {
  return find_features(on, matrix, request, log);
}

#define SPARSMITH_INSTANTIATE_TYPES(B, O, V)                                                          \
  template matrix_features features_of(B, csr<O, V, view_on<B>>, const feature_request&, stage_log*); \
  template matrix_features features_of(B, const hypersparse<O, V>&, const feature_request&, stage_log*);
#define SPARSMITH_INSTANTIATE(B)                       \
  SPARSMITH_INSTANTIATE_TYPES(B, std::int32_t, float)  \
  SPARSMITH_INSTANTIATE_TYPES(B, std::int32_t, double) \
  SPARSMITH_INSTANTIATE_TYPES(B, std::int64_t, float)  \
  SPARSMITH_INSTANTIATE_TYPES(B, std::int64_t, double)

SPARSMITH_INSTANTIATE(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE(cuda)
#endif

}  // namespace sparsmith
