// Everything that is told about one matrix, whatever it is told as: the reports are made from this alone.
#pragma once

#include "analyze/recommend/model.hpp"
#include "analyze/recommend/results.hpp"
#include "analyze/recommend/verdict.hpp"
#include "analyze/structure/features.hpp"
#include "kernels/rates.hpp"

namespace sparsmith {

struct recommendation {
  std::string name;         // of the matrix, as it was asked for
  bool can_be_read = true;  // by that name; not where it was made of arrays
  // Rows, or rows and columns, were put in this order before: "rcm", ... (reordering.hpp); empty: as it is.
  std::string order;
  double order_seconds = 0;  // that finding the order and applying it took
  machine_description machine;
  machine_rates rates;
  matrix_features features;
  objective wanted;
  bool exhaustive = false;                 // nobody left early but the hopeless
  double budget_seconds = 0, seconds = 0;  // granted, and taken, reading included
  // "reading", "features", "variants", "prediction", then those of the race: "conversion", "checks",
  // "heats", "final".
  std::vector<step_time> steps;
  matrix_result found;  // verdict_of(found, wanted) draws the conclusion
  model_record model;   // how well it has done, for the wanted regime and operations
  int top = 0;          // of the formats that the model puts first, so many took part beside CSR; 0: all
};

}  // namespace sparsmith
