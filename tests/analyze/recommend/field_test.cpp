// Who takes part, and what is expected of them.
#include "analyze/recommend/field.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "analyze/recommend/model.hpp"
#include "analyze/recommend/recommend.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/read.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/check_refusals.hpp"

using namespace sparsmith;

namespace {

using matrix = csr<std::int32_t, double, host>;

matrix generated(const std::string& spec) {
  assembly_report report;
  return assemble<openmp, std::int32_t, double>({}, read_matrix(spec), false, report, nullptr);
}

matrix transpose_of(const matrix& m) {
  auto columns = csr_to_csc<openmp, std::int32_t, double>({}, view(m), nullptr);
  return {columns.cols, columns.rows, std::move(columns.col_offsets), std::move(columns.row_indices),
          std::move(columns.values)};
}

std::vector<priced_variant> field_for(const matrix& m, field_request request = {}) {
  request.backend = openmp::name;
  return field_of(openmp{}, view(m), features_of(openmp{}, view(m), {}, nullptr), request);
}

machine_rates some_rates() {
  return {1e-6, 8e10, 5e10, 1e11, 3e8, 1e9, 1e8, 3e7, 32 << 20, 2};
}

// A warp for every row, and an atomic for every entry of A^T x.
constexpr kernel_facts warp_facts{.walk = kernel_facts::rows::lanes,
                                  .lanes = 32,
                                  .at_once = 32,
                                  .additions = {.transposed = kernel_facts::adds::every},
                                  .launches = {.multiply = 1, .transposed = 2}};

kernel_info named(const char* name, const kernel_facts& facts = warp_facts) {
  return {.name = name, .description = "", .source = "", .facts = facts};
}

}  // namespace

TEST_CASE("every entry of a field makes what its price says, after the entry it varies") {
  for (const char* const spec : {"gen:blockband?n=300&block=5&density=0.05", "gen:rmat?scale=9&edges=6",
                                 "gen:uniform?rows=300&cols=700&density=0.02", "gen:laplace2d?n=20"}) {
    const matrix m = generated(spec);
    const bool has_half = std::string(spec).starts_with("gen:laplace");
    const matrix turned_over = transpose_of(m);
    field_request request;
    request.our_copies = true;
    const std::vector<priced_variant> field = field_for(m, request);
    std::set<format_kind> formats;
    int copies = 0;
    std::set<std::string> labels;
    for (std::size_t i = 0; i < field.size(); ++i) {
      const priced_variant& e = field[i];
      INFO(spec << ": " << e.variant.label());
      CHECK(e.after < static_cast<int>(i));
      CHECK(labels.insert(e.variant.label()).second);
      formats.insert(e.variant.format);
      if (!e.left_out.empty()) continue;
      const matrix& source = e.variant.of_transpose ? turned_over : m;
      copies += e.variant.of_transpose ? 1 : 0;
      const auto made = from_csr<openmp, std::int32_t, double>({}, view(source), e.variant.format,
                                                               e.variant.conversion, nullptr);
      const format_summary size = summary_of(made);
      if (e.cost.exact)
        CHECK(size.bytes == e.cost.bytes);
      else
        CHECK(size.bytes >= e.cost.bytes);
    }
    for (const format_kind format : all_formats())
      CHECK(formats.contains(format) ==
            ((has_half && format != format_kind::gcsb_tile_half) || !whole_of(format)));  // of a CPU
    CHECK(copies >= 1);
  }
}

TEST_CASE("half in tiles takes part on a CPU where it is asked for, by its own or its kernel's name") {
  const auto taken = [](auto ask) {
    field_request request;
    request.backend = openmp::name;
    ask(request);
    const std::vector<priced_variant> field = field_for(generated("gen:laplace2d?n=60"), request);
    return std::any_of(field.begin(), field.end(), [](const priced_variant& e) {
      return e.variant.format == format_kind::gcsb_tile_half && e.left_out.empty();
    });
  };
  CHECK_FALSE(taken([](field_request&) {}));
  CHECK(taken([](field_request& r) { r.formats = {format_kind::gcsb_tile_half}; }));
  CHECK(taken([](field_request& r) { r.kernels = {"gcsb/tile-half-omp"}; }));
  CHECK(taken([](field_request& r) { r.history = true; }));
  // What is meant for other tiles brings it in no more than anything else.
  CHECK_FALSE(taken([](field_request& r) { r.forced[format_kind::gcsb_tile_half] = {}; }));
}

