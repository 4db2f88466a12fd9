// CUDA against OpenMP, bit for bit: every pipeline on the battery, on generated matrices and, where
// SPARSMITH_MATRICES names a folder of files, on each of those.
#if SPARSMITH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

#include <algorithm>

#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/read.hpp"
#include "convert/pipelines/structure.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/gpu_here.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

matrix_entries copy_of(const matrix_entries& source) {
  matrix_entries copy;
  copy.entries = copy_to<host>(source.entries);
  copy.imaginary = copy_to<host>(source.imaginary, place::host);
  copy.field = source.field;
  copy.symmetry = source.symmetry;
  return copy;
}

// Assembles and converts on both backends and compares every array.
template <class Offset, class Value>
void compare(const std::string& name, const matrix_entries& source) {
  if constexpr (has_cuda) {
    const openmp cpu;
    const cuda gpu;
    INFO(name << ", offset " << sizeof(Offset) << ", value " << sizeof(Value));
    assembly_report cpu_report, gpu_report;
    const auto m = assemble<openmp, Offset, Value>(cpu, copy_of(source), false, cpu_report, nullptr);
    const auto d = assemble<cuda, Offset, Value>(gpu, copy_of(source), false, gpu_report, nullptr);
    CHECK(identical(copy_to<host>(d), m));
    CHECK(cpu_report.duplicates_summed == gpu_report.duplicates_summed);
    CHECK(cpu_report.explicit_zeros == gpu_report.explicit_zeros);
    CHECK(cpu_report.narrowed == gpu_report.narrowed);
    if constexpr (is_complex<Value>)
      CHECK(identical(
          copy_to<host>(assemble<cuda, Offset, Value>(gpu, copy_of(source), true, gpu_report, nullptr)),
          assemble<openmp, Offset, Value>(cpu, copy_of(source), true, cpu_report, nullptr)));
    else
      CHECK(identical(copy_to<host>(drop_zeros(gpu, view(d), nullptr)), drop_zeros(cpu, view(m), nullptr)));
    CHECK(count_block_shapes(gpu, pattern_of(d)) == count_block_shapes(cpu, pattern_of(m)));
    conversion_options variants[] = {
        {{32, 1024}, -1, 50}, {{5, 12}, 2, 50}, {{32, 32}, 0, 50, 3, 2}, {{7, 70}, 1, 50, 8, 8}};
    variants[0].tile.rest_below = 1;
    variants[1].tile = {512, 256, 8, 0, renumbering::length, 20};
    variants[2].tile = {2048, 2048, 32, 0, renumbering::none, 0};
    variants[2].blocks.order = block_order::diagonal;
    variants[2].blocks.group_size = 7;
    variants[3].tile = {0, 0, 4, 32, renumbering::none, 0};
    variants[3].blocks.group_size = 200;
    for (const auto& options : variants)
      for (const format_kind format : all_formats()) {
        INFO(name_of(format));
        std::string cpu_refusal, gpu_refusal;
        any_format<Offset, Value, host> on_cpu;
        any_format<Offset, Value, device> on_gpu;
        try {
          on_cpu = from_csr<openmp, Offset, Value>(cpu, view(m), format, options, nullptr);
        } catch (const error& e) {
          cpu_refusal = e.what();
        }
        try {
          on_gpu = from_csr<cuda, Offset, Value>(gpu, view(d), format, options, nullptr);
        } catch (const error& e) {
          gpu_refusal = e.what();
        }
        CHECK(cpu_refusal == gpu_refusal);
        if (!cpu_refusal.empty() || !gpu_refusal.empty()) continue;
        std::visit(
            [&](const auto& c) {
              using format_type = std::remove_cvref_t<decltype(c)>;
              CHECK(identical(copy_to<host>(std::get<typename format_type::template in<device>>(on_gpu)), c));
            },
            on_cpu);
        CHECK(identical(copy_to<host>(to_csr<cuda, Offset, Value>(gpu, on_gpu, nullptr)), m));
      }
  }
}

}  // namespace

