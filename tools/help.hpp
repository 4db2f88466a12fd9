// What --help says of a tool, as wide as the terminal; and the same as data, of which the build makes
// completion and manual pages.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sparsmith {

// What --help ends with: commands as examples (words between blanks, quoted where a shell needs it), remarks,
// a paragraph each, and what an exit status means. The generators, which are longer than all else, have
// --help-generators.
struct help_ending {
  std::vector<std::string> examples = {}, remarks = {};
  std::vector<std::pair<std::string, std::string>> exit_statuses = {
      {"0", "fine"}, {"1", "data or run-time failure"}, {"2", "usage"}};
};
void set_help(CLI::App& app, const help_ending& ending);

// A validator's name says which words an option takes, for whoever describes it: these and no others, or
// these beside something else.
std::string only_words(const std::vector<std::string>& words);
std::string also_words(const std::vector<std::string>& words);

// The tool and its options as JSON.
std::string description_of(CLI::App& app);

// Room beside the terms of a list; on a narrow terminal what they mean stands below them.
int term_indent(int width);

}  // namespace sparsmith
