# Turns Chart.js into a source file that defines sparsmith::chart_library():
#   cmake -DCHART=/usr/share/javascript/chart.js/chart.min.js -DOUTPUT=chart_library.cpp -P embed_chart.cmake
if(NOT EXISTS "${CHART}")
  message(FATAL_ERROR "Chart.js was not found at '${CHART}'")
endif()
file(READ "${CHART}" text)
string(LENGTH "${text}" length)
file(SIZE "${CHART}" size)
if(NOT length EQUAL size)
  message(FATAL_ERROR "${CHART}: not a text file")
endif()
# It stands inside <script>, where these would end it or change how the rest is read.
string(TOLOWER "${text}" lowered)
foreach(forbidden "</script" "<script" "<!--" ")chart\"")
  string(FIND "${lowered}" "${forbidden}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${CHART}: has '${forbidden}', which cannot be embedded")
  endif()
endforeach()

# Compilers limit the length of one literal, joined ones included: an array of short ones has none.
set(piece_length 8000)
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} ${piece_length} piece)
  string(APPEND pieces "    R\"chart(${piece})chart\",\n")
  math(EXPR at "${at} + ${piece_length}")
endwhile()
file(WRITE "${OUTPUT}.new" "// Generated from ${CHART} by embed_chart.cmake.
#include <string>

namespace sparsmith {

const std::string& chart_library();
const std::string& chart_library() {
  static const char* const pieces[] = {
${pieces}  };
  static const std::string text = [] {
    std::string joined;
    for (const char* const piece : pieces) joined += piece;
    return joined;
  }();
  return text;
}

}  // namespace sparsmith
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
