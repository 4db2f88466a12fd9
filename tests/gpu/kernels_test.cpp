// The kernels on CUDA: every one, ours and the vendor's, on the whole battery and on matrices large enough to
// fill a GPU.
#if SPARSMITH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

#include <iostream>

#include "analyze/recommend/race.hpp"
#include "analyze/recommend/verdict.hpp"
#include "convert/io/read.hpp"
#include "kernels/measure.hpp"
#include "kernels/rates.hpp"
#include "kernels/vendor/cusparse.hpp"
#include "tests/analyze/recommend/variants.hpp"
#include "tests/gpu/gpu_here.hpp"
#include "tests/kernels/check_kernels.hpp"
#include "tests/kernels/check_refusals.hpp"
#include "tests/kernels/cold_memory.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

void print(const kernel_tally& tally) {
  for (const auto& [name, runs] : tally.runs) std::cout << name << " " << runs << " runs\n";
  for (const auto& [name, reasons] : tally.refusals)
    for (const std::string& reason : reasons) std::cout << name << " refuses: " << reason << "\n";
  std::cout << tally.total() << " runs of " << tally.runs.size() << " kernels\n";
}

}  // namespace

TEST_CASE("every kernel on CUDA, on the battery", "[battery]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    check_battery(cuda{}, tally);
    print(tally);
    for (const kernel_info& k : kernels_on<cuda>()) {
      INFO(k.name);
      CHECK(tally.runs[k.name] > 0);
    }
  }
}

TEST_CASE("what kernels on CUDA refuse is what is expected of the price", "[battery]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    const auto refused = check_refusals(cuda{});
    for (const char* const name : {"coo/scan-32", "coo/scan-1024", "sell/cusparse", "bsr/cusparse",
                                   "bsr/cusparse-bsrmv", "ecsb/coo", "ecsb/ell", "ecsb/hyb"}) {
      INFO(name);
      CHECK(refused.count(name) == 1);
    }
  }
}

TEST_CASE("every kernel on CUDA, on generated matrices", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    for (const std::string spec :
         {"gen:rmat?scale=14", "gen:uniform?n=3000&density=0.05", "gen:laplace3d?n=40",
          "gen:denserow?n=20000", "gen:blockband?n=4000&block=5&density=0.05", "gen:powerlaw?n=20000",
          "gen:lopsided?rows=700&cols=30000&longest=20000", "gen:uniform?rows=40&cols=5000&density=0.4",
          "gen:uniform?rows=40&cols=15000&density=0.4"}) {
      assembly_report report;
      std::vector<conversion_options> variants = kernel_variants();
      variants.resize(2);
      for (conversion_options& o : variants) o.max_fill = 40;
      variants[1].tile = {};
      check_kernels(
          cuda{}, spec,
          assemble<openmp, std::int32_t, float>(openmp{}, read_matrix(spec), false, report, nullptr),
          variants, tally);
      check_kernels(
          cuda{}, spec,
          assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr),
          variants, tally);
    }
    print(tally);
  }
}

namespace {

// Rows of a triangle that are cut into pieces, and a column that all rows add to.
csr<std::int32_t, float, host> symmetric_hubs(std::int32_t n, bool skew) {
  named_matrix hubs{"", n, n, {}};
  random_source random(5);
  for (std::int32_t i = 0; i < n; ++i) {
    hubs.entries.push_back({0, i, random.value()});
    if (i > 7 && i % 2 == 0) hubs.entries.push_back({7, i, random.value()});
    const std::int32_t last = n - 1 - i % 5;
    if (i > 0 && i != 7) hubs.entries.push_back({std::min(i, last), last, random.value()});
  }
  if (skew) std::erase_if(hubs.entries, [](const triplet& t) { return t.row == t.col; });
  const auto made =
      coo_to_csr<openmp, std::int32_t, float>({}, as_coo_of<float>(mirrored(hubs, skew)), nullptr);
  REQUIRE(mirror_sign(made) == (skew ? -1 : 1));
  return with_integers(copy_to<host>(made));
}

constexpr const char* names_of_halves[] = {"csr/half", "dia/half", "bsr/half", "gcsb/tile-half"};

}  // namespace

