// The sort on OpenMP, where half of the entries are of one row: their bucket is far larger than the others.
#include "convert/backend/sort_entries.hpp"

#include <algorithm>
#include <numeric>

#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

void check_skewed(std::int64_t majors, std::int64_t minors, bool minor_ordered) {
  INFO(majors << " x " << minors << (minor_ordered ? ", minor indices in order" : ""));
  constexpr std::int32_t count = 100'000;
  random_source random(17);
  array<std::int32_t, host> major(count), minor(count), number(count);
  for (std::int32_t i = 0; i < count; ++i) {
    major[i] = random.below(2) == 0
                   ? 7
                   : static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(majors)));
    minor[i] = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(minors)));
    number[i] = i;
  }
  if (minor_ordered) std::sort(minor.begin(), minor.end());

  reset_peak_bytes(place::host);
  const std::int64_t before = peak_bytes(place::host);
  const auto sorted =
      sort_entries<std::int32_t>(openmp{}, major, minor, number, majors, minors, minor_ordered);
  CHECK(peak_bytes(place::host) - before == sort_peak_bytes(openmp{}, count, sizeof(std::int32_t)));

  std::vector<std::int32_t> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(major[a], minor[a]) < std::pair(major[b], minor[b]);
  });
  CHECK(std::equal(expected.begin(), expected.end(), sorted.values.begin(), sorted.values.end()));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t e = expected[static_cast<std::size_t>(i)];
    const auto key =
        static_cast<std::uint64_t>(major[e]) << sorted.minor_bits | static_cast<std::uint64_t>(minor[e]);
    if (sorted.keys[i] != key) FAIL("key " << i << " is wrong");
  }
}

}  // namespace

TEST_CASE("a bucket far larger than the others is sorted in place") {
  for (const std::int64_t majors : {8, 300, 5000, 1 << 20, 1 << 30})
    for (const std::int64_t minors : {1, 40, 3000, 1 << 20, 1 << 30})
      for (const bool minor_ordered : {false, true}) check_skewed(majors, minors, minor_ordered);
}
