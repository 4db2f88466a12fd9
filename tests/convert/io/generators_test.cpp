// Generators: what each promises (counts, order, structure, sums), that the number of threads changes
// nothing, that no output ever changes unnoticed, and every message a wrong request gets.
#include "convert/io/generators.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "convert/error.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

using host_coo = coo<double, host>;

host_coo entries_of(const std::string& spec) {
  return generate(spec).entries;
}

bool sorted_without_duplicates(const host_coo& m) {
  for (std::int64_t i = 1; i < m.values.size(); ++i)
    if (std::pair(m.row_indices[i - 1], m.col_indices[i - 1]) >=
        std::pair(m.row_indices[i], m.col_indices[i]))
      return false;
  return true;
}

bool inside(const host_coo& m) {
  for (std::int64_t i = 0; i < m.values.size(); ++i)
    if (m.row_indices[i] < 0 || m.row_indices[i] >= m.rows || m.col_indices[i] < 0 ||
        m.col_indices[i] >= m.cols)
      return false;
  return true;
}

// Multiples of 2^-24 in (0, 1].
bool values_fit_float(const host_coo& m) {
  for (const double v : m.values)
    if (!(v > 0 && v <= 1) || v * 0x1p24 != std::floor(v * 0x1p24)) return false;
  return true;
}

std::vector<std::int64_t> row_lengths(const host_coo& m) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(m.rows));
  for (const std::int32_t row : m.row_indices) ++lengths[static_cast<std::size_t>(row)];
  return lengths;
}

// FNV-1a over the sizes, the coordinates and the bits of the values.
std::uint64_t fingerprint(const host_coo& m) {
  std::uint64_t h = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) h = (h ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3;
  };
  add(static_cast<std::uint64_t>(m.rows));
  add(static_cast<std::uint64_t>(m.cols));
  for (std::int64_t i = 0; i < m.values.size(); ++i) {
    add(static_cast<std::uint64_t>(m.row_indices[i]));
    add(static_cast<std::uint64_t>(m.col_indices[i]));
    std::uint64_t bits;
    std::memcpy(&bits, &m.values[i], sizeof bits);
    add(bits);
  }
  return h;
}

std::string message_of(const std::string& spec, failure category = failure::usage) {
  try {
    generate(spec);
  } catch (const error& e) {
    CHECK(e.category() == category);
    return e.what();
  }
  return "no error";
}

// One small instance of each, large enough that several threads share the work.
struct instance {
  const char* spec;
  std::uint64_t fingerprint;
};

const instance instances[] = {
    {"gen:uniform?rows=1500&cols=2000&density=0.1&seed=7", 0xa21090bf36b38bb0},
    {"gen:ideal?n=256&beta=16&density=0.1&seed=7", 0xcd7f92468499e579},
    {"gen:blockband?n=300&block=5&density=0.1&seed=7", 0x21ba3f59c0fa95e6},
    {"gen:laplace2d?n=50", 0xa89cdb2f6f628e91},
    {"gen:laplace3d?n=14", 0x8895f09086ed95dd},
    {"gen:rmat?scale=9&edges=8&seed=7", 0xf9b336a7ca13f293},
    {"gen:diagonal?n=3000&band=5&seed=7", 0x5a6e035b27d39433},
    {"gen:powerlaw?n=3000&mean=6&seed=7", 0xbc759e1db48807b7},
    {"gen:denserow?n=2000&dense=3&degree=4&seed=7", 0xdd5f6a6e991a0d1c},
    {"gen:lopsided?rows=90&cols=3000&longest=2000&degree=4&seed=7", 0x3e8cd97d031cc351},
};

}  // namespace

TEST_CASE("a generator is told from a file by its prefix") {
  CHECK(is_generator("gen:uniform"));
  CHECK(is_generator("gen:"));
  CHECK(!is_generator("gen.mtx"));
  CHECK(!is_generator("./gen:uniform"));
  CHECK(!is_generator(""));
}

