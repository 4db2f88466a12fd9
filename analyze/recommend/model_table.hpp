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

// The speed of what it chose, as a share of the best's, in geometric mean, by operation (A x, A^T x, both)
// and regime (warm, cold).
struct model_figures {
  const char* backend;
  const char* machine;     // where it was measured
  double share[3][2];      // of matrices it was not fitted to
  double strangers[3][2];  // of matrices of whose family it was fitted to none
};
const std::vector<model_figures>& fitted_figures();

// A matrix that was measured: where it lies (model.hpp, place_of), and the share of what was chosen for it by
// a fit without its family.
struct fitted_case {
  const char* backend;
  matrix_place place;
  double share[3][2];
};
const std::vector<fitted_case>& fitted_cases();

}  // namespace sparsmith
