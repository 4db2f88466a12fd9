// What all tools share: one place that turns exceptions into exit codes, the choice of a device, a progress
// bar.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyze/report/text.hpp"
#include "convert/backend/backend.hpp"
#include "convert/formats/format.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/io/entries.hpp"

namespace sparsmith {

using json = nlohmann::ordered_json;

// Parses, runs, and maps what happened to an exit status: 0 fine, 1 data or run-time failure, 2 usage. Every
// error is one line on standard error.
int run_tool(CLI::App& app, int argc, char** argv, const std::function<void()>& body);

// The options every tool has.
enum class device_wish { automatic, cuda, cpu };
struct common_options {
  device_wish device = device_wish::automatic;
  int threads = 0;
  bool as_json = false;
  bool quiet = false;
};
void add_common_options(CLI::App& app, common_options& options);

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
      ->check(CLI::IsMember(words))
      ->default_str(at_first);
}

// Whether to run on the GPU. An explicit `cuda` without a GPU is an error; `auto` falls back, and `note` says
// so.
struct device_choice {
  bool use_gpu = false;
  std::string note;
};
device_choice choose_device(const common_options& options);

// The sizes of a format as an object.
json as_json(const format_parameters& parameters);

// Two sides, "4x2", or "4" for both; `option` and `example` are for the messages.
block_size parse_sides(const std::string& option, const std::string& text, const std::string& example,
                       std::int32_t least, std::int32_t most);
// What --block and --tile take, beside `auto`; the library says which sizes there are.
block_size parse_block(const std::string& text);
block_size parse_tile(const std::string& text);

// The names most like one that does not exist: those that contain it, then those fewest typing errors away.
std::vector<std::string> nearest_names(const std::string& name, const std::vector<std::string>& all,
                                       std::size_t count = 5);

// A bar on a terminal, nothing elsewhere. Drawn by a thread of its own, so that it also moves, by the clock,
// where a reader or writer does not say how far it is.
class progress_bar {
 public:
  progress_bar(std::string label, bool enabled);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_callback callback();

 private:
  void draw(double seconds);

  std::string label_;
  std::atomic<std::int64_t> done_ = 0, total_ = 0;
  bool shown_ = false;
  std::jthread drawer_;
};

}  // namespace sparsmith
