#include "analyze/recommend/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyze/structure/block_choice.hpp"
#include "convert/words.hpp"
#include "kernels/registry.hpp"

namespace sparsmith {
namespace {

// What is tried beside each format's first choice.
struct field_tuning {
  static constexpr sell_shape first_sell = {32, 1024};
  static constexpr sell_shape other_sells[] = {{32, 16384}, {16, 1024}, {64, 1024}};
  static constexpr std::int32_t first_beta = 32;
  static constexpr int blocks = 5;              // of BSR, those with the fewest bytes
  static constexpr double blocks_beyond = 1.3;  // and not more than this many times the fewest
  static constexpr block_size tiles[] = {{256, 256}, {512, 512}, {1024, 1024}, {512, 1024}, {1024, 512}};
  // The first is chosen from the matrix.
  static constexpr block_size tiles_of_half[] = {{0, 0}, {512, 512}, {1024, 512}};
};

template <class T, class Item>
bool contains(const std::vector<T>& all, const Item& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

template <class Backend, class Matrix>
class field_builder {
  using Offset = typename Matrix::offset_type;
  using Value = typename Matrix::value_type;
  static constexpr bool entries_alone = std::is_same_v<Matrix, hypersparse<Offset, Value>>;

 public:
  field_builder(Backend on, const Matrix& matrix, const matrix_features& features,
                const field_request& request)
      : on_(on), matrix_(matrix), features_(features), request_(request) {}

  std::vector<priced_variant> build() {
    // What is there comes first.
    std::vector<format_kind> formats = {format_kind::csr};
    for (const format_kind format : all_formats())
      if (format != format_kind::csr) formats.push_back(format);
    for (const format_kind format : formats) {
      if (!wanted(format) || is_left_to_askers(format)) continue;
      if (const auto forced = request_.forced.find(format); forced != request_.forced.end())
        add_forced(format, forced->second);
      else
        add_worth_trying(format);
    }
    add_copies_of_transpose();
    return std::move(all_);
  }

 private:
  void add_worth_trying(format_kind format) {
    switch (format) {
      case format_kind::sell:
        return add_sell();
      case format_kind::bsr:
        return add_bsr();
      case format_kind::csb:
      case format_kind::ecsb:
      case format_kind::gcsb:
        return add_blocked(format);
      case format_kind::gcsb_tile:
        return add_tile();
      case format_kind::csr_half:
      case format_kind::dia_half:
      case format_kind::bsr_half:
        return add_half(format);
      case format_kind::gcsb_tile_half:
        return add_tile_half();
      default:
        add(*priced(format));
    }
  }

  // As it was asked for. Each holding of eCSB has a kernel of its own, so all of them run unless one is asked
  // for.
  void add_forced(format_kind format, conversion_options options) {
    if (format == format_kind::ecsb && !options.blocks.holding) {
      for (const ecsb_holding holding : {ecsb_holding::coo, ecsb_holding::ell, ecsb_holding::hybrid}) {
        options.blocks.holding = holding;
        add_forced(format, options);
      }
      return;
    }
    require_options(options, format);
    const bool half = whole_of(format).has_value();
    add(price(format,
              {options, {options.bsr_block}, {}, {options.blocks.beta}, is_in_tiles(format), half, !half}));
  }

  // What is no candidate, and of which nothing is said, unless somebody asks for it: halves where there are
  // none, and on a CPU the half in tiles, which takes long to price and to convert there.
  bool is_left_to_askers(format_kind format) const {
    if (!request_.formats.empty() || !whole_of(format)) return false;
    if (features_.has_half() == false || entries_alone) return true;
    return format == format_kind::gcsb_tile_half && request_.backend == openmp::name &&
           request_.kernels.empty() && !request_.history;
  }

  bool wanted(format_kind format) const {
    // That there are no halves of complex values is said where one was asked for.
    const bool no_half = features_.complex_values && whole_of(format) && contains(request_.formats, format);
    return (request_.formats.empty() || contains(request_.formats, format)) &&
           (has_kernel(format) || no_half);
  }
  bool has_kernel(format_kind format, std::optional<ecsb_holding> holding = {}) const {
    return !kernels_for(format, holding).empty();
  }
  bool has_vendor(format_kind format) const {
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const listed_kernel& k) {
      return k.format == format && k.backend == request_.backend && k.info.vendor && is_named(k.info);
    });
  }
  // Whether a kernel is among those that were named, or none were.
  bool is_named(const kernel_info& info) const {
    return request_.kernels.empty() || contains(request_.kernels, info.name);
  }

