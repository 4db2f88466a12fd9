// The reader of lists of edges: what is read and how it is told, and one file for every rule that it refuses.
// Pieces of a few bytes make every line a run of its own.
#include "convert/io/edges.hpp"

#include <cmath>

#include "tests/catch.hpp"
#include "tests/convert/io/text_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

matrix_entries read(const std::string& text, const edge_options& options = {},
                    std::size_t piece_bytes = 1 << 20) {
  return read_edges(source_of("list", text, piece_bytes), {}, options);
}

bool has(const matrix_entries& m, std::int32_t rows, std::int32_t cols, const std::vector<triplet>& list) {
  return m.entries.rows == rows && m.entries.cols == cols && same_triplets(triplets_of(m), list);
}

std::string message_for(const std::string& text, const edge_options& options = {}) {
  return refusal_of([&](std::size_t piece) { read(text, options, piece); });
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
      REQUIRE(is_edge_list(text, false));
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
  const matrix_entries real = read("1 2 .5\n2 3 +4.9e-324\n", {.base = {}, .undirected = true});
  REQUIRE(real.field == "real");
  REQUIRE(real.symmetry == symmetry_kind::symmetric);
  REQUIRE(real.note == "ids are counted from 1; every edge stands for both directions");
  REQUIRE(has(real, 3, 3, {{0, 1, .5}, {1, 2, 4.9e-324}}));
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

TEST_CASE("SMS files have sizes before and zeros behind their entries", "[edges]") {
  const std::string text = "3 4 M\n1 4 -2\n# c\n3 1 7\n0 0 0\n";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1} << 20}) {
    const matrix_entries m = read(text, {}, piece);
    REQUIRE(m.origin == "SMS");
    REQUIRE(m.field == "integer");
    REQUIRE(has(m, 3, 4, {{0, 3, -2}, {2, 0, 7}}));
  }
  REQUIRE(is_edge_list(text, false));
  REQUIRE(is_edge_list("\n 66 792 M\n1 1 1\n", true));
  REQUIRE_FALSE(is_edge_list("66 792 Mod\n1 1 1\n", false));
  REQUIRE(has(read("0 2 I\n0 0 0\n"), 0, 2, {}));
  REQUIRE(message_for("3 4 M\n1 4 -2\n") == "list: does not end in a line 0 0 0, as an SMS file does");
  REQUIRE(message_for("3 4 M\n") == "list: does not end in a line 0 0 0, as an SMS file does");
  REQUIRE(message_for("3 4 M\n1 5 2\n0 0 0\n") == "list: entry 1: (1, 5) is outside 1..3 x 1..4");
  REQUIRE(message_for("3 4 M\n0 0 0\n1 1 2\n0 0 0\n") == "list: entry 1: (0, 0) is outside 1..3 x 1..4");
  REQUIRE(message_for("3 4 M\n3 4 M\n0 0 0\n") == "list:2: \"M\" is not a weight");
  REQUIRE(message_for("3 4 M\nx 4 1\n0 0 0\n") == "list:2: \"x\" is not an id: a whole number from 0 on");
  REQUIRE(message_for("2147483648 4 M\n0 0 0\n") ==
          "list:1: size 2147483648 is above 2147483647, the most this program handles");
  REQUIRE(message_for(text, {.base = 1}) ==
          "list: is an SMS file, which says itself how large it is and counts from 1");
  REQUIRE(message_for(text, {.undirected = true}) ==
          "list: a graph without directions has as many rows as columns, not 3 x 4");
}

