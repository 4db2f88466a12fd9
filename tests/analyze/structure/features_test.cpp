// What a matrix is like, against references that are slow and know nothing of pipelines.
#include "analyze/structure/features.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analyze/structure/block_choice.hpp"
#include "convert/io/read.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

using cells = std::map<std::pair<std::int32_t, std::int32_t>, double>;

cells cells_of(const csr<std::int32_t, double, host>& m) {
  cells all;
  for (std::int32_t row = 0; row < m.rows; ++row)
    for (std::int32_t e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
      all[{row, m.col_indices[e]}] = m.values[e];
  return all;
}

// What the values tell, by the definitions; sums of the battery's values are exact enough for Approx.
void check_values(const csr<std::int32_t, double, host>& m, const matrix_features& f) {
  REQUIRE(f.of_values);
  const value_features& v = *f.of_values;
  std::map<std::int32_t, double> row_sums, col_sums, diagonal, others;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0, squares = 0;
  std::int64_t zeros = 0;
  bool any_nan = false;
  for (const auto& [place, value] : cells_of(m)) {
    const auto [row, col] = place;
    const double size = std::fabs(value);
    any_nan = any_nan || std::isnan(value);
    if (size > 0) smallest = std::min(smallest, size);
    if (size > largest) largest = size;
    squares += size * size;
    row_sums[row] += size;
    col_sums[col] += size;
    (row == col ? diagonal : others)[row] += size;
    zeros += row == col && size == 0 ? 1 : 0;
  }
  const auto largest_of = [](const std::map<std::int32_t, double>& sums) {
    double most = 0;
    for (const auto& [line, sum] : sums) most = std::max(most, sum);
    return most;
  };
  CHECK(v.smallest == (largest == 0 ? 0 : smallest));
  CHECK(v.largest == largest);
  if (any_nan) {
    for (const double norm : {v.norm_1, v.norm_infinity, v.norm_frobenius, v.norm_max})
      CHECK(std::isnan(norm));
  } else {
    CHECK(v.norm_max == largest);
    CHECK(v.norm_1 == largest_of(col_sums));  // in the same order, so the same bits
    CHECK(v.norm_infinity == largest_of(row_sums));
    if (std::isinf(largest))
      CHECK(std::isinf(v.norm_frobenius));
    else
      CHECK(v.norm_frobenius == Approx(std::sqrt(squares)));
  }
  std::int64_t dominant = 0, strictly = 0;
  for (std::int32_t row = 0; row < m.rows && m.rows == m.cols; ++row) {
    dominant += diagonal[row] >= others[row] ? 1 : 0;
    strictly += diagonal[row] > others[row] ? 1 : 0;
  }
  CHECK(v.dominant_rows == dominant);
  CHECK(v.strictly_dominant_rows == strictly);
  CHECK(v.diagonal_zeros == (m.rows == m.cols ? zeros : 0));
}

// One augmenting path after the other, deeper and deeper.
class slow_matching {
 public:
  explicit slow_matching(const csr<std::int32_t, double, host>& m)
      : m_(m), row_of_(static_cast<std::size_t>(m.cols), -1) {}
  std::int64_t most() {
    std::int64_t matched = 0;
    for (std::int32_t row = 0; row < m_.rows; ++row) {
      tried_.assign(row_of_.size(), false);
      matched += match(row) ? 1 : 0;
    }
    return matched;
  }

 private:
  bool match(std::int32_t row) {
    for (std::int32_t e = m_.row_offsets[row]; e < m_.row_offsets[row + 1]; ++e) {
      const auto col = static_cast<std::size_t>(m_.col_indices[e]);
      if (tried_[col]) continue;
      tried_[col] = true;
      if (row_of_[col] >= 0 && !match(row_of_[col])) continue;
      row_of_[col] = row;
      return true;
    }
    return false;
  }

  const csr<std::int32_t, double, host>& m_;
  std::vector<std::int32_t> row_of_;
  std::vector<bool> tried_;
};

// Of a plain list of lengths, by the definitions.
void check_lengths(std::vector<std::int64_t> list, const length_features& f) {
  std::sort(list.begin(), list.end());
  const std::size_t count = list.size();
  CHECK(f.lines == static_cast<std::int64_t>(count));
  if (count == 0) return;
  std::int64_t entries = 0, empty = 0;
  for (const std::int64_t length : list) {
    entries += length;
    empty += length == 0 ? 1 : 0;
  }
  const double mean = static_cast<double>(entries) / static_cast<double>(count);
  double squares = 0, differences = 0;
  for (const std::int64_t a : list)
    squares += (static_cast<double>(a) - mean) * (static_cast<double>(a) - mean);
  if (count <= 2000)
    for (const std::int64_t a : list)
      for (const std::int64_t b : list) differences += std::fabs(static_cast<double>(a - b));
  CHECK(f.empty == empty);
  CHECK(f.lengths.least == list.front());
  CHECK(f.lengths.most == list.back());
  CHECK(f.lengths.lower_quartile == list[(count + 3) / 4 - 1]);
  CHECK(f.lengths.median == list[(2 * count + 3) / 4 - 1]);
  CHECK(f.lengths.upper_quartile == list[(3 * count + 3) / 4 - 1]);
  CHECK(f.mean == Approx(mean));
  CHECK(f.deviation == Approx(std::sqrt(squares / static_cast<double>(count))));
  if (entries == 0) return;
  CHECK(f.variation == Approx(f.deviation / mean));
  if (count <= 2000)  // half the mean difference over the mean
    CHECK(f.gini == Approx(differences / static_cast<double>(count) / static_cast<double>(count) / 2 / mean)
                        .margin(1e-9));
  for (const auto& bins : {linear_bins(f, 7), log2_bins(f)}) {
    std::int64_t lines = 0, up_to = 0;
    for (const length_bin& b : bins) {
      std::int64_t in_bin = 0, in_lines = 0;
      for (const std::int64_t length : list)
        if (length >= b.first && length <= b.last) {
          ++in_bin;
          in_lines += length;
        }
      CHECK(b.lines == in_bin);
      CHECK(b.entries == in_lines);
      up_to += in_lines;
      CHECK(b.cumulative_entries == Approx(static_cast<double>(up_to) / static_cast<double>(entries)));
      lines += b.lines;
    }
    CHECK(lines == f.lines);
    CHECK(bins.back().cumulative_entries == Approx(1));
  }
}

void check_features(const std::string& name, const csr<std::int32_t, double, host>& m) {
  INFO(name);
  feature_request request;
  request.blocks = {{1, 1}, {2, 2}, {3, 3}, {5, 5}, {8, 4}, {64, 64}, {256, 256}};
  request.grid_rows = 7;
  request.grid_cols = 11;
  request.plan.options.max_fill = no_limit;
  const matrix_features f = features_of(openmp{}, view(m), request, nullptr);
  const cells all = cells_of(m);

  std::vector<std::int64_t> rows(static_cast<std::size_t>(m.rows)), cols(static_cast<std::size_t>(m.cols));
  std::int64_t zeros = 0, nans = 0, infinities = 0, diagonal = 0, next = 0, below = 0, lower = 0, upper = 0,
               profile = 0;
  symmetry_features symmetry;
  std::map<std::int64_t, std::int64_t> diagonals;
  std::set<std::pair<std::int32_t, std::int32_t>> x_lines;
  std::map<std::int32_t, std::int32_t> first_col;
  std::vector<std::int64_t> grid(static_cast<std::size_t>(std::min(7, m.rows)) *
                                 static_cast<std::size_t>(std::min(11, m.cols)));
  for (const auto& [place, value] : all) {
    const auto [row, col] = place;
    ++rows[static_cast<std::size_t>(row)];
    ++cols[static_cast<std::size_t>(col)];
    zeros += value == 0 ? 1 : 0;
    nans += std::isnan(value) ? 1 : 0;
    infinities += std::isinf(value) ? 1 : 0;
    next += all.count({row, col + 1}) > 0 ? 1 : 0;
    below += all.count({row + 1, col}) > 0 ? 1 : 0;
    lower = std::max<std::int64_t>(lower, row - col);
    upper = std::max<std::int64_t>(upper, col - row);
    first_col.try_emplace(row, col);
    ++diagonals[std::int64_t{col} - row];
    x_lines.insert({row, col / 16});
    if (row == col) {
      ++diagonal;
    } else if (m.rows == m.cols) {
      ++symmetry.off_diagonal;
      if (const auto mirror = all.find({col, row}); mirror != all.end()) {
        ++symmetry.pattern;
        symmetry.values += mirror->second == value ? 1 : 0;
        symmetry.negated += mirror->second == -value ? 1 : 0;
      }
    }
    const std::int64_t high = std::min(7, m.rows), wide = std::min(11, m.cols);
    ++grid[static_cast<std::size_t>(row * high / m.rows * wide + col * wide / m.cols)];
  }
  for (const auto& [row, col] : first_col) profile += std::max(0, row - col);

  CHECK(f.entries == static_cast<std::int64_t>(all.size()));
  CHECK(f.explicit_zeros == zeros);
  CHECK(f.nans == nans);
  CHECK(f.infinities == infinities);
  CHECK(f.diagonal_entries == diagonal);
  CHECK(f.diagonal_missing() == (m.rows == m.cols ? std::optional(m.rows - diagonal) : std::nullopt));
  check_values(m, f);
  REQUIRE(f.structural_rank);
  if (std::int64_t{m.rows} * m.cols <= 4'000'000) CHECK(*f.structural_rank == slow_matching(m).most());
  CHECK(f.next_column == next);
  CHECK(f.row_below == below);
  CHECK(f.x_lines == static_cast<std::int64_t>(x_lines.size()));
  CHECK(f.lower_bandwidth == lower);
  CHECK(f.upper_bandwidth == upper);
  CHECK(f.profile == profile);
  CHECK(f.diagonals == static_cast<std::int64_t>(diagonals.size()));
  std::int64_t full = 0, on_full = 0;
  std::vector<diagonal_count> fullest;
  std::map<std::int64_t, std::int64_t> diagonal_lengths;
  for (const auto& [offset, count] : diagonals) {
    full += 2 * count >= m.rows ? 1 : 0;
    on_full += 2 * count >= m.rows ? count : 0;
    fullest.push_back({offset, count});
    ++diagonal_lengths[count];
  }
  std::stable_sort(fullest.begin(), fullest.end(),
                   [](const diagonal_count& a, const diagonal_count& b) { return a.entries > b.entries; });
  fullest.resize(std::min<std::size_t>(fullest.size(), 10));
  CHECK(f.full_diagonals == full);
  CHECK(f.on_full_diagonals == on_full);
  CHECK(f.fullest_diagonals == fullest);
  std::vector<size_count> lengths_of_diagonals;
  for (const auto& [size, count] : diagonal_lengths) lengths_of_diagonals.push_back({size, count});
  CHECK(f.diagonal_lengths == lengths_of_diagonals);
  CHECK(f.symmetry == symmetry);
  CHECK(f.grid.counts == grid);
  check_lengths(rows, f.row_lengths);
  check_lengths(cols, f.col_lengths);

  std::vector<long_line> longest;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rows[r] > 0) longest.push_back({static_cast<std::int32_t>(r), rows[r]});
  std::stable_sort(longest.begin(), longest.end(),
                   [](const long_line& a, const long_line& b) { return a.length > b.length; });
  longest.resize(std::min<std::size_t>(longest.size(), 20));
  CHECK(f.longest_rows == longest);

  for (const block_features& b : f.blocks) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> blocks;
    for (const auto& [place, value] : all) ++blocks[{place.first / b.size.rows, place.second / b.size.cols}];
    std::array<std::int64_t, 10> density{};
    for (const auto& [block, count] : blocks)
      ++density[static_cast<std::size_t>(
          std::ceil(10.0 * static_cast<double>(count) / static_cast<double>(b.size.area())) - 1)];
    INFO(b.size.rows << " x " << b.size.cols);
    CHECK(b.blocks == static_cast<std::int64_t>(blocks.size()));
    CHECK(b.density == density);
    if (!all.empty())
      CHECK(b.fill == Approx(static_cast<double>(blocks.size()) * static_cast<double>(b.size.area()) /
                             static_cast<double>(all.size())));
  }
  CHECK(f.formats.size() >= format_names().size());

  // Of all shapes, and priced, as spconv --block auto would take it.
  CHECK(f.block_shapes == count_block_shapes(openmp{}, pattern_of(m)));
  CHECK(f.best_block.has_value() == !all.empty());
  if (!f.best_block) return;
  const block_choice choice = choose_block(openmp{}, view(m), no_limit, nullptr);
  const block_candidate& best = choice.candidates[choice.best().shape.size.area() == 1 ? 1 : 0];
  CHECK(f.best_block->size == best.shape.size);
  CHECK(f.best_block->blocks == best.shape.blocks);
  CHECK(f.best_block->fill == Approx(best.fill));
  CHECK(std::count_if(f.formats.begin(), f.formats.end(), [&](const format_cost& cost) {
          return cost.format == format_kind::bsr && cost.options.bsr_block == best.shape.size &&
                 cost.bytes == best.bytes;
        }) == 1);
}

}  // namespace

