// Lists of edges: two ids a line, and at most a weight. The smat files of some collections are such lists,
// from 0 and with a line of sizes before them; SMS files have sizes too, count from 1 and end in
// zeros; those of the DIMACS challenges count from 1 and have a letter before every line.
#pragma once

#include <optional>
#include <string_view>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

struct edge_options {
  // What ids are counted from: 0 or 1. By default from 0 where an id is 0, else from 1.
  std::optional<int> base = {};
  std::optional<bool> sized = {};  // whether the first line is one of sizes; by default where that is certain
  bool undirected = false;         // an edge stands for both directions
  bool compact = false;            // only ids that occur become rows and columns, in their order
};

// Told by the first line that is no comment (archive_start_bytes of the text): two or three numbers, or names
// of columns with numbers below.
bool is_edge_list(std::string_view start, bool more_behind);

// Of matrix_entries that were read here.
bool is_origin_of_edges(std::string_view origin);

// With `compact` the ids that the rows stand for are in matrix_entries::ids.
matrix_entries read_edges(const text_source& source, const progress_callback& progress = {},
                          const edge_options& options = {});

}  // namespace sparsmith
