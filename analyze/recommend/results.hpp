// What a race found out about one matrix: plain data, format by format and kernel by kernel.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "convert/options.hpp"
#include "kernels/kernel.hpp"
#include "kernels/measure.hpp"

namespace sparsmith {

// Whether it is one product, and not two in one pass.
constexpr bool is_plain(operation op) {
  return op == operation::multiply || op == operation::transposed;
}

struct regimes {
  timing warm, cold;
  // What counts where warm runs decide, or cold ones; only warm ones may have been wanted.
  const timing& deciding(bool by_warm) const { return by_warm || cold.samples == 0 ? warm : cold; }
  // What figures and ratios are made of: cold, unless only warm runs were wanted.
  const timing& shown() const { return deciding(false); }
  double headline() const { return shown().median; }
};

// What the model (model.hpp) expects, in seconds; 0 where it knows nothing.
inline constexpr std::array term_names = {"launches", "arrays", "vectors",   "outputs",   "gathers", "lines",
                                          "misses",   "idle",   "atomics",   "contended", "chain",   "blocks",
                                          "ramp",     "fresh",  "scattered", "crowded",   "meeting"};
using model_terms = std::array<double, term_names.size()>;
struct prediction {
  double warm = 0, cold = 0;
  model_terms warm_terms = {}, cold_terms = {};  // that they are sums of, before their factors
  model_terms warm_parts = {}, cold_parts = {};  // the same with their factors: what each makes of the whole
};

// What one product has to do, as far as it follows from the structure.
struct kernel_work {
  double bytes = 0;     // read and written once each: arrays, vectors, what is prepared
  double atomics = 0;   // additions that other threads may get in the way of
  double launches = 0;  // kernels, or parallel regions
  double longest = 0;   // entries that one thread, or one team of threads, has to walk one after another
};

// What tells a stored matrix from others of its format: "32 x 1024", "of A^T", "32 x 1024 of A^T".
inline std::string whole_note(const std::string& note, bool of_transpose) {
  return !of_transpose ? note : note.empty() ? "of A^T" : note + " of A^T";
}
// And from all others: "sell 32 x 1024", "coo of A^T".
inline std::string label_of(format_kind format, const std::string& note, bool of_transpose) {
  const std::string whole = whole_note(note, of_transpose);
  return name_of(format) + (whole.empty() ? "" : " " + whole);
}

// Whether a kernel that cannot compute this says so in a line. Nobody expects two products in one pass of
// every kernel.
constexpr bool has_line(const kernel_info& info, operation op) {
  return is_plain(op) || info.computes(op);
}

// A format as one set of options makes it, and which of its kernels take part.
struct format_variant {
  format_kind format = format_kind::csr;
  std::string note = {};  // tells variants of the same format apart
  conversion_options conversion = {};
  std::vector<std::string> kernels = {};  // by name; empty: all the format has
  // As far as the request asks for them.
  std::vector<operation> operations = {all_operations.begin(), all_operations.end()};
  bool of_transpose = false;  // A^T is stored, a second copy beside A: its A x is our A^T x

  std::string label() const { return label_of(format, note, of_transpose); }
  bool admits(const kernel_info& kernel) const {
    return kernels.empty() || std::find(kernels.begin(), kernels.end(), kernel.name) != kernels.end();
  }
  bool asks_for(operation op) const {
    return std::find(operations.begin(), operations.end(), op) != operations.end();
  }
};

struct contestant_result {
  kernel_info info;
  operation op = operation::multiply;  // as the user sees it, also where A^T is stored
  std::string not_run, wrong;          // why; empty where it ran, and was right
  std::string left = {};               // why and when it left the race; empty where it stayed to the end
  regimes time = {};
  double single_seconds = 0;  // of the first run, which may be all there was
  double prepare_seconds = 0;
  std::int64_t prepared_bytes = 0;
  double error = 0;  // the largest, as a share of what rounding may do
  prediction expected = {};
  kernel_work work = {};

