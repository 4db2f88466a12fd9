// The style and the script of the batch's page, as parts of the program (analyze/report/embed.cmake).
#pragma once

#include <string_view>

namespace sparsmith {

// By its name without folders: batch_page.css, batch_page.js. Another name is an error.
std::string_view embedded_batch_file(std::string_view name);

}  // namespace sparsmith
