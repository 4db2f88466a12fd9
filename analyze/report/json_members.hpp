// Members of a JSON document that somebody else wrote: what is not there, is null or is of another type is
// not known, and each of these says so in the way of its type.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace sparsmith::members {

using json = nlohmann::ordered_json;

// Null where it is not there, or says so itself.
inline const json* member(const json* of, const char* name) {
  if (of == nullptr || !of->is_object()) return nullptr;
  const auto found = of->find(name);
  return found == of->end() || found->is_null() ? nullptr : &*found;
}

inline double number(const json* of, const char* name) {  // NaN
  const json* const found = member(of, name);
  return found != nullptr && found->is_number() ? found->get<double>()
                                                : std::numeric_limits<double>::quiet_NaN();
}
inline std::string text(const json* of, const char* name) {  // empty
  const json* const found = member(of, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}
inline bool yes(const json* of, const char* name) {  // no
  const json* const found = member(of, name);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

template <class Use>
void for_each_in(const json* of, const char* name, Use use) {  // nothing
  const json* const list = member(of, name);
  if (list == nullptr || !list->is_array()) return;
  for (const json& one : *list) use(&one);
}

}  // namespace sparsmith::members
