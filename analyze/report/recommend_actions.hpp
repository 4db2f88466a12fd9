// What to do after a recommendation: the command that makes the file, and the C++ that runs the product.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/recommend/recommendation.hpp"
#include "analyze/report/describe.hpp"

namespace sparsmith {

// The options that make this format again: what was left to the conversion to decide, and was, is in them.
conversion_options settled_options(const variant_result& format);
// Slots per entry; 1 where nothing is padded, or nothing is known.
double fill_of(const matrix_result& found, const variant_result& format);

// What stands between quotes in C++.
std::string escaped_for_code(std::string_view text);

// `spconv` and its arguments, not quoted. What names the format's shape is always there, also where it is
// what spconv would take by default; everything else only where it is not. Empty where one command cannot
// make it: for two copies, for one of A^T, and for a matrix that was not read by its name.
std::vector<std::string> spconv_arguments(const recommendation& r, const way& taken);
// The same as one line for a shell.
std::string spconv_line(const recommendation& r, const way& taken);

// Lines for the body of a function that has x and y, and where two products come together w and z as well, at
// most 78 columns wide; of a matrix that was not
// read by its name, one that has m as well. Empty for two copies, and for one of A^T.
std::string code_lines(const recommendation& r, const way& taken);

}  // namespace sparsmith
