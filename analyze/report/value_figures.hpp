// What the values of a matrix tell, member by member, for JSON and CSV alike: null where it was not asked
// for, is no number, or is of square matrices.
#pragma once

#include <array>

#include "analyze/report/json_values.hpp"

namespace sparsmith {

struct value_figure {
  const char* name;
  nlohmann::ordered_json (*json_of)(const matrix_features&);
};

template <double value_features::*Member>
nlohmann::ordered_json size_as_json(const matrix_features& f) {
  return f.of_values ? number_or_null((*f.of_values).*Member) : nlohmann::ordered_json(nullptr);
}
template <std::int64_t value_features::*Member>
nlohmann::ordered_json count_of_square_as_json(const matrix_features& f) {
  return f.of_values && f.rows == f.cols ? nlohmann::ordered_json((*f.of_values).*Member)
                                         : nlohmann::ordered_json(nullptr);
}

inline constexpr std::array<value_figure, 9> value_figures = {{
    {"smallest", &size_as_json<&value_features::smallest>},
    {"largest", &size_as_json<&value_features::largest>},
    {"norm_1", &size_as_json<&value_features::norm_1>},
    {"norm_infinity", &size_as_json<&value_features::norm_infinity>},
    {"norm_frobenius", &size_as_json<&value_features::norm_frobenius>},
    {"norm_max", &size_as_json<&value_features::norm_max>},
    {"dominant_rows", &count_of_square_as_json<&value_features::dominant_rows>},
    {"strictly_dominant_rows", &count_of_square_as_json<&value_features::strictly_dominant_rows>},
    {"diagonal_zeros", &count_of_square_as_json<&value_features::diagonal_zeros>},
}};

}  // namespace sparsmith
