#include "analyze/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analyze/block_choice.hpp"
#include "analyze/block_statistics.hpp"
#include "convert/backend/sort_entries.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

constexpr std::int64_t index_bytes = 4;

// Slots of SELL: lengths sorted inside each window, then the longest of every slice.
template <class Offset>
std::int64_t sell_slots(array_view<const Offset> offsets, std::int64_t rows, sell_shape shape) {
  array<std::int32_t, host> lengths(rows);  // not a vector: the size is checked against the memory at hand
  const std::int64_t sigma = shape.sigma, slice = shape.slice;
  const std::int64_t windows = groups_of(rows, sigma), slices = groups_of(rows, slice);
#pragma omp parallel for schedule(dynamic, 16)
  for (std::int64_t w = 0; w < windows; ++w) {
    const std::int64_t first = w * sigma, last = std::min(first + sigma, rows);
    for (std::int64_t r = first; r < last; ++r)
      lengths[r] = static_cast<std::int32_t>(offsets[r + 1] - offsets[r]);
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
  array<std::int32_t, host> lengths(rows);
  for (std::int64_t r = 0; r < rows; ++r) lengths[r] = static_cast<std::int32_t>(offsets[r + 1] - offsets[r]);
  row_statistics result;
  if (rows == 0) return result;
  std::int32_t* const third = lengths.begin() + (rows + 2) / 3 - 1;
  std::nth_element(lengths.begin(), third, lengths.end(), std::greater<>());
  result.third_longest = *third;
  result.longest = *std::max_element(lengths.begin(), lengths.end());
  return result;
}

// Entries per block row of beta rows.
template <class Offset>
std::vector<std::int64_t> block_row_lengths(array_view<const Offset> offsets, std::int64_t rows,
                                            std::int64_t beta) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t r = 0; r < rows; r += beta)
    lengths.push_back(offsets[std::min(r + beta, rows)] - offsets[r]);
  return lengths;
}

struct ecsb_shape {
  ecsb_holding holding;
  std::int64_t width, rest;
};

ecsb_shape ecsb_shape_of(std::vector<std::int64_t> lengths, std::int64_t entries,
                         std::optional<ecsb_holding> wanted) {
  const auto block_rows = static_cast<std::int64_t>(lengths.size());
  std::int64_t longest = 0, third = 0;
  if (block_rows > 0) {
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    longest = lengths.front();
    third = lengths[static_cast<std::size_t>((block_rows + 2) / 3 - 1)];
  }
  const auto in_front = [&](std::int64_t width) {
    std::int64_t total = 0;
    for (const std::int64_t length : lengths) total += std::min(length, width);
    return total;
  };
  const ecsb_holding holding =
      wanted.value_or(choose_holding(entries, block_rows, longest, third, in_front(third)));
  const std::int64_t width = holding == ecsb_holding::coo   ? 0
                             : holding == ecsb_holding::ell ? longest
                                                            : third;
  return {holding, width, entries - in_front(width)};
}

// Prices formats one after the other, all for the same matrix.
template <class Backend, class Offset, class Value>
class pricer {
 public:
  pricer(Backend on, const csr<Offset, Value, space_on<Backend>>& matrix, const conversion_options& options)
      : on_(on),
        matrix_(matrix),
        options_(options),
        row_offsets_(copy_to<host>(matrix.row_offsets, space_on<Backend>::where)),
        offsets_(row_offsets_),
        rows_(matrix.rows),
        entries_(matrix.values.size()),
        csr_bytes_(bytes(matrix)) {}

  void price_row_formats() {
    const row_statistics lengths = summarize(offsets_, rows_);
    const std::int64_t coo_bytes = entries_ * (pair + index_bytes);
    add("coo", "", coo_bytes, entries_, coo_bytes);
    add("csr", "", csr_bytes_, entries_, csr_bytes_);

    const std::int64_t csc_bytes = entries_ * pair + (std::int64_t{matrix_.cols} + 1) * offset_bytes;
    const std::int64_t line_indices = entries_ * index_bytes, sorted = entries_ * (8 + value_bytes);
    add("csc", "", csc_bytes, entries_,
        line_indices +
            std::max(sort_peak_bytes(on_, entries_, value_bytes),
                     sorted + csc_bytes - entries_ * value_bytes));  // the sorted values become the result's

    const std::int64_t ell_slots = rows_ * lengths.longest;
    const std::int64_t ell_bytes = ell_slots * pair + rows_ * index_bytes;
    add("ell", fmt::format("width {}", lengths.longest), ell_bytes, ell_slots, ell_bytes);

    const std::int64_t slots = sell_slots(offsets_, rows_, options_.sell);
    const std::int64_t slices = groups_of(rows_, options_.sell.slice);
    const std::int64_t sell_bytes = slots * pair + rows_ * 2 * index_bytes + (slices + 1) * offset_bytes;
    add("sell", fmt::format("slice {}, sigma {}", options_.sell.slice, options_.sell.sigma), sell_bytes,
        slots, std::max(sell_bytes, rows_ * 3 * index_bytes + sort_peak_bytes(on_, rows_, index_bytes)));

    const std::int64_t width = options_.hyb_width < 0 ? lengths.third_longest : options_.hyb_width;
    std::int64_t rest = 0;
    for (std::int64_t r = 0; r < rows_; ++r)
      rest += std::max<std::int64_t>(0, offsets_[r + 1] - offsets_[r] - width);
    const std::int64_t hyb_slots = rows_ * width + rest;
    const std::int64_t hyb_bytes = hyb_slots * pair + rows_ * index_bytes + rest * index_bytes;
    add("hyb", fmt::format("width {}, rest {}", width, rest), hyb_bytes, hyb_slots,
        hyb_bytes + (rows_ + 1) * offset_bytes);
  }

