// More entries than 32 bits count, for real: 2.2 billion of them from COO to CSR to GCSB's tiles on the GPU,
// and both products, of which sampled rows and columns are computed again from the rule that the entries
// follow. Asks for about 100 GB on the GPU and 30 GB on the host, and skips where they are not there.
#include <omp.h>

#include <chrono>
#include <cmath>
#include <iostream>

#include "convert/convert.hpp"
#include "kernels/bound_kernels.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/gpu_here.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

constexpr std::int64_t rows = 1'000'000, cols = 1'000'003, in_a_row = 2200;  // the columns are a prime
constexpr std::int64_t entries = rows * in_a_row;
constexpr std::int64_t stride = 611'953;

// Row i has its entries at start_of(i), and every stride from there around the columns.
std::int64_t start_of(std::int64_t row) {
  return (row * 7919 + row / 1000 * 104'729) % cols;
}
std::int64_t col_of(std::int64_t row, std::int64_t nth) {
  return (start_of(row) + nth * stride) % cols;
}
float value_of(std::int64_t row, std::int64_t nth) {
  return static_cast<float>((row * 31 + nth * 17) % 1021 - 510) / 256;
}
float x_at(std::int64_t i) {
  return static_cast<float>(i % 257 - 128) / 64;
}

// The number whose product with `of` is 1, among the columns: of^(cols - 2).
std::int64_t inverse(std::int64_t of) {
  std::int64_t result = 1;
  for (std::int64_t power = cols - 2; power > 0; power /= 2, of = of * of % cols)
    if (power % 2 == 1) result = result * of % cols;
  return result;
}

// A sum in double, and how far one in float may be from it.
struct exact_sum {
  double value = 0, magnitude = 0;
  std::int64_t terms = 0;
  void add(double term) {
    value += term;
    magnitude += std::fabs(term);
    ++terms;
  }
  bool near(float computed) const {
    return std::fabs(computed - value) <=
           (static_cast<double>(terms) + 4) * 0x1p-24 * magnitude + 0x1p-24 * std::fabs(value);
  }
};

exact_sum row_sum(std::int64_t row) {
  exact_sum sum;
  for (std::int64_t nth = 0; nth < in_a_row; ++nth)
    sum.add(double{value_of(row, nth)} * double{x_at(col_of(row, nth))});
  return sum;
}

exact_sum col_sum(std::int64_t col) {
  static const std::int64_t back = inverse(stride);
  exact_sum sum;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t nth = (col - start_of(row) + cols) % cols * back % cols;
    if (nth < in_a_row) sum.add(double{value_of(row, nth)} * double{x_at(row)});
  }
  return sum;
}

array<float, host> x_of(std::int64_t size) {
  array<float, host> x(size);
  for (std::int64_t i = 0; i < size; ++i) x[i] = x_at(i);
  return x;
}

// The first entries of all rows, then the second ones: as far from sorted by rows as can be.
coo<float, host> all_entries() {
  coo<float, host> made;
  made.rows = static_cast<std::int32_t>(rows);
  made.cols = static_cast<std::int32_t>(cols);
  made.row_indices = array<std::int32_t, host>(entries);
  made.col_indices = array<std::int32_t, host>(entries);
  made.values = array<float, host>(entries);
#pragma omp parallel for schedule(static)
  for (std::int64_t nth = 0; nth < in_a_row; ++nth)
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = nth * rows + row;
      made.row_indices[at] = static_cast<std::int32_t>(row);
      made.col_indices[at] = static_cast<std::int32_t>(col_of(row, nth));
      made.values[at] = value_of(row, nth);
    }
  return made;
}

template <class Work>
auto told(const char* name, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  auto result = work();
  if constexpr (has_cuda) synchronize(cuda{});
  std::cout << name << ": " << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()
            << " s, at most " << format_bytes(peak_bytes(place::device)) << " on the GPU so far\n"
            << std::flush;
  return result;
}

}  // namespace

TEST_CASE("2.2 billion entries") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    if (available_bytes(place::device) < (std::int64_t{105} << 30) ||
        available_bytes(place::host) < (std::int64_t{40} << 30)) {
      std::cout << "SKIPPED: too little memory for 2.2 billion entries\n";
      return;
    }
    reset_peak_bytes(place::device);
    auto compressed = [] {
      auto there = [] {
        const auto made = told("entries made on the host", all_entries);
        return told("copied to the GPU", [&] { return copy_to<device>(made); });
      }();
      return told("COO to CSR",
                  [&] { return coo_to_csr<cuda, std::int64_t, float>({}, std::move(there), nullptr); });
    }();
    REQUIRE(compressed.values.size() == entries);
    const auto tiled = told("CSR to GCSB's tiles", [&] {
      return from_csr<cuda, std::int64_t, float>({}, view(compressed), format_kind::gcsb_tile, {}, nullptr);
    });
    compressed = {};
    int products = 0;
    std::visit(
        [&](const auto& stored) {
          for (const auto& kernel : bound_kernels_of(cuda{}, view(stored)))
            for (const operation op : plain_operations) {
              if (kernel.info.vendor || !kernel.why_not(op).empty()) continue;
              INFO(kernel.info.name);
              const bool transposed = op == operation::transposed;
              const auto x = copy_to<device>(x_of(transposed ? rows : cols), place::host);
              array<float, device> y(transposed ? cols : rows);
              const auto prepared = kernel.prepare(op);
              const std::string name = std::string(kernel.info.name) + (transposed ? ", A^T x" : ", A x");
              told(name.c_str(), [&] {
                prepared.run(1, x.data(), 0, y.data());
                synchronize(cuda{});
                return 0;
              });
              ++products;
              const auto result = copy_to<host>(y, place::device);
              // Also the last ones, whose entries lie behind what 32 bits count.
              for (std::int64_t i = 0; i < 400; ++i) {
                const std::int64_t at = i < 200 ? result.size() - 1 - i : i * 7919 % result.size();
                const exact_sum expected = transposed ? col_sum(at) : row_sum(at);
                INFO((transposed ? "column " : "row ")
                     << at << ": " << result[at] << " for " << expected.value);
                CHECK(expected.near(result[at]));
              }
            }
        },
        tiled);
    CHECK(products >= 2);
    std::cout << entries << " entries, " << products << " products; peak on the GPU "
              << format_bytes(peak_bytes(place::device)) << "\n";
  }
}
