// Matrix Market files. The grammar is fast_matrix_market's; what is ours is where the text comes from, how it
// is cut for the threads, strictness (nothing may follow a value), and error messages that name the line.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "convert/io/entries.hpp"

namespace sparsmith {

// Fills a buffer from the start of a text on; 0 at its end. Throws `error` where the source is damaged.
using byte_reader = std::function<std::size_t(char* buffer, std::size_t size)>;

struct text_source {
  std::string name;  // for messages
  byte_reader read;
  std::int64_t total_bytes =
      0;  // 0: unknown. Only a hint, for progress and for how much to reserve at first.
  std::size_t piece_bytes = std::size_t{1}
                            << 20;  // how much text a thread parses at a time; tests make it tiny
};

matrix_entries read_matrix_market(const text_source& source, const progress_callback& progress = {},
                                  complex_values if_complex = complex_values::refuse);

// What a file says about its values ("real", "integer" or "pattern") and its symmetry.
struct matrix_kind {
  std::string field = "real";
  symmetry_kind symmetry = symmetry_kind::general;
};

// Coordinate. Of the kind that the source of the entries was, the file is what they still are: integer where
// all values are whole, pattern where all are 1, and (skew-)symmetric, then without the upper triangle, where
// they are sorted and every entry has its mirror image to the last bit.
template <class Value>
void write_matrix_market(std::ostream& out, const coo<Value, host>& entries, const matrix_kind& source = {});

}  // namespace sparsmith