TEST_CASE("generated entries are inside, sorted where they are not drawn otherwise, and exact in float") {
  for (const instance& g : instances) {
    const std::string spec = g.spec;
    INFO(spec);
    const matrix_entries m = generate(spec);
    CHECK(m.origin == "generated");
    CHECK(m.symmetry == symmetry_kind::general);
    CHECK(m.entries.values.size() > 1000);
    CHECK(m.entries.row_indices.size() == m.entries.values.size());
    CHECK(m.entries.col_indices.size() == m.entries.values.size());
    CHECK(inside(m.entries));
    CHECK(sorted_without_duplicates(m.entries) ==
          (!spec.starts_with("gen:rmat") && !spec.starts_with("gen:lopsided")));
    if (!spec.starts_with("gen:laplace") && !spec.starts_with("gen:blockband"))
      CHECK(values_fit_float(m.entries));
  }
}

TEST_CASE("generated matrices never change") {
  for (const instance& g : instances) {
    INFO(g.spec);
    CHECK(fingerprint(entries_of(g.spec)) == g.fingerprint);
  }
}

TEST_CASE("generated matrices do not depend on the number of threads") {
  const int threads = omp_get_max_threads();
  for (const instance& g : instances) {
    INFO(g.spec);
    omp_set_num_threads(1);
    const host_coo one = entries_of(g.spec);
    omp_set_num_threads(2);
    const host_coo two = entries_of(g.spec);
    omp_set_num_threads(5);
    const host_coo five = entries_of(g.spec);
    omp_set_num_threads(threads);
    CHECK(identical(one, two));
    CHECK(identical(one, five));
  }
}

TEST_CASE("another seed is another matrix") {
  for (const instance& g : instances) {
    const std::string spec = g.spec;
    if (spec.starts_with("gen:laplace")) continue;
    INFO(spec);
    CHECK(fingerprint(entries_of(spec)) != fingerprint(entries_of(spec.substr(0, spec.size() - 1) + "8")));
  }
}

TEST_CASE("defaults and parameters that follow others") {
  CHECK(identical(entries_of("gen:rmat?scale=8"),
                  entries_of("gen:rmat?seed=1&edges=16&scale=8&a=0.57&b=0.19&c=0.19")));
  CHECK(identical(entries_of("gen:uniform?n=90"), entries_of("gen:uniform?rows=90&cols=90&density=5e-2")));
  CHECK(identical(entries_of("gen:powerlaw?n=90"), entries_of("gen:powerlaw?n=90&max=90")));
  CHECK(identical(entries_of("gen:diagonal?"), entries_of("gen:diagonal")));
  CHECK(identical(entries_of("gen:uniform?n=1e2&seed=2"), entries_of("gen:uniform?n=100&seed=2")));
  CHECK(identical(entries_of("gen:uniform?n=1.5e1"), entries_of("gen:uniform?n=15")));
  const host_coo wide = entries_of("gen:uniform?n=50&cols=70");
  CHECK(wide.rows == 50);
  CHECK(wide.cols == 70);
}