TEST_CASE("why there is no half of a matrix is told where one was asked for") {
  const auto reason = [](const matrix& m, bool entries_alone) {
    field_request request;
    request.backend = openmp::name;
    request.formats = {format_kind::csr_half};
    const auto entries = hypersparse_of(openmp{}, view(m));
    const std::vector<priced_variant> field =
        entries_alone ? field_of(openmp{}, entries, features_of(openmp{}, entries, {}, nullptr), request)
                      : field_for(m, request);
    for (const priced_variant& e : field)
      if (e.variant.format == format_kind::csr_half) return e.left_out;
    return std::string("it is not there");
  };
  CHECK(reason(generated("gen:laplace2d?n=9"), false).empty());
  CHECK(reason(generated("gen:laplace2d?n=9"), true) ==
        "halves of a matrix with so few entries for its size are not priced");
  CHECK(reason(generated("gen:diagonal?n=9"), false) ==
        "nothing is off the diagonal, so that half of the matrix is all of it");
  for (const char* const spec : {"gen:rmat?scale=5", "gen:uniform?rows=5&cols=9&density=0.3"})
    CHECK(reason(generated(spec), false) ==
          "the matrix is neither symmetric nor skew-symmetric, bit for bit");
}

TEST_CASE(
    "a copy of A^T in BSR is priced by its own block rows, and of a symmetric matrix there is no copy") {
  testing::named_matrix blocks{"", 60, 300, {}};
  for (std::int32_t row = 0; row < 60; ++row)
    for (std::int32_t col = 0; col < 300; ++col)
      if ((row / 5 + col / 5) % 4 == 0) blocks.entries.push_back({row, col, 1.0});
  const matrix m =
      coo_to_csr<openmp, std::int32_t, double>(openmp{}, testing::as_coo_of<double>(blocks), nullptr);
  const matrix turned_over = transpose_of(m);
  field_request request;
  request.our_copies = true;
  int copies = 0;
  for (const priced_variant& e : field_for(m, request))
    if (e.variant.of_transpose && e.variant.format == format_kind::bsr) {
      ++copies;
      CHECK(e.cost.exact);
      const auto made = from_csr<openmp, std::int32_t, double>({}, view(turned_over), e.variant.format,
                                                               e.variant.conversion, nullptr);
      CHECK(summary_of(made).bytes == e.cost.bytes);
    }
  CHECK(copies == 1);
  request.symmetric = true;
  for (const priced_variant& e : field_for(m, request)) CHECK_FALSE(e.variant.of_transpose);
}

TEST_CASE("what does not fit or is too padded is left out with the reason") {
  const matrix m = generated("gen:denserow?n=300");
  int padded = 0;
  for (const priced_variant& e : field_for(m))
    padded += e.left_out.find("too padded") != std::string::npos ? 1 : 0;
  CHECK(padded >= 1);  // ELL at least
  field_request small;
  small.memory = 100;
  for (const priced_variant& e : field_for(m, small)) CHECK(!e.left_out.empty());
}

TEST_CASE("memory may be used up to the last byte") {
  const matrix m = generated("gen:laplace2d?n=20");
  for (const priced_variant& unlimited : field_for(m)) {
    // Of tiles only the first is priced where that one is left out.
    if (!unlimited.left_out.empty() || unlimited.variant.format == format_kind::gcsb_tile ||
        unlimited.variant.of_transpose)
      continue;
    INFO(unlimited.variant.label());
    const auto left_out_within = [&](std::int64_t bytes) {
      field_request request;
      request.memory = bytes;
      request.formats = {unlimited.variant.format};
      for (const priced_variant& e : field_for(m, request))
        if (e.variant.label() == unlimited.variant.label()) return e.left_out;
      return std::string("gone");
    };
    CHECK(left_out_within(unlimited.cost.bytes).empty());
    CHECK(left_out_within(unlimited.cost.bytes - 1).find("more than the") != std::string::npos);
  }
}

