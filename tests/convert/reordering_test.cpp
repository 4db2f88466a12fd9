// Orders of rows and columns: what each promises, on graphs whose best order is known and on random ones, and
// that an order is written, read and undone. Fill is counted by eliminating on sets.
#include "convert/reordering.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "convert/convert.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::test;

namespace {

using edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

matrix_entries matrix_of(std::int32_t rows, std::int32_t cols, const edges& list) {
  matrix_entries m;
  m.entries.rows = rows;
  m.entries.cols = cols;
  const auto count = static_cast<std::int64_t>(list.size());
  m.entries.row_indices = array<std::int32_t, host>(count);
  m.entries.col_indices = array<std::int32_t, host>(count);
  m.entries.values = array<double, host>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    m.entries.row_indices[i] = list[static_cast<std::size_t>(i)].first;
    m.entries.col_indices[i] = list[static_cast<std::size_t>(i)].second;
    m.entries.values[i] = static_cast<double>(i + 1);
  }
  return m;
}

// Numbered anew at random.
edges shuffled(std::int32_t size, edges list, unsigned seed) {
  std::vector<std::int32_t> names(static_cast<std::size_t>(size));
  std::iota(names.begin(), names.end(), 0);
  std::shuffle(names.begin(), names.end(), std::mt19937(seed));
  for (auto& [v, w] : list) {
    v = names[static_cast<std::size_t>(v)];
    w = names[static_cast<std::size_t>(w)];
  }
  return list;
}

edges grid(std::int32_t side) {
  edges list;
  for (std::int32_t y = 0; y < side; ++y)
    for (std::int32_t x = 0; x < side; ++x) {
      const std::int32_t v = y * side + x;
      list.emplace_back(v, v);
      if (x + 1 < side) list.emplace_back(v, v + 1);
      if (y + 1 < side) list.emplace_back(v + side, v);
    }
  return list;
}

bool is_permutation_of_all(const array<std::int32_t, host>& order, std::int32_t size) {
  std::vector<std::int32_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int32_t> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return sorted == all;
}

std::int64_t bandwidth(const matrix_entries& m) {
  std::int64_t farthest = 0;
  for (std::int64_t i = 0; i < m.entries.values.size(); ++i)
    farthest =
        std::max<std::int64_t>(farthest, std::abs(m.entries.row_indices[i] - m.entries.col_indices[i]));
  return farthest;
}

// Entries below the diagonal of the factor, by doing it.
std::int64_t entries_of_factor(const adjacency& graph, const array<std::int32_t, host>& order) {
  std::vector<std::set<std::int32_t>> touches(static_cast<std::size_t>(graph.size()));
  for (std::int32_t v = 0; v < graph.size(); ++v)
    touches[static_cast<std::size_t>(v)].insert(graph.begin(v), graph.end(v));
  std::int64_t entries = 0;
  for (const std::int32_t pivot : order) {
    const std::set<std::int32_t> left = touches[static_cast<std::size_t>(pivot)];
    entries += static_cast<std::int64_t>(left.size());
    for (const std::int32_t v : left) {
      auto& own = touches[static_cast<std::size_t>(v)];
      own.insert(left.begin(), left.end());
      own.erase(v);
      own.erase(pivot);
    }
  }
  return entries;
}

// What choosing the least true degree each time comes to.
std::int64_t entries_by_exact_degrees(const adjacency& graph) {
  std::vector<std::set<std::int32_t>> touches(static_cast<std::size_t>(graph.size()));
  for (std::int32_t v = 0; v < graph.size(); ++v)
    touches[static_cast<std::size_t>(v)].insert(graph.begin(v), graph.end(v));
  std::set<std::int32_t> left;
  for (std::int32_t v = 0; v < graph.size(); ++v) left.insert(v);
  array<std::int32_t, host> order(graph.size());
  for (std::int64_t i = 0; i < graph.size(); ++i) {
    const std::int32_t pivot =
        *std::min_element(left.begin(), left.end(), [&](std::int32_t a, std::int32_t b) {
          return touches[static_cast<std::size_t>(a)].size() < touches[static_cast<std::size_t>(b)].size();
        });
    left.erase(pivot);
    order[i] = pivot;
    const std::set<std::int32_t> own = touches[static_cast<std::size_t>(pivot)];
    for (const std::int32_t v : own) {
      touches[static_cast<std::size_t>(v)].insert(own.begin(), own.end());
      touches[static_cast<std::size_t>(v)].erase(v);
      touches[static_cast<std::size_t>(v)].erase(pivot);
    }
  }
  return entries_of_factor(graph, order);
}

}  // namespace

