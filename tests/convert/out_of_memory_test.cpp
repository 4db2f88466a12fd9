// Memory that runs out, whichever thread asks for it, is an exception of the call: here `new` fails from its
// first, second, ... call on, in everything that works on several threads. An exception that left a parallel
// region would end this process.
#include <new>

#include "analyze/structure/features.hpp"
#include "analyze/structure/hypersparse.hpp"
#include "convert/convert.hpp"
#include "convert/io/generators.hpp"
#include "convert/pipelines/structure.hpp"
#include "kernels/bound_kernels.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/convert/limited_new.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

// Whether an action gets by with so many calls of `new`; else it has thrown.
template <class Action>
bool succeeds_within(std::int64_t calls, const Action& action) {
  const limited_new limit(calls);
  try {
    action();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// How often it ran out until there was enough; then the action must succeed, whatever failed before it.
template <class Action>
int times_running_out(const Action& action) {
  int times = 0;
  for (std::int64_t calls = 0; !succeeds_within(calls, action); calls += 1 + calls / 16) ++times;
  return times;
}

// Several threads, also where there is one core.
struct four_threads {
  four_threads() { set_thread_count(4); }
  ~four_threads() { set_thread_count(0); }
};

using matrix_type = csr<std::int32_t, double, host>;

matrix_type matrix_of(std::int32_t rows, std::int32_t cols, int entries) {
  return coo_to_csr<openmp, std::int32_t, double>({}, as_coo(random_matrix("", rows, cols, entries, 5)),
                                                  nullptr);
}

matrix_type symmetric_matrix(std::int32_t side, int entries) {
  named_matrix m = random_matrix("", side, side, entries, 6);
  for (triplet& t : m.entries) t.value = 1;  // duplicates are summed in any order
  return coo_to_csr<openmp, std::int32_t, double>({}, as_coo(mirrored(m)), nullptr);
}

conversion_options without_limit() {
  conversion_options options;
  options.max_fill = no_limit;
  return options;
}

}  // namespace

TEST_CASE("memory runs out while a matrix is assembled") {
  const four_threads threads;
  const named_matrix source = random_matrix("", 300, 200, 20000, 8);
  CHECK(times_running_out([&] { coo_to_csr<openmp, std::int32_t, double>({}, as_coo(source), nullptr); }) >
        0);
}

TEST_CASE("memory runs out while formats are made and taken back") {
  const four_threads threads;
  const matrix_type general = matrix_of(900, 700, 20000), symmetric = symmetric_matrix(800, 10000);
  for (const format_kind format : all_formats()) {
    INFO(name_of(format));
    const matrix_type& matrix = whole_of(format) ? symmetric : general;
    const conversion_options options = without_limit();
    const int times = times_running_out([&] {
      const auto made = from_csr<openmp, std::int32_t, double>({}, view(matrix), format, options, nullptr);
      to_csr<openmp, std::int32_t, double>({}, made, nullptr);
    });
    CHECK((times > 0 || format == format_kind::csr));  // which is only copied
  }
}

TEST_CASE("memory runs out while a matrix is analysed") {
  const four_threads threads;
  feature_request request;
  request.plan.tile = true;
  const matrix_type usual = matrix_of(900, 900, 20000), wide = matrix_of(40, 100'000'000, 3000);
  CHECK(times_running_out(
            [&] { features_of<openmp, std::int32_t, double>({}, view(usual), request, nullptr); }) > 0);
  CHECK(times_running_out([&] { count_block_shapes(openmp{}, pattern_of(usual)); }) > 0);
  const auto few = [] {
    assembly_report report;
    return assemble_hypersparse<std::int32_t, double>(generate("gen:rmat?scale=10"), false, report, nullptr);
  }();
  CHECK(times_running_out([&] { features_of(openmp{}, few, request, nullptr); }) > 0);
  // Where columns are far more than entries, blocks are looked up.
  CHECK(times_running_out([&] {
          count_blocks_by_entries(openmp{}, pattern_of(wide), {{2, 2}, {4, 4}, {3, 5}});
        }) > 0);
}

TEST_CASE("memory runs out while a matrix is generated") {
  const four_threads threads;
  for (const char* const spec : {"gen:uniform?n=500", "gen:ideal?n=512", "gen:blockband?n=500",
                                 "gen:laplace2d?n=30", "gen:laplace3d?n=9", "gen:rmat?scale=9",
                                 "gen:diagonal?n=500", "gen:powerlaw?n=500&max=50", "gen:denserow?n=500"}) {
    INFO(spec);
    CHECK(times_running_out([&] { generate(spec); }) > 0);
  }
}

TEST_CASE("memory runs out while products are prepared and run") {
  const four_threads threads;
  const matrix_type general = matrix_of(900, 700, 20000), symmetric = symmetric_matrix(800, 10000);
  array<double, host> x(900), y(900);
  std::fill(x.begin(), x.end(), 1.0);
  for (const format_kind format : all_formats())
    std::visit(
        [&](const auto& made) {
          for (const auto& kernel : bound_kernels_of(openmp{}, view(made)))
            for (const operation op : plain_operations) {
              if (!kernel.why_not(op).empty()) continue;
              INFO(kernel.info.name);
              CHECK(times_running_out([&] { kernel.prepare(op).run(1, x.data(), 0, y.data()); }) > 0);
            }
        },
        from_csr<openmp, std::int32_t, double>({}, view(whole_of(format) ? symmetric : general), format,
                                               without_limit(), nullptr));
}