TEST_CASE("uniform: the density is met, everywhere alike") {
  for (const double density : {1e-6, 1e-4, 0.01, 0.2, 0.5, 0.9, 0.999}) {
    INFO(density);
    const host_coo m =
        entries_of("gen:uniform?rows=1200&cols=1700&seed=3&density=" + std::to_string(density));
    const double cells = 1200.0 * 1700.0;
    const double sigma = std::sqrt(cells * density * (1 - density));
    CHECK(std::abs(static_cast<double>(m.values.size()) - cells * density) <= 4 * sigma);
    CHECK(sorted_without_duplicates(m));
    CHECK(inside(m));
  }
  SECTION("in every quarter, in even and odd columns, and beside other entries") {
    const host_coo m = entries_of("gen:uniform?n=1600&density=0.1");
    std::int64_t quarters[4] = {};
    std::int64_t odd = 0;
    std::int64_t neighbours = 0;
    for (std::int64_t i = 0; i < m.values.size(); ++i) {
      ++quarters[(m.row_indices[i] >= 800 ? 2 : 0) + (m.col_indices[i] >= 800 ? 1 : 0)];
      odd += m.col_indices[i] % 2;
      neighbours +=
          i > 0 && m.row_indices[i] == m.row_indices[i - 1] && m.col_indices[i] == m.col_indices[i - 1] + 1;
    }
    for (const std::int64_t count : quarters) CHECK(std::abs(static_cast<double>(count) - 64000) <= 4 * 240);
    CHECK(std::abs(static_cast<double>(odd) - 128000) <= 4 * 340);
    CHECK(std::abs(static_cast<double>(neighbours) - 1600 * 1599 * 0.01) <= 4 * 175);
  }
  SECTION("values are uniform too") {
    const host_coo m = entries_of("gen:uniform?n=1000&density=0.1");
    double sum = 0;
    for (const double v : m.values) sum += v;
    const auto count = static_cast<double>(m.values.size());
    CHECK(std::abs(sum / count - 0.5) <= 4 * std::sqrt(1.0 / 12 / count));
  }
  SECTION("extremes") {
    CHECK(entries_of("gen:uniform?n=300&density=0").values.size() == 0);
    CHECK(entries_of("gen:uniform?n=300&density=1").values.size() == 90000);
    CHECK(sorted_without_duplicates(entries_of("gen:uniform?n=300&density=1")));
    CHECK(entries_of("gen:uniform?n=300&density=1e-300").values.size() == 0);
    CHECK(entries_of("gen:uniform?n=300&density=1e-307").values.size() == 0);
    CHECK(entries_of("gen:uniform?n=0").rows == 0);
    CHECK(entries_of("gen:uniform?rows=0&cols=5").cols == 5);
    CHECK(entries_of("gen:uniform?rows=5&cols=0").rows == 5);
    CHECK(entries_of("gen:uniform?n=1&density=1").values.size() == 1);
    const host_coo huge = entries_of("gen:uniform?n=2147483647&density=1e-15");  // 4612 of 2^62 cells
    CHECK(std::abs(static_cast<double>(huge.values.size()) - 4611.7) <= 4 * 68);
    CHECK(sorted_without_duplicates(huge));
    CHECK(inside(huge));
    for (const char* shape : {"rows=1&cols=2000000", "rows=2000000&cols=1"}) {
      const host_coo thin = entries_of(std::string("gen:uniform?density=0.1&") + shape);
      CHECK(std::abs(static_cast<double>(thin.values.size()) - 200000) <= 4 * 425);
      CHECK(sorted_without_duplicates(thin));
      CHECK(inside(thin));
    }
  }
}

TEST_CASE("ideal: all blocks of a block row are equally full") {
  for (const char* shape :
       {"n=512&beta=8", "n=512&beta=16", "n=512&beta=32", "n=512&beta=128", "n=96&beta=32", "n=64&beta=64",
        "n=64&beta=1&density=0.25", "n=256&beta=16&density=0.9", "n=128&beta=8&density=1",
        "n=128&beta=8&density=0"}) {
    const std::string spec = std::string("gen:ideal?seed=5&") + shape;
    INFO(spec);
    const host_coo m = entries_of(spec);
    CHECK(sorted_without_duplicates(m));
    CHECK(inside(m));
    const int beta = std::stoi(spec.substr(spec.find("beta=") + 5));
    const int blocks = m.rows / beta;
    std::map<std::pair<int, int>, int> counts;
    for (std::int64_t i = 0; i < m.values.size(); ++i)
      ++counts[{m.row_indices[i] / beta, m.col_indices[i] / beta}];
    bool equal = true;
    std::int64_t column_total = 0;
    for (int k = 0; k < blocks; ++k) {
      const int expected = counts[{k, 0}];
      column_total += expected;
      for (int block = 1; block < blocks; ++block) equal = equal && counts[{k, block}] == expected;
    }
    CHECK(equal);
    const std::size_t at = spec.find("density=");
    const double density = at == std::string::npos ? 3406208.0 / 67108864.0 : std::stod(spec.substr(at + 8));
    CHECK(column_total == std::llround(density * m.rows * beta));
    CHECK(m.values.size() == column_total * blocks);
  }
}

