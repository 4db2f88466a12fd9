// What is wrong with text that the parser has refused: the parser is fast and says little, so that the first
// bad line is looked for once more, slowly.
#pragma once

#include <exception>

#include "convert/io/matrix_market_grammar.hpp"

namespace sparsmith::matrix_market {

// The parser has refused something in these lines, which start at `at`: throws what is wrong with the first
// bad one, or what little `cause` says.
[[noreturn]] void explain(const std::string& name, const header& head, std::string& text, position at,
                          const std::exception_ptr& cause);

}  // namespace sparsmith::matrix_market
