// The reader of lists of edges: what is read and how it is told, and one file for every rule that it refuses.
// Pieces of a few bytes make every line a run of its own.
#include "convert/io/edges.hpp"

#include <cmath>
#include <cstring>

#include "convert/error.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

matrix_entries read(const std::string& text, const edge_options& options = {},
                    std::size_t piece_bytes = 1 << 20) {
  text_source source;
  source.name = "list";
  source.piece_bytes = piece_bytes;
  source.read = [text, at = std::size_t{0}](char* buffer, std::size_t size) mutable {
    const std::size_t count = std::min(size, text.size() - at);
    std::memcpy(buffer, text.data() + at, count);
    at += count;
    return count;
  };
  return read_edges(source, {}, options);
}

std::vector<triplet> entries_of(const matrix_entries& m) {
  std::vector<triplet> list;
  for (std::int64_t i = 0; i < m.entries.values.size(); ++i)
    list.push_back({m.entries.row_indices[i], m.entries.col_indices[i], m.entries.values[i]});
  return list;
}

bool has(const matrix_entries& m, std::int32_t rows, std::int32_t cols, const std::vector<triplet>& list) {
  const auto found = entries_of(m);
  return m.entries.rows == rows && m.entries.cols == cols &&
         std::equal(found.begin(), found.end(), list.begin(), list.end(),
                    [](const triplet& x, const triplet& y) {
                      return x.row == y.row && x.col == y.col && x.value == y.value;
                    });
}

std::string message_for(const std::string& text, const edge_options& options = {}) {
  std::string said;
  for (const std::size_t piece : {std::size_t{3}, std::size_t{1} << 20}) {
    try {
      read(text, options, piece);
      return "accepted";
    } catch (const error& e) {
      if (!said.empty() && said != e.what()) return "other words in pieces";
      said = e.what();
    }
  }
  return said;
}

}  // namespace

TEST_CASE("lists of every kind are read, in pieces of any size", "[edges]") {
  const std::vector<triplet> three = {{0, 1, 1}, {1, 2, 1}, {3, 0, 1}};
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1} << 20})
    for (const std::string text : {"# Directed graph\n# FromNodeId ToNodeId\n0\t1\n1\t2\n3\t0\n",
                                   "0 1\r\n1 2\r\n3 0", "% c\n\n 0 , 1\n1,2 \n\n3;0\n# c\n",
                                   "source,target\n0,1\n1,2\n3,0\n", "// c\n00 01\n1   2\n3\t 0\n"}) {
      CAPTURE(piece, text);
      const matrix_entries m = read(text, {}, piece);
      REQUIRE(has(m, 4, 4, three));
      REQUIRE(m.field == "pattern");
      REQUIRE(m.origin == "edge list");
      REQUIRE(m.note == "ids are counted from 0");
      REQUIRE(m.symmetry == symmetry_kind::general);
      REQUIRE(is_edge_list(text));
    }
}

TEST_CASE("ids are counted from 0 where one is 0, else from 1, or as is said", "[edges]") {
  REQUIRE(has(read("1 2\n3 1\n"), 3, 3, {{0, 1, 1}, {2, 0, 1}}));
  REQUIRE(read("1 2\n3 1\n").note == "ids are counted from 1");
  REQUIRE(has(read("1 2\n3 1\n", {.base = 0}), 4, 4, {{1, 2, 1}, {3, 1, 1}}));
  REQUIRE(has(read("1 2\n3 1\n", {.base = 1}), 3, 3, {{0, 1, 1}, {2, 0, 1}}));
  REQUIRE(message_for("1 2\n3 0\n", {.base = 1}) ==
          "list: there is an id 0, and ids were to be counted from 1");
  REQUIRE(message_for("0 2\n3 1\n", {.base = 1}) ==
          "list: there is an id 0, and ids were to be counted from 1");
}

TEST_CASE("weights are whole or not, and directions are both where that is said", "[edges]") {
  const matrix_entries whole = read("u v w\n1 2 5\n2 1 -3\n1 1 1e3\n");
  REQUIRE(whole.field == "integer");
  REQUIRE(has(whole, 2, 2, {{0, 1, 5}, {1, 0, -3}, {0, 0, 1000}}));
  const matrix_entries real = read("1 2 .5\n2 1 +4.9e-324\n", {.base = {}, .undirected = true});
  REQUIRE(real.field == "real");
  REQUIRE(real.symmetry == symmetry_kind::symmetric);
  REQUIRE(real.note == "ids are counted from 1; every edge stands for both directions");
  REQUIRE(has(real, 2, 2, {{0, 1, .5}, {1, 0, 4.9e-324}}));
  REQUIRE(read("1 2 1e-999\n2 1 5\n").entries.values[0] == 0);
  REQUIRE(std::isinf(read("1 2 -inf\n").entries.values[0]));
  REQUIRE(std::isnan(read("1 2 nan\n").entries.values[0]));
}

TEST_CASE("ids that are not dense are refused, or numbered anew", "[edges]") {
  const std::string text = "7 900000000000\n20000000 7\n7 7\n";
  REQUIRE(message_for(text).find(
              "list: ids go up to 900000000000, which would be so many rows for 3 edges; spconv "
              "--compact FILE") == 0);
  const matrix_entries m = read(text, {.base = {}, .compact = true});
  REQUIRE(has(m, 3, 3, {{0, 2, 1}, {1, 0, 1}, {0, 0, 1}}));
  REQUIRE(std::vector<std::int64_t>(m.ids.begin(), m.ids.end()) ==
          std::vector<std::int64_t>{7, 20000000, 900000000000});
  REQUIRE(m.note == "3 ids were numbered anew");
  REQUIRE(
      has(read("0 1000000\n"), 1000001, 1000001, {{0, 1000000, 1}}));  // some that are missing are no matter
}

