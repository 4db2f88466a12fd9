// The generators in one table that parsing and --help share.
#include "convert/io/generators.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "convert/error.hpp"
#include "convert/io/generator_matrices.hpp"

namespace sparsmith {
namespace {

constexpr double largest_dimension = 2147483647;

const std::vector<generator>& generators() {
  using enum number_kind;
  const generator_parameter seed = {"seed", whole, "1", 0, 4294967295, "another seed, another matrix"};
  static const std::vector<generator> table = {
      {"uniform",
       "every cell is nonzero with the same probability",
       {{"n", whole, "8192", 0, largest_dimension, "rows and columns of a square matrix"},
        {"rows", whole, "n", 0, largest_dimension, "rows"},
        {"cols", whole, "n", 0, largest_dimension, "columns"},
        {"density", real, "0.05", 0, 1, "probability of an entry"},
        seed},
       make_uniform},
      {"ideal",
       "all blocks of a block row equally full, block rows differently: the best case for GCSB",
       {{"n", whole, "8192", 1, largest_dimension, "rows and columns"},
        {"beta", whole, "32", 1, 1073741824, "side of a block, a power of two that divides n"},
        // 3,406,208 of 8192^2, the count of the GCSB thesis
        {"density", real, "0.0507564544677734375", 0, 1, "entries over cells"},
        seed},
       make_ideal},
      {"blockband",
       "full blocks in a band around the diagonal, rows sum to 1: the best case for BSR",
       {{"n", whole, "32000", 0, largest_dimension, "rows and columns"},
        {"block", whole, "5", 1, largest_dimension, "side of a block, divides n"},
        {"density", real, "0.05", 0, 1, "entries over cells"},
        seed},
       make_blockband},
      {"laplace2d",
       "5-point stencil on a square grid: short rows of equal length, for solvers",
       {{"n", whole, "1024", 0, 46340, "side of the grid; the matrix has n^2 rows"}},
       make_laplace2d},
      {"laplace3d",
       "7-point stencil on a cubic grid",
       {{"n", whole, "96", 0, 1290, "side of the grid; the matrix has n^3 rows"}},
       make_laplace3d},
      {"rmat",
       "recursive graph with hubs, unsorted and with duplicates: what real input looks like",
       {{"scale", whole, "16", 0, 30, "the matrix has 2^scale rows"},
        {"edges", whole, "16", 0, 65536, "entries drawn per row, duplicates included"},
        {"a", real, "0.57", 0, 1, "probability of the upper left quadrant"},
        {"b", real, "0.19", 0, 1, "of the upper right"},
        {"c", real, "0.19", 0, 1, "of the lower left; the rest is the lower right"},
        seed},
       make_rmat},
      {"diagonal",
       "a band around the diagonal: what diagonal formats are for",
       {{"n", whole, "8192", 0, largest_dimension, "rows and columns"},
        {"band", whole, "1", 1, largest_dimension, "number of diagonals, odd"},
        seed},
       make_diagonal},
      {"powerlaw",
       "row lengths of a power law, in random order: load imbalance",
       {{"n", whole, "65536", 0, largest_dimension, "rows and columns"},
        {"mean", real, "8", 0, largest_dimension, "entries per row on average"},
        {"exponent", real, "2.1", 1.01, 10, "the number of rows of length k falls as k^-exponent"},
        {"max", whole, "n", 0, largest_dimension, "longest row allowed"},
        seed},
       make_powerlaw},
      {"denserow",
       "a few full rows among short ones: the worst case for padded formats",
       {{"n", whole, "16384", 1, largest_dimension, "rows and columns"},
        {"dense", whole, "1", 0, largest_dimension, "number of full rows, evenly spread"},
        {"degree", whole, "3", 1, largest_dimension, "entries in each other row, the diagonal among them"},
        seed},
       make_denserow},
      {"lopsided",
       "wide, every column short, one row nearly across: what linear programs look like",
       {{"rows", whole, "10280", 1, largest_dimension, "rows"},
        {"cols", whole, "243246", 0, largest_dimension, "columns"},
        {"longest", whole, "173366", 0, largest_dimension, "entries of the row in the middle"},
        {"degree", whole, "6", 1, largest_dimension,
         "entries of a column that this row meets; others have one less"},
        seed},
       make_lopsided},
  };
  return table;
}

constexpr std::string_view prefix = "gen:";

}  // namespace

bool is_generator(const std::string& spec) {
  return spec.starts_with(prefix);
}

matrix_entries generate(const std::string& spec) {
  if (!is_generator(spec)) throw error(failure::usage, "\"" + spec + "\" does not start with gen:");
  const std::string_view request = std::string_view(spec).substr(prefix.size());
  const std::string_view name = request.substr(0, request.find('?'));
  std::vector<std::string> known;
  for (const generator& known_generator : generators()) {
    known.emplace_back(known_generator.name);
    if (known_generator.name != name) continue;
    const generator_arguments asked(known_generator,
                                    request.substr(std::min(name.size() + 1, request.size())));
    matrix_entries result;
    result.entries = known_generator.make(asked);
    result.origin = "generated";
    return result;
  }
  throw error(failure::usage,
              "unknown generator \"" + std::string(name) + "\"" + meant_or_known(std::string(name), known));
}

std::vector<std::pair<std::string, std::string>> describe_generators() {
  const auto as_text = generator_arguments::as_text;
  std::vector<std::pair<std::string, std::string>> terms;
  for (const generator& listed : generators()) {
    terms.emplace_back(std::string(prefix) + listed.name, listed.purpose);
    for (const generator_parameter& parameter : listed.parameters)
      terms.emplace_back("  " + std::string(parameter.name) + "=" + parameter.standard,
                         std::string(parameter.meaning) + " (" + as_text(parameter.lowest) + ".." +
                             as_text(parameter.highest) + ")");
  }
  return terms;
}

}  // namespace sparsmith
