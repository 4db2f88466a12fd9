#include "analyze/recommend/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyze/structure/block_choice.hpp"
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
};

template <class Backend, class Offset, class Value>
class field_builder {
 public:
  field_builder(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix,
                const matrix_features& features, const field_request& request)
      : on_(on), matrix_(matrix), features_(features), request_(request) {}

  std::vector<priced_variant> build() {
    for (const format_kind format :
         {format_kind::csr, format_kind::coo, format_kind::csc, format_kind::ell, format_kind::hyb})
      if (wanted(format)) add(*priced(format), format == format_kind::hyb ? width_note(*priced(format)) : "");
    if (wanted(format_kind::sell)) add_sell();
    if (wanted(format_kind::bsr)) add_bsr();
    for (const format_kind format : {format_kind::csb, format_kind::ecsb, format_kind::gcsb})
      if (wanted(format)) add_blocked(format);
    if (wanted(format_kind::gcsb_tile)) add_tile();
    add_vendor_copies();
    return std::move(all_);
  }

 private:
  bool wanted(format_kind format) const {
    if (!request_.formats.empty() &&
        std::find(request_.formats.begin(), request_.formats.end(), format) == request_.formats.end())
      return false;
    return has_kernel(format, false);
  }
  // Whether any of the kernels asked for is of this format.
  bool has_kernel(format_kind format, bool vendor_only) const {
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const listed_kernel& k) {
      return k.format == format && k.backend == request_.backend && (k.info.vendor || !vendor_only) &&
             asked_for(k);
    });
  }
  bool asked_for(const listed_kernel& k) const {
    return request_.kernels.empty() ||
           std::find(request_.kernels.begin(), request_.kernels.end(), k.info.name) != request_.kernels.end();
  }

  static std::string width_note(const format_cost& cost) { return fmt::format("width {}", cost.width); }

  // The index of the new entry.
  int add(const format_cost& cost, std::string note, int after = -1) {
    priced_variant& one = all_.emplace_back();
    one.variant.format = cost.format;
    one.variant.note = std::move(note);
    one.variant.conversion = cost.options;
    one.variant.kernels = request_.kernels;
    one.cost = cost;
    one.after = after;
    if (features_.entries == 0 && cost.format != format_kind::csr)
      one.left_out = "without entries there is nothing to be fast or slow with";
    else if (!cost.possible())
      one.left_out = cost.problem;
    else if (!cost.allowed)
      one.left_out =
          fmt::format("too padded: {:.3g} slots per entry, more than {}", cost.fill, cost.options.max_fill);
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
  format_cost price(format_kind format, const plan_request& plan) const {
    price_facts facts = find_row_facts(on_, matrix_, plan, features_.row_lengths.distribution);
    facts.zeros = features_.explicit_zeros;
    facts.blocks = count_blocks_by_entries(on_, pattern_of(matrix_), sizes_to_price(plan));
    for (const format_cost& cost : plan_formats(on_, matrix_, plan, facts))
      if (cost.format == format) return cost;
    return {};
  }

  void add_sell() {
    const auto add_shape = [&](sell_shape shape, int after) {
      plan_request plan{{}, {}, {}, {}, false};
      plan.options.sell = shape;
      return add(price(format_kind::sell, plan), fmt::format("{} x {}", shape.slice, shape.sigma), after);
    };
    const int first = add_shape(field_tuning::first_sell, -1);
    // The vendor takes rows in their order only.
    add_shape({field_tuning::first_sell.slice, 1}, has_kernel(format_kind::sell, true) ? -1 : first);
    for (const sell_shape& shape : field_tuning::other_sells) add_shape(shape, first);
  }

  // By the bytes of all shapes, each step after the one before.
  void add_bsr() {
    const block_choice choice =
        choose_block<Backend, Offset, Value>(on_, matrix_, conversion_options{}.max_fill, nullptr);
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
      cost.allowed = c.fill <= cost.options.max_fill;
      after = add(cost, fmt::format("{} x {}", c.shape.size.rows, c.shape.size.cols), after);
    }
  }

  void add_blocked(format_kind format) {
    const auto at_beta = [&](std::int32_t beta) -> const format_cost* {
      for (const format_cost& cost : features_.formats)
        if (cost.format == format && cost.beta() == beta) return &cost;
      return nullptr;
    };
    const auto name = [&](const format_cost& cost) {
      std::string note = fmt::format("beta {}", cost.beta());
      if (format == format_kind::ecsb && cost.options.blocks.holding)
        note += fmt::format(", {}", name_of(*cost.options.blocks.holding));
      return note;
    };
    const format_cost* const root = at_beta(field_tuning::first_beta);
    if (root == nullptr) return;
    const int first = add(*root, name(*root));
    // Smaller and smaller, larger and larger.
    for (const bool smaller : {true, false})
      for (int after = first, beta = smaller ? 16 : 64; beta >= 8 && beta <= 256;
           beta = smaller ? beta / 2 : beta * 2)
        if (const format_cost* const cost = at_beta(beta)) after = add(*cost, name(*cost), after);
    if (format == format_kind::ecsb) {
      for (const ecsb_holding holding : {ecsb_holding::coo, ecsb_holding::ell, ecsb_holding::hybrid}) {
        if (root->options.blocks.holding == holding) continue;
        plan_request plan{{}, {}, {}, {field_tuning::first_beta}, false};
        plan.options.blocks.holding = holding;
        const format_cost cost = price(format, plan);
        add(cost, name(cost));  // each has a kernel of its own
      }
    } else if (format == format_kind::gcsb) {
      for (const std::int32_t group : {16, 64}) {
        plan_request plan{{}, {}, {}, {field_tuning::first_beta}, false};
        plan.options.blocks.group_size = group;
        add(price(format, plan), fmt::format("beta {}, group {}", field_tuning::first_beta, group), first);
      }
    }
  }

  void add_tile() {
    std::set<std::string> seen;
    const auto add_sides = [&](block_size sides, renumbering renumber, int after) {
      plan_request plan{{}, {}, {}, {}, true};
      plan.options.tile.height = sides.rows;
      plan.options.tile.width = sides.cols;
      plan.options.tile.renumber = renumber;
      const format_cost cost = price(format_kind::gcsb_tile, plan);
      const tile_options& tile = cost.options.tile;
      std::string note =
          fmt::format("{} x {}{}", tile.height, tile.width, cost.renumbered ? ", renumbered" : "");
      if (!seen.insert(note).second) return -1;
      return add(cost, std::move(note), after);
    };
    const int first = add_sides({}, renumbering::automatic, -1);
    if (!all_.back().left_out.empty()) return;
    const format_cost root = all_.back().cost;
    for (const block_size& sides : field_tuning::tiles) add_sides(sides, root.options.tile.renumber, first);
    add_sides({root.options.tile.height, root.options.tile.width},
              root.renumbered ? renumbering::none : renumbering::length, first);
  }

  // What the vendor advises where A^T x is needed: a second copy, of A^T, in the fastest of its formats. CSC
  // is one of them already.
  void add_vendor_copies() {
    if (!request_.formats.empty() || std::find(request_.operations.begin(), request_.operations.end(),
                                               operation::transposed) == request_.operations.end())
      return;
    const block_size block = first_block();
    for (const format_kind format : {format_kind::coo, format_kind::sell, format_kind::bsr}) {
      if (!has_kernel(format, true) || (format == format_kind::bsr && block.rows != block.cols)) continue;
      // What it takes is not known before A^T is there: at least as much as CSC.
      format_cost cost = *priced(format_kind::csc);
      cost.format = format;
      std::string note;
      if (format == format_kind::sell) {
        cost.options.sell = {field_tuning::first_sell.slice, 1};
        note = fmt::format("{} x 1", cost.options.sell.slice);
      } else if (format == format_kind::bsr) {
        cost.options.bsr_block = block;
        note = fmt::format("{} x {}", block.rows, block.cols);
      }
      priced_variant& one = all_[static_cast<std::size_t>(add(cost, std::move(note)))];
      one.variant.of_transpose = true;
      one.variant.operations = {operation::transposed};
      one.variant.kernels.clear();
      for (const listed_kernel& k : kernels_)
        if (k.format == format && k.backend == request_.backend && k.info.vendor && asked_for(k))
          one.variant.kernels.emplace_back(k.info.name);
    }
  }
  // Of BSR, the one with the fewest bytes; 0 x 1 where there is none.
  block_size first_block() const {
    for (const priced_variant& e : all_)
      if (e.variant.format == format_kind::bsr && e.left_out.empty()) return e.cost.options.bsr_block;
    return {0, 1};
  }

  Backend on_;
  csr<Offset, Value, view_on<Backend>> matrix_;
  const matrix_features& features_;
  const field_request& request_;
  std::vector<listed_kernel> kernels_ = all_kernels();
  std::vector<priced_variant> all_;
};

}  // namespace

template <class Backend, class Offset, class Value>
std::vector<priced_variant> field_of(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                                     const matrix_features& features, const field_request& request) {
  return field_builder<Backend, Offset, Value>(on, matrix, features, request).build();
}

#define SPARSMITH_INSTANTIATE_FIELD(B, O, V)                                                               \
  template std::vector<priced_variant> field_of<B, O, V>(B, csr<O, V, view_on<B>>, const matrix_features&, \
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
