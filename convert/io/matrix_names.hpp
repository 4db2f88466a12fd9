// What names of files say about what is in them, where that is all there is: among the members of an archive
// and the files of a folder. Whoever opens a file looks at its content.
#pragma once

#include <string_view>

namespace sparsmith {

// The name of what is packed in a file by .gz, .bz2, .xz or .zst.
std::string_view unpacked_name(std::string_view name);

// The ending of a text with a matrix: ".mtx", ".rb", ".edges", or ".rua" and its like; empty where the name
// has none.
std::string_view matrix_text_ending(std::string_view name);

// Whether a file of a folder is named like what the readers take, or like a text in a packing that this build
// does not know: that is to be named as a failure rather than passed over.
bool is_matrix_name(std::string_view name);

}  // namespace sparsmith
