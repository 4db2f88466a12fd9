#include "tools/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "analyze/report/text.hpp"
#include "convert/backend/backend.hpp"
#include "convert/error.hpp"
#include "convert/formats/properties.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/write.hpp"
#include "convert/nearest_names.hpp"
#include "tools/help.hpp"
#include "tools/option_values.hpp"
#include "tools/terminal.hpp"

namespace sparsmith {
namespace {

std::string generators_help() {
  const int width = output_width();
  std::string text = wrapped("",
                             "A generator makes a matrix, and stands where a file's name would: "
                             "'gen:uniform?n=1e6&density=1e-5'. Parameters that are not given are as below; "
                             "the quotes keep ? and & from the shell.",
                             0, width) +
                     "\nGenerators:\n";
  for (const auto& [term, meaning] : describe_generators())
    text += term_text(term, meaning, term_indent(width), width);
  return text;
}

// Of the words that were left over, the first that looks like an option, and the one probably meant; nothing
// where there is none.
std::string about_unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    if (word.size() < 2 || word.front() != '-') continue;
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* const option : app.get_options({}))
      for (const std::string& other : option->get_lnames()) known.push_back("--" + other);
    return fmt::format("there is no option {}{}", name, did_you_mean(name, known));
  }
  return "";
}

// Takes no memory, which may be what lacks; and without an exception where that cannot be written either:
// there is nobody left to tell.
void complain(const char* message) noexcept {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, message);
}

// Whether this thread asked for memory in vain, or would now.
thread_local bool ran_out = false;
[[noreturn]] void note_out_of_memory() {
  ran_out = true;
  throw std::bad_alloc();
}
bool has_memory_left() {
  if (ran_out) return false;
  void* volatile little = std::malloc(64);  // else the compiler leaves it out
  std::free(little);
  return little != nullptr;
}

// Memory may also run out where nobody can catch that: before main, while options are listed, in a destructor
// (nlohmann's JSON allocates in one).
std::terminate_handler otherwise = nullptr;
[[noreturn]] void end_without_handler() {
  try {
    if (const std::exception_ptr problem = std::current_exception()) std::rethrow_exception(problem);
    // libstdc++'s directory_iterator ends so where it has no memory for a name. Where there is some, it is a
    // mistake of the program's own, which a core dump should show.
    if (!has_memory_left()) {
      complain("out of memory");
      std::quick_exit(1);
    }
    complain("ended by the standard library, for no reason that it gives");
    remove_partial_outputs();
    std::abort();
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    std::quick_exit(1);
  } catch (...) {
  }
  otherwise();
  std::abort();
}
// Before all else that is set up before main.
__attribute__((constructor(101))) void set_handler() {
  otherwise = std::set_terminate(end_without_handler);
  std::set_new_handler(note_out_of_memory);
}

}  // namespace

int run_tool(CLI::App& app, int argc, char** argv, const std::function<void()>& body) {
  constexpr int usage_status = 2;
  // A closed standard stream would lend its number to the next file opened, and that file would get our
  // messages.
  while (true) {
    const int descriptor = ::open("/dev/null", O_RDWR);
    if (descriptor > STDERR_FILENO || descriptor < 0) {
      if (descriptor >= 0) ::close(descriptor);
      break;
    }
  }
  try {
    // For the build, which makes completion and manual pages of it.
    if (argc == 2 && std::string_view(argv[1]) == "--describe")
      throw CLI::CallForVersion(description_of(app), 0);
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    const int status = app.exit(success);  // --help and --version
    if (std::cout.flush() && std::fflush(stdout) == 0) return status;
    complain("standard output: could not write");
    return 1;
  } catch (const CLI::ParseError& problem) {
    // One that does not exist first: what else seems to be wrong may follow from it.
    const std::string unknown = about_unknown_option(app);
    const std::string message = fmt::format("{} (see --help)", unknown.empty() ? problem.what() : unknown);
    complain(on_one_line(message).c_str());
    return usage_status;
  }
  try {
    remove_output_on_signals();
    body();
    if (std::fflush(stdout) != 0) throw error(failure::output, "standard output: could not write");
    return 0;
  } catch (const error& problem) {
    // The library names what could be chosen otherwise; whether there is an option for it, only the tool
    // knows.
    const std::string option = "--" + problem.quantity();
    const bool has_option = !problem.quantity().empty() && app.get_option_no_throw(option) != nullptr;
    complain(has_option ? fmt::format("{} ({})", problem.what(), option).c_str() : problem.what());
    return problem.category() == failure::usage ? usage_status : 1;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& problem) {
    complain(problem.what());
  }
  return 1;
}

std::vector<std::string> format_options_given(const CLI::App& app) {
  std::vector<std::string> given;
  for (const CLI::Option* const option : app.get_options({}))
    for (const std::string& name : option->get_lnames())
      if (option->count() > 0 && !formats_with("--" + name).empty()) given.push_back("--" + name);
  return given;
}

void add_variable_option(CLI::App& app, std::string& variable) {
  app.add_option(
      "--variable", variable,
      "MATLAB, AnnData: which matrix of the file, such as Problem.A or layers/counts; by default the "
      "one there is");
}

void add_common_options(CLI::App& app, common_options& options) {
  add_choice(app, "--device", options.device,
             {{"auto", device_wish::automatic},
              {"cuda", device_wish::cuda},
              {"gpu", device_wish::cuda},
              {"cpu", device_wish::cpu}},
             "Where to run: auto (a GPU if there is one), cuda or cpu");
  app.add_option("--threads", options.threads, "CPU threads; 0 means all")
      ->check(between(0, 1024))
      ->capture_default_str();
  app.add_flag("--json", options.as_json, "Print the result as JSON");
  app.add_flag("--quiet", options.quiet, "Print nothing but errors (and data asked for)");
  app.set_version_flag("--version", fmt::format("{} {} ({})", app.get_name(), SPARSMITH_VERSION,
                                                has_cuda ? "OpenMP and CUDA" : "OpenMP, no CUDA"));
  app.add_flag_callback(
      "--help-generators",
      [] {
        // The only kind of success that CLI11 prints a text for; it ends the line itself.
        std::string text = generators_help();
        text.pop_back();
        throw CLI::CallForVersion(text, 0);
      },
      "Describe the generators (gen:...) and their parameters, and exit");
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return {[words](std::string& typed) -> std::string {
            for (const std::string& word : words)
              if (CLI::detail::to_lower(word) == CLI::detail::to_lower(typed)) {
                typed = word;
                return "";
              }
            const std::string meant = did_you_mean(typed, words);
            return fmt::format("there is no \"{}\"{}", typed,
                               meant.empty() ? fmt::format(", only {}", fmt::join(words, ", ")) : meant);
          },
          "", only_words(words)};
}

CLI::Validator in_any_case(const std::vector<std::string>& words) {
  return {[](std::string& typed) -> std::string {
            typed = CLI::detail::to_lower(typed);
            return "";
          },
          "", also_words(words)};
}

CLI::Validator such_as(const std::vector<std::string>& words) {
  return {[](std::string&) { return std::string(); }, "", also_words(words)};
}

}  // namespace sparsmith
