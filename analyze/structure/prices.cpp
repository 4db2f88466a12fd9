#include "analyze/structure/prices.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "analyze/structure/block_choice.hpp"
#include "analyze/structure/block_statistics.hpp"
#include "convert/backend/own_memory.hpp"
#include "convert/backend/sort_entries.hpp"
#include "convert/error.hpp"
#include "convert/formats/checks.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {
namespace {

constexpr std::int64_t index_bytes = 4;
// Neither a slot nor a block takes more than 64 bytes, peaks included: up to so many, sizes fit 64 bits.
constexpr std::int64_t most_items = std::numeric_limits<std::int64_t>::max() / 64;
constexpr const char* too_many_slots = "more slots than any memory holds";

// The largest size that at least a third of them reach.
std::int64_t third_largest(const std::vector<size_count>& sizes) {
  std::int64_t all = 0, reached = 0;
  for (const size_count& s : sizes) all += s.count;
  for (auto s = sizes.rbegin(); s != sizes.rend(); ++s)
    if ((reached += s->count) >= (all + 2) / 3) return s->size;
  return 0;
}

std::int64_t largest(const std::vector<size_count>& sizes) {
  return sizes.empty() ? 0 : sizes.back().size;
}

// What lies beyond a width.
std::int64_t rest_beyond(const std::vector<size_count>& sizes, std::int64_t width) {
  std::int64_t rest = 0;
  for (const size_count& s : sizes) rest += std::max<std::int64_t>(0, s.size - width) * s.count;
  return rest;
}

struct ecsb_shape {
  ecsb_holding holding;
  std::int64_t width, rest;
};

ecsb_shape ecsb_shape_of(const std::vector<size_count>& lengths, std::int64_t block_rows,
                         std::int64_t entries, std::optional<ecsb_holding> wanted) {
  const std::int64_t longest = largest(lengths), third = third_largest(lengths);
  const ecsb_holding holding = wanted.value_or(
      choose_holding(entries, block_rows, longest, third, entries - rest_beyond(lengths, third)));
  const std::int64_t width = holding == ecsb_holding::coo   ? 0
                             : holding == ecsb_holding::ell ? longest
                                                            : third;
  return {holding, width, rest_beyond(lengths, width)};
}

// Blocks in falling order of their entries, in groups that are as long as their first one.
std::int64_t slots_in_groups(const std::vector<size_count>& blocks, std::int64_t group_size) {
  std::int64_t before = 0, slots = 0;
  for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) {
    const std::int64_t groups = groups_of(before + b->count, group_size) - groups_of(before, group_size);
    slots += groups * b->size * group_size;
    before += b->count;
  }
  return slots;
}

// Prices formats one after the other, all for the same matrix: of CSR, or hypersparse.
template <class Backend, class Matrix>
class pricer {
 public:
  using Offset = typename Matrix::offset_type;
  using Value = typename Matrix::value_type;

  pricer(Backend on, const Matrix& matrix, const conversion_options& options, const price_facts& facts)
      : pricer(on, matrix, options, facts, pattern_of(matrix).entries()) {}
  // Where only so many of them are stored, which the facts are about.
  pricer(Backend on, const Matrix& matrix, const conversion_options& options, const price_facts& facts,
         std::int64_t entries)
      : on_(on),
        matrix_(matrix),
        options_(options),
        facts_(facts),
        rows_(matrix.rows),
        entries_(entries),
        csr_bytes_(entries_ * pair + (rows_ + 1) * offset_bytes) {}

  void price_csr() { add(format_kind::csr, csr_bytes_, entries_, csr_bytes_); }

