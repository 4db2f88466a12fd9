// The kernels on OpenMP: every one on the whole battery, and the parts they rest on.
#include <iostream>

#include "convert/io/read.hpp"
#include "kernels/cpu/scatter.hpp"
#include "tests/kernels/check_kernels.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

void check_names(const std::vector<kernel_info>& kernels, const std::vector<std::string>& wanted) {
  std::set<std::string> names;
  for (const kernel_info& k : kernels) {
    INFO(k.name);
    CHECK(names.insert(k.name).second);
    CHECK(std::string(k.name).find('/') != std::string::npos);
    CHECK_FALSE(std::string(k.description).empty());
    CHECK_FALSE(std::string(k.source).empty());
  }
  for (const std::string& name : wanted) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
}

}  // namespace

TEST_CASE("the tables hold every kernel of the documents, each once") {
  check_names(all_kernels<host>(),
              {"coo/omp", "csr/omp", "ell/omp", "sell/omp", "hyb/omp", "csb/omp", "ecsb/omp", "gcsb/omp",
               "gcsb/tile-omp", "bsr/granular-row", "bsr/intra-row-naive", "bsr/intra-row", "bsr/max-task",
               "bsr/fixed-task", "bsr/preprocessed"});
  if constexpr (has_cuda)
    check_names(all_kernels<device>(), {"coo/atomic",        "coo/stride-1",
                                        "coo/stride-warp",   "coo/stride-block",
                                        "coo/stride-grid",   "coo/scan-32",
                                        "coo/scan-1024",     "coo/segscan-32",
                                        "coo/segscan-1024",  "coo/segscan-32-block",
                                        "csr/thread",        "csr/warp",
                                        "csr/bins",          "csr/hybrid",
                                        "csr/vector",        "csr/merge",
                                        "ell/thread",        "sell/thread",
                                        "hyb/thread",        "ecsb/coo",
                                        "ecsb/ell",          "ecsb/hyb",
                                        "csb/block",         "gcsb/lane",
                                        "gcsb/tile",         "bsr/row-major",
                                        "bsr/private",       "bsr/team",
                                        "bsr/unrolled",      "bsr/stream",
                                        "csr/cusparse-alg1", "csr/cusparse-alg2",
                                        "coo/cusparse-alg1", "coo/cusparse-alg2",
                                        "sell/cusparse",     "bsr/cusparse"});
}

TEST_CASE("the reference is the product, and its bound holds what rounding does") {
  // [1 2 0; 0 0 3] and a row of many terms
  named_matrix m{"", 2, 3, {{0, 0, 1}, {0, 1, 2}, {1, 2, 3}}};
  const auto a = coo_to_csr<openmp, std::int32_t, float>(openmp{}, as_coo_of<float>(m), nullptr);
  const float x[] = {10, 100, 1000}, y[] = {1, 2, 3};
  const auto ax = multiply_reference(a, operation::multiply, 1.0f, x, 0.0f, y);
  CHECK(ax.y[0] == 210);
  CHECK(ax.y[1] == 3000);
  CHECK(ax.bound[0] > 0);
  CHECK(ax.bound[0] < 1e-3);
  const auto atx = multiply_reference(a, operation::transposed, -0.5f, x, 2.0f, y);
  CHECK(atx.y[0] == -0.5 * 10 + 2);
  CHECK(atx.y[1] == -0.5 * 20 + 4);
  CHECK(atx.y[2] == -0.5 * 300 + 6);
  // With neighbours in reach the bound grows by their magnitudes, not without limit.
  const auto near = multiply_reference(a, operation::multiply, 1.0f, x, 0.0f, y, 32);
  CHECK(near.bound[0] > ax.bound[0]);
  CHECK(near.bound[0] < 1);
  const float poisoned[] = {std::nanf(""), std::nanf(""), std::nanf("")};
  CHECK(multiply_reference(a, operation::multiply, 1.0f, x, 0.0f, poisoned).y[0] == 210);

  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(within(1, 1, 0));
  CHECK_FALSE(within(1.1, 1, 0.05));
  CHECK(within(std::nan(""), std::nan(""), 0));
  CHECK_FALSE(within(std::nan(""), 1, infinity));
  CHECK_FALSE(within(1, std::nan(""), infinity));
  CHECK(within(infinity, infinity, std::nan("")));
  CHECK_FALSE(within(-infinity, infinity, infinity));
}

TEST_CASE("chunks hold about the same work") {
  const std::int64_t offsets[] = {0, 0, 10, 10, 20, 30, 40};
  const auto bounds = balanced_chunks(6, 4, [&](std::int64_t u) { return offsets[u]; });
  CHECK(bounds == std::vector<std::int64_t>{0, 2, 4, 5, 6});
  CHECK(balanced_chunks(0, 3, [](std::int64_t) { return 0; }) == std::vector<std::int64_t>{0, 0, 0, 0});
}

TEST_CASE("every kernel on OpenMP, on the battery, with several numbers of threads") {
  const int all_threads = thread_count();
  kernel_tally tally;
  check_battery(openmp{}, tally);
  for (const int threads : {1, 5}) {
    set_thread_count(threads);
    for (const std::string spec : {"gen:rmat?scale=10", "gen:blockband?n=400&block=5&density=0.1",
                                   "gen:laplace3d?n=9", "gen:denserow?n=300"}) {
      assembly_report report;
      check_kernels(
          openmp{}, spec,
          assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr),
          kernel_variants(), tally);
    }
  }
  set_thread_count(all_threads);
  for (const kernel_info& k : all_kernels<host>()) {
    INFO(k.name);
    CHECK(tally.runs[k.name] > 0);
    CHECK(tally.refusals[k.name].empty());
  }
  std::cout << tally.total() << " runs of " << tally.runs.size() << " kernels\n";
}

TEST_CASE("every kernel on OpenMP is exact where sums are") {
  kernel_tally tally;
  for (const std::string spec :
       {"gen:rmat?scale=10", "gen:denserow?n=3000", "gen:blockband?n=400&block=5&density=0.1"}) {
    assembly_report report;
    const auto assembled = [&]<class Value>() {
      return with_integers(
          assemble<openmp, std::int32_t, Value>(openmp{}, read_matrix(spec), false, report, nullptr));
    };
    check_kernels(openmp{}, spec, assembled.template operator()<float>(), kernel_variants(), tally,
                  {.exact = true});
    check_kernels(openmp{}, spec, assembled.template operator()<double>(), kernel_variants(), tally,
                  {.exact = true});
  }
}

TEST_CASE("measuring calls the work, warms up, and orders its percentiles") {
  const timing t = summarize_samples({5, 1, 4, 2, 3});
  CHECK(t.median == 3);
  CHECK(t.p10 == 1);
  CHECK(t.p90 == 5);
  int calls = 0;
  for (const bool cold : {false, true}) {
    calls = 0;
    const timing measured = measure(openmp{}, [&] { ++calls; }, {7, 5, 0.0, cold});
    CHECK(calls >= 12);
    CHECK(measured.samples == 7);
    CHECK(measured.p10 <= measured.median);
    CHECK(measured.median <= measured.p90);
  }
  CHECK(copy_bandwidth(openmp{}) > 1e8);
}
