// The whole way from a matrix to what is told about it: features, variants, a prediction that orders them,
// the race, or the prediction alone.
#pragma once

#include <optional>

#include "analyze/recommend/field.hpp"
#include "analyze/recommend/recommendation.hpp"

namespace sparsmith {

struct recommend_request {
  field_request
      field;  // but for the backend, which is the machine's; of its operations those that are wanted
  objective wanted;
  // What the machine is and can do; without a backend it is found out (machine_cache.hpp).
  machine_description machine;
  machine_rates rates;
  std::vector<std::string> noisy_rates;  // what got in the way while they were measured
  bool predict = false;                  // run nothing; the machine may then be another one
  int top = 0;                  // only so many variants that are predicted first race, and CSR; 0: all
  bool exhaustive = false;      // all kernels take part, and none leaves but the hopeless
  bool as_general = false;      // A^T x is run even where A equals A^T
  int samples = 30;             // of everybody, where it is exhaustive
  bool warm_only = false;       // no runs with cold caches, where it is exhaustive
  std::optional<double> began;  // seconds_now() when the work on this matrix began: where nobody says, now
  double budget = 0;            // seconds from then on; 0: by the number of entries
  std::function<bool()> interrupted = {};
};

// The seconds a matrix of so many entries gets where nobody says how many.
double automatic_budget(const std::string& backend, std::int64_t entries);  // times vectors

template <class Backend, class Offset, class Value>
recommendation recommend(Backend on, csr<Offset, Value, view_on<Backend>> matrix,
                         const recommend_request& request, const progress_text& progress);

}  // namespace sparsmith