  void price_row_formats() {
    const std::int64_t longest = largest(facts_.row_lengths);
    const std::int64_t coo_bytes = entries_ * (pair + index_bytes);
    add(format_kind::coo, coo_bytes, entries_, coo_bytes);
    price_csr();

    const std::int64_t csc_bytes = entries_ * pair + (std::int64_t{matrix_.cols} + 1) * offset_bytes;
    // A GPU sorts the entries with the lines they come from, and the sorted values become the result's; a CPU
    // has a small number for every entry beside the result, and little more.
    const std::int64_t line_indices = entries_ * index_bytes, sorted = entries_ * (8 + value_bytes);
    const std::int64_t sorting = line_indices + std::max(sort_peak_bytes(on_, entries_, value_bytes),
                                                         sorted + csc_bytes - entries_ * value_bytes);
    add(format_kind::csc, csc_bytes, entries_,
        std::is_same_v<Backend, openmp> ? csc_bytes + entries_ * 2 : sorting);

    const std::int64_t ell_slots = rows_ * longest;
    const std::int64_t ell_bytes = ell_slots * pair + rows_ * index_bytes;
    if (ell_slots > most_items)
      add_problem(format_kind::ell, too_many_slots);
    else
      add(format_kind::ell, ell_bytes, ell_slots, ell_bytes).width = longest;

    const std::int64_t slots = facts_.sell_slots;
    const std::int64_t slices = groups_of(rows_, options_.sell.slice);
    const std::int64_t sell_bytes = slots * pair + rows_ * 2 * index_bytes + (slices + 1) * offset_bytes;
    if (slots > most_items)
      add_problem(format_kind::sell, too_many_slots);
    else
      add(format_kind::sell, sell_bytes, slots,
          std::max(sell_bytes, rows_ * 3 * index_bytes + sort_peak_bytes(on_, rows_, index_bytes)));

    const std::int64_t width =
        options_.hyb_width < 0 ? third_largest(facts_.row_lengths) : options_.hyb_width;
    if (rows_ * width > most_items) {
      add_problem(format_kind::hyb, too_many_slots).options.hyb_width = static_cast<std::int32_t>(width);
      return;
    }
    const std::int64_t rest = rest_beyond(facts_.row_lengths, width);
    const std::int64_t hyb_slots = rows_ * width + rest;
    const std::int64_t hyb_bytes = hyb_slots * pair + rows_ * index_bytes + rest * index_bytes;
    format_cost& hyb = add(format_kind::hyb, hyb_bytes, hyb_slots, hyb_bytes + (rows_ + 1) * offset_bytes);
    hyb.options.hyb_width = static_cast<std::int32_t>(width);
    hyb.width = width;
    hyb.rest = rest;
  }

  void price_dia() {
    const std::int64_t least = least_on_diagonal(options_.dia_share, rows_, value_bytes);
    std::int64_t diagonals = 0, rest = entries_;
    for (const size_count& d : facts_.diagonals) {
      if (d.size < least) continue;
      diagonals += d.count;
      rest -= d.count * d.size;
    }
    const auto in_diagonals = checked_product(diagonals, rows_);
    if (!in_diagonals || *in_diagonals > most_items) {
      add_problem(format_kind::dia, too_many_slots);
      return;
    }
    const bool any_zeros = facts_.zeros > 0 && diagonals > 0;
    const std::int64_t zeros = !any_zeros  ? 0
                               : rest == 0 ? facts_.zeros
                                           : count_zeros_on_diagonals(on_, matrix_, least);
    const std::int64_t slots = *in_diagonals + rest;
    const std::int64_t stored = diagonals * index_bytes + *in_diagonals * value_bytes;
    const std::int64_t rest_bytes = rest * (pair + index_bytes);
    // Every diagonal there could be has a number, and another while they are ranked. The lists have the row
    // and a position of every entry.
    const std::int64_t numbers =
        rows_ == 0 || matrix_.cols == 0 ? 0 : (rows_ + matrix_.cols - 1) * index_bytes;
    const std::int64_t listing = entries_ * index_bytes + (entries_ + 1) * 8;
    const std::int64_t listing_rest = rest == 0 ? 0 : listing + rest_bytes;
    const std::int64_t listing_zeros =
        !any_zeros
            ? 0
            : listing + rest_bytes + zeros * 8 +
                  (zeros == 0 ? 0 : zeros * 2 * index_bytes + sort_peak_bytes(on_, zeros, index_bytes));
    format_cost& dia = add(format_kind::dia, stored + rest_bytes + zeros * 8, slots,
                           std::max(2 * numbers, numbers + stored + std::max(listing_rest, listing_zeros)));
    dia.blocks = diagonals;
    dia.rest = rest;
  }

