#include "convert/io/matrix_names.hpp"

#include "convert/io/rutherford_boeing.hpp"

namespace sparsmith {

std::string_view matrix_text_ending(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name[dot - 1] == '/') return {};
  const std::string_view ending = name.substr(dot);
  return ending == ".mtx" || ending == ".rb" || is_matrix_type(ending.substr(1)) ? ending
                                                                                 : std::string_view();
}

}  // namespace sparsmith
