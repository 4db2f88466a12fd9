#include "tools/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "analyze/report/text.hpp"
#include "convert/io/generators.hpp"
#include "tools/terminal.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view only_prefix = "only ", also_prefix = "also ";

// What an option takes and which it may be: "INT:0 to 1024" of CLI11.
struct option_type {
  std::string word, range;

  explicit option_type(const CLI::Option& option) {
    if (option.get_type_size() == 0) return;
    const std::string type = option.get_type_name();
    const std::size_t colon = std::min(type.find(':'), type.size());
    word = type.substr(0, colon);
    if (colon < type.size()) range = type.substr(colon + 1);
  }
};

std::string meaning_of(const CLI::Option& option) {
  std::vector<std::string> notes;
  if (option.get_type_size() != 0) {
    const option_type type(option);
    if (!type.range.empty()) notes.push_back(type.range);
    if (!option.get_default_str().empty()) notes.push_back("default " + option.get_default_str());
  }
  for (const CLI::Option* const other : option.get_needs()) notes.push_back("with " + other->get_name());
  for (const CLI::Option* const other : option.get_excludes())
    notes.push_back("not with " + other->get_name());
  const std::string meaning = option.get_description();
  return notes.empty() ? meaning : meaning + fmt::format(" ({})", fmt::join(notes, "; "));
}

std::string option_help(const CLI::Option& option, bool positional, int width) {
  std::string term = "  " + option.get_name(positional, !positional);
  const std::string type = option_type(option).word;
  if (!positional && !type.empty()) term += " " + type;
  return term_text(term, meaning_of(option), term_indent(width), width);
}

std::string as_text(const std::vector<std::pair<std::string, std::string>>& exit_statuses) {
  std::string text = "Exit status: ";
  for (const auto& [status, meaning] : exit_statuses)
    text += (status == exit_statuses.front().first ? "" : ", ") + status + " " + meaning;
  return text + ".";
}

// CLI11's own would be as wide as it comes.
class help_in_width : public CLI::FormatterBase {
 public:
  explicit help_in_width(help_ending ending) : ending_(std::move(ending)) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    const int width = output_width();
    std::string usage = "Usage: " + name + " [OPTIONS]", inputs, options;
    for (const CLI::Option* const option : app->get_options({})) {
      if (!option->get_positional()) {
        options += option_help(*option, false, width);
        continue;
      }
      inputs += option_help(*option, true, width);
      const std::string word = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
      usage += option->get_required() ? " " + word : " [" + word + "]";
    }
    std::string text = wrapped("", app->get_description(), 0, width) + "\n" + wrapped("", usage, 2, width) +
                       inputs + "\nOptions:\n" + options;
    if (!ending_.examples.empty()) text += "\nExamples:\n";
    for (const std::string& example : ending_.examples)
      text += broken_command(CLI::detail::split(example, ' '), width);
    text += "\n";
    for (const std::string& remark : ending_.remarks) text += wrapped("", remark, 0, width);
    return text + wrapped("", as_text(ending_.exit_statuses), 0, width);
  }

  const help_ending& ending() const { return ending_; }

 private:
  help_ending ending_;
};

// The words that an option takes, and whether it takes no others; nothing where it takes none.
std::optional<std::pair<std::vector<std::string>, bool>> words_of(CLI::Option& option) {
  try {
    for (int i = 0;; ++i) {
      const std::string& name = option.get_validator(i)->get_name();
      for (const std::string_view prefix : {only_prefix, also_prefix})
        if (name.starts_with(prefix))
          return std::pair(CLI::detail::split(name.substr(prefix.size()), ' '), prefix == only_prefix);
    }
  } catch (const CLI::OptionNotFound&) {  // there are no more
    return {};
  }
}

json description_of(CLI::Option& option) {
  const bool positional = option.get_positional();
  json told = json::object();
  if (positional) {
    told["name"] = option.get_name(true);
    told["required"] = option.get_required();
  } else {
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    told["names"] = names;
  }
  told["takes"] = option_type(option).word;
  told["several"] = option.get_expected_max() > 1;
  told["meaning"] = meaning_of(option);
  if (const auto words = words_of(option)) {
    told["words"] = words->first;
    told["only_words"] = words->second;
    told["list"] = option.get_delimiter() != '\0';
  }
  return told;
}

}  // namespace

int term_indent(int width) {
  return width < 60 ? 6 : 22;
}

void set_help(CLI::App& app, const help_ending& ending) {
  app.formatter(std::make_shared<help_in_width>(ending));
}

std::string only_words(const std::vector<std::string>& words) {
  return fmt::format("{}{}", only_prefix, fmt::join(words, " "));
}

std::string also_words(const std::vector<std::string>& words) {
  return fmt::format("{}{}", also_prefix, fmt::join(words, " "));
}

std::string description_of(CLI::App& app) {
  const auto formatter = std::dynamic_pointer_cast<help_in_width>(app.get_formatter());
  const help_ending ending = formatter ? formatter->ending() : help_ending{};
  json told = {{"name", app.get_name()},      {"description", app.get_description()},
               {"arguments", json::array()},  {"options", json::array()},
               {"generators", json::array()}, {"examples", json::array()},
               {"remarks", ending.remarks},   {"exit_statuses", ending.exit_statuses}};
  for (CLI::Option* const option : app.get_options({}))
    told[option->get_positional() ? "arguments" : "options"].push_back(description_of(*option));
  for (const auto& [term, meaning] : describe_generators())
    if (is_generator(term)) told["generators"].push_back(term);
  for (const std::string& example : ending.examples) {
    std::vector<std::string> words;
    for (const std::string& word : CLI::detail::split(example, ' ')) words.push_back(quoted_for_shell(word));
    told["examples"].push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return told.dump(1);
}

}  // namespace sparsmith