TEST_CASE("a format takes part as it is asked for, and the others with what is worth trying") {
  const matrix m = generated("gen:blockband?n=300&block=5&density=0.05");
  field_request request;
  conversion_options& bsr = request.forced[format_kind::bsr];
  bsr.bsr_block = {3, 2};
  conversion_options& gcsb = request.forced[format_kind::gcsb];
  gcsb.blocks.beta = 16;
  gcsb.blocks.group_size = 8;
  request.forced[format_kind::ecsb].blocks.beta = 64;
  request.max_fill = 50;
  std::map<format_kind, std::vector<std::string>> labels;
  for (const priced_variant& e : field_for(m, request)) {
    INFO(e.variant.label());
    CHECK(e.variant.conversion.max_fill == 50);
    if (request.forced.contains(e.variant.format)) CHECK(e.after == -1);
    labels[e.variant.format].push_back(e.variant.label());
    if (!e.left_out.empty() || e.variant.of_transpose) continue;
    const auto made =
        from_csr<openmp, std::int32_t, double>({}, view(m), e.variant.format, e.variant.conversion, nullptr);
    if (e.cost.exact) CHECK(summary_of(made).bytes == e.cost.bytes);
  }
  CHECK(labels[format_kind::bsr] == std::vector<std::string>{"bsr 3 x 2"});
  CHECK(labels[format_kind::gcsb] == std::vector<std::string>{"gcsb beta 16, group 8"});
  CHECK(labels[format_kind::ecsb] ==
        std::vector<std::string>{"ecsb beta 64, coo", "ecsb beta 64, ell", "ecsb beta 64, hybrid"});
  CHECK(labels[format_kind::sell].size() > 1);
  request.forced[format_kind::gcsb].blocks.beta = 3;
  CHECK_THROWS_AS(field_for(m, request), error);
}

TEST_CASE("formats and kernels that were asked for, and no others") {
  const matrix m = generated("gen:laplace2d?n=12");
  field_request only_some;
  only_some.formats = {format_kind::csr, format_kind::bsr};
  for (const priced_variant& e : field_for(m, only_some))
    CHECK((e.variant.format == format_kind::csr || e.variant.format == format_kind::bsr));
  field_request kernels;
  kernels.kernels = {"sell/omp"};
  for (const priced_variant& e : field_for(m, kernels)) {
    CHECK(e.variant.format == format_kind::sell);
    CHECK(e.variant.kernels == kernels.kernels);
  }
}

TEST_CASE("kernels of history take part where they are asked for, and a format that has no others too") {
  const matrix m = generated("gen:blockband?n=300&block=5&density=0.05");
  using names = std::vector<std::string>;
  const names living = {"bsr/fixed-task", "bsr/preprocessed"};
  const auto kernels_of = [&](const field_request& request) {
    std::map<std::string, names> found;
    for (const priced_variant& e : field_for(m, request)) {
      names ours;
      for (const std::string& name : e.variant.kernels)
        if (name.find("/mkl") == std::string::npos) ours.push_back(name);
      found[name_of(e.variant.format) + (e.variant.of_transpose ? " of A^T" : "")] = ours;
    }
    return found;
  };
  field_request request;
  request.our_copies = true;
  CHECK(kernels_of(request)["bsr"] == living);
  CHECK(kernels_of(request)["bsr of A^T"] == living);
  CHECK(kernels_of(request)["csr"] == names{"csr/omp"});
  request.history = true;
  const names all = {"bsr/granular-row", "bsr/intra-row-naive", "bsr/intra-row",
                     "bsr/max-task",     "bsr/fixed-task",      "bsr/preprocessed"};
  CHECK(kernels_of(request)["bsr"] == all);
  CHECK(kernels_of(request)["bsr of A^T"] == all);
  field_request named;
  named.kernels = {"bsr/max-task", "csr/omp"};
  CHECK(kernels_of(named) == std::map<std::string, names>{{"bsr", {"bsr/max-task"}}, {"csr", {"csr/omp"}}});
  field_request format;  // which has others
  format.formats = {format_kind::bsr};
  CHECK(kernels_of(format)["bsr"] == living);
  field_request forced;
  forced.forced[format_kind::bsr].bsr_block = {5, 5};
  CHECK(kernels_of(forced)["bsr"] == living);
}

