// The rates of a machine (kernels/rates.hpp), measured once and remembered in the user's cache folder; and
// those of another machine, from a file that was made there.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/rates.hpp"

namespace sparsmith {

struct known_machine {
  machine_description description;
  machine_rates rates;
  std::string measured;                 // when, in UTC: "2026-01-31T12:00:00Z"
  bool from_cache = false;              // rather than measured just now
  double seconds = 0;                   // that measuring took; 0 from the cache
  std::vector<std::string> noisy = {};  // what got in the way while they were measured (noise.hpp)
  std::string path;                     // of the file with all this; empty where none could be kept
};

// This machine as it is now, with rates from the cache or measured (`refresh`: in any case), which are then
// kept. A file that is spoiled, of another version or of another machine is replaced, and one that cannot be
// written is no failure. What was measured while others used the machine is measured once more; where they
// still do, it is kept with what got in the way, and measured anew by the next who does not accept that
// (`accept_noisy`: the workers of a batch, which all have to predict from the same). Throws what describing
// and measuring throw: failure::device without a GPU.
template <class Backend>
known_machine know_machine(Backend on, bool refresh, bool accept_noisy = false);

// The rates, as they are told to be measured: `measured` gives rates and what got in the way of measuring
// them.
struct measured_rates {
  machine_rates rates;
  std::vector<std::string> noisy;
};
known_machine know_machine(const machine_description& here, bool refresh,
                           const std::function<measured_rates()>& measured, bool accept_noisy = false);

// What such a file says. Throws failure::input where it is none.
known_machine read_machine(const std::string& path);

// Where files are kept: $SPARSMITH_CACHE, else sparsmith in the user's cache folder ($XDG_CACHE_HOME or
// $HOME/.cache); empty where the environment names none of them.
std::filesystem::path machine_cache_folder();

}  // namespace sparsmith
