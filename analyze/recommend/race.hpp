// The race: a matrix is converted to every format asked for, each conversion is timed, and the kernels of
// each format are checked and timed beside one baseline (contest.hpp). Takes a plain request, gives plain
// results (results.hpp), and says on the way what it is doing.
#pragma once

#include "analyze/recommend/contest.hpp"
#include "convert/convert.hpp"

namespace sparsmith {

// A format as one set of options makes it, and which of its kernels take part.
struct format_variant {
  format_kind format = format_kind::csr;
  std::string note = {};  // tells variants of the same format apart
  conversion_options conversion = {};
  std::vector<std::string> kernels = {};  // by name; empty: all the format has
  // As far as the request asks for them.
  std::vector<operation> operations = {both_operations.begin(), both_operations.end()};
};

// A format with these options: once, or in each of the variants that have kernels of their own.
std::vector<format_variant> variants_of(format_kind format, const conversion_options& conversion);

struct race_request {
  std::vector<format_variant> variants;
  std::vector<operation> operations = {both_operations.begin(), both_operations.end()};
  sampling_options sampling;
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
