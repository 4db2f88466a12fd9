// Numbers as JSON, where JSON has no word for some of them: those are null.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "analyze/structure/features.hpp"
#include "convert/formats/sizes.hpp"

namespace sparsmith {

inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json number_or_null(std::optional<double> value) {
  return value ? number_or_null(*value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json count_or_null(std::optional<std::int64_t> count) {
  return count ? nlohmann::ordered_json(*count) : nlohmann::ordered_json(nullptr);
}

// The sizes of a format as an object.
inline nlohmann::ordered_json as_json(const format_parameters& parameters) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : parameters) object[name] = value;
  return object;
}

// What only values tell.
inline nlohmann::ordered_json of_values(const matrix_features& f, nlohmann::ordered_json value) {
  return f.has_values ? std::move(value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json of_complex(const matrix_features& f, nlohmann::ordered_json value) {
  return f.complex_values ? std::move(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace sparsmith
