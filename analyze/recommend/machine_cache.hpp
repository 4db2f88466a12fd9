// The rates of a machine (kernels/rates.hpp), measured once and remembered in the user's cache folder; and
// those of another machine, from a file that was made there.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/rates.hpp"

namespace sparsmith {

struct known_machine {
  machine_description description;
  machine_rates rates;
  std::string measured;     // when, in UTC: "2026-01-31T12:00:00Z"
  bool from_cache = false;  // rather than measured just now
  std::string path;         // of the file with all this; empty where none could be kept
};

// This machine as it is now, with rates from the cache or measured (`refresh`: in any case), which are then
// kept. A file that is spoiled, of another version or of another machine is replaced, and one that cannot be
// written is no failure. Throws what describing and measuring throw: failure::device without a GPU.
template <class Backend>
known_machine know_machine(Backend on, bool refresh);

// What such a file says. Throws failure::input where it is none.
known_machine read_machine(const std::string& path);

// Where files are kept: $SPARSMITH_CACHE, else sparsmith in the user's cache folder ($XDG_CACHE_HOME or
// $HOME/.cache); empty where the environment names none of them.
std::filesystem::path machine_cache_folder();

}  // namespace sparsmith
