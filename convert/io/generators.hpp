// Matrices made from a line of text such as `gen:uniform?n=8192&density=0.05&seed=1`, accepted wherever a
// file is. The same line gives the same bytes on every machine and for every number of threads, so a figure
// measured on one can be repeated anywhere.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "convert/io/entries.hpp"

namespace sparsmith {

// Whether the text asks for a generator ("gen:...") rather than a file.
bool is_generator(const std::string& spec);

// The matrix the text asks for. Entries are sorted by (row, column) without duplicates, except those of
// `rmat`, which come in the order they were drawn, and of `lopsided`, which come by column. Unknown names and
// values out of range are failure::usage; what does not fit into memory is failure::resources.
matrix_entries generate(const std::string& spec);

// Every generator with its parameters, their defaults and ranges, for --help: terms, and what they mean.
std::vector<std::pair<std::string, std::string>> describe_generators();

}  // namespace sparsmith
