// What a file is that was handed over by mistake, by its first bytes: nobody is helped by hearing of a
// picture that its first line is no Matrix Market.
#pragma once

#include <string>
#include <string_view>

namespace sparsmith {

// In words with an article, such as "a PNG picture"; empty where no mark in the bytes (archive_start_bytes of
// them) says what they are.
std::string_view kind_by_marks(std::string_view start);

// The same, and of what has no mark whether it is empty, text, lines of numbers or binary data.
std::string_view looks_like(std::string_view start);

// Whether these bytes begin what GNU Octave's save writes as text. A sparse matrix in it has columns before
// values and its sizes in comments alone: a list of edges would be another matrix.
bool is_octave_text(std::string_view start);

// Whether these bytes are meant to be Matrix Market, however its first line is damaged.
bool is_meant_as_matrix_market(std::string_view start);

}  // namespace sparsmith