// The tables of CUDA are there without a GPU; the matrix is looked at by the CPU.
TEST_CASE("a format whose kernels are all history takes part where it is asked for") {
  if constexpr (has_cuda) {
    const matrix m = generated("gen:rmat?scale=9&edges=6");
    const auto labels_with = [&](field_request request) {
      request.backend = cuda::name;
      std::set<std::string> labels;
      for (const priced_variant& e :
           field_of(openmp{}, view(m), features_of(openmp{}, view(m), {}, nullptr), request)) {
        INFO(e.variant.label());
        CHECK_FALSE(e.variant.kernels.empty());
        CHECK(labels.insert(e.variant.label()).second);
      }
      return labels;
    };
    const auto counted = [](const std::set<std::string>& labels, const std::string& begin) {
      return std::count_if(labels.begin(), labels.end(),
                           [&](const std::string& one) { return one.starts_with(begin + " "); });
    };
    const auto usual = labels_with({});
    CHECK(counted(usual, "csb") == 0);
    CHECK(counted(usual, "gcsb") == 0);
    CHECK(counted(usual, "gcsb_tile") > 0);
    CHECK(counted(usual, "ecsb") > 0);  // held as COO alone, whose kernel is none of history
    CHECK_FALSE(usual.contains("ecsb beta 32, ell"));
    CHECK_FALSE(usual.contains("ecsb beta 32, hybrid"));
    const auto all = labels_with({.history = true});
    for (const char* const format : {"csb", "gcsb"}) CHECK(counted(all, format) > 0);
    CHECK(counted(all, "ecsb") > counted(usual, "ecsb"));
    CHECK(counted(labels_with({.formats = {format_kind::csb}}), "csb") > 0);
    CHECK(labels_with({.kernels = {"gcsb/lane"}}) == labels_with({.formats = {format_kind::gcsb}}));
    field_request forced;
    forced.forced[format_kind::ecsb].blocks.beta = 16;
    CHECK(counted(labels_with(forced), "ecsb") == 3);
  }
}

TEST_CASE("terms are times: none is negative, and more bytes or atomics take longer") {
  const matrix m = generated("gen:rmat?scale=9&edges=6");
  const matrix_features features = features_of(openmp{}, view(m), {}, nullptr);
  const model_matrix known = model_matrix_of(features, m.values.size() * 2, 8);
  const machine_rates rates = some_rates();
  format_cost csr_cost;
  for (const format_cost& cost : features.formats)
    if (cost.format == format_kind::csr) csr_cost = cost;
  for (const bool warm : {true, false})
    for (const operation op : plain_operations)
      for (const char* const backend : {"openmp", "cuda"}) {
        const model_terms terms =
            terms_of(rates, backend, named("csr/warp"), op, known, csr_cost, false, warm);
        double sum = 0;
        for (const double t : terms) {
          CHECK(t >= 0);
          sum += t;
        }
        CHECK(sum > 0);
        CHECK(std::isfinite(sum));
      }
  const kernel_work ax = work_of("cuda", named("csr/warp"), operation::multiply, known, csr_cost, false);
  const kernel_work atx = work_of("cuda", named("csr/warp"), operation::transposed, known, csr_cost, false);
  CHECK(ax.atomics == 0);
  CHECK(atx.atomics == static_cast<double>(m.values.size()));
  // Stored the other way round, the products change places.
  const kernel_work turned_over =
      work_of("cuda", named("csr/warp"), operation::transposed, known, csr_cost, true);
  CHECK(turned_over.atomics == 0);
  // Cold caches cost something, and what is not known is not guessed.
  CHECK(terms_of(rates, "openmp", named("csr/omp"), operation::multiply, known, csr_cost, false, false)[1] >
        terms_of(rates, "openmp", named("csr/omp"), operation::multiply, known, csr_cost, false, true)[1]);
  const prediction nothing =
      predict(rates, "cuda", named("csr/new"), operation::multiply, known, csr_cost, false);
  CHECK(nothing.warm == 0);
  CHECK(nothing.cold == 0);
  // A vendor's kernel that was never fitted is predicted as the one it names.
  kernel_info never_fitted = named("csr/new");
  never_fitted.predicted_as = "csr/omp";
  const auto predicted_on_cpu = [&](const kernel_info& k) {
    return predict(rates, "openmp", k, operation::multiply, known, csr_cost, false).cold;
  };
  CHECK(predicted_on_cpu(never_fitted) > 0);
  CHECK(predicted_on_cpu(never_fitted) == predicted_on_cpu(named("csr/omp")));
  // Nor is the way of a kernel that does not say how it works.
  const kernel_work unstated =
      work_of("cuda", named("csr/warp", {}), operation::multiply, known, csr_cost, false);
  CHECK(unstated.bytes == 0);
  CHECK(unstated.launches == 0);
}