TEST_CASE("halves on CUDA, with hubs", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    std::vector<conversion_options> variants = kernel_variants();
    for (conversion_options& o : variants) o.max_fill = 40;
    kernel_tally tally;
    for (const bool skew : {false, true})
      check_kernels(cuda{}, "hubs", symmetric_hubs(9000, skew), variants, tally, {.exact = true});
    for (const char* const name : names_of_halves) CHECK(tally.runs[name] > 0);
  }
}

TEST_CASE("every kernel on CUDA is exact where sums are, also from a graph", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    for (const std::string spec :
         {"gen:rmat?scale=12", "gen:denserow?n=20000", "gen:blockband?n=4000&block=5&density=0.05",
          "gen:lopsided?rows=700&cols=30000&longest=20000", "gen:laplace3d?n=40"}) {
      assembly_report report;
      std::vector<conversion_options> variants = kernel_variants();
      for (conversion_options& o : variants) o.max_fill = 40;
      check_kernels(cuda{}, spec,
                    with_integers(assemble<openmp, std::int32_t, float>(openmp{}, read_matrix(spec), false,
                                                                        report, nullptr)),
                    variants, tally, {.exact = true});
    }
    print(tally);
  }
}

// A kernel may start before the one that scales its y has ended, but never before the product that made its
// x.
TEST_CASE("products in a row on CUDA take what the one before made", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    int kernels = 0;
    for (const std::string spec : {"gen:laplace2d?n=40", "gen:rmat?scale=10"}) {
      assembly_report report;
      const auto m = with_integers(
          assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr));
      const auto source = copy_to<device>(m);
      const auto x = integer_vector<double>(m.cols, 3);
      const auto product = [&](operation op, const double* from) {
        return multiply_reference<std::int32_t, double>(m, op, 1, from, 0, nullptr, 0).y;
      };
      const auto there = product(operation::multiply, x.data());
      const auto back = product(operation::transposed, there.data());
      const auto there_again = product(operation::multiply, back.data());
      const auto own_x = copy_to<device>(x, place::host);
      for (const format_kind format : formats_for(m)) {
        conversion_options options;
        options.max_fill = no_limit;
        const auto converted =
            from_csr<cuda, std::int32_t, double>(cuda{}, view(source), format, options, nullptr);
        std::visit(
            [&](const auto& stored) {
              const auto shown = view(stored);
              for (const auto& line : kernels_of(shown)) {
                INFO(spec << ", " << line.info.name);
                if (!line.info.computes(operation::multiply) || !line.info.computes(operation::transposed) ||
                    !line.why_not(shown, operation::multiply).empty() ||
                    !line.why_not(shown, operation::transposed).empty())
                  continue;
                ++kernels;
                const auto multiply = line.prepare(cuda{}, shown, operation::multiply);
                const auto transpose = line.prepare(cuda{}, shown, operation::transposed);
                for (int round = 0; round < 10; ++round) {
                  auto y = copy_to<device>(random_vector<double>(m.rows, 31), place::host);
                  auto z = copy_to<device>(random_vector<double>(m.cols, 32), place::host);
                  auto again = copy_to<device>(random_vector<double>(m.rows, 33), place::host);
                  multiply.run(1, own_x.data(), 0, y.data());
                  transpose.run(1, y.data(), 0, z.data());
                  multiply.run(1, z.data(), 0, again.data());
                  synchronize(cuda{});
                  const auto found = copy_to<host>(again, place::device);
                  REQUIRE(std::equal(found.data(), found.data() + found.size(), there_again.data()));
                }
              }
            },
            converted);
      }
    }
    CHECK(kernels > 40);
  }
}

