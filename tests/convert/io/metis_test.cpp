// The reader of METIS's graphs: what is read, and one file for every rule that it refuses.
#include "convert/io/metis.hpp"

#include "tests/catch.hpp"
#include "tests/convert/io/text_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

matrix_entries read(const std::string& text, std::size_t piece_bytes = 1 << 20) {
  return read_metis(source_of("g.graph", text, piece_bytes));
}

std::string message_for(const std::string& text) {
  return refusal_of([&](std::size_t piece) { read(text, piece); });
}

}  // namespace

TEST_CASE("a graph is a line of neighbours for every vertex", "[metis]") {
  const std::vector<triplet> path = {{0, 2, 1}, {2, 0, 1}, {2, 3, 1}, {3, 2, 1}};
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1} << 20}) {
    for (const char* const text :
         {"4 2\n3\n\n1 4\n3\n", "% c\n\n 4 2 0\r\n 3 \r\n\r\n% c\n1\t4\r\n3\r\n\n % c\n",
          "4 2 000\n3\n \n1 4\n3"}) {
      CAPTURE(piece, text);
      const matrix_entries m = read(text, piece);
      REQUIRE(m.entries.rows == 4);
      REQUIRE(m.entries.cols == 4);
      REQUIRE(same_triplets(triplets_of(m), path));
      REQUIRE(m.field == "pattern");
      REQUIRE(m.origin == "METIS graph");
      REQUIRE(m.note.empty());
    }
    const matrix_entries weighted = read("3 2 1\n2 5 3 -7\n1 5\n1 -7\n", piece);
    REQUIRE(weighted.field == "integer");
    REQUIRE(same_triplets(triplets_of(weighted), {{0, 1, 5}, {0, 2, -7}, {1, 0, 5}, {2, 0, -7}}));
    const matrix_entries all = read("2 1 111 2\n9 8 7 2 5\n9 8 7 1 5\n", piece);
    REQUIRE(same_triplets(triplets_of(all), {{0, 1, 5}, {1, 0, 5}}));
    REQUIRE(all.note == "the weights of vertices were not read");
    REQUIRE(same_triplets(triplets_of(read("2 1 10\n9 2\n9 1\n", piece)), {{0, 1, 1}, {1, 0, 1}}));
  }
  REQUIRE(read("0 0\n").entries.rows == 0);
  REQUIRE(read("2 1 1\n2 9007199254740993\n1 1\n").rounded_values == 1);
}

TEST_CASE("what is wrong with a graph is said with its line", "[metis]") {
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"% c\n", "g.graph:1: the file ends before its line of sizes"},
           {"4\n", "g.graph:1: expected a line of sizes"},
           {"4 2 0 1 7\n", "g.graph:1: the line of sizes has more than four numbers"},
           {"4 x\n", "g.graph:1: \"x\" is not a whole number (size)"},
           {"4 -2\n", "g.graph:1: size -2 is below zero"},
           {"4 99999999999999999999\n", "g.graph:1: size 99999999999999999999 is far too large"},
           {"3000000000 2\n", "g.graph:1: 3000000000 vertices are above 2147483647"},
           {"4 9000000000000000000\n", "g.graph:1: 9000000000000000000 edges are far too many"},
           {"4 2 2\n", "g.graph:1: format 2 is not supported"},
           {"4 2 1000\n", "g.graph:1: format 1000 is not supported"},
           {"4 2 1 3\n", "g.graph:1: 3 weights of a vertex are announced, and format 1 has none"},
           {"4 2 11 1001\n", "g.graph:1: 1001 weights of a vertex are too many"},
           {"2 1\n2\n3\n", "g.graph:3: neighbour 3 is outside 1..2"},
           {"2 1\n2\n0\n", "g.graph:3: neighbour 0 is outside 1..2"},
           {"% c\n2 1\n2\n1.5\n", "g.graph:4: \"1.5\" is not a whole number (neighbour)"},
           {"2 1\n2\n1 2\n", "g.graph:3: there are more neighbours than the 2 of 1 edges"},
           {"2 1\n2\n\n", "g.graph:3: 1 neighbours are listed, but 1 edges"},
           {"2 1\n2\n", "g.graph:2: the file ends after 1 of 2 lines of vertices"},
           {"2 1\n2\n1\n1\n", "g.graph:4: there are more lines than the 2 vertices"},
           {"2 1 1\n2 5\n1\n", "g.graph:3: the line ends before the weight of its last edge"},
           {"2 1 10\n5 2\n\n", "g.graph:3: the line ends after 0 of 1 sizes and weights"}}) {
    const std::string found = message_for(text);
    CAPTURE(text, found);
    REQUIRE(found.find(said) == 0);
  }
}
