#include "convert/io/matrix_names.hpp"

#include <algorithm>
#include <array>

#include "convert/io/rutherford_boeing.hpp"

namespace sparsmith {

std::string_view unpacked_name(std::string_view name) {
  for (const std::string_view packing : {".gz", ".bz2", ".xz", ".zst"})
    if (name.ends_with(packing)) return name.substr(0, name.size() - packing.size());
  return name;
}

std::string_view matrix_text_ending(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name[dot - 1] == '/') return {};
  const std::string_view ending = name.substr(dot);
  constexpr std::array<std::string_view, 9> known = {".mtx", ".rb", ".smat",  ".edges", ".edgelist",
                                                     ".wel", ".gr", ".graph", ".metis"};
  const bool named = std::find(known.begin(), known.end(), ending) != known.end();
  return named || is_matrix_type(ending.substr(1)) ? ending : std::string_view();
}

}  // namespace sparsmith