TEST_CASE("two products in one pass read the arrays once, and do what both do") {
  const matrix m = generated("gen:rmat?scale=9&edges=6");
  const model_matrix known =
      model_matrix_of(features_of(openmp{}, view(m), {}, nullptr), m.values.size() * 2, 8);
  const machine_rates rates = some_rates();
  format_cost cost;
  cost.format = format_kind::dia;
  cost.bytes = 1000000;
  kernel_facts facts = warp_facts;
  facts.launches = {.multiply = 1, .transposed = 2, .both = 3, .normal = 4};
  facts.launches_for_rest = 5;
  const auto terms_for = [&](operation op) {
    return terms_of(rates, "cuda", named("dia/some", facts), op, known, cost, false, false);
  };
  const auto check = [&](double launches) {
    const model_terms ax = terms_for(operation::multiply), atx = terms_for(operation::transposed),
                      both = terms_for(operation::both);
    for (std::size_t i = 0; i < term_names.size(); ++i) {
      const std::string_view name = term_names[i];
      INFO(name);
      if (name == "launches")
        CHECK(both[i] == Approx(launches * rates.launch_seconds));
      else if (name == "arrays")
        CHECK((both[i] == ax[i] && ax[i] > 0));
      else if (name == "vectors" || name == "outputs" || name == "gathers" || name == "fresh")
        CHECK((both[i] == Approx(ax[i] + atx[i]) && ax[i] > 0));
    }
  };
  check(3);
  cost.rest = 100;
  check(8);
  // A^T of a copy of A^T is A: both are the same work from it.
  CHECK(work_of("cuda", named("dia/some", facts), operation::both, known, cost, true).bytes ==
        work_of("cuda", named("dia/some", facts), operation::both, known, cost, false).bytes);
  CHECK(terms_for(operation::normal)[0] == Approx(9 * rates.launch_seconds));
}

TEST_CASE("what kernels on OpenMP refuse is what is expected of the price") {
  // Ours take everything.
  for (const auto& [name, times] : testing::check_refusals(openmp{})) {
    INFO(name << " refused " << times << " times");
    CHECK(std::string(name).find("/mkl") != std::string::npos);
  }
}

TEST_CASE("a kernel that refuses A x of what is stored refuses A^T x of its second copy") {
  model_matrix known;
  known.rows.count = 12;
  known.cols.count = 24;
  kernel_info kernel = named("csr/warp");
  kernel.computes.transposed = false;
  format_cost cost;
  CHECK(why_not_expected(kernel, operation::multiply, known, cost, false).empty());
  CHECK(why_not_expected(kernel, operation::transposed, known, cost, false) == "it has no product with A^T");
  CHECK(why_not_expected(kernel, operation::multiply, known, cost, true) == "it has no product with A^T");
  CHECK(why_not_expected(kernel, operation::transposed, known, cost, true).empty());
  // Rules are about what is stored: A^T has the rows of A for columns, and CSC is the CSR of A^T.
  kernel.computes.transposed = true;
  kernel.why_not_expected = [](const matrix_outline& stored, operation op) {
    return stored.rows == 12 && op == operation::multiply ? std::string() : "refused";
  };
  CHECK(why_not_expected(kernel, operation::multiply, known, cost, false).empty());
  CHECK_FALSE(why_not_expected(kernel, operation::transposed, known, cost, true).empty());
  std::swap(known.rows, known.cols);
  CHECK(why_not_expected(kernel, operation::transposed, known, cost, true).empty());
  cost.format = format_kind::csc;
  CHECK(why_not_expected(kernel, operation::transposed, known, cost, false).empty());
}

