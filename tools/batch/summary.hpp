// What a batch found, in figures over the rows of all its matrices (row.hpp). Figures that are not known are
// NaN.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/batch/row.hpp"

namespace sparsmith {

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

// The matrices of a group, or of a kind.
struct group_figures {
  struct wins {
    std::string name;  // winner_count::name
    std::int64_t matrices = 0;
  };
  std::string name;
  std::int64_t matrices = 0, failed = 0;
  std::vector<wins> winners;                         // most first, of equal ones by name
  double over_csr = unknown, over_vendor = unknown;  // geometric means, of the measured
};

struct batch_summary {
  std::vector<batch_row> rows;
  std::int64_t ok = 0, failed = 0, analysed = 0, raced = 0, predicted = 0, without_verdict = 0, not_final = 0,
               noisy = 0;
  std::int64_t not_raced = 0;  // of `ok` those that were only analysed, though kernels were to race
  std::vector<std::string> why_not_raced;
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
  std::vector<group_figures> kinds, groups;  // most matrices first; none without an index
};
batch_summary summarize(std::vector<batch_row> rows);

}  // namespace sparsmith
