// sparsmith: lists the tools and runs them. `sparsmith convert ...` is `spconv ...`, whose process it
// becomes, from beside itself or else from PATH.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "convert/error.hpp"
#include "convert/nearest_names.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

struct command {
  const char* word;
  const char* tool;
  const char* purpose;
};
constexpr std::array<command, 4> commands = {
    {{"convert", "spconv", "convert a sparse matrix between storage formats"},
     {"analyze", "spanalyze", "say what sparse matrices are like"},
     {"recommend", "sprecommend", "find out which format multiplies fastest"},
     {"batch", "spbatch", "profile a collection of matrices"}}};
constexpr const char* purpose = "convert, analyse and race sparse matrices";
constexpr const char* purpose_of_help = "show what a command takes";
constexpr const char* purpose_of_list = "list the commands and exit";
constexpr const char* purpose_of_version = "print the version and exit";
constexpr const char* examples[] = {"sparsmith convert bcsstk17.mtx.gz --to sell --verify",
                                    "sparsmith recommend 'gen:rmat?scale=18' --mix 10:1",
                                    "sparsmith help batch"};
constexpr int usage_status = 2;

const command* command_named(const std::string& word) {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const command& one) { return word == one.word || word == one.tool; });
  return found == commands.end() ? nullptr : &*found;
}

std::string help() {
  std::string text =
      "Converts, analyses and races sparse matrices.\n\n"
      "Usage: sparsmith COMMAND ...\n\nCommands:\n";
  const auto add_line = [&](std::string word, const std::string& meaning) {
    word.resize(12, ' ');
    text += "  " + word + meaning + "\n";
  };
  for (const command& one : commands) add_line(one.word, std::string(one.purpose) + " (" + one.tool + ")");
  add_line("help", purpose_of_help);
  text += "\nOptions:\n";
  add_line("-h,--help", purpose_of_list);
  add_line("--version", purpose_of_version);
  text += "\nExamples:\n";
  for (const char* const example : examples) text += std::string("  ") + example + "\n";
  return text + "\nA command's exit status is its tool's; 2 where there is no such command.\n";
}

// As the tools describe themselves, for completion and manual pages. No text here needs JSON's escapes.
std::string description() {
  std::string text =
      std::string("{\"name\": \"sparsmith\", \"purpose\": \"") + purpose + "\", \"commands\": [";
  for (const command& one : commands)
    text += std::string("{\"word\": \"") + one.word + "\", \"tool\": \"" + one.tool + "\", \"purpose\": \"" +
            one.purpose + "\"}, ";
  text += std::string("{\"word\": \"help\", \"purpose\": \"") + purpose_of_help +
          "\"}], \"options\": [{\"names\": [\"-h\", \"--help\"], \"takes\": \"\", \"meaning\": \"" +
          purpose_of_list + "\"}, {\"names\": [\"--version\"], \"takes\": \"\", \"meaning\": \"" +
          purpose_of_version + "\"}], \"examples\": [";
  for (const char* const example : examples)
    text += std::string(example == examples[0] ? "" : ", ") + "\"" + example + "\"";
  return text + "]}\n";
}

int complain(int status, const std::string& message) {
  std::fprintf(stderr, "sparsmith: %s\n", on_one_line(message).c_str());
  return status;
}

int print(const std::string& text) {
  const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  return written ? 0 : complain(1, "standard output: could not write");
}

// Its arguments end with a null pointer; the first is the tool's name, by which it calls itself in messages.
int become(const std::string& tool, std::vector<char*> arguments) {
  std::string name = tool;
  arguments.front() = name.data();
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  const std::string beside = (self.parent_path() / tool).string();
  if (!problem && ::access(beside.c_str(), X_OK) == 0) {
    ::execv(beside.c_str(), arguments.data());
    return complain(1, beside + ": " + std::strerror(errno));
  }
  ::execvp(name.c_str(), arguments.data());
  if (errno == ENOENT) return complain(1, tool + " is neither beside " + self.string() + " nor on PATH");
  return complain(1, tool + ": " + std::strerror(errno));
}

// Of all that could stand there; behind `help` those are commands alone.
int refuse(const std::string& word, bool behind_help) {
  std::vector<std::string> known;
  if (!behind_help) known = {"help", "--help", "--version"};
  for (const command& one : commands) known.insert(known.end(), {one.word, one.tool});
  return complain(usage_status, "there is no command " + word + did_you_mean(word, known) + " (see --help)");
}

int run(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty()) return complain(usage_status, "name a command (see --help)");
  if (word == "-h" || word == "--help" || (word == "help" && (argc == 2 || argv[2] == word)))
    return print(help());
  if (word == "--version") return print("sparsmith " SPARSMITH_VERSION "\n");
  if (word == "--describe") return print(description());
  const bool asks_for_help = word == "help";
  const std::string wanted = asks_for_help ? argv[2] : word;
  const command* const found = command_named(wanted);
  if (found == nullptr) return refuse(wanted, asks_for_help);
  if (!asks_for_help) {
    std::vector<char*> arguments(argv + 1, argv + argc);
    arguments.push_back(nullptr);
    return become(found->tool, arguments);
  }
  std::string option = "--help";
  return become(found->tool, {argv[1], option.data(), nullptr});
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  try {
    return sparsmith::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("sparsmith: out of memory\n", stderr);
    return 1;
  }
}