TEST_CASE("every kernel of this build has a prediction, and the model a record") {
  const matrix m = generated("gen:rmat?scale=9&edges=6");
  recommend_request request;
  request.machine.backend = openmp::name;
  request.rates = some_rates();
  request.predict = true;
  for (const char* const backend : {"openmp", "cuda"}) {
    request.machine.backend = backend;
    const recommendation told =
        recommend<openmp, std::int32_t, double>({}, view(m), request, [](const std::string&) {});
    CHECK(told.found.predicted);
    CHECK(told.model.share > 0.5);
    CHECK(told.model.share <= 1);
    for (const variant_result& f : told.found.variants)
      for (const contestant_result& k : f.contestants) {
        INFO(f.label() << " " << k.info.name << " " << name_of(k.op));
        if (k.not_run.empty()) {
          CHECK(k.expected.cold > 0);
          CHECK(k.expected.warm > 0);
        }
      }
    if (std::string(backend) == openmp::name || has_cuda) CHECK(verdict_of(told.found, told.wanted).winner);
  }
}

TEST_CASE("additions to few outputs count more, and those that a neighbour shares a line with less") {
  const auto place = [](const char* name) {
    return static_cast<std::size_t>(std::find(term_names.begin(), term_names.end(), std::string_view(name)) -
                                    term_names.begin());
  };
  const machine_rates rates = some_rates();
  model_matrix known;
  known.entries = 160000;
  known.rows = {10000, {{16, 10000}}, 16, 0, 16};
  known.cols = {32000, {{5, 32000}}, 5, 0, 5};
  known.x_lines = 1e5;
  known.below = 40000;
  format_cost cost;
  cost.format = format_kind::csr;
  cost.bytes = 2000000;
  const auto terms = [&](operation op) {
    return terms_of(rates, "cuda", named("csr/warp"), op, known, cost, false, false);
  };
  // 32,000 outputs of 8 bytes are 2,000 lines, of which there are enough: each addition counts once, but for
  // the quarter that has a neighbour below.
  const model_terms many = terms(operation::transposed);
  CHECK(many[place("atomics")] == Approx(160000 / rates.atomics));
  CHECK(many[place("scattered")] == Approx(0.75 * 160000 / rates.atomics));
  CHECK(many[place("crowded")] == Approx(many[place("scattered")]));
  CHECK(many[place("fresh")] == Approx(0.75 * 160000 / rates.cached_gathers));
  CHECK(many[place("ramp")] == Approx(std::sqrt(many[place("launches")] * many[place("arrays")])));
  CHECK(terms(operation::multiply)[place("crowded")] == 0);
  known.cols = {320, {{500, 320}}, 500, 0, 500};
  CHECK(terms(operation::transposed)[place("crowded")] == Approx(10 * many[place("crowded")]));
  known.cols.variation = std::sqrt(3.0);  // as few as a quarter of them
  CHECK(terms(operation::transposed)[place("crowded")] == Approx(20 * many[place("crowded")]));
}

