// What a race found out about one matrix: plain data, format by format and kernel by kernel.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/measure.hpp"

namespace sparsmith {

struct regimes {
  timing warm, cold;
  // What figures and ratios are made of: cold, unless only warm runs were wanted.
  const timing& shown() const { return cold.samples > 0 ? cold : warm; }
  double headline() const { return shown().median; }
};

struct kernel_result {
  kernel_info info;
  operation op = operation::multiply;
  std::string not_run, wrong;  // why; empty where it ran, and was right
  regimes time;
  double prepare_seconds = 0;
  std::int64_t prepared_bytes = 0;

  bool timed() const { return not_run.empty() && wrong.empty(); }
};

struct format_result {
  format_kind format = format_kind::csr;
  std::string note;     // tells variants of a format apart
  std::string refused;  // why it could not be made; empty where it was
  std::int64_t bytes = 0;
  int offset_bits = 0;
  double convert_seconds = 0;
  format_parameters parameters;
  std::array<regimes, 2> base;  // the baseline in the same rounds, by operation
  std::vector<kernel_result> kernels;

  std::string label() const { return note.empty() ? name_of(format) : name_of(format) + " " + note; }
  const regimes& base_of(operation op) const { return base[static_cast<std::size_t>(op)]; }
  double ratio(const kernel_result& k) const { return base_of(k.op).headline() / k.time.headline(); }
};

struct matrix_result {
  std::int64_t rows = 0, cols = 0, entries = 0;
  int value_bits = 0, offset_bits = 0;
  std::array<std::string, 2> base_names;  // by operation; empty where there is no baseline
  std::vector<format_result> formats;

  const std::string& base_name(operation op) const { return base_names[static_cast<std::size_t>(op)]; }
  std::int64_t vector_bytes() const { return (rows + cols) * value_bits / 8; }
  std::int64_t csr_bytes() const { return entries * (value_bits / 8 + 4) + (rows + 1) * offset_bits / 8; }
  // The least that a product from CSR has to read and write.
  std::int64_t csr_minimum_bytes() const {
    return entries * (value_bits / 8 + 4) + (rows + 1) * 4 + vector_bytes();
  }
  std::int64_t actual_bytes(const format_result& f, const kernel_result& k) const {
    return f.bytes + k.prepared_bytes + vector_bytes();
  }
};

}  // namespace sparsmith
