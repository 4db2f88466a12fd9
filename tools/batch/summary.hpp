// What a batch found, in figures: each line of results.jsonl is cut down to a row at once (a line is 100 KB
// and more, a collection has thousands), and the summary follows from the rows. Figures that are not known
// are NaN; times are in µs of one product in the mix that was asked for, in the regime that decides.
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

// A stored format and a kernel for each product that is asked for; no format where there is none.
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
  std::string key, name, source, version, options, machine, node, started, field, origin;
  std::string result, stage, cause, signal, message, output;
  double rows = unknown, cols = unknown, entries = unknown, value_bits = unknown, seconds = unknown,
         waited_s = unknown, memory_peak = unknown;
  bool analysed = false, recommended = false;
  bool predicted = false, interrupted = false, out_of_time = false;
  batch_features features;

  std::string regime;
  double ax = 0, atx = 0;  // the mix
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

  bool ok() const { return result == "ok"; }
  bool has_winner() const { return ok() && !winner.format.empty(); }
  bool raced() const { return has_winner() && !predicted; }
};

batch_row row_of(const json& line);

// ---- all rows together ----

struct spread {
  std::int64_t count = 0;
  double least = unknown, lower = unknown, median = unknown, upper = unknown, most = unknown,
         geometric_mean = unknown;
};
spread spread_of(std::vector<double> values);

struct winner_count {
  std::string format;
  bool vendor = false;
  std::int64_t measured = 0, predicted = 0;
  double over_csr = unknown, over_vendor = unknown, times_csr = unknown;  // geometric means, of the measured
  std::string name() const { return vendor ? format + " (vendor)" : format; }
};

// How many times the best a series takes, for every matrix where it ran, rising.
struct performance_profile {
  std::string name;
  std::int64_t matrices = 0;  // all, with those where it did not run
  std::vector<double> ratios;
  double within(double factor) const;  // a share of all
};

struct speedup_group {
  double from = 0, to = 0;  // entries, from a power of ten to the next
  spread speedups;
};
struct speedup_figures {
  spread all;
  std::vector<speedup_group> by_entries;
};

struct bytes_of_format {
  std::string format;
  spread times_csr;
};

struct break_even_figures {
  std::int64_t stays = 0, at_once = 0, never = 0, not_known = 0;
  std::vector<double> after;  // products, rising
};

struct prediction_figures {
  std::int64_t choices = 0, measured = 0, not_measured = 0;
  std::vector<double> ratios;  // rising
  double geometric_mean = unknown, within_5 = unknown, within_20 = unknown, worst = unknown;
  std::string worst_name;
};

struct failure_count {
  std::string cause;
  std::vector<std::size_t> rows;
};

struct batch_summary {
  std::vector<batch_row> rows;
  std::int64_t ok = 0, failed = 0, analysed = 0, raced = 0, predicted = 0, without_verdict = 0, not_final = 0;
  double seconds = 0;
  std::vector<std::string> machines, versions, options;
  std::vector<std::string> notes;  // what the reader has to know before comparing
  std::vector<winner_count> winners;
  std::vector<performance_profile> profiles;
  speedup_figures over_csr, over_vendor;
  spread over_vendor_csr, over_vendor_two_copies;
  std::vector<bytes_of_format> bytes;
  spread winner_bytes;
  break_even_figures break_evens;
  prediction_figures prediction;
  std::vector<failure_count> failures;
};
batch_summary summarize(std::vector<batch_row> rows);

// How many times as fast the winner is.
double speedup_over_csr(const batch_row& row);
double speedup_over_vendor(const batch_row& row);
double speedup_over_vendor_csr(const batch_row& row);
double speedup_over_vendor_two_copies(const batch_row& row);

}  // namespace sparsmith
