// The options every tool has, and what follows from them: the device and the form of the output.
#pragma once

#include <functional>
#include <string>

#include "convert/error.hpp"

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
  bool may_fall_back = false;  // from a GPU that `auto` took
  std::string doubt = {};      // why a GPU that is there is not used, though it was left to us
};
device_choice choose_device(const common_options& options);

// Whether `auto` goes on on the CPU after this: its GPU failed, or has too little memory left. The choice is
// then the CPU, and its note says why. What cannot be read again is not to fall back.
bool fall_back(device_choice& choice, const error& problem);

// Does the work on the device that was chosen, and once more where that falls back, which is told.
template <class Work>
auto on_chosen_device(device_choice& choice, const std::function<void(const std::string&)>& tell,
                      const Work& work) {
  try {
    return work();
  } catch (const error& problem) {
    if (!fall_back(choice, problem)) throw;
  }
  tell("on the CPU after all: " + choice.note);
  return work();
}

}  // namespace sparsmith
