#include "tools/tool.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>

#include "convert/error.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/write.hpp"
#include "convert/nearest_names.hpp"
#include "convert/options.hpp"
#include "tools/command_line.hpp"

namespace sparsmith {
namespace {

// Room beside the terms of a list; on a narrow terminal what they mean stands below them.
int term_indent(int width) {
  return width < 60 ? 6 : 22;
}

std::string option_help(const CLI::Option& option, bool positional, int width) {
  std::string term = "  " + option.get_name(positional, !positional);
  std::vector<std::string> notes;
  if (option.get_type_size() != 0) {
    const std::string type = option.get_type_name();  // "INT:0 to 1024"
    const std::size_t colon = std::min(type.find(':'), type.size());
    if (!positional && colon > 0) term += " " + type.substr(0, colon);
    if (colon < type.size()) notes.push_back(type.substr(colon + 1));
    if (!option.get_default_str().empty()) notes.push_back("default " + option.get_default_str());
  }
  for (const CLI::Option* const other : option.get_needs()) notes.push_back("with " + other->get_name());
  for (const CLI::Option* const other : option.get_excludes())
    notes.push_back("not with " + other->get_name());
  std::string meaning = option.get_description();
  if (!notes.empty()) meaning += fmt::format(" ({})", fmt::join(notes, "; "));
  return term_text(term, meaning, term_indent(width), width);
}

// CLI11's own would be as wide as it comes.
class help_in_width : public CLI::FormatterBase {
 public:
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
    return wrapped("", app->get_description(), 0, width) + "\n" + wrapped("", usage, 2, width) + inputs +
           "\nOptions:\n" + options + app->get_footer();
  }
};

// The options that are about some formats only; for the others they mean nothing.
const std::vector<std::pair<std::string, std::vector<format_kind>>>& options_of_formats() {
  using enum format_kind;
  static const std::vector<std::pair<std::string, std::vector<format_kind>>> table = {
      {"--slice", {sell}},
      {"--sigma", {sell}},
      {"--width", {hyb}},
      {"--block", {bsr}},
      {"--beta", {csb, ecsb, gcsb}},
      {"--group", {gcsb, gcsb_tile}},
      {"--window", {gcsb}},
      {"--layout", {csb, ecsb, gcsb, gcsb_tile}},
      {"--order", {csb, ecsb, gcsb}},
      {"--index", {csb, ecsb, gcsb, gcsb_tile}},
      {"--holding", {ecsb}},
      {"--tile", {gcsb_tile}},
      {"--renumber", {gcsb_tile}},
      {"--rest", {gcsb_tile}}};
  return table;
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

}  // namespace

int run_tool(CLI::App& app, int argc, char** argv, const std::function<void()>& body) {
  constexpr int usage_status = 2;
  const auto complain = [&](const std::string& message) {
    // Without an exception where that cannot be written either: there is nobody left to tell.
    std::fputs(fmt::format("{}: {}\n", app.get_name(), message).c_str(), stderr);
  };
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
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help and --version
  } catch (const CLI::ParseError& problem) {
    // One that does not exist first: what else seems to be wrong may follow from it.
    const std::string unknown = about_unknown_option(app);
    complain(on_one_line(fmt::format("{} (see --help)", unknown.empty() ? problem.what() : unknown)));
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
    complain(has_option ? fmt::format("{} ({})", problem.what(), option) : problem.what());
    return problem.category() == failure::usage ? usage_status : 1;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& problem) {
    complain(problem.what());
  }
  return 1;
}

// "csb, ecsb and gcsb"
std::string listed(const std::vector<format_kind>& formats) {
  std::string text;
  for (std::size_t i = 0; i < formats.size(); ++i)
    text += (i == 0 ? "" : i + 1 < formats.size() ? ", " : " and ") + name_of(formats[i]);
  return text;
}

void require_meaning(const std::vector<std::string>& options, const std::vector<format_kind>& formats,
                     const std::string& called) {
  for (const auto& [option, meant] : options_of_formats())
    if (std::find(options.begin(), options.end(), option) != options.end() &&
        std::find_first_of(formats.begin(), formats.end(), meant.begin(), meant.end()) == formats.end())
      throw error(failure::usage,
                  fmt::format("{} means nothing for {} (it is for {})", option, called, listed(meant)));
}

std::vector<format_kind> formats_of_option(const std::string& option) {
  for (const auto& [name, formats] : options_of_formats())
    if (name == option) return formats;
  return {};
}

std::vector<std::string> format_options_given(const CLI::App& app) {
  std::vector<std::string> given;
  for (const auto& [option, formats] : options_of_formats())
    if (const CLI::Option* const known = app.get_option_no_throw(option);
        known != nullptr && known->count() > 0)
      given.push_back(option);
  return given;
}

