// The fitted numbers; docs/model/fit.py writes model_table.cpp.
#pragma once

#include <vector>

#include "analyze/recommend/model.hpp"

namespace sparsmith {

struct fitted_kernel {
  const char* backend;
  const char* kernel;
  operation op;
  model_terms warm, cold;  // what each term is multiplied by
};
const std::vector<fitted_kernel>& fitted_kernels();

// Seconds of a conversion: of launches, of entries and of bytes read and written.
struct fitted_conversion {
  const char* backend;
  format_kind format;
  double launches, entries, bytes;
  double error;  // median of relative errors on matrices it was not fitted to
};
const std::vector<fitted_conversion>& fitted_conversions();

// The speed of what it chose, as a share of the best's, by what was asked for (A x, A^T x, the two in equal
// parts, both together, A^T (A x)) and regime (warm, cold); 0 where that was not measured.
using model_shares = double[5][2];

// In geometric mean.
struct model_figures {
  const char* backend;
  const char* machine;     // where it was measured
  model_shares share;      // of matrices it was not fitted to
  model_shares strangers;  // of matrices of whose family it was fitted to none
};
const std::vector<model_figures>& fitted_figures();

// A matrix that was measured: where it lies (model.hpp, place_of), and the share of what was chosen for it by
// a fit without its family.
struct fitted_case {
  const char* backend;
  matrix_place place;
  model_shares share;
};
const std::vector<fitted_case>& fitted_cases();

}  // namespace sparsmith
