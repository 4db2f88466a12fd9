// What a product takes, expected from the structure of the matrix and from what the machine can do, without
// running it. A prediction is a sum of times that are each easy to state (reading the arrays once, gathering
// x, atomic additions, ...), multiplied by numbers that were fitted for every kernel. docs/recommend.md says
// how, and how well it does; docs/model/fit.py makes the numbers (model_table.cpp).
#pragma once

#include "analyze/recommend/results.hpp"
#include "analyze/recommend/verdict.hpp"
#include "analyze/structure/features.hpp"
#include "kernels/rates.hpp"

namespace sparsmith {

// What predictions know of a matrix.
struct model_matrix {
  struct side {
    std::int64_t count = 0;           // rows, or columns
    std::vector<size_count> lengths;  // of them
    double mean = 0, variation = 0;
    std::int64_t longest = 0;
  };
  side rows, cols;
  std::int64_t entries = 0;
  double below = 0, beside = 0;  // entries whose lower, and whose right neighbour is stored
  double x_lines = 0;            // lines of x that rows touch, each row for itself
  double thread_slots = 0;       // entries and idle lanes where 32 neighbours take a row each
  bool all_finite = true;        // its values
  int value_bytes = 8;

  model_matrix turned() const;  // A^T, as far as that is known
};
// `unsorted_slots`: those of SELL with slices of 32 rows in their order.
model_matrix model_matrix_of(const matrix_features& features, std::int64_t unsorted_slots, int value_bytes);

// What is known of the matrix that this price makes, as it is stored: A^T of it where that is asked for, and
// in CSC, which is the CSR of A^T.
matrix_outline outline_of(const model_matrix& matrix, const format_cost& cost, bool of_transpose);

// Why a kernel would not take what this price makes, as far as that is known without making it; empty where
// it would. The rule is the kernel's own (kernel_info::why_not_expected), with which it answers for the
// arrays too (why_not).
std::string why_not_expected(const kernel_info& kernel, operation op, const model_matrix& matrix,
                             const format_cost& cost, bool of_transpose);

// The kernel's own part of a product from this price's format; all 0 where it is not known.
kernel_work work_of(const std::string& backend, const kernel_info& kernel, operation op,
                    const model_matrix& matrix, const format_cost& cost, bool of_transpose);

// What a prediction is a sum of (results.hpp), in seconds.
model_terms terms_of(const machine_rates& rates, const std::string& backend, const kernel_info& kernel,
                     operation op, const model_matrix& matrix, const format_cost& cost, bool of_transpose,
                     bool warm);

// Zeros where nothing was fitted for this kernel. A kernel that the sum describes badly is expected to take
// longer than it will in the mean, so that it is not chosen by mistake.
prediction predict(const machine_rates& rates, const std::string& backend, const kernel_info& kernel,
                   operation op, const model_matrix& matrix, const format_cost& cost, bool of_transpose);
// To convert from CSR; 0 where nothing was fitted.
double predict_conversion(const machine_rates& rates, const std::string& backend, const model_matrix& matrix,
                          const format_cost& cost, bool of_transpose);

// How well the model's choice does on matrices it was not fitted to: its speed as a share of the best's.
struct model_record {
  double share = 0;      // geometric mean over all; 0 where there is no record for this backend
  double strangers = 0;  // the same where nothing of the matrix's family was fitted to
  std::string machine;   // where that was measured
  // Of the matrices most like this one, by a fit without their families.
  int near = 0;
  double near_median = 0, near_worst = 0;

  // Whether the choice can be taken without a race.
  bool sure() const { return near > 0 && near_median >= 0.95 && near_worst >= 0.85; }
};
model_record record_of(const std::string& backend, const model_matrix& matrix, const objective& wanted);

// Where a matrix lies among others: those near to each other are alike to a product.
using matrix_place = std::array<double, 9>;
matrix_place place_of(const model_matrix& matrix);

}  // namespace sparsmith