  void price_bsr(std::int32_t block_rows, std::int32_t block_cols, const char* note = "") {
    const std::int64_t blocks = count_nonempty_blocks(on_, view(matrix_), block_rows, block_cols);
    if (zeros_ < 0) zeros_ = count_zeros(on_, view(matrix_));
    const std::int64_t slots = blocks * block_rows * block_cols, lines = groups_of(rows_, block_rows);
    const std::int64_t size = bsr_bytes<Offset, Value>(rows_, {block_rows, block_cols, blocks}, zeros_);
    // Stored zeros are listed last: their ranks and rows for every entry, their slots, and a sort of those.
    const std::int64_t listing = zeros_ == 0 ? 0
                                             : (entries_ + 1) * 8 + entries_ * index_bytes + zeros_ * 8 +
                                                   sort_peak_bytes(on_, zeros_, index_bytes);
    add("bsr", fmt::format("{} x {}, {} blocks{}", block_rows, block_cols, blocks, note), size, slots,
        std::max((2 * lines + 1) * offset_bytes, size + listing));
  }

  void price_blocks(std::int32_t beta) {
    block_options options = options_.blocks;
    options.beta = beta;
    // A conversion would take 64-bit offsets by itself; prices with these offsets do not exist.
    if (groups_of(rows_, beta) * groups_of(matrix_.cols, beta) > std::numeric_limits<Offset>::max()) {
      for (const char* const format : {"csb", "ecsb", "gcsb"})
        costs.push_back({format, fmt::format("beta {}: needs --offsets 64", beta), 0, 0, 0, 0, false});
      return;
    }
    const array<std::int32_t, host> listed = block_entry_counts(on_, view(matrix_), beta);
    const std::int64_t nonempty = listed.size(), lines = groups_of(rows_, beta);
    const std::int64_t all = lines * groups_of(matrix_.cols, beta);
    const auto index_width = [&](bool thesis) -> std::int64_t {
      if (options.index_bits != 0) return options.index_bits / 8;
      return thesis || beta > 256 ? 4 : 2;
    };

    // CSB: first the listing, then the entries in their blocks, unsorted and sorted side by side.
    const auto csb_bytes = [&](bool thesis) {
      return entries_ * (value_bytes + index_width(thesis)) +
             (thesis ? (all + 1) * offset_bytes : (nonempty * 2 + 1) * offset_bytes);
    };
    const std::int64_t listing = (lines + 1) * offset_bytes + nonempty * (offset_bytes + 4);
    const auto csb_peak = [&](bool thesis) {
      return std::max(lines * offset_bytes + (lines + 1) * offset_bytes,
                      listing + (nonempty + 1) * offset_bytes + entries_ * (4 + value_bytes) +
                          entries_ * (value_bytes + index_width(thesis)) +
                          (thesis ? (all + 1) * offset_bytes : 0));
    };
    const std::string name = fmt::format("beta {}", beta);
    add("csb", fmt::format("{}, {} blocks", name, nonempty), csb_bytes(options.thesis), entries_,
        csb_peak(options.thesis));

    // eCSB lists no empty blocks in any layout.
    const auto lengths = block_row_lengths(offsets_, rows_, beta);
    const auto shape = ecsb_shape_of(lengths, entries_, options.holding);
    const std::int64_t ecsb_slots = lines * shape.width + shape.rest;
    const std::int64_t ecsb_bytes =
        ecsb_slots * (value_bytes + index_width(options.thesis) + offset_bytes) + (lines + 1) * offset_bytes;
    const std::int64_t sparse_bytes =
        entries_ * (value_bytes + index_width(options.thesis)) + (nonempty * 2 + 1) * offset_bytes;
    const std::int64_t sparse_peak =
        csb_peak(options.thesis) - (options.thesis ? (all + 1) * offset_bytes : 0);
    const char* const holdings[] = {"coo", "ell", "hybrid"};
    add("ecsb", fmt::format("{}, {}", name, holdings[static_cast<int>(shape.holding)]), ecsb_bytes,
        ecsb_slots, std::max(sparse_peak, sparse_bytes + ecsb_bytes + (lines + 1) * offset_bytes));

    const std::int64_t blocks = options.thesis ? all : nonempty;
    const std::int64_t slots = summarize_blocks(listed, all, options.group_size, options.window).slots;
    const std::int64_t gcsb_bytes = slots * (value_bytes + index_width(options.thesis)) +
                                    blocks * offset_bytes +
                                    (groups_of(blocks, options.group_size) + 1) * offset_bytes;
    add("gcsb", fmt::format("{}, group {}, {} blocks", name, options.group_size, blocks), gcsb_bytes, slots,
        std::max(csb_peak(options.thesis),
                 csb_bytes(options.thesis) +
                     std::max(blocks * 12 + sort_peak_bytes(on_, blocks, 4), blocks * 4 + gcsb_bytes)));
  }