TEST_CASE("full blocks of 6 x 6 are not taken for blocks of 2 x 2, which are as full") {
  const auto m = coo_to_csr<openmp, std::int32_t, double>(
      openmp{}, read_matrix("gen:blockband?n=600&block=6&density=0.05").entries, nullptr);
  const matrix_features f = features_of(openmp{}, view(m), feature_request{}, nullptr);
  REQUIRE(f.best_block);
  CHECK(f.best_block->size == block_size{6, 6});
  CHECK(f.best_block->fill == 1);
  CHECK(f.blocks.size() == feature_request{}.blocks.size());
}

TEST_CASE("features of the battery") {
  for (const named_matrix& m : battery())
    check_features(m.name, coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo_of<double>(m), nullptr));
}

TEST_CASE("features of generated matrices, with several numbers of threads") {
  const int all_threads = thread_count();
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    for (const std::string spec :
         {"gen:rmat?scale=11", "gen:laplace2d?n=40", "gen:blockband?n=300&block=5&density=0.1",
          "gen:powerlaw?n=2000", "gen:denserow?n=500"}) {
      assembly_report report;
      check_features(
          spec, assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr));
    }
  }
  set_thread_count(all_threads);
}

TEST_CASE("features of a matrix that several threads walk at the same time") {
  const int all_threads = thread_count();
  set_thread_count(4);
  for (const std::string spec : {"gen:rmat?scale=15", "gen:blockband?n=3000&block=5&density=0.05"}) {
    assembly_report report;
    check_features(
        spec, assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr));
  }
  set_thread_count(all_threads);
}