namespace {

// bsr/stream on blocks of one side, with x that starts `past` elements after an aligned address.
template <class Value>
void check_side(const csr<std::int32_t, Value, host>& m, std::int32_t side, std::int64_t past) {
  INFO("side " << side << ", " << sizeof(Value) << " bytes, x past " << past);
  const auto source = copy_to<device>(m);
  conversion_options options;
  options.bsr_block = {side, side};
  options.max_fill = no_limit;
  const auto converted =
      from_csr<cuda, std::int32_t, Value>(cuda{}, view(source), format_kind::bsr, options, nullptr);
  const auto shown = view(std::get<bsr<std::int32_t, Value, device>>(converted));
  for (const auto& line : kernels_of(shown)) {
    if (std::string(line.info.name) != "bsr/stream") continue;
    for (const operation op : plain_operations) {
      INFO(name_of(op));
      const auto x = random_vector<Value>(inputs(m, op) + past, 21);
      const auto own_x = copy_to<device>(x, place::host);
      const auto before = random_vector<Value>(outputs(m, op) + guard, 22);
      auto y = copy_to<device>(before, place::host);
      line.prepare(cuda{}, shown, op).run(Value{2}, own_x.data() + past, Value{-1}, y.data());
      synchronize(cuda{});
      const auto expected = multiply_reference<std::int32_t, Value>(m, op, Value{2}, x.data() + past,
                                                                    Value{-1}, before.data(), 0);
      CHECK(first_wrong(expected, copy_to<host>(y, place::device)) == -1);
    }
  }
}

}  // namespace

// Sides whose code is compiled in read several values at once, and x too where it lies right and no block
// hangs over the edge.
TEST_CASE("bsr/stream on blocks of every side, from x that starts anywhere", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    for (const std::string spec :
         {"gen:blockband?n=960&block=5&density=0.2", "gen:uniform?n=1001&density=0.05",
          "gen:lopsided?rows=90&cols=9000&longest=7000"})
      for (const std::int32_t side : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 32})
        for (const std::int64_t past : {0, 1, 2}) {
          INFO(spec);
          assembly_report report;
          check_side(
              assemble<openmp, std::int32_t, float>(openmp{}, read_matrix(spec), false, report, nullptr),
              side, past);
          check_side(
              assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr),
              side, past);
        }
  }
}

TEST_CASE("kernels of several matrices can be ready at the same time", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    assembly_report report;
    const auto m = copy_to<device>(assemble<openmp, std::int32_t, double>(
        openmp{}, read_matrix("gen:uniform?n=3000&density=0.05"), false, report, nullptr));
    // The first needs far more shared memory than the second.
    const auto large = csr_to_gcsb_tile(cuda{}, view(m), {1024, 1024}, no_limit, nullptr);
    const auto small = csr_to_gcsb_tile(cuda{}, view(m), {256, 256}, no_limit, nullptr);
    const auto first = kernels_of(view(large)).front().prepare(cuda{}, view(large), operation::multiply);
    const auto second = kernels_of(view(small)).front().prepare(cuda{}, view(small), operation::multiply);
    const auto x = copy_to<device>(integer_vector<double>(3000, 3), place::host);
    const array<double, host> poison = random_vector<double>(3000 + guard, 1);
    const auto a = run_kernel(cuda{}, first, 1.0, x, 0.0, poison),
               b = run_kernel(cuda{}, second, 1.0, x, 0.0, poison);
    for (std::int64_t i = 0; i < 3000; ++i) CHECK(std::fabs(a[i] - b[i]) <= 1e-10 * (1 + std::fabs(a[i])));
  }
}

TEST_CASE("every kernel on CUDA runs from another thread than the one that prepared it", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    for (const std::string spec :
         {"gen:rmat?scale=9", "gen:uniform?n=600&density=0.05", "gen:laplace2d?n=20"}) {
      assembly_report report;
      const auto m =
          assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr);
      // On the default stream, which all threads share, and on the one that every thread has for itself.
      for (const cuda on : {cuda{}, capturable(cuda{})}) check_from_another_thread(on, m, 0, tally);
    }
    print(tally);
    for (const kernel_info& k : kernels_on<cuda>()) {
      INFO(k.name);
      CHECK(tally.runs[k.name] > 0);
    }
  }
}

