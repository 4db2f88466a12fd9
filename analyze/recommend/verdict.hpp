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
  const format_result* format = nullptr;
  std::vector<const kernel_result*> kernels;  // one an operation
  double seconds = 0, base_seconds = 0;       // of a product of each operation
  double price = 0;                           // seconds to convert and to prepare

  double ratio() const { return base_seconds / seconds; }
  // Products (or pairs) after which the price is paid back; negative: never.
  double repaid_after() const { return seconds < base_seconds ? price / (base_seconds - seconds) : -1; }
  // "csr/merge", or "csr/vector + csr/merge", with the format's note in brackets.
  std::string names() const;
};

// The fastest of ours for each of these operations, in one format.
choice best_in(const format_result& f, const std::vector<operation>& operations);
// The format whose sum is least.
choice best_of(const matrix_result& m, const std::vector<operation>& operations);
// The vendor's pair from two copies: A x from A, and A^T x from A^T stored beside it.
choice two_copies(const matrix_result& m);

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

}  // namespace sparsmith