TEST_CASE("features of a matrix with far more columns than entries") {
  const named_matrix m = random_matrix("very wide", 40, 1'000'000, 300, 11);
  check_features(m.name, coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo_of<double>(m), nullptr));
}

TEST_CASE("groups of rows by their lengths, also of more entries than there are counters for") {
  for (const std::string spec :
       {"gen:denserow?n=40000", "gen:uniform?n=3000&density=0.05", "gen:diagonal?n=7"}) {
    assembly_report report;
    const auto m =
        assemble<openmp, std::int32_t, double>(openmp{}, read_matrix(spec), false, report, nullptr);
    const std::vector<std::int32_t> rows_each = {1, 8, 100, 1 << 20};
    const auto counted = count_group_lengths(openmp{}, pattern_of(m), rows_each);
    for (std::size_t i = 0; i < rows_each.size(); ++i) {
      INFO(spec << ", groups of " << rows_each[i]);
      std::map<std::int64_t, std::int64_t> lengths;
      for (std::int64_t row = 0; row < m.rows; row += rows_each[i])
        ++lengths[m.row_offsets[std::min<std::int64_t>(row + rows_each[i], m.rows)] - m.row_offsets[row]];
      std::vector<size_count> expected;
      for (const auto& [length, groups] : lengths) expected.push_back({length, groups});
      const bool same = counted[i] == expected;
      CHECK(same);
    }
  }
}

