#include "convert/io/generator_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "convert/nearest_names.hpp"
#include "convert/words.hpp"

namespace sparsmith {

std::string meant_or_known(const std::string& name, const std::vector<std::string>& known) {
  const std::string meant = did_you_mean(name, known);
  if (!meant.empty()) return meant;
  std::string list;
  for (const std::string& other : known) list += (list.empty() ? "; known: " : ", ") + other;
  return list;
}

std::string generator_arguments::as_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

generator_arguments::generator_arguments(const generator& which, std::string_view text)
    : which_(which), values_(which.parameters.size()) {
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(piece.size() + 1, text.size()));
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos)
      refuse("\"" + std::string(piece) + "\" is not of the form name=value");
    const std::string name(piece.substr(0, equals));
    const std::optional<std::size_t> i = find(name);
    if (!i) refuse("unknown parameter \"" + name + "\"" + meant_or_known(name, known_names()));
    if (values_[*i]) refuse("parameter \"" + name + "\" is given twice");
    values_[*i] = parse(which_.parameters[*i], piece.substr(equals + 1));
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i]) continue;
    const generator_parameter& parameter = which_.parameters[i];
    const std::optional<std::size_t> same_as = find(parameter.standard);
    values_[i] = same_as ? values_[*same_as] : parse(parameter, parameter.standard);
  }
}

void generator_arguments::refuse(const std::string& why, failure category) const {
  throw error(category, std::string("gen:") + which_.name + ": " + why);
}

void generator_arguments::check_memory(double entry_count) const {
  const double needed = entry_count * (2 * sizeof(std::int32_t) + sizeof(double));
  const std::int64_t available = available_bytes(place::host);
  if (needed > static_cast<double>(available))
    refuse("about " + as_text(std::floor(entry_count)) + " entries do not fit into the " +
               format_bytes(available) + " of memory available",
           failure::resources);
}

std::optional<std::size_t> generator_arguments::find(std::string_view name) const {
  for (std::size_t i = 0; i < which_.parameters.size(); ++i)
    if (which_.parameters[i].name == name) return i;
  return std::nullopt;
}

std::vector<std::string> generator_arguments::known_names() const {
  std::vector<std::string> names;
  for (const auto& parameter : which_.parameters) names.emplace_back(parameter.name);
  return names;
}

double generator_arguments::parse(const generator_parameter& parameter, std::string_view text) const {
  const std::string shown = std::string(parameter.name) + "=" + std::string(text);
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  // However it is written: 1e6 is a whole number, and 1.5e0 is none.
  const bool is_whole = std::isfinite(value) && value == std::trunc(value);
  if (status != std::errc() || stop != end || (parameter.kind == number_kind::whole && !is_whole))
    refuse(shown + (parameter.kind == number_kind::whole ? " is not a whole number" : " is not a number"));
  if (!(value >= parameter.lowest && value <= parameter.highest))
    refuse(shown + " is outside " + as_text(parameter.lowest) + ".." + as_text(parameter.highest));
  return value;
}

}  // namespace sparsmith