  void price_bsr(block_size block, bool chosen) {
    const std::int64_t blocks = count_of(block), zeros = facts_.zeros;
    const std::int64_t slots = blocks * block.area(), lines = groups_of(rows_, block.rows);
    const std::int64_t size = bsr_bytes<Offset, Value>(rows_, {block, blocks}, zeros);
    // Stored zeros are listed last: their ranks and rows for every entry, their slots, and a sort of those.
    const std::int64_t listing = zeros == 0 ? 0
                                            : (entries_ + 1) * 8 + entries_ * index_bytes + zeros * 8 +
                                                  sort_peak_bytes(on_, zeros, index_bytes);
    // Threads of a CPU hold a number for every block column while they fill the blocks; what they take before
    // that is less. Others count the blocks of every line first.
    const std::int64_t block_cols = groups_of(matrix_.cols, block.cols);
    const std::int64_t threads =
        std::is_same_v<Backend, openmp> ? threads_with_block_columns(block_cols, entries_) : 0;
    const std::int64_t numbers = threads * block_cols * index_bytes,
                       counting = threads > 0 ? 0 : (2 * lines + 1) * offset_bytes;
    format_cost& bsr =
        add(format_kind::bsr, size, slots, std::max(counting, size + std::max(listing, numbers - zeros * 8)));
    bsr.options.bsr_block = block;
    bsr.blocks = blocks;
    bsr.chosen_block = chosen;
  }

  void price_blocks(std::int32_t beta, const std::vector<size_count>& block_row_lengths) {
    block_options options = options_.blocks;
    options.beta = beta;
    // Where blocks have more positions than these offsets count, a conversion takes 64-bit ones.
    const std::int64_t lines = groups_of(rows_, beta), all = lines * groups_of(matrix_.cols, beta);
    const bool wide = all > std::numeric_limits<Offset>::max();
    const bool hopeless = options.thesis && all > most_items;
    if ((wide && (options.thesis || options.window > 0)) ||  // which would have to list them
        hopeless) {
      for (const format_kind format : {format_kind::csb, format_kind::ecsb, format_kind::gcsb}) {
        format_cost& cost =
            add_problem(format, hopeless ? "more blocks than any memory holds" : "needs 64-bit offsets");
        cost.options.blocks = options;
        cost.wide_offsets = wide && !hopeless;
      }
      return;
    }
    const std::int64_t offset_size = wide ? 8 : offset_bytes;
    const std::int64_t wider_csr = (rows_ + 1) * (offset_size - offset_bytes);
    const std::int64_t nonempty = count_of({beta, beta});
    if (options.index_bits == 0) options.index_bits = options.thesis || beta > 256 ? 32 : 16;
    const std::int64_t element = value_bytes + options.index_bits / 8;
    const auto add_blocked = [&](format_kind format, std::int64_t size, std::int64_t slots,
                                 std::int64_t peak) -> format_cost& {
      format_cost& cost = add(format, size, slots, peak + wider_csr);
      cost.options.blocks = options;
      cost.wide_offsets = wide;
      return cost;
    };

    // CSB: first the listing, then the entries in their blocks, unsorted and sorted side by side. The layout
    // of the thesis has an offset for every block, with entries or without.
    const std::int64_t all_offsets = options.thesis ? (all + 1) * offset_size : 0;
    const std::int64_t sparse_bytes = entries_ * element + (nonempty * 2 + 1) * offset_size;
    const std::int64_t csb_bytes = options.thesis ? entries_ * element + all_offsets : sparse_bytes;
    const std::int64_t listing = (lines + 1) * offset_size + nonempty * (offset_size + 4);
    const std::int64_t csb_peak = std::max(
        (2 * lines + 1) * offset_size, listing + (nonempty + 1) * offset_size + entries_ * (4 + value_bytes) +
                                           entries_ * element + all_offsets);
    add_blocked(format_kind::csb, csb_bytes, entries_, csb_peak).blocks = nonempty;

    // eCSB lists no empty blocks in any layout.
    const auto shape = ecsb_shape_of(block_row_lengths, lines, entries_, options.holding);
    const std::int64_t ecsb_slots = lines * shape.width + shape.rest;
    const std::int64_t ecsb_bytes = ecsb_slots * (element + offset_size) + (lines + 1) * offset_size;
    format_cost& ecsb =
        add_blocked(format_kind::ecsb, ecsb_bytes, ecsb_slots,
                    std::max(csb_peak - all_offsets, sparse_bytes + ecsb_bytes + (lines + 1) * offset_size));
    ecsb.options.blocks.holding = shape.holding;
    ecsb.width = shape.width;
    ecsb.rest = shape.rest;

    const std::int64_t blocks = options.thesis ? all : nonempty;
    const std::int64_t slots = options.window == 0
                                   ? slots_in_groups(facts_.blocks.at({beta, beta}), options.group_size)
                                   : summarize_blocks(block_entry_counts(on_, pattern_of(matrix_), beta), all,
                                                      options.group_size, options.window)
                                         .slots;
    const std::int64_t gcsb_bytes =
        slots * element + blocks * offset_size + (groups_of(blocks, options.group_size) + 1) * offset_size;
    const std::int64_t gcsb_peak =
        csb_bytes + std::max(blocks * 12 + sort_peak_bytes(on_, blocks, 4), blocks * 4 + gcsb_bytes);
    add_blocked(format_kind::gcsb, gcsb_bytes, slots, std::max(csb_peak, gcsb_peak)).blocks = blocks;
  }