TEST_CASE("CUDA equals OpenMP on the battery") {
  if (!gpu_here()) return;
  for (const auto& m : battery()) {
    matrix_entries source;
    source.entries = as_coo(m);
    for_each_type([&]<class Offset, class Value>() { compare<Offset, Value>(m.name, source); });
    if (m.rows != m.cols) continue;
    for (const auto symmetry : {symmetry_kind::symmetric, symmetry_kind::skew_symmetric}) {
      source.symmetry = symmetry;
      compare<std::int32_t, double>(m.name + " as a triangle", source);
    }
  }
}

TEST_CASE("CUDA equals OpenMP on complex values") {
  if (!gpu_here()) return;
  for (const auto& m : battery()) {
    matrix_entries source;
    source.entries = as_coo(m);
    source.field = "complex";
    source.imaginary = array<double, host>(source.entries.values.size());
    std::reverse_copy(source.entries.values.begin(), source.entries.values.end(), source.imaginary.begin());
    compare<std::int32_t, complex64>(m.name, source);
    compare<std::int32_t, complex128>(m.name, source);
    compare<std::int64_t, complex128>(m.name, source);
    if (m.rows != m.cols) continue;
    for (const auto symmetry :
         {symmetry_kind::symmetric, symmetry_kind::skew_symmetric, symmetry_kind::hermitian}) {
      source.symmetry = symmetry;
      compare<std::int64_t, complex64>(m.name + " as a triangle", source);
    }
  }
}

TEST_CASE("CUDA assembles long lists as OpenMP does") {
  if (!gpu_here()) return;
  if constexpr (has_cuda)
    for (const auto& m : long_lists())
      for_each_type([&]<class Offset, class Value>() {
        INFO(m.name << ", offset " << sizeof(Offset) << ", value " << sizeof(Value));
        const auto list = as_coo_of<Value>(m);
        const auto on_gpu = coo_to_csr<cuda, Offset, Value>(cuda{}, copy_to<device>(list), nullptr);
        CHECK(identical(copy_to<host>(on_gpu),
                        coo_to_csr<openmp, Offset, Value>(openmp{}, copy_to<host>(list), nullptr)));
      });
}

TEST_CASE("CUDA equals OpenMP on generated matrices") {
  if (!gpu_here()) return;
  for (const std::string spec :
       {"gen:rmat?scale=15", "gen:uniform?n=3000&density=0.02", "gen:laplace3d?n=30", "gen:powerlaw?n=20000",
        "gen:denserow?n=5000", "gen:blockband?n=2000&block=5&density=0.05", "gen:uniform?n=1000&density=0.6",
        "gen:uniform?rows=300&cols=400000&density=1e-4", "gen:uniform?rows=2000&cols=3000000&density=2e-7",
        "gen:uniform?rows=200&cols=1700000&density=4e-4"}) {
    const auto source = read_matrix(spec);
    compare<std::int32_t, float>(spec, source);
    compare<std::int64_t, double>(spec, source);
    if constexpr (has_cuda) {
      assembly_report report;
      const auto m = assemble<openmp, std::int32_t, float>(openmp{}, copy_of(source), false, report, nullptr);
      const auto d = copy_to<device>(m);
      const tile_price here = price_tiles(openmp{}, pattern_of(m), {}),
                       there = price_tiles(cuda{}, pattern_of(d), {});
      CHECK(here.least_steps == there.least_steps);
      CHECK(here.rest == there.rest);
      const auto t = csr_to_gcsb_tile(openmp{}, view(m), {}, no_limit, nullptr);
      const auto dt = csr_to_gcsb_tile(cuda{}, view(d), {}, no_limit, nullptr);
      const auto lanes = lane_entry_counts(openmp{}, view(t)),
                 device_lanes = lane_entry_counts(cuda{}, view(dt));
      CHECK(std::equal(lanes.begin(), lanes.end(), device_lanes.begin(), device_lanes.end()));
    }
  }
}

