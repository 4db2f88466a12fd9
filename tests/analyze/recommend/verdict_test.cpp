// Verdicts over results made by hand: figures that can be added up in one's head.
#include "analyze/recommend/verdict.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

const std::vector<operation> both(both_operations.begin(), both_operations.end());

regimes taking(double seconds) {
  regimes time;
  time.warm = {seconds / 2, seconds / 2, seconds / 2, 1};
  time.cold = {seconds, seconds, seconds, 1};
  return time;
}

kernel_result line(const char* name, operation op, double seconds, double prepare = 0, bool vendor = false) {
  kernel_result k;
  k.info = {.name = name, .description = "", .source = "", .vendor = vendor};
  k.op = op;
  k.time = taking(seconds);
  k.prepare_seconds = prepare;
  return k;
}

format_result format(format_kind kind, double convert, std::vector<kernel_result> kernels) {
  format_result f;
  f.format = kind;
  f.convert_seconds = convert;
  f.base = {taking(10), taking(20)};
  f.kernels = std::move(kernels);
  return f;
}

constexpr operation ax = operation::multiply, atx = operation::transposed;

matrix_result example() {
  matrix_result m;
  m.entries = 1;
  m.formats = {format(format_kind::csr, 0,
                      {line("csr/a", ax, 10), line("csr/b", ax, 9), line("csr/a", atx, 20),
                       line("csr/vendor", ax, 1, 0, true)}),
               format(format_kind::ell, 6, {line("ell/a", ax, 8, 2), line("ell/a", atx, 30, 1)}),
               format(format_kind::csc, 4,
                      {line("csc/vendor", atx, 5, 1, true), line("csc/a", atx, 2),
                       line("csc/vendor2", atx, 6, 0, true)})};
  return m;
}

}  // namespace

TEST_CASE("the headline is cold where caches were, and warm where they were not") {
  CHECK(taking(4).headline() == 4);
  regimes warm = taking(4);
  warm.cold = {};
  CHECK(warm.headline() == 2);
}

TEST_CASE("the best of one format, and of all") {
  const matrix_result m = example();
  const choice in_csr = best_in(m.formats[0], {ax});
  CHECK(in_csr.names() == "csr/b");  // the vendor's is not ours
  CHECK(in_csr.seconds == 9);
  CHECK(in_csr.base_seconds == 10);

  const choice best = best_of(m, {ax});
  CHECK(best.format == &m.formats[1]);
  CHECK(best.ratio() == 10.0 / 8);
  CHECK(best.price == 8);  // 6 to convert, 2 to prepare
  CHECK(best.repaid_after() == 4);

  const choice pair = best_of(m, both);
  CHECK(pair.names() == "csr/b + csr/a");
  CHECK(pair.seconds == 29);
  CHECK(pair.base_seconds == 30);
  CHECK(best_in(m.formats[1], both).repaid_after() < 0);  // slower than the base
  CHECK(best_of(m, {atx}).names() == "csc/a");
  CHECK(best_in(m.formats[2], both).format == nullptr);  // without A x there is no pair
  CHECK(best_of(matrix_result{}, {ax}).format == nullptr);
}

TEST_CASE("what was not run or is wrong is no choice, and notes are named") {
  matrix_result m = example();
  m.formats[0].note = "a note";
  m.formats[0].kernels[1].not_run = "why";
  CHECK(best_in(m.formats[0], {ax}).names() == "csr/a (a note)");
  CHECK(best_in(m.formats[0], both).names() == "csr/a (a note)");
  m.formats[0].kernels[0].wrong = "wrong";
  CHECK(best_in(m.formats[0], {ax}).format == nullptr);
}

TEST_CASE("the vendor's pair from two copies") {
  matrix_result m = example();
  const choice two = two_copies(m);
  REQUIRE(two.format == &m.formats[2]);
  CHECK(two.names() == "csc/vendor");  // the faster of the vendor's, not ours
  CHECK(two.seconds == 10 + 5);        // A x of the base, A^T x of the copy
  CHECK(two.base_seconds == 10 + 20);
  CHECK(two.price == 4 + 1);
  m.formats[2].base[0] = {};  // A x was not asked for
  CHECK(two_copies(m).format == nullptr);
  m.formats.pop_back();
  CHECK(two_copies(m).format == nullptr);
}

TEST_CASE("formats over several matrices") {
  format_ratios all;
  matrix_result m = example();
  add_ratios(m, all);
  m.formats[1].kernels[0].time = taking(20);
  add_ratios(m, all);
  m.entries = 0;
  add_ratios(m, all);  // nothing to be fast or slow with
  const overall& ell = all["ell"][0];
  CHECK(ell.measured == 2);
  CHECK(ell.ahead == 1);
  CHECK(ell.worst == 0.5);
  CHECK(std::fabs(ell.mean() - std::sqrt(1.25 * 0.5)) < 1e-12);
  CHECK(all["csr"][2].measured == 2);
  CHECK(all["csc"][0].measured == 0);
}
