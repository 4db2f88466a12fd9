#include "convert/io/matrix_names.hpp"

#include <algorithm>
#include <array>

#include "convert/io/rutherford_boeing.hpp"

namespace sparsmith {
namespace {

struct matrix_ending {
  std::string_view name;
  bool text;  // texts may be packed, and are looked for among the members of an archive
};

// Rutherford-Boeing's types (".rua") are texts as well. Endings that say too little are none: .txt and
// .csv may be anything, and most .npy are vectors.
constexpr std::array<matrix_ending, 19> matrix_endings = {{
    {".mtx", true},     {".rb", true},    {".smat", true}, {".edges", true}, {".edgelist", true},
    {".wel", true},     {".sms", true},   {".gr", true},   {".graph", true}, {".metis", true},
    {".tar.gz", false}, {".tgz", false},  {".tar", false}, {".npz", false},  {".h5", false},
    {".hdf5", false},   {".h5ad", false}, {".mat", false}, {".mm", false},
}};

}  // namespace

std::string_view unpacked_name(std::string_view name) {
  for (const std::string_view packing : {".gz", ".bz2", ".xz", ".zst"})
    if (name.ends_with(packing)) return name.substr(0, name.size() - packing.size());
  return name;
}

std::string_view matrix_text_ending(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name[dot - 1] == '/') return {};
  const std::string_view ending = name.substr(dot);
  const bool named =
      std::any_of(matrix_endings.begin(), matrix_endings.end(),
                  [&](const matrix_ending& known) { return known.text && known.name == ending; });
  return named || is_matrix_type(ending.substr(1)) ? ending : std::string_view();
}

bool is_matrix_name(std::string_view name) {
  return !matrix_text_ending(unpacked_name(name)).empty() ||
         std::any_of(matrix_endings.begin(), matrix_endings.end(),
                     [&](const matrix_ending& known) { return !known.text && name.ends_with(known.name); });
}

}  // namespace sparsmith
