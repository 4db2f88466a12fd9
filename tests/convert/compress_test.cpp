// Steps of the pipelines that no matrix a test could hold would show.
#include "convert/pipelines/compress.hpp"

#include <random>
#include <set>

#include "convert/pipelines/block_columns.hpp"
#include "convert/pipelines/transpose_openmp.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

// Entries of one column after the other, against what any number of threads makes of the rows.
template <class Offset, class Value>
void check_transposition(std::int64_t cols, const std::vector<std::set<std::int32_t>>& rows) {
  array<Offset, host> offsets(static_cast<std::int64_t>(rows.size()) + 1);
  offsets[0] = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    offsets[static_cast<std::int64_t>(r) + 1] =
        offsets[static_cast<std::int64_t>(r)] + static_cast<Offset>(rows[r].size());
  const std::int64_t count = offsets[offsets.size() - 1];
  array<std::int32_t, host> indices(count);
  array<Value, host> values(count);
  std::vector<std::vector<std::pair<std::int32_t, Value>>> expected(static_cast<std::size_t>(cols));
  std::int64_t at = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const std::int32_t col : rows[r]) {
      indices[at] = col;
      values[at] = static_cast<Value>(at);
      expected[static_cast<std::size_t>(col)].push_back({static_cast<std::int32_t>(r), values[at]});
      ++at;
    }
  for (const int threads : {1, 2, 3, 7}) {
    set_thread_count(threads);
    const auto result = transposition<Offset, Value>(offsets, indices, values, cols).run();
    bool same = result.offsets[0] == 0 && result.offsets[cols] == static_cast<Offset>(count);
    for (std::int64_t c = 0; c < cols && same; ++c) {
      const auto& column = expected[static_cast<std::size_t>(c)];
      same = result.offsets[c + 1] - result.offsets[c] == static_cast<Offset>(column.size());
      for (std::size_t i = 0; i < column.size() && same; ++i) {
        const std::int64_t e = result.offsets[c] + static_cast<std::int64_t>(i);
        same = result.indices[e] == column[i].first && result.values[e] == column[i].second;
      }
    }
    CHECK(same);
  }
  set_thread_count(0);
}

// Rows with so many entries, of which every n-th row has some more in the first columns.
std::vector<std::set<std::int32_t>> scattered(int rows, int cols, int length, int every, int more) {
  std::mt19937 random(7);
  std::vector<std::set<std::int32_t>> result(static_cast<std::size_t>(rows));
  for (int r = 0; r < rows; ++r) {
    auto& row = result[static_cast<std::size_t>(r)];
    for (int i = 0; i < length; ++i)
      row.insert(static_cast<std::int32_t>(random() % static_cast<unsigned>(cols)));
    if (r % every == 0)
      for (int i = 0; i < more; ++i) row.insert(static_cast<std::int32_t>(random() % 300));
  }
  return result;
}

}  // namespace

TEST_CASE("a transposition by each of its ways") {
  // Straight to the places: a band.
  std::vector<std::set<std::int32_t>> band(5000);
  for (std::int32_t r = 0; r < 5000; ++r)
    for (const std::int32_t col : {r - 70, r - 1, r, r + 1, r + 70})
      if (col >= 0 && col < 5000) band[static_cast<std::size_t>(r)].insert(col);
  check_transposition<std::int32_t, double>(5000, band);
  check_transposition<std::int64_t, float>(5000, band);
  // By buckets: all alike; one larger, for all threads; one that holds nearly everything.
  for (const auto& [every, more] : {std::pair{1, 0}, std::pair{4, 8}, std::pair{1, 60}}) {
    check_transposition<std::int32_t, double>(200000, scattered(3000, 200000, 20, every, more));
    check_transposition<std::int64_t, float>(200000, scattered(3000, 200000, 20, every, more));
  }
  // Far more columns than entries, one column, and nothing at all.
  check_transposition<std::int32_t, double>(3000000, scattered(50, 3000000, 3, 1, 0));
  check_transposition<std::int32_t, double>(1, {{0}, {}, {0}});
  check_transposition<std::int32_t, double>(5, {{}, {}});
}

TEST_CASE("a set of numbers gives them back in order and is empty again") {
  std::mt19937 random(3);
  for (const std::uint32_t limit : {1u, 64u, 65u, 4096u, 4097u, 300000u}) {
    std::vector<std::uint64_t> words(static_cast<std::size_t>(number_set::words_for(limit)));
    number_set numbers(words.data(), limit);
    for (int time = 0; time < 3; ++time) {
      std::set<std::int32_t> expected{static_cast<std::int32_t>(limit) - 1};
      for (int i = 0; i < 100; ++i) expected.insert(static_cast<std::int32_t>(random() % limit));
      for (const std::int32_t number : expected) numbers.add(static_cast<std::uint32_t>(number));
      numbers.add(limit - 1);
      std::vector<std::int32_t> taken;
      numbers.take_all([&](std::int32_t number) { taken.push_back(number); });
      CHECK(taken == std::vector<std::int32_t>(expected.begin(), expected.end()));
    }
  }
}

TEST_CASE("block rows are cut into pieces of about the same work, each row into one of them") {
  constexpr std::int64_t bytes = std::int64_t{8} << 20;
  // Blocks of each block row: none at all, many of one, one of all, few among empty ones.
  std::vector<std::vector<std::int64_t>> all{{}, {0}, {5}, std::vector<std::int64_t>(1000, 0)};
  all.emplace_back(1000, 7);
  all.emplace_back(1000, 0)[999] = 100000;
  all.emplace_back(1000, 0)[0] = 100000;
  all.emplace_back(1000, 3)[500] = 100000;
  for (const auto& blocks : all)
    for (const int threads : {1, 3, 64})
      for (const std::int64_t block_bytes : {std::int64_t{4}, bytes / 100, bytes, 2 * bytes}) {
        INFO(blocks.size() << " block rows, " << threads << " threads, blocks of " << block_bytes
                           << " bytes");
        std::vector<std::int64_t> first_blocks{0};
        for (const std::int64_t count : blocks) first_blocks.push_back(first_blocks.back() + count);
        const auto rows = static_cast<std::int64_t>(blocks.size());
        const auto pieces = block_row_pieces(first_blocks.data(), rows, block_bytes, threads);
        const std::int64_t work = first_blocks.back() + rows,
                           most = std::max<std::int64_t>(std::min(work / (threads * 16), bytes / block_bytes),
                                                         1);
        CHECK(pieces.front() == 0);
        CHECK(pieces.back() == rows);
        bool fair = true;
        for (std::size_t p = 1; p < pieces.size(); ++p) {
          const std::int64_t first = pieces[p - 1], end = pieces[p];
          fair = fair && first <= end;
          // The last block row of a piece may be as long as it likes, those before it not.
          if (end > first)
            fair = fair && first_blocks[static_cast<std::size_t>(end - 1)] -
                                   first_blocks[static_cast<std::size_t>(first)] + (end - 1 - first) <
                               most;
        }
        CHECK(fair);
      }
}

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