TEST_CASE("a line of sizes makes it smat, and what may be one is not guessed at", "[edges]") {
  const std::string certain = "3 4 2\n0 3 1.5\n2 0 -2\n", unclear = "3 4 2\n1 3 1.5\n2 1 -2\n";
  const matrix_entries m = read(certain);
  REQUIRE(m.origin == "smat");
  REQUIRE(has(m, 3, 4, {{0, 3, 1.5}, {2, 0, -2}}));
  REQUIRE(has(read(unclear, {.base = 0, .sized = true}), 3, 4, {{1, 3, 1.5}, {2, 1, -2}}));
  REQUIRE(has(read(unclear, {.base = 1, .sized = true}), 3, 4, {{0, 2, 1.5}, {1, 0, -2}}));
  REQUIRE(has(read(unclear, {.sized = false}), 4, 4, {{2, 3, 2}, {0, 2, 1.5}, {1, 0, -2}}));
  REQUIRE(message_for(unclear, {.sized = true}).find("spconv --base 0 or --base 1") != std::string::npos);
  REQUIRE(has(read("3 4 2\n3 3 1.5\n2 1 -2\n", {.sized = true}), 3, 4, {{2, 2, 1.5}, {1, 0, -2}}));
  REQUIRE(has(read_edges(source_of("a.smat.gz", unclear), {}, {}), 3, 4, {{1, 3, 1.5}, {2, 1, -2}}));
  // As many lines as are announced, fewer, and vertices and edges: all of them may be edges.
  for (const std::string& text :
       {unclear, std::string("3 4 7\n0 3 1.5\n2 0 -2\n"), std::string("3 3 5\n1 1 1\n2 2 2\n3 3 3\n"),
        std::string("3 4 0\n"), std::string("4 3\n1 2\n2 3\n3 4\n")}) {
    CAPTURE(text);
    REQUIRE(message_for(text).find("spconv --sizes yes or --sizes no says which") != std::string::npos);
    REQUIRE(message_for(text, {.base = 1}).find("--sizes yes or --sizes no") != std::string::npos);
  }
  REQUIRE(message_for("3 4 7\n0 3 1.5\n2 0 -2\n", {.sized = true}) ==
          "list: its first line announces 7 entries, and 2 lines follow");
  REQUIRE(has(read("4 3\n1 2\n2 3\n3 4\n", {.sized = true}), 4, 4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}));
  REQUIRE(has(read("4 1\n1 2\n2 3\n"), 4, 4, {{3, 0, 1}, {0, 1, 1}, {1, 2, 1}}));
  REQUIRE(read("1 2 5\n").entries.values[0] == 5);
  REQUIRE(read("3 4 2\n0 9 1.5\n2 0 -2\n").origin == "edge list");
  REQUIRE(read("5 2 3\n2 3 1\n1 2 7\n4 2 9\n").origin == "edge list");
  REQUIRE(message_for("3 4 2\n0 4 1.5\n2 0 -2\n", {.sized = true}) ==
          "list: entry 1: (0, 4) is outside 3 x 4, counted from 0");
  REQUIRE(message_for(certain, {.base = 1}).find("there is an id 0") != std::string::npos);
  REQUIRE(message_for(certain, {.undirected = true}).find("as many rows as columns") != std::string::npos);
}

TEST_CASE("KONECT says what its graphs are", "[edges]") {
  const matrix_entries bipartite = read("% bip unweighted\n% 3 3 2\n1 1\n2 1\n3 2\n");
  REQUIRE(has(bipartite, 3, 2, {{0, 0, 1}, {1, 0, 1}, {2, 1, 1}}));
  REQUIRE(message_for("% bip unweighted\n1 1\n2 1\n3 2\n", {.undirected = true}).find("bipartite") !=
          std::string::npos);
  REQUIRE(message_for("% bip unweighted\n1 1\n", {.compact = true}).find("bipartite") != std::string::npos);
  REQUIRE(read("% sym unweighted\n1 2\n2 3\n").symmetry == symmetry_kind::symmetric);
  REQUIRE(read("% asym unweighted\n1 2\n2 3\n").symmetry == symmetry_kind::general);
  REQUIRE(read("% symmetric or not\n1 2\n2 3\n").symmetry == symmetry_kind::general);
}

TEST_CASE("edges that are listed in both directions are not counted twice", "[edges]") {
  REQUIRE(message_for("1 2\n2 1\n1 3\n3 1\n", {.undirected = true}) ==
          "list: 2 edges are listed in both directions, which --undirected would count twice");
  const matrix_entries both = read("% sym unweighted\n1 2\n2 1\n1 1\n");
  REQUIRE(both.symmetry == symmetry_kind::general);
  REQUIRE(both.note == "ids are counted from 1; both directions of every edge are listed");
  REQUIRE(message_for("p edge 3 3\ne 1 2\ne 2 1\ne 2 3\n") ==
          "list: some edges are listed in both directions, and others in one");
}

