// The rules of the race, without a machine: who starts, who leaves and when, who runs how often. Conversions,
// checks and samples come from a `track`, the time from a clock, both of which tests script.
//
// Either everybody runs all samples, one variant after the other; or it is run for a verdict: in heats
// everybody gets a few samples, who is clearly behind leaves, and the leaders then run in turns until what
// parts them is known or they are found to be level. Whose single run is hopeless is timed by neither.
#pragma once

#include <limits>

#include "analyze/recommend/sampling.hpp"
#include "analyze/recommend/verdict.hpp"

namespace sparsmith {

// Called with what is being done, a line each time; may be empty.
using progress_text = std::function<void(const std::string&)>;

// A variant that takes part, with what is expected of it.
struct racing_variant {
  format_variant variant;
  std::string left_out = {};   // why it does not take part; empty where it does
  int after = -1;              // the variant that must be near the front for this one to be worth trying
  double convert_seconds = 0;  // expected; 0 where nothing is known
  std::int64_t bytes = 0;      // expected, for the order of memory; 0 where nothing is known
  // What is expected of a kernel of it; nothing where this is empty.
  std::function<prediction(const kernel_info&, operation)> expected = {};
  std::function<kernel_work(const kernel_info&, operation)> work = {};
};

struct race_request {
  std::vector<racing_variant> field;  // in the order of starting
  std::vector<operation> operations = {plain_operations.begin(), plain_operations.end()};
  bool symmetric = false;     // A equals A^T: of the products there is A x alone, which stands for both
  sampling_options sampling;  // of those who run all of it
  // Called with what there is so far when everybody of a variant, the last one in it, has run all samples;
  // not where it is run for a verdict, which settles nothing before the end.
  std::function<void(const matrix_result& so_far)> variant_done = {};
  // Where it is run for a verdict:
  bool for_verdict = false;
  objective wanted;
  double seconds = std::numeric_limits<double>::infinity();  // it may take
  std::function<double()> clock = seconds_now;               // seconds, from some time on
};

// The numbers of a race for a verdict. They were found on the H200 and on two cores, beside exhaustive runs
// of the same matrices: docs/recommend.md says how well verdicts do with them.
struct tournament_tuning {
  // A single run, which the host's clock times, is far beyond the leader at this many times its time and so
  // many seconds more.
  double far_ratio = 5, far_seconds = 50e-6;
  // And hopeless at so many times the least single run for its product and so many seconds more: then it has
  // no samples where all are taken either, because nobody waits for them. A product by bsr/intra-row-naive
  // took 1.6 s on 8 cores, one by CSR 3.4 ms. One that waits for its turn on a busy core takes 20 ms.
  double hopeless_ratio = 100, hopeless_seconds = .1;
  // What is expected to be so far behind is not even tried: a variant, a kernel. Far above the model's
  // errors.
  double untried_variant = 4, untried_kernel = 8;
  // Behind the leader of its operation at this, after the first samples and at the end of the heats.
  double behind_at_first = 2, behind = 1.5;
  // A variant is tried where the one it varies is this near to the leader, or where it is expected itself to
  // be this near.
  double worth_varying = 1.3, worth_expecting = 1.5;
  int first_samples = 2, heat_samples = 3, final_samples = 5;
  int final_rounds = 8;  // at most
  double heat_warm_up = 0.0005;
  double baseline_every = 0.3;  // seconds, in the heats
  double heats_share = 0.8;     // of the time given
  double kept_share = 0.3;      // of the memory at hand, for variants that wait for the final
  double sure_seconds = 0.05;   // a conversion that takes longer may have been timed only once
};
inline constexpr tournament_tuning tuning;

// A kernel of a variant for one operation: its place in the field, and its place among the variant's kernels.
struct contestant_key {
  std::size_t variant = 0, kernel = 0;
  operation op = operation::multiply;
  auto operator<=>(const contestant_key&) const = default;
};

// A conversion is repeated at most so often and while that is short.
struct conversion_effort {
  int most = 1;
  double short_seconds = 0;
};

// Where it is run: all that touches a machine. What a single variant cannot do is thrown as an error of any
// category but `usage` and `device`, or as std::bad_alloc; these two categories end the race.
class track {
 public:
  virtual ~track() = default;

  // The fastest of the vendor's for a product, or of ours where the vendor has none; empty where nothing
  // could run.
  virtual std::string choose_baseline(operation op) = 0;
  // So many samples more of the baselines, and what there is of them.
  virtual base_times sample_baselines(int samples, double warm_up_seconds) = 0;
  // The next samples are the first.
  virtual void restart_baselines() = 0;

  // The kernels that a variant is going to have, known before it is converted.
  virtual std::vector<kernel_info> kernels_for(std::size_t variant) = 0;
  // Converts, fills in what the variant's line says about that, and keeps the matrix until it is released.
  // Gives the kernels that are there for it.
  virtual std::vector<kernel_info> store(std::size_t variant, conversion_effort effort,
                                         variant_result& line) = 0;
  virtual void release(std::size_t variant) = 0;  // with all its contestants
  // Seconds of converting so often, beside what is kept.
  virtual std::vector<double> time_conversion(std::size_t variant, conversion_effort effort) = 0;

  // Prepares a contestant and checks its first runs. False where it cannot run or is wrong, which its line
  // says; it is released then.
  virtual bool enter(const contestant_key& one, contestant_result& line) = 0;
  // So many samples more, warm and cold, and what they left is checked; the same where that goes wrong.
  virtual bool sample(const contestant_key& one, int samples, double warm_up_seconds,
                      contestant_result& line) = 0;
  virtual void release(const contestant_key& one) = 0;

  virtual std::int64_t available_memory() = 0;  // bytes
};

// `result` knows the matrix' sizes, and comes back with everything else.
matrix_result run_tournament(matrix_result result, const race_request& request, track& on,
                             const progress_text& progress);

// What is given is CSR; to have it is no conversion.
inline bool is_given(const format_variant& variant) {
  return variant.format == format_kind::csr && !variant.of_transpose;
}

}  // namespace sparsmith
