// What follows from the results of a race: the best way to compute a product, or both from one copy, each
// for itself or in one pass, after how many products it is repaid, and what ours is beside the vendor's; and
// the same over many matrices. Plain functions; ways point into the results they were made from.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "analyze/recommend/results.hpp"

namespace sparsmith {

// ---- what a user should take ----

// What the best is asked for. Weights are of A x and A^T x.
struct objective {
  std::array<double, 2> weights = {1, 1};
  // `both` or `normal`: the two products always come together, in one pass over A or one after the other,
  // whichever is faster. The weights are then 1 and 1.
  std::optional<operation> one_pass = {};
  vector_layout vectors = {};  // that are multiplied at once: a product is then of all of them
  double products = 0;         // that conversion and preparation are spread over; 0: they cost nothing
  bool warm = false;           // whether runs with warm caches decide, and not those with cold ones
  bool repeatable = false;     // only what gives the same bits every time
  std::int64_t memory = 0;     // bytes it may take, with what is prepared beside it; 0: any number
  bool prefer_bytes = false;   // of what is tied, the fewest bytes before what is there already

  bool asks_for(operation op) const {
    return is_plain(op) ? weights[static_cast<std::size_t>(op)] > 0 : one_pass == op;
  }
  bool asks_for_both() const { return asks_for(operation::multiply) && asks_for(operation::transposed); }
  // What an operation adds to the seconds of a way. Of products in some proportion they add up to 1: seconds
  // are those of one product. Of what comes together all of it counts: seconds are those of an application.
  double weight(operation op) const {
    if (one_pass) return asks_for(op) ? 1 : 0;
    return is_plain(op) ? weights[static_cast<std::size_t>(op)] / (weights[0] + weights[1]) : 0;
  }
  // What its seconds are of, and what is counted where a price is repaid.
  const char* unit() const { return one_pass ? "application" : "product"; }
};
// The same for one product alone.
objective only(objective wanted, operation op);

// One stored matrix (or A and A^T, two of them) and a kernel for each product that is asked for, or one that
// computes both in one pass. Points into the results it was made from. None where `stored` is empty.
struct way {
  std::vector<const variant_result*> stored;
  // By operation; null where it is not asked for, or is computed with another. Where A equals A^T, one for
  // A x stands for both products.
  std::array<const contestant_result*, all_operations.size()> contestants = {};
  // Of one product, in the proportions asked for, or of one application of what comes together: the median,
  // and the interval of the median. Predicted where nothing was run. With objective::products, its share of
  // the price is in it.
  double seconds = 0, low = 0, high = 0;
  double price = 0;                 // seconds to convert and to prepare
  std::int64_t bytes = 0;           // of all copies
  std::int64_t prepared_bytes = 0;  // that kernels keep beside them

