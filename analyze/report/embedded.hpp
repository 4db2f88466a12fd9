// Files that are part of the program (embed.cmake): the style and script of a page, and Chart.js.
#pragma once

#include <string_view>

namespace sparsmith {

// By its name without folders: page.css, charts.js, chart.min.js. Another name is an error.
std::string_view embedded_file(std::string_view name);

}  // namespace sparsmith
