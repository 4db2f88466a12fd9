// The analysis on CUDA against OpenMP: the same features, down to the text of the JSON.
#include "analyze/structure/features.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/report/json.hpp"
#include "convert/io/read.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/gpu_here.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

template <class Offset, class Value>
void compare(const std::string& name, const csr<Offset, Value, host>& m) {
  if constexpr (has_cuda) {
    INFO(name << ", offset " << sizeof(Offset) << ", value " << sizeof(Value));
    const auto d = copy_to<device>(m);
    const std::vector<block_size> sizes = {{1, 1},   {2, 2},       {3, 3},   {7, 2},  {8, 8},
                                           {16, 8},  {16, 16},     {24, 24}, {1, 64}, {64, 1},
                                           {600, 3}, {1000, 1000}, {2, 2}};
    const auto here = count_blocks_by_entries(openmp{}, pattern_of(m), sizes);
    const auto there = count_blocks_by_entries(cuda{}, pattern_of(d), sizes);
    for (const block_size& size : sizes) {
      INFO("blocks of " << size.rows << " x " << size.cols);
      CHECK(here.at(size) == there.at(size));
    }
    for (const sell_shape shape : {sell_shape{32, 1024}, sell_shape{5, 12}, sell_shape{32, 8}})
      CHECK(count_sell_slots(openmp{}, pattern_of(m), shape) ==
            count_sell_slots(cuda{}, pattern_of(d), shape));
    feature_request fine, coarse;
    fine.grid_rows = 9;
    fine.grid_cols = 5000;  // more than a GPU's block counts by itself
    fine.blocks.push_back({8, 4});
    fine.longest = 3;
    coarse.plan.tile = true;
    for (const feature_request& request : {coarse, fine}) {
      const auto on_cpu = to_json(features_of(openmp{}, view(m), request, nullptr));
      const auto on_gpu = to_json(features_of(cuda{}, view(d), request, nullptr));
      std::string differences;
      for (const auto& difference : nlohmann::ordered_json::diff(on_cpu, on_gpu))
        if (differences.size() < 1000) differences += difference.dump() + "\n";
      INFO(differences);
      const bool same = on_cpu.dump() == on_gpu.dump();  // texts that long are not for printing
      CHECK(same);
    }
  }
}

template <class Offset, class Value>
void compare_entries(const std::string& name, matrix_entries&& source) {
  assembly_report report;
  compare(name, assemble<openmp, Offset, Value>(openmp{}, std::move(source), false, report, nullptr));
}

}  // namespace

TEST_CASE("features on CUDA equal those on OpenMP on the battery") {
  if (!gpu_here()) return;
  for (const auto& m : battery())
    for_each_type([&]<class Offset, class Value>() {
      compare(m.name, coo_to_csr<openmp, Offset, Value>(openmp{}, as_coo_of<Value>(m), nullptr));
    });
}

TEST_CASE("features on CUDA equal those on OpenMP on generated matrices") {
  if (!gpu_here()) return;
  for (const std::string spec :
       {"gen:rmat?scale=15", "gen:uniform?n=3000&density=0.02", "gen:laplace3d?n=30", "gen:powerlaw?n=20000",
        "gen:denserow?n=5000", "gen:blockband?n=2000&block=5&density=0.05",
        "gen:uniform?n=1000&density=0.6"}) {
    compare_entries<std::int32_t, float>(spec, read_matrix(spec));
    compare_entries<std::int64_t, double>(spec, read_matrix(spec));
  }
}

