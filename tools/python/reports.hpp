// What Python shows of features, prices and recommendations: the texts, documents and pages of the tools.
#pragma once

#include <string>
#include <vector>

#include "tools/library/sparsmith.hpp"

namespace sparsmith::python {

inline constexpr int text_width = 80;

std::string features_text(const matrix_features& features);
std::string features_document(const matrix_features& features);  // sparsmith.features/1
std::string features_page(const matrix_features& features);

std::string plan_text(const std::vector<format_cost>& prices);
std::string plan_document(const std::vector<format_cost>& prices);

std::string advice_page(const advice& said);

// Of all kernels of this build, as `sprecommend --list` has them.
struct known_kernel {
  std::string name, format, backend, description, source;
  std::vector<std::string> products, repeatable;
  bool vendor = false, history = false;
};
std::vector<known_kernel> all_known_kernels();

}  // namespace sparsmith::python