// What other libraries of the process allocate comes from the device's default pool: what we keep must not be
// theirs.
TEST_CASE("memory comes from a pool of our own, which keeps it", "[memory]") {
  if (!gpu_here()) return;
#if SPARSMITH_HAS_CUDA
  const auto default_pool = [](cudaMemPoolAttr attribute) {
    cudaMemPool_t pool = nullptr;
    std::uint64_t value = 1;
    REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
    REQUIRE(cudaMemPoolGetAttribute(pool, attribute, &value) == cudaSuccess);
    return value;
  };
  // What was ever used or held: the vendor's products, which other tests ran, may have taken something there.
  const std::uint64_t used = default_pool(cudaMemPoolAttrUsedMemHigh),
                      reserved = default_pool(cudaMemPoolAttrReservedMemHigh);
  {
    assembly_report report;
    const auto m = assemble<cuda, std::int32_t, double>(
        cuda{}, read_matrix("gen:uniform?n=3000&density=0.05"), false, report, nullptr);
    const auto tiles = csr_to_gcsb_tile(cuda{}, view(m), {256, 256}, no_limit, nullptr);
    const auto ready = kernels_of(view(tiles)).front().prepare(cuda{}, view(tiles), operation::multiply);
    const auto x = copy_to<device>(random_vector<double>(3000, 3), place::host);
    (void)run_kernel(cuda{}, ready, 1.0, x, 0.0, random_vector<double>(3000 + guard, 1));
    CHECK(default_pool(cudaMemPoolAttrUsedMemCurrent) == 0);
  }
  constexpr std::int64_t much = 256 << 20;
  { const array<char, device> large(much); }
  synchronize(cuda{});
  CHECK(default_pool(cudaMemPoolAttrReleaseThreshold) == 0);
  CHECK(default_pool(cudaMemPoolAttrReservedMemCurrent) == 0);
  CHECK(default_pool(cudaMemPoolAttrUsedMemHigh) == used);
  CHECK(default_pool(cudaMemPoolAttrReservedMemHigh) == reserved);
  // What is there for us beyond what the device has free is what our pool kept; other processes may take some
  // in between.
  std::size_t unused = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&unused, &total) == cudaSuccess);
  CHECK(available_bytes(place::device) - static_cast<std::int64_t>(unused) >= much / 2);
#endif
}

// As an exhaustive run has it, with CSC as the vendor's copy of A^T.
TEST_CASE("the race on CUDA has a baseline, right results and a verdict", "[race]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    assembly_report report;
    const auto m = assemble<cuda, std::int32_t, double>(
        cuda{}, read_matrix("gen:uniform?n=2000&density=0.02"), false, report, nullptr);
    race_request request;
    request.sampling = {3, true};
    conversion_options options;
    options.max_fill = 50;
    for (const format_kind format : formats_for(copy_to<host>(m)))
      for (format_variant& variant : variants_of(format, options))
        request.field.push_back({std::move(variant)});
    const matrix_result found = race<cuda, std::int32_t, double>(cuda{}, view(m), request, {});
    for (const operation op : plain_operations)
      CHECK(found.base_name(op).find("cusparse") != std::string::npos);
    for (const variant_result& f : found.variants) {
      INFO(f.label());
      CHECK(f.refused == "");
      std::int64_t timed = 0;
      for (const contestant_result& k : f.contestants) {
        INFO(k.info.name << " " << name_of(k.op));
        CHECK(k.wrong == "");
        timed += k.timed() ? 1 : 0;
      }
      CHECK(timed > 0);
    }
    CHECK(ours_of(found, true).product[0]);
    CHECK(vendor_of(found, {}).csr);
    CHECK(vendor_of(found, {}).two_copies.stored.size() == 2);
  }
}