  bool timed() const { return not_run.empty() && wrong.empty() && time.warm.samples > 0; }
};

// By operation; only products with A and with A^T have a baseline: no vendor computes two in one pass.
using base_times = std::array<regimes, all_operations.size()>;

struct variant_result {
  format_kind format = format_kind::csr;
  std::string note;            // tells variants of a format apart
  bool of_transpose = false;   // a second copy beside A
  conversion_options options;  // that make it
  std::string refused;         // why it could not be made, or was not; empty where it was
  bool not_tried = false;      // it was not: it was not worth its start, or there was no time for it
  bool not_reached = false;    // likewise: the race ended before its turn
  std::int64_t bytes = 0, slots = 0;
  int offset_bits = 0;
  double convert_seconds = 0;
  double expected_convert_seconds = 0;  // by the model; 0 where it knows nothing
  format_parameters parameters;
  base_times base = {};  // the baseline in the same rounds
  std::vector<contestant_result> contestants;

  std::string label() const { return label_of(format, note, of_transpose); }
  const regimes& base_of(operation op) const { return base[static_cast<std::size_t>(op)]; }
};
// A line for a variant of which nothing is known yet.
inline variant_result line_for(const format_variant& variant) {
  variant_result line;
  line.format = variant.format;
  line.note = variant.note;
  line.of_transpose = variant.of_transpose;
  line.options = variant.conversion;
  return line;
}

// What a part of the work took.
struct step_time {
  std::string name;
  double seconds = 0;
};

struct matrix_result {
  std::int64_t rows = 0, cols = 0, entries = 0;
  int value_bits = 0, offset_bits = 0;
  bool complex_values = false;                                // of whose value_bits each part has half
  vector_layout vectors = {};                                 // that a product has
  std::array<std::string, all_operations.size()> base_names;  // by operation; empty where there is none
  std::vector<variant_result> variants;
  bool symmetric = false;    // A equals A^T: A x is run alone, and stands for A^T x
  bool predicted = false;    // nothing was run, and what is expected stands for what was measured
  bool interrupted = false;  // by the user: what there is so far
  bool out_of_time = false;  // the budget ended before all was settled
  int final_rounds = 0;      // that the leaders ran after the heats
  std::vector<step_time> steps;
  // What disturbed the measuring, a phrase each ("other processes used 0.97 of a core"); empty where nothing
  // did.
  std::vector<std::string> noisy;
  // Differences between medians below this are not told apart: the jitter of what starting a product takes on
  // this machine. 0 where it is not known.
  double clock_seconds = 0;

  const std::string& base_name(operation op) const { return base_names[static_cast<std::size_t>(op)]; }
  std::int64_t vector_bytes(operation op) const {
    return (inputs_of(rows, cols, op) + outputs_of(rows, cols, op)) * vectors.count * value_bits / 8;
  }
  std::int64_t csr_bytes() const { return entries * (value_bits / 8 + 4) + (rows + 1) * offset_bits / 8; }
  // The least that this has to read and write from CSR.
  std::int64_t csr_minimum_bytes(operation op) const {
    return entries * (value_bits / 8 + 4) + (rows + 1) * 4 + vector_bytes(op);
  }
  std::int64_t actual_bytes(const variant_result& f, const contestant_result& k) const {
    return f.bytes * (k.info.many_vectors ? 1 : vectors.count) + k.prepared_bytes + vector_bytes(k.op);
  }
};
// Results for a matrix of which nothing is known yet but its sizes.
template <class Offset, class Value, class Space>
matrix_result result_for(const csr<Offset, Value, Space>& matrix) {
  matrix_result result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.entries = matrix.values.size();
  result.value_bits = int{sizeof(Value)} * 8;
  result.complex_values = is_complex<Value>;
  result.offset_bits = int{sizeof(Offset)} * 8;
  return result;
}

}  // namespace sparsmith