  // The kernels that take part in a format, of eCSB as it is held; where there are none, neither does the
  // format. Those of history take part where all do, where they are named, and where a format was asked for
  // that no other takes.
  std::vector<std::string> kernels_for(format_kind format, std::optional<ecsb_holding> holding) const {
    const bool with_history = request_.history || !request_.kernels.empty();
    std::vector<std::string> all, usual;
    bool taken = false;
    for (const listed_kernel& k : kernels_) {
      if (k.format != format || k.backend != request_.backend || !is_named(k.info)) continue;
      all.emplace_back(k.info.name);
      if (k.info.history && !with_history) continue;
      usual.emplace_back(k.info.name);
      taken = taken || !holding || k.info.why_not_expected == nullptr ||
              k.info.why_not_expected({.holding = holding}, operation::multiply).empty();
    }
    if (taken) return usual;
    if (contains(request_.formats, format) || request_.forced.contains(format)) return all;
    return {};
  }

  double max_fill() const { return request_.max_fill.value_or(conversion_options{}.max_fill); }

  // What tells variants of a format apart.
  static std::string note_of(const format_cost& cost) {
    const conversion_options& options = cost.options;
    switch (whole_of(cost.format).value_or(cost.format)) {
      case format_kind::hyb:
        return fmt::format("width {}", cost.width);
      case format_kind::dia:
        return options.dia_share < 0    ? ""
               : options.dia_share == 0 ? "all diagonals"
                                        : fmt::format("share {}", options.dia_share);
      case format_kind::sell:
        return fmt::format("{} x {}", options.sell.slice, options.sell.sigma);
      case format_kind::bsr:
        return fmt::format("{} x {}", options.bsr_block.rows, options.bsr_block.cols);
      case format_kind::csb:
        return fmt::format("beta {}", cost.beta());
      case format_kind::ecsb:
        return fmt::format(
            "beta {}{}", cost.beta(),
            options.blocks.holding ? ", " + std::string(name_of(*options.blocks.holding)) : "");
      case format_kind::gcsb:
        return fmt::format("beta {}{}", cost.beta(),
                           options.blocks.group_size == block_options{}.group_size
                               ? ""
                               : fmt::format(", group {}", options.blocks.group_size));
      case format_kind::gcsb_tile:
        if (options.tile.height == 0) return {};  // chosen from the matrix, and it was not
        return fmt::format("{} x {}{}", options.tile.height, options.tile.width,
                           cost.renumbered ? ", renumbered" : "");
      default:
        return {};
    }
  }

  // The index of the new entry.
  int add(format_cost cost, int after = -1) {
    cost.options.max_fill = max_fill();
    cost.allowed = cost.possible() && cost.fill <= max_fill();
    priced_variant& one = all_.emplace_back();
    one.variant.format = cost.format;
    one.variant.note = note_of(cost);
    one.variant.conversion = cost.options;
    one.variant.kernels = kernels_for(cost.format, cost.options.blocks.holding);
    one.cost = cost;
    one.after = after;
    if (features_.entries == 0 && cost.format != format_kind::csr)
      one.left_out = "without entries there is nothing to be fast or slow with";
    else if (request_.symmetric && cost.format == format_kind::csc)
      one.left_out = "A equals A^T, so that it is CSR";
    else if (whole_of(cost.format).value_or(cost.format) == format_kind::dia && cost.possible() &&
             cost.blocks == 0)
      one.left_out = "no diagonal is worth storing, so that it is COO";
    else if (!cost.possible())
      one.left_out = cost.problem;
    else if (!cost.allowed)
      one.left_out = fmt::format("too padded: {} slots per entry, more than {}", three_figures(cost.fill),
                                 cost.options.max_fill);
    else if (request_.memory > 0 && cost.bytes > request_.memory)
      one.left_out = fmt::format("takes {}, more than the {} it may", format_bytes(cost.bytes),
                                 format_bytes(request_.memory));
    return static_cast<int>(all_.size()) - 1;
  }