namespace {

// gcsb/tile on x and y that begin anywhere, with an infinite x that most rows have nothing to do with,
// several times in a row.
template <class Value>
void check_tiles_anywhere(const std::string& spec, const tile_options& options) {
  assembly_report report;
  const auto m = with_integers(
      assemble<openmp, std::int32_t, Value>(openmp{}, read_matrix(spec), false, report, nullptr));
  const auto on_device = copy_to<device>(m);
  const auto tiles = csr_to_gcsb_tile(cuda{}, view(on_device), options, no_limit, nullptr);
  for (const operation op : plain_operations) {
    const bool transposed = op == operation::transposed;
    const std::int64_t in = inputs(m, op), out = outputs(m, op);
    const auto ready = kernels_of(view(tiles)).front().prepare(cuda{}, view(tiles), op);
    array<Value, host> x = integer_vector<Value>(in, 3);
    x[in / 2] = std::numeric_limits<Value>::infinity();
    std::vector<Value> expected(static_cast<std::size_t>(out), 0);
    for (std::int32_t r = 0; r < m.rows; ++r)
      for (std::int32_t e = m.row_offsets[r]; e < m.row_offsets[r + 1]; ++e) {
        const std::int32_t c = m.col_indices[e];
        expected[static_cast<std::size_t>(transposed ? c : r)] += 2 * m.values[e] * x[transposed ? r : c];
      }
    for (const auto& [x_shift, y_shift] : {std::pair(0, 0), {1, 3}, {2, 0}, {3, 1}, {0, 2}}) {
      array<Value, host> shifted_x(in + 4), y = integer_vector<Value>(out + 8, 5);
      std::copy(x.begin(), x.end(), shifted_x.data() + x_shift);
      const auto device_x = copy_to<device>(shifted_x, place::host);
      for (const Value beta : {Value{0}, Value{-1}, Value{0}}) {
        auto device_y = copy_to<device>(y, place::host);
        ready.run(2, device_x.data() + x_shift, beta, device_y.data() + y_shift);
        const auto found = copy_to<host>(device_y, place::device);
        std::int64_t different = 0;
        for (std::int64_t i = 0; i < out + 8; ++i) {
          const bool inside = i >= y_shift && i < y_shift + out;
          const Value right =
              inside ? expected[static_cast<std::size_t>(i - y_shift)] + (beta == 0 ? Value{0} : beta * y[i])
                     : y[i];
          different += std::isfinite(right) ? found[i] != right : std::isfinite(found[i]);
        }
        INFO(spec << ", " << name_of(op) << ", x + " << x_shift << ", y + " << y_shift << ", beta " << beta);
        CHECK(different == 0);
      }
    }
  }
}

}  // namespace

TEST_CASE("tiles multiply x and y that begin anywhere, and padding meets no infinite x", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    // One launch and two, outputs scaled by few thread blocks and by many, with a rest and without,
    // renumbered with few sums and with many, few lanes.
    const std::vector<std::pair<std::string, tile_options>> cases = {
        {"gen:laplace3d?n=25", {256, 256}},
        {"gen:laplace3d?n=70", {256, 256}},
        {"gen:diagonal?n=300000&band=3", {256, 256, 32, 0, renumbering::none, 1000}},
        {"gen:uniform?n=3001&density=0.02", {1024, 512}},
        {"gen:uniform?n=100001&density=0.0002", {1024, 1024, 32, 0, renumbering::none, 0}},
        {"gen:uniform?rows=901&cols=70003&density=0.0005", {256, 256, 32, 0, renumbering::none, 60}},
        {"gen:rmat?scale=11", {256, 512, 32, 0, renumbering::length, 32}},
        {"gen:rmat?scale=15", {512, 512, 32, 32, renumbering::length, 64}},
        {"gen:uniform?n=1500&density=0.01", {256, 256, 8, 0, renumbering::none, 0}},
        {"gen:diagonal?n=1", {256, 256}}};
    for (const auto& [spec, options] : cases) {
      check_tiles_anywhere<float>(spec, options);
      check_tiles_anywhere<double>(spec, options);
    }
  }
}

TEST_CASE("padding of no format on CUDA meets x, and nothing behind x is read", "[generated]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    check_padding<float>(cuda{}, tally);
    check_padding<double>(cuda{}, tally);
    check_infinities_of_halves<float>(cuda{}, tally);
    check_infinities_of_halves<double>(cuda{}, tally);
    print(tally);
    for (const char* const name : {"ell/thread", "ell/split", "sell/thread", "sell/split", "hyb/thread",
                                   "dia/rows", "ecsb/ell", "ecsb/hyb", "gcsb/lane", "gcsb/tile", "bsr/stream",
                                   "bsr/unrolled", "csr/half", "dia/half", "bsr/half", "gcsb/tile-half"}) {
      INFO(name);
      CHECK(tally.runs[name] > 0);
    }
  }
}