TEST_CASE("ideal: the thesis's matrix") {
  const double wanted = 3406208;
  CHECK(entries_of("gen:ideal?beta=128").values.size() == 3406208);
  CHECK(entries_of("gen:ideal?beta=64").values.size() == 3406208);
  CHECK(entries_of("gen:ideal").values.size() == 3406336);
  // The count is a multiple of n / beta; for beta 8 the nearest one is 0.0113 % away.
  for (const char* beta : {"8", "16", "32"}) {
    const auto count = static_cast<double>(entries_of(std::string("gen:ideal?beta=") + beta).values.size());
    CHECK(std::abs(count - wanted) <= 1.2e-4 * wanted);
  }
}

TEST_CASE("ideal: block rows differ from half to one and a half times the mean, in no order") {
  const host_coo m = entries_of("gen:ideal?n=1024&beta=32");
  std::vector<std::int64_t> counts(32);
  for (const std::int32_t row : m.row_indices) ++counts[static_cast<std::size_t>(row / 32)];
  const double mean = static_cast<double>(m.values.size()) / 32;
  CHECK(static_cast<double>(*std::min_element(counts.begin(), counts.end())) < 0.55 * mean);
  CHECK(static_cast<double>(*std::max_element(counts.begin(), counts.end())) > 1.45 * mean);
  CHECK(!std::is_sorted(counts.begin(), counts.end()));
  // Inside the blocks no row and no column is preferred.
  std::vector<double> local_rows(32);
  std::vector<double> local_cols(32);
  for (std::int64_t i = 0; i < m.values.size(); ++i) {
    ++local_rows[static_cast<std::size_t>(m.row_indices[i] % 32)];
    ++local_cols[static_cast<std::size_t>(m.col_indices[i] % 32)];
  }
  for (std::size_t i = 0; i < 32; ++i) {
    CHECK(std::abs(local_rows[i] - mean) <= 5 * std::sqrt(mean));
    CHECK(std::abs(local_cols[i] - mean) <= 5 * std::sqrt(mean));
  }
}

TEST_CASE("blockband: full blocks, the same number in every block row, rows sum to 1") {
  struct shape {
    const char* spec;
    std::int32_t block, band;
  };
  for (const shape& s : {shape{"gen:blockband?n=300&block=5&density=0.1", 5, 6},
                         shape{"gen:blockband?n=301&block=7&density=0.12", 7, 5},
                         shape{"gen:blockband?n=64&block=1&density=0.05", 1, 3},
                         shape{"gen:blockband?n=60&block=5&density=1", 5, 12},
                         shape{"gen:blockband?n=60&block=60&density=1", 60, 1},
                         shape{"gen:blockband?n=60&block=5&density=0", 5, 0}}) {
    INFO(s.spec);
    const host_coo m = entries_of(s.spec);
    CHECK(sorted_without_duplicates(m));
    CHECK(m.values.size() == std::int64_t{m.rows} * s.band * s.block);
    std::map<std::pair<int, int>, int> blocks;
    std::map<int, double> sums;
    bool positive = true;
    for (std::int64_t i = 0; i < m.values.size(); ++i) {
      ++blocks[{m.row_indices[i] / s.block, m.col_indices[i] / s.block}];
      sums[m.row_indices[i]] += m.values[i];
      positive = positive && m.values[i] > 0;
    }
    CHECK(positive);
    bool full = true;
    bool near_diagonal = true;
    std::map<int, int> per_row;
    const int block_rows = m.rows / s.block;
    for (const auto& [at, count] : blocks) {
      full = full && count == s.block * s.block;
      ++per_row[at.first];
      const bool at_edge = at.first < s.band || at.first >= block_rows - s.band;
      near_diagonal = near_diagonal && (at_edge || std::abs(at.first - at.second) <= s.band / 2);
    }
    CHECK(full);
    CHECK(near_diagonal);
    for (const auto& [row, count] : per_row) CHECK(count == s.band);
    CHECK(sums.size() == (s.band > 0 ? static_cast<std::size_t>(m.rows) : 0));
    bool one = true;
    for (const auto& [row, sum] : sums) one = one && std::abs(sum - 1) <= 1e-13;
    CHECK(one);
  }
  CHECK(entries_of("gen:blockband?n=0").values.size() == 0);
  // 32000 rows of 320 blocks of 5 are the 51,200,000 entries of the experiment; here a tenth of the rows.
  CHECK(entries_of("gen:blockband?n=3200").values.size() == 512000);
}