static block_size parse_size(const std::string& option, const std::string& text,
                             const std::string& expected) {
  const char* const end = text.data() + text.size();
  const auto number_at = [&](const char* first, std::int32_t& number) {
    const auto [stop, problem] = std::from_chars(first, end, number);
    return problem == std::errc() ? stop : nullptr;
  };
  std::int32_t rows = 0, cols = 0;
  const char* stop = number_at(text.data(), rows);
  cols = rows;
  if (stop != nullptr && stop != end && (*stop == 'x' || *stop == 'X')) stop = number_at(stop + 1, cols);
  if (stop != end) throw error(failure::usage, fmt::format("{} {}: {}", option, text, expected));
  return {rows, cols};
}

block_size parse_sides(const std::string& option, const std::string& text, const std::string& example,
                       std::int32_t least, std::int32_t most) {
  const auto sides = parse_size(option, text, "not a size such as " + example);
  for (const std::int32_t side : {sides.rows, sides.cols})
    if (side < least || side > most)
      throw error(failure::usage, fmt::format("{} {}: sides are from {} to {}", option, text, least, most));
  return sides;
}

block_size parse_block(const std::string& text) {
  const block_size block = parse_size("--block", text, "neither auto nor a size such as 4 or 4x2");
  require_bsr_block(block);
  return block;
}

block_size parse_tile(const std::string& text) {
  const char* const expected = "neither auto nor a size such as 512 or 512x1024";
  const block_size sides = parse_size("--tile", text, expected);
  // To the library a side of 0 is one to be chosen.
  if (sides.area() == 0) throw error(failure::usage, fmt::format("--tile {}: {}", text, expected));
  require_options(tile_options{sides.rows, sides.cols});
  return sides;
}

std::array<double, 2> parse_mix(const std::string& text) {
  const std::string_view prefix = "ax:atx=";
  std::string_view rest = text;
  if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  std::array<double, 2> weights = {};
  const std::size_t colon = rest.find(':');
  const auto parse = [](std::string_view part, double& number) {
    const auto [stop, problem] = std::from_chars(part.data(), part.data() + part.size(), number);
    return problem == std::errc() && stop == part.data() + part.size() && std::isfinite(number) &&
           number >= 0;
  };
  if (colon == std::string_view::npos || !parse(rest.substr(0, colon), weights[0]) ||
      !parse(rest.substr(colon + 1), weights[1]) || !(weights[0] + weights[1] > 0) ||
      !std::isfinite(weights[0] + weights[1]))
    throw error(failure::usage,
                fmt::format("--mix {}: not a mix of A x and A^T x such as 10:1, 1:0 or ax:atx=10:1", text));
  return weights;
}

std::int64_t parse_memory(const std::string& text) {
  double number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(stop, text.data() + text.size());
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::vector<std::string> prefixes = {"", "K", "M", "G", "T"};
  double bytes = -1;
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    for (const std::string& ending : {prefixes[i], prefixes[i] + "B", prefixes[i] + "IB"})
      if (unit == ending) bytes = number * std::pow(1024.0, static_cast<double>(i));
  if (problem != std::errc() || !(bytes >= 1) || !(bytes < 0x1p62))
    throw error(failure::usage, fmt::format("--memory {}: not a size such as 512M or 8G", text));
  return static_cast<std::int64_t>(bytes);
}

json as_json(const format_parameters& parameters) {
  json object = json::object();
  for (const auto& [name, value] : parameters) object[name] = value;
  return object;
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
  app.formatter(std::make_shared<help_in_width>());
}

void add_help_ending(CLI::App& app, const std::vector<std::string>& examples,
                     const std::vector<std::string>& remarks) {
  const int width = output_width();
  std::string text = "\nGenerators:\n";
  for (const auto& [term, meaning] : describe_generators())
    text += term_text(term, meaning, term_indent(width), width);
  if (!examples.empty()) text += "\nExamples:\n";
  for (const std::string& example : examples) text += broken_command(CLI::detail::split(example, ' '), width);
  if (!remarks.empty()) text += "\n";
  for (const std::string& remark : remarks) text += wrapped("", remark, 0, width);
  app.footer(text);
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
          ""};
}

CLI::Validator in_any_case() {
  return {[](std::string& typed) -> std::string {
            typed = CLI::detail::to_lower(typed);
            return "";
          },
          ""};
}

device_choice choose_device(const common_options& options) {
  set_thread_count(options.threads);
  device_choice choice;
  const auto cpu = [] {
    return fmt::format("OpenMP, {} thread{}", thread_count(), thread_count() == 1 ? "" : "s");
  };
  if (options.device == device_wish::cpu) {
    choice.note = cpu();
  } else if (find_gpu().usable) {
    choice.use_gpu = true;
    choice.note = "CUDA, " + find_gpu().description;
  } else if (options.device == device_wish::cuda) {
    throw error(failure::device, "--device cuda: " + find_gpu().description);
  } else {
    choice.note = fmt::format("{} ({})", cpu(), find_gpu().description);
  }
  return choice;
}

