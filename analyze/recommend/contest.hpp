// Kernels of one matrix against each other: every one is checked, before it is timed and by what the timed
// runs leave, and they take turns over a few rounds that the baseline takes part in, so that what drifts over
// minutes drifts for all. It sees candidates only, and knows neither the formats nor how they are made.
#pragma once

#include <map>

#include "analyze/recommend/results.hpp"
#include "kernels/candidates.hpp"
#include "kernels/reference.hpp"

namespace sparsmith {

// Called with what is being done, a line each time; may be empty.
using progress_text = std::function<void(const std::string&)>;

struct sampling_options {
  int samples = 30;        // of every median, over all rounds
  bool warm_only = false;  // no runs with cold caches
};

// Instantiated for both backends and both types of values.
template <class Backend, class Value>
class kernel_contest {
 public:
  using space = typename Backend::space;
  // What is right for x, with a bound for a kernel of so many rounding neighbours.
  using reference_function =
      std::function<reference_product(operation, const array<Value, host>& x, std::int32_t neighbours)>;

  // Candidates must be prepared on capturable(on).
  kernel_contest(Backend on, std::int64_t rows, std::int64_t cols, reference_function reference,
                 sampling_options sampling, progress_text progress);

  // The fastest of the vendor's is what everything else is measured against; where the vendor has none for
  // this matrix, the fastest of ours. Gives its name, or none where no candidate could run.
  std::string choose_baseline(const std::vector<candidate<Value>>& all, operation op);

  // Measures all candidates that apply, and appends a line for each of them and each operation. What a
  // candidate lacks memory for is a line, not an end.
  void run(const std::vector<candidate<Value>>& all, const std::vector<operation>& operations,
           format_result& result);

 private:
  struct side {  // the vectors of one operation
    array<Value, host> host_x, poison;
    array<Value, space> x, y;
    std::map<std::int32_t, reference_product> expected;  // by rounding neighbours
  };
  struct contestant {
    kernel_info info;
    operation op = operation::multiply;
    prepared_kernel<Value> ready;
    std::vector<double> warm, cold;  // seconds of every sample, of all rounds
  };

  side& side_of(operation op) { return sides_[static_cast<std::size_t>(op)]; }
  int rounds() const;
  void say(const std::string& text) const;
  void poison(operation op);
  std::string check(contestant& one);
  std::string compare(const contestant& one);
  void sample(contestant& one, bool first_round);
  static regimes summarized(const contestant& one);

  Backend on_;
  sampling_options sampling_;
  progress_text progress_;
  reference_function reference_;
  std::array<side, 2> sides_;
  std::array<contestant, 2> baseline_;
};

}  // namespace sparsmith