TEST_CASE("laplace: the stencils") {
  SECTION("two dimensions, written out") {
    const host_coo m = entries_of("gen:laplace2d?n=2");
    const std::vector<std::int32_t> rows = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    const std::vector<std::int32_t> cols = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3};
    const std::vector<double> values = {4, -1, -1, -1, 4, -1, -1, 4, -1, -1, -1, 4};
    CHECK(m.rows == 4);
    CHECK(m.cols == 4);
    CHECK(std::vector<std::int32_t>(m.row_indices.begin(), m.row_indices.end()) == rows);
    CHECK(std::vector<std::int32_t>(m.col_indices.begin(), m.col_indices.end()) == cols);
    CHECK(std::vector<double>(m.values.begin(), m.values.end()) == values);
  }
  SECTION("counts, symmetry and inner rows") {
    for (const int dimensions : {2, 3}) {
      const int n = 9;
      const host_coo m = entries_of("gen:laplace" + std::to_string(dimensions) + "d?n=9");
      const int rows = dimensions == 2 ? n * n : n * n * n;
      CHECK(m.rows == rows);
      CHECK(m.values.size() == rows + 2 * dimensions * (rows - rows / n));
      std::map<std::pair<int, int>, double> at;
      for (std::int64_t i = 0; i < m.values.size(); ++i)
        at[{m.row_indices[i], m.col_indices[i]}] = m.values[i];
      bool right = true;
      std::set<int> distances;
      for (const auto& [cell, value] : at) {
        right = right && value == (cell.first == cell.second ? 2.0 * dimensions : -1.0);
        right = right && at.count({cell.second, cell.first}) == 1;
        distances.insert(std::abs(cell.first - cell.second));
      }
      CHECK(right);
      CHECK(distances == (dimensions == 2 ? std::set<int>{0, 1, n} : std::set<int>{0, 1, n, n * n}));
      // No neighbour across the end of a grid line.
      CHECK(at.count({n - 1, n}) == 0);
    }
  }
  SECTION("smallest") {
    CHECK(entries_of("gen:laplace2d?n=0").rows == 0);
    CHECK(entries_of("gen:laplace3d?n=1").values.size() == 1);
  }
}

TEST_CASE("rmat: unsorted, with duplicates, quadrants as probable as asked") {
  const host_coo m = entries_of("gen:rmat?scale=10&edges=20&a=0.5&b=0.2&c=0.1");
  CHECK(m.rows == 1024);
  CHECK(m.values.size() == 20480);
  std::set<std::pair<int, int>> distinct;
  double quadrants[4] = {};
  double finest[4] = {};
  for (std::int64_t i = 0; i < m.values.size(); ++i) {
    distinct.insert({m.row_indices[i], m.col_indices[i]});
    ++quadrants[(m.row_indices[i] >= 512 ? 2 : 0) + (m.col_indices[i] >= 512 ? 1 : 0)];
    ++finest[(m.row_indices[i] % 2) * 2 + m.col_indices[i] % 2];
  }
  CHECK(distinct.size() < 20480);
  const double wanted[4] = {0.5, 0.2, 0.1, 0.2};
  for (int q = 0; q < 4; ++q) {
    const double sigma = std::sqrt(20480 * wanted[q] * (1 - wanted[q]));
    CHECK(std::abs(quadrants[q] - 20480 * wanted[q]) <= 4 * sigma);
    CHECK(std::abs(finest[q] - 20480 * wanted[q]) <= 4 * sigma);
  }
  CHECK(entries_of("gen:rmat?scale=0&edges=3").values.size() == 3);
  CHECK(entries_of("gen:rmat?scale=4&edges=0").values.size() == 0);
  CHECK(entries_of("gen:rmat?scale=4&a=0.4&b=0.3&c=0.3").values.size() == 256);
  const host_coo corner = entries_of("gen:rmat?scale=5&a=0&b=0&c=0");
  CHECK(std::all_of(corner.row_indices.begin(), corner.row_indices.end(),
                    [](std::int32_t r) { return r == 31; }));
}

