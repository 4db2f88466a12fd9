// Symmetric files that store both triangles get the sums they ask for, and are told.
#include "convert/stored_twice.hpp"

#include "convert/convert.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

std::int64_t twice(const std::vector<triplet>& entries) {
  return count_stored_twice(as_coo({"twice", 5, 5, entries}));
}

assembly_report report_of(const std::vector<triplet>& entries, symmetry_kind symmetry) {
  matrix_entries source;
  source.entries = as_coo({"reported", 5, 5, entries});
  source.symmetry = symmetry;
  assembly_report report;
  assemble<openmp, std::int32_t, double>(openmp{}, std::move(source), false, report, nullptr);
  return report;
}

}  // namespace

TEST_CASE("pairs of mirror images are counted, however often each is stored") {
  CHECK(twice({}) == 0);
  CHECK(twice({{0, 0, 1}, {1, 0, 2}, {3, 2, 1}}) == 0);
  CHECK(twice({{0, 0, 1}, {0, 1, 2}, {2, 3, 1}}) == 0);
  CHECK(twice({{1, 0, 2}, {1, 0, 2}, {3, 2, 1}}) == 0);             // duplicates in one triangle
  CHECK(twice({{1, 0, 2}, {2, 3, 1}, {4, 4, 1}, {4, 4, 1}}) == 0);  // either triangle, no pair
  CHECK(twice({{1, 0, 2}, {0, 1, 2}}) == 1);
  CHECK(twice({{1, 0, 2}, {0, 1, 2}, {1, 0, 3}, {0, 1, 5}, {2, 1, 1}}) == 1);
  CHECK(twice({{4, 3, 1}, {1, 0, 2}, {0, 0, 1}, {0, 1, 7}, {2, 0, 1}, {3, 4, 1}}) == 2);
  // Many of them, in any order: both triangles of a full matrix.
  constexpr std::int32_t n = 200;
  std::vector<triplet> full;
  for (std::int32_t i = 0; i < n * n; ++i) full.push_back({i * 7 % (n * n) / n, i * 7 % (n * n) % n, 1});
  CHECK(count_stored_twice(as_coo({"full", n, n, full})) == n * (n - 1) / 2);
}

TEST_CASE("assembling tells of both triangles, where the matrix is said to be symmetric") {
  const std::vector<triplet> both = {{0, 0, 1}, {1, 0, 2}, {0, 1, 2}, {3, 1, 4}, {1, 3, 4}};
  for (const symmetry_kind symmetry : {symmetry_kind::symmetric, symmetry_kind::skew_symmetric}) {
    const assembly_report report = report_of(both, symmetry);
    CHECK(report.stored_twice == 2);
    CHECK(report.duplicates_summed == 4);
    CHECK(doubt_about(report) ==
          "both triangles are stored although the header says symmetric: the values of 2 pairs off the "
          "diagonal "
          "were added up");
  }
  CHECK(doubt_about(report_of(both, symmetry_kind::general)).empty());
  // A few duplicates in one triangle are legal.
  const assembly_report legal = report_of({{1, 0, 2}, {1, 0, 3}, {4, 2, 1}}, symmetry_kind::symmetric);
  CHECK(legal.duplicates_summed == 2);
  CHECK(doubt_about(legal).empty());
}
