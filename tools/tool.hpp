// What all tools share beside the command line (command_line.hpp): the choice of a device, sizes as they are
// typed, a progress bar.
#pragma once

#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "analyze/report/text.hpp"
#include "convert/backend/backend.hpp"
#include "convert/formats/format.hpp"
#include "convert/formats/sizes.hpp"
#include "convert/io/entries.hpp"

namespace sparsmith {

// How a tool prints what it found. Named before the type `json` is.
enum class output_form { text, json, csv, nothing };

using json = nlohmann::ordered_json;

// The options every tool has.
enum class device_wish { automatic, cuda, cpu };
struct common_options {
  device_wish device = device_wish::automatic;
  int threads = 0;
  bool as_json = false;
  bool quiet = false;
};

output_form form_of(const common_options& options, bool csv);

// Whether to run on the GPU. An explicit `cuda` without a GPU is an error; `auto` falls back, and `note` says
// so.
struct device_choice {
  bool use_gpu = false;
  std::string note;
};
device_choice choose_device(const common_options& options);

// The sizes of a format as an object.
json as_json(const format_parameters& parameters);

// "csb, ecsb and gcsb"
std::string listed(const std::vector<format_kind>& formats);
// Refuses options, of those that are about some formats only, which are about none of these, that a message
// calls `called`: what is ignored would be believed to have had its effect.
void require_meaning(const std::vector<std::string>& options, const std::vector<format_kind>& formats,
                     const std::string& called);
// The formats that an option such as --slice is about.
std::vector<format_kind> formats_of_option(const std::string& option);

// Two sides, "4x2", or "4" for both; `option` and `example` are for the messages.
block_size parse_sides(const std::string& option, const std::string& text, const std::string& example,
                       std::int32_t least, std::int32_t most);
// What --block and --tile take, beside `auto`; the library says which sizes there are.
block_size parse_block(const std::string& text);
block_size parse_tile(const std::string& text);

// What --mix takes: "10:1", or in full "ax:atx=10:1".
std::array<double, 2> parse_mix(const std::string& text);
// What --memory takes: "1500000", "512M", "8GiB"; 1024 each.
std::int64_t parse_memory(const std::string& text);

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

// One line that is written over on a terminal, cut to its width; nothing elsewhere.
class progress_line {
 public:
  explicit progress_line(bool enabled);
  void say(const std::string& text) const;
  // The same for what is worth a line of its own where there is no terminal.
  void step(const std::string& text) const;
  void clear() const { say(""); }

 private:
  bool enabled_, shown_;
};

// Columns of the terminal that is written to, from 40 to 160; 80 where it is none.
int output_width(std::FILE* out = stdout);

// What is wrong with one of several inputs, which is named: the others are gone on with.
std::string problem_with(const std::string& input, const std::exception& problem);

// A note on standard error: one line, or several where a terminal is narrower. An error stays on one.
void tell_note(const std::string& text);

// A note on standard error: one line, or several where a terminal is narrower. An error stays on one.
void tell_note(const std::string& text);

std::string utc_now();  // "2026-01-31T12:00:00Z"

// A file that is whole or not there.
void write_whole_file(const std::string& path, std::string_view content);

// Refuses files that cannot be written before the work, and not after it: pairs of an option and a path, none
// where the path is empty. No two may be the same file, nor one an input.
void check_output_files(const std::vector<std::string>& inputs,
                        const std::vector<std::pair<std::string, std::string>>& outputs);

}  // namespace sparsmith