  const format_cost* priced(format_kind format) const {
    for (const format_cost& cost : features_.formats)
      if (cost.format == format) return &cost;
    return nullptr;
  }

  // The price of one format with other options than the features were computed with.
  format_cost price(format_kind format, plan_request plan) const {
    plan.options.max_fill = max_fill();
    if (whole_of(format) && features_.has_half() == false) return priceless_half(format, plan.options);
    if (request_.complex_bytes) plan.half = false;
    price_facts facts = find_row_facts(on_, matrix_, plan, features_.row_lengths.distribution);
    facts.zeros = features_.explicit_zeros;
    facts.diagonals = features_.diagonal_lengths;
    facts.has_half = features_.has_half();
    facts.blocks = count_blocks_by_entries(on_, pattern_of(matrix_), sizes_to_price(plan));
    auto costs = plan_formats(on_, matrix_, plan, facts);
    if (request_.complex_bytes) price_complex(costs, features_.entries, *request_.complex_bytes);
    for (const format_cost& cost : costs)
      if (cost.format == format) return cost;
    return priceless_half(format, plan.options);  // all others have a price
  }
  format_cost priceless_half(format_kind format, const conversion_options& options) const {
    format_cost none{format, options};
    none.problem = features_.complex_values ? "complex values are not stored as half of a matrix"
                   : features_.rows == features_.cols && features_.symmetry.off_diagonal == 0
                       ? "nothing is off the diagonal, so that half of the matrix is all of it"
                   : features_.has_half() != false && entries_alone
                       ? "halves of a matrix with so few entries for its size are not priced"
                       : "the matrix is neither symmetric nor skew-symmetric, bit for bit";
    none.fill = 0;
    return none;
  }

  void add_sell() {
    const auto add_shape = [&](sell_shape shape, int after) {
      plan_request plan{{}, {}, {}, {}, false, false};
      plan.options.sell = shape;
      return add(price(format_kind::sell, plan), after);
    };
    const int first = add_shape(field_tuning::first_sell, -1);
    // The vendor takes rows in their order only.
    add_shape({field_tuning::first_sell.slice, 1}, has_vendor(format_kind::sell) ? -1 : first);
    for (const sell_shape& shape : field_tuning::other_sells) add_shape(shape, first);
  }

  // By the bytes of all shapes, each step after the one before.
  void add_bsr() {
    const auto choose = [&]<class V>(V) {
      return choose_block<Offset, V>(features_.block_shapes, matrix_.rows, features_.entries,
                                     features_.explicit_zeros, max_fill());
    };
    const block_choice choice =
        request_.complex_bytes == sizeof(complex128) ? choose(complex128{}) : choose(Value{});
    int after = -1, count = 0;
    for (const block_candidate& c : choice.candidates) {
      if (c.shape.size.area() == 1) continue;  // CSR
      if (count++ == field_tuning::blocks ||
          (after >= 0 && static_cast<double>(c.bytes) >
                             field_tuning::blocks_beyond * static_cast<double>(choice.best().bytes)))
        break;
      format_cost cost;
      cost.format = format_kind::bsr;
      cost.options.bsr_block = c.shape.size;
      cost.bytes = c.bytes;
      cost.slots = c.shape.blocks * c.shape.size.area();
      cost.fill = c.fill;
      cost.blocks = c.shape.blocks;
      after = add(cost, after);
    }
  }

