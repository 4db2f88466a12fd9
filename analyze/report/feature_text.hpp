// Features of matrices as text for a terminal: what a person reads who looks before choosing a format.
#pragma once

#include <string>
#include <vector>

#include "analyze/report/columns.hpp"
#include "analyze/report/terminal_plots.hpp"
#include "analyze/structure/features.hpp"

namespace sparsmith {

// Where the text is shown.
struct terminal {
  int width = 80, height = 24;
  terminal_ink ink = terminal_ink::shades;
  bool unicode() const { return ink != terminal_ink::ascii; }
};

struct text_options {
  terminal shown = {};
  std::string device = {};      // where the features were computed; empty where that was said before
  int bins = default_bins;      // of linear histograms
  bool row_histogram = false;   // of row lengths with linear bins, beside the one that is always there
  bool col_histograms = false;  // of column lengths, with either bins
};

std::string features_as_text(const matrix_features& features, const text_options& options);
// A table with a line a matrix.
std::string comparison_as_text(const std::vector<matrix_features>& matrices, int width);

// An absolute value or a norm in four digits: "12,345", "1.234e+20", "infinite", "NaN".
std::string size_text(double size);

// The columns in which several matrices are compared, on a terminal and on a page.
std::vector<column<matrix_features>> compared_features();

}  // namespace sparsmith