  // The steps are known only once they are laid out; the least there can be is known before.
  void price_tile() {
    tile_price price;
    try {
      price = price_tiles(on_, view(matrix_), options_.tile);
    } catch (const error& problem) {
      if (problem.category() != failure::resources) throw;
      costs.push_back({"gcsb_tile", problem.what(), 0, 0, 0, 0, false, false});
      return;
    }
    const std::int64_t lanes = options_.tile.group_size, slots = price.least_steps * lanes;
    const std::int64_t renumbering = price.renumbered ? (rows_ + matrix_.cols) * index_bytes : 0;
    const std::int64_t size = slots * (value_bytes + price.index_bits / 8) + price.tiles * 3 * index_bytes +
                              (price.tiles + 1) * offset_bytes + renumbering +
                              price.rest * (pair + index_bytes);
    const std::int64_t tiled = entries_ - price.rest, gathered = tiled * (4 + value_bytes);
    add("gcsb_tile",
        fmt::format("{} x {}, {} lanes, {} tiles{}, at least", price.height, price.width, lanes, price.tiles,
                    price.renumbered ? ", renumbered" : ""),
        size, slots + price.rest,
        price.rest * (pair + index_bytes) + renumbering +
            std::max(2 * gathered, gathered + tiled * 4 + slots * (value_bytes + price.index_bits / 8)));
    costs.back().exact = false;
  }

  std::vector<format_cost> costs;

 private:
  void add(const char* format, std::string parameters, std::int64_t size, std::int64_t slots,
           std::int64_t peak_beside_csr) {
    const double fill = slots == entries_ ? 1.0 : static_cast<double>(slots) / static_cast<double>(entries_);
    costs.push_back({format, std::move(parameters), size, slots, fill, csr_bytes_ + peak_beside_csr,
                     fill <= options_.max_fill});
  }

  static constexpr std::int64_t offset_bytes = sizeof(Offset), value_bytes = sizeof(Value);
  static constexpr std::int64_t pair = value_bytes + index_bytes;
  Backend on_;
  const csr<Offset, Value, space_on<Backend>>& matrix_;
  const conversion_options& options_;
  array<Offset, host> row_offsets_;
  array_view<const Offset> offsets_;
  std::int64_t rows_, entries_, csr_bytes_, zeros_ = -1;
};

}  // namespace

template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, const csr<Offset, Value, space_on<Backend>>& matrix,
                                      const plan_request& request) {
  pricer<Backend, Offset, Value> prices(on, matrix, request.options);
  prices.price_row_formats();
  for (const auto& [rows, cols] : request.blocks) prices.price_bsr(rows, cols);
  if (request.chosen_block)
    prices.price_bsr(request.chosen_block->first, request.chosen_block->second, ", auto");
  for (const std::int32_t beta : request.betas) prices.price_blocks(beta);
  prices.price_tile();
  return std::move(prices.costs);
}

template std::vector<format_cost> plan_formats(openmp, const csr<std::int32_t, float, host>&,
                                               const plan_request&);
template std::vector<format_cost> plan_formats(openmp, const csr<std::int32_t, double, host>&,
                                               const plan_request&);
template std::vector<format_cost> plan_formats(openmp, const csr<std::int64_t, float, host>&,
                                               const plan_request&);
template std::vector<format_cost> plan_formats(openmp, const csr<std::int64_t, double, host>&,
                                               const plan_request&);
#if SPARSMITH_HAS_CUDA
template std::vector<format_cost> plan_formats(cuda, const csr<std::int32_t, float, device>&,
                                               const plan_request&);
template std::vector<format_cost> plan_formats(cuda, const csr<std::int32_t, double, device>&,
                                               const plan_request&);
template std::vector<format_cost> plan_formats(cuda, const csr<std::int64_t, float, device>&,
                                               const plan_request&);
template std::vector<format_cost> plan_formats(cuda, const csr<std::int64_t, double, device>&,
                                               const plan_request&);
#endif

}  // namespace sparsmith