  void refuse_tile(std::string problem) {
    add_problem(format_kind::gcsb_tile, std::move(problem)).exact = false;
  }
  // The steps are known only once they are laid out; the least there can be is known before.
  void price_tile() {
    tile_price price;
    try {
      price = price_tiles(on_, pattern_of(matrix_), options_.tile);
    } catch (const error& problem) {
      if (problem.category() != failure::resources) throw;
      refuse_tile(problem.what());
      return;
    }
    const std::int64_t lanes = options_.tile.group_size, slots = price.least_steps * lanes;
    const std::int64_t renumbering = price.renumbered ? (rows_ + matrix_.cols) * index_bytes : 0;
    const std::int64_t size = slots * (value_bytes + price.index_bits / 8) + price.tiles * 3 * index_bytes +
                              (price.tiles + 1) * offset_bytes + renumbering +
                              price.rest * (pair + index_bytes);
    const std::int64_t tiled = entries_ - price.rest, gathered = tiled * (4 + value_bytes);
    format_cost& cost = add(format_kind::gcsb_tile, size, slots + price.rest,
                            price.rest * (pair + index_bytes) + renumbering + gathered + tiled * 4 +
                                slots * (value_bytes + price.index_bits / 8));
    tile_options& options = cost.options.tile;
    options.height = price.height;
    options.width = price.width;
    options.index_bits = price.index_bits;
    options.renumber = price.renumbered ? renumbering::length : renumbering::none;
    cost.rest = price.rest;
    cost.blocks = price.tiles;
    cost.renumbered = price.renumbered;
    cost.exact = false;
  }

  std::vector<format_cost> costs;

 private:
  format_cost& add(format_kind format, std::int64_t size, std::int64_t slots, std::int64_t peak_beside_csr) {
    format_cost& cost = costs.emplace_back(format_cost{format, options_});
    cost.bytes = size;
    cost.slots = slots;
    cost.fill = slots == entries_ ? 1.0 : static_cast<double>(slots) / static_cast<double>(entries_);
    cost.peak_bytes = csr_bytes_ + peak_beside_csr;
    cost.allowed = cost.fill <= options_.max_fill;
    return cost;
  }
  format_cost& add_problem(format_kind format, std::string problem) {
    format_cost& cost = costs.emplace_back(format_cost{format, options_});
    cost.problem = std::move(problem);
    cost.fill = 0;
    cost.allowed = false;
    return cost;
  }

  std::int64_t count_of(block_size block) const {
    std::int64_t blocks = 0;
    for (const size_count& b : facts_.blocks.at(block)) blocks += b.count;
    return blocks;
  }

  static constexpr std::int64_t offset_bytes = sizeof(Offset), value_bytes = sizeof(Value);
  static constexpr std::int64_t pair = value_bytes + index_bytes;
  Backend on_;
  const Matrix& matrix_;
  const conversion_options& options_;
  const price_facts& facts_;
  std::int64_t rows_, entries_, csr_bytes_;
};