TEST_CASE("diagonal: a centred band, cut at the corners") {
  for (const int n : {0, 1, 2, 7, 100})
    for (const int band : {1, 3, 9}) {
      const host_coo m = entries_of("gen:diagonal?n=" + std::to_string(n) + "&band=" + std::to_string(band));
      std::int64_t expected = 0;
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) expected += std::abs(r - c) <= band / 2;
      CHECK(m.values.size() == expected);
      CHECK(sorted_without_duplicates(m));
      bool banded = true;
      for (std::int64_t i = 0; i < m.values.size(); ++i)
        banded = banded && std::abs(m.row_indices[i] - m.col_indices[i]) <= band / 2;
      CHECK(banded);
    }
}

TEST_CASE("powerlaw: the mean is met, the tail falls as asked, the longest row is bounded") {
  struct shape {
    const char* spec;
    std::int64_t total, longest;
  };
  for (const shape& s :
       {shape{"gen:powerlaw?n=4000", 32000, 4000}, shape{"gen:powerlaw?n=4000&mean=0.5", 2000, 4000},
        shape{"gen:powerlaw?n=4000&mean=8&exponent=2", 32000, 4000},
        shape{"gen:powerlaw?n=4000&mean=3.25&exponent=1.3&max=50", 13000, 50},
        shape{"gen:powerlaw?n=4000&mean=20&exponent=9&max=100", 80000, 100},
        shape{"gen:powerlaw?n=300&mean=299", 89700, 300}, shape{"gen:powerlaw?n=300&mean=6&max=6", 1800, 6},
        shape{"gen:powerlaw?n=300&mean=300", 90000, 300}, shape{"gen:powerlaw?n=300&mean=0", 0, 0},
        shape{"gen:powerlaw?n=1&mean=1", 1, 1}, shape{"gen:powerlaw?n=0", 0, 0}}) {
    INFO(s.spec);
    const host_coo m = entries_of(s.spec);
    CHECK(m.values.size() == s.total);
    CHECK(sorted_without_duplicates(m));
    CHECK(inside(m));
    bool bounded = true;
    for (const std::int64_t length : row_lengths(m)) bounded = bounded && length <= s.longest;
    CHECK(bounded);
  }
  SECTION("tail and order") {
    const std::vector<std::int64_t> lengths =
        row_lengths(entries_of("gen:powerlaw?n=100000&mean=8&exponent=2.5"));
    double above_20 = 0;
    double above_80 = 0;
    for (const std::int64_t length : lengths) {
      above_20 += length > 20;
      above_80 += length > 80;
    }
    // Four times as long is 4^1.5 = 8 times as rare.
    CHECK(std::abs(above_20 / above_80 - 8) < 0.5);
    CHECK(!std::is_sorted(lengths.begin(), lengths.end()));
    CHECK(!std::is_sorted(lengths.rbegin(), lengths.rend()));
  }
  SECTION("columns are uniform") {
    const host_coo m = entries_of("gen:powerlaw?n=5000&mean=20&exponent=3");
    double left = 0;
    for (const std::int32_t c : m.col_indices) left += c < 2500;
    CHECK(std::abs(left - 50000) <= 4 * 158.2);
  }
}

TEST_CASE("denserow: full rows evenly spread among short ones that hold the diagonal") {
  for (const int dense : {0, 1, 3, 10, 100}) {
    INFO(dense);
    const host_coo m = entries_of("gen:denserow?n=100&degree=4&dense=" + std::to_string(dense));
    CHECK(sorted_without_duplicates(m));
    CHECK(inside(m));
    std::vector<int> full;
    const std::vector<std::int64_t> lengths = row_lengths(m);
    for (int r = 0; r < 100; ++r) {
      const std::int64_t length = lengths[static_cast<std::size_t>(r)];
      if (length == 100) full.push_back(r);
      CHECK((length == 100 || length == 4));
    }
    CHECK(full.size() == static_cast<std::size_t>(dense));
    for (std::size_t i = 1; i < full.size(); ++i) CHECK(std::abs(full[i] - full[i - 1] - 100 / dense) <= 1);
    int diagonal = 0;
    for (std::int64_t i = 0; i < m.values.size(); ++i) diagonal += m.row_indices[i] == m.col_indices[i];
    CHECK(diagonal == 100);
  }
  CHECK(entries_of("gen:denserow?n=1&degree=1").values.size() == 1);
  CHECK(entries_of("gen:denserow?n=5&degree=5&dense=0").values.size() == 25);
  CHECK(entries_of("gen:denserow?n=5&degree=1&dense=0").values.size() == 5);
}