TEST_CASE("the vectors are read and written once, from the cache as far as all of it stays there") {
  const auto place = [](const char* name) {
    return static_cast<std::size_t>(std::find(term_names.begin(), term_names.end(), std::string_view(name)) -
                                    term_names.begin());
  };
  machine_rates rates = some_rates();
  rates.cache_bytes = 1000000;
  model_matrix known;
  known.entries = 1000;
  known.rows = {1000, {{1, 1000}}, 1, 0, 1};
  known.cols = {3000, {{1, 1000}}, 1, 0, 1};
  format_cost cost;
  cost.format = format_kind::csr;
  const double vectors = 4000 * 8;
  const auto terms = [&](double resident, bool warm) {
    cost.bytes = static_cast<std::int64_t>(resident - vectors);
    return terms_of(rates, "cuda", named("csr/warp"), operation::multiply, known, cost, false, warm);
  };
  const double cached = 1 / rates.cached_read_bytes, beyond = 1 / rates.read_bytes;
  CHECK(terms(400000, false)[place("vectors")] == Approx(vectors * beyond));
  CHECK(terms(400000, false)[place("arrays")] == Approx((400000 - vectors) * beyond));
  CHECK(terms(400000, true)[place("vectors")] == Approx(vectors * cached));
  CHECK(terms(500000, true)[place("vectors")] == Approx(vectors * cached));
  // Of what is as large as the cache half stays, and nothing of half as much again.
  CHECK(terms(1000000, true)[place("vectors")] == Approx(vectors * (cached + beyond) / 2));
  CHECK(terms(1500000, true)[place("vectors")] == Approx(vectors * beyond));
  CHECK(terms(9000000, true)[place("vectors")] == Approx(vectors * beyond));
  const kernel_work work = work_of("cuda", named("csr/warp"), operation::multiply, known, cost, false);
  CHECK(work.bytes == Approx(9000000));
}

TEST_CASE("shares of tiles that meet in a line add to the same outputs") {
  const auto place = [](const char* name) {
    return static_cast<std::size_t>(std::find(term_names.begin(), term_names.end(), std::string_view(name)) -
                                    term_names.begin());
  };
  const machine_rates rates = some_rates();  // of two processors
  model_matrix known;
  known.entries = 64 * 32 * 100;
  known.rows.count = 512;
  known.cols.count = 512 * 1000;
  format_cost cost;
  cost.format = format_kind::gcsb_tile;
  cost.slots = known.entries;
  cost.options.tile.height = cost.options.tile.width = 512;
  const auto terms = [&](operation op) {
    return terms_of(rates, "cuda", named("gcsb/tile", {.walk = kernel_facts::rows::balanced}), op, known,
                    cost, false, false);
  };
  // Eight shares, in one line of tiles for A x, and in a thousand for A^T x.
  const model_terms ax = terms(operation::multiply), atx = terms(operation::transposed);
  CHECK(ax[place("meeting")] == Approx(rates.launch_seconds));
  CHECK(ax[place("atomics")] == Approx(8 * 512 / rates.atomics));
  CHECK(ax[place("contended")] == Approx(8 / rates.contended_atomics));
  CHECK(ax[place("chain")] == Approx(6400 / 8 * 1e-9));
  for (const char* const name : {"meeting", "atomics", "contended"}) CHECK(atx[place(name)] == 0);
}

TEST_CASE("the parts of a prediction add up to it, and matrices alike tell how sure it is") {
  const matrix m = generated("gen:laplace2d?n=40");
  const model_matrix known =
      model_matrix_of(features_of(openmp{}, view(m), {}, nullptr), m.values.size() * 2, 8);
  for (const priced_variant& e : field_for(m))
    for (const listed_kernel& k : all_kernels()) {
      if (k.format != e.variant.format || k.backend != openmp::name) continue;
      const prediction p =
          predict(some_rates(), openmp::name, k.info, operation::multiply, known, e.cost, false);
      CHECK(std::accumulate(p.cold_parts.begin(), p.cold_parts.end(), 0.0) == Approx(p.cold));
      CHECK(std::accumulate(p.warm_parts.begin(), p.warm_parts.end(), 0.0) == Approx(p.warm));
    }
  for (const char* const backend : {"openmp", "cuda"}) {
    const model_record record = record_of(backend, known, {});
    CHECK(record.near == 10);
    CHECK(record.near_worst <= record.near_median);
    CHECK(record.near_median <= 1);
    CHECK(record.near_worst > 0.1);
    CHECK(record.strangers > 0.5);
  }
  const model_record none = record_of("abacus", known, {});
  CHECK(none.share == 0);
  CHECK(none.near == 0);
  CHECK_FALSE(none.sure());
}