template <class Backend, class Matrix>
price_facts facts_of(Backend on, const Matrix& matrix, const plan_request& request) {
  const auto pattern = pattern_of(matrix);
  price_facts facts =
      find_row_facts(on, matrix, request, std::move(count_group_lengths(on, pattern, {1})[0]));
  facts.zeros = count_zeros(on, matrix);
  facts.diagonals = count_diagonals(on, pattern, 0).lengths;
  facts.blocks = count_blocks_by_entries(on, pattern, sizes_to_price(request));
  return facts;
}

template <class Backend, class Matrix>
std::vector<format_cost> price_all(Backend on, const Matrix& matrix, const plan_request& request,
                                   const price_facts& facts) {
  if (!request.whole) return {};
  pricer<Backend, Matrix> prices(on, matrix, request.options, facts);
  prices.price_row_formats();
  prices.price_dia();
  for (const block_size& block : request.blocks) prices.price_bsr(block, false);
  if (request.chosen_block) prices.price_bsr(*request.chosen_block, true);
  for (std::size_t b = 0; b < request.betas.size(); ++b)
    prices.price_blocks(request.betas[b], facts.block_row_lengths.at(b));
  if (request.tile) prices.price_tile();
  return std::move(prices.costs);
}

// Of a symmetric pattern: diagonals off the main one come in pairs of the same length.
std::vector<size_count> diagonals_of_upper(const std::vector<size_count>& all, std::int64_t on_main) {
  std::vector<size_count> upper;
  for (const size_count& d : all) {
    const std::int64_t main = on_main > 0 && d.size == on_main ? 1 : 0;
    upper.push_back({d.size, main + (d.count - main) / 2});
  }
  return upper;
}

// BSR's blocks in which half of a matrix is priced: the one that was chosen; square ones where that is not,
// since their counts follow from the whole matrix's.
std::vector<block_size> blocks_of_half(const plan_request& request) {
  const auto is_square = [](const block_size& block) { return block.rows == block.cols; };
  if (request.chosen_block && is_square(*request.chosen_block)) return {*request.chosen_block};
  std::vector<block_size> squares;
  std::copy_if(request.blocks.begin(), request.blocks.end(), std::back_inserter(squares), is_square);
  if (request.chosen_block && squares.empty()) return {*request.chosen_block};
  return request.chosen_block ? squares : request.blocks;
}

// What stores half of a matrix costs what its format does for the upper triangle alone. Most of that follows
// from the whole matrix; the triangle is made for zeros, for blocks that are not square, and for tiles.
template <class Backend, class Offset, class Value>
void add_halves(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix, const plan_request& request,
                const price_facts& facts, std::vector<format_cost>& costs) {
  if (!request.half || facts.has_half == false) return;
  if (!facts.has_half && find_symmetry(on, matrix, nullptr) == mirror_symmetry::none) return;
  const std::int64_t entries = matrix.values.size(), kept = count_upper(on, pattern_of(matrix)),
                     on_main = 2 * kept - entries;
  if (kept == entries) return;
  const std::vector<block_size> sizes = blocks_of_half(request);
  price_facts of_upper;
  of_upper.diagonals = diagonals_of_upper(facts.diagonals, on_main);
  std::vector<block_size> unpaired;
  for (const block_size& size : sizes) {
    if (size.rows != size.cols) {
      unpaired.push_back(size);
      continue;
    }
    std::int64_t blocks = on_main == matrix.rows ? groups_of(matrix.rows, size.rows)
                                                 : count_diagonal_blocks(on, pattern_of(matrix), size.rows);
    for (const size_count& b : facts.blocks.at(size)) blocks += b.count;
    of_upper.blocks[size] = {{1, blocks / 2}};
  }
  csr<Offset, Value, space_on<Backend>> upper;
  const bool made = facts.zeros > 0 || !unpaired.empty();
  if (made) {
    upper = csr_to_upper(on, matrix, nullptr);
    of_upper.blocks.merge(count_blocks_by_entries(on, pattern_of(view(upper)), unpaired));
    if (facts.zeros > 0) of_upper.zeros = count_zeros<Backend, Offset, Value>(on, view(upper));
  }
  const auto counted = facts.zeros > 0 ? view(upper) : matrix;
  conversion_options options = request.options;
  options.tile = options.tile.of_half();
  using of_half = pricer<Backend, csr<Offset, Value, view_on<Backend>>>;
  of_half prices(on, counted, options, of_upper, kept);
  prices.price_csr();
  prices.price_dia();
  for (const block_size& size : sizes) prices.price_bsr(size, request.chosen_block == size);
  if (request.tile) {
    try {
      if (!made) upper = csr_to_upper(on, matrix, nullptr);
      const auto shown = view(upper);
      of_half in_tiles(on, shown, options, of_upper, kept);
      in_tiles.price_tile();
      prices.costs.push_back(in_tiles.costs.front());
    } catch (const error& problem) {
      if (problem.category() != failure::resources) throw;
      prices.refuse_tile(problem.what());
    }
  }
  // The row of every entry while the triangle is taken, and then what its conversion holds.
  const std::int64_t triangle =
      kept * (index_bytes + std::int64_t{sizeof(Value)}) + (matrix.rows + std::int64_t{1}) * sizeof(Offset);
  for (format_cost& cost : prices.costs) {
    const std::int64_t converting = cost.format == format_kind::csr ? 0 : cost.peak_bytes;
    cost.format = *half_of(cost.format);
    cost.peak_bytes = bytes(matrix) + std::max(entries * index_bytes + triangle, converting);
    costs.push_back(std::move(cost));
  }
}

}  // namespace

