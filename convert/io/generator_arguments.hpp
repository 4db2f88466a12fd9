// What a generator is, and what it is asked for: "n=8192&seed=1" as numbers, within their ranges.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convert/error.hpp"
#include "convert/formats/coo.hpp"

namespace sparsmith {

enum class number_kind { whole, real };

struct generator_parameter {
  const char* name;
  number_kind kind;
  const char* standard;  // the default: a number, or the name of an earlier parameter it is equal to
  double lowest;
  double highest;
  const char* meaning;
};

class generator_arguments;

struct generator {
  const char* name;
  const char* purpose;
  std::vector<generator_parameter> parameters;
  coo<double, host> (*make)(const generator_arguments&);
};

// What follows a name that does not exist: the one that was probably meant, else all there are.
std::string meant_or_known(const std::string& name, const std::vector<std::string>& known);

// The values of a generator's parameters: those of a text such as "n=8192&seed=1", else the defaults.
class generator_arguments {
 public:
  generator_arguments(const generator& which, std::string_view text);

  // The shortest digits that give the number back.
  static std::string as_text(double value);

  double real(const char* name) const { return values_.at(find(name).value()).value(); }
  std::int64_t whole(const char* name) const { return static_cast<std::int64_t>(real(name)); }

  [[noreturn]] void refuse(const std::string& why, failure category = failure::usage) const;

  // Refuses what can never be stored before time is spent on it; the allocations themselves check the rest.
  // Takes a double because the bytes of a full matrix of the largest dimension exceed an int64.
  void check_memory(double entry_count) const;

 private:
  std::optional<std::size_t> find(std::string_view name) const;
  std::vector<std::string> known_names() const;
  double parse(const generator_parameter& parameter, std::string_view text) const;

  const generator& which_;
  std::vector<std::optional<double>> values_;
};

}  // namespace sparsmith