  // BSR in the blocks that take the fewest bytes.
  void add_half(format_kind format) {
    const format_cost* least = nullptr;
    for (const format_cost& known : features_.formats)
      if (known.format == format && (least == nullptr || known.bytes < least->bytes)) least = &known;
    if (least != nullptr) {
      add(*least);
      return;
    }
    plan_request plan{{}, {}, {}, {}, false, true, false};
    if (format == format_kind::bsr_half && features_.best_block) plan.blocks = {features_.best_block->size};
    add(price(format, plan));
  }

  void add_blocked(format_kind format) {
    const auto at_beta = [&](std::int32_t beta) -> const format_cost* {
      for (const format_cost& cost : features_.formats)
        if (cost.format == format && cost.beta() == beta) return &cost;
      return nullptr;
    };
    const format_cost* const root = at_beta(field_tuning::first_beta);
    if (root == nullptr) return;
    const auto has_kernel_of = [&](const format_cost& cost) {
      return has_kernel(format, cost.options.blocks.holding);
    };
    const int first = has_kernel_of(*root) ? add(*root) : -1;
    // Smaller and smaller, larger and larger.
    for (const bool smaller : {true, false})
      for (int after = first, beta = smaller ? 16 : 64; beta >= 8 && beta <= 256;
           beta = smaller ? beta / 2 : beta * 2)
        if (const format_cost* const cost = at_beta(beta); cost != nullptr && has_kernel_of(*cost))
          after = add(*cost, after);
    if (format == format_kind::ecsb) {
      for (const ecsb_holding holding : {ecsb_holding::coo, ecsb_holding::ell, ecsb_holding::hybrid}) {
        if (root->options.blocks.holding == holding || !has_kernel(format, holding)) continue;
        plan_request plan{{}, {}, {}, {field_tuning::first_beta}, false, false};
        plan.options.blocks.holding = holding;
        add(price(format, plan));  // each has a kernel of its own
      }
    } else if (format == format_kind::gcsb) {
      for (const std::int32_t group : {16, 64}) {
        plan_request plan{{}, {}, {}, {field_tuning::first_beta}, false, false};
        plan.options.blocks.group_size = group;
        add(price(format, plan), first);
      }
    }
  }

  void add_tile() {
    std::set<std::string> seen;
    const auto add_sides = [&](block_size sides, renumbering renumber, int after) {
      plan_request plan{{}, {}, {}, {}, true, false};
      plan.options.tile.height = sides.rows;
      plan.options.tile.width = sides.cols;
      plan.options.tile.renumber = renumber;
      const format_cost cost = price(format_kind::gcsb_tile, plan);
      return seen.insert(note_of(cost)).second ? add(cost, after) : -1;
    };
    const int first = add_sides({}, renumbering::automatic, -1);
    if (!all_.back().left_out.empty()) return;
    const format_cost root = all_.back().cost;
    for (const block_size& sides : field_tuning::tiles) add_sides(sides, root.options.tile.renumber, first);
    add_sides({root.options.tile.height, root.options.tile.width},
              root.renumbered ? renumbering::none : renumbering::length, first);
  }

  void add_tile_half() {
    std::set<std::string> seen;
    int first = -1;
    for (const block_size& sides : field_tuning::tiles_of_half) {
      plan_request plan{{}, {}, {}, {}, true, true, false};
      plan.options.tile.height = sides.rows;
      plan.options.tile.width = sides.cols;
      const format_cost cost = price(format_kind::gcsb_tile_half, plan);
      if (!seen.insert(note_of(cost)).second) continue;
      const int added = add(cost, first);
      if (!all_.back().left_out.empty()) return;
      if (first < 0) first = added;
    }
  }