TEST_CASE("the graph of a matrix has every neighbour once, in both directions", "[reordering]") {
  const adjacency graph = adjacency_of(matrix_of(4, 4, {{0, 1}, {1, 0}, {0, 1}, {2, 2}, {3, 0}}).entries);
  REQUIRE(graph.size() == 4);
  REQUIRE(std::ranges::equal(graph.starts, std::vector<std::int64_t>{0, 2, 3, 3, 4}));
  REQUIRE(std::ranges::equal(graph.neighbours, std::vector<std::int32_t>{1, 3, 0, 0}));
}

TEST_CASE("reverse Cuthill-McKee finds the line again, and narrow bands of grids", "[reordering]") {
  edges line;
  for (std::int32_t v = 0; v + 1 < 200; ++v) line.emplace_back(v, v + 1);
  for (const unsigned seed : {1u, 2u, 3u}) {
    matrix_entries m = matrix_of(200, 200, shuffled(200, line, seed));
    const row_order order = order_of(reordering::rcm, m);
    REQUIRE(order.columns_alike);
    REQUIRE(is_permutation_of_all(order.rows, 200));
    apply(order, m);
    REQUIRE(bandwidth(m) == 1);
    matrix_entries square = matrix_of(400, 400, shuffled(400, grid(20), seed));
    REQUIRE(bandwidth(square) > 300);
    apply(order_of(reordering::rcm, square), square);
    // 20 is the least there is.
    REQUIRE(bandwidth(square) <= 22);
  }
}

TEST_CASE("reverse Cuthill-McKee begins far out, and goes on with the fewest neighbours", "[reordering]") {
  // In the middle of a long side hangs the only vertex with one neighbour; from there both halves are between
  // each other, and the band is twice as wide.
  constexpr std::int32_t length = 100, width = 5, size = length * width + 1;
  edges list = {{length / 2, size - 1}};
  for (std::int32_t v = 0; v + 1 < size; ++v) {
    if (v % length != length - 1) list.emplace_back(v, v + 1);
    if (v + length < size - 1) list.emplace_back(v, v + length);
  }
  for (const unsigned seed : {1u, 2u, 3u}) {
    matrix_entries m = matrix_of(size, size, shuffled(size, list, seed));
    const adjacency graph = adjacency_of(m.entries);
    apply(order_of(reordering::rcm, m), m);
    REQUIRE(bandwidth(m) <= width + 3);
    array<std::int32_t, host> order = reverse_cuthill_mckee(graph);
    std::reverse(order.begin(), order.end());
    const array<std::int32_t, host> places = places_in(order);
    const auto earliest = [&](std::int32_t v) {
      return *std::min_element(graph.begin(v), graph.end(v),
                               [&](std::int32_t a, std::int32_t b) { return places[a] < places[b]; });
    };
    for (std::int32_t i = 2; i < size; ++i)
      if (earliest(order[i]) == earliest(order[i - 1]))
        REQUIRE(graph.degree(order[i - 1]) <= graph.degree(order[i]));
  }
}

TEST_CASE("the bandwidth that an order would give is that of the matrix in it", "[reordering]") {
  matrix_entries m = matrix_of(400, 400, shuffled(400, grid(20), 4));
  assembly_report report;
  matrix_entries copy = matrix_of(400, 400, shuffled(400, grid(20), 4));
  const auto compressed =
      assemble<openmp, std::int32_t, double>(openmp{}, std::move(copy), false, report, nullptr);
  const auto pattern = pattern_of(compressed);
  const adjacency graph = adjacency_of(pattern);
  REQUIRE(std::ranges::equal(graph.starts, adjacency_of(m.entries).starts));
  REQUIRE(std::ranges::equal(graph.neighbours, adjacency_of(m.entries).neighbours));
  const auto order = reverse_cuthill_mckee(graph);
  const std::int64_t expected = bandwidth_in_order(pattern, order);
  apply(order_of(reordering::rcm, m), m);
  REQUIRE(bandwidth(m) == expected);
}

TEST_CASE("parts that do not touch are ordered one after the other", "[reordering]") {
  matrix_entries m = matrix_of(9, 9, {{0, 8}, {8, 4}, {3, 7}, {2, 2}});
  for (const reordering how : {reordering::rcm, reordering::amd}) {
    const row_order order = order_of(how, m);
    REQUIRE(is_permutation_of_all(order.rows, 9));
  }
  apply(order_of(reordering::rcm, m), m);
  REQUIRE(bandwidth(m) == 1);
}