TEST_CASE("of those that are predicted first so many race, and CSR") {
  const matrix m = generated("gen:rmat?scale=9&edges=6");
  recommend_request request;
  request.machine.backend = openmp::name;
  request.rates = some_rates();
  request.top = 2;
  request.budget = 60;  // enough beside whatever else runs; it needs far less
  const recommendation told =
      recommend<openmp, std::int32_t, double>({}, view(m), request, [](const std::string&) {});
  CHECK_FALSE(told.found.predicted);
  CHECK(told.top == 2);
  int raced = 0, not_first = 0;
  for (const variant_result& f : told.found.variants) {
    if (f.refused.empty()) ++raced;
    if (f.refused == "not among the 2 that the model puts first") ++not_first;
  }
  CHECK(raced == 3);
  CHECK(not_first > 5);
}

TEST_CASE("A x stands for A^T x where the values are symmetric, and not where their places alone are") {
  recommend_request request;
  request.machine.backend = openmp::name;
  request.rates = some_rates();
  request.predict = true;
  const auto is_symmetric = [&](double mirrored) {
    const testing::named_matrix entries{"", 3, 3, {{0, 0, 1}, {0, 2, 2}, {2, 0, mirrored}}};
    const matrix m =
        coo_to_csr<openmp, std::int32_t, double>(openmp{}, testing::as_coo_of<double>(entries), nullptr);
    return recommend<openmp, std::int32_t, double>({}, view(m), request, {}).found.symmetric;
  };
  CHECK(is_symmetric(2));
  CHECK_FALSE(is_symmetric(3));
  CHECK_FALSE(is_symmetric(-2));
  request.as_general = true;
  CHECK_FALSE(is_symmetric(2));
}

TEST_CASE("where the time is gone before the race, CSR alone runs") {
  const matrix m = generated("gen:laplace2d?n=12");
  recommend_request request;
  request.machine.backend = openmp::name;
  request.rates = some_rates();
  request.budget = 1;
  request.began = seconds_now() - 100;
  const recommendation late = recommend<openmp, std::int32_t, double>({}, view(m), request, {});
  CHECK(late.found.out_of_time);
  REQUIRE(late.found.variants.size() == 1);
  CHECK(verdict_of(late.found, late.wanted).winner.stays_in_csr());
}

TEST_CASE("small matrices get a short time, large ones more, and none without end") {
  for (const char* const backend : {"openmp", "cuda"}) {
    CHECK(automatic_budget(backend, 100000) <= 2.2);
    CHECK(automatic_budget(backend, 20000000) > 5);
    CHECK(automatic_budget(backend, 20000000) < 160);
  }
  CHECK(automatic_budget("cuda", std::int64_t{1} << 40) == 15);
  CHECK(automatic_budget("openmp", std::int64_t{1} << 40) == 120);
}

TEST_CASE("DIA takes part where a diagonal is worth storing, and as it is asked for") {
  const auto dia_of = [](const char* spec, const field_request& request = {}) {
    for (const priced_variant& e : field_for(generated(spec), request))
      if (e.variant.format == format_kind::dia) return e;
    throw std::logic_error("no dia");
  };
  CHECK(dia_of("gen:laplace2d?n=20").left_out.empty());
  CHECK(dia_of("gen:laplace2d?n=20").cost.blocks == 5);
  CHECK(dia_of("gen:rmat?scale=9").left_out == "no diagonal is worth storing, so that it is COO");
  field_request all;
  all.forced[format_kind::dia].dia_share = 0;
  all.max_fill = 1e9;
  const priced_variant every = dia_of("gen:rmat?scale=6", all);
  CHECK(every.variant.label() == "dia all diagonals");
  CHECK(every.left_out.empty());
  CHECK(every.cost.rest == 0);
  all.forced[format_kind::dia].dia_share = 0.5;
  CHECK(dia_of("gen:laplace2d?n=20", all).variant.label() == "dia share 0.5");
}