  // What the vendor advises where A^T x is needed: a second copy, of A^T, in the fastest of its formats, and
  // ours beside it. CSC is one of them already, and COO is as good for A^T x as for A x. Ours that know their
  // rounding from the order of A's entries alone have no place there.
  void add_copies_of_transpose() {
    if (request_.symmetric || !request_.formats.empty() ||
        !contains(request_.operations, operation::transposed))
      return;
    const std::optional<format_cost> first_bsr = first_price_of_bsr();
    for (const format_kind format : {format_kind::coo, format_kind::sell, format_kind::bsr}) {
      const bool for_vendor = has_vendor(format);
      const bool for_ours = request_.our_copies && format != format_kind::coo && has_kernel(format);
      if (!for_vendor && !for_ours) continue;
      format_cost cost = *priced(format == format_kind::coo ? format : format_kind::csc);
      if (format == format_kind::sell) {
        // What it takes is not known before A^T is there: at least its entries.
        cost.format = format;
        cost.bytes = features_.entries *
                     (std::int64_t{sizeof(std::int32_t)} + request_.complex_bytes.value_or(sizeof(Value)));
        cost.exact = false;
        const auto forced = request_.forced.find(format);
        cost.options.sell = forced == request_.forced.end() ? field_tuning::first_sell : forced->second.sell;
        if (for_vendor) cost.options.sell.sigma = 1;  // the vendor takes rows in their order only
      } else if (format == format_kind::bsr) {
        if (!first_bsr || first_bsr->options.bsr_block.rows != first_bsr->options.bsr_block.cols) continue;
        // A^T has the blocks of A, and other rows of blocks.
        cost = *first_bsr;
        const std::int64_t side = cost.options.bsr_block.rows;
        cost.bytes +=
            (groups_of(matrix_.cols, side) - groups_of(matrix_.rows, side)) * std::int64_t{sizeof(Offset)};
      }
      add_copy(cost, request_.our_copies);
      // Ours are faster where rows of like lengths stand together.
      if (format == format_kind::sell && for_vendor && for_ours && !request_.forced.contains(format)) {
        cost.options.sell = field_tuning::first_sell;
        add_copy(cost, true);
      }
    }
  }
  void add_copy(const format_cost& cost, bool ours) {
    priced_variant& one = all_[static_cast<std::size_t>(add(cost))];
    one.variant.of_transpose = true;
    one.variant.operations = {operation::transposed};
    for (const listed_kernel& k : kernels_)
      if (k.backend == request_.backend && !k.info.vendor && (!ours || k.info.rounding_neighbours != 0))
        std::erase(one.variant.kernels, k.info.name);
  }
  // Of the one with the fewest bytes.
  std::optional<format_cost> first_price_of_bsr() const {
    for (const priced_variant& e : all_)
      if (e.variant.format == format_kind::bsr && e.left_out.empty()) return e.cost;
    return {};
  }

  Backend on_;
  const Matrix& matrix_;
  const matrix_features& features_;
  const field_request& request_;
  std::vector<listed_kernel> kernels_ = all_kernels(request_.complex_bytes.has_value());
  std::vector<priced_variant> all_;
};

}  // namespace

template <class Backend, class Matrix>
std::vector<priced_variant> field_of(Backend on, const Matrix& matrix, const matrix_features& features,
                                     const field_request& request) {
  return field_builder<Backend, Matrix>(on, matrix, features, request).build();
}

#define SPARSMITH_INSTANTIATE_FIELD(B, O, V)                                                             \
  template std::vector<priced_variant> field_of(B, const csr<O, V, view_on<B>>&, const matrix_features&, \
                                                const field_request&);                                   \
  template std::vector<priced_variant> field_of(B, const hypersparse<O, V>&, const matrix_features&,     \
                                                const field_request&);
#define SPARSMITH_INSTANTIATE_FIELDS(B)                \
  SPARSMITH_INSTANTIATE_FIELD(B, std::int32_t, float)  \
  SPARSMITH_INSTANTIATE_FIELD(B, std::int32_t, double) \
  SPARSMITH_INSTANTIATE_FIELD(B, std::int64_t, float)  \
  SPARSMITH_INSTANTIATE_FIELD(B, std::int64_t, double)

SPARSMITH_INSTANTIATE_FIELDS(openmp)
#if SPARSMITH_HAS_CUDA
SPARSMITH_INSTANTIATE_FIELDS(cuda)
#endif

}  // namespace sparsmith
