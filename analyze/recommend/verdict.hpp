// What follows from the results of a race: the best way to compute a product, or both from one copy, what it
// costs beside the baseline and after how many products that is repaid; and how a format does over many
// matrices. Plain functions; choices point into the results they were made from.
#pragma once

#include <limits>
#include <map>

#include "analyze/recommend/results.hpp"

namespace sparsmith {

// A way to compute one product, or both from one copy. None where `format` is null.
struct choice {
  const variant_result* format = nullptr;
  std::vector<const contestant_result*> kernels;  // one an operation
  double seconds = 0, base_seconds = 0;           // of a product of each operation
  double price = 0;                               // seconds to convert and to prepare

  double ratio() const { return base_seconds / seconds; }
  // Products (or pairs) after which the price is paid back; negative: never.
  double repaid_after() const { return seconds < base_seconds ? price / (base_seconds - seconds) : -1; }
  // "csr/merge", or "csr/vector + csr/merge", with the format's note in brackets.
  std::string names() const;
};

// The fastest of ours for each of these operations, in one format.
choice best_in(const variant_result& f, const std::vector<operation>& operations);
// The format whose sum is least.
choice best_of(const matrix_result& m, const std::vector<operation>& operations);
// Whether it is the baseline itself, operation by operation.
bool is_base(const matrix_result& m, const choice& c);

// ---- what a user should take ----

// What the best is asked for. Weights are of A x and A^T x.
struct objective {
  std::array<double, 2> weights = {1, 1};
  double products = 0;      // that conversion and preparation are spread over; 0: they cost nothing
  bool warm = false;        // whether runs with warm caches decide, and not those with cold ones
  bool repeatable = false;  // only what gives the same bits every time
  std::int64_t memory = 0;  // bytes it may take, with what is prepared beside it; 0: any number

  bool asks_for(operation op) const { return weights[static_cast<std::size_t>(op)] > 0; }
  double weight(operation op) const {  // they add up to 1
    return weights[static_cast<std::size_t>(op)] / (weights[0] + weights[1]);
  }
};
// The same for one operation alone.
objective only(objective wanted, operation op);

// One stored matrix (or A and A^T, two of them) and a kernel for each operation that is asked for. Points
// into the results it was made from. None where `stored` is empty.
struct way {
  std::vector<const variant_result*> stored;
  std::array<const contestant_result*, 2> contestants = {};  // by operation; null where it is not asked for
  // Of one product, in the proportions asked for: the median, and the interval of the median. Predicted
  // where nothing was run. With objective::products, its share of the price is in it.
  double seconds = 0, low = 0, high = 0;
  double price = 0;        // seconds to convert and to prepare
  std::int64_t bytes = 0;  // of all copies, with what is prepared beside them