TEST_CASE("minimum degree makes no fill where none is needed", "[reordering]") {
  // A tree, and cliques apart.
  edges tree, cliques;
  for (std::int32_t v = 1; v < 300; ++v) tree.emplace_back(v, (v * 7919) % v);
  for (std::int32_t c = 0; c < 12; ++c)
    for (std::int32_t v = 0; v < 8; ++v)
      for (std::int32_t w = 0; w < v; ++w) cliques.emplace_back(8 * c + v, 8 * c + w);
  for (const unsigned seed : {1u, 2u, 3u}) {
    const adjacency of_tree = adjacency_of(matrix_of(300, 300, shuffled(300, tree, seed)).entries);
    const auto order = approximate_minimum_degree(of_tree);
    REQUIRE(is_permutation_of_all(order, 300));
    REQUIRE(entries_of_factor(of_tree, order) == 299);
    const adjacency of_cliques = adjacency_of(matrix_of(96, 96, shuffled(96, cliques, seed)).entries);
    REQUIRE(entries_of_factor(of_cliques, approximate_minimum_degree(of_cliques)) == 12 * 28);
  }
}

TEST_CASE("minimum degree is about as good as with true degrees", "[reordering]") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const adjacency square = adjacency_of(matrix_of(576, 576, shuffled(576, grid(24), seed)).entries);
    const auto order = approximate_minimum_degree(square);
    REQUIRE(is_permutation_of_all(order, 576));
    const auto found = static_cast<double>(entries_of_factor(square, order));
    REQUIRE(found <= 1.15 * static_cast<double>(entries_by_exact_degrees(square)));
    std::mt19937 random(seed);
    edges list;
    for (int i = 0; i < 600; ++i)
      list.emplace_back(static_cast<std::int32_t>(random() % 300), static_cast<std::int32_t>(random() % 300));
    const adjacency any = adjacency_of(matrix_of(300, 300, list).entries);
    const auto of_any = approximate_minimum_degree(any);
    REQUIRE(is_permutation_of_all(of_any, 300));
    REQUIRE(static_cast<double>(entries_of_factor(any, of_any)) <=
            1.15 * static_cast<double>(entries_by_exact_degrees(any)));
  }
}

TEST_CASE("minimum degree counts of an element what lies outside of the new one", "[reordering]") {
  // Counted whole, elements made orders of 0.989 of these entries; 0.963 are made.
  double found = 0, exact = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const adjacency square = adjacency_of(matrix_of(576, 576, shuffled(576, grid(24), seed)).entries);
    found += static_cast<double>(entries_of_factor(square, approximate_minimum_degree(square)));
    exact += static_cast<double>(entries_by_exact_degrees(square));
  }
  REQUIRE(found <= 0.975 * exact);
}

TEST_CASE("what touches nearly everything is eliminated last", "[reordering]") {
  edges list;
  for (std::int32_t v = 1; v < 2000; ++v) list.emplace_back(0, v);
  const auto order = approximate_minimum_degree(adjacency_of(matrix_of(2000, 2000, list).entries));
  REQUIRE(is_permutation_of_all(order, 2000));
  REQUIRE(order[1999] == 0);
}

TEST_CASE("rows by length keep the order of equals, and columns stay", "[reordering]") {
  matrix_entries m = matrix_of(4, 3, {{1, 0}, {1, 2}, {2, 1}, {0, 0}, {0, 1}, {0, 2}});
  const row_order order = order_of(reordering::length, m);
  REQUIRE_FALSE(order.columns_alike);
  REQUIRE(std::ranges::equal(order.rows, std::vector<std::int32_t>{0, 1, 2, 3}));
  matrix_entries n = matrix_of(4, 3, {{3, 0}, {1, 2}, {1, 1}});
  apply(order_of(reordering::length, n), n);
  REQUIRE(std::ranges::equal(n.entries.row_indices, std::vector<std::int32_t>{1, 0, 0}));
  REQUIRE(std::ranges::equal(n.entries.col_indices, std::vector<std::int32_t>{0, 2, 1}));
  // Of half a symmetric matrix the rows are those of the whole.
  matrix_entries s = matrix_of(3, 3, {{1, 0}, {2, 0}, {2, 2}});
  s.symmetry = symmetry_kind::skew_symmetric;
  apply(order_of(reordering::length, s), s);
  REQUIRE(s.symmetry == symmetry_kind::general);
  REQUIRE(s.entries.values.size() == 5);
  REQUIRE(std::ranges::equal(s.entries.row_indices, std::vector<std::int32_t>{2, 1, 1, 0, 0}));
  REQUIRE(std::ranges::equal(s.entries.values, std::vector<double>{1, 2, 3, -1, -2}));
}