TEST_CASE("rows with more blocks than there are counters for") {
  if (!gpu_here()) return;
  for (const std::int32_t step : {1, 3}) {
    named_matrix wide{"two long rows", 20, 200'000, {}};
    for (const std::int32_t row : {3, 17})
      for (std::int32_t col = 0; col < wide.cols; col += step) wide.entries.push_back({row, col, 1});
    named_matrix tall{"two long columns", 200'000, 20, {}};
    for (const auto& e : wide.entries) tall.entries.push_back({e.col, e.row, e.value});
    for (const auto& m : {wide, tall})
      compare(m.name, coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo_of<double>(m), nullptr));
  }
}

TEST_CASE("rows of many lengths, and of a band that is not alike from row to row") {
  if (!gpu_here()) return;
  named_matrix lengths{"many lengths", 3000, 1300, {}}, band{"uneven band", 5000, 5000, {}};
  for (std::int32_t row = 0; row < lengths.rows; ++row)
    for (std::int32_t i = 0; i < row * 7 % lengths.cols; ++i) lengths.entries.push_back({row, i, 1});
  for (std::int32_t row = 0; row < band.rows; ++row)
    for (std::int32_t col = std::max(0, row - 20); col < std::min(band.cols, row + 20); ++col)
      if (std::min(row, col) * 31 % 7 + std::max(row, col) * 17 % 11 < row % 9)
        band.entries.push_back({row, col, static_cast<double>(row * col % 3)});
  // Rows without gaps but for some, with mirror images that are equal, negated and neither.
  named_matrix dense{"dense band", 3000, 3000, {}};
  for (std::int32_t row = 0; row < dense.rows; ++row)
    for (std::int32_t col = std::max(0, row - 45); col <= std::min(dense.cols - 1, row + 45); ++col) {
      if (row % 97 == 5 || (row % 50 == 17 && col == row + 7)) continue;
      const std::int32_t low = std::min(row, col), high = std::max(row, col), kind = (low + high) % 3;
      const double value = 1 + (low * 13 + high) % 5;
      dense.entries.push_back({row, col, kind == 0 || row < col ? value : kind == 1 ? -value : value + row});
    }
  for (const auto& m : {lengths, band, dense})
    compare(m.name, coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo_of<double>(m), nullptr));
}

TEST_CASE("block rows that just fill a table on a GPU, and that just do not") {
  if (!gpu_here()) return;
  named_matrix m{"tables filled", 0, 40'000, {}};
  for (const std::int32_t together : {1, 8, 15})  // rows that share the entries of a block row
    for (const std::int32_t entries : {1536, 1, 0, 1535, 1, 1537, 0, 768, 768, 769, 767, 1, 2047, 2048, 0, 3})
      for (std::int32_t row = 0; row < together; ++row, ++m.rows)
        for (std::int32_t i = row; i < entries; i += together) m.entries.push_back({m.rows, i * 17, 1});
  compare(m.name, coo_to_csr<openmp, std::int32_t, float>(openmp{}, as_coo_of<float>(m), nullptr));
  compare(m.name, coo_to_csr<openmp, std::int64_t, double>(openmp{}, as_coo_of<double>(m), nullptr));
}

TEST_CASE("blocks of rows that are close together, empty, cut at the edges, scattered") {
  if (!gpu_here()) return;
  std::uint32_t state = 1;
  const auto random = [&](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return static_cast<std::int32_t>((state >> 8) % below);
  };
  // Distinct columns, not sorted.
  const auto fill_row = [&](named_matrix& m, std::int32_t row, std::int32_t entries) {
    const std::int32_t start = random(static_cast<std::uint32_t>(m.cols)), step = 2 * random(1000) + 1;
    for (std::int64_t i = 0; i < entries; ++i)
      m.entries.push_back({row, static_cast<std::int32_t>((start + i * step) % m.cols), 1.0 + random(3)});
  };
  named_matrix close{"close together", 95, 61, {}};
  for (std::int32_t row = 0; row < close.rows; ++row)
    for (std::int32_t col = 0; col < close.cols; ++col)
      if (row / 10 % 4 != 3 && random(5) != 0) close.entries.push_back({row, col, 1.0});
  // More blocks than a table holds, in so many columns that they are not counted one by one.
  named_matrix scattered{"scattered", 64, 1 << 22, {}};
  for (std::int32_t row = 0; row < scattered.rows; ++row) fill_row(scattered, row, 200 + random(1500));
  named_matrix uneven{"uneven", 3001, 1 << 18, {}};
  for (std::int32_t row = 0; row < uneven.rows; ++row)
    fill_row(uneven, row, random(50) == 0 ? 5000 : random(3) == 0 ? 0 : random(20));
  for (const auto& m : {close, scattered, uneven}) {
    compare(m.name, coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo_of<double>(m), nullptr));
    compare(m.name, coo_to_csr<openmp, std::int64_t, float>(openmp{}, as_coo_of<float>(m), nullptr));
  }
}

TEST_CASE("features on CUDA equal those on OpenMP on a collection") {
  if (!gpu_here()) return;
  for_each_collected([](const std::string& name, matrix_entries& source) {
    compare_entries<std::int32_t, double>(name, std::move(source));
  });
}