TEST_CASE("rows of more lengths than one copy brings, and the longest of them far apart") {
  constexpr std::int32_t rows = 5000, lengths = 1300;
  array<std::int32_t, host> offsets(rows + 1);
  offsets[0] = 0;
  std::vector<std::int64_t> of_rows;
  std::vector<size_count> expected;
  for (std::int32_t length = 0; length < lengths; ++length) expected.push_back({length, 0});
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::int32_t length = row * 7 % lengths;
    offsets[row + 1] = offsets[row] + length;
    of_rows.push_back(length);
    ++expected[static_cast<std::size_t>(length)].count;
  }
  const array<std::int32_t, host> cols(offsets[rows]);  // nobody looks at them
  const csr_pattern<std::int32_t, host> m{rows, lengths, offsets, cols};
  const bool same = count_group_lengths(openmp{}, m, {1})[0] == expected;
  CHECK(same);
  for (const std::int64_t few : {0, 2, 3, 100}) {
    INFO("few: " << few);
    std::vector<std::int64_t> wanted, found;
    for (std::int32_t row = 0; row < rows; ++row)
      if (of_rows[static_cast<std::size_t>(row)] > 1290) wanted.push_back(row);
    std::int64_t equal = 0;
    for (std::int32_t row = 0; row < rows; ++row)
      if (of_rows[static_cast<std::size_t>(row)] == 1290 && equal++ < few) wanted.push_back(row);
    for (const long_row& l : find_long_rows(openmp{}, m, 1290, few)) {
      found.push_back(l.row);
      CHECK(l.length == of_rows[static_cast<std::size_t>(l.row)]);
    }
    CHECK(found == wanted);
  }
}