TEST_CASE("a line of sizes makes it smat", "[edges]") {
  const matrix_entries m = read("3 4 2\n0 3 1.5\n2 0 -2\n");
  REQUIRE(m.origin == "smat");
  REQUIRE(has(m, 3, 4, {{0, 3, 1.5}, {2, 0, -2}}));
  const std::string unclear = "3 4 2\n1 3 1.5\n2 1 -2\n";
  REQUIRE(message_for(unclear).find("and no 0 tells which: spconv --base 0 or --base 1") !=
          std::string::npos);
  REQUIRE(has(read(unclear, {.base = 0}), 3, 4, {{1, 3, 1.5}, {2, 1, -2}}));
  REQUIRE(has(read(unclear, {.base = 1}), 3, 4, {{0, 2, 1.5}, {1, 0, -2}}));
  REQUIRE(message_for("3 4 2\n0 4 1.5\n2 0 -2\n") ==
          "list: entry 1: (0, 4) is outside 3 x 4, counted from 0");
  REQUIRE(message_for("3 4 2\n0 3 1.5\n2 0 -2\n", {.base = 1}).find("there is an id 0") != std::string::npos);
  REQUIRE(message_for("3 4 2\n0 3 1.5\n2 0 -2\n", {.base = {}, .undirected = true})
              .find("as many rows as columns") != std::string::npos);
  REQUIRE(
      message_for("3 4 2\n0 3 1.5\n2 0 -2\n", {.base = {}, .compact = true}).find("nothing to number anew") !=
      std::string::npos);
  // Neither the number of lines nor the ids fit: edges.
  REQUIRE(read("3 4 7\n0 3 1.5\n2 0 -2\n").origin == "edge list");
  REQUIRE(read("3 4 2\n0 9 1.5\n2 0 -2\n").origin == "edge list");
}

TEST_CASE("what is wrong with a list is said with its line", "[edges]") {
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"# nothing\n\n", "list: there is no edge in it"},
           {"1 2\n1\n", "list:2: the line has 1 columns instead of 2"},
           {"1 2\n1,\n", "list:2: a column of the line is empty"},
           {"1 2\n1 2 3\n", "list:2: the line has 3 columns instead of 2"},
           {"1 2 3\n1 2\n", "list:2: the line has 2 columns instead of 3"},
           {"1 2 3\n1 2 3 4\n", "list:2: the line has 4 columns instead of 3"},
           {"# c\n1 2 3 4\n", "list:2: the line has 4 columns; an edge has two ids and at most a weight"},
           {"a\n1 2\n", "list:1: the line has 1 columns; an edge has two ids"},
           {"1 2\nx 3\n", "list:2: \"x\" is not an id: a whole number from 0 on"},
           {"1 2\n3 y\n", "list:2: \"y\" is not an id"},
           {"1 2\n3 4y\n", "list:2: \"4y\" is not an id"},
           {"1 2\n-3 4\n", "list:2: \"-3\" is not an id"},
           {"1 2\n3 4.0\n", "list:2: \"4.0\" is not an id"},
           {"a b\nc d\n", "list:2: \"c\" is not an id"},
           {"1 2\n1,,2\n", "list:2: a column of the line is empty"},
           {"1 2\n3 9999999999999999999\n", "list:2: id 9999999999999999999 is far too large"},
           {"1 2\n9999999999999999999 3\n", "list:2: id 9999999999999999999 is far too large"},
           {"1 2 3\n1 2 x\n", "list:2: \"x\" is not a weight"},
           {"1 2 3\n1 2 3x\n", "list:2: \"3x\" is not a weight"},
           {"1 2 3\n1 2 +-3\n", "list:2: \"+-3\" is not a weight"},
           {"1 2 3\n1 2 1e999\n", "list:2: weight 1e999 does not fit a double"},
           {"1 2\n" + std::string((1 << 20) + 1, ' ') + "\n", "list:2: the line is longer than 1 MiB"}}) {
    const std::string found = message_for(text);
    CAPTURE(text.substr(0, 60), found);
    REQUIRE(found.find(said) == 0);
  }
}

TEST_CASE("lists are told from other texts by their first lines", "[edges]") {
  for (const char* const list :
       {"1 2\n", "1 2", "1,2,3.5\n", "\n\n# c\n1\t2\n", "a,b\n1,2\n", "% sym\n1 2\n"})
    REQUIRE(is_edge_list(list));
  REQUIRE(is_edge_list(std::string(512, '#')));
  for (const char* const other :
       {"", "\n", "%%MatrixMarket matrix coordinate real general\n", "%%Matrix Market\n1 1 1\n1 1 1\n",
        "\n%%MatrixMarket matrix\n1 1 1\n", "% only such comments", "# and no more", "1\n", "1 2 3 4\n",
        "a b\nc d\n", "a 2\n", "-1 2\n", "// none\n", "gen:laplace2d\n", "a.mtx b.mtx\n1.mtx\n"})
    REQUIRE(!is_edge_list(other));
}
