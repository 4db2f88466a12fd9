// The command line of every tool: one place that turns exceptions into exit codes, and the options all have.
// Apart from tool.hpp, because CLI11 is heavy and only the file with a tool's options needs it.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tools/help.hpp"
#include "tools/tool.hpp"

namespace sparsmith {

// Parses, runs, and maps what happened to an exit status: 0 fine, 1 data or run-time failure, 2 usage. Every
// error is one line on standard error.
int run_tool(CLI::App& app, int argc, char** argv, const std::function<void()>& body);

void add_common_options(CLI::App& app, common_options& options);

// --variable, of tools that read: which matrix of a file that holds several.
void add_variable_option(CLI::App& app, std::string& variable);

// Which of the options that are about some formats only were typed.
std::vector<std::string> format_options_given(const CLI::App& app);

// One of a few words, its letters in any case; another is refused, with the one that was probably meant.
CLI::Validator one_of(const std::vector<std::string>& words);

// Its letters in any case, where such words may stand beside something else ("auto", "4x4").
CLI::Validator in_any_case(const std::vector<std::string>& words);
// Anything, these words among it: they are told by completion alone.
CLI::Validator such_as(const std::vector<std::string>& words);

// A number from a range, its ends included; --help tells them.
template <class T>
CLI::Validator between(T least, T most) {
  const std::string range = std::is_floating_point_v<T> ? fmt::format("{:g} to {:g}", least * 1.0, most * 1.0)
                                                        : fmt::format("{} to {}", least, most);
  return {[least, most, range](const std::string& typed) {
            T number{};
            const bool inside = CLI::detail::lexical_cast(typed, number) && number >= least && number <= most;
            return inside ? std::string() : fmt::format("{} is not a number from {}", typed, range);
          },
          range};
}

// An option that takes one of a few words, each of which stands for a value: what was typed is not looked at
// again. The word for what `value` is at first is the default.
template <class T>
void add_choice(CLI::App& app, const std::string& option, T& value,
                const std::type_identity_t<std::vector<std::pair<std::string, T>>>& choices,
                const std::string& help) {
  std::vector<std::string> words;
  std::string at_first;
  for (const auto& [word, meaning] : choices) {
    words.push_back(word);
    if (meaning == value) at_first = word;
  }
  app.add_option_function<std::string>(
         option,
         [&value, choices](const std::string& typed) {
           for (const auto& [word, meaning] : choices)
             if (word == typed) value = meaning;
         },
         help)
      ->transform(one_of(words))
      ->default_str(at_first);
}

}  // namespace sparsmith
