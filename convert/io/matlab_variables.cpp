#include "convert/io/matlab_variables.hpp"

#include <algorithm>
#include <optional>

#include "convert/io/bounds.hpp"

namespace sparsmith {
namespace {

std::string list_of(const std::vector<matlab_variable>& variables) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(variables.size(), most); ++i) {
    const matlab_variable& v = variables[i];
    const std::string what =
        v.kind == matlab_kind::other
            ? v.what
            : fmt::format("{} {} x {}", v.kind == matlab_kind::sparse ? "sparse" : "full", v.rows, v.cols);
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", v.name, what);
  }
  if (variables.size() > most) text += fmt::format(" and {} more", variables.size() - most);
  return variables.empty() ? "nothing" : text;
}

}  // namespace

std::size_t meant_variable(const std::string& path, const std::vector<matlab_variable>& variables,
                           const std::string& wanted) {
  const auto named = [&](const std::string& name) {
    const auto at = std::find_if(variables.begin(), variables.end(),
                                 [&](const matlab_variable& v) { return v.name == name; });
    return at == variables.end() ? std::nullopt : std::optional(at - variables.begin());
  };
  if (!wanted.empty()) {
    const auto at = named(wanted);
    if (!at) refuse_input(path, fmt::format("holds no variable {}, but {}", wanted, list_of(variables)));
    const matlab_variable& meant = variables[static_cast<std::size_t>(*at)];
    if (meant.kind == matlab_kind::other)
      refuse_input(path, fmt::format("variable {} is no matrix but {}", wanted, meant.what));
    return static_cast<std::size_t>(*at);
  }
  if (const auto at = named("Problem.A")) {
    if (variables[static_cast<std::size_t>(*at)].kind != matlab_kind::other)
      return static_cast<std::size_t>(*at);
  }
  for (const matlab_kind kind : {matlab_kind::sparse, matlab_kind::full}) {
    std::vector<matlab_variable> candidates;
    std::size_t last = 0;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const matlab_variable& v = variables[i];
      if (v.kind != kind || (kind == matlab_kind::full && v.rows == 1 && v.cols == 1)) continue;
      candidates.push_back(v);
      last = i;
    }
    if (candidates.size() == 1) return last;
    if (candidates.size() > 1)
      refuse_input(path,
                   fmt::format("holds several matrices, name one with --variable: {}", list_of(candidates)));
  }
  refuse_input(path, fmt::format("holds no matrix, but {}", list_of(variables)));
}

}  // namespace sparsmith
