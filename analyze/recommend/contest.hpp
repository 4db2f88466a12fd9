// Kernels of one matrix, checked and timed: each before it is timed, and by what the timed runs leave. It
// sees kernels tied to a matrix only, and knows neither the formats, nor how they are made, nor the rules of
// the race (tournament.hpp).
#pragma once

#include <map>
#include <memory>

#include "analyze/recommend/results.hpp"
#include "analyze/recommend/sampling.hpp"
#include "kernels/bound_kernels.hpp"
#include "kernels/reference.hpp"

namespace sparsmith {

// A kernel that was found right and takes part.
template <class Value>
struct contestant {
  kernel_info info;
  operation op = operation::multiply;
  prepared_kernel<Value> ready;
  std::vector<double> warm, cold;  // seconds of every sample, of all rounds
};

// Instantiated for both backends and all types of values. What a complex output is off by is told for each of
// its parts: a reference product then has twice as many outputs, real and imaginary ones in turn.
template <class Backend, class Value>
class kernel_contest {
 public:
  using space = typename Backend::space;
  // What is right for x; and the bounds of that widened to those of a kernel of so many rounding neighbours.
  struct reference_functions {
    std::function<reference_product(operation, const array<Value, host>& x)> product;
    std::function<void(operation, const array<Value, host>& x, std::int32_t neighbours, reference_product&)>
        widen;
  };

  // Kernels must be prepared on capturable(on), for so many vectors at once, which lie beside one another in
  // x and in y.
  kernel_contest(Backend on, std::int64_t rows, std::int64_t cols, std::int64_t vectors,
                 reference_functions reference, sampling_options sampling,
                 std::function<void(const std::string&)> progress);

  // The fastest of the vendor's is what everything else is measured against; where the vendor has none for
  // this matrix, the fastest of ours. Gives its name, or none where no kernel could run.
  std::string choose_baseline(const std::vector<bound_kernel<Value>>& all, operation op);

  // Prepares a kernel and checks its first runs. Nothing is given where it cannot run or is wrong; its line
  // says why.
  std::unique_ptr<contestant<Value>> enter(const bound_kernel<Value>& one, operation op,
                                           contestant_result& line);
  // So many samples more, warm and cold, and what they left is checked. False where it lacked memory or was
  // wrong, which its line says; it is out then.
  bool sample(contestant<Value>& one, int samples, double warm_up_seconds, contestant_result& line);
  // The same for the baselines, with what there is of them by operation.
  base_times sample_baselines(int samples, double warm_up_seconds);
  void restart_baselines();

  // What the clock can tell apart: how far samples of starting nothing spread, which are taken beside those
  // of the baselines.
  double clock_seconds() const;
  // The share of all samples that a thread had to wait for a core in.
  double disturbed_share() const { return taken_ == 0 ? 0 : static_cast<double>(disturbed_) / taken_; }

  static regimes summarized(const contestant<Value>& one);

 private:
  struct side {  // the vectors of one operation, which both products have from the beginning
    bool made = false;
    array<Value, host> host_x;
    array<Value, space> x, y;
    std::unique_ptr<reference_product> plain;  // what a kernel without rounding neighbours is checked against
    array<double, space> expected;             // its product, where the backend works
    std::map<std::int32_t, array<double, space>> bounds;  // and what is allowed, by rounding neighbours
  };
  struct comparison {
    std::string wrong;  // empty where it is right
    double error = 0;   // the largest, as a share of the bound
  };

  side& side_of(operation op);
  void say(const std::string& text) const;
  void poison(operation op);
  const array<double, space>& bounds_of(operation op, std::int32_t neighbours);
  double run_twice(contestant<Value>& one);
  comparison compare(const contestant<Value>& one);
  void take(contestant<Value>& one, int samples, double warm_up_seconds);
  void take_nothing(int samples);

  using part = typename part_of_value<Value>::type;
  static constexpr std::int64_t parts = is_complex<Value> ? 2 : 1;
  template <class Array>
  static auto* parts_of(Array& values) {
    return reinterpret_cast<part*>(values.data());
  }

  Backend on_;
  sampling_options sampling_;
  std::function<void(const std::string&)> progress_;  // may be empty
  reference_functions reference_;
  std::int64_t rows_, cols_, vectors_;
  std::array<side, all_operations.size()> sides_;
  std::array<contestant<Value>, all_operations.size()> baseline_;
  std::vector<double> nothing_;  // seconds of every sample
  int taken_ = 0, disturbed_ = 0;
  std::shared_ptr<void> cold_memory_;  // held, so that it is not taken anew for every contestant
};

}  // namespace sparsmith