  explicit operator bool() const { return !stored.empty(); }
  std::int64_t all_bytes() const { return bytes + prepared_bytes; }
  const variant_result& variant() const { return *stored.front(); }
  // What the kernel of an operation runs on: of two copies the first is for A x, the second for A^T x.
  const variant_result& variant_of(operation op) const {
    return *stored[stored.size() > 1 && op == operation::transposed ? 1 : 0];
  }
  const contestant_result* contestant(operation op) const {
    return contestants[static_cast<std::size_t>(op)];
  }
  bool in_one_pass() const {
    return contestant(operation::both) != nullptr || contestant(operation::normal) != nullptr;
  }
  bool repeatable() const;
  bool vendor() const;        // whether all its kernels are the vendor's
  bool stays_in_csr() const;  // whether there is nothing to convert
  // The one that computes an operation, as it was run: where A equals A^T there is none of A^T x.
  const contestant_result* run_for(operation op) const {
    for (const contestant_result* const k : contestants)
      if (k != nullptr && k->op == op) return k;
    return nullptr;
  }
  bool runs(const contestant_result& one) const {
    return std::find(contestants.begin(), contestants.end(), &one) != contestants.end();
  }
  // "csr/vector", "csr/vector + csr/hybrid", "bsr/stream (5 x 5)", "csr/omp in one pass"
  std::string names() const;
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
  way winner;   // of all ways from one copy, the vendor's kernels among them
  way fastest;  // by the medians alone: the winner, or tied with it
  // The fastest of the formats that are neither the winner's nor tied with it; none where there is no other.
  way runner_up;
  margin_of margin;       // the runner-up's (without one: nothing) over the winner
  std::vector<way> ties;  // all others that are not told apart from the fastest, the fastest first
  // Of what comes together, the fastest of the other kind: two products where the winner computes them in one
  // pass, and one pass where it does not. None where nothing of that kind could be taken.
  way other_kind;
  // Of the kernels of the ties, those that are not behind the winner's for their own operation either, or
  // where the winner has none for it, behind the best of the ties.
  std::vector<const contestant_result*> tied_contestants;
  bool unsettled = false;     // what was measured was disturbed: another run may say something else
  bool any_of_these = false;  // no format that was run is told apart from CSR
  way stay;                   // CSR as it is, with the best kernels it has
  way smallest;               // the best of those with the fewest bytes (within 2 %)
  vendor_ways vendor;
  // Of ours, A and A^T each in what is best for its product (which may be one copy for both); none where one
  // product is wanted alone or A equals A^T.
  way two_copies;
  std::array<way, 2> alone;  // the winner where only that operation is wanted; none where it was not run
  way other_regime;          // the fastest where the other regime (warm, cold) decides
  // Products after which the winner's price is repaid beside staying in CSR: of each operation alone and of
  // the mix; negative: never, 0: at once. Of what comes together, applications, and nothing alone.
  std::array<double, 2> repaid_after_alone = {-1, -1};
  double repaid_after = -1;
  std::vector<std::string> reasons;  // the causes in numbers, a phrase each: at most two (causes.hpp)
};

// Without a winner where nothing ran at all.
//
// Of ways that cannot be told apart from the fastest, what needs no conversion is taken; then what is repaid
// soonest beside staying in CSR, then the fewest bytes, then the simplest format. With `prefer_bytes` bytes
// come first. Otherwise, where CSR takes part, nothing is taken that is slower than it or is never repaid.
verdict verdict_of(const matrix_result& found, const objective& wanted);

// Those of `all` that are not told apart from the fastest: first those whose medians are as good as its own,
// then those that the samples do not tell apart. Nor are differences below `clock_seconds`.
std::vector<way> tied_with(const way& fastest, const std::vector<way>& all, double clock_seconds);
// Which of the tied to take: the rules of verdict_of, where `stay` is what is there already, and so is
// whatever `is_there` says. `stay` may be none.
way chosen_from(std::vector<way> tied, const way& stay, const std::function<bool(const way&)>& is_there,
                bool predicted, const objective& wanted);
// Products after which `taken` is repaid beside `stay`, whose seconds may both have a share of their price.
double repaid_beside(const way& taken, const way& stay, const objective& wanted);

// All ways from one copy in this objective, the best of each stored format, fastest first.
std::vector<way> ways_of(const matrix_result& found, const objective& wanted);
// The same with every kernel, and not only the best of each format.
std::vector<way> every_way_of(const matrix_result& found, const objective& wanted);
// How many times as long `slow` takes as `fast`.
margin_of margin_between(const way& slow, const way& fast);
// Products after which `taken` is ahead of `instead`, with what both cost before; negative: never. The
// seconds of both are those of products alone.
double repaid_after(const way& taken, const way& instead);
// The seconds of a product of a way in this objective, without the share of its price.
double seconds_alone(const way& w, const objective& wanted);

// Of every format that has one, in the order of the results, the fastest way with a kernel of ours in it.
std::vector<way> ours_by_format(const matrix_result& found, const objective& wanted);

// What a prediction would have taken where a race was held: its figures are those that were measured, unless
// one of its kernels was not.
struct predicted_choice {
  way taken;
  bool measured = false;
};
predicted_choice predicted_choice_of(const matrix_result& found, const objective& wanted);

// ---- beside the vendor ----

// The best of ours: the fastest of the ways whose kernels are all ours, by the runs that count, whatever it
// is stored in. None where nothing of ours was measured.
struct our_ways {
  std::array<way, 2> product;  // one operation alone, from a copy of A or of A^T; CSC is one of A^T, as CSR
  way transposed_from_a;       // A^T x alone, from a copy of A
  way pair;                    // both from one copy, in equal parts
};
our_ways ours_of(const matrix_result& found, bool warm);
// The same from one stored format alone.
our_ways ours_in(const matrix_result& found, const variant_result& f, bool warm);

// How many times as fast ours is as the vendor's, by the medians of one run; 0 where one of the two was not
// measured. Ours of one product may be from a copy of A^T as its may, that of the pair is from one copy.
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
// Of the best of ours, or of the best that one format has; by cold runs where there are any, or by warm ones.
vendor_ratios over_vendor(const matrix_result& m, bool warm = false);
vendor_ratios over_vendor(const matrix_result& m, const variant_result& f, bool warm = false);
// A x, the best of ours in a format over the vendor's best in the same one, whatever the variant.
std::map<format_kind, double> over_vendor_in_format(const matrix_result& m, bool warm = false);
// The medians of its kernels, once each.
double sum_of_medians(const way& w, bool warm = false);
// The same of the baseline, in the same rounds.
double base_beside(const way& w, bool warm = false);

// ---- many matrices ----

// How something does beside something else over all matrices: geometric mean, worst case and how often it is
// ahead. A matrix it could not be measured on is one it is not ahead on.
struct overall {
  int measured = 0, ahead = 0;
  double logarithms = 0, worst = std::numeric_limits<double>::infinity();

  void add(double ratio);
  double mean() const;
};

// The best of ours in a format, whatever the variant, beside the base: A x, A^T x, both.
using format_ratios = std::map<format_kind, std::array<overall, 3>>;
void add_ratios(const matrix_result& m, bool warm, format_ratios& all);

// What is compared with the vendor.
struct overall_vendor {
  std::array<overall, vendor_comparisons.size()> best;  // in the order of vendor_comparisons
  std::map<format_kind, overall> in_format;
};
void add_ratios(const matrix_result& m, bool warm, overall_vendor& all);

}  // namespace sparsmith
