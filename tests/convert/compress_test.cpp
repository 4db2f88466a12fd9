// Steps of the pipelines that no matrix a test could hold would show.
#include "convert/pipelines/compress.hpp"

#include "tests/catch.hpp"

using namespace sparsmith;

TEST_CASE("lines may hold more entries than 32 bits count") {
  // Block rows of eCSB: only their offsets are looked at.
  constexpr std::int64_t many = (std::int64_t{1} << 31) + 5;
  const std::int64_t offsets[] = {0, 3, 3 + many, 3 + 2 * many, 10 + 2 * many};
  CHECK(longest_line(openmp{}, offsets, 4) == many);
  CHECK(bell_garland_width(openmp{}, offsets, 4) == many);
  CHECK(longest_line(openmp{}, offsets, 0) == 0);
  const std::int32_t short_ones[] = {0, 4, 6, 6, 9};
  CHECK(longest_line(openmp{}, short_ones, 4) == 4);
  CHECK(bell_garland_width(openmp{}, short_ones, 4) == 3);  // two of four rows have as many
}
