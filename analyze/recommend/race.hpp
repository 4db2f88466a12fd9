// The race: a matrix is converted to the formats of a field, each conversion is timed, and the kernels of
// each format are checked and timed beside one baseline (contest.hpp). Takes a plain request, gives plain
// results (results.hpp), and says on the way what it is doing.
//
// Either everybody runs all samples, one format after the other; or it is run for a verdict: in heats
// everybody gets a few samples, who is clearly behind leaves, and the leaders then run in turns until what
// parts them is known or they are found to be level.
#pragma once

#include <limits>

#include "analyze/recommend/contest.hpp"
#include "analyze/recommend/verdict.hpp"
#include "convert/convert.hpp"

namespace sparsmith {

// A format with these options: once, or in each of the variants that have kernels of their own.
std::vector<format_variant> variants_of(format_kind format, const conversion_options& conversion);

// Who takes part, in the order of starting.
struct racing_variant {
  format_variant variant;
  std::string left_out = {};   // why it does not; empty where it does
  int after = -1;              // the variant that must be near the front for this one to be worth trying
  double convert_seconds = 0;  // expected; 0 where nothing is known
  std::int64_t bytes = 0;      // expected, for the order of memory; 0 where nothing is known
  // What is expected of a kernel of it; nothing where this is empty.
  std::function<prediction(const kernel_info&, operation)> expected = {};
  std::function<kernel_work(const kernel_info&, operation)> work = {};
};

struct race_request {
  std::vector<racing_variant> field;
  std::vector<operation> operations = {both_operations.begin(), both_operations.end()};
  sampling_options sampling;  // of those who run all of it
  // Called with what there is so far when everybody of a format, the last one in it, has run all samples; not
  // where it is run for a verdict, which settles nothing before the end.
  std::function<void(const matrix_result& so_far)> format_done = {};
  // Where it is run for a verdict:
  bool for_verdict = false;
  objective wanted;
  double seconds = std::numeric_limits<double>::infinity();  // it may take
};

// Formats that do not fit are refused in their lines; where 32-bit offsets are what keeps one from fitting,
// it is tried with wider ones. Instantiated for both backends and all combinations of types.
template <class Backend, class Offset, class Value>
matrix_result race(Backend on, csr<Offset, Value, view_on<Backend>> matrix, const race_request& request,
                   const progress_text& progress);

// What a conversion takes, from the seconds of several one after the other: the median, as for the products
// that have to pay it back, without the first, which also pays for memory and for loading code.
double settled_seconds(std::vector<double> seconds);

}  // namespace sparsmith