  explicit operator bool() const { return !stored.empty(); }
  const variant_result& variant() const { return *stored.front(); }
  // What the kernel of an operation runs on: of two copies the first is for A x, the second for A^T x.
  const variant_result& variant_of(operation op) const {
    return *stored[stored.size() > 1 ? static_cast<std::size_t>(op) : 0];
  }
  const contestant_result* contestant(operation op) const {
    return contestants[static_cast<std::size_t>(op)];
  }
  bool repeatable() const;
  bool vendor() const;        // whether all its kernels are the vendor's
  bool stays_in_csr() const;  // whether there is nothing to convert
  std::string names() const;  // "csr/vector", "csr/vector + csr/merge", "bsr/stream (5 x 5)"
  bool operator==(const way& other) const {
    return stored == other.stored && contestants == other.contestants;
  }
};

// What "the vendor" means wherever something is compared with it: the fastest of its kernels in all formats
// that were measured, and its CSR, which everybody has, only beside that. None where nothing of it ran.
struct vendor_ways {
  std::array<way, 2> product;  // one operation alone: the fastest there is, from a copy of A or of A^T
  way transposed_from_a;       // A^T x alone, the fastest from a copy of A; CSC is one of A^T, as CSR
  // Of what is wanted:
  way csr;         // from one copy in CSR
  way one_copy;    // from one copy in the format whose sum is least
  way two_copies;  // each product from the copy that is fastest for it (which may be one for both); none
                   // where only one product is wanted
};
vendor_ways vendor_of(const matrix_result& found, const objective& wanted);

// Within so much of the fastest nobody is called slower: labels would flip from run to run.
inline constexpr double tie_share = 0.05;

// What a comparison of two ways comes to: how many times as long the other takes, and the interval of that.
struct margin_of {
  double ratio = 0, low = 0, high = 0;
};

struct verdict {
  objective wanted;
  way winner;             // of all ways from one copy, the vendor's kernels among them
  way fastest;            // by the medians alone: the winner, or tied with it
  way runner_up;          // the fastest that is not tied with the winner; none where there is no other
  margin_of margin;       // the runner-up's (without one: nothing) over the winner
  std::vector<way> ties;  // all others that are not told apart from the fastest, the fastest first
  way stay;               // CSR as it is, with the best kernels it has
  way smallest;           // the best of those with the fewest bytes (within 2 %)
  vendor_ways vendor;
  std::array<way, 2> alone;  // the winner where only that operation is wanted; none where it was not run
  way other_regime;          // the fastest where the other regime (warm, cold) decides
  // Products after which the winner's price is repaid beside staying in CSR: of each operation alone and of
  // the mix; negative: never, 0: at once.
  std::array<double, 2> repaid_after_alone = {-1, -1};
  double repaid_after = -1;
  std::vector<std::string> reasons;  // the cause in numbers, a sentence each, the most telling first
};

// What is known about the matrix and the machine beside the race, to say why. 0: not known.
struct verdict_context {
  double copy_bytes = 0;  // a second that a copy moves
  double row_mean = 0, row_variation = 0;
  std::int64_t row_longest = 0;
};

// Without a winner where nothing ran at all.
verdict verdict_of(const matrix_result& found, const objective& wanted, const verdict_context& context = {});

// All ways from one copy in this objective, the best of each stored format, fastest first.
std::vector<way> ways_of(const matrix_result& found, const objective& wanted);
// The same with every kernel, and not only the best of each format.
std::vector<way> every_way_of(const matrix_result& found, const objective& wanted);
// How many times as long `slow` takes as `fast`.
margin_of margin_between(const way& slow, const way& fast);
// Products after which `taken` is ahead of `instead`, with what both cost before; negative: never.
double repaid_after(const way& taken, const way& instead);

// ---- beside the vendor ----

// How many times as fast ours is as the vendor's, by the headlines of one run; 0 where one of the two was not
// measured. Ours of one product may be from a copy of A^T as its may, that of the pair is from one copy of A.
struct vendor_ratios {
  double ax = 0, atx = 0;  // over its fastest for that product
  double atx_from_a = 0;   // both from a copy of A
  double pair_csr = 0, pair_one_copy = 0, pair_two_copies = 0;
};
struct vendor_comparison {
  const char* name;   // in documents
  const char* words;  // what of ours: what of the vendor's
  double vendor_ratios::*ratio;
};
inline constexpr std::array vendor_comparisons = {
    vendor_comparison{"ax", "A x: best format", &vendor_ratios::ax},
    vendor_comparison{"atx", "A^T x: best format", &vendor_ratios::atx},
    vendor_comparison{"atx_from_a", "A^T x: best, of A", &vendor_ratios::atx_from_a},
    vendor_comparison{"pair_csr", "both: CSR", &vendor_ratios::pair_csr},
    vendor_comparison{"pair_one_copy", "both: best format", &vendor_ratios::pair_one_copy},
    vendor_comparison{"pair_two_copies", "both: two copies", &vendor_ratios::pair_two_copies}};
// Of the best of ours, or of the best that one format has.
vendor_ratios over_vendor(const matrix_result& m);
vendor_ratios over_vendor(const matrix_result& m, const variant_result& f);
// A x, the best of ours in a format over the vendor's best in the same one, whatever the variant.
std::map<format_kind, double> over_vendor_in_format(const matrix_result& m);
// The medians of its kernels, once each.
double headline_of(const way& w);

// ---- many matrices ----

// How the best kernel of ours in one format does beside the base, over all matrices: geometric mean, worst
// case and how often it is ahead. A matrix it could not be measured on is one it is not ahead on.
struct overall {
  int measured = 0, ahead = 0;
  double logarithms = 0, worst = std::numeric_limits<double>::infinity();

  void add(double ratio);
  double mean() const;
};

// By format and note; A x, A^T x, both.
using format_ratios = std::map<std::string, std::array<overall, 3>>;
void add_ratios(const matrix_result& m, format_ratios& all);

// The same of what is compared with the vendor.
struct overall_vendor {
  std::array<overall, vendor_comparisons.size()> best;  // in the order of vendor_comparisons
  std::map<format_kind, overall> in_format;
};
void add_ratios(const matrix_result& m, overall_vendor& all);

}  // namespace sparsmith
