#include "tools/tool.hpp"

#include <fcntl.h>
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
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>

#include "convert/error.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/write.hpp"
#include "convert/options.hpp"
#include "tools/command_line.hpp"

namespace sparsmith {

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
    complain(fmt::format("{} (see --help)", problem.what()));
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
  if (stop != nullptr && stop != end && *stop == 'x') stop = number_at(stop + 1, cols);
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
             {{"auto", device_wish::automatic}, {"cuda", device_wish::cuda}, {"cpu", device_wish::cpu}},
             "Where to run: auto (a GPU if there is one), cuda or cpu");
  app.add_option("--threads", options.threads, "CPU threads; 0 means all")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_flag("--json", options.as_json, "Print the result as JSON");
  app.add_flag("--quiet", options.quiet, "Print nothing but errors (and data asked for)");
  app.set_version_flag("--version", fmt::format("{} {} ({})", app.get_name(), SPARSMITH_VERSION,
                                                has_cuda ? "OpenMP and CUDA" : "OpenMP, no CUDA"));
  // Ours are one line each; CLI11's own default would print several.
  app.get_formatter()->column_width(34);
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
  if (shown_) fmt::print(stderr, "\r\033[K");
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
  if (total > 0) {
    constexpr int width = 30;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const int filled = static_cast<int>(share * width);
    fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {:3.0f} % of {}", label_, "", filled, "", width - filled,
               share * 100, format_bytes(total));
  } else if (done > 0) {
    fmt::print(stderr, "\r\033[K{} {}, {:.1f} s", label_, format_bytes(done), seconds);
  } else {
    fmt::print(stderr, "\r\033[K{} {:.1f} s", label_, seconds);
  }
  std::fflush(stderr);
}

output_form form_of(const common_options& options, bool csv) {
  return csv               ? output_form::csv
         : options.as_json ? output_form::json
         : options.quiet   ? output_form::nothing
                           : output_form::text;
}

progress_line::progress_line(bool enabled) : shown_(enabled && ::isatty(STDERR_FILENO) == 1) {}

void progress_line::say(const std::string& text) const {
  if (!shown_) return;
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  // A terminal may go away; then there is nobody to show it to, which is no error.
  std::fputs(fmt::format("\r\033[K{:.{}}", text, known ? size.ws_col - 1 : 79).c_str(), stderr);
  std::fflush(stderr);
}

int output_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return std::clamp<int>(size.ws_col, 40, 160);
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
