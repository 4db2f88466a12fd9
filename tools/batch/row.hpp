// What the reports need of a line of results.jsonl, and no more: a line is 100 KB and more, a collection has
// thousands. What is best is worked out from the results in the line, by verdict.hpp. Figures that are not
// known are NaN; times are in µs of one product in the mix that was asked for, in the regime that decides.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/tool.hpp"

namespace sparsmith {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct batch_timing {
  double median_us = unknown, p10_us = unknown, p90_us = unknown;
  std::int64_t samples = 0;
};

struct batch_variant {
  std::string format, note, refused;
  bool not_tried = false;  // which is why it is not there, and no refusal
  bool of_transpose = false;
  double bytes = unknown, times_csr = unknown, convert_ms = unknown;
};

struct batch_contestant {
  std::size_t variant = 0;
  std::string kernel, operation, result, reason;
  bool vendor = false, repeatable = false, winner = false, tie = false;
  batch_timing warm, cold;
  double predicted_warm_us = unknown, predicted_cold_us = unknown;
  double prepare_ms = unknown, gb_per_s = unknown, share_of_copy = unknown, error_of_bound = unknown;
};

// A way in words and figures; no format where there is none.
struct batch_way {
  std::string format, label, kernels;
  bool vendor = false;  // all of its kernels are
  double us = unknown, bytes = unknown, times_csr = unknown;
};

struct batch_features {
  double density = unknown, row_mean = unknown, row_longest = unknown, row_variation = unknown,
         row_gini = unknown, empty_rows = unknown, symmetric_pattern = unknown, symmetric_values = unknown,
         lower_bandwidth = unknown, upper_bandwidth = unknown, diagonals = unknown,
         next_column_share = unknown, row_below_share = unknown;
};

// Where the entries are: how full the cells of a grid over the matrix are, in eight levels, of which 0 is
// empty. Two levels make a digit of base 64, row by row, and `A*64.` stands for A a hundred times
// (hexadecimal): that is what a page with thousands of matrices has room for. No rows: not known.
struct batch_spy {
  static constexpr int levels = 8;
  std::int32_t rows = 0, cols = 0;
  std::int64_t most = 0;  // entries of the fullest cell
  std::string cells;
};

// The fastest way of a format with a kernel of ours; of the vendor's alone where the series is `vendor`.
struct batch_series {
  std::string name;
  double us = unknown;
};

// What --predict would have chosen. The ratio is its measured time over the best; NaN where its choice was
// not measured.
struct batch_choice {
  std::string label, kernels;
  double ratio = unknown;
};

// What the reports need of a line.
struct batch_row {
  std::string key, name, source, version, options, machine, code_doubt, node, started, field, origin;
  std::string result, stage, cause, signal, message, output;
  std::string group, kind;  // by the index of the collection; empty without one
  std::string not_raced;    // why, where kernels were to race and it was only analysed
  double rows = unknown, cols = unknown, entries = unknown, value_bits = unknown, seconds = unknown,
         waited_s = unknown, memory_peak = unknown;
  bool analysed = false, recommended = false;
  bool predicted = false, interrupted = false, out_of_time = false;
  std::vector<std::string> noisy;  // what got in the way of measuring
  std::string unreadable;  // why its recommendation could not be read; empty where it could, or there is none
  batch_features features;
  batch_spy spy;

  std::string regime;
  double ax = 0, atx = 0;        // the mix
  std::string unit = "product";  // what times are of: or "application", where two products come together
  std::vector<batch_variant> variants;
  std::vector<batch_contestant> contestants;
  batch_way winner, fastest, stay, runner_up;
  batch_way vendor;                         // its best format, from one copy
  batch_way vendor_csr, vendor_two_copies;  // its CSR from one copy, its best formats from two
  double margin = unknown, price_ms = unknown, repaid_after = unknown;  // products; NaN: never or not known
  bool stays_in_csr = false;
  std::string reason;
  std::string spconv;

  double best_us = unknown;  // of all ways from one copy that were measured
  std::vector<batch_series> series;
  std::optional<batch_choice> choice;

  bool ok() const { return result == "ok" || result == "analysed"; }
  bool has_winner() const { return ok() && !winner.format.empty(); }
  bool raced() const { return has_winner() && !predicted; }
};

// Throws failure::input where the line's recommendation cannot be read.
batch_row row_of(const json& line);

// How many times as fast the winner is.
double speedup_over_csr(const batch_row& row);
double speedup_over_vendor(const batch_row& row);
double speedup_over_vendor_csr(const batch_row& row);
double speedup_over_vendor_two_copies(const batch_row& row);

}  // namespace sparsmith