TEST_CASE("lopsided: one row across as many columns as asked for, and short columns") {
  for (const int longest : {0, 1, 700, 1000}) {
    INFO(longest);
    host_coo m = entries_of("gen:lopsided?rows=40&cols=1000&degree=5&longest=" + std::to_string(longest));
    CHECK(m.rows == 40);
    CHECK(m.cols == 1000);
    CHECK(inside(m));
    const std::vector<std::int64_t> lengths = row_lengths(m);
    CHECK(lengths[20] == longest);
    for (std::size_t r = 0; r < lengths.size(); ++r)
      CHECK((r == 20 || std::abs(lengths[r] - 4000 / 39) < 50));
    // Seen from its columns it is sorted.
    std::swap(m.rows, m.cols);
    std::swap(m.row_indices, m.col_indices);
    CHECK(sorted_without_duplicates(m));
    int met = 0;
    for (const std::int64_t length : row_lengths(m)) {
      CHECK((length == 4 || length == 5));
      met += length == 5;
    }
    CHECK(met == longest);
  }
  CHECK(entries_of("gen:lopsided?rows=1&cols=7&longest=3&degree=1").values.size() == 3);
  CHECK(entries_of("gen:lopsided?cols=0&longest=0").values.size() == 0);
}

TEST_CASE("wrong requests get one clear line") {
  CHECK_THROWS_AS(generate("gen:nonsense"), error);
  CHECK(message_of("matrix.mtx") == "\"matrix.mtx\" does not start with gen:");
  const std::string known =
      "known: uniform, ideal, blockband, laplace2d, laplace3d, rmat, diagonal, powerlaw, denserow, "
      "lopsided";
  CHECK(message_of("gen:nonsense?n=3") == "unknown generator \"nonsense\"; " + known);
  CHECK(message_of("gen:") == "unknown generator \"\"; " + known);
  CHECK(message_of("gen:uniform?sede=1") == "gen:uniform: unknown parameter \"sede\", did you mean seed?");
  CHECK(message_of("gen:uniform?size=1") ==
        "gen:uniform: unknown parameter \"size\"; known: n, rows, cols, density, seed");
  CHECK(message_of("gen:unifrom") == "unknown generator \"unifrom\", did you mean uniform?");
  CHECK(message_of("gen:Laplace2D?n=3") == "unknown generator \"Laplace2D\", did you mean laplace2d?");
  CHECK(message_of("gen:laplace2d?seed=1") == "gen:laplace2d: unknown parameter \"seed\"; known: n");
  CHECK(message_of("gen:uniform?n") == "gen:uniform: \"n\" is not of the form name=value");
  CHECK(message_of("gen:uniform?n=3&&seed=1") == "gen:uniform: \"\" is not of the form name=value");
  CHECK(message_of("gen:uniform?n=3&n=4") == "gen:uniform: parameter \"n\" is given twice");
  CHECK(message_of("gen:uniform?n=") == "gen:uniform: n= is not a whole number");
  CHECK(message_of("gen:uniform?n=ten") == "gen:uniform: n=ten is not a whole number");
  CHECK(message_of("gen:uniform?n=1.5") == "gen:uniform: n=1.5 is not a whole number");
  CHECK(message_of("gen:uniform?n=1.5e0") == "gen:uniform: n=1.5e0 is not a whole number");
  CHECK(message_of("gen:uniform?n=1e-3") == "gen:uniform: n=1e-3 is not a whole number");
  CHECK(message_of("gen:uniform?n=1e") == "gen:uniform: n=1e is not a whole number");
  CHECK(message_of("gen:uniform?n=inf") == "gen:uniform: n=inf is not a whole number");
  CHECK(message_of("gen:uniform?n=1e300") == "gen:uniform: n=1e300 is outside 0..2147483647");
  CHECK(message_of("gen:uniform?n=-1") == "gen:uniform: n=-1 is outside 0..2147483647");
  CHECK(message_of("gen:uniform?n=2147483648") == "gen:uniform: n=2147483648 is outside 0..2147483647");
  CHECK(message_of("gen:uniform?density=") == "gen:uniform: density= is not a number");
  CHECK(message_of("gen:uniform?density=5%") == "gen:uniform: density=5% is not a number");
  CHECK(message_of("gen:uniform?density=1.5") == "gen:uniform: density=1.5 is outside 0..1");
  CHECK(message_of("gen:uniform?density=-0.1") == "gen:uniform: density=-0.1 is outside 0..1");
  CHECK(message_of("gen:uniform?density=nan") == "gen:uniform: density=nan is outside 0..1");
  CHECK(message_of("gen:uniform?seed=4294967296") == "gen:uniform: seed=4294967296 is outside 0..4294967295");
  CHECK(message_of("gen:laplace2d?n=46341") == "gen:laplace2d: n=46341 is outside 0..46340");
  CHECK(message_of("gen:laplace3d?n=1291") == "gen:laplace3d: n=1291 is outside 0..1290");
  CHECK(message_of("gen:ideal?beta=24") == "gen:ideal: beta=24 is not a power of two");
  CHECK(message_of("gen:ideal?n=100&beta=8") == "gen:ideal: beta=8 does not divide n=100");
  CHECK(message_of("gen:blockband?n=101") == "gen:blockband: block=5 does not divide n=101");
  CHECK(message_of("gen:rmat?a=0.9") == "gen:rmat: a + b + c is more than 1");
  CHECK(message_of("gen:rmat?scale=31") == "gen:rmat: scale=31 is outside 0..30");
  CHECK(message_of("gen:diagonal?band=2") == "gen:diagonal: band=2 is not odd");
  CHECK(message_of("gen:powerlaw?n=10&max=11") == "gen:powerlaw: max=11 is more than n=10");
  CHECK(message_of("gen:powerlaw?n=10&mean=8.5&max=7") ==
        "gen:powerlaw: mean=8.5 is more than max=7, the longest row");
  CHECK(message_of("gen:powerlaw?exponent=1") == "gen:powerlaw: exponent=1 is outside 1.01..10");
  CHECK(message_of("gen:denserow?n=10&dense=11") == "gen:denserow: dense=11 is more than n=10");
  CHECK(message_of("gen:lopsided?cols=10&longest=11") == "gen:lopsided: longest=11 is more than cols=10");
  CHECK(message_of("gen:lopsided?rows=5") == "gen:lopsided: degree=6 is more than rows=5");
  CHECK(message_of("gen:lopsided?rows=0") == "gen:lopsided: rows=0 is outside 1..2147483647");
  CHECK(message_of("gen:denserow?n=2") == "gen:denserow: degree=3 is more than n=2");
}