TEST_CASE("graphs of DIMACS have a letter before every line", "[edges]") {
  const std::string roads = "c a road\nc\np sp 4 3\nc\na 1 2 5\na 2 4 7\na 4 1 1\n";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{6}, std::size_t{1} << 20}) {
    const matrix_entries m = read(roads, {}, piece);
    REQUIRE(m.origin == "DIMACS graph");
    REQUIRE(m.field == "integer");
    REQUIRE(has(m, 4, 4, {{0, 1, 5}, {1, 3, 7}, {3, 0, 1}}));
    const matrix_entries colours = read("p edge 5 2\ne 1 5\ne 2 3\n", {}, piece);
    REQUIRE(colours.symmetry == symmetry_kind::symmetric);
    REQUIRE(colours.field == "pattern");
    REQUIRE(has(colours, 5, 5, {{0, 4, 1}, {1, 2, 1}}));
  }
  REQUIRE(has(read("p col 5 4\ne 1 5\ne 2 3\n"), 5, 5, {{0, 4, 1}, {1, 2, 1}}));  // counted twice
  // Comments of other kinds stand before the problem alone, wherever a piece ends.
  for (const std::size_t piece : {std::size_t{1}, std::size_t{9}, std::size_t{1} << 20})
    REQUIRE(read("# made by hand\n" + roads, {}, piece).entries.rows == 4);
  REQUIRE(message_for(roads + "# no more\n").starts_with("list:8: expected an edge"));
  REQUIRE(read("p sp 7 0\n").entries.rows == 7);
  REQUIRE(is_edge_list(roads, false));
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"c\np sp 4\n", "list:2: expected what the problem is"},
           {"c\na 1 2 3\n", "list:2: expected what the problem is"},
           {"p max 4 3\n", "list:1: problem max is not supported"},
           {"p sp 3000000000 3\n", "list:1: 3000000000 vertices are above 2147483647"},
           {"p sp 4 1\ne 1 2\n", "list:2: expected an edge, which begins with a"},
           {"p sp 4 1\np sp 4 1\n", "list:2: expected an edge"},
           {"p sp 4 1\na 1 2\n", "list:2: the line has 2 columns instead of 3"},
           {"p sp 4 1\na 1 5 1\n", "list: id 5 is outside 1..4"},
           {"p sp 4 1\na 0 3 1\n", "list: id 0 is outside 1..4"},
           {"p sp 4 2\na 1 3 1\n", "list: 1 edges are listed, and 2 were announced"},
           {"p edge 4 3\ne 1 3\n", "list: 1 edges are listed, and 3 were announced"}}) {
    const std::string found = message_for(text);
    CAPTURE(text, found);
    REQUIRE(found.find(said) == 0);
  }
  REQUIRE(message_for(roads, {.base = 0}).find("nothing to count or number otherwise") != std::string::npos);
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
    REQUIRE(is_edge_list(list, false));
  for (const char* const cut : {"# c", "# c\n12", "# c\nsource,targe", "# c\n   ", "12"}) {
    REQUIRE(is_edge_list(cut, true));
    REQUIRE(!is_edge_list(cut, false));
  }
  REQUIRE(!is_edge_list("% c", true));
  REQUIRE(!is_edge_list("source,targe", true));
  const std::string marked = "\xef\xbb\xbfsource,target\n0,1\n";
  REQUIRE(is_edge_list(marked, false));
  REQUIRE(has(read(marked), 2, 2, {{0, 1, 1}}));
  for (const char* const other :
       {"", "\n", "%%MatrixMarket matrix coordinate real general\n", "%%Matrix Market\n1 1 1\n1 1 1\n",
        "\n%%MatrixMarket matrix\n1 1 1\n", "% only such comments", "# and no more", "1\n", "1 2 3 4\n",
        "a b\nc d\n", "a 2\n", "-1 2\n", "// none\n", "gen:laplace2d\n", "a.mtx b.mtx\n1.mtx\n"})
    REQUIRE(!is_edge_list(other, false));
}
