// Names, lines and tables as they are written for people, in the tools and in the reports; numbers are in
// convert/words.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convert/formats/sizes.hpp"
#include "convert/words.hpp"

namespace sparsmith {

// Text in a CSV file, whoever wrote it: within quotes everything may stand. A spreadsheet would run what
// begins like a formula; an apostrophe makes it text.
inline std::string csv_quoted(std::string_view text) {
  std::string result = "\"";
  if (!text.empty() && std::string_view("=+-@\t\r\n").find(text[0]) != std::string_view::npos) result += '\'';
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

// Nothing of nothing is 0.
inline double share_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

inline std::string sides_of(block_size size) {  // "4 x 2"
  return std::to_string(size.rows) + " x " + std::to_string(size.cols);
}

// A matrix without its folders: the name of a file, or all that a generator is.
std::string name_of_input(const std::string& input);
// The same for several that stand side by side: with as many folders as tell it from the others.
std::vector<std::string> names_of_inputs(const std::vector<std::string>& inputs);

// A word as a POSIX shell takes it: in quotes where it needs them.
std::string quoted_for_shell(std::string_view word);

// In columns of a terminal: nothing that is printed is wider than one.
int display_width(std::string_view text);

// What comes from a file is shown as it is but for what would move the cursor or break the line.
std::string printable(std::string_view text);

// Bytes of the first so many columns of a text.
std::size_t bytes_of_columns(std::string_view text, int columns);

// No wider than that: of what is, the beginning and "...".
std::string shortened(const std::string& text, int most);

// Broken between words, and inside one that is wider than a line. The first line begins with `first`; the
// others are indented.
std::string wrapped(std::string_view first, std::string_view text, int indent, int width);

// A label and what there is to say.
std::string labelled_text(std::string_view label, std::string_view text, int width);

// A term and what it means, beside it or, where the term takes too much room, below it.
std::string term_text(std::string_view term, std::string_view meaning, int indent, int width);

// A command over several lines that a shell reads as one; what is wider than a line is broken inside, which
// only works from the first column on.
std::string broken_command(const std::vector<std::string>& words, int width);

// Columns side by side under the headings of the first line, and a note behind each line. Columns that do
// not fit into the width follow below, beside the first one again; a note that does not goes on below.
using table_line = std::vector<std::string>;
std::string text_table(const std::vector<table_line>& lines, int width,
                       const std::vector<std::string>& notes = {});
// How many columns of a terminal such a table leaves for notes.
int room_for_notes(const std::vector<table_line>& lines, int width);

}  // namespace sparsmith
