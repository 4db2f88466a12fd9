// Kernels of one matrix against each other: every one is checked, before it is timed and by what the timed
// runs leave, and they take turns over rounds that the baseline takes part in, so that what drifts over
// minutes drifts for all. It sees kernels tied to a matrix only, and knows neither the formats nor how they
// are made.
#pragma once

#include <map>
#include <memory>

#include "analyze/recommend/results.hpp"
#include "kernels/bound_kernels.hpp"
#include "kernels/reference.hpp"

namespace sparsmith {

// Called with what is being done, a line each time; may be empty.
using progress_text = std::function<void(const std::string&)>;

struct sampling_options {
  int samples = 30;                        // of every median, over all rounds
  bool warm_only = false;                  // no runs with cold caches
  double warm_up_seconds = 0.1;            // of every contestant before its first round
  std::function<bool()> interrupted = {};  // asked between samples: end with what there is
};

// A kernel that was found right and takes part. Its line is a contestant_result of the format it was entered
// for.
template <class Value>
struct contestant {
  kernel_info info;
  operation op = operation::multiply;
  prepared_kernel<Value> ready;
  std::size_t line = 0;
  std::vector<double> warm, cold;  // seconds of every sample, of all rounds
};

// Instantiated for both backends and both types of values.
template <class Backend, class Value>
class kernel_contest {
 public:
  using space = typename Backend::space;
  // What is right for x, with a bound for a kernel of so many rounding neighbours.
  using reference_function =
      std::function<reference_product(operation, const array<Value, host>& x, std::int32_t neighbours)>;

  // Kernels must be prepared on capturable(on).
  kernel_contest(Backend on, std::int64_t rows, std::int64_t cols, reference_function reference,
                 sampling_options sampling, progress_text progress);

  // The fastest of the vendor's is what everything else is measured against; where the vendor has none for
  // this matrix, the fastest of ours. Gives its name, or none where no kernel could run.
  std::string choose_baseline(const std::vector<bound_kernel<Value>>& all, operation op);

  // Measures all kernels that apply, and appends a line for each of them and each operation. What a
  // kernel lacks memory for is a line, not an end.
  void run(const std::vector<bound_kernel<Value>>& all, const std::vector<operation>& operations,
           variant_result& result);

  // The same step by step. A kernel is prepared and checked; its line is appended, and nothing is given
  // where it cannot run or is wrong.
  std::unique_ptr<contestant<Value>> enter(const bound_kernel<Value>& one, operation op,
                                           variant_result& result);
  // So many samples more, warm and cold, and what they left is checked. False where it lacked memory or was
  // wrong, which its line says; it is out then.
  bool sample(contestant<Value>& one, int samples, double warm_up_seconds, variant_result& result);
  // The same for the baselines; what there is of them goes into the result.
  void sample_baselines(int samples, double warm_up_seconds, variant_result& result);

  static regimes summarized(const contestant<Value>& one);

 private:
  struct side {  // the vectors of one operation
    array<Value, host> host_x, poison;
    array<Value, space> x, y;
    std::map<std::int32_t, reference_product> expected;  // by rounding neighbours
  };
  struct comparison {
    std::string wrong;  // empty where it is right
    double error = 0;   // the largest, as a share of the bound
  };

  side& side_of(operation op) { return sides_[static_cast<std::size_t>(op)]; }
  int rounds() const;
  void say(const std::string& text) const;
  bool interrupted() const { return sampling_.interrupted && sampling_.interrupted(); }
  void poison(operation op);
  double run_twice(contestant<Value>& one);
  comparison compare(const contestant<Value>& one);
  void take(contestant<Value>& one, int samples, double warm_up_seconds);
  int samples_a_round() const;
  double warm_up_seconds(bool first_round) const;

  Backend on_;
  sampling_options sampling_;
  progress_text progress_;
  reference_function reference_;
  std::array<side, 2> sides_;
  std::array<contestant<Value>, 2> baseline_;
  std::shared_ptr<void> cold_memory_;  // held, so that it is not taken anew for every contestant
};

}  // namespace sparsmith
