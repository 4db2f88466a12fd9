// Which format a matrix should be in, found by running the kernels of this machine against each other.
#pragma once

#include "tools/library/matrix.hpp"

namespace sparsmith {

namespace library {
struct told_advice;
}

struct recommend_options {
  std::array<double, 2> mix = {1, 1};  // how many products with A, and with A^T, are wanted
  double products = 0;                 // that converting is spread over; 0: it costs nothing
  bool warm = false;                   // whether runs with warm caches decide, and not those with cold ones
  bool repeatable = false;             // only kernels that give the same bits every time
  std::int64_t memory = 0;             // bytes the matrix may take, with what is prepared beside it; 0: any
  bool prefer_bytes = false;           // of what is tied, the fewest bytes before what is there already
  // Where A equals A^T, A x alone is run and stands for both; whoever takes that advice calls multiply alone.
  bool use_symmetry = false;
  std::vector<std::string> formats = {}, kernels = {};  // only these; empty: all
  bool predict = false;                                 // run nothing: rank by a model of the machine
  bool exhaustive = false;                              // all kernels, and none but the hopeless leaves early
  double budget = 0;  // seconds, for each order; 0: by the number of entries
  // In these orders of its rows and columns too (reorder.hpp), or "all" that its shape allows.
  std::vector<std::string> orders = {};
  std::function<void(const std::string&)> progress = {};
  std::function<bool()> interrupted = {};  // asked now and then; true ends the race with what there is
};

// What came of it: plain data, and what makes the matrix it advises. Without a format where nothing ran.
struct advice {
  std::string format;
  conversion_options options;  // that make it
  format_parameters parameters;
  int offset_bits = 0;
  // Of rows and columns, of those that were asked for: what `convert` takes is then reorder(a, order).made.
  // Empty: as it is.
  std::string order;
  // Empty where that product is not wanted, and the second where use_symmetry found A to equal A^T.
  std::string kernel, kernel_transposed;
  bool symmetric = false;         // A equals A^T, and `kernel` computes A x for both
  bool unsettled = false;         // the machine was busy: another run may say something else
  std::vector<std::string> ties;  // what was not told apart from the fastest, by its kernels
  double seconds = 0;             // of a product, in the proportions of the mix
  double csr_seconds = 0;         // the same from CSR as it is, with its best kernels
  std::int64_t bytes = 0;         // of the matrix, and of what is prepared beside it
  double price = 0;               // seconds to convert and to prepare, and to put it in that order
  // Products, beside staying in CSR, or in another order beside the matrix as it is; 0: at once, negative:
  // never.
  double repaid_after = -1;
  std::vector<std::string> reasons;  // at most two causes, the larger first

  explicit operator bool() const { return !format.empty(); }
  // In the format and with the kernels advised: this matrix or another like it, in the order advised.
  matrix convert(const matrix& a) const;
  std::string text(int width = 80) const;  // what sprecommend prints
  std::string json() const;                // as its --json, described in docs/recommend.md

  std::shared_ptr<const library::told_advice> found;  // what text and json tell
};

// Runs on the device that holds the matrix, and finds out about the machine itself: once, then it is
// remembered in the user's cache folder.
advice recommend(const matrix& a, const recommend_options& options = {});

}  // namespace sparsmith
