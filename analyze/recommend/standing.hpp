// Who took part in a race and how that ended: the times that decide, who left and why, what each is to the
// verdict. All reports of a recommendation say it in these figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/recommend/recommendation.hpp"
#include "analyze/recommend/trade_offs.hpp"

namespace sparsmith {

// How it ended for a kernel, or for a format that no kernel ran on.
enum class standing { ok, left, not_run, wrong, refused, not_tried, predicted };
const char* name_of(standing how);  // "ok", "left", "not run", "wrong", "refused", "not tried", "predicted"

// Reasons that are not told by the race but follow from the figures.
inline constexpr const char* never_timed = "the race ended before it was timed";
inline constexpr const char* not_modelled = "the model has no figures for it";

struct listed_contestant {
  const variant_result* variant = nullptr;
  const contestant_result* contestant =
      nullptr;  // null: the format alone, which was refused, not tried or not raced
  standing how = standing::ok;
  std::string reason;  // empty where it is ok or predicted
};
// In the order of the results; a line a kernel and operation, and one for a format without kernels.
std::vector<listed_contestant> contestants_of(const matrix_result& found);

// A line for every kernel whose result was wrong.
std::vector<std::string> wrong_results(const matrix_result& found);

inline const char* short_name(operation op) {
  constexpr std::array names = {"ax", "atx", "both", "normal"};
  return names[static_cast<std::size_t>(op)];
}
inline const char* regime_name(bool warm) {
  return warm ? "warm" : "cold";
}

// The median of the regime that decides, or what is expected where nothing was run; the first run where that
// was all. 0: not known.
double deciding_seconds(const matrix_result& found, const contestant_result& kernel, bool warm);

inline double per_second(std::int64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
}
// What computes an operation where it stays in CSR: as the verdict has it, and where that computes it in
// another way, the fastest there is. Null where CSR was not timed.
const contestant_result* staying_for(const recommendation& r, const verdict& v, operation op);
// What a conversion takes, measured or expected.
double conversion_seconds(const matrix_result& found, const variant_result& format);
// Bytes against those of CSR; 1 where there are none.
double times_csr(const matrix_result& found, std::int64_t bytes);

// Whether a way runs this kernel on this format.
bool runs(const way& taken, const listed_contestant& one);
bool is_tied(const verdict& v, const listed_contestant& one);

// What it is to the verdict, where it ran.
role role_of(const verdict& v, const listed_contestant& one);

// The time of a contestant in the regime that decides, with the spread of its samples. All 0 where it has
// none: it did not run, or its result was wrong.
struct deciding_time {
  double seconds = 0, low = 0, high = 0;
  int samples = 0;  // 0: none, or the model's
};
deciding_time time_of(const recommendation& r, const contestant_result& k);

struct ranked_contestant {
  listed_contestant who;
  deciding_time time;
};
// All that could run this operation: the fastest first, those without a time last.
std::vector<ranked_contestant> ranking_of(const recommendation& r, operation op);

// Who did not stay to the end: one line for the same reason in several operations.
struct departure {
  listed_contestant who;
  std::vector<operation> operations;  // none: the format alone
};
// What went wrong first, then who left, then what was refused and what was not tried, then who never ran.
std::vector<departure> departures_of(const matrix_result& found);

// Whether two ways do the same for this operation.
bool same_for(const way& a, const way& b, operation op);

// Products of that operation alone after which the kernel's format is ahead of staying in CSR; negative:
// never. Nothing where CSR was not timed, or is what the kernel runs on.
std::optional<double> repaid_after_alone(const recommendation& r, const verdict& v,
                                         const listed_contestant& one);

}  // namespace sparsmith