// Parts of warps and warps for most lines, blocks for those with more entries than a warp lists, and the
// largest blocks, several a line where it can be cut, for the few that are far longer.
TEST_CASE("CUDA equals OpenMP where the lines of blocks want teams of every size") {
  if (!gpu_here()) return;
  for (const std::int32_t usual : {1, 40}) {
    named_matrix m{"short, long and huge rows", 3000, 500'000, {}};
    for (std::int32_t row = 0; row < m.rows; ++row) {
      const std::int32_t length = row == 100      ? 60'000
                                  : row == 2001   ? 30'000
                                  : row % 40 == 0 ? 300
                                                  : row % 5 * usual;
      for (std::int32_t i = 0; i < length; ++i) {
        const std::int32_t step = m.cols / length;
        m.entries.push_back({row, i * step + (i + 7 * row) % step, 1.0 + i % 7});
      }
    }
    matrix_entries source;
    source.entries = as_coo(m);
    compare<std::int32_t, float>(m.name, source);
    compare<std::int64_t, double>(m.name, source);
  }
}

// Arrays that others own begin anywhere, and their work is on a stream of theirs.
TEST_CASE("CUDA takes arrays of others as they are, on a stream of the caller's") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  const cuda on{stream};
  for (const std::string spec : {"gen:laplace2d?n=60", "gen:rmat?scale=12", "gen:denserow?n=3000"}) {
    INFO(spec);
    assembly_report report;
    const auto m =
        assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr);
    const survey expected = survey_entries(openmp{}, view(m), 16, 16, nullptr)();
    const std::vector<block_size> sizes = {{2, 2}, {3, 3}, {5, 5}, {8, 8}};
    const block_histograms expected_blocks = count_blocks_by_entries(openmp{}, pattern_of(m), sizes);
    for (const std::int64_t shift : {1, 3, 7}) {
      INFO("shifted by " << shift);
      const auto shifted = [&]<class T>(const array<T, host>& source) {
        array<T, device> copy(source.size() + shift);
        copy_bytes(place::device, copy.data() + shift, place::host, source.data(),
                   source.size() * std::int64_t{sizeof(T)});
        return copy;
      };
      const auto offsets = shifted(m.row_offsets), cols = shifted(m.col_indices);
      const auto values = shifted(m.values);
      const csr<std::int32_t, double, device::view> d{m.rows,
                                                      m.cols,
                                                      {offsets.data() + shift, m.row_offsets.size()},
                                                      {cols.data() + shift, m.col_indices.size()},
                                                      {values.data() + shift, m.values.size()}};
      const survey found = survey_entries(on, d, 16, 16, nullptr)();
      CHECK(found.counts.row_below == expected.counts.row_below);
      CHECK(found.counts.mirrored_equal == expected.counts.mirrored_equal);
      const diagonal_counts diagonals = count_diagonals(on, pattern_of(d), 5),
                            expected_diagonals = count_diagonals(openmp{}, pattern_of(m), 5);
      CHECK(diagonals.lengths == expected_diagonals.lengths);
      CHECK(diagonals.fullest == expected_diagonals.fullest);
      CHECK(found.ends.profile == expected.ends.profile);
      CHECK(found.col_lengths == expected.col_lengths);
      CHECK(found.grid == expected.grid);
      const bool same_blocks = count_blocks_by_entries(on, pattern_of(d), sizes) == expected_blocks;
      CHECK(same_blocks);
      conversion_options options;
      options.max_fill = 50;
      for (const format_kind format : formats_for(m)) {
        INFO(name_of(format));
        any_format<std::int32_t, double, device> converted;
        try {
          converted = from_csr<cuda, std::int32_t, double>(on, d, format, options, nullptr);
        } catch (const error& e) {
          CHECK(e.category() == failure::resources);
          continue;
        }
        CHECK(identical(copy_to<host>(to_csr<cuda, std::int32_t, double>(on, converted, nullptr)), m));
      }
    }
  }
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
#endif
}

TEST_CASE("CUDA equals OpenMP on a collection") {
  if (!gpu_here()) return;
  for_each_collected([](const std::string& name, const matrix_entries& source) {
    compare<std::int32_t, float>(name, source);
    compare<std::int64_t, double>(name, source);
  });
}
