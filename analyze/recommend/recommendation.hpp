// Everything that is told about one matrix, whatever it is told as: the reports are made from this alone.
#pragma once

#include "analyze/recommend/results.hpp"
#include "analyze/recommend/verdict.hpp"
#include "analyze/structure/features.hpp"
#include "kernels/rates.hpp"

namespace sparsmith {

struct recommendation {
  std::string name;  // of the matrix, as it was asked for
  machine_description machine;
  machine_rates rates;
  matrix_features features;
  objective wanted;
  bool exhaustive = false;                 // nobody left early
  double budget_seconds = 0, seconds = 0;  // granted, and taken, reading included
  // "reading", "features", "variants", "prediction", then those of the race: "conversion", "checks",
  // "heats", "final".
  std::vector<step_time> steps;
  matrix_result found;  // verdict_of(found, wanted) draws the conclusion
  // How well the model has done on matrices it was not fitted to, as a share of the best's speed: its record
  // for the wanted regime and operations. 0 where it has none for this backend.
  double model_record = 0;
  std::string model_machine;  // where that was measured
};

}  // namespace sparsmith