// Small enough for compute-sanitizer, with every kernel of ours in it.
TEST_CASE("every kernel of ours on CUDA, a sample for the sanitizers", "[.sample]") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    kernel_tally tally;
    for (const std::string spec :
         {"gen:rmat?scale=8", "gen:blockband?n=600&block=5&density=0.2", "gen:uniform?n=261&density=0.1",
          "gen:laplace2d?n=20", "gen:uniform?rows=30&cols=2000&density=0.4"}) {
      assembly_report report;
      check_kernels(
          cuda{}, spec,
          assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr),
          kernel_variants(), tally, {.with_vendor = false});
    }
    for (const bool skew : {false, true})  // with a row in pieces
      check_kernels(cuda{}, "hubs", symmetric_hubs(2500, skew), {{.max_fill = 40}}, tally,
                    {.with_vendor = false});
    print(tally);
    for (const char* const name : names_of_halves) CHECK(tally.runs[name] > 0);
    // Of gcsb/tile, what the variants leave out: all lanes with a rest, renumbered and not, many outputs.
    check_tiles_anywhere<float>("gen:rmat?scale=9", {256, 256, 32, 0, renumbering::length, 20});
    check_tiles_anywhere<double>("gen:rmat?scale=9", {256, 256, 32, 0, renumbering::none, 20});
    check_tiles_anywhere<float>("gen:uniform?n=9001&density=0.001", {512, 512, 32, 0, renumbering::none, 0});
  }
}

TEST_CASE("measuring on CUDA") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    CHECK(copy_bandwidth(cuda{}) > 1e10);
    CHECK(copy_bandwidth(capturable(cuda{})) > 1e10);
    CHECK(capturable(cuda{}).stream != nullptr);
    CHECK(capturable(capturable(cuda{})).stream == capturable(cuda{}).stream);
    // The default stream cannot be captured, and whoever measures on it is told so.
    try {
      (void)take_samples(cuda{}, [] {}, {});
      FAIL_CHECK("measured on the default stream");
    } catch (const error& problem) {
      CHECK(problem.category() == failure::usage);
    }
  }
}

TEST_CASE("those who measure at the same time on CUDA share what replaces the cache") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    CHECK(blocks_of_cold_memory(cuda{}) == 1);
  }
}

TEST_CASE("rates of the GPU are plausible and quickly measured") {
  if (!gpu_here()) return;
  if constexpr (has_cuda) {
    synchronize(cuda{});  // the first call of all waits for the driver
    const double start = seconds_now();
    const machine_rates rates = measure_rates(cuda{});
    CHECK(seconds_now() - start < 3);
    std::cout << "rates: launch " << rates.launch_seconds * 1e6 << " us, copy " << rates.copy_bytes / 1e9
              << " GB/s, read " << rates.read_bytes / 1e9 << " GB/s (cached " << rates.cached_read_bytes / 1e9
              << "), 1e9 gathers/s " << rates.gathers / 1e9 << " (cached " << rates.cached_gathers / 1e9
              << "), 1e9 atomics/s " << rates.atomics / 1e9 << " (contended " << rates.contended_atomics / 1e9
              << "), in " << seconds_now() - start << " s\n";
    CHECK(rates.launch_seconds > 1e-7);
    CHECK(rates.launch_seconds < 1e-4);
    CHECK(rates.copy_bytes > 1e10);
    CHECK(rates.read_bytes > 1e10);
    CHECK(rates.cached_read_bytes > rates.read_bytes);
    CHECK(rates.gathers > 1e8);
    CHECK(rates.cached_gathers > rates.gathers);
    CHECK(rates.atomics > 1e7);
    CHECK(rates.contended_atomics > 1e6);
    CHECK(rates.contended_atomics < rates.atomics);
    CHECK(rates.cache_bytes > 0);
    CHECK(rates.processors > 0);
    const machine_description here = describe_machine(cuda{});
    CHECK(here.backend == "cuda");
    CHECK(here.device == find_gpu().description);
    CHECK(here.driver.find('.') != std::string::npos);
    CHECK(here.toolkit.find('.') != std::string::npos);
    CHECK(here.code.find('.') != std::string::npos);
    CHECK(here.code_doubt.empty() == (here.code.find(',') == std::string::npos));
    CHECK(here.vendor == cusparse_version());
    CHECK(here.vendor.substr(0, 9) == "cuSPARSE ");
    CHECK(here.clock_mhz >= 0);
    CHECK(here.threads == thread_count());
    CHECK(here.version.find('.') != std::string::npos);
  }
}