// 0 where there is no terminal, or none that says how wide it is.
static int terminal_columns(std::FILE* stream) {
  winsize size{};
  const int descriptor = ::fileno(stream);
  return ::isatty(descriptor) == 1 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// What can be written over must stay on one line; the last column is left to the cursor.
static int progress_columns() {
  const int columns = terminal_columns(stderr);
  return columns > 1 ? columns - 1 : 79;
}

// A terminal may go away; then there is nobody to show it to, which is no error.
static void draw_progress(const std::string& text) {
  const std::string line = printable(text);
  std::fputs(("\r\033[K" + line.substr(0, bytes_of_columns(line, progress_columns()))).c_str(), stderr);
  std::fflush(stderr);
}

progress_bar::progress_bar(std::string label, bool enabled) : label_(std::move(label)) {
  if (!enabled || ::isatty(STDERR_FILENO) != 1) return;
  drawer_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    const auto start = std::chrono::steady_clock::now();
    auto pause = std::chrono::milliseconds(300);  // short work shows no bar at all
    while (!wake.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
      draw(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      pause = std::chrono::milliseconds(100);
    }
  });
}

progress_bar::~progress_bar() {
  if (!drawer_.joinable()) return;
  drawer_.request_stop();
  drawer_.join();
  if (shown_) draw_progress("");
}

progress_callback progress_bar::callback() {
  if (!drawer_.joinable()) return {};
  return [this](std::int64_t done, std::int64_t total) {
    done_ = done;
    total_ = total;
  };
}

void progress_bar::draw(double seconds) {
  shown_ = true;
  const std::int64_t done = done_, total = total_;
  const int room = progress_columns();
  if (total > 0) {
    constexpr int shortest = 5, longest = 30;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const std::string end = fmt::format("] {:3.0f} % of {}", share * 100, format_bytes(total));
    const int left = room - 2 - display_width(end);  // for the label and the bar
    const int length = std::clamp(left - display_width(label_), shortest, longest);
    const int filled = static_cast<int>(share * length);
    draw_progress(fmt::format("{} [{:#<{}}{:.<{}}{}", shortened(label_, std::max(left - length, 3)), "",
                              filled, "", length - filled, end));
  } else {
    const std::string end = done > 0 ? fmt::format(" {}, {:.1f} s", format_bytes(done), seconds)
                                     : fmt::format(" {:.1f} s", seconds);
    draw_progress(shortened(label_, std::max(room - display_width(end), 3)) + end);
  }
}

output_form form_of(const common_options& options, bool csv) {
  return csv               ? output_form::csv
         : options.as_json ? output_form::json
         : options.quiet   ? output_form::nothing
                           : output_form::text;
}

progress_line::progress_line(bool enabled)
    : enabled_(enabled), shown_(enabled && ::isatty(STDERR_FILENO) == 1) {}

void progress_line::step(const std::string& text) const {
  if (shown_)
    say(text);
  else if (enabled_)
    std::fputs((on_one_line(text) + "\n").c_str(), stderr);
}

void progress_line::say(const std::string& text) const {
  if (shown_) draw_progress(text);
}

int output_width(std::FILE* out) {
  const int columns = terminal_columns(out);
  return columns == 0 ? 80 : std::clamp(columns, 40, 160);
}

std::string problem_with(const std::string& input, const std::exception& problem) {
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr) return on_one_line(input) + ": out of memory";
  const std::string shown = on_one_line(input), what = on_one_line(problem.what());
  return what.starts_with(shown) ? what : shown + ": " + what;
}

void tell_note(const std::string& text) {
  const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  std::fputs((on_terminal ? wrapped("", text, 2, output_width(stderr)) : text + "\n").c_str(), stderr);
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

void write_whole_file(const std::string& path, std::string_view content) {
  output_file file(path);
  std::ofstream out(file.temporary_path(), std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) throw error(failure::output, path + ": could not write");
  file.commit();
}

void check_output_files(const std::vector<std::string>& inputs,
                        const std::vector<std::pair<std::string, std::string>>& outputs) {
  namespace fs = std::filesystem;
  const auto place = [](const std::string& path) {
    std::error_code problem;
    const fs::path whole = fs::weakly_canonical(fs::absolute(path, problem), problem);
    return problem ? path : whole.string();
  };
  std::map<std::string, std::string> used;
  for (const std::string& input : inputs)
    if (!is_generator(input)) used.emplace(place(input), "the input");
  for (const auto& [option, path] : outputs) {
    if (path.empty()) continue;
    if (path == "-") throw error(failure::usage, fmt::format("{} -: name a file", option));
    if (const auto [other, is_new] = used.emplace(place(path), option); !is_new)
      throw error(failure::usage, fmt::format("{} {}: is {} as well", option, path, other->second));
    const output_file probe(path);
  }
}

}  // namespace sparsmith
