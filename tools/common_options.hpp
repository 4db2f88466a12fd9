// The options every tool has, and what follows from them: the device and the form of the output.
#pragma once

#include <string>

namespace sparsmith {

enum class device_wish { automatic, cuda, cpu };
struct common_options {
  device_wish device = device_wish::automatic;
  int threads = 0;
  bool as_json = false;
  bool quiet = false;
};

// How a tool prints what it found. Named before the type `json` is.
enum class output_form { text, json, csv, nothing };
output_form form_of(const common_options& options, bool csv);

// Whether to run on the GPU. An explicit `cuda` without a GPU is an error; `auto` falls back, and `note` says
// so.
struct device_choice {
  bool use_gpu = false;
  std::string note;
};
device_choice choose_device(const common_options& options);

}  // namespace sparsmith