namespace {

matrix_features features_of_entries(const named_matrix& m, const feature_request& request = {}) {
  const auto compressed = coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo_of<double>(m), nullptr);
  return features_of(openmp{}, view(compressed), request, nullptr);
}

}  // namespace

TEST_CASE("norms of values whose squares no number holds, dominance, and zeros on the diagonal") {
  const named_matrix large{"large", 2, 2, {{0, 0, 3e300}, {0, 1, -4e300}}};
  const matrix_features f = features_of_entries(large);
  REQUIRE(f.of_values);
  CHECK(f.of_values->norm_frobenius == Approx(5e300));
  CHECK(f.of_values->norm_infinity == 3e300 + 4e300);
  CHECK(f.of_values->norm_1 == 4e300);
  CHECK(f.of_values->smallest == 3e300);
  CHECK(f.diagonal_missing() == 1);
  CHECK(f.of_values->dominant_rows == 1);  // the one without entries
  const matrix_features small = features_of_entries({"small", 1, 2, {{0, 0, 3e-310}, {0, 1, 4e-310}}});
  CHECK(small.of_values->norm_frobenius / 5e-310 == Approx(1));
  CHECK_FALSE(small.diagonal_missing());
  CHECK(small.of_values->dominant_rows == 0);
  const matrix_features ties = features_of_entries(
      {"ties", 3, 3, {{0, 0, -2}, {0, 1, 1}, {0, 2, 1}, {1, 1, 0}, {2, 1, 1}, {2, 2, 1.5}}});
  CHECK(ties.of_values->dominant_rows == 3);
  CHECK(ties.of_values->strictly_dominant_rows == 1);
  CHECK(ties.of_values->diagonal_zeros == 1);
  CHECK(ties.of_values->smallest == 1);
}