TEST_CASE("an order is undone, from its file too", "[reordering]") {
  const edges list = shuffled(100, grid(10), 5);
  for (const reordering how : {reordering::rcm, reordering::amd, reordering::length}) {
    const matrix_entries before = matrix_of(100, 100, list);
    matrix_entries m = matrix_of(100, 100, list);
    const row_order order = order_of(how, m);
    const scratch_file file(".txt");
    file.replace(text_of(order));
    apply(order, m);
    REQUIRE_FALSE(std::ranges::equal(m.entries.row_indices, before.entries.row_indices));
    const row_order again = read_row_order(file.path);
    REQUIRE(again.columns_alike == (how != reordering::length));
    apply(inverse_of(again), m);
    REQUIRE(std::ranges::equal(m.entries.row_indices, before.entries.row_indices));
    REQUIRE(std::ranges::equal(m.entries.col_indices, before.entries.col_indices));
    REQUIRE(std::ranges::equal(m.entries.values, before.entries.values));
  }
}

TEST_CASE("a matrix in CSR has the same orders, and is in them what its entries are", "[reordering]") {
  for (const reordering how : {reordering::rcm, reordering::amd, reordering::length}) {
    edges list = shuffled(64, grid(8), 7);
    list.erase(list.begin());  // rows of unlike lengths
    matrix_entries entries = matrix_of(64, 64, list);
    assembly_report report;
    const auto csr_of = [&](const matrix_entries& of) {
      matrix_entries copy = matrix_of(64, 64, {});
      copy.entries = copy_to<host>(of.entries);
      return assemble<openmp, std::int64_t, float>(openmp{}, std::move(copy), false, report, nullptr);
    };
    const auto before = csr_of(entries);
    const row_order order = order_of(how, pattern_of(before));
    REQUIRE(std::ranges::equal(order.rows, order_of(how, entries).rows));
    REQUIRE(order.columns_alike == orders_columns(how));
    apply(order, entries);
    const auto expected = csr_of(entries);
    const auto made = in_order(view(before), order);
    REQUIRE(made.rows == 64);
    REQUIRE(made.cols == 64);
    REQUIRE(std::ranges::equal(made.row_offsets, expected.row_offsets));
    REQUIRE(std::ranges::equal(made.col_indices, expected.col_indices));
    REQUIRE(std::ranges::equal(made.values, expected.values));
  }
}

TEST_CASE("matrices without rows or entries have an order, too", "[reordering]") {
  for (const reordering how : {reordering::rcm, reordering::amd, reordering::length})
    for (const std::int32_t size : {0, 1, 3}) {
      matrix_entries m = matrix_of(size, size, {});
      const row_order order = order_of(how, m);
      REQUIRE(is_permutation_of_all(order.rows, size));
      apply(order, m);
    }
}

TEST_CASE("what cannot be ordered, and files that are no orders, are refused", "[reordering]") {
  matrix_entries wide = matrix_of(2, 3, {{0, 1}});
  REQUIRE(failure_of([&] { order_of(reordering::rcm, wide); }, failure::usage) ==
          "order rcm is for square matrices, this one is 2 x 3; length orders rows alone");
  REQUIRE(failure_of([&] { order_of(reordering::amd, wide); }, failure::usage).find("order amd is for") == 0);
  REQUIRE(failure_of([&] { apply(order_of(reordering::length, matrix_of(4, 3, {})), wide); }) ==
          "the order is one of 4 rows, and the matrix is 2 x 3");
  REQUIRE(failure_of([&] { apply(order_of(reordering::rcm, matrix_of(2, 2, {})), wide); }) ==
          "the order is one of 2 rows and columns, and the matrix is 2 x 3");
  const scratch_file file(".txt");
  const auto refusal = [&](const std::string& text) {
    file.replace(text);
    return failure_of([&] { read_row_order(file.path); }).substr(file.path.size() + 2);
  };
  REQUIRE(refusal("0\n1\n") ==
          "is no order of rows: its first line is not \"# rows and columns\" or \"# rows\"");
  REQUIRE(refusal("# rows\n0\nx\n") == "line 3 is not the number of a row");
  REQUIRE(refusal("# rows\n0\n-1\n") == "line 3 is not the number of a row");
  REQUIRE(refusal("# rows\n0\n\n1\n") == "line 3 is not the number of a row");
  REQUIRE(refusal("# rows\n0\n2\n") == "row 2 is too large in an order of 2");
  REQUIRE(refusal("# rows\n1\n1\n") == "row 1 is there twice in an order of 2");
  REQUIRE(refusal("# rows\n0\n99999999999\n") == "line 3 is not the number of a row");
  REQUIRE(failure_of([] { read_row_order("/dev/zero"); }).find("/dev/zero: is no order of rows") == 0);
  file.replace("# rows\r\n1\r\n0\r\n");
  REQUIRE(std::ranges::equal(read_row_order(file.path).rows, std::vector<std::int32_t>{1, 0}));
  REQUIRE(refusal("# rows\n0\n" + std::string(80, '0') + "1\n") == "line 3 is not the number of a row");
  REQUIRE(failure_of([] { read_row_order("/nowhere/order.txt"); }) ==
          "/nowhere/order.txt: could not be opened");
}