std::vector<block_size> sizes_to_price(const plan_request& request) {
  std::vector<block_size> sizes = request.blocks;
  if (request.chosen_block) sizes.push_back(*request.chosen_block);
  for (const std::int32_t beta : request.betas) sizes.push_back({beta, beta});
  return sizes;
}

template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                      const plan_request& request) {
  return plan_formats(on, matrix, request, facts_of(on, matrix, request));
}
template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, const hypersparse<Offset, Value>& matrix,
                                      const plan_request& request) {
  return plan_formats(on, matrix, request, facts_of(on, matrix, request));
}

template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                      const plan_request& request, const price_facts& facts) {
  auto costs = price_all(on, matrix, request, facts);
  add_halves(on, matrix, request, facts, costs);
  return costs;
}
template <class Backend, class Offset, class Value>
std::vector<format_cost> plan_formats(Backend on, const hypersparse<Offset, Value>& matrix,
                                      const plan_request& request, const price_facts& facts) {
  return price_all(on, matrix, request, facts);
}

void price_complex(std::vector<format_cost>& costs, std::int64_t entries, std::int64_t value_bytes) {
  constexpr std::int64_t number_bytes = sizeof(double);
  std::int64_t csr_bytes = 0;
  for (const format_cost& cost : costs)
    if (cost.format == format_kind::csr) csr_bytes = cost.bytes + entries * (value_bytes - number_bytes);
  for (format_cost& cost : costs) {
    if (!cost.possible()) continue;
    cost.peak_bytes =
        std::max(cost.peak_bytes + entries * value_bytes, csr_bytes + cost.bytes + cost.slots * value_bytes);
    cost.bytes += cost.slots * (value_bytes - number_bytes);
  }
}

#define SPARSMITH_INSTANTIATE_PLAN(B, O, V)                                                         \
  template std::vector<format_cost> plan_formats(B, csr<O, V, view_on<B>>, const plan_request&);    \
  template std::vector<format_cost> plan_formats(B, csr<O, V, view_on<B>>, const plan_request&,     \
                                                 const price_facts&);                               \
  template std::vector<format_cost> plan_formats(B, const hypersparse<O, V>&, const plan_request&); \
  template std::vector<format_cost> plan_formats(B, const hypersparse<O, V>&, const plan_request&,  \
                                                 const price_facts&);
#define SPARSMITH_INSTANTIATE_PLANS(B)                \
  SPARSMITH_INSTANTIATE_PLAN(B, std::int32_t, float)  \
  SPARSMITH_INSTANTIATE_PLAN(B, std::int32_t, double) \
  SPARSMITH_INSTANTIATE_PLAN(B, std::int64_t, float)  \
  SPARSMITH_INSTANTIATE_PLAN(B, std::int64_t, double)

SPARSMITH_INSTANTIATE_PLANS(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE_PLANS(cuda)
#endif

}  // namespace sparsmith