TEST_CASE("what cannot fit into memory is refused at once") {
  const std::string message = message_of("gen:uniform?n=2147483647&density=1", failure::resources);
  CHECK(message.starts_with("gen:uniform: about 4611686014132420608 entries do not fit into the "));
  CHECK(message_of("gen:ideal?n=1073741824", failure::resources).starts_with("gen:ideal: about "));
  CHECK(message_of("gen:rmat?scale=30&edges=65536", failure::resources).starts_with("gen:rmat: about "));
}

TEST_CASE("the description lists every generator, parameter and default") {
  std::string text;
  for (const auto& [term, meaning] : describe_generators()) text += term + " " + meaning + "\n";
  for (const instance& g : instances) {
    const std::string spec = g.spec;
    INFO(spec);
    CHECK(("\n" + text).find("\n" + spec.substr(0, spec.find('?')) + " ") != std::string::npos);
  }
  for (const char* line :
       {"rows=n ", "density=0.05 ", "beta=32 ", "block=5 ", "(0..46340)\n", "scale=16 ", "a=0.57 ", "band=1 ",
        "exponent=2.1 ", "(1.01..10)\n", "max=n ", "dense=1 ", "degree=3 ", "longest=173366 "})
    CHECK(text.find(line) != std::string::npos);
}
