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
};
const std::vector<fitted_conversion>& fitted_conversions();

// Leave-one-out, by operation (A x, A^T x, both) and regime (warm, cold).
struct model_figures {
  const char* backend;
  const char* machine;  // where it was measured
  double share[3][2];
};
const std::vector<model_figures>& fitted_figures();

}  // namespace sparsmith