TEST_CASE("the structural rank, where what is matched first has to give way") {
  // The last row wants the first column, so that every other row takes the next one.
  named_matrix chain{"chain", 50'000, 50'000, {}};
  for (std::int32_t row = 0; row + 1 < chain.rows; ++row) {
    chain.entries.push_back({row, row, 1});
    chain.entries.push_back({row, row + 1, 1});
  }
  chain.entries.push_back({chain.rows - 1, 0, 1});
  feature_request request;
  request.values = false;
  const matrix_features f = features_of_entries(chain, request);
  CHECK(f.structural_rank == 50'000);
  CHECK_FALSE(f.of_values);
  CHECK(features_of_entries({"row of zeros", 2, 2, {{0, 0, 0}, {0, 1, 0}}}).structural_rank == 1);
  request.most_entries_for_graphs = f.entries - 1;
  CHECK_FALSE(features_of_entries(chain, request).structural_rank);
  for (const std::int64_t entries : {600, 900, 1500, 3000}) {
    const named_matrix m = random_matrix("random", 700, 650, static_cast<std::int32_t>(entries), 5);
    const auto compressed = coo_to_csr<openmp, std::int32_t, double>(openmp{}, as_coo_of<double>(m), nullptr);
    CHECK(features_of_entries(m).structural_rank == slow_matching(compressed).most());
  }
}

TEST_CASE("lengths without lines, without entries, and all alike") {
  CHECK(summarize_lengths({}).lines == 0);
  CHECK(linear_bins(summarize_lengths({}), 5).empty());
  check_lengths({0, 0, 0}, summarize_lengths({{0, 3}}));
  check_lengths(std::vector<std::int64_t>(100, 7), summarize_lengths({{7, 100}}));
  CHECK(summarize_lengths({{7, 100}}).gini == Approx(0).margin(1e-12));
}

TEST_CASE("half of a matrix has a price where its bits have mirror images") {
  const auto told = [](const std::vector<triplet>& entries) {
    const auto m = coo_to_csr<openmp, std::int32_t, double>({}, as_coo({"", 5, 5, entries}), nullptr);
    const matrix_features f = features_of(openmp{}, view(m), feature_request{}, nullptr);
    const bool priced = std::any_of(f.formats.begin(), f.formats.end(), [](const format_cost& cost) {
      return whole_of(cost.format).has_value();
    });
    CHECK(f.has_half().value_or(priced) == priced);
    CHECK(priced == (mirror_sign(m) != 0 && f.symmetry.off_diagonal > 0));
    return priced;
  };
  CHECK(told({{0, 1, 2}, {1, 0, 2}, {4, 4, 1}}));
  CHECK(told({{0, 1, 2}, {1, 0, -2}}));
  CHECK(told({{0, 1, 2}, {1, 0, -2}, {4, 4, 0}}));
  CHECK(told({{0, 1, 0}, {1, 0, 0}}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(told({{0, 1, nan}, {1, 0, nan}, {2, 3, 1}, {3, 2, 1}}));
  CHECK_FALSE(told({{0, 1, nan}, {1, 0, nan}, {2, 3, 1}, {3, 2, 2}}));
  CHECK_FALSE(told({{0, 1, nan}}));
  CHECK_FALSE(told({{0, 1, 2}, {1, 0, -2}, {4, 4, 1}}));
  CHECK_FALSE(told({{0, 1, 0.0}, {1, 0, -0.0}, {2, 3, 1}, {3, 2, 1}}));  // equal, and not the same bits
  CHECK_FALSE(told({{0, 1, 2}, {1, 0, 3}}));
  CHECK_FALSE(told({{0, 1, 2}}));
  CHECK_FALSE(told({{2, 2, 1}, {3, 3, 1}}));  // half of it is all of it
}
